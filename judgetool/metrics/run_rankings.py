"""A run as the engine keeps it: a block, rankings replaced since, and assumed grades."""

from collections.abc import Mapping

import numpy as np

from judgetool.metrics.judgment_store import JudgmentStore, KeyArray
from judgetool.metrics.run_block import RunBlock
from judgetool.metrics.terms import FloatArray

Assumed = Mapping[int, float]
"""Assumed grades of one query by document."""


class RunRankings:
    """Rankings of one run, of which single ones may be replaced.

    Args:
        block: all rankings.
        store: the project's grades.
        assumed: assumed grades by query and document; they count where nobody judged,
            and for this run alone.
    """

    def __init__(
        self, block: RunBlock, store: JudgmentStore, assumed: Mapping[int, Assumed] | None = None
    ) -> None:
        self._block = block
        self._changed: dict[int, KeyArray] = {}
        self._shared = store
        self._assumed = {query: dict(grades) for query, grades in (assumed or {}).items() if grades}
        self._own: JudgmentStore | None = None

    @property
    def block(self) -> RunBlock:
        """All rankings as they are now."""
        if self._changed:
            self._block = self._block.with_rankings(self._changed)
            self._changed = {}
        return self._block

    @property
    def store(self) -> JudgmentStore:
        """The grades that count for this run."""
        if not self._assumed:
            return self._shared
        if self._own is None:
            self._own = _with_assumed(self._shared, self._assumed)
        return self._own

    @property
    def assumed_queries(self) -> tuple[int, ...]:
        """The queries of which grades are assumed."""
        return tuple(self._assumed)

    def ranking(self, query: int) -> KeyArray:
        """Return one ranking."""
        found = self._changed.get(query)
        return self._block.ranking(query) if found is None else found

    def replace(self, query: int, documents: KeyArray, assumed: Assumed) -> None:
        """Take another ranking of a query, and other assumed grades."""
        self._changed[query] = np.asarray(documents, dtype=np.int32)
        if dict(assumed) == self._assumed.get(query, {}):
            return
        self._assumed.pop(query, None)
        if assumed:
            self._assumed[query] = dict(assumed)
        if self._own is not None:
            self._own.set_query(query, *merged_grades(self._shared, query, assumed))

    def take_judged(self, query: int) -> None:
        """Follow a change of the project's grades of a query."""
        if self._own is not None:
            assumed = self._assumed.get(query, {})
            self._own.set_query(query, *merged_grades(self._shared, query, assumed))

    def forget_grades(self) -> None:
        """Make the own grades anew when next asked for: all of the project's were replaced."""
        self._own = None


def merged_grades(
    store: JudgmentStore, query: int, assumed: Assumed
) -> tuple[KeyArray, FloatArray]:
    """Return documents (rising) and grades of a query: what is assumed counts where nobody judged."""
    documents, grades = store.of_query(query)
    if not assumed:
        return documents, grades
    merged = {**assumed}
    for document, grade in zip(documents.tolist(), grades.tolist(), strict=True):
        if grade >= 0 or document not in merged:
            merged[document] = grade
    order = sorted(merged)
    return np.array(order, dtype=np.int32), np.array([merged[each] for each in order])


def _with_assumed(store: JudgmentStore, assumed: Mapping[int, Assumed]) -> JudgmentStore:
    own = store.copy()
    for query, grades in assumed.items():
        own.set_query(query, *merged_grades(store, query, grades))
    return own
