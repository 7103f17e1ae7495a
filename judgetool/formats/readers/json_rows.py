"""JSON that holds rows of a table in another shape: by id, as plain texts or lists, by annotations.

Rows keep what the file says under its own names; what a tool keeps in a shape of its own
(who annotated, which label, when) is put under names that tables of judgments have.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from judgetool.core.judgments import State
from judgetool.formats.names import ALL_NAMES, GRADE, NOTE, normal_name
from judgetool.formats.readers.json_values import Object, object_of, objects_of
from judgetool.formats.records import text_of
from judgetool.formats.values import Kind, Question, Wishes

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


def find_rows(value: object, kind: Kind | None, wishes: Wishes) -> Rows | None:
    """Return the rows that a JSON value holds in one of these shapes; ``None`` if in none.

    Args:
        value: what fills the file, or a list of the objects on its lines.
        kind: what a person said that the file is about.
        wishes: what else the person said.
    """
    if isinstance(value, list):
        return _annotated(value)
    values = object_of(value)
    keys = {normal_name(key) for key in values}
    if len(keys & ALL_NAMES) > 1 and not _are_objects(values):
        return Rows([values], "The file is one JSON object: one row.")
    # A few values under known names are one row of which little is said.
    is_row = bool(keys & ALL_NAMES) and len(values) < _FEW
    found = None
    if values and not is_row and all(isinstance(each, str) for each in values.values()):
        found = _texts_by_id(values, kind, wishes)
    elif values and not is_row and all(_is_id_list(each) for each in values.values()):
        found = _ids_by_query(values, kind, wishes)
    elif values and _are_objects(values):
        rows: list[Object] = [{"id": key, **object_of(each)} for key, each in values.items()]
        found = Rows(rows, "The file is one JSON object: its keys are taken for ids.")
    return found


def _are_objects(values: Object) -> bool:
    """Whether each value is an object with names that some table has, among them a text."""
    inner = [object_of(each) for each in values.values()]
    return all(
        any(isinstance(each.get(key), str) for key in each if normal_name(key) in ALL_NAMES)
        for each in inner
    )


def _is_id_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, (str, int)) for each in value)


def _texts_by_id(values: Object, kind: Kind | None, wishes: Wishes) -> Rows | None:
    if kind not in {None, Kind.QUERIES, Kind.DOCUMENTS}:
        return None
    length = sum(len(text_of(each)) for each in values.values()) / len(values)
    usual = "documents" if length > _LONG_TEXT else "queries"
    question = wishes.answered(
        Question(
            "id_and_text",
            "The file gives a text for each id. What are they?",
            {"queries": "Queries", "documents": "Documents"},
            str(kind) if kind is not None else usual,
        )
    )
    is_document = (str(kind) if kind is not None else question.answer) == "documents"
    names = ("doc_id", "body") if is_document else ("query_id", "query")
    rows: list[Object] = [dict(zip(names, pair, strict=True)) for pair in values.items()]
    return Rows(
        rows,
        "The file is one JSON object: an id and a text each.",
        None if kind is not None else question,
    )


def _ids_by_query(values: Object, kind: Kind | None, wishes: Wishes) -> Rows | None:
    if kind in {Kind.QUERIES, Kind.DOCUMENTS}:
        return None
    question = wishes.answered(
        Question(
            "lists",
            "The file gives a list of documents for each query. What are they?",
            {
                "ranking": "Results of a system, best first: the file is a run",
                "relevant": "Relevant documents: the file holds judgments of grade 1",
            },
            "" if kind is None else "relevant" if kind is Kind.JUDGMENTS else "ranking",
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
    return Rows(rows, "The file gives a list of documents for each query.", question)


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
    return Rows(rows, f"The file is an export of {tool}: each annotation is a row.")


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
