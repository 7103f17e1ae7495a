"""Guidelines and term sets: kept in the project, read back, undone."""

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import (
    LANGUAGE_KEY,
    NO_LANGUAGE,
    TermSet,
    find_guidelines,
    find_term_sets,
    set_guidelines,
    set_term_sets,
    text_language,
)
from tests.helpers.laws import examples


def test_guidelines_of_project_and_query_are_two_texts(session):
    """A query's guidelines stand beside the project's."""
    session.execute(set_guidelines(session, "# Read the whole text"))
    session.execute(set_guidelines(session, "No wild leeks.", query=1))
    with open_project(session.path, read_only=True) as other:
        assert find_guidelines(other) == "# Read the whole text"
        assert find_guidelines(other, 1) == "No wild leeks."
        assert find_guidelines(other, 0) == ""


def test_blank_guidelines_are_none(session):
    """A text of blanks takes them away; Undo brings them back."""
    session.execute(set_guidelines(session, "Read."))
    session.execute(set_guidelines(session, " \n"))
    assert find_guidelines(session) == ""
    session.undo()
    assert find_guidelines(session) == "Read."


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).map(
    lambda text: text.strip() or "x"
)
SETS = st.lists(
    st.builds(
        TermSet, WORDS, st.integers(1, 4), st.lists(WORDS, unique=True, max_size=4).map(tuple)
    ),
    unique_by=lambda each: each.name,
    max_size=4,
)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sets=SETS)
def test_term_sets_read_back(session, sets):
    """Names, colours and terms in any script come back as they were given."""
    session.execute(set_term_sets(sets))
    assert find_term_sets(session) == tuple(sets)


@pytest.mark.parametrize(
    "sets",
    [
        [TermSet(" ", 1, ("a",))],
        [TermSet("a", 1, ()), TermSet("a ", 2, ())],
        [TermSet("a", 5, ())],
    ],
)
def test_term_sets_that_cannot_be_told_apart_are_refused(sets):
    """No name, a name twice, a colour that the theme lacks."""
    with pytest.raises(CommandRefusedError):
        set_term_sets(sets)


def test_empty_and_doubled_terms_are_left_out(session):
    """A term counts once, without the blanks around it."""
    session.execute(set_term_sets([TermSet("a", 1, ("leek", " leek ", "", "  "))]))
    assert find_term_sets(session)[0].terms == ("leek",)


def test_words_may_be_compared_as_they_are(session):
    """No language is a choice, too; else it is that of the texts, or the one chosen."""
    session.execute(SetValues({LANGUAGE_KEY: "german"}, "Language"))
    assert text_language(session) == "german"
    session.execute(SetValues({LANGUAGE_KEY: NO_LANGUAGE}, "Language"))
    assert text_language(session) is None
