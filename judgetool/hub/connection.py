"""One connection to a hub: what a member can do there, and what is sent to it and read from it.

All methods block, and none for longer than its limit: they are for workers, never for the thread of the
window. What goes wrong is said by :class:`~judgetool.errors.HubError`.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self
from uuid import UUID, uuid4

from judgetool.core.clock import utc_ns
from judgetool.errors import HubRefusal, HubRefusedError, HubTooNewError
from judgetool.hub.reaching import ANSWER_S, HubAddress, connect, load_psycopg, talking
from judgetool.wording import _

# What is sent and read

Role = Literal["lead", "assessor", "reader"]
ROLES: tuple[Role, ...] = ("lead", "assessor", "reader")


class HubEvent(NamedTuple):
    """One line of the append-only log.

    Attributes:
        uuid: its name, 32 hexadecimal digits.
        kind: ``judgment``; ``again``, a person's second one; ``settled``; ``value``, of the project, which
            all members read; ``release`` and ``bundle``, which the hub writes itself. Others
            are read by leads, and by whose they are.
        assessor: whose it is: a member's name, or somebody's without a login. Of a second judgment the
            person's.
        query: external id, or ``None``.
        document: likewise.
        at: milliseconds since 1970 in UTC, as in the project file.
        parents: names of the lines that it replaced.
        body: whatever else the file's line holds; may be empty.
        restored_by: the lead who sent it out of a file where it is another member's; else empty.
    """

    uuid: str
    kind: str
    assessor: str
    query: str | None
    document: str | None
    at: int
    parents: tuple[str, ...] = ()
    body: Mapping[str, Any] = {}
    restored_by: str = ""

    @property
    def is_judged(self) -> bool:
        """Whether the document is judged from then on: graded, or said to be none that can be."""
        after = self.body.get("after") or ""
        # As the file writes it. Quotes in what somebody noted stand there with a backslash.
        return '"state": "judged"' in after or '"state": "cannot_judge"' in after


NumberedEvent = tuple[int, HubEvent]
"""A line with its number at the hub."""


class HubMember(NamedTuple):
    """Somebody who has a login at the hub.

    Attributes:
        name: in the project.
        role: ``lead``, ``assessor`` or ``reader``.
        login: role of PostgreSQL.
        seen_ms: when the hub last was asked for something, milliseconds UTC, to the minute; ``None``: never.
        is_closed: whether they may do nothing there any more.
    """

    name: str
    role: Role
    login: str
    seen_ms: int | None = None
    is_closed: bool = False


class HubLook(NamedTuple):
    """What a hub shows of a team.

    Attributes:
        me: who is connected.
        members: by name; those that one's role lets one see.
        released: queries whose judgments all members may read.
        unplaced: a sentence about what came and has no place in the project; empty for nothing.
    """

    me: HubMember
    members: tuple[HubMember, ...]
    released: tuple[str, ...] = ()
    unplaced: str = ""


class HubStanding(NamedTuple):
    """How things stand at a hub.

    Attributes:
        project: uuid of the project, as in its file.
        hub: uuid of the hub itself; one that was made anew has another.
        title: of the project when the hub was made.
        schema: its number.
        scale_hash: of the scale that all grades are of.
        last_seq: number of the last line; 0 without any.
        last_uuid: its name, 32 hexadecimal digits; empty without any.
        ahead_ms: how much the server's clock is ahead of ours; negative behind.
        n_connections: of the whole server.
        most_connections: that the server allows.
    """

    project: str
    hub: str
    title: str
    schema: int
    scale_hash: str
    last_seq: int
    last_uuid: str
    ahead_ms: int
    n_connections: int
    most_connections: int


class PushReply(NamedTuple):
    """What became of lines that were sent.

    Attributes:
        n_new: so many the hub did not have.
        n_known: so many it had, or were sent twice.
        last_seq: number of its last line afterwards.
    """

    n_new: int
    n_known: int
    last_seq: int


class HubPage(NamedTuple):
    """Lines that were read, by rising number.

    Attributes:
        rows: number and line of each; may be empty.
        last_seq: all that the reader may see up to this number is read.
        last_uuid: name of the line of that number, whosoever it is: with it the mark of a file.
        is_end: whether there was no more.
    """

    rows: list[NumberedEvent]
    last_seq: int
    last_uuid: str
    is_end: bool


class HubBundle(NamedTuple):
    """A small project file that lies in a hub.

    Attributes:
        uuid: its name, 32 hexadecimal digits.
        seq: number of its line in the log.
        name: what it is, for people.
        n_bytes: size of the file.
        is_material: whether all members may read it; else leads only.
    """

    uuid: str
    seq: int
    name: str
    n_bytes: int
    is_material: bool


class HubClaim(NamedTuple):
    """A document that somebody took to judge.

    Attributes:
        query: external id.
        document: likewise.
        until_ms: from then on others may take it, milliseconds UTC.
    """

    query: str
    document: str
    until_ms: int


# Lines by what they are

LINES = ("judgment", "again", "settled")
"""Kinds of lines that judge,"""
FILES = ("bundle", "labels")
"""and those that tell of small files."""


def whole_steps(rows: list[NumberedEvent]) -> list[NumberedEvent]:
    """Return lines without those of the last step, of which there may be more, unless it is the only one."""
    last = _step_of(rows[-1][1])
    kept = len(rows)
    while kept and last is not None and _step_of(rows[kept - 1][1]) == last:
        kept -= 1
    return rows[:kept] or rows


def _step_of(line: HubEvent) -> str | None:
    return str(line.body["step"][0]) if line.kind in LINES else None


def cut_in_parts(rows: Sequence[NumberedEvent], most: int) -> Iterator[Sequence[NumberedEvent]]:
    """Yield lines that follow each other and are of one kind, no step in two parts; each file alone."""
    start, step = 0, None
    for place, (_seq, line) in enumerate(rows):
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
    if line.kind in LINES:
        return "line"
    return "file" if line.kind in FILES else line.kind


HUB_SCHEMA = 4
CHANNEL = "judgetool"
_PART_BYTES = 1 << 20
_MOST_SENT = 2_000
"""So many lines are sent at once: others wait while they are numbered."""
_COLUMNS = "seq, uuid, kind, assessor, query, document, at, parents, body, restored_by"


def open_hub(address: HubAddress, password: str | None = None) -> "Hub":
    """Connect to a hub as the member whose login the address names.

    Args:
        address: where it is.
        password: ``None`` for the keyring's; without one there libpq looks in ``PGPASSFILE`` and the
            service file.

    Raises:
        HubOfflineError: it is not reached.
        HubRefusedError: the password is wrong or lacking, the login is no member's, there is no hub, or
            one that has to be upgraded.
        HubTooNewError: it needs a newer judgetool.
    """
    connection = connect(address, password)
    try:
        return Hub(connection, address)
    except BaseException:
        connection.close()
        raise


class Hub:
    """A connection to a hub; of one thread.

    Attributes:
        address: where it is.
        connection: psycopg's; for ``hub.making`` alone.
        me: who is connected.
    """

    def __init__(self, connection: Any, address: HubAddress) -> None:  # noqa: ANN401 - psycopg's
        """Look who is connected, and whether we understand this hub.

        Raises:
            HubError: as :func:`open_hub`.
        """
        self.connection, self.address = connection, address
        schema = read_schema(connection, address)
        _refuse_newer(schema, address)
        if schema < HUB_SCHEMA:
            raise HubRefusedError(
                _(
                    "The hub {address} is of an older judgetool (its schema is {schema}, needed is "
                    "{known}). Who made it upgrades it: judgetool hub upgrade {upgraded}"
                ).format(
                    address=address,
                    schema=schema,
                    known=HUB_SCHEMA,
                    upgraded=shlex.quote(address.of_login(find_owner(connection, address)[0])),
                ),
                why=HubRefusal.STATE,
            )
        self.me = HubMember(*self._all("SELECT * FROM judgetool.greet()")[0])
        self._is_listening = False

    def __enter__(self) -> Self:
        """Return the connection, which is closed at the end."""
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; fine if it is closed or lost."""
        self.connection.close()

    def _all(
        self, statement: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Any]:
        with talking(self.connection, self.address), self.connection.cursor(binary=True) as cursor:
            cursor.execute(statement, values)
            found: list[Any] = cursor.fetchall()
            return found

    # How things stand

    def standing(self) -> HubStanding:
        """Return how things stand at the hub; what it knows the member as stands in :attr:`me`.

        Raises:
            HubTooNewError: it was upgraded meanwhile by a newer judgetool.
        """
        sent = utc_ns()
        name, role, login, *row = self._all(
            "SELECT me.name, me.role, me.login, project, uuid, title, schema, scale_hash, last_seq, judgetool.uuid_at(last_seq), "
            "(1000 * extract(epoch FROM clock_timestamp()))::bigint, "
            "(SELECT sum(numbackends) FROM pg_stat_database)::bigint, "
            "current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int "
            "FROM judgetool.hub, judgetool.greet() me"
        )[0]
        self.me = HubMember(name, role, login)
        ours = (sent + utc_ns()) // 2_000_000
        project, uuid, title, schema, scale_hash, last_seq, last_uuid, clock, used, allowed = row
        _refuse_newer(schema, self.address)
        return HubStanding(
            project=str(UUID(project)),
            hub=uuid,
            title=title,
            schema=schema,
            scale_hash=scale_hash,
            last_seq=last_seq,
            last_uuid=last_uuid or "",
            ahead_ms=clock - ours,
            n_connections=used,
            most_connections=allowed,
        )

    def members(self) -> list[HubMember]:
        """Return the members by name: of leads all, of others themselves."""
        return [
            HubMember(*row)
            for row in self._all(
                "SELECT name, role, login, (1000 * extract(epoch FROM seen_at))::bigint, "
                "closed_at IS NOT NULL FROM judgetool.member ORDER BY name"
            )
        ]

    # Lines of the log

    def push(
        self, events: Sequence[HubEvent], *, scale_hash: str, becomes: str | None = None
    ) -> PushReply:
        """Send lines; each that the hub has already is left out.

        They are sent by thousands: what was sent before something goes wrong stays there.

        Args:
            events: in the order in which they are to be numbered; may be empty.
            scale_hash: of the scale that their grades are of.
            becomes: of the scale that is the hub's from then on; leads only.

        Raises:
            HubRefusedError: the member may not write one of them, or the hub has another scale.
            HubOfflineError: the hub did not confirm it; sending again does no harm.
        """
        n_new = n_known = last_seq = 0
        for start in range(0, max(len(events), 1), _MOST_SENT):
            part = events[start : start + _MOST_SENT]
            is_last = start + _MOST_SENT >= len(events)
            values = (json.dumps([_line(event) for event in part]), scale_hash)
            new, known, last_seq = self._all(
                "SELECT * FROM judgetool.push(%s::jsonb, %s, %s)",
                (*values, becomes if is_last else None),
            )[0]
            n_new, n_known = n_new + new, n_known + known
        return PushReply(n_new, n_known, last_seq)

    def pull(self, after: int, *, most: int = 10_000) -> HubPage:
        """Read lines: of leads all, of assessors their own, what is released and what is open to all.

        A query that was released since: its older lines are read by :meth:`pull_queries`.

        Args:
            after: number of the last line that is known; 0 for none.
            most: so many at once.
        """
        last_seq, last_uuid = self._all(
            "SELECT last_seq, judgetool.uuid_at(last_seq) FROM judgetool.hub"
        )[0]
        # Of few lines the policy leaves out what the member may not read; of many, each part comes by its index.
        if self.me.role == "lead" or last_seq - after <= most:
            rows = self._all(
                f"SELECT {_COLUMNS} FROM judgetool.event WHERE seq > %s ORDER BY seq LIMIT %s",  # noqa: S608 - constants
                (after, most),
            )
        else:
            rows = self._all(_PULL_SOME, {"after": after, "most": most, "me": self.me.name})
        found = [_event(row) for row in rows]
        if len(found) == most:
            return HubPage(found, found[-1][0], found[-1][1].uuid, is_end=False)
        if found and found[-1][0] > last_seq:
            last_seq, last_uuid = found[-1][0], found[-1][1].uuid
        return HubPage(found, last_seq, last_uuid or "", is_end=True)

    def pull_queries(self, queries: Sequence[str]) -> Iterator[list[NumberedEvent]]:
        """Yield all lines about queries that the member may read, some thousands at once."""
        after, names = 0, [_without_nul(query) for query in queries]
        while True:
            rows = self._all(
                f"SELECT {_COLUMNS} FROM judgetool.event WHERE query_key = ANY(ARRAY("  # noqa: S608 - constants
                "SELECT hashtextextended(q, 0) FROM unnest(%(names)s::text[]) q)) "
                "AND query = ANY(%(names)s) AND seq > %(after)s ORDER BY seq LIMIT 10000",
                {"names": names, "after": after},
            )
            if not rows:
                return
            yield [_event(row) for row in rows]
            after = rows[-1][0]

    def uuid_at(self, seq: int) -> str | None:
        """Return the name of the line of a number, whoever wrote it; ``None`` where there is none."""
        found: str | None = self._all("SELECT judgetool.uuid_at(%s)", (seq,))[0][0]
        return found

    def find_known(self, uuids: Sequence[str]) -> set[str]:
        """Return which lines of these names the hub has and the member may read."""
        rows = self._all(
            "SELECT uuid FROM judgetool.event WHERE uuid = ANY(%s::uuid[])", (list(uuids),)
        )
        return {uuid for (uuid,) in rows}

    def wait(self, seconds: float) -> bool:
        """Wait until something is new, at most so long; return whether it is.

        The first call returns at once, because what was new before nobody told.
        """
        with talking(self.connection, self.address, seconds + ANSWER_S):
            if not self._is_listening:
                self.connection.execute(f"LISTEN {CHANNEL}")
                self._is_listening = True
                return True
            told = list(self.connection.notifies(timeout=seconds, stop_after=1))
            # What came meanwhile is told with it.
            told += list(self.connection.notifies(timeout=0))  # alike: only time
            return bool(told)

    # Bundles

    def put_bundle(
        self, path: Path, *, uuid: str | None = None, name: str = "", is_material: bool = True
    ) -> HubBundle:
        """Send a small project file; one that is known is left as it is.

        Args:
            path: of the file; it is read in parts.
            uuid: its name there, 32 hexadecimal digits; ``None`` for a new one.
            name: what it is, for people.
            is_material: whether all members may read it; else leads only.

        Raises:
            HubRefusedError: the member is no lead.
            HubOfflineError: the connection was lost; nothing of it is there.
        """
        wanted = uuid or uuid4().hex
        known = [each for each in self.bundles(0) if each.uuid == wanted]
        if known:
            return known[0]
        digest, n_parts, n_bytes = hashlib.sha256(), 0, 0
        with path.open("rb") as file, self._transaction():
            while part := file.read(_PART_BYTES):
                digest.update(part)
                n_bytes += len(part)
                self._all("SELECT judgetool.put_part(%s, %s, %b)", (wanted, n_parts, _pack(part)))
                n_parts += 1
            self._all(
                "SELECT judgetool.put_bundle(%s, %s, %s, %s, %b, %s)",
                (wanted, name or path.name, n_bytes, n_parts, digest.digest(), is_material),
            )
        return next(each for each in self.bundles(0) if each.uuid == wanted)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with talking(self.connection, self.address, 3600), self.connection.transaction():
            yield

    def bundles(self, after: int) -> list[HubBundle]:
        """Return the bundles that the member may read, of lines after a number."""
        rows = self._all(
            "SELECT uuid, seq, name, n_bytes, is_material FROM judgetool.bundle "
            "WHERE seq > %s ORDER BY seq",
            (after,),
        )
        return [HubBundle(*row) for row in rows]

    def fetch_bundle(self, uuid: str, path: Path) -> None:
        """Write a bundle to a file, which stands there whole or not at all.

        Raises:
            HubRefusedError: there is none of this name that the member may read, or it is damaged.
            OSError: the file cannot be written.
        """
        found = self._all(
            "SELECT n_parts, sha256 FROM judgetool.bundle WHERE uuid = %s::uuid", (uuid,)
        )
        if not found:
            raise HubRefusedError(
                _("The hub has no bundle {uuid}.").format(uuid=uuid), why=HubRefusal.RIGHT
            )
        n_parts, wanted = found[0]
        digest = hashlib.sha256()
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with unfinished.open("wb") as file:
                for number in range(n_parts):
                    content = self._all(
                        "SELECT content FROM judgetool.part WHERE bundle = %s::uuid AND number = %s",
                        (uuid, number),
                    )
                    part = _unpack(content[0][0]) if content else b""
                    digest.update(part)
                    file.write(part)
            if digest.digest() != wanted:
                raise HubRefusedError(
                    _("The bundle {uuid} is damaged in the hub.").format(uuid=uuid),
                    why=HubRefusal.FORM,
                )
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    # Releases, asks

    def release(self, queries: Iterable[str]) -> int:
        """Let all members read the judgments of queries; return how many are new to it. Leads only."""
        names = [_without_nul(query) for query in queries]
        return int(self._all("SELECT judgetool.let_read(%s::text[])", (names,))[0][0])

    def released(self) -> list[str]:
        """Return the queries whose judgments all members may read."""
        found = self._all("SELECT query FROM judgetool.release ORDER BY query")
        return [_with_nul(query) for (query,) in found]

    def ask(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        opinions: int = 1,
        heard: Sequence[tuple[str, str, str]] = (),
    ) -> int:
        """Ask whoever comes to judge documents; asking again adds what is lacking. Leads only.

        Args:
            pairs: query and document of each, in the order in which they are to be judged.
            opinions: how many people are to judge each.
            heard: query, document and name of those who have judged one already, or are asked
                by name: each is one of these people.

        Returns:
            How many opinions more are asked for than before.
        """
        queries = [_without_nul(query) for query, _ in pairs]
        documents = [_without_nul(document) for _, document in pairs]
        told = [
            [_without_nul(query) for query, _, _ in heard],
            [_without_nul(document) for _, document, _ in heard],
            [name for _, _, name in heard],
        ]
        statement = f"SELECT judgetool.ask_all(%s::text[], %s::text[], %s::int{3 * ', %s::text[]'})"
        return int(self._all(statement, (queries, documents, opinions, *told))[0][0])

    def ask_nobody(self) -> int:
        """Ask nobody any more to judge what nobody has taken; return how many opinions that were. Leads only."""
        return int(self._all("SELECT judgetool.ask_nobody()")[0][0])

    def claim(self, n: int, hours: float) -> list[HubClaim]:
        """Take documents that nobody else has taken, or not judged in time.

        Args:
            n: so many at most.
            hours: after so long others may take them.
        """
        rows = self._all(
            "SELECT query, document, (1000 * extract(epoch FROM lease_until))::bigint "
            "FROM judgetool.claim(%s::int, %s::float8)",
            (n, hours),
        )
        return [_claim(*row) for row in rows]

    def give_back(self) -> int:
        """Give back what the member has taken and not judged; return how many documents that were."""
        return int(self._all("SELECT judgetool.give_back()")[0][0])

    def claimed(self) -> list[HubClaim]:
        """Return what the member has taken, judged or not, as long as it is theirs."""
        rows = self._all(
            "SELECT query, document, (1000 * extract(epoch FROM lease_until))::bigint "
            "FROM judgetool.ask WHERE assessor = %s AND lease_until > clock_timestamp() "
            "ORDER BY place",
            (self.me.name,),
        )
        return [_claim(*row) for row in rows]


