"""Undoing and redoing what brought material, beside the window: keys go on meanwhile."""

from judgetool.errors import ProjectError
from judgetool.gui.frame import Frame
from judgetool.gui.project_view import ProjectView
from judgetool.session.beside import finish_step, step_beside
from judgetool.session.changes import Origin
from judgetool.session.import_loading import MATERIAL_KINDS, Meanwhile, StepBeside

_DOING = {"undo": "Undoing", "redo": "Doing again"}
STILL_BUSY = "The last undo of an import still runs; undo and redo wait for it."


class UndoImport:
    """Takes back, or does again, an import or other material on the worker.

    What is judged while the project is read anew is taken in afterwards.

    Args:
        window: the main window.
    """

    def __init__(self, window: Frame) -> None:
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
            changed = finish_step(session, done, origin, judged=judged)
            if changed is not None:
                view.judging.saved.emit(changed)

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
