"""The main window: it places panels, menus and docks, and knows which project is open."""

import gc
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from judgetool.core.clock import utc_ms
from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.gui.action_binder import ActionBinder, key_groups
from judgetool.gui.handlers.edit import EditHandler
from judgetool.gui.handlers.help import HelpHandler
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.view import ViewHandler
from judgetool.gui.jobs import Jobs
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.project_view import ProjectView
from judgetool.gui.prompter import Prompter, QtPrompter
from judgetool.gui.recent import recent_projects
from judgetool.gui.theme import DARK, LIGHT, set_theme, system_theme
from judgetool.gui.widgets.assessor_badge import AssessorBadge
from judgetool.gui.widgets.keys_overlay import KeysOverlay
from judgetool.gui.widgets.status_holder import StatusHolder
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.widgets.welcome import WelcomeView
from judgetool.gui.window_state import Place, WindowState
from judgetool.gui.workspace import Workspace
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.settings import RecentEntry, load_settings, save_settings

_LOG = logging.getLogger(__name__)
STATE = "main"
NARROW_LIVE, FOLD_QUERIES, FOLD_EXPLAIN = 1200, 1040, 760


class MainWindow(QMainWindow):
    """One window, one project at a time; without one it shows the welcome.

    Args:
        assessor: who judges this time; ``""`` takes the name in the preferences.
        theme: ``light`` or ``dark`` this time; ``""`` takes the preference.

    Signals:
        painted: everything that had to be drawn anew has been (for benchmarks and tests).

    Attributes:
        view: the open project's panels, or ``None``.
        settings: the person's preferences.
        jobs: background work.
        prompter: asks the person.
    """

    painted = Signal()

    def __init__(self, *, assessor: str = "", theme: str = "") -> None:
        super().__init__()
        self.settings = load_settings()
        self.state = WindowState()
        self._given_assessor = assessor
        self._given_theme = theme
        self._is_narrow: bool | None = None
        self._has_own_widths = False
        self.jobs = Jobs(self)
        self.prompter: Prompter = QtPrompter(self)
        self.view: ProjectView | None = None
        self.workspace = Workspace(self)
        self.queries = QueryList(self)
        self.live = LivePanel(self.jobs, self)
        self.status = StatusLine(self)
        self.welcome = WelcomeView(self)
        self._place_panels()
        self._make_actions()
        self.overlay = KeysOverlay(self)
        self.overlay.change.hide()
        self.setMinimumSize(960, 600)
        self.setAcceptDrops(True)
        self._connect()
        self.show_welcome()

    # Building

    def _place_panels(self) -> None:
        self._middle = QStackedWidget(self)
        self._middle.addWidget(self.welcome)
        self._middle.addWidget(self.workspace)
        self.setCentralWidget(self._middle)
        self.queries_dock = self._dock("queries", "Queries", self.queries)
        self.live_dock = self._dock("live", "Live values", self.live)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.queries_dock)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.live_dock)
        self.setStatusBar(StatusHolder(self.status))

    def _dock(self, name: str, title: str, panel: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(panel)
        # The panels carry their own titles; Qt's bar is there when the dock floats.
        no_bar = QWidget(dock)
        dock.setTitleBarWidget(no_bar)
        dock.topLevelChanged.connect(
            lambda floats: dock.setTitleBarWidget(None if floats else QWidget(dock))  # type: ignore[arg-type]  # None brings Qt's own bar back
        )
        return dock

    def _make_actions(self) -> None:
        self.project_handler = ProjectHandler(self)
        self.judge_handler = JudgeHandler(self, self.project_handler)
        self.view_handler = ViewHandler(self)
        handlers = {
            "project": self.project_handler,
            "edit": EditHandler(self, self.view_handler),
            "judge": self.judge_handler,
            "view": self.view_handler,
            "help": HelpHandler(self),
        }
        self.actions_by_name = ActionBinder(self, handlers)
        self.assessor_button = AssessorBadge(self)
        self.assessor_button.setToolTip("Who judges")
        self.assessor_button.clicked.connect(self.judge_handler.assessor)
        self.menuBar().setCornerWidget(self.assessor_button)
        self.view_handler.show_switches()

    def _connect(self) -> None:
        trigger = self.actions_by_name.action
        bar = self.workspace.grade_bar
        bar.level_chosen.connect(lambda grade: self.judge_handler.grade(grade, origin="click"))
        bar.action_chosen.connect(self.judge_handler.do_bar_action)
        bar.banner_chosen.connect(self.judge_handler.answer_banner)
        self.status.retry_requested.connect(lambda: self.judge_handler.answer_banner("retry"))
        self.status.save_elsewhere_requested.connect(trigger("project.save_copy").trigger)
        self.status.view_requested.connect(trigger("judge.view").trigger)
        self.status.scale_requested.connect(trigger("project.scale").trigger)
        self.status.keys_requested.connect(trigger("help.keys").trigger)
        self.status.message_action_requested.connect(
            lambda name: trigger(f"edit.{name}").trigger() if name in ("undo", "redo") else None
        )
        self.workspace.results.tools.scores_toggled.connect(self.view_handler.keep_scores)
        self.workspace.document.highlight_toggled.connect(self.view_handler.highlights)
        self.workspace.document.zoom_changed.connect(self.view_handler.keep_zoom)
        self.welcome.sample_chosen.connect(trigger("project.sample").trigger)
        self.welcome.new_chosen.connect(trigger("project.new").trigger)
        self.welcome.open_chosen.connect(trigger("project.open").trigger)
        self.welcome.recent_chosen.connect(lambda path: self.try_open(Path(path)))
        self.welcome.locate_chosen.connect(self.project_handler.locate)
        self.welcome.removed.connect(self.project_handler.forget)
        self.welcome.files_dropped.connect(self.project_handler.take_files)

    @property
    def widget(self) -> QWidget:
        """The window itself, as the parent of dialogs."""
        return self

    # Settings

    def change_settings(self, **values: Any) -> None:  # noqa: ANN401 - one of the settings each
        """Keep changed preferences; a home that cannot be written is said and no more."""
        self.settings = replace(self.settings, **values)
        problem = save_settings(self.settings)
        if problem:
            self.status.show_message(problem)

    @property
    def assessor(self) -> str:
        """Who judges; ``""`` while nobody is named."""
        return self._given_assessor or self.settings.assessor

    def name_assessor(self, name: str) -> None:
        """Keep who judges from now on."""
        self._given_assessor = ""
        self.change_settings(assessor=name)

    def choose_theme(self, theme: str) -> None:
        """Keep and show another theme: ``light``, ``dark`` or ``system``."""
        self._given_theme = ""
        self.change_settings(theme=theme)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Show the chosen theme, or the system's."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            named = {"light": LIGHT, "dark": DARK}
            wanted = self._given_theme or self.settings.theme
            set_theme(app, named.get(wanted) or system_theme())

    # Projects

    @property
    def session(self) -> Session | None:
        """The open project, or ``None``."""
        return self.view.session if self.view else None

    def try_open(self, path: Path) -> bool:
        """Open a project, or say why it cannot be opened; return whether it is open."""
        try:
            session = open_project(path, assessor=self.assessor)
        except JudgetoolError as problem:
            self.prompter.tell(str(problem))
            return False
        self.show_session(session)
        return True

    def show_session(self, session: Session) -> None:
        """Show an open project in place of whatever is shown."""
        self.close_project()
        view = self.settings.views.get(session.uuid)
        if view:
            session.set_view(view)
        self.actions_by_name.bind_grades(session.scale)
        self.view = ProjectView(
            session,
            queries=self.queries,
            workspace=self.workspace,
            live=self.live,
            status=self.status,
            parent=self,
        )
        self.view.judging.moves_on = self.settings.moves_on
        self.judge_handler.connect_project(self.view)
        self._middle.setCurrentWidget(self.workspace)
        self._show_docks()
        self._show_project_state()
        place = self.state.find_place(session.uuid)
        self.view.judging.start(
            query_id=place.query_id if place else "", document_id=place.document_id if place else ""
        )
        self.workspace.results.setFocus()
        self.remember()
        # What was just loaded stays: looking through it for garbage would stop the window
        # for 50 ms and more, every few hundred keys.
        gc.collect()
        gc.freeze()

    def _show_project_state(self) -> None:
        session = self.session
        can_judge = session is not None and not session.read_only_reason
        self.actions_by_name.set_enabled(has_project=session is not None, can_judge=can_judge)
        title = f"{session.title} – judgetool" if session else "judgetool"
        self.setWindowTitle(title)
        name = session.assessor if session else self.assessor
        self.assessor_button.setText(name or "Who judges?")
        self.assessor_button.setAccessibleName(f"Assessor: {name or 'nobody'}")
        self.overlay.set_groups(
            key_groups(session.scale if session else None),
            remark="Keys never fire while you type in a field.",
        )

    def refresh_project(self) -> None:
        """Show anew what hangs on the project's own values: title, scale, who judges."""
        if self.session is not None:
            self.actions_by_name.bind_grades(self.session.scale)
        self._show_project_state()

    def remember(self) -> None:
        """Keep the project among the recent ones, with how far it is and where one stands."""
        if self.view is None:
            return
        session = self.view.session
        progress = session.board.total_progress()
        entry = RecentEntry(str(session.path.resolve()), progress.judged, progress.total, utc_ms())
        self.settings = self.settings.with_recent(entry)
        save_settings(self.settings)
        if any(self.view.place):
            self.state.save_place(session.uuid, Place(*self.view.place))

    def close_project(self) -> None:
        """Close what is open and show the welcome."""
        if self.view is None:
            return
        self.remember()
        self.jobs.stop_all()
        session = self.view.session
        self.view.close()
        self.view.deleteLater()
        self.view = None
        session.close()
        self.show_welcome()

    def show_welcome(self) -> None:
        """Show the start page."""
        self.welcome.set_recent(recent_projects(self.settings))
        self._middle.setCurrentWidget(self.welcome)
        self.queries_dock.hide()
        self.live_dock.hide()
        self.status.set_nothing()
        self.status.set_ends(remark="Works offline. Nothing leaves this machine.")
        self.actions_by_name.bind_grades(None)
        self._show_project_state()
        self.welcome.setFocus()

    # Room

    def _show_docks(self) -> None:
        """Show the docks that the person wants, as far as the window has room for them."""
        has_project = self.view is not None
        self.queries_dock.setVisible(
            has_project and self.view_handler.wants_queries and self.width() >= FOLD_QUERIES
        )
        self.live_dock.setVisible(has_project and self.view_handler.wants_live)
        is_narrow = self.width() < NARROW_LIVE
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._fit_docks(is_narrow=is_narrow)
        is_low = self.height() < FOLD_EXPLAIN or is_narrow
        self.live.explain.setVisible(not is_low)
        self.live.course.setVisible(not is_low)

    def _fit_docks(self, *, is_narrow: bool) -> None:
        """Give the docks their first widths, and others where the window gets narrow or wide."""
        self.live.setMinimumWidth(200 if is_narrow else 300)
        self.live.setMaximumWidth(232 if is_narrow else 520)
        docks, widths = [self.live_dock], [220 if is_narrow else 340]
        if not self._has_own_widths:
            docks, widths = [self.queries_dock, *docks], [264, *widths]
        self.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold what there is no room for; what the person arranged is kept."""
        super().resizeEvent(event)
        if self.view is not None:
            self._show_docks()

    def show_docks(self) -> None:
        """Show or hide docks after the person has switched one."""
        self._show_docks()

    # Life

    @override
    def event(self, event: QEvent) -> bool:
        """Prepare what the next frame shows; tell when it has been painted and handed over."""
        if event.type() is QEvent.Type.UpdateRequest:
            self.live.prepare_frame()
        handled = super().event(event)
        if event.type() is QEvent.Type.UpdateRequest:
            self.painted.emit()
        return handled

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep where everything stands, and close the project."""
        self.state.save_window(STATE, self)
        self.state.save_splitter(STATE, self.workspace.splitter)
        self.remember()
        if self.view is not None:
            self.jobs.stop_all()
            session = self.view.session
            self.view.close()
            self.view = None
            session.close()
        self.jobs.close()
        self.state.sync()
        super().closeEvent(event)

    def restore(self, *, default: Callable[[], None]) -> None:
        """Put the window where it was, or as it is by default."""
        self._has_own_widths = self.state.restore_window(STATE, self)
        if not self._has_own_widths:
            default()
        self.state.restore_splitter(STATE, self.workspace.splitter)
        self._show_docks()
