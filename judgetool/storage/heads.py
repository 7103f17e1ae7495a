"""Which lines of the log count: those that no other visible one has replaced.

Every line names the lines that it replaces (its parents); an undo or redo names the one by which
what it takes back stood. Lines of an import that waits to become visible may count or not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

_WIDTH = 16


def split_uuids(joined: bytes) -> list[bytes]:
    """Return the uuids that stand in a column ``parents``."""
    return [joined[at : at + _WIDTH] for at in range(0, len(joined), _WIDTH)]


_EVENTS = (
    "SELECT e.uuid, e.parents, e.at, s.state FROM events e JOIN steps s USING(step_id) "
    "WHERE e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? ORDER BY e.event_id"
)
_VALUES = (
    "SELECT v.uuid, v.parents, v.at, s.state FROM value_events v JOIN steps s USING(step_id) "
    "WHERE v.key = ? ORDER BY v.value_event_id"
)
TURNS = ("undo", "redo")


def find_replaced(connection: apsw.Connection, key: Iterable[int], origin: str) -> bytes:
    """Return the parents of the next line about a judgment.

    Args:
        connection: in a transaction.
        key: query, document and assessor by their numbers in the file.
        origin: of that line.
    """
    return _replaced(connection.execute(_EVENTS, tuple(key)).fetchall(), origin)


def pairs_with_lines(
    connection: apsw.Connection, pairs: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return of (query, document) pairs those of which the log may say something already.

    An import asks this once for thousands of them: to look each one up would take longer than
    to write it. Where a query has far more lines than pairs, all of its pairs are returned.
    """
    documents: dict[int, list[int]] = {}
    for query, document in pairs:
        documents.setdefault(query, []).append(document)
    found: set[tuple[int, int]] = set()
    for query, wanted in documents.items():
        most = 8 * len(wanted) + 64
        bounds = (query, min(wanted), max(wanted), most)
        rows = connection.execute(_DOCUMENTS, bounds).fetchall()
        known = wanted if len(rows) == most else (int(str(row[0])) for row in rows)
        found.update((query, document) for document in known)
    return found


_DOCUMENTS = (
    "SELECT DISTINCT document_id FROM events "
    "WHERE query_id = ? AND document_id BETWEEN ? AND ? LIMIT ?"
)


def find_replaced_value(connection: apsw.Connection, key: str, origin: str) -> bytes:
    """Return the parents of the next line about one of the project's values."""
    return _replaced(connection.execute(_VALUES, (key,)).fetchall(), origin)


def _replaced(lines: list[Any], origin: str) -> bytes:
    if not lines:
        return b""
    last, _, _, state = lines[-1]
    if len(lines) == 1 and state != "abandoned":
        return bytes(last)
    named = set(_named(lines))
    if origin in TURNS:
        heads = [
            (at, uuid)
            for uuid, _, at, state in lines
            if state not in ("pending", "abandoned") and uuid not in named
        ]
        return bytes(max(heads)[1]) if heads else b""
    # What waits is named with what it will replace: it may never become visible.
    return b"".join(
        uuid for uuid, _, _, state in lines if state != "abandoned" and uuid not in named
    )


def _named(lines: list[Any]) -> Iterator[bytes]:
    for _, parents, _, state in lines:
        if state not in ("pending", "abandoned"):
            yield from split_uuids(parents)


class LoggedLine(NamedTuple):
    """A visible line of the log of a judgment or value.

    Attributes:
        uuid: its name.
        parents: names of the lines that it replaced.
        at: when it was written, milliseconds UTC.
        origin: ``key``, ``import``, ``undo``, ….
        text: what is said from it on, as JSON; ``None`` for nothing any more.
        step_id: the step that says it; 0 for nothing.
        said_at: when that was said.
    """

    uuid: bytes
    parents: tuple[bytes, ...]
    at: int
    origin: str
    text: str | None
    step_id: int = 0
    said_at: int = 0


class HeadText(NamedTuple):
    """What a head says: as JSON or ``None`` for nothing, by which step, when."""

    text: str | None
    step_id: int
    said_at: int


def resolve(lines: Sequence[LoggedLine]) -> list[HeadText]:
    """Return what counts of the visible lines of one judgment or value, and what it conflicts with.

    Args:
        lines: all that are visible, in any order.

    Returns:
        What is said, then what other heads say that is not the same; of heads that differ the
        latest by time and uuid comes first. Empty without lines.
    """
    if len(lines) == 1 and lines[0].origin != "undo":
        return [HeadText(*lines[0][4:])]
    by_uuid = {line.uuid: line for line in lines}
    heads = _find_heads(lines)
    stood = _Standing(by_uuid) if _is_knotty(lines, by_uuid) else None
    found: dict[str | None, HeadText] = {}
    for head in heads:
        for said in _says(head, stood):
            found.setdefault(said.text, said)
    return list(found.values())


def find_head(lines: Sequence[LoggedLine]) -> LoggedLine | None:
    """Return the line that counts of the visible ones of one judgment or value; ``None`` without lines."""
    return next(iter(_find_heads(lines)), None)


