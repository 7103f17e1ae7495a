"""What the handlers of actions may use of the main window.

The window imports its handlers; naming what they need here keeps the arrow one-way.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtWidgets import QWidget

from judgetool.gui.action_binder import ActionBinder
from judgetool.gui.jobs import Jobs
from judgetool.gui.key_watch import KeyWatch
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.project_view import ProjectView
from judgetool.gui.prompter import Prompter
from judgetool.gui.schedule import Schedule
from judgetool.gui.views import Docks, Views
from judgetool.gui.widgets.keys_overlay import KeysOverlay
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.window_state import WindowState
from judgetool.gui.workspace import Workspace
from judgetool.session.session import Session
from judgetool.settings import Settings


class AppWindow(Protocol):
    """The main window as its handlers see it.

    Attributes:
        view: the open project's panels, or ``None``.
        settings: the person's preferences.
        state: where windows stood, what was looked at.
        jobs: background work.
        prompter: asks the person.
        views: which view is shown.
        docks: what stands beside it.
        key_watch: knows when keys went down, and whether somebody works.
        schedule: when what a key does not wait for is shown.
    """

    view: ProjectView | None
    settings: Settings
    state: WindowState
    jobs: Jobs
    prompter: Prompter
    workspace: Workspace
    queries: QueryList
    live: LivePanel
    status: StatusLine
    overlay: KeysOverlay
    views: Views
    docks: Docks
    key_watch: KeyWatch
    schedule: Schedule
    actions_by_name: ActionBinder

    @property
    def widget(self) -> QWidget:
        """The window itself, as the parent of dialogs."""

    @property
    def session(self) -> Session | None:
        """The open project, or ``None``."""

    @property
    def assessor(self) -> str:
        """Who judges; ``""`` while nobody is named."""

    @property
    def has_focus_side(self) -> bool:
        """Whether one document is in focus, with what helps to judge it beside it."""

    def name_assessor(self, name: str) -> None:
        """Keep who judges from now on."""

    def choose_theme(self, theme: str) -> None:
        """Keep and show another theme: ``light``, ``dark`` or ``system``."""

    def take_preferences(self, changed: Mapping[str, Any]) -> None:
        """Keep changed preferences, and show everything by them."""

    def choose_view(self, view: str) -> None:
        """Count other judgments from now on, in this project: a rule's name, or ``mine``."""

    def change_settings(self, **values: Any) -> None:  # noqa: ANN401 - one of the settings each
        """Keep changed preferences."""

    def try_open(self, path: Path, *, asks: bool = True) -> bool:
        """Open a project, or say why it cannot be opened; return whether it is open."""

    def remember_place(self) -> None:
        """Keep where one stands."""

    def leave_project(self) -> bool:
        """Close what is open, unless the person wants to stay; return whether nothing is open."""

    def refresh_project(self) -> None:
        """Show anew what hangs on the project's own values: title, scale, who judges."""

    def show_docks(self) -> None:
        """Show or hide docks after the person has switched one."""

    def close(self) -> bool:
        """End the program."""
