"""Comparison of runs with a baseline, and of measures by how they order the runs.

How alike two orders are, of documents or of systems, is said by correlations, and of rankings by
rank-biased overlap, too.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.errors import UsageError
from judgetool.metrics.engine import Engine, ValueTable
from judgetool.metrics.evaluation import Evaluation
from judgetool.metrics.measure import Measure
from judgetool.metrics.measures_rows import extrapolated_overlap, rank_weighted
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
    by_weight,
    compute_bootstrap_interval,
    compute_differences,
    compute_effect_size,
    compute_equivalence,
    compute_randomization_test,
    compute_sign_test,
    compute_t_test,
    compute_wilcoxon_test,
    correct_p,
    mean_of,
    reads_judgments,
    without_noise,
)
from judgetool.metrics.terms import FloatArray, IntArray
from judgetool.metrics.values import addable, unlike
from judgetool.wording import N_, AsIs, stated, stated_of

Family = Literal["measure", "pair", "table"]


DEFAULT_ALPHA = 0.05


_TEST_TITLES: dict[TestName, str] = {
    "randomization": N_("paired randomization (sign flip) test"),
    "t": N_("Student’s paired t-test"),
    "wilcoxon": N_("Wilcoxon’s signed rank test, queries without a difference left out"),
    "sign": N_("sign test, queries without a difference left out"),
}


TESTS_OF_MEANS: tuple[TestName, ...] = ("randomization", "t")
"""Those that say where a mean lies: signs and ranks tell of a middle, which may be near 0 where it is not."""


_OF_WEIGHTED_MEANS = {
    True: N_("Differences, their intervals, effects and p are of the weighted means."),
    False: N_(
        "Differences, their intervals and effects are of the weighted means; for p each query counts "
        "alike, as this test is not one of means."
    ),
}
"""What figures beside weighted means are of, by whether the test is one of means."""


_FAMILY_TITLES: dict[Family, str] = {
    "measure": N_("all runs by the same measure"),
    "pair": N_("all measures of the same run"),
    "table": N_("all rows of the table"),
}


_CORRECTION_TITLES: dict[Correction, str] = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": ""}


RULE_NAMES = ("test", "n_draws", "seed", "correction", "family", "alpha", "equivalence")
"""The fields of ``ComparisonRules`` that people choose; the others stay as they are."""


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
            within it is called a tie, if the test is one of means; 0 where none is.

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
        counts = (self.n_draws, self.n_resamples, self.seed)
        is_whole = all(isinstance(each, int | np.integer) for each in counts)
        if not is_whole or self.n_draws < 1 or self.n_resamples < 1 or self.seed < 0:
            raise UsageError("Draws and resamples are whole numbers from 1, the seed from 0.")
        if not 0.0 < self.confidence < 1.0:
            raise UsageError(f"confidence lies between 0 and 1; found {self.confidence:g}.")
        if not 0.0 <= self.tie_margin < np.inf:
            raise UsageError(f"The tie margin is a number from 0; found {self.tie_margin:g}.")
        if not 0.0 <= self.equivalence < np.inf:
            raise UsageError(f"What counts as a tie is from 0; found {self.equivalence:g}.")

    def describe(self, *, is_weighted: bool = False) -> tuple[str, ...]:
        """Return how the figures come about, a sentence each.

        Args:
            is_weighted: whether queries count unlike each other in the means.

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
            *self.describe_size(),
        ]
        if is_weighted:
            sentences.append(_OF_WEIGHTED_MEANS[self.test in TESTS_OF_MEANS])
        if self.tie_margin:
            most = f"{self.tie_margin:g}"
            sentences.append(stated("Differences up to {most} are ties.", most=most))
        if self.equivalence:
            sentences.append(self._describe_tie())
        return tuple(sentences)

    def describe_size(self) -> tuple[str, str]:
        """Return what interval and effect are, which not every table has."""
        interval = stated(
            "Interval of the difference: {share}% BCa bootstrap, {times} resamples, seed {seed}.",
            share=f"{100 * self.confidence:.0f}",
            times=f"{self.n_resamples:,}",
            seed=self.seed,
        )
        effect = N_(
            "Effect: Cohen’s d_z, the mean difference in standard deviations of the differences."
        )
        return interval, effect

    def _describe_tie(self) -> str:
        if not self.has_ties:
            return N_(
                "No tie is looked for: a tie is a mean difference that is too small to matter, and this "
                "test is not one of means."
            )
        said = N_(
            "A tie: the same test, one-sided, shows the mean difference to be above −{most} and below "
            "{most}; its p is the greater of the two."
        )
        if self.correction != "none":
            said = N_(
                "A tie: the same test, one-sided, shows the mean difference to be above −{most} and below "
                "{most}; its p is the greater of the two, and is corrected like that of the difference, "
                "among the ties."
            )
        return stated(said, most=f"{self.equivalence:g}")

    @property
    def has_ties(self) -> bool:
        """Whether ties are tested: where asked for, and by a test that says where the mean lies."""
        return self.equivalence > 0.0 and self.test in TESTS_OF_MEANS

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
            names=AsIs(", ".join(apart)),
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
    """Whether a difference by this measure is tested: of what is no quality it is not."""
    return measure.is_quality


