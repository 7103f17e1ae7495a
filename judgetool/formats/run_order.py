"""Results in any order to a run: grouped by query, ordered, without duplicates."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import score_order
from judgetool.formats.columns import count_noun
from judgetool.formats.score_scan_order import has_repeats
from judgetool.formats.values import Reading, RunTable

Ints = npt.NDArray[np.int64]

_PART = 1 << 16


class Codes(defaultdict[str, int]):
    """Small integers for texts, in order of first appearance."""

    def __init__(self) -> None:
        # Counting in C: millions of new ids would cost seconds in a method of ours.
        super().__init__(itertools.count().__next__)


@dataclass(slots=True)
class Results:
    """Results as columns, in the order of the file.

    Attributes:
        query_ids: the queries' ids by code.
        document_ids: the documents' ids by code, distinct.
        queries: code of the query, shape (n,).
        documents: code of the document, shape (n,).
        lines: line number, shape (n,).
        scores: ``None`` if the file gave none.
        ranks: as written, for comparison or as the order; ``None`` if there are none.
    """

    query_ids: Sequence[str]
    document_ids: Sequence[str]
    queries: npt.NDArray[np.int32]
    documents: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64] | None
    ranks: npt.NDArray[np.float64] | npt.NDArray[np.int32] | None

    def taken(self, places: Ints) -> "Results":
        """Return the results at these places, in their order."""
        return Results(
            self.query_ids,
            self.document_ids,
            self.queries[places],
            self.documents[places],
            self.lines[places],
            None if self.scores is None else self.scores[places],
            None if self.ranks is None else self.ranks[places],
        )


def build_run(results: Results, reading: Reading, *, name: str, is_ranked: bool) -> RunTable:
    """Group and order results; refuse duplicates and say what was decided.

    Args:
        results: at least their columns; may be empty.
        reading: gets the refusals and notes.
        name: the run's name.
        is_ranked: order by the rank, else as the file stands (a table's way);
            otherwise by score as TREC does.
    """
    results = _without_duplicates(_grouped(results), reading)
    offsets = _offsets(results)
    order = (
        _rank_order(results, offsets, reading)
        if is_ranked
        else _trec_order(results, offsets, reading)
    )
    if order is not None:
        results = results.taken(order)
    query_ids = list(results.query_ids)
    present = np.flatnonzero(np.diff(offsets))
    if len(present) < len(query_ids):
        query_ids = [query_ids[code] for code in present]
        offsets = np.concatenate([offsets[present], offsets[-1:]])
    ids = results.document_ids
    # Not a copy: of millions it would be one long step.
    document_ids = ids if isinstance(ids, list) else list(ids)
    return RunTable(name, query_ids, offsets, document_ids, results.documents, results.scores)


def _grouped(results: Results) -> Results:
    """Bring together a query's results where the file has them in several places."""
    if (results.queries[1:] >= results.queries[:-1]).all():
        return results
    return results.taken(np.argsort(results.queries, kind="stable"))


def _offsets(results: Results) -> Ints:
    """Return where each query's results begin, and where the last one's end."""
    codes = np.arange(len(results.query_ids) + 1, dtype=np.int32)
    return np.searchsorted(results.queries, codes).astype(np.int64)


def _iter_parts(offsets: Ints) -> Iterator[slice]:
    """Yield stretches of whole queries: one step over millions would hold up other threads."""
    start = 0
    while start < offsets[-1]:
        after = int(np.searchsorted(offsets, start + _PART))
        # One query may be longer than that.
        stop = int(offsets[min(after, len(offsets) - 1)])
        yield slice(start, stop)
        start = stop


def _without_duplicates(results: Results, reading: Reading) -> Results:
    """Refuse a document's second result for a query; the first one counts."""
    found = [
        repeats for part in _iter_parts(_offsets(results)) for repeats in _repeats(results, part)
    ]
    for place, first in found:
        document = results.document_ids[results.documents[place]]
        query = results.query_ids[results.queries[place]]
        reading.refuse(
            int(results.lines[place]),
            f"document '{document}' stands in query '{query}' on line "
            f"{int(results.lines[first]):,} already; that line counts",
        )
    if not found:
        return results
    is_kept = np.ones(len(results.queries), np.bool_)
    is_kept[[place for place, _ in found]] = False
    return results.taken(np.flatnonzero(is_kept))


def _repeats(results: Results, part: slice) -> list[tuple[int, int]]:
    """Return the places of repeated results in a stretch of whole queries, with the first's."""
    queries, documents = results.queries[part], results.documents[part]
    if not has_repeats(documents.astype(np.uint64), queries.astype(np.int64)):
        return []
    pairs = queries.astype(np.int64) * max(len(results.document_ids), 1) + documents
    by_pair = np.argsort(pairs, kind="stable")
    is_repeat = np.concatenate([[False], np.diff(pairs[by_pair]) == 0])
    firsts = by_pair[np.maximum.accumulate(np.where(is_repeat, 0, np.arange(len(by_pair))))]
    places = (by_pair[is_repeat] + part.start).tolist()
    return sorted(zip(places, (firsts[is_repeat] + part.start).tolist(), strict=True))


def _trec_order(results: Results, offsets: Ints, reading: Reading) -> Ints | None:
    """Return the order by score; ``None`` if the file has it already."""
    scores = results.scores
    assert scores is not None
    unclear, doubtful = _find_doubts(results, offsets)
    _note_contradictions(results, doubtful, offsets, reading)
    if not unclear:
        return None
    order = np.arange(len(scores))
    n_tied = n_queries = 0
    for query in unclear:
        start, stop = int(offsets[query]), int(offsets[query + 1])
        its_scores = scores[start:stop]
        ids = [results.document_ids[code] for code in results.documents[start:stop].tolist()]
        its_order = score_order(its_scores, ids)
        order[start:stop] = its_order + start
        ordered = its_scores[its_order]
        is_tie = ordered[1:] == ordered[:-1]
        n_queries += bool(is_tie.any())
        n_tied += int((np.append(is_tie, False) | np.append(False, is_tie)).sum())
    if n_tied:
        reading.notes.append(
            f"{count_noun(n_tied, 'result')} in {count_noun(n_queries, 'query')} "
            "share a score with another: these are ordered by document id, falling."
        )
    return order


def _find_doubts(results: Results, offsets: Ints) -> tuple[list[int], list[int]]:
    """Return the queries whose scores do not fall, and those whose ranks may contradict them."""
    unclear: list[int] = []
    doubtful: list[int] = []
    assert results.scores is not None
    for part in _iter_parts(offsets):
        queries, scores = results.queries[part], results.scores[part]
        same_query = queries[1:] == queries[:-1]
        is_falling = scores[1:] < scores[:-1]
        unclear += np.unique(queries[1:][same_query & ~is_falling]).tolist()
        if results.ranks is not None:
            ranks = results.ranks[part]
            agrees = is_falling & (ranks[1:] >= ranks[:-1])
            doubtful += np.unique(queries[1:][same_query & ~agrees]).tolist()
    return unclear, doubtful


def _note_contradictions(
    results: Results, doubtful: list[int], offsets: Ints, reading: Reading
) -> None:
    """Say how many queries' ranks go against their scores; equal scores allow any rank."""
    ranks, scores = results.ranks, results.scores
    if ranks is None or scores is None:
        return
    count = 0
    for query in doubtful:
        its = slice(int(offsets[query]), int(offsets[query + 1]))
        by_score = np.lexsort((ranks[its], -scores[its]))
        count += bool((np.diff(ranks[its][by_score]) < 0).any())
    if count:
        has = "'s ranks contradict its scores" if count == 1 else "' ranks contradict their scores"
        queries = "1 query" if count == 1 else f"{count:,} queries"
        reading.notes.append(f"{queries}{has}; the scores count.")


def _rank_order(results: Results, offsets: Ints, reading: Reading) -> Ints | None:
    """Return the order by rank, or by score where there is none; ``None``: as it stands."""
    if results.ranks is None and results.scores is None:
        return None
    if results.ranks is None:
        return _trec_order(results, offsets, reading)
    order = np.lexsort((results.ranks, results.queries))
    if results.scores is not None:
        queries, scores = results.queries[order], results.scores[order]
        rises = (queries[1:] == queries[:-1]) & (scores[1:] > scores[:-1])
        count = len(np.unique(queries[1:][rises]))
        if count:
            reading.notes.append(
                f"In {count_noun(count, 'query')} ranks and scores disagree; the ranks count."
            )
    return order
