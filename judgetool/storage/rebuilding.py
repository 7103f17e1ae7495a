"""A project file built anew: from what can be read of a damaged one, and the lines of a safety log.

Salvaged is what :mod:`~judgetool.storage.salvage` could read, so far as it agrees with its log. The lines
of a safety log that a project lacks are found, and done again.
"""

import json
import os
import uuid
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from judgetool.core.clock import utc_ms
from judgetool.core.held_files import APPLICATION_ID
from judgetool.core.judgments import JudgmentChange, JudgmentKey, Query
from judgetool.storage.asks import Ask, insert_asks
from judgetool.storage.check import FIRST_WITH_CHECKSUMS, iter_wrong_rankings
from judgetool.storage.copies import MERGE, turn_merge
from judgetool.storage.damage import (
    SEALED,
    insert_sealed,
    iter_changed_rows,
    name_row,
    seal_rows,
    translated_errors,
)
from judgetool.storage.history import iter_differing_judgments, iter_differing_values
from judgetool.storage.ids import count_ids, number_id
from judgetool.storage.judgments import (
    HeadText,
    Key,
    LogEntry,
    has_row_hash,
    insert_step,
    parse_judgment,
    set_step_state,
    write_entries,
    write_states,
)
from judgetool.storage.material import insert_query_texts
from judgetool.storage.migrations import apply_schema, upgrade_copy
from judgetool.storage.safety_log import LEFT, Line
from judgetool.storage.salvage import Row, Table, read_tables
from judgetool.storage.set_aside import connect
from judgetool.storage.values import ValueLine, number_assessor, parse_value, put_value, write_value
from judgetool.wording import N_, _

# What can be read of a damaged project

_LEFT = {"fields": "{}", "spans": "[]", "detail": "{}", "hash": None}
_LOGS = {"judgments": "events", "project_values": "value_events"}
_OF_A_JUDGMENT = ("query_id", "document_id", "assessor_id")
_PARENTS = ("queries", "documents", "assessors", "runs", "steps")
"""What others refer to, in the order in which stand-ins may need each other."""


_NAME_LOST = {
    "queries": N_("The name of query {number} is lost."),
    "documents": N_("The name of document {number} is lost."),
    "assessors": N_("The name of assessor {number} is lost."),
    "runs": N_("The name of run {number} is lost."),
}


