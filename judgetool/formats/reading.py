"""Reading a file, a stream or a text of any known format."""

import errno
import gc
import io
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple, Unpack

from judgetool.core.held_files import (
    ZIP_MAGIC,
    find_state,
    open_to_read,
    read_start,
    refusing_change,
)
from judgetool.core.number_text import number_of
from judgetool.core.system import PipeEnd
from judgetool.errors import InputError, ParseError, why_refused
from judgetool.formats.containers import (
    MAX_PACKED_BYTES,
    OLE_MAGIC,
    PARQUET_MAGIC,
    beir_parts,
    is_paper,
    is_sheet_package,
    join_responses,
    merge_parts,
    read_folder,
    response_files,
    response_folders,
    rows_of_book,
    rows_of_parquet,
    sorted_members,
)
from judgetool.formats.detection import (
    are_lines_of_one_value,
    detect_format,
    find_shape,
    is_json_value,
    is_row_list,
    refuse_stranger,
)
from judgetool.formats.json_shapes import find_rows
from judgetool.formats.judgment_columns import take_lengths
from judgetool.formats.names import without_strange_roles
from judgetool.formats.search_responses import (
    JsonSource,
    is_console_request,
    load_json,
    load_json_lines,
    rows_source,
)
from judgetool.formats.source import (
    COMMON_ENCODINGS,
    ENCODING,
    UTF_8,
    NoTextError,
    Peeked,
    Progress,
    Readable,
    TextSource,
    UndecidedEncodingError,
    Watch,
    cannot_unpack,
    find_encoding,
)
from judgetool.formats.values import (
    ColumnsNeededError,
    Kind,
    OtherKindError,
    Question,
    Reading,
    SeveralFilesError,
    Wished,
    Wishes,
)
from judgetool.wording import N_, _


@contextmanager
def held_collector() -> Iterator[None]:
    """Collect no cycles meanwhile: each look at all objects takes as long as there are many.

    It is off for the whole process, for as long as one file is read or one import
    written; who had it off already keeps it so. What was made is never looked at again:
    the first look would hold up the process for as long as all of it takes.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()


_MOST_LABELS = 20
_ONE_LIST = N_("The file is one JSON list: its entries are counted as lines.")


def read_file(
    path: Path | str,
    *,
    progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    **said: Unpack[Wished],
) -> Reading:
    """Read a file, or a folder of text files; what does not fit is left out and reported.

    Args:
        path: the file, plain or packed (gzip, zip, bz2, xz, zst), an Excel, OpenDocument or
            Parquet file; or a folder. ``a.zip/b.run`` is the file ``b.run`` in a zip file.
        progress: called with bytes read and bytes in all, about once a MiB.
        is_cancelled: asked as often; ``True`` stops.
        said: what a person said of it, see :class:`judgetool.formats.Wishes`.

    Returns:
        What it held. Of an empty file of a known kind: nothing, and a note.

    Raises:
        ParseError: nothing of the file can be used.
        ColumnsNeededError: of a table: a person has to say what its columns are.
        SeveralFilesError: of a zip file: each file in it is to be read by itself.
        NoTextError: it is neither text nor table; or of a zip file: it cannot be used, and its
            name says that it is none of the data, such as ``README.md``.
        InputError: it cannot be opened.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    watch = Watch(progress, is_cancelled)
    path, member = _split_member(Path(path))
    wishes = without_strange_roles(Wishes(**said))
    if member:
        wishes = replace(wishes, answers={**wishes.answers, "member": member})
    try:
        parts = beir_parts(path) if path.is_dir() else []
        if parts:
            found = [
                read_file(part, kind=each, is_cancelled=is_cancelled, grade_map=wishes.grade_map)
                for part, each in parts
            ]
            return merge_parts(path, found, wishes=wishes)
        if path.is_dir() and wishes.kind in {None, Kind.RUN, Kind.RESULTS}:
            joined = _open_responses(path, watch, wishes)
            if joined is not None:
                return _read_source(joined, wishes)
        if path.is_dir() and wishes.kind in {None, Kind.DOCUMENTS}:
            return _read_folder(path, watch, wishes)
        with _open_to_end(path, watch) as (stream, start):
            total = path.stat().st_size
            reading = _read(_Opened(str(path), Peeked(stream, start), total, watch), wishes)
            state = find_state(path)
            reading.states = {} if state is None else {path: state}
            return reading
    except OSError as problem:
        raise _unreadable(path, problem) from problem
    except ParseError as problem:
        said_member = wishes.answers.get("member", "")
        if not is_paper(said_member):
            raise
        raise NoTextError(
            _("by its name it is about the data and holds none. Nothing was kept."),
            source=f"{path}/{said_member}",
        ) from problem


