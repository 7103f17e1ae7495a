"""What an import preview says of a file: rows as understood, findings, grades, a report.

Plain values made from a reading and its report; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath

from judgetool.core.scale import Scale, format_grade
from judgetool.formats import FORMATS, JudgmentTable, Kind, Reading, Refusal
from judgetool.session.import_plan import FileReport, ImportPlan

MAX_ROWS = 8
MAX_CELL = 200
MAX_LISTED = 1_000

KIND_TITLES = {
    Kind.QUERIES: "Queries",
    Kind.DOCUMENTS: "Documents",
    Kind.RUN: "Run",
    Kind.JUDGMENTS: "Judgments",
    Kind.RESULTS: "Results with texts",
}
RECORD_NOUNS = {
    Kind.QUERIES: ("query", "queries"),
    Kind.DOCUMENTS: ("document", "documents"),
    Kind.RUN: ("result", "results"),
    Kind.JUDGMENTS: ("judgment", "judgments"),
    Kind.RESULTS: ("result", "results"),
}
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


@dataclass(frozen=True, slots=True)
class PreviewRows:
    """The first rows of a file as they were understood.

    Attributes:
        heads: of the columns; ``line`` and ``grade`` are set in a way of their own.
        rows: at most 8, cells as text.
        total: rows in all.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int


