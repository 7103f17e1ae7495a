"""What a project file has not sent to its team's hub, and how far both know of each other.

Judgments travel as lines of the log, one by one, each with the step that it hangs on; all else (texts,
runs, values, imports, asks) as small project files that the merge brings in.

How far the file has sent and received stands in ``meta``, written in the same transaction as what came.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import apsw

from judgetool.core.clock import utc_ms
from judgetool.storage.arrival import Door, Translate
from judgetool.storage.damage import seal_meta
from judgetool.storage.judgments import (
    TURNS,
    StepRow,
    find_head,
    insert_step,
    load_lines,
    set_step_state,
)
from judgetool.storage.merge import MergeStep, merge_sources
from judgetool.storage.migrations import create_file
from judgetool.storage.numbers_here import OtherCopy
from judgetool.storage.set_aside import connect
from judgetool.storage.values import HUB_META
from judgetool.storage.visibility import HUB, MERGE, TURN, Key


@dataclass(frozen=True, slots=True)
class HubMark:
    """How far a project file and its hub know of each other.

    Attributes:
        url: of the hub, without a password.
        step: the step here that all is linked to which came as lines.
        hub: the hub's own uuid; empty before it was asked.
        name: under which the hub knows who sends.
        role: there: ``lead``, ``assessor`` or ``reader``.
        seq: the last line that came; 0 for none.
        uuid: what that line is called; another one there tells of another hub.
        own_bundles: what the small files are called that this file has sent.
        sent_seq: the last line that was sent, by its number there.
        sent_uuid: what that one is called.
        event: lines of the log up to this one are sent.
        all_to: up to this one whatever is visible is sent, whoever brought it.
        turn: up to this line of ``step_events`` it is sent what became visible late.
        turn_brought: the same, of what travels in small files.
        made: steps up to this one are sent in small files.
    """

    url: str
    step: int
    hub: str = ""
    name: str = ""
    role: str = ""
    seq: int = 0
    uuid: str = ""
    own_bundles: tuple[str, ...] = ()
    sent_seq: int = 0
    sent_uuid: str = ""
    event: int = 0
    all_to: int = 0
    turn: int = 0
    turn_brought: int = 0
    made: int = 0


class Sender(NamedTuple):
    """Who sends.

    Attributes:
        name: the assessor; their own judgments go.
        is_lead: everybody's do, and all else that the project holds.
    """

    name: str
    is_lead: bool


def find_sender(mark: HubMark) -> Sender | None:
    """Return who sends; ``None`` for a reader, who sends nothing, and before the hub was asked."""
    sends = mark.role in ("lead", "assessor")
    return Sender(mark.name, mark.role == "lead") if sends else None


def load_mark(connection: apsw.Connection) -> HubMark | None:
    """Return how far the file and its hub know of each other; ``None`` where it has none."""
    row: Any = connection.execute("SELECT value FROM meta WHERE key = ?", (HUB_META,)).fetchone()
    if row is None:
        return None
    said = json.loads(row[0])
    return HubMark(**{**said, "own_bundles": tuple(said["own_bundles"])})


def write_mark(connection: apsw.Connection, mark: HubMark) -> None:
    """Keep how far they know of each other; in a transaction."""
    text = json.dumps(asdict(mark))
    connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (HUB_META, text))
    seal_meta(connection)


def begin_mark(
    connection: apsw.Connection, url: str, *, at: int, name: str = "", role: str = ""
) -> HubMark:
    """Let the file belong to a hub of which it knows nothing yet: all is sent, all is fetched.

    Args:
        connection: of the writer, in a transaction.
        url: of the hub, without a password.
        at: milliseconds UTC.
        name: under which the hub knows who sends.
        role: there; without it nothing is known to be sent.
    """
    known = load_mark(connection)
    step = 0 if known is None else known.step
    is_there = "SELECT 1 FROM steps WHERE step_id = ? AND kind = ? AND state = 'done'"
    if connection.execute(is_there, (step, HUB)).fetchone() is None:
        step = _insert_hub_step(connection, at)
    mark = HubMark(
        url,
        step,
        name=name,
        role=role,
        all_to=_top(connection, "event_id", "events"),
        turn=_top(connection, "step_event_id", "step_events"),
    )
    write_mark(connection, mark)
    return mark


def forget_mark(connection: apsw.Connection) -> None:
    """Let a file that was rebuilt know nothing of its hub but where it is: its lines have other numbers."""
    known = load_mark(connection)
    if known is not None:
        begin_mark(connection, known.url, at=utc_ms(), name=known.name, role=known.role)


def _insert_hub_step(connection: apsw.Connection, at: int) -> int:
    step = insert_step(
        connection, kind=HUB, title="Team hub", assessor_id=None, at=at, state="pending"
    ).step_id
    set_step_state(connection, step, "done", at=at)
    return step


def _top(connection: apsw.Connection, column: str, table: str) -> int:
    return int(connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").get)  # noqa: S608 - constants


# To the hub

_VISIBLE = "s.state NOT IN ('pending', 'abandoned')"
_FROM_HUB = (
    "EXISTS (SELECT 1 FROM arrivals r JOIN steps h ON h.step_id = r.merge_id "  # noqa: S608 - a constant
    f"AND h.kind = '{HUB}' WHERE r.step_id = s.step_id)"
)
_ARRIVED = "EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id)"
_SENT = (
    "FROM events e JOIN steps s ON s.step_id = e.step_id "
    "JOIN assessors a ON a.assessor_id = e.assessor_id "
    "LEFT JOIN assessors p ON p.assessor_id = a.person_id "
    f"WHERE {_VISIBLE} AND e.event_id > ?1 AND e.event_id <= ?2 AND "
)
_COLUMNS = (
    "SELECT e.event_id, e.step_id, hex(e.uuid), a.name, a.kind, coalesce(p.name, a.name), "
    "(SELECT external_id FROM queries q WHERE q.query_id = e.query_id), "
    "(SELECT external_id FROM documents d WHERE d.document_id = e.document_id), "
    "e.at, hex(e.parents), e.origin, e.before, "
    "(SELECT hex(b.uuid) FROM steps b WHERE b.step_id = e.before_step), e.after, "
    "(SELECT hex(f.uuid) FROM steps f WHERE f.step_id = e.after_step), e.spent_ms, e.shown, s.uuid, "
    "s.kind, s.title, (SELECT w.name FROM assessors w WHERE w.assessor_id = s.assessor_id), s.at, "
    "s.detail "
)


def _whose(sender: Sender) -> str:
    """Return which lines somebody sends, their name being ?3."""
    return "?3 = ?3" if sender.is_lead else "coalesce(p.name, a.name) = ?3"


_AT_ONCE_MADE = f"(e.event_id <= ?4 OR (e.origin <> 'import' AND NOT {_ARRIVED}))"
_LATE = (
    f"NOT {_FROM_HUB} AND (e.step_id = ?4 OR e.step_id IN "  # noqa: S608 - constants
    "(SELECT step_id FROM arrivals WHERE merge_id = ?4))"
)


class SentLine(NamedTuple):
    """A line of the log as it travels.

    Attributes:
        uuid: its name, 32 hexadecimal digits.
        kind: ``judgment``, ``again`` or ``settled``.
        assessor: who answers for it: of a second judgment the person.
        query: external id.
        document: likewise.
        at: milliseconds UTC.
        parents: names of the lines that it replaces.
        body: what else is known of it, its step first of all.
    """

    uuid: str
    kind: str
    assessor: str
    query: str | None
    document: str | None
    at: int
    parents: tuple[str, ...]
    body: dict[str, Any]


class Batch(NamedTuple):
    """Lines to be sent at once.

    Attributes:
        lines: in the order of the log.
        mark: what holds once the hub has them.
    """

    lines: list[SentLine]
    mark: HubMark


def iter_unsent(
    connection: apsw.Connection, mark: HubMark, sender: Sender, *, most: int
) -> Iterator[Batch]:
    """Yield the lines that the hub has not been sent, no step of them in two parts.

    Args:
        connection: for looking.
        mark: how far it was sent.
        sender: who sends.
        most: lines at once, but for a step that has more.
    """
    top = _top(connection, "event_id", "events")
    late = _late_steps(connection, mark)
    where = f"{_whose(sender)} AND {_AT_ONCE_MADE}"
    for rows in _pages(connection, where, (mark.event, top, sender.name, mark.all_to), most):
        mark = replace(mark, event=rows[-1][0])
        yield Batch([_line(row) for row in rows], mark)
    mark = replace(mark, event=top)
    where = f"{_whose(sender)} AND {_LATE}"
    for number, step in late:
        for rows in _pages(connection, where, (0, top, sender.name, step), most):
            yield Batch([_line(row) for row in rows], mark)
        mark = replace(mark, turn=number)
    yield Batch([], mark)


def count_unsent(connection: apsw.Connection, mark: HubMark, sender: Sender) -> int:
    """Return how many lines the hub has not been sent."""
    top = _top(connection, "event_id", "events")
    counts = [(f"{_whose(sender)} AND {_AT_ONCE_MADE}", mark.event, mark.all_to)]
    late = _late_steps(connection, mark)
    counts += [(f"{_whose(sender)} AND {_LATE}", 0, step) for _, step in late]
    return sum(
        int(
            str(
                connection.execute(
                    f"SELECT count(*) {_SENT} {where}", (after, top, sender.name, last)
                ).get
            )
        )
        for where, after, last in counts
    )


def count_staying(connection: apsw.Connection, mark: HubMark) -> int:
    """Return how many judgments were made here since the file has a hub that is never sent them.

    They are all of a reader's, and of an assessor's those that are under other names.
    """
    if mark.role not in ("assessor", "reader"):
        return 0
    found = connection.execute(
        "SELECT count(*) FROM judgments j JOIN steps s ON s.step_id = j.step_id "  # noqa: S608 - constants
        "JOIN assessors a ON a.assessor_id = j.assessor_id "
        "LEFT JOIN assessors p ON p.assessor_id = a.person_id "
        f"WHERE j.step_id > ?1 AND {_VISIBLE} AND NOT {_ARRIVED} "
        "AND (?2 = 'reader' OR coalesce(p.name, a.name) <> ?3)",
        (mark.step, mark.role, mark.name),
    )
    return int(str(found.get))


def _late_steps(connection: apsw.Connection, mark: HubMark) -> list[tuple[int, int]]:
    """Return imports and merges that have come into view since, with the line that says so."""
    rows: Any = connection.execute(
        "SELECT v.step_event_id, v.step_id FROM step_events v JOIN steps s USING(step_id) "
        "WHERE v.step_event_id > ? AND v.change IN ('published', 'redone') AND s.state = 'done' "
        "AND s.kind IN ('import', 'merge') ORDER BY v.step_event_id",
        (mark.turn,),
    )
    return list(rows)


def _pages(
    connection: apsw.Connection, where: str, bounds: tuple[Any, ...], most: int
) -> Iterator[list[Any]]:
    select = f"{_COLUMNS} {_SENT} {where} ORDER BY e.event_id"
    after, *rest = bounds
    while True:
        rows: Any = connection.execute(f"{select} LIMIT {most:d}", (after, *rest)).fetchall()
        if len(rows) == most:
            last = rows[-1][1]
            kept = len(rows)
            while kept and rows[kept - 1][1] == last:
                kept -= 1
            if kept:
                rows = rows[:kept]
            else:
                one = f"{_COLUMNS} {_SENT} {where} AND e.step_id = {last:d} ORDER BY e.event_id"
                rows = connection.execute(one, (after, *rest)).fetchall()
        if not rows:
            return
        yield rows
        after = rows[-1][0]


def _line(row: Sequence[Any]) -> SentLine:
    (_, _, uuid, voice, kind, person, query, document, at, parents, origin, *said) = row
    before, before_step, after, after_step, spent, shown, *step = said
    step_uuid, step_kind, title, who, step_at, detail = step
    if origin in TURNS and step_kind != TURN:
        # What is undone and redone here is a step of its own elsewhere.
        change = "undone" if origin == "undo" else "redone"
        detail = json.dumps({"step": step_uuid.hex(), "change": change})
        name = uuid5(UUID(bytes=step_uuid), f"{change} {at}").hex
        step = [name, TURN, change, None, at, detail]
    else:
        step = [step_uuid.hex(), step_kind, title, who, step_at, detail]
    body = {"origin": origin, "step": step, "voice": [voice, kind]}
    rest = {
        "before": before,
        "before_step": before_step,
        "after": after,
        "after_step": after_step,
        "spent_ms": spent,
        "shown": shown,
    }
    body |= {name: value for name, value in rest.items() if value is not None}
    called = kind if kind in ("again", "settled") else "judgment"
    parents = parents.lower()
    named = tuple(parents[n : n + 32] for n in range(0, len(parents), 32))
    return SentLine(uuid.lower(), called, person, query, document, at, named, body)


# What travels in small files


def find_unsent_steps(connection: apsw.Connection, mark: HubMark) -> set[int]:
    """Return the steps that bring more than judgments, and that the hub has not been sent."""
    whole = f"s.kind NOT IN ('judge', '{MERGE}', '{HUB}') AND {_VISIBLE}"
    if not mark.made:
        rows: Any = connection.execute(f"SELECT s.step_id FROM steps s WHERE {whole}")  # noqa: S608 - constants
        return {step for (step,) in rows}
    rows = connection.execute(
        f"SELECT s.step_id FROM steps s WHERE {whole} AND NOT {_ARRIVED} AND s.step_id > ?1 "  # noqa: S608 - constants
        "UNION SELECT s.step_id FROM step_events v CROSS JOIN steps s ON s.step_id = v.step_id "
        f"WHERE v.step_event_id > ?2 AND {whole} AND NOT {_ARRIVED} "
        "UNION SELECT s.step_id FROM step_events v "
        f"CROSS JOIN steps m ON m.step_id = v.step_id AND m.kind = '{MERGE}' AND m.state = 'done' "
        "CROSS JOIN arrivals b ON b.merge_id = m.step_id CROSS JOIN steps s ON s.step_id = b.step_id "
        f"WHERE v.step_event_id > ?2 AND {whole} AND NOT {_FROM_HUB}",
        (mark.made, mark.turn_brought),
    )
    return {step for (step,) in rows}


def find_steps_of_moments(connection: apsw.Connection, steps: set[int]) -> set[int]:
    """Return those of some steps that set values which hold what everybody had judged by a moment.

    A snapshot does, and a baseline that is a moment of the log.
    """
    of_moment = "json_type({0}, '$.event') = 'integer' OR json_type({0}, '$.judged') IS NOT NULL"
    rows: Any = connection.execute(
        f"SELECT DISTINCT step_id FROM value_events WHERE ({of_moment.format('after')} "  # noqa: S608 - constants
        f"OR {of_moment.format('before')}) AND step_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(steps)),),
    )
    return {step for (step,) in rows}


def after_steps(connection: apsw.Connection, mark: HubMark) -> HubMark:
    """Return the mark that holds once all that is visible now is sent in small files."""
    return replace(
        mark,
        made=max(1, _top(connection, "step_id", "steps")),
        turn_brought=_top(connection, "step_event_id", "step_events"),
    )


def name_steps(connection: apsw.Connection, steps: set[int]) -> str:
    """Return what tells steps, as they are now, from others and from what they were before."""
    rows: Any = connection.execute(
        "SELECT s.uuid, s.state, (SELECT count(*) FROM step_events v WHERE v.step_id = s.step_id) "
        "FROM steps s WHERE s.step_id IN (SELECT value FROM json_each(?)) ORDER BY s.uuid",
        (json.dumps(sorted(steps)),),
    )
    digest = hashlib.blake2b(digest_size=16)
    for uuid, state, n_turns in rows:
        digest.update(b"%b %b %d;" % (uuid, state.encode(), n_turns))
    return digest.hexdigest()


def write_bundle(
    connection: apsw.Connection, target: Path, steps: set[int], *, uuid: str, translate: Translate
) -> None:
    """Write a small project file of these steps and what hangs on them besides judgments.

    Args:
        connection: for looking.
        target: where nothing stands yet.
        steps: their numbers.
        uuid: of the project.
        translate: see :data:`~judgetool.storage.arrival.Translate`.
    """
    create_file(target, uuid=uuid)
    bundle = connect(target, is_writable=True)
    try:
        bundle.execute("BEGIN IMMEDIATE")
        door = Door(bundle, lambda job: job(bundle), lambda: False, lambda _n, _total: None)
        source = OtherCopy(target.name, connection, only=frozenset(steps))
        merge_sources(door, [source], MergeStep("", None, 0), translate=translate)
        bundle.execute("COMMIT")
    finally:
        bundle.close()


# What the scale of a lead makes of judgments that they have not seen


_IS_SCALE = "s.kind = 'project' AND s.detail LIKE '%mapping%' AND s.state = 'done'"


class Rescaled(NamedTuple):
    """Another scale that came from the hub.

    Attributes:
        step: which step brought it, 32 hexadecimal digits.
        mapping: what becomes of grades.
        last: the last line of the log before it came.
    """

    step: str
    mapping: dict[float, float]
    last: int


def find_rescaled(connection: apsw.Connection, after: int) -> list[Rescaled]:
    """Return the scales that came after lines above a number, the first first.

    One that was taken back is none.
    """
    rows: Any = connection.execute(
        "SELECT hex(s.uuid), json_extract(s.detail, '$.mapping'), min(v.after_event) "  # noqa: S608 - constants
        "FROM step_events v "
        f"CROSS JOIN steps h ON h.step_id = v.step_id AND h.kind = '{HUB}' "
        "CROSS JOIN arrivals r ON r.merge_id = h.step_id "
        "CROSS JOIN steps s ON s.step_id = r.step_id "
        f"WHERE v.after_event > ? AND {_IS_SCALE} GROUP BY s.step_id ORDER BY s.at, s.uuid",
        (after,),
    )
    return [_rescaled(*row) for row in rows if row[1] is not None]


def find_own_scales(connection: apsw.Connection) -> list[Rescaled]:
    """Return the scales that were made in this file and stand, the first first."""
    rows: Any = connection.execute(
        "SELECT hex(s.uuid), json_extract(s.detail, '$.mapping'), 0 FROM steps s "  # noqa: S608 - constants
        f"WHERE {_IS_SCALE} AND NOT {_ARRIVED} ORDER BY s.step_id"
    )
    return [_rescaled(*row) for row in rows if row[1] is not None]


def find_unfit(connection: apsw.Connection, grades: Sequence[float]) -> list[Key]:
    """Return the judgments of these grades, but for those that another file brought to a scale and back.

    That one does so again.
    """
    rows: Any = connection.execute(
        "SELECT query_id, document_id, assessor_id FROM judgments WHERE grade IN "
        "(SELECT value FROM json_each(?))",
        (json.dumps(grades),),
    )
    look = (
        "SELECT 1 FROM events e JOIN steps s USING(step_id) LEFT JOIN steps t "  # noqa: S608 - a constant
        f"ON s.kind = '{TURN}' AND t.uuid = unhex(json_extract(s.detail, '$.step')) "
        "WHERE e.uuid = ? AND coalesce(t.detail, s.detail) NOT LIKE '{\"scale\"%'"
    )
    heads = ((key, find_head(load_lines(connection, key))) for key in rows.fetchall())
    return [
        key for key, head in heads if head and connection.execute(look, (head.uuid,)).fetchone()
    ]


def _rescaled(step: str, text: str, last: int) -> Rescaled:
    mapping = {float(old): new for old, new in json.loads(text).items()}
    return Rescaled(step.lower(), mapping, last)


def find_unsent_before(
    connection: apsw.Connection, mark: HubMark, sender: Sender, scale: Rescaled
) -> list[Key]:
    """Return the judgments with unsent lines, of which one from before a scale came is what counts.

    Not those that were brought to it already, here or by the lead, nor those that were judged since.
    """
    rows: Any = connection.execute(
        f"SELECT DISTINCT e.query_id, e.document_id, e.assessor_id {_SENT} {_whose(sender)} "
        f"AND {_AT_ONCE_MADE} AND NOT {_FROM_HUB}",
        (mark.event, scale.last, sender.name, mark.all_to),
    )
    look = (
        "SELECT 1 FROM events e JOIN steps s USING(step_id) WHERE e.uuid = ? AND e.event_id <= ? "  # noqa: S608 - constants
        f"AND NOT {_FROM_HUB} AND json_extract(s.detail, '$.scale') IS NOT ?"
    )
    found = []
    for key in rows.fetchall():
        head = find_head(load_lines(connection, key))
        named = head and (head.uuid, scale.last, scale.step)
        if named and connection.execute(look, named).fetchone():
            found.append(key)
    return found


class Turned(NamedTuple):
    """A step that brought judgments to a lead's scale, which has been taken back or done again since.

    Attributes:
        step: the step here.
        is_done: whether that scale stands.
        last: its last line of the log.
    """

    step: StepRow
    is_done: bool
    last: int


def find_turned_scales(connection: apsw.Connection) -> list[Turned]:
    """Return the steps made for :func:`find_rescaled` that no longer go with what the lead has done.

    In the order in which they are to be turned.
    """
    rows: Any = connection.execute(
        "SELECT c.step_id, c.kind, c.title, c.at, s.state = 'done', "  # noqa: S608 - constants
        "(SELECT max(e.event_id) FROM events e WHERE e.step_id = c.step_id AND e.origin = 'rescale') "
        "FROM steps c JOIN steps s ON s.uuid = unhex(json_extract(c.detail, '$.scale')) "
        "WHERE c.kind = 'new' AND c.detail LIKE '{\"scale\"%' "
        f"AND NOT {_ARRIVED.replace('s.step_id', 'c.step_id')} "
        "AND (c.state = 'done') <> (s.state = 'done') ORDER BY c.step_id"
    )
    found = [Turned(StepRow(*row), bool(is_done), last) for *row, is_done, last in rows]
    undone, redone = ([each for each in found if each.is_done is way] for way in (False, True))
    return [*reversed(undone), *redone]
