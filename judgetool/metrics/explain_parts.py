"""What an explanation is built from: the list that counts, and columns beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_worth import WorthOf, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

PlaceArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an explanation, after rank and grade.

    Attributes:
        key: name in JSON.
        head: short, for a narrow panel.
        decimals: to show; 0 for counts.
        is_main: whether a narrow panel shows it; all others are for the wide forms.
    """

    key: str
    head: str
    decimals: int = 3
    is_main: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """The documents that a measure counts, in the order in which it counts them.

    Attributes:
        measure: what is explained.
        scale: of the grades; ``None`` for TREC 0-4.
        grades: all of the query.
        places: of the counted documents in the ranking, from 0, shape (m,): the first
            ranks, without unjudged documents where these are left out.
        length: documents in the whole ranking so counted.
    """

    measure: Measure
    scale: Scale | None
    grades: QueryGrades
    places: PlaceArray
    length: int

    @property
    def counted(self) -> FloatArray:
        """Grades of the counted documents, NaN where nobody judged, shape (m,)."""
        return self.grades.ranked[self.places]

    @property
    def is_judged(self) -> BoolArray:
        """Whether somebody judged each counted document, shape (m,)."""
        return ~np.isnan(self.counted)

    @property
    def ranks(self) -> FloatArray:
        """Rank of each counted document among those that count, shape (m,)."""
        return np.arange(1.0, len(self.places) + 1)

    @property
    def worth_of(self) -> WorthOf:
        """What a grade is worth to the measure."""
        return worth_of(self.measure, self.scale).of

    @property
    def worth(self) -> FloatArray:
        """Worth of each counted document, 0 where nobody judged, shape (m,)."""
        return self.worth_of(self.counted)

    @property
    def n_relevant(self) -> float:
        """R, retrieved or not; for measures that count relevance."""
        return float(self.worth_of(self.grades.judged).sum())

    @property
    def depth(self) -> int:
        """k, or the length for a measure without a cutoff."""
        return self.length if self.measure.cutoff is None else self.measure.cutoff


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The arithmetic of a value: factor × (Σ adds + constant) ÷ divisor.

    Attributes:
        columns: with their numbers, one per counted document; a column may go on below
            the last of them (the ideal order), NaN is an empty cell.
        adds: key of the column that is added up.
        above: words for the sum, in the foot.
        below: words for the divisor, in the foot; empty when there is none.
        divisor: number to divide by, ``None`` for none, or key of the column whose sum it is.
        factor: to multiply by.
        constant: added to the sum: what no row holds.
        notes: further lines of the foot.
        is_count: whether the value is a whole number.
        line: left side of the last line where it is not the sum and the divisor.
    """

    columns: Mapping[Column, FloatArray]
    adds: str
    above: str
    below: str = ""
    divisor: float | str | None = None
    factor: float = 1.0
    constant: float = 0.0
    notes: tuple[str, ...] = ()
    line: str = ""
    is_count: bool = False


def find_subject(
    measure: Measure, grades: QueryGrades, scale: Scale | None, *, leave_out_unjudged: bool
) -> Subject:
    """Return the documents that count, in order."""
    is_condensed = measure.has_param("judged_only") and (
        leave_out_unjudged or measure.param("judged_only") is True
    )
    places = np.flatnonzero(grades.is_judged) if is_condensed else np.arange(grades.n_retrieved)
    return Subject(measure, scale, grades, places[: measure.cutoff], len(places))


def sum_of(parts: Parts, key: str) -> float:
    """Return the sum of a column, empty cells as 0."""
    numbers = next(values for column, values in parts.columns.items() if column.key == key)
    return float(np.nansum(numbers))
