"""What an import would do: plain values, worked out by the planner, written by the writer."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath

from judgetool.core.documents import Document
from judgetool.core.judgments import Judgment
from judgetool.core.queries import Query
from judgetool.formats import Reading, Refusal, RunTable
from judgetool.session.imports.matching import IdMatch

# As many as a reading keeps of its own.
MAX_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class NewJudgment:
    """A judgment that an import brings, by external ids.

    Attributes:
        at: when it was made, milliseconds UTC; ``None``: the time of the import counts.
        spent_ms: how long the document was in view, where the file says so.
    """

    query_id: str
    document_id: str
    assessor: str
    judgment: Judgment
    at: int | None = None
    spent_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A judgment of a file that is not what the same assessor has said here.

    Attributes:
        line: where it stands in the file, from 1; ``None`` if that is not known.
        theirs: what the file says.
        mine: what the project, or an earlier file of the import, says.
    """

    line: int | None
    theirs: NewJudgment
    mine: Judgment


@dataclass(slots=True)
class FileReport:
    """What one file would bring, or has brought.

    Attributes:
        reading: what was read.
        n_records: queries, documents, results or judgments that were understood.
        n_new: of these, not in the project before.
        n_changed: of these, different from what the project has, which they replace.
        n_repeated: of these, in an earlier file of the import already, just so.
        n_refused: lines left out, by the reader or because they do not fit the project.
        refusals: the first 1,000 of them.
        notes: sentences about what was decided.
        n_conflicts: judgments that are not what the same assessor has said already.
        conflicts: the first 1,000 of them.
        n_here: judgments whose assessor has judged the same pair already, conflicts included.
        n_pooled: lines with a negative grade: pooled, not judged.
        off_scale: grades that the scale does not have, and how many were left out for it.
        mapped: grades that stand for others of the scale, and how many were mapped.
        matches: how the ids of queries and documents fit to what else is known.
    """

    reading: Reading
    n_records: int = 0
    n_new: int = 0
    n_changed: int = 0
    n_repeated: int = 0
    n_refused: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    n_conflicts: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    n_here: int = 0
    n_pooled: int = 0
    off_scale: Counter[float] = field(default_factory=Counter)
    mapped: Counter[tuple[float, float]] = field(default_factory=Counter)
    matches: tuple[IdMatch, ...] = ()

    @property
    def n_unchanged(self) -> int:
        """Records that leave the project as it is: there already, just so, or kept from it."""
        return self.n_records - self.n_new - self.n_changed

    def count(self, *, is_new: bool, is_changed: bool) -> None:
        """Count a record that was understood."""
        self.n_records += 1
        self.n_new += is_new
        self.n_changed += is_changed and not is_new

    def refuse(self, line: int | None, reason: str) -> None:
        """Note that a line is left out: all are counted, the first 1,000 kept."""
        self.n_refused += 1
        if len(self.refusals) < MAX_KEPT:
            self.refusals.append(Refusal(line, reason))

    def add_conflict(self, conflict: Conflict) -> None:
        """Note a conflict: all are counted, the first 1,000 kept."""
        self.n_conflicts += 1
        if len(self.conflicts) < MAX_KEPT:
            self.conflicts.append(conflict)


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
        image_folder: where the documents' pictures are, as the project keeps it; ``""``
            where they have none.
    """

    files: list[FileReport] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    runs: list[tuple[str, str, RunTable]] = field(default_factory=list)
    judgments: list[NewJudgment] = field(default_factory=list)
    import_assessors: set[str] = field(default_factory=set)
    image_folder: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.queries or self.documents or self.runs or self.judgments)

    @property
    def n_records(self) -> int:
        """How many records were understood, in all files."""
        return sum(report.n_records for report in self.files)

    @property
    def n_conflicts(self) -> int:
        """How many judgments are not what the same assessor has said already, in all files."""
        return sum(report.n_conflicts for report in self.files)

    @property
    def title(self) -> str:
        """For the history: ``Import of 3 files``."""
        if len(self.files) == 1:
            return f"Import of {PurePath(self.files[0].reading.source).name}"
        return f"Import of {len(self.files)} files"
