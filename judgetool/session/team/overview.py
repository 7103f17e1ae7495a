"""What the Agreement page shows: how alike assessors grade, and what each of them does to the values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.formats.reading import held_collector
from judgetool.metrics import AgreementData, Engine, Measure, compute_agreement
from judgetool.metrics.agreement import (
    LINEAR_KAPPA,
    AgreementBy,
    AgreementErrors,
    AgreementRow,
    MeanDifference,
)
from judgetool.metrics.agreement_sums import JudgedScope
from judgetool.metrics.significance import DECIMALS
from judgetool.metrics.terms import BoolArray, IntArray
from judgetool.session.board import settled_rows
from judgetool.session.commands import Check, IsCancelled, Progress, Work, checker
from judgetool.session.pool import NumberPair
from judgetool.session.session import Session
from judgetool.session.systems import kept_queries
from judgetool.session.team.agreement import (
    REPORTED_AGREEMENT,
    Choices,
    CountedMeans,
    Influence,
    ValuesAsSaid,
    data_of_rows,
    difference_ends,
    influence_of,
    rows_among,
    rule_of_all,
)
from judgetool.session.team.disputes import Sayings, find_disputed, fold_sayings, stake_measure
from judgetool.storage.values import AssessorRow, load_assessors
from judgetool.wording import N_, _

BLOCK = 50
"""Judgments of a point of the drift chart, or a multiple where that were more than ``MOST_BLOCKS``."""
MOST_BLOCKS = 40

_ROW_KINDS = ("human", "import", "model")
_STOPPED = N_("Stopped: agreement is as it was.")


# -- what the page shows


class OrderOfRuns(NamedTuple):
    """How sure the order of runs is, whoever is believed in each query, or the view.

    Attributes:
        measure: by which the runs are ordered.
        n_pairs: pairs of runs.
        n_open: pairs whose order hangs on it; two that are always equal are none.
    """

    measure: str
    n_pairs: int
    n_open: int


class AssessorFacts(NamedTuple):
    """What is said of one assessor.

    Attributes:
        number: the assessor's.
        name: how people call them.
        kind: of assessor.
        counts: whether they enter views.
        n_judged: documents that they graded or could not judge.
        n_graded: by level of the scale, lowest first.
        others: agreement with each of the others' grades of the same documents.
        gives: how much higher they grade than the others' mean of the same documents.
        itself: agreement with what they said the second time; ``None`` where nothing was asked again.
        n_again: documents that they graded a second time.
        n_known: settled documents that they graded.
        n_right: of these as they were settled.
        influence: on the runs; ``None`` where there is no run or measure for it.
    """

    number: int
    name: str
    kind: str
    counts: bool
    n_judged: int
    n_graded: tuple[int, ...]
    others: AgreementRow
    gives: MeanDifference
    itself: AgreementRow | None
    n_again: int
    n_known: int
    n_right: int
    influence: Influence | None


class Overview(NamedTuple):
    """Agreement in a project, as of a moment.

    Attributes:
        figures: of all who count, with intervals.
        n_documents: that at least two of them graded.
        n_queries: of these documents.
        order: ``None`` with less than two runs, two assessors, or a measure that pairs queries.
        assessors: who judged anything, people and imports first; settled and second ones apart.
        n_disputed: documents on which those who count differ, not settled since; of all queries.
        scale: the project's.
        judged: what those who count graded.
        sayings: what was said.
    """

    figures: tuple[AgreementRow, ...]
    n_documents: int
    n_queries: int
    order: OrderOfRuns | None
    assessors: tuple[AssessorFacts, ...]
    n_disputed: int
    scale: Scale
    judged: AgreementData
    sayings: Sayings

    def find(self, name: str) -> AssessorFacts | None:
        """Return what is said of an assessor, or ``None``."""
        return next((each for each in self.assessors if each.name == name), None)


def overview_work(session: Session, where: str = "", measure: str = "") -> Work[Overview]:
    """Return the work of the page's figures, for another thread: ``work(progress, is_cancelled)``.

    Args:
        session: the project; what the work needs of it is taken now.
        where: the queries that it is of, see ``queries_where``; ``""`` for all.
        measure: of the runs; one that is not chosen, or has no values by query, and ``""`` take the
            first that has some.

    Raises:
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    among = kept_queries(session, where)
    material, scale, standing = session.material, session.scale, session.standing
    rule = rule_of_all(session.board.view, scale)
    runs = _Runs.of_session(session, measure)

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> Overview:
        check = checker(progress, is_cancelled, _(_STOPPED))
        with held_collector(), session.second_reader() as reader:
            assessors = load_assessors(reader)
            rows = list(settled_rows(reader, material.place_of))
            check(0, 0)
            # By a person's number that of their second judgments.
            again = {
                each.person_id: each.assessor_id for each in assessors if each.person_id is not None
            }
            disputed = find_disputed(reader, material.place_of, standing)
            have_judged = {row.assessor for row in rows}
            rows = rows_among(rows, among)
            sayings = fold_sayings(rows, rule, standing, again.values(), disputed)
        check(0, 0)
        ids = [query.id for query in material.queries]
        counting = {
            each.assessor_id: each.name
            for each in assessors
            if each.kind in _ROW_KINDS and each.assessor_id not in standing.left_out
        }
        judged = data_of_rows(rows, counting, ids, scale)
        scope = JudgedScope(judged)
        voices = [number for number in counting if number in sayings.voices]
        effects = _Effects(runs, sayings, voices, lambda: check(0, 0), among)
        n_judged = Counter(row.assessor for row in rows)
        facts: list[AssessorFacts] = []
        for each in sorted(assessors, key=lambda each: each.kind == "model"):
            if each.kind in _ROW_KINDS and each.assessor_id in have_judged:
                check(len(facts), len(assessors))
                who = _Who(each, n_judged[each.assessor_id], each.assessor_id in counting)
                facts.append(_facts_of(who, sayings, scale, again, effects))
        return Overview(
            tuple(compute_agreement(judged, REPORTED_AGREEMENT, errors="queries")),
            scope.n_units,
            len(np.unique(scope.query_of)),
            effects.order,
            tuple(facts),
            len(disputed),
            scale,
            judged,
            sayings,
        )

    return work


