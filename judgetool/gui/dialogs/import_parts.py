"""What the import shows of a file, and what it asks: first rows, grades, findings, questions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.core.scale import Scale, format_grade
from judgetool.formats.values import Question
from judgetool.gui.dialogs.act_dialog import (
    Radios,
    Text,
    clear_layout,
    combo,
    line_of,
    push_button,
)
from judgetool.gui.dialogs.framed_list import Index, dress_table
from judgetool.gui.dialogs.import_findings import ImportFinding
from judgetool.gui.dialogs.import_preview import PreviewRows, role_title
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, chip_height, chip_width, draw_chip, grade_style
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import RIGHT, draw_line, draw_text
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import PaintedWidget, mirrored
from judgetool.session.imports.plan import Conflicts

_RIGHT_HEADS = ("line", "rank", "score")
_WIDEST = 260
_LEAST_ROLE = 76
_GAP = 24
_MOST_MAPPED = 24
_GRADE = Qt.ItemDataRole.UserRole
_CONFLICT_TITLES = {
    Conflicts.MINE: "Keep the project’s",
    Conflicts.THEIRS: "Take the file’s",
    Conflicts.BOTH: "Keep both",
}


class PreviewTable(QTableWidget):
    """The first rows of a file as they were understood; grades as chips.

    In the row under the heads stands what each column is taken for, where that can be
    changed.

    Signals:
        role_chosen: the header of a column, and the role that the person gives it.
    """

    role_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = PreviewRows((), (), 0)
        self._scale: Scale | None = None
        self.roles: list[QComboBox] = []
        dress_table(self, "First rows")
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QTableWidget.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setMinimumSectionSize(1)
        head.setSectionsClickable(False)
        self.setItemDelegate(_PreviewCells(self))

    def set_rows(self, rows: PreviewRows, scale: Scale) -> None:
        """Show other rows.

        Args:
            rows: what to show.
            scale: how grades look.
        """
        is_same = rows == self._rows and scale == self._scale
        self._rows, self._scale = rows, scale
        if not is_same:
            self.clear()
            self.roles = []
            self.setColumnCount(len(rows.heads))
            self.setRowCount(bool(rows.roles) + len(rows.rows))
            for column in range(len(rows.heads)):
                self._fill(column)
            if rows.roles:
                self.verticalHeader().resizeSection(0, scaled(36))
        self._fit()

    def _fill(self, column: int) -> None:
        rows, align = self._rows, Qt.AlignmentFlag.AlignVCenter
        is_right = rows.heads[column] in _RIGHT_HEADS and not self._role(column)
        align |= Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        head = QTableWidgetItem(rows.heads[column])
        head.setTextAlignment(align)
        self.setHorizontalHeaderItem(column, head)
        if rows.roles:
            self._add_role(column, self._role(column))
        is_faint = is_right or self._role(column) == "ignore"
        for number, row in enumerate(rows.rows, bool(rows.roles)):
            item = QTableWidgetItem(row[column])
            item.setTextAlignment(align)
            item.setData(_GRADE, self._grade_of(column, row[column]))
            item.setData(_FAINT, is_faint)
            self.setItem(number, column, item)

    def _role(self, column: int) -> str:
        return self._rows.roles[column] if self._rows.roles else ""

    def _add_role(self, column: int, role: str) -> None:
        head = self._rows.heads[column]
        choices = dict.fromkeys((*self._rows.role_choices, role))
        titles = [(role_title(choice), choice) for choice in choices]
        box = combo(titles, role, name=f"Column {head} is")
        box.activated.connect(lambda _place: self.role_chosen.emit(head, str(box.currentData())))
        self.roles.append(box)
        box.setMaximumWidth(scaled(180))
        box.setVisible(bool(role))
        holder = QWidget()
        line = line_of(box, 100, None)
        line.setContentsMargins(scaled(2), 0, scaled(_GAP) - scaled(8), 0)
        holder.setLayout(line)
        self.setCellWidget(0, column, holder)

    def _grade_of(self, column: int, text: str) -> GradeStyle | None:
        is_grade = (self._role(column) or self._rows.heads[column]) == "grade"
        try:
            grade = float(text) if is_grade else None
        except ValueError:
            return None
        if grade is None or self._scale is None or self._scale.find_level(grade) is None:
            return None
        return grade_style(self._scale, grade, current_theme())

    def _least_width(self, column: int) -> float:
        if not self._rows.roles:
            return float(scaled(50))
        if not self._role(column):
            return float(scaled(40) + scaled(_GAP))
        title = text_width(Role.UI, role_title(self._role(column))) + scaled(54)
        return float(max(scaled(_LEAST_ROLE), title) + scaled(_GAP))

    def _widths(self) -> list[float]:
        """Return the columns' widths: by content, the widest giving way, the rest to the last."""
        leasts, widths = [], []
        for place, head in enumerate(self._rows.heads):
            leasts.append(self._least_width(place))
            cells = [text_width(Role.UI, row[place]) for row in self._rows.rows]
            is_grade = (self._role(place) or head) == "grade"
            content = scaled(44) if is_grade else max(cells, default=0)
            wide = min(max(text_width(Role.HEAD, head), content), scaled(_WIDEST)) + scaled(_GAP)
            widths.append(max(float(wide), leasts[-1] if self._rows.roles else 0.0))
        excess = sum(widths) - self.viewport().width()
        while excess > 0.5:
            widest = max(range(len(widths)), key=lambda place: widths[place] - leasts[place])
            cut = min(excess, max(8.0, widths[widest] * 0.1))
            if widths[widest] - cut < leasts[widest]:
                break
            widths[widest] -= cut
            excess -= cut
        if widths and excess < 0:
            widths[-1] -= excess
        return widths

    def _fit(self) -> None:
        """Take the width that there is, and the height of all rows."""
        for column, width in enumerate(self._widths()):
            self.setColumnWidth(column, int(width))
        is_wide = self.horizontalHeader().length() > self.viewport().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
        rows = max(self.verticalHeader().length(), scaled(28))
        height = self.horizontalHeader().sizeHint().height() + rows + bar + 1
        if height != self.height():
            self.setFixedHeight(height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width."""
        super().resizeEvent(event)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow font and theme."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)
        if event.type() in kinds and self._scale is not None:
            rows, scale, self._scale = self._rows, self._scale, None
            self.set_rows(rows, scale)


_FAINT = Qt.ItemDataRole.UserRole + 1


class _PreviewCells(QStyledItemDelegate):
    """Paints a cell's text or the chip of its grade, and the line under it."""

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), QRectF(option.rect)
        painter.save()
        draw_line(painter, rect, theme.line)
        inner = rect.adjusted(scaled(_GAP) / 4, 0, -scaled(_GAP) / 4, 0)
        style = index.data(_GRADE)
        if style is not None:
            top = round(inner.center().y() - chip_height() / 2)
            chip = QRectF(inner.left(), top, chip_width([style]), chip_height())
            draw_chip(painter, chip, theme, style)
        else:
            colour = theme.text3 if index.data(_FAINT) else theme.text
            align = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole) or 0)
            align = QStyle.visualAlignment(option.direction, align)
            text = str(index.data() or "")
            draw_text(painter, inner, text, role=Role.UI, colour=colour, align=align)
        painter.restore()


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
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the rows."""
        if self._scale is None or not self._counts:
            return
        theme, height = self.theme, float(scaled(24))
        styles = [grade_style(self._scale, grade, theme) for grade in self._counts]
        widest = max(self._counts.values()) or 1
        chip = float(chip_width(styles))
        names = float(max(text_width(Role.UI, self._name(grade)) for grade in self._counts)) + 1
        names = min(names, self.width() * 0.42)
        numbers = float(max(text_width(Role.UI, f"{n:,}") for n in self._counts.values()))
        for row, (style, (grade, count)) in enumerate(
            zip(styles, self._counts.items(), strict=True)
        ):
            top = row * height
            at = QRectF(0, top + round((height - chip_height()) / 2), chip, chip_height())
            draw_chip(painter, mirrored(self, at), theme, style)
            left = chip + scaled(10)
            at = mirrored(self, QRectF(left, top, names, height))
            draw_text(painter, at, self._name(grade), role=Role.UI, colour=theme.text2)
            left += names + scaled(14)
            room = max(0.0, self.width() - numbers - scaled(12) - left)
            bar = QRectF(left, top + height / 2 - 5, room * count / widest, 10)
            painter.fillRect(mirrored(self, bar), style.ink)
            at = mirrored(self, QRectF(self.width() - numbers - 1, top, numbers + 1, height))
            draw_text(painter, at, f"{count:,}", role=Role.UI, colour=theme.text, align=RIGHT)


class _Mark(PaintedWidget):
    """Check, warning or note beside a finding."""

    def __init__(self, level: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = level
        self.setFixedSize(scaled(16), line_height(Role.UI))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the icon."""
        theme = self.theme
        name, colour = {
            "good": ("check", theme.good),
            "warn": ("triangle-alert", theme.warn),
        }.get(self._level, ("info", theme.text3))
        draw_icon(painter, QRectF(self.rect()), name=name, colour=colour)


