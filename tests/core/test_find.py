"""Finding what somebody typed, whatever its case and accents."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.terms import find_folded


@pytest.mark.parametrize(
    ("text", "typed", "found"),
    [
        ("Crème brûlée", "creme", ["Crème"]),
        ("creme", "CRÈME", ["creme"]),
        ("cafe\u0301s", "cafe", ["cafe\u0301"]),
        ("Straße", "ss", ["ß"]),
        ("Straße", "s", ["S", "ß"]),
        ("a.b.c", ".b", [".b"]),
        ("紅茶と茶", "茶", ["茶", "茶"]),
        ("מרק עדשים", "עדש", ["עדש"]),
        ("شرب القهوة", "القهوه", ["القهوة"]),
        ("کتاب‌ها", "كتابها", ["کتاب‌ها"]),
        ("٣٠ و ۳۰", "30", ["٣٠", "۳۰"]),
        ("nothing", "", []),
    ],
)
def test_pieces_are_found_whatever_their_case_and_accents(text, typed, found):
    """What is typed is a piece of text, not a pattern; a letter keeps its marks."""
    assert [text[a:b] for a, b in find_folded(text, typed)] == found


@given(st.text(max_size=30), st.text(min_size=1, max_size=3), st.text(max_size=30))
def test_what_is_there_is_found(before, typed, behind):
    """A text that holds what was typed as it is has at least one place of it, in bounds."""
    text = f"{before} {typed} {behind}"
    spans = find_folded(text, typed)
    assert spans
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
