"""Where everything stands on the what-if board: columns, rows, and what is under a point."""

from dataclasses import dataclass

from judgetool.gui.delegates.card_geometry import card_height
from judgetool.gui.fonts import Role, metrics, scaled, text_width

_LINES = 116
_LEFT = 270
NARROW = 640
GONE_HEAD = 30


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the board at one width, left to right.

    Attributes:
        left: width of the imported order.
        cards: left edge of the cards; the lines are between.
        width: of the whole.
        rank_right: right edge of a card's rank, from the card's left.
        moved: left edge of the movement, from the card's left.
        chip: left edge of the chip, from the card's left.
        chip_width: one width for all grades.
        text: left edge of title and snippet, from the card's left.
        text_right: their right edge, from the card's left.
        handle: left edge of the drag handle, from the card's left.
    """

    left: int
    cards: int
    width: int
    rank_right: int
    moved: int
    chip: int
    chip_width: int
    text: int
    text_right: int
    handle: int


def board_columns(width: int, *, n_ranks: int, chip_width: int) -> Columns:
    """Return where the columns stand.

    Args:
        width: of the viewport.
        n_ranks: the highest rank; it must fit.
        chip_width: of the scale's chips.
    """
    is_narrow = width < scaled(NARROW)
    lines = scaled(56 if is_narrow else _LINES)
    left = min(scaled(_LEFT), max(scaled(132), int(width * 0.27)))
    cards = left + lines
    card = max(scaled(240), width - cards)
    digits = max(text_width(Role.META, "00"), text_width(Role.META, str(n_ranks)))
    rank_right = scaled(10) + digits
    moved = rank_right + scaled(8)
    chip = moved + max(text_width(Role.META, f"↑{n_ranks}"), text_width(Role.META, "new"))
    chip += scaled(8)
    text = chip + chip_width + scaled(14)
    handle = card - scaled(30)
    return Columns(
        left, cards, width, rank_right, moved, chip, chip_width, text, handle - scaled(6), handle
    )


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the board: the order, then what was taken out under a heading.

    Attributes:
        n_imported: documents of the imported order.
        n_order: documents of the order.
        n_gone: documents taken out.
        height: of one row.
    """

    n_imported: int = 0
    n_order: int = 0
    n_gone: int = 0
    height: int = 66

    @property
    def total(self) -> int:
        """Height of everything."""
        return max(self.n_imported * self.height, self.top(self.n_order + self.n_gone))

    @property
    def n_rows(self) -> int:
        """Rows on the right: the order and what is gone."""
        return self.n_order + self.n_gone

    @property
    def head(self) -> int:
        """Height of the heading over what is gone; 0 without it."""
        return gone_head_height() if self.n_gone else 0

    def top(self, row: int) -> int:
        """Return the top of a row on the right, from the top of the board."""
        return row * self.height + (self.head if row >= self.n_order else 0)

    def row_at(self, y: float) -> int:
        """Return the row on the right at a height, or -1 for none."""
        row = int(y // self.height)
        if y < 0:
            return -1
        if row >= self.n_order:
            row = int((y - self.head) // self.height)
            if row < self.n_order:
                return -1
        return row if row < self.n_rows else -1

    def slot_at(self, y: float) -> int:
        """Return the rank, from 0, whose slot is at a height: the nearest of the order."""
        return min(max(int(y // self.height), 0), max(self.n_order - 1, 0))


def row_height() -> int:
    """Return the height of a row: that of a result card."""
    return card_height()


def gone_head_height() -> int:
    """Return the height of the heading over what was taken out."""
    return max(scaled(GONE_HEAD), metrics(Role.META_STRONG).height() + scaled(8))
