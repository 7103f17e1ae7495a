"""The run or what-if that is written, by its name.

Scores of a what-if fall strictly, so that nobody orders it anew.
"""

from collections.abc import Iterator
from functools import partial

from judgetool.core.reordering import apply
from judgetool.errors import InputError
from judgetool.formats import RankedResult
from judgetool.formats.writers import RunSource
from judgetool.metrics import RunBlock
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.whatifs.book import base_block, unique_documents
from judgetool.session.whatifs.rules import apply_rules, match_documents
from judgetool.session.whatifs.stored import (
    WhatIf,
    find_whatif_named,
    load_query_steps,
    load_whatifs,
    touched_queries,
)
from judgetool.storage.material import RunRow


def whatif_run_source(session: Session, material: Material, name: str) -> RunSource | None:
    """Return the what-if of this name as a run to be written, or ``None`` if there is none.

    For any thread: nothing is read but the project's values and ``material``.

    Args:
        session: the project.
        material: read by a connection of the calling thread.
        name: of the what-if.

    Raises:
        InputError: the run that it was made from is no longer in the project.
    """
    head = find_whatif_named(session, name)
    if head is None:
        return None
    block = _block(session, material, head)
    return RunSource(head.name, len(block.documents), partial(_iter_rows, material, block))


def _block(session: Session, material: Material, head: WhatIf) -> RunBlock:
    block = base_block(material, head)
    if head.rules:
        matches = match_documents(head.rules, unique_documents([block]), material.iter_texts)
        block = apply_rules(block, head.rules, matches, material.queries)
    changed = {}
    for query in touched_queries(session, head.id):
        found = load_query_steps(session, head.id, query, material=material)
        if found.steps:
            changed[query] = apply(block.ranking(query), found.steps)
    return block.with_rankings(changed)


def _iter_rows(material: Material, block: RunBlock) -> Iterator[RankedResult]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranked = block.ranking(number).tolist()
        for place, document in enumerate(ranked):
            yield RankedResult(query.id, ids[document], float(len(ranked) - place))


def list_run_names(session: Session) -> tuple[str, ...]:
    """Return the names of all that can be written as a run: runs first, then what-ifs."""
    runs = [run.name for run in session.material.runs]
    return (*runs, *(whatif.name for whatif in load_whatifs(session)))


def find_run_source(
    session: Session, material: Material, names: tuple[str, ...]
) -> RunSource | None:
    """Return what is written of the run or what-if of the first name.

    For any thread.

    Args:
        session: the project.
        material: read by a connection of the calling thread.
        names: of runs; ``()`` is the first run of the project, if it has one.

    Raises:
        InputError: there is no run and no what-if of this name; the text lists them.
    """
    if not names and not material.runs:
        return None
    name = names[0] if names else material.runs[0].name
    is_whatif = material.find_run(name) is None and find_whatif_named(session, name) is not None
    if is_whatif:
        return whatif_run_source(session, material, name)
    run = find_stored_run(session, material, name)
    n_results = len(material.block(run.run_id).documents)
    return RunSource(run.name, n_results, partial(_iter_results, material, run.run_id))


def rule_gaps(session: Session, name: str) -> Iterator[str]:
    """Yield a sentence for each rule of a what-if that is kept and not run."""
    head = find_whatif_named(session, name)
    yield from (rule.gap for rule in (head.rules if head else ()) if rule.gap)


def find_stored_run(session: Session, material: Material, name: str) -> RunRow:
    """Return the run of this name.

    Raises:
        InputError: there is none; the text lists them.
    """
    run = material.find_run(name)
    if run is None:
        names = ", ".join(list_run_names(session)) or "none"
        raise InputError(f"There is no run {name!r} in {session.path.name}. It has: {names}.")
    return run


def _iter_results(material: Material, run_id: int) -> Iterator[RankedResult]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranking = material.ranking(run_id, number)
        for place, document in enumerate(ranking.documents.tolist()):
            score = None if ranking.scores is None else float(ranking.scores[place])
            yield RankedResult(query.id, ids[document], score)
