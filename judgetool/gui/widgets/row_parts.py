"""What a row of a list is made of: parts that paint themselves, and places where they stand."""

from collections.abc import Callable, Hashable, Sequence
from enum import Enum
from math import ceil
from typing import NamedTuple, Protocol

from PySide6.QtCore import (
    QRectF,
)
from PySide6.QtGui import QPainter

from judgetool.core.judgments import State
from judgetool.core.scale import Scale
from judgetool.gui.fonts import Role, icon_side, text_width
from judgetool.gui.grade_style import (
    GradeStyle,
    chip_height,
    chip_width,
    draw_chip_cached,
    draw_symbol,
    judgment_style,
)
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import (
    CENTRE,
    LEFT,
    RIGHT,
    draw_bar,
    draw_change,
    draw_frame,
    draw_id,
    draw_key_cap,
    draw_line,
    draw_ring,
    draw_text,
    draw_tick,
    draw_track,
    key_cap_size,
    shortened,
)
from judgetool.gui.theme import Theme


class Align(Enum):
    """Where a text stands in its place: by the direction of the layout, or as it is seen."""

    START = (LEFT, RIGHT)
    END = (RIGHT, LEFT)
    LEFT = (LEFT, LEFT)
    RIGHT = (RIGHT, RIGHT)
    CENTRE = (CENTRE, CENTRE)


class Look(NamedTuple):
    """What parts are painted by: the colours, and whether the layout is mirrored."""

    theme: Theme
    is_mirrored: bool = False


class Part(Protocol):
    """Something that stands in a row; equal parts look the same."""

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Paint into a rectangle; font and pen need not be put back."""


class TextPart(NamedTuple):
    """One line of plain text, elided where it does not fit; an id in its middle.

    Attributes:
        text: what it says.
        role: how it is set.
        ink: name of a theme's colour.
        align: where it stands.
        is_id: whether it is elided in the middle.
        gives: the part of the text that is elided first, such as a title in a sentence.
        shorter: what is written where the text does not fit; ``""`` for the text itself.
    """

    text: str
    role: Role = Role.UI
    ink: str = "text"
    align: Align = Align.START
    is_id: bool = False
    gives: str = ""
    shorter: str = ""

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write the text."""
        draw = draw_id if self.is_id else draw_text
        colour, align = getattr(look.theme, self.ink), self.align._value_[look.is_mirrored]
        is_cut = self.shorter and text_width(self.role, self.text) > rect.width()
        text = self.shorter if is_cut else self.text
        text = shortened(self.role, text, self.gives, rect.width())
        draw(painter, rect, text, role=self.role, colour=colour, align=align)


class ArrowPart(NamedTuple):
    """The arrow from an old value to the new one, in the direction of the layout."""

    ink: str = "text3"

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw it in the middle of its place."""
        arrow = "←" if look.is_mirrored else "→"
        TextPart(arrow, Role.META, self.ink, Align.CENTRE).paint(painter, rect, look)


class ChangePart(NamedTuple):
    """A change with its arrow, at the right; nothing for ``None``."""

    change: float | None

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw arrow, sign and number."""
        draw_change(painter, rect, look.theme, change=self.change)


