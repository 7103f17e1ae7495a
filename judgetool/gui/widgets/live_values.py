"""The live panel: what each measure is now, and what the last judgment did to it."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QMenu,
    QSizePolicy,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import NO_CHANGE, number_of
from judgetool.gui.painting import change_width, format_change, format_count, format_value
from judgetool.gui.theme import Role, icon_side, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import FaceButton
from judgetool.gui.widgets.labels import (
    Align,
    ChangePart,
    ElidedLabel,
    IconPart,
    Piece,
    Places,
    Row,
    Text,
    TextPart,
    value_bar,
)
from judgetool.gui.widgets.painted import RING, Panel, fill, in_column
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.wording import _

_CHEVRON = 14
_ROW = 39
_NARROW = 240
_INSET = 14
_BELOW_ROWS = 2
_LEAST_ROWS = 3
_UNBOUNDED = 16_777_215
"""Qt's own greatest height of a widget."""
_GAP = 12
_BAR = 10


class MeasureRow(NamedTuple):
    """The value of one measure for this query and as a mean, with what could become of it.

    Attributes:
        name: such as ``nDCG@10``.
        value: for this query; ``None`` when undefined.
        reason: why it is undefined, as a sentence; ``""`` when it is not.
        judged: small text under the name, such as ``7 of 10 judged``.
        judged_short: the same where there is less room.
        judged_most: the same once all is judged, which is as wide as it gets.
        change: of the value; ``None`` where there is nothing to compare with.
        low: least that the unjudged could leave; ``None`` when not known.
        high: most that the unjudged could add; ``None`` when not known.
        range_low: where the measure's bar begins.
        range_high: where it ends.
        mean: over the queries; ``None`` when undefined for all.
        mean_change: of the mean.
        mean_low: least of the mean.
        is_exact: whether ``low`` and ``high`` are attained; if not, the range is wider than
            need be.
        is_mean_exact: likewise of the mean.
        mean_high: most of the mean.
        is_quality: whether more of it is better.
        mean_queries: how many queries the mean is over; 0 for as many as the head says.
    """

    name: str
    value: float | None
    reason: str = ""
    judged: str = ""
    change: float | None = None
    low: float | None = None
    high: float | None = None
    range_low: float = 0.0
    range_high: float = 1.0
    mean: float | None = None
    mean_change: float | None = None
    mean_low: float | None = None
    mean_high: float | None = None
    is_exact: bool = True
    is_mean_exact: bool = True
    judged_short: str = ""
    judged_most: str = ""
    is_quality: bool = True
    mean_queries: int = 0


class ValueCell(NamedTuple):
    """One of a row's two sides: this query, or the mean.

    Attributes:
        value: ``None`` when undefined.
        change: ``None`` where there is nothing to compare with.
        low: least possible, or ``None``.
        high: most possible, or ``None``.
        is_exact: whether these two are attained.
    """

    value: float | None
    change: float | None
    low: float | None
    high: float | None
    is_exact: bool = True


def query_cell(row: MeasureRow) -> ValueCell:
    """Return the side of this query."""
    return ValueCell(row.value, row.change, row.low, row.high, row.is_exact)


def mean_cell(row: MeasureRow) -> ValueCell:
    """Return the side of the mean."""
    return ValueCell(row.mean, row.mean_change, row.mean_low, row.mean_high, row.is_mean_exact)


def cell_in_words(cell: ValueCell) -> str:
    """Return a cell as a reader says it: value, change, and what is still possible."""
    if cell.value is None:
        return _("undefined")
    parts = [format_value(cell.value)]
    change = format_change(cell.change)
    if change == NO_CHANGE:
        parts.append(_("no change"))
    elif change:
        parts.append(_("change {change}").format(change=change))
    if cell.low is not None and cell.high is not None:
        if cell.high - cell.low < 0.00005:
            parts.append(_("certain"))
        else:
            low, high = format_value(cell.low), format_value(cell.high)
            parts.append(
                _("between {low} and {high}").format(low=low, high=high)
                if cell.is_exact
                else _("within {low} to {high}").format(low=low, high=high)
            )
    return ", ".join(parts)


def row_in_words(row: MeasureRow, mean_of: str) -> str:
    """Return a whole row as a reader says it, with every number and the reason.

    Args:
        row: of the panel.
        mean_of: what the mean is over, such as ``mean of 19``.
    """
    text = f"{row.name}: {cell_in_words(query_cell(row))}"
    if row.judged:
        text += f"; {row.judged}"
    text += f"; {mean_of}: {cell_in_words(mean_cell(row))}"
    return f"{text}. {row.reason}" if row.reason else f"{text}."


