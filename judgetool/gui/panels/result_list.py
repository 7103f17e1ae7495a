"""The list of results: ranked cards of one query, with the tools above it and ticks beside it."""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QStackedLayout, QWidget

from judgetool.core import override
from judgetool.gui.jobs import ProjectPanel, Rest
from judgetool.gui.keymap import ENTER
from judgetool.gui.models.finders import describe_chip, hint_at_conditions
from judgetool.gui.models.result_model import ResultModel, ResultOrder, queue_text
from judgetool.gui.painting import format_count
from judgetool.gui.panels.cards import ResultDelegate, card_height, head_height
from judgetool.gui.panels.filter_bar import FilterBar
from judgetool.gui.panels.result_tools import ResultTools, asked_open_text, listed_open_text
from judgetool.gui.pictures import Thumbs
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.fields import focus_field
from judgetool.gui.widgets.painted import in_column
from judgetool.gui.widgets.rows import ListTable
from judgetool.session.commands import Changed
from judgetool.session.finding import Filter
from judgetool.session.reading_aids import Blindness, make_mask
from judgetool.session.session import Session
from judgetool.wording import _

_WIDTH = 4
_HEIGHT = 2
_AHEAD = 12
# Words are looked for in whole texts: not at every letter.
_TYPING_MS = 150


