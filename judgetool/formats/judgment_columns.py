"""Judgments in columns and tables, and runs that look like them.

In columns without a header: TREC's qrels, LETOR's lines, MS MARCO's three and four, ColBERT's four,
five of sampled judgments. In a table with a header: who gave which grade, and what was noted.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from judgetool.core.judgments import Document, Query, State
from judgetool.core.number_text import local_count, number_of, some_of
from judgetool.errors import ParseError
from judgetool.formats.judgments import (
    TRUE_WORDS,
    CollectedJudgments,
    DetailTaker,
)
from judgetool.formats.names import GRADES_OF_ASSESSOR
from judgetool.formats.output import without_guard
from judgetool.formats.records import (
    Record,
    find_grade,
    find_score,
    is_score,
    iter_records,
    iter_rows,
    note_number,
    why_no_grade,
)
from judgetool.formats.results import RunRows
from judgetool.formats.scan import RunLayout
from judgetool.formats.score_scan import RunLines
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.texts import KeptDocuments, KeptQueries, take_query
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes
from judgetool.wording import N_, _

# TREC’s qrels

_N_COLUMNS = 4
_COLUMN_TWO = {
    "iteration": N_("Nothing of importance, such as TREC’s iteration: left out"),
    "assessor": N_("Who judged: each value is an assessor"),
    "subtopic": N_("A subtopic: of each document the highest grade counts"),
    "subtopic-queries": N_("A subtopic: each becomes a query of its own, such as 253-1"),
}


def read_qrels(source: TextSource, reading: Reading) -> None:
    """Read qrels; grades may have decimals or be negative, and are kept as they are.

    Args:
        source: the file.
        reading: gets the judgments, the refusals and the notes.
    """
    judgments = CollectedJudgments(reading)
    rows = [
        _Row(line, columns[0], columns[1], row.document_id, grade)
        for line, columns, row, grade in iter_graded(source, judgments, is_qrels_row)
    ]
    for row in _without_column_two(rows, reading):
        judgments.add(row.line, JudgmentRow(row.query_id, row.document_id, row.second, row.grade))
    judgments.hand_over()


def iter_graded(
    source: TextSource,
    judgments: CollectedJudgments,
    is_row: Callable[[Sequence[str]], bool],
    places: tuple[int, ...] = (0, 2, 3),
    n_columns: int = _N_COLUMNS,
) -> Iterator[tuple[int, list[str], JudgmentRow, float]]:
    """Yield the judgments that stand in columns; lines that do not fit are refused.

    Args:
        source: the file.
        judgments: knows which words are grades; none is added to them.
        is_row: whether a line's columns are a judgment, with which no comment begins.
        places: columns of query, document and grade.
        n_columns: how many each line has.

    Yields:
        Number of the line, its columns, the judgment, its grade.
    """
    reading = judgments.reading
    for block in source.blocks(reading.refuse):
        for line, columns in iter_rows(block, is_row, reading.refuse):
            if len(columns) != n_columns:
                reading.refuse(
                    line,
                    _("expected {least} columns, found {columns}").format(
                        least=n_columns, columns=len(columns)
                    ),
                )
                continue
            query_id, document_id, text = (columns[place] for place in places)
            grade = judgments.grade_of(text)
            row = JudgmentRow(query_id, document_id, "", grade)
            if grade is None:
                judgments.refuse_grade(line, row, text)
            else:
                yield line, columns, row, grade


def is_qrels_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full judgment."""
    return len(columns) == _N_COLUMNS and find_grade(columns[3]) is not None


class _Row(NamedTuple):
    """One line."""

    line: int
    query_id: str
    second: str
    document_id: str
    grade: float