@dataclass(frozen=True, slots=True)
class FileView:
    """What is shown of a reading; made where it was read, as it may be large.

    Attributes:
        rows: the first ones.
        counts: how often each grade occurs, highest first.
        has_nameless: whether there are judgments that name nobody.
    """

    rows: PreviewRows
    counts: Mapping[float, int]
    has_nameless: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is said of a file.

    Attributes:
        level: ``good``, ``warn`` or ``note``.
        title: in a few words.
        text: the rest, in sentences.
        lines: what 'Show them' shows; empty where there is nothing to show.
    """

    level: str
    title: str
    text: str = ""
    lines: tuple[str, ...] = ()


def make_view(reading: Reading) -> FileView:
    """Return what is shown of a reading."""
    table = reading.judgments
    has_nameless = table is not None and any(name is None for name in table.assessors)
    return FileView(preview_rows(reading), grade_counts(reading), has_nameless)


def count_of(count: int, one: str, many: str = "") -> str:
    """Return ``1 line``, ``1,404 lines``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def preview_rows(reading: Reading) -> PreviewRows:
    """Return the first rows of what was read, without columns that are empty there."""
    heads, rows, total = _ROWS[reading.kind](reading)
    shown = [tuple(map(_cell, row)) for row in islice(rows, MAX_ROWS)]
    kept = [
        place
        for place, head in enumerate(heads)
        if head in ("query", "document", "grade") or any(row[place] for row in shown)
    ]
    return PreviewRows(
        tuple(heads[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in shown),
        total,
    )


def _cell(text: str) -> str:
    """Return a text short enough to be painted, on one line."""
    return " ".join(text[:MAX_CELL].split())


_Rows = tuple[tuple[str, ...], Iterator[tuple[str, ...]], int]


def _query_rows(reading: Reading) -> _Rows:
    rows = (
        (query.id, query.text, query.description, query.narrative, query.category)
        for query in reading.queries
    )
    return ("id", "text", "description", "narrative", "category"), rows, len(reading.queries)


def _document_rows(reading: Reading) -> _Rows:
    extra = tuple(dict.fromkeys(key for doc in reading.documents[:MAX_ROWS] for key in doc.fields))
    rows = (
        (doc.id, doc.title, doc.url, doc.body, *(doc.fields.get(key, "") for key in extra[:3]))
        for doc in reading.documents
    )
    return ("id", "title", "address", "text", *extra[:3]), rows, len(reading.documents)


def _run_rows(reading: Reading) -> _Rows:
    titles = {doc.id: doc.title for doc in reading.documents}
    total = sum(len(run.documents) for run in reading.runs)
    heads = ("run", "query", "rank", "document", "score", "title")
    return heads, _iter_ranked(reading, titles), total


def _iter_ranked(reading: Reading, titles: dict[str, str]) -> Iterator[tuple[str, ...]]:
    for run in reading.runs:
        for number, query_id in enumerate(run.query_ids):
            start, end = int(run.offsets[number]), int(run.offsets[number + 1])
            for place in range(start, end):
                document_id = run.document_ids[int(run.documents[place])]
                score = "" if run.scores is None else f"{float(run.scores[place]):.6g}"
                rank = str(place - start + 1)
                title = titles.get(document_id, "")
                name = run.name if len(reading.runs) > 1 else ""
                yield name, query_id, rank, document_id, score, title


def _judgment_rows(reading: Reading) -> _Rows:
    table = reading.judgments or JudgmentTable()
    rows = (
        (
            f"{table.lines[row]:,}" if table.lines else "",
            table.query_ids[row],
            table.document_ids[row],
            table.assessors[row] or "",
            "" if table.grades[row] is None else format_grade(table.grades[row] or 0),
            (table.states[row] or "").replace("_", " ") if table.grades[row] is None else "",
            table.notes[row],
        )
        for row in _telling_rows(table)
    )
    heads = ("line", "query", "document", "assessor", "grade", "state", "note")
    return heads, rows, len(table)


def _telling_rows(table: JudgmentTable) -> list[int]:
    """Return the rows that show most of a file: the first, and the first of each kind."""
    chosen = dict.fromkeys(range(min(3, len(table))))
    seen: set[tuple[str, object]] = set()
    for row in range(len(table)):
        marks: set[tuple[str, object]] = {
            ("grade", table.grades[row]),
            ("assessor", table.assessors[row]),
            ("note", bool(table.notes[row])),
        }
        if not marks <= seen:
            chosen[row] = None
            seen |= marks
        if len(chosen) >= MAX_ROWS:
            break
    for row in range(len(table)):
        if len(chosen) >= MAX_ROWS:
            break
        chosen[row] = None
    return sorted(chosen)


_ROWS: dict[Kind, Callable[[Reading], _Rows]] = {
    Kind.QUERIES: _query_rows,
    Kind.DOCUMENTS: _document_rows,
    Kind.RUN: _run_rows,
    Kind.RESULTS: _run_rows,
    Kind.JUDGMENTS: _judgment_rows,
}


def describe_encoding(reading: Reading) -> str:
    """Return how a file was decoded and divided: ``UTF-8, comma``."""
    encoding = reading.encoding.replace("-sig", " with BOM").replace("+gzip", ", gzip")
    encoding = encoding.replace("utf", "UTF")
    delimiter = _DELIMITERS.get(reading.delimiter or "", "")
    return ", ".join(part for part in (encoding, delimiter) if part)


def describe_format(reading: Reading) -> str:
    """Return a format's title."""
    return FORMATS[reading.format].title if reading.format in FORMATS else reading.format


def grade_counts(reading: Reading) -> dict[float, int]:
    """Return how often each grade occurs, highest first; negative ones (pooled) left out."""
    if reading.judgments is None:
        return {}
    counts = Counter(grade for grade in reading.judgments.grades if grade is not None)
    return {grade: counts[grade] for grade in sorted(counts, reverse=True) if grade >= 0}


def disputes(table: JudgmentTable) -> dict[tuple[str, str], dict[str, float]]:
    """Return the pairs that several assessors of one file graded differently, with who said what."""
    said: dict[tuple[str, str], dict[str, float]] = {}
    for row, grade in enumerate(table.grades):
        if grade is not None and grade >= 0:
            pair = table.query_ids[row], table.document_ids[row]
            said.setdefault(pair, {})[table.assessors[row] or ""] = grade
    return {pair: grades for pair, grades in said.items() if len(set(grades.values())) > 1}


def find_findings(
    report: FileReport, scale: Scale, *, known_queries: Collection[str]
) -> tuple[Finding, ...]:
    """Return what is to be said of a file, most telling first.

    Args:
        report: what importing it would do.
        scale: the project's.
        known_queries: ids that the project or the files with texts have; empty where
            there are none, which is then no news.
    """
    findings = [_lines_finding(report)]
    if report.reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings.append(_news_finding(report))
    findings += _match_findings(report.reading, known_queries)
    findings += [Finding("note", "", note) for note in report.notes]
    return tuple(findings)


def refusal_line(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    where = "" if refusal.line is None else f"Line {refusal.line:,}: "
    return f"{where}{refusal.reason}."


def _lines_finding(report: FileReport) -> Finding:
    one, many = RECORD_NOUNS[report.reading.kind]
    records = count_of(report.n_records, one, many)
    assessors = _assessor_counts(report.reading)
    who = f"{records}: {assessors}." if assessors else f"{records}."
    if not report.reading.n_refused:
        return Finding("good", "Every line was read", who)
    lines = [refusal_line(refusal) for refusal in report.reading.refusals]
    n_refused = report.reading.n_refused
    others = f"The others were read: {who}" if report.n_records else "Nothing else was in it."
    return Finding(
        "warn",
        f"{count_of(n_refused, 'line')} left out",
        f"{lines[0]} {others}" if lines else others,
        tuple(lines[:MAX_LISTED]),
    )


def _assessor_counts(reading: Reading) -> str:
    if reading.judgments is None:
        return ""
    counts = Counter(name for name in reading.judgments.assessors if name)
    shown = [f"{count:,} by {name}" for name, count in counts.most_common(4)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more:,} others" if more > 0 else "")


def _judgment_findings(report: FileReport, scale: Scale) -> Iterator[Finding]:
    n_off = report.n_refused - report.reading.n_refused
    lines = [refusal_line(refusal) for refusal in report.refusals[len(report.reading.refusals) :]]
    if n_off > 0:
        yield Finding(
            "warn",
            f"{count_of(n_off, 'grade')} not on the scale {scale.label}",
            f"{lines[0]} They are left out; change the scale in Project ▸ Scale to take them in.",
            tuple(lines[:MAX_LISTED]),
        )
    elif grade_counts(report.reading):
        yield Finding(
            "good",
            f"Grades fit the scale {scale.label}",
            "No other value occurs, so nothing has to be mapped.",
        )
    table = report.reading.judgments or JudgmentTable()
    disputed = disputes(table)
    if disputed:
        yield _dispute_finding(disputed, table)


def _dispute_finding(
    disputed: dict[tuple[str, str], dict[str, float]], table: JudgmentTable
) -> Finding:
    by_pair: dict[tuple[str, str], set[str | None]] = {}
    for row, query_id in enumerate(table.query_ids):
        by_pair.setdefault((query_id, table.document_ids[row]), set()).add(table.assessors[row])
    n_shared = sum(len(names) > 1 for names in by_pair.values())
    lines = tuple(
        f"{query_id}  {document_id}  "
        + ", ".join(f"{name or 'nobody named'} {format_grade(g)}" for name, g in grades.items())
        for (query_id, document_id), grades in islice(disputed.items(), MAX_LISTED)
    )
    return Finding(
        "warn",
        f"{len(disputed):,} of {count_of(n_shared, 'pair')} are disputed",
        "Assessors gave different grades. All are kept; the view of judgments decides "
        "which counts.",
        lines,
    )


def _news_finding(report: FileReport) -> Finding:
    parts = (
        (report.n_new, "new"),
        (report.n_changed, "changed"),
        (report.n_unchanged, "here already"),
    )
    shown = ", ".join(f"{count:,} {word}" for count, word in parts if count)
    if not report.n_changed and not report.n_unchanged:
        return Finding("good", "All of it is new", "")
    if not report.n_new and not report.n_changed:
        return Finding("note", "Nothing of it is new", "The project has all of this, just so.")
    level = "warn" if report.n_changed else "good"
    text = "What changed replaces what the project has; Undo brings it back."
    return Finding(level, shown[:1].upper() + shown[1:], text if report.n_changed else "")


def query_ids_of(reading: Reading) -> set[str]:
    """Return the ids of queries that a run or judgments name."""
    ids = {query_id for run in reading.runs for query_id in run.query_ids}
    if reading.judgments is not None:
        ids.update(reading.judgments.query_ids)
    return ids


def _match_findings(reading: Reading, known_queries: Collection[str]) -> Iterator[Finding]:
    if reading.kind not in (Kind.RUN, Kind.JUDGMENTS) or not known_queries:
        return
    named = query_ids_of(reading)
    strange = sorted(named - set(known_queries))
    if not strange:
        return
    n_known = len(named) - len(strange)
    if n_known * 2 < len(named):
        yield Finding(
            "warn",
            f"Only {n_known:,} of {count_of(len(named), 'query id')} are known here",
            f"In {PurePath(reading.source).name} most queries are new: perhaps another "
            "collection’s file.",
            tuple(strange[:MAX_LISTED]),
        )
    else:
        yield Finding(
            "note",
            f"{count_of(len(strange), 'query', 'queries')} without text",
            "Neither the project nor these files have a text for them; they are added by "
            "their ids.",
            tuple(strange[:MAX_LISTED]),
        )


def worst_level(findings: Sequence[Finding]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"


def n_to_write(plan: ImportPlan) -> int:
    """Return how many records would be written: new and changed ones."""
    return sum(report.n_new + report.n_changed for report in plan.files)


def report_text(plan: ImportPlan) -> str:
    """Return the whole preview as text, for the clipboard."""
    lines = []
    for report in plan.files:
        reading = report.reading
        lines.append(
            f"{reading.source}: {describe_format(reading)}, {describe_encoding(reading)}, "
            f"{count_of(reading.n_lines, 'line')}"
        )
        lines.append(
            f"  {report.n_records:,} records: {report.n_new:,} new, {report.n_changed:,} changed, "
            f"{report.n_unchanged:,} here already; {count_of(report.n_refused, 'line')} left out"
        )
        lines += [f"  {note}" for note in report.notes]
        lines += [f"  {refusal_line(refusal)}" for refusal in report.refusals]
    return "\n".join(lines)


def done_sentence(plan: ImportPlan) -> str:
    """Return what the status line says after an import."""
    n_refused = sum(report.n_refused for report in plan.files)
    files = count_of(len(plan.files), "file")
    left_out = f" {count_of(n_refused, 'line')} left out." if n_refused else ""
    return f"Imported {count_of(n_to_write(plan), 'record')} from {files}.{left_out}"
