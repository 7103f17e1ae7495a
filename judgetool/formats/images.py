"""Pictures beside documents: which paths may be followed, and which of them lead to something."""

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from judgetool.core.number_text import number_of, some_of
from judgetool.formats.columns import note_number
from judgetool.formats.records import Record
from judgetool.formats.values import Reading
from judgetool.wording import NN_

IMAGE_ENDINGS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"),
    *(".svg", ".avif", ".heic"),
)
"""Endings of picture files, also of such that judgetool does not show."""

_MAX_PATH = 1024
_N_NAMED = 3
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
_MAGICS = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM"),
    *(b"II*\0", b"MM\0*"),
)
MAGIC_BYTES = 12


def is_image(head: bytes) -> bool:
    """Return whether a file that begins so is a picture that is shown: PNG, JPEG, GIF, WebP, BMP, TIFF.

    SVG is none: it is a program that may name other files.

    Examples:
        >>> is_image(b"GIF89a......"), is_image(b"RIFF....WEBP"), is_image(b"<svg>")
        (True, True, False)
    """
    is_webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    return is_webp or head.startswith(_MAGICS)


def is_address(text: str) -> bool:
    r"""Return whether a text is an address (with ``http:``, ``file:``, ``data:`` …) or has a drive.

    Examples:
        >>> is_address("https://x.example/a.png"), is_address("C:\\a.png"), is_address("a/b.png")
        (True, True, False)
    """
    return _SCHEME.match(text) is not None


def is_local_folder(text: str) -> bool:
    r"""Return whether a text is an absolute path on this computer: no share, no address.

    Examples:
        >>> is_local_folder("/data/img"), is_local_folder("//server/img"), is_local_folder("img")
        (True, False, False)
        >>> is_local_folder(r"\\server\share"), is_local_folder("file:///etc")
        (False, False)
    """
    plain = text.replace("\\", "/")
    is_drive = re.match(r"[A-Za-z]:/", plain) is not None
    has_root = plain.startswith("/") and not plain.startswith("//")
    return (has_root or is_drive) and plain.isprintable() and Path(text).is_absolute()


def find_relative(text: str) -> str | None:
    r"""Return a path that stays inside of a folder, with ``/`` between its names.

    Nothing is looked up: a link may still lead elsewhere.

    Returns:
        ``None`` for an address, an absolute path, a drive, one that leads upwards, or
        what is no path at all.

    Examples:
        >>> find_relative(" img\\soup.png"), find_relative("./a/../b.png"), find_relative("/a.png")
        ('img/soup.png', None, None)
    """
    plain = text.strip().replace("\\", "/")
    is_path = 0 < len(plain) <= _MAX_PATH and plain.isprintable() and plain[0] not in "[{"
    if not is_path or plain.startswith("/") or is_address(plain):
        return None
    parts = [part for part in plain.split("/") if part not in {"", "."}]
    return "/".join(parts) if parts and ".." not in parts else None


def find_inside(folder: Path, relative: str) -> Path | None:
    """Return the file that a relative path leads to, all links followed, if it is in the folder.

    Returns:
        ``None`` where it leads out of the folder, or to no ordinary file.
    """
    plain = find_relative(relative)
    if plain is None:
        return None
    try:
        root = folder.resolve(strict=True)
        path = (root / plain).resolve(strict=True)
        is_file = path.is_file()
    # A path of a project that others made: too long, in circles, half characters.
    except (OSError, ValueError, RuntimeError):
        return None
    return path if is_file and path.is_relative_to(root) else None


class ImageColumn:
    """Takes pictures out of the rows of a file, and looks whether they are there.

    Args:
        reading: names the file, in whose folder pictures are; gets the notes.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._folder = image_folder(reading.source)
        self._is_plain = lru_cache(maxsize=1000)(self._is_plain_folder)
        self._n_found = 0
        self._missing: list[str] = []
        self._outside: list[str] = []
        self._n_missing = self._n_outside = self._n_addresses = 0

    def take(self, record: Record) -> str:
        """Take out where a document's picture is; what is no such path stays among the fields."""
        header = record.roles.get("image", "")
        text = record.values.get(header, "")
        if not text:
            return ""
        relative = find_relative(text)
        if relative is not None and self._folder is not None and self._count(relative):
            del record.values[header]
            return relative
        if is_address(text):
            self._n_addresses += 1
        elif (relative is None or self._folder is None) and text[0] not in "[{":
            self._note_outside(text)
        return ""

    def _count(self, relative: str) -> bool:
        """Count a path as found, missing or outside; ``False`` if it is no picture's."""
        assert self._folder is not None
        # Not by pathlib, which takes five times as long: there may be a million.
        path = f"{self._folder}/{relative}"
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):
            mode = 0
        if not mode:
            is_named_so = relative.lower().endswith(IMAGE_ENDINGS)
            self._n_missing += is_named_so
            if is_named_so and len(self._missing) < _N_NAMED:
                self._missing.append(relative)
            return is_named_so
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            return False
        is_direct = stat.S_ISREG(mode) and self._is_plain(path.rpartition("/")[0])
        if is_direct or find_inside(self._folder, relative):
            self._n_found += 1
            return True
        self._note_outside(relative)
        return False

    def _is_plain_folder(self, path: str) -> bool:
        """Whether no link on the way leads out of the folder."""
        assert self._folder is not None
        return Path(os.path.realpath(path)).is_relative_to(self._folder.resolve())

    def _note_outside(self, text: str) -> None:
        self._n_outside += 1
        if len(self._outside) < _N_NAMED:
            self._outside.append(text[:60])

    def note(self) -> None:
        """Say how many pictures were found, and what became of the others."""
        notes = self._reading.notes
        n_kept = self._n_found + self._n_missing
        if self._n_missing:
            some = some_of(self._missing, self._n_missing)
            missing = number_of(
                self._n_missing,
                "{n} of {images} is missing from the file’s folder ({some}); it is shown once it is "
                "there.",
                "{n} of {images} are missing from the file’s folder ({some}); they are shown once "
                "they are there.",
                images=number_of(n_kept, "{n} image", "{n} images"),
                some=some,
            )
            notes.append(missing)
        else:
            note_number(
                notes,
                n_kept,
                "{n} image is there, in the file’s folder.",
                "{n} images are there, in the file’s folder.",
            )
        if self._n_outside:
            given = (self._n_outside, *(_NO_FOLDER if self._folder is None else _OUTSIDE))
            some = some_of(self._outside, self._n_outside)
            note_number(notes, *given, some=some)
        note_number(
            notes,
            self._n_addresses,
            "{n} image is an address, kept as text only: judgetool fetches nothing.",
            "{n} images are addresses, kept as text only: judgetool fetches nothing.",
        )


_NO_FOLDER = NN_(
    "{n} image cannot be looked for, as what was read is no file in a folder ({some}); kept as text "
    "only.",
    "{n} images cannot be looked for, as what was read is no file in a folder ({some}); kept as text "
    "only.",
)
_OUTSIDE = NN_(
    "{n} image stands outside of the file’s folder ({some}); kept as text only.",
    "{n} images stand outside of the file’s folder ({some}); kept as text only.",
)


def image_folder(source: str) -> Path | None:
    """Return the folder in which a file's pictures are: its own; ``None`` for what is no file."""
    path = Path(source)
    try:
        if path.is_dir():
            return path.absolute()
        return path.absolute().parent if path.is_file() else None
    except (OSError, ValueError):
        return None