class ResultList(QWidget, ProjectPanel):
    """Cards of one query as one run ranks them, then documents of the pool that it lacks.

    Signals:
        place_changed: another place is current, by key, click or program; not told
            of what :meth:`show_query` sets.
        run_chosen: id of the run that the person chose; the list still shows the old one.
        selection_changed: how many cards are selected; the current one alone is 1.
        told: how many documents a filter has left, in words.
    """

    place_changed = Signal(int)
    run_chosen = Signal(int)
    selection_changed = Signal(int)
    import_wanted = Signal()
    told = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ResultModel(self)
        self.tools = ResultTools(self)
        hint = _("Filter documents: words, grade:2, is:flagged")
        self.bar = FilterBar(hint, "", delay_ms=_TYPING_MS, margin=4, parent=self)
        self.table = ResultTable(self.model, self)
        self.empty = EmptyState(self)
        self._ahead = ResultModel(self)
        self._ahead_cards = ResultDelegate(self._ahead, self)
        self.thumbs = Thumbs(self)
        self.thumbs.ready.connect(self.model.show_thumb)
        self.model.thumbs = self._ahead.thumbs = self.thumbs
        self._run: int | None = None
        self._queue = ""
        self._step = 1
        # What was current before a filter left it out, until the person chooses another.
        self._left_out: int | None = None
        self._is_showing = False
        self._rest = Rest(self)
        self._loader = QTimer(self)
        self._loader.setInterval(0)
        self._loader.timeout.connect(self._load_ahead)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        in_column(self.tools, self.bar, self._stack, 1, host=self)
        self._connect()
        self._show_arranged()

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._on_current)
        self.table.selectionModel().selectionChanged.connect(
            lambda *__: self.selection_changed.emit(len(self.table.selectionModel().selectedRows()))
        )
        # The menu opens from the tools above.
        self.tools.add.setMenu(self.bar.menu)
        self.bar.add.hide()
        self.bar.menu.aboutToShow.connect(self._fill_menu)
        self.bar.setAutoFillBackground(True)
        self.bar.setBackgroundRole(QPalette.ColorRole.Base)
        self._show_bar()
        self.bar.changed.connect(self._refilter)
        self.model.filters_ready.connect(lambda: self._keep_document(self.model.apply_filters))
        self.bar.field.editingFinished.connect(self._show_bar)
        self.bar.left.connect(self._leave_field)
        self.bar.taken.connect(self._take_keyboard)
        self.table.verticalScrollBar().valueChanged.connect(self._start_loading)
        self.tools.run_chosen.connect(self._on_run_chosen)
        self.tools.order_chosen.connect(self._reorder)
        self.tools.open_toggled.connect(self._filter)
        self.tools.scores_toggled.connect(self.set_scores_shown)
        self.empty.acted.connect(self.act_on_empty)
        self.empty.setAutoFillBackground(True)
        self.empty.setBackgroundRole(QPalette.ColorRole.Base)

    def act_on_empty(self) -> None:
        """Do what stands on the button of the empty list."""
        if self.model.listed.query is None or not self.model.n_all:
            self.import_wanted.emit()
        else:
            self.show_all()

    # What the window says

    @override
    def set_session(self, session: Session | None) -> None:
        """Show the runs of a session, and no query yet."""
        self._is_showing = True
        self.thumbs.forget()
        self.bar.set_session(session)
        self._follow_queue(session)
        self.model.set_session(session)
        self.drop_prepared()
        self._is_showing = False
        runs = session.material.runs if session is not None else ()
        self.tools.set_runs([(run.run_id, run.name) for run in runs])
        self.tools.set_run(None)
        measures = session.measures if session is not None else ()
        self.model.set_cutoffs(tuple(sorted({each.cutoff for each in measures if each.cutoff})))
        self._show_arranged()

    def _follow_queue(self, session: Session | None) -> None:
        """List by the queue as soon as one is chosen; who looks at ranks meanwhile still may."""
        queue = queue_text(session)
        if queue != self._queue:
            is_stale = self.model.order is ResultOrder.QUEUE
            self._queue = queue
            if queue or is_stale:
                self.model.order = ResultOrder.QUEUE if queue else ResultOrder.RANK

    @override
    def set_blind(self, blindness: Blindness) -> None:
        """Hide ranks, scores, runs and their order from the next query on, or show them."""
        session, is_blind = self.model.session, blindness.is_on
        mask = None if session is None else make_mask(session, blindness)
        self.model.set_blind(mask)
        self.bar.set_blind(is_blind=is_blind)
        self.tools.set_blind(is_blind=is_blind)

    def show_query(
        self,
        run_id: int | None,
        query: int,
        *,
        place: int = 0,
        find_place: Callable[[list[int]], int | None] | None = None,
    ) -> None:
        """Show a query as a run ranks it.

        Args:
            run_id: ``None`` shows the pool alone.
            query: its number.
            place: what becomes current, without a signal.
            find_place: says it from the documents that are shown; where it has none,
                ``place`` counts.
        """
        self._is_showing = True
        self._run, self._left_out = run_id, None
        is_ready = self.has_prepared(run_id, query)
        if is_ready:
            self.model.adopt(self._ahead)
            self.table.delegate.adopt(self._ahead_cards)
        else:
            self.model.show_query(run_id, query)
        self.tools.set_run(run_id)
        self._show_arranged(is_answer=True, has_cards=is_ready)
        found = find_place(self.documents()) if find_place is not None else None
        self.set_current(place if found is None else found)
        self._is_showing = False

    def prepare_query(self, run_id: int | None, query: int) -> Iterator[None]:
        """Make a query ready to be shown, one card at each step."""
        self._ahead.set_like(self.model)
        self._ahead_cards.forget()
        yield
        self._ahead.show_query(run_id, query)
        yield
        viewport = self.table.viewport()
        height, heads = card_height(), self._ahead.listed.heads
        n_seen = min(len(self._ahead.listed.rows), viewport.height() // max(1, height) + 1)
        for place in range(n_seen):
            if not self._ahead.has_ready(run_id, query, like=self.model):
                return
            size = QSize(viewport.width(), height + (head_height() if place in heads else 0))
            self._ahead_cards.make_ready(place, size, like=self.table.delegate)
            yield

    def prepare_place(self, place: int) -> Iterator[None]:
        """Paint what comes into view when another place becomes current, a card at each step."""
        viewport, cards = self.table.viewport(), self.table.delegate
        n_seen = viewport.height() // max(1, card_height()) + 1
        below = self.table.rowAt(viewport.height() - 1)
        first = max(below, place - n_seen) if 0 <= below < place else place
        # Half of the card after it is kept in sight; the one that is left looks otherwise.
        here, last = self.current_place(), min(place + 1, len(self.model.listed.rows) - 1)
        if place < here:
            first, last = max(0, place - 1), place
        for row in (*range(last, first - 1, -1), here):
            size = QSize(viewport.width(), self.table.rowHeight(row))
            cards.make_ready(row, size, like=cards, is_current=row == place)
            yield

    def has_prepared(self, run_id: int | None, query: int) -> bool:
        """Whether a query is ready to be shown as the list is set now."""
        return self._ahead.has_ready(run_id, query, like=self.model)

    def prepared_documents(self) -> list[int]:
        """Return the documents of the query that was made ready last, as they will be listed."""
        return self._ahead.listed.documents

    def drop_prepared(self) -> None:
        """Forget what was made ready: something of it has changed."""
        self._ahead.drop()

    def documents(self) -> list[int]:
        """Return the document numbers as shown, filter applied."""
        return self.model.listed.documents

    def current_document(self) -> int | None:
        """Return the current one of :meth:`documents`; ``None`` in an empty list."""
        documents, place = self.model.listed.documents, self.table.currentIndex().row()
        return documents[place] if 0 <= place < len(documents) else None

    def current(self) -> tuple[int, int | None, int | None]:
        """Return the current place, its document and the document's rank in the run.

        The place is -1 and both are ``None`` in an empty list; the rank is where the run lacks it.
        """
        rows, place = self.model.listed.rows, self.table.currentIndex().row()
        if not 0 <= place < len(rows):
            return place, None, None
        return place, self.model.listed.documents[place], rows[place].rank

    def current_place(self) -> int:
        """Return the current place in :meth:`documents`; -1 in an empty list."""
        return self.table.currentIndex().row()

    @override
    def take_change(self, changed: Changed) -> None:
        """Show anew what is said of its documents; only their rows are painted."""
        if changed.queries - {(query := self.model.listed.query)}:
            self.drop_prepared()
        self.model.refresh([document for at, document in changed.shown if at == query])
        self.after_frame(self._count)

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
        self._tell_count()

    def show_all(self) -> None:
        """Take every filter away."""
        held = self.empty.button.hasFocus()
        self.bar.clear()
        self._filter(False)
        if held:
            self._take_keyboard()

    def focus_filter(self) -> None:
        """Put the keyboard into the field that filters documents."""
        self.bar.field.show()
        self.bar.show()
        focus_field(self.bar.field)

    def _leave_field(self) -> None:
        self._show_bar()
        self._take_keyboard()

    def _take_keyboard(self) -> None:
        """Give the keyboard to the cards; where there are none, to the button that brings them."""
        (self.table if self.documents() else self.empty.button).setFocus()

    def _show_bar(self) -> None:
        """Show as much of the filter as is used."""
        has_field = bool(self.bar.words) or self.bar.field.hasFocus()
        self.bar.field.setVisible(has_field)
        self.bar.setVisible(has_field or bool(self.bar.chips))

    def _refilter(self) -> None:
        self._show_bar()
        words = [Filter("text", self.bar.words)] if self.bar.words else []
        filters = (*self.bar.chips, *words)
        if filters != self.model.filters:
            self._keep_document(lambda: self.model.set_filters(filters))
            self._rest.wait(self._tell_count)

    def _tell_count(self) -> None:
        """Say what the list says by being shorter."""
        n_shown, n_all = len(self.model.listed.rows), format_count(self.model.n_all)
        of_all = _("{shown} of {all} documents").format(shown=format_count(n_shown), all=n_all)
        self.told.emit(f"{of_all}." if n_shown else self.why_empty()[0])

    def _fill_menu(self) -> None:
        query = self.model.listed.query
        self.bar.menu.clear()
        if query is not None:
            self.bar.fill_menu(query, self.model.found_by_words())
            self.tools.fold_into(self.bar.menu)

    # Several at once

    def selected_documents(self) -> list[int]:
        """Return the documents of the selected cards, as listed; the current one at least."""
        # Asked with every grade: ranges say it without a question to the model for each row.
        selection = self.table.selectionModel().selection()
        rows: set[int] = set()
        for place in range(selection.count()):
            rows.update(range(selection.at(place).top(), selection.at(place).bottom() + 1))
        documents = self.model.listed.documents
        return [documents[row] for row in sorted(rows) if row < len(documents)]

    def select_all(self) -> None:
        """Select every card that is listed."""
        self.table.selectAll()

    def keep_list(self) -> Callable[[], None]:
        """Return what lists and selects the same again, once the same project is opened anew."""
        filter_again, chosen = self.bar.keep(), self.selected_documents()

        def go_on() -> None:
            filter_again()
            how = QItemSelectionModel.SelectionFlag.Select
            for place in map(self.model.listed.place_of.get, chosen if len(chosen) > 1 else ()):
                if place is not None:
                    self.table.selectionModel().select(self.model.index(place, 0), how)

        return go_on

    def select_current(self) -> None:
        """Select the current card alone."""
        if self.current_place() >= 0:
            self.table.choose_row(self.current_place())

    def _keep_document(self, change: Callable[[], None]) -> None:
        """Change the rows; the current document stays current, or is so again once it is there."""
        document = self._left_out if self._left_out is not None else self.current_document()
        self._is_showing = True
        change()
        self._show_arranged()
        place = None if document is None else self.model.listed.place_of.get(document)
        self._left_out = document if place is None else None
        self.set_current(place or 0)
        self._is_showing = False
        self.place_changed.emit(self.current_place())

    @property
    def next_place(self) -> int | None:
        """The place beside the current one, on the side where the last step led."""
        place = self.current_place() + self._step
        return place if 0 <= place < len(self.model.listed.rows) else None

    def _on_current(self, current: QModelIndex, previous: QModelIndex) -> None:
        is_back = not self._is_showing and current.row() < previous.row()
        self._step = -1 if is_back else 1
        if not self._is_showing and current.isValid():
            self._left_out = None
            self.place_changed.emit(current.row())

    # What is shown

    def set_current(self, place: int) -> None:
        """Make a place current and bring it into view; a place beyond the end is the last."""
        n_rows = len(self.model.listed.rows)
        if n_rows:
            # Shift is held while one grades and stays: it must not select.
            self.table.choose_row(min(max(place, 0), n_rows - 1))
            self.table.keep_in_sight()

    def _show_arranged(self, *, is_answer: bool = False, has_cards: bool = False) -> None:
        """Bring everything besides the rows in line with the model; counts can wait for an answer.

        Args:
            is_answer: whether a key waits for it.
            has_cards: whether cards are at hand that were painted for these rows.
        """
        if not has_cards:
            self.table.delegate.forget()
        self.table.put_heads(self.model.listed.heads, height=card_height() + head_height())
        self.tools.set_orders(self._queue, self.model.order)
        self.tools.unjudged.setChecked(self.model.only_open)
        if is_answer:
            self.after_frame(self._count)
        else:
            self._count()
        self._stack.setCurrentWidget(self.table if self.model.listed.rows else self.empty)
        if not self.model.listed.rows:
            self.empty.set_state(*self.why_empty())
        self.table.verticalScrollBar().setValue(0)
        self._start_loading()

    def why_empty(self) -> tuple[str, str]:
        """Return why nothing is listed, in a sentence, and what can be done; both may be empty."""
        session = self.model.session
        if self.model.listed.query is None:
            has_none = session is not None and not session.material.queries
            return (_("This project has no queries yet."), _("Import…")) if has_none else ("", "")
        if self.model.filters and self.model.n_all:
            scale = session.scale if session is not None else None
            said = " · ".join(describe_chip(chip, scale) for chip in self.model.filters)
            nothing = _("No document of this query matches {said}.").format(said=said[:160])
            return nothing + hint_at_conditions(self.bar.words), _("Clear filter")
        if self.model.n_all:
            return _("Every document of this query is judged."), _("Show all")
        return _("No run has documents for this query."), _("Import a run…")

    def _count(self) -> None:
        if self.bar.chips and self.model.listed.query is not None:
            self.bar.show_counts(self.model.count_met(self.bar.chips))
        self.tools.count_open(self.model.n_open, self._say_open())
        self.table.bar.set_ticks(self.model.open_places(), count=len(self.model.listed.rows))

    def _say_open(self) -> str:
        """Say of which documents the number of unjudged ones is."""
        model = self.model
        n_pool = len(model.open_in_pool)
        if model.is_of_asks:
            return asked_open_text(n_pool, len(model.listed.pool))
        return listed_open_text(model.n_open, model.n_all, n_pool if model.n_beyond_pool else None)

    def _repaint(self) -> None:
        self.table.delegate.forget()
        self.table.viewport().update()

    # Texts around what is seen are loaded while nothing else happens

    def _start_loading(self) -> None:
        if self.model.listed.rows:
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
            self.fit_rows()
        super().changeEvent(event)

    def fit_rows(self) -> None:
        """Make cards as high as font and density say."""
        self.table.set_row_height(card_height())
        self.drop_prepared()
        self._show_arranged()
        if self.current_place() >= 0:
            self.table.scrollTo(self.table.currentIndex())

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(504, 680)


class ResultTable(ListTable):
    """The table of cards.

    Signals:
        opened: Enter was pressed on a card, or it was clicked twice.
    """

    opened = Signal()

    def __init__(self, model: ResultModel, parent: QWidget) -> None:
        super().__init__(parent, selects_several=True)
        self.setAccessibleName(_("Results"))
        self._model = model
        self.setModel(model)
        self.bar = TickScrollBar(self)
        self.setVerticalScrollBar(self.bar)
        self.delegate = ResultDelegate(model, self)
        self.setItemDelegate(self.delegate)
        self.set_row_height(card_height())
        self.verticalScrollBar().setSingleStep(card_height() // 2)
        self.doubleClicked.connect(lambda _index: self.opened.emit())

    def keep_in_sight(self) -> None:
        """Scroll so far that half a card is seen above and below the current one."""
        rect, height = self.visualRect(self.currentIndex()), self.viewport().height()
        margin = card_height() // 2
        if not rect.isValid() or height < 3 * card_height():
            return
        bar = self.verticalScrollBar()
        if rect.bottom() > height - margin:
            bar.setValue(bar.value() + rect.bottom() - height + margin)
        elif rect.top() < margin:
            bar.setValue(bar.value() - margin + rect.top())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Have what is seen at hand first: no card then asks the file."""
        last = self.rowAt(self.viewport().height() - 1)
        self._model.load_seen(
            max(0, self.rowAt(0)), last + 1 if last >= 0 else self._model.rowCount()
        )
        super().paintEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current card in sight if it was."""
        rect = self.visualRect(self.currentIndex())
        was_seen = rect.isValid() and rect.bottom() >= 0 and rect.top() < event.oldSize().height()
        super().resizeEvent(event)
        if was_seen:
            self.scrollTo(self.currentIndex())
            self.keep_in_sight()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back from several selected cards to the current one by Esc."""
        is_several = len(self.selectionModel().selectedRows()) > 1
        if event.key() == Qt.Key.Key_Escape and is_several:
            self.choose_row(self.currentIndex().row())
        elif event.key() in ENTER and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)
            self.keep_in_sight()


class TickScrollBar(QScrollBar):
    """A vertical scroll bar with a tick for each place that is named to it.

    Attributes:
        ticks: the places that have one.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        # It stands on the list's ground, which it fills itself: nothing else is painted with it.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.ticks: Sequence[int] = ()
        self._count = 0

    def set_ticks(self, places: Sequence[int], *, count: int) -> None:
        """Show ticks at these places of a list of ``count`` rows."""
        self.ticks, self._count = places, count
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, then a tick per pixel row at most."""
        ground = QPainter(self)
        ground.fillRect(event.rect(), current_theme().base)
        ground.end()
        super().paintEvent(event)
        if not self._count:
            return
        heights = {round((place + 0.5) * self.height() / self._count) for place in self.ticks}
        painter = QPainter(self)
        left = self.width() - _WIDTH
        ink = current_theme().accent
        for top in heights:
            painter.fillRect(QRectF(left, top - _HEIGHT / 2, _WIDTH, _HEIGHT), ink)
        painter.end()
