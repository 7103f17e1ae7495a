"""``judgetool export``: what a project holds, to files of others; ``report``: runs compared, as a page.

A PDF is set by Qt, which is loaded for it alone, and needs no screen.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import (
    FILE_PATH,
    PROJECT,
    Whole,
    assessor_option,
    command,
    offer,
    offer_files,
    shown_progress,
    target_of,
    tell_all,
)
from judgetool.cli.compare import COMPARING, take_rules
from judgetool.cli.open import OFFSCREEN, PLATFORM_VARIABLE, check_screen, qt_lack
from judgetool.cli.options import (
    NO_RUN,
    NO_SYSTEM,
    SEED_OPTION,
    VIEW_OPTION,
    check_apart,
    choice_option,
    given,
    no_such,
)
from judgetool.cli.score_project import find_frozen
from judgetool.cli.scoring import (
    LOOKING,
    ScoringWishes,
    chosen_scale,
    look_of,
    said_words,
)
from judgetool.core.judgments import DEFAULT_VIEW, VIEW_RULES, view_rule
from judgetool.core.number_text import number_of
from judgetool.errors import InputError, UsageError, why_refused
from judgetool.formats import write_atomically
from judgetool.formats.output import SIDE_ENDING
from judgetool.formats.writers import (
    WRITERS,
    Blanks,
    CannotJudge,
    ExportChoices,
    Formulas,
    Fractions,
    Numbers,
    Subject,
    writer_format,
)
from judgetool.formats.writers.values import NOUNS
from judgetool.metrics import CONVENTION_PRESETS, Measure, parse_measures
from judgetool.session.commands import Progress
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.system_values import named_systems, open_look
from judgetool.session.exports.exporting import (
    ExportReport,
    check_not_project,
    list_run_names,
    write_export,
    write_together,
)
from judgetool.session.exports.reporting import ReportChoices, report_work, write_report
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import N_, _, pgettext

_HAS_GRADES = (Subject.GRADES, Subject.JUDGMENTS, Subject.RUN)
# Grades come last: beside them a side file has the scale.
_BEIR_FILES = {
    "beir-queries": "queries.jsonl",
    "beir-corpus": "corpus.jsonl",
    "beir-qrels": "qrels/test.tsv",
}
# Everything that was said, by the ending of a file.
_JUDGMENTS = {
    form.endings[0]: name for name, form in WRITERS.items() if name.startswith("judgments-")
}
_WHERE = {"-": N_("standard output")}


@command(
    "export",
    examples=(
        "judgetool export recipes.judge --qrels qrels.txt",
        "judgetool export recipes.judge --qrels - --view majority",
        "judgetool export recipes.judge --judgments anna.csv --assessor anna",
        "judgetool export recipes.judge --run title-bm25=title.run --run chargrams=char.run",
        "judgetool export recipes.judge --format opensearch-judgments --out judgments.json --meta",
        "judgetool export recipes.judge --judgments all.csv --anonymous --seed 7",
        "judgetool export recipes.judge --format report-latex --run title-bm25 chargrams",
    ),
)
@PROJECT
@click.option(
    "--qrels", shell_complete=offer_files, metavar="OUT", help="TREC qrels: one grade per document."
)
@click.option(
    "--judgments",
    shell_complete=offer_files,
    metavar="OUT.csv",
    help=f"Everything that was said, and who said it, as OUT ends: {', '.join(_JUDGMENTS)}.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="NAME=OUT",
    help="A run or what-if of the project, as TREC run. With --format only NAME: the run or runs that are meant.",
)
@click.option(
    "--beir",
    shell_complete=offer_files,
    metavar="FOLDER",
    help="A folder as BEIR loads it: corpus.jsonl, queries.jsonl and qrels/test.tsv.",
)
@click.option(
    "--format",
    shell_complete=offer(WRITERS),
    metavar="NAME",
    help=f"Any format that judgetool writes: {', '.join(WRITERS)}.",
)
@click.option(
    "--out",
    shell_complete=offer_files,
    metavar="OUT",
    help="Where --format writes to.  [default: -]",
)
@assessor_option("Only what this assessor said.")
@VIEW_OPTION(
    help=f"How several grades of a document become one: {', '.join(VIEW_RULES)}. "
    f"Default: {DEFAULT_VIEW}.",
)
@choice_option(
    "--cannot-judge",
    CannotJudge,
    "Documents that could not be judged: leave them out, or write the lowest grade.  "
    "[default: leave-out]",
)
@choice_option(
    "--fractions",
    Fractions,
    "Grades such as 1.5 where tools read whole numbers.  [default: refuse; with --qrels keep]",
)
@choice_option(
    "--numbers",
    Numbers,
    "Write grades or gains.  [default: usual: grades, in LETOR gains]",
)
@choice_option(
    "--blanks",
    Blanks,
    "Ids with blanks in TREC’s formats: refuse them, or write _ for each blank of query ids, or "
    "of all.  "
    "[default: refuse]",
)
@choice_option(
    "--formulas",
    Formulas,
    "Cells of a CSV that begin as formulas do (= + - @): texts get an apostrophe in front, ids "
    "are refused or kept, never changed.  [default: refuse-ids]",
)
@click.option(
    "--target",
    metavar="NAME",
    help="Name of the index or of the judgment list in JSON formats.  [default: judgments]",
)
@click.option(
    "--conventions",
    shell_complete=offer(CONVENTION_PRESETS),
    metavar="PRESET",
    help=f"Of a report: the conventions of a tool or campaign: {', '.join(CONVENTION_PRESETS)}.",
)
@click.option("--digits", type=Whole(0, 17), help="Decimals of a report.  [default: 4]")
@click.option(
    "--anonymous",
    is_flag=True,
    default=None,
    help="Assessors are A1, A2 …, models M1 …; without notes and durations, times only as an order.",
)
@SEED_OPTION(
    help="With --anonymous: another seed numbers the assessors in another order.  [default: 0]",
)
@click.option(
    "--meta/--no-meta",
    "has_meta",
    default=None,
    help="Write OUT.meta.json too: the scale, by which score, compare and explain read OUT, and what "
    "was chosen.  [default: yes, for judgments and runs in a file]",
)
def export_command(  # noqa: PLR0913 - one value for each option
    project: Path,
    *,
    qrels: str | None,
    judgments: str | None,
    runs: tuple[str, ...],
    beir: str | None,
    out: str | None,
    has_meta: bool | None,
    **rules: Any,  # noqa: ANN401 - the fields of ExportChoices, None where not given
) -> None:
    """Write what PROJECT holds to files that other tools read.

    `-` is standard output. A file that exists is replaced as a whole or not at all.
    Works while a window has the project open, and never changes it.
    """
    said = given(**rules)
    _check_given(said, out=out)
    is_free = "format" in said
    targets = [*filter(None, (qrels, judgments, beir)), *([out or "-"] if is_free else [])]
    if not is_free:
        targets += [run.rpartition("=")[2] for run in runs]
    _check_targets(targets, has_meta=bool(has_meta))
    assessor = said.get("assessor", "")
    with open_project(project, assessor=assessor, read_only=True) as session:
        chosen = [] if is_free else [split_run(session, run) for run in runs]
        outs = [*filter(None, (qrels, judgments)), *(target for _name, target in chosen)]
        outs += [out or "-"] if is_free else []
        _refuse_same_file(_files_of(outs, beir, has_meta=has_meta is not False))
        said_as = _judgments_format(judgments or "-", session)
        plain = ExportChoices(**{**said, "format": "trec-qrels"})
        if qrels:
            kept = plain if "fractions" in said else plain._replace(fractions=Fractions.KEEP)
            _write(session, kept, qrels, has_meta=has_meta)
        if judgments:
            _write(session, plain._replace(format=said_as), judgments, has_meta=has_meta)
        if beir:
            _write_beir(session, plain, Path(beir), has_meta=has_meta is not False)
        for name, target in chosen:
            one = plain._replace(format="trec-run", runs=(name,))
            _write(session, one, target, has_meta=has_meta)
        if is_free:
            free = ExportChoices(**said)._replace(runs=_named_runs(session, said["format"], runs))
            _write(session, free, out or "-", has_meta=has_meta)


def _check_given(given: dict[str, Any], *, out: str | None) -> None:
    """Refuse options that do not go together, or name what there is not."""
    if "assessor" in given and "view" in given:
        raise UsageError(
            _("--assessor and --view exclude each other: one person’s, or all folded.")
        )
    view_rule(given.get("view", DEFAULT_VIEW))
    if "seed" in given and "anonymous" not in given:
        raise UsageError(_("--seed goes with --anonymous, whose numbers it chooses."))
    if "format" not in given and out is not None:
        raise UsageError(_("--out goes with --format, which says what is to be written."))
    if "format" in given and writer_format(given["format"]).is_binary and out in (None, "-"):
        raise UsageError(
            _("{format} is no text: name a file with --out.").format(format=given["format"])
        )


def _check_targets(targets: list[str], *, has_meta: bool) -> None:
    if not targets:
        raise UsageError(
            _(
                "Nothing to export was named. Give at least one of --qrels, --judgments, "
                "--run, --beir, --format."
            )
        )
    if targets.count("-") > 1:
        raise UsageError(_("Only one thing can be written to standard output (-)."))
    if has_meta and "-" in targets:
        raise UsageError(
            _("--meta writes a file beside the other one, so that cannot be - (a pipe).")
        )


def _judgments_format(out: str, session: Session) -> str:
    """Return the format of everything that was said that a file’s ending asks for; CSV without one.

    Raises:
        InputError: none has this ending, or it is the project itself.
    """
    path = Path(out)
    check_not_project(path, session)
    ending = "" if _is_device(path) else path.suffix.lower()
    if ending and ending not in _JUDGMENTS:
        endings = ", ".join(_JUDGMENTS)
        said = _("{out}: --judgments writes to files that end in {endings}, --format to others.")
        raise InputError(said.format(out=out, endings=endings))
    return _JUDGMENTS.get(ending, "judgments-csv")


def _files_of(outs: list[str], beir: str | None, *, has_meta: bool) -> list[Path]:
    """Return every file that would be written, devices and pipes left out."""
    named = [Path(each) for each in outs if each != "-" and not _is_device(Path(each))]
    of_beir = [Path(beir) / file for file in _BEIR_FILES.values()] if beir else []
    graded = [*named, *of_beir[-1:]]
    beside = [Path(f"{each}{SIDE_ENDING}") for each in graded] if has_meta else []
    return [*named, *of_beir, *beside]


def _refuse_same_file(paths: list[Path]) -> None:
    """Refuse to write two things to one file, however it is spelled.

    Raises:
        UsageError: two paths lead to the same file.
    """
    seen: dict[str, Path] = {}
    for path in paths:
        first = seen.setdefault(os.path.normcase(os.path.realpath(path)), path)
        if first is not path:
            raise UsageError(
                _(
                    "Two things would be written to {path}, and only the last would be there. "
                    "Nothing was written; name a file for each."
                ).format(path=path)
            )


def _named_runs(session: Session, name: str, runs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the runs that ``--format`` is about.

    Raises:
        UsageError: a format of one run without exactly one run, where there are several.
    """
    if writer_format(name).subject is not Subject.RUN or len(runs) == 1:
        return runs
    known = list_run_names(session)
    if len(runs) > 1 or len(known) != 1:
        names = ", ".join(known) or pgettext("names that there are", "none")
        raise UsageError(
            _("{name} holds one run: name it with --run. There are: {names}.").format(
                name=name, names=names
            )
        )
    return (known[0],)


