"""What a person decides about an import, and what it would do: plain values.

Worked out by the planner, written by the writer.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath
from typing import Any, NamedTuple

from judgetool.core.judgments import Document, Judgment, Query
from judgetool.formats import ClickRow, Question, Reading, Refusal, RunTable
from judgetool.formats.judgments import find_whose
from judgetool.formats.values import Wishes
from judgetool.session.imports.matching import IdMatch, Kept


class Conflicts(StrEnum):
    """Which judgment stays when an assessor has judged a pair here and otherwise in a file."""

    MINE = "mine"
    """The project's."""
    THEIRS = "theirs"
    """The file's."""
    BOTH = "both"
    """Both: the file's under another assessor's name, as a dispute."""


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """Decisions about one import.

    Attributes:
        assessor: whose judgments those are that name nobody; ``""`` names them by
            their file.
        conflicts: which judgment stays where file and project differ.
        grade_map: grades of the files, and the grades of the scale they stand for.
        file_grade_maps: likewise for single files, by their source; these go first.
        answers: to questions that the files leave open beside this project, by name.
        file_answers: likewise for single files, by their source; these go first.
        id_maps: by ``query`` and ``document``, ids of the files and those of the project
            that they stand for.
    """

    assessor: str = ""
    conflicts: Conflicts = Conflicts.MINE
    grade_map: Mapping[float, float] = field(default_factory=dict)
    file_grade_maps: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    file_answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    id_maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def grade_map_of(self, source: str) -> dict[float, float]:
        """Return what the grades of one file stand for; empty: what they are."""
        return {**self.grade_map, **self.file_grade_maps.get(source, {})}

    def answered(self, source: str, question: Question) -> Question:
        """Return a question about a file with what was said, if that is one of its choices."""
        said = {**self.answers, **self.file_answers.get(source, {})}
        return Wishes(said).answered(question)


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


@dataclass(frozen=True, slots=True)
class TextConflict:
    """A text of a file that is not what is there already of the same query or document.

    Attributes:
        noun: ``query`` or ``document``.
        id: of it.
        field: ``text``, ``title``, ``description`` …, or the name of a further field.
        mine: what the project, or an earlier file of the import, says.
        theirs: what the file says.
    """

    noun: str
    id: str
    field: str
    mine: str
    theirs: str


@dataclass(slots=True)
class TextCounts:
    """Queries or documents that a file brings beside what it is about.

    Attributes:
        n_new: not in the project before, or without a text.
        n_changed: of which something is filled in, or replaced.
        n_again: of the changed, those that an earlier file of the import brings, too.
        n_unchanged: that are there just so, or of which nothing is known but the id.
    """

    n_new: int = 0
    n_changed: int = 0
    n_again: int = 0
    n_unchanged: int = 0


class OffScale(NamedTuple):
    """The first judgment of a file that has some grade which the scale lacks.

    Attributes:
        refusal: of its line, or of a file without lines.
        query: its external id.
        document: its external id.
    """

    refusal: Refusal
    query: str
    document: str


@dataclass(slots=True)
class FileReport:
    """What one file would bring, or has brought.

    Attributes:
        reading: what was read.
        taken: the same by the ids of the project, where they are joined.
        n_records: queries, documents, results or judgments that were understood.
        n_new: of these, not in the project before.
        n_changed: of these, those that fill in or replace what the project, or an earlier file of
            the import, has.
        n_again: of the changed, those that an earlier file of the import brings, too.
        n_repeated: of these, in an earlier file of the import already, just so.
        refusals: lines left out, by the reader or because they do not fit the project.
        notes: sentences about what was decided.
        conflicts: judgments that are not what the same assessor has said already.
        differing: judgments that name nobody and are not what others have said here, each
            with one of the others' judgments.
        n_tied: documents of queries to which the file makes several assessors give different
            grades as the last ones, at the same time; less those of earlier files that it outdates.
        n_here: judgments whose assessor has judged the same pair already, conflicts included.
        n_cannot_judge: judgments that say that a document cannot be judged.
        by_assessor: of the judgments among the records, how many whom the file names made.
        n_pooled: lines with a negative grade: pooled, not judged.
        off_scale: grades that the scale does not have, and how many were left out for it.
        off_scale_first: the first line, or else query and document, of each of them.
        mapped: grades that stand for others of the scale, and how many were mapped.
        matches: how the ids of queries and documents fit to what else is known.
        texts: what the file brings of queries and documents besides, by ``query`` and
            ``document``; empty where it is about them.
        text_conflicts: texts that are not what is there already.
        questions: what the file leaves open beside this project, answered or not.
    """

    reading: Reading
    n_records: int = 0
    n_new: int = 0
    n_changed: int = 0
    n_again: int = 0
    n_repeated: int = 0
    conflicts: Kept[Conflict] = field(default_factory=Kept)
    differing: Kept[Conflict] = field(default_factory=Kept)
    n_tied: int = 0
    n_here: int = 0
    n_cannot_judge: int = 0
    n_pooled: int = 0
    by_assessor: Counter[str] = field(default_factory=Counter)
    off_scale: Counter[float] = field(default_factory=Counter)
    off_scale_first: dict[float, OffScale] = field(default_factory=dict)
    mapped: Counter[tuple[float, float]] = field(default_factory=Counter)
    matches: tuple[IdMatch, ...] = ()
    texts: dict[str, TextCounts] = field(default_factory=dict)
    text_conflicts: Kept[TextConflict] = field(default_factory=Kept)
    questions: list[Question] = field(default_factory=list)
    taken: Reading = field(init=False)
    refusals: Kept[Refusal] = field(init=False)
    notes: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.taken = self.reading
        self.refusals = Kept(self.reading.refusals, self.reading.n_refused)
        self.notes = list(self.reading.notes)

    @property
    def all_questions(self) -> tuple[Question, ...]:
        """What the file leaves open, by itself and beside this project."""
        whose = () if self.reading.judgments is None else (find_whose(self.reading),)
        return (*self.reading.open_questions, *self.questions, *whose)

    @property
    def is_waiting(self) -> bool:
        """Whether something has to be answered before all of the file can be taken."""
        return any(question.is_open for question in self.all_questions)

    @property
    def n_all_new(self) -> int:
        """What is new, texts that come along included."""
        return self.n_new + sum(counts.n_new for counts in self.texts.values())

    @property
    def n_all_changed(self) -> int:
        """What changes, texts that come along included."""
        return self.n_changed + sum(counts.n_changed for counts in self.texts.values())

    @property
    def n_all_again(self) -> int:
        """What an earlier file of the import brings, too, and this one changes."""
        return self.n_again + sum(counts.n_again for counts in self.texts.values())

    @property
    def n_judgments(self) -> int:
        """Of the records, those that are no results of its runs."""
        return self.n_records - sum(len(run.documents) for run in self.reading.runs)

    @property
    def is_refused(self) -> bool:
        """Whether all that the file says is left out: each line, or each grade beside its runs."""
        is_without_grades = bool(self.off_scale) and self.n_judgments <= 0
        return bool(self.refusals.n) and (not self.n_records or is_without_grades)

    @property
    def n_unchanged(self) -> int:
        """Records that leave the project as it is: there already, just so, or kept from it."""
        return self.n_records - self.n_new - self.n_changed

    def count(
        self, *, is_new: bool, is_changed: bool, is_again: bool = False, beside: str = ""
    ) -> None:
        """Count a record that was understood.

        Args:
            is_new: whether it is not in the project yet.
            is_changed: whether it is that, or fills in or replaces what is.
            is_again: whether an earlier file of the import brings it, too; then it is not new.
            beside: ``query`` or ``document`` where it comes along with what the file is about.
        """
        is_new = is_new and not is_again
        counts: FileReport | TextCounts = self
        if beside:
            counts = texts = self.texts.setdefault(beside, TextCounts())
            texts.n_unchanged += not is_changed
        else:
            self.n_records += 1
        counts.n_new += is_new and is_changed
        counts.n_changed += is_changed and not is_new
        counts.n_again += is_changed and is_again


