"""What the window shows until someone chooses otherwise."""

from judgetool.metrics.grammar import parse_measure
from judgetool.metrics.measure import Measure

DEFAULT_MEASURES: tuple[Measure, ...] = tuple(
    parse_measure(name)
    for name in (
        *("P@5", "P@10", "R@10", "AP", "RR"),
        *("nDCG@5", "nDCG@10", "ERR@10", "pFound@10", "Judged@10"),
    )
)
