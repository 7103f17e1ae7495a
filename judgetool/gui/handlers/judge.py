"""What is said of documents: grades, skips, flags, notes, of one or of several; the queue; settling.

And what happens when something could not be saved, and where the queue ends.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent

from judgetool.core.judgments import VIEW_RULES, State
from judgetool.core.number_text import number_of
from judgetool.core.terms import beginning, one_line
from judgetool.gui.actions import JUDGING_MODES, Mode
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.act_dialog import Answering
from judgetool.gui.dialogs.choose import (
    About,
    AssessorDialog,
    ChooseDialog,
    RadioOption,
    TextDialog,
)
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.view import PageHandler
from judgetool.gui.judging import Judging, Retry
from judgetool.gui.keymap import RepeatGuard
from judgetool.gui.painting import format_count, format_grade
from judgetool.gui.project_view import REASONS, ProjectView
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import EventWatch
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.board import ONLY_MINE, view_title
from judgetool.session.commands import Changed, WriteAsks, find_near_name
from judgetool.session.edits import Along, BulkPlan, plan_along, plan_bulk, take_along
from judgetool.session.history import find_reason, title_in_words
from judgetool.session.opening import find_hub_side
from judgetool.session.session import Session
from judgetool.wording import N_, _, own_words

if TYPE_CHECKING:
    from judgetool.gui.settle import SettlePage
    from judgetool.session.team.disputes import Dispute

KNOWN = "known"
"""Name of the answer that goes on from a known one, in practice."""

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
        n_selected: how many cards are selected.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        self._waiting: tuple[BulkPlan, str] | None = None
        self._has_finished = False
        self.n_selected = 1
        self.answers: dict[str, Callable[[], object]] = {
            "grade_many": self._grade_many,
            "grade_none": self._leave,
            **{name: partial(self._trigger, action) for name, action in _NEXT_STEPS.items()},
        }
        results = window.workspace.results
        results.selection_changed.connect(self._on_selection)
        EventWatch(window.status, self._say_left, QEvent.Type.ToolTip)

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
        if command is not None:
            said = f"{title_in_words(command.title)}."
            self._carry_out(lambda: self._session.execute(command), said)

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
        assert query is not None
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
        self.n_selected = count
        if self._waiting is not None and count < 2:
            # What was asked about is selected no more.
            self._waiting = None
            self._window.workspace.grade_bar.hide_banner()

    def _do(self, plan: BulkPlan, origin: str) -> None:
        judging = self._view.judging
        assert plan.command is not None
        facts = judging.circumstances.facts(place=0, run_id=judging.run_id)
        # They stand at several places: one would be wrong for the others.
        shown = {key: each for key, each in facts.items() if key not in ("position", "rank")}
        if judging.grade_many(plan.command, origin=origin, shown=shown) is None:
            return
        count = len(plan.command.pairs)
        verb = _(plan.command.verb)
        said = number_of(count, "{verb} for {n} document.", "{verb} for {n} documents.", verb=verb)
        self._say(said, offers_undo=True)

    def grade_below(self) -> None:
        """Grade every unjudged document below the current one, after a preview."""
        from judgetool.gui.dialogs.queue import BelowDialog  # noqa: PLC0415 - not needed to start

        query, results = self._view.judging.query, self._window.workspace.results
        assert query is not None, "it is not done without a document"
        dialog = BelowDialog(
            self._session,
            query,
            documents=results.documents(),
            place=results.current_place(),
        )
        plan = self._ask(dialog)
        if plan is not None:
            self._do(plan, "key")

    def _say_left(self, _event: QEvent) -> bool:
        """Have the status line's tooltip say what is left until every run is judged.

        Counted when it is looked at: no key waits for it.
        """
        from judgetool.gui.dialogs.queue import describe_left  # noqa: PLC0415 - not needed to start

        session = self._window.session
        text = describe_left(session) if session is not None else ""
        self._window.status.setToolTip(plain_tooltip(text))
        return False

    # The end of the queue

    def refuses_at_end(self) -> bool:
        """Say, while it is asked what follows the last document, that keys do not grade it again."""
        is_asked = _REVIEW in self._window.workspace.grade_bar.offered
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
        if not self._session.material.queries:
            self._say_end(_("This project has no queries yet."))
            return
        is_asked = self._session.is_asked
        finished = _(_FINISHED_ASKED) if is_asked else _(_FINISHED)
        self._say_end(finished)
        if not self._has_finished and self._window.workspace.grade_bar.banner.isHidden():
            # What is asked already goes before. Once: who then changes grades is not to be asked at each.
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
        self._withdraw(_REVIEW)

    def _on_changed(self, _changed: Changed) -> None:
        view = self._window.view
        # A change may still be on its way when its project is closed.
        if view is not None and not view.session.board.total_progress().is_done:
            self._has_finished = False
            # What it says is so no longer.
            self._leave_end()


_MOST_TITLE, _MOST_WHOLE = 60, 300
_ELSEWHERE = ("save_elsewhere", N_("Save elsewhere…"))


class GradeTaker(Protocol):
    """What a key of a grade does where no document is judged."""

    def grade(self, grade: float) -> None:
        """Take a grade."""

    def type_grade(self, text: str) -> None:
        """Begin a number, on a continuous scale."""


def _shown(answer: tuple[str, str]) -> tuple[str, str]:
    return answer[0], _(answer[1])


def _about(view: ProjectView, query: int, document: int) -> About:
    """Return title and query of a document, as far as the assessor may see them."""
    material = view.session.material
    shown, asked = view.mask(document, material.show_document(document)), material.queries[query]
    names = shown.title or shown.id, asked.text or asked.id
    brief = [beginning(name, most=_MOST_TITLE) for name in names]
    whole = [one_line(name, most=_MOST_WHOLE) for name in names]
    said = _("‘{title}’ for the query ‘{query}’")
    return About(*(said.format(title=title, query=text) for title, text in (brief, whole)))


def _why_not(verb: str, about: About | None, kept: str = "", note: str = "") -> ChooseDialog:
    """Return the question why a document cannot be judged; its answer may be empty.

    Args:
        verb: what an answer does.
        about: of which document.
        kept: a reason that was written before.
        note: that stays beside the reason.
    """
    options = [RadioOption(reason, _(reason)) for reason in REASONS]
    dialog = ChooseDialog(
        _("Cannot judge"),
        options,
        verb=verb,
        current=kept,
        other=_("Another reason, or none"),
        about=about,
    )
    if kept not in REASONS:
        dialog.other.setText(kept)
    if note:
        brief = own_words(one_line(note, most=_MOST_TITLE))
        dialog.show_remark(_("Your note stays: {note}").format(note=brief))
    return dialog


class JudgeHandler(Handler):
    """Does the actions of the Judge menu, and answers the banner over the grade bar.

    Args:
        window: the main window.
        project: changes the project, and opens it anew.
        queue: grades several documents at once.

    Attributes:
        guard: takes no key that bounced.
        elsewhere: what takes grades in views where no document is judged.
        answers: what is done for an answer of the banner, by its name.
        n_missing: changes of judgments that the file is known to lack.
    """

    def __init__(self, window: AppWindow, project: ProjectHandler, queue: QueueHandler) -> None:
        super().__init__(window)
        self.n_missing = 0
        self._project = project
        self._queue = queue
        self._retry: Retry | None = None
        self._trouble: str | None = ""
        self._meant: Session | None = None
        self._is_who_open = False
        self.guard = RepeatGuard(window.settings.guard_ms)
        self.elsewhere: dict[Mode, GradeTaker] = {}
        self.answers: dict[str, Callable[[], object]] = {
            "be_near": self._be_near,
            "stay_new": self._stay_new,
            **queue.answers,
        }

    def connect_project(self, view: ProjectView) -> None:
        """Listen to what becomes of judgments."""
        self._queue.connect_project(view)
        self._retry = None
        self._trouble = ""
        self._is_who_open = False
        self._window.workspace.grade_bar.hide_banner()
        self.guard.forget()
        judging = view.judging
        judging.refused.connect(self._window.status.show_message)
        judging.not_saved.connect(self._on_not_saved)
        judging.regraded.connect(self._on_regraded)
        view.session.changed.connect(self._on_changed)
        view.reloaded.connect(self._window.refresh_project)

    # Saying

    def grade(self, grade: float, *, stays: bool = False, origin: str = "key") -> None:
        """Give the current document a grade; a key that bounced gives none."""
        press = self._window.key_watch.take_press() if origin == "key" else None
        if press is not None and not self.guard.takes(press):
            self._say(
                _(
                    "Not taken: the key came within {guard_ms} ms of the one before. Judge ▸ Pace, "
                    "goal and breaks can change that."
                ).format(guard_ms=self.guard.guard_ms)
            )
            return
        taker = self.elsewhere.get(self._window.views.mode)
        if taker is not None:
            taker.grade(grade)
            return
        judging = self.find_sayer()
        if judging is None or (
            self._window.workspace.grade_bar.offered and self._queue.refuses_at_end()
        ):
            return
        judging.circumstances.press = press
        if self._queue.n_selected < 2 or not self._queue.grade_selected(grade, origin):
            judging.grade(grade, stays=stays, origin=origin)

    def _on_regraded(self, before: float, after: float, document: int) -> None:
        grades = {"before": format_grade(before), "after": format_grade(after)}
        brief = _("Changed: {before} → {after}.").format(**grades)
        judging = self._view.judging
        if document == judging.document and not judging.pause.timer.isActive():
            self._say(brief, offers_undo=True)
            return
        # It is out of view, or will be in a moment: which one it was is said.
        shown = self._view.mask(document, self._session.material.show_document(document))
        title = beginning(shown.title or shown.id, most=_MOST_TITLE)
        said = _("Changed: {before} → {after}, {title}.").format(**grades, title=title)
        self._say(said, offers_undo=True, shorter=(brief,))

    def type_grade(self, text: str) -> None:
        """Begin a number in the grade bar, on a continuous scale."""
        taker = self.elsewhere.get(self._window.views.mode)
        if taker is not None:
            taker.type_grade(text)
        elif self.find_sayer() is not None and not self._queue.refuses_at_end():
            self._window.workspace.grade_bar.entry.begin(text)

    def find_sayer(self) -> Judging | None:
        """Return by what something is said of the current document; asks who judges.

        Returns:
            ``None`` while nobody is named, it is asked whether somebody else is meant, a known answer is
            shown, something waits for being saved, or there is no document, which is said.
        """
        view, results = self._window.view, self._window.workspace.results
        bar = self._window.workspace.grade_bar
        if KNOWN in bar.offered:
            # Not every key comes to its button: the row of digits is read by its places.
            bar.banner.answers[0].click()
            return None
        is_shown = self._window.views.mode in JUDGING_MODES
        if is_shown and results.current_document() is None:
            self._say(results.why_empty()[0])
            return None
        if self._is_who_open and not self._has_answered_who():
            return None
        # Who was found to be meant was asked for already.
        if view is None or view.session is not self._meant:
            return self._view.judging if self._has_assessor() and self._retry is None else None
        return view.judging if self._retry is None else None

    def say(self, what: str) -> None:
        """Say what takes no words, by the name of a method of :class:`Judging`."""
        judging = self.find_sayer()
        if judging is not None:
            getattr(judging, what)()

    def skip(self) -> None:
        """Put the document off; that a grade goes with it is said, with the way back."""
        judging = self.find_sayer()
        if judging is None or self._queue.refuses_at_end():
            return
        query, document, before = judging.query, judging.document, judging.own_judgment
        judging.skip()
        session = self._window.session
        if before.grade is None or session is None or query is None or document is None:
            return
        if session.own_judgment(query, document).state is State.SKIPPED:
            taken = _("Skipped for later; its grade {grade} is taken back.").format(
                grade=format_grade(before.grade)
            )
            self._window.status.show_message(taken, action="undo", action_text=_("Undo"))

    def cannot(self) -> None:
        """Ask why the document cannot be judged, and say so."""
        judging = self.find_sayer()
        if judging is None:
            return
        kept, note = self._said_of_current(judging)
        about = self._about_current(judging)
        reason = self._ask(_why_not(_("Cannot judge"), about, kept, note))
        if reason is not None:
            judging.cannot_judge(reason)

    def note(self) -> None:
        """Write a note on the document."""
        judging = self.find_sayer()
        if judging is not None:
            before, about = self._said_of_current(judging)[1], self._about_current(judging)
            text = self._ask(TextDialog(_("Note"), before, verb=_("Keep note"), about=about))
            if text is not None:
                judging.set_note(text.strip())

    def _said_of_current(self, judging: Judging) -> tuple[str, str]:
        """Return why the document cannot be judged, and the note on it."""
        query, document = judging.query, judging.document
        if query is None or document is None:
            return "", ""
        return find_reason(self._session, query, document)

    def _about_current(self, judging: Judging) -> About | None:
        query, document = judging.query, judging.document
        return None if query is None or document is None else _about(self._view, query, document)

    def grade_below(self) -> None:
        """Grade every unjudged document below the current one, after a preview."""
        if self.find_sayer() is not None:
            self._queue.grade_below()

    def do_bar_action(self, name: str) -> None:
        """Do what a small button of the grade bar says."""
        self._trigger(f"judge.{name.removesuffix('_judge')}")

    def advance(self, is_on: bool) -> None:
        """Move on after grading, or stay."""
        self._window.change_settings(moves_on=is_on)
        self._view.judging.moves_on = is_on
        is_queue = self._window.settings.advance == "queue"
        self._say(
            _("A grade stays on its document.")
            if not is_on
            else _("A grade moves on to the next document of the queue.")
            if is_queue
            else _("A grade moves on to the next unjudged document.")
        )

    def go_to_end(self, end: str) -> None:
        """Go to the ``first`` or the ``last`` document of the list."""
        self._view.judging.move_to_end(is_last=end == "last")

    # Choosing

    def view(self) -> None:
        """Choose which judgments count."""
        session = self._session
        if session.is_asked:
            self._say(
                _(
                    "While something that {assessor} is asked is open, only their own judgments count "
                    "in this window."
                ).format(assessor=session.assessor)
            )
            return
        options = [
            RadioOption(rule.name, _(rule.title), _(rule.help)) for rule in VIEW_RULES.values()
        ]
        if session.assessor:
            mine = view_title(ONLY_MINE, session.assessor)
            options.append(RadioOption(ONLY_MINE, mine, _("What others have said does not count.")))
        chosen = self._ask(
            ChooseDialog(
                _("Judgments that count"),
                options,
                verb=_("Use these"),
                current=session.board.view,
            )
        )
        if chosen:
            self._window.choose_view(chosen)

    def assessor(self) -> None:
        """Ask who judges."""
        session = self._window.session
        me = find_hub_side(session).name if session else ""
        known = dict.fromkeys([*filter(None, [me]), *(session.judges if session else ())])
        current = session.assessor if session else ""
        plan = None
        if session is not None and current and not session.read_only_reason:
            plan = partial(plan_along, session, current)
        dialog = AssessorDialog(current or self._window.assessor, [*known], plan)
        name = self._ask(dialog)
        if name:
            along = dialog.takes_along
            self.take_assessor(name)
            if along is not None:
                self._take_along(along.former, name)

    def _take_along(self, former: str, name: str) -> None:
        """Put what was judged under a former name under that of who judges now."""
        session, done = self._window.session, list[Along]()
        # Where the project could not be opened again, that is said already.
        if session is None or session.assessor != name:
            return
        if self.attempt(lambda: done.append(take_along(session, former))):
            self._say(done[0].told, offers_undo=True)

    def take_assessor(self, name: str) -> None:
        """Let somebody judge from now on, in the open project too."""
        session = self._window.session
        self._window.name_assessor(name)
        if session is not None and session.assessor != name:
            go_on, before = self._keep_lists(session), self._view.place
            self._project.reopen(session.path, name)
            go_on()
            if self._window.view is not None and self._view.place != before:
                said = _("{name} judges now; what is shown is where {name} goes on.")
                self._say(said.format(name=name))
        self._window.refresh_project()

    def _keep_lists(self, session: Session) -> Callable[[], None]:
        """Return what goes on with all that was under way, once the project is open for somebody else."""
        window, query_ids = self._window, session.material.query_ids
        kept = (
            window.queries.bar.keep(),
            window.workspace.results.keep_list(),
            window.views.keep_lists(),
            window.workspace.document.keep_place(),
        )

        def go_on() -> None:
            opened = window.session
            # Lists hold the numbers of queries: of another program's import they know nothing.
            is_same = opened is not None and opened.material.query_ids == query_ids
            if opened is not session and is_same:
                for each in kept:
                    each()

        return go_on

    def _has_assessor(self) -> bool:
        session = self._window.session
        if session is None:
            return False
        if session.read_only_reason:
            self._say(_("Not judged. {reason}").format(reason=session.read_only_reason))
            return False
        if not session.assessor:
            before = self._view.place
            self.assessor()
            session = self._window.session
            if session is not None and session.assessor and self._view.place != before:
                # Who is asked has a list of their own, and what was typed was for another document.
                self._say(_("Not taken: under this name another document is shown."))
                return False
        return session is not None and bool(session.assessor) and self._is_meant(session)

    def _is_meant(self, session: Session) -> bool:
        """Ask, once, whether somebody is to judge of whom the project's hub would not take it as theirs."""
        if session is not self._meant:
            side, name = find_hub_side(session), session.assessor
            guest = side.describe_guest(name)
            ways = (
                [Choice("be_me", _("Judge as ‘{near}’").format(near=side.name))]
                if side.role != "reader"
                else []
            )
            stay = Choice("stay", _("Judge here as ‘{name}’").format(name=name))
            answer = self._window.prompter.ask(guest, (*ways, stay)) if guest else "stay"
            if answer == "be_me":
                self.take_assessor(side.name)
            if answer is not None:
                self._meant = self._window.session
        return self._meant is not None and self._meant is self._window.session

    # What became of it

    def _on_changed(self, changed: Changed) -> None:
        if self._retry is not None and changed.kind == "judge":
            self._retry = None
            self._window.workspace.grade_bar.hide_banner()

    def show_read_only(self, reason: str) -> None:
        """Say in the grade bar's place why nothing can be judged."""
        self._ask_below("warn", reason, ("save_elsewhere", _("Save a copy…")))

    def show_place(self, warning: str) -> None:
        """Say before anything is judged that the file lies where that is not safe; ``""`` for nothing."""
        if warning:
            answers = (_shown(_ELSEWHERE), ("dismiss", _("Judge here")))
            self._ask_below("warn", warning, *answers)

    def ask_who(self) -> None:
        """Ask who judges where the name is new, and nearly somebody's in the project."""
        self._is_who_open = bool(self._find_near())
        if self._is_who_open:
            self._ask_below("warn", *self._word_who())

    def _word_who(self) -> tuple[str, tuple[str, str], tuple[str, str]]:
        """Return the question whether somebody else is meant, and its answers."""
        name, near = self._session.assessor, self._find_near()
        sentence = _(
            "‘{name}’ is new in this project. ‘{near}’, who is in it, is another person: "
            "nothing that ‘{near}’ is asked or has judged is yours."
        ).format(name=name, near=near)
        return (
            sentence,
            ("be_near", _("Judge as ‘{near}’").format(near=near)),
            ("stay_new", _("Stay ‘{name}’").format(name=name)),
        )

    def _has_answered_who(self) -> bool:
        """Lead to the question that stands in the grade bar's place; ask it where there is no such bar.

        Returns:
            Whether the name stays, so that what was said is taken.
        """
        if self._window.views.mode not in JUDGING_MODES:
            sentence, *answers = self._word_who()
            answer = self._window.prompter.ask(sentence, [Choice(*each) for each in answers])
            self.answer_banner(answer or "")
            # Who is another one opens the project anew.
            return answer == "stay_new"
        self._say(_("Not taken: first answer who judges."))
        # Something else may stand there meanwhile, and who listens is to hear the question now.
        self._ask_below("warn", *self._word_who())
        self._window.workspace.grade_bar.banner.answers[0].setFocus()
        return False

    def _find_near(self) -> str:
        return find_near_name(self._session.assessor, self._session.assessors)

    def _be_near(self) -> None:
        self.take_assessor(self._find_near())

    def _stay_new(self) -> None:
        self._is_who_open = False

    def show_trouble(self, sentence: str) -> None:
        """Say that the file is not what it was, also before anything is to be saved; ``""`` for none."""
        if self._retry is not None or sentence == self._trouble:
            return
        self._trouble = sentence
        if not sentence:
            self._window.workspace.grade_bar.hide_banner()
            self._window.status.set_saved("")
            return
        text = _("Not saved: {sentence} Nothing more is written until you choose where.")
        begins = text.partition("{sentence}")[0]
        self._window.status.set_not_saved(sentence)
        text = sentence if sentence.startswith(begins) else text.format(sentence=sentence)
        self._ask_below("bad", text, _shown(_ELSEWHERE))

    def may_leave(self) -> bool:
        """Whether the project may be closed: asks where what was done in it is not safe.

        So it is with a grade that could not be saved, and with a file that is gone or is
        another one. Saved elsewhere, all of it is in the copy.
        """
        session = self._window.session
        trouble = "" if session is None else session.find_trouble()
        if session is None or not (self._retry or trouble):
            return True
        what = _("The last grade is not saved.") if self._retry else ""
        answer = self._window.prompter.ask(
            " ".join(
                text for text in (trouble, what, _("Close the project all the same?")) if text
            ),
            (
                Choice("discard", _("Close without saving"), destroys=True),
                Choice(*_shown(_ELSEWHERE)),
            ),
        )
        if answer == "save_elsewhere":
            self.answer_banner("save_elsewhere")
            return self._window.session is not session and self._retry is None
        return answer == "discard"

    def _on_not_saved(self, sentence: str, retry: Retry) -> None:
        self._retry = retry
        number, title = self._view.judging.document, ""
        if number is not None:
            document = self._session.material.document(number)
            title = " " + _("‘{title}’ is as it was until this is settled.").format(
                title=document.title or document.id
            )
        self._window.status.set_not_saved(sentence)
        self._ask_below("bad", sentence + title, ("retry", _("Retry")), _shown(_ELSEWHERE))

    def answer_banner(self, answer: str) -> None:
        """Do what was chosen in the banner."""
        retry, self._retry = self._retry, None
        if self._trouble:
            # Looked at anew, and said again where it still holds.
            self._trouble = None
        self._window.workspace.grade_bar.hide_banner()
        if self._window.views.mode in JUDGING_MODES:
            # Else Qt gives the keyboard to what happens to stand next, such as the box of runs.
            self._window.workspace.take_keyboard()
        if answer == "retry" and retry is not None:
            retry(None)
        elif answer == "save_elsewhere":
            self._save_elsewhere(retry)
        elif answer in self.answers:
            self.answers[answer]()

    def save_copy(self) -> None:
        """Save a copy beside the work; where nothing can be saved here, go on in it."""
        session = self._session
        if self._retry or session.read_only_reason or session.find_trouble():
            self.answer_banner("save_elsewhere")
        elif not self._would_copy_loss():
            self._project.save_copy()

    def _would_copy_loss(self) -> bool:
        """Ask where the file lacks judgments, which a copy would lack without a word; recover them instead."""
        if not self.n_missing:
            return False
        sentence = number_of(
            self.n_missing,
            "The safety log has {n} change of judgments that {name} lacks. A copy would be without it, "
            "too, and would not say so; Recover as… writes a file elsewhere that has it.",
            "The safety log has {n} changes of judgments that {name} lacks. A copy would be without them, "
            "too, and would not say so; Recover as… writes a file elsewhere that has them all.",
            name=self._session.path.name,
        )
        ways = Choice("recover", _("Recover as…")), Choice("save", _("Save all the same…"))
        answer = self._window.prompter.ask(sentence, ways)
        if answer == "recover":
            self.answers["recover"]()
        return answer != "save"

    def _save_elsewhere(self, retry: Retry | None) -> None:
        """Go on in a copy, with the grade that could not be saved before."""
        is_meant = retry is not None or not self._would_copy_loss()
        is_saved = is_meant and self._project.save_elsewhere()
        reason = self._session.read_only_reason
        if retry is not None and is_saved:
            retry(self._view.judging)
        elif not is_saved and reason:
            self.show_read_only(reason)
        elif retry is not None:
            self._on_not_saved(
                _("Not saved: the project is still where it cannot be written."), retry
            )


