"""Ranked results with their texts in one table."""

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.formats import ColumnsNeededError, Kind, Reading, read_file, read_text
from tests.formats.test_trec_run import rankings_of
from tests.helpers.formats import DATA


def read_results(text: str) -> Reading:
    return read_text(text, source="results.csv", kind=Kind.RESULTS)


def test_a_table_gives_queries_documents_and_a_run_for_each_system():
    """The query text is the id, runs are named by their column, ranks order them."""
    reading = read_file(DATA / "results.csv")
    assert reading.queries == [Query("cold soup", "cold soup")]
    assert reading.documents == [
        Document("r2", "Ajoblanco", body="White and cold."),
        Document("r1", "Gazpacho", "https://recipes.example/gazpacho", "Red and cold."),
    ]
    assert {run.name: rankings_of(run) for run in reading.runs} == {
        "a": {"cold soup": [("r1", 4.0), ("r2", 3.5)]},
        "b": {"cold soup": [("r2", 0.9)]},
    }


def test_json_lines_give_the_same():
    """A run named by its file; scores with gaps beside ranks are no scores, and a note says so."""
    reading = read_file(DATA / "results.jsonl")
    assert reading.queries == [Query("q1", "cold soup")]
    (run,) = reading.runs
    assert run.name == "results"
    assert rankings_of(run) == {"q1": [("r1", None), ("r2", None)]}
    assert reading.notes == ["1 row without a score: no score of the run counts."]


def test_ranks_count_before_scores():
    """A table's own ranks order it; where scores go against them a note says so."""
    reading = read_results("query,rank,doc_id,score\nq,1,a,1\nq,2,b,2\n")
    assert rankings_of(reading.runs[0]) == {"q": [("a", 1.0), ("b", 2.0)]}
    assert reading.notes == ["In 1 query ranks and scores disagree; the ranks count."]


def test_a_rank_that_stands_twice_is_said():
    """Between the results that share one the file decides; ranks of other queries are others."""
    reading = read_results("query,rank,doc_id\nq,1,a\nq,2,c\nq,2,b\nr,1,a\nr,2,b\n")
    assert [each for each, _ in rankings_of(reading.runs[0])["q"]] == ["a", "c", "b"]
    said = "In 1 query several results have the same rank (rank 2 of query ‘q’): these stand in the order of the file."
    assert reading.notes == [said]


def test_scores_count_where_there_are_no_ranks():
    """Without ranks the order is that of the scores."""
    reading = read_results("query,doc_id,score\nq,a,1\nq,b,2\n")
    assert [document for document, _ in rankings_of(reading.runs[0])["q"]] == ["b", "a"]


def test_the_file_counts_where_there_is_neither():
    """Without ranks and scores, results stand as the file has them."""
    reading = read_results("query,doc_id\nq,b\nr,x\nq,a\n")
    assert [document for document, _ in rankings_of(reading.runs[0])["q"]] == ["b", "a"]


@pytest.mark.parametrize("what", ["rank", "score"])
def test_a_row_without_what_orders_the_others_is_refused(what):
    """One blank cell had discarded the ranks of all: the order of the file counted in their place."""
    reading = read_results(f"query,doc_id,{what}\nq,a,3\nq,b,1\nq,c,\nq,d,2\n")
    assert [(each.line, each.reason) for each in reading.refusals] == [
        (4, f"the row has no {what}, and other rows of the run have one")
    ]
    order = {"rank": ["b", "d", "a"], "score": ["a", "d", "b"]}[what]
    assert [document for document, _ in rankings_of(reading.runs[0])["q"]] == order


def test_each_run_of_a_table_has_ranks_or_none():
    """What one system lacks throughout is missing in none of its rows."""
    reading = read_results("query,run,rank,doc_id\nq,x,2,a\nq,x,1,b\nq,y,,c\nq,y,,a\n")
    assert reading.n_refused == 0
    ids = {run.name: [each for each, _ in rankings_of(run)["q"]] for run in reading.runs}
    assert ids == {"x": ["b", "a"], "y": ["c", "a"]}


