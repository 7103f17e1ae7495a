"""Paints a result card: rank, grade chip, title with marked terms, address, score, snippet."""

from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.number_text import MINUS, UNDEFINED
from judgetool.core.override import override
from judgetool.core.scale import scale_preset
from judgetool.gui.delegates.card_layout import (
    GLYPH,
    CardColumns,
    CardLayout,
    beside_thumb,
    card_columns,
    card_top,
    cutoff_tab_size,
    head_height,
    snippet_height,
    thumb_side,
    title_height,
)
from judgetool.gui.fonts import Role, icon_side, scaled, text_width
from judgetool.gui.grade_style import (
    chip_height,
    chip_width,
    draw_chip_cached,
    draw_confidence,
    judgment_style,
    widest_styles,
)
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.result_model import ResultModel
from judgetool.gui.models.result_order import DocumentMark, ResultRow
from judgetool.gui.painting import (
    CENTRE,
    LEFT,
    RIGHT,
    draw_frame,
    draw_line,
    draw_row_ground,
    draw_text,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.gui.widgets.rows import Index
from judgetool.wording import _, local_number

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
        has_keyboard: whether the list has the keyboard.
        is_highlighted: whether query terms are marked.
        shows_scores: whether scores are painted.
        direction: of the layout, as last painted.
        ratio: device pixels for each px, as last painted.
        cards: what is laid out and painted already.
    """

    def __init__(self, model: ResultModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.cards = _Cards()
        self.has_keyboard = False
        self.is_highlighted = True
        self.shows_scores = True
        self.direction = Qt.LayoutDirection.LeftToRight
        self.ratio = 1.0

    def forget(self) -> None:
        """Lay everything out anew: rows, width, fonts or switches have changed."""
        self.cards = _Cards()

    def make_ready(
        self,
        place: int,
        size: QSize,
        ratio: float,
        *,
        like: "ResultDelegate",
        is_current: bool = False,
    ) -> None:
        """Paint a card before it is seen, as another delegate's list will show it.

        Args:
            place: of the card.
            size: of its row.
            ratio: device pixels per px.
            like: whose switches count.
            is_current: whether it will be the current one.
        """
        if size.isEmpty():
            # The list has not been laid out yet, as when the window opens in focus.
            return
        self.is_highlighted, self.shows_scores = like.is_highlighted, like.shows_scores
        self.ratio = ratio
        state = QStyle.StateFlag.State_Selected if is_current else QStyle.StateFlag.State_None
        if like.has_keyboard:
            state |= QStyle.StateFlag.State_Active
        look = _CardLook(current_theme(), like.direction, state, self.is_highlighted)
        key = self._key(place, size.width(), look)
        self.cards.kept.find(
            key,
            size.width(),
            size.height(),
            ratio,
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
        if self.cards.columns is None or width != self.cards.width:
            self.cards = _Cards(width, self._measure(width))
        return self.cards.columns or self._measure(width)

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
        self.ratio = painter.device().devicePixelRatio()
        state = option.state & _SEEN_STATES
        self.direction = option.direction
        if self.has_keyboard:
            state |= QStyle.StateFlag.State_Active
        look = _CardLook(theme, option.direction, state, self.is_highlighted)
        # Asked for first: at another width it starts the kept cards anew.
        key = self._key(place, option.rect.width(), look)
        self.cards.kept.draw(
            painter,
            option.rect,
            key,
            paint=lambda inner, rect: self._paint_row(inner, rect, place, look),
            ground=theme.base,
        )

    def _key(self, place: int, width: int, look: "_CardLook") -> tuple[object, ...]:
        """Return everything that a card's look depends on, but the texts of the query shown."""
        model = self._model
        row, cutoffs = model.listed.rows[place], model.listed.cutoffs
        around = cutoffs.get(place - 1), cutoffs.get(place), model.listed.heads.get(place)
        said = model.mark(row.document), model.listed.moves.get(row.document, "")
        thumb = self._thumb(place)
        seen = None if thumb is None else thumb.cacheKey()
        return row, said, seen, around, self.columns(width), model.is_blind, look

    def _thumb(self, place: int) -> QImage | None:
        return self._model.thumb(place, side=thumb_side, ratio=self.ratio)

    def _paint_row(self, painter: QPainter, whole: QRectF, place: int, look: "_CardLook") -> None:
        theme, direction = look.theme, look.direction
        card = self.card_rect(whole, place)
        painter.setClipRect(whole)
        draw_row_ground(painter, card, theme, state=look.state, direction=direction)
        brush = _CardBrush(painter, card, direction, theme)
        self._paint_card(brush, self._model.listed.rows[place], place)
        if card.top() > whole.top():
            head = QRectF(whole.left(), whole.top(), whole.width(), card.top() - whole.top())
            self._paint_head(painter, head, _(self._model.listed.heads[place]), look)
        self._paint_lines(brush, whole, place)

    def _paint_card(self, brush: "_CardBrush", row: ResultRow, place: int) -> None:
        columns, theme = self.columns(int(brush.card.width())), brush.theme
        thumb = self._thumb(place)
        if thumb is not None:
            columns = self._paint_thumb(brush, columns, thumb)
        line = title_height()
        rank = UNDEFINED if row.rank is None else str(row.rank)
        if self._model.is_blind:
            rank = ""
        brush.text(rank, 0, columns.rank_right, role=Role.META, at_end=True)
        self._paint_move(brush, columns, self._model.listed.moves.get(row.document, ""))
        self._paint_chip(brush, columns, self._model.mark(row.document))
        if columns.score_width and row.score is not None:
            left = columns.text_right - columns.score_width - 1
            score = format_score(row.score)
            brush.text(score, left, columns.text_right, role=Role.META, at_end=True)
        key = place, thumb is not None
        layout = self.cards.layouts.get(key)
        if layout is None:
            layout = CardLayout(self._model.text(place), self._model.listed.terms, columns)
            self.cards.layouts[key] = layout
        room = brush.place(columns.text, columns.text_right, 0, line)
        is_rtl = brush.direction is Qt.LayoutDirection.RightToLeft
        shift = columns.text_right - columns.title_right if is_rtl else 0
        layout.draw(
            brush.painter,
            room,
            theme,
            is_highlighted=self.is_highlighted,
            title_shift=shift,
        )

    def _paint_thumb(self, brush: "_CardBrush", columns: CardColumns, thumb: QImage) -> CardColumns:
        """Paint the document's picture at the card's end; return the columns beside it."""
        beside = beside_thumb(columns)
        if beside is not columns and not thumb.isNull():
            side = thumb_side()
            top = (brush.card.height() - side) / 2
            room = brush.place(columns.text_right - side, columns.text_right, top, side)
            place = QRectF(QPointF(), thumb.deviceIndependentSize())
            place.moveCenter(room.center())
            brush.painter.drawImage(place.topLeft().toPoint(), thumb)
        return beside

    def _paint_move(self, brush: "_CardBrush", columns: CardColumns, word: str) -> None:
        """Paint how the document moved, under its rank: there it moves nothing itself."""
        if word:
            theme = brush.theme
            ink = {"↑": theme.good, "↓": theme.bad}.get(word[0], theme.text3)
            top = card_top() + title_height()
            right = columns.rank_right + scaled(3)
            place = brush.place(scaled(2), right, top, snippet_height())
            is_left = brush.direction is Qt.LayoutDirection.LeftToRight
            align = RIGHT if is_left else LEFT
            draw_text(brush.painter, place, word, role=Role.SMALL, colour=ink, align=align)

    def _paint_chip(self, brush: "_CardBrush", columns: CardColumns, mark: DocumentMark) -> None:
        session = self._model.session
        if session is None:
            return
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
        left = columns.chip + scaled(6)
        side = icon_side(GLYPH)
        for name, ink in glyphs:
            square = brush.place(left, left + side, top + height + scaled(7), side)
            draw_icon(brush.painter, square, name=name, colour=ink, px=side)
            left += side + scaled(4)

    def _paint_head(self, painter: QPainter, rect: QRectF, text: str, look: "_CardLook") -> None:
        theme = look.theme
        painter.fillRect(rect, theme.panel)
        draw_line(painter, rect, theme.line)
        is_left = look.direction is Qt.LayoutDirection.LeftToRight
        place = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        draw_text(
            painter,
            place,
            text,
            role=Role.META_STRONG,
            colour=theme.text2,
            align=LEFT if is_left else RIGHT,
        )

    def _paint_lines(self, brush: "_CardBrush", whole: QRectF, place: int) -> None:
        """Paint the separator, and the cutoffs' lines with their tabs over the boundary."""
        theme, cutoffs = brush.theme, self._model.listed.cutoffs
        here = cutoffs.get(place)
        draw_line(brush.painter, whole, theme.line if here is None else theme.line_strong)
        if here is not None:
            self._paint_tab(brush, whole.bottom(), here)
        above = cutoffs.get(place - 1)
        if above is not None:
            self._paint_tab(brush, whole.top(), above)

    def _paint_tab(self, brush: "_CardBrush", boundary: float, cutoff: int) -> None:
        """Paint a tab in the middle of a line; each of the two rows shows its half."""
        columns, theme = self.columns(int(brush.card.width())), brush.theme
        text = f"@{cutoff}"
        width, height = cutoff_tab_size(text)
        left = columns.chip + max(0, (columns.chip_width - width) // 2)
        top = boundary - 0.5 - height // 2 - brush.card.top()
        tab = brush.place(left, left + width, top, height)
        draw_frame(brush.painter, tab, radius=4, border=theme.line_strong, ground=theme.base)
        draw_text(brush.painter, tab, text, role=Role.SMALL, colour=theme.text2, align=CENTRE)


@dataclass(frozen=True, slots=True)
class _CardLook:
    """What the look of a card depends on besides its content."""

    theme: Theme
    direction: Qt.LayoutDirection
    state: QStyle.StateFlag
    is_highlighted: bool


class _CardBrush:
    """Paints into one card by left-to-right positions, mirrored where the layout is."""

    def __init__(
        self, painter: QPainter, card: QRectF, direction: Qt.LayoutDirection, theme: Theme
    ) -> None:
        self.painter = painter
        self.card = card
        self.direction = direction
        self.theme = theme

    def place(self, left: float, right: float, top: float, height: float) -> QRectF:
        """Return where a part stands in the card."""
        if self.direction is Qt.LayoutDirection.RightToLeft:
            left, right = self.card.width() - right, self.card.width() - left
        corner = self.card.topLeft() + QPointF(left, top)
        return QRectF(corner.x(), corner.y(), right - left, height)

    def text(
        self, text: str, left: float, right: float, *, role: Role, at_end: bool = False
    ) -> None:
        """Write rank or score into the title's line."""
        is_right = at_end is (self.direction is Qt.LayoutDirection.LeftToRight)
        place = self.place(left, right, card_top(), title_height())
        align = RIGHT if is_right else LEFT
        draw_text(self.painter, place, text, role=role, colour=self.theme.text3, align=align)
