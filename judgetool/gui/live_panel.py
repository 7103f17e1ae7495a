"""The live panel: values and what they are compared with, intervals, explanations, their course.

It reads the session and fills the widgets that show numbers.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from judgetool.core import override
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.gui.jobs import Here, Jobs, ProjectPanel, Schedule
from judgetool.gui.painting import format_count, format_value
from judgetool.gui.table_copy import Table, number_cell
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.explain_table import (
    EMPTY,
    ExplainTable,
    ShownExplanation,
    explain_section,
    mark_current,
    table_of,
)
from judgetool.gui.widgets.live_values import LiveHead, LiveValues, MeasureRow, mean_of_queries
from judgetool.gui.widgets.painted import Panel, in_column, is_value_spoken
from judgetool.gui.widgets.small_charts import SessionChart, SessionPoint, session_section
from judgetool.metrics import Measure
from judgetool.metrics.bounds import NEVER, Bounds, BoundsTable
from judgetool.metrics.conventions import Conventions, NamedConventions, name_conventions
from judgetool.metrics.explain import (
    explain_value,
    has_explanation,
)
from judgetool.metrics.values import Mean, RunValueTable
from judgetool.session.board import Board
from judgetool.session.commands import Changed
from judgetool.session.comparing.these_queries import describe_lack
from judgetool.session.session import Session
from judgetool.session.systems import run_system
from judgetool.wording import N_, _, sentence_start, translated

if TYPE_CHECKING:
    from judgetool.session.comparing.system_values import Baseline, BoundsWork, Place

MOST_KEPT = 64

Row = list[float | None]
_Step = tuple[float | None, float | None]


class ValuesNow(NamedTuple):
    """All values of one run at one time.

    Attributes:
        values: of each query.
        means: ``None`` where there is no mean.
    """

    values: RunValueTable
    means: Row


def rank_of(session: Session, run_id: int, query: int, document: int | None) -> int | None:
    """Return the rank of a document in a run; ``None`` where the run lacks it."""
    ranked = session.material.ranked_documents(run_id, query).tolist()
    return ranked.index(document) + 1 if document in ranked else None


def explain_for_table(
    session: Session, run_id: int, query: int, measure: Measure
) -> ShownExplanation:
    """Return the explanation of a value as the table shows it; empty if it has none.

    Args:
        session: the project.
        run_id: the run whose ranking it is.
        query: number of the query.
        measure: one of the session's.
    """
    if not has_explanation(measure):
        return EMPTY
    board = session.board
    explained = explain_value(
        measure,
        board.engine.query_grades(run_id, query),
        session.scale,
        leave_out_unjudged=board.engine.conventions.unjudged == "left out",
    )
    return table_of(explained, explained.main_columns, session.scale)


class Intervals:
    """What the unjudged documents could still make of one run's values and means.

    An interval takes longer than the value itself, so after a judgment the one before is
    handed out until :meth:`settle` is called, which the panel does one frame later.

    Args:
        session: the project.
        run_id: the run that is shown.
    """

    def __init__(self, session: Session, run_id: int) -> None:
        self._session = session
        self.run_id = run_id
        self._table: BoundsTable | None = None
        self._touched: set[int] = set()
        self._owed: set[int] = set()
        self._known: dict[int, tuple[Bounds, ...]] = {}
        self._before: dict[int, tuple[Bounds, ...]] = {}
        self._version = session.board.engine.version
        self._means: list[Bounds | None] | None = None

    def start_work(self) -> "BoundsWork":
        """Return the work of all queries' intervals, for another thread."""
        from judgetool.session.comparing.system_values import bounds_work  # noqa: PLC0415 - not needed to start

        self._touched.clear()
        block = self._session.material.block(self.run_id)
        return bounds_work(self._session.board, self.run_id, block)

    def take_table(self, table: BoundsTable) -> bool:
        """Take in what the work gave; return whether it is of this run."""
        if table.run_id != self.run_id:
            return False
        self._table, self._means = table, None
        self._owed |= self._touched
        self.settle()
        return True

    def note_change(self, queries: Iterable[int]) -> None:
        """Judgments of these queries have changed, and of no others."""
        for query in queries:
            found = self._known.pop(query, None)
            if found is not None:
                self._before[query] = found
            self._touched.add(query)
            self._owed.add(query)
        self._version = self._session.board.engine.version

    def is_exact(self, query: int) -> bool:
        """Whether a query's intervals are at hand, as of now."""
        self._forget_old()
        return query in self._known

    def of_query(self, query: int) -> tuple[Bounds, ...]:
        """Return a query's intervals: as of now, or as they were before the last judgment."""
        if self.is_exact(query) or query not in self._before:
            return self._compute(query)
        return self._before[query]

    def of_means(self, n_measures: int) -> Sequence[Bounds | None]:
        """Return the means' intervals as of the last :meth:`settle`; ``None`` before they are known."""
        if self._means is None and self._table is not None:
            self._means = self._table.means(self._session.board.mean_weights)
        return self._means or [None] * n_measures

    def is_mean_exact(self) -> bool:
        """Whether the means' intervals are as of now: no query is owed."""
        return not self._owed

    def settle(self) -> None:
        """Bring all intervals up to now."""
        self._before.clear()
        self._forget_old()
        if self._table is None:
            self._owed.clear()
            return
        for query in self._owed:
            if self._session.board.engine.is_counted(self.run_id, query):
                self._table.set_query(query, self._compute(query))
            else:
                self._table.clear_query(query)
        if self._owed:
            self._means = None
        self._owed.clear()

    def prepare(self, query: int) -> None:
        """Work out a query's intervals before it is shown."""
        self._forget_old()
        self._compute(query)

    def _forget_old(self) -> None:
        """Whatever has changed without being told of may have changed everything."""
        version = self._session.board.engine.version
        if version != self._version:
            self._version = version
            self._known.clear()
            self._before.clear()

    def _compute(self, query: int) -> tuple[Bounds, ...]:
        found = self._known.get(query)
        if found is None:
            found = self._session.board.bounds(self.run_id, query)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[query] = found
        return found


