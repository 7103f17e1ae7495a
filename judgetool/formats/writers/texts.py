"""Results with their texts, documents, clicks, a BEIR folder's files; and a table of runs by measures."""

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from judgetool.core.judgments import Document, Query
from judgetool.formats.columns import note_number
from judgetool.formats.output import (
    RESULT_COLUMNS,
    format_number,
    latex,
    latex_table,
    markdown,
    markdown_table,
    one_line,
)
from judgetool.formats.values import RankedResult
from judgetool.formats.writers.grades import letor_numbers, tabbed_id
from judgetool.formats.writers.tables import ID, OWN_TEXT, PLAIN, iter_csv
from judgetool.formats.writers.values import (
    AGREEMENT_HEAD,
    AgreementTable,
    ExportChoices,
    ExportMaterial,
    ReportRow,
    ReportTable,
)
from judgetool.wording import NN_

_OWN_FIELDS = frozenset({*RESULT_COLUMNS, "_id", "id", "metadata", "clicks", "impressions"})

_OWN_NAMES = NN_(
    "{n} field was left out: named as a column of judgetool’s own.",
    "{n} fields were left out: named as a column of judgetool’s own.",
)

# -- results


def _ranked(material: ExportMaterial) -> Iterator[tuple[RankedResult, int, str, Document]]:
    """Yield each result with its rank, the query's text and the document.

    A score that is infinite, as projects of older versions may have it, counts for none: JSON has
    no such number, and no line with it would be read again.
    """
    run = material.run
    if run is None:
        return
    n_infinite = 0
    texts = {query.id: query.text for query in material.queries}
    for query_id, group in groupby(run.iter_rows(), key=lambda row: row.query_id):
        rows = list(group)
        found = material.find_documents([row.document_id for row in rows])
        for rank, row in enumerate(rows, 1):
            document = found.get(row.document_id) or Document(row.document_id)
            is_infinite = row.score is not None and math.isinf(row.score)
            n_infinite += is_infinite
            known = row._replace(score=None) if is_infinite else row
            yield known, rank, texts.get(query_id, ""), document
    note_number(
        material.notes,
        n_infinite,
        "{n} score is infinite and was left out; its rank is kept.",
        "{n} scores are infinite and were left out; their ranks are kept.",
    )


_TEXTS = (
    ("title", OWN_TEXT, "title"),
    ("url", OWN_TEXT, "address"),
    ("text", OWN_TEXT, "text"),
)
_RESULT_CELLS = (
    ("query_id", ID, "query id"),
    ("query", OWN_TEXT, "query text"),
    ("rank", PLAIN, ""),
    ("doc_id", ID, "document id"),
    ("score", PLAIN, ""),
    ("run", ID, "name of the run"),
    *_TEXTS,
)


def iter_results_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV of a run: a row for each result, with the texts of query and document."""
    name = material.run.name if material.run else ""
    rows = (
        (
            *(row.query_id, text, str(rank), row.document_id),
            *("" if row.score is None else format_number(row.score), name),
            *(document.title, document.url, document.body),
        )
        for row, rank, text, document in _ranked(material)
    )
    return iter_csv(material, choices, _RESULT_CELLS, rows)


def iter_results_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a JSON object for each result, with the texts and fields of the document."""
    lost = _Lost()
    name = material.run.name if material.run else ""
    for row, rank, text, document in _ranked(material):
        values: dict[str, Any] = {"query_id": row.query_id, "query": text, "rank": rank}
        values |= {"doc_id": row.document_id, "run": name}
        if row.score is not None:
            values["score"] = json.loads(format_number(row.score))
        yield _json_line(values | _said(document) | lost.fields_of(document))
    lost.tell(material.notes)


# -- documents


def iter_documents_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV of all documents that have a text."""
    rows = ((each.id, each.title, each.url, each.body) for each in material.iter_documents())
    return iter_csv(material, choices, (("doc_id", ID, "document id"), *_TEXTS), rows)


def iter_documents_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a JSON object for each document that has a text, with its fields."""
    lost = _Lost()
    for document in material.iter_documents():
        yield _json_line({"doc_id": document.id} | _said(document) | lost.fields_of(document))
    lost.tell(material.notes)