def _without_column_two(rows: list[_Row], reading: Reading) -> list[_Row]:
    """Return the rows with column two understood: empty, or an assessor's name."""
    values = {row.second for row in rows}
    without = [row._replace(second="") for row in rows]
    if len(values) < 2:
        return without
    told = {"values": local_count(len(values)), "some": ", ".join(sorted(values)[:5])}
    question = _("Column two holds {values} different values ({some}): what are they?")
    usual = "" if _has_contradictions(rows) else "iteration"
    answer = reading.ask(Question("column_two", question.format(**told), _COLUMN_TWO, usual))
    if not answer:
        reading.notes.append(
            _(
                "The same document has several grades that differ in column two. Whether that "
                "column holds assessors or subtopics has to be said first; until then nothing "
                "is used."
            )
        )
        return []
    if answer == "assessor":
        return rows
    if answer == "subtopic-queries":
        # TREC writes a subtopic of a topic so.
        return [row._replace(query_id=f"{row.query_id}-{row.second}", second="") for row in rows]
    if answer == "subtopic":
        return _highest_grades(rows, reading)
    note = _("Column two holds {values} different values ({some}), which are left out.")
    reading.notes.append(note.format(**told))
    return without


def _has_contradictions(rows: list[_Row]) -> bool:
    """Whether a document has grades that differ, and so does column two."""
    first: dict[tuple[str, str], _Row] = {}
    for row in rows:
        other = first.setdefault((row.query_id, row.document_id), row)
        if other.grade != row.grade and other.second != row.second:
            return True
    return False


def _highest_grades(rows: list[_Row], reading: Reading) -> list[_Row]:
    """Return one row for each document of a query: the first with its highest grade."""
    best: dict[tuple[str, str], _Row] = {}
    reading.subtopics = [(row.query_id, row.document_id, row.second, row.grade) for row in rows]
    for row in rows:
        key = (row.query_id, row.document_id)
        if key not in best or best[key].grade < row.grade:
            best[key] = row
    reading.notes.append(
        number_of(
            len(rows),
            "{n} line for subtopics gave {judgments}: of each document the highest grade.",
            "{n} lines for subtopics gave {judgments}: of each document the highest grade.",
            judgments=number_of(len(best), "{n} judgment", "{n} judgments"),
        )
    )
    return [row._replace(second="") for row in best.values()]


# A table with a header

COLUMNS = (
    *("query", "document", "assessor", "grade", "state", "note"),
    *("at", "flagged", "spent_ms", "confidence", "rationale"),
)
"""The columns of judgments in full, as judgetool writes them."""
KIND_COLUMN = "assessor_kind"
"""The last one where some assessor is no person."""

_MOST_LINES = 5
_STATES = {
    **{str(state): str(state) for state in State},
    "unrateable": str(State.CANNOT_JUDGE),
    "cannot judge": str(State.CANNOT_JUDGE),
}


def read_judgments(source: TextSource, reading: Reading) -> None:
    """Read judgments from a table with a header or JSON lines.

    Args:
        source: the file.
        reading: gets the judgments, the queries' texts if there are any, refusals, notes.
    """
    judgments = CollectedJudgments(reading)
    queries = KeptQueries(reading)
    details = DetailTaker(reading)
    left_out: dict[str, str] = {}
    bare, ungraded = list[str](), list[int | None]()
    for record in iter_records(source, reading):
        query = take_query(record)
        found = _take_row(record, query.id, judgments, reading)
        if GRADES_OF_ASSESSOR not in reading.wishes.column_roles.values():
            said = details.take(record)
            found = [row._replace(details=said) for row in found] if found else found
        if found is None:
            continue
        if found[0].document_id:
            # Of other rows nothing more was taken.
            left_out.update(record.values)
        is_bare = not found[0].document_id
        if (query.text or is_bare) and not queries.add(record.line, query):
            continue
        if is_bare:
            bare.append(query.id)
        for row in found:
            if row.document_id:
                judgments.add(record.line, row)
                ungraded += [record.line] if row.grade is None else []
    queries.drop_ids({*bare})
    judgments.hand_over()
    details.note()
    _note_columns(left_out, reading)
    note_number(
        reading.notes,
        len(bare),
        "{n} row without document and grade: the query alone was kept.",
        "{n} rows without document and grade: the query alone was kept.",
    )
    _note_ungraded(ungraded, reading)


