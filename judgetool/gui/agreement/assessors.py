"""The upper half of the agreement view: figures of all, a row for each assessor, tables by pair, query, level.

What is said of assessors stands here in words, too.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from judgetool.core import override
from judgetool.core.number_text import NO_CHANGE, UNDEFINED, number_of
from judgetool.core.scale import Scale
from judgetool.core.terms import one_line, short_name
from judgetool.gui.painting import (
    draw_check,
    draw_frame,
    draw_line,
    format_change,
    format_count,
    format_value,
    grade_style,
)
from judgetool.gui.table_copy import Table, number_cell
from judgetool.gui.theme import Role, line_height, scaled, text_width
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import (
    Align,
    ElidedLabel,
    LinePart,
    Look,
    Parts,
    Piece,
    PieceView,
    Places,
    Row,
    TextPart,
    widest_text,
)
from judgetool.gui.widgets.painted import Panel, in_column
from judgetool.gui.widgets.rows import RowView
from judgetool.metrics.agreement import (
    ALL,
    LEAST_DOCUMENTS,
    NO_INTERVAL,
    AgreementRow,
    MeanDifference,
)
from judgetool.session.team.overview import AssessorFacts, OrderOfRuns, Overview
from judgetool.wording import N_, _, in_words, mid_sentence, translated

# In words

TITLES = {
    "kappa": N_("κ linear"),
    "alpha": N_("α ordinal"),
    "AC1": "AC1",
    "overlap": N_("relevant"),
}
"""What the page calls the measures of its head."""

_OF_LEVELS = {**TITLES, "overlap": N_("overlap")}
"""By level: what is relevant has no part in it."""

DIGITS = 2
_CHANGE_DIGITS = 3
TURNS = {1: "\u2009▲", -1: "\u2009▼", 0: ""}


def interval_text(row: AgreementRow) -> str:
    """Return the ends of an interval; ``""`` where there is none, or too few documents for one."""
    if row.low is None or row.high is None or _are_few(row):
        return ""
    low, high = (format_value(each, digits=DIGITS) for each in (row.low, row.high))
    # A dash beside a minus is hard to read.
    return (
        _("{low} to {high}").format(low=low, high=high)
        if min(row.low, row.high) < 0
        else f"{low}–{high}"
    )


def _are_few(row: AgreementRow) -> bool:
    """Whether so few documents make up a value that its interval would tell nothing."""
    has_tried = row.low is not None or row.reason == NO_INTERVAL
    return has_tried and row.n_documents < LEAST_DOCUMENTS


def row_in_words(title: str, row: AgreementRow) -> str:
    """Return an agreement as a reader says it: value, interval, or why there is none."""
    if row.value is None:
        return _("{title} undefined: {reason}").format(title=title, reason=translated(row.reason))
    ends = f", {_('too few documents for an interval')}" if _are_few(row) else ""
    if row.low is not None and row.high is not None and not ends:
        low, high = (format_value(each, digits=DIGITS) for each in (row.low, row.high))
        ends = f", {_('between {low} and {high}').format(low=low, high=high)}"
    return f"{title} {format_value(row.value, digits=DIGITS)}{ends}"


def order_text(order: OrderOfRuns | None, *, is_shared: bool) -> str:
    """Return how sure the order of runs is; ``""`` where there is none.

    Args:
        order: of the runs.
        is_shared: whether any document was graded by two who count.
    """
    if order is None:
        return ""
    if not order.n_open and not is_shared:
        return _("Order of runs by {measure}: not known, as no document has grades of two").format(
            measure=order.measure
        )
    if not order.n_open:
        return _(
            "Order of runs by {measure}: certain, whichever of the given grades counts"
        ).format(measure=order.measure)
    if order.n_open == order.n_pairs:
        return number_of(
            order.n_pairs,
            "Order of runs by {measure}: certain for none of {n} pair",
            "Order of runs by {measure}: certain for none of {n} pairs",
            measure=order.measure,
        )
    return number_of(
        order.n_pairs,
        "Order of runs by {measure}: certain for {count} of {n} pair",
        "Order of runs by {measure}: certain for {count} of {n} pairs",
        measure=order.measure,
        count=order.n_pairs - order.n_open,
    )


def order_in_short(order: OrderOfRuns | None) -> tuple[str, ...]:
    """Return what is said of the order of runs where there is little room; nothing if it is certain."""
    if order is None or not order.n_open:
        return ()
    return (
        number_of(
            order.n_pairs,
            "By {measure}: {count} of {n} pair of runs uncertain",
            "By {measure}: {count} of {n} pairs of runs uncertain",
            measure=order.measure,
            count=order.n_open,
        ),
    )


_NO_CHANGE_KNOWN = {
    (True, False): N_("without: no mean of {measure}"),
    (True, True): N_("without: {measure} has a mean only then"),
    (False, False): N_("with: no mean of {measure}"),
    (False, True): N_("with: {measure} has a mean only then"),
}
"""What is said where no run has a mean both ways, by whether one counts and whether there is a mean then."""


def influence_text(facts: AssessorFacts, *, most: int = 60) -> str:
    """Return what leaving an assessor out does to the runs, or counting one who does not.

    Args:
        facts: of the assessor.
        most: letters of the run's name.
    """
    told = facts.influence
    if told is None:
        return ""
    if told.change is None:
        return _(_NO_CHANGE_KNOWN[facts.counts, told.has_mean]).format(measure=told.measure)
    change = _or_none(format_change(told.change, digits=_CHANGE_DIGITS))
    order = _("same order") if told.is_same else _("no pair turns")
    if told.n_turned is None:
        order = _("order not known")
    elif told.n_turned:
        order = number_of(told.n_turned, "{n} pair turns", "{n} pairs turn")
    if told.n_queries != told.n_usual:
        over = number_of(
            told.n_queries,
            "{n} query, not {usual}",
            "{n} queries, not {usual}",
            usual=format_count(told.n_usual),
        )
        order = f"{order} ({over})"
    said = _("without: {measure} {change}, {order}")
    if not facts.counts:
        said = _("with: {measure} {change}, {order}")
    run = short_name(told.run, most=most)
    measure = _("{measure} of {run}").format(measure=told.measure, run=run)
    return said.format(measure=measure, change=change, order=order)


def _or_none(change: str) -> str:
    return "±0" if change == NO_CHANGE else change


def gives_text(gives: MeanDifference) -> str:
    """Return how much higher one gives than the others, and whether that is sure."""
    if gives.value is None:
        return UNDEFINED
    return f"{_or_none(format_change(gives.value, digits=DIGITS))}{TURNS[gives.sign]}"


def itself_text(facts: AssessorFacts) -> str:
    """Return how one agrees with what one gave before, and over how many documents."""
    if facts.itself is None:
        return UNDEFINED
    return f"{format_value(facts.itself.value, digits=DIGITS)} ({format_count(facts.n_again)})"


def known_text(facts: AssessorFacts) -> str:
    """Return how many known answers one has given."""
    if not facts.n_known:
        return UNDEFINED
    right, known = format_count(facts.n_right), format_count(facts.n_known)
    return _("{count} of {total}").format(count=right, total=known)


def facts_in_words(facts: AssessorFacts, scale: Scale) -> str:
    """Return an assessor's row as a reader says it."""
    parts = [facts.name]
    parts += [_("model")] * (facts.kind == "model")
    parts.append(_("{count} judged").format(count=format_count(facts.n_judged)))
    parts = [", ".join(parts)]
    parts.append(row_in_words(_("agreement with the others, κ linear,"), facts.others))
    gives = facts.gives
    if gives.value is not None:
        sure = {1: _("surely higher"), -1: _("surely lower"), 0: _("not surely")}[gives.sign]
        change = format_change(gives.value, digits=DIGITS)
        parts.append(f"{_('gives {change} against the others').format(change=change)}, {sure}")
    if facts.itself is not None:
        again = number_of(facts.n_again, "{n} document again", "{n} documents again")
        parts.append(f"{row_in_words(_('with itself'), facts.itself)}, {again}")
    if facts.n_known:
        parts.append(_("known answers {share} right").format(share=known_text(facts)))
    grades = (
        f"{level.shown_name} {format_count(n)}"
        for level, n in zip(scale.levels, facts.n_graded, strict=False)
    )
    parts.append("; ".join(grades))
    parts.append(_("counts") if facts.counts else _("does not count"))
    parts.append(influence_text(facts))
    return "; ".join(filter(None, parts))


