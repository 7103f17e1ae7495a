"""Rows of two parts in a framed list: what, and at its end when and who."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyleOptionViewItem

from judgetool.core.override import override
from judgetool.gui.dialogs.framed_list import Index, RowDelegate, make_list
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, chip_height, chip_width, draw_chip_cached
from judgetool.gui.painting import RIGHT, draw_row_ground, draw_text
from judgetool.gui.theme import current_theme

_ROW = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class StepRow:
    """One row.

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


class _Delegate(RowDelegate):
    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, scaled(30))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        row: StepRow = index.data(_ROW)
        state = option.state
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        painter.save()
        draw_row_ground(painter, rect, theme, state=state)
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        if row.style is not None:
            width = chip_width([row.style])
            height = chip_height()
            top = round(inner.center().y() - height / 2)
            chip = QRectF(inner.left(), top, width, height)
            draw_chip_cached(painter, chip, theme, row.style)
            inner.setLeft(inner.left() + max(width, scaled(44)) + scaled(8))
        room = min(text_width(Role.META, row.side) + 2, inner.width() * 0.6)
        side = QRectF(inner.right() - room, inner.top(), room, inner.height())
        draw_text(painter, side, row.side, role=Role.META, colour=theme.text3, align=RIGHT)
        inner.setRight(side.left() - scaled(12))
        ink = theme.text3 if row.is_faint else theme.text
        draw_text(painter, inner, row.title, role=Role.UI, colour=ink)
        painter.restore()


def make_step_list(name: str) -> QListWidget:
    """Return an empty list for such rows, named for readers."""
    rows = make_list(name)
    rows.setItemDelegate(_Delegate(rows))
    return rows


def fill_step_list(widget: QListWidget, rows: Sequence[StepRow]) -> None:
    """Show other rows, the first current."""
    widget.blockSignals(True)
    widget.clear()
    for row in rows:
        item = QListWidgetItem(row.title)
        item.setData(_ROW, row)
        item.setToolTip("")
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {row.side}")
        widget.addItem(item)
    if rows:
        widget.setCurrentRow(0)
    widget.blockSignals(False)


def current_row(widget: QListWidget) -> StepRow | None:
    """Return the row that is current, or ``None``."""
    chosen = widget.currentIndex()
    return chosen.data(_ROW) if chosen.isValid() else None
