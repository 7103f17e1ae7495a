"""The verdict on two systems by one measure, said in one place for window, command and report.

It speaks of two things that are not the same, and always says of which: of *these queries*, what
is certain or was decided whatever is still unjudged; of *other queries like these*, what the test
says. It follows from the numbers that stand beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from judgetool.core.number_text import format_p, local_count, number_of, signed, signed_in_full
from judgetool.metrics import Comparison, ComparisonRules, Mean, Measure
from judgetool.metrics.comparison import TESTS_OF_MEANS, PairComparison
from judgetool.metrics.prospects import PRange, count_queries_needed
from judgetool.metrics.significance import ValuedApart, reads_judgments
from judgetool.session.comparing.these_queries import (
    Decision,
    Kind,
    Statement,
    WithoutResults,
    WithoutValue,
    however_graded,
    of_these_queries,
    plain_number,
)
from judgetool.wording import N_, NN_, _, local_number, pgettext, sentence_start

if TYPE_CHECKING:
    from judgetool.session.comparing.comparing import ComparisonCell
    from judgetool.session.comparing.pair_bounds import PairBounds

T = TypeVar("T")
Significance = Literal["", "significant", "significant so far"]


Tested: TypeAlias = "Comparison | ComparisonCell"
"""What a test said of a pair: a row of a comparison, or a cell of a table."""


class Verdict(NamedTuple):
    """What can be said of two systems by one measure.

    Attributes:
        names: of the system, and of what it is compared with.
        measure: by which.
        head: all of it in one sentence.
        these: of these queries; ``None`` while it is not known.
        others: of other queries like these.
        queries_needed: about how many would show a difference; ``None`` where one is shown,
            no number would, or a decision has most of the pool still to be drawn.
        p_range: p alone over all gradings of the unjudged; ``None`` where there is none.
        is_by_lot: whether somebody decides on these queries: what is said of them comes first.
        apart: how the grades differ that the two are valued by; ``None`` where they are the
            same, or the measure reads none.
        missing: which of the two have no results for judged queries, and which queries have no value
            for either, and how these count; ``""`` where both have all.
    """

    names: tuple[str, str]
    measure: Measure
    head: str
    these: Statement | None
    others: Statement
    queries_needed: int | None = None
    p_range: PRange | None = None
    is_by_lot: bool = False
    apart: ValuedApart | None = None
    missing: str = ""

    @property
    def sentences(self) -> tuple[str, str]:
        """What is said beside the head: of other queries, and of these; perhaps empty.

        What queries without results or values do to the means stands before either.
        """
        these = self.these.text if self.these is not None else ""
        others = "" if self.others.text == self.head else self.others.text
        first, second = (these, others) if self.is_by_lot else (others, these)
        return " ".join(filter(None, (self.missing, first))), second

    @property
    def kinds(self) -> str:
        """What it is in words, such as ``certain, not shown``."""
        return ", ".join(each.kind for each in (self.these, self.others) if each is not None)

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(filter(None, (self.head, *self.sentences)))

    def values(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        low, high, is_exact = self.p_range or (None, None, None)
        return {
            "these_queries": self.these.kind if self.these else None,
            "other_queries": self.others.kind,
            "sentence": self.head,
            "text": self.text,
            "queries_needed": self.queries_needed,
            "p_min": low,
            "p_max": high,
            "p_is_exact": is_exact,
            "graded_otherwise": self.apart.n_grades if self.apart else 0,
            "assumed": self.apart.n_assumed if self.apart else 0,
            "has_other_scale": bool(self.apart and self.apart.has_other_scale),
        }


Pairs = Mapping[tuple[str, Measure], T]
"""Something of each pair, by the system and the measure."""


def bounds_decided_on(
    bounds: "Pairs[PairBounds]", decisions: "Pairs[Decision | None]"
) -> "dict[tuple[str, Measure], PairBounds]":
    """Return how far differences can go: where somebody drew, on what is decided on."""
    return {
        of: decision.bound(each) if (decision := decisions.get(of)) else each
        for of, each in bounds.items()
    }


def find_verdict(  # noqa: PLR0913 - what a verdict follows from
    names: tuple[str, str],
    measure: Measure,
    tested: Tested,
    rules: ComparisonRules | None,
    *,
    bounds: "PairBounds | None" = None,
    decision: Decision | None = None,
    apart: ValuedApart | None = None,
    without: Iterable[WithoutResults | None] = (),
    undefined: Iterable[WithoutValue | None] = (),
    means: tuple[Mean, Mean] | None = None,
) -> Verdict:
    """Return what can be said of two systems, from the numbers of their comparison.

    Args:
        names: of the system, and of what it is compared with.
        measure: by which.
        tested: the difference, and what the test said.
        rules: how it was tested; ``None`` while it is not.
        bounds: how far the difference can still go; ``None`` where nobody looked.
        decision: how drawing by lot stands; ``None`` where nobody drew. The bounds are those
            of what is decided on then.
        apart: how the grades differ that the two are valued by; ``None`` for not at all.
        without: of the two, which judged queries they have no results for.
        undefined: of the two, which queries have no value; ``None`` where nobody looked.
        means: that stand beside the difference, of the system and of what it is compared with.
    """
    bounds = bounds if bounds is not None and bounds.has_ends else None
    if apart is not None and reads_judgments(measure) and measure.is_quality:
        found = _of_valued_apart(names, measure, tested, apart)
    else:
        found = _Words(names, measure, tested, rules, bounds, decision).verdict()
    said = [each.sentence for each in without if each]
    # By different judgments others have no value for the one than for the other.
    if apart is None:
        known = [each for each in undefined if each is not None]
        # What hangs on the judgments alone is said once: it is so for both.
        said += [each.sentence(measure) for at, each in enumerate(known) if each.run or not at]
    if means is not None and tested.pair is not None and has_other_queries(tested.pair, *means):
        forms = NN_(
            "The difference is over the {n} query that counts for both; the mean of {name} is over "
            "{ours}, that of {other} over {theirs}.",
            "The difference is over the {n} queries that count for both; the mean of {name} is over "
            "{ours}, that of {other} over {theirs}.",
        )
        ours, theirs = (local_count(each.n_queries) for each in means)
        of = {"name": names[0], "other": names[1], "ours": ours, "theirs": theirs}
        said.append(number_of(tested.pair.n_queries, *forms, **of))
    return found._replace(missing=" ".join(filter(None, said)))


def has_other_queries(pair: PairComparison, *means: Mean) -> bool:
    """Whether a mean beside a difference is over other queries than it, so that they do not add up."""
    return any(each.n_queries != pair.n_queries for each in means)


_APART = {
    False: N_(
        "{name} and {other} are valued by different judgments: nothing is tested by {measure}."
    ),
    True: N_(
        "{name} and {other} are valued by different grades, assumed ones among them: nothing is "
        "tested by {measure}."
    ),
}
_WHY_APART = {
    False: N_(
        "That may make up the difference: {why}. To test the two, value both by the same "
        "judgments: compare both as of now, or both of the same snapshot."
    ),
    True: N_(
        "That may make up the difference: {why}. To test the two, judge what is assumed, or "
        "assume it no more."
    ),
}
"""What is said of two that are valued apart, by whether grades are assumed."""


def _of_valued_apart(
    names: tuple[str, str], measure: Measure, tested: Tested, apart: ValuedApart
) -> Verdict:
    """Return what is said where the grades differ: the difference, and never which is better."""
    why = ""
    if apart.n_grades:
        why = number_of(
            apart.n_grades,
            "{n} grade is another, or on one side alone",
            "{n} grades are others, or on one side alone",
        )
    if apart.n_assumed:
        assumed = number_of(
            apart.n_assumed,
            "{n} of them is only assumed: nobody has judged the document",
            "{n} of them are only assumed: nobody has judged the documents",
        )
        why = f"{why}, {assumed}"
    if apart.has_other_scale:
        why = "; ".join(filter(None, (why, _("grades are read by another scale"))))
    head = _(_APART[bool(apart.n_assumed)]).format(name=names[0], other=names[1], measure=measure)
    said = _(_WHY_APART[bool(apart.n_assumed)]).format(why=why)
    difference = tested.pair.difference if tested.pair is not None else None
    if difference is not None:
        shown = local_number(signed_in_full(difference))
        told = _("Mean difference {difference}.")
        if tested.pair is not None and tested.pair.is_weighted:
            told = _("Weighted mean difference {difference}.")
        said = " ".join((told.format(difference=shown), said))
    return Verdict(names, measure, head, None, Statement("not tested", said), apart=apart)


def significance(
    tested: Tested,
    rules: ComparisonRules | None,
    bounds: "PairBounds | None" = None,
    *,
    is_sure: bool = False,
) -> Significance:
    """Return how a difference is marked: p, corrected as the rules say, below their alpha or not.

    Args:
        tested: what the test said of what is judged so far.
        rules: how it was tested; ``None`` while it is not.
        bounds: how far the difference can still go; ``None`` where nobody looked: then grades to
            come are thought to be able to change it.
        is_sure: whether it is known otherwise that they cannot.
    """
    if tested.p is None or rules is None or tested.p >= rules.alpha:
        return ""
    return "significant" if is_sure or _stays(tested, rules, bounds) else "significant so far"


def _stays(tested: Tested, rules: ComparisonRules, bounds: "PairBounds | None") -> bool:
    """Whether p is below alpha for every way to grade what is unjudged."""
    if bounds is None or not bounds.has_ends:
        return False
    if not bounds.n_open:
        return True
    n_tests = tested.n_tests if rules.correction_title else 1
    return bounds.p_range is not None and bounds.p_range.high * n_tests < rules.alpha


def p_in_words(tested: Tested, rules: ComparisonRules | None) -> str:
    """Return p alone, and corrected; empty where nothing is tested.

    It reads ``p 0.005, 0.020 after Holm over 4 tests``.
    """
    pair = tested.pair
    if tested.p is None or pair is None or pair.significance is None or rules is None:
        return ""
    said = _p(pair.significance.p, rules)
    if not _is_corrected(tested, rules):
        return said
    return number_of(
        tested.n_tests,
        "{p}, {after} after {correction} over {n} test",
        "{p}, {after} after {correction} over {n} tests",
        p=said,
        after=_bare_p(tested.p, rules),
        correction=correction_in_words(rules),
    )


def tie_p_in_words(tested: Tested, rules: ComparisonRules | None) -> str:
    """Return p of a tie alone, and corrected; empty where none is looked for.

    It reads ``p 0.47, 0.95 after Holm``.
    """
    pair = tested.pair
    if tested.p_tie is None or pair is None or pair.p_tie is None or rules is None:
        return ""
    said = _p(pair.p_tie, rules)
    if not _is_corrected(tested, rules):
        return said
    return _("{p}, {after} after {correction}").format(
        p=said, after=_bare_p(tested.p_tie, rules), correction=correction_in_words(rules)
    )


def counting_in_words(tested: Tested, rules: ComparisonRules | None) -> str:
    """Return how queries count in p, where that is not as in the means beside it; else empty."""
    pair = tested.pair
    if pair is None or not pair.is_weighted or rules is None or rules.test in TESTS_OF_MEANS:
        return ""
    return _("each counting alike")


def is_near_level(tested: Tested, rules: ComparisonRules | None) -> bool:
    """Whether p, corrected, is as near the level as its draws can err."""
    found = tested.pair.significance if tested.pair is not None else None
    if found is None or rules is None or not tested.p or tested.p >= 1.0:
        return False
    return found.is_near(rules.alpha * found.p / tested.p)


def _is_corrected(tested: Tested, rules: ComparisonRules) -> bool:
    return bool(rules.correction_title) and tested.n_tests > 1


def correction_in_words(rules: ComparisonRules) -> str:
    """Return what the correction is called within a sentence; empty for none."""
    names = {
        "holm": pgettext("a correction, as in ‘after Holm’", "Holm"),
        "bh": pgettext("a correction, as in ‘after Holm’", "Benjamini-Hochberg"),
    }
    return names.get(rules.correction, "")


def _p(p: float, rules: ComparisonRules) -> str:
    return local_number(format_p(p, rules.alpha))


def _bare_p(p: float, rules: ComparisonRules) -> str:
    return _p(p, rules).removeprefix("p ")


# Kinds that are shown as they are called.
_OF_OTHERS = (
    N_("significant"),
    N_("significant so far"),
    N_("significant and a tie"),
    N_("significant so far and a tie"),
    N_("tie"),
    N_("not shown"),
)


_TIES: Mapping[Significance, Kind] = {
    "": "tie",
    "significant": "significant and a tie",
    "significant so far": "significant so far and a tie",
}


class _Words:
    """A verdict being put into words."""

    def __init__(
        self,
        names: tuple[str, str],
        measure: Measure,
        tested: Tested,
        rules: ComparisonRules | None,
        bounds: "PairBounds | None",
        decision: Decision | None,
    ) -> None:
        self._names, self._measure, self._tested, self._rules = names, measure, tested, rules
        self._bounds, self._decision = bounds, decision
        self._significance = significance(
            tested, rules, bounds, is_sure=not reads_judgments(measure)
        )
        self._found = tested.pair.significance if tested.pair is not None else None

    def verdict(self) -> Verdict:
        if not self._measure.is_quality:
            # It is certain of itself, and tells nothing of the runs.
            said = (
                _("Not tested: it says how much is judged, not which run is better.")
                if self._measure.spec.counts_judgments
                else _("Not tested: it counts documents, and does not say which run is better.")
            )
            return Verdict(self._names, self._measure, said, None, Statement("not tested", said))
        others, needed = self._of_others()
        these = of_these_queries(self._names, self._bounds, self._decision)
        return Verdict(
            self._names,
            self._measure,
            self._head(these, others),
            these,
            others,
            needed,
            self._p_range,
            self._decision is not None,
        )

    # These queries

    @property
    def _side(self) -> int:
        """Which is better on these queries: of what is certain, or else decided."""
        bounds = self._bounds
        if bounds is not None and bounds.is_certain:
            return (bounds.low > bounds.margin) - (bounds.high < -bounds.margin)
        return (self._decision.side or 0) if self._decision is not None else 0

    def _better(self, side: int, by: str = "") -> str:
        """Return which of the two is better, as a clause; by signs or ranks where a test says so."""
        first, second = self._names
        if not side:
            return _("{name} and {other} are equal by {measure}").format(
                name=first, other=second, measure=self._measure
            )
        better, worse = (first, second) if side > 0 else (second, first)
        said = {
            "sign": _(
                "{better} is better than {worse} by {measure} on more queries than it is worse"
            ),
            "wilcoxon": _(
                "{better} is better than {worse} by {measure}, counting how often and by how much"
            ),
        }.get(by, _("{better} is better than {worse} by {measure}"))
        return said.format(better=better, worse=worse, measure=self._measure)

    # Other queries

    def _of_others(self) -> tuple[Statement, int | None]:
        rules, found, pair = self._rules, self._found, self._tested.pair
        if pair is not None and not pair.n_queries:
            said = _("No query counts for both: nothing is tested.")
            return Statement("not tested", said), None
        if rules is None or found is None or pair is None or self._tested.p is None:
            return Statement("not tested", _("Not tested yet.")), None
        kind = self._kind
        alike = counting_in_words(self._tested, rules)
        kinds = ", ".join(filter(None, (alike, self._by_some, _(kind))))
        whole = _("Of other queries like these, {said}: {numbers}")
        sentences = [whole.format(said=kinds, numbers=self._numbers(pair, rules))]
        if is_near_level(self._tested, rules):
            near = number_of(
                found.n_draws or 0,
                "p is drawn, and within two standard errors of {n} draw from the level: more may say otherwise.",
                "p is drawn, and within two standard errors of {n} draws from the level: more may say otherwise.",
            )
            sentences.append(near)
        needed = None
        if kind == "not shown":
            # Of a pool that is mostly not drawn what is judged so far cannot tell.
            if self._decision is None or not self._is_open:
                needed = count_queries_needed(pair, rules, self._tested.n_tests)
            sentences += _what_would_show(pair, rules, needed)
        sentences.append(self._gradings(rules, kind))
        return Statement(kind, " ".join(filter(None, sentences))), needed

    @property
    def _kind(self) -> Kind:
        """What the test says; a difference can be shown, and be shown to be too small to matter."""
        return _TIES[self._significance] if self._is_tie else self._significance or "not shown"

    @property
    def _is_weighted(self) -> bool:
        pair = self._tested.pair
        is_told = self._bounds is not None and self._bounds.is_weighted
        return is_told or (pair is not None and pair.is_weighted)

    @property
    def _by_some(self) -> str:
        """By what it is said of others, where more queries or documents are decided on."""
        bounds = self._bounds
        if bounds is None or not bounds.n_open:
            return ""
        if bounds.n_counted < bounds.n_queries:
            return number_of(
                bounds.n_queries,
                "by what is judged so far of {counted} of {n} query",
                "by what is judged so far of {counted} of {n} queries",
                counted=local_count(bounds.n_counted),
            )
        return _("by what is judged so far") if self._decision is not None else ""

    @property
    def _is_tie(self) -> bool:
        p, rules = self._tested.p_tie, self._rules
        return p is not None and rules is not None and p < rules.alpha

    @property
    def _is_open(self) -> bool:
        if not reads_judgments(self._measure):
            return False
        return self._bounds is None or self._bounds.n_open > 0

    @property
    def _is_so_far(self) -> bool:
        """Whether judgments can still change what the test says."""
        return self._is_open and self._significance != "significant"

    def _significant(self, rules: ComparisonRules) -> str:
        """Return which is better by what the test looks at: the mean, ranks, or signs."""
        assert self._found is not None
        said = self._better(self._found.side, rules.test)
        if not self._is_tie:
            return said
        reach = plain_number(rules.equivalence)
        return _("{said}, but within ±{reach}").format(said=said, reach=reach)

    def _numbers(self, pair: PairComparison, rules: ComparisonRules) -> str:
        assert pair.difference is not None
        said = (
            _("weighted mean difference {difference}, {p}")
            if pair.is_weighted
            else _("mean difference {difference}, {p}")
        ).format(
            difference=local_number(signed_in_full(pair.difference)),
            p=p_in_words(self._tested, rules),
        )
        if self._tested.p_tie is not None:
            of_tie = (
                _("shown to be within ±{reach} ({p})")
                if self._is_tie
                else _("not shown to be within ±{reach} ({p})")
            ).format(p=tie_p_in_words(self._tested, rules), reach=plain_number(rules.equivalence))
            said = f"{said}; {of_tie}"
        if pair.interval is None:
            return f"{said}."
        low, high = (local_number(signed_in_full(end)) for end in pair.interval)
        interval = _("{percent} % interval of this pair alone {low} to {high}").format(
            percent=f"{rules.confidence * 100:.0f}", low=low, high=high
        )
        said = f"{said}; {interval}"
        if pair.effect is None:
            return f"{said}."
        effect = local_number(signed(pair.effect, 2))
        return _("{said}, effect size {effect}.").format(said=said, effect=effect)

    # What judging could do to the test

    @property
    def _p_range(self) -> PRange | None:
        """P over all gradings, what it is now among them."""
        if self._bounds is None or self._bounds.p_range is None or self._found is None:
            return None
        low, high, is_exact = self._bounds.p_range
        return PRange(min(low, self._found.p), max(high, self._found.p), is_exact)

    def _gradings(self, rules: ComparisonRules, kind: Kind) -> str:
        """Return from where to where p lies while documents are unjudged, and what that means."""
        bounds, p = self._bounds, self._p_range
        if bounds is None or p is None or not bounds.n_open:
            return ""
        however = however_graded(bounds, is_of_pool=self._decision is not None)
        low, high = _bare_p(p.low, rules), _bare_p(p.high, rules)
        if low == high:
            said = _("{however}, p alone is {high}")
        elif p.is_exact:
            said = _("{however}, p alone lies between {low} and {high}")
        else:
            said = _("{however}, p alone lies between the outer bounds {low} and {high}")
        said = said.format(however=sentence_start(however), low=low, high=high)
        if self._tested.p_tie is not None:
            said = _("{said} (that of the difference, not of the tie)").format(said=said)
        if self._significance == "significant":
            return _("{said}: it stays significant.").format(said=said)
        if kind == "not shown" and p.low >= rules.alpha:
            return _("{said}: only more queries can show a difference.").format(said=said)
        return f"{said}."

    # All of it

    def _head(self, these: Statement | None, others: Statement) -> str:
        if these is not None and these.kind == "open" and self._decision is not None:
            return _(
                "Not decided yet between {name} and {other} by {measure} on these queries."
            ).format(name=self._names[0], other=self._names[1], measure=self._measure)
        if these is None or these.kind == "open":
            return self._head_of_others(others)
        if self._decision is not None and self._decision.least and not self._side:
            said = self._within(self._decision.least)
        else:
            said = self._better(self._side)
        weighted = {
            "certain": _("{said}: certain on these queries, weighted"),
            "decided": _("{said}: decided on these queries, weighted"),
        }
        plain = {
            "certain": _("{said}: certain on these queries"),
            "decided": _("{said}: decided on these queries"),
        }
        start = (weighted if self._is_weighted else plain)[these.kind].format(said=said)
        if others.kind == "not tested":
            return f"{start}."
        return f"{start}, {self._beside(others)}."

    def _within(self, reach: float) -> str:
        first, second = self._names
        return _("{name} and {other} tie by {measure} within ±{reach}").format(
            name=first, other=second, measure=self._measure, reach=plain_number(reach)
        )

    def _beside(self, others: Statement) -> str:
        """Return what is said of other queries after what is said of these."""
        assert self._found is not None
        assert self._rules is not None
        if others.kind == "not shown":
            return _("not shown for others like these")
        if others.kind == "tie":
            reach = plain_number(self._rules.equivalence)
            return _("a tie within ±{reach} for others like these").format(reach=reach)
        is_of_means = self._rules.test in TESTS_OF_MEANS
        if self._found.side == self._side and is_of_means and not self._is_tie:
            return (
                _("significant for others like these, as judged so far")
                if self._is_so_far
                else _("significant for others like these")
            )
        said = (
            _("while for others like these {said}: significant, as judged so far")
            if self._is_so_far
            else _("while for others like these {said}: significant")
        )
        return said.format(said=self._significant(self._rules))

    def _head_of_others(self, others: Statement) -> str:
        first, second = self._names
        if others.kind == "not tested" or self._rules is None:
            return others.text
        if others.kind == "not shown":
            return _(
                "No difference between {name} and {other} by {measure} is shown for queries like these."
            ).format(name=first, other=second, measure=self._measure)
        if others.kind == "tie":
            said = (
                _("{said} for queries like these, as judged so far.")
                if self._is_so_far
                else _("{said} for queries like these.")
            )
            return said.format(said=self._within(self._rules.equivalence))
        said = (
            _("{said}: significant for queries like these, as judged so far.")
            if self._is_so_far
            else _("{said}: significant for queries like these.")
        )
        return said.format(said=self._significant(self._rules))


def _about(count: int) -> int:
    """Return a number that is but an estimate, of two digits, never lower.

    Examples:
        >>> _about(156033), _about(296), _about(38)
        (160000, 300, 38)
    """
    unit = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // unit) * unit


def _what_would_show(
    pair: PairComparison, rules: ComparisonRules, needed: int | None
) -> Iterator[str]:
    """Yield why an interval says otherwise, and how many queries would show a difference, if any can."""
    found, interval = pair.significance, pair.interval
    if found and interval and found.p >= rules.alpha and interval[0] * interval[1] > 0:
        yield _(
            "The interval leaves out 0 all the same: it is made otherwise than p, by drawing queries anew, "
            "and of few queries it is often too narrow. What is said here goes by p."
        )
    # All signs alike is the rarest that a test by signs can see.
    least = 2.0 ** (1 - pair.n_queries)
    if rules.test != "t" and least >= rules.alpha:
        yield number_of(
            pair.n_queries,
            "With {n} query this test can show no difference: p is never below {least}.",
            "With {n} queries this test can show no difference: p is never below {least}.",
            least=_bare_p(least, rules),
        )
    if needed is not None:
        yield number_of(
            _about(needed),
            "If others differ as these do, about {n} query would show a difference 4 times in 5.",
            "If others differ as these do, about {n} queries would show a difference 4 times in 5.",
        )