def test_results_may_have_clicks_or_none():
    """A row without any is a result like the others; one that has half of them is refused."""
    rows = "soup,a,1,2,10\nsoup,b,2,,\nsoup,c,3,,9\n"
    reading = read_text(f"query,doc_id,rank,clicks,impressions\n{rows}", kind=Kind.RESULTS)
    assert [(each.document_id, each.clicks) for each in reading.clicks] == [("a", 2)]
    assert rankings_of(reading.runs[0]) == {"soup": [("a", None), ("b", None), ("c", None)]}
    assert [refusal.line for refusal in reading.refusals] == [4]


def test_a_document_twice_in_a_ranking_is_refused():
    """The second result of a document for a query is refused naming both lines."""
    reading = read_results("query,rank,doc_id\nq,1,a\nq,2,a\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (3, "document ‘a’ stands in query ‘q’ on line 2 already; that line counts")
    ]


def test_another_text_for_a_document_is_mentioned():
    """Snippets differ from query to query: the first one counts."""
    reading = read_results("query,rank,doc_id,snippet\nq,1,a,x\nr,1,a,y\n")
    assert reading.documents == [Document("a", body="x")]
    assert len(reading.notes) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",1,a", "the row names no query"),
        ("q,1,", "the row names no document"),
        ("q,first,a", "the rank ‘first’ is not a number"),
    ],
)
def test_incomplete_rows_are_refused(row, reason):
    """A row needs a query, a document, and a number as its rank."""
    reading = read_results(f"query,rank,doc_id\nq,1,z\n{row}\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [(3, reason)]


@pytest.mark.parametrize("score", ["inf", "-Infinity", "1e999"])
def test_a_score_without_end_is_refused(score):
    """A score is a finite number: a row with another is left out."""
    reading = read_results(f"query,rank,doc_id,score\nq,1,a,{score}\nq,2,b,1\n")
    reason = f"the score ‘{score}’ is infinite: a score must be a finite number"
    assert [(each.line, each.reason) for each in reading.refusals] == [(2, reason)]
    assert rankings_of(reading.runs[0]) == {"q": [("b", 1.0)]}


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"query_id": "q", "rank": 1, "doc_id": "a", "score": 1e999}\n'
            '{"query_id": "q", "rank": 2, "doc_id": "b", "score": 1}\n'
        ),
        '{"q": {"a": 1e999, "b": 1.5}}',
        '{"hits": {"hits": [{"_id": "a", "_score": -1e999}, {"_id": "b", "_score": 1}]}}',
    ],
    ids=["lines", "ranx", "engine"],
)
def test_a_score_without_end_is_refused_in_json(text):
    """JSON's numbers may be larger than any that a computer counts with: those are left out."""
    reading = read_text(text, source="a.json", answers={"numbers": "score", "query": "q"})
    assert [len(run.documents) for run in reading.runs] == [1]
    (refusal,) = reading.refusals
    assert "infinite" in refusal.reason
    assert "a score must be a finite number" in refusal.reason


def test_another_text_for_a_query_refuses_the_row():
    """A query id has one text: a row that gives another is left out whole."""
    reading = read_results("query_id,query,rank,doc_id\n1,soup,1,a\n1,soups,2,b\n")
    assert [refusal.line for refusal in reading.refusals] == [3]
    assert rankings_of(reading.runs[0]) == {"1": [("a", None)]}


COMMAS = "query;doc_id;score\nq;a;1,5\nq;b;11,213816\n"