class _Who(NamedTuple):
    row: AssessorRow
    n_judged: int
    counts: bool


def _facts_of(
    who: _Who, sayings: Sayings, scale: Scale, again: Mapping[int, int], effects: "_Effects"
) -> AssessorFacts:
    """Return what is said of an assessor; of one without a grade nothing but how much they judged."""
    number, second = who.row.assessor_id, again.get(who.row.assessor_id)
    voice = sayings.voice_of(number)
    beside = sayings.beside_others(number)
    itself, n_again = None, 0
    if second is not None and second in sayings.voices and number in sayings.voices:
        twice = sayings.between(number, second, scale.grades)
        itself, n_again = _row_of(twice), len(np.unique(twice.units))
    settled = sayings.settled[voice.places]
    return AssessorFacts(
        number,
        who.row.name,
        who.row.kind,
        who.counts,
        who.n_judged,
        tuple(int(np.count_nonzero(voice.grades == grade)) for grade in scale.grades),
        beside.find_kappa(scale.grades),
        beside.find_difference(),
        itself,
        n_again,
        int(np.count_nonzero(~np.isnan(settled))),
        int(np.count_nonzero(settled == voice.grades)),
        effects.of(number),
    )


def _row_of(two: AgreementData) -> AgreementRow:
    return compute_agreement(two, (LINEAR_KAPPA,), errors="queries")[0]


class _Runs(NamedTuple):
    """The runs of a project, in an engine of their own, by one measure that has values by query."""

    engine: Engine
    keys: tuple[int, ...]
    names: tuple[str, ...]

    @staticmethod
    def of_session(session: Session, preferred: str) -> "_Runs | None":
        """Return the runs of now, for another thread; ``None`` without any, or a measure for them."""
        measure = stake_measure(session, preferred)
        runs = session.material.runs
        if measure is None or not runs:
            return None
        engine = session.board.new_engine((measure,))
        for run in runs:
            engine.add_run(run.run_id, session.material.block(run.run_id))
        return _Runs(engine, tuple(r.run_id for r in runs), tuple(r.name for r in runs))


class _Effects:
    """What whom one believes or counts does to the runs.

    Args:
        runs: ``None`` without any; then it does nothing.
        sayings: what was said.
        counting: numbers of those who count.
        among: the queries that means are over; ``None`` for all.
    """

    def __init__(
        self,
        runs: _Runs | None,
        sayings: Sayings,
        counting: Sequence[int],
        check: Check,
        among: BoolArray | None,
    ) -> None:
        self._runs, self._sayings = runs, sayings
        self._changed: dict[int, CountedMeans] = {}
        self.order: OrderOfRuns | None = None
        if runs is None:
            return
        values = ValuesAsSaid(runs.engine, runs.keys, sayings, among)
        choices = values.choices(counting)
        check()
        every = slice(None)
        self._means = choices.means.part(0, every, 0)
        self._changed = {
            number: choices.without.part(place, every, 0) for place, number in enumerate(counting)
        }
        for number, voice in sayings.voices.items():
            if not voice.counts:
                grades = sayings.view_with(voice.places, voice.changed)
                self._changed[number] = values.means(grades).part(every, 0)
        if len(runs.keys) > 1 and len(counting) > 1:
            self.order = _order_of(choices, runs.engine.measures[0])

    def of(self, number: int) -> Influence | None:
        """Return what counting an assessor, or no longer doing so, changes."""
        if self._runs is None or number not in self._changed:
            return None
        measure = str(self._runs.engine.measures[0])
        return influence_of(measure, self._runs.names, self._means, self._changed[number])


