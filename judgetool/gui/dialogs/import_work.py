"""The work of an import: what is known of each file; reading, planning, writing, all in the background.

Knows files and jobs, no widgets: the dialog listens to its signals.
"""

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from PySide6.QtCore import QObject, Signal

from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.errors import InputError, JudgetoolError
from judgetool.formats import Kind, Reading, read_file
from judgetool.formats.names import FIELD, ROLES, left_over
from judgetool.formats.texts import read_id_pairs
from judgetool.formats.values import ColumnsNeededError, Question, SeveralFilesError
from judgetool.gui.dialogs.import_preview import (
    KIND_TITLES,
    FileView,
    find_findings,
    make_columns_view,
    make_view,
    n_to_write,
    role_title,
)
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_count
from judgetool.session.imports.importing import (
    known_documents,
    level_names,
    plan_import,
    write_import,
)
from judgetool.session.imports.plan import (
    Conflicts,
    FileRemark,
    FileReport,
    ImportChoices,
    ImportPlan,
    counting_notes,
    late_text,
)
from judgetool.session.loading import Meanwhile, WrittenStep
from judgetool.session.session import Session
from judgetool.wording import _


class FileState(Enum):
    """How far a file is."""

    READING = "reading"
    READ = "read"
    REFUSED = "refused"


