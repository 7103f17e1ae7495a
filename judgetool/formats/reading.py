"""Reading a file, a stream or a text of any known format."""

import errno
import io
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from judgetool.errors import InputError, ParseError
from judgetool.formats.detection import detect_format
from judgetool.formats.source import Progress, TextSource, Watch
from judgetool.formats.values import Kind, Reading


def read_file(
    path: Path,
    *,
    kind: Kind | None = None,
    name: str | None = None,
    progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Reading:
    """Read a file; lines that do not fit are left out and reported.

    Args:
        path: the file, plain or packed by gzip.
        kind: what it is about; ``None`` finds out by its content.
        name: the run's name; ``None`` takes it from the file.
        progress: called with bytes read and bytes in all, about once a MiB.
        is_cancelled: asked as often; ``True`` stops.

    Returns:
        What it held. Of an empty file of a known kind: nothing, and a note.

    Raises:
        ParseError: nothing of the file can be used.
        InputError: it cannot be opened.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    watch = Watch(progress, is_cancelled)
    try:
        with path.open("rb") as stream:
            total = path.stat().st_size
            return _read(TextSource(str(path), stream, total, watch), kind, name)
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {_cause(problem)}.") from problem


def read_stream(
    stream: BinaryIO,
    *,
    source: str = "standard input",
    kind: Kind | None = None,
    name: str | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Reading:
    """Read bytes from an open stream, such as ``sys.stdin.buffer``, to its end.

    Args:
        stream: buffered bytes.
        source: how sentences name it.
        kind: see :func:`read_file`.
        name: see :func:`read_file`.
        is_cancelled: see :func:`read_file`.

    Returns:
        See :func:`read_file`.

    Raises:
        ParseError: nothing of it can be used.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    return _read(TextSource(source, stream, watch=Watch(None, is_cancelled)), kind, name)


def read_text(
    text: str, *, source: str = "text", kind: Kind | None = None, name: str | None = None
) -> Reading:
    """Read a text as if it stood in a file of this name.

    Raises:
        ParseError: nothing of it can be used.
    """
    return read_stream(io.BytesIO(text.encode()), source=source, kind=kind, name=name)


def _read(source: TextSource, kind: Kind | None, name: str | None) -> Reading:
    detected = detect_format(source, kind=kind)
    reading = Reading(
        source.name,
        detected.format.kind,
        detected.format.name,
        encoding=source.encoding,
        delimiter=detected.delimiter,
    )
    detected.format.reader(source, reading, name=name)
    reading.n_lines = source.n_lines
    if reading.is_empty:
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
