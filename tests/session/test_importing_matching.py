"""Ids that match nothing: counted, with the nearest ones, and what they have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document
from judgetool.core.scale import scale_preset
from judgetool.formats import Kind, Reading, read_text
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.matching import find_nearest, match_ids
from judgetool.session.imports.plan import match_finding, match_title
from judgetool.session.opening import create_project, open_project
from tests.session.conftest import run_reading
from tests.session.test_importing import judgments


def match(named, known, noun="query"):
    return match_ids(noun, [str(each) for each in named], {str(each) for each in known})


def test_ids_that_all_match_are_no_news():
    """Nothing is said where every id is known."""
    assert match(["a", "b"], ["a", "b", "c"]) is None


def test_unknown_ids_are_counted_and_listed():
    """Of the named ids those known are counted and the others listed in the file's order."""
    found = match(["x", "a", "y"], ["a", "b"])
    assert (found.n_named, found.n_known, found.strange) == (3, 1, ("x", "y"))
    assert found.is_doubtful


@pytest.mark.parametrize(("first", "word"), [(1, "higher"), (-1, "lower")])
def test_counting_from_one_against_zero_is_noticed(first, word):
    """1 … 20 against 0 … 19 is noticed although nineteen of twenty ids match."""
    found = (
        match(range(first, 20 + first), range(20)) if first > 0 else match(range(20), range(1, 21))
    )
    assert found.n_strange == 1
    assert f"one {word} than an id here" in found.habit
    assert found.is_doubtful


def test_counting_with_names_and_zeros_is_noticed():
    """Numbers after a name and with leading zeros are looked at as numbers too."""
    found = match([f"q{n:03d}" for n in range(1, 101)], [f"q{n:03d}" for n in range(100)])
    assert "(q100 for q099)" in found.habit


def test_some_new_documents_at_the_end_are_no_shift():
    """A file that names a few known documents and one new one is not taken for shifted."""
    found = match([500, 501, 1001], range(1, 1001), "document")
    assert found.habit == ""
    assert not found.is_doubtful


@pytest.mark.parametrize(
    ("named", "known", "what"),
    [
        (["1", "2", "3"], ["001", "002", "003"], "leading zeros"),
        (["A1", "B2"], ["a1", "b2"], "capital letters"),
        (["a ", "b "], ["a", "b"], "blanks"),
        (["aa_cell", "dc_plug"], ["aa cell", "dc plug"], "_ in place of blanks"),
        (["topic-11", "topic-12"], ["11", "12"], "before the number"),
    ],
)
def test_a_common_habit_is_named(named, known, what):
    """Ids that are all spelt in another way are recognised."""
    assert what in match(named, known).habit


@pytest.mark.parametrize(
    ("strange", "nearest"),
    [("r0O7", "r007"), ("r07", "r007"), ("R-019", "r019"), ("r01 9", "r019"), ("r091", "r019")],
)
def test_the_nearest_id_is_found(strange, nearest):
    """A slip of one character, a sign, a capital or zeros lead to the id that was meant."""
    assert find_nearest([strange], ["r007", "r019", "x500"]) == {strange: nearest}


@given(st.text(alphabet="abc123", min_size=4, max_size=12), st.data())
def test_one_character_left_out_is_always_found(name, data):
    """Whatever character of an id is missing, the id is found."""
    place = data.draw(st.integers(0, len(name) - 1))
    slipped = name[:place] + name[place + 1 :]
    assert find_nearest([slipped], [name, "zzzzzzzz"]) == {slipped: name}


def test_the_plan_counts_ids_that_the_project_does_not_have(session):
    """Judgments of queries and documents that nothing knows are counted, with near ids."""
    reading = judgments([(q, "d1", 1.0, "x") for q in ("1", "8", "9")] + [("2", "D2", 1.0, "x")])
    queries, documents = plan_import(session, [reading]).files[0].matches
    assert (queries.noun, queries.n_named, queries.n_known) == ("query", 4, 2)
    assert documents.strange == ("D2",)
    assert match_finding(documents, "a").lines == ("D2  nearest here: d2",)


def test_of_lines_left_out_for_their_grade_nothing_is_added(session):
    """Documents and queries that only such lines name are not said to be added, nor are they."""
    rows = [("1", "new", 9.0, "x"), ("8", "d1", 9.0, "x"), ("1", "d1", 1.0, "x")]
    plan = import_readings(session, [judgments(rows)])
    assert [name for match in plan.files[0].matches for name in match.strange] == []
    assert "8" not in [query.id for query in session.material.queries]
    plan = plan_import(session, [judgments([("1", "new", 9.0, "x"), ("1", "new", 1.0, "x")])])
    assert [match.strange for match in plan.files[0].matches] == [("new",)]


def test_the_other_files_of_an_import_count_as_known(session):
    """A document that another file describes matches."""
    texts = Reading("d.jsonl", Kind.DOCUMENTS, "documents-jsonl", documents=[Document("new", "N")])
    plan = plan_import(session, [run_reading("c", {"1": ["new", "d1"]}), texts])
    (match,) = plan.files[0].matches
    assert (match.n_strange, match.n_without_text) == (0, 1)


def test_without_texts_the_other_files_are_compared(tmp_path, session):
    """In an empty project a run and judgments of another collection are told apart."""
    session.undo()
    assert not session.material.queries
    run = run_reading("c", {"q1": ["x1"], "q2": ["x2"]})
    report = plan_import(session, [run, judgments([("8", "x1", 1.0, "x")])]).files[1]
    assert match_title(report.matches[0], "a/b.qrels") == (
        "The only query id in b.qrels is not in this project"
    )


def test_planning_can_be_stopped(session):
    """The planner asks now and then whether to go on."""

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan_import(session, [judgments([("1", "d1", 1.0, "x")])], check=stop)


def test_a_files_own_query_does_not_make_its_others_doubtful(tmp_path):
    """Quepid's ratings with one query that has none are no file of another collection."""
    path = tmp_path / "a.judge"
    create_project(path, scale=scale_preset("0-3"))
    ratings = read_text("query,docid,rating\nsoup,,\nbread,d1,2\nbread,d2,0\n", source="r.csv")
    with open_project(path) as session:
        (report,) = plan_import(session, [ratings]).files
    assert not any(match.is_doubtful for match in report.matches)


def test_a_long_run_beside_few_judgments_is_not_doubtful():
    """No more documents can match than are known: a run that has all ten is no stranger."""
    assert not match(range(300), range(10), "document").is_doubtful
    assert match(range(300), range(299, 400), "document").is_doubtful
