"""Queries as lines, tables and JSON lines."""

import pytest

from judgetool.core.judgments import Query
from judgetool.formats import Kind, Reading, read_file, read_text
from tests.helpers.formats import DATA


def read_queries(text: str) -> Reading:
    return read_text(text, source="queries", kind=Kind.QUERIES)


def test_lines_of_id_and_text_are_read():
    """``id<TAB>text`` keeps ids and texts as they stand."""
    assert read_file(DATA / "queries.tsv").queries == [
        Query("q1", "cold soup"),
        Query("q2", "“warm” bread, 5 kg"),
        Query("007", "NA"),
    ]


def test_json_lines_are_read():
    """Known names have their places, others become fields, nested ones as compact JSON."""
    assert read_file(DATA / "queries.jsonl").queries == [
        Query(
            "q1",
            "cold soup",
            "A soup that is eaten cold.",
            "Not ice cream.",
            2.0,
            "soups",
            {"locale": '{"lang":"en"}'},
        ),
        Query("2", "bread"),
    ]


def test_tables_are_read():
    """A header line names the columns."""
    assert read_file(DATA / "queries.csv").queries == [
        Query("q1", "cold soup", "A soup that is eaten cold."),
        Query("q2", "bread, warm"),
    ]


@pytest.mark.parametrize(("line", "tabs"), [("q2 bread", 0), ("q2\tbread\tx", 2)])
def test_a_line_has_one_tab(line, tabs):
    """Lines with no tab or several are refused."""
    reading = read_queries(f"q1\tsoup\n{line}\n")
    assert reading.refusals[0].line == 2
    assert reading.refusals[0].reason == f"expected an id, one tab and the text; found {tabs} tabs"


def test_blanks_around_id_and_text_stay():
    """Nothing but the tab and the line's end is taken off."""
    assert read_queries(" q1 \t soup \r\n").queries == [Query(" q1 ", " soup ")]


def test_an_id_twice_is_refused_unless_all_is_equal():
    """The same query twice counts once; another text for its id is refused."""
    reading = read_queries("q1\tsoup\nq1\tsoup\nq1\tbread\n")
    assert reading.queries == [Query("q1", "soup")]
    assert [r.reason for r in reading.refusals] == [
        "query ‘q1’ stands on line 1 already, with another text; that line counts"
    ]


def test_a_query_without_id_is_refused():
    """An empty id is no id."""
    assert read_queries("\tsoup\nq1\tsoup\n").refusals[0].reason == "the query has no id"


@pytest.mark.parametrize("weight", ['"much"', "0", "-1", '"inf"', '"nan"', '"1_0"', '"٣"'])
def test_weights_are_above_zero(weight):
    """A weight that is no number above 0 is left out, and said; the query stays."""
    text = f'{{"id": 1, "text": "a"}}\n{{"id": 2, "text": "b", "weight": {weight}}}\n'
    reading = read_queries(text)
    assert [(query.id, query.weight) for query in reading.queries] == [("1", 1.0), ("2", 1.0)]
    shown = weight.strip('"')
    (note,) = reading.notes
    assert note == (
        "1 cell of the column weight left out: expected a number above 0, "
        f"found ‘{shown}’ on line 2."
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 2, "text": ',
        "[1]",
        '"text"',
        '{"id": 2, "text": NaN}',
        '{"id": 2, "a": ' + "[" * 100_000,
        '{"id": ' + "9" * 5000 + "}",
        '{"id": 2, "text": "\\ud800"}',
        '{"id": 2, "text": "a\\u0000b"}',
    ],
    ids=["cut", "list", "text", "nan", "deep", "long number", "half character", "nul"],
)
def test_what_is_no_json_object_is_refused(line):
    """Each broken JSON line is refused with a sentence, and the others are read."""
    reading = read_queries('{"id": 1, "text": "a"}\n' + line + '\n{"id": 3, "text": "c"}\n')
    assert [query.id for query in reading.queries] == ["1", "3"]
    assert [refusal.line for refusal in reading.refusals] == [2]


def test_numbers_as_ids_stay_exact():
    """An 18-digit number is an id to the last digit."""
    assert read_queries('{"id": 123456789012345678, "text": "a"}\n').queries[0].id == (
        "123456789012345678"
    )


def test_comment_lines_are_skipped_where_they_are_no_rows():
    """A # line with a tab is a query; without, a comment."""
    reading = read_queries("# ours\n#1\thash\n")
    assert reading.queries == [Query("#1", "hash")]
    assert not reading.n_refused


def test_smart_queries_are_no_texts_alone():
    """An entry of a SMART file is one query, its lines joined."""
    reading = read_file(DATA / "queries.smart", kind=Kind.QUERIES)
    assert [(query.id, query.text) for query in reading.queries] == [
        ("1", "which soups are eaten cold?"),
        ("2", "bread without yeast"),
    ]


def test_a_query_without_an_id_among_others_is_told_from_a_file_without_ids():
    """Of the others, nothing untrue is said."""
    reading = read_queries(
        '{"id":"a1","text":"soup"}\n{"text":"bread"}\n{"id":"a2","text":"tea"}\n'
    )
    assert reading.notes == ["1 query has no id: its text is its id."]


def test_a_topic_is_a_text_where_there_is_no_other():
    """And an id beside one."""
    assert read_queries("topic,category\nsoup,x\n").queries == [Query("soup", "soup", category="x")]
    assert read_queries("topic,text\n1,soup\n").queries == [Query("1", "soup")]


def test_a_query_that_comes_again_without_a_text_has_no_other_text():
    """The first one counts."""
    reading = read_queries('{"id":"a1","text":"soup"}\n{"id":"a1","description":"warm"}\n')
    (refusal,) = reading.refusals
    assert refusal.reason == "query ‘a1’ stands on line 1 already; that line counts"


_VOLUMES = "query;volume\ncold soup;1.200\nbread;980\ncake;12.500\n"


def test_weights_that_may_be_thousands_are_asked_about():
    """1.200 searches are not 1.2: no weight counts before somebody says it."""
    reading = read_queries(_VOLUMES)
    assert reading.needs_answers
    assert {query.weight for query in reading.queries} == {1.0}


@pytest.mark.parametrize(
    ("sign", "weights"), [("comma", [1200, 980, 12500]), ("point", [1.2, 980, 12.5])]
)
def test_weights_are_read_as_somebody_says(sign, weights):
    """With the point between thousands, or before decimals."""
    reading = read_text(_VOLUMES, kind=Kind.QUERIES, answers={"decimal_sign": sign})
    assert [query.weight for query in reading.queries] == weights


@pytest.mark.parametrize("other", ["0.5", "2.25", "0.125"])
def test_a_weight_with_plain_decimals_tells_the_others(other):
    """Then nobody is asked."""
    reading = read_queries(f"query;weight\na;1.125\nb;{other}\n")
    assert not reading.needs_answers
    assert [query.weight for query in reading.queries] == [1.125, float(other)]


def test_numbers_of_json_have_points_before_decimals():
    """There is nothing to ask."""
    reading = read_queries('{"query": "a", "weight": 1.125}\n{"query": "b", "weight": 2}\n')
    assert not reading.open_questions
    assert [query.weight for query in reading.queries] == [1.125, 2.0]


def test_weights_with_a_decimal_comma_are_read():
    """They had been left out."""
    reading = read_queries("query;weight\na;1,5\nb;2\n")
    assert [query.weight for query in reading.queries] == [1.5, 2.0]
