"""What an import preview says of a file: what was left out, what is new, what matches nothing.

Plain values made from a file's report; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from judgetool.core.scale import Scale, format_grade
from judgetool.formats import JudgmentTable, Kind, Reading, Refusal
from judgetool.gui.dialogs.import_preview import (
    RECORD_NOUNS,
    count_of,
    describe_encoding,
    describe_format,
    grade_counts,
)
from judgetool.session.import_plan import FileReport, ImportPlan

MAX_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is said of a file.

    Attributes:
        level: ``good``, ``warn`` or ``note``.
        title: in a few words.
        text: the rest, in sentences.
        lines: what 'Show them' shows; empty where there is nothing to show.
    """

    level: str
    title: str
    text: str = ""
    lines: tuple[str, ...] = ()


def disputes(table: JudgmentTable) -> dict[tuple[str, str], dict[str, float]]:
    """Return the pairs that several assessors of one file graded differently, with who said what."""
    said: dict[tuple[str, str], dict[str, float]] = {}
    for row, grade in enumerate(table.grades):
        if grade is not None and grade >= 0:
            pair = table.query_ids[row], table.document_ids[row]
            said.setdefault(pair, {})[table.assessors[row] or ""] = grade
    return {pair: grades for pair, grades in said.items() if len(set(grades.values())) > 1}


def find_findings(
    report: FileReport, scale: Scale, *, known_queries: Collection[str]
) -> tuple[Finding, ...]:
    """Return what is to be said of a file, most telling first.

    Args:
        report: what importing it would do.
        scale: the project's.
        known_queries: ids that the project or the files with texts have; empty where
            there are none, which is then no news.
    """
    findings = [_lines_finding(report)]
    if report.reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings.append(_news_finding(report))
    findings += _match_findings(report.reading, known_queries)
    findings += [Finding("note", "", note) for note in report.notes]
    return tuple(findings)


