"""The values of an order that is tried: old → new, the change, and the interval of the change."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.number_text import MINUS, NO_CHANGE, format_change, format_value
from judgetool.gui.painting import (
    LEFT,
    RIGHT,
    change_width,
    draw_bar,
    draw_change,
    draw_row_focus,
    draw_text,
    draw_tick,
    draw_track,
)
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import PaintedWidget

_ROW = 35
_INSET = 12
_BAR = 9
_WIDEST_INTERVAL = f"within {MINUS}0.000 to +0.000"
_NARROW = 260
_GAP = 4
_SAME = 0.00005
ARROW = "→"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One measure before and after.

    Attributes:
        name: of the measure.
        old: the baseline's value; ``None`` where it is undefined.
        new: of the order that is shown or tried, likewise.
        change: new − old; ``None`` where both are undefined.
        low: least that the change can be once all is judged; ``None`` without an interval.
        high: most, likewise.
        is_exact: whether the interval cannot be narrower.
        least: least that the new value can be once all is judged; ``None`` if not known.
        most: most, likewise.
        range_low: the measure's lowest value.
        range_high: its highest.
    """

    name: str
    old: float | None
    new: float | None
    change: float | None
    low: float | None = None
    high: float | None = None
    is_exact: bool = True
    least: float | None = None
    most: float | None = None
    range_low: float = 0.0
    range_high: float = 1.0

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed that four decimals would show."""
        return self.old == self.new or (
            self.change is not None
            and abs(self.change) < _SAME
            and None not in (self.old, self.new)
        )

    @property
    def interval(self) -> str:
        """The interval of the change in words; ``same`` where there is none to speak of."""
        if self.low is None or self.high is None:
            return "same" if self.is_same else ""
        if self.high - self.low < _SAME:
            return "same" if self.is_same else f"exactly {_short(self.low)}"
        about = "" if self.is_exact else "within "
        return f"{about}{_short(self.low)} to {_short(self.high)}"

    def share(self, value: float) -> float:
        """Return where a value stands in the measure's range, 0 to 1."""
        room = self.range_high - self.range_low
        return (value - self.range_low) / room if room > 0 else 0.0

    @property
    def in_words(self) -> str:
        """The whole row as a reader says it."""
        if self.is_same:
            said = f"{self.name}: {format_value(self.new)}, the same"
        else:
            said = f"{self.name}: {format_value(self.old)} to {format_value(self.new)}"
            said += f", change {format_change(self.change)}"
        if self.low is not None and self.high is not None and self.high - self.low >= _SAME:
            about = "" if self.is_exact else "something within "
            said += (
                f"; judging everything would make the change {about}{_short(self.low)} "
                f"to {_short(self.high)}"
            )
        if self.least is not None and self.most is not None:
            ends = f"{format_value(self.least)} to {format_value(self.most)}"
            certain = self.most - self.least < _SAME
            said += "; it is certain" if certain else f"; the new value lies in {ends}"
        return f"{said}."


def _short(change: float) -> str:
    text = f"{abs(change):.3f}"
    if not text.strip("0."):
        return "0"
    return ("+" if change > 0 else MINUS) + text


@dataclass(frozen=True, slots=True)
class _Columns:
    name: int
    old: int
    new: int
    change_right: int
    interval_right: int
    value: int
    has_old: bool
    has_interval: bool


