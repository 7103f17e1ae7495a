"""What is found and marked in a text: query terms, an assessor's own, and what was typed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from judgetool.core.terms import QueryTerms, Span, fold


class Mark(NamedTuple):
    """A marked piece of a text.

    Attributes:
        start: its first character.
        end: behind its last one.
        colour: which of the four marks, from 0; query terms have 0.
    """

    start: int
    end: int
    colour: int


@dataclass(frozen=True, slots=True)
class Layer:
    """Terms that are marked in one colour.

    Attributes:
        terms: what is looked for.
        colour: which of the four marks, from 0.
    """

    terms: QueryTerms
    colour: int


@dataclass(frozen=True, slots=True)
class Marking:
    """Everything that is marked; where two layers meet, the first one is seen.

    Attributes:
        layers: the assessor's own sets first, the query's terms last.
    """

    layers: tuple[Layer, ...] = ()

    def find_marks(self, text: str) -> list[Mark]:
        """Return what to mark in a text, in order; marks do not overlap."""
        marks: list[Mark] = []
        for layer in self.layers:
            found = layer.terms.find_marks(text)
            marks = _fill(marks, (Mark(start, end, layer.colour) for start, end in found))
        return marks


def _fill(taken: list[Mark], later: Iterable[Mark]) -> list[Mark]:
    """Return marks with those of a later layer where there is still room."""
    if not taken:
        return list(later)
    merged = list(taken)
    for start, end, colour in later:
        free = start
        for mark in taken:
            if mark.end <= free or mark.start >= end:
                continue
            if mark.start > free:
                merged.append(Mark(free, mark.start, colour))
            free = mark.end
        if free < end:
            merged.append(Mark(free, end, colour))
    return sorted(merged)


NO_MARKING = Marking()


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
