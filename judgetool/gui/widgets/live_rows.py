"""The rows of the live panel: each measure for this query and as a mean."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.number_text import format_value
from judgetool.gui.painting import (
    LEFT,
    RIGHT,
    change_width,
    draw_bar,
    draw_change,
    draw_row_focus,
    draw_text,
    draw_track,
    start_align,
)
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.metric_row import (
    MetricRow,
    ValueCell,
    mean_cell,
    query_cell,
    row_in_words,
)
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

ROW = 39
NARROW = 240
INSET = 14
GAP = 12
BAR = 10


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns stand, thought left to right: x and width of each."""

    name: tuple[int, int]
    query: tuple[int, int]
    mean: tuple[int, int] | None
    has_mean_change: bool = True


def value_columns(width: int, rows: tuple[MetricRow, ...]) -> Columns:
    """Return the columns of the live panel at a width, from the names and the fonts.

    Names and values are whole at every width; the mean loses its change first, then
    the whole mean goes (always under :data:`NARROW`).
    """
    left, inner = INSET, width - 2 * INSET
    names = max((text_width(Role.UI, row.name) for row in rows), default=0)
    captions = max((text_width(Role.SMALL, row.judged) for row in rows), default=0)
    name = max(scaled(72), min(max(names, captions), scaled(130))) + 5
    value = text_width(Role.UI_STRONG, "0.0000")
    full = value + change_width() + 2
    rest = inner - name - GAP
    if width < scaled(NARROW) or rest - full < value:
        side = max(value, change_width())
        return Columns((left, inner - side - 6), (left + inner - side, side), None)
    side = rest // 2 if rest >= 2 * full else full
    # What is left over goes to the bars.
    query = (left + name, side)
    mean_left = left + name + side + GAP
    mean = (mean_left, left + inner - mean_left)
    return Columns((left, name - 4), query, mean, has_mean_change=mean[1] >= full)


