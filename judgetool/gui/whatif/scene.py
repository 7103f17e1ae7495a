"""What the what-if board shows: rows, columns, cards, and what each of them says."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from judgetool.core.scale import Scale, scale_preset
from judgetool.core.terms import QueryTerms
from judgetool.gui.delegates.kept_pixmaps import KeptPixmaps
from judgetool.gui.grade_style import chip_width, scale_styles
from judgetool.gui.models.card_texts import CardTexts
from judgetool.gui.theme import Theme
from judgetool.gui.whatif.card_face import (
    CardFacts,
    CardTextLayout,
)
from judgetool.gui.whatif.desk import Desk
from judgetool.gui.whatif.places import Columns, Rows, board_columns, row_height
from judgetool.session.comparing.trial import ranks_of

if TYPE_CHECKING:
    from judgetool.gui.whatif.carry import Carry

if TYPE_CHECKING:
    from judgetool.gui.whatif.carry import Carry

_MOST_KEPT = 128


class BoardScene:
    """What is painted, and how; the board keeps it in step.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        rows: where rows stand.
        columns: where columns stand.
        carry: the card in the hand, or ``None``.
        current: the current document, or ``None``.
        has_keyboard: whether the board has the keyboard.
        cutoffs: ranks after which chosen measures cut.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.order: Sequence[int] = ()
        self.rows = Rows()
        self.columns: Columns = board_columns(900, n_ranks=10, chip_width=40)
        self.carry: Carry | None = None
        self.current: int | None = None
        self.has_keyboard = False
        self.cutoffs: tuple[int, ...] = ()
        self._terms = QueryTerms()
        self._texts: CardTexts | None = None
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}
        self.forget()

    # What the board says

    def forget(self) -> None:
        """Lay everything out anew: width, fonts, theme or query have changed."""
        self._kept = KeptPixmaps(_MOST_KEPT)
        self._layouts: dict[tuple[int, str, int], CardTextLayout] = {}

    def show_query(self) -> None:
        """Take the texts of another query."""
        session, query = self._desk.session, self._desk.query
        self._texts = None
        if session is not None and query is not None:
            self._terms = QueryTerms.parse(session.material.queries[query].text)
            self._texts = CardTexts(session.material, self._terms)
        self.forget()

    def set_width(self, width: int, theme: Theme) -> None:
        """Place the columns for a width of the view."""
        orders = self._desk.orders
        styles = scale_styles(self.scale, theme)
        columns = board_columns(
            width,
            n_ranks=max(len(orders.order), len(orders.imported), 10),
            chip_width=chip_width(styles),
        )
        if columns != self.columns:
            self.columns = columns
            self.forget()

    def set_order(self, order: Sequence[int]) -> None:
        """Show an order."""
        orders = self._desk.orders
        self.order = order
        self._ranks = ranks_of(order)
        gone = len(orders.gone)
        self.rows = Rows(len(orders.imported), len(order), gone, row_height())

    def set_compared(self) -> None:
        """Take anew what movements are measured against."""
        trial = self._desk.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())

    @property
    def scale(self) -> Scale:
        """The project's scale."""
        session = self._desk.session
        return session.scale if session is not None else scale_preset("0-3")

    def document_at(self, row: int) -> int | None:
        """Return the document of a row on the right, or ``None``."""
        if 0 <= row < len(self.order):
            return self.order[row]
        at = row - len(self.order)
        gone = self._desk.orders.gone
        return gone[at] if 0 <= at < len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document on the right; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        gone = self._desk.orders.gone
        return len(self.order) + gone.index(document) if document in gone else -1

    def facts(self, document: int) -> CardFacts:
        """Return what the card of a document says."""
        orders, rank = self._desk.orders, self._ranks.get(document)
        compared = self._compared
        was = orders.was.get(document) if compared is None else compared.get(document)
        return CardFacts(
            rank,
            was,
            None if was is None or rank is None else was - rank,
            self._desk.mark(document),
            self._desk.assumed_grade(document),
            document in orders.pinned,
        )
