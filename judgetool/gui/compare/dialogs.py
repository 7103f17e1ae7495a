"""What the compare view asks: which systems, how they are tested, snapshots, and the report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QLineEdit,
    QPushButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.clock import moment_text
from judgetool.core.number_text import number_of
from judgetool.core.terms import one_line, short_name
from judgetool.errors import JudgetoolError
from judgetool.formats import write_atomically
from judgetool.gui.dialogs import FileKind
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    combo,
    held,
    line_of,
    on_change,
    push_button,
    switch,
)
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.report_pdf import report_pdf
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.fields import DecimalField, NamedCombo, NumberField
from judgetool.gui.widgets.labels import Text, plain_tooltip
from judgetool.gui.widgets.painted import in_column, in_line, scroll_area
from judgetool.gui.window import AppWindow
from judgetool.metrics import ComparisonRules, Measure
from judgetool.metrics.comparison import TESTS_OF_MEANS
from judgetool.session.commands import WorkCancelledError
from judgetool.session.comparing.snapshots import (
    Snapshot,
    find_snapshot,
    load_snapshots,
    present_systems,
)
from judgetool.session.comparing.system_values import named_systems, remarks_of
from judgetool.session.exports.exporting import check_not_project
from judgetool.session.exports.report_html import Report, iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from judgetool.session.session import Session
from judgetool.session.systems import System, group_names, queries_where
from judgetool.wording import N_, _, mid_sentence, pgettext

T = TypeVar("T")
_MOST_WHERE = 60
_KINDS = {
    ".html": FileKind(N_("HTML page"), (".html",)),
    ".pdf": FileKind(N_("PDF document"), (".pdf",)),
}
_TESTS = {
    "randomization": N_("Randomization: signs of the differences drawn anew"),
    "t": N_("Student’s paired t"),
    "wilcoxon": N_("Wilcoxon’s signed ranks"),
    "sign": N_("Sign test: better or worse, by however much"),
}
_CORRECTIONS = {
    "holm": N_("Holm: risk of any false finding at most the level"),
    "bh": N_("Benjamini-Hochberg: expected share of false findings at most the level"),
    "none": N_("None"),
}
_FAMILIES = {
    "measure": N_("All runs by the same measure"),
    "pair": N_("All measures of the same run"),
    "table": N_("The whole table"),
}
_MOST = 1_000_000_000
_MOST_FIELDS = 6
_MOST_NAME = 36


def _checked(boxes: Mapping[T, QAbstractButton]) -> tuple[T, ...]:
    """Return what the checked ones stand for."""
    return tuple(each for each, box in boxes.items() if box.isChecked())


def _listed(widgets: Sequence[QWidget]) -> QWidget:
    """Return widgets under each other, on the ground of what they stand on; many scroll."""
    content = QWidget()
    in_column(*widgets, None, host=content, spacing=6, margins=(0, 2, 0, 2))
    area = scroll_area(content)
    area.setMinimumHeight(min(scaled(300), content.sizeHint().height() + 4))
    return area


class SystemChecks:
    """A check box for each system, those of a snapshot under its name.

    Args:
        session: the project.
        chosen: those that are checked.

    Attributes:
        area: what shows them.
        boxes: by key of the system.
    """

    def __init__(self, session: Session, chosen: Sequence[System]) -> None:
        self.boxes: dict[str, QCheckBox] = {}
        systems, keys = named_systems(session), {system.key for system in chosen}
        remarks, shown, taken = remarks_of(session, systems), "", ""
        listed: list[QWidget] = []
        for system in systems:
            if system.snapshot != shown:
                shown = system.snapshot
                snapshot = find_snapshot(session, shown)
                taken = f" ({snapshot.name})" if snapshot is not None else ""
                name = (
                    _("Snapshot {name}").format(name=short_name(snapshot.name, most=_MOST_NAME))
                    if snapshot is not None
                    else _("Snapshot")
                )
                listed.append(Text(name, role=Role.HEAD, ink="text3"))
            parts = (system.name, remarks[system.key])
            # Under the snapshot's name its systems have their own alone: what tells them apart.
            name = short_name(parts[0].removesuffix(taken), most=_MOST_NAME)
            # What it is has words beside the name of its origin.
            remark = short_name(parts[1], most=2 * _MOST_NAME)
            box = switch(f"{name},  {remark}".replace("&", "&&"), is_on=system.key in keys)
            box.setAccessibleName(f"{name}, {remark}")
            box.setToolTip(plain_tooltip(", ".join(parts)))
            self.boxes[system.key] = box
            listed.append(box)
        self.area = _listed(listed)

    @property
    def answer(self) -> tuple[str, ...]:
        """Keys of what is checked."""
        return _checked(self.boxes)


class SystemsAnswer(NamedTuple):
    """What is to be compared.

    Attributes:
        keys: of the systems.
        is_together: whether what-ifs and snapshots are tested with the runs.
    """

    keys: tuple[str, ...]
    is_together: bool


class _ChecksDialog(ActDialog):
    """Check boxes, at least one of which is to be checked.

    Attributes:
        boxes: by the key of what they stand for.
    """

    def _offer(self, boxes: Mapping[str, QCheckBox]) -> None:
        self.boxes = boxes
        self.follow(self._check, *boxes.values())

    def _check(self) -> None:
        self.show_lack("" if self.keys else _("Check at least one."))

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of what is checked."""
        return _checked(self.boxes)


