"""What is chosen for a comparison: systems, whatever has rankings and values, and some of the queries."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from judgetool.core.judgments import Query
from judgetool.errors import CommandRefusedError
from judgetool.metrics.terms import BoolArray
from judgetool.session.finding import IS, QuerySearch, parse_typed, words_like_conditions
from judgetool.session.session import Session
from judgetool.wording import _

Kind = Literal["run", "what-if"]


class System(NamedTuple):
    """A run or a what-if, as it is now or as a snapshot has it.

    Attributes:
        kind: ``run`` or ``what-if``.
        id: of a run its ``RunRow.run_id`` as text, of a what-if its id.
        name: for people; two systems may have the same.
        snapshot: id of the snapshot that it is taken from, with that snapshot's
            judgments; ``""`` for the present.
    """

    kind: Kind
    id: str
    name: str
    snapshot: str = ""

    @property
    def key(self) -> str:
        """What tells it from all others of the project, such as ``run:3``."""
        here = f"{self.kind}:{self.id}"
        return f"{self.snapshot}/{here}" if self.snapshot else here

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        values = {"kind": self.kind, "id": self.id, "name": self.name}
        return {**values, "snapshot": self.snapshot} if self.snapshot else values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "System":
        """Build a system from :meth:`to_dict`'s result."""
        kind: Kind = "what-if" if values["kind"] == "what-if" else "run"
        return System(kind, str(values["id"]), str(values["name"]), values.get("snapshot", ""))


def run_system(session: Session, run_id: int) -> System:
    """Return a run as a system.

    Raises:
        KeyError: there is no run of this number.
    """
    found = next((run for run in session.material.runs if run.run_id == run_id), None)
    if found is None:
        raise KeyError(run_id)
    return System("run", str(run_id), found.name)


CATEGORY = "category"


class QueryGroup(NamedTuple):
    """Queries that have the same category, or the same content of a field.

    Attributes:
        name: ``category``, or the field's.
        content: which.
        n_queries: how many.
    """

    name: str
    content: str
    n_queries: int

    @property
    def where(self) -> str:
        """The text that lets just these queries through."""
        sign = ":" if self.name == CATEGORY else "="
        return shlex.quote(f"{self.name}{sign}{self.content}")


def group_names(session: Session) -> list[str]:
    """Return by what queries can be grouped: ``category`` and the names of their fields."""
    queries = session.material.queries
    fields = dict.fromkeys(name for query in queries for name in query.fields)
    has_category = any(query.category for query in queries)
    return [*([CATEGORY] if has_category else []), *fields]


def group_of(query: Query, name: str) -> str:
    """Return a query's category, or its content of a field; ``""`` for none."""
    return query.category if name == CATEGORY else query.fields.get(name, "")


def query_groups(session: Session, *, most: int) -> list[QueryGroup]:
    """Return the groups by each category and field, by their content.

    Args:
        session: the project.
        most: a field of more contents than that, or of one alone, gives no groups.
    """
    found = []
    for name in group_names(session):
        counts = Counter(group_of(query, name) for query in session.material.queries)
        counts.pop("", None)
        if 1 < len(counts) <= most:
            found += [QueryGroup(name, *each) for each in sorted(counts.items())]
    return found


def kept_queries(session: Session, where: str) -> BoolArray | None:
    """Return which queries a text lets through, as :func:`queries_where`; ``None`` for all of them."""
    return queries_where(session, where) if where else None


def queries_where(session: Session, where: str) -> BoolArray:
    """Return which queries a text lets through, shape (n_queries,).

    Args:
        session: the project.
        where: conditions that must all hold: ``field=content`` or ``category=soups`` (of one
            field several: any of them), and what is typed over the query list, such as
            ``is:disputed`` or words of the query; ``""`` lets all through.

    Raises:
        CommandRefusedError: a filter is not understood, or no query is left.
    """
    queries = session.material.queries
    kept = np.ones(len(queries), dtype=bool)
    contents, rest = _parted(where, group_names(session))
    for name, wanted in contents.items():
        kept &= np.array([group_of(query, name) in wanted for query in queries], dtype=bool)
    chips = parse_typed(rest)
    if chips:
        found = np.zeros(len(queries), dtype=bool)
        found[QuerySearch(session, chips).find_here()] = True
        kept &= found
    if not kept.any():
        name = session.path.name
        if not where:
            raise CommandRefusedError(
                _("{name} has no queries yet. Import some first.").format(name=name)
            )
        told = _("No query of {name} is let through by ‘{where}’.").format(name=name, where=where)
        meant = words_like_conditions(rest)
        if meant:
            hint = _("‘{word}’ was looked for as a word; the condition is ‘{condition}’.")
            told += " " + hint.format(word=meant[0], condition=IS + meant[0])
        raise CommandRefusedError(told)
    return kept


def _parted(where: str, names: Sequence[str]) -> tuple[dict[str, set[str]], str]:
    """Return the wanted contents by field, and the text of what is none of them."""
    contents: dict[str, set[str]] = {}
    others = []
    try:
        words = shlex.split(where)
    except ValueError:
        # Who reads filters says what is amiss.
        return {}, where
    for word in words:
        name, sign, content = word.partition("=")
        if sign and name in names:
            contents.setdefault(name, set()).add(content)
        else:
            others.append(word)
    return contents, shlex.join(others)