def _split_member(path: Path) -> tuple[Path, str]:
    """Return the file that a path leads into, as ``a.zip/b.run`` does, and the name in it."""
    if not os.path.lexists(path):
        for folder in path.parents:
            if folder.is_file() and read_start(folder, 4).startswith(ZIP_MAGIC):
                return folder, path.relative_to(folder).as_posix()
    return path, ""


_WAIT_MS = 100
_MOST_WAITS = 50


@contextmanager
def _open_to_end(path: Path, watch: Watch) -> Iterator[tuple[BinaryIO, bytes]]:
    """Open a file, or a pipe into which somebody writes; with bytes that were read already.

    Raises:
        InputError: nobody opens the pipe's other end within five seconds.
        OSError: it cannot be opened.
    """
    if not path.is_fifo():
        with open_to_read(path) as stream, refusing_change(path, stream):
            yield stream, b""
        return
    pipe = PipeEnd(path)
    for _turn in range(_MOST_WAITS):
        start = pipe.wait(_WAIT_MS)
        if start is not None:
            with os.fdopen(pipe.give(), "rb") as stream:
                yield stream, start
            return
        if watch.is_cancelled and watch.is_cancelled():
            break
    os.close(pipe.descriptor)
    raise InputError(
        _("{path} is a pipe, and nobody writes into it. Nothing was read.").format(path=path)
    )


def read_lengths(path: Path) -> dict[str, float]:
    """Read how long documents are, by their ids; the file may be packed.

    Raises:
        ParseError: it is damaged, a line does not fit, or a document has two lengths.
        InputError: it cannot be opened.
    """
    try:
        with _open_to_end(path, Watch()) as (stream, start):
            opened = _Opened(str(path), Peeked(stream, start), 0, Watch())
            return take_lengths(_open_source(opened, Wishes()))
    except OSError as problem:
        raise _unreadable(path, problem) from problem


def read_stream(
    stream: BinaryIO,
    *,
    source: str = "",
    is_cancelled: Callable[[], bool] | None = None,
    **said: Unpack[Wished],
) -> Reading:
    """Read bytes from an open stream, such as ``sys.stdin.buffer``, to its end.

    Args:
        stream: buffered bytes.
        source: how sentences name it; ``""`` is standard input.
        is_cancelled: see :func:`read_file`.
        said: likewise.

    Raises:
        ParseError: nothing of it can be used.
        ColumnsNeededError: see :func:`read_file`.
        ReadingCancelledError: ``is_cancelled`` said so.
    """
    opened = _Opened(source or _("standard input"), stream, 0, Watch(None, is_cancelled))
    return _read(opened, without_strange_roles(Wishes(**said)))


def read_text(text: str, *, source: str = "text", **said: Unpack[Wished]) -> Reading:
    """Read a text as if it stood in a file of this name; see :func:`read_file`.

    Raises:
        ParseError: nothing of it can be used.
    """
    return read_stream(io.BytesIO(text.encode()), source=source, **said)


def _open_responses(path: Path, watch: Watch, wishes: Wishes) -> JsonSource | None:
    """Return a folder's saved responses, one to a query each; ``None`` where it holds others."""

    def opened(file: Path) -> TextSource:
        with open_to_read(file) as stream, refusing_change(file, stream):
            data = Peeked(io.BytesIO(stream.read()))
        quiet = Watch(None, watch.is_cancelled)
        return _open_text(_Opened(str(file), data, 0, quiet), replace(wishes, is_of_several=True))

    files = response_files(path, wishes.kind)
    return join_responses(str(path), {each.name: partial(opened, each) for each in files})


class _Opened(NamedTuple):
    """An open file."""

    name: str
    stream: Readable
    total: int
    watch: Watch


