"""A document written by hand, or changed."""

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from judgetool.core.documents import Document
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.field_lines import read_fields, write_fields
from judgetool.gui.fonts import scaled
from judgetool.session.edits.by_hand import document_problem
from judgetool.session.session import Session


class DocumentForm(ActDialog):
    """Id, title, address, text and fields.

    Args:
        session: the project.
        before: the document as it is; its id stays. ``None`` writes a new one.
        wanted: id or title to begin a new one with.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        before: Document | None,
        *,
        wanted: str = "",
        parent: QWidget | None = None,
    ) -> None:
        title, verb = ("Edit document", "Keep document")
        if before is None:
            title, verb = "Write a document", "Add to this query"
        super().__init__(title, verb=verb, width=720, parent=parent)
        self._session, self._is_new = session, before is None
        self._before = before or Document("", title=wanted)
        self.id = QLineEdit(self._before.id)
        # Judgments hang on the id.
        self.id.setReadOnly(before is not None)
        self.title = QLineEdit(self._before.title)
        self.url = QLineEdit(self._before.url)
        self.text = _pane(self._before.body, 150)
        self.fields = _pane(write_fields(self._before.fields), 70)
        self.fields.setFixedHeight(scaled(70))
        self.add_field("&Id", self.id)
        self.add_field("&Title", self.title)
        self.add_field("&Address", self.url)
        self.add_field("Te&xt", self.text)
        self.add_field("&Fields, a line for each: name: value", self.fields)
        for edit in (self.id, self.title, self.url):
            edit.textChanged.connect(self._check)
        for pane in (self.text, self.fields):
            pane.textChanged.connect(self._check)
        self.first = self.id if before is None else self.title
        self._check()

    @property
    def answer(self) -> Document:
        """The document as it is written.

        Raises:
            ValueError: the fields cannot be read.
        """
        text = self.text.toPlainText()
        return Document(
            self.id.text(),
            self.title.text(),
            self.url.text().strip(),
            # A text pane writes line ends its own way; what nobody changed stays as it came.
            self._before.body if _is_same(text, self._before.body) else text,
            read_fields(self.fields.toPlainText(), self._before.fields),
            self._before.image,
        )

    def _check(self) -> None:
        try:
            document = self.answer
        except ValueError as problem:
            self.show_problem(str(problem))
            return
        if not self._is_new:
            self.show_problem("")
        elif not document.id:
            self.show_problem("Type an id that no other document has.", ink="text2")
        else:
            self.show_problem(document_problem(self._session, document))

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        session: Session,
        before: Document | None,
        *,
        wanted: str = "",
    ) -> Document | None:
        """Let a document be written; ``None`` when it was left as it is."""
        dialog = cls(session, before, wanted=wanted, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def _is_same(shown: str, before: str) -> bool:
    pane = QPlainTextEdit(before)
    is_same = shown == pane.toPlainText()
    pane.deleteLater()
    return is_same


def _pane(text: str, height: int) -> QPlainTextEdit:
    pane = QPlainTextEdit(text)
    pane.setProperty("framed", True)
    pane.setTabChangesFocus(True)
    pane.setMinimumHeight(scaled(height))
    return pane