def refusal_line(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    where = "" if refusal.line is None else f"Line {refusal.line:,}: "
    return f"{where}{refusal.reason}."


def _lines_finding(report: FileReport) -> Finding:
    one, many = RECORD_NOUNS[report.reading.kind]
    records = count_of(report.n_records, one, many)
    assessors = _assessor_counts(report.reading)
    who = f"{records}: {assessors}." if assessors else f"{records}."
    if not report.reading.n_refused:
        return Finding("good", "Every line was read", who)
    lines = [refusal_line(refusal) for refusal in report.reading.refusals]
    n_refused = report.reading.n_refused
    others = f"The others were read: {who}" if report.n_records else "Nothing else was in it."
    return Finding(
        "warn",
        f"{count_of(n_refused, 'line')} left out",
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
    n_off = report.n_refused - report.reading.n_refused
    lines = [refusal_line(refusal) for refusal in report.refusals[len(report.reading.refusals) :]]
    if n_off > 0:
        yield Finding(
            "warn",
            f"{count_of(n_off, 'grade')} not on the scale {scale.label}",
            f"{lines[0]} They are left out; change the scale in Project ▸ Scale to take them in.",
            tuple(lines[:MAX_LISTED]),
        )
    elif grade_counts(report.reading):
        yield Finding(
            "good",
            f"Grades fit the scale {scale.label}",
            "No other value occurs, so nothing has to be mapped.",
        )
    table = report.reading.judgments or JudgmentTable()
    disputed = disputes(table)
    if disputed:
        yield _dispute_finding(disputed, table)


def _dispute_finding(
    disputed: dict[tuple[str, str], dict[str, float]], table: JudgmentTable
) -> Finding:
    by_pair: dict[tuple[str, str], set[str | None]] = {}
    for row, query_id in enumerate(table.query_ids):
        by_pair.setdefault((query_id, table.document_ids[row]), set()).add(table.assessors[row])
    n_shared = sum(len(names) > 1 for names in by_pair.values())
    lines = tuple(
        f"{query_id}  {document_id}  "
        + ", ".join(f"{name or 'nobody named'} {format_grade(g)}" for name, g in grades.items())
        for (query_id, document_id), grades in islice(disputed.items(), MAX_LISTED)
    )
    return Finding(
        "warn",
        f"{len(disputed):,} of {count_of(n_shared, 'pair')} are disputed",
        "Assessors gave different grades. All are kept; the view of judgments decides "
        "which counts.",
        lines,
    )


def _news_finding(report: FileReport) -> Finding:
    parts = (
        (report.n_new, "new"),
        (report.n_changed, "changed"),
        (report.n_unchanged, "here already"),
    )
    shown = ", ".join(f"{count:,} {word}" for count, word in parts if count)
    if not report.n_changed and not report.n_unchanged:
        return Finding("good", "All of it is new", "")
    if not report.n_new and not report.n_changed:
        return Finding("note", "Nothing of it is new", "The project has all of this, just so.")
    level = "warn" if report.n_changed else "good"
    text = "What changed replaces what the project has; Undo brings it back."
    return Finding(level, shown[:1].upper() + shown[1:], text if report.n_changed else "")


def query_ids_of(reading: Reading) -> set[str]:
    """Return the ids of queries that a run or judgments name."""
    ids = {query_id for run in reading.runs for query_id in run.query_ids}
    if reading.judgments is not None:
        ids.update(reading.judgments.query_ids)
    return ids


def document_ids_of(reading: Reading) -> set[str]:
    """Return the ids of documents that a run or judgments name."""
    ids = {document_id for run in reading.runs for document_id in run.document_ids}
    if reading.judgments is not None:
        ids.update(reading.judgments.document_ids)
    return ids


def strange_documents(strange: Sequence[str], *, is_all: bool) -> Finding:
    """Return the finding about documents of which nothing but the id is known.

    Args:
        strange: their ids, at least one.
        is_all: whether there are no others.
    """
    at_least = "" if is_all else "at least "
    title = f"{at_least}{count_of(len(strange), 'document')} without text"
    return Finding(
        "note",
        title[:1].upper() + title[1:],
        "Neither the project nor these files know them; they are added, and shown, by their ids.",
        tuple(strange[:MAX_LISTED]),
    )


def _match_findings(reading: Reading, known_queries: Collection[str]) -> Iterator[Finding]:
    if reading.kind not in (Kind.RUN, Kind.JUDGMENTS) or not known_queries:
        return
    named = query_ids_of(reading)
    strange = sorted(named - set(known_queries))
    if not strange:
        return
    n_known = len(named) - len(strange)
    if n_known * 2 < len(named):
        yield Finding(
            "warn",
            f"Only {n_known:,} of {count_of(len(named), 'query id')} are known here",
            f"In {PurePath(reading.source).name} most queries are new: perhaps another "
            "collection’s file.",
            tuple(strange[:MAX_LISTED]),
        )
    else:
        yield Finding(
            "note",
            f"{count_of(len(strange), 'query', 'queries')} without text",
            "Neither the project nor these files have a text for them; they are added by "
            "their ids.",
            tuple(strange[:MAX_LISTED]),
        )


def worst_level(findings: Sequence[Finding]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"


def n_to_write(plan: ImportPlan) -> int:
    """Return how many records would be written: new and changed ones."""
    return sum(report.n_new + report.n_changed for report in plan.files)


def report_text(plan: ImportPlan) -> str:
    """Return the whole preview as text, for the clipboard."""
    lines = []
    for report in plan.files:
        reading = report.reading
        lines.append(
            f"{reading.source}: {describe_format(reading)}, {describe_encoding(reading)}, "
            f"{count_of(reading.n_lines, 'line')}"
        )
        lines.append(
            f"  {report.n_records:,} records: {report.n_new:,} new, {report.n_changed:,} changed, "
            f"{report.n_unchanged:,} here already; {count_of(report.n_refused, 'line')} left out"
        )
        lines += [f"  {note}" for note in report.notes]
        lines += [f"  {refusal_line(refusal)}" for refusal in report.refusals]
    return "\n".join(lines)


def done_sentence(plan: ImportPlan) -> str:
    """Return what the status line says after an import."""
    n_refused = sum(report.n_refused for report in plan.files)
    files = count_of(len(plan.files), "file")
    left_out = f" {count_of(n_refused, 'line')} left out." if n_refused else ""
    return f"Imported {count_of(n_to_write(plan), 'record')} from {files}.{left_out}"
