"""What is asked and written from the compare view: files, snapshots, reports, systems."""

from judgetool.core.clock import iso_utc
from judgetool.errors import JudgetoolError
from judgetool.formats.output import write_atomically
from judgetool.formats.writers.report import table_as_csv, table_as_latex, table_as_markdown
from judgetool.gui.charts import CHART_FILES, suggested_name, write_chart
from judgetool.gui.compare.agreement_dialog import AgreementDialog
from judgetool.gui.compare.desk import CompareDesk
from judgetool.gui.compare.query_pane import Part, QueryPane
from judgetool.gui.compare.systems_dialog import (
    ReportDialog,
    SignificanceDialog,
    SnapshotsDialog,
    SystemsDialog,
)
from judgetool.gui.questions import Choice, FileKind
from judgetool.gui.theme import current_theme
from judgetool.gui.whatif.tools import NameDialog
from judgetool.gui.window import AppWindow
from judgetool.session.charts import Chart
from judgetool.session.comparing.comparing import comparison_rules, set_comparison_rules
from judgetool.session.comparing.snapshots import create_snapshot, delete_snapshot, load_snapshots
from judgetool.session.comparing.tables import comparison_cells, overview_cells, table_sentences
from judgetool.session.exports.exporting import check_place
from judgetool.session.runs import delete_run, rename_run, uses_of_run
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.editing import delete_whatif, rename_whatif

TABLE_FILES = (
    FileKind("Every number as CSV", (".csv",)),
    FileKind("Table as Markdown", (".md",)),
    FileKind("Table as LaTeX", (".tex",)),
)
_WRITERS = {".csv": table_as_csv, ".md": table_as_markdown, ".tex": table_as_latex}


_SNAPSHOT = (
    "It keeps all rankings and judgments as they are now, to compare with later. It takes hardly "
    "any room."
)


