"""The scan for values says what the careful reader says, or nothing."""

import gzip
import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.formats import Kind, read_file
from judgetool.formats.scan import IdTable, words_of_texts
from judgetool.formats.score_scan import scan_run
from tests.helpers.formats import awkward_ids
from tests.helpers.laws import examples

# Some longer than a word, some that begin or end alike, some that sort unlike their length.
_plain_ids = st.one_of(
    st.sampled_from(["d1", "d10", "d9", "D0276267", "msmarco_passage_12_345", "é", "d1\xa0", "😀"]),
    st.text("ab1", min_size=1, max_size=30),
    awkward_ids.filter(lambda text: min(text) > " "),
)


@st.composite
def _score_texts(draw, count):
    """Scores in falling order, all written in one of the ways that systems write them."""
    style = draw(st.sampled_from(["fixed", "whole", "repr", "exponent"]))
    decimals = draw(st.integers(1, 9))
    numbers = draw(st.lists(st.integers(-30, 300), min_size=count, max_size=count))
    numbers.sort(reverse=True)
    if style == "fixed":
        return [f"{number / 4:.{decimals}f}" for number in numbers]
    if style == "whole":
        return [str(number) for number in numbers]
    return [repr(number / 7) if style == "repr" else f"{number / 7:.3e}" for number in numbers]


@st.composite
def _clean_runs(draw):
    """Text of a run as systems write it: whole queries, in order, nothing twice."""
    queries = draw(st.lists(_plain_ids, min_size=1, max_size=5, unique=True))
    blank = draw(st.sampled_from(" \t"))
    first_rank = draw(st.integers(0, 1))
    lines = []
    for query in queries:
        documents = draw(st.lists(_plain_ids, min_size=1, max_size=12, unique=True))
        scores = draw(_score_texts(len(documents)))
        for place, (document, score) in enumerate(zip(documents, scores, strict=True)):
            lines.append(blank.join((query, "Q0", document, str(first_rank + place), score, "tag")))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


_judged = st.lists(_plain_ids, max_size=12, unique=True)


def scan(path, judged=("d1",), **settings):
    """Return the scanned run, its documents as places in what was judged."""
    return scan_run(path, IdTable(words_of_texts(judged)), **settings)


def read(path, judged):
    """Return what the careful reader says, in the scan's terms; ``None`` if it refuses a line."""
    reading = read_file(path, kind=Kind.RUN)
    if reading.n_refused:
        return None
    (run,) = reading.runs
    places = {document: place for place, document in enumerate(judged)}
    codes = np.array([places.get(document, -1) for document in run.document_ids])
    return (
        run.name,
        run.query_ids,
        run.offsets.tolist(),
        codes[run.documents].tolist(),
        reading.notes,
    )


def said(scanned):
    return (
        scanned.name,
        scanned.query_ids,
        scanned.offsets.tolist(),
        scanned.documents.tolist(),
        scanned.notes,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scan")


@given(_clean_runs(), _judged, st.integers(1, 300))
@settings(max_examples=examples(300))
def test_scan_and_careful_reader_say_the_same_of_a_clean_run(folder, text, judged, chunk_bytes):
    """Names, queries, places of judged documents and notes are equal, however it is cut up."""
    path = folder / "clean.run"
    path.write_bytes(text.encode())
    scanned = scan(path, judged, chunk_bytes=chunk_bytes)
    if scanned is None:
        # A first line that could be JSON or a header, or an id that begins with a hash.
        assert any(line.startswith(("#", "{", "[", "<")) for line in text.split("\n")) or any(
            blank in text for blank in "\x1c\x1d\x1e\x1f\ufeff"
        )
    else:
        assert said(scanned) == read(path, judged)


@given(_clean_runs(), _judged, st.data())
@settings(max_examples=examples(500))
def test_scan_of_a_spoilt_run_says_what_the_careful_reader_says_or_nothing(
    folder, text, judged, data
):
    """Wherever bytes are lost, added or changed, a line doubled or moved: equal or no answer."""
    raw = text.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        raw = data.draw(_spoilt(raw))
    path = folder / "spoilt.run"
    path.write_bytes(raw)
    scanned = scan(path, judged, chunk_bytes=data.draw(st.integers(1, 300)))
    if scanned is not None:
        assert said(scanned) == read(path, judged)


_CHANGES = st.sampled_from(
    [
        *(b" ", b"\t", b"\n", b"\r\n", b"#", b"\0", b"0", b"-", b".", b"9", b"e", b"\xff"),
        *(b"\xc2\xa0", b"\x0b", b"\x1c", b"\n\n", b"inf", b"+", b"_", b"a"),
    ]
)


@st.composite
def _spoilt(draw, raw):
    lines = raw.split(b"\n")
    place, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines)))
    start = draw(st.integers(0, len(raw)))
    match draw(st.sampled_from(["double", "move", "drop", "change"])):
        case "double":
            lines.insert(other, lines[place])
        case "move":
            line = lines.pop(place)
            lines.insert(other, line)
        case "drop":
            return raw[:start] + raw[start + draw(st.integers(1, 3)) :]
        case "change":
            return raw[:start] + draw(_CHANGES) + raw[start + draw(st.integers(0, 1)) :]
    return b"\n".join(lines)


