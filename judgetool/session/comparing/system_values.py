"""Values of systems, wherever their rankings and judgments are taken from."""

from typing import NamedTuple

from judgetool.core.rankings import IntArray
from judgetool.errors import InputError
from judgetool.metrics import Engine, RunBlock
from judgetool.session.board import Board
from judgetool.session.comparing.present import present_systems
from judgetool.session.comparing.snapshots import load_snapshots, snapshot_block, snapshot_key
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import engine_key_of, engine_of, whatif_book

__all__ = [
    "Place",
    "all_systems",
    "block_of_system",
    "find_system",
    "place_of_system",
    "present_systems",
    "ranking_of_any",
]


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
    engine_of(session)
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
        raise InputError(f"Run {system.name} is no longer in the project.")
    return block


def ranking_of_any(session: Session, system: System, query: int) -> IntArray:
    """Return a system's ranking of a query, best first, int32.

    Raises:
        InputError: the system is no longer in the project.
    """
    if not system.snapshot and system.kind == "what-if":
        return whatif_book(session).ranking(system.id, query)
    return block_of_system(session, system).ranking(query)


def all_systems(session: Session) -> list[System]:
    """Return what can be compared: the present systems, then those of all snapshots."""
    found = present_systems(session)
    for snapshot in load_snapshots(session):
        found += snapshot.systems
    return found


def find_system(session: Session, name: str) -> System | None:
    """Return the present run or what-if of this name, or ``None``; of several the last made."""
    return next((each for each in reversed(present_systems(session)) if each.name == name), None)
