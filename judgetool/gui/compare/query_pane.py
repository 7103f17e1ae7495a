"""The right of the compare view's lower half: a query's rankings, curves, arithmetic."""

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.gui.compare.chart_grid import ChartGrid
from judgetool.gui.compare.desk import CompareDesk
from judgetool.gui.compare.explain_pane import ExplainPane
from judgetool.gui.compare.next_pane import NextPane
from judgetool.gui.compare.query_head import QueryHead
from judgetool.gui.compare.rankings_view import RankingsView
from judgetool.gui.fonts import scaled
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.panels.result_tools import ToolRow
from judgetool.gui.widgets.buttons import Pill, Segment, Segmented
from judgetool.gui.widgets.elided_combo import ElidedCombo
from judgetool.gui.widgets.painted import PaintedWidget
from judgetool.session.charts import Chart
from judgetool.session.comparing.curves import (
    MOST_LINES,
    mean_charts_work,
    over_time_work,
    query_charts,
)
from judgetool.session.comparing.side_by_side import DEPTHS, side_by_side
from judgetool.session.session import Session
from judgetool.session.systems import System

if TYPE_CHECKING:
    from judgetool.metrics import Measure

_JOB = "compare/curves"
_MOST_TEXT = 300


class Part(StrEnum):
    """What the pane shows of a query."""

    RANKINGS = "rankings"
    CURVES = "curves"
    EXPLAIN = "explain"
    NEXT = "next"


_SEGMENTS = (
    Segment(Part.RANKINGS, "Rankings", "columns-2"),
    Segment(Part.CURVES, "Curves", "chart-line"),
    Segment(Part.EXPLAIN, "Explain", "equal"),
    Segment(Part.NEXT, "To judge", "target"),
)


