"""What the page of statistics says: its cells, and sentences on what may sway a grade."""

from collections.abc import Sequence
from datetime import datetime

from judgetool.core.scale import format_grade
from judgetool.gui.number_text import (
    NO_CHANGE,
    UNDEFINED,
    format_change,
    format_count,
    format_value,
)
from judgetool.session.effort.table import IDLE_AFTER_MS, EffortSummary, GradesAfter, GradesAt

LEAST_TOLD = 5
# Differences of the mean grade below this are not made anything of.
LEAST_EFFECT = 0.1
COLUMNS = (
    "Judged",
    "Cannot",
    "Skipped",
    "Median",
    "Active",
    "Per hour",
    "By key",
    "Changed",
    "Undone",
    "Last",
)
HELP = (
    "Documents with a grade that was not undone",
    "Times that a document was said to be impossible to judge",
    "Times that a document was put off",
    "Median active time of a grade; grades of many at once are left out",
    "Active time in all",
    "Documents judged in an hour of active time",
    "Share that was said by key rather than by mouse",
    "Grades that were changed or taken back later",
    "Judgments that were undone and not done again",
    "When the last one was made",
)


def summary_cells(row: EffortSummary) -> tuple[str, ...]:
    """Return the cells of a row, in the order of ``COLUMNS``."""
    return (
        format_count(row.n_judged),
        format_count(row.n_cannot_judge),
        format_count(row.n_skipped),
        format_seconds(row.median_ms),
        format_duration(row.active_ms),
        UNDEFINED if row.per_hour is None else format_count(round(row.per_hour)),
        UNDEFINED if row.key_share is None else f"{row.key_share:.0%}",
        format_count(row.n_changed),
        format_count(row.n_undone),
        format_moment(row.last_at),
    )


def format_seconds(time_ms: float | None) -> str:
    """Return a short time: ``3.4 s``."""
    return UNDEFINED if time_ms is None else f"{time_ms / 1000:.1f} s"


def format_duration(time_ms: float | None) -> str:
    """Return a long time: ``42 s``, ``12 min``, ``2 h 05 min``."""
    if time_ms is None:
        return UNDEFINED
    seconds = round(time_ms / 1000)
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def format_moment(at: int) -> str:
    """Return a moment of the clock on the wall here: ``11-21 14:32``, with the year if it is past."""
    moment, today = datetime.fromtimestamp(at / 1000).astimezone(), datetime.now().astimezone()
    return moment.strftime("%m-%d %H:%M" if moment.year == today.year else "%Y-%m-%d")


def describe_totals(rows: Sequence[EffortSummary]) -> str:
    """Return in a sentence what all assessors did together."""
    if not rows:
        return "Nobody has judged here yet. What was imported is not counted."
    judged = sum(row.n_judged for row in rows)
    active = [row.active_ms for row in rows if row.active_ms is not None]
    who = "1 assessor" if len(rows) == 1 else f"{format_count(len(rows))} assessors"
    count = "1 grade" if judged == 1 else f"{format_count(judged)} grades"
    spent = f" in {format_duration(sum(active))} of active time" if active else ""
    return (
        f"{who}, {count}{spent}. Of a pause without key, click or scrolling only the first "
        f"{IDLE_AFTER_MS // 1000} seconds count. What was imported is left out."
    )


def describe_after(rows: Sequence[GradesAfter]) -> str:
    """Return in a sentence whether grades follow the grade before them."""
    known = [row for row in rows if row.previous_grade is not None and row.n >= LEAST_TOLD]
    if len(known) < 2:
        return f"Too few grades to say: at least {LEAST_TOLD} are needed after each of two grades."
    low, high = known[0], known[-1]
    difference = high.mean - low.mean
    before = f"after a {_grade(high)} the next grade is"
    if abs(difference) < LEAST_EFFECT:
        return f"No effect is seen: {before} as high as after a {_grade(low)}."
    word = "higher" if difference > 0 else "lower"
    why = (
        "alike documents may stand together, or grades may follow each other"
        if difference > 0
        else "assessors may judge by contrast with the document before"
    )
    amount = format_value(abs(difference), digits=2)
    return f"{before[0].upper()}{before[1:]} {amount} {word} on average than after a {_grade(low)}: {why}."


def _grade(row: GradesAfter) -> str:
    return format_grade(row.previous_grade) if row.previous_grade is not None else UNDEFINED


def describe_positions(rows: Sequence[GradesAt]) -> str:
    """Return in a sentence whether grades change along the queue."""
    known = [row for row in rows if row.n >= LEAST_TOLD]
    if len(known) < 2:
        return f"Too few grades to say: at least {LEAST_TOLD} are needed at two parts of the queue."
    first, last = known[0], known[-1]
    change = format_change(last.mean - first.mean, digits=2)
    changes = "stays the same" if change == NO_CHANGE else f"changes by {change}"
    return (
        f"From places {first.first}–{first.last} to {last.first}–{last.last} the mean grade "
        f"{changes}. In the order of ranks it falls because systems put the best first; in a "
        "random order it should stay."
    )
