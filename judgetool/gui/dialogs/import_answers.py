"""What a person decides in the import preview: open questions, grades, conflicts."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.scale import Scale, format_grade
from judgetool.formats.values import Question
from judgetool.gui.dialogs.act_dialog import Text
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.session.imports.plan import Conflicts

_MOST_MAPPED = 24
_CONFLICT_TITLES = {
    Conflicts.MINE: "Keep the project’s",
    Conflicts.THEIRS: "Take the file’s",
    Conflicts.BOTH: "Keep both",
}


def _clear(widget: QWidget) -> None:
    """Take everything out of a widget's layout."""
    layout = widget.layout()
    while layout is not None and (item := layout.takeAt(0)) is not None:
        inside = item.widget()
        if inside is not None:
            inside.hide()
            inside.deleteLater()


class QuestionList(QWidget):
    """What a file leaves open, each with its choices.

    Signals:
        answered: the question's name, and the choice.
    """

    answered = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.fields: dict[str, QComboBox] = {}
        self._questions: tuple[Question, ...] = ()
        self.hide()

    def set_questions(self, questions: Sequence[Question]) -> None:
        """Show other questions."""
        if tuple(questions) == self._questions:
            return
        self._questions = tuple(questions)
        _clear(self)
        self.fields = {}
        for question in questions:
            text = Text(question.text, role=Role.UI_STRONG if question.is_open else Role.UI)
            field = NamedCombo()
            field.setAccessibleName(question.text)
            if question.is_open:
                field.addItem("Choose …", "")
            for choice, meaning in question.choices.items():
                field.addItem(meaning or choice, choice)
            field.setCurrentIndex(max(0, field.findData(question.answer)))
            field.activated.connect(partial(self._answer, question.name, field))
            self.fields[question.name] = field
            self._column.addWidget(text)
            self._column.addWidget(field, alignment=Qt.AlignmentFlag.AlignLeft)
        self.setVisible(bool(questions))

    def _answer(self, name: str, field: QComboBox, _index: int) -> None:
        if field.currentData():
            self.answered.emit(name, str(field.currentData()))


class GradeMap(QWidget):
    """Which grade of the scale each grade of a file stands for.

    Signals:
        mapped: the file's grade as text, and a grade of the scale or ``None``.
        proposal_taken: the usual grades are to be taken.
    """

    mapped = Signal(str, object)
    proposal_taken = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(scaled(10))
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self.fields: dict[str, QComboBox] = {}
        self.propose = QPushButton()
        self._shown: object = None

    def set_grades(
        self,
        counts: Mapping[str, int],
        chosen: Mapping[str, float],
        scale: Scale,
        *,
        proposal: Mapping[str, float],
    ) -> None:
        """Show other grades.

        Args:
            counts: how often each grade of the file occurs, by its text.
            chosen: the grades of the scale that they stand for, as far as that is said.
            scale: the project's.
            proposal: what is usual and not chosen; empty where nothing is proposed.
        """
        shown = (dict(counts), dict(chosen), scale, dict(proposal))
        if shown == self._shown:
            return
        self._shown = shown
        _clear(self)
        self.fields = {}
        self._grid.addWidget(Text("Grades to map", role=Role.UI_STRONG), 0, 0, 1, 3)
        for row, (grade, count) in enumerate(list(counts.items())[:_MOST_MAPPED], 1):
            name = Text(grade)
            number = Text(f"{count:,}", ink="text2")
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            field = self._field(grade, chosen.get(grade), scale)
            self._grid.addWidget(name, row, 0)
            self._grid.addWidget(number, row, 1)
            self._grid.addWidget(field, row, 2)
        if proposal:
            self._add_proposal(proposal, len(counts) + 1)

    def _add_proposal(self, proposal: Mapping[str, float], row: int) -> None:
        pairs = ", ".join(f"{word} {format_grade(grade)}" for word, grade in proposal.items())
        self.propose = QPushButton("Take the usual grades")
        self.propose.setAutoDefault(False)
        self.propose.setToolTip(pairs)
        self.propose.setAccessibleDescription(pairs)
        self.propose.clicked.connect(self.proposal_taken)
        self._grid.addWidget(self.propose, row, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)

    def _field(self, grade: str, chosen: float | None, scale: Scale) -> QComboBox:
        field = NamedCombo()
        field.setAccessibleName(f"Grade {grade} of the file is")
        field.setFixedWidth(scaled(150))
        field.addItem("unjudged" if grade.startswith("-") else "left out", None)
        for level in reversed(scale.levels):
            field.addItem(f"{format_grade(level.grade)}  {level.name}", float(level.grade))
        place = next((at for at in range(1, field.count()) if field.itemData(at) == chosen), 0)
        field.setCurrentIndex(place)
        field.activated.connect(partial(self._map, grade, field))
        self.fields[grade] = field
        return field

    def _map(self, grade: str, field: QComboBox, _index: int) -> None:
        self.mapped.emit(grade, field.currentData())


class ConflictChoice(QWidget):
    """Which judgment stays where file and project differ.

    Args:
        choose: called with the choice.
        parent: of the widget.
    """

    def __init__(self, choose: Callable[[Conflicts], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choose = choose
        # Under each other: side by side they would be wider than a small dialog has room.
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        self._group = QButtonGroup(self)
        self.buttons: dict[Conflicts, QRadioButton] = {}
        for choice, title in _CONFLICT_TITLES.items():
            button = QRadioButton(title)
            button.clicked.connect(partial(self._tell, choice))
            self._group.addButton(button)
            self.buttons[choice] = button
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def set_choice(self, choice: Conflicts) -> None:
        """Show a choice, without telling anyone."""
        self.buttons[choice].setChecked(True)

    def _tell(self, choice: Conflicts, _checked: bool = True) -> None:
        self._choose(choice)
