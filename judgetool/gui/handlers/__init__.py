"""What actions do: one handler for each group of the table, one method for each action.

Handlers know the window, the session and the prompter; they hold no state of the
project and do no painting. An action that needs a project is closed without one: what does
it need not ask.
"""

from typing import TypeVar

from PySide6.QtWidgets import QWidget

from judgetool.gui.dialogs.act_dialog import Answering, ask
from judgetool.gui.project_view import ProjectView
from judgetool.gui.widgets.banner import BannerText, Mood
from judgetool.gui.window import AppWindow
from judgetool.session.session import Session

Answer = TypeVar("Answer")


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

    def _ask(self, dialog: Answering[Answer]) -> Answer | None:
        """Show a dialog and wait; return its answer, ``None`` where its verb was not chosen."""
        return ask(dialog, self._widget)

    def _say(self, sentence: str, *, offers_undo: bool = False, stays: bool = False) -> None:
        """Say something in the status line, perhaps with Undo beside it; ``""`` says nothing."""
        if sentence:
            undo = ("undo", "Undo") if offers_undo else ("", "")
            self._window.status.show_message(
                sentence, action=undo[0], action_text=undo[1], stays=stays
            )

    def _ask_below(
        self, mood: Mood, sentence: str, *answers: tuple[str, str], escape: str = ""
    ) -> None:
        """Say something that wants an answer in the grade bar's place."""
        banner = BannerText(mood, sentence, answers, escape)
        self._window.workspace.grade_bar.show_banner(banner)
