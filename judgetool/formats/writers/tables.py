"""Judgments in full: a row for everything that an assessor said."""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple, TypeAlias

from judgetool.core.judgments import Span, State
from judgetool.core.scale import format_grade
from judgetool.errors import InputError
from judgetool.formats.columns import note_number
from judgetool.formats.judgments import moment_text, spans_text, spans_values
from judgetool.formats.judgments_table import COLUMNS, KIND_COLUMN
from judgetool.formats.output import GUARD, csv_line, format_number, is_formula, is_guarded
from judgetool.formats.records import find_storage_problem
from judgetool.formats.values import JudgmentRow, no_parquet
from judgetool.formats.writers.grades import graded_rows, grades_by_query, texts_as_keys
from judgetool.formats.writers.values import ExportChoices, ExportMaterial, Formulas
from judgetool.wording import N_, _, local_number, visible


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
            InputError: it looks like a formula, and such ids are to be refused; or no
                file can hold it.
        """
        _check_text(text, what)
        if is_formula(text):
            if self._formulas is Formulas.REFUSE_IDS:
                raise InputError(
                    _(
                        "The {what} ‘{text}’ begins as a formula does, and a spreadsheet would run it "
                        "or change it. Ids are never changed: nothing was written. Choose to keep such "
                        "ids, or a format that is not for spreadsheets (JSON lines, qrels)."
                    ).format(what=_(what), text=visible(text[:80]))
                )
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
        note_number(
            self._notes,
            self._n_guarded,
            "{n} text that begins as formulas do got an apostrophe in front.",
            "{n} texts that begin as formulas do got an apostrophe in front.",
        )
        note_number(
            self._notes,
            self._n_kept,
            "{n} cell begins as formulas do and stay as they are: a spreadsheet may run them.",
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


class LongRow(NamedTuple):
    """One row, its values typed as they are; named and ordered as ``COLUMNS``, the kind last.

    Of what is anonymous ``at`` is the place in the order of judging, and its column ``order``.
    """

    query: str
    document: str
    assessor: str
    grade: float | None
    state: str
    note: str
    at: str | int | None
    flagged: bool
    spent_ms: int | None
    confidence: int | None
    rationale: tuple[Span, ...]
    kind: str


def _columns(material: ExportMaterial, choices: ExportChoices) -> tuple[str, ...]:
    """Return the names of the columns of judgments in full; of kinds only where there are any."""
    kinds = (KIND_COLUMN,) if any(row.details.kind for row in material.judgments) else ()
    names = ("order" if name == "at" and choices.anonymous else name for name in COLUMNS)
    return (*names, *kinds)


def iter_long_rows(material: ExportMaterial, choices: ExportChoices) -> Iterator[LongRow]:
    """Yield a row for each judgment, in the material's order."""
    for row in material.judgments:
        details = row.details
        yield LongRow(
            *row[:6],
            details.at if choices.anonymous else moment_text(details.at),
            details.flagged,
            details.spent_ms,
            details.confidence,
            details.spans,
            details.kind,
        )


def iter_shown_rows(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield the header and the rows as people read them, cells separated by tabs."""
    columns = _columns(material, choices)
    yield "\t".join(columns)
    for row in iter_long_rows(material, choices):
        cells = (*row[:-2], spans_text(row.rationale), row.kind)[: len(columns)]
        shown = (format_grade(cell) if isinstance(cell, float) else cell for cell in cells)
        yield "\t".join("" if cell is None else str(cell) for cell in shown)


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
        (
            *(row.query, row.document, row.assessor),
            *("" if row.grade is None else format_number(row.grade), row.state, row.note),
            "" if row.at is None else str(row.at),
            "yes" if row.flagged else "",
            *("" if count is None else str(count) for count in (row.spent_ms, row.confidence)),
            spans_text(row.rationale),
            row.kind,
        )[: len(names)]
        for row in iter_long_rows(material, choices)
    )
    columns = zip(names, _LONG_HOLDS[: len(names)], strict=True)
    return iter_csv(material, choices, [(name, *holds) for name, holds in columns], rows)


def iter_judgments_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a JSON object for each judgment; what is not said is left out of it."""
    columns = _columns(material, choices)
    for row in iter_long_rows(material, choices):
        named = zip(columns, row[: len(columns)], strict=True)
        said: dict[str, object] = {n: value for n, value in named if value not in ("", None, ())}
        if row.grade is not None:
            # 2 and not 2.0, as everywhere.
            said["grade"] = json.loads(format_grade(row.grade))
        if not row.flagged:
            del said["flagged"]
        if row.rationale:
            said["rationale"] = spans_values(row.rationale)
        yield json.dumps(said, ensure_ascii=False) + "\n"


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
    note_number(
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
    note_number(
        material.notes,
        len(material.judgments) - len(said),
        "{n} settled grade is left out: it is nobody’s opinion, and a column would make a person of it.",
        "{n} settled grades are left out: they are nobody’s opinion, and a column would make a person of them.",
    )
    n_lost = sum(row.state != State.JUDGED for row in said)
    note_number(
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
    rows = map(_checked, iter_long_rows(material, choices))
    with pq.ParquetWriter(packed, schema) as writer:
        while some := list(islice(rows, _GROUP)):
            columns: dict[str, list[object]] = {
                name: list(column)
                for name, column in zip(names, zip(*some, strict=True), strict=False)
            }
            if KIND_COLUMN in columns:
                columns[KIND_COLUMN] = [row.kind or None for row in some]
            if "at" in columns:
                times = (str(row.at or "") for row in some)
                columns["at"] = [datetime.fromisoformat(time) if time else None for time in times]
            columns["rationale"] = [spans_values(row.rationale) or None for row in some]
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
                max_sheet_rows=local_number(f"{MAX_SHEET_ROWS - 1:,}"),
                judgments=local_number(f"{len(material.judgments):,}"),
            )
        )
    rows = list(map(_checked, iter_long_rows(material, choices)))
    for row in rows:
        # Before the first cell: openpyxl cannot leave a sheet half way.
        for text in filter(None, _texts(row)):
            _check_cell(text, row, has_control=bool(ILLEGAL_CHARACTERS_RE.search(text)))
    book = Workbook(write_only=True)
    book.properties.creator = "judgetool"
    book.properties.created = _CREATED.replace(tzinfo=None)
    sheet = book.create_sheet("judgments")
    sheet.freeze_panes = "A2"
    columns = _columns(material, choices)
    sheet.append(columns)
    for row in rows:
        cells = []
        for value in (*row[:-2], spans_text(row.rationale), row.kind)[: len(columns)]:
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
    return row.query, row.document, row.assessor, row.note, spans_text(row.rationale)


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
                text=local_number(f"{len(text):,}"),
                max_cell_characters=local_number(f"{MAX_CELL_CHARACTERS:,}"),
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
        document=row.document[:80], query=row.query[:80]
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
