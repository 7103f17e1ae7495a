"""What a person decides about an import, and what it would do: plain values, and in words.

Worked out by the planner, written by the writer; said the same in the window and the terminal.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from pathlib import PurePath
from typing import Any, NamedTuple

from judgetool.core.judgments import Document, Judgment, Query, State
from judgetool.core.number_text import local_count, number_of
from judgetool.core.scale import format_grade
from judgetool.formats import ClickRow, Kind, Question, Reading, Refusal, RunTable
from judgetool.formats.judgments import find_whose
from judgetool.formats.values import Wishes
from judgetool.session.board import TIED, tied_title
from judgetool.session.imports.matching import IdMatch, Kept
from judgetool.wording import N_, NN_, _, listed, quoted, visible

# What is decided, and what would be done


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


class NewJudgment(NamedTuple):
    """A judgment that an import brings, by external ids.

    Attributes:
        at: when it was made, milliseconds UTC; ``None``: the time of the import counts.
        spent_ms: how long the document was in view, where the file says so.
        seen: the step that said what the project had of it when it was planned; 0 for nothing.
        mine: what the project had of it then; ``None`` for nothing.
        is_beside: whether it only adds to what the project has, such as a note: who said it when,
            and so which of several judgments is the latest, stays.
    """

    query_id: str
    document_id: str
    assessor: str
    judgment: Judgment
    at: int | None = None
    spent_ms: int | None = None
    seen: int = 0
    mine: Judgment | None = None
    is_beside: bool = False


class Conflict(NamedTuple):
    """A judgment of a file that is not what the same assessor has said here.

    Attributes:
        line: where it stands in the file, from 1; ``None`` if that is not known.
        theirs: what the file says.
        mine: what the project, or an earlier file of the import, says.
    """

    line: int | None
    theirs: NewJudgment
    mine: Judgment


class Overruled(NamedTuple):
    """A judgment of a file that counts instead of the grade that somebody gave here, or in another file.

    Attributes:
        theirs: what the file says.
        assessor: who gave the grade that counted.
        grade: which.
        source: the other file of the import that says so; ``""`` for a grade given here.
    """

    theirs: NewJudgment
    assessor: str
    grade: float
    source: str = ""


class TextConflict(NamedTuple):
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
        clashes: of these, those whose assessor becomes one with that of another line.
        notes: sentences about what was decided.
        conflicts: judgments that are not what the same assessor has said already.
        overruled: judgments that count after the import instead of other grades that others gave
            here, while the latest counts.
        outdated: likewise, instead of other grades that other files of the import bring.
        n_settling: of these, those that count as they were settled.
        n_tied: documents of queries to which the file makes several assessors give different
            grades as the last ones, at the same time; less those of earlier files that it outdates.
        n_left_out: judgments that are otherwise here, and stay so.
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
    clashes: Kept[Refusal] = field(default_factory=Kept)
    conflicts: Kept[Conflict] = field(default_factory=Kept)
    overruled: Kept[Overruled] = field(default_factory=Kept)
    outdated: Kept[Overruled] = field(default_factory=Kept)
    n_settling: int = 0
    n_tied: int = 0
    n_left_out: int = 0
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
        """Of the records, those that are no results of its runs, and no documents of a folder."""
        n_results = sum(len(run.documents) for run in self.reading.runs)
        return self.n_records - n_results - self._n_texts

    @property
    def _n_texts(self) -> int:
        return len(self.taken.documents) if self.reading.kind is Kind.DOCUMENTS else 0

    @property
    def is_refused(self) -> bool:
        """Whether all that the file says is left out: each line, or each grade beside its runs."""
        is_without_grades = bool(self.off_scale) and self.n_judgments <= 0
        return bool(self.refusals.n) and (not self.n_records or is_without_grades)

    @property
    def n_unchanged(self) -> int:
        """Records that leave the project as it is: there already, just so, or without a word here."""
        return self.n_records - self.n_new - self.n_changed - self.n_left_out

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
        uncounted: of the names of assessors whose grades come, those who do not count.
        late_new: judgments that were new and are left out, as they were given here after the plan
            was made; known once it is written.
        late_changed: likewise, of those that would have changed what was said.
        texts_seen: steps whose texts the plan was made upon.
        late_texts_new: texts that were new and are left out, as others were written after the plan.
        late_texts_changed: likewise, of those that would have changed others.
        n_replaced_late: judgments that another import brought after the plan, by the same assessors,
            and that this one's replace, as it was begun later.
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
    uncounted: Sequence[str] = ()
    late_new: int = 0
    late_changed: int = 0
    texts_seen: frozenset[int] = frozenset()
    late_texts_new: int = 0
    late_texts_changed: int = 0
    n_replaced_late: int = 0

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
        return self.total(lambda report: report.n_all_new) - self.late_new - self.late_texts_new

    @property
    def n_changed(self) -> int:
        """What changes of what the project has, texts that come along included."""
        n_changed = self.total(lambda report: report.n_all_changed - report.n_all_again)
        return n_changed - self.late_changed - self.late_texts_changed

    @property
    def n_late_texts(self) -> int:
        """Texts that are left out, as others were written after the plan."""
        return self.late_texts_new + self.late_texts_changed

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
    def n_overruled(self) -> int:
        """Of how many documents graded here a file's judgment counts afterwards, while the latest does."""
        return self.total(lambda report: report.overruled.n)

    @property
    def n_outdated(self) -> int:
        """Of how many documents a file's judgment counts instead of another's, while the latest does."""
        return self.total(lambda report: report.outdated.n)

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


