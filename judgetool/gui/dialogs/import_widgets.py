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
from judgetool.gui.dialogs.import_preview import PreviewRows
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_painting import chip_height, chip_width, draw_chip
from judgetool.gui.grade_style import GradeStyle, grade_style
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

_RIGHT_HEADS = ("line", "rank", "score")
_WIDEST = 260


class PreviewTable(PaintedWidget):
    """The first rows of a file as they were understood; grades as chips."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = PreviewRows((), (), 0)
        self._scale: Scale | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_rows(self, rows: PreviewRows, scale: Scale) -> None:
        """Show other rows.

        Args:
            rows: what to show.
            scale: how grades look.
        """
        self._rows, self._scale = rows, scale
        spoken = (
            ", ".join(f"{head} {cell}" for head, cell in zip(rows.heads, row, strict=True) if cell)
            for row in rows.rows
        )
        self.setAccessibleName("First rows")
        self.setAccessibleDescription("; ".join(spoken))
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size of head and rows."""
        return QSize(scaled(400), scaled(30) + max(1, len(self._rows.rows)) * scaled(28))

    def _widths(self) -> list[float]:
        """Return the columns' widths: by content, the widest giving way, the rest to the last."""
        gap = scaled(24)
        widths = []
        for place, head in enumerate(self._rows.heads):
            cells = (row[place] for row in self._rows.rows)
            content = max((text_width(Role.UI, cell) for cell in cells), default=0)
            if head == "grade":
                content = scaled(44)
            least = text_width(Role.HEAD, head)
            widths.append(float(max(least, min(content, scaled(_WIDEST))) + gap))
        excess = sum(widths) - self.width()
        while excess > 0.5:
            widest = max(range(len(widths)), key=widths.__getitem__)
            cut = min(excess, max(8.0, widths[widest] * 0.1))
            if widths[widest] - cut < scaled(50):
                break
            widths[widest] -= cut
            excess -= cut
        if widths and excess < 0:
            widths[-1] -= excess
        return widths

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        head_height, row_height = float(scaled(30)), float(scaled(28))
        left = 0.0
        for place, (head, width) in enumerate(zip(self._rows.heads, self._widths(), strict=True)):
            align = RIGHT if head in _RIGHT_HEADS else LEFT
            inner = width - scaled(24)
            cell = mirrored(self, QRectF(left, 0, inner, head_height))
            draw_text(painter, cell, head, role=Role.HEAD, colour=self.theme.text3, align=align)
            for number, row in enumerate(self._rows.rows):
                top = head_height + number * row_height
                cell = mirrored(self, QRectF(left, top, inner, row_height))
                self._paint_cell(painter, cell, head, row[place])
            left += width
        draw_line(painter, QRectF(0, 0, self.width(), head_height), self.theme.line_strong)
        for number in range(len(self._rows.rows)):
            bottom = head_height + (number + 1) * row_height
            draw_line(painter, QRectF(0, 0, self.width(), bottom), self.theme.line)
        painter.end()

    def _paint_cell(self, painter: QPainter, cell: QRectF, head: str, text: str) -> None:
        if head == "grade" and text and self._scale is not None:
            style = grade_style(self._scale, float(text), self.theme)
            top = round(cell.center().y() - chip_height() / 2)
            width = chip_width([style])
            draw_chip(painter, QRectF(cell.left(), top, width, chip_height()), self.theme, style)
            return
        colour = self.theme.text3 if head in _RIGHT_HEADS else self.theme.text
        align = RIGHT if head in _RIGHT_HEADS else LEFT
        draw_text(painter, cell, text, role=Role.UI, colour=colour, align=align)


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
        parent: of the widget.
    """

    def __init__(self, show: Callable[[Finding], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._show = show
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
        line.addLayout(texts, stretch=1)
        if finding.lines:
            button = QPushButton("Show them")
            button.setAutoDefault(False)
            button.setAccessibleName(f"Show them: {finding.title}")
            button.clicked.connect(partial(self._show, finding))
            line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        return row
