"""Who is asked to judge what: the plan, the same on every machine, asking, and handing over.

An ask is a (query, document) that one assessor is asked to judge. It is open until that assessor has
judged it, whatever others said; nothing is written for that when they judge.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np

from judgetool.core.judgments import Judgment
from judgetool.core.number_text import (
    count_noun,
    counted,
    format_count,
    format_hours,
    local_count,
    number_of,
)
from judgetool.errors import CommandRefusedError, InputError, UsageError
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.session.asked import PRACTICE_KEY
from judgetool.session.board import build_pool
from judgetool.session.commands import AskOf, SetValues, WriteAsks, find_name_problem
from judgetool.session.pool import NumberPair, find_pool_choice
from judgetool.session.session import Session
from judgetool.storage.asks import load_asks
from judgetool.storage.judgments import load_active_times, load_judgments, load_settled
from judgetool.storage.values import load_assessors, load_kinds, load_numbers_of
from judgetool.wording import _, local_number

AskEach = Literal["query", "document"]
ASK_EACH: tuple[AskEach, ...] = get_args(AskEach)
Pair = tuple[str, str]
"""The ids of a query and a document."""


class AskWishes(NamedTuple):
    """What a lead asks for.

    Attributes:
        to: names of assessors, in any order.
        each: what one assessor gets as a whole: a query with its documents, or a document.
        opinions: how many judge what is chosen for several, at least 1.
        share: of all that is asked, what is chosen for so many, 0 to 1.
        repeat: of each assessor's documents, how many the same person is asked again, 0 to 1.
        seed: the same seed asks the same on every machine.
    """

    to: tuple[str, ...]
    each: AskEach = "query"
    opinions: int = 1
    share: float = 1.0
    repeat: float = 0.0
    seed: int = DEFAULT_SEED

    def check(self) -> None:
        """See whether this can be asked.

        Raises:
            UsageError: nobody is asked, more opinions than people, or a share beyond 0 and 1.
        """
        if not self.to or not all(name.strip() for name in self.to):
            raise UsageError(_("Nobody is asked. Name at least one assessor."))
        if not 1 <= self.opinions <= len(set(self.to)):
            raise UsageError(
                number_of(
                    len(set(self.to)),
                    "{opinions} opinions need as many assessors; {n} is named.",
                    "{opinions} opinions need as many assessors; {n} are named.",
                    opinions=self.opinions,
                )
            )
        for name, share in ((_("share"), self.share), (_("repeat"), self.repeat)):
            if not 0 <= share <= 1:
                said = _("The {name} is {share}. A share is from 0 to 1, such as 0.2.")
                raise UsageError(said.format(name=name, share=local_number(f"{share:g}")))


class PlannedAsk(NamedTuple):
    """One (query, document) that one assessor is asked to judge; perhaps once more, which nobody tells."""

    query: str
    document: str
    assessor: str
    is_again: bool = False

    @property
    def pair(self) -> Pair:
        """Query and document."""
        return self.query, self.document


@dataclass(frozen=True, slots=True)
class Standing:
    """What was asked and judged before.

    Attributes:
        heard: by pair the people who were asked or have judged it: they are not asked anew.
        asked: by assessor the pairs asked of them, but for repeats.
        again: likewise, those asked of them once more.
    """

    heard: Mapping[Pair, Collection[str]] = field(default_factory=dict)
    asked: Mapping[str, Collection[Pair]] = field(default_factory=dict)
    again: Mapping[str, Collection[Pair]] = field(default_factory=dict)


NOTHING_STANDS = Standing()
# Multiplied by it and cut to 64 bits, numbers that differ in a few bits differ in their highest.
_ODD, _MOST = 0x9E3779B97F4A7C15, (1 << 64) - 1


def make_hash(seed: int, *names: str) -> int:
    """Return 64 bits by chance that are the same on every machine and at every time."""
    digest = blake2b(digest_size=8)
    # The length before each part keeps ("ab", "c") and ("a", "bc") apart.
    for part in (str(seed), *names):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return int.from_bytes(digest.digest(), "big")


class _Unit(NamedTuple):
    """Pairs that go to the same people.

    Attributes:
        pairs: in the order given.
        heard: who was asked or has judged them already.
        missing: how many opinions they lack.
        chance: by which equals are ordered.
    """

    pairs: list[Pair]
    heard: frozenset[str]
    missing: int
    chance: int


def plan_asks(
    pairs: Iterable[Pair], wishes: AskWishes, standing: Standing = NOTHING_STANDS
) -> list[PlannedAsk]:
    """Return who is to be asked what, so that each document is judged, and some by several.

    Units (queries, or documents) go out by falling size, equal ones by hash of seed and ids, each to
    who has least to do. A further opinion goes to who has met those asked already in the fewest
    documents, among those with whom nobody has more than one unit more to do than anybody; then to who
    has least to do. What is asked of several, and again, is chosen by hash, a rounded share.

    Args:
        pairs: what is to be judged; one that stands twice counts once.
        wishes: whom, how many, by which seed.
        standing: what was asked and judged before: only what is lacking is asked in addition.

    Returns:
        In the order of pairs, then of names; what is asked again at the end. Empty where nothing lacks.

    Raises:
        UsageError: this cannot be asked.
    """
    wishes.check()
    places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    sharing = _Sharing(wishes, standing)
    for unit in sorted(
        _units(places, wishes, standing), key=lambda unit: (-len(unit.pairs), unit.chance)
    ):
        sharing.give(unit)
    asks = sorted(sharing.asks, key=lambda ask: (places[ask.pair], ask.assessor))
    return [*asks, *_repeats(asks, wishes, standing)]


def _units(places: Mapping[Pair, int], wishes: AskWishes, standing: Standing) -> Iterator[_Unit]:
    whole: dict[tuple[str, ...], list[Pair]] = defaultdict(list)
    for pair in places:
        whole[pair[:1] if wishes.each == "query" else pair].append(pair)
    chances = {name: make_hash(wishes.seed, "unit", *name) for name in whole}
    several: frozenset[tuple[str, ...]] = frozenset()
    if wishes.opinions > 1:
        by_share = sorted(whole, key=lambda name: (make_hash(wishes.seed, "share", *name), name))
        several = frozenset(by_share[: rounded(wishes.share * len(whole))])
    for name, members in whole.items():
        wanted = wishes.opinions if name in several else 1
        # What part of a unit was asked for before goes on by itself.
        parts: dict[frozenset[str], list[Pair]] = defaultdict(list)
        for pair in members:
            parts[frozenset(standing.heard.get(pair, ()))].append(pair)
        for heard, part in parts.items():
            missing = min(wanted - len(heard), len(set(wishes.to) - heard))
            if missing > 0:
                yield _Unit(part, heard, missing, chances[name])


def rounded(number: float) -> int:
    """Return the nearest whole number, halves up."""
    return int(number + 0.5)


class _Sharing:
    """Gives units to people, and knows what each has to do and who met whom."""

    def __init__(self, wishes: AskWishes, standing: Standing) -> None:
        self._chances = {name: make_hash(wishes.seed, "turn", name) for name in wishes.to}
        self._loads = {name: len(standing.asked.get(name, ())) for name in sorted(set(wishes.to))}
        self._met: dict[frozenset[str], int] = defaultdict(int)
        self._largest = 0
        for people in standing.heard.values():
            for both in combinations(people, 2):
                self._met[frozenset(both)] += 1
        self.asks: list[PlannedAsk] = []

    def give(self, unit: _Unit) -> None:
        """Give a unit to as many as it lacks; they come by falling size."""
        size = len(unit.pairs)
        self._largest = max(self._largest, size)
        chosen: list[str] = []
        for __ in range(unit.missing):
            who = self._next(unit, chosen)
            chosen.append(who)
            self._loads[who] += size
            self.asks += [PlannedAsk(*pair, who) for pair in unit.pairs]
        for who in chosen:
            for other in {*unit.heard, *chosen[: chosen.index(who)]}:
                self._met[frozenset((who, other))] += size

    def _next(self, unit: _Unit, chosen: Sequence[str]) -> str:
        before = {*unit.heard, *chosen}
        free = [name for name in self._loads if name not in before]
        if before:
            most = min(self._loads.values()) + self._largest - len(unit.pairs)
            free = [name for name in free if self._loads[name] <= most] or free

        def rank(name: str) -> tuple[int, int, int, str]:
            met = sum(self._met[frozenset((name, other))] for other in before)
            # Who is first among equals is another for each unit.
            chance = (unit.chance ^ self._chances[name]) * _ODD & _MOST
            return met, self._loads[name], chance, name

        return min(free, key=rank)


def _repeats(
    asks: Sequence[PlannedAsk], wishes: AskWishes, standing: Standing
) -> Iterator[PlannedAsk]:
    """Yield what people are asked once more, of all that they are asked."""
    by_person: dict[str, list[Pair]] = {
        name: [*standing.asked.get(name, ())] for name in sorted(set(wishes.to))
    }
    for ask in asks:
        by_person[ask.assessor].append(ask.pair)
    for name, pairs in by_person.items():
        known = set(standing.again.get(name, ()))
        wanted = rounded(wishes.repeat * len(pairs)) - len(known)
        free = (pair for pair in pairs if pair not in known)
        by_chance = sorted(free, key=lambda pair: (make_hash(wishes.seed, "again", *pair), pair))
        yield from (PlannedAsk(*pair, name, is_again=True) for pair in by_chance[: max(0, wanted)])


# In an open project

_NOT_PEOPLE = ("model", "settled", "again")
_LEAST_KNOWN, _MOST_NAMED = 20, 4


def list_people(session: Session) -> list[str]:
    """Return the names of people known to the project, first known first."""
    kinds = load_kinds(session.reader)
    return [name for name in session.assessors if kinds.get(name) == "human"]


def find_standing_asks(session: Session) -> Standing:
    """Return what was asked in a project, and what people have judged of their own accord."""
    reader, place_of = session.reader, session.material.place_of
    assessors = {each.assessor_id: each for each in load_assessors(reader)}
    asks = [ask for ask in load_asks(reader) if ask.query_id in place_of]
    said = [
        (query, document, assessors[number].name)
        for query, document, number, *_ in load_settled(reader)
        if query in place_of and assessors[number].kind == "human"
    ]
    numbers = {ask.document_id for ask in asks} | {document for _, document, _ in said}
    ids = session.material.document_ids(sorted(numbers))
    queries = session.material.queries
    heard: dict[Pair, set[str]] = defaultdict(set)
    asked: dict[str, list[Pair]] = defaultdict(list)
    again: dict[str, list[Pair]] = defaultdict(list)
    for ask in asks:
        pair = queries[place_of[ask.query_id]].id, ids[ask.document_id]
        who = assessors[ask.assessor_id]
        if who.kind == "again":
            again[session.assessor_name(ask.assessor_id)].append(pair)
        else:
            asked[who.name].append(pair)
            heard[pair].add(who.name)
    for query, document, name in said:
        heard[queries[place_of[query]].id, ids[document]].add(name)
    return Standing(heard, asked, again)


def pool_pairs(session: Session) -> list[Pair]:
    """Return what is to be judged, by query in the project's order, as ids."""
    pool = session.board.whole_pool
    if session.pool_choice.policy.kind == "asked":
        choice = find_pool_choice(session.values("pool"))
        pool = build_pool(session.material, choice, session.board.book.heard)
    queries, documents = pool.pairs()
    ids = session.material.document_ids(np.unique(documents).tolist())
    names = [query.id for query in session.material.queries]
    return [
        (names[query], ids[document])
        for query, document in zip(queries.tolist(), documents.tolist(), strict=True)
    ]


