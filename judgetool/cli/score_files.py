"""Values from files alone: qrels and runs."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import numpy.typing as npt

from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.core.rankings import score_order
from judgetool.core.scale import Scale
from judgetool.core.views import Said, view_rule
from judgetool.errors import InputError
from judgetool.formats import (
    JudgmentTable,
    Kind,
    Reading,
    RunTable,
    raise_first_refusal,
    read_file,
    read_stream,
)
from judgetool.metrics import Conventions, Engine, Measure, RunBlock

Grades = dict[str, dict[str, float]]


def load_score_files(
    files: Sequence[str],
    measures: Sequence[Measure],
    *,
    scale: Scale | None,
    conventions: Conventions,
    view: str,
) -> ScoreTable:
    """Read qrels and runs strictly and compute their values.

    Args:
        files: qrels first, then at least one run; ``-`` is standard input.
        measures: the columns.
        scale: how grades are read; ``None`` for TREC's 0–4.
        conventions: what counts.
        view: rule that folds several grades of one document, where a table has them.

    Raises:
        ParseError: a line of a file does not fit; nothing is computed.
        InputError: a file cannot be read or has nothing to offer.
    """
    readings = [_read(files[0], Kind.JUDGMENTS), *(_read(name, Kind.RUN) for name in files[1:])]
    table = readings[0].judgments or JudgmentTable()
    grades, n_folded = fold_grades(table, view)
    notes = [f"{reading.source}: {note}" for reading in readings for note in reading.notes]
    if n_folded:
        notes.append(
            f"{files[0]}: {n_folded:,} documents have several grades; the view "
            f"‘{view_rule(view).title}’ makes one of them."
        )
    runs = [(reading.source, run) for reading in readings[1:] for run in reading.runs]
    query_ids = list(dict.fromkeys([*grades, *(q for _, run in runs for q in run.query_ids)]))
    documents = dict.fromkeys(document for judged in grades.values() for document in judged)
    numbers = {document: number for number, document in enumerate(documents)}
    engine = Engine(len(query_ids), scale=scale, measures=measures, conventions=conventions)
    engine.set_judgments(*_triples(grades, numbers))
    places = {query: place for place, query in enumerate(query_ids)}
    scored = []
    for key, (name, (source, run)) in enumerate(zip(_run_names(runs), runs, strict=True)):
        block = _block(run, places, numbers, is_single=conventions.scores == "single")
        engine.add_run(key, block)
        scored.append(ScoredRun(name, source, key, block))
    scale_name = scale.name if scale else "TREC 0–4"
    highest = max((grade for judged in grades.values() for grade in judged.values()), default=-inf)

    def documents_of(run: ScoredRun, query: int) -> list[str]:
        return _ranked_ids(runs[run.key][1], query_ids[query], conventions)

    return ScoreTable(
        engine, scored, query_ids, files[0], scale_name, highest, documents_of, notes=notes
    )


def fold_grades(table: JudgmentTable, view: str) -> tuple[Grades, int]:
    """Return one grade by query and document, and how many documents had several.

    A negative grade ('in the pool, not judged') counts only where there is no other.

    Args:
        table: judgments of one or several assessors.
        view: name of the rule.
    """
    said: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    for query, document, grade in zip(
        table.query_ids, table.document_ids, table.grades, strict=True
    ):
        if grade is not None:
            said[query].setdefault(document, []).append(grade)
    fold = view_rule(view).fold
    n_folded = 0
    folded: Grades = {}
    for query, documents in said.items():
        folded[query] = {}
        for document, grades in documents.items():
            given = [grade for grade in grades if grade >= 0]
            n_folded += len(given) > 1
            # All of a file was given at once, so it makes one step.
            folded[query][document] = fold([Said(g, 0) for g in given]) if given else grades[0]
    return folded, n_folded


def _read(name: str, kind: Kind) -> Reading:
    """Read a file strictly: what was left out silently would change the values."""
    reading = (
        read_stream(sys.stdin.buffer, kind=kind)
        if name == "-"
        else read_file(Path(name), kind=kind)
    )
    raise_first_refusal(reading)
    if kind is Kind.RUN and not reading.runs:
        raise InputError(f"{name} has no results; expected a run.")
    return reading


def _triples(
    grades: Grades, numbers: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    rows = [
        (place, numbers[document], grade)
        for place, judged in enumerate(grades.values())
        for document, grade in judged.items()
    ]
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 3).T
    return columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2]


def _block(
    run: RunTable, places: dict[str, int], numbers: dict[str, int], *, is_single: bool
) -> RunBlock:
    """Return a run in the engine's terms; all documents that nobody judged are one number."""
    if is_single:
        run = _ordered_by_single(run)
    unjudged = len(numbers)
    numbered = (numbers.get(document, unjudged) for document in run.document_ids)
    codes = np.fromiter(numbered, np.int32, len(run.document_ids))
    lengths = np.zeros(len(places), dtype=np.int64)
    query_places = np.array([places[query] for query in run.query_ids], dtype=np.int64)
    lengths[query_places] = np.diff(run.offsets)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    documents = codes[run.documents]
    if not (np.diff(query_places) > 0).all():
        parts = {
            place: documents[run.offsets[row] : run.offsets[row + 1]]
            for row, place in enumerate(query_places.tolist())
        }
        documents = np.concatenate([parts[place] for place in sorted(parts)])
    return RunBlock(offsets, documents)


def _ordered_by_single(run: RunTable) -> RunTable:
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


def _ranked_ids(run: RunTable, query_id: str, conventions: Conventions) -> list[str]:
    """Return a query's documents, best first; empty when the run lacks it."""
    if query_id not in run.query_ids:
        return []
    if conventions.scores == "single":
        run = _ordered_by_single(run)
    row = run.query_ids.index(query_id)
    its = run.documents[run.offsets[row] : run.offsets[row + 1]]
    return [run.document_ids[code] for code in its.tolist()]


def _run_names(runs: Iterable[tuple[str, RunTable]]) -> list[str]:
    """Return a name for each run: its own, or its file where two have the same."""
    pairs = [(source, run.name) for source, run in runs]
    own = [name for _, name in pairs]
    names = [name if own.count(name) == 1 else source for source, name in pairs]
    return [
        name if names.count(name) == 1 else f"{name} ({number})"
        for number, name in enumerate(names, 1)
    ]