def split_run(session: Session, text: str) -> tuple[str, str]:
    """Return name and target of ``NAME=OUT``; both may hold ``=`` themselves.

    Raises:
        UsageError: there is no ``=``, or nothing after it.
        InputError: the project has no run of this name.
    """
    parts = text.split("=")
    if len(parts) < 2 or not parts[-1]:
        raise UsageError(
            _("--run {text}: expected NAME=OUT, such as bm25=bm25.run.").format(text=text)
        )
    splits = [("=".join(parts[:n]), "=".join(parts[n:])) for n in range(1, len(parts))]
    names = list_run_names(session)
    known = [split for split in splits if split[0] in names]
    if not known:
        raise no_such(NO_RUN, splits[-1][0], session.path.name, names)
    return known[-1]


def _write(session: Session, choices: ExportChoices, out: str, *, has_meta: bool | None) -> None:
    subject = writer_format(choices.format).subject
    if has_meta is None:
        has_meta = out != "-" and subject in _HAS_GRADES and not _is_device(Path(out))
    run = choices.runs[0] if subject is Subject.RUN else ""
    with shown_progress(_("Writing {out}").format(out=_(_WHERE.get(out, out)))) as progress:
        report = write_export(
            session, choices, target_of(out), has_meta=has_meta, progress=progress
        )
    start = f"{run}: " if run else ""
    tell_all(f"{start}{note}" for note in report.notes)
    _tell(report.n_records, NOUNS[subject], run, out)
    _tell_meta(report)


