"""What an import preview shows and says of a file: its first rows, its grades, what is found, a report.

Plain values made from a file's report and its reading; painting them is done elsewhere.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from pathlib import PurePath
from typing import NamedTuple

from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.formats import FORMATS, JudgmentTable, Kind, Reading, Refusal
from judgetool.formats.judgments import find_whose
from judgetool.formats.names import FIELD, IGNORE, ROLES
from judgetool.formats.values import ColumnUse
from judgetool.gui.painting import format_count, format_grade
from judgetool.session.imports.plan import (
    Conflicts,
    FileRemark,
    FileReport,
    ImportPlan,
    contradictions,
    match_finding,
    off_scale_lines,
    records_text,
    refused_lines,
    shared_lines,
    shared_notes,
    texts_text,
)
from judgetool.wording import N_, _, sentence_start


def n_to_write(plan: ImportPlan) -> int:
    """Return how many records would be written: new and changed ones."""
    return plan.n_new + plan.n_changed


def preview_text(plan: ImportPlan) -> str:
    """Return the whole preview as text, for the clipboard."""
    lines, shared = [], shared_notes(plan)
    for report in plan.files:
        reading = report.reading
        lines.append(
            number_of(
                reading.n_lines,
                "{source}: {format}, {encoding}, {n} line",
                "{source}: {format}, {encoding}, {n} lines",
                source=reading.source,
                format=describe_format(reading),
                encoding=describe_encoding(reading),
            )
        )
        lines.append(
            number_of(
                report.refusals.n,
                "  {records}: {n_new} new, {n_changed} changed, {n_unchanged} unchanged; {n} "
                "line left out",
                "  {records}: {n_new} new, {n_changed} changed, {n_unchanged} unchanged; {n} "
                "lines left out",
                records=number_of(report.n_records, "{n} record", "{n} records"),
                n_new=format_count(report.n_new),
                n_changed=format_count(report.n_changed),
                n_unchanged=format_count(report.n_unchanged),
            )
        )
        lines += [f"  {_('with {texts}').format(texts=texts_text(report))}"] if report.texts else []
        for finding in contradictions(report, Conflicts.MINE):
            lines += [f"  {finding.title}", *(f"    {line}" for line in finding.lines)]
        for match in report.matches:
            finding = match_finding(match, reading.source)
            lines.append(f"  {finding.title}. {finding.text}")
        lines += [f"  {note}" for note in report.notes if note not in shared]
        lines += [f"  {refusal_line(refusal)}" for refusal, __ in refused_lines(report)]
    return "\n".join([*lines, *shared_lines(plan)])


def waiting_names(plan: ImportPlan) -> list[str]:
    """Return the names of the files that leave a question open."""
    return [PurePath(each.reading.source).name for each in plan.files if each.is_waiting]


def left_out_sentence(names: Sequence[str]) -> str:
    """Return that nothing of files of these names can be used; ``""`` for none."""
    if len(names) == 1:
        return _("{name} is left out: nothing of it can be used.").format(name=names[0])
    return (
        number_of(
            len(names),
            "{n} file is left out: nothing of it can be used.",
            "{n} files are left out: nothing of them can be used.",
        )
        if names
        else ""
    )


def is_doubtful(plan: ImportPlan) -> bool:
    """Whether a file seems to belong to something else, or to be joined wrongly."""
    return any(match.is_doubtful for report in plan.files for match in report.matches)


def open_questions_sentence(waiting: Sequence[str], unnamed: Sequence[str]) -> str:
    """Return why nothing can be imported while files of these names leave questions open.

    Args:
        waiting: of files with a question.
        unnamed: of files whose columns are to be named.
    """
    names = [*waiting, *unnamed]
    if len(names) == len(unnamed) == 1:
        return _("{name}: say what its columns are, or take the file out.").format(name=names[0])
    if len(names) == 1:
        return _("{name} leaves a question open: answer it, or take the file out.").format(
            name=names[0]
        )
    return _("{count} files leave a question open: answer it in each, or take them out.").format(
        count=len(names)
    )


MAX_ROWS = 8
MAX_CELL = 200
MOST_LOOKED_AT = 20_000

FILE_ENDINGS = (
    *sorted({ending for each in FORMATS.values() for ending in each.endings}),
    *(".xlsx", ".xls", ".ods", ".parquet", ".gz", ".zip", ".bz2", ".xz", ".zst"),
)
"""Usual endings of files that can be imported, for choosing files."""

KIND_TITLES = {
    Kind.QUERIES: N_("Queries"),
    Kind.DOCUMENTS: N_("Documents"),
    Kind.RUN: N_("Run"),
    Kind.JUDGMENTS: N_("Judgments"),
    Kind.RESULTS: N_("Results with texts"),
    Kind.CLICKS: N_("Clicks"),
}
_DELIMITERS = {
    ",": N_("comma"),
    "\t": N_("tab"),
    ";": N_("semicolon"),
    "|": N_("bar"),
}


_ROLE_TITLES = {
    "query_id": N_("query"),
    "query_text": N_("query text"),
    "need": N_("information need"),
    "document_id": N_("document"),
    "url": N_("address"),
    "body": N_("text"),
    "grades_of_assessor": N_("grades by this assessor"),
    "at": N_("time of judging"),
    "flagged": N_("flag"),
    "spent_ms": N_("time in view, ms"),
    "assessor_kind": N_("model or settled"),
    "ignore": N_("left out"),
    "field": N_("further field"),
    "assessor": N_("assessor"),
    "category": N_("category"),
    "confidence": N_("confidence"),
    "judge_later": N_("judge later"),
    "rationale": N_("rationale"),
    "unrateable": N_("cannot judge"),
    "weight": N_("weight"),
    "clicks": N_("clicks"),
    "description": N_("description"),
    "grade": N_("grade"),
    "id": N_("id"),
    "image": N_("image"),
    "impressions": N_("impressions"),
    "line": N_("line"),
    "narrative": N_("narrative"),
    "note": N_("note"),
    "position": N_("position"),
    "rank": N_("rank"),
    "run": N_("run"),
    "score": N_("score"),
    "state": N_("state"),
    "title": N_("title"),
}


class PreviewRows(NamedTuple):
    """The first rows of a file as they were understood.

    Attributes:
        heads: of the columns; ``line`` and ``grade`` are set in a way of their own.
        rows: at most 8, cells as text.
        total: rows in all.
        roles: what each column is taken for; empty where that cannot be changed.
        role_choices: what a column can be taken for.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    roles: tuple[str, ...] = ()
    role_choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileView:
    """What is shown of a reading; made where it was read, as it may be large.

    Attributes:
        rows: the first ones.
        counts: how often each grade occurs, highest first; negative ones too.
        has_nameless: whether there are judgments that name nobody.
        labels: how often each grade occurs that is a word.
    """

    rows: PreviewRows
    counts: Mapping[float, int]
    has_nameless: bool
    labels: Mapping[str, int] = field(default_factory=dict)