def _find_heads(lines: Sequence[LoggedLine]) -> list[LoggedLine]:
    named = {parent for line in lines for parent in line.parents}
    heads = [line for line in lines if line.uuid not in named]
    return sorted(heads, key=lambda line: (line.at, line.uuid), reverse=True)


def _is_knotty(lines: Sequence[LoggedLine], by_uuid: Mapping[bytes, LoggedLine]) -> bool:
    """Whether an undo may bring back something else than stood here when it was made."""
    return any(
        len(line.parents) > 1 or not all(parent in by_uuid for parent in line.parents)
        for line in lines
    )


def _says(head: LoggedLine, stood: "_Standing | None") -> list[HeadText]:
    if stood is None or head.origin != "undo":
        return [HeadText(*head[4:])]
    return stood.brought_back(head)


class _Standing:
    """Which lines those of a judgment stand for: an undo for what its undone line had replaced."""

    def __init__(self, by_uuid: Mapping[bytes, LoggedLine]) -> None:
        self._by_uuid = by_uuid
        self._of: dict[bytes, list[LoggedLine] | None] = {}
        waiting = list(by_uuid.values())
        while waiting:
            rest = [line for line in waiting if not self._try(line)]
            if len(rest) == len(waiting):
                # No line replaces what replaces it; damaged ones say what they say.
                self._of.update({line.uuid: None for line in rest})
                break
            waiting = rest

    def _try(self, line: LoggedLine) -> bool:
        seen = [parent for parent in line.parents if parent in self._by_uuid]
        if any(parent not in self._of for parent in seen):
            return False
        if line.origin != "undo":
            self._of[line.uuid] = [line]
            return True
        undone = self._of[seen[0]] if seen else None
        if not undone:
            # What it takes back is not here: it says what it says.
            self._of[line.uuid] = None
            return True
        *others, last = sorted(undone, key=lambda each: (each.at, each.uuid))
        found = {each.uuid: each for each in others}
        for parent in last.parents:
            if parent in self._by_uuid:
                below = self._of[parent]
                found |= {each.uuid: each for each in below or [self._by_uuid[parent]]}
        replaced = self._replaced_by(found.values()) if len(found) > 1 else set()
        self._of[line.uuid] = [each for each in found.values() if each.uuid not in replaced]
        return True

    def _replaced_by(self, lines: Iterable[LoggedLine]) -> set[bytes]:
        """Return the names of all lines that these have replaced, and those that these had."""
        seen: set[bytes] = set()
        waiting = [parent for line in lines for parent in line.parents]
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self._by_uuid:
                seen.add(name)
                waiting += self._by_uuid[name].parents
        return seen

    def brought_back(self, undo: LoggedLine) -> list[HeadText]:
        """Return what stands after an undo, the latest first."""
        stands_for = self._of[undo.uuid]
        if stands_for is None:
            return [HeadText(*undo[4:])]
        if not stands_for:
            return [HeadText(None, 0, undo.said_at)]
        ordered = sorted(stands_for, key=lambda each: (each.at, each.uuid), reverse=True)
        return [HeadText(*each[4:]) for each in ordered]


_VISIBLE = "s.state NOT IN ('pending', 'abandoned')"
_JUDGMENT_LINES = (
    "SELECT e.uuid, e.parents, e.at, e.origin, e.after, coalesce(e.after_step, 0), "
    "coalesce(json_extract(e.shown, '$.made_at'), e.at) FROM events e JOIN steps s USING(step_id) "
    "WHERE e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? AND "
)
_VISIBLE_AFTER = (
    f"({_VISIBLE} OR EXISTS "  # noqa: S608 - a constant
    "(SELECT 1 FROM arrivals a WHERE a.step_id = s.step_id AND a.merge_id = ?))"
)
_VALUE_LINES = (
    "SELECT v.uuid, v.parents, v.at, v.origin, v.after FROM value_events v JOIN steps s "
    "USING(step_id) WHERE v.key = ? AND s.state NOT IN ('pending', 'abandoned')"
)


def load_lines(connection: apsw.Connection, key: Iterable[int], merge: int = 0) -> list[LoggedLine]:
    """Return the visible lines of a judgment: query, document and assessor.

    With a merge that is under way also those that it will show.
    """
    where = _VISIBLE if not merge else _VISIBLE_AFTER
    rows: Any = connection.execute(_JUDGMENT_LINES + where, (*key, merge) if merge else tuple(key))
    return [LoggedLine(uuid, tuple(split_uuids(parents)), *rest) for uuid, parents, *rest in rows]


def load_value_lines(connection: apsw.Connection, key: str) -> list[LoggedLine]:
    """Return the visible lines of one of the project's values."""
    rows: Any = connection.execute(_VALUE_LINES, (key,))
    return [LoggedLine(uuid, tuple(split_uuids(parents)), *rest) for uuid, parents, *rest in rows]