class IconPart(NamedTuple):
    """An icon in the middle of its place's height, where the place begins.

    Attributes:
        name: Lucide's.
        ink: name of a theme's colour.
        px: its side at a 13 px font.
    """

    name: str
    ink: str = "text3"
    px: int = 14

    @property
    def side(self) -> int:
        """Its side beside the font that is used."""
        return icon_side(self.px)

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the icon."""
        side = self.side
        left = rect.right() - side if look.is_mirrored else rect.left()
        square = QRectF(left, rect.center().y() - side / 2, side, side)
        draw_icon(painter, square, name=self.name, colour=getattr(look.theme, self.ink), px=side)


class CapPart(NamedTuple):
    """A key cap in the middle of its place's height, as wide as the place.

    Attributes:
        text: the key's name.
        ink: name of the colour of the name.
        is_lit: whether the cap is filled, so that not colour alone tells that it holds.
    """

    text: str
    ink: str = "text2"
    is_lit: bool = False

    @property
    def width(self) -> int:
        """The width of the cap in px."""
        return key_cap_size(self.text)[0]

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the cap."""
        theme, height = look.theme, key_cap_size(self.text)[1]
        cap = QRectF(rect.left(), rect.top() + (rect.height() - height) // 2, rect.width(), height)
        draw_key_cap(painter, cap, theme, text=self.text, colour=getattr(theme, self.ink))
        if self.is_lit:
            draw_frame(painter, cap, radius=4, border=theme.accent, ground=theme.accent)
            ink = theme.on_accent
            draw_text(painter, cap, self.text, role=Role.KEY, colour=ink, align=CENTRE)


class BarPart(NamedTuple):
    """A value's bar; all are shares of the measure's range, 0 to 1, drawn at the end beyond it.

    Attributes:
        value: now; ``None`` leaves the track empty.
        low: least possible.
        high: most possible.
        old: a second, fainter tick; ``None`` for none.
    """

    value: float | None
    low: float = 0.0
    high: float = 0.0
    old: float | None = None

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw track, interval and tick."""
        theme = look.theme
        if self.value is None:
            draw_track(painter, rect, theme, share=0.0)
            return
        draw_bar(painter, rect, theme, value=self.value, low=self.low, high=self.high)
        if self.old is not None:
            draw_tick(painter, rect, theme.text3, value=self.old)


class TrackPart(NamedTuple):
    """How far something is: a track of which a share, 0 to 1, is filled."""

    share: float

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the track."""
        draw_track(painter, rect, look.theme, share=self.share)


class RingPart(NamedTuple):
    """How far something is that works: a ring of which a share is filled; a check mark at 1."""

    share: float

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the ring."""
        draw_ring(painter, rect, look.theme, share=self.share)


class SymbolPart(NamedTuple):
    """The symbol of a judgment on a scale."""

    scale: Scale
    grade: float | None
    state: State = State.UNJUDGED

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the level's symbol, or the state's."""
        draw_symbol(painter, rect, judgment_style(self.scale, self.state, self.grade, look.theme))


class ChipPart(NamedTuple):
    """A grade's chip in the middle of its place's height, where the place begins."""

    style: GradeStyle

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the chip."""
        width, height = chip_width([self.style]), chip_height()
        left = rect.right() - width if look.is_mirrored else rect.left()
        chip = QRectF(left, round(rect.center().y() - height / 2), width, height)
        draw_chip_cached(painter, chip, look.theme, self.style)


class LinePart(NamedTuple):
    """A separator along the bottom of its place, in a colour of the theme."""

    ink: str = "line"

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the line."""
        draw_line(painter, rect, getattr(look.theme, self.ink))


class FillPart(NamedTuple):
    """A place filled with a colour of the theme, such as the ground of a row."""

    ink: str

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill the rectangle."""
        painter.fillRect(rect, getattr(look.theme, self.ink))


class Piece(NamedTuple):
    """A part in a line of parts.

    Attributes:
        part: what is painted; ``None`` leaves room.
        width: that it needs, in px.
        gap: before it, in px.
        gives: whether it takes what room is left over, or gives what is missing; of several
            the last one first.
    """

    part: Part | None
    width: float
    gap: float = 0.0
    gives: bool = False


def pieces_width(pieces: Sequence[Piece]) -> int:
    """Return the width that pieces need beside each other, in px."""
    return ceil(sum([piece.gap + piece.width for piece in pieces]))


def paint_pieces(
    painter: QPainter, pieces: Sequence[Piece], rect: QRectF, theme: Theme, *, is_mirrored: bool
) -> None:
    """Paint pieces beside each other, from where lines begin."""
    look, at = Look(theme, is_mirrored), 0.0
    for piece, width in zip(pieces, _widths(pieces, rect.width()), strict=True):
        at += piece.gap
        left = rect.right() - at - width if is_mirrored else rect.left() + at
        if piece.part is not None:
            piece.part.paint(painter, QRectF(left, rect.top(), width, rect.height()), look)
        at += width


def _widths(pieces: Sequence[Piece], room: float) -> list[float]:
    """Return the widths in a room: the last that gives takes what is over, or gives first."""
    widths, rest = [piece.width for piece in pieces], room - pieces_width(pieces)
    for place in reversed(range(len(pieces))):
        if rest and pieces[place].gives:
            change = max(rest, -widths[place])
            widths[place] += change
            rest -= change
    return widths


Parts = tuple[Part | None, ...]
"""What stands in a row; earlier parts are painted under later ones."""
Places = tuple[QRectF | None, ...]
"""Where the parts of a row stand, thought left to right, in px from the row's own corner."""


class Row(NamedTuple):
    """One row of a list.

    Attributes:
        key: what the list's owner knows it by; ``None`` for a row that cannot be chosen,
            such as a heading.
        parts: what stands in it, one for each place of the list.
        said: the whole row as a reader says it, or what makes the text when it is asked for.
        tip: its tooltip, likewise; ``""`` for none.
    """

    key: Hashable
    parts: Parts
    said: str | Callable[[], str] = ""
    tip: str | Callable[[], str] = ""


class SquarePart(NamedTuple):
    """A part in a square as wide as its place, in the middle of the place's height."""

    part: Part

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Paint it there."""
        side = rect.width()
        top = round(rect.center().y() - side / 2)
        self.part.paint(painter, QRectF(rect.left(), top, side, side), look)
