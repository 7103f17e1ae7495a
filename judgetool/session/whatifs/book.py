"""What-ifs of an open project in memory: their rankings, and their values in the engine.

A what-if is computed when it is first asked for, and kept up to date from then on:
a step recomputes the one ranking that it touches, a judgment all that the engine has.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np

from judgetool.core.rankings import FloatArray, IntArray, apply
from judgetool.errors import InputError
from judgetool.metrics import RunBlock
from judgetool.session.commands import Changed
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import (
    Answer,
    Fused,
    RuleMatches,
    apply_rules,
    fuse_blocks,
    match_documents,
)
from judgetool.session.whatifs.rules import Question, Rule
from judgetool.session.whatifs.stored import (
    PREFIX,
    BaseRun,
    QuerySteps,
    WhatIf,
    assumed_in,
    find_whatif,
    kept_steps,
    load_query_steps,
    parse_steps,
    whatif_head,
    with_steps,
)
from judgetool.wording import _

Bases = tuple[BaseRun, ...]


@dataclass(slots=True)
class _Live:
    """One what-if as it stands in memory.

    Attributes:
        number: its key in the engine, below 0.
        made_of: what the rankings before any step depend on.
        base: rankings before the rules.
        scores: of the base's results, where a rule asks for them.
        start: rankings after the rules and before the steps.
        steps: of the queries that have any.
        is_in_engine: whether the engine has its rankings.
        has_base_in_engine: whether it has those before the rules, one number below.
    """

    number: int
    made_of: tuple[Any, ...]
    base: RunBlock
    scores: FloatArray | None
    start: RunBlock
    steps: dict[int, QuerySteps] = field(default_factory=dict)
    is_in_engine: bool = False
    has_base_in_engine: bool = False


class WhatIfBook:
    """The what-ifs of one session, for the thread that opened it; see :func:`whatif_book`."""

    def __init__(self, session: Session) -> None:
        # Only weakly: a session that is let go of is gone at once.
        self._session_ref = ref(session)
        self._material = session.material
        self._engine = session.board.engine
        self._live: dict[str, _Live] = {}
        # By the runs whose documents were looked at: another run has others.
        self._matches: dict[tuple[Bases, Question], Answer] = {}
        self._stored = session.values(PREFIX)
        session.changed.connect(self._take_change)

    @property
    def _session(self) -> Session:
        session = self._session_ref()
        assert session is not None
        return session

    def _take_change(self, changed: Changed) -> None:
        if any(key.startswith(PREFIX) for key in changed.values):
            self.sync()

    def sync(self) -> None:
        """Bring what is live up to date with the project's values; cheap when it is."""
        if self._session.material is not self._material:
            self._material = self._session.material
            self._live.clear()
            self._matches.clear()
        if self._session.board.engine is not self._engine:
            self._engine = self._session.board.engine
            for live in self._live.values():
                live.is_in_engine = live.has_base_in_engine = False
        # Looked for rather than waited for: another listener may be told first, and ask.
        stored, self._stored = self._stored, self._session.values(PREFIX)
        if len(stored) == len(self._stored) and all(
            map(operator.is_, stored.values(), self._stored.values())
        ):
            return
        for key in stored.keys() | self._stored.keys():
            if stored.get(key) is not self._stored.get(key):
                self._renew(key)

    def _renew(self, key: str) -> None:
        whatif_id, _, rest = key.removeprefix(PREFIX).partition("/q/")
        live = self._live.get(whatif_id)
        if live is None:
            return
        if rest:
            self._renew_query(whatif_id, live, rest)
            return
        head = find_whatif(self._session, whatif_id)
        if head is None or self._made_of(head) != live.made_of:
            self._forget(whatif_id)

    def _renew_query(self, whatif_id: str, live: _Live, query_id: str) -> None:
        query = self._material.find_query(query_id)
        if query is None:
            return
        found = load_query_steps(self._session, whatif_id, query)
        live.steps.pop(query, None)
        if not found.is_empty:
            live.steps[query] = found
        if live.is_in_engine:
            self._engine.set_ranking(
                live.number,
                query,
                self._ranking(live, query),
                assumed=found.grades,
            )

    def _forget(self, whatif_id: str) -> None:
        live = self._live.pop(whatif_id)
        if live.is_in_engine:
            self._engine.remove_run(live.number)
        if live.has_base_in_engine:
            self._engine.remove_run(live.number - 1)

    # -- rankings

    def ranking(self, whatif_id: str, query: int) -> IntArray:
        """Return a what-if's ranking of a query, best first, int32.

        Raises:
            InputError: there is no such what-if, or its run is gone.
        """
        return self._ranking(self._find(whatif_id), query)

    def base(self, whatif_id: str) -> RunBlock:
        """Return the rankings that a what-if was made from, before its rules."""
        return self._find(whatif_id).base

    def start(self, whatif_id: str, query: int) -> IntArray:
        """Return the ranking after the rules and before any step."""
        return self._find(whatif_id).start.ranking(query)

    def after_rules(self, whatif_id: str, query: int) -> list[tuple[Rule, IntArray]]:
        """Return the rules that are on, in their order, each with the ranking after it."""
        head, live = whatif_head(self._session, whatif_id), self._find(whatif_id)
        active = head.active_rules
        if not active:
            return []
        matches = self._matches_for(head, live.base)
        part = slice(live.base.offsets[query], live.base.offsets[query + 1])
        base = RunBlock(np.array([0, part.stop - part.start]), live.base.documents[part])
        own = None if live.scores is None else live.scores[part]
        queries = [self._material.queries[query]]
        return [
            (rule, apply_rules(base, active[: place + 1], matches, queries, own).documents)
            for place, rule in enumerate(active)
        ]

    def steps(self, whatif_id: str, query: int) -> QuerySteps:
        """Return what is done to a query."""
        return self._find(whatif_id).steps.get(query, QuerySteps())

    def assumed(self, whatif_id: str) -> dict[int, Mapping[int, float]]:
        """Return the assumed grades of a what-if by query and document; they count where nobody judged."""
        return assumed_in(self._find(whatif_id).steps)

    def block(self, whatif_id: str) -> RunBlock:
        """Return all rankings of a what-if."""
        live = self._find(whatif_id)
        return with_steps(live.start, live.steps)

    @staticmethod
    def _ranking(live: _Live, query: int) -> IntArray:
        steps = live.steps.get(query)
        start = live.start.ranking(query)
        return apply(start, steps.steps) if steps is not None and steps.steps else start

    # -- in the engine

    def engine_key(self, whatif_id: str) -> int:
        """Return a what-if's key in the session's engine, where it is added if need be.

        Judgments change its values from then on as they change a run's.
        """
        live = self._find(whatif_id)
        if not live.is_in_engine:
            assumed = assumed_in(live.steps)
            self._engine.add_run(live.number, self.block(whatif_id), assumed=assumed)
            live.is_in_engine = True
        return live.number

    def base_key(self, whatif_id: str) -> int:
        """Return the key in the session's engine of what a what-if was made from.

        Of a fused one no run has these rankings; they are added if need be.
        """
        live = self._find(whatif_id)
        if not live.has_base_in_engine:
            self._engine.add_run(live.number - 1, live.base)
            live.has_base_in_engine = True
        return live.number - 1

    # -- making

    def seed(self, matches: RuleMatches, bases: Bases) -> None:
        """Take what a worker found of the documents that rules are about, of these runs."""
        self._matches |= {(bases, question): each for question, each in matches.by_question.items()}

    def _find(self, whatif_id: str) -> _Live:
        self.sync()
        live = self._live.get(whatif_id)
        if live is None:
            live = self._live[whatif_id] = self._make(whatif_id)
        return live

    def _make(self, whatif_id: str) -> _Live:
        head = whatif_head(self._session, whatif_id)
        start = base = base_block(self._material, head)
        scores = base_scores(self._material, head, head.rules)
        if head.rules:
            matches, queries = self._matches_for(head, base), self._material.queries
            start = apply_rules(base, head.rules, matches, queries, scores)
        steps = parse_steps(kept_steps(self._session, whatif_id), self._material)
        return _Live(self._free_number(), self._made_of(head), base, scores, start, steps)

    def matches(self, whatif_id: str) -> RuleMatches:
        """Return which documents a what-if's rules are about."""
        self.sync()
        head = whatif_head(self._session, whatif_id)
        return self._matches_for(head, base_block(self._material, head))

    def _matches_for(self, head: WhatIf, start: RunBlock) -> RuleMatches:
        known = {q: each for (bases, q), each in self._matches.items() if bases == head.bases}
        matches = RuleMatches(known)
        if not matches.covers(head.rules):
            documents = unique_documents([start])
            matches = match_documents(head.rules, documents, self._material.iter_texts)
            self.seed(matches, head.bases)
        return matches.of_rules(head.rules)

    def _free_number(self) -> int:
        taken = (live.number for live in self._live.values())
        return min(taken, default=1) - 2

    @staticmethod
    def _made_of(head: WhatIf) -> tuple[Any, ...]:
        return (head.how, head.fusion, head.bases, head.rules)


