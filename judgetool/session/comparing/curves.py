"""Curves as charts: of one query, of all queries, and over the log of judgments."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from judgetool.core.number_text import UNDEFINED
from judgetool.core.scale import Scale, format_grade
from judgetool.metrics import Measure
from judgetool.metrics.comparison import weights_in
from judgetool.metrics.curves import (
    Curve,
    contribution_by_rank,
    dcg_by_rank,
    interpolated_precision_recall,
    judged_means,
    mean_by_cutoff,
    mean_dcg_by_rank,
    precision_recall_points,
    value_by_cutoff,
)
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.measures_relevance import ELEVEN_POINTS
from judgetool.metrics.rankings import RunFacts
from judgetool.metrics.terms import BoolArray, FloatArray
from judgetool.session.charts import Chart, Series, series
from judgetool.session.commands import IsCancelled
from judgetool.session.comparing.snapshots import JudgingMoment, past_values_work
from judgetool.session.comparing.system_values import Place, place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.wording import stated

MOST_LINES = 4
DEPTH = 20
UNIT = (0.0, 1.0)
CUTOFFS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
_SHOWN_RANKS = 10


def query_charts(
    session: Session, systems: Sequence[System], query: int, measure: Measure
) -> list[Chart]:
    """Return the curves of a query.

    Args:
        session: the project.
        systems: at most four are drawn; contributions are those of the first.
        query: its number.
        measure: what is drawn against k and by rank.

    Raises:
        InputError: a system is no longer in the project.
    """
    drawn = [(each, place_of_system(session, each)) for each in systems[:MOST_LINES]]
    known = [(each.name, place, place.grades_of(query)) for each, place in drawn]
    gain, curves = _gain(measure), []
    for name, place, grades in known:
        own, ideal = dcg_by_rank(gain, grades, place.engine.scale)
        curves.append((name, _top(own), _top(ideal)))
    dcg = _dcg(stated("DCG against ideal"), curves)
    charts = [_precision_recall(known), dcg._replace(empty=stated("No ranking of this query."))]
    if measure.cutoff is not None:
        # Beyond the end of a list the value goes on: its last point is that of the table.
        cutoffs = range(1, max(DEPTH, measure.cutoff) + 1)
        against = [
            (name, value_by_cutoff(measure, grades, place.engine.scale, cutoffs=cutoffs))
            for name, place, grades in known
        ]
        undefined = stated("{measure} is undefined for this query.", measure=measure.name)
        title = stated(
            "{measure} against k; the table: k = {k}", measure=measure.name, k=measure.cutoff
        )
        charts.append(_against_k(title, measure, against)._replace(empty=undefined))
    charts.append(_contributions(known, measure))
    return charts


_Known = tuple[str, Place, QueryGrades]


def curve_line(label: str, curve: Curve, *, is_quiet: bool = False, ink: str = "") -> Series:
    """Return a curve as a line of a chart."""
    x, y = tuple(curve.x.tolist()), tuple(curve.y.tolist())
    return Series(label, x, y, is_quiet=is_quiet, ink=ink, marked_to=curve.held_to)


def _precision_recall(known: Sequence[_Known]) -> Chart:
    lines: list[Series] = []
    for name, place, grades in known:
        own = precision_recall_points(grades, place.engine.scale)
        lines.append(series(name, (), ()) if own is None else curve_line(name, own))
    name, place, grades = known[0]
    steps = interpolated_precision_recall(grades, place.engine.scale)
    if steps is not None:
        lines.append(curve_line(stated("{name}, interpolated", name=name), steps, is_quiet=True))
    return Chart(
        stated("Precision and recall"),
        stated("recall"),
        stated("precision"),
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
        empty=stated("No relevant document is ranked here."),
    )


def _gain(measure: Measure) -> Measure:
    """Return the measure whose gains are drawn: the one that is looked at where it has any."""
    return (measure if measure.name == "nDCG" else Measure("nDCG")).with_cutoff(None)


def _dcg(title: str, curves: Sequence[tuple[str, Curve, Curve]]) -> Chart:
    """Return the DCG of each against that of the ideal order, which is the same for all."""
    lines = [curve_line(name, own) for name, own, _ in curves]
    lines += [curve_line(stated("ideal"), ideal, is_quiet=True) for *_, ideal in curves[-1:]]
    return Chart(title, stated("rank"), "DCG", tuple(lines), has_whole_x=True)


def _top(curve: Curve) -> Curve:
    return curve._replace(x=curve.x[:DEPTH], y=curve.y[:DEPTH])


def _against_k(title: str, measure: Measure, curves: Sequence[tuple[str, Curve]]) -> Chart:
    lines = tuple(curve_line(*each) for each in curves)
    return Chart(title, "k", measure.name, lines, has_whole_x=True)


def _contributions(known: Sequence[_Known], measure: Measure) -> Chart:
    name, place, grades = known[0]
    leaves_out = place.engine.conventions.leaves_out_unjudged
    curve = contribution_by_rank(measure, grades, place.engine.scale, leave_out_unjudged=leaves_out)
    bars: tuple[Series, ...] = ()
    if curve is not None and len(curve.x):
        top = _top(curve)
        bars = (series(name, top.x.tolist(), top.y.tolist(), kind="bars"),)
    return Chart(
        stated("What each rank adds to {measure}, {name}", measure=measure, name=name),
        stated("rank"),
        stated("adds to {measure}", measure=measure),
        bars,
        has_whole_x=True,
        empty=stated("{measure} is no sum over ranks here.", measure=measure),
    )


# Over all queries: for a worker, from arrays that were copied before.


class DrawnSystem(NamedTuple):
    """What the curves of one system over all queries are computed from, apart from the session."""

    name: str
    facts: RunFacts
    scale: Scale
    leaves_out: bool
    weights: FloatArray


def draw_from(session: Session, system: System, kept: BoolArray | None = None) -> DrawnSystem:
    """Return what a system's curves are computed from.

    Args:
        session: the project.
        system: which.
        kept: the queries that are drawn alone, shape (n_queries,); ``None`` for all.

    Raises:
        InputError: the system is no longer in the project.
    """
    place = place_of_system(session, system)
    leaves_out = place.engine.conventions.leaves_out_unjudged
    facts = place.engine.run_facts(place.key)
    facts = facts if kept is None else facts.among(kept)
    return DrawnSystem(system.name, facts, place.board.scale, leaves_out, place.board.mean_weights)


def mean_charts_work(
    session: Session, systems: Sequence[System], measure: Measure, *, where: str = ""
) -> Callable[[IsCancelled | None], list[Chart]]:
    """Return the work of drawing the curves of all queries, for another thread.

    The last one is how the means came about, judgment by judgment, of the systems of the present.

    Args:
        session: the project.
        systems: at most four are drawn; grades by rank are those of the first.
        measure: what is drawn against k.
        where: the queries that are drawn, see ``queries_where``; ``""`` for all.

    Raises:
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    kept = kept_queries(session, where)
    drawn = [draw_from(session, system, kept) for system in systems[:MOST_LINES]]
    present = [each for each in systems[:MOST_LINES] if not each.snapshot]
    has_times = bool(present) and measure.spec.has_query_values
    times = _over_time_work(session, present, measure, kept) if has_times else None

    def work(is_cancelled: IsCancelled | None) -> list[Chart]:
        makers: list[Callable[[], Chart]] = [
            lambda: _mean_precision_recall(drawn),
            lambda: mean_dcg_chart(drawn, measure),
        ]
        if measure.cutoff is not None:
            makers.append(lambda: mean_against_k_chart(drawn, measure))
        makers.append(lambda: grades_by_rank_chart(drawn[0].name, drawn[0].facts, drawn[0].scale))
        if times is not None:
            makers.append(partial(times, is_cancelled))
        charts: list[Chart] = []
        for make in makers:
            if is_cancelled is not None and is_cancelled():
                break
            charts.append(make())
        return charts

    return work


