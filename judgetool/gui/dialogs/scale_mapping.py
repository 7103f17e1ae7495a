"""What becomes of judgments whose grade another scale lacks, and of the values with them."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from judgetool.core.scale import Scale, format_grade
from judgetool.gui.dialogs.act_dialog import Text
from judgetool.gui.fonts import Role
from judgetool.gui.number_text import format_change, format_count, format_value
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.session.edits.rescaling import MeanChange, propose_mapping

Preview = Callable[[Scale, Mapping[float, float]], list[MeanChange]]
# More grades than these (of a continuous scale) go to the nearest level without being listed.
MOST_LISTED = 8
_MOST_MEANS = 6


class ScaleMapping(QWidget):
    """One chooser for each grade that would be lost; hidden while none would be.

    Args:
        counts: how many judgments have each grade.
        preview: computes the means on another scale; ``None`` offers no preview.
        parent: the editor.

    Signals:
        changed: another grade was chosen.
    """

    changed = Signal()

    def __init__(
        self, counts: Mapping[float, int], preview: Preview | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._counts = counts
        self._preview = preview
        self._scale: Scale | None = None
        self._wishes: dict[float, float] = {}
        self._proposals: Mapping[float, float] = {}
        self.choosers: dict[float, QComboBox] = {}
        self.head = Text("", role=Role.UI_STRONG)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self.show_values = QPushButton("What happens to the values")
        self.show_values.setAutoDefault(False)
        self.show_values.setVisible(preview is not None and bool(counts))
        self.show_values.clicked.connect(self._show_values)
        self.values = Text("", role=Role.META, ink="text2")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.head)
        column.addLayout(self._grid)
        line = QHBoxLayout()
        line.addWidget(self.show_values)
        line.addStretch(1)
        column.addLayout(line)
        column.addWidget(self.values)
        self.head.hide()

    @property
    def mapping(self) -> dict[float, float]:
        """From each grade that the scale lacks to the one that its judgments get."""
        if self._scale is None:
            return {}
        mapping = propose_mapping(self._scale, self._counts)
        for grade in mapping:
            wished = self._wishes.get(grade, self._proposals.get(grade))
            if wished is not None and self._scale.has_grade(wished):
                mapping[grade] = wished
        return mapping

    def set_scale(self, scale: Scale | None, proposals: Mapping[float, float]) -> None:
        """Ask about the grades that this scale lacks.

        Args:
            scale: ``None`` asks nothing.
            proposals: what grades become unless something else is chosen, such as the
                number that their level has now; the nearest level where there is none.
        """
        self._scale = scale
        self._proposals = proposals
        self.values.setText("")
        self.show_values.setEnabled(scale is not None)
        lost = sorted(self.mapping)
        self._clear()
        self.head.setVisible(bool(lost))
        count = sum(self._counts[grade] for grade in lost)
        self.head.setText(
            f"{format_count(count)} judgments have a grade that this scale lacks. They become:"
        )
        for line, grade in enumerate(lost[:MOST_LISTED]):
            self._add(line, grade)
        if len(lost) > MOST_LISTED:
            rest = f"{format_count(len(lost) - MOST_LISTED)} more grades: the nearest level."
            self._grid.addWidget(Text(rest, ink="text2"), MOST_LISTED, 0, 1, 3)

    def _clear(self) -> None:
        self.choosers = {}
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _add(self, line: int, grade: float) -> None:
        if self._scale is None:
            return
        chooser = NamedCombo()
        for level in self._scale.levels:
            chooser.addItem(f"{level.label}  {level.name}", level.grade)
        chooser.setCurrentIndex(max(chooser.findData(self.mapping[grade]), 0))
        n_judgments = format_count(self._counts[grade])
        label = Text(f"Grade {format_grade(grade)}, {n_judgments} judgments  →")
        label.setWordWrap(False)
        label.setBuddy(chooser)
        chooser.setAccessibleName(f"What grade {format_grade(grade)} becomes")
        chooser.activated.connect(lambda _place: self._choose(grade, chooser.currentData()))
        self.choosers[grade] = chooser
        self._grid.addWidget(label, line, 0)
        self._grid.addWidget(chooser, line, 1)

    def _choose(self, grade: float, goal: float) -> None:
        self._wishes[grade] = goal
        self.values.setText("")
        self.changed.emit()

    def _show_values(self) -> None:
        if self._scale is None or self._preview is None:
            return
        changes = self._preview(self._scale, self.mapping)
        moved = [change for change in changes if change.now != change.then]
        if not moved:
            self.values.setText("No mean of the chosen measures changes.")
            return
        lines = [_line(change) for change in moved[:_MOST_MEANS]]
        if len(moved) > _MOST_MEANS:
            lines.append(f"… and {format_count(len(moved) - _MOST_MEANS)} more means change.")
        self.values.setText("\n".join(lines))


def _line(change: MeanChange) -> str:
    now, then = format_value(change.now), format_value(change.then)
    moved = ""
    if change.now is not None and change.then is not None:
        moved = f"  ({format_change(change.then - change.now)})"
    return f"{change.run}, {change.measure}: {now} → {then}{moved}"
