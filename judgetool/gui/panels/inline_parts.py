"""Key caps, icons and pictures that stand in running text."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QPainter,
    QPixmap,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, metrics
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_key_cap, key_cap_size
from judgetool.gui.theme import Theme, current_theme

_KEY_CAP = int(QTextFormat.ObjectTypes.UserObject) + 1
_ICON = int(QTextFormat.ObjectTypes.UserObject) + 2
_PICTURE = int(QTextFormat.ObjectTypes.UserObject) + 3
_NAME = int(QTextFormat.Property.UserProperty) + 1
_WIDTH = int(QTextFormat.Property.UserProperty) + 2
_HEIGHT = int(QTextFormat.Property.UserProperty) + 3
_PX = 16
_MOST_PICTURES = 4
_USUAL_KEYS = {"judge.cannot": "X", "judge.skip": "S", "judge.note": "E"}
# Qt puts an object where this character has a format that names the object's type.
_OBJECT = "\ufffc"


class InlineParts(QPyTextObject):
    """Paints key caps, icons and pictures in a ``QTextDocument``; nothing else.

    Attributes:
        theme: the colours; ``None`` takes the window's.
        keys: of the actions that are named in texts, by the action's name.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.theme: Theme | None = None
        self.keys = dict(_USUAL_KEYS)
        self._pictures: dict[str, QPixmap] = {}

    def set_keys(self, find_key: Callable[[str], str]) -> bool:
        """Take a person's keys from now on; return whether they are others than before."""
        before, self.keys = self.keys, {name: find_key(name) for name in _USUAL_KEYS}
        return self.keys != before

    def install(self, document: QTextDocument) -> None:
        """Let a document paint what the ``insert_`` methods insert."""
        for kind in (_KEY_CAP, _ICON, _PICTURE):
            document.documentLayout().registerHandler(kind, self)

    @staticmethod
    def insert_key(cursor: QTextCursor, name: str) -> None:
        """Insert a key cap with a key's name on it."""
        _insert(cursor, _KEY_CAP, name)

    @staticmethod
    def insert_icon(cursor: QTextCursor, name: str) -> None:
        """Insert an icon by its Lucide name."""
        _insert(cursor, _ICON, name)

    @staticmethod
    def insert_picture(cursor: QTextCursor, name: str, width: int, height: int) -> None:
        """Insert room for a picture; what :meth:`set_picture` gives is painted there."""
        _insert(cursor, _PICTURE, name, width=width, height=height)

    def set_picture(self, name: str, picture: QPixmap) -> None:
        """Paint this picture wherever its name is inserted; the last few are kept."""
        self._pictures.pop(name, None)
        self._pictures[name] = picture
        while len(self._pictures) > _MOST_PICTURES:
            del self._pictures[next(iter(self._pictures))]

    def has_picture(self, name: str) -> bool:
        """Whether a picture of this name is at hand."""
        return name in self._pictures

    @override
    def intrinsicSize(self, _document: QTextDocument, _place: int, kind: QTextFormat) -> QSizeF:
        """Return the size of a part."""
        if kind.objectType() == _PICTURE:
            return QSizeF(kind.intProperty(_WIDTH), kind.intProperty(_HEIGHT))
        if kind.objectType() == _KEY_CAP:
            return QSizeF(*key_cap_size(str(kind.property(_NAME))))
        return QSizeF(_PX, metrics(Role.UI).ascent())

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        _document: QTextDocument,
        _place: int,
        kind: QTextFormat,
    ) -> None:
        """Paint a part, moved down from the baseline to the middle of the text."""
        rect = QRectF(rect)
        name, theme = str(kind.property(_NAME)), self.theme or current_theme()
        if kind.objectType() == _PICTURE:
            self._draw_picture(painter, rect, theme, name)
            return
        face = metrics(Role.UI)
        middle = rect.bottom() - (face.ascent() - face.descent()) / 2
        place = QRectF(rect.left(), round(middle - rect.height() / 2), rect.width(), rect.height())
        painter.save()
        if kind.objectType() == _KEY_CAP:
            draw_key_cap(painter, place, theme, text=name)
        else:
            draw_icon(painter, place, name=name, colour=theme.text3, px=_PX)
        painter.restore()

    def _draw_picture(self, painter: QPainter, rect: QRectF, theme: Theme, name: str) -> None:
        picture = self._pictures.get(name)
        if picture is None:
            painter.fillRect(rect, theme.sunken)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(rect, picture, QRectF(picture.rect()))
        painter.restore()


def _insert(cursor: QTextCursor, kind: int, name: str, *, width: int = 0, height: int = 0) -> None:
    own = QTextCharFormat()
    own.setObjectType(kind)
    own.setProperty(_NAME, name)
    if width:
        own.setProperty(_WIDTH, width)
        own.setProperty(_HEIGHT, height)
    cursor.insertText(_OBJECT, own)
