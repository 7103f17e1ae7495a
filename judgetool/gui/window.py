"""What the handlers of actions may use of the main window.

The window imports its handlers; naming what they need here keeps the arrow one-way. Handlers
know the window, the session and the prompter; they hold no state of the project and do no
painting. An action that needs a project is closed without one: what does it need not ask.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from judgetool.errors import JudgetoolError
from judgetool.gui.action_binder import ActionBinder
from judgetool.gui.dialogs.act_dialog import Answering, ask
from judgetool.gui.jobs import Jobs, Schedule
from judgetool.gui.keymap import KeyWatch
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.project_view import ProjectView
from judgetool.gui.prompter import Prompter
from judgetool.gui.views import Docks, Views
from judgetool.gui.widgets.banner import BannerText, Mood, with_keys
from judgetool.gui.widgets.buttons import BlindButton
from judgetool.gui.widgets.keys_overlay import KeysOverlay
from judgetool.gui.widgets.status_line import StatusLine, TopLine
from judgetool.gui.window_state import WindowState
from judgetool.gui.workspace import Workspace
from judgetool.session.commands import SetScale, SetValues
from judgetool.session.session import Session
from judgetool.settings import Settings
from judgetool.wording import _

Answer = TypeVar("Answer")


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
        top_line: menus, switch of views, Blind and assessor.
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
    top_line: TopLine
    blind_button: BlindButton

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
        """Keep and show another theme, by its name; ``system`` for the system's."""

    def take_preferences(self, changed: Mapping[str, Any]) -> None:
        """Keep changed preferences, and show everything by them."""

    def choose_view(self, view: str) -> None:
        """Count other judgments from now on, in this project: a rule's name, or ``mine``."""

    def change_settings(self, **values: Any) -> None:  # noqa: ANN401 - one of the settings each
        """Keep changed preferences."""

    def try_open(self, path: Path, *, asks: bool = True, assessor: str = "") -> bool:
        """Open a project, or say why it cannot be opened; return whether it is open."""

    def remember_place(self) -> None:
        """Keep where one stands."""

    def leave_project(self) -> bool:
        """Close what is open, unless the person wants to stay; return whether nothing is open."""

    def refresh_project(self) -> None:
        """Show anew what hangs on the project's own values: title, scale, who judges."""

    def show_docks(self) -> None:
        """Show or hide docks after the person has switched one."""

    def open_help(self, page: str) -> None:
        """Open a page of the help, by its name."""

    def close(self) -> bool:
        """End the program."""


class Handler:
    """Does the actions of a group.

    Args:
        window: the main window.
    """

    def __init__(self, window: AppWindow) -> None:
        self._window = window

    @property
    def _widget(self) -> QWidget:
        """The window as the parent of dialogs."""
        return self._window.widget

    @property
    def _view(self) -> ProjectView:
        """The open project's panels.

        Raises:
            RuntimeError: no project is open; what needs one is not offered then.
        """
        view = self._window.view
        if view is None:
            raise RuntimeError("what needs a project was done without one")
        return view

    @property
    def _session(self) -> Session:
        """The open project; raises as :attr:`_view` does."""
        return self._view.session

    def _trigger(self, action: str) -> None:
        """Do what another action does, by its name, as if it were chosen."""
        self._window.actions_by_name.action(action).trigger()

    def _ask(self, dialog: Answering[Answer]) -> Answer | None:
        """Show a dialog and wait; return its answer, ``None`` where its verb was not chosen."""
        return ask(dialog, self._widget)

    def attempt(self, act: Callable[[], object]) -> bool:
        """Do something, or say why it cannot be done; return whether it was."""
        try:
            act()
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
            return False
        return True

    def execute(self, command: SetScale | SetValues | None) -> None:
        """Change one of the project's own values, or say why it cannot be; nothing for ``None``."""
        if command is not None:
            self.attempt(lambda: self._session.execute(command))

    def change(self, dialog: Answering[SetValues | None]) -> None:
        """Let a dialog be answered with a change of the project's own values, and make it."""
        # The answer itself may say why it cannot be.
        self.attempt(lambda: self.execute(self._ask(dialog)))

    def _say(self, sentence: str, *, offers_undo: bool = False, stays: bool = False) -> None:
        """Say something in the status line, perhaps with Undo beside it; ``""`` says nothing."""
        if sentence:
            undo = ("undo", _("Undo")) if offers_undo else ("", "")
            self._window.status.show_message(
                sentence, action=undo[0], action_text=undo[1], stays=stays
            )

    def _ask_below(
        self, mood: Mood, sentence: str, *answers: tuple[str, str], escape: str = ""
    ) -> None:
        """Say something that wants an answer in the grade bar's place; Alt and a letter answers."""
        menus = "".join(title[0] for title in self._window.actions_by_name.menus)
        texts = with_keys([text for __, text in answers], menus)
        marked = tuple((name, text) for (name, __), text in zip(answers, texts, strict=True))
        self._window.workspace.grade_bar.show_banner(BannerText(mood, sentence, marked, escape))
