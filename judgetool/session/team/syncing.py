"""Keeping a project file and its team's hub alike: sending what was judged, fetching what others said.

Everybody judges in a file of their own and needs no hub for it. What the hub has not been sent is known
from the file alone, and what comes enters by the merge's rules, so that a line cut off, a killed program
and a hub that was restored, wiped or made anew cost nothing but a repetition.
"""

import contextlib
import hashlib
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid5

from judgetool.core.judgments import JudgmentChange, JudgmentKey
from judgetool.core.number_text import count_noun, format_count
from judgetool.core.scale import Scale, scale_preset
from judgetool.errors import (
    HubError,
    HubOfflineError,
    HubRefusal,
    HubRefusedError,
    HubTooNewError,
)
from judgetool.hub.address import HubAddress, parse_address
from judgetool.hub.connection import Hub, open_hub
from judgetool.hub.events import HubEvent, HubLook, HubStanding
from judgetool.session.background import IsCancelled, Progress, WorkCancelledError, checker
from judgetool.session.jobs import Outcome, regrading_job
from judgetool.session.loading import WrittenStep
from judgetool.session.opening import look_into
from judgetool.session.session import Session
from judgetool.session.team.merging import translated
from judgetool.storage.arrival import Door
from judgetool.storage.connection import Connection
from judgetool.storage.heads import HeadText
from judgetool.storage.hub_entered import are_latest, enter_lines
from judgetool.storage.hub_unsent import (
    HubMark,
    Sender,
    SentLine,
    after_steps,
    begin_mark,
    count_unsent,
    find_rescaled,
    find_steps_of_moments,
    find_unsent_before,
    find_unsent_steps,
    iter_unsent,
    load_mark,
    name_steps,
    write_bundle,
    write_mark,
)
from judgetool.storage.judgments import LogEntry, StepRow, parse_judgment
from judgetool.storage.merge import MergeStep, merge_sources
from judgetool.storage.numbers_here import OtherCopy
from judgetool.storage.values import load_values
from judgetool.storage.visibility import HUB, Key

SEND_AFTER_S = 2.0
"""So long after the last change it is sent,"""
SEND_AT_LATEST_S = 10.0
"""and so long after the first at the latest."""
FETCH_EVERY_S = 60.0
GATHER_S = 0.5
"""So long a lead waits for more, once the hub has told of something."""
_FIRST_RETRY_S, _LAST_RETRY_S = 5.0, 300.0
AT_ONCE = 250
"""Lines that are written in one transaction, and sent in one: some 10 ms."""
_FEW = 2_000
"""So many changed judgments are taken in one by one; for more all is read anew."""
_CLOCK_MS = 60_000
_TITLE = "Team hub"


def hash_scale(scale: Scale) -> str:
    """Return what tells scales with the same grades from others."""
    grades = sorted(level.grade for level in scale.levels)
    text = json.dumps([scale.is_continuous, grades])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _stored_scale(reader: Connection) -> Scale:
    stored = load_values(reader, prefix="scale").get("scale")
    return Scale.from_dict(stored) if stored else scale_preset("0-3")


class SyncState(NamedTuple):
    """How a file stands to its hub.

    Attributes:
        n_unsent: lines that the hub has not been sent.
        offline_since: since when it was not reached, milliseconds UTC; ``None`` where it is.
        problem: a sentence where the hub refuses something, or cannot be understood; else empty.
        notice: a sentence about what goes on all the same, such as a wrong clock; else empty.
        password_wanted: whether nothing goes on until somebody says the password.
    """

    n_unsent: int = 0
    offline_since: int | None = None
    problem: str = ""
    notice: str = ""
    password_wanted: bool = False

    @property
    def text(self) -> str:
        """For the status line."""
        parts = [f"{format_count(self.n_unsent)} to send"] if self.n_unsent else []
        if self.offline_since is not None:
            since = datetime.fromtimestamp(self.offline_since / 1000).astimezone()
            parts.append(f"offline since {since:%H:%M}")
        if self.problem:
            parts.append("password wanted" if self.password_wanted else "not in step")
        if self.notice:
            parts.append("clock differs")
        return f"Hub: {', '.join(parts) or 'in step'}"


