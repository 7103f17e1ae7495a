"""From what counts in a view to the numbers that stand in a file."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from judgetool.core.queries import Query
from judgetool.core.scale import format_grade
from judgetool.errors import InputError
from judgetool.formats.columns import count_noun
from judgetool.formats.writers.choices import CannotJudge, ExportChoices, Fractions, Numbers
from judgetool.formats.writers.values import ExportMaterial, FoldedRow


class Graded(NamedTuple):
    """One number of a file: of a (query, document)."""

    query: Query
    document_id: str
    number: float


class QueryGrades(NamedTuple):
    """The numbers of one query.

    Attributes:
        query: the query.
        graded: by document id; empty only where queries without grades are asked for.
    """

    query: Query
    graded: Sequence[Graded]


def graded_rows(
    material: ExportMaterial, choices: ExportChoices, *, is_whole: bool, has_gains: bool = False
) -> list[Graded]:
    """Return the numbers that are to be written, by query and document id.

    Args:
        material: what counts; gets notes on what was decided.
        choices: what becomes of 'cannot judge' and of fractions; grades or gains.
        is_whole: whether the format's tools read whole numbers only.
        has_gains: whether such files usually hold gains.

    Raises:
        InputError: a fraction where whole numbers are read, or a grade without a gain.
    """
    rows = _settled(material, choices)
    wants_gains = choices.numbers is Numbers.GAINS
    if wants_gains or (has_gains and choices.numbers is Numbers.USUAL):
        rows = [row._replace(number=_gain(material, row)) for row in rows]
    if is_whole:
        rows = _whole(material, choices, rows)
    return rows


def grades_by_query(
    material: ExportMaterial, rows: Sequence[Graded], *, has_empty: bool = False
) -> Iterator[QueryGrades]:
    """Yield rows by query, in the project's order.

    Args:
        material: has the queries.
        rows: of :func:`graded_rows`.
        has_empty: whether queries without a grade are wanted, too.
    """
    by_id = {query_id: list(group) for query_id, group in groupby(rows, lambda row: row.query.id)}
    for query in material.queries:
        graded = by_id.get(query.id, [])
        if graded or has_empty:
            yield QueryGrades(query, graded)


def texts_as_keys(queries: Sequence[Query], *, whose: str) -> dict[str, str]:
    """Return, by query id, the text that names a query where ids have no place.

    Args:
        queries: those that are to be written.
        whose: what knows queries by their text, for the sentence.

    Returns:
        The text; the id where there is no text.

    Raises:
        InputError: two queries would have the same name.
    """
    keys: dict[str, str] = {}
    owner: dict[str, str] = {}
    for query in queries:
        key = query.text or query.id
        other = owner.setdefault(key, query.id)
        if other != query.id:
            raise InputError(
                f"{whose} knows queries by their text, and the queries {other!r} and "
                f"{query.id!r} have the same: {key[:80]!r}. Nothing was written; export a format "
                "that keeps query ids, such as qrels."
            )
        keys[query.id] = key
    return keys


def _settled(material: ExportMaterial, choices: ExportChoices) -> list[Graded]:
    lowest = float(material.scale.levels[0].grade)
    takes_lowest = choices.cannot_judge is CannotJudge.LOWEST
    n_open = sum(row.grade is None for row in material.folded)
    if n_open:
        what = count_noun(n_open, "document")
        become = (
            f"written as {format_grade(lowest)}, the lowest grade" if takes_lowest else "left out"
        )
        verb = "is" if n_open == 1 else "are"
        material.notes.append(f"{what} that nobody could judge {verb} {become}.")
    return [
        Graded(row.query, row.document_id, lowest if row.grade is None else float(row.grade))
        for row in material.folded
        if row.grade is not None or takes_lowest
    ]


def _gain(material: ExportMaterial, row: Graded) -> float:
    level = material.scale.find_level(row.number)
    if level is None:
        raise InputError(
            f"Document {row.document_id!r} of query {row.query.id!r} has {_shown(row)}, which is "
            f"no grade of the scale ({material.scale.label}) and so has no gain. Nothing was "
            "written; write grades, or choose a view that gives grades of the scale."
        )
    return float(level.gain)


def _whole(material: ExportMaterial, choices: ExportChoices, rows: list[Graded]) -> list[Graded]:
    broken = [row for row in rows if not row.number.is_integer()]
    if not broken:
        return rows
    first = broken[0]
    numbers = "number is" if len(broken) == 1 else "numbers are"
    found = f"{len(broken):,} {numbers} no whole number"
    if choices.fractions is Fractions.REFUSE:
        raise InputError(
            f"{found}, such as {_shown(first)} of document {first.document_id!r}, query "
            f"{first.query.id!r}, and tools that read this format expect whole ones (trec_eval "
            "reads 1.7 as 1). Nothing was written; choose to round or to keep fractions, or "
            "another view of judgments."
        )
    if choices.fractions is Fractions.KEEP:
        material.notes.append(f"{found}; some tools cut such numbers down.")
        return rows
    material.notes.append(f"{found}; rounded, halves up.")
    return [row._replace(number=float(math.floor(row.number + 0.5))) for row in rows]


def _shown(row: Graded | FoldedRow) -> str:
    return format_grade(row.number if isinstance(row, Graded) else row.grade or 0.0)
