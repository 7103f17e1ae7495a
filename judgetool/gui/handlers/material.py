"""Queries and documents that are written in the window."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject

from judgetool.core.documents import Document
from judgetool.core.override import override
from judgetool.core.queries import Query
from judgetool.gui.dialogs.act_dialog import ask
from judgetool.gui.handlers.project import attempt
from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import AppWindow
from judgetool.session.edits import add_document, add_query, edit_document, edit_query


class MaterialHandler:
    """Does the actions that write queries and documents."""

    def __init__(self, window: AppWindow) -> None:
        self._window = window
        window.workspace.header.installEventFilter(EditByClick(window, self.edit_query))

    def _do(self, change: Callable[[], object], said: str) -> bool:
        """Change the project and say so, or say why it cannot be; return whether it could."""
        changed: list[object] = []
        is_done = attempt(self._window, lambda: changed.append(change()))
        if is_done and changed[0] is not None:
            self._window.status.show_message(said, action="undo", action_text="Undo")
        return is_done

    @property
    def _place(self) -> tuple[ProjectView, int] | None:
        view = self._window.view
        return None if view is None or view.judging.query is None else (view, view.judging.query)

    def add_query(self) -> None:
        """Write a query, and go to it."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        session = self._window.session
        query = ask(QueryForm(session, None), self._window.widget) if session else None
        if query is not None:
            self.take_query(query)

    def take_query(self, query: Query) -> None:
        """Add a query that was written, and go to it."""
        view = self._window.view
        if view is None:
            return
        session = view.session
        said = f"Query ‘{query.text or query.id}’ was added. Ctrl+Shift+D adds documents to judge."
        if self._do(lambda: add_query(session, query), said):
            number = session.material.find_query(query.id)
            if number is not None:
                view.judging.show_query(number)

    def edit_query(self) -> None:
        """Change the texts of the query that is shown."""
        from judgetool.gui.dialogs.by_hand import QueryForm  # noqa: PLC0415 - rarely needed

        place = self._place
        if place is not None:
            query = ask(QueryForm(place[0].session, place[1]), self._window.widget)
            if query is not None:
                self.take_edited_query(query)

    def take_edited_query(self, query: Query) -> None:
        """Give the query that is shown the texts that were written."""
        place = self._place
        if place is not None:
            said = f"Query {query.id} was changed; its judgments stay."
            self._do(lambda: edit_query(place[0].session, place[1], query), said)

    def add_document(self) -> None:
        """Find or write a document that the query's runs lack, and go to it."""
        from judgetool.gui.dialogs.by_hand import AddDocumentDialog  # noqa: PLC0415 - rarely needed

        place = self._place
        if place is not None:
            dialog = AddDocumentDialog(place[0].session, place[1])
            document = ask(dialog, self._window.widget)
            dialog.stop()
            if document is not None:
                self.take_document(document)

    def take_document(self, document: Document) -> None:
        """Put a document into the pool of the query that is shown, and go to it.

        Args:
            document: with its id alone where the project knows it.
        """
        here = self._place
        if here is None:
            return
        view, query = here
        session = view.session
        query_id = session.material.queries[query].id
        said = f"‘{document.title or document.id}’ is to be judged for this query, too."
        if self._do(lambda: add_document(session, query, document), said):
            place = session.material.find_query(query_id)
            number = session.material.find_document(document.id)
            if place is not None and number is not None:
                view.judging.show_place(place, number)

    def edit_document(self) -> None:
        """Change the texts of the document that is shown."""
        from judgetool.gui.dialogs.by_hand import DocumentForm  # noqa: PLC0415 - rarely needed

        view = self._window.view
        if view is not None and view.judging.document is not None:
            before = view.session.material.document(view.judging.document)
            document = ask(DocumentForm(view.session, before), self._window.widget)
            if document is not None:
                self.take_edited_document(document)

    def take_edited_document(self, document: Document) -> None:
        """Give the document that is shown the texts that were written."""
        view = self._window.view
        if view is not None and view.judging.document is not None:
            session, number = view.session, view.judging.document
            said = f"Document {document.id} was changed; its judgments stay."
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
