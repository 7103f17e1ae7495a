"""Whether two runs are valued by the same judgments: only then does a test speak of the runs."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from judgetool.metrics.engine import Engine
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray


class ValuedApart(NamedTuple):
    """How the judgments that two runs are valued by differ.

    Attributes:
        n_grades: (query, document) pairs with a grade on one side alone, or with another one.
        has_other_scale: whether grades are read otherwise.
    """

    n_grades: int
    has_other_scale: bool = False


def find_valued_apart(
    engine: Engine, other: Engine, part: BoolArray | None = None
) -> ValuedApart | None:
    """Return how the judgments of two engines differ; ``None`` where runs are valued alike.

    Between values by different judgments a difference may come from these, whatever the
    rankings: a test would take it for one of the runs.

    Args:
        engine: of one run.
        other: of the other, with the same queries.
        part: the queries that count, shape (n_queries,); ``None`` for all.
    """
    if engine is other:
        return None
    n_grades = 0
    for query in range(engine.n_queries) if part is None else np.flatnonzero(part).tolist():
        ours, theirs = (
            dict(zip(*(each.tolist() for each in side.judged_grades(query)), strict=True))
            for side in (engine, other)
        )
        if ours != theirs:
            n_grades += len({document for document, _ in ours.items() ^ theirs.items()})
    is_other = _reading(engine) != _reading(other)
    return ValuedApart(n_grades, is_other) if n_grades or is_other else None


def _reading(engine: Engine) -> Hashable:
    """Return what figures depend on of a scale: not how its levels are named."""
    scale = engine.scale
    if scale is None:
        return None
    levels = tuple((each.grade, each.gain, each.p_relevant) for each in scale.levels)
    return levels, scale.relevant_from, scale.is_continuous


def reads_judgments(measure: Measure) -> bool:
    """Whether values depend on judgments: those by clicks, or of the ranking alone, do not."""
    return measure.spec.uses not in ("clicks", "nothing")
