"""What the Agreement view says of assessors, in words."""

from judgetool.core.number_text import UNDEFINED, number_of
from judgetool.core.scale import Scale
from judgetool.gui.painting import format_change, format_count, format_value
from judgetool.metrics.agreement import AgreementRow, MeanDifference
from judgetool.session.team.agreement import Influence
from judgetool.session.team.overview import AssessorFacts, OrderOfRuns
from judgetool.wording import N_, _, translated

TITLES = {
    "kappa": N_("κ linear"),
    "alpha": N_("α ordinal"),
    "AC1": "AC1",
    "overlap": N_("relevant"),
}
"""What the page calls the measures of its head."""

DIGITS = 2
_CHANGE_DIGITS = 3
TURNS = {1: "\u2009▲", -1: "\u2009▼", 0: ""}


def interval_text(row: AgreementRow) -> str:
    """Return the ends of an interval; ``""`` where there is none."""
    if row.low is None or row.high is None:
        return ""
    low, high = (format_value(each, digits=DIGITS) for each in (row.low, row.high))
    # A dash beside a minus is hard to read.
    return (
        _("{low} to {high}").format(low=low, high=high)
        if min(row.low, row.high) < 0
        else f"{low}–{high}"
    )


def row_in_words(title: str, row: AgreementRow) -> str:
    """Return an agreement as a reader says it: value, interval, or why there is none."""
    if row.value is None:
        return _("{title} undefined: {reason}").format(title=title, reason=translated(row.reason))
    ends = ""
    if row.low is not None and row.high is not None:
        low, high = (format_value(each, digits=DIGITS) for each in (row.low, row.high))
        ends = f", {_('between {low} and {high}').format(low=low, high=high)}"
    return f"{title} {format_value(row.value, digits=DIGITS)}{ends}"


def order_text(order: OrderOfRuns | None) -> str:
    """Return how sure the order of runs is; ``""`` where there is none."""
    if order is None:
        return ""
    if not order.n_open:
        return _("Order of runs by {measure}: certain, whoever is believed").format(
            measure=order.measure
        )
    if order.n_open == order.n_pairs:
        return number_of(
            order.n_pairs,
            "Order of runs by {measure}: certain for none of {n} pair",
            "Order of runs by {measure}: certain for none of {n} pairs",
            measure=order.measure,
        )
    return number_of(
        order.n_pairs,
        "Order of runs by {measure}: certain but for {count} of {n} pair",
        "Order of runs by {measure}: certain but for {count} of {n} pairs",
        measure=order.measure,
        count=order.n_open,
    )


def order_in_short(order: OrderOfRuns | None) -> tuple[str, ...]:
    """Return what is said of the order of runs where there is little room; nothing if it is certain."""
    if order is None or not order.n_open:
        return ()
    return (
        number_of(
            order.n_pairs,
            "By {measure}: {count} of {n} pair of runs uncertain",
            "By {measure}: {count} of {n} pairs of runs uncertain",
            measure=order.measure,
            count=order.n_open,
        ),
    )


def influence_text(facts: AssessorFacts, *, is_said: bool = False) -> str:
    """Return what leaving an assessor out does to the runs, or counting one who does not.

    Args:
        facts: of the assessor.
        is_said: whether it is for ears, with the run's name.
    """
    told = facts.influence
    if told is None:
        return ""
    change = _("no mean") if told.change is None else _change_text(told.change)
    said = _("without: {measure} {change}, {order}")
    if not facts.counts:
        said = _("with: {measure} {change}, {order}")
    measure = told.measure
    if is_said and told.run:
        measure = _("{measure} of {run}").format(measure=told.measure, run=told.run)
    return said.format(measure=measure, change=change, order=_turned_text(told))


def _turned_text(told: Influence) -> str:
    if not told.n_turned:
        return _("same order")
    return number_of(told.n_turned, "{n} pair turns", "{n} pairs turn")


def _change_text(change: float) -> str:
    text = format_change(change, digits=_CHANGE_DIGITS)
    return "±0" if text == "·" else text


def gives_text(gives: MeanDifference) -> str:
    """Return how much higher one gives than the others, and whether that is sure."""
    if gives.value is None:
        return UNDEFINED
    text = format_change(gives.value, digits=DIGITS)
    return f"{'±0' if text == '·' else text}{TURNS[gives.sign]}"


def itself_text(facts: AssessorFacts) -> str:
    """Return how one agrees with what one gave before, and over how many documents."""
    if facts.itself is None:
        return UNDEFINED
    return f"{format_value(facts.itself.value, digits=DIGITS)} ({format_count(facts.n_again)})"


def known_text(facts: AssessorFacts) -> str:
    """Return how many known answers one has given."""
    if not facts.n_known:
        return UNDEFINED
    right, known = format_count(facts.n_right), format_count(facts.n_known)
    return _("{count} of {total}").format(count=right, total=known)


def facts_in_words(facts: AssessorFacts, scale: Scale) -> str:
    """Return an assessor's row as a reader says it."""
    parts = [facts.name]
    parts += [_("model")] * (facts.kind == "model")
    parts.append(_("{count} judged").format(count=format_count(facts.n_judged)))
    parts = [", ".join(parts)]
    parts.append(row_in_words(_("agreement with the others, κ linear,"), facts.others))
    gives = facts.gives
    if gives.value is not None:
        sure = {1: _("surely higher"), -1: _("surely lower"), 0: _("not surely")}[gives.sign]
        change = format_change(gives.value, digits=DIGITS)
        parts.append(f"{_('gives {change} against the others').format(change=change)}, {sure}")
    if facts.itself is not None:
        again = number_of(facts.n_again, "{n} document again", "{n} documents again")
        parts.append(f"{row_in_words(_('with itself'), facts.itself)}, {again}")
    if facts.n_known:
        parts.append(_("known answers {share} right").format(share=known_text(facts)))
    grades = (
        f"{level.shown_name} {format_count(n)}"
        for level, n in zip(scale.levels, facts.n_graded, strict=False)
    )
    parts.append("; ".join(grades))
    parts.append(_("counts") if facts.counts else _("does not count"))
    parts.append(influence_text(facts, is_said=True))
    return "; ".join(filter(None, parts))
