"""Effort: what the log tells of time, keys, order, changes and contrast."""

import csv
import io

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.clock import IDLE_AFTER_MS
from judgetool.core.judgments import Query, State
from judgetool.core.scale import numbered_scale
from judgetool.errors import CommandRefusedError, InputError
from judgetool.formats.writers import Formulas
from judgetool.session.commands import (
    Say,
    SetScale,
)
from judgetool.session.effort import (
    COLUMNS,
    EFFORT_BY,
    effort_rows,
    effort_table,
    grade_after_grade,
    grade_by_position,
    list_efforts,
    write_effort_csv,
)
from judgetool.session.opening import open_project
from judgetool.storage.judgments import load_efforts
from tests.helpers.builders import Parts, make_project
from tests.helpers.laws import examples

RUNS = {"alpha": {"q": ["d1", "d2", "d3", "d4"], "r": ["d1", "=d9"]}}


@pytest.fixture
def project(tmp_path):
    parts = Parts(
        queries=[Query("q"), Query("r")], runs=RUNS, judgments=[("q", "d4", "imported", 2.0)]
    )
    with make_project(tmp_path, parts) as session:
        yield session


def doc(session, external_id):
    return session.material.find_document(external_id)


def say(session, external_id, grade, *, query=0, origin="key", spent_ms=None, **shown):
    command = Say.grade(query, doc(session, external_id), grade)
    return session.execute(command, origin=origin, spent_ms=spent_ms, shown=shown)


def test_nobody_has_judged_yet(project):
    """Imports are no effort; the table of a new project is empty."""
    table = effort_table(project)
    assert (table.by_assessor, table.by_query, table.records) == ((), (), ())
    assert grade_after_grade(table.records) == []


def test_record_has_what_was_shown(project):
    """Position, blindness, order, seed and draw come from the log."""
    say(
        project, "d1", 2, spent_ms=900, active_ms=700, position=4,
        blind=True, order="drawn", seed=9, draw=3,
    )  # fmt: skip
    (record,) = list_efforts(project)
    assert (record.assessor, record.query, record.grade, record.origin) == ("anna", 0, 2, "key")
    assert (record.spent_ms, record.active_ms, record.position) == (900, 700, 4)
    assert (record.previous_grade, record.is_blind) == (None, True)
    assert (record.order, record.seed, record.draw) == ("drawn", 9, 3)


def test_unmeasured_active_time_follows_the_idle_rule(project):
    """Without a measure of activity no more than a minute of a long look counts."""
    say(project, "d1", 2, spent_ms=600_000)
    say(project, "d2", 2, spent_ms=1500)
    say(project, "d3", 2)
    assert [r.active_ms for r in list_efforts(project)] == [IDLE_AFTER_MS, 1500, None]


def test_the_grade_before_is_that_of_the_document_before(project):
    """Of whichever query, as the lot goes from one to the other; a skip gives none."""
    say(project, "d1", 3)
    say(project, "d1", 1, query=1)
    project.execute(Say.skip(0, doc(project, "d3")))
    say(project, "d2", 0)
    assert [record.previous_grade for record in list_efforts(project)] == [None, 3, 1, 1]


def test_who_corrects_a_grade_comes_from_the_document_before(project):
    """The grade that is corrected is none of another document."""
    say(project, "d1", 3)
    say(project, "d2", 0)
    say(project, "d2", 2)
    say(project, "d3", 1)
    assert [record.previous_grade for record in list_efforts(project)] == [None, 3, 3, 2]


def test_a_sitting_begins_without_a_grade_before(tmp_path):
    """What was graded before a long pause colours nothing."""
    now = 0
    make_project(tmp_path, Parts(queries=[Query("q")], runs=RUNS)).close()
    path = tmp_path / "small.judge"
    with open_project(path, assessor="anna", clock=lambda: now) as session:
        for minutes, name in ((1, "d1"), (31, "d2"), (62, "d3"), (63, "d4")):
            now = minutes * 60_000
            say(session, name, 2)
        assert [each.previous_grade for each in list_efforts(session)] == [None, 2, None, 2]


def test_notes_are_no_judgments(project):
    """A note adds no record and changes none."""
    say(project, "d1", 3)
    project.execute(Say.note(0, doc(project, "d1"), "why"), origin="key", spent_ms=50)
    (record,) = list_efforts(project)
    assert not record.is_changed_later


def test_what_is_changed_or_taken_back_later_is_marked(project):
    """Another grade or 'back to unjudged' marks the earlier one, not the later."""
    say(project, "d1", 3)
    say(project, "d1", 1)
    say(project, "d2", 1)
    project.execute(Say.clear(0, doc(project, "d2")))
    assert [record.is_changed_later for record in list_efforts(project)] == [True, False, True]


