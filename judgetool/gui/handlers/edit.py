"""Undo, redo, finding."""

from judgetool.gui.frame import Frame
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.view import ViewHandler
from judgetool.gui.undo_import import STILL_BUSY, UndoImport
from judgetool.gui.widgets.banner import BannerText


class EditHandler:
    """Does the actions of the Edit menu."""

    def __init__(self, window: Frame, view: ViewHandler, judge: JudgeHandler) -> None:
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

    def find(self) -> None:
        """Open the document's search row."""
        self._window.workspace.document.focus_find()

    def filter(self) -> None:
        """Go to the filter of the queries, showing them if they are folded."""
        self._view.reveal_queries()
        self._window.queries.focus_filter()
