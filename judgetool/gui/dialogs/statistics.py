"""Statistics: how judging went, by assessor and by query, and what may sway a grade."""

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QStyleOptionViewItem,
    QTableWidgetItem,
    QWidget,
)

from judgetool.core import override
from judgetool.core.clock import IDLE_AFTER_MS, day_format, iso_utc, local_moment
from judgetool.core.number_text import NO_CHANGE, UNDEFINED, number_of
from judgetool.core.terms import one_line
from judgetool.errors import JudgetoolError
from judgetool.formats.writers.values import Formulas
from judgetool.gui.dialogs import Choice, FileKind
from judgetool.gui.dialogs.act_dialog import ActDialog, push_button
from judgetool.gui.dialogs.framed_list import FigureTable, Index, WholeRows
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.painting import (
    format_change,
    format_count,
    format_grade,
    format_value,
    grade_style,
)
from judgetool.gui.theme import Role, current_theme, font, scaled
from judgetool.gui.widgets.buttons import Segment, Segmented
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import in_column, in_line
from judgetool.gui.widgets.small_charts import BarRow, BarRows, draw_histogram
from judgetool.session.effort import (
    EffortBy,
    EffortSummary,
    EffortTable,
    GradesAfter,
    GradesAt,
    count_without_place,
    effort_table,
    grade_after_grade,
    grade_by_position,
    write_effort_csv,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _, pgettext

LEAST_TOLD = 20
"""A mean of fewer grades is shown with their number, and no sentence rests on it."""
# Differences of the mean grade below this are not made anything of.
LEAST_EFFECT = 0.1
CSV = FileKind(N_("Tables"), (".csv",))
_BARS = Qt.ItemDataRole.UserRole
_MOST_TEXT = 60
_MOST_ROWS = 12


def format_seconds(time_ms: float | None) -> str:
    """Return a short time: ``3.4 s``."""
    return (
        UNDEFINED
        if time_ms is None
        else _("{n} s").format(n=format_value(time_ms / 1000, digits=1))
    )


def format_duration(time_ms: float | None) -> str:
    """Return a long time: ``42 s``, ``12 min``, ``2 h 05 min``."""
    if time_ms is None:
        return UNDEFINED
    seconds = round(time_ms / 1000)
    if seconds < 90:
        return _("{n} s").format(n=seconds)
    minutes = round(seconds / 60)
    return (
        _("{minutes} min").format(minutes=minutes)
        if minutes < 90
        else _("{hours} h {minutes} min").format(hours=minutes // 60, minutes=f"{minutes % 60:02}")
    )


def format_moment(at: int) -> str:
    """Return a moment of the clock on the wall here: ``11-21 14:32``, with the year if it is past."""
    moment, today = local_moment(at), datetime.now().astimezone()
    if moment is None:
        return iso_utc(at)
    this_year = pgettext("a day of this year, as strftime writes it", "%m-%d")
    return moment.strftime(f"{this_year} %H:%M" if moment.year == today.year else day_format())


class _Column(NamedTuple):
    """A number of the table: its head, what it means, and how it is written."""

    title: str
    help: str
    text: Callable[[EffortSummary], str]


_COLUMNS = (
    _Column(
        N_("Judged"),
        N_("Documents with a grade that holds: neither undone nor taken back"),
        lambda row: format_count(row.n_judged),
    ),
    _Column(
        N_("Cannot"),
        N_(
            "Times that a document was said to be impossible to judge, also where it has a grade now"
        ),
        lambda row: format_count(row.n_cannot_judge),
    ),
    _Column(
        N_("Skipped"),
        N_("Times that a document was put off, also where it has a grade now"),
        lambda row: format_count(row.n_skipped),
    ),
    _Column(
        N_("Median"),
        N_("Median active time of a grade; grades of many at once are left out"),
        lambda row: format_seconds(row.median_ms),
    ),
    _Column(N_("Active"), N_("Active time in all"), lambda row: format_duration(row.active_ms)),
    _Column(
        N_("Per hour"),
        N_(
            "Documents judged in an hour of all active time, with short pauses, skips and what was "
            "undone; the pace in the status line, of the latest judgments without pauses, is higher"
        ),
        lambda row: UNDEFINED if row.per_hour is None else format_count(round(row.per_hour)),
    ),
    _Column(
        N_("By key"),
        N_("Share that was said by key rather than by mouse"),
        lambda row: (
            UNDEFINED if row.key_share is None else _("{n}%").format(n=round(100 * row.key_share))
        ),
    ),
    _Column(
        N_("Changed"),
        N_("Grades that were changed or taken back later"),
        lambda row: format_count(row.n_changed),
    ),
    _Column(
        N_("Undone"),
        N_("Judgments that were undone and not done again"),
        lambda row: format_count(row.n_undone),
    ),
    _Column(N_("Last"), N_("When the last one was made"), lambda row: format_moment(row.last_at)),
)


def describe_totals(rows: Sequence[EffortSummary]) -> str:
    """Return in a sentence what all assessors did together."""
    if not rows:
        return _("Nobody has judged here yet. What was imported is not counted.")
    judged = sum(row.n_judged for row in rows)
    active = [row.active_ms for row in rows if row.active_ms is not None]
    who = number_of(len(rows), "{n} assessor", "{n} assessors")
    count = number_of(judged, "{n} grade", "{n} grades")
    spent = (
        " " + _("in {duration} of active time").format(duration=format_duration(sum(active)))
        if active
        else ""
    )
    return _(
        "{who}, {count}{spent}. Of a pause without key, click or scrolling only the first "
        "{seconds} seconds count. What was imported is left out. The charts count every grade that was "
        "given, those changed later, too."
    ).format(who=who, count=count, spent=spent, seconds=IDLE_AFTER_MS // 1000)


def describe_after(rows: Sequence[GradesAfter]) -> str:
    """Return in a sentence whether grades follow the grade before them."""
    known = [row for row in rows if row.previous_grade is not None and row.n >= LEAST_TOLD]
    if len(known) < 2:
        return _(
            "Too few grades to say: at least {count} are needed after each of two grades."
        ).format(count=LEAST_TOLD)
    low, high = known[0], known[-1]
    difference = high.mean - low.mean
    if abs(difference) < LEAST_EFFECT:
        said = _("No effect is seen: after a {high} the next grade is as high as after a {low}.")
    elif difference > 0:
        said = _(
            "After a {high} the next grade is {amount} higher on average than after a {low}: alike "
            "documents may stand together, or grades may follow each other."
        )
    else:
        said = _(
            "After a {high} the next grade is {amount} lower on average than after a {low}: "
            "assessors may judge by contrast with the document before."
        )
    amount = format_value(abs(difference), digits=2)
    return said.format(high=_grade(high), low=_grade(low), amount=amount)


def _grade(row: GradesAfter) -> str:
    return format_grade(row.previous_grade) if row.previous_grade is not None else UNDEFINED


def describe_positions(rows: Sequence[GradesAt], *, n_without: int = 0) -> str:
    """Return in a sentence whether grades change along the lists, and how many came otherwise."""
    if not n_without:
        return _describe_places(rows)
    left_out = number_of(
        n_without,
        "{n} grade is left out: its document came otherwise than along the list, as by lot.",
        "{n} grades are left out: their documents came otherwise than along the list, as by lot.",
    )
    return f"{_describe_places(rows)} {left_out}" if rows else left_out


def _describe_places(rows: Sequence[GradesAt]) -> str:
    known = [row for row in rows if row.n >= LEAST_TOLD]
    if len(known) < 2:
        return _(
            "Too few grades to say: at least {count} are needed at two parts of the list."
        ).format(count=LEAST_TOLD)
    first, last = known[0], known[-1]
    change = format_change(last.mean - first.mean, digits=2)
    changes = (
        _("stays the same")
        if change == NO_CHANGE
        else _("changes by {change}").format(change=change)
    )
    return _(
        "From places {first_places} to {last_places} of a query’s list the mean grade {changes}. "
        "In the order of ranks it falls because systems put the best first; in a random order "
        "it should stay."
    ).format(
        first_places=f"{first.first}–{first.last}",
        last_places=f"{last.first}–{last.last}",
        changes=changes,
    )


class StatisticsWindow(ActDialog):
    """Stands beside the main window; judging goes on under it.

    Args:
        session: the project.
        prompter: asks for a place.

    Attributes:
        by: whether a row is an assessor or an assessor's query.
        table: the rows.
        after: mean grade by the grade before.
        positions: mean grade by place in the query's list.
    """

    def __init__(self, session: Session, prompter: Prompter) -> None:
        super().__init__(_("Statistics"), verb=_("Export CSV…"), width=1040)
        self.setModal(False)
        self._session = session
        self._prompter = prompter
        self.cancel.setText(_("Close"))
        self.again = self.add_to_foot(push_button(_("Count again"), self.count))
        self.set_verb(self._export)
        self.totals = self.add_text()
        self.by = Segmented(
            (
                Segment("assessor", _("By assessor"), "user"),
                Segment("query", _("By query"), "search"),
            )
        )
        self.by.chosen.connect(self._show)
        self.add_line(self.by, None)
        self.table = self.first = self.add_list(FigureTable(_("Statistics of judging")), height=130)
        self.table.horizontalHeader().setMinimumSectionSize(scaled(52))
        self.table.setItemDelegate(_Cells(self.table))
        self.table.setFont(font(Role.META))
        self.after, self.after_text = BarRows(), Text("", ink="text2")
        self.positions, self.positions_text = BarRows(), Text("", ink="text2")
        effects = (
            (_("Mean grade by the grade just before"), self.after, self.after_text),
            (_("Mean grade by place in the query’s list"), self.positions, self.positions_text),
        )
        columns = [
            in_column(Text(title, role=Role.UI_STRONG), bars, sentence, None, spacing=6)
            for title, bars, sentence in effects
        ]
        self.body.addLayout(in_line(*columns, spacing=28))
        self.count()

    # Counting

    def count(self) -> None:
        """Read the log and show what it says now."""
        self._counted: EffortTable = effort_table(self._session)
        records = self._counted.records
        after = grade_after_grade(records)
        positions = grade_by_position(records)
        self.totals.setText(describe_totals(self._counted.by_assessor))
        befores = [
            _("no grade before")
            if row.previous_grade is None
            else _("after {grade}").format(grade=format_grade(row.previous_grade))
            for row in after[:_MOST_ROWS]
        ]
        self.after.set_rows(
            [self._bar(name, row) for name, row in zip(befores, after, strict=False)]
        )
        self.after_text.setText(describe_after(after))
        places = positions[:_MOST_ROWS]
        self.positions.set_rows([self._bar(f"{row.first}–{row.last}", row) for row in places])
        n_without = count_without_place(records)
        self.positions_text.setText(describe_positions(positions, n_without=n_without))
        self.verb.setEnabled(bool(records))
        self._show()

    def _bar(self, name: str, row: GradesAfter | GradesAt) -> BarRow:
        lowest, highest = self._session.scale.levels[0].grade, self._session.scale.max_grade
        share = (row.mean - lowest) / (highest - lowest) if highest > lowest else 0.0
        text = f"{format_value(row.mean, digits=2)}  n = {format_count(row.n)}"
        return BarRow(name, min(1.0, max(0.0, share)), text)

    def _show(self) -> None:
        table, is_by_query = self.table, self.by.current == "query"
        rows = self._counted.by_query if is_by_query else self._counted.by_assessor
        # When a query was judged last is left to the file: its text needs the room.
        columns = _COLUMNS[: len(_COLUMNS) - is_by_query]
        names: dict[str, Callable[[EffortSummary], str]] = {_("Assessor"): attrgetter("assessor")}
        names |= {_("Query"): self._query_text} if is_by_query else {}
        heads = [*names, *(_(each.title) for each in columns), _("Grades")]
        shown = [
            [
                *(one_line(text(row), most=_MOST_TEXT) for text in names.values()),
                *(each.text(row) for each in columns),
                "",
            ]
            for row in rows
        ]
        last = len(heads) - 1
        texts = (*range(len(names)), last)
        table.show_rows(heads, shown, wide=(int(is_by_query),), texts=texts)
        across = Qt.Orientation.Horizontal
        helps = [
            *(_(each.help) for each in columns),
            _("How often each grade was given, lowest first"),
        ]
        for column, said in enumerate(helps, len(names)):
            table.model().setHeaderData(column, across, said, Qt.ItemDataRole.ToolTipRole)
        for place, row in enumerate(rows):
            table.setItem(place, last, self._grades_item(row))

    def _query_text(self, row: EffortSummary) -> str:
        query = self._session.material.queries[row.query or 0]
        return query.text or query.id

    def _grades_item(self, row: EffortSummary) -> QTableWidgetItem:
        item = QTableWidgetItem()
        grades = sorted({level.grade for level in self._session.scale.levels} | {*row.grade_counts})
        theme, scale = current_theme(), self._session.scale
        bars = [
            (row.grade_counts.get(grade, 0), grade_style(scale, grade, theme).ink)
            for grade in grades
        ]
        item.setData(_BARS, bars)
        said = ", ".join(
            f"{format_grade(grade)}: {format_count(row.grade_counts.get(grade, 0))}"
            for grade in grades
        )
        item.setToolTip(said)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
        return item

    # Taking it along

    def _export(self) -> None:
        by: EffortBy | None = self._ask_rows()
        if by is None:
            return
        suggested = self._session.path.with_name(f"{self._session.path.stem}-effort-{by}.csv")
        place = self._prompter.choose_place(_("Export statistics"), suggested, kinds=(CSV,))
        if place is not None:
            self._write(place, by)

    def _ask_rows(self) -> EffortBy | None:
        rows: dict[EffortBy, str] = {
            "judgment": _("Each judgment"),
            "query": _("Assessor and query"),
            "assessor": _("Each assessor"),
        }
        choices = [Choice(by, text) for by, text in rows.items()]
        answer = self._prompter.ask(_("What is a row of the table?"), choices)
        return next((by for by in rows if by == answer), None)

    def _write(self, place: Path, by: EffortBy) -> None:
        try:
            notes = write_effort_csv(self._session, place, by=by, formulas=Formulas.REFUSE_IDS)
        except JudgetoolError as problem:
            self._prompter.tell(str(problem))
            return
        self.show_remark(" ".join([_("Written to {name}.").format(name=place.name), *notes]))

    @classmethod
    def show_beside(
        cls, above: QWidget, session: Session, prompter: Prompter, *, closes_with: QObject
    ) -> "StatisticsWindow":
        """Show it until it or the project is closed."""
        window = cls(session, prompter).above(above)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        closes_with.destroyed.connect(window.close)
        window.resize_within_screen(scaled(1040), scaled(640))
        window.show()
        return window


class _Cells(WholeRows):
    """Cells in the theme's ground, the last one as bars."""

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> None:
        """Paint text as always, and bars."""
        super().paint(painter, option, index)
        bars = index.data(_BARS)
        if bars:
            painter.save()
            room = QRectF(option.rect).adjusted(scaled(8), scaled(5), -scaled(8), -scaled(5))
            room.setWidth(min(room.width(), scaled(22) * len(bars)))
            draw_histogram(painter, room, current_theme(), bars)
            painter.restore()

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for the text, or for a few bars."""
        size = super().sizeHint(option, index)
        bars = index.data(_BARS)
        width = scaled(20) * len(bars) + scaled(16) if bars else size.width() + scaled(8)
        return QSize(width, size.height())
