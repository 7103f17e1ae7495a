"""What an import preview says of a file: what was left out, what is new, what matches nothing.

Plain values made from a file's report; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from judgetool.core.scale import Scale, format_grade
from judgetool.formats import JudgmentTable, Kind, Reading, Refusal
from judgetool.formats.columns import count_noun
from judgetool.gui.dialogs.import_preview import (
    describe_encoding,
    describe_format,
)
from judgetool.session.imports.plan import Conflicts, FileReport, ImportPlan
from judgetool.session.imports.words import (
    Finding,
    contradictions,
    match_finding,
    records_text,
    texts_text,
)

MAX_LISTED = 1_000
QUESTION_TEXT = "Nothing is imported before it is answered, or the file taken out."


def find_findings(
    report: FileReport, scale: Scale, *, conflicts: Conflicts = Conflicts.MINE
) -> tuple[Finding, ...]:
    """Return what is to be said of a file, most telling first.

    Args:
        report: what importing it would do.
        scale: the project's.
        conflicts: which judgment stays where file and project differ.
    """
    reading = report.reading
    # Before an answer, a file may not have been read at all: then nothing is said of its lines.
    is_unread = reading.needs_answers and reading.is_empty and not reading.n_refused
    matches = [match_finding(match, reading.source) for match in report.matches]
    findings = [Finding("warn", "A question is open", QUESTION_TEXT)] if report.is_waiting else []
    findings += [] if is_unread else [_lines_finding(report)]
    findings += [match for match in matches if match.level == "warn"]
    findings += contradictions(report, conflicts)
    if reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings += [_news_finding(report)] if report.n_records else []
    findings += [match for match in matches if match.level != "warn"]
    findings += [Finding("note", "", note) for note in report.notes]
    return tuple(findings)


def refusal_line(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    where = "" if refusal.line is None else f"Line {refusal.line:,}: "
    return f"{where}{refusal.reason}."


def _lines_finding(report: FileReport) -> Finding:
    records = records_text(report)
    assessors = _assessor_counts(report.reading)
    who = f"{records}: {assessors}." if assessors else f"{records}."
    if report.is_waiting and not report.n_records:
        who = f"Nothing is taken yet of {assessors}." if assessors else "Nothing is taken yet."
    if not report.reading.n_refused:
        return Finding("good", "Every line was read", who)
    lines = [refusal_line(refusal) for refusal in report.reading.refusals]
    n_refused = report.reading.n_refused
    others = f"The others were read: {who}" if report.n_records else "Nothing else was in it."
    return Finding(
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


def _judgment_findings(report: FileReport, scale: Scale) -> Iterator[Finding]:
    n_off = sum(report.off_scale.values())
    lines = [refusal_line(refusal) for refusal in report.refusals[len(report.reading.refusals) :]]
    if n_off > 0:
        yield Finding(
            "warn",
            f"{count_noun(n_off, 'grade')} not on the scale {scale.label}",
            f"{next(iter(lines), '')} They are left out. Say here what they stand for, or change "
            "the scale in Project ▸ Scale.".lstrip(),
            tuple(lines[:MAX_LISTED]),
        )
    elif len(report.reading.judgments or ()):
        mapped = count_noun(sum(report.mapped.values()), "grade")
        yield Finding(
            "good",
            f"Grades fit the scale {scale.label}",
            f"{mapped} taken as another grade of the scale."
            if report.mapped
            else "No other value occurs, so nothing has to be mapped.",
        )
    table = report.reading.judgments or JudgmentTable()
    yield from _disputes(table)


def _disputes(table: JudgmentTable) -> Iterator[Finding]:
    """Yield that several assessors of one file graded pairs differently, and who said what."""
    if len(set(table.assessors)) < 2:
        return
    said: dict[tuple[str, str], dict[str, float | None]] = {}
    for row, grade in enumerate(table.grades):
        grades = said.setdefault((table.query_ids[row], table.document_ids[row]), {})
        grades[table.assessors[row] or "nobody named"] = grade
    lines = []
    for (query_id, document_id), given in said.items():
        known = {name: grade for name, grade in given.items() if grade is not None and grade >= 0}
        if len(set(known.values())) > 1:
            who = ", ".join(f"{name} {format_grade(grade)}" for name, grade in known.items())
            lines.append(f"{query_id}  {document_id}  {who}")
    n_shared = sum(len(given) > 1 for given in said.values())
    if lines:
        yield Finding(
            "warn",
            f"{len(lines):,} of {count_noun(n_shared, 'pair')} are disputed",
            "Assessors gave different grades. All are kept; the view of judgments decides "
            "which counts.",
            tuple(lines[:MAX_LISTED]),
        )


def _news_finding(report: FileReport) -> Finding:
    parts = (
        (report.n_new, "new"),
        (report.n_changed, "changed"),
        (report.n_unchanged, "here already"),
    )
    shown = ", ".join(f"{count:,} {word}" for count, word in parts if count)
    along = f"With {texts_text(report)}." if report.texts else ""
    if not report.n_all_changed and not report.n_unchanged:
        return Finding("good", "All of it is new", along)
    if not report.n_all_new and not report.n_all_changed:
        is_kept = report.conflicts or report.text_conflicts
        kept = "The project keeps what it has." if is_kept else "The project has all of it."
        return Finding("note", "Nothing of it is new", kept)
    return Finding("good", shown[:1].upper() + shown[1:], along)


def worst_level(findings: Sequence[Finding]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"


def n_to_write(plan: ImportPlan) -> int:
    """Return how many records would be written: new and changed ones."""
    return plan.n_new + plan.n_changed


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
            f"{report.n_unchanged:,} here already; {count_noun(report.refusals.n, 'line')} left out"
        )
        lines += [f"  with {texts_text(report)}"] if report.texts else []
        for finding in contradictions(report, Conflicts.MINE):
            lines += [f"  {finding.title}", *(f"    {line}" for line in finding.lines)]
        for match in report.matches:
            finding = match_finding(match, reading.source)
            lines.append(f"  {finding.title}. {finding.text}")
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
    files = count_noun(len(plan.files), "file")
    left_out = f" {count_noun(plan.n_refused, 'line')} left out." if plan.n_refused else ""
    return f"Imported {count_noun(n_to_write(plan), 'record')} from {files}.{left_out}"
