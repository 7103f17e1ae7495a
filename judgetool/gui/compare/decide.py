"""Decide between two runs: the question, the line while judging, what stands there at the stop, in words."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer

from judgetool.core.judgments import DEFAULT_VIEW
from judgetool.core.number_text import number_of, signed_ends
from judgetool.errors import JudgetoolError
from judgetool.formats.output import write_atomically
from judgetool.gui.actions import Mode
from judgetool.gui.compare.compared import Compared
from judgetool.gui.compare.next_pane import LED_BY_STAKE, Pair, StakeQueue
from judgetool.gui.dialogs import Choice, FileKind
from judgetool.gui.dialogs.act_dialog import ActDialog, combo, on_change
from judgetool.gui.jobs import Jobs
from judgetool.gui.painting import format_count
from judgetool.gui.widgets.fields import DecimalField
from judgetool.gui.window import AppWindow, Handler
from judgetool.metrics import Measure, parse_measure
from judgetool.metrics.decide import FEW_QUERIES, RISK, DecideRules, Ending, Prospect
from judgetool.metrics.decide_units import check_decidable, is_sum
from judgetool.session.board import view_title
from judgetool.session.commands import Changed, WorkCancelledError
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.deciding import (
    DecideMaterial,
    DecideQuestion,
    DecideStanding,
    Deciding,
    apart_text,
    ask_question,
    decision_page,
    difference_text,
    ending_text,
    evidence_text,
    find_last,
    load_questions,
    material_work,
    open_question,
    question_work,
)
from judgetool.session.exports.exporting import check_not_project
from judgetool.session.reading_aids import Blindness
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import N_, _, local_number

_LOT = N_(
    "Documents are drawn by lot, so that your judgments speak fairly for both runs; when the "
    "program says stop, it names the worse run in at most {risk} of 100 decisions."
)
_ENDS = frozenset({"scale", "conventions"})
_EVERY = 5
"""After so many draws the likely number left is worked out anew."""


class DecideAnswer(NamedTuple):
    """What is to be decided.

    Attributes:
        systems: the two.
        measure: by which.
        rules: risk and tie.
        is_blind: whether to judge blind.
        material: what can be drawn.
        question: the attempt that goes on; ``None`` for a new one.
    """

    systems: tuple[System, System]
    measure: Measure
    rules: DecideRules
    is_blind: bool
    material: DecideMaterial
    question: DecideQuestion | None


class DecideDialog(ActDialog):
    """Two runs, a measure, the risk, and what difference matters.

    Args:
        session: the project.
        jobs: work beside the window.
        systems: the two that are compared now.
        measure: likewise.
        is_blind: whether the assessor judges blind already.
        view: which judgments are known; ``""`` for those that the session counts.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        systems: tuple[System, System],
        measure: Measure | None,
        *,
        is_blind: bool,
        view: str = "",
    ) -> None:
        super().__init__(_("Decide which run is better"), verb=_("Start judging"), width=640)
        self._session, self._jobs, self._view = session, jobs, view
        self._is_blind = is_blind
        self._material: DecideMaterial | None = None
        self._question: DecideQuestion | None = None
        self.lot = self.add_text()
        options = [(each.name, each) for each in present_systems(session)]
        self.runs = tuple(
            self.add_field(label, combo(options, chosen))
            for label, chosen in zip(
                (_("Run &A"), _("Run B, w&hich it is compared with")), systems, strict=True
            )
        )
        known = [(str(each), each) for each in _measures(session)]
        self.measure = self.add_field(_("&Measure"), combo(known, measure))
        self.risk = self.add_field(
            _("&Risk of naming the worse run"), DecimalField(0.1, 50.0, digits=1)
        )
        self.risk.setSuffix(" %")
        self.risk.setValue(100 * RISK)
        self.tie = self.add_field(
            _("&Differences that do not matter: below"), DecimalField(0.0, 100.0, digits=3)
        )
        self.tie.setSingleStep(0.005)
        self.tie.setSpecialValueText(_("none: every difference matters"))
        self.blind = self.add_switch(
            _("Judge &blind: runs, ranks and values are hidden meanwhile"), is_on=True
        )
        if is_blind:
            self.blind.setEnabled(False)
        self.counts = self.add_text()
        self.first = self.runs[0]
        on_change(self._look, *self.runs, self.measure)
        self.risk.valueChanged.connect(self._say_risk)
        self._say_risk(self.risk.value())
        self._look()

    def _say_risk(self, risk: float) -> None:
        self.lot.setText(_(_LOT).format(risk=local_number(f"{risk:g}")))

    @property
    def _asked(self) -> tuple[System, System, Measure]:
        first, second = (field.currentData() for field in self.runs)
        return first, second, self.measure.currentData()

    def _look(self) -> None:
        """Find what can be drawn, beside the window."""
        self._material = self._question = None
        first, second, measure = self._asked
        self.counts.setText("")
        if first == second:
            self.show_lack(_("Choose two different runs."))
            return
        try:
            work = material_work(self._session, first, second, measure, view=self._view)
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        self.show_lack(_("Looking for what counts…"))

        self._jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._take,
            self._fail,
            key="decide/material",
            owner=self,
        )

    def _fail(self, problem: Exception) -> None:
        if not isinstance(problem, WorkCancelledError):
            self.show_problem(str(problem))

    def _take(self, material: DecideMaterial) -> None:
        self._material = material
        asked = self._asked
        question = self._question = open_question(self._session, *asked, material)
        if question is not None and question.first.key != asked[0].key:
            # It goes on as it was asked.
            first, second = self.runs
            at, other = first.currentIndex(), second.currentIndex()
            second.setCurrentIndex(at)
            first.setCurrentIndex(other)
            return
        for field in (self.risk, self.tie):
            field.setEnabled(question is None)
        if question is not None:
            self.risk.setValue(100 * question.risk)
            self.tie.setValue(question.tie or 0.0)
        said = (
            counted_text(material),
            counting_text(material.view, material.own),
            self._attempts(material),
            self._several(material),
        )
        self.counts.setText(" ".join(filter(None, said)))
        self.verb.setText(_("Start judging") if question is None else _("Go on"))
        lack = "" if len(material.units) else _("No judgment can tell these two apart.")
        self.show_lack(lack)
        self.grow()

    def _attempts(self, material: DecideMaterial) -> str:
        question = self._question
        if question is not None:
            standing = Deciding(self._session, question, material).standing()
            return attempt_text(question, standing, is_blind=self._is_blind)
        last = find_last(self._session, *self._asked)
        if last is None:
            return ""
        said = _(
            "This is attempt {number}: the risk that one of them names the worse run is up to "
            "{number} times as high."
        ).format(number=last.number + 1)
        if last.counts(material.view, material.own):
            return said
        other = _("Attempt {number} goes by other judgments: {view}.")
        return f"{said} {other.format(number=last.number, view=last.view_title)}"

    def _several(self, material: DecideMaterial) -> str:
        """Return that the risk is that of one decision, where it would not be the only one."""
        if self._question is not None or goes_by_stake(material):
            return ""
        first, second, measure = self._asked
        others = {
            (frozenset((each.first.key, each.second.key)), each.measure)
            for each in load_questions(self._session)
            if not each.is_about(first, second, measure)
        }
        if not others:
            return ""
        return _(
            "Decisions in this project, with this one: {number}. Divide the risk by that where it is "
            "to hold for all of them."
        ).format(number=len(others) + 1)

    @property
    def answer(self) -> DecideAnswer:
        """What is to be decided."""
        first, second, measure = self._asked
        assert self._material is not None
        rules = DecideRules(round(self.risk.value() / 100, 4), round(self.tie.value(), 3) or None)
        is_blind, two = self.blind.isChecked(), (first, second)
        return DecideAnswer(two, measure, rules, is_blind, self._material, self._question)