LONG_NAME = 14
"""A measure's name of more characters gives way to what stands beside it: its middle is left out."""


class Columns(NamedTuple):
    """Where the columns stand, thought left to right: x and width of each.

    Attributes:
        name: of the measure.
        query: the value of this query.
        mean: ``None`` where there is no room for it.
        has_mean_change: whether there is room for the change of the mean.
        is_stacked: whether the name takes the whole first line, and the value the second.
    """

    name: tuple[int, int]
    query: tuple[int, int]
    mean: tuple[int, int] | None
    has_mean_change: bool = True
    is_stacked: bool = False


def value_columns(width: int, rows: Sequence[MeasureRow]) -> Columns:
    """Return the columns of the live panel at a width, from the names and the fonts.

    Names and values are whole at every width, and what is judged moves no column: how much
    of it is said in fewer words first, then the mean loses its change, of all rows alike, then
    the whole mean goes (always under 240 px at a 13 px font). Where a name would be cut
    beside the value, as with large text, it has a line of its own, and the change gives way.
    A name of many parameters, which no column holds, is shortened instead: it costs no row its change.
    """
    left, inner = _INSET, width - 2 * _INSET
    names = max((text_width(Role.UI, row.name) for row in rows), default=0)
    value = text_width(Role.UI_STRONG, "0.0000")
    full = value + change_width() + 2
    name = _name_width(names, rows, (inner - _GAP - 2 * full, inner - _GAP - full - value))
    rest = inner - name - _GAP
    if width < scaled(_NARROW) or rest - full < value:
        side = max(value, change_width())
        room = inner - side - 6
        value_column = (left + inner - side, side)
        usual = (row.name for row in rows if len(row.name) <= LONG_NAME)
        is_stacked = any(text_width(Role.UI, name) > room for name in usual)
        return Columns((left, room), value_column, None, is_stacked=is_stacked)
    side = rest // 2 if rest >= 2 * full else full
    # What is left over goes to the bars.
    query = (left + name, side)
    mean_left = left + name + side + _GAP
    mean = (mean_left, left + inner - mean_left)
    return Columns((left, name - 4), query, mean, has_mean_change=mean[1] >= full)


def _name_width(names: int, rows: Sequence[MeasureRow], rooms: Sequence[int]) -> int:
    """Return the width of the names with what is said under them: as much as leaves the most beside.

    Args:
        names: the width of the widest.
        rows: with what is said under them.
        rooms: what is left for both where all else is whole, then where a part has gone.
    """
    judged = (text_width(Role.SMALL, row.judged_most or row.judged) for row in rows)
    least, most = scaled(72), scaled(130)
    wide = names if names <= most else _widest_usual(rows, most)
    bare = max(least, wide) + 5
    whole = max(bare, min(max(judged, default=0), most) + 5)
    if names > most:
        whole = max(whole, min(rooms[0], most + 5))
    return next((min(whole, room) for room in rooms if bare <= room), whole)


def _widest_usual(rows: Sequence[MeasureRow], most: int) -> int:
    """Return the width of the widest name that is no wider than that."""
    widths = (text_width(Role.UI, row.name) for row in rows)
    return max((width for width in widths if width <= most), default=0)


def _row_height() -> int:
    """Return the height of a row: 39 px at a 13 px font, more where the fonts need it."""
    return max(scaled(_ROW), line_height(Role.UI) + line_height(Role.SMALL) + 4)


def _places(columns: Columns) -> Places:
    """Return where the parts of a row stand: name, judged, then value, change, bar of both sides.

    Last comes the value alone, at the right, where there is no room for more.
    """
    spare = _row_height() - line_height(Role.UI) - line_height(Role.SMALL)
    top, lower = spare * 5 // 8, line_height(Role.SMALL)
    below = top + line_height(Role.UI)

    def on_upper(column: tuple[int, int]) -> QRectF:
        return QRectF(column[0], top, column[1], below - top)

    def on_lower(column: tuple[int, int]) -> QRectF:
        return QRectF(column[0], below, column[1], lower)

    def of_bar(column: tuple[int, int]) -> QRectF:
        return QRectF(column[0], below + (lower - _BAR) / 2, column[1], _BAR)

    name, query, mean = columns.name, columns.query, columns.mean
    names = (on_upper(name), on_lower(name))
    if mean is None and columns.is_stacked:
        whole = on_upper((name[0], query[0] + query[1] - name[0]))
        return (whole, None, None, None, None, None, None, None, on_lower(query))
    if mean is None:
        return (*names, None, on_lower(query), None, None, None, None, on_upper(query))
    change = on_upper(mean) if columns.has_mean_change else None
    here = (on_upper(query), on_upper(query), of_bar(query))
    return (*names, *here, on_upper(mean), change, of_bar(mean))


