"""A document's picture: how large it is at once, its pixels from a worker."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader

from judgetool.gui.jobs import Jobs

# More pixels than any screen shows at once would only fill the memory.
_MOST_PIXELS = 60_000_000
_MOST_MB = 300


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as the page has room for it.

    Attributes:
        name: as the project writes it.
        path: of the file; ``None`` where it is not to be had.
        width: in px, 0 where there is none to show.
        height: likewise.
    """

    name: str
    path: Path | None = None
    width: int = 0
    height: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether there is something to paint."""
        return self.path is not None and self.width > 0

    @property
    def key(self) -> str:
        """By what the page knows it: the file at this size."""
        return f"{self.path}:{self.width}×{self.height}"


def measure_picture(name: str, path: Path | None, *, room: QSize) -> Picture:
    """Return a picture scaled down to the room; only the head of the file is read.

    Args:
        name: as the project writes it.
        path: of the file; ``None`` when it was not found.
        room: the most that the page has for it, in px.

    Returns:
        One that is not shown when the file holds no picture, or one of over 60 million
        pixels.
    """
    if path is None:
        return Picture(name)
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if _is_turned(reader):
        size.transpose()
    if size.isEmpty() or size.width() * size.height() > _MOST_PIXELS:
        return Picture(name)
    if size.width() > room.width() or size.height() > room.height():
        size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
    return Picture(name, path, max(1, size.width()), max(1, size.height()))


def _is_turned(reader: QImageReader) -> bool:
    quarter = QImageIOHandler.Transformation.TransformationRotate90
    return bool(reader.transformation() & quarter)


class PictureLoader(QObject):
    """Reads pictures on a worker; a newer wish replaces the older one."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: Jobs | None = None

    def load(
        self, picture: Picture, on_done: Callable[[QImage], None], *, ratio: float = 1.0
    ) -> None:
        """Read a picture's pixels at its size.

        Args:
            picture: one that is shown.
            on_done: gets the image, on the GUI thread; an empty one when it could not be
                read.
            ratio: device pixels for each px.
        """
        if self._jobs is None:
            self._jobs = Jobs(self)
        self._jobs.submit(
            lambda _handle: read_picture(picture, ratio=ratio), on_done, key="picture", owner=self
        )


def read_picture(picture: Picture, *, ratio: float = 1.0) -> QImage:
    """Return a picture's pixels; an empty image when they cannot be read."""
    reader = QImageReader(str(picture.path))
    reader.setAutoTransform(True)
    QImageReader.setAllocationLimit(_MOST_MB)
    size = QSize(round(picture.width * ratio), round(picture.height * ratio))
    own = reader.size()
    if _is_turned(reader):
        own.transpose()
    if size.width() < own.width():
        # Before the picture is turned, as the reader counts.
        reader.setScaledSize(size.transposed() if _is_turned(reader) else size)
    return reader.read()