class CompareActs:
    """Dialogs and files of the compare view.

    Args:
        window: the window.
        desk: what is compared.
        query: what is shown of a query.
    """

    def __init__(self, window: AppWindow, desk: CompareDesk, query: QueryPane) -> None:
        self._window = window
        self._desk = desk
        self._query = query

    def _can_write(self) -> Session | None:
        """Return the project if it can be changed; else say why not."""
        session = self._desk.session
        if session is not None and session.read_only_reason:
            self._window.status.show_message(session.read_only_reason)
            return None
        return session

    def choose_systems(self) -> None:
        """Choose what the table compares."""
        session = self._desk.session
        if session is None:
            return
        chosen = SystemsDialog.ask(self._window.widget, session, self._desk.systems)
        if chosen is not None:
            self._desk.choose_systems(chosen)

    def _current(self) -> System | None:
        """Return the run or what-if that can be renamed or taken out; else say why none can."""
        system = self._desk.system
        if system is not None and system.snapshot:
            self._window.status.show_message(
                f"{system.name} is part of a snapshot, which keeps it as it was."
            )
            return None
        return system

    def rename(self) -> None:
        """Give the current run or what-if another name."""
        session, system = self._can_write(), self._current()
        if session is None or system is None:
            return
        title = f"Rename {system.kind}"
        name = NameDialog.ask(self._window.widget, title, system.name, "Rename")
        if name is None:
            return
        try:
            if system.kind == "run":
                rename_run(session, int(system.id), name)
            else:
                rename_whatif(session, system.id, name)
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))

    def delete(self) -> None:
        """Take the current run or what-if out of the project; Undo brings it back."""
        session, system = self._can_write(), self._current()
        if session is None or system is None:
            return
        if system.kind == "run":
            text, detail = f"Take run {system.name} out of the project?", _uses(session, system)
            choices = (Choice("delete", "Take out", destroys=True),)
            if self._window.prompter.ask(text, choices, detail=detail) != "delete":
                return
        try:
            if system.kind == "run":
                delete_run(session, int(system.id))
            else:
                delete_whatif(session, system.id)
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        else:
            self._window.status.show_message(
                f"{system.name} is taken out.", action="undo", action_text="Undo"
            )

    def choose_testing(self) -> None:
        """Choose test, correction and family; the project keeps them."""
        session = self._can_write()
        if session is None:
            return
        rules = SignificanceDialog.ask(self._window.widget, comparison_rules(session))
        if rules is not None:
            set_comparison_rules(session, rules)

    # Charts

    def export_chart(self, chart: Chart | None = None) -> None:
        """Write a chart to a file; ``None`` for the one that has the keyboard."""
        if chart is None:
            self._query.show_part(Part.CURVES)
            chart = self._query.charts.focused_chart()
        session = self._desk.session
        if chart is None or session is None:
            self._window.status.show_message("There is no chart to export yet.")
            return
        suggested = session.path.with_name(suggested_name(chart).name)
        path = self._window.prompter.choose_place("Export chart", suggested, kinds=CHART_FILES)
        if path is None:
            return
        try:
            write_chart(path, chart, current_theme())
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        else:
            self._window.status.show_message(f"Written: {path.name}.")

    def save_table(self) -> None:
        """Write the table as CSV with every number, or as Markdown or LaTeX as papers have it."""
        session, table = self._desk.session, self._desk.table
        if session is None or table is None:
            self._window.status.show_message("There is no table to save yet.")
            return
        suggested = session.path.with_name("comparison.csv")
        path = self._window.prompter.choose_place("Save table", suggested, kinds=TABLE_FILES)
        if path is None:
            return
        cells = comparison_cells(table) if path.suffix == ".csv" else overview_cells(table)
        write = _WRITERS.get(path.suffix, table_as_csv)
        try:
            check_place(path, session)
            write_atomically(path, [write(cells, table_sentences(session, table))])
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        else:
            self._window.status.show_message(f"Written: {path.name}.")

    # Snapshots

    def take_snapshot(self) -> None:
        """Freeze rankings and judgments under a name."""
        session = self._can_write()
        if session is None:
            return
        taken = {each.name for each in load_snapshots(session)}
        today = iso_utc(session.clock())[:10]
        name = NameDialog.ask(
            self._window.widget,
            "Take a snapshot",
            today,
            "Take snapshot",
            remark=_SNAPSHOT,
            taken=taken,
        )
        if name is None:
            return
        try:
            create_snapshot(session, name)
        except JudgetoolError as problem:
            self._window.prompter.tell(str(problem))
        else:
            self._window.status.show_message(
                f"Snapshot {name}: rankings and judgments as they are now.",
                action="undo",
                action_text="Undo",
            )

    def snapshots(self) -> None:
        """Look through the snapshots; compare or delete some."""
        session = self._desk.session
        if session is None:
            return
        answer = SnapshotsDialog.ask(self._window.widget, session)
        if answer is None:
            return
        if answer.keys:
            self._desk.choose_systems(answer.keys)
        for snapshot_id in answer.deleted:
            try:
                delete_snapshot(session, snapshot_id)
            except JudgetoolError as problem:
                self._window.prompter.tell(str(problem))

    # Agreement, report

    def agreement(self) -> None:
        """Show how alike the orders are."""
        session, table = self._desk.session, self._desk.table
        if session is not None and table is not None:
            AgreementDialog.show_for(
                self._window.widget, session, self._desk.systems, table.baseline, self._window.jobs
            )

    def report(self) -> None:
        """Write a report as HTML or PDF."""
        session = self._desk.session
        if session is None:
            return
        systems = self._desk.systems
        said = ReportDialog.ask(
            self._window.widget,
            session,
            systems,
            self._desk.baseline,
            self._window,
            apart=self._desk.alone,
        )
        if said:
            self._window.status.show_message(said)


def _uses(session: Session, system: System) -> str:
    """Return what goes and what stays when a run is taken out, for people."""
    uses = uses_of_run(session, int(system.id))
    parts = ["Judgments stay, and Undo brings the run back."]
    if uses.whatifs:
        parts.append(f"What-ifs made from it go with it: {', '.join(uses.whatifs)}.")
    if uses.snapshots:
        parts.append(f"Snapshots that hold it stay: {', '.join(uses.snapshots)}.")
    if uses.is_baseline:
        parts.append("It is the baseline; there is none then.")
    return " ".join(parts)
