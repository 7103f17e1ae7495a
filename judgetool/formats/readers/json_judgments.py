"""What Quepid exports as JSON: cases, ratings, snapshots, books.

In all of them a query is known by its text. What is not taken is said.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from judgetool.core.judgments import Document, Query, State
from judgetool.core.number_text import number_of
from judgetool.formats.columns import find_score, note_number
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.readers.search_responses import (
    Object,
    document_of,
    json_value,
    object_of,
    objects_of,
    text_in,
)
from judgetool.formats.records import text_of
from judgetool.formats.results import RunRows
from judgetool.formats.source import TextSource
from judgetool.formats.texts import KeptDocuments, KeptQueries, note_text_ids
from judgetool.formats.values import JudgmentRow, Question, Reading
from judgetool.wording import N_, _, local_number

_RRE_PARTS = ("topics", "query_groups", "queries")


def _has_any(value: object, key: str, inner: str) -> bool:
    return any(inner in each for each in objects_of(object_of(value).get(key)))


def is_rre(value: object) -> bool:
    """Whether this is a file of the Rated Ranking Evaluator."""
    values = object_of(value)
    inner = [each for part in _RRE_PARTS for each in objects_of(values.get(part))]
    return "relevant_documents" in values or any(
        "relevant_documents" in each or is_rre(each) for each in inner
    )


def is_rank_eval_request(value: object) -> bool:
    """Whether this is a request for a ranking evaluation."""
    return _has_any(value, "requests", "ratings")


def is_opensearch(value: object) -> bool:
    """Whether this is a judgment list of OpenSearch."""
    return isinstance(object_of(value).get("judgmentRatings"), list)


def is_opensearch_queries(value: object) -> bool:
    """Whether this is a query set of OpenSearch."""
    return _has_any(value, "querySetQueries", "queryText")


def is_quepid_book(value: object) -> bool:
    """Whether this is a book with pairs in it."""
    return bool(objects_of(object_of(value).get("query_doc_pairs")))


def is_quepid_case(value: object) -> bool:
    """Whether these are a case's queries with their ratings."""
    return _has_any(value, "queries", "ratings") or "case_name" in object_of(value)


class Rating(NamedTuple):
    """One judgment as such a file has it."""

    document_id: str
    grade: str
    assessor: str = ""
    state: str = ""
    note: str = ""


Rated = Iterable[tuple[Query, Iterable[Rating]]]
"""Queries, each with what was judged of it; one that comes again may add to that."""


def _keep(rated: Rated, reading: Reading, *, has_ids: bool = False) -> None:
    """Give queries and judgments to a reading.

    Args:
        rated: what the file has.
        reading: gets them.
        has_ids: whether the format gives queries ids of their own.
    """
    queries, judgments = KeptQueries(reading), CollectedJudgments(reading)
    n_nameless = 0
    for query, ratings in rated:
        n_nameless += query.id == query.text and not has_ids
        for rating in ratings if queries.add(None, query) else ():
            document_id, grade, assessor, state, note = rating
            row = JudgmentRow(query.id, document_id, assessor, None, state, note)
            if not document_id:
                said = _("a judgment of query ‘{query}’ names no document")
                reading.refuse(None, said.format(query=query.id))
            elif grade:
                judgments.add_graded(None, row, grade)
            else:
                judgments.add(None, row)
    note_text_ids(n_nameless, reading)
    judgments.hand_over()


def read_rre(source: TextSource, reading: Reading) -> None:
    """Read ratings of the Rated Ranking Evaluator, in both of its forms.

    ``{document: {"gain": 3}}`` and ``{"3": [document, ...]}``, at a query or at its group.
    """
    found = _iter_rre_queries(object_of(json_value(source, reading)), {}, Query(""))
    _keep(((query, _iter_rre_ratings(documents)) for query, documents in found), reading)


