"""What a JSON value holds, by its shape; and what Quepid and others export as JSON.

Exports are cases, ratings, snapshots, books. In all of them a query is known by its text. What is not
taken is said.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from judgetool.core.judgments import Document, Query, State
from judgetool.core.number_text import local_count, number_of
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.names import ALL_NAMES, GRADE, NOTE, normal_name
from judgetool.formats.records import find_score, is_infinite, note_number, text_of
from judgetool.formats.results import RunRows, refuse_result
from judgetool.formats.search_responses import (
    Object,
    document_of,
    json_value,
    object_of,
    objects_of,
    text_in,
)
from judgetool.formats.source import TextSource
from judgetool.formats.texts import KeptDocuments, KeptQueries, note_text_ids
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes
from judgetool.wording import N_, _

_LONG_TEXT = 200
_FEW = 3
_ANSWERS = frozenset({"accept", "reject", "ignore"})
_PRODIGY_MARKS = ("_task_hash", "_input_hash", "_session_id", "_annotator_id", "accept")


class Rows(NamedTuple):
    """Rows found in a JSON value.

    Attributes:
        rows: values by name, or ``None`` for what is null.
        note: what they were found as.
        question: what has to be said first, or was; ``None`` where nothing is open.
        entries: number of the file's entry of which each row is; empty where each is one.
    """

    rows: Sequence[Object | None]
    note: str
    question: Question | None = None
    entries: Sequence[int] = ()


def find_rows(value: object, wishes: Wishes) -> Rows | None:
    """Return the rows that a JSON value holds in one of these shapes; ``None`` if in none.

    Args:
        value: what fills the file, or a list of the objects on its lines.
        wishes: what a person said of the file.
    """
    if isinstance(value, list):
        return _annotated(value)
    values = object_of(value)
    if are_columns(values):
        return _by_column(values)
    keys = {normal_name(key) for key in values}
    if len(keys & ALL_NAMES) > 1 and not _are_objects(values):
        return Rows([values], _("The file is one JSON object: one row."))
    # A few values under known names are one row of which little is said.
    is_row = bool(keys & ALL_NAMES) and len(values) < _FEW
    found = None
    if values and not is_row and all(isinstance(each, str) for each in values.values()):
        found = _texts_by_id(values, wishes)
    elif values and not is_row and all(_is_id_list(each) for each in values.values()):
        found = _ids_by_query(values, wishes)
    elif (listed := _listed(values)) is not None:
        found = listed
    elif values and _are_objects(values):
        rows: list[Object] = [{"id": key, **object_of(each)} for key, each in values.items()]
        found = Rows(rows, _("The file is one JSON object: its keys are taken for ids."))
    return found


def are_columns(values: Object) -> bool:
    """Whether each value is a column of a table, its cells by the same keys, as pandas writes them."""
    columns = list(map(object_of, values.values()))
    is_even = bool(columns and columns[0]) and all(
        each.keys() == columns[0].keys() for each in columns
    )
    return is_even and len({normal_name(key) for key in values} & ALL_NAMES) > 1


def _by_column(values: Object) -> Rows:
    columns = {name: object_of(each) for name, each in values.items()}
    places = next(iter(columns.values()))
    rows = [{name: each[place] for name, each in columns.items()} for place in places]
    return Rows(rows, _("The file is one JSON object: each name holds a column."))


def rows_of(value: object) -> list[Object | None]:
    """Return the entries of a list of objects, some of which may be null; none of another value."""
    rows = value if isinstance(value, list) and objects_of(value) else []
    return rows if all(each is None or isinstance(each, dict) for each in rows) else []


def _are_objects(values: Object) -> bool:
    """Whether each value is an object with names that some table has, among them a text."""
    inner = [object_of(each) for each in values.values()]
    return all(
        any(isinstance(each.get(key), str) for key in each if normal_name(key) in ALL_NAMES)
        for each in inner
    )


def _listed(values: Object) -> Rows | None:
    """Return the rows of an object that has one list of objects under a telling name."""
    name = next((each for each in values if each in _LISTS), "")
    rows = rows_of(values.get(name))
    has_more = any(isinstance(values[key], (list, Mapping)) for key in values if key != name)
    if not rows or has_more:
        return None
    # Galago numbers its queries; elsewhere a number is no id.
    rows = [_with_id(row) if row and name == "queries" else row for row in rows]
    return Rows(
        rows,
        _("The file is one JSON object: the list under ‘{name}’ holds the rows.").format(name=name),
    )


_LISTS = ("queries", "topics", "documents", "docs", "judgments", "judgements", "qrels")


def _with_id(row: Object) -> Object:
    if "number" not in row or {normal_name(key) for key in row} & _QUERY_IDS:
        return row
    return {"query_id" if key == "number" else key: each for key, each in row.items()}


_QUERY_IDS = frozenset({"query_id", "qid", "id", "_id"})


def _is_id_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, (str, int)) for each in value)


def _texts_by_id(values: Object, wishes: Wishes) -> Rows | None:
    if wishes.kind not in {None, Kind.QUERIES, Kind.DOCUMENTS}:
        return None
    length = sum(len(text_of(each)) for each in values.values()) / len(values)
    likely = Kind.DOCUMENTS if length > _LONG_TEXT else Kind.QUERIES
    kind, questions = ask_of_texts(_("The file gives a text for each id."), likely, wishes)
    names = ("doc_id", "body") if kind is Kind.DOCUMENTS else ("query_id", "query")
    rows: list[Object] = [dict(zip(names, pair, strict=True)) for pair in values.items()]
    return Rows(rows, _("The file is one JSON object: an id and a text each."), *questions)


def ask_of_texts(
    what: str, likely: Kind, wishes: Wishes
) -> tuple[Kind, tuple[()] | tuple[Question]]:
    """Return whether ids and texts are queries or documents, and the question if nobody said it.

    Args:
        what: the file holds, a sentence.
        likely: which of the two they look like.
        wishes: what a person said.
    """
    if wishes.kind is not None:
        return wishes.kind, ()
    choices = {"queries": _("Queries"), "documents": _("Documents")}
    question = wishes.answered(
        Question("id_and_text", _("{what} What are they?").format(what=what), choices, str(likely))
    )
    return Kind(question.answer), (question,)


def _ids_by_query(values: Object, wishes: Wishes) -> Rows | None:
    if wishes.kind in {Kind.QUERIES, Kind.DOCUMENTS}:
        return None
    question = wishes.answered(
        Question(
            "lists",
            _("The file gives a list of documents for each query. What are they?"),
            {
                "ranking": _("Results of a system, best first: the file is a run"),
                "relevant": _("Relevant documents: the file holds judgments of grade 1"),
            },
            ""
            if wishes.kind is None
            else "relevant"
            if wishes.kind is Kind.JUDGMENTS
            else "ranking",
        )
    )
    is_relevant = question.answer == "relevant"
    rows: list[Object] = [
        {
            "query_id": query,
            "doc_id": text_of(document),
            **({"grade": 1} if is_relevant else {"rank": rank}),
        }
        for query, documents in values.items()
        for rank, document in enumerate(documents if isinstance(documents, list) else (), 1)
    ]
    return Rows(rows, _("The file gives a list of documents for each query."), question)


def is_annotation(value: object) -> bool:
    """Whether this is an object as annotation tools export them, one for each item."""
    return _flattener(object_of(value)) is not None


def _annotated(value: list[object]) -> Rows | None:
    items = rows_of(value)
    found = next((_flattener(item) for item in items if item is not None), None)
    if found is None:
        return None
    tool, flatten = found
    found_rows = [
        (number, row)
        for number, item in enumerate(items, 1)
        for row in ([None] if item is None else flatten(item))
    ]
    note = _(
        "The file is an export of {tool}: each annotation is a row, and the tasks are counted as lines."
    ).format(tool=tool)
    return Rows(
        [row for _number, row in found_rows],
        note,
        entries=[number for number, _row in found_rows],
    )


_Flatten = Callable[[Object], Iterator[Object]]


def _flattener(item: Object) -> tuple[str, _Flatten] | None:
    """Return the tool that exports such items, and what makes rows of one; else ``None``."""
    labels = item.get("label", item.get("labels"))
    if isinstance(item.get("data"), dict) and "annotations" in item:
        return "Label Studio", _label_studio
    if isinstance(item.get("fields"), dict) and "responses" in item:
        return "Argilla", _argilla
    if str(item.get("answer")) in _ANSWERS and any(mark in item for mark in _PRODIGY_MARKS):
        return "Prodigy", _prodigy
    if "text" in item and isinstance(labels, list) and _is_id_list(labels):
        return "doccano", _doccano
    return None


def _label_studio(item: Object) -> Iterator[Object]:
    base = _plain(object_of(item.get("data")))
    annotations = objects_of(item.get("annotations"))
    for annotation in annotations:
        by = annotation.get("completed_by")
        row: dict[str, object] = {
            **base,
            "assessor": text_of(object_of(by).get("email") or by),
            "at": text_of(annotation.get("updated_at") or annotation.get("created_at")),
        }
        if annotation.get("was_cancelled") is True:
            yield {**row, "state": str(State.SKIPPED)}
            continue
        for result in objects_of(annotation.get("result")):
            said = object_of(result.get("value"))
            if "text" in said:
                row.setdefault("note", _told(said["text"], "; "))
            else:
                found = (said.get(name) for name in ("choices", "rating", "number", "taxonomy"))
                row.setdefault("grade", next((_told(each) for each in found if each), ""))
        yield row
    if not annotations:
        yield base


def _argilla(item: Object) -> Iterator[Object]:
    base = {**_plain(object_of(item.get("fields"))), **_plain(object_of(item.get("metadata")))}
    by_user: dict[str, dict[str, object]] = {}
    responses = item.get("responses")
    for response in objects_of(responses):
        user = text_of(response.get("user_id"))
        values = object_of(response.get("values"))
        by_user[user] = {name: object_of(each).get("value") for name, each in values.items()}
    for name, answers in object_of(responses).items():
        for answer in objects_of(answers):
            by_user.setdefault(text_of(answer.get("user_id")), {})[name] = answer.get("value")
    for user, answers in by_user.items():
        grade = next((name for name in answers if normal_name(name) in GRADE), "")
        grade = grade or next((name for name in answers if normal_name(name) not in NOTE), "")
        note = next((text_of(answers[name]) for name in answers if normal_name(name) in NOTE), "")
        yield {**base, "assessor": user, "grade": _told(answers.get(grade)), "note": note}
    if not by_user:
        yield base


def _prodigy(item: Object) -> Iterator[Object]:
    own = {key: each for key, each in item.items() if not key.startswith("_")}
    row: dict[str, object] = {**_plain(own), **_plain(object_of(item.get("meta")))}
    for name in ("answer", "accept", "label", "options"):
        row.pop(name, None)
    row["assessor"] = text_of(item.get("_annotator_id") or item.get("_session_id"))
    row["at"] = _moment(item.get("_timestamp"))
    label = text_of(item.get("label"))
    if item.get("answer") == "ignore":
        row["state"] = str(State.SKIPPED)
    elif isinstance(item.get("accept"), list):
        row["grade"] = _told(item["accept"])
    elif item.get("answer") == "accept":
        row["grade"] = label or "accept"
    else:
        row["grade"] = f"not {label}" if label else "reject"
    yield row


def _doccano(item: Object) -> Iterator[Object]:
    row: dict[str, object] = {**_plain(item), **_plain(object_of(item.get("meta")))}
    for name in ("label", "labels", "Comments", "comments"):
        row.pop(name, None)
    comments = item.get("Comments", item.get("comments"))
    said = [text_of(each) for each in comments] if isinstance(comments, list) else []
    grade = _told(item.get("label", item.get("labels")))
    yield {**row, "grade": grade, "note": "; ".join(said)}


def _plain(values: Object) -> dict[str, object]:
    """Return what is no object or list."""
    return {key: each for key, each in values.items() if not isinstance(each, (dict, list))}


def _told(value: object, between: str = " + ") -> str:
    """Return what was chosen or written; of several choices all: which of them counts is not ours to say."""
    if isinstance(value, list):
        return between.join(dict.fromkeys(map(text_of, value)))
    return "" if isinstance(value, Mapping) else text_of(value)


def _moment(value: object) -> str:
    """Return seconds since 1970 as a time in words, ``""`` where there are none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


