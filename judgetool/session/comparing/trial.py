"""What is only tried would do to every value: an order of a query, or rules for documents of all queries.

An order is compared with a baseline. What rules do is worked out for another thread: the documents
they are about, and their effect rule by rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import local_count, number_of
from judgetool.core.rankings import IntArray, Replace, Step, apply, as_it_came, pinned_documents
from judgetool.core.score_formulas import find_misreadings
from judgetool.metrics import Bounds, Engine, Measure, RunBlock
from judgetool.metrics.bounds import NEVER, compute_all_bounds
from judgetool.metrics.bounds_difference import DRAG_BUDGET, compute_pair_bounds
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.curves import Curve, dcg_by_rank, measure_beside
from judgetool.metrics.engine import ValueTable
from judgetool.metrics.grades import QueryGrades, RankingPair
from judgetool.metrics.significance import count_assumed, without_noise
from judgetool.session.board import settled_pairs, split_keys
from judgetool.session.commands import IsCancelled, Progress, Work, checker
from judgetool.session.comparing.system_values import (
    Baseline,
    baseline_place,
    baseline_ranking,
    by_document,
    ranks_of,
)
from judgetool.session.comparing.these_queries import assumed_words
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import Answer, RuleMatches, apply_rules, match_documents
from judgetool.session.whatifs.book import (
    QuerySteps,
    Split,
    WhatIf,
    assumed_in,
    base_block,
    base_scores,
    engine_key_of,
    find_base,
    find_whatif,
    kept_steps,
    parse_steps,
    unique_documents,
    whatif_book,
    whatif_head,
    with_steps,
)
from judgetool.session.whatifs.editing import order_by_grade
from judgetool.session.whatifs.rules import NUMBER_MATCHES, Question, Rule
from judgetool.storage.material import iter_document_texts
from judgetool.wording import N_, NN_, _, local_number, spoken

# An order

# Ranks of a curve beside a measure without a cutoff.
_DRAWN_RANKS = 10
Values = tuple[float | None, ...]
Documents = tuple[int, ...]


class TriedValue(NamedTuple):
    """One measure before and after a change.

    Attributes:
        measure: what is measured.
        old: value of the ranking as it is; ``None`` where it is undefined.
        new: value of the changed ranking, likewise.
        change: new minus old, undefined values as 0; ``None`` where both are.
        bounds: what the change could be once all documents are judged; ``is_exact``
            false where it may be narrower. ``None`` when nobody judged the query.
        mean_old: mean over the queries (of counts the sum) as it is.
        mean_new: likewise with the changed ranking: the effect of this one query alone.
        mean_queries: how many queries that mean is over.
    """

    measure: Measure
    old: float | None
    new: float | None
    change: float | None
    bounds: Bounds | None
    mean_old: float | None
    mean_new: float | None
    mean_queries: int


class StepValue(NamedTuple):
    """The value of one measure after a step.

    Attributes:
        step: what was done by hand, with the rank that came of it; ``None`` for the ranking before anything, and for a rule.
        value: after it; ``None`` where it is undefined.
        change: against the row before; ``None`` for the first.
        rule: the rule that was applied; ``None`` where it was none.
    """

    step: Step | None
    value: float | None
    change: float | None
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class QueryOrders:
    """One query as a what-if has it: the order it began with, and the order as it stands.

    Attributes:
        imported: the ranking before rules and steps.
        start: after the rules and before the steps.
        order: as it stands.
        steps: what was done to it.
        pinned: documents with a pin.
        assumed: assumed grades by document, also where a judgment counts by now.
        was: rank before any step by document, from 1.
        gone: documents taken out, in the order they had.
        run: the run that ``imported`` is the ranking of; ``None`` when it is of no one run.
    """

    imported: Documents = ()
    start: Documents = ()
    order: Documents = ()
    steps: tuple[Step, ...] = ()
    pinned: frozenset[int] = frozenset()
    assumed: Mapping[int, float] = field(default_factory=dict)
    was: Mapping[int, int] = field(default_factory=dict)
    gone: Documents = ()
    run: int | None = None


def read_orders(session: Session, subject: System, query: int) -> QueryOrders:
    """Return a query as a what-if has it, or a run as it was imported.

    Raises:
        InputError: the what-if or its run is no longer in the project.
    """
    done, run = QuerySteps(), None
    imported: Documents = ()
    head = find_whatif(session, subject.id) if subject.kind == "what-if" else None
    if head is None or head.how != "fused":
        material = session.material
        run = int(subject.id) if head is None else find_base(material, head.bases[0], head.name)
        imported = tuple(material.ranked_documents(run, query).tolist())
    start = imported
    if head is not None:
        book = whatif_book(session)
        start = tuple(book.start(head.id, query).tolist())
        if run is None:
            imported = tuple(book.base(head.id).ranking(query).tolist())
        done = book.steps(head.id, query)
    order = tuple(apply(start, done.steps).tolist())
    held = set(order)
    return QueryOrders(
        imported=imported,
        start=start,
        order=order,
        steps=done.steps,
        pinned=pinned_documents(start, done.steps),
        assumed=dict(done.grades),
        was=ranks_of(imported),
        gone=tuple(each for each in imported if each not in held),
        run=run,
    )


class Trial:
    """Values of any order of one ranking, for as long as nothing is judged or dropped.

    Args:
        session: the project.
        subject: the run or what-if whose ranking is reordered.
        query: the query's number.
        baseline: what values are compared with; ``None`` for where the ranking came from,
            before any rule and step. Where grades are assumed for the query, a ranking of
            now that values are compared with is valued with them as well, for the query and
            in the mean, so that the change is what the order does.
        orders: the query as it stands, where that has been read already.

    Attributes:
        orders: the query as it stands.
        is_weighted: whether the means are others by the queries' weights.
        baseline_order: the ranking that orders are compared with; ``None`` where the
            baseline has none.
    """

    def __init__(
        self,
        session: Session,
        subject: System,
        query: int,
        *,
        baseline: Baseline | None = None,
        orders: QueryOrders | None = None,
    ) -> None:
        self._session = session
        self._subject = subject
        self._query = query
        self._baseline = baseline
        self.orders = read_orders(session, subject, query) if orders is None else orders
        self._key = engine_key_of(session, subject)
        self._engine: Engine = session.board.engine
        self._known = by_document(self._engine.known_grades(self._key, query))
        # What is assumed counts in values, and is open in intervals: nobody judged it.
        self._judged = by_document(self._engine.judged_grades(query))
        self._pool = np.array([*self._known, *session.board.pool(query)], dtype=np.int32)
        self.baseline_order = (
            np.array(self.orders.imported, dtype=np.int32)
            if baseline is None
            else baseline_ranking(session, baseline, subject, query)
        )
        self._old, self._mean_old = self._find_old()
        self.is_weighted = self._engine.has_weighted_means
        # Between judgments of two times there is no interval of a difference.
        self._is_of_now = baseline is None or (
            baseline.system is not None and not baseline.system.snapshot and not self.orders.assumed
        )
        self._is_judged = any(grade >= 0 for grade in self._known.values())

    def _find_old(self) -> tuple[Values, Values]:
        if self._baseline is None:
            base = self.orders.run
            if base is None:
                base = whatif_book(self._session).base_key(self._subject.id)
            return self._of_now(base)
        system = self._baseline.system
        if system is not None and system.kind == "run" and not system.snapshot:
            return self._of_now(int(system.id))
        place = baseline_place(self._session, self._baseline, self._subject)
        if place is None:
            nothing: Values = (None,) * len(self._engine.measures)
            return nothing, nothing
        values = tuple(place.engine.numbers(place.key, self._query))
        return values, tuple(mean.value for mean in place.engine.means(place.key))

    def _of_now(self, key: int) -> tuple[Values, Values]:
        """Return the baseline's values of the query and its means, with what is assumed here."""
        assert self.baseline_order is not None
        values, _ = self._engine.try_ranking(
            key, self._query, self.baseline_order, grades_of=self._key
        )
        means = self._engine.means_with_grades_of(key, self._key)
        return values, tuple(mean.value for mean in means)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The chosen measures, in the order of the rows."""
        return self._engine.measures

    @property
    def conventions(self) -> Conventions:
        """What the values count by."""
        return self._engine.conventions

    def rows(self, order: Sequence[int]) -> tuple[TriedValue, ...]:
        """Return every measure with the baseline's value, this order's, change and interval."""
        documents = np.array(order, dtype=np.int32)
        values, means = self._engine.try_ranking(self._key, self._query, documents)
        bounds = self._bounds(documents)
        return tuple(
            TriedValue(
                measure,
                old,
                new,
                change := _change(old, new),
                each and each.holding(change),
                mean_old,
                mean.value,
                mean.n_queries,
            )
            for measure, old, new, each, mean_old, mean in zip(
                self.measures, self._old, values, bounds, self._mean_old, means, strict=True
            )
        )

    def steps(self, place: int) -> list[StepValue]:
        """Return the ranking before anything, after each rule and step, and the best possible order last.

        Args:
            place: of the measure.
        """
        orders, steps = self.orders, self.orders.steps
        imported = np.array(orders.imported, dtype=np.int32)
        done: list[tuple[Rule | Step | None, IntArray]] = [(None, imported)]
        if self._subject.kind == "what-if":
            done += whatif_book(self._session).after_rules(self._subject.id, self._query)
        for at, step in enumerate(steps):
            order = apply(orders.start, steps[: at + 1])
            done.append((as_it_came(step, order), order))
        last, assumed = done[-1][1], dict(orders.assumed)
        best = order_by_grade(self._session, self._query, last, assumed=assumed)
        ideal = Replace(best.order, "best possible order")
        done.append((ideal, apply(last, (ideal,))))
        rows: list[StepValue] = []
        for what, documents in done:
            value = self._engine.try_ranking(self._key, self._query, documents)[0][place]
            change = (value or 0.0) - (rows[-1].value or 0.0) if rows else None
            rows.append(
                StepValue(None, value, change, what)
                if isinstance(what, Rule)
                else StepValue(what, value, change)
            )
        return rows

    def mean_alone(self, order: Sequence[int], place: int) -> tuple[float | None, float | None]:
        """Return a run's mean of a measure, and what this one query's order alone makes of it.

        What is assumed of this query counts for both.

        Returns:
            ``(None, None)`` where the ranking is of no one run.
        """
        run = self.orders.run
        if run is None:
            return None, None
        before, after = (
            self._engine.try_ranking(
                run, self._query, np.array(each, dtype=np.int32), grades_of=self._key
            )[1][place]
            for each in (self.orders.imported, order)
        )
        return before.value, after.value

    def dcg(self, measure: Measure, order: Sequence[int]) -> tuple[Curve, Curve]:
        """Return the DCG of an order by rank, and that of the ideal order, as values count them."""
        leaves_out = self._engine.conventions.leaves_out_unjudged
        scale = self._engine.scale
        grades = self._grades(order, self._known)
        return dcg_by_rank(measure, grades, scale, leave_out_unjudged=leaves_out)

    def drawn_measure(self, place: int | None) -> Measure:
        """Return the nDCG that is drawn beside a measure of the rows, by its place; cut where that is."""
        chosen = Measure("nDCG") if place is None else self.measures[place]
        drawn = measure_beside(chosen, "nDCG", self._engine.conventions)
        return drawn.with_cutoff(chosen.cutoff or _DRAWN_RANKS)

    def possible(self, order: Sequence[int]) -> tuple[Bounds | None, ...]:
        """Return, for each measure, what the unjudged could still make of an order's value."""
        if not self._is_judged:
            return (None,) * len(self.measures)
        documents = np.array(order, dtype=np.int32)
        values, _ = self._engine.try_ranking(self._key, self._query, documents)
        scale, conventions = self._session.board.scale, self._engine.conventions
        grades = self._grades(order, self._judged)
        found = compute_all_bounds(self.measures, grades, scale, conventions, values=values)
        return tuple(None if bounds.defined == NEVER else bounds for bounds in found)

    @cached_property
    def possible_old(self) -> tuple[Bounds | None, ...]:
        """What the unjudged could still make of the baseline's values; ``None`` where not of now."""
        if not self._is_of_now or self.baseline_order is None:
            return (None,) * len(self.measures)
        return self.possible(self.baseline_order.tolist())

    def _grades(self, order: Sequence[int], known: Mapping[int, float]) -> QueryGrades:
        """Return what measures may look at if the ranking were this, and these grades were known."""
        ranked = np.array([known.get(each, np.nan) for each in order], dtype=np.float64)
        held = set(order)
        missing = [grade for document, grade in known.items() if document not in held]
        n_pooled = len({*self._pool.tolist()} - held - known.keys())
        return QueryGrades(ranked, np.array(missing, dtype=np.float64), n_pooled)

    def _bounds(self, documents: IntArray) -> tuple[Bounds | None, ...]:
        if not self._is_of_now or not self._is_judged or self.baseline_order is None:
            return (None,) * len(self.measures)
        pair = RankingPair.from_documents(
            documents, self.baseline_order, known=self._judged, pool=self._pool
        )
        scale = self._session.board.scale
        leaves_out = self._engine.conventions.leaves_out_unjudged
        return tuple(
            compute_pair_bounds(
                measure, pair, scale, budget=DRAG_BUDGET, leave_out_unjudged=leaves_out
            )
            if measure.has_bounds
            else None
            for measure in self.measures
        )


