"""Values from a project, of all its runs or of some."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np

from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.core.scale import Scale
from judgetool.core.views import view_rule
from judgetool.errors import InputError
from judgetool.metrics import Conventions, Measure
from judgetool.session.opening import open_project
from judgetool.session.session import Session


def load_score_project(
    path: Path,
    measures: Sequence[Measure] | None,
    *,
    run_names: Sequence[str],
    scale: Scale | None,
    conventions: Conventions | None,
    view: str,
) -> ScoreTable:
    """Open a project for looking and compute values of its runs.

    Args:
        path: the project; a window may have it open.
        measures: the columns; ``None`` takes the project's.
        run_names: which runs; empty for all.
        scale: how grades are read; ``None`` for the project's.
        conventions: what counts; ``None`` for the project's own.
        view: rule that folds several grades of one document.

    Raises:
        ProjectError: it cannot be opened.
        InputError: it has no such run, or none at all.
    """
    view_rule(view)
    with open_project(path, read_only=True) as session:
        runs = _chosen_runs(session, run_names)
        session.set_view(view)
        engine = session.board.engine
        if conventions is not None:
            engine.set_conventions(conventions)
        if scale is not None:
            engine.set_scale(scale)
        if measures is not None:
            engine.set_measures(measures)
        queries = session.material.queries
        pools = [np.array(session.board.pool(number)) for number in range(len(queries))]

        def documents_of(run: ScoredRun, query: int) -> list[str]:
            return _ranked_ids(path, run.key, query)

        return ScoreTable(
            engine,
            runs,
            [query.id for query in queries],
            str(path),
            (scale or session.scale).name,
            max(session.used_grades, default=-inf),
            documents_of,
            pool_of=pools.__getitem__,
        )


def _chosen_runs(session: Session, names: Sequence[str]) -> list[ScoredRun]:
    runs = {run.name: run for run in session.material.runs}
    for name in names:
        if name not in runs:
            known = ", ".join(runs) or "none"
            raise InputError(f"There is no run {name!r} in {session.path.name}. It has: {known}.")
    if not runs:
        raise InputError(
            f"{session.path.name} has no run yet. Bring one in with ‘judgetool import --run’."
        )
    return [
        ScoredRun(name, runs[name].source, runs[name].run_id, session.material.block(run_id))
        for name in (names or runs)
        for run_id in (runs[name].run_id,)
    ]


def _ranked_ids(path: Path, run_id: int, query: int) -> list[str]:
    """Return a query's documents in a run, best first."""
    with open_project(path, read_only=True) as session:
        documents = session.material.ranked_documents(run_id, query).tolist()
        ids = session.material.document_ids(documents)
        return [ids[document] for document in documents]
