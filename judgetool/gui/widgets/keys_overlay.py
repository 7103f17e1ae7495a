"""All keys at a glance, over the window: ``?`` opens it, ``Esc`` or ``?`` closes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import (
    draw_frame,
    draw_key_cap,
    draw_line,
    draw_text,
    key_cap_size,
    start_align,
)
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

COLUMN = 205
INSET = 22
_MOST_COLUMNS = 5
_LEAST_PIECE = 4
# A torn group takes longer to find one's way in.
_WORTH_TEARING = 0.9


@dataclass(frozen=True, slots=True)
class KeyEntry:
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


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys for one task.

    Attributes:
        title: of the task.
        entries: at least one.
        note: where they hold, such as ``in that view``; ``""`` for everywhere.
    """

    title: str
    entries: tuple[KeyEntry, ...]
    note: str = ""


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
            found.append(KeyGroup(group.title, entries, group.note))
    return tuple(found)


def torn_group(group: KeyGroup) -> list[KeyGroup]:
    """Return a group in pieces between which a column may end, none of them short."""
    entries = group.entries
    cuts = [0, *range(_LEAST_PIECE, len(entries) - _LEAST_PIECE + 1), len(entries)]
    pieces = [KeyGroup(group.title, entries[a:b], group.note) for a, b in pairwise(cuts)]
    return pieces if len(entries) >= 2 * _LEAST_PIECE else [group]


def join_groups(first: KeyGroup, then: KeyGroup) -> KeyGroup:
    """Return two pieces of a group as one."""
    return KeyGroup(first.title, (*first.entries, *then.entries), first.note)


