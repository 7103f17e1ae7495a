"""Snapshots: taking one, comparing some, deleting one."""

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from judgetool.gui.compare.systems_dialog import CheckColumn
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.number_text import format_count
from judgetool.session.comparing.as_of import moment_text
from judgetool.session.comparing.snapshots import Snapshot, load_snapshots
from judgetool.session.comparing.system_values import present_systems
from judgetool.session.session import Session


class NameDialog(ActDialog):
    """A field for a snapshot's name.

    Args:
        suggested: what stands there at first.
        taken: names that there are already.
        parent: the window it belongs to.
    """

    def __init__(
        self, suggested: str, taken: Collection[str], *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Take a snapshot", verb="Take snapshot", parent=parent)
        self._taken = taken
        self.body.addWidget(
            Text(
                "It keeps all rankings and judgments as they are now, to compare with later. "
                "It takes hardly any room.",
                ink="text2",
            )
        )
        self.field = QLineEdit(_free(suggested, taken))
        self.field.selectAll()
        self.add_field("&Name", self.field)
        self.body.addStretch(1)
        self.field.textChanged.connect(lambda _text: self._check())
        self.first = self.field
        self._check()

    def _check(self) -> None:
        name = self.answer
        if not name:
            self.show_problem("Give it a name.", ink="text2")
        elif name in self._taken:
            self.show_problem(f"There is a snapshot {name} already.")
        else:
            self.show_problem("")

    @property
    def answer(self) -> str:
        """The name."""
        return self.field.text().strip()

    @classmethod
    def ask(cls, parent: QWidget | None, suggested: str, taken: Collection[str]) -> str | None:
        """Let a name be given; ``None`` when no snapshot is to be taken."""
        dialog = cls(suggested, taken, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def _free(name: str, taken: Collection[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} {number}"
    return found


@dataclass(frozen=True, slots=True)
class SnapshotsAnswer:
    """What is to be done.

    Attributes:
        keys: systems to compare; ``()`` leaves the table as it is.
        deleted: ids of snapshots to delete.
    """

    keys: tuple[str, ...]
    deleted: tuple[str, ...]


class SnapshotsDialog(ActDialog):
    """A row per snapshot, and one for now; the checked ones are compared.

    Args:
        session: the project.
        parent: the window it belongs to.
    """

    def __init__(self, session: Session, *, parent: QWidget | None = None) -> None:
        super().__init__("Snapshots", verb="Compare", width=640, parent=parent)
        self._session = session
        self._snapshots = load_snapshots(session)
        self.deleted: list[str] = []
        self.now = QCheckBox("Now")
        self.now.setChecked(True)
        self.boxes: dict[str, QCheckBox] = {}
        self.deletes: dict[str, QPushButton] = {}
        listed: list[QWidget] = [self.now, *map(self._row, self._snapshots)]
        if not self._snapshots:
            said = "No snapshot is taken yet. Compare ▸ Snapshot… takes one."
            listed.append(Text(said, ink="text2"))
        rows = CheckColumn()
        rows.fill(listed)
        self.body.addWidget(rows, stretch=1)
        self.now.toggled.connect(lambda _on: self._check())
        self.first = next(iter(self.boxes.values()), self.now)
        self._check()

    def _row(self, snapshot: Snapshot) -> QWidget:
        count = format_count(len(snapshot.systems))
        noun = "system" if len(snapshot.systems) == 1 else "systems"
        text = f"{snapshot.name},  {moment_text(snapshot.at)},  {count} {noun}"
        box = QCheckBox(text.replace("&", "&&"))
        box.toggled.connect(lambda _on: self._check())
        delete = QPushButton("Delete")
        delete.setAutoDefault(False)
        delete.setCheckable(True)
        delete.setFlat(True)
        delete.setAccessibleName(f"Delete snapshot {snapshot.name}")
        delete.setEnabled(not self._session.read_only_reason)
        delete.toggled.connect(lambda is_on: self._mark(snapshot, is_deleted=is_on))
        self.boxes[snapshot.id], self.deletes[snapshot.id] = box, delete
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(box, stretch=1)
        row.addWidget(delete)
        return whole

    def _mark(self, snapshot: Snapshot, *, is_deleted: bool) -> None:
        box = self.boxes[snapshot.id]
        box.setChecked(False)
        box.setEnabled(not is_deleted)
        self.deletes[snapshot.id].setText("Keep" if is_deleted else "Delete")
        self.deleted = [each for each, button in self.deletes.items() if button.isChecked()]
        self._check()

    @property
    def chosen(self) -> list[Snapshot]:
        """The checked snapshots."""
        return [each for each in self._snapshots if self.boxes[each.id].isChecked()]

    def _check(self) -> None:
        chosen = self.chosen
        count = len(self.deleted)
        deletes = f"Delete {'1 snapshot' if count == 1 else f'{format_count(count)} snapshots'}"
        self.verb.setText("Compare" if chosen or not count else deletes)
        if chosen and count:
            self.verb.setText(f"Compare, {deletes.lower()}")
        is_enough = bool(chosen) or bool(count)
        self.show_problem("" if is_enough else "Check one or more snapshots.", ink="text2")
        if count and is_enough:
            self.show_remark("Undo brings a deleted snapshot back.")

    @property
    def answer(self) -> SnapshotsAnswer:
        """What is to be done."""
        keys = [system.key for each in self.chosen for system in each.systems]
        if keys and self.now.isChecked():
            keys = [*(system.key for system in present_systems(self._session)), *keys]
        return SnapshotsAnswer(tuple(keys), tuple(self.deleted))

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session) -> SnapshotsAnswer | None:
        """Show the snapshots; return what is to be done, or ``None`` for nothing."""
        dialog = cls(session, parent=parent)
        return dialog.answer if dialog.is_answered() else None
