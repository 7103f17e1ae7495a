"""Reordering one ranking: each change a person makes is a step, and steps are replayed.

Steps are values. A ranking after some steps is a function of the ranking as it was
and the steps alone, so that taking the last one back is dropping it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray


@dataclass(frozen=True, slots=True)
class Move:
    """Take a document to a rank; a pinned one takes its pin along.

    Attributes:
        document: the document; nothing happens if the ranking lacks it.
        to_rank: from 1; beyond the end means the end.
    """

    document: int
    to_rank: int


@dataclass(frozen=True, slots=True)
class Pin:
    """Take a document to a rank, where it stays whatever happens to the others.

    Attributes:
        document: the document; one that the ranking lacks is put in.
        rank: from 1; beyond the end means the end.
    """

    document: int
    rank: int


@dataclass(frozen=True, slots=True)
class Unpin:
    """Let a pinned document move again, from where it stands; nothing happens to others."""

    document: int


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a document out; nothing happens if the ranking lacks it."""

    document: int


@dataclass(frozen=True, slots=True)
class Insert:
    """Put a document in that the ranking lacks; one that it has is moved.

    Attributes:
        document: the document.
        rank: from 1; beyond the end means the end.
    """

    document: int
    rank: int


@dataclass(frozen=True, slots=True)
class Swap:
    """Let two documents change places, pins included; nothing happens if one is missing."""

    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Replace:
    """Take a whole order: sorted by grade, as another run has it, fused.

    Documents that the ranking lacks are put in, those that the order lacks follow
    behind it as they stood, and pinned ones keep their ranks.

    Attributes:
        order: documents, best first, each once.
        reason: what the order was, for people, such as ``sorted by grade``.
    """

    order: tuple[int, ...]
    reason: str


Step = Move | Pin | Unpin | Remove | Insert | Swap | Replace


@dataclass(slots=True)
class _Layout:
    """Documents that are free to move, in order, and those with a pin."""

    free: list[int]
    pins: dict[int, int] = field(default_factory=dict)

    def has(self, document: int) -> bool:
        return document in self.pins or document in self.free

    def slots(self) -> dict[int, int]:
        """Return the pinned documents by place from 0; of two at one rank the later pin holds."""
        n = len(self.free) + len(self.pins)
        taken: dict[int, int] = {}
        for document, rank in reversed(self.pins.items()):
            place = min(rank, n) - 1
            below = (each for each in range(place, n) if each not in taken)
            above = (each for each in range(place - 1, -1, -1) if each not in taken)
            taken[next(below, next(above, 0))] = document
        return taken

    def order(self) -> list[int]:
        if not self.pins:
            return self.free
        ordered = list(self.free)
        for place, document in sorted(self.slots().items()):
            ordered.insert(place, document)
        return ordered

    def put(self, document: int, rank: int) -> None:
        """Put a document, which stands nowhere, where its rank will be this."""
        # One more document: pins beyond the end are seen from the longer list.
        self.free.append(document)
        place = min(rank, len(self.free) + len(self.pins)) - 1
        pinned = sum(slot < place for slot in self.slots())
        self.free.pop()
        self.free.insert(place - pinned, document)

    def move(self, document: int, rank: int) -> None:
        if document in self.pins:
            self.pin(document, rank)
        elif document in self.free:
            self.free.remove(document)
            self.put(document, rank)

    def pin(self, document: int, rank: int) -> None:
        self.remove(document)
        self.pins[document] = rank

    def unpin(self, document: int) -> None:
        if document in self.pins:
            rank = self.order().index(document) + 1
            del self.pins[document]
            self.put(document, rank)

    def remove(self, document: int) -> None:
        if document in self.pins:
            del self.pins[document]
        elif document in self.free:
            self.free.remove(document)

    def insert(self, document: int, rank: int) -> None:
        if self.has(document):
            self.move(document, rank)
        else:
            self.put(document, rank)

    def swap(self, a: int, b: int) -> None:
        if not (self.has(a) and self.has(b)):
            return
        other = {a: b, b: a}
        self.free = [other.get(document, document) for document in self.free]
        self.pins = {other.get(document, document): rank for document, rank in self.pins.items()}

    def replace(self, order: Iterable[int]) -> None:
        ordered = dict.fromkeys((*order, *self.free))
        self.free = [document for document in ordered if document not in self.pins]


