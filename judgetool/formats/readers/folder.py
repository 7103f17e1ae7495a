"""A folder of text files: each is a document, its name is the id."""

import os
from collections.abc import Iterator
from pathlib import Path

from judgetool.core.documents import Document
from judgetool.core.held_files import open_to_read
from judgetool.errors import InputError, ParseError
from judgetool.formats.columns import count_noun
from judgetool.formats.images import IMAGE_ENDINGS
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, Watch
from judgetool.formats.values import Kind, Reading, ReadingCancelledError, Wishes

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
        InputError: the folder cannot be looked into.
        ReadingCancelledError: the watcher said so.
    """
    reading = Reading(str(path), Kind.DOCUMENTS, "documents-folder", wishes=wishes)
    try:
        names = sorted(entry.name for entry in os.scandir(path) if not entry.name.startswith("."))
    except OSError as problem:
        raise InputError(
            f"{path} cannot be looked into: {problem.strerror or problem}."
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
    if n_folders:
        verb = "was" if n_folders == 1 else "were"
        reading.notes.append(f"{count_noun(n_folders, 'folder')} in it {verb} not looked into.")
    if n_images:
        n_joined = sum(bool(document.image) for document in reading.documents)
        reading.notes.append(
            f"{count_noun(n_images, 'image')} in it: {n_joined:,} of them beside a text of the "
            "same name."
        )
    if reading.is_empty and reading.n_refused:
        first = reading.refusals[0]
        raise ParseError(f"{first.reason}. No file in it could be read.", source=str(path))
    if reading.is_empty:
        reading.notes.append("The folder has no text files.")
    return reading


def _iter_files(path: Path, names: list[str], watch: Watch) -> Iterator[Path]:
    if len(names) > _MAX_FILES:
        raise InputError(
            f"{path} holds {len(names):,} files; up to {_MAX_FILES:,} are read. Nothing was kept."
        )
    for name in names:
        if watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(f"Reading {path} was stopped. Nothing was kept.")
        yield path / name


def is_picture(name: str) -> bool:
    """Return whether a file is a picture by its name."""
    return name.lower().endswith(IMAGE_ENDINGS)


def _read_document(folder: Path, file: Path, reading: Reading, *, image: str) -> None:
    try:
        is_inside = file.resolve().is_relative_to(folder.resolve())
        if not is_inside or not file.is_file():
            what = "is no ordinary file" if is_inside else "is a link that leads out of the folder"
            reading.refuse(None, f"'{file.name}' {what}")
            return
        with open_to_read(file) as stream:
            data = stream.read(MAX_TEXT_LINE_BYTES + 1)
        text = data.decode("utf-8-sig")
        file.name.encode()
    except OSError as problem:
        reading.refuse(None, f"'{file.name}' cannot be read: {problem.strerror or problem}")
    except UnicodeError:
        shown = file.name.encode(errors="replace").decode()
        reading.refuse(None, f"'{shown}' is not UTF-8 text")
    else:
        if len(data) > MAX_TEXT_LINE_BYTES:
            reading.refuse(None, f"'{file.name}' is longer than {MAX_TEXT_LINE_BYTES >> 20} MiB")
        elif "\0" in text:
            reading.refuse(None, f"'{file.name}' holds NUL bytes and is no text")
        else:
            reading.documents.append(Document(file.name, body=text, image=image))
