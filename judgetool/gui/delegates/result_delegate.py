"""Paints a result card: rank, grade chip, title with marked terms, address, score, snippet."""

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.override import override
from judgetool.core.scale import scale_preset
from judgetool.gui.delegates.card_geometry import (
    GLYPH,
    TOP,
    CardColumns,
    card_columns,
    cutoff_tab_size,
    head_height,
    title_height,
)
from judgetool.gui.delegates.card_layout import CardLayout
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.grade_painting import chip_height, chip_width, draw_chip_cached
from judgetool.gui.grade_style import judgment_style, scale_styles
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.result_model import Index, ResultModel
from judgetool.gui.models.result_order import Mark, ResultRow
from judgetool.gui.number_text import MINUS, UNDEFINED
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

NOT_IN_RUN = "Not in this run"


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
    return text.replace("-", MINUS)


class ResultDelegate(QStyledItemDelegate):
    """Paints cards; the list keeps its switches in line.

    Attributes:
        has_keyboard: whether the list has the keyboard.
        is_highlighted: whether query terms are marked.
        shows_scores: whether scores are painted.
    """

    def __init__(self, model: ResultModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._layouts: dict[int, CardLayout] = {}
        self._columns: CardColumns | None = None
        self._width = 0
        self.has_keyboard = False
        self.is_highlighted = True
        self.shows_scores = True

    def forget(self) -> None:
        """Lay everything out anew: rows, width, fonts or switches have changed."""
        self._layouts.clear()
        self._columns = None

    def columns(self, width: int) -> CardColumns:
        """Return where the parts of a card stand at a width of the viewport."""
        if self._columns is None or width != self._width:
            self._layouts.clear()
            self._width = width
            self._columns = self._measure(width)
        return self._columns

    def _measure(self, width: int) -> CardColumns:
        rows, session = self._model.rows, self._model.session
        scores = [row.score for row in rows if row.score is not None] if self.shows_scores else []
        ends = [format_score(score) for score in (min(scores), max(scores))] if scores else [""]
        scale = session.scale if session is not None else scale_preset("0-3")
        return card_columns(
            width,
            n_ranks=max((row.rank or 0 for row in rows), default=0),
            chip_width=chip_width(scale_styles(scale, current_theme())),
            score_width=max(text_width(Role.META, end) for end in ends),
        )

    def card_rect(self, rect: QRectF, place: int) -> QRectF:
        """Return the card's part of a row; the first lacking one has a head above it."""
        if place == self._model.first_lacking:
            return rect.adjusted(0, head_height(), 0, 0)
        return rect

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, place = current_theme(), index.row()
        row = self._model.rows[place]
        whole, direction = QRectF(option.rect), option.direction
        card = self.card_rect(whole, place)
        painter.save()
        painter.setClipRect(whole)
        state = option.state & ~QStyle.StateFlag.State_Active
        if self.has_keyboard:
            state |= QStyle.StateFlag.State_Active
        draw_row_ground(painter, card, theme, state=state, direction=direction)
        brush = _CardBrush(painter, card, direction, theme)
        self._paint_card(brush, row, place)
        if card.top() > whole.top():
            head = QRectF(whole.left(), whole.top(), whole.width(), card.top() - whole.top())
            self._paint_head(painter, head, theme, direction)
        self._paint_lines(brush, whole, place)
        painter.restore()

    def _paint_card(self, brush: "_CardBrush", row: ResultRow, place: int) -> None:
        columns, theme = self.columns(int(brush.card.width())), brush.theme
        line = title_height()
        rank = UNDEFINED if row.rank is None else str(row.rank)
        brush.text(rank, 0, columns.rank_right, role=Role.META, at_end=True)
        self._paint_chip(brush, columns, self._model.mark(row.document))
        if columns.score_width and row.score is not None:
            left = columns.text_right - columns.score_width - 1
            score = format_score(row.score)
            brush.text(score, left, columns.text_right, role=Role.META, at_end=True)
        layout = self._layouts.get(place)
        if layout is None:
            layout = CardLayout(self._model.text(place), self._model.terms, columns)
            self._layouts[place] = layout
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

    def _paint_chip(self, brush: "_CardBrush", columns: CardColumns, mark: Mark) -> None:
        session = self._model.session
        if session is None:
            return
        theme = brush.theme
        style = judgment_style(session.scale, mark.state, mark.grade, theme)
        height = chip_height()
        top = scaled(TOP) + (title_height() - height) // 2
        chip = brush.place(columns.chip, columns.chip + columns.chip_width, top, height)
        draw_chip_cached(brush.painter, chip, theme, style)
        glyphs = []
        if mark.is_flagged:
            glyphs.append(("flag", theme.warn))
        if mark.has_note:
            glyphs.append(("sticky-note", theme.text3))
        left = columns.chip + scaled(6)
        for name, ink in glyphs:
            square = brush.place(left, left + GLYPH, top + height + scaled(7), GLYPH)
            draw_icon(brush.painter, square, name=name, colour=ink, px=GLYPH)
            left += GLYPH + scaled(4)

    def _paint_head(
        self, painter: QPainter, rect: QRectF, theme: Theme, direction: Qt.LayoutDirection
    ) -> None:
        painter.fillRect(rect, theme.panel)
        draw_line(painter, rect, theme.line)
        is_left = direction is Qt.LayoutDirection.LeftToRight
        place = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        draw_text(
            painter,
            place,
            NOT_IN_RUN,
            role=Role.META_STRONG,
            colour=theme.text2,
            align=LEFT if is_left else RIGHT,
        )

    def _paint_lines(self, brush: "_CardBrush", whole: QRectF, place: int) -> None:
        """Paint the separator, and the cutoffs' lines with their tabs over the boundary."""
        theme, cutoffs = brush.theme, self._model.cutoffs
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
        place = self.place(left, right, scaled(TOP), title_height())
        align = RIGHT if is_right else LEFT
        draw_text(self.painter, place, text, role=role, colour=self.theme.text3, align=align)
