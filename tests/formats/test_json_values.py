"""Runs and judgments as one JSON value: engines' responses, ranx, RRE, OpenSearch, Quepid."""

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.errors import ParseError
from judgetool.formats import JudgmentRow, Kind, Reading, read_file, read_stream, read_text
from tests.formats.test_judgments_table import rows_of
from tests.formats.test_trec_run import rankings_of
from tests.helpers.formats import DATA, awkward_ids


def read(value: object, **wishes) -> Reading:
    return read_text(json.dumps(value, indent=1), source="soups.json", **wishes)


def test_a_json_run_is_ordered_by_score():
    """The order of the object plays no part, equal scores are as TREC has them."""
    reading = read({"q1": {"d1": 1.5, "d2": 2.5, "d3": 1.5}}, kind=Kind.RUN)
    assert rankings_of(reading.runs[0]) == {"q1": [("d2", 2.5), ("d3", 1.5), ("d1", 1.5)]}
    assert reading.runs[0].name == "soups"


def test_whole_numbers_are_grades():
    """ranx and pytrec_eval want whole numbers for grades."""
    assert rows_of(read_file(DATA / "qrels.ranx.json")) == [
        JudgmentRow("q1", "d1", "", 3.0),
        JudgmentRow("q1", "d2", "", 0.0),
        JudgmentRow("q2", "d9", "", 1.0),
    ]


@pytest.mark.parametrize(
    "value",
    [{"q1": {"d1": 5, "d2": 4, "d3": 3, "d4": 2, "d5": 1}}, {"q1": {"d1": 0.5, "d2": 0.5}}],
)
def test_numbers_that_may_be_either_are_asked(value):
    """Whole numbers that all differ, and few fractions that repeat, may be scores or grades."""
    reading = read(value)
    assert [question.is_open for question in reading.open_questions] == [True]
    assert read(value, answers={"numbers": "score"}).kind is Kind.RUN
    assert len(read(value, answers={"numbers": "grade"}).judgments) == len(value["q1"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_packed_value_in_any_encoding_is_read(encoding):
    """One JSON value in UTF-16 or UTF-32, packed by gzip, is read like a plain one."""
    data = gzip.compress('{"q": {"d": 1, "é": 0}}'.encode(encoding))
    reading = read_stream(io.BytesIO(data), kind=Kind.JUDGMENTS)
    assert reading.judgments.document_ids == ["d", "é"]
    assert reading.encoding.endswith("+gzip")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"id": "a", "text": "x"}\n{"id": "b", "text": "y", "text": "z"}\n', 2),
        ('{"id": "a", "text": "x"}\n{"id": "b", "text": "y", "metadata": {"k": 1, "k": 2}}\n', 2),
        ('[{"id": "a", "text": "x"},\n{"id": "b", "text": "y", "text": "z"}]', None),
    ],
)
def test_a_key_twice_in_a_row_is_said(text, line):
    """In JSON lines the line is left out, in a list the first value counts: never the last, unsaid."""
    reading = read_text(text, kind=Kind.QUERIES)
    (refusal,) = reading.refusals
    assert refusal.line == line
    assert "stands twice in one JSON object" in refusal.reason
    assert "z" not in [query.text for query in reading.queries]


def test_metadata_does_not_hide_other_values():
    """BEIR's metadata is not spread over values of the same name: both are kept."""
    text = '{"_id": "a", "title": "T", "text": "x", "metadata": {"title": "other"}}\n'
    (document,) = read_text(text, kind=Kind.DOCUMENTS).documents
    assert (document.title, document.fields) == ("T", {"metadata": '{"title":"other"}'})


def test_a_key_twice_is_refused():
    """A document that stands twice under its query is named; the first one counts."""
    reading = read_text('{"q1": {"d1": 3, "d1": 2, "d2": 0}}')
    assert [r.reason for r in reading.refusals] == [
        "‘d1’ stands twice in one JSON object; what stands first counts"
    ]
    assert rows_of(reading)[0] == JudgmentRow("q1", "d1", "", 3.0)