def _find_no_person(name: str, kinds: Mapping[str, str]) -> str:
    """Return a sentence where nobody of this name can be asked, else ``""``."""
    if kinds.get(name) == "human":
        return ""
    if kinds.get(name) in _NOT_PEOPLE:
        return _("‘{name}’ is nobody who can judge or be asked: only people are.").format(name=name)
    return find_name_problem(name)


class Asking:
    """What asking comes to in an open project, for one wish after another.

    Args:
        session: the project; nothing in it is changed.
        pairs: what is to be judged; ``None`` for the project's pool.
    """

    def __init__(self, session: Session, pairs: Iterable[Pair] | None = None) -> None:
        self._session = session
        self._pairs = pool_pairs(session) if pairs is None else list(pairs)
        self._standing = find_standing_asks(session)
        self._kinds = load_kinds(session.reader)
        self._ms_each = judging_pace(session)

    @property
    def size(self) -> int:
        """How many documents are to be shared out."""
        return len(self._pairs)

    def plan(self, wishes: AskWishes) -> "AskPlan":
        """Return what would be asked; for any thread.

        Raises:
            UsageError: this cannot be asked.
            InputError: somebody who is asked is no person, or nothing is to be judged.
        """
        wishes.check()
        for name in wishes.to:
            problem = _find_no_person(name, self._kinds)
            if problem:
                raise InputError(problem)
        if not self._pairs:
            raise InputError(
                _(
                    "Nothing is to be judged in {path}: no run has documents yet. Bring one in first, or choose another pool."
                ).format(path=self._session.path.name)
            )
        asks = plan_asks(self._pairs, wishes, self._standing)
        people = tuple(sorted(set(wishes.to)))
        return AskPlan(tuple(asks), people, self._standing.asked, self._ms_each)

    def command(self, plan: "AskPlan") -> WriteAsks:
        """Return the command that asks what is planned.

        Raises:
            CommandRefusedError: there is nothing to ask.
        """
        if not plan.asks:
            raise CommandRefusedError(
                _(
                    "All of this is asked already, of as many as were wished. For one more to get some of it, name them beside those asked before and ask for more opinions, or hand over what is open (Judge ▸ Hand over…). Nothing was changed."
                )
            )
        material = self._session.material
        numbers = material.find_documents(sorted({ask.document for ask in plan.asks}))
        asks = []
        for ask in plan.asks:
            query = material.find_query(ask.query)
            if query is not None:
                asks.append(AskOf(query, numbers[ask.document], ask.assessor, ask.is_again))
        return WriteAsks(tuple(asks), _title(plan))


