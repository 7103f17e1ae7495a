"""Saved responses of search engines: Elasticsearch, OpenSearch and Solr."""

from collections.abc import Iterator
from typing import NamedTuple

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.formats import names
from judgetool.formats.documents import KeptDocuments, take_document
from judgetool.formats.judgment_rows import CollectedJudgments
from judgetool.formats.queries import KeptQueries
from judgetool.formats.readers.json_values import (
    Object,
    object_of,
    objects_of,
    plain_text,
    run_name,
    text_in,
)
from judgetool.formats.records import Record, text_of
from judgetool.formats.results_table import RunRows
from judgetool.formats.run_order import build_run
from judgetool.formats.values import JudgmentRow, Kind, Reading


class _Hit(NamedTuple):
    """One result of a response."""

    document: Document
    score: float | None


class _Response(NamedTuple):
    """One response, and the query as far as it is known."""

    query: Query
    body: Object


def is_response(value: object) -> bool:
    """Whether this is a response with results (perhaps none) in it."""
    values = object_of(value)
    return isinstance(object_of(values.get("hits")).get("hits"), list) or isinstance(
        object_of(values.get("response")).get("docs"), list
    )


def has_responses(value: object) -> bool:
    """Whether this is a response, several of them, or one for each query id."""
    if is_response(value):
        return True
    inner = object_of(value).get("responses", value)
    each = list(inner.values()) if isinstance(inner, dict) else inner
    return isinstance(each, list) and bool(each) and all(is_response(one) for one in each)


def read_responses(value: object, reading: Reading, name: str) -> None:
    """Fill a reading with queries, documents and the run of one or more responses."""
    queries, documents, rows = KeptQueries(reading), KeptDocuments(), RunRows()
    place = 0
    for response in _iter_responses(value, reading):
        queries.add_whole(response.query)
        _note_gaps(response, reading)
        seen: set[str] = set()
        for rank, hit in enumerate(_iter_hits(response.body), 1):
            place += 1
            problem = _find_problem(hit, seen)
            if problem:
                reading.refuse(None, f"result {rank:,} of query '{response.query.id}' {problem}")
                continue
            seen.add(hit.document.id)
            documents.add(hit.document)
            rows.add(response.query.id, hit.document.id, place, rank, hit.score)
    documents.hand_over(reading)
    results = rows.results(reading)
    reading.runs.append(
        build_run(results, reading, name=run_name(name, reading.source), is_ranked=True)
    )


def _find_problem(hit: _Hit, seen: set[str]) -> str:
    if not hit.document.id:
        return "has no id"
    if hit.document.id in seen:
        return f"is document '{hit.document.id}' again; its first place counts"
    return ""


def _iter_responses(value: object, reading: Reading) -> Iterator[_Response]:
    if is_response(value):
        yield _Response(_query_of(object_of(value), reading), object_of(value))
        return
    inner = object_of(value).get("responses", value)
    if isinstance(inner, dict):
        for query_id, body in inner.items():
            text = _query_text(object_of(body))
            yield _Response(Query(query_id, text), object_of(body))
        return
    bodies = objects_of(inner)
    reading.notes.append(
        f"The {len(bodies):,} responses do not name their queries: they are numbered from 1."
    )
    for number, body in enumerate(bodies, 1):
        yield _Response(Query(str(number), _query_text(body)), body)


def _query_of(body: Object, reading: Reading) -> Query:
    text = _query_text(body)
    if text:
        reading.notes.append("The query is the one that the response names; its text is its id.")
        return Query(text, text)
    identifier = run_name("", reading.source)
    reading.notes.append(
        f"The response does not name its query: the file's name '{identifier}' is its id."
    )
    return Query(identifier)


def _query_text(body: Object) -> str:
    """Return the query that stands beside the results: Solr echoes it."""
    parameters = object_of(object_of(body.get("responseHeader")).get("params"))
    text = plain_text(parameters.get("q")) or text_in(body, "query_text", "query", "q")
    return "" if text == "*:*" or text.startswith("{") else text


def _iter_hits(body: Object) -> Iterator[_Hit]:
    for hit in objects_of(object_of(body.get("hits")).get("hits")):
        values = object_of(hit.get("_source")) or object_of(hit.get("fields"))
        yield _Hit(document_of(text_of(hit.get("_id")), values), _number(hit.get("_score")))
    for document in objects_of(object_of(body.get("response")).get("docs")):
        values = dict(document)
        identifier = plain_text(values.pop("id", ""))
        score = _number(values.pop("score", None))
        yield _Hit(document_of(identifier, values), score)


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # RunRows knows a missing score as NaN: it then counts none of the run.
    return float(str(value)) if is_number else float("nan")


def document_of(identifier: str, values: Object) -> Document:
    """Make a document of the fields that an engine stored."""
    texts = {name: text for name, value in values.items() if (text := plain_text(value))}
    roles = names.assign_roles(list(texts), Kind.RESULTS, {})
    kept = {role: name for role, name in roles.items() if role in {"title", "url", "body"}}
    return take_document(identifier, Record(0, texts, kept))


def _note_gaps(response: _Response, reading: Reading) -> None:
    """Say where a response is not all that it should be."""
    shards = object_of(response.body.get("_shards")).get("failed")
    if response.body.get("timed_out") is True or (isinstance(shards, int) and shards > 0):
        reading.notes.append(
            f"The engine says that its response to '{response.query.id}' is partial "
            "(a time-out or shards that did not answer)."
        )


def read_rank_eval_response(value: object, reading: Reading, name: str) -> None:
    """Read the response of a ranking evaluation: the run, and the ratings of what was rated."""
    rows, judgments = RunRows(), CollectedJudgments(reading)
    place = n_unrated = 0
    for query_id, details in object_of(object_of(value).get("details")).items():
        seen: set[str] = set()
        for rank, each in enumerate(objects_of(object_of(details).get("hits")), 1):
            place += 1
            hit = object_of(each.get("hit"))
            document_id, rating = text_of(hit.get("_id")), text_of(each.get("rating"))
            if not document_id or document_id in seen:
                why = "came before" if document_id else "has no id"
                reading.refuse(None, f"result {rank:,} of query '{query_id}' {why}")
                continue
            seen.add(document_id)
            rows.add(query_id, document_id, place, rank, _number(hit.get("_score")))
            n_unrated += not rating
            if rating:
                judgments.add_graded(None, JudgmentRow(query_id, document_id, "", None), rating)
    judgments.hand_over()
    if n_unrated:
        reading.notes.append(f"Results without a rating stay unjudged: {n_unrated:,} of {place:,}.")
    results = rows.results(reading)
    reading.runs.append(
        build_run(results, reading, name=run_name(name, reading.source), is_ranked=True)
    )