# In words

_NOUNS = {
    Kind.QUERIES: NN_("{n} query", "{n} queries"),
    Kind.DOCUMENTS: NN_("{n} document", "{n} documents"),
    Kind.RUN: NN_("{n} result", "{n} results"),
    Kind.RESULTS: NN_("{n} result", "{n} results"),
    Kind.JUDGMENTS: NN_("{n} judgment", "{n} judgments"),
    Kind.CLICKS: NN_("{n} clicked pair", "{n} clicked pairs"),
}
_IDS = {
    "query": NN_("{n} query", "{n} queries"),
    "document": NN_("{n} document", "{n} documents"),
}
_MOST_SHOWN = 80
_MANY_FILES = 3
_STATES = {
    State.CANNOT_JUDGE: N_("cannot judge"),
    State.SKIPPED: N_("skipped"),
    State.UNJUDGED: N_("no grade"),
}


_STAYS = {
    Conflicts.MINE: N_("What the project has stays; the file’s are left out."),
    Conflicts.THEIRS: N_("The file’s replace what the project has; Undo brings it back."),
    Conflicts.BOTH: N_(
        "Both are kept: the file’s under the assessor’s name with the file’s, as a dispute."
    ),
}
_OVERRULED = N_(
    "What is imported is said last, whatever its times: it counts in the usual view, ‘All judgments, "
    "latest counts’. What was graded here stays, and other views let it count: Judge ▸ Judgments that "
    "count…, or --view or --assessor of a command."
)
_OUTDATED = N_(
    "Of one import the judgment with the latest time counts in the usual view, ‘All judgments, latest "
    "counts’; one without a time counts as made at the import. The others stay, and other views let them "
    "count: Judge ▸ Judgments that count…, or --view or --assessor of a command."
)
_UNDATED = N_(
    "These judgments count as made now, at the import: where the latest counts, they win over those that "
    "have a time."
)
_OVERRULED_FINALLY = N_(
    "What was settled counts in every view but one’s own. What was graded here stays: Judge ▸ Judgments "
    "that count…, or --assessor of a command."
)


def records_text(report: FileReport) -> str:
    """Return what was understood of a file, counted: ``120 results and 86 judgments``."""
    reading = report.reading
    is_folder = reading.kind is Kind.DOCUMENTS and reading.judgments is not None
    if not (reading.runs or is_folder) or report.n_judgments <= 0:
        return number_of(report.n_records, *_NOUNS[reading.kind])
    others = NN_("{n} document", "{n} documents") if is_folder else NN_("{n} result", "{n} results")
    return _("{results} and {judgments}").format(
        results=number_of(report.n_records - report.n_judgments, *others),
        judgments=number_of(report.n_judgments, "{n} judgment", "{n} judgments"),
    )


def refused_lines(report: FileReport) -> list[tuple[Refusal, int]]:
    """Return why lines are left out, each with how many it is of.

    Of a grade that the scale lacks there is one, in its first place; of all else one for each line.
    They stand in the order of the lines, and last what is said of the whole file.
    """
    found = [(refusal, 1) for refusal in (*report.reading.refusals, *report.clashes)]
    found += off_scale_lines(report)
    return sorted(found, key=lambda each: inf if each[0].line is None else each[0].line)


