"""Saved views: giving filters a name, choosing a view, deleting one."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QRadioButton, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.step_list import (
    StepRow,
    current_row,
    fill_step_list,
    make_step_list,
)
from judgetool.gui.fonts import scaled
from judgetool.gui.models.typed_filters import describe_chip
from judgetool.session.commands import SetValues
from judgetool.session.finding.filters import Filter, delete_view, saved_views
from judgetool.session.session import Session


def describe_chips(chips: Sequence[Filter], session: Session) -> str:
    """Return filters in a line: ``Flagged · Grade 2, relevant``."""
    return " · ".join(describe_chip(chip, session.scale) for chip in chips)


class ViewNameDialog(ActDialog):
    """Asks for the name of a view.

    Args:
        chips: what is to be kept.
        session: the project that keeps it.
        parent: the window it belongs to.
    """

    def __init__(
        self, chips: Sequence[Filter], session: Session, *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Save as view", verb="Save view", parent=parent)
        self._known = saved_views(session)
        self.body.addWidget(Text(describe_chips(chips, session), ink="text2"))
        self.field = QLineEdit()
        self.add_field("&Name", self.field)
        self.body.addStretch(1)
        self.field.textChanged.connect(self._check)
        self.first = self.field
        self._check()

    @property
    def name(self) -> str:
        """The name as typed, blanks at its ends left out."""
        return " ".join(self.field.text().split())

    def _check(self) -> None:
        self.show_problem("" if self.name else "Type a name.", ink="text2")
        if self.name in self._known:
            self.show_remark(f"This replaces the view ‘{self.name}’.")

    @classmethod
    def ask(cls, parent: QWidget | None, chips: Sequence[Filter], session: Session) -> str | None:
        """Ask for a name; ``None`` when none was given."""
        dialog = cls(chips, session, parent=parent)
        return dialog.name if dialog.is_answered() else None


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
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        execute: Callable[[SetValues], None],
        *,
        is_for_queries: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Saved views", verb="Use view", width=680, parent=parent)
        self._session = session
        self._execute = execute
        self.rows = make_step_list("Saved views")
        frame = Framed(self.rows)
        frame.setMinimumHeight(scaled(220))
        self.body.addWidget(frame, stretch=1)
        self.for_queries = QRadioButton("For the list of queries")
        self.for_documents = QRadioButton("For the documents of a query")
        (self.for_queries if is_for_queries else self.for_documents).setChecked(True)
        line = QHBoxLayout()
        line.setSpacing(16)
        line.addWidget(self.for_queries)
        line.addWidget(self.for_documents)
        line.addStretch(1)
        self.body.addLayout(line)
        self.delete = QPushButton("Delete view")
        self.delete.setAutoDefault(False)
        self.add_to_foot(self.delete)
        self.delete.clicked.connect(self._delete)
        self.rows.itemActivated.connect(lambda _item: self.accept())
        self.first = self.rows
        self._fill()

    def _fill(self) -> None:
        views = saved_views(self._session)
        rows = [
            StepRow(name, name, describe_chips(chips, self._session))
            for name, chips in views.items()
        ]
        fill_step_list(self.rows, rows)
        self.delete.setEnabled(bool(rows) and not self._session.read_only_reason)
        self.show_problem("" if rows else "No view is left.", ink="text2")

    def _delete(self) -> None:
        row = current_row(self.rows)
        if row is not None:
            self._execute(delete_view(str(row.key)))
            self._fill()
            if self.rows.count():
                self.show_remark("Deleted. Undo brings it back.")

    @property
    def answer(self) -> ChosenView | None:
        """The chosen view; ``None`` when none is left."""
        row = current_row(self.rows)
        if row is None:
            return None
        chips = saved_views(self._session)[str(row.key)]
        return ChosenView(chips, self.for_queries.isChecked())

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        session: Session,
        execute: Callable[[SetValues], None],
        *,
        is_for_queries: bool = True,
    ) -> ChosenView | None:
        """Let a view be chosen; ``None`` when none was."""
        dialog = cls(session, execute, is_for_queries=is_for_queries, parent=parent)
        return dialog.answer if dialog.is_answered() else None
