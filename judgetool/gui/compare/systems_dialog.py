"""Which runs, what-ifs and snapshots the compare view shows."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from judgetool.core.excerpts import one_line
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role, scaled
from judgetool.session.comparing.named_systems import named_systems, remarks_of
from judgetool.session.comparing.snapshots import find_snapshot
from judgetool.session.session import Session
from judgetool.session.systems import System

_MOST_NAME = 100


class CheckColumn(QScrollArea):
    """Widgets under each other, on the ground of what they stand on; many scroll."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)

    def fill(self, listed: Sequence[QWidget]) -> None:
        """Show these widgets."""
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(6)
        for widget in listed:
            column.addWidget(widget)
        column.addStretch(1)
        self.setWidget(content)
        # Only now: the scroll area has switched it on.
        content.setAutoFillBackground(False)
        self.setMinimumHeight(min(scaled(300), content.sizeHint().height() + 4))


class SystemChecks(CheckColumn):
    """A check box for each system, those of a snapshot under its name.

    Args:
        session: the project.
        chosen: those that are checked.
    """

    def __init__(self, session: Session, chosen: Sequence[System]) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        systems = named_systems(session)
        remarks = remarks_of(session, systems)
        keys = {system.key for system in chosen}
        shown = ""
        listed: list[QWidget] = []
        for system in systems:
            if system.snapshot != shown:
                shown = system.snapshot
                snapshot = find_snapshot(session, shown)
                name = f"Snapshot {snapshot.name}" if snapshot is not None else "Snapshot"
                listed.append(Text(name, role=Role.HEAD, ink="text3"))
            text = f"{one_line(system.name, most=_MOST_NAME)},  {remarks[system.key]}"
            box = QCheckBox(text.replace("&", "&&"))
            box.setChecked(system.key in keys)
            self.boxes[system.key] = box
            listed.append(box)
        self.fill(listed)

    @property
    def answer(self) -> tuple[str, ...]:
        """Keys of what is checked."""
        return tuple(key for key, box in self.boxes.items() if box.isChecked())


class SystemsDialog(ActDialog):
    """Check boxes for everything that has rankings.

    Args:
        session: the project.
        chosen: what is compared now.
        parent: the window it belongs to.
    """

    def __init__(
        self, session: Session, chosen: Sequence[System], *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Compare systems", verb="Compare", parent=parent)
        self.checks = SystemChecks(session, chosen)
        self.body.addWidget(self.checks, stretch=1)
        for box in self.checks.boxes.values():
            box.toggled.connect(lambda _on: self._check())
        self.first = next(iter(self.checks.boxes.values()), None)
        self._check()

    def _check(self) -> None:
        problem = "" if self.checks.answer else "Check at least one."
        self.show_problem(problem, ink="text2")

    @classmethod
    def ask(
        cls, parent: QWidget | None, session: Session, chosen: Sequence[System]
    ) -> tuple[str, ...] | None:
        """Let systems be chosen; return their keys, or ``None`` when nothing was changed."""
        dialog = cls(session, chosen, parent=parent)
        return dialog.checks.answer if dialog.is_answered() else None
