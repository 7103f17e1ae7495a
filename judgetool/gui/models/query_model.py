"""The rows of the query list: group heads and queries, ordered, filtered and folded here."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt

from judgetool.core import override
from judgetool.core.judgments import Query
from judgetool.core.number_text import number_of
from judgetool.core.terms import fold, one_line
from judgetool.gui import cannot_raise
from judgetool.gui.models.finders import QueryFinder
from judgetool.gui.painting import format_count, format_value
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.rows import ROOT, Index, LineModel
from judgetool.session.finding import Filter
from judgetool.session.pool import Progress
from judgetool.session.session import Session
from judgetool.wording import N_, _, pgettext


class Group(Enum):
    """How far a query's pool is judged; the value is the group's title."""

    IN_PART = N_("In part")
    NOT_STARTED = N_("Not started")
    DONE = N_("Done")
    EMPTY = N_("Nothing to judge")


# What a query has become that still stands in the group where it was.
_BECOME = {
    Group.IN_PART: N_("now begun"),
    Group.NOT_STARTED: N_("now not started"),
    Group.DONE: N_("now done"),
    Group.EMPTY: N_("now without anything to judge"),
}


class Order(Enum):
    """How the list is ordered; the value is said at the head of the list."""

    UNJUDGED_FIRST = N_("Unjudged first")
    PROJECT = N_("In the project’s order")
    LOWEST_FIRST = N_("Lowest value first")


class QueryChoice(Enum):
    """Which queries are let through; the value is the pill's text."""

    ALL = N_("All")
    TO_DO = N_("To do")
    FLAGGED = N_("Flagged")


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
    """Return what a filter is looked for in, folded: what each query says of itself."""
    return ["\n".join((query.id.casefold(), *map(fold, _said(query)))) for query in queries]


def _said(query: Query) -> list[str]:
    """Return what ``has_query_words`` looks into, but for the id; without what is empty."""
    told = (query.text, query.category, query.description, query.narrative)
    return [text for text in told if text]


def find_matching(keys: Sequence[str], typed: str) -> list[int]:
    """Return the queries in whose keys all typed words occur, anywhere and in any order."""
    words = [(word.casefold(), fold(word)) for word in typed.split()]
    found = list(range(len(keys)))
    for plain, folded in words:
        found = [number for number in found if folded in keys[number] or plain in keys[number]]
    return found


def choose(facts: QueryFacts, queries: Iterable[int], choice: QueryChoice) -> list[int]:
    """Return the queries that a pill lets through."""
    if choice is QueryChoice.TO_DO:
        return [query for query in queries if facts.is_to_do(query)]
    if choice is QueryChoice.FLAGGED:
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


MOST_CHARACTERS = 300
VALUE_DIGITS = 3


class QueryRow(NamedTuple):
    """One query as the list shows it.

    Attributes:
        query: its number.
        id: the external id, on one line.
        text: the query on one line; the id where there is no text.
        judged: settled documents of the pool.
        total: documents of the pool.
        value: of the chosen measure, ``None`` where there is none.
        is_flagged: whether a judgment of it is marked for discussion.
    """

    query: int
    id: str
    text: str
    judged: int
    total: int
    value: float | None
    is_flagged: bool


class GroupRow(NamedTuple):
    """The head of a group.

    Attributes:
        group: what its queries have in common.
        size: how many queries it has.
        is_folded: whether their rows are hidden.
        aside: what stands under it and is of another group since, such as ``1 now begun``: rows
            stay where they are under the hands.
        became: the group of which all of them are since; ``None`` while one has stayed.
    """

    group: Group
    size: int
    is_folded: bool
    aside: str = ""
    became: Group | None = None

    @property
    def title(self) -> str:
        """What the head says its queries are."""
        return _((self.became or self.group).value)