def _open_source(opened: _Opened, wishes: Wishes, *, is_member: bool = False) -> TextSource:
    """Return the text of a file; a sheet's rows and a JSON list's entries as JSON lines."""
    rest = Peeked(opened.stream)
    start = rest.peek(len(OLE_MAGIC))
    if start.startswith(b"PK\x05\x06"):  # the end of a zip file, and nothing before it
        raise ParseError(
            _("it is a zip file without a file in it. Nothing was kept."), source=opened.name
        )
    if start.startswith((ZIP_MAGIC, PARQUET_MAGIC, OLE_MAGIC)):
        data = rest.read(MAX_PACKED_BYTES + 1)
        if len(data) > MAX_PACKED_BYTES:
            raise ParseError(
                _(
                    "the sheet or zip file is larger than {max_packed_bytes} MiB. Nothing was "
                    "kept; unpack it, or save it as CSV, and read it again."
                ).format(max_packed_bytes=MAX_PACKED_BYTES >> 20),
                source=opened.name,
            )
        if opened.watch.progress:
            opened.watch.progress(len(data), opened.total)
        if start.startswith(ZIP_MAGIC):
            with _open_zip(data, opened.name) as package:
                if not is_sheet_package(package):
                    if is_member:
                        raise ParseError(
                            _("it is a zip file in a zip file. Nothing was kept; unpack it first."),
                            source=opened.name,
                        )
                    return _open_member(package, opened, wishes)
                return rows_of_book(
                    data, package, name=opened.name, watch=opened.watch, wishes=wishes
                )
        read = rows_of_parquet if start.startswith(PARQUET_MAGIC) else rows_of_book
        return read(data, name=opened.name, watch=opened.watch, wishes=wishes)
    return _open_text(opened._replace(stream=rest), wishes)


def _open_text(opened: _Opened, wishes: Wishes, *, packed_size: int = 0) -> TextSource:
    source = TextSource(
        opened.name,
        opened.stream,
        opened.total,
        opened.watch,
        said_encoding=wishes.answers.get(ENCODING, ""),
        is_of_several=wishes.is_of_several,
        packed_size=packed_size,
    )
    if is_json_value(source) or is_console_request(source.head):
        loaded = load_json(source)
    elif are_lines_of_one_value(source):
        loaded = load_json_lines(source)
    else:
        return source
    refuse_stranger(loaded, loaded.value)
    if find_shape(loaded.value) is not None:
        return loaded
    if (found := find_rows(loaded.value, wishes)) is not None:
        return rows_source(loaded, *found)
    if is_row_list(loaded.value):
        assert isinstance(loaded.value, list)
        return rows_source(loaded, loaded.value, _(_ONE_LIST))
    return loaded


