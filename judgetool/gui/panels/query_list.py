"""The list of queries: filter, pills, groups, its rows as they are painted; its rail and itself in focus.

A row has a progress ring, id, text, flag, count and the value of one measure.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QActionGroup,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QMenu,
    QSizePolicy,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.gui.icons import draw_icon
from judgetool.gui.jobs import Here, ProjectPanel, Rest
from judgetool.gui.models.finders import describe_chip, hint_at_conditions, visible_chips
from judgetool.gui.models.query_model import (
    VALUE_DIGITS,
    GroupRow,
    Order,
    QueryChoice,
    QueryModel,
    QueryRow,
)
from judgetool.gui.painting import (
    CENTRE,
    draw_ring,
    draw_text,
    format_count,
    format_value,
)
from judgetool.gui.panels.cards import RowBrush, RowLook, baseline_at, break_lines
from judgetool.gui.panels.filter_bar import FilterBar
from judgetool.gui.panels.result_tools import tool_button
from judgetool.gui.theme import (
    Role,
    current_density,
    current_theme,
    icon_side,
    line_height,
    metrics,
    scaled,
    text_width,
)
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.buttons import Pill, offer
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import Align, ElidedLabel, Piece, PieceView, TextPart
from judgetool.gui.widgets.painted import (
    RING,
    KeptPixmaps,
    PaintedButton,
    in_column,
    in_line,
    is_narrow_for_text,
    visual,
)
from judgetool.gui.widgets.rows import Index, ListTable
from judgetool.session.commands import Changed
from judgetool.session.finding import count_quick
from judgetool.session.reading_aids import Blindness
from judgetool.session.session import Session
from judgetool.wording import _, own_words

_OVER_WIDTH = 300
RAIL_WIDTH = 42


class QueryList(QWidget, ProjectPanel):
    """Title, filter, pills, column heads and the table of queries.

    Signals:
        query_chosen: number of a query that was clicked, or reached by a key in the list, or
            opened by Enter where arrows only move.
        told: how many queries a filter or an order has left, in words.
    """

    query_chosen = Signal(int)
    told = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = QueryModel(self)
        self.table = QueryTable(self.model)
        self.bar = FilterBar(_("Filter queries"), "/")
        self.filter = self.bar.field
        self.pills = {choice: Pill(_(choice.value), 0) for choice in QueryChoice}
        self.empty = EmptyState()
        self._line = FlowLayout(gap=2)
        self._heads = ColumnHeads()
        self._session: Session | None = None
        self._is_blind = self._waits = False
        self._rest = Rest(self)
        self._sort = tool_button("arrow-down-wide-narrow", _("Order of the queries"), self)
        self._stack = QStackedLayout()
        self._arrange()
        self._connect()
        self._fill_sort_menu()
        self._show_arranged()

    def _arrange(self) -> None:
        title = ElidedLabel(_("Queries"), role=Role.UI_STRONG)
        head = in_line(title, 1, self._sort, spacing=6, margins=(INSET, 0, INSET - 4, 0))
        for pill in self.pills.values():
            self._line.put(pill)
        self._line.setContentsMargins(INSET - RING, 0, INSET - RING, 0)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        parts, gap = (head, self.bar, self._line, self._heads, self._stack, 1), scaled(4)
        in_column(*parts, host=self, spacing=gap, margins=(0, gap, 0, 0))
        self.setTabOrder(self.filter, self.table)
        self.setTabOrder(self.table, self._sort)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.AlternateBase)

    def _connect(self) -> None:
        self.table.row_clicked.connect(self._on_row_clicked)
        self.table.row_moved.connect(self._on_row_moved)
        self.table.fold_asked.connect(self._fold_row)
        self.table.resized.connect(self._place_columns)
        self.bar.changed.connect(self._filter)
        self.bar.changed.connect(lambda: self._rest.wait(self._tell_count))
        self.bar.left.connect(self.table.setFocus)
        self.bar.taken.connect(self._take_first)
        self.bar.menu.aboutToShow.connect(lambda: self.bar.fill_menu(None))
        self.empty.acted.connect(self.show_all)
        self.model.modelReset.connect(self._show_arranged)
        self.model.dataChanged.connect(lambda *__: self._count())
        for choice, pill in self.pills.items():
            # For readers one of several, and not a box to tick.
            pill.setAutoExclusive(True)
            pill.clicked.connect(lambda _on=False, chosen=choice: self._choose(chosen))

    def _fill_sort_menu(self) -> None:
        menu, group = QMenu(self), QActionGroup(self)
        for order in Order:
            choose, is_on = partial(self._reorder, order), order is self.model.order
            group.addAction(offer(menu, _(order.value), choose, is_on=is_on))
        self._sort.setMenu(menu)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return room for a line of pills; where the window has little, they take two lines."""
        hint, line = super().minimumSizeHint(), self._line.sizeHint().width()
        line = min(line, scaled(_NARROWEST)) if is_narrow_for_text(self) else line
        return QSize(max(hint.width(), line), hint.height())

    # What the window says

    @override
    def set_session(self, session: Session | None) -> None:
        """Show the queries of a session, or none; no query is current."""
        self.table.delegate.current = None
        self._session = session
        self.bar.set_session(session)
        self.model.set_session(session)
        self._count_chips()

    @override
    def set_blind(self, blindness: Blindness) -> None:
        """Leave out filters that tell of runs, ranks and others, or offer them again."""
        self._is_blind = blindness.is_on
        self.bar.set_blind(is_blind=blindness.is_on)

    def set_value(self, run_id: int | None, measure_name: str) -> None:
        """Choose the run and the measure of the values; ``None`` shows no values."""
        before = self.model.shown
        self.model.set_value(run_id, measure_name)
        self._place_columns()
        if self.model.shown is not before:
            self._mark_current(scrolls=True)

    def set_current(self, query: int) -> None:
        """Mark a query as the current one and bring it into view, without a signal."""
        group = self.model.group_of(query)
        if self.model.find_row(query) is None and group is not None and query in self.model.shown:
            self.model.set_folded(group, is_folded=False)
        self._paint_as_current(query)
        if not self.model.is_ahead:
            self._mark_current(scrolls=True)

    @override
    def take_change(self, changed: Changed) -> None:
        """Show progress and value of its queries anew; no row moves."""
        self.model.refresh(changed.queries)
        self.after_frame(self.model.tell_refreshed)

    def regroup(self) -> None:
        """Order the list anew, with what was judged since; its rows follow the frame."""
        if self.model.regroup():
            self.after_frame(self._lay_rows)

    def _lay_rows(self) -> None:
        self.model.lay_rows()
        self._mark_current(scrolls=True)

    def order(self) -> list[int]:
        """Return the query numbers as shown, those in folded groups included."""
        return list(self.model.shown)

    def _paint_as_current(self, query: int) -> None:
        """Let the rows of the query that was current and of the one that is be painted anew."""
        for touched in (self.table.delegate.current, query):
            row = self.model.find_row(touched) if touched is not None else None
            if row is not None:
                self.table.update(self.model.index(row, 0))
        self.table.delegate.current = query

    def focus_filter(self) -> None:
        """Put the keyboard into the filter."""
        focus_field(self.filter)

    # What the person does

    def choose_by_enter(self, *, is_on: bool) -> None:
        """Have arrows move alone until Enter or a click chooses, or have each move choose."""
        self._waits = is_on
        if not is_on:
            self._mark_current(scrolls=True)

    def _on_row_clicked(self, place: int) -> None:
        if isinstance(self.model.row(place), GroupRow):
            self._fold_row(place, None)
        else:
            self._choose_row(place)

    def _on_row_moved(self, place: int) -> None:
        if not self._waits:
            self._choose_row(place)

    def _choose_row(self, place: int) -> None:
        row = self.model.row(place)
        if isinstance(row, QueryRow):
            self._paint_as_current(row.query)
            self.query_chosen.emit(row.query)

    def _fold_row(self, place: int, is_folded: bool | None) -> None:
        row = self.model.row(place)
        if self._waits and is_folded is None and isinstance(row, QueryRow):
            self._choose_row(place)
        elif isinstance(row, GroupRow) and is_folded is not row.is_folded:
            self.model.set_folded(row.group, is_folded=not row.is_folded)
            self.table.setCurrentIndex(self.model.index(place, 0))

    def _filter(self) -> None:
        chips = visible_chips(self.bar.chips, is_blind=self._is_blind)
        if chips != self.model.chips:
            self.model.set_chips(chips)
            self._count_chips()
        if self.bar.words != self.model.typed:
            self.model.set_filter(self.bar.words)

    def _count_chips(self) -> None:
        if self._session is not None and self.bar.chips:
            # What they let through together, for each; none where that takes long.
            n_met = count_quick(self._session, self.bar.chips)
            self.bar.show_counts([n_met] * len(self.bar.chips))

    def _choose(self, choice: QueryChoice) -> None:
        self.model.set_choice(choice)
        self._tell_count()

    def _reorder(self, order: Order) -> None:
        self.model.set_order(order)
        n_groups = len(self.model.group_rows())
        groups = number_of(n_groups, "{n} group", "{n} groups")
        self.told.emit(f"{_(self.model.kept_order.value)}{f', {groups}' if n_groups else ''}.")

    def _tell_count(self) -> None:
        """Say what the list says by being shorter."""
        n_shown, n_all = len(self.model.shown), self.model.n_queries
        of_all = _("{n_shown} of {n_all} queries").format(
            n_shown=format_count(n_shown), n_all=format_count(n_all)
        )
        self.told.emit(f"{of_all}." if n_shown else self._why_empty()[0])

    def show_all(self) -> None:
        """Take every filter away."""
        self.bar.clear()
        self._choose(QueryChoice.ALL)

    def _take_first(self) -> None:
        shown = self.model.shown
        row = self.model.find_row(shown[0]) if shown else None
        if self._waits and self.filter.is_stepped and row is not None:
            self.table.setCurrentIndex(self.model.index(row, 0))
            self.table.setFocus()
        elif shown:
            self.table.setFocus()
            self.set_current(shown[0])
            self.query_chosen.emit(shown[0])

    # What is shown

    def _show_arranged(self) -> None:
        """Bring everything besides the rows in line with the model."""
        self.table.put_heads(self.model.group_rows(), height=group_height())
        for choice, pill in self.pills.items():
            pill.setChecked(choice is self.model.choice)
        self._count()
        self._place_columns()
        self._mark_current(scrolls=False)
        self._stack.setCurrentWidget(self.table if self.model.shown else self.empty)
        if not self.model.shown:
            self.empty.set_state(*self._why_empty())

    def _why_empty(self) -> tuple[str, str]:
        typed = self.model.typed.strip()
        if not self.model.n_queries:
            return _("This project has no queries yet."), ""
        if self.bar.chips:
            scale = self._session.scale if self._session is not None else None
            texts = [describe_chip(chip, scale) for chip in self.bar.chips]
            said = " · ".join(texts + [own_words(typed)] * bool(typed))
            nothing = _("No query matches {said}.").format(said=said[:160])
            return nothing + hint_at_conditions(typed), _("Clear filter")
        if typed:
            nothing = _("No query matches “{typed}”.").format(typed=typed[:60])
            return nothing + hint_at_conditions(typed), _("Clear filter")
        if self.model.choice is QueryChoice.TO_DO:
            return _("Every query is judged."), _("Show all")
        return _("No query has a flagged judgment."), _("Show all")

    def _count(self) -> None:
        facts = self.model.facts
        self.pills[QueryChoice.ALL].set_count(self.model.n_queries)
        self.pills[QueryChoice.TO_DO].set_count(self.model.n_to_do)
        self.pills[QueryChoice.FLAGGED].set_count(len(facts.flagged))

    def _mark_current(self, *, scrolls: bool) -> None:
        current = self.table.delegate.current
        row = self.model.find_row(current) if current is not None else None
        if row is None:
            return
        bar = self.table.verticalScrollBar()
        kept = bar.value()
        index = self.model.index(row, 0)
        self.table.setCurrentIndex(index)
        if scrolls:
            # Where it was the current row already, or rows have become higher, Qt has not done so.
            self.table.updateGeometries()
            self.table.scrollTo(index)
        else:
            bar.setValue(kept)

    def _place_columns(self) -> None:
        columns = query_columns(
            self.table.viewport().width(),
            longest_id=self.model.longest_id,
            has_values=self.model.has_values,
        )
        if columns != self.table.delegate.columns:
            self.table.delegate.columns = columns
            self.table.viewport().update()
        self._set_lines(self._lines_for(columns.count_right - columns.text))
        measure = self.model.measure if self.model.has_values else ""
        room = columns.value_right - columns.text
        self._heads.set_texts(_(self.model.kept_order.value), measure, left=columns.text, room=room)

    def _lines_for(self, room: int) -> int:
        """Return on how many lines queries stand: two where many are longer than the room."""
        if current_density().snippet_lines == 1:
            return 1
        room -= text_width(Role.META, "00/00") + scaled(6)
        return 2 if text_width(Role.UI, self.model.longish_text) > room else 1

    def _set_lines(self, n_lines: int) -> None:
        delegate = self.table.delegate
        if n_lines != delegate.n_lines:
            delegate.n_lines = n_lines
            self._fit_heights()

    def _fit_heights(self) -> None:
        self.table.set_row_height(row_height(n_lines=self.table.delegate.n_lines))
        self.table.put_heads(self.model.group_rows(), height=group_height())

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.FontChange:
            self.fit_rows()
        super().changeEvent(event)

    def fit_rows(self) -> None:
        """Make rows as high as font and density say."""
        self._fit_heights()
        self.table.delegate.forget()
        self._show_arranged()
        self.table.scrollTo(self.table.currentIndex())

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size: 264 px wide."""
        return QSize(264, 600)


class QueryTable(ListTable):
    """The table of queries; arrow keys fold the group they stand on."""

    fold_asked = Signal(int, object)
    resized = Signal()

    def __init__(self, model: QueryModel) -> None:
        super().__init__()
        self.setAccessibleName(_("Queries"))
        self.setModel(model)
        self.delegate = QueryDelegate(model, self)
        self.setItemDelegate(self.delegate)
        self.set_row_height(row_height())
        # Docks are panels: the list stands on their ground.
        self.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold by Left, Right, Enter and Space on the head of a group."""
        folds: dict[int, bool | None] = {
            Qt.Key.Key_Left: True,
            Qt.Key.Key_Right: False,
            Qt.Key.Key_Return: None,
            Qt.Key.Key_Enter: None,
            Qt.Key.Key_Space: None,
        }
        if event.key() in folds and self.currentIndex().isValid():
            self.fold_asked.emit(self.currentIndex().row(), folds[event.key()])
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that columns stand elsewhere now; keep the current row in sight if it was."""
        rect, before = self.visualRect(self.currentIndex()), event.oldSize().height()
        was_seen = before <= 0 or (rect.bottom() >= 0 and rect.top() < before)
        super().resizeEvent(event)
        self.resized.emit()
        if was_seen:
            self.scrollTo(self.currentIndex())


class FocusQueries(QFrame):
    """Lies over the left part of a view while it is open; Esc, or a click beside it, closes it.

    Args:
        over: the view that it lies over.

    Signals:
        closed: the list is back in its dock.
    """

    closed = Signal()

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._dock: QDockWidget | None = None
        self._queries: QWidget | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 1, 0)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.close_list)
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether the list is here."""
        return self._dock is not None

    def open_list(self, dock: QDockWidget, *, left: int) -> None:
        """Take a dock's content and show it from a place on."""
        if self._dock is None:
            self._dock, self._queries = dock, dock.widget()
            self._column.addWidget(self._queries)
            self._queries.show()
            self._over.installEventFilter(self)
        self._left = left
        self._place()
        self.show()
        self.raise_()

    def close_list(self) -> None:
        """Put the list back into its dock."""
        dock, queries = self._dock, self._queries
        if dock is None or queries is None:
            return
        self._dock = self._queries = None
        self._over.removeEventFilter(self)
        self.hide()
        dock.setWidget(queries)
        self.closed.emit()

    def _place(self) -> None:
        width = min(scaled(_OVER_WIDTH), self._over.width() - self._left)
        place = QRect(self._left, 0, width, self._over.height())
        self.setGeometry(visual(self._over, place))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as high as the view."""
        if event.type() is QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


class QueryRail(PaintedButton, ProjectPanel):
    """A button as high as the view; a click opens the list of queries over the document."""

    radius = 0.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setToolTip(_("Queries (/)"))
        self.follow(Here())

    @override
    def follow(self, here: Here) -> None:
        """Say which query of how many is current."""
        text = (
            _("Queries  {position} of {n_queries}").format(
                position=here.position, n_queries=here.n_queries
            )
            if here.position
            else _("Queries")
        )
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self.update()

    @override
    def face_size(self) -> QSize:
        """Return the one width, and room for the words."""
        return QSize(scaled(RAIL_WIDTH) - 6, text_width(Role.META, self.text()) + scaled(60))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the width; the words may be cut."""
        return QSize(scaled(RAIL_WIDTH), scaled(60))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint ground, edge, icon and the words, which run upwards."""
        theme = self.theme
        area = QRectF(self.rect())
        painter.fillRect(area, theme.hover if self.underMouse() else theme.panel)
        is_left = self.isLeftToRight()
        edge = area.right() - 1 if is_left else 0.0
        painter.fillRect(QRectF(edge, 0, 1, area.height()), theme.line)
        ink = theme.text2 if self.underMouse() else theme.text3
        square = QRectF(0, scaled(12), area.width(), 18)
        name = "panel-left-open" if is_left else "panel-right-open"
        draw_icon(painter, square, name=name, colour=ink)
        length = text_width(Role.META, self.text()) + 4.0
        top = square.bottom() + scaled(12)
        painter.save()
        painter.translate(QPointF(area.width() / 2, top + length))
        painter.rotate(-90)
        place = QRectF(0, -10, length, 20)
        draw_text(painter, place, self.text(), role=Role.META, colour=ink, align=CENTRE)
        painter.restore()


class ColumnHeads(PieceView):
    """How the list is ordered, and the measure over the values."""

    def __init__(self) -> None:
        super().__init__(self._pieces, lambda: line_height(Role.HEAD) + scaled(4), least=100)
        self._said = ("", "", 0, 0)

    def set_texts(self, order: str, measure: str, *, left: int, room: int) -> None:
        """Say how the list is ordered, and by which measure the values are.

        Args:
            order: stands over the texts.
            measure: stands over the values.
            left: where the texts begin, in px.
            room: from there to the end of the values.
        """
        said = (order, measure, left, room)
        if said != self._said:
            self._said = said
            self.update()

    def _pieces(self) -> Sequence[Piece]:
        order, measure, left, room = self._said
        texts = (
            TextPart(order, Role.HEAD, "text3"),
            TextPart(measure, Role.HEAD, "text3", Align.END),
        )
        return (Piece(None, left), Piece(texts[0], room * 0.6), Piece(texts[1], room * 0.4))


INSET = 12
_NARROWEST = 214
_RING = 12
_GAP = 7
_ICON = 14
_MOST_ID_SHARE = 0.18
_MOST_KEPT = 160
# Of all that a row's state says, only this is seen.
_SEEN_STATES = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus


def row_height(*, n_lines: int = 1) -> int:
    """Return the height of a query's row: 24, 28 or 34 px at a 13 px font, as is chosen.

    Args:
        n_lines: of the text; each but the first adds its own height.
    """
    least = max(scaled(current_density().row), round(metrics(Role.UI).height() * 1.2))
    return least + (n_lines - 1) * line_height(Role.UI)


def group_height() -> int:
    """Return the height of a group's head."""
    return max(scaled(26), line_height(Role.META) + 4)


