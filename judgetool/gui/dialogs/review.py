"""'Review mine': what the assessor has judged, newest first, filtered; Enter goes there."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.judgments import CONFIDENCES, State
from judgetool.core.scale import format_grade
from judgetool.gui.dialogs.act_dialog import ActDialog, field_label
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.history import clock_text
from judgetool.gui.dialogs.step_list import (
    StepRow,
    current_row,
    fill_step_list,
    make_step_list,
)
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import judgment_style
from judgetool.gui.number_text import format_count
from judgetool.gui.pace import start_of_day
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.session.finding.review import ReviewRow, list_own_judgments
from judgetool.session.session import Session

_MOST_TITLE = 200
_HOUR = 3_600_000


@dataclass(frozen=True, slots=True)
class _Choice:
    title: str
    holds: Callable[[ReviewRow], bool]


_STATES = (
    _Choice("Everything", lambda _row: True),
    _Choice("Flagged", lambda row: row.judgment.flagged),
    _Choice("With a note", lambda row: bool(row.judgment.note)),
    _Choice("Cannot judge", lambda row: row.judgment.state is State.CANNOT_JUDGE),
    _Choice("Skipped", lambda row: row.judgment.state is State.SKIPPED),
    _Choice("Unsure", lambda row: row.judgment.confidence == 1),
    _Choice("With a rationale", lambda row: bool(row.judgment.spans)),
)
_DISPUTED = _Choice("Others differ", lambda row: row.is_disputed)
_TIMES = {"Any time": None, "The last hour": _HOUR, "Today": 0}


class ReviewDialog(ActDialog):
    """A list of one's own judgments.

    Args:
        session: the project.
        is_blind: whether what others say stays hidden.
        parent: the window it belongs to.
    """

    def __init__(
        self, session: Session, *, is_blind: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__("My judgments", verb="Go there", width=820, parent=parent)
        self._session = session
        self._is_blind = is_blind
        self._rows = list_own_judgments(session)
        self._choices = _STATES if is_blind else (*_STATES, _DISPUTED)
        self._add_filters()
        self.rows = make_step_list("My judgments, newest first")
        frame = Framed(self.rows)
        frame.setMinimumHeight(scaled(380))
        self.body.addWidget(frame, stretch=1)
        self.rows.itemActivated.connect(lambda _item: self.accept())
        self.first = self.rows
        self._show()

    def _add_filters(self) -> None:
        self.grades = NamedCombo()
        self.grades.addItem("Any grade", None)
        for grade in sorted({r.judgment.grade for r in self._rows if r.judgment.grade is not None}):
            level = self._session.scale.find_level(grade)
            name = f"  {level.name}" if level else ""
            self.grades.addItem(f"{format_grade(grade)}{name}", grade)
        self.states = NamedCombo()
        self.states.addItems([choice.title for choice in self._choices])
        self.times = NamedCombo()
        self.times.addItems(list(_TIMES))
        self.words = QLineEdit()
        self.words.setPlaceholderText("Words of title, query or note")
        self.words.setAccessibleName("Words of title, query or note")
        line = QHBoxLayout()
        line.setSpacing(8)
        for title, chooser in (
            ("&Grade", self.grades),
            ("&Show", self.states),
            ("&When", self.times),
        ):
            line.addWidget(field_label(title, chooser))
            line.addWidget(chooser)
            chooser.currentIndexChanged.connect(self._show)
        line.addWidget(self.words, stretch=1)
        self.words.textChanged.connect(self._show)
        self.body.addLayout(line)

    def _is_wanted(self, row: ReviewRow) -> bool:
        grade = self.grades.currentData()
        since = self._since()
        return (
            (grade is None or row.judgment.grade == grade)
            and self._choices[self.states.currentIndex()].holds(row)
            and (since is None or row.at >= since)
        )

    def _since(self) -> int | None:
        now = self._session.clock()
        span = _TIMES[self.times.currentText()]
        if span is None:
            return None
        return now - span if span else start_of_day(now)

    def _show(self) -> None:
        words = self.words.text().casefold().split()
        shown = [self._row(row) for row in self._rows if self._is_wanted(row)]
        if words:
            shown = [r for r in shown if all(w in f"{r.title} {r.side}".casefold() for w in words)]
        fill_step_list(self.rows, shown)
        counted = f"{format_count(len(shown))} of {format_count(len(self._rows))}"
        if shown:
            self.show_problem("")
            self.show_remark(f"{counted} judgments, newest first.")
        else:
            empty = "You have judged nothing here yet." if not self._rows else "None is like this."
            self.show_problem(empty, ink="text2")

    def _row(self, row: ReviewRow) -> StepRow:
        session, judgment = self._session, row.judgment
        document = session.material.show_document(row.document)
        query = session.material.queries[row.query]
        style = judgment_style(session.scale, judgment.state, judgment.grade, current_theme())
        parts = [one_line(query.text or query.id, most=60)]
        parts += ["flagged"] * judgment.flagged
        if judgment.confidence is not None:
            parts.append(CONFIDENCES[judgment.confidence])
        if judgment.note:
            parts.append(f"‘{one_line(judgment.note, most=40)}’")
        if row.is_disputed and not self._is_blind:
            others = (
                f"{o.assessor} {format_grade(o.judgment.grade)}"
                for o in row.others
                if o.judgment.grade is not None
            )
            parts.append(f"others: {', '.join(others)}")
        parts.append(clock_text(row.at, now_ms=session.clock()))
        title = one_line(document.title or document.id, most=_MOST_TITLE)
        return StepRow((row.query, row.document), title, " · ".join(parts), style=style)

    @property
    def answer(self) -> tuple[int, int] | None:
        """Query and document to go to; ``None`` when the list is empty."""
        row = current_row(self.rows)
        return row.key if row is not None else None  # type: ignore[return-value]  # keys of these rows are pairs

    @classmethod
    def ask(
        cls, parent: QWidget | None, session: Session, *, is_blind: bool = False
    ) -> tuple[int, int] | None:
        """Show one's own judgments; return the place to go to, or ``None``."""
        dialog = cls(session, is_blind=is_blind, parent=parent)
        return dialog.answer if dialog.is_answered() else None
