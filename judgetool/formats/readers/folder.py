"""A folder of files: texts, each a document by its name; or saved responses, each to a query."""

import io
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from judgetool.core.held_files import open_to_read
from judgetool.core.judgments import Document
from judgetool.core.number_text import number_of
from judgetool.errors import InputError, ParseError, shown_name, why_refused
from judgetool.formats.columns import note_number
from judgetool.formats.encodings import (
    ENCODING,
    UTF_8,
    UndecidedEncodingError,
    check_is_text,
    find_encoding,
    is_utf8,
)
from judgetool.formats.images import IMAGE_ENDINGS
from judgetool.formats.readers.search_responses import JsonSource, are_of_queries, is_response
from judgetool.formats.results import name_from
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource, Watch
from judgetool.formats.values import (
    JudgmentTable,
    Kind,
    Reading,
    ReadingCancelledError,
    Refusal,
    Wishes,
)
from judgetool.wording import N_, _, local_number

_MAX_FILES = 1_000_000
_RESPONSE_ENDING = ".json"
_UNPACKING = (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError)


def read_folder(path: Path, *, watch: Watch, wishes: Wishes) -> Reading:
    """Read the text files that stand in a folder itself, in the order of their names.

    A picture whose name differs from a text's in the ending alone is that document's.
    Hidden files and folders inside are left out; so are links that lead elsewhere.

    Args:
        path: the folder.
        watch: told of each file, and asked whether to go on.
        wishes: kept with the reading.

    Raises:
        UndecidedEncodingError: a text in it is not UTF-8, and nobody said what it is.
        InputError: the folder cannot be looked into.
        ReadingCancelledError: the watcher said so.
    """
    reading = Reading(str(path), Kind.DOCUMENTS, "documents-folder", wishes=wishes)
    try:
        names = sorted(entry.name for entry in os.scandir(path) if not entry.name.startswith("."))
    except OSError as problem:
        raise InputError(
            _("{path} cannot be looked into: {strerror}.").format(
                path=path, strerror=why_refused(problem)
            )
        ) from problem
    images = {Path(name).stem: name for name in reversed(names) if is_picture(name)}
    n_folders = n_images = 0
    for place, file in enumerate(_iter_files(path, names, watch), 1):
        if watch.progress:
            watch.progress(place, len(names))
        if file.is_dir():
            n_folders += 1
        elif is_picture(file.name):
            n_images += 1
        else:
            _read_document(path, file, reading, image=images.get(file.stem, ""))
    reading.n_lines = len(names)
    note_number(
        reading.notes,
        n_folders,
        "{n} folder in it was not looked into.",
        "{n} folders in it were not looked into.",
    )
    n_joined = sum(bool(document.image) for document in reading.documents)
    beside = _("{n_joined} of them beside a text of the same name").format(
        n_joined=local_number(f"{n_joined:,}")
    )
    note_number(
        reading.notes,
        n_images,
        "{n} image in it: {beside}.",
        "{n} images in it: {beside}.",
        beside=beside,
    )
    names = [each.id for each in reading.documents]
    table = next((name for name in names if name.lower().endswith((".jsonl", ".ndjson"))), "")
    if table:
        reading.notes.append(
            _(
                "‘{name}’ looks like JSON lines, and is taken for the text of one document. If "
                "each of its lines is a document, name the file itself in place of the folder."
            ).format(name=table)
        )
    if reading.is_empty and reading.n_refused:
        first = reading.refusals[0]
        raise ParseError(
            _("{reason}. No file in it could be read.").format(reason=first.reason),
            source=str(path),
        )
    if reading.is_empty:
        reading.notes.append(_("The folder has no text files."))
    return reading


_OF_SYSTEMS = (".DS_Store", "__MACOSX")
_HIDDEN = N_("‘{name}’ in the zip file is left out: it is hidden.")
_ELSEWHERE = N_("‘{name}’ in the zip file is left out: its name may lead out of it.")
_NO_NAME = N_("‘{name}’ in the zip file is left out: its name is no plain text.")
_SAME_NAME = N_("‘{name}’ stands in the zip file several times: only the last one is read.")
_MOST_NAMED = 20


