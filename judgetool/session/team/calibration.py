"""What people gave where a model gave each grade."""

from typing import NamedTuple

import numpy as np

from judgetool.errors import InputError
from judgetool.metrics.terms import FloatArray, IntArray
from judgetool.session.session import Session
from judgetool.storage.judgments import load_settled
from judgetool.storage.values import load_assessors


class Calibration(NamedTuple):
    """How often people gave each grade where an assessor gave each; 'cannot judge' stands last.

    Attributes:
        assessor: the model's name.
        levels: grades of the scale, rising, shape (q,); of others the nearest counts, of two as
            near the lower.
        counts: documents by what the model said (rows) and what counts of the others, shape
            (q + 1, q + 1).
        means: mean grade of the others by what the model said, NaN without one, shape (q + 1,).
    """

    assessor: str
    levels: tuple[float, ...]
    counts: IntArray
    means: FloatArray


def compute_calibration(session: Session, assessor: str) -> Calibration:
    """Return what counts in the view where a model gave each grade; zeros where nobody else judged.

    Args:
        session: the project.
        assessor: of kind model, one that does not count.

    Raises:
        InputError: there is no such model, or its grades are among those that count.
    """
    number = find_model(session, assessor)
    levels = np.array(session.scale.grades, np.float64)
    rows, columns, grades = [], [], []
    place_of = session.material.place_of
    for query, document, who, grade, *_ in load_settled(session.reader):
        if who != number or query not in place_of:
            continue
        found = session.board.settled(place_of[query]).get(document)
        if found is not None:
            rows.append(_place(levels, grade))
            columns.append(_place(levels, found.grade))
            grades.append(np.nan if found.grade is None else found.grade)
    counts = np.zeros((len(levels) + 1, len(levels) + 1), np.int64)
    np.add.at(counts, (rows, columns), 1)
    said, given = np.array(rows, np.int64), np.array(grades, np.float64)
    means = [given[(said == row) & ~np.isnan(given)] for row in range(len(levels) + 1)]
    of_rows = np.array([each.mean() if len(each) else np.nan for each in means])
    return Calibration(assessor, tuple(session.scale.grades), counts, of_rows)


def _place(levels: FloatArray, grade: float | None) -> int:
    return len(levels) if grade is None else int(np.abs(levels - grade).argmin())


def find_model(session: Session, name: str) -> int:
    """Return the number of a model that does not count.

    Raises:
        InputError: there is none of this name, or it counts.
    """
    known = {row.name: row for row in load_assessors(session.reader)}
    models = [row.name for row in known.values() if row.kind == "model"]
    if name not in models:
        there = f"Models are: {', '.join(models)}." if models else "There is none yet."
        raise InputError(f"There is no model {name!r} in {session.path.name}. {there}")
    if session.does_count(name):
        raise InputError(
            f"{name} counts in {session.path.name}, so that what counts there is not people's alone. "
            "Have it not count first."
        )
    return known[name].assessor_id
