"""Snapshots: rankings and judgments as they stood, to compare with later.

Runs never change and the event log only grows, so that a snapshot keeps which runs
there were, what every what-if did, and the last line of the log that counted.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from judgetool.core.rankings import IntArray
from judgetool.core.reordering import apply
from judgetool.core.scale import Scale
from judgetool.errors import CommandRefusedError, InputError
from judgetool.metrics import RunBlock
from judgetool.session.board import Board
from judgetool.session.commands import SetValues
from judgetool.session.comparing.moments import (
    Moment,
    PastValue,
    board_as_of,
    last_event,
    moments,
    moments_work,
    past_values_work,
    values_over_time,
)
from judgetool.session.comparing.present import present_systems
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import base_block, whatif_book
from judgetool.session.whatifs.rules import RuleMatches, apply_rules
from judgetool.session.whatifs.stored import (
    QuerySteps,
    WhatIf,
    find_whatif,
    query_key,
)

__all__ = [
    "PREFIX",
    "Moment",
    "PastValue",
    "Snapshot",
    "board_as_of",
    "create_snapshot",
    "delete_snapshot",
    "find_snapshot",
    "find_snapshot_named",
    "load_snapshots",
    "moments",
    "moments_work",
    "past_values_work",
    "rename_snapshot",
    "snapshot_block",
    "snapshot_board",
    "snapshot_key",
    "values_over_time",
]

PREFIX = "snapshot/"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was frozen.

    Attributes:
        id: as in the key of its value.
        name: for people.
        at: when, milliseconds UTC.
        event_id: last line of the event log that counts; 0 for none.
        systems: runs and what-ifs, with this snapshot's id.
        view: view of judgments then.
        assessor: whose judgments those of ``mine`` are; ``""`` for nobody.
        scale: the scale then.
        measures: names of the measures then.
        conventions: the conventions then, as plain values.
        note: free text.
    """

    id: str
    name: str
    at: int
    event_id: int
    systems: tuple[System, ...]
    view: str
    assessor: str
    scale: Scale
    measures: tuple[str, ...]
    conventions: Mapping[str, Any]
    note: str = ""


def create_snapshot(
    session: Session, name: str, *, systems: Iterable[System] | None = None, note: str = ""
) -> str:
    """Freeze rankings and judgments as they are.

    Args:
        session: the project.
        name: not empty.
        systems: of the present; ``None`` for all runs and what-ifs.
        note: free text.

    Returns:
        The snapshot's id.

    Raises:
        CommandRefusedError: the name is empty or taken.
        InputError: a what-if's run is no longer in the project.
    """
    name = name.strip()
    if not name or any(each.name == name for each in load_snapshots(session)):
        raise CommandRefusedError("A snapshot needs a name that no other has.")
    chosen = present_systems(session) if systems is None else list(systems)
    values = {
        "name": name,
        "note": note,
        "at": session.clock(),
        "event": last_event(session),
        "view": session.board.view,
        "assessor": session.assessor,
        "scale": session.scale.to_dict(),
        "measures": list(map(str, session.measures)),
        "conventions": session.value("conventions", {}),
        "systems": [each.to_dict() for each in chosen],
        "whatifs": {
            each.id: _frozen(session, each.id) for each in chosen if each.kind == "what-if"
        },
    }
    snapshot_id = uuid.uuid4().hex[:16]
    session.execute(SetValues({f"{PREFIX}{snapshot_id}": values}, f"Snapshot {name}"))
    return snapshot_id


def rename_snapshot(session: Session, snapshot_id: str, name: str) -> None:
    """Give a snapshot another name."""
    values = _stored(session, snapshot_id)
    if not name.strip():
        raise CommandRefusedError("A snapshot needs a name.")
    after = {**values, "name": name.strip()}
    session.execute(SetValues({f"{PREFIX}{snapshot_id}": after}, f"Rename snapshot to {name}"))


def delete_snapshot(session: Session, snapshot_id: str) -> None:
    """Take a snapshot out of the project; Undo brings it back."""
    name = _stored(session, snapshot_id)["name"]
    session.execute(SetValues({f"{PREFIX}{snapshot_id}": None}, f"Delete snapshot {name}"))


def load_snapshots(session: Session) -> list[Snapshot]:
    """Return the project's snapshots, first made first."""
    found = [
        _snapshot(key.removeprefix(PREFIX), values)
        for key, values in session.values(PREFIX).items()
    ]
    return sorted(found, key=lambda each: (each.at, each.id))


def find_snapshot(session: Session, snapshot_id: str) -> Snapshot | None:
    """Return the snapshot of this id, or ``None``."""
    values = session.value(f"{PREFIX}{snapshot_id}")
    return None if values is None else _snapshot(snapshot_id, values)


def find_snapshot_named(session: Session, name: str) -> Snapshot | None:
    """Return the snapshot of this name, or ``None``."""
    return next((each for each in load_snapshots(session) if each.name == name), None)


def snapshot_block(session: Session, system: System) -> RunBlock:
    """Return the rankings of a snapshot's run or what-if.

    Raises:
        InputError: the snapshot, or a run that it needs, is no longer in the project.
    """
    values = _stored(session, system.snapshot)
    if system.kind == "run":
        block = session.material.kept_block(int(system.id))
        if block is None:
            raise InputError(
                f"Snapshot {values['name']} has run {system.name}, which is no longer in the "
                "project. Import that run again."
            )
        return block
    frozen = values["whatifs"].get(system.id)
    if frozen is None:
        raise InputError(f"Snapshot {values['name']} has no what-if {system.name}.")
    return _thawed(session, system.id, frozen)


