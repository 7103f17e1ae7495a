"""A project file by itself: ``new``, ``show``, ``project``, ``check``; ``backups`` and ``recover``."""

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from judgetool.cli.command import (
    FILE_PATH,
    PROJECT,
    Option,
    Whole,
    assessor_option,
    command,
    offer_files,
    print_tsv,
    table_text,
    tell_all,
    tell_result,
)
from judgetool.cli.options import SCALE_OPTION, VIEW_OPTION, format_option, read_scale
from judgetool.core.clock import iso_utc
from judgetool.core.held_files import refuse_hopeless
from judgetool.core.judgments import DEFAULT_VIEW, VIEW_RULES, check_assessor, view_rule
from judgetool.core.number_text import number_of
from judgetool.core.policy import policy
from judgetool.core.scale import SCALE_FORMS, SCALE_PRESETS, format_grade, tell_below_zero
from judgetool.errors import InputError, ProjectDamagedError, UsageError
from judgetool.formats.records import note_number
from judgetool.metrics import parse_measure
from judgetool.session.board import tied_notes
from judgetool.session.edits import take_along
from judgetool.session.history import title_in_words
from judgetool.session.opening import open_project
from judgetool.session.safety import (
    Backup,
    Recovery,
    check_project,
    describe_others,
    describe_recovered,
    gap_sentence,
    is_hopeless,
    kept_sentence,
    leave_missing,
    list_project_backups,
    open_to_change,
    recover_project,
    restore_backup,
    why_missing,
)
from judgetool.session.session import Session
from judgetool.session.team.agreement import list_judges, set_counts
from judgetool.session.team.disputes import load_disputes, stake_measure
from judgetool.wording import _, in_english, local_number


@command(
    "new",
    examples=(
        "judgetool new shop.judge",
        'judgetool new shop.judge --scale esci --title "Shop search, autumn"',
        "judgetool new movies.judge --scale 1-5@4",
    ),
)
@PROJECT
@SCALE_OPTION(
    default="0-3",
    show_default=True,
    help=f"Scale of grades: {', '.join(SCALE_PRESETS)}; {SCALE_FORMS}; or a file with a scale.",
)
@click.option(
    "--title", metavar="TITLE", default="", help="Title of the project; otherwise the file’s name."
)
def new_command(project: Path, scale: str, title: str) -> None:
    """Make an empty project at PROJECT, a file that usually ends in .judge.

    The scale can be changed as long as every grade given is on the new one.
    """
    context = click.get_current_context()
    is_named = context.get_parameter_source("scale") is ParameterSource.COMMANDLINE
    chosen = read_scale(scale if is_named else policy().scale or scale)
    from judgetool.session.opening import create_project  # noqa: PLC0415 - --help need not wait

    create_project(project, scale=chosen, title=title)
    said = _("Made {project} with the scale {scale} ({label}).").format(
        project=project, scale=chosen.name, label=chosen.label
    )
    if chosen.name not in SCALE_PRESETS:
        start = format_grade(chosen.relevant_from)
        gains = ", ".join(format_grade(level.gain) for level in chosen.levels)
        more = _("Relevant from {start}; gains {gains}. Project ▸ Scale changes them.")
        said += "\n" + more.format(start=start, gains=gains)
    tell_result("\n".join((said, *tell_below_zero(chosen.levels))))


