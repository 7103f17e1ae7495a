"""What was read from a file, and what is written to one."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from judgetool.core.held_files import FileState
from judgetool.core.judgments import Document, Query, Span
from judgetool.core.number_text import local_count, number_of
from judgetool.core.system import lack_of_extra
from judgetool.errors import InputError, ParseError
from judgetool.wording import N_, _

MAX_REFUSALS_KEPT = 1000
N_SAMPLE_ROWS = 20
MAX_COLUMNS = 10_000
DATE_ORDER = "date_order"
"""The question what stands first in dates such as 04/02/2026."""
_N_QRELS = 4
_ITERATION = re.compile(r"Q?[0-9.]+", re.IGNORECASE)


def no_parquet() -> str:
    """Return a sentence for a Parquet file where nothing reads or writes such."""
    lack = lack_of_extra(_("Parquet files need"), "pyarrow", "parquet")
    return _("{lack} A CSV file needs nothing.").format(lack=lack)


KnownIds = Callable[[Sequence[str]], Collection[str]]


class Kind(StrEnum):
    """What a file is about."""

    QUERIES = "queries"
    DOCUMENTS = "documents"
    RUN = "run"
    JUDGMENTS = "judgments"
    RESULTS = "results"
    """Ranked results with their queries and texts inside, in one table."""
    CLICKS = "clicks"
    """How often documents were shown for queries, and clicked."""


class FileLayout(StrEnum):
    """How lines are built."""

    COLUMNS = "columns"
    """Columns without a header."""
    TABLE = "table"
    """A header line names the columns."""
    JSON_LINES = "json lines"
    """One JSON object on each line."""
    JSON_VALUE = "json value"
    """One JSON value fills the file."""
    MARKUP = "markup"
    """Tags in angle brackets."""
    TEXT_LINES = "text lines"
    """A text on each line, perhaps after an id."""
    FOLDER = "folder"
    """Files in a folder."""


class LineParts(NamedTuple):
    """A line of a text, whole and in parts.

    Attributes:
        text: the line.
        columns: parted at blanks.
        cells: parted at tabs.
    """

    text: str
    columns: Sequence[str]
    cells: Sequence[str]

    @property
    def has_blank_ids(self) -> bool:
        """Whether tabs part it into three or four, and blanks belong to what stands between them.

        Tabs and blanks may part columns in one line, too: then TREC's iteration or Q0 is second.
        """
        if not (2 < len(self.cells) <= _N_QRELS and len(self.cells) < len(self.columns)):
            return False
        second = self.columns[1]
        is_qrels = len(self.columns) == _N_QRELS and _ITERATION.fullmatch(second)
        return not (is_qrels or second.upper() == "Q0")


class ReadingCancelledError(InputError):
    """Whoever asked for the file wants it no more; nothing of it was kept."""


class ColumnUse(NamedTuple):
    """What one column of a table is taken for.

    Attributes:
        header: as the file spells it; ``column 3`` where it names none.
        role: a role of the file's kind in :data:`judgetool.formats.names.ROLES`,
            such as ``document_id`` or ``grade``; ``field`` for a further field of a
            document or query; ``ignore`` for what is left out.
    """

    header: str
    role: str


class Question(NamedTuple):
    """What a file leaves open, for a person to say.

    Attributes:
        name: by which :func:`judgetool.formats.reading.read_file` is told the answer.
        text: the question, a sentence.
        choices: what may be answered, and what it means in words.
        answer: what reading went by: what was said, or else what does no harm;
            ``""`` when only a person can know: then nothing that hangs on it was read.
    """

    name: str
    text: str
    choices: Mapping[str, str]
    answer: str = ""

    @property
    def is_open(self) -> bool:
        """Whether reading cannot go on without an answer."""
        return not self.answer


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person said of a file before it is read.

    Attributes:
        answers: to questions that an earlier reading left open, by their names.
        column_roles: the role of a column by its header, where what was found out is not what
            is meant; roles stand in :data:`judgetool.formats.names.ROLES`.
        grade_map: the grade that a word (or number) in the grade column stands for, such as
            ``{"Highly relevant": 3, "4": 3}``.
        known_documents: returns those of some ids that the project has: of several columns with
            ids, the one that it knows is meant; ``None`` where there is no project.
        level_names: grades by what the project calls its levels, in lower case: proposed where a
            file's words are these.
        kind: what it is about; ``None`` finds out by its content.
        name: the run's name; ``None`` takes it from the file.
        is_of_several: whether all this is said of several files: an encoding then is that of
            those which are not UTF-8.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    column_roles: Mapping[str, str] = field(default_factory=dict)
    grade_map: Mapping[str, float] = field(default_factory=dict)
    known_documents: KnownIds | None = None
    level_names: Mapping[str, float] = field(default_factory=dict)
    kind: Kind | None = None
    name: str | None = None
    is_of_several: bool = False

    def answered(self, question: Question) -> Question:
        """Return the question with what was said, if that is one of its choices."""
        said = self.answers.get(question.name, "")
        return question._replace(answer=said) if said in question.choices else question


class Wished(TypedDict, total=False):
    """The same as arguments, of which any may be missing."""

    answers: Mapping[str, str]
    column_roles: Mapping[str, str]
    grade_map: Mapping[str, float]
    known_documents: KnownIds | None
    level_names: Mapping[str, float]
    kind: Kind | None
    name: str | None
    is_of_several: bool


class SeveralFilesError(ParseError):
    """A zip file with several files in it, each to be read by itself.

    Attributes:
        members: their names; one of them is the answer to the question ``member``.
    """

    def __init__(self, members: Sequence[str], *, source: str) -> None:
        self.members = tuple(members)
        some = ", ".join(members[:8]) + (" …" if len(members) > 8 else "")
        super().__init__(
            _(
                "it holds {members} files ({some}). Say which of them is meant, as in "
                "‘{source}/{first}’, or unpack it and read them one by one. Nothing was "
                "kept."
            ).format(
                members=local_count(len(members)),
                some=some,
                source=source,
                first=self.members[0],
            ),
            source=source,
        )


class OtherKindError(ParseError):
    """A file that is no such as was asked for.

    Attributes:
        likely: the kind that it looks like; ``None`` where nothing tells it.
    """

    def __init__(
        self, reason: str, *, source: str, line: int | None = 1, likely: Kind | None
    ) -> None:
        self.likely = likely
        super().__init__(reason, source=source, line=line)


class ColumnsNeededError(OtherKindError):
    """A table whose columns do not tell what it holds, or not rightly: a person can say it.

    Attributes:
        columns: its headers, with what is known of their roles.
        sample_rows: the first rows, a text for each column.
        questions: what else a person can say: whether the first line is a header.
        found: the reason without what to say, for who cannot be told; ``""`` where it says nothing
            of that.
    """

    def __init__(  # noqa: PLR0913 - a person is shown all of it
        self,
        reason: str,
        *,
        source: str,
        columns: Sequence[ColumnUse],
        sample_rows: Sequence[Sequence[str]],
        questions: Sequence[Question] = (),
        line: int | None = 1,
        found: str = "",
        likely: Kind | None = None,
    ) -> None:
        self.found = found
        self.questions = tuple(questions)
        self.columns = tuple(columns)
        self.sample_rows = tuple(tuple(row) for row in sample_rows)
        super().__init__(reason, source=source, line=line, likely=likely)


class Refusal(NamedTuple):
    """A line that was left out.

    Attributes:
        line: line number, from 1; ``None`` when no single line is meant.
        reason: why, without a full stop, such as "expected 6 columns, found 5".
        clash: the same without what counts in its place, for who then uses nothing of the file;
            ``""`` where no other line does.
    """

    line: int | None
    reason: str
    clash: str = ""


@dataclass(frozen=True, slots=True)
class RunTable:
    """One system's rankings, best first, for all its queries (CSR).

    The results of query ``i`` stand at ``offsets[i]`` to ``offsets[i + 1]``.

    Attributes:
        name: the system's name.
        query_ids: queries with at least one result, in order of first appearance.
        offsets: int64, shape (n_queries + 1,).
        document_ids: the distinct documents' ids.
        documents: positions in ``document_ids``, int32, shape (n_results,).
        scores: float64, shape (n_results,); ``None`` if the file gave none.
    """

    name: str
    query_ids: list[str]
    offsets: npt.NDArray[np.int64]
    document_ids: list[str]
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64] | None

    def by_query(self) -> dict[str, dict[str, float] | list[str]]:
        """Return the scores by query and document, without scores each query's documents, best first."""
        found: dict[str, dict[str, float] | list[str]] = {}
        for place, query in enumerate(self.query_ids):
            part = slice(self.offsets[place], self.offsets[place + 1])
            ids = [self.document_ids[each] for each in self.documents[part]]
            if self.scores is None:
                found[query] = ids
            else:
                found[query] = dict(zip(ids, self.scores[part].tolist(), strict=True))
        return found


