"""Tab-separated values on standard output, and progress on a terminal."""

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ParamSpec

import click

from judgetool.core.formula_guard import GUARD, csv_line, is_formula
from judgetool.formats import sheets

Given = ParamSpec("Given")
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


def tsv_line(cells: Iterable[str]) -> str:
    """Return a line of a table without its end."""
    return "\t".join(map(tsv_cell, cells))


def separated(
    cells_of: Callable[Given, Iterator[list[str]]], *, n_texts: int
) -> dict[str, Callable[Given, Iterator[str]]]:
    """Return what writes a table as ``tsv``, and as ``csv``, safe to open in a spreadsheet.

    Args:
        cells_of: gives the lines' cells.
        n_texts: how many of them are names and ids; one that begins as a formula does gets an
            apostrophe in front. Figures are written as they are.
    """

    def tsv(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        return map(tsv_line, cells_of(*given, **named))

    def csv(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        for cells in cells_of(*given, **named):
            texts = [GUARD + text if is_formula(text) else text for text in cells[:n_texts]]
            yield csv_line([*texts, *cells[n_texts:]], end="")

    return {"tsv": tsv, "csv": csv}


def json_text(values: object) -> str:
    """Return values as indented JSON, ids readable; NaN is a fault, as JSON has none."""
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; numbers stand at the right."""
    cells = (map(markdown_cell, row) for row in rows)
    yield from sheets.markdown_table(header, cells).splitlines()


def markdown_cell(text: str) -> str:
    """Return a text as it stands in a cell of a Markdown table."""
    return sheets.markdown(tsv_cell(text))


def latex_rows(
    header: Sequence[str], rows: Sequence[Sequence[str]], sentences: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the lines of a table for the LaTeX package booktabs, sentences in its caption."""
    cells = (map(sheets.latex, map(tsv_cell, row)) for row in rows)
    yield from sheets.latex_table(header, cells, sentences).splitlines()


def for_pages(
    cells_of: Callable[Given, Iterator[list[str]]],
) -> dict[str, Callable[Given, Iterator[str]]]:
    """Return what writes a table as ``markdown`` and as ``latex``; the first of its lines is its head."""

    def markdown(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        header, *rows = cells_of(*given, **named)
        yield from markdown_table(header, rows)

    def latex(*given: Given.args, **named: Given.kwargs) -> Iterator[str]:
        header, *rows = cells_of(*given, **named)
        yield from latex_rows(header, rows)

    return {"markdown": markdown, "latex": latex}


def print_tsv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a header and rows, one line each."""
    click.echo("\t".join(header))
    lines = [tsv_line(row) for row in rows]
    if lines:
        click.echo("\n".join(lines))


Report = Callable[[int, int], None]


@contextlib.contextmanager
def shown_progress(title: str) -> Iterator[Report | None]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    Args:
        title: what is being done, such as ``Reading bm25.run``.

    Yields:
        What to call with how much of how much is done; ``None`` without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=title, file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = max(1, total)
            bar.update(done - bar.pos)

        yield report
    # What follows takes the bar's place.
    click.echo("\x1b[1A\x1b[2K", nl=False, err=True)
