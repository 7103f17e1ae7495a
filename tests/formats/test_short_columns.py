"""Three columns, prels, candidates with texts, LETOR, column two of qrels: asked where open."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.errors import ParseError
from judgetool.formats import JudgmentRow, Kind, Reading, raise_first_refusal, read_file, read_text
from judgetool.formats.values import ColumnsNeededError
from tests.formats.test_judgments_table import rows_of
from tests.formats.test_trec_run import rankings_of
from tests.helpers.formats import DATA

TWO_JUDGES = "q anna d1 2\nq ben d1 0\nq anna d2 1\n"


def open_names(reading: Reading) -> list[str]:
    return [question.name for question in reading.open_questions if question.is_open]


def test_ranks_are_told_by_counting_up():
    """MS MARCO's runs have ranks in the third column."""
    reading = read_file(DATA / "run.msmarco.tsv")
    assert rankings_of(reading.runs[0])["1"] == [("d1", None), ("d2", None), ("d3", None)]
    assert reading.notes == ["The third column is taken for the rank."]


def test_scores_are_told_by_falling_fractions():
    """Numbers with decimals that fall are scores."""
    reading = read_text("1\td1\t3.5\n1\td2\t2.25\n1\td3\t0.5\n")
    assert rankings_of(reading.runs[0])["1"][0] == ("d1", 3.5)


def test_grades_are_told_by_repeats():
    """Ranks do not repeat: few numbers that do are grades."""
    assert len(rows_of(read_file(DATA / "qrels-3.tsv"))) == 4


@pytest.mark.parametrize("text", ["1\td1\t1\n2\td5\t1\n", "1\td1\t3\n1\td2\t1\n"])
def test_three_columns_that_may_be_anything_are_asked(text):
    """One document a query with a 1 may be a rank or a grade: nothing is used unasked."""
    reading = read_text(text)
    assert open_names(reading) == ["third_column"]
    assert reading.is_empty
    with pytest.raises(ParseError, match="not for judgetool to guess"):
        raise_first_refusal(reading)
    assert len(rows_of(read_text(text, answers={"third_column": "grade"}))) == 2
    assert read_text(text, answers={"third_column": "score"}).kind is Kind.RUN


@pytest.mark.parametrize("numbers", [(1, 2, 5), (10, 20, 30), (1, 2, 2), (0.5, 0.75, 1.5)])
def test_numbers_of_a_run_that_rise_are_asked(numbers):
    """Ranks with holes, or distances: taken for scores they would turn the order round."""
    text = "".join(f"1\td{place}\t{number}\n" for place, number in enumerate(numbers))
    reading = read_text(text, kind=Kind.RUN)
    assert open_names(reading) == ["third_column"]
    assert reading.is_empty
    ranked = read_text(text, kind=Kind.RUN, answers={"third_column": "rank"})
    assert rankings_of(ranked.runs[0])["1"][0][0] == "d0"


def test_four_columns_with_rank_and_score_are_no_qrels():
    """ColBERT's rankings: as they are ranked, with their scores; no document is taken for an assessor."""
    reading = read_file(DATA / "run.colbert.tsv")
    assert (reading.kind, reading.judgments) == (Kind.RUN, None)
    assert rankings_of(reading.runs[0])["2"] == [("d1", 27.3), ("d9", -1.5)]
    tied = read_text("1\td1\t1\t2.5\n1\td9\t2\t2.5\n")
    assert rankings_of(tied.runs[0]) == {"1": [("d1", 2.5), ("d9", 2.5)]}


def test_grades_with_decimals_of_numbered_documents_stay_judgments():
    """Numbers of documents do not count up from 1 in each query, as ranks do."""
    text = "q anna 17 2.5\nq anna 4 0.5\nq ben 17 1.5\n"
    reading = read_text(text, answers={"column_two": "assessor"})
    assert [(row.document_id, row.assessor, row.grade) for row in rows_of(reading)] == [
        ("17", "anna", 2.5),
        ("4", "anna", 0.5),
        ("17", "ben", 1.5),
    ]
    assert read_text(text, kind=Kind.RUN).kind is Kind.RUN
    ranked = "q anna 1 2.5\nq anna 2 0.5\n"
    assert read_text(ranked, kind=Kind.JUDGMENTS).kind is Kind.JUDGMENTS
    assert read_text(ranked, answers={"fourth_column": "grade"}).kind is Kind.JUDGMENTS


