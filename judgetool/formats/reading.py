"""Reading a file, a stream or a text of any known format."""

import errno
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple, cast

from judgetool.core.held_files import open_to_read
from judgetool.errors import InputError, ParseError
from judgetool.formats.collector import held_collector
from judgetool.formats.detection import detect_format
from judgetool.formats.readers.folder import read_folder
from judgetool.formats.readers.json_shapes import is_json_value, is_row_list
from judgetool.formats.readers.json_values import RowsSource, load_json, rows_source
from judgetool.formats.readers.spreadsheets import (
    EXCEL_MAGIC,
    MAX_PACKED_BYTES,
    PARQUET_MAGIC,
    rows_of_binary,
)
from judgetool.formats.source import Progress, TextSource, Watch
from judgetool.formats.values import Kind, Reading, Wishes

NOTHING_SAID: Mapping[str, str] = MappingProxyType({})
NO_GRADES: Mapping[str, float] = MappingProxyType({})
_MOST_LABELS = 20


def read_file(  # noqa: PLR0913 - one for each thing that a person may say of a file
    path: Path,
    *,
    kind: Kind | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    answers: Mapping[str, str] = NOTHING_SAID,
    column_roles: Mapping[str, str] = NOTHING_SAID,
    grade_map: Mapping[str, float] = NO_GRADES,
) -> Reading:
    """Read a file, or a folder of text files; what does not fit is left out and reported.

    Args:
        path: the file, plain or packed by gzip, an Excel or Parquet file; or a folder.
        kind: what it is about; ``None`` finds out by its content.
        name: the run's name; ``None`` takes it from the file.
        progress: called with bytes read and bytes in all, about once a MiB.
        is_cancelled: asked as often; ``True`` stops.
        answers: to questions that an earlier reading left open, by their names.
        column_roles: the role of a column by its header, where what was found out is
            not what is meant; roles stand in :data:`judgetool.formats.names.ROLES`.
        grade_map: the grade that a text in the grade column stands for, such as
            ``{"Highly relevant": 3, "4": 3}``.

    Returns:
        What it held. Of an empty file of a known kind: nothing, and a note.

    Raises:
        ParseError: nothing of the file can be used.
        ColumnsNeededError: of a table: a person has to say what its columns are.
        InputError: it cannot be opened.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    watch = Watch(progress, is_cancelled)
    wishes = Wishes(answers, column_roles, grade_map)
    try:
        if path.is_dir() and kind in {None, Kind.DOCUMENTS}:
            return read_folder(path, watch=watch, wishes=wishes)
        with open_to_read(path) as stream:
            total = path.stat().st_size
            return _read(_Opened(str(path), stream, total, watch), kind, name, wishes)
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {_cause(problem)}.") from problem


def read_stream(  # noqa: PLR0913 - one for each thing that a person may say of a file
    stream: BinaryIO,
    *,
    source: str = "standard input",
    kind: Kind | None = None,
    name: str | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    answers: Mapping[str, str] = NOTHING_SAID,
    column_roles: Mapping[str, str] = NOTHING_SAID,
    grade_map: Mapping[str, float] = NO_GRADES,
) -> Reading:
    """Read bytes from an open stream, such as ``sys.stdin.buffer``, to its end.

    Args:
        stream: buffered bytes.
        source: how sentences name it.
        kind: see :func:`read_file`.
        name: see :func:`read_file`.
        is_cancelled: see :func:`read_file`.
        answers: see :func:`read_file`.
        column_roles: see :func:`read_file`.
        grade_map: see :func:`read_file`.

    Returns:
        See :func:`read_file`.

    Raises:
        ParseError: nothing of it can be used.
        ColumnsNeededError: see :func:`read_file`.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    wishes = Wishes(answers, column_roles, grade_map)
    return _read(_Opened(source, stream, 0, Watch(None, is_cancelled)), kind, name, wishes)