@dataclass(slots=True)
class Synced:
    """What going in step with the hub has done.

    Attributes:
        n_sent: lines that the hub did not have.
        n_received: lines that were not here.
        n_files: small files that came.
        states: what is said now of the judgments that the lines are about.
        values: the project's values that are others now.
        is_whole: whether all has to be read anew.
        is_healed: whether the hub was another than was known, or had lost lines, and was sent all.
        written: for :meth:`Session.take_written`, on the session's thread; ``None`` where nothing came.
    """

    n_sent: int = 0
    n_received: int = 0
    n_files: int = 0
    states: dict[Key, HeadText] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    is_whole: bool = False
    is_healed: bool = False
    written: WrittenStep | None = None


T = TypeVar("T")
OpenHub = Callable[[HubAddress, str | None], Hub]


class Syncing:
    """Keeps one open project in step with its hub, on a thread of its own.

    All methods but :meth:`note_change` are for that thread; none raises what is a matter of the hub.

    Args:
        session: the project, which may be written.
        password: ``None`` for the keyring's, or what libpq finds.
        at_once: lines written in one transaction.
        reads: whether the session is given what came.
        open_hub: how a hub is connected to.

    Attributes:
        state: how things stand.
        problem: why it did not work out the last time; ``None`` where it did.
    """

    def __init__(
        self,
        session: Session,
        password: str | None = None,
        *,
        at_once: int = AT_ONCE,
        reads: bool = True,
        open_hub: OpenHub = open_hub,
    ) -> None:
        mark = find_hub_mark(session)
        assert mark is not None, "a project with a hub"
        self._session, self._mark, self._at_once = session, mark, at_once
        self._open, self._password, self._reads = open_hub, password, reads
        self._hub: Hub | None = None
        self._address = parse_address(mark.url)[0]
        self._first_change: float | None = None
        self._last_change = 0.0
        self._next_fetch = self._next_try = 0.0
        self._retry_s = _FIRST_RETRY_S
        self.state = SyncState()
        self.problem: HubError | None = None
        self._is_told = False
        self._check: Progress = lambda _n, _total: None

    # When

    def note_change(self, now: float) -> None:
        """Have it sent soon that something was judged; for the session's thread."""
        self._last_change = now
        if self._first_change is None:
            self._first_change = now

    def set_password(self, password: str) -> None:
        """Try again with a password that somebody said."""
        self._password, self._next_try = password, 0.0

    def hurry(self) -> None:
        """Go in step at once, whatever went wrong before; for the session's thread."""
        self._next_fetch = self._next_try = 0.0

    def look(self) -> HubLook | None:
        """Return who is in the hub and what is released; ``None`` where it is not reached."""
        hub = self._hub
        if hub is None:
            return None
        try:
            return HubLook(hub.me, tuple(hub.members()), len(hub.released()))
        except HubError as problem:
            self._fail(problem, None)
            return None

    def recount(self) -> None:
        """Have :attr:`state` say how many lines the hub has not been sent; no hub is asked."""
        self.state = self.state._replace(n_unsent=self._count())

    def is_due(self, now: float) -> bool:
        """Return whether there is something to do, at a moment of a clock that never goes back."""
        if now < self._next_try or (self.state.password_wanted and self._next_try):
            return False
        first = self._first_change
        is_changed = first is not None and (
            now >= self._last_change + SEND_AFTER_S or now >= first + SEND_AT_LATEST_S
        )
        return is_changed or self._is_told or now >= self._next_fetch

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Wait, a lead until something is new at the hub; then a little longer for more of it."""
        hub = self._hub
        if hub is None or hub.me.role != "lead":
            stop.wait(seconds)
            return
        try:
            if hub.wait(seconds):
                stop.wait(GATHER_S)
                self._is_told = True
        except HubError as problem:
            self._fail(problem, None)

    # What

    def run(
        self,
        now: float,
        *,
        sends: bool = True,
        fetches: bool = True,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> Synced:
        """Fetch what is new, send what is not sent, and say in :attr:`state` how it went.

        Args:
            now: of the same clock as :meth:`is_due`.
            sends: whether anything is sent.
            fetches: whether anything is fetched.
            progress: told how many lines were done.
            is_cancelled: asked between transactions.
        """
        first = self._first_change
        self._first_change, self._is_told = None, False
        self._check = checker(progress, is_cancelled, "Stopped; what was sent and fetched stays.")
        done = Synced()
        try:
            hub = self._connected(done)
            notice = describe_clock(hub.standing())
            if fetches:
                self._fetch(hub, done)
            if sends and hub.me.role != "reader":
                self._send(hub, done)
            self._retry_s, self._next_try = _FIRST_RETRY_S, 0.0
            self._next_fetch = now + FETCH_EVERY_S
            self.state, self.problem = SyncState(self._count(), notice=notice), None
        except WorkCancelledError:
            self._first_change = first
            self.close()
        except HubError as problem:
            self._first_change = first
            self._fail(problem, now)
        if self._reads and (done.n_received or done.n_files or done.is_whole):
            done.written = self._written(done)
        return done

    def close(self) -> None:
        """Let go of the connection."""
        if self._hub is not None:
            self._hub.close()
            self._hub = None

    def _fail(self, problem: HubError, now: float | None) -> None:
        self.close()
        self.problem = problem
        since, said, is_wanted = None, "", False
        if isinstance(problem, HubOfflineError):
            since = self.state.offline_since or self._session.clock()
        else:
            said = str(problem)
            is_wanted = isinstance(problem, HubRefusedError) and problem.why is HubRefusal.PASSWORD
        if isinstance(problem, HubTooNewError):
            self._retry_s = _LAST_RETRY_S
        if now is not None:
            self._next_try = now + self._retry_s
            self._retry_s = min(2 * self._retry_s, _LAST_RETRY_S)
        self.state = SyncState(self._count(), since, said, password_wanted=is_wanted)

    def _count(self) -> int:
        if self._sender is None:
            return 0
        with self._session.second_reader() as reader:
            return count_unsent(reader, self._mark, self._sender)

    @property
    def _sender(self) -> Sender | None:
        return Sender(self._mark.name, self._mark.role == "lead") if self._mark.role else None

    def _connected(self, done: Synced) -> Hub:
        if self._hub is None:
            self._hub = self._open(self._address, self._password)
        hub = self._hub
        standing = hub.standing()
        refuse_other_project(self._session, standing, self._address)
        me = hub.me
        if (me.name, me.role) != (self._mark.name, self._mark.role):
            self._keep(replace(self._mark, name=me.name, role=me.role))
        mark = self._mark
        marks = ((mark.seq, mark.uuid), (mark.sent_seq, mark.sent_uuid))
        is_known = all(not seq or hub.uuid_at(seq) == uuid for seq, uuid in marks)
        if not is_known or mark.hub not in ("", standing.hub):
            # It was restored, wiped or replaced: what it lacks is in the files.
            at = self._session.clock()
            self._mark = self._write(partial(begin_mark, url=mark.url, at=at))
            self._keep(replace(self._mark, name=me.name, role=me.role, hub=standing.hub))
            done.is_healed = True
        elif not mark.hub:
            self._keep(replace(mark, hub=standing.hub))
        return hub

    def _write(self, job: Callable[[Connection], T]) -> T:
        return self._session.write(job, is_bulk=True)

    def _keep(self, mark: HubMark) -> None:
        if mark != self._mark:
            self._write(partial(write_mark, mark=mark))
            self._mark = mark

    # From the hub

    def _fetch(self, hub: Hub, done: Synced) -> None:
        # While lines are written the next ones are read: of many that saves a fifth of the time.
        with ThreadPoolExecutor(1, "hub") as ahead:
            page = hub.pull(self._mark.seq)
            while not page.is_end:
                rows = _whole_steps(page.rows)
                following = ahead.submit(hub.pull, rows[-1][0])
                self._enter_all(hub, rows, done)
                page = following.result()
            self._enter_all(hub, page.rows, done)
        if self._mark.seq < page.last_seq:
            self._keep(replace(self._mark, seq=page.last_seq, uuid=page.last_uuid))

    def _enter_all(self, hub: Hub, rows: Sequence[tuple[int, HubEvent]], done: Synced) -> None:
        for part in _parts(rows, self._at_once):
            self._enter(hub, part, done)

    def _enter(self, hub: Hub, rows: Sequence[tuple[int, HubEvent]], done: Synced) -> None:
        """Take in lines that follow each other and are of one kind."""
        seq, last = rows[-1]
        mark = replace(self._mark, seq=seq, uuid=last.uuid)
        if last.kind in _LINES:
            self._enter_lines(rows, mark, done)
            return
        if last.kind in _FILES and last.uuid not in self._mark.own_bundles:
            self._merge_bundle(hub, last.uuid, done)
        elif last.kind == "release" and hub.me.role != "lead":
            queries = [line.query for _, line in rows if line.query is not None]
            for page in hub.pull_queries(queries):
                said = [row for row in page if row[1].kind in _LINES]
                for part in _parts(said, self._at_once):
                    self._enter_lines(part, self._mark, done)
        self._keep(mark)

    def _enter_lines(
        self, rows: Sequence[tuple[int, HubEvent]], mark: HubMark, done: Synced
    ) -> None:
        lines = [SentLine._make(_FIELDS(line)) for _, line in rows]
        with self._session.arriving:
            entered = self._write(partial(enter_lines, lines=lines, mark=mark))
        self._mark = mark
        done.n_received += entered.n_new
        if done.is_whole or len(done.states) + len(entered.states) > _FEW:
            done.is_whole = True
            done.states.clear()
        else:
            done.states |= entered.states
        self._check(done.n_received, done.n_received)

    def _merge_bundle(self, hub: Hub, uuid: str, done: Synced) -> None:
        session = self._session
        with tempfile.TemporaryDirectory(prefix="judgetool-") as folder:
            path = Path(folder) / "bundle.judge"
            hub.fetch_bundle(uuid, path)
            with look_into(path) as there, session.second_reader() as reader, session.arriving:
                door = Door(reader, self._write, session.is_waited_for, self._check)
                copy, step = OtherCopy(_TITLE, there), MergeStep(_TITLE, None, session.clock(), HUB)
                merged = merge_sources(door, [copy], step, translate=translated)
        if merged.step_id is not None:
            done.n_files += 1
            done.values |= merged.values
            done.is_whole = True
            done.states.clear()

    def _written(self, done: Synced) -> WrittenStep:
        """Return what the session takes in; read here where all is to be read anew."""
        at, number = self._session.clock(), self._mark.step
        with self._session.second_reader() as reader:
            is_whole = done.is_whole or not are_latest(reader, done.states)
        if is_whole:
            step = StepRow(number, "merge", _TITLE, at)
            return self._session.read_after(Outcome(step, values=done.values))
        entries = tuple(
            LogEntry(
                JudgmentChange(JudgmentKey(*key), None, parse_judgment(said.text)),
                None,
                said.step_id or None,
                HUB,
                made_at=said.said_at,
            )
            for key, said in done.states.items()
        )
        return WrittenStep(Outcome(StepRow(number, HUB, _TITLE, at), entries), None)

    # To the hub

    def _send(self, hub: Hub, done: Synced) -> None:
        with self._session.second_reader() as reader:
            ours = hash_scale(_stored_scale(reader))
            theirs = hub.standing().scale_hash
            if hub.me.role == "lead":
                self._send_bundle(hub, reader)
            elif ours != theirs:
                raise HubRefusedError(
                    "The project has another scale than the hub, and only a lead changes it there. "
                    "What was judged is kept here until a lead has.",
                    why=HubRefusal.SCALE,
                )
            else:
                self._regrade(reader, done)
            sender = self._sender
            assert sender is not None, "known since it was connected"
            for lines, mark in iter_unsent(reader, self._mark, sender, most=self._at_once):
                self._send_lines(hub, lines, mark, theirs, done)
            if ours != theirs:
                hub.push([], scale_hash=theirs, becomes=ours)

    def _send_lines(
        self, hub: Hub, lines: Sequence[SentLine], mark: HubMark, scale: str, done: Synced
    ) -> None:
        # Since these were read, others may have come.
        kept = replace(self._mark, event=mark.event, turn=mark.turn)
        if lines:
            events = [HubEvent(*line) for line in lines]
            reply = hub.push(events, scale_hash=scale)
            done.n_sent += reply.n_new
            if reply.n_new:
                last = events[-1].uuid if not reply.n_known else hub.uuid_at(reply.last_seq) or ""
                kept = replace(kept, sent_seq=reply.last_seq, sent_uuid=last)
                if kept.seq == reply.last_seq - reply.n_new:
                    # Nobody else has written meanwhile: these need not be fetched.
                    kept = replace(kept, seq=reply.last_seq, uuid=last)
            self._check(done.n_sent, done.n_sent)
        self._keep(kept)

    def _send_bundle(self, hub: Hub, reader: Connection) -> None:
        """Send, in small files, the steps that bring more than judgments."""
        with tempfile.TemporaryDirectory(prefix="judgetool-") as folder:
            uuid, files = self._session.uuid, []
            with _at_one_moment(reader):
                steps = find_unsent_steps(reader, self._mark)
                mark = after_steps(reader, self._mark)
                hidden = find_steps_of_moments(reader, steps)
                for part in filter(None, (steps - hidden, hidden)):
                    name = uuid5(UUID(uuid), name_steps(reader, part)).hex
                    path = Path(folder) / f"{name}.judge"
                    write_bundle(reader, path, part, uuid=uuid, translate=translated)
                    files.append((path, part))
            for path, part in files:
                # Before it is sent: what is fetched meanwhile need not be merged.
                own = tuple(dict.fromkeys((*self._mark.own_bundles, path.stem)))
                self._keep(replace(self._mark, own_bundles=own))
                title, is_material = count_noun(len(part), "step"), part is not hidden
                hub.put_bundle(path, uuid=path.stem, name=title, is_material=is_material)
        self._keep(replace(self._mark, made=mark.made, turn_brought=mark.turn_brought))

    def _regrade(self, reader: Connection, done: Synced) -> None:
        """Bring judgments to a lead's scale that were made before it came, and not sent."""
        sender = self._sender
        assert sender is not None, "known since it was connected"
        for mapping, last in find_rescaled(reader, self._mark):
            keys = find_unsent_before(reader, self._mark, sender, last)
            if keys:
                at = self._session.clock()
                self._write(regrading_job(keys, mapping, title="Scale of the lead", at=at))
                done.is_whole = True


