"""The two orders of the what-if view as rows: what they say, and the card in the hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, Qt

from judgetool.core.override import override
from judgetool.gui import cannot_raise
from judgetool.gui.models.result_order import DocumentMark
from judgetool.gui.numbers import format_grade
from judgetool.gui.whatif.ranking import WorkedRanking
from judgetool.gui.widgets.rows import ROOT, LineModel, ListTable
from judgetool.session.comparing.baseline import move_sign, ranks_of
from judgetool.wording import _

_SAID = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
Index = QModelIndex | QPersistentModelIndex


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


class CardFacts(NamedTuple):
    """What a card says besides the document's text.

    Attributes:
        rank: from 1; ``None`` for one that was taken out.
        was: rank in what it is compared with, the imported order or another run's;
            ``None`` for one that is not there.
        mark: what is judged of it.
        assumed: the assumed grade that counts; ``None`` for none.
        is_pinned: whether it has a pin.
    """

    rank: int | None
    was: int | None
    mark: DocumentMark
    assumed: float | None
    is_pinned: bool

    @property
    def movement(self) -> str:
        """The movement as shown: ``↑3``, ``↓1``, ``new``, ``gone``, ``""`` for none."""
        return move_sign(self.was, self.rank)


class OrdersModel(LineModel):
    """Rows of the view: the order as it is shown, then what was taken out.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        gone: documents that were taken out.
        carry: the card in the hand, or ``None``.
        names: of the left order, of the right one, and how much was done to it.
    """

    def __init__(self, ranking: WorkedRanking, parent: ListTable) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.order: Sequence[int] = ()
        self.gone: Sequence[int] = ()
        self.carry: Carry | None = None
        self.names = ("", "", "")
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}

    def renew(self) -> None:
        """Take anew what the ranking has, and what movements are measured against."""
        self.beginResetModel()
        trial = self._ranking.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())
        self.gone = self._ranking.orders.gone
        self._place(self._ranking.orders.order)
        self.endResetModel()

    def set_order(self, order: Sequence[int]) -> None:
        """Show the same documents in another order."""
        self._place(order)
        self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def _place(self, order: Sequence[int]) -> None:
        self.order, self._ranks = order, ranks_of(order)

    def document_at(self, row: int) -> int | None:
        """Return the document of a row, or ``None``."""
        n, gone = len(self.order), self.gone
        return (self.order[row] if row < n else gone[row - n]) if 0 <= row < n + len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        return len(self.order) + self.gone.index(document) if document in self.gone else -1

    def facts(self, document: int) -> CardFacts:
        """Return what the card of a document says."""
        orders, compared = self._ranking.orders, self._compared
        return CardFacts(
            self._ranks.get(document),
            orders.was.get(document) if compared is None else compared.get(document),
            self._ranking.mark(document),
            self._ranking.assumed_grade(document),
            document in orders.pinned,
        )

    @override
    @cannot_raise
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many documents there are, those taken out included."""
        return 0 if parent.isValid() else len(self.order) + len(self.gone)

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return a card as a reader says it."""
        document = self.document_at(place)
        if role not in _SAID or document is None:
            return None
        facts = self.facts(document)
        grade = facts.mark.grade if facts.assumed is None else facts.assumed
        parts = (
            _("in the hand") if self.carry and self.carry.document == document else "",
            _("taken out") if facts.rank is None else _("rank {rank}").format(rank=facts.rank),
            _("was {rank}").format(rank=facts.was) if facts.was and facts.was != facts.rank else "",
            self._ranking.title(document),
            _("not judged")
            if grade is None
            else _("grade {grade}").format(grade=format_grade(grade)),
            _("assumed") if facts.assumed is not None else "",
            _("pinned") if facts.is_pinned else "",
        )
        return ", ".join(filter(None, parts))

    @override
    def headerData(
        self, _section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return what the two orders are called."""
        is_asked = orientation is Qt.Orientation.Horizontal and role in _SAID
        return "{}; {}: {}".format(*self.names) if is_asked else None
