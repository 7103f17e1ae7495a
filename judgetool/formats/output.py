"""Writing files, whole or not at all; and the one writer of tables to take along.

Tables are CSV, tab-separated, Markdown, LaTeX or JSON. A text that a spreadsheet would run has an
apostrophe in front, which reading takes off again.
"""

import csv
import errno
import io
import json
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

import numpy as np

from judgetool.core.held_files import is_project, refuse_hopeless
from judgetool.core.system import (
    begin_beside,
    open_to_write,
    replace_open,
    sync,
    sync_folder,
    take_mode,
)
from judgetool.errors import InputError, UnwritableIdError, why_refused
from judgetool.wording import N_, NN_, _, visible

_READER_MS = 5_000
SIDE_ENDING = ".meta.json"
"""Of what is written beside a file: how its grades are meant."""
# What TREC's own tools take for a separator (C's isspace), and NUL, which ends their strings.
SEPARATORS = re.compile(r"[ \t\n\r\v\f\0]")


_BLANKS_OF = {"query": "queries", "document": "all"}
_JUDGMENTS_INSTEAD = N_("judgments-csv or judgments-jsonl (--format)")
RESULTS_INSTEAD = N_("results-csv or results-jsonl (--format)")
"""Formats that hold ids with blanks, for the sentences of those that cannot."""
_INSTEAD_IN_WINDOW = {
    _JUDGMENTS_INSTEAD: N_("‘Judgments in full, CSV’"),
    RESULTS_INSTEAD: N_("‘Results with texts, CSV’"),
}
COMMENT_NOTE = NN_(
    "{n} line begins with #, as the query id does: trec_eval 10 skips such lines.",
    "{n} lines begin with #, as the query id does: trec_eval 10 skips such lines.",
)
"""What is to be said of lines that some tools take for comments."""


def write_text(chunks: Iterable[str], out: TextIO | Path | str) -> None:
    """Write chunks of text whole and at once, to an open stream or to a path.

    Raises:
        InputError: the file could not be written; what was there is unchanged.
    """
    if isinstance(out, Path | str):
        write_atomically(out, chunks)
    else:
        out.writelines([*chunks])


def write_atomically(
    path: Path | str,
    chunks: Iterable[str | bytes],
    *,
    beside: Sequence[tuple[Path, Iterable[str | bytes]]] = (),
) -> None:
    """Write text (as UTF-8) or bytes to a path: all of it, or nothing.

    It goes to a new file in the same folder, is forced to the disk, and takes the
    path's place. Links are followed; a device or pipe is written to directly.

    Args:
        path: where it is to stand.
        chunks: taken one by one; what it raises leaves the path unchanged. Line ends
            stay as they are, on Windows too.
        beside: further files that belong to it, taken after it. All of them are complete on
            the disk before the first gets its name, and the path gets its own last: a kill
            between leaves no new file without what belongs to it.

    Raises:
        InputError: a file could not be written; what was there is unchanged. Should a system
            refuse only the name of one, the text tells which already has its own.
    """
    files = [(Path(path), chunks), *beside]
    what = _(" and ").join(str(each) for each, _chunks in files)
    made: list[_Unfinished] = []
    named: list[Path] = []
    try:
        for each in files:
            found = _prepare(*each)
            if found is not None:
                made.append(found)
        for unfinished in reversed(made):
            replace_open(*unfinished)
            named.append(unfinished.target)
        for folder in {target.parent for target in named}:
            with suppress(OSError):  # some systems cannot
                sync_folder(folder)
    except OSError as problem:
        cause = _cause(problem)
        if named:
            only = _(" and ").join(map(str, named))
            said = _("Of {what} only {only} was written: {cause}.")
            raise InputError(said.format(what=what, only=only, cause=cause)) from problem
        said = (
            _("{what} were not written: {cause}. What stood there is unchanged.")
            if beside
            else _("{what} was not written: {cause}. What stood there is unchanged.")
            if _is_kept(Path(path))
            else _("{what} could not be written to the end: {cause}.")
        )
        raise InputError(said.format(what=what, cause=cause)) from problem
    except UnicodeEncodeError as problem:
        said = (
            _("{what} were not written: ‘{sign}’ is half a character and has no UTF-8 form.")
            if beside
            else _("{what} was not written: ‘{sign}’ is half a character and has no UTF-8 form.")
        )
        sign = problem.object[problem.start : problem.end]
        raise InputError(said.format(what=what, sign=visible(sign))) from problem
    finally:
        for unfinished in made:
            unfinished.out.close()
            unfinished.path.unlink(missing_ok=True)