# Assessors

INSET = 16
_GAP = 14
_BARS = 54
_BOX = 15
_LEAST_NAME = 96
_MOST_NAME = 60
_MOST_RUN = 28
_MOST_BESIDE = 200
_ROW_GAPS = 16
_WIDE_NAME, _MOST_WIDE_NAME = 150, 300
_LONGEST_INFLUENCE = "model · without: nDCG@10 of a-run-by-name −0.000, 00 pairs turn"
_HEADS = (
    *(N_("Assessor"), "", N_("judged"), N_("others"), "", N_("gives"), N_("self"), N_("known")),
    *(N_("counts"), ""),
)
_NAMES = {
    "pair": N_("Agreement by pair"),
    "query": N_("Agreement by query"),
    "level": N_("Agreement by level"),
}
_DOCUMENTS = N_("documents")
_BY = {"pair": N_("Pair"), "query": N_("Query"), "level": N_("Level")}
_MEANINGS = (
    N_(
        "others: κ linear with each of the others who graded the same documents; each document weighs "
        "alike, and the view does not matter"
    ),
    N_(
        "gives: the grade less the mean of the others’ grades of the same document, on average; ▲ or ▼ "
        "where the 95 % interval leaves out 0"
    ),
)
_HEADS_SAID = N_("Assessor, judged, agreement with the others, gives, self, known, counts")


