"""Tab-separated values on standard output."""

import json
import re
from collections.abc import Iterable, Sequence

import click

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


def print_tsv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a header and rows, one line each."""
    click.echo("\t".join(header))
    lines = ["\t".join(map(tsv_cell, row)) for row in rows]
    if lines:
        click.echo("\n".join(lines))
