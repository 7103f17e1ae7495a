"""Systems query by query: which queries changed most and by which documents, and rankings side by side.

Beside each other stand two rankings of a query, or the systems under two ways to measure: what stands
where, what moved, and how alike the orders are.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from judgetool.core.judgments import Document, State
from judgetool.core.terms import one_line
from judgetool.metrics import Bounds, Measure, compare_rankings, compute_rbo
from judgetool.metrics.bounds import NEVER, compute_all_bounds
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.metrics.comparison import (
    ComparisonRules,
    MeasureAgreement,
    OrderAgreement,
    PairComparison,
    RankingAgreement,
    check_measures,
    compare_measure_orders,
    compare_orders,
    compare_pair,
    is_tested,
    weights_in,
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
from judgetool.session.board import Board, settled_rows
from judgetool.session.comparing.system_values import (
    Place,
    assumed_of_system,
    block_of_system,
    by_document,
    find_apart,
    means_at,
    move_sign,
    place_of_system,
    ranking_of_any,
    ranks_of,
)
from judgetool.session.finding import group_of
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _, local_number

# Which queries changed most


class QueryDifference(NamedTuple):
    """One query under two systems.

    Attributes:
        query: its number.
        value: of the system.
        baseline: of the baseline.
        difference: value minus baseline, free of rounding noise.
        is_missing: whether the system has no results for this judged query.
        is_missing_in_baseline: whether the baseline has none.
        weight: of the query in means.
    """

    query: int
    value: float
    baseline: float
    difference: float
    is_missing: bool = False
    is_missing_in_baseline: bool = False
    weight: float = 1.0

    @property
    def lacks_a_side(self) -> bool:
        """Whether one of the two has no results."""
        return self.is_missing or self.is_missing_in_baseline


class QueryDifferences(NamedTuple):
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
    def mean(self) -> float:
        """The mean of the differences, as queries count in means."""
        total = sum(row.weight * row.difference for row in self.rows)
        return without_noise(total / sum(row.weight for row in self.rows))

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


class DocumentShare(NamedTuple):
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
        """What it adds to the difference; 0 where the two are the same but for the last digits of floats."""
        return without_noise(self.adds - self.baseline_adds)


class ExplainedDifference(NamedTuple):
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
    engine = places[-1].engine
    weights = weights_in(measure, engine.mean_weights)
    shares = np.ones(len(queries)) if weights is None else weights[queries]
    arrays = (queries, values, others, differences, *missing, shares)
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
    if not is_apart and None not in (ours, theirs) and measure.has_bounds:
        board = session.board
        pair = RankingPair.from_documents(
            *(ranking_of_any(session, each, query) for each in (system, baseline)),
            known=by_document(board.engine.judged_grades(query)),
            pool=board.pool(query),
        )
        leaves_out = board.engine.conventions.leaves_out_unjudged
        difference = compute_pair_bounds(
            measure, pair, board.scale, budget=SEARCH_BUDGET, leave_out_unjudged=leaves_out
        )
    return QueryBounds(ours, theirs, difference)


def _value_bounds(session: Session, system: System, query: int, measure: Measure) -> Bounds | None:
    place = place_of_system(session, system)
    engine, pool = place.engine, place.board.pool(query)
    grades = engine.query_grades(place.key, query, pool=pool, has_assumed=False)
    value = engine.numbers(place.key, query)[engine.measures.index(measure)]
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
            weights=[row.weight for row in group.rows],
            check=check,
            has_test=is_tested(found.measure) and found.apart is None,
        )
        for group in found.groups
    ]
    if found.apart is not None:
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
    difference = without_noise((value or 0.0) - (other or 0.0))
    if adds is None or other_adds is None:
        reason = _("{measure} is no sum over documents.").format(measure=measure)
        if value is None and other is None:
            reason = _("The value is undefined on both sides.")
        elif value is None or other is None:
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
    grades = place.grades_of(query)
    leaves_out = engine.conventions.leaves_out_unjudged
    curve = contribution_by_rank(measure, grades, engine.scale, leave_out_unjudged=leaves_out)
    (value,) = engine.numbers_of(place.key, query, [measure])
    if curve is None:
        return value, None
    adds: _Adds = {document: (rank, 0.0) for rank, document in enumerate(ranking, 1)}
    for rank, part in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
        adds[ranking[int(rank) - 1]] = (int(rank), part)
    return (float(curve.y.sum()) if value is None else value), adds


# Rankings beside each other

DEPTHS = (10, 20, 50, 100, 1000)
_MOST_TITLE = 120
_TOP = 10


class Placed(NamedTuple):
    """A document at its rank.

    Attributes:
        document: its number.
        rank: from 1.
        title: or its id, where it has none.
        state: judged, unjudged or impossible to judge.
        grade: that counts for this system; ``None`` without one.
        is_assumed: whether that counts though nobody gave it.
        move: what it did against the column before (the first column: what it does in
            the next), such as ``new``, ``↓3``, ``gone``, ``to 13``; ``""`` for nothing.
    """

    document: int
    rank: int
    title: str
    state: State
    grade: float | None
    move: str
    is_assumed: bool = False


class RankingColumn(NamedTuple):
    """One system's ranking.

    Attributes:
        system: whose.
        value: of the measure for this query; ``None`` where undefined.
        reason: why.
        cards: as far down as is shown.
        n_ranks: how many documents it has in all.
        likeness: how much of its top is judged, and how much of it the first column has.
    """

    system: System
    value: float | None
    reason: str
    cards: tuple[Placed, ...]
    n_ranks: int
    likeness: str = ""


class SideBySide(NamedTuple):
    """All columns of a query.

    Attributes:
        columns: two to four.
        order: ranks as they are shown, top first.
        n_different: ranks at which the columns have different documents.
        links: for each gap between columns, the pairs of ranks that the same document
            has left and right, both among those shown.
    """

    columns: tuple[RankingColumn, ...]
    order: tuple[int, ...]
    n_different: int
    links: tuple[tuple[tuple[int, int], ...], ...]


def side_by_side(
    session: Session,
    systems: Sequence[System],
    query: int,
    measure: Measure,
    *,
    depth: int,
    differences_first: bool = False,
) -> SideBySide:
    """Return rankings beside each other.

    Args:
        session: the project.
        systems: left to right.
        query: its number.
        measure: one of the chosen ones.
        depth: ranks to show, at least 1.
        differences_first: ranks at which the columns have different documents first.

    Raises:
        InputError: a system is no longer in the project.
    """
    whole = [ranking_of_any(session, each, query).tolist() for each in systems]
    ranks = [ranks_of(each) for each in whole]
    tops = [each[:depth] for each in whole]
    wanted = sorted({document for top in tops for document in top})
    texts = dict(zip(wanted, session.material.show_documents(wanted), strict=True))
    columns = tuple(
        _column(
            session,
            system,
            query,
            measure,
            _Shown(top, texts, _moves(place, ranks, depth), all_, whole[0] if place else None),
        )
        for place, (system, top, all_) in enumerate(zip(systems, tops, whole, strict=True))
    )
    links = tuple(
        tuple(
            (rank, ranks[place + 1][document])
            for rank, document in enumerate(top, 1)
            if ranks[place + 1].get(document, depth + 1) <= depth
        )
        for place, top in enumerate(tops[:-1])
    )
    documents_at = enumerate(zip_longest(*tops), 1)
    differing = [rank for rank, documents in documents_at if len(set(documents)) > 1]
    order = tuple(range(1, max(map(len, tops), default=0) + 1))
    if differences_first:
        order = (*differing, *(rank for rank in order if rank not in set(differing)))
    return SideBySide(columns, order, len(differing), links)


class _Shown(NamedTuple):
    documents: list[int]
    texts: dict[int, Document]
    moves: dict[int, str]
    ranking: list[int]
    first: list[int] | None


def _moves(place: int, ranks: list[dict[int, int]], depth: int) -> dict[int, str]:
    """Return what the documents of a column did, by document."""
    if place == 0:
        following = ranks[1] if len(ranks) > 1 else ranks[0]
        return {document: _leaves_for(following.get(document), depth) for document in ranks[place]}
    before = ranks[place - 1]
    return {
        document: move_sign(before.get(document), rank) for document, rank in ranks[place].items()
    }


def _leaves_for(rank: int | None, depth: int) -> str:
    if rank is None:
        return "gone"
    return _("to {rank}").format(rank=rank) if rank > depth else ""


def _column(
    session: Session, system: System, query: int, measure: Measure, shown: _Shown
) -> RankingColumn:
    place = place_of_system(session, system)
    grades = by_document(place.engine.known_grades(place.key, query))
    assumed = place.engine.assumed_documents(place.key, query)
    settled = place.board.settled(query)
    cards = []
    for rank, document in enumerate(shown.documents, 1):
        grade = grades.get(document)
        effective = settled.get(document)
        is_judged = grade is not None and document not in assumed
        state = State.JUDGED if is_judged else State.UNJUDGED
        if effective is not None and effective.grade is None and grade is None:
            state = State.CANNOT_JUDGE
        text = shown.texts[document]
        title = one_line(text.title or text.id, most=_MOST_TITLE)
        move = shown.moves.get(document, "")
        is_assumed = document in assumed
        cards.append(Placed(document, rank, title, state, grade, move, is_assumed))
    found = place.engine.value(place.key, query)[place.engine.measures.index(measure)]
    likeness = _likeness(shown, grades.keys() - assumed, measure.cutoff or _TOP)
    return RankingColumn(
        system, found.value, found.reason, tuple(cards), len(shown.ranking), likeness
    )


def _likeness(shown: _Shown, judged: Set[int], depth: int) -> str:
    """Return how much of a ranking's top is judged and shared with the first, in words."""
    top = shown.ranking[:depth]
    if not top:
        return ""
    parts = [
        _("{count}/{all} judged").format(count=sum(each in judged for each in top), all=len(top))
    ]
    if shown.first is not None:
        n_shared = len(set(top) & set(shown.first[:depth]))
        parts.append(_("{count} shared").format(count=n_shared))
        overlap = compute_rbo(shown.first, shown.ranking)
        if overlap is not None:
            parts.append(f"RBO {local_number(f'{overlap.extrapolated:.2f}')}")
    return ", ".join(parts)


