"""``judgetool import``: files into a project, in one batch that Undo takes back; and what it did, told."""

import math
import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import click

from judgetool.cli.command import (
    FILE,
    FILE_PATH,
    PROJECT,
    assessor_option,
    check_stdin,
    command,
    json_text,
    shown_progress,
    stacked,
    tell_all,
    tell_result,
)
from judgetool.cli.options import check_encoding, choice_option, format_option
from judgetool.core.number_text import local_count, number_of
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import (
    InputError,
    ProjectDamagedError,
    UsageError,
    shown_name,
    tell,
)
from judgetool.formats import FORMATS, Kind, Reading, read_file, read_stream
from judgetool.formats.judgments import CLICK_ZERO, GRADE_COMMA, WHOSE, find_whose
from judgetool.formats.names import ROLES, role_said, spelled_name
from judgetool.formats.records import DECIMAL_SIGN, MOST_GRADE, QUOTES
from judgetool.formats.results import SCORE_COMMA
from judgetool.formats.source import ENCODING, NoTextError
from judgetool.formats.table_detection import satisfies
from judgetool.formats.texts import read_id_pairs
from judgetool.formats.values import (
    DATE_ORDER,
    ColumnsNeededError,
    OtherKindError,
    Question,
    SeveralFilesError,
    Wishes,
)
from judgetool.session.imports.importing import (
    known_documents,
    level_names,
    plan_import,
    write_import,
)
from judgetool.session.imports.matching import JOIN, MAP_IDS, IdMatch
from judgetool.session.imports.plan import (
    Conflict,
    Conflicts,
    FileReport,
    ImportChoices,
    ImportPlan,
    Overruled,
    contradictions,
    describe_judgment,
    late_text,
    match_finding,
    records_text,
    refused_lines,
    refused_text,
    shared_lines,
    shared_notes,
    texts_text,
    uncounted_text,
)
from judgetool.session.opening import find_hub_side
from judgetool.session.safety import file_problems, open_to_change
from judgetool.session.session import Session
from judgetool.wording import N_, _, local_number, pgettext, translated

Source = tuple[Kind, str]
_LARGE_BYTES = 64 << 20
"""A larger project is closed in more than a moment."""
_MOST_READ_BYTES = 256 << 20
"""Of a project up to this size all is read and compared before anything is added: a few seconds.

Of a larger one SQLite's own check of all pages is done, references, the log, rankings, judgments and
values; to hash all its texts, too, would take longer than most imports.
"""
_FILES = {
    "queries": (Kind.QUERIES, "Queries."),
    "documents": (Kind.DOCUMENTS, "Documents."),
    "run": (Kind.RUN, "A system’s run."),
    "qrels": (Kind.JUDGMENTS, "Judgments: TREC qrels, or a table that may name assessors."),
    "results": (Kind.RESULTS, "Ranked results with queries and texts in one table."),
    "clicks": (
        Kind.CLICKS,
        "How often documents were shown and clicked: query, document, impressions, clicks.",
    ),
}
"""The options that name files, in the order in which they are read."""


