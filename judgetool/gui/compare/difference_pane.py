"""The left of the compare view's lower half: bars by query, the verdict, what to judge next."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QWidget,
)

from judgetool.core import override
from judgetool.gui.compare.compared import ComparedPair
from judgetool.gui.compare.table_model import (
    bounds_in_words,
    difference_in_words,
    format_difference,
    format_signed,
)
from judgetool.gui.dialogs.act_dialog import push_button
from judgetool.gui.icons import themed_icon
from judgetool.gui.models.query_model import query_in_list
from judgetool.gui.painting import draw_line, format_count, format_p, format_value
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.flow import Scrolled
from judgetool.gui.widgets.labels import (
    Align,
    ElidedLabel,
    KeyCap,
    Look,
    Piece,
    Places,
    Row,
    Text,
    TextPart,
    paint_pieces,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import Panel, in_column, in_line, least_row, say_once
from judgetool.gui.widgets.rows import RowView
from judgetool.session.comparing.query_by_query import (
    GroupTest,
    QueryDifference,
    QueryDifferences,
    query_bounds,
)
from judgetool.session.comparing.verdicts import Verdict
from judgetool.session.session import Session
from judgetool.session.systems import group_names
from judgetool.wording import N_, _

_BARS_SHARE = 0.34
_DIGITS = 4
_WIDEST_LABEL = 112
# Names have so much before bars have their share, in px at a 13 px font.
_LEAST_TEXT, _LEAST_BARS = 110, 36
INSET = 16
# What readers call a row, unless told otherwise.
_QUERY = N_("Query")
_NOTHING = N_("Choose another row to compare it with the baseline.")
_SAID_SHARE, _LEAST_ROWS = 0.46, 4
_LOW = 260
_LOWEST = 190


class DifferenceRow(NamedTuple):
    """One query or document, or the head of a group.

    Attributes:
        number: of the query or document; ``None`` for a head.
        label: the query's id, or the document's ranks; ``""`` for a head, and where the id is
            the text.
        text: of the query, the document's title, or the group's name.
        difference: of the query, or the group's mean.
        remark: of a head, such as ``3 better, 1 worse``; ``""`` for a query.
        lines: what else is told of a head where there is room for it.
    """

    number: int | None
    label: str
    text: str
    difference: float
    remark: str = ""
    lines: tuple[str, ...] = ()


def difference_rows(
    session: Session,
    found: QueryDifferences,
    *,
    group_by: str = "",
    tests: Sequence[GroupTest] = (),
) -> list[DifferenceRow]:
    """Return what the chart shows; equal queries are left out.

    Args:
        session: the project.
        found: with groups where ``group_by`` is given.
        group_by: as it was asked for.
        tests: of the groups, as far as these are known.
    """
    queries = session.material.queries

    def line(row: QueryDifference) -> DifferenceRow:
        query = queries[row.query]
        label = "" if query.id == query.text else query.id
        text = query.text
        if row.lacks_a_side:
            # In front, where no end of the row hides it.
            text = _("no results · {text}").format(text=text)
        return DifferenceRow(row.query, label, text, row.difference)

    def lines(some: QueryDifferences) -> list[DifferenceRow]:
        return [line(row) for row in some.rows if row.difference]

    if not group_by:
        return lines(found)
    rows, known = [], {each.name: each for each in tests}
    for group in found.groups:
        up, down, n = group.n_better, group.n_worse, len(group.rows)
        remark = (
            _("{better} better, {worse} worse of {all}").format(better=up, worse=down, all=n)
            if group.measure.is_quality
            else _("{more} more, {less} less of {all}").format(more=up, less=down, all=n)
        )
        told: tuple[str, ...] = ()
        test = known.get(group.name)
        if test is not None:
            told = _test_lines(test)
            # Corrected for the other groups; nothing where nothing is tested.
            remark = remark if test.p is None else f"{format_p(test.p)}, {remark}"
        name = group.name or _("no {field}").format(field=group_by)
        rows += [DifferenceRow(None, "", name, group.mean, remark, told), *lines(group)]
    return rows


def _test_lines(test: GroupTest) -> tuple[str, ...]:
    """Return every number of a group, a line each."""
    pair = test.pair
    said = _("mean {mean}, baseline {baseline}")
    if pair.is_weighted:
        said = _("weighted mean {mean}, baseline {baseline}")
    means = said.format(mean=format_value(pair.mean), baseline=format_value(pair.baseline_mean))
    lines = [
        means,
        difference_in_words(pair.difference),
    ]
    if pair.interval is not None:
        low, high = (format_signed(each) for each in pair.interval)
        lines.append(_("interval {low} to {high}").format(low=low, high=high))
    if pair.significance is not None and test.p is not None:
        alone, corrected = format_p(pair.significance.p), format_p(test.p).removeprefix("p ")
        several = _("{p} corrected for {count} groups").format(
            p=corrected, count=format_count(test.n_tests)
        )
        lines.append(f"{alone}, {several}" if test.n_tests > 1 else alone)
    if pair.effect is not None:
        lines.append(_("effect {size}").format(size=format_signed(round(pair.effect, 2), digits=2)))
    return tuple(lines)


row_height = partial(least_row, 26)


class _BarPart(NamedTuple):
    """A bar to one side of a zero line, which stands in the same place for all rows."""

    difference: float
    least: float
    most: float
    is_thin: bool
    is_quality: bool = True

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw bar and zero line."""
        theme, span = look.theme, self.most - self.least
        zero = round(rect.left() + (-self.least / span if span > 0 else 0.5) * rect.width()) + 0.0
        width = abs(self.difference) / span * rect.width() if span > 0 else 0.0
        if self.difference:
            width = max(1.0, width)
        left = zero if self.difference > 0 else zero - width
        height = scaled(4 if self.is_thin else 12)
        bar = QRectF(left, round(rect.center().y() - height / 2), width, height)
        ink = theme.good if self.difference > 0 else theme.bad
        painter.fillRect(bar, ink if self.is_quality else theme.line_strong)
        painter.fillRect(QRectF(zero, rect.top(), 1, rect.height()), theme.line_strong)