def _note_ungraded(lines: list[int | None], reading: Reading) -> None:
    """Say how many rows have no grade, and where the first of them stand."""
    shown = [local_count(line) for line in lines if line is not None][:_MOST_LINES]
    if not shown:
        note_number(reading.notes, len(lines), "{n} row has no grade.", "{n} rows have no grade.")
        return
    note_number(
        reading.notes,
        len(lines),
        "{n} row has no grade: line {lines}.",
        "{n} rows have no grade: lines {lines}.",
        lines=some_of(shown, len(lines)),
    )


def _take_row(
    record: Record, query_id: str, judgments: CollectedJudgments, reading: Reading
) -> list[JudgmentRow] | None:
    """Take the judgments out of a row: one, or one for each assessor who has a column.

    Returns:
        At least one, without a document where the row names a query alone; ``None``
        if the row was refused.
    """
    document_id = record.take("document_id")
    by_assessor = _take_wide_grades(record, reading)
    grade_text = record.take("grade").strip()
    if query_id and not document_id and not grade_text and not any(by_assessor.values()):
        return [JudgmentRow(query_id, "", "", None)]
    if not query_id or not document_id:
        said = _("the row names no document") if query_id else _("the row names no query")
        reading.refuse(record.line, said)
        return None
    if by_assessor:
        texts = {name: text for name, text in by_assessor.items() if text}
        rows = [
            JudgmentRow(query_id, document_id, name, judgments.grade_of(text))
            for name, text in texts.items()
        ]
        for row in rows:
            if row.grade is None:
                text = texts[row.assessor]
                judgments.refuse_grade(record.line, row, text, column=row.assessor)
        graded = [row for row in rows if row.grade is not None]
        return graded or ([JudgmentRow(query_id, document_id, "", None)] if not rows else None)
    row = JudgmentRow(query_id, document_id, record.take("assessor"), None)
    note = record.take("note")
    if _is_own_table(reading):
        note = without_guard(note)
    return _take_long_row(record, row._replace(note=note), grade_text, judgments)


def _is_own_table(reading: Reading) -> bool:
    """Whether the file is a CSV with just the columns that judgetool itself writes."""
    headers = tuple(use.header for use in reading.columns)
    return reading.delimiter == "," and headers in (COLUMNS, (*COLUMNS, KIND_COLUMN))


def _take_wide_grades(record: Record, reading: Reading) -> dict[str, str]:
    roles = reading.wishes.column_roles
    return {
        name: record.values.pop(name, "").strip()
        for name, role in roles.items()
        if role == GRADES_OF_ASSESSOR
    }


def _take_long_row(
    record: Record, row: JudgmentRow, grade_text: str, judgments: CollectedJudgments
) -> list[JudgmentRow] | None:
    """Complete a judgment that stands alone in its row by its grade and state."""
    grade = judgments.grade_of(grade_text)
    state_text = record.take("state")
    state = _STATES.get(state_text.strip().lower(), "")
    for role, meaning in (
        ("unrateable", State.CANNOT_JUDGE),
        ("judge_later", State.SKIPPED),
    ):
        if record.take(role).strip().lower() in TRUE_WORDS and not state:
            state_text, state = role, str(meaning)
    reason = None
    if judgments.are_of_model and grade is None and not state:
        judgments.refuse_grade(record.line, row, grade_text)
        return None
    if grade_text and grade is None:
        reason = why_no_grade(grade_text)
    elif state_text and not state:
        reason = _("the state ‘{state}’ is none of {states}").format(
            state=state_text[:60], states=", ".join(sorted(_STATES))
        )
    elif state and (state == State.JUDGED) != (grade is not None):
        said = (
            _("the state ‘{state}’ does not go with a grade")
            if grade is not None
            else _("the state ‘{state}’ does not go with no grade")
        )
        reason = said.format(state=state_text)
    if reason:
        judgments.reading.refuse(record.line, reason)
        return None
    return [row._replace(grade=grade, state=state)]


def _note_columns(left_out: Iterable[str], reading: Reading) -> None:
    columns = list(left_out)
    if columns:
        note_number(
            reading.notes,
            len(columns),
            "{n} column is left out: {columns}.",
            "{n} columns are left out: {columns}.",
            columns=", ".join(columns),
        )


