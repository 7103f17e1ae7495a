"""The main window: it places panels, menus and docks, and knows which project is open."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from judgetool.core import override
from judgetool.core.clock import utc_ms
from judgetool.errors import JudgetoolError, ProjectDamagedError, take_notices
from judgetool.gui import keep_loaded
from judgetool.gui.actions import JUDGING_MODES, Mode
from judgetool.gui.announcer import Announcer
from judgetool.gui.context_menus import ContextMenus
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.handlers.edit import EditHandler, FilterHandler, MaterialHandler
from judgetool.gui.handlers.flow import FlowHandler, GuidelinesOnce, ReadHandler
from judgetool.gui.handlers.hub import HubHandler
from judgetool.gui.handlers.judge import JudgeHandler, QueueHandler, SettleHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.repair import FileWatch, RepairHandler, SafetyWatch
from judgetool.gui.handlers.view import (
    AgreementHandler,
    CompareHandler,
    HelpHandler,
    ViewHandler,
    WhatIfHandler,
)
from judgetool.gui.jobs import Collector, Jobs, ProjectPanel, Schedule
from judgetool.gui.judging import OnScreen
from judgetool.gui.keymap import KEYS, PRESSING, Keymap, KeyWatch, press_focused
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.painting import enclosed
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.project_view import Parts, ProjectView
from judgetool.gui.theme import THEMES, current_theme, follow_system, set_theme, system_theme
from judgetool.gui.views import Docks, Views, ViewStack
from judgetool.gui.widgets.buttons import AssessorBadge, BlindButton
from judgetool.gui.widgets.keys_overlay import KeysOverlay
from judgetool.gui.widgets.painted import RowTeller, say_once
from judgetool.gui.widgets.status_line import StatusHolder, StatusLine, TopLine
from judgetool.gui.widgets.welcome import FileTarget, WelcomeView
from judgetool.gui.window import ActionBinder, Keyboard
from judgetool.gui.window_state import LastPlace, WindowState, recent_projects
from judgetool.gui.workspace import Workspace
from judgetool.session.history import find_last_judged
from judgetool.session.opening import is_same_project, open_project
from judgetool.session.session import Session
from judgetool.settings import RecentEntry, load_settings, save_settings
from judgetool.wording import _

_LOG = logging.getLogger(__name__)
STATE = "main"
_DIVIDED = "list-and-document"
USUAL_SIZE = (1440, 900)


class MainWindow(FileTarget, QMainWindow):
    """One window, one project at a time; without one it shows the welcome.

    Args:
        assessor: who judges this time; ``""`` takes the name in the preferences.
        theme: the name of one for this time; ``""`` takes the preference.

    Signals:
        painted: everything that had to be drawn anew has been (for benchmarks and tests).

    Attributes:
        view: the open project's panels, or ``None``.
        settings: the person's preferences.
        jobs: background work.
        prompter: asks the person.
        views: which view is shown.
        docks: what stands beside it.
    """

    painted = Signal()
    actions_by_name: ActionBinder
    whatif_handler: WhatIfHandler
    compare_handler: CompareHandler
    agreement_handler: AgreementHandler
    settle_handler: SettleHandler

    def __init__(self, *, assessor: str = "", theme: str = "") -> None:
        super().__init__()
        take_notices()
        self.settings = load_settings()
        self.state = WindowState()
        self._given_assessor = assessor
        self._given_theme = theme
        self._has_had_project = False
        self.collector = Collector(self)
        self.jobs = Jobs(self)
        self.key_watch = KeyWatch(self)
        self.prompter = Prompter(self)
        self.view: ProjectView | None = None
        self._kept_place: LastPlace | None = None
        # Each panel is made where it will stand: what moves to another parent is dressed anew.
        middle = ViewStack(self)
        self.setCentralWidget(middle)
        self.docks = Docks(self)
        self.workspace = Workspace(middle, beside=self.docks.stack)
        self.workspace.results.model.finder.jobs = self.jobs
        self.queries = QueryList(self.docks.queries)
        self.queries.model.finder.jobs = self.jobs
        self.schedule = Schedule(self)
        self.live = LivePanel(self.jobs, self.schedule, self.docks.stack)
        self.status = StatusLine()
        self.welcome = WelcomeView(middle)
        self.blind_button = BlindButton()
        self._place_panels(middle)
        self._make_actions()
        self.overlay = KeysOverlay(self)
        self._keyboard = Keyboard(
            self.actions_by_name, self.overlay, self.workspace, self.blind_button, self.key_watch
        )
        self.context_menus = ContextMenus(self)
        self.setMinimumSize(960, 600)
        self.setAcceptDrops(True)
        self.setAnimated(False)
        follow_system(self.apply_theme)
        self._connect()
        self.show_welcome()

    # Building

    def _side_panels(self) -> Mapping[Mode, Sequence[QWidget]]:
        """Return what stands beside each view, from above: the list for panels of the project."""
        return {Mode.LIST: (self.live,), Mode.FOCUS: (self.workspace.side,)}

    def _place_panels(self, middle: ViewStack) -> None:
        sides = self._side_panels()
        beside = [each for panels in sides.values() for each in panels]
        every = (self.queries, *self.workspace.panels, *beside)
        self.panels = tuple(each for each in every if isinstance(each, ProjectPanel))
        for panel in self.panels:
            panel.schedule = self.schedule
        self.views = Views(
            self.welcome,
            self.workspace,
            sides=sides,
            pages={
                Mode.WHATIF: lambda: self.whatif_handler.make_page(),  # noqa: PLW0108 - made later
                Mode.COMPARE: lambda: self.compare_handler.make_page(),  # noqa: PLW0108 - likewise
                Mode.AGREEMENT: lambda: self.agreement_handler.make_page(),  # noqa: PLW0108 - likewise
                Mode.SETTLE: lambda: self.settle_handler.make_page(),  # noqa: PLW0108 - likewise
            },
            middle=middle,
            side=self.docks.stack,
        )
        self.docks.queries.setWidget(self.queries)
        self.setStatusBar(StatusHolder(self.status))

    def _make_actions(self) -> None:
        self.project_handler = ProjectHandler(self)
        self.hub_handler = HubHandler(self)
        self.queue_handler = QueueHandler(self)
        self.judge_handler = JudgeHandler(self, self.project_handler, self.queue_handler)
        self.view_handler = ViewHandler(self)
        self.read_handler = ReadHandler(self, self.judge_handler)
        self.whatif_handler = WhatIfHandler(self)
        self.compare_handler = CompareHandler(self)
        self.agreement_handler = AgreementHandler(self)
        self.settle_handler = SettleHandler(self, self.judge_handler)
        self.flow_handler = FlowHandler(self, self.judge_handler, self.blind_button)
        self.file_watch = FileWatch(self, self.judge_handler, self.project_handler)
        self.repair_handler = RepairHandler(self)
        self.safety_watch = SafetyWatch(self, self.judge_handler, self.repair_handler)
        self.edit_handler = EditHandler(self, self.view_handler, self.judge_handler)
        self.filter_handler = FilterHandler(self)
        self.material_handler = MaterialHandler(self)
        self.help_handler = HelpHandler(self, self.project_handler, self.whatif_handler)
        GuidelinesOnce(self)
        keymap = Keymap(self.settings.key_preset, self.settings.keys)
        self.actions_by_name = ActionBinder(self, self.judge_handler, keymap)
        self.assessor_button = AssessorBadge()
        self.assessor_button.clicked.connect(self.judge_handler.assessor)
        self.top_line = TopLine(
            self.menuBar(),
            self.views.modes,
            blind=self.blind_button,
            assessor=self.assessor_button,
        )
        self.view_handler.show_switches()
        self.read_handler.show_switches()
        RowTeller(self)

    def _connect(self) -> None:
        """Say what follows what: of panels, of the status line, of the start page."""
        judge, project, view = self.judge_handler, self.project_handler, self.view_handler
        bar, results = self.workspace.grade_bar, self.workspace.results
        document, status, welcome = self.workspace.document, self.status, self.welcome
        for signal, act in (
            (self._keyboard.preset_chosen, lambda name: self.change_settings(key_preset=name)),
            (self.views.changing, self.docks.keep_widths),
            (self.views.changed, self._on_mode),
            (self.actions_by_name.refused, status.show_message),
            (self.blind_button.clicked, "flow.blind"),
            (self.painted, self.key_watch.note_painted),
            (self.top_line.switch.chosen, view.show),
            (bar.level_chosen, lambda grade, origin: judge.grade(grade, origin=origin)),
            (bar.action_chosen, judge.do_bar_action),
            (bar.banner_chosen, judge.answer_banner),
            (bar.banner_chosen, self.safety_watch.ask_later),
            (bar.number_given, lambda grade, stays: judge.grade(grade, stays=stays)),
            (bar.entry.off_scale, status.show_message),
            (bar.entry.left, self.workspace.take_keyboard),
            (status.retry.clicked, lambda: judge.answer_banner("retry")),
            (status.elsewhere.clicked, lambda: judge.answer_banner("save_elsewhere")),
            (status.view.clicked, "judge.view"),
            (status.hub.clicked, "hub.show"),
            (status.scale.clicked, "project.scale"),
            (status.keys.clicked, "help.keys"),
            (status.message_action_requested, self._do_again),
            (results.import_wanted, "project.import_files"),
            (results.table.opened, "view.focus"),
            (results.tools.scores_toggled, partial(view.prefer, "view.scores")),
            (document.highlight_toggled, partial(view.prefer, "view.highlights")),
            (document.zoom_changed, view.keep_zoom),
            (welcome.sample.clicked, "project.sample"),
            (welcome.new.clicked, "project.new"),
            (welcome.open.clicked, "project.open"),
            (welcome.hub.clicked, "hub.show"),
            (welcome.recent.chosen, project.take_asked),
            (welcome.recent.locate_chosen, project.locate),
            (welcome.recent.removed, project.forget),
            (welcome.files_dropped, project.take_files),
        ):
            # The name of an action is what does it.
            do = self.actions_by_name.action(act).trigger if isinstance(act, str) else act
            signal.connect(do)
        self._add_recent_menu()

    def _do_again(self, name: str) -> None:
        groups = {"undo": "edit", "redo": "edit", "merge": "project", "decide_on": "compare"}
        if name == "open_copy":
            self.project_handler.open_copy()
        elif name in groups:
            self.actions_by_name.action(f"{groups[name]}.{name}").trigger()

    def _add_recent_menu(self) -> None:
        """Offer the projects that were open before, in the Project menu."""
        project = self.actions_by_name.menus["Project"]
        menu = QMenu(_("Open recent"), project)
        project.insertMenu(self.actions_by_name.action("project.sample"), menu)

        def fill() -> None:
            menu.clear()
            for recent in recent_projects(self.settings):
                name = f"{recent.name}   {recent.folder}".replace("&", "&&")
                action = menu.addAction(
                    _("{name}   (missing)").format(name=name) if recent.is_missing else name
                )
                action.setEnabled(not recent.is_missing)
                action.triggered.connect(lambda _on=False, at=Path(recent.path): self.try_open(at))
            if menu.isEmpty():
                menu.addAction(_("No project was open before")).setEnabled(False)

        menu.aboutToShow.connect(fill)

    @property
    def widget(self) -> QWidget:
        """The window itself, as the parent of dialogs."""
        return self

    @property
    def has_focus_side(self) -> bool:
        """Whether one document is in focus, with what helps to judge it beside it."""
        return self.views.mode is Mode.FOCUS and self.docks.side.isVisible()

    def open_help(self, page: str) -> None:
        """Open a page of the help, by its name."""
        self.help_handler.open_page(page)

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

    def take_preferences(self, changed: Mapping[str, Any]) -> None:
        """Keep changed preferences, and show everything by them."""
        name = changed.get("assessor", "")
        self.change_settings(**{key: each for key, each in changed.items() if key != "assessor"})
        if "theme" in changed:
            self._given_theme = ""
            self.apply_theme()
        if "key_preset" in changed:
            keymap = self.actions_by_name.keymap
            self.actions_by_name.set_keymap(Keymap(self.settings.key_preset, keymap.changes))
        self.view_handler.show_preferences()
        self.read_handler.show_page()
        self.flow_handler.show_flow()
        self.flow_handler.show_blindness()
        if name:
            self.judge_handler.take_assessor(name)

    def choose_view(self, view: str) -> None:
        """Count other judgments from now on, in this project: a rule's name, or ``mine``.

        What the preferences say is what holds; every panel then follows it at once.
        """
        if self.session is not None:
            self.change_settings(views=self.settings.with_view(self.session.path, view).views)
            self.flow_handler.show_blindness()

    def choose_theme(self, theme: str) -> None:
        """Keep and show another theme, by its name; ``system`` for the system's."""
        self._given_theme = ""
        self.change_settings(theme=theme)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Show the chosen theme, or the system's."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        set_theme(app, THEMES.get(self._given_theme or self.settings.theme) or system_theme())
        self.actions_by_name.action("view.contrast").setChecked(current_theme().is_high)

    # Projects

    @property
    def session(self) -> Session | None:
        """The open project, or ``None``."""
        return self.view.session if self.view else None

    def _look(self) -> OnScreen:
        is_excerpt = self.workspace.document.page.is_excerpt
        return OnScreen(self.views.mode, self.live.isVisible(), is_excerpt)

    def open_session(self, path: Path, assessor: str = "") -> Session:
        """Open a project, a hub's under the name there unless another was given; see ``open_project``."""
        name = assessor or self._given_assessor
        return open_project(path, assessor=name or self.assessor, as_member=not name)

    def try_open(self, path: Path, *, asks: bool = True, assessor: str = "") -> bool:
        """Open a project, or say why it cannot be opened; return whether it is open.

        What is open stays open where the other cannot be, where it is the very same, and
        where the person would rather not leave it as it is.

        Args:
            path: the project file.
            asks: whether to ask before something that is not saved is left.
            assessor: who is to judge in it; ``""`` for whom the window and the project know.
        """
        if self.session is not None and is_same_project(self.session, path):
            self.status.show_message(_("{name} is open already.").format(name=path.name))
            return True
        try:
            session = self.open_session(path, assessor)
        except ProjectDamagedError as problem:
            self.repair_handler.offer(path, problem.in_short)
            return False
        except JudgetoolError as problem:
            self.prompter.tell(str(problem))
            return False
        if asks and not self.judge_handler.may_leave():
            session.close()
            return False
        self.show_session(session)
        return True

    def leave_project(self, *, is_for_other: bool = False) -> bool:
        """Close what is open, unless the person wants to stay; return whether nothing is open."""
        if not self.judge_handler.may_leave():
            return False
        self.close_project(is_for_other=is_for_other)
        return True

    def show_session(self, session: Session) -> None:
        """Show an open project in place of whatever is shown."""
        self.close_project(is_for_other=True)
        self.flow_handler.take_session(session)
        self.actions_by_name.bind_grades(session.scale)
        self.view = ProjectView(
            session,
            self.panels,
            Parts(
                queries=self.queries,
                workspace=self.workspace,
                live=self.live,
                status=self.status,
                schedule=self.schedule,
                jobs=self.jobs,
                key_watch=self.key_watch,
                look=self._look,
            ),
            parent=self,
            blindness=self.flow_handler.blindness,
        )
        self.announcer = Announcer(self.view, self)
        self.actions_by_name.switched.connect(self.announcer.say_switch)
        self.judge_handler.connect_project(self.view)
        self.flow_handler.connect_project(self.view)
        self.safety_watch.connect_project(self.view)
        self.file_watch.connect_project(self.view)
        self.hub_handler.connect_project(self.view)
        self.whatif_handler.connect_project(self.view)
        place = self.state.find_place(_place_key(session)) or LastPlace("", "")
        if place.measure != self.live.measure and place.measure in map(str, session.measures):
            self.live.choose_measure(place.measure)
        self.view.judging.start(
            query_id=place.query_id, document_id=place.document_id, run=place.run
        )
        last = find_last_judged(session) if session.ended_uncleanly else None
        if last is not None and last[0] > (int(place.at) if place.at.isdecimal() else 0):
            # It was killed: a judgment is durable at once, the place is kept every few seconds.
            self.view.judging.show_place(*last[1:])
            if self.view.judging.document == last[2]:
                self.view.judging.move_to_next_unjudged()
        if place.mode in JUDGING_MODES:
            self.views.mode = Mode(place.mode)
        self.views.set_project(self.view)
        self.compare_handler.connect_project(self.view)
        # Until that is safe on the disk takes a while.
        self.schedule.after_frame(self.remember)
        # Of the first project nothing is garbage yet.
        keep_loaded(is_searched=self._has_had_project)
        self._has_had_project = True

    def _show_project_state(self) -> None:
        session = self.session
        can_judge = session is not None and not session.read_only_reason
        closed = self.flow_handler.closed
        if "leads" in closed and self.views.mode is Mode.SETTLE:
            self.views.show(Mode.LIST)
        self.actions_by_name.set_enabled(
            has_project=session is not None,
            can_judge=can_judge,
            mode=self.views.mode,
            closed=closed,
        )
        self.top_line.show_for(has_project=session is not None, closed=closed)
        self.setWindowTitle(_title_of(session) if session else "judgetool")
        self.setWindowFilePath(str(session.path) if session else "")
        name = session.assessor if session else self.assessor
        self.assessor_button.setText(name or _("Who judges?"))
        self.assessor_button.setAccessibleName(
            _("Assessor: {name}").format(name=name) if name else _("Who judges?")
        )
        self._keyboard.show_keys(self.views.mode)

    def refresh_project(self) -> None:
        """Show anew what hangs on the project's own values: title, scale, who judges."""
        if self.session is not None:
            self.actions_by_name.bind_grades(self.session.scale)
        self.flow_handler.show_blindness()
        self.show_docks()
        self._show_project_state()

    def remember(self) -> None:
        """Keep the project among the recent ones, with how far it is and where one stands."""
        if self.view is None:
            return
        session = self.view.session
        progress = session.board.total_progress()
        path = str(session.path.resolve())
        entry = RecentEntry(path, progress.judged, progress.total, utc_ms(), session.title)
        self.settings = self.settings.with_recent(entry)
        save_settings(self.settings)
        self.remember_place()

    def remember_place(self, *, assessor: str = "") -> None:
        """Keep where one stands, if that is another place than was kept; also against a kill.

        Args:
            assessor: who goes on from there, where nobody had said who judges.
        """
        if self.view is None or not any(self.view.place):
            return
        judging, measure = self.view.judging, self.live.measure
        place = LastPlace(*self.view.place, judging.run_name, self.views.mode, measure=measure)
        if assessor or place != self._kept_place:
            self._kept_place = place
            key = _place_key(self.view.session, assessor)
            self.state.save_place(key, place._replace(at=str(utc_ms())))

    def close_project(self, *, is_for_other: bool = False) -> None:
        """Close what is open and show the welcome, but where another one is opened at once."""
        if self.view is None:
            return
        focused: QWidget | None = self.focusWidget()
        if focused is not None:
            # Else Qt leads the keyboard, and who listens, through all that goes.
            focused.clearFocus()
        self._let_go()
        if is_for_other:
            self.views.forget_project()
            self._show_nothing()
        else:
            self.show_welcome()
        self.safety_watch.tell()

    def _let_go(self) -> None:
        """Keep where one is, stop what works on the project, and close it."""
        if self.view is None:
            return
        self.remember()
        self.file_watch.stop()
        self.hub_handler.stop()
        view, self.view = self.view, None
        view.close()
        view.deleteLater()
        # Last, so that nothing works on it that was begun while it was let go.
        self.jobs.stop_all()
        view.session.close()

    def show_welcome(self) -> None:
        """Show the start page."""
        self.welcome.set_recent(recent_projects(self.settings))
        self.views.set_project(None)
        self._show_nothing()
        self.welcome.take_keyboard()

    def _show_nothing(self) -> None:
        """Show around the middle that no project is open."""
        self.flow_handler.take_session(None)
        self.docks.hide()
        self.status.set_nothing()
        self.status.set_ends(
            remark=_("Works offline. Nothing leaves this machine but to a hub that you join.")
        )
        self.actions_by_name.bind_grades(None)
        self._show_project_state()

    # Room

    def show_docks(self) -> None:
        """Show or hide what stands around the view, after either has changed."""
        if self.view is None:
            self.docks.hide()
            return
        self.views.set_blind(is_blind=self.flow_handler.blindness.is_on)
        self.docks.show(self.views.room)
        self.live.show_further(has_room=not self.docks.is_low)

    def _on_mode(self) -> None:
        self.top_line.switch.set_current(self.views.mode)
        self.show_docks()
        self._show_project_state()
        if self.view is not None:
            self.announcer.say_view(self.views.mode)
        say_once(self.findChildren(QWidget))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Watch the keys of the native window, which is there from now on."""
        super().showEvent(event)
        self.key_watch.watch(self.windowHandle())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold what there is no room for; what the person arranged is kept."""
        super().resizeEvent(event)
        if self.view is not None:
            self.show_docks()

    # Files dropped

    @override
    def take_files(self, paths: list[str]) -> None:
        """Open a project, or import what else was dropped, once its giver is free again."""
        QTimer.singleShot(0, lambda: self.project_handler.take_files(paths))

    # Life

    @override
    def event(self, event: QEvent) -> bool:
        """Prepare what the next frame shows, tell when it has been painted; give keys to what has them."""
        kind = event.type()
        if kind is QEvent.Type.UpdateRequest:
            self.schedule.begin_frame()
            handled = super().event(event)
            self.painted.emit()
            return handled
        if kind in KEYS and isinstance(event, QKeyEvent) and event.key() in PRESSING:
            return press_focused(event) or super().event(event)
        if kind is QEvent.Type.MouseButtonRelease:
            # A dock may have been dragged to another width.
            QTimer.singleShot(0, self.docks.keep_widths)
        elif kind is QEvent.Type.WindowActivate and self.view is not None:
            self.announcer.note_active()
        return super().event(event)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep where everything stands, and close the project; asks where something is not saved."""
        if not self.judge_handler.may_leave():
            event.ignore()
            return
        self.state.save_window(STATE, self)
        if self.workspace.has_own_sizes:
            self.state.save_splitter(_DIVIDED, self.workspace.splitter)
        # Nobody looks on while the last backup is made.
        self.hide()
        self._let_go()
        told = take_notices()
        if told:
            # Nobody would read it in the status line any more.
            self.prompter.tell(" ".join(told))
        self.jobs.close()
        self.collector.end()
        self.state.sync()
        super().closeEvent(event)

    def end(self) -> None:
        """Close the project because the system ends the program: nobody is asked or told."""
        self._let_go()

    def restore(self) -> None:
        """Put the window where it was, or as it is by default; on the screen it is whole."""
        is_known = self.state.restore_window(STATE, self)
        usual = None if is_known else QSize(*USUAL_SIZE)
        self.state.keep_on_screen(self, usual=usual)
        splitter = self.workspace.splitter
        self.workspace.has_own_sizes = self.state.restore_splitter(_DIVIDED, splitter)
        self.show_docks()


def _title_of(session: Session) -> str:
    """Return the window’s title: the project’s, and its file where that cannot be told from it."""
    title, path = session.title, session.path
    if title.casefold() == path.stem.casefold():
        return _("{title} – judgetool").format(title=title)
    return _("{title} ({name}) – judgetool").format(title=title, name=enclosed(path.name))


def _place_key(session: Session, assessor: str = "") -> str:
    """Return what a place is kept under: copies of a project, and who judges, have their own."""
    return f"{session.uuid} {session.path.resolve()} {session.assessor or assessor}"
