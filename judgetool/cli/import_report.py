"""What an import did, for people and for scripts."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgetool.core.number_text import count_noun
from judgetool.core.scale import format_grade
from judgetool.errors import shown_name
from judgetool.formats import FORMATS
from judgetool.formats.judgments import WHOSE, find_whose
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import Conflict, Conflicts, FileReport, ImportPlan
from judgetool.session.imports.words import (
    contradictions,
    describe_judgment,
    match_finding,
    records_text,
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
    if is_held:
        lines.append(f"Nothing was written to {project}.")
    elif is_dry_run:
        lines.append(
            f"Dry run: nothing was written to {project}. Without --dry-run it would be "
            f"{plan.n_new:,} new and {plan.n_changed:,} changed."
        )
    elif plan.is_empty:
        lines.append(_nothing_text(plan, project))
    else:
        lines.append(f"Written to {project}: {plan.n_new:,} new, {plan.n_changed:,} changed.")
    return "\n".join(lines)


def _nothing_text(plan: ImportPlan, project: Path) -> str:
    """Return why nothing is written: it is there already, kept as it is, or left out."""
    if not plan.n_records:
        return f"Nothing could be taken; nothing was written to {project}."
    if plan.n_conflicts or plan.n_text_conflicts:
        return f"Nothing new; {project} keeps what it has, and nothing was written."
    rest = " of the rest" if plan.n_refused else " of this"
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
        "n_new": plan.n_new,
        "n_changed": plan.n_changed,
        "n_unchanged": plan.total(lambda report: report.n_unchanged),
        "n_refused": plan.n_refused,
        "n_conflicts": plan.n_conflicts,
        "n_text_conflicts": plan.n_text_conflicts,
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
        "n_refused": report.refusals.n,
        "refusals": [
            {"line": refusal.line, "reason": refusal.reason} for refusal in report.refusals
        ],
        "n_conflicts": report.conflicts.n,
        "conflicts": [_conflict_values(conflict) for conflict in report.conflicts],
        "texts": {
            noun: {
                "n_new": each.n_new,
                "n_changed": each.n_changed,
                "n_unchanged": each.n_unchanged,
            }
            for noun, each in report.texts.items()
        },
        "n_differing": report.differing.n,
        "n_text_conflicts": report.text_conflicts.n,
        "text_conflicts": [asdict(conflict) for conflict in report.text_conflicts],
        "off_scale": {format_grade(g): n for g, n in sorted(report.off_scale.items())},
        "grades_mapped": [
            {"from": grade, "to": wanted, "n": count}
            for (grade, wanted), count in sorted(report.mapped.items())
        ],
        "unmatched_ids": [_match_values(match) for match in report.matches],
        "columns": {column.header: column.role for column in reading.columns},
        "whose": None if reading.judgments is None else find_whose(reading).answer,
        "n_cannot_judge": report.n_cannot_judge,
        "questions": [
            {
                "name": question.name,
                "text": question.text,
                "choices": dict(question.choices),
                "answer": question.answer,
            }
            for question in report.all_questions
            if question != WHOSE
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
    yield f"{shown_name(reading.source)}: {', '.join(how)}; {count_noun(reading.n_lines, 'line')}"
    yield (
        f"  {records_text(report)}: {report.n_new:,} new, "
        f"{report.n_changed:,} changed, {report.n_unchanged:,} unchanged; "
        f"{report.refusals.n:,} refused"
    )
    if report.texts:
        yield f"  with {texts_text(report)}"
    yield from _understood_lines(report)
    for refusal in report.refusals[:N_REFUSALS_SHOWN]:
        where = "whole file" if refusal.line is None else f"line {refusal.line:,}"
        yield f"  {where}: {refusal.reason}"
    n_more = report.refusals.n - N_REFUSALS_SHOWN
    if n_more > 0:
        yield f"  … and {n_more:,} more; --format json lists the first 1,000"
    matches = [match_finding(match, reading.source) for match in report.matches]
    for finding in (*contradictions(report, conflicts), *matches):
        yield f"  {finding.title}. {finding.text}"
        lines = finding.lines if finding.level == "warn" else ()
        yield from (f"    {line}" for line in lines[:N_EXAMPLES_SHOWN])
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
        if question == WHOSE:
            # Asked of all judgments; people's are the rule.
            continue
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
