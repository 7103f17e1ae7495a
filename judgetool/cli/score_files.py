"""Values from files alone: qrels and runs."""

import shlex
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.core.judgments import Said, view_rule
from judgetool.core.number_text import number_of
from judgetool.core.rankings import score_order
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import InputError, ParseError
from judgetool.formats.records import QUOTES
from judgetool.formats.results import SCORE_COMMA
from judgetool.formats.scan import IdTable, words_of_texts
from judgetool.formats.score_scan import scan_qrels, scan_run
from judgetool.formats.source import ENCODING
from judgetool.metrics import Conventions, Engine, Measure, RunBlock
from judgetool.metrics.block import TREC_MAX_GRADE, edges_of
from judgetool.metrics.measure import name_no_measures
from judgetool.metrics.rankings import SAMPLE_COLUMNS, FactTable, pack_facts, pack_lengths
from judgetool.metrics.values import addable
from judgetool.wording import N_, _, listed, visible

if TYPE_CHECKING:
    from judgetool.formats import JudgmentTable, Reading, RunTable

Grades = dict[str, dict[str, float]]
Documents = npt.NDArray[np.int32]

# Later than any time that a file may name.
_NOW = 1 << 62  # alike: any other number beyond them would do


class _LoadedJudgments(NamedTuple):
    """Judgments, one for each (query, document).

    Attributes:
        query_ids: all judged queries.
        list_documents: gives all judged documents' ids.
        queries: places in ``query_ids``, shape (n,).
        documents: places in that list, shape (n,).
        grades: shape (n,); negative means 'in the pool, not judged'.
        judged: finds these places.
        notes: what was noticed.
        n_folded: documents that had several grades.
        subtopics: (query, document, subtopic, grade); empty where there are none.
        samples: (query, document, what, number), likewise.
    """

    query_ids: Sequence[str]
    list_documents: Callable[[], Sequence[str]]
    queries: Documents
    documents: Documents
    grades: npt.NDArray[np.float64]
    judged: IdTable
    notes: Sequence[str] = ()
    n_folded: int = 0
    subtopics: Sequence[tuple[str, str, str, float]] = ()
    samples: Sequence[tuple[str, str, str, float]] = ()

    @property
    def unjudged(self) -> int:
        """The number that stands for all other documents."""
        return int(self.documents.max(initial=-1)) + 1


class _LoadedRun(NamedTuple):
    """A run in so far as values need it.

    Attributes:
        name: its own.
        source: the file.
        query_ids: queries with results.
        offsets: where each query's results begin and the last end.
        documents: numbers of the judged documents, best first; all others are one number.
        notes: what was noticed.
        table: with all documents' ids; ``None`` if the file was only scanned.
    """

    name: str
    source: str
    query_ids: Sequence[str]
    offsets: npt.NDArray[np.int64]
    documents: Documents
    notes: Sequence[str]
    table: "RunTable | None"


