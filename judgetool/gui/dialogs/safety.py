"""Safety copies: where backups and safety log of a project are, and whether the log is kept."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QFormLayout, QPushButton, QWidget

from judgetool.errors import InputError
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role
from judgetool.gui.number_text import format_count
from judgetool.gui.window_state import when_in_words
from judgetool.session.safety.backups import Backup, list_project_backups, safety_place
from judgetool.session.session import Session

_MB = 1 << 20


class SafetyDialog(ActDialog):
    """Says what is kept outside the project's folder, and asks whether the log shall be.

    Args:
        session: the project.
        keeps_log: what holds now.
        parent: the window it belongs to.

    Attributes:
        keeps_log: the switch of the safety log.
        folder: opens the folder of the backups; nothing to open without any.
    """

    def __init__(self, session: Session, *, keeps_log: bool, parent: QWidget | None = None) -> None:
        super().__init__("Safety copies", verb="Keep it so", width=640, parent=parent)
        self._place = safety_place(session)
        backups = _own_backups(session)
        self.body.addWidget(
            Text(
                "Each judgment is on the disk before it is shown as saved. Besides the project’s "
                "own file, backups and a safety log are kept in your data folder; only you can "
                "read them.",
                ink="text2",
            )
        )
        self.rows = QFormLayout()
        self.rows.setHorizontalSpacing(16)
        self.rows.setVerticalSpacing(6)
        self._add("Backups", describe_backups(backups))
        self._add("In", str(self._place.backups))
        self._add("Safety log", describe_log(self._place.logs, keeps_log=keeps_log))
        self._add("In", str(self._place.log))
        self.body.addLayout(self.rows)
        self.keeps_log = QCheckBox("&Keep a safety log of every judgment")
        self.keeps_log.setChecked(keeps_log)
        self.body.addWidget(self.keeps_log)
        self.body.addWidget(
            Text("It holds from the next time that a project is opened.", ink="text3")
        )
        self.body.addWidget(
            Text(
                "Project ▸ Restore a backup… gives one back under a new name. Project ▸ Recover… "
                "writes a project anew that is damaged, lost or was replaced by an older one. "
                "Commands do the same: judgetool backups, judgetool recover.",
                ink="text2",
            )
        )
        self.body.addStretch(1)
        self.folder = QPushButton("Open folder")
        self.folder.setAutoDefault(False)
        self.folder.setEnabled(self._place.backups.is_dir())
        self.folder.clicked.connect(self._open_folder)
        self.add_to_foot(self.folder)
        self.first = self.keeps_log

    def _add(self, title: str, text: str) -> None:
        label = Text(title, ink="text3")
        label.setWordWrap(False)
        self.rows.addRow(label, Text(text, role=Role.UI))

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._place.backups)))

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session, *, keeps_log: bool) -> bool | None:
        """Show what is kept; ``None`` when it stays as it is."""
        dialog = cls(session, keeps_log=keeps_log, parent=parent)
        return dialog.keeps_log.isChecked() if dialog.is_answered() else None


def _own_backups(session: Session) -> list[Backup]:
    try:
        return list_project_backups(str(session.path))
    except InputError:
        return []


def describe_backups(backups: list[Backup]) -> str:
    """Return how many backups there are, how large, and when the newest was made."""
    if not backups:
        return "None yet; the first is made while you judge, or when the project is closed."
    size = _size(sum(backup.n_bytes for backup in backups))
    count = "1 backup" if len(backups) == 1 else f"{format_count(len(backups))} backups"
    return f"{count}, {size}; the newest is of {when_in_words(backups[0].at)}"


def describe_log(logs: Sequence[Path], *, keeps_log: bool) -> str:
    """Return how large a safety log is, with its older parts and those of other windows."""
    if not logs:
        return "None yet; it begins with the next change." if keeps_log else "None; it is not kept."
    return _size(sum(log.stat().st_size for log in logs))


def _size(n_bytes: int) -> str:
    return f"{n_bytes / _MB:.1f} MB" if n_bytes >= _MB // 10 else f"{max(1, n_bytes >> 10)} KB"
