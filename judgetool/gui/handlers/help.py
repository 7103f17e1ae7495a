"""The page of keys, help pages, about."""

import platform

import PySide6

from judgetool import __version__
from judgetool.gui.frame import Frame
from judgetool.gui.help_window import HelpWindow


class HelpHandler:
    """Does the actions of the Help menu."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._help: HelpWindow | None = None

    def keys(self) -> None:
        """Show the page of keys, or take it away."""
        self._window.overlay.toggle()

    def start(self) -> None:
        """Open 'Getting started'."""
        self._open("getting-started")

    def measures(self) -> None:
        """Open the page of measures."""
        self._open("measures")

    def formats(self) -> None:
        """Open the page of file formats."""
        self._open("formats")

    def changes(self) -> None:
        """Open what has changed."""
        self._open("changelog")

    def _open(self, page: str) -> None:
        if self._help is None:
            self._help = HelpWindow(self._window.widget)
        self._help.open_page(page)

    def about(self) -> None:
        """Say which version this is."""
        self._window.prompter.tell(
            f"judgetool {__version__}",
            detail=f"Python {platform.python_version()}, Qt for Python {PySide6.__version__}. "
            "MIT licence. Works offline; nothing leaves this machine.",
        )
