"""Paints a row of the query list: progress ring, id, text, flag, count and value."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.override import override
from judgetool.gui.delegates.card_layout import MarkedLine, split_line
from judgetool.gui.fonts import (
    Role,
    current_density,
    icon_side,
    line_height,
    metrics,
    scaled,
    text_width,
)
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.query_model import VALUE_DIGITS, GroupRow, QueryModel, QueryRow
from judgetool.gui.painting import (
    LEFT,
    RIGHT,
    draw_ring,
    draw_row_ground,
    draw_text,
    format_count,
    format_value,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.gui.widgets.rows import Index
from judgetool.wording import _

INSET = 12
_RING = 12
_GAP = 7
_ICON = 14
_MOST_ID_SHARE = 0.18
_MOST_KEPT = 160


def row_height(*, n_lines: int = 1) -> int:
    """Return the height of a query's row: 24, 28 or 34 px at a 13 px font, as is chosen.

    Args:
        n_lines: of the text; each but the first adds its own height.
    """
    least = max(scaled(current_density().row), round(metrics(Role.UI).height() * 1.2))
    return least + (n_lines - 1) * line_height(Role.UI)


def group_height() -> int:
    """Return the height of a group's head."""
    return max(scaled(26), line_height(Role.META) + 4)


@dataclass(frozen=True, slots=True)
class QueryColumns:
    """Where the parts of a row stand, left to right, for one width of the list.

    Attributes:
        ring: left edge of the progress ring.
        id_right: right edge of the ids.
        text: left edge of the texts.
        count_right: right edge of ``7/11``.
        value_right: right edge of the values.
        id_width: room of the ids, 0 where they are shown as texts.
        value_width: room of the values, 0 where there are none.
    """

    ring: int
    id_right: int
    text: int
    count_right: int
    value_right: int
    id_width: int
    value_width: int


def query_columns(width: int, *, longest_id: str, has_values: bool) -> QueryColumns:
    """Return where the parts of a row stand.

    Args:
        width: of the list's viewport.
        longest_id: ids get as much room as it needs; ``""`` for none. Ids that would
            take more than a fifth of the list are left out until the list is wider.
        has_values: whether room is kept for values.
    """
    ring = scaled(INSET)
    id_width = text_width(Role.META, longest_id) if longest_id else 0
    if id_width > _MOST_ID_SHARE * width:
        id_width = 0
    id_left = ring + scaled(_RING) + scaled(_GAP)
    value_right = width - scaled(INSET)
    value_width = text_width(Role.UI, "0." + "0" * VALUE_DIGITS) if has_values else 0
    count_right = value_right - value_width - (scaled(8) if value_width else 0)
    text = id_left + id_width + (scaled(_GAP) if id_width else 0)
    return QueryColumns(
        ring, id_left + id_width, text, count_right, value_right, id_width, value_width
    )


