"""One JSON value that fills a whole file, read within limits; and search engines' saved responses.

Keys that come twice are noticed. Responses are those of Elasticsearch, OpenSearch, Solr, Vespa and
others.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import local_count, number_of, some_of
from judgetool.errors import ParseError
from judgetool.formats import names
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.records import (
    Record,
    WrittenNumber,
    beyond_json,
    find_storage_problem,
    note_number,
    number_as_written,
    parse_json_object,
    refuse_constant,
    text_of,
)
from judgetool.formats.results import RunRows, name_from, refuse_result
from judgetool.formats.source import TextSource, read_whole
from judgetool.formats.texts import KeptDocuments, KeptQueries, take_document
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Refusal
from judgetool.wording import _, quoted

Object = Mapping[str, object]
_MAX_REPEATS = 1000
_MOST_NAMED = 5
_REQUEST = re.compile(r"\s*(GET|POST|PUT)[ \t]+/?\S+[ \t]*\r?\n\s*[{\[]")
_REQUEST_LINE = re.compile(r"^[ \t]*(?:GET|POST|PUT)[ \t]+/?\S+[ \t]*$", re.MULTILINE)


@dataclass
class JsonSource(TextSource):
    """A source whose text was one JSON value, which has been read already.

    Attributes:
        value: the JSON value.
        repeated: keys that came twice in one object; what stood first counts.
    """

    value: object = None
    repeated: list[str] = field(default_factory=list)


def load_json(source: TextSource) -> JsonSource:
    """Read a source to its end as one JSON value.

    Raises:
        ParseError: it is none; the text says where it breaks.
    """
    text = _without_request(read_whole(source), source.name)
    repeated: list[str] = []

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        values = dict(pairs)
        if len(values) < len(pairs):
            # Python's own way, the last one counts, would be a silent choice.
            values = {}
            for key, value in pairs:
                if values.setdefault(key, value) is not value and len(repeated) < _MAX_REPEATS:
                    repeated.append(key)
        return values

    try:
        value = json.loads(
            text,
            object_pairs_hook=unique,
            parse_constant=refuse_constant,
            parse_float=number_as_written,
        )
    except json.JSONDecodeError as problem:
        raise ParseError(
            _(
                "this looks like JSON but breaks at character {colno} of this line. Expected "
                "one whole JSON value, or one object in braces on each line (JSON lines). "
                "Nothing was kept."
            ).format(colno=local_count(problem.colno)),
            source=source.name,
            line=problem.lineno,
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ParseError(
            _("{problem}. Expected one JSON value. Nothing was kept.").format(
                problem=beyond_json(problem)
            ),
            source=source.name,
            line=_find_beyond(text),
        ) from None
    _check_storable(text, value, source.name)
    return _loaded(source, value, repeated)


def _loaded(source: TextSource, value: object, repeated: list[str]) -> JsonSource:
    loaded = JsonSource(
        source.name, io.BytesIO(), n_lines=source.n_lines, value=value, repeated=repeated
    )
    # Only now: a source takes what it is given for the encoding of its (empty) stream.
    loaded.encoding = source.encoding
    loaded.notes = source.notes
    return loaded


_MOST_NESTED = 500
_MOST_DIGITS = 4000
# Texts are passed over: what stands in them is no syntax.
_SYNTAX = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|NaN|Infinity|[0-9]+', re.DOTALL)


def _find_beyond(text: str) -> int | None:
    """Return the line of the first number or nesting that is beyond what JSON allows."""
    depth = 0
    for found in _SYNTAX.finditer(text):
        first = found[0][0]
        depth += (first in "[{") - (first in "]}")
        is_number = first in "NI" or (first.isdigit() and len(found[0]) > _MOST_DIGITS)
        if is_number or depth > _MOST_NESTED:
            return text.count("\n", 0, found.start()) + 1
    return None


def _check_storable(text: str, value: object, name: str) -> None:
    # Only an escape can bring in what the decoded text cannot hold.
    if "\\u" not in text:
        return
    plain = json.dumps(value, ensure_ascii=False)
    problem = find_storage_problem(plain) or (
        _("it holds a NUL character") if "\\u0000" in plain.replace("\\\\", "") else None
    )
    if problem:
        raise ParseError(_("{problem}. Nothing was kept.").format(problem=problem), source=name)


def _repeated(key: str) -> Refusal:
    said = _("‘{key}’ stands twice in one JSON object; what stands first counts")
    clash = _("‘{key}’ stands twice in one JSON object")
    return Refusal(None, said.format(key=key[:60]), clash.format(key=key[:60]))


def is_console_request(head: str) -> bool:
    """Whether a text begins like a request of a search engine's console: ``POST /index/_search``."""
    return _REQUEST.match(head) is not None


