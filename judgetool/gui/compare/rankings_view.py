"""Rankings in columns, with lines that join a document's places."""

from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from judgetool.core import override
from judgetool.core.scale import Scale, scale_preset
from judgetool.gui.compare.table_model import Index
from judgetool.gui.compare.table_view import snap
from judgetool.gui.painting import (
    EDGE_WIDTH,
    GradeStyle,
    chip_height,
    chip_width,
    draw_assumed_chip,
    draw_chip_cached,
    format_grade,
    format_value,
    judgment_style,
    scale_styles,
    smooth,
    turned,
)
from judgetool.gui.theme import Role, current_theme, line_height, scaled, text_width
from judgetool.gui.widgets.labels import Align, Look, Piece, TextPart, paint_pieces
from judgetool.gui.widgets.rows import PlainTable
from judgetool.gui.widgets.small_charts import PLAIN, STRONG, draw_slope
from judgetool.session.comparing.query_by_query import Placed, SideBySide
from judgetool.session.comparing.system_values import move_in_words
from judgetool.wording import _

INSET = 14
# Room of the lines between two columns, by how many columns there are.
_GAPS = {2: 84, 3: 48, 4: 32}
_LEAST_COLUMN = 190
_END = 10
_ROOT = QModelIndex()
_SAID = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


def row_height() -> int:
    """Return the height of a rank: 34 px at a 13 px font."""
    return max(scaled(34), chip_height() + scaled(8))


class RankingsModel(QAbstractTableModel):
    """Ranks down, systems across: each place as readers say it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.content = SideBySide((), (), 0, ())

    def set_content(self, content: SideBySide) -> None:
        """Show other rankings."""
        self.beginResetModel()
        self.content = content
        self.endResetModel()

    def card(self, row: int, column: int) -> Placed | None:
        """Return the document of a place; ``None`` beyond the end of a ranking."""
        rank, cards = self.content.order[row], self.content.columns[column].cards
        return cards[rank - 1] if rank <= len(cards) else None

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many ranks there are."""
        return 0 if parent.isValid() else len(self.content.order)

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return how many systems there are."""
        return 0 if parent.isValid() else len(self.content.columns)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a place as a reader says it."""
        if not index.isValid() or role not in _SAID:
            return None
        column, card = self.content.columns[index.column()], self.card(index.row(), index.column())
        name, rank = column.system.name, self.content.order[index.row()]
        if card is None:
            return _("{name}, rank {rank}, no document").format(name=name, rank=rank)
        grade = (
            _("not judged")
            if card.grade is None
            else _("grade {grade}").format(grade=format_grade(card.grade))
        )
        if card.is_assumed:
            grade = _("{grade}, assumed: not judged").format(grade=grade)
        move = move_in_words(card.move).replace("↑", f"{_('up')} ").replace("↓", f"{_('down')} ")
        parts = (
            _("{name}, rank {rank}").format(name=name, rank=rank),
            card.title,
            grade,
            move,
            column.likeness,
        )
        return ", ".join(filter(None, parts))

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return a system's name and value."""
        if orientation is Qt.Orientation.Vertical or role not in _SAID:
            return None
        column = self.content.columns[section]
        return f"{' '.join(column.system.name.split())}, {format_value(column.value)}"


class _Chip(NamedTuple):
    """A grade's chip, as wide as its place; of a grade that is only assumed with a dashed frame."""

    style: GradeStyle
    is_assumed: bool = False

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        place = QRectF(rect.left(), rect.center().y() - chip_height() / 2, rect.width(), 0)
        place.setHeight(chip_height())
        draw = draw_assumed_chip if self.is_assumed else draw_chip_cached
        draw(painter, place, look.theme, self.style)


