"""Where the parts of a result card stand, and lines with marked words: laid out once, painted often."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextLayout, QTextLine, QTextOption

from judgetool.core.excerpts import Excerpt, choose_excerpt
from judgetool.core.terms import QueryTerms, Span
from judgetool.gui.fonts import (
    Role,
    current_density,
    font,
    kept_for_font,
    line_height,
    metrics,
    scaled,
    text_width,
)
from judgetool.gui.models.result_model import NO_TEXT, CardText
from judgetool.gui.painting import (
    draw_mark,
    is_right_to_left,
    may_mix_directions,
    qt_spans,
    span_rects,
    text_direction,
)
from judgetool.gui.theme import Theme
from judgetool.wording import _

ELLIPSIS = "…"
_ENDLESS = 1_000_000.0


def split_line(text: str, *, role: Role, room: float) -> tuple[str, str]:
    """Return what of a text stands on a line of ``room`` px, and the rest; divided at a blank."""
    n_fitting = _count_fitting(text, role=role, room=room)
    return text[:n_fitting].rstrip(), text[n_fitting:]


def _count_fitting(text: str, *, role: Role, room: float) -> int:
    """Return how many characters of a text stand on a line of ``room`` px."""
    layout = QTextLayout(text, font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(room)
    # Qt counts in UTF-16.
    n_units = line.textLength() if line.isValid() else 0
    layout.endLayout()
    return _characters(text, n_units)


class MarkedLine:
    """One line, elided at its logical end, with the places of its marked words.

    Attributes:
        width: of the ink, in px; 0 for an empty text.
        is_cut: whether the text did not fit.
        ascent: from the line's top to its baseline.
        is_right_to_left: direction of the first strong character; such a line stands
            at the right end of its room.
    """

    def __init__(
        self,
        text: str,
        spans: Sequence[Span] = (),
        *,
        role: Role,
        room: float,
        direction: Qt.LayoutDirection | None = None,
    ) -> None:
        """Lay out a line.

        Args:
            text: on one line.
            spans: what is marked, as (start, end) in ``text``, in order.
            role: how it is set.
            room: width in px that it may take.
            direction: ``None`` follows the first strong character.
        """
        shown, kept = _elide(text, role, room)
        self.is_cut = kept < len(text)
        self.is_right_to_left = (
            is_right_to_left(text)
            if direction is None
            else direction is Qt.LayoutDirection.RightToLeft
        )
        self._layout, line = _lay_out(shown, role, self.is_right_to_left)
        self.width = line.naturalTextWidth()
        self._shift = room - self.width if self.is_right_to_left else 0.0
        self.ascent = line.ascent()
        clipped = [(start, min(end, kept)) for start, end in spans if start < kept]
        self._marks = span_rects(line, qt_spans(shown, clipped), is_mixed=may_mix_directions(shown))

    def draw(
        self,
        painter: QPainter,
        left: float,
        baseline: float,
        *,
        colour: QColor,
        theme: Theme | None = None,
    ) -> None:
        """Paint the line with its baseline at a height.

        Args:
            painter: its pen is changed.
            left: of the room that the line was laid out for.
            baseline: in px.
            colour: of the text.
            theme: paints the marks; ``None`` leaves them out.
        """
        corner = QPointF(left + self._shift, round(baseline - self.ascent))
        if theme is not None:
            for rect in self._marks:
                draw_mark(painter, rect.translated(corner), theme)
        painter.setPen(colour)
        self._layout.draw(painter, corner)


def _elide(text: str, role: Role, room: float) -> tuple[str, int]:
    """Return what fits, and how many characters of the text it keeps."""
    face = metrics(role)
    shown = face.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(room)))
    return shown, len(text) if shown == text else max(0, len(shown) - len(ELLIPSIS))


def _lay_out(text: str, role: Role, is_rtl: bool) -> tuple[QTextLayout, QTextLine]:
    """Lay out a text on one line of its own width, from x = 0."""
    layout = QTextLayout(text, font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setTextDirection(
        Qt.LayoutDirection.RightToLeft if is_rtl else Qt.LayoutDirection.LeftToRight
    )
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    line = layout.createLine()
    # Wider than any line: one that is a fraction too narrow would be broken at a hyphen.
    line.setLineWidth(_ENDLESS)
    layout.endLayout()
    return layout, line


def break_lines(text: str, spans: Sequence[Span], *, role: Role, room: float) -> list[MarkedLine]:
    """Lay out a text on as many lines as the density gives it, two or one; the last is elided.

    Args:
        text: on one line.
        spans: what is marked, in order.
        role: how it is set.
        room: width of each line in px.

    Returns:
        No line for an empty text.
    """
    if not text:
        return []
    if current_density().snippet_lines == 1:
        direction = text_direction(text)
        return [MarkedLine(text, spans, role=role, room=room, direction=direction)]
    kept = _count_fitting(text, role=role, room=max(1.0, room))
    direction = text_direction(text)
    head = MarkedLine(text[:kept].rstrip(), spans, role=role, room=room + 2.0, direction=direction)
    rest = text[kept:]
    if not rest.strip():
        return [head]
    later = [(max(0, start - kept), end - kept) for start, end in spans if end > kept]
    return [head, MarkedLine(rest, later, role=role, room=room, direction=direction)]


def _characters(text: str, units: int) -> int:
    """Return how many characters the first so many UTF-16 units hold."""
    if text.isascii() or max(text) <= "\uffff":
        return units
    count = 0
    while units > 0:
        units -= 2 if text[count] > "\uffff" else 1
        count += 1
    return count


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


@kept_for_font
def title_height() -> int:
    """Return the height of a card's title line."""
    return line_height(Role.CARD_TITLE)