class SystemsDialog(_ChecksDialog):
    """Check boxes for everything that has rankings.

    Args:
        session: the project.
        chosen: what is compared now.
        is_together: whether what-ifs and snapshots are tested with the runs now.
    """

    def __init__(self, session: Session, chosen: Sequence[System], *, is_together: bool) -> None:
        super().__init__(_("Compare systems"), verb=pgettext("verb", "Compare"), width=640)
        self.checks = SystemChecks(session, chosen)
        self.put(self.checks.area, stretch=1)
        self.together = self.add_switch(
            _("&Test what-ifs and snapshots with the runs: this changes the runs’ p"),
            is_on=is_together,
        )
        aside = [each for each in named_systems(session) if each.snapshot or each.kind == "what-if"]
        self.together.setVisible(bool(aside))
        self._offer(self.checks.boxes)

    @property
    def answer(self) -> SystemsAnswer:
        """What is to be compared."""
        return SystemsAnswer(self.keys, is_together=self.together.isChecked())


class ColumnsDialog(_ChecksDialog):
    """Check boxes for the measures of the project.

    Args:
        measures: what there is.
        chosen: what the table has now.
    """

    def __init__(self, measures: Sequence[Measure], chosen: Sequence[Measure]) -> None:
        super().__init__(_("Compare by"), verb=pgettext("verb", "Compare"))
        boxes = {str(each): switch(str(each), is_on=each in chosen) for each in measures}
        self.add_text(
            _(
                "Columns of the table. Project ▸ Measures… chooses what is computed at all. Where p "
                "is corrected over a whole table, these measures are the table."
            )
        )
        self.put(_listed(list(boxes.values())), stretch=1)
        self._offer(boxes)

    @property
    def answer(self) -> tuple[str, ...]:
        """Names of what is checked."""
        return self.keys


class QueriesDialog(ActDialog):
    """A field for the queries that are to be compared, and how many these are.

    Args:
        session: the project.
        where: which they are now.
    """

    def __init__(self, session: Session, where: str) -> None:
        super().__init__(_("Compare over these queries"), verb=pgettext("verb", "Compare"))
        self._session = session
        self.where = self.add_field(_("&Queries"), QLineEdit(where))
        named = ", ".join(f"{each}=…" for each in group_names(session)[:_MOST_FIELDS])
        self.add_text(
            _(
                "Conditions that must all hold: a field and its content ({named}), words of the query, "
                "or what the filter of the query list knows, such as is:disputed. Nothing means "
                "all queries."
            ).format(named=named)
            if named
            else _(
                "Conditions that must all hold: words of the query, or what the filter of the query "
                "list knows, such as is:disputed. Nothing means all queries."
            )
        )
        self.follow(self._check, self.where)

    def _check(self) -> None:
        try:
            count = int(queries_where(self._session, self.answer).sum())
        except JudgetoolError as problem:
            self.show_problem(str(problem))
        else:
            self.show_lack("", remark=number_of(count, "{n} query", "{n} queries"))

    @property
    def answer(self) -> str:
        """What lets the queries through; ``""`` for all."""
        return self.where.text().strip()