def _measures(session: Session) -> list[Measure]:
    """Return the measures that judgments settle: the project's, and P@10 where there is none."""
    found = []
    for measure in (*session.measures, parse_measure("P@10")):
        try:
            check_decidable(measure)
        except JudgetoolError:
            continue
        found.append(measure)
    # By sums fewer judgments do: they stand first.
    return sorted(dict.fromkeys(found), key=lambda each: not is_sum(each))


class Decider(Handler):
    """Asks, leads through what is drawn, and says what came of it.

    Args:
        window: the window.
        compared: what is compared.
        start: shows a queue's documents for judging, in place of what was judged before.
        owner: of the work beside the window.

    Attributes:
        deciding: what is being decided; ``None`` for nothing.
    """

    def __init__(
        self,
        window: AppWindow,
        compared: Compared,
        start: Callable[[StakeQueue], None],
        owner: QObject,
    ) -> None:
        super().__init__(window)
        self._compared, self._start, self._owner = compared, start, owner
        self.deciding: Deciding | None = None
        self._queue: StakeQueue | None = None
        self._likely: tuple[int, int] | None = None
        self._guessed_at = -1

    def ask(self) -> None:
        """Ask what is to be decided, and start judging for it."""
        session, pair = self._session, self._compared.pair
        if not self._can_write():
            return
        systems = present_systems(session)
        if len(systems) < 2:
            self._say(_("Deciding needs two runs."))
            return
        measure = pair.measure if pair is not None else None
        # As Compare takes one from the other: the baseline is the second.
        two = _proposed(systems, pair.system if pair else None, pair.baseline if pair else None)
        asked = load_questions(session)
        if asked and self._window.views.mode is not Mode.COMPARE:
            # Who closed the project has not to remember what was asked last.
            measure = parse_measure(asked[-1].measure)
            two = _proposed(systems, asked[-1].first, asked[-1].second)
        is_blind = self._view.blindness.is_on
        dialog = DecideDialog(
            session, self._window.jobs, two, measure, is_blind=is_blind, view=self._counted_view
        )
        answer = self._ask(dialog)
        if answer is not None:
            self.attempt(partial(self.begin, answer))

    @property
    def _counted_view(self) -> str:
        """The view that counts when one does not judge blind: its grades are known to the lot."""
        session = self._session
        if session.is_asked:
            # What others said does not answer what one is asked.
            return session.board.view
        return self._window.settings.find_view(session.path) or DEFAULT_VIEW

    def begin(self, answer: DecideAnswer) -> None:
        """Keep the question, or go on with one, and lead to what is drawn.

        Raises:
            ProjectError: it could not be written.
        """
        question = answer.question or ask_question(
            self._session, answer.systems, answer.measure, answer.rules, answer.material
        )
        self._lead(question, answer.material, is_blind=answer.is_blind)

    def _lead(
        self, question: DecideQuestion, material: DecideMaterial, *, is_blind: bool = False
    ) -> None:
        deciding = Deciding(self._session, question, material)
        deciding.to_certainty = goes_by_stake(material)
        if is_blind and not self._view.blindness.is_on:
            self._window.take_preferences({"is_blind": True})
        self._judge(deciding)

    def _judge(self, deciding: Deciding) -> None:
        self.stop()
        self.deciding, self._likely, self._guessed_at = deciding, None, -1
        order = LED_BY_STAKE if deciding.to_certainty else N_("Order: drawn by lot")
        self._queue = StakeQueue(
            self._view, (), self._owner, more=self._next, tell=deciding.facts, order=order
        )
        self._follow(deciding, self._queue)
        self._start(self._queue)

    def _follow(self, deciding: Deciding, queue: StakeQueue) -> None:
        asked = deciding.question
        self._compared.look_at(asked.first, asked.second, asked.measure)
        queue.moved.connect(lambda _place, _total: self._show_standing())
        queue.went_back.connect(self._show_standing)
        queue.ended.connect(lambda _done, _total: self._end(deciding))
        deciding.session.changed.connect(self._on_changed)

    def take_up(self, deciding: Deciding, queue: StakeQueue) -> StakeQueue | None:
        """Go on with what was being decided before the project was opened anew.

        Args:
            deciding: as it stood.
            queue: that led through it.

        Returns:
            What leads on from there; ``None`` where another's own grades alone count for it.
        """
        question, session = deciding.question, self._session
        if question.own not in {"", session.assessor}:
            return None
        again = Deciding(session, question, deciding.material)
        again.to_certainty = deciding.to_certainty
        self.deciding, self._likely, self._guessed_at = again, None, -1
        self._queue = queue.again(self._view, self._owner, more=self._next, tell=again.facts)
        self._follow(again, self._queue)
        return self._queue

    def stop(self) -> None:
        """Let grades lead where they led before; it goes on when the same is asked again."""
        if self._queue is not None:
            self._queue.stop()

    # Going on with what was begun

    def tell_open(self) -> None:
        """Say that something is being decided, and how far it is; nothing where nothing is."""
        self._find_last(self._tell_open)

    def go_on(self) -> None:
        """Go on with what was asked last, as it was drawn, or show again what came of it."""
        if not self._can_write() or self.deciding is not None:
            return
        if not self._find_last(self._go_on):
            self._say(_("Nothing is being decided.") + self._key_begins)

    def _find_last(self, take: Callable[[DecideQuestion, DecideMaterial], None]) -> bool:
        """Find beside the window what was asked last; return whether anything was."""
        session = self._session
        known = {each.key for each in present_systems(session)}
        asked = [
            each
            for each in load_questions(session)
            # Nobody else's grades would move what goes by one person's own.
            if {each.first.key, each.second.key} <= known and each.own in {"", session.assessor}
        ]
        if not asked:
            return False
        question = asked[-1]
        work = question_work(session, question)

        def found(material: DecideMaterial) -> None:
            if self._window.session is session and self.deciding is None:
                take(question, material)

        self._window.jobs.submit(
            lambda handle: work(None, handle.is_cancelled),
            found,
            lambda _problem: None,
            key="decide/last",
            owner=self._owner,
        )
        return True

    def _tell_open(self, question: DecideQuestion, material: DecideMaterial) -> None:
        if material.digest != question.digest:
            return
        standing = Deciding(self._session, question, material).standing()
        what = f"{title_of(question)}: {how_far_text(standing)}"
        # Who judged blind to the stop may not have seen what came of it.
        if standing.ending is None or self._view.blindness.is_on:
            start = _("Not decided yet") if standing.ending is None else _("At its stop")
            key = self._window.actions_by_name.shown_key("compare.decide_on")
            self._window.status.show_message(
                f"{start}: {what}.",
                stays=True,
                action="decide_on",
                action_text=_("Go on ({key})").format(key=key) if key else _("Go on"),
                shorter=(f"{start}: {how_far_text(standing)}.", f"{start}."),
            )

    def _go_on(self, question: DecideQuestion, material: DecideMaterial) -> None:
        if material.digest != question.digest:
            self._say(_("Runs, measure, scale or conventions are others now.") + self._key_begins)
            return
        self.attempt(partial(self._lead, question, material))

    @property
    def _key_begins(self) -> str:
        key = self._window.actions_by_name.shown_key("compare.decide")
        return " " + _("{key} begins.").format(key=key) if key else ""

    def _next(self) -> Pair | None:
        deciding, queue = self.deciding, self._queue
        try:
            while deciding is not None and queue is not None:
                pair = deciding.next_pair()
                if pair is None or queue.can_show(pair):
                    return pair
                deciding.leave_out(pair)
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        return None

    def _on_changed(self, changed: Changed) -> None:
        deciding = self.deciding
        if deciding is None:
            return
        if changed.is_material or changed.values & _ENDS:
            self.stop()
            self._say(_("What is decided on has changed.") + self._key_begins)
        else:
            deciding.take_change(changed)

    def _end(self, deciding: Deciding) -> None:
        self.deciding, self._queue = None, None
        deciding.session.changed.disconnect(self._on_changed)
        if self._window.session is not deciding.session:
            return
        self._window.status.clear_message()
        if deciding.standing().ending is not None:
            # The key that led here is answered first.
            QTimer.singleShot(0, self._owner, partial(self._show_end, deciding))
        else:
            self._compared.look_as_before()
            key = self._window.actions_by_name.shown_key("compare.decide_on")
            far = how_far_text(deciding.standing())
            self._say(
                _("Not decided yet, {far}: {key} goes on with it.").format(
                    far=far, key=key or _("Compare ▸ Go on deciding")
                )
            )

    # The line

    def _show_standing(self) -> None:
        deciding = self.deciding
        if deciding is None:
            return
        self._guess(deciding)
        standing = deciding.standing()
        is_blind, names = self._view.blindness.is_on, deciding.question.names
        said = standing_texts(standing, self._likely, is_blind=is_blind, names=names)
        shares = evidence_shares(standing, is_blind=is_blind)
        self._window.status.show_message(said[0], stays=True, shares=shares, shorter=said[1:])

    def _guess(self, deciding: Deciding) -> None:
        n_draws = len(deciding.attempt.draws)
        if n_draws // _EVERY == self._guessed_at:
            return
        self._guessed_at = n_draws // _EVERY
        prospect: Prospect | None = deciding.attempt.prospect()
        if prospect is None:
            self._likely = None
            return
        self._window.jobs.submit(
            lambda _handle: prospect.likely_left(),
            partial(self._take_guess, deciding),
            lambda _problem: None,
            key="decide/likely",
            owner=self._owner,
        )

    def _take_guess(self, deciding: Deciding, likely: tuple[int, int]) -> None:
        if deciding is self.deciding:
            self._likely = likely
            self._show_standing()

    # The stop

    def _show_end(self, deciding: Deciding) -> None:
        """Say how it ended, unless its project was left meanwhile."""
        standing = deciding.standing()
        if standing.ending is None or self._window.session is not deciding.session:
            return
        blindness = self._view.blindness
        on = () if standing.ending.is_certain else (Choice("certain", _("Go on to certainty")),)
        if not blindness.is_on:
            choices = (Choice("report", _("Report…")), *on, Choice("end", _("Done")))
        elif blindness.is_required:
            choices = (*on, Choice("later", _("Done")))
        else:
            choices = (*on, Choice("reveal", _("End, and show which")))
        answer = self._window.prompter.ask(
            stop_text(deciding, blindness),
            choices,
            title=title_of(deciding.question),
            put_off=_("Later") if blindness.is_on and not blindness.is_required else "",
        )
        if answer == "certain":
            deciding.to_certainty = True
            self._judge(deciding)
        elif answer == "report":
            self.attempt(partial(self._report, deciding))
        elif answer == "reveal":
            self._window.take_preferences({"is_blind": False})
            self._show_end(deciding)

    def _report(self, deciding: Deciding) -> None:
        suggested = self._session.path.with_name("decision.md")
        kinds = (FileKind("Markdown", (".md",)),)
        path = self._window.prompter.choose_place(_("Write report"), suggested, kinds=kinds)
        if path is not None:
            check_not_project(path, self._session)
            write_atomically(path, [decision_page(deciding)])
            self._say(_("Written: {name}.").format(name=path.name))