def load_score_files(  # noqa: PLR0913 - what a table depends on
    files: Sequence[str],
    measures: Sequence[Measure],
    *,
    scale: Scale | None,
    conventions: Conventions,
    view: str,
    weights: Mapping[str, float] | None = None,
    clicks: str = "",
    lengths: str = "",
    encoding: str = "",
    depth: int | None = None,
    tells_documents: bool = False,
    only: Sequence[str] | None = None,
) -> ScoreTable:
    """Read qrels and runs strictly and compute their values.

    Args:
        files: qrels first, then at least one run; ``-`` is standard input.
        measures: the columns.
        scale: how grades are read; ``None`` for TREC's 0–4.
        conventions: what counts.
        view: rule that folds several grades of one document, where a table has them.
        weights: importance of queries by id; empty where all are alike, ``None`` where that is not said.
        clicks: file with impressions and clicks; ``""`` for none.
        lengths: file with lengths of documents; ``""`` for none.
        encoding: in which the files were saved that are not UTF-8; ``""`` where that is not said.
        depth: how many documents of each query are looked at; ``None`` for all.
        tells_documents: whether documents that nobody judged are told apart, as what two
            runs share asks for; values alone do not need it, and read faster without.
        only: ids of the queries that count; ``None`` for all.

    Raises:
        ParseError: a line of a file does not fit; nothing is computed.
        InputError: a file cannot be read or has nothing to offer.
    """
    asked = {measure.spec.facts for measure in measures}
    said = {ENCODING: encoding} if encoding else {}
    judged = _load_judgments(files[0], view, scale, said, by_subtopic="subtopics" in asked)
    counts = _read_clicks(clicks, said) if clicks else {}
    needs_all = counts or lengths or tells_documents
    numbers = _numbers_of_all(judged, counts) if needs_all else None
    is_single = conventions.scores == "single"
    runs = [
        run
        for name in files[1:]
        for run in _load_runs(name, judged, numbers, said, is_single=is_single)
    ]
    notes = [*_notes_of(judged, runs, files[0], view), *_say_strangers(judged, runs, files[0])]
    query_ids = list(
        dict.fromkeys([*judged.query_ids, *(q for run in runs for q in run.query_ids)])
    )
    query_ids = query_ids if only is None else _only(query_ids, only, files[0])
    places = {query: place for place, query in enumerate(query_ids)}
    shares = _shares(query_ids, weights)
    if shares is None and conventions.is_weighted:
        conventions = replace(conventions, is_weighted=False)
        notes.append(_("Files do not say how important queries are: each counts alike."))
    engine = Engine(
        len(query_ids), scale=scale, measures=measures, conventions=conventions, weights=shares
    )
    here = np.array([places.get(query, -1) for query in judged.query_ids], dtype=np.int32)
    queries = here[judged.queries]
    is_kept = queries >= 0
    engine.set_judgments(queries[is_kept], judged.documents[is_kept], judged.grades[is_kept])
    if counts and numbers is not None:
        known = (
            (query, document, what, float(count))
            for (query, document), found in counts.items()
            for what, count in zip(("impressions", "clicks"), found, strict=True)
        )
        engine.set_facts("clicks", pack_facts(known, places, numbers, ("clicks", "impressions")))
    _set_judged_facts(engine, judged, places)
    scored = []
    for key, (name, run) in enumerate(zip(_run_names(runs), runs, strict=True)):
        block = _block(run, places)
        block = block if depth is None else block.cut(depth)
        engine.add_run(key, block)
        scored.append(ScoredRun(name, run.source, key, block))
    if lengths and numbers is not None:
        engine.set_facts("lengths", _pack_lengths(Path(lengths), scored, numbers))
    scale_name = scale.name if scale else "TREC 0–4"
    grades = _distinct(judged.grades)
    notes += _note_scale(engine.measures, grades) if scale is None else []

    def documents_of(run: ScoredRun, query: int) -> list[str]:
        table = runs[run.key].table
        if table is None:
            table = read_strictly(run.source, "run", said).runs[0]
        return _ranked_ids(table, query_ids[query])

    return ScoreTable(
        engine,
        scored,
        query_ids,
        files[0],
        scale_name,
        grades,
        documents_of,
        notes=notes,
    )


def _notes_of(
    judged: _LoadedJudgments, runs: Sequence[_LoadedRun], source: str, view: str
) -> list[str]:
    """Return what was noticed in the files."""
    notes = [*judged.notes, *(f"{run.source}: {note}" for run in runs for note in run.notes)]
    if judged.n_folded:
        said = number_of(
            judged.n_folded,
            "{file}: {n} document has several grades; the view ‘{title}’ makes one of them.",
            "{file}: {n} documents have several grades; the view ‘{title}’ makes one of them.",
            file=source,
            title=_(view_rule(view).title),
        )
        notes.append(said)
    return notes


