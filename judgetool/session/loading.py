"""A project's material and board, read anew: at opening, or beside a session that judges on.

Long work (an import, undoing one) is written by any thread, which then reads what it has made
of the project (:meth:`judgetool.session.session.Session.read_after`); the session's thread
takes that in afterwards: nobody waits.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from judgetool.core.judgments import JudgmentChange, JudgmentKey
from judgetool.errors import Signal
from judgetool.session.board import COUNTS_KEY, Board, BoardSettings, find_standing, settled_rows
from judgetool.session.commands import Changed
from judgetool.session.jobs import Outcome, as_said_now
from judgetool.session.material import Material
from judgetool.session.pool import NumberPair
from judgetool.storage.connection import Connection
from judgetool.storage.copies import HUB
from judgetool.storage.judgments import LogEntry
from judgetool.storage.material import load_assessor_names
from judgetool.storage.values import load_step_order, load_values


class Loaded(NamedTuple):
    """A project's material and board as they are after an import.

    Attributes:
        settings: what the board was computed by.
        assessor_names: by number.
        material: queries, documents and runs.
        board: what counts, values and pools.
    """

    settings: BoardSettings
    assessor_names: dict[int, str]
    material: Material
    board: Board


def load_project(reader: Connection, settings: BoardSettings) -> Loaded:
    """Read a project's material, and what follows from it.

    Args:
        reader: a connection of the calling thread.
        settings: what the board depends on besides the judgments.
    """
    names = load_assessor_names(reader)
    material = Material(reader)
    order = load_step_order(reader)
    rows = settled_rows(reader, material.place_of, order)
    # A step may have brought who does not count, such as a model.
    standing = find_standing(reader, load_values(reader, prefix=COUNTS_KEY))
    board = Board(material, rows, replace(settings, standing=standing))
    board.order = order
    return Loaded(settings, names, material, board)


class WrittenStep(NamedTuple):
    """A step that is written, with the project as it is after it.

    Attributes:
        outcome: what was written; its ``step`` is ``None`` when there was nothing to do.
        loaded: the project read anew; ``None`` where the step changed no material, or
            where reading did not work out: then the session finds out why.
    """

    outcome: Outcome
    loaded: Loaded | None


class Meanwhile:
    """Collects what is judged while a project is read beside the session, from now on.

    Args:
        changed: the session's signal.
    """

    def __init__(self, changed: Signal[Changed]) -> None:
        self._changed = changed
        self._judged: set[NumberPair] | None = set()
        changed.connect(self._note)

    def _note(self, changed: Changed) -> None:
        if changed.is_material or changed.values:
            self._judged = None
        elif self._judged is not None:
            self._judged.update(changed.judgments)

    def end(self) -> set[NumberPair] | None:
        """Collect no more.

        Returns:
            (query, document) pairs; ``None`` when more than judgments changed, so that
            what was read does not hold any more.
        """
        self._changed.disconnect(self._note)
        return self._judged


def renewed(outcome: Outcome, reader: Connection) -> Outcome:
    """Return what a hub has brought as it is said now: meanwhile somebody may have judged it here."""
    if outcome.step is None or outcome.step.kind != HUB:
        return outcome
    return replace(outcome, entries=tuple(as_said_now(reader, each) for each in outcome.entries))


def catch_up(
    board: Board,
    reader: Connection,
    judged: Iterable[NumberPair],
    *,
    assessors: Collection[int],
) -> None:
    """Take in what an assessor has said while a board was being read.

    Args:
        board: read a little earlier.
        reader: sees the present state.
        judged: (query, document) pairs by the file's numbers; more than have changed
            do no harm.
        assessors: under whose numbers that may be kept; none for nobody, who cannot have judged.
    """
    keys = (JudgmentKey(*pair, assessor) for pair, assessor in product(judged, assessors))
    changes = (JudgmentChange(key, None, None) for key in keys)
    entries = [as_said_now(reader, LogEntry(each, None, None, "import")) for each in changes]
    # All at once: a query judged often is then computed once.
    board.apply(entries, 0)
