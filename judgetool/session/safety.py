"""Whether a project file is sound, its backups, and getting it back from them and the safety log."""

import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judgetool.core.held_files import beside
from judgetool.core.number_text import number_of
from judgetool.errors import (
    InputError,
    JudgetoolError,
    ProjectError,
    SaveError,
    tell,
    why_refused,
)
from judgetool.session.jobs import plan_turn
from judgetool.session.opening import open_project, refuse_read_only
from judgetool.session.session import Session
from judgetool.storage import recovery
from judgetool.storage.backups import Backup, backup_root, count_rows, safe_name
from judgetool.storage.check import WRONG_VALUES
from judgetool.storage.connection import Connection, read_header
from judgetool.storage.copies import find_conflicts
from judgetool.storage.judgments import LogEntry, StepRow
from judgetool.storage.recovery import Missing, Recovery, Trace, find_trace
from judgetool.storage.safety_log import log_path, log_paths, read_log
from judgetool.storage.salvage import Finding, check_file
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.session.team.merging import MergeReport

__all__ = [
    "Backup",
    "Finding",
    "Missing",
    "Recovery",
    "Restored",
    "SafetyPlace",
    "check_project",
    "count_missing",
    "count_torn",
    "describe_others",
    "describe_recovered",
    "gap_sentence",
    "is_hopeless",
    "kept_sentence",
    "leave_missing",
    "list_project_backups",
    "open_to_change",
    "recover_project",
    "restore_backup",
    "safety_place",
    "why_missing",
]

_STEP = "Recovered judgments"


class SafetyPlace(NamedTuple):
    """Where a project's safety copies are; neither need exist.

    Attributes:
        backups: the folder of its backups.
        log: its safety log.
        logs: all parts of that which are there, older ones and those of other windows too.
    """

    backups: Path
    log: Path
    logs: tuple[Path, ...] = ()


def safety_place(session: Session) -> SafetyPlace:
    """Return where backups and safety log of an open project are kept."""
    logs: tuple[Path, ...] = ()
    with suppress(OSError):
        logs = tuple(log_paths(session.uuid))
    return SafetyPlace(backup_root() / safe_name(session.uuid), log_path(session.uuid), logs)


def list_project_backups(project: str, *, uuid: str = "") -> list[Backup]:
    """Return the backups of a project, newest first.

    Args:
        project: its file, which may be lost, or its uuid.
        uuid: which of the projects that have stood at that path; ``""`` where it is but one.

    Returns:
        Those made of this very file; of its copies only where there is none of it.

    Raises:
        InputError: nothing is known of such a project, or of several.
    """
    return recovery.known_backups(find_trace(project, uuid=uuid))


def describe_others(project: str, *, uuid: str = "") -> list[str]:
    """Return a sentence for each other project that has stood at the path of this one.

    Arguments and errors are those of :func:`list_project_backups`.
    """
    said = []
    path = shlex.quote(project)
    for other, backups in recovery.find_others(find_trace(project, uuid=uuid)).items():
        kept = (
            number_of(
                len(backups),
                "It has {n} backup, which ‘judgetool backups {path} --id {uuid}’ lists.",
                "It has {n} backups, which ‘judgetool backups {path} --id {uuid}’ lists.",
                path=path,
                uuid=other,
            )
            if backups
            else _("Only its safety log is left.")
        )
        said.append(
            _(
                "Another project has stood at {project}. {kept} ‘judgetool recover {path} NEW.judge "
                "--id {uuid}’ rebuilds it."
            ).format(project=project, kept=kept, path=path, uuid=other)
        )
    return said


class Restored(NamedTuple):
    """What :func:`restore_backup` wrote.

    Attributes:
        backup: which one.
        kept: what the damaged file is called now whose place was taken; ``None`` for a new name.
        unsound: a sentence where what was written is not sound: the backup is of a project that
            was damaged already; ``""`` for a sound one.
        n_lacking: how many changes of judgments the safety log has that are not in what was
            written, where the project itself is lost or damaged.
    """

    backup: Backup
    kept: Path | None = None
    unsound: str = ""
    n_lacking: int = 0


