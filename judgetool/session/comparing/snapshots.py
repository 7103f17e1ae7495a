"""Snapshots and moments: rankings and judgments as they stood, to compare with later.

Runs never change and the event log only grows, so that a snapshot keeps which runs
there were, what every what-if did, and the last line of the log that counted.
"""

import base64
import json
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.judgments import Judgment, JudgmentKey
from judgetool.core.scale import Scale
from judgetool.errors import CommandRefusedError, InputError
from judgetool.metrics import Engine, Measure, RunBlock
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import (
    COUNTS_KEY,
    Board,
    JudgmentBook,
    SettledRow,
    counts_of,
    find_rule,
    find_standing,
)
from judgetool.session.commands import SetValues
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import Answer, RuleMatches
from judgetool.session.whatifs.book import (
    WhatIf,
    assumed_in,
    base_block,
    has_bases,
    kept_steps,
    load_whatifs,
    parse_steps,
    ruled_block,
    whatif_book,
    whatif_head,
    with_steps,
)
from judgetool.storage.connection import Connection
from judgetool.storage.history import Change, iter_changes, load_moments, load_settled_as_of
from judgetool.storage.ids import find_numbers, load_id_texts
from judgetool.storage.judgments import Key, parse_judgment
from judgetool.storage.values import find_assessor, load_assessors, load_names, load_step_order
from judgetool.wording import N_, _


class JudgingMoment(NamedTuple):
    """A moment at which judgments changed.

    Attributes:
        event_id: last line of the log that counts.
        at: when, milliseconds UTC.
        n_judged: (query, document) pairs with a grade by then, whoever gave it.
        value: a mean as it was then, where one is asked for; ``None`` when no query counted.
    """

    event_id: int
    at: int
    n_judged: int
    value: float | None = None


def find_moment(session: Session, when: str) -> int:
    """Return the last line of the event log that counted at a time; 0 before the first judgment.

    Args:
        session: the project.
        when: as ISO 8601 has it, such as ``2026-03-01T14:00:00Z``; in local time where it does
            not say in which.

    Raises:
        InputError: it is no time.
    """
    try:
        until = datetime.fromisoformat(when).timestamp() * 1000
    except (ValueError, OverflowError, OSError) as problem:
        said = _(
            "‘{when}’ is no time: expected one such as 2026-03-01T14:00:00Z, or 2026-03-01 14:00."
        )
        raise InputError(said.format(when=when)) from problem
    found = [each.event_id for each in load_moments(session.reader) if each.at <= round(until)]
    return max(found, default=0)


class _Change(NamedTuple):
    """What an assessor says from a moment on; ``query`` of the key is the session's."""

    key: JudgmentKey
    judgment: Judgment | None
    step: int
    at: int


# So many judgments changed at once are taken sooner with all others than one by one.
_MANY = 1_000


def last_event(session: Session) -> int:
    """Return the last line of the event log that counts now; 0 before the first judgment."""
    found = load_moments(session.reader)
    return found[-1].event_id if found else 0


def board_as_of(
    session: Session,
    event_id: int,
    *,
    reader: Connection | None = None,
    snapshot: "Snapshot | None" = None,
    judged: str = "",
) -> Board:
    """Return what the judgments of a moment add up to, for all runs of the present.

    Args:
        session: the project.
        event_id: last line of the log that counts.
        reader: a connection of the calling thread; ``None`` on the session's.
        snapshot: whose scale, view, assessor and who counts; ``None`` for those of the present.
        judged: what :func:`pack_moment` gave of a moment of another copy's log; ``""`` for one of
            this file's own.
    """
    connection = reader or session.reader
    settings = session.board_settings
    if snapshot is not None:
        settings = replace(
            settings,
            scale=snapshot.scale,
            assessor=find_assessor(connection, snapshot.assessor),
            view=snapshot.view,
            standing=find_standing(connection, {COUNTS_KEY: snapshot.counts}),
        )
    place_of = session.material.place_of
    if judged:
        rows = _unpacked(session, connection, judged)
    else:
        order = load_step_order(connection)
        rows = (
            SettledRow(place_of[row[0]], *row[1:4], order.get(row[4], row[4]), row[5])
            for row in load_settled_as_of(connection, event_id=event_id)
            if row[0] in place_of
        )
    return Board(session.material, rows, settings)