_FIELDS = attrgetter(*SentLine._fields)
_LINES = ("judgment", "again", "settled")
_FILES = ("bundle", "labels")


def _whole_steps(rows: list[tuple[int, HubEvent]]) -> list[tuple[int, HubEvent]]:
    """Return lines without those of the last step, of which there may be more, unless it is the only one."""
    last = _step_of(rows[-1][1])
    kept = len(rows)
    while kept and last is not None and _step_of(rows[kept - 1][1]) == last:
        kept -= 1
    return rows[:kept] or rows


def _step_of(line: HubEvent) -> str | None:
    return str(line.body["step"][0]) if line.kind in _LINES else None


def _parts(
    rows: Sequence[tuple[int, HubEvent]], most: int
) -> Iterator[Sequence[tuple[int, HubEvent]]]:
    """Yield lines that follow each other and are of one kind, no step in two parts; each file alone."""
    start, step = 0, None
    for place, (_, line) in enumerate(rows):
        group = _group(line)
        if place > start:
            is_other = group != _group(rows[start][1]) or group == "file"
            is_full = place - start >= most and _step_of(line) != step
            if is_other or is_full:
                yield rows[start:place]
                start = place
        step = _step_of(line)
    if rows:
        yield rows[start:]


def _group(line: HubEvent) -> str:
    if line.kind in _LINES:
        return "line"
    return "file" if line.kind in _FILES else line.kind


