"""Reordering one ranking: laws that every sequence of steps keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.rankings import (
    Insert,
    Move,
    Pin,
    Remove,
    Replace,
    Swap,
    Unpin,
    apply,
    describe_step,
    pinned_documents,
    step_from_dict,
    step_to_dict,
)

DOCUMENTS = st.integers(0, 9)
RANKS = st.integers(1, 12)
STEPS = st.lists(
    st.one_of(
        st.builds(Move, DOCUMENTS, RANKS),
        st.builds(Pin, DOCUMENTS, RANKS),
        st.builds(Unpin, DOCUMENTS),
        st.builds(Remove, DOCUMENTS),
        st.builds(Insert, DOCUMENTS, RANKS),
        st.builds(Swap, DOCUMENTS, DOCUMENTS),
        st.builds(
            Replace, st.lists(DOCUMENTS, unique=True, max_size=6).map(tuple), st.just("sorted")
        ),
    ),
    max_size=12,
)
RANKINGS = st.lists(st.integers(0, 6), unique=True, max_size=7)


def expected_set(documents, steps):
    """The documents after some steps, by sets alone."""
    held = set(documents)
    for step in steps:
        match step:
            case Remove(document):
                held.discard(document)
            case Insert(document) | Pin(document):
                held.add(document)
            case Replace(order, _):
                held |= set(order)
    return held


@given(RANKINGS, STEPS)
def test_a_result_holds_what_was_there_without_the_removed_and_with_the_inserted(documents, steps):
    """Every result is a permutation of the original − removed + put in."""
    result = apply(documents, steps).tolist()
    assert len(result) == len(set(result))
    assert set(result) == expected_set(documents, steps)


@given(RANKINGS, STEPS, DOCUMENTS, RANKS, STEPS)
def test_a_pin_holds_through_later_moves_of_others(documents, steps, document, rank, later):
    """A pinned document stays at its rank, or at the end where the ranking is shorter."""
    # Another pinned one that is moved takes its pin along, perhaps to the very rank.
    pinned = {document, *pinned_documents(documents, steps)}
    others = [
        step
        for step in later
        if not isinstance(step, Pin | Swap) and getattr(step, "document", None) not in pinned
    ]
    result = apply(documents, [*steps, Pin(document, rank), *others]).tolist()
    assert result.index(document) + 1 == min(rank, len(result))


@given(RANKINGS, STEPS, DOCUMENTS)
def test_letting_go_of_a_pin_moves_nothing(documents, steps, document):
    """Unpinning leaves the order as it is, and the document is pinned no more."""
    before = apply(documents, steps).tolist()
    after = [*steps, Unpin(document)]
    if len(pinned_documents(documents, steps) - {document}) == 0:
        assert apply(documents, after).tolist() == before
    assert document not in pinned_documents(documents, after)
    assert sorted(apply(documents, after).tolist()) == sorted(before)


@given(RANKINGS, STEPS)
def test_steps_are_replayed_one_after_the_other_when_nothing_is_pinned(documents, steps):
    """Without pins, applying steps at once or one by one is the same."""
    free = [step for step in steps if not isinstance(step, Pin)]
    one_by_one = documents
    for step in free:
        one_by_one = apply(one_by_one, [step])
    assert apply(documents, free).tolist() == list(one_by_one)


@given(RANKINGS, STEPS, DOCUMENTS, RANKS)
def test_a_moved_document_stands_at_its_rank(documents, steps, document, rank):
    """Without pins, a document moved last stands where it was moved."""
    free = [step for step in steps if not isinstance(step, Pin)]
    result = apply(documents, [*free, Insert(document, rank)]).tolist()
    assert result.index(document) + 1 == min(rank, len(result))


@given(RANKINGS, STEPS)
def test_steps_survive_the_project_file(documents, steps):
    """A step as plain values, by external ids, is the same step again."""
    ids = {number: f"doc {number}" for number in range(10)}
    numbers = {name: number for number, name in ids.items()}
    kept = [step_from_dict(step_to_dict(step, ids.__getitem__), numbers.get) for step in steps]
    assert kept == steps


def test_swapping_exchanges_two_documents():
    """Swap changes two places and no other."""
    assert apply([1, 2, 3, 4], [Swap(1, 3)]).tolist() == [3, 2, 1, 4]


def test_a_whole_order_leaves_pinned_documents_where_they_are():
    """Replace sorts around a pin."""
    assert apply([1, 2, 3, 4], [Pin(4, 1), Replace((3, 2, 1, 4), "by grade")]).tolist() == [
        4,
        3,
        2,
        1,
    ]


def test_what_an_order_lacks_follows_behind_it():
    """Documents that an order does not name keep their order at the end."""
    assert apply([1, 2, 3], [Replace((3, 9), "fused")]).tolist() == [3, 9, 1, 2]


def test_pinned_documents_are_told():
    """Only documents that are still pinned are named."""
    assert pinned_documents([1, 2, 3], [Pin(1, 2), Pin(2, 1), Remove(2)]) == {1}


def test_a_step_of_an_unknown_document_is_left_out():
    """A document that the project lacks makes no step."""
    assert step_from_dict({"do": "move", "document": "gone", "rank": 1}, lambda _id: None) is None


def test_a_step_of_a_later_version_is_left_out():
    """It would not be known what it does."""
    assert step_from_dict({"do": "shuffle", "document": "d1"}, {"d1": 1}.get) is None


def test_a_rank_below_one_is_refused():
    """Ranks count from 1."""
    with pytest.raises(ValueError, match="count from 1"):
        apply([1], [Move(1, 0)])


def test_the_given_ranking_is_not_changed():
    """A what-if never changes the run: the array that came in stays."""
    ranked = np.array([1, 2, 3], dtype=np.int32)
    apply(ranked, [Move(3, 1)])
    assert ranked.tolist() == [1, 2, 3]


def test_steps_are_described_for_people():
    """A step says which document it takes where."""
    texts = [describe_step(step, str) for step in (Move(1, 2), Pin(1, 3), Swap(1, 2), Remove(4))]
    assert texts == ["1 to 2", "1 pinned at 3", "1 and 2 swapped", "4 taken out"]
