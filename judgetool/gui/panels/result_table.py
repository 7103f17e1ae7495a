"""The table of cards: painted rows of one query, several of which can be selected."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from judgetool.core.override import override
from judgetool.gui.delegates.card_geometry import card_height, head_height
from judgetool.gui.delegates.result_delegate import ResultDelegate
from judgetool.gui.models.result_model import ResultModel
from judgetool.gui.panels.list_table import ListTable
from judgetool.gui.panels.tick_scroll_bar import TickScrollBar


class ResultTable(ListTable):
    """The table of cards.

    Signals:
        opened: Enter was pressed on a card, or it was clicked twice.
    """

    opened = Signal()

    def __init__(self, model: ResultModel, parent: QWidget) -> None:
        super().__init__(parent, selects_several=True)
        self.setAccessibleName("Results")
        self.setModel(model)
        self.bar = TickScrollBar(self)
        self.setVerticalScrollBar(self.bar)
        self.delegate = ResultDelegate(model, self)
        self.setItemDelegate(self.delegate)
        self.set_row_height(card_height())
        self.verticalScrollBar().setSingleStep(card_height() // 2)
        self.focus_changed.connect(self._on_focus)
        self.doubleClicked.connect(lambda _index: self.opened.emit())
        self._heads: frozenset[int] = frozenset()

    def put_heads(self, rows: Iterable[int]) -> None:
        """Give the rows that have a heading above them the room for that, and no others."""
        heads = frozenset(rows)
        # Qt keeps the heights of rows through a reset of the model.
        for row in self._heads - heads:
            self.setRowHeight(row, card_height())
        for row in heads:
            self.setRowHeight(row, card_height() + head_height())
        self._heads = heads

    def keep_in_sight(self) -> None:
        """Scroll so far that half a card is seen above and below the current one."""
        rect, height = self.visualRect(self.currentIndex()), self.viewport().height()
        margin = card_height() // 2
        if not rect.isValid() or height < 3 * card_height():
            return
        bar = self.verticalScrollBar()
        if rect.bottom() > height - margin:
            bar.setValue(bar.value() + rect.bottom() - height + margin)
        elif rect.top() < margin:
            bar.setValue(bar.value() - margin + rect.top())

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back from several selected cards to the current one by Esc."""
        is_several = len(self.selectionModel().selectedRows()) > 1
        if event.key() == Qt.Key.Key_Escape and is_several:
            self.choose_row(self.currentIndex().row())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)
            self.keep_in_sight()
