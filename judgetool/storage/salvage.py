"""What can be read of a damaged project file, page by page, without SQLite.

SQLite gives up at a page that it cannot follow. A project's tables are few and known, so
their rows are read here straight from the pages: down each tree, past what is destroyed,
and then from the leaves that no page leads to any more. See https://sqlite.org/fileformat2.html.

Whether a file is sound, and what is in it, is told by the whole of it, or by whatever can be read.
"""

import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.held_files import Hold, beside, is_in_use
from judgetool.errors import InputError, ProjectDamagedError, ProjectError
from judgetool.storage.check import (
    WRONG_VALUES,
    are_pages_sound,
    count_behind,
    count_log,
    find_problems,
    load_schema_number,
    logged_pages,
)
from judgetool.storage.connection import SCHEMA_VERSION, may_write
from judgetool.storage.damage import SEALED, damaged, reading, translated_errors
from judgetool.storage.judgments import find_pending
from judgetool.storage.migrations import apply_schema, check_schema, look_as_new
from judgetool.storage.set_aside import connect, settle_beside
from judgetool.wording import N_, _, sentence_start

_TABLE_INNER, _TABLE_LEAF, _INDEX_INNER, _INDEX_LEAF = 5, 13, 2, 10
_FIXED = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
_MOST_BYTES = 1 << 31

Row = tuple[Any, ...]


@dataclass(slots=True)
class Table:
    """What was read of one table.

    Attributes:
        name: its name.
        columns: names and types, in the order of the file.
        n_keys: how many of them are the key of an index tree; 0 for a tree of numbered rows.
        rows: by key, as stored in the file: the row's number, or its first columns.
        cut: keys of rows of which some bytes are lost, and the columns they stood in.
        is_whole: whether every page of it was there.
        listed: of a table of texts or rankings the keys that its second tree names, one
            of which a row may be lost; ``None`` where that tree is not whole.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    n_keys: int
    rows: dict[Any, Row] = field(default_factory=dict)
    cut: dict[Any, tuple[str, ...]] = field(default_factory=dict)
    is_whole: bool = True
    listed: set[tuple[int, int]] | None = None


_NUMBERS_ALONE = ("clicks", "row_counts", "asks", "arrivals", "conflicts")
_NO_START = N_("its first page is destroyed, and with it where anything stands")


class _LostError(Exception):
    """A page, or what it says, is not what it was."""


class _Pages:
    """The pages of a file, with those that its log has newer."""

    def __init__(self, path: Path) -> None:
        self._hold = Hold(path)
        self._newer: dict[int, bytes] = {}
        head, n_bytes = self._hold.read_start(100)
        size = int.from_bytes(head[16:18], "big")
        self.size = 65_536 if size == 1 else size
        is_power = self.size >= 512 and not self.size & (self.size - 1)
        if len(head) < 100 or head[:16] != b"SQLite format 3\0" or not is_power:
            self._hold.release()
            raise damaged(path, _(_NO_START))
        self.usable = self.size - head[20]
        self._content, _size = self._hold.read_start(n_bytes)
        self.count = -(-n_bytes // self.size)
        self._read_log(beside(path, "-wal"))

    def close(self) -> None:
        """Let go of the file."""
        self._hold.release()

    def _read_log(self, path: Path) -> None:
        """Take the pages of the log's whole transactions."""
        places, count = logged_pages(path, self.size)
        if places:
            self.count, log = count, path.read_bytes()
            self._newer = {number: log[at : at + self.size] for number, at in places.items()}

    def page(self, number: int) -> bytes:
        """Return a page; the last may be cut."""
        if not 1 <= number <= self.count:
            raise _LostError
        start = (number - 1) * self.size
        found = self._newer.get(number) or self._content[start : start + self.size]
        if len(found) < self.size:
            raise _LostError
        return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _is_in_order(kind: int, page: bytes, places: tuple[int, ...], *, is_root: bool) -> bool:
    """Whether a page tells of all its rows: no leaf but a root is empty, and row numbers ascend."""
    if kind in (_TABLE_INNER, _INDEX_INNER):
        return True
    if not places:
        return is_root
    if kind == _INDEX_LEAF:
        return True
    try:
        numbers = [_signed(_varint(page, _varint(page, place)[1])[0]) for place in places]
    except IndexError:
        return False
    return all(one < other for one, other in pairwise(numbers))


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