class _HeadPart(NamedTuple):
    """The name of a group, and beside it what is said of it where there is room."""

    name: str
    remark: str

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Write both."""
        wide = min(text_width(Role.META_STRONG, self.name) + 2.0, rect.width())
        pieces = [Piece(TextPart(self.name, Role.META_STRONG, "text2"), wide)]
        if rect.width() - wide - scaled(8) > scaled(40):
            remark = TextPart(self.remark, Role.META, "text3")
            pieces.append(Piece(remark, 0, scaled(8), gives=True))
        paint_pieces(painter, pieces, rect, look)


class DifferenceList(RowView[DifferenceRow]):
    """Bars worst first: arrows walk the queries, or documents, Enter opens one.

    Args:
        name: of the list, for readers.
        noun: what readers call a row.
    """

    def __init__(self, name: str = N_("Differences, worst first"), noun: str = _QUERY) -> None:
        self._noun = noun
        # Says every number of a query; what stands in the row is said anyway.
        self.find_lines: Callable[[int], Sequence[str]] = lambda _number: ()
        self._least = self._most = 0.0
        # Whether what is above 0 is better.
        self.is_quality = True
        self._label_width = self._text_width = 0
        super().__init__(_(name), self._row_of, self._places_at, height=row_height)

    @override
    def set_rows(self, values: Sequence[DifferenceRow]) -> None:
        """Show other rows, all on one scale; the current one stays current."""
        least = min([0.0, *(row.difference for row in values)])
        most = max([0.0, *(row.difference for row in values)])
        self._measure(values)
        is_other = (least, most) != (self._least, self._most)
        self._least, self._most = least, most
        super().set_rows(values)
        if is_other:
            self.refresh()

    def _measure(self, values: Sequence[DifferenceRow]) -> None:
        """Find how wide ids and texts are in the size of text that holds."""
        labels = (text_width(Role.META, row.label) for row in values)
        self._label_width = min(scaled(_WIDEST_LABEL), max(labels, default=0) + 2)
        texts = (text_width(Role.UI, row.text) for row in values if row.number is not None)
        self._text_width = max(texts, default=0) + 2

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current row in sight where it was: what is said below may take its place."""
        current = self.currentIndex()
        place = self.visualRect(current)
        was_seen = place.top() >= 0 and place.bottom() < event.oldSize().height()
        super().resizeEvent(event)
        if current.isValid() and was_seen:
            self.scrollTo(current)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of text."""
        if event.type() is QEvent.Type.FontChange:
            self._measure(self.rows)
        super().changeEvent(event)

    def _row_of(self, row: DifferenceRow) -> Row:
        is_head = row.number is None
        role = Role.META if is_head else Role.UI
        difference = format_difference(row.difference, digits=_DIGITS)
        parts = (
            _HeadPart(row.text, row.remark) if is_head else None,
            None if is_head else TextPart(row.label, Role.META, "text3", Align.END, is_id=True),
            None if is_head else TextPart(row.text),
            _BarPart(row.difference, self._least, self._most, is_head, self.is_quality),
            TextPart(difference, role, align=Align.END),
        )
        return Row(row.number, parts, partial(self._said, row), partial(self._tip, row))

    def _said(self, row: DifferenceRow) -> str:
        difference = format_signed(row.difference or 0.0)
        if row.number is None:
            return ", ".join(
                (
                    _("Group {name}, mean {difference}").format(
                        name=row.text, difference=difference
                    ),
                    row.remark,
                    *row.lines,
                )
            )
        named = ", ".join(filter(None, (row.label, row.text)))
        said = f"{_(self._noun)} {named}"
        if self._noun == _QUERY:
            said = query_in_list(row.label or row.text, row.text)
        told = self.find_lines(row.number) or (format_difference(row.difference) or "0",)
        return ", ".join((said, *told))

    def _tip(self, row: DifferenceRow) -> str:
        if row.number is None:
            return "\n".join((row.text, row.remark, *row.lines))
        return "\n".join((f"{row.label}  {row.text}".strip(), *self.find_lines(row.number)))

    def _places_at(self, width: int, _rows: Sequence[Row]) -> Places:
        left, height = scaled(INSET), row_height()
        number = text_width(Role.UI, "+0." + "0" * _DIGITS)
        right = width - scaled(INSET) - number - scaled(12)
        text = left + self._label_width + scaled(8)
        free = right - scaled(8) - text - min(self._text_width, scaled(_LEAST_TEXT))
        share = min(width * _BARS_SHARE, max(free, scaled(_LEAST_BARS)))
        bars = QRectF(right - share, 0, share, height)
        end = bars.left() - scaled(8)
        return (
            QRectF(left, 0, end - left, height),
            QRectF(left, 0, self._label_width, height),
            QRectF(text, 0, end - text, height),
            bars,
            QRectF(right, 0, width - scaled(INSET) - right, height),
        )


class DifferencePane(Panel):
    """Shows one system against the baseline by one measure.

    Signals:
        query_chosen: a query became current.
        query_opened: a query is to be judged.
        next_wanted: the person asks what to judge next.
        tests_wanted: groups are shown, a :class:`QueryDifferences`: what do tests say of them?

    Attributes:
        key: which one leads to what to judge next.
        tests: what they say of the groups that are shown, as far as it is known.
    """

    query_chosen = Signal(object)
    query_opened = Signal(object)
    next_wanted = Signal()
    tests_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair: ComparedPair | None = None
        self._found: QueryDifferences | None = None
        self._find: Callable[[str], QueryDifferences] | None = None
        self._query: int | None = None
        self.tests: Sequence[GroupTest] = ()
        self.title = ElidedLabel("", role=Role.UI_STRONG)
        self.counts = ElidedLabel("", role=Role.META, ink="text2")
        self.groups = NamedCombo()
        self.groups.setAccessibleName(_("Group the queries"))
        self.list = DifferenceList()
        self.list.find_lines = self._lines_of
        self.verdict = Text("", role=Role.UI_STRONG)
        self.reason, self.certain = Text("", ink="text2"), Text("", ink="text2")
        for text in (self.reason, self.certain):
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
            # Two lines, so that nothing moves when p comes.
            text.setMinimumHeight(2 * line_height(Role.UI))
        self.next = push_button("\u2009" + _("What to judge next"), self.next_wanted.emit)
        self.next.setAccessibleName(_("What to judge next"))
        self.key = KeyCap("")
        self.key.setVisible(False)
        self._arrange()
        self.list.row_chosen.connect(self._choose)
        self.list.row_opened.connect(self.query_opened.emit)
        self.groups.activated.connect(self.refresh)

    def _arrange(self) -> None:
        side = scaled(INSET)
        margins = (side, scaled(10), side, scaled(6))
        head = in_line(self.title, 1, self.counts, self.groups, spacing=12, margins=margins)
        said = QWidget()
        column = in_column(self.verdict, self.reason, self.certain, host=said, spacing=4)
        self._said_gap = column.spacing()
        # With large text in a low window they are scrolled; nothing lies over anything else.
        self.said = Scrolled(said, _("What the difference means"))
        self.next.setIcon(themed_icon("target"))
        line = in_line(self.next, self.key, None, spacing=10, margins=(0, 4, 0, 0))
        margins = (side, scaled(8), side, scaled(10))
        foot = in_column(self.said, line, spacing=4, margins=margins)
        self._beside = (head, line), margins[1] + foot.spacing() + margins[3]
        in_column(head, self.list, 1, foot, host=self)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little height, tooltips say the rest of the verdict."""
        super().resizeEvent(event)
        # What is said takes no more than its share from the queries: it is scrolled then.
        self.certain.setVisible(event.size().height() >= scaled(_LOW))
        self.reason.setVisible(event.size().height() >= scaled(_LOWEST))
        self._fit_said()

    def _fit_said(self) -> None:
        """Give what is said its share of the height, in whole lines: none is cut through.

        All of the verdict is seen, then some queries, and what else is said where there is room.
        """
        top, ends = 0, list[int]()
        parts, gaps = self._beside
        room = self.height() - gaps - sum(each.sizeHint().height() for each in parts)
        room -= min(_LEAST_ROWS, len(self.list.rows)) * row_height()
        # Below 0 where nothing is said yet.
        least = max(0, self.verdict.heightForWidth(self.said.viewport().width()))
        most = min(round(self.height() * _SAID_SHARE), max(room, least))
        for text in (self.verdict, self.reason, self.certain):
            if text.isHidden():
                continue
            needed = text.heightForWidth(self.said.viewport().width())
            line = text.fontMetrics().lineSpacing()
            ends += range(top + line, top + needed + 1, line)
            top += max(needed, text.minimumHeight()) + self._said_gap
        self.said.setMaximumHeight(max((end for end in ends if end <= most), default=most))

    def _choose(self, query: int) -> None:
        if query != self._query:
            self.set_query(query)
            self.query_chosen.emit(query)

    def set_query(self, query: int | None) -> None:
        """Make a query current, without a signal."""
        self._query = query
        self.list.set_current(query)

    def set_session(self, session: Session | None) -> None:
        """Offer the groups of a project's queries."""
        self._pair = None
        names = group_names(session) if session is not None else []
        named = ((_("By {name}").format(name=name), name) for name in names)
        self.groups.offer(((_("By query"), ""), *named))
        self.groups.setVisible(bool(names))
        self.list.set_rows([])

    def show_pair(self, pair: ComparedPair, find: Callable[[str], QueryDifferences]) -> None:
        """Show a system against the baseline.

        Args:
            pair: both, and by which measure.
            find: returns the differences, in groups by what it is given.
        """
        is_other, self._pair, self._find = pair != self._pair, pair, find
        self.refresh()
        if is_other and self.list.current is None:
            self.list.scrollToTop()

    def refresh(self) -> None:
        """Show the values that hold now."""
        pair, self._found, self.tests = self._pair, None, ()
        if pair is None or self._find is None:
            self.title.set_text("")
            return
        system, baseline = pair.system, pair.baseline
        named = {"run": system.name, "baseline": baseline.name, "measure": pair.measure}
        title = _("{run} minus {baseline}, {measure}").format(**named)
        # Of which measure is not told elsewhere in the pane; the names stand in the table, too.
        self.title.shorter = (f"{system.name}, {pair.measure}", str(pair.measure))
        rows, counts, said = [], "", ""
        if pair.has_differences:
            group_by = self.group_by
            found = self._found = self._find(group_by)
            rows = difference_rows(pair.session, found, group_by=group_by)
            if group_by:
                self.tests_wanted.emit(found)
            better, worse, equal = map(format_count, (found.n_better, found.n_worse, found.n_equal))
            counts = f"▲ {better}  ▼ {worse}  = {equal}"
            said = _("{better} better, {worse} worse, {equal} equal").format(
                better=better, worse=worse, equal=equal
            )
            if not pair.measure.is_quality:
                counts = f"+ {better}  − {worse}  = {equal}"
                said = _("{more} more, {less} less, {equal} equal").format(
                    more=better, less=worse, equal=equal
                )
        elif system == baseline:
            title, self.title.shorter = _("{name} is the baseline").format(name=baseline.name), ()
        self.list.is_quality = pair.measure.is_quality
        self.title.set_text(title)
        self.counts.set_text(counts)
        self.counts.set_meaning(said)
        self.list.set_rows(rows)
        # Of a list without rows readers say that it has none; why, it says itself.
        self.list.setAccessibleDescription("" if rows else title)
        self.list.set_current(self._query)

    @property
    def group_by(self) -> str:
        """By which field the queries stand in groups; ``""`` for none."""
        return str(self.groups.currentData() or "")

    def show_tests(self, found: QueryDifferences, tests: Sequence[GroupTest]) -> None:
        """Say what tests say of the groups, if it is still these that are shown."""
        if found is self._found and self._pair is not None:
            session, self.tests = self._pair.session, tests
            rows = difference_rows(session, found, group_by=self.group_by, tests=tests)
            self.list.set_rows(rows)

    def _lines_of(self, query: int) -> Sequence[str]:
        """Return both values of a query and the difference, each with least and greatest."""
        pair, found = self._pair, self._found
        row = next((each for each in found.rows if each.query == query), None) if found else None
        if pair is None or row is None:
            return ()
        bounds = query_bounds(*pair, query)
        value, baseline = (
            _("{value} (no results: counts as 0)").format(value=format_value(each))
            if is_missing
            else format_value(each)
            for each, is_missing in (
                (row.value, row.is_missing),
                (row.baseline, row.is_missing_in_baseline),
            )
        )
        told = (
            (f"{pair.measure} {value}", bounds.value, format_value),
            (
                _("baseline {baseline}").format(baseline=baseline),
                bounds.baseline,
                format_value,
            ),
            (
                difference_in_words(row.difference),
                bounds.difference,
                format_signed,
            ),
        )
        return [
            text if ends is None else f"{text}, {bounds_in_words(ends, show)}"
            for text, ends, show in told
        ]

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Say what the difference means: of other queries, and of these; ``None`` of the baseline."""
        if self._pair is None:
            return
        rest = certain = ""
        if verdict is not None:
            head = verdict.head
            rest, certain = verdict.sentences
        elif self._pair.system == self._pair.baseline:
            head = _("{name} is the baseline.").format(name=self._pair.baseline.name)
            rest = _(_NOTHING)
        else:
            head = _("{measure} has no values by query to compare.").format(
                measure=self._pair.measure
            )
        self.verdict.setText(head)
        self.reason.setText(rest)
        self.certain.setText(certain)
        self.verdict.setToolTip(plain_tooltip(f"{rest} {certain}".strip()))
        self.reason.setToolTip(plain_tooltip(certain))
        say_once((self.verdict, self.reason))
        self.next.setEnabled(verdict is not None)
        self._fit_said()

    @property
    def worst(self) -> int | None:
        """The query at the top, ``None`` for none."""
        return next((row.number for row in self.list.rows if row.number is not None), None)

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the ground, and the line over the verdict."""
        super().draw(painter, exposed)
        bottom = self.list.geometry().bottom() + 1
        draw_line(painter, QRectF(0, 0, self.width(), bottom), self.theme.line)
