"""Lists of rows: what a row is, and the one model, delegate and view that show them.

A list is told by two functions: one makes a :class:`Row` of a value, one says where the
parts of all rows stand at a width. The view does the rest: it paints only what changed,
says rows to screen readers, and follows keys, pointer, fonts, theme and direction::

    def show(step: Step) -> Row:
        return Row(step.number, (TextPart(step.text), ChangePart(step.change)), said=step.text)

    def place(width: int, _rows: Sequence[Row]) -> Places:
        height = step_height()
        return (QRectF(14, 0, width - 94, height), QRectF(width - 80, 0, 66, height))

    steps = RowView("Steps", show, place, height=step_height)
    steps.row_opened.connect(go_to)
    steps.set_rows(found)

A part is a small tuple that can paint itself into a rectangle; what stands on two lines
is two parts with two places. A part, or a place, that is ``None`` is left out: rows of
different shapes in one list have different parts, narrow lists fewer places. What one
cannot see of it, :meth:`RowView.set_rows` needs to know: equal values are equal rows.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from judgetool.core import override
from judgetool.gui import cannot_raise
from judgetool.gui.keymap import ENTER
from judgetool.gui.painting import draw_row_focus, draw_row_ground, turned
from judgetool.gui.theme import Role, current_theme, line_height, scaled
from judgetool.gui.widgets.labels import Look, Parts, Places, Row, TextPart, plain_tooltip
from judgetool.gui.widgets.painted import RowSpeech, renew_tip

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SAID = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
_FLAG = Qt.ItemFlag
_CHOSEN = _FLAG.ItemIsEnabled | _FLAG.ItemIsSelectable | _FLAG.ItemNeverHasChildren
# The tick of a bar's end value stands half outside of its place.
_OVERHANG = 2
T = TypeVar("T")


class PlainTable(QTableView):
    """A table of cells alone: no frame, grid, editing, line of row numbers, or selection."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)

    @override
    def keyboardSearch(self, _search: str) -> None:
        """Letters are commands of the window, not a search."""


