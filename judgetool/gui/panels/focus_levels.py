"""What each level of the scale means, highest first."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.fonts import Role, font, line_height, metrics, scaled
from judgetool.gui.grade_painting import draw_symbol
from judgetool.gui.grade_style import scale_styles
from judgetool.gui.painting import draw_text, start_align
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

_INDENT, _SYMBOL, _GAP = 16, 16, 10
_BETWEEN = 16
_NO_DEFINITION = "No definition is given."
_WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)


class LevelMeanings(PaintedWidget):
    """Symbol, name and definition of each level."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: Scale | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_scale(self, scale: Scale | None) -> None:
        """Show the levels of a scale, or none."""
        self._scale = scale
        self._describe()
        self._fit()
        self.update()

    def _describe(self) -> None:
        levels = self._scale.levels if self._scale is not None else ()
        self.setAccessibleName(". ".join(f"{e.name}: {e.definition}" for e in reversed(levels)))

    @property
    def _left(self) -> int:
        return scaled(_INDENT + _SYMBOL + _GAP)

    def _heights(self) -> list[int]:
        """Return the height of each definition, highest level first."""
        if self._scale is None:
            return []
        room = max(40, self.width() - self._left - scaled(12))
        face = metrics(Role.META)
        texts = (level.definition or _NO_DEFINITION for level in reversed(self._scale.levels))
        area = QRectF(0, 0, room, 10_000).toRect()
        return [face.boundingRect(area, _WRAPPED, text).height() for text in texts]

    def _fit(self) -> None:
        name = line_height(Role.UI)
        total = sum(name + height + scaled(_BETWEEN) for height in self._heights())
        self.setFixedHeight(total + scaled(4))

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the levels need."""
        return QSize(scaled(240), self.height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self._fit()

    @override
    def relayout(self) -> None:
        """Measure anew after a change of font."""
        self._fit()
        super().relayout()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the levels one under the other."""
        if self._scale is None:
            return
        painter, theme = QPainter(self), self.theme
        align = start_align(self.layoutDirection())
        styles = reversed(scale_styles(self._scale, theme))
        top, name = float(scaled(2)), line_height(Role.UI)
        rows = zip(reversed(self._scale.levels), styles, self._heights(), strict=True)
        for level, style, height in rows:
            size = scaled(_SYMBOL)
            square = QRectF(scaled(_INDENT), top + (name - size) / 2, size, size)
            draw_symbol(painter, mirrored(self, square), style)
            room = self.width() - self._left - scaled(12)
            place = mirrored(self, QRectF(self._left, top, room, name))
            draw_text(
                painter, place, level.name, role=Role.UI_STRONG, colour=theme.text, align=align
            )
            text = mirrored(self, QRectF(self._left, top + name, room, height))
            painter.setFont(font(Role.META))
            painter.setPen(theme.text2)
            painter.drawText(text, _WRAPPED, level.definition or _NO_DEFINITION)
            top += name + height + scaled(_BETWEEN)
        painter.end()
