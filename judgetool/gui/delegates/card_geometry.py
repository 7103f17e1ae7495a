"""Where the parts of a result card stand."""

from dataclasses import dataclass, replace

from judgetool.gui.fonts import Role, current_density, line_height, metrics, scaled, text_width

TOP = 7
RIGHT_INSET = 14
GLYPH = 14
# A picture leaves the texts at least so many times its own room.
_LEAST_TEXTS = 4


@dataclass(frozen=True, slots=True)
class CardColumns:
    """Positions in a card, left to right, for one width of the list.

    Attributes:
        rank_right: right edge of the rank.
        chip: left edge of the chip.
        chip_width: one width for all grades of the scale.
        text: left edge of title and snippet.
        text_right: right edge of the snippet.
        title_right: right edge of title and address, before the score.
        score_width: room of the scores, 0 where they are not shown.
    """

    rank_right: int
    chip: int
    chip_width: int
    text: int
    text_right: int
    title_right: int
    score_width: int


def card_columns(width: int, *, n_ranks: int, chip_width: int, score_width: int) -> CardColumns:
    """Return where the parts of a card stand.

    Args:
        width: of the list's viewport.
        n_ranks: the highest rank; it must fit.
        chip_width: of the scale's chips.
        score_width: of the widest score, 0 for none.
    """
    digits = max(text_width(Role.META, "00"), text_width(Role.META, str(n_ranks)))
    rank_right = scaled(12) + digits
    chip = rank_right + scaled(9)
    text = chip + chip_width + scaled(14)
    text_right = max(text + 1, width - scaled(RIGHT_INSET))
    title_right = text_right - (score_width + scaled(10) if score_width else 0)
    return CardColumns(
        rank_right, chip, chip_width, text, text_right, max(text + 1, title_right), score_width
    )


def title_height() -> int:
    """Return the height of a card's title line."""
    return line_height(Role.CARD_TITLE)


def snippet_height() -> int:
    """Return the height of one line of a snippet."""
    return line_height(Role.SNIPPET)


def card_top() -> int:
    """Return the room above a card's title."""
    return scaled(current_density().card_top)


def card_height() -> int:
    """Return the height of a card: 48, 66 or 84 px at a 13 px font, as dense as is chosen."""
    density = current_density()
    lines = density.snippet_lines * snippet_height()
    return card_top() + title_height() + lines + scaled(density.card_bottom)


def thumb_side() -> int:
    """Return the side of the square that a document's picture has on a card."""
    return card_height() - scaled(12)


def beside_thumb(columns: CardColumns) -> CardColumns:
    """Return the columns of a card with a picture at its end; the same where it is too narrow."""
    taken = thumb_side() + scaled(10)
    if columns.text_right - columns.text < _LEAST_TEXTS * taken:
        return columns
    return replace(
        columns, text_right=columns.text_right - taken, title_right=columns.title_right - taken
    )


def head_height() -> int:
    """Return the height of a heading, such as ‘Not in this run’."""
    return max(scaled(28), metrics(Role.META_STRONG).height() + scaled(8))


def cutoff_tab_size(text: str) -> tuple[int, int]:
    """Return width and height of a cutoff's tab, such as ``@5``."""
    return text_width(Role.SMALL, text) + scaled(10), max(scaled(15), line_height(Role.SMALL))
