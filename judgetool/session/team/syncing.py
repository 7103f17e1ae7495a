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
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid5

from judgetool.core.number_text import count_noun
from judgetool.core.scale import Scale
from judgetool.errors import (
    HubError,
    HubOfflineError,
    HubRefusal,
    HubRefusedError,
    HubTooNewError,
)
from judgetool.hub.connection import (
    FILES,
    LINES,
    Hub,
    HubEvent,
    HubLook,
    HubStanding,
    NumberedEvent,
    cut_in_parts,
    open_hub,
    whole_steps,
)
from judgetool.hub.reaching import HubAddress, parse_address
from judgetool.session.commands import IsCancelled, Progress, WorkCancelledError, checker, scale_of
from judgetool.session.jobs import regrading_job, turning_job
from judgetool.session.opening import look_into
from judgetool.session.session import Session
from judgetool.session.team.merging import translated
from judgetool.session.team.sync_state import (
    HUB_TITLE,
    OTHER_SCALE,
    Synced,
    SyncState,
    count_here,
    describe_clock,
    describe_healed,
    describe_turned,
    find_hidden,
    find_own_material,
    find_unplaced,
    read_written,
    refuse_other_project,
)
from judgetool.storage.arrival import Door
from judgetool.storage.asks import load_taken, write_taken
from judgetool.storage.connection import Connection
from judgetool.storage.copies import HUB, OtherCopy
from judgetool.storage.hub_lines import (
    HubMark,
    Sender,
    SentLine,
    after_steps,
    begin_mark,
    enter_lines,
    find_own_scales,
    find_rescaled,
    find_sender,
    find_steps_of_moments,
    find_turned_scales,
    find_unfit,
    find_unsent_before,
    find_unsent_steps,
    iter_unsent,
    load_mark,
    load_released,
    name_steps,
    note_released,
    write_bundle,
    write_mark,
)
from judgetool.storage.judgments import Key, load_used_grades
from judgetool.storage.merge import MergeStep, merge_sources
from judgetool.storage.values import load_values
from judgetool.wording import N_, _

SEND_AFTER_S = 2.0
_NOT_YET = N_("The hub {address} is not reached yet.")
"""So long after the last change it is sent,"""
SEND_AT_LATEST_S = 10.0
"""and so long after the first at the latest."""
FETCH_EVERY_S = 60.0
GATHER_S = 0.5
"""So long a lead waits for more, once the hub has told of something."""
_FIRST_RETRY_S, _LAST_RETRY_S = 5.0, 30.0
"""Pauses between tries grow so far; the help says so."""
_TOO_NEW_S = 300.0
AT_ONCE = 250
"""Lines that are written in one transaction, and sent in one: some 10 ms."""
_FEW = 2_000
"""So many changed judgments are taken in one by one; for more all is read anew."""


def hash_scale(scale: Scale) -> str:
    """Return what tells scales with the same grades from others."""
    grades = sorted(level.grade for level in scale.levels)
    text = json.dumps([scale.is_continuous, grades])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


T = TypeVar("T")
OpenHub = Callable[[HubAddress, str | None], Hub]


