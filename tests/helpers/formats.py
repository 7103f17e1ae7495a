"""Samples and strategies for files."""

from pathlib import Path

from hypothesis import strategies as st

DATA = Path(__file__).resolve().parents[1] / "data"

_BLANKS = " \t\n\r\v\f\0"

# Ids without TREC's separators: digits, quotes, signs, combining marks, odd blanks, astral.
awkward_ids = st.text(
    st.one_of(
        st.sampled_from("01aZ\"',;#=+-@\xa0\u0301\u2028\x1c\x85\ufeff\U0001f600é"),
        st.characters(exclude_categories=("Cs",), exclude_characters=_BLANKS),
    ),
    min_size=1,
    max_size=8,
).filter(lambda text: text != "#" and not text.startswith("\ufeff"))

# Any text that a table can hold.
cell_texts = st.text(
    st.one_of(
        st.sampled_from(" ,;\t\n\r\"'#=1aé\u0301"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=12,
)