class LiveRows(PaintedWidget):
    """The measures, one under the other; a click or the arrow keys choose one.

    Every row has one height and every column its place, whatever the numbers are.
    """

    measure_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[MetricRow, ...] = ()
        self._mean_of = "mean"
        self._current = ""
        self._full_width = 0
        self._is_untold = False
        self._columns: tuple[tuple[object, ...], Columns] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def rows(self) -> tuple[MetricRow, ...]:
        """What is shown."""
        return self._rows

    @property
    def current(self) -> str:
        """Name of the chosen measure, or ``""``."""
        return self._current

    @property
    def row_height(self) -> int:
        """Height of every row: 39 px at a 13 px font, more where the fonts need it."""
        needed = line_height(Role.UI) + line_height(Role.SMALL) + 4
        return max(scaled(ROW), needed)

    def set_rows(self, rows: tuple[MetricRow, ...], *, mean_of: str, is_final: bool = True) -> None:
        """Show other values.

        Args:
            rows: in the order of the panel.
            mean_of: what the means are over, such as ``mean of 19``.
            is_final: whether no others follow at once; only those are told to screen
                readers.
        """
        is_same = rows == self._rows and mean_of == self._mean_of
        before, self._rows = self._rows, rows
        self._mean_of = mean_of
        if is_final and (self._is_untold or not is_same):
            self._describe()
        elif not is_same:
            self._is_untold = True
        if is_same:
            return
        if [row.name for row in rows] != [row.name for row in before]:
            self.updateGeometry()
            self.update()
            return
        kept, columns = self._columns, self.columns()
        if kept is None or kept[1] != columns:
            self.update()
            return
        left = max(0, columns.query[0] - INSET)
        numbers = mirrored(self, QRectF(left, 0, self.width() - left, self.row_height)).toRect()
        for place, (row, old) in enumerate(zip(rows, before, strict=True)):
            if row.judged != old.judged:
                self.update(0, place * self.row_height, self.width(), self.row_height)
            elif row != old:
                self.update(numbers.translated(0, place * self.row_height))

    def set_current(self, name: str) -> None:
        """Mark a measure as chosen, without a signal."""
        if name != self._current:
            before, self._current = self._current, name
            self._describe()
            height = self.row_height
            for place, row in enumerate(self._rows):
                if row.name in (before, name):
                    self.update(0, place * height, self.width(), height)

    def set_full_width(self, width: int) -> None:
        """Say how wide the panel is, so that a scroll bar, which fits the inset, moves nothing."""
        self._full_width = width
        self.update()

    def columns(self) -> Columns:
        """Return where the columns stand now; kept until width, measures or fonts change."""
        texts = tuple((row.name, row.judged) for row in self._rows)
        width = max(self.width(), self._full_width)
        basis = (width, scaled(1000), texts)
        if self._columns is None or self._columns[0] != basis:
            self._columns = (basis, value_columns(width, self._rows))
        return self._columns[1]

    def row_at(self, y: int) -> MetricRow | None:
        """Return the row at a height, or ``None`` outside."""
        place = y // self.row_height
        return self._rows[place] if 0 <= place < len(self._rows) else None

    @override
    def relayout(self) -> None:
        """Lay out anew after a change of font."""
        self._columns = None
        super().relayout()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(312, self.row_height * len(self._rows))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(150, self.row_height * len(self._rows))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Act on a click."""
        row = self.row_at(int(event.position().y()))
        if row is not None and event.button() is Qt.MouseButton.LeftButton:
            self._choose(row.name)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        names = [row.name for row in self._rows]
        key = Qt.Key(event.key())
        at = names.index(self._current) if self._current in names else -1
        targets = {
            Qt.Key.Key_Down: min(at + 1, len(names) - 1),
            Qt.Key.Key_Up: max(at - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(names) - 1,
            Qt.Key.Key_Return: max(at, 0),
            Qt.Key.Key_Enter: max(at, 0),
            Qt.Key.Key_Space: max(at, 0),
        }
        if not names or key not in targets:
            super().keyPressEvent(event)
            return
        self._choose(names[targets[key]])

    @override
    def event(self, event: QEvent) -> bool:
        """Show the tooltip of what is under the pointer."""
        if isinstance(event, QHelpEvent):
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().event(event)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard is here."""
        self.update()
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went."""
        self.update()
        super().focusOutEvent(event)

    def tip_of(self, row: MetricRow) -> str:
        """Return what a row's tooltip says: every number, and why a value is undefined."""
        return row_in_words(row, self._mean_of)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        columns, height = self.columns(), self.row_height
        first = max(0, event.rect().top() // height)
        last = min(len(self._rows), event.rect().bottom() // height + 1)
        has_names = self._reaches_names(event, columns)
        for place in range(first, last):
            row, top = self._rows[place], place * height
            self._paint_ground(painter, row, top)
            if has_names:
                self._paint_names(painter, row, top, columns)
            self._paint_numbers(painter, row, top, columns)
        painter.end()

    def _reaches_names(self, event: QPaintEvent, columns: Columns) -> bool:
        left, width = columns.name
        names = mirrored(self, QRectF(0, 0, left + width, self.height())).toRect()
        return bool(names.intersects(event.rect()))

    def _paint_ground(self, painter: QPainter, row: MetricRow, top: int) -> None:
        theme = self.theme
        if row.name == self._current:
            ground = theme.selected
            painter.fillRect(0, top, self.width(), self.row_height, ground)
            if self.hasFocus():
                draw_row_focus(painter, QRectF(0, top, self.width(), self.row_height), theme)

    def _paint_names(self, painter: QPainter, row: MetricRow, top: int, columns: Columns) -> None:
        theme = self.theme
        left, width = columns.name
        upper, lower = self._lines(top)
        name = QRectF(left, upper.top(), width, upper.height())
        draw_text(
            painter, self._at(name), row.name, role=Role.UI, colour=theme.text, align=self._start
        )
        judged = QRectF(left, lower.top(), width, lower.height())
        draw_text(
            painter,
            self._at(judged),
            row.judged,
            role=Role.SMALL,
            colour=theme.text3,
            align=self._start,
        )

    def _paint_numbers(self, painter: QPainter, row: MetricRow, top: int, columns: Columns) -> None:
        if columns.mean is None:
            self._paint_narrow(painter, row, columns, top)
            return
        self._paint_cell(painter, row, query_cell(row), columns.query, top)
        self._paint_cell(painter, row, mean_cell(row), columns.mean, top)

    def _paint_cell(
        self, painter: QPainter, row: MetricRow, cell: ValueCell, column: tuple[int, int], top: int
    ) -> None:
        theme = self.theme
        left, width = column
        upper, lower = self._lines(top)
        columns = self._columns[1] if self._columns else self.columns()
        role = Role.UI_STRONG if column == columns.query else Role.UI
        ink = theme.text if cell.value is not None else theme.text3
        place = self._at(QRectF(left, upper.top(), width, upper.height()))
        draw_text(painter, place, format_value(cell.value), role=role, colour=ink, align=LEFT)
        if column != columns.mean or columns.has_mean_change:
            draw_change(painter, place, theme, change=cell.change)
        bar = self._at(QRectF(left, lower.center().y() - BAR / 2, width, BAR))
        if cell.value is None:
            draw_track(painter, bar, theme, share=0.0)
            return
        low = cell.value if cell.low is None else cell.low
        high = cell.value if cell.high is None else cell.high
        draw_bar(
            painter,
            bar,
            theme,
            value=row.share(cell.value),
            low=row.share(low),
            high=row.share(high),
        )

    def _paint_narrow(self, painter: QPainter, row: MetricRow, columns: Columns, top: int) -> None:
        theme = self.theme
        left, width = columns.query
        upper, lower = self._lines(top)
        place = self._at(QRectF(left, upper.top(), width, upper.height()))
        ink = theme.text if row.value is not None else theme.text3
        text = format_value(row.value)
        draw_text(painter, place, text, role=Role.UI_STRONG, colour=ink, align=RIGHT)
        below = self._at(QRectF(left, lower.top(), width, lower.height()))
        draw_change(painter, below, theme, change=row.change)

    def _lines(self, top: int) -> tuple[QRectF, QRectF]:
        """Return the upper and lower line of a row."""
        spare = self.row_height - line_height(Role.UI) - line_height(Role.SMALL)
        upper = QRectF(0, top + spare * 5 // 8, 0, line_height(Role.UI))
        lower = QRectF(0, upper.bottom(), 0, line_height(Role.SMALL))
        return upper, lower

    def _at(self, rect: QRectF) -> QRectF:
        return mirrored(self, rect)

    @property
    def _start(self) -> Qt.AlignmentFlag:
        return start_align(self.layoutDirection())

    def _choose(self, name: str) -> None:
        self.set_current(name)
        self.measure_chosen.emit(name)

    def _show_tip(self, at: QPoint, on_screen: QPoint) -> None:
        row = self.row_at(at.y())
        QToolTip.showText(on_screen, plain_tooltip(self.tip_of(row)) if row else "", self)

    def _describe(self) -> None:
        self._is_untold = False
        said = {row.name: self.tip_of(row) for row in self._rows}
        self.setAccessibleName(said.get(self._current, "Live values"))
        self.setAccessibleDescription(" ".join(said.values()))
