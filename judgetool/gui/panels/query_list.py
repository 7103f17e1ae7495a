"""The list of queries: filter, pills, groups, progress and the value of one measure."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.delegates.query_delegate import INSET, group_height, query_columns, row_height
from judgetool.gui.density import current_density
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.models.query_model import GroupRow, QueryModel, QueryRow
from judgetool.gui.models.query_order import Choice, Order
from judgetool.gui.models.typed_filters import REVEALING, completions, describe_chip, visible_chips
from judgetool.gui.panels.empty_state import EmptyState
from judgetool.gui.panels.filter_bar import FilterBar
from judgetool.gui.panels.filter_menu import FilterTarget, count_chips, fill_filter_menu
from judgetool.gui.panels.query_table import ColumnHeads, QueryTable
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import RING
from judgetool.gui.widgets.pill import Pill
from judgetool.session.session import Session


class QueryList(QWidget):
    """Title, filter, pills, column heads and the table of queries.

    Signals:
        query_chosen: number of a query that was clicked, or reached by a key in the list.
    """

    query_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = QueryModel(self)
        self.table = QueryTable(self.model, self)
        self.bar = FilterBar("Filter queries", "/", parent=self)
        self.filter = self.bar.field
        self.pills = {choice: Pill(choice.value, 0, parent=self) for choice in Choice}
        self.empty = EmptyState(self)
        self._heads = ColumnHeads(self)
        self._session: Session | None = None
        self._is_blind = False
        self._head_places: set[int] = set()
        self._sort = QToolButton(self)
        self._stack = QStackedLayout()
        self._arrange()
        self._connect()
        self._fill_sort_menu()
        self._show_arranged()

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(INSET, 0, INSET - 4, 0)
        title = ElidedLabel("Queries", role=Role.UI_STRONG, parent=self)
        title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._sort.setIconSize(icon_size())
        self._sort.setFixedSize(26, 26)
        self._sort.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        head.addWidget(title, stretch=1)
        head.addWidget(self._sort)
        pills = QHBoxLayout()
        pills.setContentsMargins(INSET - RING, 0, INSET - RING, 0)
        pills.setSpacing(2)
        for pill in self.pills.values():
            pills.addWidget(pill)
        pills.addStretch(1)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, scaled(4), 0, 0)
        column.setSpacing(scaled(4))
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addLayout(pills)
        column.addWidget(self._heads)
        column.addLayout(self._stack, stretch=1)
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
        self.bar.left.connect(self.table.setFocus)
        self.bar.taken.connect(self._take_first)
        self.bar.menu.aboutToShow.connect(self._fill_menu)
        self.empty.acted.connect(self.show_all)
        self.model.modelReset.connect(self._show_arranged)
        self.model.dataChanged.connect(lambda *_: self._count())
        for choice, pill in self.pills.items():
            pill.clicked.connect(lambda _on=False, chosen=choice: self._choose(chosen))

    def _fill_sort_menu(self) -> None:
        menu, group = QMenu(self), QActionGroup(self)
        for order in Order:
            action = QAction(order.value, self, checkable=True)
            action.setChecked(order is self.model.order)
            action.triggered.connect(lambda _on=False, chosen=order: self.model.set_order(chosen))
            group.addAction(action)
            menu.addAction(action)
        self._sort.setMenu(menu)
        self._sort.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._sort.setToolTip("Order of the queries")
        self._sort.setAccessibleName("Order of the queries")
        self._paint_icons()

    # What the window says

    def set_session(self, session: Session | None) -> None:
        """Show the queries of a session, or none; no query is current."""
        self.table.delegate.current = None
        self._session = session
        self.bar.set_session(session, completions(session, is_blind=self._is_blind))
        self.model.set_session(session)
        self._count_chips()

    def set_blind(self, *, is_blind: bool) -> None:
        """Leave out filters that tell of runs, ranks and others, or offer them again."""
        self._is_blind = is_blind
        if is_blind:
            self.bar.set_chips([chip for chip in self.bar.chips if chip.kind not in REVEALING])
        self.filter.set_completions(completions(self._session, is_blind=is_blind))

    def set_value(self, run_id: int | None, measure_name: str) -> None:
        """Choose the run and the measure of the values; ``None`` shows no values."""
        self.model.set_value(run_id, measure_name)
        self._place_columns()

    def set_current(self, query: int) -> None:
        """Mark a query as the current one and bring it into view, without a signal."""
        group = self.model.group_of(query)
        if self.model.find_row(query) is None and group is not None and query in self.model.shown:
            self.model.set_folded(group, is_folded=False)
        self._paint_as_current(query)
        self._mark_current(scrolls=True)

    def refresh(self, queries: frozenset[int]) -> None:
        """Show progress and value of these queries anew; no row moves."""
        self.model.refresh(queries)

    def regroup(self) -> None:
        """Order the list anew, with what was judged since."""
        self.model.regroup()

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
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    # What the person does

    def _on_row_clicked(self, place: int) -> None:
        if isinstance(self.model.row(place), GroupRow):
            self._fold_row(place, None)
        else:
            self._on_row_moved(place)

    def _on_row_moved(self, place: int) -> None:
        row = self.model.row(place)
        if isinstance(row, QueryRow):
            self._paint_as_current(row.query)
            self.query_chosen.emit(row.query)

    def _fold_row(self, place: int, is_folded: bool | None) -> None:
        row = self.model.row(place)
        if isinstance(row, GroupRow) and is_folded is not row.is_folded:
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
            self.bar.show_counts(count_chips(self._session, self.bar.chips))

    def _fill_menu(self) -> None:
        if self._session is not None:
            bar = self.bar
            target = FilterTarget(
                self._session, None, bar.chips, self._is_blind, bar.toggle_chip, bar.set_chips
            )
            fill_filter_menu(bar.menu, target)

    def _choose(self, choice: Choice) -> None:
        self.model.set_choice(choice)

    def show_all(self) -> None:
        """Take every filter away."""
        self.bar.clear()
        self.model.set_choice(Choice.ALL)

    def _take_first(self) -> None:
        shown = self.model.shown
        if shown:
            self.table.setFocus()
            self.set_current(shown[0])
            self.query_chosen.emit(shown[0])

    # What is shown

    def _show_arranged(self) -> None:
        """Bring everything besides the rows in line with the model."""
        self._fit_heads()
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
            return "This project has no queries yet.", ""
        if self.bar.chips:
            scale = self._session.scale if self._session is not None else None
            texts = [describe_chip(chip, scale) for chip in self.bar.chips]
            said = " · ".join(texts + [f"“{typed}”"] * bool(typed))
            return f"No query matches {said[:160]}.", "Clear filter"
        if typed:
            return f"No query matches “{typed[:60]}”.", "Clear filter"
        if self.model.choice is Choice.TO_DO:
            return "Every query is judged.", "Show all"
        return "No query has a flagged judgment.", "Show all"

    def _count(self) -> None:
        facts = self.model.facts
        self.pills[Choice.ALL].set_count(self.model.n_queries)
        self.pills[Choice.TO_DO].set_count(self.model.n_to_do)
        self.pills[Choice.FLAGGED].set_count(len(facts.flagged))

    def _mark_current(self, *, scrolls: bool) -> None:
        current = self.table.delegate.current
        row = self.model.find_row(current) if current is not None else None
        if row is None:
            return
        bar = self.table.verticalScrollBar()
        kept = bar.value()
        self.table.setCurrentIndex(self.model.index(row, 0))
        if not scrolls:
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
        self._heads.set_columns(columns.text, columns.value_right)
        self._heads.set_texts(
            self.model.order.value, self.model.measure if self.model.has_values else ""
        )

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
        self._fit_heads()

    def _fit_heads(self) -> None:
        """Give heads of groups their height, and theirs to the rows that were heads before."""
        height = row_height(n_lines=self.table.delegate.n_lines)
        heads = self.model.group_rows()
        # Qt keeps the height of a place whatever row comes to stand there.
        for place in self._head_places.difference(heads):
            if place < self.model.rowCount():
                self.table.setRowHeight(place, height)
        for place in heads:
            self.table.setRowHeight(place, group_height())
        self._head_places = set(heads)

    def _paint_icons(self) -> None:
        self._sort.setIcon(themed_icon("arrow-down-wide-narrow", current_theme()))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icons()
        if event.type() is QEvent.Type.FontChange:
            self.fit_rows()
        super().changeEvent(event)

    def fit_rows(self) -> None:
        """Make rows as high as font and density say."""
        self._fit_heights()
        self.table.delegate.forget()
        self._show_arranged()

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size: 264 px wide."""
        return QSize(264, 600)
