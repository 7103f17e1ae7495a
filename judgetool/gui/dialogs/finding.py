"""Lists to find something in: where to go by letters of a name, views kept, what was done, one's judgments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal

from judgetool.core.clock import local_moment, moment_text
from judgetool.core.judgments import CONFIDENCES, Judgment, State
from judgetool.core.number_text import number_of
from judgetool.core.terms import beginning, fold, one_line
from judgetool.gui.dialogs.act_dialog import ActDialog, Radios, combo, edit, on_change, push_button
from judgetool.gui.dialogs.framed_list import (
    ListRow,
    make_step_list,
    walk_from,
    with_words,
)
from judgetool.gui.jobs import Rest
from judgetool.gui.models.finders import describe_chip
from judgetool.gui.painting import enclosed, format_count, format_grade, judgment_style
from judgetool.gui.project_view import note_text, reason_text, start_of_day
from judgetool.gui.theme import current_theme, scaled
from judgetool.gui.widgets.fields import name_signs
from judgetool.gui.widgets.painted import announce
from judgetool.session.commands import SetValues
from judgetool.session.finding import (
    Filter,
    ReviewRow,
    delete_view,
    list_own_judgments,
    saved_views,
)
from judgetool.session.history import (
    HistoryRow,
    UndoneJudgment,
    UndoPreview,
    load_history,
    preview_undo_to,
    steps_left_out,
    title_in_words,
)
from judgetool.session.reading_aids import Blindness, alias_id
from judgetool.session.session import Session
from judgetool.wording import N_, _, own_words, quoted

MOST_SHOWN = 100
_MOST_TEXT = 160


class Goal(NamedTuple):
    """Something that one can go to.

    Attributes:
        title: what it is called.
        side: what kind of thing it is, its id or its key.
        go: goes there.
        found_by: further words of its name, such as its id, by which it is found.
    """

    title: str
    side: str
    go: Callable[[], object]
    found_by: str = ""


Search = Callable[[str], Iterable[Goal]]


class GoToDialog(ActDialog):
    """A field, and under it what its letters could mean; Enter goes there.

    Args:
        title: the act.
        hint: what the empty field says.
        goals: all that is known beforehand, in order.
        search: finds more by what is typed, such as an id of the whole project.
        lack: what is said where nothing is found.
        verb: what Enter does with the chosen one.

    Signals:
        told: what Enter would go to now, as a screen reader says it.
    """

    told = Signal(str)

    def __init__(
        self,
        title: str,
        hint: str,
        goals: Iterable[Goal],
        *,
        search: Search = lambda _typed: (),
        lack: str = "",
        verb: str = "",
    ) -> None:
        super().__init__(title, verb=verb or _("Go"), width=640)
        self._lack, self._told = lack or _("Nothing is called so."), ""
        self._goals = [
            (goal, _words_of(f"{goal.title} {goal.found_by}"), _words_of(goal.side))
            for goal in goals
        ]
        self._search = search
        self._shown: list[Goal] = []
        self.field = self.put(edit(hint=hint, name=hint))
        self._rest = Rest(self)
        self.field.textChanged.connect(self._take_typed)
        self.rows = self.add_list(make_step_list(_("What is meant")), height=320)
        walk_from(self.field, self.rows)
        self.rows.itemActivated.connect(self.accept)
        self._show()
        self.rows.currentRowChanged.connect(self._take_row)

    def _take_typed(self) -> None:
        self._rest.wait(self._tell)
        self._show()

    def _take_row(self) -> None:
        # While one types the first row is another with nearly every letter.
        if not self._rest.is_busy:
            self._tell()

    def _show(self) -> None:
        typed = self.field.text()
        met = list(self._find(typed))
        self._shown = met[:MOST_SHOWN]
        rows = [
            ListRow(place, one_line(goal.title, most=_MOST_TEXT), goal.side)
            for place, goal in enumerate(self._shown)
        ]
        self.rows.show_rows(rows)
        more = _("The first {most} of {count}.").format(
            most=MOST_SHOWN, count=format_count(len(met))
        )
        self.show_lack("" if met else self._lack, remark=more if len(met) > MOST_SHOWN else "")

    def _tell(self) -> None:
        """Say what Enter would go to: the keyboard stays in the field, so no focus says it."""
        row, count = self.rows.chosen, len(self._shown)
        told = (
            _("{title}, {side}, {place} of {count}").format(
                title=row.title, side=row.side, place=self.rows.currentRow() + 1, count=count
            )
            if row
            else ""
        )
        told = told or self._lack
        # Once: not at every further letter.
        if row or told != self._told:
            announce(self.field, told)
            self.told.emit(told)
        self._told = told

    def _find(self, typed: str) -> Iterator[Goal]:
        """Yield what begins so, then whose name holds all words, then what is found otherwise."""
        words = [fold(word) for word in typed.split()]
        start = " ".join(words)
        met = []
        for goal, name, side in self._goals:
            others = [word for word in words if word not in name]
            if all(word in side for word in others):
                met.append((not name.startswith(start), bool(others), goal))
        met.sort(key=lambda each: each[:2])
        yield from (goal for *__, goal in met)
        if words:
            known = {(goal.title, goal.side) for *__, goal in met}
            yield from (g for g in self._search(typed.strip()) if (g.title, g.side) not in known)

    @property
    def answer(self) -> Goal | None:
        """What was chosen; ``None`` where nothing is called so."""
        row = self.rows.chosen
        return None if row is None else self._shown[row.key]


def _words_of(text: str) -> str:
    return " ".join(map(fold, text.split()))


def describe_chips(chips: Sequence[Filter], session: Session) -> str:
    """Return filters in a line: ``Flagged · Grade 2, relevant``."""
    return " · ".join(describe_chip(chip, session.scale) for chip in chips)


class ViewNameDialog(ActDialog):
    """Asks for the name of a view.

    Args:
        chips: what is to be kept.
        session: the project that keeps it.
    """

    def __init__(self, chips: Sequence[Filter], session: Session) -> None:
        super().__init__(_("Save as view"), verb=_("Save view"))
        self._known = saved_views(session)
        self.add_text(describe_chips(chips, session))
        self.field = self.add_field(_("&Name"), edit())
        self.body.addStretch(1)
        self.follow(self._check, self.field)

    @property
    def answer(self) -> str:
        """The name as typed, blanks at its ends left out."""
        return " ".join(self.field.text().split())

    def _check(self) -> None:
        self.show_lack("" if self.answer else _("Type a name."))
        if self.answer in self._known:
            self.show_remark(_("This replaces the view ‘{answer}’.").format(answer=self.answer))


class ChosenView(NamedTuple):
    """A view, and the list that it is for."""

    chips: tuple[Filter, ...]
    is_for_queries: bool


class SavedViewsDialog(ActDialog):
    """The views of a project.

    Args:
        session: the project.
        execute: changes the project's own values.
        is_for_queries: the list that is offered first.
    """

    def __init__(
        self, session: Session, execute: Callable[[SetValues], None], *, is_for_queries: bool = True
    ) -> None:
        super().__init__(_("Saved views"), verb=_("Use view"), width=680)
        self._session = session
        self._execute = execute
        self.rows = self.add_list(make_step_list(_("Saved views")), height=220)
        titles = {True: _("For the list of queries"), False: _("For the documents of a query")}
        self.lists = Radios(titles, is_for_queries, self)
        self.add_line(*self.lists.by_name.values(), None, spacing=16)
        self.delete = self.add_to_foot(push_button(_("Delete view"), self._delete))
        self.rows.itemActivated.connect(self.accept)
        self._fill()

    def _fill(self) -> None:
        views = saved_views(self._session)
        rows = [
            ListRow(name, name, describe_chips(chips, self._session))
            for name, chips in views.items()
        ]
        self.rows.show_rows(rows)
        self.delete.setEnabled(bool(rows) and not self._session.read_only_reason)
        self.show_lack("" if rows else _("No view is saved."))

    def _delete(self) -> None:
        row = self.rows.chosen
        if row is not None:
            self._execute(delete_view(row.key))
            self._fill()
            if self.rows.count():
                self.show_remark(_("Deleted. Undo brings it back."))

    @property
    def answer(self) -> ChosenView | None:
        """The chosen view; ``None`` when none is left."""
        row = self.rows.chosen
        if row is None:
            return None
        chips = saved_views(self._session)[row.key]
        return ChosenView(chips, bool(self.lists.current))


# Looking back

PAGE = 200
_MOST_SHOWN = 6
_MOST_TITLE = 200
_MOST_NAMED = 60
_HOUR = 3_600_000
_SAID = {
    State.UNJUDGED: N_("unjudged"),
    State.SKIPPED: N_("skipped"),
    State.CANNOT_JUDGE: N_("cannot judge"),
}


def clock_text(at_ms: int, *, now_ms: int, today: str = "%H:%M:%S") -> str:
    """Return when something was: ``15:02:07`` today, else ``2026-11-20 15:02``."""
    moment, now = local_moment(at_ms), local_moment(now_ms)
    is_today = moment and now and moment.date() == now.date()
    return moment.strftime(today) if moment and is_today else moment_text(at_ms)


def said_text(judgment: Judgment | None) -> str:
    """Return what a judgment says in a word or two, such as ``2`` or ``cannot judge``."""
    if judgment is None:
        return _(_SAID[State.UNJUDGED])
    if judgment.grade is not None:
        return format_grade(judgment.grade)
    return _(_SAID[judgment.state])


class HistoryDialog(ActDialog):
    """Steps of the project; one's own later steps can be taken back at once.

    Args:
        session: the project.
        blindness: what stays hidden from the assessor.

    Attributes:
        answer: the step that stays as the last one, before the chosen; ``None`` when none can be.
    """

    def __init__(self, session: Session, blindness: Blindness | None = None) -> None:
        super().__init__(_("History"), verb=_("Undo"), width=760)
        self._session = session
        self._blindness = blindness or Blindness()
        self._rows: list[HistoryRow] = []
        self.answer: int | None = None
        self._last: int | None = None
        self.filter = self.put(edit(hint=_("Type to find a step"), name=_("Find a step")))
        self.filter.setClearButtonEnabled(True)
        name_signs(self.filter)
        self.steps = self.add_list(make_step_list(_("Steps, newest first")), height=260)
        walk_from(self.filter, self.steps, tells=True)
        self.more = self.add_to_foot(push_button(_("Show earlier steps"), self._load_more))
        self.what = self.add_head("")
        self.detail = self.add_text()
        self.detail.setMinimumHeight(scaled(18) * (_MOST_SHOWN + 1))
        self.detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.verb.setAutoDefault(False)
        self.first = self.steps
        on_change(self._show, self.filter)
        self.steps.currentItemChanged.connect(self._show_preview)
        self._load_more()

    def _load_more(self) -> None:
        page = load_history(self._session, limit=PAGE, before=self._last)
        is_blind = self._blindness.is_on
        hidden = {name for name in self._session.assessors if name != self._session.assessor}
        left_out = steps_left_out(self._session)
        self._rows += [
            row
            for row in page
            if row.step_id not in left_out and (not is_blind or row.assessor not in hidden)
        ]
        self._last = page[-1].step_id if page else self._last
        self.more.setVisible(len(page) == PAGE)
        self._show()

    def _show(self) -> None:
        rows = [self._row(row) for row in self._rows]
        self.steps.show_rows(with_words(rows, self.filter.text()))
        self._show_preview()

    def _row(self, row: HistoryRow) -> ListRow:
        who = row.assessor or _("the project")
        # The titles of judgments name the document: that tells as much as its id does.
        is_telling = self._blindness.has_alias_ids and row.kind == "judge"
        title = title_in_words(row.title.partition(" for ")[0] if is_telling else row.title)
        if row.note:
            title = _("{title}: “{note}”").format(title=title, note=" ".join(row.note.split()))
        when = clock_text(row.at, now_ms=self._session.clock())
        is_gone = row.state in ("undone", "dropped")
        parts = [_("undone")] if is_gone else []
        if row.n_judgments > 1:
            parts.append(number_of(row.n_judgments, "{n} judgment", "{n} judgments"))
        # It stands above the merge that brought it, though it may have been taken before.
        parts += [_("came with a merge")] * row.has_come
        return ListRow(row.step_id, title, " · ".join((*parts, who, when)), is_gone)

    def _show_preview(self) -> None:
        row = self.steps.chosen
        earlier = None if row is None else int(row.key) - 1
        preview = preview_undo_to(self._session, earlier) if earlier is not None else None
        notes = {each.step_id: each.note for each in self._rows}
        note = "" if row is None else notes[int(row.key)]
        # Whole, since the row has no room for it.
        noted = [_("Noted in this step: {note}").format(note=own_words(note))] if note else []
        self.answer = earlier if preview is not None and preview.steps else None
        if preview is None or not preview.steps:
            self.what.setText(self._why_not())
            self.detail.setText("\n".join(noted))
            self.verb.setText(_("Undo"))
            self.show_lack(
                _("Choose a step of yours.") if self._rows else _("Nothing is done yet.")
            )
            return
        n_steps = len(preview.steps)
        self.verb.setText(number_of(n_steps, "Undo {n} step", "Undo {n} steps"))
        self.what.setText(
            number_of(
                n_steps,
                "Undoing {n} step would bring back:",
                "Undoing {n} steps would bring back:",
            )
        )
        self.detail.setText("\n".join([*self._details(preview), *noted]))
        self.show_problem(
            _("An import would go, with all that it brought.") if preview.takes_material else "",
            ink="warn",
        )
        self.verb.setEnabled(not self._session.read_only_reason)

    def _why_not(self) -> str:
        """Return why the chosen step is not to be undone; ``""`` where none is chosen."""
        chosen = self.steps.chosen
        if chosen is None:
            return ""
        states = {row.step_id: row.state for row in self._rows}
        # What was undone before something else was done can no more be done again.
        return {
            "undone": _("This step is undone already. Redo does it again."),
            "dropped": _("This step is undone already."),
        }.get(states[int(chosen.key)], _("This step cannot be taken back from here."))

    def _details(self, preview: UndoPreview) -> list[str]:
        lines = [self._line(undone) for undone in preview.judgments[:_MOST_SHOWN]]
        more = len(preview.judgments) - _MOST_SHOWN
        if more > 0:
            lines.append(number_of(more, "… and {n} more judgment.", "… and {n} more judgments."))
        if preview.values:
            titles = "; ".join(dict.fromkeys(map(title_in_words, preview.values)))
            lines.append(_("As it was before: {steps}.").format(steps=titles))
        lines += [
            _("Asked no more: {step}.").format(step=title_in_words(each)) for each in preview.asks
        ]
        if preview.n_kept:
            lines.append(
                number_of(
                    preview.n_kept,
                    "Changed since, so left alone: {n} judgment.",
                    "Changed since, so left alone: {n} judgments.",
                )
            )
        return lines

    def _line(self, undone: UndoneJudgment) -> str:
        material = self._session.material
        query = (
            _(", query {id}").format(id=material.queries[undone.query].id)
            if undone.query is not None
            else ""
        )
        now, then = said_text(undone.now), said_text(undone.then)
        note = _note_then(undone)
        change = f"{now} → {then}" if now != then else now
        if now == then and not note:
            change = _("{now}, note, flag or reason as before").format(now=now)
        title = one_line(material.show_document(undone.document).title, most=_MOST_NAMED)
        document = undone.document_id
        if self._blindness.has_alias_ids:
            document = alias_id(self._session, undone.document)
        if title:
            document = _("{id} ‘{title}’").format(id=document, title=title)
        return f"{document}{query}: {change}{note}"


def _note_then(undone: UndoneJudgment) -> str:
    """Return which note a judgment would have again; ``""`` where it stays the same."""
    now, then = (note_text(said) if said else "" for said in (undone.now, undone.then))
    if now == then:
        return ""
    brief = own_words(one_line(then, most=_MOST_TITLE))
    return "; " + (_("note again: {note}").format(note=brief) if then else _("without its note"))


# Tells what others said, too.
_DISPUTED = N_("Others differ")
_STATES: dict[str, Callable[[ReviewRow], object]] = {
    N_("Everything"): lambda _row: True,
    N_("Flagged"): lambda row: row.judgment.flagged,
    N_("With a note"): lambda row: row.note,
    N_("Cannot judge"): lambda row: row.judgment.state is State.CANNOT_JUDGE,
    N_("Skipped"): lambda row: row.judgment.state is State.SKIPPED,
    N_("Unsure"): lambda row: row.judgment.confidence == 1,
    N_("With a rationale"): lambda row: row.judgment.spans,
    _DISPUTED: lambda row: row.is_disputed,
}
_TIMES = {N_("Any time"): None, N_("The last hour"): _HOUR, N_("Today"): 0}


class ReviewDialog(ActDialog):
    """What the assessor has judged, filtered; Enter goes there.

    Args:
        session: the project.
        is_blind: whether what others say stays hidden.
    """

    def __init__(self, session: Session, *, is_blind: bool) -> None:
        super().__init__(_("My judgments"), verb=_("Go there"), width=980)
        self._session = session
        self._is_blind = is_blind
        self._rows = list_own_judgments(session)
        given = sorted({r.judgment.grade for r in self._rows if r.judgment.grade is not None})
        self.grades = combo([(_("Any grade"), None), *map(self._grade_option, given)])
        states = [state for state in _STATES if not is_blind or state != _DISPUTED]
        self.states = combo((_(state), state) for state in states)
        self.times = combo((_(text), time) for text, time in _TIMES.items())
        self.words = edit(
            hint=_("Words of title, query or note"), name=_("Words of title, query or note")
        )
        self.add_line(
            *(_("&Grade"), self.grades, _("&Show"), self.states, _("&When"), self.times),
            *(_("&Find"), self.words, 1),
        )
        on_change(self._show, self.grades, self.states, self.times, self.words)
        self.rows = self.add_list(make_step_list(_("My judgments, newest first")), height=380)
        walk_from(self.words, self.rows, tells=True)
        self.rows.itemActivated.connect(self.accept)
        self.first = self.rows
        self._show()

    def _grade_option(self, grade: float) -> tuple[str, float]:
        level = self._session.scale.find_level(grade)
        return level.titled if level else format_grade(grade), grade

    def _is_wanted(self, row: ReviewRow) -> bool:
        grade, since = self.grades.currentData(), self._since()
        return (
            (grade is None or row.judgment.grade == grade)
            and bool(_STATES[self.states.currentData()](row))
            and (since is None or row.at >= since)
        )

    def _since(self) -> int | None:
        now = self._session.clock()
        span = self.times.currentData()
        if span is None:
            return None
        return now - span if span else start_of_day(now)

    def _show(self) -> None:
        wanted = [self._row(row) for row in self._rows if self._is_wanted(row)]
        shown = with_words(wanted, self.words.text())
        self.rows.show_rows(shown)
        counted = _("{n_shown} of {n_rows}").format(
            n_shown=format_count(len(shown)), n_rows=format_count(len(self._rows))
        )
        empty = _("None is like this.") if self._rows else _("You have judged nothing here yet.")
        self.show_lack(
            "" if shown else empty,
            remark=_("{counted} documents of which you have said something, newest first.").format(
                counted=counted
            ),
        )

    def _row(self, row: ReviewRow) -> ListRow:
        session, judgment = self._session, row.judgment
        document = session.material.show_document(row.document)
        query = session.material.queries[row.query]
        style = judgment_style(session.scale, judgment.state, judgment.grade, current_theme())
        parts = [enclosed(beginning(query.text or query.id, most=60))]
        parts += [_("flagged")] * judgment.flagged
        if judgment.confidence is not None:
            parts.append(_(CONFIDENCES[judgment.confidence]))
        if row.reason:
            said = enclosed(beginning(reason_text(row.reason), most=40))
            parts.append(_("Reason: {reason}").format(reason=said))
        if row.note:
            parts.append(quoted(beginning(row.note, most=40)))
        if row.is_disputed and not self._is_blind:
            others = (
                f"{o.assessor} {format_grade(o.judgment.grade)}"
                for o in row.others
                if o.judgment.grade is not None
            )
            parts.append(_("others: {others}").format(others=", ".join(others)))
        parts.append(clock_text(row.at, now_ms=session.clock()))
        title = one_line(document.title or document.id, most=_MOST_TITLE)
        return ListRow((row.query, row.document), title, " · ".join(parts), style=style)

    @property
    def answer(self) -> tuple[int, int] | None:
        """Query and document to go to; ``None`` when the list is empty."""
        row = self.rows.chosen
        return None if row is None else row.key
