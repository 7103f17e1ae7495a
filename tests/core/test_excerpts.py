"""Excerpts: the few words that show why a text matched."""

from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.terms import BEGIN, END, JOIN, NO_TERMS, QueryTerms, choose_excerpt, one_line

FILLER = "Nothing of note stands in this sentence. "


def test_a_short_text_is_shown_whole():
    """A text that fits is not cut."""
    excerpt = choose_excerpt("A quick soup.", QueryTerms.parse("soup"), length=50)
    assert excerpt.text == "A quick soup."
    assert excerpt.spans == ((8, 12),)


def test_without_a_match_the_start_is_shown():
    """The beginning is shown when nothing matches, cut at a word."""
    excerpt = choose_excerpt(FILLER * 10, NO_TERMS, length=60)
    assert excerpt.text.startswith("Nothing of note")
    assert excerpt.text.endswith(f"note{END}")
    assert len(excerpt.text) <= 60 + len(END)


def test_a_late_match_is_shown_after_the_start():
    """A match far behind is joined to the text's beginning by an ellipsis."""
    text = FILLER * 20 + "Here is the soup. " + FILLER * 3
    excerpt = choose_excerpt(text, QueryTerms.parse("soup"), length=120)
    head, tail = excerpt.text.split(JOIN, 1)
    assert text.startswith(head)
    assert tail.startswith("Here is the soup.")


def test_two_windows_show_different_terms():
    """Of two places the second is chosen for the term that the first lacks."""
    text = FILLER * 9 + "Soup one. " + FILLER * 9 + "Soup two. " + FILLER * 9 + "A quick one."
    excerpt = choose_excerpt(text, QueryTerms.parse("quick soup"), length=120)
    shown = {excerpt.text[a:b].lower() for a, b in excerpt.spans}
    assert shown == {"quick", "soup"}


def test_a_window_begins_with_no_mark_that_closes():
    """Where a sentence ends in brackets, its closing one stays with it."""
    text = "甲" * 100 + "。）紅茶" + "乙" * 100
    assert choose_excerpt(text, QueryTerms.parse("紅茶"), length=20).text.startswith("紅茶")


def test_a_window_in_mid_sentence_says_so():
    """An excerpt that begins inside a sentence begins with an ellipsis."""
    words = " ".join(f"w{number}" for number in range(200))
    both = f"{words} soup quick {words}"
    excerpt = choose_excerpt(both, QueryTerms.parse("soup"), length=40)
    assert JOIN in excerpt.text or excerpt.text.startswith(BEGIN)
    assert [excerpt.text[a:b] for a, b in excerpt.spans] == ["soup"]


def test_one_line_drops_what_steers_the_direction():
    """Overrides of the direction and control characters do not reach a line."""
    assert one_line("a\u202eb\x07c\u2028d\ufffce", most=100) == "ab c d e"


TEXTS = st.lists(
    st.sampled_from(["soup", "quick", "lentil", "and.", "crème", "自然語言", "a", "x" * 50, "😀"]),
    max_size=120,
).map(" ".join)


@given(TEXTS, st.integers(min_value=10, max_value=200))
def test_marked_words_are_the_texts_own(text, length):
    """Every span of an excerpt marks a word that the query marks in the text."""
    terms = QueryTerms.parse("quick soup 自然")
    own = {text[a:b] for a, b in terms.find_spans(text)}
    excerpt = choose_excerpt(text, terms, length=length)
    assert {excerpt.text[a:b] for a, b in excerpt.spans} <= own


@given(TEXTS, st.integers(min_value=10, max_value=200))
def test_pieces_are_cut_from_the_text(text, length):
    """What stands between the ellipses is the text's own, unchanged."""
    excerpt = choose_excerpt(text, QueryTerms.parse("quick soup"), length=length)
    shown = excerpt.text.removeprefix(BEGIN).removesuffix(END)
    assert all(piece in text for piece in shown.split(JOIN))


@given(TEXTS, st.integers(min_value=10, max_value=200))
def test_an_excerpt_keeps_to_its_length(text, length):
    """An excerpt is not much longer than asked for: two windows, their ellipses, a word."""
    excerpt = choose_excerpt(text, QueryTerms.parse("quick soup"), length=length)
    assert len(excerpt.text) <= length + 2 * len(JOIN) + len(BEGIN)
