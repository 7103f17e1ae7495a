"""Around the two orders: tools over them; beside them what the order that is tried does.

Every value old → new, the steps that led to it, the DCG by rank, the means.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QMenu,
    QToolButton,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import MINUS, number_of, signed, signed_ends
from judgetool.core.rankings import Replace, Swap, describe_step
from judgetool.core.terms import beginning, one_line, short_name
from judgetool.gui.charts import ChartView
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import (
    change_width,
    enclosed,
    format_change,
    format_value,
)
from judgetool.gui.panels.result_tools import ToolRow, action_button
from judgetool.gui.table_copy import Table, number_cell, offer_copy
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.whatif.ranking import Carry, WorkedRanking
from judgetool.gui.widgets.buttons import offer
from judgetool.gui.widgets.labels import (
    Align,
    ArrowPart,
    BarPart,
    ChangePart,
    ElidedLabel,
    FillPart,
    Part,
    Places,
    Row,
    Text,
    TextPart,
    plain_tooltip,
    value_bar,
)
from judgetool.gui.widgets.live_values import LONG_NAME, mean_of, mean_of_queries
from judgetool.gui.widgets.painted import (
    Panel,
    fill_width,
    hide_tip,
    in_column,
    in_line,
    scroll_area,
    tell_tip,
)
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.gui.window import ActionBinder
from judgetool.metrics import Bounds
from judgetool.session.charts import Chart
from judgetool.session.comparing.curves import curve_line, rank_words
from judgetool.session.comparing.trial import StepValue, Trial, TriedValue
from judgetool.session.history import title_in_words
from judgetool.wording import N_, _, local_number

_ROW = 35
_STEP_ROW = 25
_INSET = 12
_BAR = 9
_GAP = 4
_SAME = 0.00005
_MOST = 120
_MOST_OF_TWO = 12


class ChangeRow(NamedTuple):
    """One measure before and after.

    Attributes:
        name: of the measure.
        old: the baseline's value; ``None`` where it is undefined.
        new: of the order that is shown or tried, likewise.
        change: new − old; ``None`` where both are undefined.
        bounds: what the change can be once all is judged; ``None`` without an interval.
        possible: what the new value can be once all is judged; ``None`` if not known.
        before: likewise of the old value.
        range_low: the measure's lowest value.
        range_high: its highest.
    """

    name: str
    old: float | None
    new: float | None
    change: float | None
    bounds: Bounds | None = None
    possible: Bounds | None = None
    before: Bounds | None = None
    range_low: float = 0.0
    range_high: float = 1.0
    is_quality: bool = True

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
        return self.bounds is not None and _is_point(self.bounds)

    @property
    def interval(self) -> str:
        """The interval of the change in words; ``same`` where there is none to speak of."""
        bounds = self.bounds
        if self.is_same and (bounds is None or _is_point(bounds)):
            return _("same")
        if bounds is None:
            return ""
        if _is_point(bounds):
            return _("exactly {value}").format(value=local_number(signed(bounds.low)))
        said = _("{low} to {high}") if bounds.is_exact else _("within {low} to {high}")
        low, high = _outer_ends(bounds)
        return said.format(low=low, high=high)

    @property
    def interval_in_short(self) -> str:
        """The same for a narrow list, where it may be wider than need be."""
        if self.bounds is None or self.bounds.is_exact or _is_point(self.bounds):
            return self.interval
        low, high = _outer_ends(self.bounds)
        return _("in {low} to {high}").format(low=low, high=high)

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
        said, bounds, possible, before = [self.in_short], self.bounds, self.possible, self.before
        if bounds is not None and not _is_point(bounds):
            further = _(
                "judging all of both rankings and the pool would make the change something within "
                "{low} to {high}"
            )
            if bounds.is_exact:
                further = _(
                    "judging all of both rankings and the pool would make the change {low} to {high}"
                )
            low, high = _outer_ends(bounds)
            said.append(further.format(low=low, high=high))
        if possible is not None:
            further = _("the new value lies in {low} to {high}, outer bounds")
            if _is_point(possible):
                further = _("it is certain")
            elif possible.is_exact:
                further = _("the new value lies in {low} to {high}")
            said.append(_with_ends(further, possible))
        if before is not None:
            further = _("the old value lies in {low} to {high}")
            if _is_point(before):
                further = _("the old value is certain")
            said.append(_with_ends(further, before))
        return f"{'; '.join(said)}."


def _is_point(bounds: Bounds) -> bool:
    """Whether four decimals tell the ends of an interval apart no more."""
    return bounds.high - bounds.low < _SAME


def _with_ends(sentence: str, bounds: Bounds) -> str:
    return sentence.format(low=format_value(bounds.low), high=format_value(bounds.high))


_LAST = N_("new, change")


def _widest_interval() -> str:
    return _("within {low} to {high}").format(low=f"{MINUS}0.000", high="+0.000")


def _outer_ends(bounds: Bounds) -> Iterable[str]:
    return map(local_number, signed_ends(bounds.low, bounds.high, 3))


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

        Where the list is narrow there are name and new value, change and interval under them.
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
            usual = (row.name for row in self.rows if len(row.name) <= LONG_NAME)
            if any(text_width(Role.UI, each) > name.width() for each in usual):
                return self._place_stacked(last - 6, last, right)
            room = right - change_width() - scaled(8) - inset
            parts = (row.parts[6] for row in rows)
            shorts = [part.shorter for part in parts if isinstance(part, TextPart)]
            # Cut, it would be another interval: the tooltip says it then.
            has_room = all(text_width(Role.SMALL, each) <= room for each in shorts)
            under = QRectF(inset, below.top(), room, below.height()) if has_room else None
            return (name, None, None, None, below, None, under, None, upper(last, right))
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
    def _place_stacked(end: float, last: float, right: float) -> Places:
        """Return the places where names are as wide as the list: values stand under them."""
        inset, half = scaled(_INSET), _value_height() / 2
        name = QRectF(inset, 0, right - inset, half)
        change = QRectF(inset, half, end - inset, half) if end - inset >= change_width() else None
        value = QRectF(last, half, right - last, half)
        return (name, None, None, None, change, None, None, None, value)

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
    change: Part = ChangePart(row.change, row.is_quality)
    interval = row.interval
    if row.is_same:
        change = TextPart(_("same"), Role.META, "text3", Align.END)
    has_interval = interval not in ("", _("same"))
    parts: tuple[Part | None, ...] = (
        TextPart(row.name, is_id=True),
        old,
        None if row.is_same else ArrowPart(),
        None if row.is_same else new,
        change,
        TextPart(interval, Role.META, "text2", Align.END) if has_interval else None,
        _under(row) if not row.is_certain and has_interval else None,
        _bar(row),
        new._replace(align=Align.END),
    )
    return Row(row.name, parts, row.in_words, tip=row.in_words)


def _under(row: ChangeRow) -> TextPart:
    """Return the interval as it stands under a change; where it is exact, the change says it all."""
    shorter = row.interval_in_short
    return TextPart(row.interval, Role.SMALL, "text2", Align.END, shorter=shorter)


def _value(value: float | None, role: Role, ink: str) -> TextPart:
    return TextPart(format_value(value), role, ink if value is not None else "text3")


def _bar(row: ChangeRow) -> BarPart:
    low = high = None
    if row.possible is not None and row.new is not None:
        low, high = min(row.possible.low, row.new), max(row.possible.high, row.new)
    old = None if row.is_same else row.old
    return value_bar(row.new, low, high, (row.range_low, row.range_high), old=old)


class StepLine(NamedTuple):
    """One line of the list.

    Attributes:
        number: of the step, from 0 for what the ranking was; ``None`` for what could be.
        text: what was done.
        value: after it; ``None`` where it is undefined.
        change: against the line before; ``None`` without one.
        is_current: whether it is where the ranking stands, or what is in the hand.
        title: of the document in the text, or the part of ``shorter`` from the first to the second:
            where there is no room, what is done with it stays.
        shorter: the text of two documents where there is little room.
    """

    number: int | None
    text: str
    value: float | None
    change: float | None
    is_current: bool = False
    title: str = ""
    is_quality: bool = True
    shorter: str = ""


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
    # What is done stands behind the title, which is cut first, however long it is.
    title = one_line(line.title, most=_MOST)
    text = one_line(line.text.replace(line.title, title, 1), most=2 * _MOST)
    parts = (
        FillPart("selected") if line.is_current else None,
        TextPart(number, Role.META, "text3"),
        TextPart(text, role, ink, gives=title, shorter=line.shorter),
        TextPart(value, Role.UI, ink, Align.END),
        ChangePart(line.change, line.is_quality),
    )
    said = f"{line.text}: {value} {format_change(line.change)}".strip()
    tip = line.text.replace(line.title, enclosed(line.title), 1)
    return Row(number or "best", parts, said, tip=tip)


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


# The tools

# How many signs of a name the row shows where there is room, and always.
_MOST_NAME, _LEAST_NAME = 80, 28
CHEVRON = "▾"
# Shown text, icon and action of each button, first first.
_BUTTONS = (
    (N_("Undo move"), "undo-2", "undo_move"),
    (N_("Sort by grade"), "arrow-down-wide-narrow", "sort_by_grade"),
    (N_("Fuse with…"), "merge", "fuse"),
    (N_("Insert…"), "list-plus", "insert"),
    (N_("Rules…"), "sliders-horizontal", "rules"),
    (N_("Export as run…"), "download", "export"),
)
# Which of them have words where there is little room.
_WORDS_FIRST = ("undo_move", "rules", "sort_by_grade", "fuse", "export", "insert")


def menu_button(name: str, parent: QWidget) -> QToolButton:
    """Return a framed button that opens a menu of its own."""
    button = QToolButton(parent)
    button.setProperty("framed", "true")
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setMenu(QMenu(button))
    return button


class WhatIfTools(ToolRow):
    """Which what-if, made from which run, and what is done to the whole order.

    Args:
        actions: what the buttons do.

    Signals:
        whatif_chosen: id of a what-if, ``""`` for the run as imported.
        run_chosen: id of the run to start from.

    Attributes:
        whatifs: the chooser of what-ifs.
        runs: the chooser of runs.
        buttons: by action.
    """

    whatif_chosen = Signal(str)
    run_chosen = Signal(int)

    def __init__(self, actions: ActionBinder, parent: QWidget) -> None:
        super().__init__(parent)
        self._names = ("", "")
        self.whatifs = menu_button(_("What-if"), self)
        self.runs = menu_button(_("Made from"), self)
        self._from = ElidedLabel(_("from"), role=Role.META, ink="text2", parent=self)
        self.row.setSpacing(6)
        self.row.addWidget(self.whatifs)
        self.row.addSpacing(2)
        self.row.addWidget(self._from)
        self.row.addSpacing(2)
        self.row.addWidget(self.runs)
        self.buttons = {
            action: action_button(_(text), actions.action(f"whatif.{action}"), icon)
            for text, icon, action in _BUTTONS
        }
        self.put(None, *self.buttons.values())
        self.whatifs.setIcon(themed_icon("flask-conical"))
        self.runs.setIcon(themed_icon("layers"))

    def show_names(self, whatif: str, source: str) -> None:
        """Show which what-if and run are worked on; ``""`` while there is no what-if."""
        self._names = (whatif or _("no what-if yet"), source or _("no run"))
        name = _("What-if: {whatif}").format(whatif=whatif or _("none yet"))
        self.whatifs.setAccessibleName(name)
        # In the name’s own words: readers describe it by what the tooltip says beside these.
        self.whatifs.setToolTip(plain_tooltip(name))
        self.runs.setAccessibleName(_("Made from {source}").format(source=source))
        self._fit()

    def fill_whatifs(
        self, whatifs: list[tuple[str, str]], current: str, *, actions: list[QAction]
    ) -> None:
        """Offer the project's what-ifs (id, name), and what can be done with them."""
        menu = self.whatifs.menu()
        _fill(menu, [("", _("As imported")), *whatifs], current, self.whatif_chosen)
        menu.addSeparator()
        menu.addActions(actions)

    def fill_runs(self, runs: list[tuple[int, str]], current: int | None) -> None:
        """Offer the runs to start from."""
        _fill(self.runs.menu(), runs, current, self.run_chosen)

    def _fit(self) -> None:
        """Give names, then buttons, their words as far as there is room, the most used first."""
        self._from.setVisible(True)
        for button in self.buttons.values():
            button.setVisible(True)
            button.setText("")
        for most in range(_MOST_NAME, _LEAST_NAME - 1, -4):
            for chooser, name in zip((self.whatifs, self.runs), self._names, strict=True):
                chooser.setText(f" {short_name(name, most=most)} {CHEVRON}")
            if self.room_beside() >= 0:
                break
        self._from.setVisible(self.room_beside() >= 0)
        for action in reversed(_WORDS_FIRST):
            # The menu has what has no room: a name is not cut for it.
            self.buttons[action].setHidden(self.room_beside() < 0)
        texts = {action: _(text) for text, _icon, action in _BUTTONS}
        for action in _WORDS_FIRST:
            self.buttons[action].setText(texts[action])
            if self.room_beside() < 0:
                self.buttons[action].setText("")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the words to the width."""
        super().resizeEvent(event)
        self._fit()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width at which the row can be used."""
        return QSize(scaled(420), super().minimumSizeHint().height())