class QueryDelegate(QStyledItemDelegate):
    """Paints queries and heads of groups.

    Attributes:
        columns: where the parts of a row stand; the list sets them on every resize.
        current: number of the current query, ``None`` for none.
        has_keyboard: whether the list has the keyboard.
        n_lines: on how many lines texts stand, 1 or 2.
    """

    def __init__(self, model: QueryModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.columns = query_columns(264, longest_id="", has_values=False)
        self.current: int | None = None
        self.has_keyboard = False
        self.n_lines = 1
        self._kept = KeptPixmaps(_MOST_KEPT)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        row = self._model.row(index.row())
        is_current = isinstance(row, QueryRow) and row.query == self.current
        look = _RowLook(
            current_theme(),
            option.direction,
            self._state(option.state, is_current=is_current),
            has_cursor=bool(option.state & QStyle.StateFlag.State_HasFocus),
        )
        self._kept.draw(
            painter,
            option.rect,
            (row, self.columns, look, self.n_lines),
            paint=lambda inner, rect: self._paint_row(inner, rect, row, look),
            ground=look.theme.panel,
        )

    def forget(self) -> None:
        """Paint every row anew: fonts have changed."""
        self._kept.clear()

    def _paint_row(
        self, painter: QPainter, rect: QRectF, row: QueryRow | GroupRow, look: "_RowLook"
    ) -> None:
        draw_row_ground(painter, rect, look.theme, state=look.state, direction=look.direction)
        brush = _RowBrush(painter, rect, look.direction, look.theme)
        if isinstance(row, GroupRow):
            self._paint_group(brush, row, has_cursor=look.has_cursor)
        else:
            self._paint_query(brush, row)

    def _state(self, state: QStyle.StateFlag, *, is_current: bool) -> QStyle.StateFlag:
        kept = state & QStyle.StateFlag.State_MouseOver
        if is_current:
            kept |= QStyle.StateFlag.State_Selected
        if self.has_keyboard:
            kept |= QStyle.StateFlag.State_Active
        return kept

    def _paint_group(self, brush: "_RowBrush", row: GroupRow, *, has_cursor: bool) -> None:
        theme, columns = brush.theme, self.columns
        if has_cursor and self.has_keyboard:
            brush.painter.fillRect(brush.rect, theme.hover)
        name = "chevron-down"
        if row.is_folded:
            is_left = brush.direction is Qt.LayoutDirection.LeftToRight
            name = "chevron-right" if is_left else "chevron-left"
        side = icon_side(_ICON)
        top = brush.rect.height() / 2 - side / 2
        ink = theme.text2 if has_cursor else theme.text3
        square = brush.place(columns.ring - 1, columns.ring - 1 + side, top, side)
        draw_icon(brush.painter, square, name=name, colour=ink, px=side)
        left = columns.ring + side + scaled(4)
        width = text_width(Role.META_STRONG, _(row.group.value)) + 1
        brush.text(_(row.group.value), left, left + width, role=Role.META_STRONG, ink="text2")
        left += width + scaled(6)
        count = format_count(row.size) + (f" · {row.aside}" if row.aside else "")
        brush.text(count, left, columns.value_right, role=Role.META, ink="text3")

    def _paint_query(self, brush: "_RowBrush", row: QueryRow) -> None:
        columns, theme = self.columns, brush.theme
        side = scaled(_RING)
        top = (brush.rect.height() - side) // 2
        if row.total:
            square = brush.place(columns.ring, columns.ring + side, top, side)
            draw_ring(brush.painter, square, theme, share=row.judged / row.total)
        if columns.id_width and row.text != row.id:
            left = columns.id_right - columns.id_width
            brush.text(row.id, left, columns.id_right, role=Role.META, ink="text3", at_end=True)
        right = self._paint_end(brush, row)
        room = right - columns.text
        if room > scaled(16):
            texts = [row.text]
            if self.n_lines > 1:
                first, rest = split_line(row.text, role=Role.UI, room=room)
                texts = [first, rest] if rest else texts
            place = brush.place(columns.text, right, 0, brush.rect.height())
            height = line_height(Role.UI)
            baseline = brush.baseline(Role.UI) - (len(texts) - 1) * height / 2
            for number, text in enumerate(texts):
                line = MarkedLine(text, role=Role.UI, room=room)
                line.draw(
                    brush.painter,
                    place.left(),
                    round(baseline + number * height),
                    colour=theme.text,
                )

    def _paint_end(self, brush: "_RowBrush", row: QueryRow) -> int:
        """Paint flag, count and value; return where the text must stop."""
        columns, theme = self.columns, brush.theme
        if columns.value_width:
            value = format_value(row.value, digits=VALUE_DIGITS)
            left = columns.value_right - columns.value_width
            brush.text(value, left, columns.value_right, role=Role.UI, ink="text", at_end=True)
        right = columns.count_right
        if row.judged < row.total:
            count = f"{row.judged}/{row.total}"
            width = text_width(Role.META, count) + 1
            brush.text(count, right - width, right, role=Role.META, ink="text3", at_end=True)
            right -= width + scaled(6)
        if row.is_flagged:
            side = icon_side(_ICON)
            square = brush.place(right - side, right, (brush.rect.height() - side) / 2, side)
            draw_icon(brush.painter, square, name="flag", colour=theme.warn, px=side)
            right -= side + scaled(4)
        return right


@dataclass(frozen=True, slots=True)
class _RowLook:
    """What the look of a row depends on besides its content."""

    theme: Theme
    direction: Qt.LayoutDirection
    state: QStyle.StateFlag
    has_cursor: bool


class _RowBrush:
    """Paints into one row by left-to-right positions, mirrored where the layout is."""

    def __init__(
        self, painter: QPainter, rect: QRectF, direction: Qt.LayoutDirection, theme: Theme
    ) -> None:
        self.painter = painter
        self.rect = rect
        self.direction = direction
        self.theme = theme

    def place(self, left: float, right: float, top: float, height: float) -> QRectF:
        """Return where a part stands in the row."""
        if self.direction is Qt.LayoutDirection.RightToLeft:
            left, right = self.rect.width() - right, self.rect.width() - left
        corner = self.rect.topLeft() + QPointF(left, top)
        return QRectF(corner.x(), corner.y(), right - left, height)

    def baseline(self, role: Role) -> float:
        """Return the height of the baseline of a text in the middle of the row."""
        face = metrics(role)
        return round(self.rect.center().y() + (face.ascent() - face.descent()) / 2)

    def text(
        self, text: str, left: float, right: float, *, role: Role, ink: str, at_end: bool = False
    ) -> None:
        """Write one line in the middle of the row."""
        is_right = at_end is (self.direction is Qt.LayoutDirection.LeftToRight)
        place = self.place(left, right, 0, self.rect.height())
        colour = getattr(self.theme, ink)
        align = RIGHT if is_right else LEFT
        draw_text(self.painter, place, text, role=role, colour=colour, align=align)
