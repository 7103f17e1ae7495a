"""Rankings in columns, with lines that join a document's places."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from judgetool.core.judgments import State
from judgetool.core.number_text import format_value
from judgetool.core.override import override
from judgetool.core.scale import Scale, format_grade
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import (
    GradeStyle,
    chip_height,
    chip_width,
    draw_chip_cached,
    judgment_style,
    scale_styles,
    state_style,
)
from judgetool.gui.painting import EDGE_WIDTH, LEFT, RIGHT, draw_text, smooth
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.small_charts import PLAIN, STRONG, draw_slope
from judgetool.session.comparing.side_by_side import Placed, RankingColumn, SideBySide

INSET = 14
# Room of the lines between two columns, by how many columns there are.
_GAPS = {2: 84, 3: 48, 4: 32}
_LEAST_COLUMN = 190
_EMPTY = SideBySide((), (), 0, ())


def row_height() -> int:
    """Return the height of a rank: 34 px at a 13 px font."""
    return max(scaled(34), chip_height() + scaled(8))


class RankingsView(QAbstractScrollArea):
    """Two to four rankings; arrows walk ranks and columns, Enter opens the document.

    Signals:
        document_opened: number of the document, and the column's place.
    """

    document_opened = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = _EMPTY
        self._scale: Scale | None = None
        self._place, self._column = 0, 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Rankings side by side")
        self.viewport().setAutoFillBackground(False)

    # What is shown

    def set_content(self, content: SideBySide, scale: Scale | None) -> None:
        """Show other rankings; the place stays where it can."""
        self.content, self._scale = content, scale
        self._column = min(self._column, max(0, len(content.columns) - 1))
        self._place = min(self._place, max(0, len(content.order) - 1))
        self._fit()
        self._describe()
        self.viewport().update()

    @property
    def current(self) -> Placed | None:
        """The document under the cursor, or ``None``."""
        if not self.content.columns or not self.content.order:
            return None
        return self._card(self.content.columns[self._column], self.content.order[self._place])

    @staticmethod
    def _card(column: RankingColumn, rank: int) -> Placed | None:
        return column.cards[rank - 1] if rank <= len(column.cards) else None

    def _describe(self) -> None:
        card = self.current
        if card is None:
            self.setAccessibleDescription("")
            return
        name = self.content.columns[self._column].system.name
        grade = "not judged" if card.grade is None else f"grade {format_grade(card.grade)}"
        move = {"↑": "up ", "↓": "down "}.get(card.move[:1], "")
        told = move + card.move[1:] if move else card.move
        said = self.content.columns[self._column].likeness
        parts = [f"{name}, rank {card.rank}", card.title, grade, told, said]
        self.setAccessibleDescription(", ".join(part for part in parts if part))

    # Where things stand

    @property
    def _head(self) -> int:
        return 2 * line_height(Role.META) + scaled(14)

    @property
    def _has_own_line(self) -> bool:
        """Whether titles stand under rank and grade: beside them they would be cut to nothing."""
        return len(self.content.columns) > 2

    @property
    def _row_height(self) -> int:
        return row_height() + (line_height(Role.UI) if self._has_own_line else 0)

    @property
    def _gap(self) -> int:
        return scaled(_GAPS.get(len(self.content.columns), _GAPS[2]))

    def _width(self) -> int:
        n_columns = max(1, len(self.content.columns))
        least = n_columns * scaled(_LEAST_COLUMN) + (n_columns - 1) * self._gap
        return max(self.viewport().width(), least)

    def column_rect(self, column: int) -> QRectF:
        """Return a column's room, as tall as the viewport."""
        n_columns = max(1, len(self.content.columns))
        gap = self._gap
        width = (self._width() - gap * (n_columns - 1)) / n_columns
        left = column * (width + gap) - self.horizontalScrollBar().value()
        return QRectF(left, 0, width, self.viewport().height())

    def _top(self, place: int) -> float:
        return self._head + place * self._row_height - self.verticalScrollBar().value()

    def _fit(self) -> None:
        height = self.viewport().height() - self._head
        total = len(self.content.order) * self._row_height
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, total - height))
        bar.setPageStep(max(1, height))
        bar.setSingleStep(self._row_height)
        side = self.horizontalScrollBar()
        side.setRange(0, max(0, self._width() - self.viewport().width()))
        side.setPageStep(self.viewport().width())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        super().resizeEvent(event)
        self._fit()

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is in sight."""
        theme = current_theme()
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme.base)
        if self._scale is not None and self.content.columns:
            self._paint_all(painter, self._scale, theme)
        painter.end()

    def _paint_all(self, painter: QPainter, scale: Scale, theme: Theme) -> None:
        height = self._row_height
        offset = self.verticalScrollBar().value()
        first = max(0, offset // height)
        last = min(len(self.content.order), (offset + self.viewport().height()) // height + 1)
        width = chip_width(scale_styles(scale, theme))
        painter.save()
        painter.setClipRect(QRectF(0, self._head, self.width(), self.viewport().height()))
        for which, column in enumerate(self.content.columns):
            for place in range(first, last):
                rect = self.column_rect(which)
                row = QRectF(rect.left(), self._top(place), rect.width(), height)
                self._paint_card(painter, row, column, which, place, chip=width)
        for gap in range(len(self.content.links)):
            self._paint_links(painter, gap, scale, theme)
        painter.restore()
        self._paint_heads(painter, theme)

    def _paint_heads(self, painter: QPainter, theme: Theme) -> None:
        for which, column in enumerate(self.content.columns):
            rect = self.column_rect(which)
            height = self._head / 2
            head = QRectF(rect.left() + INSET, 0, rect.width() - 2 * INSET, height)
            below = head.translated(0, height - scaled(2))
            below.setRight(rect.right())
            said = column.likeness
            draw_text(painter, below, said, role=Role.META, colour=theme.text3, align=LEFT)
            value = format_value(column.value)
            room = text_width(Role.META, value) + 8
            name = head.adjusted(0, 0, -room, 0)
            text = " ".join(column.system.name.split())
            draw_text(painter, name, text, role=Role.META, colour=theme.text3, align=LEFT)
            draw_text(painter, head, value, role=Role.META, colour=theme.text2, align=RIGHT)

    def _paint_card(
        self,
        painter: QPainter,
        row: QRectF,
        column: RankingColumn,
        which: int,
        place: int,
        *,
        chip: int,
    ) -> None:
        theme, rank = current_theme(), self.content.order[place]
        card = self._card(column, rank)
        if (which, place) == (self._column, self._place) and self.hasFocus():
            painter.fillRect(row, theme.selected)
            painter.fillRect(QRectF(row.left(), row.top(), EDGE_WIDTH, row.height()), theme.accent)
        first = QRectF(row.left(), row.top(), row.width(), row_height())
        number = QRectF(row.left() + 4, row.top(), self._number_width, first.height())
        draw_text(painter, number, str(rank), role=Role.META, colour=theme.text3, align=RIGHT)
        left = number.right() + scaled(8)
        if card is None:
            if rank == len(column.cards) + 1:
                place_ = QRectF(left, row.top(), row.right() - left, row.height())
                text = "end of the ranking" if column.n_ranks else "no ranking of this query"
                draw_text(painter, place_, text, role=Role.UI, colour=theme.text3, align=LEFT)
            return
        box = QRectF(left, first.center().y() - chip_height() / 2, chip, chip_height())
        draw_chip_cached(painter, box, theme, self._style(card, theme))
        room = max(text_width(Role.META, "to 1000"), scaled(40)) if card.move else 0
        title = QRectF(box.right() + scaled(10), row.top(), 0, row.height())
        title.setRight(row.right() - INSET - room)
        if self._has_own_line:
            title = QRectF(left, first.bottom() - scaled(4), 0, line_height(Role.UI))
            title.setRight(row.right() - scaled(4))
        draw_text(painter, title, card.title, role=Role.UI, colour=theme.text, align=LEFT)
        move = QRectF(row.right() - INSET - room, first.top(), room, first.height())
        move.setRight(row.right() - scaled(10))
        draw_text(painter, move, card.move, role=Role.META, colour=theme.text3, align=RIGHT)

    @property
    def _number_width(self) -> int:
        return text_width(Role.META, str(max(self.content.order, default=10)))

    def _style(self, card: Placed, theme: Theme) -> GradeStyle:
        if self._scale is None:
            return state_style(State.UNJUDGED, theme)
        return judgment_style(self._scale, card.state, card.grade, theme)

    def _paint_links(self, painter: QPainter, gap: int, scale: Scale, theme: Theme) -> None:
        left = self.content.columns[gap]
        place_of = {rank: place for place, rank in enumerate(self.content.order)}
        half = self._row_height / 2
        start = self.column_rect(gap).right() - scaled(2)
        end = self.column_rect(gap + 1).left() + scaled(2)
        bottom = self.viewport().height()
        current = self.current
        with smooth(painter):
            for first, second in self.content.links[gap]:
                begin = QPointF(start, self._top(place_of[first]) + half)
                stop = QPointF(end, self._top(place_of[second]) + half)
                lowest, highest = max(begin.y(), stop.y()), min(begin.y(), stop.y())
                if lowest < 0 or highest > bottom:
                    continue
                card = left.cards[first - 1]
                style = judgment_style(scale, card.state, card.grade, theme)
                is_strong = current is not None and current.document == card.document
                width = STRONG if is_strong and self.hasFocus() else PLAIN
                if card.grade is None:
                    painter.setPen(QPen(theme.text3, width, Qt.PenStyle.DashLine))
                    painter.drawLine(begin, stop)
                else:
                    draw_slope(painter, begin, stop, style.ink, width=width)

    # Keys and pointer

    def _move_to(self, column: int, place: int) -> None:
        n_columns, n_places = len(self.content.columns), len(self.content.order)
        if not n_columns or not n_places:
            return
        self._column = max(0, min(n_columns - 1, column))
        self._place = max(0, min(n_places - 1, place))
        self._show_place()
        self._describe()
        self.viewport().update()

    def _show_place(self) -> None:
        bar = self.verticalScrollBar()
        top = self._place * self._row_height
        room = self.viewport().height() - self._head - self._row_height
        bar.setValue(max(top - room, min(bar.value(), top)))
        side, rect = self.horizontalScrollBar(), self.column_rect(self._column)
        if rect.left() < 0:
            side.setValue(round(side.value() + rect.left()))
        elif rect.right() > self.viewport().width():
            side.setValue(round(side.value() + rect.right() - self.viewport().width()))

    def _step(self, key: Qt.Key) -> tuple[int, int] | None:
        page = max(1, (self.viewport().height() - self._head) // self._row_height)
        last = len(self.content.order) - 1
        steps = {
            Qt.Key.Key_Up: (self._column, self._place - 1),
            Qt.Key.Key_Down: (self._column, self._place + 1),
            Qt.Key.Key_Left: (self._column - 1, self._place),
            Qt.Key.Key_Right: (self._column + 1, self._place),
            Qt.Key.Key_PageUp: (self._column, self._place - page),
            Qt.Key.Key_PageDown: (self._column, self._place + page),
            Qt.Key.Key_Home: (self._column, 0),
            Qt.Key.Key_End: (self._column, last),
        }
        return steps.get(key)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, and open."""
        key = Qt.Key(event.key())
        step = self._step(key)
        if step is not None:
            self._move_to(*step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        else:
            super().keyPressEvent(event)

    def _open(self) -> None:
        card = self.current
        if card is not None:
            self.document_opened.emit(card.document, self._column)

    def place_at(self, at: QPoint) -> tuple[int, int] | None:
        """Return the column and place under a point of the viewport, or ``None``."""
        place = int((at.y() - self._head + self.verticalScrollBar().value()) // self._row_height)
        if at.y() < self._head or not 0 <= place < len(self.content.order):
            return None
        for column in range(len(self.content.columns)):
            if self.column_rect(column).contains(QPointF(at)):
                return column, place
        return None

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make what is clicked current."""
        found = self.place_at(event.position().toPoint())
        if found is not None:
            self._move_to(*found)

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open what is clicked twice."""
        found = self.place_at(event.position().toPoint())
        if found is not None:
            self._move_to(*found)
            self._open()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.viewport().update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went."""
        super().focusOutEvent(event)
        self.viewport().update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self._fit()
            self.viewport().update()

    @override
    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Paint anew at the new place."""
        self.viewport().update()

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(scaled(820), scaled(420))
