"""What writers are given, and what is known of each of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.core.scale import Scale
from judgetool.formats.values import ClickRow, JudgmentRow, RunRow
from judgetool.formats.writers.choices import ExportChoices


class Subject(StrEnum):
    """What a format is about: which part of a project its writer needs."""

    GRADES = "grades"
    """One grade for each query and document."""
    JUDGMENTS = "judgments"
    """Everything that was said, by whom."""
    RUN = "run"
    QUERIES = "queries"
    DOCUMENTS = "documents"
    """All documents that have a text."""
    CLICKS = "clicks"
    REPORT = "report"
    """Values of runs."""


class Option(StrEnum):
    """Choices that make a difference to a format; named as in :class:`ExportChoices`."""

    CANNOT_JUDGE = "cannot_judge"
    FRACTIONS = "fractions"
    NUMBERS = "numbers"
    FORMULAS = "formulas"
    TARGET = "target"
    CONVENTIONS = "conventions"
    DIGITS = "digits"


class FoldedRow(NamedTuple):
    """What counts for a (query, document) in a view.

    Attributes:
        query: the query in full, for formats that know it by its text.
        document_id: external id.
        grade: ``None`` when it was only said to be impossible to judge.
    """

    query: Query
    document_id: str
    grade: float | None


@dataclass(frozen=True, slots=True)
class RunSource:
    """A run whose results are made only while they are written.

    Attributes:
        name: of the run.
        n_results: how many there are.
        iter_rows: yields them, a query's rows together, best first.
    """

    name: str
    n_results: int
    iter_rows: Callable[[], Iterator[RunRow]]


@dataclass(frozen=True, slots=True)
class ReportRow:
    """The values of one run.

    Attributes:
        run: its name.
        values: one for each measure; ``None`` where undefined.
        n_queries: over how many queries each is, one for each measure.
    """

    run: str
    values: Sequence[float | None]
    n_queries: Sequence[int]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Runs by measures.

    Attributes:
        title: of the project.
        measures: names of the columns.
        are_counts: whether each column holds whole numbers (sums, not means).
        rows: a row for each run.
        sentences: judgments, scale and conventions, one sentence each.
    """

    title: str
    measures: Sequence[str]
    are_counts: Sequence[bool]
    rows: Sequence[ReportRow]
    sentences: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ExportMaterial:
    """The part of a project that is to be written.

    Attributes:
        queries: all of them, in order.
        scale: by which grades are read.
        folded: what counts, by query and document id.
        judgments: everything said, by query, document id and assessor.
        assessors: who has judged, first known first.
        run: the run to be written.
        report: values to be written.
        clicks: impressions and clicks, by query, document and position.
        n_documents: how many documents have a text.
        iter_documents: yields those, while the project is open.
        find_documents: returns documents by id, of some ids.
        notes: what is to be said of the file; writers add to it.
    """

    queries: Sequence[Query]
    scale: Scale
    folded: Sequence[FoldedRow] = ()
    judgments: Sequence[JudgmentRow] = ()
    assessors: Sequence[str] = ()
    run: RunSource | None = None
    report: ReportTable | None = None
    clicks: Sequence[ClickRow] = ()
    n_documents: int = 0
    iter_documents: Callable[[], Iterator[Document]] = lambda: iter(())
    find_documents: Callable[[Sequence[str]], Mapping[str, Document]] = lambda _ids: {}
    notes: list[str] = field(default_factory=list)


Chunks: TypeAlias = Iterator[str] | Iterator[bytes]
Writer: TypeAlias = Callable[[ExportMaterial, ExportChoices], Chunks]


@dataclass(frozen=True, slots=True)
class WriterFormat:
    """One layout that judgetool writes.

    Attributes:
        name: as given on the command line.
        title: as shown in the window.
        subject: what it is about.
        endings: of file names, the usual one first.
        carries: a sentence on what a file holds, and who reads it.
        loses: what of it a file cannot hold, a sentence; ``""`` where nothing is lost.
        writer: yields the file's beginning first; raises InputError, in words, where
            something cannot be written.
        options: which choices make a difference.
        read_as: the format of :data:`judgetool.formats.FORMATS` that reads it back;
            ``""`` where judgetool does not.
        is_binary: whether the file is no text.
        has_grades_only: whether judgments without a grade are left out.
        beside: what stands in further files that its readers need, by the ending that
            their names have behind the file's.
    """

    name: str
    title: str
    subject: Subject
    endings: tuple[str, ...]
    carries: str
    loses: str
    writer: Writer
    options: frozenset[Option] = frozenset()
    read_as: str = ""
    is_binary: bool = False
    has_grades_only: bool = False
    beside: Mapping[str, Writer] = field(default_factory=dict)
