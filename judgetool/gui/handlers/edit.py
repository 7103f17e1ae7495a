"""Undo, redo, finding."""

from judgetool.gui.frame import Frame
from judgetool.gui.handlers.view import ViewHandler
from judgetool.gui.widgets.banner import BannerText


class EditHandler:
    """Does the actions of the Edit menu."""

    def __init__(self, window: Frame, view: ViewHandler) -> None:
        self._window = window
        self._view = view

    def undo(self) -> None:
        """Take back the last step; an import only after a second word."""
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
            return
        view.judging.undo()

    def redo(self) -> None:
        """Do again what was undone last."""
        view = self._window.view
        if view is None or view.session.redo_step is None:
            self._window.status.show_message("There is nothing to redo.")
            return
        view.judging.redo()

    def find(self) -> None:
        """Open the document's search row."""
        self._window.workspace.document.focus_find()

    def filter(self) -> None:
        """Go to the filter of the queries, showing them if they are folded."""
        self._view.reveal_queries()
        self._window.queries.focus_filter()
