"""Rows in full: everything that an assessor said, results with their texts, documents, clicks.

And a BEIR folder's files, and tables of runs by measures.
"""

import html
import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import Any, TypeAlias

from judgetool.core.judgments import Document, Query, State
from judgetool.core.number_text import local_count
from judgetool.core.scale import format_grade
from judgetool.errors import InputError, UnwritableIdError
from judgetool.formats.judgment_columns import COLUMNS, KIND_COLUMN
from judgetool.formats.judgments import moment_text, spans_text, spans_values
from judgetool.formats.output import (
    GUARD,
    RESULT_COLUMNS,
    csv_line,
    format_number,
    is_formula,
    is_guarded,
    latex,
    latex_table,
    markdown,
    markdown_table,
    one_line,
)
from judgetool.formats.records import find_storage_problem, state_number
from judgetool.formats.values import JudgmentRow, RankedResult, no_parquet
from judgetool.formats.writers.grades import (
    graded_rows,
    grades_by_query,
    letor_numbers,
    tabbed_id,
    texts_as_keys,
)
from judgetool.formats.writers.values import (
    AGREEMENT_HEAD,
    ExportChoices,
    ExportMaterial,
    Formulas,
    ReportRow,
    ReportTable,
)
from judgetool.wording import N_, NN_, _, visible


class SafeCells:
    """Makes cells that a spreadsheet shows and does not run.

    Numbers and times are never touched. Ids are never changed: they are kept as they
    are, or refused.

    Args:
        formulas: what was chosen.
        notes: gets what was done, once :meth:`tell` is called.
    """

    def __init__(self, formulas: Formulas, notes: list[str]) -> None:
        self._formulas = formulas
        self._notes = notes
        self._n_guarded = 0
        self._n_kept = 0

    def id(self, text: str, what: str) -> str:
        """Return an id (or a name that stands for one) as it is.

        Args:
            text: the id.
            what: ``query id``, ``document id``, ``assessor`` …, for the sentence.

        Raises:
            UnwritableIdError: it looks like a formula, and such ids are to be refused.
            InputError: no file can hold it.
        """
        _check_text(text, what)
        if is_formula(text):
            if self._formulas is Formulas.REFUSE_IDS:
                why = _(
                    "The {what} ‘{text}’ begins as a formula does, and a spreadsheet would run it "
                    "or change it. Ids are never changed: nothing was written."
                ).format(what=_(what), text=visible(text[:80]))
                said = _(
                    "Keep such ids with --formulas keep-ids, or choose a format that is not for "
                    "spreadsheets (JSON lines, qrels)."
                )
                in_window = _(
                    "Choose to keep such ids (Cells like formulas), or a format that is not for "
                    "spreadsheets (JSON lines, qrels)."
                )
                raise UnwritableIdError(f"{why} {said}", in_window=f"{why} {in_window}")
            self._n_kept += 1
        return text

    def text(self, text: str, what: str) -> str:
        """Return a text, with an apostrophe in front where it looks like a formula.

        Raises:
            InputError: no file can hold it.
        """
        _check_text(text, what)
        if not is_formula(text):
            return text
        if self._formulas is Formulas.KEEP_ALL:
            self._n_kept += 1
            return text
        self._n_guarded += 1
        return GUARD + text

    def own_text(self, text: str, what: str) -> str:
        """Return a text of a table that judgetool reads back as its own.

        Reading takes one guard off, so that a text that has one by itself gets another.

        Raises:
            InputError: no file can hold it.
        """
        return GUARD + text if is_guarded(text) else self.text(text, what)

    def tell(self) -> None:
        """Add what was done to the notes, if anything was."""
        state_number(
            self._notes,
            self._n_guarded,
            "{n} text that begins as a formula does got an apostrophe in front.",
            "{n} texts that begin as formulas do got an apostrophe in front.",
        )
        state_number(
            self._notes,
            self._n_kept,
            "{n} cell begins as a formula does and stays as it is: a spreadsheet may run it.",
            "{n} cells begin as formulas do and stay as they are: a spreadsheet may run them.",
        )


_CALLED = (
    *(N_("query id"), N_("document id"), N_("assessor"), N_("query"), N_("query text")),
    *(N_("name of the run"), N_("title"), N_("text"), N_("note"), N_("name of the field")),
    *(N_("address"), N_("rationale")),
)
"""What cells are called in a sentence; translated there."""


def _check_text(text: str, what: str) -> None:
    problem = find_storage_problem(text)
    if problem:
        raise InputError(
            _("The {what} ‘{text}’ cannot be written: {problem}. Nothing was written.").format(
                what=_(what), text=visible(text[:80]), problem=problem
            )
        )


