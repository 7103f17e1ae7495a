"""Finding again: a query, document or command by letters of its name, and views kept by name."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import Signal

from judgetool.core.terms import fold, one_line
from judgetool.gui.dialogs.act_dialog import ActDialog, Radios, edit, on_change, push_button
from judgetool.gui.dialogs.framed_list import ListRow, WalkFrom, make_step_list
from judgetool.gui.models.finders import describe_chip
from judgetool.gui.painting import format_count
from judgetool.gui.widgets.painted import announce
from judgetool.session.commands import SetValues
from judgetool.session.finding import Filter, delete_view, saved_views
from judgetool.session.session import Session
from judgetool.wording import _

MOST_SHOWN = 100
_MOST_TEXT = 160


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that one can go to.

    Attributes:
        title: what it is called.
        side: what kind of thing it is, its id or its key.
        go: goes there.
        found_by: further words by which it is found.
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
    ) -> None:
        super().__init__(title, verb=_("Go"), width=640)
        self._lack, self._told = lack or _("Nothing is called so."), ""
        self._goals = [(goal, _words_of(goal)) for goal in goals]
        self._search = search
        self._shown: list[Goal] = []
        self.field = self.first = self.put(edit(hint=hint, name=hint))
        self.field.textChanged.connect(self._show)
        self.rows = self.add_list(make_step_list(_("What is meant")), height=320)
        WalkFrom(self.field, self.rows)
        self.rows.itemActivated.connect(lambda _item: self.accept())
        self._show()
        self.field.textChanged.connect(self._tell)
        self.rows.currentRowChanged.connect(self._tell)

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
        """Yield what begins so, then what holds all words, then what else is found."""
        words = [fold(word) for word in typed.split()]
        met = [(goal, text) for goal, text in self._goals if all(word in text for word in words)]
        start = " ".join(words)
        met.sort(key=lambda each: not each[1].startswith(start))
        yield from (goal for goal, __ in met)
        if words:
            known = {(goal.title, goal.side) for goal, __ in met}
            yield from (g for g in self._search(typed.strip()) if (g.title, g.side) not in known)

    @property
    def answer(self) -> Goal | None:
        """What was chosen; ``None`` where nothing is called so."""
        row = self.rows.chosen
        return None if row is None else self._shown[row.key]


def _words_of(goal: Goal) -> str:
    return " ".join(map(fold, f"{goal.title} {goal.side} {goal.found_by}".split()))


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
        self.field = self.first = self.add_field(_("&Name"), edit())
        self.body.addStretch(1)
        on_change(self._check, self.field)
        self._check()

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
        self.rows = self.first = self.add_list(make_step_list(_("Saved views")), height=220)
        titles = {True: _("For the list of queries"), False: _("For the documents of a query")}
        self.lists = Radios(titles, is_for_queries, self)
        self.add_line(*self.lists.by_name.values(), None, spacing=16)
        self.delete = self.add_to_foot(push_button(_("Delete view"), self._delete))
        self.rows.itemActivated.connect(lambda _item: self.accept())
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
