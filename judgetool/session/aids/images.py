"""The picture of a document, as a file that is safe to be shown."""

from pathlib import Path

from judgetool.core.held_files import is_held
from judgetool.formats.images import MAGIC_BYTES, find_inside, find_relative, is_image
from judgetool.session.session import Session
from judgetool.storage.images import find_stored_image

MAX_IMAGE_BYTES = 50 << 20


def find_image(session: Session, document: int) -> Path | None:
    """Return the file of a document's picture, safe to be shown.

    Args:
        session: the project.
        document: by the project's number.

    Returns:
        ``None`` where there is no picture, no such file, one outside of the folder of
        the import, one of more than 50 MB, or one that is no PNG, JPEG, GIF, WebP, BMP
        or TIFF by its first bytes. How many pixels it has is for the painter to limit.
    """
    if not session.material.document(document).image:
        return None
    with session.second_reader() as reader:
        stored = find_stored_image(reader, document)
    if stored is None or not stored.folder:
        return None
    folder = _known_folder(stored.folder, session.path.absolute().parent)
    path = None if folder is None else find_inside(folder, stored.path)
    return path if path is not None and _is_shown(path) else None


def _known_folder(text: str, home: Path) -> Path | None:
    """Return the folder that a text of the project stands for; it may not lead out by ``..``."""
    folder = Path(text)
    if folder.is_absolute():
        return folder
    if text == ".":
        return home
    relative = find_relative(text)
    return None if relative is None else home / relative


def _is_shown(path: Path) -> bool:
    try:
        if is_held(path) or not 0 < path.stat().st_size <= MAX_IMAGE_BYTES:
            return False
        with path.open("rb") as stream:
            return is_image(stream.read(MAGIC_BYTES))
    except OSError:
        return False
