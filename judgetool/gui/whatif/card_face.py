"""Paints the cards of the what-if board, and the rows of the imported order beside them."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from judgetool.core.excerpts import Excerpt, choose_excerpt
from judgetool.core.scale import Scale
from judgetool.core.terms import QueryTerms
from judgetool.gui.delegates.card_geometry import TOP, card_height, snippet_height, title_height
from judgetool.gui.delegates.card_layout import NO_TEXT
from judgetool.gui.delegates.marked_line import MarkedLine, break_lines
from judgetool.gui.fonts import Role, metrics, scaled, text_width
from judgetool.gui.grade_style import (
    GradeStyle,
    chip_height,
    draw_chip,
    draw_symbol,
    grade_style,
    judgment_style,
)
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.card_texts import CardText
from judgetool.gui.models.result_order import Mark
from judgetool.gui.painting import CENTRE, LEFT, RIGHT, draw_text, smooth
from judgetool.gui.theme import Theme

_LINES = 116
_LEFT = 270
NARROW = 640
GONE_HEAD = 30
_DISC = 15
_GLYPH = 13
_LINE_LENGTH = 2.1
PUT_BACK = "Put back"


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


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says besides the document's text.

    Attributes:
        rank: from 1; ``None`` for one that was taken out.
        was: rank in what it is compared with, the imported order or another run's;
            ``None`` for one that is not there.
        up: by how many ranks it stands higher than in the baseline, negative for lower;
            ``None`` for one that the baseline lacks.
        mark: what is judged of it.
        assumed: the assumed grade that counts; ``None`` for none.
        is_pinned: whether it has a pin.
    """

    rank: int | None
    was: int | None
    up: int | None
    mark: Mark
    assumed: float | None
    is_pinned: bool

    @property
    def lasting(self) -> tuple[object, ...]:
        """What :func:`draw_card` paints of it, which stays while ranks change."""
        return (self.rank is None, self.was, self.mark, self.assumed, self.is_pinned)

    @property
    def movement(self) -> str:
        """The movement as shown: ``↑3``, ``↓1``, ``new``, ``gone``, ``""`` for none."""
        if self.rank is None:
            return "gone"
        if self.up is None:
            return "new"
        return "" if not self.up else f"↑{self.up}" if self.up > 0 else f"↓{-self.up}"


def style_of(scale: Scale, facts: CardFacts, theme: Theme) -> GradeStyle:
    """Return the look of a card's grade: judged, assumed, or none."""
    if facts.assumed is not None:
        return grade_style(scale, facts.assumed, theme)
    return judgment_style(scale, facts.mark.state, facts.mark.grade, theme)


class CardTextLayout:
    """Title and two snippet lines of a document, laid out for one width."""

    def __init__(self, text: CardText, terms: QueryTerms, *, room: int, aside: str) -> None:
        self.aside = aside
        self._has_text = text.has_text
        self._aside_width = text_width(Role.META, aside) if aside else 0
        gap = self._aside_width + scaled(8) if aside else 0
        self._room = room
        self.title = MarkedLine(
            text.title, text.title_spans, role=Role.CARD_TITLE, room=max(1, room - gap)
        )
        excerpt = Excerpt(NO_TEXT)
        if text.has_text:
            sample = text.body[:120]
            per_letter = text_width(Role.SNIPPET, sample) / max(1, len(sample))
            length = max(20, int(_LINE_LENGTH * 0.92 * room / max(1.0, per_letter)))
            excerpt = choose_excerpt(text.body, terms, length=length)
        self.lines = break_lines(excerpt.text, excerpt.spans, role=Role.SNIPPET, room=room)

    def draw(self, painter: QPainter, place: QRectF, theme: Theme) -> None:
        """Paint the texts into the card's text column."""
        face = metrics(Role.CARD_TITLE)
        middle = place.top() + scaled(TOP) + title_height() / 2
        baseline = round(middle + (face.ascent() - face.descent()) / 2)
        ink = theme.text if self._has_text else theme.text2
        is_rtl = self.title.is_right_to_left
        left = place.left()
        if is_rtl and self.aside:
            left += self._aside_width + scaled(8)
        self.title.draw(painter, left, baseline, colour=ink, theme=theme)
        if self.aside:
            at = place.left() if is_rtl else left + self.title.width + scaled(8)
            box = QRectF(at, place.top() + scaled(TOP), self._aside_width + 2, title_height())
            draw_text(painter, box, self.aside, role=Role.META, colour=theme.text3, align=LEFT)
        top = place.top() + scaled(TOP) + title_height()
        face = metrics(Role.SNIPPET)
        for line in self.lines:
            middle = top + snippet_height() / 2
            baseline = round(middle + (face.ascent() - face.descent()) / 2)
            colour = theme.text2 if self._has_text else theme.text3
            line.draw(painter, place.left(), baseline, colour=colour, theme=theme)
            top += snippet_height()