def _iter_rre_queries(
    values: Object, documents: Object, above: Query
) -> Iterator[tuple[Query, Object]]:
    """Walk through topics and groups down to queries; documents of a group hold for each."""
    documents = {**documents, **object_of(values.get("relevant_documents"))}
    description = text_in(values, "description") or above.description
    category = text_in(values, "name") or above.category
    for part in ("topics", "query_groups", "queries"):
        for inner in objects_of(values.get(part)):
            around = Query("", description=description, category=category)
            yield from _iter_rre_queries(inner, documents, around)
    if "placeholders" in values:
        texts = {key: text_of(each) for key, each in object_of(values["placeholders"]).items()}
        text = texts.pop("$query", "") or (texts.popitem()[1] if len(texts) == 1 else "")
        text = text or text_of(values["placeholders"])
        yield Query(text, text, above.description, category=above.category), documents


def _iter_rre_ratings(documents: Object) -> Iterator[Rating]:
    for key, said in documents.items():
        if isinstance(said, list):
            yield from (Rating(text_of(document_id), key) for document_id in said)
        else:
            yield Rating(key, text_in(object_of(said), "gain", "rating") or text_of(said))


def read_rank_eval_request(source: TextSource, reading: Reading) -> None:
    """Read the ratings of a ranking evaluation request (Elasticsearch, OpenSearch)."""
    requests = objects_of(object_of(json_value(source, reading)).get("requests"))
    _keep(_iter_requests(requests, reading), reading, has_ids=True)
    ratings = [each for request in requests for each in objects_of(request.get("ratings"))]
    indexes = {text_in(rating, "_index") for rating in ratings}
    if len(indexes) > 1:
        reading.notes.append(
            _(
                "The documents are in {indexes} indexes ({some}); the index is left out, "
                "and documents are told apart by their ids alone."
            ).format(indexes=local_number(f"{len(indexes):,}"), some=", ".join(sorted(indexes)[:5]))
        )


def _iter_requests(requests: Iterable[Object], reading: Reading) -> Rated:
    for request in requests:
        texts = set(_iter_query_texts(request.get("params") or request.get("request")))
        query = Query(text_in(request, "id"), texts.pop() if len(texts) == 1 else "")
        if query.id:
            yield query, _iter_ratings(request, "_id")
        else:
            reading.refuse(None, _("a request has no id"))


def _iter_ratings(values: Object, document: str) -> Iterator[Rating]:
    for each in objects_of(values.get("ratings")):
        yield Rating(text_in(each, document), text_in(each, "rating"))


def _iter_query_texts(value: object) -> Iterator[str]:
    """Yield the texts that stand where a query's words stand."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"query", "query_string", "q", "text", "value"} and isinstance(inner, str):
                yield inner
            else:
                yield from _iter_query_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _iter_query_texts(inner)


def read_opensearch(source: TextSource, reading: Reading) -> None:
    """Read a judgment list of OpenSearch's Search Relevance Workbench."""
    lists = objects_of(object_of(json_value(source, reading)).get("judgmentRatings"))
    texts = [text_in(each, "query", "queryText") for each in lists]
    ratings = (_iter_ratings(each, "docId") for each in lists)
    _keep(zip((Query(text, text) for text in texts), ratings, strict=True), reading)


def read_opensearch_queries(source: TextSource, reading: Reading) -> None:
    """Read a query set of OpenSearch's Search Relevance Workbench; what else it says are fields."""
    values = object_of(json_value(source, reading))
    queries = objects_of(values.get("querySetQueries"))
    kept, n_nameless = KeptQueries(reading), 0
    for each in queries:
        text = text_in(each, "queryText")
        fields = {name: text_of(said) for name, said in each.items() if name != "queryText"}
        fields = {name: said for name, said in fields.items() if said}
        n_nameless += kept.add(None, Query(text, text, fields=fields))
    note_text_ids(n_nameless, reading)
    _note_not_taken([values], _OF_QUERY_SET, reading, _("query set"))


_OF_QUERY_SET = frozenset({"name", "description", "sampling", "id", "timestamp", "querySetQueries"})
_OF_QUERY = frozenset(
    {"query", "query_text", "information_need", "notes", "options", "ratings", "query_id"}
)
_POSITIONS = Question(
    "positions",
    N_("The book says where each document stood when it was filled. What is that?"),
    {
        "order": N_("The order in which a query’s documents are to be judged"),
        "run": N_("A run as well: its documents by position"),
    },
    "order",
)


