"""Which format a file has: by its content first, by its name where that leaves a choice."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from judgetool.errors import ParseError
from judgetool.formats import names
from judgetool.formats.columns import find_score, split_columns
from judgetool.formats.qrels import is_qrels_row
from judgetool.formats.records import DELIMITERS, normal_name, parse_json_object
from judgetool.formats.registry import FORMATS, Format, Layout, find_format
from judgetool.formats.run_collect import is_run_row
from judgetool.formats.source import TextSource
from judgetool.formats.values import Kind

_SAMPLE_LINES = 200
_LONG_TEXT = 200
_LINE_END = re.compile(r"\r\n|\n|\r")
_JSON_START = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"]|$))')
_MAX_HEADER = 100_000
_RANKED_MARKS = frozenset({*names.RANK, "score", *names.RUN})
_RESULT_MARKS = frozenset({*names.GRADE, *_RANKED_MARKS})
_PAIR_MARKS = frozenset(names.DOCUMENT_ID) - {"id", "_id"}
_TEXTS = frozenset({*names.BODY, *names.QUERY_TEXT})
_DOCUMENT_MARKS = frozenset({*names.OWN_DOCUMENT_ID, *names.URL, *names.BODY, "title"}) - {
    "id",
    "_id",
    "text",
    "description",
}
_QUERY_MARKS = frozenset({*names.QUERY_ID, "query", "query_text", "information_need", "narrative"})
_QUERY_MARKS -= {"id", "_id"}


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file looks like.

    Attributes:
        format: how it is to be read.
        delimiter: of a table; a tab for queries; else ``None``.
    """

    format: Format
    delimiter: str | None = None


def detect_format(source: TextSource, *, kind: Kind | None = None) -> Detected:
    """Find out how a file is to be read.

    Args:
        source: its head is looked at; nothing is consumed.
        kind: what the user said it is about; it wins where the content allows it.

    Raises:
        ParseError: nothing that judgetool reads, or clearly another kind.
    """
    lines = _sample_lines(source.head)
    if not lines:
        return _detect_empty(source, kind)
    if _JSON_START.match(lines[0]):
        return _detect_json(source, lines, kind)
    return _find_table(source, lines, kind) or _detect_columns(source, lines, kind)


def _sample_lines(head: str) -> list[str]:
    lines = [line for line in _LINE_END.split(head)[: _SAMPLE_LINES + 1] if line.strip()]
    if len(lines) > 1 and not head.endswith(("\n", "\r")):
        # The last one is probably cut off.
        lines.pop()
    return [line for line in lines if not line.startswith("#")] or lines


def _detect_empty(source: TextSource, kind: Kind | None) -> Detected:
    if kind is None:
        raise ParseError("the file is empty, so nothing tells what it is.", source=source.name)
    found = find_format(kind, Layout.COLUMNS) or find_format(kind, Layout.JSON_LINES)
    assert found is not None
    return Detected(found)


def _detect_json(source: TextSource, lines: Sequence[str], kind: Kind | None) -> Detected:
    objects = [parse_json_object(line) for line in lines]
    columns = {normal_name(key) for each in objects if not isinstance(each, str) for key in each}
    if not columns:
        raise ParseError(
            "this looks like JSON, but no line near its beginning is a whole object. Expected one "
            "object in braces on each line (JSON lines). Nothing was kept.",
            source=source.name,
            line=1,
        )
    return Detected(_chosen(source, lines, columns, Layout.JSON_LINES, kind))


def _find_table(source: TextSource, lines: Sequence[str], kind: Kind | None) -> Detected | None:
    """Find the delimiter with which the first line is a header; ``None`` if it is none."""
    known = _QUERY_MARKS | _DOCUMENT_MARKS | _RESULT_MARKS | {"id", "_id", "text"}
    for delimiter in DELIMITERS:
        cells = next(csv.reader([lines[0][:_MAX_HEADER]], delimiter=delimiter), [])
        columns = {normal_name(cell) for cell in cells}
        if len(cells) > 1 and len(columns & known) > 1:
            chosen = _chosen(source, lines, columns, Layout.TABLE, kind)
            return Detected(chosen, delimiter)
    return None


def _chosen(
    source: TextSource, lines: Sequence[str], columns: set[str], layout: Layout, kind: Kind | None
) -> Format:
    """Return the format for named columns, or refuse them for this kind."""
    likely = _likely_kind(source, lines, columns)
    wanted = kind or likely
    if wanted is Kind.RUN:
        wanted = Kind.RESULTS
    if wanted is None or not _can_be(wanted, columns):
        found = ", ".join(sorted(columns)[:12])
        raise ParseError(
            f"expected {_EXPECTED[wanted]}; found the columns {found}. Nothing was kept.",
            source=source.name,
            line=1,
        )
    chosen = find_format(wanted, layout)
    assert chosen is not None
    return chosen