def _say_strangers(judged: _LoadedJudgments, runs: Sequence[_LoadedRun], source: str) -> list[str]:
    """Say of runs that no query of theirs is judged: their ids may be others.

    Raises:
        InputError: that is so of all runs; trec_eval refuses such files, too, also with -c.
    """
    known = set(judged.query_ids)
    strange = [run for run in runs if run.query_ids and known.isdisjoint(run.query_ids)]
    if not known or not strange:
        return []
    said = _(
        "No query is both in {judgments} (such as ‘{judged}’) and in {run} (such as ‘{ranked}’). If these are "
        "the same queries by other ids, import both into a project with --id-map, and score the project."
    )
    told = [
        said.format(
            judgments=source,
            run=run.source,
            judged=visible(judged.query_ids[0][:40]),
            ranked=visible(run.query_ids[0][:40]),
        )
        for run in strange
    ]
    if len(strange) == len(runs):
        raise InputError(told[0])
    return told


def _note_scale(measures: Sequence[Measure], grades: Sequence[float]) -> list[str]:
    """Say that values go by TREC's scale, where they do and nobody gave its highest grade."""
    names = [
        str(each)
        for each in measures
        if (each.spec.uses in {"p", "share"} or each.values.get("rel") == "gain")
        and not isinstance(each.values.get("max_rel"), int | float)
    ]
    if not names or not grades or grades[-1] >= TREC_MAX_GRADE:
        return []
    said = _(
        "{names}: which scale the grades are of is not said. It is taken for TREC’s, 0 to 4; with another one, "
        "such as --scale 0-3, the values are others."
    )
    return [said.format(names=", ".join(names))]


def _shares(
    query_ids: Sequence[str], weights: Mapping[str, float] | None
) -> npt.NDArray[np.float64] | None:
    """Return the importance of each query; ``None`` where that of none is known."""
    if weights is None or (weights and weights.keys().isdisjoint(query_ids)):
        return None
    # As a query has it of which a project is told nothing.
    return addable(np.array([float(weights.get(query, 1.0)) for query in query_ids]))


_FEW = 50


def _distinct(grades: npt.NDArray[np.float64]) -> list[float]:
    """Return the grades that occur, lowest first; where they are few, none of the many is looked at alone."""
    found = set[float]()
    while len(grades) and len(found) < _FEW:
        found.add(float(grades[0]))
        grades = grades[grades != grades[0]]
    return sorted(found.union(grades.tolist()))


def say_no_measures(names: Sequence[str]) -> list[str]:
    """Return which lines of trec_eval have no value of their own here, in a sentence if there are any."""
    lacking = name_no_measures(names)
    said = _("These lines of trec_eval are no measures, and are left out: {names}.")
    return [said.format(names=", ".join(lacking))] if lacking else []


_MOST_NAMED = 5


