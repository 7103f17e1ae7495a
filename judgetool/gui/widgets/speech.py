"""What screen readers are told: sentences, other descriptions, the row that the keyboard is on.

And what a key shows to those who see: the tooltip of that row.
"""

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QToolTip, QWidget

_TIP_MS = 60_000


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say something at once; nothing where none listens."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def tell_description(widget: QWidget) -> None:
    """Have readers ask again for a description: Qt takes it from the tooltip, and says nothing.

    They keep what they were told once, and would read what was true of another moment.
    """
    if QAccessible.isActive() and not widget.accessibleDescription():
        event = QAccessibleEvent(widget, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)


def tell_current(view: QAbstractItemView) -> None:
    """Have a reader say the current row of a list that has the keyboard: Qt says the list alone."""
    heard = QAccessible.queryAccessibleInterface(view) if QAccessible.isActive() else None
    row = heard.focusChild() if heard is not None and view.hasFocus() else None
    if heard is not None and row is not None and row.isValid():
        event = QAccessibleEvent(view, QAccessible.Event.Focus)
        event.setChild(heard.indexOfChild(row))
        QAccessible.updateAccessibility(event)


class RowSpeech(QObject):
    """Has readers say the current row of a list once, after everything that a key has done.

    Args:
        view: the list; it asks whenever another row is current.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._is_hushed = False
        self._is_untold = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._tell)

    def tell_later(self) -> None:
        """Have the current row said, once everything is done that is under way."""
        if QAccessible.isActive():
            self._is_untold = True
            self._later.start()

    def hush(self) -> None:
        """Say no row until :meth:`speak`: something else is to be heard first."""
        self._is_hushed = True

    def speak(self, *, is_said: bool) -> None:
        """Say the current row now if it was kept back, and nothing else has said it."""
        self._is_hushed = False
        self._is_untold = self._is_untold and not is_said
        self._tell()

    def _tell(self) -> None:
        if self._is_untold and not self._is_hushed:
            self._is_untold = False
            tell_current(self._view)


class RowTeller(QObject):
    """Has readers say the current row of whatever list the keyboard comes to, in every window."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if QAccessible.isActive() and isinstance(new, QAbstractItemView):
            # Qt tells of the list itself last of all; its row is told after it.
            speech = new.findChild(RowSpeech, options=Qt.FindChildOption.FindDirectChildrenOnly)
            (speech or RowSpeech(new)).tell_later()


def show_tip(view: QAbstractItemView, index: QModelIndex | None = None) -> None:
    """Show the tooltip of a row or cell of a view, of the current one unless told otherwise."""
    index = view.currentIndex() if index is None else index
    if index.isValid():
        at = view.viewport().mapToGlobal(view.visualRect(index).bottomLeft())
        tip = str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
        QToolTip.showText(at, tip, view.viewport(), QRect(), _TIP_MS)
