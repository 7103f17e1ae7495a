"""What is said of two systems on the queries of a project alone, whatever other queries would say."""

from typing import TYPE_CHECKING, Literal, NamedTuple

from judgetool.core.number_text import (
    format_estimate,
    local_count,
    number_of,
    signed,
    signed_in_full,
)
from judgetool.metrics.values import OK, UNDEFINED
from judgetool.wording import N_, NN_, _, local_number

if TYPE_CHECKING:
    from judgetool.metrics import Engine, Measure
    from judgetool.metrics.terms import BoolArray
    from judgetool.session.comparing.pair_bounds import PairBounds
    from judgetool.session.session import Session

Kind = Literal[
    "certain",
    "decided",
    "open",
    "significant",
    "significant so far",
    "significant and a tie",
    "significant so far and a tie",
    "tie",
    "not shown",
    "not tested",
]


_LEFT_OUT = NN_(
    "{run}: {n} of {judged} judged queries has no results; it is left out.",
    "{run}: {n} of {judged} judged queries have no results; they are left out.",
)
_COUNT_AS_0 = NN_(
    "{run}: {n} of {judged} judged queries has no results; it counts as 0.",
    "{run}: {n} of {judged} judged queries have no results; they count as 0.",
)
_ALL_LEFT_OUT = NN_(
    "{run}: the judged query has no results; it is left out.",
    "{run}: none of {n} judged queries has results; they are left out.",
)
_ALL_COUNT_AS_0 = NN_(
    "{run}: the judged query has no results; it counts as 0.",
    "{run}: none of {n} judged queries has results; they count as 0.",
)


class WithoutResults(NamedTuple):
    """Judged queries that a system has no results for: what they do to its means.

    Attributes:
        name: the system's.
        n_missing: how many; at least 1.
        n_judged: of how many judged queries.
        are_left_out: whether means are without them; else each counts as 0.
    """

    name: str
    n_missing: int
    n_judged: int
    are_left_out: bool

    @property
    def sentence(self) -> str:
        """All of it, in the reader's language."""
        some = _LEFT_OUT if self.are_left_out else _COUNT_AS_0
        none = _ALL_LEFT_OUT if self.are_left_out else _ALL_COUNT_AS_0
        forms = some if self.n_missing < self.n_judged else none
        judged = local_count(self.n_judged)
        return number_of(self.n_missing, *forms, run=self.name, judged=judged)


def find_without_results(
    name: str, engine: "Engine", key: int, kept: "BoolArray | None" = None
) -> WithoutResults | None:
    """Return what is to be said of the judged queries that a run lacks; ``None`` where it has all.

    Args:
        name: of the run, or of the system that has it.
        engine: has its values.
        key: of the run in it.
        kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.
    """
    now = engine.moment(key)
    n_missing = int((now.is_missing if kept is None else now.is_missing & kept).sum())
    if not n_missing:
        return None
    if engine.conventions.missing == "all":
        looked_at = (query for query in range(engine.n_queries) if kept is None or kept[query])
        n_judged = sum(map(engine.is_judged_query, looked_at))
    else:
        # Only judged queries count: no need to look at each, with every key.
        is_judged = now.is_counted | now.is_missing
        n_judged = int((is_judged if kept is None else is_judged & kept).sum())
    return WithoutResults(name, n_missing, n_judged, engine.conventions.missing == "both")


def say_no_query_counts(name: str, engine: "Engine", key: int) -> list[str]:
    """Return why a run has no mean, in a sentence for each reason; none where it has all.

    Args:
        name: of the run.
        engine: has its values.
        key: of the run in it.
    """
    means = list(zip(engine.measures, engine.means(key), strict=True))
    lost = [(str(each), mean) for each, mean in means if mean.value is None]
    if lost and not engine.counted(key).any():
        if any(map(engine.is_judged_query, range(engine.n_queries))):
            said = _("{run}: no query counts: none is both judged and in the run.")
            return [said.format(run=name)]
        return [
            _("No query counts: no document has a grade that counts (below 0 means ‘not judged’).")
        ]
    undefined = [measure for measure, mean in lost if mean.n_undefined]
    if not undefined:
        return []
    said = _("{run}: no query counts by {measures}: the value of each is undefined.")
    return [said.format(run=name, measures=", ".join(undefined))]


