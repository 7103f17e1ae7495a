"""Finding what somebody typed in a text, whatever its case and accents."""

from functools import lru_cache

from judgetool.core.terms import Span, fold


def find_folded(text: str, typed: str) -> list[Span]:
    """Return where a text holds what was typed, as (start, end) in the text as it is given.

    What is typed is no pattern and no word: any piece of text is found. Case, accents
    and compatibility forms do not count; a letter and its marks are never parted.

    Args:
        text: to be looked through.
        typed: ``""`` is found nowhere.

    Returns:
        Spans in order that do not overlap.
    """
    wanted, _ = _fold_text(typed)
    if not wanted:
        return _find_all(text, typed) if typed else []
    folded, places = _fold_text(text)
    found = _find_all(folded, wanted)
    if places is None:
        return found
    spans: list[Span] = []
    for start, end in found:
        first, behind = places[start], places[end]
        # A letter that folds to two ('ß') may be met in its middle twice.
        if not spans or first >= spans[-1][1]:
            spans.append((first, max(behind, first + 1)))
    return spans


def _find_all(text: str, wanted: str) -> list[Span]:
    spans = []
    start = text.find(wanted)
    while start >= 0:
        spans.append((start, start + len(wanted)))
        start = text.find(wanted, start + len(wanted))
    return spans


def _fold_text(text: str) -> tuple[str, list[int] | None]:
    """Return a text folded, and for each of its characters (and the end) where it came from."""
    if text.isascii():
        return text.lower(), None
    parts: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        folded = _fold_character(char)
        parts.append(folded)
        places.extend([place] * len(folded))
    places.append(len(text))
    return "".join(parts), places


@lru_cache(maxsize=20_000)
def _fold_character(char: str) -> str:
    return fold(char)
