"""All keys at a glance: the page of keys in columns, and the page over the window.

``?`` opens it, ``Esc`` or ``?`` closes it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count, pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.gui.icons import themed_icon
from judgetool.gui.jobs import Rest
from judgetool.gui.painting import draw_frame, draw_line, key_cap_size
from judgetool.gui.theme import Role, line_height, scaled
from judgetool.gui.widgets.fields import NamedCombo, name_signs
from judgetool.gui.widgets.labels import (
    Align,
    CapPart,
    ElidedLabel,
    KeyCap,
    Look,
    Piece,
    Places,
    Row,
    Text,
    TextPart,
    paint_pieces,
)
from judgetool.gui.widgets.painted import (
    PaintedWidget,
    announce,
    announce_later,
    in_column,
    in_line,
    scroll_area,
)
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.wording import N_, _

COLUMN = 205
INSET = 22
_MOST_COLUMNS = 5
_LEAST_PIECE = 4
# A torn group takes longer to find one's way in.
_WORTH_TEARING = 0.9


class KeyEntry(NamedTuple):
    """What one or more keys do.

    Attributes:
        keys: chords with blanks between, keys of a chord joined by ``+``; ``…`` stands
            for a range: ``Ctrl+Z``, ``J K``, ``0 … 3``, ``Ctrl++``.
        text: what they do.
        is_dimmed: whether they belong to another view than the one shown.
    """

    keys: str
    text: str
    is_dimmed: bool = False


class KeyGroup(NamedTuple):
    """Keys for one task.

    Attributes:
        title: of the task.
        entries: at least one.
    """

    title: str
    entries: tuple[KeyEntry, ...]


def parse_keys(keys: str) -> list[list[str]]:
    """Return the chords of a text as lists of key names.

    Examples:
        >>> parse_keys("Ctrl+Z"), parse_keys("0 … 3"), parse_keys("Ctrl++")
        ([['Ctrl', 'Z']], [['0'], ['…'], ['3']], [['Ctrl', '+']])
    """
    chords = []
    for chord in keys.split():
        plus = chord.endswith("+") and len(chord) > 1
        names = (chord[:-1] if plus else chord).split("+") if chord != "+" else ["+"]
        chords.append([name for name in names if name] + (["+"] if plus else []))
    return chords


def matching_groups(groups: tuple[KeyGroup, ...], wanted: str) -> tuple[KeyGroup, ...]:
    """Return the groups with only the entries that have every word of ``wanted``.

    Case does not count; keys, texts and titles are searched; nothing wanted gives all.
    """
    words = wanted.casefold().split()
    found = []
    for group in groups:
        entries = tuple(
            entry
            for entry in group.entries
            if all(word in f"{entry.keys} {entry.text} {group.title}".casefold() for word in words)
        )
        if entries:
            found.append(KeyGroup(group.title, entries))
    return tuple(found)


_Columns = list[list[KeyGroup]]


def in_columns(groups: Sequence[KeyGroup], most: int) -> _Columns:
    """Return groups in at most so many columns, in their order, as even as can be.

    One is torn only where that makes the page much shorter, and none of its pieces is short.
    """
    whole = _even([[group] for group in groups], most)
    torn = _even([_torn(group) for group in groups], most)
    return torn if _n_rows(torn) < _WORTH_TEARING * _n_rows(whole) else whole


def _n_rows(columns: _Columns) -> int:
    """Return how many rows the tallest column has, titles among them."""
    return max((sum(1 + len(group.entries) for group in column) for column in columns), default=0)


def _torn(group: KeyGroup) -> list[KeyGroup]:
    """Return a group in pieces between which a column may end."""
    entries = group.entries
    cuts = [0, *range(_LEAST_PIECE, len(entries) - _LEAST_PIECE + 1), len(entries)]
    pieces = [KeyGroup(group.title, entries[a:b]) for a, b in pairwise(cuts)]
    return pieces if len(entries) >= 2 * _LEAST_PIECE else [group]


def _even(groups: Sequence[list[KeyGroup]], most: int) -> _Columns:
    """Return pieces of groups in the lowest columns of which there are no more than that."""
    found = (_packed(groups, limit) for limit in count(1))
    return next(columns for columns in found if len(columns) <= most)


def _packed(groups: Sequence[list[KeyGroup]], limit: int) -> _Columns:
    """Return pieces of groups in columns of at most so many rows, a piece taller by itself."""
    columns: _Columns = []
    for pieces in groups:
        for number, piece in enumerate(pieces):
            column = columns[-1] if columns else []
            joined = [*column, piece]
            if number and column:
                entries = (*column[-1].entries, *piece.entries)
                joined = [*column[:-1], KeyGroup(piece.title, entries)]
            if column and _n_rows([joined]) <= limit:
                columns[-1] = joined
            else:
                columns.append([piece])
    return columns


class _KeysPart(NamedTuple):
    """Key caps beside each other, chord by chord."""

    keys: str
    ink: str

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw caps, and the dots of ranges."""
        pieces, gap = [], 0.0
        for chord in parse_keys(self.keys):
            for name in chord:
                cap, dots = CapPart(name, self.ink), TextPart("…", Role.META, "text3", Align.CENTRE)
                is_cap = name != dots.text
                pieces.append(cap.piece(gap) if is_cap else Piece(dots, scaled(7), gap))
                gap = float(scaled(3))
            gap += scaled(3)
        paint_pieces(painter, pieces, rect, look)


