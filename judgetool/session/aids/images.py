"""The picture of a document, as a file that is safe to be shown."""

from pathlib import Path

from judgetool.core.held_files import is_held
from judgetool.formats.images import (
    MAGIC_BYTES,
    find_inside,
    find_relative,
    is_image,
    is_local_folder,
)
from judgetool.session.imports.image_places import is_allowed
from judgetool.session.session import Session
from judgetool.storage.material import find_stored_image, load_image_folders

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
