"""From what counts in a view to the numbers that stand in a file."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from judgetool.core.judgments import Query
from judgetool.core.number_text import number_of
from judgetool.core.scale import format_grade
from judgetool.errors import InputError
from judgetool.formats.output import COMMENT_NOTE, ID_OF, SEPARATORS, checked_trec_id, format_number
from judgetool.formats.records import state_number
from judgetool.formats.score_scan import run_lines
from judgetool.formats.writers.values import (
    Blanks,
    CannotJudge,
    ExportChoices,
    ExportMaterial,
    Fractions,
    Numbers,
)
from judgetool.wording import NN_, AsIs, _, stated, visible


class Graded(NamedTuple):
    """One number of a file: of a (query, document)."""

    query: Query
    document_id: str
    number: float


GradedQuery = tuple[Query, Sequence[Graded]]
"""A query and its numbers, by document id; none only where queries without grades are asked for."""


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
) -> Iterator[GradedQuery]:
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
            yield query, graded


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
                _(
                    "{whose} knows queries by their text, and the queries ‘{other}’ and ‘{query}’ "
                    "have the same: ‘{key}’. Nothing was written; export a format that keeps query "
                    "ids, such as qrels."
                ).format(
                    whose=whose,
                    other=visible(other),
                    query=visible(query.id),
                    key=visible(key[:80]),
                )
            )
        keys[query.id] = key
    return keys


_LOWEST = NN_(
    "{n} document that counts as ‘cannot judge’ is written as {grade}, the lowest grade.",
    "{n} documents that count as ‘cannot judge’ are written as {grade}, the lowest grade.",
)
_OPEN_LEFT_OUT = NN_(
    "{n} document that counts as ‘cannot judge’ is left out.",
    "{n} documents that count as ‘cannot judge’ are left out.",
)
_REFUSED = NN_(
    "{n} number is no whole number, such as {grade} of document ‘{document}’, query ‘{query}’, and "
    "tools that read this format expect whole ones (trec_eval reads 1.7 as 1). Nothing was written; "
    "choose to round or to keep fractions, or another view of judgments.",
    "{n} numbers are no whole number, such as {grade} of document ‘{document}’, query ‘{query}’, and "
    "tools that read this format expect whole ones (trec_eval reads 1.7 as 1). Nothing was written; "
    "choose to round or to keep fractions, or another view of judgments.",
)
_KEPT = NN_(
    "{n} number is no whole number; some tools cut such numbers down.",
    "{n} numbers are no whole number; some tools cut such numbers down.",
)
_ROUNDED = NN_(
    "{n} number is no whole number; rounded, halves up.",
    "{n} numbers are no whole number; rounded, halves up.",
)


def _settled(material: ExportMaterial, choices: ExportChoices) -> list[Graded]:
    lowest = float(material.scale.levels[0].grade)
    takes_lowest = choices.cannot_judge is CannotJudge.LOWEST
    n_open = sum(row.grade is None for row in material.folded)
    state_number(
        material.notes,
        n_open,
        *(_LOWEST if takes_lowest else _OPEN_LEFT_OUT),
        grade=format_grade(lowest),
    )
    return [
        Graded(row.query, row.document_id, lowest if row.grade is None else float(row.grade))
        for row in material.folded
        if row.grade is not None or takes_lowest
    ]


def _gain(material: ExportMaterial, row: Graded) -> float:
    level = material.scale.find_level(row.number)
    if level is None:
        raise InputError(
            _(
                "Document ‘{document}’ of query ‘{query}’ has {grade}, which is no grade of the "
                "scale ({label}) and so has no gain. Nothing was written; write grades, or "
                "choose a view that gives grades of the scale."
            ).format(
                document=row.document_id,
                query=row.query.id,
                grade=format_grade(row.number),
                label=material.scale.label,
            )
        )
    return float(level.gain)


def _whole(material: ExportMaterial, choices: ExportChoices, rows: list[Graded]) -> list[Graded]:
    broken = [row for row in rows if not row.number.is_integer()]
    if not broken:
        return rows
    first = broken[0]
    if choices.fractions is Fractions.REFUSE:
        raise InputError(
            number_of(
                len(broken),
                *_REFUSED,
                grade=format_grade(first.number),
                document=first.document_id,
                query=first.query.id,
            )
        )
    if choices.fractions is Fractions.KEEP:
        state_number(material.notes, len(broken), *_KEPT)
        return rows
    state_number(material.notes, len(broken), *_ROUNDED)
    return [row._replace(number=float(math.floor(row.number + 0.5))) for row in rows]


_TEMPLATE = "judgetool"
_METRIC = {"dcg": {"k": 10, "normalize": True}}


def iter_rre(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield the ratings file of the Rated Ranking Evaluator, documents with their gain.

    Raises:
        InputError: two queries have one text, or a grade is a fraction and that is refused.
    """
    groups, keys = _by_text(material, choices, is_whole=True, whose="RRE")
    _note_index(material, choices)
    head = {"index": choices.target, "id_field": "id", "template": "template.json"}
    n_zero = sum(row.number == 0 for _query, graded in groups for row in graded)
    if n_zero:
        said = stated(
            "{n_zero} of the documents have gain 0; RRE counts every listed document as "
            "relevant in precision, recall and AP.",
            n_zero=f"{n_zero:,}",
        )
        material.notes.append(said)
    items = (
        {
            "placeholders": {"$query": keys[query.id]},
            "relevant_documents": {row.document_id: {"gain": _plain(row.number)} for row in graded},
        }
        for query, graded in groups
    )
    yield from _document(head, "queries", items)


