"""Curves over all queries: for a worker, from arrays that were copied before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor

from judgetool.core.scale import Scale, format_grade
from judgetool.gui.compare.curve_charts import DEPTH, MOST_LINES, UNIT
from judgetool.gui.grade_style import grade_style
from judgetool.gui.number_text import UNDEFINED
from judgetool.gui.plots.chart import Chart, Ink, Series, series
from judgetool.gui.theme import Theme
from judgetool.metrics import Measure
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.bounds_points import present_values
from judgetool.metrics.curves import RECALL_LEVELS, mean_by_cutoff, mean_dcg_by_rank
from judgetool.metrics.run_block import RunFacts
from judgetool.session.comparing.system_values import place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System

CUTOFFS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
_SHOWN_RANKS = 10
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    name: str
    facts: RunFacts
    scale: Scale
    leaves_out: bool


def mean_charts_work(
    session: Session, systems: Sequence[System], measure: Measure
) -> Callable[[IsCancelled | None], list[Chart]]:
    """Return the work of drawing the curves of all queries, for another thread.

    Args:
        session: the project.
        systems: at most four are drawn; grades by rank are those of the first.
        measure: what is drawn against k.

    Raises:
        InputError: a system is no longer in the project.
    """
    drawn = []
    for system in systems[:MOST_LINES]:
        place = place_of_system(session, system)
        leaves_out = place.engine.conventions.unjudged == "left out"
        facts = place.engine.run_facts(place.key)
        drawn.append(_Drawn(system.name, facts, place.board.scale, leaves_out))

    def work(is_cancelled: IsCancelled | None) -> list[Chart]:
        makers: list[Callable[[], Chart]] = [
            lambda: _precision_recall(drawn),
            lambda: _dcg(drawn, measure),
        ]
        if measure.cutoff is not None:
            makers.append(lambda: _against_k(drawn, measure))
        makers.append(lambda: grades_by_rank_chart(drawn[0].name, drawn[0].facts, drawn[0].scale))
        charts: list[Chart] = []
        for make in makers:
            if is_cancelled is not None and is_cancelled():
                break
            charts.append(make())
        return charts

    return work


def _precision_recall(drawn: Sequence[_Drawn]) -> Chart:
    lines = []
    for each in drawn:
        facts = each.facts
        block = GradesBlock.from_hits(facts.hits, facts.lengths, facts.judged)
        is_judged = facts.judged.counts > 0
        if not is_judged.any():
            lines.append(series(each.name, (), ()))
            continue
        means = [
            float(present_values(measure, block, each.scale)[is_judged].mean())
            for measure in (Measure("IPrec", (("recall", level),)) for level in RECALL_LEVELS)
        ]
        lines.append(series(each.name, RECALL_LEVELS, means))
    return Chart(
        "Precision and recall, mean of the judged queries",
        "recall",
        "interpolated precision",
        tuple(lines),
        x_range=UNIT,
        y_range=UNIT,
    )


def _dcg(drawn: Sequence[_Drawn], measure: Measure) -> Chart:
    gain = measure if measure.spec.kernel == "ndcg" else Measure("nDCG")
    lines: list[Series] = []
    ideal: Series | None = None
    for each in drawn:
        own, best = mean_dcg_by_rank(gain.with_cutoff(None), each.facts, each.scale, depth=DEPTH)
        lines.append(series(each.name, own.x.tolist(), own.y.tolist()))
        ideal = series("ideal", best.x.tolist(), best.y.tolist(), is_quiet=True)
    return Chart(
        "DCG against ideal, mean of the judged queries",
        "rank",
        "DCG",
        (*lines, *((ideal,) if ideal is not None else ())),
        has_whole_x=True,
    )


def _against_k(drawn: Sequence[_Drawn], measure: Measure) -> Chart:
    lines = []
    for each in drawn:
        curve = mean_by_cutoff(
            measure,
            each.facts,
            each.scale,
            cutoffs=CUTOFFS,
            leave_out_unjudged=each.leaves_out,
        )
        lines.append(series(each.name, curve.x.tolist(), curve.y.tolist()))
    return Chart(
        f"{measure.name} against k, mean", "k", measure.name, tuple(lines), has_whole_x=True
    )


def grades_by_rank_chart(name: str, facts: RunFacts, scale: Scale) -> Chart:
    """Return how many queries have which grade at each of the first ranks, stacked."""
    ranks = np.arange(1, _SHOWN_RANKS + 1)
    hits = facts.hits
    is_top = hits.ranks <= _SHOWN_RANKS
    places, grades = hits.ranks[is_top], hits.grades[is_top]
    n_there = np.array([np.count_nonzero(facts.lengths >= rank) for rank in ranks])
    layers, left = [], n_there.astype(float)
    for grade in np.unique(grades[grades >= 0])[::-1].tolist():
        counts = np.bincount(places[grades == grade], minlength=_SHOWN_RANKS + 1)[1:]
        left -= counts
        layers.append(_layer(format_grade(grade), ranks, counts, _grade_ink(scale, grade)))
    layers.append(_layer(UNDEFINED, ranks, left, _open_ink, label="unjudged"))
    return Chart(
        f"Grades by rank, {name}",
        "rank",
        "queries",
        tuple(layer for layer in layers if any(layer.y)),
        digits=0,
        has_whole_x=True,
    )


def _layer(
    sign: str, ranks: np.ndarray, counts: np.ndarray, ink: Ink, *, label: str = ""
) -> Series:
    return Series(
        label or f"grade {sign}",
        tuple(map(float, ranks)),
        tuple(map(float, counts)),
        kind="stack",
        ink=ink,
        sign=sign,
    )


def _grade_ink(scale: Scale, grade: float) -> Ink:
    def ink(theme: Theme) -> QColor:
        return grade_style(scale, grade, theme).ink

    return ink


def _open_ink(theme: Theme) -> QColor:
    return theme.sunken
