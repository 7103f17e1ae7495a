"""Agreement of orders: of two rankings of a query, and of the systems under two ways to measure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgetool.metrics import Measure, compare_rankings
from judgetool.metrics.comparison import compare_measure_orders
from judgetool.metrics.correlation import OrderAgreement, RankingAgreement, compare_orders
from judgetool.session.board import Board
from judgetool.session.comparing.system_values import block_of_system, place_of_system
from judgetool.session.judgment_book import settled_rows
from judgetool.session.session import Session
from judgetool.session.systems import System

DEFAULT_DEPTH = 100


@dataclass(frozen=True, slots=True)
class QueryAgreement:
    """How alike two systems rank one query's documents."""

    query: int
    agreement: RankingAgreement


@dataclass(frozen=True, slots=True)
class MeasureOrders:
    """How alike two measures order the systems."""

    first: Measure
    second: Measure
    n_systems: int
    agreement: OrderAgreement


@dataclass(frozen=True, slots=True)
class ViewOrders:
    """How alike one measure orders the systems under two views of judgments.

    Attributes:
        measure: by which they are ordered.
        first: name of a view.
        second: name of another.
        n_systems: how many are ordered.
        agreement: how alike; ``None`` where a system has no mean under one of them.
    """

    measure: Measure
    first: str
    second: str
    n_systems: int
    agreement: OrderAgreement | None


def agree_on_queries(
    session: Session,
    first: System,
    second: System,
    *,
    depth: int | None = DEFAULT_DEPTH,
    p: float = 0.9,
) -> list[QueryAgreement]:
    """Return how alike two systems rank each query that at least one of them has.

    Args:
        session: the project.
        first: a run or a what-if.
        second: another.
        depth: ranks of each that are looked at; ``None`` for all.
        p: of RBO, between 0 and 1.

    Raises:
        UsageError: p is out of range.
        InputError: a system is no longer in the project.
    """
    found = []
    # All at once: a snapshot's what-if would be put together anew for each query.
    blocks = [block_of_system(session, each) for each in (first, second)]
    for query in range(len(session.material.queries)):
        one, two = (block.ranking(query)[:depth].tolist() for block in blocks)
        if one or two:
            found.append(QueryAgreement(query, compare_rankings(one, two, p=p)))
    return found


def agree_on_measures(
    session: Session, systems: Sequence[System], *, p: float = 0.9
) -> list[MeasureOrders]:
    """Return how alike each two of the chosen measures order the systems by their means.

    Returns:
        A row for each two measures that have means of all systems; empty with fewer
        than three systems, of which any order says little.

    Raises:
        InputError: a system is no longer in the project.
    """
    means = {}
    for system in systems:
        place = place_of_system(session, system)
        means[system.key] = [mean.value for mean in place.engine.means(place.key)]
    return [
        MeasureOrders(row.first, row.second, row.n_runs, row.agreement)
        for row in compare_measure_orders(session.measures, means, p=p)
    ]


def agree_on_views(
    session: Session, systems: Sequence[System], first: str, second: str, *, p: float = 0.9
) -> list[ViewOrders]:
    """Return how alike each chosen measure orders the systems under two views of judgments.

    Args:
        session: the project.
        systems: of the present; at least three, else there is nothing to compare.
        first: name of a folding rule, or ``mine``.
        second: another.
        p: of RBO, between 0 and 1.

    Returns:
        A row per measure; empty with fewer than three systems.

    Raises:
        UsageError: there is no such view.
        InputError: a system is no longer in the project.
    """
    if len(systems) < 3:
        return []
    one, two = (_means_under(session, systems, view) for view in (first, second))
    rows = []
    for column, measure in enumerate(session.measures):
        orders = [
            {key: means[column] for key, means in side.items() if means[column] is not None}
            for side in (one, two)
        ]
        agreement = None
        if all(len(order) == len(systems) for order in orders):
            sides = [{k: v for k, v in order.items() if v is not None} for order in orders]
            agreement = compare_orders(sides[0], sides[1], p=p)
        rows.append(ViewOrders(measure, first, second, len(systems), agreement))
    return rows


def _means_under(
    session: Session, systems: Sequence[System], view: str
) -> dict[str, list[float | None]]:
    """Return each system's means under a view, by ``System.key``."""
    board = _board_under(session, view)
    found = {}
    for number, system in enumerate(systems, 1):
        # What-ifs, and one system after the other under one number: no run has it.
        board.engine.add_run(-number, block_of_system(session, system))
        found[system.key] = [mean.value for mean in board.engine.means(-number)]
        board.engine.remove_run(-number)
    return found


def _board_under(session: Session, view: str) -> Board:
    rows = settled_rows(session.reader, session.material.place_of)
    return Board(session.material, rows, replace(session.board_settings, view=view))