def restore_backup(project: str, number: int, target: Path, *, uuid: str = "") -> Restored:
    """Write a backup under a new name, or in place of the damaged project, which is kept.

    Args:
        project: its file or uuid.
        number: its place in :func:`list_project_backups`, from 1 for the newest.
        target: a new file, or the project's own where that is damaged.
        uuid: see :func:`list_project_backups`.

    Raises:
        InputError: there is no such backup, or something else or sound stands at the target.
        ProjectBusyError: a program has the damaged file open.
        ProjectDamagedError: the backup is unsound.
        SaveError: the target cannot be written.
    """
    backups = list_project_backups(project, uuid=uuid)
    if not 1 <= number <= len(backups):
        kept = (
            _("none are kept")
            if not backups
            else _("1 to {count} are kept").format(count=len(backups))
        )
        raise InputError(
            _("There is no backup {number} of {project}: {kept}.").format(
                number=number, project=project, kept=kept
            )
        )
    backup, trace = backups[number - 1], find_trace(project, uuid=uuid)
    is_whole = recovery.is_whole(trace)
    aside = recovery.restore(trace, backup.path, target)
    problems = check_file(target).problems
    unsound = (
        _(
            "{target} is not sound, as the backup is not: {problem} An older backup may be; "
            "‘judgetool recover’ looks for the newest that is."
        ).format(target=target, problem=problems[0])
        if problems
        else ""
    )
    n_lacking = 0 if is_whole or unsound else _count_lacking(target, trace)
    return Restored(backup, aside, unsound, n_lacking)


def _count_lacking(written: Path, trace: Trace) -> int:
    """Return how many changes of judgments the safety log has of a project that a file lacks."""
    with _looking(written) as reader:
        return recovery.count_missing(reader, trace.uuid, Path(trace.origin or written)).n


def kept_sentence(path: Path, kept: Path) -> str:
    """Return what became of a damaged project whose place was taken."""
    has_log = beside(kept, "-wal").exists()
    return (
        _("The damaged {name} is kept as {kept}, with its -wal; nothing of it was deleted.")
        if has_log
        else _("The damaged {name} is kept as {kept}; nothing of it was deleted.")
    ).format(name=path.name, kept=kept.name)


def recover_project(
    project: str, target: Path, *, uuid: str = "", takes_copies: bool = False
) -> Recovery:
    """Write a project anew; whatever is left of it is kept as it is.

    Args:
        project: its file, which may be lost or destroyed, or its uuid.
        target: a new file, or the project's own where that is damaged; the damaged one is
            moved aside then (``Recovery.kept``).
        uuid: see :func:`list_project_backups`.
        takes_copies: whether backups and log of other copies of the project count: each is
            rebuilt, and merged.

    Returns:
        What it was rebuilt from, and what could not be.

    Raises:
        InputError: nothing is known of such a project, or something else or sound stands at
            the target.
        ProjectBusyError: a program has the damaged file open.
        ProjectDamagedError: what came out is not sound; it is not kept.
        SaveError: the target cannot be written.
    """
    trace = find_trace(project, uuid=uuid, takes_copies=takes_copies)
    done = recovery.recover(trace, target, plan=_plan, takes_copies=takes_copies)
    with _looking(target) as reader:
        before = set(find_conflicts(reader))
    done = _with_branches(done, trace, target, takes_copies=takes_copies)
    with _looking(target) as reader:
        done = done._replace(n_differing=len(set(find_conflicts(reader)) - before))
    done = _with_copies(done, trace, target) if takes_copies else done
    return done._replace(n_lacking=_count_lacking(target, trace))


@contextmanager
def _looking(project: Path) -> Iterator[Connection]:
    """Give a connection for looking at a project that is not open."""
    with open_project(project, read_only=True) as session, session.second_reader() as reader:
        yield reader


def _with_branches(
    done: Recovery, trace: Trace, target: Path, *, takes_copies: bool, is_passing: bool = False
) -> Recovery:
    """Merge what was judged on other branches, where an older file was put in a project's place."""
    rebuilt, lost = done.rebuilt, list[str]()

    def bring(copy: Path) -> bool:
        _report, problem = _merge_into(target, copy, is_passing=is_passing)
        lost.extend(filter(None, [problem]))
        return not problem

    with tempfile.TemporaryDirectory(prefix="judgetool-") as folder:
        branch = Path(folder) / Path(trace.origin or target).name
        named = set(rebuilt.imports.values())
        apart = recovery.rebuild_apart(
            trace, target, branch, plan=_plan, named=named, takes_copies=takes_copies
        )
        if apart is not None:
            rebuilt.add(apart)
            bring(branch)
        # What an import brought is in no log, but perhaps in the file itself or in a backup.
        lacking = recovery.steps_lacking(target, rebuilt.imports.values())
        for copy in recovery.iter_copies_of(trace, target, Path(folder)):
            if lacking and bring(copy):
                # Of a merge that brought nothing else there is no step.
                lacking &= recovery.steps_lacking(copy, lacking)
    rebuilt.imports = {title: step for title, step in rebuilt.imports.items() if step in lacking}
    return done._replace(lost=(*done.lost, *lost))


