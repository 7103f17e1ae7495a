"""What is marked in a text, and as what: query terms and an assessor's own terms."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from judgetool.core.terms import NO_TERMS, QueryTerms


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

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match."""
        return all(layer.terms.is_empty for layer in self.layers)

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


def query_marking(terms: QueryTerms = NO_TERMS) -> Marking:
    """Return a marking of a query's terms alone."""
    return Marking((Layer(terms, 0),))


NO_MARKING = Marking()
