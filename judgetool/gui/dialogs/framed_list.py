"""What stands in dialogs beside fields: lists inside borders, small pictures."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QToolTip,
    QWidget,
)

from judgetool.core import override
from judgetool.core.scale import Scale
from judgetool.formats.output import Sheet
from judgetool.gui.painting import (
    GradeStyle,
    chip_width,
    draw_line,
    draw_row_ground,
    isolated,
    scale_styles,
)
from judgetool.gui.table_copy import as_sheet, offer_copy, table_of_model
from judgetool.gui.theme import Role, current_theme, font, scaled, text_width
from judgetool.gui.widgets.labels import (
    Align,
    ChipPart,
    Look,
    Piece,
    TextPart,
    paint_pieces,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import EventWatch, announce

View = TypeVar("View", bound=QFrame)
Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
# What the style sheet puts around a head.
_HEAD_ROOM = 20
_FIGURE_ROW = 26
# The property of what is lower on a low screen; how low at the least, in px at a 13 px font.
_GIVES, _LEAST_LIST = "gives", 90
# What a name has at least, in px at a 13 px font.
_NAME = 116
_WALKING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_CHOOSING = (*_WALKING, Qt.Key.Key_Home, Qt.Key.Key_End)


Show = Callable[[Any, float], Iterable[Piece]]
"""What stands in a row, of its value and the room in px."""


def _plain(text: str, _room: float) -> Iterable[Piece]:
    return (Piece(TextPart(text), gives=True),)


class RowDelegate(QStyledItemDelegate):
    """Paints a row's pieces on the ground that its state asks for.

    Args:
        parent: of the delegate.
        show: makes the pieces of what is kept of the row under ``ROW``, else of its text.
        height: of a row, in px at a 13 px font.
        inset: room at both ends, likewise.
        is_lined: whether there is a line under each row.
        has_ground: whether its state is painted under a row that can be chosen.
    """

    def __init__(
        self,
        parent: QObject,
        show: Show = _plain,
        *,
        height: int = 28,
        inset: int = 12,
        is_lined: bool = False,
        has_ground: bool = True,
    ) -> None:
        super().__init__(parent)
        self._show, self._height, self._inset = show, height, inset
        self._is_lined, self._has_ground = is_lined, has_ground

    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(self._height))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the ground, but under a row that cannot be chosen, and what is on it."""
        theme, state, rect = current_theme(), option.state, QRectF(option.rect)
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        painter.save()
        if self._has_ground and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            draw_row_ground(painter, rect, theme, state=state, direction=option.direction)
        if self._is_lined:
            draw_line(painter, rect, theme.line)
        inner = rect.adjusted(scaled(self._inset), 0, -scaled(self._inset), 0)
        pieces = self._pieces(index, inner.width())
        is_mirrored = option.direction is Qt.LayoutDirection.RightToLeft
        paint_pieces(painter, pieces, inner, Look(theme, is_mirrored))
        painter.restore()

    def _pieces(self, index: Index, room: float) -> tuple[Piece, ...]:
        value = index.data(ROW)
        return tuple(self._show(str(index.data() or "") if value is None else value, room))

    @override
    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Say all of a row under the pointer that is too narrow for it."""
        room = option.rect.width() - 2 * scaled(self._inset)
        needed = sum(piece.gap + _whole_width(piece) for piece in self._pieces(index, room))
        said = index.data(Qt.ItemDataRole.AccessibleTextRole)
        if event.type() is not QEvent.Type.ToolTip or not said or needed <= room:
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), plain_tooltip(said), view)
        return True


def _whole_width(piece: Piece) -> float:
    part = piece.part
    return text_width(part.role, part.text) if isinstance(part, TextPart) else piece.width


class ListRow(NamedTuple):
    """A row of two parts: what, and at its end when and who.

    Attributes:
        key: what the dialog knows it by.
        title: at the start.
        side: at the end, smaller.
        is_faint: whether it is there for completeness only, such as a step undone.
        style: of the chip before the title; ``None`` for no chip.
        is_name: whether the title is a name, which differs from others at its end, perhaps.
    """

    key: Any
    title: str
    side: str
    is_faint: bool = False
    style: GradeStyle | None = None
    is_name: bool = False

    @property
    def said(self) -> str:
        """The row as a reader says it."""
        return ", ".join(filter(None, (self.title, self.side)))


def _step_pieces(row: ListRow, room: float) -> Iterator[Piece]:
    if row.style is not None:
        chip = float(max(chip_width([row.style]), scaled(44)) + scaled(8))
        yield Piece(ChipPart(row.style), chip)
        room -= chip
    title = TextPart(row.title, ink="text3" if row.is_faint else "text", is_id=row.is_name)
    yield Piece(title, gives=True)
    # What the title does not need is the side's.
    left = max(room * 0.6, room - text_width(Role.UI, row.title) - scaled(14))
    side = TextPart(isolated(row.side), Role.META, "text3", Align.END)
    yield Piece(side, min(text_width(Role.META, row.side) + 2, left), scaled(12))


class PieceList(QListWidget):
    """A list without a frame of its own, with our rows, named for readers.

    Args:
        name: of the list.
        show: makes the pieces of a row.
        height: of a row, in px at a 13 px font.
        is_lined: whether there is a line under each row.

    Signals:
        taken: the row that a key or a click of the person means; getting the keyboard means none.
    """

    taken = Signal(QListWidgetItem)

    def __init__(
        self, name: str, show: Show = _plain, *, height: int = 28, is_lined: bool = False
    ) -> None:
        super().__init__()
        self.setItemDelegate(RowDelegate(self, show, height=height, is_lined=is_lined))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setAccessibleName(name)
        self.itemClicked.connect(self.taken)
        self.itemActivated.connect(self.taken)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, also by letters, and tell where to: at an end the row is meant as well."""
        super().keyPressEvent(event)
        typed = event.text()
        is_meant = event.key() in _CHOOSING or (typed and typed.isprintable())
        if is_meant and self.currentRow() >= 0:
            self.taken.emit(self.currentItem())

    def show_rows(self, rows: Iterable[Any], *, kept: object = None) -> None:
        """Show other rows, without a signal.

        Args:
            rows: each with key, title and what is said of it; one without a key is a head,
                which cannot be chosen.
            kept: key of the row that is to be current; the first where there is none of it.
        """
        self.blockSignals(True)
        self.clear()
        for row in rows:
            item = list_item(row, row.title, row.said)
            if row.key is None:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.addItem(item)
        self.choose(kept)
        self.blockSignals(False)

    def choose(self, key: object) -> None:
        """Make a row current; the first where there is none of the key."""
        keys = [self.item(place).data(ROW).key for place in range(self.count())]
        first = next((place for place, each in enumerate(keys) if each is not None), -1)
        place = keys.index(key) if key is not None and key in keys else first
        self.setCurrentRow(place)
        if place == first:
            # With its head.
            self.scrollToTop()

    @property
    def chosen(self) -> Any:  # noqa: ANN401 - what the dialog has put there
        """The row that is current, or ``None``."""
        index = self.currentIndex()
        return index.data(ROW) if index.isValid() else None