_PARTS = (
    "judgetool.event WHERE assessor = %(me)s AND",
    "judgetool.event WHERE kind IN ('value', 'release', 'bundle') AND",
    """judgetool.release JOIN LATERAL (SELECT * FROM judgetool.event e
    WHERE e.query_key = release.query_key AND e.query = release.query AND e.seq > %(after)s ORDER BY e.seq LIMIT %(most)s) event USING(query) WHERE""",
)
_PULL_SOME = f"SELECT DISTINCT ON (seq) {_COLUMNS} FROM (" + " UNION ALL ".join(  # noqa: S608 - constants
    f"(SELECT {_COLUMNS.replace('seq', 'event.seq', 1)} FROM {part} event.seq > %(after)s "  # noqa: S608 - likewise
    "ORDER BY event.seq LIMIT %(most)s)"
    for part in _PARTS
)
_PULL_SOME += ") AS found ORDER BY seq LIMIT %(most)s"


def _line(event: HubEvent) -> dict[str, object]:
    """Return a line as ``push`` takes it."""
    return {
        "uuid": event.uuid,
        "kind": event.kind,
        "assessor": event.assessor,
        "query": event.query and _without_nul(event.query),
        "document": event.document and _without_nul(event.document),
        "at": event.at,
        "closes": event.is_judged,
        "parents": "".join(event.parents),
        # As a text: jsonb has no NUL, and would have to read it.
        "body": json.dumps(event.body),
    }