def _change(old: float | None, new: float | None) -> float | None:
    """Return new − old, what is undefined as 0; ``None`` where both are."""
    if old is None and new is None:
        return None
    return without_noise((new or 0.0) - (old or 0.0))


# Rules

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
        old: value without; ``None`` where it does not count.
        new: value with.
        is_aside: whether the query is kept aside.
    """

    query: int
    old: float | None
    new: float | None
    is_aside: bool

    @property
    def change(self) -> float | None:
        """New minus old."""
        return None if self.old is None or self.new is None else self.new - self.old


class RulesEffect(NamedTuple):
    """What rules do, one after the other.

    Attributes:
        rules: those that were tried, without those that are off.
        matches: what they ask of documents.
        stages: without any rule, then after each.
        n_documents: distinct documents that any rule is about.
        n_about: the same of each rule.
        lacks: what is to be said of fields that are no numbers in some documents, and of grades
            that nobody gave.
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
        old, new = (stage.values[:, place].tolist() for stage in self.ends(rule))
        found = [
            QueryChange(query, old[query], new[query], bool(self.is_aside[query]))
            for query in self.changed_queries(rule)
        ]
        return sorted(found, key=lambda each: (each.change or 0.0, each.query))


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
        self._documents = unique_documents(self._block)
        kept = kept_steps(session, head.id)
        self._steps = parse_steps(kept, session.material, session.scale)
        self._engine = _copied_engine(session)
        self._scores: npt.NDArray[np.float64] | None = None
        self._answers: dict[Question, Answer] = {}
        self._kept: dict[tuple[Rule, ...], Stage] = {}
        self._kept_split: Split | None = None

    def work(self, rules: Sequence[Rule], split: Split | None = None) -> Work[RulesEffect]:
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
            lacks = list(_lacks(active, matches, len(self._documents)))
            # The same with every rule, and without.
            if n_assumed := count_assumed(self._engine, _TRIED):
                lacks.append(assumed_words(self._head.name, n_assumed))
            return RulesEffect(
                active,
                matches,
                tuple(kept.values()),
                len(np.unique(np.concatenate(about))) if about else 0,
                tuple(map(len, about)),
                tuple(lacks),
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
    ) -> Work[list[Bounds]]:
        """Return the work of finding the intervals of queries' changes once all is judged.

        Args:
            effect: of which the changes are.
            queries: their numbers.
            place: of the measure.
            rule: as of :meth:`RulesEffect.share`.
        """
        board = self._session.board
        pools = [
            [*board.pool(query), *self._engine.assumed_documents(_TRIED, query)]
            for query in queries
        ]
        measure, conventions = self._engine.measures[place], self._engine.conventions
        leaves_out = conventions.leaves_out_unjudged
        before, after = effect.ends(rule)
        changes = (after.values.filled(0.0) - before.values.filled(0.0))[:, place]

        def work(_progress: Progress | None, is_cancelled: IsCancelled | None) -> list[Bounds]:
            check = checker(None, is_cancelled, _(_ENDED))
            found = []
            for query, pool in zip(queries, pools, strict=True):
                check(0, 0)
                pair = RankingPair.from_documents(
                    after.block.ranking(query),
                    before.block.ranking(query),
                    known=by_document(self._engine.judged_grades(query)),
                    pool=pool,
                )
                bounds = compute_pair_bounds(
                    measure,
                    pair,
                    board.scale,
                    budget=DRAG_BUDGET,
                    leave_out_unjudged=leaves_out,
                )
                found.append(bounds.holding(float(changes[query])))
            return found

        return work


