"""The intervals that the live panel shows: worked out when there is time, kept while they hold."""

from collections.abc import Iterable

from judgetool.metrics.bounds import Bounds
from judgetool.session.bounds_table import BoundsTable, BoundsWork, bounds_work
from judgetool.session.session import Session

MOST_KEPT = 64


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

    def of_mean(self, place: int) -> Bounds | None:
        """Return the interval of a mean as of the last :meth:`settle`; ``None`` before it is known."""
        if self._means is None:
            self._means = self._add_means()
        return self._means[place] if place < len(self._means) else None

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
