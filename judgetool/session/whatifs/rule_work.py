"""The work of finding which documents boost rules are about, for another thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from judgetool.metrics import Engine, RunBlock
from judgetool.session.background import IsCancelled, Progress, checker
from judgetool.session.board import settled_pairs, split_keys
from judgetool.session.session import Session
from judgetool.session.whatifs.book import base_block, unique_documents, whatif_book
from judgetool.session.whatifs.rules import (
    Rule,
    RuleMatches,
    apply_rules,
    match_documents,
)
from judgetool.session.whatifs.stored import (
    WhatIf,
    assumed_in,
    kept_steps,
    parse_steps,
    whatif_head,
    with_steps,
)
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
    steps = parse_steps(kept_steps(session, head.id), session.material)
    before = session.board.engine.values(book.engine_key(head.id))
    engine = _copied_engine(session)

    def work(
        progress: Progress | None, is_cancelled: IsCancelled | None
    ) -> tuple[RuleMatches, RulesEffect]:
        matches = find(progress, is_cancelled)
        after = apply_rules(block, rules, matches, queries)
        n_changed = count_changed(block, after)
        checker(None, is_cancelled, "The rules are not worked out any more.")(0, 0)
        engine.add_run(_TRIED, with_steps(after, steps), assumed=assumed_in(steps))
        means = tuple(mean.value for mean in engine.means(_TRIED))
        change = (engine.values(_TRIED) - before).filled(0.0)
        better, worse = (change > SAME).sum(axis=0), (change < -SAME).sum(axis=0)
        counts = tuple(better.tolist()), tuple(worse.tolist())
        return matches, RulesEffect(count_documents(matches), n_changed, means, *counts)

    return work


def _copied_engine(session: Session) -> Engine:
    """Return an engine with what is judged now, which no later judgment touches."""
    board = session.board
    engine = board.new_engine()
    settled = settled_pairs(board)
    has_grade = ~np.isnan(settled.grades)
    queries, documents = split_keys(settled.keys[has_grade])
    grades = settled.grades[has_grade]
    engine.set_judgments(queries.astype(np.int32), documents.astype(np.int32), grades)
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
    head = whatif_head(session, whatif_id)
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
