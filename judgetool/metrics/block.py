"""What values are computed from: many rankings at once, and what the grades behind them are worth.

A *row* is one ranking of one query. A block may hold one run over all queries, or
all runs over one query: the terms do not care. Of a ranking only the *graded* are
kept, the ranks whose document somebody judged or pooled; a row's sum over its graded
is added in rank order with ``np.bincount(weights=)``, as trec_eval's C does.

What a grade is worth: relevant or not, its gain, its probability to satisfy.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import MOST_GRADE, Scale, parse_scale
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FactKind, FactRow, FloatArray, IntArray

WorthOf = Callable[[FloatArray], FloatArray]

TREC_RELEVANT_FROM = 1.0
TREC_MAX_GRADE = 4.0


class Worth(NamedTuple):
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
        assert self.scale is not None
        grades, gains, chances = np.array(self.scale.figures[0], dtype=np.float64).T
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
            gains = np.exp2(np.clip(grades, 0.0, MOST_GRADE)) - 1.0
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
        if values.get("dcg") == "exp-log2":
            return MOST_GRADE
        reads_scale = values.get("dcg") == "log2" or values.get("rel") == "gain"
        return self.max_grade if reads_scale and self.scale is not None else float("inf")


def meant_scale(scale: Scale | str | None) -> Scale | None:
    """Return a scale that may be given by its name, as ``--scale`` takes it: ``0-3``, ``1-5@4``.

    Raises:
        UsageError: there is none of this name; the text says what is understood.
        InputError: its grades do not make a scale.
    """
    return parse_scale(scale) if isinstance(scale, str) else scale


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


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RankedGrades:
    """Grades at some ranks of some rows, in the order of rows and ranks.

    Attributes:
        rows: row of each document, rising, shape (n,).
        ranks: rank from 1, rising within a row, shape (n,).
        grades: grade, negative for 'pooled, not judged', shape (n,).
        n_rows: number of rows, those without any included.
    """

    rows: IntArray
    ranks: IntArray
    grades: FloatArray
    n_rows: int

    def where(self, mask: BoolArray) -> "RankedGrades":
        """Return those for which the mask is true."""
        if mask.all():
            return self
        return RankedGrades(self.rows[mask], self.ranks[mask], self.grades[mask], self.n_rows)

    @cached_property
    def counts(self) -> IntArray:
        """Number of documents of each row, shape (n_rows,)."""
        return np.bincount(self.rows, minlength=self.n_rows)

    @cached_property
    def places(self) -> IntArray:
        """Place of each among those of its row, from 1, shape (n,)."""
        return np.arange(1, len(self.rows) + 1) - starts_of(self.counts)[self.rows]


@dataclass(frozen=True, eq=False)
class JudgedGrades:
    """All judged grades of some queries, retrieved or not, best first within a query.

    Attributes:
        queries: query of each grade, rising, shape (n,).
        grades: none negative, falling within a query, shape (n,).
        n_queries: number of queries, those without a judgment included.
    """

    queries: IntArray
    grades: FloatArray
    n_queries: int

    @cached_property
    def counts(self) -> IntArray:
        """Number of judged documents of each query, shape (n_queries,)."""
        return np.bincount(self.queries, minlength=self.n_queries)

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each in the ideal ranking of its query, from 1, shape (n,)."""
        return np.arange(1, len(self.queries) + 1) - starts_of(self.counts)[self.queries]

    @cached_property
    def highest(self) -> FloatArray:
        """The best grade of each query, −1 where none is judged, shape (n_queries,)."""
        best = np.full(self.n_queries, -1.0)
        best[self.queries[::-1]] = self.grades[::-1]
        return best


def complete_facts(
    facts: Mapping[FactKind, FactRow],
    kind: str,
    judged: FactRow,
    worth: Callable[[FloatArray], FloatArray],
) -> Mapping[FactKind, FactRow]:
    """Return the facts as the terms of a measure see them.

    Args:
        facts: what is known of one ranking.
        kind: what the measure asks for.
        judged: the grades, as if the query were its only subtopic.
        worth: from grades to relevance; of grades by subtopic and of a sample that is told.
    """
    if kind == "samples" and kind in facts:
        ranks, *tables = facts["samples"]
        tables = [each.copy() for each in tables]
        for numbers in tables:
            is_judged = ~np.isnan(numbers[:, -1])
            numbers[is_judged, -1] = worth(numbers[is_judged, -1])
        return {"samples": FactRow(ranks, *tables)}
    if kind != "subtopics":
        return facts
    found = facts.get("subtopics", judged)
    return {"subtopics": FactRow(found.ranks, worth(found.numbers), worth(found.pool))}


