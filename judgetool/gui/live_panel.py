"""The live panel at work: it reads the session and fills the widgets that show numbers."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.explanations import explain_for_table
from judgetool.gui.fonts import scaled
from judgetool.gui.jobs import Jobs
from judgetool.gui.live_numbers import Changes
from judgetool.gui.number_text import format_count
from judgetool.gui.widgets.explain_table import EMPTY, ExplainTable, explain_section
from judgetool.gui.widgets.live_values import LiveHead, LiveValues
from judgetool.gui.widgets.metric_row import MetricRow
from judgetool.gui.widgets.painted import Panel
from judgetool.gui.widgets.session_chart import SessionChart, SessionPoint, session_section
from judgetool.metrics import Measure
from judgetool.metrics.bounds import Bounds
from judgetool.session.bounds_table import BoundsTable, bounds_work
from judgetool.session.changes import Changed
from judgetool.session.session import Session

# The chart is some 300 px wide: more steps than this cannot be told apart.
MOST_POINTS = 80
LOW = 860
AGAINST = (("last", "last judgment"), ("start", "start of session"))


class LivePanel(Panel):
    """Values of the query and means, the chosen value explained, the session's course.

    Repaints when the session has changed and when another query or run is shown. The
    intervals of the means are worked out in the background when a run is first shown;
    after that each judgment renews those of its own query.
    """

    measure_chosen = Signal(str)

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._session: Session | None = None
        self._run_id: int | None = None
        self._query: int | None = None
        self._document: int | None = None
        self._measure = "nDCG@10"
        self._changes: Changes | None = None
        self._table: BoundsTable | None = None
        self._touched: set[int] = set()
        self._course: list[SessionPoint] = []
        self._bounds: tuple[Bounds, ...] = ()
        self._bounds_key: tuple[int, int, int] | None = None
        self._explained: tuple[object, ...] | None = None
        self._is_stale = False
        self.values = LiveValues(self)
        self.explain_table = ExplainTable(self)
        self.chart = SessionChart(self)
        self.explain = explain_section(self.explain_table)
        self.course = session_section(self.chart)
        self.values.measure_chosen.connect(self.choose_measure)
        self.values.set_against_choices(AGAINST)
        self.values.against_chosen.connect(self._on_against_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.values, 3)
        layout.addWidget(self.explain, 2)
        layout.addWidget(self.course)
        # Takes the room when the sections are folded, so that the values stay at the top.
        layout.addStretch(0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little height, ten ranks of the explanation are worth more than a chart."""
        super().resizeEvent(event)
        is_low = event.size().height() < scaled(LOW)
        self.chart.setMaximumHeight(scaled(24 if is_low else 56))

    @property
    def measure(self) -> str:
        """The measure that is explained."""
        return self._measure

    def set_session(self, session: Session | None) -> None:
        """Show another project, or none."""
        self._session = session
        self._bounds_key = self._explained = None
        self._run_id = self._query = self._document = None
        self._table = None
        self._course = []
        self._touched.clear()
        if session is None:
            self._changes = None
            self.values.set_rows(())
            self.explain_table.set_explanation(EMPTY)
            return
        self._changes = Changes(session.board, [run.run_id for run in session.material.runs])
        names = [str(measure) for measure in session.measures]
        if self._measure not in names and names:
            self._measure = names[0]
        self.explain_table.set_scale(session.scale)

    def show_query(self, run_id: int | None, query: int | None, document: int | None) -> None:
        """Show the values of a query's ranking."""
        is_other_run = run_id != self._run_id
        self._run_id, self._query, self._document = run_id, query, document
        if self._changes is not None and run_id is not None:
            self._changes.show_run(run_id)
        if is_other_run:
            self._table = None
            self._course = []
            self._start_bounds()
        self.refresh()

    def show_document(self, document: int | None) -> None:
        """Mark the current document's row in the explanation."""
        self._document = document
        self._show_explanation()

    def choose_measure(self, name: str) -> None:
        """Explain another measure."""
        self._measure = name
        self.values.set_current(name)
        self._course = []
        self._note_course()
        self._show_explanation()
        self.measure_chosen.emit(name)

    def _on_against_chosen(self, against: str) -> None:
        if self._changes is not None:
            self._changes.against = against
            self.refresh()

    def take_change(self, changed: Changed) -> None:
        """Take in a step that is durable."""
        if self._session is None or self._changes is None:
            return
        self._touched |= changed.queries
        self._changes.note_change()
        if self._table is not None:
            for query in changed.queries:
                self._renew_bounds(query)
        self.refresh()
        self._note_course()

    # Intervals

    def _start_bounds(self) -> None:
        session, run_id = self._session, self._run_id
        if session is None or run_id is None:
            return
        self._touched.clear()
        work = bounds_work(session.board, run_id, session.material.block(run_id))
        self._jobs.submit(lambda _handle: work(), self._on_bounds, key="mean bounds", owner=self)

    def _on_bounds(self, table: BoundsTable) -> None:
        if self._session is None or table.run_id != self._run_id:
            return
        self._table = table
        for query in self._touched:
            self._renew_bounds(query)
        self.refresh()
        if not self._course:
            self._note_course()

    def _renew_bounds(self, query: int) -> None:
        session, run_id, table = self._session, self._run_id, self._table
        if session is None or run_id is None or table is None:
            return
        if session.board.engine.is_judged_query(query):
            table.set_query(query, self._bounds_of(session, run_id, query))
        else:
            table.clear_query(query)

    def _bounds_of(self, session: Session, run_id: int, query: int) -> tuple[Bounds, ...]:
        """Return a query's intervals; asked for twice at a key, they are worked out once."""
        key = (session.board.engine.version, run_id, query)
        if self._bounds_key != key:
            self._bounds_key, self._bounds = key, session.board.bounds(run_id, query)
        return self._bounds

    # Showing

    def refresh(self) -> None:
        """Show everything anew."""
        session, run_id, query = self._session, self._run_id, self._query
        if session is None or run_id is None or query is None or self._changes is None:
            self.values.set_rows(())
            self.explain_table.set_explanation(EMPTY)
            self._explained = None
            return
        board = session.board
        means = board.engine.means(run_id)
        n_queries = max((mean.n_queries for mean in means), default=0)
        against = dict(AGAINST)[self._changes.against]
        preset = board.engine.conventions.preset or "trec_eval"
        self.values.set_head(LiveHead(preset, n_queries, against))
        self.values.set_rows(self._rows(session, run_id, query))
        self.values.set_current(self._measure)
        self._show_explanation()

    def _rows(self, session: Session, run_id: int, query: int) -> tuple[MetricRow, ...]:
        engine = session.board.engine
        values, means = engine.value(run_id, query), engine.means(run_id)
        changes = self._changes
        if changes is None:
            return ()
        query_changes = changes.changes_of(run_id, query)
        mean_changes = changes.changes_of_means(run_id)
        all_bounds = self._bounds_of(session, run_id, query)
        rows = []
        for place, measure in enumerate(engine.measures):
            bounds = all_bounds[place]
            mean_bounds = self._mean_bounds(place)
            highest = measure.spec.highest
            rows.append(
                MetricRow(
                    name=str(measure),
                    value=values[place].value,
                    reason=_as_sentence(values[place].reason),
                    judged=_judged_text(session, run_id, query, measure),
                    change=query_changes[place],
                    low=bounds.low,
                    high=bounds.high,
                    range_low=measure.spec.lowest or 0.0,
                    range_high=highest if highest is not None else max(bounds.high, 1e-9),
                    mean=means[place].value,
                    mean_change=mean_changes[place],
                    mean_low=mean_bounds[0] if mean_bounds else None,
                    mean_high=mean_bounds[1] if mean_bounds else None,
                )
            )
        return tuple(rows)

    def _mean_bounds(self, place: int) -> tuple[float, float] | None:
        if self._table is None or self._session is None:
            return None
        return self._table.mean(place, self._session.board.mean_weights)

    def _show_explanation(self) -> None:
        """Have the explanation worked out before the next frame: once, however much changes."""
        self._is_stale = True
        self.update()

    def prepare_frame(self) -> None:
        """Work out what has become stale; the window calls it before it paints."""
        session, run_id, query = self._session, self._run_id, self._query
        if not self._is_stale or session is None or run_id is None or query is None:
            return
        measure = next((m for m in session.measures if str(m) == self._measure), None)
        if measure is None or not self.explain.is_open or not self.isVisible():
            return
        self._is_stale = False
        shown = (session.board.engine.version, run_id, query, self._measure, self._document)
        if shown == self._explained:
            return
        self._explained = shown
        self.explain.header.set_title(f"{self._measure} explained")
        self.explain_table.set_explanation(
            explain_for_table(session, run_id, query, measure=measure, current=self._document)
        )

    def _note_course(self) -> None:
        """Add the chosen measure's mean to the course of the session."""
        session, run_id = self._session, self._run_id
        if session is None or run_id is None:
            return
        names = [str(measure) for measure in session.measures]
        if self._measure not in names:
            return
        place = names.index(self._measure)
        bounds = self._mean_bounds(place)
        low, high = bounds or (None, None)
        self._course.append(
            SessionPoint(session.board.engine.means(run_id)[place].value, low, high)
        )
        self.chart.set_points(tuple(self._course[-MOST_POINTS:]), name=self._measure)
        self.course.header.set_side(f"{self._measure} after each judgment")


def _as_sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}" if reason else ""


def _judged_text(session: Session, run_id: int, query: int, measure: Measure) -> str:
    if measure.name in ("Judged", "Unjudged"):
        return "share judged" if measure.name == "Judged" else "share unjudged"
    judged, total = session.board.engine.judged_of(run_id, query, measure)
    return f"{format_count(judged)} of {format_count(total)} judged"
