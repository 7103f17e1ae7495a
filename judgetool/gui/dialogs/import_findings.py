"""What an import preview finds in a file: what was read, what is left out, what is new."""

from collections import Counter
from collections.abc import Iterator, Sequence

from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.formats import JudgmentTable, Kind, Reading, Refusal
from judgetool.formats.judgments import find_whose
from judgetool.gui.painting import format_count, format_grade
from judgetool.session.imports.plan import (
    Conflicts,
    FileRemark,
    FileReport,
    contradictions,
    match_finding,
    records_text,
    refused_lines,
    texts_text,
)
from judgetool.wording import N_, _, sentence_start

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
    findings += [match for match in matches if match.level == "warn"]
    findings += contradictions(report, conflicts)
    if reading.kind is Kind.JUDGMENTS:
        findings += _judgment_findings(report, scale)
    findings += [_news_finding(report)] if report.n_records else []
    findings += [match for match in matches if match.level != "warn"]
    findings += [FileRemark("note", "", note) for note in report.notes]
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
    n_refused = report.reading.n_refused
    if not n_refused and report.refusals.n:
        title = number_of(
            report.refusals.n,
            "Every line was read, and {n} is left out",
            "Every line was read, and {n} are left out",
        )
        return FileRemark("note", title, who)
    if not n_refused:
        return FileRemark("good", _("Every line was read"), who)
    lines = [refusal_line(refusal) for refusal in report.reading.refusals]
    others = (
        _("The others were read: {who}").format(who=who)
        if report.n_records
        else _("Nothing else was in it.")
    )
    title = number_of(n_refused, "{n} line left out", "{n} lines left out")
    if report.reading.ended_early:
        # How many more there were, nobody knows.
        title = _("The file ends too early: what comes after line {line} is missing").format(
            line=format_count(report.reading.n_lines)
        )
    return FileRemark(
        "warn",
        title,
        f"{lines[0]} {others}" if lines else others,
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
    n_read = len(report.reading.refusals)
    lines = [refusal_line(refusal) for refusal, __ in refused_lines(report)[n_read:]]
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
    table = report.reading.judgments or JudgmentTable()
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
    lines = []
    for (query_id, document_id), given in said.items():
        known = {name: grade for name, grade in given.items() if grade is not None and grade >= 0}
        if len(set(known.values())) > 1:
            who = ", ".join(f"{name} {format_grade(grade)}" for name, grade in known.items())
            lines.append(f"{query_id}  {document_id}  {who}")
    n_shared = sum(len(given) > 1 for given in said.values())
    if lines:
        yield FileRemark(
            "warn",
            number_of(
                n_shared,
                "{n_lines} of {n} pair are disputed",
                "{n_lines} of {n} pairs are disputed",
                n_lines=format_count(len(lines)),
            ),
            _(
                "Assessors gave different grades. All are kept; the view of judgments decides "
                "which counts."
            ),
            tuple(lines[:MAX_LISTED]),
        )


def _news_finding(report: FileReport) -> FileRemark:
    parts = (
        (report.n_new, _("{count} new")),
        (report.n_changed, _("{count} changed")),
        (report.n_unchanged, _("{count} here already")),
    )
    shown = ", ".join(said.format(count=format_count(count)) for count, said in parts if count)
    along = _("With {texts}.").format(texts=texts_text(report)) if report.texts else ""
    if not report.n_all_changed and not report.n_unchanged:
        return FileRemark("good", _("All of it is new"), along)
    if not report.n_all_new and not report.n_all_changed:
        is_kept = report.conflicts or report.text_conflicts
        kept = _("The project keeps what it has.") if is_kept else _("The project has all of it.")
        return FileRemark("note", _("Nothing of it is new"), kept)
    return FileRemark("good", sentence_start(shown), along)


def worst_level(findings: Sequence[FileRemark]) -> str:
    """Return ``warn`` if any finding is one, else ``good``."""
    return "warn" if any(finding.level == "warn" for finding in findings) else "good"
