"""The list of the dialog of keys: what can be done, by task, with the keys of each."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyleOptionViewItem, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.actions import ACTIONS, COLUMNS
from judgetool.gui.dialogs.framed_list import Index, RowDelegate, make_list
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.keymap import GRADE, MOST_GRADES, Keymap, native, title_of
from judgetool.gui.painting import draw_key_cap, draw_row_ground, draw_text, key_cap_size
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.keys_page import parse_keys

_NAME = Qt.ItemDataRole.UserRole
_KEYS = Qt.ItemDataRole.UserRole + 1
_NOTE = Qt.ItemDataRole.UserRole + 2
OTHERS = "Without a place on the page of keys"


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One line of the list.

    Attributes:
        name: of the action or grade; ``""`` for a head.
        title: what is shown.
        keys: as the person's system writes them.
        note: such as ``changed``, or which other has its key.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    note: str = ""


def key_rows(keymap: Keymap, scale: Scale | None) -> list[KeyRow]:
    """Return heads and lines: grades first, then the actions by task."""
    rows: list[KeyRow] = []
    held = keymap.keys_by_action(scale)
    for task in (*COLUMNS, ""):
        lines = [_row(spec.name, held, keymap, scale) for spec in ACTIONS if spec.column == task]
        if task == "Grade":
            lines[:0] = _grade_rows(keymap, scale)
        if lines:
            rows += [KeyRow("", task or OTHERS), *lines]
    return rows


def _row(
    name: str, held: Mapping[str, tuple[str, ...]], keymap: Keymap, scale: Scale | None
) -> KeyRow:
    lost = [key for key in keymap.wished_keys(name, scale) if key not in held[name]]
    note = "changed" if name in keymap.changes else ""
    if lost:
        note = f"{', '.join(map(native, lost))} is taken"
    return KeyRow(name, title_of(name, scale), tuple(map(native, held[name])), note)


def _grade_rows(keymap: Keymap, scale: Scale | None) -> list[KeyRow]:
    if scale is None or scale.is_continuous:
        return []
    keys = keymap.level_keys(scale)
    rows = []
    for place in range(min(len(keys), MOST_GRADES)):
        name = f"{GRADE}{place}"
        note = "changed" if name in keymap.changes else ""
        shown = (native(keys[place]),) if keys[place] else ()
        rows.append(KeyRow(name, title_of(name, scale), shown, note))
    return rows


class _Delegate(RowDelegate):
    """Paints a head, or a line with its key caps at the end."""

    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, scaled(30))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        title = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        painter.save()
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        if not index.data(_NAME):
            draw_text(painter, inner, title, role=Role.UI_STRONG, colour=theme.text)
            painter.restore()
            return
        state = option.state
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        right = self._paint_keys(painter, inner, list(index.data(_KEYS) or ()))
        note = str(index.data(_NOTE) or "")
        words = QRectF(inner.left() + scaled(12), inner.top(), 0, inner.height())
        words.setRight(inner.left() + inner.width() * 0.55)
        draw_text(painter, words, title, role=Role.UI, colour=theme.text)
        side = QRectF(words.right() + 8, inner.top(), right - words.right() - 16, inner.height())
        ink = theme.warn if "taken" in note else theme.text3
        draw_text(painter, side, note, role=Role.META, colour=ink)
        painter.restore()

    def _paint_keys(self, painter: QPainter, inner: QRectF, keys: list[str]) -> float:
        right = inner.right()
        for key in reversed(keys):
            for chord in reversed(parse_keys(key)):
                for name in reversed(chord):
                    width, height = key_cap_size(name)
                    top = inner.center().y() - height / 2
                    cap = QRectF(right - width, top, width, height)
                    draw_key_cap(painter, cap, current_theme(), text=name)
                    right -= width + scaled(3)
            right -= scaled(6)
        return right


class KeyList:
    """The rows in a list; a head cannot be chosen.

    Attributes:
        widget: the list.
    """

    def __init__(self, parent: QWidget) -> None:
        self.widget: QListWidget = make_list("Actions and their keys")
        self.widget.setParent(parent)
        self.widget.setItemDelegate(_Delegate(self.widget))

    def show(self, rows: list[KeyRow], wanted: str) -> None:
        """Show the rows that have every wanted word; what was chosen stays chosen."""
        before = self.current
        self.widget.blockSignals(True)
        self.widget.clear()
        words = wanted.casefold().split()
        for row in rows:
            text = f"{row.title} {' '.join(row.keys)}".casefold()
            if (row.name or not words) and all(word in text for word in words):
                self._add(row)
        self._choose(before)
        self.widget.blockSignals(False)

    def _add(self, row: KeyRow) -> None:
        item = QListWidgetItem(row.title)
        item.setData(_NAME, row.name)
        item.setData(_KEYS, list(row.keys))
        item.setData(_NOTE, row.note)
        spoken = f"{row.title}: {', '.join(row.keys) or 'no key'}" if row.name else row.title
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        if not row.name:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.widget.addItem(item)

    def _choose(self, name: str) -> None:
        items = [self.widget.item(place) for place in range(self.widget.count())]
        names = [item for item in items if item.data(_NAME)]
        wanted = next((item for item in names if item.data(_NAME) == name), None)
        if wanted is None and names:
            wanted = names[0]
        if wanted is not None:
            self.widget.setCurrentItem(wanted)
        if names and wanted is names[0]:
            # With the head of its task.
            self.widget.scrollToTop()

    def choose(self, name: str) -> None:
        """Make a row current."""
        self._choose(name)

    @property
    def current(self) -> str:
        """Name of the action or grade that is chosen; ``""`` for none."""
        chosen = self.widget.currentIndex()
        return str(chosen.data(_NAME) or "") if chosen.isValid() else ""
