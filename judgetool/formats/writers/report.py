"""Runs by measures as a table for a page, a paper or a message."""

import html
from collections.abc import Callable, Iterable, Iterator, Sequence

from judgetool.formats.sheets import (
    latex,
    latex_table,
    markdown,
    markdown_table,
    one_line,
)
from judgetool.formats.writers.values import (
    AGREEMENT_HEAD,
    AgreementTable,
    ExportChoices,
    ExportMaterial,
    ReportRow,
    ReportTable,
)

_NOTHING = "–"


def iter_markdown(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a Markdown table, the best value of each column in bold, conventions below."""
    table = material.report
    if table is None:
        return
    yield f"# {markdown(table.title)}\n\n"
    body = _iter_body(table, choices.digits, markdown, bold="**{}**")
    yield markdown_table(["run", *table.measures], body, remarks(table))
    if table.agreement is not None:
        rows = (map(markdown, row) for row in _agreement_cells(table.agreement, choices.digits))
        yield "\n## Agreement\n\n"
        yield markdown_table(AGREEMENT_HEAD, rows, table.agreement.sentences)


def _agreement_cells(table: AgreementTable, digits: int) -> Iterator[list[str]]:
    for name, _, *figures in table.rows:
        yield [name, *(_value_text(each, digits, is_count=False) for each in figures)]


def iter_html(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a complete HTML page with the table; nothing is loaded from elsewhere."""
    table = material.report
    if table is None:
        return
    title = _html(table.title)
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>\n"
        "body { font-family: sans-serif; margin: 2em; }\n"
        "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
        "th, td { padding: 0.3em 0.8em; border-bottom: 1px solid #ccc; text-align: right; }\n"
        "th:first-child, td:first-child { text-align: left; }\n"
        "</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<table>\n<thead>\n"
    )
    body = _iter_body(table, choices.digits, _html, bold="<strong>{}</strong>")
    yield from _html_table(["run", *table.measures], body, remarks(table))
    if table.agreement is not None:
        yield "<h2>Agreement</h2>\n<table>\n<thead>\n"
        rows = (list(map(_html, row)) for row in _agreement_cells(table.agreement, choices.digits))
        yield from _html_table(AGREEMENT_HEAD, rows, table.agreement.sentences)
    yield "</body>\n</html>\n"


def _html_table(
    head: Sequence[str], body: Iterable[Sequence[str]], sentences: Sequence[str]
) -> Iterator[str]:
    """Yield a table from its head on; the cells of the body are HTML already."""
    heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    yield f"<tr>{heads}</tr>\n</thead>\n<tbody>\n"
    for first, *cells in body:
        values = "".join(f"<td>{cell}</td>" for cell in cells)
        yield f'<tr><th scope="row">{first}</th>{values}</tr>\n'
    yield f"</tbody>\n</table>\n<p>{' '.join(map(html.escape, sentences))}</p>\n"


def iter_latex(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a LaTeX table of the package booktabs, conventions in the caption."""
    table = material.report
    if table is None:
        return
    body = _iter_body(table, choices.digits, latex, bold=r"\textbf{{{}}}")
    yield latex_table(["run", *table.measures], body, (f"{table.title}.", *remarks(table)))
    if table.agreement is not None:
        rows = (map(latex, row) for row in _agreement_cells(table.agreement, choices.digits))
        yield latex_table(AGREEMENT_HEAD, rows, ("Agreement.", *table.agreement.sentences))


def _iter_body(
    table: ReportTable, digits: int, escaped: Callable[[str], str], *, bold: str
) -> Iterator[list[str]]:
    """Yield the run and its values of each row, the best of each column in bold."""
    best = best_runs(table, digits)
    for place, row in enumerate(table.rows):
        cells = map(escaped, value_cells(table, row, digits))
        yield [
            escaped(row.run),
            *(
                bold.format(cell) if place in best[column] else cell
                for column, cell in enumerate(cells)
            ),
        ]


def value_cells(table: ReportTable, row: ReportRow, digits: int) -> list[str]:
    """Return a run's values as text: fixed decimals, whole counts, a dash for undefined."""
    return [
        _value_text(value, digits, is_count=is_count)
        for value, is_count in zip(row.values, table.are_counts, strict=True)
    ]


def best_runs(table: ReportTable, digits: int) -> list[set[int]]:
    """Return for each measure the places of the runs whose value is highest, as shown.

    Counts have no best, and neither has a table of one run.
    """
    found: list[set[int]] = []
    for column, is_count in enumerate(table.are_counts):
        values = {
            place: round(value, digits)
            for place, row in enumerate(table.rows)
            for value in (row.values[column],)
            if value is not None
        }
        highest = max(values.values(), default=0.0)
        has_best = not is_count and len(table.rows) > 1
        found.append({p for p, value in values.items() if value == highest} if has_best else set())
    return found


def remarks(table: ReportTable) -> Sequence[str]:
    """Return what is to be said under a table: over how many queries, how computed."""
    counts = {count for row in table.rows for count in row.n_queries}
    least, most = min(counts, default=0), max(counts, default=0)
    over = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    query = "query" if least == most == 1 else "queries"
    return (f"Means over {over} {query}.", *map(one_line, table.sentences))


def _value_text(value: float | None, digits: int, *, is_count: bool) -> str:
    if value is None:
        return _NOTHING
    if is_count and float(value).is_integer():
        return str(int(value))
    return f"{value:.{digits}f}"


def _html(text: str) -> str:
    return html.escape(one_line(text))
