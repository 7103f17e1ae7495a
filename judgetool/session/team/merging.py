"""Merging copies of a project: what others have judged in theirs comes in as one step.

Any order of merging gives the same, merging twice is merging once, and Undo hides what came.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgetool.core.number_text import count_noun
from judgetool.core.scale import Scale, format_grade, scale_preset
from judgetool.errors import InputError, UsageError
from judgetool.session.comparing.baseline import KEY as BASELINE_KEY
from judgetool.session.jobs import Outcome
from judgetool.session.material import RUN_PREFIX, is_run_key
from judgetool.session.opening import copy_as_new, is_same_project, look_into
from judgetool.session.session import Session
from judgetool.storage.backups import BackupFolder, BackupKind
from judgetool.storage.connection import Connection, connect
from judgetool.storage.judgments import StepRow
from judgetool.storage.merge import Brought, Merged, OtherCopy, merge_sources
from judgetool.storage.values import load_assessors, load_meta, load_values
from judgetool.storage.visibility import load_conflicting_pairs

_SNAPSHOT = "snapshot/"
_WHATIF = "whatif/"


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge brought, or would bring.

    Attributes:
        brought: by file, in the order given.
        conflicts: by assessor, how many judgments were said differently in two copies.
        is_nothing: whether all of it was here already.
    """

    brought: tuple[Brought, ...]
    conflicts: Mapping[str, int] = field(default_factory=dict)
    is_nothing: bool = False


@dataclass(frozen=True, slots=True)
class WrittenMerge:
    """A merge that is written: what it brought, and what :meth:`Session.take_in` is given."""

    report: MergeReport
    outcome: Outcome


def merge_copies(
    session: Session, others: Sequence[Path], *, renames: Mapping[str, str] | None = None
) -> MergeReport:
    """Bring what other copies of a project hold into it, as one step.

    Args:
        session: the project; it is backed up first.
        others: its other copies, which are only read.
        renames: new names for assessors of the others who are other people.

    Raises:
        InputError: one is the project itself, another project, or has other grades.
        UsageError: a name to be changed is nobody's in any of the copies.
        ReadOnlyError: the project cannot be written.
        ProjectError: one cannot be read, or it could not be written; nothing of it was.
    """
    written = write_merge(session, others, renames=renames)
    session.take_in(written.outcome)
    return written.report


def write_merge(
    session: Session, others: Sequence[Path], *, renames: Mapping[str, str] | None = None
) -> WrittenMerge:
    """Write a merge durably; for any thread. The session's own takes it in afterwards."""
    at, title = session.clock(), f"Merge of {_and(others)}"
    with _opened(session, others, renames or {}) as sources:
        with session.second_reader() as reader:
            BackupFolder(session.uuid, session.path).make(reader, BackupKind.CHANGES)

        def job(connection: Connection) -> Merged:
            return _merge(connection, sources, title=title, session=session, at=at)

        merged = session.write(job)
    with session.second_reader() as reader:
        report = _report(reader, merged)
    if merged.step_id is None:
        return WrittenMerge(report, Outcome())
    step = StepRow(merged.step_id, "merge", title, at)
    return WrittenMerge(report, Outcome(step, values=merged.values))