def apply(documents: npt.NDArray[np.integer] | Sequence[int], steps: Iterable[Step]) -> IntArray:
    """Return a ranking after some steps.

    Args:
        documents: the ranking as it was, best first, each once.
        steps: in the order in which they were made.

    Returns:
        A permutation of the documents, without those removed and with those put in,
        int32; a new array.

    Raises:
        ValueError: a rank is below 1.

    Examples:
        >>> apply([4, 5, 6, 7], [Pin(7, 1), Move(4, 3), Remove(6)]).tolist()
        [7, 5, 4]
    """
    layout = _Layout(list(map(int, documents)))
    for step in steps:
        _take(layout, step)
    return np.array(layout.order(), dtype=np.int32)


def pinned_documents(
    documents: npt.NDArray[np.integer] | Sequence[int], steps: Iterable[Step]
) -> frozenset[int]:
    """Return which documents of the ranking after some steps are pinned."""
    layout = _Layout(list(map(int, documents)))
    for step in steps:
        _take(layout, step)
    return frozenset(layout.pins)


def _take(layout: _Layout, step: Step) -> None:
    match step:
        case Move(document, rank):
            layout.move(document, _checked(rank))
        case Pin(document, rank):
            layout.pin(document, _checked(rank))
        case Insert(document, rank):
            layout.insert(document, _checked(rank))
        case Unpin(document):
            layout.unpin(document)
        case Remove(document):
            layout.remove(document)
        case Swap(a, b):
            layout.swap(a, b)
        case Replace(order, _):
            layout.replace(order)


def _checked(rank: int) -> int:
    if rank < 1:
        raise ValueError(f"ranks count from 1: {rank}")
    return rank


def describe_step(step: Step, name_of: Callable[[int], str]) -> str:
    """Return what a step does, for lists of steps.

    Examples:
        >>> describe_step(Move(7, 2), lambda number: f"soup {number}")
        'soup 7 to 2'
    """
    match step:
        case Move(document, rank):
            return f"{name_of(document)} to {rank}"
        case Pin(document, rank):
            return f"{name_of(document)} pinned at {rank}"
        case Insert(document, rank):
            return f"{name_of(document)} put in at {rank}"
        case Unpin(document) | Remove(document):
            word = "let go" if isinstance(step, Unpin) else "taken out"
            return f"{name_of(document)} {word}"
        case Swap(a, b):
            return f"{name_of(a)} and {name_of(b)} swapped"
        case Replace(_, reason):
            return reason[:1].upper() + reason[1:]


_RANKED: dict[str, type[Move | Pin | Insert]] = {"move": Move, "pin": Pin, "insert": Insert}
_PLAIN: dict[str, type[Unpin | Remove]] = {"unpin": Unpin, "remove": Remove}


def step_to_dict(step: Step, id_of: Callable[[int], str]) -> dict[str, Any]:
    """Return a step as plain values, documents by their external ids.

    Examples:
        >>> step_to_dict(Pin(7, 1), {7: "d7"}.__getitem__)
        {'do': 'pin', 'document': 'd7', 'rank': 1}
    """
    match step:
        case Move(document, rank):
            return {"do": "move", "document": id_of(document), "rank": rank}
        case Pin(document, rank):
            return {"do": "pin", "document": id_of(document), "rank": rank}
        case Insert(document, rank):
            return {"do": "insert", "document": id_of(document), "rank": rank}
        case Unpin(document) | Remove(document):
            word = "unpin" if isinstance(step, Unpin) else "remove"
            return {"do": word, "document": id_of(document)}
        case Swap(a, b):
            return {"do": "swap", "a": id_of(a), "b": id_of(b)}
        case Replace(order, reason):
            return {"do": "replace", "order": [id_of(each) for each in order], "reason": reason}


def step_from_dict(
    values: Mapping[str, Any], number_of: Callable[[str], int | None]
) -> Step | None:
    """Build a step from :func:`step_to_dict`'s result.

    Args:
        values: of the step.
        number_of: a document's number by its external id; ``None`` for one that is not known.

    Returns:
        ``None`` for a step of another kind, as a later version may know, and for one
        whose document is not known; an order goes on without those.
    """
    word = values.get("do")
    if word == "replace":
        known = [number for each in values["order"] if (number := number_of(each)) is not None]
        return Replace(tuple(known), str(values["reason"]))
    if word == "swap":
        a, b = number_of(values["a"]), number_of(values["b"])
        return None if a is None or b is None else Swap(a, b)
    if word not in _RANKED and word not in _PLAIN:
        return None
    document = number_of(values["document"])
    if document is None:
        return None
    return (
        _PLAIN[word](document) if word in _PLAIN else _RANKED[word](document, int(values["rank"]))
    )