def test_what_is_undone_is_marked_until_it_is_done_again(project):
    """Undo marks a record, Redo takes the mark away; what was before is not changed by it."""
    say(project, "d1", 3)
    say(project, "d1", 1)
    project.undo()
    assert [r.is_undone for r in list_efforts(project)] == [False, True]
    assert [r.is_changed_later for r in list_efforts(project)] == [False, False]
    project.redo()
    assert [r.is_undone for r in list_efforts(project)] == [False, False]
    assert [r.is_changed_later for r in list_efforts(project)] == [True, False]


def test_time_of_many_at_once_is_shared(project):
    """Grading three documents in one go in three seconds is one second each, and no median."""
    documents = [doc(project, name) for name in ("d1", "d2", "d3")]
    command = Say.grade_many(tuple((0, document) for document in documents), 1)
    project.execute(command, origin="click", spent_ms=3000)
    assert [r.spent_ms for r in list_efforts(project)] == [1000, 1000, 1000]
    (summary,) = effort_table(project).by_assessor
    assert (summary.n_judged, summary.in_view_ms, summary.median_ms) == (3, 3000, None)


def test_time_of_many_at_once_is_shared_in_exports_too(project, tmp_path):
    """The exported effort of each is its share, and added to what it took before."""
    documents = [doc(project, name) for name in ("d1", "d2", "d3")]
    moments = iter(range(1_000_000, 9_000_000, 10_000))
    project.clock = lambda: next(moments)
    say(project, "d1", 2, spent_ms=500)
    command = Say.grade_many(tuple((0, document) for document in documents), 1)
    project.execute(command, origin="click", spent_ms=3000)
    with project.second_reader() as reader:
        efforts = load_efforts(reader)
    assert sorted(efforts.values()) == [1000, 1000, 1500]


def test_time_in_view_counts_once_whatever_is_said_in_it(project):
    """A note and a flag before the grade, and a grade changed in view; exports and effort tell the same."""
    moments = iter((1_006_000, 1_009_400, 1_013_460, 1_020_000, 1_060_000, 1_065_000, 1_070_000))
    project.clock = lambda: next(moments)
    first, second = (0, doc(project, "d1")), (0, doc(project, "d2"))

    def keep(command, spent_ms):
        shown = {"active_ms": spent_ms - 1000}
        project.execute(command, origin="key", spent_ms=spent_ms, shown=shown)

    keep(Say.flag(*first, True), 6000)
    keep(Say.note(*first, "warm"), 9400)
    keep(Say.grade(*first, 3), 13_460)
    keep(Say.grade(*second, 1), 5000)
    # Looked at once more, for twenty seconds, and told why; graded anew after ten more.
    keep(Say.note(*second, "cold"), 20_000)
    keep(Say.grade(*second, 2), 25_000)
    keep(Say.note(*second, "cold, and sour"), 30_000)
    records = list_efforts(project)
    assert [r.spent_ms for r in records] == [13_460, 5000, 30_000]
    assert [r.active_ms for r in records] == [12_460, 4000, 29_000]
    with project.second_reader() as reader:
        assert list(load_efforts(reader).values()) == [13_460, 35_000]


def test_a_grade_off_the_scale_is_refused_for_many(project):
    """None of them gets it, and the scale is named."""
    command = Say.grade_many(((0, doc(project, "d1")), (0, doc(project, "d2"))), 9)
    with pytest.raises(CommandRefusedError, match="Grade 9 is not on this scale"):
        project.execute(command, origin="click")
    assert [each for each in list_efforts(project) if each.assessor == "anna"] == []


def test_summary_adds_up(project):
    """Counts, times, pace, keys and grades of one assessor."""
    moments = iter(range(1_000_000, 9_000_000, 10_000))
    project.clock = lambda: next(moments)
    say(project, "d1", 3, spent_ms=1000)
    say(project, "d2", 0, spent_ms=3000, origin="click")
    say(project, "d2", 1, spent_ms=2000)
    project.execute(Say.cannot_judge(0, doc(project, "d3")), origin="key", spent_ms=2000)
    project.execute(Say.skip(1, doc(project, "d1")), origin="key", spent_ms=1000)
    say(project, "d4", 2, spent_ms=1000)
    project.undo()
    (summary,) = effort_table(project).by_assessor
    assert (summary.assessor, summary.query) == ("anna", None)
    assert (summary.n_judged, summary.n_cannot_judge, summary.n_skipped) == (2, 1, 1)
    assert (summary.n_changed, summary.n_undone) == (1, 1)
    assert (summary.active_ms, summary.median_ms, summary.mean_ms) == (10_000, 2000, 2000)
    assert summary.per_hour == pytest.approx(2 / (10 / 3600))
    assert summary.key_share == pytest.approx(5 / 6)
    assert summary.grade_counts == {1: 1, 3: 1}
    assert summary.first_at < summary.last_at


