"""Judging a document that no run has: one of the project's, or a new one."""

from collections.abc import Iterator

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from judgetool.core.documents import Document
from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.document_form import DocumentForm
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.step_list import (
    StepRow,
    current_row,
    fill_step_list,
    make_step_list,
)
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import judgment_style
from judgetool.gui.models.document_search import iter_found
from judgetool.gui.number_text import format_count
from judgetool.gui.theme import current_theme
from judgetool.session.session import Session

MOST_FOUND = 100
_MOST_TITLE = 200
_TYPING_MS = 120


class AddDocumentDialog(ActDialog):
    """Looks for a document while one types.

    Args:
        session: the project.
        query: number of the query that it is to be judged for.
        parent: the window it belongs to.
    """

    def __init__(self, session: Session, query: int, *, parent: QWidget | None = None) -> None:
        super().__init__("Judge another document", verb="Judge it", width=760, parent=parent)
        self._session, self._query = session, query
        self._pool = set(session.board.pool(query).tolist())
        self._settled = session.board.settled(query)
        self._found: list[tuple[int, Document]] = []
        self._looking: Iterator[list[tuple[int, Document]]] | None = None
        self.written: Document | None = None
        self.field = QLineEdit()
        self.field.setPlaceholderText("Words of its id, title or text")
        self.add_field("&Look for", self.field)
        self.rows = make_step_list("Documents found")
        frame = Framed(self.rows)
        frame.setMinimumHeight(scaled(300))
        self.body.addWidget(frame, stretch=1)
        self.write = QPushButton("Write a new one…")
        self.write.setAutoDefault(False)
        self.write.clicked.connect(self._write)
        self.add_to_foot(self.write)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_TYPING_MS)
        self._rest.timeout.connect(self._look)
        self._work = QTimer(self)
        self._work.setInterval(0)
        self._work.timeout.connect(self._look_on)
        self.field.textChanged.connect(self._rest_first)
        self.rows.itemActivated.connect(lambda _item: self.accept())
        self.first = self.field
        self._show()

    @property
    def is_looking(self) -> bool:
        """Whether documents are still being looked through."""
        return self._rest.isActive() or self._work.isActive()

    def _rest_first(self) -> None:
        self._rest.start()

    def _look(self) -> None:
        self._found = []
        self._looking = iter_found(self._session, self.field.text())
        self._work.start()
        self._show()

    def _look_on(self) -> None:
        found = next(self._looking, None) if self._looking is not None else None
        if found is None or len(self._found) >= MOST_FOUND:
            self._work.stop()
            self._looking = None
            self._show()
        elif found:
            self._found += found
            self._show()

    def _show(self) -> None:
        kept = self.rows.currentRow()
        fill_step_list(self.rows, [self._row(*each) for each in self._found[:MOST_FOUND]])
        if 0 <= kept < self.rows.count():
            self.rows.setCurrentRow(kept)
        if self._found:
            self.show_problem("")
            more = "the first " if len(self._found) >= MOST_FOUND else ""
            count = min(len(self._found), MOST_FOUND)
            self.show_remark(f"{more}{format_count(count)} found".capitalize() + ".")
        elif self.is_looking:
            self.show_problem("Looking…", ink="text2")
        elif self.field.text().strip():
            self.show_problem("No document of this project is like that.", ink="text2")
        else:
            total, _ = self._session.material.count_documents()
            self.show_problem(f"{format_count(total)} documents are known.", ink="text2")

    def _row(self, number: int, document: Document) -> StepRow:
        effective = self._settled.get(number)
        style = None
        if effective is not None:
            state = State.CANNOT_JUDGE if effective.grade is None else State.JUDGED
            scale = self._session.scale
            style = judgment_style(scale, state, effective.grade, current_theme())
        side = one_line(document.id, most=60)
        if number in self._pool:
            side += " · in the pool"
        title = one_line(document.title or document.body or document.id, most=_MOST_TITLE)
        return StepRow(number, title, side, style=style)

    def _write(self) -> None:
        self.written = DocumentForm.ask(self, self._session, None, wanted=self.field.text().strip())
        if self.written is not None:
            self.accept()

    @property
    def answer(self) -> Document | None:
        """What is to be judged, by its id alone if it is known; ``None`` for nothing found."""
        if self.written is not None:
            return self.written
        row = current_row(self.rows)
        if row is None:
            return None
        return Document(self._session.material.document_id(int(str(row.key))))

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session, query: int) -> Document | None:
        """Let a document be found or written; ``None`` for neither."""
        dialog = cls(session, query, parent=parent)
        wanted = dialog.answer if dialog.is_answered() else None
        dialog.stop()
        return wanted

    def stop(self) -> None:
        """Look no further."""
        self._rest.stop()
        self._work.stop()
        self._looking = None
