"""What an import preview shows of a file: its first rows as understood, its grades.

Plain values made from a reading; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from judgetool.core.scale import format_grade
from judgetool.formats import FORMATS, JudgmentTable, Kind, Reading

MAX_ROWS = 8
MAX_CELL = 200

KIND_TITLES = {
    Kind.QUERIES: "Queries",
    Kind.DOCUMENTS: "Documents",
    Kind.RUN: "Run",
    Kind.JUDGMENTS: "Judgments",
    Kind.RESULTS: "Results with texts",
}
RECORD_NOUNS = {
    Kind.QUERIES: ("query", "queries"),
    Kind.DOCUMENTS: ("document", "documents"),
    Kind.RUN: ("result", "results"),
    Kind.JUDGMENTS: ("judgment", "judgments"),
    Kind.RESULTS: ("result", "results"),
}
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


@dataclass(frozen=True, slots=True)
class PreviewRows:
    """The first rows of a file as they were understood.

    Attributes:
        heads: of the columns; ``line`` and ``grade`` are set in a way of their own.
        rows: at most 8, cells as text.
        total: rows in all.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int


@dataclass(frozen=True, slots=True)
class FileView:
    """What is shown of a reading; made where it was read, as it may be large.

    Attributes:
        rows: the first ones.
        counts: how often each grade occurs, highest first.
        has_nameless: whether there are judgments that name nobody.
    """

    rows: PreviewRows
    counts: Mapping[float, int]
    has_nameless: bool


def make_view(reading: Reading) -> FileView:
    """Return what is shown of a reading."""
    table = reading.judgments
    has_nameless = table is not None and any(name is None for name in table.assessors)
    return FileView(preview_rows(reading), grade_counts(reading), has_nameless)


def count_of(count: int, one: str, many: str = "") -> str:
    """Return ``1 line``, ``1,404 lines``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def preview_rows(reading: Reading) -> PreviewRows:
    """Return the first rows of what was read, without columns that are empty there."""
    heads, rows, total = _ROWS[reading.kind](reading)
    shown = [tuple(map(_cell, row)) for row in islice(rows, MAX_ROWS)]
    kept = [
        place
        for place, head in enumerate(heads)
        if head in ("query", "document", "grade") or any(row[place] for row in shown)
    ]
    return PreviewRows(
        tuple(heads[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in shown),
        total,
    )


def _cell(text: str) -> str:
    """Return a text short enough to be painted, on one line."""
    return " ".join(text[:MAX_CELL].split())


_Rows = tuple[tuple[str, ...], Iterator[tuple[str, ...]], int]


def _query_rows(reading: Reading) -> _Rows:
    rows = (
        (query.id, query.text, query.description, query.narrative, query.category)
        for query in reading.queries
    )
    return ("id", "text", "description", "narrative", "category"), rows, len(reading.queries)


def _document_rows(reading: Reading) -> _Rows:
    extra = tuple(dict.fromkeys(key for doc in reading.documents[:MAX_ROWS] for key in doc.fields))
    rows = (
        (doc.id, doc.title, doc.url, doc.body, *(doc.fields.get(key, "") for key in extra[:3]))
        for doc in reading.documents
    )
    return ("id", "title", "address", "text", *extra[:3]), rows, len(reading.documents)


def _run_rows(reading: Reading) -> _Rows:
    titles = {doc.id: doc.title for doc in reading.documents}
    total = sum(len(run.documents) for run in reading.runs)
    heads = ("run", "query", "rank", "document", "score", "title")
    return heads, _iter_ranked(reading, titles), total


def _iter_ranked(reading: Reading, titles: dict[str, str]) -> Iterator[tuple[str, ...]]:
    for run in reading.runs:
        for number, query_id in enumerate(run.query_ids):
            start, end = int(run.offsets[number]), int(run.offsets[number + 1])
            for place in range(start, end):
                document_id = run.document_ids[int(run.documents[place])]
                score = "" if run.scores is None else f"{float(run.scores[place]):.6g}"
                rank = str(place - start + 1)
                title = titles.get(document_id, "")
                name = run.name if len(reading.runs) > 1 else ""
                yield name, query_id, rank, document_id, score, title


def _judgment_rows(reading: Reading) -> _Rows:
    table = reading.judgments or JudgmentTable()
    rows = (
        (
            f"{table.lines[row]:,}" if table.lines else "",
            table.query_ids[row],
            table.document_ids[row],
            table.assessors[row] or "",
            "" if table.grades[row] is None else format_grade(table.grades[row] or 0),
            (table.states[row] or "").replace("_", " ") if table.grades[row] is None else "",
            table.notes[row],
        )
        for row in _telling_rows(table)
    )
    heads = ("line", "query", "document", "assessor", "grade", "state", "note")
    return heads, rows, len(table)


def _telling_rows(table: JudgmentTable) -> list[int]:
    """Return the rows that show most of a file: the first, and the first of each kind."""
    chosen = dict.fromkeys(range(min(3, len(table))))
    seen: set[tuple[str, object]] = set()
    for row in range(len(table)):
        marks: set[tuple[str, object]] = {
            ("grade", table.grades[row]),
            ("assessor", table.assessors[row]),
            ("note", bool(table.notes[row])),
        }
        if not marks <= seen:
            chosen[row] = None
            seen |= marks
        if len(chosen) >= MAX_ROWS:
            break
    for row in range(len(table)):
        if len(chosen) >= MAX_ROWS:
            break
        chosen[row] = None
    return sorted(chosen)


_ROWS: dict[Kind, Callable[[Reading], _Rows]] = {
    Kind.QUERIES: _query_rows,
    Kind.DOCUMENTS: _document_rows,
    Kind.RUN: _run_rows,
    Kind.RESULTS: _run_rows,
    Kind.JUDGMENTS: _judgment_rows,
}


def describe_encoding(reading: Reading) -> str:
    """Return how a file was decoded and divided: ``UTF-8, comma``."""
    encoding = reading.encoding.replace("-sig", " with BOM").replace("+gzip", ", gzip")
    encoding = encoding.replace("utf", "UTF")
    delimiter = _DELIMITERS.get(reading.delimiter or "", "")
    return ", ".join(part for part in (encoding, delimiter) if part)


def describe_format(reading: Reading) -> str:
    """Return a format's title."""
    return FORMATS[reading.format].title if reading.format in FORMATS else reading.format


def grade_counts(reading: Reading) -> dict[float, int]:
    """Return how often each grade occurs, highest first; negative ones (pooled) left out."""
    if reading.judgments is None:
        return {}
    counts = Counter(grade for grade in reading.judgments.grades if grade is not None)
    return {grade: counts[grade] for grade in sorted(counts, reverse=True) if grade >= 0}
