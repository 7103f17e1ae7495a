"""What rules do, for another thread: the documents they are about, and their effect rule by rule."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import format_count, number_of
from judgetool.metrics import Bounds, Engine, RunBlock
from judgetool.metrics.bounds_difference import DRAG_BUDGET, compute_pair_bounds
from judgetool.metrics.engine import ValueTable
from judgetool.metrics.grades import RankingPair
from judgetool.session.board import settled_pairs, split_keys
from judgetool.session.commands import IsCancelled, Progress, checker
from judgetool.session.session import Session
from judgetool.session.whatifs.applying import Answer, RuleMatches, apply_rules, match_documents
from judgetool.session.whatifs.book import base_block, base_scores, unique_documents
from judgetool.session.whatifs.rules import Question, Rule
from judgetool.session.whatifs.stored import (
    Split,
    WhatIf,
    assumed_in,
    kept_steps,
    parse_steps,
    whatif_head,
    with_steps,
)
from judgetool.storage.material import iter_document_texts
from judgetool.wording import N_, _, local_number

# The only run of an engine of its own.
_TRIED = 0
# Less than four decimals show.
SAME = 0.00005
_ENDED = N_("The rules are not worked out any more.")

Means = tuple[float | None, ...]


class Stage(NamedTuple):
    """A what-if after some of its rules, what was moved by hand included.

    Attributes:
        start: rankings after the rules and before the steps.
        block: rankings after the steps.
        values: as they enter the means, shape (n_queries, n_measures).
        means: of each measure, over all queries.
        parts: the same over the queries that are tuned on, and over those kept aside.
    """

    start: RunBlock
    block: RunBlock
    values: ValueTable
    means: Means
    parts: tuple[Means, Means]


class RuleShare(NamedTuple):
    """What one rule, or all of them, add to what stood before.

    Attributes:
        before: means without, in the order of the measures.
        after: means with.
        n_better: queries whose value rises, of each measure.
        n_worse: queries whose value falls, likewise.
        changes: of the means over the queries that are tuned on, and over those kept aside.
    """

    before: Means
    after: Means
    n_better: tuple[int, ...]
    n_worse: tuple[int, ...]
    changes: tuple[Means, Means]


class QueryChange(NamedTuple):
    """What rules do to one query whose ranking they change.

    Attributes:
        query: its number.
        old: value without, 0 where it is undefined.
        new: value with.
        is_aside: whether the query is kept aside.
    """

    query: int
    old: float
    new: float
    is_aside: bool

    @property
    def change(self) -> float:
        """New minus old."""
        return self.new - self.old


@dataclass(frozen=True, eq=False)
class RulesEffect:
    """What rules do, one after the other.

    Attributes:
        rules: those that were tried, without those that are off.
        matches: what they ask of documents.
        stages: without any rule, then after each.
        n_documents: distinct documents that any rule is about.
        n_about: the same of each rule.
        lacks: what is to be said of fields that are no numbers in some documents.
        is_aside: which queries are kept aside, shape (n_queries,).
    """

    rules: tuple[Rule, ...]
    matches: RuleMatches
    stages: tuple[Stage, ...]
    n_documents: int
    n_about: tuple[int, ...]
    lacks: tuple[str, ...]
    is_aside: npt.NDArray[np.bool_]

    def ends(self, rule: int | None) -> tuple[Stage, Stage]:
        """Return what stood before and after a rule, by its place; ``None`` for all together."""
        return (
            (self.stages[0], self.stages[-1])
            if rule is None
            else (self.stages[rule], self.stages[rule + 1])
        )

    def share(self, rule: int | None = None) -> RuleShare:
        """Return what a rule adds to those before it; ``None`` for all together."""
        before, after = self.ends(rule)
        change = after.values.filled(0.0) - before.values.filled(0.0)
        parts = (
            tuple(
                None if old is None or new is None else new - old
                for old, new in zip(*pair, strict=True)
            )
            for pair in zip(before.parts, after.parts, strict=True)
        )
        tuned, aside = parts
        return RuleShare(
            before.means,
            after.means,
            tuple((change > SAME).sum(axis=0).tolist()),
            tuple((change < -SAME).sum(axis=0).tolist()),
            (tuned, aside),
        )

    def changed_queries(self, rule: int | None = None) -> list[int]:
        """Return the queries whose ranking becomes another, rising."""
        before, after = self.ends(rule)
        return changed_queries(before.block, after.block)

    def query_changes(self, place: int, rule: int | None = None) -> list[QueryChange]:
        """Return the queries whose ranking becomes another, those that lose most first.

        Args:
            place: of the measure.
            rule: as of :meth:`share`.
        """
        before, after = self.ends(rule)
        old, new = before.values.filled(0.0)[:, place], after.values.filled(0.0)[:, place]
        found = [
            QueryChange(query, float(old[query]), float(new[query]), bool(self.is_aside[query]))
            for query in self.changed_queries(rule)
        ]
        return sorted(found, key=lambda each: (each.change, each.query))


class RulesTrial:
    """Tries rules of one what-if again and again; what has not changed since is kept.

    Made on the session's thread. While one is in use nothing is judged: it is for a dialog.

    Args:
        session: the project.
        head: the what-if; what was moved by hand comes after the rules.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """

    def __init__(self, session: Session, head: WhatIf) -> None:
        self._session = session
        self._material = session.material
        self._head = head
        self._block = base_block(session.material, head)
        self._documents = unique_documents([self._block])
        self._steps = parse_steps(kept_steps(session, head.id), session.material)
        self._engine = _copied_engine(session)
        self._scores: npt.NDArray[np.float64] | None = None
        self._answers: dict[Question, Answer] = {}
        self._kept: dict[tuple[Rule, ...], Stage] = {}
        self._kept_split: Split | None = None

    def work(
        self, rules: Sequence[Rule], split: Split | None = None
    ) -> Callable[[Progress | None, IsCancelled | None], RulesEffect]:
        """Return the work of trying rules: ``work(progress, is_cancelled)``, on any one thread.

        Call this on the session's thread.
        """
        active = tuple(rule for rule in rules if rule.is_on)
        if self._scores is None:
            self._scores = base_scores(self._material, self._head, active)

        def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> RulesEffect:
            check = checker(None, is_cancelled, _(_ENDED))
            asked = [rule for rule in active if not RuleMatches(self._answers).covers([rule])]
            if asked:
                read = _reading(self._session, self._documents, asked)
                self._answers |= read(progress, is_cancelled).by_question
            matches = RuleMatches(self._answers).of_rules(active)
            queries = self._material.queries
            is_aside = split.aside(queries) if split else np.zeros(len(queries), dtype=np.bool_)
            if split != self._kept_split:
                self._kept, self._kept_split = {}, split
            kept: dict[tuple[Rule, ...], Stage] = {}
            for n_rules in range(len(active) + 1):
                check(0, 0)
                done = active[:n_rules]
                kept[done] = self._kept.get(done) or self._stage(done, matches, is_aside)
            self._kept = kept
            about = [matches.documents_of(rule, self._documents) for rule in active]
            return RulesEffect(
                active,
                matches,
                tuple(kept.values()),
                len(np.unique(np.concatenate(about))) if about else 0,
                tuple(map(len, about)),
                tuple(_lacks(active, matches, len(self._documents))),
                is_aside,
            )

        return work

    def _stage(
        self,
        rules: tuple[Rule, ...],
        matches: RuleMatches,
        is_aside: npt.NDArray[np.bool_],
    ) -> Stage:
        # From the beginning: a formula asks for the scores, which stand as the run has them.
        start = apply_rules(self._block, rules, matches, self._material.queries, self._scores)
        block = with_steps(start, self._steps)
        engine = self._engine
        if _TRIED in engine.run_keys:
            engine.remove_run(_TRIED)
        engine.add_run(_TRIED, block, assumed=assumed_in(self._steps))
        means, tuned, aside = (
            tuple(mean.value for mean in found)
            for found in (
                engine.means(_TRIED),
                engine.means_of_part(_TRIED, ~is_aside),
                engine.means_of_part(_TRIED, is_aside),
            )
        )
        return Stage(start, block, engine.counted_values(_TRIED), means, (tuned, aside))

    def interval_work(
        self, effect: RulesEffect, queries: Sequence[int], place: int, rule: int | None = None
    ) -> Callable[[Progress | None, IsCancelled | None], list[Bounds]]:
        """Return the work of finding the intervals of queries' changes once all is judged.

        Args:
            effect: of which the changes are.
            queries: their numbers.
            place: of the measure.
            rule: as of :meth:`RulesEffect.share`.
        """
        board = self._session.board
        pools = [board.pool(query) for query in queries]
        measure, conventions = self._engine.measures[place], self._engine.conventions
        leaves_out = conventions.unjudged == "left out"
        before, after = effect.ends(rule)

        def work(_progress: Progress | None, is_cancelled: IsCancelled | None) -> list[Bounds]:
            check = checker(None, is_cancelled, _(_ENDED))
            found = []
            for query, pool in zip(queries, pools, strict=True):
                check(0, 0)
                known = self._engine.known_grades(_TRIED, query)
                pair = RankingPair.from_documents(
                    after.block.ranking(query),
                    before.block.ranking(query),
                    known=dict(zip(*(each.tolist() for each in known), strict=True)),
                    pool=pool,
                )
                found.append(
                    compute_pair_bounds(
                        measure,
                        pair,
                        board.scale,
                        budget=DRAG_BUDGET,
                        leave_out_unjudged=leaves_out,
                    )
                )
            return found

        return work


def _lacks(rules: Sequence[Rule], matches: RuleMatches, n_documents: int) -> Iterator[str]:
    """Yield a sentence for each field of a formula that is no number in some documents."""
    fields = (field for rule in rules if (e := rule.expression) is not None for field in e.fields)
    for field in dict.fromkeys(fields):
        lacking = n_documents - len(matches.by_question[field, "number", ""].documents)
        if lacking:
            yield number_of(
                n_documents,
                "{field} is no number in {lacking} of {n} document and counts as 0 there; "
                "default({field}, 1) says otherwise.",
                "{field} is no number in {lacking} of {n} documents and counts as 0 there; "
                "default({field}, 1) says otherwise.",
                field=field,
                lacking=local_number(format_count(lacking)),
            )


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


def changed_queries(before: RunBlock, after: RunBlock) -> list[int]:
    """Return the queries that have another ranking, rising."""
    lengths = before.lengths
    is_changed = lengths != after.lengths
    if np.array_equal(before.offsets, after.offsets):
        rows = np.repeat(np.arange(len(lengths)), lengths)
        is_changed[rows[before.documents != after.documents]] = True
    else:
        for query in np.flatnonzero(~is_changed).tolist():
            is_changed[query] = not np.array_equal(before.ranking(query), after.ranking(query))
    found: list[int] = np.flatnonzero(is_changed).tolist()
    return found


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
    return _reading(session, documents, rules)


def _reading(
    session: Session, documents: npt.NDArray[np.int32], rules: Sequence[Rule]
) -> Callable[[Progress | None, IsCancelled | None], RuleMatches]:
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