class _Heads(QHeaderView):
    """The system's name and value, and under them how alike it is to the first."""

    def __init__(self, view: "RankingsView") -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @override
    def sizeHint(self) -> QSize:
        lines = 3 if self._view.has_own_line else 2
        return QSize(super().sizeHint().width(), lines * line_height(Role.META) + scaled(14))

    @override
    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme, column = current_theme(), self._view.content.columns[section]
        painter.fillRect(rect, theme.base)
        inner = self._view.without_gap(QRectF(rect), section).adjusted(INSET, 0, 0, 0)
        line = QRectF(inner.left(), scaled(5), inner.width() - INSET, line_height(Role.META))
        value = format_value(column.value)
        name = TextPart(" ".join(column.system.name.split()), Role.META, "text3", is_id=True)
        number = TextPart(value, Role.META, "text2", Align.END)
        pieces = (Piece(name, gives=True), Piece(number, text_width(Role.META, value), 8))
        look = Look(theme, self._view.is_mirrored)
        paint_pieces(painter, pieces, line, look)
        told = [column.likeness]
        if self._view.has_own_line:
            # Columns are narrow: what is judged stands over how alike they are.
            told = list(column.likeness.partition(", ")[::2])
        for text in told:
            line.translate(0, line.height() + scaled(1))
            # How alike they are is told nowhere else.
            last = text.rpartition(", ")[2]
            TextPart(text, Role.META, "text3", shorter=last).paint(painter, line, look)


class _Cards(QStyledItemDelegate):
    """Paints a place: rank, grade, title, and what the document did."""

    def __init__(self, view: "RankingsView") -> None:
        super().__init__(view)
        self._view = view

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, theme = self._view, current_theme()
        place, which = index.row(), index.column()
        row, look = view.without_gap(QRectF(option.rect), which), Look(theme, view.is_mirrored)
        rank, column = view.content.order[place], view.content.columns[which]
        card = view.model_.card(place, which)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(row, theme.selected)
            edge = QRectF(row.left(), row.top(), EDGE_WIDTH, row.height())
            painter.fillRect(turned(edge, row, is_mirrored=look.is_mirrored), theme.accent)
        first = QRectF(row.left(), row.top(), row.width() - scaled(_END), row_height())
        first = turned(first, row, is_mirrored=look.is_mirrored)
        widest = text_width(Role.META, str(max(view.content.order)))
        pieces = [Piece(TextPart(str(rank), Role.META, "text3", Align.END), widest, 4)]
        if card is None:
            text = _("end of the ranking") if column.n_ranks else _("no ranking of this query")
            said = TextPart(text * (rank == len(column.cards) + 1), ink="text3")
            pieces.append(Piece(said, 0, scaled(8), gives=True))
            paint_pieces(painter, pieces, first, look)
            return
        title = TextPart(card.title)
        style = judgment_style(view.scale, card.state, card.grade, theme)
        chip = chip_width(scale_styles(view.scale, theme))
        room = max(text_width(Role.META, _("to 1000")), scaled(40)) if card.move else 0
        pieces += [
            Piece(_Chip(style, card.is_assumed), chip, scaled(8)),
            Piece(None if view.has_own_line else title, 0, scaled(10), gives=True),
            Piece(
                TextPart(move_in_words(card.move), Role.META, "text3", Align.END),
                room + INSET - scaled(_END),
            ),
        ]
        paint_pieces(painter, pieces, first, look)
        if view.has_own_line:
            left, top = row.left() + 4 + widest + scaled(8), first.bottom() - scaled(4)
            below = QRectF(left, top, row.right() - scaled(4) - left, line_height(Role.UI))
            title.paint(painter, turned(below, row, is_mirrored=look.is_mirrored), look)


