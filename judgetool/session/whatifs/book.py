"""What-ifs of an open project: as it keeps them, and in memory with rankings, and values in the engine.

A what-if explains itself in the file: queries and documents by their external ids,
runs by their names. Values: ``whatif/<id>`` is the head, ``whatif/<id>/q/<query id>``
what was done to one query's ranking.

A what-if is computed when it is first asked for, and kept up to date from then on:
a step recomputes the one ranking that it touches, a judgment all that the engine has.
"""

import hashlib
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import Query
from judgetool.core.rankings import FloatArray, IntArray, Step, apply, step_from_dict, step_to_dict
from judgetool.core.scale import Scale
from judgetool.errors import InputError
from judgetool.metrics import RunBlock
from judgetool.session.commands import Changed
from judgetool.session.material import WHATIF_PREFIX, Material
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import (
    DEFAULT_K,
    Answer,
    Fused,
    Fusion,
    RuleMatches,
    apply_rules,
    fuse_blocks,
    match_documents,
)
from judgetool.session.whatifs.rules import Question, Rule
from judgetool.wording import _, listed

# As the project keeps them


class BaseRun(NamedTuple):
    """A run that a what-if is made from.

    Attributes:
        run_id: its number in the file.
        name: its name, by which it is found where the number is another's.
    """

    run_id: int
    name: str


class Split(NamedTuple):
    """Which queries are kept aside, to see whether what helps the others helps them, too.

    Attributes:
        share: of the queries, in percent, from 1 to 99.
        seed: draws others.
    """

    share: int
    seed: int

    def aside(self, queries: Sequence[Query]) -> npt.NDArray[np.bool_]:
        """Return which queries are kept aside, shape (n_queries,): the same in whatever order they come."""
        drawn = [
            hashlib.sha256(f"{self.seed} {query.id}".encode(errors="surrogatepass"))
            for query in queries
        ]
        first = sorted(range(len(queries)), key=lambda place: drawn[place].digest())
        is_aside = np.zeros(len(queries), dtype=np.bool_)
        is_aside[first[: round(len(queries) * self.share / 100)]] = True
        return is_aside


def _fusion(base: Mapping[str, Any]) -> Fusion:
    return Fusion(
        "scores" if base.get("method") == "scores" else "ranks",
        int(base.get("k", DEFAULT_K)),
        tuple(map(float, base.get("weights", ()))),
        # Versions before 0.3 ordered equal sums by the better best rank.
        has_ties_by_id=base.get("ties") == "id",
    )


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A what-if without its steps.

    Attributes:
        id: as in the keys of its values.
        name: for people, and for commands.
        bases: the run that it starts from; of a fused one the runs that were fused.
        how: ``run`` or ``fused``.
        fusion: how ``bases`` are made into one.
        parent: id of the what-if that it was copied from; ``""`` when from a run.
        parent_name: that one's name then.
        note: free text.
        rules: applied to every query before its steps, in this order.
        split: which queries are kept aside while rules are tuned; ``None`` for none.
        made_at: when, milliseconds UTC.
        by: who made it; ``""`` for nobody.
    """

    id: str
    name: str
    bases: tuple[BaseRun, ...]
    how: Literal["run", "fused"] = "run"
    fusion: Fusion = field(default_factory=Fusion)
    parent: str = ""
    parent_name: str = ""
    note: str = ""
    rules: tuple[Rule, ...] = ()
    split: Split | None = None
    made_at: int = 0
    by: str = ""

    @property
    def key(self) -> str:
        """The key of its head among the project's values."""
        return f"{WHATIF_PREFIX}{self.id}"

    @property
    def active_rules(self) -> tuple[Rule, ...]:
        """Its rules without those that are off."""
        return tuple(rule for rule in self.rules if rule.is_on)

    @property
    def origin(self) -> str:
        """What it was made from, such as ``chargrams`` or ``fused of a and b``."""
        return self.parent_name or self.made_of

    @property
    def made_of(self) -> str:
        """The run that its rankings come from, or how runs were fused into them."""
        names = [base.name for base in self.bases]
        is_plain = self.fusion._replace(has_ties_by_id=True) == Fusion()
        if self.how == "run":
            return names[0]
        how = listed(names) if is_plain else self.fusion.describe(names)
        return _("fused of {how}").format(how=how)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        base: dict[str, Any] = {
            "how": self.how,
            "runs": [{"run": base.run_id, "name": base.name} for base in self.bases],
        }
        if self.how == "fused":
            base |= {"k": self.fusion.k, "method": self.fusion.method}
            base |= {"weights": list(self.fusion.weights)} if self.fusion.weights else {}
            base |= {"ties": "id"} if self.fusion.has_ties_by_id else {}
        values: dict[str, Any] = {"name": self.name, "base": base}
        if self.parent:
            values["parent"] = {"whatif": self.parent, "name": self.parent_name}
        values |= {"note": self.note, "rules": [rule.to_dict() for rule in self.rules]}
        values |= {"split": self.split._asdict()} if self.split else {}
        return values | {"made_at": self.made_at, "by": self.by}

    @staticmethod
    def from_dict(whatif_id: str, values: Mapping[str, Any]) -> "WhatIf":
        """Build a what-if from :meth:`to_dict`'s result."""
        base, parent = values["base"], values.get("parent") or {}
        return WhatIf(
            id=whatif_id,
            name=str(values["name"]),
            bases=tuple(BaseRun(int(run["run"]), str(run["name"])) for run in base["runs"]),
            how="fused" if base["how"] == "fused" else "run",
            fusion=_fusion(base),
            parent=str(parent.get("whatif", "")),
            parent_name=str(parent.get("name", "")),
            note=str(values.get("note", "")),
            rules=tuple(map(Rule.from_dict, values.get("rules", ()))),
            split=Split(**split) if (split := values.get("split")) else None,
            made_at=int(values.get("made_at", 0)),
            by=str(values.get("by", "")),
        )


