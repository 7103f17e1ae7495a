"""Which queries the list shows, in which groups and order; no Qt, no session."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from judgetool.core.queries import Query
from judgetool.core.terms import fold


class Group(Enum):
    """How far a query's pool is judged; the value is the group's title."""

    IN_PART = "In part"
    NOT_STARTED = "Not started"
    DONE = "Done"
    EMPTY = "Nothing to judge"


class Order(Enum):
    """How the list is ordered; the value is said at the head of the list."""

    UNJUDGED_FIRST = "Unjudged first"
    PROJECT = "In the project's order"
    LOWEST_FIRST = "Lowest value first"


class Choice(Enum):
    """Which queries are let through; the value is the pill's text."""

    ALL = "All"
    TO_DO = "To do"
    FLAGGED = "Flagged"


@dataclass(slots=True)
class QueryFacts:
    """What is known of each query by its number, kept so that ordering asks nobody.

    Attributes:
        judged: settled documents of the pool.
        total: documents of the pool.
        values: of the chosen run and measure; ``None`` where there is none.
        flagged: queries with a flagged judgment.
    """

    judged: list[int] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    flagged: set[int] = field(default_factory=set)

    def group_of(self, query: int) -> Group:
        """Return the group of a query."""
        judged, total = self.judged[query], self.total[query]
        if total == 0:
            return Group.EMPTY
        if judged >= total:
            return Group.DONE
        return Group.IN_PART if judged else Group.NOT_STARTED

    def is_to_do(self, query: int) -> bool:
        """Whether something of the pool is left to judge."""
        return self.judged[query] < self.total[query]

    @property
    def n_to_do(self) -> int:
        """How many queries have something left to judge."""
        return sum(judged < total for judged, total in zip(self.judged, self.total, strict=True))


def filter_keys(queries: Iterable[Query]) -> list[str]:
    """Return what a filter is looked for in, folded: id, text and category of each query."""
    return [
        "\n".join((query.id.casefold(), fold(query.text), fold(query.category)))
        for query in queries
    ]


def find_matching(keys: Sequence[str], typed: str) -> list[int]:
    """Return the queries in whose keys all typed words occur, anywhere and in any order."""
    words = [(word.casefold(), fold(word)) for word in typed.split()]
    found = list(range(len(keys)))
    for plain, folded in words:
        found = [number for number in found if folded in keys[number] or plain in keys[number]]
    return found


def choose(facts: QueryFacts, queries: Iterable[int], choice: Choice) -> list[int]:
    """Return the queries that a pill lets through."""
    if choice is Choice.TO_DO:
        return [query for query in queries if facts.is_to_do(query)]
    if choice is Choice.FLAGGED:
        return [query for query in queries if query in facts.flagged]
    return list(queries)


def arrange(
    facts: QueryFacts, queries: Collection[int], order: Order
) -> list[tuple[Group | None, list[int]]]:
    """Return the queries in order, in groups where the order has any.

    Args:
        facts: of all queries.
        queries: those to arrange, in the project's order.
        order: how.

    Returns:
        Groups that hold something, each with its queries; one nameless group for
        orders without groups.
    """
    if order is Order.PROJECT:
        return [(None, list(queries))]
    if order is Order.LOWEST_FIRST:
        return [(None, sorted(queries, key=lambda query: _value_key(facts.values[query])))]
    return _group(facts, queries)


def _group(facts: QueryFacts, queries: Iterable[int]) -> list[tuple[Group | None, list[int]]]:
    """Put queries into groups; plain lists and locals, since it is waited for at a key."""
    judged, total = facts.judged, facts.total
    in_part: list[int] = []
    not_started: list[int] = []
    done: list[int] = []
    empty: list[int] = []
    for query in queries:
        if not total[query]:
            empty.append(query)
        elif judged[query] >= total[query]:
            done.append(query)
        elif judged[query]:
            in_part.append(query)
        else:
            not_started.append(query)
    members = zip(Group, (in_part, not_started, done, empty), strict=True)
    return [(group, found) for group, found in members if found]


def _value_key(value: float | None) -> tuple[bool, float]:
    return value is None, value or 0.0
