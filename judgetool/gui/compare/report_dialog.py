"""The report: what it is about, and where it goes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QProgressBar,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.formats import write_atomically
from judgetool.gui.compare.systems_dialog import CheckColumn, SystemChecks
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role
from judgetool.gui.jobs import JobCancelledError, JobHandle
from judgetool.gui.number_text import format_count
from judgetool.gui.questions import FileKind
from judgetool.gui.report_pdf import report_pdf
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.window import AppWindow
from judgetool.session.comparing.comparing import ComparingCancelledError
from judgetool.session.comparing.system_values import present_systems
from judgetool.session.exports.exporting import check_place
from judgetool.session.exports.report_html import Report, iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from judgetool.session.session import Session
from judgetool.session.systems import System

if TYPE_CHECKING:
    from judgetool.metrics import Measure

_HTML = FileKind("HTML page", (".html",))
_PDF = FileKind("PDF document", (".pdf",))


class ReportDialog(ActDialog):
    """Systems, baseline, measures, kind of file; then it is computed and written.

    Args:
        session: the project.
        systems: those that are compared now; all of the present where there are none.
        baseline: ``None`` for the first.
        frame: the window, for its jobs and its prompter.
        apart: of the systems, those that enter no family of tests but their own.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        baseline: System | None,
        frame: AppWindow,
        *,
        apart: Sequence[System] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Report", verb="Write report…", width=760, parent=parent)
        self._session, self._frame = session, frame
        self._apart = tuple(apart)
        self._job: JobHandle | None = None
        self._path = Path()
        self.said = ""
        chosen = list(systems) or present_systems(session)
        self.systems = SystemChecks(session, chosen)
        self.baseline = NamedCombo()
        for system in chosen:
            self.baseline.addItem(system.name, system)
        start = baseline if baseline is not None else next(iter(chosen), None)
        keys = [system.key for system in chosen]
        if start is not None and start.key in keys:
            self.baseline.setCurrentIndex(keys.index(start.key))
        self.measures: dict[Measure, QCheckBox] = {}
        self.html, self.pdf = QRadioButton("HTML page"), QRadioButton("PDF")
        self.bar = QProgressBar()
        self._arrange()
        self._check()

    def _arrange(self) -> None:
        columns = QHBoxLayout()
        columns.setSpacing(32)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(ElidedLabel("Systems", role=Role.UI_STRONG))
        left.addWidget(self.systems, stretch=1)
        right.addWidget(ElidedLabel("Measures; the first is drawn", role=Role.UI_STRONG))
        for measure in self._session.measures:
            box = QCheckBox(str(measure))
            box.setChecked(True)
            box.toggled.connect(lambda _on: self._check())
            self.measures[measure] = box
        measures = CheckColumn()
        measures.fill(list(self.measures.values()))
        right.addWidget(measures, stretch=1)
        columns.addLayout(left, stretch=3)
        columns.addLayout(right, stretch=2)
        self.body.addLayout(columns, stretch=1)
        self.add_field("&Baseline", self.baseline)
        kinds = QHBoxLayout()
        kinds.setSpacing(20)
        group = QButtonGroup(self)
        for button in (self.html, self.pdf):
            group.addButton(button)
            kinds.addWidget(button)
        kinds.addStretch(1)
        self.html.setChecked(True)
        self.body.addLayout(kinds)
        self.body.addWidget(
            Text(
                "One file that needs no other: table with intervals and significance, worst "
                "queries, curves, conventions.",
                ink="text2",
            )
        )
        self.bar.setTextVisible(False)
        self.bar.setVisible(False)
        self.body.addWidget(self.bar)
        self.verb.clicked.disconnect()
        self.verb.clicked.connect(self.write)
        self.first = self.html
        for box in self.systems.boxes.values():
            box.toggled.connect(lambda _on: self._check())

    def _check(self) -> None:
        problem = ""
        if not self.systems.answer:
            problem = "Check at least one system."
        elif not any(box.isChecked() for box in self.measures.values()):
            problem = "Check at least one measure."
        self.show_problem(problem, ink="text2")

    @property
    def choices(self) -> ReportChoices:
        """What the report is about."""
        by_key = {each.key: each for each in self._known()}
        systems = tuple(by_key[key] for key in self.systems.answer if key in by_key)
        baseline = self.baseline.currentData()
        measures = tuple(each for each, box in self.measures.items() if box.isChecked())
        return ReportChoices(systems, baseline, measures, apart=self._apart)

    def _known(self) -> list[System]:
        from judgetool.session.comparing.named_systems import named_systems  # noqa: PLC0415 - made on demand

        return named_systems(self._session)

    def write(self) -> None:
        """Ask where, then compute and write it."""
        kind, ending = (_PDF, ".pdf") if self.pdf.isChecked() else (_HTML, ".html")
        suggested = self._session.path.with_suffix(ending)
        path = self._frame.prompter.choose_place("Write report", suggested, kinds=(kind,))
        if path is None:
            return
        try:
            check_place(path, self._session)
            work = report_work(self._session, self.choices)
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        self._path = path
        self._set_busy(is_busy=True)
        self._job = self._frame.jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._finish,
            self._stop,
            self._tell,
            key="compare/report",
            owner=self,
        )

    def _set_busy(self, *, is_busy: bool) -> None:
        self.bar.setVisible(is_busy)
        self.bar.setRange(0, 0)
        self.verb.setEnabled(not is_busy)

    def _tell(self, done: int, total: int) -> None:
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.show_remark(f"Comparing: {format_count(done)} of {format_count(total)}")

    def _finish(self, report: Report) -> None:
        self._job = None
        try:
            if self.pdf.isChecked():
                write_atomically(self._path, [report_pdf(report)])
            else:
                write_atomically(self._path, iter_report_html(report))
        except JudgetoolError as problem:
            self._set_busy(is_busy=False)
            self.show_problem(str(problem))
            return
        self.said = f"Report written: {self._path.name}."
        self.accept()

    def _stop(self, problem: Exception) -> None:
        self._job = None
        self._set_busy(is_busy=False)
        if isinstance(problem, ComparingCancelledError | JobCancelledError):
            self.show_remark("Stopped. Nothing was written.")
        else:
            self.show_problem(str(problem))

    @override
    def reject(self) -> None:
        """Stop the work first, if it runs; else go."""
        if self._job is not None:
            self._job.cancel()
        else:
            super().reject()

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        session: Session,
        systems: Sequence[System],
        baseline: System | None,
        frame: AppWindow,
        *,
        apart: Sequence[System] = (),
    ) -> str:
        """Let a report be written; return what was done, ``""`` for nothing."""
        dialog = cls(session, systems, baseline, frame, apart=apart, parent=parent)
        dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
        return dialog.said if dialog.is_answered() else ""