class _Reader:
    """Reads the rows of all tables of a file."""

    def __init__(self, pages: _Pages) -> None:
        self._pages = pages
        self._seen: set[int] = set()

    # Cells

    def _cells(self, number: int) -> tuple[int, bytes, int, tuple[int, ...]]:
        """Return a page's kind, its bytes, the last page below it, and where its cells are."""
        page = self._pages.page(number)
        start = 100 if number == 1 else 0
        kind = page[start]
        if kind not in (_TABLE_INNER, _TABLE_LEAF, _INDEX_INNER, _INDEX_LEAF):
            raise _LostError
        is_inner = kind in (_TABLE_INNER, _INDEX_INNER)
        n_cells = int.from_bytes(page[start + 3 : start + 5], "big")
        first = start + (12 if is_inner else 8)
        if first + 2 * n_cells > self._pages.size:
            raise _LostError
        places = struct.unpack(f">{n_cells}H", page[first : first + 2 * n_cells])
        last = int.from_bytes(page[start + 8 : start + 12], "big") if is_inner else 0
        return kind, page, last, places

    def walk(self, root: int, table: Table) -> None:
        """Read a tree down from its root."""
        waiting, seen = [root], set()
        while waiting:
            number = waiting.pop()
            if number in seen:
                table.is_whole = False
                continue
            seen.add(number)
            try:
                kind, page, last, places = self._cells(number)
            except _LostError:
                table.is_whole = False
                continue
            self._seen.add(number)
            if last:
                waiting.append(last)
            if not _is_in_order(kind, page, places, is_root=number == root):
                table.is_whole = False
            for place in places:
                self._take_cell(kind, page, place, table, waiting)

    def _take_cell(
        self, kind: int, page: bytes, place: int, table: Table, waiting: list[int]
    ) -> None:
        try:
            if kind in (_TABLE_INNER, _INDEX_INNER):
                waiting.append(int.from_bytes(page[place : place + 4], "big"))
                place += 4
            if kind != _TABLE_INNER:
                self._take_row(kind == _TABLE_LEAF, page, place, table)
        except (_LostError, IndexError, struct.error, ValueError, OverflowError):
            table.is_whole = False

    def _take_row(self, is_table: bool, page: bytes, place: int, table: Table) -> None:
        n_bytes, place = _varint(page, place)
        rowid = None
        if is_table:
            rowid, place = _varint(page, place)
            rowid = _signed(rowid)
        payload, n_whole = self._payload(page, place, n_bytes, is_table=is_table)
        values, lost = _record(payload, n_whole, rowid, table)
        key = rowid if is_table else values[: table.n_keys]
        table.rows[key] = values
        if lost:
            table.cut[key] = lost

    def _payload(
        self, page: bytes, place: int, n_bytes: int, *, is_table: bool
    ) -> tuple[bytes, int]:
        """Return a row's bytes, and how many of them are its own; lost ones are zero."""
        usable = self._pages.usable
        most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
        if n_bytes > _MOST_BYTES:
            raise _LostError
        if n_bytes <= most:
            return page[place : place + n_bytes], n_bytes
        least = (usable - 12) * 32 // 255 - 23
        local = least + (n_bytes - least) % (usable - 4)
        local = local if local <= most else least
        parts, n_read = [page[place : place + local]], local
        following = int.from_bytes(page[place + local : place + local + 4], "big")
        n_pages = -(-(n_bytes - local) // (usable - 4))
        for _page in range(n_pages):
            try:
                page = self._pages.page(following)
            except _LostError:
                break
            self._seen.add(following)
            part = page[4 : min(usable, 4 + n_bytes - n_read)]
            then = int.from_bytes(page[:4], "big")
            is_last = n_read + len(part) >= n_bytes
            if is_last != (then == 0) or then > self._pages.count:
                # No page of a chain: its own bytes are lost, and what follows with it.
                break
            parts.append(part)
            n_read += len(part)
            following = then
        return b"".join(parts).ljust(n_bytes, b"\0"), n_read

    # Leaves that nothing leads to

    def skip_free(self) -> None:
        """Leave out pages that are free: they still hold what was deleted."""
        following = int.from_bytes(self._pages.page(1)[32:36], "big")
        while following and following not in self._seen:
            self._seen.add(following)
            try:
                page = self._pages.page(following)
            except _LostError:
                return
            count = min(int.from_bytes(page[4:8], "big"), self._pages.size // 4 - 2)
            self._seen.update(struct.unpack(f">{count}I", page[8 : 8 + 4 * count]))
            following = int.from_bytes(page[:4], "big")

    def take_strays(self, tables: list[Table]) -> None:
        """Give leaves that no page leads to any more to the broken tree that they fit."""
        for number in range(2, self._pages.count + 1):
            if number in self._seen:
                continue
            try:
                kind, page, _, places = self._cells(number)
            except _LostError:
                continue
            if kind not in (_TABLE_LEAF, _INDEX_LEAF) or not places:
                continue
            for table in tables:
                # Its rows have the table's columns, and are not there already.
                trial = Table(table.name, table.columns, table.n_keys)
                for place in places if (kind == _TABLE_LEAF) == (table.n_keys == 0) else ():
                    self._take_cell(kind, page, place, trial, [])
                if trial.rows and trial.is_whole and not trial.rows.keys() & table.rows.keys():
                    table.rows |= trial.rows
                    table.cut |= trial.cut
                    break


def _record(
    payload: bytes, n_whole: int, rowid: int | None, table: Table
) -> tuple[Row, tuple[str, ...]]:
    """Return a row's values, and the columns of which bytes are lost."""
    end, at = _varint(payload, 0)
    kinds = []
    if not 1 <= end <= min(n_whole, len(payload)):
        raise _LostError
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    n_columns = len(table.columns)
    if at != end or not max(n_columns - 4, table.n_keys) <= len(kinds) <= n_columns:
        raise _LostError
    values: list[Any] = []
    lost = []
    for (name, declared), kind in zip(table.columns, kinds, strict=False):
        size = _FIXED.get(kind, (kind - 12) // 2)
        if kind in (10, 11) or size < 0:
            raise _LostError
        if at + size > n_whole:
            lost.append(name)
        value = _value(kind, payload[at : at + size], declared)
        values.append(rowid if value is None and name == _rowid_column(table) else value)
        at += size
    if at != len(payload):
        raise _LostError
    # Columns that a later schema added are not in older rows.
    return tuple(values), tuple(lost)


def _rowid_column(table: Table) -> str:
    name, declared = table.columns[0]
    return name if declared == "INTEGER" and name.endswith("_id") and not table.n_keys else ""


def _value(kind: int, data: bytes, declared: str) -> Any:  # noqa: ANN401 - whatever SQLite stores
    value: Any
    if kind == 0:
        return None
    if kind in (8, 9):
        value = kind - 8
    elif kind == 7:
        value = struct.unpack(">d", data)[0]
    elif kind < 7:
        value = int.from_bytes(data, "big", signed=True)
    elif kind % 2:
        value = data.decode("utf-8", errors="replace")
    else:
        value = data
    if declared == "REAL" and isinstance(value, int):
        value = float(value)
    wanted: tuple[type, ...] = {
        "INTEGER": (int,),
        "REAL": (float,),
        "TEXT": (str,),
        "BLOB": (bytes,),
    }[declared]
    if not isinstance(value, wanted):
        raise _LostError
    return value


def read_tables(path: Path) -> tuple[int, dict[str, Table]]:
    """Return the schema's number and what is readable of each table of a file.

    Raises:
        ProjectDamagedError: the first page is destroyed: nothing tells where anything is.
        InputError: it is no project.
        ProjectError: it cannot be read.
    """
    with reading(path):
        pages = _Pages(path)
    with closing(pages):
        try:
            version = int.from_bytes(pages.page(1)[60:64], "big")
        except _LostError:  # cut within its first page
            raise damaged(path, _(_NO_START)) from None
        if not 1 <= version <= SCHEMA_VERSION:
            raise InputError(
                _(
                    "{path} is of a schema that this judgetool does not know. Nothing was written; "
                    "update judgetool and try again."
                ).format(path=path.name)
            )
        return version, _read(pages, version, path)


_TWO_KEYS = {name: sealed.keys for name, sealed in SEALED.items() if len(sealed.keys) == 2}


def _read(pages: _Pages, version: int, path: Path) -> dict[str, Table]:
    reader = _Reader(pages)
    texts = [(name, "TEXT") for name in ("type", "name", "tbl_name", "sql")]
    master = Table("sqlite_schema", (*texts[:3], ("rootpage", "INTEGER"), texts[3]), 0)
    reader.walk(1, master)
    if not master.rows:
        raise damaged(path, _(_NO_START))
    roots = {row[1]: row[3] for row in master.rows.values() if row[0] in ("table", "index")}
    tables = {table.name: table for table in _known_tables(version)}
    for name, root in roots.items():
        if name not in tables:
            # Its pages are no strays.
            reader.walk(root, Table(name, (), 1))
    for name, table in tables.items():
        if name in roots:
            reader.walk(roots[name], table)
        else:
            table.is_whole = False
    for name in ("documents", "queries", *_TWO_KEYS):
        _read_second_tree(reader, tables[name], roots.get(f"sqlite_autoindex_{name}_1", 0))
    reader.skip_free()
    # Rows of numbers alone could be of any index; counts are made anew.
    reader.take_strays(
        [
            table
            for name, table in tables.items()
            if not table.is_whole and name not in _NUMBERS_ALONE
        ]
    )
    return tables


def _read_second_tree(reader: _Reader, table: Table, root: int) -> None:
    """Read the tree that holds a table's keys once more; a row that one has lost the other may have."""
    n_keys = 2 if table.name in _TWO_KEYS else 1
    keys = [
        each for each in table.columns if each[0] in _TWO_KEYS.get(table.name, ("external_id",))
    ]
    tree = Table(table.name, (*keys, ("rowid", "INTEGER")), n_keys + 1)
    reader.walk(root, tree)
    if n_keys == 1:
        for external_id, number in tree.rows:
            table.rows.setdefault(number, (number, external_id))
        table.is_whole |= tree.is_whole
    elif tree.is_whole:
        table.listed = {(one, other) for one, other, _ in tree.rows}


def _known_tables(version: int) -> Iterator[Table]:
    """Yield the tables of a schema without rows, their columns as they stand in the file."""
    with closing(apsw.Connection(":memory:")) as pattern:
        apply_schema(pattern, version)
        rows: list[Any] = pattern.execute("PRAGMA table_list").fetchall()
        for _, name, kind, _, is_without_rowid, _ in rows:
            if kind != "table" or name.startswith("sqlite_"):
                continue
            columns = [
                (column, declared, place)
                for _, column, declared, _, _, place in pattern.execute(
                    f"PRAGMA table_info({name})"
                )
            ]
            if is_without_rowid:
                columns.sort(key=lambda each: each[2] or 99)
            n_keys = sum(1 for each in columns if each[2]) if is_without_rowid else 0
            yield Table(name, tuple(each[:2] for each in columns), n_keys)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of a project found.

    Attributes:
        counts: how much of what it holds, by name, and the number of its schema; what cannot
            be counted is not in it.
        problems: a sentence for each thing that is wrong; empty for a sound file.
        is_partial: whether the counts are of what can still be read, page by page.
        n_missing: how many changes of judgments the safety log has that the file lacks.
        moved_from: where the file stood when these were made; ``""`` where it stands now.
        n_torn: how many lines of the safety log are damaged.
        left_out: what the safety log only names: titles of steps that the file lacks, too large for
            the log and in no backup.
        is_import_unfinished: whether something is left of an import or merge that was killed.
        n_behind: how many bytes stand behind the file's last page, which nothing reads.
    """

    counts: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    is_partial: bool = False
    n_missing: int = 0
    moved_from: str = ""
    n_torn: int = 0
    left_out: tuple[str, ...] = ()
    is_import_unfinished: bool = False
    n_behind: int = 0


def check_file(path: Path, *, is_quick: bool = False) -> Finding:
    """Look at a whole project file, whatever can be read of it, and at that alone.

    Args:
        path: the project.
        is_quick: see :func:`find_problems`.

    Raises:
        ProjectError: it is locked, or may not be read.
    """
    try:
        if may_write(path):
            settle_beside(path)
        with closing(connect(path, is_writable=may_write(path))) as connection:
            with translated_errors(path):
                version = load_schema_number(connection)
                check_schema(connection, path, version=version)
                look_as_new(connection, from_version=version)
                connection.pragma("query_only", 1)
            problems = find_problems(connection, path, is_quick=is_quick)
            if problems and not are_pages_sound(connection):
                return _count_readable(path, problems)
            counts = {"schema": version, **count_log(connection)}
            is_pending = not problems and bool(find_pending(connection))
            n_behind = count_behind(connection)
        is_unfinished = is_pending and not is_in_use(path)
        return Finding(counts, problems, is_import_unfinished=is_unfinished, n_behind=n_behind)
    except ProjectDamagedError as problem:
        # The check does not point to itself; what leads on is said once, below.
        said = f"{sentence_start(problem.reason)}." if problem.reason else str(problem)
        return _count_readable(path, [said])


def _count_readable(path: Path, problems: list[str]) -> Finding:
    """Return what can be read of a file that SQLite cannot read whole, in rows."""
    try:
        tables = read_tables(path)[1]
    except ProjectError:
        return Finding(problems=problems)
    names = {
        "queries": "query_texts",
        "documents with text": "document_texts",
        "runs": "runs",
        "rankings": "rankings",
        "judgments": "judgments",
        "log lines": "events",
    }
    counts = {name: len(tables[table].rows) for name, table in names.items()}
    return Finding(counts, problems, is_partial=True)


def damage_behind(
    path: Path, error: BaseException, *also: type[BaseException]
) -> ProjectDamagedError | None:
    """Return what an error comes from where the file is damaged; ``None`` where it is sound.

    Work on stored bytes goes wrong in as many ways as bytes can; whether the bytes or
    judgetool are to blame, the check tells.

    Args:
        path: the project file.
        error: what was raised at work on it.
        also: kinds of errors that are looked into, besides ``WRONG_VALUES``.
    """
    if isinstance(error, ProjectError) or not isinstance(error, (*WRONG_VALUES, *also)):
        return None
    problems = check_file(path).problems
    return damaged(path, problems[0].rstrip(".")) if problems else None