@dataclass(eq=False, slots=True)
class ImportFile:
    """One file on its way into the project.

    Attributes:
        path: the file.
        kind: what the person says it is about; ``None`` finds out by its content.
        state: see :class:`FileState`.
        reading: what was read, once it is.
        report: what importing it would do, once that is worked out.
        view: its first rows and grades, once it is read.
        problem: why nothing of it can be used.
        share: how much is read, 0 to 1.
        findings: what is said of it.
        job: reads it.
        questions: what was asked of a file that could not be read.
        answers: what the person said to its questions, by name.
        column_roles: what the person said of its columns, by header.
        taken: which column the last of that left without its role, in a sentence; ``""`` for none.
        given_way: which column took another's role, and that role, by the column that gave way.
        word_map: grades of the scale for grades that are words.
        grade_map: grades of the scale for other numbers.
    """

    path: Path
    kind: Kind | None = None
    state: FileState = FileState.READING
    reading: Reading | None = None
    report: FileReport | None = None
    view: FileView | None = None
    problem: str = ""
    share: float = 0.0
    findings: tuple[FileRemark, ...] = field(default=())
    job: JobHandle | None = None
    questions: tuple[Question, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    column_roles: dict[str, str] = field(default_factory=dict)
    taken: str = ""
    given_way: dict[str, tuple[str, str]] = field(default_factory=dict)
    word_map: dict[str, float] = field(default_factory=dict)
    grade_map: dict[float, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name; of one in a zip file, its own."""
        member = self.answers.get("member", "")
        return self.path.name if member in ("", ".") else member

    @property
    def is_left_out(self) -> bool:
        """Whether nothing of it can be used, whatever is said of its columns."""
        return self.state is FileState.REFUSED and self.view is None

    @property
    def is_decided(self) -> bool:
        """Whether the person has said something of it."""
        said = (
            self.column_roles or self.word_map or self.grade_map or self.answers.keys() - {"member"}
        )
        return self.kind is not None or bool(said)

    @property
    def source(self) -> str:
        """What its reading calls it."""
        return self.reading.source if self.reading is not None else str(self.path)

    @property
    def subtitle(self) -> str:
        """The line under the name: what it is, or what is odd about it."""
        if self.state is FileState.READING:
            return (
                _("Waiting")
                if self.share <= 0
                else _("Reading, {share}").format(share=_("{n}%").format(n=round(100 * self.share)))
            )
        if self.state is FileState.REFUSED or self.reading is None:
            return _("Columns to assign") if self.view is not None else _("Left out")
        odd = next((each.title for each in self.findings if each.level == "warn"), "")
        return odd or _kind_title(self.reading)

    @property
    def count(self) -> str:
        """Number of records, or nothing while it is not known."""
        return "" if self.report is None else format_count(self.report.n_records)

    @property
    def spoken(self) -> str:
        """The row in words, for readers."""
        said = f"{self.name}, {self.subtitle}"
        if self.report is None:
            return said
        return f"{said}, {number_of(self.report.n_records, '{n} record', '{n} records')}"

    @property
    def told(self) -> str:
        """What was read of it, and what was left out, in sentences; ``""`` while it is not known."""
        if self.report is None and self.state is not FileState.REFUSED:
            return ""
        return f"{self.spoken}. {self.remarks}".rstrip()

    @property
    def remarks(self) -> str:
        """What is to be said of it beside its row, in sentences."""
        said = (self.problem, *(part for each in self.findings for part in (each.title, each.text)))
        return " ".join(f"{part.rstrip('.')}." for part in said if part)


def _kind_title(reading: Reading) -> str:
    """Return what a file is about; results of ids alone have no texts to speak of."""
    is_bare = not any(each.has_text for each in reading.documents)
    if reading.kind is Kind.RESULTS and is_bare:
        return _("Results")
    return _(KIND_TITLES[reading.kind])


class CollectorPause:
    """No full collections between :meth:`begin` and :meth:`end`; young objects are collected.

    Several may overlap; the last one to end lets the collector go on as before.
    """

    _open: set["CollectorPause"] = set()  # noqa: RUF012 - one for the process, as the collector is
    _before: tuple[int, int, int] = (0, 0, 0)

    def begin(self) -> None:
        """Begin, unless it has begun already."""
        if not CollectorPause._open:
            CollectorPause._before = gc.get_threshold()
            young, middle, __ = CollectorPause._before
            gc.set_threshold(young, middle, 1_000_000_000)
        CollectorPause._open.add(self)

    def end(self) -> None:
        """End, if it has begun; what is in memory now is not looked at again."""
        if self not in CollectorPause._open:
            return
        CollectorPause._open.discard(self)
        if not CollectorPause._open:
            # What was read stays for as long as the project is open, or goes by itself.
            gc.freeze()
            gc.set_threshold(*CollectorPause._before)


_Planned = tuple[ImportPlan, list[tuple[FileRemark, ...]]]


class ImportWork(QObject):
    """Reads files, plans the import, writes it.

    Signals:
        file_changed: something is new about this file.
        file_found: this file, too, is in a zip file that was added.
        planned: the plan is new, or is none for now.
        progressed: so many of so many records are written.
        finished: it is written and taken in; with the sentence for the status line.
        stopped: writing ended without anything kept; with the sentence that says why.

    Args:
        session: the project.
        jobs: runs everything.
        parent: the dialog; nothing comes back after it is gone.
    """

    file_changed = Signal(object)
    file_found = Signal(object)
    planned = Signal()
    progressed = Signal(int, int)
    finished = Signal(str)
    stopped = Signal(str)

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self.files: list[ImportFile] = []
        self.assessor = ""
        self.conflicts = Conflicts.MINE
        self.id_maps: dict[str, dict[str, str]] = {}
        self.plan: ImportPlan | None = None
        self._writing: JobHandle | None = None
        self._planning: JobHandle | None = None
        self._meanwhile: Meanwhile | None = None
        self._collector = CollectorPause()
        self.destroyed.connect(self._collector.end)

    @property
    def is_writing(self) -> bool:
        """Whether records are being written now."""
        return self._writing is not None

    @property
    def is_planning(self) -> bool:
        """Whether it is still to be known what the import would do."""
        return self.plan is None and any(file.state is not FileState.REFUSED for file in self.files)

    @property
    def scale(self) -> Scale:
        """The project's scale."""
        return self._session.scale

    def add(self, path: Path) -> ImportFile:
        """Begin to read a file; one that is among the files is read anew, with what was said of it."""
        listed = [file for file in self.files if file.path == path]
        if not listed:
            listed = [ImportFile(path)]
            self.files += listed
        for file in listed:
            self.read(file, kind=file.kind)
        return listed[0]

    @property
    def is_decided(self) -> bool:
        """Whether the person has said something of a file, or of all of them."""
        of_all = self.assessor or self.id_maps or self.conflicts is not Conflicts.MINE
        return bool(of_all) or any(file.is_decided for file in self.files)

    @property
    def unnamed(self) -> list[ImportFile]:
        """The files whose columns are still to be named."""
        refused = [file for file in self.files if file.state is FileState.REFUSED]
        return [file for file in refused if not file.is_left_out]

    @property
    def _readings(self) -> list[Reading]:
        return [file.reading for file in self.files if file.reading is not None]

    def take_out(self, file: ImportFile) -> None:
        """Leave a file out after all."""
        self.files.remove(file)
        self._let_go_of_reading(file)
        self.replan()

    def read(self, file: ImportFile, *, kind: Kind | None = None) -> None:
        """Read a file anew, as the kind that the person says."""
        self._let_go_of_reading(file)
        file.kind, file.state, file.share = kind, FileState.READING, 0.0
        # What is shown of it stays until it is known anew: nothing moves away meanwhile.
        file.reading = file.report = None
        file.problem, file.questions = "", ()
        self._set_plan(None)
        self._collector.begin()

        # Copies: the person may say more while it is read.
        roles, answers, words = dict(file.column_roles), dict(file.answers), dict(file.word_map)

        def work(handle: JobHandle) -> tuple[Reading, FileView]:
            reading = read_file(
                file.path,
                kind=kind,
                progress=handle.report,
                is_cancelled=handle.is_cancelled,
                column_roles=roles,
                answers=answers,
                grade_map=words,
                known_documents=known_documents(self._session),
                level_names=level_names(self._session.scale),
            )
            # Even a young collection would look at each of millions of ids in a list.
            gc.freeze()
            return reading, make_view(reading)

        file.job = self._jobs.submit(
            work,
            partial(self._take_reading, file),
            partial(self._take_problem, file),
            partial(self._take_progress, file),
            owner=self,
        )
        self.file_changed.emit(file)

    def _take_progress(self, file: ImportFile, done: int, total: int) -> None:
        file.share = done / total if total else 0.0
        self.file_changed.emit(file)

    def _take_reading(self, file: ImportFile, read: tuple[Reading, FileView]) -> None:
        file.job, file.state = None, FileState.READ
        file.reading, file.view = read
        self.file_changed.emit(file)
        self.replan()

    def _take_problem(self, file: ImportFile, error: Exception) -> None:
        if isinstance(error, SeveralFilesError):
            self._read_members(file, error.members)
            return
        file.job, file.state = None, FileState.REFUSED
        file.view, file.findings = None, ()
        if not isinstance(error, JudgetoolError):
            file.problem = _("Something unexpected happened while it was read. It is left out.")
            self.file_changed.emit(file)
            self.replan()
            raise error
        file.problem = str(error)
        if isinstance(error, ColumnsNeededError):
            file.view = make_columns_view(error.columns, error.sample_rows, file.kind)
            file.questions = error.questions
        self.file_changed.emit(file)
        self.replan()

    def _read_members(self, file: ImportFile, members: Sequence[str]) -> None:
        """Read each file of a zip file by itself, in place of the zip file."""
        file.answers["member"] = members[0]
        self.read(file, kind=file.kind)
        place = self.files.index(file)
        for member in members[1:]:
            other = ImportFile(file.path, answers={"member": member})
            place += 1
            self.files.insert(place, other)
            self.file_found.emit(other)
            self.read(other, kind=file.kind)

    def set_role(self, file: ImportFile, header: str, role: str) -> None:
        """Say what a column is, and read the file anew; what its last role took is given back.

        What the columns by themselves have told of the file's kind stays.
        """
        reading, kind = file.reading, file.kind
        is_found = reading is not None and reading.format and not file.column_roles
        if reading is not None and is_found and kind is None and role in ROLES[reading.kind]:
            kind = reading.kind
        file.column_roles.pop(header, None)
        for other, (taker, before) in list(file.given_way.items()):
            if header in (taker, other):
                del file.given_way[other]
                if before not in file.column_roles.values():
                    file.column_roles[other] = before
        file.column_roles[header], file.taken = role, ""
        if role not in ("field", "ignore", "grades_of_assessor") and file.view is not None:
            # Only one column can be the grade: the one that was it gives way.
            for other, before in zip(file.view.rows.heads, file.view.rows.roles, strict=False):
                if before == role and other != header:
                    file.column_roles[other] = left_over(kind)
                    file.given_way[other] = (header, before)
                    said = _(
                        "Column {other} is left out now: {head} is taken as ‘{role}’ in its place."
                    )
                    if left_over(kind) == FIELD:
                        said = _(
                            "Column {other} is a further field now: {head} is taken as ‘{role}’ in its "
                            "place."
                        )
                    file.taken = said.format(other=other, head=header, role=role_title(role))
        self.read(file, kind=kind)

    def answer(self, file: ImportFile, name: str, choice: str) -> None:
        """Answer a question of a file, and read it anew."""
        file.answers[name] = choice
        if file.report is not None and any(each.name == name for each in file.report.questions):
            self.replan()
        else:
            self.read(file, kind=file.kind)

    def map_grade(self, file: ImportFile, grade: str, wanted: float | None) -> None:
        """Say which grade of the scale a file's grade stands for; ``None`` leaves it out."""
        if file.view is not None and grade in file.view.labels:
            file.word_map.pop(grade, None)
            file.word_map |= {} if wanted is None else {grade: wanted}
            self.read(file, kind=file.kind)
            return
        file.grade_map.pop(float(grade), None)
        file.grade_map |= {} if wanted is None else {float(grade): wanted}
        self.file_changed.emit(file)
        self.replan()

    def take_proposal(self, file: ImportFile) -> None:
        """Take the usual grades for a file's words, as far as the scale has them."""
        if file.reading is not None:
            usual = file.reading.label_proposal.items()
            scale = self._session.scale
            file.word_map |= {word: g for word, g in usual if scale.has_grade(g)}
            self.read(file, kind=file.kind)

    def set_conflicts(self, conflicts: Conflicts) -> None:
        """Say which judgment stays where file and project differ."""
        if conflicts is not self.conflicts:
            self.conflicts = conflicts
            self.replan()

    def set_assessor(self, assessor: str) -> None:
        """Say whose judgments those are that name nobody; ``""`` names them by their file."""
        if assessor != self.assessor:
            self.assessor = assessor
            self.replan()

    def take_id_pairs(self, path: Path) -> str:
        """Take pairs of ids from a file, the files' and the project's, for all the files.

        Returns:
            A sentence that says what they are pairs of.

        Raises:
            InputError: it cannot be read, or neither queries nor documents have its ids.
        """
        pairs = read_id_pairs(path)
        material = self._session.material
        # What the ids are the project's of may come with the same import.
        queries = {query.id for reading in self._readings for query in reading.queries}
        documents = {each.id for reading in self._readings for each in reading.documents}
        mine, noun = list(pairs.values()), "query"
        n_known = sum(each in queries or material.find_query(each) is not None for each in mine)
        if not n_known:
            noun = "document"
            documents.update(material.find_documents(mine))
            n_known = sum(each in documents for each in mine)
        if not n_known:
            raise InputError(
                _(
                    "No query or document, here or in these files, has an id of {name}. Two columns are "
                    "expected: the files’ id and the project’s."
                ).format(name=path.name)
            )
        self.id_maps[noun] = pairs
        self.replan()
        if noun == "query":
            said = number_of(
                n_known,
                "{n} query id is read as the project’s.",
                "{n} query ids are read as the project’s.",
            )
        else:
            said = number_of(
                n_known,
                "{n} document id is read as the project’s.",
                "{n} document ids are read as the project’s.",
            )
        return f"{path.name}: {said}"

    def replan(self) -> None:
        """Work out anew what the import would do, once every file is read."""
        self._set_plan(None)
        if self._planning is not None:
            self._planning.drop()
        readings = self._readings
        if not readings or any(file.state is FileState.READING for file in self.files):
            return
        maps = {file.source: dict(file.grade_map) for file in self.files}
        answers = {file.source: dict(file.answers) for file in self.files}
        choices = ImportChoices(
            self.assessor,
            self.conflicts,
            file_grade_maps=maps,
            file_answers=answers,
            id_maps=dict(self.id_maps),
        )
        self._planning = self._jobs.submit(
            partial(_plan, self._session, readings, choices), self._take_plan, owner=self
        )

    def _take_plan(self, planned: _Planned) -> None:
        plan, findings = planned
        by_reading = {id(report.reading): place for place, report in enumerate(plan.files)}
        for file in self.files:
            place = by_reading.get(id(file.reading))
            if place is not None:
                file.report, file.findings = plan.files[place], findings[place]
                self.file_changed.emit(file)
        self._set_plan(plan)

    def _set_plan(self, plan: ImportPlan | None) -> None:
        self.plan = plan
        self.planned.emit()

    def write(self) -> JobHandle | None:
        """Write the plan; judging goes on meanwhile.

        ``stopped`` or ``finished`` says what became of it.
        """
        plan = self.plan
        if plan is None or self.is_writing:
            return self._writing

        def work(handle: JobHandle) -> WrittenStep:
            outcome = write_import(
                self._session, plan, progress=handle.report, is_cancelled=handle.is_cancelled
            )
            return self._session.read_after(outcome)

        self._meanwhile = Meanwhile(self._session.changed)
        self._writing = self._jobs.submit(
            work, partial(self._finish, plan), self._stop, self.progressed.emit, owner=self
        )
        return self._writing

    def _end_writing(self) -> set[tuple[int, int]] | None:
        """Return what was judged while it was written and read; see :class:`Meanwhile`."""
        self._writing = None
        meanwhile, self._meanwhile = self._meanwhile, None
        return None if meanwhile is None else meanwhile.end()

    def _finish(self, plan: ImportPlan, written: WrittenStep) -> None:
        self._session.take_written(written, judged=self._end_writing())
        self._collector.end()
        self.finished.emit(done_sentence(plan))
        self._let_go()

    def _stop(self, error: Exception) -> None:
        self._end_writing()
        if isinstance(error, JudgetoolError):
            self.stopped.emit(str(error))
            return
        self.stopped.emit(_("Something unexpected happened. Nothing of the import was kept."))
        raise error

    def drop_all(self) -> None:
        """Stop reading and planning; nothing more is delivered of them, nor of writing."""
        self._end_writing()
        if self._planning is not None:
            self._planning.drop()
        self._collector.end()
        self._let_go()

    def _let_go(self) -> None:
        """Let go of all that was read and planned; the dialog is about to end."""
        plan, self.plan = self.plan, None
        if plan is not None:
            self._jobs.let_go([plan.documents, plan.judgments])
        for file in self.files:
            self._let_go_of_reading(file)

    def _let_go_of_reading(self, file: ImportFile) -> None:
        if file.job is not None:
            file.job.drop()
        reading, file.reading, file.report = file.reading, None, None
        if reading is None:
            return
        lists: list[list[Any]] = [reading.documents, *(run.document_ids for run in reading.runs)]
        if reading.judgments is not None:
            table = reading.judgments
            lists += [table.query_ids, table.document_ids, table.notes, table.lines]
        self._jobs.let_go(lists)


def _plan(
    session: Session, readings: Sequence[Reading], choices: ImportChoices, handle: JobHandle
) -> _Planned:
    """Plan and look through the plan, on the worker."""
    plan = plan_import(session, readings, choices=choices, check=handle.check)
    findings = []
    for report in plan.files:
        handle.check()
        findings.append(find_findings(report, session.scale, conflicts=choices.conflicts))
    return plan, findings


def done_sentence(plan: ImportPlan) -> str:
    """Return what the status line says after an import."""
    files = number_of(len(plan.files), "{n} file", "{n} files")
    left_out = f" {late_text(plan)}".rstrip()
    if plan.n_refused:
        left_out += " " + number_of(plan.n_refused, "{n} line left out.", "{n} lines left out.")
    cut = [PurePath(each.reading.source).name for each in plan.files if each.reading.ended_early]
    if cut:
        left_out += " " + _("{names} ends too early: the rest of it is missing.").format(
            names=", ".join(cut)
        )
    left_out += "".join(f" {said}" for said in counting_notes(plan))
    return number_of(
        n_to_write(plan),
        "Imported {n} record from {files}.{left_out}",
        "Imported {n} records from {files}.{left_out}",
        files=files,
        left_out=left_out,
    )
