"""What rows of lists are made of, and texts on their own.

Parts paint themselves and have a place where they stand. Texts stand on a line, elided, with a number
that stands out, on the cap of a key; or wrapped.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from functools import lru_cache, partial
from math import ceil
from textwrap import wrap
from typing import NamedTuple, Protocol

from PySide6.QtCore import (
    QEvent,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QAccessible, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QWidget,
)

from judgetool.core import override
from judgetool.core.judgments import State
from judgetool.core.scale import Scale
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import (
    CENTRE,
    LEFT,
    RIGHT,
    GradeStyle,
    chip_height,
    chip_width,
    direction_mark,
    draw_bar,
    draw_change,
    draw_chip_cached,
    draw_frame,
    draw_key_cap,
    draw_line,
    draw_ring,
    draw_symbol,
    draw_text,
    draw_tick,
    draw_track,
    enclosed,
    is_right_to_left,
    isolated,
    judgment_style,
    key_cap_size,
    shortened,
)
from judgetool.gui.theme import (
    Role,
    Theme,
    current_theme,
    fits,
    font,
    icon_side,
    line_height,
    metrics,
    text_width,
)
from judgetool.gui.widgets.painted import WORD_WRAP, WRAP, PaintedWidget
from judgetool.wording import _


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
        colour, align = getattr(look.theme, self.ink), self.align._value_[look.is_mirrored]
        is_cut = self.shorter and text_width(self.role, self.text) > rect.width()
        text = self.shorter if is_cut else self.text
        text = shortened(self.role, text, self.gives, rect.width())
        if self.is_id and not fits(self.role, text, rect.width()):
            # Many begin alike and differ at the end.
            middle = Qt.TextElideMode.ElideMiddle
            text = metrics(self.role).elidedText(text, middle, int(rect.width()))
        draw_text(painter, rect, text, role=self.role, colour=colour, align=align)

    def piece(self, gap: float = 0.0, *, gives: bool = False) -> "Piece":
        """Return it as wide as its text, in a line of parts."""
        return Piece(self, text_width(self.role, self.text) + 1, gap, gives)


class ArrowPart(NamedTuple):
    """The arrow from an old value to the new one, in the direction of the layout."""

    ink: str = "text3"

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw it in the middle of its place."""
        arrow = "←" if look.is_mirrored else "→"
        TextPart(arrow, Role.META, self.ink, Align.CENTRE).paint(painter, rect, look)


class ChangePart(NamedTuple):
    """A change with its arrow, at the right; nothing for ``None``.

    Attributes:
        change: the difference.
        is_quality: whether more is better; else it has no arrow, and neither good nor bad ink.
    """

    change: float | None
    is_quality: bool = True

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw arrow, sign and number."""
        draw_change(painter, rect, look.theme, change=self.change, is_quality=self.is_quality)


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

    def piece(self, gap: float = 0.0) -> "Piece":
        """Return it as wide as it is, in a line of parts."""
        return Piece(self, self.side, gap)

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

    def piece(self, gap: float = 0.0) -> "Piece":
        """Return it as wide as it is, in a line of parts."""
        return Piece(self, self.width, gap)

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


def value_bar(
    value: float | None,
    low: float | None,
    high: float | None,
    span: tuple[float, float],
    *,
    old: float | None = None,
) -> BarPart:
    """Return the bar of a value, empty where there is none or the measure's range has no end.

    Args:
        value: now.
        low: least possible; ``None`` where it is not known: what was not worked out is not
            drawn as certain.
        high: most possible, likewise.
        span: where the measure's range begins and ends.
        old: the value of before; ``None`` for none.
    """
    start, room = span[0], span[1] - span[0]
    if value is None or room <= 0:
        return BarPart(None if value is None else 0.0)
    low, high = (start, start) if low is None or high is None else (low, high)
    was = None if old is None else (old - start) / room
    return BarPart((value - start) / room, (low - start) / room, (high - start) / room, was)


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
        width: that it needs, in px; none where it has what is left over.
        gap: before it, in px.
        gives: whether it takes what room is left over, or gives what is missing; of several
            the last one first.
    """

    part: Part | None
    width: float = 0.0
    gap: float = 0.0
    gives: bool = False


def pieces_width(pieces: Sequence[Piece]) -> int:
    """Return the width that pieces need beside each other, in px."""
    return ceil(sum([piece.gap + piece.width for piece in pieces]))


def paint_pieces(painter: QPainter, pieces: Sequence[Piece], rect: QRectF, look: Look) -> None:
    """Paint pieces beside each other, from where lines begin."""
    at = 0.0
    for piece, width in zip(pieces, _widths(pieces, rect.width()), strict=True):
        at += piece.gap
        left = rect.right() - at - width if look.is_mirrored else rect.left() + at
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


def widest_text(rows: Iterable[Row], place: int) -> int:
    """Return the width that the texts at a place of all rows need, in px; 0 where none has one."""
    parts = (row.parts[place] for row in rows)
    texts = {(each.role, each.text) for each in parts if isinstance(each, TextPart) and each.text}
    return max((text_width(role, text) + 2 for role, text in texts), default=0)


