"""The head of the table of systems: names of columns, and which one gives the order."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.table_delegate import GAP, INSET
from judgetool.gui.compare.table_model import TableModel
from judgetool.gui.fonts import Role, line_height, scaled
from judgetool.gui.painting import LEFT, draw_line, draw_text
from judgetool.gui.theme import current_theme


class TableHeads(QHeaderView):
    """Texts stand where the cells' texts begin; a click orders by a column."""

    def __init__(self, model: TableModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._model = model
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Columns; a click orders by one")

    @override
    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(super().sizeHint().width(), line_height(Role.HEAD) + scaled(12))

    @override
    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        """Paint a column's name."""
        theme, place = current_theme(), QRectF(rect)
        painter.save()
        painter.fillRect(place, theme.panel)
        draw_line(painter, place, theme.line)
        left = INSET if column == 0 else scaled(GAP)
        is_order = column == self._model.sorted_by
        arrow = ("  ↑" if self._model.is_rising else "  ↓") if is_order else ""
        text = self._model.head(column) + arrow
        ink = theme.text if is_order else theme.text3
        inner = place.adjusted(left, 0, -4, 0)
        draw_text(painter, inner, text, role=Role.HEAD, colour=ink, align=LEFT)
        painter.restore()