def take_moment(board: Board, run_id: int) -> ValuesNow:
    """Keep a run's values as they are now."""
    means = [mean.value for mean in board.engine.means(run_id)]
    return ValuesNow(board.engine.moment(run_id), means)


class BaselineValues:
    """What the project's baseline has, at the time when it is asked.

    Args:
        session: the project.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def baseline(self) -> "Baseline | None":
        """The project's baseline; ``None`` without one."""
        from judgetool.session.comparing.system_values import find_baseline  # noqa: PLC0415 - not needed to start

        return find_baseline(self._session)

    @property
    def name(self) -> str:
        """What the baseline is called, for people."""
        baseline = self.baseline
        return baseline.name if baseline is not None else _("no baseline yet")

    def row(self, run_id: int, query: int) -> Row:
        """Return the values that a run's values of a query are compared with."""
        place = self._place(run_id)
        if place is None:
            return [None] * len(self._session.measures)
        return place.engine.numbers(place.key, query)

    def means(self, run_id: int) -> Row:
        """Return the means that a run's means are compared with."""
        place = self._place(run_id)
        if place is None:
            return [None] * len(self._session.measures)
        return [mean.value for mean in place.engine.means(place.key)]

    def _place(self, run_id: int) -> "Place | None":
        from judgetool.session.comparing.system_values import baseline_place  # noqa: PLC0415 - likewise

        baseline = self.baseline
        if baseline is None:
            return None
        try:
            return baseline_place(self._session, baseline, run_system(self._session, run_id))
        except (JudgetoolError, KeyError):
            # A baseline that is gone is no baseline.
            return None