class _GradeBars(NamedTuple):
    """How often each level was given: small bars, the lowest level first."""

    scale: Scale
    counts: tuple[int, ...]

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw a bar for each level in its colour, the most frequent as high as the place."""
        most, n = max(self.counts, default=0), len(self.counts)
        if not most:
            return
        step = rect.width() / n
        width = max(2.0, min(step - 2, 14.0))
        for place, count in enumerate(self.counts):
            at = n - 1 - place if look.is_mirrored else place
            height = max(1.0 if count else 0.0, round(rect.height() * count / most))
            bar = QRectF(round(rect.left() + at * step), rect.bottom() - height, width, height)
            ink = grade_style(self.scale, self.scale.grades[place], look.theme).ink
            painter.fillRect(bar, ink)
        draw_line(painter, rect.adjusted(0, 0, 0, 1), look.theme.line_strong)


class _CheckPart(NamedTuple):
    """A box with or without a check mark, in the middle of its place."""

    is_on: bool

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the box as check boxes look."""
        theme, side = look.theme, float(scaled(_BOX))
        box = QRectF(0, 0, side, side)
        box.moveCenter(rect.center())
        box.moveTopLeft(box.topLeft().toPoint().toPointF())
        border = theme.accent if self.is_on else theme.line_strong
        ground = theme.accent if self.is_on else theme.base
        draw_frame(painter, box, radius=4, border=border, ground=ground)
        if self.is_on:
            inner = box.adjusted(side * 0.2, side * 0.2, -side * 0.2, -side * 0.2)
            draw_check(painter, inner, theme.on_accent)