class Syncing:
    """Keeps one open project in step with its hub, on a thread of its own.

    Methods are for that thread, but for those that say otherwise; none raises what is a matter of the hub.

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
        self.state = SyncState(is_begun=False)
        self.problem: HubError | None = None
        self._is_told = self._is_hurried = self._has_claimed = self._is_released = False
        self._remarks: tuple[str, ...] = ()
        self._n_hidden = 0
        # What was under way when a program was killed is looked for once.
        self._may_have_turned = self._may_lack = True
        self._held: dict[tuple[str, str], int] | None = None
        self._check: Progress = lambda _n, _total: None

    # When

    def note_change(self, now: float) -> None:
        """Have it sent soon that something was judged; for the session's thread."""
        self._last_change = now
        if self._first_change is None:
            self._first_change = now

    def set_password(self, password: str) -> None:
        """Try again with a password that somebody said; for the session's thread."""
        self._password = password
        self.hurry()

    def hurry(self) -> None:
        """Go in step at once, whatever went wrong before, and once more where that is under way."""
        self._is_hurried = True

    def look(self) -> HubLook | None:
        """Return who is in the hub and what is released; ``None`` where it is not reached."""
        hub = self._hub
        if hub is None:
            return None
        try:
            lacking = find_unplaced(self._session) if hub.me.role == "lead" else ""
            return HubLook(hub.me, tuple(hub.members()), tuple(hub.released()), lacking)
        except HubError as problem:
            self._fail(problem, None)
            return None

    def consult(self, act: Callable[[Hub], T]) -> T:
        """Do something at the hub besides; what comes of it here comes when it is next in step.

        Raises:
            HubError: the hub refuses, or is not reached.
        """
        hub = self._hub
        if hub is None:
            raise self.problem or HubOfflineError(_(_NOT_YET).format(address=self._address))
        try:
            self._has_claimed = True
            return act(hub)
        except HubOfflineError as problem:
            self._fail(problem, None)
            raise

    def recount(self) -> None:
        """Have :attr:`state` say how many lines the hub has not been sent; no hub is asked."""
        self.state = self.state._replace(**self._counts())

    def is_due(self, now: float) -> bool:
        """Return whether there is something to do, at a moment of a clock that never goes back."""
        if self._is_hurried:
            return True
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
            # What is new there is not heard of any more: soon after the last time is early enough.
            self._next_fetch -= FETCH_EVERY_S - _FIRST_RETRY_S

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
        self._first_change, self._is_told, self._is_hurried = None, False, False
        stopped, done = _("Stopped; what was sent and fetched stays."), Synced()
        self._check = checker(progress, is_cancelled, stopped)
        try:
            hub, standing = self._connected(done)
            notice = describe_clock(standing)
            if fetches:
                self._fetch(hub, done)
            if sends and self._sender is not None:
                self._send(hub, done)
            if fetches and hub.me.role != "reader":
                self._hold(hub, done)
            self._retry_s, self._next_try = _FIRST_RETRY_S, 0.0
            self._next_fetch = now + FETCH_EVERY_S
            self._remarks = tuple(done.remarks) or self._remarks
            self._n_hidden = done.n_hidden = find_hidden(self._session, hub)
            self.state, self.problem = self._stands(notice=notice), None
            done.staying = self.state.staying
        except WorkCancelledError:
            self._first_change = first or self._first_change
            self.close()
        except HubError as problem:
            self._first_change = first or self._first_change
            # Whatever it was that had to be done: the next try is for all of it.
            self._next_fetch = 0.0
            self._fail(problem, now)
        if self._reads and (done.n_received or done.n_files or done.is_whole):
            done.written = read_written(self._session, done, self._mark.step)
        return done

    def close(self) -> None:
        """Let go of the connection."""
        if self._hub is not None:
            self._hub.close()
            self._hub = None

    def _fail(self, problem: HubError, now: float | None) -> None:
        self.close()
        self.problem = problem
        why = problem.why if isinstance(problem, HubRefusedError) else None
        if now is not None:
            pause = _TOO_NEW_S if isinstance(problem, HubTooNewError) else self._retry_s
            self._next_try = now + pause
            self._retry_s = min(2 * self._retry_s, _LAST_RETRY_S)
        if isinstance(problem, HubOfflineError):
            since = self.state.offline_since or self._session.clock()
            self.state = self._stands(offline_since=since, reason=str(problem))
        else:
            self.state = self._stands(
                problem=str(problem),
                password_wanted=why is HubRefusal.PASSWORD,
                is_missing=why is HubRefusal.MISSING and self._mark.role == "lead",
            )

    def _stands(self, **said: Any) -> SyncState:  # noqa: ANN401 - as SyncState has it
        """Return how things stand now, besides what is said."""
        remarks = tuple(filter(None, (*self._remarks, find_own_material(self._session))))
        asked, n_hidden = self._session.clock(), self._n_hidden
        return SyncState(
            remarks=remarks, asked_ms=asked, n_hidden=n_hidden, **self._counts(), **said
        )

    def _counts(self) -> dict[str, Any]:
        with self._session.second_reader() as reader:
            return count_here(reader, self._mark)

    @property
    def _sender(self) -> Sender | None:
        return find_sender(self._mark)

    def _connected(self, done: Synced) -> tuple[Hub, HubStanding]:
        if self._hub is None:
            self._hub, self._is_released = self._open(self._address, self._password), False
        hub = self._hub
        standing = hub.standing()
        refuse_other_project(self._session, standing, self._address)
        me, mark = hub.me, self._mark
        if (me.name, me.role) != (mark.name, mark.role):
            if mark.role:
                # Another role reads other lines, those of before among them.
                mark = mark._replace(seq=0, uuid="")
            self._keep(mark._replace(name=me.name, role=me.role))
        mark = self._mark
        marks = ((mark.seq, mark.uuid), (mark.sent_seq, mark.sent_uuid))
        is_known = all(not seq or hub.uuid_at(seq) == uuid for seq, uuid in marks)
        if not is_known or mark.hub not in ("", standing.hub):
            # It was restored, wiped or replaced: what it lacks is in the files.
            at = self._session.clock()
            begun = partial(begin_mark, url=mark.url, at=at, name=me.name, role=me.role)
            self._mark = self._write(begun)
            self._keep(self._mark._replace(hub=standing.hub))
            done.remarks.append(describe_healed(is_lead=me.role == "lead"))
        elif not mark.hub:
            self._keep(mark._replace(hub=standing.hub))
        return hub, standing

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
                rows = whole_steps(page.rows)
                following = ahead.submit(hub.pull, rows[-1][0])
                self._enter_all(hub, rows, done)
                page = following.result()
            self._enter_all(hub, page.rows, done)
        if self._mark.seq < page.last_seq:
            self._keep(self._mark._replace(seq=page.last_seq, uuid=page.last_uuid))

    def _enter_all(self, hub: Hub, rows: Sequence[NumberedEvent], done: Synced) -> None:
        for part in cut_in_parts(rows, self._at_once):
            self._enter(hub, part, done)

    def _enter(self, hub: Hub, rows: Sequence[NumberedEvent], done: Synced) -> None:
        """Take in lines that follow each other and are of one kind."""
        seq, last = rows[-1]
        mark = self._mark._replace(seq=seq, uuid=last.uuid)
        if last.kind in LINES:
            self._enter_lines(rows, mark, done)
            return
        if last.kind in FILES and last.uuid not in self._mark.own_bundles:
            self._merge_bundle(hub, last.uuid, done)
        elif last.kind == "release":
            queries = [line.query for _, line in rows if line.query is not None]
            self._write(partial(note_released, queries=queries))
            for page in hub.pull_queries(queries) if hub.me.role != "lead" else ():
                said = [row for row in page if row[1].kind in LINES]
                for part in cut_in_parts(said, self._at_once):
                    self._enter_lines(part, self._mark, done)
        self._keep(mark)

    def _enter_lines(self, rows: Sequence[NumberedEvent], mark: HubMark, done: Synced) -> None:
        lines = [SentLine._make(line[:-1]) for _, line in rows]
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
                copy, step = (
                    OtherCopy(HUB_TITLE, there),
                    MergeStep(HUB_TITLE, None, session.clock(), HUB),
                )
                merged = merge_sources(door, [copy], step, translate=translated)
        if merged.step_id is not None:
            self._may_have_turned = True
            done.n_files += 1
            done.values |= merged.values
            done.is_whole = True
            done.states.clear()

    def _hold(self, hub: Hub, done: Synced) -> None:
        """Ask of the assessor what they have taken to judge, here or on another machine."""
        held = {(claim.query, claim.document): claim.until_ms for claim in hub.claimed()}
        is_own, self._has_claimed = self._has_claimed, False
        if held == self._held:
            return
        with self._session.second_reader() as reader:
            known = {taken[:2]: taken for taken in load_taken(reader, hub.me.name)}
        mine = {pair for pair, each in known.items() if each.until_ms and not each.is_judged}
        n_taken, n_left = len(held.keys() - known.keys()), len(mine - held.keys())
        if n_taken or n_left:
            at = self._session.clock()
            self._write(partial(write_taken, name=hub.me.name, held=held, at=at))
            done.is_whole = True
            if not is_own:
                done.remarks.append(describe_turned(n_taken, n_left))
        self._held = held

    # To the hub

    def _send(self, hub: Hub, done: Synced) -> None:
        with self._session.second_reader() as reader:
            scale = scale_of(load_values(reader, prefix="scale"))
            ours, theirs = hash_scale(scale), hub.standing().scale_hash
            if hub.me.role == "lead":
                self._send_bundle(hub, reader, done)
                # Until it was changed there, too, others have sent in the scale of before.
                self._may_have_turned |= ours != theirs
                back = self._turn_scales(reader, done)
                if self._may_lack or ours != theirs:
                    self._fit(reader, scale, done)
                self._may_lack = ours != theirs
                if ours == theirs:
                    self._regrade(reader, back, done)
            elif ours != theirs:
                raise HubRefusedError(_(OTHER_SCALE), why=HubRefusal.SCALE)
            else:
                self._regrade(reader, self._turn_scales(reader, done), done)
            sender = self._sender
            assert sender is not None, "known since it was connected"
            for lines, mark in iter_unsent(reader, self._mark, sender, most=self._at_once):
                self._send_lines(hub, lines, mark, theirs, done)
            if ours != theirs:
                hub.push([], scale_hash=theirs, becomes=ours)
            if hub.me.role == "lead" and not self._is_released:
                # One that was restored or made anew may lack some.
                lost = set(load_released(reader)).difference(hub.released())
                if lost:
                    hub.release(sorted(lost))
                self._is_released = True

    def _send_lines(
        self, hub: Hub, lines: Sequence[SentLine], mark: HubMark, scale: str, done: Synced
    ) -> None:
        # Since these were read, others may have come.
        kept = self._mark._replace(event=mark.event, turn=mark.turn)
        if lines:
            events = [HubEvent(*line) for line in lines]
            reply = hub.push(events, scale_hash=scale)
            done.n_sent += reply.n_new
            if reply.n_new:
                last = events[-1].uuid if not reply.n_known else hub.uuid_at(reply.last_seq) or ""
                kept = kept._replace(sent_seq=reply.last_seq, sent_uuid=last)
                if kept.seq == reply.last_seq - reply.n_new:
                    # Nobody else has written meanwhile: these need not be fetched.
                    kept = kept._replace(seq=reply.last_seq, uuid=last)
            self._check(done.n_sent, done.n_sent)
        self._keep(kept)

    def _send_bundle(self, hub: Hub, reader: Connection, done: Synced) -> None:
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
                self._keep(self._mark._replace(own_bundles=own))
                title, is_material = count_noun(len(part), "step"), part is not hidden
                sent = hub.put_bundle(path, uuid=path.stem, name=title, is_material=is_material)
                done.n_files_sent += 1
                if self._mark.seq == sent.seq - 1:
                    # As of lines: it need not be fetched, nor what is sent after it.
                    self._keep(self._mark._replace(seq=sent.seq, uuid=sent.uuid))
        self._keep(self._mark._replace(made=mark.made, turn_brought=mark.turn_brought))

    def _fit(self, reader: Connection, scale: Scale, done: Synced) -> None:
        """Bring to a scale that was made here what came in the one of before."""
        keys = find_unfit(reader, [g for g in load_used_grades(reader) if not scale.has_grade(g)])
        for own in find_own_scales(reader) if keys else ():
            mapping = {old: new for old, new in own.mapping.items() if not scale.has_grade(old)}
            job = regrading_job(keys, mapping, scale=own.step, at=self._session.clock())
            done.is_whole |= bool(self._write(job).entries)

    def _turn_scales(self, reader: Connection, done: Synced) -> list[tuple[int, set[Key]]]:
        """Take back, and do again, what was made for a scale; return of what is taken back line and keys."""
        at, back = self._session.clock(), list[tuple[int, set[Key]]]()
        for step, is_done, last in find_turned_scales(reader) if self._may_have_turned else ():
            turned = self._write(turning_job(step, "redo" if is_done else "undo", at))
            done.is_whole = True
            if not is_done:
                back.append((last, {entry.change.key for entry in turned.entries}))
        self._may_have_turned = False
        return back

    def _regrade(
        self, reader: Connection, back: Sequence[tuple[int, set[Key]]], done: Synced
    ) -> None:
        """Bring judgments to a lead's scale that were made before it came, and not sent.

        Where the lead has taken it back, they say again what they said; then a later scale may hold.
        """
        sender, sent, at = self._sender, self._mark.event, self._session.clock()
        assert sender is not None, "known since it was connected"
        first = min([sent, *(before - 1 for before, _ in back)])
        for scale in find_rescaled(reader, first):
            is_open = scale.last > sent
            keys = set(find_unsent_before(reader, self._mark, sender, scale) if is_open else ())
            keys = keys.union(*(turned for before, turned in back if before <= scale.last))
            if keys:
                self._write(regrading_job(sorted(keys), scale.mapping, scale=scale.step, at=at))
                done.is_whole = True


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
