"""The agreement view: figures of all, a row for each assessor, and what one of them does beneath."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget

from judgetool.core import override
from judgetool.core.scale import format_grade
from judgetool.core.terms import one_line
from judgetool.errors import CommandRefusedError
from judgetool.gui.actions import Mode
from judgetool.gui.agreement.assessors import (
    INSET,
    AssessorList,
    FigureStrip,
    ScopeList,
    order_in_short,
    order_text,
)
from judgetool.gui.agreement.detail import (
    DOCUMENTS,
    ConfusionTable,
    DetailPane,
    cell_documents,
)
from judgetool.gui.dialogs.act_dialog import push_button
from judgetool.gui.jobs import Jobs, WhileShown
from judgetool.gui.painting import format_count
from judgetool.gui.panels.result_tools import ToolRow, action_button
from judgetool.gui.project_view import ProjectView
from judgetool.gui.table_copy import offer_copy
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.buttons import Segment, Segmented
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import Halves, PageStack, Panel, divide, gap, in_column
from judgetool.gui.window import AppWindow, Handler
from judgetool.metrics.agreement import AGREEMENT_BY, AgreementBy, AgreementRow
from judgetool.session.commands import Changed
from judgetool.session.comparing.comparing import may_change_figures
from judgetool.session.opening import find_hub_side
from judgetool.session.session import Session
from judgetool.session.systems import group_names
from judgetool.session.team.overview import (
    AssessorFacts,
    Confusion,
    Drift,
    Overview,
    confusion_of,
    drift_of,
    overview_work,
    scope_rows,
)
from judgetool.wording import N_, _

_JOB, _SCOPE_JOB, _DRIFT_JOB = "agreement/overview", "agreement/scope", "agreement/drift"
_GATHER_MS = 150
_LOW = 330
_LEAST_LOWER = 260
_MOST_NAME, _MOST_WHERE = 200, 24


_ASSESSORS = "assessors"
# What stands above: the assessors, or a table.
_SEGMENTS = (
    Segment(_ASSESSORS, N_("Assessors"), "user"),
    Segment("pair", N_("By pair"), "users"),
    Segment("query", N_("By query"), "list"),
    Segment("level", N_("By level"), "layers"),
)


class Agreed(WhileShown):
    """Works out agreement.

    Signals:
        found: :attr:`overview` is another one.
        failed: a sentence: why it could not be worked out.
        scope_found: an :data:`AgreementBy` and its rows.
        drift_found: name of an assessor and the blocks.

    Attributes:
        overview: ``None`` until it is known.
        where: the queries that it is of, as ``queries_where`` has them; ``""`` for all.
        measure: by which the runs are looked at, as it is printed.
    """

    found = Signal()
    failed = Signal(str)
    scope_found = Signal(str, object)
    drift_found = Signal(str, object)

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(jobs, parent, gather_ms=_GATHER_MS)
        self.overview: Overview | None = None
        self.where = self.measure = ""

    @property
    @override
    def is_computing(self) -> bool:
        """Whether figures are still to come."""
        return super().is_computing or self._soon.isActive()

    @override
    def set_session(self, session: Session | None) -> None:
        """Begin with another project, or none."""
        super().set_session(session)
        self.overview, self.where = None, ""

    def choose_where(self, where: str) -> None:
        """Work it out of these queries; ``""`` for all."""
        self.where = where
        self.take_change()

    def choose_measure(self, name: str) -> None:
        """Look at the runs by this measure."""
        if name != self.measure:
            self.measure = name
            self.take_change()

    @override
    def refresh(self) -> None:
        """Work out the figures anew."""
        assert self.session is not None
        self.drop()
        self._is_stale = False
        try:
            work = overview_work(self.session, self.where, self.measure)
        except CommandRefusedError:
            # None of these queries is there any more.
            self.where = ""
            work = overview_work(self.session, measure=self.measure)
        self._job = self._jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._take,
            self._fail,
            key=_JOB,
            owner=self,
        )

    def _take(self, overview: Overview) -> None:
        self._job, self.overview = None, overview
        self.found.emit()

    def _fail(self, problem: Exception) -> None:
        self._job = None
        self.failed.emit(str(problem))

    def ask_scope(self, by: AgreementBy) -> None:
        """Work out the table of pairs, queries or levels."""
        done = partial(self.scope_found.emit, by)
        self._ask(lambda overview: scope_rows(overview, by), done, _SCOPE_JOB)

    def ask_drift(self, facts: AssessorFacts) -> None:
        """Work out the drift of an assessor."""
        done = partial(self.drift_found.emit, facts.name)
        self._ask(lambda overview: drift_of(overview, facts.number), done, _DRIFT_JOB)

    def _ask(
        self, work: Callable[[Overview], object], done: Callable[[object], None], key: str
    ) -> None:
        overview = self.overview
        if overview is None:
            return

        def take(found: object) -> None:
            # What came meanwhile asks for its own.
            if self.overview is overview:
                done(found)

        self._jobs.submit(lambda _handle: work(overview), take, key=key, owner=self)


class AgreementPage(Handler):
    """The view that ``Views`` shows for :attr:`Mode.AGREEMENT`.

    Args:
        window: the window.

    Attributes:
        widget: stands in the middle.
        side: nothing.
        agreed: what is worked out.
    """

    side: QWidget | None = None

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        # Each part is made where it will stand, for what moves to another parent is dressed anew, and
        # in the order in which it is reached and read.
        self._middle = PageStack(window.views.middle)
        self.widget: QWidget = self._middle
        self.agreed = Agreed(window.jobs, self.widget)
        self._full = QWidget(self._middle)
        self._head = ToolRow(self._full)
        self.strip = FigureStrip(self._full)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self._full)
        self._upper = QStackedWidget(self.splitter)
        self.lower = QSplitter(Qt.Orientation.Horizontal, self.splitter)
        left = Panel(self.lower)
        tools = ToolRow(left)
        self.order = ElidedLabel("", ink="text2")
        by = _(
            "By the measure that is explained beside the list: another one chosen there counts here, too."
        )
        what = _(
            "Of each document that was graded one of its grades counts here; of one that is settled, "
            "what was settled. Without an assessor, as the rows below have it, what nobody else "
            "graded is unjudged: a pair can turn then that is certain here."
        )
        self.order.set_meaning(f"{by} {what}")
        self.switch = Segmented(_SEGMENTS)
        self.assessors = AssessorList(self._upper)
        self.scopes = ScopeList(self._upper)
        self.confusion = ConfusionTable(left)
        self.confusion_title = ElidedLabel("", role=Role.META, ink="text2")
        self.detail = DetailPane(self.lower)
        self.settle = action_button(_("Settle"), window.actions_by_name.action("settle.show"))
        self.settle.setVisible(False)
        self.queries = action_button("", window.actions_by_name.action("agreement.choose_queries"))
        self.turn = push_button("", self._turn_over)
        self.empty = EmptyState(self._middle)
        self._shown: Confusion | None = None
        self._wanted = ""
        self._arrange(left, tools)
        self._connect()

    def _arrange(self, left: QWidget, tools: ToolRow) -> None:
        head = self._head
        self.switch.setAccessibleName(_("What is shown above"))
        margins = (INSET, 0, INSET, 1)
        right = (gap(8), self.queries, self.settle, self.turn, self.switch)
        head.fill(self.order, 1, *right, margins=margins)
        self._upper.addWidget(self.assessors)
        self._upper.addWidget(self.scopes)
        tools.ground = "panel"
        tools.fill(self.confusion_title, 1, margins=margins)
        in_column(tools, self.confusion, 1, host=left)
        divide(self.lower, left, self.detail)
        divide(self.splitter, self._upper, self.lower)
        words = (_("Grades, drift"), _("Assessors"))
        self._halves = Halves(self.splitter, self._upper, self.turn, words)
        in_column(head, self.strip, self.splitter, 1, host=self._full)
        self._middle.addWidget(self._full)
        self._middle.addWidget(self.empty)

    def _connect(self) -> None:
        agreed, trigger = self.agreed, self._window.actions_by_name.action
        self._window.live.measure_chosen.connect(agreed.choose_measure)
        agreed.found.connect(self._show)
        agreed.failed.connect(self._show_failure)
        agreed.scope_found.connect(self._show_scope)
        agreed.drift_found.connect(self._show_drift)
        self._middle.resized.connect(self._fit)
        self._middle.hidden.connect(self.leave)
        self.switch.chosen.connect(self._show_upper)
        self.assessors.row_chosen.connect(self._choose)
        self.assessors.row_opened.connect(self.show_confusion)
        self.assessors.counts_wanted.connect(trigger("agreement.counts").trigger)
        offer_copy(self.assessors, self.assessors.as_table)
        offer_copy(self.scopes, self.scopes.as_table)
        self.confusion.cell_opened.connect(self._open_cell)
        self.detail.document_opened.connect(self._open_document)
        self.empty.acted.connect(trigger("project.import_files").trigger)

    # The page

    def set_project(self, view: ProjectView | None) -> None:
        """Show another project, or none."""
        self._wanted, self._shown = "", None
        self.agreed.set_session(view.session if view is not None else None)
        self.assessors.set_rows(())
        self.detail.forget_documents()
        if view is not None:
            view.session.changed.connect(self._on_changed)
            view.recounted.connect(self.agreed.take_change)

    def enter(self) -> None:
        """Show what holds now, and take the keyboard."""
        if self._view.blindness.is_on:
            self._say_instead(_("Blind mode hides others’ judgments. Judge in the list or focus."))
            return
        self.agreed.choose_measure(self._window.live.measure)
        self.agreed.set_shown(is_shown=True)
        if self.agreed.overview is None:
            self._middle.setCurrentIndex(0)
            self.order.set_text(_("Agreement is worked out…"))
            self.strip.clear()
        else:
            self._show()
        self._take_keyboard()

    def leave(self) -> None:
        """Work out nothing until the next ``enter``."""
        self.agreed.set_shown(is_shown=False)

    def _on_changed(self, changed: Changed) -> None:
        if may_change_figures(changed):
            self.agreed.take_change()

    def _take_keyboard(self) -> None:
        if self._middle.currentWidget() is self.empty:
            self.empty.button.setFocus()
        elif self._halves.has_upper or not self._halves.is_low:
            self._above.setFocus()
        else:
            self.confusion.setFocus()

    @property
    def _above(self) -> AssessorList | ScopeList:
        """What is shown above."""
        return self.assessors if self.switch.current == _ASSESSORS else self.scopes

    # Showing

    def _say_instead(self, sentence: str, action: str = "") -> None:
        self.empty.set_state(sentence, action)
        had_keyboard = self._middle.isAncestorOf(QApplication.focusWidget() or self._middle)
        self._middle.setCurrentWidget(self.empty)
        if had_keyboard and self.empty.has_action:
            self.empty.button.setFocus()

    def _show_failure(self, text: str) -> None:
        self._say_instead(_("Agreement could not be worked out: {text}").format(text=text))

    def _say_lack(self, who: str, role: str) -> None:
        """Say what agreement needs; role: in the team's hub, ``""`` without one."""
        if role not in ("", "lead"):
            said = _(
                "Agreement needs two who judge the same documents. What others judged is not shown here "
                "until the lead of the team’s hub releases queries."
            )
        elif role:
            said = _(
                "{who} Agreement needs two who judge the same documents: ask them (Judge ▸ Ask "
                "assessors…). What they judge comes here through the team’s hub."
            ).format(who=who)
        else:
            said = _(
                "{who} Agreement needs two who judge the same documents: ask them (Judge ▸ Ask "
                "assessors…), let each judge in a copy of this project, and import what they gave."
            ).format(who=who)
        self._say_instead(said, "" if role else _("Import…"))

    def _show(self) -> None:
        overview = self.agreed.overview
        assert overview is not None
        names = [each.name for each in overview.assessors]
        if self._wanted not in names:
            self._wanted = names[0] if names else ""
        # Who does not count has a row, where that can be taken back.
        if len(names) < 2 and all(each.counts for each in overview.assessors):
            who = (
                _("Only {name} has judged so far.").format(name=names[0])
                if names
                else _("Nobody has judged yet.")
            )
            self._say_lack(who, find_hub_side(self._session).role)
            return
        was_empty = self._middle.currentWidget() is self.empty
        self._middle.setCurrentIndex(0)
        self.order.shorter = order_in_short(overview.order)
        is_shared = overview.n_documents > 0
        self.order.set_text(order_text(overview.order, is_shared=is_shared))
        where = one_line(self.agreed.where, most=_MOST_WHERE).replace("&", "&&")
        self.queries.setText(where or _("All queries"))
        self.queries.setVisible(bool(where or group_names(self._session)))
        self.settle.setText(
            "\u2009" + _("Settle {count}").format(count=format_count(overview.n_disputed))
        )
        can_settle = self._window.actions_by_name.action("settle.show").isEnabled()
        self.settle.setVisible(overview.n_disputed > 0 and can_settle)
        self.strip.show_overview(overview)
        self.assessors.show_overview(overview)
        self.assessors.set_current(self._wanted)
        self._show_one()
        self._fit()
        self._ask_upper()
        if was_empty:
            self._take_keyboard()

    @property
    def current(self) -> AssessorFacts | None:
        """The assessor whose row is current; ``None`` without one."""
        overview = self.agreed.overview
        return None if overview is None else overview.find(self._wanted)

    def _choose(self, name: str) -> None:
        if name != self._wanted:
            self._wanted = name
            self.detail.forget_documents()
            self._show_one()

    def _show_one(self) -> None:
        overview, facts = self.agreed.overview, self.current
        assert overview is not None
        assert facts is not None
        self._shown = confusion_of(overview, facts.number)
        self.confusion.show_confusion(facts.name, overview.scale, self._shown)
        self.confusion_title.set_text(
            _("Columns: the others. Rows: {name}").format(
                name=one_line(facts.name, most=_MOST_NAME)
            )
        )
        self.agreed.ask_drift(facts)

    def _show_drift(self, name: str, drift: Drift) -> None:
        if name == self._wanted:
            self.detail.show_drift(name, drift)

    def show_upper(self, name: str) -> None:
        """Show the assessors, or a table, and give it the keyboard."""
        self._halves.turn(has_upper=True)
        self._show_upper(name)
        self._take_keyboard()

    def _show_upper(self, name: str) -> None:
        self.switch.set_current(name)
        self._upper.setCurrentWidget(self._above)
        if name == _ASSESSORS:
            self._fit()
        self._ask_upper()

    def _ask_upper(self) -> None:
        for by in AGREEMENT_BY:
            if by == self.switch.current:
                self.agreed.ask_scope(by)

    def _show_scope(self, by: str, rows: list[AgreementRow]) -> None:
        if by == self.switch.current:
            # What is said beside the ids of queries, and beside grades.
            queries = self._session.material.queries if by == "query" else ()
            texts = {each.id: each.text for each in queries if each.text != each.id}
            for level in self._session.scale.levels if by == "level" else ():
                if level.shown_name != (grade := format_grade(level.grade)):
                    texts[grade] = level.shown_name
            self.scopes.show_scopes(by, rows, texts)
            self._fit()

    def show_detail(self, name: str) -> None:
        """Show drift or the current cell's documents, and give it the keyboard."""
        self._halves.turn(has_upper=False)
        row, column = self.confusion.currentRow(), self.confusion.currentColumn() - 1
        if name == DOCUMENTS and self._shown is not None and row >= 0 and column >= 0:
            self._open_cell(row, column)
        self.detail.show_part(name)
        self.detail.take_keyboard()

    def show_confusion(self) -> None:
        """Give the keyboard to the table of grades."""
        self._halves.turn(has_upper=False)
        self.confusion.setFocus()

    # Sizes

    def _fit(self) -> None:
        """Give what stands above the height of its rows, and the grades the width of theirs.

        Rows that need more get all but what the grades need, and half of the page at the least.
        """
        room = self.splitter.height()
        if room < scaled(80):
            return
        words = self.switch.width_of(is_compact=False)
        self.switch.set_compact(is_compact=words > self.splitter.width() // 2 - scaled(80))
        self._halves.turn(is_low=room < scaled(_LOW))
        if self._halves.has_own_sizes:
            return
        wished = min(self._above.whole_height() + 2, max(room // 2, room - scaled(_LEAST_LOWER)))
        self.splitter.setSizes([wished, room - wished])
        width = self.splitter.width()
        left = max(width * 3 // 10, min(self.confusion.whole_width(), width * 6 // 10))
        self.lower.setSizes([left, width - left])

    def _turn_over(self) -> None:
        self._halves.turn(has_upper=not self._halves.has_upper)
        self._take_keyboard()

    # Places

    def _open_cell(self, row: int, column: int) -> None:
        assert self._shown is not None
        pairs = self._shown.at(row, column)
        title = self.confusion.describe(row, column)
        documents = cell_documents(self._session.material, pairs)
        self.detail.show_documents(title, documents, len(pairs))
        if pairs:
            self.detail.take_keyboard()

    def _open_document(self, query: int, document: int) -> None:
        self._window.views.show(Mode.LIST)
        self._view.judging.show_place(query, document)
