"""How the two orders of the what-if view are painted."""

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core import override
from judgetool.core.scale import Scale, scale_preset
from judgetool.core.terms import QueryTerms, one_line
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.result_model import CardTexts
from judgetool.gui.painting import (
    CENTRE,
    EDGE_WIDTH,
    LEFT,
    RIGHT,
    GradeStyle,
    chip_height,
    chip_width,
    draw_assumed_chip,
    draw_chip,
    draw_line,
    draw_row_focus,
    draw_symbol,
    draw_text,
    grade_style,
    judgment_style,
    scale_styles,
    smooth,
    turned,
)
from judgetool.gui.panels.cards import (
    CardColumns,
    CardLayout,
    baseline_at,
    break_lines,
    card_height,
    card_top,
    cutoff_tab_size,
    draw_cutoff_tab,
    draw_heading,
    snippet_height,
    title_height,
)
from judgetool.gui.theme import (
    Role,
    Theme,
    current_theme,
    icon_side,
    metrics,
    mixed,
    scaled,
    text_width,
)
from judgetool.gui.whatif.ranking import CardFacts, Carry, OrdersModel, WorkedRanking
from judgetool.gui.widgets.labels import Look
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.gui.widgets.rows import Index, ListTable
from judgetool.gui.widgets.small_charts import STRONG, draw_slope, draw_slope_end
from judgetool.session.comparing.system_values import move_in_words
from judgetool.session.reading_aids import query_terms
from judgetool.wording import N_, _

PUT_BACK = N_("Put back")
_LINES, _NARROW_LINES, _LEFT, _NARROW = 116, 56, 270, 640
_NARROW_SHARE = 0.08
_DISC, _GLYPH = 15, 13
_MOST_KEPT = 128
_MOST_TITLE = 200
# A card in the hand is narrower than its row, so that the slot shows around it.
_HAND_INSET, _HAND_OUTSET = 44, 52
_SHADOW = (4, 5)
_SHADOW_SHARE = 0.14
_STILL_SHARE = 0.45


class OrderColumns(NamedTuple):
    """Columns of the view at one width, left to right.

    Attributes:
        left: width of the imported order.
        cards: left edge of the cards; the lines are between.
        width: of the whole.
        card: where the parts of a card stand, from its left.
        moved: left edge of the movement, likewise.
        handle: left edge of the drag handle, likewise.
    """

    left: int
    cards: int
    width: int
    card: CardColumns
    moved: int
    handle: int

    def narrowed(self, by: int) -> "OrderColumns":
        """Return columns whose cards end earlier, by so many px."""
        right = self.card.text_right - by
        card = self.card._replace(text_right=right, title_right=right)
        return self._replace(card=card, handle=self.handle - by)


def order_columns(width: int, *, n_ranks: int, chip_width: int) -> OrderColumns:
    """Return where the columns stand.

    Args:
        width: of the viewport.
        n_ranks: the highest rank; it must fit.
        chip_width: of the scale's chips.
    """
    left = min(scaled(_LEFT), max(scaled(132), int(width * 0.27)))
    # Large text has as little room for titles as a narrow window: lines need none of it.
    narrow = min(scaled(_NARROW_LINES), round(width * _NARROW_SHARE))
    cards = left + (narrow if width < scaled(_NARROW) else scaled(_LINES))
    digits = max(text_width(Role.META, "00"), text_width(Role.META, str(n_ranks)))
    rank_right = scaled(10) + digits
    moved = rank_right + scaled(8)
    chip = moved + max(text_width(Role.META, f"↑{n_ranks}"), text_width(Role.META, _("new")))
    chip += scaled(8)
    text, handle = chip + chip_width + scaled(14), max(scaled(240), width - cards) - scaled(30)
    right = handle - scaled(6)
    card = CardColumns(rank_right, chip, chip_width, text, right, right, 0)
    return OrderColumns(left, cards, width, card, moved, handle)