def _proposed(
    systems: Sequence[System], first: System | None, second: System | None
) -> tuple[System, System]:
    """Return the two that are compared, or the first two of the present."""
    one = first if first in systems else systems[0]
    others = [each for each in systems if each != one]
    return (one, second if second in others else others[0])  # type: ignore[return-value]


# In words


def goes_by_stake(material: DecideMaterial) -> bool:
    """Return whether drawing saves nothing: whole queries, and few of them."""
    return material.units.are_queries and material.n_queries <= FEW_QUERIES


def counted_text(material: DecideMaterial) -> str:
    """Return what can be drawn, and out of how much."""
    units = material.units
    n_open = int(units.is_open.sum())
    what = number_of(len(units), "{n} pair can be drawn", "{n} pairs can be drawn")
    if units.are_queries:
        what = number_of(len(units), "{n} query can be drawn", "{n} queries can be drawn")
    said = number_of(
        material.n_pool,
        "{what}; {open} of the {n} document of their pool are open and count.",
        "{what}; {open} of the {n} documents of their pool are open and count.",
        what=what,
        open=format_count(n_open),
    )
    if goes_by_stake(material):
        why = _(
            "Drawing whole queries saves nothing where there are {count} or fewer: documents come by "
            "stake, either way, until it is certain."
        ).format(count=FEW_QUERIES)
        return f"{said} {why}"
    return said


