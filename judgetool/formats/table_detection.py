"""What a table or JSON lines hold, by the names of their columns."""

import csv
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import PurePath

from judgetool.formats import names
from judgetool.formats.detected import EXPECTED, Detected
from judgetool.formats.judgment_rows import find_grade
from judgetool.formats.names import GRADES_OF_ASSESSOR, canonical_names, normal_name
from judgetool.formats.records import DELIMITERS, unique_names
from judgetool.formats.registry import Layout, find_format
from judgetool.formats.source import TextSource
from judgetool.formats.values import N_SAMPLE_ROWS, ColumnsNeededError, Kind, Wishes

_LONG_TEXT = 200
_MAX_HEADER = 100_000
_MOST_GRADES = 12
_RANKED_MARKS = frozenset({*names.RANK, "score", *names.RUN})
_RESULT_MARKS = frozenset({*names.GRADE, *_RANKED_MARKS})
_PAIR_MARKS = frozenset(names.DOCUMENT_ID) - {"id", "_id"}
_TEXTS = frozenset({*names.BODY, *names.QUERY_TEXT, *names.TITLE})
_DOCUMENT_MARKS = frozenset({*names.OWN_DOCUMENT_ID, *names.URL, *names.BODY, *names.TITLE}) - {
    "id",
    "_id",
    "text",
    "description",
}
_QUERY_ONLY = frozenset({"query", "query_text", "querytext", "information_need", "narrative"})
_QUERY_MARKS = (frozenset(names.QUERY_ID) | _QUERY_ONLY) - {"id", "_id"}
_KNOWN = _QUERY_MARKS | _DOCUMENT_MARKS | _RESULT_MARKS | {"id", "_id", "text"}

Rows = Sequence[Sequence[str]]


def find_table(
    source: TextSource, lines: Sequence[str], kind: Kind | None, wishes: Wishes
) -> Detected | None:
    """Find the delimiter with which the first line is a header; ``None`` if it is none.

    Raises:
        ColumnsNeededError: the columns' names do not tell what the table holds.
    """
    for delimiter in DELIMITERS:
        cells = next(csv.reader([lines[0][:_MAX_HEADER]], delimiter=delimiter), [])
        if len(cells) < 2:
            continue
        is_headless = wishes.answers.get("header") == "no"
        headers = unique_names([""] * len(cells) if is_headless else cells)
        known = canonical_names(headers, wishes.column_roles) & _KNOWN
        is_told = any(header in wishes.column_roles for header in headers)
        if len(known) > 1 or is_told:
            rows = _sample_rows(lines if is_headless else lines[1:], delimiter, len(headers))
            detected = choose_named(source, headers, rows, Layout.TABLE, kind=kind, wishes=wishes)
            return Detected(
                detected.format, delimiter, notes=detected.notes, column_roles=detected.column_roles
            )
    return None


def find_strange_table(
    source: TextSource, lines: Sequence[str], kind: Kind | None
) -> ColumnsNeededError | None:
    """Return what to raise for a table whose header is unknown; ``None`` if it is no table.

    A table is what has the same number of cells, at least two, on most of its lines.
    """
    for delimiter in DELIMITERS:
        rows = list(csv.reader((line[:_MAX_HEADER] for line in lines), delimiter=delimiter))
        width = len(rows[0])
        n_same = sum(len(row) == width for row in rows)
        if width > 1 and len(rows) > 1 and n_same * 10 >= len(rows) * 9:
            return _needed(source, unique_names(rows[0]), rows[1:], kind)
    return None


def _sample_rows(lines: Sequence[str], delimiter: str, width: int) -> list[list[str]]:
    try:
        rows = list(csv.reader((f"{line}\n" for line in lines), delimiter=delimiter))
    except csv.Error:
        return []
    return [row for row in rows if len(row) == width]


def choose_named(
    source: TextSource,
    headers: Sequence[str],
    rows: Rows,
    layout: Layout,
    *,
    kind: Kind | None,
    wishes: Wishes,
) -> Detected:
    """Return the format for named columns, or refuse them for this kind.

    Raises:
        ColumnsNeededError: a person has to say what the columns are.
    """
    columns = canonical_names(headers, wishes.column_roles)
    wide = (
        _find_assessor_columns(headers, rows, columns, wishes.column_roles)
        if layout is Layout.TABLE
        else []
    )
    likely = Kind.JUDGMENTS if wide else _likely_kind(source, rows, columns)
    wanted = kind or likely
    if wanted is Kind.RUN:
        wanted = Kind.RESULTS
    is_wide = wanted is Kind.JUDGMENTS and bool(wide)
    if wanted is None or not (is_wide or _can_be(wanted, columns)):
        raise _needed(source, headers, rows, wanted)
    chosen = find_format(wanted, layout)
    assert chosen is not None
    if not is_wide:
        return Detected(chosen)
    verb = "is" if len(wide) == 1 else "are each"
    some = ", ".join(wide[:8]) + (" …" if len(wide) > 8 else "")
    note = f"{some} {verb} taken for the grades of one assessor."
    return Detected(chosen, notes=(note,), column_roles=dict.fromkeys(wide, GRADES_OF_ASSESSOR))