DEFAULT_DEPTH = 100


def agree_on_queries(
    session: Session,
    first: System,
    second: System,
    *,
    kept: BoolArray | None = None,
) -> list[RankingAgreement]:
    """Return how alike two systems rank each query that at least one of them has.

    Looked at are the first :data:`DEFAULT_DEPTH` ranks of each.

    Args:
        session: the project.
        first: a run or a what-if.
        second: another.
        kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.

    Raises:
        InputError: a system is no longer in the project.
    """
    # All at once: a snapshot's what-if would be put together anew for each query.
    blocks = [block_of_system(session, each) for each in (first, second)]
    tops = (
        [block.ranking(query)[:DEFAULT_DEPTH].tolist() for block in blocks]
        for query in range(len(session.material.queries))
        if kept is None or kept[query]
    )
    return [compare_rankings(one, two) for one, two in tops if one or two]


def agree_on_measures(
    session: Session, systems: Sequence[System], kept: BoolArray | None = None
) -> tuple[MeasureAgreement, ...]:
    """Return how alike each two of the chosen measures order the systems by their means.

    Args:
        session: the project.
        systems: what is ordered.
        kept: the queries that means are over alone, shape (n_queries,); ``None`` for all.

    Returns:
        A row for each two measures that have means of all systems; empty with fewer
        than three systems, of which any order says little.

    Raises:
        InputError: a system is no longer in the project.
    """
    places = {each.key: place_of_system(session, each) for each in systems}
    means = {key: _means(place, kept) for key, place in places.items()}
    return compare_measure_orders(session.measures, means)