def test_the_kind_answers_too():
    """Judgments were asked for: the number is the grade."""
    assert len(rows_of(read_text("1\td1\t1\n2\td5\t1\n", kind=Kind.JUDGMENTS))) == 2


def test_a_short_run_that_is_cut_off():
    """A last line that ends too early is refused with its number."""
    reading = read_text("1\td1\t1\n1\td2\t2\n1\td3\t3\n1\td4")
    assert [(r.line, r.reason) for r in reading.refusals] == [(4, "expected 3 columns, found 2")]


def test_a_short_run_with_a_document_twice():
    """The second place of a document is refused naming both lines."""
    reading = read_text("1\td1\t1\n1\td2\t2\n1\td1\t3\n", kind=Kind.RUN)
    assert [refusal.line for refusal in reading.refusals] == [3]


def test_prels_are_not_taken_for_qrels_or_runs():
    """The third column is the grade; how probably a document was taken is apart, which is said."""
    reading = read_file(DATA / "millionquery.prels")
    assert [row.grade for row in rows_of(reading)] == [0.0, 2.0, 1.0]
    assert len(reading.notes) == 1
    assert [each[2:] for each in reading.samples[:4]] == [
        ("probability", 0.165904710473544),
        ("grade", 0.0),
        # Method 2 took it whatever chance said.
        ("probability", 1.0),
        ("grade", 2.0),
    ]


def test_qrels_with_strata_are_not_taken_for_a_run():
    """The fourth column is the stratum; -1 is of the pool, and not sampled. A run has Q0."""
    reading = read_file(DATA / "sampled.qrels")
    assert [row.grade for row in rows_of(reading)] == [1.0, -1.0, 0.0]
    assert reading.samples[:3] == [
        ("1301", "shot10_1", "stratum", 1.0),
        ("1301", "shot10_1", "grade", 1.0),
        ("1301", "shot10_2", "stratum", 2.0),
    ]
    assert read_text("1 Q0 d1 1 5\n1 Q0 d2 2 4\n").kind is Kind.RUN
    assert read_text("1 0 d1 1 5\n1 0 d2 2 4\n", kind=Kind.RUN).kind is Kind.RUN


def test_a_stratum_that_is_no_number_is_refused_with_its_line():
    reading = read_text("1 0 d1 1 1\n1 0 d2 0x10 1\n1 0 d3 2 0\n")
    assert [row.grade for row in rows_of(reading)] == [1.0, 0.0]
    assert [(each.line, each.reason) for each in reading.refusals] == [
        (2, "expected a whole number for the stratum, found ‘0x10’")
    ]


def test_candidates_bring_texts_in_no_order():
    """MS MARCO's top1000 has texts and no ranks."""
    reading = read_file(DATA / "top1000.tsv")
    assert reading.queries == [Query("1", "cold soup"), Query("2", "bread")]
    assert [document.id for document in reading.documents] == ["p1", "p2"]
    assert rankings_of(reading.runs[0])["1"] == [("p1", None), ("p2", None)]


def test_a_candidate_of_a_query_with_another_text_is_refused():
    """Its passage does not belong to the query that is known."""
    reading = read_text("1\tp1\tsoup\ta text\n2\tp2\ttea\ta text\n1\tp3\tbread\ta text\n")
    assert [document.id for document in reading.documents] == ["p1", "p2"]
    assert [refusal.line for refusal in reading.refusals] == [3]


def test_letor_takes_documents_from_comments():
    """RankLib's header gives queries, what follows the document is its title."""
    reading = read_file(DATA / "letor.txt")
    assert reading.queries == [Query("1", "cold soup"), Query("2", "bread")]
    assert reading.documents[0] == Document("r1", "Gazpacho")
    assert rows_of(reading)[2] == JudgmentRow("2", "r7", "", 1.0)


def test_features_that_letor_has_are_said_to_be_left_out():
    """They are no part of a judgment: whoever exports them again finds none."""
    assert read_file(DATA / "letor.txt").notes == ["The features of 1 line are left out."]


def test_quepids_letor_has_the_query_behind_the_document():
    """A text that is the same on all lines of a query is the query's."""
    reading = read_text("3 qid:1 # 1370 star trek\n0 qid:1 # 1371 star trek\n")
    assert (reading.queries, reading.documents) == ([Query("1", "star trek")], [])