class _Unfinished(NamedTuple):
    """A file under a name of its own, locked while it is open, and the name it is to get."""

    target: Path
    path: Path
    out: BinaryIO


def _prepare(path: Path, chunks: Iterable[str | bytes]) -> _Unfinished | None:
    """Write a file completely under a name of its own.

    ``None`` for a device or pipe, which has it all then.
    """
    refuse_hopeless(path)
    target = path.resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, _("a folder"), str(target))
    if not _is_kept(target):
        handle = open_to_write(target, milliseconds=_READER_MS)
        if handle is None:
            said = _("{path} is a pipe, and nobody reads from it. Nothing was written.")
            raise InputError(said.format(path=path))
        with os.fdopen(handle, "wb") as out:
            _write_into(out, chunks)
        return None
    if target.exists() and is_project(target):
        raise InputError(
            _("{target} is a judgetool project and was left as it is. Choose another name.").format(
                target=target
            )
        )
    if target.exists() and not _may_be_replaced(target):
        said = _(
            "{target} is protected: it may not be written. It was left as it is; choose another name."
        )
        raise InputError(said.format(target=target))
    unfinished = _Unfinished(target, *begin_beside(target))
    try:
        _write_into(unfinished.out, chunks)
        sync(unfinished.out.fileno())
        if target.exists():
            take_mode(unfinished.path, like=target)
    except BaseException:
        with suppress(OSError):
            unfinished.out.close()
        unfinished.path.unlink(missing_ok=True)
        raise
    return unfinished


def _is_kept(path: Path) -> bool:
    """Whether what stands at a path keeps it until all is written, as no device or pipe does."""
    return path.is_file() or path.is_dir() or not path.exists()


def _may_be_replaced(target: Path) -> bool:
    """Whether a file may be written by who asks; its folder alone would let it be replaced.

    Who may do everything, as root, is held to what the owner wished all the same.
    """
    return bool(target.stat().st_mode & stat.S_IWUSR) and os.access(target, os.W_OK)


def _write_into(out: BinaryIO, chunks: Iterable[str | bytes]) -> None:
    out.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
    out.flush()


