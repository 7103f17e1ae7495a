"""Small painted charts: the course of a session, bars by grade, lines between two orders."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.gui.painting import (
    GradeStyle,
    chip_width,
    draw_line,
    draw_text,
    format_change,
    format_value,
)
from judgetool.gui.theme import Role, Theme, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import Section, SectionHeader
from judgetool.gui.widgets.labels import (
    Align,
    ChipPart,
    Look,
    Places,
    Row,
    TextPart,
    TrackPart,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import Panel
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.wording import _

PLAIN, STRONG = 1.5, 2.5


def draw_slope(
    painter: QPainter, start: QPointF, end: QPointF, colour: QColor, *, width: float = PLAIN
) -> None:
    """Draw one line, level at both ends; the caller has set smooth edges.

    Args:
        painter: any.
        start: at the one order.
        end: at the other.
        colour: of the line.
        width: in px.
    """
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if start.y() == end.y():
        painter.drawLine(start, end)
        return
    bend = (end.x() - start.x()) * 0.5
    path = QPainterPath(start)
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    painter.drawPath(path)


def draw_slope_end(painter: QPainter, at: QPointF, colour: QColor, *, ground: QColor) -> None:
    """Draw the ring at which a line ends over a slot; the caller has set smooth edges."""
    painter.setPen(QPen(colour, 2.0))
    painter.setBrush(ground)
    painter.drawEllipse(at, 4.0, 4.0)


_GAP = 2


def draw_histogram(
    painter: QPainter, rect: QRectF, theme: Theme, bars: Sequence[tuple[int, QColor]]
) -> None:
    """Draw a bar for each count, as high as its share of the greatest.

    Args:
        painter: on anything.
        rect: the room; bars stand on its bottom.
        theme: the colours of what is empty.
        bars: count and ink of each.
    """
    most = max((count for count, __ in bars), default=0)
    width = (rect.width() + _GAP) / max(1, len(bars)) - _GAP
    for place, (count, ink) in enumerate(bars):
        left = rect.left() + place * (width + _GAP)
        painter.fillRect(QRectF(left, rect.bottom() - 1, width, 1), theme.line_strong)
        height = round((rect.height() - 1) * count / most) if most else 0
        # What was given at all is seen, however rare.
        height = max(height, 2) if count else 0
        painter.fillRect(QRectF(left, rect.bottom() - height, width, height), ink)


class BarRow(NamedTuple):
    """One bar lying on its side.

    Attributes:
        name: at the start.
        share: how long it is, 0 to 1.
        text: at the end.
        style: of the grade that it is of: its chip before the name, its ink in the bar;
            ``None`` for none.
    """

    name: str
    share: float
    text: str
    style: GradeStyle | None = None


class _InkBar(NamedTuple):
    """A bar of a share of its place, 10 px high, in a grade's ink."""

    share: float
    colour: QColor

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill it, from where lines begin."""
        width = rect.width() * self.share
        left = rect.right() - width if look.is_mirrored else rect.left()
        painter.fillRect(QRectF(left, rect.center().y() - 5, width, 10), self.colour)


class BarRows(RowView[BarRow]):
    """Names, bars and numbers in rows, which are read alone.

    Args:
        name: of the rows, for readers.
        role: of names and numbers.
        height: of a row, in px at a 13 px font; 0 for that of a line.
    """

    def __init__(self, name: str = "", *, role: Role = Role.META, height: int = 0) -> None:
        self._name, self._role, self._least = name, role, height
        super().__init__("", self._bar, self._places, height=self._line, ground=Ground.PANEL)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.viewport().setAutoFillBackground(False)
        self.be_whole()

    @override
    def set_rows(self, values: Sequence[BarRow]) -> None:
        """Show other rows."""
        said = "; ".join(f"{row.name}: {row.text}" for row in values)
        self.setAccessibleName(f"{self._name}: {said}" if self._name else said)
        super().set_rows(values)

    def _line(self) -> int:
        return max(line_height(self._role) + scaled(4), scaled(self._least))

    def _bar(self, row: BarRow) -> Row:
        name = TextPart(row.name, self._role, "text2")
        text = TextPart(row.text, self._role, align=Align.END)
        if row.style is None:
            return Row(None, (None, name, TrackPart(row.share), text))
        return Row(None, (ChipPart(row.style), name, _InkBar(row.share, row.style.ink), text))

    def _places(self, width: int, rows: Sequence[Row]) -> Places:
        """Return the places of chip, name, bar and number: the bar takes what texts leave."""
        widths = []
        for at in (1, 3):
            texts = (part.text for row in rows if isinstance(part := row.parts[at], TextPart))
            widths.append(max((text_width(self._role, text) for text in texts), default=0))
        styles = [row.style for row in self.rows if row.style is not None]
        left = chip_width(styles) + scaled(10) if styles else 0
        names, numbers = min(widths[0], width * 0.42) + scaled(8), widths[1] + scaled(8)
        height = self._line()
        return (
            QRectF(0, 0, left, height),
            QRectF(left, 0, names, height),
            QRectF(left + names, 0, max(0, width - left - names - numbers), height),
            QRectF(width - numbers, 0, numbers, height),
        )


INSET = 14
_LEAST_SPAN = 0.05


# Left and right of steps of the same height, and where their most, value and least stand.
_Run = tuple[float, float, tuple[int, ...]]


class SessionPoint(NamedTuple):
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

    Attributes:
        points: what is shown.
    """

    heard_as = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.points: tuple[SessionPoint, ...] = ()
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_points(self, points: tuple[SessionPoint, ...], *, name: str) -> None:
        """Show other values.

        Args:
            points: the value at the start, then after each step.
            name: of the measure.
        """
        self.points = points
        self._name = name
        self.setAccessibleName(self.in_words())
        self.update()

    def in_words(self) -> str:
        """Return what the chart shows as a sentence with its numbers."""
        values = [point.value for point in self.points if point.value is not None]
        if not values:
            return _("{name} in this session: nothing yet").format(name=self._name)
        change = format_change(values[-1] - values[0])
        n_steps = len(self.points) - 1
        return number_of(
            n_steps,
            "{name} in this session, {n} step: from {first} to {last} ({change})",
            "{name} in this session, {n} steps: from {first} to {last} ({change})",
            name=self._name,
            first=format_value(values[0]),
            last=format_value(values[-1]),
            change=change,
        )

    def point_in_words(self, place: int) -> str:
        """Return one step as its tooltip says it."""
        point = self.points[place]
        when = _("at the start") if place == 0 else _("after step {place}").format(place=place)
        text = f"{self._name} {when}: {format_value(point.value)}"
        if point.low is not None and point.high is not None:
            low, high = format_value(point.low), format_value(point.high)
            text += f", {_('between {low} and {high}').format(low=low, high=high)}"
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
            if self.points and 0 <= share <= 1:
                place = min(len(self.points) - 1, int(share * len(self.points)))
                text = self.point_in_words(place)
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint band, line and axis."""
        super().draw(painter, exposed)
        plot = self._plot()
        draw_line(painter, plot.adjusted(0, 0, 0, scaled(6)), self.theme.line)
        shown = [point for point in self.points if point.value is not None]
        if shown:
            self._paint_steps(painter, plot)
        else:
            place = QRectF(plot.left(), plot.top(), plot.width(), line_height(Role.META))
            text = _("The first judgment starts the line.")
            draw_text(painter, place, text, role=Role.META, colour=self.theme.text3)

    def _range(self) -> tuple[float, float]:
        seen = [
            number
            for point in self.points
            for number in (point.value, point.low, point.high)
            if number is not None
        ]
        low, high = min(seen), max(seen)
        missing = max(0.0, _LEAST_SPAN - (high - low))
        return low - missing / 2, high + missing / 2

    def _paint_steps(self, painter: QPainter, plot: QRectF) -> None:
        ground = self.theme.selected
        for line in self._lines(plot):
            points = []
            for left, right, (most, value, least) in line:
                painter.fillRect(QRectF(left, most, right - left + 0.5, least - most), ground)
                points += [QPointF(left, value), QPointF(right, value)]
            _draw_step_line(painter, points, self.theme.accent)

    def _lines(self, plot: QRectF) -> list[list[_Run]]:
        """Return the runs of each line; an undefined value ends a line.

        It is painted at every key: steps of the same height beside each other are one run.
        """
        low, high = self._range()
        first, bottom, width = plot.left(), plot.bottom(), plot.width() / len(self.points)
        scale = plot.height() / (high - low)
        lines: list[list[_Run]] = [[]]
        for place in self._places(plot):
            value, least, most = self.points[place]
            if value is None:
                lines.append([])
                continue
            left, right = first + place * width, first + (place + 1) * width
            numbers = value if most is None else most, value, value if least is None else least
            # Whole pixels, so that every run of the line is equally strong.
            heights = tuple(round(bottom - (number - low) * scale) for number in numbers)
            if lines[-1] and lines[-1][-1][1:] == (left, heights):
                left = lines[-1].pop()[0]
            lines[-1].append((left, right, heights))
        return lines

    def _places(self, plot: QRectF) -> list[int]:
        """Return which points to draw: all, or one per pixel where there are more."""
        count, pixels = len(self.points), max(1, int(plot.width()))
        if count <= pixels:
            return list(range(count))
        edges = [(at + 1) * count // pixels - 1 for at in range(pixels)]
        return edges[: bisect_right(edges, count - 1)]


def session_section(chart: SessionChart) -> Section:
    """Return the chart under a header that folds it."""
    return Section(SectionHeader(_("This session"), side=_("after each step")), chart)


def _draw_step_line(painter: QPainter, points: list[QPointF], colour: QColor) -> None:
    """Draw horizontal runs joined by vertical steps, which stays fast with many points."""
    lines = [
        part
        for here, there in pairwise(points)
        for part in (
            QLineF(here, QPointF(there.x(), here.y())),
            QLineF(QPointF(there.x(), here.y()), there),
        )
    ]
    painter.save()
    pen = QPen(colour, 2.0)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    painter.setPen(pen)
    painter.drawLines(lines)
    painter.restore()