def _tell_meta(report: ExportReport) -> None:
    if report.meta is not None:
        click.echo(_("its scale and what was chosen to {meta}").format(meta=report.meta), err=True)


def _write_beir(session: Session, choices: ExportChoices, folder: Path, *, has_meta: bool) -> None:
    """Write the files of a BEIR folder: all of them, or none, and no folder either."""
    files = {folder / file: choices._replace(format=name) for name, file in _BEIR_FILES.items()}
    with (
        _made_folder(folder / "qrels", named=folder),
        shown_progress(_("Writing {out}").format(out=folder)) as progress,
    ):
        graded = [*files][-1:] if has_meta else ()
        reports = write_together(session, files, with_meta=graded, progress=progress)
    for (path, each), report in zip(files.items(), reports, strict=True):
        tell_all(report.notes)
        _tell(report.n_records, NOUNS[writer_format(each.format).subject], "", str(path))
        _tell_meta(report)


@contextmanager
def _made_folder(folder: Path, *, named: Path) -> Iterator[None]:
    """Make a folder, and take away again what was made of it where nothing comes into it."""
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(
                _("{folder} cannot be made a folder: {strerror}. Nothing was written.").format(
                    folder=named, strerror=why_refused(problem)
                )
            ) from problem
        yield
    except BaseException:
        for each in made:
            with suppress(OSError):  # never made, or somebody else’s file is in it
                each.rmdir()
        raise


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _tell(count: int, forms: tuple[str, str], run: str, out: str) -> None:
    """Say on standard error how much went where: standard output may be the file."""
    said = _("{records} of {run} to {out}") if run else _("{records} to {out}")
    where = _(_WHERE.get(out, out))
    click.echo(said.format(records=number_of(count, *forms), run=run, out=where), err=True)


