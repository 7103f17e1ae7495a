"""What Quepid exports as JSON: cases, ratings, snapshots, books.

In all of them a query is known by its text. What is not taken is said.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from judgetool.core.documents import Document
from judgetool.core.judgments import State
from judgetool.core.queries import Query
from judgetool.formats.columns import count_noun, find_score
from judgetool.formats.documents import KeptDocuments
from judgetool.formats.readers.json_judgments import CollectedRatings, Rating
from judgetool.formats.readers.json_values import (
    Object,
    object_of,
    objects_of,
    run_name,
    text_in,
)
from judgetool.formats.readers.search_responses import document_of
from judgetool.formats.records import text_of
from judgetool.formats.results_table import RunRows
from judgetool.formats.run_order import build_run
from judgetool.formats.values import Question, Reading

_OF_QUERY = frozenset(
    {"query", "query_text", "information_need", "notes", "options", "ratings", "query_id"}
)
_POSITIONS = Question(
    "positions",
    "The book says where each document stood when it was filled. What is that?",
    {
        "order": "The order in which a query’s documents are to be judged",
        "run": "A run as well: its documents by position",
    },
    "order",
)


def read_quepid_case(value: object, reading: Reading, name: str) -> None:  # noqa: ARG001 - all of these are called alike
    """Read Quepid's ratings (``{"query", "ratings": {document: 3}}``) or an exported case."""
    values = object_of(value)
    _read_queries(values, reading)
    _note_not_taken([values], {"case_name", "queries"}, reading, "case")


def _read_queries(values: Object, reading: Reading) -> dict[str, str]:
    """Read queries with their ratings; return the queries' ids by Quepid's numbers of them."""
    collected = CollectedRatings(reading)
    ids: dict[str, str] = {}
    queries = objects_of(values.get("queries"))
    for each in queries:
        query = _query_of(each)
        ids[text_in(each, "query_id")] = query.id
        collected.add(query, _iter_case_ratings(each.get("ratings")))
    collected.hand_over()
    _note_not_taken(queries, _OF_QUERY, reading, "queries")
    return ids


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
        reading.notes.append(f"Not taken of the {what}: {', '.join(names)}.")


# Snapshots


def is_quepid_snapshot(values: Object) -> bool:
    """Whether this is a snapshot: queries, and under ``docs`` a ranking for each."""
    docs = object_of(values.get("docs"))
    return bool(docs) and all(isinstance(each, list) for each in docs.values())


def read_quepid_snapshot(value: object, reading: Reading, name: str) -> None:
    """Read a snapshot: its rankings as a run, with the ratings that stand beside them."""
    values = object_of(value)
    ids = _read_queries(values, reading)
    if not reading.judgments:
        reading.judgments = None
    documents, rows, n_rated_only = KeptDocuments(), RunRows(), 0
    place = 0
    for number, docs in object_of(values.get("docs")).items():
        query_id = ids.get(number)
        if query_id is None:
            reading.refuse(None, f"the ranking of query number {number} has no query in the file")
            continue
        seen: set[str] = set()
        for each in objects_of(docs):
            document = _snapshot_document(each)
            documents.add(document)
            n_rated_only += each.get("rated_only") is True
            if not document.id or document.id in seen:
                reading.refuse(None, f"a document of query '{query_id}' has no id, or comes twice")
            elif each.get("rated_only") is not True:
                seen.add(document.id)
                place += 1
                rows.add(query_id, document.id, place, len(seen), float("nan"))
    documents.hand_over(reading)
    if n_rated_only:
        reading.notes.append(
            f"{count_noun(n_rated_only, 'document')} stood in the snapshot for the rating alone: "
            "in no ranking."
        )
    own_name = text_of(values.get("name")) or run_name(name, reading.source)
    reading.runs.append(
        build_run(rows.results(reading), reading, name=name or own_name, is_ranked=True)
    )
    _note_not_taken([values], {"name", "docs", "queries"}, reading, "snapshot")
    every = [each for docs in object_of(values.get("docs")).values() for each in objects_of(docs)]
    if any(each.get("explain") for each in every):
        reading.notes.append("Not taken of the documents: explain.")


def _snapshot_document(values: Object) -> Document:
    fields = _fields_of(values.get("fields"))
    return document_of(text_in(values, "id"), fields) if fields else Document(text_in(values, "id"))


def _fields_of(value: object) -> Object:
    """Return a document's fields: Quepid writes them as an object, or as JSON in a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return object_of(value)


# Books


def read_quepid_book(value: object, reading: Reading, name: str) -> None:
    """Read an exported book: several judges, unrateable, explanations, texts, open pairs.

    All pairs are to be judged, in the book's order.
    """
    values = object_of(value)
    pairs = objects_of(values.get("query_doc_pairs"))
    collected, documents = CollectedRatings(reading), KeptDocuments()
    queries = _queries_of_book(pairs)
    ratings: dict[str, list[Rating]] = {query_id: [] for query_id in queries if query_id}
    n_unread = 0
    for pair in sorted(pairs, key=_position_of):
        query_id, document_id = text_in(pair, "query_text"), text_in(pair, "doc_id")
        if not query_id or not document_id:
            reading.refuse(None, "a pair of the book lacks its query or its document")
            continue
        fields = _fields_of(pair.get("document_fields"))
        n_unread += bool(pair.get("document_fields")) and not fields
        documents.add(document_of(document_id, fields) if fields else Document(document_id))
        said = objects_of(pair.get("judgements"))
        ratings[query_id] += [_book_rating(document_id, each) for each in said]
        reading.pool.append((query_id, document_id))
    for query_id, given in ratings.items():
        collected.add(queries[query_id], given)
    documents.hand_over(reading)
    collected.hand_over()
    if n_unread:
        reading.notes.append(
            f"The fields of {count_noun(n_unread, 'document')} could not be read as JSON."
        )
    n_open = sum(not objects_of(pair.get("judgements")) for pair in pairs)
    reading.notes.append(
        f"All {count_noun(len(reading.pool), 'pair')} of the book are to be judged; of {n_open:,} "
        "nobody has said anything."
    )
    _read_positions(pairs, reading, name or text_of(values.get("name")))
    taken = {"name", "query_doc_pairs"}
    _note_not_taken([values], taken, reading, "book (the grades count on the project’s scale)")


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
    rows, seen = RunRows(), set[tuple[str, str]]()
    for place, pair in enumerate(sorted(placed, key=_position_of), 1):
        key = text_in(pair, "query_text"), text_in(pair, "doc_id")
        if all(key) and key not in seen:
            seen.add(key)
            rows.add(*key, place, _position_of(pair), float("nan"))
    results = rows.results(reading)
    own_name = run_name(name, reading.source)
    reading.runs.append(build_run(results, reading, name=own_name, is_ranked=True))


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
