"""Which runs, what-ifs and snapshots the compare view shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.formats import write_atomically
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.jobs import JobCancelledError, JobHandle
from judgetool.gui.number_text import format_count
from judgetool.gui.questions import FileKind
from judgetool.gui.report_pdf import report_pdf
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.window import AppWindow
from judgetool.metrics import ComparisonRules
from judgetool.session.comparing.as_of import moment_text
from judgetool.session.comparing.comparing import ComparingCancelledError
from judgetool.session.comparing.named_systems import named_systems, remarks_of
from judgetool.session.comparing.snapshots import Snapshot, find_snapshot, load_snapshots
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
_TESTS = {
    "randomization": "Randomization: signs of the differences drawn anew",
    "t": "Student’s paired t",
    "wilcoxon": "Wilcoxon’s signed ranks",
    "sign": "Sign test: better or worse, by however much",
}
_CORRECTIONS = {
    "holm": "Holm: no false finding at all",
    "bh": "Benjamini-Hochberg: few false among the findings",
    "none": "None",
}
_FAMILIES = {
    "measure": "All runs by the same measure",
    "pair": "All measures of the same run",
    "table": "The whole table",
}
_MOST = 1_000_000_000
_MOST_NAME = 100


class ReportDialog(ActDialog):
    """Systems, baseline, measures, kind of file; then it is computed and written.

    Args:
        session: the project.
        systems: those that are compared now; all of the present where there are none.
        baseline: ``None`` for the first.
        window: the window, for its jobs and its prompter.
        apart: of the systems, those that enter no family of tests but their own.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        baseline: System | None,
        window: AppWindow,
        *,
        apart: Sequence[System] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Report", verb="Write report…", width=760, parent=parent)
        self._session, self._window = session, window
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
        path = self._window.prompter.choose_place("Write report", suggested, kinds=(kind,))
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
        self._job = self._window.jobs.submit(
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
        window: AppWindow,
        *,
        apart: Sequence[System] = (),
    ) -> str:
        """Let a report be written; return what was done, ``""`` for nothing."""
        dialog = cls(session, systems, baseline, window, apart=apart, parent=parent)
        dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
        return dialog.said if dialog.is_answered() else ""


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


class SignificanceDialog(ActDialog):
    """Fields for everything that p depends on.

    Args:
        rules: what holds now.
        parent: the window it belongs to.
    """

    def __init__(self, rules: ComparisonRules, *, parent: QWidget | None = None) -> None:
        super().__init__("How differences are tested", verb="Use these", parent=parent)
        self._rules = rules
        self.body.addWidget(
            Text(
                "A test asks whether the difference would show for other queries like these. "
                "The choice is kept in the project, and Undo takes it back.",
                ink="text2",
            )
        )
        self.test = _chooser(_TESTS, rules.test)
        self.draws = _number(rules.n_draws, least=1)
        self.seed = _number(rules.seed, least=0)
        self.correction = _chooser(_CORRECTIONS, rules.correction)
        self.family = _chooser(_FAMILIES, rules.family)
        self.alpha = QDoubleSpinBox()
        self.alpha.setDecimals(3)
        self.alpha.setRange(0.001, 0.5)
        self.alpha.setSingleStep(0.01)
        self.alpha.setValue(rules.alpha)
        self.add_field("&Test", self.test)
        self.add_field("&Draws, where not all can be gone through", self.draws)
        self.add_field("&Seed of all chance", self.seed)
        self.add_field("&Correction for testing several", self.correction)
        self.add_field("&Corrected together", self.family)
        self.add_field("&Marked as significant below", self.alpha)
        self.first = self.test
        for chooser in (self.test, self.correction):
            chooser.currentIndexChanged.connect(lambda _place: self._enable())
        self._enable()

    def _enable(self) -> None:
        self.draws.setEnabled(self.test.currentData() == "randomization")
        self.family.setEnabled(self.correction.currentData() != "none")

    @property
    def answer(self) -> ComparisonRules:
        """What was chosen."""
        return replace(
            self._rules,
            test=self.test.currentData(),
            n_draws=self.draws.value(),
            seed=self.seed.value(),
            correction=self.correction.currentData(),
            family=self.family.currentData(),
            alpha=round(self.alpha.value(), 3),
        )

    @classmethod
    def ask(cls, parent: QWidget | None, rules: ComparisonRules) -> ComparisonRules | None:
        """Let the rules be chosen; ``None`` when they stay."""
        dialog = cls(rules, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def _chooser(titles: dict[str, str], chosen: str) -> NamedCombo:
    chooser = NamedCombo()
    for name, title in titles.items():
        chooser.addItem(title, name)
    chooser.setCurrentIndex(max(0, chooser.findData(chosen)))
    return chooser


def _number(value: int, *, least: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(least, _MOST)
    field.setGroupSeparatorShown(True)
    field.setValue(value)
    return field


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