@dataclass(slots=True)
class ImportPlan:
    """All that an import would write.

    Attributes:
        files: a report for each file.
        queries: to be added or given another text.
        documents: likewise.
        runs: to be added, with the names they will have and their sources.
        judgments: to be added or changed.
        clicks: impressions and clicks of pairs that are new or other than here.
        import_assessors: names that stand for files, not for people.
        assessor_kinds: ``model`` or ``settled`` by name, of assessors of which that was said.
        image_folder: where the documents' pictures are, as the project keeps it; ``""``
            where they have none.
        values: of the project, to be set: what is to be judged besides.
        replaced: runs of the project that go, by name: the number of the one whose place
            the run of this name in ``runs`` takes.
        kept_folders: of documents that get a text and keep the picture of the project,
            the folder of that, by number.
    """

    files: list[FileReport] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    runs: list[tuple[str, str, RunTable]] = field(default_factory=list)
    judgments: list[NewJudgment] = field(default_factory=list)
    clicks: list[ClickRow] = field(default_factory=list)
    import_assessors: set[str] = field(default_factory=set)
    assessor_kinds: dict[str, str] = field(default_factory=dict)
    image_folder: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    replaced: dict[str, int] = field(default_factory=dict)
    kept_folders: dict[int, str] = field(default_factory=dict)

    @property
    def is_waiting(self) -> bool:
        """Whether a question about one of the files is open."""
        return any(report.is_waiting for report in self.files)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        texts = self.queries or self.documents
        said = self.judgments or self.clicks or self.values
        return not (texts or self.runs or said)

    def total(self, count: Callable[[FileReport], int]) -> int:
        """Return a count of all files together."""
        return sum(map(count, self.files))

    @property
    def n_records(self) -> int:
        """How many records were understood."""
        return self.total(lambda report: report.n_records)

    @property
    def n_new(self) -> int:
        """What is new, texts that come along included."""
        return self.total(lambda report: report.n_all_new)

    @property
    def n_changed(self) -> int:
        """What changes of what the project has, texts that come along included."""
        return self.total(lambda report: report.n_all_changed - report.n_all_again)

    @property
    def n_refused(self) -> int:
        """How many lines are left out."""
        return self.total(lambda report: report.refusals.n)

    @property
    def n_pooled(self) -> int:
        """How many lines say that something is to be judged, and no more."""
        return self.total(lambda report: report.n_pooled + len(report.reading.pool))

    @property
    def n_conflicts(self) -> int:
        """How many judgments are not what the same assessor has said already."""
        return self.total(lambda report: report.conflicts.n)

    @property
    def n_text_conflicts(self) -> int:
        """How many texts are not what is there already."""
        return self.total(lambda report: report.text_conflicts.n)

    @property
    def n_tied(self) -> int:
        """Documents of queries of which the highest of different grades of the same time is the latest."""
        return self.total(lambda report: report.n_tied)

    @property
    def title(self) -> str:
        """For the history: ``Import of 3 files``."""
        if len(self.files) == 1:
            return f"Import of {PurePath(self.files[0].reading.source).name}"
        return f"Import of {len(self.files)} files"