def _claim(query: str, document: str, until_ms: int) -> HubClaim:
    return HubClaim(_with_nul(query), _with_nul(document), until_ms)


def _event(row: Any) -> NumberedEvent:  # noqa: ANN401 - of psycopg
    seq, uuid, kind, assessor, query, document, at, joined, body, restored_by = row
    parents: tuple[str, ...] = ()
    if joined:
        names = joined.hex()
        parents = tuple(names[at : at + 32] for at in range(0, len(names), 32))
    said, _ = _read(body)
    query, document = query and _with_nul(query), document and _with_nul(document)
    event = HubEvent(uuid, kind, assessor, query, document, at, parents, said, restored_by or "")
    return seq, event


# A third less than json.loads takes, of which there are a million.
_read = json.JSONDecoder().raw_decode

# PostgreSQL has no NUL in texts, ids of documents may. The sign that stands for it is nobody's.
_STAND_IN = "\U0010fffe"


def _without_nul(text: str) -> str:
    """Return an id as the hub keeps it; others are as they are."""
    if "\0" not in text and _STAND_IN not in text:
        return text
    return text.replace(_STAND_IN, f"{_STAND_IN}1").replace("\0", f"{_STAND_IN}0")


def _with_nul(text: str) -> str:
    """Return an id of the hub as it was."""
    if _STAND_IN not in text:
        return text
    return text.replace(f"{_STAND_IN}0", "\0").replace(f"{_STAND_IN}1", _STAND_IN)


