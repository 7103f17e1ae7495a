"""What is chosen for a comparison: systems, whatever has rankings and values, and some of the queries."""

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from judgetool.errors import CommandRefusedError
from judgetool.metrics.terms import BoolArray
from judgetool.session.finding import (
    CATEGORY,
    FILTER_KINDS,
    IS,
    Filter,
    QuerySearch,
    chips_of,
    group_of,
    has_query_words,
    is_known_id,
    is_plain,
    needs_value,
    split_words,
)
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


class QueryGroup(NamedTuple):
    """Queries that have the same category, or the same content of a field.

    Attributes:
        name: ``category``, or the field's.
        content: which.
        n_queries: how many.
        n_judged: of these, in how many anything is judged.
    """

    name: str
    content: str
    n_queries: int
    n_judged: int = 0

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


def query_groups(session: Session, *, most: int) -> list[QueryGroup]:
    """Return the groups by each category and field, by their content.

    Args:
        session: the project.
        most: a field of more contents than that, or of one alone, gives no groups.
    """
    queries, engine, names = session.material.queries, session.board.engine, group_names(session)
    judged = [query for at, query in enumerate(queries) if names and engine.is_judged_query(at)]
    found = []
    for name in names:
        counts = Counter(group_of(query, name) for query in queries)
        of_judged = Counter(group_of(query, name) for query in judged)
        counts.pop("", None)
        if 1 < len(counts) <= most:
            groups = sorted(counts.items())
            found += [QueryGroup(name, each, n, of_judged[each]) for each, n in groups]
    return found


def kept_queries(session: Session, where: str) -> BoolArray | None:
    """Return which queries a text lets through, as :func:`queries_where`; ``None`` for all of them."""
    return queries_where(session, where) if where else None


def queries_where(session: Session, where: str) -> BoolArray:
    """Return which queries a text lets through, shape (n_queries,).

    Args:
        session: the project.
        where: conditions that must all hold: ``field=content`` or ``category=soups`` (of one
            field several: any of them; case plays no part where nothing is written just so), and what is typed over the query list, such as
            ``is:disputed`` or words of the query; a ``-`` in front of one leaves out what it
            would let through; ``""`` lets all through.

    Raises:
        CommandRefusedError: a filter is not understood, or no query is left.
    """
    queries = session.material.queries
    words = split_words(where)
    chips = chips_of(words, lambda word: is_known_id(session, word), group_names(session))
    kept = np.zeros(len(queries), dtype=bool)
    kept[QuerySearch(session, chips).find_here()] = True
    if not kept.any():
        name = session.path.name
        if not where:
            raise CommandRefusedError(
                _("{name} has no queries yet. Import some first.").format(name=name)
            )
        told = _("No query of {name} is let through by ‘{where}’.").format(name=name, where=where)
        told += _unknown_words(session, chips)
        meant = [word for word, _not in words if is_plain(word)]
        if meant:
            hint = _("‘{word}’ was looked for as a word; the condition is ‘{condition}’.")
            told += " " + hint.format(word=meant[0], condition=IS + meant[0])
        raise CommandRefusedError(told)
    if any(chip.is_not for chip in chips) and (unknown := _unknown_words(session, chips)):
        raise CommandRefusedError(unknown.strip())
    return kept


_NAMED = re.compile(r"([^\W\d]\w*)([:=])")


def _unknown_words(session: Session, chips: Sequence[Filter]) -> str:
    """Return a sentence on a word such as ``nosuch:thing`` that no query has; ``""`` where there is none."""
    for chip in chips:
        word = str(chip.value)
        named = _NAMED.match(word) if chip.kind == "text" else None
        if named and not any(has_query_words(query, word) for query in session.material.queries):
            fields = [f"{name}=" for name in group_names(session)]
            known = [f"{kind}:" for kind in FILTER_KINDS if needs_value(kind)]
            return " " + _("There is no condition ‘{word}’. There are {known}.").format(
                word=named[0], known=", ".join((IS, *known, *fields))
            )
    return ""