@kept_for_font
def snippet_height() -> int:
    """Return the height of one line of a snippet."""
    return line_height(Role.SNIPPET)


@kept_for_font
def card_top() -> int:
    """Return the room above a card's title."""
    return scaled(current_density().card_top)


@kept_for_font
def card_height() -> int:
    """Return the height of a card: 48, 66 or 84 px at a 13 px font, as dense as is chosen."""
    density = current_density()
    lines = density.snippet_lines * snippet_height()
    return card_top() + title_height() + lines + scaled(density.card_bottom)


@kept_for_font
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


@kept_for_font
def head_height() -> int:
    """Return the height of a heading, such as ‘Not in this run’."""
    return max(scaled(28), metrics(Role.META_STRONG).height() + scaled(8))


def cutoff_tab_size(text: str) -> tuple[int, int]:
    """Return width and height of a cutoff's tab, such as ``@5``."""
    return text_width(Role.SMALL, text) + scaled(10), max(scaled(15), line_height(Role.SMALL))


_GAP = 8
_LEAST_URL = 48
_SAMPLE = 120
_RAGGED = 40


class CardLayout:
    """Title, address and two snippet lines of a document, elided and measured once.

    Args:
        text: of the document.
        terms: of the query.
        columns: where the texts stand.
        aside: what stands beside the title in place of the address, always whole.
    """

    def __init__(
        self, text: CardText, terms: QueryTerms, columns: CardColumns, *, aside: str = ""
    ) -> None:
        room = columns.title_right - columns.text
        self._room = room
        self._has_text = text.has_text
        kept = text_width(Role.META, aside) + scaled(_GAP) if aside else 0
        self._kept_left = kept
        self.title = MarkedLine(
            text.title, text.title_spans, role=Role.CARD_TITLE, room=max(1, room - kept)
        )
        left = room - self.title.width - scaled(_GAP)
        self.beside = None
        if aside:
            self.beside = MarkedLine(aside, role=Role.META, room=max(left, kept))
        elif text.url and left >= scaled(_LEAST_URL):
            towards = Qt.LayoutDirection.LeftToRight
            self.beside = MarkedLine(text.url, role=Role.META, room=left, direction=towards)
        room = columns.text_right - columns.text
        excerpt = Excerpt(_(NO_TEXT))
        if text.has_text:
            excerpt = choose_excerpt(text.body, terms, length=_fitting_length(text.body, room))
        self.lines = break_lines(excerpt.text, excerpt.spans, role=Role.SNIPPET, room=room)

    def draw(
        self,
        painter: QPainter,
        place: QRectF,
        theme: Theme,
        *,
        is_highlighted: bool,
        title_shift: float = 0.0,
    ) -> None:
        """Paint the texts.

        Args:
            painter: any.
            place: the card's text column, from the card's top; as wide as the snippet.
            theme: the colours.
            is_highlighted: whether query terms are marked.
            title_shift: how far right the title's room begins, where the score is left of it.
        """
        marks = theme if is_highlighted else None
        face = metrics(Role.CARD_TITLE)
        middle = place.top() + card_top() + title_height() / 2
        baseline = round(middle + (face.ascent() - face.descent()) / 2)
        left, title = place.left() + title_shift, self.title
        ink = theme.text if self._has_text else theme.text2
        is_rtl = title.is_right_to_left
        shift = self._kept_left if is_rtl else 0
        title.draw(painter, left + shift, baseline, colour=ink, theme=marks)
        if self.beside is not None:
            at = left + title.width + scaled(_GAP)
            if is_rtl:
                at = left + self._room - title.width - scaled(_GAP) - self.beside.width
            self.beside.draw(painter, at, baseline, colour=theme.text3)
        top = place.top() + card_top() + title_height()
        face = metrics(Role.SNIPPET)
        for line in self.lines:
            middle = top + snippet_height() / 2
            baseline = round(middle + (face.ascent() - face.descent()) / 2)
            colour = theme.text2 if self._has_text else theme.text3
            line.draw(painter, place.left(), baseline, colour=colour, theme=marks)
            top += snippet_height()


def _fitting_length(text: str, room: float) -> int:
    """Return about how many characters of a text fit on a card's lines."""
    sample = text[:_SAMPLE]
    width = text_width(Role.SNIPPET, sample) / max(1, len(sample))
    # All lines but the last end at a word, so some of their room stays empty.
    n_lines = current_density().snippet_lines
    used = n_lines * room - (n_lines - 1) * scaled(_RAGGED)
    return max(20, int(used / max(1.0, width)))
