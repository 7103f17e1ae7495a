"""What an export would write: its rows, its first lines, and writing it."""

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

from judgetool.core.judgments import State
from judgetool.core.views import VIEW_RULES
from judgetool.errors import InputError
from judgetool.formats import GradeRow, RunRow, write_judgments_csv, write_qrels
from judgetool.formats import write_run as write_trec_run
from judgetool.session.exporting import iter_grade_rows, iter_judgment_rows, iter_run_rows
from judgetool.session.session import Session

PREVIEW_LINES = 10


class ExportKind(StrEnum):
    """What is written."""

    QRELS = "qrels"
    JUDGMENTS = "judgments"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Source:
    """Which judgments, or which run.

    Attributes:
        kind: ``view`` (a folding rule), ``assessor``, ``all`` or ``run``.
        name: of the rule, the assessor or the run; ``""`` for all.
        title: as shown.
        help: one sentence more; may be empty.
    """

    kind: str
    name: str
    title: str
    help: str = ""


def sources_of(session: Session, kind: ExportKind) -> tuple[Source, ...]:
    """Return what there is to choose from for a kind of export; may be empty."""
    if kind is ExportKind.RUN:
        return tuple(Source("run", run.name, run.name) for run in session.material.runs)
    assessors = tuple(
        Source("assessor", name, f"{name}’s judgments", f"Only what {name} has said.")
        for name in session.assessors
    )
    if kind is ExportKind.JUDGMENTS:
        everyone = Source("all", "", "Everyone’s judgments", "One row for each assessor.")
        return (everyone, *assessors)
    views = tuple(Source("view", rule.name, rule.title, rule.help) for rule in VIEW_RULES.values())
    return (*views, *assessors)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows to be written, counted; a run's millions are only made while they are written.

    Attributes:
        count: how many.
        iterate: yields them, in their order.
    """

    count: int
    iterate: Callable[[], Iterable[object]]

    @staticmethod
    def of(rows: Sequence[object]) -> "Rows":
        """Return rows that are there already."""
        return Rows(len(rows), lambda: rows)


def collect_rows(session: Session, kind: ExportKind, source: Source) -> Rows:
    """Return all rows that would be written, in their order."""
    if kind is ExportKind.RUN:
        run = session.material.find_run(source.name)
        count = 0 if run is None else len(session.material.block(run.run_id).documents)
        return Rows(count, partial(iter_run_rows, session, source.name))
    if kind is ExportKind.JUDGMENTS:
        return Rows.of(list(iter_judgment_rows(session, assessor=source.name)))
    if source.kind == "assessor":
        return Rows.of(
            [
                GradeRow(row.query_id, row.document_id, row.grade)
                for row in iter_judgment_rows(session, assessor=source.name)
                if row.grade is not None and row.state == State.JUDGED
            ]
        )
    shown = session.board.view
    if source.name == shown:
        return Rows.of(list(iter_grade_rows(session)))
    # The board folds for one view at a time; nobody is told of the moment between.
    session.set_view(source.name)
    try:
        return Rows.of(list(iter_grade_rows(session)))
    finally:
        session.set_view(shown)


def write_rows(
    kind: ExportKind, source: Source, rows: Iterable[object], out: TextIO | Path
) -> list[str]:
    """Write rows of :func:`collect_rows` with the format's own writer.

    Args:
        kind: of the rows.
        source: names the run.
        rows: all of them, or the first.
        out: a stream, or a path that is replaced as a whole.

    Returns:
        What is to be said of it; mostly nothing.

    Raises:
        InputError: an id that the format cannot carry, or the file could not be written.
    """
    if kind is ExportKind.RUN:
        return write_trec_run(rows, out, tag=source.name)  # type: ignore[arg-type]  # rows of this kind
    write: Callable[..., None] = write_qrels if kind is ExportKind.QRELS else write_judgments_csv
    write(rows, out)
    return []


def preview_lines(kind: ExportKind, source: Source, rows: Rows) -> list[str]:
    """Return the first lines exactly as they would stand in the file.

    Raises:
        InputError: one of them cannot be written in this format.
    """
    out = io.StringIO()
    first: Iterable[object] = islice(rows.iterate(), PREVIEW_LINES)
    if kind is ExportKind.RUN:
        # A run's scores are written anew where a query's tie, so whole queries are needed.
        first = _whole_queries(rows.iterate())
    write_rows(kind, source, first, out)
    return out.getvalue().splitlines()[:PREVIEW_LINES]


def _whole_queries(rows: Iterable[object]) -> list[RunRow]:
    taken: list[RunRow] = []
    for row in rows:
        if not isinstance(row, RunRow):
            continue
        if len(taken) >= PREVIEW_LINES and row.query_id != taken[-1].query_id:
            break
        taken.append(row)
    return taken


def suggested_name(session: Session, kind: ExportKind, source: Source) -> str:
    """Return a file name that says what is in it."""
    stem = session.path.stem
    name = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in source.name)
    if kind is ExportKind.RUN:
        return f"{name or 'run'}.run"
    ending = "qrels.txt" if kind is ExportKind.QRELS else "judgments.csv"
    is_plain = source.kind in ("view", "all")
    return f"{stem}-{ending}" if is_plain else f"{stem}-{name}-{ending}"


def check_place(path: Path, session: Session) -> None:
    """Refuse to overwrite the project itself.

    Raises:
        InputError: the path is the project's file.
    """
    if path.exists() and path.samefile(session.path):
        raise InputError(f"{path.name} is the open project. Choose another file to export to.")
