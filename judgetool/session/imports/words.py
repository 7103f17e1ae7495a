"""An import's conflicts and unmatched ids in words: the same in the window and the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from judgetool.core.judgments import Judgment, State
from judgetool.core.number_text import count_noun, counted
from judgetool.core.scale import format_grade
from judgetool.formats import Kind
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    FileReport,
    ImportPlan,
    TextConflict,
)

_NOUNS = {
    Kind.QUERIES: "query",
    Kind.DOCUMENTS: "document",
    Kind.RUN: "result",
    Kind.RESULTS: "result",
    Kind.JUDGMENTS: "judgment",
    Kind.CLICKS: "clicked pair",
}
_MOST_SHOWN = 80
_STATES = {
    State.CANNOT_JUDGE: "cannot judge",
    State.SKIPPED: "skipped",
    State.UNJUDGED: "no grade",
}


_STAYS = {
    Conflicts.MINE: "What the project has stays; the file’s are left out.",
    Conflicts.THEIRS: "The file’s replace what the project has; Undo brings it back.",
    Conflicts.BOTH: "Both are kept: the file’s under the assessor’s name with the file’s, as a "
    "dispute.",
}
_DIFFERING = (
    "The file names nobody, so its grades stand beside those of others, under a name of their own. "
    "While the latest judgment counts, they win; the view of judgments decides."
)


def records_text(report: FileReport) -> str:
    """Return what was understood of a file, counted: ``120 results and 86 judgments``."""
    reading = report.reading
    if not reading.runs or report.n_judgments <= 0:
        return count_noun(report.n_records, _NOUNS[reading.kind])
    n_results = report.n_records - report.n_judgments
    return f"{count_noun(n_results, 'result')} and {count_noun(report.n_judgments, 'judgment')}"


def refused_text(plan: ImportPlan) -> str:
    """Return of which files nothing, or no grade, can be taken; ``""`` where something of each can."""
    said = []
    for report in plan.files:
        if report.is_waiting or not report.is_refused:
            continue
        name = PurePath(report.reading.source).name
        n_off = sum(report.off_scale.values())
        if n_off == report.refusals.n or report.n_records:
            grades = "The grade" if n_off == 1 else f"All {n_off:,} grades"
            said.append(f"{grades} of {name} {'is' if n_off == 1 else 'are'} off the scale.")
        else:
            said.append(
                f"Nothing of {name} fits: {count_noun(report.refusals.n, 'line')} left out."
            )
    if not said and plan.is_empty and not (plan.n_records or plan.n_pooled or plan.is_waiting):
        said = [f"There is nothing in {PurePath(each.reading.source).name}." for each in plan.files]
    return " ".join(said)


def describe_judgment(judgment: Judgment) -> str:
    """Return what is said, in a word or two: ``2``, ``cannot judge``."""
    if judgment.grade is None:
        return _STATES[judgment.state]
    return format_grade(judgment.grade)


@dataclass(frozen=True, slots=True)
class FileRemark:
    """One thing that is said of a file.

    Attributes:
        level: ``good``, ``warn`` or ``note``.
        title: in a few words.
        text: the rest, in sentences.
        lines: the things themselves; empty where there is nothing to show.
        has_choice: whether the person is to say which judgments stay.
    """

    level: str
    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    has_choice: bool = False


def contradictions(report: FileReport, choice: Conflicts) -> Iterator[FileRemark]:
    """Yield what of a file is not what is here already, and what becomes of it.

    Args:
        report: what importing the file would do.
        choice: which judgment stays where file and project differ.
    """
    if report.conflicts:
        lines = tuple(map(describe_conflict, report.conflicts))
        yield FileRemark("warn", _conflicts_title(report), _STAYS[choice], lines, has_choice=True)
    if report.differing:
        sentence = "#grade {contradicts|contradict} what others have said here"
        title = counted(report.differing.n, sentence)
        yield FileRemark(
            "warn", title, _DIFFERING, tuple(map(describe_differing, report.differing))
        )
    if report.text_conflicts:
        title = counted(report.text_conflicts.n, "#text {is|are} here already, and otherwise")
        is_replaced = any(
            each.name == "texts" and each.answer == "replace" for each in report.questions
        )
        text = (
            "The file’s replace them; Undo brings them back."
            if is_replaced
            else "What is here stays; the file fills in only what was empty."
        )
        yield FileRemark(
            "warn", title, text, tuple(map(describe_text_conflict, report.text_conflicts))
        )


def describe_conflict(conflict: Conflict) -> str:
    """Return one conflict as a line: who, what, what each side says."""
    here, there = map(describe_judgment, (conflict.mine, conflict.theirs.judgment))
    if here == there:
        here = f"{here}, ‘{conflict.mine.note}’"
        there = f"{there}, ‘{conflict.theirs.judgment.note}’"
    return f"{_pair(conflict)}, {conflict.theirs.assessor}: {here} here, {there} in the file"


def describe_differing(conflict: Conflict) -> str:
    """Return a grade that differs from those of others as a line: of what, what each side says."""
    here, there = map(describe_judgment, (conflict.mine, conflict.theirs.judgment))
    return f"{_pair(conflict)}: {here} here, {there} in the file"


def _pair(conflict: Conflict) -> str:
    where = "" if conflict.line is None else f"line {conflict.line:,}: "
    return f"{where}query {conflict.theirs.query_id}, document {conflict.theirs.document_id}"


def _conflicts_title(report: FileReport) -> str:
    """Return such as ``anna has already judged 243 of these 244, 12 otherwise``."""
    assessors = {conflict.theirs.assessor for conflict in report.conflicts}
    who = next(iter(assessors)) if len(assessors) == 1 else f"{len(assessors):,} assessors"
    return (
        f"{who} {'has' if len(assessors) == 1 else 'have'} already judged {report.n_here:,} of "
        f"these {report.n_records:,}, {report.conflicts.n:,} otherwise"
    )


def describe_text_conflict(conflict: TextConflict) -> str:
    """Return a text that differs as a line: of what, and what each side says."""
    here, there = _shortened(conflict.mine), _shortened(conflict.theirs)
    return f"{conflict.noun} {conflict.id}, {conflict.field}: ‘{here}’ here, ‘{there}’ in the file"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def texts_text(report: FileReport) -> str:
    """Return what a file brings of queries and documents besides; ``""`` for nothing."""
    parts = []
    for noun, counts in report.texts.items():
        total = counts.n_new + counts.n_changed + counts.n_unchanged
        words = ((counts.n_new, "new"), (counts.n_changed, "changed"))
        shown = ", ".join(f"{count:,} {word}" for count, word in words if count)
        parts.append(f"{count_noun(total, noun)} ({shown or 'no new text'})")
    return " and ".join(parts)


def match_finding(match: IdMatch, source: str) -> FileRemark:
    """Return what is said of ids of a file that match nothing, each of the first with the nearest."""
    level = "warn" if match.is_doubtful else "note"
    lines = (
        f"{name}  nearest here: {match.nearest[name]}" if name in match.nearest else name
        for name in match.strange
    )
    return FileRemark(level, match_title(match, source), match_text(match), tuple(lines))


def match_title(match: IdMatch, source: str) -> str:
    """Return how many ids of a file match nothing."""
    name = PurePath(source).name
    if not (match.is_doubtful and match.n_compared):
        return f"{count_noun(match.n_without_text or match.n_strange, match.noun)} without text"
    named = f"{match.n_named:,} {match.noun} ids in {name}"
    if not match.n_known:
        return f"None of {named} is in this project"
    if match.n_known * 2 < match.n_named:
        return f"Only {match.n_known:,} of {named} are in this project"
    verb = "is" if match.n_strange == 1 else "are"
    return f"{match.n_strange:,} of {named} {verb} not in this project"


def match_text(match: IdMatch) -> str:
    """Return what ids that match nothing may mean, and what becomes of them."""
    if match.habit:
        return match.habit
    if match.is_doubtful:
        return "Perhaps another collection’s file. What is new is added by its ids."
    if match.n_without_text > match.n_strange:
        others = f" {match.n_strange:,} of them are new." if match.n_strange else ""
        return f"Shown by their ids; files of documents bring texts.{others}"
    which = "{it; it is added, and shown, by its id|them; they are added, and shown, by their ids}"
    return counted(match.n_strange, f"Neither the project nor the other files know {which}.")
