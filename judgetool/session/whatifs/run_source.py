"""A what-if as a run that can be written: scores fall strictly, so that nobody orders it anew."""

from collections.abc import Iterator
from functools import partial

from judgetool.core.reordering import apply
from judgetool.formats import RunRow
from judgetool.formats.writers import RunSource
from judgetool.metrics import RunBlock
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.whatifs.book import base_block, find_matches
from judgetool.session.whatifs.rules import apply_rules
from judgetool.session.whatifs.stored import (
    WhatIf,
    find_whatif_named,
    load_query_steps,
    touched_queries,
)


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
        matches = find_matches(material, head.rules, [block])
        block = apply_rules(block, head.rules, matches, material.queries)
    changed = {}
    for query in touched_queries(session, head.id):
        found = load_query_steps(session, head.id, query, material=material)
        if found.steps:
            changed[query] = apply(block.ranking(query), found.steps)
    return block.with_rankings(changed)


def _iter_rows(material: Material, block: RunBlock) -> Iterator[RunRow]:
    ids = material.document_ids()
    for number, query in enumerate(material.queries):
        ranked = block.ranking(number).tolist()
        for place, document in enumerate(ranked):
            yield RunRow(query.id, ids[document], float(len(ranked) - place))
