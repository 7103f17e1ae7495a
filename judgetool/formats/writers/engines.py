"""Judgments as JSON, as search engines and their tools take them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from judgetool.formats.output import format_number
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.grading import (
    QueryGrades,
    graded_rows,
    grades_by_query,
    texts_as_keys,
)
from judgetool.formats.writers.values import ExportMaterial

_TEMPLATE = "judgetool"
_METRIC = {"dcg": {"k": 10, "normalize": True}}


def iter_rre(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield the ratings file of the Rated Ranking Evaluator, documents with their gain.

    Raises:
        InputError: two queries have one text, or a grade is a fraction and that is refused.
    """
    groups, keys = _by_text(material, choices, is_whole=True, whose="RRE")
    head = {"index": choices.target, "id_field": "id", "template": "template.json"}
    n_zero = sum(row.number == 0 for each in groups for row in each.graded)
    if n_zero:
        material.notes.append(
            f"{n_zero:,} of the documents have gain 0; RRE counts every listed document as "
            "relevant in precision, recall and AP."
        )
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
) -> tuple[list[QueryGrades], dict[str, str]]:
    rows = graded_rows(material, choices, is_whole=is_whole)
    groups = list(grades_by_query(material, rows))
    return groups, texts_as_keys([each.query for each in groups], whose=whose)


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
