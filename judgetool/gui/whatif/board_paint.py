"""Paints the what-if board: the imported order, the lines, the cards, the card in the hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from judgetool.core.excerpts import one_line
from judgetool.core.scale import Scale, scale_preset
from judgetool.core.terms import QueryTerms
from judgetool.gui.delegates.card_geometry import cutoff_tab_size
from judgetool.gui.delegates.kept_pixmaps import KeptPixmaps
from judgetool.gui.delegates.marked_line import MarkedLine
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, chip_width, scale_styles
from judgetool.gui.models.card_texts import CardTexts
from judgetool.gui.painting import (
    CENTRE,
    EDGE_WIDTH,
    LEFT,
    draw_frame,
    draw_line,
    draw_row_focus,
    draw_text,
    smooth,
)
from judgetool.gui.theme import Theme, mixed
from judgetool.gui.whatif.card_face import (
    PUT_BACK,
    CardFacts,
    CardTextLayout,
    Columns,
    Rows,
    board_columns,
    draw_card,
    draw_imported,
    draw_place,
    imported_text_left,
    row_height,
    style_of,
)
from judgetool.gui.whatif.desk import Desk
from judgetool.gui.widgets.slope_lines import STRONG, draw_slope, draw_slope_end
from judgetool.session.comparing.trial import ranks_of

_MOST_KEPT = 128
_MOST_TITLE = 200
# A card in the hand is narrower than its row, so that the slot shows around it.
HAND_INSET = 44
HAND_OUTSET = 52
SHADOW = (4, 5)
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


class BoardScene:
    """What is painted, and how; the board keeps it in step.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        rows: where rows stand.
        columns: where columns stand.
        carry: the card in the hand, or ``None``.
        current: the current document, or ``None``.
        has_keyboard: whether the board has the keyboard.
        cutoffs: ranks after which chosen measures cut.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.order: Sequence[int] = ()
        self.rows = Rows()
        self.columns: Columns = board_columns(900, n_ranks=10, chip_width=40)
        self.carry: Carry | None = None
        self.current: int | None = None
        self.has_keyboard = False
        self.cutoffs: tuple[int, ...] = ()
        self._terms = QueryTerms()
        self._texts: CardTexts | None = None
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}
        self.forget()

    # What the board says

    def forget(self) -> None:
        """Lay everything out anew: width, fonts, theme or query have changed."""
        self._kept = KeptPixmaps(_MOST_KEPT)
        self._layouts: dict[tuple[int, str, int], CardTextLayout] = {}

    def show_query(self) -> None:
        """Take the texts of another query."""
        session, query = self._desk.session, self._desk.query
        self._texts = None
        if session is not None and query is not None:
            self._terms = QueryTerms.parse(session.material.queries[query].text)
            self._texts = CardTexts(session.material, self._terms)
        self.forget()

    def set_width(self, width: int, theme: Theme) -> None:
        """Place the columns for a width of the view."""
        orders = self._desk.orders
        styles = scale_styles(self.scale, theme)
        columns = board_columns(
            width,
            n_ranks=max(len(orders.order), len(orders.imported), 10),
            chip_width=chip_width(styles),
        )
        if columns != self.columns:
            self.columns = columns
            self.forget()

    def set_order(self, order: Sequence[int]) -> None:
        """Show an order."""
        orders = self._desk.orders
        self.order = order
        self._ranks = ranks_of(order)
        gone = len(orders.gone)
        self.rows = Rows(len(orders.imported), len(order), gone, row_height())

    def set_compared(self) -> None:
        """Take anew what movements are measured against."""
        trial = self._desk.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())

    @property
    def scale(self) -> Scale:
        """The project's scale."""
        session = self._desk.session
        return session.scale if session is not None else scale_preset("0-3")

    def document_at(self, row: int) -> int | None:
        """Return the document of a row on the right, or ``None``."""
        if 0 <= row < len(self.order):
            return self.order[row]
        at = row - len(self.order)
        gone = self._desk.orders.gone
        return gone[at] if 0 <= at < len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document on the right; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        gone = self._desk.orders.gone
        return len(self.order) + gone.index(document) if document in gone else -1

    def facts(self, document: int) -> CardFacts:
        """Return what the card of a document says."""
        orders, rank = self._desk.orders, self._ranks.get(document)
        compared = self._compared
        was = orders.was.get(document) if compared is None else compared.get(document)
        return CardFacts(
            rank,
            was,
            None if was is None or rank is None else was - rank,
            self._desk.mark(document),
            self._desk.assumed_grade(document),
            document in orders.pinned,
        )


