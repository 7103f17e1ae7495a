"""Pictures of documents: in which folders they are, and which of them are safe to be shown."""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judgetool.core.documents import Document
from judgetool.core.folders import data_folder, make_private_file, make_private_folder
from judgetool.core.held_files import is_held
from judgetool.formats import Reading
from judgetool.formats.images import (
    MAGIC_BYTES,
    find_inside,
    find_relative,
    image_folder,
    is_image,
    is_local_folder,
)
from judgetool.session.session import Session
from judgetool.storage.material import StoredImage, find_stored_image, load_image_folders

MAX_IMAGE_BYTES = 50 << 20


def find_image(session: Session, document: int) -> Path | None:
    """Return the file of a document's picture, safe to be shown.

    Args:
        session: the project.
        document: by the project's number.

    Returns:
        ``None`` where there is no picture, no such file, one outside of the folder of
        the import, one in a folder that was not allowed, one of more than 50 MB, or one that is no PNG, JPEG, GIF, WebP, BMP
        or TIFF by its first bytes. How many pixels it has is for the painter to limit.
    """
    if not session.material.document(document).image:
        return None
    with session.second_reader() as reader:
        stored = find_stored_image(reader, document)
    if stored is None or not stored.folder:
        return None
    folder = _known_folder(session, stored.folder)
    path = None if folder is None else find_inside(folder, stored.path)
    return path if path is not None and _is_shown(path) else None


def _known_folder(session: Session, text: str) -> Path | None:
    """Return the folder that a text of the project stands for.

    One beneath the project's own folder is; it may not lead out by ``..``. Any other only
    if the person has imported from it here, or allowed it: a project that others made may
    name any place of this computer, or of another.
    """
    home = session.path.absolute().parent
    if text == ".":
        return home
    relative = find_relative(text)
    if relative is not None:
        return home / relative
    return Path(text) if is_local_folder(text) and is_allowed(session.uuid, text) else None


def folders_elsewhere(session: Session) -> list[str]:
    """Return the folders outside the project's own from which pictures are not shown yet.

    Those of other computers are never among them.
    """
    with session.second_reader() as reader:
        found = load_image_folders(reader)
    return [
        folder
        for folder in found
        if folder != "."
        and find_relative(folder) is None
        and is_local_folder(folder)
        and not is_allowed(session.uuid, folder)
    ]


def _is_shown(path: Path) -> bool:
    try:
        if is_held(path) or not 0 < path.stat().st_size <= MAX_IMAGE_BYTES:
            return False
        with path.open("rb") as stream:
            return is_image(stream.read(MAGIC_BYTES))
    except OSError:
        return False


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