@pytest.mark.parametrize(
    "text",
    ['{"q1": {"d1": NaN}}', '{"q": ' * 5000, '{"q1": {"d1": 1}', '{"\\ud800": {"d": 1}}'],
    ids=["nan", "deep", "cut", "half character"],
)
def test_broken_json_is_refused(text):
    """What is no JSON is refused in a sentence."""
    with pytest.raises(ParseError, match="Nothing was kept"):
        read_text(text)


def test_a_response_brings_documents_and_a_run():
    """Hits are documents in their order; a description is the text, the rest are fields."""
    reading = read_file(DATA / "response.elasticsearch.json")
    assert reading.documents == [
        Document("r1", "Gazpacho", body="Cold.", fields={"minutes": "20"}),
        Document("r2", "Ajoblanco", fields={"tags": '["cold","white"]'}),
    ]
    assert rankings_of(reading.runs[0]) == {"response.elasticsearch": [("r1", 3.5), ("r2", 2.25)]}
    assert reading.notes == [
        "The response does not name its query: the file’s name ‘response.elasticsearch’ is its id."
    ]


def test_solr_names_its_query():
    """Solr echoes the query; a field with one value is that value."""
    reading = read_file(DATA / "response.solr.json")
    assert reading.queries == [Query("cold soup", "cold soup")]
    assert reading.documents[0].title == "Gazpacho"


def test_several_responses_are_numbered_or_named():
    """A multi-search is numbered from 1, which is said; an object names its queries."""
    one = {"hits": {"hits": [{"_id": "a", "_score": 1.0}]}}
    several = read({"responses": [one, one]})
    assert list(rankings_of(several.runs[0])) == ["1", "2"]
    (note,) = several.notes
    assert note.startswith("The 2 responses do not name their queries: they are numbered from 1.")
    assert note.endswith("(Id pairs…, --id-map).")
    assert list(rankings_of(read({"q7": one, "q8": one}).runs[0])) == ["q7", "q8"]


def test_a_partial_response_is_mentioned():
    """A response that timed out is read, and a note says so."""
    reading = read({"timed_out": True, "hits": {"hits": [{"_id": "a", "_score": 1.0}]}})
    assert "partial" in reading.notes[-1]


def test_a_response_without_scores_keeps_its_order():
    """Sorted searches have no scores: the hits stand as they came."""
    hits = [{"_id": name, "_score": None} for name in ("b", "c", "a")]
    run = read({"hits": {"hits": hits}}).runs[0]
    assert rankings_of(run) == {"soups": [("b", None), ("c", None), ("a", None)]}


def test_a_hit_twice_is_refused():
    """The same id from two indexes is one document: its first place counts."""
    hits = [{"_index": "x", "_id": "a"}, {"_index": "y", "_id": "a"}]
    assert [r.reason for r in read({"hits": {"hits": hits}}).refusals] == [
        "result 2 of query ‘soups’ is document ‘a’ again"
    ]


def test_rre_inherits_from_groups():
    """Documents of a group hold for each of its queries; rating is another word for gain."""
    reading = read_file(DATA / "rre.json")
    assert reading.queries[0] == Query("cold soup", "cold soup", "Soups", category="Cold")
    assert rows_of(reading) == [
        JudgmentRow("cold soup", "r1", "", 3.0),
        JudgmentRow("cold soup", "r2", "", 2.0),
        JudgmentRow("gazpacho", "r1", "", 3.0),
        JudgmentRow("gazpacho", "r2", "", 2.0),
        JudgmentRow("gazpacho", "r3", "", 1.0),
    ]


def test_rre_by_grade():
    """The other form has lists of documents under grades."""
    assert rows_of(read_file(DATA / "rre-by-grade.json")) == [
        JudgmentRow("cold soup", "r1", "", 3.0),
        JudgmentRow("cold soup", "r7", "", 3.0),
        JudgmentRow("cold soup", "r2", "", 2.0),
    ]


