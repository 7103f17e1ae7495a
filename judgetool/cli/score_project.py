"""Values from a project, of all its runs or of some."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np

from judgetool.cli.agreement import AgreementOutput
from judgetool.cli.options import no_such
from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.core.scale import Scale
from judgetool.core.views import view_rule
from judgetool.errors import InputError
from judgetool.metrics import Conventions, Measure
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.system_values import block_of_system, place_of_system
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.team.asking import pool_pairs
from judgetool.session.team.sample import ScoredBlock, estimate_scores, find_sample


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
    with open_project(path, read_only=True) as session:
        runs = _set_board(session, measures, run_names, (scale, conventions, view))
        engine = session.board.engine
        queries = session.material.queries
        pools = [np.array(session.board.pool(number)) for number in range(len(queries))]

        def documents_of(run: ScoredRun, query: int) -> list[str]:
            return _ranked_ids(path, run.name, query)

        return ScoreTable(
            engine,
            runs,
            [query.id for query in queries],
            str(path),
            (scale or session.scale).name,
            max(session.used_grades, default=-inf),
            documents_of,
            pool_of=pools.__getitem__,
            rules=comparison_rules(session),
        )


def _set_board(
    session: Session,
    measures: Sequence[Measure] | None,
    run_names: Sequence[str],
    how: tuple[Scale | None, Conventions | None, str],
) -> list[ScoredRun]:
    """Have the board compute what was asked for: scale, conventions, view; return the runs."""
    scale, conventions, view = how
    view_rule(view)
    session.set_view(view)
    runs = _chosen_runs(session, run_names)
    engine = session.board.engine
    if conventions is not None:
        engine.set_conventions(conventions)
    if scale is not None:
        engine.set_scale(scale)
    if measures is not None:
        engine.set_measures(measures)
    return runs


def score_by_model(
    path: Path,
    model: str,
    measures: Sequence[Measure] | None,
    run_names: Sequence[str],
    how: tuple[Scale | None, Conventions | None, str],
) -> tuple[AgreementOutput, list[str]]:
    """Estimate means of a project's runs from a model's grades and people's random sample.

    Args:
        path: the project.
        model: whose grades they are.
        measures: the columns; ``None`` takes the project's.
        run_names: which runs; empty for all.
        how: scale and conventions (``None`` for the project's) and view.

    Returns:
        What is printed, and sentences that say why something of it is missing.

    Raises:
        ProjectError: it cannot be opened.
        InputError: it has no such run or model, or no sample that people have judged.
    """
    with open_project(path, read_only=True) as session:
        runs = _set_board(session, measures, run_names, how)
        blocks = [ScoredBlock(run.name, run.key, run.block) for run in runs]
        rows = estimate_scores(session, model, blocks, pool_pairs(session))
        sample = find_sample(session)
    assert sample is not None
    drawn = {"each": sample.each, "seed": sample.seed, "n": len(sample.chosen)}
    facts: dict[str, object] = {"model": model, "sample": {**drawn, "of": sample.n_all}}
    notes = [f"{row.measure} {row.scope}: {row.reason}." for row in rows if row.reason]
    return AgreementOutput(str(path), rows, ("value", "low", "high"), facts), notes


def _chosen_runs(session: Session, names: Sequence[str]) -> list[ScoredRun]:
    """Return the named runs and what-ifs, in the engine; without names all runs.

    Raises:
        InputError: there is nothing of a name, or no run at all.
    """
    runs = {run.name: System("run", str(run.run_id), run.name) for run in session.material.runs}
    systems = {system.name: system for system in present_systems(session)} | runs
    for name in names:
        if name not in systems:
            raise no_such("run", name, session.path.name, systems)
    if not systems:
        raise InputError(
            f"{session.path.name} has no run yet. Bring one in with ‘judgetool import --run’."
        )
    sources = {str(run.run_id): run.source for run in session.material.runs}
    return [
        ScoredRun(
            name,
            sources[system.id] if system.kind == "run" else "what-if",
            place_of_system(session, system).key,
            block_of_system(session, system),
        )
        for name in (names or runs)
        for system in (systems[name],)
    ]


def _ranked_ids(path: Path, name: str, query: int) -> list[str]:
    """Return a query's documents in a run or what-if, best first."""
    with open_project(path, read_only=True) as session:
        run = next(iter(_chosen_runs(session, [name])))
        documents = run.block.ranking(query).tolist()
        ids = session.material.document_ids(documents)
        return [ids[document] for document in documents]