def snapshot_board(session: Session, snapshot_id: str) -> Board:
    """Return the board of a snapshot: its judgments, by its scale, view and assessor.

    Measures and conventions are the present ones, so that what differs from the present
    is rankings and judgments alone. All runs of the present are in its engine; what-ifs
    are added by :func:`snapshot_key`. A few boards are kept in memory.

    Raises:
        InputError: the snapshot is no longer in the project.
    """
    snapshot = find_snapshot(session, snapshot_id)
    if snapshot is None:
        raise InputError("This snapshot is no longer in the project.")
    kept = _BOARDS.setdefault(session, {})
    key = (snapshot_id, session.measures, session.conventions, id(session.material))
    if key not in kept:
        board = board_as_of(
            session,
            snapshot.event_id,
            scale=snapshot.scale,
            view=snapshot.view,
            assessor=snapshot.assessor,
        )
        while len(kept) >= _MOST_BOARDS:
            kept.pop(next(iter(kept)))
        kept[key] = _Kept(board)
    return kept[key].board


def snapshot_key(session: Session, system: System) -> tuple[Board, int]:
    """Return a snapshot's board and the key of one of its systems in the board's engine.

    Raises:
        InputError: the snapshot, or a run that it needs, is no longer in the project.
    """
    board = snapshot_board(session, system.snapshot)
    if system.kind == "run":
        block, key = snapshot_block(session, system), int(system.id)
        if key not in board.engine.run_keys:
            board.engine.add_run(key, block)
        return board, key
    kept = next(each for each in _BOARDS[session].values() if each.board is board)
    if system.id not in kept.whatifs:
        frozen = _stored(session, system.snapshot)["whatifs"].get(system.id, {})
        number = -1 - len(kept.whatifs)
        block = snapshot_block(session, system)
        assumed = {
            query: steps.grades
            for query, steps in _frozen_steps(session, frozen).items()
            if steps.grades
        }
        board.engine.add_run(number, block, assumed=assumed)
        kept.whatifs[system.id] = number
    return board, kept.whatifs[system.id]


@dataclass(slots=True)
class _Kept:
    board: Board
    whatifs: dict[str, int] = field(default_factory=dict)


_MOST_BOARDS = 3
_BOARDS: WeakKeyDictionary[Session, dict[tuple[Any, ...], _Kept]] = WeakKeyDictionary()


def _stored(session: Session, snapshot_id: str) -> dict[str, Any]:
    values = session.value(f"{PREFIX}{snapshot_id}")
    if values is None:
        raise InputError("This snapshot is no longer in the project.")
    found: dict[str, Any] = values
    return found


def _snapshot(snapshot_id: str, values: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        id=snapshot_id,
        name=str(values["name"]),
        at=int(values["at"]),
        event_id=int(values["event"]),
        systems=tuple(
            System.from_dict({**each, "snapshot": snapshot_id}) for each in values["systems"]
        ),
        view=str(values["view"]),
        assessor=str(values["assessor"]),
        scale=Scale.from_dict(values["scale"]),
        measures=tuple(values["measures"]),
        conventions=values["conventions"],
        note=str(values.get("note", "")),
    )


def _frozen(session: Session, whatif_id: str) -> dict[str, Any]:
    """Return all that a what-if's rankings depend on, as plain values.

    Texts may change with a later import: which documents rules are about is kept too.
    """
    head = find_whatif(session, whatif_id)
    if head is None:
        raise InputError("This what-if is no longer in the project.")
    start = query_key(whatif_id, "")
    steps = {key.removeprefix(start): value for key, value in session.values(start).items()}
    frozen: dict[str, Any] = {"whatif": head.to_dict(), "queries": steps}
    if head.rules:
        matches = whatif_book(session).matches(whatif_id)
        ids = session.material.document_ids()
        frozen["matches"] = [
            {"question": list(question), "documents": [ids[each] for each in documents.tolist()]}
            for question, documents in matches.by_question.items()
        ]
    return frozen


def _thawed(session: Session, whatif_id: str, frozen: Mapping[str, Any]) -> RunBlock:
    material = session.material
    head = WhatIf.from_dict(whatif_id, frozen["whatif"])
    block = base_block(material, head)
    if head.rules:
        found = {
            tuple(each["question"]): _numbers(session, each["documents"])
            for each in frozen["matches"]
        }
        block = apply_rules(block, head.rules, RuleMatches(found), material.queries)
    return block.with_rankings(
        {
            query: apply(block.ranking(query), steps.steps)
            for query, steps in _frozen_steps(session, frozen).items()
            if steps.steps
        }
    )


def _frozen_steps(session: Session, frozen: Mapping[str, Any]) -> dict[int, QuerySteps]:
    material = session.material
    found = {}
    for query_id, values in frozen.get("queries", {}).items():
        query = material.find_query(query_id)
        if query is not None:
            found[query] = QuerySteps.from_dict(values, material)
    return found


def _numbers(session: Session, ids: Iterable[str]) -> IntArray:
    known = (session.material.find_document(each) for each in ids)
    return np.array(sorted(each for each in known if each is not None), dtype=np.int32)