class KeysPage(PaintedWidget):
    """Groups flow down columns; one is torn only where that makes the page much shorter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[KeyGroup, ...] = ()
        self._columns: list[list[KeyGroup]] = []

    @property
    def groups(self) -> tuple[KeyGroup, ...]:
        """What is shown."""
        return self._groups

    def set_groups(self, groups: tuple[KeyGroup, ...]) -> None:
        """Show other keys."""
        self._groups = groups
        said = (
            f"{group.title}: " + "; ".join(f"{entry.keys} {entry.text}" for entry in group.entries)
            for group in groups
        )
        self.setAccessibleName(". ".join(said) or "No action has this name")
        self._flow()
        self.update()

    def _entry_height(self) -> int:
        return key_cap_size("A")[1] + line_height(Role.META) + scaled(11)

    def _group_height(self, group: KeyGroup) -> int:
        title = line_height(Role.UI_STRONG) + scaled(6)
        return title + len(group.entries) * self._entry_height() + scaled(14)

    def _flow(self) -> None:
        """Fill columns so that they are about as tall, and say how tall the page is."""
        whole = self._balanced([[group] for group in self._groups])
        torn = self._balanced([torn_group(group) for group in self._groups])
        is_worth_it = self._tallest(torn) < _WORTH_TEARING * self._tallest(whole)
        self._columns = torn if is_worth_it else whole
        self.setMinimumHeight(self._tallest(self._columns) + 2 * scaled(18))

    def _tallest(self, columns: list[list[KeyGroup]]) -> int:
        return max((sum(map(self._group_height, column)) for column in columns), default=0)

    def _balanced(self, groups: list[list[KeyGroup]]) -> list[list[KeyGroup]]:
        """Return groups in as many columns as there is room for, as even as can be."""
        most = min(_MOST_COLUMNS, max(1, self.width() // scaled(COLUMN)))
        pieces = [piece for group in groups for piece in group]
        heights = [self._group_height(piece) for piece in pieces]
        low, high = max(heights, default=0), sum(heights)
        while low < high:
            middle = (low + high) // 2
            if len(self._packed(groups, middle)) <= most:
                high = middle
            else:
                low = middle + 1
        return self._packed(groups, low)

    def _packed(self, groups: list[list[KeyGroup]], limit: int) -> list[list[KeyGroup]]:
        """Return pieces of groups in columns of at most this height, in their order."""
        columns: list[list[KeyGroup]] = []
        for pieces in groups:
            for number, piece in enumerate(pieces):
                column = columns[-1] if columns else []
                joined = [*column, piece]
                if number and column:
                    joined = [*column[:-1], join_groups(column[-1], piece)]
                if not column or sum(map(self._group_height, joined)) > limit:
                    columns.append([piece])
                else:
                    columns[-1] = joined
        return columns

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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the columns with lines between."""
        theme = self.theme
        if not self._columns:
            place = QRectF(INSET, scaled(18), self.width() - 2 * INSET, line_height(Role.UI))
            text = "No action has this name. Esc shows all keys."
            draw_text(painter, mirrored(self, place), text, role=Role.UI, colour=theme.text2)
        width = self.width() / max(1, len(self._columns))
        for place_of, column in enumerate(self._columns):
            left = round(place_of * width)
            if place_of:
                line = mirrored(self, QRectF(left, 0, 1, self.height()))
                painter.fillRect(line, theme.line)
            top = float(scaled(18))
            for group in column:
                self._paint_group(painter, group, QRectF(left + INSET, top, width - INSET - 8, 0))
                top += self._group_height(group)

    def _paint_group(self, painter: QPainter, group: KeyGroup, place: QRectF) -> None:
        theme = self.theme
        is_dimmed = all(entry.is_dimmed for entry in group.entries)
        height = line_height(Role.UI_STRONG)
        title = QRectF(place.left(), place.top(), place.width(), height)
        ink = theme.text2 if is_dimmed else theme.text
        self._write(painter, title, group.title, role=Role.UI_STRONG, ink=ink)
        if group.note:
            title.setLeft(title.left() + text_width(Role.UI_STRONG, group.title) + scaled(4))
            self._write(painter, title, group.note, role=Role.UI, ink=theme.text3)
        top = place.top() + height + scaled(6)
        for entry in group.entries:
            ink = theme.text3 if entry.is_dimmed else theme.text2
            cap = key_cap_size("A")[1]
            self._paint_keys(painter, entry, QRectF(place.left(), top, place.width(), cap))
            words = QRectF(
                place.left(), top + cap + scaled(2), place.width(), line_height(Role.META)
            )
            self._write(painter, words, entry.text, role=Role.META, ink=ink)
            top += self._entry_height()

    def _paint_keys(self, painter: QPainter, entry: KeyEntry, place: QRectF) -> None:
        theme = self.theme
        ink = theme.text3 if entry.is_dimmed else theme.text
        left = place.left()
        for chord in parse_keys(entry.keys):
            for name in chord:
                if name == "…":
                    dots = QRectF(left - scaled(3), place.top(), scaled(11), place.height())
                    self._write(painter, dots, name, role=Role.META, ink=theme.text3)
                    left += scaled(7)
                    continue
                width, height = key_cap_size(name)
                cap = mirrored(self, QRectF(left, place.top(), width, height))
                draw_key_cap(painter, cap, theme, text=name, colour=ink)
                left += width + scaled(3)
            left += scaled(3)

    def _write(
        self, painter: QPainter, place: QRectF, text: str, *, role: Role, ink: QColor
    ) -> None:
        where = mirrored(self, place)
        align = start_align(self.layoutDirection())
        draw_text(painter, where, text, role=role, colour=ink, align=align)


_MARGIN = 48
_LEAST_MARGIN = 28
_MOST_WIDTH = 1140
_HEAD = 54
_FOOT = 40


class _Sheet(PaintedWidget):
    """The raised sheet with its border and the lines under head and over foot."""

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        theme = self.theme
        whole = QRectF(self.rect())
        draw_frame(painter, whole, radius=7, border=theme.line_strong, ground=theme.raised)
        inner = whole.adjusted(1, 0, -1, 0)
        head = QRectF(inner.left(), 0, inner.width(), scaled(_HEAD))
        draw_line(painter, head, theme.line)
        foot = QRectF(inner.left(), 0, inner.width(), whole.height() - scaled(_FOOT))
        draw_line(painter, foot, theme.line)