class ListTable(PlainTable):
    """A ``QTableView`` that looks like a list, since a ``QListView`` is slow with fixed rows.

    Readers are told of its current row once, after all that a key has done.

    Signals:
        row_moved: a key has made another row current; not told of changes by program.
        row_clicked: a row was clicked.
        focus_changed: the keyboard came or went.
    """

    row_moved = Signal(int)
    row_clicked = Signal(int)
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, selects_several: bool = False) -> None:
        super().__init__(parent)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if selects_several else mode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrap(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._heads: frozenset[int] = frozenset()
        self.speech = RowSpeech(self)
        self.clicked.connect(lambda index: self.row_clicked.emit(index.row()))

    def set_row_height(self, height: int) -> None:
        """Give every row this height."""
        self.verticalHeader().setDefaultSectionSize(height)

    def put_heads(self, rows: Iterable[int], *, height: int) -> None:
        """Give the rows that have, or are, a heading this height, and no others."""
        heads = frozenset(rows)
        # Qt keeps the heights of rows through a reset of the model.
        for row in self._heads - heads:
            self.setRowHeight(row, self.verticalHeader().defaultSectionSize())
        for row in heads:
            self.setRowHeight(row, height)
        self._heads = heads

    def choose_row(self, row: int) -> None:
        """Make a row current, and it alone selected, whatever keys are held down."""
        flag = QItemSelectionModel.SelectionFlag
        chosen = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(chosen, flag.ClearAndSelect | flag.Rows)

    @override
    def currentChanged(self, current: Index, previous: Index) -> None:
        """Follow, as every view does; a table's own way would tell readers at once."""
        QAbstractItemView.currentChanged(self, current, previous)
        if current.isValid() and self.hasFocus():
            self.speech.tell_later()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, and tell of it after the view has settled."""
        before = self.currentIndex().row()
        n_rows = self.model().rowCount()
        # In a table these keys go along the row; here there is only one column.
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: n_rows - 1}
        is_plain = not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in ends and n_rows and is_plain:
            self.choose_row(ends[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)
        after = self.currentIndex().row()
        if after != before and after >= 0:
            self.row_moved.emit(after)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard came."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard went."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


class LineModel(QAbstractListModel):
    """A list whose rows are painted as a whole, and said as a whole; subclasses know how many.

    Attributes:
        head: what stands over the rows, in one.
        head_tip: what it means.
    """

    head = head_tip = ""

    def told(self, place: int, role: int) -> str | None:
        """Return what a row says to a reader, as a tooltip, or on display."""
        raise NotImplementedError

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return what is told of a row."""
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        return self.told(index.row(), role)

    @override
    def headerData(
        self, _section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return what stands over the rows, in one, and what it means."""
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(self.head_tip)
        is_asked = orientation is Qt.Orientation.Horizontal and role in SAID
        return self.head if is_asked else None


class RowModel(LineModel):
    """The rows of one list, as readers say them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()

    def replace(self, rows: tuple[Row, ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    @override
    @cannot_raise
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    @override
    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that rows with a key can be chosen."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        has_key = self.rows[index.row()].key is not None
        return _CHOSEN if has_key else Qt.ItemFlag.ItemIsEnabled

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return a row as a reader says it, and its tooltip."""
        row = self.rows[place]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(row.tip() if callable(row.tip) else row.tip)
        if role not in SAID:
            return None
        return row.said() if callable(row.said) else row.said


class Ground(Enum):
    """What says that a row is chosen."""

    LIST = "a list one works in: accent edge, fainter without the keyboard, hover"
    PANEL = "a panel one reads: one colour, a frame while it has the keyboard"


class RowView(Generic[T], ListTable):
    """A list of values, each shown as a row.

    Columns keep their places when a scroll bar comes: they end at least its width (10 px)
    before the list does.

    Args:
        name: of the list, for readers.
        show: makes a row of a value.
        place: says where parts stand, given the width and all rows; asked anew when the
            width, a row or the font changes.
        height: of every row, in px; asked anew when the font changes.
        ground: how the chosen row is shown.

    Attributes:
        rows: the values that are shown.

    Signals:
        row_chosen: the person has moved to a row, or stays on it; its key.
        row_opened: Enter on a row, or a double click; its key.
    """

    row_chosen = Signal(object)
    row_opened = Signal(object)

    def __init__(
        self,
        name: str,
        show: Callable[[T], Row],
        place: Callable[[int, Sequence[Row]], Places],
        *,
        height: Callable[[], int],
        ground: Ground = Ground.LIST,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._show, self._place, self._height = show, place, height
        self.ground = ground
        self.rows: tuple[T, ...] = ()
        self._placed: tuple[int, Places] | None = None
        self._exposed = QRegion()
        self._model = RowModel(self)
        self._wanted: Hashable = None
        self._spare: int | None = None
        self._may_scroll = False
        self.heads: Parts = ()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(name)
        self.set_row_height(height())
        # Lists lie on panels. Painted by themselves they do not have these painted, too.
        self.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.row_clicked.connect(self._tell)
        self.row_moved.connect(self._tell)
        self.doubleClicked.connect(lambda index: self._open(index.row()))

    # What is shown

    @property
    def shown(self) -> tuple[Row, ...]:
        """The rows that show them."""
        return self._model.rows

    @property
    def row_height(self) -> int:
        """Height of every row."""
        return self.verticalHeader().defaultSectionSize()

    def set_rows(self, values: Sequence[T]) -> None:
        """Show other values; only what changed is painted, and the current row stays current."""
        new, old = tuple(values), self.rows
        if new == old:
            return
        self.rows = new
        if len(new) != len(old):
            self.refresh()
            return
        rows = zip(new, old, self._model.rows, strict=True)
        self._take(tuple([row if v == was else self._show(v) for v, was, row in rows]))

    def refresh(self) -> None:
        """Make all rows anew: what they are made by has changed."""
        self._take(tuple(map(self._show, self.rows)))

    def set_heads(self, parts: Parts, *, said: str = "", tip: str = "") -> None:
        """Show a line over the rows, whose parts stand in the places of theirs.

        Args:
            parts: of the line.
            said: what a reader says of it.
            tip: its tooltip: what the columns mean.
        """
        if (parts, said, tip) == (self.heads, self._model.head, self._model.head_tip):
            return
        if not self.heads:
            heads = _Heads(self)
            heads.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            self.setHorizontalHeader(heads)
            heads.show()
            self._fit()
        self.heads, self._model.head, self._model.head_tip = parts, said, tip
        self.horizontalHeader().viewport().update()

    @property
    def current(self) -> Hashable:
        """Key of the current row, or ``None``."""
        place = self.currentIndex().row()
        return self._model.rows[place].key if place >= 0 else None

    def set_current(self, key: Hashable) -> None:
        """Make a row current, in sight, without a signal: as soon as there is one with the key."""
        self._wanted = key
        place = self.place_of(key)
        if place is None:
            self.setCurrentIndex(ROOT)
            self.clearSelection()
        elif place != self.currentIndex().row():
            self.choose_row(place)

    def place_of(self, key: Hashable) -> int | None:
        """Return the row with a key, or ``None``."""
        found = (at for at, row in enumerate(self._model.rows) if row.key == key)
        return next(found, None) if key is not None else None

    def _take(self, rows: tuple[Row, ...]) -> None:
        old, kept = self._model.rows, self.places()
        if [row.key for row in rows] != [row.key for row in old]:
            wanted = self._wanted if self.current is None else self.current
            self._model.replace(rows)
            self._forget_places()
            self._fit()
            self.updateGeometry()
            # Else the scroll bar ends where that of the rows before did, short of a later row.
            self.updateGeometries()
            self.set_current(wanted)
            renew_tip(self)
            return
        self._model.rows = rows
        renew_tip(self)
        self._placed = None
        if self.places() != kept:
            self._forget_places()
        else:
            for at, (row, was) in enumerate(zip(rows, old, strict=True)):
                if row != was:
                    self._update_row(at, row, was, kept)
        if rows and QAccessible.isActive():
            model = self._model
            model.dataChanged.emit(model.index(0), model.index(len(rows) - 1))

    def _update_row(self, at: int, row: Row, was: Row, places: Places) -> None:
        """Have only those parts of a row painted that say something else."""
        changed = QRectF()
        for part, old, place in zip(row.parts, was.parts, places, strict=False):
            if part != old and place is not None:
                changed |= place
        changed.adjust(-_OVERHANG, 0, _OVERHANG, 0)
        # The feet of letters, but nothing of the row below.
        changed.setBottom(min(changed.bottom() + 1, self.rowHeight(at)))
        seen = self._seen(changed) if self.isRightToLeft() else changed
        seen.translate(0, self.rowViewportPosition(at))
        self.viewport().update(seen.toAlignedRect())

    # Where parts stand

    def places(self) -> Places:
        """Return where the parts of rows stand now, thought left to right."""
        width = self.width()
        if self._placed is None or self._placed[0] != width:
            self._placed = (width, self._place(width, self._model.rows))
        return self._placed[1]

    def _forget_places(self) -> None:
        self._placed = None
        self.viewport().update()
        self.horizontalHeader().viewport().update()

    def _seen(self, place: QRectF) -> QRectF:
        """Return where a place thought left to right stands in the list."""
        return turned(place, QRectF(self.viewport().rect()), is_mirrored=self.isRightToLeft())

    def paint_row(self, painter: QPainter, parts: Parts, top: float) -> None:
        """Paint those parts of a row that are asked for, in their places beneath ``top``."""
        look, exposed = Look(current_theme(), self.isRightToLeft()), self._exposed
        for part, place in zip(parts, self.places(), strict=False):
            if part is not None and place is not None:
                rect = (self._seen(place) if look.is_mirrored else place).translated(0, top)
                if exposed.intersects(rect.toAlignedRect()):
                    part.paint(painter, rect, look)

    def paint_heads(self, painter: QPainter, height: int) -> None:
        """Paint the heads above the places of the parts, each at most up to the next text."""
        look = Look(current_theme(), self.isRightToLeft())
        placed = [
            (part, place)
            for part, place in zip(self.heads, self.places(), strict=False)
            if part is not None and place is not None
        ]
        # What stands on a line below the first has no room for a head of its own.
        first = min((place.center().y() for __, place in placed), default=0.0)
        placed = [(part, place) for part, place in placed if place.top() < first]
        texts = [place.left() for part, place in placed if isinstance(part, TextPart)]
        for part, place in placed:
            room = QRectF(place.left(), 0, place.width(), height)
            if isinstance(part, TextPart):
                # Parts may reach over others on another line; heads have one line alone.
                room.setRight(min([place.right(), *(at for at in texts if at > place.left())]))
            part.paint(painter, self._seen(room), look)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint; parts that need not be are left out."""
        self._exposed = event.region()
        super().paintEvent(event)

    # Size, font, direction

    def be_whole(self, *, spare: int = 0, may_scroll: bool = False) -> None:
        """Be as high as heads and rows from now on.

        Args:
            spare: room under them, in px at a 13 px font; none where there are no rows.
            may_scroll: whether it may be lower where there is little room.
        """
        self._spare, self._may_scroll = spare, may_scroll
        self._fit()

    def _fit(self) -> None:
        if self._spare is not None:
            height = self.whole_height()
            height += scaled(self._spare) if height else 0
            self.setMaximumHeight(height)
            self.setMinimumHeight(0 if self._may_scroll else height)

    def whole_height(self, *, most: int | None = None) -> int:
        """Return the height that shows heads and rows, at most so many of these."""
        count = len(self.rows) if most is None else min(most, len(self.rows))
        heads = self.horizontalHeader().sizeHint().height() if self.heads else 0
        return heads + count * self._height()

    @override
    def sizeHint(self) -> QSize:
        """Return a size that shows every row."""
        return QSize(scaled(300), self.whole_height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        super().resizeEvent(event)
        self._forget_places()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow font, theme and direction."""
        super().changeEvent(event)
        kinds = QEvent.Type
        if event.type() is kinds.FontChange:
            self.set_row_height(self._height())
            self._fit()
            self.updateGeometry()
        if event.type() in (kinds.FontChange, kinds.PaletteChange, kinds.LayoutDirectionChange):
            self._forget_places()

    # What the person does

    def _tell(self, row: int) -> None:
        key = self._model.rows[row].key
        if key is not None:
            self.row_chosen.emit(key)

    def _open(self, row: int) -> None:
        if row >= 0 and self._model.rows[row].key is not None:
            self.row_opened.emit(self._model.rows[row].key)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; at an end the arrows say where one is."""
        if event.key() in ENTER:
            self._open(self.currentIndex().row())
            return
        if event.text():
            # What writes is a command of whatever the list stands in.
            event.ignore()
            return
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        is_arrow = event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down)
        if is_arrow and before >= 0 and self.currentIndex().row() == before:
            self._tell(before)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on a row as soon as the keyboard comes."""
        super().focusInEvent(event)
        if not self.selectionModel().hasSelection():
            first = next((at for at, row in enumerate(self.shown) if row.key is not None), None)
            if first is not None:
                self.choose_row(max(first, self.currentIndex().row()))


class _Delegate(QStyledItemDelegate):
    """Paints a row's ground and its parts."""

    def __init__(self, view: RowView[Any]) -> None:
        super().__init__(view)
        self._view = view

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, rect, at = self._view, QRectF(option.rect), index.row()
        is_current = at == view.currentIndex().row()
        painter.save()
        if view.ground is Ground.LIST:
            self._paint_ground(painter, rect, option.state)
        elif is_current:
            painter.fillRect(rect, current_theme().selected)
        view.paint_row(painter, view.shown[at].parts, rect.top())
        if view.ground is Ground.PANEL and is_current and view.hasFocus():
            # Over the parts: one of them may fill the row.
            draw_row_focus(painter, rect, current_theme())
        painter.restore()

    def _paint_ground(self, painter: QPainter, rect: QRectF, state: QStyle.StateFlag) -> None:
        view, flag = self._view, QStyle.StateFlag
        kept = state & (flag.State_Selected | flag.State_MouseOver)
        kept |= flag.State_Active if view.hasFocus() else flag.State_None
        direction = view.layoutDirection()
        draw_row_ground(painter, rect, current_theme(), state=kept, direction=direction)


class _Heads(QHeaderView):
    """The line over the rows."""

    def __init__(self, view: RowView[Any]) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view

    @override
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), line_height(Role.HEAD) + scaled(8))

    @override
    def paintSection(self, painter: QPainter, rect: QRect, _section: int) -> None:
        painter.fillRect(rect, current_theme().panel)
        self._view.paint_heads(painter, rect.height() - 2)
