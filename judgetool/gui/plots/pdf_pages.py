"""Pages of a printed document: what does not fit goes to the next one."""

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
)

from judgetool.gui.fonts import Role, font, line_height
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text
from judgetool.gui.theme import LIGHT

_MARGIN_MM = 16.0
_WRAP = int(Qt.TextFlag.TextWordWrap)


class PdfPages:
    """A painter that begins a new page where the last one is full.

    Lengths are px at the screen's resolution, so that all painting functions serve.

    Args:
        title: of the document, also at the foot of each page.
        is_wide: whether pages lie on their long side.

    Attributes:
        painter: on the page.
        theme: always light: paper is white.
        y: where the next part begins.
    """

    def __init__(self, title: str, *, is_wide: bool = False) -> None:
        self._content = QByteArray()
        self._buffer = QBuffer(self._content)
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._writer = QPdfWriter(self._buffer)
        turned = QPageLayout.Orientation.Landscape
        upright = QPageLayout.Orientation.Portrait
        margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
        self._writer.setPageLayout(
            QPageLayout(
                QPageSize(QPageSize.PageSizeId.A4),
                turned if is_wide else upright,
                margins,
                QPageLayout.Unit.Millimeter,
            )
        )
        self._writer.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInchY()))
        self._writer.setTitle(title)
        self._writer.setCreator("judgetool")
        self._title = title
        self.theme = LIGHT
        self.painter = QPainter(self._writer)
        self.y = 0.0
        self._number = 1
        self._foot()

    @property
    def width(self) -> float:
        """Width of a page between its margins."""
        return float(self._writer.width())

    @property
    def room(self) -> float:
        """Height that is left on the page."""
        return self._bottom - self.y

    @property
    def _bottom(self) -> float:
        return self._writer.height() - line_height(Role.SMALL) - 8.0

    def _foot(self) -> None:
        height = float(line_height(Role.SMALL))
        place = QRectF(0, self._writer.height() - height, self.width, height)
        ink = self.theme.text3
        draw_text(self.painter, place, self._title, role=Role.SMALL, colour=ink, align=LEFT)
        number = str(self._number)
        draw_text(self.painter, place, number, role=Role.SMALL, colour=ink, align=RIGHT)

    def need(self, height: float) -> None:
        """Begin a new page unless so much fits on this one; a page's whole height always fits."""
        if height > self.room and self.y > 0:
            self._writer.newPage()
            self._number += 1
            self.y = 0.0
            self._foot()

    def skip(self, height: float) -> None:
        """Leave room, but not at the top of a page."""
        if self.y > 0:
            self.y += height

    def take(self, height: float) -> QRectF:
        """Return the whole width of the page for a part of this height."""
        self.need(height)
        place = QRectF(0, self.y, self.width, height)
        self.y += height
        return place

    def heading(self, text: str, *, keeps: float = 80.0) -> None:
        """Write a heading, together with at least so much of what follows."""
        self.skip(18)
        self.need(line_height(Role.TITLE) + 8 + keeps)
        place = self.take(line_height(Role.TITLE) + 6)
        draw_text(self.painter, place, text, role=Role.TITLE, colour=self.theme.text, align=LEFT)

    def paragraph(self, text: str, *, role: Role = Role.UI, ink: str = "text2") -> None:
        """Write text that wraps."""
        bounds = QFontMetricsF(font(role)).boundingRect(
            QRectF(0, 0, self.width, 10_000), _WRAP, text
        )
        place = self.take(bounds.height() + 3)
        self.painter.setFont(font(role))
        self.painter.setPen(getattr(self.theme, ink))
        self.painter.drawText(place, _WRAP, text)

    def row(
        self,
        cells: Sequence[str],
        widths: Sequence[float],
        *,
        role: Role = Role.UI,
        ink: str = "text",
        has_line: bool = True,
    ) -> QRectF:
        """Write a row of a table; the first cell stands left, the others right.

        Args:
            cells: texts.
            widths: of the columns; those of the first and others together fill the page.
            role: how it is set.
            ink: name of the theme's colour.
            has_line: whether a line stands under it.
        """
        place = self.take(line_height(role) + 6)
        left = 0.0
        for column, (text, width) in enumerate(zip(cells, widths, strict=True)):
            cell = QRectF(left + (8 if column else 0), place.top(), width - 8, place.height())
            align = RIGHT if column else LEFT
            colour = getattr(self.theme, ink)
            draw_text(self.painter, cell, text, role=role, colour=colour, align=align)
            left += width
        if has_line:
            draw_line(self.painter, place, self.theme.line)
        return place

    def finish(self) -> bytes:
        """Return the document; nothing can be painted afterwards."""
        self.painter.end()
        self._buffer.close()
        return bytes(self._content.data())
