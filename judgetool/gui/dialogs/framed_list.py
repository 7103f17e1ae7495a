"""A short list inside a border: rows painted like those of the main lists."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, chip_height, chip_width, draw_chip_cached
from judgetool.gui.painting import RIGHT, draw_frame, draw_row_ground, draw_text
from judgetool.gui.table_copy import offer_copy, table_of_model
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import PaintedWidget

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole


class RowDelegate(QStyledItemDelegate):
    """Paints one line of plain text on the ground that its state asks for.

    Attributes:
        height: of a row, in px at a 13 px font.
    """

    height = 28

    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(self.height))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the ground, but under a row that cannot be chosen, and what is on it."""
        state, rect = option.state, QRectF(option.rect)
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        painter.save()
        if index.flags() & Qt.ItemFlag.ItemIsEnabled:
            draw_row_ground(painter, rect, current_theme(), state=state)
        self.draw(painter, rect.adjusted(scaled(12), 0, -scaled(12), 0), index)
        painter.restore()

    def draw(self, painter: QPainter, inner: QRectF, index: Index) -> None:
        """Paint what is on the ground of a row."""
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        draw_text(
            painter,
            inner.adjusted(0, 0, scaled(4), 0),
            text,
            role=Role.UI,
            colour=current_theme().text,
        )


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row of two parts: what, and at its end when and who.

    Attributes:
        key: what the dialog knows it by.
        title: at the start.
        side: at the end, smaller.
        is_faint: whether it is there for completeness only, such as a step undone.
        style: of the chip before the title; ``None`` for no chip.
    """

    key: object
    title: str
    side: str
    is_faint: bool = False
    style: GradeStyle | None = None


class _StepDelegate(RowDelegate):
    height = 30

    @override
    def draw(self, painter: QPainter, inner: QRectF, index: Index) -> None:
        theme, row = current_theme(), index.data(ROW)
        if row.style is not None:
            width, height = chip_width([row.style]), chip_height()
            top = round(inner.center().y() - height / 2)
            draw_chip_cached(painter, QRectF(inner.left(), top, width, height), theme, row.style)
            inner.setLeft(inner.left() + max(width, scaled(44)) + scaled(8))
        room = min(text_width(Role.META, row.side) + 2, inner.width() * 0.6)
        side = QRectF(inner.right() - room, inner.top(), room, inner.height())
        draw_text(painter, side, row.side, role=Role.META, colour=theme.text3, align=RIGHT)
        inner.setRight(side.left() - scaled(12))
        ink = theme.text3 if row.is_faint else theme.text
        draw_text(painter, inner, row.title, role=Role.UI, colour=ink)


def make_list(name: str) -> QListWidget:
    """Return a list without a frame of its own, with our rows, named for readers."""
    rows = QListWidget()
    rows.setItemDelegate(RowDelegate(rows))
    rows.setFrameShape(QListWidget.Shape.NoFrame)
    rows.setMouseTracking(True)
    rows.setUniformItemSizes(True)
    rows.setAccessibleName(name)
    return rows


def dress_table(table: QTableWidget, name: str) -> None:
    """Give a table the look of our lists, and name it for readers; it is to be read only."""
    table.setAccessibleName(name)
    table.setFrameShape(QTableWidget.Shape.NoFrame)
    table.setShowGrid(False)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(scaled(28))
    table.horizontalHeader().setFont(font(Role.HEAD))
    offer_copy(table, lambda: table_of_model(table.model()))


def make_step_list(name: str) -> QListWidget:
    """Return an empty list for :class:`ListRow`, named for readers."""
    rows = make_list(name)
    rows.setItemDelegate(_StepDelegate(rows))
    return rows


def fill_step_list(widget: QListWidget, rows: Sequence[ListRow]) -> None:
    """Show other rows, the first current."""
    widget.blockSignals(True)
    widget.clear()
    for row in rows:
        item = QListWidgetItem(row.title)
        item.setData(ROW, row)
        item.setToolTip("")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {row.side}")
        widget.addItem(item)
    if rows:
        widget.setCurrentRow(0)
    widget.blockSignals(False)


def current_row(widget: QListWidget) -> ListRow | None:
    """Return the row that is current, or ``None``."""
    chosen = widget.currentIndex()
    return chosen.data(ROW) if chosen.isValid() else None


class Framed(PaintedWidget):
    """A border around a view, accent while the view has the keyboard.

    Args:
        view: what is inside.
        parent: of the frame.
    """

    def __init__(self, view: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        column = QVBoxLayout(self)
        column.setContentsMargins(3, 3, 3, 3)
        column.addWidget(view)
        self.setFocusProxy(view)
        view.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint anew when the keyboard comes or goes, and let everything pass."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint border and ground."""
        theme = self.theme
        border = theme.accent if self._view.hasFocus() else theme.line_strong
        draw_frame(painter, QRectF(self.rect()), radius=6, border=border, ground=theme.base)
