"""What an order that is tried does: every value old → new, and the steps that led to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import MINUS
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.painting import change_width, format_change, format_value
from judgetool.gui.widgets.row_parts import (
    Align,
    ArrowPart,
    BarPart,
    ChangePart,
    FillPart,
    Part,
    Places,
    Row,
    TextPart,
)
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.wording import N_, _, local_number

_ROW = 35
_STEP_ROW = 25
_INSET = 12
_BAR = 9
_NARROW = 260
_GAP = 4
_SAME = 0.00005
_MOST = 120


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One measure before and after.

    Attributes:
        name: of the measure.
        old: the baseline's value; ``None`` where it is undefined.
        new: of the order that is shown or tried, likewise.
        change: new − old; ``None`` where both are undefined.
        low: least that the change can be once all is judged; ``None`` without an interval.
        high: most, likewise.
        is_exact: whether the interval cannot be narrower.
        least: least that the new value can be once all is judged; ``None`` if not known.
        most: most, likewise.
        is_value_exact: whether ``least`` and ``most`` cannot be narrower.
        old_bounds: least and most that the old value can be; ``None`` if not known.
        range_low: the measure's lowest value.
        range_high: its highest.
    """

    name: str
    old: float | None
    new: float | None
    change: float | None
    low: float | None = None
    high: float | None = None
    is_exact: bool = True
    least: float | None = None
    most: float | None = None
    is_value_exact: bool = True
    old_bounds: tuple[float, float] | None = None
    range_low: float = 0.0
    range_high: float = 1.0

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed that four decimals would show."""
        return self.old == self.new or (
            self.change is not None
            and abs(self.change) < _SAME
            and None not in (self.old, self.new)
        )

    @property
    def is_certain(self) -> bool:
        """Whether further judgments cannot make another change of it."""
        return None not in (self.low, self.high) and (self.high or 0) - (self.low or 0) < _SAME

    @property
    def interval(self) -> str:
        """The interval of the change in words; ``same`` where there is none to speak of."""
        if self.low is None or self.high is None:
            return _("same") if self.is_same else ""
        if self.high - self.low < _SAME:
            return (
                _("same") if self.is_same else _("exactly {value}").format(value=_short(self.low))
            )
        said = _("{low} to {high}") if self.is_exact else _("within {low} to {high}")
        return said.format(low=_short(self.low), high=_short(self.high))

    def share(self, value: float) -> float:
        """Return where a value stands in the measure's range, 0 to 1."""
        room = self.range_high - self.range_low
        return (value - self.range_low) / room if room > 0 else 0.0

    @property
    def in_short(self) -> str:
        """What has become of the value, without what further judgments could do."""
        if self.is_same:
            return _("{name}: {new}, the same").format(name=self.name, new=format_value(self.new))
        said = _("{name}: {old} to {new}").format(
            name=self.name, old=format_value(self.old), new=format_value(self.new)
        )
        if self.change is None:
            return said
        return _("{said}, change {change}").format(said=said, change=format_change(self.change))

    def said_after(self, before: "ChangeRow", against: str) -> str:
        """Return what one move has made of the value, then how it stands against the baseline.

        Args:
            before: the row before the move.
            against: name of the baseline; another baseline alone is told without a move.
        """
        undefined = None in (before.new, self.new)
        step = None if undefined else (self.new or 0) - (before.new or 0)
        move = ChangeRow(self.name, before.new, self.new, step)
        if move.is_same:
            return f"{self.in_short}."
        if self.is_same:
            return _("{moved}; the same as {name}.").format(moved=move.in_short, name=against)
        change = format_change(self.change)
        return _("{moved}; {change} against {name}.").format(
            moved=move.in_short, change=change, name=against
        )

    @property
    def in_words(self) -> str:
        """The whole row as a reader says it."""
        said = self.in_short
        if self.low is not None and self.high is not None and self.high - self.low >= _SAME:
            further = _("judging everything would make the change something within {low} to {high}")
            if self.is_exact:
                further = _("judging everything would make the change {low} to {high}")
            said += f"; {further.format(low=_short(self.low), high=_short(self.high))}"
        if self.least is not None and self.most is not None:
            further = _("the new value lies in {low} to {high}, outer bounds")
            if self.most - self.least < _SAME:
                further = _("it is certain")
            elif self.is_value_exact:
                further = _("the new value lies in {low} to {high}")
            low, high = format_value(self.least), format_value(self.most)
            said += f"; {further.format(low=low, high=high)}"
        if self.old_bounds is not None:
            least, most = self.old_bounds
            further = _("the old value lies in {low} to {high}")
            if most - least < _SAME:
                further = _("the old value is certain")
            said += f"; {further.format(low=format_value(least), high=format_value(most))}"
        return f"{said}."


