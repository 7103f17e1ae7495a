"""A document's picture: how large it is at once, its pixels from a worker; small ones for cards."""

import os
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader

from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.session import Session

# More pixels than any screen shows at once would only fill the memory.
_MOST_PIXELS = 60_000_000
_MOST_MB = 300
# Some 50 kB each; more than a long list shows while one scrolls through it.
_MOST_THUMBS = 240
_NOT_YET = QImage()
_PNG = b"\x89PNG\r\n\x1a\n"
# Of more it is not looked at where the last one is.
_MOST_CHUNKS = 20_000


class Picture(NamedTuple):
    """A picture as the page has room for it.

    Attributes:
        name: as the project writes it.
        path: of the file; ``None`` where it is not to be had.
        width: in px, 0 where there is none to show.
        height: likewise.
        is_broken: whether its file is there, and holds no picture that can be shown.
    """

    name: str
    path: Path | None = None
    width: int = 0
    height: int = 0
    is_broken: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether there is something to paint."""
        return self.path is not None and self.width > 0

    @property
    def key(self) -> str:
        """By what the page knows it: the file at this size."""
        return f"{self.path}:{self.width}×{self.height}"


def measure_picture(
    name: str, path: Path | None, *, room: QSize, is_broken: bool = False
) -> Picture:
    """Return a picture scaled down to the room; only the head of the file is read.

    Args:
        name: as the project writes it.
        path: of the file; ``None`` when it was not found.
        room: the most that the page has for it, in px.
        is_broken: whether it was found, and is known to be no picture.

    Returns:
        One that is not shown when the file holds no picture, or one of over 60 million
        pixels.
    """
    if path is None:
        return Picture(name, is_broken=is_broken)
    if _is_cut_png(path):
        return Picture(name, is_broken=True)
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if _is_turned(reader):
        size.transpose()
    if size.isEmpty() or size.width() * size.height() > _MOST_PIXELS:
        return Picture(name, is_broken=True)
    if size.width() > room.width() or size.height() > room.height():
        size = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
    return Picture(name, path, max(1, size.width()), max(1, size.height()))


def _is_cut_png(path: Path) -> bool:
    """Whether a PNG ends before its last chunk: libpng would write to the terminal of it."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(_PNG)) != _PNG:
            return False
        for _chunk in range(_MOST_CHUNKS):
            head = file.read(8)
            if len(head) < 8:
                return True
            if head[4:] == b"IEND":
                return False
            # Behind its bytes stands their checksum.
            file.seek(int.from_bytes(head[:4]) + 4, os.SEEK_CUR)
    return False


def _is_turned(reader: QImageReader) -> bool:
    quarter = QImageIOHandler.Transformation.TransformationRotate90
    return bool(reader.transformation() & quarter)


def read_picture(picture: Picture, *, ratio: float) -> QImage:
    """Return a picture's pixels, so many device pixels for each px; empty when they cannot be read."""
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


def find_picture_file(session: Session, document: int) -> tuple[Path | None, bool]:
    """Return the file of a document's picture, and whether there is one that cannot be shown.

    ``None`` where none may be.
    """
    # With it come the readers of all formats, which the first window can do without.
    from judgetool.session.reading_aids import look_for_image  # noqa: PLC0415 - when it is first needed

    return look_for_image(session, document)


class Thumbs(QObject):
    """Small pictures of documents, read one after the other on a worker, the last used kept.

    Signals:
        ready: number of a document whose picture has been read, or found not to be had.
    """

    ready = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = Jobs(self)
        self._job: JobHandle | None = None
        self._session: Session | None = None
        self._size = (0, 1.0)
        self._kept: OrderedDict[int, QImage | None] = OrderedDict()
        self._wanted: list[int] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._read_next)

    def forget(self) -> None:
        """Forget all: the project, its pictures or the room for them are others now."""
        self._timer.stop()
        self._kept.clear()
        self._wanted.clear()
        self._session = None
        if self._job is not None:
            self._job.drop()
            self._job = None

    def find(
        self, session: Session, document: int, *, side: int, ratio: float = 1.0
    ) -> QImage | None:
        """Return a document's picture, and have it read where it is not at hand.

        Args:
            session: the project.
            document: by the project's number.
            side: of the square that it has to fit, in px.
            ratio: device pixels for each px.

        Returns:
            An empty one until :attr:`ready` is sent; ``None`` where there is none to show.
        """
        if (session, (side, ratio)) != (self._session, self._size):
            self.forget()
            self._session, self._size = session, (side, ratio)
        if document not in self._kept:
            self._kept[document] = _NOT_YET
            self._wanted.append(document)
            self._timer.start()
            if len(self._kept) > _MOST_THUMBS:
                oldest, _ = self._kept.popitem(last=False)
                self._wanted = [each for each in self._wanted if each != oldest]
        self._kept.move_to_end(document)
        return self._kept[document]

    def _read_next(self) -> None:
        """Read the picture that was asked for last: it is the likeliest to be seen."""
        session = self._session
        if session is None or self._job is not None or not self._wanted:
            return
        document = self._wanted.pop()
        path, _is_broken = find_picture_file(session, document)
        if path is None:
            self._take(document, None)
            return
        side, ratio = self._size
        self._job = self._jobs.submit(
            lambda _handle: _read_small(path, side, ratio),
            partial(self._take, document),
            owner=self,
        )

    def _take(self, document: int, image: QImage | None) -> None:
        self._job = None
        if document in self._kept:
            self._kept[document] = image
            self.ready.emit(document)
        self._timer.start()


def _read_small(path: Path, side: int, ratio: float) -> QImage | None:
    picture = measure_picture(path.name, path, room=QSize(side, side))
    image = read_picture(picture, ratio=ratio) if picture.is_shown else QImage()
    if image.isNull():
        return None
    image.setDevicePixelRatio(image.width() / picture.width)
    return image
