"""What listeners are told after a commit."""

from dataclasses import dataclass
from typing import Literal

Origin = Literal["do", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Changed:
    """One step, done, undone or redone; sent exactly once, after it is durable.

    Attributes:
        origin: whether it was done, undone or redone.
        kind: ``judge``, ``project`` or ``import``.
        title: for the status line and the Undo menu.
        judgments: the (query, document) pairs touched.
        values: keys of the project's own values that changed.
        is_material: whether queries, documents or runs came or went; query numbers
            held from before mean nothing then.
        n_kept: judgments that an undo or redo left alone, because someone has
            changed them since.
        n_graded: documents of which something else is said now than before: a grade, or
            that they cannot be judged. A flag, a note or a skip says nothing of the kind.
    """

    origin: Origin
    kind: str
    title: str
    judgments: tuple[tuple[int, int], ...] = ()
    values: frozenset[str] = frozenset()
    is_material: bool = False
    n_kept: int = 0
    n_graded: int = 0

    @property
    def queries(self) -> frozenset[int]:
        """The queries touched."""
        return frozenset(query for query, _ in self.judgments)
