"""Saved responses of search engines: Elasticsearch, OpenSearch, Solr, Vespa and others."""

from collections.abc import Iterable, Iterator

from judgetool.core.documents import Document
from judgetool.core.number_text import number_of
from judgetool.core.queries import Query
from judgetool.formats import names
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.readers.json_values import (
    Object,
    json_value,
    object_of,
    objects_of,
    plain_text,
    text_in,
)
from judgetool.formats.records import Record, text_of
from judgetool.formats.results import RunRows, name_from
from judgetool.formats.source import TextSource
from judgetool.formats.texts import KeptDocuments, KeptQueries, take_document
from judgetool.formats.values import JudgmentRow, Kind, Reading
from judgetool.wording import _, local_number

_PLAIN_MARKS = frozenset(
    {"nbHits", "processingTimeMs", "processingTimeMS", "estimatedTotalHits", "totalHits", "found"}
    | {"search_time_ms", "request_params", "query", "hitsPerPage"}
)
_HIT_IDS = ("objectID", "docid", "doc_id", "docno", "id", "_id", "uid")
_HIT_SCORES = ("score", "_rankingScore", "text_match", "_score")
_OF_THE_HIT = frozenset(
    {"highlights", "highlight", "text_match", "text_match_info", "qid", "rank", "score"}
)


_Hit = tuple[Document, float]


def is_response(value: object) -> bool:
    """Whether this is a response with results (perhaps none) in it."""
    values = object_of(value)
    hits = values.get("hits")
    # Algolia, Meilisearch and Typesense list their hits beside what tells of the search.
    is_list = isinstance(hits, list) and all(isinstance(hit, dict) for hit in hits)
    is_plain = is_list and not _PLAIN_MARKS.isdisjoint(values)
    is_candidates = isinstance(values.get("candidates"), list) and "query" in values
    return not explain_stranger(value) and (
        is_plain
        or is_candidates
        or isinstance(object_of(hits).get("hits"), list)
        or isinstance(object_of(values.get("response")).get("docs"), list)
        or _is_vespa(values)
    )


def _is_vespa(values: Object) -> bool:
    root = object_of(values.get("root"))
    return "children" in root or "totalCount" in object_of(root.get("fields"))


def explain_stranger(value: object) -> str:
    """Return why this is no response with results, where a service answers so; else ``""``."""
    values = object_of(value)
    if isinstance(values.get("choices"), list) and "completion" in text_in(values, "object"):
        return _(
            "it is the raw answer of a language model’s service. Expected what the model "
            "says of the documents: a query, a document and a grade in each row. Nothing "
            "was kept."
        )
    root = object_of(values.get("root"))
    errors = () if "children" in root else objects_of(root.get("errors"))
    error = object_of(values.get("error")) or next(iter(errors), {})
    # Meilisearch and Typesense answer with a bare message.
    is_bare = "message" in values and not values.keys() - {"message", "code", "type", "link"}
    said = text_in(values if is_bare else error, "reason", "msg", "message", "summary", "type")
    if not said:
        return ""
    return _(
        "it is no list of results but the error that a service answered: ‘{said}’. "
        "Nothing was kept; search again, and save the response with its results."
    ).format(said=said[:200])


def has_responses(value: object) -> bool:
    """Whether this is a response, several of them, or one for each query id."""
    if is_response(value):
        return True
    inner = _inner_responses(value)
    each = list(inner.values()) if isinstance(inner, dict) else inner
    return isinstance(each, list) and bool(each) and all(is_response(one) for one in each)


def _inner_responses(value: object) -> object:
    """Return the list in which several responses stand, or what may be some by query id."""
    values = object_of(value)
    return values.get("responses", values.get("results", value))


