"""What is asked and written from the compare view: files, snapshots, reports, systems, agreement.

Agreement is that of orders: of rankings, and of systems under two measures or views.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt

from judgetool.core.clock import iso_utc
from judgetool.core.judgments import VIEW_RULES
from judgetool.core.number_text import number_of
from judgetool.formats.output import (
    Sheet,
    as_csv,
    as_latex,
    as_markdown,
    side_of_sheet,
    write_atomically,
)
from judgetool.gui.charts import CHART_FILES, suggested_name, write_chart
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
from judgetool.gui.dialogs import Choice, FileKind
from judgetool.gui.dialogs.act_dialog import ActDialog, combo
from judgetool.gui.dialogs.choose import NameDialog
from judgetool.gui.dialogs.framed_list import FigureTable, Save
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_count, format_value
from judgetool.gui.theme import Role, current_theme
from judgetool.gui.widgets.labels import Text, plain_tooltip
from judgetool.gui.window import AppWindow, Handler
from judgetool.metrics.comparison import DEFAULT_PERSISTENCE
from judgetool.session.board import ONLY_MINE
from judgetool.session.charts import Chart
from judgetool.session.comparing.comparing import comparison_rules, set_comparison_rules
from judgetool.session.comparing.query_by_query import (
    DEFAULT_DEPTH,
    agree_on_measures,
    agree_on_queries,
    agree_on_views,
)
from judgetool.session.comparing.snapshots import create_snapshot, delete_snapshot, load_snapshots
from judgetool.session.comparing.tables import (
    agreement_counts,
    agreement_figures,
    mean_agreement,
    part_command,
    where_words,
)
from judgetool.session.edits import delete_run, describe_uses, rename_run
from judgetool.session.exports.exporting import check_not_project
from judgetool.session.exports.reporting import ReportChoices
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.session.whatifs.book import find_whatif
from judgetool.session.whatifs.editing import delete_whatif, rename_whatif
from judgetool.wording import N_, _, local_number

_JOB = "compare/agreement"
_DIGITS = 3
_NO_VIEW = ""


def _heads() -> tuple[str, ...]:
    return ("τ-b", "τ_AP", "ρ", f"RBO (p {local_number(f'{DEFAULT_PERSISTENCE:g}')})")


def _shown(figures: Iterable[float | None]) -> list[str]:
    return [format_value(value, digits=_DIGITS) for value in figures]


def _over(n_queries: int, n_rbo: int) -> str:
    """Return over how many queries figures are: the correlations, and RBO."""
    said = number_of(n_queries, "{n} query", "{n} queries")
    return _("{queries}, RBO over {count}").format(queries=said, count=format_count(n_rbo))


class _Pair(NamedTuple):
    """How alike two of a matrix are: the figures by their heads, and of how many queries."""

    figures: tuple[float | None, ...]
    remark: str = ""


def _show_matrix(
    table: FigureTable,
    names: Sequence[str],
    pairs: Mapping[tuple[int, int], _Pair],
    place: int,
    *,
    is_numbered: bool = False,
) -> None:
    """Show each against each by one figure, the others in tooltips.

    Args:
        table: where.
        names: of the rows, and of the columns.
        pairs: by the places of two, the earlier first.
        place: of the figure that is shown.
        is_numbered: whether numbers stand over the columns, as names may be long.
    """
    numbered = [f"{number}  {name}" for number, name in enumerate(names, 1)]
    heads = list(map(str, range(1, len(names) + 1))) if is_numbered else list(names)
    rows = [[name, *["·"] * len(names)] for name in (numbered if is_numbered else names)]
    tips = {(row, 0): name for row, name in enumerate(names)}
    for (one, other), pair in pairs.items():
        told = _shown(pair.figures)
        said = ", ".join(map(" ".join, zip(_heads(), told, strict=True)))
        for at, beside in ((one, other), (other, one)):
            rows[at][beside + 1] = told[place]
            lines = (
                _("{one} and {other}").format(one=names[at], other=names[beside]),
                said,
                pair.remark,
            )
            tips[at, beside + 1] = "\n".join(filter(None, lines))
    wide = (0,) if is_numbered else range(1, len(names) + 1)
    table.show_rows(["", *heads], rows, wide=wide)
    for (row, column), tip in tips.items():
        cell = table.item(row, column)
        if cell is not None:
            cell.setToolTip(plain_tooltip(tip))
            cell.setData(Qt.ItemDataRole.AccessibleTextRole, tip.replace("\n", ", "))


class AgreementDialog(ActDialog):
    """Matrices of how alike systems rank and measures order; a table of two views of judgments.

    Args:
        session: the project.
        systems: what is compared.
        jobs: runs what takes long.
        save: asks where, and writes a table; ``None`` where that is not offered.
        where: the queries that count, see ``queries_where``; ``""`` for all.
    """

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        jobs: Jobs,
        save: Save | None = None,
        *,
        where: str = "",
    ) -> None:
        super().__init__(_("Orders"), verb=_("Close"), width=1000)
        self.cancel.setVisible(False)
        self._session, self._systems = session, list(systems)
        self._kept = kept_queries(session, where)
        self._jobs = jobs
        self._of_rankings: dict[tuple[int, int], _Pair] = {}
        self.rankings = FigureTable(_("How alike two systems rank"), most=10, save=save)
        measures = _("How alike two measures order the systems")
        self.measures = FigureTable(measures, most=12, save=save)
        first = session.measures[0]
        self.rankings.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for table in (self.rankings, self.measures):
            table.command = part_command(
                session, self._systems, first, "orders", *where_words(where)
            )
        options = [(name, place) for place, name in enumerate(_heads())]
        self.figure = combo(options, name=_("Figure of agreement"))
        self.figure.activated.connect(self._fill)
        self._of_measures = agree_on_measures(session, self._systems, self._kept)
        self.views = FigureTable(_("Systems ordered under two views of judgments"), most=7)
        self.state = Text("", ink="text2")
        how = _("How alike two systems rank: mean over queries, first {depth} ranks").format(
            depth=DEFAULT_DEPTH
        )
        if where:
            self.add_text(
                _("All of it over the queries that ‘{where}’ lets through.").format(where=where)
            )
        self.add_line(Text(how, role=Role.UI_STRONG), 1, self.figure)
        self.add_text(
            _("1 is the same order, 0 no likeness, −1 the reverse; RBO goes from 0 to 1.")
        )
        self.add_text(
            _(
                "τ-b, τ_AP and ρ are over the queries of which both have two documents or more in "
                "common; RBO is over all that either has, 0 where one of them has none. The pointer on a "
                "figure says how many."
            )
        )
        self.body.addWidget(self.state)
        self.body.addWidget(self.rankings)
        self.add_head(_("How alike two measures order the systems"))
        self.body.addWidget(self.measures)
        self.few = self.add_text(
            _("At least three systems are needed: any order of two says little.")
        )
        self._fill()
        self.add_head(_("Systems ordered under two views"))
        self._add_views()
        self.body.addWidget(self.views)
        self.body.addStretch(1)
        self.first = self.rankings
        self._compare_rankings()

    def _compare_rankings(self) -> None:
        session, systems = self._session, self._systems
        wanted = list(combinations(range(len(systems)), 2))
        if not wanted:
            self.state.setText(_("There is only one system."))
            return

        def work(handle: JobHandle) -> dict[tuple[int, int], _Pair]:
            found = {}
            for done, (one, other) in enumerate(wanted):
                handle.check()
                handle.report(done, len(wanted))
                alike = agree_on_queries(session, systems[one], systems[other], kept=self._kept)
                found[one, other] = _Pair(mean_agreement(alike), _over(*agreement_counts(alike)))
            return found

        self._jobs.submit(
            work, self._take_rankings, lambda __: None, self._tell, key=_JOB, owner=self
        )
        self._tell(0, len(wanted))

    def _tell(self, done: int, total: int) -> None:
        self.state.setText(
            _("Comparing: {done} of {total}").format(
                done=format_count(done), total=format_count(total)
            )
        )

    def _take_rankings(self, found: dict[tuple[int, int], _Pair]) -> None:
        self.state.setVisible(False)
        self._of_rankings = found
        self._fill()

    def _fill(self) -> None:
        """Show each against each, by the figure that is chosen."""
        place, found = self.figure.currentIndex(), self._of_measures
        names = [each.name for each in self._systems]
        _show_matrix(self.rankings, names, self._of_rankings, place, is_numbered=True)
        self.measures.setVisible(bool(found))
        self.few.setVisible(not found)
        named = list(dict.fromkeys(str(m) for each in found for m in (each.first, each.second)))
        pairs = {
            (named.index(str(each.first)), named.index(str(each.second))): _Pair(
                agreement_figures(each.agreement)
            )
            for each in found
        }
        _show_matrix(self.measures, named, pairs, place)

    def _add_views(self) -> None:
        views = [(_(rule.title), key) for key, rule in VIEW_RULES.items()]
        views.append((_("Only my judgments"), ONLY_MINE))
        shown = self._session.board.view
        self.first_view = combo(views, shown, name=_("First view of judgments"))
        others = [(_("Choose another view"), _NO_VIEW), *views]
        self.second_view = combo(others, _NO_VIEW, name=_("Second view of judgments"))
        self.add_line(self.first_view, self.second_view, None)
        self.views.setVisible(False)
        self.first_view.activated.connect(self._show_views)
        self.second_view.activated.connect(self._show_views)

    def _show_views(self) -> None:
        first, second = self.first_view.currentData(), self.second_view.currentData()
        present = [each for each in self._systems if not each.snapshot]
        rows = []
        if second != _NO_VIEW and len(present) > 2:
            found = agree_on_views(self._session, present, first, second, self._kept)
            rows = [[str(measure), *_shown(agreement_figures(each)), ""] for measure, each in found]
        self.views.show_rows(("", *_heads(), ""), rows)
        self.views.setVisible(bool(rows))


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


def _written(path: Path) -> str:
    return _("Written: {name}.").format(name=path.name)


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

    def _attempt(self, act: Callable[[], object], *, said: str = "", can_undo: bool = True) -> None:
        """Do something and say so, or tell why it could not be done."""
        if self.attempt(act):
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
        from judgetool.gui.whatif.acts import change_fusion  # noqa: PLC0415 - not needed until asked for

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
        path = self._ask_where(_("Export chart"), suggested_name(chart).name, CHART_FILES)
        if path is not None:
            write = partial(write_chart, path, chart=chart, theme=current_theme())
            self._attempt(write, said=_written(path), can_undo=False)

    def save_sheet(self, sheet: Sheet) -> None:
        """Ask where, and write a table there, see :meth:`write_sheet`."""
        path = self.ask_for_table(sheet.name)
        if path is not None:
            self.write_sheet(path, sheet)

    def ask_for_table(self, name: str) -> Path | None:
        """Return where a table of this name is to be written; ``None`` for nowhere."""
        return self._ask_where(_("Save table"), f"{name}.csv", TABLE_FILES)

    def write_sheet(self, path: Path, sheet: Sheet) -> None:
        """Write a table as CSV, Markdown or LaTeX, with the command that gives it, and say so.

        What is CSV has it in a file beside: every row there is one of the table.
        """

        def write() -> None:
            check_not_project(path, self._session)
            form = _WRITERS.get(path.suffix, as_csv)
            beside = [side_of_sheet(path, sheet)] if form is as_csv else []
            write_atomically(path, [form(sheet)], beside=beside)

        self._attempt(write, said=_written(path), can_undo=False)

    def _ask_where(self, title: str, name: str, kinds: Sequence[FileKind]) -> Path | None:
        suggested = self._session.path.with_name(name)
        return self._window.prompter.choose_place(title, suggested, kinds=kinds)

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

            def show() -> None:
                AgreementDialog(*given, where=compared.where).above(self._widget).is_answered()

            # A run may be shown still that is gone by now.
            self.attempt(show)

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