class AssessorList(RowView[AssessorFacts]):
    """A row for each assessor; Space, or a click on the box, has them count or not.

    Signals:
        counts_wanted: the box of the current row was clicked, or Space pressed.
    """

    counts_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        self._scale: Scale | None = None
        self._is_wide = False
        self._longest = _LONGEST_INFLUENCE
        super().__init__(
            _("Assessors"), self._row_of, self._places_at, height=self._row_height, parent=parent
        )
        heads = (
            TextPart(_(text), Role.HEAD, "text3", Align.START if place < 2 else Align.END)
            if text
            else None
            for place, text in enumerate(_HEADS)
        )
        meanings = "\n".join(_(each) for each in _MEANINGS)
        self.set_heads(tuple(heads), said=_(_HEADS_SAID), tip=meanings)

    def _row_height(self) -> int:
        """Return the height of a row: a line, and another where the runs have no room beside it."""
        under = 0 if self._is_wide else line_height(Role.META)
        return line_height(Role.UI) + under + scaled(_ROW_GAPS)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show what one does to the runs beside the figures, or under them."""
        self._choose_layout(event.size().width())
        super().resizeEvent(event)

    def _choose_layout(self, width: int) -> None:
        is_wide = self._room_beside(width) > 0
        if is_wide != self._is_wide:
            self._is_wide = is_wide
            self.set_row_height(self._row_height())
            self.updateGeometry()

    def _room_beside(self, width: float) -> float:
        """Return the room that the names have where the runs stand beside the figures; 0 for none."""
        figures = sum(_column_widths()) + len(_column_widths()) * scaled(_GAP)
        runs = text_width(Role.META, self._longest) + 2 * scaled(_GAP)
        room = width - 2 * scaled(INSET) - figures - runs
        return room if room >= scaled(_WIDE_NAME) else 0.0

    def show_overview(self, overview: Overview) -> None:
        """Show the assessors of a project."""
        is_other, self._scale = self._scale != overview.scale, overview.scale
        self._longest = max(_LONGEST_INFLUENCE, *map(_under_text, overview.assessors), key=len)
        self._choose_layout(self.viewport().width())
        self.set_rows(overview.assessors)
        if is_other:
            self.refresh()

    def as_table(self) -> Table:
        """Return heads and cells, for the clipboard."""
        names = ["assessor", "kind", "judged", "others", "low", "high", "gives", "gives low"]
        names += ["gives high", "itself", "again", "right", "known", "counts", "influence"]
        return [names, *(_cells(each) for each in self.rows)]

    def _row_of(self, facts: AssessorFacts) -> Row:
        assert self._scale is not None
        ink = "text" if facts.counts else "text2"
        texts = (
            format_count(facts.n_judged),
            format_value(facts.others.value, digits=DIGITS),
            gives_text(facts.gives),
            itself_text(facts),
            known_text(facts),
        )
        figures = [TextPart(text, ink=ink, align=Align.END) for text in texts]
        parts: Parts = (
            TextPart(one_line(facts.name, most=_MOST_NAME), Role.UI_STRONG, ink),
            TextPart(_under_text(facts), Role.META, "text2"),
            *figures[:2],
            _GradeBars(self._scale, facts.n_graded),
            *figures[2:],
            _CheckPart(facts.counts),
            LinePart(),
        )
        return Row(
            facts.name,
            parts,
            partial(facts_in_words, facts, self._scale),
            partial(_tip, facts),
        )

    def _places_at(self, width: int, _rows: Sequence[Row]) -> Places:
        gap, top, height = scaled(_GAP), scaled(_ROW_GAPS) // 2 - 1, line_height(Role.UI)
        left, right = float(scaled(INSET)), float(width - scaled(INSET))
        widths = _column_widths()
        dropped = _dropped(width - 2 * scaled(INSET) - scaled(_LEAST_NAME), widths, gap)
        under = QRectF(left, top + height, width - 2 * left, line_height(Role.META))
        names = self._room_beside(width)
        if names:
            right = left + min(names, scaled(_MOST_WIDE_NAME)) + sum(widths) + len(widths) * gap
            beside = right + 2 * gap
            under = QRectF(beside, top, width - scaled(INSET) - beside, height)
        places: list[QRectF | None] = []
        for place in reversed(range(len(widths))):
            if place in dropped:
                places.append(None)
                continue
            right -= widths[place]
            # Of the bars the ground line stands on that of the text.
            places.append(QRectF(right, top, widths[place], height))
            right -= gap
        name = QRectF(left, top, right - left, height)
        whole = QRectF(0, 0, width, self._row_height())
        return (name, under, *reversed(places), whole)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row; on its box, have its assessor count or not."""
        super().mousePressEvent(event)
        place = self.places()[-2]
        if place is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        at = event.position().x()
        at = self.viewport().width() - at if self.isRightToLeft() else at
        row = self.rowAt(round(event.position().y()))
        if row >= 0 and place.left() <= at <= place.right():
            self.row_clicked.emit(row)
            self.counts_wanted.emit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Have the current assessor count or not by Space, as a check box does."""
        if event.key() == Qt.Key.Key_Space and not event.modifiers():
            self.counts_wanted.emit()
        else:
            super().keyPressEvent(event)


def _column_widths() -> tuple[float, ...]:
    """Return what the columns after the name need: judged, others, bars, gives, itself, known, counts."""
    heads = [
        text_width(Role.HEAD, text) + 2
        for text in (_(head) if head else "" for head in _HEADS[2:9])
    ]
    cells = ("00,000", "−0.00", "", f"+0.00{TURNS[1]}0", "0.00 (000)", "000 of 000", "")
    needed = [text_width(Role.UI, text) + 2 for text in cells]
    needed[2] = scaled(_BARS)
    return tuple(float(max(pair)) for pair in zip(heads, needed, strict=True))


def _dropped(room: float, widths: Sequence[float], gap: float) -> set[int]:
    """Return which columns there is no room for: first bars, then known answers, then itself."""
    dropped: set[int] = set()
    for place in (2, 5, 4):
        kept = [width + gap for at, width in enumerate(widths) if at not in dropped]
        if sum(kept) <= room:
            break
        dropped.add(place)
    return dropped


def _under_text(facts: AssessorFacts) -> str:
    """Return what stands under an assessor's name, or beside the figures."""
    kind = _("model") if facts.kind == "model" else ""
    return " · ".join(filter(None, (kind, influence_text(facts, most=_MOST_RUN))))