class Changes:
    """The values that changes are measured against.

    What the last judgment did is kept for the run that is shown; the start of the
    session for all of them. A judgment costs as much as the queries that it touches.

    Args:
        session: the project.

    Attributes:
        session: the project.
        against: ``last`` judgment, the ``start`` of the session, or the ``baseline``.
        baseline: the values of the baseline.
    """

    def __init__(self, session: Session) -> None:
        self.session, self._board = session, session.board
        self._start = {
            run.run_id: take_moment(session.board, run.run_id) for run in session.material.runs
        }
        self._run_id: int | None = None
        self._shown: ValuesNow | None = None
        self._since: dict[int, Row] = {}
        self._before: dict[int, Row] = {}
        self._means_now: Row = []
        self._means_before: Row = []
        # Of the runs, added up once for each state of the judgments.
        self._means: dict[int, tuple[Mean, ...]] = {}
        self._version = -1
        self.against = "last"
        self.baseline = BaselineValues(session)

    def means_of(self, run_id: int) -> tuple[Mean, ...]:
        """Return the means of a run now, in the order of the measures."""
        engine = self._board.engine
        if engine.version != self._version:
            self._version = engine.version
            self._means.clear()
        if run_id not in self._means:
            self._means[run_id] = engine.means(run_id)
        return self._means[run_id]

    def show_run(self, run_id: int) -> None:
        """Follow another run from now on."""
        if run_id == self._run_id:
            return
        self._run_id = run_id
        self._shown = take_moment(self._board, run_id)
        self._since, self._before = {}, {}
        self._means_now = self._means_before = self._shown.means

    def note_change(self, queries: Iterable[int]) -> None:
        """A judgment was made in these queries: what was now becomes before."""
        if self._run_id is None:
            return
        touched = tuple(queries)
        self._before = {query: self._kept_row(query) for query in touched}
        self._since.update({query: self._row_now(self._run_id, query) for query in touched})
        self._means_before = self._means_now
        self._means_now = [mean.value for mean in self.means_of(self._run_id)]

    def changes_of(self, run_id: int, query: int) -> Row:
        """Return the change of each measure of a query."""
        new = self._row_now(run_id, query)
        if self.against == "start":
            old = self._start[run_id].values.row(query)
        elif self.against == "baseline":
            old = self.baseline.row(run_id, query)
        else:
            old = self._before.get(query, new)
        return _differences(old, new)

    def step_of(self, run_id: int, query: int) -> tuple[Row, Row]:
        """Return a query's values before the last judgment, and as they are now."""
        now = self._row_now(run_id, query)
        return self._before.get(query, now), now

    @property
    def step_of_means(self) -> tuple[Row, Row]:
        """The means of the run that is shown before the last judgment, and as they are now."""
        return self._means_before, self._means_now

    def changes_of_means(self, run_id: int) -> Row:
        """Return the change of each mean."""
        new = [mean.value for mean in self.means_of(run_id)]
        if self.against == "baseline":
            old = self.baseline.means(run_id)
        else:
            old = self._start[run_id].means if self.against == "start" else self._means_before
        return _differences(old, new)

    def _row_now(self, run_id: int, query: int) -> Row:
        return self._board.engine.numbers(run_id, query)

    def _kept_row(self, query: int) -> Row:
        """Return a query's values as they were after the last change but this."""
        if query in self._since or self._shown is None:
            return self._since.get(query, [])
        return self._shown.values.row(query)


def _differences(old: Row, new: Row) -> Row:
    """Return new − old of each; what was or is undefined has no change."""
    pairs = zip(old, new, strict=True)
    return [None if was is None or now is None else now - was for was, now in pairs]


# The chart is some 300 px wide: more steps than this cannot be told apart.
MOST_POINTS = 80
LOW = 860
_LEAST_RANKS = 6
AGAINST = (
    ("last", N_("last judgment")),
    ("start", N_("start of session")),
    ("baseline", N_("baseline")),
)