ID, OWN_TEXT, TEXT, PLAIN = range(4)
"""What cells of a column hold: ids, texts of a table that judgetool reads back as its own, other
texts, and what is made of numbers."""
CsvColumns: TypeAlias = Sequence[tuple[str, int, str]]
"""Header, what its cells hold, and how a sentence calls them."""


def iter_csv(
    material: ExportMaterial,
    choices: ExportChoices,
    columns: CsvColumns,
    rows: Iterable[Sequence[str]],
) -> Iterator[str]:
    """Yield a CSV with a header, safe to open in a spreadsheet; what was done is noted.

    Args:
        material: gets the notes.
        choices: what becomes of what looks like a formula.
        columns: in order.
        rows: a text for each column.

    Raises:
        InputError: an id looks like a formula, and such ids are to be refused; or a text
            that no file can hold.
    """
    cells = SafeCells(choices.formulas, material.notes)
    makers = (cells.id, cells.own_text, cells.text, lambda text, _what: text)
    making = [(makers[holds], what) for _, holds, what in columns]
    # Names of assessors are ids, too; of the other headers none looks like a formula.
    yield csv_line([cells.id(header, what) for header, _, what in columns])
    for row in rows:
        yield csv_line([make(text, what) for text, (make, what) in zip(row, making, strict=True)])
    cells.tell()


def _columns(material: ExportMaterial, choices: ExportChoices) -> tuple[str, ...]:
    """Return the names of the columns of judgments in full; of kinds only where there are any."""
    kinds = (KIND_COLUMN,) if any(row.details.kind for row in material.judgments) else ()
    names = ("order" if name == "at" and choices.anonymous else name for name in COLUMNS)
    return (*names, *kinds)


LongRow = dict[str, Any]
"""The values of a judgment, typed as they are, by the columns in which they stand, in their order."""


def _iter_long_rows(material: ExportMaterial, choices: ExportChoices) -> Iterator[LongRow]:
    """Yield a row for each judgment, in the material's order.

    Of what is anonymous the place in the order of judging stands for the time.
    """
    names = _columns(material, choices)
    for row in material.judgments:
        details = row.details
        at = details.at if choices.anonymous else moment_text(details.at)
        effort = (details.flagged, details.spent_ms, details.confidence)
        # The kind may have no column.
        values = (*row[:6], at, *effort, details.spans, details.kind)
        yield dict(zip(names, values, strict=False))


