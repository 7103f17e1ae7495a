"""The guidelines when an assessor opens a project for the first time."""

from PySide6.QtCore import QObject, Qt, QTimer

from judgetool.gui.frame import Frame
from judgetool.gui.project_view import ProjectView
from judgetool.session.aids.guidelines import find_guidelines


class GuidelinesOnce(QObject):
    """Shows a project's guidelines to each assessor once, over the window that stands already.

    Args:
        window: the main window.
    """

    def __init__(self, window: Frame) -> None:
        super().__init__(window.widget)
        self._window = window
        self._view: ProjectView | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._show)
        window.stage.changed.connect(self._on_stage)

    def _on_stage(self) -> None:
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
