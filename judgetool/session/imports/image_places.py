"""In which folder the pictures of an import are, and how the project keeps that."""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judgetool.core.documents import Document
from judgetool.core.folders import data_folder, make_private_file, make_private_folder
from judgetool.formats import Reading
from judgetool.formats.images import image_folder
from judgetool.storage.material import StoredImage


class ImagePlaces:
    """The folder of an import's pictures, and the pictures' paths in it.

    It is the folder of the file that names them; of several such files the deepest
    folder that they share. Inside the project's own folder it is kept relative to
    that, so that a project can be moved with its pictures; else as it is.

    Args:
        readings: the files of the import.
        home: the project's own folder.
    """

    def __init__(self, readings: Sequence[Reading], home: Path) -> None:
        folders = {
            id(reading): folder
            for reading in readings
            if any(document.image for document in reading.documents)
            and (folder := image_folder(reading.source)) is not None
        }
        self.folder = ""
        self._home = home
        self._inner: dict[int, str] = {}
        if not folders:
            return
        try:
            common = Path(os.path.commonpath(folders.values()))
        except ValueError:
            # On several drives: the first file's pictures are kept.
            common = next(iter(folders.values()))
        self.folder = _kept_folder(common, home)
        for key, folder in folders.items():
            if folder.is_relative_to(common):
                self._inner[key] = folder.relative_to(common).as_posix()

    def placed(self, document: Document, reading: Reading) -> Document:
        """Return a document with its picture's path as it is kept."""
        inner = self._inner.get(id(reading))
        if not document.image or inner == ".":
            return document
        return replace(document, image=f"{inner}/{document.image}" if inner else "")

    def is_there(self, stored: StoredImage) -> bool:
        """Whether a picture of the project is still where the project has it."""
        return (self._home / stored.folder / stored.path).is_file()


def is_allowed(uuid: str, folder: str) -> bool:
    """Return whether the person shows pictures of a folder outside a project's own.

    Args:
        uuid: of the project.
        folder: absolute.
    """
    try:
        lines = _allowed_file().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return f"{uuid}\t{folder}" in lines


def allow_folder(uuid: str, folder: str) -> None:
    """Show pictures of a folder outside a project's own from now on, on this computer.

    Where that cannot be kept, they stay hidden.
    """
    if is_allowed(uuid, folder) or "\n" in folder:
        return
    path = _allowed_file()
    with contextlib.suppress(OSError):
        make_private_folder(path.parent)
        make_private_file(path)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"{uuid}\t{folder}\n")


def _allowed_file() -> Path:
    return data_folder() / "picture-folders.tsv"


def _kept_folder(folder: Path, home: Path) -> str:
    folder, home = folder.resolve(), home.resolve()
    return folder.relative_to(home).as_posix() if folder.is_relative_to(home) else str(folder)
