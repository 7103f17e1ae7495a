"""Another scale for a project that has judgments: what it would do, before it is done."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from judgetool.core.scale import Scale
from judgetool.session.board import Board, BoardSettings
from judgetool.session.judgment_book import settled_rows
from judgetool.session.session import Session
from judgetool.storage.judgments import load_settled


class MeanChange(NamedTuple):
    """A run's mean of a measure now and on another scale.

    Attributes:
        run: name of the run.
        measure: name of the measure.
        now: the mean; ``None`` where it is undefined.
        then: the mean on the other scale, likewise.
    """

    run: str
    measure: str
    now: float | None
    then: float | None


def count_grades(session: Session) -> dict[float, int]:
    """Return how many judgments have each grade, whoever gave it, lowest grade first."""
    grades = (row[3] for row in load_settled(session.reader))
    counted = Counter(grade for grade in grades if grade is not None)
    return dict(sorted(counted.items()))


def propose_mapping(scale: Scale, grades: Mapping[float, int]) -> dict[float, float]:
    """Return for each grade that a scale lacks the nearest one that it has."""
    return {
        grade: scale.nearest_level(grade).grade for grade in grades if not scale.has_grade(grade)
    }


def preview_scale(
    session: Session, scale: Scale, mapping: Mapping[float, float]
) -> list[MeanChange]:
    """Return what another scale would do to the means; nothing is changed.

    Args:
        session: the project.
        scale: the other scale.
        mapping: from grades that it lacks to grades that it has.

    Returns:
        For each run in order the chosen measures; empty without runs.
    """
    rows = (
        row._replace(grade=_mapped(row.grade, mapping))
        for row in settled_rows(session.reader, session.material.place_of)
    )
    now = session.board
    settings = BoardSettings(
        scale,
        session.measures,
        session.pool_depth,
        session.assessor_id,
        now.view,
        session.conventions,
    )
    then = Board(session.material, rows, settings)
    changes = []
    for run in session.material.runs:
        pairs = zip(now.engine.means(run.run_id), then.engine.means(run.run_id), strict=True)
        for measure, (before, after) in zip(session.measures, pairs, strict=True):
            changes.append(MeanChange(run.name, str(measure), before.value, after.value))
    return changes


def _mapped(grade: float | None, mapping: Mapping[float, float]) -> float | None:
    return None if grade is None else mapping.get(grade, grade)
