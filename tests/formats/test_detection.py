"""Which format a file is taken for."""

import shutil

import pytest

from judgetool.errors import ParseError
from judgetool.formats import FORMATS, Kind, read_file, read_text
from tests.helpers.formats import DATA

SAMPLES = {
    "documents.csv": "documents-table",
    "documents.jsonl": "documents-jsonl",
    "judgments.csv": "judgments-table",
    "judgments.jsonl": "judgments-jsonl",
    "qrels.txt": "trec-qrels",
    "queries.csv": "queries-table",
    "queries.jsonl": "queries-jsonl",
    "queries.tsv": "queries-tsv",
    "results.csv": "results-table",
    "results.jsonl": "results-jsonl",
    "run.trec.txt": "trec-run",
}


def test_every_format_has_a_sample():
    """The samples of tests/data show all formats."""
    assert sorted(SAMPLES.values()) == sorted(FORMATS)
    assert sorted(path.name for path in DATA.iterdir()) == sorted(SAMPLES)


@pytest.mark.parametrize(("sample", "format_name"), SAMPLES.items())
def test_the_content_tells_the_format(tmp_path, sample, format_name):
    """Each sample is told by its content under a name that says nothing."""
    path = tmp_path / "download"
    shutil.copy(DATA / sample, path)
    reading = read_file(path)
    assert (reading.format, reading.kind) == (format_name, FORMATS[format_name].kind)
    assert not reading.n_refused


@pytest.mark.parametrize(("sample", "format_name"), SAMPLES.items())
def test_the_right_kind_changes_nothing(sample, format_name):
    """Saying what a file is about gives the same format."""
    assert read_file(DATA / sample, kind=FORMATS[format_name].kind).format == format_name


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        ("run.trec.txt", Kind.JUDGMENTS),
        ("run.trec.txt", Kind.QUERIES),
        ("run.trec.txt", Kind.DOCUMENTS),
        ("qrels.txt", Kind.RUN),
        ("queries.tsv", Kind.JUDGMENTS),
        ("queries.tsv", Kind.RUN),
        ("judgments.csv", Kind.QUERIES),
        ("judgments.csv", Kind.DOCUMENTS),
        ("results.csv", Kind.JUDGMENTS),
        ("results.jsonl", Kind.QUERIES),
        ("documents.jsonl", Kind.RUN),
        ("documents.csv", Kind.JUDGMENTS),
    ],
)
def test_a_wrong_kind_is_refused(sample, kind):
    """A file that is clearly about something else is refused, saying what was expected."""
    with pytest.raises(ParseError, match=r"expected .*; found|expected .*, found"):
        read_file(DATA / sample, kind=kind)


def test_a_table_of_results_is_a_run():
    """Where a run is asked for, a table of results will do."""
    assert read_file(DATA / "results.csv", kind=Kind.RUN).kind is Kind.RESULTS


def test_the_kind_decides_what_content_leaves_open():
    """An id and a text may be a query or a document: the kind that is given wins."""
    line = '{"id": "a", "text": "b"}\n'
    assert read_text(line, kind=Kind.DOCUMENTS).documents[0].body == "b"
    assert read_text(line, kind=Kind.QUERIES).queries[0].text == "b"


@pytest.mark.parametrize(
    ("source", "kind"), [("topics.jsonl", Kind.QUERIES), ("corpus.jsonl", Kind.DOCUMENTS)]
)
def test_the_name_decides_what_content_leaves_open(source, kind):
    """Without a kind the file's name is asked."""
    assert read_text('{"id": "a", "text": "b"}\n', source=source).kind is kind


def test_query_texts_that_look_like_qrels_are_queries():
    """Four words of which the last is a number, with one tab, are a query."""
    assert read_text("q1\tiphone case 6\nq2\tgalaxy s 7\n").format == "queries-tsv"


def test_qrels_with_a_header_are_judgments():
    """BEIR's qrels name their columns query-id, corpus-id, score: the score is the grade."""
    reading = read_text("query-id\tcorpus-id\tscore\n1\td1\t2\n")
    assert reading.format == "judgments-table"
    assert reading.judgments is not None
    assert reading.judgments.grades == [2.0]


@pytest.mark.parametrize(
    "text",
    [
        "just a sentence\n",
        "10 GX253 0 1 0.16\n",
        '{\n  "a": 1\n}\n',
        '[{"id": 1}]\n',
        '{"name": "x"}\n',
        "query,docid,rater01,rater02\nq,d,1,2\n",
        "<top>\n<num> 51\n</top>\n",
    ],
)
def test_other_layouts_are_refused(text):
    """What judgetool does not know is refused, saying what was expected."""
    with pytest.raises(ParseError, match=r"[Ee]xpected"):
        read_text(text)


@pytest.mark.parametrize("first", ["[q1]", "{q1}", "{", "["])
def test_ids_in_brackets_are_no_json(first):
    """A qrels line may begin with a bracket."""
    assert read_text(f"{first} 0 d 1\n").format == "trec-qrels"
