"""Merging copies of a project: what others have judged in theirs comes in as one step.

Any order of merging gives the same, merging twice is merging once, and Undo hides what came.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError, UsageError
from judgetool.formats.reading import held_collector
from judgetool.session.board import COUNTS_KEY, counts_of, does_count
from judgetool.session.commands import IsCancelled, Progress, checker, scale_of
from judgetool.session.comparing.snapshots import SNAPSHOT_PREFIX, pack_moment
from judgetool.session.deciding import DECIDE_KEY
from judgetool.session.imports.plan import shortened
from judgetool.session.jobs import Outcome
from judgetool.session.material import BASELINE_KEY, RUN_PREFIX, WHATIF_PREFIX, is_run_key
from judgetool.session.opening import copy_as_new, is_same_project, look_into
from judgetool.session.session import Session
from judgetool.storage.arrival import Abroad, Brought, Door
from judgetool.storage.backups import BackupFolder, BackupKind
from judgetool.storage.connection import Connection
from judgetool.storage.copies import Job, OtherCopy, T
from judgetool.storage.judgments import StepRow, load_settled, load_value_lines
from judgetool.storage.material import load_queries
from judgetool.storage.merge import Merged, MergeStep, TextDifference, merge_sources
from judgetool.storage.set_aside import connect
from judgetool.storage.values import (
    AssessorRow,
    fold_name,
    load_assessors,
    load_meta,
    load_names,
    load_values,
)
from judgetool.wording import N_, NN_, _, listed


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge brought, or would bring.

    Attributes:
        brought: by file, in the order given.
        conflicts: by assessor, how many judgments were said differently in two copies.
        taken_back: by assessor, of how many of the judgments nothing holds any more.
        is_nothing: whether all of it was here already.
        names: of the what-ifs, snapshots and runs among the project's values, by key.
        scale_changes: what is otherwise in the scale with it, in words.
        is_other_values: whether that changes what measures give.
        texts: parts of texts that were changed apart: what counts and what does not.
        weight_changes: queries that weigh another than before, in words.
        counts: by assessor, whether they count with it and did not before, or the reverse.
        is_other_counted: whether one of these has judged something.
    """

    brought: tuple[Brought, ...]
    conflicts: Mapping[str, int] = field(default_factory=dict)
    taken_back: Mapping[str, int] = field(default_factory=dict)
    is_nothing: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    scale_changes: tuple[str, ...] = ()
    is_other_values: bool = False
    texts: tuple[TextDifference, ...] = ()
    weight_changes: tuple[str, ...] = ()
    counts: Mapping[str, bool] = field(default_factory=dict)
    is_other_counted: bool = False


class WrittenMerge(NamedTuple):
    """A merge that is written: what it brought, and what :meth:`Session.take_in` is given."""

    report: MergeReport
    outcome: Outcome


class AlikeName(NamedTuple):
    """Somebody in another copy whose name differs from a known one by case or blanks alone.

    Attributes:
        file: the other copy's name.
        name: there.
        known: here, or in a copy that comes before.
    """

    file: str
    name: str
    known: str

    @property
    def question(self) -> str:
        """What a person is asked."""
        return _(
            "‘{name}’ in {file} and ‘{known}’ differ by capitals or blanks alone. Are they one person?"
        ).format(name=self.name, file=self.file, known=self.known)


def find_alike(
    session: Session, others: Sequence[Path], *, renames: Mapping[str, str] | None = None
) -> list[AlikeName]:
    """Return the people in other copies who may be somebody known; for any thread.

    Who is renamed is not asked about.

    Raises:
        InputError, UsageError, ProjectError: as :func:`merge_copies`.
    """
    with _opened(session, others, renames or {}) as sources, session.second_reader() as reader:
        known = {fold_name(name): name for name in _people(reader)}
        found = []
        here = set(known.values())
        for source in sources:
            for name in _people(source.connection):
                same = known.setdefault(fold_name(name), name)
                if same != name and name not in here and name not in (renames or {}):
                    found.append(AlikeName(source.name, name, same))
                here.add(name)
        return found


