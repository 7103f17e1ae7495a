"""What is compared now, and the table of it: values at once, intervals and p as they come."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from judgetool.core import override
from judgetool.errors import CommandRefusedError, JudgetoolError
from judgetool.gui.jobs import JobHandle, Jobs, WhileShown
from judgetool.metrics import Measure
from judgetool.metrics.significance import reads_judgments
from judgetool.session.commands import WorkCancelledError
from judgetool.session.comparing.comparing import (
    ComparisonRow,
    ComparisonTable,
    comparison_rules,
    comparison_work,
    open_comparison,
)
from judgetool.session.comparing.pair_bounds import PairBounds
from judgetool.session.comparing.query_by_query import QueryDifferences, query_differences
from judgetool.session.comparing.system_values import (
    Baseline,
    find_baseline,
    named_systems,
    remarks_of,
    set_baseline,
)
from judgetool.session.comparing.tables import find_verdict_in
from judgetool.session.comparing.verdicts import Verdict
from judgetool.session.deciding import PairStanding, pair_standing_work
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries, queries_where
from judgetool.wording import N_, _

MOST_BESIDE = 4
_JOB = "compare/table"
_SEEN_MS = 30
_QUIET_MS = 150
_BOUNDS_JOB = "compare/bounds"
Standings = Mapping[tuple[str, int], PairStanding]
"""What is known of a system by a measure on these queries, by its key and the measure's place."""
NO_RUN = N_("No run is here to compare. Import at least two.")
_STOPPED = N_("Stopped: the values stay, intervals and p are left out.")


class ComparedPair(NamedTuple):
    """A system beside the baseline, by one measure.

    Attributes:
        session: the project.
        system: what is looked at.
        baseline: with what it is compared; perhaps itself.
        measure: by what.
    """

    session: Session
    system: System
    baseline: System
    measure: Measure

    @property
    def has_differences(self) -> bool:
        """Whether there are two systems, and a measure that tells them apart query by query."""
        return self.system != self.baseline and self.measure.spec.has_query_values