def list_item(row: object, text: str, said: str) -> QListWidgetItem:
    """Return an item of such a list: its value, its text, and what readers say of it."""
    item = QListWidgetItem(text)
    item.setData(ROW, row)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
    return item


Save = Callable[[Sheet], None]


def dress_table(
    table: QTableWidget, name: str, command: Callable[[], str] = str, save: Save | None = None
) -> None:
    """Give a table the look of our lists, and name it for readers; it is to be read only.

    Args:
        table: which.
        name: for readers.
        command: returns the command line that gives the same figures; ``""`` for none.
        save: asks where, and writes it; ``None`` where that is not offered.
    """
    table.setAccessibleName(name)
    table.setFrameShape(QTableWidget.Shape.NoFrame)
    table.setShowGrid(False)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(scaled(28))
    table.horizontalHeader().setFont(font(Role.HEAD))

    def sheet() -> Sheet:
        file_name = "-".join(name.lower().split())
        return as_sheet(table_of_model(table.model()))._replace(name=file_name, command=command())

    offer_copy(table, sheet, save=save)


class FigureTable(QTableWidget):
    """Names and their figures, to be read and copied; a row is current as a whole.

    Args:
        name: of the table, for readers.
        most: rows that are seen at once; more scroll; 0 for as many as there is room for.
        save: asks where, and writes what is shown; ``None`` where that is not offered.

    Attributes:
        command: the command line that gives the same figures; may be empty.
    """

    def __init__(self, name: str, *, most: int = 0, save: Save | None = None) -> None:
        super().__init__()
        self.command = ""
        dress_table(self, name, lambda: self.command, save)
        self._most = most
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(scaled(_FIGURE_ROW))
        self.setItemDelegate(WholeRows(self))
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionsClickable(False)
        self._wide: Collection[int] = ()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let names give way, but not for good: where less is left the table scrolls."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        heads, mode = self.horizontalHeader(), QHeaderView.ResizeMode
        for column in self._wide:
            least = min(self.sizeHintForColumn(column), scaled(_NAME))
            others = sum(heads.sectionSize(at) for at in range(heads.count()) if at != column)
            is_whole = self.viewport().width() - others >= least
            heads.setSectionResizeMode(column, mode.Stretch if is_whole else mode.Fixed)
            if not is_whole:
                heads.resizeSection(column, least)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a ring inside while the keyboard is here and no frame shows it: no row need be current."""
        super().paintEvent(event)
        if self.hasFocus() and not self.property("framed"):
            painter = QPainter(self.viewport())
            painter.setPen(QPen(current_theme().accent, 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def show_rows(
        self,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        wide: Collection[int] = (0,),
        texts: Collection[int] = (0,),
    ) -> None:
        """Show other rows, and be as high as they are.

        Args:
            heads: over the columns.
            rows: a cell for each head.
            wide: columns that take what room is left over; the others are as wide as they need.
            texts: columns of words, which begin where lines do; figures stand at the right.
        """
        self.setColumnCount(len(heads))
        self.setRowCount(len(rows))
        figures = (heads[column] for column in wide if column not in texts)
        widest = max((text_width(Role.HEAD, text) for text in figures), default=0)
        self.horizontalHeader().setMinimumSectionSize(max(scaled(64), widest + _HEAD_ROOM))
        for column, text in enumerate(heads):
            head = _cell(text, is_text=column in texts)
            # Under a style sheet the header's own font does not follow another size of the text.
            head.setFont(font(Role.HEAD))
            self.setHorizontalHeaderItem(column, head)
            mode = QHeaderView.ResizeMode
            kind = mode.Stretch if column in wide else mode.ResizeToContents
            self.horizontalHeader().setSectionResizeMode(column, kind)
        for place, row in enumerate(rows):
            for column, text in enumerate(row):
                self.setItem(place, column, _cell(text, is_text=column in texts))
        self._wide = [column for column in wide if column in texts]
        self._fit()
        if rows:
            self.setCurrentCell(0, 0)
        if self._most:
            self.setFixedHeight(scaled(_FIGURE_ROW) * (min(self._most, max(2, len(rows))) + 1) + 8)


class WholeRows(QStyledItemDelegate):
    """No cell has a frame of its own."""

    @override
    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave the frame of the current cell out."""
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


