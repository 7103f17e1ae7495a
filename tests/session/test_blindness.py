"""Blind judging: who must, and ids that tell nothing."""

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from judgetool.session.opening import open_project
from judgetool.session.reading_aids import (
    BlindPolicy,
    alias_id,
    blind_policy,
    find_telling_id,
    is_blind_required,
    make_alias,
    set_blind_policy,
)
from tests.helpers.builders import Parts, make_project, simple_parts

UUID = "5f0c8a52-8d0e-4f4b-9a3e-0f6a6f0f7b11"


def test_ids_with_the_name_of_a_run_tell(tmp_path):
    """An id that has its run's name in it is found; ids that say nothing are not."""
    parts = simple_parts()
    with make_project(tmp_path, parts) as session:
        assert find_telling_id(session) is None
    telling = Parts(parts.queries, (), {"bm25": {"q0": ["x1", "BM25-7"]}})
    with make_project(tmp_path, telling, name="telling") as session:
        assert find_telling_id(session) == "BM25-7"


@pytest.mark.parametrize(("run", "found"), [("lsa", "lsa-7"), ("v1", None)])
def test_names_of_two_letters_stand_in_many_ids_by_chance(tmp_path, run, found):
    """From three on a name in an id tells."""
    parts = Parts(simple_parts().queries, (), {run: {"q0": ["x1", f"{run}-7"]}})
    with make_project(tmp_path, parts) as session:
        assert find_telling_id(session) == found


def test_nobody_must_judge_blind_at_first(session):
    """A new project requires nothing."""
    assert blind_policy(session) == BlindPolicy("nobody", has_alias_ids=False)
    assert not is_blind_required(session)


@pytest.mark.parametrize(
    ("required_for", "is_required"),
    [("nobody", False), ("all", True), (["ben", "anna"], True), (["ben"], False), ([], False)],
)
def test_blindness_is_required_of_those_named(session, required_for, is_required):
    """All, nobody, or some by name; kept in the project."""
    session.execute(set_blind_policy(required_for, alias_ids=True))
    assert is_blind_required(session) == is_required
    with open_project(session.path, assessor="anna", read_only=True) as other:
        assert is_blind_required(other) == is_required
        assert blind_policy(other).has_alias_ids


def test_policy_can_be_undone(session):
    """Undo takes the requirement back."""
    session.execute(set_blind_policy("all"))
    session.undo()
    assert not is_blind_required(session)


def test_alias_is_the_same_in_every_copy(session):
    """It hangs on the project's id and the document alone."""
    document = session.material.find_document("d1")
    assert alias_id(session, document) == make_alias(session.uuid, document)
    with open_project(session.path, read_only=True) as other:
        assert alias_id(other, document) == alias_id(session, document)


def test_aliases_of_a_project_are_all_different():
    """No two of a hundred thousand documents share one; all are of the same form."""
    aliases = [make_alias(UUID, number) for number in range(100_000)]
    assert len(set(aliases)) == len(aliases)
    assert all(re.fullmatch("[2-9a-zA-Z]{7}", alias) for alias in aliases[:1000])


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_aliases_are_equal_only_for_equal_numbers(one, other):
    """The numbers are permuted, so that nothing can meet."""
    assert (make_alias(UUID, one) == make_alias(UUID, other)) == (one == other)


@given(st.integers(0, 10**6), st.uuids(), st.uuids())
def test_another_project_has_other_aliases(number, one, other):
    """Who knows one project's aliases knows nothing of another's."""
    texts = [make_alias(str(uuid), each) for uuid in (one, other) for each in range(8)]
    assert (texts[:8] == texts[8:]) == (one == other)
    assert make_alias(str(one), number) == make_alias(str(one), number)


def test_alias_order_tells_nothing_of_import_order():
    """Sorted by alias, early and late documents are mixed: their ranks do not correlate."""
    count = 2000
    by_alias = sorted(range(count), key=lambda number: make_alias(UUID, number))
    place = {number: rank for rank, number in enumerate(by_alias)}
    squares = sum((number - place[number]) ** 2 for number in range(count))
    rho = 1 - 6 * squares / (count * (count**2 - 1))
    assert abs(rho) < 0.1
