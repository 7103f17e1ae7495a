"""What goes between a project file and its team's hub, and how far both know of each other.

Judgments travel as lines of the log, one by one, each with the step that it hangs on; all else (texts,
runs, values, imports, asks) as small project files that the merge brings in.

How far the file has sent and received stands in ``meta``, written in the same transaction as what came.

Lines that came enter by the merge's rules. Their steps are linked (table ``arrivals``) to a step of kind
``hub``, that nobody undoes: what is said follows from the visible lines alone (``storage.judgments``),
wherever they came from.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import apsw

from judgetool.core.clock import utc_ms
from judgetool.storage.arrival import LINK_NEW, Door, Translate
from judgetool.storage.copies import (
    HUB,
    MERGE,
    TURN,
    OtherCopy,
    in_parts,
    make_human,
    note_conflicts,
    resolve_all,
    touched,
    turn_step,
)
from judgetool.storage.damage import row_checksum, seal_meta
from judgetool.storage.ids import number_ids
from judgetool.storage.judgments import (
    TURNS,
    HeadText,
    Key,
    StepRow,
    bring_events,
    find_head,
    insert_step,
    load_lines,
    seal_event,
    set_step_state,
    split_uuids,
    write_states,
)
from judgetool.storage.material import load_visible_documents
from judgetool.storage.merge import MergeStep, merge_sources
from judgetool.storage.migrations import create_file
from judgetool.storage.set_aside import connect
from judgetool.storage.values import HUB_META, load_assessors, number_assessor

# What has not been sent


class HubMark(NamedTuple):
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
    said = _load_meta(connection, HUB_META)
    if said is None:
        return None
    return HubMark(**{**said, "own_bundles": tuple(said["own_bundles"])})


def _load_meta(connection: apsw.Connection, key: str) -> Any:  # noqa: ANN401 - whatever JSON knows
    row: Any = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def _keep_meta(connection: apsw.Connection, key: str, value: object) -> None:
    row = (key, json.dumps(value))
    connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", row)
    seal_meta(connection)


def write_mark(connection: apsw.Connection, mark: HubMark) -> None:
    """Keep how far they know of each other; in a transaction."""
    _keep_meta(connection, HUB_META, mark._asdict())


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
        mark = mark._replace(event=rows[-1][0])
        yield Batch([_line(row) for row in rows], mark)
    mark = mark._replace(event=top)
    where = f"{_whose(sender)} AND {_LATE}"
    for number, step in late:
        for rows in _pages(connection, where, (0, top, sender.name, step), most):
            yield Batch([_line(row) for row in rows], mark)
        mark = mark._replace(turn=number)
    yield Batch([], mark)


def count_unsent(connection: apsw.Connection, mark: HubMark, sender: Sender) -> int:
    """Return how many lines the hub has not been sent."""
    top = _top(connection, "event_id", "events")
    counts = [(f"{_whose(sender)} AND {_AT_ONCE_MADE}", mark.event, mark.all_to)]
    late = _late_steps(connection, mark)
    counts += [(f"{_whose(sender)} AND {_LATE}", 0, step) for _, step in late]
    total = 0
    for where, after, last in counts:
        bounds = (after, top, sender.name, last)
        total += int(connection.execute(f"SELECT count(*) {_SENT} {where}", bounds).get)
    return total


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
    return mark._replace(
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
    with closing(connect(target, is_writable=True)) as bundle:
        bundle.execute("BEGIN IMMEDIATE")
        door = Door(bundle, lambda job: job(bundle), lambda: False, lambda _n, _total: None)
        source = OtherCopy(target.name, connection, only=frozenset(steps))
        merge_sources(door, [source], MergeStep("", None, 0), translate=translate)
        bundle.execute("COMMIT")


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
    return _rescaled(rows)


def find_own_scales(connection: apsw.Connection) -> list[Rescaled]:
    """Return the scales that were made in this file and stand, the first first."""
    rows: Any = connection.execute(
        "SELECT hex(s.uuid), json_extract(s.detail, '$.mapping'), 0 FROM steps s "  # noqa: S608 - constants
        f"WHERE {_IS_SCALE} AND NOT {_ARRIVED} ORDER BY s.step_id"
    )
    return _rescaled(rows)


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


def _rescaled(rows: Iterable[tuple[str, str | None, int]]) -> list[Rescaled]:
    return [
        Rescaled(step.lower(), {float(old): new for old, new in json.loads(text).items()}, last)
        for step, text, last in rows
        if text is not None
    ]


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


# What came

_RELEASED = "hub_released"
"""In ``meta``: queries that are released, which a hub made anew is told of by a lead."""
_PART = 500
"""So many values a statement is asked about."""


class Entered(NamedTuple):
    """What lines of the hub have changed.

    Attributes:
        n_new: lines that were not here.
        states: what is said now of the judgments they are about.
    """

    n_new: int
    states: dict[Key, HeadText]


def enter_lines(connection: apsw.Connection, lines: Sequence[SentLine], mark: HubMark) -> Entered:
    """Write lines of the hub that are not here, what follows from them, and the mark after them.

    Args:
        connection: of the writer, in a transaction.
        lines: in the order of the hub; of a step all of them, or none.
        mark: what holds after them.
    """
    uuids = [bytes.fromhex(line.uuid) for line in lines]
    known = _known(connection, "SELECT uuid, step_id FROM events WHERE uuid", uuids)
    people = _People(connection)
    steps = _Steps(connection, people, mark.step)
    steps.take([line.body["step"] for line in lines])
    steps.keep(number for (number,) in known.values())
    fresh = [pair for pair in zip(uuids, lines, strict=True) if pair[0] not in known]
    queries = _numbered(connection, "queries", (line.query for _, line in fresh))
    documents = _numbered(connection, "documents", (line.document for _, line in fresh))
    states: dict[Key, HeadText] = {}
    changed = touched(connection, steps.shown)
    sealed = []
    for uuid, line in fresh:
        _, _, _, query, document, at, named, body = line
        said = body.get
        key = queries[query], documents[document], people.number(line)
        name, origin = body["step"][0], body["origin"]
        step, after_name = steps.numbers[name], said("after_step")
        after, shown = said("after"), said("shown")
        after_step = step if after_name == name else steps.number_of(after_name)
        says = None if after is None else after_step or step
        parents = b"".join(map(bytes.fromhex, named)) if named else b""
        row = (uuid, step, at, *key, origin, said("before"), steps.number_of(said("before_step")))
        sealed.append(seal_event((*row, after, says, said("spent_ms"), shown, parents)))
        said_at = json.loads(shown).get("made_at", at) if shown and "made_at" in shown else at
        states[key] = HeadText(after, says or 0, said_at)
        if origin == "undo":
            changed.add(key)
    top = _top(connection, "event_id", "events")
    bring_events(connection, sealed)
    changed.update(_with_others(connection, top))
    now, conflicts = resolve_all(connection, changed)
    states |= now
    write_states(connection, states)
    note_conflicts(connection, conflicts)
    steps.turn()
    write_mark(connection, mark)
    return Entered(len(fresh), states)


def note_released(connection: apsw.Connection, queries: Iterable[str]) -> None:
    """Keep that queries are released, by their external ids; in a transaction."""
    known = set(load_released(connection))
    _keep_meta(connection, _RELEASED, sorted(known.union(queries)))


def load_released(connection: apsw.Connection) -> list[str]:
    """Return the queries that the file knows to be released, by external id; perhaps none."""
    return _load_meta(connection, _RELEASED) or []


_HIDDEN = (
    "WITH hidden AS (SELECT s.step_id FROM steps s WHERE s.state = 'abandoned' AND EXISTS "
    "(SELECT 1 FROM arrivals r JOIN steps m ON m.step_id = r.merge_id AND m.kind = 'merge' "
    "WHERE r.step_id = s.step_id)) "
    "SELECT e.query_id, e.document_id, e.assessor_id, e.uuid, e.parents, e.after IS NOT NULL, "
    "e.step_id IN (SELECT step_id FROM hidden), s.state IN ('pending', 'abandoned') "
    "FROM events e JOIN steps s USING(step_id) WHERE (e.query_id, e.document_id, e.assessor_id) IN "
    "(SELECT query_id, document_id, assessor_id FROM events WHERE step_id IN "
    "(SELECT step_id FROM hidden))"
)


def count_hidden(
    connection: apsw.Connection, find_known: Callable[[Sequence[str]], Collection[str]]
) -> int:
    """Return how many judgments that a hub has are hidden here by a merge that was undone.

    Args:
        connection: for looking.
        find_known: returns which lines of these names the hub has; not called where nothing is hidden.
    """
    rows: Any = connection.execute(_HIDDEN).fetchall()
    if not rows:
        return 0
    known = set(find_known([uuid.hex() for *_, uuid, _, _, is_hidden, _ in rows if is_hidden]))
    lines = [row for row in rows if not row[7] or row[3].hex() in known]
    named = {uuid for line in lines for uuid in split_uuids(line[4])}
    return len({line[:3] for line in lines if line[7] and line[5] and line[3] not in named})


class Unplaced(NamedTuple):
    """What people judged elsewhere, and what this file has nothing of.

    Attributes:
        n_queries: judgments about queries that are not here: they are shown nowhere.
        n_documents: documents that are in no run and have no text, judged for queries that are here.
    """

    n_queries: int
    n_documents: int


def count_unplaced(connection: apsw.Connection) -> Unplaced:
    """Return how much of what came is about what is not here.

    Where there are neither runs nor texts, documents are ids alone, and none is lacking.
    """
    is_placed = load_visible_documents(connection, is_named=False)
    rows: Any = connection.execute(
        "SELECT j.document_id, j.query_id NOT IN (SELECT query_id FROM query_texts "
        "JOIN steps s USING(step_id) WHERE s.state = 'done') AS is_lost, count(*) FROM judgments j "
        "JOIN assessors a USING(assessor_id) WHERE a.kind IN ('human', 'again') "
        "AND j.state <> 'unjudged' AND EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = j.step_id) "
        "GROUP BY j.document_id, is_lost"
    )
    n_queries, lacking = 0, set()
    has_any = bool(is_placed.any())
    for document, is_lost, count in rows:
        n_queries += count if is_lost else 0
        if has_any and not (is_lost or is_placed[document]):
            lacking.add(document)
    return Unplaced(n_queries, len(lacking))


def count_own_material(connection: apsw.Connection, mark: HubMark) -> int:
    """Return how many steps brought queries, documents or runs into this file since it belongs to its hub.

    They are this file's alone where a member sends them who does not lead.
    """
    return int(
        connection.execute(
            "SELECT count(*) FROM steps s WHERE s.kind IN ('import', 'material') AND s.state = 'done' "
            "AND s.step_id > ? AND NOT EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id) "
            "AND (s.kind = 'material' OR EXISTS (SELECT 1 FROM query_texts t WHERE t.step_id = s.step_id) "
            "OR EXISTS (SELECT 1 FROM document_texts t WHERE t.step_id = s.step_id) "
            "OR EXISTS (SELECT 1 FROM runs t WHERE t.step_id = s.step_id))",
            (mark.step,),
        ).get
    )


def _known(
    connection: apsw.Connection, select: str, values: Sequence[Any]
) -> dict[Any, tuple[Any, ...]]:
    """Return the rows that have one of these values, by it."""
    found: dict[Any, tuple[Any, ...]] = {}
    for part in in_parts(values, _PART):
        marks = ",".join("?" * len(part))
        rows: Any = connection.execute(f"{select} IN ({marks})", part)
        found.update((row[0], row[1:]) for row in rows)
    return found


def _numbered(
    connection: apsw.Connection, table: str, ids: Iterable[str | None]
) -> dict[str | None, int]:
    names = sorted({name for name in ids if name is not None})
    numbers = number_ids(connection, table, names).tolist() if names else []
    return dict(zip(names, numbers, strict=True))


def _with_others(connection: apsw.Connection, top: int) -> Iterator[Key]:
    """Yield the judgments of which there are lines after this one, and others before them."""
    rows: Any = connection.execute(
        "SELECT n.query_id, n.document_id, n.assessor_id FROM events n WHERE n.event_id > ? "
        "AND EXISTS (SELECT 1 FROM events e WHERE e.query_id = n.query_id "
        "AND e.document_id = n.document_id AND e.assessor_id = n.assessor_id "
        "AND e.event_id < n.event_id)",
        (top,),
    )
    yield from rows


class _People:
    """The numbers of assessors by what lines say of them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        rows = load_assessors(connection)
        self._kinds = {row.name: row.kind for row in rows}
        self._numbers = {row.name: row.assessor_id for row in rows}

    def number(self, line: SentLine) -> int:
        name, kind = line.body["voice"]
        known = self._kinds.get(name)
        if known == "import" and kind == "human":
            make_human(self._connection, self._numbers[name])
            self._kinds[name] = kind
        if known is None:
            person = self.named(line.assessor) if kind == "again" else None
            self._kinds[name] = kind
            self._numbers[name] = number_assessor(
                self._connection, name, kind=kind, person_id=person
            )
        return self._numbers[name]

    def named(self, name: str) -> int:
        """Return the number of a person, who is added if need be."""
        if name not in self._numbers:
            self._kinds[name] = "human"
            self._numbers[name] = number_assessor(self._connection, name, kind="human")
        return self._numbers[name]


