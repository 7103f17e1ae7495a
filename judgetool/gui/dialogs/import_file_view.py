"""The right side of the import: a file as it was understood, its first rows, grades, findings, questions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QLayout,
    QPushButton,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.core.scale import format_grade as written_grade
from judgetool.formats import FORMATS, Kind, Reading
from judgetool.formats.judgments import find_whose
from judgetool.formats.records import find_grade
from judgetool.formats.values import FileLayout, Question
from judgetool.gui.dialogs.act_dialog import (
    Radios,
    combo,
    edit,
    held,
    line_of,
    push_button,
)
from judgetool.gui.dialogs.choose import Chooser, Choosers, stop_before
from judgetool.gui.dialogs.framed_list import ROW, RowDelegate, dress_table
from judgetool.gui.dialogs.import_preview import (
    KIND_TITLES,
    FileView,
    PreviewRows,
    describe_encoding,
    describe_format,
    mapped_counts,
    role_title,
)
from judgetool.gui.dialogs.import_work import FileState, ImportFile, ImportWork
from judgetool.gui.painting import format_count, format_grade, grade_style
from judgetool.gui.theme import Role, current_theme, line_height, scaled, text_width
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import (
    Align,
    ChipPart,
    ElidedLabel,
    IconPart,
    Part,
    Piece,
    PieceView,
    Text,
    TextPart,
)
from judgetool.gui.widgets.painted import (
    announce_later,
    clear_layout,
    in_column,
    in_line,
    scroll_area,
)
from judgetool.gui.widgets.small_charts import BarRow, BarRows
from judgetool.session.imports.plan import Conflicts, FileRemark
from judgetool.wording import N_, _, in_words, translated


class ImportFileView(QWidget):
    """Shows a file: how it was read, its first rows, findings, grades; what is said goes to the work.

    Args:
        work: reads and plans by what the person says.
        take_out: leaves the file out.
        show_lines: shows the lines of a finding.
    """

    def __init__(
        self,
        work: ImportWork,
        take_out: Callable[[], None],
        show_lines: Callable[[FileRemark], None],
    ) -> None:
        super().__init__()
        self._work = work
        self._file: ImportFile | None = None
        self.name = ElidedLabel("", role=Role.DIALOG_TITLE)
        self.kinds = combo((), name=_("Read as"), choose=self._choose_kind)
        # Else each arrow would read the file anew, and a reader lose what was chosen in what follows.
        self.kinds.is_steady = True
        self.encoding = Text("", ink="text2", wraps=False)
        self.extent = Text("", role=Role.META, ink="text3", wraps=False)
        self.leave_out = push_button(_("Take out"), take_out)
        self.problem = Text("", role=Role.NEED)
        self.taken = Text("", role=Role.NEED)
        self.taken.hide()
        self.table = PreviewTable(self._saying(work.set_role))
        self.questions = Choosers(self._saying(work.answer), is_beside=False)
        self.grade_map = GradeMap(self._saying(work.map_grade), self._saying(work.take_proposal))
        self.conflicts = ConflictChoice(work.set_conflicts)
        self.findings = FindingList(show_lines, self.conflicts)
        self.histogram = BarRows(_("Grades in this file"), role=Role.UI, height=24)
        self.assessor = edit(hint=_("the file’s name"), most=80)
        self.assessor.setFixedWidth(scaled(180))
        self.assessor.editingFinished.connect(
            lambda: work.set_assessor(self.assessor.text().strip())
        )
        self.assessor_row = held(
            line_of(_("Judgments that name &nobody are by"), self.assessor, None)
        )
        self._lay_out()

    def _saying(self, change: Callable[..., None]) -> Callable[..., None]:
        """Return what hands to the work what the person said of the file that is shown."""

        def say(*said: object) -> None:
            if self._file is not None:
                change(self._file, *said)

        return say

    def _choose_kind(self, kind: str | None) -> None:
        file = self._file
        if file is not None and kind and not (file.reading and file.reading.kind == kind):
            self._work.read(file, kind=Kind(kind))

    def _lay_out(self) -> None:
        read_as = Text(_("read as"), ink="text2", wraps=False)
        head = (self.name, read_as, self.kinds, self.encoding, None, self.extent, self.leave_out)
        line = line_of(*head, spacing=scaled(10))
        parts = (
            *(line, self.problem, self.questions),
            *(self.table, self.taken, self._below(), None),
        )
        content = QWidget()
        in_column(*parts, host=content, spacing=scaled(14), margins=(20, 14, 20, 14))
        in_column(scroll_area(content), host=self)

    def _below(self) -> QLayout:
        self.histogram_title = Text(_("Grades in this file"), role=Role.UI_STRONG)
        shown = in_column(self.histogram_title, self.histogram, spacing=6)
        self.grades = held(in_column(shown, self.grade_map, None, spacing=14))
        self.grades.setMinimumWidth(scaled(220))
        self.grades.setMaximumWidth(scaled(296))
        below = FlowLayout(gap=scaled(32))
        below.put(in_column(self.findings, self.assessor_row, None, spacing=14))
        below.let_grow(1)
        below.put(self.grades)
        return below

    def show_file(self, file: ImportFile) -> None:
        """Show a file as far as it is known."""
        scale = self._work.scale
        is_other = file is not self._file
        self._file = file
        if file.state is FileState.READING and file.view is not None and not is_other:
            # It stays as it is until it is read anew: nothing moves under the pointer.
            return
        had_focus = self.isAncestorOf(QApplication.focusWidget() or self)
        self.name.set_text(file.name)
        self._fill_kinds(file)
        self.problem.setText(_standing(file))
        self.problem.setVisible(bool(self.problem.text()))
        self.problem.set_ink("bad" if file.is_left_out else "text2")
        self._show_taken(file.taken)
        view, reading = file.view, file.reading
        for part in (self.findings, self.extent, self.encoding):
            part.setVisible(reading is not None)
        self.table.setVisible(view is not None)
        self.assessor_row.setVisible(view is not None and view.has_nameless)
        if not self.assessor.hasFocus() or is_other:
            self.assessor.setText(self._work.assessor)
        if view is not None:
            self.table.set_rows(view.rows, scale)
        if reading is not None and view is not None:
            self.encoding.setText(describe_encoding(reading))
            self.extent.setText(_extent(reading, view))
        if file.report is not None:
            self.questions.ask(question_choosers(file.report.all_questions))
        elif reading is not None or is_other or file.state is FileState.REFUSED:
            # While it is planned anew, what was asked beside the project stays where it is.
            asked = list(reading.open_questions if reading is not None else file.questions)
            asked += [find_whose(reading)] if reading is not None and reading.judgments else []
            self.questions.ask(question_choosers(asked))
        self._show_grades(file, scale)
        self.conflicts.set_choice(self._work.conflicts)
        self.findings.set_findings(file.findings)
        if had_focus and not self.isAncestorOf(QApplication.focusWidget() or self):
            # What had the keyboard is gone: it does not go on to Cancel.
            self.kinds.setFocus()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, whose inks chips and bars have."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self._file is not None:
            self.show_file(self._file)

    def _show_taken(self, taken: str) -> None:
        """Show, and say once, which column has lost its role to another."""
        is_new = taken != self.taken.text()
        self.taken.setText(taken)
        self.taken.setVisible(bool(taken))
        if taken and is_new:
            announce_later(self, taken)

    def _show_grades(self, file: ImportFile, scale: Scale) -> None:
        counts = file.view.counts if file.view is not None else {}
        labels = file.view.labels if file.view is not None else {}
        self.grades.setVisible(bool(counts or labels))
        shown = mapped_counts(counts, file.grade_map)
        for part in (self.histogram, self.histogram_title):
            part.setVisible(bool(shown))
        bars = grade_bars(shown, scale) if shown else []
        self.histogram.set_rows(bars)
        # Readers read the texts of a dialog, and none of its lists.
        numbers = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        self.histogram_title.setAccessibleName(f"{self.histogram_title.text()}: {numbers}")
        to_map: dict[str, int] = dict(labels)
        chosen: dict[str, float] = dict(file.word_map)
        for grade, count in counts.items():
            if scale.find_level(grade) is None or grade in file.grade_map:
                to_map[written_grade(grade)] = count
        chosen |= {written_grade(grade): wanted for grade, wanted in file.grade_map.items()}
        usual = file.reading.label_proposal if file.reading is not None else {}
        # What the scale has no level for could not be taken.
        proposal = {word: each for word, each in usual.items() if scale.has_grade(each)}
        is_taken = all(file.word_map.get(word) == grade for word, grade in proposal.items())
        self.grade_map.set_grades(
            to_map,
            chosen,
            scale,
            proposal={} if is_taken else proposal,
            are_of_model=file.reading is not None and find_whose(file.reading).answer == "model",
        )
        self.grade_map.setVisible(bool(to_map))

    def _fill_kinds(self, file: ImportFile) -> None:
        reading = file.reading if file.reading is not None and file.reading.format else None
        found = reading.kind if reading is not None else None
        titles: dict[Kind | None, str] = dict(in_words(KIND_TITLES).items())
        if reading is not None:
            titles[found] = describe_format(reading)
        if found is None and file.kind is None:
            titles[None] = _("not known")
        self.kinds.offer(((title, kind) for kind, title in titles.items()), found or file.kind)


def _standing(file: ImportFile) -> str:
    """Return what is to be said of a file that has no rows to show."""
    if file.state is FileState.READING:
        return _("Being read …")
    if file.state is FileState.REFUSED and file.view is not None:
        return _("{problem} Say here what each column is.").format(problem=file.problem)
    return file.problem


def _extent(reading: Reading, view: FileView) -> str:
    """Return how much of a file is shown: ``8 of 342 lines``."""
    rows = view.rows
    if not reading.n_lines and reading.needs_answers:
        # Only its beginning was looked at, or nothing before its encoding is known.
        return (
            ""
            if not rows.rows
            else number_of(len(rows.rows), "its first line", "its first {n} lines")
        )
    if rows.roles:
        is_table = FORMATS[reading.format].layout is FileLayout.TABLE
        has_header = is_table and reading.wishes.answers.get("header") != "no"
        # What stands above the rows is none of them.
        n_above = max(1, reading.header_line) if has_header else 0
        return number_of(
            max(0, reading.n_lines - n_above),
            "{n_rows} of {n} line",
            "{n_rows} of {n} lines",
            n_rows=format_count(len(rows.rows)),
        )
    return number_of(
        rows.total,
        "{n_rows} of {n} record",
        "{n_rows} of {n} records",
        n_rows=format_count(len(rows.rows)),
    )


# Its parts

_RIGHT_HEADS = ("line", "rank", "score")
_WIDEST = 260
_LEAST_ROLE = 76
_GAP = 24
_MOST_MAPPED = 24
_CONFLICT_TITLES = {
    Conflicts.MINE: N_("Keep the project’s"),
    Conflicts.THEIRS: N_("Take the file’s"),
    Conflicts.BOTH: N_("Keep both"),
}


class PreviewTable(QTableWidget):
    """The first rows of a file as they were understood; grades as chips.

    In the row under the heads stands what each column is taken for, where that can be
    changed.

    Args:
        choose: gets the header of a column, and the role that the person gives it.
    """

    def __init__(self, choose: Callable[[str, str], None]) -> None:
        super().__init__()
        self._choose = choose
        self._rows = PreviewRows((), (), 0)
        self._scale: Scale | None = None
        self._shown: object = None
        self.roles: list[NamedCombo] = []
        dress_table(self, _("First rows"))
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
        cells = RowDelegate(self, _cell_pieces, inset=_GAP // 4, is_lined=True, has_ground=False)
        self.setItemDelegate(cells)

    def set_rows(self, rows: PreviewRows, scale: Scale) -> None:
        """Show other rows.

        Args:
            rows: what to show.
            scale: how grades look.
        """
        shown = (rows, scale, current_theme().name)
        is_same = shown == self._shown
        before, self._rows, self._scale, self._shown = self._rows, rows, scale, shown
        if not is_same:
            held = next((box.accessibleName() for box in self.roles if box.hasFocus()), "")
            # Boxes of the same columns stay, and with them the keyboard and what a reader knows.
            if rows.heads != before.heads or bool(rows.roles) != bool(before.roles):
                self.clear()
                self.roles = []
                self.setColumnCount(len(rows.heads))
            self.setRowCount(bool(rows.roles) + len(rows.rows))
            for column in range(len(rows.heads)):
                self._fill(column)
            if rows.roles:
                self.verticalHeader().resizeSection(0, scaled(36))
            stop = stop_before(self)
            for box in self.roles:
                # Where they are seen, not behind the buttons of the foot.
                QWidget.setTabOrder(stop, box)
                stop = box
                if held and box.accessibleName() == held and not box.hasFocus():
                    # Who names columns goes on there, and leaves nothing by the next Enter.
                    box.setFocus()
        self._fit()

    def _fill(self, column: int) -> None:
        rows = self._rows
        is_right = rows.heads[column] in _RIGHT_HEADS and not self._role(column)
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        head = QTableWidgetItem(rows.heads[column] if rows.roles else _(rows.heads[column]))
        head.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalHeaderItem(column, head)
        if rows.roles:
            self._show_role(column, self._role(column))
        ink = "text3" if is_right or self._role(column) == "ignore" else "text"
        for number, row in enumerate(rows.rows, bool(rows.roles)):
            item = QTableWidgetItem(row[column])
            text = TextPart(row[column], ink=ink, align=Align.END if is_right else Align.START)
            item.setData(ROW, self._chip_of(column, row[column]) or text)
            self.setItem(number, column, item)

    def _role(self, column: int) -> str:
        return self._rows.roles[column] if self._rows.roles else ""

    def _has_grades(self, column: int) -> bool:
        return (self._role(column) or self._rows.heads[column]) == "grade"

    def _show_role(self, column: int, role: str) -> None:
        head = self._rows.heads[column]
        choices = dict.fromkeys((*self._rows.role_choices, role))
        titles = [(role_title(choice), choice) for choice in choices]
        if column < len(self.roles):
            self.roles[column].offer(titles, role)
            self.roles[column].setVisible(bool(role))
            return
        choose = partial(self._choose, head)
        box = combo(titles, role, name=_("Column {head} is").format(head=head), choose=choose)
        # Else an arrow or a letter would take a role from another column on its way.
        box.is_steady = True
        self.roles.append(box)
        box.setMaximumWidth(scaled(180))
        box.setVisible(bool(role))
        line = in_line(box, 100, None, spacing=8)
        self.setCellWidget(0, column, held(line))
        line.setContentsMargins(scaled(2), 0, scaled(_GAP) - scaled(8), 0)

    def _chip_of(self, column: int, text: str) -> ChipPart | None:
        try:
            grade = float(text) if self._has_grades(column) else None
        except ValueError:
            return None
        if grade is None or self._scale is None or self._scale.find_level(grade) is None:
            return None
        return ChipPart(grade_style(self._scale, grade, current_theme()))

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
            content = scaled(44) if self._has_grades(place) else max(cells, default=0)
            wide = min(
                max(text_width(Role.HEAD, head if self._rows.roles else _(head)), content),
                scaled(_WIDEST),
            ) + scaled(_GAP)
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


def _cell_pieces(part: Part | str, _room: float) -> Iterable[Piece]:
    # Where a role is chosen there is no item, and no part.
    return () if isinstance(part, str) else (Piece(part, gives=True),)


def grade_bars(counts: Mapping[float, int], scale: Scale) -> list[BarRow]:
    """Return how often each grade occurs, highest first, those of the scale in any case.

    Args:
        counts: by grade.
        scale: the project's; grades that are not on it are named so.
    """
    both = {**{level.grade: 0 for level in scale.levels}, **counts}
    most = max(both.values()) or 1
    rows = []
    for grade in sorted(both, reverse=True):
        level = scale.find_level(grade)
        name = level.shown_name if level is not None else _("not on this scale")
        style = grade_style(scale, grade, current_theme())
        rows.append(BarRow(name, both[grade] / most, format_count(both[grade]), style))
    return rows


_MARKS = {"good": IconPart("check", "good", 16), "warn": IconPart("triangle-alert", "warn", 16)}


def _mark(level: str) -> PieceView:
    """Return check, warning or note beside a finding."""
    icon = _MARKS.get(level, IconPart("info", px=16))
    return PieceView(lambda: (Piece(icon, icon.side),), partial(line_height, Role.UI))


class FindingList(QWidget):
    """Findings under each other: mark, title, sentences, perhaps 'Show them'.

    Args:
        show: called with a finding whose lines are wanted.
        choice: stands under the finding that leaves a choice.

    Attributes:
        findings: what is shown.
    """

    def __init__(self, show: Callable[[FileRemark], None], choice: QWidget) -> None:
        super().__init__()
        self._show = show
        self._choice = choice
        choice.setParent(self)
        choice.hide()
        self._column = in_column(host=self, spacing=14)
        self.findings: tuple[FileRemark, ...] = ()

    def set_findings(self, findings: tuple[FileRemark, ...]) -> None:
        """Show other findings."""
        if findings == self.findings:
            return
        self.findings = findings
        # Else it would go with the row that it stands in.
        self._choice.setParent(self)
        self._choice.hide()
        clear_layout(self._column)
        for finding in findings:
            self._column.addWidget(self._row(finding))
        self._column.addStretch(1)
        stop = stop_before(self)
        for button in self.findChildren(QPushButton):
            QWidget.setTabOrder(stop, button)
            stop = button

    def _row(self, finding: FileRemark) -> QWidget:
        texts = in_column(spacing=1)
        if finding.title:
            texts.addWidget(Text(finding.title, role=Role.UI_STRONG))
        if finding.text:
            texts.addWidget(Text(finding.text, ink="text2"))
        if finding.has_choice:
            texts.addWidget(self._choice)
            self._choice.show()
        line = in_line(spacing=scaled(10))
        line.addWidget(_mark(finding.level), alignment=Qt.AlignmentFlag.AlignTop)
        line.addLayout(texts, stretch=1)
        if finding.lines:
            button = push_button(_("Show them"), partial(self._show, finding))
            button.setAccessibleName(_("Show them: {title}").format(title=finding.title))
            line.addWidget(button, alignment=Qt.AlignmentFlag.AlignTop)
        return held(line)


def question_choosers(questions: Iterable[Question]) -> Iterator[Chooser]:
    """Yield what a file leaves open, each with its choices."""
    for question in questions:
        unsaid = [(_("Choose …"), "")] if question.is_open else []
        choices = [
            (translated(meaning) if meaning else choice, choice)
            for choice, meaning in question.choices.items()
        ]
        options, text = [*unsaid, *choices], _(question.text)
        yield Chooser(question.name, text, options, question.answer, text, question.is_open)


class GradeMap(QWidget):
    """Which grade of the scale each grade of a file stands for.

    Args:
        choose: gets the file's grade as text, and a grade of the scale or ``None``.
        take_usual: takes the usual grades.

    Attributes:
        choosers: of the grades.
        propose: takes the usual grades.
    """

    def __init__(
        self, choose: Callable[[str, float | None], None], take_usual: Callable[[], None]
    ) -> None:
        super().__init__()
        self.choosers = Choosers(choose, width=150)
        self.propose = push_button(_("Take the usual grades"), take_usual)
        head = Text(_("Grades to map"), role=Role.UI_STRONG)
        in_column(head, self.choosers, line_of(self.propose, None), host=self, spacing=4)

    def set_grades(
        self,
        counts: Mapping[str, int],
        chosen: Mapping[str, float],
        scale: Scale,
        *,
        proposal: Mapping[str, float],
        are_of_model: bool = False,
    ) -> None:
        """Show other grades.

        Args:
            counts: how often each grade of the file occurs, by its text.
            chosen: the grades of the scale that they stand for, as far as that is said.
            scale: the project's.
            proposal: what is usual and not chosen; empty where nothing is proposed.
            are_of_model: whether words that stand for no grade are 'cannot judge', not left out.
        """
        levels = [(level.titled, float(level.grade)) for level in reversed(scale.levels)]
        self.choosers.ask(
            Chooser(
                grade,
                f"{grade}  ({format_count(count)})",
                [(_unmapped(grade, are_of_model=are_of_model), None), *levels],
                chosen.get(grade),
                _("Grade {grade} of the file is").format(grade=grade),
            )
            for grade, count in list(counts.items())[:_MOST_MAPPED]
        )
        pairs = ", ".join(f"{word} {format_grade(grade)}" for word, grade in proposal.items())
        self.propose.setToolTip(pairs)
        self.propose.setAccessibleDescription(pairs)
        self.propose.setVisible(bool(proposal))


def _unmapped(grade: str, *, are_of_model: bool) -> str:
    """Return what becomes of a grade that stands for none of the scale."""
    if grade.startswith("-"):
        return "unjudged"
    return _("cannot judge") if are_of_model and find_grade(grade) is None else _("left out")


class ConflictChoice(QWidget):
    """Which judgment stays where file and project differ.

    Args:
        choose: gets the choice of the person.
    """

    def __init__(self, choose: Callable[[Conflicts], None]) -> None:
        super().__init__()
        # Under each other: side by side they would be wider than a small dialog has room.
        column = in_column(host=self, spacing=4, margins=(0, 4, 0, 0))
        radios = Radios(in_words(_CONFLICT_TITLES), None, self, choose=choose)
        self.buttons = radios.by_name
        for button in self.buttons.values():
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def set_choice(self, choice: Conflicts) -> None:
        """Show a choice, without telling anyone."""
        self.buttons[choice].setChecked(True)