class BoardPainter(BoardScene):
    """Paints what the scene holds."""

    def paint(self, painter: QPainter, dirty: QRect, theme: Theme, *, scroll: int) -> None:
        """Paint what a region of the view needs; ``scroll`` is the top of the view."""
        columns, rows = self.columns, self.rows
        first = max(0, (dirty.top() + scroll) // rows.height - 1)
        last = (dirty.bottom() + scroll) // rows.height + 1
        painter.fillRect(dirty, theme.base)
        beside = dirty.intersected(QRect(0, dirty.top(), columns.cards, dirty.height()))
        if not beside.isEmpty():
            painter.fillRect(beside, theme.panel)
            self._paint_imported(painter, theme, first, last, scroll)
            self._paint_lines(painter, theme, first, last, scroll)
        self._paint_cards(painter, theme, first, last, scroll)
        painter.fillRect(QRect(columns.cards - 1, dirty.top(), 1, dirty.height()), theme.line)
        self._paint_cutoffs(painter, theme, scroll)
        if self.carry is not None:
            self._paint_slot(painter, theme, scroll)
            self._paint_hand(painter, theme, scroll)

    def _paint_imported(
        self, painter: QPainter, theme: Theme, first: int, last: int, scroll: int
    ) -> None:
        orders, height = self._desk.orders, self.rows.height
        carried = self.carry.document if self.carry is not None else None
        for place in range(first, min(last + 1, len(orders.imported))):
            document = orders.imported[place]
            rect = QRect(0, place * height - scroll, self.columns.left, height)
            style = style_of(self.scale, self.facts(document), theme)
            is_in_hand = document == carried
            self._kept.draw(
                painter,
                rect,
                (document, "imported", style, is_in_hand, theme.name),
                paint=partial(
                    self._paint_imported_row,
                    theme=theme,
                    document=document,
                    style=style,
                    is_in_hand=is_in_hand,
                ),
                ground=theme.panel,
            )

    def _paint_imported_row(
        self,
        painter: QPainter,
        rect: QRectF,
        *,
        theme: Theme,
        document: int,
        style: GradeStyle,
        is_in_hand: bool,
    ) -> None:
        orders = self._desk.orders
        digits = max(text_width(Role.META, "00"), text_width(Role.META, str(len(orders.imported))))
        room = self.columns.left - imported_text_left(digits) - scaled(10)
        text = self._texts.text(document).title if self._texts else ""
        draw_imported(
            painter,
            rect,
            theme,
            rank=orders.was[document],
            title=MarkedLine(one_line(text, most=_MOST_TITLE), role=Role.UI, room=max(1, room)),
            style=style,
            digits=digits,
            is_in_hand=is_in_hand,
        )
        draw_line(painter, rect, theme.line)

    def _paint_lines(
        self, painter: QPainter, theme: Theme, first: int, last: int, scroll: int
    ) -> None:
        orders = self._desk.orders
        seen = dict.fromkeys(orders.imported[first : last + 1])
        seen |= dict.fromkeys(self.order[first : last + 1])
        carried = self.carry.document if self.carry is not None else None
        with smooth(painter):
            for document in seen:
                if document != carried and document in self._ranks and document in orders.was:
                    self._paint_slope(painter, theme, document, scroll)
            if carried is not None and carried in orders.was:
                self._paint_slope(painter, theme, carried, scroll)

    def _paint_slope(self, painter: QPainter, theme: Theme, document: int, scroll: int) -> None:
        orders, height = self._desk.orders, self.rows.height
        start = QPointF(self.columns.left, (orders.was[document] - 0.5) * height - scroll)
        end = QPointF(self.columns.cards - 1, (self._ranks[document] - 0.5) * height - scroll)
        if self.carry is not None and document == self.carry.document:
            draw_slope(painter, start, end, theme.accent, width=STRONG)
            return
        ink = style_of(self.scale, self.facts(document), theme).ink
        if start.y() == end.y():
            ink = mixed(theme.panel, ink, _STILL_SHARE)
        draw_slope(painter, start, end, ink)

    def _paint_cards(
        self, painter: QPainter, theme: Theme, first: int, last: int, scroll: int
    ) -> None:
        rows = self.rows
        for row in range(max(0, first), min(last + 1, rows.n_rows)):
            document = self.document_at(row)
            if document is None:
                continue
            if row == rows.n_order:
                self._paint_gone_head(painter, theme, scroll)
            rect = self.card_rect(row, scroll)
            if self.carry is not None and document == self.carry.document:
                continue
            self._paint_card(painter, theme, document, rect)

    def card_rect(self, row: int, scroll: int) -> QRect:
        """Return where the card of a row stands in the view."""
        columns = self.columns
        top = self.rows.top(row) - scroll
        return QRect(columns.cards, top, columns.width - columns.cards, self.rows.height)

    def _paint_card(self, painter: QPainter, theme: Theme, document: int, rect: QRect) -> None:
        facts = self.facts(document)
        is_current = document == self.current and self.carry is None
        ground = theme.base
        if is_current:
            ground = theme.selected if self.has_keyboard else theme.selected_unfocused
        elif facts.rank is None:
            ground = theme.panel
        key = (document, facts.lasting, is_current, self.has_keyboard, theme.name)

        def paint(inner: QPainter, whole: QRectF) -> None:
            layout = self._layout(document, facts, self.columns)
            draw_card(
                inner,
                whole,
                theme,
                columns=self.columns,
                facts=facts,
                scale=self.scale,
                text=layout,
            )
            if is_current:
                inner.fillRect(QRectF(0, 0, EDGE_WIDTH, whole.height()), theme.accent)
            if is_current and self.has_keyboard:
                draw_row_focus(inner, whole, theme)
            if facts.rank is None:
                self._paint_put_back(inner, whole, theme)
            draw_line(inner, whole, theme.line)

        self._kept.draw(painter, rect, key, paint=paint, ground=ground)
        draw_place(painter, QRectF(rect), theme, columns=self.columns, facts=facts)

    def _layout(self, document: int, facts: CardFacts, columns: Columns) -> CardTextLayout:
        aside = f"was {facts.was}" if facts.was else ""
        room = columns.text_right - columns.text
        if facts.rank is None:
            room -= text_width(Role.UI, PUT_BACK) + scaled(8)
        key = (document, aside, room)
        if key not in self._layouts:
            assert self._texts is not None
            text = self._texts.text(document)
            self._layouts[key] = CardTextLayout(text, self._terms, room=room, aside=aside)
        return self._layouts[key]

    def put_back_rect(self, rect: QRectF) -> QRectF:
        """Return where a card that was taken out offers to come back."""
        width = text_width(Role.UI, PUT_BACK) + scaled(16)
        return QRectF(rect.right() - width - scaled(6), rect.top(), width, rect.height())

    def _paint_put_back(self, painter: QPainter, rect: QRectF, theme: Theme) -> None:
        place = self.put_back_rect(rect)
        draw_text(painter, place, PUT_BACK, role=Role.UI, colour=theme.link, align=CENTRE)

    def _paint_gone_head(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        rows, columns = self.rows, self.columns
        top = rows.n_order * rows.height - scroll
        rect = QRectF(columns.cards, top, columns.width - columns.cards, rows.head)
        painter.fillRect(rect, theme.panel)
        draw_line(painter, rect, theme.line)
        n = rows.n_gone
        text = f"Gone: {n} taken out of the ranking"
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        draw_text(painter, inner, text, role=Role.META_STRONG, colour=theme.text2, align=LEFT)

    def _paint_cutoffs(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        rows, columns = self.rows, self.columns
        for cutoff in self.cutoffs:
            if cutoff >= rows.n_order and cutoff != rows.n_order:
                continue
            y = cutoff * rows.height - scroll
            line = QRectF(columns.cards, y - 1, columns.width - columns.cards, 1)
            painter.fillRect(line, theme.line_strong)
            text = f"@{cutoff}"
            width, height = cutoff_tab_size(text)
            left = columns.cards + columns.chip + (columns.chip_width - width) // 2
            tab = QRectF(left, y - 0.5 - height // 2, width, height)
            draw_frame(painter, tab, radius=4, border=theme.line_strong, ground=theme.base)
            draw_text(painter, tab, text, role=Role.SMALL, colour=theme.text2, align=CENTRE)

    # The card in the hand

    def _paint_slot(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        carry = self.carry
        if carry is None:
            return
        slot = self.card_rect(self.row_of(carry.document), scroll)
        painter.fillRect(slot, theme.sunken)
        line = QRectF(slot.left(), slot.top() - 1, slot.width(), 2)
        painter.fillRect(line, theme.accent)
        with smooth(painter):
            at = QPointF(slot.left() + 4.5, slot.top())
            draw_slope_end(painter, at, theme.accent, ground=theme.base)

    def hand_rect(self, scroll: int) -> QRect:
        """Return where the card in the hand is, shadow included; empty without one."""
        carry = self.carry
        if carry is None:
            return QRect()
        slot = self.card_rect(self.row_of(carry.document), scroll)
        width = max(scaled(220), slot.width() - scaled(HAND_INSET + HAND_OUTSET))
        left, top = slot.left() + scaled(HAND_INSET), slot.top() + scaled(6)
        if carry.pointer is not None and carry.grip is not None:
            top = round(carry.pointer.y() - carry.grip.y())
            shift = round(carry.pointer.x() - carry.grip.x() - slot.left())
            left += min(max(shift, -scaled(36)), scaled(48))
        return QRect(left, top, width + SHADOW[0], self.rows.height + SHADOW[1])

    def _paint_hand(self, painter: QPainter, theme: Theme, scroll: int) -> None:
        carry = self.carry
        whole = self.hand_rect(scroll)
        if carry is None or whole.isEmpty():
            return
        facts = self.facts(carry.document)
        shorter = self.columns.width - self.columns.cards - (whole.width() - SHADOW[0])
        columns = replace(
            self.columns,
            text_right=self.columns.text_right - shorter,
            handle=self.columns.handle - shorter,
        )
        self._kept.draw(
            painter,
            whole,
            (carry.document, facts.lasting, "hand", theme.name),
            paint=partial(
                self._paint_hand_card,
                theme=theme,
                document=carry.document,
                facts=facts,
                columns=columns,
            ),
            ground=QColor(Qt.GlobalColor.transparent),
        )
        draw_place(painter, QRectF(whole), theme, columns=columns, facts=facts)

    def _paint_hand_card(
        self,
        painter: QPainter,
        whole: QRectF,
        *,
        theme: Theme,
        document: int,
        facts: CardFacts,
        columns: Columns,
    ) -> None:
        """Paint the card in the hand with its flat shadow."""
        rect = whole.adjusted(0, 0, -SHADOW[0], -SHADOW[1])
        shadow = theme.scrim.toRgb()
        shadow.setAlphaF(_SHADOW_SHARE)
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shadow)
            painter.drawRoundedRect(rect.translated(*SHADOW), 7, 7)
            painter.setPen(QPen(theme.accent, 1.5))
            painter.setBrush(theme.selected)
            painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 7, 7)
        draw_card(
            painter,
            rect,
            theme,
            columns=columns,
            facts=facts,
            scale=self.scale,
            text=self._layout(document, facts, columns),
        )
