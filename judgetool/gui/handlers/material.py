"""Queries and documents that are written in the window."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject

from judgetool.core.documents import Document
from judgetool.core.override import override
from judgetool.core.queries import Query
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.edits import (
    add_document,
    add_query,
    ask_oneself,
    edit_document,
    edit_query,
)
from judgetool.wording import _


class MaterialHandler(Handler):
    """Does the actions that write queries and documents."""

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window)
        window.workspace.header.installEventFilter(EditByClick(window, self.edit_query))

    def _do(self, change: Callable[[], object], said: str) -> bool:
        """Change the project and say so, or say why it cannot be; return whether it could."""
        changed: list[object] = []
        is_done = self.attempt(lambda: changed.append(change()))
        if is_done and changed[0] is not None:
            self._say(said, offers_undo=True)
        return is_done

    @property
    def _query(self) -> int | None:
        return self._view.judging.query

    def add_query(self) -> None:
        """Write a query, and go to it."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        query = self._ask(QueryForm(self._session, None))
        if query is not None:
            self.take_query(query)

    def take_query(self, query: Query) -> None:
        """Add a query that was written, and go to it."""
        session = self._session
        said = _("Query ‘{text}’ was added. Ctrl+Shift+D adds documents to judge.").format(
            text=query.text or query.id
        )
        if self._do(lambda: add_query(session, query), said):
            number = session.material.find_query(query.id)
            if number is not None:
                self._view.judging.show_query(number)

    def edit_query(self) -> None:
        """Change the texts of the query that is shown."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        if self._query is not None:
            query = self._ask(QueryForm(self._session, self._query))
            if query is not None:
                self.take_edited_query(query)

    def take_edited_query(self, query: Query) -> None:
        """Give the query that is shown the texts that were written."""
        session, number = self._session, self._query
        if number is not None:
            said = _("Query {id} was changed; its judgments stay.").format(id=query.id)
            self._do(lambda: edit_query(session, number, query), said)

    def add_document(self) -> None:
        """Find or write a document that the query's runs lack, and go to it."""
        from judgetool.gui.dialogs.by_hand import AddDocumentDialog  # noqa: PLC0415 - rarely needed

        if self._query is not None:
            dialog = AddDocumentDialog(self._session, self._query)
            document = self._ask(dialog)
            dialog.stop()
            if document is not None:
                self.take_document(document)

    def take_document(self, document: Document) -> None:
        """Put a document into the pool of the query that is shown, and go to it.

        Args:
            document: with its id alone where the project knows it.
        """
        session, query = self._session, self._query
        if query is None:
            return
        query_id = session.material.queries[query].id
        known = session.material.find_document(document.id)
        title = document.title or (session.material.document(known).title if known else "")
        said = _("‘{title}’ is to be judged for this query, too.")
        if session.is_asked:
            said = _("‘{title}’ is to be judged for this query, too, and is asked of you.")
        said = said.format(title=title or document.id)
        add = ask_oneself if session.is_asked else add_document
        if self._do(lambda: add(session, query, document), said):
            place = session.material.find_query(query_id)
            number = session.material.find_document(document.id)
            if place is not None and number is not None:
                self._view.judging.show_place(place, number)

    def edit_document(self) -> None:
        """Change the texts of the document that is shown."""
        from judgetool.gui.dialogs.by_hand import DocumentForm  # noqa: PLC0415 - rarely needed

        session, number = self._session, self._view.judging.document
        if number is not None:
            before = session.material.document(number)
            document = self._ask(DocumentForm(session, before))
            if document is not None:
                self.take_edited_document(document)

    def take_edited_document(self, document: Document) -> None:
        """Give the document that is shown the texts that were written."""
        session, number = self._session, self._view.judging.document
        if number is not None:
            said = _("Document {id} was changed; its judgments stay.").format(id=document.id)
            self._do(lambda: edit_document(session, number, document), said)


class EditByClick(QObject):
    """Two clicks on the query or its need let it be edited.

    Args:
        window: the main window.
        edit: what to do.
    """

    def __init__(self, window: AppWindow, edit: Callable[[], None]) -> None:
        super().__init__(window.workspace.header)
        self._window = window
        self._edit = edit

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look for two clicks, and let everything else pass."""
        if event.type() is QEvent.Type.MouseButtonDblClick:
            if self._window.actions_by_name.action("material.edit_query").isEnabled():
                self._edit()
            return True
        return super().eventFilter(watched, event)
