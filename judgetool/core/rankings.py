"""How a ranking is ordered, the one place where ties are broken; and how a person reorders one.

Each change is a step, and steps are replayed. Steps are values. A ranking after some steps is a
function of the ranking as it was and the steps alone, so that taking the last one back is dropping
it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.wording import N_, sentence_start

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]
DocumentKeys = npt.NDArray[np.integer] | Sequence[int]


class Ranking(NamedTuple):
    """One run's documents for one query, best first.

    Attributes:
        documents: the project's integer keys of the documents, int32, shape (n,).
        scores: what the system gave each, float64, shape (n,); ``None`` if it gave none.
    """

    documents: IntArray
    scores: FloatArray | None = None


EMPTY_RANKING = Ranking(np.zeros(0, dtype=np.int32))


def score_order(scores: FloatArray, ids: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the order of a TREC run: score falling, ties by document id falling.

    Ids are compared as UTF-8 bytes, which Python's comparison of code points
    equals. The rank column of a run file plays no part.

    Args:
        scores: one per document, shape (n,); infinities are allowed, NaN is not.
        ids: the documents' ids, in the order of ``scores``.

    Returns:
        Positions into ``ids``, best first; empty for an empty ranking.

    References:
        trec_eval's ``form_res_rels.c``; 9.0.4 and older compare scores as 32-bit
        floats, this compares doubles.

    Examples:
        >>> score_order(np.array([1.0, 2.0, 1.0]), ["d9", "d5", "d10"]).tolist()
        [1, 0, 2]
    """
    # -0.0 and 0.0 are one score: adding 0.0 makes them the same bits for sorting.
    falling = np.argsort(-(scores + 0.0), kind="stable")
    ordered = scores[falling]
    if len(ordered) < 2 or not (ordered[1:] == ordered[:-1]).any():
        return falling
    by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
    place_of = np.empty(len(ids), dtype=np.intp)
    place_of[by_id] = np.arange(len(ids))
    return np.lexsort((place_of, -(scores + 0.0)))


class Move(NamedTuple):
    """Take a document to a rank; a pinned one takes its pin along.

    Attributes:
        document: the document; nothing happens if the ranking lacks it.
        rank: from 1; beyond the end means the end.
    """

    document: int
    rank: int


class Pin(NamedTuple):
    """Take a document to a rank, where it stays whatever happens to the others.

    Attributes:
        document: the document; one that the ranking lacks is put in.
        rank: from 1; beyond the end means the end.
    """

    document: int
    rank: int


class Unpin(NamedTuple):
    """Let a pinned document move again, from where it stands; nothing happens to others."""

    document: int


class Remove(NamedTuple):
    """Take a document out; nothing happens if the ranking lacks it."""

    document: int


class Insert(NamedTuple):
    """Put a document in that the ranking lacks; one that it has is moved.

    Attributes:
        document: the document.
        rank: from 1; beyond the end means the end.
    """

    document: int
    rank: int


class Swap(NamedTuple):
    """Let two documents change places, pins included; nothing happens if one is missing."""

    a: int
    b: int


class Replace(NamedTuple):
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
_STEPS: dict[str, tuple[type[Step], str]] = {
    "move": (Move, N_("{document} to {rank}")),
    "pin": (Pin, N_("{document} pinned at {rank}")),
    "insert": (Insert, N_("{document} put in at {rank}")),
    "unpin": (Unpin, N_("{document} let go")),
    "remove": (Remove, N_("{document} taken out")),
    "swap": (Swap, N_("{a} and {b} swapped")),
    "replace": (Replace, "{reason}"),
}
"""By the word that is kept, which is also what :class:`_Layout` does: the step, and in words."""
_WORDS = {kind: word for word, (kind, _) in _STEPS.items()}
# Which of a step's values are documents.
_DOCUMENTS = ("document", "a", "b")


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

    def replace(self, order: Iterable[int], _reason: str) -> None:
        ordered = dict.fromkeys((*order, *self.free))
        self.free = [document for document in ordered if document not in self.pins]


def apply(documents: DocumentKeys, steps: Iterable[Step]) -> IntArray:
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
    return np.array(_replayed(documents, steps).order(), dtype=np.int32)


def as_it_came(step: "Step", order: IntArray) -> "Step":
    """Return a step with the rank at which its document came to stand, which a pin can make another.

    Args:
        step: any; what takes no document to a rank is returned as it is.
        order: the ranking right after it.

    Examples:
        >>> as_it_came(Move(6, 1), apply([4, 5, 6], [Pin(4, 1), Move(6, 1)]))
        Move(document=6, rank=2)
    """
    if not isinstance(step, (Move, Pin, Insert)):
        return step
    places = np.flatnonzero(order == step.document)
    return step._replace(rank=int(places[0]) + 1) if len(places) else step


def pinned_documents(documents: DocumentKeys, steps: Iterable[Step]) -> frozenset[int]:
    """Return which documents of the ranking after some steps are pinned."""
    return frozenset(_replayed(documents, steps).pins)


def _replayed(documents: DocumentKeys, steps: Iterable[Step]) -> _Layout:
    layout = _Layout(list(map(int, documents)))
    for step in steps:
        values = step._asdict()
        if values.get("rank", 1) < 1:
            raise ValueError(f"ranks count from 1: {values['rank']}")
        getattr(layout, _WORDS[type(step)])(*values.values())
    return layout


def describe_step(
    step: Step, name_of: Callable[[int], str], in_words: Callable[[str], str] = str
) -> str:
    """Return what a step does, for lists of steps.

    Args:
        step: any.
        name_of: a document's name by its number.
        in_words: the sentence in the language that is shown; English without it.

    Examples:
        >>> describe_step(Move(7, 2), lambda number: f"soup {number}")
        'soup 7 to 2'
    """
    values = step._asdict()
    named = {name: name_of(values[name]) for name in _DOCUMENTS if name in values}
    text = in_words(_STEPS[_WORDS[type(step)]][1]).format(**{**values, **named})
    return sentence_start(text) if isinstance(step, Replace) else text


def step_to_dict(step: Step, id_of: Callable[[int], str]) -> dict[str, Any]:
    """Return a step as plain values, documents by their external ids.

    Examples:
        >>> step_to_dict(Pin(7, 1), {7: "d7"}.__getitem__)
        {'do': 'pin', 'document': 'd7', 'rank': 1}
    """
    values = step._asdict()
    for name in values:
        if name in _DOCUMENTS:
            values[name] = id_of(values[name])
        elif name == "order":
            values[name] = [id_of(each) for each in values[name]]
    return {"do": _WORDS[type(step)], **values}


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
    kind, _ = _STEPS.get(values.get("do", ""), (None, ""))
    if kind is None:
        return None
    given: dict[str, Any] = {name: values[name] for name in kind._fields}
    for name, value in given.items():
        if name in _DOCUMENTS:
            given[name] = number_of(value)
        elif name == "order":
            given[name] = tuple(n for each in value if (n := number_of(each)) is not None)
        else:
            given[name] = int(value) if name == "rank" else str(value)
    return None if None in given.values() else kind(**given)