_NO_NUMBER = NN_(
    "{field} is no number in {lacking} of {n} document: ‘{limit}’ is not true of it.",
    "{field} is no number in {lacking} of {n} documents: ‘{limit}’ is not true of them.",
)
_NO_DATE = NN_(
    "{field} is no date in {lacking} of {n} document: ‘{limit}’ is not true of it.",
    "{field} is no date in {lacking} of {n} documents: ‘{limit}’ is not true of them.",
)


def _lacks(rules: Sequence[Rule], matches: RuleMatches, n_documents: int) -> Iterator[str]:
    """Yield a sentence for each field of a formula or limit whose numbers lack or are in doubt."""
    for (name, _match, _text), answer in matches.by_question.items():
        if answer.in_doubt:
            taken, other = (local_number(f"{value:g}") for value in answer.in_doubt)
            said = _(
                "Whether {field} has decimal commas or decimal points is not clear from its values: "
                "what may mean {taken} or {other} is taken as {taken}. If that is wrong, import numbers "
                "with a decimal point and nothing between thousands."
            )
            yield said.format(field=name, taken=taken, other=other)
    asked = matches.by_question.items()
    for name in dict.fromkeys(question[0] for question, answer in asked if not answer.has_texts):
        yield _("No document here has anything in the field {field}.").format(field=name)

    def count_lacking(question: Question) -> int:
        return n_documents - len(matches.by_question[question].documents)

    limits = [each for rule in rules for each in rule.where if each.match in NUMBER_MATCHES]
    for condition in dict.fromkeys(limits):
        if lacking := count_lacking(condition.kind_asked):
            sentence = _NO_DATE if condition.kind_asked[1] == "date" else _NO_NUMBER
            yield number_of(
                n_documents,
                *sentence,
                field=condition.field,
                lacking=local_count(lacking),
                limit=condition,
            )
    if spoken().decimal != ".":
        yield from _misreadings(rules)
    formulas = (rule.expression for rule in rules if rule.expression is not None)
    fields = (name for formula in formulas for name in formula.bare_fields)
    for name in dict.fromkeys(fields):
        if lacking := count_lacking((name, "number", "")):
            yield number_of(
                n_documents,
                "{field} is no number in {lacking} of {n} document and counts as 0 there; "
                "default({field}, 1) says otherwise.",
                "{field} is no number in {lacking} of {n} documents and counts as 0 there; "
                "default({field}, 1) says otherwise.",
                field=name,
                lacking=local_count(lacking),
            )