class _Steps:
    """Steps that lines hang on, or tell of, by their uuids.

    Attributes:
        numbers: of those that lines hang on.
        shown: those that were here, hidden, and are visible now.
    """

    def __init__(self, connection: apsw.Connection, people: _People, hub: int) -> None:
        self._connection, self._people, self._hub = connection, people, hub
        self.numbers: dict[str, int] = {}
        self.shown: set[int] = set()
        self._others: dict[str, int | None] = {}
        self._turns: dict[str, list[tuple[int, str]]] = {}

    def take(self, steps: Iterable[Sequence[Any]]) -> None:
        """Write those that are new, and show those that are hidden."""
        said = {step[0]: step for step in steps}
        uuids = list(map(bytes.fromhex, said))
        known = _known(
            self._connection,
            "SELECT uuid, step_id FROM steps WHERE uuid",
            uuids,
        )
        number = top = _top(self._connection, "step_id", "steps")
        rows = []
        for uuid, (name, kind, title, who, at, detail) in zip(uuids, said.values(), strict=True):
            if uuid in known:
                self.numbers[name] = known[uuid][0]
                continue
            number += 1
            self.numbers[name] = number
            person = None if who is None else self._people.named(who)
            seal = row_checksum(uuid.hex().upper(), kind, title, person, at, detail)
            rows.append((number, uuid, kind, title, person, at, detail, seal))
            if kind == TURN:
                turned = json.loads(detail)["step"]
                self._turns.setdefault(turned, []).append((at, title))
        self._connection.executemany(
            "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, hash, state) "
            "VALUES(?,?,?,?,?,?,?,?,'done')",
            rows,
        )
        self._connection.execute(LINK_NEW, (self._hub, top))
        self.keep(number for (number,) in known.values())

    def keep(self, numbers: Iterable[int]) -> None:
        """Have the hub bring, too, what other copies brought of these: no merge's undoing hides it then."""
        rows: Any = self._connection.execute(
            "SELECT step_id, state FROM steps s WHERE step_id IN (SELECT value FROM json_each(?)) "
            "AND EXISTS (SELECT 1 FROM arrivals a WHERE a.step_id = s.step_id)",
            (json.dumps(sorted(set(numbers))),),
        ).fetchall()
        link = "INSERT OR IGNORE INTO arrivals VALUES(?, ?)"
        self._connection.executemany(link, ((step, self._hub) for step, _ in rows))
        hidden = {step for step, state in rows if state == "abandoned"}
        show = "UPDATE steps SET state = 'done' WHERE step_id = ?"
        self._connection.executemany(show, ((step,) for step in hidden))
        self.shown |= hidden

    def number_of(self, name: str | None) -> int | None:
        """Return the number of a step; ``None`` for one that is not here."""
        if name is None:
            return None
        name = name.lower()
        if name in self.numbers:
            return self.numbers[name]
        if name not in self._others:
            found: Any = self._connection.execute(
                "SELECT step_id FROM steps WHERE uuid = ?", (bytes.fromhex(name),)
            ).fetchone()
            self._others[name] = found[0] if found else None
        return self._others[name]

    def turn(self) -> None:
        """Undo or do the steps that new turns turn."""
        for name, turns in self._turns.items():
            turn_step(self._connection, bytes.fromhex(name), turns)


def are_latest(connection: apsw.Connection, states: Mapping[Key, HeadText]) -> bool:
    """Whether nobody else has judged the same documents later: then places in time stay as they are."""
    look = "SELECT 1 FROM judgments WHERE query_id = ? AND document_id = ? AND assessor_id <> ? AND at > ?"
    return not any(
        said.text is not None and connection.execute(look, (*key, said.said_at)).fetchone()
        for key, said in states.items()
    )