def read_quepid_case(source: TextSource, reading: Reading) -> None:
    """Read Quepid's ratings (``{"query", "ratings": {document: 3}}``) or an exported case."""
    values = object_of(json_value(source, reading))
    _read_queries(values, reading)
    _note_not_taken([values], {"case_name", "queries"}, reading, _("case"))


def _read_queries(values: Object, reading: Reading) -> dict[str, str]:
    """Read queries with their ratings; return the queries' ids by Quepid's numbers of them."""
    queries = [(each, _query_of(each)) for each in objects_of(values.get("queries"))]
    _keep(((query, _iter_case_ratings(each.get("ratings"))) for each, query in queries), reading)
    _note_not_taken([each for each, _query in queries], _OF_QUERY, reading, _("queries"))
    return {text_in(each, "query_id"): query.id for each, query in queries}


def _query_of(values: Object) -> Query:
    text = text_in(values, "query", "query_text")
    fields = {name: text_of(values.get(name)) for name in ("notes", "options")}
    kept = {name: said for name, said in fields.items() if said and said != "{}"}
    return Query(text, text, text_in(values, "information_need"), fields=kept)


def _iter_case_ratings(ratings: object) -> Iterator[Rating]:
    for document_id, grade in object_of(ratings).items():
        yield Rating(document_id, text_of(grade))
    for each in objects_of(ratings):
        # Of several people's ratings a case keeps the last one, and whose that is.
        yield Rating(text_in(each, "doc_id"), text_in(each, "rating"), text_in(each, "user_email"))


def _note_not_taken(
    values: Sequence[Object], taken: Iterable[str], reading: Reading, what: str
) -> None:
    """Say which keys hold something that the project has no place for."""
    known = set(taken)
    names = dict.fromkeys(
        key
        for each in values
        for key, said in each.items()
        if key not in known and said not in (None, "", False, [], {})
    )
    if names:
        reading.notes.append(
            _("Not taken of the {what}: {names}.").format(what=what, names=", ".join(names))
        )


# Snapshots


def is_quepid_snapshot(value: object) -> bool:
    """Whether this is a snapshot: queries, and under ``docs`` a ranking for each."""
    docs = object_of(object_of(value).get("docs"))
    is_ranked = bool(docs) and all(isinstance(each, list) for each in docs.values())
    return is_ranked and "queries" in object_of(value)


def read_quepid_snapshot(source: TextSource, reading: Reading) -> None:
    """Read a snapshot: its rankings as a run, with the ratings that stand beside them."""
    values = object_of(json_value(source, reading))
    ids = _read_queries(values, reading)
    if not reading.judgments:
        reading.judgments = None
    documents, rows, n_rated_only = KeptDocuments(), RunRows(), 0
    for number, docs in object_of(values.get("docs")).items():
        query_id = ids.get(number)
        if query_id is None:
            reading.refuse(
                None,
                _("the ranking of query number {number} has no query in the file").format(
                    number=number
                ),
            )
            continue
        for rank, each in enumerate(objects_of(docs), 1):
            document = _document_of(text_in(each, "id"), each.get("fields"))
            is_rated_only = each.get("rated_only") is True and bool(document.id)
            problem = "" if is_rated_only else rows.add_next(query_id, document.id)
            if problem:
                said = _("result {rank} of query ‘{query}’ {problem}")
                place = local_number(f"{rank:,}")
                reading.refuse(None, said.format(rank=place, query=query_id, problem=problem))
                continue
            documents.add(document)
            n_rated_only += is_rated_only
    documents.hand_over(reading)
    note_number(
        reading.notes,
        n_rated_only,
        "{n} document stood in the snapshot for the rating alone: in no ranking.",
        "{n} documents stood in the snapshot for the rating alone: in no ranking.",
    )
    rows.hand_over(reading, is_ranked=True, name=reading.run_name or text_of(values.get("name")))
    _note_not_taken([values], {"name", "docs", "queries"}, reading, _("snapshot"))
    every = [each for docs in object_of(values.get("docs")).values() for each in objects_of(docs)]
    if any(each.get("explain") for each in every):
        reading.notes.append(_("Not taken of the documents: explain."))


