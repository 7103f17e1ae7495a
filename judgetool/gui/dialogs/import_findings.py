"""What an import preview says of a file: what was left out, what is new, what matches nothing.

Plain values made from a file's report; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from judgetool.core.scale import Scale, format_grade
from judgetool.formats import JudgmentTable, Kind, Reading, Refusal
from judgetool.formats.columns import count_noun
from judgetool.gui.dialogs.import_preview import (
    describe_encoding,
    describe_format,
)
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import Conflicts, FileReport, ImportPlan
from judgetool.session.imports.words import (
    DIFFERING_TEXT,
    conflicts_text,
    conflicts_title,
    describe_conflict,
    describe_differing,
    describe_text_conflict,
    differing_title,
    match_lines,
    match_text,
    match_title,
    records_text,
    text_conflicts_text,
    text_conflicts_title,
    texts_text,
)

MAX_LISTED = 1_000
QUESTION_TEXT = "Nothing is imported before it is answered, or the file taken out."


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One thing that is said of a file.

    Attributes:
        level: ``good``, ``warn`` or ``note``.
        title: in a few words.
        text: the rest, in sentences.
        lines: what 'Show them' shows; empty where there is nothing to show.
        has_choice: whether the person is to say which judgments stay.
    """

    level: str
    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    has_choice: bool = False


def disputes(table: JudgmentTable) -> dict[tuple[str, str], dict[str, float]]:
    """Return the pairs that several assessors of one file graded differently, with who said what."""
    said: dict[tuple[str, str], dict[str, float]] = {}
    if len(set(table.assessors)) < 2:
        return said
    for row, grade in enumerate(table.grades):
        if grade is not None and grade >= 0:
            pair = table.query_ids[row], table.document_ids[row]
            said.setdefault(pair, {})[table.assessors[row] or ""] = grade
    return {pair: grades for pair, grades in said.items() if len(set(grades.values())) > 1}


def find_findings(
    report: FileReport, scale: Scale, *, conflicts: Conflicts = Conflicts.MINE
) -> tuple[ImportFinding, ...]:
    """Return what is to be said of a file, most telling first.

    Args:
        report: what importing it would do.
        scale: the project's.
        conflicts: which judgment stays where file and project differ.
    """
    reading = report.reading
    # Before an answer, a file may not have been read at all: then nothing is said of its lines.
    is_unread = reading.needs_answers and reading.is_empty and not reading.n_refused
    findings = [] if is_unread else [_lines_finding(report)]
    findings += [_match_finding(match, report) for match in report.matches if match.is_doubtful]
    if report.is_waiting:
        findings.insert(0, ImportFinding("warn", "A question is open", QUESTION_TEXT))
    if report.n_conflicts:
        lines = tuple(describe_conflict(each) for each in report.conflicts)
        title, text = conflicts_title(report), conflicts_text(conflicts)
        findings.append(ImportFinding("warn", title, text, lines, has_choice=True))
    if report.n_differing:
        lines = tuple(describe_differing(each) for each in report.differing)
        findings.append(ImportFinding("warn", differing_title(report), DIFFERING_TEXT, lines))
    if report.n_text_conflicts:
        lines = tuple(describe_text_conflict(each) for each in report.text_conflicts)
        title, text = text_conflicts_title(report), text_conflicts_text(report)
        findings.append(ImportFinding("warn", title, text, lines))
    if report.reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings += [_news_finding(report)] if report.n_records else []
    findings += [_match_finding(match, report) for match in report.matches if not match.is_doubtful]
    findings += [ImportFinding("note", "", note) for note in report.notes]
    return tuple(findings)


def _match_finding(match: IdMatch, report: FileReport) -> ImportFinding:
    level = "warn" if match.is_doubtful else "note"
    title = match_title(match, report.reading.source)
    return ImportFinding(level, title, match_text(match), match_lines(match))