def _fill(
    menu: QMenu, options: Iterable[tuple[object, str]], current: object, chosen: SignalInstance
) -> None:
    menu.clear()
    for key, name in options:
        offer(menu, name, partial(chosen.emit, key), is_on=key == current)


# The values

# The plot follows when the hand pauses for a frame or two; values do not wait.
_SETTLE_MS = 30
_NARROW = 260
_MOST_BESIDE = 24


class _Head(Panel):
    """A heading with something at its end, and a line above it."""

    edge = "top"

    def __init__(self, title: str, end: QWidget) -> None:
        super().__init__()
        self.title = ElidedLabel(title, role=Role.UI_STRONG)
        margins = (scaled(12), scaled(6), scaled(10), scaled(4))
        in_line(self.title, 1, end, host=self, spacing=6, margins=margins)
        fill_width(self)


class WhatIfSide(Panel):
    """Values of the order that is shown or tried, against the baseline.

    While a card is in the hand, values and intervals follow it at once; the light parts of
    the bars and the plot follow as soon as that is painted.

    Signals:
        measure_chosen: another measure is explained by steps, plot and means.

    Attributes:
        values: the table of measures.
        steps: the list of steps.
        plot: DCG by rank.
        against: opens the choice of baseline.
        measure: whose steps, plot and means are shown.
    """

    measure_chosen = Signal(str)

    def __init__(self, ranking: WorkedRanking, parent: QWidget) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.measure = "nDCG@10"
        self._carry: Carry | None = None
        self._rows: tuple[TriedValue, ...] = ()
        self._possible: tuple[Bounds | None, ...] = ()
        self._kept_lines: tuple[StepLine, ...] = ()
        self._of: tuple[object, int | None] = (None, None)
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._settle)
        self.against = menu_button(_("What values are compared with"), self)
        self.against.setProperty("framed", None)
        self.against.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._head = _Head(_("This what-if"), self.against)
        self.values = WhatIfValues()
        self.values.row_chosen.connect(self.choose_measure)
        offer_copy(self.values, self._table)
        self._of_steps = ElidedLabel("", role=Role.META, ink="text2")
        self.steps = WhatIfSteps()
        self._steps_head = _Head(_("Steps"), self._of_steps)
        self._of_plot = ElidedLabel("", role=Role.META, ink="text2")
        self._plot_head = _Head(_("DCG by rank"), self._of_plot)
        self.plot = ChartView(parent=self)
        self.plot.ground = "panel"
        self._mean_of = ElidedLabel("", role=Role.META, ink="text2")
        self._mean_head = _Head(_("Mean"), self._mean_of)
        self.mean = Text("", role=Role.UI)
        self.mean.setContentsMargins(scaled(12), 0, scaled(12), scaled(10))
        self._arrange()

    def _arrange(self) -> None:
        inner = Panel()
        steps, plot = (self._steps_head, self.steps), (self._plot_head, self.plot, 1)
        in_column(self._head, self.values, *steps, *plot, host=inner).addStretch(0)
        area = self._area = scroll_area(inner)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(area, 1, self._mean_head, self.mean, host=self)

    @property
    def rows_by_name(self) -> dict[str, ChangeRow]:
        """What is shown of each value, by the measure's name."""
        return {row.name: row for row in self.values.rows}

    @property
    def against_name(self) -> str:
        """What values are measured against; a long name lacks its middle."""
        return short_name(self._ranking.against, most=_MOST_BESIDE)

    @property
    def value_in_words(self) -> str:
        """What has become of the chosen measure's value; ``""`` where there is none."""
        row = self.rows_by_name.get(self.measure)
        return f"{row.in_short}." if row is not None else ""

    @property
    def title(self) -> str:
        """The heading over the values."""
        return self._head.title.text

    def choose_measure(self, name: str) -> None:
        """Show steps and means of another measure."""
        self.measure = name
        self.values.set_current(name)
        self._show_steps()
        self._settle()
        self.measure_chosen.emit(name)

    def show_numbers(self) -> None:
        """Show and say every number of the chosen measure, as its tooltip does."""
        tell_tip(self.values)

    def _table(self) -> Table:
        heads = ["Measure", "Before", "Least before", "Most before", "After", "Least after"]
        heads += ["Most after", "Change", "Least change", "Most change"]
        rows = []
        for row in self.values.rows:
            sides = ((row.old, row.before), (row.new, row.possible), (row.change, row.bounds))
            ends = ((at, *((of.low, of.high) if of else (None, None))) for at, of in sides)
            rows.append([row.name, *(number_cell(each) for side in ends for each in side)])
        return [heads, *rows]

    # Showing

    def show_orders(self) -> None:
        """Show the order as it stands."""
        self._carry = None
        of, self._of = self._of, (self._ranking.session, self._ranking.query)
        if of != self._of:
            hide_tip(self.values)
        trial, names = self._ranking.trial, self._names
        if self.measure not in names and names:
            self.measure = names[0]
        self.values.set_current(self.measure)
        self._head.title.set_text(_("This what-if") if self._ranking.head else _("As imported"))
        self._name_against()
        self._rows = trial.rows(self._ranking.orders.order) if trial is not None else ()
        self._possible = ()
        self._show_steps()
        self._settle()

    def _name_against(self) -> None:
        """Say what values are compared with; where there is little room, in the tooltip."""
        told = _("against {name}").format(name=self.against_name)
        shown = f"{told} " if self.width() >= scaled(_NARROW) else ""
        self.against.setText(f"{shown}{CHEVRON}" if self._ranking.trial is not None else "")
        self.against.setToolTip(plain_tooltip(_("Values {against}").format(against=told)))
        self.against.setAccessibleName(_("Values {against}").format(against=told))

    def show_carry(self, carry: Carry | None) -> None:
        """Show what dropping the card here would do; ``None``: it was put back."""
        self._carry = carry
        trial = self._ranking.trial
        if carry is None or trial is None:
            self.show_orders()
            return
        self._head.title.set_text(_("If you drop it here"))
        self._rows = trial.rows(carry.order)
        self._show_rows()
        self._show_lines()
        self._later.start(_SETTLE_MS)

    def _order(self) -> Sequence[int]:
        return self._carry.order if self._carry is not None else self._ranking.orders.order

    def _settle(self) -> None:
        """Bring up to now what follows the values."""
        self._later.stop()
        trial = self._ranking.trial
        if trial is None:
            self._possible = ()
            self._show_rows()
            self.plot.set_chart(Chart(_("DCG by rank"), _("rank"), "DCG"))
            self.mean.setText("")
            return
        self._possible = trial.possible(self._order())
        self._show_rows()
        self._show_plot(trial)
        self._show_mean(trial)

    def _show_rows(self) -> None:
        possible = self._possible or (None,) * len(self._rows)
        trial = self._ranking.trial
        before = trial.possible_old if trial is not None and self._possible else possible
        self.values.set_rows(tuple(map(_change_row, self._rows, possible, before)))

    @property
    def _names(self) -> list[str]:
        trial = self._ranking.trial
        return [str(measure) for measure in trial.measures] if trial is not None else []

    def _place(self) -> int | None:
        names = self._names
        return names.index(self.measure) if self.measure in names else None

    # Steps

    def _show_steps(self) -> None:
        trial, place = self._ranking.trial, self._place()
        rows = trial.steps(place) if trial is not None and place is not None else []
        self._kept_lines = tuple(
            StepLine(
                None if row is rows[-1] else number,
                self._step_text(row, is_best=row is rows[-1]),
                row.value,
                row.change,
                is_current=number == len(rows) - 2,
                title=self._title_in(row),
                is_quality=trial is None or place is None or trial.measures[place].is_quality,
                shorter=self._shorter_text(row),
            )
            for number, row in enumerate(rows)
        )
        self._of_steps.set_text(self.measure)
        self._show_lines()

    def _step_text(self, row: StepValue, *, is_best: bool) -> str:
        if is_best:
            return _("Best possible order")
        if row.rule is not None:
            return str(row.rule)
        if row.step is None:
            return self._ranking.source_name
        said = describe_step(row.step, self._ranking.title, _)
        # Why a whole order was taken is kept with the step, in English.
        return title_in_words(said) if isinstance(row.step, Replace) else said

    def _shorter_text(self, row: StepValue) -> str:
        """Return what a step does to two documents, of whose long titles only the beginnings."""
        if not isinstance(row.step, Swap):
            return ""
        return describe_step(row.step, self._beginning, _)

    def _beginning(self, document: int) -> str:
        return beginning(self._ranking.title(document), most=_MOST_OF_TWO)

    def _title_in(self, row: StepValue) -> str:
        if isinstance(row.step, Swap):
            # Of two titles what stands between them gives way, too.
            text, (first, last) = self._shorter_text(row), map(self._beginning, row.step)
            return text[text.index(first) : text.rindex(last) + len(last)]
        document = getattr(row.step, "document", None)
        return self._ranking.title(document) if document is not None else ""

    def _show_lines(self) -> None:
        """Show the steps; what is in the hand is the one that would come next."""
        lines, carry, place = list(self._kept_lines), self._carry, self._place()
        if carry is not None and carry.is_moved and len(lines) > 1 and place is not None:
            value, before, best = self._rows[place].new, lines[-2].value, lines[-1].value
            lines[-2] = lines[-2]._replace(is_current=False)
            title = self._ranking.title(carry.document)
            text = _("{title} to {place}").format(title=title, place=carry.place + 1)
            pending = StepLine(
                len(lines) - 1,
                text,
                value,
                _minus(value, before),
                is_current=True,
                title=title,
                is_quality=lines[-1].is_quality,
            )
            lines[-1:] = [pending, lines[-1]._replace(change=_minus(best, value))]
        self.steps.set_rows(lines)
        self._fit_steps()

    def _fit_steps(self) -> None:
        """Give the steps as many lines as are in sight under the values, with the last step among them."""
        wished, height = min(max(len(self.steps.rows), 2), 5), self.steps.row_height
        room = self._area.viewport().height() - scaled(6)
        room -= sum(part.sizeHint().height() for part in (self._head, self._steps_head))
        seen = (room - self.values.height()) // height
        self.steps.setFixedHeight(max(2, min(wished, seen)) * height + scaled(6))
        self.steps.scrollToBottom()

    # Plot and means

    def _show_plot(self, trial: Trial) -> None:
        if self._plot_head.isHidden():
            return
        measure = trial.drawn_measure(self._place())
        self._of_plot.set_text(_("{measure}, what the order gains").format(measure=measure))
        this, ideal = trial.dcg(measure, self._order())
        drawn = [
            curve_line(_("ideal"), ideal, is_quiet=True),
            curve_line(_("in the hand") if self._carry else self._ranking.name, this, ink="accent"),
        ]
        is_other = self._carry is not None or self._ranking.against != self._ranking.name
        if trial.baseline_order is not None and is_other:
            base, __ = trial.dcg(measure, trial.baseline_order.tolist())
            drawn.append(curve_line(self._ranking.against, base, ink="text2"))
        empty = _("Nobody has judged a document of this query as relevant.")
        chart = Chart(
            _("DCG by rank"),
            rank_words(measure, trial.conventions),
            "DCG",
            tuple(drawn) if len(ideal.x) and ideal.y.max() > 0 else (),
            digits=2,
            has_whole_x=True,
            empty=empty,
        )
        self.plot.set_chart(chart)

    def _show_mean(self, trial: Trial) -> None:
        place = self._place()
        if place is None:
            self.mean.setText("")
            return
        row, ranking = self._rows[place], self._ranking
        n, is_weighted = row.mean_queries, trial.is_weighted
        self._mean_head.title.set_text(mean_of_queries(n, is_weighted=is_weighted))
        self._mean_head.title.shorter = (mean_of(n, is_weighted=is_weighted),)
        old, new = trial.mean_alone(self._order(), place)
        name, lines = self.measure, []
        others, head = ranking.n_other_queries, ranking.head
        n_rules = len(head.active_rules) if head is not None else 0
        if old is not None:
            lines.append(
                _(
                    "{name} {old} → {new} from this one query alone, beside the run as imported."
                ).format(name=name, old=format_value(old), new=format_value(new))
            )
        is_alone = not others and not n_rules and bool(lines)
        if head is not None and not is_alone:
            parts = []
            if others:
                parts.append(number_of(others, "{n} other query", "{n} other queries"))
            if n_rules:
                parts.append(number_of(n_rules, "{n} rule", "{n} rules"))
            said = _("{name} {old} → {new} for the whole what-if.")
            if parts:
                said = _("{name} {old} → {new} for the whole what-if, with {what}.")
            means = {"old": format_value(row.mean_old), "new": format_value(row.mean_new)}
            lines.append(said.format(name=name, what=_(" and ").join(parts), **means))
        self.mean.setText("\n".join(lines))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the plot where there is little height."""
        super().resizeEvent(event)
        self._name_against()
        taken = self.values.sizeHint().height() + scaled(260)
        has_room = event.size().height() - taken >= scaled(110) and event.size().width() > 240
        if has_room == self._plot_head.isHidden():
            self._plot_head.setVisible(has_room)
            self.plot.setVisible(has_room)
            self._later.start(0)
        if self.steps.rows:
            self._fit_steps()


def _minus(new: float | None, old: float | None) -> float | None:
    return None if new is None or old is None else new - old


def _change_row(row: TriedValue, possible: Bounds | None, before: Bounds | None) -> ChangeRow:
    highest = row.measure.spec.highest
    values = [value for value in (row.old, row.new, possible and possible.high) if value]
    return ChangeRow(
        name=str(row.measure),
        old=row.old,
        new=row.new,
        change=row.change,
        bounds=row.bounds,
        possible=possible,
        before=before,
        range_low=row.measure.spec.lowest or 0.0,
        range_high=highest if highest is not None else max([*values, 1e-9]),
        is_quality=row.measure.is_quality,
    )
