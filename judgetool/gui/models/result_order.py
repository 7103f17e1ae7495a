"""Which documents of a query the result list shows, in which order, and how they moved; no Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from judgetool.core.judgments import State
from judgetool.errors import InputError
from judgetool.gui.blindness import blind_order
from judgetool.session.board import ONLY_MINE
from judgetool.session.judgment_book import Opinion
from judgetool.session.pool import IntArray
from judgetool.session.queues.order import OrderKind, OrderPolicy, order_documents, order_of
from judgetool.session.queues.queue import list_documents, list_ranks
from judgetool.session.session import Session
from judgetool.wording import N_, _

_NOTHING: Mapping[int, str] = {}


def find_moves(session: Session, run_id: int | None, query: int) -> Mapping[int, str]:
    """Return ``↑3``, ``↓1``, ``new`` or ``gone`` by document; those that did not move have none.

    Args:
        session: the project.
        run_id: the run shown; without one nothing has moved.
        query: number of the query.

    Returns:
        Nothing where the project has no baseline, or one that is gone.
    """
    if run_id is None or session.value("baseline") is None:
        return _NOTHING
    # What it takes is loaded by the first project that has a baseline.
    from judgetool.session.comparing.system_values import (  # noqa: PLC0415 - said above
        baseline_ranking,
        find_baseline,
        move_in_words,
        movements,
    )
    from judgetool.session.systems import run_system  # noqa: PLC0415 - likewise

    baseline = find_baseline(session)
    if baseline is None:
        return _NOTHING
    try:
        before = baseline_ranking(session, baseline, run_system(session, run_id), query)
    except InputError:
        # The view in which the baseline was chosen says what has become of it.
        return _NOTHING
    if before is None:
        return _NOTHING
    found = movements(before, session.material.ranked_documents(run_id, query))
    return {document: move_in_words(sign) for document, sign in found.items() if sign}


_SHORT: Mapping[OrderKind, str] = {
    "rank": N_("by rank"),
    "id": N_("by document id"),
    "random": N_("random"),
    "interleaved": N_("round robin over runs"),
    "move_to_front": N_("move to front"),
    "stake": N_("by stake"),
}
NOT_IN_RUN = N_("Not in this run")
IN_NO_RUN = N_("Judged, in no run")


class DocumentMark(NamedTuple):
    """What is said of a document, as its chip and glyphs show it.

    Attributes:
        state: see :class:`State`.
        grade: folded grade of the view, ``None`` without one.
        is_flagged: someone marked it for discussion.
        has_note: someone wrote a note.
        has_rationale: someone kept pieces of the text with the judgment.
        confidence: how sure the assessor themself is, as in ``CONFIDENCES``.
    """

    state: State = State.UNJUDGED
    grade: float | None = None
    is_flagged: bool = False
    has_note: bool = False
    has_rationale: bool = False
    confidence: int | None = None


UNMARKED = DocumentMark()


def describe_order(policy: OrderPolicy) -> str:
    """Return an order as the status line says it: ``Order: random, seed 20417``.

    Returns:
        ``""`` for the usual order: by rank, query by query.
    """
    if policy.kind == "rank" and not policy.unjudged_first and not policy.across_queries:
        return ""
    return _("Order: {parts}").format(parts=_describe_parts(policy))


def _describe_parts(policy: OrderPolicy) -> str:
    parts = [_(_SHORT[policy.kind])]
    parts += [_("seed {seed}").format(seed=policy.seed)] * (policy.kind == "random")
    parts += [_("unjudged first")] * policy.unjudged_first
    parts += [_("across queries")] * policy.across_queries
    return ", ".join(parts)


class ResultOrder(Enum):
    """How results are ordered; the value is shown, of the queue its own order behind it."""

    RANK = N_("By rank")
    QUEUE = N_("Queue")
    UNJUDGED = N_("Unjudged first")
    GRADE = N_("By grade")


class ResultRow(NamedTuple):
    """One document in the list of a query.

    Attributes:
        document: its number.
        rank: place in the run's ranking, from 1; ``None`` if the run lacks it.
        score: what the system gave it, ``None`` if nothing.
        section: under which heading it stands by rank; ``""`` in the ranking.
    """

    document: int
    rank: int | None
    score: float | None
    section: str = ""


def queue_text(session: Session | None) -> str:
    """Return what the queue is called in the choice of orders; ``""`` where it is by rank anyway."""
    policy = order_of(session) if session is not None else OrderPolicy()
    if policy.kind == "rank" and not policy.unjudged_first:
        return ""
    said = _describe_parts(replace(policy, across_queries=False))
    return f"{_(ResultOrder.QUEUE.value)}: {said}"


def list_rows(
    session: Session, run_id: int | None, query: int, order: ResultOrder
) -> list[ResultRow]:
    """Return the rows of a query by the queue, or else by rank, with the run's ranks and scores."""
    policy = None if order is ResultOrder.QUEUE else OrderPolicy()
    documents, __ = list_documents(session, run_id, query, policy)
    in_no_run = _find_in_no_run(session, query, documents)
    if run_id is None:
        return [
            ResultRow(document, None, None, IN_NO_RUN if document in in_no_run else "")
            for document in documents.tolist()
        ]
    ranks = list_ranks(session, run_id, query, documents).tolist()
    given = session.material.ranking(run_id, query).scores
    scores = given.tolist() if given is not None else []
    return [
        ResultRow(
            document,
            rank or None,
            scores[rank - 1] if 0 < rank <= len(scores) else None,
            "" if rank else IN_NO_RUN if document in in_no_run else NOT_IN_RUN,
        )
        for document, rank in zip(documents.tolist(), ranks, strict=True)
    ]


