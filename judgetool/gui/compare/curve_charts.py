"""Curves of a query as charts: precision and recall, DCG, value against k, contributions."""

from collections.abc import Sequence

from judgetool.gui.plots.chart import Chart, Series, series
from judgetool.metrics import Measure
from judgetool.metrics.curves import (
    Curve,
    contribution_by_rank,
    dcg_by_rank,
    interpolated_precision_recall,
    precision_recall_points,
    value_by_cutoff,
)
from judgetool.metrics.query_grades import QueryGrades
from judgetool.session.comparing.system_values import Place, place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System

MOST_LINES = 4
DEPTH = 20
UNIT = (0.0, 1.0)


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
    known = [(each.name, place, _grades(place, query)) for each, place in drawn]
    charts = [_precision_recall(known), _dcg(known, measure)]
    if measure.cutoff is not None:
        charts.append(_against_k(known, measure))
    charts.append(_contributions(known, measure))
    return charts


_Known = tuple[str, Place, QueryGrades]


def _grades(place: Place, query: int) -> QueryGrades:
    return place.engine.query_grades(place.key, query, pool=place.board.pool(query))


def _line(label: str, curve: Curve, *, is_quiet: bool = False) -> Series:
    return series(label, curve.x.tolist(), curve.y.tolist(), is_quiet=is_quiet)


def _precision_recall(known: Sequence[_Known]) -> Chart:
    lines: list[Series] = []
    for name, place, grades in known:
        own = precision_recall_points(grades, place.engine.scale)
        lines.append(series(name, (), ()) if own is None else _line(name, own))
    name, place, grades = known[0]
    steps = interpolated_precision_recall(grades, place.engine.scale)
    if steps is not None:
        lines.append(_line(f"{name}, interpolated", steps, is_quiet=True))
    return Chart(
        "Precision and recall",
        "recall",
        "precision",
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
        empty="No relevant document is ranked here.",
    )


def _dcg(known: Sequence[_Known], measure: Measure) -> Chart:
    gain = measure if measure.spec.kernel == "ndcg" else Measure("nDCG")
    lines, ideal = [], None
    for name, place, grades in known:
        own, best = dcg_by_rank(gain.with_cutoff(None), grades, place.engine.scale)
        lines.append(_line(name, _top(own)))
        ideal = best
    if ideal is not None:
        lines.append(_line("ideal", _top(ideal), is_quiet=True))
    return Chart(
        "DCG against ideal",
        "rank",
        "DCG",
        tuple(lines),
        has_whole_x=True,
        empty="No ranking of this query.",
    )


def _top(curve: Curve) -> Curve:
    return Curve(curve.label, curve.x[:DEPTH], curve.y[:DEPTH], curve.x_label, curve.y_label)


def _against_k(known: Sequence[_Known], measure: Measure) -> Chart:
    lines = []
    for name, place, grades in known:
        # Beyond the end of a list the value goes on: its last point is that of the table.
        cutoffs = range(1, max(DEPTH, measure.cutoff or 0) + 1)
        curve = value_by_cutoff(measure, grades, place.engine.scale, cutoffs=cutoffs)
        lines.append(_line(name, curve))
    return Chart(
        f"{measure.name} against k",
        "k",
        measure.name,
        tuple(lines),
        has_whole_x=True,
        empty=f"{measure.name} is undefined for this query.",
    )


def _contributions(known: Sequence[_Known], measure: Measure) -> Chart:
    name, place, grades = known[0]
    leaves_out = place.engine.conventions.unjudged == "left out"
    curve = contribution_by_rank(measure, grades, place.engine.scale, leave_out_unjudged=leaves_out)
    bars: tuple[Series, ...] = ()
    if curve is not None and len(curve.x):
        top = _top(curve)
        bars = (series(name, top.x.tolist(), top.y.tolist(), kind="bars"),)
    return Chart(
        f"What each rank adds to {measure}, {name}",
        "rank",
        f"adds to {measure}",
        bars,
        has_whole_x=True,
        empty=f"{measure} is no sum over ranks here.",
    )