def test_letor_without_documents_is_refused():
    """Features alone do not tell which document was judged."""
    with pytest.raises(ParseError, match="no line names its document"):
        read_text("2 qid:1 1:0.5\n0 qid:1 1:0.25\n")


def test_letor_lines_that_do_not_fit_are_refused():
    """Each line that is no list of features is refused with its number."""
    reading = read_text("2 qid:1 1:0.5 # a\n1 qid:1 x # b\nqid:1 # c\n1 qid:1 2:1\nno qid:1 # d\n")
    assert [refusal.line for refusal in reading.refusals] == [2, 3, 4, 5]


def test_column_two_is_asked_where_grades_differ():
    """Assessors or subtopics in column two are not guessed."""
    reading = read_text(TWO_JUDGES)
    assert open_names(reading) == ["column_two"]
    assert reading.is_empty


def test_column_two_may_name_assessors():
    """Each value is an assessor, and both judgments count."""
    assert rows_of(read_text(TWO_JUDGES, answers={"column_two": "assessor"})) == [
        JudgmentRow("q", "d1", "anna", 2.0),
        JudgmentRow("q", "d1", "ben", 0.0),
        JudgmentRow("q", "d2", "anna", 1.0),
    ]


def test_column_two_may_hold_subtopics():
    """Of a document's subtopics the highest grade counts, or each is a query of its own."""
    highest = read_text(TWO_JUDGES, answers={"column_two": "subtopic"})
    assert [(row.document_id, row.grade) for row in rows_of(highest)] == [("d1", 2.0), ("d2", 1.0)]
    own = read_text(TWO_JUDGES, answers={"column_two": "subtopic-queries"})
    assert [row.query_id for row in rows_of(own)] == ["q-anna", "q-ben", "q-anna"]


def test_column_two_without_harm_is_left_out():
    """Where no grades contradict each other, several values are left out, and it is said."""
    reading = read_text("q 0 d1 2\nq Q0 d2 1\n")
    assert open_names(reading) == []
    assert len(rows_of(reading)) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("sample", ["run.msmarco.tsv", "letor.txt", "topics.sgml", "qrels-3.tsv"])
def test_line_ends_and_marks_make_no_difference(tmp_path, sample, end):
    """CR, CR LF, a byte order mark and gzip change nothing."""
    path = tmp_path / sample
    text = (DATA / sample).read_text(encoding="utf-8").replace("\n", end)
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    expected, found = read_file(DATA / sample), read_file(path)
    assert found.queries == expected.queries
    assert found.judgments == expected.judgments
    assert [run.document_ids for run in found.runs] == [run.document_ids for run in expected.runs]
    assert found.encoding == "utf-8-sig+gzip"


words = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)


@given(st.lists(st.tuples(words, words), min_size=3, max_size=20, unique=True))
def test_short_runs_keep_their_order(pairs):
    """A run of three columns comes back with its ids in its order."""
    by_query: dict[str, list[str]] = {}
    for query, document in pairs:
        by_query.setdefault(query, []).append(document)
    text = "".join(
        f"{query}\t{document}\t{rank}\n"
        for query, documents in by_query.items()
        for rank, document in enumerate(documents, 1)
    )
    reading = read_text(text, kind=Kind.RUN, answers={"third_column": "rank"})
    found = {
        query: [name for name, _ in its] for query, its in rankings_of(reading.runs[0]).items()
    }
    assert found == by_query


@pytest.mark.parametrize(
    "text",
    [
        "q\td 2\t2\nr\td 3\t1\n",
        "q\t0\tdoc 2\t2\nr\t0\tdoc 3\t1\n",
        "my query\t0\td 1\t1\nq\t0\tdoc 2\t2\n",
    ],
)
def test_blanks_between_tabs_belong_to_ids(text):
    """Columns that tabs part are no strata because ids hold blanks: what they are is asked."""
    with pytest.raises(ColumnsNeededError) as caught:
        read_text(text, kind=Kind.JUDGMENTS)
    assert len(caught.value.columns) == text.split("\n")[0].count("\t") + 1


def test_tabs_and_blanks_may_part_one_line():
    """trec_eval parts columns at either, so lines with both are qrels as well."""
    rows = rows_of(read_text("q1 0\td1\t2\nq1 0\td2\t1\n", kind=Kind.JUDGMENTS))
    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        ("q1", "d1", 2.0),
        ("q1", "d2", 1.0),
    ]