def read_responses(source: TextSource, reading: Reading) -> None:
    """Fill a reading with queries, documents and the run of one or more responses."""
    queries, documents, rows = KeptQueries(reading), KeptDocuments(), RunRows()
    for query, body in _iter_responses(json_value(source, reading), reading):
        queries.add(None, query)
        _note_gaps(query, body, reading)
        for rank, (document, score) in enumerate(_iter_hits(body), 1):
            problem = rows.add_next(query.id, document.id, score)
            if problem:
                reading.refuse(
                    None,
                    _("result {rank} of query ‘{query}’ {problem}").format(
                        rank=local_number(f"{rank:,}"), query=query.id, problem=problem
                    ),
                )
            else:
                documents.add(document)
    documents.hand_over(reading)
    rows.hand_over(reading, is_ranked=True)


def _iter_responses(value: object, reading: Reading) -> Iterable[tuple[Query, Object]]:
    """Return the responses, each with the query as far as it is known."""
    if is_response(value):
        body = object_of(value)
        return [(_named_query(body) or _query_of(body, reading), body)]
    inner = _inner_responses(value)
    if isinstance(inner, dict):
        each = {query_id: object_of(body) for query_id, body in inner.items()}
        return [(Query(query_id, _query_text(body)), body) for query_id, body in each.items()]
    bodies = objects_of(inner)
    queries = list(filter(None, map(_named_query, bodies)))
    texts = list(map(_query_text, bodies))
    if len(queries) < len(bodies):
        if all(texts) and len(set(texts)) == len(texts):
            note = _("The responses name their queries: the text of each is its id.")
            ids = texts
        else:
            note = number_of(
                len(bodies),
                "The {n} responses do not name their queries: they are numbered from 1.",
                "The {n} responses do not name their queries: they are numbered from 1.",
            )
            ids = [str(number) for number in range(1, len(bodies) + 1)]
        reading.notes.append(note)
        queries = list(map(Query, ids, texts))
    return zip(queries, bodies, strict=True)


def _named_query(body: Object) -> Query | None:
    """Return the query with the id that a list of candidates (rank_llm) gives it."""
    query = object_of(body.get("query"))
    hits = objects_of(body.get("candidates")) or objects_of(body.get("hits"))
    identifier = text_in(query, "qid", "id", "query_id") or text_in(body, "qid", "query_id")
    identifier = identifier or next((text_in(hit, "qid") for hit in hits), "")
    text = text_in(query, "text", "query") if query else text_in(body, "query")
    return Query(identifier, text) if identifier else None


def _query_of(body: Object, reading: Reading) -> Query:
    text = _query_text(body)
    if text:
        reading.notes.append(_("The query is the one that the response names; its text is its id."))
        return Query(text, text)
    identifier = name_from(reading.source)
    reading.notes.append(
        _("The response does not name its query: the file’s name ‘{identifier}’ is its id.").format(
            identifier=identifier
        )
    )
    return Query(identifier)


def _query_text(body: Object) -> str:
    """Return the query that stands beside the results: Solr echoes it."""
    parameters = object_of(object_of(body.get("responseHeader")).get("params"))
    text = (
        plain_text(parameters.get("q"))
        or text_in(object_of(body.get("request_params")), "q")
        or (
            "" if isinstance(body.get("query"), dict) else text_in(body, "query_text", "query", "q")
        )
    )
    return "" if text == "*:*" or text.startswith("{") else text


def _iter_hits(body: Object) -> Iterator[_Hit]:
    """Yield documents and scores; NaN where there is none."""
    for hit in objects_of(object_of(body.get("hits")).get("hits")):
        values = object_of(hit.get("_source")) or object_of(hit.get("fields"))
        yield document_of(text_of(hit.get("_id")), values), _number(hit.get("_score"))
    yield from map(_plain_hit, objects_of(body.get("hits")))
    yield from map(_plain_hit, objects_of(body.get("candidates")))
    for hit in objects_of(object_of(body.get("root")).get("children")):
        fields = object_of(hit.get("fields"))
        identifier = text_in(hit, "id") or text_in(fields, "documentid")
        yield document_of(_vespa_id(identifier), fields), _number(hit.get("relevance"))
    for document in objects_of(object_of(body.get("response")).get("docs")):
        values = dict(document)
        identifier = plain_text(values.pop("id", ""))
        score = _number(values.pop("score", None))
        yield document_of(identifier, values), score