class SignificanceDialog(ActDialog):
    """Fields for everything that p depends on.

    Args:
        rules: what holds now.
    """

    def __init__(self, rules: ComparisonRules) -> None:
        super().__init__(_("How differences are tested"), verb=_("Use these"))
        self._rules = rules
        self.add_text(
            _(
                "A test asks whether the difference would show for other queries like these. "
                "The choice is kept in the project, and Undo takes it back."
            )
        )
        self.test = self._choice(_("&Test"), _TESTS, rules.test)
        self.draws = self._number(
            _("&Draws, where not all can be gone through"), rules.n_draws, least=1
        )
        self.seed = self._number(_("&Seed of all chance"), rules.seed, least=0)
        self.correction = self._choice(
            _("&Correction for testing several"), _CORRECTIONS, rules.correction
        )
        self.family = self._choice(_("Corrected to&gether"), _FAMILIES, rules.family)
        self.alpha = self._share(_("&Marked as significant below"), rules.alpha, least=0.001)
        self.alpha.setMaximum(0.5)
        self.equivalence = self._share(_("Called a t&ie if shown to be within"), rules.equivalence)
        self.equivalence.setSpecialValueText(_("nothing is called a tie"))
        self.follow(self._enable, self.test, self.correction)

    def _choice(self, label: str, titles: dict[str, str], chosen: str) -> NamedCombo:
        options = [(_(title), name) for name, title in titles.items()]
        return self.add_field(label, combo(options, chosen))

    def _number(self, label: str, value: int, *, least: int) -> NumberField:
        field = self.add_field(label, NumberField(least, _MOST))
        field.setGroupSeparatorShown(True)
        field.setValue(value)
        return field

    def _share(self, label: str, value: float, *, least: float = 0.0) -> DecimalField:
        field = self.add_field(label, DecimalField(least, _MOST, digits=3))
        field.setSingleStep(0.01)
        field.setValue(value)
        return field

    def _enable(self) -> None:
        test = self.test.currentData()
        self.draws.setEnabled(test == "randomization")
        self.equivalence.setEnabled(test in TESTS_OF_MEANS)
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
            equivalence=round(self.equivalence.value(), 3),
        )