def _mean_precision_recall(drawn: Sequence[DrawnSystem]) -> Chart:
    lines = []
    for each in drawn:
        measures = [Measure("IPrec", (("recall", level),)) for level in ELEVEN_POINTS]
        means = judged_means(measures, each.facts, each.scale, weights=each.weights).tolist()
        lines.append(series(each.name, ELEVEN_POINTS[: len(means)], means))
    return Chart(
        stated("Precision and recall, mean of the judged queries"),
        stated("recall"),
        stated("interpolated precision"),
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
    )


def mean_dcg_chart(drawn: Sequence[DrawnSystem], measure: Measure) -> Chart:
    """Return the mean DCG by rank against that of the ideal order."""
    gain = _gain(measure)
    return _dcg(
        stated("DCG against ideal, mean of the judged queries"),
        [
            (e.name, *mean_dcg_by_rank(gain, e.facts, e.scale, depth=DEPTH, weights=e.weights))
            for e in drawn
        ],
    )


def mean_against_k_chart(drawn: Sequence[DrawnSystem], measure: Measure) -> Chart:
    """Return the mean of a measure at other cutoffs than its own."""

    def curve(each: DrawnSystem) -> Curve:
        leaves_out, facts = each.leaves_out, each.facts
        cutoffs = sorted({*CUTOFFS, measure.cutoff or CUTOFFS[0]})
        return mean_by_cutoff(
            measure,
            facts,
            each.scale,
            cutoffs=cutoffs,
            leave_out_unjudged=leaves_out,
            weights=weights_in(measure, each.weights),
        )

    title = stated(
        "{measure} against k, mean; the table: k = {k}", measure=measure.name, k=measure.cutoff
    )
    return _against_k(title, measure, [(each.name, curve(each)) for each in drawn])


