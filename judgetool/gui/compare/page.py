"""The compare view: the table on top, a pair of systems query by query beneath."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QSplitter, QWidget

from judgetool.core.number_text import format_span, number_of
from judgetool.formats.output import Sheet
from judgetool.gui.actions import Mode
from judgetool.gui.compare.acts import CompareActs
from judgetool.gui.compare.compared import NO_RUN, Compared, Standings
from judgetool.gui.compare.decide import Decider
from judgetool.gui.compare.difference_pane import DifferencePane
from judgetool.gui.compare.head_row import HeadRow, MomentRow, NoteRow
from judgetool.gui.compare.next_pane import Pair, StakeQueue
from judgetool.gui.compare.query_pane import PanePart, QueryPane
from judgetool.gui.compare.table_view import SystemTable
from judgetool.gui.painting import format_count
from judgetool.gui.project_view import ProjectView
from judgetool.gui.table_copy import Table, offer_copy
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.banner import EmptyState
from judgetool.gui.widgets.painted import Halves, PageStack, announce, divide, in_column, tell_tip
from judgetool.gui.window import AppWindow, Handler
from judgetool.metrics.conventions import name_conventions
from judgetool.session.commands import Changed
from judgetool.session.comparing.comparing import (
    ComparisonTable,
    comparison_rules,
    may_change_figures,
)
from judgetool.session.comparing.query_by_query import QueryDifferences, groups_tested
from judgetool.session.comparing.tables import command_line, comparison_sheet, difference_sheet
from judgetool.session.comparing.verdicts import correction_in_words, counting_in_words
from judgetool.session.session import Session
from judgetool.wording import N_, _, local_number

_LEFT_SHARE = 0.385
_LEAST_BELOW = 170
_SAVING = N_("Working out how far each difference can go…")


class ComparePage(Handler):
    """The view that ``Views`` shows for :attr:`Mode.COMPARE`.

    Args:
        window: the window.

    Attributes:
        widget: stands in the middle.
        side: nothing.
        compared: what is compared.
        acts: what is asked and written from here.
        decider: what decides which of two is better.
        moments: values as of a moment.
    """

    side: QWidget | None = None

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        self._queue: StakeQueue | None = None
        self._leaning = self._certain = ""
        self._past: ComparisonTable | None = None
        # Each part is made where it will stand, for what moves to another parent is dressed anew, and
        # in the order in which it is reached and read.
        self._middle = PageStack(window.views.middle)
        self.widget: QWidget = self._middle
        self.compared = Compared(window.jobs, self.widget)
        full = QWidget(self._middle)
        self.head = HeadRow(window.actions_by_name, full)
        self.splitter = QSplitter(Qt.Orientation.Vertical, full)
        upper = QWidget(self.splitter)
        self.table = SystemTable(upper)
        self.moments = MomentRow(window, self.compared, upper)
        self.notes = NoteRow(upper)
        self.lower = QSplitter(Qt.Orientation.Horizontal, self.splitter)
        self.differences = DifferencePane(self.lower)
        self.query = QueryPane(self.compared, window.jobs, self.lower)
        self.empty = EmptyState(self._middle)
        self.acts = CompareActs(window, self.compared, self.query)
        self.decider = Decider(window, self.compared, self._start, self.widget)
        self._arrange(full, upper)
        self._connect()

    def _arrange(self, full: QWidget, upper: QWidget) -> None:
        self.moments.setVisible(False)
        in_column(self.table, 1, self.moments, self.notes, host=upper)
        divide(self.lower, self.differences, self.query)
        divide(self.splitter, upper, self.lower)
        in_column(self.head, self.splitter, 1, host=full)
        self._middle.addWidget(full)
        self._middle.addWidget(self.empty)
        self._middle.resized.connect(self._fit_upper)
        self._middle.hidden.connect(self.leave)
        words = (_("Query by query"), _("Table of runs"))
        self._halves = Halves(self.splitter, self.table, self.notes.turn, words)

    def _connect(self) -> None:
        compared, trigger = self.compared, self._window.actions_by_name.action
        compared.table_changed.connect(self._show_table)
        compared.pair_changed.connect(self._show_pair)
        compared.query_changed.connect(self._show_query)
        compared.bounds_found.connect(self._show_verdict)
        compared.bounds_found.connect(self.table.take_bounds)
        compared.refused.connect(self._window.status.show_message)
        compared.progressed.connect(self.notes.show_progress)
        compared.stopped.connect(self.notes.show_stopped)
        self.notes.cancel_wanted.connect(compared.cancel)
        self.notes.compute_wanted.connect(compared.compute)
        self.notes.turn.clicked.connect(self._turn_over)
        self.table.system_chosen.connect(compared.choose_system)
        self.table.measure_chosen.connect(compared.choose_measure)
        self.table.value_chosen.connect(self._explain)
        self.table.numbers_wanted.connect(compared.wish_bounds)
        self.table.table.find_bounds = compared.known_bounds
        self._offer_copies()
        self.differences.query_chosen.connect(self._choose_query)
        self.differences.query_opened.connect(self._open_query)
        self.differences.tests_wanted.connect(self._test_groups)
        self.differences.next_wanted.connect(trigger("compare.next").trigger)
        self.query.document_opened.connect(self._open_document)
        self.query.next.start_wanted.connect(self.judge)
        self.query.charts.export_wanted.connect(self.acts.export_chart)
        self.head.baseline_chosen.connect(self._choose_baseline)
        self.head.view_chosen.connect(self._choose_view)
        self.head.where_chosen.connect(self.acts.choose_where)
        self.moments.present_wanted.connect(self._show_table)
        self.moments.table_found.connect(self._show_past)
        self.moments.resized.connect(self._fit_upper)
        self._window.actions_by_name.keys_changed.connect(self._show_key)
        self._show_key()
        self.empty.acted.connect(trigger("project.import_files").trigger)

    def _offer_copies(self) -> None:
        """Let everything that is shown be copied and saved, with the command that gives it again."""
        # Ctrl+C says one cell in a sentence.
        save = self.acts.save_sheet
        offer_copy(self.table, self._as_table, has_key=False, save=save)
        verdict = QAction(_("Copy verdict"), self.differences)
        verdict.triggered.connect(self._copy_verdict)
        self.differences.addAction(verdict)
        self.differences.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        listed = self.differences.list
        offer_copy(listed, self._differences_as_table, above=[verdict], save=save)
        self.query.offer_copies(save)

    def _show_key(self) -> None:
        self.differences.key.set_text(self._window.actions_by_name.shown_key("compare.next"))

    # The page

    def set_project(self, view: ProjectView | None) -> None:
        """Show another project, or none."""
        # What was judged of the queue is said of this project only, not in the next one.
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.stop()
        session = view.session if view is not None else None
        if self._window.status.message.text == _(_SAVING):
            # What was worked out for it was dropped without a word.
            self._window.status.clear_message()
        self.compared.set_session(session)
        self.differences.set_session(session)
        self.moments.leave()
        if view is not None:
            view.session.changed.connect(self._on_changed)
            view.recounted.connect(self.compared.take_change)
            view.judging.query_shown.connect(self._follow_query)

    def enter(self) -> None:
        """Show what holds now, and take the keyboard."""
        self.compared.prefer_measure(self._window.live.measure)
        self.moments.show_switch()
        if self._view.blindness.is_on:
            self.empty.set_state(_("Blind mode hides runs and values. Judge in the list or focus."))
            self._middle.setCurrentWidget(self.empty)
            self.empty.take_keyboard()
            return
        # The query first: the table, when it is made anew, shows everything of it.
        before, version = self.compared.query, self.compared.version
        self.compared.query = self._view.judging.query
        self.compared.set_shown(is_shown=True)
        if version == self.compared.version and before != self.compared.query:
            self._show_query()
        self._halves.turn(has_upper=True)
        self.table.setFocus()

    def leave(self) -> None:
        """Work out nothing until the next ``enter``."""
        was_seen = self.compared.is_shown
        self.compared.set_shown(is_shown=False)
        if was_seen and self.decider.deciding is None:
            # What came of a decision has been seen.
            self.compared.look_as_before()

    def _on_changed(self, changed: Changed) -> None:
        if may_change_figures(changed):
            self.compared.take_change()

    # Showing

    def _show_table(self) -> None:
        table = self.compared.table
        if table is None:
            self.empty.set_state(_(NO_RUN), _("Import…"))
            self._middle.setCurrentIndex(1)
            return
        self._middle.setCurrentIndex(0)
        is_past = not self.moments.isHidden() and self.moments.moment is not None
        if not is_past:
            self._past = None
            self._set_rows(table)
        self.head.set_systems(self.compared.systems, table.baseline.key)
        self._show_facts()
        if not self.compared.is_computing and not is_past:
            text, *shorter = self._how(table)
            self.notes.show_note(text, shorter=shorter)
        self._show_pair()

    def _set_rows(self, table: ComparisonTable) -> None:
        before = self.table.cell_in_words()
        self.table.table.start_with(self.compared.measure + 1)
        self.table.table.set_table(table, self.compared.remarks)
        self.table.fit_columns()
        system = self.compared.system
        self.table.show_current(system.key if system else "", self.compared.measure)
        self.table.tell_more(before)
        self.table.updateGeometry()
        self._fit_upper()

    def _fit_upper(self) -> None:
        """Give the table the height of its rows, and the rest to the queries."""
        if self.splitter.height() < scaled(200):
            return
        # What stands under the table.
        moments = 0 if self.moments.isHidden() else self.moments.minimumHeight()
        extra = self.notes.minimumHeight() + moments
        least, room = self.table.few_rows + extra, self.splitter.height()
        self._halves.turn(is_low=room < least + scaled(_LEAST_BELOW))
        if self._halves.has_own_sizes or self._halves.is_low:
            return
        wished = self.table.height_within(room * 11 // 20 - extra) + extra
        self.splitter.setSizes([wished, max(1, self.splitter.height() - wished)])
        left = round(self.splitter.width() * _LEFT_SHARE)
        self.lower.setSizes([left, self.splitter.width() - left])

    def _turn_over(self) -> None:
        halves = self._halves
        halves.turn(has_upper=not halves.has_upper)
        (self.table if halves.has_upper else self.differences.list).setFocus()

    def _show_part(self, part: PanePart) -> None:
        self.query.show_part(part)
        self._halves.turn(has_upper=False)

    def _show_past(self, table: ComparisonTable) -> None:
        self._past = table
        self._set_rows(table)
        self.notes.show_note(
            _("Means as of {moment}; queries below are of the present.").format(
                moment=self.moments.text.text
            )
        )

    def _how(self, table: ComparisonTable) -> tuple[str, ...]:
        """Return how differences are tested, and the same shorter and shorter."""
        if table.rules is None:
            alone = len(table.rows) < 2
            return (_("One system: nothing to compare it with.") if alone else "",)
        rules = table.rules
        test = {
            # The others draw nothing.
            "randomization": _("Randomization test, exact or {count} draws").format(
                count=format_count(rules.n_draws)
            ),
            "t": _("Student’s paired t-test"),
            "wilcoxon": _("Wilcoxon’s signed rank test"),
            "sign": _("Sign test"),
        }[rules.test]
        cells = [cell for row in table.rows for cell in row.cells]
        alike = next(filter(None, (counting_in_words(cell, rules) for cell in cells)), "")
        test = ", ".join(filter(None, (test, alike)))
        corrected = _("not corrected")
        if rules.correction_title:
            over = {
                "measure": _("the runs by each measure"),
                "pair": _("the measures of each run"),
                "table": _("all {count} tests").format(count=format_count(table.n_tests)),
            }[rules.family]
            corrected = _("{correction} over {tests}").format(
                correction=correction_in_words(rules), tests=over
            )
        if self.compared.alone and rules.correction_title:
            corrected = f"{corrected}, {_('what-ifs and snapshots apart')}"
        said = _("{test}; {corrected}; marked below {alpha}")
        if rules.test == "randomization":
            said = _("{test}, seed {seed}; {corrected}; marked below {alpha}")
        whole = said.format(
            test=test, seed=rules.seed, corrected=corrected, alpha=local_number(f"{rules.alpha:g}")
        )
        in_short = _("Randomization test") if rules.test == "randomization" else test
        by = correction_in_words(rules) or corrected
        return whole, f"{test}; {corrected}", f"{in_short}; {corrected}", f"{in_short}; {by}"

    def _show_facts(self) -> None:
        session, table = self._session, self.compared.table
        assert table is not None
        # What is assumed for a what-if counts for its own means alone.
        rows = [row for row in table.rows if not row.has_assumed] or table.rows
        counts = [row.n_counted for row in rows]
        # Those of a moment have fewer.
        counted = number_of(max(counts, default=0), "{n} query", "{n} queries")
        if len({*counts}) > 1:
            counted = _("{span} queries").format(span=format_span(counts))
        which = {"judged": _("all judged"), "both": _("judged and in the run"), "all": _("all")}
        told = table.where or which[session.conventions.missing]
        is_weighted = session.board.engine.has_weighted_means
        weighted = f", {_('weighted')}" if is_weighted else ""
        if not weighted and len({*session.board.weights.tolist()}) > 1:
            # Else their weights, which are shown, would seem to count.
            weighted = f", {_('each counting alike')}"
        self.head.set_queries(session, f"{told}: {counted}{weighted}", table.where)
        named = name_conventions(session.conventions, session.scale, is_weighted=is_weighted)
        self.head.set_facts(
            view=session.board.view,
            assessor=session.assessor,
            conventions=named.title,
            differs=named.differs,
        )

    def _show_pair(self) -> None:
        compared, pair = self.compared, self.compared.pair
        assert pair is not None
        self.table.show_current(pair.system.key, compared.measure)
        self.differences.show_pair(pair, lambda by: compared.differences(group_by=by))
        self._show_verdict()
        if compared.query is None:
            compared.choose_query(self.differences.worst)
        self._show_query()

    def _show_verdict(self, *_of: object) -> None:
        self.differences.show_verdict(self.compared.verdict())

    def _show_query(self) -> None:
        self.differences.set_query(self.compared.query)
        self.query.refresh()

    def _test_groups(self, found: QueryDifferences) -> None:
        """Have the groups of the queries tested in the background, by the project's rules."""
        rules = comparison_rules(self._session)
        self._window.jobs.submit(
            lambda handle: groups_tested(found, rules, handle.check),
            partial(self.differences.show_tests, found),
            lambda _problem: None,
            key="compare/groups",
            owner=self.widget,
        )

    # Places

    def _follow_query(self) -> None:
        if self.compared.is_shown:
            self.compared.choose_query(self._view.judging.query)

    def _choose_query(self, query: int) -> None:
        self._view.judging.show_query(query)
        self.compared.choose_query(query)

    def _open_query(self, query: int) -> None:
        self._choose_query(query)
        self.query.take_keyboard()

    def _open_document(self, document: int) -> None:
        query = self.compared.query
        assert query is not None
        self._window.views.show(Mode.LIST)
        self._view.judging.show_place(query, document)

    def _explain(self, key: str, measure: int) -> None:
        self.compared.choose_system(key)
        self.compared.choose_measure(measure)
        self._show_part(PanePart.EXPLAIN)

    def _choose_baseline(self, key: str) -> None:
        said = self.compared.choose_baseline(key)
        if said:
            self._window.status.show_message(said)

    def _as_table(self) -> Table | Sheet:
        session, table, past = self._session, self.compared.table, self._past
        if table is None:
            return []
        moment = self.moments.moment
        if past is not None and moment is not None:
            said = self.moments.text.text
            return comparison_sheet(session, past, moment=said, as_of=moment.at)
        return comparison_sheet(session, table)

    def _copy_verdict(self) -> None:
        """Put what is said of the pair on the clipboard, with the command that says it again."""
        table, verdict = self.compared.table, self.compared.verdict()
        if table is not None and verdict is not None:
            said = f"{verdict.text}\n{command_line(self._session, table)}\n"
            QGuiApplication.clipboard().setText(said)

    def _differences_as_table(self) -> Table | Sheet:
        pair = self.compared.pair
        if pair is None or not pair.has_differences:
            return []
        grouped = self.differences.group_by, self.differences.tests
        return difference_sheet(*pair, where=self.compared.where, grouped=grouped)

    def _choose_view(self, view: str) -> None:
        # Not connected itself: a method of the window is a further slot of it then, and readers lose it.
        self._window.choose_view(view)

    def make_baseline(self) -> None:
        """Compare with the current system from now on."""
        if self.compared.system is not None:
            self._choose_baseline(self.compared.system.key)

    def save_table(self) -> None:
        """Write the table as CSV with every number, or as Markdown or LaTeX as papers have it."""
        sheet = self._as_table()
        session, table = self._session, self.compared.table
        if table is not None and table.rules and self._past is None:
            # Asked first: no dialog comes up later, over whatever is done by then.
            path = self.acts.ask_for_table("comparison")
            if path is not None:
                self._window.status.show_message(_(_SAVING), stays=True)
                self.compared.find_all_standing(partial(self._save_known, path, session, table))
        elif isinstance(sheet, Sheet):
            self.acts.save_sheet(sheet)
        else:
            self._window.status.show_message(_("There is no table to save yet."))

    def _save_known(
        self, path: Path, session: Session, table: ComparisonTable, found: Standings | None
    ) -> None:
        if found is None:
            self._window.status.show_message(
                _(
                    "The table was not saved: how far each difference can go could not be worked "
                    "out to the end. Save it again."
                )
            )
        else:
            self._window.status.clear_message()
            self.acts.write_sheet(path, comparison_sheet(session, table, standing=found))

    def sort(self) -> None:
        """Order the table by the cursor's column."""
        self.table.sort_by(max(0, self.table.currentIndex().column()))

    def show_numbers(self) -> None:
        """Show every number of the cell, or of the query, that has the keyboard; say the verdict, too."""
        if self.differences.list.hasFocus():
            tell_tip(self.differences.list)
        else:
            self.table.show_numbers()
        verdict = self.compared.verdict()
        if verdict is not None:
            counts = self.differences.counts.accessibleDescription()
            announce(self.widget, f"{verdict.text} {counts}.".removesuffix(" ."))

    def show_part(self, name: str) -> None:
        """Show rankings, curves, explanation or what to judge, and give it the keyboard."""
        self.query.show_part(PanePart(name))
        # Before the table goes, where both have no room: its keyboard would go to whatever comes next.
        self.lower.setVisible(True)
        self.query.take_keyboard()
        self._halves.turn(has_upper=False)

    # Judging what is at stake

    def judge_next(self) -> None:
        """Judge what is at stake, as soon as it is known."""
        if self.query.part is not PanePart.NEXT:
            self._show_part(PanePart.NEXT)
        self.query.next.judge()

    def judge(self, pairs: Sequence[Pair]) -> None:
        """Judge these pairs, one after the other, in the list or focus view."""
        self._leaning, self._certain = self.query.next.leaning, ""
        queue = StakeQueue(self._view, pairs, self.widget)
        self._follow_queue(queue, self._session)
        self._start(queue)

    def _follow_queue(self, queue: StakeQueue, session: Session) -> None:
        """Say how far a queue is, what has become certain, and how it ended."""
        queue.moved.connect(self._say_place)
        queue.ended.connect(self._say_end)
        certainty = self.query.next.certainty(session, queue)
        if certainty is not None:
            certainty.found.connect(self._say_certain)
            queue.ended.connect(certainty.stop)

    def keep_list(self) -> Callable[[], None]:
        """Return what goes on in the list that is judged now, once the project is opened anew."""
        queue, deciding = self.queue, self.decider.deciding

        def go_on() -> None:
            if queue is None:
                return
            if deciding is None:
                self._queue = queue.again(self._view, self.widget)
                self._follow_queue(self._queue, self._session)
            else:
                self._queue = self.decider.take_up(deciding, queue)
            if self._queue is not None:
                self._queue.go_on()

        return go_on

    def _start(self, queue: StakeQueue) -> None:
        if self._queue is not None:
            self._queue.stop()
        self._queue = queue
        self._window.views.show(Mode.LIST)
        queue.start()

    def stop_judging(self) -> None:
        """Let grades lead where they led before."""
        if self._queue is not None:
            self._queue.stop()

    @property
    def queue(self) -> StakeQueue | None:
        """What is being judged for what is at stake; ``None`` for nothing."""
        return self._queue if self._queue is not None and self._queue.is_running else None

    @property
    def _back(self) -> str:
        key = self._window.actions_by_name.shown_key("compare.show")
        is_closed = self._window.views.mode is Mode.COMPARE or self._view.blindness.is_on
        return " " + _("{key} compares again.").format(key=key) if key and not is_closed else ""

    def _say_place(self, place: int, total: int) -> None:
        said = _("At stake: {place} of {total}.").format(
            place=format_count(place), total=format_count(total)
        )
        parts = filter(None, (said, self._certain, self._leaning))
        self._window.status.show_message(" ".join(parts) + self._back)

    def _say_certain(self, said: str) -> None:
        """Tell it when it has become certain; who judges blind is not told how it stands."""
        if self._view.blindness.is_on:
            return
        is_new, self._certain = bool(said) and not self._certain, said
        if is_new:
            self._window.status.show_message(said + self._back)

    def _say_end(self, done: int, total: int) -> None:
        if self._queue is not None:
            self._window.status.show_message(
                _("{done} of {total} at stake judged.").format(
                    done=format_count(done), total=format_count(total)
                )
                + self._back
            )
