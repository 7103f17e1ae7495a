"""Which signal of a panel leads to which action or handler."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.widgets.welcome import WelcomeView
from judgetool.gui.window import AppWindow
from judgetool.gui.window_state import recent_projects
from judgetool.gui.workspace import Workspace

FindAction = Callable[[str], QAction]


def add_recent_menu(window: AppWindow, *, open_path: Callable[[Path], bool]) -> None:
    """Offer the projects that were open before, in the Project menu."""
    project = window.actions_by_name.menus["Project"]
    menu = QMenu("Open recent", project)
    project.insertMenu(window.actions_by_name.action("project.sample"), menu)

    def fill() -> None:
        menu.clear()
        for recent in recent_projects(window.settings):
            name = f"{recent.name}   {recent.folder}".replace("&", "&&")
            action = menu.addAction(f"{name}   (missing)" if recent.is_missing else name)
            action.setEnabled(not recent.is_missing)
            action.triggered.connect(lambda _on=False, path=recent.path: open_path(Path(path)))
        if menu.isEmpty():
            menu.addAction("No project was open before").setEnabled(False)

    menu.aboutToShow.connect(fill)


def connect_grade_bar(workspace: Workspace, status: StatusLine, judge: JudgeHandler) -> None:
    """Let the grade bar grade, and its banner be answered."""
    bar = workspace.grade_bar
    bar.level_chosen.connect(lambda grade: judge.grade(grade, origin="click"))
    bar.action_chosen.connect(judge.do_bar_action)
    bar.banner_chosen.connect(judge.answer_banner)
    bar.number_given.connect(lambda grade, stays: judge.grade(grade, stays=stays, origin="key"))
    bar.entry.off_scale.connect(status.show_message)
    bar.entry.left.connect(workspace.take_keyboard)


def connect_status(status: StatusLine, find_action: FindAction, judge: JudgeHandler) -> None:
    """Let what stands in the status line be clicked."""
    status.retry_requested.connect(lambda: judge.answer_banner("retry"))
    status.save_elsewhere_requested.connect(find_action("project.save_copy").trigger)
    status.view_requested.connect(find_action("judge.view").trigger)
    status.scale_requested.connect(find_action("project.scale").trigger)
    status.keys_requested.connect(find_action("help.keys").trigger)
    status.message_action_requested.connect(
        lambda name: find_action(f"edit.{name}").trigger() if name in ("undo", "redo") else None
    )


def connect_welcome(
    welcome: WelcomeView,
    find_action: FindAction,
    project: ProjectHandler,
    *,
    open_path: Callable[[Path], bool],
) -> None:
    """Let projects be made and opened from the start page."""
    welcome.sample_chosen.connect(find_action("project.sample").trigger)
    welcome.new_chosen.connect(find_action("project.new").trigger)
    welcome.open_chosen.connect(find_action("project.open").trigger)
    welcome.recent_chosen.connect(lambda path: open_path(Path(path)))
    welcome.locate_chosen.connect(project.locate)
    welcome.removed.connect(project.forget)
    welcome.files_dropped.connect(project.take_files)
