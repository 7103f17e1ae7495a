"""What an import has made visible, read beside the session so that nobody waits for it."""

from collections.abc import Iterable
from dataclasses import dataclass

from judgetool.core.judgments import JudgmentChange, JudgmentKey
from judgetool.session.board import Board, BoardSettings
from judgetool.session.judgment_book import SettledRow
from judgetool.session.material import Material
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import LogEntry, find_judgment, load_settled
from judgetool.storage.values import load_assessors


@dataclass(frozen=True, slots=True)
class Loaded:
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


def load_beside(reader: Connection, settings: BoardSettings) -> Loaded:
    """Read a project anew.

    Args:
        reader: a connection of the calling thread.
        settings: what the board depends on besides the judgments.
    """
    names = {row.assessor_id: row.name for row in load_assessors(reader)}
    material = Material(reader)
    place_of = material.place_of
    rows = (
        SettledRow(place_of[query], document, assessor, grade, step)
        for query, document, assessor, grade, step in load_settled(reader)
        if query in place_of
    )
    return Loaded(settings, names, material, Board(material, rows, settings))


def catch_up(
    board: Board,
    reader: Connection,
    judged: Iterable[tuple[int, int]],
    *,
    assessor: int | None,
) -> None:
    """Take in what an assessor has said while a board was being read.

    Args:
        board: read a little earlier.
        reader: sees the present state.
        judged: (query, document) pairs by the file's numbers; more than have changed
            do no harm.
        assessor: who judged; ``None`` for nobody, who cannot have judged.
    """
    if assessor is None:
        return
    for query, document in judged:
        key = JudgmentKey(query, document, assessor)
        now = find_judgment(reader, key)
        change = JudgmentChange(key, None, now.judgment if now else None)
        board.apply([LogEntry(change, None, now.step_id if now else None, "import")])