def iter_shown_rows(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield the header and the rows as people read them, cells separated by tabs."""
    yield "\t".join(_columns(material, choices))
    for row in _iter_long_rows(material, choices):
        cells = _plain(row).values()
        shown = (format_grade(cell) if isinstance(cell, float) else cell for cell in cells)
        yield "\t".join("" if cell is None else str(cell) for cell in shown)


def _plain(row: LongRow) -> LongRow:
    """Return a row with a text for its pieces of text."""
    return row | {"rationale": spans_text(row["rationale"])}


_LONG_HOLDS = (
    (ID, "query id"),
    (ID, "document id"),
    (ID, "assessor"),
    (PLAIN, ""),
    (PLAIN, ""),
    (OWN_TEXT, "note"),
    *((TEXT, "rationale") for _ in COLUMNS[6:]),
    (PLAIN, ""),
)


def iter_judgments_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV of judgments in full; raises as :func:`iter_csv`."""
    names = _columns(material, choices)
    rows = (
        [_csv_text(value) for value in _plain(row).values()]
        for row in _iter_long_rows(material, choices)
    )
    columns = zip(names, _LONG_HOLDS[: len(names)], strict=True)
    return iter_csv(material, choices, [(name, *holds) for name, holds in columns], rows)


def _csv_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return format_number(value)
    return "" if value is None else str(value)


def iter_judgments_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a JSON object for each judgment; what is not said is left out of it."""
    for row in _iter_long_rows(material, choices):
        said = {name: value for name, value in row.items() if value not in ("", None, ())}
        if "grade" in said:
            # 2 and not 2.0, as everywhere.
            said["grade"] = json.loads(format_grade(said["grade"]))
        if not said["flagged"]:
            del said["flagged"]
        if "rationale" in said:
            said["rationale"] = spans_values(said["rationale"])
        yield _json_line(said)


_PAIR = (("query", ID, "query"), ("docid", ID, "document id"))


def iter_case(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query,docid,rating``; a query without ratings is a row with empty cells.

    Raises:
        InputError: two queries have one text; or as :func:`iter_csv`.
    """
    rows = graded_rows(material, choices, is_whole=False)
    keys = texts_as_keys(material.queries, whose="Quepid")
    groups = list(grades_by_query(material, rows, has_empty=True))
    cells = (
        (keys[query.id], *pair)
        for query, graded in groups
        for pair in [(row.document_id, format_number(row.number)) for row in graded] or [("", "")]
    )
    yield from iter_csv(material, choices, (*_PAIR, ("rating", PLAIN, "")), cells)
    n_awkward = sum("," in keys[query.id] and '"' in keys[query.id] for query, _ in groups)
    state_number(
        material.notes,
        n_awkward,
        "{n} query holds both a comma and a quotation mark, which Quepid’s own import refuses.",
        "{n} queries hold both a comma and a quotation mark, which Quepid’s own import refuses.",
    )


def iter_book(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield ``query,docid`` and a column for each assessor who gave a grade; blank where none.

    What was settled is nobody's opinion: a column would be one more person in Quepid.

    Raises:
        InputError: as for :func:`iter_case`.
    """
    keys = texts_as_keys(material.queries, whose="Quepid")
    said = [row for row in material.judgments if row.details.kind != "settled"]
    graders = {row.assessor for row in said if row.grade is not None}
    judges = [name for name in material.assessors if name in graders]
    columns = (*_PAIR, *((name, PLAIN, "assessor") for name in judges))
    rows = (
        (keys[query], document, *(given.get(name, "") for name in judges))
        for (query, document), given in _given(said).items()
    )
    yield from iter_csv(material, choices, columns, rows)
    state_number(
        material.notes,
        len(material.judgments) - len(said),
        "{n} settled grade is left out: it is nobody’s opinion, and a column would make a person of it.",
        "{n} settled grades are left out: they are nobody’s opinion, and a column would make a person of them.",
    )
    n_lost = sum(row.state != State.JUDGED for row in said)
    state_number(
        material.notes,
        n_lost,
        "{n} judgment without a grade (skipped, cannot judge, a note alone) is left out.",
        "{n} judgments without a grade (skipped, cannot judge, a note alone) are left out.",
    )


def _given(said: Iterable[JudgmentRow]) -> dict[tuple[str, str], dict[str, str]]:
    """Return grades as text, by query and document, then by assessor."""
    given: dict[tuple[str, str], dict[str, str]] = {}
    for row in said:
        if row.grade is not None:
            of_pair = given.setdefault((row.query_id, row.document_id), {})
            of_pair[row.assessor] = format_number(row.grade)
    return given


MAX_SHEET_ROWS = 1_048_576
MAX_CELL_CHARACTERS = 32_767
# Rows that are turned into columns at a time: more would hold up the window's thread.
_GROUP = 10_000
_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")


def iter_parquet(material: ExportMaterial, choices: ExportChoices) -> Iterator[bytes]:
    """Yield a Parquet file: texts, float64 grades, UTC times, what is not said as null.

    Raises:
        InputError: a text that no file can hold.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - loaded when needed: 30 MB
        import pyarrow.parquet as pq  # noqa: PLC0415 - likewise
    except ImportError:
        raise InputError(_("{what} Nothing was written.").format(what=no_parquet())) from None
    number = pa.int64()
    spans = [("field", pa.string()), ("start", number), ("end", number), ("text", pa.string())]
    types = {
        "grade": pa.float64(),
        "at": pa.timestamp("ms", tz="UTC"),
        "order": pa.int64(),
        "flagged": pa.bool_(),
        "spent_ms": pa.int64(),
        "confidence": pa.int8(),
        "rationale": pa.list_(pa.struct(spans)),
    }
    names = _columns(material, choices)
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    packed = io.BytesIO()
    rows = map(_checked, _iter_long_rows(material, choices))
    with pq.ParquetWriter(packed, schema) as writer:
        while some := list(islice(rows, _GROUP)):
            columns = {name: [row[name] for row in some] for name in names}
            if KIND_COLUMN in columns:
                columns[KIND_COLUMN] = [kind or None for kind in columns[KIND_COLUMN]]
            if "at" in columns:
                times = columns["at"]
                columns["at"] = [datetime.fromisoformat(time) if time else None for time in times]
            columns["rationale"] = [spans_values(each) or None for each in columns["rationale"]]
            writer.write_table(pa.Table.from_pydict(columns, schema=schema))
    yield packed.getvalue()


def iter_excel(material: ExportMaterial, choices: ExportChoices) -> Iterator[bytes]:
    """Yield a workbook of one sheet; every text is a text cell, whatever it begins with.

    Raises:
        InputError: more rows, longer texts or other characters than a sheet can hold.
    """
    from openpyxl import Workbook  # noqa: PLC0415 - loaded when needed
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - likewise
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # noqa: PLC0415 - likewise

    if len(material.judgments) >= MAX_SHEET_ROWS:
        raise InputError(
            _(
                "An Excel sheet holds {max_sheet_rows} rows, and there are {judgments} "
                "judgments. Nothing was written; export Parquet or CSV."
            ).format(
                max_sheet_rows=local_count(MAX_SHEET_ROWS - 1),
                judgments=local_count(len(material.judgments)),
            )
        )
    rows = list(map(_checked, _iter_long_rows(material, choices)))
    for row in rows:
        # Before the first cell: openpyxl cannot leave a sheet half way.
        for text in filter(None, _texts(row)):
            _check_cell(text, row, has_control=bool(ILLEGAL_CHARACTERS_RE.search(text)))
    book = Workbook(write_only=True)
    book.properties.creator = "judgetool"
    book.properties.created = _CREATED.replace(tzinfo=None)
    sheet = book.create_sheet("judgments")
    sheet.freeze_panes = "A2"
    sheet.append(_columns(material, choices))
    for row in rows:
        cells = []
        for value in _plain(row).values():
            if isinstance(value, str) and value:
                cell = WriteOnlyCell(sheet, value)
                # openpyxl takes a text with = in front for a formula unless told otherwise.
                cell.data_type = "s"
                cells.append(cell)
            else:
                cells.append(None if value == "" else value)
        sheet.append(cells)
    packed = io.BytesIO()
    book.save(packed)
    yield _without_times(packed)


def _texts(row: LongRow) -> tuple[str, ...]:
    return tuple(
        _plain(row)[name] for name in ("query", "document", "assessor", "note", "rationale")
    )


def _checked(row: LongRow) -> LongRow:
    for text in _texts(row):
        problem = find_storage_problem(text)
        if problem:
            raise InputError(
                _("{row} cannot be written: {problem}. Nothing was written.").format(
                    row=_where(row), problem=problem
                )
            )
    return row


def _check_cell(text: str, row: LongRow, *, has_control: bool) -> None:
    if len(text) > MAX_CELL_CHARACTERS:
        raise InputError(
            _(
                "{row} has a text of {text} characters; an Excel cell holds "
                "{max_cell_characters}. Nothing was written; export Parquet or CSV."
            ).format(
                row=_where(row),
                text=local_count(len(text)),
                max_cell_characters=local_count(MAX_CELL_CHARACTERS),
            )
        )
    if has_control:
        raise InputError(
            _(
                "{row} has a control character, which an Excel cell cannot hold. Nothing was "
                "written; export Parquet or JSON lines."
            ).format(row=_where(row))
        )


def _where(row: LongRow) -> str:
    return _("The judgment of document ‘{document}’ for query ‘{query}’").format(
        document=row["document"][:80], query=row["query"][:80]
    )


def _without_times(packed: io.BytesIO) -> bytes:
    """Return the workbook without the time of writing: the same judgments give the same file."""
    again = io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(again, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>2000-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, date_time=_BEGINNING_OF_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return again.getvalue()


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
    state_number(
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
    lost: list[str] = []
    name = material.run.name if material.run else ""
    for row, rank, text, document in _ranked(material):
        values: dict[str, Any] = {"query_id": row.query_id, "query": text, "rank": rank}
        values |= {"doc_id": row.document_id, "run": name}
        if row.score is not None:
            values["score"] = json.loads(format_number(row.score))
        further = _further(document.fields, _OWN_FIELDS, lost)
        yield _json_line(values | _said(document) | further)
    state_number(material.notes, len(lost), *_OWN_NAMES)


# -- documents


def iter_documents_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV of all documents that have a text."""
    rows = ((each.id, each.title, each.url, each.body) for each in material.iter_documents())
    return iter_csv(material, choices, (("doc_id", ID, "document id"), *_TEXTS), rows)


def iter_documents_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a JSON object for each document that has a text, with its fields."""
    lost: list[str] = []
    for document in material.iter_documents():
        further = _further(document.fields, _OWN_FIELDS, lost)
        yield _json_line({"doc_id": document.id} | _said(document) | further)
    state_number(material.notes, len(lost), *_OWN_NAMES)


# -- BEIR


# Where one of these stands in the metadata, too, that is not read beside the rest.
_OF_BEIR = ("_id", "text", "metadata")
_OF_CORPUS = frozenset({*_OF_BEIR, "title", "url"})


def iter_beir_corpus(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``corpus.jsonl``: ``_id``, ``title``, ``text``, and the rest as ``metadata``."""
    lost: list[str] = []
    n_pictures = 0
    for document in material.iter_documents():
        values = {"_id": document.id, "title": document.title, "text": document.body}
        address = {"url": document.url} if document.url else {}
        metadata = address | _further(document.fields, _OF_CORPUS, lost)
        n_pictures += bool(document.image)
        yield _json_line(values | {"metadata": metadata})
    state_number(material.notes, len(lost), *_OWN_NAMES)
    state_number(
        material.notes,
        n_pictures,
        "The picture of {n} document is not in it.",
        "The pictures of {n} documents are not in it.",
    )


def iter_beir_queries(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield ``queries.jsonl``: ``_id``, ``text``, and the rest as ``metadata``."""
    lost: list[str] = []
    for query in material.queries:
        own = _own_values(query)
        metadata = {name: own[name] for name in _OWN if name in own and name not in _OF_QUERIES}
        further = _further(query.fields, (*_OWN, *_OF_BEIR), lost)
        values = {"_id": query.id, "text": query.text}
        yield _json_line(values | {"metadata": metadata | further})
    state_number(material.notes, len(lost), *_OWN_NAMES)


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


def _further(fields: Mapping[str, str], own: Collection[str], lost: list[str]) -> dict[str, str]:
    """Return further fields without those that have the name of one of judgetool's own columns.

    ``lost`` gets these.
    """
    lost += (name for name in fields if name in own)
    return {name: text for name, text in fields.items() if name not in own}


_BREAKS = re.compile(r"[\t\n\r\v\f\0]+")
_OF_QUERIES = ("query_id", "text")
_OWN = (*_OF_QUERIES, "description", "narrative", "weight", "category")


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
    state_number(
        material.notes,
        n_changed,
        "In {n} text tabs or line ends became blanks.",
        "In {n} texts tabs or line ends became blanks.",
    )


def iter_topics_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield one JSON object for each query, with all that is known of it."""
    lost: list[str] = []
    for query in material.queries:
        yield _json_line({**_own_values(query), **_further(query.fields, _OWN, lost)})
    state_number(material.notes, len(lost), *_OWN_NAMES)


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
    sign = "# "
    for title, head, rows, sentences in _tables(material, choices, markdown, "**{}**"):
        yield f"{sign}{markdown(title)}\n\n"
        yield markdown_table(head, rows, sentences)
        sign = "\n## "


_Table = tuple[str, Sequence[str], Iterable[list[str]], Sequence[str]]
"""Its title, the names of its columns, its rows, and what is said under it."""


def _tables(
    material: ExportMaterial, choices: ExportChoices, escaped: Callable[[str], str], bold: str
) -> Iterator[_Table]:
    """Yield the tables of a report, with the values and with the agreement, their cells escaped."""
    table = material.report
    if table is None:
        return
    body = _iter_body(table, choices.digits, escaped, bold=bold)
    yield table.title, ["run", *table.measures], body, remarks(table)
    if table.agreement is not None:
        rows = (
            [escaped(name), *(escaped(_value_text(each, choices.digits)) for each in figures)]
            for name, _scope, *figures in table.agreement.rows
        )
        yield "Agreement", AGREEMENT_HEAD, rows, table.agreement.sentences


def iter_html(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a complete HTML page with the table; nothing is loaded from elsewhere."""
    tables = [*_tables(material, choices, _html, "<strong>{}</strong>")]
    if not tables:
        return
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_html(tables[0][0])}</title>\n<style>\n"
        "body { font-family: sans-serif; margin: 2em; }\n"
        "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
        "th, td { padding: 0.3em 0.8em; border-bottom: 1px solid #ccc; text-align: right; }\n"
        "th:first-child, td:first-child { text-align: left; }\n"
        "</style>\n</head>\n<body>\n"
    )
    for level, (title, head, rows, sentences) in enumerate(tables, 1):
        yield f"<h{level}>{_html(title)}</h{level}>\n<table>\n<thead>\n"
        yield from _html_table(head, rows, sentences)
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
    for title, head, rows, sentences in _tables(material, choices, latex, r"\textbf{{{}}}"):
        yield latex_table(head, rows, (f"{title}.", *sentences))


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


def _value_text(value: float | None, digits: int, *, is_count: bool = False) -> str:
    if value is None:
        return _NOTHING
    if is_count and float(value).is_integer():
        return str(int(value))
    return f"{value:.{digits}f}"


def _html(text: str) -> str:
    return html.escape(one_line(text))