@dataclass(slots=True)
class Salvaged:
    """What was read of a damaged file.

    Attributes:
        counts: rows by table.
        lost: sentences on what could not be read, or not as it was.
    """

    counts: dict[str, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def salvage_file(path: Path, target: Path) -> Salvaged:
    """Write a new, sound project of all that can be read of a damaged one.

    Args:
        path: the damaged file; it is only read.
        target: where nothing stands.

    Raises:
        ProjectDamagedError: its first page is destroyed.
        SaveError: the target cannot be written.
    """
    version, tables = read_tables(path)
    done = Salvaged()
    with translated_errors(target):
        with closing(apsw.Connection(os.fspath(target))) as connection:
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute("BEGIN")
            apply_schema(connection, version)
            filler = _Filler(connection, tables, done)
            filler.run(version)
            connection.execute("COMMIT")
        upgrade_copy(target)
        with closing(connect(target, is_writable=True)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            _agree_with_log(
                connection,
                is_log_whole=tables["events"].is_whole and not filler.torn,
                is_value_log_whole=version >= FIRST_WITH_CHECKSUMS
                and tables["value_events"].is_whole
                and "value_events" not in filler.harmed,
                cleared=filler.torn if tables["judgments"].is_whole else set(),
            )
            seal_rows(connection)
            connection.execute("COMMIT")
    return done


class _Filler:
    """Writes rows, and stand-ins for what they refer to and is lost.

    Attributes:
        torn: query, document and assessor of each line of the log that is not what was written,
            as far as that line still tells.
        harmed: names of tables of which a row is lost, or not as it was written.
    """

    def __init__(
        self, connection: apsw.Connection, tables: dict[str, Table], done: Salvaged
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._done = done
        self.torn: set[tuple[Any, ...]] = set()
        self.harmed: set[str] = set()

    def run(self, version: int) -> None:
        for table in self._tables.values():
            self._write(table)
        self._stand_in()
        self._drop_rankings()
        self._name_lost()
        if version >= FIRST_WITH_CHECKSUMS:
            self._name_changed()
        for table in self._tables.values():
            # What is lost of these, the second tree or the log have told already.
            is_named = table.name in ("staged_judgments", "meta", "row_counts")
            is_named |= table.listed is not None
            if table.name in ("judgments", "project_values"):
                is_named |= self._tables[_LOGS[table.name]].is_whole
            if not table.is_whole and not is_named:
                self._done.lost.append(
                    _(
                        "Some rows of the table ‘{table}’ may be lost: not all of its pages can be "
                        "read."
                    ).format(table=table.name)
                )
        if not self._connection.execute("SELECT 1 FROM meta WHERE key = 'uuid'").fetchone():
            self._connection.execute("INSERT INTO meta VALUES('uuid', ?)", (str(uuid.uuid4()),))

    def _write(self, table: Table) -> None:
        names = [name for name, _ in table.columns]
        count = 0
        for key, row in table.rows.items():
            if table.name == "events" and not _is_event(row):
                self._lose_line(key, row)
                continue
            values = self._mended(table, key, row)
            if values is None:
                continue
            used = names[: len(values)]
            if any(
                name.endswith("_id") and isinstance(n, int) and n < 1
                for name, n in zip(used, values, strict=True)
            ):
                # Nothing has such a number, and nothing could stand in for what has.
                self._lose(table.name, _keys_of(table, key, row))
                continue
            try:
                self._connection.execute(
                    f"INSERT OR REPLACE INTO {table.name}({', '.join(used)}) "
                    f"VALUES({', '.join('?' * len(used))})",
                    values,
                )
                count += 1
            except apsw.ConstraintError:
                self._lose(table.name, _keys_of(table, key, row))
        self._done.counts[table.name] = count

    def _mended(self, table: Table, key: object, row: Row) -> Row | None:
        """Return a row with what is left of its cut columns; ``None`` where nothing can be used."""
        cut = table.cut.get(key)
        if cut is None:
            return row
        name = self._name(table.name, _keys_of(table, key, row))
        self.harmed.add(table.name)
        if table.name not in ("query_texts", "document_texts"):
            self._done.lost.append(
                _("{row} is lost: a page of it cannot be read.").format(row=name)
            )
            return None
        texts = ", ".join(column for column in cut if column != "hash")
        if texts:
            self._done.lost.append(
                _("{name}: of {texts} only a part can be read.").format(name=name, texts=texts)
            )
        return tuple(
            self._left_of(column, value) if column in cut else value
            for (column, _), value in zip(table.columns, row, strict=False)
        )

    @staticmethod
    def _left_of(column: str, value: Any) -> Any:  # noqa: ANN401 - whatever SQLite stores
        if column in _LEFT:
            return _LEFT[column]
        return value.rstrip("\0\ufffd") if isinstance(value, str) else value

    def _lose(self, table: str, keys: tuple[Any, ...]) -> None:
        self.harmed.add(table)
        self._done.lost.append(
            _("{row} is lost: it is not what was written.").format(row=self._name(table, keys))
        )

    def _lose_line(self, key: object, row: Row) -> None:
        """Name a line of the log that does not match its checksum: it may have been the last one."""
        names = [name for name, _ in self._tables["events"].columns]
        told = dict(zip(names, row, strict=False))
        self.torn.add(tuple(told.get(each) for each in _OF_A_JUDGMENT))
        self._done.lost.append(
            _(
                "Log line {number} is lost: it is not what was written. The judgment that it was "
                "of is as the rest of the file has it."
            ).format(number=key)
        )

    def _stand_in(self) -> None:
        for parent in _PARENTS:
            for number in sorted(self._missing(parent)):
                self._insert_stand_in(parent, number)
                if parent != "steps":
                    self._done.lost.append(_(_NAME_LOST[parent]).format(number=number))

    def _missing(self, parent: str) -> set[int]:
        """Return the numbers of rows that others refer to and that are not there."""
        found: set[int] = set()
        # Counts are made anew.
        for child in self._tables.keys() - {"row_counts"}:
            for _id, _seq, referred, column, *_more in self._connection.execute(
                f"PRAGMA foreign_key_list({child})"
            ).fetchall():
                if referred == parent:
                    numbers = self._connection.execute(
                        f"SELECT {column} FROM {child} WHERE {column} IS NOT NULL "  # noqa: S608 - names of our schema
                        f"EXCEPT SELECT {_singular(parent)}_id FROM {parent}"
                    )
                    found.update(int(str(number)) for (number,) in numbers)
        return found

    def _insert_stand_in(self, parent: str, number: int) -> None:
        name = f"lost {_singular(parent)} {number}"
        values: dict[str, Any] = {
            "external_id": name.replace(" ", "-"),
            "uuid": uuid.uuid4().bytes,
            "name": name,
            "kind": "human" if parent == "assessors" else "new",
            "title": "A step that was lost",
            "source": "",
            "at": 0,
            "state": "done",
            "step_id": int(self._connection.execute("SELECT min(step_id) FROM steps").get or 1),
        }
        values[f"{_singular(parent)}_id"] = number
        used = [column for column, _ in self._tables[parent].columns if column in values]
        self._connection.execute(
            f"INSERT INTO {parent}({', '.join(used)}) VALUES({', '.join('?' * len(used))})",
            [values[column] for column in used],
        )

    def _drop_rankings(self) -> None:
        for key in list(iter_wrong_rankings(self._connection)):
            self._connection.execute("DELETE FROM rankings WHERE run_id = ? AND query_id = ?", key)
            self._lose("rankings", key)

    def _name_lost(self) -> None:
        """Name the rows of which the second tree of their table alone knows."""
        for table in self._tables.values():
            there = {row[:2] for row in table.rows.values()} if table.listed else set()
            for keys in sorted((table.listed or set()) - there):
                self._done.lost.append(
                    _("{row} is lost: its page cannot be read.").format(
                        row=self._name(table.name, keys)
                    )
                )

    def _name_changed(self) -> None:
        """Name what does not match its checksum, and take the wrong checksums away."""
        # An older schema has not all of these tables.
        for table in filter(SEALED.__contains__, self._tables):
            # Those that were cut are named, and have lost theirs.
            where = " AND ".join(f"{key} = ?" for key in SEALED[table].keys)
            for keys in list(iter_changed_rows(self._connection, table)):
                change = f"UPDATE {table} SET hash = NULL WHERE hash IS NOT NULL AND {where}"  # noqa: S608 - constants
                self._connection.execute(change, keys)
                if self._connection.changes():
                    self.harmed.add(table)
                    self._done.lost.append(
                        _("{row} is not as it was written; it was taken as it is.").format(
                            row=self._name(table, keys)
                        )
                    )

    def _name(self, table: str, keys: tuple[Any, ...]) -> str:
        """Return what a row is called: a text by the id of whose it is, where that is known."""
        if table not in SEALED:
            return _("Row {row} of {table}").format(row=keys[0], table=table)
        if table not in ("document_texts", "query_texts"):
            return name_row(table, keys)
        singular = table.split("_", 1)[0]
        plural = "queries" if singular == "query" else "documents"
        found = self._connection.execute(
            f"SELECT external_id FROM {plural} WHERE {singular}_id = ?",  # noqa: S608 - constants
            (keys[0],),
        ).fetchone()
        sentence = (
            _("The text of query {id}") if singular == "query" else _("The text of document {id}")
        )
        return sentence.format(id=found[0] if found else keys[0])


def _agree_with_log(
    connection: apsw.Connection,
    *,
    is_log_whole: bool,
    is_value_log_whole: bool,
    cleared: set[tuple[Any, ...]],
) -> None:
    """Let judgments and log say the same again; what is there goes before what is lost.

    Args:
        connection: in a transaction.
        is_log_whole: whether no line of the log is lost: what it says goes before judgments.
        is_value_log_whole: likewise of the log of the project's values.
        cleared: of what a judgment that is not there may have been taken back, by a line that
            is lost.
    """
    states: dict[Key, HeadText] = {}
    entries = []
    for key, logged, found in iter_differing_judgments(connection):
        # Of two that differ by their time alone the log's is known to have been.
        is_said = logged and found and logged[:2] == found[:2]
        if is_log_whole or is_said or (found is None and tuple(key) not in cleared):
            states[key] = HeadText(None, 0, 0)
            if logged:
                text = json.dumps(logged.judgment.to_dict())
                states[key] = HeadText(text, logged.step_id, logged.at)
            continue
        # It stays of the step that said it: by that it counts, or does not.
        change = JudgmentChange(
            key, logged.judgment if logged else None, found.judgment if found else None
        )
        entries.append(
            LogEntry(
                change,
                logged.step_id if logged else None,
                found.step_id if found else None,
                "recovered",
                made_at=found.at if found else None,
            )
        )
    write_states(connection, states)
    values = list(iter_differing_values(connection))
    while values and is_value_log_whole:
        name, said, _ = values.pop()
        put_value(connection, name.decode(), None if said is None else said.decode())
    if not entries and not values:
        return
    at = utc_ms()
    step = insert_step(
        connection, kind="new", title="Recovered from a damaged file", assessor_id=None, at=at
    ).step_id
    write_entries(connection, entries, step_id=step, at=at)
    for name, before, after in values:
        value = json.loads(before or b"null" if after is None else after)
        write_value(connection, name.decode(), value, step_id=step, at=at, origin="recovered")


def _is_event(row: Row) -> bool:
    if len(row) < 15:
        return False
    # Until schema 4, and in lines of before, nothing stands behind the checksum.
    said, found, parents = row[1:14], row[14], row[15] if len(row) > 15 else b""
    return has_row_hash((*said, parents, found))


def _keys_of(table: Table, key: Any, row: Row) -> tuple[Any, ...]:  # noqa: ANN401 - a rowid or columns
    """Return the values of the columns that name a row of the file."""
    sealed = SEALED.get(table.name)
    if sealed is not None and len(sealed.keys) == 2 and not table.n_keys:
        return row[:2]
    return key if isinstance(key, tuple) else (key,)


def _singular(table: str) -> str:
    return {"queries": "query"}.get(table, table[:-1])


# The lines of a safety log

NODES = ("event", "many")
"""The kinds of lines that tell of judgments; others hang on these."""


class Chain(NamedTuple):
    """The lines that a project lacks.

    Attributes:
        lines: those that go on from its last event, in the order in which they happened.
        apart: those of other branches: what they say is older than something that it holds, or
            than what ``lines`` say.
        has_gap: whether lines between them are not there.
    """

    lines: list[Line]
    apart: list[Line]
    has_gap: bool


def steps_shown(lines: Sequence[Line]) -> dict[str, int]:
    """Return when steps first became visible, were undone or redone, as far as lines tell."""
    shown: dict[str, int] = {}
    for line in lines:
        if line["kind"] == "step":
            shown.setdefault(line["step"], line["at"])
    return shown


def waits_for(line: Line) -> str:
    """Return the step without which nothing of a counted line is visible; ``""`` for none.

    An import or merge that was killed or cancelled leaves such lines, and its step never shows.
    """
    # Until 0.3.0 a line did not say it; those of an import that an undo wrote have a step that shows.
    return str(line.get("waits_for", line["step"] if line["step_kind"] == "import" else ""))


def is_arrival(line: Line) -> bool:
    """Whether a counted line tells what a merge brought."""
    return waits_for(line) not in ("", line["step"])


def left_on_purpose(lines: Sequence[Line], project: str | None) -> set[str]:
    """Return the lines of which somebody has said that this file is to be without them."""
    return {
        uuid
        for line in lines
        if line["kind"] == LEFT and line["project"] == project
        for uuid in line["lines"]
    }


def own_lines(lines: Sequence[Line], places: Container[str]) -> list[Line]:
    """Return the lines that were written for a file, wherever that was.

    Copies of a file share its safety log. From each line that was written at one of the places, it
    leads back to what the file held then: also to what was judged at another place, from where it
    was moved or copied here. What was judged there later is another copy's.

    Args:
        lines: the log, oldest first.
        places: paths of the file.
    """
    if all(line["project"] in places for line in lines):
        return list(lines)
    nodes = _Nodes(lines)
    own: set[int] = set()
    for start, node in enumerate(nodes.lines):
        at = start if node["project"] in places else -1
        while at >= 0 and at not in own:
            own.add(at)
            at = nodes.find_previous(at)
    kept = {id(nodes.lines[at]) for at in own}
    is_brought = _hanging(nodes, own)
    return [
        line
        for line in lines
        if line["project"] in places
        or id(line) in kept
        or (line["kind"] not in (*NODES, LEFT) and is_brought(line))
    ]


def _hanging(nodes: "_Nodes", own: Container[int]) -> Callable[[Line], bool]:
    """Return what says whether a line of another place, which tells of no judgment, was brought along.

    It was if it was written together with a line that was, or before that place went on to one; or,
    where it did not go on, before it was gone on from there here.
    """
    shown, together = set[str](), set[tuple[object, ...]]()
    onward: dict[tuple[object, ...], list[int]] = {}
    until: dict[tuple[object, ...], int] = {}
    for at, line in enumerate(nodes.lines):
        hook = (line["prev"], line.get("held"))
        onward.setdefault((*hook, line["project"]), []).append(at)
        if at in own:
            shown |= {waits_for(line)} if line["kind"] == "many" else set()
            together.add((line["uuid"], line["project"], line["at"]))
            before = nodes.find_previous(at)
            place = nodes.lines[before]["project"] if before >= 0 else ""
            until[*hook, place] = max(until.get((*hook, place), 0), line["at"])

    def is_brought(line: Line) -> bool:
        if (line["prev"], line["project"], line["at"]) in together:
            return True
        if line["kind"] == "step" and line["change"] == "published" and line["step"] in shown:
            return True
        hook = (line["prev"], line.get("held"), line["project"])
        later = (at for at in onward.get(hook, ()) if nodes.lines[at]["at"] >= line["at"])
        after = next(later, -1)
        return after in own if after >= 0 else line["at"] <= until.get(hook, -1)

    return is_brought


def n_held(line: Line) -> int:
    """Return how many lines of its own log a project held once it had this one; -1 where it is not told."""
    # Until 0.3.0 lines did not say it.
    return int(line["held"] + line.get("n", 1)) if "held" in line else -1


class _Nodes:
    """The lines that tell of judgments, and how they lead back.

    What a merge brings goes by the name of its last line, which has been written before for the
    copy that it came from: the two are told apart by how much was held.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = [line for line in lines if line["kind"] in NODES]
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            self._places.setdefault(line["uuid"], []).append(number)

    def find_previous(self, at: int) -> int:
        """Return the line before one, in the file that this was written in; -1 for none."""
        line = self.lines[at]
        found = [number for number in self._places.get(line["prev"], ()) if number != at]
        if len(found) < 2:
            return found[0] if found else -1
        exact = [number for number in found if n_held(self.lines[number]) == line.get("held")]
        # Where it is not known which one, no other copy's is taken.
        return max(
            exact or found,
            key=lambda number: (
                self.lines[number]["project"] == line["project"],
                number < at,
                number,
            ),
        )

    def find_earlier(self, at: int) -> int:
        """Return the last line before a gap that was written for the same file, or -1."""
        project = self.lines[at]["project"]
        earlier = (each for each in range(at - 1, -1, -1) if self.lines[each]["project"] == project)
        return next(earlier, -1)


def find_missing(
    lines: Sequence[Line],
    *,
    known: Container[str],
    left: Container[str] = (),
    last: tuple[str, int] = ("", 0),
) -> Chain:
    """Return the lines that were written for a file and that it does not hold.

    Where an older file was put in its place, the chain forks: each branch of it is the file's own,
    whatever has been judged since.

    Args:
        lines: those of the file (:func:`own_lines`), oldest first.
        known: uuids of the events that the project holds, in upper-case hex.
        left: lines that are not wanted (:func:`left_on_purpose`).
        last: uuid of the last event that the project holds, and when anything last happened there.
    """
    branches, has_gap = _walk_back(_Nodes(lines), known, left)
    reached = {line["uuid"] for branch in branches for line in branch}
    beside: dict[str, list[Line]] = {}
    ordered, apart = list[Line](), list[Line]()
    for line in lines:
        previous = line["prev"]
        if line["kind"] in (*NODES, LEFT):
            continue
        if previous in reached:
            beside.setdefault(previous, []).append(line)
        elif not previous or previous in known:
            (apart if line["at"] < last[1] else ordered).append(line)
    end = last[0]
    for branch in branches:
        begins = branch[0]["prev"]
        is_loose = begins and begins not in known and begins not in reached
        goes_on = begins == end or (is_loose and branch[0]["at"] >= last[1])
        for line in branch:
            (ordered if goes_on else apart).extend((line, *beside.pop(line["uuid"], ())))
        end = branch[-1]["uuid"] if goes_on else end
    return Chain(ordered, apart, has_gap)


def _walk_back(
    nodes: _Nodes, known: Container[str], left: Container[str]
) -> tuple[list[list[Line]], bool]:
    """Return the branches of what is not there, each in the order in which it happened.

    A file that was rebuilt may hold a line without those before it: the way back does not end there.
    """
    walked: set[int] = set()
    branches: list[list[Line]] = []
    has_gap = False
    for start in range(len(nodes.lines)):
        at, found = start, [list[Line]()]
        while at >= 0 and at not in walked:
            line = nodes.lines[at]
            walked.add(at)
            if line["uuid"] not in known and line["uuid"] not in left:
                found[-1].append(line)
            elif found[-1]:
                found.append([])
            before, previous = nodes.find_previous(at), line["prev"]
            if before < 0 and previous and previous not in known and previous not in left:
                has_gap = True
                before = nodes.find_earlier(at)
            at = before
        branches += [branch[::-1] for branch in reversed(found) if branch]
    return branches, has_gap


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
        imports: titles of imports that came after the copy, with the uuids of their steps; their
            files are to be imported again.
    """

    n_judgments: int = 0
    n_values: int = 0
    n_texts: int = 0
    n_lost: int = 0
    imports: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Rebuilt") -> None:
        """Count what was done on another branch as well."""
        self.n_judgments += other.n_judgments
        self.n_values += other.n_values
        self.n_texts += other.n_texts
        self.n_lost += other.n_lost
        self.imports |= other.imports


class Rebuilder:
    """Does lines again, inside one transaction of the caller.

    Args:
        connection: to write.
        plan: see :data:`Planner`.
        is_apart: whether they are of another branch than what is there: what does not say which
            lines it replaces replaces none.
    """

    def __init__(
        self, connection: apsw.Connection, *, plan: Planner, is_apart: bool = False
    ) -> None:
        self._connection = connection
        self._plan = plan
        self._parents = b"" if is_apart else None
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
            _parents_of(line, self._parents),
        )
        write_entries(self._connection, [entry], step_id=step, at=line["at"])
        self.done.n_judgments += 1

    def _do_value(self, line: Line) -> None:
        step = self._step(line)
        if step is None:
            self.done.n_lost += 1
            return
        uuid, parents = bytes.fromhex(line.get("uuid") or ""), _parents_of(line, self._parents)
        is_there = self._connection.execute(
            "SELECT 1 FROM value_events WHERE uuid = ? OR "
            "(step_id = ? AND at = ? AND origin = ? AND key = ?)",
            (uuid, step, line["at"], line["origin"], line["key"]),
        ).fetchone()
        if is_there is None:
            write_value(
                self._connection,
                line["key"],
                parse_value(line["after"]),
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
                self.done.imports[line["title"]] = line["step"]
            return
        # On another branch it may have been turned since: that holds.
        is_there = self._connection.execute(
            "SELECT 1 FROM step_events WHERE step_id = ?1 AND (at > ?2 OR (at = ?2 AND change = ?3))",
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
        # Of a merge it tells the last step that arrived, whose own lines tell what became of it.
        if not is_arrival(line) and self._find_step(line["step"]) is not None:
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


def _parents_of(line: Line, otherwise: bytes | None) -> bytes | None:
    """Return the parents of a line; something else where it was logged before schema 4."""
    return bytes.fromhex(line["parents"]) if "parents" in line else otherwise