def _order_of(choices: Choices, measure: Measure) -> OrderOfRuns:
    pairs = list(difference_ends(choices, 0, is_sum=measure.spec.pooling == "sum"))
    n_sure = sum(_is_sure(low, high) for _, _, low, high in pairs)
    return OrderOfRuns(str(measure), len(pairs), len(pairs) - n_sure)


def _is_sure(low: float | None, high: float | None) -> bool:
    if low is None or high is None:
        return False
    least, greatest = round(low, DECIMALS), round(high, DECIMALS)
    # Two runs of the same rankings are equal, whoever is believed.
    return least > 0 or greatest < 0 or least == greatest == 0


# -- what is looked at more closely


def scope_rows(overview: Overview, by: AgreementBy) -> list[AgreementRow]:
    """Return the head's measures of each query, two assessors, or level, and last of all of it.

    Those of queries have no intervals: of one query there are only those over documents.
    """
    errors: AgreementErrors | None = None if by == "query" else "queries"
    return compute_agreement(overview.judged, REPORTED_AGREEMENT, by=by, errors=errors)


class Confusion(NamedTuple):
    """How often an assessor gave a grade where another gave each.

    A document on which the others differ is in each column of their grades, once.

    Attributes:
        levels: of rows (the assessor's) and columns (the others'), rising, shape (q,).
        counts: documents, shape (q, q).
        row: of each document and grade of others, shape (n,).
        column: shape (n,).
        pairs: (query, document) of each, in the project's order.
    """

    levels: tuple[float, ...]
    counts: IntArray
    row: IntArray
    column: IntArray
    pairs: tuple[NumberPair, ...]

    def at(self, row: int, column: int) -> list[NumberPair]:
        """Return the (query, document) pairs of a cell."""
        chosen = np.flatnonzero((self.row == row) & (self.column == column))
        return [self.pairs[place] for place in chosen.tolist()]


def confusion_of(overview: Overview, number: int) -> Confusion:
    """Return an assessor's grades against each of the others'; what is no level goes to the nearest."""
    said, levels = overview.sayings, np.array(overview.scale.grades, np.float64)
    voice = said.voice_of(number)
    # Of two levels as near the lower one.
    own, other = (
        np.abs(each[:, None] - levels).argmin(axis=1) for each in (voice.grades, voice.others)
    )
    once = np.unique(np.column_stack((voice.rows, other)), axis=0)
    row, column = own[once[:, 0]], once[:, 1]
    counts = np.zeros((len(levels), len(levels)), np.int64)
    np.add.at(counts, (row, column), 1)
    places = voice.places[once[:, 0]]
    pairs = tuple(zip(said.queries[places].tolist(), said.documents[places].tolist(), strict=True))
    return Confusion(tuple(overview.scale.grades), counts, row, column, pairs)


class DriftBlock(NamedTuple):
    """Agreement with the others over some judgments in the order in which they were made.

    Attributes:
        last: how many were made up to the end of the block, of documents that others graded, too.
        row: the agreement, with its interval.
    """

    last: int
    row: AgreementRow


class Drift(NamedTuple):
    """How agreement with the others went over an assessor's judgments.

    Attributes:
        blocks: first ones first; none without a document that others graded, too.
        size: judgments that a block has at the least.
        is_even: whether none but the last has more. Where many have the same time, as those of an import
            without times, nothing says which of them was made first: they are of one block.
    """

    blocks: tuple[DriftBlock, ...]
    size: int
    is_even: bool

    @property
    def n_judgments(self) -> int:
        """Of all blocks."""
        return self.blocks[-1].last if self.blocks else 0


def drift_of(overview: Overview, number: int) -> Drift:
    """Return agreement with the others by blocks of an assessor's judgments, first ones first.

    Blocks are of :data:`BLOCK` judgments, or of a multiple, and of more where these were made at the same
    time; fewer at the end go with the last block.
    """
    voice = overview.sayings.voice_of(number)
    beside = overview.sayings.beside_others(number)
    times = voice.times[np.unique(voice.rows)]
    order = np.lexsort((times[:, 1], times[:, 0]))
    size = BLOCK * max(1, -(-len(order) // (BLOCK * MOST_BLOCKS)))
    ends = _block_ends(times[order], size)
    blocks = []
    for start, stop in pairwise((0, *ends)):
        part = beside.of_documents(np.sort(order[start:stop]))
        blocks.append(DriftBlock(stop, part.find_kappa(overview.scale.grades)))
    is_even = ends[:-1] == list(range(size, len(order) - size + 1, size))
    return Drift(tuple(blocks), size, is_even)


def _block_ends(times: IntArray, size: int) -> list[int]:
    """Return where blocks of rising times, shape (n, 2), end: between two of the same time none does."""
    found, last = [], 0
    for end in (np.flatnonzero((times[1:] != times[:-1]).any(axis=1)) + 1).tolist():
        if end - last >= size and len(times) - end >= size:
            found.append(end)
            last = end
    return [*found, *([len(times)] if len(times) else [])]
