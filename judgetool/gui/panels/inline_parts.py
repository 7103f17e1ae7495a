"""Key caps and icons that stand in running text."""

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QPainter,
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
from judgetool.gui.theme import current_theme

_KEY_CAP = int(QTextFormat.ObjectTypes.UserObject) + 1
_ICON = int(QTextFormat.ObjectTypes.UserObject) + 2
_NAME = int(QTextFormat.Property.UserProperty) + 1
_PX = 16
# Qt puts an object where this character has a format that names the object's type.
_OBJECT = "\ufffc"


class InlineParts(QPyTextObject):
    """Paints key caps and icons in a ``QTextDocument``; other objects are not painted."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def install(self, document: QTextDocument) -> None:
        """Let a document paint what :meth:`insert_key` and :meth:`insert_icon` insert."""
        for kind in (_KEY_CAP, _ICON):
            document.documentLayout().registerHandler(kind, self)

    @staticmethod
    def insert_key(cursor: QTextCursor, name: str) -> None:
        """Insert a key cap."""
        _insert(cursor, _KEY_CAP, name)

    @staticmethod
    def insert_icon(cursor: QTextCursor, name: str) -> None:
        """Insert an icon by its Lucide name."""
        _insert(cursor, _ICON, name)

    @override
    def intrinsicSize(self, _document: QTextDocument, _place: int, kind: QTextFormat) -> QSizeF:
        """Return the size of a part."""
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
        name, theme = str(kind.property(_NAME)), current_theme()
        face = metrics(Role.UI)
        middle = rect.bottom() - (face.ascent() - face.descent()) / 2
        place = QRectF(rect.left(), round(middle - rect.height() / 2), rect.width(), rect.height())
        painter.save()
        if kind.objectType() == _KEY_CAP:
            draw_key_cap(painter, place, theme, text=name)
        else:
            draw_icon(painter, place, name=name, colour=theme.text3, px=_PX)
        painter.restore()


def _insert(cursor: QTextCursor, kind: int, name: str) -> None:
    own = QTextCharFormat()
    own.setObjectType(kind)
    own.setProperty(_NAME, name)
    cursor.insertText(_OBJECT, own)
