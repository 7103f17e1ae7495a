"""The fast way to read a run: on whatever file, it says what the careful way says."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.formats import Kind, Reading, read_stream, read_text
from judgetool.formats.scan import MAX_FIELD_BYTES, TEXT_START, IdColumn, PaddedText
from judgetool.formats.score_scan import scan_block
from tests.formats.test_score_scan_judged import colliding_ids
from tests.helpers.laws import examples

plain_words = st.text(st.sampled_from("0123456789abqZ#.é-"), min_size=1, max_size=6)
plain_scores = st.one_of(
    st.decimals(-10_000, 10_000, places=6).map(lambda d: f"{d:f}"),
    st.floats(allow_nan=False).map(repr),
    st.integers(-50, 50).map(str),
)
plain_lines = st.tuples(plain_words, plain_words, st.integers(0, 2000).map(str), plain_scores)


def ids_of_words(words):
    """Return fields as words as the texts that they are."""
    columns = [word.astype("<u8").view(np.uint8).reshape(-1, 8) for word in words]
    return [bytes(row).rstrip(b"\0").decode() for row in np.concatenate(columns, axis=1)]


@given(st.lists(plain_lines, min_size=1, max_size=12))
def test_scanning_bytes_gives_what_python_gives(lines):
    """Whatever the byte scanner takes, it reads as split() and float() do, bit for bit."""
    rows = [(query, "Q0", document, rank, score, "t") for query, document, rank, score in lines]
    scanned = scan_block("\n".join(" ".join(row) for row in rows).encode())
    if scanned is None:
        return
    queries = np.repeat(np.array(scanned.queries, object), scanned.query_lengths).tolist()
    assert queries == [row[0] for row in rows]
    assert ids_of_words(scanned.documents) == [row[2] for row in rows]
    assert scanned.ranks.tolist() == [int(row[3]) for row in rows]
    assert list(map(repr, scanned.scores.tolist())) == [repr(float(row[4])) for row in rows]


@pytest.mark.parametrize(
    "raw",
    [
        b"q1 Q0 7067032 1 25.4559595 bm25\r\nq1 Q0 12 2 -0.5 bm25",
        b"q1\tQ0\td\t1\t0.10\tt\nq1\tQ0\te\t2\t-0.00\tt",
        "q1 Q0 d\u00e9\u4e2d 1 1e-3 t\nq1 Q0 x 2 -5E+2 t".encode(),
    ],
)
def test_ordinary_runs_are_scanned(raw):
    """The scanner takes lines as retrieval programs write them: the test above is not empty."""
    assert scan_block(raw) is not None


# Lines of all sorts: plain ones most of the time, so that whole blocks of them come too.

ids = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(
        ["d1", "007", "7", "#x", "\u00e9", "e\u0301", "d\xa01", "\u4e2d\u6587", "z" * 70]
    ),
    st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters=" \t\n\r\v\f\0#"), min_size=1
    ).map(lambda text: text[:12]),
)
scores = st.one_of(
    st.integers(-3, 3).map(lambda n: f"{n}.500000"),
    st.sampled_from(
        ["1", "-0.0", "0.0", "inf", "-inf", "nan", "1e5", "-2E-3", "1e999", "x", "1_0"]
    ),
    st.floats(allow_nan=False).map(repr),
)
ranks = st.one_of(st.integers(0, 20).map(str), st.sampled_from(["007", "-1", "x", "123456789012"]))
blanks = st.sampled_from([" ", " ", " ", "\t", "  ", " \x1f "])
odd_lines = st.sampled_from(
    ["", "# a comment", "q Q0 d 1", "q Q0 d 1 2.0", "a b c d e f g", "\x85"]
)
run_lines = st.one_of(
    st.tuples(ids, ids, ranks, scores, st.sampled_from(["t", "t", "u"]), blanks).map(
        lambda row: row[5].join([row[0], "Q0", *row[1:5]])
    ),
    odd_lines,
)
plain_run_lines = st.tuples(
    st.sampled_from(["q1", "q2", "q2", "\u00e9"]),
    ids,
    st.integers(0, 20).map(str),
    st.integers(-3, 3).map(lambda n: f"{n}.500000"),
).map(lambda row: f"{row[0]} Q0 {row[1]} {row[2]} {row[3]} t")
line_ends = st.sampled_from(["\n", "\n", "\r\n"])


def outcome_of(read):
    """Return all that reading says: rankings with exact scores, refusals, notes, lines."""
    reading: Reading = read()
    found = []
    for run in reading.runs:
        assert len(set(run.document_ids)) == len(run.document_ids)
        for place, query in enumerate(run.query_ids):
            its = slice(run.offsets[place], run.offsets[place + 1])
            documents = [run.document_ids[code] for code in run.documents[its]]
            found.append((run.name, query, documents, list(map(repr, run.scores[its].tolist()))))
    return found, reading.refusals, reading.n_refused, reading.notes, reading.n_lines


def read(text):
    return read_text(text, source="x.run", kind=Kind.RUN)


def carefully(text):
    """Return the same file with a last line that makes its only block go line by line."""
    return text + "\n" * (not text.endswith("\n")) + " \t\n"


@settings(max_examples=examples(200))
@given(
    st.lists(st.one_of(plain_run_lines, run_lines), min_size=1, max_size=15),
    line_ends,
    st.booleans(),
)
def test_fast_and_careful_reading_say_the_same(lines, line_end, ends_last_line):
    """On any file all ways of reading give the same rankings, refusals and notes."""
    # The first line says what the file is.
    text = line_end.join(["q1 Q0 first 1 9.500000 t", *lines]) + line_end * ends_last_line
    *fast, n_lines = outcome_of(lambda: read(text))
    *careful, _ = outcome_of(lambda: read(carefully(text)))
    assert fast == careful
    assert n_lines == len(text.split("\n")) - text.endswith("\n")


class Dripping(io.RawIOBase):
    """A stream that hands out a few bytes at a time, so that a small file has many blocks."""

    def __init__(self, data, size):
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, size=-1):
        return self._stream.read(min(size, self._size))


@settings(max_examples=examples(15))
@given(
    st.lists(st.one_of(plain_run_lines, plain_run_lines, run_lines), min_size=4, max_size=30),
    st.integers(4_000, 40_000),
    st.randoms(use_true_random=False),
)
def test_blocks_read_in_different_ways_make_one_run(lines, size, random):
    """Where plain and odd blocks follow each other, the run is that of the file in one block."""
    many = [f"p{n // 50} Q0 {n * 7919 % 3001} {n % 50} {100 - n % 50}.25 t" for n in range(3_000)]
    places = sorted(random.randrange(2_000, 3_000) for _ in lines)
    for line, place in zip(lines, places, strict=True):
        many.insert(place, line)
    text = "\n".join(many)
    dripped = lambda: read_stream(Dripping(text.encode(), size), source="x.run", kind=Kind.RUN)  # noqa: E731 - named for what it reads
    assert outcome_of(dripped) == outcome_of(lambda: read(text))


def test_refusals_stand_in_the_order_of_the_lines():
    """A line that is too long, found blocks ahead, is reported after what stands before it."""
    plain = [f"q Q0 d{n} {n} {9000 - n}.0 t" for n in range(4_000)]
    plain[3_000] = "q Q0 broken 1 x t"
    text = "\n".join([*plain, "q Q0 " + "z" * (2 << 20) + " 1 1.0 t", "q Q0 last 1 0.5 t"])
    reading = read(text)
    assert [refusal.line for refusal in reading.refusals] == [3_001, 4_001]
    assert len(reading.runs[0].documents) == 4_000


# The table of ids

words_of_bytes = st.text(st.characters(exclude_categories=("Cs",)), max_size=90)


@given(st.lists(st.lists(words_of_bytes, max_size=20), max_size=5))
def test_ids_get_codes_and_places_by_their_bytes(parts):
    """Texts come back as they were, whatever their length, once each, sorted as bytes."""
    column = IdColumn()
    for part in parts:
        column.add_texts(part)
    codes, texts = column.number()
    flat = [text for part in parts for text in part]
    assert texts == sorted(set(flat), key=str.encode)
    assert [texts[code] for code in codes.tolist()] == flat


def test_ids_as_words_and_as_texts_share_their_codes():
    """A block that is scanned and one that is read as text mean the same document."""
    column = IdColumn()
    names = ["7", "0123456789abcdef0", "d" * MAX_FIELD_BYTES]
    lengths = np.array([len(name) for name in names])
    text = PaddedText.around("".join(names).encode())
    starts = TEXT_START + np.cumsum(lengths) - lengths
    column.add_words(text.load_fields(starts, lengths))
    column.add_texts(["7", "7"])
    column.add_texts(names)
    assert column.number()[0].tolist() == [1, 0, 2, 1, 1, 1, 0, 2]


def test_many_ids_keep_apart():
    """Two hundred thousand ids in many parts have as many codes, and are found again."""
    column = IdColumn()
    names = [f"doc-{number:07d}" for number in range(200_000)]
    for start in (*range(0, len(names), 30_000), 0):
        column.add_texts(names[start : start + 30_000])
    codes, texts = column.number()
    assert texts == names
    assert codes.tolist() == [*range(200_000), *range(30_000)]


def test_different_ids_of_one_hash_keep_apart():
    """Where hashes are the same, in turns, the words tell the ids apart."""
    one, other = colliding_ids()
    column = IdColumn()
    column.add_texts([one, other, one, "third", other])
    codes, texts = column.number()
    assert [texts[code] for code in codes.tolist()] == [one, other, one, "third", other]
    assert len(texts) == 3