def _merge_into(
    target: Path, copy: Path, *, is_passing: bool = False
) -> tuple["MergeReport | None", str]:
    """Merge a copy into a project, or one that is soon gone; say why it cannot be."""
    from judgetool.session.team.merging import merge_copies  # noqa: PLC0415 - few recoveries need all that it loads

    try:
        with open_project(target, is_copied=is_passing) as session:
            return merge_copies(session, [copy], title=_STEP), ""
    except (InputError, ProjectError) as problem:
        return None, str(problem)


def _with_copies(done: Recovery, trace: Trace, target: Path) -> Recovery:
    """Merge what each copy of a project held into the one that was rebuilt."""
    from judgetool.session.team.merging import describe_merge  # noqa: PLC0415 - see above

    merged: list[str] = []
    lost: list[str] = []
    with tempfile.TemporaryDirectory(prefix="judgetool-") as folder:
        for number, copy in enumerate(recovery.find_copies(trace)):
            rebuilt = Path(folder) / str(number) / Path(copy.origin or "").name
            rebuilt.parent.mkdir()
            try:
                done_there = recovery.recover(copy, rebuilt, plan=_plan)
                _with_branches(done_there, copy, rebuilt, takes_copies=False, is_passing=True)
                report, problem = _merge_into(target, rebuilt)
            except (InputError, ProjectError) as refused:
                report, problem = None, str(refused)
            if problem and copy is not trace:
                lost.append(
                    _("{origin} was left out. {problem}").format(
                        origin=copy.origin, problem=problem
                    )
                )
            if report is not None and not report.is_nothing:
                merged += describe_merge(report)
    return done._replace(merged=tuple(merged), lost=(*done.lost, *lost))


def describe_recovered(done: Recovery, target: Path, source: Path) -> list[str]:
    """Return what a recovered file has, in the unit in which it is said what the one before it lacks.

    How many of its changes came from the log says nothing of that: others came from a backup. All
    is said where nothing is known to be missing.

    Args:
        done: what was done.
        target: the recovered file.
        source: the one before it.
    """
    names = {"name": target.name, "source": source.name}
    n_lacked = 0 if _is_same(target, source) else _count_lacked(source)
    is_all = done.is_complete and not done.others
    if done.n_lacking:
        held = number_of(
            done.n_lacking,
            "{name} has the changes of judgments that {source} lacks, but for {n}.",
            "{name} has the changes of judgments that {source} lacks, but for {n}.",
            **names,
        )
    elif not n_lacked:
        with _looking(target) as reader:
            n_held = count_rows(reader)[0]
        held = number_of(n_held, "{name} has {n} judgment.", "{name} has {n} judgments.", **names)
    elif is_all:
        held = number_of(
            n_lacked,
            "{name} has the {n} change of judgments that {source} lacks.",
            "{name} has all {n} changes of judgments that {source} lacks.",
            **names,
        )
    else:
        held = number_of(
            n_lacked,
            "{name} has {n} change of judgments that {source} lacks.",
            "{name} has {n} changes of judgments that {source} lacks.",
            **names,
        )
    said = [held]
    if done.moved_from:
        said.append(
            _(
                "What was judged last in {path}, where nothing stands any more, was taken as well: the "
                "project seems to have been moved from there."
            ).format(path=done.moved_from)
        )
    if done.n_differing:
        said.append(
            number_of(
                done.n_differing,
                "{n} judgment differs between what was in the file and what was recovered: the "
                "latest counts, and is:conflict finds it.",
                "{n} judgments differ between what was in the file and what was recovered: the "
                "latest count, and is:conflict finds them.",
            )
        )
    return said


def gap_sentence() -> str:
    """Return what is said where the safety log does not hold all that was judged."""
    return _(
        "The safety log does not begin with the first judgment, or has a gap: some judgments are missing."
    )


def _is_same(target: Path, source: Path) -> bool:
    return source.exists() and target.samefile(source)


def _count_lacked(project: Path) -> int:
    """Return how many changes of judgments a file is known to lack; 0 where it cannot be opened."""
    try:
        with open_project(project, read_only=True) as session:
            return count_missing(session).n
    except (*WRONG_VALUES, JudgetoolError):
        return 0


def count_missing(session: Session) -> Missing:
    """Return how many changes of judgments the safety log has that the file lacks.

    So it is when the file was replaced by an older one, as by a program that keeps
    folders in step, or was moved while a program had it open: :func:`recover_project` makes
    a file that has them. Whatever is judged meanwhile, they are
    counted until they are there or left out on purpose (:func:`leave_missing`).

    Args:
        session: the project; may be called from another thread than its own.

    Returns:
        With nothing in it where nothing is missing, or the log cannot be read.
    """
    with session.second_reader() as reader:
        return recovery.count_missing(reader, session.uuid, session.path)