# LETOR

LETOR_LINE = re.compile(
    r"\s*(?P<grade>\S+)\s+qid:(?P<query>\S+)(?P<rest>[^#]*)(?:#(?P<comment>.*))?"
)
_FEATURE = re.compile(r"[0-9]+:\S+")
# RankLib's list of queries at the top: "# qid:1: rambo*1".
_HEADER = re.compile(r"#\s*qid:(?P<query>[^\s:]+):(?P<text>.*)")
_WEIGHT = re.compile(r"[0-9.]+")
# LETOR 3 and 4: "#docid = GX000-00 inc = 1 prob = 0.08".
_DOCID = re.compile(r"\s*docid\s*=\s*(?P<document>\S+)(?P<text>.*)")
_PLAIN = re.compile(r"\s*(?P<document>\S+)\s*(?P<text>.*)")


class _LetorRow(NamedTuple):
    """One line; the comment in two parts."""

    line: int
    query_id: str
    document_id: str
    grade: str
    text: str
    has_features: bool


def read_letor(source: TextSource, reading: Reading) -> None:
    """Read grades; the comment of each line names the document, features are left out.

    Args:
        source: the file.
        reading: gets the judgments, what texts there are, the refusals and the notes.

    Raises:
        ParseError: no line names a document.
    """
    headers: dict[str, str] = {}
    rows: list[_LetorRow] = []
    n_nameless = n_featured = 0
    for line, text in source.lines(reading.refuse):
        if not text.strip():
            continue
        header = _HEADER.fullmatch(text)
        if header:
            headers[header["query"]] = _without_weight(header["text"])
        if text.startswith("#"):
            continue
        row = _read_line(line, text)
        if isinstance(row, str):
            reading.refuse(line, row)
            continue
        n_featured += row.has_features
        if row.document_id:
            rows.append(row)
        else:
            n_nameless += 1
            reading.refuse(
                line, _("no document is named: expected a comment such as ‘# d1’ at the end")
            )
    if n_nameless and not rows:
        raise ParseError(
            _(
                "this looks like SVMlight, but no line names its document. Expected a comment "
                "such as ‘# d1’ at the end of each line: features alone do not tell which "
                "document was judged. Nothing was kept."
            ),
            source=source.name,
        )
    _keep(rows, headers, reading)
    note_number(
        reading.notes,
        n_featured,
        "The features of {n} line are left out.",
        "The features of {n} lines are left out.",
    )


def _without_weight(text: str) -> str:
    words, star, weight = text.strip().rpartition("*")
    return words if star and _WEIGHT.fullmatch(weight) else text.strip()


def _read_line(line: int, text: str) -> _LetorRow | str:
    """Return the row, or why there is none."""
    found = LETOR_LINE.fullmatch(text)
    if found is None:
        return _("expected a grade, qid:query, features, and # with the document")
    features = found["rest"].split()
    if not all(_FEATURE.fullmatch(feature) for feature in features):
        return _("what stands between qid and # is no list of features such as 1:0.5")
    comment = found["comment"] or ""
    named = _DOCID.fullmatch(comment) or _PLAIN.fullmatch(comment)
    document_id = named["document"] if named else ""
    rest = named["text"].strip() if named and named.re is _PLAIN else ""
    return _LetorRow(line, found["query"], document_id, found["grade"], rest, bool(features))


def _keep(rows: list[_LetorRow], headers: dict[str, str], reading: Reading) -> None:
    """Keep judgments, and the texts as the queries' or the documents'."""
    judgments, queries, documents = (
        CollectedJudgments(reading),
        KeptQueries(reading),
        KeptDocuments(),
    )
    texts: dict[str, set[str]] = {}
    for row in rows:
        texts.setdefault(row.query_id, set()).add(row.text)
    # Where the text is the same on all lines of a query, it is the query's own.
    are_queries = any(texts) and all(len(its) == 1 for its in texts.values())
    for query_id, its in texts.items():
        text = headers.get(query_id, "") or (next(iter(its)) if are_queries else "")
        if text:
            queries.add(None, Query(query_id, text))
    for row in rows:
        judgments.add_graded(
            row.line, JudgmentRow(row.query_id, row.document_id, "", None), row.grade
        )
        if row.text and not are_queries:
            documents.add(Document(row.document_id, row.text))
    documents.hand_over(reading)
    judgments.hand_over()


