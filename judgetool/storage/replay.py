"""The lines of a safety log that a project lacks, and doing them again."""

import json
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from judgetool.core.judgments import JudgmentChange, JudgmentKey, Query
from judgetool.storage.asks import Ask, insert_asks
from judgetool.storage.damage import insert_sealed
from judgetool.storage.ids import count_ids, number_id
from judgetool.storage.judgments import (
    LogEntry,
    insert_step,
    parse_judgment,
    set_step_state,
    write_entries,
)
from judgetool.storage.material import insert_query_texts
from judgetool.storage.safety_log import Line
from judgetool.storage.values import ValueLine, number_assessor, write_value
from judgetool.storage.visibility import MERGE, turn_merge

NODES = ("event", "many")
"""The kinds of lines that tell of judgments; others hang on these."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines that a project lacks.

    Attributes:
        lines: in the order in which they happened.
        has_gap: whether lines between them are not there.
    """

    lines: list[Line]
    has_gap: bool


def find_missing(
    lines: Sequence[Line], *, known: Container[str], project: str | None = None
) -> Chain:
    """Return the lines after what a project already holds.

    Copies of a file share its safety log. From the last line that was written for one
    of them, the chain leads back to what they have in common, also across a renaming.

    Args:
        lines: the log, oldest first.
        known: uuids of the events that the project holds, in upper-case hex.
        project: path of the file; ``None``, or one that the log does not know, for
            whichever was written last.
    """
    nodes = [line for line in lines if line["kind"] in NODES]
    walked, has_gap = _walk_back(nodes, known, project)
    tip = _last_project(lines, project)
    reached = {line["uuid"] for line in walked}
    beside: dict[str, list[Line]] = {}
    for line in lines:
        previous = line["prev"]
        is_own = line["project"] == tip and (not previous or previous in known)
        if line["kind"] not in NODES and (previous in reached or is_own):
            beside.setdefault(previous if previous in reached else "", []).append(line)
    ordered = beside.get("", [])
    for line in reversed(walked):
        ordered += [line, *beside.get(line["uuid"], ())]
    return Chain(ordered, has_gap)


def _walk_back(
    nodes: Sequence[Line], known: Container[str], project: str | None
) -> tuple[list[Line], bool]:
    place_of = {line["uuid"]: number for number, line in enumerate(nodes)}
    own = [number for number, line in enumerate(nodes) if line["project"] == project]
    at = own[-1] if own else len(nodes) - 1
    walked: dict[int, Line] = {}
    has_gap = False
    while at >= 0 and at not in walked and nodes[at]["uuid"] not in known:
        line = walked[at] = nodes[at]
        previous = line["prev"]
        if not previous or previous in known:
            break
        if previous in place_of:
            at = place_of[previous]
        else:
            has_gap = True
            at = _earlier(nodes, at, line["project"])
    return list(walked.values()), has_gap


def _earlier(nodes: Sequence[Line], at: int, project: str) -> int:
    """Return the last line before a gap that was written for the same file, or -1."""
    earlier = (number for number in range(at - 1, -1, -1) if nodes[number]["project"] == project)
    return next(earlier, -1)


def _last_project(lines: Sequence[Line], project: str | None) -> str | None:
    names = [line["project"] for line in lines]
    if project in names:
        return project
    return names[-1] if names else None


Planner = Callable[[apsw.Connection, int, str], Sequence[LogEntry]]
"""Plans undoing (``undone``) or redoing (``redone``) the step of this number."""


@dataclass(slots=True)
class Rebuilt:
    """What was done again.

    Attributes:
        n_judgments: changes of judgments.
        n_values: changes of the project's own values.
        n_texts: texts of queries and documents that had been written by hand.
        n_lost: changes that lead on from something that is not there.
        imports: titles of imports that came after the copy; their files are to be
            imported again.
    """

    n_judgments: int = 0
    n_values: int = 0
    n_texts: int = 0
    n_lost: int = 0
    imports: dict[str, None] = field(default_factory=dict)