@dataclass(frozen=True, slots=True)
class QuerySteps:
    """What a what-if does to one query.

    Attributes:
        steps: in the order in which they were made.
        grades: assumed grade by document, for documents that nobody judged.
    """

    steps: tuple[Step, ...] = ()
    grades: Mapping[int, float] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is done to the query."""
        return not self.steps and not self.grades

    def to_dict(self, material: Material) -> dict[str, Any] | None:
        """Return plain values for the project file; ``None`` when there is nothing to keep."""
        if self.is_empty:
            return None
        id_of = material.document_id
        values: dict[str, Any] = {"steps": [step_to_dict(step, id_of) for step in self.steps]}
        if self.grades:
            values["grades"] = {id_of(document): grade for document, grade in self.grades.items()}
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any], material: Material, scale: Scale) -> "QuerySteps":
        """Build them from :meth:`to_dict`'s result.

        What names unknown documents is left out, and a grade that the scale lacks: a copy that was
        merged may have assumed it on another.
        """
        find = material.find_document
        steps = (step_from_dict(each, find) for each in values.get("steps", ()))
        grades = {find(name): float(grade) for name, grade in values.get("grades", {}).items()}
        return QuerySteps(
            tuple(step for step in steps if step is not None),
            {
                number: grade
                for number, grade in grades.items()
                if number is not None and scale.has_grade(grade)
            },
        )


def query_key(whatif_id: str, query_id: str) -> str:
    """Return the key of what a what-if does to a query, by the query's external id."""
    return f"{WHATIF_PREFIX}{whatif_id}/q/{query_id}"


def load_whatifs(session: Session) -> list[WhatIf]:
    """Return the project's what-ifs, first made first."""
    kept = session.values(WHATIF_PREFIX).items()
    rows = ((key.removeprefix(WHATIF_PREFIX), values) for key, values in kept)
    found = [
        WhatIf.from_dict(whatif_id, values) for whatif_id, values in rows if "/" not in whatif_id
    ]
    return sorted(found, key=lambda each: (each.made_at, each.name, each.id))


def find_whatif(session: Session, whatif_id: str) -> WhatIf | None:
    """Return the what-if of this id, or ``None``."""
    values = session.value(f"{WHATIF_PREFIX}{whatif_id}")
    return None if values is None else WhatIf.from_dict(whatif_id, values)


def whatif_head(session: Session, whatif_id: str) -> WhatIf:
    """Return the what-if of this id.

    Raises:
        InputError: there is none.
    """
    head = find_whatif(session, whatif_id)
    if head is None:
        raise InputError(_("This what-if is no longer in the project."))
    return head


def find_whatif_named(session: Session, name: str) -> WhatIf | None:
    """Return the what-if of this name (the last made of several), or ``None``."""
    return next((each for each in reversed(load_whatifs(session)) if each.name == name), None)


def load_query_steps(
    session: Session, whatif_id: str, query: int, *, material: Material | None = None
) -> QuerySteps:
    """Return what a what-if does to a query; nothing, if it does nothing.

    Args:
        session: the project.
        whatif_id: the what-if.
        query: the query's number.
        material: finds documents for another thread than the session's; ``None`` on that.
    """
    chosen = material or session.material
    values = session.value(query_key(whatif_id, chosen.queries[query].id))
    return QuerySteps() if values is None else QuerySteps.from_dict(values, chosen, session.scale)