def _find_in_no_run(session: Session, query: int, documents: IntArray) -> set[int]:
    """Return the documents that are listed because they are judged, not because a run has them."""
    board, material = session.board, session.material
    if not any(len(material.ranked_documents(run.run_id, query)) for run in material.runs):
        heard = set(board.heard(query))
        return heard if heard.issuperset(documents.tolist()) else set()
    return set(board.judged_beyond(query).tolist())


def list_blind_rows(session: Session, query: int) -> list[ResultRow]:
    """Return the pool of a query in an order that tells nothing, without ranks and scores."""
    documents = order_documents(session, query, blind_order(session))
    return [ResultRow(document, None, None) for document in documents.tolist()]


def find_marks(session: Session, query: int) -> dict[int, DocumentMark]:
    """Return what is said of a query's documents, by document; unmarked ones are left out."""
    said = session.board.settled(query).keys() | session.opinions(query).keys()
    marks = ((document, find_mark(session, query, document)) for document in said)
    return {document: mark for document, mark in marks if mark != UNMARKED}


def find_mark(session: Session, query: int, document: int) -> DocumentMark:
    """Return what is said of one document of a query."""
    effective = session.board.settled(query).get(document)
    opinions = session.opinions(query).get(document, [])
    if effective is not None:
        state = State.CANNOT_JUDGE if effective.grade is None else State.JUDGED
        grade = effective.grade
    else:
        state, grade = _own_state(session, opinions), None
    if session.board.view == ONLY_MINE:
        # Where others do not count they are not shown either: flags and notes would tell.
        opinions = [opinion for opinion in opinions if opinion.assessor == session.assessor]
    elif not session.standing.is_plain:
        # Likewise of a model, and of whoever else is left out.
        me = session.assessor
        opinions = [
            each for each in opinions if each.assessor == me or session.does_count(each.assessor)
        ]
    is_flagged = has_note = has_rationale = False
    confidence = None
    for opinion in opinions:
        said = opinion.judgment
        is_flagged = is_flagged or said.flagged
        has_note = has_note or bool(said.note)
        has_rationale = has_rationale or bool(said.spans)
        if opinion.assessor == session.assessor:
            confidence = said.confidence
    return DocumentMark(state, grade, is_flagged, has_note, has_rationale, confidence)


def _own_state(session: Session, opinions: Sequence[Opinion]) -> State:
    for opinion in opinions:
        if opinion.assessor == session.assessor and opinion.judgment.state is State.SKIPPED:
            return State.SKIPPED
    return State.UNJUDGED


def is_open(mark: DocumentMark) -> bool:
    """Whether a document is still to be judged; a skipped one is."""
    return mark.state in (State.UNJUDGED, State.SKIPPED)


def order_rows(
    rows: Sequence[ResultRow], marks: dict[int, DocumentMark], order: ResultOrder
) -> list[ResultRow]:
    """Return the rows in another order; equal ones stay by rank."""
    if order is ResultOrder.UNJUDGED:
        return sorted(rows, key=lambda row: not is_open(marks.get(row.document, UNMARKED)))
    if order is ResultOrder.GRADE:
        return sorted(rows, key=lambda row: _falling_grade(marks.get(row.document, UNMARKED)))
    return list(rows)


def _falling_grade(mark: DocumentMark) -> tuple[bool, float]:
    return mark.grade is None, -(mark.grade or 0.0)


def place_heads(rows: Sequence[ResultRow]) -> dict[int, str]:
    """Return above which places a heading stands, for rows by rank: place to heading."""
    sections = [row.section for row in rows]
    return {
        place: section
        for place, section in enumerate(sections)
        if section and (not place or sections[place - 1] != section)
    }


def place_cutoffs(rows: Sequence[ResultRow], cutoffs: Sequence[int]) -> dict[int, int]:
    """Return after which places the cutoffs cut: place to cutoff, for rows by rank.

    A cutoff that the ranking does not reach cuts nowhere.
    """
    places: dict[int, int] = {}
    for cutoff in sorted(cutoffs):
        above = [p for p, row in enumerate(rows) if row.rank is not None and row.rank <= cutoff]
        is_reached = any(row.rank is not None and row.rank >= cutoff for row in rows)
        if above and is_reached:
            places[above[-1]] = cutoff
    return places