_EXPECTED: dict[Kind | None, str] = {
    None: "columns that tell what the file is: an id and a text; a query and a document with a "
    "rank or score; or these two with a grade (grade, rating)",
    Kind.QUERIES: "queries: an id (id, query_id, qid) and a text (text, query)",
    Kind.DOCUMENTS: "documents: an id (id, doc_id, docid) and texts (title, url, text)",
    Kind.RUN: "a run: query, rank, doc_id, score",
    Kind.RESULTS: "results: a query (query_id, query) and a document (doc_id, document, id)",
    Kind.JUDGMENTS: "judgments: a query, a document and a grade (grade, rating, judgment)",
}


def _can_be(kind: Kind, columns: set[str]) -> bool:
    has_query = not columns.isdisjoint((*names.QUERY_KEY, *names.QUERY_KEY_TEXT))
    has_document = not columns.isdisjoint(names.DOCUMENT_ID)
    has_marks = not columns.isdisjoint(_RESULT_MARKS)
    is_pairs = has_query and has_document
    if kind is Kind.JUDGMENTS:
        return is_pairs and _is_graded(columns)
    if kind is Kind.QUERIES:
        return not columns.isdisjoint(names.QUERY_ID) and not (is_pairs and has_marks)
    if kind is Kind.DOCUMENTS:
        return not columns.isdisjoint(names.OWN_DOCUMENT_ID) and not (is_pairs and has_marks)
    return is_pairs


def _is_graded(columns: set[str]) -> bool:
    """Whether a column holds grades; in BEIR's qrels they are called score."""
    is_beir_qrels = {*names.BEIR_DOCUMENT_ID, "score"} <= columns and "rank" not in columns
    return is_beir_qrels or not columns.isdisjoint(names.GRADE)


def _likely_kind(source: TextSource, lines: Sequence[str], columns: set[str]) -> Kind | None:
    if _can_be(Kind.RESULTS, columns):
        if _is_graded(columns):
            return Kind.JUDGMENTS
        if not columns.isdisjoint(_RANKED_MARKS):
            return Kind.RESULTS
        if not columns.isdisjoint(_PAIR_MARKS):
            # Pairs without rank, score or grade: what they are is not for us to guess.
            return None
    if columns.isdisjoint(_TEXTS):
        return None
    stem = PurePath(source.name).name.lower()
    hints = (
        (not columns.isdisjoint(_QUERY_MARKS), Kind.QUERIES),
        (not columns.isdisjoint(_DOCUMENT_MARKS), Kind.DOCUMENTS),
        (columns.isdisjoint(("id", "_id")), None),
        (bool(re.search("quer|topic", stem)), Kind.QUERIES),
        (bool(re.search("corpus|doc|collection", stem)), Kind.DOCUMENTS),
        (sum(map(len, lines)) > _LONG_TEXT * len(lines), Kind.DOCUMENTS),
    )
    return next((kind for is_so, kind in hints if is_so), Kind.QUERIES)


def _detect_columns(source: TextSource, lines: Sequence[str], kind: Kind | None) -> Detected:
    """Tell runs, qrels and ``id<TAB>text`` apart by what most lines look like."""
    rows = [split_columns(line[:_MAX_HEADER]) for line in lines]
    n_one_tab = sum(line.count("\t") == 1 for line in lines)
    counts = {
        "trec-run": sum(is_run_row(row) or _is_loose_run_row(row) for row in rows),
        "queries-tsv": n_one_tab,
        "trec-qrels": sum(is_qrels_row(row) for row in rows),
    }
    likely = max(counts, key=counts.__getitem__)
    wanted = find_format(kind, Layout.COLUMNS) if kind else None
    if kind is Kind.RESULTS:
        wanted = FORMATS["trec-run"]
    if kind and wanted is None:
        raise ParseError(
            f"expected {_EXPECTED[kind]}, as JSON lines or with a header line that names the "
            "columns; found neither. Nothing was kept.",
            source=source.name,
            line=1,
        )
    if wanted is None and 2 * counts[likely] < len(lines):
        found = f"{len(rows[0])} columns" if len(rows[0]) > 1 else "1 column"
        raise ParseError(
            f"this is no format that judgetool knows: found {found}. Expected a run (6 columns), "
            "qrels (4 columns), an id, a tab and a text, a table with a header, or JSON lines. "
            "Nothing was kept.",
            source=source.name,
            line=1,
        )
    if wanted and not counts[wanted.name] and 2 * counts[likely] > len(lines):
        raise ParseError(
            f"expected {wanted.title} ({wanted.help.rstrip('.')}), found what looks like "
            f"{FORMATS[likely].title}. Nothing was kept.",
            source=source.name,
            line=1,
        )
    chosen = wanted or FORMATS[likely]
    return Detected(chosen, "\t" if chosen.kind is Kind.QUERIES else None)


def _is_loose_run_row(row: Sequence[str]) -> bool:
    """Whether this is a result whose tag holds blanks or is missing."""
    has_count = len(row) > 6 or (len(row) == 5 and row[1] in {"Q0", "q0", "0"})
    return has_count and is_run_row([*row[:5], "tag"]) and find_score(row[4]) is not None
