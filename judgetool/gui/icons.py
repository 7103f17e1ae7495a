"""Lucide icons in the theme's inks, as pixmaps and ``QIcon``."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import Shiboken

from judgetool.core import override
from judgetool.gui.painting import painted_pixmap
from judgetool.gui.theme import current_theme, icon_svg

DEFAULT_PX = 16


@lru_cache(maxsize=256)
def icon_pixmap(name: str, colour: str, px: int, *, ratio: float = 1.0) -> QPixmap:
    """Return an icon in one ink; kept, so cheap to ask for in ``paintEvent``.

    Args:
        name: Lucide's name, such as ``flag``.
        colour: the ink, as ``#rrggbb``.
        px: width and height in logical px.
        ratio: device pixel ratio of what it is painted on.

    Raises:
        ResourceMissingError: the icon is missing.
    """
    drawing, place = QSvgRenderer(QByteArray(icon_svg(name, colour))), QRectF(0, 0, px, px)
    return painted_pixmap(px, px, ratio, lambda painter: drawing.render(painter, place))


def draw_icon(
    painter: QPainter, rect: QRectF, *, name: str, colour: QColor, px: int = DEFAULT_PX
) -> None:
    """Paint an icon into the middle of a rectangle, on whole device pixels."""
    ratio = painter.device().devicePixelRatio()
    corner = rect.center() - QPointF(px / 2, px / 2)
    aligned = QPointF(round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio)
    painter.drawPixmap(aligned, icon_pixmap(name, colour.name(), px, ratio=ratio))


class _ThemedIcon(QIconEngine):
    """Draws an icon in the inks of the theme that holds when it is painted."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    @staticmethod
    def _ink(mode: QIcon.Mode) -> QColor:
        theme = current_theme()
        return {
            QIcon.Mode.Active: theme.text2,
            QIcon.Mode.Selected: theme.text,
            QIcon.Mode.Disabled: theme.disabled,
        }.get(mode, theme.text3)

    @override
    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        px = min(rect.width(), rect.height())
        draw_icon(painter, QRectF(rect), name=self._name, colour=self._ink(mode), px=px)

    @override
    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        # Asked for in device pixels; Qt says of how many to the px.
        px = min(size.width(), size.height())
        return QPixmap(icon_pixmap(self._name, self._ink(mode).name(), px))

    @override
    def clone(self) -> QIconEngine:
        engine = _ThemedIcon(self._name)
        # Whoever clones owns the clone, but Python would take it away: an icon that is never
        # taken away itself makes it Qt's.
        Shiboken.invalidate(QIcon(engine))
        return engine


def themed_icon(name: str) -> QIcon:
    """Return an icon for a button or menu: text3 at rest, text2 under the pointer.

    It follows the theme by itself.

    Raises:
        ResourceMissingError: the icon is missing.
    """
    icon_svg(name, "")
    return QIcon(_ThemedIcon(name))