def _title(plan: "AskPlan") -> str:
    """Return what an ask is called in the history, which assessors read, too: nothing of repeats."""
    *others, last = plan.people
    names = f"{', '.join(others)} and {last}" if others else last
    if len(plan.people) > _MOST_NAMED:
        names = f"{format_count(len(plan.people))} assessors"
    return f"Ask {names}: {count_noun(plan.n_documents, 'document')}"


class AskedShare(NamedTuple):
    """What one assessor is asked by a plan.

    Attributes:
        assessor: the name.
        queries: how many queries.
        documents: how many documents of queries, each counted once.
        several: how many of these others are asked, too.
        again: how many come once more.
    """

    assessor: str
    queries: int
    documents: int
    several: int
    again: int


class AskPlan(NamedTuple):
    """What would be asked.

    Attributes:
        asks: see :func:`plan_asks`.
        people: who was named, by name.
        asked: what each was asked before, by name.
        ms_each: how long a judgment takes in this project; ``None`` where that is not known.
    """

    asks: tuple[PlannedAsk, ...]
    people: tuple[str, ...]
    asked: Mapping[str, Collection[Pair]]
    ms_each: float | None

    @property
    def n_documents(self) -> int:
        """How many documents of queries are asked of anybody."""
        return len(self._people_of)

    @property
    def n_several(self) -> int:
        """How many of these documents are asked of several people."""
        return sum(count > 1 for count in self._people_of.values())

    @property
    def _people_of(self) -> Counter[Pair]:
        """How many people are asked each, those of before among them."""
        counts = Counter(ask.pair for ask in self.asks if not ask.is_again)
        before = Counter(pair for pairs in self.asked.values() for pair in pairs)
        return Counter({pair: count + before[pair] for pair, count in counts.items()})

    def shares(self) -> list[AskedShare]:
        """Return what each is asked, by name."""
        people_of = self._people_of
        found = []
        for name in self.people:
            own = [ask for ask in self.asks if ask.assessor == name]
            first = [ask for ask in own if not ask.is_again]
            several = sum(people_of[ask.pair] > 1 for ask in first)
            queries = len({ask.query for ask in first})
            found.append(AskedShare(name, queries, len(first), several, len(own) - len(first)))
        return found

    def describe(self) -> str:
        """Return the plan in a sentence: ``anna 612 + 30 again · ben 608 · both 122 · about 5 h each``."""
        shares = self.shares()
        parts = []
        for share in shares:
            again = _(" + {count} again").format(count=local_count(share.again))
            n_documents = local_count(share.documents)
            parts.append(f"{share.assessor} {n_documents}{again if share.again else ''}")
        if self.n_several:
            are_two = len({*self.people, *self.asked}) == 2
            whom = _("both {count}") if are_two else _("several {count}")
            parts.append(whom.format(count=local_count(self.n_several)))
        loads = [n for share in shares if (n := share.documents + share.again)]
        if self.ms_each is not None and loads:
            low, high = (format_hours(n * self.ms_each) for n in (min(loads), max(loads)))
            about = _("about {hours} each") if len(loads) > 1 else _("about {hours}")
            hours = low if low == high else _("{low} to {high}").format(low=low, high=high)
            parts.append(about.format(hours=hours))
        return " · ".join(parts)