def _without_request(text: str, source: str) -> str:
    """Return the JSON below a console's request line; lines keep their numbers.

    Raises:
        ParseError: there are several requests.
    """
    if not is_console_request(text):
        return text
    if len(_REQUEST_LINE.findall(text)) > 1:
        raise ParseError(
            _(
                "it holds several requests of a console. Nothing was kept; save the JSON of "
                "each in a file of its own, without the line that begins with GET or POST."
            ),
            source=source,
        )
    return _REQUEST_LINE.sub("", text, count=1)


def load_json_lines(source: TextSource) -> JsonSource:
    """Read a source to its end as one object on each line: their list is the value.

    Raises:
        ParseError: a line is no object.
    """
    values: list[Object | None] = []
    text = read_whole(source)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        found = None if line.strip() == "null" else parse_json_object(line)
        if isinstance(found, str):
            raise ParseError(
                _("{found}. Nothing was kept.").format(found=found), source=source.name, line=number
            )
        values.append(found)
    _check_storable(text, values, source.name)
    return _loaded(source, values, [])


def rows_source(
    source: JsonSource,
    rows: Sequence[object],
    note: str,
    question: Question | None = None,
    entries: Sequence[int] = (),
) -> TextSource:
    """Return rows that a JSON value holds as JSON lines: each counts as a line.

    Args:
        source: the value.
        rows: objects; where one is null, its line is refused.
        note: what they were found as, a sentence.
        question: what was asked of them.
        entries: number of the line as which each counts, where several are of one entry.
    """
    lines = (json.dumps(_as_written(row), ensure_ascii=False) for row in rows)
    return TextSource(
        source.name,
        io.BytesIO("\n".join(lines).encode()),
        container=source.encoding,
        notes=[*source.notes, note],
        refusals=[_repeated(key) for key in source.repeated],
        questions=[question] if question else [],
        entries=entries,
    )


def _as_written(row: object) -> object:
    """Return an object with numbers as texts where these would be written in another way."""
    if not isinstance(row, dict):
        return row
    return {
        key: value.text if isinstance(value, WrittenNumber) else value for key, value in row.items()
    }


def json_value(source: TextSource, reading: Reading) -> object:
    """Return the value that fills a source; keys that came twice are refused."""
    loaded = source if isinstance(source, JsonSource) else load_json(source)
    for key in loaded.repeated:
        reading.refuse(*_repeated(key))
    return loaded.value


def object_of(value: object) -> Object:
    """Return a JSON object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[Object]:
    """Return the objects of a JSON list; empty where there is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_in(values: Object, *names: str) -> str:
    """Return the first of these values that says something, as text."""
    return next((text for text in (text_of(values.get(name)) for name in names) if text), "")


def plain_text(value: object) -> str:
    """Return a value as text; of a list with one entry, as Solr writes fields, that entry."""
    if isinstance(value, list) and len(value) == 1:
        return text_of(value[0])
    return text_of(value)


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
    inner = values.get("responses")
    failed = list(map(error_in, inner)) if isinstance(inner, list) else []
    # Of several responses one that is sound is enough to go on with.
    said = error_in(value) or (failed[0] if failed and all(failed) else "")
    if not said:
        return ""
    return _(
        "it is no list of results but the error that a service answered: ‘{said}’. "
        "Nothing was kept; search again, and save the response with its results."
    ).format(said=said[:200])


def error_in(value: object) -> str:
    """Return the reason that a service gives in place of results, ``""`` where it gives none."""
    values = object_of(value)
    root = object_of(values.get("root"))
    errors = () if "children" in root else objects_of(root.get("errors"))
    error = object_of(values.get("error")) or next(iter(errors), {})
    # Meilisearch and Typesense answer with a bare message.
    is_bare = "message" in values and not values.keys() - {"message", "code", "type", "link"}
    return text_in(values if is_bare else error, "reason", "msg", "message", "summary", "type")


def are_of_queries(values: Iterable[object]) -> bool:
    """Whether responses are to a query each: to one that none names, or to different ones.

    One that names its query's id has that, not its file's name.
    """
    bodies = list(map(object_of, values))
    texts = list(filter(None, map(_query_text, bodies)))
    is_apart = len(set(texts)) == len(bodies) if texts else bool(bodies)
    return is_apart and not any(map(_named_query, bodies))


def has_responses(value: object) -> bool:
    """Whether this is a response, several of them, or one for each query id; some may have failed."""
    if is_response(value):
        return True
    inner = _inner_responses(value)
    each = list(inner.values()) if isinstance(inner, dict) else inner
    return (
        isinstance(each, list)
        and any(map(is_response, each))
        and all(one in (None, {}) or is_response(one) or error_in(one) for one in each)
    )


def _inner_responses(value: object) -> object:
    """Return the list in which several responses stand, or what may be some by query id."""
    values = object_of(value)
    return values.get("responses", values.get("results", value))