_KINDS_OF_TABLES = (Kind.JUDGMENTS, Kind.RESULTS, Kind.DOCUMENTS)


def _roles_of(kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Return the roles that kinds have, each once, those that say nothing of a column last."""
    roles = dict.fromkeys(role for kind in kinds for role in ROLES[kind])
    others = tuple(role for role in roles if role not in (FIELD, IGNORE))
    return (*others, *(role for role in (FIELD, IGNORE) if role in roles))


def make_view(reading: Reading) -> FileView:
    """Return what is shown of a reading."""
    table = reading.judgments
    has_nameless = table is not None and None in table.assessors
    rows = preview_rows(reading)
    if reading.columns:
        # What a few columns tell may be wrong as long as a person is naming them.
        is_found = reading.format and not reading.wishes.column_roles
        is_said = reading.wishes.kind is not None or is_found
        kinds = (reading.kind,) if is_said else (reading.kind, *_KINDS_OF_TABLES)
        choices = _roles_of(kinds)
        as_read = column_rows(reading.columns, reading.sample_rows, choices, total=rows.total)
        rows = _telling_columns(reading, as_read) or as_read
    return FileView(rows, all_grade_counts(reading), has_nameless, dict(reading.labels))


def make_columns_view(
    columns: Sequence[ColumnUse], sample_rows: Sequence[Sequence[str]], kind: Kind | None
) -> FileView:
    """Return what is shown of a table whose columns do not tell what it holds.

    Args:
        columns: its headers, with what is known of their roles.
        sample_rows: its first rows.
        kind: what the person says it is about; ``None`` for nothing yet.
    """
    choices = _roles_of(_KINDS_OF_TABLES if kind is None else (kind,))
    return FileView(column_rows(columns, sample_rows, choices, total=0), {}, has_nameless=False)


def column_rows(
    columns: Sequence[ColumnUse],
    sample_rows: Sequence[Sequence[str]],
    choices: Sequence[str],
    *,
    total: int,
) -> PreviewRows:
    """Return a table's first rows as they stand, under what each column is taken for."""
    return PreviewRows(
        tuple(column.header for column in columns),
        tuple(tuple(map(_cell, row)) for row in _with_all_columns(sample_rows)),
        total,
        tuple(column.role for column in columns),
        tuple(choices),
    )


def _with_all_columns(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the first rows; in place of the last of them, later ones that show other columns."""
    shown = {place for row in rows[:MAX_ROWS] for place, cell in enumerate(row) if cell}
    later: list[Sequence[str]] = []
    for row in rows[MAX_ROWS:]:
        filled = {place for place, cell in enumerate(row) if cell}
        if not filled <= shown and len(later) < MAX_ROWS // 2:
            later.append(row)
            shown |= filled
    return [*rows[: MAX_ROWS - len(later)], *later]


def _telling_columns(reading: Reading, as_read: PreviewRows) -> PreviewRows | None:
    """Return the most telling judgments under the columns that they came from.

    Returns:
        ``None`` where a column is not among what is kept of judgments, so that the rows
        are best shown as they stand.
    """
    table = reading.judgments
    is_plain = set(as_read.roles) <= {"query_id", "document_id", "assessor", "grade", "note"}
    if table is None or not len(table) or not is_plain or reading.labels:
        return None
    chosen = _telling_rows(table)
    if any(table.lines[row] is None for row in chosen):
        return None
    said = (_said_of(table, row) for row in chosen)
    rows = [(each["line"], *(_cell(each[role]) for role in as_read.roles)) for each in said]
    return PreviewRows(
        ("line", *as_read.heads),
        tuple(rows),
        as_read.total,
        ("", *as_read.roles),
        as_read.role_choices,
    )


def role_title(role: str) -> str:
    """Return what a column is taken for, in words."""
    return _(_ROLE_TITLES.get(role, role))


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
    heads = ("id", "text", "description", "narrative", "category")
    return heads, map(attrgetter(*heads), reading.queries), len(reading.queries)


def _document_rows(reading: Reading) -> _Rows:
    extra = tuple(dict.fromkeys(key for doc in reading.documents[:MAX_ROWS] for key in doc.fields))
    rows = (
        (
            *(doc.id, doc.title, doc.url, doc.body, doc.image),
            *(doc.fields.get(key, "") for key in extra[:3]),
        )
        for doc in reading.documents
    )
    heads = ("id", "title", "address", "text", "image", *extra[:3])
    return heads, rows, len(reading.documents)


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
    rows = (tuple(_said_of(table, row).values()) for row in _telling_rows(table))
    heads = ("line", "query", "document", "assessor", "grade", "state", "note")
    return heads, rows, len(table)


def _said_of(table: JudgmentTable, row: int) -> dict[str, str]:
    """Return what a judgment says, by the role of a column; values inside JSON have no line."""
    line, grade = table.lines[row] if table.lines else None, table.grades[row]
    return {
        "line": "" if line is None else format_count(line),
        "query_id": table.query_ids[row],
        "document_id": table.document_ids[row],
        "assessor": table.assessors[row] or "",
        "grade": "" if grade is None else format_grade(grade),
        "state": (table.states[row] or "").replace("_", " ") if grade is None else "",
        "note": table.notes[row],
    }


def _click_rows(reading: Reading) -> _Rows:
    rows = (
        (
            row.query_id,
            row.document_id,
            *map(str, (row.position or "", row.impressions, row.clicks)),
        )
        for row in reading.clicks
    )
    return ("query", "document", "position", "impressions", "clicks"), rows, len(reading.clicks)


def _telling_rows(table: JudgmentTable) -> list[int]:
    """Return the rows that show most of a file: the first, and the first of each kind."""
    telling: dict[tuple[str, object], int] = {}
    for row in range(min(MOST_LOOKED_AT, len(table))):
        telling.setdefault(("grade", table.grades[row]), row)
        telling.setdefault(("assessor", table.assessors[row]), row)
        telling.setdefault(("note", bool(table.notes[row])), row)
    first = range(min(MAX_ROWS, len(table)))
    return sorted(list(dict.fromkeys((*first[:3], *telling.values(), *first)))[:MAX_ROWS])


_ROWS: dict[Kind, Callable[[Reading], _Rows]] = {
    Kind.QUERIES: _query_rows,
    Kind.DOCUMENTS: _document_rows,
    Kind.RUN: _run_rows,
    Kind.RESULTS: _run_rows,
    Kind.JUDGMENTS: _judgment_rows,
    Kind.CLICKS: _click_rows,
}


def describe_encoding(reading: Reading) -> str:
    """Return how a file was decoded and divided: ``UTF-8, comma``."""
    encoding = (
        reading.encoding.replace("-sig", _(" with BOM")).replace("+", ", ").replace("utf", "UTF")
    )
    delimiter = _(_DELIMITERS.get(reading.delimiter or "", ""))
    return ", ".join(part for part in (encoding, delimiter) if part)


def describe_format(reading: Reading) -> str:
    """Return a format's title."""
    return _(FORMATS[reading.format].title) if reading.format in FORMATS else reading.format


def all_grade_counts(reading: Reading) -> dict[float, int]:
    """Return how often each grade occurs, highest first; negative ones mean 'pooled'."""
    if reading.judgments is None:
        return {}
    counts = Counter(grade for grade in reading.judgments.grades if grade is not None)
    return dict(sorted(counts.items(), reverse=True))


def mapped_counts(
    counts: Mapping[float, int], grade_map: Mapping[float, float]
) -> dict[float, int]:
    """Return how often each grade occurs once some stand for others; negative ones left out."""
    found: Counter[float] = Counter()
    for grade, count in counts.items():
        found[grade_map.get(grade, grade)] += count
    return {grade: count for grade, count in sorted(found.items(), reverse=True) if grade >= 0}


# What is found

MAX_LISTED = 1_000
QUESTION_TEXT = N_("Nothing is imported before it is answered, or the file taken out.")


def find_findings(
    report: FileReport, scale: Scale, *, conflicts: Conflicts = Conflicts.MINE
) -> tuple[FileRemark, ...]:
    """Return what is to be said of a file, most telling first.

    Args:
        report: what importing it would do.
        scale: the project's.
        conflicts: which judgment stays where file and project differ.
    """
    reading = report.reading
    # Before an answer, a file may not have been read at all: then nothing is said of its lines.
    is_unread = reading.needs_answers and reading.is_empty and not reading.n_refused
    matches = [match_finding(match, reading.source) for match in report.matches]
    findings = (
        [FileRemark("warn", _("A question is open"), _(QUESTION_TEXT))] if report.is_waiting else []
    )
    findings += [] if is_unread else [_lines_finding(report)]
    findings += [FileRemark("warn", title, note) for note, title in reading.warnings.items()]
    findings += [match for match in matches if match.level == "warn"]
    findings += contradictions(report, conflicts)
    if reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings += [_news_finding(report)] if report.n_records else []
    findings += [match for match in matches if match.level != "warn"]
    notes = (note for note in report.notes if note not in reading.warnings)
    findings += [FileRemark("note", "", note) for note in notes]
    return tuple(findings)


def refusal_line(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    where = (
        "" if refusal.line is None else _("Line {line}: ").format(line=format_count(refusal.line))
    )
    return f"{where}{refusal.reason}."


def _lines_finding(report: FileReport) -> FileRemark:
    records = records_text(report)
    assessors = _assessor_counts(report)
    who = f"{records}: {assessors}." if assessors else f"{records}."
    if report.is_waiting and not report.n_records:
        who = (
            _("Nothing is taken yet of {assessors}.").format(assessors=assessors)
            if assessors
            else _("Nothing is taken yet.")
        )
    n_refused = report.reading.n_refused + report.clashes.n
    if not n_refused and report.refusals.n:
        title = number_of(
            report.refusals.n,
            "Every line was read, and {n} is left out",
            "Every line was read, and {n} are left out",
        )
        return FileRemark("note", title, who)
    if not n_refused:
        return FileRemark("good", _("Every line was read"), who)
    left_out = (*report.reading.refusals, *report.clashes)
    lines = [refusal_line(refusal) for refusal in left_out]
    if report.n_records:
        who = _("The others were read: {who}").format(who=who)
    elif not report.is_waiting:
        # Of grades off the scale, of words and of what is pooled more is said below.
        who = ""
    title = number_of(n_refused, "{n} line left out", "{n} lines left out")
    if report.reading.ended_early:
        # How many more there were, nobody knows.
        title = _("The file ends too early: what comes after line {line} is missing").format(
            line=format_count(report.reading.n_lines)
        )
    return FileRemark(
        "warn",
        title,
        f"{lines[0] if lines else ''} {who}".strip(),
        tuple(lines[:MAX_LISTED]),
    )


def _assessor_counts(report: FileReport) -> str:
    table = report.reading.judgments
    if table is None:
        return ""
    counts = report.by_assessor
    if report.is_waiting and not report.n_records:
        counts = Counter(name for name in table.assessors if name)
    shown = [
        _("{count} by {name}").format(count=format_count(count), name=name)
        for name, count in counts.most_common(4)
    ]
    names, more = ", ".join(shown), len(counts) - len(shown)
    said = number_of(more, "{names} and {n} other", "{names} and {n} others", names=names)
    return said if more > 0 else names


def _judgment_findings(report: FileReport, scale: Scale) -> Iterator[FileRemark]:
    n_off = sum(report.off_scale.values())
    lines = [refusal_line(refusal) for refusal, __ in off_scale_lines(report)]
    if n_off > 0:
        yield FileRemark(
            "warn",
            number_of(
                n_off,
                "{n} grade not on the scale {label}",
                "{n} grades not on the scale {label}",
                label=scale.label,
            ),
            number_of(
                n_off,
                "{line} It is left out. Say here what it stands for, or change the scale in "
                "Project ▸ Scale.",
                "{line} They are left out. Say here what they stand for, or change the scale in "
                "Project ▸ Scale.",
                line=next(iter(lines), ""),
            ).lstrip(),
            tuple(lines[:MAX_LISTED]),
        )
    n_words = _count_words(report.reading)
    if n_words:
        yield FileRemark(
            "warn",
            number_of(
                n_words,
                "{n} grade has to be mapped to the scale {label}",
                "{n} grades have to be mapped to the scale {label}",
                label=scale.label,
            ),
            _("Their lines are left out until it is said here what they stand for."),
        )
    elif n_off <= 0 and len(report.reading.judgments or ()):
        yield FileRemark(
            "good",
            _("Grades fit the scale {label}").format(label=scale.label),
            number_of(
                sum(report.mapped.values()),
                "{n} grade taken as another grade of the scale.",
                "{n} grades taken as another grade of the scale.",
            )
            if report.mapped
            else _("No other value occurs, so nothing has to be mapped."),
        )
    table = report.taken.judgments or JudgmentTable()
    yield from _disputes(table)


def _count_words(reading: Reading) -> int:
    """Return how many grades are no numbers, and not mapped yet."""
    if find_whose(reading).answer == "model":
        return 0
    known = reading.wishes.grade_map
    return sum(count for word, count in reading.labels.items() if word not in known)


def _disputes(table: JudgmentTable) -> Iterator[FileRemark]:
    """Yield that several assessors of one file graded pairs differently, and who said what."""
    if len(set(table.assessors)) < 2:
        return
    said: dict[tuple[str, str], dict[str, float | None]] = {}
    for row, grade in enumerate(table.grades):
        grades = said.setdefault((table.query_ids[row], table.document_ids[row]), {})
        grades[table.assessors[row] or _("nobody named")] = grade
    lines, n_shared = [], 0
    for (query_id, document_id), given in said.items():
        known = {name: grade for name, grade in given.items() if grade is not None and grade >= 0}
        n_shared += len(known) > 1
        if len(set(known.values())) > 1:
            who = ", ".join(f"{name} {format_grade(grade)}" for name, grade in known.items())
            lines.append(f"{query_id}  {document_id}  {who}")
    if lines:
        yield FileRemark(
            "warn",
            number_of(
                n_shared,
                "{n_lines} of {n} document with several grades is disputed",
                "{n_lines} of {n} documents with several grades are disputed",
                n_lines=format_count(len(lines)),
            ),
            _(
                "Assessors gave different grades. All are kept; the view of judgments decides "
                "which counts. A document counts once for each query."
            ),
            tuple(lines[:MAX_LISTED]),
        )


def _news_finding(report: FileReport) -> FileRemark:
    parts = (
        (report.n_new, _("{count} new")),
        (report.n_changed, _("{count} changed")),
        (report.n_unchanged - report.n_repeated, _("{count} here already")),
        (report.n_repeated, _("{count} in another file, too")),
        (report.n_left_out, _("{count} here otherwise")),
    )
    shown = ", ".join(said.format(count=format_count(count)) for count, said in parts if count)
    along = _("With {texts}.").format(texts=texts_text(report)) if report.texts else ""
    if not (report.n_all_changed or report.n_unchanged or report.n_left_out):
        return FileRemark("good", _("All of it is new"), along)
    if not report.n_all_new and not report.n_all_changed:
        is_kept = report.conflicts or report.text_conflicts
        kept = _("The project keeps what it has.") if is_kept else _("The project has all of it.")
        if report.n_repeated:
            kept = _("The project, or another file of this import, has all of it.")
        return FileRemark("note", _("Nothing of it is new"), kept)
    return FileRemark("good", sentence_start(shown), along)


def worst_level(findings: Sequence[FileRemark]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"
