"""Lucide icons in the theme's inks, as pixmaps and ``QIcon``."""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from judgetool.gui.theme import Theme, icon_svg

DEFAULT_PX = 16


@lru_cache(maxsize=256)
def _pixmap(name: str, colour: str, px: int, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(px * ratio), round(px * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(icon_svg(name, colour))).render(painter)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def icon_pixmap(name: str, colour: QColor, *, px: int = DEFAULT_PX, ratio: float = 1.0) -> QPixmap:
    """Return an icon in one ink; kept, so cheap to ask for in ``paintEvent``.

    Args:
        name: Lucide's name, such as ``flag``.
        colour: the ink.
        px: width and height in logical px.
        ratio: device pixel ratio of what it is painted on.

    Raises:
        ResourceMissingError: the icon is missing.
    """
    return _pixmap(name, colour.name(), px, ratio)


def draw_icon(
    painter: QPainter, rect: QRectF, *, name: str, colour: QColor, px: int = DEFAULT_PX
) -> None:
    """Paint an icon into the middle of a rectangle, on whole device pixels."""
    ratio = painter.device().devicePixelRatio()
    corner = rect.center() - QPointF(px / 2, px / 2)
    aligned = QPointF(round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio)
    painter.drawPixmap(aligned, icon_pixmap(name, colour, px=px, ratio=ratio))


def themed_icon(name: str, theme: Theme, *, px: int = DEFAULT_PX) -> QIcon:
    """Return an icon for a button or menu: text3 at rest, text2 under the pointer.

    Build it again on ``QEvent.Type.PaletteChange``.

    Raises:
        ResourceMissingError: the icon is missing.
    """
    icon = QIcon()
    modes = (
        (QIcon.Mode.Normal, theme.text3),
        (QIcon.Mode.Active, theme.text2),
        (QIcon.Mode.Selected, theme.text),
        (QIcon.Mode.Disabled, theme.disabled),
    )
    for mode, colour in modes:
        for ratio in (1.0, 2.0):
            icon.addPixmap(icon_pixmap(name, colour, px=px, ratio=ratio), mode)
    return icon


def icon_size(px: int = DEFAULT_PX) -> QSize:
    """Return the size of an icon for ``setIconSize``."""
    return QSize(px, px)
