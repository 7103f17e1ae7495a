"""Agreement of orders: of two rankings of a query, and of the systems under two ways to measure."""

from collections.abc import Sequence
from dataclasses import replace

from judgetool.metrics import Measure, compare_rankings
from judgetool.metrics.comparison import MeasureAgreement, compare_measure_orders
from judgetool.metrics.correlation import OrderAgreement, RankingAgreement, compare_orders
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import Board
from judgetool.session.comparing.system_values import Place, block_of_system, place_of_system
from judgetool.session.judgment_book import settled_rows
from judgetool.session.session import Session
from judgetool.session.systems import System

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
        board.engine.add_run(-number, block_of_system(session, system))
        found[system.key] = _means(Place(board, -number), kept)
        board.engine.remove_run(-number)
    return found