LINE = "q Q0 d1 1 2.5 t\n"
UNSURE = {
    "a line with seven columns": LINE + "q Q0 d2 2 1.5 t u\n",
    "two blanks between columns": LINE + "q Q0  d2 2 1.5 t\n",
    "a blank at the end of a line": "q Q0 d1 1 2.5 t \n",
    "an empty line": LINE + "\n" + "q Q0 d2 2 1.5 t\n",
    "a comment": "# made by hand\n" + LINE,
    "carriage returns": LINE.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + LINE,
    "a NUL byte": LINE + "q Q0 d\0 2 1.5 t\n",
    "many NUL bytes": "\0" * 99 + LINE,
    "an odd blank": LINE + "q Q0 d\x1c 2 1.5 t\n",
    "a document twice": LINE + "q Q0 d1 2 1.5 t\n",
    "an unjudged document twice": LINE + "q Q0 x 2 1.5 t\nq Q0 x 3 1.0 t\n",
    "a query in two places": LINE + "r Q0 d1 1 2.5 t\n" + "q Q0 d2 2 1.5 t\n",
    "scores that rise": LINE + "q Q0 d2 2 3.5 t\n",
    "ranks that fall": "q Q0 d1 2 2.5 t\nq Q0 d2 1 1.5 t\n",
    "a rank that is no number": "q Q0 d1 x 2.5 t\n",
    "a score that is no number": LINE + "q Q0 d2 2 nan t\n",
    "an infinite score": "q Q0 d1 1 inf t\n" + "q Q0 d2 2 1.5 t\n",
    "two tags": LINE + "q Q0 d2 2 1.5 u\n",
    "lines without a tag": "q Q0 d1 1 2.5\n",
    "a very long id": LINE + f"q Q0 {'x' * 65} 2 1.5 t\n",
    "nothing": "",
    "a table with a header": "query doc_id document rank score run\n" + LINE,
}


@pytest.mark.parametrize("what", UNSURE)
def test_scan_gives_no_answer_where_it_is_not_sure(tmp_path, what):
    """What is out of the ordinary is left to the careful reader."""
    path = tmp_path / "x.run"
    path.write_bytes(UNSURE[what].encode())
    assert scan(path) is None


def test_scan_gives_no_answer_for_bytes_that_are_no_text(tmp_path):
    """A byte that is not UTF-8, anywhere in the file, is left to the careful reader."""
    path = tmp_path / "x.run"
    path.write_bytes(LINE.encode() + b"q Q\xff d2 2 1.5 t\n")
    assert scan(path) is None


def test_scan_gives_no_answer_for_packed_files(tmp_path):
    """A gzip file is left to the careful reader."""
    path = tmp_path / "x.run.gz"
    path.write_bytes(gzip.compress(LINE.encode()))
    assert scan(path) is None


def test_scan_gives_no_answer_for_a_query_that_is_too_long(tmp_path):
    """It would be held whole."""
    path, start = tmp_path / "x.run", "d" * 50
    path.write_text("".join(f"q Q0 {start}{n} {n} {-n} t\n" for n in range(500_000)))
    assert scan(path) is None


def test_scan_gives_no_answer_for_a_missing_file(tmp_path):
    """The careful reader has the words for it."""
    assert scan(tmp_path / "none.run") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_scan_leaves_a_pipe_untouched(tmp_path):
    """Whoever reads a named pipe after the scan gets all of it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert scan(path) is None
    writer = threading.Thread(target=path.write_text, args=(LINE,))
    writer.start()
    assert path.read_text() == LINE
    writer.join()


def test_tied_judged_documents_are_ordered_by_their_bytes(tmp_path):
    """Equal scores: the id that is greater as UTF-8 comes first, beyond the first word, too."""
    ids = ["a", "aa", "prefix_1_b", "prefix_1_a", "é", "z", "\U0001f600", "\uffee"]
    path = tmp_path / "x.run"
    path.write_text("".join(f"q Q0 {each} {n} 1.0 t\n" for n, each in enumerate(ids)))
    found = scan(path, ids)
    assert found is not None
    assert [ids[place] for place in found.documents] == sorted(ids, key=str.encode, reverse=True)


def test_ties_are_told_apart_at_the_last_digit_of_a_double(tmp_path):
    """Scores of 16 digits, more than fixed decimals are taken for, compare as doubles do."""
    path = tmp_path / "x.run"
    path.write_text(
        "q Q0 a 1 0.12345678901234568 t\nq Q0 b 2 0.12345678901234567 t\n"
        "q Q0 c 3 0.12345678901234566 t\n"
    )
    assert said(scan(path, "abc")) == read(path, "abc")


def test_a_query_longer_than_a_chunk_is_kept_whole(tmp_path):
    """5,000 results of one query, read in pieces of 100 bytes, are one query."""
    path = tmp_path / "x.run"
    path.write_text(
        "p Q0 d1 1 1.0 t\n"
        + "".join(f"q Q0 d{n} {n} {9000 - n}.5 t\n" for n in range(1, 5001))
        + "r Q0 d1 1 1.0 t\n"
    )
    found = scan(path, chunk_bytes=100)
    assert (found.query_ids, found.offsets.tolist()) == (["p", "q", "r"], [0, 1, 5001, 5002])
    assert np.flatnonzero(found.documents == 0).tolist() == [0, 1, 5001]
