"""The apostrophe that keeps a spreadsheet from running a text, put in front and taken off again; lines of CSV."""

import csv
import io
import re
from collections.abc import Iterable

GUARD = "'"
ID_MAP_COLUMNS = ("query_id", "number", "text")
RESULT_COLUMNS = ("query_id", "query", "rank", "doc_id", "score", "run", "title", "url", "text")
DOCUMENT_COLUMNS = ("doc_id", "title", "url", "text")
_TEXTS = frozenset({"query", "title", "url", "text"})
OWN_TEXTS: dict[tuple[str, ...], frozenset[str]] = {
    columns: frozenset(columns) & _TEXTS
    for columns in (ID_MAP_COLUMNS, RESULT_COLUMNS, DOCUMENT_COLUMNS)
}
"""Of tables that judgetool itself writes, by their headers: columns from which a guard is taken."""
# What spreadsheets take for a formula: the signs, also full-width ones and after blanks.
_BEGINNING = r"(?:[\t\r\n]|\s*[=+\-@＝＋－＠])"
_FORMULA = re.compile(_BEGINNING)
_GUARDED = re.compile(f"{GUARD}+{_BEGINNING}")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet could take a cell with this text for a formula.

    Examples:
        >>> is_formula("=1+1"), is_formula(" -x"), is_formula("a=1"), is_formula("'=1")
        (True, True, False, False)
    """
    return _FORMULA.match(text) is not None


def is_guarded(text: str) -> bool:
    """Return whether a text looks like one with a guard in front.

    Examples:
        >>> is_guarded("'=1"), is_guarded("''=1"), is_guarded("'a"), is_guarded("=1")
        (True, True, False, False)
    """
    return _GUARDED.match(text) is not None


def without_guard(text: str) -> str:
    """Return a text without the guard in front, if it has one.

    Examples:
        >>> without_guard("'=1"), without_guard("''=1"), without_guard("'a")
        ('=1', "'=1", "'a")
    """
    return text[1:] if is_guarded(text) else text


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay numbers.

    Examples:
        >>> safe_cell("=1+1"), safe_cell("-0.5"), safe_cell("a")
        ("'=1+1", '-0.5', 'a')
    """
    try:
        float(text)
    except ValueError:
        return GUARD + text if is_formula(text) else text
    return text


def csv_line(cells: Iterable[str], *, end: str = "\n") -> str:
    """Return one line of a CSV file with its end, cells quoted where needed.

    Examples:
        >>> csv_line(["a", "b,c"], end="")
        'a,"b,c"'
    """
    line = io.StringIO()
    # With CR LF as its line end, the module quotes cells that hold either of the two.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + end