def _needed(
    source: TextSource, headers: Sequence[str], rows: Rows, wanted: Kind | None
) -> ColumnsNeededError:
    found = ", ".join(sorted(normal_name(header) for header in headers)[:12])
    return ColumnsNeededError(
        f"expected {EXPECTED[wanted]}; found the columns {found}. Nothing was kept.",
        source=source.name,
        columns=names.column_uses(headers, wanted or Kind.JUDGMENTS, {}),
        sample_rows=list(islice(rows, N_SAMPLE_ROWS)),
    )


def _find_assessor_columns(
    headers: Sequence[str], rows: Rows, columns: set[str], column_roles: Mapping[str, str]
) -> list[str]:
    """Return the columns that hold one assessor's grades each, as in Quepid's books.

    The table has query and document but neither one grade nor rank, score or texts of
    results; such a column holds a few different grades or nothing.
    """
    told = [name for name in headers if column_roles.get(name) == GRADES_OF_ASSESSOR]
    is_pairs = _is_pairs(columns) and not columns.isdisjoint(_PAIR_MARKS)
    if told or not is_pairs or not columns.isdisjoint(_RESULT_MARKS):
        return told
    uses = names.column_uses(headers, Kind.JUDGMENTS, column_roles)
    free = [
        (place, use.header)
        for place, use in enumerate(uses)
        if use.role == names.IGNORE
        and use.header not in column_roles
        and not names.is_ignored(use.header, column_roles)
        and normal_name(use.header) not in names.ALL_NAMES
    ]
    graded = [(place, header) for place, header in free if _is_graded_column(place, rows)]
    has_any = any(row[place].strip() for place, _ in graded for row in rows)
    return [header for _, header in graded] if has_any else []


def _is_graded_column(place: int, rows: Rows) -> bool:
    values = {row[place] for row in rows if row[place].strip()}
    return len(values) <= _MOST_GRADES and all(find_grade(value) is not None for value in values)


def _is_pairs(columns: set[str]) -> bool:
    has_query = not columns.isdisjoint((*names.QUERY_KEY, *names.QUERY_KEY_TEXT))
    return has_query and not columns.isdisjoint(names.DOCUMENT_ID)


def _can_be(kind: Kind, columns: set[str]) -> bool:
    has_marks = not columns.isdisjoint(_RESULT_MARKS)
    is_pairs = _is_pairs(columns)
    if kind is Kind.JUDGMENTS:
        return is_pairs and _is_graded(columns)
    if kind is Kind.QUERIES:
        has_key = not columns.isdisjoint((*names.QUERY_ID, *_QUERY_ONLY))
        return has_key and not (is_pairs and has_marks)
    if kind is Kind.DOCUMENTS:
        return not columns.isdisjoint(names.OWN_DOCUMENT_ID) and not (is_pairs and has_marks)
    return is_pairs


def _is_graded(columns: set[str]) -> bool:
    """Whether a column holds grades; in BEIR's qrels they are called score."""
    is_beir_qrels = {*names.BEIR_DOCUMENT_ID, "score"} <= columns and "rank" not in columns
    # Judgments alone may all be skipped; a ranking's state is of another sort.
    is_stated = "state" in columns and columns.isdisjoint(_RANKED_MARKS)
    return is_beir_qrels or is_stated or not columns.isdisjoint((*names.GRADE, *names.UNRATEABLE))


def _likely_kind(source: TextSource, rows: Rows, columns: set[str]) -> Kind | None:
    if _can_be(Kind.RESULTS, columns):
        has_ranks = not columns.isdisjoint(names.RANK)
        has_texts = not columns.isdisjoint((*names.TITLE, *names.BODY))
        if _is_graded(columns):
            # Quepid's detailed export has ranks, texts and grades in one.
            return Kind.RESULTS if has_ranks and has_texts else Kind.JUDGMENTS
        if not columns.isdisjoint(_RANKED_MARKS):
            return Kind.RESULTS
        if not columns.isdisjoint(_PAIR_MARKS):
            # Pairs without rank, score or grade: what they are is not for us to guess.
            return None
    has_own_text = not columns.isdisjoint(_QUERY_ONLY)
    if columns.isdisjoint(_TEXTS) and not has_own_text:
        return None
    stem = PurePath(source.name).name.lower()
    n_characters = sum(len(cell) for row in rows for cell in row)
    hints = (
        (not columns.isdisjoint(_QUERY_MARKS), Kind.QUERIES),
        (not columns.isdisjoint(_DOCUMENT_MARKS), Kind.DOCUMENTS),
        (columns.isdisjoint(("id", "_id")), None),
        (bool(re.search("quer|topic", stem)), Kind.QUERIES),
        (bool(re.search("corpus|doc|collection", stem)), Kind.DOCUMENTS),
        (n_characters > _LONG_TEXT * len(rows), Kind.DOCUMENTS),
    )
    return next((kind for is_so, kind in hints if is_so), Kind.QUERIES)
