"""The verdict on two systems by one measure, said in one place for window, command and report.

It speaks of two things that are not the same, and always says of which: of *these queries*, what
is certain or was decided whatever is still unjudged; of *other queries like these*, what the test
says. It follows from the numbers that stand beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from judgetool.core.number_text import count_noun, format_estimate, format_p, signed, signed_in_full
from judgetool.metrics import ComparisonRules, Measure
from judgetool.metrics.comparison import PairComparison
from judgetool.metrics.prospects import PRange, count_queries_needed

if TYPE_CHECKING:
    from judgetool.session.comparing.pair_bounds import PairBounds

T = TypeVar("T")
Significance = Literal["", "significant", "significant so far"]
Kind = Literal[
    "certain",
    "decided",
    "open",
    "significant",
    "significant so far",
    "tie",
    "not shown",
    "not tested",
]


class Tested(Protocol):
    """What a test said of a pair: a row of a comparison, or a cell of a table.

    Attributes:
        pair: the figures; ``None`` while they are computed.
        p: corrected; ``None`` likewise, and where nothing is tested.
        n_tests: how many are corrected together.
        p_tie: of a tie, corrected; ``None`` where nobody asked for one.
    """

    @property
    def pair(self) -> PairComparison | None: ...  # noqa: D102 - see above
    @property
    def p(self) -> float | None: ...  # noqa: D102 - see above
    @property
    def n_tests(self) -> int: ...  # noqa: D102 - see above
    @property
    def p_tie(self) -> float | None: ...  # noqa: D102 - see above


class Decision(NamedTuple):
    """How drawing documents by lot stands for two systems on these queries.

    Attributes:
        side: 1 where the first is better, −1 where the second is, 0 where the difference is
            less than ``least`` either way; ``None`` where it is not decided yet.
        risk: chance to name the worse one, at most, between 0 and 1.
        least: difference that matters; 0 where none was named.
        is_certain: whether it holds however the rest is graded.
        n_queries: on which it is decided: those that have results of either.
        reach: least and greatest mean difference over these, however the rest of their pool is
            graded; ``None`` where nobody looked.
        n_open: unjudged documents of the pool on which that depends.
        about: mean difference as the draws estimate it, and its standard error; ``None``: too few.
        evidence: for the first and for the second.
        wanted: evidence at which it is decided.
    """

    side: int | None
    risk: float
    least: float = 0.0
    is_certain: bool = False
    n_queries: int = 0
    reach: tuple[float, float] | None = None
    n_open: int = 0
    about: tuple[float, float] | None = None
    evidence: tuple[float, float] = (1.0, 1.0)
    wanted: float = 20.0

    def bound(self, bounds: "PairBounds") -> "PairBounds":
        """Return how far a difference can go on the queries and in the pool that are decided on.

        Args:
            bounds: of whatever may be judged yet, of the same two.
        """
        if self.reach is None:
            return bounds
        low, high = self.reach
        p = bounds.p_range
        return replace(
            bounds,
            difference=(bounds.difference or 0.0) if self.n_open else low,
            low=low,
            high=high,
            is_exact=True,
            n_open=self.n_open,
            n_queries=self.n_queries,
            # More may be judged than the pool: no p lies outside.
            p_range=None if p is None else p._replace(is_exact=False),
        )


class Statement(NamedTuple):
    """One thing that is said of a pair.

    Attributes:
        kind: in a word: of these queries ``certain``, ``decided`` or ``open``; of others
            ``significant``, ``significant so far`` (grades to come can change it), ``tie``,
            ``not shown`` or ``not tested``.
        text: in sentences, with the numbers that it follows from.
    """

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of two systems by one measure.

    Attributes:
        names: of the system, and of what it is compared with.
        measure: by which.
        head: all of it in one sentence.
        these: of these queries; ``None`` while it is not known.
        others: of other queries like these.
        queries_needed: about how many would show a difference; ``None`` where one is shown,
            or no number would.
        p_range: p alone over all gradings of the unjudged; ``None`` where there is none.
        is_by_lot: whether somebody decides on these queries: what is said of them comes first.
    """

    names: tuple[str, str]
    measure: Measure
    head: str
    these: Statement | None
    others: Statement
    queries_needed: int | None = None
    p_range: PRange | None = None
    is_by_lot: bool = False

    @property
    def sentences(self) -> tuple[str, str]:
        """What is said beside the head: of other queries, and of these; perhaps empty."""
        these = self.these.text if self.these is not None else ""
        others = "" if self.others.text == self.head else self.others.text
        return (these, others) if self.is_by_lot else (others, these)

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