def test_rank_eval_requests():
    """Ids are the requests', texts are found in plain and templated queries."""
    reading = read_file(DATA / "rank-eval-request.json")
    assert reading.queries == [Query("q1", "cold soup"), Query("q2", "bread")]
    assert len(rows_of(reading)) == 3


def test_what_names_nothing_is_refused_alone():
    """A request without an id, a rating without a document; two indexes are one set of ids."""
    ratings = [
        {"_index": index, "_id": document, "rating": 1}
        for index, document in (("a", "d1"), ("b", "d2"), ("b", ""))
    ]
    value = {"requests": [{"id": "q", "ratings": ratings}, {"ratings": ratings[:1]}]}
    reading = read_text(json.dumps(value))
    assert [row.document_id for row in rows_of(reading)] == ["d1", "d2"]
    assert {refusal.reason for refusal in reading.refusals} == {
        "a request has no id",
        "a judgment of query ‘q’ names no document",
    }
    (note,) = reading.notes
    assert note.startswith("The documents are in 2 indexes (a, b); the index is left out")


def test_rank_eval_responses():
    """Hits are the run; what has no rating stays unjudged."""
    reading = read_file(DATA / "rank-eval-response.json")
    assert rankings_of(reading.runs[0]) == {"q1": [("r1", 3.5), ("r2", 2.25)]}
    assert rows_of(reading) == [JudgmentRow("q1", "r1", "", 3.0)]


def test_a_hit_twice_in_a_rank_eval_response_is_refused():
    """It is read once; where all are rated, nothing is said of others."""
    hit = {"hit": {"_id": "a", "_score": 1}, "rating": 1}
    reading = read({"metric_score": 1, "details": {"q": {"hits": [hit, hit]}}})
    assert rows_of(reading) == [JudgmentRow("q", "a", "", 1.0)]
    assert rankings_of(reading.runs[0]) == {"q": [("a", 1)]}
    assert [refusal.reason for refusal in reading.refusals] == [
        "result 2 of query ‘q’ is document ‘a’ again"
    ]
    assert reading.notes == []


def test_a_query_of_json_with_several_texts_has_the_first():
    """It is said."""
    requests = [
        {"id": "q", "request": {"query": text}, "ratings": [rating]}
        for text, rating in (
            ("soup", {"_id": "a", "rating": 1}),
            ("tea", {"_id": "b", "rating": 1}),
        )
    ]
    reading = read({"requests": requests})
    assert reading.queries == [Query("q", "soup")]
    assert [row.document_id for row in rows_of(reading)] == ["a", "b"]
    assert [refusal.reason for refusal in reading.refusals] == [
        "query ‘q’ comes with several texts; the first one counts"
    ]


def test_opensearch_ratings_are_texts():
    """Ratings come as strings, with fractions."""
    assert rows_of(read_file(DATA / "opensearch.json")) == [
        JudgmentRow("cold soup", "r1", "", 0.9),
        JudgmentRow("cold soup", "r2", "", 0.0),
    ]


def test_a_quepid_case():
    """An exported case has ratings as a list, and information needs."""
    reading = read_file(DATA / "quepid-case.json")
    assert reading.queries == [Query("cold soup", "cold soup", "Eaten cold.")]
    assert rows_of(reading) == [JudgmentRow("cold soup", "r1", "anna@recipes.example", 3.0)]


