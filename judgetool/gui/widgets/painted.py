"""What the widgets that paint themselves have in common: theme, hover, focus ring, kept pixmaps, speech.

Speech is what screen readers are told: sentences, other descriptions, the row that the keyboard is
on; and what a key shows to those who see: the tooltip of that row.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QColor,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAccessibleWidget,
    QApplication,
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QSplitter,
    QStackedWidget,
    QStyle,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from judgetool.core import override
from judgetool.core.system import IS_LINUX
from judgetool.gui.painting import (
    draw_focus_ring,
    draw_line,
    painted_pixmap,
    turned,
)
from judgetool.gui.theme import Role, Theme, current_theme, metrics, scaled

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection


class KeptPixmaps:
    """The last used pixmaps; what is asked for under a known key is not painted again.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, QPixmap] = OrderedDict()

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def draw(
        self,
        painter: QPainter,
        rect: QRect,
        key: Hashable,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> None:
        """Draw a row.

        Args:
            painter: on a view's viewport.
            rect: of the whole row.
            key: everything that the look of the row depends on, but size and device.
            paint: paints the row, where it is not at hand, into a rectangle from (0, 0).
            ground: under everything, so that letters are smoothed as on the view itself.
        """
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(
            rect.topLeft(),
            self.find(key, rect.width(), rect.height(), ratio, paint=paint, ground=ground),
        )

    def find(
        self,
        key: Hashable,
        width: int,
        height: int,
        ratio: float,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> QPixmap:
        """Return the pixmap of a row, painted now if it is not at hand."""
        whole = (key, width, height, ratio)
        pixmap = self._kept.get(whole)
        if pixmap is None:
            place = QRectF(0, 0, width, height)
            pixmap = painted_pixmap(
                width, height, ratio, lambda painter: paint(painter, place), ground=ground
            )
            self._kept[whole] = pixmap
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(whole)
        return pixmap


def least_row(px: int) -> int:
    """Return the height of a row of one line: so many px at a 13 px font, and room for its text."""
    return max(scaled(px), round(metrics(Role.UI).height() * 1.2))


LayoutPart = QWidget | QLayout | QSpacerItem | int | None
Margins = tuple[int, int, int, int]


def in_column(
    *parts: LayoutPart,
    host: QWidget | None = None,
    spacing: int = 0,
    margins: Margins = (0, 0, 0, 0),
) -> QBoxLayout:
    """Return parts under each other, in a widget where one is given.

    Args:
        parts: widgets, layouts and gaps; after one the share of the room left over that it
            takes; ``None`` leaves that room free.
        host: what they stand in.
        spacing: between them, in px.
        margins: left, top, right, bottom, in px.
    """
    return fill_box(QVBoxLayout(host) if host else QVBoxLayout(), parts, spacing, margins)


def in_line(
    *parts: LayoutPart,
    host: QWidget | None = None,
    spacing: int = 0,
    margins: Margins = (0, 0, 0, 0),
) -> QBoxLayout:
    """Return parts beside each other; see :func:`in_column`."""
    return fill_box(QHBoxLayout(host) if host else QHBoxLayout(), parts, spacing, margins)


def gap(px: int) -> QSpacerItem:
    """Return room that stays free in a line."""
    return QSpacerItem(px, 0, QSizePolicy.Policy.Fixed)


def fill_box(
    box: QBoxLayout, parts: Sequence[LayoutPart], spacing: int, margins: Margins
) -> QBoxLayout:
    """Return a layout with these parts in it; see :func:`in_column`."""
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    fill(box, parts)
    return box


def fill(box: QBoxLayout, parts: Iterable[LayoutPart]) -> None:
    """Put parts at the end of a box; see :func:`in_column`."""
    for part in parts:
        if isinstance(part, QWidget):
            box.addWidget(part)
        elif isinstance(part, QLayout):
            box.addLayout(part)
        elif isinstance(part, QSpacerItem):
            box.addItem(part)
        elif part is None:
            box.addStretch(1)
        else:
            box.setStretch(box.count() - 1, part)


def divide(splitter: QSplitter, *parts: QWidget) -> None:
    """Have parts that a person can give other sizes; room left over goes to the second."""
    for part in parts:
        splitter.addWidget(part)
    splitter.setChildrenCollapsible(False)
    splitter.setStretchFactor(1, 1)


class Halves:
    """What stands above in a page and what stands beneath: one of them alone without room for both.

    Args:
        splitter: one over the other.
        above: goes where what is beneath is shown alone: the upper half, or a part of it.
        button: offers the other one then.
        words: of the button, which lead to what is beneath, and to what is above.

    Attributes:
        is_low: whether there is no room for both.
        has_upper: whether what is above is shown then.
        has_own_sizes: whether a person has given them other sizes.
    """

    def __init__(
        self, splitter: QSplitter, above: QWidget, button: QPushButton, words: tuple[str, str]
    ) -> None:
        self._splitter, self._above, self._button, self._words = splitter, above, button, words
        self.is_low, self.has_upper, self.has_own_sizes = False, True, False
        button.setVisible(False)
        for each in (splitter, *splitter.findChildren(QSplitter)):
            each.splitterMoved.connect(self._keep_sizes)

    def turn(self, *, is_low: bool | None = None, has_upper: bool | None = None) -> None:
        """Show what is above, or what is beneath; ``None`` leaves as it is what is not known anew."""
        self.is_low = self.is_low if is_low is None else is_low
        self.has_upper = self.has_upper if has_upper is None else has_upper
        upper, lower = self._splitter.widget(0), self._splitter.widget(1)
        assert upper is not None
        assert lower is not None
        self._above.setVisible(self.has_upper or not self.is_low)
        lower.setVisible(not (self.has_upper and self.is_low))
        if self.is_low and not self.has_upper and not upper.isHidden():
            # The room of what went is that of what is beneath.
            self._splitter.setSizes([0, self._splitter.height()])
        self._button.setText(self._words[not self.has_upper])
        self._button.setVisible(self.is_low)

    def _keep_sizes(self) -> None:
        self.has_own_sizes = True


class PageStack(QStackedWidget):
    """A view, or the sentence that stands for it.

    Signals:
        resized: the room is another.
        hidden: another view is shown, or the window closes.
    """

    resized = Signal()
    hidden = Signal()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that the room is another."""
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that the window closes."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.hidden.emit()


def fill_width(widget: QWidget) -> None:
    """Have a widget be as high as it wishes, and as wide as there is room."""
    widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


# Room around a button's face for the focus ring: 1 px gap, 2 px ring.
RING = 3


def mirrored(widget: QWidget, rect: QRectF) -> QRectF:
    """Return where a rectangle, thought left to right, stands in the widget's direction."""
    return turned(rect, QRectF(widget.rect()), is_mirrored=widget.isRightToLeft())


def visual(widget: QWidget, rect: QRect) -> QRect:
    """Return where a child's geometry, thought left to right, stands in the direction."""
    return QStyle.visualRect(widget.layoutDirection(), widget.rect(), rect)


if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object


class _Painted(_Widget):
    """What paints itself from :func:`current_theme`, anew when theme or font change."""

    @override
    def setToolTip(self, text: str) -> None:
        """Show another tooltip, and tell readers, whose description it is."""
        if text != self.toolTip():
            super().setToolTip(text)
            tell_description(self)

    @property
    def theme(self) -> Theme:
        """The theme to paint with now."""
        return current_theme()

    def relayout(self) -> None:
        """Compute anew what depends on fonts; widgets with kept sizes extend it."""
        self.updateGeometry()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme, font and enabledness."""
        kinds = QEvent.Type
        if event.type() is kinds.FontChange:
            self.relayout()
        looks = (kinds.FontChange, kinds.PaletteChange, kinds.StyleChange, kinds.EnabledChange)
        if event.type() in looks:
            self.update()
        super().changeEvent(event)


class PaintedWidget(_Painted, QWidget):
    """A widget that paints itself.

    Attributes:
        ground: name of the theme's colour that fills it; ``""`` leaves it as it is.
        edge: on which side there is a line: ``top``, ``bottom``, ``start`` or ``end``;
            ``""`` for none.
    """

    ground = edge = ""

    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint ground and edge; subclasses that show more do what is asked for.

        Args:
            painter: on this widget, open until this returns.
            exposed: what has to be painted; more costs time alone.
        """
        theme = current_theme()
        if self.ground:
            painter.fillRect(exposed, getattr(theme, self.ground))
        width, height = self.width(), self.height()
        if self.edge in ("top", "bottom"):
            above = QRectF(0, 0, width, 1 if self.edge == "top" else height)
            draw_line(painter, above, theme.line)
        elif self.edge:
            line = QRectF(0 if self.edge == "start" else width - 1, 0, 1, height)
            painter.fillRect(mirrored(self, line), theme.line)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        self.draw(painter, QRectF(event.rect()))
        painter.end()


class FittedWidget(PaintedWidget):
    """A widget whose parts stand otherwise in another room, and in another size of text."""

    def fit(self) -> None:
        """Have the parts stand as there is room; subclasses do."""
        raise NotImplementedError

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the room."""
        super().resizeEvent(event)
        self.fit()

    @override
    def relayout(self) -> None:
        """Follow the size of the text."""
        super().relayout()
        self.fit()


class Panel(PaintedWidget):
    """A widget on the ground of the docks."""

    ground = "panel"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # It fills its ground: what lies under it need not be painted with it.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)


class PaintedButton(_Painted, QAbstractButton):
    """A button that paints its own face, with room around it for the focus ring.

    A click does not take the keyboard away from the list that has it; Tab reaches it.
    """

    radius = 6.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def face(self) -> QRectF:
        """The button without the room for its focus ring."""
        return QRectF(self.rect()).adjusted(RING, RING, -RING, -RING)

    def face_size(self) -> QSize:
        """Return the wished size of the face; subclasses say."""
        raise NotImplementedError

    def paint_face(self, painter: QPainter) -> None:
        """Paint the face; subclasses do."""
        raise NotImplementedError

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return self.face_size() + QSize(2 * RING, 2 * RING)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return self.sizeHint()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        self.paint_face(painter)
        if self.hasFocus():
            draw_focus_ring(painter, self.face, self.theme, radius=self.radius)
        painter.end()

    def mirrored(self, rect: QRectF) -> QRectF:
        """Return where a rectangle, thought left to right, stands in this direction."""
        return mirrored(self, rect)


# Below so many px, grown with the text, a window is low for what is read in it, or narrow.
_LOW_FOR_TEXT, _NARROW_FOR_TEXT = 480, 1040


def is_low_for_text(widget: QWidget) -> bool:
    """Whether the window is so low for the size of its text that heads leave their room to documents."""
    return widget.window().height() < scaled(_LOW_FOR_TEXT)


def is_narrow_for_text(widget: QWidget) -> bool:
    """Whether the window is so narrow for the size of its text that documents have the list's room."""
    return widget.window().width() < scaled(_NARROW_FOR_TEXT)


def scroll_area(content: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """Return an area on the ground of what it lies in, moved by the wheel and by its fields."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    # Qt gives both a ground of their own, that of lists.
    area.viewport().setAutoFillBackground(False)
    content.setAutoFillBackground(False)
    return area


class EventWatch(QObject):
    """Shows some kinds of events of an object to a function first, which says whether it takes them."""

    def __init__(self, watched: QObject, take: Callable[[Any], bool], *kinds: QEvent.Type) -> None:
        super().__init__(watched)
        self._take, self._kinds = take, kinds
        watched.installEventFilter(self)

    @override
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Ask whether the event is taken, and let all of other kinds pass."""
        return event.type() in self._kinds and self._take(event)


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout, and do away with it."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


# What the tooltip says that a key has shown, kept by its view.
_TIP = "shown_tip"
_TIP_MS = 60_000
_WAITS_MS = 200
_CALM_MS = 1000
# How long a reader may take to come to what it was told of.
_NOTICE_MS = 10_000
# The description that a widget was given for want of its own, and one that says nothing: where there
# is none at all Qt takes the tooltip. Then what sets the key apart in a tooltip.
_GIVEN, _NOTHING, _APART = "given_description", " ", " · "
WRAP, WORD_WRAP = " \n", "\u200b\n"
"""Breaks that only the width of a tooltip has made, between words and in one; what stands for itself
follows a bare one."""
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
    # Each text has its own: a reader asks what it says only once it comes to it.
    notice = _Notice(widget.window())
    notice.setAccessibleName(text)
    QTimer.singleShot(_NOTICE_MS, notice, notice.deleteLater)
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
    if QAccessible.isActive():
        say_once([widget])
        if not widget.accessibleDescription():
            event = QAccessibleEvent(widget, QAccessible.Event.DescriptionChanged)
            QAccessible.updateAccessibility(event)


def say_once(widgets: Iterable[QWidget]) -> None:
    """Have readers hear nothing twice of widgets, where the tooltip has the name as well.

    Qt describes a widget by its tooltip, or a field by its hint, where it has no description of
    its own: one is given to it here, with what its name does not say. Nothing where none listens.
    """
    for widget in widgets if QAccessible.isActive() else ():
        own, given = widget.accessibleDescription(), widget.property(_GIVEN) or ""
        if own and own != given:
            continue
        tip, names = _plain(widget.toolTip()), _names_of(widget)
        hint = widget.placeholderText() if isinstance(widget, QLineEdit) else ""
        told = tip or _plain(hint)
        is_named = told in names or (bool(tip) and any(tip in name for name in names))
        rest = "" if is_named else _beyond(told, names)
        # What Qt takes would be read with its markup.
        wanted = "" if rest == (widget.toolTip() or hint) else rest or _NOTHING
        if wanted != own:
            widget.setProperty(_GIVEN, wanted)
            widget.setAccessibleDescription(wanted)


def _names_of(widget: QWidget) -> list[str]:
    """Return what readers call a widget, and the choice that they say with it."""
    shown = widget.text().replace("&&", "\0") if isinstance(widget, QAbstractButton) else ""
    choice = widget.currentText() if isinstance(widget, QComboBox) else ""
    names = widget.accessibleName(), shown.replace("&", "").replace("\0", "&"), choice
    return [name for name in map(_plain, names) if name]


def _plain(text: str) -> str:
    """Return a text in one line, without markup."""
    return " ".join(_unwrapped(text).replace("\n", _APART).replace("  ", _APART).split())


def _unwrapped(text: str) -> str:
    """Return a tooltip in the lines that it was given in: without markup and the breaks of its width."""
    plain = QTextDocumentFragment.fromHtml(text).toPlainText() if text.startswith("<") else text
    return plain.replace(WRAP, " ").replace(WORD_WRAP, "")


def spoken_tip(tip: str) -> str:
    """Return a tooltip as a reader says it: a pause only between lines that stand for themselves."""
    lines = [line.strip().rstrip(",") for line in _unwrapped(tip).splitlines() if line.strip()]
    for at, line in enumerate(lines[:-1]):
        lines[at] = line if line.endswith(tuple(".!?:;…")) else f"{line},"
    return " ".join(lines)


def _beyond(told: str, names: Sequence[str]) -> str:
    """Return what a text says beside names; all of it where it says them in another way."""
    for name in names:
        after = told.removeprefix(name)
        if after != told and not after.removeprefix(" ")[:1].isalnum():
            told = after.strip(f"{_APART} .,:;()")
    return told


def tell_current(
    view: QAbstractItemView, kind: QAccessible.Event = QAccessible.Event.Focus
) -> None:
    """Have a reader say the current row of a list that has the keyboard: Qt says the list alone.

    Args:
        view: the list, or a table.
        kind: ``NameChanged`` where what a cell says depends on its being current.
    """
    heard = QAccessible.queryAccessibleInterface(view) if QAccessible.isActive() else None
    row = heard.focusChild() if heard is not None and view.hasFocus() else None
    if heard is not None and row is not None and row.isValid():
        event = QAccessibleEvent(view, kind)
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
        # Where a reader takes itself to be, and whether another row was said since in a sentence.
        self._told = QPersistentModelIndex()
        self._has_left = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._tell)

    def tell_later(self, *, comes: bool = False) -> None:
        """Have the current row said, once everything is done that is under way.

        Args:
            comes: whether the keyboard has only just come to the list.
        """
        if QAccessible.isActive():
            self._told = QPersistentModelIndex() if comes else self._told
            self._is_untold = True
            self._later.start()

    def hush(self) -> None:
        """Say no row until :meth:`speak`: something else is to be heard first."""
        self._is_hushed = True

    def speak(self, *, is_said: bool) -> None:
        """Say the current row now if it was kept back, and nothing else has said it."""
        self._is_hushed = False
        if is_said:
            self._is_untold = False
            self._has_left = self._told != self._view.currentIndex()
        self._tell()

    def _tell(self) -> None:
        if not self._is_untold or self._is_hushed:
            return
        here = self._view.currentIndex()
        if self._has_left and self._told == here:
            # A reader that takes itself to be there says nothing of the row that it comes to.
            announce(self._view, str(here.data(Qt.ItemDataRole.AccessibleTextRole) or ""))
        else:
            tell_current(self._view)
        self._told = QPersistentModelIndex(here)
        self._is_untold = self._has_left = False


class RowTeller(QObject):
    """Has readers say the current row of whatever list the keyboard comes to, in every window.

    And nothing twice of whatever else it comes to.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._window: int | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is None or not QAccessible.isActive():
            return
        window = new.window()
        if window.windowType() is Qt.WindowType.Popup:
            # Of the open list of a box Qt itself tells; what is found in such a window is lost
            # here as soon as nobody holds the window, and Qt's view of the box with it.
            return
        is_same, self._window = id(window) == self._window, id(window)
        say_once([new] if is_same else window.findChildren(QWidget))
        if isinstance(new, QAbstractItemView):
            # Qt tells of the list itself last of all; its row is told after it.
            speech = new.findChild(RowSpeech, options=Qt.FindChildOption.FindDirectChildrenOnly)
            (speech or RowSpeech(new)).tell_later(comes=True)


def _tip_of(index: QModelIndex) -> str:
    return str(index.data(Qt.ItemDataRole.ToolTipRole) or "")


class _TipCloser(QObject):
    """Has Esc close a tooltip that a key has shown, and do nothing else meanwhile."""

    @override
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take Esc from what has the keyboard, as long as the tooltip is there."""
        kinds = QEvent.Type
        is_key = event.type() in (kinds.ShortcutOverride, kinds.KeyPress)
        if not is_key or not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        view = self.parent()
        event.setAccepted(_is_shown(view))
        if event.isAccepted() and event.type() is kinds.KeyPress:
            hide_tip(view)
        return event.isAccepted()


def _is_shown(view: QObject | None) -> bool:
    """Whether the tooltip that is seen is the one that a key has shown of a view."""
    told = view.property(_TIP) if view is not None else None
    return bool(told) and QToolTip.isVisible() and QToolTip.text() == told


def hide_tip(view: QObject | None) -> None:
    """Close the tooltip that a key has shown of a view, as when it goes on to something else."""
    if view is not None and _is_shown(view):
        # It goes in a moment, and is not to be renewed until then.
        view.setProperty(_TIP, "")
        QToolTip.hideText()


def show_tip(view: QAbstractItemView, index: QModelIndex | None = None) -> None:
    """Show the tooltip of a row or cell of a view, of the current one unless told otherwise."""
    index = view.currentIndex() if index is None else index
    if index.isValid():
        at = view.viewport().mapToGlobal(view.visualRect(index).bottomLeft())
        tip = _tip_of(index)
        view.setProperty(_TIP, tip)
        QToolTip.showText(at, tip, view.viewport(), QRect(), _TIP_MS)
        if (keyed := QApplication.focusWidget()) is not None:
            keyed.installEventFilter(view.findChild(_TipCloser) or _TipCloser(view))


def renew_tip(view: QAbstractItemView) -> None:
    """Have a tooltip that a key has shown say what holds now, or go with what it told of."""
    if not _is_shown(view):
        return
    tip = _tip_of(view.currentIndex())
    if not tip:
        QToolTip.hideText()
    elif tip != view.property(_TIP):
        show_tip(view)


def tell_tip(view: QAbstractItemView) -> None:
    """Show the tooltip of a view's current row or cell, and have a reader say it."""
    show_tip(view)
    announce(view, spoken_tip(_tip_of(view.currentIndex())))
