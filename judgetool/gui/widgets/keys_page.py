"""The page of keys: groups of keys in columns, each row with its keys and what they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled
from judgetool.gui.painting import key_cap_size
from judgetool.gui.widgets.painted import PaintedWidget, in_line
from judgetool.gui.widgets.row_parts import (
    Align,
    CapPart,
    Look,
    Piece,
    Places,
    Row,
    TextPart,
    paint_pieces,
)
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.wording import _

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
                pieces.append(Piece(cap, cap.width, gap) if is_cap else Piece(dots, scaled(7), gap))
                gap = float(scaled(3))
            gap += scaled(3)
        paint_pieces(painter, pieces, rect, look.theme, is_mirrored=look.is_mirrored)


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
            column.stepped.connect(self._step)
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

    def _step(self, key: int) -> None:
        rows = self._all_rows()
        column = next(each for each in self._columns if each.hasFocus())
        row = max(0, column.currentIndex().row())
        if key in _SIDES:
            shown = [each for each in self._columns if not each.isHidden()]
            way = -_SIDES[Qt.Key(key)] if self.is_mirrored else _SIDES[Qt.Key(key)]
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
                left = column.x() if not self.is_mirrored else column.geometry().right()
                painter.fillRect(QRectF(left, 0, 1, self.height()), self.theme.line)
