"""What writers are given, and what is known of each of them."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from judgetool import __version__
from judgetool.core.judgments import DEFAULT_VIEW, Document, Query
from judgetool.core.scale import Scale, format_grade, scale_from_values
from judgetool.errors import InputError, why_unreadable
from judgetool.formats.output import SEPARATORS, SIDE_ENDING
from judgetool.formats.values import ClickRow, JudgmentRow, RankedResult
from judgetool.wording import N_, NN_, _, in_english


class CannotJudge(StrEnum):
    """What becomes of a document of which it was only said that it cannot be judged."""

    LEAVE_OUT = "leave-out"
    LOWEST = "lowest"
    """It gets the lowest grade of the scale."""


class Fractions(StrEnum):
    """What becomes of grades such as 1.5 in formats whose tools read whole numbers."""

    REFUSE = "refuse"
    ROUND = "round"
    """To the nearest whole number; halves go up."""
    KEEP = "keep"


class Numbers(StrEnum):
    """Which number of a level is written."""

    USUAL = "usual"
    """The one that files of this format usually hold."""
    GRADES = "grades"
    GAINS = "gains"


class Formulas(StrEnum):
    """What becomes of cells that a spreadsheet could take for a formula."""

    REFUSE_IDS = "refuse-ids"
    """Texts get an apostrophe in front; an id is refused."""
    KEEP_IDS = "keep-ids"
    """Texts get an apostrophe in front; ids stay as they are, and that is said."""
    KEEP_ALL = "keep-all"
    """Everything stays as it is, and that is said."""


class Blanks(StrEnum):
    """What becomes of ids with blanks where blanks separate columns."""

    REFUSE = "refuse"
    QUERIES = "queries"
    """Each blank of a query id is written as ``_``, where no two ids become one; that is said."""
    ALL = "all"
    """Likewise of document ids, which then are not those that the systems return."""


TITLES: dict[StrEnum, str] = {
    CannotJudge.LEAVE_OUT: N_("Leave out"),
    CannotJudge.LOWEST: N_("Write the lowest grade"),
    Fractions.REFUSE: N_("Refuse"),
    Fractions.ROUND: N_("Round, halves up"),
    Fractions.KEEP: N_("Keep"),
    Numbers.USUAL: N_("As usual in this format"),
    Numbers.GRADES: N_("Grades"),
    Numbers.GAINS: N_("Gains"),
    Blanks.REFUSE: N_("Refuse"),
    Blanks.QUERIES: N_("Write _ in query ids"),
    Blanks.ALL: N_("Write _ in all ids"),
    Formulas.REFUSE_IDS: N_("Guard texts, refuse ids"),
    Formulas.KEEP_IDS: N_("Guard texts, keep ids"),
    Formulas.KEEP_ALL: N_("Keep all as it is"),
}
"""How each choice is shown."""


class ExportChoices(NamedTuple):
    """Everything that decides what a written file holds.

    Attributes:
        format: a name in :data:`judgetool.formats.writers.WRITERS`.
        view: rule that folds several grades of a document.
        assessor: only what this one said, unfolded; ``""`` for all.
        runs: names of runs: the one to be written, or those of a report; empty for all.
        cannot_judge: what becomes of documents that could not be judged.
        fractions: what becomes of fractions where whole numbers are read.
        numbers: grades or gains.
        blanks: what becomes of ids with blanks in TREC's formats.
        formulas: what becomes of cells that look like formulas.
        target: name of the index (Elasticsearch, RRE) or of the list (OpenSearch).
        conventions: preset by whose conventions a report's values are computed;
            ``""`` for the project's own.
        digits: decimals of a report, 0 to 17.
        anonymous: assessors are A1, A2 …, models M1 …; no notes and durations, times only as an
            order, nothing of the project but what is written.
        seed: gives the order in which assessors are numbered.
    """

    format: str
    view: str = DEFAULT_VIEW
    assessor: str = ""
    runs: tuple[str, ...] = ()
    cannot_judge: CannotJudge = CannotJudge.LEAVE_OUT
    fractions: Fractions = Fractions.REFUSE
    numbers: Numbers = Numbers.USUAL
    blanks: Blanks = Blanks.REFUSE
    formulas: Formulas = Formulas.REFUSE_IDS
    target: str = "judgments"
    conventions: str = ""
    digits: int = 4
    anonymous: bool = False
    seed: int = 0


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


class ExportOption(StrEnum):
    """Choices that make a difference to a format; named as in :class:`ExportChoices`."""

    CANNOT_JUDGE = "cannot_judge"
    FRACTIONS = "fractions"
    NUMBERS = "numbers"
    BLANKS = "blanks"
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


class RunSource(NamedTuple):
    """A run whose results are made only while they are written.

    Attributes:
        name: of the run.
        n_results: how many there are.
        iter_rows: yields them, a query's rows together, best first.
    """

    name: str
    n_results: int
    iter_rows: Callable[[], Iterator[RankedResult]]


class ReportRow(NamedTuple):
    """The values of one run.

    Attributes:
        run: its name.
        values: one for each measure; ``None`` where undefined.
        n_queries: over how many queries each is, one for each measure.
    """

    run: str
    values: Sequence[float | None]
    n_queries: Sequence[int]


class AgreementTable(NamedTuple):
    """How alike several assessors grade.

    Attributes:
        rows: of each measure its name, what it is in words, its value, and the ends of its interval;
            ``None`` where undefined.
        sentences: what it is over, one sentence each.
    """

    rows: Sequence[tuple[str, str, float | None, float | None, float | None]]
    sentences: Sequence[str]


AGREEMENT_HEAD = ("measure", "value", "from", "to")
"""The columns of such a table."""


class ReportTable(NamedTuple):
    """Runs by measures.

    Attributes:
        title: of the project.
        measures: names of the columns.
        are_counts: whether each column holds whole numbers (sums, not means).
        rows: a row for each run.
        sentences: judgments, scale and conventions, one sentence each.
        agreement: between those who judged; ``None`` where no document was graded by two.
    """

    title: str
    measures: Sequence[str]
    are_counts: Sequence[bool]
    rows: Sequence[ReportRow]
    sentences: Sequence[str] = ()
    agreement: AgreementTable | None = None


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
        document_ids: returns the ids of all documents of the project.
        notes: what is to be said of the file, in English; writers add to it.
        agreement: between those who judged, as plain values, for the side file.
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
    document_ids: Callable[[], Iterable[str]] = lambda: ()
    notes: list[str] = field(default_factory=list)
    agreement: Mapping[str, object] = field(default_factory=dict)


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
        has_grades_only: whether judgments without a grade, and settled ones, are left out.
        beside: what stands in further files that its readers need, by the ending that
            their names have behind the file's.
        tells_otherwise: returns, of what is chosen and the scale, how who reads the file makes other
            values of the same grades, and which preset gives these; ``None`` for a format of nobody’s.
        relevance: how who computes values from it is told the lowest number that is relevant;
            ``""`` where that is not to be said, ``None`` where nobody computes such values.
    """

    name: str
    title: str
    subject: Subject
    endings: tuple[str, ...]
    carries: str
    loses: str
    writer: Writer
    options: frozenset[ExportOption] = frozenset()
    read_as: str = ""
    is_binary: bool = False
    has_grades_only: bool = False
    beside: Mapping[str, Writer] = field(default_factory=dict)
    relevance: str | None = None
    tells_otherwise: "Callable[[ExportChoices, Scale, str], str] | None" = None