@pytest.mark.parametrize("verb", ["skip", "clear", "cannot_judge"])
def test_what_was_taken_back_is_not_judged(project, verb):
    """Graded and then skipped, cleared or impossible: counted as the project counts, unless undone."""
    say(project, "d1", 3)
    say(project, "d2", 1)
    taken_back = getattr(Say, verb)(0, doc(project, "d2"))
    project.execute(taken_back, origin="key")
    (summary,) = effort_table(project).by_assessor
    graded = [each for *_, each, _ in project.iter_judgments() if each.assessor == "anna"]
    assert summary.n_judged == sum(each.judgment.grade is not None for each in graded) == 1
    assert summary.grade_counts == {3: 1}
    project.undo()
    (summary,) = effort_table(project).by_assessor
    assert (summary.n_judged, summary.grade_counts) == (2, {3: 1, 1: 1})


def test_queries_are_told_apart(project):
    """One summary for each assessor and query, in order."""
    say(project, "d1", 3)
    say(project, "d1", 2, query=1)
    project.assessor = "ben"
    say(project, "d2", 1)
    rows = [(each.assessor, each.query) for each in effort_table(project).by_query]
    assert rows == [("anna", 0), ("anna", 1), ("ben", 0)]


def test_change_of_scale_is_nobodys_effort(project):
    """Grades that a new scale maps are neither judged nor changed by an assessor."""
    say(project, "d1", 3)
    project.execute(SetScale(numbered_scale("two", ("no", "yes")), {3: 1, 2: 1}))
    (record,) = list_efforts(project)
    assert (record.grade, record.is_changed_later) == (3, False)


def test_grades_after_a_grade(project):
    """The mean of what follows each grade, in one query."""
    for name, grade in (("d1", 3), ("d2", 0), ("d3", 3), ("d4", 1)):
        say(project, name, grade)
    records = list_efforts(project)
    assert grade_after_grade(records) == [(None, 1, 3), (0, 1, 3), (3, 2, 0.5)]
    assert grade_after_grade(each for each in records if each.assessor == "ben") == []


def test_grades_by_place(project):
    """The mean grade of some places at a time; judgments without a place are left out."""
    for place, (name, grade) in enumerate((("d1", 3), ("d2", 1), ("d3", 2)), 1):
        say(project, name, grade, position=place)
    say(project, "d4", 0)
    assert grade_by_position(list_efforts(project), width=2) == [(1, 2, 2, 2), (3, 4, 1, 2)]


@pytest.mark.parametrize("by", EFFORT_BY)
def test_rows_have_the_columns_of_their_header(project, by):
    """Each row has a cell for each column, and a row for what it stands for."""
    say(project, "d1", 3, spent_ms=1000)
    say(project, "d2", 3)
    rows = effort_rows(project, by)
    assert len(rows) == {"assessor": 1, "query": 1, "judgment": 2}[by]
    assert all(len(row) == len(COLUMNS[by]) for row in rows)


def test_csv_reads_back(project, tmp_path):
    """What is written is what the rows say."""
    say(project, "d1", 3, spent_ms=1000)
    path = tmp_path / "effort.csv"
    assert write_effort_csv(project, path, by="judgment") == []
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert tuple(header) == COLUMNS["judgment"]
    assert [tuple(row) for row in rows] == effort_rows(project, "judgment")


def test_ids_like_formulas_are_refused_or_kept(project, tmp_path):
    """An id that a spreadsheet would run is refused; nothing stands in the file then."""
    say(project, "=d9", 1, query=1)
    path = tmp_path / "effort.csv"
    with pytest.raises(InputError, match="formula"):
        write_effort_csv(project, path, by="judgment")
    assert not path.exists()
    out = io.StringIO()
    notes = write_effort_csv(project, out, by="judgment", formulas=Formulas.KEEP_IDS)
    assert notes
    assert ",=d9," in out.getvalue()


def is_judging(step):
    return step is not None and step.kind == "judge"


@pytest.fixture(scope="module")
def long_lived(tmp_path_factory):
    parts = Parts(queries=[Query("q"), Query("r")], runs=RUNS)
    with make_project(tmp_path_factory.mktemp("effort"), parts) as session:
        yield session


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.sampled_from(["judge", "skip", "clear", "undo", "redo"]), st.integers(1, 4)),
        max_size=10,
    )
)
def test_documents_judged_are_those_that_have_a_grade(long_lived, actions):
    """After whatever was said and undone, what stands unchanged is what the project holds."""
    for number, (action, name) in enumerate(actions):
        document = doc(long_lived, f"d{name}")
        match action:
            case "judge":
                long_lived.execute(Say.grade(0, document, number % 4), origin="key", spent_ms=10)
            case "skip":
                long_lived.execute(Say.skip(0, document))
            case "clear":
                long_lived.execute(Say.clear(0, document))
            # Not the import before: without it there are no queries.
            case "undo" if is_judging(long_lived.undo_step):
                long_lived.undo()
            case "redo" if is_judging(long_lived.redo_step):
                long_lived.redo()
    standing = {
        (record.document, record.state, record.grade)
        for record in list_efforts(long_lived)
        if not record.is_undone and not record.is_changed_later
    }
    present = {
        (document, opinion.judgment.state, opinion.judgment.grade)
        for _, document, opinion, _ in long_lived.iter_judgments()
        if opinion.judgment.state is not State.UNJUDGED
    }
    assert standing == present