def whatif_book(session: Session) -> WhatIfBook:
    """Return the session's book, making it when it is first asked for."""
    return session.owned(WhatIfBook)


def base_block(material: Material, head: WhatIf) -> RunBlock:
    """Return the rankings that a what-if starts from, before its rules.

    Raises:
        InputError: a run that it was made from is no longer in the project.
    """
    if head.how == "fused":
        return _fused(material, head).block
    return material.block(find_base(material, head.bases[0], head.name))


def _fused(material: Material, head: WhatIf) -> Fused:
    runs = [find_base(material, base, head.name) for base in head.bases]
    scores = []
    if head.fusion.method == "scores":
        scores = [material.scores(run) for run in runs]
        lacking = [
            base.name for base, own in zip(head.bases, scores, strict=True) if np.isnan(own).any()
        ]
        if lacking:
            raise InputError(
                _(
                    "What-if {head} fuses scores, and run {run} has results without a score. Fuse "
                    "by ranks instead."
                ).format(head=head.name, run=lacking[0])
            )
    blocks = [material.block(run) for run in runs]
    return fuse_blocks(blocks, head.fusion, scores=scores, names=material.document_ids)


def base_scores(material: Material, head: WhatIf, rules: Sequence[Rule]) -> FloatArray | None:
    """Return the scores of what a what-if starts from, for rules that ask for them.

    Returns:
        In the order of :func:`base_block`, NaN where a result has none; ``None`` where no rule asks.
    """
    if not any(rule.asks_for_score for rule in rules):
        return None
    if head.how == "fused":
        return _fused(material, head).scores
    return material.scores(find_base(material, head.bases[0], head.name))