class QueryModel(LineModel):
    """Queries of a session in the order of the list.

    Attributes:
        facts: progress, values and flags of all queries, as of the last refresh.
        order: how the list is ordered; change it by :meth:`set_order`.
        choice: which pill is chosen; change it by :meth:`set_choice`.
        typed: words of the filter; change them by :meth:`set_filter`.
        finder: which queries meet the chips; give it ``jobs`` and long searches hold nothing up.
        measure: name of the measure in the last column, ``""`` for none.
        longest_id: the longest id of queries that have a text besides; ``""`` if none has.
        longish_text: of ten queries nine have a shorter text.
        is_ahead: whether ``shown`` has another order than the rows, until they are laid anew.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self.facts = QueryFacts()
        self.order = Order.UNJUDGED_FIRST
        self.choice = QueryChoice.ALL
        self.typed = ""
        self.finder = QueryFinder(self)
        self.finder.found.connect(self.arrange)
        self.measure = ""
        self.longest_id = ""
        self.longish_text = ""
        self._run: int | None = None
        self._column: int | None = None
        self._keys: list[str] | None = None
        self._folded: set[Group] = set()
        self.is_ahead = False
        self._groups: list[tuple[Group | None, list[int]]] = []
        self._shown: list[int] = []
        self._rows: list[int | GroupRow] = []
        self._row_of: dict[int, int] = {}
        self._refreshed: set[int] = set()
        self._heads: list[int] = []
        self._sizes: dict[Group, int] = {}
        # Of queries that are of another group since: the one under whose head they stand.
        self._stands_in: dict[int, Group] = {}
        self._n_to_do = 0
        self._is_out_of_order = False
        self._texts: dict[int, tuple[str, str]] = {}

    # What it shows

    def set_session(self, session: Session | None) -> None:
        """Show the queries of a session, or none."""
        self._session = session
        self._keys = None
        self.finder.set_session(session)
        self._texts = {}
        self.facts = QueryFacts()
        if session is not None:
            progress = [session.board.progress(query) for query in range(len(self._queries))]
            self.facts.judged = [found.judged for found in progress]
            self.facts.total = [found.total for found in progress]
            self.facts.flagged = session.flagged_queries()
        self._load_values()
        self._n_to_do = self.facts.n_to_do
        ids = (query.id for query in self._queries if query.text)
        self.longest_id = one_line(max(ids, key=len, default=""), most=MOST_CHARACTERS)
        texts = sorted((query.text for query in self._queries), key=len) or [""]
        self.longish_text = one_line(texts[len(texts) * 9 // 10], most=MOST_CHARACTERS)
        self.arrange()

    def forget_run(self) -> None:
        """Ask for no run's values when a session is shown next: the run may be gone."""
        self._run = None

    def set_value(self, run_id: int | None, measure: str) -> None:
        """Choose run and measure of the last column; ``None`` or an unknown name shows none."""
        if self._column is not None and (run_id, measure) == (self._run, self.measure):
            # Every judgment since has refreshed its own row.
            return
        self._run, self.measure = run_id, measure
        self._load_values()
        if self.order is Order.LOWEST_FIRST:
            self.arrange()
        elif self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))

    def _load_values(self) -> None:
        session = self._session
        self._column = None
        self.facts.values = [None] * len(self._queries)
        if session is None or self._run is None:
            return
        engine = session.board.engine
        names = [str(measure) for measure in engine.measures]
        if self.measure in names:
            self._column = names.index(self.measure)
            self.facts.values = engine.moment(self._run).column(self._column)

    def refresh(self, queries: Iterable[int]) -> None:
        """Read progress, value and flags of some queries anew; their rows stay where they are.

        Views learn of it by :meth:`tell_refreshed`.
        """
        session = self._session
        assert session is not None
        for query in queries:
            self._take_progress(query, session.board.progress(query))
            if self._run is not None and self._column is not None:
                numbers = session.board.engine.numbers(self._run, query)
                self.facts.values[query] = numbers[self._column]
            _set_member(self.facts.flagged, query, session.has_flag(query))
            if self.order is Order.LOWEST_FIRST or self.choice is QueryChoice.FLAGGED:
                self._is_out_of_order = True
            if self.chips:
                self._is_out_of_order = True
                self.finder.forget()
            self._refreshed.add(query)

    def tell_refreshed(self) -> None:
        """Tell views which rows :meth:`refresh` has changed since."""
        for query in self._refreshed:
            row = self._row_of.get(query)
            if row is not None:
                self.dataChanged.emit(self.index(row, 0), self.index(row, 0))
        self._refreshed.clear()
        for row in self._heads:
            head = self._rows[row]
            counted = self._count_anew(head) if isinstance(head, GroupRow) else head
            if counted != head:
                self._rows[row] = counted
                self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    def _count_anew(self, head: GroupRow) -> GroupRow:
        """Return a head that counts what is still of its group, and says what else stands there."""
        moved = [query for query, group in self._stands_in.items() if group is head.group]
        become = Counter(map(self.facts.group_of, moved))
        size = self._sizes[head.group] - len(moved)
        if not size and len(become) == 1 and become.keys().isdisjoint(self._sizes):
            # The head of a group that nobody else bears is theirs: it would speak of none of its rows.
            return head._replace(size=len(moved), aside="", became=next(iter(become)))
        said = (f"{format_count(number)} {_(_BECOME[each])}" for each, number in become.items())
        return head._replace(size=size, aside=", ".join(said), became=None)

    def _take_progress(self, query: int, progress: Progress) -> None:
        facts = self.facts
        group, was_to_do = facts.group_of(query), facts.is_to_do(query)
        facts.judged[query], facts.total[query] = progress
        self._n_to_do += facts.is_to_do(query) - was_to_do
        after = facts.group_of(query)
        if after is group:
            return
        self._is_out_of_order = True
        stands_in = self._stands_in.setdefault(query, group)
        if stands_in is after or query not in self._shown:
            del self._stands_in[query]

    # Order

    def set_order(self, order: Order) -> None:
        """Order the list otherwise."""
        self.order = order
        self.arrange()

    def set_choice(self, choice: QueryChoice) -> None:
        """Let through what another pill says."""
        self.choice = choice
        self.arrange()

    def set_filter(self, typed: str) -> None:
        """Let through queries that hold all typed words."""
        self.typed = typed
        self.arrange()

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Let through queries that meet these conditions, or that have a document that does."""
        self.finder.set_chips(chips)
        self.arrange()

    def set_folded(self, group: Group, *, is_folded: bool) -> None:
        """Fold a group to its head, or unfold it."""
        _set_member(self._folded, group, is_folded)
        self.arrange()

    def regroup(self) -> bool:
        """Order anew, if a query has moved to another group or place since.

        Returns:
            Whether the rows are yet to follow, by :meth:`lay_rows`: of thousands they cost more
            than the next key leaves time for.
        """
        if self._is_out_of_order:
            self._reorder()
        return self.is_ahead

    def arrange(self) -> None:
        """Filter, group and order anew."""
        self._reorder()
        self.lay_rows()

    def _reorder(self) -> None:
        self._groups = arrange(self.facts, self._choose(), self.kept_order)
        self._shown = [query for __, members in self._groups for query in members]
        self._is_out_of_order = False
        self.is_ahead = True

    def lay_rows(self) -> None:
        """Let the rows follow the order, where it is ahead of them."""
        if not self.is_ahead:
            return
        if self._is_out_of_order:
            self._reorder()
        self.beginResetModel()
        self._rows, self._row_of, self._heads = [], {}, []
        self._stands_in.clear()
        self._sizes = {group: len(members) for group, members in self._groups if group is not None}
        for group, members in self._groups:
            is_folded = group in self._folded
            if group is not None:
                self._heads.append(len(self._rows))
                self._rows.append(GroupRow(group, len(members), is_folded))
            if not is_folded:
                self._row_of.update(zip(members, count(len(self._rows)), strict=False))
                self._rows.extend(members)
        self.is_ahead = False
        self.endResetModel()

    def _choose(self) -> list[int]:
        found: Iterable[int] = range(len(self._queries))
        if self.typed.strip():
            if self._keys is None:
                self._keys = filter_keys(self._queries)
            found = find_matching(self._keys, self.typed)
        met = self.finder.look()
        if met is not None:
            found = [query for query in found if query in met]
        return choose(self.facts, found, self.choice)

    # Asking

    @property
    def kept_order(self) -> Order:
        """The order that the rows have: without values, as in blind mode, lowest first is the project's."""
        if self.order is Order.LOWEST_FIRST and self._column is None:
            return Order.PROJECT
        return self.order

    @property
    def chips(self) -> tuple[Filter, ...]:
        """Conditions that a shown query meets, or will as soon as they are looked up."""
        return self.finder.chips

    @property
    def shown(self) -> list[int]:
        """Query numbers in order, also those in folded groups."""
        return self._shown

    @property
    def n_queries(self) -> int:
        """How many queries the project has."""
        return len(self.facts.judged)

    @property
    def n_to_do(self) -> int:
        """How many queries have something left to judge; counted along, for every key."""
        return self._n_to_do

    @property
    def has_values(self) -> bool:
        """Whether the last column has anything to show."""
        return self._column is not None

    def group_of(self, query: int) -> Group | None:
        """Return the group in which a query is shown; ``None`` for orders without groups."""
        return self.facts.group_of(query) if self.order is Order.UNJUDGED_FIRST else None

    def find_row(self, query: int) -> int | None:
        """Return the row of a query, or ``None`` when it is filtered or folded away."""
        return self._row_of.get(query)

    def group_rows(self) -> list[int]:
        """Return the rows that are heads of groups."""
        return self._heads

    def row(self, place: int) -> QueryRow | GroupRow:
        """Return what a row shows."""
        row = self._rows[place]
        return row if isinstance(row, GroupRow) else self._query_row(row)

    def _query_row(self, query: int) -> QueryRow:
        facts = self.facts
        return QueryRow(
            query,
            *self._texts_of(query),
            facts.judged[query],
            facts.total[query],
            facts.values[query],
            query in facts.flagged,
        )

    def _texts_of(self, query: int) -> tuple[str, str]:
        """Return id and text on one line each, kept from when the row was first seen."""
        kept = self._texts.get(query)
        if kept is None:
            found = self._queries[query]
            kept = (
                one_line(found.id, most=MOST_CHARACTERS),
                one_line(found.text or found.id, most=MOST_CHARACTERS),
            )
            self._texts[query] = kept
        return kept

    @property
    def _queries(self) -> Sequence[Query]:
        return self._session.material.queries if self._session is not None else ()

    # Qt

    @override
    @cannot_raise
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows shown."""
        return 0 if parent.isValid() else len(self._rows)

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return the text of a row, for display and for screen readers."""
        row = self.row(place)
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title if isinstance(row, GroupRow) else row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(row, QueryRow):
            said = row.text if row.text == row.id else f"{row.id}\n{row.text}"
            return plain_tooltip(said, is_quoted=True)
        return None

    def _spoken(self, row: QueryRow | GroupRow) -> str:
        if isinstance(row, GroupRow):
            state = _("folded") if row.is_folded else pgettext("state of a group", "open")
            size = number_of(row.size, "{n} query", "{n} queries")
            return ", ".join(filter(None, (row.title, size, row.aside, state)))
        parts = [
            query_in_list(row.id, row.text),
            _("{judged} of {total} judged").format(judged=row.judged, total=row.total),
        ]
        if self.has_values and row.value is not None:
            parts.append(f"{self.measure} {format_value(row.value, digits=VALUE_DIGITS)}")
        if row.is_flagged:
            parts.append(_("flagged"))
        return ", ".join(parts)


def query_in_list(external_id: str, text: str) -> str:
    """Return what readers call a query in a list: by its text first, since ids look like places."""
    if text in ("", external_id):
        return _("Query {id}").format(id=external_id)
    return _("Query {text}, id {id}").format(text=text, id=external_id)


def _set_member(members: set[Any], member: object, is_member: bool) -> None:
    (members.add if is_member else members.discard)(member)