class QueryPane(PaintedWidget):
    """Follows the desk: its query, its pair of systems, its measure.

    Signals:
        document_opened: number of a document that is to be shown in the list.
    """

    document_opened = Signal(int)

    def __init__(self, desk: CompareDesk, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._jobs = desk, jobs
        self.head = QueryHead(self)
        self.switch = Segmented(_SEGMENTS)
        self.switch.setAccessibleName("What is shown of the query")
        self.ranks = ElidedCombo()
        self.differences = Pill("Differences first", 0)
        self.scope = ElidedCombo()
        self.rankings = RankingsView()
        self.charts = ChartGrid()
        self.explain = ExplainPane()
        self.next = NextPane(jobs)
        self._parts: dict[Part, QWidget] = {
            Part.RANKINGS: self.rankings,
            Part.CURVES: self.charts,
            Part.EXPLAIN: self.explain,
            Part.NEXT: self.next,
        }
        self._stack = QStackedWidget()
        self._means_of: tuple[int, Measure, tuple[str, ...]] | None = None
        self._arrange()
        self.switch.chosen.connect(lambda name: self.show_part(Part(name)))
        self.ranks.activated.connect(lambda _place: self.refresh())
        self.scope.activated.connect(lambda _place: self.refresh())
        self.differences.clicked.connect(lambda _on: self.refresh())
        self.rankings.document_opened.connect(
            lambda document, _column: self.document_opened.emit(document)
        )
        self.show_part(Part.RANKINGS)

    def _arrange(self) -> None:
        for depth in DEPTHS:
            self.ranks.addItem(f"Top {depth:,}", depth)
        self.ranks.setCurrentIndex(DEPTHS.index(20))
        self.ranks.setAccessibleName("Ranks shown")
        self.scope.addItem("This query", "query")
        self.scope.addItem("All queries", "all")
        self.scope.setAccessibleName("Curves of")
        for chooser in (self.ranks, self.scope, self.differences):
            chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tools = ToolRow()
        tools.row.addWidget(self.switch)
        tools.row.addStretch(1)
        for widget in (self.differences, self.ranks, self.scope):
            tools.row.addWidget(widget)
        for part in self._parts.values():
            self._stack.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(tools)
        column.addWidget(self._stack, stretch=1)

    @property
    def part(self) -> Part:
        """What is shown."""
        return Part(self.switch.current)

    def show_part(self, part: Part) -> None:
        """Show another part."""
        self.switch.set_current(part)
        self.ranks.setVisible(part is Part.RANKINGS)
        self.differences.setVisible(part is Part.RANKINGS)
        self.scope.setVisible(part is Part.CURVES)
        self._stack.setCurrentWidget(self._parts[part])
        self.refresh()

    def take_keyboard(self) -> None:
        """Give the keyboard to what is shown."""
        part = self.part
        if part is Part.CURVES:
            self.charts.take_keyboard()
        elif part is Part.NEXT:
            self.next.list.setFocus()
        elif part is Part.EXPLAIN:
            self.explain.parts.setFocus()
        else:
            self.rankings.setFocus()

    def toggle_scope(self) -> None:
        """Show curves of all queries, or of this one again."""
        if self.part is Part.CURVES:
            self.scope.setCurrentIndex(1 - self.scope.currentIndex())
        self.show_part(Part.CURVES)

    # Filling

    def refresh(self) -> None:
        """Show what holds now."""
        session, system = self._desk.session, self._desk.system
        if session is None or system is None or self._desk.baseline is None:
            return
        try:
            self._refresh(session, system, self._desk.baseline)
        except JudgetoolError as problem:
            self.head.set_query(str(problem), "")

    def _refresh(self, session: Session, system: System, baseline: System) -> None:
        self._show_head(session)
        measure, query = self._desk.chosen_measure, self._desk.query
        if measure is None:
            return
        part = self.part
        if part is Part.NEXT:
            version = self._desk.version
            self.next.show_pair(session, system, baseline, measure, version=version)
        elif part is Part.CURVES and self.scope.currentData() == "all":
            self._draw_means(session)
        elif query is None:
            return
        elif part is Part.CURVES:
            self._means_of = None
            charts = query_charts(session, self._drawn(), query, measure)
            self.charts.set_charts(charts)
        elif part is Part.EXPLAIN:
            self.explain.show_value(session, system, baseline, query, measure)

    def _drawn(self) -> list[System]:
        """Return what is drawn: the current system first, since some charts are its alone."""
        current = self._desk.system
        others = [each for each in self._desk.columns() if each != current]
        return [*([current] if current is not None else []), *others][:MOST_LINES]

    def _show_head(self, session: Session) -> None:
        query, measure = self._desk.query, self._desk.chosen_measure
        if query is None or measure is None:
            self.head.set_query("No query is chosen.", "")
            self.head.clear_values()
            return
        found = session.material.queries[query]
        self.head.set_query(
            one_line(found.text or found.id, most=_MOST_TEXT),
            one_line(found.description or found.narrative, most=_MOST_TEXT),
        )
        content = side_by_side(
            session,
            self._desk.columns(),
            query,
            measure,
            depth=int(self.ranks.currentData()),
            differences_first=self.differences.isChecked(),
        )
        first = content.columns[0]
        current = self._desk.system
        second = next((each for each in content.columns if each.system == current), first)
        self.head.set_values(str(measure), first.value, second.value)
        self.differences.set_count(content.n_different)
        if self.part is Part.RANKINGS:
            self.rankings.set_content(content, session.scale)

    def _draw_means(self, session: Session) -> None:
        measure = self._desk.chosen_measure
        drawn = self._drawn()
        if measure is None or not drawn:
            return
        asked = (self._desk.version, measure, tuple(each.key for each in drawn))
        if asked == self._means_of:
            return
        self._means_of = asked
        means = mean_charts_work(session, drawn, measure)
        present = [each for each in drawn if not each.snapshot]
        has_times = bool(present) and measure.spec.has_query_values
        times = over_time_work(session, present, measure) if has_times else None

        def work(handle: JobHandle) -> list[Chart]:
            charts = means(handle.is_cancelled)
            if times is not None and not handle.is_cancelled():
                charts.append(times(handle.is_cancelled))
            return charts

        self._jobs.submit(work, self.charts.set_charts, lambda _: None, key=_JOB, owner=self)

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(scaled(840), scaled(420))
