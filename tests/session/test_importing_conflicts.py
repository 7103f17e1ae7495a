"""Conflicts between a file and the project, mapped grades, repeated judgments."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Judgment, State
from judgetool.errors import InputError
from judgetool.formats import JudgmentRow, JudgmentTable, Kind, Reading
from judgetool.formats.values import Details
from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings, plan_import, write_import
from judgetool.session.imports.judgments import _is_conflict, _merged
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    ImportChoices,
    NewJudgment,
    describe_conflict,
)
from judgetool.storage.check import find_problems
from tests.helpers.laws import examples
from tests.session.test_history import as_of, present
from tests.session.test_importing import judgments


def said(session):
    return {
        (session.material.queries[q].id, session.material.document_id(d), o.assessor): (
            o.judgment.grade
        )
        for q, d, o, _ in session.iter_judgments()
    }


@pytest.fixture
def judged(session):
    """A session in which anna has given d1 a 1 and d2 a 2."""
    import_readings(session, [judgments([("1", "d1", 1.0, "anna"), ("1", "d2", 2.0, "anna")])])
    return session


THEIRS = [("1", "d1", 3.0, "anna"), ("1", "d2", 2.0, "anna"), ("1", "d3", 0.0, "anna")]


def bring(session, conflicts):
    return import_readings(
        session, [judgments(THEIRS, "new.csv")], choices=ImportChoices(conflicts=conflicts)
    ).files[0]


def test_theirs_replaces_what_the_project_has(judged):
    """With 'theirs' the file's grade counts; the conflict is reported with both grades."""
    report = bring(judged, Conflicts.THEIRS)
    assert said(judged)["1", "d1", "anna"] == 3
    assert (report.conflicts.n, report.n_changed, report.n_new) == (1, 1, 1)
    [conflict] = report.conflicts
    assert (conflict.line, conflict.mine.grade, conflict.theirs.judgment.grade) == (1, 1, 3)


def test_mine_keeps_what_the_project_has(judged):
    """With 'mine' the project's grade stays, and what is new still comes in."""
    report = bring(judged, Conflicts.MINE)
    assert said(judged)["1", "d1", "anna"] == 1
    assert said(judged)["1", "d3", "anna"] == 0
    assert (report.conflicts.n, report.n_changed, report.n_new) == (1, 0, 1)
    assert (report.n_unchanged, report.n_left_out) == (1, 1)


def test_both_are_kept_as_a_dispute(judged):
    """With 'both' the file's grade is kept under a name made of the assessor's and the file's."""
    report = bring(judged, Conflicts.BOTH)
    found = said(judged)
    assert found["1", "d1", "anna"] == 1
    assert found["1", "d1", "anna (new)"] == 3
    assert ("1", "d2", "anna (new)") not in found
    assert (report.n_new, report.conflicts.n) == (2, 1)


def test_both_twice_adds_nothing_more(judged):
    """Importing the same file again with 'both' finds all of it there already."""
    bring(judged, Conflicts.BOTH)
    before = said(judged)
    assert bring(judged, Conflicts.BOTH).n_new == 0
    assert said(judged) == before


def test_both_with_a_third_opinion_gets_a_third_name(judged):
    """A further file of the same name that says something else again is kept apart too."""
    bring(judged, Conflicts.BOTH)
    other = judgments([("1", "d1", 0.0, "anna")], "new.csv")
    import_readings(judged, [other], choices=ImportChoices(conflicts=Conflicts.BOTH))
    assert said(judged)["1", "d1", "anna (new 2)"] == 0


def test_conflicts_are_taken_back_by_one_undo(judged):
    """Undo brings back what a conflict had replaced."""
    before = said(judged)
    bring(judged, Conflicts.THEIRS)
    judged.undo()
    assert said(judged) == before


def test_a_note_of_the_project_outlives_the_same_grade(session):
    """A file with the same grade and no note is no conflict and takes no note away."""
    document = session.material.find_document("d1")
    session.execute(Say.grade(0, document, 2))
    session.execute(Say.note(0, document, "why"))
    plan = import_readings(session, [judgments([("1", "d1", 2.0, "anna")])])
    assert plan.is_empty
    assert session.opinions(0)[document][0].judgment.note == "why"