_VALUE_LEFT_OUT = NN_(
    "{n} of {counted} queries has no value by {measure} ({why}); it is left out.",
    "{n} of {counted} queries have no value by {measure} ({why}); they are left out.",
)
_VALUE_COUNTS_AS_0 = NN_(
    "{n} of {counted} queries has no value by {measure} ({why}); it counts as 0 for both, a tie.",
    "{n} of {counted} queries have no value by {measure} ({why}); they count as 0 for both, as "
    "ties.",
)
_OF_RUN_LEFT_OUT = NN_(
    "{run}: {n} of {counted} queries has no value by {measure} ({why}); it is left out.",
    "{run}: {n} of {counted} queries have no value by {measure} ({why}); they are left out.",
)
_OF_RUN_COUNTS_AS_0 = NN_(
    "{run}: {n} of {counted} queries has no value by {measure} ({why}); it counts as 0.",
    "{run}: {n} of {counted} queries have no value by {measure} ({why}); they count as 0.",
)
_WHY_NO_VALUE = {
    "gain": N_("no document with a gain"),
    "share": N_("no document with a gain"),
    "grade": N_("no document of a grade above 0"),
    "clicks": N_("no clicks known"),
}
_ALL_ALIKE = N_("no two documents of different grades")
_NO_RELEVANT = N_("no relevant document")
_NONE_RANKED = N_("the ranking holds no document with a gain")
"""Why a query has no value, by what the measure takes from the scale."""


class WithoutValue(NamedTuple):
    """Queries that count of which a measure says nothing: what they do to a comparison.

    Attributes:
        run: whose ranking it hangs on that they have none; ``""``: on the judgments alone.
        n: how many.
        n_counted: of how many; not all are judged where those that are only in a run count, too.
        are_left_out: whether means are without them; else each counts as 0.
    """

    n: int
    n_counted: int
    are_left_out: bool
    run: str = ""

    def sentence(self, measure: "Measure") -> str:
        """All of it, in the reader's language; nothing where there is none."""
        if not self.n:
            return ""
        forms = _VALUE_LEFT_OUT if self.are_left_out else _VALUE_COUNTS_AS_0
        if self.run:
            forms = _OF_RUN_LEFT_OUT if self.are_left_out else _OF_RUN_COUNTS_AS_0
        counted = local_count(self.n_counted)
        spec = measure.spec
        why = _(_WHY_NO_VALUE.get(spec.uses, _NO_RELEVANT))
        if spec.uses == "grade" and not spec.divides_by_relevant:
            why = _(_ALL_ALIKE)
        elif self.run:
            why = _(_NONE_RANKED)
        said = {"measure": measure, "counted": counted, "why": why, "run": self.run}
        return number_of(self.n, *forms, **said)


def find_without_value(
    name: str, engine: "Engine", key: int, kept: "BoolArray | None" = None
) -> tuple[WithoutValue, ...]:
    """Return how many queries that count have no value, by each of the engine's measures.

    Args:
        name: of the run, or of the system that has it.
        engine: has its values.
        key: of the run in it.
        kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.
    """
    table = engine.moment(key)
    counts = (table if kept is None else table.of_part(kept)).sums().counts
    are_left_out = engine.conventions.undefined == "leave out"
    rows = zip(engine.measures, counts[UNDEFINED].tolist(), counts[OK].tolist(), strict=True)
    return tuple(
        WithoutValue(n, n + n_ok, are_left_out, name if measure.is_undefined_by_ranking else "")
        for measure, n, n_ok in rows
    )


def assumed_words(name: str, n_assumed: int) -> str:
    """Return the sentence that names the assumed grades of a system."""
    return number_of(
        n_assumed,
        "The figures of {run} count {n} assumed grade that nobody judged, for it alone.",
        "The figures of {run} count {n} assumed grades that nobody judged, for it alone.",
        run=name,
    )


def describe_lack(session: "Session", run_id: int, *, has_results: bool) -> str:
    """Return that a run has no results for the query that is shown, and how many judged ones it lacks."""
    said = [] if has_results else [_("This run has no results for this query.")]
    name = next(run.name for run in session.material.runs if run.run_id == run_id)
    lacked = find_without_results(name, session.board.engine, run_id)
    return " ".join([*said, *([lacked.sentence] if lacked is not None else [])])