@command(
    "import",
    examples=(
        "judgetool import recipes.judge --queries queries.jsonl --documents documents.jsonl",
        "judgetool import recipes.judge --run bm25.run dense.run --qrels qrels.txt",
        "judgetool import recipes.judge --qrels judgments.csv --dry-run --format json",
        "judgetool import recipes.judge --results results.csv --assessor anna",
        "judgetool import recipes.judge --qrels old.qrels --map-grade 4=3 --conflicts theirs",
    ),
)
@PROJECT
@stacked(
    [
        click.option(f"--{name}", multiple=True, type=FILE, metavar="FILE", help=what)
        for name, (_, what) in _FILES.items()
    ]
)
@assessor_option(
    "Whose judgments those are that name nobody; otherwise the file’s name stands for them.",
    default="",
)
@click.option(
    "--kind",
    type=click.Choice(list(WHOSE.choices)),
    help="Whose judgments these are: people’s; a model’s, which do not count, and in which what is no "
    "grade is ‘cannot judge’; or settled: known answers.  [default: people]",
)
@click.option("--settled", "kind", flag_value="settled", help="The same as --kind settled.")
@choice_option(
    "--conflicts",
    Conflicts,
    default=str(Conflicts.MINE),
    show_default=True,
    what="Which judgment stays where an assessor has judged otherwise in the project: its own "
    "(mine), the file’s (theirs), or both, the file’s under another assessor’s name.",
)
@click.option(
    "--map-grade",
    "grade_pairs",
    multiple=True,
    metavar="GRADE=GRADE",
    help="Take one grade of the files, a number or a word, as one of the scale, such as 4=3.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="HEADER=ROLE",
    help="Say what a column of a table is where its header does not, such as rating=grade.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=CHOICE",
    help="Answer what a file leaves open; --dry-run names the questions.",
)
@click.option(
    "--encoding",
    default="",
    metavar="NAME",
    help="In which encoding the files were saved that are not UTF-8, such as cp1252, gb18030 or "
    "shift_jis; without it, judgetool asks.",
)
@click.option(
    "--sheet",
    default="",
    metavar="TITLE",
    help="Which sheet of an Excel or OpenDocument file: its title, or its number.",
)
@click.option(
    "--id-map",
    type=FILE_PATH,
    metavar="FILE",
    help="Pairs of query ids, the files’ and the project’s, or what the export id-map wrote.",
)
@click.option(
    "--document-id-map",
    type=FILE_PATH,
    metavar="FILE",
    help="Pairs of document ids, the files’ and the project’s.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Import nothing, and end with exit code 1, if a line is left out.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@format_option(("text", "json"), "Of the report.")
def import_command(  # noqa: PLR0913 - one value for each option
    project: Path,
    *,
    assessor: str,
    kind: str | None,
    conflicts: Conflicts,
    grade_pairs: tuple[str, ...],
    columns: tuple[str, ...],
    answers: tuple[str, ...],
    encoding: str,
    sheet: str,
    id_map: Path | None,
    document_id_map: Path | None,
    strict: bool,
    dry_run: bool,
    layout: str,
    **files: tuple[str, ...],
) -> None:
    """Bring files into PROJECT: any mix at once, in one batch that Undo in the window takes back.

    What each file is like (columns, JSON lines, packed by gzip, zip, bz2, xz or zst) is
    found out from its content; `-` reads standard input. Each file in a zip file is read
    by itself. Options may be given several times, or with several files at once. Lines
    that do not fit are left out and reported with their numbers; a file of which nothing,
    or no grade, can be used, one with most grades off the scale, a packed one that ends too early, or one that leaves a
    question open, stops the import before anything is written, and it ends with exit code 1. So does a damaged PROJECT; in one of
    more than 256 MB all is looked at but the checksums of texts. `--answer header=no` says that a table’s first line is a row: its columns are
    then called 'column 1', 'column 2' and so on.
    """
    sources = [(kind, name) for option, (kind, _) in _FILES.items() for name in files[option]]
    _check_sources(sources)
    wishes = parse_wishes(columns=columns, answers=answers, grades=grade_pairs)
    said = {"encoding": encoding, "sheet": sheet, WHOSE.name: kind}
    chosen = {name: choice for name, choice in said.items() if choice}
    wishes = replace(wishes, answers={**wishes.answers, **chosen})
    check_encoding(wishes.answers.get(ENCODING, ""))
    numbers = number_map(wishes.grade_map.items())
    id_files = {"query": id_map, "document": document_id_map}
    id_maps = {noun: read_id_pairs(path) for noun, path in id_files.items() if path}
    choices = ImportChoices(assessor, conflicts, numbers, answers=wishes.answers, id_maps=id_maps)
    is_quick = project.is_file() and project.stat().st_size > _MOST_READ_BYTES
    _refuse_unsound(project, file_problems(project, is_quick=is_quick))
    with open_to_change(project, is_tried=dry_run) as session:
        wishes = replace(
            wishes,
            known_documents=known_documents(session),
            level_names=level_names(session.scale),
        )
        check_answers(wishes.answers, ())
        plan = plan_import(session, read_sources(sources, wishes), choices=choices)
        questions = [question for report in plan.files for question in report.all_questions]
        check_answers(wishes.answers, questions)
        if DECIMAL_SIGN in wishes.answers and DECIMAL_SIGN not in {each.name for each in questions}:
            tell_all([_(_NO_DECIMAL_SIGN)])
        problem = open_question_text(plan) or _refused_text(plan, is_strict=strict)
        if not dry_run and not problem:
            _write(session, plan)
        tell_result(
            json_text(report_values(plan, project, is_dry_run=dry_run, is_held=bool(problem)))
            if layout == "json"
            else format_report(
                plan,
                project,
                is_dry_run=dry_run,
                is_held=bool(problem),
                conflicts=choices.conflicts,
                scale=session.scale,
            )
        )
        if problem:
            raise InputError(problem)
        if not dry_run and project.stat().st_size > _LARGE_BYTES:
            tell_all([_("Its backup is made and looked through, which takes a while.")])


def read_sources(sources: Sequence[Source], wishes: Wishes) -> list[Reading]:
    """Read files of known kinds in turn; ``-`` is standard input.

    Args:
        sources: the files.
        wishes: what the person says of all of them.

    Raises:
        InputError: one of them cannot be read, or nothing of it be used.
        UsageError: no file has a column of which something was said.
    """
    words = {
        word: grade for word, grade in wishes.grade_map.items() if not number_map([(word, grade)])
    }
    said: dict[str, Any] = {
        "column_roles": wishes.column_roles,
        "grade_map": words,
        "known_documents": wishes.known_documents,
        "level_names": wishes.level_names,
        "answers": wishes.answers,
        "is_of_several": len(sources) > 1,
    }
    readings: list[Reading] = []
    for kind, name in sources:
        if name == "-":
            stream = sys.stdin.buffer
            readings.append(read_stream(stream, kind=kind, **said))
        else:
            readings.extend(_iter_readings(Path(name), kind, said))
    _check_columns(wishes.column_roles, readings)
    return readings


def _read(title: str, path: Path, kind: Kind, said: Mapping[str, Any]) -> Reading:
    """Read a file; of one that does not fit, the options are named by which it might.

    Raises:
        InputError: it does not.
    """
    try:
        with shown_progress(title) as progress:
            return read_file(path, kind=kind, progress=progress, **said)
    except OtherKindError as problem:
        sentences = [str(problem)]
        if isinstance(problem, ColumnsNeededError):
            sentences += _column_options(problem, kind, said["column_roles"])
        likely = problem.likely
        option = next((name for name, (its, _) in _FILES.items() if its is likely), "")
        if likely and not satisfies(likely, kind):
            way = f"--{option} {shlex.quote(problem.source)}"
            sentences.append(
                _("It looks like another kind of file: {way} reads it.").format(way=way)
            )
            if "member" in said["answers"]:
                sentences.append(_("Name each of the others in the zip file by itself then, too."))
        raise InputError(" ".join(sentences)) from problem


def _column_options(
    problem: ColumnsNeededError, kind: Kind, roles_said: Mapping[str, str]
) -> Iterator[str]:
    """Yield by which options it is said what columns, the first line and sheets are."""
    unsaid = [use.header for use in problem.columns if role_said(use.header, roles_said) is None]
    if unsaid or not problem.columns:
        sentence = (
            _(
                "On the command line: --column {pair} for each of them, ROLE being one "
                "of {roles}; or --answer header=no."
            )
            if any(each.name == "header" and each.answer != "no" for each in problem.questions)
            else _(
                "On the command line: --column {pair} for each of them, ROLE being one of {roles}."
            )
        )
        pair = shlex.quote(f"{unsaid[0] if unsaid else 'column 1'}=ROLE")
        yield sentence.format(pair=pair, roles=", ".join(ROLES[kind]))
        if any(question.name == "sheet" for question in problem.questions):
            yield _("--sheet TITLE chooses another sheet.")


def _iter_readings(path: Path, kind: Kind, said: Mapping[str, Any]) -> Iterator[Reading]:
    """Read a file; of a zip file, each file in it."""
    try:
        yield _read(_("Reading {path}").format(path=path.name), path, kind, said)
    except SeveralFilesError as several:
        yield from _iter_members(path, kind, said, several.members)


def _iter_members(
    path: Path, kind: Kind, said: Mapping[str, Any], members: Sequence[str]
) -> Iterator[Reading]:
    """Read each file of a zip file; what is neither text nor table, or says who made it, is left out."""
    left_out: list[NoTextError] = []
    readings = []
    for member in members:
        try:
            title = _("Reading {member}").format(member=member)
            answers = {**said["answers"], "member": member}
            told = {**said, "answers": answers, "is_of_several": True}
            readings.append(_read(title, path, kind, told))
        except NoTextError as problem:
            left_out.append(problem)
    if not readings:
        raise left_out[0]
    readings[0].notes += map(str, left_out)
    yield from readings


def _check_columns(column_roles: Mapping[str, str], readings: Sequence[Reading]) -> None:
    """Refuse what was said of a column that no file has, or that none can have."""
    headers = list(dict.fromkeys(name for each in readings for name in each.headers))
    having = {
        header: [
            each
            for each in readings
            if {header, spelled_name(header)} & {*each.headers, *map(spelled_name, each.headers)}
        ]
        for header in column_roles
    }
    strange = [header for header, found in having.items() if not found]
    if strange:
        found = ", ".join(f"'{header[:40]}'" for header in headers[:20]) or pgettext(
            "names that there are", "none"
        )
        raise UsageError(
            _(
                "--column {header}={role}: no file has a column of this name. The "
                "columns are {found}. Nothing was imported."
            ).format(header=strange[0], role=column_roles[strange[0]], found=found)
        )
    for header, those in having.items():
        if not any(header in each.wishes.column_roles for each in those):
            raise UsageError(
                _(
                    "--column {header}={role}: in {source} no column can be that. Choose one of: "
                    "{roles}. Nothing was imported."
                ).format(
                    header=header,
                    role=column_roles[header],
                    source=those[0].source,
                    roles=", ".join(ROLES[those[0].kind]),
                )
            )


def _refused_text(plan: ImportPlan, *, is_strict: bool) -> str:
    """Return why lines that are left out stop the import; ``""`` where they do not."""
    cut = [PurePath(each.reading.source).name for each in plan.files if each.reading.ended_early]
    if cut:
        # The window shows what is lost before anything is written; nobody looks at a script.
        return _(
            "{names} ends too early: the rest of it is missing. So nothing was imported. Fetch or "
            "pack it again, or import it in the window, which takes the whole lines before."
        ).format(names=", ".join(cut))
    said = refused_text(plan)
    if said:
        has_lines = any(report.refusals.n for report in plan.files)
        sentence = (
            _("{why} So nothing was imported. The report says of each line why.")
            if has_lines
            else _("{why} So nothing was imported.")
        )
        return sentence.format(why=said)
    for report in plan.files:
        n_off = report.off_scale.total()
        if n_off > max(report.n_judgments, 0):
            # These, too, the window shows before anything is written.
            return _(
                "Most grades of {name} are off the scale: {n} of {all}. So nothing was imported. Say "
                "what they stand for with {options}, or import it in the window, which takes the rest."
            ).format(
                name=PurePath(report.reading.source).name,
                n=local_count(n_off),
                all=local_count(n_off + report.n_judgments),
                options=_map_options(report),
            )
    counts = [(PurePath(report.reading.source).name, report.refusals.n) for report in plan.files]
    parts = [
        number_of(count, "{n} of {name}", "{n} of {name}", name=name)
        for name, count in counts
        if count
    ]
    if not is_strict or not parts:
        return ""
    return _("--strict: lines were left out ({parts}), so nothing was imported.").format(
        parts=", ".join(parts)
    )


def _refuse_unsound(project: Path, problems: list[str]) -> None:
    """Refuse to add to a damaged project."""
    if problems:
        raise ProjectDamagedError(
            _(
                "Nothing was imported: {project} is not sound. {why} ‘judgetool check "
                "{project}’ says all that is wrong, ‘judgetool recover {project} NEW.judge’ "
                "makes a new file of its backup and safety log, or of what can be read."
            ).format(project=project, why=problems[0]),
            path=project,
        )


def _check_sources(sources: list[Source]) -> None:
    if not sources:
        raise UsageError(
            _(
                "Nothing to import was named. Give at least one of --queries, --documents, "
                "--run, --qrels, --results, --clicks."
            )
        )
    check_stdin([name for _kind, name in sources])


def _write(session: Session, plan: ImportPlan) -> None:
    with shown_progress(_("Writing")) as progress:
        write_import(session, plan, progress=progress)
    if find_hub_side(session).url:
        from judgetool.session.team.sync_state import find_own_material  # noqa: PLC0415 - loads the hub

        tell(find_own_material(session))
    # The session is closed next: reading anew what was written would help nobody.


_ALL_ROLES = tuple(dict.fromkeys(role for roles in ROLES.values() for role in roles))


def parse_wishes(
    *, columns: Iterable[str], answers: Iterable[str], grades: Iterable[str]
) -> Wishes:
    """Read what a person says of the files before they are read.

    Args:
        columns: ``HEADER=ROLE``.
        answers: ``QUESTION=CHOICE``.
        grades: ``GRADE=GRADE``, the left one a number or a word.

    Raises:
        UsageError: a pair is none, a role is not known, a grade is no number.
    """
    roles = dict(_split(pair, "--column", "rating=grade") for pair in columns)
    for header, role in list(roles.items()):
        # A header in another spelling (capitals, blanks) is the same one.
        roles.setdefault(spelled_name(header), role)
        if role not in _ALL_ROLES:
            raise UsageError(
                _(
                    "--column {header}={role}: there is no such role. Choose one of: {roles}. "
                    "Nothing was imported."
                ).format(header=header, role=role, roles=", ".join(_ALL_ROLES))
            )
    said = dict(_split(pair, "--answer", "column_two=assessor") for pair in answers)
    pairs = (_split(pair, "--map-grade", "4=3") for pair in grades)
    grade_map = {grade: _checked_grade(grade, wanted) for grade, wanted in pairs}
    return Wishes(said, roles, grade_map)


_NO_DECIMAL_SIGN = N_(
    "--answer decimal_sign: no count or weight in these files leaves that open. Of fields of documents "
    "it says nothing: rules read them as their values tell."
)
_ANSWERS_ALWAYS = {"header": ("yes", "no"), "lines": ("texts",)}
_ANY_ANSWER = ("encoding", "sheet", "member")
_ASKED_OF_SOME = (
    WHOSE.name,
    SCORE_COMMA,
    GRADE_COMMA,
    DECIMAL_SIGN,
    DATE_ORDER,
    CLICK_ZERO,
    QUOTES,
    "people",
    "texts",
    "runs",
    *JOIN.values(),
    *MAP_IDS.values(),
)


def _known_questions() -> Iterator[str]:
    """Yield the names of all questions that some file may ask."""
    yield from (*_ANSWERS_ALWAYS, *_ANY_ANSWER)
    yield from dict.fromkeys(name for each in FORMATS.values() for name in each.questions)
    yield from _ASKED_OF_SOME


def check_answers(answers: Mapping[str, str], asked: Iterable[Question]) -> None:
    """Refuse an answer to what is never asked, and one that is no choice.

    Args:
        answers: what was said, by the question's name.
        asked: the questions of all files; one that none of them asks is no mistake.

    Raises:
        UsageError: there is such an answer.
    """
    choices: dict[str, tuple[str, ...]] = dict(_ANSWERS_ALWAYS)
    for question in asked:
        choices[question.name] = (*choices.get(question.name, ()), *question.choices)
    for name, said in answers.items():
        if name in _ANY_ANSWER:
            continue
        if name not in choices and name not in (known_names := [*_known_questions()]):
            known = ", ".join(known_names)
            raise UsageError(
                _(
                    "--answer {name}={said}: there is no such question. Questions are {known}. "
                    "Nothing was imported."
                ).format(name=name, said=said, known=known)
            )
        if name in choices and said not in choices[name]:
            raise UsageError(
                _(
                    "--answer {name}={said}: that is no answer to it. Choose one of {choices}. "
                    "Nothing was imported."
                ).format(name=name, said=said, choices=", ".join(dict.fromkeys(choices[name])))
            )


def number_map(grade_map: Iterable[tuple[str, float]]) -> dict[float, float]:
    """Return the part of a map of grades whose left sides are numbers."""
    found = ((_find_number(grade), wanted) for grade, wanted in grade_map)
    # Above, a file's number is a word, as no other is told from it.
    return {n: wanted for n, wanted in found if n is not None and abs(n) <= MOST_GRADE}


def _split(pair: str, option: str, example: str) -> tuple[str, str]:
    # A header or a word may hold the sign itself; a role or a grade never does.
    name, sign, value = pair.rpartition("=")
    if not (sign and name.strip() and value.strip()):
        raise UsageError(
            _(
                "{option} expects a pair such as {example}, found ‘{pair}’. Nothing was imported."
            ).format(option=option, example=example, pair=pair)
        )
    return name.strip(), value.strip()


def _find_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _checked_grade(grade: str, wanted: str) -> float:
    number = _find_number(wanted)
    if number is None:
        raise UsageError(
            _(
                "--map-grade {grade}={wanted}: a grade of the scale is expected on the right, "
                "such as 4=3. Nothing was imported."
            ).format(grade=grade, wanted=wanted)
        )
    return number


# What an import did, for people and for scripts

N_REFUSALS_SHOWN = 20
N_EXAMPLES_SHOWN = 5
_DELIMITERS = {
    "\t": N_("tabs"),
    ",": N_("commas"),
    ";": N_("semicolons"),
    "|": N_("bars"),
    " ": N_("blanks"),
}


def format_report(
    plan: ImportPlan,
    project: Path,
    *,
    is_dry_run: bool,
    is_held: bool = False,
    conflicts: Conflicts = Conflicts.MINE,
    scale: Scale,
) -> str:
    """Return the report as text: a paragraph for each file, and what became of it all.

    Args:
        plan: what was planned, and written unless one of these says otherwise.
        project: the project's file.
        is_dry_run: whether nothing was to be written.
        is_held: whether nothing was written because something has to be said first.
        conflicts: which judgment stays where file and project differ.
        scale: the project's: no other grades are proposed.
    """
    shared = shared_notes(plan)
    lines = [
        line for report in plan.files for line in _file_lines(report, conflicts, scale, shared)
    ]
    lines += shared_lines(plan)
    counts = {"n_new": local_count(plan.n_new), "n_changed": local_count(plan.n_changed)}
    if is_held:
        lines.append(_("Nothing was written to {project}.").format(project=project))
    elif is_dry_run:
        lines.append(
            _(
                "Dry run: nothing was written to {project}. Without --dry-run it would be "
                "{n_new} new and {n_changed} changed."
            ).format(project=project, **counts)
        )
    elif plan.is_empty:
        lines.append(_nothing_text(plan, project))
    else:
        said = _("Written to {project}: {n_new} new, {n_changed} changed.")
        lines.append(said.format(project=project, **counts))
    lines += filter(None, (late_text(plan), uncounted_text(plan)))
    # Ids may hold what a terminal obeys.
    return "\n".join(map(shown_name, lines))


def _nothing_text(plan: ImportPlan, project: Path) -> str:
    """Return why nothing is written: it is there already, kept as it is, or left out."""
    if not plan.n_records:
        return _("Nothing could be taken; nothing was written to {project}.").format(
            project=project
        )
    if plan.n_conflicts or plan.n_text_conflicts:
        return _("Nothing new; {project} keeps what it has, and nothing was written.").format(
            project=project
        )
    said = (
        _("{project} has all of the rest already; nothing was written.")
        if plan.n_refused
        else _("{project} has all of this already; nothing was written.")
    )
    return said.format(project=project)


def open_question_text(plan: ImportPlan) -> str:
    """Return what has to be answered, and how; ``""`` where nothing is open."""
    names = {
        question.name: _("--answer {name}=CHOICE, one of {choices}").format(
            name=question.name, choices=", ".join(question.choices)
        )
        for report in plan.files
        for question in report.all_questions
        if question.is_open
    }
    if not names:
        return ""
    ways = _("; and ").join(names.values())
    return _("A question is open, so nothing was imported. Answer with {ways}.").format(ways=ways)


def report_values(
    plan: ImportPlan, project: Path, *, is_dry_run: bool, is_held: bool = False
) -> dict[str, Any]:
    """Return the report as plain values for JSON; refusals are the first 1,000 of a file."""
    return {
        "project": str(project),
        "is_dry_run": is_dry_run,
        "is_written": not (is_dry_run or is_held or plan.is_empty),
        "n_records": plan.n_records,
        "n_new": plan.n_new,
        "n_changed": plan.n_changed,
        "n_unchanged": plan.total(lambda report: report.n_unchanged),
        "n_left_out": plan.total(lambda report: report.n_left_out),
        "n_refused": plan.n_refused,
        "n_conflicts": plan.n_conflicts,
        "n_overruled": plan.n_overruled,
        "n_outdated": plan.n_outdated,
        "not_counting": list(plan.uncounted),
        "n_text_conflicts": plan.n_text_conflicts,
        "n_given_meanwhile": plan.late_new + plan.late_changed,
        "n_texts_changed_meanwhile": plan.n_late_texts,
        "n_replaced_meanwhile": plan.n_replaced_late,
        "runs": [name for name, _, _ in plan.runs],
        "files": [_file_values(report) for report in plan.files],
    }


def _file_values(report: FileReport) -> dict[str, Any]:
    reading = report.reading
    return {
        "source": reading.source,
        "kind": str(reading.kind),
        "format": reading.format,
        "encoding": reading.encoding,
        "delimiter": reading.delimiter,
        "n_lines": reading.n_lines,
        "n_records": report.n_records,
        "n_new": report.n_new,
        "n_changed": report.n_changed,
        "n_unchanged": report.n_unchanged,
        "n_left_out": report.n_left_out,
        "n_repeated": report.n_repeated,
        "n_refused": report.refusals.n,
        "refusals": [
            {"line": refusal.line, "reason": refusal.reason} for refusal in report.refusals
        ],
        "n_conflicts": report.conflicts.n,
        "conflicts": [_conflict_values(conflict) for conflict in report.conflicts],
        "texts": {
            noun: {
                "n_new": each.n_new,
                "n_changed": each.n_changed,
                "n_unchanged": each.n_unchanged,
            }
            for noun, each in report.texts.items()
        },
        "n_overruled": report.overruled.n,
        "overruled": [_overruled_values(each) for each in report.overruled],
        "n_outdated": report.outdated.n,
        "outdated": [_overruled_values(each) | {"source": each.source} for each in report.outdated],
        "n_same_time": max(0, report.n_tied),
        "n_text_conflicts": report.text_conflicts.n,
        "text_conflicts": [conflict._asdict() for conflict in report.text_conflicts],
        "off_scale": {format_grade(g): n for g, n in sorted(report.off_scale.items())},
        "grades_mapped": [
            {"from": grade, "to": wanted, "n": count}
            for (grade, wanted), count in sorted(report.mapped.items())
        ],
        "unmatched_ids": [_match_values(match) for match in report.matches],
        "columns": {column.header: column.role for column in reading.columns},
        "whose": None if reading.judgments is None else find_whose(reading).answer,
        "n_cannot_judge": report.n_cannot_judge,
        "questions": [
            {
                "name": question.name,
                "text": question.text,
                "choices": dict(question.choices),
                "answer": question.answer,
            }
            for question in report.all_questions
            if question != WHOSE
        ],
        "labels": reading.labels,
        "label_proposal": reading.label_proposal,
        "notes": report.notes,
    }


def _conflict_values(conflict: Conflict) -> dict[str, Any]:
    theirs = conflict.theirs
    return {
        "line": conflict.line,
        "query": theirs.query_id,
        "document": theirs.document_id,
        "assessor": theirs.assessor,
        "mine": describe_judgment(conflict.mine),
        "theirs": describe_judgment(theirs.judgment),
    }


def _overruled_values(overruled: Overruled) -> dict[str, Any]:
    theirs = overruled.theirs
    return {
        "query": theirs.query_id,
        "document": theirs.document_id,
        "assessor": overruled.assessor,
        "grade": format_grade(overruled.grade),
        "by": theirs.assessor,
        "theirs": describe_judgment(theirs.judgment),
    }


def _match_values(match: IdMatch) -> dict[str, Any]:
    return {
        "of": match.noun,
        "n_named": match.n_named,
        "n_known": match.n_known,
        "n_unmatched": match.n_strange,
        "unmatched": list(match.strange),
        "nearest": dict(match.nearest),
        "habit": match.habit,
    }


def _file_lines(
    report: FileReport, conflicts: Conflicts, scale: Scale, shared: Collection[str]
) -> Iterator[str]:
    reading = report.reading
    columns = _(_DELIMITERS.get(reading.delimiter or "", ""))
    # Before its encoding is known, neither a format nor a number of lines may be.
    title = _(FORMATS[reading.format].title) if reading.format else ""
    how = ", ".join(filter(None, (title, reading.encoding, columns)))
    n_lines = reading.n_lines
    how_long = number_of(n_lines, "{n} line", "{n} lines") if n_lines or reading.format else ""
    yield f"{shown_name(reading.source)}: {'; '.join(filter(None, (how, how_long)))}"
    counts = _(
        "{records}: {n_new} new, {n_changed} changed, {n_same} unchanged; {n_refused} refused"
    )
    if report.n_left_out:
        counts = _(
            "{records}: {n_new} new, {n_changed} changed, {n_same} unchanged, {n_left_out} left out; "
            "{n_refused} refused"
        )
    numbers = (report.n_new, report.n_changed, report.n_unchanged, report.refusals.n)
    n_new, n_changed, n_same, n_refused = (local_count(each) for each in numbers)
    if report.is_waiting:
        counts = _("nothing is taken before the question below is answered; {n_refused} refused")
    yield "  " + counts.format(
        records=records_text(report),
        n_new=n_new,
        n_changed=n_changed,
        n_same=n_same,
        n_left_out=local_count(report.n_left_out),
        n_refused=n_refused,
    )
    if report.n_repeated:
        yield "  " + number_of(
            report.n_repeated,
            "{n} of the unchanged is in another file of this import, too",
            "{n} of the unchanged are in another file of this import, too",
        )
    if report.texts:
        yield "  " + _("with {texts}").format(texts=texts_text(report))
    yield from _understood_lines(report, scale)
    refused = refused_lines(report)[:N_REFUSALS_SHOWN]
    for refusal, _count in refused:
        number = "" if refusal.line is None else local_count(refusal.line)
        where = _("line {line}").format(line=number) if number else _("whole file")
        yield f"  {where}: {refusal.reason}"
    n_more = report.refusals.n - sum(count for _refusal, count in refused)
    if n_more > 0:
        more = number_of(
            n_more,
            "… and {n} more; --format json lists the first {most}",
            "… and {n} more; --format json lists the first {most}",
            most=local_number("1,000"),
        )
        yield f"  {more}"
    matches = [match_finding(match, reading.source) for match in report.matches]
    for finding in (*contradictions(report, conflicts), *matches):
        yield f"  {finding.title}. {finding.text}"
        lines = finding.lines if finding.level == "warn" else ()
        yield from (f"    {line}" for line in lines[:N_EXAMPLES_SHOWN])
    if report.off_scale:
        said = _("Say what such grades stand for with {options} to take them in.")
        yield "  " + said.format(options=_map_options(report))
    yield from (f"  {note}" for note in report.notes if note not in shared)


def _map_options(report: FileReport) -> str:
    """Return what is to be said of the grades that the scale lacks, or of the first few of them."""
    grades = sorted(report.off_scale)
    shown = [f"--map-grade {format_grade(grade)}=GRADE" for grade in grades[:N_EXAMPLES_SHOWN]]
    return " ".join([*shown, "…"] if len(grades) > len(shown) else shown)


def _understood_lines(report: FileReport, scale: Scale) -> Iterator[str]:
    """Yield what each column was taken for, what is open, which words are no grades yet."""
    reading = report.reading
    if reading.columns:
        uses = ", ".join(f"{column.header} = {column.role}" for column in reading.columns)
        columns = _("columns: {uses} (change them with --column HEADER=ROLE)").format(uses=uses)
        yield f"  {columns}"
    for question in report.all_questions:
        if question == WHOSE:
            # Asked of all judgments; people's are the rule.
            continue
        choices = "; ".join(
            f"{choice}: {translated(text)}" if text else choice
            for choice, text in question.choices.items()
        )
        asked = (
            _("{question} (taken as {answer}; --answer {name}=CHOICE, with {choices})")
            if question.answer
            else _("{question} (not answered; --answer {name}=CHOICE, with {choices})")
        ).format(
            question=_(question.text), answer=question.answer, name=question.name, choices=choices
        )
        yield f"  {asked}"
    words = [word for word in reading.labels if word not in reading.wishes.grade_map]
    if words:
        proposal = reading.label_proposal
        usual = " ".join(
            f"--map-grade '{word}={format_grade(proposal[word])}'"
            for word in words
            if word in proposal and scale.has_grade(proposal[word])
        )
        said = _("grades that are words: {words}; usual: {usual}")
        if not usual:
            said = _(
                "grades that are words: {words} (say what each stands for with --map-grade "
                "'{first}=GRADE', a grade of the scale {label})"
            )
        yield "  " + said.format(
            words=", ".join(words), usual=usual, first=words[0], label=scale.label
        )