def agree_on_views(
    session: Session,
    systems: Sequence[System],
    first: str,
    second: str,
    kept: BoolArray | None = None,
) -> list[tuple[Measure, OrderAgreement | None]]:
    """Return how alike each chosen measure orders the systems under two views of judgments.

    Args:
        session: the project.
        systems: of the present; at least three, else there is nothing to compare.
        first: name of a folding rule, or ``mine``.
        second: another.
        kept: the queries that means are over alone, shape (n_queries,); ``None`` for all.

    Returns:
        Each measure that says which system is better, with ``None`` where a system has no mean
        under one of the views; empty with fewer than three systems.

    Raises:
        UsageError: there is no such view.
        InputError: a system is no longer in the project.
    """
    if len(systems) < 3:
        return []
    sides = [_means_under(session, systems, view, kept) for view in (first, second)]
    rows: list[tuple[Measure, OrderAgreement | None]] = []
    for column, measure in enumerate(session.measures):
        if not measure.is_quality:
            continue
        one, two = (
            {key: mean for key, means in side.items() if (mean := means[column]) is not None}
            for side in sides
        )
        is_known = len(one) == len(two) == len(systems)
        rows.append((measure, compare_orders(one, two) if is_known else None))
    return rows


def _means(place: Place, kept: BoolArray | None) -> list[float | None]:
    return [mean.value for mean in means_at(place, kept)]


def _means_under(
    session: Session, systems: Sequence[System], view: str, kept: BoolArray | None
) -> dict[str, list[float | None]]:
    """Return each system's means under a view, by ``System.key``."""
    rows = settled_rows(session.reader, session.material.place_of)
    board = Board(session.material, rows, replace(session.board_settings, view=view))
    found = {}
    for number, system in enumerate(systems, 1):
        # What-ifs, and one system after the other under one number: no run has it.
        block, assumed = block_of_system(session, system), assumed_of_system(session, system)
        board.engine.add_run(-number, block, assumed=assumed)
        found[system.key] = _means(Place(board, -number), kept)
        board.engine.remove_run(-number)
    return found