_GAINS_LOST = N_(
    "The scale’s gains are lost, too: tools make them of the numbers in the file, and their nDCG can "
    "differ from this project’s."
)
_RELEVANCE_LOST = N_(
    "‘Relevant from {number}’ is lost, too: tools count from 1, and their P or AP can differ from this "
    "project’s."
)
_BOTH_LOST = N_(
    "The scale’s gains and ‘relevant from {number}’ are lost, too: tools make gains of the numbers in the "
    "file and count from 1, and their values can differ from this project’s."
)

_WEIGHTS_LOST = N_(
    "How much queries count in means is lost, too: tools count each alike, and their means can differ "
    "from this project’s."
)


_ES_GRADES = N_(
    "Elasticsearch’s nDCG takes 2^grade − 1 as gain, and an ideal as long as the ranking: its values "
    "differ from this project’s. Elasticsearch’s conventions give them here (--preset elasticsearch)."
)
_ES_IDEAL = N_(
    "Elasticsearch’s nDCG takes an ideal as long as the ranking: of fewer than 10 results its value can "
    "differ from this project’s. Elasticsearch’s conventions give it here (--preset elasticsearch)."
)
_ES_GAINS = N_(
    "Elasticsearch’s nDCG takes 2^number − 1 of each number in the file as gain, also of a gain: its "
    "values differ from this project’s. With grades in the file Elasticsearch’s conventions give them here "
    "(--preset elasticsearch)."
)


