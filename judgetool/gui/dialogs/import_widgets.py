"""What the import preview is painted with: first rows, grades, findings."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.dialogs.act_dialog import Text
from judgetool.gui.dialogs.import_findings import Finding
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, chip_height, chip_width, draw_chip, grade_style
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import RIGHT, draw_text
from judgetool.gui.widgets.painted import PaintedWidget, mirrored


class GradeHistogram(PaintedWidget):
    """How often each grade occurs: chip, name, bar, number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts: Mapping[float, int] = {}
        self._scale: Scale | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_counts(self, counts: Mapping[float, int], scale: Scale) -> None:
        """Show other numbers.

        Args:
            counts: by grade, highest first.
            scale: the project's; grades that are not on it are named so.
        """
        on_scale = {level.grade: 0 for level in reversed(scale.levels)}
        both = {**on_scale, **counts}
        self._counts = {grade: both[grade] for grade in sorted(both, reverse=True)}
        self._scale = scale
        named = (f"{self._name(grade)} {count:,}" for grade, count in self._counts.items())
        self.setAccessibleName("Grades in this file")
        self.setAccessibleDescription(", ".join(named))
        self.updateGeometry()
        self.update()

    def _name(self, grade: float) -> str:
        level = self._scale.find_level(grade) if self._scale is not None else None
        return level.name if level is not None else "not on this scale"

    @override
    def sizeHint(self) -> QSize:
        """Return the size of all rows, at most twelve."""
        return QSize(scaled(296), min(12, len(self._counts)) * scaled(24))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        if self._scale is None or not self._counts:
            return
        painter = QPainter(self)
        theme = self.theme
        styles = [grade_style(self._scale, grade, theme) for grade in self._counts]
        widest = max(self._counts.values()) or 1
        chip = float(chip_width(styles))
        name_width = float(max(text_width(Role.UI, self._name(grade)) for grade in self._counts))
        name_width = min(name_width + 1, self.width() * 0.42)
        number_width = float(max(text_width(Role.UI, f"{n:,}") for n in self._counts.values()))
        for row, (style, (grade, count)) in enumerate(
            zip(styles, self._counts.items(), strict=True)
        ):
            top, height = row * float(scaled(24)), float(scaled(24))
            self._paint_chip(painter, style, top, chip)
            left = chip + scaled(10)
            place = mirrored(self, QRectF(left, top, name_width, height))
            draw_text(painter, place, self._name(grade), role=Role.UI, colour=theme.text2)
            left += name_width + scaled(14)
            room = self.width() - number_width - scaled(12) - left
            bar = QRectF(left, top + height / 2 - 5, max(0.0, room) * count / widest, 10)
            painter.fillRect(mirrored(self, bar), style.ink)
            place = mirrored(
                self, QRectF(self.width() - number_width - 1, top, number_width + 1, height)
            )
            draw_text(painter, place, f"{count:,}", role=Role.UI, colour=theme.text, align=RIGHT)
        painter.end()

    def _paint_chip(self, painter: QPainter, style: GradeStyle, top: float, width: float) -> None:
        y = top + round((scaled(24) - chip_height()) / 2)
        place = mirrored(self, QRectF(0, y, width, chip_height()))
        draw_chip(painter, place, self.theme, style)


class _Mark(PaintedWidget):
    """Check, warning or note beside a finding."""

    def __init__(self, level: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = level
        self.setFixedSize(scaled(16), line_height(Role.UI))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        theme = self.theme
        name, colour = {
            "good": ("check", theme.good),
            "warn": ("triangle-alert", theme.warn),
        }.get(self._level, ("info", theme.text3))
        painter = QPainter(self)
        draw_icon(painter, QRectF(self.rect()), name=name, colour=colour)
        painter.end()


class FindingList(QWidget):
    """Findings under each other: mark, title, sentences, perhaps 'Show them'.

    Args:
        show: called with a finding whose lines are wanted.
        choice: stands under the finding that leaves a choice.
        parent: of the widget.
    """

    def __init__(
        self, show: Callable[[Finding], None], choice: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._show = show
        self._choice = choice
        choice.setParent(self)
        choice.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(14)
        self._findings: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is shown."""
        return self._findings

    def set_findings(self, findings: Sequence[Finding]) -> None:
        """Show other findings."""
        if tuple(findings) == self._findings:
            return
        self._findings = tuple(findings)
        # Else it would go with the row that it stands in.
        self._choice.setParent(self)
        self._choice.hide()
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for finding in findings:
            self._column.addWidget(self._row(finding))
        self._column.addStretch(1)

    def _row(self, finding: Finding) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(scaled(10))
        line.addWidget(_Mark(finding.level), alignment=Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        if finding.title:
            texts.addWidget(Text(finding.title, role=Role.UI_STRONG))
        if finding.text:
            texts.addWidget(Text(finding.text, role=Role.UI, ink="text2"))
        if finding.has_choice:
            texts.addWidget(self._choice)
            self._choice.show()
        line.addLayout(texts, stretch=1)
        if finding.lines:
            button = QPushButton("Show them")
            button.setAutoDefault(False)
            button.setAccessibleName(f"Show them: {finding.title}")
            button.clicked.connect(partial(self._show, finding))
            line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        return row