class SquarePart(NamedTuple):
    """A part in a square as wide as its place, in the middle of the place's height."""

    part: Part

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Paint it there."""
        side = rect.width()
        top = round(rect.center().y() - side / 2)
        self.part.paint(painter, QRectF(rect.left(), top, side, side), look)


_TIP_WIDTH = 90


class PieceView(PaintedWidget):
    """Pieces beside each other, made anew whenever they are painted, so that they follow the theme.

    Args:
        show: makes the pieces.
        height: in px, with the font as it is now; how wide it wishes to be, the pieces say.
        least: of the width, in px; ``None`` lets the pieces not give way.
        parent: of the widget.
    """

    heard_as = QAccessible.Role.StaticText

    def __init__(
        self,
        show: Callable[[], Iterable[Piece]],
        height: Callable[[], int],
        *,
        least: int | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._show, self._height, self._least = show, height, least
        self._hint = QSize()
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Fixed if least is None else policy.Preferred, policy.Fixed)

    def set_pieces(self, show: Callable[[], Iterable[Piece]]) -> None:
        """Show others."""
        self._show = show
        self.show_anew()

    def show_anew(self) -> None:
        """Show what has changed, and take the room that it needs now."""
        before, self._hint = self._hint, self.sizeHint()
        if self._hint != before:
            self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the room that the pieces need."""
        return QSize(pieces_width(tuple(self._show())), self._height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width, at which pieces give way."""
        hint = self.sizeHint()
        return hint if self._least is None else QSize(min(hint.width(), self._least), hint.height())

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the pieces."""
        super().draw(painter, exposed)
        self.paint(painter, tuple(self._show()))

    def paint(self, painter: QPainter, pieces: Sequence[Piece]) -> None:
        """Paint these pieces now."""
        look = Look(self.theme, self.isRightToLeft())
        paint_pieces(painter, pieces, QRectF(self.rect()), look)


class ElidedLabel(PieceView):
    """One line of plain text in a role and an ink of the theme, elided where it does not fit.

    What does not fit is in the tooltip. The text is never read as markup.

    Attributes:
        text: what it says, whole.
        shorter: what it shows where that does not fit: the first that does, elided the last.
    """

    def __init__(
        self,
        text: str = "",
        *,
        role: Role = Role.UI,
        ink: str = "text",
        is_quoted: bool = False,
        is_id: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Make a label.

        Args:
            text: what it says.
            role: how it is set.
            ink: name of a theme's colour, such as ``text2``.
            is_quoted: whether it is a text of others alone, which runs as it is written; a
                sentence of ours runs as our language does, whatever is named in it.
            is_id: whether it is elided in the middle.
            parent: of the widget.
        """
        super().__init__(self._pieces, partial(line_height, role), least=24, parent=parent)
        self._role = role
        self._ink = ink
        self._is_quoted, self._is_id = is_quoted, is_id
        self.text = self._meaning = ""
        self.shorter: Sequence[str] = ()
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self.text:
            self.text = text
            self.setAccessibleName(text)
            self.show_anew()

    def set_meaning(self, meaning: str) -> None:
        """Say in the tooltip, and to a screen reader, what the text is of."""
        self._meaning = meaning
        self.setAccessibleDescription(meaning)
        self.setToolTip(plain_tooltip(meaning))

    @property
    def shown(self) -> str:
        """What it shows at its width, perhaps elided."""
        fits = (each for each in self.shorter if text_width(self._role, each) <= self.width())
        last = self.shorter[-1] if self.shorter else self.text
        is_cut = text_width(self._role, self.text) > self.width()
        return next(fits, last) if is_cut else self.text

    def _pieces(self, text: str | None = None) -> Iterable[Piece]:
        ink = self._ink if self.isEnabled() else "disabled"
        # Where the shortest is nothing, nothing is shown.
        text = self.text if text is None else text
        shown = text if self._is_quoted else isolated(text)
        part = TextPart(shown, self._role, ink, is_id=self._is_id)
        return (Piece(part, text_width(self._role, text) + 1, gives=True),)

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint from the current theme."""
        is_cut = text_width(self._role, self.text) > self.width()
        # Escaped by hand: a tooltip that starts like markup would be read as markup.
        said = [self.text if is_cut else "", self._meaning]
        self.setToolTip(plain_tooltip("\n".join(filter(None, said)), is_quoted=self._is_quoted))
        PaintedWidget.draw(self, painter, exposed)
        self.paint(painter, tuple(self._pieces(self.shown)))


class CountedLabel(PieceView):
    """Plain text in text2 with its first number in text and bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self._pieces, partial(line_height, Role.UI), least=24, parent=parent)
        self._parts = ("", "", "")

    @property
    def text(self) -> str:
        """What the label says."""
        return "".join(self._parts)

    def set_text(self, text: str, *, strong: str) -> None:
        """Show another text; ``strong`` is the part of it that stands out."""
        parts = text.partition(strong) if strong else (text, "", "")
        if parts != self._parts:
            self._parts = parts
            self.setAccessibleName(text)
            self.show_anew()

    def _pieces(self) -> Iterable[Piece]:
        roles = ((Role.UI, "text2"), (Role.UI_STRONG, "text"), (Role.UI, "text2"))
        pieces = []
        for text, (role, ink) in zip(self._parts, roles, strict=True):
            # A common blank at an end of a part would not be kept.
            part = TextPart(text.replace(" ", "\u00a0"), role, ink, Align.LEFT)
            pieces.append(Piece(part, text_width(role, text), gives=True))
        # The parts are one sentence: they follow each other as it runs, not as the window does.
        if is_right_to_left(self.text) is not self.isRightToLeft():
            pieces.reverse()
        return (*pieces, Piece(None, 2, gives=True))


class KeyCap(PieceView):
    """A key with its name on it.

    Attributes:
        text: the key's name.
    """

    def __init__(self, text: str, *, parent: QWidget | None = None) -> None:
        super().__init__(self._pieces, lambda: key_cap_size(self.text)[1], parent=parent)
        self.text = text
        self.setAccessibleName(_("key {text}").format(text=text))

    def set_text(self, text: str) -> None:
        """Name another key; without a name the cap is not there."""
        if text != self.text:
            self.text = text
            self.setAccessibleName(_("key {text}").format(text=text))
            self.setVisible(bool(text))
            self.show_anew()

    def _pieces(self) -> Iterable[Piece]:
        return (CapPart(self.text).piece(),)


@lru_cache(maxsize=256)
def plain_tooltip(text: str, *, is_quoted: bool = False) -> str:
    """Return a text for ``setToolTip`` that Qt shows as it is, never as markup.

    Screen readers read tooltips aloud, signs of markup too: only what would else be taken
    for markup gets any, and lines are broken here, as Qt breaks those of markup alone. By what
    stands before a break made here :func:`judgetool.gui.widgets.painted.spoken_tip` knows it.

    Args:
        text: of a line or several.
        is_quoted: whether its lines are texts of others alone, and run as they are written.
    """
    if len(text) > _TIP_WIDTH:
        text = "\n".join(_wrapped(line, is_quoted=is_quoted) for line in text.splitlines())
    if not text.isascii():
        text = "\n".join(map(enclosed if is_quoted else isolated, text.split("\n")))
    if "<" not in text and "&" not in text:
        return text
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>")):
        text = text.replace(sign, name)
    return f"<span>{text}</span>" if text else ""


def _wrapped(line: str, *, is_quoted: bool) -> str:
    """Return a line with the breaks that its width makes, each marked as one in or between words."""
    if len(line) <= _TIP_WIDTH:
        return line
    mark = direction_mark(line) if is_quoted else ""
    broken, at = "", 0
    for part in wrap(line, _TIP_WIDTH, expand_tabs=False, replace_whitespace=False):
        start = line.find(part, at)
        broken += (WRAP if start > at else WORD_WRAP) * bool(broken) + mark + part
        at = start + len(part)
    return broken


_LONG_WORD = re.compile(r"\S{24}(?=\S)")


def breakable(text: str) -> str:
    """Return a text with places to break in words of more than 24 characters.

    Otherwise an id or a path without blanks would make a window as wide as itself.
    """
    return _LONG_WORD.sub(lambda found: found.group() + "\u200b", text)


class Text(QLabel):
    """Plain text, in a role and an ink of the theme; never read as markup, wrapped unless asked.

    Args:
        text: what it says.
        role: how it is set.
        ink: name of a theme's colour.
        wraps: whether it may have several lines.
        is_quoted: whether it is a text of others alone, which runs as it is written; a
            sentence of ours runs as our language does, whatever is named in it.
    """

    def __init__(
        self,
        text: str = "",
        *,
        role: Role = Role.UI,
        ink: str = "text",
        wraps: bool = True,
        is_quoted: bool = False,
    ) -> None:
        super().__init__()
        self._is_quoted = is_quoted
        self._ink, self._role = ink, role
        self._is_fitting = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self.setFont(font(role))
        self._colour()
        self.setText(text)

    @override
    def setText(self, text: str) -> None:
        """Show another text; words too long for any line may be broken."""
        if not (self._is_quoted or text.isascii()):
            text = "\n".join(map(isolated, text.split("\n")))
        super().setText(breakable(text) if self.wordWrap() else text)

    def set_ink(self, ink: str) -> None:
        """Use another colour of the theme, by its name."""
        if ink != self._ink:
            self._ink = ink
            self._colour()

    def _colour(self) -> None:
        palette = self.palette()
        colour = getattr(current_theme(), self._ink)
        if palette.color(self.foregroundRole()) != colour:
            palette.setColor(self.foregroundRole(), colour)
            self.setPalette(palette)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, and the size of the text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._colour()
        elif event.type() is QEvent.Type.FontChange and not self._is_fitting:
            self._is_fitting = True
            self.setFont(font(self._role))
            self._is_fitting = False