def elasticsearch_otherwise(choices: ExportChoices, scale: Scale, preset: str) -> str:
    """Return how ``_rank_eval`` computes nDCG@10 otherwise than a project does.

    Args:
        choices: whether gains are written.
        scale: of the project.
        preset: whose conventions the project has; ``""`` for its own.
    """
    if choices.numbers is Numbers.GAINS:
        return _(_ES_GAINS)
    if preset == "elasticsearch":
        return ""
    is_alike = not scale.is_continuous and all(
        each.gain == 2**each.grade - 1 for each in scale.levels
    )
    return _(_ES_IDEAL if is_alike else _ES_GRADES)


def values_lost(
    form: WriterFormat,
    choices: ExportChoices,
    scale: Scale,
    preset: str | None = "",
    *,
    is_weighted: bool = False,
) -> str:
    """Return what a file's readers cannot know of scale and weights, or count otherwise; ``""`` for nothing.

    Args:
        form: of the file.
        choices: by which it is written.
        scale: of the project.
        preset: whose conventions the project has; ``""`` for its own.
        is_weighted: whether means are others there by the queries' weights.
    """
    told = form.tells_otherwise
    otherwise = told(choices, scale, preset or "") if told is not None else ""
    weights = _(_WEIGHTS_LOST) if is_weighted and form.relevance is not None else ""
    return " ".join(filter(None, (_unknown_of_scale(form, choices, scale), weights, otherwise)))


def _unknown_of_scale(form: WriterFormat, choices: ExportChoices, scale: Scale) -> str:
    if form.relevance is None:
        return ""
    has_gains = ExportOption.NUMBERS in form.options and choices.numbers is Numbers.GAINS
    numbers = {each.grade: each.gain if has_gains else each.grade for each in scale.levels}
    lowest = min(number for grade, number in numbers.items() if grade >= scale.relevant_from)
    is_otherwise = any((number >= 1) != (number >= lowest) for number in numbers.values())
    if scale.is_continuous and not has_gains:
        lowest = scale.relevant_from
        is_otherwise = lowest != 1
    loses_gains = any(each.gain != numbers[each.grade] for each in scale.levels)
    if not is_otherwise:
        return _(_GAINS_LOST) if loses_gains else ""
    said = _(_BOTH_LOST if loses_gains else _RELEVANCE_LOST).format(number=format_grade(lowest))
    if not form.relevance or not float(lowest).is_integer():
        return said
    remedy = form.relevance.format(number=format_grade(lowest))
    return f"{said} {_('What helps there: {option}.').format(option=remedy)}"