def leave_missing(session: Session) -> None:
    """Have the file be without what :func:`count_missing` counts: nobody is told of it any more.

    So it is for who went back to an older file on purpose. The safety log keeps it.

    Args:
        session: see :func:`count_missing`.

    Raises:
        SaveError: the safety log cannot be written.
    """
    try:
        with session.second_reader() as reader:
            recovery.leave_missing(reader, session.uuid, session.path)
    except OSError as problem:
        raise SaveError(
            _("The safety log cannot be written ({strerror}).").format(
                strerror=why_refused(problem)
            ),
            path=session.path,
        ) from problem


@contextmanager
def open_to_change(path: Path, *, assessor: str = "", is_tried: bool = False) -> Iterator[Session]:
    """Open a project that a command changes; first is said what may cost its judgments.

    Args:
        path: of the project.
        assessor: who changes it.
        is_tried: whether it is only shown what would change.

    Raises:
        ReadOnlyError: it cannot be changed, and is to be.
        ProjectError: see :func:`open_project`.
    """
    with open_project(path, assessor=assessor, read_only=is_tried) as session:
        tell(session.place_warning)
        if not is_tried:
            refuse_read_only(session)
        tell(_missing_sentence(session))
        yield session


def _missing_sentence(session: Session) -> str:
    """Return what is said before a file is changed that lacks judgments; ``""`` where it lacks none."""
    missing = count_missing(session)
    return (
        number_of(
            missing.n,
            "The safety log has {n} change of judgments that {project} lacks: {why}. ‘judgetool "
            "recover {path} NEW.judge’ writes a new file that has them.",
            "The safety log has {n} changes of judgments that {project} lacks: {why}. ‘judgetool "
            "recover {path} NEW.judge’ writes a new file that has them.",
            project=session.path.name,
            why=why_missing(missing.moved_from),
            path=shlex.quote(str(session.path)),
        )
        if missing.n
        else ""
    )


def why_missing(moved_from: str) -> str:
    """Return why a file may lack judgments that its safety log has."""
    return (
        _("they were made in {path}, where nothing stands any more").format(path=moved_from)
        if moved_from
        else _(
            "an older file was put in its place, or the file beside it with the newest changes (-wal) was lost"
        )
    )


def count_torn(session: Session) -> int:
    """Return how many lines of the project's safety log are damaged; 0 where it cannot be read."""
    try:
        return read_log(session.uuid).n_torn
    except OSError:
        return 0


def _plan(connection: Connection, step_id: int, change: str) -> Sequence[LogEntry]:
    step = StepRow(step_id, "", "", 0)
    return plan_turn(connection, [step], "redo" if change == "redone" else "undo").entries[step_id]


def check_project(path: Path) -> Finding:
    """Check a project without changing it, whatever can be read of it.

    Raises:
        ProjectError: it is no project, is locked, or may not be read.
    """
    read_header(path)
    found = check_file(path)
    problems, counts = list(found.problems), dict(found.counts)
    missing, n_torn = Missing(), 0
    try:
        with open_project(path, read_only=True) as session:
            counts |= {} if found.is_partial else _count(session)
            missing = count_missing(session)
            n_torn = count_torn(session)
    except (*WRONG_VALUES, JudgetoolError) as problem:
        problems = problems or [
            _("The project cannot be opened: {problem}").format(problem=problem)
        ]
    order = ("schema", "queries", "documents", "documents with text", "runs")
    ordered = {name: counts[name] for name in (*order, *counts) if name in counts}
    return replace(
        found,
        counts=ordered,
        problems=problems,
        n_missing=missing.n,
        moved_from=missing.moved_from,
        left_out=missing.left_out,
        n_torn=n_torn,
    )


def _count(session: Session) -> dict[str, int]:
    return {
        "queries": len(session.material.queries),
        "documents": session.material.count_documents()[0],
        "documents with text": session.material.count_texts(),
        "runs": len(session.material.runs),
    }


def is_hopeless(path: Path) -> bool:
    """Whether nothing of a damaged project can be read, nor any backup or safety log of it is known."""
    try:
        find_trace(str(path))
    except JudgetoolError as problem:
        # Else several are known.
        return isinstance(problem, ProjectError)
    return False


def file_problems(path: Path, *, is_quick: bool = False) -> list[str]:
    """Return what is wrong with a project's file, for who opens it next: no session is made for it.

    Its values are looked at when it is opened.

    Args:
        path: the project.
        is_quick: leave out the checksums of texts and rows, for which all of it is read.

    Raises:
        ProjectError: it is no project, is locked, or may not be read.
    """
    read_header(path)
    return check_file(path, is_quick=is_quick).problems