@command(
    "check",
    examples=("judgetool check recipes.judge", "judgetool check recipes.judge --leave-out"),
)
@PROJECT
@click.option(
    "--leave-out",
    "leaves_out",
    is_flag=True,
    help="Note that PROJECT is to be without the judgments that only its safety log has, as after "
    "going back to an older file on purpose: they are not named again.",
)
def check_command(project: Path, *, leaves_out: bool) -> None:
    """Say whether PROJECT is sound, and what is in it.

    SQLite’s own check of the whole file, references between tables, the checksum of every
    text, ranking, name, step and line of the log, and whether judgments and values are what
    the log leads to. Damaged lines of the safety log are counted. The file is not changed. Exit code 0 when it is sound, 1 when it is not.
    """
    finding = check_project(project)
    if leaves_out and finding.n_missing and not finding.problems:
        with open_project(project, read_only=True) as session:
            leave_missing(session)
        finding = check_project(project)
    if finding.is_partial:
        click.echo(_("SQLite cannot read all of it. What can be read, page by page:"))
    if finding.counts:
        print_tsv(("what", "count"), list(finding.counts.items()))
    notes: list[str] = []
    note_number(
        notes,
        finding.n_torn,
        "The safety log of {project}, which is kept outside its folder, has {n} line that "
        "cannot be read: a power cut tore the last one, or the disk has damaged it. "
        "‘judgetool recover’ would leave them out; the project itself does not need them.",
        "The safety log of {project}, which is kept outside its folder, has {n} lines that "
        "cannot be read: a power cut tore the last one, or the disk has damaged it. "
        "‘judgetool recover’ would leave them out; the project itself does not need them.",
        project=project.name,
    )
    if finding.is_import_unfinished:
        unfinished = _(
            "An import or merge was not finished; nothing of it counts. What it left is "
            "taken out when {project} is next opened for writing."
        )
        notes.append(unfinished.format(project=project.name))
    left_out = _(
        "The safety log names ‘{title}’, which {project} lacks and no backup holds: do it "
        "again, an import from its files."
    )
    titles = map(title_in_words, finding.left_out)
    notes += [left_out.format(title=title, project=project.name) for title in titles]
    tell_all([*notes, *finding.problems])
    if finding.problems:
        said = (
            _(
                "{project} is not sound (see above). Nothing was changed. Nothing of it can be "
                "read, and neither a backup nor a safety log of it is known on this machine."
            )
            if not finding.counts and is_hopeless(project)
            else _(
                "{project} is not sound (see above). Nothing was changed. Keep this file; "
                "‘judgetool recover {project} NEW.judge’ writes a new one from its newest "
                "backup and the safety log or, without a backup, of all that can be read."
            )
        )
        raise ProjectDamagedError(said.format(project=project), path=project)
    if finding.n_behind:
        tell_all(
            [
                _(
                    "Behind its last page {project} has {n} bytes that nothing reads, as where "
                    "something was added to the file. ‘judgetool recover {project} NEW.judge’ writes "
                    "a new file without them."
                ).format(project=project, n=local_number(f"{finding.n_behind:,}"))
            ]
        )
    if finding.n_missing:
        raise ProjectDamagedError(
            number_of(
                finding.n_missing,
                "{project} is sound, but the safety log has {n} change of judgments that it lacks: "
                "{why}. ‘judgetool recover {path} NEW.judge’ writes a new file that has them.",
                "{project} is sound, but the safety log has {n} changes of judgments that it lacks: "
                "{why}. ‘judgetool recover {path} NEW.judge’ writes a new file that has them.",
                project=project,
                why=why_missing(finding.moved_from),
                path=project,
            ),
            path=project,
        )
    click.echo(_("{project} is sound.").format(project=project))


def _table_option(name: str, what: str) -> Option:
    return click.option(f"--{name}", "tables", multiple=True, flag_value=name, help=what)