NOUNS = {
    Subject.GRADES: NN_("{n} grade", "{n} grades"),
    Subject.JUDGMENTS: NN_("{n} judgment", "{n} judgments"),
    Subject.RUN: NN_("{n} result", "{n} results"),
    Subject.QUERIES: NN_("{n} query", "{n} queries"),
    Subject.DOCUMENTS: NN_("{n} document", "{n} documents"),
    Subject.CLICKS: NN_("{n} count", "{n} counts"),
    Subject.REPORT: NN_("{n} run", "{n} runs"),
}
"""What is counted in a file, by what it is about."""


def count_records(form: WriterFormat, material: ExportMaterial, choices: ExportChoices) -> int:
    """Return how many grades, judgments, results, queries or runs a file will hold."""
    if form.subject is Subject.GRADES:
        is_counted = choices.cannot_judge is CannotJudge.LOWEST
        return sum(is_counted or row.grade is not None for row in material.folded)
    if form.subject is Subject.JUDGMENTS:
        rows = material.judgments
        if form.has_grades_only:
            return sum(row.grade is not None and row.details.kind != "settled" for row in rows)
        return len(rows)
    counts = {
        Subject.QUERIES: len(material.queries),
        Subject.DOCUMENTS: material.n_documents,
        Subject.CLICKS: len(material.clicks),
        Subject.REPORT: len(material.report.rows) if material.report else 0,
        Subject.RUN: material.run.n_results if material.run else 0,
    }
    return counts[form.subject]


_ALWAYS = {
    Subject.GRADES: ("view", "assessor"),
    Subject.JUDGMENTS: ("assessor",),
    Subject.RUN: ("runs",),
    Subject.REPORT: ("view", "assessor", "runs"),
}


def meta_path(path: Path) -> Path:
    """Return where the side file of a written file stands: beside it."""
    return path.with_name(path.name + SIDE_ENDING)


