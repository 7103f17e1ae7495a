"""``judgetool export``: judgments and runs to files of others."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO, TypeVar

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.core.override import override
from judgetool.core.views import DEFAULT_VIEW, VIEW_RULES
from judgetool.errors import InputError, UsageError
from judgetool.formats import write_judgments_csv, write_qrels, write_run
from judgetool.session.board import ONLY_MINE
from judgetool.session.exporting import (
    find_assessor,
    iter_grade_rows,
    iter_judgment_rows,
    iter_run_rows,
)
from judgetool.session.opening import open_project
from judgetool.session.session import Session

T = TypeVar("T")


@click.command(
    "export",
    cls=JudgetoolCommand,
    examples=(
        "judgetool export recipes.judge --qrels qrels.txt",
        "judgetool export recipes.judge --qrels - --view majority",
        "judgetool export recipes.judge --judgments anna.csv --assessor anna",
        "judgetool export recipes.judge --run title-bm25=title.run --run chargrams=char.run",
    ),
)
@PROJECT
@click.option("--qrels", metavar="OUT", help="TREC qrels: one grade per document.")
@click.option(
    "--judgments", metavar="OUT.csv", help="CSV with everything that was said, and who said it."
)
@click.option(
    "--run", "runs", multiple=True, metavar="NAME=OUT", help="A run of the project, as TREC run."
)
@click.option("--assessor", metavar="NAME", help="Only what this assessor said.")
@click.option(
    "--view",
    metavar="RULE",
    help=f"How several grades of a document become one: {', '.join(VIEW_RULES)}. "
    f"Default: {DEFAULT_VIEW}.",
)
def command(
    project: Path,
    *,
    qrels: str | None,
    judgments: str | None,
    runs: tuple[str, ...],
    assessor: str | None,
    view: str | None,
) -> None:
    """Write judgments and runs of PROJECT to files that other tools read.

    `-` is standard output. A file that exists is replaced as a whole or not at all.
    Works while a window has the project open, and never changes it.
    """
    if assessor is not None and view is not None:
        raise UsageError("--assessor and --view exclude each other: one person's, or all folded.")
    targets = [*filter(None, (qrels, judgments)), *(run.rpartition("=")[2] for run in runs)]
    if not targets:
        raise UsageError(
            "Nothing to export was named. Give at least one of --qrels, --judgments, --run."
        )
    if targets.count("-") > 1:
        raise UsageError("Only one thing can be written to standard output (-).")
    with open_project(project, assessor=assessor or "", read_only=True) as session:
        if assessor is not None:
            find_assessor(session, assessor)
        session.set_view(ONLY_MINE if assessor is not None else view or DEFAULT_VIEW)
        chosen = [split_run(session, run) for run in runs]
        if qrels:
            _write_grades(session, qrels)
        if judgments:
            _write_judgments(session, judgments, assessor or "")
        for name, out in chosen:
            _write_run(session, name, out)


def split_run(session: Session, text: str) -> tuple[str, str]:
    """Return name and target of ``NAME=OUT``; both may hold ``=`` themselves.

    Raises:
        UsageError: there is no ``=``, or nothing after it.
        InputError: the project has no run of this name.
    """
    parts = text.split("=")
    if len(parts) < 2 or not parts[-1]:
        raise UsageError(f"--run {text}: expected NAME=OUT, such as bm25=bm25.run.")
    splits = [("=".join(parts[:n]), "=".join(parts[n:])) for n in range(1, len(parts))]
    known = [split for split in splits if session.material.find_run(split[0])]
    if not known:
        names = ", ".join(run.name for run in session.material.runs) or "none"
        raise InputError(
            f"There is no run {splits[-1][0]!r} in {session.path.name}. It has: {names}."
        )
    return known[-1]


class _Counted(Iterable[T]):
    """Rows that are counted as they are written."""

    def __init__(self, rows: Iterable[T]) -> None:
        self._rows = rows
        self.count = 0

    @override
    def __iter__(self) -> Iterator[T]:
        for row in self._rows:
            self.count += 1
            yield row


def _write_grades(session: Session, out: str) -> None:
    rows = _Counted(iter_grade_rows(session))
    write_qrels(rows, _target(out))
    _tell(rows.count, "grade", out)


def _write_judgments(session: Session, out: str, assessor: str) -> None:
    rows = _Counted(iter_judgment_rows(session, assessor=assessor))
    write_judgments_csv(rows, _target(out))
    _tell(rows.count, "judgment", out)


def _write_run(session: Session, name: str, out: str) -> None:
    rows = _Counted(iter_run_rows(session, name))
    for note in write_run(rows, _target(out), tag=name):
        click.echo(f"{name}: {note}", err=True)
    _tell(rows.count, f"result of {name}", out)


def _target(out: str) -> TextIO | Path:
    return sys.stdout if out == "-" else Path(out)


def _tell(count: int, what: str, out: str) -> None:
    """Say on standard error how much went where: standard output may be the file."""
    noun, _, rest = what.partition(" ")
    where = "standard output" if out == "-" else out
    plural = noun if count == 1 else f"{noun}s"
    click.echo(f"{count:,} {' '.join(filter(None, (plural, rest)))} to {where}", err=True)
