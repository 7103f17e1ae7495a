"""Views of judgments: which of several judgments of one document counts.

A view folds what all assessors said of a (query, document) into one grade. It is
named by a *rule*, or ``assessor`` for one person's judgments alone.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum
from typing import NamedTuple

from judgetool.errors import named
from judgetool.wording import N_, _


class Said(NamedTuple):
    """One assessor's grade of a (query, document), for folding.

    Attributes:
        grade: what was given.
        step: number of the change that gave it; higher is later.
        at: when it was given, milliseconds UTC; tells those of one change apart (an import
            brings grades of many times).
    """

    grade: float
    step: int
    at: int = 0


def _latest(said: Sequence[Said]) -> float:
    return max(said, key=lambda entry: (entry.step, entry.at, entry.grade)).grade


def is_tied(said: Sequence[Said]) -> bool:
    """Whether different grades were given last at the same time, so that the highest counts as latest.

    Args:
        said: at least one.
    """
    last = max((entry.step, entry.at) for entry in said)
    return len({entry.grade for entry in said if (entry.step, entry.at) == last}) > 1


def _majority(said: Sequence[Said]) -> float:
    counts = Counter(entry.grade for entry in said)
    most = max(counts.values())
    tied = {grade for grade, count in counts.items() if count == most}
    return tied.pop() if len(tied) == 1 else _latest([s for s in said if s.grade in tied])


def _quepid(said: Sequence[Said]) -> float:
    """Quepid's book rule: mean of up to two; of three or more the lowest of the best three."""
    grades = sorted((entry.grade for entry in said), reverse=True)
    if len(grades) <= 2:
        mean = fsum(grades) / len(grades)
        return float(int(mean + 0.5))
    return min(grades[:3])


class ViewRule(NamedTuple):
    """A rule for folding several judgments of one document.

    Attributes:
        name: as given on the command line.
        title: as shown in the window.
        help: one sentence.
        fold: from at least one entry to a grade.
    """

    name: str
    title: str
    help: str
    fold: Callable[[Sequence[Said]], float]


VIEW_RULES: dict[str, ViewRule] = {
    rule.name: rule
    for rule in (
        ViewRule(
            "latest",
            N_("All judgments, latest counts"),
            N_(
                "The grade given last; of those of one import the latest by its own times, of equal "
                "times the highest."
            ),
            _latest,
        ),
        ViewRule(
            "majority",
            N_("Majority"),
            N_("The grade that most assessors gave; where that is tied, the latest of those."),
            _majority,
        ),
        ViewRule(
            "median",
            N_("Median"),
            N_("The middle grade; of two middle grades the lower."),
            lambda said: sorted(entry.grade for entry in said)[(len(said) - 1) // 2],
        ),
        ViewRule(
            "mean",
            N_("Mean"),
            N_("The arithmetic mean, which need not be a grade of the scale."),
            lambda said: fsum(entry.grade for entry in said) / len(said),
        ),
        ViewRule(
            "min", N_("Lowest"), N_("The lowest grade."), lambda s: min(entry.grade for entry in s)
        ),
        ViewRule(
            "max",
            N_("Highest"),
            N_("The highest grade."),
            lambda s: max(entry.grade for entry in s),
        ),
        ViewRule(
            "quepid",
            N_("Quepid’s rule"),
            N_(
                "One or two judgments: their mean, rounded. Three or more: the lowest of the best three."
            ),
            _quepid,
        ),
    )
}

DEFAULT_VIEW = "latest"


def view_rule(name: str) -> ViewRule:
    """Return the folding rule of this name.

    Raises:
        UsageError: there is none; the text lists them.
    """
    return named(
        VIEW_RULES,
        name,
        _("There is no view of judgments called ‘{name}’. Choose one of: {names}."),
    )
