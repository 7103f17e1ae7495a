"""A table to take along, and the one writer of tables: CSV, tab-separated, Markdown, LaTeX, JSON."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from judgetool.core.formula_guard import GUARD, csv_line, is_formula

Cell = str | float | int | None
"""A text, a figure, or nothing."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    "–": "--",
    "−": "$-$",
    "·": r"$\cdot$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
    "α": r"$\alpha$",
    "δ": r"$\delta$",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~&])")
_LINE_ENDS = re.compile(r"\s*[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+\s*")
_EXACT_DIGITS, _SHOWN_DIGITS = 6, 4


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table to take along.

    Attributes:
        name: for a file, without its ending.
        head: names of the columns.
        rows: as many cells each.
        sentences: how the figures came about.
        command: the command line that gives the same figures; ``""`` where there is none.
        overview: the same as a page has it, where there are too many columns for one.
    """

    name: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    sentences: Sequence[str] = ()
    command: str = ""
    overview: "Sheet | None" = None

    @property
    def for_a_page(self) -> "Sheet":
        """The overview, or the table itself."""
        return self.overview or self


def one_line(text: str) -> str:
    """Return a text whose lines follow each other."""
    return _LINE_ENDS.sub(" ", text)


def number_text(value: float) -> str:
    """Return a figure as spreadsheets read it, to six decimals, very small ones with an exponent.

    Examples:
        >>> number_text(0.25), number_text(-0.0), number_text(0.00000012), number_text(3)
        ('0.25', '0', '1.2e-07', '3')
    """
    if isinstance(value, int):
        return str(value)
    if value and abs(value) < 10.0 ** (1 - _EXACT_DIGITS):
        return f"{value:.6g}"
    return f"{value + 0.0:.{_EXACT_DIGITS}f}".rstrip("0").rstrip(".") if value else "0"


def shown_number(value: float, digits: int = _SHOWN_DIGITS) -> str:
    """Return a figure for a page: fixed decimals, very small ones with an exponent.

    Examples:
        >>> shown_number(0.25), shown_number(-0.00001), shown_number(3)
        ('0.2500', '-1.0e-05', '3')
    """
    if isinstance(value, int):
        return str(value)
    if value and abs(value) < 10.0**-digits:
        return f"{value:.1e}"
    return f"{value + 0.0:.{digits}f}"


def _exact(cell: Cell) -> str:
    if cell is None:
        return ""
    return one_line(cell) if isinstance(cell, str) else number_text(cell)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    return one_line(cell) if isinstance(cell, str) else shown_number(cell)


def plain_rows(sheet: Sheet) -> list[list[str]]:
    """Return head and rows as texts that no spreadsheet takes for a formula; figures stay figures."""
    return [[_guarded(cell) for cell in row] for row in (sheet.head, *sheet.rows)]


def _guarded(cell: Cell) -> str:
    text = _exact(cell)
    if isinstance(cell, str) and is_formula(text):
        try:
            float(text)
        except ValueError:
            return GUARD + text
    return text


def as_csv(sheet: Sheet) -> str:
    """Return a table as CSV with every figure; the command line follows as a line with ``#``."""
    lines = [csv_line(row, end="\r\n") for row in plain_rows(sheet)]
    command = [csv_line([f"# {sheet.command}"], end="\r\n")] if sheet.command else []
    return "".join([*lines, *command])


def as_tsv(sheet: Sheet) -> str:
    """Return a table parted by tabs, for spreadsheets and programs; without the command line."""
    return "".join("\t".join(row) + "\n" for row in plain_rows(sheet))


def as_markdown(sheet: Sheet) -> str:
    """Return a table as Markdown, sentences and the command line below."""
    page = sheet.for_a_page
    rows = ([markdown(_shown(cell)) for cell in row] for row in page.rows)
    said = markdown_table(page.head, rows, sheet.sentences)
    # A fence longer than any in the text.
    ticks = "`" * (1 + max((len(each) for each in re.findall("`+", sheet.command)), default=0))
    return f"{said}\n{ticks} {sheet.command} {ticks}\n" if sheet.command else said


def as_latex(sheet: Sheet) -> str:
    """Return a table for the LaTeX package booktabs: sentences in the caption, the command a comment."""
    page = sheet.for_a_page
    rows = ([latex(_shown(cell)) for cell in row] for row in page.rows)
    command = f"% {one_line(sheet.command)}\n" if sheet.command else ""
    return command + latex_table(page.head, rows, sheet.sentences, texts=_text_columns(page))


def _text_columns(sheet: Sheet) -> set[int]:
    """Return the columns that have a text with a letter in it: such stand at the left."""
    columns = zip(*sheet.rows, strict=True)
    return {
        place
        for place, cells in enumerate(columns)
        if sheet.overview is None and any(isinstance(cell, str) and cell for cell in cells)
    }


def as_json(sheet: Sheet) -> str:
    """Return a table as JSON: all digits, an object for each row."""
    values = {
        "columns": list(sheet.head),
        "rows": [dict(zip(sheet.head, row, strict=True)) for row in sheet.rows],
        "sentences": list(sheet.sentences),
        "command": sheet.command,
    }
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


SHEET_WRITERS: dict[str, Callable[[Sheet], str]] = {
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
    "tsv": as_tsv,
    "json": as_json,
}


def markdown(text: str) -> str:
    """Return a text as it stands in Markdown."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def latex(text: str) -> str:
    """Return a text as it stands in LaTeX."""
    return "".join(_LATEX.get(sign, sign) for sign in one_line(text))


def markdown_table(
    head: Sequence[str], body: Iterable[Iterable[str]], sentences: Sequence[str] = ()
) -> str:
    """Return a table of which the cells of the body are Markdown already; figures stand at the right."""
    said = " ".join(map(markdown, sentences))
    lines = [
        _markdown_row(map(markdown, head)),
        f"| --- |{' ---: |' * (len(head) - 1)}\n",
        *map(_markdown_row, body),
    ]
    return "".join(lines) + (f"\n{said}\n" if said else "")


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def latex_table(
    head: Sequence[str],
    body: Iterable[Iterable[str]],
    sentences: Sequence[str] = (),
    *,
    texts: Collection[int] = (),
) -> str:
    """Return a table of which the cells of the body are LaTeX already.

    Args:
        head: names of the columns.
        body: as many cells in each row.
        sentences: the caption.
        texts: columns that stand at the left, besides the first.
    """
    kinds = "".join("l" if place in {0, *texts} else "r" for place in range(len(head)))
    caption = f"\\caption{{{' '.join(map(latex, sentences))}}}\n" if sentences else ""
    return (
        "% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{_latex_row(map(latex, head))}\\midrule\n"
        + "".join(map(_latex_row, body))
        + f"\\bottomrule\n\\end{{tabular}}\n{caption}\\end{{table}}\n"
    )


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\\n"