def off_scale_lines(report: FileReport) -> list[tuple[Refusal, int]]:
    """Return of each grade that the scale lacks where it stands first, and how many have it."""
    found = []
    for grade, first in report.off_scale_first.items():
        count = report.off_scale[grade]
        line, why, _clash = first.refusal
        if line is None:
            why = number_of(
                count,
                "{why}; {n} judgment has it, of query ‘{query}’ and document ‘{document}’",
                "{why}; {n} judgments have it, the first of query ‘{query}’ and document ‘{document}’",
                why=why,
                query=visible(first.query),
                document=visible(first.document),
            )
        elif count > 1:
            why = number_of(
                count, "{why}; {n} judgment has it", "{why}; {n} judgments have it", why=why
            )
        found.append((Refusal(line, why), count))
    return found


def refused_text(plan: ImportPlan) -> str:
    """Return of which files nothing, or no grade, can be taken; ``""`` where something of each can."""
    said = []
    for report in plan.files:
        if report.is_waiting or not report.is_refused:
            continue
        name = visible(PurePath(report.reading.source).name)
        n_off = sum(report.off_scale.values())
        if n_off == report.refusals.n or report.n_records:
            said.append(
                number_of(
                    n_off,
                    "The grade of {name} is off the scale.",
                    "All {n} grades of {name} are off the scale.",
                    name=name,
                )
            )
        else:
            said.append(
                number_of(
                    report.refusals.n,
                    "Nothing of {name} fits: {n} line left out.",
                    "Nothing of {name} fits: {n} lines left out.",
                    name=name,
                )
            )
    if not said and plan.is_empty and not (plan.n_records or plan.n_pooled or plan.is_waiting):
        for reading in (each.reading for each in plan.files):
            form = _("There is nothing in {name}.")
            if reading.sample_rows:
                form = _("No row of {name} says anything that can be taken.")
            said.append(form.format(name=_shown_source(reading.source)))
    return " ".join(said)


def _shown_source(source: str) -> str:
    """Return a file's name; of what is no file of a folder's, such as /dev/null, all of it."""
    path = PurePath(source)
    return visible(source if path.parent.parts[1:] in {("dev",), ("dev", "fd")} else path.name)


def late_text(plan: ImportPlan) -> str:
    """Return what was said here after the plan was made, and what became of it; ``""`` for nothing."""
    counts = (
        (plan.late_new + plan.late_changed, _LATE),
        (plan.n_late_texts, _LATE_TEXTS),
        (plan.n_replaced_late, _REPLACED_LATE),
    )
    return " ".join(number_of(n, *forms) for n, forms in counts if n)


_LATE = NN_(
    "{n} judgment was given meanwhile, and stays; the file’s is left out.",
    "{n} judgments were given meanwhile, and stay; the file’s are left out.",
)
_LATE_TEXTS = NN_(
    "{n} text was changed meanwhile, and stays; the file’s is left out.",
    "{n} texts were changed meanwhile, and stay; the file’s are left out.",
)
_REPLACED_LATE = NN_(
    "{n} judgment that another import brought meanwhile is replaced by this one’s, which was begun later.",
    "{n} judgments that another import brought meanwhile are replaced by this one’s, which was begun later.",
)


def shared_notes(plan: ImportPlan) -> dict[str, int]:
    """Return the notes that stand at several files, and at how many: they are said once."""
    counts = Counter(note for report in plan.files for note in dict.fromkeys(report.notes))
    return {note: count for note, count in counts.items() if count >= _MANY_FILES}


def shared_lines(plan: ImportPlan) -> list[str]:
    """Return such notes as lines, each with the number of files."""
    return [
        number_of(count, "Of {n} file: {note}", "Of {n} files: {note}", note=note)
        for note, count in shared_notes(plan).items()
    ]


def describe_judgment(judgment: Judgment) -> str:
    """Return what is said, in a word or two: ``2``, ``cannot judge``."""
    if judgment.grade is None:
        return _(_STATES[judgment.state])
    return format_grade(judgment.grade)


class FileRemark(NamedTuple):
    """One thing that is said of a file.

    Attributes:
        level: ``good``, ``warn`` or ``note``.
        title: in a few words.
        text: the rest, in sentences.
        lines: the things themselves; empty where there is nothing to show.
        has_choice: whether the person is to say which judgments stay.
    """

    level: str
    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    has_choice: bool = False


