"""Grading all unjudged documents below the current one, with what it would change."""

from collections.abc import Sequence

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton, QWidget

from judgetool.core.override import override
from judgetool.core.scale import format_grade
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.number_text import format_count
from judgetool.session.edits.bulk import BulkPlan, plan_bulk, unjudged_below
from judgetool.session.session import Session


class BelowDialog(ActDialog):
    """Asks for the grade, and says how many documents would get it.

    Args:
        session: the project.
        query: number of the query.
        documents: what is listed, in order.
        place: of the current document.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        query: int,
        *,
        documents: Sequence[int],
        place: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Grade all unjudged below", verb="Grade", parent=parent)
        self._session, self._query = session, query
        self._listed, self._place = list(documents), place
        text = session.material.queries[query].text or session.material.queries[query].id
        self.body.addWidget(Text(f"Documents of ‘{text}’, one step that one Undo takes back."))
        self.choices = QButtonGroup(self)
        self.buttons: dict[float, QRadioButton] = {}
        for level in session.scale.levels:
            button = QRadioButton(f"{format_grade(level.grade)}  {level.name}")
            self.choices.addButton(button)
            self.buttons[level.grade] = button
            self.body.addWidget(button)
        self.with_current = QCheckBox("The current document, too, if it is unjudged")
        self.body.addWidget(self.with_current)
        self.body.addStretch(1)
        self.choices.buttonToggled.connect(self._show)
        self.with_current.toggled.connect(self._show)
        self.first = next(iter(self.buttons.values()))
        self._show()

    @property
    def _documents(self) -> list[int]:
        place = self._place - 1 if self.with_current.isChecked() else self._place
        return unjudged_below(self._session, self._query, self._listed, place)

    @property
    def answer(self) -> BulkPlan | None:
        """What would be done; ``None`` until a grade is chosen."""
        for grade, button in self.buttons.items():
            if button.isChecked():
                return plan_bulk(self._session, self._query, self._documents, grade)
        return None

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose a grade by its digit."""
        named = {format_grade(grade): button for grade, button in self.buttons.items()}
        if event.text() in named:
            named[event.text()].setChecked(True)
            named[event.text()].setFocus()
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        count = len(self._documents)
        plan = self.answer
        word = "document" if count == 1 else "documents"
        self.verb.setText(f"Grade {format_count(count)} {word}" if count else "Grade")
        if not count:
            self.show_problem("Nothing below is unjudged.", ink="text2")
        elif plan is None:
            self.show_problem(f"{format_count(count)} {word}. Choose the grade.", ink="text2")
        else:
            self.show_problem("")
            self.show_remark(describe_plan(plan))

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        session: Session,
        query: int,
        *,
        documents: Sequence[int],
        place: int,
    ) -> BulkPlan | None:
        """Ask for the grade; ``None`` when nothing is to be graded."""
        dialog = cls(session, query, documents=documents, place=place, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def describe_plan(plan: BulkPlan) -> str:
    """Return what grading several would do: ``5 unjudged, 2 would change from 3.``."""
    parts = [f"{format_count(plan.changes)} unjudged"] if plan.changes else []
    if plan.regraded:
        if len(plan.regraded) == 1:
            (old,) = plan.regraded
            changes = f"from {format_grade(old)}"
        else:
            changes = ", ".join(
                f"{format_count(n)} from {format_grade(old)}" for old, n in plan.regraded.items()
            )
            changes = f"({changes})"
        parts.append(f"{format_count(plan.n_regraded)} would change {changes}")
    if plan.cannot_judge:
        parts.append(f"{format_count(plan.cannot_judge)} of them said to be impossible to judge")
    if plan.already:
        parts.append(f"{format_count(plan.already)} have it already")
    return ", ".join(parts) + "."