_LAST = N_("new, change")


def _widest_interval() -> str:
    return _("within {low} to {high}").format(low=f"{MINUS}0.000", high="+0.000")


def _short(change: float) -> str:
    text = f"{abs(change):.3f}"
    if not text.strip("0."):
        return "0"
    return local_number(("+" if change > 0 else MINUS) + text)


def _value_height() -> int:
    return max(scaled(_ROW), line_height(Role.UI) + scaled(_BAR) + 5)


class WhatIfValues(RowView[ChangeRow]):
    """A row for each measure; a click or the arrow keys choose one."""

    def __init__(self) -> None:
        super().__init__(
            _("Values"),
            _show_change,
            self._place_values,
            height=_value_height,
            ground=Ground.PANEL,
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        start, end = Align.START, Align.END
        self.set_heads(
            (
                *(
                    _head(_("this query"), start, shorter=_("Query")),
                    _head(_("old"), start),
                    None,
                    _head(_("new"), start),
                ),
                *(_head(_("change"), end), _head(_("interval of change"), end), None, None),
                _head(_(_LAST), end, shorter=_("new")),
            )
        )
        self.be_whole(spare=6)

    def _place_values(self, width: int, rows: Sequence[Row]) -> Places:
        """Return the places of name, old, arrow, new, change, interval beside and under, bar.

        Where the list is narrow there are name, new value and change alone; these two last.
        """
        inset, line = scaled(_INSET), line_height(Role.UI)
        value = text_width(Role.UI_STRONG, "0.0000") + 1
        names = max((text_width(Role.UI, row.name) for row in self.rows), default=0)
        old = inset + min(max(names, scaled(64)), scaled(120)) + scaled(12)
        right = width - inset
        top = (_value_height() - line - scaled(_BAR)) / 2 - 1

        def upper(left: float, end: float) -> QRectF:
            return QRectF(left, top, end - left, line)

        if width < scaled(_NARROW):
            below = QRectF(inset, top + line - 2, right - inset, scaled(14))
            # The head of the last is longer than a value in some languages.
            last = right - min(max(value, text_width(Role.HEAD, _(_LAST)) + 1), width / 2)
            name = upper(inset, last - 6)
            return (name, None, None, None, below, None, None, None, upper(last, right))
        new = old + value + scaled(18)
        end = new + value + scaled(8) + change_width()
        # Beside the change only where every interval is seen whole; else under it, smaller.
        said = (_widest_interval(), *(row.interval for row in self.rows))
        is_beside = right - end >= max(text_width(Role.META, text) for text in said) + _GAP + 1
        end = end if is_beside else right
        beside = upper(end + _GAP, right) if is_beside else None
        under = None if is_beside else self._place_under(top + line, right, rows)
        bar_end = under.left() if under is not None else right
        bar = QRectF(old, top + line, max(scaled(24), bar_end - old), scaled(_BAR))
        arrow = upper(new - scaled(15), new - 1)
        change = upper(end - change_width(), end)
        values = (upper(old, old + value + 2), arrow, upper(new, new + value + 6), change)
        return (upper(inset, old - 6), *values, beside, under, bar, None)

    @staticmethod
    def _place_under(top: float, right: float, rows: Sequence[Row]) -> QRectF | None:
        """Return the place of intervals at the end of the bars; ``None`` where none is said."""
        texts = [part.text for row in rows if isinstance(part := row.parts[6], TextPart)]
        if not texts:
            return None
        width = max(text_width(Role.SMALL, text) for text in texts) + scaled(8)
        return QRectF(right - width, top - 2, width, scaled(_BAR) + 5)


def _head(text: str, align: Align, *, shorter: str = "") -> Part:
    return TextPart(text, Role.HEAD, "text3", align, shorter=shorter)


def _show_change(row: ChangeRow) -> Row:
    old = _value(row.old, Role.UI, "text2")
    new = _value(row.new, Role.UI_STRONG, "text")
    change: Part = ChangePart(row.change)
    interval = row.interval
    if row.is_same:
        change = TextPart(_("same"), Role.META, "text3", Align.END)
    has_interval = interval not in ("", _("same"))
    # Where it is exact, the change says it all.
    has_under = has_interval and not row.is_certain
    parts: tuple[Part | None, ...] = (
        TextPart(row.name),
        old,
        None if row.is_same else ArrowPart(),
        None if row.is_same else new,
        change,
        TextPart(interval, Role.META, "text2", Align.END) if has_interval else None,
        TextPart(interval, Role.SMALL, "text2", Align.END) if has_under else None,
        _bar(row),
        new._replace(align=Align.END),
    )
    return Row(row.name, parts, row.in_words, tip=row.in_words)


def _value(value: float | None, role: Role, ink: str) -> TextPart:
    return TextPart(format_value(value), role, ink if value is not None else "text3")


def _bar(row: ChangeRow) -> BarPart:
    if row.new is None:
        return BarPart(None)
    old = None if row.old is None or row.is_same else row.share(row.old)
    if row.least is None or row.most is None:
        # What was not worked out is not drawn as certain.
        return BarPart(row.share(row.new), old=old)
    least, most = min(row.least, row.new), max(row.most, row.new)
    return BarPart(row.share(row.new), row.share(least), row.share(most), old)


@dataclass(frozen=True, slots=True)
class StepLine:
    """One line of the list.

    Attributes:
        number: of the step, from 0 for what the ranking was; ``None`` for what could be.
        text: what was done.
        value: after it; ``None`` where it is undefined.
        change: against the line before; ``None`` without one.
        is_current: whether it is where the ranking stands, or what is in the hand.
        title: of the document in the text: where there is no room, what is done with it stays.
    """

    number: int | None
    text: str
    value: float | None
    change: float | None
    is_current: bool = False
    title: str = ""


def _step_height() -> int:
    return scaled(_STEP_ROW)


class WhatIfSteps(RowView[StepLine]):
    """Lines of steps, first first; what could be reached at best is the last."""

    def __init__(self) -> None:
        super().__init__(
            _("Steps"),
            _show_step,
            _place_step,
            height=_step_height,
            ground=Ground.PANEL,
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


def _show_step(line: StepLine) -> Row:
    ink = "text" if line.number is not None else "text2"
    number = "" if line.number is None else str(line.number)
    role = Role.UI_STRONG if line.is_current else Role.UI
    value = format_value(line.value)
    parts = (
        FillPart("selected") if line.is_current else None,
        TextPart(number, Role.META, "text3"),
        TextPart(one_line(line.text, most=_MOST), role, ink, gives=line.title),
        TextPart(value, Role.UI, ink, Align.END),
        ChangePart(line.change),
    )
    said = f"{line.text}: {value} {format_change(line.change)}".strip()
    return Row(number or "best", parts, said, tip=line.text)


def _place_step(width: int, _rows: Sequence[Row]) -> Places:
    """Return the places of ground, number, text, value and, where there is room, change."""
    height, inset = _step_height(), scaled(_INSET)
    digits, value = text_width(Role.META, "00"), text_width(Role.UI_STRONG, "0.0000")
    change = change_width() if width >= scaled(250) else 0
    right = width - inset - change
    at, left = right - value - scaled(4), inset + digits + scaled(8)
    return (
        QRectF(0, 0, width, height),
        QRectF(inset, 0, digits, height),
        QRectF(left, 0, at - scaled(10) - left, height),
        QRectF(at, 0, value, height),
        QRectF(right, 0, change, height) if change else None,
    )