def _pack(part: bytes) -> bytes:
    import zstandard  # noqa: PLC0415 - for bundles alone

    return zstandard.ZstdCompressor(level=3).compress(part)


def _unpack(content: bytes) -> bytes:
    import zstandard  # noqa: PLC0415 - likewise

    return zstandard.ZstdDecompressor().decompress(content)


def _refuse_newer(schema: int, address: HubAddress) -> None:
    if schema > HUB_SCHEMA:
        raise HubTooNewError(
            _(
                "The hub {address} was upgraded by a newer judgetool (its schema is {schema}, "
                "this judgetool knows {known}). Update judgetool; until then you judge without it."
            ).format(address=address, schema=schema, known=HUB_SCHEMA)
        )


def read_schema(connection: Any, address: HubAddress) -> int:  # noqa: ANN401 - psycopg's
    """Return the number of a hub's schema.

    Raises:
        HubRefusedError: there is no hub, or the login is no member's.
        HubOfflineError: the connection was lost.
    """
    psycopg = load_psycopg()
    try:
        with talking(connection, address):
            row = connection.execute("SELECT schema FROM judgetool.hub").fetchone()
    except psycopg.errors.UndefinedTable as problem:
        raise HubRefusedError(
            _(
                "There is no hub in {address}. A lead makes one, of the file that knows most: "
                "Project ▸ Team hub… there, or judgetool hub create {lead} FILE.judge"
            ).format(address=address, lead=shlex.quote(address.of_login("LEAD"))),
            why=HubRefusal.MISSING,
        ) from problem
    except HubRefusedError as problem:
        raise stranger(address, connection.info.user) from problem
    if row is None:
        raise stranger(address, connection.info.user)
    return int(row[0])


def stranger(address: HubAddress, login: str) -> HubRefusedError:
    """Return what to raise for a login that is no member's."""
    return HubRefusedError(
        _(
            "The login {login} is no member of the hub {address}. A lead adds it: "
            "judgetool hub add {lead} NAME --login {login}"
        ).format(
            login=shlex.quote(login), address=address, lead=shlex.quote(address.of_login("LEAD"))
        ),
        why=HubRefusal.STRANGER,
    )


def find_owner(connection: Any, address: HubAddress) -> tuple[str, bool]:  # noqa: ANN401 - psycopg's
    """Return the login that made a hub, and whether who is connected may do all that it may."""
    with talking(connection, address):
        name, is_mine = connection.execute(
            "SELECT pg_get_userbyid(nspowner), pg_has_role(nspowner, 'USAGE') FROM pg_namespace "
            "WHERE nspname = 'judgetool'"
        ).fetchone()
    return str(name), bool(is_mine)
