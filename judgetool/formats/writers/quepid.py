"""Quepid's CSV files: the ratings of a case, and a book with a column for each judge."""

from collections.abc import Iterator

from judgetool.core.judgments import State
from judgetool.formats.columns import count_noun
from judgetool.formats.judgments_table import csv_line
from judgetool.formats.output import format_number
from judgetool.formats.writers.cells import SafeCells
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.grading import graded_rows, grades_by_query, texts_as_keys
from judgetool.formats.writers.values import ExportMaterial

CASE_HEADER = ("query", "docid", "rating")
BOOK_HEADER = ("query", "docid")


def iter_case(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query,docid,rating``; a query without ratings is a row with empty cells.

    Raises:
        InputError: two queries have one text, or an id looks like a formula and
            such ids are to be refused.
    """
    rows = graded_rows(material, choices, is_whole=False)
    keys = texts_as_keys(material.queries, whose="Quepid")
    cells = SafeCells(choices.formulas, material.notes)
    n_awkward = 0
    yield csv_line(CASE_HEADER)
    for query, graded in grades_by_query(material, rows, has_empty=True):
        key = cells.id(keys[query.id], "query")
        n_awkward += "," in key and '"' in key
        for row in graded:
            document = cells.id(row.document_id, "document id")
            yield csv_line((key, document, format_number(row.number)))
        if not graded:
            yield csv_line((key, "", ""))
    cells.tell()
    if n_awkward:
        holds = "holds" if n_awkward == 1 else "hold"
        material.notes.append(
            f"{count_noun(n_awkward, 'query')} {holds} both a comma and a quotation mark, which "
            "Quepid's own import refuses."
        )


def iter_book(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query,docid`` and a column for each assessor who gave a grade; blank where none.

    Raises:
        InputError: as for :func:`iter_case`.
    """
    keys = texts_as_keys(material.queries, whose="Quepid")
    cells = SafeCells(choices.formulas, material.notes)
    graders = {row.assessor for row in material.judgments if row.grade is not None}
    judges = [name for name in material.assessors if name in graders]
    yield csv_line((*BOOK_HEADER, *(cells.id(name, "assessor") for name in judges)))
    for (query_id, document_id), given in _given(material).items():
        ids = cells.id(keys[query_id], "query"), cells.id(document_id, "document id")
        yield csv_line((*ids, *(given.get(name, "") for name in judges)))
    cells.tell()
    n_lost = sum(row.state != State.JUDGED for row in material.judgments)
    if n_lost:
        verb = "is" if n_lost == 1 else "are"
        material.notes.append(
            f"{count_noun(n_lost, 'judgment')} without a grade (skipped, cannot judge, a note "
            f"alone) {verb} left out."
        )


def _given(material: ExportMaterial) -> dict[tuple[str, str], dict[str, str]]:
    """Return grades as text, by query and document, then by assessor."""
    given: dict[tuple[str, str], dict[str, str]] = {}
    for row in material.judgments:
        if row.grade is not None:
            of_pair = given.setdefault((row.query_id, row.document_id), {})
            of_pair[row.assessor] = format_number(row.grade)
    return given