def test_an_information_need_belongs_to_the_query():
    """It was a field of every document, in which the query's words were marked."""
    reading = read_results(
        "query,information_need,doc_id,rank\n"
        "soup,Something cold.,r1,1\n"
        "soup,,r2,2\n"
        "bread,No yeast.,r1,1\n"
        "bread,Warm.,r2,2\n"
    )
    needs = {each.id: each.description for each in reading.queries}
    assert needs == {"soup": "Something cold.", "bread": "No yeast."}
    assert not any(each.fields for each in reading.documents)
    assert "1 query comes with several information needs; the first one counts." in reading.notes


def test_scores_with_decimal_commas_are_read_and_that_is_said():
    """A spreadsheet in German writes such; no number of thousands is written so."""
    reading = read_results(COMMAS)
    assert rankings_of(reading.runs[0]) == {"q": [("b", 11.213816), ("a", 1.5)]}
    assert [(each.name, each.answer) for each in reading.open_questions] == [
        ("score_comma", "decimal")
    ]


def test_commas_that_may_stand_between_thousands_are_asked_about():
    """1,234 is one score or a thousand times it: nobody guesses, and no run is made before."""
    text = "query;doc_id;score\nq;a;1,234\nq;b;7,500\n"
    reading = read_results(text)
    assert reading.needs_answers
    assert not reading.runs
    answers = {"score_comma": "thousands"}
    told = read_text(text, source="results.csv", kind=Kind.RESULTS, answers=answers)
    assert rankings_of(told.runs[0]) == {"q": [("b", 7500.0), ("a", 1234.0)]}


def test_a_decimal_comma_is_no_comma_between_thousands():
    """Who says thousands of 11,2 has the line left out."""
    answers = {"score_comma": "thousands"}
    text = "query;doc_id;score\nq;a;1,234\nq;b;11,2\n"
    reading = read_text(text, source="results.csv", kind=Kind.RESULTS, answers=answers)
    assert [refusal.reason for refusal in reading.refusals] == ["the score ‘11,2’ is not a number"]


def test_columns_that_fit_no_row_can_be_named_again():
    """A wrong role takes nothing away: the columns come with the problem, as they were named."""
    roles = {"eins": "query_id", "zwei": "document_id", "drei": "score"}
    with pytest.raises(ColumnsNeededError, match="the score ‘high’ is not a number") as caught:
        read_text("eins,zwei,drei\nq,a,high\n", kind=Kind.RESULTS, column_roles=roles)
    assert [use.role for use in caught.value.columns] == list(roles.values())
    assert caught.value.sample_rows == (("q", "a", "high"),)


def test_exponents_after_a_decimal_comma_are_read():
    """1,2E+03 is 1200."""
    reading = read_results("query;doc_id;score\nq;a;9,8E+02\nq;b;1,2E+03\n")
    assert rankings_of(reading.runs[0]) == {"q": [("b", 1200.0), ("a", 980.0)]}


@pytest.mark.parametrize("score", ["1 299", "1\u00a0299,5", "1\u202f299.5", "1 000 299"])
def test_blanks_stand_between_thousands_of_scores(score):
    """Of any sort; what is above a thousand is not left out."""
    reading = read_results(f"query;doc_id;score\nq;a;{score}\nq;b;7\n")
    assert (reading.n_refused, rankings_of(reading.runs[0])["q"][0][0]) == (0, "a")


def test_a_rank_with_a_decimal_comma_is_one():
    """As a spreadsheet in German writes it."""
    reading = read_results("query;doc_id;rank\nq;a;2,0\nq;b;1,0\n")
    assert [document for document, _ in rankings_of(reading.runs[0])["q"]] == ["b", "a"]


def test_semicolons_part_what_has_decimal_commas():
    """The comma of 3,5 parted two columns, one of them an id with semicolons in it."""
    with pytest.raises(ColumnsNeededError) as caught:
        read_results("q1;Q0;r1;1;3,5;t\nq1;Q0;r2;2;1,5;t\n")
    assert [use.header for use in caught.value.columns] == ["q1", "Q0", "r1", "1", "3,5", "t"]