def contradictions(report: FileReport, choice: Conflicts) -> Iterator[FileRemark]:
    """Yield what of a file is not what it says or what is here already, and what becomes of it.

    Args:
        report: what importing the file would do.
        choice: which judgment stays where file and project differ.
    """
    if report.conflicts:
        lines = tuple(map(describe_conflict, report.conflicts))
        yield FileRemark(
            "warn", _conflicts_title(report), _(_STAYS[choice]), lines, has_choice=True
        )
    if report.reading.n_undated:
        title = number_of(
            report.reading.n_undated,
            "{n} time of judging is not understood",
            "{n} times of judging are not understood",
        )
        yield FileRemark("warn", title, _(_UNDATED))
    if report.overruled:
        title = number_of(
            report.overruled.n,
            "{n} document graded here: the file’s judgment counts instead",
            "{n} documents graded here: the file’s judgments count instead",
        )
        why = _OVERRULED_FINALLY if report.n_settling == report.overruled.n else _OVERRULED
        yield FileRemark("warn", title, _(why), tuple(map(describe_overruled, report.overruled)))
    if report.outdated:
        title = number_of(
            report.outdated.n,
            "{n} document graded otherwise in another file: this file’s judgment counts",
            "{n} documents graded otherwise in other files: this file’s judgments count",
        )
        yield FileRemark(
            "warn", title, _(_OUTDATED), tuple(map(describe_overruled, report.outdated))
        )
    if report.n_tied > 0:
        yield FileRemark("warn", tied_title(report.n_tied), _(TIED))
    if report.text_conflicts:
        title = number_of(
            report.text_conflicts.n,
            "{n} text is here already, and otherwise",
            "{n} texts are here already, and otherwise",
        )
        is_replaced = any(
            each.name == "texts" and each.answer == "replace" for each in report.questions
        )
        text = (
            _("The file’s replace them; Undo brings them back.")
            if is_replaced
            else _("What is here stays; the file fills in only what was empty.")
        )
        yield FileRemark(
            "warn", title, text, tuple(map(describe_text_conflict, report.text_conflicts))
        )


def uncounted_text(plan: ImportPlan) -> str:
    """Return whose grades come and do not count; ``""`` where all do."""
    shown = [*plan.uncounted[:_MOST_UNCOUNTED], *["…"][: len(plan.uncounted) > _MOST_UNCOUNTED]]
    said = _("Judgments of {names} do not count in values.")
    return said.format(names=listed(shown)) if shown else ""


_MOST_UNCOUNTED = 3


def counting_notes(plan: ImportPlan) -> Iterator[str]:
    """Yield what is said, once it is imported, of the judgments that count now."""
    if plan.n_overruled:
        yield number_of(
            plan.n_overruled,
            "Of {n} document graded here another judgment counts now.",
            "Of {n} documents graded here another judgment counts now.",
        )
    if plan.n_outdated:
        yield number_of(
            plan.n_outdated,
            "Of {n} document graded otherwise in several files the latest judgment counts.",
            "Of {n} documents graded otherwise in several files the latest judgment counts.",
        )
    if plan.n_tied > 0:
        yield number_of(
            plan.n_tied,
            "{n} document has different grades of the same time: the highest counts as the latest.",
            "{n} documents have different grades of the same time: the highest counts as the latest.",
        )
    if plan.uncounted:
        yield uncounted_text(plan)


def describe_conflict(conflict: Conflict) -> str:
    """Return one conflict as a line: who, what, what each side says."""
    here, there = map(describe_judgment, (conflict.mine, conflict.theirs.judgment))
    if here == there:
        here = f"{here}, {quoted(conflict.mine.note)}"
        there = f"{there}, {quoted(conflict.theirs.judgment.note)}"
    return _("{pair}, {assessor}: {here} here, {there} in the file").format(
        pair=_pair(conflict), assessor=conflict.theirs.assessor, here=here, there=there
    )


def describe_overruled(overruled: Overruled) -> str:
    """Return a judgment that counts instead of another grade as a line: of what, who says what."""
    form = _("{pair}: {here} here by {assessor}, {there} in the file by {other}")
    if overruled.source:
        form = _("{pair}: {here} in {file} by {assessor}, {there} in this file by {other}")
    return form.format(
        file=_shown_source(overruled.source),
        pair=_pair_of(overruled.theirs),
        here=format_grade(overruled.grade),
        assessor=overruled.assessor,
        there=describe_judgment(overruled.theirs.judgment),
        other=overruled.theirs.assessor,
    )