def _tip(facts: AssessorFacts) -> str:
    lines = [row_in_words(_("κ linear with the others"), facts.others)]
    gives = facts.gives
    if gives.low is not None and gives.high is not None:
        low, high = (format_change(each, digits=DIGITS) for each in (gives.low, gives.high))
        lines.append(
            _("gives {change}, 95 % interval {low} to {high}").format(
                change=gives_text(gives), low=low, high=high
            )
        )
    lines.append(influence_text(facts))
    return "\n".join(filter(None, lines))


def _cells(facts: AssessorFacts) -> list[str]:
    gives, itself = facts.gives, facts.itself
    return [
        facts.name,
        facts.kind,
        str(facts.n_judged),
        *map(number_cell, (facts.others.value, facts.others.low, facts.others.high)),
        *map(number_cell, (gives.value, gives.low, gives.high)),
        number_cell(itself.value if itself else None),
        str(facts.n_again),
        str(facts.n_right),
        str(facts.n_known),
        "yes" if facts.counts else "no",
        influence_text(facts),
    ]


class FigureStrip(Panel):
    """The agreement of all who count: a figure and its interval beside each other, or why there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: tuple[AgreementRow, ...] = ()
        self.figures = [
            PieceView(partial(self._pieces, place), partial(line_height, Role.TITLE))
            for place in range(len(TITLES))
        ]
        self.sentence = ElidedLabel("", ink="text2")
        side = scaled(INSET)
        self.ends = ElidedLabel("", role=Role.META, ink="text2")
        self.ends.setVisible(False)
        row = FlowLayout(gap=scaled(22))
        for part in (*self.figures, self.sentence):
            row.put(part)
        row.let_grow(1)
        margins = (side, scaled(8), side, scaled(8))
        in_column(row, self.ends, host=self, spacing=scaled(4), margins=margins)

    @property
    def _is_whole(self) -> bool:
        """Whether there is room for the intervals."""
        every = (self._pieces(place, is_whole=True) for place in range(len(self._rows)))
        needed = sum(each.gap + each.width for each in chain.from_iterable(every))
        return needed + (len(self._rows) + 1) * scaled(22) <= self.width()

    def clear(self) -> None:
        """Show no figures: they are not known yet."""
        self._rows = ()
        self.sentence.set_text("")
        self.ends.setVisible(False)
        for view in self.figures:
            view.setVisible(False)

    def show_overview(self, overview: Overview) -> None:
        """Show other figures."""
        self._rows = overview.figures
        has_any = overview.n_documents > 0
        self.sentence.set_text(_shared_text(overview) if has_any else nothing_shared(overview))
        self.sentence.set_meaning(_("Documents that at least two of those who count graded"))
        for view, row in zip(self.figures, self._rows, strict=True):
            said = row_in_words(_(TITLES[row.measure.name]), row)
            view.setVisible(has_any)
            view.setAccessibleName(said)
            view.setToolTip(f"{row.measure}: {said}")
            view.show_anew()
        self._show_ends()

    def _show_ends(self) -> None:
        """Show the intervals under the figures where there is no room beside them."""
        found = ((_(TITLES[row.measure.name]), interval_text(row)) for row in self._rows)
        texts = [f"{title} {ends}" for title, ends in found if ends]
        self.ends.set_text(f"95 %: {', '.join(texts)}")
        self.ends.setVisible(bool(texts) and not self._is_whole)

    def _pieces(self, place: int, *, is_whole: bool | None = None) -> tuple[Piece, ...]:
        if place >= len(self._rows):
            return ()
        row = self._rows[place]
        name, value = _(TITLES[row.measure.name]), format_value(row.value, digits=DIGITS)
        ends = interval_text(row) if (self._is_whole if is_whole is None else is_whole) else ""
        pieces = [
            Piece(TextPart(name, ink="text2"), text_width(Role.UI, name) + 1),
            Piece(TextPart(value, Role.TITLE), text_width(Role.TITLE, value) + 1, scaled(6)),
        ]
        if ends:
            part = TextPart(ends, Role.META, "text2")
            pieces.append(Piece(part, text_width(Role.META, ends) + 1, scaled(6)))
        return tuple(pieces)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show intervals beside the figures, or under them."""
        super().resizeEvent(event)
        self._show_ends()
        for view in self.figures:
            view.show_anew()


