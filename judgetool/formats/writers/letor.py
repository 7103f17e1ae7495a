"""LETOR judgment lists: ``gain qid:number # document``."""

import re
from collections.abc import Iterator, Sequence

from judgetool.core.queries import Query
from judgetool.errors import InputError
from judgetool.formats.output import checked_trec_id, format_number
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.grading import graded_rows, grades_by_query
from judgetool.formats.writers.values import ExportMaterial

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_BREAKS = re.compile(r"[\t\n\r\v\f\0]+")


def letor_numbers(queries: Sequence[Query]) -> dict[str, int]:
    """Return the number of each query, by its id: the id itself where all ids are such numbers.

    Args:
        queries: all of the project, in order; otherwise they are counted from 1.
    """
    if all(_NUMBER.fullmatch(query.id) for query in queries):
        return {query.id: int(query.id) for query in queries}
    return {query.id: place for place, query in enumerate(queries, 1)}


def iter_letor(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a comment for each query, then its lines; features are left to others.

    The layout is that of RankLib's judgment lists: ``# qid:7: cold soup*1``, and
    ``3 qid:7 # r1``.

    Raises:
        InputError: a document id holds a blank, or a grade has no gain.
    """
    rows = graded_rows(material, choices, is_whole=False, has_gains=True)
    numbers = letor_numbers(material.queries)
    groups = list(grades_by_query(material, rows))
    if any(numbers[each.query.id] != _as_number(each.query.id) for each in groups):
        material.notes.append(
            "Query ids are no plain numbers here, and LETOR knows numbers only: the queries are "
            "counted. Export the id map as well to know which is which."
        )
    for query, _ in groups:
        yield f"# qid:{numbers[query.id]}: {_BREAKS.sub(' ', query.text or query.id)}*1\n"
    for query, graded in groups:
        for row in graded:
            document = _checked_id(row.document_id)
            yield f"{format_number(row.number)} qid:{numbers[query.id]} # {document}\n"


def _checked_id(document_id: str) -> str:
    """Return a document's id; tools that read comments in Python split at any Unicode blank."""
    if any(sign.isspace() for sign in document_id):
        raise InputError(
            f"The document id {document_id!r} holds a blank, and a LETOR file's comment ends at "
            "one. Nothing was written; export a table (CSV) instead."
        )
    return checked_trec_id(document_id, "document")


def _as_number(query_id: str) -> int | None:
    return int(query_id) if _NUMBER.fullmatch(query_id) else None