def _lines(group: KeyGroup) -> tuple[KeyGroup | KeyEntry, ...]:
    return (group, *group.entries)


def _row_height() -> int:
    return key_cap_size("A")[1] + line_height(Role.META) + scaled(11)


def _show(line: KeyGroup | KeyEntry) -> Row:
    if isinstance(line, KeyGroup):
        is_dimmed = all(entry.is_dimmed for entry in line.entries)
        title = TextPart(line.title, Role.UI_STRONG, "text2" if is_dimmed else "text")
        return Row(line, (title, None, None), line.title)
    inks = ("text3", "text3") if line.is_dimmed else ("text", "text2")
    words = TextPart(line.text, Role.META, inks[1])
    said = f"{line.text}, {line.keys}"
    if line.is_dimmed:
        said = _("{action}, in another view").format(action=said)
    return Row(line, (None, _KeysPart(line.keys, inks[0]), words), said)


def _place(width: int, _rows: Sequence[Row]) -> Places:
    """Return the places of a title, at the end of its row, of keys, and of what they do."""
    title, cap, left, room = line_height(Role.UI_STRONG), key_cap_size("A")[1], INSET, width - 30
    return (
        QRectF(left, _row_height() - title - scaled(6), room, title),
        QRectF(left, 0, room, cap),
        QRectF(left, cap + scaled(2), room, line_height(Role.META)),
    )