class Rebuilder:
    """Does lines again, inside one transaction of the caller."""

    def __init__(self, connection: apsw.Connection, *, plan: Planner) -> None:
        self._connection = connection
        self._plan = plan
        self._many: set[str] = set()
        self._new_queries: list[tuple[int, Query]] = []
        self.done = Rebuilt()

    def run(self, lines: Sequence[Line]) -> Rebuilt:
        """Do all lines in this order; what is there already is left as it is."""
        doers = {
            "event": self._do_event,
            "value": self._do_value,
            "step": self._do_step,
            "material": self._do_material,
            "asks": self._do_asks,
            "many": self._do_many,
        }
        for line in lines:
            doers[line["kind"]](line)
        self._show_new_queries(lines)
        return self.done

    def _find_step(self, uuid: str) -> int | None:
        row: Any = self._connection.execute(
            "SELECT step_id FROM steps WHERE uuid = ?", (bytes.fromhex(uuid),)
        ).fetchone()
        return None if row is None else int(row[0])

    def _step(self, line: Line) -> int | None:
        """Return the step of a line, made anew where it is lost; ``None`` if it cannot be."""
        found = self._find_step(line["step"])
        if found is not None or line["origin"] in ("undo", "redo"):
            return found
        name = line["step_assessor"]
        return insert_step(
            self._connection,
            kind=line["step_kind"],
            title=line["title"],
            assessor_id=number_assessor(self._connection, name, kind="human") if name else None,
            at=line["step_at"],
            step_uuid=bytes.fromhex(line["step"]),
        ).step_id

    def _number(self, table: str, external_id: str) -> int:
        top = count_ids(self._connection, table)
        number = number_id(self._connection, table, external_id)
        if table == "queries" and number > top:
            self._new_queries.append((number, Query(external_id)))
        return number

    def _do_event(self, line: Line) -> None:
        step = self._step(line)
        if step is None:
            self.done.n_lost += 1
            return
        after_step = None
        if line["after"] is not None:
            after_step = self._find_step(line["after_step"]) or step
        key = JudgmentKey(
            self._number("queries", line["query"]),
            self._number("documents", line["document"]),
            self._number_assessor(
                line["assessor"], line["assessor_kind"], line.get("person") or ""
            ),
        )
        shown = None if line["shown"] is None else json.loads(line["shown"])
        entry = LogEntry(
            JudgmentChange(key, parse_judgment(line["before"]), parse_judgment(line["after"])),
            self._find_step(line["before_step"]) if line["before_step"] else None,
            after_step,
            line["origin"],
            line["spent_ms"],
            shown,
            (shown or {}).get("made_at"),
            bytes.fromhex(line["uuid"]),
            _parents_of(line),
        )
        write_entries(self._connection, [entry], step_id=step, at=line["at"])
        self.done.n_judgments += 1

    def _do_value(self, line: Line) -> None:
        step = self._step(line)
        if step is None:
            self.done.n_lost += 1
            return
        uuid, parents = bytes.fromhex(line.get("uuid") or ""), _parents_of(line)
        is_there = self._connection.execute(
            "SELECT 1 FROM value_events WHERE uuid = ? OR "
            "(step_id = ? AND at = ? AND origin = ? AND key = ?)",
            (uuid, step, line["at"], line["origin"], line["key"]),
        ).fetchone()
        if is_there is None:
            value = None if line["after"] is None else json.loads(line["after"])
            write_value(
                self._connection,
                line["key"],
                value,
                step_id=step,
                at=line["at"],
                origin=line["origin"],
                line=None if parents is None else ValueLine(uuid, parents),
            )
            self.done.n_values += 1

    def _do_material(self, line: Line) -> None:
        if self._find_step(line["step"]) is not None:
            return
        step = self._step(line)
        assert step is not None, "written by hand, as its line says"
        for table in ("queries", "documents"):
            rows = [
                (self._number(table, external_id), step, *values)
                for external_id, *values in line[table]
            ]
            # Texts told here need no stand-in.
            known = {number for number, *_ in rows}
            self._new_queries = [new for new in self._new_queries if new[0] not in known]
            texts = "query_texts" if table == "queries" else "document_texts"
            insert_sealed(self._connection, texts, rows, step_id=step)
            self.done.n_texts += len(rows)

    def _number_assessor(self, name: str, kind: str, person: str) -> int:
        person_id = self._number_assessor(person, "human", "") if person else None
        return number_assessor(self._connection, name, kind=kind, person_id=person_id)

    def _do_asks(self, line: Line) -> None:
        if self._find_step(line["step"]) is not None:
            return
        step = self._step(line)
        assert step is not None, "asked by a command, as its line says"
        asks = (
            Ask(
                self._number("queries", query),
                self._number("documents", document),
                self._number_assessor(name, kind, person),
                bool(is_open),
            )
            for query, document, name, kind, person, is_open in line["asks"]
        )
        insert_asks(self._connection, asks, step_id=step)

    def _do_step(self, line: Line) -> None:
        step, change = self._find_step(line["step"]), line["change"]
        if step is None:
            if change == "published":
                self.done.imports[line["title"]] = None
            return
        is_there = self._connection.execute(
            "SELECT 1 FROM step_events WHERE step_id = ? AND at = ? AND change = ?",
            (step, line["at"], change),
        ).fetchone()
        if is_there is not None or change == "published":
            return
        if line["step"] in self._many:
            entries = self._plan(self._connection, step, change)
            write_entries(self._connection, entries, step_id=step, at=line["at"])
            self.done.n_judgments += len(entries)
        state = "undone" if change == "undone" else "done"
        if line["step_kind"] == MERGE:
            turn_merge(self._connection, step, state, at=line["at"])
            return
        set_step_state(self._connection, step, state, at=line["at"])

    def _do_many(self, line: Line) -> None:
        if self._find_step(line["step"]) is not None:
            self._many.add(line["step"])

    def _show_new_queries(self, lines: Sequence[Line]) -> None:
        """Let queries that nothing else tells of be seen by their ids."""
        if self._new_queries:
            step = insert_step(
                self._connection,
                kind="new",
                title="Recovered queries",
                assessor_id=None,
                at=lines[-1]["at"],
            )
            insert_query_texts(self._connection, self._new_queries, step_id=step.step_id)


def _parents_of(line: Line) -> bytes | None:
    """Return the parents of a line; ``None`` where it was logged before schema 4."""
    return bytes.fromhex(line["parents"]) if "parents" in line else None
