"""What everybody said of each document, folded with and without each assessor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from judgetool.core.views import Said, ViewRule
from judgetool.metrics import AgreementData
from judgetool.metrics.terms import BoolArray, FloatArray, IntArray
from judgetool.session.judgment_book import SettledRow, Standing

ONE, FOLD = "one", "others"
"""What the two are called that :class:`Sayings` sets against each other."""


class Voice(NamedTuple):
    """What one assessor graded, in the project's order of pairs.

    Attributes:
        places: of the pairs in :class:`Sayings`, rising, shape (n,).
        grades: shape (n,).
        others: what the others who count say of each, folded, settled apart; NaN where nobody
            else graded it, shape (n,).
        changed: the view's grade without them, or with them where they do not count, shape (n,).
        times: number of the step, and time, of each, shape (n, 2).
    """

    places: IntArray
    grades: FloatArray
    others: FloatArray
    changed: FloatArray
    times: IntArray


def silent_voice() -> Voice:
    """Return what somebody without a grade said."""
    none = np.zeros(0)
    return Voice(none.astype(np.int64), none, none, none, np.zeros((0, 2), np.int64))


@dataclass(frozen=True, eq=False)
class Sayings:
    """What was said of each (query, document), and what counts.

    Attributes:
        queries: the session's number, rising, shape (n,).
        documents: shape (n,).
        view: what counts; NaN where that is no grade, shape (n,).
        settled: what was settled; NaN where nothing is, shape (n,).
        is_disputed: whether two who count graded it differently, and nothing is settled, shape (n,).
        voices: by number of the assessor.
    """

    queries: IntArray
    documents: IntArray
    view: FloatArray
    settled: FloatArray
    is_disputed: BoolArray
    voices: Mapping[int, Voice]

    def against_others(self, number: int, levels: Sequence[float]) -> AgreementData:
        """Return the judgments of an assessor beside the others' fold, as of two assessors."""
        voice = self.voices[number]
        kept = ~np.isnan(voice.others)
        return self._two(voice.places[kept], voice.grades[kept], voice.others[kept], levels)

    def between(self, number: int, other: int, levels: Sequence[float]) -> AgreementData:
        """Return what two assessors said of pairs that both graded; the first is ``one``."""
        first, second = self.voices[number], self.voices[other]
        both, here, there = np.intersect1d(first.places, second.places, return_indices=True)
        return self._two(both, first.grades[here], second.grades[there], levels)

    def _two(
        self, places: IntArray, own: FloatArray, others: FloatArray, levels: Sequence[float]
    ) -> AgreementData:
        every = np.unique(np.concatenate((own, others, np.array(levels, np.float64))))
        n = len(places)
        queries = self.queries[places]
        return AgreementData(
            np.repeat(queries, 2),
            np.repeat(np.arange(n), 2),
            np.tile(np.array([0, 1]), n),
            np.searchsorted(every, np.column_stack((own, others)).ravel()),
            tuple(map(str, range(int(queries.max(initial=-1)) + 1))),
            (ONE, FOLD),
            every,
        )


class _Parts(NamedTuple):
    """A voice while it is gathered."""

    places: list[int]
    grades: list[float]
    others: list[float]
    changed: list[float]
    times: list[tuple[int, int]]


def fold_sayings(
    rows: Iterable[SettledRow], rule: ViewRule, standing: Standing, silent: Iterable[int] = ()
) -> Sayings:
    """Return what was said, folded with and without each assessor.

    Args:
        rows: all settled judgments, in any order.
        rule: how those of several count.
        standing: who counts, and what is settled.
        silent: assessors whose judgments are no opinions: a person's second ones.
    """
    ordered = sorted(rows, key=lambda row: row[:2])
    hidden = set(silent)
    left_out = standing.left_out | hidden
    columns: list[tuple[int, int, float, float, bool]] = []
    parts: dict[int, _Parts] = {}
    for place, ((query, document), group) in enumerate(groupby(ordered, lambda row: row[:2])):
        said = list(group)
        final = [row for row in said if row.assessor in standing.final]
        opinions = [row for row in said if row.assessor not in standing.final]
        counted = {
            row.assessor: Said(row.grade, row.step, row.at)
            for row in opinions
            if row.grade is not None and row.assessor not in left_out
        }
        settled = _fold(rule, [Said(r.grade, r.step, r.at) for r in final if r.grade is not None])
        every = _fold(rule, list(counted.values()))
        view = settled if final else every
        grades = {each.grade for each in counted.values()}
        columns.append((query, document, view, settled, len(grades) > 1 and not final))
        for row in opinions:
            if row.grade is None:
                continue
            mine = Said(row.grade, row.step, row.at)
            if row.assessor in counted:
                others = _fold(rule, [counted[who] for who in counted if who != row.assessor])
                changed = others
            else:
                others = every
                changed = _fold(rule, [*counted.values(), mine])
            voice = parts.setdefault(row.assessor, _Parts([], [], [], [], []))
            voice.places.append(place)
            voice.grades.append(row.grade)
            voice.others.append(others)
            voice.changed.append(view if final else changed)
            voice.times.append((row.step, row.at))
    return _as_sayings(columns, parts)


def _fold(rule: ViewRule, said: Sequence[Said]) -> float:
    if not said:
        return np.nan
    return said[0].grade if len(said) == 1 else rule.fold(said)


def _as_sayings(
    columns: Sequence[tuple[int, int, float, float, bool]], parts: Mapping[int, _Parts]
) -> Sayings:
    table = np.array(columns, np.float64).reshape(-1, 5)
    voices = {
        number: Voice(
            np.array(each.places, np.int64),
            np.array(each.grades, np.float64),
            np.array(each.others, np.float64),
            np.array(each.changed, np.float64),
            np.array(each.times, np.int64).reshape(-1, 2),
        )
        for number, each in parts.items()
    }
    return Sayings(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2],
        table[:, 3],
        table[:, 4] > 0,
        voices,
    )
