"""The two orders of the what-if view as they are painted: imported rows, lines, cards, the card in the hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from judgetool.core.excerpts import one_line
from judgetool.core.scale import Scale, scale_preset
from judgetool.core.terms import QueryTerms
from judgetool.gui.delegates.card_layout import (
    CardColumns,
    CardLayout,
    card_height,
    card_top,
    cutoff_tab_size,
    snippet_height,
    title_height,
)
from judgetool.gui.delegates.marked_line import MarkedLine
from judgetool.gui.fonts import Role, metrics, scaled, text_width
from judgetool.gui.grade_style import (
    GradeStyle,
    chip_height,
    chip_width,
    draw_chip,
    draw_symbol,
    grade_style,
    judgment_style,
    scale_styles,
)
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.card_texts import CardTexts
from judgetool.gui.models.result_order import DocumentMark
from judgetool.gui.painting import (
    CENTRE,
    EDGE_WIDTH,
    LEFT,
    RIGHT,
    draw_frame,
    draw_line,
    draw_row_focus,
    draw_text,
    smooth,
)
from judgetool.gui.theme import Theme, current_theme, mixed
from judgetool.gui.whatif.ranking import WorkedRanking
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.gui.widgets.small_charts import STRONG, draw_slope, draw_slope_end
from judgetool.session.comparing.baseline import move_sign, ranks_of

PUT_BACK = "Put back"
_LINES, _NARROW_LINES, _LEFT, _NARROW = 116, 56, 270, 640
_GONE_HEAD = 30
_DISC, _GLYPH = 15, 13
_MOST_KEPT = 128
_MOST_TITLE = 200
# A card in the hand is narrower than its row, so that the slot shows around it.
_HAND_INSET, _HAND_OUTSET = 44, 52
_SHADOW = (4, 5)
_SHADOW_SHARE = 0.14
_STILL_SHARE = 0.45


@dataclass(slots=True)
class Carry:
    """A document that is lifted and not dropped yet.

    Attributes:
        document: what is carried.
        origin: its place before, from 0.
        place: where it would be dropped, from 0.
        order: the order with the document dropped there.
        grip: pointer's distance from the card's corner; ``None`` when keys carry it.
        pointer: where the pointer is, in the view; ``None`` when keys carry it.
    """

    document: int
    origin: int
    place: int
    order: tuple[int, ...]
    grip: QPointF | None = None
    pointer: QPointF | None = None

    @property
    def is_moved(self) -> bool:
        """Whether dropping it here would change anything."""
        return self.place != self.origin


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says besides the document's text.

    Attributes:
        rank: from 1; ``None`` for one that was taken out.
        was: rank in what it is compared with, the imported order or another run's;
            ``None`` for one that is not there.
        mark: what is judged of it.
        assumed: the assumed grade that counts; ``None`` for none.
        is_pinned: whether it has a pin.
    """

    rank: int | None
    was: int | None
    mark: DocumentMark
    assumed: float | None
    is_pinned: bool

    @property
    def lasting(self) -> tuple[object, ...]:
        """What of it stays while ranks change."""
        return (self.rank is None, self.was, self.mark, self.assumed, self.is_pinned)

    @property
    def movement(self) -> str:
        """The movement as shown: ``↑3``, ``↓1``, ``new``, ``gone``, ``""`` for none."""
        return move_sign(self.was, self.rank)


@dataclass(frozen=True, slots=True)
class OrderColumns:
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


def order_columns(width: int, *, n_ranks: int, chip_width: int) -> OrderColumns:
    """Return where the columns stand.

    Args:
        width: of the viewport.
        n_ranks: the highest rank; it must fit.
        chip_width: of the scale's chips.
    """
    left = min(scaled(_LEFT), max(scaled(132), int(width * 0.27)))
    cards = left + scaled(_NARROW_LINES if width < scaled(_NARROW) else _LINES)
    digits = max(text_width(Role.META, "00"), text_width(Role.META, str(n_ranks)))
    rank_right = scaled(10) + digits
    moved = rank_right + scaled(8)
    chip = moved + max(text_width(Role.META, f"↑{n_ranks}"), text_width(Role.META, "new"))
    chip += scaled(8)
    text, handle = chip + chip_width + scaled(14), max(scaled(240), width - cards) - scaled(30)
    right = handle - scaled(6)
    card = CardColumns(rank_right, chip, chip_width, text, right, right, 0)
    return OrderColumns(left, cards, width, card, moved, handle)