def _pair_of(new: NewJudgment) -> str:
    return _("query {query}, document {document}").format(
        query=new.query_id, document=new.document_id
    )


def _pair(conflict: Conflict) -> str:
    said = _pair_of(conflict.theirs)
    if conflict.line is None:
        return said
    return f"{_('line {line}').format(line=local_count(conflict.line))}: {said}"


def _conflicts_title(report: FileReport) -> str:
    """Return such as ``anna has already judged 243 of these 244, 12 otherwise``."""
    assessors = {conflict.theirs.assessor for conflict in report.conflicts}
    return number_of(
        len(assessors),
        "{name} has already judged {here} of these {all}, {others} otherwise",
        "{n} assessors have already judged {here} of these {all}, {others} otherwise",
        name=next(iter(assessors)),
        here=local_count(report.n_here),
        all=local_count(report.n_records),
        others=local_count(report.conflicts.n),
    )


def describe_text_conflict(conflict: TextConflict) -> str:
    """Return a text that differs as a line: of what, and what each side says."""
    here, there = shortened(conflict.mine), shortened(conflict.theirs)
    return _("{noun} {id}, {field}: ‘{here}’ here, ‘{there}’ in the file").format(
        noun=_(conflict.noun), id=conflict.id, field=conflict.field, here=here, there=there
    )


def shortened(text: str) -> str:
    """Return a text as one line of which not more is shown than tells it."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def texts_text(report: FileReport) -> str:
    """Return what a file brings of queries and documents besides; ``""`` for nothing."""
    parts = []
    for noun, counts in report.texts.items():
        total = counts.n_new + counts.n_changed + counts.n_unchanged
        words = ((counts.n_new, _("{count} new")), (counts.n_changed, _("{count} changed")))
        shown = ", ".join(said.format(count=local_count(count)) for count, said in words if count)
        counted = number_of(total, *_IDS[noun])
        parts.append(f"{counted} ({shown or _('no new text')})")
    return _(" and ").join(parts)


def match_finding(match: IdMatch, source: str) -> FileRemark:
    """Return what is said of ids of a file that match nothing, each of the first with the nearest."""
    level = "warn" if match.is_doubtful else "note"
    lines = (
        f"{name}  " + _("nearest here: {id}").format(id=match.nearest[name])
        if name in match.nearest
        else name
        for name in match.strange
    )
    return FileRemark(level, match_title(match, source), match_text(match), tuple(lines))


def match_title(match: IdMatch, source: str) -> str:
    """Return how many ids of a file match nothing."""
    name = visible(PurePath(source).name)
    if not (match.is_doubtful and match.n_compared):
        count = match.n_without_text or match.n_strange
        if match.noun == "query":
            return number_of(count, "{n} query without text", "{n} queries without text")
        return number_of(count, "{n} document without text", "{n} documents without text")
    named = _("{count} query ids in {name}")
    if match.noun == "document":
        named = _("{count} document ids in {name}")
    named = named.format(count=local_count(match.n_named), name=name)
    if not match.n_known and match.n_named == 1:
        only = _("The only query id in {name} is not in this project")
        if match.noun == "document":
            only = _("The only document id in {name} is not in this project")
        return only.format(name=name)
    if not match.n_known:
        return _("None of {ids} is in this project").format(ids=named)
    if match.n_known * 2 < match.n_named:
        return _("Only {count} of {ids} are in this project").format(
            count=local_count(match.n_known), ids=named
        )
    return number_of(
        match.n_strange,
        "{n} of {ids} is not in this project",
        "{n} of {ids} are not in this project",
        ids=named,
    )


def match_text(match: IdMatch) -> str:
    """Return what ids that match nothing may mean, and what becomes of them."""
    if match.habit:
        return match.habit
    if match.is_doubtful:
        return _("Perhaps another collection’s file. What is new is added by its ids.")
    if match.n_without_text > match.n_strange:
        said = [_("Shown by their ids; files of documents bring texts.")]
        if match.n_strange:
            new = number_of(match.n_strange, "{n} of them is new.", "{n} of them are new.")
            said.append(new)
        return " ".join(said)
    return number_of(
        match.n_strange,
        "Neither the project nor a file with texts knows it; it is added, and shown, by its id.",
        "Neither the project nor a file with texts knows them; they are added, and shown, by "
        "their ids.",
    )
