"""Which format a file is taken for."""

import shutil

import pytest

from judgetool.errors import ParseError
from judgetool.formats import FORMATS, Kind, read_file, read_text
from tests.helpers.formats import DATA

SAMPLES = {
    "clicks.csv": "clicks-table",
    "clicks.jsonl": "clicks-jsonl",
    "collection.tsv": "documents-tsv",
    "documents.csv": "documents-table",
    "documents.jsonl": "documents-jsonl",
    "documents.smart": "smart-documents",
    "documents.trec": "trec-documents",
    "judgments.csv": "judgments-table",
    "judgments.jsonl": "judgments-jsonl",
    "judgments.parquet": "judgments-table",
    "judgments.xlsx": "judgments-table",
    "labels.tsv": "judgments-table",
    "letor.txt": "letor",
    "millionquery.prels": "trec-prels",
    "sampled.qrels": "trec-sampled-qrels",
    "opensearch.json": "opensearch-judgments",
    "opensearch-queries.json": "opensearch-queries",
    "qrels-3.tsv": "qrels-3-columns",
    "qrels.ranx.json": "ranx-qrels",
    "qrels.txt": "trec-qrels",
    "quepid-basic.csv": "judgments-table",
    "quepid-book-long.csv": "judgments-table",
    "quepid-book-wide.csv": "judgments-table",
    "quepid-book.json": "quepid-book",
    "quepid-case.json": "quepid-case",
    "quepid-detailed.csv": "results-table",
    "quepid-needs.csv": "queries-table",
    "quepid-snapshot.json": "quepid-snapshot",
    "quepid-snapshot.csv": "results-table",
    "queries-colon.txt": "queries-colon",
    "queries.csv": "queries-table",
    "queries.jsonl": "queries-jsonl",
    "queries.smart": "smart-queries",
    "queries.tsv": "queries-tsv",
    "questions.json": "queries-jsonl",
    "rank-eval-request.json": "rank-eval-request",
    "rank-eval-response.json": "rank-eval-response",
    "response.elasticsearch.json": "search-response",
    "response.solr.json": "search-response",
    "results.csv": "results-table",
    "results.jsonl": "results-jsonl",
    "rre-by-grade.json": "rre",
    "rre.json": "rre",
    "run.colbert.tsv": "colbert-run",
    "run.msmarco.tsv": "msmarco-run",
    "run.ranx.json": "ranx-run",
    "run.trec.txt": "trec-run",
    "top1000.tsv": "msmarco-candidates",
    "topics.sgml": "trec-topics",
    "topics.xml": "trec-topics-xml",
}
# What no content tells: bare texts are queries if the person says so, a folder is no file.
TOLD = {"beir": "beir-folder", "folder": "documents-folder", "queries-list.txt": "queries-list"}


def test_every_format_has_a_sample():
    """The samples of tests/data show all formats."""
    assert {*SAMPLES.values(), *TOLD.values()} == set(FORMATS)
    assert {path.name for path in DATA.iterdir()} == {*SAMPLES, *TOLD}


@pytest.mark.parametrize(("sample", "format_name"), TOLD.items())
def test_formats_that_have_to_be_told(sample, format_name):
    """Bare texts and folders are read as the kind that the person names."""
    kind = FORMATS[format_name].kind
    assert read_file(DATA / sample, kind=kind).format == format_name


def test_bare_texts_are_not_taken_for_queries_unasked():
    """A text of lines may be anything; the sentence says how to read it as queries."""
    with pytest.raises(ParseError, match="If each line is one query, read it as queries"):
        read_file(DATA / "queries-list.txt")


@pytest.mark.parametrize(("sample", "format_name"), SAMPLES.items())
def test_the_content_tells_the_format(tmp_path, sample, format_name):
    """Each sample is told by its content under a name that says nothing."""
    path = tmp_path / "download"
    shutil.copy(DATA / sample, path)
    reading = read_file(path)
    assert (reading.format, reading.kind) == (format_name, FORMATS[format_name].kind)
    # Grades that are words wait for a person to map them.
    assert bool(reading.n_refused) == bool(reading.label_proposal)


