"""The baseline: what values are compared with, and how far documents moved against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.session.board import Board
from judgetool.session.commands import SetValues
from judgetool.session.comparing.snapshots import board_as_of, find_snapshot
from judgetool.session.comparing.system_values import (
    Place,
    block_of_system,
    place_of_system,
    ranking_of_any,
)
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import N_, _

KEY = "baseline"
Kind = Literal["system", "snapshot", "moment"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What values are compared with.

    Attributes:
        kind: ``system``: one run or what-if (of the present or of a snapshot);
            ``snapshot``: each system with itself in the snapshot; ``moment``: each system
            with itself under the judgments of a moment.
        name: for people.
        system: of kind ``system``.
        snapshot: id of the snapshot, of that kind.
        event_id: last line of the log that counts, of a moment.
        at: when, milliseconds UTC, of a moment.
        judged: what was judged at a moment of another copy's log, see
            :func:`~judgetool.session.comparing.snapshots.pack_moment`; else ``""``.
    """

    kind: Kind
    name: str
    system: System | None = None
    snapshot: str = ""
    event_id: int = 0
    at: int = 0
    judged: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        values: dict[str, Any] = {"kind": self.kind, "name": self.name}
        if self.system is not None:
            values["system"] = self.system.to_dict()
        if self.kind == "snapshot":
            values["snapshot"] = self.snapshot
        if self.kind == "moment":
            moment = {"judged": self.judged} if self.judged else {"event": self.event_id}
            values |= {**moment, "at": self.at}
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Baseline":
        """Build a baseline from :meth:`to_dict`'s result."""
        kinds: dict[str, Kind] = {"snapshot": "snapshot", "moment": "moment"}
        system = values.get("system")
        return Baseline(
            kinds.get(values["kind"], "system"),
            str(values["name"]),
            System.from_dict(system) if system else None,
            str(values.get("snapshot", "")),
            int(values.get("event", 0)),
            int(values.get("at", 0)),
            str(values.get("judged", "")),
        )

    @staticmethod
    def of_system(system: System) -> "Baseline":
        """Return a run or a what-if as baseline."""
        return Baseline("system", system.name, system)


def find_baseline(session: Session) -> Baseline | None:
    """Return the project's baseline; ``None`` when there is none, or it is gone."""
    values = session.value(KEY)
    if values is None:
        return None
    found = Baseline.from_dict(values)
    return found if _exists(session, found) else None


def set_baseline(session: Session, baseline: Baseline | None) -> None:
    """Choose what values are compared with; ``None`` for nothing."""
    values = None if baseline is None else baseline.to_dict()
    title = "No baseline" if baseline is None else f"Baseline {baseline.name}"
    session.execute(SetValues({KEY: values}, title))


def baseline_place(session: Session, baseline: Baseline, system: System) -> Place | None:
    """Return where the values are that a system's are compared with.

    Returns:
        ``None`` when a snapshot as baseline does not hold the system.

    Raises:
        InputError: the baseline is no longer in the project.
    """
    if baseline.system is not None:
        return place_of_system(session, baseline.system)
    if baseline.kind == "snapshot":
        there = _in_snapshot(session, baseline.snapshot, system)
        return None if there is None else place_of_system(session, there)
    return _at_moment(session, baseline, system)


def baseline_ranking(
    session: Session, baseline: Baseline, system: System, query: int
) -> IntArray | None:
    """Return the ranking that a system's is compared with.

    Returns:
        ``None`` where a snapshot does not hold the system; of a moment the system's own.
    """
    if baseline.system is not None:
        return ranking_of_any(session, baseline.system, query)
    if baseline.kind == "moment":
        return ranking_of_any(session, system, query)
    there = _in_snapshot(session, baseline.snapshot, system)
    return None if there is None else ranking_of_any(session, there, query)


def movements(baseline: npt.NDArray[np.integer], order: npt.NDArray[np.integer]) -> dict[int, str]:
    """Return how each document moved from the baseline's ranking to another, as a sign.

    Examples:
        >>> movements(np.array([1, 2, 3]), np.array([3, 1, 4]))
        {3: '↑2', 1: '↓1', 4: 'new', 2: 'gone'}
    """
    was, now = ranks_of(baseline.tolist()), ranks_of(order.tolist())
    return {each: move_sign(was.get(each), now.get(each)) for each in {**now, **was}}


def ranks_of(order: Sequence[int]) -> dict[int, int]:
    """Return the rank of each document, from 1."""
    return {document: rank for rank, document in enumerate(order, 1)}


_MOVES = (N_("new"), N_("gone"))


def move_in_words(sign: str) -> str:
    """Return what a document did, as it is shown; see :func:`move_sign`."""
    return _(sign) if sign in _MOVES else sign


def move_sign(was: int | None, rank: int | None) -> str:
    """Return what a document did: ``new``, ``gone``, ``↑3``, ``↓2``, ``""`` for nothing."""
    if was is None or rank is None:
        return "gone" if rank is None else "new"
    return "" if was == rank else f"↑{was - rank}" if was > rank else f"↓{rank - was}"


def _exists(session: Session, baseline: Baseline) -> bool:
    if baseline.kind == "snapshot":
        return find_snapshot(session, baseline.snapshot) is not None
    if baseline.kind == "moment":
        return True
    system = baseline.system
    if system is None:
        return False
    if system.snapshot:
        return find_snapshot(session, system.snapshot) is not None
    if system.kind == "what-if":
        return session.value(f"whatif/{system.id}") is not None
    return int(system.id) in session.material.blocks


def _in_snapshot(session: Session, snapshot_id: str, system: System) -> System | None:
    snapshot = find_snapshot(session, snapshot_id)
    if snapshot is None:
        return None
    return next(
        (each for each in snapshot.systems if (each.kind, each.id) == (system.kind, system.id)),
        None,
    )


class _PastBoard:
    """The board of the moment that values are compared with: one is kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._facts: tuple[Any, ...] = ()
        self._board: Board | None = None

    def of(self, baseline: Baseline) -> Board:
        """Return the board under the judgments of a moment."""
        session = self._session
        event_id, judged = baseline.event_id, baseline.judged
        facts = (event_id, judged, session.board_settings, session.assessor, id(session.material))
        if self._board is None or facts != self._facts:
            self._facts = facts
            self._board = board_as_of(session, event_id, judged=judged)
        return self._board


_NUMBER = -1  # any that no run has: those of runs are positive


def _at_moment(session: Session, baseline: Baseline, system: System) -> Place:
    """Return a system's place under the judgments of a moment; one moment's board is kept."""
    board = session.owned(_PastBoard).of(baseline)
    if system.kind == "run" and not system.snapshot:
        return Place(board, int(system.id))
    # One number for all: what stood there before is of no use when another is asked for.
    board.engine.add_run(_NUMBER, block_of_system(session, system))
    return Place(board, _NUMBER)
