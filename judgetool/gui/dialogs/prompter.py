"""The prompter of the window: asks with Qt's file dialogs and our own messages.

Panels and dialogs ask a :class:`Prompter`; tests hand in one that answers from a
script. Nothing else in the window opens a file dialog or a message.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QListView, QStyle, QWidget

from judgetool.core import override
from judgetool.core.system import IS_LINUX
from judgetool.gui.dialogs import ALL_FILES, Choice, FileKind
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.wording import N_, _


class Prompter:
    """Asks the person, and tells them, with windows over the window that has the keyboard.

    Args:
        parent: the main window.
    """

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    @property
    def _above(self) -> QWidget:
        return QApplication.activeModalWidget() or self._parent

    def choose_files(
        self,
        title: str,
        kinds: Sequence[FileKind],
        *,
        mode: QFileDialog.FileMode = QFileDialog.FileMode.ExistingFiles,
    ) -> list[Path]:
        """Return files to be opened; empty when none was chosen."""
        dialog = FileDialog(self._above, title, _patterns(dict.fromkeys((*kinds, ALL_FILES))))
        dialog.setFileMode(mode)
        return _chosen(dialog)

    def choose_file(self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,)) -> Path | None:
        """Return one file to be opened, or ``None``."""
        found = self.choose_files(title, kinds, mode=QFileDialog.FileMode.ExistingFile)
        return next(iter(found), None)

    def choose_folder(self, title: str) -> list[Path]:
        """Return a folder alone; empty when none was chosen."""
        return self.choose_files(title, (), mode=QFileDialog.FileMode.Directory)

    def choose_place(
        self, title: str, suggested: Path, *, kinds: Sequence[FileKind]
    ) -> Path | None:
        """Return where to save, or ``None``; an existing file was confirmed by the person."""
        dialog = FileDialog(self._above, title, _patterns(kinds), start=suggested.parent)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.selectFile(suggested.name)
        path = next(iter(_chosen(dialog)), None)
        return None if path is None else with_ending(path, kinds)

    def ask(
        self,
        text: str,
        choices: Sequence[Choice],
        *,
        detail: str = "",
        title: str = "",
        put_off: str = N_("Cancel"),
    ) -> str | None:
        """Return the name of the chosen answer; ``None`` when it was put off (Cancel, Esc).

        Args:
            text: what happened or is about to, in a sentence.
            choices: the last one is the main verb.
            detail: more, such as paths or lines; may be long.
            title: of what it is about; ``""`` where the text says it.
            put_off: on the button that answers nothing; ``""`` for none: Esc does it alone.
        """
        dialog = MessageDialog(text, choices, detail=detail, title=title).above(self._above)
        dialog.cancel.setText(_(put_off))
        dialog.cancel.setVisible(bool(put_off))
        dialog.is_answered()
        return dialog.answer

    def tell(self, text: str, *, detail: str = "", title: str = "") -> None:
        """Say something that needs no answer but must not be missed."""
        MessageDialog(text, [], detail=detail, title=title).above(self._above).is_answered()


class PlainIcons(QAbstractFileIconProvider):
    """Icons and kinds of files by their names alone.

    Qt's own looks into every file of the folder to guess what it is. To open and close
    the open project so would drop its locks.
    """

    def __init__(self) -> None:
        super().__init__()
        style = QApplication.style()
        self._folder = style.standardIcon(QStyle.StandardPixmap.SP_DirIcon)
        self._file = style.standardIcon(QStyle.StandardPixmap.SP_FileIcon)

    @override
    def icon(self, what: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:
        """Return a sheet or a folder; drives and the like have none of their own."""
        is_folder = what.isDir() if isinstance(what, QFileInfo) else what is not _FILE
        return self._folder if is_folder else self._file

    @override
    def type(self, info: QFileInfo) -> str:
        """Return what stands in the column of kinds."""
        if info.isDir():
            return _("Folder")
        ending = info.suffix()
        return _("{ending} file").format(ending=ending) if ending else _("File")


_FILE = QAbstractFileIconProvider.IconType.File


class FileDialog(QFileDialog):
    """A dialog for files that reads none of them.

    Args:
        parent: over what it stands.
        title: of its window.
        patterns: which files it shows, as Qt wants them.
        start: the folder it begins in; ``None`` for the last one.
    """

    def __init__(
        self, parent: QWidget, title: str, patterns: str, *, start: Path | None = None
    ) -> None:
        super().__init__(parent, title, str(start or ""), patterns)
        if IS_LINUX:
            # A desktop's own dialog there is part of this process, and reads what it lists.
            self.setOption(QFileDialog.Option.DontUseNativeDialog)
            self._icons = PlainIcons()
            self.setIconProvider(self._icons)

    @override
    def accept(self) -> None:
        """Take what is chosen: of a path that somebody typed, only what is typed.

        Qt selects in its list what is typed so far. Of a path into the folder that is shown it
        holds the folder for chosen, too, and at Enter shows that again, the field empty.
        """
        field = self.findChild(QLineEdit, "fileNameEdit")
        view = self.findChild(QListView, "listView")
        if field is not None and view is not None and "/" in field.text():
            view.selectionModel().clearSelection()
        super().accept()


def _chosen(dialog: QFileDialog) -> list[Path]:
    is_chosen = dialog.exec() == QFileDialog.DialogCode.Accepted
    paths = [Path(name) for name in dialog.selectedFiles()] if is_chosen else []
    dialog.deleteLater()
    return paths


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


def _patterns(kinds: Iterable[FileKind]) -> str:
    return ";;".join(kind.pattern for kind in kinds)