def judging_pace(session: Session) -> float | None:
    """Return how long a judgment takes in a project, in ms; ``None`` before there are twenty.

    The mean active time of the latest thousand.
    """
    times = load_active_times(session.reader, most=1_000)
    return sum(times) / len(times) if len(times) >= _LEAST_KNOWN else None


def known_answer(session: Session, query: int, document: int) -> Judgment | None:
    """Return what is settled of a document, whoever may see it; ``None`` where nothing is."""
    reader = session.reader
    settled = load_numbers_of(reader, "settled")
    said = load_judgments(reader, session.material.query_ids[query], document)
    return next((stored.judgment for key, stored in said if key.assessor in settled), None)


def set_practice(*, is_on: bool) -> SetValues:
    """Return the command by which known answers are shown after one's own, or are not."""
    title = "Practice: known answers are shown" if is_on else "No practice"
    return SetValues({PRACTICE_KEY: is_on or None}, title)


class AskedState(NamedTuple):
    """How far an assessor is with what they are asked.

    Attributes:
        assessor: the name.
        asked: documents asked, each counted once.
        judged: how many of them they have judged.
        several: how many of them are asked of others, too.
        again: how many come once more.
        judged_again: how many of these are judged.
    """

    assessor: str
    asked: int
    judged: int
    several: int
    again: int
    judged_again: int

    @property
    def left(self) -> int:
        """How much is open."""
        return self.asked - self.judged + self.again - self.judged_again


