"""``judgetool show``: what a project holds, as tables for scripts."""

from collections.abc import Callable
from pathlib import Path

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.cli.tables import print_tsv
from judgetool.core.scale import format_grade
from judgetool.session.opening import open_project
from judgetool.session.session import Session


@click.command(
    "show",
    cls=JudgetoolCommand,
    examples=(
        "judgetool show recipes.judge",
        "judgetool show recipes.judge --judgments",
        "judgetool show recipes.judge --queries",
    ),
)
@PROJECT
@click.option(
    "--judgments",
    "what",
    flag_value="judgments",
    help="query, document, assessor, grade, state: a line for everything said.",
)
@click.option(
    "--queries", "what", flag_value="queries", help="id, text, judged, total: a line per query."
)
@click.option(
    "--runs", "what", flag_value="runs", help="name, queries, results, source: a line per run."
)
def command(project: Path, what: str | None) -> None:
    r"""Print what PROJECT holds, as tab-separated values with a header, sorted.

    Works while a window has the project open, and never changes it. Without an option
    it prints a summary. A text with a tab, a line end or another control character is
    printed in quotes with escapes as in JSON ("a\tb"); any other as it is.
    """
    with open_project(project, read_only=True) as session:
        _TABLES[what or "summary"](session)


def _print_summary(session: Session) -> None:
    progress = session.board.total_progress()
    rows = {
        "title": session.title,
        "scale": f"{session.scale.name} ({session.scale.label})",
        "queries": str(len(session.material.queries)),
        "documents": str(session.material.count_documents()[0]),
        "runs": str(len(session.material.runs)),
        "judgments": str(len(session.iter_judgments())),
        "assessors": ", ".join(session.assessors),
        "measures": ", ".join(map(str, session.measures)),
        "judged": str(progress.judged),
        "to judge": str(progress.total),
    }
    print_tsv(("what", "value"), rows.items())


def _print_judgments(session: Session) -> None:
    ids = session.material.document_ids()
    queries = session.material.queries
    rows = []
    for query, document, opinion, _at in session.iter_judgments():
        judgment = opinion.judgment
        grade = "" if judgment.grade is None else format_grade(judgment.grade)
        rows.append(
            (queries[query].id, ids[document], opinion.assessor, grade, str(judgment.state))
        )
    print_tsv(("query", "document", "assessor", "grade", "state"), sorted(rows))


def _print_queries(session: Session) -> None:
    rows = []
    for number, query in enumerate(session.material.queries):
        progress = session.board.progress(number)
        rows.append((query.id, query.text, str(progress.judged), str(progress.total)))
    print_tsv(("id", "text", "judged", "total"), sorted(rows))


def _print_runs(session: Session) -> None:
    rows = [
        (run.name, str(run.n_queries), str(run.n_results), run.source)
        for run in session.material.runs
    ]
    print_tsv(("name", "queries", "results", "source"), sorted(rows))


_TABLES: dict[str, Callable[[Session], None]] = {
    "summary": _print_summary,
    "judgments": _print_judgments,
    "queries": _print_queries,
    "runs": _print_runs,
}