class Compared(WhileShown):
    """Systems, baseline, measure and query that were chosen; computes only while shown.

    Signals:
        table_changed: :attr:`table` is another one.
        pair_changed: another system, baseline or measure is looked at.
        query_changed: another query is.
        bounds_found: how far a difference can still go is known now; the system's key, and
            the number of the measure.
        progressed: done and total of the computing.
        stopped: a sentence: why the computing ended without a result.
        refused: a sentence: why all queries are compared, and not those that were chosen.

    Attributes:
        is_together: whether what-ifs and systems of snapshots are tested with the runs.
        table: ``None`` without a run.
        system: the current row's; ``None`` without one.
        measure: number of the current column.
        query: number of the query that is looked at; ``None`` without one.
        beside: further systems side by side.
        alone: what-ifs and systems of snapshots, unless they were chosen to be tested with
            the runs: they change p of no other.
        columns_wanted: names of the measures that the table has; empty for all.
        where: which queries it is of; ``""`` for all.
        version: another one whenever figures may be others.
    """

    table_changed = Signal()
    pair_changed = Signal()
    query_changed = Signal()
    bounds_found = Signal(str, int)
    progressed = Signal(int, int)
    stopped = Signal(str)
    refused = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(jobs, parent, gather_ms=0)
        # Collecting what the worker needs takes a moment: the values are seen before it.
        self._start = QTimer(self, singleShot=True, interval=_SEEN_MS)
        self._start.timeout.connect(self.compute)
        self.remarks: dict[str, str] = {}
        self.alone: tuple[System, ...] = ()
        # What is known of a system by a measure on these queries, of this version of the figures.
        self._standing: dict[tuple[str, int], PairStanding] = {}
        self._ask_soon = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._ask_soon.timeout.connect(self._ask_current)
        self.pair_changed.connect(self._ask_soon.start)
        self.version = object()
        self.set_session(None)

    # What there is

    @property
    def systems(self) -> list[System]:
        """The rows of the table, in the order in which they were made."""
        return [] if self.table is None else [row.system for row in self.table.rows]

    @property
    def baseline(self) -> System | None:
        """What the others are compared with."""
        return None if self.table is None else self.table.baseline

    @property
    def pair(self) -> ComparedPair | None:
        """What is looked at; ``None`` without a run."""
        session, table, system = self.session, self.table, self.system
        if session is None or table is None or system is None:
            return None
        return ComparedPair(session, system, table.baseline, table.measures[self.measure])

    @property
    @override
    def is_computing(self) -> bool:
        """Whether intervals and p are still to come."""
        return super().is_computing or self._start.isActive()

    def _row(self, key: str) -> ComparisonRow | None:
        rows = () if self.table is None else self.table.rows
        return next((each for each in rows if each.system.key == key), None)

    def _find(self, key: str) -> System | None:
        row = self._row(key)
        return None if row is None else row.system

    def differences(self, *, group_by: str = "") -> QueryDifferences:
        """Return the current pair, which has differences, over the queries that the table is of."""
        pair = self.pair
        assert pair is not None
        assert self.table is not None
        where = self.table.where
        kept = kept_queries(pair.session, where)
        return query_differences(*pair, group_by=group_by, kept=kept)

    def columns(self) -> list[System]:
        """Return what stands side by side: the baseline, the current system, those beside."""
        pair = self.pair
        wanted = (pair.baseline, pair.system, *self.beside) if pair is not None else ()
        return list(dict.fromkeys(wanted))[:MOST_BESIDE]

    # What the window says

    @override
    def set_session(self, session: Session | None) -> None:
        """Begin with another project, or none."""
        super().set_session(session)
        self._wanted: tuple[str, ...] = ()
        self._own_baseline = self.where = ""
        # What was looked at before a decision: system, baseline, measure, as far as not chosen since.
        self._before: dict[str, Any] = {}
        self.is_together, self.measure = False, 0
        self.table: ComparisonTable | None = None
        self.system: System | None = None
        self.query: int | None = None
        self.columns_wanted: tuple[str, ...] = ()
        self.beside: list[System] = []

    # What the person chooses

    def choose_systems(self, keys: Sequence[str], *, is_together: bool | None = None) -> None:
        """Compare these systems; none chooses all of the present.

        Args:
            keys: of the systems.
            is_together: whether what-ifs and systems of snapshots are tested with the runs,
                so that they change p of these; ``None`` leaves it as it is.
        """
        self._wanted = tuple(keys)
        self.is_together = self.is_together if is_together is None else is_together
        self.refresh()

    def choose_baseline(self, key: str) -> str:
        """Compare with another system from now on; return why it is not kept, if so."""
        session = self.session
        system = self._find(key)
        if session is None or system is None:
            return ""
        said = session.read_only_reason
        if not said:
            try:
                set_baseline(session, Baseline.of_system(system))
            except JudgetoolError as problem:
                said = str(problem)
        self._own_baseline = key if said else ""
        self._before.pop("baseline", None)
        self.refresh()
        return said

    def choose_system(self, key: str) -> None:
        """Look at another row."""
        found = self._find(key)
        if found is not None and found != self.system:
            self.system = found
            self._before.pop("system", None)
            self.pair_changed.emit()

    def choose_measure(self, place: int) -> None:
        """Look at another column."""
        if self.table is not None and place != self.measure:
            self.measure = place
            self._before.pop("measure", None)
            self.pair_changed.emit()

    def choose_columns(self, names: Sequence[str]) -> None:
        """Compare by these measures; none, or all, chooses all of the project."""
        kept = None if self.table is None else self.table.measures[self.measure]
        self.columns_wanted = tuple(names)
        if self.session is not None and kept is not None:
            chosen = self._measures(self.session)
            self.measure = chosen.index(kept) if kept in chosen else 0
        self.refresh()

    def choose_where(self, where: str) -> None:
        """Compare over these queries; ``""`` for all.

        Raises:
            CommandRefusedError: no query is left, or what leaves some is not understood.
        """
        assert self.session is not None
        kept = queries_where(self.session, where)
        self.where = where
        if self.query is not None and not kept[self.query]:
            # Another one is looked at: the worst of those that are left.
            self.query = None
        self.refresh()

    def prefer_measure(self, name: str) -> None:
        """Begin with the column of this measure, unless another was looked at before."""
        if self.table is None and self.system is None:
            self._find_measure(name)

    def _find_measure(self, name: str) -> None:
        if name in self._names:
            self.measure = self._names.index(name)

    def look_at(self, system: System, baseline: System, measure: str) -> None:
        """Look at this pair from the next time on that it is shown; the project's baseline stays.

        Until :meth:`look_as_before`; what the person chooses meanwhile stays chosen.
        """
        if not self._before:
            self._before = {"system": self.system, "baseline": self._own_baseline}
            self._before["measure"] = self._measure_name
        self._find_measure(measure)
        self.system, self._own_baseline, self._is_stale = system, baseline.key, True

    def look_as_before(self) -> None:
        """Look at what was chosen before :meth:`look_at`; nothing where that was not."""
        before, self._before = self._before, {}
        if not before:
            return
        self.system = before.get("system", self.system)
        self._own_baseline = before.get("baseline", self._own_baseline)
        self._find_measure(before.get("measure", ""))
        self.take_change()

    @property
    def _measure_name(self) -> str:
        """The measure that is looked at; ``""`` for none."""
        return self._names[self.measure] if self.measure < len(self._names) else ""

    @property
    def _names(self) -> list[str]:
        return [] if self.session is None else list(map(str, self._measures(self.session)))

    def choose_query(self, query: int | None) -> None:
        """Look at another query."""
        if query != self.query:
            self.query = query
            self.query_changed.emit()

    def toggle_beside(self) -> str:
        """Put the current system side by side for good, or take it away; say what was done."""
        system = self.system
        if system is None:
            return _(NO_RUN)
        if system == self.baseline:
            return _("The baseline stands there already.")
        if system in self.beside:
            self.beside.remove(system)
            said = _("{name} does not stay beside the others any more.").format(name=system.name)
        elif len(self.beside) >= MOST_BESIDE - 1:
            said = _(
                "Four rankings stand side by side already: take one away to add {name}."
            ).format(name=system.name)
        else:
            self.beside.append(system)
            said = _("{name} stays beside the others.").format(name=system.name)
        self.pair_changed.emit()
        return said

    # Computing

    @override
    def refresh(self) -> None:
        """Show values at once, and let the rest be computed."""
        session = self.session
        assert session is not None
        self.drop()
        self._is_stale = False
        self._standing.clear()
        self.version = object()
        known = {each.key: each for each in named_systems(session)}
        systems = [known[key] for key in self._wanted if key in known]
        systems = systems or [each for each in known.values() if not each.snapshot]
        aside = [each for each in systems if each.kind == "what-if" or each.snapshot]
        self.alone = () if self.is_together else tuple(aside)
        if not systems:
            self._set_table(None)
            return
        baseline = self._find_baseline(session, systems)
        self.remarks = remarks_of(session, systems)
        measures = self._measures(session)
        try:
            table = open_comparison(session, systems, measures, baseline, self.where)
        except CommandRefusedError as problem:
            # What was judged since may leave no query of those that were chosen.
            self.where, said = "", str(problem)
            table = open_comparison(session, systems, measures, baseline)
            self.refused.emit(said)
        self._set_table(table)
        self._start.start()
        self.progressed.emit(0, 0)

    def _measures(self, session: Session) -> list[Measure]:
        """Return the measures that were chosen for the table; all where none of them is left."""
        wanted = [each for each in session.measures if str(each) in self.columns_wanted]
        return wanted or list(session.measures)

    def _find_baseline(self, session: Session, systems: Sequence[System]) -> System:
        kept = find_baseline(session)
        wanted = kept.system.key if kept is not None and kept.system is not None else ""
        by_key = {each.key: each for each in systems}
        return by_key.get(self._own_baseline) or by_key.get(wanted, systems[0])

    def compute(self) -> None:
        """Compute intervals and p in the background."""
        session, table = self.session, self.table
        assert session is not None
        assert table is not None
        work = comparison_work(
            session,
            self.systems,
            table.measures,
            table.baseline,
            alone=self.alone,
            where=table.where,
        )
        self._job = self._jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._take,
            self._fail,
            self.progressed.emit,
            key=_JOB,
            owner=self,
        )
        self.progressed.emit(0, 0)

    def cancel(self) -> None:
        """Stop computing; the values stay."""
        if self._start.isActive():
            self._start.stop()
            self.stopped.emit(_(_STOPPED))
        elif self._job is not None:
            self._job.cancel()

    @override
    def take_change(self) -> None:
        """Something has changed that figures depend on: what is shown may be gone by now."""
        super().take_change()
        self._start.stop()

    @override
    def drop(self) -> None:
        """Wait for nothing any more."""
        super().drop()
        self._start.stop()
        self._ask_soon.stop()

    def _take(self, table: ComparisonTable) -> None:
        self._job = None
        self._set_table(table)
        self._ask_soon.start()

    def known_bounds(self, key: str, measure: int) -> PairBounds | None:
        """Return how far a system's difference by a measure can go, as far as it is known."""
        found = self._standing.get((key, measure))
        return None if found is None else found.bounds

    def verdict(self) -> Verdict | None:
        """Return what can be said of the pair by now; ``None`` where there is no pair."""
        table, row = self.table, self._row(self.system.key if self.system else "")
        if table is None or row is None or row.cells[self.measure].difference is None:
            return None
        bounds, decision = self._standing.get((row.system.key, self.measure), (None, None))
        return find_verdict_in(table, row, self.measure, bounds=bounds, decision=decision)

    def wish_bounds(self, key: str, measure: int) -> None:
        """Look for how far a difference can go; :attr:`bounds_found` tells of it."""
        pair = self._pair_of(key, measure)
        # After a change the table is made anew first: it may be without this system.
        if pair is None or not self.is_shown or self._is_stale or self.is_computing:
            return
        if (key, measure) not in self._standing:
            self._look_for(
                {(key, measure): pair},
                f"{_BOUNDS_JOB}/{key}/{measure}",
                lambda is_found: self.bounds_found.emit(key, measure) if is_found else None,
            )

    def find_all_standing(self, take: Callable[[Standings | None], None]) -> None:
        """Give what is known of every pair on these queries, found beside the window where it is not yet.

        ``None`` where the figures have become others meanwhile, or where it could not be found.
        """
        table = self.table
        wanted = {
            (row.system.key, place): pair
            for row in (table.rows if table is not None else ())
            for place in range(len(row.cells))
            if (row.system.key, place) not in self._standing
            and (pair := self._pair_of(row.system.key, place)) is not None
        }
        self._look_for(
            wanted,
            f"{_BOUNDS_JOB}/all",
            lambda is_found: take(self._standing if is_found else None),
        )

    def _look_for(
        self,
        wanted: Mapping[tuple[str, int], ComparedPair],
        job: str,
        end: Callable[[bool], None],
    ) -> None:
        """Find out beside the window how far differences can go; tell whether it is known now."""
        session, version = self.session, self.version
        works = {
            of: pair_standing_work(*pair, comparison_rules(pair.session), where=self.where)
            for of, pair in wanted.items()
        }

        def run(handle: JobHandle) -> dict[tuple[str, int], Callable[[], PairStanding]]:
            return {of: work(None, handle.is_cancelled) for of, work in works.items()}

        def done(found: dict[tuple[str, int], Callable[[], PairStanding]]) -> None:
            is_of_now = self.version == version and self.session is session
            if is_of_now:
                self._standing |= {of: find() for of, find in found.items()}
            end(is_of_now)

        self._jobs.submit(run, done, lambda _problem: end(False), key=job, owner=self)

    def _pair_of(self, key: str, measure: int) -> ComparedPair | None:
        """Return a pair whose difference judgments can still change; ``None`` for no such."""
        session, table, row = self.session, self.table, self._row(key)
        if session is None or table is None or row is None:
            return None
        pair = ComparedPair(session, row.system, table.baseline, table.measures[measure])
        is_past = pair.system.snapshot or pair.baseline.snapshot
        # Nothing is said of a difference that other grades may make up.
        is_apart = row.apart is not None and reads_judgments(pair.measure)
        return pair if pair.has_differences and not is_past and not is_apart else None

    def _ask_current(self) -> None:
        if self.system is not None:
            self.wish_bounds(self.system.key, self.measure)

    def _fail(self, problem: Exception) -> None:
        self._job = None
        is_cancelled = isinstance(problem, WorkCancelledError)
        self.stopped.emit(_(_STOPPED) if is_cancelled else str(problem))

    def _set_table(self, table: ComparisonTable | None) -> None:
        before = None if self.table is None else self.table.measures
        self.table = table
        if table is None:
            self.system = None
        else:
            if before != table.measures:
                self.measure = min(self.measure, len(table.measures) - 1)
            self._keep_places(table)
        self.table_changed.emit()

    def _keep_places(self, table: ComparisonTable) -> None:
        by_key = {row.system.key: row.system for row in table.rows}
        self.beside = [by_key[each.key] for each in self.beside if each.key in by_key]
        known = None if self.system is None else by_key.get(self.system.key)
        others = [row.system for row in table.rows if not row.is_baseline]
        self.system = known or (others[0] if others else table.baseline)
