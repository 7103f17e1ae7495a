"""What is said of a decision between two runs: what can be drawn, how it stands, how it ended."""

import math

from judgetool.core.number_text import number_of
from judgetool.gui.painting import format_count, format_value
from judgetool.metrics.decide import FEW_QUERIES, Ending
from judgetool.session.deciding import (
    DecideMaterial,
    DecideQuestion,
    DecideStanding,
    Deciding,
    apart_text,
    difference_text,
    ending_text,
)
from judgetool.session.reading_aids import Blindness
from judgetool.wording import _, local_number


def goes_by_stake(material: DecideMaterial) -> bool:
    """Return whether drawing saves nothing: whole queries, and few of them."""
    return material.units.are_queries and material.n_queries <= FEW_QUERIES


def counted_text(material: DecideMaterial) -> str:
    """Return what can be drawn, and out of how much."""
    units = material.units
    n_open = int(units.is_open.sum())
    what = number_of(len(units), "{n} pair can be drawn", "{n} pairs can be drawn")
    if units.are_queries:
        what = number_of(len(units), "{n} query can be drawn", "{n} queries can be drawn")
    said = number_of(
        material.n_pool,
        "{what}; {open} of the {n} document of their pool are open and count.",
        "{what}; {open} of the {n} documents of their pool are open and count.",
        what=what,
        open=format_count(n_open),
    )
    if goes_by_stake(material):
        why = _(
            "Drawing whole queries saves nothing where there are {count} or fewer: documents come by "
            "stake, either way, until it is certain."
        ).format(count=FEW_QUERIES)
        return f"{said} {why}"
    return said


def _signed(number: float, digits: int = 4) -> str:
    return f"{round(number, digits) + 0.0:+.{digits}f}".replace("-", "−")


def evidence_shares(standing: DecideStanding, *, is_blind: bool) -> tuple[float, ...]:
    """Return how far the evidence of either side is, by its logarithm, 0 to 1; blind the greater one."""
    of_wanted = math.log(standing.wanted)
    shares = [
        min(1.0, math.log(max(each, 1.0)) / of_wanted) if of_wanted > 0 else 1.0
        for each in standing.evidence
    ]
    return (max(shares),) if is_blind else tuple(shares)


def title_of(question: DecideQuestion) -> str:
    """Return what is decided, in a few words."""
    return _("{run} or {other}, by {measure}").format(
        run=question.names[0], other=question.names[1], measure=question.measure
    )


def how_far_text(standing: DecideStanding) -> str:
    """Return how much is judged for a decision, and how much may still have to be."""
    judged, left = format_count(standing.n_judged), format_count(standing.n_left)
    return _("{judged} judged, at most {left} more").format(judged=judged, left=left)


def stop_text(deciding: Deciding, blindness: Blindness) -> str:
    """Return what stands there at a stop; to who judges blind it does not say which is better."""
    standing, question = deciding.standing(), deciding.question
    if standing.ending is None:
        return ""
    share = 100 * standing.n_judged / (deciding.material.n_pool or 1)
    of = _("It speaks of these queries, this pool and these grades.")
    cost = number_of(
        standing.n_judged,
        "{n} judgment for it, {share} % of the pool of both.",
        "{n} judgments for it, {share} % of the pool of both.",
        share=f"{share:.0f}",
    )
    if not blindness.is_on:
        said = _("The difference is {difference}.").format(difference=difference_text(standing))
        rest = " ".join(filter(None, (cost, said, of, apart_text(question))))
        return f"{ending_text(question, standing.ending)}\n\n{rest}"
    said = (
        _("The project asks you to judge blind: who leads it sees in Compare which one.")
        if blindness.is_required
        else _(
            "You judge blind. Going on stays blind; ending it shows which one, and ends blind mode."
        )
    )
    return f"{_without_names(question, standing.ending)}\n\n{cost} {said}"


def _without_names(question: DecideQuestion, ending: Ending) -> str:
    """Return what a stop says to who judges blind: that one is better, and not which."""
    names = (_("one of the two"), _("the other"))
    return ending_text(question, ending._replace(winner=1 if ending.winner else 0), names)


def attempt_text(question: DecideQuestion, standing: DecideStanding, *, is_blind: bool) -> str:
    """Return how an attempt stands that was begun: that it goes on, or what it came to.

    Args:
        question: as it was asked.
        standing: how it stands.
        is_blind: whether it is not said which of the two is better.
    """
    number, far = question.number, how_far_text(standing)
    if standing.ending is None:
        said = _("Attempt {number} was begun, and goes on as it was drawn:").format(number=number)
        return f"{said} {far}. {apart_text(question)}".rstrip()
    decided = (_without_names if is_blind else ending_text)(question, standing.ending)
    said = _("Attempt {number} has stopped, {far}.").format(number=number, far=far)
    return " ".join(filter(None, (said, decided, apart_text(question))))


def standing_texts(
    standing: DecideStanding,
    likely: tuple[int, int] | None,
    *,
    is_blind: bool,
    names: tuple[str, str] = ("A", "B"),
) -> tuple[str, ...]:
    """Return how a decision stands, in one line; blind it names no side.

    The first says all; of the others, for where there is less room, each says less.

    Args:
        standing: how it stands.
        likely: between how many judgments will likely do; ``None`` where nobody can say.
        is_blind: whether the assessor judges blind.
        names: what A and B are called; the first text alone has room for it.
    """
    first, second = standing.evidence
    numbers = {
        "first": format_value(first, digits=1),
        "second": format_value(second, digits=1),
        "wanted": local_number(f"{standing.wanted:g}"),
    }
    short = _("A {first} · B {second} of {wanted}").format(**numbers)
    whole = _("{a} {first} · {b} {second} of {wanted}").format(a=names[0], b=names[1], **numbers)
    least, most = _signed(standing.low, 2), _signed(standing.high, 2)
    certain, guess = _("certainly {low} … {high}").format(low=least, high=most), ""
    if is_blind:
        evidence = format_value(max(first, second), digits=1)
        short = _("{evidence} of {wanted}").format(evidence=evidence, wanted=numbers["wanted"])
        whole, certain = short, ""
    evidence, far = _("Evidence {short}").format(short=short), how_far_text(standing)
    if likely is not None:
        # It was worked out some judgments ago: never more than can be left now.
        low, high = (format_count(min(number, standing.n_left)) for number in likely)
        guess = (
            _("likely {low}–{high} more").format(low=low, high=high)
            if low != high
            else _("likely {low} more").format(low=low)
        )
    named = _("Evidence {short}").format(short=whole)
    lines = (
        (named, certain, far, guess),
        (evidence, certain, far, guess),
        (evidence, far, guess),
        (evidence, far),
        (short, far),
    )
    texts = [" │ ".join(filter(None, line)) for line in lines]
    left = _("≤ {count} left").format(count=format_count(standing.n_left))
    return tuple(dict.fromkeys((*texts, f"{short} │ {left}", short)))
