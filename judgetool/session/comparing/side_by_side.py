"""Rankings of a query beside each other: what stands where, what moved, and how alike orders are.

Orders are two rankings of a query, or the systems under two ways to measure.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from judgetool.core.judgments import Document, State
from judgetool.core.terms import one_line
from judgetool.metrics import Measure, compare_rankings, compute_rbo
from judgetool.metrics.comparison import (
    MeasureAgreement,
    OrderAgreement,
    RankingAgreement,
    compare_measure_orders,
    compare_orders,
)
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import Board, settled_rows
from judgetool.session.comparing.baseline import move_sign, ranks_of
from judgetool.session.comparing.system_values import (
    Place,
    assumed_of_system,
    block_of_system,
    place_of_system,
    ranking_of_any,
)
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _, local_number

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


@dataclass(frozen=True, slots=True)
class RankingColumn:
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


@dataclass(frozen=True, slots=True)
class SideBySide:
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
    differing = _differing(tops)
    order = tuple(range(1, max(map(len, tops), default=0) + 1))
    if differences_first:
        order = (*differing, *(rank for rank in order if rank not in set(differing)))
    return SideBySide(columns, order, len(differing), links)


@dataclass(frozen=True, slots=True)
class _Shown:
    documents: list[int]
    texts: dict[int, Document]
    moves: dict[int, str]
    ranking: list[int]
    first: list[int] | None


def _differing(tops: list[list[int]]) -> tuple[int, ...]:
    """Return the ranks at which the columns do not have the same document."""
    longest = max(map(len, tops), default=0)
    ranks = range(1, longest + 1)
    return tuple(rank for rank in ranks if len({_at(top, rank) for top in tops}) > 1)


def _at(top: list[int], rank: int) -> int | None:
    return top[rank - 1] if rank <= len(top) else None


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
    known, given = place.engine.known_grades(place.key, query)
    grades = dict(zip(known.tolist(), given.tolist(), strict=True))
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
    depth: int | None = DEFAULT_DEPTH,
    kept: BoolArray | None = None,
) -> list[RankingAgreement]:
    """Return how alike two systems rank each query that at least one of them has.

    Args:
        session: the project.
        first: a run or a what-if.
        second: another.
        depth: ranks of each that are looked at; ``None`` for all.
        kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.

    Raises:
        InputError: a system is no longer in the project.
    """
    # All at once: a snapshot's what-if would be put together anew for each query.
    blocks = [block_of_system(session, each) for each in (first, second)]
    tops = (
        [block.ranking(query)[:depth].tolist() for block in blocks]
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
        Each measure with ``None`` where a system has no mean under one of the views; empty
        with fewer than three systems.

    Raises:
        UsageError: there is no such view.
        InputError: a system is no longer in the project.
    """
    if len(systems) < 3:
        return []
    sides = [_means_under(session, systems, view, kept) for view in (first, second)]
    rows: list[tuple[Measure, OrderAgreement | None]] = []
    for column, measure in enumerate(session.measures):
        one, two = (
            {key: mean for key, means in side.items() if (mean := means[column]) is not None}
            for side in sides
        )
        is_known = len(one) == len(two) == len(systems)
        rows.append((measure, compare_orders(one, two) if is_known else None))
    return rows


def _means(place: Place, kept: BoolArray | None) -> list[float | None]:
    engine, key = place.engine, place.key
    means = engine.means(key) if kept is None else engine.means_of_part(key, kept)
    return [mean.value for mean in means]


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