def _people(connection: Connection) -> list[str]:
    rows = load_assessors(connection)
    return [row.name for row in rows if row.kind in ("human", "import")]


def merge_copies(
    session: Session,
    others: Sequence[Path],
    *,
    renames: Mapping[str, str] | None = None,
    title: str = "",
    progress: Progress | None = None,
) -> MergeReport:
    """Bring what other copies of a project hold into it, as one step.

    Args:
        session: the project; it is backed up first.
        others: its other copies, which are only read.
        renames: new names for assessors of the others: who are other people, or are known here by
            another name.
        title: what the step is called; empty for a merge of these files.
        progress: told how much of how much is done.

    Raises:
        InputError: one is the project itself, another project, or has other grades.
        UsageError: a name to be changed is nobody's in any of the copies.
        ReadOnlyError: the project cannot be written.
        ProjectError: one cannot be read, or it could not be written; nothing of it was.
    """
    written = write_merge(session, others, renames=renames, title=title, progress=progress)
    with held_collector():
        session.take_in(written.outcome)
    return written.report


def write_merge(
    session: Session,
    others: Sequence[Path],
    *,
    renames: Mapping[str, str] | None = None,
    title: str = "",
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> WrittenMerge:
    """Write a merge durably; for any thread. The session's own takes it in afterwards.

    It is written in chunks behind any judgment, hidden until all of it is there.

    Raises:
        WorkCancelledError: ``is_cancelled`` said so; the project says what it said before.
    """
    # As steps are called in the file, in which no word of a language joins the names.
    title = title or f"Merge of {', '.join(path.name for path in others)}"
    at = session.clock()
    check = checker(progress, is_cancelled, _(_CANCELLED))
    with (
        _opened(session, others, renames or {}) as sources,
        session.second_reader() as reader,
        session.arriving,
    ):
        BackupFolder(session.uuid, session.path).make(reader, BackupKind.CHANGES)
        door = Door(reader, partial(session.write, is_bulk=True), session.is_waited_for, check)
        with held_collector():
            merged = _merge(door, sources, title=title, session=session, at=at)
        report = _report(session, reader, merged)
    if merged.step_id is None:
        return WrittenMerge(report, Outcome())
    step = StepRow(merged.step_id, "merge", title, at)
    return WrittenMerge(report, Outcome(step, values=merged.values))


_CANCELLED = N_("The merge was cancelled. Nothing of it counts.")


def preview_merge(
    session: Session,
    others: Sequence[Path],
    *,
    renames: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
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
                check = checker(progress, is_cancelled, _(_CANCELLED))
                door = Door(connection, partial(_run_on, connection), lambda: False, check)
                merged = _merge(door, sources, title="", session=session, at=session.clock())
                return _report(session, connection, merged)


def _run_on(connection: Connection, job: Job[T]) -> T:
    return job(connection)


def _merge(
    door: Door, sources: Sequence[OtherCopy], *, title: str, session: Session, at: int
) -> Merged:
    step = MergeStep(title, session.assessor_id, at)
    return merge_sources(door, sources, step, translate=translated)


@contextmanager
def _opened(
    session: Session, others: Sequence[Path], renames: Mapping[str, str]
) -> Iterator[list[OtherCopy]]:
    with ExitStack() as stack:
        sources = []
        for path in others:
            if path.exists() and is_same_project(session, path):
                raise InputError(
                    _("{path} is the project itself. Name another copy of it.").format(path=path)
                )
            connection = stack.enter_context(look_into(path))
            _refuse_other_project(session, path, connection)
            _refuse_other_grades(session, path, connection)
            _refuse_other_kinds(session, path, connection, renames)
            sources.append(OtherCopy(path.name, connection, renames))
        names = {row.name for each in sources for row in load_assessors(each.connection)}
        for name in renames:
            if name not in names:
                raise UsageError(
                    _("There is no assessor ‘{name}’ in {others} to be renamed.").format(
                        name=name, others=listed([path.name for path in others])
                    )
                )
        yield sources


def _refuse_other_project(session: Session, path: Path, connection: Connection) -> None:
    if load_meta(connection).get("uuid") != session.uuid:
        raise InputError(
            _(
                "{path} is another project than {project}, not a copy of it. Import its "
                "judgments instead: ‘judgetool export {path} --judgments said.csv’, then "
                "‘judgetool import {project} --qrels said.csv’."
            ).format(path=path.name, project=session.path.name)
        )


def _refuse_other_grades(session: Session, path: Path, connection: Connection) -> None:
    theirs = scale_of(load_values(connection, prefix="scale"))
    if _grades(theirs) != _grades(session.scale):
        raise InputError(
            _(
                "{path} has the grades {theirs}, {project} has {ours}. Give both the same scale "
                "in Project ▸ Scale first, which asks what becomes of the grades; then merge. "
                "Nothing was changed."
            ).format(
                path=path.name,
                theirs=_shown(theirs),
                project=session.path.name,
                ours=_shown(session.scale),
            )
        )


def _refuse_other_kinds(
    session: Session, path: Path, connection: Connection, renames: Mapping[str, str]
) -> None:
    """Refuse a name that is a person's in one copy, and a model's or a settled grade's in another."""
    with session.second_reader() as reader:
        here = {row.name: _kind(row) for row in load_assessors(reader)}
    for row in load_assessors(connection):
        name = renames.get(row.name, row.name)
        if here.get(name, _kind(row)) != _kind(row):
            raise InputError(
                _(
                    "‘{name}’ is {kind} in {path} and {other_kind} in {project}. Merge with ‘--rename "
                    '"{name}=NEW NAME"’. Nothing was changed.'
                ).format(
                    name=name,
                    kind=_(_KINDS[_kind(row)]),
                    path=path.name,
                    other_kind=_(_KINDS[here[name]]),
                    project=session.path.name,
                )
            )


_KINDS = {
    "human": N_("a person"),
    "model": N_("a model"),
    "settled": N_("whom settled grades are kept under"),
    "again": N_("a person’s second judgments"),
}


def _kind(row: AssessorRow) -> str:
    # Whose judgments were imported is a person, too.
    return "human" if row.kind == "import" else row.kind


def _grades(scale: Scale) -> tuple[bool, tuple[float, ...]]:
    return scale.is_continuous, tuple(sorted(level.grade for level in scale.levels))


def _shown(scale: Scale) -> str:
    return ", ".join(format_grade(level.grade) for level in scale.levels)


def translated(key: str, value: Any, abroad: Abroad) -> tuple[str, Any]:  # noqa: ANN401 - whatever JSON knows
    """Return a value as it is here: by the numbers that runs have here.

    What was judged at a moment of the other copy's log is written out: here is another log.
    """
    if is_run_key(key):
        return f"{RUN_PREFIX}{abroad.find_run(int(key.removeprefix(RUN_PREFIX)))}", value
    if not key.startswith(_NAMING_RUNS):
        return key, value
    return key, _with_runs_here(_at_moment(value, abroad), abroad)


_NAMING_RUNS = (BASELINE_KEY, DECIDE_KEY, SNAPSHOT_PREFIX, WHATIF_PREFIX)


def _at_moment(value: Any, abroad: Abroad) -> Any:  # noqa: ANN401 - likewise
    if not isinstance(value, dict) or not isinstance(value.get("event"), int):
        return value
    moment = pack_moment(abroad.copy.connection, value["event"], abroad.copy.renames)
    return {name: said for name, said in value.items() if name != "event"} | {"judged": moment}


def _with_runs_here(value: Any, abroad: Abroad) -> Any:  # noqa: ANN401 - likewise
    """Return a value in which systems and what what-ifs are made of name runs by their numbers here."""
    if isinstance(value, list):
        return [_with_runs_here(each, abroad) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _with_runs_here(each, abroad) for name, each in value.items()}
    if isinstance(value.get("run"), int):
        found["run"] = abroad.find_run(value["run"])
    if value.get("kind") == "run" and "id" in value:
        found["id"] = str(abroad.find_run(int(value["id"])))
    return found


def _report(session: Session, connection: Connection, merged: Merged) -> MergeReport:
    names, counts = load_names(connection), _other_counts(session, connection, merged)
    conflicts, taken_back = (
        Counter(names[who] for _, _, who in keys) for keys in (merged.conflicts, merged.taken_back)
    )
    keys = {key for each in merged.brought for key in (*each.values, *each.kept_values)}
    heads = {key.partition(_OF_QUERY)[0] for key in keys if key.startswith(_NAMED)}
    before = after = session.scale
    if "scale" in merged.values:
        after = scale_of(merged.values)
    return MergeReport(
        tuple(merged.brought),
        conflicts,
        taken_back,
        merged.step_id is None,
        {head: _name_of(connection, head) for head in heads},
        tuple(before.list_changes(after)),
        not before.values_alike(after),
        tuple(merged.texts),
        tuple(_weight_changes(session, connection, merged)),
        counts,
        bool(counts) and any(names[row[2]] in counts for row in load_settled(connection)),
    )


def _other_counts(session: Session, connection: Connection, merged: Merged) -> dict[str, bool]:
    if COUNTS_KEY not in merged.values:
        return {}
    before, after = (counts_of(each) for each in (session.values(COUNTS_KEY), merged.values))
    return {
        row.name: does_count(row, after)
        for row in load_assessors(connection)
        if row.kind != "again" and does_count(row, after) != does_count(row, before)
    }


def _weight_changes(session: Session, connection: Connection, merged: Merged) -> Iterator[str]:
    """Yield ``q1: 1 → 2`` for each query that weighs another than it did."""
    if merged.step_id is None:
        return
    before = {query.id: query.weight for query in session.material.queries}
    for _number, query in load_queries(connection):
        was = before.get(query.id, query.weight)
        if was != query.weight:
            yield f"{query.id}: {format_grade(was)} → {format_grade(query.weight)}"


_OF_QUERY = "/q/"
_NAMED = (RUN_PREFIX, SNAPSHOT_PREFIX, WHATIF_PREFIX)


def _name_of(connection: Connection, key: str) -> str:
    """Return the latest name that a value had, also one that is gone; ``""`` for none."""
    lines = sorted(load_value_lines(connection, key), key=lambda line: line.at, reverse=True)
    stored = (json.loads(line.text) for line in lines if line.text)
    return next((str(each["name"]) for each in stored if each and each.get("name")), "")


def describe_merge(report: MergeReport) -> list[str]:
    """Return what a merge brings in sentences: a line for each file, then what differs."""
    lines = [f"{each.name}: {_describe(each)}" for each in report.brought]
    lines += [
        number_of(
            n,
            "{n} of the judgments by {name} is taken back",
            "{n} of the judgments by {name} are taken back",
            name=name,
        )
        for name, n in report.taken_back.items()
    ]
    lines += [
        number_of(
            n,
            "{n} judgment by {name} differs between copies: the latest counts, and is:conflict finds them",
            "{n} judgments by {name} differ between copies: the latest counts, and is:conflict finds them",
            name=name,
        )
        for name, n in report.conflicts.items()
    ]
    for each in report.brought:
        lines += _differing(each, report.names)
    lines += _differing_texts(report.texts)
    if report.scale_changes:
        said = _("The scale changes: {changes}.").format(changes="; ".join(report.scale_changes))
        lines.append(f"{said} {_(_OTHER_VALUES)}" if report.is_other_values else said)
    if report.counts:
        forms = (N_("{name} does not count from now on."), N_("{name} counts from now on."))
        told = [_(forms[does]).format(name=name) for name, does in report.counts.items()]
        lines.append(" ".join((*told, *[_(_OTHER_VALUES)][: report.is_other_counted])))
    if report.weight_changes:
        shown = list(report.weight_changes[:_MOST_NAMED])
        shown += ["…"] if len(report.weight_changes) > _MOST_NAMED else []
        said = _("Weights of queries change: {changes}. Weighted means change with them.")
        lines.append(said.format(changes="; ".join(shown)))
    return lines


_OTHER_VALUES = N_("With it the values of measures change.")


def _describe(brought: Brought) -> str:
    if brought.is_nothing:
        return _("nothing new")
    parts = [
        number_of(n, "{n} judgment by {name}", "{n} judgments by {name}", name=name)
        for name, n in brought.judgments.items()
    ]
    counts = (
        (NN_("{n} query", "{n} queries"), brought.n_queries),
        (
            NN_("{n} query’s text or weight", "{n} queries’ texts or weights"),
            brought.n_other_queries,
        ),
        (NN_("{n} document", "{n} documents"), brought.n_documents),
        (NN_("{n} document’s text", "{n} documents’ texts"), brought.n_other_documents),
        (NN_("{n} run", "{n} runs"), brought.n_runs),
        (NN_("{n} ask", "{n} asks"), brought.n_asks),
        (NN_("{n} draw", "{n} draws"), sum(map(_is_draw, brought.values))),
    )
    parts += [number_of(n, *forms) for forms, n in counts if n]
    if not parts and (brought.values or brought.kept_values):
        return _("nothing but values of the project’s own")
    return ", ".join(parts) or _("nothing but what was done again or taken back")


def _is_draw(name: str) -> bool:
    """Whether a value is a draw for a decision, and not the question."""
    return name.startswith(DECIDE_KEY) and name.count("/") > 1


_LATER: Mapping[str, tuple[str, str]] = {
    "later_there": NN_(
        "{file}: {n} query’s text differs: theirs is later",
        "{file}: {n} queries’ texts differ: theirs are later",
    ),
    "later_here": NN_(
        "{file}: {n} query’s text differs: ours is later",
        "{file}: {n} queries’ texts differ: ours are later",
    ),
    "documents_there": NN_(
        "{file}: {n} document’s text differs: theirs is later",
        "{file}: {n} documents’ texts differ: theirs are later",
    ),
    "documents_here": NN_(
        "{file}: {n} document’s text differs: ours is later",
        "{file}: {n} documents’ texts differ: ours are later",
    ),
}


def _differing_texts(texts: Sequence[TextDifference]) -> Iterator[str]:
    """Yield what of texts was changed apart, of the first with both values."""
    for each in texts[:_MOST_NAMED]:
        yield _(
            "{noun} {id}, {field}: ‘{kept}’ {kept_where} counts, as it is later, and not ‘{lost}’ {lost_where}"
        ).format(
            noun=_(each.noun),
            id=each.id,
            field=each.part,
            kept=shortened(str(each.kept or "")),
            kept_where=_where(each.kept_from),
            lost=shortened(str(each.lost)),
            lost_where=_where(each.lost_from),
        )
    if (n_more := len(texts) - _MOST_NAMED) > 0:
        yield number_of(n_more, "and {n} more text that differs", "and {n} more texts that differ")


def _where(file: str) -> str:
    return _("in {file}").format(file=file) if file else _("here")


_VALUES: Mapping[str, str] = {
    "title": N_("the title"),
    "scale": N_("the scale"),
    "measures": N_("the measures"),
    "conventions": N_("the conventions"),
    BASELINE_KEY: N_("the baseline"),
    "comparing": N_("how differences are tested"),
    COUNTS_KEY: N_("who counts"),
    "sample": N_("the sample that was drawn"),
    "order": N_("the order of the queue"),
    "pool": N_("what is judged"),
    "pool_depth": N_("what is judged"),
    "language": N_("the language"),
    "term_sets": N_("the term sets"),
    "guidelines": N_("the guidelines"),
    "blind": N_("who must judge blind"),
    "practice": N_("practice"),
}
_WITH_NAMES: Mapping[str, tuple[str, tuple[str, str]]] = {
    WHATIF_PREFIX: (N_("what-if ‘{name}’"), NN_("{n} what-if", "{n} what-ifs")),
    SNAPSHOT_PREFIX: (N_("snapshot ‘{name}’"), NN_("{n} snapshot", "{n} snapshots")),
    RUN_PREFIX: (N_("run ‘{name}’"), NN_("{n} run", "{n} runs")),
    "views/": (N_("view ‘{name}’"), NN_("{n} view", "{n} views")),
    "order/": (N_("the order for {name}"), NN_("{n} assessor’s order", "{n} assessors’ orders")),
    "guidelines/": (
        N_("the guidelines for query {name}"),
        NN_("the guidelines for {n} query", "the guidelines for {n} queries"),
    ),
    "pool/added/": (
        N_("documents added to query {name}"),
        NN_("documents added to {n} query", "documents added to {n} queries"),
    ),
}
_MOST_NAMED = 5


def _named_values(keys: Sequence[str], names: Mapping[str, str]) -> str:
    """Return what values are, as people call them; of more than a few of a kind their number.

    Args:
        keys: of the values; those that somebody gave a name begin as ``_WITH_NAMES`` has them.
        names: of what-ifs, snapshots and runs, by key.
    """
    plain = {key: _(_VALUES[key]) for key in keys if key in _VALUES}
    of_kind: dict[str, dict[str, list[str]]] = {}
    for key in keys:
        kind = next((each for each in _WITH_NAMES if key.startswith(each)), None)
        if kind is None:
            plain.setdefault(key, key)
            continue
        head, _sign, query = key.partition(_OF_QUERY) if kind == WHATIF_PREFIX else (key, "", "")
        queries = of_kind.setdefault(kind, {}).setdefault(head, [])
        queries += [query] if query else []
    parts = list(dict.fromkeys(plain.values()))
    for kind, heads in of_kind.items():
        parts += _named_kind(kind, heads, names)
    return ", ".join(parts)


def _named_kind(
    kind: str, heads: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> Iterator[str]:
    form, many = _WITH_NAMES[kind]
    if len(heads) > _MOST_NAMED:
        yield number_of(len(heads), *many)
        return
    for head, queries in heads.items():
        said = _(form).format(name=names.get(head) or head.removeprefix(kind))
        if len(queries) > _MOST_NAMED:
            said += f" ({number_of(len(queries), '{n} query', '{n} queries')})"
        elif queries:
            listed = ", ".join(queries)
            told = number_of(len(queries), "query {names}", "queries {names}", names=listed)
            said += f" ({told})"
        yield said


_STAYING = NN_(
    "{file}: {n} judgment by {name} is here as {known}’s since an earlier merge, and stays so. To give "
    "it another name, undo that merge first, then merge again",
    "{file}: {n} judgments by {name} are here as {known}’s since an earlier merge, and stay so. To give "
    "them another name, undo that merge first, then merge again",
)


def _differing(brought: Brought, called: Mapping[str, str]) -> Iterator[str]:
    for name, known, n in brought.staying:
        yield number_of(n, *_STAYING, file=brought.name, name=name, known=known)
    for which, forms in _LATER.items():
        if names := getattr(brought, which):
            yield number_of(len(names), *forms, file=brought.name)
    values = [name for name in brought.values if not name.startswith(DECIDE_KEY)]
    if values:
        yield _("{file}: theirs are later: {values}").format(
            file=brought.name, values=_named_values(values, called)
        )
    if brought.kept_values:
        yield _("{file}: ours are later: {values}").format(
            file=brought.name, values=_named_values(brought.kept_values, called)
        )
