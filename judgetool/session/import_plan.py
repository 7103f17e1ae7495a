"""What an import would do: worked out before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from judgetool.core.documents import Document
from judgetool.core.judgments import Judgment, JudgmentKey, State
from judgetool.core.queries import Query
from judgetool.core.scale import Scale, format_grade
from judgetool.formats import JudgmentTable, Kind, Reading, Refusal, RunTable
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import find_judgment
from judgetool.storage.material import find_numbers, load_document, load_queries, load_runs
from judgetool.storage.values import load_assessors


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment that an import brings, by external ids."""

    query_id: str
    document_id: str
    assessor: str
    judgment: Judgment


@dataclass(slots=True)
class FileReport:
    """What one file would bring, or has brought.

    Attributes:
        reading: what was read.
        n_records: queries, documents, results or judgments that were understood.
        n_new: of these, not in the project before.
        n_changed: of these, different from what the project has.
        n_refused: lines left out, by the reader or because they do not fit the project.
        refusals: the first of them.
        notes: sentences about what was decided.
    """

    reading: Reading
    n_records: int = 0
    n_new: int = 0
    n_changed: int = 0
    n_refused: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def n_unchanged(self) -> int:
        """Records that the project has already, just so."""
        return self.n_records - self.n_new - self.n_changed


@dataclass(slots=True)
class ImportPlan:
    """All that an import would write.

    Attributes:
        files: a report for each file.
        queries: to be added or given another text.
        documents: likewise.
        runs: to be added, with the names they will have and their sources.
        judgments: to be added or changed.
        import_assessors: names that stand for files, not for people.
    """

    files: list[FileReport] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    runs: list[tuple[str, str, RunTable]] = field(default_factory=list)
    judgments: list[NewJudgment] = field(default_factory=list)
    import_assessors: set[str] = field(default_factory=set)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.queries or self.documents or self.runs or self.judgments)

    @property
    def n_records(self) -> int:
        """How many records were understood, in all files."""
        return sum(report.n_records for report in self.files)

    @property
    def title(self) -> str:
        """For the history: ``Import of 3 files``."""
        if len(self.files) == 1:
            return f"Import of {PurePath(self.files[0].reading.source).name}"
        return f"Import of {len(self.files)} files"


