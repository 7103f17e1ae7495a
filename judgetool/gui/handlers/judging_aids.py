"""The handlers of filters, queue, judging many and material by hand, as the table names them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer

from judgetool.gui.handlers.filter import FilterHandler
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.material import MaterialHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.queue import QueueHandler
from judgetool.gui.window import AppWindow
from judgetool.session.aids.guidelines import find_guidelines

if TYPE_CHECKING:
    from judgetool.gui.project_view import ProjectView


class GuidelinesOnce(QObject):
    """Shows a project's guidelines to each assessor once, over the window that stands already.

    Args:
        window: the main window.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.widget)
        self._window = window
        self._view: ProjectView | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._show)
        window.views.changed.connect(self._on_view)

    def _on_view(self) -> None:
        view = self._window.view
        if view is not None and view is not self._view:
            self._soon.start()
        self._view = view

    def _show(self) -> None:
        session = self._window.session
        if session is None or session.read_only_reason or not session.assessor:
            return
        if not find_guidelines(session):
            return
        if not self._window.state.note_seen(session.uuid, session.assessor):
            return
        from judgetool.gui.dialogs.guidelines import GuidelinesDialog  # noqa: PLC0415 - seldom shown

        dialog = GuidelinesDialog(session, None, parent=self._window.widget)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show_remark("G shows them again.")
        # Not waited for: the window works on under it.
        dialog.open()


def make_judging_aids(
    window: AppWindow, project: ProjectHandler, judge: JudgeHandler
) -> dict[str, object]:
    """Return the handlers by group.

    Args:
        window: the main window, its panels made.
        project: changes the project's own values.
        judge: gives grades and answers banners.
    """
    GuidelinesOnce(window)
    return {
        "filter": FilterHandler(window, project),
        "queue": QueueHandler(window, project, judge),
        "material": MaterialHandler(window, project),
    }
