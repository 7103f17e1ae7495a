"""What is asked and written from the compare view: files, snapshots, reports, systems."""

from judgetool.core.clock import iso_utc
from judgetool.errors import JudgetoolError
from judgetool.gui.compare.agreement_dialog import AgreementDialog
from judgetool.gui.compare.chart_grid import CHART_FILES, suggested_name
from judgetool.gui.compare.desk import CompareDesk
from judgetool.gui.compare.query_pane import Part, QueryPane
from judgetool.gui.compare.report_dialog import ReportDialog
from judgetool.gui.compare.snapshots_dialog import NameDialog, SnapshotsDialog
from judgetool.gui.compare.systems_dialog import SystemsDialog
from judgetool.gui.frame import Frame
from judgetool.gui.plots.chart import Chart
from judgetool.gui.plots.files import write_chart
from judgetool.gui.theme import current_theme
from judgetool.session.comparing.snapshots import create_snapshot, delete_snapshot, load_snapshots
from judgetool.session.session import Session


class CompareActs:
    """Dialogs and files of the compare view.

    Args:
        frame: the window.
        desk: what is compared.
        query: what is shown of a query.
    """

    def __init__(self, frame: Frame, desk: CompareDesk, query: QueryPane) -> None:
        self._frame = frame
        self._desk = desk
        self._query = query

    def _can_write(self) -> Session | None:
        """Return the project if it can be changed; else say why not."""
        session = self._desk.session
        if session is not None and session.read_only_reason:
            self._frame.status.show_message(session.read_only_reason)
            return None
        return session

    def choose_systems(self) -> None:
        """Choose what the table compares."""
        session = self._desk.session
        if session is None:
            return
        chosen = SystemsDialog.ask(self._frame.widget, session, self._desk.systems)
        if chosen is not None:
            self._desk.choose_systems(chosen)

    # Charts

    def export_chart(self, chart: Chart | None = None) -> None:
        """Write a chart to a file; ``None`` for the one that has the keyboard."""
        if chart is None:
            self._query.show_part(Part.CURVES)
            chart = self._query.charts.focused_chart()
        session = self._desk.session
        if chart is None or session is None:
            self._frame.status.show_message("There is no chart to export yet.")
            return
        suggested = session.path.with_name(suggested_name(chart).name)
        path = self._frame.prompter.choose_place("Export chart", suggested, kinds=CHART_FILES)
        if path is None:
            return
        try:
            write_chart(path, chart, current_theme())
        except JudgetoolError as problem:
            self._frame.prompter.tell(str(problem))
        else:
            self._frame.status.show_message(f"Written: {path.name}.")

    # Snapshots

    def take_snapshot(self) -> None:
        """Freeze rankings and judgments under a name."""
        session = self._can_write()
        if session is None:
            return
        taken = {each.name for each in load_snapshots(session)}
        suggested = iso_utc(session.clock())[:10]
        name = NameDialog.ask(self._frame.widget, suggested, taken)
        if name is None:
            return
        try:
            create_snapshot(session, name)
        except JudgetoolError as problem:
            self._frame.prompter.tell(str(problem))
        else:
            self._frame.status.show_message(
                f"Snapshot {name}: rankings and judgments as they are now.",
                action="undo",
                action_text="Undo",
            )

    def snapshots(self) -> None:
        """Look through the snapshots; compare or delete some."""
        session = self._desk.session
        if session is None:
            return
        answer = SnapshotsDialog.ask(self._frame.widget, session)
        if answer is None:
            return
        if answer.keys:
            self._desk.choose_systems(answer.keys)
        for snapshot_id in answer.deleted:
            try:
                delete_snapshot(session, snapshot_id)
            except JudgetoolError as problem:
                self._frame.prompter.tell(str(problem))

    # Agreement, report

    def agreement(self) -> None:
        """Show how alike the orders are."""
        session, table = self._desk.session, self._desk.table
        if session is not None and table is not None:
            AgreementDialog.show_for(
                self._frame.widget, session, self._desk.systems, table.baseline, self._frame.jobs
            )

    def report(self) -> None:
        """Write a report as HTML or PDF."""
        session = self._desk.session
        if session is None:
            return
        systems = self._desk.systems
        said = ReportDialog.ask(
            self._frame.widget, session, systems, self._desk.baseline, self._frame
        )
        if said:
            self._frame.status.show_message(said)
