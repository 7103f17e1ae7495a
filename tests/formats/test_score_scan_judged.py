"""Ids as words: found exactly, however their hashes fall."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judgetool.formats.scan import (
    _FACTORS,
    IdTable,
    PaddedText,
    compute_hashes,
    compute_numbers,
    has_repeats,
    words_of_texts,
)
from judgetool.formats.score_scan import scan_run


def fields_of(texts):
    """Return texts as fields of one text: their words."""
    encoded = [text.encode() for text in texts]
    lengths = np.array([len(each) for each in encoded])
    padded = PaddedText.around(b"".join(encoded))
    starts = padded.raw.index(b"".join(encoded)) + np.cumsum(lengths) - lengths
    return padded.load_fields(starts, lengths)


def find(judged, texts):
    words = fields_of(texts)
    return table_of(*judged).find(words, compute_hashes(words)).tolist()


def table_of(*ids):
    return IdTable(words_of_texts(ids))


def colliding_ids():
    """Return two different ids of 16 printable characters with the same hash."""
    rng = random.Random(7)
    modulus = 1 << 64
    one = "document-0000001"
    first, second = (int.from_bytes(one[a : a + 8].encode(), "little") for a in (0, 8))
    both = (first * _FACTORS[0] % modulus) ^ (second * _FACTORS[1] % modulus)
    while True:
        start = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))
        word = int.from_bytes(start.encode(), "little")
        rest = (both ^ (word * _FACTORS[0] % modulus)) * pow(_FACTORS[1], -1, modulus) % modulus
        end = rest.to_bytes(8, "little")
        if all(0x21 <= code < 0x7F for code in end):
            return one, start + end.decode()


def test_each_of_many_ids_is_found_by_its_own_number():
    """20,000 ids, among them those that share a slot of the table."""
    ids = [f"clueweb09-en{n:06d}-00-{n * 7919 % 99991:05d}" for n in range(20_000)]
    assert find(ids, ids[::-1]) == list(range(19_999, -1, -1))


@given(
    st.lists(st.text("ab", min_size=1, max_size=20), max_size=30, unique=True),
    st.lists(st.text("ab", min_size=1, max_size=20), min_size=1, max_size=30),
)
def test_ids_are_found_when_they_are_equal_and_only_then(judged, texts):
    """Prefixes, suffixes and lengths around a word's are told apart."""
    places = {text: place for place, text in enumerate(judged)}
    assert find(judged, texts) == [places.get(text, -1) for text in texts]


def test_ids_that_no_file_of_columns_can_hold_are_found_nowhere():
    """Blanks, line ends, nothing at all, half a surrogate pair, very long: none is in the way."""
    judged = ["", "a b", "a\nb", "a\0", "\ud800", "x" * 200, "a"]
    assert find(judged, ["a", "b", "x" * 64]) == [6, -1, -1]


def test_an_unjudged_id_with_the_hash_of_a_judged_one_is_not_taken_for_it():
    """Survivors are compared byte by byte."""
    one, other = colliding_ids()
    assert (
        compute_hashes(fields_of([one, other])).tolist()
        == [compute_hashes(fields_of([one]))[0]] * 2
    )
    assert find([one], [one, other]) == [0, -1]


def test_two_judged_ids_that_share_a_hash_are_told_apart(tmp_path):
    """Words are compared, never hashes alone."""
    path = tmp_path / "x.run"
    one, other = colliding_ids()
    path.write_text(f"q Q0 {other} 1 2.5 t\nr Q0 {one} 1 2.5 t\n")
    table = table_of(one, other)
    texts = table.texts()
    assert [texts[code] for code in scan_run(path, table).documents] == [other, one]


def test_scan_gives_no_answer_when_two_results_share_a_hash(tmp_path):
    """They might be one document twice."""
    path = tmp_path / "x.run"
    one, other = colliding_ids()
    path.write_text(f"q Q0 {one} 1 2.5 t\nq Q0 {other} 2 1.5 t\n")
    assert scan_run(path, table_of("d1")) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), min_size=1, max_size=120))
def test_repeats_are_noticed_within_a_row_and_only_there(pairs):
    """The same hash in another row is no repeat."""
    pairs.sort(key=lambda pair: pair[0])
    rows, numbers = (np.array(column) for column in zip(*pairs, strict=True))
    hashes = compute_hashes([(numbers + 1).astype(np.uint64)])
    assert has_repeats(hashes, rows) == (len(set(pairs)) < len(pairs))


@given(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=20))
def test_digits_are_read_as_the_numbers_that_they_are(numbers):
    """One to eight digits, leading zeros included."""
    texts = [str(number).zfill(number % 8 + 1) for number in numbers]
    lengths = np.array([len(text) for text in texts])
    padded = PaddedText.around("".join(texts).encode())
    digits = padded.find_digits(8 + np.cumsum(lengths), lengths)
    assert compute_numbers(digits).tolist() == numbers


@given(st.text(st.characters(max_codepoint=127, min_codepoint=33), min_size=1, max_size=8))
def test_digits_are_found_only_where_all_are_digits(text):
    """A sign, a dot, a letter, a bracket: each is noticed."""
    padded = PaddedText.around(text.encode())
    found = padded.find_digits(np.array([8 + len(text)]), np.array([len(text)]))
    assert (found is not None) == text.isdigit()