def _cell(text: str, *, is_text: bool) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    side = Qt.AlignmentFlag.AlignLeft if is_text else Qt.AlignmentFlag.AlignRight
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item


def walk_from(field: QWidget, rows: QListWidget, *, tells: bool = False) -> None:
    """Let arrows walk through a list while the field above it has the keyboard.

    Args:
        field: has the keyboard.
        rows: the list.
        tells: whether who listens is told where they have come: no focus says it.
    """

    def take(event: QKeyEvent) -> bool:
        is_walk = event.key() in _WALKING
        if is_walk:
            before = rows.currentRow()
            QApplication.sendEvent(rows, event)
            item = rows.currentItem()
            if tells and rows.currentRow() not in (before, -1):
                announce(field, str(item.data(Qt.ItemDataRole.AccessibleTextRole) or item.text()))
        return is_walk

    EventWatch(field, take, QEvent.Type.KeyPress)


def make_step_list(name: str) -> PieceList:
    """Return an empty list for :class:`ListRow`, named for readers."""
    return PieceList(name, _step_pieces, height=30)


def with_words(rows: Iterable[Any], typed: str) -> list[Any]:
    """Return the rows in which every word occurs as they are said; case does not count."""
    words = typed.casefold().split()
    return [row for row in rows if all(word in row.said.casefold() for word in words)]


def framed(view: View) -> View:
    """Return a view with a border around it, accent while it has the keyboard."""
    view.setFrameShape(QFrame.Shape.StyledPanel)
    view.setProperty("framed", "true")
    return view


def giving(view: View, height: int) -> View:
    """Return a view that is at least so many px high, but lower where a screen has less."""
    view.setMinimumHeight(height)
    view.setProperty(_GIVES, True)
    return view


def give_way(dialog: QWidget, lacking: int) -> None:
    """Have lists and texts of a dialog, which scroll by themselves, be lower by px that a screen lacks."""
    for view in dialog.findChildren(QAbstractScrollArea):
        if lacking > 0 and view.property(_GIVES):
            now = view.minimumHeight()
            view.setMinimumHeight(max(min(now, scaled(_LEAST_LIST)), now - lacking))
            lacking -= now - view.minimumHeight()


def chip_pieces(scale: Scale, place: int) -> tuple[Piece]:
    """Return the chip of a level of a scale, wide enough for one sign more."""
    style = scale_styles(scale, current_theme())[place]
    return (Piece(ChipPart(style), max(chip_width([style]), scaled(40))),)