def sorted_members(package: zipfile.ZipFile) -> tuple[dict[str, zipfile.ZipInfo], list[str]]:
    """Return the files of a zip file that may be read, by name, and what is said of the others."""
    members: dict[str, zipfile.ZipInfo] = {}
    said: list[str] = []
    for each in package.infolist():
        parts = each.filename.replace("\\", "/").split("/")
        if each.is_dir() or not parts[-1] or parts[0] == _OF_SYSTEMS[1] or parts[-1] in _OF_SYSTEMS:
            continue
        name = "/".join(part for part in parts if part != ".")
        why = _why_left_out(parts) or (_SAME_NAME if name in members else "")
        if why:
            said.append(_(why).format(name=shown_name(each.filename)[:60]))
        if why in ("", _SAME_NAME):
            members[name] = each
    said = list(dict.fromkeys(said))
    if len(said) > _MOST_NAMED:
        rest = number_of(
            len(said) - _MOST_NAMED,
            "{n} further file in the zip file is left out for such reasons.",
            "{n} further files in the zip file are left out for such reasons.",
        )
        said = [*said[:_MOST_NAMED], rest]
    return members, said


def _why_left_out(parts: list[str]) -> str:
    """Return why a file of a zip file is not read, by the parts of its name; ``""``: it is."""
    if any(not part or part == ".." or ":" in part for part in parts):
        return _ELSEWHERE
    if parts[-1].startswith("."):
        return _HIDDEN
    return "" if all(map(str.isprintable, parts)) else _NO_NAME


