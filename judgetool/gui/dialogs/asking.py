"""Asking assessors, and handing over what is open: who, how much, and what it comes to."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QWidget

from judgetool.core.number_text import number_of
from judgetool.core.terms import one_line
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    combo,
    edit,
    field_label,
    number,
    on_change,
    switch,
)
from judgetool.gui.dialogs.choose import name_problem
from judgetool.gui.dialogs.framed_list import framed
from judgetool.gui.dialogs.project_values import parse_names
from judgetool.gui.dialogs.queue import MOST_SEED
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_count, isolated
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.painted import in_column, scroll_area
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.session.commands import WriteAsks
from judgetool.session.session import Session
from judgetool.session.team.asking import (
    AskEach,
    Asking,
    AskPlan,
    AskWishes,
    hand_over,
    list_asked_states,
    list_people,
)
from judgetool.wording import N_, _, in_words

_EACH: dict[AskEach, str] = {
    "query": N_("a &query with its documents"),
    "document": N_("a &document"),
}
_NOBODY = N_("Choose at least one assessor.")
_COUNTING = N_("Sharing out…")
_REST_MS, _MOST_NAME, _MOST_OPINIONS = 120, 80, 9
# Of more documents than this, sharing out would be felt.
_MOST_AT_ONCE = 3_000
_JOB = "share out"


class AskDialog(ActDialog):
    """Who is asked, as what, by how many and what comes again; and what that comes to.

    Args:
        session: the project.
        jobs: where very much is shared out; ``None`` does it at once.

    Attributes:
        plan: what would be asked; ``None`` while it is not known, or cannot be.
    """

    def __init__(self, session: Session, jobs: Jobs | None = None) -> None:
        super().__init__(_("Ask assessors"), verb=_("Ask"), width=640)
        self._jobs = jobs
        self._handle: JobHandle | None = None
        self._asking = Asking(session)
        self.plan: AskPlan | None = None
        self.add_text(
            _(
                "Whoever is asked sees only that, each document unjudged until they judge it, and "
                "nothing that others said of it."
            )
        )
        self._add_people(list_people(session))
        self.add_head(_("An assessor gets as a whole"))
        self.each = self.add_radios(in_words(_EACH), "query")
        self.share = number(0, 100, 20, unit=" %", width=84)
        self.opinions = number(1, _MOST_OPINIONS, 2, width=64)
        self.repeat = number(0, 100, 5, unit=" %", width=84)
        self.seed = number(0, MOST_SEED, DEFAULT_SEED)
        self.add_head(_("Each document once, and besides"))
        self.add_line(
            _("&Share of all"), self.share, _("judged by so &many assessors"), self.opinions, None
        )
        self.add_line(
            _("Share of each one’s that comes &again"), self.repeat, _("S&eed"), self.seed, None
        )
        self.preview = self.add_text(ink="text")
        self.preview.setMinimumHeight(2 * scaled(18))
        self.body.addStretch(1)
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.show_preview)
        fields = (self.each, self.share, self.opinions, self.repeat, self.seed, self.names)
        on_change(self._on_change, *fields, *self.people.values())
        self.first = next(iter(self.people.values()), self.names)
        self.show_preview()

    def _add_people(self, known: list[str]) -> None:
        self.people: dict[str, QCheckBox] = {}
        content = QWidget()
        for name in known:
            text = one_line(name, most=_MOST_NAME).replace("&", "&&")
            self.people[name] = switch(text, is_on=False)
        margins = (scaled(8), scaled(6), scaled(8), scaled(6))
        in_column(*self.people.values(), None, host=content, spacing=scaled(4), margins=margins)
        area = scroll_area(content)
        framed(area).setFixedHeight(scaled(24) * min(4, max(1, len(known))) + scaled(14))
        for widget in (field_label(_("Known in this project"), area), area):
            widget.setVisible(bool(known))
            self.put(widget)
        others = _("&Others, separated by commas") if known else _("&Names, separated by commas")
        self.names = self.add_field(others, edit(hint="anna, ben"))

    @property
    def wishes(self) -> AskWishes:
        """What is asked for, as it stands."""
        chosen = [name for name, box in self.people.items() if box.isChecked()]
        to = tuple(dict.fromkeys((*chosen, *parse_names(self.names.text()))))
        return AskWishes(
            to,
            self.each.current or "query",
            max(1, min(self.opinions.value(), len(to))),
            self.share.value() / 100,
            self.repeat.value() / 100,
            self.seed.value(),
        )

    def _few_names(self) -> str:
        """Return a sentence where more opinions are wished for than people are named."""
        n_names, n_opinions = len(self.wishes.to), self.opinions.value()
        if not self.share.value() or n_names >= n_opinions:
            return ""
        return number_of(
            n_names,
            "{opinions} opinions need as many assessors; 1 is named: each document is judged once.",
            "{opinions} opinions need as many assessors; {n} are named: at most {n} judge each.",
            opinions=n_opinions,
        )

    def _on_change(self) -> None:
        # What is shown does not hold any more; nobody is to ask it meanwhile.
        self.plan = None
        self.show_lack(_(_COUNTING))
        self._rest.start()

    def show_preview(self) -> None:
        """Share out, and say what each would get; beside the window where that takes long."""
        self._rest.stop()
        if self._handle is not None:
            self._handle.drop()
            self._handle = None
        wishes, asking = self.wishes, self._asking
        if not wishes.to:
            self._show_none("", lack=_(_NOBODY))
            return
        problem = next((found for name in wishes.to if (found := name_problem(name))), "")
        if problem:
            self._show_none(problem)
        elif self._jobs is None or asking.size <= _MOST_AT_ONCE:
            self._take(_attempt(asking, wishes))
        else:
            self.show_lack(_(_COUNTING))
            self._handle = self._jobs.submit(
                lambda _handle: _attempt(asking, wishes), self._take, key=_JOB, owner=self
            )

    def _take(self, found: AskPlan | str) -> None:
        self._handle = None
        if isinstance(found, str):
            self._show_none(found)
            return
        self.plan = found
        said = isolated(found.describe())
        self.preview.setText("\n".join(filter(None, (said, self._few_names()))))
        if found.asks:
            self.show_lack("", remark=_("One Undo takes it back."))
        else:
            self.show_lack(_("All of this is asked already."))
        what = number_of(found.n_documents, "Ask {n} document", "Ask {n} documents")
        self.verb.setText(what if found.n_documents else _("Ask"))

    def _show_none(self, problem: str, *, lack: str = "") -> None:
        self.plan = None
        self.preview.setText("")
        self.verb.setText(_("Ask"))
        self.show_problem(problem or lack, ink="bad" if problem else "text2")

    @property
    def answer(self) -> WriteAsks | None:
        """The command that asks it; ``None`` where nothing is to be asked."""
        plan = self.plan
        return self._asking.command(plan) if plan is not None and plan.asks else None


def _attempt(asking: Asking, wishes: AskWishes) -> AskPlan | str:
    """Return the plan, or a sentence saying why there is none."""
    try:
        return asking.plan(wishes)
    except JudgetoolError as problem:
        return str(problem)


class HandOverDialog(ActDialog):
    """From whom, and to whom.

    Args:
        session: the project; somebody must have something open.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(_("Hand over"), verb=_("Hand over"))
        self._session = session
        self._command: WriteAsks | None = None
        self.add_text(
            _(
                "What one assessor is asked and has not judged goes to another. What they have judged "
                "stays theirs."
            )
        )
        options = [
            (
                isolated(
                    _("{name}, {left} open").format(
                        name=one_line(each.assessor, most=_MOST_NAME), left=format_count(each.left)
                    )
                ),
                each,
            )
            for each in list_asked_states(session)
            if each.left
        ]
        self.giver = self.add_field(_("&From"), combo([(text, e.assessor) for text, e in options]))
        known = [name for name in list_people(session) if name != self.giver.currentData()]
        self.taker = self.add_field(_("&To"), edit(hint=", ".join(known[:3]) or "ben"))
        self.preview = self.add_text(ink="text")
        self.preview.setMinimumHeight(2 * scaled(18))
        self.body.addStretch(1)
        self.first = self.taker
        on_change(self._show, self.giver, self.taker)
        self._show()

    def _show(self) -> None:
        self._command = None
        giver, taker = str(self.giver.currentData() or ""), self.taker.text().strip()
        self.preview.setText("")
        if not taker:
            self.show_lack(_("Name who gets it."))
            return
        try:
            problem = name_problem(taker)
            self._command = None if problem else hand_over(self._session, giver, taker)
        except JudgetoolError as refusal:
            problem = str(refusal)
        self.show_problem(problem)
        if self._command is not None:
            self.preview.setText(_describe(self._command, taker))
            self.show_remark(_("One Undo takes it back."))

    @property
    def answer(self) -> WriteAsks | None:
        """The command that hands it over."""
        return self._command


def _describe(command: WriteAsks, taker: str) -> str:
    """Return what handing over does: ``571 documents, 28 of them again; 12 of them …``."""
    moved = sum(not ask.is_open and not ask.is_again for ask in command.asks)
    fresh = sum(ask.is_open and not ask.is_again for ask in command.asks)
    again = sum(ask.is_open and ask.is_again for ask in command.asks)
    known = moved - fresh
    twice = _(", {again} of them again").format(again=format_count(again)) if again else ""
    more = (
        _("; {known} of them {taker} is asked or has judged already").format(
            known=format_count(known), taker=taker
        )
        if known
        else ""
    )
    return number_of(
        moved, "{n} document{twice}{more}.", "{n} documents{twice}{more}.", twice=twice, more=more
    )
