"""What everybody said of each document: what counts with and without each assessor, and what others said."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from judgetool.core.views import Said, ViewRule
from judgetool.metrics import AgreementData
from judgetool.metrics.agreement_beside import BesideOthers
from judgetool.metrics.terms import BoolArray, FloatArray, IntArray
from judgetool.session.judgment_book import Counting, SettledRow

_TWO = "first", "second"
"""What the two are called that :class:`Sayings` sets against each other."""


class Voice(NamedTuple):
    """What one assessor graded, in the project's order of pairs.

    Attributes:
        places: of the pairs in :class:`Sayings`, rising, shape (n,).
        grades: shape (n,).
        rows: places in ``places`` of what others who count graded, too, rising, shape (m,): one
            for each of their grades.
        others: these grades; what was settled is none of them, shape (m,).
        changed: the view's grade without them, or with them where they do not count, shape (n,).
        times: number of the step, and time, of each, shape (n, 2).
        counts: whether they enter the view.
    """

    places: IntArray
    grades: FloatArray
    rows: IntArray
    others: FloatArray
    changed: FloatArray
    times: IntArray
    counts: bool


def silent_voice() -> Voice:
    """Return what somebody without a grade said."""
    none, no_places = np.zeros(0), np.zeros(0, np.int64)
    return Voice(no_places, none, no_places, none, none, np.zeros((0, 2), np.int64), False)


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

    def view_with(self, places: IntArray, grades: FloatArray) -> FloatArray:
        """Return the view with other grades for some pairs, shape (n,)."""
        view = self.view.copy()
        view[places] = grades
        return view

    def beside_others(self, number: int) -> BesideOthers:
        """Return what an assessor graded beside each grade of the others; empty of one without a grade."""
        voice = self.voices.get(number) or silent_voice()
        queries = self.queries[voice.places]
        return BesideOthers.of_columns(queries, voice.grades, voice.rows, voice.others)

    def between(self, number: int, other: int, levels: Sequence[float]) -> AgreementData:
        """Return what two assessors said of pairs that both graded; the first is ``first``."""
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
            _TWO,
            every,
        )


_pair = itemgetter(0, 1)


class _Parts(NamedTuple):
    """A voice while it is gathered."""

    places: list[int]
    grades: list[float]
    rows: list[int]
    others: list[float]
    changed: list[float]
    times: list[tuple[int, int]]


def fold_sayings(
    rows: Iterable[SettledRow], rule: ViewRule, standing: Counting, silent: Iterable[int] = ()
) -> Sayings:
    """Return what was said, folded with and without each assessor.

    Args:
        rows: all settled judgments, in any order.
        rule: how those of several count.
        standing: who counts, and what is settled.
        silent: assessors whose judgments are no opinions: a person's second ones.
    """
    hidden = frozenset(silent)
    left_out, finals = standing.left_out | hidden, standing.final
    columns: list[tuple[int, int, float, float, bool]] = []
    parts: dict[int, _Parts] = {}
    ordered = groupby(sorted(rows, key=_pair), key=_pair)
    for place, ((query, document), group) in enumerate(ordered):
        opinions: list[tuple[int, Said]] = []
        settled: list[tuple[int, Said]] = []
        is_final = False
        for _, _, who, grade, step, at in group:
            is_final |= who in finals
            if grade is not None and who in finals:
                settled.append((who, Said(grade, step, at)))
            elif grade is not None:
                opinions.append((who, Said(grade, step, at)))
        counted = [said for who, said in opinions if who not in left_out]
        every, final = _fold(rule, counted), _fold(rule, [said for _, said in settled])
        view = final if is_final else every
        is_disputed = not is_final and len({said.grade for said in counted}) > 1
        columns.append((query, document, view, final, is_disputed))
        for who, said in (*opinions, *settled):
            others = [each for each in counted if each is not said]
            if who in finals:
                changed = every
            elif is_final:
                changed = view
            else:
                changed = _fold(rule, [*counted, said] if who in left_out else others)
            voice = parts.get(who) or parts.setdefault(who, _Parts([], [], [], [], [], []))
            voice.rows.extend([len(voice.places)] * len(others))
            voice.others.extend(each.grade for each in others)
            voice.places.append(place)
            voice.grades.append(said.grade)
            voice.changed.append(changed)
            voice.times.append((said.step, said.at))
    return _as_sayings(columns, parts, left_out)


def _fold(rule: ViewRule, said: Sequence[Said]) -> float:
    if not said:
        return np.nan
    return said[0].grade if len(said) == 1 else rule.fold(said)


def _as_sayings(
    columns: Sequence[tuple[int, int, float, float, bool]],
    parts: Mapping[int, _Parts],
    left_out: Collection[int],
) -> Sayings:
    table = np.array(columns, np.float64).reshape(-1, 5)
    voices = {
        number: Voice(
            np.array(each.places, np.int64),
            np.array(each.grades, np.float64),
            np.array(each.rows, np.int64),
            np.array(each.others, np.float64),
            np.array(each.changed, np.float64),
            np.array(each.times, np.int64).reshape(-1, 2),
            number not in left_out,
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
