"""One published or faithfully made file of each interchange format: read as it says, or refused."""

import pytest

from judgetool.core.judgments import Query
from judgetool.errors import ParseError
from judgetool.formats import Reading, read_file, read_text
from tests.helpers.shared import shared_data

# File: format, queries, documents, results, judgments.
READ = {
    "beir/corpus.jsonl": ("documents-jsonl", 0, 393, 0, 0),
    "beir/qrels/test.tsv": ("judgments-table", 0, 0, 0, 472),
    "beir/queries.jsonl": ("queries-jsonl", 12, 0, 0, 0),
    "beir/scifact-wild/qrels/test.tsv": ("judgments-table", 0, 0, 0, 60),
    "beir/scifact-wild/queries.jsonl": ("queries-jsonl", 50, 0, 0, 0),
    "letor/icecat.letor.txt": ("letor", 0, 0, 0, 472),
    "letor/ranklib-judgments-tmdb-titles.txt": ("letor", 40, 0, 0, 1390),
    "msmarco/collection.tsv": ("documents-tsv", 0, 393, 0, 0),
    "msmarco/qrels.tsv": ("trec-qrels", 0, 0, 0, 210),
    "msmarco/queries.tsv": ("queries-tsv", 12, 0, 0, 0),
    "msmarco/top1000.tsv": ("msmarco-candidates", 4, 63, 83, 0),
    "other/wands-query.csv": ("queries-table", 480, 0, 0, 0),
    "qrels/backgroundlinking18.grades-0-2-4-8-16.txt": ("trec-qrels", 0, 0, 0, 287),
    "qrels/dl19-passage-4topics.txt": ("trec-qrels", 0, 0, 0, 993),
    "qrels/millionquery.prels.txt": ("trec-prels", 0, 0, 0, 120),
    "qrels/web-151-152.negative-grades.txt": ("trec-qrels", 0, 0, 0, 563),
    "qrels/web-253.subtopics.txt": ("trec-qrels", 0, 0, 0, 0),
    "quepid/basic.csv": ("judgments-table", 13, 0, 0, 472),
    "quepid/basic_snapshot.csv": ("judgments-table", 12, 0, 0, 120),
    "quepid/book_judgements.csv": ("judgments-table", 15, 0, 0, 183),
    "quepid/detailed.csv": ("results-table", 12, 98, 120, 86),
    "quepid/information_need.csv": ("queries-table", 14, 0, 0, 0),
    "quepid/ltr.txt": ("letor", 12, 0, 0, 472),
    "quepid/ratings.json": ("quepid-case", 12, 0, 0, 472),
    "quepid/rre.json": ("rre", 12, 0, 0, 472),
    "quepid/snapshot.csv": ("results-table", 12, 98, 120, 0),
    "quepid/static_queryset.csv": ("results-table", 1, 3, 3, 0),
    "quepid/trec.txt": ("trec-qrels", 0, 0, 0, 472),
    "rank-eval/request-template.json": ("rank-eval-request", 12, 0, 0, 472),
    "rank-eval/request.json": ("rank-eval-request", 12, 0, 0, 472),
    "rank-eval/response.json": ("rank-eval-response", 0, 0, 60, 45),
    "results/es-search-response.json": ("search-response", 1, 10, 10, 0),
    "results/qrels.ranx.json": ("ranx-qrels", 0, 0, 0, 472),
    "results/results-with-text.csv": ("results-table", 12, 103, 116, 0),
    "results/run.jsonl": ("results-jsonl", 12, 103, 116, 0),
    "results/run.msmarco.tsv": ("msmarco-run", 0, 0, 116, 0),
    "results/run.ranx.json": ("ranx-run", 0, 0, 116, 0),
    "results/run.trec.txt": ("trec-run", 0, 0, 116, 0),
    "results/solr-search-response.json": ("search-response", 1, 10, 10, 0),
    "trec-topics/adhoc-51-55.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/web-101-105.xml": ("trec-topics-xml", 5, 0, 0, 0),
    "trec-topics/arabic-AR26-AR30.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/backgroundlinking18-first5.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/core18-first5.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/epidemic-qa-first5.json": ("queries-jsonl", 5, 0, 0, 0),
    "trec-topics/microblog-MB001-MB005.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/millionquery-1-20.txt": ("queries-colon", 20, 0, 0, 0),
    "trec-topics/robust-301-305.sgml": ("trec-topics", 5, 0, 0, 0),
    "trec-topics/terrier.sgml": ("trec-topics", 3, 0, 0, 0),
    "trec-topics/terrier.xml": ("trec-topics-xml", 3, 0, 0, 0),
}
REFUSED = {
    "letor/tf-ranking-train-first60.txt": "no line names its document",
    "other/wands-LICENSE": "no format that judgetool knows",
}


def read(name: str) -> Reading:
    return read_file(shared_data(f"data/formats/{name}"))


def count_of(reading: Reading) -> tuple[str, int, int, int, int]:
    n_results = sum(len(run.documents) for run in reading.runs)
    n_judgments = len(reading.judgments) if reading.judgments else 0
    counts = (len(reading.queries), len(reading.documents), n_results, n_judgments)
    return (reading.format, *counts)


def test_every_file_is_accounted_for():
    """No file of the folder is left out of these tables."""
    folder = shared_data("data/formats")
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {*READ, *REFUSED, "SOURCE.md"}