class PairComparison(NamedTuple):
    """One run against a baseline by one measure, over the queries that count for both.

    Attributes:
        n_queries: pairs; the other figures are of these alone.
        mean: of the run; ``None`` without a pair.
        baseline_mean: likewise.
        difference: mean minus the baseline's; ``None`` without a pair.
        interval: of the difference; ``None`` with fewer than two pairs.
        significance: of the difference, alone; p = 1 where nothing differs; ``None`` for
            measures that are not tested, and without a pair.
        wins: queries where the run is better by more than the tie margin.
        ties: queries where neither is.
        losses: queries where the baseline is.
        effect: Cohen's d_z; ``None`` where it has no finite value.
        p_tie: of a tie, alone; ``None`` where none is looked for, nothing is tested, or
            there is no pair.
        is_weighted: whether queries count unlike each other in the means, and so in their
            difference, its interval and effect, and p of a test of means.
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
    is_weighted: bool = False

    def without_others(self) -> "PairComparison":
        """Return the figures of these queries alone: nothing that is said of others."""
        return self._replace(interval=None, significance=None, effect=None, p_tie=None)


class Comparison(NamedTuple):
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


def weights_in(measure: Measure, weights: FloatArray | None) -> FloatArray | None:
    """Return how much each query counts by a measure: alike in sums, which know no weights."""
    return None if measure.spec.pooling == "sum" else weights


def compare_pair(
    values: npt.ArrayLike,
    baseline: npt.ArrayLike,
    rules: ComparisonRules | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    check: Check | None = None,
    has_test: bool = True,
) -> PairComparison:
    """Compare values with a baseline's, query by query.

    Args:
        values: shape (n,), finite; queries that are masked on either side are left out.
        baseline: of the same queries in the same order, shape (n,).
        rules: how; ``None`` for the usual ones.
        weights: of the queries in the means, above 0, shape (n,); ``None`` for all alike.
        check: called again and again; what it raises ends the comparing.
        has_test: whether the difference is tested.

    Raises:
        UsageError: the lengths differ, a value is not finite, or a weight not above 0.

    Examples:
        >>> found = compare_pair([0.5, 1.0, 0.25], [0.5, 0.5, 0.0])
        >>> found.difference, found.wins, found.ties, found.significance.p
        (0.25, 2, 1, 0.5)
    """
    chosen = _chosen(rules)
    ours, theirs, shares = _paired(values, baseline, weights)
    differences = compute_differences(ours, theirs)
    n = len(differences)
    interval = compute_bootstrap_interval(
        differences,
        weights=shares,
        confidence=chosen.confidence,
        n_resamples=chosen.n_resamples,
        seed=chosen.seed,
        check=check,
    )
    wins = int(np.count_nonzero(differences > chosen.tie_margin))
    losses = int(np.count_nonzero(differences < -chosen.tie_margin))
    return PairComparison(
        n_queries=n,
        mean=mean_of(ours, shares) if n else None,
        baseline_mean=mean_of(theirs, shares) if n else None,
        difference=without_noise(mean_of(differences, shares)) if n else None,
        interval=None if interval is None else Interval(*map(without_noise, interval)),
        significance=run_test(differences, chosen, check, shares) if has_test and n else None,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        effect=compute_effect_size(differences, shares),
        p_tie=compute_equivalence(
            differences, chosen.equivalence, lambda each: run_test(each, chosen, check, shares)
        )
        if has_test and n and chosen.has_ties
        else None,
        is_weighted=shares is not None,
    )


def compare_evaluations(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: str,
    rules: ComparisonRules | None = None,
) -> tuple[Comparison, ...]:
    """Compare runs with a baseline, each by all measures of the evaluations.

    Values are paired by query; one that nobody judged is left out where a run lacks it. What counts,
    counts as in the means: an undefined value as 0 or not at all, and queries by their weight or alike, as the conventions say.

    Args:
        evaluations: by the run's name, all of the same measures, conventions, scale and
            judgments: of these it is seen which queries have which grades, not of which documents.
        baseline: name of the run that the others are compared with.
        rules: how; ``None`` for the usual ones.

    Returns:
        A row for each measure and run, the baseline left out.

    Raises:
        UsageError: there is no such baseline, measures, conventions, scale, judgments or weights
            differ, or a measure has no values by query.

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
    judged = start.judged_grades()
    for name, found in evaluations.items():
        if found.measures != start.measures or found.conventions != start.conventions:
            raise UsageError(
                f"{name} and {baseline} were evaluated by different measures or conventions."
            )
        if found.engine.scale != start.engine.scale or found.judged_grades() != judged:
            raise UsageError(
                f"{name} and {baseline} were evaluated by different scales or judgments: their values "
                "cannot be compared. Evaluate both by the same."
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
    weights = {
        name: found.engine.mean_weights[[rows[name][query] for query in shared]]
        for name, found in evaluations.items()
    }
    for name, found_weights in weights.items():
        if not np.array_equal(found_weights, weights[baseline]):
            raise UsageError(f"{name} and {baseline} were evaluated by different weights.")
    return compare_tables(
        tables, start.measures, baseline=baseline, rules=rules, weights=weights[baseline]
    )


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
    return compare_tables(
        tables,
        engine.measures,
        baseline=baseline,
        rules=rules,
        weights=engine.mean_weights,
        alone=alone,
    )


def compare_tables(  # noqa: PLR0913 - what a comparison depends on
    tables: Mapping[str, ValueTable],
    measures: Sequence[Measure],
    *,
    baseline: str,
    rules: ComparisonRules | None = None,
    weights: FloatArray | None = None,
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
        weights: of the queries in means, above 0, shape (n_queries,); ``None`` for all alike.
        progress: told again and again how many pairs of how many are done; what it
            raises ends the comparing.
        alone: names of runs that enter no family but their own.
        untested: names of runs valued by other judgments than the baseline, see
            ``find_valued_apart``: of their differences nothing is said of other queries,
            but where a measure reads no judgments.

    Raises:
        UsageError: there is no such baseline, or a measure has no values by query.
    """
    chosen = _chosen(rules)
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
        shares = weights_in(measure, weights)
        pair = compare_pair(ours, theirs, chosen, weights=shares, check=check, has_test=has_test)
        if is_apart:
            pair = pair.without_others()
        rows.append(Comparison(name, baseline, measure, pair, None, 0))
    return _corrected(rows, chosen, alone)


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
            found[place] = rows[place]._replace(p=p, n_tests=len(places))
        tied = [place for place in places if rows[place].pair.p_tie is not None]
        ties = [p_tie for place in tied if (p_tie := rows[place].pair.p_tie) is not None]
        for place, p in zip(tied, correct_p(ties, rules.correction), strict=True):
            found[place] = found[place]._replace(p_tie=p)
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


def _chosen(rules: ComparisonRules | None) -> ComparisonRules:
    if not isinstance(rules, ComparisonRules | None):
        raise UsageError(f"Rules are given as ComparisonRules(test='t'), not as {rules!r}.")
    return rules or ComparisonRules()


def _check_baseline(names: Iterable[str], baseline: str) -> None:
    known = list(names)
    if baseline not in known:
        raise UsageError(
            f"There is no run {baseline!r} to compare with; there are: {', '.join(known)}."
        )


def _paired(
    values: npt.ArrayLike, baseline: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return both sides and their weights without the queries that either leaves out.

    Weights that are all the same are none.
    """
    ours, theirs = (np.ma.asarray(each, dtype=np.float64) for each in (values, baseline))
    if ours.shape != theirs.shape:
        return ours.filled(0.0), theirs.filled(0.0), None
    is_kept = ~(np.ma.getmaskarray(ours) | np.ma.getmaskarray(theirs))
    shares = None
    if weights is not None:
        given = np.asarray(weights, dtype=np.float64)
        if given.shape != ours.shape or not (np.isfinite(given) & (given > 0)).all():
            raise UsageError("Weights are finite numbers above 0, one for each query.")
        shares = unlike(addable(given[is_kept]))
    return ours.data[is_kept], theirs.data[is_kept], shares


def run_test(
    differences: FloatArray,
    rules: ComparisonRules,
    check: Check | None = None,
    weights: FloatArray | None = None,
) -> Significance:
    """Return the test that the rules name, of differences by query.

    Args:
        differences: by query, finite, shape (n,).
        rules: the test, its draws and its seed.
        check: called again and again; what it raises ends the work.
        weights: of the queries in the mean, above 0, shape (n,); ``None`` for all alike. A test
            that is not one of means does not look at them.
    """
    if rules.test == "t":
        return compute_t_test(differences, weights)
    if rules.test == "wilcoxon":
        return compute_wilcoxon_test(differences)
    if rules.test == "sign":
        return compute_sign_test(differences)
    return compute_randomization_test(
        by_weight(differences, weights), n_draws=rules.n_draws, seed=rules.seed, check=check
    )


# Correlation of two orders

DEFAULT_PERSISTENCE = 0.9


class RankBiasedOverlap(NamedTuple):
    """How alike two rankings are, the top weighing most; each figure from 0 to 1.

    Attributes:
        extrapolated: RBO_ext, as if both went on as they agree so far; the one to quote.
        least: RBO_min, as if all that follows differed.
        residual: RBO_res, how much more it could be if all that follows agreed.
    """

    extrapolated: float
    least: float
    residual: float


def compute_rbo(
    first: Sequence[Hashable], second: Sequence[Hashable], *, p: float = DEFAULT_PERSISTENCE
) -> RankBiasedOverlap | None:
    """Return the rank-biased overlap of two rankings without ties.

    With X_d the number of documents that the first d of both share:
    (1 − p) Σ_{d≥1} p^{d−1} X_d / d, of which the depths seen decide a part.

    Args:
        first: ids, best first, each once.
        second: likewise; it may be shorter or longer.
        p: weight of going one place deeper, between 0 and 1.

    Returns:
        ``None`` when both are empty; 0 extrapolated when one is.

    Raises:
        UsageError: p is out of range, or an id stands twice.

    References:
        Webber, Moffat and Zobel 2010: RBO_min is equation 11, RBO_ext equation 32,
        RBO_res the difference to the largest overlap (equation 30).

    Examples:
        >>> compute_rbo("ab", "ab", p=0.5).extrapolated
        1.0
    """
    _check(first, second, p)
    short, long = sorted((first, second), key=len)
    if not long:
        return None
    shared = _shared_by_depth(short, long)
    depths = np.arange(1, len(long) + 1)
    least = _least(shared, depths, p)
    extrapolated = extrapolated_overlap(shared, n_short=len(short), p=p)
    greatest = _greatest(shared, depths, n_short=len(short), p=p)
    return RankBiasedOverlap(extrapolated, least, max(greatest - least, 0.0))


def _check(first: Sequence[Hashable], second: Sequence[Hashable], p: float) -> None:
    if not 0.0 < p < 1.0:
        raise UsageError(f"p of RBO lies between 0 and 1, without these; found {p:g}.")
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        raise UsageError("A document stands twice in a ranking; RBO takes each once.")


def _shared_by_depth(short: Sequence[Hashable], long: Sequence[Hashable]) -> IntArray:
    """Return how many documents the first d of both share, for d = 1 .. length of the longer."""
    place_of = {document: place for place, document in enumerate(short)}
    met = [
        max(place, place_of[document])
        for place, document in enumerate(long)
        if document in place_of
    ]
    counts = np.bincount(np.array(met, dtype=np.int64), minlength=len(long))
    return np.cumsum(counts)


def _least(shared: IntArray, depths: IntArray, p: float) -> float:
    # Below the last depth the overlap stays; Σ p^d/d over all d is −ln(1 − p).
    last = float(shared[-1])
    beyond = -np.log1p(-p) - (p**depths / depths).sum()
    return rank_weighted(shared / depths, depths, p) + (1.0 - p) / p * last * max(
        float(beyond), 0.0
    )


def _greatest(shared: IntArray, depths: IntArray, *, n_short: int, p: float) -> float:
    n_long, last = len(depths), int(shared[-1])
    # From here on both can hold the same documents.
    full = n_long + n_short - last
    deeper = np.arange(n_long + 1, full + 1)
    best = np.concatenate(
        (
            (shared + np.maximum(depths - n_short, 0)) / depths,
            (last + 2 * deeper - n_short - n_long) / deeper,
        )
    )
    return rank_weighted(best, np.arange(1, full + 1), p) + float(p**full)


class RankingAgreement(NamedTuple):
    """How alike two rankings are.

    τ, τ_AP and ρ look at the documents that both have, RBO at all.

    Attributes:
        n_common: documents that both have.
        tau: Kendall's τ, −1 to 1; ``None`` with fewer than two common documents.
        tau_ap: τ_AP, the mean of both directions; ``None`` likewise.
        rho: Spearman's ρ; ``None`` likewise.
        rbo: rank-biased overlap; ``None`` when both rankings are empty.
    """

    n_common: int
    tau: float | None
    tau_ap: float | None
    rho: float | None
    rbo: RankBiasedOverlap | None


class OrderAgreement(NamedTuple):
    """How alike two measures order the same systems.

    Attributes:
        tau: Kendall's τ-b; ``None`` where a side has no two different values.
        tau_ap: τ_AP, the mean of both directions; ``None`` likewise.
        rho: Spearman's ρ, ties with their mean rank; ``None`` likewise.
        rbo: RBO extrapolated, ties in the order of names; ``None`` without a system.
    """

    tau: float | None
    tau_ap: float | None
    rho: float | None
    rbo: float | None


def compute_tau(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Kendall's τ-b of two series of values.

    Args:
        first: a value for each thing, higher is better, shape (n,), finite.
        second: likewise, of the same things.

    Returns:
        −1 to 1; ``None`` where a side has no two different values.

    Raises:
        UsageError: the lengths differ, or a value is not finite.

    References:
        Kendall 1945; ``scipy.stats.kendalltau(variant='b')``.
    """
    return _correlate(first, second, _tau)


def _tau(a: FloatArray, b: FloatArray) -> float:
    from scipy import stats

    return float(stats.kendalltau(a, b, variant="b").statistic)


def compute_rho(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Spearman's ρ of two series of values; arguments and errors as for :func:`compute_tau`.

    Returns:
        −1 to 1, ties with their mean rank; ``None`` where a side has no two different values.

    References:
        Spearman 1904; ``scipy.stats.spearmanr``.
    """
    return _correlate(first, second, _rho)


def _rho(a: FloatArray, b: FloatArray) -> float:
    from scipy import stats

    return float(stats.spearmanr(a, b).statistic)


def compute_tau_ap(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float | None:
    """Return the AP correlation of an estimated order with the true one.

    2/(n − 1) Σ_{i≥2} C(i)/(i − 1) − 1, where C(i) counts, among the things above place i
    of the estimate, those that the truth puts above the thing at i. Mistakes near the
    top weigh more, so the two sides cannot be swapped.

    Ties on either side count as the mean over all ways to break them: a pair tied in
    the truth counts half, and tied things of the estimate share their places.

    Args:
        estimate: a value for each thing, higher is better, shape (n,), finite.
        truth: likewise, of the same things.

    Returns:
        −1 to 1; ``None`` where a side has no two different values.

    Raises:
        UsageError: the lengths differ, or a value is not finite.

    References:
        Yilmaz, Aslam and Robertson 2008; for ties see Urbano and Marrero 2017.

    Examples:
        >>> compute_tau_ap([4, 3, 2, 1], [3, 4, 2, 1])
        0.33333333333333326
    """
    return _correlate(estimate, truth, _tau_ap)


def _tau_ap(a: FloatArray, b: FloatArray) -> float:
    total, n_above = 0.0, 0
    order = np.argsort(-a, kind="stable")
    for group in np.split(b[order], np.flatnonzero(np.diff(a[order])) + 1):
        rightly = _mean_rightly_above(group, b[order[:n_above]])
        for place in range(len(group)):
            if n_above + place:
                # Of its own group a thing has place others above it, half of them rightly.
                total += (rightly + place / 2.0) / (n_above + place)
        n_above += len(group)
    return 2.0 * total / (len(a) - 1) - 1.0


def compute_symmetric_tau_ap(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return the mean of τ_AP in both directions, for two sides of which neither is the truth.

    Arguments, ``None`` and errors as for :func:`compute_tau_ap`.
    """
    there, back = compute_tau_ap(first, second), compute_tau_ap(second, first)
    return None if there is None or back is None else (there + back) / 2.0


def compare_rankings(
    first: Sequence[Hashable], second: Sequence[Hashable], *, p: float = DEFAULT_PERSISTENCE
) -> RankingAgreement:
    """Return how alike two rankings of documents are.

    Args:
        first: ids, best first, each once.
        second: likewise; documents and depth may differ.
        p: of RBO, between 0 and 1.

    Raises:
        UsageError: p is out of range, or an id stands twice.
    """
    rbo = compute_rbo(first, second, p=p)
    place_of = {document: place for place, document in enumerate(second)}
    places = [place_of[document] for document in first if document in place_of]
    a, b = -np.arange(len(places)), -np.array(places, dtype=np.float64)
    return RankingAgreement(
        len(places), compute_tau(a, b), compute_symmetric_tau_ap(a, b), compute_rho(a, b), rbo
    )


def compare_orders(first: Mapping[str, float], second: Mapping[str, float]) -> OrderAgreement:
    """Return how alike two measures order the same systems.

    Args:
        first: mean by system, higher is better.
        second: mean by the other measure, of the same systems.

    Raises:
        UsageError: the systems are not the same, or a mean is not finite.
    """
    if first.keys() != second.keys():
        raise UsageError("Two orders are compared of the same systems.")
    names = sorted(first)
    a, b = (np.array([means[name] for name in names]) for means in (first, second))
    rbo = compute_rbo(_order(a), _order(b))
    return OrderAgreement(
        compute_tau(a, b),
        compute_symmetric_tau_ap(a, b),
        compute_rho(a, b),
        None if rbo is None else rbo.extrapolated,
    )


def _correlate(
    first: npt.ArrayLike, second: npt.ArrayLike, formula: Callable[[FloatArray, FloatArray], float]
) -> float | None:
    """Return a correlation of two series; ``None`` where a side has no two different values."""
    # Without rounding noise, so that equal values are tied.
    a: FloatArray = np.asarray(first, dtype=np.float64).round(DECIMALS)
    b: FloatArray = np.asarray(second, dtype=np.float64).round(DECIMALS)
    if a.ndim != 1 or a.shape != b.shape:
        raise UsageError(
            f"Two orders are compared of the same things; found {a.size:,} and {b.size:,}."
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise UsageError("Values to be ordered have to be finite; leave out what is undefined.")
    if not all((side != side[:1]).any() for side in (a, b)):
        return None
    # Rounding may pass 1 by the last digit.
    return min(max(formula(a, b), -1.0), 1.0)


def _mean_rightly_above(group: FloatArray, above: FloatArray) -> float:
    """Return how many of those above belong above, in the mean over a group; ties count half."""
    ordered = np.sort(above)
    not_below = len(above) - np.searchsorted(ordered, group, side="left")
    higher = len(above) - np.searchsorted(ordered, group, side="right")
    return float((not_below + higher).mean() / 2.0)


def _order(values: FloatArray) -> list[int]:
    """Return places by value, falling; ties as they stand."""
    order: list[int] = np.argsort(-np.round(values, DECIMALS), kind="stable").tolist()
    return order


class MeasureAgreement(NamedTuple):
    """How alike two measures order the runs."""

    first: Measure
    second: Measure
    n_runs: int
    agreement: OrderAgreement


def compare_measure_orders(
    measures: Sequence[Measure], means: Mapping[str, Sequence[float | None]]
) -> tuple[MeasureAgreement, ...]:
    """Return how alike each two measures order the runs by their means.

    Args:
        measures: the columns.
        means: one per measure by the run's name; ``None`` where there is none.

    Returns:
        A row for each two measures that have means of all the runs, and say which run is
        better; empty with fewer than three runs, of which any order says little.
    """
    if len(means) < 3:
        return ()
    columns: dict[Measure, dict[str, float]] = {}
    for column, measure in enumerate(measures):
        if not measure.is_quality:
            continue
        found = {name: its[column] for name, its in means.items()}
        known = {name: value for name, value in found.items() if value is not None}
        if len(known) == len(found):
            columns[measure] = known
    return tuple(
        MeasureAgreement(one, two, len(means), compare_orders(columns[one], columns[two]))
        for one, two in combinations(columns, 2)
    )
