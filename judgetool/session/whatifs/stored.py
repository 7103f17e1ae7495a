"""What-ifs as the project keeps them: their heads, and the steps of each query.

A what-if explains itself in the file: queries and documents by their external ids,
runs by their names. Values: ``whatif/<id>`` is the head, ``whatif/<id>/q/<query id>``
what was done to one query's ranking.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import Query
from judgetool.core.rankings import Step, apply, step_from_dict, step_to_dict
from judgetool.errors import InputError
from judgetool.metrics import RunBlock
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.whatifs.applying import DEFAULT_K, Fusion
from judgetool.session.whatifs.rules import Rule
from judgetool.wording import _, listed

PREFIX = "whatif/"


@dataclass(frozen=True, slots=True)
class BaseRun:
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
        return f"{PREFIX}{self.id}"

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
    def from_dict(values: Mapping[str, Any], material: Material) -> "QuerySteps":
        """Build them from :meth:`to_dict`'s result; what names unknown documents is left out."""
        find = material.find_document
        steps = (step_from_dict(each, find) for each in values.get("steps", ()))
        grades = {find(name): float(grade) for name, grade in values.get("grades", {}).items()}
        return QuerySteps(
            tuple(step for step in steps if step is not None),
            {number: grade for number, grade in grades.items() if number is not None},
        )


def query_key(whatif_id: str, query_id: str) -> str:
    """Return the key of what a what-if does to a query, by the query's external id."""
    return f"{PREFIX}{whatif_id}/q/{query_id}"


def load_whatifs(session: Session) -> list[WhatIf]:
    """Return the project's what-ifs, first made first."""
    heads = {
        key.removeprefix(PREFIX): value
        for key, value in session.values(PREFIX).items()
        if "/" not in key.removeprefix(PREFIX)
    }
    found = [WhatIf.from_dict(whatif_id, values) for whatif_id, values in heads.items()]
    return sorted(found, key=lambda each: (each.made_at, each.name, each.id))


def find_whatif(session: Session, whatif_id: str) -> WhatIf | None:
    """Return the what-if of this id, or ``None``."""
    values = session.value(f"{PREFIX}{whatif_id}")
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
    return QuerySteps() if values is None else QuerySteps.from_dict(values, chosen)


def kept_steps(session: Session, whatif_id: str) -> dict[str, Any]:
    """Return what is done to queries as plain values, by their external ids."""
    start = query_key(whatif_id, "")
    return {key.removeprefix(start): each for key, each in session.values(start).items()}


def parse_steps(kept: Mapping[str, Any], material: Material) -> dict[int, QuerySteps]:
    """Return what :func:`kept_steps` gave, by the queries' numbers; unknown ones are left out."""
    found = ((material.find_query(name), each) for name, each in kept.items())
    return {
        query: QuerySteps.from_dict(each, material) for query, each in found if query is not None
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