def preview_merge(
    session: Session, others: Sequence[Path], *, renames: Mapping[str, str] | None = None
) -> MergeReport:
    """Return what a merge would bring; for any thread. A copy is merged and thrown away.

    Raises:
        InputError: as :func:`merge_copies`.
        UsageError: likewise.
        ProjectError: one of the files cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="judgetool-") as folder:
        trial = Path(folder) / session.path.name
        with _opened(session, others, renames or {}) as sources:
            with session.second_reader() as reader:
                copy_as_new(reader, trial)
            with closing(connect(trial, is_writable=True)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                merged = _merge(connection, sources, title="", session=session, at=session.clock())
                return _report(connection, merged)


def _merge(
    connection: Connection, sources: Sequence[OtherCopy], *, title: str, session: Session, at: int
) -> Merged:
    return merge_sources(
        connection,
        sources,
        title=title,
        assessor_id=session.assessor_id,
        at=at,
        translate=_translated,
    )


@contextmanager
def _opened(
    session: Session, others: Sequence[Path], renames: Mapping[str, str]
) -> Iterator[list[OtherCopy]]:
    with ExitStack() as stack:
        sources = []
        for path in others:
            if path.exists() and is_same_project(session, path):
                raise InputError(f"{path} is the project itself. Name another copy of it.")
            connection = stack.enter_context(look_into(path))
            _refuse_other_project(session, path, connection)
            _refuse_other_grades(session, path, connection)
            sources.append(OtherCopy(path.name, connection, renames))
        names = {row.name for each in sources for row in load_assessors(each.connection)}
        for name in renames:
            if name not in names:
                raise UsageError(f"There is no assessor ‘{name}’ in {_and(others)} to be renamed.")
        yield sources


def _and(paths: Sequence[Path]) -> str:
    *names, last = [path.name for path in paths]
    return f"{', '.join(names)} and {last}" if names else last


def _refuse_other_project(session: Session, path: Path, connection: Connection) -> None:
    if load_meta(connection).get("uuid") != session.uuid:
        raise InputError(
            f"{path.name} is another project than {session.path.name}, not a copy of it. Import its "
            f"judgments instead: ‘judgetool export {path.name} --judgments said.csv’, then "
            f"‘judgetool import {session.path.name} --qrels said.csv’."
        )


def _refuse_other_grades(session: Session, path: Path, connection: Connection) -> None:
    stored = load_values(connection, prefix="scale").get("scale")
    theirs = Scale.from_dict(stored) if stored else scale_preset("0-3")
    if _grades(theirs) != _grades(session.scale):
        raise InputError(
            f"{path.name} has the grades {_shown(theirs)}, {session.path.name} has "
            f"{_shown(session.scale)}. Give both the same scale in Project ▸ Scale first, which "
            "asks what becomes of the grades; then merge. Nothing was changed."
        )


def _grades(scale: Scale) -> tuple[bool, tuple[float, ...]]:
    return scale.is_continuous, tuple(sorted(level.grade for level in scale.levels))


def _shown(scale: Scale) -> str:
    return ", ".join(format_grade(level.grade) for level in scale.levels)


def _translated(key: str, value: Any, runs: Mapping[int, int]) -> tuple[str, Any] | None:  # noqa: ANN401 - whatever JSON knows
    """Return a value with the numbers that runs have here; ``None`` where it means nothing here.

    What a snapshot holds is a moment of the log of its own file.
    """
    if key.startswith(_SNAPSHOT):
        return None
    if is_run_key(key):
        number = runs.get(int(key.removeprefix(RUN_PREFIX)))
        return None if number is None else (f"{RUN_PREFIX}{number}", value)
    if key == BASELINE_KEY and value:
        return _translated_baseline(key, value, runs)
    if key.startswith(_WHATIF) and isinstance(value, dict) and "base" in value:
        made_of = value["base"].get("runs", [])
        if any(each["run"] not in runs for each in made_of):
            return None
        over = [{**each, "run": runs[each["run"]]} for each in made_of]
        return key, {**value, "base": {**value["base"], "runs": over}}
    return key, value


def _translated_baseline(
    key: str, value: dict[str, Any], runs: Mapping[int, int]
) -> tuple[str, Any] | None:
    system = value.get("system") or {}
    if system.get("snapshot"):
        return None
    if system.get("kind") != "run":
        return key, value
    number = runs.get(int(system["id"]))
    return None if number is None else (key, {**value, "system": {**system, "id": str(number)}})


def _report(connection: Connection, merged: Merged) -> MergeReport:
    names = {row.assessor_id: row.name for row in load_assessors(connection)}
    conflicts: dict[str, int] = {}
    for _, _, who in merged.conflicts:
        conflicts[names[who]] = conflicts.get(names[who], 0) + 1
    return MergeReport(tuple(merged.brought), conflicts, merged.step_id is None)


def describe_merge(report: MergeReport) -> list[str]:
    """Return what a merge brings in sentences: a line for each file, then what differs."""
    lines = [f"{each.name}: {_describe(each)}" for each in report.brought]
    lines += [
        f"{count_noun(n, 'judgment')} by {name} {'differ' if n > 1 else 'differs'} between copies: the "
        "latest counts, and is:conflict finds them"
        for name, n in report.conflicts.items()
    ]
    for each in report.brought:
        lines += _differing(each)
    return lines


def _describe(brought: Brought) -> str:
    if brought.is_nothing:
        return "nothing new"
    parts = [f"{count_noun(n, 'judgment')} by {name}" for name, n in brought.judgments.items()]
    counts = (
        ("query", brought.n_queries),
        ("document", brought.n_documents),
        ("run", brought.n_runs),
        ("ask", brought.n_asks),
    )
    parts += [count_noun(n, noun) for noun, n in counts if n]
    return ", ".join(parts) or "nothing but what was done again or taken back"


def _differing(brought: Brought) -> Iterator[str]:
    for names, whose in ((brought.later_there, "theirs"), (brought.later_here, "ours")):
        if names:
            count = f"{count_noun(len(names), 'query')}’s text differs"
            yield f"{brought.name}: {count}: {whose} is later"
    if brought.values:
        yield f"{brought.name}: theirs are later: {', '.join(brought.values)}"
    if brought.kept_values:
        yield f"{brought.name}: ours are later: {', '.join(brought.kept_values)}"
    if brought.n_left:
        yield f"{brought.name}: {count_noun(brought.n_left, 'snapshot')} stayed there"


def conflicting_pairs(session: Session) -> set[tuple[int, int]]:
    """Return the (query, document) pairs of which merged copies say different things."""
    places = session.material.place_of
    return {
        (places[query], document)
        for query, document in load_conflicting_pairs(session.reader).tolist()
        if query in places
    }
