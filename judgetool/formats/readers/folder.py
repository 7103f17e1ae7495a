"""A folder of text files: each is a document, its name is the id."""

import os
from collections.abc import Iterator
from pathlib import Path

from judgetool.core.held_files import open_to_read
from judgetool.core.judgments import Document
from judgetool.errors import InputError, ParseError, why_refused
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
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, Watch
from judgetool.formats.values import (
    JudgmentTable,
    Kind,
    Reading,
    ReadingCancelledError,
    Refusal,
    Wishes,
)
from judgetool.wording import _, local_number

_MAX_FILES = 1_000_000


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
    if reading.is_empty and reading.n_refused:
        first = reading.refusals[0]
        raise ParseError(
            _("{reason}. No file in it could be read.").format(reason=first.reason),
            source=str(path),
        )
    if reading.is_empty:
        reading.notes.append(_("The folder has no text files."))
    return reading


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
        is_inside = file.resolve().is_relative_to(folder.resolve())
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
