"""Bringing files into an open project: a plan first, then one step that Undo takes back.

It is written in chunks that hold nobody up, and made visible as a whole. A fresh project with the bundled
sample is made the same way.
"""

import contextlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from judgetool.core.clock import utc_ms
from judgetool.core.held_files import beside, refuse_changed
from judgetool.core.judgments import Document, JudgmentChange, JudgmentKey, Query
from judgetool.core.scale import Scale, scale_preset
from judgetool.core.system import data_folder, is_local_folder
from judgetool.errors import InputError, ProjectBusyError, ProjectError, why_refused
from judgetool.formats import ClickRow, Kind, Reading, RunTable, read_file
from judgetool.formats.reading import held_collector
from judgetool.formats.values import KnownIds
from judgetool.resources import resource_path
from judgetool.session.commands import Check, IsCancelled, Progress, SetValues, checker
from judgetool.session.imports.plan import ImportChoices, ImportPlan, NewJudgment
from judgetool.session.imports.planner import Planner
from judgetool.session.jobs import Outcome
from judgetool.session.material import RUN_PREFIX, present_runs
from judgetool.session.opening import create_project, open_project
from judgetool.session.pool import ADDED_KEY
from judgetool.session.reading_aids import allow_folder
from judgetool.session.session import Session
from judgetool.storage import material as stored
from judgetool.storage.connection import Connection
from judgetool.storage.copies import (
    OthersWatch,
    Write,
    find_overtaken,
    find_tops,
    in_parts,
    settle_merged,
)
from judgetool.storage.disks import free_name
from judgetool.storage.ids import CHUNK as ID_CHUNK
from judgetool.storage.ids import Numbers, count_ids, find_numbers, number_id, number_ids
from judgetool.storage.judgments import (
    Key,
    LogEntry,
    StepRow,
    abandon_step,
    drop_undone,
    find_judgment,
    find_staged,
    insert_step,
    keep_sayers,
    publish_staged,
    set_step_state,
    stage_entries,
)
from judgetool.storage.values import load_values, number_assessor, write_value
from judgetool.wording import _

T = TypeVar("T")
CHUNK = 2_000
RANKINGS_CHUNK = 100_000
"""Results written at once; one ranking may have more."""


