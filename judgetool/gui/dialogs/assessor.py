"""Who judges: asked once and kept; names known from the project are offered."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.dialogs.framed_list import Framed, make_list
from judgetool.gui.fonts import scaled

MAX_LENGTH = 80


def name_problem(name: str) -> str:
    """Return a sentence saying why this cannot be an assessor's name, or ``""``."""
    if not name.strip():
        return "A name is needed: judgments belong to whoever gave them."
    if not name.isprintable():
        return "The name must stand on one line, without control characters."
    if len(name) > MAX_LENGTH:
        return f"The name has {len(name):,} characters; {MAX_LENGTH} fit."
    return ""


class AssessorDialog(ActDialog):
    """Asks who judges.

    Args:
        current: the name so far, ``""`` when nobody is named.
        known: names of all who have judged in the project.
        parent: the window it belongs to.
    """

    def __init__(
        self, current: str, known: Sequence[str] = (), *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Who judges?", verb="Judge under this name", parent=parent)
        self._known = set(known)
        self.body.addWidget(
            Text(
                "Each judgment is kept with the name of who gave it, so that several people can "
                "judge the same documents.",
                ink="text2",
            )
        )
        self.name = QLineEdit(current)
        self.name.setMaxLength(MAX_LENGTH)
        self.name.selectAll()
        self.add_field("&Name", self.name)
        self.first = self.name
        self.names = make_list("Have judged in this project")
        self.names.addItems(list(known))
        if known:
            self._add_known()
        self.body.addStretch(1)
        self.name.textChanged.connect(self._check)
        self._check()

    def _add_known(self) -> None:
        frame = Framed(self.names)
        rows = min(self.names.count(), 6)
        frame.setFixedHeight(rows * scaled(28) + 6)
        self.add_field("Have &judged in this project", frame)
        self.names.currentItemChanged.connect(self._take)
        self.names.itemClicked.connect(self._take)
        self.names.itemActivated.connect(self.accept)

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.name.setText(item.text())

    def _check(self) -> None:
        name = self.name.text()
        self.show_problem(name_problem(name), ink="bad" if name.strip() else "text2")
        if self.verb.isEnabled() and self._known:
            is_known = name.strip() in self._known
            self.show_remark("" if is_known else "New in this project.")

    @property
    def answer(self) -> str:
        """The name, without blanks around it."""
        return self.name.text().strip()

    @classmethod
    def ask(cls, parent: QWidget | None, current: str, known: Sequence[str] = ()) -> str | None:
        """Ask who judges; return the name, or ``None`` when it was left as it is."""
        dialog = cls(current, known, parent=parent)
        return dialog.answer if dialog.is_answered() else None
