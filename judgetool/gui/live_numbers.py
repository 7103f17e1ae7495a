"""What the live panel shows: values and what they are compared with, intervals, explanations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from judgetool.core.number_text import UNDEFINED
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.gui.painting import format_count, format_grade, format_value
from judgetool.gui.widgets.explain_table import EMPTY, ExplainRow, ShownExplanation
from judgetool.metrics import Measure
from judgetool.metrics.bounds import Bounds, BoundsTable
from judgetool.metrics.explain import (
    ASSUMED,
    ExplainedRow,
    Explanation,
    FootCell,
    explain_value,
    has_explanation,
)
from judgetool.metrics.run_table import Mean, RunValueTable
from judgetool.metrics.terms import Column
from judgetool.session.board import Board
from judgetool.session.comparing.system_values import BoundsWork, bounds_work
from judgetool.session.session import Session
from judgetool.session.systems import run_system
from judgetool.wording import _, local_number, translated

MOST_ROWS = 200
MOST_KEPT = 64
if TYPE_CHECKING:
    from judgetool.session.comparing.system_values import Baseline, Place

Row = list[float | None]


@dataclass(frozen=True, slots=True)
class ValuesNow:
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


def mark_current(explanation: ShownExplanation, rank: int | None) -> ShownExplanation:
    """Return an explanation with the row of a rank marked as the current document's."""
    name = None if rank is None else str(rank)
    rows = tuple(
        replace(row, is_current=True) if row.cells[0] == name else row for row in explanation.rows
    )
    return replace(explanation, rows=rows)


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


def table_of(
    explained: Explanation,
    columns: Sequence[int],
    scale: Scale | None,
    *,
    most_rows: int = MOST_ROWS,
) -> ShownExplanation:
    """Return an explanation as a table shows it.

    Args:
        explained: how the value comes about.
        columns: places of the columns that are shown.
        scale: whose codes stand for grades.
        most_rows: the first so many ranks are shown.
    """
    shown = [(place, explained.columns[place]) for place in columns]
    rows = explained.rows[:most_rows]
    arithmetic, __, result = explained.arithmetic.rpartition("= ")
    if explained.value is None:
        arithmetic, result = _sentence(translated(explained.reason)), UNDEFINED
    elif result:
        words = (
            translated(explained.words) if explained.words else local_number(arithmetic.rstrip())
        )
        arithmetic = f"{words} ="
    said = [_(ASSUMED)] if any(row.is_assumed for row in rows) else []
    said += [_sentence(translated(note)) for note in (explained.policy, *explained.notes) if note]
    if len(explained.rows) > most_rows:
        said.append(
            _("The first {most_rows} of {n_rows} ranks are shown.").format(
                most_rows=most_rows, n_rows=format_count(len(explained.rows))
            )
        )
    return ShownExplanation(
        heads=(_("rank"), _("grade"), *(_(column.head) for __, column in shown)),
        rows=tuple(_row(row, shown, scale) for row in rows),
        foot=_foot(explained, shown),
        arithmetic=arithmetic,
        result=local_number(result),
        remark=" ".join(said),
    )


def _row(row: ExplainedRow, shown: list[tuple[int, Column]], scale: Scale | None) -> ExplainRow:
    grade = UNDEFINED
    if row.grade is not None:
        level = scale.find_level(row.grade) if scale else None
        grade = level.label if level else format_grade(row.grade)
    grade = f"({grade})" if row.is_assumed else grade
    cells = [_cell(row.cells[place], column) for place, column in shown]
    is_bare = row.rank is None
    return ExplainRow(
        ("" if is_bare else str(row.rank), "" if is_bare else grade, *cells),
        grade=None if row.is_assumed else row.grade,
        is_unjudged=row.grade is None and not is_bare,
    )


def _cell(value: float | None, column: Column) -> str:
    return "" if value is None else format_value(value, digits=column.decimals)


def _foot(explained: Explanation, shown: list[tuple[int, Column]]) -> tuple[str, ...]:
    """Return the sums under their columns, with what they are called in front."""
    if not explained.foot:
        return ()
    by_key: dict[str, FootCell] = {cell.key: cell for cell in explained.foot}
    label = ", ".join(translated(cell.label) for cell in explained.foot if cell.label)
    sums = [
        _cell(by_key[column.key].value, column) if column.key in by_key else ""
        for __, column in shown
    ]
    return (label, "", *sums)


def _sentence(text: str) -> str:
    return text if not text else f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


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

    def start_work(self) -> BoundsWork:
        """Return the work of all queries' intervals, for another thread."""
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
        if self._means is None:
            self._means = self._add_means()
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

    def _add_means(self) -> list[Bounds | None]:
        table = self._table
        if table is None:
            return []
        return table.means(self._session.board.mean_weights)


def take_moment(board: Board, run_id: int) -> ValuesNow:
    """Keep a run's values as they are now."""
    means = [mean.value for mean in board.engine.means(run_id)]
    return ValuesNow(board.engine.moment(run_id), means)


class Means:
    """The means of runs, added up once for each state of the judgments."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._version = -1
        self._kept: dict[int, tuple[Mean, ...]] = {}
        self._values: dict[int, Row] = {}

    def of(self, run_id: int) -> tuple[Mean, ...]:
        """Return the means of a run now, in the order of the measures."""
        version = self._board.engine.version
        if version != self._version:
            self._version = version
            self._kept.clear()
        if run_id not in self._kept:
            self._kept[run_id] = self._board.engine.means(run_id)
            self._values[run_id] = [mean.value for mean in self._kept[run_id]]
        return self._kept[run_id]

    def values_of(self, run_id: int) -> Row:
        """Return the means alone; ``None`` where there is none."""
        self.of(run_id)
        return self._values[run_id]


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

    Attributes:
        against: ``last`` judgment, the ``start`` of the session, or the ``baseline``.
        baseline: the values of the baseline, where there can be one.
        means: of the runs, now.
    """

    def __init__(self, board: Board, run_ids: list[int]) -> None:
        self._board = board
        self._start = {run_id: take_moment(board, run_id) for run_id in run_ids}
        self._run_id: int | None = None
        self._shown: ValuesNow | None = None
        self._since: dict[int, Row] = {}
        self._before: dict[int, Row] = {}
        self._means_now: Row = []
        self._means_before: Row = []
        self.means = Means(board)
        self.against = "last"
        self.baseline: BaselineValues | None = None

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
        self._means_before, self._means_now = self._means_now, self.means.values_of(self._run_id)

    def changes_of(self, run_id: int, query: int) -> Row:
        """Return the change of each measure of a query."""
        new = self._row_now(run_id, query)
        if self.against == "start":
            old = self._start[run_id].values.row(query)
        elif self.against == "baseline":
            old = self.baseline.row(run_id, query) if self.baseline else [None] * len(new)
        else:
            old = self._before.get(query, new)
        return _differences(old, new)

    def step_of(self, run_id: int, query: int) -> tuple[Row, Row]:
        """Return a query's values before the last judgment, and as they are now."""
        now = self._row_now(run_id, query)
        return self._before.get(query, now), now

    def changes_of_means(self, run_id: int) -> Row:
        """Return the change of each mean."""
        new = self.means.values_of(run_id)
        old: Row
        if self.against == "baseline":
            old = self.baseline.means(run_id) if self.baseline else [None] * len(new)
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
