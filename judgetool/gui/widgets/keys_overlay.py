"""All keys at a glance, over the window: ``?`` opens it, ``Esc`` or ``?`` closes it."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QWidget,
)

from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import draw_frame, draw_line
from judgetool.gui.widgets.fields import NamedCombo, name_signs
from judgetool.gui.widgets.keys_page import INSET, KeyGroup, KeysPage, matching_groups, page_height
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap, Text
from judgetool.gui.widgets.painted import PaintedWidget, in_column, in_line, scroll_area
from judgetool.gui.widgets.speech import announce, announce_later
from judgetool.wording import N_, _

_MARGIN = 48
_LEAST_MARGIN = 28
_MOST_WIDTH = 1140
_HEAD = 54
_FOOT = 40


_SCROLLS = {
    Qt.Key.Key_Down: QScrollBar.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_Up: QScrollBar.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_PageDown: QScrollBar.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_PageUp: QScrollBar.SliderAction.SliderPageStepSub,
}
_MOST_SAID = 5
_HOW = N_("Type to find one, Tab leads to the list, Esc closes.")


def _in_words(groups: tuple[KeyGroup, ...]) -> str:
    """Return what a search has found, for readers: how many actions, and the first of them."""
    found = [f"{entry.text}, {entry.keys}" for group in groups for entry in group.entries]
    if not found:
        return _("No action has this name.")
    actions = number_of(len(found), "{n} action", "{n} actions")
    return f"{actions}: {'; '.join(found[:_MOST_SAID])}. {_('Arrow Down reads them.')}"


class _Sheet(PaintedWidget):
    """The raised sheet with its border and the lines under head and over foot."""

    keys: QScrollArea

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        theme = self.theme
        whole = QRectF(self.rect())
        draw_frame(painter, whole, radius=7, border=theme.line_strong, ground=theme.raised)
        for at in (self.keys.y(), self.keys.geometry().bottom() + 2):
            draw_line(painter, QRectF(1, 0, whole.width() - 2, at), theme.line)


class KeysOverlay(PaintedWidget):
    """A child that covers its parent: a scrim, and on it the keys with a search field.

    Typing filters; the first ``Esc`` empties the field, the next closes. Tab or the arrow
    down leads from the field to the keys, arrows through them. A click
    outside the sheet closes too. The keyboard goes back to where it was.

    Signals:
        opening: it is about to be seen.
        closed: it went away.
        change_requested: the person wants other keys.
        preset_chosen: name of the set of keys that the person wants to start from.
    """

    ground = "scrim"
    opening = Signal()
    closed = Signal()
    change_requested = Signal()
    preset_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self._groups: tuple[KeyGroup, ...] = ()
        self._is_due = False
        self._before: QWidget | None = None
        self._sheet = _Sheet(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText(_("Type to find an action"))
        self.search.setAccessibleName(_("Find an action"))
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.search.addAction(themed_icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        name_signs(self.search)
        self.change = QPushButton(_("Change keys…"))
        self.change.setAutoDefault(False)
        self.change.clicked.connect(self.change_requested)
        self.presets = NamedCombo()
        self.presets.setAccessibleName(_("Set of keys"))
        # All keys change with it: an arrow in passing must not.
        self.presets.is_steady = True
        self.presets.hide()
        self.presets.activated.connect(self._choose_preset)
        self._page = KeysPage()
        self._page.row_met.connect(self._show_row)
        self._title = ElidedLabel(_("Keys"), role=Role.DIALOG_TITLE)
        self._remark = Text(role=Role.META, ink="text2")
        self._arrange()
        self.setAccessibleName(_("Keys"))
        self.hide()

    def _arrange(self) -> None:
        close = ElidedLabel(_("close"), role=Role.META, ink="text2")
        margins = (INSET, 0, INSET, 0)
        head, foot = (QWidget(), QWidget())
        shown = (self._title, self.presets, None, self.search, self.change)
        in_line(*shown, host=head, spacing=12, margins=margins)
        in_line(self._remark, 1, KeyCap("Esc"), close, host=foot, spacing=6, margins=margins)
        self._ends = [head, foot]
        scroll = self._sheet.keys = scroll_area(self._page)
        # The keys that scroll do so wherever the keyboard is on the sheet.
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(head, scroll, 1, foot, host=self._sheet, margins=(1, 0, 1, 1))

    @property
    def page(self) -> KeysPage:
        """The page of keys, as of now."""
        self._catch_up()
        return self._page

    def set_groups(self, groups: tuple[KeyGroup, ...], *, remark: str = "") -> None:
        """Say which keys there are.

        Args:
            groups: by task.
            remark: at the foot, such as that keys never fire while typing.
        """
        self._groups = groups
        self._remark.setText(remark)
        self._is_due = True
        # To lay all keys out takes as long as to show another view: only for whoever looks.
        if not self.isHidden():
            self._catch_up()
            self._place()

    def _catch_up(self) -> None:
        if self._is_due:
            self._is_due = False
            self._filter(self.search.text())

    def set_presets(self, presets: Mapping[str, str], current: str) -> None:
        """Offer sets of keys to start from, by name with their titles."""
        self.presets.clear()
        for name, title in presets.items():
            self.presets.addItem(title, name)
        self.presets.setCurrentIndex(self.presets.findData(current))
        self.presets.setVisible(bool(presets))

    def _choose_preset(self) -> None:
        self.preset_chosen.emit(str(self.presets.currentData()))
        announce(self, _("Keys are now: {set}.").format(set=self.presets.currentText()))

    def open(self) -> None:
        """Cover the parent and take the keyboard."""
        window = self.window()
        self._before = window.focusWidget()
        self.opening.emit()
        self.search.clear()
        self._catch_up()
        self._place()
        self._host.installEventFilter(self)
        self.show()
        self.raise_()
        self.search.setFocus()
        n = sum(len(group.entries) for group in self._groups)
        announce_later(self, f"{number_of(n, 'Keys, {n} action.', 'Keys, {n} actions.')} {_(_HOW)}")

    @override
    def close(self) -> bool:
        """Go away and give the keyboard back."""
        if self.isHidden():
            return True
        self._host.removeEventFilter(self)
        # Hidden with the keyboard it would hand it on to whatever comes next, which readers say.
        if self._before is not None:
            self._before.setFocus()
        self._before = None
        self.hide()
        self.closed.emit()
        return True

    def toggle(self) -> None:
        """Open when closed, close when open."""
        if self.isHidden():
            self.open()
        else:
            self.close()

    def _filter(self, wanted: str) -> None:
        groups = matching_groups(self._groups, wanted)
        self._page.set_groups(groups)
        if wanted and self.isVisible():
            announce(self, _in_words(groups))

    def _place(self) -> None:
        """Cover the parent; the sheet is as large as its content lets it be."""
        self.setGeometry(self._host.rect())
        width = min(scaled(_MOST_WIDTH), self.width() - 2 * _MARGIN)
        for end, needed in zip(self._ends, self._end_heights(width), strict=True):
            end.setFixedHeight(needed)
        height = min(self.height() - 2 * _LEAST_MARGIN, self._sheet_height(width))
        beside = [x for x in (self._title, self.presets, self.change) if not x.isHidden()]
        # There is one more gap, at the stretch before the field.
        taken = 2 * INSET + 12 + sum(each.sizeHint().width() + 12 for each in beside)
        # With large text the words give way: what is typed is still seen.
        self.search.setFixedWidth(max(scaled(80), min(scaled(240), width - taken)))
        left, top = (self.width() - width) // 2, (self.height() - height) // 2
        self._sheet.setGeometry(QRect(left, top, width, height))

    def _sheet_height(self, width: int) -> int:
        """Return the height that all keys need at a width, so that filtering does not move the sheet."""
        return page_height(self._groups, width - 2) + sum(self._end_heights(width)) + 1

    def _end_heights(self, width: int) -> tuple[int, int]:
        """Return how high head and foot are at a width: in large text the remark takes two lines."""
        remark = self._ends[1].heightForWidth(width - 2) + scaled(8)
        return scaled(_HEAD), max(scaled(_FOOT), remark)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the parent's size; let Esc and ? in the field mean the sheet."""
        if isinstance(event, QResizeEvent):
            if watched is self._host:
                self._place()
        elif isinstance(event, QKeyEvent) and watched is self.search:
            is_press = event.type() is QEvent.Type.KeyPress
            if is_press and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    @override
    def event(self, event: QEvent) -> bool:
        """Keep the window's own keys from it: what they would change cannot be seen."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    @override
    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Lead Tab round on the sheet: what lies under it cannot be seen."""
        shown = [each for each in (self.presets, self.change) if not each.isHidden()]
        stops: list[QWidget] = [self.search, self._page, *shown]
        here = 1 if self._page.has_keyboard else 0
        here = next((at for at, each in enumerate(stops) if each.hasFocus()), here)
        reason = Qt.FocusReason.TabFocusReason if is_next else Qt.FocusReason.BacktabFocusReason
        step = 1 if is_next else -1
        wanted = stops[(here + step) % len(stops)]
        if wanted is self._page:
            if self._page.take_keyboard(reason):
                return True
            wanted = stops[(here + 2 * step) % len(stops)]
        wanted.setFocus(reason)
        return True

    def _show_row(self, place: QRect) -> None:
        middle, margin = place.center(), place.height()
        self._sheet.keys.ensureVisible(middle.x(), middle.y(), 0, margin)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc or ?, an Esc in a filled field only empties it; go to the keys; scroll."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.setFocus()
            self.search.clear()
        elif event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self._page.take_keyboard()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
            self.close()
        elif event.key() in _SCROLLS:
            self._sheet.keys.verticalScrollBar().triggerAction(_SCROLLS[Qt.Key(event.key())])
        # Nothing else reaches the window under the sheet.
        event.accept()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close on a click outside the sheet."""
        event.accept()
        self.close()