def _document_of(identifier: str, said: object) -> Document:
    fields = _fields_of(said)
    return document_of(identifier, fields) if fields else Document(identifier)


def _fields_of(value: object) -> Object:
    """Return a document's fields: Quepid writes them as an object, or as JSON in a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return object_of(value)


# Books


def read_quepid_book(source: TextSource, reading: Reading) -> None:
    """Read an exported book: several judges, unrateable, explanations, texts, open pairs.

    All pairs are to be judged, in the book's order.
    """
    values = object_of(json_value(source, reading))
    pairs = objects_of(values.get("query_doc_pairs"))
    documents = KeptDocuments()
    queries = _queries_of_book(pairs)
    ratings: dict[str, list[Rating]] = {query_id: [] for query_id in queries if query_id}
    n_unread = 0
    for pair in sorted(pairs, key=_position_of):
        query_id, document_id = text_in(pair, "query_text"), text_in(pair, "doc_id")
        if not query_id or not document_id:
            reading.refuse(None, _("a pair of the book lacks its query or its document"))
            continue
        said = pair.get("document_fields")
        n_unread += bool(said) and not _fields_of(said)
        documents.add(_document_of(document_id, said))
        ratings[query_id] += [
            _book_rating(document_id, each) for each in objects_of(pair.get("judgements"))
        ]
        reading.pool.append((query_id, document_id))
    documents.hand_over(reading)
    _keep(((queries[query_id], given) for query_id, given in ratings.items()), reading)
    note_number(
        reading.notes,
        n_unread,
        "The fields of {n} document could not be read as JSON.",
        "The fields of {n} documents could not be read as JSON.",
    )
    n_open = sum(not objects_of(pair.get("judgements")) for pair in pairs)
    reading.notes.append(
        number_of(
            len(reading.pool),
            "All {n} pair of the book are to be judged; of {n_open} nobody has said anything.",
            "All {n} pairs of the book are to be judged; of {n_open} nobody has said anything.",
            n_open=local_number(f"{n_open:,}"),
        )
    )
    _read_positions(pairs, reading, text_of(values.get("name")))
    taken = {"name", "query_doc_pairs"}
    _note_not_taken([values], taken, reading, _("book (the grades count on the project’s scale)"))


def _queries_of_book(pairs: Iterable[Object]) -> Mapping[str, Query]:
    """Return the queries by text, each with what any of its pairs says of it."""
    found: dict[str, Query] = {}
    for pair in pairs:
        new = _query_of({**pair, "query": pair.get("query_text")})
        old = found.setdefault(new.id, new)
        found[new.id] = replace(
            old,
            description=old.description or new.description,
            fields={**new.fields, **old.fields},
        )
    return found


def _position_of(pair: Object) -> float:
    position = find_score(text_of(pair.get("position")))
    return float("inf") if position is None else position


def _read_positions(pairs: Sequence[Object], reading: Reading, name: str) -> None:
    """Read the positions as a run, where somebody says that they are one."""
    placed = [pair for pair in pairs if _position_of(pair) != float("inf")]
    if not placed or reading.ask(_POSITIONS) != "run":
        return
    rows = RunRows()
    for pair in sorted(placed, key=_position_of):
        if query_id := text_in(pair, "query_text"):
            rows.add_next(query_id, text_in(pair, "doc_id"))
    rows.hand_over(reading, is_ranked=True, name=reading.run_name or name)


def _book_rating(document_id: str, judgement: Object) -> Rating:
    state = ""
    if judgement.get("unrateable") is True:
        state = str(State.CANNOT_JUDGE)
    elif judgement.get("judge_later") is True:
        state = str(State.SKIPPED)
    return Rating(
        document_id,
        "" if state else text_in(judgement, "rating"),
        text_in(judgement, "user_email"),
        state,
        text_in(judgement, "explanation"),
    )
