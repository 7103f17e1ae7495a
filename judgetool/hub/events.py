"""What is sent to a hub and read from it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

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
        clock_ms: the server's clock, milliseconds UTC.
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
    clock_ms: int
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

    rows: list[tuple[int, HubEvent]]
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
        sent_by: who put it there.
    """

    uuid: str
    seq: int
    name: str
    n_bytes: int
    is_material: bool
    sent_by: str


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


def as_role(text: str) -> Role:
    """Return a text that the hub gave as a role."""
    return cast("Role", text)


# Lines by what they are

LINES = ("judgment", "again", "settled")
"""Kinds of lines that judge,"""
FILES = ("bundle", "labels")
"""and those that tell of small files."""


def whole_steps(rows: list[tuple[int, HubEvent]]) -> list[tuple[int, HubEvent]]:
    """Return lines without those of the last step, of which there may be more, unless it is the only one."""
    last = _step_of(rows[-1][1])
    kept = len(rows)
    while kept and last is not None and _step_of(rows[kept - 1][1]) == last:
        kept -= 1
    return rows[:kept] or rows


def _step_of(line: HubEvent) -> str | None:
    return str(line.body["step"][0]) if line.kind in LINES else None


def cut_in_parts(
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
    if line.kind in LINES:
        return "line"
    return "file" if line.kind in FILES else line.kind
