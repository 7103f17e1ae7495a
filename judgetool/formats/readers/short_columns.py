"""Columns other than TREC's six and four: MS MARCO's three and four, ColBERT's four, five of sampled judgments."""

import math
import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from judgetool.core.judgments import Document, Query
from judgetool.errors import ParseError
from judgetool.formats.columns import find_grade, find_score, is_score, note_number
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.judgments_table import iter_graded
from judgetool.formats.results import RunRows
from judgetool.formats.scan import RunLayout
from judgetool.formats.score_scan import RunLines
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.texts import KeptDocuments, KeptQueries
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes
from judgetool.wording import N_, _

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


class _Row(NamedTuple):
    """One line; the comment in two parts."""

    line: int
    query_id: str
    document_id: str
    grade: str
    text: str


def is_letor_line(line: str) -> bool:
    """Whether a line begins with a grade and ``qid:``."""
    return LETOR_LINE.fullmatch(line) is not None


def read_letor(source: TextSource, reading: Reading) -> None:
    """Read grades; the comment of each line names the document, features are left out.

    Args:
        source: the file.
        reading: gets the judgments, what texts there are, the refusals and the notes.

    Raises:
        ParseError: no line names a document.
    """
    headers: dict[str, str] = {}
    rows: list[_Row] = []
    n_nameless = n_featured = 0
    for line, text in source.lines(reading.refuse):
        if not text.strip():
            continue
        header = _HEADER.fullmatch(text)
        if header:
            headers[header["query"]] = _without_weight(header["text"])
        if text.startswith("#"):
            continue
        row, has_features, reason = _read_line(line, text)
        n_featured += has_features
        if row is None:
            reading.refuse(line, reason)
        elif row.document_id:
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


def _read_line(line: int, text: str) -> tuple[_Row | None, bool, str]:
    """Return the row, whether it has features, and why there is no row."""
    found = LETOR_LINE.fullmatch(text)
    if found is None:
        return None, False, _("expected a grade, qid:query, features, and # with the document")
    features = found["rest"].split()
    if not all(_FEATURE.fullmatch(feature) for feature in features):
        return None, False, _("what stands between qid and # is no list of features such as 1:0.5")
    comment = found["comment"] or ""
    named = _DOCID.fullmatch(comment) or _PLAIN.fullmatch(comment)
    document_id = named["document"] if named else ""
    rest = named["text"].strip() if named and named.re is _PLAIN else ""
    return _Row(line, found["query"], document_id, found["grade"], rest), bool(features), ""


def _keep(rows: list[_Row], headers: dict[str, str], reading: Reading) -> None:
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
