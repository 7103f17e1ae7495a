"""A sound project written from what can be read of a damaged one."""

import json
import os
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.clock import utc_ms
from judgetool.core.held_files import APPLICATION_ID
from judgetool.core.judgments import JudgmentChange
from judgetool.storage.check import FIRST_WITH_CHECKSUMS, iter_wrong_rankings
from judgetool.storage.connection import SCHEMA_VERSION
from judgetool.storage.damage import (
    SEALED,
    iter_changed_rows,
    name_row,
    seal_rows,
    translated_errors,
)
from judgetool.storage.history import iter_differing_judgments, iter_differing_values
from judgetool.storage.judgments import (
    HeadText,
    LogEntry,
    has_row_hash,
    insert_step,
    write_entries,
    write_states,
)
from judgetool.storage.migrations import apply_schema, upgrade_file
from judgetool.storage.salvage import Row, Table, read_tables
from judgetool.storage.set_aside import connect
from judgetool.storage.values import write_value
from judgetool.wording import N_, _

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
        if version < SCHEMA_VERSION:
            upgrade_file(target, from_version=version, backs_up=False)
        with closing(connect(target, is_writable=True)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            _agree_with_log(
                connection,
                is_log_whole=tables["events"].is_whole and not filler.torn,
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
    """

    def __init__(
        self, connection: apsw.Connection, tables: dict[str, Table], done: Salvaged
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._done = done
        self.torn: set[tuple[Any, ...]] = set()

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
        for table, sealed in SEALED.items():
            # Those that were cut are named, and have lost theirs.
            where = " AND ".join(f"{key} = ?" for key in sealed.keys)
            for keys in list(iter_changed_rows(self._connection, table)):
                change = f"UPDATE {table} SET hash = NULL WHERE hash IS NOT NULL AND {where}"  # noqa: S608 - constants
                self._connection.execute(change, keys)
                if self._connection.changes():
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
    connection: apsw.Connection, *, is_log_whole: bool, cleared: set[tuple[Any, ...]]
) -> None:
    """Let judgments and log say the same again; what is there goes before what is lost.

    Args:
        connection: in a transaction.
        is_log_whole: whether no line of the log is lost: what it says goes before judgments.
        cleared: of what a judgment that is not there may have been taken back, by a line that
            is lost.
    """
    states: dict[tuple[int, int, int], HeadText] = {}
    entries = []
    for key, logged, found in iter_differing_judgments(connection):
        if is_log_whole or (found is None and tuple(key) not in cleared):
            states[key] = HeadText(None, 0, 0)
            if logged:
                said = json.dumps(logged.judgment.to_dict())
                states[key] = HeadText(said, logged.step_id, logged.at)
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
    if not entries and not values:
        return
    at = utc_ms()
    step = insert_step(
        connection, kind="new", title="Recovered from a damaged file", assessor_id=None, at=at
    ).step_id
    write_entries(connection, entries, step_id=step, at=at)
    for name, before, after in values:
        text = before if after is None else after
        value = None if text is None else json.loads(text)
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
