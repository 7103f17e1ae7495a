"""One query as a what-if has it: the order it began with, and the order as it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgetool.core.reordering import Step, apply, pinned_documents
from judgetool.session.session import Session
from judgetool.session.whatifs import QuerySteps, WhatIf, whatif_book

Documents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One query as the what-if has it.

    Attributes:
        imported: the ranking before rules and steps.
        start: after the rules and before the steps.
        order: as it stands.
        steps: what was done to it.
        pinned: documents with a pin.
        assumed: assumed grades by document, also where a judgment counts by now.
        was: rank before any step by document, from 1.
        gone: documents taken out, in the order they had.
    """

    imported: Documents = ()
    start: Documents = ()
    order: Documents = ()
    steps: tuple[Step, ...] = ()
    pinned: frozenset[int] = frozenset()
    assumed: Mapping[int, float] = field(default_factory=dict)
    was: Mapping[int, int] = field(default_factory=dict)
    gone: Documents = ()


def read_sheet(session: Session, query: int, head: WhatIf | None, run_id: int | None) -> Sheet:
    """Return a query as a what-if has it.

    Args:
        session: the project.
        query: the query's number.
        head: the what-if; ``None`` for the run as it was imported.
        run_id: the run that it is made from; ``None`` without any.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """
    imported: Documents = ()
    if run_id is not None:
        imported = tuple(session.material.ranked_documents(run_id, query).tolist())
    start, done = imported, QuerySteps()
    if head is not None:
        book = whatif_book(session)
        start = tuple(book.start(head.id, query).tolist())
        imported = start if head.how == "fused" else imported
        done = book.steps(head.id, query)
    order = tuple(apply(start, done.steps).tolist())
    held = set(order)
    return Sheet(
        imported=imported,
        start=start,
        order=order,
        steps=done.steps,
        pinned=pinned_documents(start, done.steps),
        assumed=dict(done.grades),
        was=ranks_of(imported),
        gone=tuple(each for each in imported if each not in held),
    )


def ranks_of(order: Sequence[int]) -> dict[int, int]:
    """Return the rank of each document, from 1."""
    return {document: rank for rank, document in enumerate(order, 1)}