def draw_card(  # noqa: PLR0913 - where, with which colours, what
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    *,
    columns: Columns,
    facts: CardFacts,
    scale: Scale,
    text: CardTextLayout,
) -> None:
    """Paint what a card keeps while it is moved: grade, texts, handle, pin.

    Ground and frame are the caller's; :func:`draw_place` paints the rest.

    Args:
        painter: any.
        rect: of the card.
        theme: the colours.
        columns: where the parts stand.
        facts: what it says.
        scale: the project's.
        text: of the document.
    """
    left, top, line = rect.left(), rect.top() + scaled(TOP), float(title_height())
    _draw_grade(painter, QPointF(left + columns.chip, top), theme, facts, scale, columns)
    text.draw(painter, rect.adjusted(columns.text, 0, 0, 0), theme)
    at = QRectF(left + columns.handle, top, scaled(22), line)
    if facts.rank is None:
        return
    draw_icon(painter, at, name="grip-vertical", colour=theme.text3, px=15)
    if facts.is_pinned:
        below = at.translated(0, title_height() + scaled(3))
        draw_icon(painter, below, name="pin", colour=theme.accent, px=_GLYPH)


def draw_place(
    painter: QPainter, rect: QRectF, theme: Theme, *, columns: Columns, facts: CardFacts
) -> None:
    """Paint a card's rank, and how far it has moved."""
    left, top, line = rect.left(), rect.top() + scaled(TOP), float(title_height())
    rank = "" if facts.rank is None else str(facts.rank)
    place = QRectF(left, top, columns.rank_right, line)
    draw_text(painter, place, rank, role=Role.META, colour=theme.text2, align=RIGHT)
    word = facts.movement
    if not word:
        return
    colour = theme.good if word.startswith("↑") else theme.text3
    if word == "new":
        colour = theme.accent
    elif word == "gone":
        colour = theme.bad
    at = QRectF(left + columns.moved, top, columns.chip - columns.moved, line)
    draw_text(painter, at, word, role=Role.META, colour=colour, align=LEFT)


def _draw_grade(
    painter: QPainter,
    corner: QPointF,
    theme: Theme,
    facts: CardFacts,
    scale: Scale,
    columns: Columns,
) -> None:
    style = style_of(scale, facts, theme)
    height = chip_height()
    top = corner.y() + (title_height() - height) // 2
    chip = QRectF(corner.x(), top, columns.chip_width, height)
    if facts.assumed is None:
        draw_chip(painter, chip, theme, style)
        return
    _draw_assumed(painter, chip, theme, style)
    word = QRectF(chip.left() - 4, chip.bottom() + scaled(2), chip.width() + 8, snippet_height())
    draw_text(painter, word, "assumed", role=Role.SMALL, colour=theme.text3, align=CENTRE)


def _draw_assumed(painter: QPainter, chip: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip that is only assumed: a dashed frame and no ground."""
    with smooth(painter):
        pen = QPen(style.ink, 1.2, Qt.PenStyle.DashLine)
        pen.setDashPattern([2.5, 2.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip.adjusted(0.6, 0.6, -0.6, -0.6), 5, 5)
    disc = float(scaled(14))
    draw_symbol(
        painter,
        QRectF(chip.left() + scaled(6), round(chip.center().y() - disc / 2), disc, disc),
        style,
    )
    digits = chip.adjusted(scaled(6) + disc + scaled(6), 0, -scaled(6), 0)
    painter.save()
    draw_text(painter, digits, style.text, role=Role.UI_STRONG, colour=theme.text, align=CENTRE)
    painter.restore()


def draw_imported(  # noqa: PLR0913 - where, with which colours, what
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    *,
    rank: int,
    title: MarkedLine,
    style: GradeStyle,
    digits: int,
    is_in_hand: bool,
) -> None:
    """Paint one row of the imported order: rank, disc, title on one line.

    Args:
        painter: any.
        rect: of the row.
        theme: the colours.
        rank: from 1.
        title: laid out.
        style: of the grade.
        digits: width of the widest rank.
        is_in_hand: whether the document is being carried.
    """
    left = rect.left() + scaled(12)
    place = QRectF(left, rect.top(), digits, rect.height())
    ink = theme.text2 if not is_in_hand else theme.accent
    draw_text(painter, place, str(rank), role=Role.META, colour=ink, align=RIGHT)
    disc = float(scaled(_DISC))
    left += digits + scaled(10)
    top = round(rect.center().y() - disc / 2)
    draw_symbol(painter, QRectF(left, top, disc, disc), style)
    face = metrics(Role.UI)
    baseline = round(rect.center().y() + (face.ascent() - face.descent()) / 2)
    colour: QColor = theme.accent if is_in_hand else theme.text
    title.draw(painter, left + disc + scaled(9), baseline, colour=colour)


def imported_text_left(digits: int) -> int:
    """Return where a title of the imported order begins, from the row's left."""
    return scaled(12) + digits + scaled(10) + scaled(_DISC) + scaled(9)
