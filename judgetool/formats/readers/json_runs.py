"""Runs and judgments as one JSON object ``{query: {document: number}}``.

So ranx, pytrec_eval and BEIR keep them; a number is a score or a grade.
"""

from collections.abc import Iterator

from judgetool.formats.columns import find_score
from judgetool.formats.judgment_rows import CollectedJudgments
from judgetool.formats.readers.json_values import Object, object_of, run_name
from judgetool.formats.records import text_of
from judgetool.formats.results_table import RunRows
from judgetool.formats.run_order import build_run
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes

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


def numbers_question(value: Object, kind: Kind | None, wishes: Wishes) -> Question:
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
    if kind is not None:
        answer = "grade" if kind is Kind.JUDGMENTS else "score"
    elif has_fractions and (n_values > 2 * _MANY or n_repeated == 0):
        answer = "score"
    elif not has_fractions and (n_repeated or max(map(len, inner)) < _MANY):
        answer = "grade"
    return wishes.answered(
        Question(
            "numbers",
            "What are the numbers of the documents?",
            {
                "score": "Scores of a system: the file is a run",
                "grade": "Grades: the file holds judgments",
            },
            answer,
        )
    )


def read_numbers_as_run(value: object, reading: Reading, name: str) -> None:
    """Fill a reading with the run; results are ordered by score as TREC does."""
    rows = RunRows()
    for place, (query_id, document_id, number) in enumerate(_iter_numbers(value), 1):
        score = find_score(number)
        if not query_id or not document_id or score is None:
            reading.refuse(
                None,
                f"document '{document_id}' of query '{query_id}' has no id or no score: '{number}'",
            )
            continue
        rows.add(query_id, document_id, place, None, score)
    results = rows.results(reading)
    reading.runs.append(
        build_run(results, reading, name=run_name(name, reading.source), is_ranked=False)
    )


def read_numbers_as_judgments(value: object, reading: Reading, name: str) -> None:  # noqa: ARG001 - all of these are called alike
    """Fill a reading with the judgments."""
    judgments = CollectedJudgments(reading)
    for query_id, document_id, number in _iter_numbers(value):
        row = JudgmentRow(query_id, document_id, "", None)
        if query_id and document_id:
            judgments.add_graded(None, row, number)
        else:
            reading.refuse(None, "a grade stands without the id of its query or document")
    judgments.hand_over()


def _iter_numbers(value: object) -> Iterator[tuple[str, str, str]]:
    for query_id, documents in object_of(value).items():
        for document_id, number in object_of(documents).items():
            yield query_id, document_id, text_of(number)