@pytest.mark.parametrize(("name", "expected"), READ.items())
def test_files_are_read_whole(name, expected):
    """Every line or entry is understood: the format and all counts are as they should be."""
    reading = read(name)
    assert count_of(reading) == expected
    assert reading.n_refused == 0


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_files_are_refused_in_words(name, reason):
    """What has no document ids or is no data is refused, saying why."""
    with pytest.raises(ParseError, match=reason):
        read(name)


@pytest.mark.parametrize(
    "name", ["letor/ranklib-judgments-tmdb-titles.txt", "quepid/ltr.txt", "quepid/trec.txt"]
)
def test_grades_are_numbers_and_nobody_is_named(name):
    """Grades such as 3.0 and 4 are numbers of one scale; these forms name no assessor."""
    table = read(name).judgments
    assert table is not None
    assert set(table.grades) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    assert set(table.assessors) == {None}


def test_one_set_of_ratings_in_several_forms():
    """Quepid's CSV, JSON, RRE and LETOR forms of one case hold the same judgments."""
    names = ("basic.csv", "ratings.json", "rre.json", "ltr.txt")
    readings = [read(f"quepid/{name}") for name in names]
    found = []
    for reading in readings:
        table = reading.judgments
        texts = {query.id: query.text for query in reading.queries}
        queries = [texts.get(query) or query for query in table.query_ids]
        found.append(set(zip(queries, table.document_ids, table.grades, strict=True)))
    assert found[0] == found[1] == found[2] == found[3]


def test_one_ranking_in_several_forms():
    """TREC and JSON forms of one run have the same documents in the same order."""
    trec, ranx = read("results/run.trec.txt").runs[0], read("results/run.ranx.json").runs[0]
    assert trec.query_ids == ranx.query_ids
    for first, second in zip(trec.documents.tolist(), ranx.documents.tolist(), strict=True):
        assert trec.document_ids[first] == ranx.document_ids[second]


def test_a_book_has_an_assessor_for_each_column():
    """In Quepid's book each judge's column becomes that judge's judgments; blanks are none."""
    table = read("quepid/book_judgements.csv").judgments
    assert set(table.assessors) <= {f"rater{number:02}" for number in range(1, 14)}
    assert len(set(table.assessors)) > 5


def test_the_subtopics_are_asked():
    """Diversity judgments are not read before it is said what column two is; then they are."""
    (question,) = read("qrels/web-253.subtopics.txt").open_questions
    assert question.is_open
    path = shared_data("data/formats/qrels/web-253.subtopics.txt")
    by_topic = read_file(path, answers={"column_two": "subtopic"})
    by_query = read_file(path, answers={"column_two": "subtopic-queries"})
    assert set(by_topic.judgments.query_ids) == {"253"}
    assert {"253-1", "253-2"} <= set(by_query.judgments.query_ids)
    assert len(by_query.judgments) > len(by_topic.judgments)
    assert not by_topic.n_refused


def test_labels_before_texts_are_taken_off():
    """ "Number:" and "Topic:" are no part of ids and titles; unclosed tags end at the next."""
    first = read("trec-topics/adhoc-51-55.sgml").queries[0]
    assert (first.id, first.text) == ("051", "Airbus Subsidies")
    assert first.description.startswith("Document will discuss")
    assert first.narrative.startswith("A relevant document will cite")
    assert first.fields["dom"] == "International Economics"
    assert read("trec-topics/core18-first5.sgml").queries[0].narrative.startswith("Pertinent")


def test_arabic_topics_keep_their_script():
    """Topics are Unicode throughout."""
    assert read("trec-topics/arabic-AR26-AR30.sgml").queries[0].id == "AR26"
    assert read("trec-topics/arabic-AR26-AR30.sgml").queries[0].text.startswith("مجلس المقاومة")


def test_a_wrong_closing_tag_does_no_harm():
    """Topics that are a document have no text; their document stands in the fields."""
    first = read("trec-topics/backgroundlinking18-first5.sgml").queries[0]
    assert (first.id, first.text) == ("321", "")
    assert first.fields["docid"] == "9171debc316e5e2782e0d2404ca7d09d"
    assert first.fields["url"].endswith("-percent-of-its-parliaments/")


def test_xml_numbers_may_be_attributes():
    """Terrier's topics have their number as a tag or as an attribute."""
    assert [query.id for query in read("trec-topics/terrier.xml").queries] == ["1", "2", "3"]


def test_questions_become_descriptions():
    """Of a query, a question and a background, the query is the text."""
    assert read("trec-topics/epidemic-qa-first5.json").queries[0] == Query(
        "CQ001",
        "coronavirus origin",
        "what is the origin of COVID-19",
        "seeking information about whether the virus was designed in a lab or occured naturally "
        "in animals and how it got to humans",
    )


def test_queries_of_a_request_have_their_texts():
    """The words of a plain or templated request are the query's text."""
    for name in ("request.json", "request-template.json"):
        assert read(f"rank-eval/{name}").queries[0] == Query("q002", "aa")


def test_a_collection_is_not_taken_for_queries():
    """Passages under another name are told from queries by their length, and it is said."""
    data = shared_data("data/formats/msmarco/collection.tsv").read_text(encoding="utf-8")
    reading = read_text(data, source="download.tsv")
    assert reading.format == "documents-tsv"
    assert "taken for documents, as its lines are long" in reading.notes[0]
    assert reading.open_questions[0].answer == "documents"
