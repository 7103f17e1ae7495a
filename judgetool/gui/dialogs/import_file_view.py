"""The right side of the import: one file as it was understood."""

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLayout, QWidget

from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.core.scale import Scale, format_grade
from judgetool.formats import FORMATS, Kind, Reading
from judgetool.formats.judgments import find_whose
from judgetool.formats.registry import FileLayout
from judgetool.gui.dialogs.act_dialog import combo, edit, held, line_of, push_button
from judgetool.gui.dialogs.choose import Choosers
from judgetool.gui.dialogs.import_parts import (
    ConflictChoice,
    FindingList,
    GradeMap,
    PreviewTable,
    grade_bars,
    question_choosers,
)
from judgetool.gui.dialogs.import_preview import (
    KIND_TITLES,
    FileView,
    describe_encoding,
    describe_format,
    mapped_counts,
)
from judgetool.gui.dialogs.import_work import FileState, ImportFile, ImportWork
from judgetool.gui.painting import format_count
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import ElidedLabel, Text
from judgetool.gui.widgets.painted import announce_later, in_column, scroll_area
from judgetool.gui.widgets.small_charts import BarRows
from judgetool.session.imports.plan import FileRemark
from judgetool.wording import _, in_words


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
        self.histogram.set_rows(grade_bars(shown, scale) if shown else ())
        to_map: dict[str, int] = dict(labels)
        chosen: dict[str, float] = dict(file.word_map)
        for grade, count in counts.items():
            if scale.find_level(grade) is None or grade in file.grade_map:
                to_map[format_grade(grade)] = count
        chosen |= {format_grade(grade): wanted for grade, wanted in file.grade_map.items()}
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
        self.kinds.clear()
        found = file.reading.kind if file.reading is not None else None
        for kind, title in in_words(KIND_TITLES).items():
            shown = describe_format(file.reading) if file.reading and kind is found else title
            self.kinds.addItem(shown, kind)
        if found is None and file.kind is None:
            self.kinds.addItem(_("not known"), None)
            self.kinds.setCurrentIndex(self.kinds.count() - 1)
        else:
            self.kinds.setCurrentIndex(list(KIND_TITLES).index(found or file.kind or Kind.QUERIES))


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
        # Only its beginning was looked at.
        return number_of(len(rows.rows), "its first line", "its first {n} lines")
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
