"""Query terms: which words of a text match a query, and where."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgetool.core.terms import NO_TERMS, QueryTerms, beginning, fold, join_spans


def marked(query: str, text: str, language: str | None = "english") -> list[str]:
    """Return the parts of a text that a query marks."""
    return [text[a:b] for a, b in QueryTerms.parse(query, language).find_spans(text)]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("vegan dinner", "Vegans eat DINNERS.", ["Vegans", "DINNERS"]),
        ("creme brulee", "Crème brûlée", ["Crème", "brûlée"]),
        ("crème brûlée", "CREME brulee", ["CREME", "brulee"]),
        ("strasse", "Straße", ["Straße"]),
        ("abeokuta", "Abẹ́òkúta.", ["Abẹ́òkúta"]),
        ("ol", "Øl", ["Øl"]),
        ("office", "oﬃce", ["oﬃce"]),
        ("soup", "soupy, soupçon; asoup", []),
        ("q7", "Q7 q77", ["Q7"]),
    ],
)
def test_words_match_whatever_case_accents_and_ending(query, text, expected):
    """A word matches as a whole, whatever its case, accents and English ending."""
    language = None if query == "strasse" else "english"
    assert marked(query, text, language) == expected


def test_stop_words_are_not_marked_beside_others():
    """'to' and 'with' say nothing about a document when the query has other words."""
    assert marked("what to do with leftover rice", "to do: rice with leftovers") == [
        "rice",
        "leftovers",
    ]


def test_stop_words_alone_are_marked():
    """A query of stop words alone is looked for as it is."""
    assert marked("to be or not to be", "be or not") == ["be", "or", "not"]


def test_no_language_compares_whole_folded_words():
    """Without a stemmer 'dinner' does not match 'dinners', and every word counts."""
    assert marked("the dinner", "The dinners, the dinner", None) == ["The", "the", "dinner"]


def test_chinese_is_matched_by_pairs_of_characters():
    """A longer Chinese query marks what shares two characters in a row, joined to one span."""
    assert marked("自然語言", "處理自然語言的語言學") == ["自然語言", "語言"]


def test_a_single_chinese_character_is_looked_for():
    """A query of one character marks that character."""
    assert marked("茶", "紅茶和茶") == ["茶", "茶"]


def test_thai_is_matched_without_spaces():
    """A Thai word is found inside a run without spaces, its marks not parted."""
    (found,) = marked("อาหาร", "ร้านอาหารอร่อย")
    assert found == "อาหาร"


def test_combining_marks_stay_with_their_letter():
    """A span ends behind the marks of its last letter."""
    text = "cafe\u0301 noir"
    assert marked("cafe", text) == ["cafe\u0301"]


def test_indic_vowel_signs_make_another_word():
    """Devanagari vowel signs are letters, not accents."""
    assert marked("कि", "की कि", None) == ["कि"]


def test_an_empty_query_has_no_terms():
    """Nothing matches an empty query, and it says so."""
    terms = QueryTerms.parse(" ?! ")
    assert (terms.forms, terms.pieces) == ((), ())
    assert NO_TERMS.find_spans("anything") == []


def test_an_endless_word_is_not_stemmed():
    """A megabyte without spaces is passed over, not fed to the stemmer."""
    assert marked("aaaa", "a" * 1_000_000) == []


def test_join_spans_joins_what_touches():
    """Overlapping and touching spans become one."""
    assert join_spans([(5, 7), (0, 2), (2, 3), (6, 9)]) == [(0, 3), (5, 9)]


WORDS = st.text(
    alphabet=st.one_of(
        st.sampled_from("aàbcé ẹ́אבשةکی\u200c\u0640٣лё自然語言ไทยกิ한국️🍮👩‍\u0301\u0323'_-"),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)


@given(WORDS, WORDS)
def test_spans_lie_in_the_text_in_order(query, text):
    """Spans are within the text, not empty, in order, and do not overlap."""
    end_before = 0
    for start, end in QueryTerms.parse(query).find_spans(text):
        assert end_before <= start < end <= len(text)
        end_before = end


@given(WORDS, WORDS)
def test_no_span_parts_a_letter_from_its_marks(query, text):
    """No span ends before a non-spacing mark of its last letter."""
    for _, end in QueryTerms.parse(query).find_spans(text):
        assert end == len(text) or unicodedata.category(text[end]) != "Mn"


@given(st.text(alphabet="abcdefghijkéüñ", min_size=1, max_size=12))
@example("aed")
def test_a_query_matches_itself(word):
    """A word that is the query is marked in itself, as a whole."""
    assert marked(word, f"({word})") == [word]


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing_more(word):
    """Folding is idempotent for what casefold and NFKD settle."""
    once = fold(word)
    assert fold(once) == fold(fold(once))


def phrases(query: str, text: str, language: str | None = "english") -> list[str]:
    """Return the parts of a text that are shown as one mark each."""
    return [text[a:b] for a, b in QueryTerms.parse(query, language).find_marks(text)]


def test_adjacent_query_words_are_one_mark():
    """Words that follow each other in query and text are marked as one, others alone."""
    found = phrases("slow cooker rice", "The slow-cooker; rice, slow cookers with rice")
    assert found == ["slow-cooker; rice", "slow cookers", "rice"]


def test_quoted_words_count_only_together():
    """A phrase in quotes is marked where it stands whole, its words alone are not."""
    assert phrases('"slow cooker" rice', "slow rice in a slow cooker") == ["rice", "slow cooker"]


def test_a_quoted_chinese_phrase_is_looked_for_whole():
    """In quotes a run without blanks is one piece."""
    assert phrases('"自然語言"', "自然語言和語言") == ["自然語言"]


def test_stop_words_can_be_kept():
    """Own terms are looked for as they are, stop words too."""
    terms = QueryTerms.parse('"not in"', keeps_all=True)
    assert terms.find_marks("in it, not in that") == [(7, 13)]


@pytest.mark.parametrize(
    ("language", "query", "text", "expected"),
    [
        ("german", "Kartoffeln", "eine Kartoffel", ["Kartoffel"]),
        ("french", "recettes", "une recette", ["recette"]),
        ("english", "красные яблоки", "красного цвета", ["красного"]),
        # Without its breve й is и, by which no ending is known.
        ("english", "новый", "нового рецепта", ["нового"]),
        ("english", "σούπες", "μια σούπα", ["σούπα"]),
        # With its article and without a hamza, and the other way round.
        ("english", "الاوبك", "أوبك والأقطار الأوبك", ["أوبك", "الأوبك"]),
        ("english", "أوبك", "منظمة الاوبك", ["الاوبك"]),
        # Another spelling at the end, Persian letters for Arabic ones, a lengthened line, digits.
        ("english", "القهوه", "القهوة", ["القهوة"]),
        ("english", "کتاب", "كتاب، كتـــاب", ["كتاب", "كتـــاب"]),
        ("english", "30", "٣٠ دقيقة ۳۰", ["٣٠", "۳۰"]),
        # Persian sets endings apart by a mark of no width.
        ("english", "کتاب تاریخ", "کتاب‌های تاریخی", ["کتاب‌های تاریخی"]),
        ("english", "کتاب‌ها", "کتاب و کتابها، های", ["کتاب", "کتابها"]),
        ("english", "خوانم", "می‌خوانم", ["می‌خوانم"]),
        ("english", "های", "کتاب‌های", []),
    ],
)
def test_endings_are_those_of_the_language(language, query, text, expected):
    """Latin words are stemmed in the language given, other scripts in their own."""
    assert phrases(query, text, language) == expected


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("A short title", 20, "A short title"),
        ("UPS, tower, with USB ports", 19, "UPS, tower, with…"),
        ("UPS Donaudampfschifffahrtsgesellschaft", 20, "UPS Donaudampfschiff…"),
        ("無停電電源装置、タワー型", 6, "無停電電源装…"),
        ("cafe\u0301s" * 9, 4, "caf…"),
        ("👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", 6, "👩🏽‍🚀…"),
        ("🇩🇪🇫🇷🇮🇹", 3, "🇩🇪…"),
    ],
)
def test_a_beginning_ends_at_a_word_or_a_whole_character(text, most, shown):
    """With … where more follows; what belongs to one character stays with it."""
    assert beginning(text, most=most) == shown