def read_text(  # noqa: PLR0913 - one for each thing that a person may say of a file
    text: str,
    *,
    source: str = "text",
    kind: Kind | None = None,
    name: str | None = None,
    answers: Mapping[str, str] = NOTHING_SAID,
    column_roles: Mapping[str, str] = NOTHING_SAID,
    grade_map: Mapping[str, float] = NO_GRADES,
) -> Reading:
    """Read a text as if it stood in a file of this name; see :func:`read_file`.

    Raises:
        ParseError: nothing of it can be used.
    """
    wishes = Wishes(answers, column_roles, grade_map)
    opened = _Opened(source, io.BytesIO(text.encode()), 0, Watch())
    return _read(opened, kind, name, wishes)


class _Opened(NamedTuple):
    """An open file."""

    name: str
    stream: BinaryIO
    total: int
    watch: Watch


class _Rejoined:
    """A stream of which the first bytes were looked at."""

    def __init__(self, start: bytes, rest: BinaryIO) -> None:
        self._start = start
        self._rest = rest

    def read(self, size: int) -> bytes:
        data, self._start = self._start[:size], self._start[size:]
        return data + self._rest.read(size - len(data)) if len(data) < size else data


def _open_source(opened: _Opened) -> TextSource:
    """Return the text of a file; a sheet's rows and a JSON list's entries as JSON lines."""
    start = opened.stream.read(len(EXCEL_MAGIC))
    if start in {EXCEL_MAGIC, PARQUET_MAGIC}:
        data = start + opened.stream.read(MAX_PACKED_BYTES)
        if len(data) > MAX_PACKED_BYTES:
            raise ParseError(
                f"the sheet is larger than {MAX_PACKED_BYTES >> 20} MiB. Nothing was kept; save it "
                "as CSV and read it again.",
                source=opened.name,
            )
        if opened.watch.progress:
            opened.watch.progress(len(data), opened.total)
        return rows_of_binary(data, name=opened.name, watch=opened.watch)
    # It reads, which is all that TextSource asks of it.
    stream = cast("BinaryIO", _Rejoined(start, opened.stream))
    source = TextSource(opened.name, stream, opened.total, opened.watch)
    if not is_json_value(source):
        return source
    loaded = load_json(source)
    return rows_source(loaded) if is_row_list(loaded.value) else loaded


def _read(opened: _Opened, kind: Kind | None, name: str | None, wishes: Wishes) -> Reading:
    source = _open_source(opened)
    detected = detect_format(source, kind=kind, wishes=wishes)
    reading = Reading(
        source.name,
        detected.format.kind,
        detected.format.name,
        encoding=source.container if isinstance(source, RowsSource) else source.encoding,
        delimiter=detected.delimiter,
        notes=list(detected.notes),
        open_questions=list(detected.questions),
        wishes=replace(wishes, column_roles={**detected.column_roles, **wishes.column_roles}),
    )
    if isinstance(source, RowsSource):
        reading.notes.extend(source.notes)
        for refusal in source.refusals:
            reading.refuse(refusal.line, refusal.reason)
    with held_collector():
        detected.format.reader(source, reading, name=name)
    reading.n_lines = source.n_lines
    # Words that stand for grades are a question too, unless nearly every row has its own.
    is_asking = reading.needs_answers or 0 < len(reading.labels) <= _MOST_LABELS
    if reading.is_empty and not is_asking:
        _note_empty(reading)
    return reading


def _note_empty(reading: Reading) -> None:
    """Say that a file is empty; refuse one of which every line was refused."""
    if not reading.n_refused:
        reading.notes.append("The file is empty.")
        return
    first = reading.refusals[0]
    raise ParseError(
        f"{first.reason}. None of its {reading.n_lines:,} lines could be used.",
        source=reading.source,
        line=first.line,
    )


def _cause(problem: OSError) -> str:
    causes = {
        errno.ENOENT: "there is no such file",
        errno.ENOTDIR: "there is no such file",
        errno.EISDIR: "it is a folder",
        errno.EACCES: "you may not read it",
        errno.EPERM: "you may not read it",
    }
    return causes.get(problem.errno or 0, f"the system says '{problem.strerror or problem}'")
