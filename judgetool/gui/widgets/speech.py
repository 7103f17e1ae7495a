"""What screen readers are told: sentences, other descriptions, the row that the keyboard is on.

And what a key shows to those who see: the tooltip of that row.
"""

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAccessibleWidget,
    QApplication,
    QToolTip,
    QWidget,
)

from judgetool.core.system import IS_LINUX

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection

_TIP_MS = 60_000
_WAITS_MS = 200
_CALM_MS = 1000
# Who listens to one of these hears what is announced.
_ANNOUNCED = ('"Object::"', '"Object:Announcement:"')


class _Notice(QWidget):
    """What appears, for readers alone, where they know of no announcements."""

    heard_as = QAccessible.Role.Notification


class SaidAloud(QObject):
    """What is announced by any window.

    Signals:
        said: a text, on its way to whoever listens.
    """

    said = Signal(str)


VOICE = SaidAloud()


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Have a screen reader say something; nothing where none listens.

    Args:
        widget: whose window speaks.
        text: what is said; ``""`` for nothing.
        is_urgent: whether what is being said gives way to it.
    """
    if not text or not QAccessible.isActive():
        return
    VOICE.said.emit(text)
    if _hears_announcements():
        told = QAccessibleAnnouncementEvent(widget, text)
        manner = QAccessible.AnnouncementPoliteness
        told.setPoliteness(manner.Assertive if is_urgent else manner.Polite)
        QAccessible.updateAccessibility(told)
        return
    window = widget.window()
    notice = window.findChild(_Notice) or _Notice(window)
    notice.setAccessibleName(text)
    QAccessible.updateAccessibility(QAccessibleEvent(notice, QAccessible.Event.ObjectShow))


def announce_later(widget: QWidget, text: str) -> None:
    """Have it said once what comes with another window or sheet has been told to readers.

    What is announced meanwhile they drop. Nothing is said once the widget is hidden again.
    """
    if text and QAccessible.isActive():
        later = QTimer(widget, singleShot=True, interval=_CALM_MS)
        later.timeout.connect(lambda: announce(widget, text) if widget.isVisible() else None)
        later.timeout.connect(later.deleteLater)
        later.start()


def is_value_spoken(which: str, name: str, *, explained: str) -> bool:
    """Whether a value that has changed is said.

    Args:
        which: one of :data:`~judgetool.settings.SPOKEN_VALUES`.
        name: of its measure.
        explained: the measure that is explained.
    """
    return which == "all" or (which == "explained" and name == explained)


def _hears_announcements() -> bool:
    """Whether a reader would be told what is announced: Orca 43, of Debian 12, is not.

    Where it cannot be found out, or nobody listens to anything, it is taken to be so.
    """
    if not IS_LINUX or QApplication.platformName() == "offscreen":
        return True
    # PySide6 cannot take structures apart; what it prints of them says it all.
    told = _ask_registry()
    return '"Object:' not in told or any(each in told for each in _ANNOUNCED)


def _ask_registry() -> str:
    """Return what readers listen to, as the accessibility bus tells it; ``""`` if it does not."""
    from PySide6.QtDBus import QDBus, QDBusMessage  # noqa: PLC0415 - for readers alone

    bus = _reader_bus()
    name = "org.a11y.atspi.Registry"
    asked = QDBusMessage.createMethodCall(
        name, "/org/a11y/atspi/registry", name, "GetRegisteredEvents"
    )
    return repr(bus.call(asked, QDBus.CallMode.Block, _WAITS_MS)) if bus else ""


@cache
def _reader_bus() -> "QDBusConnection | None":
    from PySide6.QtDBus import QDBus, QDBusConnection, QDBusMessage  # noqa: PLC0415 - for readers alone

    name = "org.a11y.Bus"
    asked = QDBusMessage.createMethodCall(name, "/org/a11y/bus", name, "GetAddress")
    answer = QDBusConnection.sessionBus().call(asked, QDBus.CallMode.Block, _WAITS_MS)
    if answer.type() is not QDBusMessage.MessageType.ReplyMessage:
        return None
    return QDBusConnection.connectToBus(str(answer.arguments()[0]), "judgetool and readers")


@cache
def hear_roles() -> None:
    """Have every widget whose class has a ``heard_as`` be what that says, for readers."""

    def find(_key: str, thing: QObject) -> QAccessibleInterface | None:
        role = getattr(thing, "heard_as", None)
        if not isinstance(thing, QWidget) or role is None:
            return None
        return QAccessibleWidget(thing, role)

    QAccessible.installFactory(find)


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


def tell_name(view: QAbstractItemView) -> None:
    """Have readers ask again what the current cell says, where that depends on its being current."""
    heard = QAccessible.queryAccessibleInterface(view) if QAccessible.isActive() else None
    cell = heard.focusChild() if heard is not None and view.hasFocus() else None
    if heard is not None and cell is not None and cell.isValid():
        event = QAccessibleEvent(view, QAccessible.Event.NameChanged)
        event.setChild(heard.indexOfChild(cell))
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


def tell_tip(view: QAbstractItemView) -> None:
    """Show the tooltip of a view's current row or cell, and have a reader say it."""
    show_tip(view)
    index = view.currentIndex()
    tip = str(index.data(Qt.ItemDataRole.ToolTipRole) or "") if index.isValid() else ""
    text = QTextDocumentFragment.fromHtml(tip).toPlainText() if tip.startswith("<") else tip
    announce(view, ", ".join(line.rstrip(",") for line in text.splitlines()))
