"""What a grade is worth to a measure, and which worths an unjudged document may still get."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.grading import TREC_MAX_GRADE, Grading
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray

WorthOf = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """What grades are worth to one measure: relevance 0 or 1, a gain, or a probability.

    Attributes:
        of: from grades (any shape; NaN, unjudged, is worth 0) to worths of the same shape.
        levels: distinct worths that a level of the scale can have, rising, at least one.
        some_grade: a grade that an assessor may give.
    """

    of: WorthOf
    levels: FloatArray
    some_grade: float

    @property
    def low(self) -> float:
        """The least that a document can be worth."""
        return float(self.levels[0])

    @property
    def high(self) -> float:
        """The most that a document can be worth."""
        return float(self.levels[-1])


@lru_cache(maxsize=256)
def worth_of(measure: Measure, scale: Scale | None) -> Worth:
    """Return what grades are worth to a measure.

    Args:
        measure: any; those that look at no grade count relevance.
        scale: of the project; ``None`` for files alone (TREC 0-4).
    """
    grading = Grading(scale)
    of = _worth_function(measure, grading)
    grades = level_grades(scale)
    return Worth(of, np.unique(of(grades)), float(grades[0]))


def level_grades(scale: Scale | None) -> FloatArray:
    """Return the grades that an assessor may give, rising.

    A level below 0 is none of them: a negative grade means 'not judged'.
    """
    if scale is None:
        return np.arange(TREC_MAX_GRADE + 1.0)
    grades = np.array(scale.grades, dtype=np.float64)
    return grades[grades >= 0]


def _worth_function(measure: Measure, grading: Grading) -> WorthOf:
    kernel = measure.spec.kernel
    if kernel in ("cumulated_gain", "dcg", "ndcg"):
        return lambda grades: np.nan_to_num(grading.measure_gains(measure, grades))
    if kernel in ("err", "pfound"):
        return lambda grades: np.nan_to_num(_chances(measure, grading, grades))
    if kernel == "rbp" and measure.param("rel") == "gain":
        best = grading.max_gain or 1.0
        return lambda grades: np.nan_to_num(grading.gains(grades)) / best
    threshold = grading.relevant_grade(measure)
    return lambda grades: (grades >= threshold).astype(np.float64)


def _chances(measure: Measure, grading: Grading, grades: FloatArray) -> FloatArray:
    # Of a grade above the scale there is no value; a probability above 1 must not
    # spoil those of other queries beside it.
    return grading.measure_chances(measure, np.minimum(grades, grading.highest_grade(measure)))


def ceiling_of(measure: Measure, scale: Scale | None) -> float:
    """Return the highest grade that a measure can read; infinity where there is none."""
    return Grading(scale).highest_grade(measure)