class FindingList(QWidget):
    """Findings under each other: mark, title, sentences, perhaps 'Show them'.

    Args:
        show: called with a finding whose lines are wanted.
        choice: stands under the finding that leaves a choice.
        parent: of the widget.

    Attributes:
        findings: what is shown.
    """

    def __init__(
        self, show: Callable[[ImportFinding], None], choice: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._show = show
        self._choice = choice
        choice.setParent(self)
        choice.hide()
        self._column = _column_in(self, spacing=14)
        self.findings: tuple[ImportFinding, ...] = ()

    def set_findings(self, findings: Sequence[ImportFinding]) -> None:
        """Show other findings."""
        if tuple(findings) == self.findings:
            return
        self.findings = tuple(findings)
        # Else it would go with the row that it stands in.
        self._choice.setParent(self)
        self._choice.hide()
        clear_layout(self._column)
        for finding in findings:
            self._column.addWidget(self._row(finding))
        self._column.addStretch(1)

    def _row(self, finding: ImportFinding) -> QWidget:
        row = QWidget()
        texts = QVBoxLayout()
        texts.setSpacing(1)
        if finding.title:
            texts.addWidget(Text(finding.title, role=Role.UI_STRONG))
        if finding.text:
            texts.addWidget(Text(finding.text, ink="text2"))
        if finding.has_choice:
            texts.addWidget(self._choice)
            self._choice.show()
        line = line_of(spacing=scaled(10))
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(_Mark(finding.level), alignment=Qt.AlignmentFlag.AlignTop)
        line.addLayout(texts, stretch=1)
        if finding.lines:
            button = push_button("Show them", partial(self._show, finding))
            button.setAccessibleName(f"Show them: {finding.title}")
            line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        row.setLayout(line)
        return row


class QuestionList(QWidget):
    """What a file leaves open, each with its choices.

    Signals:
        answered: the question's name, and the choice.
    """

    answered = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = _column_in(self, spacing=6)
        self.fields: dict[str, QComboBox] = {}
        self._questions: tuple[Question, ...] = ()
        self.hide()

    def set_questions(self, questions: Sequence[Question]) -> None:
        """Show other questions."""
        if tuple(questions) == self._questions:
            return
        self._questions = tuple(questions)
        clear_layout(self._column)
        self.fields = {}
        for question in questions:
            unsaid = [("Choose …", "")] if question.is_open else []
            choices = [(meaning or choice, choice) for choice, meaning in question.choices.items()]
            field = combo([*unsaid, *choices], question.answer, name=question.text)
            field.activated.connect(partial(self._answer, question.name, field))
            self.fields[question.name] = field
            role = Role.UI_STRONG if question.is_open else Role.UI
            self._column.addWidget(Text(question.text, role=role))
            self._column.addWidget(field, alignment=Qt.AlignmentFlag.AlignLeft)
        self.setVisible(bool(questions))

    def _answer(self, name: str, field: QComboBox, _index: int) -> None:
        if field.currentData():
            self.answered.emit(name, str(field.currentData()))


class GradeMap(QWidget):
    """Which grade of the scale each grade of a file stands for.

    Signals:
        mapped: the file's grade as text, and a grade of the scale or ``None``.
        proposal_taken: the usual grades are to be taken.
    """

    mapped = Signal(str, object)
    proposal_taken = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(scaled(10))
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self.fields: dict[str, QComboBox] = {}
        self.propose = QPushButton()
        self._shown: object = None

    def set_grades(
        self,
        counts: Mapping[str, int],
        chosen: Mapping[str, float],
        scale: Scale,
        *,
        proposal: Mapping[str, float],
    ) -> None:
        """Show other grades.

        Args:
            counts: how often each grade of the file occurs, by its text.
            chosen: the grades of the scale that they stand for, as far as that is said.
            scale: the project's.
            proposal: what is usual and not chosen; empty where nothing is proposed.
        """
        shown = (dict(counts), dict(chosen), scale, dict(proposal))
        if shown == self._shown:
            return
        self._shown = shown
        clear_layout(self._grid)
        self._grid.addWidget(Text("Grades to map", role=Role.UI_STRONG), 0, 0, 1, 3)
        levels = [
            (f"{format_grade(level.grade)}  {level.name}", float(level.grade))
            for level in reversed(scale.levels)
        ]
        self.fields = {}
        for row, (grade, count) in enumerate(list(counts.items())[:_MOST_MAPPED], 1):
            none = ("unjudged" if grade.startswith("-") else "left out", None)
            name = f"Grade {grade} of the file is"
            field = combo([none, *levels], chosen.get(grade), name=name)
            field.setFixedWidth(scaled(150))
            field.activated.connect(partial(self._map, grade, field))
            self.fields[grade] = field
            number = Text(f"{count:,}", ink="text2")
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, part in enumerate((Text(grade), number, field)):
                self._grid.addWidget(part, row, column)
        if proposal:
            pairs = ", ".join(f"{word} {format_grade(grade)}" for word, grade in proposal.items())
            self.propose = push_button("Take the usual grades", self.proposal_taken.emit)
            self.propose.setToolTip(pairs)
            self.propose.setAccessibleDescription(pairs)
            at = Qt.AlignmentFlag.AlignLeft
            self._grid.addWidget(self.propose, len(counts) + 1, 0, 1, 3, at)

    def _map(self, grade: str, field: QComboBox, _index: int) -> None:
        self.mapped.emit(grade, field.currentData())


class ConflictChoice(QWidget):
    """Which judgment stays where file and project differ.

    Signals:
        chosen: the choice of the person.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Under each other: side by side they would be wider than a small dialog has room.
        column = _column_in(self, spacing=4)
        column.setContentsMargins(0, 4, 0, 0)
        self._choices = Radios(_CONFLICT_TITLES, None, self)
        self.buttons = self._choices.by_name
        for button in self.buttons.values():
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        self._choices.buttonClicked.connect(lambda: self.chosen.emit(self._choices.current))

    def set_choice(self, choice: Conflicts) -> None:
        """Show a choice, without telling anyone."""
        self.buttons[choice].setChecked(True)


def _column_in(widget: QWidget, *, spacing: int) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(spacing)
    return column
