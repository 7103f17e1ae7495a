"""LETOR judgment lists: ``gain qid:number # document``."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from judgetool.core.queries import Query
from judgetool.errors import InputError
from judgetool.formats.output import checked_trec_id, format_number
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.grading import QueryGrades, graded_rows, grades_by_query
from judgetool.formats.writers.values import ExportMaterial

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def letor_numbers(queries: Sequence[Query]) -> dict[str, int]:
    """Return the number of each query, by its id: the id itself where all ids are such numbers.

    Args:
        queries: all of the project, in order; otherwise they are counted from 1.
    """
    if all(_NUMBER.fullmatch(query.id) for query in queries):
        return {query.id: int(query.id) for query in queries}
    return {query.id: place for place, query in enumerate(queries, 1)}


def iter_letor(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``3 qid:7 # r1`` lines; features are left to others.

    No line is a comment alone: XGBoost 3 takes such lines for rows, and crashes.

    Raises:
        InputError: a document id holds a blank, or a grade has no gain.
    """
    numbers = letor_numbers(material.queries)
    groups = _grouped(material, choices)
    if any(numbers[each.query.id] != _as_number(each.query.id) for each in groups):
        material.notes.append(
            "Query ids are no plain numbers here, and LETOR knows numbers only: the queries are "
            "counted. Export the id map as well to know which is which."
        )
    for query, graded in groups:
        for row in graded:
            document = _checked_id(row.document_id)
            yield f"{format_number(row.number)} qid:{numbers[query.id]} # {document}\n"


def iter_lightgbm(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``3 1:0`` lines, as LightGBM reads: no qid and no comment, and one feature at least.

    Which rows belong to a query stands in the file beside it, ``OUT.query``.

    Raises:
        InputError: a grade has no gain.
    """
    for _, graded in _grouped(material, choices):
        yield from (f"{format_number(row.number)} 1:0\n" for row in graded)
    material.notes.append(
        "LightGBM needs a feature: 1:0 stands for those that others add. OUT.query holds how "
        "many rows each query has, OUT.ids which query and document each row is."
    )


def iter_lightgbm_groups(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield how many rows each query has, in order: LightGBM's ``.query`` file."""
    for _, graded in _grouped(replace(material, notes=[]), choices):
        yield f"{len(graded)}\n"


def iter_lightgbm_ids(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield query and document of each row, as JSON lines: LightGBM's file has no place for them."""
    for query, graded in _grouped(replace(material, notes=[]), choices):
        for row in graded:
            values = {"query_id": query.id, "doc_id": row.document_id}
            yield json.dumps(values, ensure_ascii=False) + "\n"


def _grouped(material: ExportMaterial, choices: ExportChoices) -> list[QueryGrades]:
    rows = graded_rows(material, choices, is_whole=False, has_gains=True)
    return list(grades_by_query(material, rows))


def _checked_id(document_id: str) -> str:
    """Return a document's id; tools that read comments in Python split at any Unicode blank."""
    if any(sign.isspace() for sign in document_id):
        raise InputError(
            f"The document id {document_id!r} holds a blank, and a LETOR file's comment ends at "
            "one. Nothing was written; export judgments-csv or judgments-jsonl instead."
        )
    return checked_trec_id(document_id, "document")


def _as_number(query_id: str) -> int | None:
    return int(query_id) if _NUMBER.fullmatch(query_id) else None