class Planner:
    """Works out a plan against the present state of a project.

    Args:
        reader: a connection of the calling thread.
        scale: the project's scale.
        assessor: whose judgments those are that name nobody; ``""`` names them by
            their file.
    """

    def __init__(self, reader: Connection, *, scale: Scale, assessor: str = "") -> None:
        self._reader = reader
        self._scale = scale
        self._assessor = assessor
        self._known_queries = {query.id: query for _, query in load_queries(reader)}
        self._run_names = {run.name for run in load_runs(reader)}
        self._assessor_numbers = {row.name: row.assessor_id for row in load_assessors(reader)}
        self._plan = ImportPlan()

    def plan(self, readings: Sequence[Reading]) -> ImportPlan:
        """Return what importing these files together would do."""
        # Texts first, whatever the order of the files: a run's bare query ids must not
        # hide the text that another file has for them.
        for reading in sorted(readings, key=lambda reading: reading.kind is not Kind.QUERIES):
            report = FileReport(
                reading,
                n_refused=reading.n_refused,
                refusals=list(reading.refusals),
                notes=list(reading.notes),
            )
            self._plan.files.append(report)
            self._plan_queries(report)
            self._plan_documents(report)
            self._plan_runs(report)
            self._plan_judgments(report)
        self._plan.files.sort(key=lambda report: readings.index(report.reading))
        return self._plan

    def _plan_queries(self, report: FileReport) -> None:
        for query in report.reading.queries:
            known = self._known_queries.get(query.id)
            if known != query:
                self._plan.queries.append(query)
            if report.reading.kind is Kind.QUERIES:
                self._count(report, is_new=known is None, is_changed=known != query)
            self._known_queries[query.id] = query

    def _plan_documents(self, report: FileReport) -> None:
        documents = report.reading.documents
        numbers = find_numbers(self._reader, "documents", [doc.id for doc in documents])
        for document in documents:
            number = numbers.get(document.id)
            before = None if number is None else load_document(self._reader, number)
            is_new = before is None or not before.has_text
            if before != document:
                self._plan.documents.append(document)
            if report.reading.kind is Kind.DOCUMENTS:
                self._count(report, is_new=is_new, is_changed=before != document)

    @staticmethod
    def _count(report: FileReport, *, is_new: bool, is_changed: bool) -> None:
        report.n_records += 1
        report.n_new += is_new
        report.n_changed += is_changed and not is_new

    def _plan_runs(self, report: FileReport) -> None:
        for run in report.reading.runs:
            name = self._free_name(run.name or PurePath(report.reading.source).stem)
            if name != run.name and run.name:
                report.notes.append(
                    f"A run {run.name!r} exists already; this one is named {name!r}."
                )
            self._run_names.add(name)
            self._plan.runs.append((name, report.reading.source, run))
            self._add_bare_queries(run.query_ids)
            report.n_records += len(run.documents)
            report.n_new += len(run.documents)

    def _free_name(self, name: str) -> str:
        candidate, number = name, 2
        while candidate in self._run_names:
            candidate, number = f"{name} ({number})", number + 1
        return candidate

    def _add_bare_queries(self, query_ids: Sequence[str]) -> None:
        for query_id in query_ids:
            if query_id not in self._known_queries:
                query = Query(query_id)
                self._known_queries[query_id] = query
                self._plan.queries.append(query)

    def _plan_judgments(self, report: FileReport) -> None:
        table = report.reading.judgments
        if table is None:
            return
        file_assessor = self._assessor or PurePath(report.reading.source).stem
        if not self._assessor:
            self._plan.import_assessors.add(file_assessor)
        query_numbers = find_numbers(self._reader, "queries", list(set(table.query_ids)))
        document_numbers = find_numbers(self._reader, "documents", list(set(table.document_ids)))
        n_pooled = 0
        for row in range(len(table)):
            judgment = self._judgment_of(report, table, row)
            if judgment is None:
                n_pooled += (table.grades[row] or 0) < 0
                continue
            new = NewJudgment(
                table.query_ids[row],
                table.document_ids[row],
                table.assessors[row] or file_assessor,
                judgment,
            )
            before = self._find_before(new, query_numbers, document_numbers)
            self._count(report, is_new=before is None, is_changed=before != judgment)
            if before != judgment:
                self._plan.judgments.append(new)
        self._add_bare_queries(list(dict.fromkeys(table.query_ids)))
        if n_pooled:
            report.notes.append(
                f"{n_pooled:,} lines have a negative grade: pooled, not judged. They stay unjudged."
            )

    def _judgment_of(self, report: FileReport, table: JudgmentTable, row: int) -> Judgment | None:
        grade, note = table.grades[row], table.notes[row]
        state = State(table.states[row] or (State.UNJUDGED if grade is None else State.JUDGED))
        if grade is None:
            judgment = Judgment(state, None, note)
            return None if judgment.is_blank else judgment
        if grade < 0:
            return None
        if self._scale.find_level(grade) is None:
            report.n_refused += 1
            reason = f"grade {format_grade(grade)} is not on this scale ({self._scale.label})"
            report.refusals.append(Refusal(table.lines[row], reason))
            return None
        return Judgment(State.JUDGED, grade, note)

    def _find_before(
        self, new: NewJudgment, query_numbers: dict[str, int], document_numbers: dict[str, int]
    ) -> Judgment | None:
        query = query_numbers.get(new.query_id)
        document = document_numbers.get(new.document_id)
        assessor = self._assessor_numbers.get(new.assessor)
        if query is None or document is None or assessor is None:
            return None
        found = find_judgment(self._reader, JudgmentKey(query, document, assessor))
        return found.judgment if found else None
