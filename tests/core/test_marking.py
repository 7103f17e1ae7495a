"""Marks of several layers, and which language texts are in."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.terms import Layer, Marking, QueryTerms, choose_passages, detect_language

WORDS = st.lists(st.sampled_from(["rice", "soup", "hot", "x", "y.\n"]), max_size=60).map(" ".join)


def layer(text, colour):
    """Return a layer of the words of a text."""
    return Layer(QueryTerms.parse(text), colour)


def test_own_terms_cover_query_terms():
    """Where both match, the first layer is seen; the rest of the later mark stays."""
    marking = Marking((layer("rice", 2), layer("leftover rice", 0)))
    assert marking.find_marks("leftover rice") == [(0, 9, 0), (9, 13, 2)]


@given(WORDS)
def test_marks_are_in_order_and_never_overlap(text):
    """Each mark begins behind the one before."""
    marks = Marking((layer("hot soup", 1), layer("rice soup hot", 0))).find_marks(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(marks))


@given(WORDS, st.integers(1, 40))
def test_passages_are_apart_and_inside_the_text(text, times):
    """Passages stand in order, apart, inside the text, the opening first."""
    whole = text * times
    spans = choose_passages(whole, QueryTerms.parse("rice"))
    assert all(0 <= a < b <= len(whole) for a, b in spans)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
    assert not whole or spans[0][0] == 0


def test_a_match_deep_in_a_text_is_in_a_passage():
    """What matches is shown though the text is long."""
    text = "Nothing at all. " * 400 + "A rare soup. " + "Nothing more. " * 300
    spans = choose_passages(text, QueryTerms.parse("rare"))
    assert any("A rare soup." in text[a:b] for a, b in spans)


@pytest.mark.parametrize(
    ("text", "starts"),
    [(" ".join(["word"] * 400) + " rare soup", ["word word "]), ("甲" * 900 + "紅茶", ["紅茶"])],
)
def test_a_passage_without_a_sentence_begins_with_a_word(text, starts):
    """Or with what matches, where there are no words."""
    spans = choose_passages(text, QueryTerms.parse("rare 紅茶"))
    assert [text[start:end][: len(starts[0])] for start, end in spans[1:]] == starts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Suppe ist mit dem Reis und den Linsen auf dem Herd, wenn sie nicht kocht.", "german"),
        ("La soupe est dans le four avec des lentilles et du riz pour les enfants.", "french"),
        ("The soup is on the stove with lentils and rice for all of them.", "english"),
        ("XJ-900 USB HDMI 4K", "english"),
        ("Supu na maharagwe ya leo, mchele na chumvi ya nyumbani na mafuta.", "english"),
        ("Ọbẹ̀ náà wà lórí iná pẹ̀lú ẹ̀wà àti ìrẹsì fún gbogbo wọn nílé.", None),
        ("Zupa z soczewicą i ryżem stoi na piecu, żeby się nie przypaliła.", None),
    ],
)
def test_the_language_is_told_by_function_words(text, language):
    """Texts tell their language; codes and titles do not, and count as English.

    Other languages are none of these: of Yoruba, Swahili and Polish no endings are known.
    """
    assert detect_language([text] * 3) == language


@pytest.mark.parametrize("place", [25_000, 90_000, 250_000])
def test_a_match_far_down_has_its_passage(place):
    """Who reads passages alone is not to take a document for one that matches nowhere."""
    text = "Plain words stand here. " * (place // 24) + "The rare thing is here. " + "More. " * 900
    spans = choose_passages(text, QueryTerms.parse("rare"))
    assert any("rare thing" in text[start:end] for start, end in spans)