def test_files_of_one_import_are_compared_too(session):
    """Two files that say the same are counted once; one that says otherwise is a conflict."""
    plan = plan_import(
        session,
        [
            judgments([("1", "d1", 2.0, "anna"), ("1", "d2", 2.0, "anna")], "a.csv"),
            judgments([("1", "d1", 2.0, "anna"), ("1", "d2", 1.0, "anna")], "b.csv"),
        ],
    )
    first, second = plan.files
    assert (first.n_new, second.n_new, second.conflicts.n) == (2, 0, 1)
    assert (second.n_unchanged, second.n_left_out) == (1, 1)


def test_only_a_thousand_conflicts_are_kept(session):
    """All conflicts are counted, the first 1,000 kept."""
    rows = [("1", f"x{n}", 1.0, "anna") for n in range(1_200)]
    import_readings(session, [judgments(rows)])
    again = judgments([(q, d, 2.0, a) for q, d, _, a in rows])
    report = plan_import(session, [again]).files[0]
    assert (report.conflicts.n, len(report.conflicts)) == (1_200, 1_000)


def test_only_a_thousand_refusals_are_kept(session):
    """All grades off the scale are counted, the first 1,000 kept with their lines."""
    report = plan_import(
        session, [judgments([("1", f"x{n}", 9.0, "anna") for n in range(1_200)])]
    ).files[0]
    assert (report.refusals.n, len(report.refusals)) == (1_200, 1_000)
    assert report.off_scale == {9: 1_200}


def test_grades_are_mapped_to_the_scale(session):
    """A grade that stands for another of the scale is taken as that, and said."""
    reading = judgments([("1", "d1", 4.0, "x"), ("1", "d2", 1.0, "x"), ("1", "d3", -1.0, "x")])
    choices = ImportChoices(grade_map={4.0: 3.0, -1.0: 0.0})
    report = import_readings(session, [reading], choices=choices).files[0]
    assert {key[1]: grade for key, grade in said(session).items()} == {"d1": 3, "d2": 1, "d3": 0}
    assert report.refusals.n == 0
    assert "Grade 4 is taken as 3: 1 judgment." in report.notes


def test_a_map_of_one_file_leaves_the_others(session):
    """Grades can be mapped for one file alone."""
    readings = [judgments([("1", "d1", 4.0, "x")], "a"), judgments([("1", "d2", 4.0, "x")], "b")]
    choices = ImportChoices(file_grade_maps={"a": {4.0: 3.0}})
    plan = plan_import(session, readings, choices=choices)
    assert [report.refusals.n for report in plan.files] == [0, 1]


def test_a_map_to_no_grade_of_the_scale_is_refused(session):
    """A grade can be mapped only to one that the scale has."""
    with pytest.raises(InputError, match=r"cannot be mapped to 7: that is not on this scale"):
        plan_import(
            session,
            [judgments([("1", "d1", 4.0, "x")])],
            choices=ImportChoices(grade_map={4.0: 7.0}),
        )


@pytest.mark.parametrize(
    ("line", "mine", "theirs", "said"),
    [
        (
            *(7, Judgment(State.JUDGED, 2.0), Judgment(State.CANNOT_JUDGE)),
            "line 7: query q, document d, anna: 2 here, cannot judge in the file",
        ),
        (
            *(
                None,
                Judgment(State.CANNOT_JUDGE, note="in Polish"),
                Judgment(State.CANNOT_JUDGE, note="cut"),
            ),
            "query q, document d, anna: cannot judge, ‘in Polish’ here, cannot judge, ‘cut’ in the file",
        ),
    ],
)
def test_a_conflict_says_what_each_side_says(line, mine, theirs, said):
    """With the notes where that is all they differ in."""
    conflict = Conflict(line, NewJudgment("q", "d", "anna", theirs), mine)
    assert describe_conflict(conflict) == said