@command(
    "show",
    examples=(
        "judgetool show recipes.judge",
        "judgetool show recipes.judge --judgments",
        "judgetool show recipes.judge --queries",
        "judgetool show recipes.judge --disputes",
        "judgetool show recipes.judge --decisions",
        "judgetool show recipes.judge --asked anna",
    ),
)
@PROJECT
@_table_option("judgments", "query, document, assessor, grade, state: a line for everything said.")
@_table_option("queries", "id, text, judged, total: a line per query.")
@_table_option("runs", "name, queries, results, source: a line per run.")
@_table_option(
    "disputes",
    "query, document, grades, view, stake, gap, turns, measure: a line for what two who count graded "
    "differently and nobody has settled, the highest stake first.",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="",
    help="With --disputes: by which of the project’s measures stakes are told.  [default: the first]",
)
@VIEW_OPTION(
    default="",
    help=f"With --disputes: which view ‘view’, stakes and turns are of: {', '.join(VIEW_RULES)}.  "
    f"[default: {DEFAULT_VIEW}]",
)
@_table_option(
    "decisions",
    "first, second, measure, view, attempt, seed, risk, tie, draws, judged, pool, evidence_first, "
    "evidence_second, estimate, error, min, max, verdict: a line for each question of which run is "
    "better, by the view that it was asked in.",
)
@click.option(
    "--asked",
    metavar="NAME",
    help="query, document, judged: a line for each document that this assessor is asked, and yes or "
    "no; which of them come again is not told.",
)
@format_option(("tsv", "json"), "json has a list with an object for each line.", default="tsv")
def show_command(
    project: Path,
    tables: tuple[str, ...],
    *,
    measure: str,
    view: str,
    asked: str | None,
    layout: str,
) -> None:
    r"""Print what PROJECT holds, as tab-separated values with a header, sorted.

    Works while a window has the project open, and never changes it. Without an option
    it prints a summary. A text with a tab, a line end or another control character is
    printed in quotes with escapes as in JSON ("a\tb"); any other as it is.
    """
    wanted = [f"--{name}" for name in dict.fromkeys(tables)] + ["--asked"] * (asked is not None)
    if len(wanted) > 1:
        raise UsageError(
            _("{first} and {second} are two tables. Ask for one of them.").format(
                first=wanted[0], second=wanted[1]
            )
        )
    if measure and "disputes" not in tables:
        raise UsageError(_("--measure is for --disputes: their stakes are by it."))
    if view and "disputes" not in tables:
        raise UsageError(_("--view is for --disputes: it says what counts meanwhile."))
    with open_project(project, assessor=asked or "", read_only=True) as session:
        if view:
            view_rule(view)
            session.set_view(view)
        make = _TABLES[tables[0] if tables else "summary"] if asked is None else _asked
        if measure:
            make = partial(_disputes, wanted=measure)
        header, rows = make(session)
        tied = tied_notes(session.board.n_tied, session.board.view)
    if "disputes" in tables:
        tell_all(tied)
    click.echo(table_text(header, rows, layout))


_YES = ("no", "yes")
_Table = tuple[tuple[str, ...], list[tuple[object, ...]]]


def _summary(session: Session) -> _Table:
    progress = session.board.total_progress()
    rows: dict[str, object] = {
        "title": session.title,
        "scale": f"{session.scale.name} ({session.scale.label})",
        "queries": len(session.material.queries),
        "documents": session.material.count_documents()[0],
        "runs": len(session.material.runs),
        "judgments": len(session.iter_judgments()),
        "assessors": list(session.judges),
        "measures": list(map(str, session.measures)),
        "in the pool": progress.total,
        "judged": progress.judged,
    }
    return ("what", "value"), list(rows.items())


def _judgments(session: Session) -> _Table:
    ids = session.material.document_ids()
    queries = session.material.queries
    rows = []
    for query, document, opinion, _at in session.iter_judgments():
        said = opinion.judgment
        pair = queries[query].id, ids[document]
        rows.append((*pair, opinion.assessor, said.grade, str(said.state)))
    rows.sort(key=lambda row: row[:3])
    return ("query", "document", "assessor", "grade", "state"), list(rows)


def _disputes(session: Session, wanted: str = "") -> _Table:
    ids, queries = session.material.document_ids(), session.material.queries
    name = str(parse_measure(wanted)) if wanted else ""
    measure = stake_measure(session, name)
    if name and name != str(measure):
        raise InputError(
            _(
                "{name} is none of the project’s measures that have a value for each query: {names}."
            ).format(name=name, names=", ".join(map(str, session.measures)))
        )
    rows: list[tuple[object, ...]] = [
        (
            queries[each.query].id,
            ids[each.document],
            dict(sorted((session.assessor_name(who), grade) for who, grade in each.given.items())),
            each.grade,
            round(each.stake, 6),
            each.gap,
            [f"{turn.leader} > {turn.other}" for turn in each.turns],
            str(measure) if measure is not None and session.material.runs else None,
        )
        for each in load_disputes(session, name)
    ]
    return ("query", "document", "grades", "view", "stake", "gap", "turns", "measure"), rows


def _queries(session: Session) -> _Table:
    rows = []
    for number, query in enumerate(session.material.queries):
        progress = session.board.progress(number)
        rows.append((query.id, query.text, progress.judged, progress.total))
    return ("id", "text", "judged", "total"), sorted(rows)