def find_hub_mark(session: Session) -> HubMark | None:
    """Return how far a project knows its hub; ``None`` where it has none. For any thread."""
    with session.second_reader() as reader:
        return load_mark(reader)


@contextlib.contextmanager
def _at_one_moment(reader: Connection) -> Iterator[None]:
    """Let a reader see the file as it is now; nothing may be written here meanwhile."""
    reader.execute("BEGIN")
    try:
        yield
    finally:
        reader.execute("COMMIT")


def describe_clock(standing: HubStanding) -> str:
    """Return a sentence where this machine's clock and the hub's are a minute apart, else ``""``."""
    if abs(standing.ahead_ms) <= _CLOCK_MS:
        return ""
    minutes = round(abs(standing.ahead_ms) / 60_000)
    is_ahead = "ahead of" if standing.ahead_ms < 0 else "behind"
    return (
        f"This machine’s clock is {count_noun(minutes, 'minute')} {is_ahead} the hub’s. Of judgments that "
        "differ the latest counts: set it right."
    )


def refuse_other_project(session: Session, standing: HubStanding, address: HubAddress) -> None:
    """Refuse a hub that is another project's.

    Raises:
        HubRefusedError: it is.
    """
    if standing.project != session.uuid:
        raise HubRefusedError(
            f"The hub {address} is of the project ‘{standing.title}’, and {session.path.name} is another "
            "one. Join it with a file of its own.",
            why=HubRefusal.STATE,
        )