def _vespa_id(identifier: str) -> str:
    """Return the document's own id of Vespa's ``id:namespace:type::own``."""
    own = identifier.partition("::")[2] if identifier.startswith("id:") else ""
    return own or identifier


def _plain_hit(hit: Object) -> _Hit:
    """Make a hit of what Algolia, Meilisearch, Typesense and rank_llm list."""
    values = {
        name: each
        for name, each in (
            object_of(hit.get("document")) or object_of(hit.get("doc")) or hit
        ).items()
        if not name.startswith("_") and name not in _OF_THE_HIT
    }
    identifier = text_in(hit, *_HIT_IDS)
    own_ids = [name for name in _HIT_IDS if not identifier and plain_text(values.get(name))]
    identifier = identifier or (plain_text(values[own_ids[0]]) if own_ids else "")
    for name in _HIT_IDS:
        if plain_text(values.get(name)) == identifier:
            values.pop(name, None)
    score = next((hit[name] for name in _HIT_SCORES if hit.get(name) is not None), None)
    return document_of(identifier, values), _number(score)


def _number(value: object) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # RunRows knows a missing score as NaN: it then counts none of the run.
    return float(str(value)) if is_number else float("nan")


def document_of(identifier: str, values: Object) -> Document:
    """Make a document of the fields that an engine stored."""
    texts = {name: text for name, value in values.items() if (text := plain_text(value))}
    roles = names.assign_roles(list(texts), Kind.RESULTS, {})
    kept = {role: name for role, name in roles.items() if role in {"title", "url", "body"}}
    return take_document(identifier, Record(0, texts, kept))


def _note_gaps(query: Query, body: Object, reading: Reading) -> None:
    """Say where a response is not all that it should be."""
    shards = object_of(body.get("_shards")).get("failed")
    if body.get("timed_out") is True or (isinstance(shards, int) and shards > 0):
        reading.notes.append(
            _(
                "The engine says that its response to ‘{query}’ is partial (a time-out or "
                "shards that did not answer)."
            ).format(query=query.id)
        )


def is_rank_eval_response(value: object) -> bool:
    """Whether this is the response of a ranking evaluation."""
    values = object_of(value)
    return "metric_score" in values and bool(object_of(values.get("details")))


def read_rank_eval_response(source: TextSource, reading: Reading) -> None:
    """Read the response of a ranking evaluation: the run, and the ratings of what was rated."""
    rows, judgments = RunRows(), CollectedJudgments(reading)
    n_results = n_unrated = 0
    for query_id, details in object_of(
        object_of(json_value(source, reading)).get("details")
    ).items():
        for rank, each in enumerate(objects_of(object_of(details).get("hits")), 1):
            n_results += 1
            hit = object_of(each.get("hit"))
            document_id, rating = text_of(hit.get("_id")), text_of(each.get("rating"))
            problem = rows.add_next(query_id, document_id, _number(hit.get("_score")))
            n_unrated += not (problem or rating)
            if problem:
                reading.refuse(
                    None,
                    _("result {rank} of query ‘{query_id}’ {problem}").format(
                        rank=local_number(f"{rank:,}"), query_id=query_id, problem=problem
                    ),
                )
            elif rating:
                judgments.add_graded(None, JudgmentRow(query_id, document_id, "", None), rating)
    judgments.hand_over()
    if n_unrated:
        reading.notes.append(
            _("Results without a rating stay unjudged: {n_unrated} of {n_results}.").format(
                n_unrated=local_number(f"{n_unrated:,}"), n_results=local_number(f"{n_results:,}")
            )
        )
    rows.hand_over(reading, is_ranked=True)
