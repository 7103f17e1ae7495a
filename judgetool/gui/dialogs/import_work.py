"""The work of an import: reading each file, planning, writing, all in the background.

Knows files and jobs, no widgets: the dialog listens to its signals.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.formats import Kind, Reading, read_file
from judgetool.gui.dialogs.import_files import FileState, ImportFile
from judgetool.gui.dialogs.import_findings import (
    Finding,
    document_ids_of,
    done_sentence,
    find_findings,
    strange_documents,
)
from judgetool.gui.dialogs.import_preview import FileView, make_view
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.import_plan import ImportPlan
from judgetool.session.importing import plan_import, write_import
from judgetool.session.session import Session

# So many ids are looked up in the project on the GUI thread, which takes some 10 ms.
MAX_LOOKED_UP = 1_000


class _Look(NamedTuple):
    """What was found of one file on the worker.

    Attributes:
        findings: what is said of it.
        strange: the first ids of documents that none of the files describes.
        is_all: whether these are all of them.
    """

    findings: tuple[Finding, ...]
    strange: list[str]
    is_all: bool


_Planned = tuple[ImportPlan, list[_Look]]


class ImportWork(QObject):
    """Reads files, plans the import, writes it.

    Signals:
        file_changed: something is new about this file.
        planned: the plan is new, or is none for now.
        progressed: so many of so many records are written.
        finished: it is written and taken in; with the sentence for the status line.
        stopped: writing ended without anything kept; with the sentence that says why.
        abandoned: somebody else stopped all work, as when the project is closed.

    Args:
        session: the project.
        jobs: runs everything.
        parent: the dialog; nothing comes back after it is gone.
    """

    file_changed = Signal(object)
    planned = Signal()
    progressed = Signal(int, int)
    finished = Signal(str)
    stopped = Signal(str)
    abandoned = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self.files: list[ImportFile] = []
        self.assessor = ""
        self.plan: ImportPlan | None = None
        self._writing: JobHandle | None = None
        self._planning: JobHandle | None = None
        jobs.changed.connect(self._look_for_drops)

    @property
    def is_writing(self) -> bool:
        """Whether records are being written now."""
        return self._writing is not None

    @property
    def scale(self) -> Scale:
        """The project's scale."""
        return self._session.scale

    def add(self, path: Path) -> ImportFile | None:
        """Begin to read a file; ``None`` when it is among the files already."""
        if any(file.path == path for file in self.files):
            return None
        file = ImportFile(path)
        self.files.append(file)
        self.read(file)
        return file

    def take_out(self, file: ImportFile) -> None:
        """Leave a file out after all."""
        if file.job is not None:
            file.job.drop()
        self.files.remove(file)
        self.replan()

    def read(self, file: ImportFile, *, kind: Kind | None = None) -> None:
        """Read a file anew, as the kind that the person says."""
        if file.job is not None:
            file.job.drop()
        file.kind, file.state, file.share = kind, FileState.READING, 0.0
        file.reading = file.report = file.view = None
        file.problem, file.findings = "", ()
        self._set_plan(None)

        def work(handle: JobHandle) -> tuple[Reading, FileView]:
            reading = read_file(
                file.path, kind=kind, progress=handle.report, is_cancelled=handle.is_cancelled
            )
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
        file.job, file.state = None, FileState.REFUSED
        if not isinstance(error, JudgetoolError):
            file.problem = "Something unexpected happened while it was read. It is left out."
            self.file_changed.emit(file)
            self.replan()
            raise error
        file.problem = str(error)
        self.file_changed.emit(file)
        self.replan()

    def set_assessor(self, assessor: str) -> None:
        """Say whose judgments those are that name nobody; ``""`` names them by their file."""
        if assessor != self.assessor:
            self.assessor = assessor
            self.replan()

    def replan(self) -> None:
        """Work out anew what the import would do, once every file is read."""
        self._set_plan(None)
        if self._planning is not None:
            self._planning.drop()
            self._planning = None
        readings = [file.reading for file in self.files if file.reading is not None]
        if not readings or any(file.state is FileState.READING for file in self.files):
            return
        known = {query.id for query in self._session.material.queries}
        known.update(query.id for reading in readings for query in reading.queries)
        self._planning = self._jobs.submit(
            partial(_plan, self._session, readings, self.assessor, frozenset(known)),
            self._take_plan,
            owner=self,
        )

    def _take_plan(self, planned: _Planned) -> None:
        plan, looks = planned
        by_reading = {id(report.reading): place for place, report in enumerate(plan.files)}
        for file in self.files:
            place = by_reading.get(id(file.reading))
            if place is not None:
                file.report = plan.files[place]
                file.findings = (*looks[place].findings, *self._find_strange(looks[place]))
                self.file_changed.emit(file)
        self._planning = None
        self._set_plan(plan)

    def _find_strange(self, look: _Look) -> Iterator[Finding]:
        """Say which documents the project does not know either."""
        find = self._session.material.find_document
        strange = [document_id for document_id in look.strange if find(document_id) is None]
        if strange:
            yield strange_documents(strange, is_all=look.is_all)

    def _set_plan(self, plan: ImportPlan | None) -> None:
        self.plan = plan
        self.planned.emit()

    def write(self) -> None:
        """Write the plan; judging goes on meanwhile."""
        plan = self.plan
        if plan is None or self.is_writing:
            return

        def work(handle: JobHandle) -> None:
            write_import(
                self._session, plan, progress=handle.report, is_cancelled=handle.is_cancelled
            )

        self._writing = self._jobs.submit(
            work,
            lambda _nothing: self._finish(plan),
            self._stop,
            self.progressed.emit,
            owner=self,
        )

    def _finish(self, plan: ImportPlan) -> None:
        self._writing = None
        self._session.finish_import(plan.title)
        self.finished.emit(done_sentence(plan))

    def _stop(self, error: Exception) -> None:
        self._writing = None
        if isinstance(error, JudgetoolError):
            self.stopped.emit(str(error))
            return
        self.stopped.emit("Something unexpected happened. Nothing of the import was kept.")
        raise error

    def cancel_writing(self) -> None:
        """Ask the writing to stop; ``stopped`` or ``finished`` says what became of it."""
        if self._writing is not None:
            self._writing.cancel()

    def _look_for_drops(self) -> None:
        if self._writing is not None and self._writing.is_dropped:
            self._writing = None
            self.abandoned.emit()

    def drop_all(self) -> None:
        """Stop reading and planning; nothing more is delivered of them."""
        for job in (self._planning, *(file.job for file in self.files)):
            if job is not None:
                job.drop()


def _plan(
    session: Session,
    readings: Sequence[Reading],
    assessor: str,
    known: frozenset[str],
    handle: JobHandle,
) -> _Planned:
    """Plan and look through the plan, on the worker."""
    plan = plan_import(session, readings, assessor=assessor)
    described = {document.id for reading in readings for document in reading.documents}
    looks = []
    for report in plan.files:
        handle.check()
        strange = sorted(document_ids_of(report.reading) - described)
        looks.append(
            _Look(
                find_findings(report, session.scale, known_queries=known),
                strange[:MAX_LOOKED_UP],
                len(strange) <= MAX_LOOKED_UP,
            )
        )
    return plan, looks