_MANY = 5
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def is_nested_numbers(value: object) -> bool:
    """Whether this is ``{query: {document: number}}`` with at least one number, be it as a text.

    Some numbers may be null; or texts, unless all objects have the same names, as rows of a table.
    """
    inner = [each for each in object_of(value).values() if each is not None]
    pairs = [pair for each in inner for pair in object_of(each).items() if pair[1] is not None]
    if not pairs or not all(isinstance(each, dict) for each in inner):
        return False
    others = [(name, each) for name, each in pairs if not _is_number(name, each)]
    if not others:
        return True
    are_rows = len({frozenset(object_of(each)) for each in inner}) == 1
    are_texts = all(
        isinstance(each, str) and normal_name(name) not in ALL_NAMES for name, each in others
    )
    return are_texts and not are_rows and 2 * len(others) <= len(pairs)


def _is_number(name: str, value: object) -> bool:
    """Whether a value is a number, or a text that is one and no title or other known value."""
    if isinstance(value, str):
        return find_score(value) is not None and normal_name(name) not in ALL_NAMES
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _as_number(value: object) -> object:
    """Return a number of JSON; of a text the number that it is, whole or with a point."""
    if not isinstance(value, str):
        return value
    return int(value) if _WHOLE.fullmatch(value) else find_score(value)


