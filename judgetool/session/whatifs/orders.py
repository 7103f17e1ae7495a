"""Orders that a person can apply to a ranking, documents that it missed, and what each step did."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.core.reordering import Replace
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.fusing import DEFAULT_K, fuse_rrf
from judgetool.wording import N_

Reason = Literal["judged relevant", "in another run", "found by its text"]
REASONS = (N_("judged relevant"), N_("in another run"), N_("found by its text"))
"""The same, for translators: who shows one translates it."""
_MOST_SEARCHED = 200_000


class Missed(NamedTuple):
    """A document that a ranking lacks.

    Attributes:
        document: its number.
        reason: why it is shown.
        grade: what it is judged; ``None`` where nobody did.
        best_rank: its best rank in any run for this query; ``None`` where no run has it.
    """

    document: int
    reason: Reason
    grade: float | None
    best_rank: int | None


def order_by_grade(
    session: Session,
    query: int,
    documents: npt.NDArray[np.integer],
    *,
    assumed: dict[int, float] | None = None,
) -> Replace:
    """Return documents by grade, best first: the ideal order of what a ranking holds.

    Args:
        session: the project.
        query: the query's number.
        documents: best first.
        assumed: grades that count where nobody judged.

    Returns:
        A step; of equal grades the order stays, and unjudged documents stand where a
        grade of 0 would.
    """
    settled = session.board.settled(query)
    grades = []
    for document in documents.tolist():
        effective = settled.get(document)
        grade = effective.grade if effective else None
        grades.append((assumed or {}).get(document, 0.0) if grade is None else grade)
    order = np.argsort(-np.array(grades), kind="stable")
    return Replace(tuple(np.asarray(documents)[order].tolist()), "sorted by grade")


def order_by_run(
    session: Session, query: int, documents: npt.NDArray[np.integer], system: System
) -> Replace:
    """Return documents as another run or what-if orders them; those it lacks follow as they stand."""
    other = ranking_of_system(session, system, query)
    present = set(documents.tolist())
    theirs = [document for document in other.tolist() if document in present]
    ordered = dict.fromkeys((*theirs, *documents.tolist()))
    return Replace(tuple(ordered), f"in the order of {system.name}")


def order_fused(
    session: Session,
    query: int,
    documents: npt.NDArray[np.integer],
    system: System,
    *,
    k: int = DEFAULT_K,
) -> Replace:
    """Return documents fused with another run's ranking, whose further documents come in."""
    other = ranking_of_system(session, system, query)
    names = session.material.document_ids
    fused = fuse_rrf([np.asarray(documents, dtype=np.int32), other], k=k, names=names)
    return Replace(tuple(fused.tolist()), f"fused with {system.name} (RRF, k = {k})")


def ranking_of_system(session: Session, system: System, query: int) -> IntArray:
    """Return a run's or a what-if's present ranking of a query, best first.

    Raises:
        InputError: the what-if is no longer in the project.
        KeyError: the run is no longer in the project.
    """
    if system.kind == "what-if":
        return whatif_book(session).ranking(system.id, query)
    return session.material.ranked_documents(int(system.id), query)


def find_missing(
    session: Session,
    query: int,
    documents: npt.NDArray[np.integer],
    text: str = "",
    *,
    limit: int = 50,
) -> list[Missed]:
    """Return documents that a ranking lacks and that might belong in it.

    Args:
        session: the project.
        query: the query's number.
        documents: what the ranking holds.
        text: only those with this in their id or title, upper and lower case alike;
            with it also documents that no run has found. ``""`` for all known ones.
        limit: at most so many, from 1.

    Returns:
        Judged relevant ones first, best grade first; then those of other runs, best
        rank first; then what the text alone finds, by id.
    """
    held = set(np.asarray(documents).tolist())
    ranks = _best_ranks(session, query)
    rows = _relevant(session, query, ranks)
    rows += [
        Missed(document, "in another run", _grade(session, query, document), rank)
        for document, rank in sorted(ranks.items(), key=lambda item: (item[1], item[0]))
    ]
    found: dict[int, Missed] = {}
    for row in rows:
        if row.document not in held and row.document not in found:
            found[row.document] = row
    kept = list(_with_text(session, found.values(), text, limit))
    if text and len(kept) < limit:
        known = held | {row.document for row in kept}
        kept += _searched(session, query, text, known, limit - len(kept))
    return kept[:limit]


def _grade(session: Session, query: int, document: int) -> float | None:
    effective = session.board.settled(query).get(document)
    return effective.grade if effective else None


def _best_ranks(session: Session, query: int) -> dict[int, int]:
    ranks: dict[int, int] = {}
    for run in session.material.runs:
        ranked = session.material.ranked_documents(run.run_id, query).tolist()
        for rank, document in enumerate(ranked, 1):
            if rank < ranks.get(document, rank + 1):
                ranks[document] = rank
    return ranks


def _relevant(session: Session, query: int, ranks: dict[int, int]) -> list[Missed]:
    relevant = session.scale.relevant_from
    rows = [
        Missed(document, "judged relevant", effective.grade, ranks.get(document))
        for document, effective in session.board.settled(query).items()
        if effective.grade is not None and effective.grade >= relevant
    ]
    return sorted(rows, key=lambda row: (-(row.grade or 0.0), row.best_rank or 1 << 40))


def _with_text(session: Session, rows: Iterable[Missed], text: str, limit: int) -> Iterator[Missed]:
    wanted, n_kept = text.casefold(), 0
    for row in rows:
        if n_kept >= limit:
            return
        if wanted:
            document = session.material.document(row.document)
            if wanted not in f"{document.id}\n{document.title}".casefold():
                continue
        n_kept += 1
        yield row


def _searched(session: Session, query: int, text: str, known: set[int], limit: int) -> list[Missed]:
    """Return documents with a text in their id or title that no row above has."""
    wanted = text.casefold()
    ids = session.material.document_ids()
    by_id = [number for number, name in ids.items() if wanted in name.casefold()]
    found = [each for each in sorted(by_id, key=ids.__getitem__) if each not in known][:limit]
    # Titles are read one by one: of very many documents only ids are searched.
    seen = known | set(by_id)
    for number in () if len(ids) > _MOST_SEARCHED else ids:
        if len(found) >= limit:
            break
        if number not in seen and wanted in session.material.document(number).title.casefold():
            found.append(number)
    return [
        Missed(number, "found by its text", _grade(session, query, number), None)
        for number in found
    ]