def read_responses(source: TextSource, reading: Reading) -> None:
    """Fill a reading with queries, documents and the run of one or more responses."""
    queries, documents, rows = KeptQueries(reading), KeptDocuments(), RunRows()
    n_groups, bare = 0, list[str]()
    for query, body in _iter_responses(json_value(source, reading), reading):
        queries.add(None, query)
        n_groups += sum(not _is_vespa_hit(child) for child in _vespa_children(body))
        _note_gaps(query, body, reading)
        hits = list(_iter_hits(body))
        bare += [] if hits else [query.id]
        for rank, (document, score) in enumerate(hits, 1):
            problem = rows.add_next(query.id, document.id, score)
            if problem:
                refuse_result(reading, query.id, rank, problem)
            else:
                documents.add(document)
    note_number(
        reading.notes,
        len(bare),
        "{n} response has no results ({some}): its query is kept, without any in the run.",
        "{n} responses have no results ({some}): their queries are kept, without any in the run.",
        some=some_of(list(map(quoted, bare[:_MOST_NAMED])), len(bare)),
    )
    note_number(
        reading.notes,
        n_groups,
        "{n} group beside the results is no result: it is left out.",
        "{n} groups beside the results are no results: they are left out.",
    )
    documents.hand_over(reading)
    rows.hand_over(reading, is_ranked=True)


def _iter_responses(value: object, reading: Reading) -> Iterable[tuple[Query, Object]]:
    """Return the responses, each with the query as far as it is known."""
    if is_response(value):
        body = object_of(value)
        return [(_named_query(body) or _query_of(body, reading), body)]
    inner = _inner_responses(value)
    if isinstance(inner, dict):
        failed = _("the response to query ‘{place}’ is an error of the service: ‘{said}’")
        empty = _("the response to query ‘{place}’ is empty")
        by_id = _without_failed(inner.items(), failed, empty, reading)
        return [(Query(query_id, _query_text(body)), body) for query_id, body in by_id.items()]
    listed = inner if isinstance(inner, list) else []
    failed = _("response {place} is an error of the service: ‘{said}’")
    empty = _("response {place} is empty")
    by_number = _without_failed(enumerate(listed, 1), failed, empty, reading)
    bodies = list(by_number.values())
    queries = list(filter(None, map(_named_query, bodies)))
    texts = list(map(_query_text, bodies))
    if len(queries) < len(bodies):
        if all(texts) and len(set(texts)) == len(texts):
            note = _("The responses name their queries: the text of each is its id.")
            ids = texts
        else:
            note = number_of(
                len(listed),
                "The {n} responses do not name their queries: they are numbered from 1. Pairs of "
                "these numbers and the queries’ ids join them (Id pairs…, --id-map).",
                "The {n} responses do not name their queries: they are numbered from 1. Pairs of "
                "these numbers and the queries’ ids join them (Id pairs…, --id-map).",
            )
            ids = list(by_number)
        reading.notes.append(note)
        queries = list(map(Query, ids, texts))
    return zip(queries, bodies, strict=True)


def _without_failed(
    bodies: Iterable[tuple[object, object]], failed: str, empty: str, reading: Reading
) -> dict[str, Object]:
    """Return the responses that have results; each of the others is refused with its reason."""
    sound: dict[str, Object] = {}
    for place, body in bodies:
        why = error_in(body)
        if object_of(body) and not why:
            sound[str(place)] = object_of(body)
        else:
            said = failed.format(place=place, said=why[:200]) if why else empty.format(place=place)
            reading.refuse(None, said)
    return sound


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
    for hit in filter(_is_vespa_hit, _vespa_children(body)):
        fields = dict(object_of(hit.get("fields")))
        identifier = text_of(fields.pop("documentid", "")) or text_in(hit, "id")
        yield document_of(identifier, fields), _number(hit.get("relevance"))
    for document in objects_of(object_of(body.get("response")).get("docs")):
        values = dict(document)
        identifier = plain_text(values.pop("id", ""))
        score = _number(values.pop("score", None))
        yield document_of(identifier, values), score


def _vespa_children(body: Object) -> list[Object]:
    return objects_of(object_of(body.get("root")).get("children"))


def _is_vespa_hit(child: Object) -> bool:
    """Whether this is a result; beside the results stand the groups that were counted."""
    return not (text_in(child, "id").startswith("group:") or "children" in child)


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
                        rank=local_count(rank), query_id=query_id, problem=problem
                    ),
                )
            elif rating:
                judgments.add_graded(None, JudgmentRow(query_id, document_id, "", None), rating)
    judgments.hand_over()
    if n_unrated:
        reading.notes.append(
            _("Results without a rating stay unjudged: {n_unrated} of {n_results}.").format(
                n_unrated=local_count(n_unrated), n_results=local_count(n_results)
            )
        )
    rows.hand_over(reading, is_ranked=True)