@pytest.mark.parametrize("kind", [None, Kind.RUN, Kind.RESULTS, Kind.JUDGMENTS])
def test_a_quepid_snapshot_brings_its_rankings(kind):
    """The rankings are a run of the snapshot's name; ratings, needs and fields come along."""
    reading = read_file(DATA / "quepid-snapshot.json", kind=kind)
    (run,) = reading.runs
    ranked = [run.document_ids[place] for place in run.documents]
    assert (run.name, run.query_ids, ranked) == (
        *("Before synonyms", ["cold soup", "rye bread"], ["r2", "r1", "r1"]),
    )
    assert rows_of(reading) == [
        JudgmentRow("cold soup", "r1", "", 3.0),
        JudgmentRow("cold soup", "r9", "", 0.0),
    ]
    assert [document.title for document in reading.documents] == ["Bread soup", "Gazpacho", ""]
    assert reading.queries[0].description == "Eaten cold."


def test_what_is_not_taken_of_quepids_files_is_said():
    """Keys that the project has no place for are named, and so is what no ranking has."""
    notes = " ".join(read_file(DATA / "quepid-snapshot.json").notes)
    for word in ("scorer", "scores", "time", "explain", "1 document stood in the snapshot"):
        assert word in notes


OPEN_BOOK = {
    "name": "B",
    "scale": [0, 1],
    "query_doc_pairs": [
        {"query_text": "a", "doc_id": "x", "position": 2, "judgements": [{"rating": 1}]},
        {"query_text": "a", "doc_id": "y", "position": 1, "information_need": "n",
         "document_fields": '{"title": "T"}'},
    ],
}  # fmt: skip


def test_a_book_keeps_its_open_pairs():
    """All pairs are to be judged, by position; fields that are JSON in a text are read."""
    reading = read(OPEN_BOOK)
    assert reading.pool == [("a", "y"), ("a", "x")]
    assert reading.queries == [Query("a", "a", "n")]
    assert {document.id: document.title for document in reading.documents} == {"x": "", "y": "T"}
    assert any("scale" in note for note in reading.notes)


def test_positions_of_a_book_are_a_run_when_told():
    """The question about positions is answered 'order' unless somebody says 'run'."""
    assert read(OPEN_BOOK).runs == []
    (run,) = read_text(json.dumps(OPEN_BOOK), answers={"positions": "run"}).runs
    assert [run.document_ids[place] for place in run.documents] == ["y", "x"]


def test_a_quepid_book():
    """Judges are assessors; unrateable and later are states; explanations are notes."""
    reading = read_file(DATA / "quepid-book.json")
    assert reading.documents == [Document("r1", "Gazpacho")]
    assert rows_of(reading) == [
        JudgmentRow("cold soup", "r1", "anna@recipes.example", 3.0, "", "just it"),
        JudgmentRow("cold soup", "r1", "ben@recipes.example", None, "cannot_judge", "no text"),
        JudgmentRow("cold soup", "r1", "eva@recipes.example", None, "skipped"),
    ]


def test_a_pair_of_a_book_that_lacks_something_is_refused_alone():
    """Also in the run of its positions; fields that are no JSON are counted."""
    pairs = [
        {"query_text": query, "doc_id": document, "position": place, "document_fields": fields}
        for place, (query, document, fields) in enumerate(
            (
                ("soup", "d1", '{"title": "Soup"}'),
                ("soup", "d2", '{"title'),
                ("", "d3", ""),
                ("soup", "", ""),
            )
        )
    ]
    text = json.dumps({"name": "book", "query_doc_pairs": pairs})
    reading = read_text(text, answers={"positions": "run"})
    assert reading.pool == [("soup", "d1"), ("soup", "d2")]
    assert [document.title for document in reading.documents] == ["Soup", ""]
    assert rankings_of(reading.runs[0]) == {"soup": [("d1", None), ("d2", None)]}
    assert {refusal.reason for refusal in reading.refusals} == {
        "a pair of the book lacks its query or its document"
    }
    assert "The fields of 1 document could not be read as JSON." in reading.notes


