"""Stakes: how far each unjudged document alone can move a value, or turn a comparison.

The document with the highest stake is the most useful one to judge next. All other
unjudged documents stay as the policy has them: as non-relevant, or left out.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_pair import RankingPair
from judgetool.metrics.bounds_points import compute_value
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades
from judgetool.metrics.stakes_table import value_table

PlaceArray = npt.NDArray[np.intp]

# Values nearer than this are the same: sums differ in their last digits.
SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What each unjudged document of a ranking can do to a value.

    Attributes:
        ranks: rank of each unjudged document, from 1, rising, shape (m,).
        low: least value over its own grades, shape (m,).
        high: greatest value over its own grades, shape (m,).
        missing: stake of an unjudged document of the pool that the ranking lacks.
    """

    ranks: PlaceArray
    low: FloatArray
    high: FloatArray
    missing: float

    @property
    def widths(self) -> FloatArray:
        """How far each can move the value, 0 or more, shape (m,)."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class SignStakes:
    """What each unjudged document can do to the difference of two rankings.

    Attributes:
        documents: place of each unjudged document among those of the pair, shape (m,).
        low: least difference over its own grades, shape (m,).
        high: greatest difference, shape (m,).
        can_change_sign: whether some grade of it makes the better ranking the worse, or
            makes or breaks a tie, shape (m,).
        difference: as judged so far.
    """

    documents: PlaceArray
    low: FloatArray
    high: FloatArray
    can_change_sign: BoolArray
    difference: float

    @property
    def widths(self) -> FloatArray:
        """How far each can move the difference, shape (m,)."""
        return self.high - self.low


def compute_stakes(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> Stakes:
    """Return what each unjudged document of a ranking can do to the value.

    Args:
        measure: any of the table; undefined values count as 0.
        grades: of the query.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: the policy for all others: left out of the ranking (condensed
            list) rather than not relevant.
        wanted: at which ranks documents are looked at, shape (n,); ``None`` for all.

    Returns:
        One entry per unjudged document of the ranking; empty arrays if there is none.
    """
    table = value_table(measure, grades, scale, wanted, is_condensed=leave_out_unjudged)
    return Stakes(
        ranks=table.places + 1,
        low=table.values.min(axis=1),
        high=table.values.max(axis=1),
        missing=float(table.missing.max() - table.missing.min()),
    )


def compute_sign_stakes(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> SignStakes:
    """Return what each unjudged document of two rankings can do to first − second.

    Args:
        measure: any of the table; undefined values count as 0.
        pair: two rankings of one query; its unjudged documents that neither ranking
            holds have their stake as well.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: as in :func:`compute_stakes`.
        wanted: which documents of the pair are looked at, shape (D,); ``None`` for all.
    """
    documents, values = compute_difference_table(
        measure, pair, scale, leave_out_unjudged=leave_out_unjudged, wanted=wanted
    )
    first, second = (
        compute_value(measure, side, scale, leave_out_unjudged=leave_out_unjudged) or 0.0
        for side in pair.query_grades()
    )
    now = np.array(first - second)
    return SignStakes(
        documents=documents,
        low=values.min(axis=1),
        high=values.max(axis=1),
        can_change_sign=(_signs(values) != _signs(now)).any(axis=1),
        difference=first - second,
    )


def compute_difference_table(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> tuple[PlaceArray, FloatArray]:
    """Return first − second for every level of every unjudged document; see :func:`compute_sign_stakes`.

    Returns:
        The documents' places among those of the pair, shape (m,), and the differences,
        shape (m, levels); measures that are linear in a worth have the two ends alone.
    """
    is_wanted = pair.is_open if wanted is None else pair.is_open & wanted
    documents = np.flatnonzero(is_wanted)
    sides = []
    for ranking, grades in zip((pair.first, pair.second), pair.query_grades(), strict=True):
        here = is_wanted[ranking]
        table = value_table(measure, grades, scale, here, is_condensed=leave_out_unjudged)
        by_document = np.tile(table.missing, (len(pair.grades), 1))
        by_document[ranking[table.places]] = table.values
        sides.append(by_document[documents])
    return documents, sides[0] - sides[1]


def _signs(values: FloatArray) -> FloatArray:
    signs: FloatArray = np.sign(np.where(np.abs(values) < SAME, 0.0, values))
    return signs