class QueryColumns(NamedTuple):
    """Where the parts of a row stand, left to right, for one width of the list.

    Attributes:
        ring: left edge of the progress ring.
        id_right: right edge of the ids.
        text: left edge of the texts.
        count_right: right edge of ``7/11``.
        value_right: right edge of the values.
        id_width: room of the ids, 0 where they are shown as texts.
        value_width: room of the values, 0 where there are none.
    """

    ring: int
    id_right: int
    text: int
    count_right: int
    value_right: int
    id_width: int
    value_width: int


def query_columns(width: int, *, longest_id: str, has_values: bool) -> QueryColumns:
    """Return where the parts of a row stand.

    Args:
        width: of the list's viewport.
        longest_id: ids get as much room as it needs; ``""`` for none. Ids that would
            take more than a fifth of the list are left out until the list is wider.
        has_values: whether room is kept for values.
    """
    ring = scaled(INSET)
    id_width = text_width(Role.META, longest_id) if longest_id else 0
    if id_width > _MOST_ID_SHARE * width:
        id_width = 0
    id_left = ring + scaled(_RING) + scaled(_GAP)
    value_right = width - scaled(INSET)
    value_width = text_width(Role.UI, "0." + "0" * VALUE_DIGITS) if has_values else 0
    count_right = value_right - value_width - (scaled(8) if value_width else 0)
    text = id_left + id_width + (scaled(_GAP) if id_width else 0)
    return QueryColumns(
        ring, id_left + id_width, text, count_right, value_right, id_width, value_width
    )


