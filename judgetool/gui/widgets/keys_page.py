"""The keys by task, in columns, as the keyboard overlay shows them."""

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.painting import draw_key_cap, draw_text, key_cap_size, start_align
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
