"""Choosing a pool in an open project: commands, what they would mean, and pools in files."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from judgetool.core.held_files import open_to_read
from judgetool.core.number_text import format_count, number_of
from judgetool.errors import InputError, ParseError, why_refused
from judgetool.session.board import are_among, build_pool, number_pairs, pair_keys, settled_pairs
from judgetool.session.commands import SetValues
from judgetool.session.pool import PairArrays, Pool
from judgetool.session.pool_policy import ADDED_KEY, PoolChoice, PoolPolicy, set_pool
from judgetool.session.session import Session
from judgetool.storage.ids import load_id_texts
from judgetool.wording import _


def read_pool_file(path: Path) -> PoolPolicy:
    """Read a pool from a file: a query id and a document id in each line.

    They are parted by a tab, or by blanks where a line has no tab. Empty lines are
    left out; a pair that stands twice counts once.

    Args:
        path: the file, plain or packed by gzip, in any encoding that other files may have.

    Returns:
        A policy of kind ``file`` with the pairs in the file's order.

    Raises:
        ParseError: lines have no two ids; it names the first. Nothing is kept.
        InputError: the file cannot be opened, or has no pairs.
    """
    refusals: list[tuple[int | None, str]] = []
    pairs: dict[str, dict[str, None]] = {}
    for line, words in _iter_lines(path, refusals):
        if len(words) != 2 or not all(words):
            reason = number_of(
                len(words),
                "expected a query id and a document id, found {n} column",
                "expected a query id and a document id, found {n} columns",
            )
            refusals.append((line, reason))
            continue
        pairs.setdefault(words[0], {})[words[1]] = None
    if refusals:
        line_number, reason = refusals[0]
        count = len(refusals)
        more = (
            "; " + _("{count} lines are like it").format(count=format_count(count))
            if count > 1
            else ""
        )
        raise ParseError(
            f"{reason}{more}. {_('Nothing was kept; the pool stays as it was.')}",
            source=str(path),
            line=line_number,
        )
    if not pairs:
        raise InputError(
            _(
                "{path} has no lines. Each line of a pool file is a query id and a document id, "
                "parted by a tab. The pool stays as it was."
            ).format(path=path)
        )
    return PoolPolicy("file", pairs={query: tuple(found) for query, found in pairs.items()})


def _iter_lines(
    path: Path, refusals: list[tuple[int | None, str]]
) -> Iterator[tuple[int, list[str]]]:
    from judgetool.formats.source import TextSource  # noqa: PLC0415 - the window starts without it

    def refuse(line: int | None, reason: str) -> None:
        refusals.append((line, reason))

    try:
        with open_to_read(path) as stream:
            for block in TextSource(str(path), stream).blocks(refuse):
                for number, line in enumerate(block.lines, block.first):
                    if line.strip(" \t"):
                        words = line.split("\t") if "\t" in line else line.split(" ")
                        yield number, words if "\t" in line else [word for word in words if word]
    except OSError as problem:
        raise InputError(
            _("{path} cannot be read: {problem}.").format(path=path, problem=why_refused(problem))
        ) from problem


def choose_pool(session: Session, policy: PoolPolicy) -> SetValues:
    """Return the command that chooses a pool; of ``unjudged`` it fixes the documents now.

    Raises:
        CommandRefusedError: the pool would have no documents.
    """
    return set_pool(freeze_unjudged(session, policy))


def freeze_unjudged(session: Session, policy: PoolPolicy) -> PoolPolicy:
    """Return the policy with the documents that are unjudged now; any other as it is.

    Unjudged is what nobody whose judgments count in the chosen view has graded or said
    to be impossible to judge.
    """
    if policy.kind != "unjudged":
        return policy
    queries, documents = _open_pairs(session, policy)
    numbers, places = np.unique(documents, return_inverse=True)
    ids = load_id_texts(session.reader, numbers)
    pairs: dict[str, tuple[str, ...]] = {}
    ends = np.searchsorted(queries, np.arange(session.board.n_queries + 1)).tolist()
    for query, (start, end) in zip(session.material.queries, pairwise(ends), strict=True):
        if start < end:
            pairs[query.id] = tuple(ids[place] for place in places[start:end].tolist())
    return PoolPolicy("unjudged", policy.depth, policy.runs, pairs)


def _open_pairs(session: Session, policy: PoolPolicy) -> PairArrays:
    """Return what is unjudged in the first ranks of the policy's runs, query by query."""
    whole = build_pool(
        session.material,
        PoolChoice(PoolPolicy("depth", policy.depth, policy.runs)),
        session.board.heard,
    )
    queries, documents = whole.pairs()
    settled = settled_pairs(session.board).keys
    is_open = ~are_among(pair_keys(queries, documents), settled)
    return PairArrays(queries[is_open], documents[is_open].astype(np.int64))


def preview_pool(session: Session, policy: PoolPolicy) -> tuple[int, int]:
    """Return how many documents a pool would have, and how many of them are unjudged.

    What was added by hand is counted too.
    """
    pool = _preview_unjudged(session, policy) if policy.kind == "unjudged" else None
    pool = pool or build_pool(
        session.material, PoolChoice(policy, session.pool_choice.added), session.board.heard
    )
    pool.count_settled(session.board.all_settled())
    progress = pool.total_progress()
    return progress.total, progress.total - progress.judged


def _preview_unjudged(session: Session, policy: PoolPolicy) -> Pool:
    """Return the pool of what is unjudged now; by numbers, which are much faster than ids."""
    added = number_pairs(session.material, session.pool_choice.added)
    both = zip(_open_pairs(session, policy), added, strict=True)
    return Pool(
        [], session.board.n_queries, policy.depth, extra=PairArrays(*map(np.concatenate, both))
    )


def add_to_pool(session: Session, query: int, documents: Iterable[int]) -> SetValues:
    """Return the command that adds documents to a query's pool, whatever the policy says.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of the documents; those in the pool already do no harm.
    """
    query_id = session.material.queries[query].id
    known = session.pool_choice.added.get(query_id, ())
    new = [session.material.document_id(number) for number in documents]
    after = list(dict.fromkeys([*known, *new]))
    return SetValues(
        {ADDED_KEY + query_id: after},
        f"Add to the pool of query {query_id}",
    )


def is_in_pool(session: Session, query: int, document: int) -> bool:
    """Whether a document of a query is to be judged."""
    return bool(np.any(session.board.pool(query) == document))