def _runs(session: Session) -> _Table:
    rows = [(run.name, run.n_queries, run.n_results, run.source) for run in session.material.runs]
    return ("name", "queries", "results", "source"), sorted(rows)


@in_english()
def _decisions(session: Session) -> _Table:
    # Few ask for it.
    from judgetool.session.deciding import ending_text, list_decisions  # noqa: PLC0415 - see above

    rows: list[tuple[object, ...]] = []
    for asked, deciding in list_decisions(session):
        view = f"only {asked.own}" if asked.own else asked.view
        head = (*asked.names, asked.measure, view, asked.number, asked.seed, asked.risk, asked.tie)
        if deciding is None:
            rows.append((*head, *[None] * 9, "ended: runs, measure or scale are others now"))
            continue
        now = deciding.standing()
        said = "open" if now.ending is None else ending_text(asked, now.ending)
        known = (*now.evidence, *(now.estimate or (None, None)), now.low, now.high)
        figures = [None if each is None else _few_digits(each) for each in known]
        rows.append((*head, now.n_draws, now.n_judged, deciding.material.n_pool, *figures, said))
    header = (
        "first second measure view attempt seed risk tie draws judged pool "
        "evidence_first evidence_second estimate error min max verdict"
    )
    return tuple(header.split()), rows


def _few_digits(number: float) -> float:
    """Return a number to six decimals; evidence, which one grade can make huge, to six digits."""
    return round(number, 6) if abs(number) < 1e6 else float(f"{number:.6g}")


def _asked(session: Session) -> _Table:
    if session.assessor_id is None:
        check_assessor(session.assessor, session.assessors, session.path.name)
    asked = session.asks.list_firsts()
    ids = session.material.document_ids([document for (_query, document), _judged in asked])
    queries = session.material.queries
    rows = [
        (queries[query].id, ids[document], _YES[is_judged])
        for (query, document), is_judged in asked
    ]
    return ("query", "document", "judged"), [*sorted(rows)]


_TABLES: dict[str, Callable[[Session], _Table]] = {
    "summary": _summary,
    "judgments": _judgments,
    "queries": _queries,
    "runs": _runs,
    "disputes": _disputes,
    "decisions": _decisions,
}


@command(
    "project",
    examples=(
        "judgetool project recipes.judge",
        "judgetool project recipes.judge --counts ben=no gpt-x=yes",
        "judgetool project recipes.judge --assessor Aylin --take-along Alyin",
    ),
)
@PROJECT
@click.option(
    "--counts",
    "counts",
    multiple=True,
    metavar="NAME=yes|no",
    help="Whether an assessor’s judgments count, in every view but their own.",
)
@click.option(
    "--take-along",
    "former",
    metavar="NAME",
    help="Put what was judged under this name, such as a mistyped one, under that of --assessor.",
)
@assessor_option("Who chooses, whose Undo takes it back; otherwise everybody’s does.", default="")
@format_option(("tsv", "json"), "json has a list with an object for each line.", default="tsv")
def project_command(
    project: Path, *, counts: tuple[str, ...], former: str | None, assessor: str, layout: str
) -> None:
    """Choose who counts in PROJECT; print who is there, and whether they count.

    People and imports count unless it is said otherwise, models do not. All that is chosen at
    once is one step, which one Undo in the window takes back. --take-along is a step, too: grade, note, flag and
    the time of each judgment stay, and so do both where --assessor has judged a document, too.
    """
    wanted = dict(map(_parse_counts, counts))
    if former is not None and not assessor:
        raise UsageError(
            _("--take-along needs --assessor: the name that the judgments come under.")
        )
    changes = bool(wanted) or former is not None
    opened = open_to_change if changes else partial(open_project, read_only=True)
    with opened(project, assessor=assessor) as session:
        if former is not None:
            tell_all([take_along(session, former).told])
        if wanted:
            set_counts(session, wanted)
        rows: list[tuple[object, ...]] = [
            (each.name, each.kind.replace("human", "person"), _YES[session.does_count(each.name)])
            for each in list_judges(session)
        ]
    tell = tell_result if changes else click.echo
    tell(table_text(("assessor", "kind", "counts"), rows, layout))