# Three, four and five columns

_N_SAMPLED = 5
_METHOD = re.compile(r"[0-9]")
_ITERATION = re.compile(r"[0-9]+")
_STRATUM = re.compile(r"[0-9]{1,3}")
_WHOLE_GRADE = re.compile(r"-?[0-9]{1,2}")
# Prels: documents that were taken for other reasons than chance count as certain to be taken.
_NOT_BY_CHANCE = ("0", "2")
_MOST_GRADES = 20
_FEW_RESULTS = 3


def is_short_row(columns: Sequence[str]) -> bool:
    """Whether a line has three columns of which the last is a number."""
    return len(columns) == 3 and is_score(columns[2])


def third_question(rows: Sequence[Sequence[str]], wishes: Wishes) -> Question:
    """Return what the third column is: the question with its answer, if the content tells.

    Args:
        rows: the first rows, three columns each.
        wishes: what the person said of the file.
    """
    groups = _by_query(rows)
    meaning = _meaning(groups)
    if wishes.kind is Kind.JUDGMENTS:
        meaning = "grade"
    elif wishes.kind is not None and meaning in {"grade", ""}:
        # Numbers that rise may be ranks with holes, or distances: as scores they turn the order round.
        meaning = "rank" if _are_places(groups) else "" if _all_rise(groups) else "score"
    return wishes.answered(
        Question(
            "third_column",
            _("The file has three columns: query, document, and a number. What is the number?"),
            {
                "rank": _("The rank of the document: the file is a run"),
                "score": _("The score of the document: the file is a run"),
                "grade": _("The grade of the document: the file holds judgments"),
            },
            meaning,
        )
    )