@dataclass(frozen=True, slots=True)
class OrderRows:
    """Rows of the view: the order, then what was taken out under a heading.

    Attributes:
        n_imported: documents of the imported order.
        n_order: documents of the order.
        n_gone: documents taken out.
        height: of one row: that of a result card.
    """

    n_imported: int = 0
    n_order: int = 0
    n_gone: int = 0
    height: int = 66

    @property
    def total(self) -> int:
        """Height of everything."""
        return max(self.n_imported * self.height, self.top(self.n_rows))

    @property
    def n_rows(self) -> int:
        """Rows on the right: the order and what is gone."""
        return self.n_order + self.n_gone

    @property
    def head(self) -> int:
        """Height of the heading over what is gone; 0 without it."""
        line = metrics(Role.META_STRONG).height() + scaled(8)
        return max(scaled(_GONE_HEAD), line) if self.n_gone else 0

    def top(self, row: int) -> int:
        """Return the top of a row on the right, from the top of everything."""
        return row * self.height + (self.head if row >= self.n_order else 0)

    def row_at(self, y: float) -> int:
        """Return the row on the right at a height, or -1 for none."""
        row = int(y // self.height)
        if row >= self.n_order:
            row = int((y - self.head) // self.height)
            row = -1 if row < self.n_order else row
        return row if y >= 0 and row < self.n_rows else -1

    def slot_at(self, y: float) -> int:
        """Return the rank, from 0, whose slot is at a height: the nearest of the order."""
        return min(max(int(y // self.height), 0), max(self.n_order - 1, 0))


class OrdersPainter:
    """What is painted, and how; the view keeps it in step.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        rows: where rows stand.
        columns: where columns stand.
        carry: the card in the hand, or ``None``.
        current: the current document, or ``None``.
        has_keyboard: whether the view has the keyboard.
        cutoffs: ranks after which chosen measures cut.
    """

    def __init__(self, ranking: WorkedRanking) -> None:
        self._ranking = ranking
        self.order: Sequence[int] = ()
        self.rows = OrderRows()
        self.columns = order_columns(900, n_ranks=10, chip_width=40)
        self.carry: Carry | None = None
        self.current: int | None = None
        self.has_keyboard = False
        self.cutoffs: tuple[int, ...] = ()
        self._terms = QueryTerms()
        self._texts: CardTexts | None = None
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}
        self.forget()

    # What the view says

    def forget(self) -> None:
        """Lay everything out anew: width, fonts, theme or query have changed."""
        self._kept = KeptPixmaps(_MOST_KEPT)
        self._layouts: dict[tuple[int, str, int], CardLayout] = {}

    def show_query(self) -> None:
        """Take the texts of another query."""
        session, query = self._ranking.session, self._ranking.query
        self._texts = None
        if session is not None and query is not None:
            self._terms = QueryTerms.parse(session.material.queries[query].text)
            self._texts = CardTexts(session.material, self._terms)
        self.forget()

    def set_width(self, width: int) -> None:
        """Place the columns for a width of the view."""
        orders, styles = self._ranking.orders, scale_styles(self.scale, current_theme())
        n_ranks = max(len(orders.order), len(orders.imported), 10)
        columns = order_columns(width, n_ranks=n_ranks, chip_width=chip_width(styles))
        if columns != self.columns:
            self.columns = columns
            self.forget()

    def set_order(self, order: Sequence[int]) -> None:
        """Show an order."""
        orders = self._ranking.orders
        self.order = order
        self._ranks = ranks_of(order)
        self.rows = OrderRows(len(orders.imported), len(order), len(orders.gone), card_height())

    def set_compared(self) -> None:
        """Take anew what movements are measured against."""
        trial = self._ranking.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())

    @property
    def scale(self) -> Scale:
        """The project's scale."""
        session = self._ranking.session
        return session.scale if session is not None else scale_preset("0-3")

    def document_at(self, row: int) -> int | None:
        """Return the document of a row on the right, or ``None``."""
        if row < len(self.order):
            return self.order[row] if row >= 0 else None
        gone, at = self._ranking.orders.gone, row - len(self.order)
        return gone[at] if at < len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document on the right; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        gone = self._ranking.orders.gone
        return len(self.order) + gone.index(document) if document in gone else -1

    def facts(self, document: int) -> CardFacts:
        """Return what the card of a document says."""
        orders, compared = self._ranking.orders, self._compared
        return CardFacts(
            self._ranks.get(document),
            orders.was.get(document) if compared is None else compared.get(document),
            self._ranking.mark(document),
            self._ranking.assumed_grade(document),
            document in orders.pinned,
        )

    # Where things stand

    def card_rect(self, row: int, scroll: int) -> QRect:
        """Return where the card of a row stands in the view."""
        columns, top = self.columns, self.rows.top(row) - scroll
        return QRect(columns.cards, top, columns.width - columns.cards, self.rows.height)

    def put_back_rect(self, rect: QRectF) -> QRectF:
        """Return where a card that was taken out offers to come back."""
        width = text_width(Role.UI, PUT_BACK) + scaled(16)
        return QRectF(rect.right() - width - scaled(6), rect.top(), width, rect.height())

    def hand_rect(self, scroll: int) -> QRect:
        """Return where the card in the hand is, shadow included; empty without one."""
        carry = self.carry
        if carry is None:
            return QRect()
        slot = self.card_rect(self.row_of(carry.document), scroll)
        width = max(scaled(220), slot.width() - scaled(_HAND_INSET + _HAND_OUTSET))
        left, top = slot.left() + scaled(_HAND_INSET), slot.top() + scaled(6)
        if carry.pointer is not None and carry.grip is not None:
            top = round(carry.pointer.y() - carry.grip.y())
            shift = round(carry.pointer.x() - carry.grip.x() - slot.left())
            left += min(max(shift, -scaled(36)), scaled(48))
        return QRect(left, top, width + _SHADOW[0], self.rows.height + _SHADOW[1])

    # Painting

    def paint(self, painter: QPainter, dirty: QRect, theme: Theme, *, scroll: int) -> None:
        """Paint what a region of the view needs; ``scroll`` is the top of the view."""
        columns, height = self.columns, self.rows.height
        first = max(0, (dirty.top() + scroll) // height - 1)
        last = (dirty.bottom() + scroll) // height + 1
        painter.fillRect(dirty, theme.base)
        beside = dirty.intersected(QRect(0, dirty.top(), columns.cards, dirty.height()))
        if not beside.isEmpty():
            painter.fillRect(beside, theme.panel)
            for place in range(first, min(last + 1, self.rows.n_imported)):
                self._paint_imported(painter, theme, place, scroll)
            self._paint_lines(painter, theme, first, last, scroll)
        for row in range(first, min(last + 1, self.rows.n_rows)):
            if row == self.rows.n_order:
                self._paint_gone_head(painter, theme, scroll)
            document = self.document_at(row)
            if document is not None and (self.carry is None or document != self.carry.document):
                self._paint_card(painter, theme, document, self.card_rect(row, scroll))
        painter.fillRect(QRect(columns.cards - 1, dirty.top(), 1, dirty.height()), theme.line)
        self._paint_cutoffs(painter, theme, scroll)
        if self.carry is not None:
            self._paint_slot(painter, theme, self.carry, scroll)
            self._paint_hand(painter, theme, self.carry, scroll)

    def _style(self, facts: CardFacts, theme: Theme) -> GradeStyle:
        """Return the look of a card's grade: judged, assumed, or none."""
        if facts.assumed is not None:
            return grade_style(self.scale, facts.assumed, theme)
        return judgment_style(self.scale, facts.mark.state, facts.mark.grade, theme)

    def _paint_imported(self, painter: QPainter, theme: Theme, place: int, scroll: int) -> None:
        """Paint one row of the imported order: rank, disc, title on one line."""
        orders, height = self._ranking.orders, self.rows.height
        document = orders.imported[place]
        style = self._style(self.facts(document), theme)
        is_in_hand = self.carry is not None and document == self.carry.document

        def paint(inner: QPainter, rect: QRectF) -> None:
            n_imported = str(len(orders.imported))
            digits = max(text_width(Role.META, "00"), text_width(Role.META, n_imported))
            number = QRectF(scaled(12), rect.top(), digits, rect.height())
            ink = theme.accent if is_in_hand else theme.text2
            rank = str(orders.was[document])
            draw_text(inner, number, rank, role=Role.META, colour=ink, align=RIGHT)
            disc, left = float(scaled(_DISC)), number.right() + scaled(10)
            at = QRectF(left, round(rect.center().y() - disc / 2), disc, disc)
            draw_symbol(inner, at, style)
            face, left = metrics(Role.UI), at.right() + scaled(9)
            text = one_line(
                self._texts.text(document).title if self._texts else "", most=_MOST_TITLE
            )
            room = max(1, round(self.columns.left - left - scaled(10)))
            title = MarkedLine(text, role=Role.UI, room=room)
            baseline = round(rect.center().y() + (face.ascent() - face.descent()) / 2)
            title.draw(inner, left, baseline, colour=theme.accent if is_in_hand else theme.text)
            draw_line(inner, rect, theme.line)

        rect = QRect(0, place * height - scroll, self.columns.left, height)
        key = (document, "imported", style, is_in_hand, theme.name)
        self._kept.draw(painter, rect, key, paint=paint, ground=theme.panel)

    def _paint_lines(
        self, painter: QPainter, theme: Theme, first: int, last: int, scroll: int
    ) -> None:
        """Join the two places of each document in sight; that of the hand lies on top."""
        was, carry = self._ranking.orders.was, self.carry
        seen = dict.fromkeys(self._ranking.orders.imported[first : last + 1])
        seen |= dict.fromkeys(self.order[first : last + 1])
        if carry is not None:
            seen.pop(carry.document, None)
            seen[carry.document] = None
        with smooth(painter):
            for document in seen:
                if document in self._ranks and document in was:
                    self._paint_line(painter, theme, document, scroll)

    def _paint_line(self, painter: QPainter, theme: Theme, document: int, scroll: int) -> None:
        height = self.rows.height
        was, rank = self._ranking.orders.was[document], self._ranks[document]
        start = QPointF(self.columns.left, (was - 0.5) * height - scroll)
        end = QPointF(self.columns.cards - 1, (rank - 0.5) * height - scroll)
        if self.carry is not None and document == self.carry.document:
            draw_slope(painter, start, end, theme.accent, width=STRONG)
            return
        ink = self._style(self.facts(document), theme).ink
        draw_slope(
            painter, start, end, mixed(theme.panel, ink, _STILL_SHARE) if was == rank else ink
        )

    def _paint_card(self, painter: QPainter, theme: Theme, document: int, rect: QRect) -> None:
        facts, columns = self.facts(document), self.columns
        is_current = document == self.current and self.carry is None
        ground = theme.panel if facts.rank is None else theme.base
        if is_current:
            ground = theme.selected if self.has_keyboard else theme.selected_unfocused

        def paint(inner: QPainter, whole: QRectF) -> None:
            self._draw_face(inner, whole, theme, document, facts, columns)
            if is_current:
                inner.fillRect(QRectF(0, 0, EDGE_WIDTH, whole.height()), theme.accent)
            if is_current and self.has_keyboard:
                draw_row_focus(inner, whole, theme)
            if facts.rank is None:
                at = self.put_back_rect(whole)
                draw_text(inner, at, PUT_BACK, role=Role.UI, colour=theme.link, align=CENTRE)
            draw_line(inner, whole, theme.line)

        key = (document, facts.lasting, is_current, self.has_keyboard, theme.name)
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
        self._draw_grade(painter, QPointF(left + columns.card.chip, top), theme, facts)
        layout = self._layout(document, facts, columns.card)
        place = rect.adjusted(columns.card.text, 0, 0, 0)
        layout.draw(painter, place, theme, is_highlighted=True)
        if facts.rank is None:
            return
        at = QRectF(left + columns.handle, top, scaled(22), title_height())
        draw_icon(painter, at, name="grip-vertical", colour=theme.text3, px=_DISC)
        if facts.is_pinned:
            below = at.translated(0, title_height() + scaled(3))
            draw_icon(painter, below, name="pin", colour=theme.accent, px=_GLYPH)

    def _layout(self, document: int, facts: CardFacts, columns: CardColumns) -> CardLayout:
        aside, right = f"was {facts.was}" if facts.was else "", columns.text_right
        if facts.rank is None:
            right -= text_width(Role.UI, PUT_BACK) + scaled(8)
        key = (document, aside, right)
        if key not in self._layouts:
            assert self._texts is not None
            columns = replace(columns, text_right=right, title_right=right)
            text = self._texts.text(document)
            self._layouts[key] = CardLayout(text, self._terms, columns, aside=aside)
        return self._layouts[key]

    def _draw_grade(
        self, painter: QPainter, corner: QPointF, theme: Theme, facts: CardFacts
    ) -> None:
        style, height = self._style(facts, theme), chip_height()
        top = corner.y() + (title_height() - height) // 2
        chip = QRectF(corner.x(), top, self.columns.card.chip_width, height)
        if facts.assumed is None:
            draw_chip(painter, chip, theme, style)
            return
        draw_assumed_chip(painter, chip, theme, style)
        word = QRectF(chip.left() - 4, chip.bottom() + scaled(2), chip.width() + 8, 0)
        word.setHeight(snippet_height())
        draw_text(painter, word, "assumed", role=Role.SMALL, colour=theme.text3, align=CENTRE)

    def _draw_rank(self, painter: QPainter, rect: QRectF, theme: Theme, facts: CardFacts) -> None:
        """Paint a card's rank, and how far it has moved."""
        columns, word = self.columns, facts.movement
        line = QRectF(rect.left(), rect.top() + card_top(), columns.card.rank_right, title_height())
        rank = "" if facts.rank is None else str(facts.rank)
        draw_text(painter, line, rank, role=Role.META, colour=theme.text2, align=RIGHT)
        if word:
            inks = {"↑": theme.good, "n": theme.accent, "g": theme.bad}
            line.setLeft(rect.left() + columns.moved)
            line.setRight(rect.left() + columns.card.chip)
            ink = inks.get(word[0], theme.text3)
            draw_text(painter, line, word, role=Role.META, colour=ink, align=LEFT)

    def _paint_gone_head(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        rows, columns = self.rows, self.columns
        top = rows.n_order * rows.height - scroll
        rect = QRectF(columns.cards, top, columns.width - columns.cards, rows.head)
        painter.fillRect(rect, theme.panel)
        draw_line(painter, rect, theme.line)
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        text = f"Gone: {rows.n_gone} taken out of the ranking"
        draw_text(painter, inner, text, role=Role.META_STRONG, colour=theme.text2, align=LEFT)

    def _paint_cutoffs(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        columns = self.columns
        for cutoff in self.cutoffs:
            if cutoff > self.rows.n_order:
                continue
            y = cutoff * self.rows.height - scroll
            line = QRectF(columns.cards, y - 1, columns.width - columns.cards, 1)
            painter.fillRect(line, theme.line_strong)
            text = f"@{cutoff}"
            width, height = cutoff_tab_size(text)
            left = columns.cards + columns.card.chip + (columns.card.chip_width - width) // 2
            tab = QRectF(left, y - 0.5 - height // 2, width, height)
            draw_frame(painter, tab, radius=4, border=theme.line_strong, ground=theme.base)
            draw_text(painter, tab, text, role=Role.SMALL, colour=theme.text2, align=CENTRE)

    # The card in the hand

    def _paint_slot(self, painter: QPainter, theme: Theme, carry: Carry, scroll: int) -> None:
        slot = self.card_rect(self.row_of(carry.document), scroll)
        painter.fillRect(slot, theme.sunken)
        painter.fillRect(QRectF(slot.left(), slot.top() - 1, slot.width(), 2), theme.accent)
        with smooth(painter):
            at = QPointF(slot.left() + 4.5, slot.top())
            draw_slope_end(painter, at, theme.accent, ground=theme.base)

    def _paint_hand(self, painter: QPainter, theme: Theme, carry: Carry, scroll: int) -> None:
        """Paint the card in the hand with its flat shadow."""
        whole, facts, columns = self.hand_rect(scroll), self.facts(carry.document), self.columns
        shorter = columns.width - columns.cards - (whole.width() - _SHADOW[0])
        right = columns.card.text_right - shorter
        columns = replace(
            columns,
            card=replace(columns.card, text_right=right, title_right=right),
            handle=columns.handle - shorter,
        )

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

        key = (carry.document, facts.lasting, "hand", theme.name)
        clear = QColor(Qt.GlobalColor.transparent)
        self._kept.draw(painter, whole, key, paint=paint, ground=clear)
        self._draw_rank(painter, QRectF(whole), theme, facts)


def draw_assumed_chip(painter: QPainter, chip: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip that is only assumed: a dashed frame and no ground."""
    with smooth(painter):
        pen = QPen(style.ink, 1.2, Qt.PenStyle.DashLine)
        pen.setDashPattern([2.5, 2.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip.adjusted(0.6, 0.6, -0.6, -0.6), 5, 5)
    disc, inset = float(scaled(14)), scaled(6)
    top = round(chip.center().y() - disc / 2)
    draw_symbol(painter, QRectF(chip.left() + inset, top, disc, disc), style)
    digits = chip.adjusted(inset + disc + inset, 0, -inset, 0)
    draw_text(painter, digits, style.text, role=Role.UI_STRONG, colour=theme.text, align=CENTRE)