@command(
    "report",
    n_arguments=lambda _words: 2,
    examples=(
        "judgetool report recipes.judge report.html",
        "judgetool report recipes.judge report.html --against title-bm25 -m nDCG@10 AP",
        "judgetool report recipes.judge report.pdf --run title-bm25 chargrams",
        "judgetool report recipes.judge march.html --snapshot march",
        "judgetool report recipes.judge soups.html --where category:soups",
    ),
)
@PROJECT
@click.argument("out", type=FILE_PATH, metavar="OUT.html|OUT.pdf")
@click.option(
    "--against",
    metavar="NAME",
    help="Run or what-if that the others are compared with.  [default: the first]",
)
@click.option(
    "-m",
    "--measures",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Some of the project’s measures.  [default: all of them]",
)
@click.option(
    "--drawn",
    metavar="MEASURE",
    help="The measure whose differences and curve are drawn.  [default: the first]",
)
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Only these runs and what-ifs.")
@click.option(
    "--snapshot", metavar="NAME", help="Report on a snapshot: its rankings and its judgments."
)
@COMPARING
@LOOKING
@click.option(
    "--anonymous",
    is_flag=True,
    help="Without title and file of the project, the time, and the name of whose judgments alone count.",
)
def report_command(  # noqa: PLR0913 - one value for each option
    project: Path,
    out: Path,
    *,
    against: str | None,
    measures: tuple[str, ...],
    drawn: str | None,
    runs: tuple[str, ...],
    snapshot: str | None,
    apart: tuple[str, ...],
    anonymous: bool,
    **wished: Any,  # noqa: ANN401 - those of COMPARING, and further fields of ScoringWishes
) -> None:
    """Write a report on PROJECT: OUT.html needs no other file, OUT.pdf is the same on A4 pages.

    It holds a table of runs and what-ifs with means, intervals and significance, the
    queries that changed most, curves, the conventions, and how it was made. The page can
    be printed, and follows light and dark; a PDF has its fonts in it. The project’s own choice
    of test and correction holds where nothing else is asked for.
    """
    is_pdf = out.suffix.lower() == ".pdf"
    if is_pdf:
        check_screen(is_offscreen=True)
    rules = take_rules(wished)
    asked = ScoringWishes(project=project, **wished)
    # The report says itself of which queries it is.
    wishes = asked._replace(where="")
    with open_look(project, look_of(wishes, chosen_scale(wishes))) as session:
        check_not_project(out, session)
        if not (is_pdf or out.suffix.lower() in (".html", ".htm") or _is_device(out)):
            said = _("{out}: a report is written to a file that ends in .html or .pdf.")
            raise InputError(said.format(out=out))
        frozen = None if snapshot is None else find_frozen(session, snapshot)
        known = list(frozen.systems) if frozen else named_systems(session)
        chosen = tuple(dict.fromkeys(each for name in measures for each in parse_measures(name)))
        chosen = wishes.tool.rewrite_all(chosen) if wishes.tool else chosen
        baseline = None if against is None else _find(session, known, against)
        usual = frozen.systems if frozen else present_systems(session)
        systems = tuple(_find(session, known, name) for name in dict.fromkeys(runs)) or tuple(usual)
        alone = set(check_apart(apart, [each.name for each in systems]))
        # As in the window: what nobody chose is in the table, and changes no p of others.
        unasked = [each for each in systems if not runs and each.kind == "what-if"]
        choices = ReportChoices(
            systems,
            baseline,
            chosen,
            _one_measure(drawn),
            replace(comparison_rules(session), **rules),
            snapshot=frozen.id if frozen else "",
            apart=tuple(each for each in systems if each.name in alone or each in unasked),
            anonymous=anonymous,
            again=tuple(said_words(wishes)),
            where=asked.where,
        )
        with shown_progress(_("Comparing")) as progress:
            write = _write_pdf if is_pdf else write_report
            write(session, out, choices, progress=progress)