class SettleHandler(PageHandler["SettlePage"]):
    """Does the actions of the Team menu that settle disputes.

    Args:
        window: the window.
        judge: hands on the keys of grades, and asks who judges.
    """

    mode = Mode.SETTLE

    def __init__(self, window: AppWindow, judge: JudgeHandler) -> None:
        super().__init__(window)
        self._judge = judge
        judge.elsewhere[Mode.SETTLE] = self

    def make_page(self) -> "SettlePage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.settle import SettlePage  # noqa: PLC0415 - not needed to start

        return SettlePage(self._window, self.grade)

    # Settling

    def _find_open(self) -> "Dispute | None":
        """Return what is shown to be settled; ``None`` where nothing is, or nothing can be said."""
        dispute = self.page.dispute
        return None if dispute is None or self._judge.find_sayer() is None else dispute

    def type_grade(self, text: str) -> None:
        """Begin a number in the page's bar, on a continuous scale."""
        if self.page.dispute is not None:
            self.page.bar.entry.begin(text)

    def take_view(self) -> None:
        """Settle with what counts in the view now."""
        if self.page.dispute is None:
            return
        grade = self.page.view_grade
        if grade is None:
            self._say(_("The view has no grade of the scale for this document: give one."))
            return
        self.grade(grade)

    def cannot(self) -> None:
        """Ask why the document cannot be judged, and settle that it cannot."""
        dispute = self._find_open()
        if dispute is None:
            return
        pair = dispute.query, dispute.document
        verb, about = _("Settle as ‘cannot judge’"), _about(self._view, *pair)
        reason = self._ask(_why_not(verb, about, self.page.reason_kept))
        if reason is not None:
            self.grade(None, reason)

    def grade(self, grade: float | None, reason: str = "") -> None:
        """Settle what is shown with a grade, ``None`` where it cannot be judged, and go on."""
        page, dispute = self.page, self._find_open()
        if dispute is None:
            return
        from judgetool.session.team.disputes import settle  # noqa: PLC0415 - not needed to start

        pair = dispute.query, dispute.document
        command = settle(*pair, grade, reason=reason or page.reason_kept or None)
        document = self._session.material.show_document(dispute.document)
        said = _("cannot be judged") if grade is None else self._level(grade)
        title, settled = document.title or document.id, _("Settled: {said}, {title}.")
        brief = settled.format(said=said, title=beginning(title, most=_MOST_TITLE))
        whole = settled.format(said=said, title=one_line(title, most=_MOST_WHOLE))
        act = partial(self._session.execute, command, origin="key")
        if self._carry_out(act, whole, shorter=(brief,)):
            page.drop(dispute)

    def _level(self, grade: float) -> str:
        level = self._session.scale.find_level(grade)
        text = format_grade(grade)
        return (
            f"{text} {level.shown_name}" if level is not None and level.shown_name != text else text
        )

    # Besides

    def reason(self) -> None:
        """Ask why it is settled so; kept with what comes next."""
        page, dispute = self.page, self._find_open()
        if dispute is None:
            return
        pair = dispute.query, dispute.document
        before, about = page.reason_kept, _about(self._view, *pair)
        text = self._ask(TextDialog(_("Reason"), before, verb=_("Keep reason"), about=about))
        if text is not None:
            page.set_reason(text.strip())
            self._say(_("Reason kept.") if text.strip() else _("No reason is kept."))

    def third(self) -> None:
        """Ask one more person, and put off what is shown until they have judged it."""
        page, dispute = self.page, self._find_open()
        if dispute is None:
            return
        from judgetool.session.team.disputes import ask_third  # noqa: PLC0415 - not needed to start

        def ask() -> None:
            command = ask_third(self._session, dispute)
            self._session.execute(command)
            page.put_off(command.title)
            self._say(
                _("Asked {assessor}; it comes last.").format(assessor=command.asks[0].assessor),
                offers_undo=True,
            )

        self.attempt(ask)

    def in_list(self) -> None:
        """Show the document in the list of its query."""
        dispute = self.page.dispute
        if dispute is not None:
            self._window.views.show(Mode.LIST)
            self._view.judging.show_place(dispute.query, dispute.document)
