"""Who is asked what: laws of the plan, whatever the sizes, shares and seeds."""

from collections import Counter, defaultdict

import hypothesis.strategies as st
import pytest
from hypothesis import given

from judgetool.errors import UsageError
from judgetool.session.team.asking import AskWishes, PlannedAsk, Standing, plan_asks, rounded

NAMES = ("anna", "ben", "cem", "dora", "eve")


@st.composite
def pools(draw):
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=25))
    return [(f"q{q}", f"d{d}") for q, size in enumerate(sizes) for d in range(size)]


@st.composite
def wishes(draw):
    to = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    shares = st.sampled_from((0.0, 0.05, 0.2, 0.5, 1.0))
    return AskWishes(
        tuple(to),
        draw(st.sampled_from(("query", "document"))),
        draw(st.integers(1, len(to))),
        draw(shares),
        draw(shares),
        draw(st.integers(0, 1_000)),
    )


def unit_of(ask, wished):
    return ask.query if wished.each == "query" else ask.pair


def people_of(asks):
    found = defaultdict(list)
    for ask in asks:
        if not ask.is_again:
            found[ask.pair].append(ask.assessor)
    return found


@given(pools(), wishes())
def test_every_document_is_asked_and_nobody_is_asked_twice(pairs, wished):
    people = people_of(plan_asks(pairs, wished))
    assert set(people) == set(pairs)
    assert all(len(set(names)) == len(names) for names in people.values())


@given(pools(), wishes())
def test_the_chosen_share_of_units_gets_all_opinions_the_others_one(pairs, wished):
    people = people_of(plan_asks(pairs, wished))
    units = {pair[0] if wished.each == "query" else pair: names for pair, names in people.items()}
    counts = Counter(len(names) for names in units.values())
    several = rounded(wished.share * len(units))
    if wished.opinions == 1:
        assert counts == {1: len(units)}
    else:
        assert counts[wished.opinions] == several
        assert counts[1] == len(units) - several


@given(pools(), wishes())
def test_nobody_has_more_than_one_unit_more_than_anybody(pairs, wished):
    asks = [ask for ask in plan_asks(pairs, wished) if not ask.is_again]
    largest = max(Counter(unit_of(PlannedAsk(*pair, ""), wished) for pair in pairs).values())
    loads = Counter(ask.assessor for ask in asks)
    found = [loads[name] for name in wished.to]
    assert max(found) - min(found) <= largest


@given(pools(), wishes(), st.randoms())
def test_the_order_in_which_people_and_documents_are_named_does_not_matter(pairs, wished, chance):
    names, mixed = list(wished.to), list(pairs)
    chance.shuffle(names)
    chance.shuffle(mixed)
    other = AskWishes(
        tuple(names), *(getattr(wished, f) for f in ("each", "opinions", "share", "repeat", "seed"))
    )
    assert set(plan_asks(mixed, other)) == set(plan_asks(pairs, wished))


@given(pools(), wishes())
def test_what_is_asked_again_was_asked_of_the_same_person_and_is_the_wished_share(pairs, wished):
    asks = plan_asks(pairs, wished)
    first = defaultdict(set)
    for ask in asks:
        if not ask.is_again:
            first[ask.assessor].add(ask.pair)
    again = defaultdict(list)
    for ask in asks:
        if ask.is_again:
            again[ask.assessor].append(ask.pair)
    for name in wished.to:
        assert set(again[name]) <= first[name]
        assert (
            len(set(again[name])) == len(again[name]) == rounded(wished.repeat * len(first[name]))
        )


def standing_after(asks):
    asked, again = defaultdict(list), defaultdict(list)
    for ask in asks:
        (again if ask.is_again else asked)[ask.assessor].append(ask.pair)
    return Standing(people_of(asks), asked, again)


@given(pools(), wishes())
def test_asking_the_same_again_adds_nothing(pairs, wished):
    assert plan_asks(pairs, wished, standing_after(plan_asks(pairs, wished))) == []


@given(pools(), wishes(), st.integers(0, 1_000))
def test_asking_once_more_adds_and_never_asks_one_person_twice(pairs, wished, seed):
    before = plan_asks(pairs[: len(pairs) // 2], wished)
    more = AskWishes(wished.to, wished.each, len(wished.to), 1.0, 0.0, seed)
    people = people_of([*before, *plan_asks(pairs, more, standing_after(before))])
    assert set(people) == set(pairs)
    assert all(sorted(names) == sorted(wished.to) for names in people.values())


def test_a_plan_is_the_same_on_every_machine():
    pairs = [(f"q{q}", f"d{d}") for q in range(4) for d in range(2)]
    wished = AskWishes(("anna", "ben"), "query", 2, 0.5, 0.25, 7)
    found = [" ".join((*ask[:3], "again" * ask.is_again)) for ask in plan_asks(pairs, wished)]
    assert found == [
        "q0 d0 anna ",
        "q0 d1 anna ",
        "q1 d0 anna ",
        "q1 d0 ben ",
        "q1 d1 anna ",
        "q1 d1 ben ",
        "q2 d0 ben ",
        "q2 d1 ben ",
        "q3 d0 anna ",
        "q3 d0 ben ",
        "q3 d1 anna ",
        "q3 d1 ben ",
        "q3 d0 anna again",
        "q1 d0 anna again",
        "q2 d1 ben again",
        "q3 d0 ben again",
    ]


def test_further_opinions_come_from_those_met_least():
    pairs = [(f"q{q}", "d") for q in range(60)]
    people = people_of(plan_asks(pairs, AskWishes(NAMES[:4], "document", 2)))
    met = Counter(frozenset(names) for names in people.values())
    assert len(met) == 6
    assert max(met.values()) - min(met.values()) <= 2


@pytest.mark.parametrize(
    ("wished", "sentence"),
    [
        (AskWishes(()), "Nobody is asked"),
        (AskWishes(("anna", "  ")), "Nobody is asked"),
        (AskWishes(("anna",), opinions=2), "2 opinions need as many assessors; 1 is named"),
        (AskWishes(("anna", "anna"), opinions=2), "2 opinions need as many assessors"),
        (AskWishes(("anna",), share=1.5), "The share is 1.5"),
        (AskWishes(("anna",), repeat=-1), "The repeat is -1"),
    ],
)
def test_what_cannot_be_asked_is_said(wished, sentence):
    with pytest.raises(UsageError, match=sentence):
        plan_asks([("q", "d")], wished)
