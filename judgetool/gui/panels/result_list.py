"""The list of results: ranked cards of one query, with the tools above it."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.delegates.card_geometry import card_height, head_height
from judgetool.gui.delegates.result_delegate import ResultDelegate
from judgetool.gui.models.result_model import ResultModel
from judgetool.gui.models.result_order import ResultOrder
from judgetool.gui.panels.empty_state import EmptyState
from judgetool.gui.panels.list_table import ListTable
from judgetool.gui.panels.result_tools import ResultTools
from judgetool.gui.panels.tick_scroll_bar import TickScrollBar
from judgetool.session.session import Session

_AHEAD = 12


class ResultList(QWidget):
    """Cards of one query as one run ranks them, then documents of the pool that it lacks.

    Signals:
        place_changed: another place is current, by key, click or program; not told
            of what :meth:`show_query` sets.
        run_chosen: id of the run that the person chose; the list still shows the old one.
    """

    place_changed = Signal(int)
    run_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ResultModel(self)
        self.tools = ResultTools(self)
        self.table = _ResultTable(self.model, self)
        self.empty = EmptyState(self)
        self._run: int | None = None
        self._is_showing = False
        self._loader = QTimer(self)
        self._loader.setInterval(0)
        self._loader.timeout.connect(self._load_ahead)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        column.addLayout(self._stack, stretch=1)
        self.setFocusProxy(self.table)
        self._connect()
        self._show_arranged()

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.verticalScrollBar().valueChanged.connect(self._start_loading)
        self.tools.run_chosen.connect(self._on_run_chosen)
        self.tools.order_chosen.connect(self._reorder)
        self.tools.open_toggled.connect(self._filter)
        self.tools.scores_toggled.connect(self.set_scores_shown)
        self.empty.acted.connect(lambda: self._filter(False))

    # What the window says

    def set_session(self, session: Session | None) -> None:
        """Show the runs of a session, and no query yet."""
        self._is_showing = True
        self.model.set_session(session)
        self._is_showing = False
        runs = session.material.runs if session is not None else ()
        self.tools.set_runs([(run.run_id, run.name) for run in runs])
        self.tools.set_run(None)
        self._show_arranged()

    def show_query(self, run_id: int | None, query: int, *, place: int = 0) -> None:
        """Show a query as a run ranks it.

        Args:
            run_id: ``None`` shows the pool alone.
            query: its number.
            place: what becomes current, without a signal.
        """
        self._is_showing = True
        self._run = run_id
        self.model.show_query(run_id, query)
        self.tools.set_run(run_id)
        self._show_arranged()
        self._set_row(place)
        self._is_showing = False

    def documents(self) -> list[int]:
        """Return the document numbers as shown, filter applied."""
        return self.model.documents

    def current_place(self) -> int:
        """Return the current place in :meth:`documents`; -1 in an empty list."""
        return self.table.currentIndex().row()

    def set_current(self, place: int) -> None:
        """Make a place current and bring it into view; a place beyond the end is the last."""
        self._set_row(place)

    def refresh(self, documents: Iterable[int]) -> None:
        """Show anew what is said of these documents; only their rows are painted."""
        self.model.refresh(documents)
        self._count()

    def set_cutoffs(self, cutoffs: Sequence[int]) -> None:
        """Draw a line where measures cut; without any there are no lines."""
        self.model.set_cutoffs(cutoffs)

    def set_scores_shown(self, is_shown: bool) -> None:
        """Show or hide the systems' scores."""
        self.tools.scores.setChecked(is_shown)
        self.table.delegate.shows_scores = is_shown
        self._repaint()

    def set_highlighted(self, is_highlighted: bool) -> None:
        """Mark query terms, or not."""
        self.table.delegate.is_highlighted = is_highlighted
        self.table.viewport().update()

    # What the person does

    def _on_run_chosen(self, run_id: int) -> None:
        self.tools.set_run(self._run)
        self.run_chosen.emit(run_id)

    def _reorder(self, order: ResultOrder) -> None:
        self._keep_document(lambda: self.model.set_order(order))

    def _filter(self, only_open: bool) -> None:
        self._keep_document(lambda: self.model.set_only_open(only_open=only_open))

    def _keep_document(self, change: Callable[[], None]) -> None:
        """Change the rows; the current document stays current if it is still there."""
        place = self.current_place()
        document = self.documents()[place] if place >= 0 else None
        self._is_showing = True
        change()
        self._show_arranged()
        documents = self.documents()
        self._set_row(documents.index(document) if document in documents else 0)
        self._is_showing = False
        self.place_changed.emit(self.current_place())

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._is_showing and current.isValid():
            self.place_changed.emit(current.row())

    # What is shown

    def _set_row(self, place: int) -> None:
        n_rows = len(self.model.rows)
        if n_rows:
            row = min(max(place, 0), n_rows - 1)
            self.table.setCurrentIndex(self.model.index(row, 0))

    def _show_arranged(self) -> None:
        """Bring everything besides the rows in line with the model."""
        self.table.delegate.forget()
        lacking = self.model.first_lacking
        if lacking is not None:
            self.table.setRowHeight(lacking, card_height() + head_height())
        self.tools.orders.setCurrentIndex(list(ResultOrder).index(self.model.order))
        self.tools.unjudged.setChecked(self.model.only_open)
        self._count()
        self._stack.setCurrentWidget(self.table if self.model.rows else self.empty)
        if not self.model.rows:
            self.empty.set_state(*self._why_empty())
        self.table.verticalScrollBar().setValue(0)
        self._start_loading()

    def _why_empty(self) -> tuple[str, str]:
        if self.model.query is None:
            return "", ""
        if self.model.n_all:
            return "Every document of this query is judged.", "Show all"
        return "No run has documents for this query.", ""

    def _count(self) -> None:
        self.tools.unjudged.set_count(self.model.n_open)
        self.table.bar.set_ticks(self.model.open_places(), count=len(self.model.rows))

    def _repaint(self) -> None:
        self.table.delegate.forget()
        self.table.viewport().update()

    # Texts around what is seen are loaded while nothing else happens

    def _start_loading(self) -> None:
        if self.model.rows:
            self._loader.start()

    def _load_ahead(self) -> None:
        first = max(0, self.table.rowAt(0))
        height = max(1, card_height())
        last = first + self.table.viewport().height() // height + 1
        if not self.model.load_next(first - _AHEAD // 2, last + _AHEAD):
            self._loader.stop()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() is QEvent.Type.FontChange:
            self.table.set_row_height(card_height())
            self._show_arranged()
        super().changeEvent(event)

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(504, 680)


class _ResultTable(ListTable):
    """The table of cards."""

    def __init__(self, model: ResultModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Results")
        self.setModel(model)
        self.bar = TickScrollBar(self)
        self.setVerticalScrollBar(self.bar)
        self.delegate = ResultDelegate(model, self)
        self.setItemDelegate(self.delegate)
        self.set_row_height(card_height())
        self.verticalScrollBar().setSingleStep(card_height() // 2)
        self.focus_changed.connect(self._on_focus)

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the cards out anew for another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.delegate.forget()