def test_questions_of_a_file_stand_in_the_row_of_its_format():
    """What a sample leaves open, an --answer may name: the table of formats knows it."""
    questions = {name for each in FORMATS.values() for name in each.questions}
    asked = {q.name for sample in SAMPLES for q in read_file(DATA / sample).open_questions}
    assert asked <= questions | {"header", "sheet", "encoding"}
    # No sample is a JSON object of lists, or a run whose columns changed places.
    assert questions == asked & questions | {"lists", "ranks"}


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
        ("topics.sgml", Kind.DOCUMENTS),
        ("topics.xml", Kind.RUN),
        ("run.msmarco.tsv", Kind.QUERIES),
        ("letor.txt", Kind.RUN),
        ("rre.json", Kind.RUN),
        ("response.solr.json", Kind.JUDGMENTS),
        ("queries-colon.txt", Kind.JUDGMENTS),
        ("millionquery.prels", Kind.RUN),
    ],
)
def test_a_wrong_kind_is_refused(sample, kind):
    """A file that is clearly about something else is refused, saying what was expected."""
    with pytest.raises(ParseError, match=r"expected .*; found|expected .*, found"):
        read_file(DATA / sample, kind=kind)


def test_a_run_is_no_qrels_but_a_few_lines_of_another_kind_are_refused_alone():
    """Only lines of a run: what they look like is said. One line of qrels: that one is read."""
    run = "".join(f"1 Q0 d{rank} {rank} {9 - rank} t\n" for rank in range(1, 5))
    with pytest.raises(ParseError, match=r"expected TREC qrels .* found what looks like TREC run"):
        read_text(run, kind=Kind.JUDGMENTS)
    reading = read_text(run + "1 0 a 1\n", kind=Kind.JUDGMENTS)
    assert (reading.format, reading.n_refused) == ("trec-qrels", 4)
    with pytest.raises(ParseError, match=r"expected queries: .* found what looks like TREC run"):
        read_text(run, kind=Kind.QUERIES)


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
        "10 GX253 0 9x 0.16\n",
        '{\n  "a": 1\n}\n',
        '[{"id": 1}]\n',
        '{"name": "x"}\n',
        "query,docid,name,colour\nq,d,soup,red\n",
        "<html><body>no topics</body></html>\n",
        '<?xml version="1.0"?>\n<rss/>\n',
        '{"took": 1,\n "hits": 7}\n',
        '{"a": [1,\n',
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


def test_a_value_is_not_taken_for_json_lines():
    """One JSON value whose inner lines are whole objects is read as one value."""
    text = '{"q1": {"d1": 1,\n"d2":\n3},\n"q2":\n{"d9": 2}\n}\n'
    assert read_text(text).format == "ranx-qrels"


def test_more_comments_than_lines_hide_no_format():
    """A file may begin with a page of what it is: its lines alone tell its format."""
    text = "".join(f"# remark {number}\n" for number in range(9)) + "q1 0 d1 1\nq1 0 d2 0\n"
    assert read_text(text).format == "trec-qrels"


@pytest.mark.parametrize("kind", [None, *Kind])
@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html><html><head><title>404 Not Found</title></head>\n<body></body></html>\n",
        '<html xmlns:x="urn:excel"><table><tr><td>query</td></tr></table></html>\n',
        "<table border=1>\n<tr><td>query</td><td>document</td></tr>\n</table>\n",
    ],
)
def test_a_web_page_is_called_one(page, kind):
    """An error page that was saved in a file’s place, or a sheet that is HTML inside."""
    with pytest.raises(ParseError, match=r"it is a web page \(HTML\), expected .*error page"):
        read_text(page, source="qrels.xls", kind=kind)


def test_lines_that_are_not_alike_are_said_to_be_so():
    """‘Found 4 columns, expected qrels (4 columns)’ helped nobody."""
    with pytest.raises(ParseError, match="found 4 columns in its first line, and 3 in another"):
        read_text("q1 0 a 2\nq1 0 b\nq1 0 c 3 extra\nq1 0 d two\n")
