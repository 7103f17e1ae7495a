"""A result card: where its parts stand, and how they are painted.

Rank, grade chip, title with marked terms, address, score, snippet: laid out once, painted often.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QTextLayout, QTextLine, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import MINUS, UNDEFINED
from judgetool.core.scale import scale_preset
from judgetool.core.terms import Excerpt, QueryTerms, Span, choose_excerpt
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.result_model import (
    NO_TEXT,
    CardText,
    DocumentMark,
    ResultModel,
    ResultRow,
)
from judgetool.gui.painting import (
    CENTRE,
    LEFT,
    RIGHT,
    character_at,
    chip_height,
    chip_width,
    draw_chip_cached,
    draw_confidence,
    draw_frame,
    draw_line,
    draw_mark,
    draw_row_ground,
    draw_text,
    is_right_to_left,
    judgment_style,
    may_mix_directions,
    qt_spans,
    span_rects,
    text_direction,
    widest_styles,
)
from judgetool.gui.theme import (
    Role,
    Theme,
    current_density,
    current_theme,
    font,
    icon_side,
    kept_for_font,
    line_height,
    metrics,
    scaled,
    text_width,
)
from judgetool.gui.widgets.labels import Look, TextPart
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.gui.widgets.rows import Index
from judgetool.wording import _, local_number

ELLIPSIS = "…"
_ENDLESS = 1_000_000.0


def split_line(text: str, *, role: Role, room: float) -> tuple[str, str]:
    """Return what of a text stands on a line of ``room`` px, and the rest; divided at a blank."""
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
    n_fitting = character_at(text, n_units)
    return text[:n_fitting].rstrip(), text[n_fitting:]


def baseline_at(middle: float, role: Role) -> int:
    """Return the height of the baseline of a line whose middle is at a height."""
    face = metrics(role)
    return round(middle + (face.ascent() - face.descent()) / 2)


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
        is_whole: bool = False,
    ) -> None:
        """Lay out a line.

        Args:
            text: on one line.
            spans: what is marked, as (start, end) in ``text``, in order.
            role: how it is set.
            room: width in px that it may take.
            direction: ``None`` follows the first strong character.
            is_whole: it was broken to fit: nothing is elided for a fraction of a pixel.
        """
        shown, kept = (text, len(text)) if is_whole else _elide(text, role, room)
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


def break_lines(
    text: str, spans: Sequence[Span] = (), *, role: Role, room: float, most: int = 0
) -> list[MarkedLine]:
    """Lay out a text on several lines, all in the direction of the whole; the last is elided.

    Args:
        text: on one line.
        spans: what is marked, in order.
        role: how it is set.
        room: width of each line in px.
        most: so many lines; 0 for as many as the density gives, two or one.

    Returns:
        No line for an empty text.
    """
    most = most or current_density().snippet_lines
    direction, lines, rest = text_direction(text), list[MarkedLine](), text
    while rest.strip():
        kept, is_last = len(text) - len(rest), len(lines) + 1 == most
        later = [(max(0, start - kept), end - kept) for start, end in spans if end > kept]
        line, rest = (rest, "") if is_last else split_line(rest, role=role, room=max(1.0, room))
        lines.append(
            MarkedLine(line, later, role=role, room=room, direction=direction, is_whole=not is_last)
        )
    return lines


RIGHT_INSET = 14
GLYPH = 14
# A picture leaves the texts at least so many times its own room.
_LEAST_TEXTS = 4


class CardColumns(NamedTuple):
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
    return columns._replace(
        text_right=columns.text_right - taken, title_right=columns.title_right - taken
    )


@kept_for_font
def head_height() -> int:
    """Return the height of a heading, such as ‘Not in this run’."""
    return max(scaled(28), metrics(Role.META_STRONG).height() + scaled(8))


def draw_heading(painter: QPainter, rect: QRectF, text: str, look: Look) -> None:
    """Draw a heading above a card."""
    painter.fillRect(rect, look.theme.panel)
    draw_line(painter, rect, look.theme.line)
    place = rect.adjusted(scaled(12), 0, -scaled(12), 0)
    TextPart(text, Role.META_STRONG, "text2").paint(painter, place, look)


def cutoff_tab_size(text: str) -> tuple[int, int]:
    """Return width and height of a cutoff's tab, such as ``@5``."""
    return text_width(Role.SMALL, text) + scaled(10), max(scaled(15), line_height(Role.SMALL))


