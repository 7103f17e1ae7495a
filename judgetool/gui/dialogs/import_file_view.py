"""The right side of the import: one file as it was understood."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.scale import Scale
from judgetool.formats import Kind
from judgetool.gui.dialogs.act_dialog import Text, field_label
from judgetool.gui.dialogs.import_files import FileState, ImportFile
from judgetool.gui.dialogs.import_preview import (
    KIND_TITLES,
    count_of,
    describe_encoding,
    describe_format,
)
from judgetool.gui.dialogs.import_widgets import FindingList, GradeHistogram, PreviewTable
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.widgets.labels import ElidedLabel


class ImportFileView(QWidget):
    """Shows a file: how it was read, its first rows, findings, grades.

    Signals:
        kind_chosen: the person says what the file is about (``None``: find out).
        assessor_chosen: whose judgments those are that name nobody.
        take_out: leave the file out.
        lines_wanted: of this finding.
    """

    kind_chosen = Signal(object)
    assessor_chosen = Signal(str)
    take_out = Signal()
    lines_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._file: ImportFile | None = None
        self.name = ElidedLabel("", role=Role.DIALOG_TITLE)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("Read as")
        self.kinds.activated.connect(self._choose_kind)
        self.encoding = Text("", ink="text2")
        self.encoding.setWordWrap(False)
        self.extent = Text("", role=Role.META, ink="text3")
        self.extent.setWordWrap(False)
        self.leave_out = QPushButton("Take out")
        self.leave_out.setAutoDefault(False)
        self.leave_out.clicked.connect(self.take_out)
        self.problem = Text("", role=Role.NEED)
        self.table = PreviewTable()
        self.findings = FindingList(self.lines_wanted.emit)
        self.histogram = GradeHistogram()
        self._make_assessor_field()
        self._lay_out()

    def _make_assessor_field(self) -> None:
        self.assessor = QLineEdit()
        self.assessor.setPlaceholderText("the file’s name")
        self.assessor.setMaxLength(80)
        self.assessor.setFixedWidth(scaled(180))
        self.assessor.editingFinished.connect(
            lambda: self.assessor_chosen.emit(self.assessor.text().strip())
        )
        self.assessor_row = QWidget()
        row = QHBoxLayout(self.assessor_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(field_label("Judgments that name &nobody are by", self.assessor))
        row.addWidget(self.assessor)
        row.addStretch(1)

    def _lay_out(self) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 14, 20, 14)
        column.setSpacing(scaled(14))
        column.addLayout(self._head())
        column.addWidget(self.problem)
        column.addWidget(self.table)
        column.addLayout(self._below())
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Else the ground would be that of lists, not of dialogs.
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(scaled(10))
        head.addWidget(self.name)
        read_as = Text("read as", ink="text2")
        read_as.setWordWrap(False)
        head.addWidget(read_as)
        head.addWidget(self.kinds)
        head.addWidget(self.encoding)
        head.addStretch(1)
        head.addWidget(self.extent)
        head.addWidget(self.leave_out)
        return head

    def _below(self) -> QHBoxLayout:
        self.grades = QWidget()
        self.grades.setMinimumWidth(scaled(220))
        self.grades.setMaximumWidth(scaled(296))
        right = QVBoxLayout(self.grades)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(6)
        right.addWidget(Text("Grades in this file", role=Role.UI_STRONG))
        right.addWidget(self.histogram)
        right.addStretch(1)
        left = QVBoxLayout()
        left.setSpacing(14)
        left.addWidget(self.findings)
        left.addWidget(self.assessor_row)
        left.addStretch(1)
        below = QHBoxLayout()
        below.setSpacing(scaled(32))
        below.addLayout(left, stretch=1)
        below.addWidget(self.grades, stretch=1)
        return below

    def show_file(self, file: ImportFile, scale: Scale, *, default_assessor: str) -> None:
        """Show a file as far as it is known.

        Args:
            file: which.
            scale: the project's.
            default_assessor: whose judgments those are that name nobody, ``""`` for
                the file's name.
        """
        is_other = file is not self._file
        self._file = file
        self.name.set_text(file.path.name)
        self._fill_kinds(file)
        self.problem.setText(_standing(file))
        self.problem.setVisible(bool(self.problem.text()))
        self.problem.set_ink("bad" if file.state is FileState.REFUSED else "text2")
        has_rows = file.reading is not None
        for part in (self.table, self.findings, self.extent, self.encoding):
            part.setVisible(has_rows)
        view = file.view
        self.grades.setVisible(view is not None and bool(view.counts))
        self.assessor_row.setVisible(view is not None and view.has_nameless)
        if not self.assessor.hasFocus() or is_other:
            self.assessor.setText(default_assessor)
        if file.reading is not None and view is not None:
            self.encoding.setText(describe_encoding(file.reading))
            self.extent.setText(f"{len(view.rows.rows):,} of {count_of(view.rows.total, 'record')}")
            self.table.set_rows(view.rows, scale)
            self.histogram.set_counts(view.counts, scale)
        self.findings.set_findings(file.findings)

    def _fill_kinds(self, file: ImportFile) -> None:
        self.kinds.clear()
        found = file.reading.kind if file.reading is not None else None
        for kind, title in KIND_TITLES.items():
            shown = describe_format(file.reading) if file.reading and kind is found else title
            self.kinds.addItem(shown, kind)
        if found is None and file.kind is None:
            self.kinds.addItem("not known", None)
            self.kinds.setCurrentIndex(self.kinds.count() - 1)
        else:
            self.kinds.setCurrentIndex(list(KIND_TITLES).index(found or file.kind or Kind.QUERIES))

    def _choose_kind(self) -> None:
        kind = self.kinds.currentData()
        file = self._file
        if kind is None or file is None or (file.reading and file.reading.kind == kind):
            return
        self.kind_chosen.emit(Kind(kind))


def _standing(file: ImportFile) -> str:
    """Return what is to be said of a file that has no rows to show."""
    if file.state is FileState.READING:
        return "Being read …"
    return file.problem
