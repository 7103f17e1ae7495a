"""The scan of qrels says what the careful reader says, or nothing."""

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judgetool.errors import ParseError
from judgetool.formats import Kind, read_file
from judgetool.formats.score_scan import scan_qrels
from tests.helpers.formats import awkward_ids
from tests.helpers.laws import examples

_ids = st.one_of(
    st.sampled_from(["d1", "d10", "msmarco_passage_12_345", "é"]),
    st.text("ab1", min_size=1, max_size=20),
    awkward_ids.filter(lambda text: min(text) > " "),
)
_grades = st.sampled_from(["0", "1", "2", "-1", "-2", "0.5", "1.0", "10", "007", "12345678"])


@st.composite
def _clean_qrels(draw):
    pairs = draw(st.lists(st.tuples(_ids, _ids), min_size=1, max_size=30, unique=True))
    blank = draw(st.sampled_from(" \t"))
    lines = [blank.join((query, "0", document, draw(_grades))) for query, document in pairs]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


def read(path):
    """Return grades by query and document; ``None`` if a line is refused or something noted."""
    try:
        reading = read_file(path, kind=Kind.JUDGMENTS)
    except ParseError:
        return None
    if reading.n_refused or reading.notes:
        return None
    table = reading.judgments
    return list(zip(table.query_ids, table.document_ids, table.grades, strict=True))


def said(scanned):
    places = zip(scanned.queries, scanned.documents, scanned.grades, strict=True)
    return [
        (scanned.query_ids[query], scanned.judged.texts()[document], grade)
        for query, document, grade in places
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("qrels")


@given(_clean_qrels())
@example("<? 0 d1 0")
@settings(max_examples=examples(200))
def test_scan_and_careful_reader_say_the_same_of_clean_qrels(folder, text):
    """Queries, documents and grades are equal, in the same order."""
    path = folder / "clean.txt"
    path.write_bytes(text.encode())
    scanned = scan_qrels(path)
    if scanned is None:
        assert any(line.startswith(("#", "{", "[", "<")) for line in text.split("\n")) or any(
            blank in text for blank in "\x1c\x1d\x1e\x1f\ufeff"
        )
    else:
        assert said(scanned) == read(path)
        assert scanned.query_ids == list(dict.fromkeys(query for query, _, _ in read(path)))


@given(_clean_qrels(), st.data())
@settings(max_examples=examples(300))
def test_scan_of_spoilt_qrels_says_what_the_careful_reader_says_or_nothing(folder, text, data):
    """Wherever a byte is changed or a line doubled: equal, or no answer."""
    raw = text.encode()
    start = data.draw(st.integers(0, len(raw)))
    what = [b" ", b"\n", b"\r", b"#", b"\0", b"0", b"-", b".", b"+", b"e", b"\xff", b"\x1c", b"\t"]
    raw = (
        raw[:start] + data.draw(st.sampled_from(what)) + raw[start + data.draw(st.integers(0, 1)) :]
    )
    lines = raw.split(b"\n")
    if data.draw(st.booleans()):
        lines.append(data.draw(st.sampled_from(lines)))
    path = folder / "spoilt.txt"
    path.write_bytes(b"\n".join(lines))
    scanned = scan_qrels(path)
    if scanned is not None:
        assert said(scanned) == read(path)


UNSURE = {
    "LETOR with numbers as documents": b"2 qid:1 # 3\n1 qid:1 # 4\n",
    "three columns": b"q 0 d\n",
    "a document judged twice": b"q 0 d 1\nq 0 d 1\n",
    "a document judged differently": b"q 0 d 1\nq 0 d 2\n",
    "two values in column two": b"q 0 d 1\nq 1 e 1\n",
    "a grade that is no number": b"q 0 d x\n",
    "a grade with a decimal comma": b"q 0 d 1,5\n",
    "a long grade": b"q 0 d 0.123456789\n",
    "a comment": b"# q\nq 0 d 1\n",
    "carriage returns": b"q 0 d 1\r\n",
    "no text": b"q 0 \xff 1\n",
    "NUL bytes": b"\0" * 9 + b"q 0 d 1\n",
    "nothing": b"",
    "a table with a header": b"query iter document grade\nq 0 d 1\n",
    "a packed file": gzip.compress(b"q 0 d 1\n"),
}


@pytest.mark.parametrize("what", UNSURE)
def test_scan_gives_no_answer_where_it_is_not_sure(tmp_path, what):
    """What is out of the ordinary is left to the careful reader."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(UNSURE[what])
    assert scan_qrels(path) is None


def test_scan_gives_no_answer_for_a_missing_file(tmp_path):
    """The careful reader has the words for it."""
    assert scan_qrels(tmp_path / "none.txt") is None


def test_queries_in_several_places_are_one_query(tmp_path):
    """In qrels the order of lines says nothing."""
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1\nr 0 a 2\nq 0 b 0\n")
    scanned = scan_qrels(path)
    assert scanned.query_ids == ["q", "r"]
    assert said(scanned) == [("q", "a", 1.0), ("r", "a", 2.0), ("q", "b", 0.0)]