def numbers_question(value: Object, wishes: Wishes) -> Question:
    """Return whether the numbers are scores or grades: the question with its answer.

    Both ranx and pytrec_eval want whole numbers as grades and numbers with a point as
    scores. Where that does not settle it, it is for a person to say.
    """
    inner = [
        [number for each in object_of(its).values() if (number := _as_number(each)) is not None]
        for its in value.values()
    ]
    numbers = [number for each in inner for number in each]
    has_fractions = any(isinstance(number, float) for number in numbers)
    n_repeated = sum(len(each) - len(set(each)) for each in inner)
    n_values = len(set(numbers))
    answer = ""
    if wishes.kind is not None:
        answer = "grade" if wishes.kind is Kind.JUDGMENTS else "score"
    elif has_fractions and (n_values > 2 * _MANY or n_repeated == 0):
        answer = "score"
    elif not has_fractions and (n_repeated or max(map(len, inner)) < _MANY):
        answer = "grade"
    return wishes.answered(
        Question(
            "numbers",
            _("What are the numbers of the documents?"),
            {
                "score": _("Scores of a system: the file is a run"),
                "grade": _("Grades: the file holds judgments"),
            },
            answer,
        )
    )


def read_numbers_as_run(source: TextSource, reading: Reading) -> None:
    """Fill a reading with the run; results are ordered by score as TREC does."""
    rows = RunRows()
    for place, (query_id, document_id, number) in enumerate(
        _iter_numbers(json_value(source, reading), reading), 1
    ):
        score = find_score(number)
        if not query_id or not document_id or score is None:
            said = (
                _(
                    "document ‘{document_id}’ of query ‘{query_id}’ has an infinite score "
                    "(‘{number}’): a score must be a finite number"
                )
                if is_infinite(number)
                else _(
                    "document ‘{document_id}’ of query ‘{query_id}’ has no id or no score: "
                    "‘{number}’"
                )
            )
            reading.refuse(
                None,
                said.format(document_id=document_id, query_id=query_id, number=number[:60]),
            )
            continue
        rows.add(query_id, document_id, place, None, score)
    rows.hand_over(reading, is_ranked=False)


