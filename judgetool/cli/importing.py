"""``judgetool import``: files into a project, in one batch that Undo takes back."""

import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.cli.import_report import (
    format_report,
    open_question_text,
    report_values,
    to_json,
)
from judgetool.cli.import_wishes import number_map, parse_wishes
from judgetool.cli.progress import shown_progress
from judgetool.errors import InputError, ReadOnlyError, UsageError
from judgetool.formats import Kind, Reading, read_file, read_stream
from judgetool.formats.values import Wishes
from judgetool.session.imports.choices import Conflicts, ImportChoices
from judgetool.session.imports.importing import plan_import, write_import
from judgetool.session.imports.plan import ImportPlan
from judgetool.session.opening import open_project
from judgetool.session.session import Session

Source = tuple[Kind, str]
_FILE = click.Path()


@click.command(
    "import",
    cls=JudgetoolCommand,
    examples=(
        "judgetool import recipes.judge --queries queries.jsonl --documents documents.jsonl",
        "judgetool import recipes.judge --run bm25.run dense.run --qrels qrels.txt",
        "judgetool import recipes.judge --qrels judgments.csv --dry-run --format json",
        "judgetool import recipes.judge --results results.csv --assessor anna",
        "judgetool import recipes.judge --qrels old.qrels --map-grade 4=3 --conflicts theirs",
    ),
)
@PROJECT
@click.option("--queries", multiple=True, type=_FILE, metavar="FILE", help="Queries.")
@click.option("--documents", multiple=True, type=_FILE, metavar="FILE", help="Documents.")
@click.option("--run", "runs", multiple=True, type=_FILE, metavar="FILE", help="A system's run.")
@click.option(
    "--qrels",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="Judgments: TREC qrels, or a table that may name assessors.",
)
@click.option(
    "--results",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="Ranked results with queries and texts in one table.",
)
@click.option(
    "--assessor",
    default="",
    metavar="NAME",
    help="Whose judgments those are that name nobody; otherwise the file's name stands for them.",
)
@click.option(
    "--conflicts",
    type=click.Choice([str(choice) for choice in Conflicts]),
    default=str(Conflicts.MINE),
    show_default=True,
    help="Which judgment stays where an assessor has judged otherwise in the project: its own "
    "(mine), the file's (theirs), or both, the file's under another assessor's name.",
)
@click.option(
    "--map-grade",
    "grade_pairs",
    multiple=True,
    metavar="GRADE=GRADE",
    help="Take one grade of the files, a number or a word, as one of the scale, such as 4=3.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="HEADER=ROLE",
    help="Say what a column of a table is where its header does not, such as rating=grade.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=CHOICE",
    help="Answer what a file leaves open; --dry-run names the questions.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Import nothing, and end with exit code 1, if a line is left out.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Of the report.",
)
def command(  # noqa: PLR0913 - one value for each option
    project: Path,
    *,
    queries: tuple[str, ...],
    documents: tuple[str, ...],
    runs: tuple[str, ...],
    qrels: tuple[str, ...],
    results: tuple[str, ...],
    assessor: str,
    conflicts: str,
    grade_pairs: tuple[str, ...],
    columns: tuple[str, ...],
    answers: tuple[str, ...],
    strict: bool,
    dry_run: bool,
    layout: str,
) -> None:
    """Bring files into PROJECT: any mix at once, in one batch that Undo takes back.

    What each file is like (columns, JSON lines, packed by gzip, encoding) is found out
    from its content; `-` reads standard input. Options may be given several times, or
    with several files at once. Lines that do not fit are left out and reported with
    their numbers; a file of which nothing can be used stops the import before anything
    is written.
    """
    sources: list[Source] = [
        *((Kind.QUERIES, name) for name in queries),
        *((Kind.DOCUMENTS, name) for name in documents),
        *((Kind.RUN, name) for name in runs),
        *((Kind.JUDGMENTS, name) for name in qrels),
        *((Kind.RESULTS, name) for name in results),
    ]
    _check_sources(sources)
    wishes = parse_wishes(columns=columns, answers=answers, grades=grade_pairs)
    numbers = number_map(wishes.grade_map.items())
    choices = ImportChoices(assessor, Conflicts(conflicts), numbers, answers=wishes.answers)
    with open_project(project, read_only=dry_run) as session:
        if session.read_only_reason and not dry_run:
            raise ReadOnlyError(session.read_only_reason, path=project)
        plan = plan_import(session, read_sources(sources, wishes), choices=choices)
        problem = open_question_text(plan) or (_refused_text(plan) if strict else "")
        if not dry_run and not problem:
            _write(session, plan)
        if layout == "json":
            click.echo(to_json(report_values(plan, project, is_dry_run=dry_run or bool(problem))))
        else:
            click.echo(
                format_report(
                    plan,
                    project,
                    is_dry_run=dry_run,
                    is_held=bool(problem),
                    conflicts=choices.conflicts,
                )
            )
        if problem:
            raise InputError(problem)


def read_sources(sources: Iterable[Source], wishes: Wishes) -> list[Reading]:
    """Read files of known kinds in turn; ``-`` is standard input.

    Args:
        sources: the files.
        wishes: what the person says of all of them.

    Raises:
        ParseError: nothing of one of them can be used.
        InputError: one of them cannot be read.
    """
    words = {
        word: grade for word, grade in wishes.grade_map.items() if not number_map([(word, grade)])
    }
    said: dict[str, Any] = {
        "answers": wishes.answers,
        "column_roles": wishes.column_roles,
        "grade_map": words,
    }
    readings = []
    for kind, name in sources:
        if name == "-":
            readings.append(read_stream(sys.stdin.buffer, kind=kind, **said))
            continue
        with shown_progress(f"Reading {Path(name).name}") as progress:
            readings.append(read_file(Path(name), kind=kind, progress=progress, **said))
    return readings


def _refused_text(plan: ImportPlan) -> str:
    """Return that lines were left out, and of which files; ``""`` where none was."""
    counts = [(PurePath(report.reading.source).name, report.n_refused) for report in plan.files]
    parts = [f"{count:,} of {name}" for name, count in counts if count]
    if not parts:
        return ""
    return f"--strict: lines were left out ({', '.join(parts)}), so nothing was imported."


def _check_sources(sources: list[Source]) -> None:
    if not sources:
        raise UsageError(
            "Nothing to import was named. Give at least one of --queries, --documents, --run, "
            "--qrels, --results."
        )
    if sum(name == "-" for _, name in sources) > 1:
        raise UsageError("Standard input (-) can be read only once.")


def _write(session: Session, plan: ImportPlan) -> None:
    with shown_progress("Writing") as progress:
        write_import(session, plan, progress=progress)
    # The session is closed next: reading anew what was written would help nobody.