def _placed(groups: Sequence[KeyGroup], width: int) -> _Columns:
    return in_columns(groups, min(_MOST_COLUMNS, max(1, width // scaled(COLUMN))))


def page_height(groups: Sequence[KeyGroup], width: int) -> int:
    """Return how high the page of these keys is at a width."""
    return _n_rows(_placed(groups, width)) * _row_height() + scaled(18)


_FAR = 10
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _FAR,
    Qt.Key.Key_PageUp: -_FAR,
    Qt.Key.Key_Home: -10_000,
    Qt.Key.Key_End: 10_000,
}
"""Through how many rows a key leads; at the ends it stays there."""
_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class _KeyColumn(RowView[KeyGroup | KeyEntry]):
    """A column of keys, in which arrows lead on to the next one.

    Signals:
        stepped: a key of ``_STEPS`` or one to the side was pressed; its code.
    """

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__(_("Keys"), _show, _place, height=_row_height, ground=Ground.PANEL)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # The pointer does nothing here; the wheel moves the page.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.viewport().setAutoFillBackground(False)
        self.focus_changed.connect(lambda has: None if has else self.set_current(None))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _STEPS or event.key() in _SIDES:
            self.stepped.emit(event.key())
        else:
            # Enter and all else is the sheet's.
            event.ignore()


class KeysPage(PaintedWidget):
    """Groups flow down columns, each a list; with nothing to show it says so.

    Arrows go through all rows, from the end of a column to the top of the next.

    Signals:
        row_met: the keyboard came to a row, which is here on the page.
    """

    row_met = Signal(QRect)

    def __init__(self) -> None:
        super().__init__()
        self.groups: tuple[KeyGroup, ...] = ()
        self._columns: list[_KeyColumn] = []
        self._nothing = QLabel(_("No action has this name. Esc shows all keys."))
        self._row = in_line(host=self)
        self._row.addWidget(self._nothing, alignment=Qt.AlignmentFlag.AlignTop)
        self._nothing.setContentsMargins(INSET, scaled(18), 0, 0)

    def set_groups(self, groups: tuple[KeyGroup, ...]) -> None:
        """Show other keys."""
        self.groups = groups
        self._flow()

    def _flow(self) -> None:
        placed = _placed(self.groups, self.width())
        while len(self._columns) < len(placed):
            column = _KeyColumn()
            column.stepped.connect(partial(self._step, column))
            self._columns.append(column)
            self._row.addWidget(column, stretch=1)
        for at, column in enumerate(self._columns):
            groups = placed[at] if at < len(placed) else []
            column.set_rows([line for group in groups for line in _lines(group)])
            column.setVisible(bool(groups))
        self._nothing.setHidden(bool(placed))
        self.setMinimumHeight(page_height(self.groups, self.width()))
        # Not with the next turn of the event loop: until then columns would lie over each other.
        self._row.activate()

    @property
    def has_keyboard(self) -> bool:
        """Whether the keyboard is in one of the columns."""
        return any(column.hasFocus() for column in self._columns)

    def take_keyboard(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> bool:
        """Stand on the first row; return whether there is one."""
        rows = self._all_rows()
        if rows:
            self._go_to(*rows[0], reason)
        return bool(rows)

    def _all_rows(self) -> list[tuple[_KeyColumn, int]]:
        shown = (column for column in self._columns if not column.isHidden())
        return [(column, row) for column in shown for row in range(len(column.rows))]

    def _step(self, column: _KeyColumn, key: int) -> None:
        rows = self._all_rows()
        row = max(0, column.currentIndex().row())
        if key in _SIDES:
            shown = [each for each in self._columns if not each.isHidden()]
            way = -_SIDES[Qt.Key(key)] if self.isRightToLeft() else _SIDES[Qt.Key(key)]
            beside = shown[min(max(0, shown.index(column) + way), len(shown) - 1)]
            self._go_to(beside, min(row, len(beside.rows) - 1))
            return
        at = rows.index((column, row)) + _STEPS[Qt.Key(key)]
        self._go_to(*rows[min(max(0, at), len(rows) - 1)])

    def _go_to(
        self,
        column: _KeyColumn,
        row: int,
        reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason,
    ) -> None:
        column.choose_row(row)
        column.setFocus(reason)
        self.row_met.emit(column.visualRect(column.currentIndex()).translated(column.pos()))

    @override
    def relayout(self) -> None:
        """Flow anew in another font."""
        super().relayout()
        self._flow()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Flow anew for the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._flow()

    @override
    def sizeHint(self) -> QSize:
        """Return the size of five columns."""
        return QSize(scaled(1140), self.minimumHeight())

    @override
    def draw(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the lines between columns."""
        for column in self._columns[1:]:
            if not column.isHidden():
                left = column.x() if not self.isRightToLeft() else column.geometry().right()
                painter.fillRect(QRectF(left, 0, 1, self.height()), self.theme.line)


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

    Typing filters; in the field the first ``Esc`` empties it, the next closes. Tab or the arrow
    down leads from the field to the keys, arrows through them, ``Esc`` closes there, too. A click
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
        self._rest = Rest(self)
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
        self._rest.stop()
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
            self._rest.wait(lambda: announce(self, _in_words(groups)))
        else:
            self._rest.stop()

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
        """Close on Esc or ?, but for an Esc in a filled field, which empties it; go to the keys; scroll."""
        if event.key() == Qt.Key.Key_Escape and self.search.text() and self.search.hasFocus():
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