def pack_moment(connection: Connection, event_id: int, renames: Mapping[str, str]) -> str:
    """Return what was judged at a moment of a file's log, so that any copy of it can tell.

    Args:
        connection: to the file.
        event_id: last line of its log that counts.
        renames: what assessors are called elsewhere, by name.
    """
    places = load_step_order(connection, is_always=True)
    rows = list(load_settled_as_of(connection, event_id=event_id))
    queries = sorted({row[0] for row in rows})
    documents = sorted({row[1] for row in rows})
    names = load_names(connection)
    values = {
        "queries": dict(zip(queries, load_id_texts(connection, queries, "queries"), strict=True)),
        "documents": dict(zip(documents, load_id_texts(connection, documents), strict=True)),
        "assessors": {row[2]: renames.get(names[row[2]], names[row[2]]) for row in rows},
        "rows": [(*row[:4], places[row[4]], row[5]) for row in rows],
    }
    return base64.b64encode(zlib.compress(json.dumps(values).encode())).decode()


def _unpacked(session: Session, connection: Connection, judged: str) -> Iterator[SettledRow]:
    values = json.loads(zlib.decompress(base64.b64decode(judged)))
    known = {each.name: each.assessor_id for each in load_assessors(connection)}
    # Who has said nothing that is known here counts as any other person does.
    whose = {key: known.get(name, -1 - int(key)) for key, name in values["assessors"].items()}
    find_query, found = session.material.find_query, list(values["documents"].values())
    documents = find_numbers(connection, "documents", found)
    for query, document, who, grade, order, at in values["rows"]:
        place = find_query(values["queries"][str(query)])
        number = documents.get(values["documents"][str(document)])
        if place is not None and number is not None:
            yield SettledRow(place, number, whose[str(who)], grade, order, at)


def moments(
    session: Session, *, reader: Connection | None = None, most: int = 200
) -> list[JudgingMoment]:
    """Return the moments of the log for a slider, first first, the newest always among them.

    The whole log is read.

    Args:
        session: the project.
        reader: a connection of the calling thread; ``None`` on the session's.
        most: thinned evenly to about so many, from 2.
    """
    replay = _Replay(reader or session.reader, session.material)
    return [JudgingMoment(event, at, replay.n_judged) for event, at, _ in replay.iter_batches(most)]


def past_values_work(
    session: Session,
    system: System,
    measure: Measure,
    *,
    most: int = 200,
    kept: BoolArray | None = None,
) -> Callable[[Connection, Callable[[], bool] | None], list[JudgingMoment]]:
    """Return the work of finding a mean after each moment of the log, for another thread.

    In the present view and scale, and of the present ranking with what is assumed for it: what
    moves the curve is judgments alone. Call it with a connection of that thread (``session.second_reader()``)
    and what says whether it is cancelled; a cancelled work gives what it has so far.

    Args:
        session: the project.
        system: a run or a what-if of the present.
        measure: any of the table.
        most: thinned to about so many moments, from 2.
        kept: the queries that the mean is over alone, shape (n_queries,); ``None`` for all.
    """
    material, board = session.material, session.board
    book_of, assumed = whatif_book(session), None
    if system.kind == "what-if":
        block, assumed = book_of.block(system.id), book_of.assumed(system.id)
    else:
        block = material.block(int(system.id))
    engine = board.new_engine((measure,))
    rule = find_rule(board.view, board.scale)
    book = JudgmentBook((), rule=rule, assessor=session.assessor_id, standing=board.standing)

    def work(reader: Connection, is_cancelled: Callable[[], bool] | None) -> list[JudgingMoment]:
        engine.add_run(1, block, assumed=assumed)
        replay, found = _Replay(reader, material), []
        for event, at, changes in replay.iter_batches(most):
            if is_cancelled is not None and is_cancelled():
                break
            touched: dict[tuple[int, int], None] = {}
            for change in changes:
                book.apply(*change)
                touched[change.key.query, change.key.document] = None
            _follow(engine, book, touched)
            (mean,) = engine.means(1) if kept is None else engine.means_of_part(1, kept)
            found.append(JudgingMoment(event, at, replay.n_judged, mean.value))
        return found

    return work