@dataclass(frozen=True, slots=True)
class JudgmentTable:
    """Judgments as parallel columns, in the file's order.

    Attributes:
        query_ids: external ids, shape (n,).
        document_ids: external ids, shape (n,).
        grades: ``None`` where the row gives no grade.
        assessors: ``None`` where the file names nobody.
        states: a value of :class:`judgetool.core.judgments.State`; ``None`` where
            the file says nothing of it.
        notes: ``""`` where there is none.
        lines: the line that each row stood on, from 1; ``None`` where a file has no
            lines to speak of (JSON).
        details: what else is said, by the place of the row, of those of which
            anything is: most files say nothing.
    """

    query_ids: list[str] = field(default_factory=list)
    document_ids: list[str] = field(default_factory=list)
    grades: list[float | None] = field(default_factory=list)
    assessors: list[str | None] = field(default_factory=list)
    states: list[str | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    details: dict[int, "Details"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.query_ids)

    def add(self, row: "JudgmentRow", *, line: int | None) -> None:
        """Append a judgment and the line it stood on; empty texts stand for nothing said."""
        if row.details != NO_DETAILS:
            self.details[len(self)] = row.details
        self.lines.append(line)
        self.query_ids.append(row.query_id)
        self.document_ids.append(row.document_id)
        self.grades.append(row.grade)
        self.assessors.append(row.assessor or None)
        self.states.append(row.state or None)
        self.notes.append(row.note)

    def by_query(self) -> dict[str, dict[str, float]]:
        """Return the grades by query and document, without judgments that give none.

        Raises:
            InputError: a document has two grades, as of two assessors.
        """
        found: dict[str, dict[str, float]] = {}
        for query, document, grade in zip(
            self.query_ids, self.document_ids, self.grades, strict=True
        ):
            if grade is None:
                continue
            if found.setdefault(query, {}).setdefault(document, grade) != grade:
                raise InputError(
                    _(
                        "Document ‘{document}’ of query ‘{query}’ has more than one grade. Keep the "
                        "grade of one assessor, or the one that counts."
                    ).format(document=document, query=query)
                )
        return found

    def row(self, place: int) -> "JudgmentRow":
        """Return the judgment at a place, as it was added."""
        return JudgmentRow(
            self.query_ids[place],
            self.document_ids[place],
            self.assessors[place] or "",
            self.grades[place],
            self.states[place] or "",
            self.notes[place],
            self.details.get(place, NO_DETAILS),
        )


@dataclass(slots=True)
class Reading:
    """What one file held, and how it was understood.

    Attributes:
        source: the file as the user named it.
        kind: what it is about.
        format: a name in :data:`judgetool.formats.registry.FORMATS`; ``""`` while it is not known.
        encoding: ``utf-8``, ``utf-8-sig``, ``utf-16-le`` ...; ``+gzip`` where packed.
        delimiter: what stands between columns; ``None`` where there are none (JSON)
            or any blanks count.
        run_name: how a run is to be called; ``""`` takes the name that the file gives, or its own.
        header_line: the line of a table's header where others stand above it; else 0.
        n_lines: lines of the file, blank ones included.
        n_refused: lines left out, all of them.
        ended_early: whether it was packed, and lacks its end.
        refusals: the first 1,000 of them.
        notes: sentences about what was decided while reading.
        warnings: of these, the doubtful ones, each with a title.
        queries: in the file's order; empty if it holds none.
        documents: likewise.
        runs: likewise; a TREC run gives one.
        judgments: ``None`` if the file is not about judgments.
        pool: (query, document) ids that are to be judged, judged or not, in order.
        clicks: how often documents were shown and clicked; empty if it says nothing of it.
        n_undated: judgments whose times are not understood: they count as made at the import.
        subtopics: (query, document, subtopic, grade) of judgments that are by subtopic.
        samples: (query, document, what, number) of judgments that are a sample: ``stratum``,
            ``probability`` and ``grade``, as far as they are known.
        columns: of a table or of JSON lines; empty for other layouts.
        sample_rows: its first 20 rows as they stand, a text for each of ``columns``, and some later
            ones: the first that has a column of JSON lines.
        headers: the names of all columns that some row has, as far as they are few.
        open_questions: what the file leaves open, answered or not.
        labels: how often each grade came that is a word, mapped or not.
        label_proposal: the grades that known words usually stand for; not applied by
            itself: give them (or others) to ``read_file`` as ``grade_map``.
        wishes: what the person said before reading.
        states: of the plain files that it was read from, what tells them from what they become.
    """

    source: str
    kind: Kind
    format: str
    encoding: str = "utf-8"
    delimiter: str | None = None
    run_name: str = ""
    header_line: int = 0
    n_lines: int = 0
    n_refused: int = 0
    ended_early: bool = False
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: dict[str, str] = field(default_factory=dict)
    queries: list[Query] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    runs: list[RunTable] = field(default_factory=list)
    judgments: JudgmentTable | None = None
    pool: list[tuple[str, str]] = field(default_factory=list)
    clicks: list["ClickRow"] = field(default_factory=list)
    n_undated: int = 0
    subtopics: list[tuple[str, str, str, float]] = field(default_factory=list)
    samples: list[tuple[str, str, str, float]] = field(default_factory=list)
    columns: list[ColumnUse] = field(default_factory=list)
    sample_rows: list[list[str]] = field(default_factory=list)
    headers: dict[str, None] = field(default_factory=dict)
    open_questions: list[Question] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    label_proposal: dict[str, float] = field(default_factory=dict)
    wishes: Wishes = field(default_factory=Wishes)
    states: dict[Path, FileState] = field(default_factory=dict, compare=False)

    @property
    def needs_answers(self) -> bool:
        """Whether a question has to be answered before the file can be used."""
        return any(question.is_open for question in self.open_questions)

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be taken from the file."""
        has_results = any(len(run.documents) for run in self.runs)
        texts = self.queries or self.documents
        return not (texts or has_results or self.judgments or self.pool or self.clicks)

    def ask(self, question: Question) -> str:
        """Put a question on record and return the answer to go by.

        Returns:
            What the person said, if it is one of the choices; else the question's
            own answer, ``""`` when there is none.
        """
        answered = self.wishes.answered(question)
        self.open_questions = [each for each in self.open_questions if each.name != question.name]
        self.open_questions.append(answered)
        return answered.answer

    def answer_to(self, name: str) -> str:
        """Return the answer to go by to a question that was put before; ``""`` if none."""
        return next((each.answer for each in self.open_questions if each.name == name), "")

    def refuse(self, line: int | None, reason: str, clash: str = "") -> None:
        """Note that a line was left out, see :class:`Refusal`: all are counted, the first 1,000 kept."""
        self.n_refused += 1
        if len(self.refusals) < MAX_REFUSALS_KEPT:
            self.refusals.append(Refusal(line, reason, clash))


class ClickRow(NamedTuple):
    """How often a document was shown for a query, and clicked.

    Attributes:
        query_id: external id.
        document_id: external id.
        impressions: how often it was shown, from 0.
        clicks: how often it was clicked, at most as often.
        position: at which rank, from 1; 0 where that is not known.
    """

    query_id: str
    document_id: str
    impressions: int
    clicks: int
    position: int = 0


class RankedResult(NamedTuple):
    """One result to be written; a query's rows stand together, best first."""

    query_id: str
    document_id: str
    score: float | None = None


class Details(NamedTuple):
    """What is said of a judgment besides its grade, state and note.

    Attributes:
        at: when it was made, milliseconds since 1970 in UTC; ``None`` when not known.
        spent_ms: how long the document was in view; ``None`` when not known.
        flagged: marked for discussion.
        confidence: a key of :data:`judgetool.core.judgments.CONFIDENCES`, or ``None``.
        spans: the pieces of the document that led to it, in the order chosen.
        kind: what its assessor is who is no person: ``model`` or ``settled``; else ``""``.
    """

    at: int | None = None
    spent_ms: int | None = None
    flagged: bool = False
    confidence: int | None = None
    spans: tuple[Span, ...] = ()
    kind: str = ""


NO_DETAILS = Details()


class JudgmentRow(NamedTuple):
    """One assessor's judgment in full.

    Attributes:
        assessor: ``""`` where nobody is named.
        grade: ``None`` where there is none (cannot judge, skipped, a note alone).
        state: a value of :class:`judgetool.core.judgments.State`; ``""`` where
            nothing is said of it.
        details: what else is said of it.
    """

    query_id: str
    document_id: str
    assessor: str
    grade: float | None
    state: str = ""
    note: str = ""
    details: Details = NO_DETAILS


SWAPPED = N_("Where the ranks belong stand numbers that fall, and the scores count 1, 2, 3 …")
ARE_SWAPPED = N_("Have ranks and scores changed places?")


def are_swapped(rows: Iterable[tuple[str, float | None, float | None]]) -> bool:
    """Return whether ranks and scores seem to have changed places, in each query.

    The "scores" of a query count from 1, and its "ranks" fall and are not its places; one result
    alone tells nothing, but for a rank that is no whole number.

    Args:
        rows: query, rank and score of results, in the order of the file.

    Returns:
        ``False`` where there are none.
    """
    groups: dict[str, list[tuple[float, float]]] = {}
    for query, rank, score in rows:
        its = groups.setdefault(query, [])
        if rank is None or score != len(its) + 1:
            return False
        its.append((rank, score))
    has_more = any(len(its) > 1 or its[0][0] % 1 for its in groups.values())
    return has_more and all(_is_falling([rank for rank, _score in its]) for its in groups.values())


def _is_falling(ranks: Sequence[float]) -> bool:
    """Whether a query's "ranks" fall, and are not its places."""
    places = range(1, len(ranks) + 1)
    is_flat = len(ranks) > 1 and ranks[0] == ranks[-1]
    is_counted = sorted(ranks) in (list(places), [place - 1 for place in places])
    return all(first >= second for first, second in pairwise(ranks)) and not (is_flat or is_counted)


def raise_first_refusal(reading: Reading) -> None:
    """Refuse the whole file when any line of it was left out: for strict callers.

    Raises:
        ParseError: at least one line was refused; names the first one. Or a question
            is open.
    """
    for question in reading.open_questions:
        if question.is_open and question.name == DATE_ORDER:
            # Grades are scored without their times, too.
            reading.notes.append(f"{_(question.text)} {_(question.choices['unknown'])}.")
        elif question.is_open:
            said = (
                _(
                    "{question} This is not for judgetool to guess. Nothing of the file was used; "
                    "save it as UTF-8, or score or import it with --encoding, which says what it is."
                )
                if question.name == "encoding"
                else _(
                    "{question} This is not for judgetool to guess. Nothing of the file was used; "
                    "import it into a project and say there what it is."
                )
            )
            raise ParseError(said.format(question=_(question.text)), source=reading.source)
    if not reading.n_refused:
        return
    # Duplicates are found last, so the first one found need not be the first in the file.
    first = min(reading.refusals, key=lambda refusal: refusal.line or 0)
    more, why = reading.n_refused - 1, first.clash or first.reason
    said = (
        number_of(
            more,
            "{why}. {n} more line does not fit. Nothing of the file was used.",
            "{why}. {n} more lines do not fit. Nothing of the file was used.",
            why=why,
        )
        if more
        else _("{why}. Nothing of the file was used.").format(why=why)
    )
    raise ParseError(
        said,
        source=reading.source,
        line=first.line,
    )
