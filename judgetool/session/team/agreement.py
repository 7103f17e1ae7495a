"""Who judged what in a project: for agreement between its assessors and with a model, and what whom one believes changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from judgetool.core.judgments import DEFAULT_VIEW, ViewRule, check_assessor, view_rule
from judgetool.core.number_text import count_noun, format_count
from judgetool.core.scale import Scale
from judgetool.errors import InputError
from judgetool.metrics import AgreementData, Engine, Measure, compute_agreement
from judgetool.metrics.agreement import AgreementMeasure, AgreementRow, parse_agreement_measure
from judgetool.metrics.agreement_sums import JudgedScope
from judgetool.metrics.comparison import check_measures
from judgetool.metrics.significance import DECIMALS, DEFAULT_SEED
from judgetool.metrics.terms import BoolArray, FloatArray, IntArray
from judgetool.session.board import (
    COUNTS_KEY,
    ONLY_MINE,
    SettledRow,
    counts_of,
    does_count,
    settled_rows,
)
from judgetool.session.commands import Changed, SetValues
from judgetool.session.session import Session
from judgetool.session.team.disputes import Sayings, find_disputed, fold_sayings
from judgetool.storage.connection import Connection
from judgetool.storage.material import load_assessor_names
from judgetool.storage.values import AssessorRow, load_assessors, load_names
from judgetool.wording import _

REPORTED_AGREEMENT: tuple[AgreementMeasure, ...] = tuple(
    map(
        parse_agreement_measure,
        ("kappa(weights='linear')", "alpha(level='ordinal')", "AC1", "overlap"),
    )
)
"""What reports, side files and the agreement view say."""

_MOST_COUNTS = 8

N_DRAWS = 1000
"""Seeded draws of whom to believe in each query, for orders of runs."""


def counting_assessors(session: Session, reader: Connection | None = None) -> list[str]:
    """Return the names of those who count where nobody is named, settled apart; first known first.

    Args:
        session: the project.
        reader: a connection of the calling thread; ``None`` on the session's.
    """
    counts = counts_of(session.values(COUNTS_KEY))
    return [
        each.name
        for each in load_assessors(reader or session.reader)
        if each.kind != "settled" and does_count(each, counts)
    ]


def set_counts(session: Session, wanted: Mapping[str, bool]) -> Changed | None:
    """Have assessors enter views or not; one step, one undo.

    Args:
        session: the project.
        wanted: whether their judgments count, in every view but their own, by name.

    Returns:
        What listeners were told; ``None`` where it is so already.

    Raises:
        InputError: nobody here is called so.
    """
    present = counts_of(session.values(COUNTS_KEY))
    known = {each.name: each for each in list_judges(session)}
    for name in wanted:
        check_assessor(name, known, session.path.name)
    turned = {
        name: does for name, does in wanted.items() if does_count(known[name], present) != does
    }
    if not turned:
        return None
    kept = {name: does for name, does in present.items() if name not in turned}
    others = {name: does for name, does in turned.items() if does_count(known[name], {}) != does}
    verbs = ("Leave out {}’s judgments", "Count {}’s judgments")
    titles = [verbs[does].format(name) for name, does in turned.items()]
    title = (
        titles[0]
        if len(titles) == 1
        else f"Choose whether {count_noun(len(titles), 'assessor')} count"
    )
    return session.execute(SetValues({COUNTS_KEY: {**kept, **others} or None}, title))


def list_judges(session: Session) -> list[AssessorRow]:
    """Return those of whom can be said whether they count: all but somebody's second look.

    Of whom only an import knew that was never finished is nothing to be said.
    """
    known = load_assessor_names(session.reader)
    return [each for each in load_assessors(session.reader) if each.assessor_id in known]


def agreement_data(
    session: Session,
    names: Sequence[str],
    scale: Scale,
    reader: Connection | None = None,
    *,
    among: BoolArray | None = None,
) -> AgreementData:
    """Return what some assessors graded; 'cannot judge' and skipped do not count.

    Args:
        session: the project.
        names: whose judgments.
        scale: which levels there are, and from which grade on documents count as relevant.
        reader: a connection of the calling thread; ``None`` on the session's.
        among: the queries that it is of, shape (n_queries,); ``None`` for all.

    Returns:
        Queries in the project's order; no rows where nobody graded anything.
    """
    reader = reader or session.reader
    rows = rows_among(settled_rows(reader, session.material.place_of), among)
    wanted = {number: name for number, name in load_names(reader).items() if name in set(names)}
    ids = [query.id for query in session.material.queries]
    return data_of_rows(rows, wanted, ids, scale)


def rows_among(rows: Iterable[SettledRow], among: BoolArray | None) -> list[SettledRow]:
    """Return the rows of some queries, shape (n_queries,); ``None`` for all."""
    return [row for row in rows if among is None or among[row.query]]


def data_of_rows(
    rows: Iterable[SettledRow],
    names: Mapping[int, str],
    query_ids: Sequence[str],
    scale: Scale,
) -> AgreementData:
    """Return what the assessors with these numbers graded; see :func:`agreement_data`."""
    kept = sorted(
        (row for row in rows if row.grade is not None and row.assessor in names),
        key=lambda row: row.query,
    )
    return AgreementData.of_columns(
        [query_ids[row.query] for row in kept],
        [row.document for row in kept],
        [names[row.assessor] for row in kept],
        [row.grade for row in kept if row.grade is not None],
        levels=scale.grades,
        relevant_from=scale.relevant_from,
    )


class AgreementSummary(NamedTuple):
    """How alike those who count graded, in a few numbers; nobody is named.

    Attributes:
        rows: a measure each, with the ends of its interval.
        n_documents: documents of queries that two or more graded.
        n_queries: queries with such a document.
        graded: how many each of them graded, most first.
        shared: of these, in the same order, how many somebody else graded, too.
    """

    rows: tuple[AgreementRow, ...]
    n_documents: int
    n_queries: int
    graded: tuple[int, ...]
    shared: tuple[int, ...]

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values."""
        return {
            "documents": self.n_documents,
            "queries": self.n_queries,
            "assessors": len(self.graded),
            "graded": self.graded,
            "graded_by_others_too": self.shared,
            "measures": [{**row._asdict(), "measure": str(row.measure)} for row in self.rows],
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who judged how much, and what the intervals are over."""
        documents = count_noun(self.n_documents, "document")
        queries = count_noun(self.n_queries, "query")
        common = f"{_each(self.shared)} of these in common with others"
        return (
            f"Over {documents} of {queries} that at least two graded.",
            f"{len(self.graded)} assessors graded {_each(self.graded)} documents, {common}.",
            "Intervals (95 %) are of other queries like these.",
        )


def _each(counts: Sequence[int]) -> str:
    if len(counts) > _MOST_COUNTS:
        return f"{format_count(min(counts))} to {format_count(max(counts))}"
    *first, last = map(format_count, counts)
    return f"{', '.join(first)} and {last}"


def summarize_agreement(data: AgreementData) -> AgreementSummary | None:
    """Return how alike assessors graded; ``None`` where no document was graded by two."""
    shared = JudgedScope(data)
    if not shared.n_units:
        return None
    n_names = len(data.names)
    graded = np.bincount(data.assessors, minlength=n_names)
    both = np.bincount(shared.data.assessors, minlength=n_names)
    order = sorted(np.flatnonzero(graded), key=lambda who: (-graded[who], -both[who]))
    return AgreementSummary(
        tuple(compute_agreement(data, REPORTED_AGREEMENT, errors="queries")),
        shared.n_units,
        len(np.unique(shared.query_of)),
        tuple(int(graded[who]) for who in order),
        tuple(int(both[who]) for who in order),
    )


class EffectRow(NamedTuple):
    """What the choice of whom to believe does to a value.

    Attributes:
        measure: as it is printed.
        scope: ``run:NAME``, ``run:NAME only:WHO``, ``run:NAME without:WHO``,
            ``without:WHO run:NAME`` of the run that changes most, ``without:WHO``, ``diff:A|B``, ``orders``.
        value: in the view, or with one assessor believed or left out; a change of it, or how many
            pairs of runs turn round; of orders the mean τ.
        least: over all choices of an assessor, or the view, for each query; ``None``: not known.
        greatest: likewise.
        has_ends: whether there are a least and a greatest value; not where the choice is made.
        n_queries: that the mean is over, where it is that of a run.
    """

    measure: str
    scope: str
    value: float | None
    least: float | None = None
    greatest: float | None = None
    has_ends: bool = True
    n_queries: int | None = None


class CountedMeans(NamedTuple):
    """Means, and over how many queries each of them is.

    Attributes:
        values: NaN for none, of any shape.
        n_queries: of the same shape.
    """

    values: FloatArray
    n_queries: IntArray

    def part(self, *place: int | slice) -> "CountedMeans":
        """Return what stands in a place of both."""
        return CountedMeans(self.values[place], self.n_queries[place])

    @staticmethod
    def stacked(parts: "Sequence[CountedMeans]") -> "CountedMeans":
        """Return means of equal shape as one, a further dimension first."""
        values, n_queries = zip(*parts, strict=True) if parts else ((), ())
        return CountedMeans(np.array(values), np.array(n_queries))


class Choices(NamedTuple):
    """Values by whom one believes, NaN where a query is not counted.

    Attributes:
        values: shape (1 + assessors, runs, queries, measures); first those of the view.
        means: of these, shape (1 + assessors, runs, measures).
        without: means without each assessor, shape (assessors, runs, measures).
        may: whom one may draw to be believed in each query, shape (1 + assessors, queries); the view
            only where nobody graded anything.
        weights: of the queries in means, shape (queries,).
    """

    values: FloatArray
    means: CountedMeans
    without: CountedMeans
    may: BoolArray
    weights: FloatArray


def compute_effect(
    session: Session,
    names: Sequence[str],
    measures: Sequence[Measure],
    *,
    scale: Scale | None,
    among: BoolArray | None = None,
) -> list[EffectRow]:
    """Return what believing one assessor or another does to means, differences and orders of runs.

    For each query one of those who graded something in it is believed, and what they did not grade,
    or what was settled, keeps the view's grade; or the view itself, which may take from several of
    them. Queries do not depend on each other, so that the least and greatest mean over all choices
    are the means of the least and the greatest values, exactly.

    Args:
        session: a project with a run; nothing in it is changed. Its view is the one that is meant; where
            that is one's own judgments alone, the usual one.
        names: assessors who may be believed; who graded nothing has no row.
        measures: with values by query.
        scale: how grades are read; ``None`` for the project's.
        among: the queries that means are over, shape (n_queries,); ``None`` for all.

    Raises:
        InputError: there is no run.
        UsageError: a measure has no values by query.
    """
    check_measures(measures)
    runs = [(run.run_id, run.name) for run in session.material.runs]
    if not runs:
        raise InputError(
            _("{project} has no run yet. Bring one in with ‘judgetool import --run’.").format(
                project=session.path.name
            )
        )
    keys = [key for key, _ in runs]
    # Not as files number them: those of the same content say the same.
    names = sorted(names)
    choices = _choices(session, names, keys, measures, scale or session.scale, among)
    titles = [name for _, name in runs]
    return [
        row
        for column, measure in enumerate(measures)
        for row in _effect_rows(choices, titles, names, column, measure)
    ]


def _choices(
    session: Session,
    names: Sequence[str],
    keys: Sequence[int],
    measures: Sequence[Measure],
    scale: Scale,
    among: BoolArray | None,
) -> Choices:
    """Compute the values of each choice by an engine of its own."""
    engine = session.board.new_engine(measures)
    engine.set_scale(scale)
    for key in keys:
        engine.add_run(key, session.material.block(key))
    reader, place_of, standing = session.reader, session.material.place_of, session.standing
    rows = settled_rows(reader, place_of)
    disputed = find_disputed(reader, place_of, standing)
    # By their own name: a person's second judgments go by theirs elsewhere.
    numbers = {each.name: each.assessor_id for each in load_assessors(reader)}
    named = [numbers.get(name, 0) for name in names]
    rule = rule_of_all(session.board.view, scale)
    sayings = fold_sayings(rows, rule, standing, disputed=disputed)
    return ValuesAsSaid(engine, keys, sayings, among).choices(named)


def rule_of_all(view: str, scale: Scale) -> ViewRule:
    """Return the rule of a view, or the usual one where one's own judgments alone are looked at."""
    return view_rule(DEFAULT_VIEW if view == ONLY_MINE else view, scale)


class ValuesAsSaid:
    """Values of runs by what counts of what was said, by an engine of its own.

    Args:
        engine: with the runs; its judgments are replaced.
        keys: of the runs.
        sayings: what was said.
        among: the queries that means are over, shape (n_queries,); ``None`` for all.
    """

    def __init__(
        self,
        engine: Engine,
        keys: Sequence[int],
        sayings: Sayings,
        among: BoolArray | None = None,
    ) -> None:
        self._engine, self._keys, self._sayings, self._among = engine, keys, sayings, among

    def _judge(self, grades: FloatArray) -> None:
        said, known = self._sayings, ~np.isnan(grades)
        queries, documents = (
            each[known].astype(np.int32) for each in (said.queries, said.documents)
        )
        self._engine.set_judgments(queries, documents, grades[known])

    def means(self, grades: FloatArray) -> CountedMeans:
        """Return the means when these grades count, shape (runs, measures)."""
        self._judge(grades)
        return self._means()

    def _means(self) -> CountedMeans:
        among = np.ones(self._engine.n_queries, np.bool_) if self._among is None else self._among
        means = [self._engine.means_of_part(key, among) for key in self._keys]
        return CountedMeans(
            np.array([[mean.value for mean in of_run] for of_run in means], np.float64),
            np.array([[mean.n_queries for mean in of_run] for of_run in means], np.int64),
        )

    def _values(self) -> FloatArray:
        """Return what enters the means, shape (runs, queries, measures)."""
        return np.array([self._engine.counted_values(key).filled(np.nan) for key in self._keys])

    def choices(self, numbers: Sequence[int]) -> Choices:
        """Return the values when one or another of some assessors is believed, or left out."""
        said, n_queries = self._sayings, self._engine.n_queries
        self._judge(said.view)
        found, averages, without = [self._values()], [self._means()], []
        may = [np.ones(n_queries, np.bool_)]
        for number in numbers:
            voice = said.voice_of(number)
            # Who is named is believed also where the view leaves them out.
            self._judge(said.believing(voice))
            found.append(self._values())
            averages.append(self._means())
            left = voice.changed if voice.counts else said.view[voice.places]
            without.append(self.means(said.view_with(voice.places, left)))
            may.append(np.isin(np.arange(n_queries), said.queries[voice.places]))
        may[0] = ~np.any(may[1:], axis=0)
        if self._among is not None:
            may = [each & self._among for each in may]
        means, weights = CountedMeans.stacked(averages), self._engine.mean_weights
        return Choices(
            np.array(found), means, CountedMeans.stacked(without), np.array(may), weights
        )


def _effect_rows(
    choices: Choices, runs: Sequence[str], names: Sequence[str], column: int, measure: Measure
) -> Iterator[EffectRow]:
    text = str(measure)
    every = slice(None)
    values, means = choices.values[..., column], choices.means.part(every, every, column)
    is_sum = measure.spec.pooling == "sum"
    weights = np.ones_like(choices.weights) if is_sum else choices.weights

    for run, name in enumerate(runs):
        ends = _ends(choices, values[:, run], is_sum=is_sum)
        yield _mean_row(text, f"run:{name}", means.part(0, run), *ends)
        for place, who in enumerate(names):
            if not choices.may[place + 1].any():
                # Who has judged nothing, such as a lead, changes nothing.
                continue
            alone, left = means.part(place + 1, run), choices.without.part(place, run, column)
            yield _mean_row(text, f"run:{name} only:{who}", alone)
            yield _mean_row(text, f"run:{name} without:{who}", left)
    for place, who in enumerate(names):
        if choices.may[place + 1].any():
            told = influence_of(
                text, runs, means.part(0), choices.without.part(place, every, column)
            )
            scope = f"without:{who}"
            most = f"{scope} run:{told.run}" if told.run else scope
            yield EffectRow(f"change({text})", most, told.change, has_ends=False)
            if len(runs) > 1:
                yield EffectRow(f"turned({text})", scope, told.n_turned, has_ends=False)
    for first, second, low, high in difference_ends(choices, column, is_sum=is_sum):
        scope = f"diff:{runs[first]}|{runs[second]}"
        value = _known(means.values[0, first] - means.values[0, second])
        yield EffectRow(text, scope, value, low, high)
    if len(runs) > 1:
        yield EffectRow(f"tau({text})", "orders", *_orders(choices, column, weights))


def _mean_row(measure: str, scope: str, mean: CountedMeans, *ends: float | None) -> EffectRow:
    """Return the row of one mean; with ends where whom one believes is open."""
    low, high = ends or (None, None)
    value = _known(float(mean.values))
    return EffectRow(measure, scope, value, low, high, bool(ends), int(mean.n_queries))


class Influence(NamedTuple):
    """What leaving an assessor out does to the runs, or counting one who does not.

    Attributes:
        measure: of the means.
        run: the one whose mean changes most; ``""`` where none has a mean both ways.
        change: of that mean; ``None`` likewise.
        n_turned: pairs of runs of which the other leads then, of those with means both ways;
            ``None`` where there are pairs, and none of them has.
        is_same: whether none of these turns, becomes equal, or is so no longer.
        n_queries: that the mean is over then: those that only they judged drop out, or come in.
        n_usual: that it is over in the view.
        has_mean: whether any run has a mean then.
    """

    measure: str
    run: str
    change: float | None
    n_turned: int | None
    is_same: bool
    n_queries: int = 0
    n_usual: int = 0
    has_mean: bool = True


def influence_of(
    measure: str, runs: Sequence[str], before: CountedMeans, after: CountedMeans
) -> Influence:
    """Return what becomes of the runs' means, shape (n_runs,)."""
    change = after.values - before.values
    order = _compare_orders(before.values, after.values)
    if np.isnan(change).all():
        has_mean = not bool(np.isnan(after.values).all())
        return Influence(measure, "", None, *order, has_mean=has_mean)
    most = int(np.nanargmax(np.abs(change)))
    counted = int(after.n_queries[most]), int(before.n_queries[most])
    return Influence(measure, runs[most], float(change[most]), *order, *counted)


def _compare_orders(before: FloatArray, after: FloatArray) -> tuple[int | None, bool]:
    """Return of how many pairs of runs the other leads, and whether the order of all is the same.

    A pair that becomes equal, or is so no longer, does not turn. ``None`` where no pair has means both ways.
    """
    moved = np.abs(_signs(after) - _signs(before))
    is_known = ~np.isnan(moved)
    if len(moved) and not is_known.any():
        return None, False
    return int(np.count_nonzero(moved == 2)), not moved[is_known].any()


def _signs(means: FloatArray) -> FloatArray:
    """Return which of each two runs leads; NaN where one has no mean."""
    first, second = np.triu_indices(len(means), 1)
    return np.sign(np.round(means[first] - means[second], DECIMALS))


def difference_ends(
    choices: Choices, column: int, *, is_sum: bool
) -> Iterator[tuple[int, int, float | None, float | None]]:
    """Yield each two runs, with the least and the greatest difference of their means by a measure."""
    values = choices.values[..., column]
    for first, second in combinations(range(values.shape[1]), 2):
        one, other = values[:, first], values[:, second]
        is_same = bool((np.isnan(one) == np.isnan(other)).all())
        # Where the runs' means are over different queries no query has a part in both.
        apart = _ends(choices, one - other, is_sum=is_sum) if is_same else (None, None)
        yield first, second, *apart


def _ends(
    choices: Choices, values: FloatArray, *, is_sum: bool
) -> tuple[float | None, float | None]:
    """Return the least and the greatest mean of values by choice and query, the view one of the choices.

    It may take from several people within one query, and be none of the others.
    """
    may = choices.may.copy()
    may[0] = may.any(axis=0)
    weights = np.ones_like(choices.weights) if is_sum else choices.weights
    least, greatest = (least_mean(values, may, weights, sign, is_sum=is_sum) for sign in (1, -1))
    return least, greatest


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def least_mean(
    values: FloatArray, may: BoolArray, weights: FloatArray, sign: int, *, is_sum: bool
) -> float | None:
    """Return the least mean over all choices, or with sign −1 the greatest; ``None`` without a query.

    A query that some choice leaves out of the mean is in it where that makes the mean less.
    """
    signed = np.where(may, sign * values, np.inf)
    may_miss = (np.isnan(signed)).any(axis=0)
    best = np.where(np.isnan(signed), np.inf, signed).min(axis=0)
    is_there = np.isfinite(best)
    sure = is_there & ~may_miss
    total, weight = float((best * weights)[sure].sum()), float(weights[sure].sum())
    optional = np.flatnonzero(is_there & may_miss)
    for query in optional[np.argsort(best[optional])].tolist():
        if (best[query] >= 0) if is_sum else (weight > 0 and best[query] * weight >= total):
            break
        total, weight = total + float(best[query] * weights[query]), weight + float(weights[query])
    if weight == 0:
        return 0.0 if is_sum and len(values) else None
    # Adding 0 leaves no −0.
    return sign * (total if is_sum else total / weight) + 0.0


def _orders(
    choices: Choices, column: int, weights: FloatArray
) -> tuple[float | None, float | None, float | None]:
    """Return τ-b of the view's order with those of seeded draws: mean, least, greatest."""
    random = np.random.default_rng(DEFAULT_SEED)
    n_queries = choices.may.shape[1]
    # The k-th of those whom one may believe, for each draw and query.
    places = (random.random((N_DRAWS, n_queries)) * choices.may.sum(axis=0)).astype(np.int64)
    believed = np.argsort(~choices.may, axis=0, kind="stable")[places, np.arange(n_queries)]
    drawn = []
    for run in range(choices.values.shape[1]):
        values = choices.values[:, run, :, column][believed, np.arange(n_queries)]
        counts = np.where(np.isnan(values), 0.0, weights)
        totals = counts.sum(axis=1)
        sums = (np.nan_to_num(values) * counts).sum(axis=1)
        drawn.append(np.divide(sums, totals, out=np.full(N_DRAWS, np.nan), where=totals > 0))
    pairs = list(combinations(range(len(drawn)), 2))
    means = np.vstack([choices.means.values[0, :, column], np.array(drawn).T])
    signs = np.array([np.sign(np.round(means[:, a] - means[:, b], DECIMALS)) for a, b in pairs]).T
    # Where two runs are equal, τ-b; where all are, there is no order.
    apart = np.sqrt((signs**2).sum(axis=1) * (signs[0] ** 2).sum())
    taus = (signs @ signs[0])[1:] / np.where(apart > 0, apart, np.nan)[1:]
    known = taus[~np.isnan(taus)]
    if not len(known):
        return None, None, None
    return float(known.mean()), float(known.min()), float(known.max())
