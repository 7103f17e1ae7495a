"""Qrels in their three layouts, and runs."""

from collections.abc import Iterator

from judgetool.errors import InputError
from judgetool.formats.columns import count_noun
from judgetool.formats.output import (
    SEPARATORS,
    checked_trec_id,
    comment_note,
    format_number,
)
from judgetool.formats.trec_run import run_lines
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.grading import Graded, graded_rows
from judgetool.formats.writers.values import ExportMaterial

BEIR_HEADER = "query-id\tcorpus-id\tscore\n"


def iter_qrels(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query 0 document grade`` lines.

    Raises:
        InputError: an id holds a blank, or a grade is a fraction and that is refused.
    """
    n_comments = 0
    for row in graded_rows(material, choices, is_whole=True):
        query, document = _checked(row)
        n_comments += query.startswith("#")
        yield f"{query} 0 {document} {format_number(row.number)}\n"
    material.notes.extend(comment_note(n_comments))


def iter_short_qrels(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query document grade`` lines.

    Raises:
        InputError: as for :func:`iter_qrels`.
    """
    n_comments = 0
    for row in graded_rows(material, choices, is_whole=True):
        query, document = _checked(row)
        n_comments += query.startswith("#")
        yield f"{query} {document} {format_number(row.number)}\n"
    material.notes.extend(comment_note(n_comments))


def iter_beir_qrels(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield BEIR's qrels: tabs between three columns, the header first.

    Raises:
        InputError: an id holds a tab or a line end, or a grade is a fraction and
            that is refused.
    """
    rows = graded_rows(material, choices, is_whole=True)
    yield BEIR_HEADER
    for row in rows:
        query = _quoted(tabbed_id(row.query.id, "query"))
        document = _quoted(tabbed_id(row.document_id, "document"))
        yield f"{query}\t{document}\t{format_number(row.number)}\n"


def iter_run(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a run with scores that fall strictly, a query at a time.

    Raises:
        InputError: an id holds a blank, or a query has a document twice.
    """
    run = material.run
    if run is None:
        return
    tag = SEPARATORS.sub("_", run.name) or "_"
    if tag != run.name:
        material.notes.append(f"The run's name '{run.name}' was written as '{tag}'.")
    replaced: list[str] = []
    n_comments = 0
    for chunk in run_lines(run.iter_rows(), tag, replaced):
        n_comments += chunk.startswith("#") and chunk.count("\n")
        yield chunk
    material.notes.extend(comment_note(n_comments))
    if replaced:
        those = "its scores" if len(replaced) == 1 else "their scores"
        material.notes.append(
            f"In {count_noun(len(replaced), 'query')} {those} tie, rise or are missing: "
            "n, n − 1, … 1 were written instead, so that every tool reads the same order."
        )


def _quoted(identifier: str) -> str:
    """Return an id as BEIR's loader reads it: Python's csv takes a quotation mark in front for its own."""
    return '"' + identifier.replace('"', '""') + '"' if identifier.startswith('"') else identifier


def tabbed_id(identifier: str, what: str) -> str:
    """Return an id that can stand between tabs, as it is.

    Raises:
        InputError: it is empty, or holds a tab, a line end or NUL.
    """
    if not identifier or any(sign in identifier for sign in "\t\n\r\v\f\0"):
        raise InputError(
            f"The {what} id {identifier!r} is empty or holds a tab or a line end, which this "
            "format cannot carry. Nothing was written; export JSON lines instead."
        )
    return identifier


def _checked(row: Graded) -> tuple[str, str]:
    query = checked_trec_id(row.query.id, "query", starts_line=True)
    return query, checked_trec_id(row.document_id, "document")
