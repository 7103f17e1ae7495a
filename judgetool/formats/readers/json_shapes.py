"""What a JSON value holds, by its shape."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from judgetool.core.judgments import State
from judgetool.formats.columns import find_score, is_infinite
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.names import ALL_NAMES, GRADE, NOTE, normal_name
from judgetool.formats.readers.search_responses import Object, json_value, object_of, objects_of
from judgetool.formats.records import text_of
from judgetool.formats.results import RunRows
from judgetool.formats.source import TextSource
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes
from judgetool.wording import _

_LONG_TEXT = 200
_FEW = 3
_ANSWERS = frozenset({"accept", "reject", "ignore"})
_PRODIGY_MARKS = ("_task_hash", "_input_hash", "_session_id", "_annotator_id", "accept")


class Rows(NamedTuple):
    """Rows found in a JSON value.

    Attributes:
        rows: values by name.
        note: what they were found as.
        question: what has to be said first, or was; ``None`` where nothing is open.
    """

    rows: list[Object]
    note: str
    question: Question | None = None


def find_rows(value: object, wishes: Wishes) -> Rows | None:
    """Return the rows that a JSON value holds in one of these shapes; ``None`` if in none.

    Args:
        value: what fills the file, or a list of the objects on its lines.
        wishes: what a person said of the file.
    """
    if isinstance(value, list):
        return _annotated(value)
    values = object_of(value)
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
    rows = objects_of(values.get(name))
    has_more = any(isinstance(values[key], (list, Mapping)) for key in values if key != name)
    if not rows or rows != values[name] or has_more:
        return None
    # Galago numbers its queries; elsewhere a number is no id.
    rows = [_with_id(row) if name == "queries" else row for row in rows]
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
    items = objects_of(value)
    found = _flattener(items[0]) if items else None
    if found is None or len(items) != len(value):
        return None
    tool, flatten = found
    rows = [row for item in items for row in flatten(item)]
    return Rows(
        rows, _("The file is an export of {tool}: each annotation is a row.").format(tool=tool)
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
                row.setdefault("note", _first(said["text"]))
            else:
                found = (said.get(name) for name in ("choices", "rating", "number", "taxonomy"))
                row.setdefault("grade", next((_first(each) for each in found if each), ""))
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
        yield {**base, "assessor": user, "grade": _first(answers.get(grade)), "note": note}
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
        row["grade"] = _first(item["accept"])
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
    grade = _first(item.get("label", item.get("labels")))
    yield {**row, "grade": grade, "note": "; ".join(said)}


def _plain(values: Object) -> dict[str, object]:
    """Return what is no object or list."""
    return {key: each for key, each in values.items() if not isinstance(each, (dict, list))}


def _first(value: object) -> str:
    return text_of(value[0]) if isinstance(value, list) and value else _scalar(value)


def _scalar(value: object) -> str:
    return "" if isinstance(value, (list, Mapping)) else text_of(value)


def _moment(value: object) -> str:
    """Return seconds since 1970 as a time in words, ``""`` where there are none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return ""
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


_MANY = 5


def is_nested_numbers(value: object) -> bool:
    """Whether this is ``{query: {document: number}}`` with at least one number."""
    values = object_of(value)
    inner = [object_of(each) for each in values.values()]
    numbers = [number for each in inner for number in each.values()]
    return (
        bool(numbers)
        and all(isinstance(each, dict) for each in values.values())
        and all(
            isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers
        )
    )


def numbers_question(value: Object, wishes: Wishes) -> Question:
    """Return whether the numbers are scores or grades: the question with its answer.

    Both ranx and pytrec_eval want whole numbers as grades and numbers with a point as
    scores. Where that does not settle it, it is for a person to say.
    """
    inner = [list(object_of(each).values()) for each in value.values()]
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
        _iter_numbers(json_value(source, reading)), 1
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
    for query_id, document_id, number in _iter_numbers(json_value(source, reading)):
        row = JudgmentRow(query_id, document_id, "", None)
        if query_id and document_id:
            judgments.add_graded(None, row, number)
        else:
            reading.refuse(None, _("a grade stands without the id of its query or document"))
    judgments.hand_over()


def _iter_numbers(value: object) -> Iterator[tuple[str, str, str]]:
    for query_id, documents in object_of(value).items():
        for document_id, number in object_of(documents).items():
            yield query_id, document_id, text_of(number)