# -- BEIR


def iter_beir_corpus(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``corpus.jsonl``: ``_id``, ``title``, ``text``, and the rest as ``metadata``."""
    for document in material.iter_documents():
        values = {"_id": document.id, "title": document.title, "text": document.body}
        metadata = ({"url": document.url} if document.url else {}) | dict(document.fields)
        yield _json_line(values | {"metadata": metadata})


def iter_beir_queries(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``queries.jsonl``: ``_id``, ``text``, and the rest as ``metadata``."""
    for query in material.queries:
        metadata = {"description": query.description, "narrative": query.narrative}
        kept = {name: text for name, text in metadata.items() if text} | dict(query.fields)
        yield _json_line({"_id": query.id, "text": query.text, "metadata": kept})


# -- clicks


_CLICK_CELLS = (
    ("query_id", ID, "query id"),
    ("doc_id", ID, "document id"),
    *((name, PLAIN, "") for name in ("position", "impressions", "clicks")),
)


def iter_clicks_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV of impressions and clicks; an unknown position is empty."""
    rows = (
        (
            *(row.query_id, row.document_id, str(row.position or "")),
            *(str(row.impressions), str(row.clicks)),
        )
        for row in material.clicks
    )
    return iter_csv(material, choices, _CLICK_CELLS, rows)


# -- parts


def _said(document: Document) -> dict[str, str]:
    """Return what is known of a document, without what is empty."""
    texts = {"title": document.title, "url": document.url, "text": document.body}
    return {name: text for name, text in texts.items() if text}


def _json_line(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


class _Lost:
    """Counts fields that have the name of one of judgetool's own columns."""

    def __init__(self) -> None:
        self._count = 0

    def fields_of(self, document: Document) -> dict[str, str]:
        """Return a document's further fields, without those."""
        kept = {name: text for name, text in document.fields.items() if name not in _OWN_FIELDS}
        self._count += len(document.fields) - len(kept)
        return kept

    def tell(self, notes: list[str]) -> None:
        """Say how many were left out, if any were."""
        note_number(notes, self._count, *_OWN_NAMES)


_BREAKS = re.compile(r"[\t\n\r\v\f\0]+")
_OWN = ("query_id", "text", "description", "narrative", "weight", "category")


def iter_topics(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``id<TAB>text`` lines; tabs and line ends in texts become blanks.

    Raises:
        InputError: an id holds a tab or a line end.
    """
    n_changed = 0
    for query in material.queries:
        text = _BREAKS.sub(" ", query.text)
        n_changed += text != query.text
        yield f"{tabbed_id(query.id, 'query')}\t{text}\n"
    note_number(
        material.notes,
        n_changed,
        "In {n} text tabs or line ends became blanks.",
        "In {n} texts tabs or line ends became blanks.",
    )


def iter_topics_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield one JSON object for each query, with all that is known of it."""
    n_lost = 0
    for query in material.queries:
        fields = {name: text for name, text in query.fields.items() if name not in _OWN}
        n_lost += len(query.fields) - len(fields)
        yield json.dumps({**_own_values(query), **fields}, ensure_ascii=False) + "\n"
    note_number(material.notes, n_lost, *_OWN_NAMES)


def _own_values(query: Query) -> dict[str, str | float | int]:
    values: dict[str, str | float | int] = {
        "query_id": query.id,
        "text": query.text,
        "description": query.description,
        "narrative": query.narrative,
        "weight": int(query.weight) if float(query.weight).is_integer() else query.weight,
        "category": query.category,
    }
    if query.fields:
        # All names are there, so that no field is taken for one of them on reading.
        return values
    usual: dict[str, object] = {"description": "", "narrative": "", "weight": 1, "category": ""}
    return {name: value for name, value in values.items() if usual.get(name) != value}


_ID_MAP = (
    ("query_id", ID, "query id"),
    ("number", PLAIN, ""),
    ("text", OWN_TEXT, "query text"),
)


def iter_id_map(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV that says which id, which number (LETOR) and which text belong together."""
    numbers = letor_numbers(material.queries)
    rows = ((each.id, format_number(numbers[each.id]), each.text) for each in material.queries)
    return iter_csv(material, choices, _ID_MAP, rows)


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
