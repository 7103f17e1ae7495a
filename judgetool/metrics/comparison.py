"""Comparison of runs with a baseline, and of measures by how they order the runs.

And what a test could still say: p over all gradings of the unjudged, and how many queries it needs.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.errors import UsageError
from judgetool.metrics.bounds import ALWAYS, BoundsBlock
from judgetool.metrics.correlation import OrderAgreement, compare_orders
from judgetool.metrics.engine import Engine, ValueTable
from judgetool.metrics.evaluation import Evaluation
from judgetool.metrics.measure import Measure
from judgetool.metrics.significance import (
    DECIMALS,
    DEFAULT_CONFIDENCE,
    DEFAULT_DRAWS,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Check,
    Correction,
    Interval,
    Significance,
    TestName,
    compute_bootstrap_interval,
    compute_differences,
    compute_effect_size,
    compute_equivalence,
    compute_randomization_test,
    compute_sign_test,
    compute_t_test,
    compute_wilcoxon_test,
    correct_p,
    reads_judgments,
    without_noise,
)
from judgetool.metrics.terms import FloatArray
from judgetool.wording import N_, stated, stated_of

Family = Literal["measure", "pair", "table"]


DEFAULT_ALPHA = 0.05


_TEST_TITLES: dict[TestName, str] = {
    "randomization": N_("paired randomization (sign flip) test"),
    "t": N_("Student’s paired t-test"),
    "wilcoxon": N_("Wilcoxon’s signed rank test, queries without a difference left out"),
    "sign": N_("sign test, queries without a difference left out"),
}


_FAMILY_TITLES: dict[Family, str] = {
    "measure": N_("all runs by the same measure"),
    "pair": N_("all measures of the same run"),
    "table": N_("all rows of the table"),
}


_CORRECTION_TITLES: dict[Correction, str] = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": ""}


@dataclass(frozen=True, slots=True)
class ComparisonRules:
    """How runs are compared.

    Attributes:
        test: where p comes from: ``randomization``, ``t``, ``wilcoxon`` or ``sign``.
        n_draws: random draws of the randomization test, from 1; it is exact where there
            are no more ways than that.
        seed: of all chance, from 0; the same seed gives the same figures.
        confidence: of the interval, between 0 and 1.
        n_resamples: of the bootstrap interval, from 1.
        tie_margin: differences up to this are ties, from 0; tests do not look at it.
        correction: for being several: ``holm``, ``bh`` (Benjamini-Hochberg) or ``none``.
        family: which tests are corrected together: ``measure``: all runs by the same
            measure; ``pair``: all measures of the same run; ``table``: all rows.
        alpha: a corrected p below it is called significant, between 0 and 1.
        equivalence: from where on a mean difference matters: one that is shown to lie
            within it is called a tie; 0 where none is.

    Raises:
        UsageError: one is out of its range.
    """

    test: TestName = "randomization"
    n_draws: int = DEFAULT_DRAWS
    seed: int = DEFAULT_SEED
    confidence: float = DEFAULT_CONFIDENCE
    n_resamples: int = DEFAULT_RESAMPLES
    tie_margin: float = 0.0
    correction: Correction = "holm"
    family: Family = "measure"
    alpha: float = DEFAULT_ALPHA
    equivalence: float = 0.0

    def __post_init__(self) -> None:
        if self.test not in _TEST_TITLES:
            raise UsageError(f"test may be one of {', '.join(_TEST_TITLES)}, not {self.test!r}.")
        if self.correction not in _CORRECTION_TITLES or self.family not in _FAMILY_TITLES:
            raise UsageError(
                f"A correction is one of {', '.join(_CORRECTION_TITLES)}, a family one of "
                f"{', '.join(_FAMILY_TITLES)}; found {self.correction!r} and {self.family!r}."
            )
        if not 0.0 < self.alpha < 1.0:
            raise UsageError(f"alpha lies between 0 and 1; found {self.alpha:g}.")
        if self.n_draws < 1 or self.n_resamples < 1 or self.seed < 0:
            raise UsageError("Draws and resamples count from 1, the seed from 0.")
        if not 0.0 < self.confidence < 1.0:
            raise UsageError(f"confidence lies between 0 and 1; found {self.confidence:g}.")
        if not 0.0 <= self.tie_margin < np.inf:
            raise UsageError(f"The tie margin is a number from 0; found {self.tie_margin:g}.")
        if not 0.0 <= self.equivalence < np.inf:
            raise UsageError(f"What counts as a tie is from 0; found {self.equivalence:g}.")

    def describe(self) -> tuple[str, ...]:
        """Return how the figures come about, a sentence each.

        Examples:
            >>> ComparisonRules(test="t").describe()[0]
            'p: Student’s paired t-test, two-sided.'
        """
        said = N_("p: {test}, two-sided.")
        if self.test == "randomization":
            said = N_("p: {test}, two-sided; exact, or {draws} draws with seed {seed}.")
        title = _TEST_TITLES[self.test]
        sentences = [
            stated(said, test=title, draws=f"{self.n_draws:,}", seed=self.seed),
            self.describe_correction(),
            stated(
                "Interval of the difference: {share}% BCa bootstrap, {times} resamples, seed {seed}.",
                share=f"{100 * self.confidence:.0f}",
                times=f"{self.n_resamples:,}",
                seed=self.seed,
            ),
            N_(
                "Effect: Cohen’s d_z, the mean difference in standard deviations of the differences."
            ),
        ]
        if self.tie_margin:
            most = f"{self.tie_margin:g}"
            sentences.append(stated("Differences up to {most} are ties.", most=most))
        if self.equivalence:
            sentences.append(
                stated(
                    "A tie: the same test, one-sided, shows it to be above −{most} and below {most}; "
                    "its p is the greater of the two.",
                    most=f"{self.equivalence:g}",
                )
            )
        return tuple(sentences)

    @property
    def correction_title(self) -> str:
        """Name of the correction for people; empty for none."""
        return _CORRECTION_TITLES[self.correction]

    def describe_correction(self) -> str:
        """Return which tests are corrected together, and how, as a sentence.

        Examples:
            >>> ComparisonRules().describe_correction()
            'p (Holm) is corrected for all runs by the same measure.'
        """
        if self.correction == "none":
            return N_("p is not corrected for being several.")
        return stated(
            "p ({correction}) is corrected for {family}.",
            correction=self.correction_title,
            family=_FAMILY_TITLES[self.family],
        )

    def describe_apart(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the sentence that names runs tested apart; none where nothing is corrected.

        Examples:
            >>> ComparisonRules().describe_apart(["tried"])
            ('Tested apart, so that p of the others does not depend on it: tried.',)
        """
        apart = list(names)
        if not apart or self.correction == "none":
            return ()
        said = stated_of(
            len(apart),
            "Tested apart, so that p of the others does not depend on it: {names}.",
            "Tested apart, so that p of the others does not depend on them: {names}.",
            names=", ".join(apart),
        )
        return (said,)

    def family_of(self, run: str, measure: Measure, *, is_alone: bool) -> Hashable:
        """Return what tests that are corrected together share.

        Args:
            run: the run's name.
            measure: by which it is compared.
            is_alone: whether the run enters no family but its own: what it gives then
                does not depend on it being there.
        """
        own = (run,) if is_alone else ()
        if self.family == "pair":
            return (run,)
        return (measure, *own) if self.family == "measure" else own