def _value(value: float | None, role: Role, align: Align) -> TextPart:
    return TextPart(format_value(value), role, "text" if value is not None else "text3", align)


class LiveHead(NamedTuple):
    """What stands above the values.

    Attributes:
        preset: name of the measure set, such as ``trec_eval``.
        queries: how many the means are over, at most where they are not over equally many.
        against: what change is against, such as ``last judgment``.
        differs: why the tool of that name can print other values, ``""`` where it does not.
        is_weighted: whether the means are others by the queries' weights.
        are_alike: whether all means are over equally many.
    """

    preset: str
    queries: int
    against: str
    differs: str = ""
    is_weighted: bool = False
    are_alike: bool = True


class AgainstButton(FaceButton):
    """What changes are measured against; opens the choice."""

    radius = 4.0
    inset = 0.0
    least_height = 0.0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(40, self.sizeHint().height())

    @property
    def least_whole(self) -> int:
        """The width in px at which fewer words are whole."""
        return text_width(Role.META, self._short) + scaled(8) + icon_side(_CHEVRON) + 2 * RING + 2

    @property
    def _short(self) -> str:
        # With a sign, and at its own end: the title beside it would read on in it.
        return f"Δ {self.text()}"

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return the words, fewer where there is little room, and the sign of a choice."""
        text = _("change: {text}").format(text=self.text())
        width = text_width(Role.META, text) + 1
        if self.isVisible() and self.face.width() < width + scaled(8) + icon_side(_CHEVRON):
            text = self._short
        ink = "text" if self.underMouse() else "text2"
        words = TextPart(text, Role.META, ink, Align.END)
        chevron = IconPart("chevron-down", "text3", _CHEVRON)
        return Piece(words, width, gives=True), chevron.piece(scaled(8))


class LiveValues(Panel):
    """Title, what change is against, column heads, and a row per measure.

    Choosing a row (click, arrow keys, Enter) asks for its explanation.

    Attributes:
        rows: the measures; values are :class:`MeasureRow`.
        heads: what stands over the columns.
    """

    measure_chosen = Signal(str)
    against_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mean_of = _("mean")
        self._measured: tuple[object, Columns] = (None, value_columns(_NARROW, ()))
        self._head: LiveHead | None = None
        self.heads: tuple[str, ...] = ()
        self.rows = RowView(
            _("Live values"),
            self._show,
            self._place,
            height=_row_height,
            ground=Ground.PANEL,
        )
        # A click does not take the keyboard away from the results.
        self.rows.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rows.row_chosen.connect(self.measure_chosen.emit)
        self.rows.row_opened.connect(self.measure_chosen.emit)
        self._title = ElidedLabel(_("Live values"), role=Role.UI_STRONG, parent=self)
        self._title.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.against = AgainstButton(self)
        self.against.clicked.connect(self._open_choice)
        self._choices: tuple[tuple[str, str], ...] = ()
        self._nothing = Text()
        self._nothing.setContentsMargins(_INSET, scaled(8), _INSET, scaled(8))
        self._nothing.hide()
        self._remark = Text(role=Role.SMALL, ink="text2")
        self._remark.setContentsMargins(_INSET, scaled(2), _INSET, scaled(8))
        self._remark.hide()
        # Never higher than its rows: what is left belongs to what stands below.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._above = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._arrange()
        self.set_head(LiveHead("", 0, ""))

    def _arrange(self) -> None:
        head = self._above
        head.setContentsMargins(_INSET - 2, scaled(6), _INSET - RING, scaled(4))
        fill(head, (self._title, None, self.against))
        in_column(head, self._nothing, self.rows, 1, self._remark, host=self)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let title and choice stand under each other where one of them would be cut."""
        super().resizeEvent(event)
        self._fit_above()
        self._show_heads()
        self.rows.scrollTo(self.rows.currentIndex())

    @override
    def relayout(self) -> None:
        """Follow the size of the text."""
        super().relayout()
        self._fit_above()
        self._show_heads()

    def _fit_above(self) -> None:
        margins = self._above.contentsMargins()
        needed = text_width(Role.UI_STRONG, self._title.text) + self.against.least_whole
        needed += margins.left() + margins.right() + 2 * self._above.spacing()
        is_beside, way, side = needed <= self.width(), QBoxLayout.Direction, Qt.AlignmentFlag
        self._above.setDirection(way.LeftToRight if is_beside else way.TopToBottom)
        # Aligned beside the title, it would stand elsewhere from right to left.
        self._above.setAlignment(self.against, side(0) if is_beside else side.AlignLeading)

    def _show(self, row: MeasureRow) -> Row:
        value, span = _value(row.value, Role.UI_STRONG, Align.LEFT), (row.range_low, row.range_high)
        parts = (
            # What tells long names apart, the cutoff, stands at their end.
            TextPart(row.name, is_id=len(row.name) > LONG_NAME),
            TextPart(row.judged, Role.SMALL, "text3", shorter=row.judged_short),
            value,
            ChangePart(row.change, row.is_quality),
            value_bar(row.value, row.low, row.high, span),
            _value(row.mean, Role.UI, Align.LEFT),
            ChangePart(row.mean_change, row.is_quality),
            value_bar(row.mean, row.mean_low, row.mean_high, span),
            value._replace(align=Align.RIGHT),
        )
        said = partial(self._in_words, row)
        return Row(row.name, parts, said, tip=said)

    def _in_words(self, row: MeasureRow) -> str:
        head = self._head
        if head is None or not row.mean_queries:
            return row_in_words(row, self._mean_of)
        own = mean_of(row.mean_queries, is_weighted=head.is_weighted, in_sentence=True)
        return row_in_words(row, own)

    def _place(self, width: int, _rows: Sequence[Row]) -> Places:
        return _places(self._columns_at(width))

    def _columns_at(self, width: int) -> Columns:
        # At every key; what the columns depend on is another only for other measures or fonts.
        rows = self.rows.rows
        key = width, text_width(Role.UI, "0"), *[(row.name, row.judged_most) for row in rows]
        if key != self._measured[0]:
            self._measured = key, value_columns(width, rows)
        return self._measured[1]

    @property
    def columns(self) -> Columns:
        """Where the columns stand now."""
        return self._columns_at(self.rows.width())

    def set_head(self, head: LiveHead) -> None:
        """Show another measure set, number of queries, or baseline."""
        if head == self._head:
            return
        self._head = head
        words = {"is_weighted": head.is_weighted, "are_alike": head.are_alike}
        mean = mean_of(head.queries, **words)
        self.heads = head.preset, _("This query"), mean
        self.against.setText(head.against)
        self.against.setAccessibleName(_("Change against {against}").format(against=head.against))
        self.against.updateGeometry()
        self._fit_above()
        self._mean_of = mean_of(head.queries, in_sentence=True, **words)
        self.rows.refresh()
        self._show_heads()

    def _show_heads(self) -> None:
        """Show the heads of the columns, and say what there is no room for."""
        if self._head is None:
            return
        differs, no_room = self._head.differs, self._said_of_room()
        heads = [TextPart(text, Role.HEAD, "text3", Align.LEFT) for text in self.heads]
        name, here = heads[0]._replace(align=Align.START), heads[1]
        mean = heads[2]._replace(shorter=_("Mean"))
        if self._head.is_weighted:
            mean = self._fitting(mean, self._head.queries)
        narrow = here._replace(text=_("Query"), align=Align.RIGHT)
        # Values stay left to right within their column, and their heads with them.
        self.rows.set_heads(
            (name, None, here, None, None, mean, None, None, narrow),
            said=", ".join(filter(None, (*self.heads, differs, no_room))),
            tip="\n".join(filter(None, (differs, no_room))),
        )

    def _fitting(self, mean: TextPart, n_queries: int) -> TextPart:
        """Return the head of a weighted mean, in fewer words where its column would cut them."""
        column = self.columns.mean
        if column is None or text_width(mean.role, mean.text) <= column[1]:
            return mean
        text = _("weighted, of {count}").format(count=format_count(n_queries))
        are_alike = self._head is None or self._head.are_alike
        return mean._replace(text=text if are_alike else mean_word(is_weighted=True))

    def _said_of_room(self) -> str:
        """Return which part of the mean is left out at this width; ``""`` where all is shown."""
        if not self.rows.rows:
            return ""
        if self.columns.mean is None:
            return _("A wider panel shows the mean, too; the tooltip of each row says it.")
        if not self.columns.has_mean_change:
            return _(
                "A wider panel shows the change of the mean, too; the tooltip of each row says it."
            )
        return ""

    def set_rows(self, rows: Sequence[MeasureRow]) -> None:
        """Show other values; nothing moves unless the measures themselves are others.

        Args:
            rows: in the order of the panel.
        """
        count = len(self.rows.rows)
        self.rows.set_rows(rows)
        self._show_heads()
        if len(rows) != count:
            self.updateGeometry()

    @property
    def nothing(self) -> str:
        """Why there are no values; ``""`` where there are some."""
        return self._nothing.text()

    def set_nothing(self, sentence: str) -> None:
        """Say in place of the values why there are none; ``""`` shows them."""
        if sentence != self._nothing.text():
            self._nothing.setText(sentence)
            self._nothing.setVisible(bool(sentence))
            for widget in (self.rows, self.against):
                widget.setVisible(not sentence)
            self.updateGeometry()

    @property
    def remark(self) -> str:
        """What is said under the values; ``""`` for nothing."""
        return self._remark.text()

    def set_remark(self, sentences: str) -> None:
        """Say under the values what is to be known of them; ``""`` for nothing."""
        if sentences != self._remark.text():
            self._remark.setText(sentences)
            self._remark.setVisible(bool(sentences))
            self.updateGeometry()

    def set_current(self, name: str) -> None:
        """Mark the measure that is explained, without a signal."""
        self.rows.set_current(name)

    def set_against_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Say what changes can be measured against: (name, text) of each."""
        self._choices = choices

    def _open_choice(self) -> None:
        menu = QMenu(self)
        for name, text in self._choices:
            action = menu.addAction(text)
            action.triggered.connect(
                lambda _on=False, chosen=name: self.against_chosen.emit(chosen)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.against.mapToGlobal(QPoint(0, self.against.height())))

    def give_height(self, most: int | None) -> None:
        """Be at the most so high, which ends below a whole row; ``None`` for as high as all rows.

        Args:
            most: in px.
        """
        whole, row = self.sizeHint().height(), self.rows.row_height
        height = _UNBOUNDED
        if most is not None and most < whole:
            n_rows = len(self.rows.rows)
            n_left_out = min(-(-(whole - most) // row), max(0, n_rows - _LEAST_ROWS))
            height = whole - _BELOW_ROWS - n_left_out * row
        if height != self.maximumHeight():
            self.setMaximumHeight(height)

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which every row is seen."""
        above = self._above.sizeHint().height()
        if self._nothing.text():
            above += self._nothing.heightForWidth(self.width())
        below = self._remark.heightForWidth(self.width()) if self._remark.text() else 0
        return QSize(340, above + self.rows.whole_height() + below + _BELOW_ROWS)