class SnapshotsAnswer(NamedTuple):
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
    """

    def __init__(self, session: Session) -> None:
        super().__init__(_("Snapshots"), verb=pgettext("verb", "Compare"), width=640)
        self._session = session
        self._snapshots = load_snapshots(session)
        self.now = switch(_("Now"), is_on=True)
        self.boxes: dict[str, QCheckBox] = {}
        self.deletes: dict[str, QPushButton] = {}
        listed: list[QWidget] = [self.now, *map(self._row, self._snapshots)]
        if not self._snapshots:
            said = _("No snapshot is taken yet. Compare ▸ Snapshot… takes one.")
            listed.append(Text(said, ink="text2"))
        self.put(_listed(listed), stretch=1)
        on_change(self._check, self.now, *self.boxes.values(), *self.deletes.values())
        self.first = next(iter(self.boxes.values()), self.now)
        self._check()

    def _row(self, snapshot: Snapshot) -> QWidget:
        count = number_of(len(snapshot.systems), "{n} system", "{n} systems")
        text = f"{snapshot.name},  {moment_text(snapshot.at)},  {count}"
        box = self.boxes[snapshot.id] = switch(text.replace("&", "&&"), is_on=False)
        delete = self.deletes[snapshot.id] = push_button(_("Delete"))
        delete.setCheckable(True)
        delete.setFlat(True)
        delete.setAccessibleName(_("Delete snapshot {name}").format(name=snapshot.name))
        delete.setEnabled(not self._session.read_only_reason)
        delete.toggled.connect(lambda is_on: self._mark(snapshot.id, is_deleted=is_on))
        return held(line_of(box, 1, delete))

    def _mark(self, snapshot_id: str, *, is_deleted: bool) -> None:
        box = self.boxes[snapshot_id]
        box.setChecked(False)
        box.setEnabled(not is_deleted)
        self.deletes[snapshot_id].setText(_("Keep") if is_deleted else _("Delete"))

    @property
    def deleted(self) -> tuple[str, ...]:
        """Ids of the snapshots to delete."""
        return _checked(self.deletes)

    @property
    def chosen(self) -> list[Snapshot]:
        """The checked snapshots."""
        return [each for each in self._snapshots if self.boxes[each.id].isChecked()]

    def _check(self) -> None:
        chosen, count = self.chosen, len(self.deleted)
        deletes = number_of(count, "Delete {n} snapshot", "Delete {n} snapshots")
        self.verb.setText(pgettext("verb", "Compare") if chosen or not count else deletes)
        if chosen and count:
            self.verb.setText(_("Compare, {deletes}").format(deletes=mid_sentence(deletes)))
        lack = "" if chosen or count else _("Check one or more snapshots.")
        self.show_lack(lack, remark=_("Undo brings a deleted snapshot back.") if count else "")

    @property
    def answer(self) -> SnapshotsAnswer:
        """What is to be done."""
        keys = [system.key for each in self.chosen for system in each.systems]
        if keys and self.now.isChecked():
            keys = [*(system.key for system in present_systems(self._session)), *keys]
        return SnapshotsAnswer(tuple(keys), self.deleted)


class WriteReportDialog(WorkDialog):
    """Systems, baseline, measures, kind of file; then it is computed and written.

    Args:
        window: the window, for its jobs and its prompter.
        session: the project.
        proposed: what is chosen at first: what is compared now.
    """

    def __init__(
        self,
        window: AppWindow,
        session: Session,
        proposed: ReportChoices = ReportChoices(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(_("Report"), session, window.jobs, width=760)
        self._prompter, self._apart = window.prompter, proposed.apart
        chosen = list(proposed.systems) or present_systems(session)
        self.systems = SystemChecks(session, chosen)
        columns_now = proposed.measures or session.measures
        self.measures = {
            each: switch(str(each), is_on=each in columns_now) for each in session.measures
        }
        lists = (
            (_("Systems"), self.systems.area),
            (_("Measures"), _listed(list(self.measures.values()))),
        )
        systems, measures = (
            in_column(Text(title, role=Role.UI_STRONG), listed, 1, spacing=-1)
            for title, listed in lists
        )
        self.body.addLayout(in_line(systems, 3, measures, 2, spacing=32), stretch=1)
        options = [(system.name, system) for system in chosen]
        self.baseline = self.add_field(_("&Baseline"), combo(options, proposed.baseline))
        self._where, self.few = proposed.where, None
        if proposed.where:
            n_kept = int(queries_where(session, proposed.where).sum())
            named = one_line(proposed.where, most=_MOST_WHERE).replace("&", "&&")
            self.few = self.add_switch(
                number_of(
                    n_kept,
                    "&Only the {n} query that ‘{named}’ lets through",
                    "&Only the {n} queries that ‘{named}’ lets through",
                    named=named,
                ),
                is_on=True,
            )
        known = [(str(each), each) for each in session.measures]
        self.drawn = self.add_field(_("&Measure of the charts"), combo(known, proposed.drawn))
        self.kinds = Radios({".html": _("HTML page"), ".pdf": "PDF"}, ".html", self)
        self.add_line(*self.kinds.by_name.values(), None, spacing=20)
        self.add_text(
            _(
                "One file that needs no other: table with intervals and significance, verdicts, worst "
                "queries, curves, conventions."
            )
        )
        self.anonymous = self.add_switch(
            _("&Anonymous: names neither the project nor who judged"), is_on=False
        )
        self.verb.setText(_("Write report…"))
        self.set_verb(self.write)
        self.first = self.kinds.by_name[".html"]
        self.follow(self._check, self.drawn, *self.measures.values(), *self.systems.boxes.values())

    def _check(self) -> None:
        problem = ""
        if not self.systems.answer:
            problem = _("Check at least one system.")
        elif not _checked(self.measures):
            problem = _("Check at least one measure.")
        elif not self.measures[self.drawn.currentData()].isChecked():
            problem = _("Check {measure}, which the charts are to show.").format(
                measure=self.drawn.currentText()
            )
        self.show_lack(problem)

    @property
    def choices(self) -> ReportChoices:
        """What the report is about."""
        by_key = {each.key: each for each in named_systems(self.session)}
        systems = tuple(by_key[key] for key in self.systems.answer if key in by_key)
        return ReportChoices(
            systems,
            self.baseline.currentData(),
            _checked(self.measures),
            self.drawn.currentData(),
            apart=self._apart,
            anonymous=self.anonymous.isChecked(),
            where=self._where if self.few is not None and self.few.isChecked() else "",
        )

    def write(self) -> None:
        """Ask where, then compute and write it."""
        ending = self.kinds.current or ".html"
        suggested = self.session.path.with_suffix(ending)
        path = self._prompter.choose_place(_("Write report"), suggested, kinds=(_KINDS[ending],))
        if path is None:
            return
        try:
            check_not_project(path, self.session)
            work = report_work(self.session, self.choices)
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        self.set_busy(is_busy=True)
        self.working = self.jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            partial(self._write, path),
            self._stop,
            self.show_progress,
            key="compare/report",
            owner=self,
        )

    def _write(self, path: Path, report: Report) -> None:
        is_pdf = self.kinds.current == ".pdf"
        try:
            write_atomically(path, [report_pdf(report)] if is_pdf else iter_report_html(report))
        except JudgetoolError as problem:
            self._stop(problem)
        else:
            self.finish(_("Report written: {name}.").format(name=path.name))

    def _stop(self, problem: Exception) -> None:
        self.working = None
        self.set_busy(is_busy=False)
        if isinstance(problem, WorkCancelledError):
            self.show_remark(_("Stopped. Nothing was written."))
        else:
            self.show_problem(str(problem))

    @override
    def drop_work(self) -> None:
        """Leave: nothing was prepared."""