@dataclass(slots=True)
class Fingerprint:
    """Sums up what was written while it is written.

    Attributes:
        n_bytes: how many bytes.
    """

    n_bytes: int = 0
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, chunk: str | bytes) -> None:
        """Take in a further piece."""
        data = chunk.encode(errors="surrogatepass") if isinstance(chunk, str) else chunk
        self.n_bytes += len(data)
        self._hash.update(data)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all pieces, in hexadecimal."""
        return self._hash.hexdigest()


class Written(NamedTuple):
    """What is known of a file once it stands.

    Attributes:
        file: its name, without folder.
        at: when it was written, ISO 8601 in UTC.
        n_records: grades, judgments, results, queries or runs in it.
        fingerprint: of its bytes.
    """

    file: str
    at: str
    n_records: int
    fingerprint: Fingerprint


def meta_text(
    form: WriterFormat,
    choices: ExportChoices,
    material: ExportMaterial,
    *,
    project: Mapping[str, str],
    written: Written,
    counting: Mapping[str, object],
) -> str:
    """Return the side file's JSON.

    Args:
        form: of the file.
        choices: by which it was written; only those that matter to the format are kept.
        material: what was written, with the notes.
        project: title, file and UUID of the project; left out of what is anonymous, as is when
            the file was written.
        written: the file.
        counting: the project's conventions as plain values.
    """
    origin = {"project": dict(project), "written_at": written.at}
    with in_english():
        preset, is_weighted = str(counting.get("preset") or ""), bool(counting.get("is_weighted"))
        weights = _weights(form, choices, material.queries)
        unknown = values_lost(
            form, choices, material.scale, preset, is_weighted=is_weighted and bool(weights)
        )
        lost = " ".join(filter(None, (form.loses, unknown)))
    values = {
        "judgetool": __version__,
        **({} if choices.anonymous else origin),
        "file": written.file,
        "bytes": written.fingerprint.n_bytes,
        "sha256": written.fingerprint.sha256,
        "format": {"name": form.name, "title": form.title, "lost": lost},
        "choices": _choices(form, choices),
        "records": written.n_records,
        "grades": _histogram(material),
        "scale": material.scale.to_dict(),
        "conventions": list(material.report.sentences) if material.report else [],
        "counting": dict(counting),
        **({"weights": weights} if weights or is_weighted else {}),
        **({"agreement": material.agreement} if material.agreement else {}),
        "notes": material.notes,
    }
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def _weights(
    form: WriterFormat, choices: ExportChoices, queries: Sequence[Query]
) -> dict[str, float]:
    """Return how much queries count, by the ids that are written; nothing where all count alike."""
    if len({query.weight for query in queries}) < 2:
        return {}
    has_other_ids = ExportOption.BLANKS in form.options and choices.blanks is not Blanks.REFUSE
    return {
        SEPARATORS.sub("_", query.id) if has_other_ids else query.id: query.weight
        for query in queries
    }


def _choices(form: WriterFormat, choices: ExportChoices) -> dict[str, object]:
    kept = {*_ALWAYS.get(form.subject, ()), *(str(option) for option in form.options)}
    # Not the seed, by which one could try who A1 is.
    kept |= {"anonymous"} if choices.anonymous else set()
    return {name: value for name, value in choices._asdict().items() if name in kept}


def _histogram(material: ExportMaterial) -> dict[str, int]:
    """Count the grades that count, or that were given, lowest first; '' is no grade."""
    said: Sequence[float | None] = [row.grade for row in material.folded] or [
        row.grade for row in material.judgments
    ]
    counts = Counter(said)
    in_order = sorted(counts.items(), key=lambda item: (item[0] is None, item[0] or 0.0))
    return {"" if grade is None else format_grade(grade): count for grade, count in in_order}


@dataclass(frozen=True, slots=True)
class SideFile:
    """What a side file says of how the file beside it is to be read.

    Attributes:
        name: of the side file; ``""`` where there is none.
        scale: by which its grades are read.
        conventions: what counts, as plain values.
        notes: what is to be said.
        weights: how much queries count, by id; empty where all count alike, ``None`` where
            that is not said.
    """

    name: str = ""
    scale: Scale | None = None
    conventions: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    weights: Mapping[str, float] | None = None


def read_side_file(path: Path) -> SideFile:
    """Return what the side file beside a file says; an empty one where another program wrote that.

    Args:
        path: the file that was exported.

    Raises:
        InputError: it cannot be read.
    """
    beside = meta_path(path)
    try:
        values = json.loads(beside.read_bytes())
        size = path.stat().st_size
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError(
            _(
                "{beside} cannot be read ({problem}), and it says how the grades of {path} are "
                "meant. Say so by --scale, or move it away."
            ).format(beside=beside, problem=why_unreadable(problem), path=path.name)
        ) from problem
    if not isinstance(values, dict) or not isinstance(values.get("scale"), dict):
        return SideFile()
    scale = scale_from_values(values["scale"], name=beside.name)
    counting = values.get("counting")
    notes = [
        _("Grades are read by the scale {scale} ({scale_2}), as {beside} says.").format(
            scale=scale.name, scale_2=scale.label, beside=beside.name
        )
    ]
    if values.get("bytes") != size:
        notes.append(
            _("{path} has been changed since {beside} was written beside it.").format(
                path=path.name, beside=beside.name
            )
        )
    counting = counting if isinstance(counting, dict) else {}
    return SideFile(str(beside), scale, counting, notes, _stored_weights(values, beside))


def _stored_weights(values: Mapping[str, Any], beside: Path) -> Mapping[str, float] | None:
    """Return how much queries count, as a side file says; ``None`` where it says nothing of it."""
    stored = values.get("weights")
    if stored is None:
        return None
    if not isinstance(stored, dict) or not all(
        isinstance(each, int | float) and 0 < each < inf for each in stored.values()
    ):
        raise InputError(
            _(
                "{beside} says how important queries are by something else than numbers above 0. "
                "Export the file again, or move {beside} away."
            ).format(beside=beside)
        )
    return stored
