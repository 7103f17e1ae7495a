"""The chosen measure after each step of this session, as a step line over its interval."""

from bisect import bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled
from judgetool.gui.number_text import format_change, format_value
from judgetool.gui.painting import draw_line, draw_step_line, draw_text
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import Panel
from judgetool.gui.widgets.section import Section, SectionHeader

INSET = 14
_LEAST_SPAN = 0.05


@dataclass(frozen=True, slots=True)
class SessionPoint:
    """The measure after one step: a judgment, a flag, an undo.

    Attributes:
        value: then; ``None`` when undefined.
        low: least that the unjudged could have left it.
        high: most that they could have made it.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class SessionChart(Panel):
    """Step after step, newest at the right; the tooltip says the numbers.

    The height of the scale follows the values with some room, so that small changes
    are seen; both ends of what is drawn are in the description.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[SessionPoint, ...] = ()
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def points(self) -> tuple[SessionPoint, ...]:
        """What is shown."""
        return self._points

    def set_points(self, points: tuple[SessionPoint, ...], *, name: str) -> None:
        """Show other values.

        Args:
            points: the value at the start, then after each step.
            name: of the measure.
        """
        self._points = points
        self._name = name
        self.setAccessibleName(self.in_words())
        self.update()

    def in_words(self) -> str:
        """Return what the chart shows as a sentence with its numbers."""
        values = [point.value for point in self._points if point.value is not None]
        if not values:
            return f"{self._name} in this session: nothing yet"
        change = format_change(values[-1] - values[0])
        n_steps = len(self._points) - 1
        return (
            f"{self._name} in this session, {n_steps} {'step' if n_steps == 1 else 'steps'}: "
            f"from {format_value(values[0])} to {format_value(values[-1])} ({change})"
        )

    def point_in_words(self, place: int) -> str:
        """Return one step as its tooltip says it."""
        point = self._points[place]
        when = "at the start" if place == 0 else f"after step {place}"
        text = f"{self._name} {when}: {format_value(point.value)}"
        if point.low is not None and point.high is not None:
            text += f", between {format_value(point.low)} and {format_value(point.high)}"
        return text

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which steps are told apart."""
        return QSize(312, scaled(44))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the line is seen."""
        return QSize(150, scaled(40))

    def _plot(self) -> QRectF:
        return QRectF(self.rect()).adjusted(INSET, 4, -INSET, -scaled(12))

    @override
    def event(self, event: QEvent) -> bool:
        """Show the tooltip of what is under the pointer."""
        if isinstance(event, QHelpEvent):
            plot = self._plot()
            share = (event.pos().x() - plot.left()) / max(1.0, plot.width())
            text = ""
            if self._points and 0 <= share <= 1:
                place = min(len(self._points) - 1, int(share * len(self._points)))
                text = self.point_in_words(place)
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)

    @override
    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint band, line and axis."""
        super().paint(painter, exposed)
        plot = self._plot()
        draw_line(painter, plot.adjusted(0, 0, 0, scaled(6)), self.theme.line)
        shown = [point for point in self._points if point.value is not None]
        if shown:
            self._paint_steps(painter, plot)
        else:
            place = QRectF(plot.left(), plot.top(), plot.width(), line_height(Role.META))
            text = "The first judgment starts the line."
            draw_text(painter, place, text, role=Role.META, colour=self.theme.text3)

    def _range(self) -> tuple[float, float]:
        seen = [
            number
            for point in self._points
            for number in (point.value, point.low, point.high)
            if number is not None
        ]
        low, high = min(seen), max(seen)
        missing = max(0.0, _LEAST_SPAN - (high - low))
        return low - missing / 2, high + missing / 2

    def _paint_steps(self, painter: QPainter, plot: QRectF) -> None:
        low, high = self._range()
        width = plot.width() / len(self._points)

        def height_of(value: float) -> int:
            # Whole pixels, so that every run of the line is equally strong.
            return round(plot.bottom() - (value - low) / (high - low) * plot.height())

        lines: list[list[QPointF]] = [[]]
        for place in self._places(plot):
            point, left = self._points[place], plot.left() + place * width
            if point.value is None:
                lines.append([])
                continue
            least = point.value if point.low is None else point.low
            most = point.value if point.high is None else point.high
            top = height_of(most)
            band = QRectF(left, top, width + 0.5, height_of(least) - top)
            painter.fillRect(band, self.theme.selected)
            lines[-1].append(QPointF(left, height_of(point.value)))
            lines[-1].append(QPointF(left + width, height_of(point.value)))
        for line in lines:
            draw_step_line(painter, line, self.theme.accent, 2.0)

    def _places(self, plot: QRectF) -> list[int]:
        """Return which points to draw: all, or one per pixel where there are more."""
        count, pixels = len(self._points), max(1, int(plot.width()))
        if count <= pixels:
            return list(range(count))
        edges = [(at + 1) * count // pixels - 1 for at in range(pixels)]
        return edges[: bisect_right(edges, count - 1)]


def session_section(chart: SessionChart) -> Section:
    """Return the chart under a header that folds it."""
    return Section(SectionHeader("This session", side="after each step"), chart)
