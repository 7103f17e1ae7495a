"""The page of keys, help pages, about."""

from judgetool.gui.help_window import HelpWindow
from judgetool.gui.window import AppWindow


class HelpHandler:
    """Does the actions of the Help menu."""

    def __init__(self, window: AppWindow) -> None:
        self._window = window
        self._help: HelpWindow | None = None

    def keys(self) -> None:
        """Show the page of keys, or take it away."""
        self._window.overlay.toggle()

    def change_keys(self) -> None:
        """Let the person have other keys."""
        from judgetool.gui.dialogs.keys import KeysDialog  # noqa: PLC0415 - not needed to start

        window = self._window
        scale = window.session.scale if window.session is not None else None
        keymap = KeysDialog.ask(window.widget, window.actions_by_name.keymap, scale)
        if keymap is not None:
            window.change_settings(key_preset=keymap.preset, keys=dict(keymap.changes))
            window.actions_by_name.set_keymap(keymap)

    def start(self) -> None:
        """Open 'Getting started'."""
        self._open("getting-started")

    def assessors(self) -> None:
        """Open the page for assessors."""
        self._open("assessors")

    def leads(self) -> None:
        """Open the page for leads."""
        self._open("leads")

    def what_if(self) -> None:
        """Open the page on the what-if view."""
        self._open("what-if")

    def compare(self) -> None:
        """Open the page on the compare view."""
        self._open("compare")

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

    def report(self) -> None:
        """Give a text with which a problem can be reported; nothing is sent."""
        from judgetool.gui.error_report import ReportDialog  # noqa: PLC0415 - not needed to start

        ReportDialog(self._window.widget).is_answered()

    def about(self) -> None:
        """Say which version this is, and what it is built on."""
        from judgetool.gui.error_report import AboutDialog  # noqa: PLC0415 - not needed to start

        AboutDialog(self._window.widget).is_answered()
