"""Judgments as the JSON of search engines."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from judgetool.core.queries import Query
from judgetool.formats.judgment_rows import CollectedJudgments
from judgetool.formats.queries import KeptQueries, note_text_ids
from judgetool.formats.readers.json_values import Object, object_of, objects_of, text_in
from judgetool.formats.records import text_of
from judgetool.formats.values import JudgmentRow, Reading


class Rating(NamedTuple):
    """One judgment as such a file has it."""

    document_id: str
    grade: str
    assessor: str = ""
    state: str = ""
    note: str = ""


class CollectedRatings:
    """Queries and judgments as they come in.

    Args:
        reading: gets them.
        has_ids: whether the format gives queries ids of their own.
    """

    def __init__(self, reading: Reading, *, has_ids: bool = False) -> None:
        self._has_ids = has_ids
        self._reading = reading
        self._queries = KeptQueries(reading)
        self._judgments = CollectedJudgments(reading)
        self._n_nameless = 0

    def add(self, query: Query, ratings: Iterable[Rating]) -> None:
        """Keep a query and its judgments; a query that comes again may add to them."""
        self._n_nameless += query.id == query.text and not self._has_ids
        if not self._queries.add_whole(query):
            return
        for rating in ratings:
            self._add_rating(query.id, rating)

    def _add_rating(self, query_id: str, rating: Rating) -> None:
        row = JudgmentRow(
            query_id, rating.document_id, rating.assessor, None, rating.state, rating.note
        )
        if not rating.document_id:
            self._reading.refuse(None, f"a judgment of query '{query_id}' names no document")
        elif rating.grade:
            self._judgments.add_graded(None, row, rating.grade)
        else:
            self._judgments.add(None, row)

    def hand_over(self) -> None:
        """Give all to the reading."""
        note_text_ids(self._n_nameless, self._reading)
        self._judgments.hand_over()


def read_rre(value: object, reading: Reading, name: str) -> None:  # noqa: ARG001 - all of these are called alike
    """Read ratings of the Rated Ranking Evaluator, in both of its forms.

    ``{document: {"gain": 3}}`` and ``{"3": [document, ...]}``, at a query or at its group.
    """
    collected = CollectedRatings(reading)
    for query, documents in _iter_rre_queries(object_of(value), {}, Query("")):
        collected.add(query, _iter_rre_ratings(documents))
    collected.hand_over()


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


def read_rank_eval_request(value: object, reading: Reading, name: str) -> None:  # noqa: ARG001 - all of these are called alike
    """Read the ratings of a ranking evaluation request (Elasticsearch, OpenSearch)."""
    collected = CollectedRatings(reading, has_ids=True)
    indexes: set[str] = set()
    for request in objects_of(object_of(value).get("requests")):
        ratings = objects_of(request.get("ratings"))
        indexes.update(text_in(rating, "_index") for rating in ratings)
        texts = set(_iter_query_texts(request.get("params") or request.get("request")))
        query = Query(text_in(request, "id"), texts.pop() if len(texts) == 1 else "")
        if not query.id:
            reading.refuse(None, "a request has no id")
            continue
        collected.add(
            query, (Rating(text_in(each, "_id"), text_in(each, "rating")) for each in ratings)
        )
    if len(indexes) > 1:
        reading.notes.append(
            f"The documents are in {len(indexes):,} indexes ({', '.join(sorted(indexes)[:5])}); "
            "the index is left out, and documents are told apart by their ids alone."
        )
    collected.hand_over()


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


def read_opensearch(value: object, reading: Reading, name: str) -> None:  # noqa: ARG001 - all of these are called alike
    """Read a judgment list of OpenSearch's Search Relevance Workbench."""
    collected = CollectedRatings(reading)
    for each in objects_of(object_of(value).get("judgmentRatings")):
        text = text_in(each, "query", "queryText")
        ratings = objects_of(each.get("ratings"))
        collected.add(
            Query(text, text),
            (Rating(text_in(one, "docId"), text_in(one, "rating")) for one in ratings),
        )
    collected.hand_over()