def note_grades(table: ScoreTable, *, is_trec_eval: bool) -> None:
    """Say of grades what another tool, or the scale, would not have."""
    given = [grade for grade in table.grades if grade >= 0]
    scale, fractions = table.engine.scale, [grade for grade in given if grade % 1]
    if is_trec_eval and fractions:
        said = _(
            "{source} has grades such as {grade}, which are kept; trec_eval takes the whole number: {whole}."
        )
        first, whole = format_grade(fractions[0]), format_grade(fractions[0] // 1)
        told = said.format(source=table.judgments_source, grade=first, whole=whole)
        table.notes.append(told)
    strange = [grade for grade in given if scale is not None and not scale.has_grade(grade)]
    if strange and scale is not None:
        said = _(
            "{source} has grades that are not on the scale {scale}: {grades}. They are worth what "
            "the levels beside them are, in between by their distance."
        )
        told = said.format(
            source=table.judgments_source,
            scale=scale.name,
            grades=listed(
                [*map(format_grade, strange[:_MOST_NAMED]), *["…"][: len(strange) > _MOST_NAMED]]
            ),
        )
        table.notes.append(told)


def _only(query_ids: Sequence[str], wanted: Sequence[str], source: str) -> list[str]:
    """Return those queries that are wanted, in the order in which they stand in the files.

    Raises:
        InputError: one of them is neither judged nor in a run.
    """
    lacking = set(wanted).difference(query_ids)
    if lacking:
        raise InputError(
            _("There is no query ‘{name}’ in {source} or in a run.").format(
                name=min(lacking), source=source
            )
        )
    kept = set(wanted)
    return [query for query in query_ids if query in kept]


def _load_judgments(
    name: str,
    view: str,
    scale: Scale | None,
    said: Mapping[str, str],
    *,
    by_subtopic: bool = False,
) -> _LoadedJudgments:
    """Return judgments: by the scanner if the file is plain, else read line by line.

    Args:
        name: the file, ``-`` for standard input.
        view: rule that folds several grades of one document.
        scale: to whose grades it may round; ``None`` for whole ones.
        said: the encoding, where a person names it: the scanner knows UTF-8 alone.
        by_subtopic: whether column two of qrels, where it differs, holds subtopics.
    """
    scanned = None if name == "-" or said else scan_qrels(Path(name))
    if scanned is not None:
        return _LoadedJudgments(
            scanned.query_ids,
            scanned.judged.texts,
            scanned.queries,
            scanned.documents,
            scanned.grades,
            scanned.judged,
        )
    subtopics = {"column_two": "subtopic"} if by_subtopic else {}
    reading = read_strictly(name, "judgments", {**said, **subtopics})
    assert reading.judgments is not None
    grades, n_folded = _fold_grades(reading.judgments, view, scale)
    numbers: dict[str, int] = {}
    rows = [
        (place, numbers.setdefault(document, len(numbers)), grade)
        for place, judged in enumerate(grades.values())
        for document, grade in judged.items()
    ]
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 3).T
    return _LoadedJudgments(
        list(grades),
        lambda: list(numbers),
        columns[0].astype(np.int32),
        columns[1].astype(np.int32),
        columns[2],
        IdTable(words_of_texts(list(numbers))),
        [f"{reading.source}: {note}" for note in (*reading.notes, *_what_was_taken(reading))],
        n_folded,
        reading.subtopics,
        reading.samples,
    )


def _fold_grades(table: "JudgmentTable", view: str, scale: Scale | None) -> tuple[Grades, int]:
    """Return one grade by query and document, and how many documents had several.

    A negative grade ('in the pool, not judged') counts only where there is no other.

    Args:
        table: judgments of one or several assessors.
        view: name of the rule.
        scale: to whose grades it may round; ``None`` for whole ones.
    """
    said: defaultdict[str, dict[str, list[Said]]] = defaultdict(dict)
    columns = zip(table.query_ids, table.document_ids, table.grades, strict=True)
    for row, (query, document, grade) in enumerate(columns):
        if grade is not None:
            details = table.details.get(row)
            at = details.at if details else None
            # All of a file makes one step, as an import does; what has no time is of now.
            one = Said(grade, 0, _NOW if at is None else at)
            said[query].setdefault(document, []).append(one)
    fold = view_rule(view, scale).fold
    n_folded = 0
    folded: Grades = {}
    for query, documents in said.items():
        folded[query] = {}
        for document, entries in documents.items():
            given = [entry for entry in entries if entry.grade >= 0]
            n_folded += len(given) > 1
            folded[query][document] = fold(given) if given else entries[0].grade
    return folded, n_folded


def read_strictly(name: str, what: str, answers: Mapping[str, str] | None = None) -> "Reading":
    """Read a file of some kind strictly: what was left out silently would change the values."""
    # Most files are plain, and need no reader.
    from judgetool.formats import (  # noqa: PLC0415 - see above
        ColumnsNeededError,
        Kind,
        raise_first_refusal,
        read_file,
        read_stream,
    )

    kind = Kind(what)
    try:
        reading = (
            read_stream(sys.stdin.buffer, kind=kind, answers=answers or {}, is_of_several=True)
            if name == "-"
            else read_file(Path(name), kind=kind, answers=answers or {}, is_of_several=True)
        )
    except ColumnsNeededError as problem:
        if not problem.found:
            raise
        # Only an import can be told what columns are.
        option = {"judgments": "--qrels"}.get(what, f"--{what}")
        command = f"judgetool import PROJECT {option} {shlex.quote(name)} --column HEADER=ROLE"
        raise ParseError(
            _(
                "{found} Nothing of the file was used; name its columns so, or import it into a "
                "project and say there what each column is: {command}"
            ).format(found=problem.found, command=command),
            source=problem.source,
            line=problem.line,
        ) from problem
    raise_first_refusal(reading)
    shown = _("standard input") if name == "-" else name
    if kind is Kind.RUN and not any(len(run.documents) for run in reading.runs):
        raise InputError(_("{name} has no results; expected a run.").format(name=shown))
    if kind is Kind.JUDGMENTS and not (reading.judgments and reading.judgments.query_ids):
        raise InputError(
            _("{name} has no judgments; expected qrels. Nothing was scored.").format(name=shown)
        )
    return reading