def refusal_line(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    where = "" if refusal.line is None else f"Line {refusal.line:,}: "
    return f"{where}{refusal.reason}."


def _lines_finding(report: FileReport) -> ImportFinding:
    records = records_text(report)
    assessors = _assessor_counts(report.reading)
    who = f"{records}: {assessors}." if assessors else f"{records}."
    if report.is_waiting and not report.n_records:
        who = f"Nothing is taken yet of {assessors}." if assessors else "Nothing is taken yet."
    if not report.reading.n_refused:
        return ImportFinding("good", "Every line was read", who)
    lines = [refusal_line(refusal) for refusal in report.reading.refusals]
    n_refused = report.reading.n_refused
    others = f"The others were read: {who}" if report.n_records else "Nothing else was in it."
    return ImportFinding(
        "warn",
        f"{count_noun(n_refused, 'line')} left out",
        f"{lines[0]} {others}" if lines else others,
        tuple(lines[:MAX_LISTED]),
    )


def _assessor_counts(reading: Reading) -> str:
    if reading.judgments is None:
        return ""
    counts = Counter(name for name in reading.judgments.assessors if name)
    shown = [f"{count:,} by {name}" for name, count in counts.most_common(4)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more:,} others" if more > 0 else "")


def _judgment_findings(report: FileReport, scale: Scale) -> Iterator[ImportFinding]:
    n_off = sum(report.off_scale.values())
    lines = [refusal_line(refusal) for refusal in report.refusals[len(report.reading.refusals) :]]
    if n_off > 0:
        yield ImportFinding(
            "warn",
            f"{count_noun(n_off, 'grade')} not on the scale {scale.label}",
            f"{next(iter(lines), '')} They are left out. Say here what they stand for, or change "
            "the scale in Project ▸ Scale.".lstrip(),
            tuple(lines[:MAX_LISTED]),
        )
    elif len(report.reading.judgments or ()):
        mapped = count_noun(sum(report.mapped.values()), "grade")
        yield ImportFinding(
            "good",
            f"Grades fit the scale {scale.label}",
            f"{mapped} taken as another grade of the scale."
            if report.mapped
            else "No other value occurs, so nothing has to be mapped.",
        )
    table = report.reading.judgments or JudgmentTable()
    disputed = disputes(table)
    if disputed:
        yield _dispute_finding(disputed, table)


def _dispute_finding(
    disputed: dict[tuple[str, str], dict[str, float]], table: JudgmentTable
) -> ImportFinding:
    by_pair: dict[tuple[str, str], set[str | None]] = {}
    for row, query_id in enumerate(table.query_ids):
        by_pair.setdefault((query_id, table.document_ids[row]), set()).add(table.assessors[row])
    n_shared = sum(len(names) > 1 for names in by_pair.values())
    lines = tuple(
        f"{query_id}  {document_id}  "
        + ", ".join(f"{name or 'nobody named'} {format_grade(g)}" for name, g in grades.items())
        for (query_id, document_id), grades in islice(disputed.items(), MAX_LISTED)
    )
    return ImportFinding(
        "warn",
        f"{len(disputed):,} of {count_noun(n_shared, 'pair')} are disputed",
        "Assessors gave different grades. All are kept; the view of judgments decides "
        "which counts.",
        lines,
    )


def _news_finding(report: FileReport) -> ImportFinding:
    parts = (
        (report.n_new, "new"),
        (report.n_changed, "changed"),
        (report.n_unchanged, "here already"),
    )
    shown = ", ".join(f"{count:,} {word}" for count, word in parts if count)
    along = f"With {texts_text(report)}." if report.texts else ""
    if not report.n_all_changed and not report.n_unchanged:
        return ImportFinding("good", "All of it is new", along)
    if not report.n_all_new and not report.n_all_changed:
        is_kept = report.n_conflicts or report.n_text_conflicts
        kept = "The project keeps what it has." if is_kept else "The project has all of it."
        return ImportFinding("note", "Nothing of it is new", kept)
    return ImportFinding("good", shown[:1].upper() + shown[1:], along)


def worst_level(findings: Sequence[ImportFinding]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"


def n_to_write(plan: ImportPlan) -> int:
    """Return how many records would be written: new and changed ones."""
    return sum(report.n_all_new + report.n_all_changed for report in plan.files)


def report_text(plan: ImportPlan) -> str:
    """Return the whole preview as text, for the clipboard."""
    lines = []
    for report in plan.files:
        reading = report.reading
        lines.append(
            f"{reading.source}: {describe_format(reading)}, {describe_encoding(reading)}, "
            f"{count_noun(reading.n_lines, 'line')}"
        )
        lines.append(
            f"  {report.n_records:,} records: {report.n_new:,} new, {report.n_changed:,} changed, "
            f"{report.n_unchanged:,} here already; {count_noun(report.n_refused, 'line')} left out"
        )
        lines += [f"  with {texts_text(report)}"] if report.texts else []
        lines += [f"  {text_conflicts_title(report)}"] if report.n_text_conflicts else []
        lines += [f"    {describe_text_conflict(each)}" for each in report.text_conflicts]
        lines += [f"  {differing_title(report)}"] if report.n_differing else []
        lines += [f"  {conflicts_title(report)}"] if report.n_conflicts else []
        lines += [f"    {describe_conflict(each)}" for each in report.conflicts]
        for match in report.matches:
            lines.append(f"  {match_title(match, reading.source)}. {match_text(match)}")
        lines += [f"  {note}" for note in report.notes]
        lines += [f"  {refusal_line(refusal)}" for refusal in report.refusals]
    return "\n".join(lines)


def is_doubtful(plan: ImportPlan) -> bool:
    """Whether a file seems to belong to something else, or to be joined wrongly."""
    return any(match.is_doubtful for report in plan.files for match in report.matches)


def open_questions_sentence(plan: ImportPlan) -> str:
    """Return why nothing can be imported while files leave questions open."""
    names = [PurePath(each.reading.source).name for each in plan.files if each.is_waiting]
    if len(names) == 1:
        return f"{names[0]} leaves a question open: answer it, or take the file out."
    return f"{len(names)} files leave a question open: answer it in each, or take them out."


def done_sentence(plan: ImportPlan) -> str:
    """Return what the status line says after an import."""
    n_refused = sum(report.n_refused for report in plan.files)
    files = count_noun(len(plan.files), "file")
    left_out = f" {count_noun(n_refused, 'line')} left out." if n_refused else ""
    return f"Imported {count_noun(n_to_write(plan), 'record')} from {files}.{left_out}"
