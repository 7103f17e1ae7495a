"""The work of finding which documents boost rules are about, for another thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from judgetool.core.reordering import apply
from judgetool.metrics import Engine, RunBlock
from judgetool.session.background import IsCancelled, Progress, checker
from judgetool.session.session import Session
from judgetool.session.whatifs.book import base_block, unique_documents, whatif_book
from judgetool.session.whatifs.rules import (
    Rule,
    RuleMatches,
    apply_rules,
    match_documents,
)
from judgetool.session.whatifs.stored import WhatIf, find_whatif, touched_queries
from judgetool.storage.material import iter_document_texts

# The only run of an engine of its own.
_TRIED = 0
# Less than four decimals show.
SAME = 0.00005


@dataclass(frozen=True, slots=True)
class RulesEffect:
    """What rules would do.

    Attributes:
        n_documents: distinct documents that any rule is about.
        n_queries: queries whose ranking would be another than the run's.
        means: of the what-if with these rules, in the order of the measures.
        n_better: queries whose value would rise, of each measure.
        n_worse: queries whose value would fall, likewise.
    """

    n_documents: int
    n_queries: int
    means: tuple[float | None, ...]
    n_better: tuple[int, ...]
    n_worse: tuple[int, ...]


def effect_work(
    session: Session, head: WhatIf, rules: Sequence[Rule]
) -> Callable[[Progress | None, IsCancelled | None], tuple[RuleMatches, RulesEffect]]:
    """Return the work of trying rules: ``work(progress, is_cancelled)``.

    Call this on the session's thread, the work on any.

    Args:
        session: the project.
        head: the what-if; what was moved by hand comes after the rules.
        rules: those to be tried.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """
    find = rule_work(session, head.id, rules)
    block = base_block(session.material, head)
    queries = session.material.queries
    book = whatif_book(session)
    steps = {query: book.steps(head.id, query) for query in touched_queries(session, head.id)}
    before = session.board.engine.values(book.engine_key(head.id))
    engine = _copied_engine(session)
    assumed = {query: done.grades for query, done in steps.items() if done.grades}

    def work(
        progress: Progress | None, is_cancelled: IsCancelled | None
    ) -> tuple[RuleMatches, RulesEffect]:
        matches = find(progress, is_cancelled)
        after = apply_rules(block, rules, matches, queries)
        n_changed = count_changed(block, after)
        checker(None, is_cancelled, "The rules are not worked out any more.")(0, 0)
        moved = {
            query: apply(after.ranking(query), done.steps)
            for query, done in steps.items()
            if done.steps
        }
        engine.add_run(_TRIED, after.with_rankings(moved), assumed=assumed)
        means = tuple(mean.value for mean in engine.means(_TRIED))
        change = (engine.values(_TRIED) - before).filled(0.0)
        better, worse = (change > SAME).sum(axis=0), (change < -SAME).sum(axis=0)
        counts = tuple(better.tolist()), tuple(worse.tolist())
        return matches, RulesEffect(count_documents(matches), n_changed, means, *counts)

    return work


def _copied_engine(session: Session) -> Engine:
    """Return an engine with what is judged now, which no later judgment touches."""
    board = session.board
    engine = Engine(
        len(session.material.queries),
        scale=board.scale,
        measures=board.engine.measures,
        conventions=board.engine.conventions,
        weights=board.weights,
    )
    judged = [
        (query, document, effective.grade)
        for query, settled in board.all_settled().items()
        for document, effective in settled.items()
        if effective.grade is not None
    ]
    engine.set_judgments(
        np.array([row[0] for row in judged], dtype=np.int32),
        np.array([row[1] for row in judged], dtype=np.int32),
        np.array([row[2] for row in judged], dtype=np.float64),
    )
    return engine


def count_documents(matches: RuleMatches) -> int:
    """Return how many distinct documents rules are about."""
    parts = list(matches.by_question.values())
    return len(np.unique(np.concatenate(parts))) if parts else 0


def count_changed(before: RunBlock, after: RunBlock) -> int:
    """Return how many queries have another ranking."""
    lengths = before.lengths
    is_changed = lengths != after.lengths
    if np.array_equal(before.offsets, after.offsets):
        rows = np.repeat(np.arange(len(lengths)), lengths)
        is_changed[rows[before.documents != after.documents]] = True
        return int(is_changed.sum())
    same = np.flatnonzero(~is_changed).tolist()
    moved = sum(not np.array_equal(before.ranking(query), after.ranking(query)) for query in same)
    return int(is_changed.sum()) + moved


def rule_work(
    session: Session, whatif_id: str, rules: Sequence[Rule]
) -> Callable[[Progress | None, IsCancelled | None], RuleMatches]:
    """Return the work of reading the texts that rules look at; give its result to ``set_rules``.

    Call this on the session's thread, and the work ``work(progress, is_cancelled)`` on any.

    Args:
        session: the project.
        whatif_id: the what-if.
        rules: those that it is to have.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """
    head = find_whatif(session, whatif_id)
    if head is None:
        # The book says so in its own words.
        whatif_book(session).block(whatif_id)
        return lambda _progress, _is_cancelled: RuleMatches({})
    documents = unique_documents([base_block(session.material, head)])
    wanted = tuple(rules)

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> RuleMatches:
        with session.second_reader() as reader:
            return match_documents(
                wanted,
                documents,
                partial(iter_document_texts, reader),
                progress=progress,
                is_cancelled=is_cancelled,
            )

    return work
