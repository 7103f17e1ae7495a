"""The filter of a list: a field with a magnifying glass and the key that leads to it."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QCompleter,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import draw_row_ground, draw_text
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import KeyCap

_INSET = 7
_LEAST_TYPED = 2


class FilterField(QLineEdit):
    """Typing filters at once; Esc clears and leaves, Enter or Down takes the first.

    Signals:
        left: Esc was pressed; the field is empty now.
        taken: Enter or Down was pressed.
    """

    left = Signal()
    taken = Signal()

    def __init__(self, hint: str, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._cap = KeyCap(key, parent=self)
        self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._cap.setVisible(bool(key))
        self._has_cap = bool(key)
        self._paint_glass()
        self.textChanged.connect(lambda text: self._cap.setVisible(self._has_cap and not text))
        self._known = QStringListModel(self)
        self._words = WordCompleter(self._known, self)
        self.setCompleter(self._words)

    def set_completions(self, texts: Sequence[str]) -> None:
        """Offer these words while they are typed."""
        self._known.setStringList(list(texts))

    def _paint_glass(self) -> None:
        self._glass.setIcon(themed_icon("search", current_theme()))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the key cap at the end of the field."""
        super().resizeEvent(event)
        self._place_cap()

    def _place_cap(self) -> None:
        size = self._cap.sizeHint()
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        left = self.width() - size.width() - _INSET if is_left else _INSET
        room = size.width() + 2 if self._has_cap else 0
        self.setTextMargins(0 if is_left else room, 0, room if is_left else 0, 0)
        self._cap.setGeometry(
            left, (self.height() - size.height()) // 2, size.width(), size.height()
        )

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave or take on the keys that do; type everything else."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_escape = event.key() == Qt.Key.Key_Escape
        if self._words.is_open and (is_escape or (is_enter and self._words.has_choice)):
            # The list of words takes it.
            event.ignore()
        elif is_escape:
            self.clear()
            self.left.emit()
        elif is_enter or event.key() == Qt.Key.Key_Down:
            self._words.close()
            self.taken.emit()
        else:
            super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_glass()
        elif event.type() is QEvent.Type.FontChange:
            self._place_cap()
        super().changeEvent(event)


class WordCompleter(QCompleter):
    """Completes the last word of a line rather than the line."""

    def __init__(self, words: QStringListModel, parent: QWidget) -> None:
        super().__init__(words, parent)
        self._before = ""
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(8)
        popup = self.popup()
        if popup is not None:
            popup.setItemDelegate(_OfferedRows(popup))
            popup.setAccessibleName("Filters to choose from")

    @property
    def is_open(self) -> bool:
        """Whether words are offered now."""
        popup = self.popup()
        return popup is not None and popup.isVisible()

    @property
    def has_choice(self) -> bool:
        """Whether one of the words offered is chosen."""
        popup = self.popup()
        return popup is not None and popup.currentIndex().isValid()

    def close(self) -> None:
        """Offer nothing."""
        popup = self.popup()
        if popup is not None:
            popup.hide()

    @override
    def splitPath(self, path: str) -> list[str]:
        """Return the word that is being typed; nothing is offered for a letter alone."""
        self._before, _, word = path.rpartition(" ")
        # No word begins so: nothing is offered.
        return [word if len(word) >= _LEAST_TYPED else "\0"]

    @override
    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return the line with the word completed."""
        word = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        return f"{self._before} {word} ".lstrip()


class _OfferedRows(QStyledItemDelegate):
    """Rows as those of the lists, on the ground that their state asks for."""

    @override
    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, scaled(26))

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        painter.save()
        draw_row_ground(painter, rect, theme, state=option.state)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        inner = rect.adjusted(scaled(10), 0, -scaled(6), 0)
        draw_text(painter, inner, text, role=Role.UI, colour=theme.text)
        painter.restore()
