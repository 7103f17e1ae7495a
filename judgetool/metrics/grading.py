"""What a grade is worth: relevant or not, its gain, its probability to satisfy."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.measure import Measure

FloatArray = npt.NDArray[np.float64]

TREC_RELEVANT_FROM = 1.0
TREC_MAX_GRADE = 4.0


class Grading:
    """Reads grades by a scale, or as TREC does when there is none.

    Without a scale: relevant from 1, gain = grade, highest grade 4,
    p_relevant (2^g − 1) / 2^4. Between two levels (a mean of grades) gain and
    p_relevant are interpolated linearly.

    Attributes:
        scale: the scale, or ``None`` for TREC's 0–4.
        relevant_from: lowest relevant grade.
        max_grade: gmax, whatever grades occur.
    """

    def __init__(self, scale: Scale | None) -> None:
        self.scale = scale
        self.relevant_from = TREC_RELEVANT_FROM if scale is None else float(scale.relevant_from)
        self.max_grade = TREC_MAX_GRADE if scale is None else float(scale.max_grade)

    @cached_property
    def _levels(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        levels = () if self.scale is None else self.scale.levels
        columns = [(level.grade, level.gain, level.p_relevant) for level in levels]
        grades, gains, chances = np.array(columns, dtype=np.float64).T
        return grades, gains, chances

    @cached_property
    def max_gain(self) -> float:
        """The highest gain of the scale."""
        return self.max_grade if self.scale is None else float(self._levels[1].max())

    def relevant_grade(self, measure: Measure) -> float:
        """Return from which grade a measure counts documents as relevant."""
        rel = measure.param("rel") if measure.has_param("rel") else None
        return float(rel) if isinstance(rel, int | float) else self.relevant_from

    def gains(self, grades: FloatArray) -> FloatArray:
        """Return the gain of each grade."""
        if self.scale is None:
            return np.maximum(grades, 0.0)
        return np.interp(grades, self._levels[0], self._levels[1])

    def measure_gains(self, measure: Measure, grades: FloatArray) -> FloatArray:
        """Return the gain of each grade as a CG, DCG or nDCG takes it (``dcg=``, ``gains=``)."""
        own = measure.param("gains")
        if measure.param("dcg") == "exp-log2":
            gains = np.exp2(np.maximum(grades, 0.0)) - 1.0
        else:
            gains = self.gains(grades)
        if isinstance(own, tuple):
            gains = gains.copy()
            for grade, gain in own:
                gains[grades == grade] = gain
        return gains

    def chances(self, grades: FloatArray) -> FloatArray:
        """Return p_relevant of each grade, 0 to 1."""
        if self.scale is None:
            return exponential_chances(grades, self.max_grade)
        return np.interp(grades, self._levels[0], self._levels[2])

    def measure_chances(self, measure: Measure, grades: FloatArray) -> FloatArray:
        """Return the probability to satisfy as ERR (``p=``, ``max_rel=``) or pFound takes it."""
        if measure.name == "ERR" and measure.param("p") == "exp":
            return exponential_chances(grades, self.highest_grade(measure))
        return self.chances(grades)

    def highest_grade(self, measure: Measure) -> float:
        """Return the highest grade that a measure can read; infinity where there is none."""
        if measure.name == "ERR" and measure.param("max_rel") is not None:
            top = measure.param("max_rel")
            return float(top) if isinstance(top, int | float) else self.max_grade
        if measure.spec.uses == "p":
            return self.max_grade
        reads_scale = measure.has_param("dcg") and measure.param("dcg") == "log2"
        reads_scale = reads_scale or _rel_is_gain(measure)
        return self.max_grade if reads_scale and self.scale is not None else float("inf")

    def lowest_ceiling(self, measures: Sequence[Measure]) -> float:
        """Return the highest grade that all of some measures can read."""
        return min((self.highest_grade(measure) for measure in measures), default=float("inf"))


def _rel_is_gain(measure: Measure) -> bool:
    return measure.has_param("rel") and measure.param("rel") == "gain"


def exponential_chances(grades: FloatArray, max_grade: float) -> FloatArray:
    """Return (2^g − 1) / 2^gmax for each grade (Chapelle and others 2009; gdeval)."""
    chances: FloatArray = (np.exp2(np.maximum(grades, 0.0)) - 1.0) / 2.0**max_grade
    return chances
