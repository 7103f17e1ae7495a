"""What a grade is worth: relevant or not, its gain, its probability to satisfy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import FloatArray

WorthOf = Callable[[FloatArray], FloatArray]

TREC_RELEVANT_FROM = 1.0
TREC_MAX_GRADE = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """What grades are worth to one measure: relevance 0 or 1, a gain, or a probability.

    Attributes:
        known: from grades (any shape, no NaN) to worths of the same shape.
        levels: distinct worths that a level of the scale can have, rising, at least one.
        some_grade: a grade that an assessor may give.
        rel: lowest relevant grade; ``None`` where worth is more than relevant or not.
        ceiling: highest grade that the measure can read; infinity where there is none.
    """

    known: WorthOf
    levels: FloatArray
    some_grade: float
    rel: float | None
    ceiling: float

    def of(self, grades: FloatArray) -> FloatArray:
        """Return the worths of grades; NaN, unjudged, is worth 0."""
        worths = self.known(grades)
        return worths if self.rel is not None else np.where(np.isnan(worths), 0.0, worths)

    @property
    def low(self) -> float:
        """The least that a document can be worth."""
        return float(self.levels[0])

    @property
    def high(self) -> float:
        """The most that a document can be worth."""
        return float(self.levels[-1])


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
        self._worths: dict[tuple[object, ...], Worth] = {}

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

    def gains(self, grades: FloatArray) -> FloatArray:
        """Return the gain of each grade."""
        if self.scale is None:
            return np.maximum(grades, 0.0)
        return np.interp(grades, self._levels[0], self._levels[1])

    def chances(self, grades: FloatArray) -> FloatArray:
        """Return p_relevant of each grade, 0 to 1."""
        if self.scale is None:
            return exponential_chances(grades, self.max_grade)
        return np.interp(grades, self._levels[0], self._levels[2])

    def worth(self, measure: Measure) -> Worth:
        """Return what grades are worth to a measure; those that look at no grade count relevance."""
        found = self._worths.get(measure.reading)
        if found is None:
            rel = measure.values.get("rel")
            threshold = float(rel) if isinstance(rel, int | float) else self.relevant_from
            ceiling = self.highest_grade(measure)
            graded = self._graded_worth(measure, ceiling)
            known = graded or (lambda grades: (grades >= threshold).astype(np.float64))
            grades = level_grades(self.scale)
            found = Worth(
                known,
                # Asked for values alone, it would load numpy.ma.
                np.unique(known(grades), return_index=True)[0],
                float(grades[0]),
                None if graded else threshold,
                ceiling,
            )
            self._worths[measure.reading] = found
        return found

    def _graded_worth(self, measure: Measure, ceiling: float) -> WorthOf | None:
        """Return worths that are not only 0 or 1; ``None`` for relevance."""
        values = measure.values
        if measure.spec.uses == "share" or values.get("rel") == "gain":
            best = self.max_gain or 1.0
            return lambda grades: self.gains(grades) / best
        if measure.spec.uses == "gain":
            return lambda grades: self._own_gains(values, grades)
        if measure.spec.uses != "p":
            return None
        # Of a grade above the scale there is no value; a probability above 1 must not
        # spoil those of other queries beside it.
        if values.get("p") == "exp":
            return lambda grades: exponential_chances(np.minimum(grades, ceiling), ceiling)
        return lambda grades: self.chances(np.minimum(grades, ceiling))

    def _own_gains(self, values: Mapping[str, object], grades: FloatArray) -> FloatArray:
        """Return the gain of each grade as ``dcg=`` and ``gains=`` have it."""
        own = values["gains"]
        if values["dcg"] == "exp-log2":
            gains = np.exp2(np.maximum(grades, 0.0)) - 1.0
        else:
            gains = self.gains(grades)
        if isinstance(own, tuple):
            gains = gains.copy()
            for grade, gain in own:
                gains[grades == grade] = gain
        return gains

    def highest_grade(self, measure: Measure) -> float:
        """Return the highest grade that a measure can read; infinity where there is none."""
        values = measure.values
        top = values.get("max_rel")
        if isinstance(top, int | float):
            return float(top)
        if measure.spec.uses in ("p", "share"):
            return self.max_grade
        reads_scale = values.get("dcg") == "log2" or values.get("rel") == "gain"
        return self.max_grade if reads_scale and self.scale is not None else float("inf")


@lru_cache(maxsize=16)
def grading_of(scale: Scale | None) -> Grading:
    """Return what reads grades by a scale; ``None`` for files alone (TREC 0-4)."""
    return Grading(scale)


def worth_of(measure: Measure, scale: Scale | None) -> Worth:
    """Return what grades are worth to a measure; see :meth:`Grading.worth`."""
    return grading_of(scale).worth(measure)


def level_grades(scale: Scale | None) -> FloatArray:
    """Return the grades that an assessor may give, rising.

    A level below 0 is none of them: a negative grade means 'not judged'.
    """
    if scale is None:
        return np.arange(TREC_MAX_GRADE + 1.0)
    grades = np.array(scale.grades, dtype=np.float64)
    return grades[grades >= 0]


def exponential_chances(grades: FloatArray, max_grade: float) -> FloatArray:
    """Return (2^g − 1) / 2^gmax for each grade (Chapelle and others 2009; gdeval)."""
    chances: FloatArray = (np.exp2(np.maximum(grades, 0.0)) - 1.0) / 2.0**max_grade
    return chances