def _misreadings(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield a sentence for each number in formulas that means another one where commas stand before decimals."""
    for text in dict.fromkeys(t for rule in rules for t in find_misreadings(rule.formula)):
        said = (
            _("‘{number}’ in the formula is two numbers: formulas have a decimal point.")
            if "," in text
            else _(
                "‘{number}’ in the formula is {read}, not {other}: formulas have a decimal point."
            )
        )
        yield said.format(number=text, read=local_number(text), other=text.replace(".", ""))


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


def rule_work(session: Session, whatif_id: str, rules: Sequence[Rule]) -> Work[RuleMatches]:
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
    documents = unique_documents(base_block(session.material, head))
    return _reading(session, documents, rules)


def find_lacks(session: Session, head: WhatIf) -> list[str]:
    """Return what is to be said of fields that a what-if's rules ask for numbers."""
    kinds = ("number", "date")
    asking = [r for r in head.rules if any(match in kinds for _field, match, _ in r.questions)]
    if not asking:
        return []
    documents = unique_documents(base_block(session.material, head))
    matches = _reading(session, documents, asking)(None, None)
    return list(_lacks(asking, matches, len(documents)))


def _reading(
    session: Session, documents: npt.NDArray[np.int32], rules: Sequence[Rule]
) -> Work[RuleMatches]:
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