def _parse_counts(text: str) -> tuple[str, bool]:
    name, _sign, does = text.rpartition("=")
    if not name.strip() or does not in _YES:
        raise UsageError(
            _("--counts {text}: expected NAME=yes or NAME=no, such as ben=no.").format(text=text)
        )
    return name.strip(), does == "yes"


# Getting a project back

_WORDS = {
    "changes": "while judging",
    "closing": "at closing",
    "before-upgrade": "before an upgrade",
}


_ID = click.option(
    "--id",
    "uuid",
    default="",
    metavar="UUID",
    help="Which project, where several have stood at the path of PROJECT.",
)


@command(
    "backups",
    examples=(
        "judgetool backups recipes.judge",
        "judgetool backups recipes.judge --restore 2 recipes-yesterday.judge",
    ),
)
@click.argument("project", shell_complete=offer_files)
@click.option(
    "--restore",
    nargs=2,
    type=(Whole(1), FILE_PATH),
    metavar="N OUT",
    help="Write the backup of this number to a new file, or to PROJECT where that is damaged.",
)
@_ID
def backups_command(project: str, *, restore: tuple[int, Path] | None, uuid: str) -> None:
    """List the automatic backups of PROJECT, newest first.

    PROJECT is the project’s file, which may be lost or destroyed, or the name of its
    folder among the backups. --restore never writes over a project that is sound; a damaged
    one is kept beside it, with its -wal, as PROJECT.damaged- and the time.
    """
    refuse_hopeless(Path(project))
    if restore is None:
        backups = list_project_backups(project, uuid=uuid)
        if backups:
            print_tsv(
                ("number", "made (UTC)", "when", "judgments", "log lines", "MB", "file"),
                [_row(number, backup) for number, backup in enumerate(backups, 1)],
            )
        else:
            click.echo(
                _("There is no backup of {project} on this machine.").format(project=project),
                err=True,
            )
        tell_all(describe_others(project, uuid=uuid))
        return
    number, target = restore
    done = restore_backup(project, number, target, uuid=uuid)
    left = "" if done.kept is None else kept_sentence(target, done.kept)
    if Path(project).is_file() and not target.samefile(project):
        left = _("{project} is as it was.").format(project=project)
    said = _("Wrote the backup of {at} to {target}. {left}").format(
        at=iso_utc(done.backup.at), target=target, left=left
    )
    tell_result(said.rstrip())
    notes: list[str] = []
    note_number(
        notes,
        done.n_lacking,
        "It lacks {n} change of judgments that the safety log has: ‘judgetool recover {path} "
        "NEW.judge’ writes a file that has it.",
        "It lacks {n} changes of judgments that the safety log has: ‘judgetool recover {path} "
        "NEW.judge’ writes a file that has them.",
        path=shlex.quote(project),
    )
    tell_all(notes)
    if done.unsound:
        raise ProjectDamagedError(done.unsound, path=target)


def _row(number: int, backup: Backup) -> tuple[str, ...]:
    counts = ("?" if n is None else str(n) for n in (backup.judgments, backup.events))
    when = _WORDS.get(backup.kind, backup.kind or "?")
    return (
        str(number),
        iso_utc(backup.at),
        f"{when}, not sound" if backup.is_sound is False else when,
        *counts,
        f"{backup.n_bytes / 1e6:.1f}",
        str(backup.path),
    )


