"""Joins of files whose ids are others: by text, by address, by a habit, by pairs."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.formats import Kind, Reading, read_text
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import ImportChoices
from tests.helpers.laws import examples
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments, seen

YES = ImportChoices(answers={"join": "yes", "join-documents": "yes"})
NO = ImportChoices(answers={"join": "no", "join-documents": "no"})


def asked(plan):
    """The questions of a plan that are open, by name."""
    return [each.name for report in plan.files for each in report.questions if each.is_open]


FILES = {
    "opensearch": '{"judgmentRatings": [{"query": " Soup ", "ratings": '
    '[{"docId": "d1", "rating": "2"}]}]}',
    "rre": '{"queries": [{"placeholders": {"$query": "SOUP"}, "relevant_documents": '
    '{"d1": {"gain": 2}}}]}',
    "letor": "2 qid:7 # d1 soup\n",
    "quepid-csv": "query,docid,rating\nsoup,d1,2.0\n",
    "quepid-json": '{"queries": [{"query": "soup", "ratings": {"d1": 2}}]}',
    "jsonl": '{"query": "Soup", "doc_id": "d1", "grade": 2}\n',
}


@pytest.mark.parametrize("name", list(FILES))
def test_judgments_known_by_text_join_the_queries_of_the_project(session, name):
    """The join is proposed and, once said, the judgments are of the project's query."""
    reading = read_text(FILES[name], source="other.txt")
    plan = plan_import(session, [reading])
    assert asked(plan) == ["join"]
    assert plan.is_empty
    import_readings(session, [reading], choices=YES)
    assert seen(session)[0] == ["1", "2", "3"]
    assert [(q, o.judgment.grade) for q, _, o, _ in session.iter_judgments()] == [(0, 2.0)]
    assert session.material.queries[0].text == "soup"


def test_no_join_adds_queries_of_their_own(session):
    """'no' takes the file by its own ids."""
    import_readings(session, [read_text(FILES["quepid-json"])], choices=NO)
    assert seen(session)[0] == ["1", "2", "3", "soup"]


@pytest.mark.parametrize("is_turned", [False, True])
def test_files_of_one_import_are_joined_too(session, is_turned):
    """Queries with ids and judgments by text in one command are proposed as one."""
    queries = read_text("9\tpumpkin pie\n", source="q.tsv")
    case = read_text('{"queries": [{"query": "Pumpkin pie", "ratings": {"d1": 2}}]}')
    files = [case, queries] if is_turned else [queries, case]
    assert asked(plan_import(session, files)) == ["join"]
    import_readings(session, files, choices=YES)
    assert seen(session)[0] == ["1", "2", "3", "9"]


def test_a_text_that_two_queries_share_is_not_joined(session):
    """What could be either of two is neither."""
    twins = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("4", "Soup")])
    import_readings(session, [twins], choices=NO)
    assert asked(plan_import(session, [read_text(FILES["quepid-json"])])) == []


def test_numbers_that_mean_other_queries_here_are_asked_about(session):
    """LETOR's number 1 with the text of query 2 is not query 1."""
    reading = read_text("2 qid:1 # d4 bread\n", source="l.txt")
    assert asked(plan_import(session, [reading])) == ["join"]
    import_readings(session, [reading], choices=YES)
    assert [q for q, _, _, _ in session.iter_judgments()] == [1]