def response_folders(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of JSON files by the folder that they stand in, ``.`` for none: two or more."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        if name.endswith(_RESPONSE_ENDING):
            by_folder.setdefault(str(PurePosixPath(name).parent), []).append(name)
    return {folder: files for folder, files in by_folder.items() if len(files) > 1}


def response_files(path: Path, kind: Kind | None) -> list[Path]:
    """Return the files of a folder that may be saved responses: where no kind was said, all or none.

    Raises:
        OSError: the folder cannot be looked into.
    """
    files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    found = [each for each in files if each.name.endswith(_RESPONSE_ENDING) and each.is_file()]
    return found if kind is not None or len(found) == len(files) else []


def join_responses(name: str, files: Mapping[str, Callable[[], TextSource]]) -> JsonSource | None:
    """Return saved responses as one value by query id, which is each file's name.

    Args:
        name: of the folder.
        files: what opens each, by its name.

    Returns:
        ``None`` where one is no response to one query, or where queries that they name themselves
        are not all different: then they are no run.
    """
    joined = JsonSource(name, io.BytesIO(), n_lines=0)
    values: dict[str, object] = {}
    for file_name, open_file in files.items():
        query_id = name_from(file_name)
        try:
            source = open_file()
        except (ParseError, UndecidedEncodingError, *_UNPACKING):
            return None
        if not isinstance(source, JsonSource) or query_id in values:
            return None
        values[query_id] = source.value
        joined.n_lines += source.n_lines
        joined.repeated += source.repeated
        if not is_response(source.value):
            return None
    if not are_of_queries(values.values()):
        return None
    joined.value = values
    note_number(
        joined.notes,
        len(values),
        "Its {n} file, the response to one query, is a run: the file’s name is the query’s id.",
        "Its {n} files, each the response to one query, are one run: each file’s name is its query’s id.",
    )
    return joined


BEIR_CORPUS, BEIR_QUERIES, BEIR_QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def beir_parts(path: Path) -> list[tuple[Path, Kind]]:
    """Return the files of a folder as BEIR has it, with their kinds; empty for any other folder.

    It has queries and a corpus, packed or not, and perhaps qrels.
    """
    found = []
    for name, kind in ((BEIR_QUERIES, Kind.QUERIES), (BEIR_CORPUS, Kind.DOCUMENTS)):
        file = next((each for each in (path / name, path / f"{name}.gz") if each.is_file()), None)
        if file is None:
            return []
        found.append((file, kind))
    qrels = path / BEIR_QRELS
    splits = sorted(qrels.glob("*.tsv")) if qrels.is_dir() else []
    return [*found, *((file, Kind.JUDGMENTS) for file in splits)]


def merge_parts(path: Path, readings: list[Reading], *, wishes: Wishes) -> Reading:
    """Return what the files of a BEIR folder hold, as one reading.

    Args:
        path: the folder.
        readings: of its files.
        wishes: kept with the reading.
    """
    merged = Reading(str(path), Kind.DOCUMENTS, "beir-folder", wishes=wishes)
    for reading in readings:
        name = Path(reading.source).relative_to(path).as_posix()
        merged.n_lines += reading.n_lines
        merged.n_refused += reading.n_refused
        merged.ended_early |= reading.ended_early
        merged.refusals += [
            Refusal(each.line, f"{name}: {each.reason}") for each in reading.refusals
        ]
        merged.notes += [f"{name}: {note}" for note in reading.notes]
        merged.queries += reading.queries
        merged.documents += reading.documents
        if reading.judgments is not None:
            _append(merged, reading.judgments)
    return merged


def _append(merged: Reading, table: JudgmentTable) -> None:
    merged.judgments = merged.judgments or JudgmentTable()
    for column in ("query_ids", "document_ids", "grades", "assessors", "states", "notes", "lines"):
        getattr(merged.judgments, column).extend(getattr(table, column))


def _iter_files(path: Path, names: list[str], watch: Watch) -> Iterator[Path]:
    if len(names) > _MAX_FILES:
        raise InputError(
            _("{path} holds {names} files; up to {most} are read. Nothing was kept.").format(
                path=path,
                names=local_number(f"{len(names):,}"),
                most=local_number(f"{_MAX_FILES:,}"),
            )
        )
    for name in names:
        if watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(
                _("Reading {path} was stopped. Nothing was kept.").format(path=path)
            )
        yield path / name


def is_picture(name: str) -> bool:
    """Return whether a file is a picture by its name."""
    return name.lower().endswith(IMAGE_ENDINGS)


def _read_document(folder: Path, file: Path, reading: Reading, *, image: str) -> None:
    try:
        # A link that leads to itself is inside, and no file.
        is_inside = Path(os.path.realpath(file)).is_relative_to(folder.resolve())
        if not is_inside or not file.is_file():
            said = (
                _("‘{name}’ is no ordinary file")
                if is_inside
                else _("‘{name}’ is a link that leads out of the folder")
            )
            reading.refuse(None, said.format(name=file.name))
            return
        with open_to_read(file) as stream:
            data = stream.read(MAX_TEXT_LINE_BYTES + 1)
        file.name.encode()
    except OSError as problem:
        reading.refuse(
            None,
            _("‘{file}’ cannot be read: {strerror}").format(
                file=file.name, strerror=why_refused(problem)
            ),
        )
    except UnicodeError:
        shown = file.name.encode(errors="replace").decode()
        reading.refuse(None, _("the name ‘{shown}’ is no text").format(shown=shown))
    else:
        if len(data) > MAX_TEXT_LINE_BYTES:
            reading.refuse(
                None,
                _("‘{file}’ is longer than {size} MiB").format(
                    file=file.name, size=MAX_TEXT_LINE_BYTES >> 20
                ),
            )
            return
        text = _decoded(data, file.name, reading)
        if text is not None:
            reading.documents.append(Document(file.name, body=text, image=image))


def _decoded(data: bytes, name: str, reading: Reading) -> str | None:
    """Return a file's text; refuse it, or ask for its encoding, where it is not UTF-8.

    Raises:
        UndecidedEncodingError: it is text, and nobody said in which encoding.
    """
    said = reading.wishes.answers.get(ENCODING, "") or UTF_8
    try:
        check_is_text(data, source=name)
        text = data.decode("utf-8-sig" if is_utf8(data + b"\n") else find_encoding(said))
    except (ParseError, UnicodeDecodeError) as problem:
        is_text = isinstance(problem, UnicodeDecodeError)
        if is_text and ENCODING not in reading.wishes.answers:
            raise UndecidedEncodingError(data, source=reading.source) from None
        reading.refuse(None, _("‘{name}’ is no text in {said}").format(name=name, said=said))
        return None
    if "\0" in text:
        reading.refuse(None, _("‘{name}’ holds NUL bytes and is no text").format(name=name))
        return None
    return text