def _shared_text(overview: Overview) -> str:
    documents, queries = overview.n_documents, overview.n_queries
    texts = number_of(documents, "{n} document", "{n} documents")
    return f"{texts}, {number_of(queries, '{n} query', '{n} queries')}"


def nothing_shared(overview: Overview) -> str:
    """Return what to do where no document has two grades that count."""
    n = sum(each.counts for each in overview.assessors)
    # With whom those agree who do not count is said of those who do.
    if not n or any(not each.counts and each.others.n_documents for each in overview.assessors):
        return number_of(
            n,
            "{n} assessor counts, and no document has grades of two of them: let another one count.",
            "{n} assessors count, and no document has grades of two of them: let another one count.",
        )
    return number_of(
        n,
        "{n} assessor counts, and no document has grades of two of them: have some judge the same "
        "documents.",
        "{n} assessors count, and no document has grades of two of them: have some judge the same "
        "documents.",
    )


class ScopeLine(NamedTuple):
    """The agreement of a pair, query or level, by each measure of the head.

    Attributes:
        scope: as the measures name it.
        rows: one of each measure.
        beside: stands beside the name: the other one of a pair, the text of a query.
        titles: what the measures are called.
    """

    scope: str
    rows: tuple[AgreementRow, ...]
    beside: str = ""
    titles: Mapping[str, str] = TITLES

    @property
    def name(self) -> str:
        """What it is of, for people."""
        return _("all") if self.scope == ALL else self.scope.replace("|", " · ")

    @property
    def n_documents(self) -> int:
        """How many documents it is of; each measure of the head is of the same."""
        return max(row.n_documents for row in self.rows)

    @property
    def first(self) -> str:
        """What stands first: of a pair only the one."""
        return self.name.removesuffix(f" · {self.beside}") if self.beside else self.name


def _scope_lines(
    rows: Sequence[AgreementRow], texts: Mapping[str, str], titles: Mapping[str, str]
) -> list[ScopeLine]:
    """Return a line for each scope, in the order of the rows; ``texts`` stand beside their names."""
    by_scope: dict[str, list[AgreementRow]] = {}
    for row in rows:
        by_scope.setdefault(row.scope, []).append(row)
    return [
        ScopeLine(scope, tuple(found), texts.get(scope) or scope.partition("|")[2], titles)
        for scope, found in by_scope.items()
    ]