def test_documents_are_joined_by_their_address(session):
    """A judged address is the document that has it."""
    texts = Reading("d.jsonl", Kind.DOCUMENTS, "documents-jsonl")
    texts.documents = [Document("d1", "Soup", "https://a.example/Soup")]
    import_readings(session, [texts])
    reading = judgments([("1", "https://a.example/soup ", 2.0, "ben")])
    assert asked(plan_import(session, [reading])) == ["join-documents"]
    import_readings(session, [reading], choices=YES)
    [(_, number, _, _)] = session.iter_judgments()
    assert session.material.document_id(number) == "d1"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (["q1", "q2", "q3"], ["Q1", "Q2", "Q3"]),
        (["q01", "q02", "q03"], ["q1", "q2", "q3"]),
        (["7", "8", "9"], ["topic-7", "topic-8", "topic-9"]),
        (["q1", "q2", "q3"], [" q1", "q2 ", " q3 "]),
        (["0", "1", "2", "3"], ["1", "2", "3", "4"]),
    ],
)
def test_an_id_map_is_applied_on_request(session, here, there):
    """Capitals, zeros, prefixes, blanks and a shift are undone when a person says so."""
    texts = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query(name) for name in here])
    import_readings(session, [texts])
    n_before = len(session.material.queries)
    reading = judgments([(name, "d1", 1.0, "ben") for name in there])
    [question] = plan_import(session, [reading]).files[0].questions
    assert (question.name, question.answer) == ("query-ids", "keep")
    import_readings(session, [reading], choices=ImportChoices(answers={"query-ids": "map"}))
    assert len(session.material.queries) == n_before
    judged = [session.material.queries[q].id for q, _, _, _ in session.iter_judgments()]
    assert sorted(judged) == sorted(here)


@pytest.mark.parametrize("here", [["q1", "q2", "q1 "], ["q1", "q2"]])
@pytest.mark.parametrize("there", [["q1 ", "q2 "], ["q2 "]])
def test_blanks_that_nobody_sees_are_offered_for_one_id_too(session, here, there):
    """What is left of them once the other id is known with its blank, or where there is just one."""
    texts = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query(name) for name in here])
    import_readings(session, [texts])
    n_before = len(session.material.queries)
    reading = judgments([(name, "d1", 1.0, "ben") for name in there])
    [question] = plan_import(session, [reading]).files[0].questions
    assert "but for blanks around them (‘q" in question.text
    import_readings(session, [reading], choices=ImportChoices(answers={"query-ids": "map"}))
    assert len(session.material.queries) == n_before


def test_ids_that_cannot_be_mapped_are_said_to_be_kept(session):
    """Where a person asked for it, and no rule was found."""
    texts = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("q1"), Query("q2")])
    import_readings(session, [texts])
    reading = judgments([("bread", "d1", 1.0, "ben"), ("q1", "d1", 1.0, "ben")])
    choices = ImportChoices(answers={"query-ids": "map"})
    [report] = plan_import(session, [reading], choices=choices).files
    assert "how they differ from these was not found" in report.notes[0]
    assert plan_import(session, [reading]).files[0].notes == []


def test_zeros_are_said_to_be_zeros(session):
    """Ids that differ by leading zeros are not 'one higher'."""
    texts = Reading("q.tsv", Kind.QUERIES, "queries-tsv")
    texts.queries = [Query(str(number)) for number in range(1, 21)]
    import_readings(session, [texts])
    reading = judgments([(f"{number:03d}", "d1", 1.0, "ben") for number in range(1, 21)])
    match = plan_import(session, [reading]).files[0].matches[0]
    assert "leading zeros" in match.habit


def test_pairs_of_ids_are_applied(session):
    """Pairs that a person gives are taken without a question, in runs and judgments."""
    choices = ImportChoices(id_maps={"query": {"A": "1"}, "document": {"X": "d1"}})
    files = [run_reading("c", {"A": ["X"]}), judgments([("A", "X", 1.0, "ben")])]
    import_readings(session, files, choices=choices)
    assert seen(session)[0] == ["1", "2", "3"]
    assert session.material.find_document("X") is None


@given(st.lists(st.sampled_from(["soup", "SOUP", " soup", "bread", "rye", "1"]), min_size=1))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_joined_run_never_ranks_a_query_twice(session, names):
    """Whatever ids a run has, each of its queries stays one query."""
    reading = run_reading("r", {name: ["d1"] for name in names})
    plan = plan_import(session, [reading], choices=YES)
    [(_, _, run)] = plan.runs
    assert len(set(run.query_ids)) == len(run.query_ids) == len(set(names))