def read_numbers_as_judgments(source: TextSource, reading: Reading) -> None:
    """Fill a reading with the judgments."""
    judgments = CollectedJudgments(reading)
    for query_id, document_id, number in _iter_numbers(json_value(source, reading), reading):
        row = JudgmentRow(query_id, document_id, "", None)
        if query_id and document_id:
            judgments.add_graded(None, row, number)
        else:
            reading.refuse(None, _("a grade stands without the id of its query or document"))
    judgments.hand_over()


def _iter_numbers(value: object, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Yield query, document and number; what is null is refused."""
    for query_id, documents in object_of(value).items():
        if documents is None:
            said = _("query ‘{query}’ has null in place of its documents")
            reading.refuse(None, said.format(query=query_id))
        for document_id, number in object_of(documents).items():
            if number is None:
                said = _("document ‘{document}’ of query ‘{query}’ has null in place of a number")
                reading.refuse(None, said.format(document=document_id, query=query_id))
            else:
                yield query_id, document_id, text_of(number)


# What other programs export

_RRE_PARTS = ("topics", "query_groups", "queries")


def has_any(value: object, key: str, inner: str) -> bool:
    """Whether some object of the list under a key has an inner key."""
    return any(inner in each for each in objects_of(object_of(value).get(key)))


def is_rre(value: object) -> bool:
    """Whether this is a file of the Rated Ranking Evaluator."""
    values = object_of(value)
    inner = [each for part in _RRE_PARTS for each in objects_of(values.get(part))]
    return "relevant_documents" in values or any(
        "relevant_documents" in each or is_rre(each) for each in inner
    )


class WrittenJudgment(NamedTuple):
    """One judgment as such a file has it."""

    document_id: str
    grade: str
    assessor: str = ""
    state: str = ""
    note: str = ""


Rated = Iterable[tuple[Query, Iterable[WrittenJudgment]]]
"""Queries, each with what was judged of it; one that comes again may add to that."""


def _keep(rated: Rated, reading: Reading, *, has_ids: bool = False) -> None:
    """Give queries and judgments to a reading.

    Args:
        rated: what the file has.
        reading: gets them.
        has_ids: whether the format gives queries ids of their own.
    """
    queries, judgments = KeptQueries(reading), CollectedJudgments(reading)
    n_nameless = n_ungraded = 0
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
                n_ungraded += not state
    note_number(reading.notes, n_ungraded, "{n} row has no grade.", "{n} rows have no grade.")
    note_text_ids(n_nameless, reading)
    judgments.hand_over()


def read_rre(source: TextSource, reading: Reading) -> None:
    """Read ratings of the Rated Ranking Evaluator, in both of its forms.

    ``{document: {"gain": 3}}`` and ``{"3": [document, ...]}``, at a query or at its group.
    """
    found = _iter_rre_queries(object_of(json_value(source, reading)), {}, Query(""))
    _keep(((query, _iter_rre_judgments(documents)) for query, documents in found), reading)


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


def _iter_rre_judgments(documents: Object) -> Iterator[WrittenJudgment]:
    for key, said in documents.items():
        if isinstance(said, list):
            yield from (WrittenJudgment(text_of(document_id), key) for document_id in said)
        else:
            yield WrittenJudgment(key, text_in(object_of(said), "gain", "rating") or text_of(said))


def read_rank_eval_request(source: TextSource, reading: Reading) -> None:
    """Read the ratings of a ranking evaluation request (Elasticsearch, OpenSearch)."""
    requests = objects_of(object_of(json_value(source, reading)).get("requests"))
    _keep(_iter_requests(requests, reading), reading, has_ids=True)
    ratings = [each for request in requests for each in objects_of(request.get("ratings"))]
    indexes = {text_in(rating, "_index") for rating in ratings} - {""}
    if len(indexes) > 1:
        reading.notes.append(
            _(
                "The documents are in {indexes} indexes ({some}); the index is left out, "
                "and documents are told apart by their ids alone."
            ).format(indexes=local_count(len(indexes)), some=", ".join(sorted(indexes)[:5]))
        )


def _iter_requests(requests: Iterable[Object], reading: Reading) -> Rated:
    for request in requests:
        texts = set(_iter_query_texts(request.get("params") or request.get("request")))
        query = Query(text_in(request, "id"), texts.pop() if len(texts) == 1 else "")
        if query.id:
            yield query, _iter_ratings(request, "_id")
        else:
            reading.refuse(None, _("a request has no id"))


def _iter_ratings(values: Object, document: str) -> Iterator[WrittenJudgment]:
    for each in objects_of(values.get("ratings")):
        yield WrittenJudgment(text_in(each, document), text_in(each, "rating"))


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


def _iter_case_ratings(ratings: object) -> Iterator[WrittenJudgment]:
    for document_id, grade in object_of(ratings).items():
        yield WrittenJudgment(document_id, text_of(grade))
    for each in objects_of(ratings):
        # Of several people's ratings a case keeps the last one, and whose that is.
        yield WrittenJudgment(
            text_in(each, "doc_id"), text_in(each, "rating"), text_in(each, "user_email")
        )


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
                refuse_result(reading, query_id, rank, problem)
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
    ratings: dict[str, list[WrittenJudgment]] = {query_id: [] for query_id in queries if query_id}
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
            _book_judgment(document_id, each) for each in objects_of(pair.get("judgements"))
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
            n_open=local_count(n_open),
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


def _book_judgment(document_id: str, judgement: Object) -> WrittenJudgment:
    state = ""
    if judgement.get("unrateable") is True:
        state = str(State.CANNOT_JUDGE)
    elif judgement.get("judge_later") is True:
        state = str(State.SKIPPED)
    return WrittenJudgment(
        document_id,
        "" if state else text_in(judgement, "rating"),
        text_in(judgement, "user_email"),
        state,
        text_in(judgement, "explanation"),
    )