class WhatIfValues(PaintedWidget):
    """A row for each measure; a click or the arrow keys choose one."""

    measure_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ChangeRow, ...] = ()
        self._current = ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def rows(self) -> tuple[ChangeRow, ...]:
        """What is shown."""
        return self._rows

    @property
    def current(self) -> str:
        """Name of the chosen measure."""
        return self._current

    @property
    def row_height(self) -> int:
        """Height of every row."""
        return max(scaled(_ROW), line_height(Role.UI) + scaled(_BAR) + 5)

    @property
    def head_height(self) -> int:
        """Height of the column heads."""
        return scaled(26)

    def set_rows(self, rows: tuple[ChangeRow, ...]) -> None:
        """Show other values; only rows that changed are painted anew."""
        if rows == self._rows:
            return
        before, self._rows = self._rows, rows
        self._describe()
        if [row.name for row in rows] != [row.name for row in before]:
            self.updateGeometry()
            self.update()
            return
        for place, (row, old) in enumerate(zip(rows, before, strict=True)):
            if row != old:
                self.update(0, self._top(place), self.width(), self.row_height)

    def set_current(self, name: str) -> None:
        """Mark a measure as chosen, without a signal."""
        if name != self._current:
            self._current = name
            self._describe()
            self.update()

    def _describe(self) -> None:
        said = {row.name: row.in_words for row in self._rows}
        self.setAccessibleName(said.get(self._current, "Values"))
        self.setAccessibleDescription(" ".join(said.values()))

    def _top(self, place: int) -> int:
        return self.head_height + place * self.row_height

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(420), self._top(len(self._rows)) + scaled(6))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(scaled(180), self.sizeHint().height())

    @property
    def interval_room(self) -> int:
        """How wide the place of intervals beside the change is, in px; 0 where they stand below."""
        columns = self._columns()
        room = columns.interval_right - columns.change_right - _GAP
        return room if columns.has_interval else 0

    # Painting

    def _columns(self) -> _Columns:
        width, inset = self.width(), scaled(_INSET)
        value = text_width(Role.UI_STRONG, "0.0000") + 1
        names = max((text_width(Role.UI, row.name) for row in self._rows), default=0)
        name = inset + min(max(names, scaled(64)), scaled(120)) + scaled(12)
        right = width - inset
        if width < scaled(_NARROW):
            return _Columns(inset, right, right - value, right, right, value, False, False)
        new = name + value + scaled(18)
        change = new + value + scaled(8) + change_width()
        # Beside the change only where every interval is seen whole; else under it, smaller.
        said = (_WIDEST_INTERVAL, *(row.interval for row in self._rows))
        wanted = max(text_width(Role.META, text) for text in said) + _GAP + 1
        has_interval = right - change >= wanted
        if not has_interval:
            change = right
        return _Columns(inset, name, new, change, right, value, True, has_interval)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are asked for."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.theme.panel)
        columns = self._columns()
        if event.rect().top() < self.head_height:
            self._paint_head(painter, columns)
        for place, row in enumerate(self._rows):
            top = self._top(place)
            if top <= event.rect().bottom() and top + self.row_height > event.rect().top():
                self._paint_row(painter, row, columns, top)
        painter.end()

    def _paint_head(self, painter: QPainter, columns: _Columns) -> None:
        def head(left: float, right: float, text: str, align: Qt.AlignmentFlag) -> None:
            rect = QRectF(left, 0, right - left, self.head_height)
            draw_text(painter, rect, text, role=Role.HEAD, colour=self.theme.text3, align=align)

        head(columns.name, columns.old, "this query", LEFT)
        if not columns.has_old:
            head(columns.name, columns.interval_right, "new, change", RIGHT)
            return
        head(columns.old, columns.new, "old", LEFT)
        head(columns.new, columns.new + columns.value + 40, "new", LEFT)
        end = columns.change_right
        head(end - change_width(), end, "change", RIGHT)
        if columns.has_interval:
            head(end, columns.interval_right, "interval of change", RIGHT)

    def _paint_row(self, painter: QPainter, row: ChangeRow, columns: _Columns, top: int) -> None:
        theme = self.theme
        if row.name == self._current:
            painter.fillRect(0, top, self.width(), self.row_height, theme.selected)
            if self.hasFocus():
                draw_row_focus(painter, QRectF(0, top, self.width(), self.row_height), theme)
        line = float(line_height(Role.UI))
        upper = top + (self.row_height - line - scaled(_BAR)) / 2 - 1
        name = QRectF(columns.name, upper, columns.old - columns.name - 6, line)
        draw_text(painter, name, row.name, role=Role.UI, colour=theme.text, align=LEFT)
        if not columns.has_old:
            self._paint_narrow(painter, row, columns, upper, line)
            return
        self._paint_values(painter, row, columns, QRectF(0, upper, 0, line))
        self._paint_bar(painter, row, columns, upper + line)

    def _paint_values(
        self, painter: QPainter, row: ChangeRow, columns: _Columns, line: QRectF
    ) -> None:
        theme = self.theme
        old = QRectF(columns.old, line.top(), columns.value + 2, line.height())
        ink = theme.text2 if row.old is not None else theme.text3
        draw_text(painter, old, format_value(row.old), role=Role.UI, colour=ink, align=LEFT)
        end = columns.change_right
        change = QRectF(end - change_width(), line.top(), change_width(), line.height())
        if row.is_same:
            draw_text(painter, change, "same", role=Role.META, colour=theme.text3, align=RIGHT)
        else:
            arrow = QRectF(columns.new - scaled(15), line.top(), scaled(14), line.height())
            draw_text(painter, arrow, ARROW, role=Role.META, colour=theme.text3, align=LEFT)
            new = QRectF(columns.new, line.top(), columns.value + 6, line.height())
            value = format_value(row.new)
            draw_text(painter, new, value, role=Role.UI_STRONG, colour=theme.text, align=LEFT)
            draw_change(painter, change, theme, change=row.change)
        if columns.has_interval and row.interval not in ("", "same"):
            place = QRectF(end + _GAP, line.top(), self.interval_room, line.height())
            draw_text(painter, place, row.interval, role=Role.META, colour=theme.text2, align=RIGHT)

    def _paint_bar(self, painter: QPainter, row: ChangeRow, columns: _Columns, top: float) -> None:
        theme = self.theme
        right = float(columns.interval_right)
        # Where it is exact, the change says it all.
        says = not columns.has_interval and row.interval.endswith(tuple("0123456789"))
        says = says and not row.interval.startswith("exactly")
        if says:
            width = text_width(Role.SMALL, row.interval) + scaled(8)
            place = QRectF(right - width, top - 2, width, scaled(_BAR) + 5)
            draw_text(
                painter, place, row.interval, role=Role.SMALL, colour=theme.text2, align=RIGHT
            )
            right -= width
        bar = QRectF(columns.old, top, max(scaled(24), right - columns.old), scaled(_BAR))
        if row.new is None:
            draw_track(painter, bar, theme, share=0.0)
            return
        least = row.new if row.least is None else min(row.least, row.new)
        most = row.new if row.most is None else max(row.most, row.new)
        draw_bar(
            painter,
            bar,
            theme,
            value=row.share(row.new),
            low=row.share(least),
            high=row.share(most),
        )
        if row.old is not None and not row.is_same:
            draw_tick(painter, bar, theme.text3, value=row.share(row.old))

    def _paint_narrow(
        self, painter: QPainter, row: ChangeRow, columns: _Columns, top: float, line: float
    ) -> None:
        theme = self.theme
        place = QRectF(columns.new, top, columns.value, line)
        value = format_value(row.new)
        draw_text(painter, place, value, role=Role.UI_STRONG, colour=theme.text, align=RIGHT)
        below = QRectF(columns.name, top + line - 2, self.width() - 2 * columns.name, scaled(14))
        if not row.is_same:
            draw_change(painter, below, theme, change=row.change)
        else:
            draw_text(painter, below, NO_CHANGE, role=Role.META, colour=theme.text3, align=RIGHT)

    # Choosing

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the measure that is clicked."""
        row = self._row_at(event.position().y())
        if row is not None and event.button() is Qt.MouseButton.LeftButton:
            self._choose(row.name)

    def _row_at(self, y: float) -> ChangeRow | None:
        place = int((y - self.head_height) // self.row_height)
        return self._rows[place] if y >= self.head_height and place < len(self._rows) else None

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the measure above or below."""
        names = [row.name for row in self._rows]
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if not names or by is None:
            super().keyPressEvent(event)
            return
        at = names.index(self._current) if self._current in names else -1
        self._choose(names[min(max(at + by, 0), len(names) - 1)])

    @override
    def event(self, event: QEvent) -> bool:
        """Show every number of the row under the pointer."""
        if isinstance(event, QHelpEvent):
            row = self._row_at(event.pos().y())
            text = plain_tooltip(row.in_words) if row is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _choose(self, name: str) -> None:
        self.set_current(name)
        self.measure_chosen.emit(name)