def test_a_ranking_of_a_snapshot_without_its_query_is_refused():
    """The others are read."""
    value = {
        "name": "bm25",
        "queries": [{"query_id": 1, "query": "soup"}],
        "docs": {"1": [{"id": "d1"}], "2": [{"id": "d2"}]},
    }
    reading = read_text(json.dumps(value), kind=Kind.RUN)
    assert rankings_of(reading.runs[0]) == {"soup": [("d1", None)]}
    assert [refusal.reason for refusal in reading.refusals] == [
        "the ranking of query number 2 has no query in the file"
    ]


def test_a_grade_without_an_id_is_refused():
    """Of a query or of a document."""
    reading = read_text('{"q": {"d": 1, "": 2}, "": {"d": 1}}', kind=Kind.JUDGMENTS)
    assert [(row.query_id, row.document_id) for row in rows_of(reading)] == [("q", "d")]
    assert [refusal.reason for refusal in reading.refusals] == [
        "a grade stands without the id of its query or document"
    ] * 2


def test_contradicting_ratings_are_refused():
    """One document with two grades for a query is refused, naming both."""
    reading = read({"queries": [{"query": "a", "ratings": {"d": 1}}] * 1 + [
        {"query": "a", "ratings": {"d": 2}}
    ]})  # fmt: skip
    assert [r.reason for r in reading.refusals] == [
        "document ‘d’ of query ‘a’ was judged differently before; what came first counts"
    ]


ids = awkward_ids.filter(lambda text: "\0" not in text)


@given(
    st.dictionaries(
        ids, st.dictionaries(ids, st.integers(0, 4), min_size=1, max_size=4), min_size=1, max_size=4
    )
)
def test_json_qrels_keep_ids_and_grades(grades):
    """Whatever ids are like, a JSON object of grades comes back as it is."""
    reading = read(grades, kind=Kind.JUDGMENTS)
    found: dict[str, dict[str, float]] = {}
    for row in rows_of(reading):
        found.setdefault(row.query_id, {})[row.document_id] = row.grade
    assert found == grades
    assert not reading.n_refused


@pytest.mark.parametrize(
    ("beyond", "why"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested deeper than is read"),
        ("NaN", "NaN stands where a value does"),
        ("-Infinity", "-Infinity stands where a value does"),
        ("1" * 5000, "more digits than are read"),
    ],
    ids=["deep", "NaN", "-Infinity", "long"],
)
def test_what_is_beyond_json_is_refused_with_its_line(beyond, why):
    """Too deep a nesting, too long a number, what is no number: texts that look so are none."""
    text = '{"q [[[ NaN": {"d": 1.5},\n "r": {"d": 2.5},\n "s": {"d": ' + beyond + "}}"
    with pytest.raises(ParseError, match=why) as found:
        read_text(text, kind=Kind.RUN)
    assert found.value.line == 3


ERRORS = {
    "elasticsearch": (
        {"error": {"root_cause": [], "type": "x", "reason": "no such index [a]"}, "status": 404},
        "no such index",
    ),
    "solr": (
        {"responseHeader": {"status": 400}, "error": {"msg": "undefined field foo", "code": 400}},
        "undefined field foo",
    ),
    "vespa": (
        {"root": {"fields": {"totalCount": 0}, "errors": [{"code": 4, "message": "bad YQL"}]}},
        "bad YQL",
    ),
    "meilisearch": (
        {"message": "Index `a` not found.", "code": "index_not_found", "type": "x", "link": "y"},
        "not found",
    ),
    "openai": ({"error": {"message": "Incorrect key", "type": "x"}}, "Incorrect key"),
    "a model's answer": (
        {"id": "1", "object": "chat.completion", "choices": [{"message": {"content": "2"}}]},
        "raw answer of a language model",
    ),
}


@pytest.mark.parametrize("kind", [Kind.RUN, Kind.QUERIES, None])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(("answer", "why"), ERRORS.values(), ids=ERRORS)
def test_what_a_service_answers_in_place_of_results_is_named(answer, why, indent, kind):
    """An error that was saved in place of a response is called that, and says what it says."""
    with pytest.raises(ParseError, match=why):
        read_text(json.dumps(answer, indent=indent), kind=kind)


