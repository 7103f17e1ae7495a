"""The two orders of the what-if view as rows: what they say, and how they are painted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
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
from judgetool.gui.widgets.rows import LineModel, ListTable
from judgetool.gui.widgets.small_charts import STRONG, draw_slope, draw_slope_end
from judgetool.session.comparing.baseline import move_sign, ranks_of

PUT_BACK = "Put back"
_LINES, _NARROW_LINES, _LEFT, _NARROW = 116, 56, 270, 640
_DISC, _GLYPH = 15, 13
_MOST_KEPT = 128
_MOST_TITLE = 200
# A card in the hand is narrower than its row, so that the slot shows around it.
_HAND_INSET, _HAND_OUTSET = 44, 52
_SHADOW = (4, 5)
_SHADOW_SHARE = 0.14
_STILL_SHARE = 0.45
_SAID = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
Index = QModelIndex | QPersistentModelIndex


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


class CardFacts(NamedTuple):
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
    def movement(self) -> str:
        """The movement as shown: ``↑3``, ``↓1``, ``new``, ``gone``, ``""`` for none."""
        return move_sign(self.was, self.rank)


class OrdersModel(LineModel):
    """Rows of the view: the order as it is shown, then what was taken out.

    Attributes:
        order: documents as shown, the one in the hand where it would land.
        gone: documents that were taken out.
        carry: the card in the hand, or ``None``.
        names: of the left order, of the right one, and how much was done to it.
    """

    def __init__(self, ranking: WorkedRanking, parent: ListTable) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.order: Sequence[int] = ()
        self.gone: Sequence[int] = ()
        self.carry: Carry | None = None
        self.names = ("", "", "")
        self._ranks: Mapping[int, int] = {}
        self._compared: Mapping[int, int] | None = {}

    def renew(self) -> None:
        """Take anew what the ranking has, and what movements are measured against."""
        self.beginResetModel()
        trial = self._ranking.trial
        compared = trial.baseline_order if trial is not None else None
        self._compared = None if compared is None else ranks_of(compared.tolist())
        self.gone = self._ranking.orders.gone
        self._place(self._ranking.orders.order)
        self.endResetModel()

    def set_order(self, order: Sequence[int]) -> None:
        """Show the same documents in another order."""
        self._place(order)
        self.dataChanged.emit(self.index(0), self.index(self.n_lines() - 1))

    def _place(self, order: Sequence[int]) -> None:
        self.order, self._ranks = order, ranks_of(order)

    def document_at(self, row: int) -> int | None:
        """Return the document of a row, or ``None``."""
        n, gone = len(self.order), self.gone
        return (self.order[row] if row < n else gone[row - n]) if 0 <= row < n + len(gone) else None

    def row_of(self, document: int | None) -> int:
        """Return the row of a document; -1 for none."""
        if document is None:
            return -1
        if document in self._ranks:
            return self._ranks[document] - 1
        return len(self.order) + self.gone.index(document) if document in self.gone else -1

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

    @override
    def n_lines(self) -> int:
        """Return how many documents there are, those taken out included."""
        return len(self.order) + len(self.gone)

    @override
    def told(self, place: int, role: int) -> str | None:
        """Return a card as a reader says it."""
        document = self.document_at(place)
        if role not in _SAID or document is None:
            return None
        facts = self.facts(document)
        grade = facts.mark.grade if facts.assumed is None else facts.assumed
        parts = (
            "in the hand" if self.carry and self.carry.document == document else "",
            "taken out" if facts.rank is None else f"rank {facts.rank}",
            f"was {facts.was}" if facts.was and facts.was != facts.rank else "",
            self._ranking.title(document),
            "not judged" if grade is None else f"grade {grade:g}",
            "assumed" if facts.assumed is not None else "",
            "pinned" if facts.is_pinned else "",
        )
        return ", ".join(filter(None, parts))

    @override
    def headerData(
        self, _section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return what the two orders are called."""
        is_asked = orientation is Qt.Orientation.Horizontal and role in _SAID
        return "{}; {}: {}".format(*self.names) if is_asked else None


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

    def narrowed(self, by: int) -> "OrderColumns":
        """Return columns whose cards end earlier, by so many px."""
        right = self.card.text_right - by
        card = replace(self.card, text_right=right, title_right=right)
        return replace(self, card=card, handle=self.handle - by)


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
            self._terms = QueryTerms.parse(session.material.queries[query].text)
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
        return QRect(columns.cards, self._top(row), columns.width - columns.cards, height)

    def _top(self, row: int) -> int:
        return self._view.rowViewportPosition(row) + self._view.rowHeight(row) - card_height()

    def put_back_rect(self, rect: QRectF) -> QRectF:
        """Return where a card that was taken out offers to come back."""
        width = text_width(Role.UI, PUT_BACK) + scaled(16)
        return QRectF(rect.right() - width - scaled(6), rect.top(), width, rect.height())

    def hand_rect(self) -> QRect:
        """Return where the card in the hand is, shadow included; empty without one."""
        carry = self._model.carry
        if carry is None:
            return QRect()
        slot = self.card_rect(self._model.row_of(carry.document))
        width = max(scaled(220), slot.width() - scaled(_HAND_INSET + _HAND_OUTSET))
        left, top = slot.left() + scaled(_HAND_INSET), slot.top() + scaled(6)
        if carry.pointer is not None and carry.grip is not None:
            top = round(carry.pointer.y() - carry.grip.y())
            shift = round(carry.pointer.x() - carry.grip.x() - slot.left())
            left += min(max(shift, -scaled(36)), scaled(48))
        return QRect(left, top, width + _SHADOW[0], slot.height() + _SHADOW[1])

    # A row

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, row, whole = current_theme(), index.row(), option.rect
        columns, card = self.columns, self.card_rect(row)
        painter.fillRect(QRect(0, whole.top(), columns.cards, whole.height()), theme.panel)
        if row < len(self._ranking.orders.imported):
            place = QRect(0, card.top(), columns.left, card.height())
            self._paint_imported(painter, theme, row, place)
        if card.top() > whole.top():
            place = QRect(card.left(), whole.top(), card.width(), card.top() - whole.top())
            self._paint_gone_head(painter, theme, QRectF(place))
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
        """Paint one row of the imported order: rank, disc, title on one line."""
        orders, carry = self._ranking.orders, self._model.carry
        document = orders.imported[row]
        style, rank = self._style(self._model.facts(document), theme), str(orders.was[document])
        is_in_hand = carry is not None and document == carry.document

        def paint(inner: QPainter, rect: QRectF) -> None:
            n_imported = str(len(orders.imported))
            digits = max(text_width(Role.META, "00"), text_width(Role.META, n_imported))
            number = QRectF(scaled(12), rect.top(), digits, rect.height())
            ink = theme.accent if is_in_hand else theme.text2
            draw_text(inner, number, rank, role=Role.META, colour=ink, align=RIGHT)
            disc, left = float(scaled(_DISC)), number.right() + scaled(10)
            at = QRectF(left, round(rect.center().y() - disc / 2), disc, disc)
            draw_symbol(inner, at, style)
            face, left = metrics(Role.UI), at.right() + scaled(9)
            text = one_line(
                self._texts.text(document).title if self._texts else "", most=_MOST_TITLE
            )
            room = max(1, round(rect.right() - left - scaled(10)))
            title = MarkedLine(text, role=Role.UI, room=room)
            baseline = round(rect.center().y() + (face.ascent() - face.descent()) / 2)
            title.draw(inner, left, baseline, colour=theme.accent if is_in_hand else theme.text)
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
                inner.fillRect(QRectF(0, 0, EDGE_WIDTH, whole.height()), theme.accent)
            if has_keyboard:
                draw_row_focus(inner, whole, theme)
            if facts.rank is None:
                at = self.put_back_rect(whole)
                draw_text(inner, at, PUT_BACK, role=Role.UI, colour=theme.link, align=CENTRE)
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
        _draw_assumed_chip(painter, chip, theme, style)
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

    def _paint_gone_head(self, painter: QPainter, theme: Theme, rect: QRectF) -> None:
        painter.fillRect(rect, theme.panel)
        draw_line(painter, rect, theme.line)
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        text = f"Gone: {len(self._model.gone)} taken out of the ranking"
        draw_text(painter, inner, text, role=Role.META_STRONG, colour=theme.text2, align=LEFT)

    # What lies over the rows

    def paint_over(self, painter: QPainter) -> None:
        """Paint the ground beneath the left order, lines, cutoffs, and the card in the hand."""
        theme, columns, carry = current_theme(), self.columns, self._model.carry
        height, n_rows = self._view.viewport().height(), self._model.n_lines()
        end = self.card_rect(n_rows - 1).bottom() + 1 if n_rows else 0
        painter.fillRect(QRect(0, end, columns.cards, max(0, height - end)), theme.panel)
        with smooth(painter):
            for document in self._seen():
                self._paint_line(painter, theme, document, columns)
        painter.fillRect(QRect(columns.cards - 1, 0, 1, height), theme.line)
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
        start = QPointF(columns.left, self._top(was - 1) + half)
        end = QPointF(columns.cards - 1, self._top(rank - 1) + half)
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
        draw_frame(painter, tab, radius=4, border=theme.line_strong, ground=theme.base)
        draw_text(painter, tab, text, role=Role.SMALL, colour=theme.text2, align=CENTRE)

    def _paint_slot(self, painter: QPainter, theme: Theme, carry: Carry) -> None:
        slot = self.card_rect(self._model.row_of(carry.document))
        painter.fillRect(slot, theme.sunken)
        painter.fillRect(QRectF(slot.left(), slot.top() - 1, slot.width(), 2), theme.accent)
        with smooth(painter):
            at = QPointF(slot.left() + 4.5, slot.top())
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
        self._draw_rank(painter, QRectF(whole), theme, facts)


def _lasting(facts: CardFacts) -> tuple[object, ...]:
    """Return what of a card stays while ranks change."""
    return (facts.rank is None, *facts[1:])


def _draw_assumed_chip(painter: QPainter, chip: QRectF, theme: Theme, style: GradeStyle) -> None:
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
