"""The run or what-if that is written, by its name.

Scores of a what-if fall strictly, so that nobody orders it anew.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from judgetool.core.rankings import Ranking
from judgetool.core.reordering import apply
from judgetool.errors import InputError
from judgetool.formats import RankedResult
from judgetool.formats.writers import RunSource
from judgetool.metrics import RunBlock
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.whatifs.applying import match_documents
from judgetool.session.whatifs.book import base_block, ruled_block, unique_documents
from judgetool.session.whatifs.stored import (
    WhatIf,
    find_whatif_named,
    load_query_steps,
    load_whatifs,
    touched_queries,
)
from judgetool.storage.material import RunRow
from judgetool.wording import _


def _block(session: Session, material: Material, head: WhatIf) -> RunBlock:
    block = base_block(material, head)
    if head.rules:
        matches = match_documents(head.rules, unique_documents([block]), material.iter_texts)
        block = ruled_block(material, head, block, matches)
    changed = {}
    for query in touched_queries(session, head.id):
        found = load_query_steps(session, head.id, query, material=material)
        if found.steps:
            changed[query] = apply(block.ranking(query), found.steps)
    return block.with_rankings(changed)


def list_run_names(session: Session) -> tuple[str, ...]:
    """Return the names of all that can be written as a run: runs first, then what-ifs."""
    runs = [run.name for run in session.material.runs]
    return (*runs, *(whatif.name for whatif in load_whatifs(session)))


def find_run_source(
    session: Session, material: Material, names: tuple[str, ...]
) -> tuple[RunSource | None, list[str]]:
    """Return what is written of the run or what-if of the first name, and what is to be said of it.

    For any thread: nothing is read but the project's values and ``material``.

    Args:
        session: the project.
        material: read by a connection of the calling thread.
        names: of runs; ``()`` is the first run of the project, if it has one.

    Returns:
        ``None`` for a project without runs; and a sentence for each rule of a what-if that
        is kept and not run.

    Raises:
        InputError: there is no run and no what-if of this name; the text lists them. Or the
            run that a what-if was made from is no longer in the project.
    """
    if not names and not material.runs:
        return None, []
    name = names[0] if names else material.runs[0].name
    head = find_whatif_named(session, name) if material.find_run(name) is None else None
    find: Callable[[int], Ranking]
    if head is None:
        run_id = find_stored_run(session, material, name).run_id
        block, find = material.block(run_id), partial(material.ranking, run_id)
    else:
        block = _block(session, material, head)
        find = partial(_scored, block)
    gaps = [rule.gap for rule in (head.rules if head else ()) if rule.is_on and rule.gap]
    return RunSource(name, len(block.documents), partial(_iter_results, material, find)), gaps


def _scored(block: RunBlock, query: int) -> Ranking:
    """Return a ranking of a what-if with scores that fall strictly."""
    ranked = block.ranking(query)
    return Ranking(ranked, np.arange(len(ranked), 0, -1, dtype=np.float64))


def find_stored_run(session: Session, material: Material, name: str) -> RunRow:
    """Return the run of this name.

    Raises:
        InputError: there is none; the text lists them.
    """
    run = material.find_run(name)
    if run is None:
        names = ", ".join(list_run_names(session)) or "none"
        raise InputError(
            _("There is no run ‘{name}’ in {project}. It has: {names}.").format(
                name=name, project=session.path.name, names=names
            )
        )
    return run


def _iter_results(material: Material, find: Callable[[int], Ranking]) -> Iterator[RankedResult]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranking = find(number)
        for place, document in enumerate(ranking.documents.tolist()):
            score = None if ranking.scores is None else float(ranking.scores[place])
            yield RankedResult(query.id, ids[document], score)