def list_asked_states(session: Session) -> list[AskedState]:
    """Return how far each is who is asked something, by name; for leads: it tells what comes again."""
    again_ids = load_numbers_of(session.reader, "again")
    asks = [ask for ask in load_asks(session.reader) if ask.query_id in session.material.place_of]
    firsts = [ask for ask in asks if ask.assessor_id not in again_ids]
    people_of = Counter((ask.query_id, ask.document_id) for ask in firsts)
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for ask in asks:
        found = counts[session.assessor_name(ask.assessor_id)]
        if ask.assessor_id in again_ids:
            found[3] += 1
            found[4] += ask.is_judged
        else:
            found[0] += 1
            found[1] += ask.is_judged
            found[2] += people_of[ask.query_id, ask.document_id] > 1
    return [AskedState(name, *counts[name]) for name in sorted(counts)]


def hand_over(session: Session, giver: str, taker: str) -> WriteAsks:
    """Return the command that moves what is open from one person to another.

    What the other was asked or has judged already is asked of nobody in addition. What was to come
    again comes again to the other where the first judgment moves, too, and else no more.

    Raises:
        CommandRefusedError: nothing of it is open, or both are the same.
    """
    if giver == taker or not taker.strip():
        raise CommandRefusedError(_("Name somebody else to hand it to."))
    reader, place_of = session.reader, session.material.place_of
    assessors = {each.assessor_id: each for each in load_assessors(reader)}
    problem = _find_no_person(taker, {each.name: each.kind for each in assessors.values()})
    if problem:
        raise CommandRefusedError(problem)
    taken = {
        (place_of[query], document)
        for query, document, number, *_ in load_settled(reader)
        if query in place_of and assessors[number].name == taker
    }
    moved: dict[NumberPair, None] = {}
    repeats: list[NumberPair] = []
    for ask in load_asks(reader):
        if ask.query_id not in place_of:
            continue
        pair, who = (place_of[ask.query_id], ask.document_id), assessors[ask.assessor_id]
        if who.name == taker:
            taken.add(pair)
        is_given = not ask.is_judged and session.assessor_name(ask.assessor_id) == giver
        if is_given and who.kind == "again":
            repeats.append(pair)
        elif is_given:
            moved[pair] = None
    if not moved and not repeats:
        raise CommandRefusedError(
            _("Nothing that {giver} is asked is open. Nothing was changed.").format(giver=giver)
        )
    asks = [AskOf(*pair, giver, is_open=False) for pair in moved]
    asks += [AskOf(*pair, giver, is_again=True, is_open=False) for pair in repeats]
    fresh = [pair for pair in moved if pair not in taken]
    asks += [AskOf(*pair, taker) for pair in fresh]
    both = set(fresh)
    asks += [AskOf(*pair, taker, is_again=True) for pair in repeats if pair in both]
    return WriteAsks(
        tuple(asks), counted(len(moved), f"Hand #document over from {giver} to {taker}")
    )