def _by_query(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the third columns, those of a query together."""
    its_rows = sorted(rows, key=lambda row: row[0])
    return [[row[2] for row in group] for _, group in groupby(its_rows, key=lambda row: row[0])]


def _are_places(groups: list[list[str]]) -> bool:
    """Whether each query's numbers count up, from 0 or 1."""
    return all(
        texts in ([str(place) for place in range(first, first + len(texts))] for first in (0, 1))
        for texts in groups[:-1] or groups
    )


def _all_rise(groups: list[list[str]]) -> bool:
    """Whether no query's numbers fall anywhere, and some rise."""
    numbers = [[float(text) for text in texts] for texts in groups]
    steps = [second - first for each in numbers for first, second in pairwise(each)]
    return any(step > 0 for step in steps) and not any(step < 0 for step in steps)


def _meaning(groups: list[list[str]]) -> str:
    """Return what the numbers can only be; ``""`` where several things are possible."""
    longest = max(map(len, groups), default=0)
    if _are_places(groups):
        return "rank" if longest >= _FEW_RESULTS else ""
    numbers = [[float(text) for text in texts] for texts in groups]
    has_fractions = any(not number.is_integer() for each in numbers for number in each)
    falls = all(first >= second for each in numbers for first, second in pairwise(each))
    if has_fractions:
        return "score" if falls and longest >= _FEW_RESULTS else ""
    values = {number for each in numbers for number in each}
    has_repeats = any(len(set(each)) < len(each) for each in numbers)
    return "grade" if has_repeats and len(values) <= _MOST_GRADES else ""


def read_three_columns(source: TextSource, reading: Reading) -> None:
    """Read query, document, and a rank, score or grade, without a header.

    Args:
        source: the file.
        reading: gets the run or the judgments, the refusals and the notes; its
            question ``third_column`` says what the number is.
    """
    meaning = reading.answer_to("third_column")
    if meaning == "grade":
        _read_grades(source, reading, is_short_row)
        reading.notes.append(_("The third column is taken for the grade."))
        return
    what = meaning or "score"
    lines = RunLines(reading, RunLayout(3, 3, 1, ((what, 2),)), is_short_row)
    lines.add_all(source)
    if not meaning:
        reading.notes.append(
            _("What the third column holds has to be said first; until then nothing is used.")
        )
        return
    lines.rows.hand_over(reading, is_ranked=meaning == "rank")
    taken = {
        "rank": _("The third column is taken for the rank."),
        "score": _("The third column is taken for the score."),
    }
    reading.notes.append(taken[meaning])


_RANK = re.compile(r"[0-9]{1,6}")
_FRACTION = re.compile(r"-?[0-9]+\.[0-9]+([eE][-+]?[0-9]+)?")
_RANKED = RunLayout(4, 4, 1, (("rank", 2), ("score", 3)))


def is_ranked_row(columns: Sequence[str]) -> bool:
    """Whether a line is ``query document rank score``; qrels have an iteration in column two.

    Examples:
        >>> is_ranked_row("q1 d7 1 24.5".split()), is_ranked_row("q1 0 7 0.5".split())
        (True, False)
    """
    return (
        len(columns) == _RANKED.n_columns
        and _RANK.fullmatch(columns[2]) is not None
        and _FRACTION.fullmatch(columns[3]) is not None
        and columns[1] not in {"0", "1", "Q0"}
    )


def fourth_question(rows: Sequence[Sequence[str]], wishes: Wishes) -> Question:
    """Return what the fourth column is: scores, where the third one counts each query's ranks.

    Args:
        rows: the first rows, four columns each.
        wishes: what the person said of the file.
    """
    meaning = "score" if _are_places(_by_query(rows)) else "grade"
    if wishes.kind is not None:
        meaning = "grade" if wishes.kind is Kind.JUDGMENTS else "score"
    return wishes.answered(
        Question(
            "fourth_column",
            _(
                "The file has four columns, of which the third and the fourth are numbers. "
                "What are they?"
            ),
            {
                "score": _("Rank and score of the document: the file is a run"),
                "grade": _("The document’s number and its grade: the file holds judgments"),
            },
            meaning,
        )
    )


def read_four_columns(source: TextSource, reading: Reading) -> None:
    """Read query, document, rank and score, without a header: the run stands by its ranks.

    Args:
        source: the file.
        reading: gets the run, the refusals and the notes.
    """
    lines = RunLines(reading, _RANKED, is_ranked_row)
    lines.add_all(source)
    lines.rows.hand_over(reading, is_ranked=True)


def _read_grades(
    source: TextSource,
    reading: Reading,
    is_row: Callable[[Sequence[str]], bool],
    places: tuple[int, ...] = (0, 1, 2),
    sample: Callable[[Sequence[str]], tuple[str, float] | str | None] | None = None,
) -> None:
    """Read judgments from a number of columns.

    Args:
        source: the file.
        reading: gets the judgments, what is said of their sample, and the refusals.
        is_row: whether a line's columns are a judgment.
        places: columns of query, document and grade.
        sample: what a line says of how its document was sampled; of other lines ``None``,
            and of lines that are refused why.
    """
    judgments = CollectedJudgments(reading)
    n_columns = 3 if sample is None else _N_SAMPLED
    for line, columns, row, _grade in iter_graded(source, judgments, is_row, places, n_columns):
        found = sample(columns) if sample else None
        if isinstance(found, str):
            reading.refuse(line, found)
            continue
        judgments.add(line, row)
        grade = find_grade(columns[places[-1]])
        if found is not None and grade is not None:
            reading.samples.append((row.query_id, row.document_id, *found))
            if grade >= 0:
                reading.samples.append((row.query_id, row.document_id, "grade", grade))
    judgments.hand_over()


_SAMPLED_NOTE = N_(
    "Two columns say how documents were sampled: measures that estimate (xinfAP, "
    "statAP) read them from the file, all others leave them out."
)


def is_prels_row(columns: Sequence[str]) -> bool:
    """Whether a line is ``query document grade method probability``."""
    if len(columns) != _N_SAMPLED or _METHOD.fullmatch(columns[3]) is None:
        return False
    probability = find_score(columns[4])
    is_probability = probability is not None and 0 <= probability <= 1
    return is_probability and find_grade(columns[2]) is not None


def read_prels(source: TextSource, reading: Reading) -> None:
    """Read the Million Query Track's prels.

    Args:
        source: the file.
        reading: gets the judgments, how probably each was sampled, the refusals and the notes.
    """

    def sample(columns: Sequence[str]) -> tuple[str, float] | None:
        probability = 1.0 if columns[3] in _NOT_BY_CHANCE else find_score(columns[4]) or 0.0
        return ("probability", probability) if 0 < probability <= 1 else None

    _read_grades(source, reading, is_prels_row, sample=sample)
    reading.notes.append(_(_SAMPLED_NOTE))


def is_sampled_row(columns: Sequence[str]) -> bool:
    """Whether a line is ``query iteration document stratum grade``."""
    return len(columns) == _N_SAMPLED and all(
        # Grades are whole, and no "Q0" stands in column two: what has these is a run without a tag.
        form.fullmatch(columns[place])
        for form, place in ((_ITERATION, 1), (_STRATUM, 3), (_WHOLE_GRADE, 4))
    )


def read_sampled(source: TextSource, reading: Reading) -> None:
    """Read qrels with strata, such as those of TRECVID and of clinical decision support.

    Args:
        source: the file.
        reading: gets the judgments, the stratum of each, the refusals and the notes.
    """

    def sample(columns: Sequence[str]) -> tuple[str, float] | str:
        text = columns[3]
        if _STRATUM.fullmatch(text) is None:
            return _("expected a whole number for the stratum, found ‘{text}’").format(
                text=text[:40]
            )
        return "stratum", float(text)

    _read_grades(source, reading, is_sampled_row, (0, 2, 4), sample)
    reading.notes.append(_(_SAMPLED_NOTE))


def is_candidate_row(cells: Sequence[str]) -> bool:
    """Whether a line's cells are ``query id, document id, query text, document text``."""
    return (
        len(cells) == 4
        and all(cells)
        and not any(" " in cell for cell in cells[:2])
        and (" " in cells[3] or " " in cells[2])
    )


def read_candidates(source: TextSource, reading: Reading) -> None:
    """Read MS MARCO's top1000: ids and texts of queries and passages, in no order.

    Args:
        source: the file.
        reading: gets queries, documents, one run, refusals and notes.
    """
    queries, documents, rows = KeptQueries(reading), KeptDocuments(), RunRows()
    for number, line in source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        cells = line.split("\t")
        if not line.strip(" \t"):
            continue
        if len(cells) != 4 or not cells[1]:
            reading.refuse(
                number,
                _(
                    "expected query id, document id, query text and document text; found {cells} "
                    "tabs"
                ).format(cells=len(cells) - 1),
            )
        elif queries.add(number, Query(cells[0], cells[2])):
            documents.add(Document(cells[1], body=cells[3]))
            rows.add(cells[0], cells[1], number, math.nan, math.nan)
    documents.hand_over(reading)
    rows.hand_over(reading, is_ranked=True)
    reading.notes.append(
        _("The file gives no ranks and no scores: results stand as the file has them.")
    )


def take_lengths(source: TextSource) -> dict[str, float]:
    """Read how long documents are: two columns without a header, document and number.

    Raises:
        ParseError: a line does not fit, or a document has two lengths.
    """

    def refuse(line: int | None, reason: str) -> None:
        raise ParseError(
            _("{reason}. Nothing of the file was used.").format(reason=reason),
            source=source.name,
            line=line,
        )

    lengths: dict[str, float] = {}
    for line, text in source.lines(refuse):
        columns = text.split()
        number = find_score(columns[1]) if len(columns) == 2 else None
        if columns and (number is None or not 0 <= number < math.inf):
            refuse(line, _("expected a document and its length, such as ‘d1 250’"))
        elif number is not None and lengths.setdefault(columns[0], number) != number:
            refuse(
                line,
                _("document ‘{columns}’ has another length before").format(columns=columns[0]),
            )
    return lengths