def _cause(problem: OSError) -> str:
    """Return why a file could not be written."""
    causes = {
        errno.EACCES: _("its folder does not allow it"),
        errno.EPERM: _("its folder does not allow it"),
        errno.ENOENT: _("its folder does not exist"),
        errno.ENOTDIR: _("its folder does not exist"),
    }
    return why_refused(problem, causes)


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same number: ``3``, ``0.5``, ``inf``.

    Raises:
        InputError: it is not a number (NaN).

    Examples:
        >>> format_number(3.0), format_number(1e-7), format_number(-2.5)
        ('3', '0.0000001', '-2.5')
    """
    if value != value:  # noqa: PLR0124 - only NaN differs from itself
        raise InputError(
            _("A number that is to be written is NaN (not a number). Nothing was kept.")
        )
    if value in (float("inf"), float("-inf")):
        return repr(value)
    return np.format_float_positional(value, trim="-")


_EMPTY_ID = {
    "query": N_("A query has an empty id, which TREC’s formats cannot carry."),
    "document": N_("A document has an empty id, which TREC’s formats cannot carry."),
}
ID_OF = {"query": N_("query id"), "document": N_("document id")}
"""What an id is called in a sentence, by whose it is."""


def checked_trec_id(
    identifier: str, what: str, *, starts_line: bool = False, instead: str = _JUDGMENTS_INSTEAD
) -> str:
    """Return an id that a TREC file can carry, as it is.

    Args:
        identifier: the id.
        what: "query" or "document", for the sentence.
        starts_line: whether it is the first thing of its line.
        instead: names of formats that can hold any id.

    Raises:
        InputError: the format cannot carry it: it is empty, holds a blank, or would
            be taken for a comment or for a byte order mark.
    """
    if not identifier:
        raise InputError(_(_EMPTY_ID[what]))
    names = {"what": _(ID_OF[what]), "id": visible(identifier)}
    other = _(_INSTEAD_IN_WINDOW[instead])
    if SEPARATORS.search(identifier):
        why = _("The {what} ‘{id}’ holds a blank, and TREC’s formats separate columns by blanks.")
        said = _(
            "Nothing was written; have _ written for them ({choice}), or export {instead} instead."
        )
        in_window = _(
            "Nothing was written; have _ written for them (Blanks in ids), or choose the format {instead}."
        )
    elif starts_line and (identifier == "#" or identifier.startswith("\ufeff")):
        why = _(
            "The {what} ‘{id}’ would be read as a comment or as a byte order mark at the start of a line."
        )
        said = _("Nothing was written; export {instead} instead.")
        in_window = _("Nothing was written; choose the format {instead}.")
    else:
        return identifier
    why = why.format(**names)
    choice = f"--blanks {_BLANKS_OF[what]}"
    raise UnwritableIdError(
        f"{why} {said.format(choice=choice, instead=_(instead))}",
        in_window=f"{why} {in_window.format(instead=other)}",
    )


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


Cell = str | float | int | None
"""A text, a figure, or nothing."""

_LATEX = str.maketrans(
    {
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
)
_MARKDOWN = r"([\\`*_{}\[\]<>|#~&])"
_LINE_ENDS = r"\s*[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+\s*"
EXACT_DIGITS, _SHOWN_DIGITS = 6, 4


class Sheet(NamedTuple):
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
    return re.sub(_LINE_ENDS, " ", text)


def number_text(value: float) -> str:
    """Return a figure as spreadsheets read it, to six decimals, very small ones with an exponent.

    Examples:
        >>> number_text(0.25), number_text(-0.0), number_text(0.00000012), number_text(3)
        ('0.25', '0', '1.2e-07', '3')
    """
    if isinstance(value, int):
        return str(value)
    if value and abs(value) < 10.0 ** (1 - EXACT_DIGITS):
        return f"{value:.6g}"
    return f"{value + 0.0:.{EXACT_DIGITS}f}".rstrip("0").rstrip(".") if value else "0"


def is_p(name: str) -> bool:
    """Return whether a column has p, as ``p``, ``p_holm`` and ``group_p`` do, and ``P@10`` does not."""
    return "p" in name.split("_")


def p_text(p: float, digits: int = EXACT_DIGITS) -> str:
    """Return p as programs read it: so many figures that count, not decimals."""
    return f"{p:.{max(digits, 1)}g}"


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


def _cell_text(cell: Cell, nothing: str, number: Callable[[float], str]) -> str:
    if cell is None:
        return nothing
    return one_line(cell) if isinstance(cell, str) else number(cell)


def _shown(cell: Cell) -> str:
    return _cell_text(cell, "–", shown_number)


def plain_rows(sheet: Sheet) -> list[list[str]]:
    """Return head and rows as texts that no spreadsheet takes for a formula; figures stay figures."""
    number = {at: p_text for at, name in enumerate(sheet.head) if is_p(name)}
    # Rows of texts, such as a sum under a table, may have other lengths than the head.
    texts = (
        [_cell_text(cell, "", number.get(at, number_text)) for at, cell in enumerate(row)]
        for row in (sheet.head, *sheet.rows)
    )
    return [[*map(safe_cell, row)] for row in texts]


def as_csv(sheet: Sheet) -> str:
    """Return a table as CSV with every figure; without the command line, see :func:`side_of_sheet`."""
    return "".join(csv_line(row, end="\r\n") for row in plain_rows(sheet))


def side_of_sheet(path: Path, sheet: Sheet) -> tuple[Path, Iterable[str]]:
    """Return what stands beside a CSV file, which has rows alone: how they came about, as JSON."""
    said = {"file": path.name, "command": sheet.command, "sentences": list(sheet.sentences)}
    text = json.dumps(said, ensure_ascii=False, indent=2) + "\n"
    return path.with_name(path.name + SIDE_ENDING), [text]


def as_tsv(sheet: Sheet) -> str:
    """Return a table parted by tabs, for spreadsheets and programs; without the command line."""
    return "".join("\t".join(row) + "\n" for row in plain_rows(sheet))


def as_markdown(sheet: Sheet) -> str:
    """Return a table as Markdown, sentences and the command line below."""
    page = sheet.for_a_page
    rows = ([markdown(_shown(cell)) for cell in row] for row in page.rows)
    said = markdown_table(page.head, rows, page.sentences)
    # A fence longer than any in the text.
    ticks = "`" * (1 + max((len(each) for each in re.findall("`+", sheet.command)), default=0))
    return f"{said}\n{ticks} {sheet.command} {ticks}\n" if sheet.command else said


def as_latex(sheet: Sheet) -> str:
    """Return a table for the LaTeX package booktabs: sentences in the caption, the command a comment."""
    page = sheet.for_a_page
    rows = ([latex(_shown(cell)) for cell in row] for row in page.rows)
    command = f"% {one_line(sheet.command)}\n" if sheet.command else ""
    return command + latex_table(page.head, rows, page.sentences, texts=_text_columns(page))


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
    return re.sub(_MARKDOWN, r"\\\1", one_line(text))


def latex(text: str) -> str:
    """Return a text as it stands in LaTeX."""
    return one_line(text).translate(_LATEX)


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