class ImportWriter:
    """Writes one plan.

    Args:
        write: runs a job on the writer, bulk priority.
        assessor_id: who imports, for Undo; ``None`` when nobody is named.
        at: milliseconds UTC.
        progress: told how many of how many records are written.
        is_cancelled: asked before each chunk.
    """

    def __init__(
        self,
        write: Write,
        *,
        assessor_id: int | None,
        at: int,
        progress: Progress | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> None:
        self._watch = OthersWatch(write, write(find_tops))
        self._write = self._watch.write
        self._assessor_id = assessor_id
        self._at = at
        self._progress = progress or (lambda _done, _total: None)
        stopped = _("The import was cancelled. Nothing of it was kept.")
        self._check_cancelled = partial(checker(None, is_cancelled, stopped), 0, 0)
        self._done = self._total = self._step = 0
        # Judgments of the plan that others have given since, and whether they were given before.
        self._late: dict[Key, bool] = {}

    def run(self, plan: ImportPlan) -> Outcome:
        """Write the plan; it becomes visible at the very end, or not at all.

        Returns:
            The step, and the project's values that it has set; its judgments are to be read.

        Raises:
            WorkCancelledError: ``is_cancelled`` said so; nothing is left behind.
            SaveError: the disk is full or cannot be written; likewise.
        """
        self._total = len(plan.queries) + len(plan.documents) + len(plan.judgments)
        self._total += len(plan.clicks) + sum(len(run.documents) for __, __, run in plan.runs)
        self._step = self._write(partial(self._begin, plan))
        try:
            self._write_texts(plan)
            numbers: dict[int, int] = {}
            for name, source, run in plan.runs:
                number = self._write_run(name, source, run)
                if name in plan.replaced:
                    numbers[plan.replaced[name]] = number
            self._write_judgments(plan)
            self._number_pool(plan)
            self._write_clicks(plan.clicks)
            self._check_cancelled()
        except BaseException:
            self._write(partial(abandon_step, step_id=self._step))
            raise
        values = self._write(partial(self._finish, plan, numbers))
        plan.late_changed = sum(self._late.values())
        plan.late_new = len(self._late) - plan.late_changed
        step = StepRow(self._step, "import", plan.title, self._at)
        return Outcome(step, values=values, n_kept=len(self._late))

    def _begin(self, plan: ImportPlan, connection: Connection) -> int:
        detail: dict[str, Any] = {"files": [report.reading.source for report in plan.files]}
        if plan.image_folder:
            detail["image_folder"] = plan.image_folder
        if plan.kept_folders:
            detail["kept_image_folders"] = plan.kept_folders
        if plan.queries or plan.documents:
            detail |= stored.written_upon(connection)
        return insert_step(
            connection,
            kind="import",
            title=plan.title,
            assessor_id=self._assessor_id,
            at=self._at,
            state="pending",
            detail=detail,
        ).step_id

    def _finish(
        self, plan: ImportPlan, replaced: Mapping[int, int], connection: Connection
    ) -> dict[str, Any]:
        values = plan.values
        drop_undone(connection, self._assessor_id)
        pools = load_values(connection, prefix=ADDED_KEY) if values else {}
        # Others may have asked for more to be judged since.
        added = {key: [*dict.fromkeys([*pools.get(key, ()), *values[key]])] for key in values}
        all_values = {**added, **_values_of_replaced(connection, replaced)}
        for key, value in all_values.items():
            write_value(connection, key, value, step_id=self._step, at=self._at, origin="import")
        self._leave_late_texts(plan, connection)
        touched = find_staged(connection, self._watch.find_touched(connection), self._step)
        overtaken = find_overtaken(connection, touched, self._step)
        publish_staged(connection, step_id=self._step, at=self._at)
        set_step_state(connection, self._step, "done", at=utc_ms())
        self._keep_late(connection, touched)
        if any(new.is_beside for new in plan.judgments):
            keep_sayers(connection, self._step)
        plan.n_replaced_late = len(overtaken - self._late.keys())
        return all_values

    def _leave_late_texts(self, plan: ImportPlan, connection: Connection) -> None:
        """Leave out texts of which others have written, or taken back, one since the plan: that stays."""
        others = (stored.load_text_steps(connection) ^ plan.texts_seen) - {self._step}
        if others and (plan.queries or plan.documents):
            plan.late_texts_new, plan.late_texts_changed = stored.leave_out_texts(
                connection, self._step, others, plan.texts_seen
            )

    def _keep_late(self, connection: Connection, touched: Mapping[Key, bool]) -> None:
        """Take note of what others have said while this was written: it stays."""
        settle_merged(connection, touched)
        for key, was_said in touched.items():
            now = find_judgment(connection, JudgmentKey(*key))
            if now is None or now.step_id != self._step:
                self._late[key] = was_said

    def _in_chunks(
        self, rows: Iterable[T], job: Callable[[Connection, list[T]], Any], size: int = CHUNK
    ) -> None:
        for chunk in in_parts(rows, size):
            self._check_cancelled()
            self._write(partial(_swapped, job, chunk))
            self._count(len(chunk))

    def _count(self, n: int) -> None:
        self._done += n
        self._tell(self._done)

    def _tell(self, done: int) -> None:
        self._progress(done, self._total)

    def _number(
        self,
        table: str,
        ids: Sequence[str],
        told: Progress | None = None,
        *,
        is_first: bool | None = None,
    ) -> Numbers:
        """Return the numbers of distinct external ids, adding those not known yet.

        Args:
            table: ``queries`` or ``documents``.
            ids: distinct.
            told: gets how many of how many have a number, now and then.
            is_first: whether most of them are likely new; ``None`` looks.
        """
        if is_first is None:
            is_first = self._is_empty(table)
        numbers = np.empty(len(ids), np.int64)
        for start in range(0, len(ids), ID_CHUNK):
            self._check_cancelled()
            part = ids[start : start + ID_CHUNK]
            numbers[start : start + len(part)] = self._write(
                partial(number_ids, table=table, ids=part, are_likely_new=is_first)
            )
            if told is not None:
                told(start + len(part), len(ids))
        return numbers

    def _is_empty(self, table: str) -> bool:
        return self._write(lambda connection: count_ids(connection, table)) == 0

    def _number_by_id(
        self, table: str, ids: Iterable[str], *, is_first: bool | None = None
    ) -> dict[str, int]:
        distinct = list(dict.fromkeys(ids))
        numbers = self._number(table, distinct, is_first=is_first)
        return dict(zip(distinct, numbers.tolist(), strict=True))

    def _write_texts(self, plan: ImportPlan) -> None:
        # An id alone must not hide the text that others have brought for it since.
        known = self._write(lambda connection: {q.id for __, q in stored.load_queries(connection)})
        queries = [q for q in plan.queries if q != Query(q.id) or q.id not in known]
        numbers = self._number_by_id("queries", (query.id for query in queries))
        self._in_chunks(
            [(numbers[query.id], query) for query in queries],
            partial(stored.insert_query_texts, step_id=self._step),
        )
        self._count(len(plan.queries) - len(queries))
        self._write_documents(plan.documents)

    def _write_documents(self, documents: Sequence[Document]) -> None:
        # Part by part: one table of a million ids is made, and let go, in one piece
        # that holds up every other thread.
        is_first = self._is_empty("documents")
        for part in in_parts(documents, ID_CHUNK):
            ids = (document.id for document in part)
            numbers = self._number_by_id("documents", ids, is_first=is_first)
            rows = [(numbers[document.id], document) for document in part]
            self._in_chunks(rows, partial(stored.insert_document_texts, step_id=self._step), 500)

    def _write_run(self, name: str, source: str, run: RunTable) -> int:
        """Write a run and return its number."""
        n_results, before = len(run.documents), self._done

        def count_half(done: int, total: int) -> None:
            # Millions of ids take as long as the rankings do.
            self._tell(before + n_results * done // (2 * total))

        query_numbers = self._number("queries", run.query_ids).tolist()
        number_of = self._number("documents", run.document_ids, count_half).astype(np.int32)
        run_id = self._write(
            partial(stored.insert_run, name=name, source=source, step_id=self._step)
        )
        for places in _ranking_parts(run):
            self._check_cancelled()
            first, last = run.offsets[places[0]], run.offsets[places[-1] + 1]
            documents = number_of[run.documents[first:last]]
            rows = []
            for place in places:
                own = slice(run.offsets[place], run.offsets[place + 1])
                rows.append(
                    (
                        query_numbers[place],
                        documents[own.start - first : own.stop - first],
                        None if run.scores is None else run.scores[own],
                    )
                )
            self._write(partial(stored.insert_rankings, run_id=run_id, rows=rows))
            self._tell(before + (n_results + int(last)) // 2)
        self._done = before + n_results
        return run_id

    def _number_pool(self, plan: ImportPlan) -> None:
        """Give numbers to documents that only a pool names."""
        pools = (value for key, value in plan.values.items() if key.startswith(ADDED_KEY))
        self._number_by_id("documents", (name for pool in pools for name in pool))

    def _write_judgments(self, plan: ImportPlan) -> None:
        queries = self._number_by_id("queries", (new.query_id for new in plan.judgments))
        documents = self._number_by_id("documents", (new.document_id for new in plan.judgments))
        assessors = {
            name: self._number_assessor(name, plan)
            for name in dict.fromkeys(new.assessor for new in plan.judgments)
        }

        def stage(connection: Connection, chunk: list[NewJudgment]) -> None:
            entries = []
            for new in chunk:
                key = JudgmentKey(
                    queries[new.query_id], documents[new.document_id], assessors[new.assessor]
                )
                said = find_judgment(connection, key)
                before, before_step = (said.judgment, said.step_id) if said else (None, None)
                if ((before_step or 0), before) != (new.seen, new.mine):
                    # What was decided was about something else: what was said since stays.
                    self._late[key] = bool(new.seen)
                    continue
                change = JudgmentChange(key, before, new.judgment)
                says = before_step if new.is_beside else self._step
                entry = LogEntry(change, before_step, says, "import", new.spent_ms, made_at=new.at)
                entries.append(entry)
            stage_entries(connection, entries, step_id=self._step, at=self._at)

        self._in_chunks(plan.judgments, stage, 500)

    def _write_clicks(self, rows: Sequence[ClickRow]) -> None:
        queries = self._number_by_id("queries", (row.query_id for row in rows))
        documents = self._number_by_id("documents", (row.document_id for row in rows))

        def add(connection: Connection, chunk: list[ClickRow]) -> None:
            counts = (
                stored.ClickCount(
                    queries[row.query_id],
                    documents[row.document_id],
                    row.position,
                    row.impressions,
                    row.clicks,
                )
                for row in chunk
            )
            stored.insert_clicks(connection, counts, step_id=self._step)

        self._in_chunks(rows, add)

    def _number_assessor(self, name: str, plan: ImportPlan) -> int:
        kind = "import" if name in plan.import_assessors else "human"
        kind = plan.assessor_kinds.get(name, kind)
        return self._write(lambda connection: number_assessor(connection, name, kind=kind))


def _values_of_replaced(connection: Connection, numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return values that take runs out and hand what was made of them to those that come.

    Args:
        connection: any.
        numbers: from a run that goes to the one in its place.
    """
    values: dict[str, Any] = {}
    names = {run.run_id: run.name for run in present_runs(connection, stored.load_runs(connection))}
    # Who took one out meanwhile has done what is wanted.
    for number in numbers.keys() & names.keys():
        values[f"{RUN_PREFIX}{number}"] = {"name": names[number], "is_deleted": True}
    for key, head in load_values(connection, prefix="whatif/").items() if numbers else ():
        runs = head.get("base", {}).get("runs", [])
        if any(run["run"] in numbers for run in runs):
            over = [{**run, "run": numbers.get(run["run"], run["run"])} for run in runs]
            values[key] = {**head, "base": {**head["base"], "runs": over}}
    baseline = load_values(connection, prefix="baseline").get("baseline") or {}
    system = baseline.get("system") or {}
    is_of_now = system.get("kind") == "run" and not system.get("snapshot")
    if is_of_now and int(system["id"]) in numbers:
        follower = {**system, "id": str(numbers[int(system["id"])])}
        values["baseline"] = {**baseline, "system": follower}
    return values


def _swapped(
    job: Callable[[Connection, list[T]], Any], chunk: list[T], connection: Connection
) -> None:
    job(connection, chunk)


def _ranking_parts(run: RunTable) -> Iterator[range]:
    """Yield the places of consecutive rankings that are written at once."""
    start, count = 0, len(run.query_ids)
    while start < count:
        wanted = run.offsets[start] + RANKINGS_CHUNK  # alike: one at a time is slower, no more
        stop = max(start + 1, int(np.searchsorted(run.offsets, wanted, side="right")) - 1)
        yield range(start, min(stop, count))
        start = stop


def plan_import(
    session: Session,
    readings: Sequence[Reading],
    *,
    choices: ImportChoices | None = None,
    check: Check | None = None,
) -> ImportPlan:
    """Return what importing these files would do; nothing is written.

    May be called from another thread than the session's.

    Args:
        session: the project.
        readings: what was read of each file.
        choices: what the person has decided; ``None`` for what is usual.
        check: asked now and then; may raise to stop.

    Raises:
        InputError: a grade is mapped to one that the scale does not have.
    """
    with session.second_reader() as reader, held_collector():
        return Planner(
            reader,
            scale=session.scale,
            home=session.path.absolute().parent,
            now=session.clock(),
            choices=choices,
            check=check,
        ).plan(readings)


def level_names(scale: Scale) -> dict[str, float]:
    """Return the grades of a scale by what its levels are called, in lower case."""
    called = ((each.grade, (each.name, each.shown_name, each.code)) for each in scale.levels)
    return {name.lower(): float(grade) for grade, names in called for name in names if name}


def known_documents(session: Session) -> KnownIds:
    """Return what tells which of some ids are documents of the project.

    It may be called from another thread than the session's.
    """

    def find(ids: Sequence[str]) -> Collection[str]:
        with session.second_reader() as reader:
            return find_numbers(reader, "documents", ids)

    return find


def write_import(
    session: Session,
    plan: ImportPlan,
    *,
    progress: Progress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> Outcome:
    """Write a plan as one step. May be called from another thread than the session's.

    Hand what it gives to :meth:`Session.take_in` on the session's thread afterwards, or to
    :meth:`Session.read_after` before, so that nobody waits for the reading.

    Args:
        session: the project.
        plan: what to write; an empty one writes nothing.
        progress: told how many of how many records are written.
        is_cancelled: asked again and again; ``True`` leaves nothing behind.

    Raises:
        WorkCancelledError: it was cancelled.
        InputError: one of the files has changed since it was read.
        SaveError: it could not be written; nothing of it is visible.
    """
    if plan.is_empty:
        return Outcome()
    for report in plan.files:
        refuse_changed(report.reading.states)
    writer = ImportWriter(
        partial(session.write, is_bulk=True),
        assessor_id=session.assessor_id,
        at=session.clock(),
        progress=progress,
        is_cancelled=is_cancelled,
    )
    with held_collector():
        outcome = writer.run(plan)
    if is_local_folder(plan.image_folder):
        # Whoever imports from a folder wants to see its pictures.
        allow_folder(session.uuid, plan.image_folder)
    return outcome


def import_readings(
    session: Session,
    readings: Sequence[Reading],
    *,
    choices: ImportChoices | None = None,
) -> ImportPlan:
    """Import files in one go on the session's thread and return what was done."""
    plan = plan_import(session, readings, choices=choices)
    session.take_in(write_import(session, plan))
    return plan


def ensure_document(session: Session, document_id: str) -> int:
    """Return the number of a document, adding its id if the project does not have it."""
    return session.write(
        lambda connection: number_id(connection, "documents", document_id), is_bulk=True
    )


# The bundled sample

_FILES = (
    ("queries.jsonl", Kind.QUERIES),
    ("documents.jsonl", Kind.DOCUMENTS),
    ("runs/full-bm25-stem.run", Kind.RUN),
    ("runs/chargrams.run", Kind.RUN),
    ("runs/title-bm25.run", Kind.RUN),
    ("judgments.csv", Kind.JUDGMENTS),
)
SAMPLE_TITLE = "recipes"
# Its first result is the best answer and unjudged: the grade that it deserves moves every value
# but R@10, and three more documents are left to judge.
_START = "18"


def sample_path() -> Path:
    """Return where the sample is put when nobody says where."""
    return data_folder() / "demo" / "recipes.judge"


def make_sample(path: Path) -> None:
    """Make a fresh copy of the sample: 20 queries, 161 recipes, 3 runs, two assessors.

    Raises:
        InputError: something stands at ``path``, or its folder is missing.
        SaveError: the disk is full or cannot be written.
    """
    if path == sample_path():
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise InputError(
            _(
                "{path} exists already and was left as it is. Choose another name, or open it "
                "with ‘judgetool open {path}’."
            ).format(path=path)
        )
    create_project(path, scale=scale_preset("0-3"), title=SAMPLE_TITLE)
    with open_project(path) as session:
        session.execute(SetValues({"start": _START}, f"Begin at query {_START}"))
        readings = [read_file(resource_path(f"sample/{name}"), kind=kind) for name, kind in _FILES]
        import_readings(session, readings)


def set_sample_aside(path: Path) -> Path:
    """Give a sample that was worked in another name, beside a log that a kill left with it.

    Returns:
        Where it is now.

    Raises:
        ProjectBusyError: it is open in a judgetool.
        InputError: it cannot be renamed.
    """
    _refuse_in_use(path)
    stamp = time.strftime("%Y-%m-%d %H.%M")
    kept = free_name(path, f"{path.stem} until {stamp}", path.suffix, number=" ({})")
    try:
        for ending in ("-wal", "-shm", "-journal", ""):
            if beside(path, ending).exists():
                beside(path, ending).rename(beside(kept, ending))
    except OSError as problem:
        raise InputError(
            _(
                "The sample at {path} cannot be put aside: {strerror}. It is as it was; say "
                "where a fresh one should go: ‘judgetool demo FILE’."
            ).format(path=path, strerror=why_refused(problem))
        ) from problem
    return kept


def _refuse_in_use(path: Path) -> None:
    try:
        with open_project(path) as session:
            reason = session.read_only_reason
    except ProjectError:
        # Damaged or of another kind: nobody can be using it.
        return
    if reason:
        raise ProjectBusyError(
            _(
                "The sample project is in use and was left as it is. {reason} Close that window, "
                "or name another place: ‘judgetool demo sample.judge’."
            ).format(reason=reason),
            path=path,
        )