@command(
    "recover",
    n_arguments=lambda _words: 2,
    examples=("judgetool recover recipes.judge recipes-recovered.judge",),
)
@click.argument("project", shell_complete=offer_files)
@click.argument("out", type=FILE_PATH)
@click.option(
    "--copies",
    "takes_copies",
    is_flag=True,
    help="Take backups and safety log of other copies of the project as well.",
)
@_ID
def recover_command(project: str, *, out: Path, takes_copies: bool, uuid: str) -> None:
    """Rebuild PROJECT in the file OUT: a new one, or PROJECT itself where that is damaged.

    PROJECT is the project’s file, which may be lost, destroyed or older than it was, or
    the name of its folder among the backups. The newest sound backup (or the file
    itself, where it holds more) is taken, and the judgments that only the safety log
    has are added. Where there is no such backup, what can be read of the damaged file is
    taken, and what cannot is named. Nothing that is there is changed; a damaged PROJECT whose
    place is taken is kept beside it, with its -wal, as PROJECT.damaged- and the time. Exit code 0
    when OUT is complete as far as is known, 1 when something is known to be missing.
    """
    refuse_hopeless(Path(project))
    refuse_hopeless(out)
    done = recover_project(project, out, uuid=uuid, takes_copies=takes_copies)
    said = [*_sentences(done), *describe_recovered(done, out, Path(project))]
    if done.kept is not None:
        said.append(kept_sentence(out, done.kept))
    moved = [other for other in done.others if not Path(other).exists()]
    if done.is_complete and moved:
        said.append(
            _(
                "{out} is sound, but may lack judgments: nothing stands at {moved} any more. "
                "If the project was moved from there while it was open, what was judged last "
                "is in that log alone; ‘judgetool recover {first} NEW.judge’ rebuilds it."
            ).format(out=out, moved=_name_few(moved), first=shlex.quote(moved[0]))
        )
    elif done.is_complete:
        said.append(_("{out} is complete as far as is known, and sound.").format(out=out))
    tell_result("\n".join(said))
    if not done.is_complete:
        raise ProjectDamagedError(
            _("{out} is sound, but not complete: see above.").format(out=out), path=out
        )


def _sentences(done: Recovery) -> list[str]:
    rebuilt = done.rebuilt
    sentences = [
        _("{path} was not used: it is not sound.").format(path=path) for path in done.unusable
    ]
    sentences.append(_began(done))
    sentences.append(
        number_of(
            rebuilt.n_judgments,
            "From the safety log: {n} change of judgments, {changes} of the project’s own "
            "values, {texts} written by hand.",
            "From the safety log: {n} changes of judgments, {changes} of the project’s own "
            "values, {texts} written by hand.",
            changes=number_of(rebuilt.n_values, "{n} change", "{n} changes"),
            texts=number_of(rebuilt.n_texts, "{n} text", "{n} texts"),
        )
    )
    sentences += [
        _("‘{title}’ came after the backup: import its files again.").format(title=title)
        for title in map(title_in_words, rebuilt.imports)
    ]
    note_number(
        sentences,
        rebuilt.n_lost,
        "{n} undone or redone change led on from what is not there and had nothing to act on.",
        "{n} undone or redone changes led on from what is not there and had nothing to act on.",
    )
    note_number(
        sentences,
        done.n_torn,
        "{n} line of the safety log could not be read, as after a power cut, and was left out.",
        "{n} lines of the safety log could not be read and were left out.",
    )
    if done.has_gap:
        sentences.append(gap_sentence())
    sentences += [_("Merged: {line}").format(line=line) for line in done.merged]
    sentences += done.lost
    note_number(
        sentences,
        done.n_left,
        "Left out was {n} change of judgments that the project is to be without. --copies takes it as well.",
        "Left out were {n} changes of judgments that the project is to be without. --copies takes them as "
        "well.",
    )
    if done.others:
        sentences.append(
            _(
                "Left out were backups and log of other copies: {others}. --copies takes them "
                "as well."
            ).format(others=_name_few(done.others))
        )
    return sentences


_MOST_NAMED = 3


def _name_few(paths: Sequence[str]) -> str:
    """Return the first paths, and how many others there are."""
    named = ", ".join(paths[:_MOST_NAMED])
    n_more = len(paths) - _MOST_NAMED
    if n_more <= 0:
        return named
    return number_of(n_more, "{named} and {n} other", "{named} and {n} others", named=named)


def _began(done: Recovery) -> str:
    if done.base.path is None:
        return _("There is no sound backup: everything comes from the safety log.")
    if done.base.is_damaged:
        took = (
            _("Took what can be read of {path}, which is damaged.")
            if done.lost
            else _(
                "Took what can be read of {path}, which is damaged. Nothing that it held is known "
                "to be missing."
            )
        )
        return took.format(path=done.base.path)
    if not done.base.at:
        return _("Began from {path} itself, which is sound.").format(path=done.base.path)
    return _("Began from the backup of {at}.").format(at=iso_utc(done.base.at))