def is_tested(measure: Measure) -> bool:
    """Whether a difference by this measure is tested: shares of judged ranks are not."""
    return not measure.spec.counts_judgments


@dataclass(frozen=True, slots=True)
class PairComparison:
    """One run against a baseline by one measure, over the queries that count for both.

    Attributes:
        n_queries: pairs; the other figures are of these alone.
        mean: of the run; ``None`` without a pair.
        baseline_mean: likewise.
        difference: mean minus the baseline's; ``None`` without a pair.
        interval: of the difference; ``None`` with fewer than two pairs.
        significance: of the difference, alone; p = 1 where nothing differs; ``None`` for
            measures that are not tested.
        wins: queries where the run is better by more than the tie margin.
        ties: queries where neither is.
        losses: queries where the baseline is.
        effect: Cohen's d_z; ``None`` where it has no finite value.
        p_tie: of a tie, alone; ``None`` where nobody asked for one, nothing is tested, or
            there is no pair.
    """

    n_queries: int
    mean: float | None
    baseline_mean: float | None
    difference: float | None
    interval: Interval | None
    significance: Significance | None
    wins: int
    ties: int
    losses: int
    effect: float | None
    p_tie: float | None = None

    def without_others(self) -> "PairComparison":
        """Return the figures of these queries alone: nothing that is said of others."""
        return replace(self, interval=None, significance=None, effect=None, p_tie=None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A row of a table of comparisons.

    Attributes:
        run: the run's name.
        baseline: the baseline's name.
        measure: what is compared.
        pair: the figures.
        p: corrected for the family, as the rules say; ``None`` where it is not tested.
        n_tests: how many tests the family has; 0 where it is not tested.
        p_tie: of a tie, corrected likewise; ``None`` where nobody asked for one.
    """

    run: str
    baseline: str
    measure: Measure
    pair: PairComparison
    p: float | None
    n_tests: int
    p_tie: float | None = None


def compare_pair(
    values: npt.ArrayLike,
    baseline: npt.ArrayLike,
    rules: ComparisonRules | None = None,
    *,
    check: Check | None = None,
    has_test: bool = True,
) -> PairComparison:
    """Compare values with a baseline's, query by query.

    Args:
        values: shape (n,), finite; queries that are masked on either side are left out.
        baseline: of the same queries in the same order, shape (n,).
        rules: how; ``None`` for the usual ones.
        check: called again and again; what it raises ends the comparing.
        has_test: whether the difference is tested.

    Raises:
        UsageError: the lengths differ, or a value is not finite.

    Examples:
        >>> found = compare_pair([0.5, 1.0, 0.25], [0.5, 0.5, 0.0])
        >>> found.difference, found.wins, found.ties, found.significance.p
        (0.25, 2, 1, 0.5)
    """
    chosen = rules or ComparisonRules()
    ours, theirs = _paired(values, baseline)
    differences = compute_differences(ours, theirs)
    n = len(differences)
    interval = compute_bootstrap_interval(
        differences,
        confidence=chosen.confidence,
        n_resamples=chosen.n_resamples,
        seed=chosen.seed,
        check=check,
    )
    wins = int(np.count_nonzero(differences > chosen.tie_margin))
    losses = int(np.count_nonzero(differences < -chosen.tie_margin))
    return PairComparison(
        n_queries=n,
        mean=float(ours.mean()) if n else None,
        baseline_mean=float(theirs.mean()) if n else None,
        difference=without_noise(float(differences.mean())) if n else None,
        interval=None if interval is None else Interval(*map(without_noise, interval)),
        significance=run_test(differences, chosen, check) if has_test else None,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        effect=compute_effect_size(differences),
        p_tie=compute_equivalence(
            differences, chosen.equivalence, lambda each: run_test(each, chosen, check)
        )
        if has_test and n and chosen.equivalence
        else None,
    )


def compare_evaluations(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: str,
    rules: ComparisonRules | None = None,
) -> tuple[Comparison, ...]:
    """Compare runs with a baseline, each by all measures of the evaluations.

    Values are paired by query. What counts, counts as in the means: an undefined value
    as 0 or not at all, as the conventions say. Queries count alike whatever their weight.

    Args:
        evaluations: by the run's name, all of the same measures and conventions.
        baseline: name of the run that the others are compared with.
        rules: how; ``None`` for the usual ones.

    Returns:
        A row for each measure and run, the baseline left out.

    Raises:
        UsageError: there is no such baseline, measures or conventions differ, or a
            measure has no values by query.

    Examples:
        >>> from judgetool.metrics import evaluate
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
        >>> first = evaluate(qrels, {"q1": ["a"], "q2": ["b"]}, "RR")
        >>> second = evaluate(qrels, {"q1": ["x", "a"], "q2": ["b"]}, "RR")
        >>> (row,) = compare_evaluations({"one": first, "two": second}, baseline="one")
        >>> row.run, row.pair.difference
        ('two', -0.25)
    """
    _check_baseline(evaluations, baseline)
    start = evaluations[baseline]
    for name, found in evaluations.items():
        if found.measures != start.measures or found.conventions != start.conventions:
            raise UsageError(
                f"{name} and {baseline} were evaluated by different measures or conventions."
            )
    rows = {
        name: {query: row for row, query in enumerate(found.queries)}
        for name, found in evaluations.items()
    }
    shared = [query for query in start.queries if all(query in places for places in rows.values())]
    tables = {
        name: found.engine.counted_values(0)[[rows[name][query] for query in shared]]
        for name, found in evaluations.items()
    }
    return compare_tables(tables, start.measures, baseline=baseline, rules=rules)


def compare_runs(
    engine: Engine,
    run_keys: Mapping[str, int],
    *,
    baseline: str,
    rules: ComparisonRules | None = None,
    alone: Collection[str] = (),
) -> tuple[Comparison, ...]:
    """Compare runs of one engine with a baseline, each by all of the engine's measures.

    Args:
        engine: has the runs.
        run_keys: key in the engine by the run's name.
        baseline: as for :func:`compare_evaluations`, like results and errors.
        rules: how; ``None`` for the usual ones.
        alone: names of runs that enter no family but their own.
    """
    _check_baseline(run_keys, baseline)
    tables = {name: engine.counted_values(key) for name, key in run_keys.items()}
    return compare_tables(tables, engine.measures, baseline=baseline, rules=rules, alone=alone)


def compare_tables(  # noqa: PLR0913 - what a comparison depends on
    tables: Mapping[str, ValueTable],
    measures: Sequence[Measure],
    *,
    baseline: str,
    rules: ComparisonRules | None = None,
    progress: Callable[[int, int], None] | None = None,
    alone: Collection[str] = (),
    untested: Collection[str] = (),
) -> tuple[Comparison, ...]:
    """Compare tables of values with one of them, and correct p by family.

    Args:
        tables: by the run's name, shape (n_queries, n_measures), all of the same queries
            in the same order; masked where a query does not count.
        measures: the columns.
        baseline: a name.
        rules: how; ``None`` for the usual ones.
        progress: told again and again how many pairs of how many are done; what it
            raises ends the comparing.
        alone: names of runs that enter no family but their own.
        untested: names of runs valued by other judgments than the baseline, see
            ``find_valued_apart``: of their differences nothing is said of other queries,
            but where a measure reads no judgments.

    Raises:
        UsageError: there is no such baseline, or a measure has no values by query.
    """
    _check_baseline(tables, baseline)
    check_measures(measures)
    wanted = [
        (column, measure, name)
        for column, measure in enumerate(measures)
        for name in tables
        if name != baseline
    ]
    rows = []
    for n_done, (column, measure, name) in enumerate(wanted):
        check = None if progress is None else partial(progress, n_done, len(wanted))
        if check is not None:
            check()
        ours, theirs = (tables[each][:, column] for each in (name, baseline))
        is_apart = name in untested and reads_judgments(measure)
        has_test = is_tested(measure) and not is_apart
        pair = compare_pair(ours, theirs, rules, check=check, has_test=has_test)
        if is_apart:
            pair = pair.without_others()
        rows.append(Comparison(name, baseline, measure, pair, None, 0))
    return _corrected(rows, rules or ComparisonRules(), alone)


def _corrected(
    rows: Sequence[Comparison], rules: ComparisonRules, alone: Collection[str]
) -> tuple[Comparison, ...]:
    """Return rows with p corrected within each family."""
    families: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        if row.pair.significance is not None:
            family = rules.family_of(row.run, row.measure, is_alone=row.run in alone)
            families.setdefault(family, []).append(place)
    found = list(rows)
    for places in families.values():
        raw = [each.p for place in places if (each := rows[place].pair.significance) is not None]
        for place, p in zip(places, correct_p(raw, rules.correction), strict=True):
            found[place] = replace(rows[place], p=p, n_tests=len(places))
        tied = [place for place in places if rows[place].pair.p_tie is not None]
        ties = [p_tie for place in tied if (p_tie := rows[place].pair.p_tie) is not None]
        for place, p in zip(tied, correct_p(ties, rules.correction), strict=True):
            found[place] = replace(found[place], p_tie=p)
    return tuple(found)


def check_measures(measures: Iterable[Measure]) -> None:
    """Refuse measures that have no values by query to be paired.

    Raises:
        UsageError: one has none; the text names it.
    """
    for measure in measures:
        if not measure.spec.has_query_values:
            raise UsageError(
                f"{measure} is a figure over all queries and has no values to compare query by "
                "query. Compare AP, Bpref or another measure that has."
            )


def _check_baseline(names: Iterable[str], baseline: str) -> None:
    known = list(names)
    if baseline not in known:
        raise UsageError(
            f"There is no run {baseline!r} to compare with; there are: {', '.join(known)}."
        )


def _paired(values: npt.ArrayLike, baseline: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both sides without the queries that either leaves out."""
    ours, theirs = (np.ma.asarray(each, dtype=np.float64) for each in (values, baseline))
    if ours.shape != theirs.shape:
        return ours.filled(0.0), theirs.filled(0.0)
    is_kept = ~(np.ma.getmaskarray(ours) | np.ma.getmaskarray(theirs))
    return ours.data[is_kept], theirs.data[is_kept]


def run_test(
    differences: FloatArray, rules: ComparisonRules, check: Check | None = None
) -> Significance:
    """Return the test that the rules name, of differences by query."""
    if rules.test == "t":
        return compute_t_test(differences)
    if rules.test == "wilcoxon":
        return compute_wilcoxon_test(differences)
    if rules.test == "sign":
        return compute_sign_test(differences)
    return compute_randomization_test(
        differences, n_draws=rules.n_draws, seed=rules.seed, check=check
    )


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """How alike two measures order the runs."""

    first: Measure
    second: Measure
    n_runs: int
    agreement: OrderAgreement


def compare_measure_orders(
    measures: Sequence[Measure], means: Mapping[str, Sequence[float | None]], *, p: float = 0.9
) -> tuple[MeasureAgreement, ...]:
    """Return how alike each two measures order the runs by their means.

    Args:
        measures: the columns.
        means: one per measure by the run's name; ``None`` where there is none.
        p: of RBO, between 0 and 1.

    Returns:
        A row for each two measures that have means of all the runs; empty with fewer
        than three runs, of which any order says little.

    Raises:
        UsageError: p is out of range.
    """
    if len(means) < 3:
        return ()
    columns: dict[Measure, dict[str, float]] = {}
    for column, measure in enumerate(measures):
        found = {name: its[column] for name, its in means.items()}
        known = {name: value for name, value in found.items() if value is not None}
        if len(known) == len(found):
            columns[measure] = known
    return tuple(
        MeasureAgreement(one, two, len(means), compare_orders(columns[one], columns[two], p=p))
        for one, two in combinations(columns, 2)
    )


# What a test could still say

POWER = 0.8
"""How often so many queries would show a difference, if it is as it looks."""
_RANKS_PER_VALUE = 3.0 / math.pi
"""Of differences that are normal Wilcoxon's test gets as much from a query as t from so many."""
_MOST_QUERIES = 1_000_000
_FEWEST_MOVED = 6


class PRange(NamedTuple):
    """From where to where p lies over all gradings of what is unjudged; alone, not corrected.

    Attributes:
        low: least p.
        high: greatest.
        is_exact: whether both are attained; if not, no p lies outside.
    """

    low: float
    high: float
    is_exact: bool


def compute_p_range(
    block: BoundsBlock, rules: ComparisonRules, *, check: Check | None = None
) -> PRange | None:
    """Return p over all gradings of what is unjudged.

    Queries are graded independently, so all may stand at their ends at once. Turned round
    at random in some queries F, a mean above 0 is reached again where the differences of F
    add up to 0 or less: the randomization test's p falls with every single difference while
    their sum is above 0, rises while it is below, and is 1 at 0. The sign test looks at how
    many can be above and below. t falls and rises with the angle between the differences and
    the line on which all are equal: the least is where all are as near to one number as they
    can, the greatest among the ends of the queries.

    Args:
        block: the difference of each query that can count: ends, whether these are attained,
            and whether it counts for all gradings.
        rules: the test, its draws and its seed.
        check: called again and again; what it raises ends the work.

    Returns:
        ``None`` for Wilcoxon's test, which leaves out queries without a difference, so that
        p neither only falls nor only rises with one; and for t where the number of queries
        depends on the gradings.

    References:
        Own derivation; the tests try all gradings of small cases.
    """
    low, high = (np.round(ends, DECIMALS) + 0.0 for ends in (block.low, block.high))
    may_leave = block.defined != ALWAYS
    is_exact = bool(block.is_exact[(low < high) | may_leave].all())
    if rules.test == "wilcoxon" or (rules.test == "t" and may_leave.any()):
        return None
    if rules.test == "t":
        return _range_of_t(low, high, is_exact=is_exact)
    low, high = (
        np.where(may_leave, np.minimum(low, 0.0), low),
        np.where(may_leave, np.maximum(high, 0.0), high),
    )
    if rules.test == "sign":
        return _range_of_signs(low, high, rules, is_exact=is_exact)
    return _range_of_sums(low, high, rules, check, is_exact=is_exact)


def _range_of_sums(
    low: FloatArray,
    high: FloatArray,
    rules: ComparisonRules,
    check: Check | None,
    *,
    is_exact: bool,
) -> PRange:
    least, most = (run_test(ends, rules, check) for ends in (low, high))
    if least.n_draws or most.n_draws:
        # Each p is drawn anew: none is farther off than chance can make it.
        drawn = [_drawn_about(each.p, rules.n_draws) for each in (least, most)]
        least, most = (
            each._replace(p=ends[0]) for each, ends in zip((least, most), drawn, strict=True)
        )
        highest, is_exact = max(ends[1] for ends in drawn), False
    else:
        highest = max(least.p, most.p)
    if least.side == most.side:
        return PRange(min(least.p, most.p), highest, is_exact)
    lowest = min([1.0, *(each.p for each, side in ((least, -1), (most, 1)) if each.side == side)])
    # Between a mean below and one above 0 there need be no grading that makes it 0.
    return PRange(lowest, 1.0, is_exact and 0 in (least.side, most.side))


def _drawn_about(p: float, n_draws: int) -> tuple[float, float]:
    """Return between what p lies that many draws give, but for one time in a million."""
    reach = 5.0 * math.sqrt(p * (1.0 - p) / n_draws)
    return max(0.0, p - reach), min(1.0, p + reach)


def _range_of_signs(
    low: FloatArray, high: FloatArray, rules: ComparisonRules, *, is_exact: bool
) -> PRange:
    can_rise, can_fall = high > 0.0, low < 0.0
    n_up, n_down = int((low > 0.0).sum()), int((high < 0.0).sum())

    def p_of(better: int, worse: int) -> float:
        return run_test(np.repeat((1.0, -1.0), (better, worse)), rules).p

    lowest = min(p_of(int(can_rise.sum()), n_down), p_of(n_up, int(can_fall.sum())))
    # As even as they can be: those that can be either take the side that lacks some.
    free = int((can_rise & can_fall).sum())
    only_up, only_down = int(can_rise.sum()) - n_up - free, int(can_fall.sum()) - n_down - free
    short, spare = (n_down, only_down) if n_up > n_down else (n_up, only_up)
    n_least, n_most = max(n_up, n_down), min(max(n_up, n_down), short + spare + free)
    return PRange(lowest, p_of(n_least, n_most), is_exact)


def _range_of_t(low: FloatArray, high: FloatArray, *, is_exact: bool) -> PRange:
    sum_low, sum_high = float(low.sum()), float(high.sum())
    sides = []
    if sum_high > 0.0:
        sides.append(_nearest_to_equal(low, high))
    if sum_low < 0.0:
        sides.append(_nearest_to_equal(-high, -low))
    lowest = min(((compute_t_test(each).p, is_end) for each, is_end in sides), default=(1.0, True))
    if sum_low > 0.0:
        highest = _farthest_from_equal(low, high)
    elif sum_high < 0.0:
        highest = _farthest_from_equal(-high, -low)
    else:
        highest = 1.0, sum_low == 0.0 or sum_high == 0.0
    return PRange(lowest[0], highest[0], is_exact and lowest[1] and highest[1])


def _nearest_to_equal(low: FloatArray, high: FloatArray) -> tuple[FloatArray, bool]:
    """Return the differences of the greatest t above 0, and whether all stand at their ends.

    They are all as near to one number c as they can; between two ends the best c is where
    the sum of squares is c times the sum.
    """
    ends = np.unique(np.concatenate((low, high)))
    middles = np.concatenate((ends[:1], (ends[1:] + ends[:-1]) / 2.0))

    def held(numbers: FloatArray, power: int) -> FloatArray:
        """Return what those add that stand at an end, for each of some c."""
        above, below = np.sort(low), np.sort(high)
        falling = np.concatenate((np.cumsum((above**power)[::-1])[::-1], [0.0]))
        rising = np.concatenate(([0.0], np.cumsum(below**power)))
        found: FloatArray = (
            falling[np.searchsorted(above, numbers, side="left")]
            + rising[np.searchsorted(below, numbers, side="right")]
        )
        return found

    sums, squares = held(middles, 1), held(middles, 2)
    best = np.divide(squares, sums, out=middles.copy(), where=np.abs(sums) > 0.0)
    before = np.concatenate((ends[:1], ends[:-1]))
    tried = np.unique(np.concatenate((ends, np.clip(best, before, ends))))
    angles = [_angle(np.clip(each, low, high)) for each in tried]
    chosen = np.clip(tried[int(np.argmax(angles))], low, high)
    return chosen, bool(((chosen == low) | (chosen == high)).all())


def _angle(differences: FloatArray) -> float:
    """Return the sum over the root of the sum of squares; 0 where all are 0."""
    size = float(np.sqrt((differences**2).sum()))
    return float(differences.sum()) / size if size > 0.0 else 0.0


def _farthest_from_equal(low: FloatArray, high: FloatArray) -> tuple[float, bool]:
    """Return the greatest p of t where every sum is above 0, and whether it is attained.

    For each sum no squares add up to more than if queries rise from their least to their
    greatest in the order of what that brings.
    """
    order = np.argsort(-(low + high), kind="stable")
    widths = (high - low)[order]
    gains = (high**2 - low**2)[order]
    sums = float(low.sum()) + np.concatenate(([0.0], np.cumsum(widths)))
    squares = float((low**2).sum()) + np.concatenate(([0.0], np.cumsum(gains)))
    at_ends = float((sums**2 / squares).min())
    slopes = (low + high)[order]
    heights = squares[:-1] - slopes * sums[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        turning = -2.0 * heights / slopes
        between = turning**2 / (heights + slopes * turning)
    is_inside = (turning > sums[:-1]) & (turning < sums[1:]) & np.isfinite(between)
    inside = float(between[is_inside].min(initial=np.inf))
    return _p_of_share(min(at_ends, inside) / len(low), len(low)), at_ends <= inside


def _p_of_share(share: float, n: int) -> float:
    """Return p of t where (sum of differences)² is this share of n times the sum of squares."""
    if n < 2:
        return 1.0
    if share >= 1.0:
        return 0.0
    from scipy import stats

    return float(2.0 * stats.t.sf(math.sqrt((n - 1) * share / (1.0 - share)), n - 1))


def count_queries_needed(pair: PairComparison, rules: ComparisonRules, n_tests: int) -> int | None:
    """Return about how many queries would show a difference, four times in five.

    If the further queries are like these: the same mean difference and spread, for the sign
    test the same share of better ones. α is shared among the tests of the family, which is
    enough for each of them under Holm's and Benjamini and Hochberg's correction.

    Args:
        pair: what was found, and does not show a difference.
        rules: the test, its α and its correction.
        n_tests: of the family.

    Returns:
        More than there are; ``None`` where nothing points either way, where only a few
        queries of many differ, as where somebody moved cards of these, or where it would be
        more than a million.

    References:
        Guenther 1981 for t; Noether 1987 for ranks and signs; 3/π is the efficiency of
        Wilcoxon's test for normal differences.
    """
    from statistics import NormalDist  # noqa: PLC0415 - few need it

    n_moved = pair.wins + pair.losses
    if n_moved < _FEWEST_MOVED and n_moved < pair.ties:
        return None
    alpha = rules.alpha / (n_tests if rules.correction != "none" and n_tests > 1 else 1)
    sure, often = NormalDist().inv_cdf(1.0 - alpha / 2.0), NormalDist().inv_cdf(POWER)
    if rules.test == "sign":
        share = max(pair.wins, pair.losses) / n_moved if n_moved else 0.5
        if share <= 0.5:
            return None
        needed = ((sure / 2.0 + often * math.sqrt(share * (1.0 - share))) / (share - 0.5)) ** 2
        needed *= pair.n_queries / n_moved
    else:
        if not pair.effect:
            return None
        needed = ((sure + often) / pair.effect) ** 2 + sure**2 / 2.0
        needed /= _RANKS_PER_VALUE if rules.test == "wilcoxon" else 1.0
    # Where all signs alike are the rarest that there is, p is 2^(1 - n).
    fewest = 1.0 + math.log2(1.0 / alpha) if rules.test != "t" else 2.0
    needed = max(needed, fewest, pair.n_queries + 1.0)
    return math.ceil(needed) if needed <= _MOST_QUERIES else None