class QueryDelegate(QStyledItemDelegate):
    """Paints queries and heads of groups.

    Attributes:
        columns: where the parts of a row stand; the list sets them on every resize.
        current: number of the current query, ``None`` for none.
        n_lines: on how many lines texts stand, 1 or 2.
    """

    def __init__(self, model: QueryModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.columns = query_columns(264, longest_id="", has_values=False)
        self.current: int | None = None
        self.n_lines = 1
        self._kept = KeptPixmaps(_MOST_KEPT)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        row = self._model.row(index.row())
        state = option.state & _SEEN_STATES
        if isinstance(row, QueryRow) and row.query == self.current:
            state |= QStyle.StateFlag.State_Selected
        if option.widget.hasFocus():
            state |= QStyle.StateFlag.State_Active
        look = RowLook(current_theme(), option.direction, state)
        self._kept.draw(
            painter,
            option.rect,
            (row, self.columns, look, self.n_lines),
            paint=lambda inner, rect: self._paint_row(inner, rect, row, look),
            ground=look.theme.panel,
        )

    def forget(self) -> None:
        """Paint every row anew: fonts have changed."""
        self._kept.clear()

    def _paint_row(
        self, painter: QPainter, rect: QRectF, row: QueryRow | GroupRow, look: RowLook
    ) -> None:
        brush = RowBrush(painter, rect, look)
        if isinstance(row, GroupRow):
            has_cursor = bool(look.state & QStyle.StateFlag.State_HasFocus)
            self._paint_group(brush, row, has_cursor=has_cursor)
        else:
            self._paint_query(brush, row)

    def _paint_group(self, brush: RowBrush, row: GroupRow, *, has_cursor: bool) -> None:
        theme, columns, line = brush.theme, self.columns, (0, brush.rect.height())
        if has_cursor:
            brush.painter.fillRect(brush.rect, theme.hover)
        name = "chevron-down"
        if row.is_folded:
            name = "chevron-left" if brush.is_mirrored else "chevron-right"
        side = icon_side(_ICON)
        top = brush.rect.height() / 2 - side / 2
        ink = theme.text2 if has_cursor else theme.text3
        square = brush.place(columns.ring - 1, columns.ring - 1 + side, top, side)
        draw_icon(brush.painter, square, name=name, colour=ink, px=side)
        left = columns.ring + side + scaled(4)
        width = text_width(Role.META_STRONG, row.title) + 1
        brush.text(
            row.title, brush.place(left, left + width, *line), role=Role.META_STRONG, ink="text2"
        )
        left += width + scaled(6)
        count = format_count(row.size) + (f" · {row.aside}" if row.aside else "")
        brush.text(count, brush.place(left, columns.value_right, *line))

    def _paint_query(self, brush: RowBrush, row: QueryRow) -> None:
        columns, theme, whole = self.columns, brush.theme, brush.rect.height()
        side = scaled(_RING)
        top = (whole - side) // 2
        if row.total:
            square = brush.place(columns.ring, columns.ring + side, top, side)
            draw_ring(brush.painter, square, theme, share=row.judged / row.total)
        if columns.id_width and row.text != row.id:
            left = columns.id_right - columns.id_width
            brush.text(row.id, brush.place(left, columns.id_right, 0, whole), at_end=True)
        right = self._paint_end(brush, row)
        room = right - columns.text
        if room > scaled(16):
            lines = break_lines(row.text, role=Role.UI, room=room, most=self.n_lines)
            begin, height = brush.place(columns.text, right, 0, 0).left(), line_height(Role.UI)
            middle = brush.rect.center().y()
            baseline = baseline_at(middle, Role.UI) - (len(lines) - 1) * height / 2
            for number, line in enumerate(lines):
                at = round(baseline + number * height)
                line.draw(brush.painter, begin, at, colour=theme.text)

    def _paint_end(self, brush: RowBrush, row: QueryRow) -> int:
        """Paint flag, count and value; return where the text must stop."""
        columns, line = self.columns, (0, brush.rect.height())
        if columns.value_width:
            value, end = format_value(row.value, digits=VALUE_DIGITS), columns.value_right
            left = end - columns.value_width
            brush.text(value, brush.place(left, end, *line), role=Role.UI, ink="text", at_end=True)
        right = columns.count_right
        if row.judged < row.total:
            count = f"{row.judged}/{row.total}"
            width = text_width(Role.META, count) + 1
            brush.text(count, brush.place(right - width, right, *line), at_end=True)
            right -= width + scaled(6)
        if row.is_flagged:
            side = icon_side(_ICON)
            square = brush.place(right - side, right, (brush.rect.height() - side) / 2, side)
            draw_icon(brush.painter, square, name="flag", colour=brush.theme.warn, px=side)
            right -= side + scaled(4)
        return right