def draw_cutoff_tab(painter: QPainter, tab: QRectF, text: str, theme: Theme) -> None:
    """Draw a cutoff's tab."""
    draw_frame(painter, tab, radius=4, border=theme.line_strong, ground=theme.base)
    draw_text(painter, tab, text, role=Role.SMALL, colour=theme.text2, align=CENTRE)


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
        top = place.top() + card_top()
        baseline = baseline_at(top + title_height() / 2, Role.CARD_TITLE)
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
        top += title_height()
        colour = theme.text2 if self._has_text else theme.text3
        for line in self.lines:
            baseline = baseline_at(top + snippet_height() / 2, Role.SNIPPET)
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


_MOST_KEPT = 48
# Of all that a row's state says, only this is seen.
_SEEN_STATES = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver


def format_score(score: float) -> str:
    """Return a system's score as shown: four decimals, fewer for large numbers.

    Examples:
        >>> format_score(1.9934), format_score(-12345.678), format_score(float("inf"))
        ('1.9934', '−12345.7', '∞')
    """
    if score in (float("inf"), float("-inf")):
        text = "∞" if score > 0 else "-∞"
    elif abs(score) < 1000:
        text = f"{score:.4f}"
    else:
        text = f"{score:.1f}" if abs(score) < 1e9 else f"{score:.3g}"
    return local_number(text.replace("-", MINUS))


class RowLook(NamedTuple):
    """What the look of a row depends on besides its content."""

    theme: Theme
    direction: Qt.LayoutDirection
    state: QStyle.StateFlag


class RowBrush:
    """Paints the ground of one row, and into it by left-to-right positions, mirrored where the layout is."""

    def __init__(self, painter: QPainter, rect: QRectF, look: RowLook) -> None:
        self.painter, self.rect, self.theme = painter, rect, look.theme
        self.is_mirrored = look.direction is Qt.LayoutDirection.RightToLeft
        draw_row_ground(painter, rect, look.theme, state=look.state, direction=look.direction)

    def place(self, left: float, right: float, top: float, height: float) -> QRectF:
        """Return where a part stands in the row."""
        begin = self.rect.width() - right if self.is_mirrored else left
        return QRectF(self.rect.left() + begin, self.rect.top() + top, right - left, height)

    def text(
        self,
        text: str,
        place: QRectF,
        *,
        role: Role = Role.META,
        ink: str = "text3",
        at_end: bool = False,
    ) -> None:
        """Write one line in the middle of a place."""
        ink_now, align = getattr(self.theme, ink), LEFT if at_end is self.is_mirrored else RIGHT
        draw_text(self.painter, place, text, role=role, colour=ink_now, align=align)


@dataclass(slots=True)
class _Cards:
    """What was laid out and painted for the rows of one query.

    Attributes:
        width: of the viewport.
        columns: where the parts stand at that width.
        layouts: texts by place.
        kept: painted cards.
    """

    width: int = 0
    columns: CardColumns | None = None
    layouts: dict[tuple[int, bool], CardLayout] = field(default_factory=dict)
    kept: KeptPixmaps = field(default_factory=lambda: KeptPixmaps(_MOST_KEPT))