def kept_steps(session: Session, whatif_id: str) -> dict[str, Any]:
    """Return what is done to queries as plain values, by their external ids."""
    start = query_key(whatif_id, "")
    return {key.removeprefix(start): each for key, each in session.values(start).items()}


def parse_steps(kept: Mapping[str, Any], material: Material, scale: Scale) -> dict[int, QuerySteps]:
    """Return what :func:`kept_steps` gave, by the queries' numbers; unknown ones are left out."""
    found = ((material.find_query(name), each) for name, each in kept.items())
    return {
        query: QuerySteps.from_dict(each, material, scale)
        for query, each in found
        if query is not None
    }


def touched_queries(session: Session, whatif_id: str) -> list[int]:
    """Return the queries with steps or assumed grades, rising."""
    places = map(session.material.find_query, kept_steps(session, whatif_id))
    return sorted(place for place in places if place is not None)


def with_steps(start: RunBlock, steps: Mapping[int, QuerySteps]) -> RunBlock:
    """Return rankings after what is done to some of the queries."""
    moved = {
        query: apply(start.ranking(query), done.steps)
        for query, done in steps.items()
        if done.steps
    }
    return start.with_rankings(moved)


def assumed_in(steps: Mapping[int, QuerySteps]) -> dict[int, Mapping[int, float]]:
    """Return the assumed grades of those queries that have any."""
    return {query: done.grades for query, done in steps.items() if done.grades}


# In memory

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
        self._stored = session.values(WHATIF_PREFIX)
        self._scale = session.scale
        session.changed.connect(self._take_change)

    @property
    def _session(self) -> Session:
        session = self._session_ref()
        assert session is not None
        return session

    def _take_change(self, changed: Changed) -> None:
        if any(key == "scale" or key.startswith(WHATIF_PREFIX) for key in changed.values):
            self.sync()

    def sync(self) -> None:
        """Bring what is live up to date with the project's values; cheap when it is."""
        if self._session.material is not self._material:
            # Read anew they are both, material and engine.
            self._material, self._engine = self._session.material, self._session.board.engine
            self._live.clear()
            self._matches.clear()
        if self._session.scale is not self._scale:
            # What is assumed counts only where the scale has it.
            self._scale = self._session.scale
            for whatif_id in [*self._live]:
                self._forget(whatif_id)
        # Looked for rather than waited for: another listener may be told first, and ask.
        stored, self._stored = self._stored, self._session.values(WHATIF_PREFIX)
        if len(stored) == len(self._stored) and all(
            map(operator.is_, stored.values(), self._stored.values())
        ):
            return
        for key in stored.keys() | self._stored.keys():
            if stored.get(key) is not self._stored.get(key):
                self._renew(key)

    def _renew(self, key: str) -> None:
        whatif_id, _, rest = key.removeprefix(WHATIF_PREFIX).partition("/q/")
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
        steps = parse_steps(kept_steps(self._session, whatif_id), self._material, self._scale)
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
            documents = unique_documents(start)
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
    known = {(run.run_id, run.name): run for run in material.runs}
    found = known.get((base.run_id, base.name)) or material.find_run(base.name)
    if found is None:
        raise InputError(
            _(
                "What-if {whatif} was made from run {base}, which is no longer in the project. "
                "Import that run again, or delete the what-if."
            ).format(whatif=whatif, base=base.name)
        )
    return found.run_id


def has_bases(material: Material, head: WhatIf) -> bool:
    """Return whether all runs that a what-if was made from are in the project."""
    return all(material.find_run(base.name) for base in head.bases)


def unique_documents(block: RunBlock) -> IntArray:
    """Return the documents of a run, each once, rising."""
    seen = np.zeros(1 + int(block.documents.max(initial=-1)), dtype=np.bool_)
    seen[block.documents] = True
    return np.flatnonzero(seen).astype(np.int32)


def engine_key_of(session: Session, system: System) -> int:
    """Return a present system's key in the session's engine; a what-if is added if need be.

    Raises:
        InputError: the system is no longer in the project.
    """
    if system.kind == "what-if":
        return whatif_book(session).engine_key(system.id)
    if int(system.id) not in session.material.blocks:
        raise InputError(_("Run {system} is no longer in the project.").format(system=system.name))
    return int(system.id)