def find_verdict(
    names: tuple[str, str],
    measure: Measure,
    tested: Tested,
    rules: ComparisonRules | None,
    *,
    bounds: "PairBounds | None" = None,
    decision: Decision | None = None,
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
    """
    return _Words(names, measure, tested, rules, bounds, decision).verdict()


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
    if bounds is None or not bounds.n_open:
        return bounds is not None
    n_tests = tested.n_tests if rules.correction_title else 1
    return bounds.p_range is not None and bounds.p_range.high * n_tests < rules.alpha


def p_in_words(tested: Tested, rules: ComparisonRules | None) -> str:
    """Return p alone, and corrected; empty where nothing is tested.

    It reads ``p 0.005, 0.020 after Holm over 4 tests``.
    """
    pair = tested.pair
    if tested.p is None or pair is None or pair.significance is None or rules is None:
        return ""
    return _p_text(pair.significance.p, tested.p, tested.n_tests, rules)


def _p_text(alone: float, corrected: float, n_tests: int, rules: ComparisonRules) -> str:
    said = format_p(alone, rules.alpha)
    if not rules.correction_title or n_tests < 2:
        return said
    after = format_p(corrected, rules.alpha).removeprefix("p ")
    return f"{said}, {after} after {rules.correction_title} over {n_tests:,} tests"


def of_these_queries(
    names: tuple[str, str], bounds: "PairBounds | None", decision: Decision | None = None
) -> Statement | None:
    """Return what is said of these queries alone; ``None`` where nobody has looked or drawn.

    Args:
        names: of the two systems.
        bounds: how far their difference can still go, of what is decided on where somebody drew.
        decision: how drawing by lot stands; what is certain goes before it.
    """
    reach = _reach(bounds, "of their pool " if decision is not None else "")
    if bounds is not None and bounds.difference is None:
        return Statement("open", reach)
    where = _where(bounds)
    is_tie = decision is not None and decision.is_certain and decision.side == 0
    if bounds is not None and (bounds.is_certain or is_tie):
        less = f"the difference is less than {decision.least:g}; " if decision and is_tie else ""
        return Statement("certain", f"{where}, certain: {less}{reach}")
    if decision is None:
        return Statement("open", f"{where}, open: {reach}") if bounds is not None else None
    if decision.side is None:
        first, second = (f"{each:.1f}" for each in decision.evidence)
        said = f"{where}, not decided yet: evidence {first} for {names[0]}, {second} for {names[1]}"
        return Statement("open", f"{said}, of {decision.wanted:g}{_also(reach)}")
    named = f"the difference is less than {decision.least:g}"
    if decision.side:
        named = f"{names[0 if decision.side > 0 else 1]} is better"
    said = (
        f"{where}, decided by lot: {named}; at most {decision.risk * 100:g} of 100 such decisions "
        "are wrong"
    )
    if decision.about is not None:
        about, error = decision.about
        said += (
            f"; by the draws the mean difference is about {format_estimate(about, error)} "
            "(standard error)"
        )
    return Statement("decided", f"{said}{_also(reach)}")


def _also(reach: str) -> str:
    return f"; {reach}" if reach else "."


def _where(bounds: "PairBounds | None") -> str:
    """Return of which queries it is said: of more than are judged, where a mean is of these alone."""
    if bounds is None:
        return "On these queries"
    weighted = ", weighted" if bounds.is_weighted else ""
    if bounds.n_counted >= bounds.n_queries:
        return f"On these queries{weighted}"
    return f"On these {count_noun(bounds.n_queries, 'query')}{weighted}, {bounds.n_counted:,} of them with judgments"


def _reach(bounds: "PairBounds | None", pool: str) -> str:
    """Return between what the mean difference lies, whatever becomes of the unjudged."""
    if bounds is None:
        return ""
    if bounds.difference is None:
        first, second = bounds.names
        return f"Nothing is judged that {first} and {second} could be compared by."
    if not bounds.n_open:
        now = signed_in_full(bounds.difference)
        return f"nothing unjudged can change the mean difference, {now}."
    within = "" if bounds.is_exact else "within "
    low, high = signed_in_full(bounds.low), signed_in_full(bounds.high)
    return f"{_however(bounds, pool)} the mean difference lies {within}{low} to {high}."


def _however(bounds: "PairBounds", pool: str = "") -> str:
    """Return a clause that names what is open and matters, of all documents or of a pool."""
    matter = "matters is" if bounds.n_open == 1 else "matter are"
    n_open = count_noun(bounds.n_open, "unjudged document")
    return f"however the {n_open} {pool}that {matter} graded,"


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
        self._significance = significance(tested, rules, bounds)
        self._found = tested.pair.significance if tested.pair is not None else None

    def verdict(self) -> Verdict:
        if self._measure.spec.counts_judgments:
            # A share of judged ranks is certain of itself, and tells nothing of the runs.
            said = "Not tested: it says how much is judged, not which run is better."
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

    def _better(self, side: int) -> str:
        """Return which of the two is better, as a clause."""
        first, second = self._names
        if not side:
            return f"{first} and {second} are equal by {self._measure}"
        better, worse = (first, second) if side > 0 else (second, first)
        return f"{better} is better than {worse} by {self._measure}"

    # Other queries

    def _of_others(self) -> tuple[Statement, int | None]:
        rules, found, pair = self._rules, self._found, self._tested.pair
        if rules is None or found is None or pair is None or self._tested.p is None:
            return Statement("not tested", "Not tested yet."), None
        if not pair.n_queries:
            return Statement("not tested", "No query counts for both: nothing is tested."), None
        kind: Kind = "not shown"
        if self._is_tie:
            kind = "tie"
        elif self._significance:
            kind = self._significance
        alike = ", each counting alike" if self._is_weighted else ""
        said = f"Of other queries like these{alike}{self._by_some}, {kind}"
        sentences = [f"{said}: {self._numbers(pair, rules)}"]
        needed = None
        if kind == "not shown":
            needed = count_queries_needed(pair, rules, self._tested.n_tests)
            sentences.append(_what_would_show(pair, rules, needed))
        sentences.append(self._gradings(rules, kind))
        return Statement(kind, " ".join(filter(None, sentences))), needed

    @property
    def _is_weighted(self) -> bool:
        return self._bounds is not None and self._bounds.is_weighted

    @property
    def _by_some(self) -> str:
        """By what it is said of others, where more queries or documents are decided on."""
        bounds = self._bounds
        if bounds is None or not bounds.n_open:
            return ""
        if bounds.n_counted < bounds.n_queries:
            some = f"{bounds.n_counted:,} of {bounds.n_queries:,} queries"
            return f", by what is judged so far of {some}"
        return ", by what is judged so far" if self._decision is not None else ""

    @property
    def _is_tie(self) -> bool:
        p, rules = self._tested.p_tie, self._rules
        return p is not None and rules is not None and p < rules.alpha

    @property
    def _so_far(self) -> str:
        """What is to be added while judgments can still change it."""
        is_open = self._bounds is None or self._bounds.n_open > 0
        return ", as judged so far" if is_open and self._significance != "significant" else ""

    def _significant(self, rules: ComparisonRules) -> str:
        """Return which is better by what the test looks at: the mean, ranks, or signs."""
        assert self._found is not None
        said = self._better(self._found.side)
        if rules.test == "sign":
            return f"{said} in more of them"
        return f"{said} more often or by more" if rules.test == "wilcoxon" else said

    def _numbers(self, pair: PairComparison, rules: ComparisonRules) -> str:
        assert pair.difference is not None
        said = (
            f"mean difference {signed_in_full(pair.difference)}, {p_in_words(self._tested, rules)}"
        )
        if self._tested.p_tie is not None:
            what = "middle" if rules.test in {"wilcoxon", "sign"} else "mean"
            p = format_p(self._tested.p_tie, rules.alpha)
            said = f"{said}; {p} for a {what} within ±{rules.equivalence:g}"
        if pair.interval is None:
            return f"{said}."
        low, high = map(signed_in_full, pair.interval)
        size = "" if pair.effect is None else f", effect size {signed(pair.effect, 2)}"
        sure = f"{rules.confidence:.0%}".replace("%", " %")
        return f"{said}; {sure} interval of this pair alone {low} to {high}{size}."

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
        ends = [format_p(end, rules.alpha).removeprefix("p ") for end in (p.low, p.high)]
        within = "" if p.is_exact else "within "
        pool = "" if self._decision is None else "of their pool "
        said = f"H{_however(bounds, pool)[1:]} p alone lies {within}{ends[0]} to {ends[1]}"
        if kind == "significant":
            return f"{said}: it stays significant."
        if kind == "not shown" and p.low >= rules.alpha:
            return f"{said}: only more queries can show one."
        return f"{said}."

    # All of it

    def _head(self, these: Statement | None, others: Statement) -> str:
        if these is not None and these.kind == "open" and self._decision is not None:
            first, second = self._names
            return (
                f"Not decided yet between {first} and {second} by {self._measure} on these queries."
            )
        if these is None or these.kind == "open":
            return self._head_of_others(others)
        queries = "these queries, weighted" if self._is_weighted else "these queries"
        if self._decision is not None and self._decision.least and not self._side:
            said = self._within(self._decision.least)
        else:
            said = self._better(self._side)
        start = f"{said}: {these.kind} on {queries}"
        if others.kind == "not tested":
            return f"{start}."
        return f"{start}, {self._beside(others)}."

    def _within(self, reach: float) -> str:
        first, second = self._names
        return f"{first} and {second} tie by {self._measure} within ±{reach:g}"

    def _beside(self, others: Statement) -> str:
        """Return what is said of other queries after what is said of these."""
        assert self._found is not None
        assert self._rules is not None
        if others.kind == "not shown":
            return "not shown for others like these"
        if others.kind == "tie":
            return f"a tie within ±{self._rules.equivalence:g} for others like these"
        if self._found.side == self._side and self._rules.test not in {"sign", "wilcoxon"}:
            return f"significant for others like these{self._so_far}"
        said = self._significant(self._rules)
        return f"while for others like these {said}: significant{self._so_far}"

    def _head_of_others(self, others: Statement) -> str:
        first, second = self._names
        if others.kind == "not tested" or self._rules is None:
            return others.text
        if others.kind == "not shown":
            return (
                f"No difference between {first} and {second} by {self._measure} is shown for "
                "queries like these."
            )
        if others.kind == "tie":
            said = self._within(self._rules.equivalence)
            return f"{said} for queries like these{self._so_far}."
        said = self._significant(self._rules)
        return f"{said}: significant for queries like these{self._so_far}."


def _what_would_show(pair: PairComparison, rules: ComparisonRules, needed: int | None) -> str:
    """Return how many queries would show a difference, or that so few never can."""
    # All signs alike is the rarest that a test by signs can see.
    least, said = 2.0 ** (1 - pair.n_queries), ""
    if rules.test != "t" and least >= rules.alpha:
        found = format_p(least, rules.alpha).removeprefix("p ")
        count = count_noun(pair.n_queries, "query")
        said = f"With {count} this test can show no difference: p is never below {found}."
    if needed is None:
        return said
    count = count_noun(needed, "query")
    return f"{said} If others differ as these do, about {count} would show it 4 times in 5.".strip()
