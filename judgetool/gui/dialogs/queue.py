"""The queue: what is to be judged, in which order and by whom; and grading many of it at once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of, some_of
from judgetool.core.terms import beginning, one_line
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    combo,
    edit,
    field_label,
    name_switch,
    number,
    on_change,
    push_button,
    switch,
)
from judgetool.gui.dialogs.choose import choose_by_key, name_problem
from judgetool.gui.dialogs.framed_list import framed
from judgetool.gui.dialogs.project_values import parse_names
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_count, format_grade, isolated
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.painted import in_column, scroll_area
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.session.commands import SetValues, WriteAsks
from judgetool.session.edits import BulkPlan, plan_bulk, unjudged_below
from judgetool.session.pool import PoolPolicy, describe_pool
from judgetool.session.queue import (
    ORDER_TITLES,
    OWN_ORDER_KEY,
    OrderKind,
    OrderPolicy,
    choose_pool,
    judgments_left,
    order_of,
    preview_pool,
    read_pool_file,
    set_order,
)
from judgetool.session.reading_aids import NEUTRAL, blind_order
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
from judgetool.wording import N_, _, in_words, local_number, pgettext, quoted

MOST_DEPTH, MOST_SEED = 100_000, 2_147_483_647


_REST_MS = 120

ORDER_HELP: dict[OrderKind, str] = {
    "rank": N_("As the run that is shown ranks them; what it lacks comes last."),
    "id": N_("Alphabetical by document id: says nothing of the systems."),
    "random": N_(
        "By chance, another order for each assessor; the same seed gives the same "
        "order on every machine."
    ),
    "interleaved": N_("Runs in turn, each with its best document that is not yet there."),
    "move_to_front": N_(
        "Runs that keep giving relevant documents go first; found soonest, "
        "but it follows what was judged (Cormack, Palmer and Clarke, SIGIR 1998)."
    ),
    "stake": N_("First what could still change the first measure’s values most."),
}
"""One sentence on each order."""


class QueueDialog(ActDialog):
    """Order and pool, with what they mean in numbers before they are taken.

    Args:
        session: the project.
        prompter: asks for a file.
        is_blind: whether no run is named, and only orders that tell nothing of runs are offered.
    """

    def __init__(self, session: Session, prompter: Prompter, *, is_blind: bool = False) -> None:
        super().__init__(_("Queue"), verb=_("Use this queue"), width=680)
        self._session = session
        self._is_blind = is_blind
        self._order = blind_order(session) if is_blind else order_of(session)
        self._prompter = prompter
        self._from_file: PoolPolicy | None = None
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.show_preview)
        self._add_order(self._order)
        self._add_pool(session.pool_choice.policy)
        self.preview = self.add_text(ink="text")
        self.left = self.add_text()
        self.body.addStretch(1)
        self._on_order()
        self.show_preview()

    # The order

    def _add_order(self, now: OrderPolicy) -> None:
        self.add_head(_("In which order"))
        kinds = NEUTRAL if self._is_blind else ORDER_TITLES
        self.order = combo([(_(ORDER_TITLES[kind]), kind) for kind in kinds], now.kind)
        self.seed = number(0, MOST_SEED, now.seed)
        self._seed_label = field_label(_("&Seed"), self.seed)
        self._seed_label.setContentsMargins(12, 0, 0, 0)
        self.add_line(_("&Order"), self.order, self._seed_label, self.seed, None)
        self.help = self.add_text()
        self.help.setMinimumHeight(2 * scaled(18))
        self.help.setAlignment(Qt.AlignmentFlag.AlignTop)
        name = self._session.assessor
        self.unjudged_first = self.add_switch(
            _("&Unjudged documents first"), is_on=now.unjudged_first
        )
        self.across = self.add_switch(
            _("&Across queries: the next document may be another query’s"), is_on=now.across_queries
        )
        self.only_mine = self.add_switch(
            _("Only for {name}; others keep the project’s order").format(name=name),
            is_on=self._session.value(OWN_ORDER_KEY + name) is not None,
        )
        self.only_mine.setVisible(bool(name))
        on_change(self._on_order, self.order)

    def _on_order(self) -> None:
        kind: OrderKind = self.order.currentData()
        self.help.setText(_(ORDER_HELP[kind]))
        for widget in (self.seed, self._seed_label):
            widget.setEnabled(kind == "random")

    @property
    def order_policy(self) -> OrderPolicy:
        """The order as it is chosen."""
        return OrderPolicy(
            self.order.currentData(),
            self.seed.value(),
            self.unjudged_first.isChecked(),
            self.across.isChecked(),
        )

    # The pool

    def _add_pool(self, now: PoolPolicy) -> None:
        self.body.addSpacing(6)
        self.add_head(_("What is to be judged"))
        options = (
            {
                "as_is": _("As it is: {pool}").format(
                    pool=describe_pool(now, is_blind=self._is_blind)
                )
            }
            if now.is_frozen
            else {}
        )
        options |= {
            "depth": _("The first ranks of the runs"),
            "unjudged": _("What is unjudged in those ranks now; judging does not shrink it"),
            "all": _("Everything that the runs ranked"),
        }
        self.choices = self.add_radios(options, None)
        self.kinds = self.choices.by_name
        self.choose_file = push_button(_("Choose a file…"), self._choose_file)
        self.add_line(self.choices.add("file", _("The pairs of a file")), self.choose_file, None)
        self.kinds["as_is" if now.is_frozen else now.kind].setChecked(True)
        self.ranks = number(1, MOST_DEPTH, min(now.depth, MOST_DEPTH))
        self.add_line(_("Ran&ks"), self.ranks, None)
        self._add_runs(now.runs)
        on_change(self._rest.start, self.choices, self.ranks, *self.runs.values())

    def _add_runs(self, chosen: Sequence[str]) -> None:
        """Add a box for each run, all checked where all count."""
        names = [run.name for run in self._session.material.runs]
        self.runs = {name: name_switch(name, is_on=not chosen or name in chosen) for name in names}
        is_shown = len(self.runs) > 1 and not self._is_blind
        _add_switches(self, _("Runs that count"), self.runs, is_shown=is_shown)

    def _choose_file(self) -> None:
        path = self._prompter.choose_file(_("A pool: a query id and a document id in each line"))
        if path is not None:
            self.take_file(path)

    def take_file(self, path: Path) -> None:
        """Take the pairs of a file, or say why it cannot be read."""
        try:
            self._from_file = read_pool_file(path)
        except JudgetoolError as problem:
            self._prompter.tell(str(problem))
            return
        self.choose_file.setText(one_line(path.name, most=40))
        self.kinds["file"].setChecked(True)
        self._rest.start()

    @property
    def pool_policy(self) -> PoolPolicy | None:
        """The pool as it is chosen; ``None`` leaves it as it is, or lacks its file."""
        kind = self.choices.current
        if kind == "as_is":
            return None
        if kind == "file":
            return self._from_file
        chosen = tuple(name for name, box in self.runs.items() if box.isChecked())
        runs = () if len(chosen) == len(self.runs) else chosen
        found = next(each for each in ("depth", "all", "unjudged") if each == kind)
        return PoolPolicy(found, self.ranks.value(), runs)

    # What it means

    def show_preview(self) -> None:
        """Say how many documents the pool would have, and what is left to judge."""
        self._rest.stop()
        is_bare = self.kinds["file"].isChecked() and self._from_file is None
        has_run = any(box.isChecked() for box in self.runs.values())
        if is_bare:
            self.show_lack(_("Choose the file with the pairs."))
        elif self.runs and not has_run:
            self.show_lack(_("Check at least one run."))
        else:
            self.show_problem("")
            self._count()
        self.left.setText(describe_left(self._session))
        has_runs = not is_bare and not any(
            name in self.kinds and self.kinds[name].isChecked() for name in ("as_is", "file")
        )
        for box in self.runs.values():
            box.setEnabled(has_runs)
        self.ranks.setEnabled(has_runs and not self.kinds["all"].isChecked())

    def _count(self) -> None:
        policy = self.pool_policy or self._session.pool_choice.policy
        is_loose = policy.kind == "unjudged" and not policy.pairs
        # What is unjudged there is counted without fixing it, which takes its time.
        counted = PoolPolicy("depth", policy.depth, policy.runs) if is_loose else policy
        total, n_open = preview_pool(self._session, counted)
        if policy.kind == "unjudged" and not n_open:
            self.show_lack(_("Nothing is unjudged there. Choose more ranks."))
        self.preview.setText(
            _("This pool: {total} documents to judge, {n_open} of them unjudged.").format(
                total=format_count(n_open if is_loose else total), n_open=format_count(n_open)
            )
        )

    @property
    def answer(self) -> SetValues | None:
        """The command that changes what is other than before; ``None`` when nothing is.

        Raises:
            CommandRefusedError: the pool would have no documents.
        """
        session = self._session
        values: dict[str, Any] = {}
        titles: list[str] = []
        name, order = session.assessor, self.order_policy
        is_mine = bool(name) and self.only_mine.isChecked()
        had_own = bool(name) and session.value(OWN_ORDER_KEY + name) is not None
        if order != self._order or is_mine != had_own:
            command = set_order(order, assessor=name if is_mine else None)
            values |= command.values
            titles.append(command.title)
            if had_own and not is_mine:
                values[OWN_ORDER_KEY + name] = None
        policy = self.pool_policy
        if policy is not None and (policy != session.pool_choice.policy or policy.is_frozen):
            command = choose_pool(session, policy)
            values |= command.values
            titles.append(command.title)
        return SetValues(values, "; ".join(titles)) if values else None


def _add_switches(
    dialog: ActDialog, head: str, switches: Mapping[str, QCheckBox], *, is_shown: bool
) -> None:
    """Put switches under each other into a frame; more than four scroll."""
    content = QWidget()
    margins = (scaled(8), scaled(6), scaled(8), scaled(6))
    in_column(*switches.values(), None, host=content, spacing=scaled(4), margins=margins)
    area = scroll_area(content)
    framed(area).setFixedHeight(scaled(24) * min(4, max(1, len(switches))) + scaled(14))
    for widget in (field_label(head, area), area):
        widget.setVisible(is_shown)
        dialog.put(widget)


def describe_left(session: Session, k: int = 10) -> str:
    """Return in a sentence what is left to reach Judged@k = 1 for all runs."""
    left = judgments_left(session, k)
    if not left.total:
        return _("No run has documents yet.")
    names = some_of([_named_query(session, query) for query in left.short[:3]], len(left.short))
    ends = number_of(
        left.cannot,
        "Judged@{k} will end below 1 (lowest: {lowest}) for {names}: {n} document cannot be judged.",
        "Judged@{k} will end below 1 (lowest: {lowest}) for {names}: {n} documents cannot be judged.",
        k=k,
        lowest=local_number(f"{left.lowest:.2g}"),
        names=names,
    )
    if left.is_done and left.cannot:
        said = _("The first {k} ranks of all runs are judged as far as they can be.").format(k=k)
        return f"{said} {ends}"
    if left.is_done:
        return _("Judged@{k} is 1 for all runs: their first {k} ranks are all judged.").format(k=k)
    pairs, queries = (
        number_of(left.pairs, "{n} judgment", "{n} judgments"),
        number_of(left.queries, "{n} query", "{n} queries"),
    )
    if left.cannot:
        said = _("{pairs} left in the first {k} ranks of all runs, in {queries}.")
        return f"{said.format(pairs=pairs, k=k, queries=queries)} {ends}"
    return _("{pairs} left to reach Judged@{k} = 1 for all runs, in {queries}.").format(
        pairs=pairs, k=k, queries=queries
    )


def _named_query(session: Session, query: int) -> str:
    asked = session.material.queries[query]
    return quoted(beginning(asked.text or asked.id, most=40))


class BelowDialog(ActDialog):
    """Asks for the grade of all unjudged documents below, and says how many would get it.

    Args:
        session: the project.
        query: number of the query.
        documents: what is listed, in order.
        place: of the current document.
    """

    answers_by_enter = True

    def __init__(
        self, session: Session, query: int, *, documents: Sequence[int], place: int
    ) -> None:
        super().__init__(_("Grade all unjudged below"), verb=pgettext("verb", "Grade"))
        self._session, self._query = session, query
        self._listed, self._place = list(documents), place
        text = session.material.queries[query].text or session.material.queries[query].id
        self.add_text(
            _("Documents of ‘{text}’, one step that one Undo takes back.").format(text=text),
            ink="text",
        )
        titles = {level.grade: level.titled for level in session.scale.levels}
        self.choices = self.add_radios(titles, None)
        self.with_current = self.add_switch(
            _("The current document, too, if it is unjudged"), is_on=False
        )
        self.body.addStretch(1)
        self.follow(self._show, self.choices, self.with_current)

    @property
    def _documents(self) -> list[int]:
        place = self._place - 1 if self.with_current.isChecked() else self._place
        return unjudged_below(self._session, self._query, self._listed, place)

    @property
    def answer(self) -> BulkPlan | None:
        """What would be done; ``None`` until a grade is chosen."""
        grade = self.choices.current
        if grade is None:
            return None
        return plan_bulk(self._session, self._query, self._documents, grade)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a grade by its digit."""
        named = {format_grade(grade): button for grade, button in self.choices.by_name.items()}
        if not choose_by_key(event, named):
            super().keyPressEvent(event)

    def _show(self) -> None:
        count = len(self._documents)
        plan = self.answer
        documents = number_of(count, "{n} document", "{n} documents")
        verb = number_of(count, "Grade {n} document", "Grade {n} documents")
        self.verb.setText(verb if count else pgettext("verb", "Grade"))
        if not count:
            self.show_lack(_("Nothing below is unjudged."))
        elif plan is None:
            self.show_lack(_("{documents}. Choose the grade.").format(documents=documents))
        else:
            self.show_lack("", remark=describe_plan(plan))