class OrdersDelegate(QStyledItemDelegate):
    """Paints a document of the imported order, and beside it the card of the order.

    Args:
        model: the rows.
        ranking: what is worked on.
        view: what shows the rows.

    Attributes:
        cutoffs: ranks after which chosen measures cut.
    """

    def __init__(self, model: OrdersModel, ranking: WorkedRanking, view: ListTable) -> None:
        super().__init__(view)
        self._model, self._ranking, self._view = model, ranking, view
        self.cutoffs: tuple[int, ...] = ()
        self._terms = QueryTerms()
        self._texts: CardTexts | None = None
        self.forget()

    def forget(self) -> None:
        """Lay everything out anew: width, fonts, theme, scale or query have changed."""
        self._kept = KeptPixmaps(_MOST_KEPT)
        self._layouts: dict[tuple[int, str, int], CardLayout] = {}
        self._placed: tuple[object, OrderColumns] | None = None

    def show_query(self) -> None:
        """Take the texts of another query."""
        session, query = self._ranking.session, self._ranking.query
        self._texts = None
        if session is not None and query is not None:
            self._terms = query_terms(session, query)
            self._texts = CardTexts(session.material, self._terms)
        self.forget()

    @property
    def _scale(self) -> Scale:
        session = self._ranking.session
        return session.scale if session is not None else scale_preset("0-3")

    @property
    def columns(self) -> OrderColumns:
        """Where the columns stand now."""
        orders, width, scale = self._ranking.orders, self._view.viewport().width(), self._scale
        asked = (width, max(len(orders.order), len(orders.imported), 10), scale)
        if self._placed is None or self._placed[0] != asked:
            self.forget()
            chip = chip_width(scale_styles(scale, current_theme()))
            self._placed = (asked, order_columns(width, n_ranks=asked[1], chip_width=chip))
        return self._placed[1]

    # Where things stand

    def card_rect(self, row: int) -> QRect:
        """Return where the card of a row stands in the view; the first one gone has a heading."""
        columns, height = self.columns, card_height()
        place = QRect(columns.cards, self._top(row), columns.width - columns.cards, height)
        return self._visual(place)

    @property
    def is_mirrored(self) -> bool:
        """Whether the imported order is at the right, and its cards left of it."""
        return self._view.isRightToLeft()

    def _visual(self, place: QRect) -> QRect:
        """Return where a place, thought left to right, stands in the view."""
        whole = QRect(0, 0, self.columns.width, 1)
        return QStyle.visualRect(self._view.layoutDirection(), whole, place)

    def _turned(self, place: QRectF, whole: QRectF) -> QRectF:
        """Return where a part, thought left to right, stands in a card or row."""
        return turned(place, whole, is_mirrored=self.is_mirrored)

    def from_start(self, x: float) -> float:
        """Return how far a point of the view is from where lines begin, in px."""
        return self.columns.width - x if self.is_mirrored else x

    def _top(self, row: int) -> int:
        return self._view.rowViewportPosition(row) + self._view.rowHeight(row) - card_height()

    def put_back_rect(self, rect: QRectF) -> QRectF:
        """Return where a card that was taken out offers to come back."""
        width = text_width(Role.UI, _(PUT_BACK)) + scaled(16)
        place = QRectF(rect.right() - width - scaled(6), rect.top(), width, rect.height())
        return self._turned(place, rect)

    def hand_rect(self) -> QRect:
        """Return where the card in the hand is, shadow included; empty without one."""
        carry = self._model.carry
        if carry is None:
            return QRect()
        slot = self.card_rect(self._model.row_of(carry.document))
        width = max(scaled(220), slot.width() - scaled(_HAND_INSET + _HAND_OUTSET))
        place = QRectF(slot.left() + scaled(_HAND_INSET), 0, width, 1)
        left, top = round(self._turned(place, QRectF(slot)).left()), slot.top() + scaled(6)
        if carry.pointer is not None and carry.grip is not None:
            top = round(carry.pointer.y() - carry.grip.y())
            shift, way = (
                carry.pointer.x() - carry.grip.x() - slot.left(),
                -1 if self.is_mirrored else 1,
            )
            left += way * min(max(round(way * shift), -scaled(36)), scaled(48))
        return QRect(left, top, width + _SHADOW[0], slot.height() + _SHADOW[1])

    # A row

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, row, whole = current_theme(), index.row(), option.rect
        columns, card = self.columns, self.card_rect(row)
        beside = QRect(0, whole.top(), columns.cards, whole.height())
        painter.fillRect(self._visual(beside), theme.panel)
        if row < len(self._ranking.orders.imported):
            place = QRect(0, card.top(), columns.left, card.height())
            self._paint_imported(painter, theme, row, self._visual(place))
        if card.top() > whole.top():
            place = QRect(card.left(), whole.top(), card.width(), card.top() - whole.top())
            text = _("Gone: {count} taken out of the ranking").format(count=len(self._model.gone))
            draw_heading(painter, QRectF(place), text, Look(theme, self.is_mirrored))
        document, carry = self._model.document_at(row), self._model.carry
        if document is not None and (carry is None or document != carry.document):
            is_current = carry is None and row == self._view.currentIndex().row()
            self._paint_card(painter, theme, document, card, is_current=is_current)

    def _style(self, facts: CardFacts, theme: Theme) -> GradeStyle:
        """Return the look of a card's grade: judged, assumed, or none."""
        if facts.assumed is not None:
            return grade_style(self._scale, facts.assumed, theme)
        return judgment_style(self._scale, facts.mark.state, facts.mark.grade, theme)

    def _paint_imported(self, painter: QPainter, theme: Theme, row: int, place: QRect) -> None:
        """Paint one row of the imported order: rank, disc, title on one line, or two where it needs them."""
        orders, carry = self._ranking.orders, self._model.carry
        document = orders.imported[row]
        style, rank = self._style(self._model.facts(document), theme), str(orders.was[document])
        is_in_hand = carry is not None and document == carry.document

        def paint(inner: QPainter, rect: QRectF) -> None:
            n_imported = str(len(orders.imported))
            digits = max(text_width(Role.META, "00"), text_width(Role.META, n_imported))
            number = QRectF(scaled(12), rect.top(), digits, rect.height())
            ink = theme.accent if is_in_hand else theme.text2
            end = LEFT if self.is_mirrored else RIGHT
            place = self._turned(number, rect)
            draw_text(inner, place, rank, role=Role.META, colour=ink, align=end)
            disc, left = float(scaled(_DISC)), number.right() + scaled(10)
            at = QRectF(left, round(rect.center().y() - disc / 2), disc, disc)
            draw_symbol(inner, self._turned(at, rect), style)
            face, left = metrics(Role.UI), at.right() + scaled(9)
            text = one_line(
                self._texts.text(document).title if self._texts else "", most=_MOST_TITLE
            )
            room = max(1, round(rect.right() - left - scaled(10)))
            lines = break_lines(text, role=Role.UI, room=room, most=2)
            middle = rect.center().y() - (len(lines) - 1) * face.height() / 2
            baseline = baseline_at(middle, Role.UI)
            left = self._turned(QRectF(left, 0, room, 1), rect).left()
            colour = theme.accent if is_in_hand else theme.text
            for nth, line in enumerate(lines):
                line.draw(inner, left, baseline + nth * face.height(), colour=colour)
            draw_line(inner, rect, theme.line)

        key = (document, rank, style, is_in_hand, theme.name)
        self._kept.draw(painter, place, key, paint=paint, ground=theme.panel)

    def _paint_card(
        self, painter: QPainter, theme: Theme, document: int, rect: QRect, *, is_current: bool
    ) -> None:
        facts, columns = self._model.facts(document), self.columns
        has_keyboard = is_current and self._view.hasFocus()
        ground = theme.panel if facts.rank is None else theme.base
        if is_current:
            ground = theme.selected if has_keyboard else theme.selected_unfocused

        def paint(inner: QPainter, whole: QRectF) -> None:
            self._draw_face(inner, whole, theme, document, facts, columns)
            if is_current:
                edge = QRectF(0, 0, EDGE_WIDTH, whole.height())
                inner.fillRect(self._turned(edge, whole), theme.accent)
            if has_keyboard:
                draw_row_focus(inner, whole, theme)
            if facts.rank is None:
                at = self.put_back_rect(whole)
                draw_text(inner, at, _(PUT_BACK), role=Role.UI, colour=theme.link, align=CENTRE)
            draw_line(inner, whole, theme.line)

        key = (document, _lasting(facts), is_current, has_keyboard, theme.name)
        self._kept.draw(painter, rect, key, paint=paint, ground=ground)
        self._draw_rank(painter, QRectF(rect), theme, facts)

    def _draw_face(
        self,
        painter: QPainter,
        rect: QRectF,
        theme: Theme,
        document: int,
        facts: CardFacts,
        columns: OrderColumns,
    ) -> None:
        """Paint what a card keeps while it is moved: grade, texts, handle, pin."""
        left, top = rect.left(), rect.top() + card_top()
        height = chip_height()
        chip = QRectF(left + columns.card.chip, top, columns.card.chip_width, height)
        chip.translate(0, (title_height() - height) // 2)
        self._draw_grade(painter, self._turned(chip, rect), theme, facts)
        layout = self._layout(document, facts, columns.card)
        room = self._text_right(facts, columns.card) - columns.card.text
        place = QRectF(left + columns.card.text, rect.top(), room, rect.height())
        layout.draw(painter, self._turned(place, rect), theme, is_highlighted=True)
        if facts.rank is None:
            return
        at = QRectF(left + columns.handle, top, scaled(22), title_height())
        at = self._turned(at, rect)
        draw_icon(painter, at, name="grip-vertical", colour=theme.text3, px=icon_side(_DISC))
        if facts.is_pinned:
            below = at.translated(0, title_height() + scaled(3))
            draw_icon(painter, below, name="pin", colour=theme.accent, px=icon_side(_GLYPH))

    def _layout(self, document: int, facts: CardFacts, columns: CardColumns) -> CardLayout:
        aside = _("was {rank}").format(rank=facts.was) if facts.was else ""
        right = self._text_right(facts, columns)
        key = (document, aside, right)
        if key not in self._layouts:
            assert self._texts is not None
            columns = columns._replace(text_right=right, title_right=right)
            text = self._texts.text(document)
            self._layouts[key] = CardLayout(text, self._terms, columns, aside=aside)
        return self._layouts[key]

    def _text_right(self, facts: CardFacts, columns: CardColumns) -> int:
        """Return where a card's texts end; of one that was taken out, before what puts it back."""
        is_out = facts.rank is None
        return columns.text_right - is_out * (text_width(Role.UI, _(PUT_BACK)) + scaled(8))

    def _draw_grade(self, painter: QPainter, chip: QRectF, theme: Theme, facts: CardFacts) -> None:
        style = self._style(facts, theme)
        if facts.assumed is None:
            draw_chip(painter, chip, theme, style)
            return
        draw_assumed_chip(painter, chip, theme, style)
        word = QRectF(chip.left() - 4, chip.bottom() + scaled(2), chip.width() + 8, 0)
        word.setHeight(snippet_height())
        draw_text(painter, word, _("assumed"), role=Role.SMALL, colour=theme.text3, align=CENTRE)

    def _draw_rank(self, painter: QPainter, rect: QRectF, theme: Theme, facts: CardFacts) -> None:
        """Paint a card's rank, and how far it has moved."""
        columns, word = self.columns, facts.movement
        line = QRectF(rect.left(), rect.top() + card_top(), columns.card.rank_right, title_height())
        rank = "" if facts.rank is None else str(facts.rank)
        start, end = (RIGHT, LEFT) if self.is_mirrored else (LEFT, RIGHT)
        place = self._turned(line, rect)
        draw_text(painter, place, rank, role=Role.META, colour=theme.text2, align=end)
        if word:
            inks = {"↑": theme.good, "n": theme.accent, "g": theme.bad}
            line.setLeft(rect.left() + columns.moved)
            line.setRight(rect.left() + columns.card.chip)
            ink = inks.get(word[0], theme.text3)
            place = self._turned(line, rect)
            draw_text(painter, place, move_in_words(word), role=Role.META, colour=ink, align=start)

    # What lies over the rows

    def paint_over(self, painter: QPainter) -> None:
        """Paint the ground beneath the left order, lines, cutoffs, and the card in the hand."""
        theme, columns, carry = current_theme(), self.columns, self._model.carry
        height, n_rows = self._view.viewport().height(), self._model.rowCount()
        end = self.card_rect(n_rows - 1).bottom() + 1 if n_rows else 0
        below = QRect(0, end, columns.cards, max(0, height - end))
        painter.fillRect(self._visual(below), theme.panel)
        with smooth(painter):
            for document in self._seen():
                self._paint_line(painter, theme, document, columns)
        painter.fillRect(self._visual(QRect(columns.cards - 1, 0, 1, height)), theme.line)
        for cutoff in self.cutoffs:
            if cutoff <= len(self._model.order):
                self._paint_cutoff(painter, theme, cutoff)
        if carry is not None:
            self._paint_slot(painter, theme, carry)
            self._paint_hand(painter, theme, carry)

    def _seen(self) -> list[int]:
        """Return the documents of both orders in sight, each once; that of the hand last."""
        first, last = (self._view.rowAt(y) for y in (0, self._view.viewport().height() - 1))
        rows = slice(max(0, first), last + 1 if last >= 0 else None)
        seen = dict.fromkeys((*self._ranking.orders.imported[rows], *self._model.order[rows]))
        carry = self._model.carry
        if carry is not None:
            seen.pop(carry.document, None)
            seen[carry.document] = None
        return list(seen)

    def _paint_line(
        self, painter: QPainter, theme: Theme, document: int, columns: OrderColumns
    ) -> None:
        """Join the two places of a document that is in both orders."""
        facts, carry = self._model.facts(document), self._model.carry
        was, rank = self._ranking.orders.was.get(document), facts.rank
        if was is None or rank is None:
            return
        half = card_height() / 2
        begin, stop = self.from_start(columns.left), self.from_start(columns.cards - 1)
        start = QPointF(begin, self._top(was - 1) + half)
        end = QPointF(stop, self._top(rank - 1) + half)
        if carry is not None and document == carry.document:
            draw_slope(painter, start, end, theme.accent, width=STRONG)
            return
        ink = self._style(facts, theme).ink
        draw_slope(
            painter, start, end, mixed(theme.panel, ink, _STILL_SHARE) if was == rank else ink
        )

    def _paint_cutoff(self, painter: QPainter, theme: Theme, cutoff: int) -> None:
        columns, last = self.columns, self.card_rect(cutoff - 1)
        y, text = last.bottom() + 1, f"@{cutoff}"
        painter.fillRect(QRect(last.left(), y - 1, last.width(), 1), theme.line_strong)
        width, height = cutoff_tab_size(text)
        left = columns.cards + columns.card.chip + (columns.card.chip_width - width) // 2
        tab = QRectF(left, y - 0.5 - height // 2, width, height)
        tab = self._turned(tab, QRectF(0, 0, columns.width, height))
        draw_cutoff_tab(painter, tab, text, theme)

    def _paint_slot(self, painter: QPainter, theme: Theme, carry: Carry) -> None:
        slot = self.card_rect(self._model.row_of(carry.document))
        painter.fillRect(slot, theme.sunken)
        painter.fillRect(QRectF(slot.left(), slot.top() - 1, slot.width(), 2), theme.accent)
        with smooth(painter):
            left = slot.left() + slot.width() - 4.5 if self.is_mirrored else slot.left() + 4.5
            at = QPointF(left, slot.top())
            draw_slope_end(painter, at, theme.accent, ground=theme.base)

    def _paint_hand(self, painter: QPainter, theme: Theme, carry: Carry) -> None:
        """Paint the card in the hand with its flat shadow."""
        whole, facts, columns = self.hand_rect(), self._model.facts(carry.document), self.columns
        columns = columns.narrowed(columns.width - columns.cards - whole.width() + _SHADOW[0])

        def paint(inner: QPainter, room: QRectF) -> None:
            rect, shadow = room.adjusted(0, 0, -_SHADOW[0], -_SHADOW[1]), theme.scrim.toRgb()
            shadow.setAlphaF(_SHADOW_SHARE)
            with smooth(inner):
                inner.setPen(Qt.PenStyle.NoPen)
                inner.setBrush(shadow)
                inner.drawRoundedRect(rect.translated(*_SHADOW), 7, 7)
                inner.setPen(QPen(theme.accent, 1.5))
                inner.setBrush(theme.selected)
                inner.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 7, 7)
            self._draw_face(inner, rect, theme, carry.document, facts, columns)

        key = (carry.document, _lasting(facts), "hand", theme.name)
        clear = QColor(Qt.GlobalColor.transparent)
        self._kept.draw(painter, whole, key, paint=paint, ground=clear)
        face = QRectF(whole).adjusted(0, 0, -_SHADOW[0], 0)
        self._draw_rank(painter, face, theme, facts)


def _lasting(facts: CardFacts) -> tuple[object, ...]:
    """Return what of a card stays while ranks change."""
    return (facts.rank is None, *facts[1:])