def grades_by_rank_chart(name: str, facts: RunFacts, scale: Scale) -> Chart:
    """Return how many queries have which grade at each of the first ranks, stacked."""
    ranks = np.arange(1, _SHOWN_RANKS + 1)
    graded = facts.graded
    is_top = graded.ranks <= _SHOWN_RANKS
    places, grades = graded.ranks[is_top], graded.grades[is_top]
    n_there = np.array([np.count_nonzero(facts.lengths >= rank) for rank in ranks])
    layers, left = [], n_there.astype(float)
    for grade in np.unique(grades[grades >= 0])[::-1].tolist():
        counts = np.bincount(places[grades == grade], minlength=_SHOWN_RANKS + 1)[1:]
        left -= counts
        layers.append(_layer(ranks, counts, grade))
    layers.append(_layer(ranks, left, None))
    return Chart(
        stated("Grades by rank, {name}", name=name),
        stated("rank"),
        stated("queries"),
        tuple(layer for layer in layers if any(layer.y)),
        digits=0,
        has_whole_x=True,
        scale=scale,
    )


def _layer(ranks: np.ndarray, counts: np.ndarray, grade: float | None) -> Series:
    sign = UNDEFINED if grade is None else format_grade(grade)
    return Series(
        stated("unjudged") if grade is None else stated("grade {grade}", grade=sign),
        tuple(map(float, ranks)),
        tuple(map(float, counts)),
        kind="stack",
        ink="sunken" if grade is None else "grade",
        grade=grade,
        sign=sign,
    )


def _over_time_work(
    session: Session, systems: Sequence[System], measure: Measure, kept: BoolArray | None
) -> Callable[[IsCancelled | None], Chart]:
    """Return the work of drawing means over the log; the systems are of the present."""
    works = [(each.name, past_values_work(session, each, measure, kept=kept)) for each in systems]

    def work(is_cancelled: IsCancelled | None) -> Chart:
        lines = []
        for name, find in works:
            with session.second_reader() as reader:
                lines.append(_over_time(name, find(reader, is_cancelled)))
        return Chart(
            stated("{measure} as judgments came", measure=measure),
            stated("judgments"),
            stated("mean {measure}", measure=measure),
            tuple(lines),
            has_whole_x=True,
            empty=stated("Nothing is judged yet."),
        )

    return work


def _over_time(name: str, found: Sequence[JudgingMoment]) -> Series:
    # Where judgments were taken back there are several values for a count: the last holds.
    by_count = {float(each.n_judged): each.value for each in found}
    counts = sorted(by_count)
    return Series(name, tuple(counts), tuple(by_count[count] for count in counts), kind="step")
