"""What an import did, for people and for scripts."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgetool.core.scale import format_grade
from judgetool.errors import shown_name
from judgetool.formats import FORMATS
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import Conflict, Conflicts, FileReport, ImportPlan
from judgetool.session.imports.words import (
    DIFFERING_TEXT,
    conflicts_text,
    conflicts_title,
    describe_conflict,
    describe_differing,
    describe_judgment,
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

N_REFUSALS_SHOWN = 20
N_EXAMPLES_SHOWN = 5
_DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", " ": "blanks"}


def format_report(
    plan: ImportPlan,
    project: Path,
    *,
    is_dry_run: bool,
    is_held: bool = False,
    conflicts: Conflicts = Conflicts.MINE,
) -> str:
    """Return the report as text: a paragraph for each file, and what became of it all.

    Args:
        plan: what was planned, and written unless one of these says otherwise.
        project: the project's file.
        is_dry_run: whether nothing was to be written.
        is_held: whether nothing was written because something has to be said first.
        conflicts: which judgment stays where file and project differ.
    """
    lines = [line for report in plan.files for line in _file_lines(report, conflicts)]
    n_new = sum(report.n_all_new for report in plan.files)
    n_changed = sum(report.n_all_changed for report in plan.files)
    if is_held:
        lines.append(f"Nothing was written to {project}.")
    elif is_dry_run:
        lines.append(
            f"Dry run: nothing was written to {project}. Without --dry-run it would be "
            f"{n_new:,} new and {n_changed:,} changed."
        )
    elif plan.is_empty:
        lines.append(_nothing_text(plan, project))
    else:
        lines.append(f"Written to {project}: {n_new:,} new, {n_changed:,} changed.")
    return "\n".join(lines)


def _nothing_text(plan: ImportPlan, project: Path) -> str:
    """Return why nothing is written: it is there already, kept as it is, or left out."""
    n_refused = sum(report.n_refused for report in plan.files)
    if not plan.n_records:
        return f"Nothing could be taken; nothing was written to {project}."
    if plan.n_conflicts or any(report.n_text_conflicts for report in plan.files):
        return f"Nothing new; {project} keeps what it has, and nothing was written."
    rest = " of the rest" if n_refused else " of this"
    return f"{project} has all{rest} already; nothing was written."


def open_question_text(plan: ImportPlan) -> str:
    """Return what has to be answered, and how; ``""`` where nothing is open."""
    names = {
        question.name: f"--answer {question.name}=CHOICE, one of {', '.join(question.choices)}"
        for report in plan.files
        for question in report.all_questions
        if question.is_open
    }
    if not names:
        return ""
    return (
        f"A question is open, so nothing was imported. Answer with {'; and '.join(names.values())}."
    )


def report_values(plan: ImportPlan, project: Path, *, is_dry_run: bool) -> dict[str, Any]:
    """Return the report as plain values for JSON; refusals are the first 1,000 of a file."""
    return {
        "project": str(project),
        "is_dry_run": is_dry_run,
        "is_written": not (is_dry_run or plan.is_empty),
        "n_records": plan.n_records,
        "n_new": sum(report.n_all_new for report in plan.files),
        "n_changed": sum(report.n_all_changed for report in plan.files),
        "n_unchanged": sum(report.n_unchanged for report in plan.files),
        "n_refused": sum(report.n_refused for report in plan.files),
        "n_conflicts": plan.n_conflicts,
        "n_text_conflicts": sum(report.n_text_conflicts for report in plan.files),
        "runs": [name for name, _, _ in plan.runs],
        "files": [_file_values(report) for report in plan.files],
    }


def _file_values(report: FileReport) -> dict[str, Any]:
    reading = report.reading
    return {
        "source": reading.source,
        "kind": str(reading.kind),
        "format": reading.format,
        "encoding": reading.encoding,
        "delimiter": reading.delimiter,
        "n_lines": reading.n_lines,
        "n_records": report.n_records,
        "n_new": report.n_new,
        "n_changed": report.n_changed,
        "n_unchanged": report.n_unchanged,
        "n_repeated": report.n_repeated,
        "n_refused": report.n_refused,
        "refusals": [
            {"line": refusal.line, "reason": refusal.reason} for refusal in report.refusals
        ],
        "n_conflicts": report.n_conflicts,
        "conflicts": [_conflict_values(conflict) for conflict in report.conflicts],
        "texts": {
            noun: {
                "n_new": each.n_new,
                "n_changed": each.n_changed,
                "n_unchanged": each.n_unchanged,
            }
            for noun, each in report.texts.items()
        },
        "n_differing": report.n_differing,
        "n_text_conflicts": report.n_text_conflicts,
        "text_conflicts": [asdict(conflict) for conflict in report.text_conflicts],
        "off_scale": {format_grade(g): n for g, n in sorted(report.off_scale.items())},
        "grades_mapped": [
            {"from": grade, "to": wanted, "n": count}
            for (grade, wanted), count in sorted(report.mapped.items())
        ],
        "unmatched_ids": [_match_values(match) for match in report.matches],
        "columns": {column.header: column.role for column in reading.columns},
        "questions": [
            {
                "name": question.name,
                "text": question.text,
                "choices": dict(question.choices),
                "answer": question.answer,
            }
            for question in report.all_questions
        ],
        "labels": reading.labels,
        "label_proposal": reading.label_proposal,
        "notes": report.notes,
    }


def _conflict_values(conflict: Conflict) -> dict[str, Any]:
    theirs = conflict.theirs
    return {
        "line": conflict.line,
        "query": theirs.query_id,
        "document": theirs.document_id,
        "assessor": theirs.assessor,
        "mine": describe_judgment(conflict.mine),
        "theirs": describe_judgment(theirs.judgment),
    }


def _match_values(match: IdMatch) -> dict[str, Any]:
    return {
        "of": match.noun,
        "n_named": match.n_named,
        "n_known": match.n_known,
        "n_unmatched": match.n_strange,
        "unmatched": list(match.strange),
        "nearest": dict(match.nearest),
        "habit": match.habit,
    }


def _file_lines(report: FileReport, conflicts: Conflicts) -> Iterator[str]:
    reading = report.reading
    columns = _DELIMITERS.get(reading.delimiter or "", "")
    how = [FORMATS[reading.format].title, reading.encoding, *([columns] if columns else [])]
    yield f"{shown_name(reading.source)}: {', '.join(how)}; {_counted(reading.n_lines, 'line', 'lines')}"
    yield (
        f"  {records_text(report)}: {report.n_new:,} new, "
        f"{report.n_changed:,} changed, {report.n_unchanged:,} unchanged; "
        f"{report.n_refused:,} refused"
    )
    if report.texts:
        yield f"  with {texts_text(report)}"
    yield from _understood_lines(report)
    for refusal in report.refusals[:N_REFUSALS_SHOWN]:
        where = "whole file" if refusal.line is None else f"line {refusal.line:,}"
        yield f"  {where}: {refusal.reason}"
    n_more = report.n_refused - N_REFUSALS_SHOWN
    if n_more > 0:
        yield f"  … and {n_more:,} more; --format json lists the first 1,000"
    if report.n_conflicts:
        yield f"  {conflicts_title(report)}. {conflicts_text(conflicts)}"
        yield from _examples([describe_conflict(each) for each in report.conflicts])
    if report.n_differing:
        yield f"  {differing_title(report)}. {DIFFERING_TEXT}"
        yield from _examples([describe_differing(each) for each in report.differing])
    if report.n_text_conflicts:
        yield f"  {text_conflicts_title(report)}. {text_conflicts_text(report)}"
        yield from _examples([describe_text_conflict(each) for each in report.text_conflicts])
    for match in report.matches:
        yield f"  {match_title(match, reading.source)}. {match_text(match)}"
        yield from _examples(match_lines(match) if match.is_doubtful else ())
    if report.off_scale:
        first = format_grade(min(report.off_scale))
        yield f"  Say what such grades stand for with --map-grade {first}=GRADE to take them in."
    yield from (f"  {note}" for note in report.notes)


def _understood_lines(report: FileReport) -> Iterator[str]:
    """Yield what each column was taken for, what is open, which words are no grades yet."""
    reading = report.reading
    if reading.columns:
        uses = ", ".join(f"{column.header} = {column.role}" for column in reading.columns)
        yield f"  columns: {uses} (change them with --column HEADER=ROLE)"
    for question in report.all_questions:
        choices = "; ".join(f"{choice}: {text}" for choice, text in question.choices.items())
        answer = f"taken as {question.answer}" if question.answer else "not answered"
        yield f"  {question.text} ({answer}; --answer {question.name}=CHOICE, with {choices})"
    words = [word for word in reading.labels if word not in reading.wishes.grade_map]
    if words:
        usual = " ".join(
            f"--map-grade '{word}={format_grade(reading.label_proposal[word])}'"
            for word in words
            if word in reading.label_proposal
        )
        yield f"  grades that are words: {', '.join(words)}" + (f"; usual: {usual}" * bool(usual))


def _examples(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"    {line}" for line in lines[:N_EXAMPLES_SHOWN])


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
