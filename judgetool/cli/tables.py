"""Tab-separated values on standard output."""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence

import click

from judgetool.core.formula_guard import GUARD, is_formula

# What would break a line or a column, or move the cursor: C0, DEL, C1 and line separators.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def tsv_cell(text: str) -> str:
    r"""Return a text as one cell: as it is, or quoted as in JSON where that would break the table.

    A text that looks quoted already is quoted once more, so that no two texts print alike.

    Examples:
        >>> print(tsv_cell("r001"), tsv_cell("a\tb"), tsv_cell('"x"'))
        r001 "a\tb" "\"x\""
    """
    is_quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    if _CONTROLS.search(text):
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False) if is_quoted else text


def csv_line(texts: Iterable[str], figures: Iterable[str]) -> str:
    """Return a line of a CSV file without its end, safe to open in a spreadsheet.

    Args:
        texts: names and ids; one that begins as a formula does gets an apostrophe in front.
        figures: as they are.
    """
    cells = [*(GUARD + text if is_formula(text) else text for text in texts), *figures]
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n")


def print_tsv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a header and rows, one line each."""
    click.echo("\t".join(header))
    lines = ["\t".join(map(tsv_cell, row)) for row in rows]
    if lines:
        click.echo("\n".join(lines))