def counting_text(view: str, own: str) -> str:
    """Return by which judgments it is decided, whatever else is shown meanwhile."""
    return _("Judgments that count: {view}.").format(view=view_title(view, own))


def evidence_shares(standing: DecideStanding, *, is_blind: bool) -> tuple[float, ...]:
    """Return how far the evidence of either side is, by its logarithm, 0 to 1; blind the greater one."""
    of_wanted = math.log(standing.wanted)
    shares = [
        min(1.0, math.log(max(each, 1.0)) / of_wanted) if of_wanted > 0 else 1.0
        for each in standing.evidence
    ]
    return (max(shares),) if is_blind else tuple(shares)


def title_of(question: DecideQuestion) -> str:
    """Return what is decided, in a few words."""
    return _("{run} or {other}, by {measure}").format(
        run=question.names[0], other=question.names[1], measure=question.measure
    )


def how_far_text(standing: DecideStanding) -> str:
    """Return how much is judged for a decision, and how much may still have to be."""
    judged, left = format_count(standing.n_judged), format_count(standing.n_left)
    return _("{judged} judged, at most {left} more").format(judged=judged, left=left)


def stop_text(deciding: Deciding, blindness: Blindness) -> str:
    """Return what stands there at a stop; to who judges blind it does not say which is better."""
    standing, question = deciding.standing(), deciding.question
    if standing.ending is None:
        return ""
    share = 100 * standing.n_judged / (deciding.material.n_pool or 1)
    of = _("It speaks of these queries, this pool and these grades.")
    judged = counting_text(question.view, question.own)
    cost = number_of(
        standing.n_judged,
        "{n} judgment for it, {share} % of the pool of both.",
        "{n} judgments for it, {share} % of the pool of both.",
        share=f"{share:.0f}",
    )
    if not blindness.is_on:
        said = _("The difference is {difference}.").format(difference=difference_text(standing))
        rest = " ".join(filter(None, (cost, said, of, judged, apart_text(question))))
        return f"{ending_text(question, standing.ending)}\n\n{rest}"
    said = (
        _("The project asks you to judge blind: who leads it sees in Compare which one.")
        if blindness.is_required
        else _(
            "You judge blind. Going on stays blind; ending it shows which one, and ends blind mode."
        )
    )
    return f"{_without_names(question, standing.ending)}\n\n{cost} {said}"


