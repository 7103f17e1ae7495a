"""A chart on screen: pointer and keys walk its points, readers hear its numbers."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.number_text import format_value
from judgetool.gui.painting import LEFT, RIGHT, draw_focus_ring, draw_frame, draw_text, smooth
from judgetool.gui.plots.chart import Chart, Series
from judgetool.gui.plots.drawing import chart_frame, draw_chart
from judgetool.gui.plots.symbols import draw_point_symbol, series_ink, series_place
from judgetool.gui.widgets.painted import PaintedWidget

INSET = 8
_WIDEST_LABEL = 150


class ChartView(PaintedWidget):
    """Shows one chart; Left and Right, Home and End walk its points, Escape lets go of them.

    Signals:
        position_chosen: a position was clicked, or Enter was pressed at it.
    """

    position_chosen = Signal(float)

    def __init__(self, chart: Chart | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart = chart or Chart("", "", "")
        self._mark: float | None = None
        self._ground = "base"
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()

    @property
    def chart(self) -> Chart:
        """What is shown."""
        return self._chart

    @property
    def mark(self) -> float | None:
        """Position whose values are shown, or ``None``."""
        return self._mark

    def set_chart(self, chart: Chart) -> None:
        """Show another chart; the position that was looked at stays if it still has points."""
        if chart == self._chart:
            return
        self._chart = chart
        if self._mark is not None and self._mark not in chart.positions:
            self._mark = None
        self._describe()
        self.update()

    def set_ground(self, ground: str) -> None:
        """Stand on another ground of the theme, by its name."""
        self._ground = ground
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(self._chart.title)
        is_marked = self._mark is not None
        told = self._chart.point_in_words(self._mark or 0.0) if is_marked else ""
        self.setAccessibleDescription(told or self._chart.in_words())

    def set_mark(self, position: float | None) -> None:
        """Show the values at a position, or at none."""
        if position == self._mark:
            return
        self._mark = position
        self._describe()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which lines are told apart."""
        return QSize(scaled(360), scaled(220))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which something is seen."""
        return QSize(scaled(160), scaled(110))

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(INSET, INSET, -INSET, -INSET)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chart, and what is looked at over it."""
        painter = QPainter(self)
        ground = getattr(self.theme, self._ground)
        painter.fillRect(event.rect(), ground)
        draw_chart(painter, self._area(), self._chart, self.theme, ground=ground, mark=self._mark)
        if self._mark is not None:
            self._paint_values(painter, self._mark)
        if self.hasFocus():
            inside = QRectF(self.rect()).adjusted(3, 3, -3, -3)
            draw_focus_ring(painter, inside, self.theme, radius=4)
        painter.end()

    def _paint_values(self, painter: QPainter, mark: float) -> None:
        """Paint the box that says the values, on the side where there is more room."""
        frame = chart_frame(self._chart, self._area())
        if frame is None:
            return
        rows = [
            (which, each, value)
            for which, each in enumerate(self._chart.series)
            if (value := each.value_at(mark)) is not None
        ]
        head = f"{self._chart.x_label} {self._chart.x_text(mark)}"
        texts = [format_value(value, digits=self._chart.digits) for _, _, value in rows]
        line = line_height(Role.META) + 2
        wide = [
            min(text_width(Role.META, each.label), scaled(_WIDEST_LABEL))
            + text_width(Role.META, text)
            + scaled(34)
            for (_, each, _), text in zip(rows, texts, strict=True)
        ]
        width = min(max([*wide, text_width(Role.META, head)]) + 16, int(frame.plot.width()))
        height = line * (len(rows) + 1) + 10
        at = frame.x.at(mark)
        is_right = at < frame.plot.center().x()
        left = at + 10 if is_right else at - 10 - width
        left = max(2.0, min(left, self.width() - width - 2.0))
        top = max(2.0, min(frame.plot.top() + 6, self.height() - height - 2.0))
        box = QRectF(left, top, width, height)
        theme = self.theme
        draw_frame(painter, box, radius=5, border=theme.line_strong, ground=theme.raised)
        row = QRectF(box.left() + 8, box.top() + 5, box.width() - 16, line)
        draw_text(painter, row, head, role=Role.META, colour=theme.text3, align=LEFT)
        for (which, each, _), text in zip(rows, texts, strict=True):
            row.translate(0, line)
            self._paint_value(painter, row, each, which, text)

    def _paint_value(
        self, painter: QPainter, row: QRectF, each: Series, which: int, text: str
    ) -> None:
        theme = self.theme
        is_bar = each.kind in ("bars", "stack")
        place = 1 if is_bar else series_place(self._chart.series, which)
        ink = series_ink(theme, each, series_place(self._chart.series, which))
        with smooth(painter):
            at = QPointF(row.left() + 5, row.center().y())
            draw_point_symbol(painter, at, ink, place, ground=theme.raised)
        value_width = text_width(Role.META, text) + 2
        label = row.adjusted(16, 0, -value_width - 4, 0)
        draw_text(painter, label, each.label, role=Role.META, colour=theme.text2, align=LEFT)
        draw_text(painter, row, text, role=Role.META, colour=theme.text, align=RIGHT)

    def _nearest(self, left: float) -> float | None:
        frame = chart_frame(self._chart, self._area())
        if frame is None:
            return None
        return min(self._chart.positions, key=lambda x: abs(frame.x.at(x) - left))

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the values nearest to the pointer."""
        self.set_mark(self._nearest(event.position().x()))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the position under the pointer."""
        super().mousePressEvent(event)
        position = self._nearest(event.position().x())
        if position is not None and event.button() is Qt.MouseButton.LeftButton:
            self.set_mark(position)
            self.position_chosen.emit(position)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Let go of what was under the pointer."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self.set_mark(None)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the points."""
        positions = self._chart.positions
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape and self._mark is not None:
            self.set_mark(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._mark is not None:
            self.position_chosen.emit(self._mark)
        elif positions and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.set_mark(positions[0 if key is Qt.Key.Key_Home else -1])
        elif positions and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key is Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        positions = self._chart.positions
        if self._mark in positions:
            place = positions.index(self._mark) + by
            self.set_mark(positions[max(0, min(len(positions) - 1, place))])
        else:
            self.set_mark(positions[0 if by > 0 else -1])