def iter_rank_eval(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a request to Elasticsearch's ranking evaluation (``_rank_eval``): nDCG@10.

    The query's text stands in the parameters of one template, which searches all
    fields: there the search of one's own belongs.

    Raises:
        InputError: a grade is a fraction and that is refused.
    """
    rows = graded_rows(material, choices, is_whole=True)
    _note_index(material, choices)
    search = {"query": {"multi_match": {"query": "{{query_string}}"}}}
    template = {"id": _TEMPLATE, "template": {"inline": search}}
    head = {"metric": _METRIC, "templates": [template]}
    items = (
        {
            "id": query.id,
            "template_id": _TEMPLATE,
            "params": {"query_string": query.text or query.id},
            "ratings": [
                {"_index": choices.target, "_id": row.document_id, "rating": _plain(row.number)}
                for row in graded
            ],
        }
        for query, graded in grades_by_query(material, rows)
    )
    yield from _document(head, "requests", items)


def _note_index(material: ExportMaterial, choices: ExportChoices) -> None:
    """Say that the index has to be named, where it is not."""
    if choices.target == ExportChoices("").target:
        said = stated(
            "The index is called ‘{name}’ in it: name yours in the field for it, or by --target; "
            "else none of its results counts as rated.",
            name=AsIs(choices.target),
        )
        material.notes.append(said)


def iter_opensearch(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield judgments for OpenSearch's Search Relevance Workbench; ratings are texts there.

    Raises:
        InputError: two queries have one text.
    """
    groups, keys = _by_text(material, choices, is_whole=False, whose="OpenSearch")
    head = {
        "name": choices.target,
        "description": "Written by judgetool",
        "type": "IMPORT_JUDGMENT",
    }
    items = (
        {
            "query": keys[query.id],
            "ratings": [
                {"docId": row.document_id, "rating": format_number(row.number)} for row in graded
            ],
        }
        for query, graded in groups
    )
    yield from _document(head, "judgmentRatings", items)


def _by_text(
    material: ExportMaterial, choices: ExportChoices, *, is_whole: bool, whose: str
) -> tuple[list[GradedQuery], dict[str, str]]:
    rows = graded_rows(material, choices, is_whole=is_whole)
    groups = list(grades_by_query(material, rows))
    return groups, texts_as_keys([query for query, _graded in groups], whose=whose)


def _document(
    head: Mapping[str, Any], name: str, items: Iterator[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield a JSON object with one long list, an item at a time, on two levels of lines."""
    # The object is left open for its last entry.
    opening = json.dumps(head, ensure_ascii=False, indent=1)[: -len("\n}")]
    yield f"{opening},\n {json.dumps(name)}: ["
    separator = "\n"
    for item in items:
        lines = json.dumps(item, ensure_ascii=False, indent=1).split("\n")
        yield separator + "\n".join(f"  {line}" for line in lines)
        separator = ",\n"
    yield "\n ]\n}\n"


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


BEIR_HEADER = "query-id\tcorpus-id\tscore\n"


class _WrittenIds:
    """What is written for ids with blanks: the queries' or the documents'.

    All ids of the project are looked at, so that its judgments and runs agree.

    Attributes:
        others: what is written for the ids that are written otherwise.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        """Raises InputError where two ids would become one."""
        self.others = _underscored(ids)
        self._used = set[str]()

    def __call__(self, own: str) -> str:
        """Return what is written for an id."""
        if own in self.others:
            self._used.add(own)
        return self.others.get(own, own)

    def tell(self, notes: list[str], one: str, many: str) -> None:
        """Note how many ids were written otherwise."""
        state_number(notes, len(self._used), one, many)


def _written_ids(
    material: ExportMaterial, choices: ExportChoices
) -> tuple[_WrittenIds, _WrittenIds]:
    """Return what is written for the ids of queries, and of documents; as they are where blanks are refused."""
    has_queries, has_documents = choices.blanks is not Blanks.REFUSE, choices.blanks is Blanks.ALL
    queries = _WrittenIds((each.id for each in material.queries) if has_queries else ())
    return queries, _WrittenIds(material.document_ids() if has_documents else ())


def _underscored(ids: Iterable[str]) -> dict[str, str]:
    taken: dict[str, str] = {}
    for own in ids:
        other = taken.setdefault(SEPARATORS.sub("_", own), own)
        if other != own:
            raise InputError(
                _(
                    "The ids ‘{other}’ and ‘{own}’ would become one with _ for blanks. "
                    "Nothing was written."
                ).format(other=visible(other), own=visible(own))
            )
    return {own: name for name, own in taken.items() if own != name}


_BLANKS_NOTE = NN_(
    "{n} query id holds blanks and was written with _ in their place.",
    "{n} query ids hold blanks and were written with _ in their place.",
)
_DOCUMENT_BLANKS_NOTE = NN_(
    "{n} document id holds blanks and was written with _ in their place.",
    "{n} document ids hold blanks and were written with _ in their place.",
)


def iter_qrels(material: ExportMaterial, choices: ExportChoices, *, between: str) -> Iterator[str]:
    """Yield query, what stands between, document and grade.

    Raises:
        InputError: an id holds a blank, or a grade is a fraction and that is refused.
    """
    n_comments = 0
    queries, documents = _written_ids(material, choices)
    for row in graded_rows(material, choices, is_whole=True):
        query = checked_trec_id(queries(row.query.id), "query", starts_line=True)
        document = checked_trec_id(documents(row.document_id), "document")
        n_comments += query.startswith("#")
        yield f"{query}{between}{document} {format_number(row.number)}\n"
    state_number(material.notes, n_comments, *COMMENT_NOTE)
    queries.tell(material.notes, *_BLANKS_NOTE)
    documents.tell(material.notes, *_DOCUMENT_BLANKS_NOTE)


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


def iter_run(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a run with scores that fall strictly, a query at a time.

    Raises:
        InputError: an id holds a blank, or a query has a document twice.
    """
    run = material.run
    if run is None:
        return
    tag = SEPARATORS.sub("_", run.name) or "_"
    if tag != run.name:
        material.notes.append(
            stated(
                "The run’s name ‘{run}’ was written as ‘{tag}’.", run=AsIs(run.name), tag=AsIs(tag)
            )
        )
    replaced: list[str] = []
    n_comments, rows = 0, run.iter_rows()
    queries, documents = _written_ids(material, choices)
    if queries.others or documents.others:
        rows = (
            row._replace(query_id=queries(row.query_id), document_id=documents(row.document_id))
            for row in rows
        )
    for chunk in run_lines(rows, tag, replaced):
        n_comments += chunk.startswith("#") and chunk.count("\n")
        yield chunk
    state_number(material.notes, n_comments, *COMMENT_NOTE)
    queries.tell(material.notes, *_BLANKS_NOTE)
    documents.tell(material.notes, *_DOCUMENT_BLANKS_NOTE)
    state_number(
        material.notes,
        len(replaced),
        "In {n} query its scores tie, rise, are infinite or missing: n, n − 1, … 1 were written "
        "instead, so that every tool reads the same order.",
        "In {n} queries their scores tie, rise, are infinite or missing: n, n − 1, … 1 were "
        "written instead, so that every tool reads the same order.",
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
            _(
                "The {what} ‘{id}’ is empty or holds a tab or a line end, which "
                "this format cannot carry. Nothing was written; export JSON lines instead."
            ).format(what=_(ID_OF[what]), id=visible(identifier))
        )
    return identifier


_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_LETOR_NAME = "docid="


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
    if any(str(numbers[query.id]) != query.id for query, _graded in groups):
        material.notes.append(
            stated(
                "Query ids are no plain numbers here, and LETOR knows numbers only: the "
                "queries are counted. Export the id map as well to know which is which."
            )
        )
    for query, graded in groups:
        for row in graded:
            document = _checked_id(row.document_id)
            if document.startswith(_LETOR_NAME):
                # Alone it would read as LETOR 4 writes it, and lose its beginning.
                document = f"docid = {document}"
            yield f"{format_number(row.number)} qid:{numbers[query.id]} # {document}\n"


def iter_lightgbm(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``3 1:0`` lines, as LightGBM reads: no qid and no comment, and one feature at least.

    Which rows belong to a query stands in the file beside it, ``OUT.query``.

    Raises:
        InputError: a grade has no gain.
    """
    for _query, graded in _grouped(material, choices):
        yield from (f"{format_number(row.number)} 1:0\n" for row in graded)
    material.notes.append(
        stated(
            "LightGBM needs a feature: 1:0 stands for those that others add. OUT.query "
            "holds how many rows each query has, OUT.ids which query and document each row "
            "is."
        )
    )


def iter_lightgbm_groups(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield how many rows each query has, in order: LightGBM's ``.query`` file."""
    for _query, graded in _grouped(replace(material, notes=[]), choices):
        yield f"{len(graded)}\n"


def iter_lightgbm_ids(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield query and document of each row, as JSON lines: LightGBM's file has no place for them."""
    for query, graded in _grouped(replace(material, notes=[]), choices):
        for row in graded:
            values = {"query_id": query.id, "doc_id": row.document_id}
            yield json.dumps(values, ensure_ascii=False) + "\n"


def _grouped(material: ExportMaterial, choices: ExportChoices) -> list[GradedQuery]:
    rows = graded_rows(material, choices, is_whole=False, has_gains=True)
    return list(grades_by_query(material, rows))


def _checked_id(document_id: str) -> str:
    """Return a document's id; tools that read comments in Python split at any Unicode blank."""
    if any(sign.isspace() for sign in document_id):
        raise InputError(
            _(
                "The document id ‘{document_id}’ holds a blank, and a LETOR file’s comment "
                "ends at one. Nothing was written; export judgments-csv or judgments-jsonl "
                "instead."
            ).format(document_id=visible(document_id))
        )
    return checked_trec_id(document_id, "document")
