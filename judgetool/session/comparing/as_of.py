"""The table as it was at a moment of the log, with the rankings of now."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from judgetool.metrics import Measure
from judgetool.metrics.comparison import counted_values
from judgetool.metrics.significance import DECIMALS
from judgetool.session.board import Board
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable
from judgetool.session.comparing.snapshots import Moment, board_as_of, past_values_work
from judgetool.session.comparing.system_values import block_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System

IsCancelled = Callable[[], bool]


def as_of_work(
    session: Session, systems: Sequence[System], baseline: System, event_id: int
) -> Callable[[], ComparisonTable]:
    """Return the work of the table as of a moment, for another thread.

    Args:
        session: the project.
        systems: of the present.
        baseline: among them.
        event_id: last line of the log that counts.

    Raises:
        InputError: a system is no longer in the project.
    """
    blocks = {each.key: block_of_system(session, each) for each in systems}

    def work() -> ComparisonTable:
        with session.second_reader() as reader:
            board = board_as_of(session, event_id, reader=reader)
        for number, block in enumerate(blocks.values(), 1):
            board.engine.add_run(-number, block)
        keys = {key: -number for number, key in enumerate(blocks, 1)}
        return _table(board, session.measures, systems, baseline, keys)

    return work


def _table(
    board: Board,
    measures: tuple[Measure, ...],
    systems: Sequence[System],
    baseline: System,
    keys: dict[str, int],
) -> ComparisonTable:
    engine = board.engine
    depth = max((each.cutoff or 0 for each in measures), default=0) or 10
    start = counted_values(engine, keys[baseline.key])
    means = {each.key: engine.means(keys[each.key]) for each in systems}
    best = [
        _best(measure, [row[at].value for row in means.values()])
        for at, measure in enumerate(measures)
    ]
    rows = []
    for system in systems:
        differences = counted_values(engine, keys[system.key]) - start
        cells = []
        for at, measure in enumerate(measures):
            mean = means[system.key][at]
            known = np.round(differences[:, at].compressed(), DECIMALS)
            has_difference = system != baseline and measure.spec.has_query_values and len(known)
            is_best = mean.value is not None and mean.value == best[at]
            difference = float(known.mean()) if has_difference else None
            cells.append(ComparisonCell(mean, None, difference, None, None, 0, is_best))
        facts = engine.run_facts(keys[system.key])
        n_queries = int(np.count_nonzero(facts.lengths))
        share = facts.judged_share(depth)
        rows.append(ComparisonRow(system, system == baseline, tuple(cells), share, n_queries))
    return ComparisonTable(baseline, measures, tuple(rows), depth, None, 0, ())


def _best(measure: Measure, values: list[float | None]) -> float | None:
    """Return the best mean; of what only counts none is better."""
    if measure.spec.pooling == "sum" or measure.name == "Unjudged":
        return None
    return max((value for value in values if value is not None), default=None)


def moments_work(
    session: Session, system: System, measure: Measure
) -> Callable[[IsCancelled], list[Moment]]:
    """Return the work of finding the moments of the log, for another thread.

    Args:
        session: the project.
        system: any of the present.
        measure: any with means.
    """
    find = past_values_work(session, system, measure)

    def work(is_cancelled: IsCancelled) -> list[Moment]:
        with session.second_reader() as reader:
            found = find(reader, is_cancelled)
        return [Moment(each.event_id, each.at, each.n_judged) for each in found]

    return work


def moment_text(at_ms: int) -> str:
    """Return when a moment was, for people, in local time."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
