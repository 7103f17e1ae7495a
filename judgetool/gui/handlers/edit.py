"""Undo, redo, finding."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.view import ViewHandler
from judgetool.gui.project_view import ProjectView
from judgetool.gui.table_copy import Table, copy_table
from judgetool.gui.widgets.banner import BannerText
from judgetool.gui.window import AppWindow
from judgetool.session.queues.queue import find_query_with

if TYPE_CHECKING:
    from judgetool.gui.dialogs.go_to import Goal
from judgetool.errors import ProjectError
from judgetool.session.beside import finish_step, step_beside
from judgetool.session.changes import Origin
from judgetool.session.import_loading import MATERIAL_KINDS, Meanwhile, StepBeside

_DOING = {"undo": "Undoing", "redo": "Doing again"}
STILL_BUSY = "The last undo of an import still runs; undo and redo wait for it."


class EditHandler:
    """Does the actions of the Edit menu."""

    def __init__(self, window: AppWindow, view: ViewHandler, judge: JudgeHandler) -> None:
        self._window = window
        self._view = view
        self._imports = UndoImport(window)
        judge.answers |= {"undo_import": lambda: self._imports.begin("undo")}

    def _is_free(self) -> bool:
        """Whether nothing is being taken back already; says so."""
        if self._imports.is_busy:
            self._window.status.show_message(STILL_BUSY)
        return not self._imports.is_busy

    def undo(self) -> None:
        """Take back the last step; an import only after a second word."""
        if not self._is_free():
            return
        view = self._window.view
        step = view.session.undo_step if view else None
        if view is None or step is None:
            self._window.status.show_message("There is nothing to undo.")
            return
        if step.kind == "import":
            # One key too many must not make the project vanish.
            title = step.title[:1].lower() + step.title[1:]
            sentence = f"The next thing to undo is the {title}: all that it brought would go."
            answers = (("undo_import", "Undo the import"), ("dismiss", "Keep it"))
            self._window.workspace.grade_bar.show_banner(BannerText("warn", sentence, answers))
        elif self._imports.is_for(step.kind):
            self._imports.begin("undo")
        else:
            view.judging.undo()

    def redo(self) -> None:
        """Do again what was undone last."""
        if not self._is_free():
            return
        view = self._window.view
        step = view.session.redo_step if view else None
        if view is None or step is None:
            self._window.status.show_message("There is nothing to redo.")
        elif self._imports.is_for(step.kind):
            self._imports.begin("redo")
        else:
            view.judging.redo()

    def history(self) -> None:
        """Show what was done, and go back to a step of it."""
        from judgetool.gui.dialogs.history import HistoryDialog  # noqa: PLC0415 - not needed to start

        view = self._window.view
        if view is None or not self._is_free():
            return
        step = HistoryDialog.ask(self._window.widget, view.session, view.blindness)
        if step is not None:
            view.judging.undo_to(step)

    # Copying

    def copy_values(self) -> None:
        """Put the live values on the clipboard, as a table."""
        self._copy(self._window.live.as_table(), "values")

    def copy_explanation(self) -> None:
        """Put the explanation of the chosen value on the clipboard, as a table."""
        self._copy(self._window.live.explain_table.as_table(), "explanation")

    def _copy(self, table: Table, what: str) -> None:
        copy_table(table)
        self._window.status.show_message(
            f"Copied: the {what} as a table, for spreadsheets and for texts."
        )

    # Going to something by its name

    def go_to(self) -> None:
        """Go to a query, or to a document of this query or, by its id, of any."""
        from judgetool.gui.dialogs.go_to import Goal, GoToDialog  # noqa: PLC0415 - not needed to start

        view = self._window.view
        if view is None:
            return
        session, judging = view.session, view.judging
        goals = [
            Goal(query.text or query.id, f"query {query.id}", partial(judging.show_query, number))
            for number, query in enumerate(session.material.queries)
        ]
        if judging.query is not None:
            goals += self._documents(view, judging.query)

        def search(typed: str) -> list[Goal]:
            document = session.material.find_document(typed)
            query = None if document is None else find_query_with(session, document, judging.run_id)
            if document is None or query is None or view.blindness.has_alias_ids:
                return []
            title = session.material.document(document).title or typed
            return [Goal(title, f"document {typed}", partial(judging.show_place, query, document))]

        goal = GoToDialog.ask(
            self._window.widget,
            "Go to query or document",
            "Text or id of a query, title or id of a document",
            goals,
            search=search,
        )
        if goal is not None:
            goal.go()

    def _documents(self, view: ProjectView, query: int) -> "list[Goal]":
        from judgetool.gui.dialogs.go_to import Goal  # noqa: PLC0415 - not needed to start

        listed = self._window.workspace.results.documents()
        goals = []
        for number, found in zip(listed, view.session.material.documents(listed), strict=True):
            document = view.mask(number, found)
            go = partial(view.judging.show_place, query, number)
            goals.append(Goal(document.title or document.id, f"document {document.id}", go))
        return goals

    def command(self) -> None:
        """Do something by its name."""
        from judgetool.gui.dialogs.go_to import Goal, GoToDialog  # noqa: PLC0415 - not needed to start

        binder = self._window.actions_by_name
        goals = []
        for menu, text, action in binder.commands():
            key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            side = f"{menu}  {key}".rstrip()
            goals.append(Goal(text, side, action.trigger, binder.caption(action)))
        goal = GoToDialog.ask(self._window.widget, "Find a command", "What you want to do", goals)
        if goal is not None:
            goal.go()

    def find(self) -> None:
        """Open the document's search row."""
        self._window.workspace.document.focus_find()

    def filter(self) -> None:
        """Go to the filter of the queries, showing them if they are folded."""
        self._view.reveal_queries()
        self._window.queries.focus_filter()


class UndoImport:
    """Takes back, or does again, an import or other material on the worker.

    What is judged while the project is read anew is taken in afterwards.

    Args:
        window: the main window.
    """

    def __init__(self, window: AppWindow) -> None:
        self._window = window
        self._busy_with: ProjectView | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a step of the open project is being taken back or done again."""
        return self._busy_with is not None and self._busy_with is self._window.view

    @staticmethod
    def is_for(kind: str) -> bool:
        """Whether a kind of step changes material, so that everything is read anew after it."""
        return kind in MATERIAL_KINDS

    def begin(self, origin: Origin) -> None:
        """Take back, or do again, the step that is next; nobody waits."""
        view = self._window.view
        if view is None or self.is_busy:
            return
        session = view.session
        self._busy_with = view
        meanwhile = Meanwhile(session.changed)
        step = session.undo_step if origin == "undo" else session.redo_step
        title = step.title[:1].lower() + step.title[1:] if step is not None else "import"
        self._window.status.show_message(
            f"{_DOING[origin]} the {title}… You can go on judging.", stays=True
        )

        def take(done: StepBeside) -> None:
            self._busy_with = None
            judged = meanwhile.end()
            self._window.status.clear_message()
            finish_step(session, done, origin, judged=judged)

        def fail(problem: Exception) -> None:
            self._busy_with = None
            meanwhile.end()
            self._window.status.clear_message()
            if not isinstance(problem, ProjectError):
                raise problem
            view.judging.not_saved.emit(str(problem), lambda: self.begin(origin))

        self._window.jobs.submit(
            lambda _handle: step_beside(session, origin), take, fail, owner=view
        )