class ScopeList(RowView[ScopeLine]):
    """A row for each pair, query or level: value and interval by each measure of the head."""

    def __init__(self, parent: QWidget) -> None:
        name = _("Agreement by pair")
        super().__init__(name, _scope_row, _scope_places, height=_scope_height, parent=parent)
        self._titles: Mapping[str, str] = TITLES

    def show_scopes(self, by: str, rows: Sequence[AgreementRow], texts: Mapping[str, str]) -> None:
        """Show other rows; ``texts`` are those of queries by id, or names of levels by grade."""
        self.setAccessibleName(_(_NAMES[by]))
        self._titles = _OF_LEVELS if by == "level" else TITLES
        titles = in_words(self._titles).values()
        figures = (
            part
            for name in titles
            for part in (TextPart(name, Role.HEAD, "text3", Align.END), None)
        )
        first = _(_BY[by])
        documents = _(_DOCUMENTS)
        head = TextPart(documents, Role.HEAD, "text3", Align.END)
        heads = (TextPart(first, Role.HEAD, "text3"), None, head, *figures, None)
        self.set_heads(heads, said=", ".join((mid_sentence(first), documents, *titles)))
        self.set_rows(_scope_lines(rows, texts, self._titles))

    def as_table(self) -> Table:
        """Return heads and cells, for the clipboard."""
        heads = [each for name in self._titles.values() for each in (name, "low", "high")]
        cells = (
            [
                line.name,
                str(line.n_documents),
                *(number_cell(each) for row in line.rows for each in _figures_of(row)),
            ]
            for line in self.rows
        )
        return [["", "documents", *heads], *cells]


def _figures_of(row: AgreementRow) -> tuple[float | None, ...]:
    """Return value and ends, as they are shown."""
    return (row.value, None, None) if _are_few(row) else (row.value, row.low, row.high)


def _scope_height() -> int:
    return line_height(Role.UI) + scaled(12)


def _scope_row(line: ScopeLine) -> Row:
    is_pair = line.first != line.name
    beside = TextPart(
        one_line(line.beside, most=_MOST_BESIDE),
        Role.UI_STRONG if is_pair else Role.UI,
        "text" if is_pair else "text2",
    )
    parts: list[TextPart | LinePart | None] = [
        TextPart(one_line(line.first, most=_MOST_NAME), Role.UI_STRONG),
        beside if line.beside else None,
        TextPart(format_count(line.n_documents), ink="text2", align=Align.END),
    ]
    for row in line.rows:
        parts.append(TextPart(format_value(row.value, digits=DIGITS), align=Align.END))
        ends = _("too few") if _are_few(row) else interval_text(row)
        parts.append(TextPart(ends, Role.META, "text2") if ends else None)
    said = [row_in_words(_(line.titles[row.measure.name]), row) for row in line.rows]
    name = line.name if is_pair or not line.beside else f"{line.name}, {line.beside}"
    said = [name, number_of(line.n_documents, "{n} document", "{n} documents"), *said]
    return Row(line.scope, (*parts, LinePart()), "; ".join(said), "\n".join(said))


def _scope_places(width: int, rows: Sequence[Row]) -> Places:
    height, gap, n = _scope_height(), scaled(_GAP), len(TITLES)
    titles = (*in_words(TITLES).values(), *in_words(_OF_LEVELS).values())
    value = max(text_width(Role.HEAD, each) for each in (*titles, "0.00000")) + 2
    ends = text_width(Role.META, "−0.00 to −0.00") + 2
    count = max(text_width(Role.HEAD, _(_DOCUMENTS)), text_width(Role.UI, "00,000")) + 2
    room = width - 2 * scaled(INSET) - n * (value + gap) - count - gap
    has_ends = any(row.parts[4::2][:n].count(None) < n for row in rows)
    is_whole = has_ends and room - n * (ends + gap // 2) >= scaled(_LEAST_NAME)
    room -= n * (ends + gap // 2) if is_whole else 0
    first, beside = (widest_text(rows, place) for place in (0, 1))
    first = max(first, *(text_width(Role.HEAD, each) + 2 for each in in_words(_BY).values()))
    most = scaled(_MOST_WIDE_NAME)
    if beside:
        first = min(first, room // 2 - gap)
        beside = min(beside, room - first - gap)
        # Figures stand in the middle of a wide window, not at its end.
        name = max(first + gap + beside, min(room, most))
    else:
        name = first = min(room, most)
    at = float(scaled(INSET))
    places: list[QRectF | None] = [
        QRectF(at, 0, first, height),
        QRectF(at + first + gap, 0, name - first - gap, height) if beside else None,
        QRectF(at + name + gap, 0, count, height),
    ]
    at += name + gap + count
    for __ in range(n):
        places.append(QRectF(at + gap, 0, value, height))
        at += gap + value
        places.append(QRectF(at + gap // 2, 0, ends, height) if is_whole else None)
        at += gap // 2 + ends if is_whole else 0
    return (*places, QRectF(0, 0, width, height))