def _open_zip(data: bytes, name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as problem:
        raise ParseError(
            _(
                "it begins like a zip file but is damaged: fetch or save it again. Nothing was kept."
            ),
            source=name,
        ) from problem


def _open_member(package: zipfile.ZipFile, opened: _Opened, wishes: Wishes) -> TextSource:
    """Return what a zip file holds: its only file, or the one that was said.

    Raises:
        SeveralFilesError: nobody said which.
        ParseError: no file in it can be read.
    """
    members, left_out = sorted_members(package)
    said = wishes.answers.get("member", "")
    if said not in members and len(members) != 1:
        folders = _joined_members(package, members, opened, wishes)
        folder_of = {name: folder for folder, (_, inner) in folders.items() for name in inner}
        names = list(dict.fromkeys(folder_of.get(name, name) for name in members))
        folder = said or (names[0] if len(names) == 1 else "")
        if folder in folders:
            joined, _inner = folders[folder]
            joined.notes += left_out if folder == names[0] else []
            return joined
        if members and not said:
            raise SeveralFilesError(names, source=opened.name)
        what = _("it is a zip file without a file in it. Nothing was kept.")
        if said:
            what = _("it has no file ‘{name}’ in it. Nothing was kept.").format(name=said[:60])
        elif any(not each.is_dir() for each in package.infolist()):
            what = _(
                "it is a zip file without a file in it that may be read: they are hidden, or have "
                "names that lead out of it. Nothing was kept."
            )
        raise ParseError(what, source=opened.name)
    name = said if said in members else next(iter(members))
    if members[name].flag_bits & 1:
        raise ParseError(
            _("‘{name}’ in it is locked by a password. Nothing was kept; unpack it first.").format(
                name=name
            ),
            source=opened.name,
        )
    try:
        inner, rest = _unpacked(package, members[name], name, opened)
        start = rest.peek(len(OLE_MAGIC))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as problem:
        raise cannot_unpack(f"{opened.name}/{name}") from problem
    if start.startswith((ZIP_MAGIC, PARQUET_MAGIC, OLE_MAGIC)):
        source = _open_source(inner, wishes, is_member=True)
    else:
        source = _open_text(inner, wishes, packed_size=max(1, members[name].compress_size))
    if name == next(iter(members)):
        # Said once of a zip file, with the first file that is read of it.
        source.notes += left_out
    return source


def _unpacked(
    package: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, opened: _Opened
) -> tuple[_Opened, Peeked]:
    """Return a file of a zip file, opened, and its bytes, the first of which may be looked at."""
    named = f"{opened.name}/{name}"
    rest = Peeked(package.open(member), member=named)
    return opened._replace(name=named, stream=rest, total=member.file_size), rest


def _joined_members(
    package: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    opened: _Opened,
    wishes: Wishes,
) -> dict[str, tuple[JsonSource, list[str]]]:
    """Return the folders of a zip file whose files are a response to one query each, and these."""
    quiet = opened._replace(watch=Watch(None, opened.watch.is_cancelled))

    def unpacked(name: str) -> TextSource:
        inner, _rest = _unpacked(package, members[name], name, quiet)
        said = replace(wishes, is_of_several=True)
        return _open_text(inner, said, packed_size=max(1, members[name].compress_size))

    found = {}
    for folder, names in response_folders(members).items():
        called = opened.name if folder == "." else f"{opened.name}/{folder}"
        files = {PurePosixPath(name).name: partial(unpacked, name) for name in names}
        joined = join_responses(called, files)
        if joined is not None:
            found[folder] = joined, names
    return found


def _read(opened: _Opened, wishes: Wishes) -> Reading:
    try:
        return _read_decided(opened, wishes)
    except UndecidedEncodingError as problem:
        return _ask_encoding(problem, wishes)


def _read_folder(path: Path, watch: Watch, wishes: Wishes) -> Reading:
    try:
        return read_folder(path, watch=watch, wishes=wishes)
    except UndecidedEncodingError as problem:
        question = problem.question._replace(
            text=_("A text in the folder: {text}").format(text=problem.question.text),
        )
        reading = Reading(str(path), Kind.DOCUMENTS, "documents-folder", wishes=wishes)
        reading.open_questions = [question]
        return reading


def _ask_encoding(problem: UndecidedEncodingError, wishes: Wishes) -> Reading:
    """Return a reading that holds nothing but the question, and the first rows to go by."""
    likely = next(iter(problem.proposals))
    said = replace(wishes, name=None, answers={**wishes.answers, ENCODING: likely})
    opened = _Opened(problem.source, io.BytesIO(problem.sample), 0, Watch())
    try:
        seen = _read_decided(opened, said)
    except ParseError as unread:
        # What it is about is not known yet, either.
        seen = Reading(problem.source, wishes.kind or Kind.QUERIES, "")
        if isinstance(unread, ColumnsNeededError):
            seen.columns = list(unread.columns)
            seen.sample_rows = [list(row) for row in unread.sample_rows]
    return Reading(
        problem.source,
        seen.kind,
        seen.format,
        encoding=f"{likely}?",
        delimiter=seen.delimiter,
        columns=seen.columns,
        sample_rows=seen.sample_rows,
        headers=seen.headers,
        open_questions=[problem.question],
        wishes=wishes,
    )


def _read_decided(opened: _Opened, wishes: Wishes) -> Reading:
    source = _open_source(opened, wishes)
    try:
        return _read_source(source, wishes)
    except ParseError as problem:
        if source.is_book and source.questions:
            raise _with_sheets(problem, source) from None
        raise


def _with_sheets(problem: ParseError, source: TextSource) -> ColumnsNeededError:
    """Return a problem of a sheet with the others, one of which may be meant."""
    known = problem if isinstance(problem, ColumnsNeededError) else None
    own = {question.name: question for question in (known.questions if known else ())}
    return ColumnsNeededError(
        " ".join((problem.reason, *source.notes[-1:])),
        source=problem.source,
        line=problem.line,
        columns=known.columns if known else (),
        sample_rows=known.sample_rows if known else (),
        questions=list(({each.name: each for each in source.questions} | own).values()),
        found=known.found if known else "",
        likely=problem.likely if isinstance(problem, OtherKindError) else None,
    )


def _read_source(source: TextSource, wishes: Wishes) -> Reading:
    detected = detect_format(source, wishes)
    reading = Reading(
        source.name,
        detected.format.kind,
        detected.format.name,
        encoding=source.read_as,
        delimiter=detected.delimiter,
        run_name=wishes.name or "",
        header_line=detected.header_line,
        notes=[*detected.notes, *detected.warnings],
        warnings={**detected.warnings, **source.warnings},
        open_questions=[*_questions_of(source, wishes), *detected.questions],
        wishes=replace(
            wishes,
            known_documents=None,
            answers={**wishes.answers, **detected.answers},
            column_roles={**detected.column_roles, **wishes.column_roles},
        ),
    )
    if (said_sheet := wishes.answers.get("sheet", "")) and not source.is_book:
        reading.notes.append(
            _(
                "It has no sheets, so that the choice of sheet ‘{said_sheet}’ means nothing here."
            ).format(said_sheet=said_sheet[:60])
        )
    n_told = len(source.notes)
    reading.notes.extend(source.notes)
    reading.headers.update(dict.fromkeys(source.headers))
    for refusal in source.refusals:
        reading.refuse(*refusal)
    with held_collector():
        detected.format.reader(source, reading)
    reading.notes.extend(source.notes[n_told:])
    reading.n_lines = source.n_lines
    reading.ended_early = source.ended_early
    if any(question.is_open for question in _questions_of(source, wishes)):
        # Nothing that hangs on the answer is kept.
        reading.queries = []
        reading.documents = []
        reading.runs = []
        reading.judgments = None
    # Words that stand for grades are a question too, unless nearly every row has its own.
    is_asking = reading.needs_answers or 0 < len(reading.labels) <= _MOST_LABELS
    if reading.is_empty and not is_asking:
        _note_empty(reading)
    return reading


def _questions_of(source: TextSource, wishes: Wishes) -> list[Question]:
    """Return what the container of a text leaves open, with the answers."""
    if source.questions:
        return source.questions
    said = wishes.answers.get(ENCODING, "")
    is_said = said and not source.read_as.startswith(("utf-8-sig", "utf-16", "utf-32"))
    stays_utf8 = is_said and source.read_as.startswith(UTF_8) and find_encoding(said) != UTF_8
    if not is_said or stays_utf8 or source.is_sheet:
        return []
    choices = {said: "", **COMMON_ENCODINGS, UTF_8: "UTF-8"}
    return [Question(ENCODING, _("In which encoding was the file saved?"), choices, said)]


def _note_empty(reading: Reading) -> None:
    """Say that a file is empty; refuse one of which every line was refused."""
    if not reading.n_refused:
        below = _("There is no row below the header.")
        empty = _("There are only blank lines and comments in it.")
        empty = empty if reading.n_lines else _("The file is empty.")
        reading.notes.append(below if reading.headers else empty)
        return
    first = reading.refusals[0]
    said = (
        _("{why}. Its only line cannot be used.").format(why=first.reason)
        if reading.n_lines == 1
        else number_of(
            reading.n_lines,
            "{why}. None of its {n} lines could be used.",
            "{why}. None of its {n} lines could be used.",
            why=first.reason,
        )
    )
    if not reading.columns:
        raise ParseError(said, source=reading.source, line=first.line)
    # A column may be called what it is not: whoever said so can say something else.
    raise ColumnsNeededError(
        " ".join((said, *reading.warnings)),
        source=reading.source,
        line=first.line,
        columns=reading.columns,
        sample_rows=reading.sample_rows,
        questions=reading.open_questions,
    )


def _unreadable(path: Path, problem: OSError) -> InputError:
    causes = {
        errno.ENOTDIR: _("there is no such file"),
        errno.EACCES: _("you may not read it"),
        errno.EPERM: _("you may not read it"),
    }
    why = why_refused(problem, causes)
    return InputError(_("{path} cannot be read: {problem}.").format(path=path, problem=why))