class KeysOverlay(PaintedWidget):
    """A child that covers its parent: a scrim, and on it the keys with a search field.

    Typing filters; the first ``Esc`` empties the field, the next closes. A click
    outside the sheet closes too. The keyboard goes back to where it was.

    Signals:
        closed: it went away.
        change_requested: the person wants other keys.
        preset_chosen: name of the set of keys that the person wants to start from.
    """

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
        self.search = QLineEdit(self._sheet)
        self.search.setPlaceholderText("Type to find an action")
        self.search.setAccessibleName("Find an action")
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self._lens = self.search.addAction(
            themed_icon("search"), QLineEdit.ActionPosition.LeadingPosition
        )
        self.change = QPushButton("Change keys…", self._sheet)
        self.change.setAutoDefault(False)
        self.change.clicked.connect(self.change_requested)
        self.presets = NamedCombo(self._sheet)
        self.presets.setAccessibleName("Set of keys")
        self.presets.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.presets.hide()
        self.presets.activated.connect(self._choose_preset)
        self._page = KeysPage()
        self._remark = ElidedLabel(role=Role.META, ink="text2", parent=self._sheet)
        self._arrange()
        self.setAccessibleName("Keys")
        self.hide()
        parent.installEventFilter(self)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(INSET, 0, INSET, 0)
        head.setSpacing(12)
        head.addWidget(ElidedLabel("Keys", role=Role.DIALOG_TITLE, parent=self._sheet))
        head.addWidget(self.presets)
        head.addStretch(1)
        self.search.setFixedWidth(scaled(240))
        head.addWidget(self.search)
        head.addWidget(self.change)
        foot = QHBoxLayout()
        foot.setContentsMargins(INSET, 0, INSET, 0)
        foot.addWidget(self._remark, stretch=1)
        foot.addWidget(KeyCap("Esc", parent=self._sheet))
        foot.addWidget(ElidedLabel("close", role=Role.META, ink="text2", parent=self._sheet))
        scroll = QScrollArea(self._sheet)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._page)
        scroll.viewport().setAutoFillBackground(False)
        self._page.setAutoFillBackground(False)
        column = QVBoxLayout(self._sheet)
        column.setContentsMargins(1, 0, 1, 1)
        column.setSpacing(0)
        for part, height in ((head, _HEAD), (foot, _FOOT)):
            holder = QWidget(self._sheet)
            holder.setLayout(part)
            holder.setFixedHeight(scaled(height))
            column.addWidget(holder)
        column.insertWidget(1, scroll, stretch=1)

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
        self._remark.set_text(remark)
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
        self.search.setFocus()
        self.preset_chosen.emit(str(self.presets.currentData()))

    def open(self) -> None:
        """Cover the parent and take the keyboard."""
        window = self.window()
        self._before = window.focusWidget()
        self.search.clear()
        self._catch_up()
        self._place()
        self.show()
        self.raise_()
        self.search.setFocus()

    @override
    def close(self) -> bool:
        """Go away and give the keyboard back."""
        if self.isHidden():
            return True
        self.hide()
        if self._before is not None:
            self._before.setFocus()
        self._before = None
        self.closed.emit()
        return True

    def toggle(self) -> None:
        """Open when closed, close when open."""
        if self.isHidden():
            self.open()
        else:
            self.close()

    def _filter(self, wanted: str) -> None:
        self._page.set_groups(matching_groups(self._groups, wanted))

    def _place(self) -> None:
        """Cover the parent; the sheet is as large as its content lets it be."""
        self.setGeometry(self._host.rect())
        width = min(scaled(_MOST_WIDTH), self.width() - 2 * _MARGIN)
        height = min(self.height() - 2 * _LEAST_MARGIN, self._sheet_height(width))
        left, top = (self.width() - width) // 2, (self.height() - height) // 2
        self._sheet.setGeometry(QRect(left, top, width, height))

    def _sheet_height(self, width: int) -> int:
        """Return the height that all keys need at a width, so that filtering does not move the sheet."""
        probe = KeysPage()
        probe.resize(width - 2, 10)
        probe.set_groups(self._groups)
        height = probe.minimumHeight()
        probe.deleteLater()
        return height + scaled(_HEAD) + scaled(_FOOT) + 1

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the parent's size; let Esc and ? in the field mean the sheet."""
        if isinstance(event, QResizeEvent):
            if watched is self._host and self.isVisible():
                self._place()
        elif isinstance(event, QKeyEvent) and watched is self.search:
            is_press = event.type() is QEvent.Type.KeyPress
            if is_press and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc or ?; an Esc in a filled field only empties it."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Question):
            self.close()
        # Nothing else reaches the window under the sheet.
        event.accept()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close on a click outside the sheet."""
        event.accept()
        self.close()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme, font and enabledness."""
        if event.type() is QEvent.Type.PaletteChange:
            self._lens.setIcon(themed_icon("search"))
        super().changeEvent(event)

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the scrim."""
        painter.fillRect(self.rect(), self.theme.scrim)