def mean_word(*, is_weighted: bool, in_sentence: bool = False) -> str:
    """Return what a mean is called.

    Args:
        is_weighted: whether it is another by the queries' weights.
        in_sentence: whether other words come before it.
    """
    if is_weighted:
        return _("weighted mean") if in_sentence else _("Weighted mean")
    return _("mean") if in_sentence else _("Mean")


def mean_of(
    n_queries: int, *, is_weighted: bool, in_sentence: bool = False, are_alike: bool = True
) -> str:
    """Return what a mean over so many queries is called where there is little room.

    Args:
        n_queries: how many; 0 where there is none yet.
        is_weighted: as of :func:`mean_word`.
        in_sentence: likewise.
        are_alike: whether each of several means is over so many, else it is over as many at most.
    """
    word = mean_word(is_weighted=is_weighted, in_sentence=in_sentence)
    if not n_queries:
        return word
    said = _("{mean} of {count}") if are_alike else _("{mean} of up to {count}")
    return said.format(mean=word, count=format_count(n_queries))


def mean_of_queries(n_queries: int, *, is_weighted: bool) -> str:
    """Return what a mean over so many queries is called where it begins a line."""
    if is_weighted:
        return number_of(n_queries, "Weighted mean of {n} query", "Weighted mean of {n} queries")
    return number_of(n_queries, "Mean of {n} query", "Mean of {n} queries")