def said_without_results(engine: "Engine", key: int, query: int) -> str:
    """Return that a run has no results for a judged query, and how it counts; ``""`` where it has."""
    if not engine.moment(key).is_missing[query]:
        return ""
    are_out = engine.conventions.missing == "both"
    return _("no results: left out of means") if are_out else _("no results: counts as 0")


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
            graded.
        n_open: unjudged documents of the pool on which that depends.
        is_count_exact: whether each of them can change it; if not, there are at most so many.
        about: mean difference as the draws estimate it, and its standard error, ``None`` where
            they were all alike; ``None``: too few.
        evidence: for the first and for the second.
        wanted: evidence at which it is decided.
    """

    side: int | None
    risk: float
    least: float = 0.0
    is_certain: bool = False
    n_queries: int = 0
    reach: tuple[float, float] = (0.0, 0.0)
    n_open: int = 0
    is_count_exact: bool = False
    about: tuple[float, float | None] | None = None
    evidence: tuple[float, float] = (1.0, 1.0)
    wanted: float = 20.0

    def bound(self, bounds: "PairBounds") -> "PairBounds":
        """Return how far a difference can go on the queries and in the pool that are decided on.

        Args:
            bounds: of whatever may be judged yet, of the same two.
        """
        low, high = self.reach
        p = bounds.p_range
        return bounds._replace(
            difference=(bounds.difference or 0.0) if self.n_open else low,
            low=low,
            high=high,
            is_exact=True,
            n_open=self.n_open,
            is_count_exact=self.is_count_exact or not self.n_open,
            n_queries=self.n_queries,
            # More may be judged than the pool: no p lies outside.
            p_range=None if p is None else p._replace(is_exact=False),
        )


class Statement(NamedTuple):
    """One thing that is said of a pair.

    Attributes:
        kind: in a word: of these queries ``certain``, ``decided`` or ``open``; of others
            ``significant``, ``significant so far`` (grades to come can change it), ``tie``, one of
            these two with ``and a tie``, ``not shown`` or ``not tested``.
        text: in sentences, with the numbers that it follows from.
    """

    kind: Kind
    text: str


def of_these_queries(
    names: tuple[str, str], bounds: "PairBounds | None", decision: Decision | None = None
) -> Statement | None:
    """Return what is said of these queries alone; ``None`` where nobody has looked or drawn.

    Args:
        names: of the two systems.
        bounds: how far their difference can still go, of what is decided on where somebody drew.
        decision: how drawing by lot stands; what is certain goes before it.
    """
    reach = _reach(bounds, is_of_pool=decision is not None)
    if bounds is not None and (bounds.difference is None or not bounds.has_ends):
        return Statement("open", reach)
    where = _where(bounds)
    is_tie = decision is not None and decision.is_certain and decision.side == 0
    if bounds is not None and (bounds.is_certain or is_tie):
        if decision and is_tie:
            reach = f"{_less_than(decision)}; {reach}"
        return Statement("certain", _("{where}, certain: {reach}").format(where=where, reach=reach))
    if decision is None:
        if bounds is None:
            return None
        return Statement("open", _("{where}, open: {reach}").format(where=where, reach=reach))
    if decision.side is None:
        first, second = (local_number(f"{each:.1f}") for each in decision.evidence)
        said = _(
            "{where}, not decided yet: evidence {evidence} for {name}, {other_evidence} for {other}, of {wanted}"
        ).format(
            where=where,
            evidence=first,
            name=names[0],
            other_evidence=second,
            other=names[1],
            wanted=plain_number(decision.wanted),
        )
        return Statement("open", _clauses(said, reach))
    named = _less_than(decision)
    if decision.side:
        named = _("{name} is better").format(name=names[0 if decision.side > 0 else 1])
    said = _(
        "{where}, decided by lot: {named}; at most {risk} of 100 such decisions are wrong"
    ).format(where=where, named=named, risk=plain_number(decision.risk * 100))
    drawn = ""
    if decision.about is not None:
        drawn = _("by the draws the mean difference is about {about}").format(
            about=estimate_in_words(*decision.about)
        )
    return Statement("decided", _clauses(said, drawn, reach))


def what_is_certain(bounds: "PairBounds") -> str:
    """Return which of two is better however the rest is graded, in a sentence; ``""`` while that is open.

    Without how many documents are unjudged: it stays true while they are judged.
    """
    these = of_these_queries(bounds.names, bounds)
    if these is None or not bounds.is_certain or bounds.difference is None:
        return ""
    if not bounds.measure.is_quality or abs(bounds.difference) <= bounds.margin:
        # Neither is better.
        return these.text
    worse, better = bounds.names if bounds.difference < 0 else bounds.names[::-1]
    return _("{where}, certain: {better} is better than {worse} by {measure}.").format(
        where=_where(bounds), better=better, worse=worse, measure=bounds.measure
    )


def say_counts_judged(measure: "Measure") -> str:
    """Return what is to be known of a measure that says how much is judged, where stakes are asked for."""
    return _(
        "{measure} says how much is judged: each judgment of what it looks at moves it, and none "
        "decides by it which run is better."
    ).format(measure=measure)


def estimate_in_words(about: float, error: float | None) -> str:
    """Return a mean difference as draws estimate it, and what they tell of its error."""
    if error is None:
        said = _("{about} (all draws were alike: they tell no error)")
        return said.format(about=local_number(signed(about, 2)))
    return _("{about} (standard error)").format(about=local_number(format_estimate(about, error)))


def plain_number(number: float) -> str:
    """Return a number of few digits as it is shown."""
    return local_number(f"{number:g}")


def _less_than(decision: Decision) -> str:
    return _("the difference is less than {least}").format(least=plain_number(decision.least))


def _clauses(*said: str) -> str:
    """Return clauses as one sentence; the last may have its full stop already."""
    text = "; ".join(filter(None, said))
    return text if text.endswith(".") else f"{text}."


def _where(bounds: "PairBounds | None") -> str:
    """Return of which queries it is said: of more than are judged, where a mean is of these alone."""
    if bounds is None or bounds.n_counted >= bounds.n_queries:
        is_weighted = bounds is not None and bounds.is_weighted
        return _("On these queries, weighted") if is_weighted else _("On these queries")
    counted = local_count(bounds.n_counted)
    if bounds.is_weighted:
        return number_of(
            bounds.n_queries,
            "On these {n} query, weighted, {counted} of them with judgments",
            "On these {n} queries, weighted, {counted} of them with judgments",
            counted=counted,
        )
    return number_of(
        bounds.n_queries,
        "On these {n} query, {counted} of them with judgments",
        "On these {n} queries, {counted} of them with judgments",
        counted=counted,
    )


def _reach(bounds: "PairBounds | None", *, is_of_pool: bool) -> str:
    """Return between what the mean difference lies, whatever becomes of the unjudged."""
    if bounds is None:
        return ""
    if not bounds.has_ends:
        return say_counts_judged(bounds.measure)
    if bounds.difference is None:
        first, second = bounds.names
        return _("Nothing is judged that {name} and {other} could be compared by.").format(
            name=first, other=second
        )
    if not bounds.n_open:
        now = local_number(signed_in_full(bounds.difference))
        return _("nothing unjudged can change the mean difference, {now}.").format(now=now)
    low, high = (local_number(signed_in_full(end)) for end in (bounds.low, bounds.high))
    said = (
        _("{however}, the mean difference lies {low} to {high}.")
        if bounds.is_exact
        else _("{however}, the mean difference lies within {low} to {high}.")
    )
    however = however_graded(bounds, is_of_pool=is_of_pool)
    return said.format(however=however, low=low, high=high)


def however_graded(bounds: "PairBounds", *, is_of_pool: bool) -> str:
    """Return a clause that names what is open and matters, of all documents or of a pool."""
    if is_of_pool and bounds.is_count_exact:
        return number_of(
            bounds.n_open,
            "however the {n} unjudged document of their pool that matters is graded",
            "however the {n} unjudged documents of their pool that matter are graded",
        )
    if is_of_pool:
        return number_of(
            bounds.n_open,
            "however the unjudged document of their pool that matters (at most {n}) is graded",
            "however the unjudged documents of their pool that matter (at most {n}) are graded",
        )
    if not bounds.is_count_exact:
        return number_of(
            bounds.n_open,
            "however the unjudged document that matters (at most {n}) is graded",
            "however the unjudged documents that matter (at most {n}) are graded",
        )
    return number_of(
        bounds.n_open,
        "however the {n} unjudged document that matters is graded",
        "however the {n} unjudged documents that matter are graded",
    )
