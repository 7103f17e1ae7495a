"""What a change of one ranking would do to every value, before it is made."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.metrics import Bounds, Measure
from judgetool.metrics.bounds_difference import DRAG_BUDGET, compute_pair_bounds
from judgetool.metrics.bounds_pair import RankingPair
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import whatif_book


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One measure before and after a change.

    Attributes:
        measure: what is measured.
        old: value of the ranking as it is; ``None`` where it is undefined.
        new: value of the changed ranking, likewise.
        change: new minus old, undefined values as 0; ``None`` where both are.
        bounds: what the change could be once all documents are judged; ``is_exact``
            false where it may be narrower. ``None`` when nobody judged the query.
        mean_old: mean over the queries (of counts the sum) as it is.
        mean_new: likewise with the changed ranking: the effect of this one query alone.
    """

    measure: Measure
    old: float | None
    new: float | None
    change: float | None
    bounds: Bounds | None
    mean_old: float | None
    mean_new: float | None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change would do.

    Attributes:
        query: the query's number.
        rows: one per chosen measure, in their order.
        n_queries: queries behind the means, of the first measure; 0 without one.
    """

    query: int
    rows: tuple[PreviewRow, ...]
    n_queries: int


class Previewer:
    """Previews of one ranking, for as long as nothing is judged or dropped.

    Args:
        session: the project.
        subject: a run or a what-if of the present.
        query: the query's number.

    Attributes:
        documents: the ranking as it is.
    """

    def __init__(self, session: Session, subject: System, query: int) -> None:
        self._engine = session.board.engine
        self._scale = session.board.scale
        self._query = query
        self._key = engine_key_of(session, subject)
        if subject.kind == "what-if":
            self.documents: IntArray = whatif_book(session).ranking(subject.id, query)
        else:
            self.documents = session.material.ranked_documents(int(subject.id), query)
        known, grades = self._engine.known_grades(self._key, query)
        self._known = dict(zip(known.tolist(), grades.tolist(), strict=True))
        self._pool = session.board.pool(query)
        self._is_judged = bool((grades >= 0).any())
        # Lined up once: while a card is moved, only the order changes.
        self._all = np.unique(np.concatenate((self.documents, known, self._pool)))
        self._grades = np.full(len(self._all), np.nan)
        self._grades[np.searchsorted(self._all, known)] = np.where(grades < 0, np.nan, grades)
        self._pooled = np.isin(self._all, known) if (grades < 0).any() else None
        self._places = np.searchsorted(self._all, self.documents)
        self._old = tuple(value.value for value in self._engine.value(self._key, query))
        self._means = self._engine.means(self._key)

    def preview(self, order: npt.NDArray[np.integer], *, has_bounds: bool = True) -> Preview:
        """Return what another order would do.

        Args:
            order: documents, best first, each once; it may lack some and have others.
            has_bounds: whether the intervals are wanted as well.
        """
        documents = np.asarray(order, dtype=np.int32)
        values, means = self._engine.try_ranking(self._key, self._query, documents)
        bounds = self._bounds(documents) if has_bounds else (None,) * len(values)
        rows = tuple(
            PreviewRow(measure, was, now, _change(was, now), each, mean.value, mean_now.value)
            for measure, was, now, each, mean, mean_now in zip(
                self._engine.measures, self._old, values, bounds, self._means, means, strict=True
            )
        )
        return Preview(self._query, rows, means[0].n_queries if means else 0)

    def _bounds(self, documents: IntArray) -> tuple[Bounds | None, ...]:
        measures = self._engine.measures
        if not self._is_judged:
            return (None,) * len(measures)
        pair = self._pair(documents)
        leaves_out = self._engine.conventions.unjudged == "left out"
        return tuple(
            compute_pair_bounds(
                measure, pair, self._scale, budget=DRAG_BUDGET, leave_out_unjudged=leaves_out
            )
            for measure in measures
        )

    def _pair(self, documents: IntArray) -> RankingPair:
        places = np.searchsorted(self._all, documents)
        is_known = len(self._all) > 0 and bool(
            (self._all.take(places, mode="clip") == documents).all()
        )
        if is_known and np.bincount(places, minlength=1).max() <= 1:
            return RankingPair(places, self._places, self._grades, self._pooled)
        return RankingPair.from_documents(
            documents, self.documents, known=self._known, pool=self._pool
        )


def preview(
    session: Session, subject: System, query: int, order: npt.NDArray[np.integer]
) -> Preview:
    """Return what another order of a ranking would do to every value; see :class:`Previewer`."""
    return Previewer(session, subject, query).preview(order)


def engine_key_of(session: Session, system: System) -> int:
    """Return a present system's key in the session's engine; a what-if is added if need be.

    Raises:
        InputError: the what-if is no longer in the project.
    """
    if system.kind == "what-if":
        return whatif_book(session).engine_key(system.id)
    return int(system.id)


def _change(old: float | None, new: float | None) -> float | None:
    if old is None and new is None:
        return None
    return (new or 0.0) - (old or 0.0)
