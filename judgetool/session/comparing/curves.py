"""Curves as charts: of one query, of all queries, and over the log of judgments."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from judgetool.core.number_text import UNDEFINED
from judgetool.core.scale import shown_grade
from judgetool.metrics import Engine, Measure
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.curves import (
    Curve,
    contribution_by_rank,
    dcg_by_rank,
    interpolated_precision_recall,
    mean_dcg_by_rank,
    measure_beside,
    precision_recall_points,
    value_by_cutoff,
)
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.rankings import RunFacts
from judgetool.metrics.terms import BoolArray
from judgetool.session.charts import Chart, Series, series
from judgetool.session.commands import IsCancelled
from judgetool.session.comparing.snapshots import JudgingMoment, past_values_work
from judgetool.session.comparing.system_values import Place, place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System, kept_queries
from judgetool.wording import AsIs, stated

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
    places = [(each.name, place_of_system(session, each)) for each in systems[:MOST_LINES]]
    known = [_Known(name, place, query, place.grades_of(query)) for name, place in places]
    gain = measure_beside(measure, "nDCG", known[0].conventions)
    curves = []
    for each in known:
        own, ideal = each.dcg(gain)
        curves.append((each.name, _top(own), _top(ideal)))
    dcg = _dcg(stated("DCG against ideal"), curves, rank_words(gain, known[0].conventions))
    charts = [
        _precision_recall(known, measure),
        dcg._replace(empty=stated("No ranking of this query.")),
    ]
    if measure.cutoff is not None:
        # Beyond the end of a list the value goes on: its last point is that of the table.
        cutoffs = range(1, max(DEPTH, measure.cutoff) + 1)
        against = [(each.name, value_by_cutoff(measure, each.values, cutoffs)) for each in known]
        undefined = stated("{measure} is undefined for this query.", measure=measure.name)
        title = stated(
            "{measure} against k; the table: k = {k}", measure=measure.name, k=measure.cutoff
        )
        charts.append(_against_k(title, measure, against)._replace(empty=undefined))
    charts.append(_contributions(known[0], measure))
    return charts


class _Known(NamedTuple):
    """A ranking that is drawn."""

    name: str
    place: Place
    query: int
    grades: QueryGrades

    @property
    def conventions(self) -> Conventions:
        return self.place.engine.conventions

    @property
    def leaves_out(self) -> bool:
        return self.conventions.leaves_out_unjudged

    def values(self, measures: Sequence[Measure]) -> list[float | None]:
        """Return what the table would say of the measures."""
        return self.place.engine.numbers_of(self.place.key, self.query, measures)

    def dcg(self, gain: Measure) -> tuple[Curve, Curve]:
        """Return DCG by rank, and that of the ideal order."""
        scale, leaves_out = self.place.engine.scale, self.leaves_out
        return dcg_by_rank(gain, self.grades, scale, leave_out_unjudged=leaves_out)


def curve_line(label: str, curve: Curve, *, is_quiet: bool = False, ink: str = "") -> Series:
    """Return a curve as a line of a chart."""
    x, y = tuple(curve.x.tolist()), tuple(curve.y.tolist())
    return Series(label, x, y, is_quiet=is_quiet, ink=ink, marked_to=curve.held_to)


def _precision_recall(known: Sequence[_Known], measure: Measure) -> Chart:
    lines: list[Series] = []
    first = known[0]
    relevance = measure_beside(measure, "AP", first.conventions)
    for each in known:
        own = precision_recall_points(
            relevance, each.grades, each.place.engine.scale, leave_out_unjudged=each.leaves_out
        )
        lines.append(series(each.name, (), ()) if own is None else curve_line(each.name, own))
    steps = interpolated_precision_recall(relevance, first.values)
    if steps is not None:
        label = stated("{name}, interpolated", name=AsIs(first.name))
        lines.append(curve_line(label, steps, is_quiet=True))
    return Chart(
        stated("Precision and recall"),
        stated("recall"),
        stated("precision"),
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
        empty=stated("No relevant document is ranked here."),
    )


def rank_words(gain: Measure, conventions: Conventions) -> str:
    """Return what is counted to the right of a curve by rank."""
    if gain.takes_out_unjudged(leave_out_unjudged=conventions.leaves_out_unjudged):
        return stated("rank, unjudged documents taken out")
    return stated("rank")


def _full_rank_words(conventions: Conventions) -> str:
    """Return what is counted to the right where unjudged documents keep their places."""
    if conventions.leaves_out_unjudged:
        return stated("rank, with unjudged documents")
    return stated("rank")


def _dcg(title: str, curves: Sequence[tuple[str, Curve, Curve]], rank: str) -> Chart:
    """Return the DCG of each against that of the ideal order, once where it is the same for all."""
    lines = [curve_line(name, own) for name, own, _ in curves]
    ideals = {tuple(ideal.y.tolist()): ideal for *_, ideal in curves if len(ideal.x)}
    longest = max(map(len, ideals), default=0)
    if len({(*each, *each[-1:] * (longest - len(each))) for each in ideals}) < 2:
        best = ideals.get(max(ideals, key=len, default=()))
        lines += [curve_line(stated("ideal"), best, is_quiet=True)] if best is not None else []
    else:
        lines += [
            curve_line(stated("ideal, {name}", name=AsIs(name)), ideal, is_quiet=True)
            for name, _, ideal in curves
        ]
    return Chart(title, rank, "DCG", tuple(lines), has_whole_x=True)


def _top(curve: Curve) -> Curve:
    return curve._replace(x=curve.x[:DEPTH], y=curve.y[:DEPTH])


def _against_k(title: str, measure: Measure, curves: Sequence[tuple[str, Curve]]) -> Chart:
    lines = tuple(curve_line(*each) for each in curves)
    return Chart(title, "k", measure.name, lines, has_whole_x=True)


def _contributions(known: _Known, measure: Measure) -> Chart:
    scale, leaves_out = known.place.engine.scale, known.leaves_out
    curve = contribution_by_rank(measure, known.grades, scale, leave_out_unjudged=leaves_out)
    bars: tuple[Series, ...] = ()
    if curve is not None and len(curve.x):
        top = _top(curve)
        bars = (series(known.name, top.x.tolist(), top.y.tolist(), kind="bars"),)
    return Chart(
        stated("What each rank adds to {measure}, {name}", measure=measure, name=AsIs(known.name)),
        _full_rank_words(known.conventions),
        stated("adds to {measure}", measure=measure),
        bars,
        has_whole_x=True,
        empty=stated("{measure} is no sum over ranks here.", measure=measure),
    )


# Over all queries: for a worker, from copies that were made before.


class DrawnSystem(NamedTuple):
    """What the curves of one system over all queries are computed from, apart from the session.

    Attributes:
        name: of the system.
        engine: with its rankings alone, which no other thread uses.
        key: its key there.
        kept: the queries that are drawn alone, shape (n_queries,); ``None`` for all.
    """

    name: str
    engine: Engine
    key: int
    kept: BoolArray | None

    @property
    def facts(self) -> RunFacts:
        """Grades and lengths of its rankings."""
        facts = self.engine.run_facts(self.key)
        return facts if self.kept is None else facts.among(self.kept)

    def means(self, measures: Sequence[Measure]) -> list[float | None]:
        """Return what the table would say of the measures."""
        engine, key, kept = self.engine, self.key, self.kept
        engine.set_measures(measures)
        found = engine.means(key) if kept is None else engine.means_of_part(key, kept)
        return [mean.value for mean in found]


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
    return DrawnSystem(system.name, place.engine.alone(place.key), place.key, kept)


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
            lambda: _mean_precision_recall(drawn, measure),
            lambda: mean_dcg_chart(drawn, measure),
        ]
        if measure.cutoff is not None:
            makers.append(lambda: mean_against_k_chart(drawn, measure))
        makers.append(lambda: grades_by_rank_chart(drawn[0]))
        if times is not None:
            makers.append(partial(times, is_cancelled))
        charts: list[Chart] = []
        for make in makers:
            if is_cancelled is not None and is_cancelled():
                break
            charts.append(make())
        return charts

    return work


def _mean_precision_recall(drawn: Sequence[DrawnSystem], measure: Measure) -> Chart:
    relevance = measure_beside(measure, "AP", drawn[0].engine.conventions)
    lines = []
    for each in drawn:
        steps = interpolated_precision_recall(relevance, each.means)
        lines.append(series(each.name, (), ()) if steps is None else curve_line(each.name, steps))
    return Chart(
        stated("Precision and recall, mean of the queries that count"),
        stated("recall"),
        stated("interpolated precision"),
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
    )


def mean_dcg_chart(drawn: Sequence[DrawnSystem], measure: Measure) -> Chart:
    """Return the mean DCG by rank against that of the ideal order."""
    conventions = drawn[0].engine.conventions
    gain = measure_beside(measure, "nDCG", conventions)
    curves = [
        (each.name, *mean_dcg_by_rank(gain, each.engine, each.key, depth=DEPTH, kept=each.kept))
        for each in drawn
    ]
    return _dcg(
        stated("DCG against ideal, mean of the queries that count"),
        curves,
        rank_words(gain, conventions),
    )


def mean_against_k_chart(drawn: Sequence[DrawnSystem], measure: Measure) -> Chart:
    """Return the mean of a measure at other cutoffs than its own."""
    title = stated(
        "{measure} against k, mean; the table: k = {k}", measure=measure.name, k=measure.cutoff
    )
    cutoffs = sorted({*CUTOFFS, measure.cutoff or CUTOFFS[0]})
    curves = [(each.name, value_by_cutoff(measure, each.means, cutoffs)) for each in drawn]
    return _against_k(title, measure, curves)


def grades_by_rank_chart(drawn: DrawnSystem) -> Chart:
    """Return how many queries have which grade at each of the first ranks, stacked.

    Unjudged documents stand in their places, and queries that do not count are among them.
    """
    name, facts, scale = drawn.name, drawn.facts, drawn.engine.scale
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
        stated("Grades by rank, {name}", name=AsIs(name)),
        _full_rank_words(drawn.engine.conventions),
        stated("queries"),
        tuple(layer for layer in layers if any(layer.y)),
        digits=0,
        has_whole_x=True,
        scale=scale,
    )


def _layer(ranks: np.ndarray, counts: np.ndarray, grade: float | None) -> Series:
    sign = UNDEFINED if grade is None else shown_grade(grade)
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
