"""Values from a project, of all its runs or of some."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from judgetool.cli.agreement import AgreementOutput
from judgetool.cli.options import NO_RUN, NO_SNAPSHOT, no_such
from judgetool.cli.score_table import Pool, ScoredRun, ScoreTable
from judgetool.errors import InputError
from judgetool.metrics import Measure
from judgetool.session.board import (
    ONLY_MINE,
    Board,
    left_out_notes,
    tied_notes,
    whose_judgments,
)
from judgetool.session.comparing.comparing import comparison_rules
from judgetool.session.comparing.snapshots import (
    Snapshot,
    find_snapshot_named,
    load_snapshots,
    present_systems,
    snapshot_board,
)
from judgetool.session.comparing.system_values import (
    ProjectLook,
    block_of_system,
    named_systems,
    open_look,
    place_of_system,
)
from judgetool.session.comparing.these_queries import Decision
from judgetool.session.deciding import DECIDE_KEY, counted_otherwise_text, decision_work
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.team.asking import pool_pairs
from judgetool.session.team.sample import (
    ScoredBlock,
    describe_ungraded,
    estimate_scores,
    find_sample,
)
from judgetool.wording import _, translated


def load_score_project(
    path: Path, look: ProjectLook, *, run_names: Sequence[str], snapshot: str | None = None
) -> ScoreTable:
    """Open a project for looking and compute values of its runs.

    Args:
        path: the project; a window may have it open.
        look: how it is looked at.
        run_names: which runs and what-ifs, those of snapshots as ‘name (snapshot)’; empty for
            all runs.
        snapshot: name of the snapshot whose runs are meant; ``None`` for the present.

    Raises:
        ProjectError: it cannot be opened.
        InputError: it has no such run or snapshot, or no run at all.
    """
    with open_look(path, look) as session:
        runs = _chosen_runs(session, run_names, snapshot)
        queries = session.material.queries
        frozen = None if snapshot is None else find_frozen(session, snapshot)
        board = session.board if frozen is None else snapshot_board(session, frozen.id)
        who = look.assessor if frozen is None else frozen.assessor

        def documents_of(run: ScoredRun, query: int) -> list[str]:
            with open_look(path, look) as again:
                (found,) = _chosen_runs(again, [run.name], snapshot)
                documents = found.block.ranking(query).tolist()
                ids = again.material.document_ids(documents)
                return [ids[document] for document in documents]

        return ScoreTable(
            session.board.engine,
            runs,
            [query.id for query in queries],
            str(path),
            (frozen or session).scale.name,
            session.used_grades,
            documents_of,
            notes=[
                *map(translated, left_out_notes(board.book, session.reader)),
                *tied_notes(board.n_tied, board.view),
            ],
            pool_of=_pools(session.board),
            rules=comparison_rules(session),
            has_decisions=bool(session.values(DECIDE_KEY)),
            whose=whose_judgments(board.view, who),
            judged={"view": board.view} | ({"assessor": who} if board.view == ONLY_MINE else {}),
        )


def find_decisions(
    path: Path, look: ProjectLook, pairs: Sequence[tuple[str, str, Measure]]
) -> tuple[dict[tuple[str, Measure], Decision | None], list[str]]:
    """Return how drawing by lot stands, by run and measure, where somebody asked.

    After it stands what is decided by other judgments than are looked at, in sentences.

    Args:
        path: the project.
        look: how it is looked at.
        pairs: names of a run and of the baseline, and the measure.

    Raises:
        ProjectError: it cannot be opened.
    """
    with open_look(path, look) as session:
        known = {each.name: each for each in present_systems(session)}
        asked = [
            (run, known[run], known[baseline], measure)
            for run, baseline, measure in pairs
            if {run, baseline} <= known.keys()
        ]
        found = {
            (run, measure): decide(None, None)()
            for run, first, second, measure in asked
            if (decide := decision_work(session, first, second, measure))
        }
        notes = [
            counted_otherwise_text(session, first, second, measure)
            for _run, first, second, measure in asked
        ]
    return found, list(filter(None, notes))


def _pools(board: Board) -> Pool:
    """Return what is to be judged by query, also after the project is closed."""
    return [np.array(board.pool(query)) for query in range(board.n_queries)].__getitem__


def find_frozen(session: Session, name: str) -> Snapshot:
    """Return the snapshot of a name.

    Raises:
        InputError: there is none.
    """
    found = find_snapshot_named(session, name)
    if found is None:
        names = [each.name for each in load_snapshots(session)]
        raise no_such(NO_SNAPSHOT, name, session.path.name, names)
    return found


def score_by_model(
    path: Path, model: str, look: ProjectLook, run_names: Sequence[str]
) -> tuple[AgreementOutput, list[str]]:
    """Estimate means of a project's runs from a model's grades and people's random sample.

    Args:
        path: the project.
        model: whose grades they are.
        look: how the project is looked at.
        run_names: which runs; empty for all.

    Returns:
        What is printed, and sentences that say what the model left out and why a value is missing.

    Raises:
        ProjectError: it cannot be opened.
        InputError: it has no such run or model, or no sample that people have judged.
    """
    with open_look(path, look) as session:
        runs = _chosen_runs(session, run_names, None)
        blocks = [ScoredBlock(run.name, run.key, run.block) for run in runs]
        pairs = pool_pairs(session)
        rows = estimate_scores(session, model, blocks, pairs)
        ungraded = describe_ungraded(session, model, pairs)
        sample = find_sample(session)
    assert sample is not None
    drawn = {"each": sample.each, "seed": sample.seed, "n": len(sample.chosen)}
    facts: dict[str, object] = {"model": model, "sample": {**drawn, "of": sample.n_all}}
    notes = [f"{row.measure} {row.scope}: {row.reason}." for row in rows if row.reason]
    notes = [ungraded, *notes] if ungraded else notes
    return AgreementOutput(str(path), rows, ("value", "low", "high"), facts), notes


def _chosen_runs(session: Session, names: Sequence[str], snapshot: str | None) -> list[ScoredRun]:
    return [_scored(session, system) for system in choose_systems(session, names, snapshot)]


def choose_systems(
    session: Session, names: Sequence[str], snapshot: str | None = None
) -> list[System]:
    """Return the named runs and what-ifs; without names all runs.

    Args:
        session: the project.
        names: of the present, those of snapshots as ‘name (snapshot)’.
        snapshot: whose they are instead, each by its own name.

    Raises:
        InputError: there is nothing of a name, or no run at all.
    """
    where, known = session.path.name, named_systems(session)
    if snapshot is not None:
        known, where = list(find_frozen(session, snapshot).systems), f"snapshot {snapshot}"
    if not known:
        raise InputError(
            _("{where} has no run yet. Bring one in with ‘judgetool import --run’.").format(
                where=where
            )
        )
    # Of equal names a run of the present is meant.
    known.sort(key=lambda each: (each.kind == "run", not each.snapshot))
    systems = {system.name: system for system in known}
    lacking = next((name for name in names if name not in systems), None)
    if lacking is not None:
        raise no_such(NO_RUN, lacking, where, [each.name for each in reversed(known)])
    is_past = snapshot is not None
    usual = [each.name for each in known if each.kind == "run" and bool(each.snapshot) == is_past]
    return [systems[name] for name in (names or usual)]


def _scored(session: Session, system: System) -> ScoredRun:
    board, key = place_of_system(session, system)
    sources = {str(run.run_id): run.source for run in session.material.runs}
    source = sources.get(system.id, "run") if system.kind == "run" else "what-if"
    block = block_of_system(session, system)
    if board is session.board:
        return ScoredRun(system.name, source, key, block)
    return ScoredRun(system.name, source, key, block, board.engine, _pools(board))
