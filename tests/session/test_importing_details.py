"""Time, effort, flag, confidence and rationale of judgments that a file brings."""

import pytest

from judgetool.core.judgments import Judgment, JudgmentKey, Span, State
from judgetool.formats import read_text
from judgetool.formats.writers import ExportChoices
from judgetool.session.exports.exporting import collect_material
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import Conflicts, ImportChoices

LINE = (
    '{"query": "1", "document": "d1", "assessor": "ben", "grade": 2, '
    '"at": "2020-01-02T03:04:05.678Z", "spent_ms": 4200, "flagged": true, "confidence": 1, '
    '"rationale": [{"field": "title", "start": 0, "end": 4, "text": "Soup"}]}\n'
)
MOMENT = 1_577_934_245_678


def bring(session, text, **choices):
    return import_readings(session, [read_text(text)], choices=ImportChoices(**choices))


def rows_of(session):
    with session.second_reader() as reader:
        return collect_material(session, reader, ExportChoices("judgments-jsonl")).judgments


def row_of(session, document):
    return next(row for row in rows_of(session) if row.document_id == document)


def test_details_are_kept(session):
    """What a file says of a judgment is in the project afterwards, its own time included."""
    bring(session, LINE)
    details = row_of(session, "d1").details
    assert details == (MOMENT, 4200, True, 1, (Span("title", 0, 4, "Soup"),), "")


def test_without_a_time_the_import_counts(session):
    """A judgment of which no time is known was made when it was imported."""
    before = session.clock()
    bring(session, '{"query": "1", "document": "d2", "assessor": "ben", "grade": 1}\n')
    assert before <= row_of(session, "d2").details.at <= session.clock()


def test_undo_takes_all_of_it_back(session):
    """After Undo nothing is said, and no effort is counted."""
    bring(session, LINE)
    session.undo()
    assert not rows_of(session)


def test_a_second_import_of_the_same_changes_nothing(session):
    """What is there just so is not written again."""
    bring(session, LINE)
    assert plan_import(session, [read_text(LINE)]).is_empty


@pytest.mark.parametrize(("conflicts", "confidence"), [(Conflicts.MINE, 1), (Conflicts.THEIRS, 3)])
def test_another_confidence_is_a_conflict(session, conflicts, confidence):
    """The same grade given more surely contradicts, and the choice says which one stays."""
    bring(session, LINE)
    other = LINE.replace('"confidence": 1', '"confidence": 3')
    plan = bring(session, other, conflicts=conflicts)
    assert plan.n_conflicts == 1
    assert row_of(session, "d1").details.confidence == confidence


def test_another_grade_takes_its_own_reasons(session):
    """Where theirs replaces mine by another grade, my rationale and confidence go with mine."""
    bring(session, LINE)
    other = '{"query": "1", "document": "d1", "assessor": "ben", "grade": 0}\n'
    bring(session, other, conflicts=Conflicts.THEIRS)
    details = row_of(session, "d1").details
    assert (details.flagged, details.confidence, details.spans) == (True, None, ())


def test_a_flag_alone_comes_in(session):
    """An unjudged document that is flagged is such in the project."""
    bring(
        session,
        '{"query": "1", "document": "d3", "assessor": "ben", "state": "unjudged", "flagged": true}\n',
    )
    key = next(
        JudgmentKey(query, document, 0)
        for query, document, opinion, _ in session.iter_judgments()
        if opinion.judgment == Judgment(State.UNJUDGED, flagged=True)
    )
    assert session.material.document_id(key.document) == "d3"


def test_redo_brings_the_files_own_time_back(session):
    """A judgment undone and done again was made when the file says, not just now."""
    bring(session, LINE)
    session.undo()
    session.redo()
    assert row_of(session, "d1").details.at == MOMENT