def test_an_unrateable_document_against_a_grade_is_a_conflict(judged):
    """'Cannot judge' against a grade contradicts, too."""
    table = JudgmentTable(
        ["1"], ["d1"], [None], ["anna"], [str(State.CANNOT_JUDGE)], ["blank page"], [2]
    )
    reading = Reading("u.csv", Kind.JUDGMENTS, "judgments-table", judgments=table)
    assert plan_import(judged, [reading]).files[0].conflicts.n == 1


GRADED = st.builds(
    Judgment,
    st.just(State.JUDGED),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.sampled_from(["", "a", "b"]),
    st.booleans(),
    st.none() | st.sampled_from([1, 3]),
)
UNGRADED = st.builds(
    Judgment,
    st.sampled_from([State.UNJUDGED, State.SKIPPED, State.CANNOT_JUDGE]),
    st.none(),
    st.sampled_from(["", "a", "b"]),
    st.booleans(),
    st.none() | st.sampled_from([1, 3]),
)
ANY = GRADED | UNGRADED


@given(ANY, ANY)
@settings(max_examples=examples(300))
def test_what_is_no_conflict_loses_nothing(mine, theirs):
    """Merging judgments that do not contradict keeps grade, note, flag and confidence of both."""
    merged = _merged(mine, theirs)
    if _is_conflict(mine, theirs):
        return
    assert merged.flagged == (mine.flagged or theirs.flagged)
    for side in (mine, theirs):
        assert side.confidence in (None, merged.confidence)
        assert side.note in ("", merged.note)
        assert side.grade in (None, merged.grade)


def timed(session):
    """What each assessor said of the first query's document d1: grade, note and when; and what counts."""
    number = session.material.find_document("d1")
    found = {
        opinion.assessor: (opinion.judgment.grade, opinion.judgment.note, at)
        for query, document, opinion, at in session.iter_judgments()
        if (query, document) == (0, number)
    }
    return found, session.board.settled(0)[number].grade


@pytest.mark.parametrize("grade", [3.0, None])
def test_a_table_that_only_adds_a_note_dates_nothing_anew(session, grade):
    """Who graded when, and so which grade is the latest, stays, whatever time the table gives; Undo takes the note."""
    import_readings(session, [judgments([("1", "d1", 3.0, "anna")])])
    import_readings(session, [judgments([("1", "d1", 0.0, "ben")])])
    before, counts = timed(session)
    assert counts == 0
    noted = JudgmentTable()
    noted.add(
        JudgmentRow("1", "d1", "anna", grade, note="hello", details=Details(at=4_000_000_000_000)),
        line=1,
    )
    plan = plan_import(
        session, [Reading("n.csv", Kind.JUDGMENTS, "judgments-csv", judgments=noted)]
    )
    assert (plan.n_changed, plan.n_overruled) == (1, 0)
    session.take_in(write_import(session, plan))
    after, counts = timed(session)
    assert counts == 0
    assert after == before | {"anna": (3.0, "hello", before["anna"][2])}
    session.reload()
    assert timed(session) == (after, 0)
    assert as_of(session) == present(session)
    assert find_problems(session.reader, session.path) == []
    session.undo()
    assert timed(session) == (before, 0)
    session.redo()
    assert timed(session) == (after, 0)
    assert as_of(session) == present(session)


def test_another_grade_in_the_same_import_is_one(session):
    """Of two files, one with a note and one with another grade, the grade has the import's time."""
    import_readings(session, [judgments([("1", "d1", 3.0, "anna")])])
    import_readings(session, [judgments([("1", "d1", 0.0, "ben")])])
    noted = JudgmentTable()
    noted.add(JudgmentRow("1", "d1", "anna", 3.0, note="hello"), line=1)
    first = Reading("n.csv", Kind.JUDGMENTS, "judgments-csv", judgments=noted)
    choices = ImportChoices(conflicts=Conflicts.THEIRS)
    files = [first, judgments([("1", "d1", 2.0, "anna")], "o.csv")]
    import_readings(session, files, choices=choices)
    found, counts = timed(session)
    assert (found["anna"][:2], counts) == ((2.0, "hello"), 2)
    assert find_problems(session.reader, session.path) == []
