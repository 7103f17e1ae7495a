"""A card in the hand: which document, where it would land, and what the order would be."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF


@dataclass(slots=True)
class Carry:
    """A document that is lifted and not dropped yet.

    Attributes:
        document: what is carried.
        origin: its place before, from 0.
        place: where it would be dropped, from 0.
        order: the order with the document dropped there.
        grip: pointer's distance from the card's corner; ``None`` when keys carry it.
        pointer: where the pointer is, in the view; ``None`` when keys carry it.
    """

    document: int
    origin: int
    place: int
    order: tuple[int, ...]
    grip: QPointF | None = None
    pointer: QPointF | None = None

    @property
    def is_moved(self) -> bool:
        """Whether dropping it here would change anything."""
        return self.place != self.origin