class LivePanel(Panel, ProjectPanel):
    """Values of the query and means, the chosen value explained, the session's course.

    Repaints when the session has changed and when another query or run is shown. The
    intervals of the means are worked out in the background when a run is first shown;
    after that each judgment renews those of its own query. They, the explanation and the
    course come one frame after the values, so that a key is answered by what the eye looks
    for first.

    Args:
        jobs: where intervals of all queries are worked out.
        schedule: when the rest follows the values.
        parent: of the panel.

    Signals:
        measure_chosen: another measure is explained; its name.
    """

    measure_chosen = Signal(str)

    def __init__(self, jobs: Jobs, schedule: Schedule, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._schedule = schedule
        self._run_id: int | None = None
        self._query: int | None = None
        self._document: int | None = None
        self._measure = "nDCG@10"
        self._changes: Changes | None = None
        self._against = "last"
        self._intervals: Intervals | None = None
        self._rows: list[MeasureRow] = []
        self._course: list[SessionPoint] = []
        self._explained: tuple[object, ...] | None = None
        self._explanation = EMPTY
        self._named = NamedConventions("", "", "")
        self._named_for: tuple[Conventions, Scale, bool] | None = None
        self._is_due = False
        self._is_explanation_asked = False
        self._values = LiveValues(self)
        self.explain_table = ExplainTable(self)
        self.chart = SessionChart(self)
        self.explain = explain_section(self.explain_table)
        self.course = session_section(self.chart)
        self.explain.folded.connect(self._on_folded)
        self._values.measure_chosen.connect(self.choose_measure)
        self._values.set_against_choices(tuple((name, _(text)) for name, text in AGAINST))
        self._values.against_chosen.connect(self._on_against_chosen)
        layout = in_column(self._values, 3, self.explain, 2, self.course, host=self)
        # Takes the room when the sections are folded, so that the values stay at the top.
        layout.addStretch(0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little height, ten ranks of the explanation are worth more than a chart."""
        super().resizeEvent(event)
        is_low = event.size().height() < scaled(LOW)
        self.chart.setMaximumHeight(scaled(24 if is_low else 56))
        self._share_height()

    @override
    def relayout(self) -> None:
        """Follow the size of the text."""
        super().relayout()
        self._share_height()

    def _share_height(self) -> None:
        """Leave the explanation room for some ranks: where there is little, values scroll first."""
        most = None
        if self.explain.is_open and not self.explain.isHidden():
            table, header = self.explain_table, self.explain.header.sizeHint().height()
            ranks = table.ranks.whole_height(most=_LEAST_RANKS) + table.foot.maximumHeight()
            course = 0 if self.course.isHidden() else self.course.sizeHint().height()
            most = self.height() - header - ranks - course
        self._values.give_height(most)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Bring up to now what was not worked out while nobody could see it."""
        super().showEvent(event)
        self.refresh()

    def _on_folded(self, _is_folded: bool) -> None:
        self._share_height()
        self._follow_up()

    @property
    def values(self) -> LiveValues:
        """The widget with the values, as of now."""
        self._fill()
        return self._values

    def show_further(self, *, has_room: bool) -> None:
        """Show what stands below the values where there is room; what was asked for, always."""
        self.explain.setVisible(has_room or self._is_explanation_asked)
        self.course.setVisible(has_room)
        self._share_height()

    def ask_explanation(self, *, is_on: bool) -> bool:
        """Show how the chosen value comes about, or fold it; return whether it is shown now.

        Args:
            is_on: whether it shall be shown. Where a low window has left it out, it is
                shown in any case: that is what somebody sees who asks.
        """
        is_on = is_on or self.explain.isHidden()
        self._is_explanation_asked = is_on
        self.explain.set_open(is_open=is_on)
        self.explain.show()
        self._share_height()
        self.refresh()
        return is_on

    @property
    def shown_values(self) -> QWidget:
        """The widget with the values, as it was last painted."""
        return self._values

    def as_table(self) -> Table:
        """Return the values as they are now, for copying."""
        heads = ["Measure", "Value", "Change", "Least", "Most", "Mean"]
        heads += ["Change of the mean", "Least mean", "Most mean", "Judged"]
        rows = [
            [
                row.name,
                *map(number_cell, (row.value, row.change, row.low, row.high)),
                *map(number_cell, (row.mean, row.mean_change, row.mean_low, row.mean_high)),
                row.judged,
            ]
            for row in self.values.rows.rows
        ]
        return [heads, *rows]

    @property
    def measure(self) -> str:
        """The measure that is explained."""
        return self._measure

    @override
    def set_session(self, session: Session | None) -> None:
        """Show another project, or none."""
        self._explained = None
        self._run_id = self._query = self._document = None
        self._intervals = None
        self._course = []
        self._is_due = False
        if session is None:
            self._changes = None
            self._show_nothing()
            return
        self._changes = Changes(session)
        self._changes.against = self._against
        names = [str(measure) for measure in session.measures]
        if self._measure not in names and names:
            self._measure = names[0]
        self.explain_table.set_scale(session.scale)
        self.refresh()

    @override
    def follow(self, here: Here) -> None:
        """Show the values of the query's ranking; mark the document's row in the explanation."""
        is_other_run = here.run_id != self._run_id
        is_other_query = is_other_run or here.query != self._query
        self._run_id, self._query, self._document = here.run_id, here.query, here.document
        if self._changes is not None and here.run_id is not None:
            self._changes.show_run(here.run_id)
        if is_other_run:
            self._intervals = None
            self._course = []
            self._start_intervals()
        if is_other_query:
            self.refresh()
        else:
            self._follow_up()

    def prepare_query(self, query: int) -> None:
        """Work out beforehand, while nothing else happens, what a query will need."""
        if self._intervals is not None:
            self._intervals.prepare(query)

    def choose_measure(self, name: str) -> None:
        """Explain another measure."""
        self._measure = name
        self._values.set_current(name)
        self._course = []
        self._note_course()
        self._follow_up()
        self.measure_chosen.emit(name)

    def _on_against_chosen(self, against: str) -> None:
        self._against = against
        if self._changes is not None:
            self._changes.against = against
            self.refresh()

    @override
    def take_change(self, changed: Changed) -> None:
        """Take in a step that is durable."""
        if self._changes is None:
            return
        self._changes.note_change(changed.queries)
        if self._intervals is not None:
            self._intervals.note_change(changed.queries)
        self.refresh()
        self._note_course()

    def describe_step(self, which: str) -> str:
        """Return in words what the last step has made of values; ``""`` where none is another.

        The mean is told where it alone is another, as of a query in which the run found nothing.

        Args:
            which: one of :data:`~judgetool.settings.SPOKEN_VALUES`.
        """
        changes, run_id, query = self._changes, self._run_id, self._query
        if changes is None or run_id is None or query is None:
            return ""
        is_weighted = changes.session.board.engine.has_weighted_means
        steps = zip(
            (measure.text for measure in changes.session.board.engine.measures),
            zip(*changes.step_of(run_id, query), strict=True),
            zip(*changes.step_of_means, strict=True),
            (mean.n_queries for mean in changes.means_of(run_id)),
            strict=True,
        )
        spoken = (
            (*step, is_weighted)
            for step in steps
            if is_value_spoken(which, step[0], explained=self._measure)
        )
        return " ".join(filter(None, (_step_in_words(*step) for step in spoken)))

    # Intervals

    def _start_intervals(self) -> None:
        if self._changes is None or self._run_id is None:
            return
        self._intervals = Intervals(self._changes.session, self._run_id)
        # Of all queries: neither a project just opened nor another run waits for that.
        self._schedule.after_frame(self._work_out_means)

    def _work_out_means(self) -> None:
        if self._intervals is None:
            return
        work = self._intervals.start_work()
        self._jobs.submit(
            lambda handle: work(handle.check), self._on_bounds, key="mean bounds", owner=self
        )

    def _on_bounds(self, table: BoundsTable) -> None:
        if self._intervals is None or not self._intervals.take_table(table):
            return
        self.refresh()
        if not self._course:
            self._note_course()

    # Showing

    def refresh(self) -> None:
        """Show the values anew with the next frame; what takes longer follows after it."""
        self._is_due = True
        self._schedule.before_frame(self._fill_seen)
        self._schedule.after_frame(self._settle)
        self._follow_up()

    def _fill(self) -> None:
        """Fill in the values, if they have changed since: once, however much has."""
        if not self._is_due:
            return
        self._is_due = False
        changes, run_id, query = self._changes, self._run_id, self._query
        against = _(dict(AGAINST)[self._against])
        if changes is None or run_id is None or query is None:
            self._values.set_head(LiveHead("", 0, against))
            self._show_nothing(self._why_nothing())
            self._explained = None
            return
        self._values.set_nothing("")
        session = changes.session
        engine = session.board.engine
        means = changes.means_of(run_id)
        counts = {mean.n_queries for mean in means} - {0}
        n_missing = [mean.n_missing for mean in means]
        has_results = len(session.material.ranked_documents(run_id, query)) > 0
        lacks = not has_results or any(n_missing)
        said = describe_lack(session, run_id, has_results=has_results) if lacks else ""
        if said != self._values.remark:
            self._values.set_remark(said)
            self._share_height()
        if self._against == "baseline":
            against = changes.baseline.name
        is_weighted = engine.has_weighted_means
        counted = engine.conventions, session.scale, is_weighted
        if counted != self._named_for:
            self._named_for = counted
            self._named = name_conventions(*counted[:2], is_weighted=is_weighted)
        # A mark alone: there is little room, and the tooltip says the rest.
        named, n_queries, are_alike = self._named, max(counts, default=0), len(counts) < 2
        head = LiveHead(named.name, n_queries, against, named.differs, is_weighted, are_alike)
        self._values.set_head(head)
        self._rows = _valued(changes, run_id, query)
        self._show_rows(query)
        self._values.set_current(self._measure)

    def _show_nothing(self, why: str = "") -> None:
        self._values.set_rows(())
        self._values.set_nothing(why)
        self._values.set_remark("")
        self.explain_table.set_explanation(EMPTY)

    def _why_nothing(self) -> str:
        """Return why no value is shown, and what to do about it."""
        if self._changes is None:
            return ""
        material = self._changes.session.material
        if not material.queries:
            return _(
                "Values are of queries, and this project has none. Project ▸ Import… reads some."
            )
        if not material.runs:
            return _(
                "Values are of a run: what a system found, in its order. This project has none; "
                "Project ▸ Import… reads one."
            )
        return _("No run is chosen. Above the results one can be.")

    def _show_rows(self, query: int) -> None:
        """Show the values, each with its interval as far as that is known."""
        intervals = self._intervals
        if intervals is None:
            self._values.set_rows(())
            return
        every, is_now = intervals.of_query(query), intervals.is_exact(query)
        is_mean_now = intervals.is_mean_exact()
        of_means = intervals.of_means(len(every))
        columns = zip(
            self._rows,
            every,
            of_means,
            _ends(every, [row.value for row in self._rows], are_now=is_now),
            _ends(of_means, [row.mean for row in self._rows], are_now=is_mean_now),
            strict=True,
        )
        self._values.set_rows(
            [
                row._replace(
                    low=low,
                    high=high,
                    range_high=row.range_high or max(bounds.high, 1e-9),
                    mean_low=mean_low,
                    mean_high=mean_high,
                    is_exact=bounds.is_exact,
                    is_mean_exact=of_mean is None or of_mean.is_exact,
                )
                for row, bounds, of_mean, (low, high), (mean_low, mean_high) in columns
            ]
        )

    def _follow_up(self) -> None:
        """Have the value explained after the next frame."""
        self._schedule.after_frame(self._explain)
        # Any frame will do; the whole panel would be painted with everything that is on it.
        self._values.rows.viewport().update(0, 0, 1, 1)

    def _fill_seen(self) -> None:
        if self.isVisible():
            self._fill()

    def _settle(self) -> None:
        """Work out what the values did not wait for; a hidden panel does it when it is shown."""
        if not self.isVisible():
            return
        self._fill()
        if self._query is None or self._intervals is None:
            return
        self._intervals.settle()
        self._show_rows(self._query)
        self._end_course()

    def _explain(self) -> None:
        """Explain the chosen value, and mark the current document; where it is seen."""
        changes, run_id, query = self._changes, self._run_id, self._query
        if changes is None or run_id is None or query is None or not self.isVisible():
            return
        session = changes.session
        measures = session.board.engine.measures
        measure = next((m for m in measures if m.text == self._measure), None)
        if measure is None or not self.explain.is_open:
            return
        value = (session.board.engine.version, run_id, query, self._measure)
        if (*value, self._document) == self._explained:
            return
        if self._explained is None or value != self._explained[:-1]:
            self.explain.header.set_title(_("{measure} explained").format(measure=self._measure))
            self._explanation = explain_for_table(session, run_id, query, measure)
        self._explained = (*value, self._document)
        rank = rank_of(session, run_id, query, self._document)
        self.explain_table.set_explanation(mark_current(self._explanation, rank))
        self._share_height()

    def _place_of_measure(self) -> int | None:
        if self._changes is None:
            return None
        names = [measure.text for measure in self._changes.session.board.engine.measures]
        return names.index(self._measure) if self._measure in names else None

    def _note_course(self) -> None:
        """Add the chosen measure's mean to the course of the session; its interval follows."""
        place, run_id, changes = self._place_of_measure(), self._run_id, self._changes
        if place is None or run_id is None or changes is None:
            return
        self._course.append(SessionPoint(changes.means_of(run_id)[place].value))
        self._follow_up()

    def _end_course(self) -> None:
        """Give the newest point its interval, and show the course."""
        place, intervals = self._place_of_measure(), self._intervals
        if place is None or intervals is None or not self._course:
            return
        low, high = _ends([intervals.of_means(place + 1)[place]], [None], are_now=True)[0]
        self._course[-1] = SessionPoint(self._course[-1].value, low, high)
        self.chart.set_points(tuple(self._course[-MOST_POINTS:]), name=self._measure)
        self.course.header.set_side(_("{measure} after each step").format(measure=self._measure))


def _valued(changes: Changes, run_id: int, query: int) -> list[MeasureRow]:
    """Return the rows of the values as they are now, their intervals left open."""
    engine = changes.session.board.engine
    columns = zip(
        engine.measures,
        engine.value(run_id, query),
        changes.means_of(run_id),
        changes.changes_of(run_id, query),
        changes.changes_of_means(run_id),
        _judged_texts(changes.session, run_id, query),
        strict=True,
    )
    return [
        MeasureRow(
            name=measure.text,
            value=value.value,
            reason=sentence_start(translated(value.reason)) if value.reason else "",
            judged=judged[0],
            judged_short=judged[1],
            judged_most=judged[2],
            change=change,
            range_low=measure.spec.lowest or 0.0,
            range_high=measure.spec.highest or 0.0,
            mean=mean.value,
            mean_change=mean_change,
            is_quality=measure.is_quality,
            mean_queries=mean.n_queries,
        )
        for measure, value, mean, change, mean_change, judged in columns
    ]


def _step_in_words(name: str, value: _Step, mean: _Step, n_queries: int, is_weighted: bool) -> str:
    """Return what a step has made of a value, or else of its mean; ``""`` where both stayed."""

    def told(step: _Step) -> str:
        before, now = (_("undefined") if end is None else format_value(end) for end in step)
        return _("{measure} {before} to {now}.").format(measure=name, before=before, now=now)

    if value[0] != value[1]:
        return told(value)
    # A mean is added up anew: what is only left of adding floats is no change.
    if format_value(mean[0]) == format_value(mean[1]):
        return ""
    return f"{mean_of_queries(n_queries, is_weighted=is_weighted)}: {told(mean)}"


def _ends(
    intervals: Iterable[Bounds | None], values: Iterable[float | None], *, are_now: bool
) -> list[tuple[float, float] | tuple[None, None]]:
    """Return where the bars of intervals begin and end.

    Args:
        intervals: ``None`` while one is not known.
        values: as they are now, as many.
        are_now: whether the intervals are as of now; those of the frame before are stretched
            until they hold the values, and the next frame has the new ones.
    """
    ends: list[tuple[float, float] | tuple[None, None]] = []
    for bounds, value in zip(intervals, values, strict=True):
        if bounds is None or bounds.defined == NEVER:
            ends.append((None, None))
        elif are_now or value is None:
            ends.append((bounds.low, bounds.high))
        else:
            ends.append((min(bounds.low, value), max(bounds.high, value)))
    return ends


def _judged_texts(session: Session, run_id: int, query: int) -> list[tuple[str, str, str]]:
    """Return how many of the ranks that each measure looks at are judged: whole, short, at the most."""
    measures = session.board.engine.measures
    counts = session.board.engine.judged_of(run_id, query, [each.cutoff for each in measures])
    texts: dict[int | None, tuple[str, str, str]] = {}
    whole, short = _("{judged} of {total} judged"), _("{count}/{all} judged")
    for cutoff, (judged, total) in counts.items():
        if not total:
            texts[cutoff] = (_("no results"),) * 3
            continue
        count, every = format_count(judged), format_count(total)
        texts[cutoff] = (
            whole.format(judged=count, total=every),
            short.format(count=count, all=every),
            whole.format(judged=every, total=every),
        )
    names = {"Judged": _("share judged"), "Unjudged": _("share unjudged")}
    shares = {measure: (name, name, name) for measure, name in names.items()}
    return [shares.get(measure.name, texts[measure.cutoff]) for measure in measures]
