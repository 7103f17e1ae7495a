"""What an import did, for people and for scripts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgetool.formats import FORMATS, Kind
from judgetool.session.import_plan import FileReport, ImportPlan

N_REFUSALS_SHOWN = 20
_NOUNS = {
    Kind.QUERIES: ("query", "queries"),
    Kind.DOCUMENTS: ("document", "documents"),
    Kind.RUN: ("result", "results"),
    Kind.RESULTS: ("result", "results"),
    Kind.JUDGMENTS: ("judgment", "judgments"),
}
_DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", " ": "blanks"}


def format_report(plan: ImportPlan, project: Path, *, is_dry_run: bool) -> str:
    """Return the report as text: a paragraph for each file, and what became of it all."""
    lines = [line for report in plan.files for line in _file_lines(report)]
    n_new = sum(report.n_new for report in plan.files)
    n_changed = sum(report.n_changed for report in plan.files)
    if is_dry_run:
        lines.append(
            f"Dry run: nothing was written to {project}. Without --dry-run it would be "
            f"{n_new:,} new and {n_changed:,} changed."
        )
    elif plan.is_empty:
        lines.append(f"{project} has all of this already; nothing was written.")
    else:
        lines.append(f"Written to {project}: {n_new:,} new, {n_changed:,} changed.")
    return "\n".join(lines)


def report_values(plan: ImportPlan, project: Path, *, is_dry_run: bool) -> dict[str, Any]:
    """Return the report as plain values for JSON; refusals are the first 1,000 of a file."""
    return {
        "project": str(project),
        "is_dry_run": is_dry_run,
        "is_written": not is_dry_run and not plan.is_empty,
        "n_records": plan.n_records,
        "n_new": sum(report.n_new for report in plan.files),
        "n_changed": sum(report.n_changed for report in plan.files),
        "n_unchanged": sum(report.n_unchanged for report in plan.files),
        "n_refused": sum(report.n_refused for report in plan.files),
        "runs": [name for name, _, _ in plan.runs],
        "files": [_file_values(report) for report in plan.files],
    }


def to_json(values: dict[str, Any]) -> str:
    """Return values as indented JSON, ids readable."""
    return json.dumps(values, ensure_ascii=False, indent=2)


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
        "n_refused": report.n_refused,
        "refusals": [
            {"line": refusal.line, "reason": refusal.reason} for refusal in report.refusals
        ],
        "notes": report.notes,
    }


def _file_lines(report: FileReport) -> Iterator[str]:
    reading = report.reading
    columns = _DELIMITERS.get(reading.delimiter or "", "")
    how = [FORMATS[reading.format].title, reading.encoding, *([columns] if columns else [])]
    yield f"{reading.source}: {', '.join(how)}; {_counted(reading.n_lines, 'line', 'lines')}"
    yield (
        f"  {_counted(report.n_records, *_NOUNS[reading.kind])}: {report.n_new:,} new, "
        f"{report.n_changed:,} changed, {report.n_unchanged:,} unchanged; "
        f"{report.n_refused:,} refused"
    )
    for refusal in report.refusals[:N_REFUSALS_SHOWN]:
        where = "whole file" if refusal.line is None else f"line {refusal.line:,}"
        yield f"  {where}: {refusal.reason}"
    n_more = report.n_refused - N_REFUSALS_SHOWN
    if n_more > 0:
        yield f"  … and {n_more:,} more; --format json lists the first 1,000"
    yield from (f"  {note}" for note in report.notes)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