def test_galago_numbers_its_queries():
    """A list under 'queries' holds them; 'number' is the id there."""
    value = {
        "index": "x",
        "queries": [{"number": "301", "text": "crime"}, {"number": 302, "text": "b"}],
    }
    assert read(value, kind=Kind.QUERIES).queries == [Query("301", "crime"), Query("302", "b")]


def test_a_document_of_a_snapshot_without_an_id_is_refused():
    """It is counted among what was refused, and nothing is kept of it."""
    text = (
        '{"docs": {"1": [{"id": "d1"}, {"fields": {"title": "No id"}}]},'
        ' "queries": [{"query_id": 1, "query_text": "soup"}]}'
    )
    reading = read_text(text)
    assert [document.id for document in reading.documents] == ["d1"]
    assert len(reading.refusals) == 1


FAILED = {"error": {"type": "x", "reason": "no such index"}, "status": 404}


def hits(*ids: str) -> dict:
    return {"hits": {"hits": [{"_id": each, "_score": 9 - rank} for rank, each in enumerate(ids)]}}


def test_of_several_responses_one_may_have_failed():
    """The others are read, and keep their numbers."""
    reading = read({"responses": [hits("a"), FAILED, hits("b", "a")]})
    assert rankings_of(reading.runs[0]) == {"1": [("a", 9.0)], "3": [("b", 9.0), ("a", 8.0)]}
    assert [refusal.reason for refusal in reading.refusals] == [
        "response 2 is an error of the service: ‘no such index’"
    ]


def test_a_failed_response_is_named_by_its_query():
    """Where ids stand beside the responses."""
    reading = read({"q1": FAILED, "q2": hits("a")})
    assert rankings_of(reading.runs[0]) == {"q2": [("a", 9.0)]}
    assert [refusal.reason for refusal in reading.refusals] == [
        "the response to query ‘q1’ is an error of the service: ‘no such index’"
    ]


def test_the_first_of_responses_on_lines_may_have_failed():
    """It tells nothing of what the file is."""
    text = "".join(f"{json.dumps(each)}\n" for each in (FAILED, hits("a"), hits("b")))
    assert rankings_of(read_text(text).runs[0]) == {"2": [("a", 9.0)], "3": [("b", 9.0)]}


def test_responses_of_which_all_failed_are_no_results():
    """As one that failed is."""
    with pytest.raises(ParseError, match="the error that a service answered: ‘no such index’"):
        read({"responses": [FAILED, FAILED]})


def test_numbers_by_documents_may_be_texts():
    """As tables have them, and other JSON."""
    reading = read({"q1": {"d1": "2.5", "d2": "11"}})
    assert rankings_of(reading.runs[0]) == {"q1": [("d2", 11.0), ("d1", 2.5)]}
    judged = read({"q1": {"d1": "2", "d2": "0"}, "q2": {"d1": "2"}})
    assert [(row.document_id, row.grade) for row in rows_of(judged)] == [
        *(("d1", 2.0), ("d2", 0.0), ("d1", 2.0)),
    ]


def test_titles_that_are_numbers_are_no_scores():
    """A known name tells that the texts are the queries’."""
    reading = read({"q1": {"title": "1984"}, "q2": {"title": "2001"}}, kind=Kind.QUERIES)
    assert reading.queries == [Query("q1", "1984"), Query("q2", "2001")]


def test_ratings_without_a_grade_are_counted():
    """In a request of a ranking evaluation, and in a case of Quepid."""
    requests = [{"id": "q", "ratings": [{"_id": "a", "rating": 3}, {"_id": "b"}]}]
    case = [{"query": "q", "ratings": {"a": 3, "b": None}}]
    for value in ({"requests": requests}, {"queries": case}):
        reading = read(value)
        assert [row.grade for row in rows_of(reading)] == [3.0, None]
        assert "1 row has no grade." in reading.notes
