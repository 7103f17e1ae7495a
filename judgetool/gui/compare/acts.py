"""What is asked and written from the compare view: files, snapshots, reports, systems."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from judgetool.core.clock import iso_utc
from judgetool.errors import JudgetoolError
from judgetool.formats.output import write_atomically
from judgetool.formats.sheets import Sheet, as_csv, as_latex, as_markdown
from judgetool.gui.charts import CHART_FILES, suggested_name, write_chart
from judgetool.gui.compare.agreement_dialog import AgreementDialog
from judgetool.gui.compare.compared import Compared
from judgetool.gui.compare.dialogs import (
    ColumnsDialog,
    QueriesDialog,
    SignificanceDialog,
    SnapshotsDialog,
    SystemsDialog,
    WriteReportDialog,
)
from judgetool.gui.compare.query_pane import PanePart, QueryPane
from judgetool.gui.questions import Choice, FileKind
from judgetool.gui.theme import current_theme
from judgetool.gui.whatif.tools import NameDialog
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.charts import Chart
from judgetool.session.comparing.comparing import comparison_rules, set_comparison_rules
from judgetool.session.comparing.snapshots import create_snapshot, delete_snapshot, load_snapshots
from judgetool.session.exports.exporting import check_place
from judgetool.session.exports.reporting import ReportChoices
from judgetool.session.runs import delete_run, describe_uses, rename_run
from judgetool.session.systems import System
from judgetool.session.whatifs.editing import delete_whatif, rename_whatif
from judgetool.session.whatifs.stored import find_whatif
from judgetool.wording import N_, _

TABLE_FILES = (
    FileKind(N_("Every number as CSV"), (".csv",)),
    FileKind(N_("Table as Markdown"), (".md",)),
    FileKind(N_("Table as LaTeX"), (".tex",)),
)
_WRITERS = {".csv": as_csv, ".md": as_markdown, ".tex": as_latex}


_SNAPSHOT = N_(
    "It keeps all rankings and judgments as they are now, to compare with later. It takes hardly "
    "any room."
)


class CompareActs(Handler):
    """Dialogs and files of the compare view.

    Args:
        window: the window.
        compared: what is compared.
        query: what is shown of a query.
    """

    def __init__(self, window: AppWindow, compared: Compared, query: QueryPane) -> None:
        super().__init__(window)
        self._compared = compared
        self._query = query

    def _can_write(self) -> bool:
        """Whether the project can be changed; if not, it is said why."""
        self._say(self._session.read_only_reason)
        return not self._session.read_only_reason

    def _attempt(self, act: Callable[[], object], *, said: str = "", can_undo: bool = True) -> None:
        """Do something and say so, or tell why it could not be done."""
        try:
            act()
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        else:
            self._say(said, offers_undo=can_undo)

    def choose_systems(self) -> None:
        """Choose what the table compares."""
        compared = self._compared
        dialog = SystemsDialog(self._session, compared.systems, is_together=compared.is_together)
        chosen = self._ask(dialog)
        if chosen is not None:
            compared.choose_systems(chosen.keys, is_together=chosen.is_together)

    def choose_measures(self) -> None:
        """Choose by which measures the table compares."""
        table = self._compared.table
        if table is not None:
            chosen = self._ask(ColumnsDialog(self._session.measures, table.measures))
            if chosen is not None:
                self._compared.choose_columns(chosen)

    def choose_where(self, where: str | None = None) -> None:
        """Compare over these queries; ``None`` asks which."""
        table = self._compared.table
        if table is None:
            return
        if where is None:
            where = self._ask(QueriesDialog(self._session, table.where))
        if where is None:
            # The chooser shows again what holds.
            self._compared.table_changed.emit()
        else:
            self._attempt(partial(self._compared.choose_where, where), can_undo=False)

    def _current(self) -> System | None:
        """Return the run or what-if that can be renamed or taken out; else say why none can."""
        system = self._compared.system
        if system is None or not self._can_write():
            return None
        if system.snapshot:
            self._say(
                _("{name} is part of a snapshot, which keeps it as it was.").format(
                    name=system.name
                )
            )
            return None
        return system

    def rename(self) -> None:
        """Give the current run or what-if another name."""
        system = self._current()
        if system is None:
            return
        name = self._ask(
            NameDialog(
                _("Rename {name}").format(name=_(system.kind)), system.name, verb=_("Rename")
            )
        )
        if name is None:
            return
        if system.kind == "run":
            self._attempt(partial(rename_run, self._session, int(system.id), name))
        else:
            self._attempt(partial(rename_whatif, self._session, system.id, name))

    def change_fusion(self) -> None:
        """Give the current row, if it is runs fused, other runs, weights or k."""
        from judgetool.gui.whatif.dialogs import change_fusion  # noqa: PLC0415 - not needed until asked for

        system = self._current()
        if system is None:
            return
        head = find_whatif(self._session, system.id) if system.kind == "what-if" else None
        if head is None or head.how != "fused":
            self._say(
                _("{name} is no fusion of runs: it has no weights and no k.").format(
                    name=system.name
                )
            )
            return
        self.attempt(lambda: change_fusion(self._session, head, self._ask))

    def delete(self) -> None:
        """Take the current run or what-if out of the project; Undo brings it back."""
        system = self._current()
        if system is None:
            return
        act: Callable[[], object] = partial(delete_whatif, self._session, system.id)
        if system.kind == "run":
            text = _("Take run {name} out of the project?").format(name=system.name)
            detail = describe_uses(self._session, int(system.id))
            choices = (Choice("delete", _("Take out"), destroys=True),)
            if self._window.prompter.ask(text, choices, detail=detail) != "delete":
                return
            act = partial(delete_run, self._session, int(system.id))
        self._attempt(act, said=_("{name} is taken out.").format(name=system.name))

    def choose_testing(self) -> None:
        """Choose test, correction and family; the project keeps them."""
        if self._can_write():
            now = comparison_rules(self._session)
            rules = self._ask(SignificanceDialog(now))
            if rules is not None:
                set_comparison_rules(self._session, rules)

    # Files

    def export_chart(self, chart: Chart | None = None) -> None:
        """Write a chart to a file; ``None`` for the one that has the keyboard."""
        if chart is None:
            self._query.show_part(PanePart.CURVES)
            chart = self._query.charts.focused_chart()
        if chart is None:
            self._say(_("There is no chart to export yet."))
            return
        path = self._place(_("Export chart"), suggested_name(chart).name, CHART_FILES)
        if path is not None:
            act = partial(write_chart, path, chart, current_theme())
            self._attempt(act, said=_("Written: {name}.").format(name=path.name), can_undo=False)

    def save_sheet(self, sheet: Sheet) -> None:
        """Ask where, and write a table as CSV, Markdown or LaTeX, with the command that gives it."""
        path = self._place(_("Save table"), f"{sheet.name}.csv", TABLE_FILES)
        if path is not None:
            act = partial(self._write_sheet, sheet, path)
            self._attempt(act, said=_("Written: {name}.").format(name=path.name), can_undo=False)

    def _write_sheet(self, sheet: Sheet, path: Path) -> None:
        check_place(path, self._session)
        write_atomically(path, [_WRITERS.get(path.suffix, as_csv)(sheet)])

    def _place(self, title: str, name: str, kinds: Sequence[FileKind]) -> Path | None:
        suggested = self._session.path.with_name(name)
        return self._window.prompter.choose_place(title, suggested, kinds=tuple(kinds))

    # Snapshots

    def take_snapshot(self) -> None:
        """Freeze rankings and judgments under a name."""
        if not self._can_write():
            return
        dialog = NameDialog(
            _("Take a snapshot"),
            iso_utc(self._session.clock())[:10],
            verb=_("Take snapshot"),
            remark=_(_SNAPSHOT),
            taken={each.name for each in load_snapshots(self._session)},
        )
        name = self._ask(dialog)
        if name is not None:
            said = _("Snapshot {name}: rankings and judgments as they are now.").format(name=name)
            self._attempt(partial(create_snapshot, self._session, name), said=said)

    def snapshots(self) -> None:
        """Look through the snapshots; compare or delete some."""
        answer = self._ask(SnapshotsDialog(self._session))
        if answer is None:
            return
        if answer.keys:
            self._compared.choose_systems(answer.keys)
        for snapshot_id in answer.deleted:
            self._attempt(partial(delete_snapshot, self._session, snapshot_id))

    # Agreement, report

    def agreement(self) -> None:
        """Show how alike the orders are."""
        compared = self._compared
        if compared.table is not None:
            given = (self._session, compared.systems, self._window.jobs, self.save_sheet)
            dialog = AgreementDialog(*given, where=compared.where)
            dialog.above(self._widget).is_answered()

    def report(self) -> None:
        """Write a report as HTML or PDF."""
        compared, pair = self._compared, self._compared.pair
        shown = ReportChoices(
            tuple(compared.systems),
            compared.baseline,
            compared.table.measures if compared.table is not None else (),
            drawn=pair.measure if pair is not None else None,
            apart=tuple(compared.alone),
            where=compared.where,
        )
        dialog = WriteReportDialog(self._window, self._session, shown)
        said: str | None = self._ask(dialog)
        self._say(said or "")
