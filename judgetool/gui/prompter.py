"""The prompter of the window: asks with Qt's file dialogs and our own messages.

Panels and dialogs ask a :class:`Prompter`; tests hand in one that answers from a
script. Nothing else in the window opens a file dialog or a message.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from judgetool.gui.dialogs.message import MessageDialog
from judgetool.gui.questions import ALL_FILES, PROJECTS, Choice, FileKind, Prompter

__all__ = [
    "ALL_FILES",
    "PROJECTS",
    "Choice",
    "FileKind",
    "Prompter",
    "QtPrompter",
    "with_ending",
]


class QtPrompter:
    """Asks with windows over the window that has the keyboard.

    Args:
        parent: the main window.
    """

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    @property
    def _above(self) -> QWidget:
        return QApplication.activeModalWidget() or self._parent

    def choose_files(
        self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,), *, folder: Path | None = None
    ) -> list[Path]:
        """Return files to be opened; empty when none was chosen."""
        names, _ = QFileDialog.getOpenFileNames(
            self._above, title, str(folder or ""), _patterns(kinds)
        )
        return [Path(name) for name in names]

    def choose_file(
        self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,), *, folder: Path | None = None
    ) -> Path | None:
        """Return one file to be opened, or ``None``."""
        name, _ = QFileDialog.getOpenFileName(
            self._above, title, str(folder or ""), _patterns(kinds)
        )
        return Path(name) if name else None

    def choose_place(
        self, title: str, suggested: Path, *, kinds: Sequence[FileKind] = (ALL_FILES,)
    ) -> Path | None:
        """Return where to save, or ``None``; an existing file was confirmed by the person."""
        name, _ = QFileDialog.getSaveFileName(
            self._above, title, str(suggested), _patterns(kinds, adds_all=False)
        )
        return with_ending(Path(name), kinds) if name else None

    def ask(self, text: str, choices: Sequence[Choice], *, detail: str = "") -> str | None:
        """Return the name of the chosen answer; ``None`` when it was put off."""
        buttons = [(choice.name, choice.text, choice.destroys) for choice in choices]
        dialog = MessageDialog(text, buttons, detail=detail, parent=self._above)
        dialog.exec()
        answer = dialog.answer
        dialog.deleteLater()
        return answer

    def tell(self, text: str, *, detail: str = "") -> None:
        """Say something that needs no answer but must not be missed."""
        dialog = MessageDialog(text, [], detail=detail, parent=self._above)
        dialog.exec()
        dialog.deleteLater()


def with_ending(path: Path, kinds: Sequence[FileKind]) -> Path:
    """Return a path with the first kind's first ending where the person typed none.

    Not where something stands under that name: the file dialog has asked about the
    name as it was typed, not about the longer one.
    """
    endings = kinds[0].endings if kinds else ()
    if path.suffix or not endings:
        return path
    longer = path.with_name(path.name + endings[0])
    return path if longer.exists() else longer


def _patterns(kinds: Sequence[FileKind], *, adds_all: bool = True) -> str:
    shown = list(kinds)
    if adds_all and ALL_FILES not in shown:
        shown.append(ALL_FILES)
    return ";;".join(kind.pattern for kind in shown)