def _follow(engine: Engine, book: JudgmentBook, touched: Collection[tuple[int, int]]) -> None:
    """Give the engine the grades of what was judged: an import's all at once."""
    if len(touched) > _MANY:
        engine.set_judgments(*book.grade_arrays())
    else:
        found = ((pair, book.settled(pair[0]).get(pair[1])) for pair in touched)
        engine.judge_many([(*pair, each.grade if each else None) for pair, each in found])


class _Replay:
    """The log from its beginning, moment by moment, in one pass."""

    def __init__(self, reader: Connection, material: Material) -> None:
        self._reader = reader
        self._place_of = material.place_of
        # How many assessors have graded a pair, and who has.
        self._graded: Counter[tuple[int, int]] = Counter()
        self._has_graded: set[Key] = set()

    @property
    def n_judged(self) -> int:
        """Pairs with a grade so far."""
        return len(self._graded)

    def iter_batches(self, most: int) -> Iterator[tuple[int, int, list[_Change]]]:
        """Yield (last line, when, what changed since the batch before)."""
        # What happened at the same time is one moment: a time names it.
        moments_ = load_moments(self._reader)
        later = [each.at for each in moments_[1:]]
        found = [each for each, at in zip_longest(moments_, later) if each.at != at]
        every = max(1, -(-len(found) // max(2, most)))
        changes = iter_changes(self._reader)
        waiting = next(changes, None)
        batch: list[_Change] = []
        for number, moment in enumerate(found, 1):
            # An import becomes visible after the line that it names.
            until = (moment.event_id, moment.kind == "import")
            while waiting is not None and (waiting.event_id, waiting.is_published) <= until:
                self._take(waiting, batch)
                waiting = next(changes, None)
            if number % every == 0 or number == len(found):
                yield moment.event_id, moment.at, batch
                batch = []

    def _take(self, change: Change, batch: list[_Change]) -> None:
        """Follow one change; add it by the session's number of the query, if that is visible."""
        query, document, assessor = change.key
        judgment = parse_judgment(change.text)
        self._count(change.key, is_graded=judgment is not None and judgment.grade is not None)
        place = self._place_of.get(query)
        if place is not None:
            here = JudgmentKey(place, document, assessor)
            batch.append(_Change(here, judgment, change.step_id, change.at))

    def _count(self, key: Key, *, is_graded: bool) -> None:
        if is_graded == (key in self._has_graded):
            return
        pair = key[:2]
        self._has_graded ^= {key}
        self._graded[pair] += 1 if is_graded else -1
        if not self._graded[pair]:
            del self._graded[pair]


def present_systems(session: Session) -> list[System]:
    """Return the runs and what-ifs of the present, first made first; none whose run is not there."""
    runs = [System("run", str(run.run_id), run.name) for run in session.material.runs]
    made = [head for head in load_whatifs(session) if has_bases(session.material, head)]
    return [*runs, *(System("what-if", each.id, each.name) for each in made)]


SNAPSHOT_PREFIX = "snapshot/"
_NO_RUN = N_(
    "Snapshot {snapshot} has run {run}, which is no longer in the project. Import that run again."
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was frozen.

    Attributes:
        id: as in the key of its value.
        name: for people.
        at: when, milliseconds UTC.
        event_id: last line of the event log that counts; 0 for none.
        judged: what :func:`pack_moment` gave instead, of one that another copy has made; ``""``
            for one of this file.
        systems: runs and what-ifs, with this snapshot's id.
        view: view of judgments then.
        assessor: whose judgments those of ``mine`` are; ``""`` for nobody.
        scale: the scale then.
        measures: names of the measures then.
        conventions: the conventions then, as plain values.
        note: free text.
        counts: who counted then, by name, against what their kind would have.
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
    counts: Mapping[str, bool] = field(default_factory=dict)
    judged: str = ""


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
        raise CommandRefusedError(_("A snapshot needs a name that no other has."))
    chosen = present_systems(session) if systems is None else list(systems)
    values = {
        "name": name,
        "note": note,
        "at": session.clock(),
        "event": last_event(session),
        "view": session.board.view,
        "assessor": session.assessor,
        "counts": dict(counts_of(session.values(COUNTS_KEY))),
        "scale": session.scale.to_dict(),
        "measures": list(map(str, session.measures)),
        "conventions": session.value("conventions", {}),
        "systems": [each.to_dict() for each in chosen],
        "whatifs": {
            each.id: _frozen(session, each.id) for each in chosen if each.kind == "what-if"
        },
    }
    snapshot_id = uuid.uuid4().hex[:16]
    session.execute(SetValues({f"{SNAPSHOT_PREFIX}{snapshot_id}": values}, f"Snapshot {name}"))
    return snapshot_id


def delete_snapshot(session: Session, snapshot_id: str) -> None:
    """Take a snapshot out of the project; Undo brings it back."""
    name = _stored(session, snapshot_id)["name"]
    session.execute(SetValues({f"{SNAPSHOT_PREFIX}{snapshot_id}": None}, f"Delete snapshot {name}"))


def load_snapshots(session: Session) -> list[Snapshot]:
    """Return the project's snapshots, first made first."""
    found = [
        _snapshot(key.removeprefix(SNAPSHOT_PREFIX), values)
        for key, values in session.values(SNAPSHOT_PREFIX).items()
    ]
    return sorted(found, key=lambda each: (each.at, each.id))


def find_snapshot(session: Session, snapshot_id: str) -> Snapshot | None:
    """Return the snapshot of this id, or ``None``."""
    values = session.value(f"{SNAPSHOT_PREFIX}{snapshot_id}")
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
            raise InputError(_(_NO_RUN).format(snapshot=values["name"], run=system.name))
        return block
    frozen = values["whatifs"].get(system.id)
    if frozen is None:
        said = _("Snapshot {snapshot} has no what-if {whatif}.")
        raise InputError(said.format(snapshot=values["name"], whatif=system.name))
    return _thawed(session, system.id, frozen)


def has_runs(session: Session, system: System) -> bool:
    """Return whether what a snapshot's run or what-if is made of is in the project."""
    if system.kind == "run":
        return session.material.kept_block(int(system.id)) is not None
    kept = _stored(session, system.snapshot)["whatifs"].get(system.id)
    return bool(kept) and has_bases(session.material, WhatIf.from_dict(system.id, kept["whatif"]))


def snapshot_board(session: Session, snapshot_id: str) -> Board:
    """Return the board of a snapshot: its judgments, by its scale, view and assessor.

    Measures and conventions are the present ones, so that what differs from the present
    is rankings and judgments alone. All runs of the present are in its engine; what-ifs
    are added by :func:`snapshot_key`. A few boards are kept in memory.

    Raises:
        InputError: the snapshot is no longer in the project.
    """
    return _kept_board(session, snapshot_id).board


def _kept_board(session: Session, snapshot_id: str) -> "_Kept":
    snapshot = _snapshot(snapshot_id, _stored(session, snapshot_id))
    kept = session.owned(_no_boards)
    key = (snapshot_id, session.measures, session.conventions, id(session.material))
    if key not in kept:
        judged = snapshot.judged
        board = board_as_of(session, snapshot.event_id, snapshot=snapshot, judged=judged)
        while len(kept) >= _MOST_BOARDS:
            kept.pop(next(iter(kept)))
        kept[key] = _Kept(board)
    return kept[key]


def snapshot_key(session: Session, system: System) -> tuple[Board, int]:
    """Return a snapshot's board and the key of one of its systems in the board's engine.

    Raises:
        InputError: the snapshot, or a run that it needs, is no longer in the project.
    """
    kept = _kept_board(session, system.snapshot)
    board = kept.board
    if system.kind == "run":
        key = int(system.id)
        if key not in board.engine.run_keys:
            board.engine.add_run(key, snapshot_block(session, system))
        return board, key
    if system.id not in kept.whatifs:
        frozen = _stored(session, system.snapshot)["whatifs"].get(system.id, {})
        kept_here = frozen.get("queries", {})
        assumed = assumed_in(parse_steps(kept_here, session.material, board.scale))
        number = -1 - len(kept.whatifs)
        board.engine.add_run(number, snapshot_block(session, system), assumed=assumed)
        kept.whatifs[system.id] = number
    return board, kept.whatifs[system.id]


@dataclass(slots=True)
class _Kept:
    board: Board
    whatifs: dict[str, int] = field(default_factory=dict)


_MOST_BOARDS = 3


def _no_boards(_session: Session) -> dict[tuple[Any, ...], _Kept]:
    return {}


def _stored(session: Session, snapshot_id: str) -> dict[str, Any]:
    values = session.value(f"{SNAPSHOT_PREFIX}{snapshot_id}")
    if values is None:
        raise InputError(_("This snapshot is no longer in the project."))
    found: dict[str, Any] = values
    return found


def _snapshot(snapshot_id: str, values: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        id=snapshot_id,
        name=str(values["name"]),
        at=int(values["at"]),
        event_id=int(values.get("event", 0)),
        systems=tuple(
            System.from_dict({**each, "snapshot": snapshot_id}) for each in values["systems"]
        ),
        view=str(values["view"]),
        assessor=str(values["assessor"]),
        scale=Scale.from_dict(values["scale"]),
        measures=tuple(values["measures"]),
        conventions=values["conventions"],
        note=str(values.get("note", "")),
        counts=counts_of(values),
        judged=str(values.get("judged", "")),
    )


def _frozen(session: Session, whatif_id: str) -> dict[str, Any]:
    """Return all that a what-if's rankings depend on, as plain values.

    Texts may change with a later import: which documents rules are about is kept too.
    """
    head = whatif_head(session, whatif_id)
    frozen: dict[str, Any] = {
        "whatif": head.to_dict(),
        "queries": kept_steps(session, whatif_id),
    }
    if head.rules:
        matches = whatif_book(session).matches(whatif_id)
        ids = session.material.document_ids()
        frozen["matches"] = [
            {
                "question": list(question),
                "documents": [ids[each] for each in answer.documents.tolist()],
                **({"values": answer.values.tolist()} if (answer.values != 1).any() else {}),
            }
            for question, answer in matches.by_question.items()
        ]
    return frozen


def _thawed(session: Session, whatif_id: str, frozen: Mapping[str, Any]) -> RunBlock:
    material = session.material
    head = WhatIf.from_dict(whatif_id, frozen["whatif"])
    block = base_block(material, head)
    if head.rules:
        found = {
            tuple(each["question"]): _answer(session, each["documents"], each.get("values"))
            for each in frozen["matches"]
        }
        block = ruled_block(material, head, block, RuleMatches(found))
    return with_steps(block, parse_steps(frozen.get("queries", {}), material, session.scale))


def _answer(session: Session, ids: Sequence[str], values: Sequence[float] | None) -> Answer:
    known = session.material.find_documents(ids)
    given = zip(ids, values or [1.0] * len(ids), strict=True)
    rows = sorted((known[each], value) for each, value in given if each in known)
    documents, kept = zip(*rows, strict=True) if rows else ((), ())
    return Answer(np.array(documents, dtype=np.int32), np.array(kept, dtype=np.float64))