def _without_names(question: DecideQuestion, ending: Ending) -> str:
    """Return what a stop says to who judges blind: that one is better, and not which."""
    names = (_("one of the two"), _("the other"))
    return ending_text(question, ending._replace(winner=1 if ending.winner else 0), names)


def attempt_text(question: DecideQuestion, standing: DecideStanding, *, is_blind: bool) -> str:
    """Return how an attempt stands that was begun: that it goes on, or what it came to.

    Args:
        question: as it was asked.
        standing: how it stands.
        is_blind: whether it is not said which of the two is better.
    """
    number, far = question.number, how_far_text(standing)
    if standing.ending is None:
        said = _("Attempt {number} was begun, and goes on as it was drawn:").format(number=number)
        return f"{said} {far}. {apart_text(question)}".rstrip()
    decided = (_without_names if is_blind else ending_text)(question, standing.ending)
    said = _("Attempt {number} has stopped, {far}.").format(number=number, far=far)
    return " ".join(filter(None, (said, decided, apart_text(question))))


def standing_texts(
    standing: DecideStanding,
    likely: tuple[int, int] | None,
    *,
    is_blind: bool,
    names: tuple[str, str] = ("A", "B"),
) -> tuple[str, ...]:
    """Return how a decision stands, in one line; blind it names no side.

    The first says all; of the others, for where there is less room, each says less.

    Args:
        standing: how it stands.
        likely: between how many judgments will likely do; ``None`` where nobody can say.
        is_blind: whether the assessor judges blind.
        names: what A and B are called; the first text alone has room for it.
    """
    first, second = standing.evidence
    numbers = {
        "first": evidence_text(first),
        "second": evidence_text(second),
        "wanted": local_number(f"{standing.wanted:g}"),
    }
    short = _("A {first} · B {second} of {wanted}").format(**numbers)
    whole = _("{a} {first} · {b} {second} of {wanted}").format(a=names[0], b=names[1], **numbers)
    least, most = map(local_number, signed_ends(standing.low, standing.high, 2))
    certain, guess = _("certainly {low} … {high}").format(low=least, high=most), ""
    if is_blind:
        evidence = evidence_text(max(first, second))
        short = _("{evidence} of {wanted}").format(evidence=evidence, wanted=numbers["wanted"])
        whole, certain = short, ""
    evidence, far = _("Evidence {short}").format(short=short), how_far_text(standing)
    if likely is not None:
        # It was worked out some judgments ago: never more than can be left now.
        low, high = (format_count(min(number, standing.n_left)) for number in likely)
        guess = (
            _("likely {low}–{high} more").format(low=low, high=high)
            if low != high
            else _("likely {low} more").format(low=low)
        )
    named = _("Evidence {short}").format(short=whole)
    lines = (
        (named, certain, far, guess),
        (evidence, certain, far, guess),
        (evidence, far, guess),
        (evidence, far),
        (short, far),
    )
    texts = [" │ ".join(filter(None, line)) for line in lines]
    left = _("≤ {count} left").format(count=format_count(standing.n_left))
    return tuple(dict.fromkeys((*texts, f"{short} │ {left}", short)))