class ResultDelegate(QStyledItemDelegate):
    """Paints cards; the list keeps its switches in line.

    Attributes:
        view: whose cards they are.
        is_highlighted: whether query terms are marked.
        shows_scores: whether scores are painted.
        cards: what is laid out and painted already.
    """

    def __init__(self, model: ResultModel, view: QWidget) -> None:
        super().__init__(view)
        self._model, self.view = model, view
        self.cards = _Cards()
        self.is_highlighted = True
        self.shows_scores = True

    def forget(self) -> None:
        """Lay everything out anew: rows, width, fonts or switches have changed."""
        self.cards = _Cards()

    def make_ready(
        self,
        place: int,
        size: QSize,
        *,
        like: "ResultDelegate",
        is_current: bool = False,
    ) -> None:
        """Paint a card before it is seen, as another delegate's list will show it.

        Args:
            place: of the card.
            size: of its row.
            like: whose switches count.
            is_current: whether it will be the current one.
        """
        if size.isEmpty():
            # The list has not been laid out yet, as when the window opens in focus.
            return
        self.is_highlighted, self.shows_scores = like.is_highlighted, like.shows_scores
        state = QStyle.StateFlag.State_Selected if is_current else QStyle.StateFlag.State_None
        if like.view.hasFocus():
            state |= QStyle.StateFlag.State_Active
        look = RowLook(current_theme(), like.view.layoutDirection(), state)
        key = self._key(place, size.width(), look)
        self.cards.kept.find(
            key,
            size.width(),
            size.height(),
            self.view.devicePixelRatio(),
            paint=lambda inner, rect: self._paint_row(inner, rect, place, look),
            ground=look.theme.base,
        )

    def adopt(self, ready: "ResultDelegate") -> None:
        """Take over the cards that another delegate has painted for the rows shown now.

        That one is left with those of before, to be forgotten when there is time for it.
        """
        if ready.shows_scores is self.shows_scores:
            self.cards, ready.cards = ready.cards, self.cards
        else:
            self.forget()

    def columns(self, width: int) -> CardColumns:
        """Return where the parts of a card stand at a width of the viewport."""
        columns = self.cards.columns if width == self.cards.width else None
        if columns is None:
            columns = self._measure(width)
            self.cards = _Cards(width, columns)
        return columns

    def _measure(self, width: int) -> CardColumns:
        rows, session = self._model.listed.rows, self._model.session
        scores = [row.score for row in rows if row.score is not None] if self.shows_scores else []
        ends = [format_score(score) for score in (min(scores), max(scores))] if scores else [""]
        scale = session.scale if session is not None else scale_preset("0-3")
        return card_columns(
            width,
            n_ranks=max((row.rank or 0 for row in rows), default=0),
            chip_width=chip_width(widest_styles(scale, current_theme())),
            score_width=max(text_width(Role.META, end) for end in ends),
        )

    def card_rect(self, rect: QRectF, place: int) -> QRectF:
        """Return the card's part of a row; some have a heading above them."""
        if place in self._model.listed.heads:
            return rect.adjusted(0, head_height(), 0, 0)
        return rect

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, place = current_theme(), index.row()
        state = option.state & _SEEN_STATES
        if self.view.hasFocus():
            state |= QStyle.StateFlag.State_Active
        look = RowLook(theme, option.direction, state)
        # Asked for first: at another width it starts the kept cards anew.
        key = self._key(place, option.rect.width(), look)
        self.cards.kept.draw(
            painter,
            option.rect,
            key,
            paint=lambda inner, rect: self._paint_row(inner, rect, place, look),
            ground=theme.base,
        )

    @override
    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Say of a grade whose it is, over its chip alone."""
        columns = self.columns(option.rect.width())
        row = option.rect
        chip = QRect(row.left() + columns.chip, row.top(), columns.chip_width, row.height())
        if QStyle.visualRect(option.direction, row, chip).contains(event.pos()):
            return super().helpEvent(event, view, option, index)
        QToolTip.hideText()
        return True

    def _key(self, place: int, width: int, look: RowLook) -> tuple[object, ...]:
        """Return everything that a card's look depends on, but the texts of the query shown."""
        model = self._model
        rows, cutoffs = model.listed.rows, model.listed.cutoffs
        row, is_last = rows[place], place + 1 == len(rows)
        around = cutoffs.get(place - 1), cutoffs.get(place), model.listed.heads.get(place)
        said = model.mark(row.document), model.listed.moves.get(row.document, "")
        thumb = self._thumb(place)
        seen = None if thumb is None else thumb.cacheKey()
        shown = self.columns(width), model.is_blind, self.is_highlighted
        return row, said, seen, around, is_last, shown, look

    def _thumb(self, place: int) -> QImage | None:
        return self._model.thumb(place, side=thumb_side, ratio=self.view.devicePixelRatio())

    def _paint_row(self, painter: QPainter, whole: QRectF, place: int, look: RowLook) -> None:
        card = self.card_rect(whole, place)
        painter.setClipRect(whole)
        brush = RowBrush(painter, card, look)
        self._paint_card(brush, self._model.listed.rows[place], place)
        if card.top() > whole.top():
            head = QRectF(whole.left(), whole.top(), whole.width(), card.top() - whole.top())
            text = _(self._model.listed.heads[place])
            draw_heading(painter, head, text, Look(look.theme, brush.is_mirrored))
        self._paint_lines(brush, whole, place)

    def _paint_card(self, brush: RowBrush, row: ResultRow, place: int) -> None:
        columns, theme = self.columns(int(brush.rect.width())), brush.theme
        thumb = self._thumb(place)
        if thumb is not None:
            columns = self._paint_thumb(brush, columns, thumb)
        rank = UNDEFINED if row.rank is None else str(row.rank)
        if self._model.is_blind:
            rank = ""
        line = card_top(), title_height()
        brush.text(rank, brush.place(0, columns.rank_right, *line), at_end=True)
        self._paint_move(brush, columns, self._model.listed.moves.get(row.document, ""))
        self._paint_chip(brush, columns, self._model.mark(row.document))
        if columns.score_width and row.score is not None:
            left = columns.text_right - columns.score_width - 1
            score = format_score(row.score)
            brush.text(score, brush.place(left, columns.text_right, *line), at_end=True)
        key = place, thumb is not None
        layout = self.cards.layouts.get(key)
        if layout is None:
            layout = CardLayout(self._model.text(place), self._model.listed.terms, columns)
            self.cards.layouts[key] = layout
        room = brush.place(columns.text, columns.text_right, 0, title_height())
        shift = columns.text_right - columns.title_right if brush.is_mirrored else 0
        layout.draw(
            brush.painter,
            room,
            theme,
            is_highlighted=self.is_highlighted,
            title_shift=shift,
        )

    def _paint_thumb(self, brush: RowBrush, columns: CardColumns, thumb: QImage) -> CardColumns:
        """Paint the document's picture at the card's end; return the columns beside it."""
        beside = beside_thumb(columns)
        if beside is not columns and not thumb.isNull():
            side = thumb_side()
            top = (brush.rect.height() - side) / 2
            room = brush.place(columns.text_right - side, columns.text_right, top, side)
            place = QRectF(QPointF(), thumb.deviceIndependentSize())
            place.moveCenter(room.center())
            brush.painter.drawImage(place.topLeft().toPoint(), thumb)
        return beside

    def _paint_move(self, brush: RowBrush, columns: CardColumns, word: str) -> None:
        """Paint how the document moved, under its rank: there it moves nothing itself."""
        if word:
            ink = {"↑": "good", "↓": "bad"}.get(word[0], "text3")
            top, right = card_top() + title_height(), columns.rank_right + scaled(3)
            place = brush.place(scaled(2), right, top, snippet_height())
            brush.text(word, place, role=Role.SMALL, ink=ink, at_end=True)

    def _paint_chip(self, brush: RowBrush, columns: CardColumns, mark: DocumentMark) -> None:
        session = self._model.session
        assert session is not None
        theme = brush.theme
        style = judgment_style(session.scale, mark.state, mark.grade, theme)
        height = chip_height()
        top = card_top() + (title_height() - height) // 2
        chip = brush.place(columns.chip, columns.chip + columns.chip_width, top, height)
        draw_chip_cached(brush.painter, chip, theme, style)
        glyphs = []
        if mark.is_flagged:
            glyphs.append(("flag", theme.warn))
        if mark.has_note:
            glyphs.append(("sticky-note", theme.text3))
        if mark.has_rationale:
            glyphs.append(("text-quote", theme.text3))
        if mark.confidence is not None:
            place = brush.place(columns.chip, columns.chip + columns.chip_width, top + height, 8)
            draw_confidence(brush.painter, place, style.ink, confidence=mark.confidence)
        side = icon_side(GLYPH)
        # All three end where the chip does, before the text begins.
        room = columns.chip_width - len(glyphs) * (side + scaled(4)) + scaled(4)
        left = columns.chip + min(scaled(6), room)
        for name, ink in glyphs:
            square = brush.place(left, left + side, top + height + scaled(7), side)
            draw_icon(brush.painter, square, name=name, colour=ink, px=side)
            left += side + scaled(4)

    def _paint_lines(self, brush: RowBrush, whole: QRectF, place: int) -> None:
        """Paint the separator, and the cutoffs' lines with their tabs over the boundary."""
        theme, cutoffs = brush.theme, self._model.listed.cutoffs
        here = cutoffs.get(place)
        draw_line(brush.painter, whole, theme.line if here is None else theme.line_strong)
        if here is not None:
            # Below the last row nothing would show the other half.
            is_last = place + 1 == len(self._model.listed.rows)
            lift = cutoff_tab_size("")[1] // 2 + 1 if is_last else 0
            self._paint_tab(brush, whole.bottom() - lift, here)
        above = cutoffs.get(place - 1)
        if above is not None:
            self._paint_tab(brush, whole.top(), above)

    def _paint_tab(self, brush: RowBrush, boundary: float, cutoff: int) -> None:
        """Paint a tab in the middle of a line; each of the two rows shows its half."""
        columns, text = self.columns(int(brush.rect.width())), f"@{cutoff}"
        width, height = cutoff_tab_size(text)
        left = columns.chip + max(0, (columns.chip_width - width) // 2)
        top = boundary - 0.5 - height // 2 - brush.rect.top()
        tab = brush.place(left, left + width, top, height)
        draw_cutoff_tab(brush.painter, tab, text, brush.theme)