def describe_plan(plan: BulkPlan) -> str:
    """Return what grading several would do: ``5 unjudged, 2 would change from 3.``.

    Each document is counted once.
    """
    n_open, parts = plan.changes - plan.cannot_judge, []
    if n_open:
        parts.append(_("{count} unjudged").format(count=format_count(n_open)))
    if plan.cannot_judge:
        said = _("{count} said to be impossible to judge")
        parts.append(said.format(count=format_count(plan.cannot_judge)))
    if plan.regraded:
        if len(plan.regraded) == 1:
            (old,) = plan.regraded
            changes = _("from {grade}").format(grade=format_grade(old))
        else:
            changes = ", ".join(
                _("{count} from {grade}").format(count=format_count(n), grade=format_grade(old))
                for old, n in plan.regraded.items()
            )
            changes = f"({changes})"
        parts.append(
            _("{count} would change {changes}").format(
                count=format_count(plan.n_regraded), changes=changes
            )
        )
    if plan.already:
        parts.append(_("{count} have it already").format(count=format_count(plan.already)))
    return ", ".join(parts) + "."


# Who is asked

_EACH: dict[AskEach, str] = {
    "query": N_("a &query with its documents"),
    "document": N_("a &document"),
}
_NOBODY = N_("Choose at least one assessor.")
_COUNTING = N_("Sharing out…")
_MOST_NAME, _MOST_OPINIONS = 80, 9
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
        self.show_preview()

    def _add_people(self, known: list[str]) -> None:
        texts = (one_line(name, most=_MOST_NAME).replace("&", "&&") for name in known)
        self.people = {
            name: switch(text, is_on=False) for name, text in zip(known, texts, strict=True)
        }
        _add_switches(self, _("Known in this project"), self.people, is_shown=bool(known))
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
        said = found.describe()
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

    Attributes:
        answer: the command that hands it over; ``None`` while there is none.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(_("Hand over"), verb=_("Hand over"))
        self._session = session
        self.answer: WriteAsks | None = None
        self.add_text(
            _(
                "What one assessor is asked and has not judged goes to another. What they have judged "
                "stays theirs."
            )
        )
        options = []
        for each in list_asked_states(session):
            name, left = one_line(each.assessor, most=_MOST_NAME), format_count(each.left)
            if each.left:
                text = _("{name}, {left} open").format(name=name, left=left)
                options.append((isolated(text), each.assessor))
        self.giver = self.add_field(_("&From"), combo(options))
        known = [name for name in list_people(session) if name != self.giver.currentData()]
        self.taker = self.add_field(_("&To"), edit(hint=", ".join(known[:3]) or "ben"))
        self.preview = self.add_text(ink="text")
        self.preview.setMinimumHeight(2 * scaled(18))
        self.body.addStretch(1)
        self.first = self.taker
        self.follow(self._show, self.giver, self.taker)

    def _show(self) -> None:
        self.answer = None
        giver, taker = str(self.giver.currentData() or ""), self.taker.text().strip()
        self.preview.setText("")
        if not taker:
            self.show_lack(_("Name who gets it."))
            return
        try:
            problem = name_problem(taker)
            self.answer = None if problem else hand_over(self._session, giver, taker)
        except JudgetoolError as refusal:
            problem = str(refusal)
        self.show_problem(problem)
        if self.answer is not None:
            self.preview.setText(_describe(self.answer, taker))
            self.show_remark(_("One Undo takes it back."))


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