def _read_clicks(name: str, said: Mapping[str, str]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return impressions and clicks by query and document, positions added up."""
    reading = read_strictly(name, "clicks", said)
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for row in reading.clicks:
        shown, clicked = counts.get((row.query_id, row.document_id), (0, 0))
        counts[row.query_id, row.document_id] = shown + row.impressions, clicked + row.clicks
    return counts


def _set_judged_facts(engine: Engine, judged: _LoadedJudgments, queries: Mapping[str, int]) -> None:
    """Give the engine what judgments say beside one grade for each document."""
    if not (judged.subtopics or judged.samples):
        return
    documents = {document: at for at, document in enumerate(judged.list_documents())}
    if judged.subtopics:
        engine.set_facts("subtopics", pack_facts(judged.subtopics, queries, documents))
    if judged.samples:
        samples = pack_facts(judged.samples, queries, documents, SAMPLE_COLUMNS)
        engine.set_facts("samples", samples)


def _pack_lengths(path: Path, runs: Sequence[ScoredRun], numbers: Mapping[str, int]) -> FactTable:
    """Return the lengths of the runs' documents.

    Raises:
        InputError: one of them has none.
    """
    # Few ask for it.
    from judgetool.formats.reading import read_lengths  # noqa: PLC0415 - see above

    known = read_lengths(path)
    lengths = np.array([known.get(document, np.nan) for document in numbers])
    for run in runs:
        lacking = run.block.documents[np.isnan(lengths[run.block.documents])]
        if len(lacking):
            document = list(numbers)[int(lacking[0])]
            raise InputError(
                number_of(
                    len(np.unique(lacking)),
                    "{path} has no length of {n} document of {run}, such as ‘{document}’. Nothing "
                    "was computed.",
                    "{path} has no length of {n} documents of {run}, such as ‘{document}’. Nothing "
                    "was computed.",
                    path=path,
                    run=run.name,
                    document=document,
                )
            )
    return pack_lengths([run.block for run in runs], lengths)


def _numbers_of_all(
    judged: _LoadedJudgments, counts: Mapping[tuple[str, str], object]
) -> dict[str, int]:
    """Return a number for each judged or clicked document; those of runs are added as they come."""
    known = [*judged.list_documents(), *(document for _, document in counts)]
    return {document: number for number, document in enumerate(dict.fromkeys(known))}


def _load_runs(
    name: str,
    judged: _LoadedJudgments,
    numbers: dict[str, int] | None,
    said: Mapping[str, str],
    *,
    is_single: bool,
) -> list[_LoadedRun]:
    """Return a file's runs: by the scanner if it is plain, else read line by line.

    The scanner knows judged documents alone; with ``numbers`` every one has its own.
    """
    if numbers is not None:
        return _read_runs(name, numbers, said, is_single=is_single)
    scanned = None if name == "-" or is_single or said else scan_run(Path(name), judged.judged)
    if scanned is None:
        known = {document: number for number, document in enumerate(judged.list_documents())}
        return _read_runs(name, known, said, is_single=is_single, unknown=len(known))
    documents = scanned.documents
    documents[documents < 0] = judged.unjudged
    run = _LoadedRun(
        scanned.name,
        str(Path(name)),
        scanned.query_ids,
        scanned.offsets,
        documents,
        scanned.notes,
        table=None,
    )
    return [run]


def _read_runs(
    name: str,
    numbers: dict[str, int],
    said: Mapping[str, str],
    *,
    is_single: bool,
    unknown: int | None = None,
) -> list[_LoadedRun]:
    """Read runs; documents without a number become ``unknown``, or get the next one."""
    reading = read_strictly(name, "run", said)
    runs = []
    for place, table in enumerate(reading.runs):
        run = _ordered_by_single(table) if is_single else table
        numbered = (
            numbers.setdefault(document, len(numbers))
            if unknown is None
            else numbers.get(document, unknown)
            for document in run.document_ids
        )
        codes = np.fromiter(numbered, np.int32, len(run.document_ids))
        documents = codes[run.documents]
        # A file's notes are of all its runs, and are said once.
        notes = [] if place else [*reading.notes, *_what_was_taken(reading)]
        runs.append(
            _LoadedRun(
                run.name, reading.source, run.query_ids, run.offsets, documents, notes, table=run
            )
        )
    return runs


_TAKEN = {
    (SCORE_COMMA, "decimal"): N_(
        "Commas in scores are taken to stand before decimals, not between thousands: 1,234 is between 1 and 2."
    ),
    (QUOTES, "no"): N_(
        "Quotation marks around cells, as a spreadsheet or R writes them, are left out: they are no part of ids."
    ),
    (QUOTES, "yes"): N_("Quotation marks around cells are kept, as a part of ids."),
}


def _what_was_taken(reading: "Reading") -> list[str]:
    """Return what commas and quotation marks were taken for, where there are any: nobody was asked."""
    otherwise = _(
        "If that is wrong, import the file with --answer {answer}, and score the project."
    )
    return [
        f"{_(_TAKEN[question.name, question.answer])} {otherwise.format(answer=f'{question.name}={other}')}"
        for question in reading.open_questions
        if (question.name, question.answer) in _TAKEN
        for other in question.choices
        if other != question.answer
    ]


def _block(run: _LoadedRun, places: dict[str, int]) -> RunBlock:
    """Return a run in the engine's terms, its queries in the order of their numbers."""
    lengths = np.zeros(len(places), dtype=np.int64)
    kept = [(row, places[query]) for row, query in enumerate(run.query_ids) if query in places]
    rows, query_places = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    lengths[query_places] = np.diff(run.offsets)[rows]
    offsets = edges_of(lengths)
    documents = run.documents
    if len(kept) < len(run.query_ids) or not (np.diff(query_places) > 0).all():
        parts = {place: documents[run.offsets[row] : run.offsets[row + 1]] for row, place in kept}
        none = np.zeros(0, dtype=documents.dtype)
        documents = np.concatenate([none, *(parts[place] for place in sorted(parts))])
    return RunBlock(offsets, documents)


def _ordered_by_single(run: "RunTable") -> "RunTable":
    """Return a run ordered by its scores as 32-bit numbers, as old tools compare them."""
    if run.scores is None:
        return run
    scores = run.scores.astype(np.float32).astype(np.float64)
    order = np.arange(len(scores))
    for row in range(len(run.query_ids)):
        its = slice(int(run.offsets[row]), int(run.offsets[row + 1]))
        ids = [run.document_ids[code] for code in run.documents[its].tolist()]
        order[its] = score_order(scores[its], ids) + its.start
    return replace(run, documents=run.documents[order], scores=scores[order])


def _ranked_ids(run: "RunTable", query_id: str) -> list[str]:
    """Return a query's documents, best first; empty when the run lacks it."""
    if query_id not in run.query_ids:
        return []
    row = run.query_ids.index(query_id)
    its = run.documents[run.offsets[row] : run.offsets[row + 1]]
    return [run.document_ids[code] for code in its.tolist()]


def _run_names(runs: Sequence[_LoadedRun]) -> list[str]:
    """Return a name for each run: its own, or its file where two have the same."""
    own = [run.name for run in runs]
    names = [run.name if own.count(run.name) == 1 else run.source for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({number})"
        for number, name in enumerate(names, 1)
    ]