def ruled_block(
    material: Material, head: WhatIf, block: RunBlock, matches: RuleMatches
) -> RunBlock:
    """Return a what-if's rankings after its rules.

    Args:
        material: of the project.
        head: the what-if.
        block: of :func:`base_block`.
        matches: covers its rules.
    """
    scores = base_scores(material, head, head.rules)
    return apply_rules(block, head.rules, matches, material.queries, scores)


def find_base(material: Material, base: BaseRun, whatif: str) -> int:
    """Return the number of the run that a what-if was made from.

    Raises:
        InputError: it is no longer in the project.
    """
    for run in material.runs:
        if (run.run_id, run.name) == (base.run_id, base.name):
            return run.run_id
    found = material.find_run(base.name)
    if found is None:
        raise InputError(
            _(
                "What-if {whatif} was made from run {base}, which is no longer in the project. "
                "Import that run again, or delete the what-if."
            ).format(whatif=whatif, base=base.name)
        )
    return found.run_id


def unique_documents(blocks: Iterable[RunBlock]) -> IntArray:
    """Return the documents of some runs, each once, rising."""
    parts = [block.documents for block in blocks]
    width = 1 + max((int(part.max(initial=-1)) for part in parts), default=-1)
    seen = np.zeros(width, dtype=np.bool_)
    for part in parts:
        seen[part] = True
    return np.flatnonzero(seen).astype(np.int32)


def engine_key_of(session: Session, system: System) -> int:
    """Return a present system's key in the session's engine; a what-if is added if need be.

    Raises:
        InputError: the what-if is no longer in the project.
    """
    if system.kind == "what-if":
        return whatif_book(session).engine_key(system.id)
    return int(system.id)
