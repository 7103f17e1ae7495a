"""Go to a query, a document or a command by some letters of its name."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.core.terms import fold
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.step_list import StepRow, current_row, fill_step_list, make_step_list
from judgetool.gui.fonts import scaled
from judgetool.gui.number_text import format_count
from judgetool.gui.widgets.painted import announce

MOST_SHOWN = 100
_MOST_TEXT = 160
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


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
        parent: the window it belongs to.

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
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, verb="Go", width=640, parent=parent)
        self._goals = [(goal, _words_of(goal)) for goal in goals]
        self._search = search
        self._shown: list[Goal] = []
        self.field = QLineEdit()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.field.textChanged.connect(self._show)
        self.field.installEventFilter(self)
        self.rows = make_step_list("What is meant")
        self.rows.itemActivated.connect(lambda _item: self.accept())
        frame = Framed(self.rows)
        frame.setMinimumHeight(scaled(320))
        self.body.addWidget(self.field)
        self.body.addWidget(frame, stretch=1)
        self.first = self.field
        self._show()
        self.field.textChanged.connect(self._tell)
        self.rows.currentRowChanged.connect(self._tell)

    def _show(self) -> None:
        typed = self.field.text()
        met = list(self._find(typed))
        self._shown = met[:MOST_SHOWN]
        rows = [
            StepRow(place, one_line(goal.title, most=_MOST_TEXT), goal.side)
            for place, goal in enumerate(self._shown)
        ]
        fill_step_list(self.rows, rows)
        if not met:
            self.show_problem("Nothing is called so.", ink="text2")
            return
        self.show_problem("")
        more = f"The first {MOST_SHOWN} of {format_count(len(met))}."
        self.show_remark(more if len(met) > MOST_SHOWN else "")

    def _tell(self) -> None:
        """Say what Enter would go to: the keyboard stays in the field, so no focus says it."""
        row, count = current_row(self.rows), len(self._shown)
        told = f"{row.title}, {row.side}, {self.rows.currentRow() + 1} of {count}" if row else ""
        told = told or "Nothing is called so."
        announce(self.field, told)
        self.told.emit(told)

    def _find(self, typed: str) -> Iterator[Goal]:
        """Yield what begins so, then what holds all words, then what else is found."""
        words = [fold(word) for word in typed.split()]
        met = [(goal, text) for goal, text in self._goals if all(word in text for word in words)]
        start = " ".join(words)
        met.sort(key=lambda each: not each[1].startswith(start))
        yield from (goal for goal, _ in met)
        if words:
            known = {(goal.title, goal.side) for goal, _ in met}
            yield from (g for g in self._search(typed.strip()) if (g.title, g.side) not in known)

    @property
    def goal(self) -> Goal | None:
        """What was chosen; ``None`` where nothing is called so."""
        row = current_row(self.rows)
        return self._shown[int(str(row.key))] if row is not None else None

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrows walk through the list while the field has the keyboard."""
        is_press = event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent)
        if is_press and event.key() in _LIST_KEYS:  # type: ignore[attr-defined]  # it is a key
            QApplication.sendEvent(self.rows, event)
            return True
        return super().eventFilter(watched, event)

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        title: str,
        hint: str,
        goals: Iterable[Goal],
        *,
        search: Search = lambda _typed: (),
    ) -> Goal | None:
        """Let one be chosen; ``None`` where nothing was."""
        dialog = cls(title, hint, goals, search=search, parent=parent)
        return dialog.goal if dialog.is_answered() else None


def _words_of(goal: Goal) -> str:
    return " ".join(map(fold, f"{goal.title} {goal.side} {goal.found_by}".split()))
