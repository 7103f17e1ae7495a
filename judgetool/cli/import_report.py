"""What an import did, for people and for scripts."""

from collections.abc import Collection, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judgetool.core.number_text import format_count, number_of
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import shown_name
from judgetool.formats import FORMATS
from judgetool.formats.judgments import WHOSE, find_whose
from judgetool.session.imports.matching import IdMatch
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    FileReport,
    ImportPlan,
    contradictions,
    describe_judgment,
    match_finding,
    records_text,
    refused_lines,
    shared_lines,
    shared_notes,
    texts_text,
)
from judgetool.wording import N_, _, local_number

N_REFUSALS_SHOWN = 20
N_EXAMPLES_SHOWN = 5
_DELIMITERS = {
    "\t": N_("tabs"),
    ",": N_("commas"),
    ";": N_("semicolons"),
    "|": N_("bars"),
    " ": N_("blanks"),
}


def format_report(
    plan: ImportPlan,
    project: Path,
    *,
    is_dry_run: bool,
    is_held: bool = False,
    conflicts: Conflicts = Conflicts.MINE,
    scale: Scale,
) -> str:
    """Return the report as text: a paragraph for each file, and what became of it all.

    Args:
        plan: what was planned, and written unless one of these says otherwise.
        project: the project's file.
        is_dry_run: whether nothing was to be written.
        is_held: whether nothing was written because something has to be said first.
        conflicts: which judgment stays where file and project differ.
        scale: the project's: no other grades are proposed.
    """
    shared = shared_notes(plan)
    lines = [
        line for report in plan.files for line in _file_lines(report, conflicts, scale, shared)
    ]
    lines += shared_lines(plan)
    if is_held:
        lines.append(_("Nothing was written to {project}.").format(project=project))
    elif is_dry_run:
        lines.append(
            _(
                "Dry run: nothing was written to {project}. Without --dry-run it would be "
                "{n_new} new and {n_changed} changed."
            ).format(
                project=project,
                n_new=local_number(f"{plan.n_new:,}"),
                n_changed=local_number(f"{plan.n_changed:,}"),
            )
        )
    elif plan.is_empty:
        lines.append(_nothing_text(plan, project))
    else:
        lines.append(
            _("Written to {project}: {n_new} new, {n_changed} changed.").format(
                project=project,
                n_new=local_number(f"{plan.n_new:,}"),
                n_changed=local_number(f"{plan.n_changed:,}"),
            )
        )
    # Ids may hold what a terminal obeys.
    return "\n".join(map(shown_name, lines))


def _nothing_text(plan: ImportPlan, project: Path) -> str:
    """Return why nothing is written: it is there already, kept as it is, or left out."""
    if not plan.n_records:
        return _("Nothing could be taken; nothing was written to {project}.").format(
            project=project
        )
    if plan.n_conflicts or plan.n_text_conflicts:
        return _("Nothing new; {project} keeps what it has, and nothing was written.").format(
            project=project
        )
    said = (
        _("{project} has all of the rest already; nothing was written.")
        if plan.n_refused
        else _("{project} has all of this already; nothing was written.")
    )
    return said.format(project=project)


def open_question_text(plan: ImportPlan) -> str:
    """Return what has to be answered, and how; ``""`` where nothing is open."""
    names = {
        question.name: _("--answer {name}=CHOICE, one of {choices}").format(
            name=question.name, choices=", ".join(question.choices)
        )
        for report in plan.files
        for question in report.all_questions
        if question.is_open
    }
    if not names:
        return ""
    ways = _("; and ").join(names.values())
    return _("A question is open, so nothing was imported. Answer with {ways}.").format(ways=ways)


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
        "n_same_time": max(0, report.n_tied),
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


def _file_lines(
    report: FileReport, conflicts: Conflicts, scale: Scale, shared: Collection[str]
) -> Iterator[str]:
    reading = report.reading
    columns = _(_DELIMITERS.get(reading.delimiter or "", ""))
    how = [_(FORMATS[reading.format].title), reading.encoding, *([columns] if columns else [])]
    how_long = number_of(reading.n_lines, "{n} line", "{n} lines")
    yield f"{shown_name(reading.source)}: {', '.join(how)}; {how_long}"
    counts = _(
        "{records}: {n_new} new, {n_changed} changed, {n_same} unchanged; {n_refused} refused"
    )
    numbers = (report.n_new, report.n_changed, report.n_unchanged, report.refusals.n)
    n_new, n_changed, n_same, n_refused = (local_number(format_count(each)) for each in numbers)
    yield "  " + counts.format(
        records=records_text(report),
        n_new=n_new,
        n_changed=n_changed,
        n_same=n_same,
        n_refused=n_refused,
    )
    if report.texts:
        yield "  " + _("with {texts}").format(texts=texts_text(report))
    yield from _understood_lines(report, scale)
    refused = refused_lines(report)[:N_REFUSALS_SHOWN]
    for refusal, _count in refused:
        number = "" if refusal.line is None else local_number(format_count(refusal.line))
        where = _("line {line}").format(line=number) if number else _("whole file")
        yield f"  {where}: {refusal.reason}"
    n_more = report.refusals.n - sum(count for _refusal, count in refused)
    if n_more > 0:
        more = number_of(
            n_more,
            "… and {n} more; --format json lists the first {most}",
            "… and {n} more; --format json lists the first {most}",
            most=local_number("1,000"),
        )
        yield f"  {more}"
    matches = [match_finding(match, reading.source) for match in report.matches]
    for finding in (*contradictions(report, conflicts), *matches):
        yield f"  {finding.title}. {finding.text}"
        lines = finding.lines if finding.level == "warn" else ()
        yield from (f"    {line}" for line in lines[:N_EXAMPLES_SHOWN])
    if report.off_scale:
        first = format_grade(min(report.off_scale))
        yield "  " + _(
            "Say what such grades stand for with --map-grade {first}=GRADE to take them in."
        ).format(first=first)
    yield from (f"  {note}" for note in report.notes if note not in shared)


def _understood_lines(report: FileReport, scale: Scale) -> Iterator[str]:
    """Yield what each column was taken for, what is open, which words are no grades yet."""
    reading = report.reading
    if reading.columns:
        uses = ", ".join(f"{column.header} = {column.role}" for column in reading.columns)
        columns = _("columns: {uses} (change them with --column HEADER=ROLE)").format(uses=uses)
        yield f"  {columns}"
    for question in report.all_questions:
        if question == WHOSE:
            # Asked of all judgments; people's are the rule.
            continue
        choices = "; ".join(
            f"{choice}: {_(text)}" if text else choice for choice, text in question.choices.items()
        )
        asked = (
            _("{question} (taken as {answer}; --answer {name}=CHOICE, with {choices})")
            if question.answer
            else _("{question} (not answered; --answer {name}=CHOICE, with {choices})")
        ).format(
            question=_(question.text), answer=question.answer, name=question.name, choices=choices
        )
        yield f"  {asked}"
    words = [word for word in reading.labels if word not in reading.wishes.grade_map]
    if words:
        proposal = reading.label_proposal
        usual = " ".join(
            f"--map-grade '{word}={format_grade(proposal[word])}'"
            for word in words
            if word in proposal and scale.has_grade(proposal[word])
        )
        said = _("grades that are words: {words}; usual: {usual}")
        if not usual:
            said = _(
                "grades that are words: {words} (say what each stands for with --map-grade "
                "'{first}=GRADE', a grade of the scale {label})"
            )
        yield "  " + said.format(
            words=", ".join(words), usual=usual, first=words[0], label=scale.label
        )
