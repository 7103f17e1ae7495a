"""An import's conflicts and unmatched ids in words: the same in the window and the terminal."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from judgetool.core.judgments import Judgment, State
from judgetool.core.number_text import format_count, number_of
from judgetool.core.scale import format_grade
from judgetool.formats import Kind
from judgetool.formats.values import Refusal
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    FileReport,
    ImportPlan,
    TextConflict,
)
from judgetool.wording import N_, NN_, _, visible

_NOUNS = {
    Kind.QUERIES: NN_("{n} query", "{n} queries"),
    Kind.DOCUMENTS: NN_("{n} document", "{n} documents"),
    Kind.RUN: NN_("{n} result", "{n} results"),
    Kind.RESULTS: NN_("{n} result", "{n} results"),
    Kind.JUDGMENTS: NN_("{n} judgment", "{n} judgments"),
    Kind.CLICKS: NN_("{n} clicked pair", "{n} clicked pairs"),
}
_IDS = {
    "query": NN_("{n} query", "{n} queries"),
    "document": NN_("{n} document", "{n} documents"),
}
_MOST_SHOWN = 80
_MANY_FILES = 3
_STATES = {
    State.CANNOT_JUDGE: N_("cannot judge"),
    State.SKIPPED: N_("skipped"),
    State.UNJUDGED: N_("no grade"),
}


_STAYS = {
    Conflicts.MINE: N_("What the project has stays; the file’s are left out."),
    Conflicts.THEIRS: N_("The file’s replace what the project has; Undo brings it back."),
    Conflicts.BOTH: N_(
        "Both are kept: the file’s under the assessor’s name with the file’s, as a dispute."
    ),
}
_TIED = N_(
    "Of these the highest counts in the usual view, ‘All judgments, latest counts’. Majority and "
    "Median treat all assessors alike: Judge ▸ Judgments that count…, or --view majority of a command."
)
_DIFFERING = N_(
    "The file names nobody, so its grades stand beside those of others, under a name of their own. "
    "While the latest judgment counts, they win; the view of judgments decides."
)


def records_text(report: FileReport) -> str:
    """Return what was understood of a file, counted: ``120 results and 86 judgments``."""
    reading = report.reading
    if not reading.runs or report.n_judgments <= 0:
        return number_of(report.n_records, *_NOUNS[reading.kind])
    n_results = report.n_records - report.n_judgments
    return _("{results} and {judgments}").format(
        results=number_of(n_results, "{n} result", "{n} results"),
        judgments=number_of(report.n_judgments, "{n} judgment", "{n} judgments"),
    )


def refused_lines(report: FileReport) -> list[tuple[Refusal, int]]:
    """Return why lines are left out, each with how many it is of.

    Of a grade that the scale lacks there is one, in its first place; of all else one for each line.
    """
    found = [(refusal, 1) for refusal in report.reading.refusals]
    for grade, first in report.off_scale_first.items():
        count = report.off_scale[grade]
        line, why, _clash = first.refusal
        if line is None:
            why = number_of(
                count,
                "{why}; {n} judgment has it, of query ‘{query}’ and document ‘{document}’",
                "{why}; {n} judgments have it, the first of query ‘{query}’ and document ‘{document}’",
                why=why,
                query=visible(first.query),
                document=visible(first.document),
            )
        elif count > 1:
            why = number_of(
                count, "{why}; {n} judgment has it", "{why}; {n} judgments have it", why=why
            )
        found.append((Refusal(line, why), count))
    return found


def refused_text(plan: ImportPlan) -> str:
    """Return of which files nothing, or no grade, can be taken; ``""`` where something of each can."""
    said = []
    for report in plan.files:
        if report.is_waiting or not report.is_refused:
            continue
        name = PurePath(report.reading.source).name
        n_off = sum(report.off_scale.values())
        if n_off == report.refusals.n or report.n_records:
            said.append(
                number_of(
                    n_off,
                    "The grade of {name} is off the scale.",
                    "All {n} grades of {name} are off the scale.",
                    name=name,
                )
            )
        else:
            said.append(
                number_of(
                    report.refusals.n,
                    "Nothing of {name} fits: {n} line left out.",
                    "Nothing of {name} fits: {n} lines left out.",
                    name=name,
                )
            )
    if not said and plan.is_empty and not (plan.n_records or plan.n_pooled or plan.is_waiting):
        said = [
            _("There is nothing in {name}.").format(name=PurePath(each.reading.source).name)
            for each in plan.files
        ]
    return " ".join(said)


def shared_notes(plan: ImportPlan) -> dict[str, int]:
    """Return the notes that stand at several files, and at how many: they are said once."""
    counts = Counter(note for report in plan.files for note in dict.fromkeys(report.notes))
    return {note: count for note, count in counts.items() if count >= _MANY_FILES}


def shared_lines(plan: ImportPlan) -> list[str]:
    """Return such notes as lines, each with the number of files."""
    return [
        number_of(count, "Of {n} file: {note}", "Of {n} files: {note}", note=note)
        for note, count in shared_notes(plan).items()
    ]


def describe_judgment(judgment: Judgment) -> str:
    """Return what is said, in a word or two: ``2``, ``cannot judge``."""
    if judgment.grade is None:
        return _(_STATES[judgment.state])
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
        yield FileRemark(
            "warn", _conflicts_title(report), _(_STAYS[choice]), lines, has_choice=True
        )
    if report.differing:
        title = number_of(
            report.differing.n,
            "{n} grade contradicts what others have said here",
            "{n} grades contradict what others have said here",
        )
        yield FileRemark(
            "warn", title, _(_DIFFERING), tuple(map(describe_differing, report.differing))
        )
    if report.n_tied > 0:
        yield FileRemark("warn", tied_title(report.n_tied), _(_TIED))
    if report.text_conflicts:
        title = number_of(
            report.text_conflicts.n,
            "{n} text is here already, and otherwise",
            "{n} texts are here already, and otherwise",
        )
        is_replaced = any(
            each.name == "texts" and each.answer == "replace" for each in report.questions
        )
        text = (
            _("The file’s replace them; Undo brings them back.")
            if is_replaced
            else _("What is here stays; the file fills in only what was empty.")
        )
        yield FileRemark(
            "warn", title, text, tuple(map(describe_text_conflict, report.text_conflicts))
        )


def tied_title(n: int) -> str:
    """Return how many documents several assessors gave different grades at the same time."""
    return number_of(
        n,
        "{n} document has different grades by several assessors at the same time",
        "{n} documents have different grades by several assessors at the same time",
    )


def tied_text(n: int) -> str:
    """Return how many documents have such grades, what counts of these, and what else may."""
    return f"{tied_title(n)}. {_(_TIED)}"


def describe_conflict(conflict: Conflict) -> str:
    """Return one conflict as a line: who, what, what each side says."""
    here, there = map(describe_judgment, (conflict.mine, conflict.theirs.judgment))
    if here == there:
        here = f"{here}, ‘{conflict.mine.note}’"
        there = f"{there}, ‘{conflict.theirs.judgment.note}’"
    return _("{pair}, {assessor}: {here} here, {there} in the file").format(
        pair=_pair(conflict), assessor=conflict.theirs.assessor, here=here, there=there
    )


def describe_differing(conflict: Conflict) -> str:
    """Return a grade that differs from those of others as a line: of what, what each side says."""
    here, there = map(describe_judgment, (conflict.mine, conflict.theirs.judgment))
    return _("{pair}: {here} here, {there} in the file").format(
        pair=_pair(conflict), here=here, there=there
    )


def _pair(conflict: Conflict) -> str:
    said = _("query {query}, document {document}").format(
        query=conflict.theirs.query_id, document=conflict.theirs.document_id
    )
    if conflict.line is None:
        return said
    return f"{_('line {line}').format(line=format_count(conflict.line))}: {said}"


def _conflicts_title(report: FileReport) -> str:
    """Return such as ``anna has already judged 243 of these 244, 12 otherwise``."""
    assessors = {conflict.theirs.assessor for conflict in report.conflicts}
    return number_of(
        len(assessors),
        "{name} has already judged {here} of these {all}, {others} otherwise",
        "{n} assessors have already judged {here} of these {all}, {others} otherwise",
        name=next(iter(assessors)),
        here=format_count(report.n_here),
        all=format_count(report.n_records),
        others=format_count(report.conflicts.n),
    )


def describe_text_conflict(conflict: TextConflict) -> str:
    """Return a text that differs as a line: of what, and what each side says."""
    here, there = _shortened(conflict.mine), _shortened(conflict.theirs)
    return _("{noun} {id}, {field}: ‘{here}’ here, ‘{there}’ in the file").format(
        noun=_(conflict.noun), id=conflict.id, field=conflict.field, here=here, there=there
    )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def texts_text(report: FileReport) -> str:
    """Return what a file brings of queries and documents besides; ``""`` for nothing."""
    parts = []
    for noun, counts in report.texts.items():
        total = counts.n_new + counts.n_changed + counts.n_unchanged
        words = ((counts.n_new, _("{count} new")), (counts.n_changed, _("{count} changed")))
        shown = ", ".join(said.format(count=format_count(count)) for count, said in words if count)
        counted = number_of(total, *_IDS[noun])
        parts.append(f"{counted} ({shown or _('no new text')})")
    return _(" and ").join(parts)


def match_finding(match: IdMatch, source: str) -> FileRemark:
    """Return what is said of ids of a file that match nothing, each of the first with the nearest."""
    level = "warn" if match.is_doubtful else "note"
    lines = (
        f"{name}  " + _("nearest here: {id}").format(id=match.nearest[name])
        if name in match.nearest
        else name
        for name in match.strange
    )
    return FileRemark(level, match_title(match, source), match_text(match), tuple(lines))


def match_title(match: IdMatch, source: str) -> str:
    """Return how many ids of a file match nothing."""
    name = PurePath(source).name
    if not (match.is_doubtful and match.n_compared):
        count = match.n_without_text or match.n_strange
        if match.noun == "query":
            return number_of(count, "{n} query without text", "{n} queries without text")
        return number_of(count, "{n} document without text", "{n} documents without text")
    named = _("{count} query ids in {name}")
    if match.noun == "document":
        named = _("{count} document ids in {name}")
    named = named.format(count=format_count(match.n_named), name=name)
    if not match.n_known:
        return _("None of {ids} is in this project").format(ids=named)
    if match.n_known * 2 < match.n_named:
        return _("Only {count} of {ids} are in this project").format(
            count=format_count(match.n_known), ids=named
        )
    return number_of(
        match.n_strange,
        "{n} of {ids} is not in this project",
        "{n} of {ids} are not in this project",
        ids=named,
    )


def match_text(match: IdMatch) -> str:
    """Return what ids that match nothing may mean, and what becomes of them."""
    if match.habit:
        return match.habit
    if match.is_doubtful:
        return _("Perhaps another collection’s file. What is new is added by its ids.")
    if match.n_without_text > match.n_strange:
        said = [_("Shown by their ids; files of documents bring texts.")]
        if match.n_strange:
            said.append(_("{count} of them are new.").format(count=format_count(match.n_strange)))
        return " ".join(said)
    return number_of(
        match.n_strange,
        "Neither the project nor the other files know it; it is added, and shown, by its id.",
        "Neither the project nor the other files know them; they are added, and shown, by their "
        "ids.",
    )
