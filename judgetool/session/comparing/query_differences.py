"""Two systems query by query: which queries changed most, and which documents make it up."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgetool.metrics import Bounds, Measure
from judgetool.metrics.bounds import NEVER, compute_all_bounds
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.metrics.comparison import (
    ComparisonRules,
    PairComparison,
    check_measures,
    compare_pair,
    is_tested,
)
from judgetool.metrics.curves import contribution_by_rank
from judgetool.metrics.grades import RankingPair
from judgetool.metrics.significance import (
    ValuedApart,
    compute_differences,
    correct_p,
    reads_judgments,
    without_noise,
)
from judgetool.metrics.terms import BoolArray
from judgetool.session.comparing.system_values import (
    find_apart,
    place_of_system,
    ranking_of_any,
)
from judgetool.session.session import Session
from judgetool.session.systems import System, group_of
from judgetool.wording import _


class QueryDifference(NamedTuple):
    """One query under two systems.

    Attributes:
        query: its number.
        value: of the system.
        baseline: of the baseline.
        difference: value minus baseline, free of rounding noise.
        is_missing: whether the system has no results for this judged query.
        is_missing_in_baseline: whether the baseline has none.
    """

    query: int
    value: float
    baseline: float
    difference: float
    is_missing: bool = False
    is_missing_in_baseline: bool = False

    @property
    def lacks_a_side(self) -> bool:
        """Whether one of the two has no results."""
        return self.is_missing or self.is_missing_in_baseline


@dataclass(frozen=True, slots=True)
class QueryDifferences:
    """All queries that count for both systems, or a group of them.

    Attributes:
        measure: what is compared.
        rows: worst regression first; of equal differences in the project's order.
        name: of a group the category, or the content of the field; ``""`` for queries without.
        groups: by category or field, worst mean first; empty when not asked for.
        apart: how the grades differ that the two are valued by: nothing is tested then; ``None``
            where they do not.
    """

    measure: Measure
    rows: tuple[QueryDifference, ...]
    name: str = ""
    groups: tuple["QueryDifferences", ...] = ()
    apart: ValuedApart | None = None

    @property
    def is_apart(self) -> bool:
        """Whether the two are valued by different grades."""
        return self.apart is not None

    @property
    def mean(self) -> float:
        """The mean of the differences."""
        return without_noise(sum(row.difference for row in self.rows) / len(self.rows))

    @property
    def n_better(self) -> int:
        """Rows above 0."""
        return sum(row.difference > 0 for row in self.rows)

    @property
    def n_worse(self) -> int:
        """Rows below 0."""
        return sum(row.difference < 0 for row in self.rows)

    @property
    def n_equal(self) -> int:
        """Rows at 0."""
        return len(self.rows) - self.n_better - self.n_worse


@dataclass(frozen=True, slots=True)
class DocumentShare:
    """What one document adds to the values of two systems.

    Attributes:
        document: its number; ``None`` for what no document holds.
        rank: in the system's ranking, from 1; ``None`` where it is not.
        baseline_rank: in the baseline's, likewise.
        adds: to the system's value.
        baseline_adds: to the baseline's.
    """

    document: int | None
    rank: int | None
    baseline_rank: int | None
    adds: float
    baseline_adds: float

    @property
    def difference(self) -> float:
        """What it adds to the difference."""
        return self.adds - self.baseline_adds


@dataclass(frozen=True, slots=True)
class ExplainedDifference:
    """Which documents make a difference of two values.

    Attributes:
        measure: what is explained.
        value: of the system; ``None`` where undefined.
        baseline: of the baseline, likewise.
        difference: value minus baseline, undefined as 0.
        rows: largest part first, whatever its sign; their differences add up to
            ``difference``. Documents that add nothing on either side are left out.
        reason: why there are no rows, in plain words; else empty.
    """

    measure: Measure
    value: float | None
    baseline: float | None
    difference: float
    rows: tuple[DocumentShare, ...]
    reason: str = ""


def query_differences(
    session: Session,
    system: System,
    baseline: System,
    measure: Measure,
    *,
    group_by: str = "",
    kept: BoolArray | None = None,
) -> QueryDifferences:
    """Return the differences of two systems query by query.

    Args:
        session: the project.
        system: what is compared.
        baseline: with what.
        measure: one of the chosen ones, with values by query.
        group_by: ``category``, or the name of a field of the queries; ``""`` for none.
        kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.

    Raises:
        UsageError: the measure has no values by query.
        ValueError: the measure is not among the chosen ones.
        InputError: a system is no longer in the project.
    """
    check_measures([measure])
    column = session.measures.index(measure)
    places = [place_of_system(session, each) for each in (system, baseline)]
    ours, theirs = (place.engine.counted_values(place.key)[:, column] for place in places)
    reads = reads_judgments(measure)
    apart = find_apart(session, system, baseline, kept) if reads else None
    is_counted = ~(np.ma.getmaskarray(ours) | np.ma.getmaskarray(theirs))
    queries = np.flatnonzero(is_counted if kept is None else is_counted & kept)
    values, others = ours.data[queries], theirs.data[queries]
    differences = compute_differences(values, others)
    missing = (place.engine.moment(place.key).is_missing[queries] for place in places)
    arrays = (queries, values, others, differences, *missing)
    columns = zip(*(each.tolist() for each in arrays), strict=True)
    rows = sorted((QueryDifference(*row) for row in columns), key=lambda row: row.difference)
    by_name: defaultdict[str, list[QueryDifference]] = defaultdict(list)
    for row in rows if group_by else ():
        by_name[group_of(session.material.queries[row.query], group_by)].append(row)
    groups = [QueryDifferences(measure, tuple(each), name) for name, each in by_name.items()]
    groups.sort(key=lambda group: (group.mean, group.name))
    return QueryDifferences(measure, tuple(rows), groups=tuple(groups), apart=apart)


class QueryBounds(NamedTuple):
    """What the unjudged documents could still make of one query under two systems.

    Attributes:
        value: least and greatest of the system's value; ``None`` where there is none.
        baseline: of the baseline's, likewise.
        difference: of value minus baseline; ``None`` also where the two are valued by
            different grades: of two times, or assumed.
    """

    value: Bounds | None
    baseline: Bounds | None
    difference: Bounds | None


def query_bounds(
    session: Session, system: System, baseline: System, measure: Measure, query: int
) -> QueryBounds:
    """Return least and greatest of two values of a query, and of their difference.

    Args:
        session: the project.
        system: what is compared.
        baseline: with what.
        measure: one of the chosen ones.
        query: the query's number.

    Raises:
        InputError: a system is no longer in the project.
    """
    ours, theirs = (_value_bounds(session, each, query, measure) for each in (system, baseline))
    difference = None
    only = np.arange(len(session.material.queries)) == query
    is_past = system.snapshot or baseline.snapshot
    is_apart = is_past or bool(find_apart(session, system, baseline, only))
    if not is_apart and None not in (ours, theirs):
        board = session.board
        known, pool = board.engine.judged_grades(query), board.pool(query)
        pair = RankingPair.from_documents(
            *(ranking_of_any(session, each, query) for each in (system, baseline)),
            known=dict(zip(*(each.tolist() for each in known), strict=True)),
            pool=pool,
        )
        leaves_out = board.engine.conventions.unjudged == "left out"
        difference = compute_pair_bounds(
            measure, pair, board.scale, budget=SEARCH_BUDGET, leave_out_unjudged=leaves_out
        )
    return QueryBounds(ours, theirs, difference)


def _value_bounds(session: Session, system: System, query: int, measure: Measure) -> Bounds | None:
    place = place_of_system(session, system)
    engine = place.engine
    grades = engine.query_grades(place.key, query, pool=place.board.pool(query))
    value = engine.numbers(place.key, query)[engine.measures.index(measure)]
    if measure.spec.uses == "clicks":
        return None if value is None else Bounds.certain(value)
    (found,) = compute_all_bounds(
        [measure], grades, place.board.scale, engine.conventions, values=[value]
    )
    return None if found.defined == NEVER else found


class GroupTest(NamedTuple):
    """Whether a group of queries shows a difference.

    Attributes:
        name: the group's.
        pair: means, test, interval and effect over its queries alone.
        p: corrected for the other groups, as the rules say; ``None`` where nothing is tested.
        n_tests: how many groups are corrected together; 0 where nothing is.
    """

    name: str
    pair: PairComparison
    p: float | None
    n_tests: int


def groups_tested(
    found: QueryDifferences, rules: ComparisonRules, check: Callable[[], None] | None = None
) -> list[GroupTest]:
    """Return what a test says of each group, p corrected over all of them.

    Args:
        found: with groups.
        rules: the project's.
        check: called again and again; what it raises ends the testing.
    """
    pairs = [
        compare_pair(
            [row.value for row in group.rows],
            [row.baseline for row in group.rows],
            rules,
            check=check,
            has_test=is_tested(found.measure) and not found.is_apart,
        )
        for group in found.groups
    ]
    if found.is_apart:
        pairs = [pair.without_others() for pair in pairs]
    raw = [pair.significance.p for pair in pairs if pair.significance is not None]
    corrected = iter(correct_p(raw, rules.correction))
    return [
        GroupTest(group.name, pair, None, 0)
        if pair.significance is None
        else GroupTest(group.name, pair, next(corrected), len(raw))
        for group, pair in zip(found.groups, pairs, strict=True)
    ]


def explain_difference(
    session: Session, system: System, baseline: System, query: int, measure: Measure
) -> ExplainedDifference:
    """Return which documents make up the difference of two values of a query.

    Each value is the sum of what its ranks add, as its explanation has it; a document's
    part is what it adds here minus what it adds there.

    Args:
        session: the project.
        system: what is compared.
        baseline: with what.
        query: the query's number.
        measure: any of the table; of the correlations there are no parts.

    Raises:
        InputError: a system is no longer in the project.
    """
    sides = [_side(session, each, query, measure) for each in (system, baseline)]
    (value, adds), (other, other_adds) = sides
    difference = (value or 0.0) - (other or 0.0)
    if adds is None or other_adds is None:
        reason = _("{measure} is no sum over documents.").format(measure=measure)
        if value is None or other is None:
            reason = _("The value is undefined on one side.")
        return ExplainedDifference(measure, value, other, difference, (), reason)
    rows = []
    for document in dict.fromkeys((*adds, *other_adds)):
        (rank, part), (other_rank, other_part) = (
            side.get(document, (None, 0.0)) for side in (adds, other_adds)
        )
        if part or other_part:
            rows.append(DocumentShare(document, rank, other_rank, part, other_part))
    rows.sort(key=lambda row: -abs(row.difference))
    return ExplainedDifference(measure, value, other, difference, tuple(rows))


_Adds = dict[int, tuple[int | None, float]]


def _side(
    session: Session, system: System, query: int, measure: Measure
) -> tuple[float | None, _Adds | None]:
    """Return a value, and what each document adds to it at which rank; ``None`` if it is no sum."""
    place = place_of_system(session, system)
    engine = place.engine
    ranking = ranking_of_any(session, system, query).tolist()
    grades = engine.query_grades(place.key, query, pool=place.board.pool(query))
    leaves_out = engine.conventions.unjudged == "left out"
    curve = contribution_by_rank(measure, grades, engine.scale, leave_out_unjudged=leaves_out)
    column = engine.measures.index(measure) if measure in engine.measures else None
    value = None if column is None else engine.numbers(place.key, query)[column]
    if curve is None:
        return value, None
    adds: _Adds = {document: (rank, 0.0) for rank, document in enumerate(ranking, 1)}
    for rank, part in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
        adds[ranking[int(rank) - 1]] = (int(rank), part)
    return (float(curve.y.sum()) if value is None else value), adds