def _write_pdf(
    session: Session, path: Path, choices: ReportChoices, *, progress: Progress | None
) -> None:
    """Write a report as PDF; errors as of :func:`write_report`, and without Qt.

    Raises:
        EnvironmentLackError: Qt, or a library that it needs, is not there.
    """
    check_not_project(path, session)
    os.environ[PLATFORM_VARIABLE] = OFFSCREEN
    try:
        from judgetool.gui.report_pdf import pdf_of_report  # noqa: PLC0415 - no page needs Qt
    except ImportError as error:
        raise qt_lack(error) from error
    report = report_work(session, choices)(progress, None)
    write_atomically(path, [pdf_of_report(report)])


def _one_measure(name: str | None) -> Measure | None:
    found = parse_measures(name) if name is not None else ()
    if len(found) > 1:
        raise UsageError(
            _("--drawn {name}: expected one measure, found {found}.").format(
                name=name, found=len(found)
            )
        )
    return next(iter(found), None)


def _find(session: Session, known: list[System], name: str) -> System:
    # Of equal names that of the present is meant, and of these the last.
    named = [each for each in reversed(known) if each.name == name]
    found = min(named, key=lambda each: bool(each.snapshot), default=None)
    if found is None:
        names = [each.name for each in known]
        raise no_such(NO_SYSTEM, name, session.path.name, names)
    return found
