"""A query written by hand, or changed: what was searched for, and what would satisfy it."""

from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from judgetool.core.queries import Query
from judgetool.gui.dialogs.act_dialog import ActDialog, field_label
from judgetool.gui.dialogs.field_lines import read_fields, write_fields
from judgetool.gui.fonts import scaled
from judgetool.session.edits.by_hand import query_problem
from judgetool.session.session import Session

MOST_WEIGHT = 1_000_000.0


class QueryForm(ActDialog):
    """All that a query consists of.

    Args:
        session: the project.
        number: of the query that is changed; ``None`` writes a new one.
        parent: the window it belongs to.
    """

    def __init__(
        self, session: Session, number: int | None, *, parent: QWidget | None = None
    ) -> None:
        verb = "Add query" if number is None else "Keep query"
        super().__init__(
            "Add a query" if number is None else "Edit query", verb=verb, width=720, parent=parent
        )
        self._session, self._number = session, number
        self._before = (
            Query(next_id(session)) if number is None else session.material.queries[number]
        )
        before = self._before
        self.id = QLineEdit(before.id)
        # Judgments hang on the id.
        self.id.setReadOnly(number is not None)
        self.category = QLineEdit(before.category)
        self.weight = QDoubleSpinBox()
        self.weight.setDecimals(3)
        self.weight.setRange(0.001, MOST_WEIGHT)
        self.weight.setValue(before.weight)
        line = QHBoxLayout()
        line.setSpacing(8)
        for title, field, share in (
            ("&Id", self.id, 2),
            ("&Category", self.category, 2),
            ("&Weight in means", self.weight, 0),
        ):
            line.addWidget(field_label(title, field))
            line.addWidget(field, stretch=share)
        self.body.addLayout(line)
        self.text = QLineEdit(before.text)
        self.add_field("&Query, as it is typed into the search box", self.text)
        self.description = _lines(before.description, rows=3)
        self.add_field("&Description: what would satisfy the need", self.description)
        self.narrative = _lines(before.narrative, rows=5, grows=True)
        self.add_field("&Narrative: what counts and what does not", self.narrative)
        self.fields = _lines(write_fields(before.fields), rows=3)
        self.add_field("&Fields, a line for each: name: value", self.fields)
        for edit in (self.id, self.text, self.category):
            edit.textChanged.connect(self._check)
        for pane in (self.description, self.narrative, self.fields):
            pane.textChanged.connect(self._check)
        self.first = self.text
        self._check()

    @property
    def answer(self) -> Query:
        """The query as it is written.

        Raises:
            ValueError: the fields cannot be read.
        """
        is_same_weight = abs(self.weight.value() - self._before.weight) < 0.0005
        return Query(
            self.id.text(),
            self.text.text(),
            self.description.toPlainText().strip(),
            self.narrative.toPlainText().strip(),
            self._before.weight if is_same_weight else self.weight.value(),
            self.category.text().strip(),
            read_fields(self.fields.toPlainText(), self._before.fields),
        )

    def _check(self) -> None:
        try:
            query = self.answer
        except ValueError as problem:
            self.show_problem(str(problem))
            return
        if self._number is None:
            if not query.text.strip() and not query.description.strip():
                self.show_problem("Type the query, or what is needed.", ink="text2")
                return
            self.show_problem(query_problem(self._session, query))
        else:
            self.show_problem("")

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session, number: int | None) -> Query | None:
        """Let a query be written; ``None`` when it was left as it is."""
        dialog = cls(session, number, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def next_id(session: Session) -> str:
    """Return an id for one more query: the number after the greatest, or after the count."""
    ids = [query.id for query in session.material.queries]
    numbers = [int(each) for each in ids if each.isascii() and each.isdigit() and len(each) < 10]
    number = (max(numbers) if numbers else len(ids)) + 1
    while str(number) in ids:
        number += 1
    return str(number)


def _lines(text: str, *, rows: int, grows: bool = False) -> QPlainTextEdit:
    pane = QPlainTextEdit(text)
    pane.setProperty("framed", True)
    pane.setTabChangesFocus(True)
    pane.setMinimumHeight(scaled(20) * rows + 14)
    if not grows:
        pane.setFixedHeight(scaled(20) * rows + 14)
    return pane
