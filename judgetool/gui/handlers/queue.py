"""The queue, judging many at once, statistics, and what is left to judge."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import Answering
from judgetool.gui.painting import format_count, format_grade
from judgetool.gui.project_view import ProjectView
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.commands import Changed, WriteAsks
from judgetool.session.edits import BulkPlan, plan_bulk
from judgetool.session.history import title_in_words
from judgetool.wording import N_, _

_FINISHED = N_("Every document of the pool is judged.")
_FINISHED_ASKED = N_("Everything that you are asked is judged.")
_REVIEW = "review_mine"
_NEXT_ANSWERS = (
    (_REVIEW, N_("Review my judgments")),
    ("widen_pool", N_("Choose another pool…")),
    ("dismiss", N_("Stay here")),
)
_NEXT_STEPS = {_REVIEW: "flow.review", "widen_pool": "queue.choose"}


class QueueHandler(Handler):
    """Does the actions of the queue, and asks at its end what comes next.

    Args:
        window: the main window.
        project: changes the project's own values.

    Attributes:
        answers: what is done for an answer of its banner, by its name.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        self._waiting: tuple[BulkPlan, str] | None = None
        self._has_finished = False
        self.answers: dict[str, Callable[[], object]] = {
            "grade_many": self._grade_many,
            "grade_none": self._leave,
            **{name: partial(self._trigger, action) for name, action in _NEXT_STEPS.items()},
        }
        results = window.workspace.results
        results.selection_changed.connect(self._on_selection)
        window.status.installEventFilter(LeftTip(window))

    def connect_project(self, view: ProjectView) -> None:
        """Follow where the queue ends."""
        self._has_finished = False
        view.judging.finished.connect(self._on_finished)
        view.judging.hidden.connect(self._on_hidden)
        view.judging.place_shown.connect(self._leave_end)
        view.session.changed.connect(self._on_changed)

    # Order and pool

    def choose(self) -> None:
        """Choose what is judged, and in which order."""
        from judgetool.gui.dialogs.queue import QueueDialog  # noqa: PLC0415 - not needed to start

        is_blind = self._view.blindness.is_on
        dialog = QueueDialog(self._session, self._window.prompter, is_blind=is_blind)
        self.change(dialog)

    def ask(self) -> None:
        """Ask assessors to judge what is to be judged."""
        from judgetool.gui.dialogs.queue import AskDialog  # noqa: PLC0415 - not needed to start

        self._write_asks(AskDialog(self._session, self._window.jobs))

    def hand_over(self) -> None:
        """Move what one assessor is asked and has not judged to another."""
        from judgetool.gui.dialogs.queue import HandOverDialog  # noqa: PLC0415 - not needed to start
        from judgetool.session.team.asking import list_asked_states  # noqa: PLC0415 - likewise

        if any(each.left for each in list_asked_states(self._session)):
            self._write_asks(HandOverDialog(self._session))
        else:
            self._say(_("Nothing that anybody is asked is open. Judge ▸ Ask assessors… asks."))

    def _write_asks(self, dialog: Answering[WriteAsks | None]) -> None:
        command = self._ask(dialog)
        if command is not None and self.attempt(lambda: self._session.execute(command)):
            self._say(f"{title_in_words(command.title)}.", offers_undo=True)

    def statistics(self) -> None:
        """Show how judging went, in a window beside this one."""
        from judgetool.gui.dialogs.statistics import StatisticsWindow  # noqa: PLC0415 - not needed to start

        StatisticsWindow.show_beside(
            self._widget, self._session, self._window.prompter, closes_with=self._view
        )

    # Several at once

    def select_all(self) -> None:
        """Select every document that is listed."""
        results = self._window.workspace.results
        results.select_all()
        count = len(results.selected_documents())
        if count > 1:
            self._say(
                _(
                    "{count} documents are selected. A grade key asks before it grades them; Esc goes "
                    "back to one."
                ).format(count=format_count(count))
            )

    def grade_selected(self, grade: float, origin: str) -> bool:
        """Ask before several selected documents are graded; return whether there are several."""
        if self._window.views.mode is not Mode.LIST:
            return False
        documents = self._window.workspace.results.selected_documents()
        query = self._view.judging.query
        if len(documents) < 2 or query is None:
            return False
        plan = plan_bulk(self._session, query, documents, grade)
        self._propose(plan, origin, grade=grade, count=len(documents))
        return True

    def _propose(self, plan: BulkPlan, origin: str, *, grade: float, count: int) -> None:
        from judgetool.gui.dialogs.queue import describe_plan  # noqa: PLC0415 - not needed to start

        if plan.command is None:
            self._say(
                _("All {count} selected documents have grade {grade} already.").format(
                    count=format_count(count), grade=format_grade(grade)
                )
            )
            return
        self._waiting = (plan, origin)
        number = len(plan.command.pairs)
        sentence = _("Grade {grade} for {count} documents: {what}").format(
            grade=format_grade(grade), count=format_count(count), what=describe_plan(plan)
        )
        answers = (
            ("grade_many", number_of(number, "Grade {n} document", "Grade {n} documents")),
            ("grade_none", _("Cancel")),
        )
        self._ask_below("warn", sentence, *answers, escape="grade_none")
        likely = self._window.workspace.grade_bar.banner.answers[0]
        likely.setDefault(True)
        likely.setFocus()

    def _grade_many(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._do(*waiting)
        self._leave()

    def _leave(self) -> None:
        self._waiting = None
        self._window.workspace.results.select_current()
        self._window.workspace.take_keyboard()

    def _on_selection(self, count: int) -> None:
        if self._waiting is not None and count < 2:
            # What was asked about is selected no more.
            self._waiting = None
            self._window.workspace.grade_bar.hide_banner()

    def _do(self, plan: BulkPlan, origin: str) -> None:
        judging = self._view.judging
        if plan.command is None:
            return
        facts = judging.circumstances.facts(
            plan.command.pairs[0][0], place=0, run_id=judging.run_id
        )
        # They stand at several places: one would be wrong for the others.
        shown = {key: each for key, each in facts.items() if key not in ("position", "rank")}
        judging.grade_many(plan.command, origin=origin, shown=shown)
        count = len(plan.command.pairs)
        verb = _(plan.command.verb)
        said = number_of(count, "{verb} for {n} document.", "{verb} for {n} documents.", verb=verb)
        self._say(said, offers_undo=True)

    def grade_below(self) -> None:
        """Grade every unjudged document below the current one, after a preview."""
        from judgetool.gui.dialogs.queue import BelowDialog  # noqa: PLC0415 - not needed to start

        query, results = self._view.judging.query, self._window.workspace.results
        if query is None:
            return
        dialog = BelowDialog(
            self._session,
            query,
            documents=results.documents(),
            place=results.current_place(),
        )
        plan = self._ask(dialog)
        if plan is not None:
            self._do(plan, "key")

    # The end of the queue

    def refuses_at_end(self) -> bool:
        """Say, while it is asked what follows the last document, that keys do not grade it again."""
        is_asked = self._window.workspace.grade_bar.offers(_REVIEW)
        if is_asked:
            self._say(
                _(
                    "Not taken: no document follows, and this one stays as it is. Esc brings the "
                    "grades back; a key then changes it."
                )
            )
        return is_asked

    def _on_finished(self, n_left: int) -> None:
        self._window.queries.regroup()
        if n_left:
            sentence = number_of(
                n_left,
                "The queue ends here; {n} document before is not judged: {key} leads to it.",
                "The queue ends here; {n} documents before are not judged: {key} leads to them.",
                key=self._window.actions_by_name.shown_key("judge.next_unjudged"),
            )
            self._say_end(sentence)
            return
        is_asked = self._session.is_asked
        finished = _(_FINISHED_ASKED) if is_asked else _(_FINISHED)
        self._say_end(finished)
        if not self._has_finished:
            # Once: who then changes grades is not to be asked at each.
            self._has_finished = True
            # Another pool is for those who ask.
            answers = (_NEXT_ANSWERS[0], _NEXT_ANSWERS[-1]) if is_asked else _NEXT_ANSWERS
            shown = [(name, _(text)) for name, text in answers]
            self._ask_below("good", f"{finished} {_('What now?')}", *shown, escape="dismiss")

    def _on_hidden(self, count: int) -> None:
        sentence = number_of(
            count,
            "{n} unjudged document is hidden by a filter; {key} clears filters.",
            "{n} unjudged documents are hidden by filters; {key} clears them.",
            key=self._window.actions_by_name.shown_key("filter.clear"),
        )
        self._say_end(sentence)

    def _say_end(self, sentence: str) -> None:
        """Say that no document follows; what was typed for one in the pause would hit this one."""
        if self._view.judging.pause.drop_waiting():
            sentence = f"{sentence} {_('What you typed after the last grade is not taken.')}"
        self._say(sentence)

    def _leave_end(self) -> None:
        """Give the grades back where another document is shown."""
        bar, held = self._window.workspace.grade_bar, QApplication.focusWidget()
        if bar.offers(_REVIEW):
            bar.hide_banner()
            if held in bar.banner.answers:
                self._window.workspace.take_keyboard()

    def _on_changed(self, _changed: Changed) -> None:
        view = self._window.view
        # A change may still be on its way when its project is closed.
        if view is not None and not view.session.board.total_progress().is_done:
            self._has_finished = False
            # What it says is so no longer.
            self._leave_end()


class LeftTip(QObject):
    """Says in the status line's tooltip what is left until every run is judged.

    Counted when it is looked at: no key waits for it.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.status)
        self._window = window

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count, and let the tooltip come."""
        if event.type() is QEvent.Type.ToolTip:
            from judgetool.gui.dialogs.queue import describe_left  # noqa: PLC0415 - not needed to start

            session = self._window.session
            text = describe_left(session) if session is not None else ""
            self._window.status.setToolTip(plain_tooltip(text))
        return super().eventFilter(watched, event)