class RankingsView(PlainTable):
    """Two to four rankings; arrows walk ranks and columns, Enter opens the document.

    Signals:
        document_opened: number of the document.

    Attributes:
        scale: by which grades are shown.
    """

    document_opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model_ = RankingsModel(self)
        self.scale = scale_preset("0-3")
        self.setModel(self.model_)
        self.setItemDelegate(_Cards(self))
        self.setHorizontalHeader(_Heads(self))
        self.setAccessibleName(_("Rankings side by side"))
        self._step = 1
        bar = self.horizontalScrollBar()
        bar.valueChanged.connect(lambda value: snap(bar, value, self._step))
        self.selectionModel().currentChanged.connect(self.viewport().update)
        self.doubleClicked.connect(self._open)

    # What is shown

    @property
    def content(self) -> SideBySide:
        """The rankings."""
        return self.model_.content

    def set_content(self, content: SideBySide, scale: Scale) -> None:
        """Show other rankings; the place stays where it can."""
        row, column = max(0, self.currentIndex().row()), max(0, self.currentIndex().column())
        self.scale = scale
        self.model_.set_content(content)
        self._fit()
        last = (len(content.order) - 1, len(content.columns) - 1)
        self.setAutoScroll(False)
        self.setCurrentIndex(self.model_.index(min(row, last[0]), min(column, last[1])))
        self.setAutoScroll(True)

    @property
    def current(self) -> Placed | None:
        """The document under the cursor, or ``None``."""
        at = self.currentIndex()
        return self.model_.card(at.row(), at.column()) if at.isValid() else None

    # Where things stand

    @property
    def has_own_line(self) -> bool:
        """Whether titles stand under rank and grade: beside them they would be cut to nothing."""
        return len(self.content.columns) > 2

    @property
    def _gap(self) -> int:
        return scaled(_GAPS.get(len(self.content.columns), _GAPS[2]))

    @property
    def is_mirrored(self) -> bool:
        """Whether the later ranking is left of the earlier."""
        return self.layoutDirection() is Qt.LayoutDirection.RightToLeft

    def without_gap(self, rect: QRectF, column: int) -> QRectF:
        """Return a column's own room, without that of the lines to the next."""
        if column == len(self.content.columns) - 1:
            return rect
        return (
            rect.adjusted(self._gap, 0, 0, 0)
            if self.is_mirrored
            else rect.adjusted(0, 0, -self._gap, 0)
        )

    def _fit(self) -> None:
        n, gap = max(1, len(self.content.columns)), self._gap
        # Where not all have room they scroll by whole columns: none is ever cut.
        room = self.viewport().width() + gap
        shown = min(n, max(1, room // (scaled(_LEAST_COLUMN) + gap)))
        self._step = room // shown
        for column in range(n):
            is_last = column == n - 1
            width = self._step + (room - self._step * n if is_last and shown == n else 0)
            self.setColumnWidth(column, width - gap * is_last)
        self.updateGeometries()
        self.horizontalScrollBar().setSingleStep(self._step)
        height = row_height() + (line_height(Role.UI) if self.has_own_line else 0)
        self.verticalHeader().setDefaultSectionSize(height)
        self.verticalScrollBar().setSingleStep(height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        super().resizeEvent(event)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit()

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is in sight, and the lines over it."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        with smooth(painter):
            for gap in range(len(self.content.links)):
                self._paint_links(painter, gap)
        painter.end()

    def _paint_links(self, painter: QPainter, gap: int) -> None:
        theme, left, current = current_theme(), self.content.columns[gap], self.current
        place_of = {rank: place for place, rank in enumerate(self.content.order)}
        end = self.columnViewportPosition(gap + 1) + scaled(2)
        start = end - self._gap - scaled(4)
        if self.is_mirrored:
            end += self.columnWidth(gap + 1) - scaled(4)
            start = end + self._gap + scaled(4)
        half, bottom = self.verticalHeader().defaultSectionSize() / 2, self.viewport().height()
        for ranks in self.content.links[gap]:
            tops = [self.rowViewportPosition(place_of[rank]) + half for rank in ranks]
            if min(tops) < 0 or max(tops) > bottom:
                continue
            begin, stop = QPointF(start, tops[0]), QPointF(end, tops[1])
            card = left.cards[ranks[0] - 1]
            is_strong = current is not None and current.document == card.document
            width = STRONG if is_strong and self.hasFocus() else PLAIN
            if card.grade is None or card.is_assumed:
                painter.setPen(QPen(theme.text3, width, Qt.PenStyle.DashLine))
                painter.drawLine(begin, stop)
            else:
                ink = judgment_style(self.scale, card.state, card.grade, theme).ink
                draw_slope(painter, begin, stop, ink, width=width)

    # Keys

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, and open."""
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: self.model_.rowCount() - 1}
        if event.key() in ends:
            row = ends[Qt.Key(event.key())]
            self.setCurrentIndex(self.model_.index(row, self.currentIndex().column()))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        else:
            super().keyPressEvent(event)

    def _open(self) -> None:
        card = self.current
        if card is not None:
            self.document_opened.emit(card.document)
