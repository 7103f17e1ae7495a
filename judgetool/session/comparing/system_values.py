"""Values of systems, wherever their rankings and judgments are taken from."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from judgetool.core.number_text import number_of
from judgetool.core.rankings import IntArray
from judgetool.errors import InputError
from judgetool.metrics import Engine, RunBlock
from judgetool.session.board import Board
from judgetool.session.comparing.snapshots import (
    find_snapshot,
    load_snapshots,
    present_systems,
    snapshot_block,
    snapshot_key,
)
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import engine_key_of, whatif_book
from judgetool.session.whatifs.stored import WhatIf, find_whatif
from judgetool.wording import _


def named_systems(session: Session) -> list[System]:
    """Return what can be compared: the present systems, then those of all snapshots by name."""
    found = present_systems(session)
    for snapshot in load_snapshots(session):
        found += [replace(each, name=f"{each.name} ({snapshot.name})") for each in snapshot.systems]
    return found


def remarks_of(session: Session, systems: Iterable[System]) -> dict[str, str]:
    """Return what each system is, by key, such as ``run, 20 queries``."""
    return {system.key: _remark(session, system) for system in systems}


def _remark(session: Session, system: System) -> str:
    if system.snapshot:
        snapshot = find_snapshot(session, system.snapshot)
        of_kind = {
            "run": _("run of snapshot {name}"),
            "what-if": _("what-if of snapshot {name}"),
        }
        return of_kind[system.kind].format(name=snapshot.name) if snapshot else _("snapshot")
    if system.kind == "what-if":
        head = find_whatif(session, system.id)
        return _("what-if") if head is None else _remark_of_whatif(session, head)
    run = next((row for row in session.material.runs if str(row.run_id) == system.id), None)
    if run is None:
        return _("run")
    return number_of(run.n_queries, "run, {n} query", "run, {n} queries")


def _remark_of_whatif(session: Session, head: WhatIf) -> str:
    of = _("what-if, {origin}") if head.how == "fused" else _("what-if of {origin}")
    what = of.format(origin=head.origin)
    n_assumed = whatif_book(session).count_assumed(head.id)
    if not n_assumed:
        return what
    # No other row has them: values with assumed grades beside values without.
    return number_of(
        n_assumed, "with {n} grade assumed, {what}", "with {n} grades assumed, {what}", what=what
    )


class Place(NamedTuple):
    """Where a system's values are.

    Attributes:
        board: what its judgments add up to.
        key: its key in the board's engine.
    """

    board: Board
    key: int

    @property
    def engine(self) -> Engine:
        """The engine that has its values."""
        return self.board.engine


def place_of_system(session: Session, system: System) -> Place:
    """Return where a system's values are; they are computed if they are not yet.

    Raises:
        InputError: the system is no longer in the project.
    """
    if system.snapshot:
        return Place(*snapshot_key(session, system))
    key = engine_key_of(session, system)
    # A run's values stand beside those of what-ifs, which may have changed.
    whatif_book(session).sync()
    return Place(session.board, key)


def block_of_system(session: Session, system: System) -> RunBlock:
    """Return all rankings of a system.

    Raises:
        InputError: the system is no longer in the project.
    """
    if system.snapshot:
        return snapshot_block(session, system)
    if system.kind == "what-if":
        return whatif_book(session).block(system.id)
    block = session.material.blocks.get(int(system.id))
    if block is None:
        raise InputError(_("Run {system} is no longer in the project.").format(system=system.name))
    return block


def ranking_of_any(session: Session, system: System, query: int) -> IntArray:
    """Return a system's ranking of a query, best first, int32.

    Raises:
        InputError: the system is no longer in the project.
    """
    if not system.snapshot and system.kind == "what-if":
        return whatif_book(session).ranking(system.id, query)
    return block_of_system(session, system).ranking(query)