class Block:
    """Rows of rankings with the judgments of their queries.

    Args:
        graded: judged and pooled documents of the rankings.
        lengths: number of documents of each ranking, shape (n_rows,).
        judged: all judged grades of the queries.
        row_queries: query of each row, an index into ``judged``; ``None`` when row
            and query are one.
        grading: how grades are read.

    Attributes:
        facts: by kind, for each row; without the kinds that are not known or not asked for.
    """

    def __init__(
        self,
        graded: RankedGrades,
        lengths: IntArray,
        judged: JudgedGrades,
        *,
        grading: Grading,
        row_queries: IntArray | None = None,
    ) -> None:
        self.all_graded = graded
        self.lengths = lengths
        self.judged = judged
        self.grading = grading
        self.row_queries = row_queries
        self.facts: dict[FactKind, list[FactRow]] = {}
        self._tops: dict[int, RankedGrades] = {}
        self._relevant: dict[tuple[float, int | None], RankedGrades] = {}
        self._n_relevant: dict[float, IntArray] = {}
        self._memo: dict[tuple[object, ...], object] = {}

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.lengths)

    def memo(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return a result shared by several measures, computing it the first time."""
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]  # type: ignore[return-value]  # each key has one kind of result

    def by_row(self, by_query: npt.NDArray[T]) -> npt.NDArray[T]:  # type: ignore[type-var]  # any scalar
        """Turn one number per query into one per row."""
        return by_query if self.row_queries is None else by_query[self.row_queries]

    @cached_property
    def graded(self) -> RankedGrades:
        """The judged ranks, shape (n,)."""
        return self.all_graded.where(self.all_graded.grades >= 0)

    def top(self, cutoff: int | None) -> RankedGrades:
        """Return what is judged among the first ranks."""
        if cutoff is None:
            return self.graded
        found = self._tops.get(cutoff)
        if found is None:
            found = self._tops[cutoff] = self.graded.where(self.graded.ranks <= cutoff)
        return found

    def relevant(self, rel: float, cutoff: int | None = None) -> RankedGrades:
        """Return what is relevant among the first ranks."""
        found = self._relevant.get((rel, cutoff))
        if found is None:
            top = self.top(cutoff)
            found = self._relevant[rel, cutoff] = top.where(top.grades >= rel)
        return found

    def n_relevant(self, rel: float) -> IntArray:
        """Return R of each row's query: relevant documents, retrieved or not."""
        found = self._n_relevant.get(rel)
        if found is None:
            queries = self.judged.queries[self.judged.grades >= rel]
            found = self.by_row(np.bincount(queries, minlength=self.judged.n_queries))
            self._n_relevant[rel] = found
        return found

    @cached_property
    def condensed(self) -> "Block":
        """The same rankings with unjudged documents taken out."""
        graded = self.graded
        closed = Block(
            RankedGrades(graded.rows, graded.places, graded.grades, graded.n_rows),
            graded.counts,
            self.judged,
            grading=self.grading,
            row_queries=self.row_queries,
        )
        if self.facts:
            ranks = np.split(graded.ranks, np.cumsum(graded.counts)[:-1])
            closed.facts = {
                kind: [row.condensed(each) for row, each in zip(rows, ranks, strict=True)]
                for kind, rows in self.facts.items()
            }
        return closed


def starts_of(counts: IntArray) -> IntArray:
    """Return where each row begins, given how many entries each has."""
    return np.cumsum(counts, dtype=np.int64) - counts


def edges_of(counts: IntArray | Sequence[int]) -> IntArray:
    """Return where each row begins, and last where all end, given how many entries each has."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))


def add_by_row(rows: IntArray, weights: FloatArray, *, n_rows: int) -> FloatArray:
    """Add numbers row by row, one after the other as C does (``np.sum`` adds in pairs)."""
    return np.bincount(rows, weights=weights, minlength=n_rows).astype(np.float64, copy=False)
