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

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import (
    NO_CHANGE,
    UNDEFINED,
    count_noun,
    format_change,
    format_count,
    format_value,
)
from judgetool.core.override import override
from judgetool.core.scale import format_grade
from judgetool.errors import JudgetoolError
from judgetool.formats.writers.values import Formulas
from judgetool.gui.dialogs.act_dialog import ActDialog, push_button
from judgetool.gui.dialogs.framed_list import FigureTable, Index, WholeRows
from judgetool.gui.fonts import Role, font, scaled
from judgetool.gui.grade_style import grade_style
from judgetool.gui.questions import Choice, FileKind, Prompter
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.buttons import Segment, Segmented
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import in_column, in_line
from judgetool.gui.widgets.small_charts import BarRow, BarRows, draw_histogram
from judgetool.session.effort import (
    IDLE_AFTER_MS,
    EffortSummary,
    EffortTable,
    GradesAfter,
    GradesAt,
    effort_table,
    grade_after_grade,
    grade_by_position,
)
from judgetool.session.exports.effort_rows import EffortBy, write_effort_csv
from judgetool.session.session import Session

LEAST_TOLD = 5
# Differences of the mean grade below this are not made anything of.
LEAST_EFFECT = 0.1
CSV = FileKind("Tables", (".csv",))
_BARS = Qt.ItemDataRole.UserRole
_MOST_TEXT = 60
_MOST_ROWS = 12


def format_seconds(time_ms: float | None) -> str:
    """Return a short time: ``3.4 s``."""
    return UNDEFINED if time_ms is None else f"{time_ms / 1000:.1f} s"


def format_duration(time_ms: float | None) -> str:
    """Return a long time: ``42 s``, ``12 min``, ``2 h 05 min``."""
    if time_ms is None:
        return UNDEFINED
    seconds = round(time_ms / 1000)
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def format_moment(at: int) -> str:
    """Return a moment of the clock on the wall here: ``11-21 14:32``, with the year if it is past."""
    moment, today = datetime.fromtimestamp(at / 1000).astimezone(), datetime.now().astimezone()
    return moment.strftime("%m-%d %H:%M" if moment.year == today.year else "%Y-%m-%d")


class _Column(NamedTuple):
    """A number of the table: its head, what it means, and how it is written."""

    title: str
    help: str
    text: Callable[[EffortSummary], str]


_COLUMNS = (
    _Column(
        "Judged",
        "Documents with a grade that holds: neither undone nor taken back",
        lambda row: format_count(row.n_judged),
    ),
    _Column(
        "Cannot",
        "Times that a document was said to be impossible to judge",
        lambda row: format_count(row.n_cannot_judge),
    ),
    _Column(
        "Skipped",
        "Times that a document was put off",
        lambda row: format_count(row.n_skipped),
    ),
    _Column(
        "Median",
        "Median active time of a grade; grades of many at once are left out",
        lambda row: format_seconds(row.median_ms),
    ),
    _Column("Active", "Active time in all", lambda row: format_duration(row.active_ms)),
    _Column(
        "Per hour",
        "Documents judged in an hour of all active time, with short pauses, skips and what was "
        "undone; the pace in the status line, of the latest judgments without pauses, is higher",
        lambda row: UNDEFINED if row.per_hour is None else format_count(round(row.per_hour)),
    ),
    _Column(
        "By key",
        "Share that was said by key rather than by mouse",
        lambda row: UNDEFINED if row.key_share is None else f"{row.key_share:.0%}",
    ),
    _Column(
        "Changed",
        "Grades that were changed or taken back later",
        lambda row: format_count(row.n_changed),
    ),
    _Column(
        "Undone",
        "Judgments that were undone and not done again",
        lambda row: format_count(row.n_undone),
    ),
    _Column("Last", "When the last one was made", lambda row: format_moment(row.last_at)),
)


def describe_totals(rows: Sequence[EffortSummary]) -> str:
    """Return in a sentence what all assessors did together."""
    if not rows:
        return "Nobody has judged here yet. What was imported is not counted."
    judged = sum(row.n_judged for row in rows)
    active = [row.active_ms for row in rows if row.active_ms is not None]
    who = count_noun(len(rows), "assessor")
    count = count_noun(judged, "grade")
    spent = f" in {format_duration(sum(active))} of active time" if active else ""
    return (
        f"{who}, {count}{spent}. Of a pause without key, click or scrolling only the first "
        f"{IDLE_AFTER_MS // 1000} seconds count. What was imported is left out."
    )


def describe_after(rows: Sequence[GradesAfter]) -> str:
    """Return in a sentence whether grades follow the grade before them."""
    known = [row for row in rows if row.previous_grade is not None and row.n >= LEAST_TOLD]
    if len(known) < 2:
        return f"Too few grades to say: at least {LEAST_TOLD} are needed after each of two grades."
    low, high = known[0], known[-1]
    difference = high.mean - low.mean
    before = f"after a {_grade(high)} the next grade is"
    if abs(difference) < LEAST_EFFECT:
        return f"No effect is seen: {before} as high as after a {_grade(low)}."
    word = "higher" if difference > 0 else "lower"
    why = (
        "alike documents may stand together, or grades may follow each other"
        if difference > 0
        else "assessors may judge by contrast with the document before"
    )
    amount = format_value(abs(difference), digits=2)
    return f"{before[0].upper()}{before[1:]} {amount} {word} on average than after a {_grade(low)}: {why}."


def _grade(row: GradesAfter) -> str:
    return format_grade(row.previous_grade) if row.previous_grade is not None else UNDEFINED


def describe_positions(rows: Sequence[GradesAt]) -> str:
    """Return in a sentence whether grades change along the queue."""
    known = [row for row in rows if row.n >= LEAST_TOLD]
    if len(known) < 2:
        return f"Too few grades to say: at least {LEAST_TOLD} are needed at two parts of the queue."
    first, last = known[0], known[-1]
    change = format_change(last.mean - first.mean, digits=2)
    changes = "stays the same" if change == NO_CHANGE else f"changes by {change}"
    return (
        f"From places {first.first}–{first.last} to {last.first}–{last.last} the mean grade "
        f"{changes}. In the order of ranks it falls because systems put the best first; in a "
        "random order it should stay."
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
        positions: mean grade by place in the queue.
    """

    def __init__(self, session: Session, prompter: Prompter) -> None:
        super().__init__("Statistics", verb="Export CSV…", width=1040)
        self.setModal(False)
        self._session = session
        self._prompter = prompter
        self.cancel.setText("Close")
        self.again = self.add_to_foot(push_button("Count again", self.count))
        self.set_verb(self._export)
        self.totals = self.add_text()
        self.by = Segmented(
            (Segment("assessor", "By assessor", "user"), Segment("query", "By query", "search"))
        )
        self.by.chosen.connect(lambda _name: self._show())
        self.add_line(self.by, None)
        self.table = self.first = self.add_list(FigureTable("Statistics of judging"), height=130)
        self.table.horizontalHeader().setMinimumSectionSize(scaled(52))
        self.table.setItemDelegate(_Cells(self.table))
        self.table.setFont(font(Role.META))
        self.after, self.after_text = BarRows(), Text("", ink="text2")
        self.positions, self.positions_text = BarRows(), Text("", ink="text2")
        effects = (
            ("Mean grade by the grade just before", self.after, self.after_text),
            ("Mean grade by place in the queue", self.positions, self.positions_text),
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
            "no grade before"
            if row.previous_grade is None
            else f"after {format_grade(row.previous_grade)}"
            for row in after[:_MOST_ROWS]
        ]
        self.after.set_rows(
            [self._bar(name, row) for name, row in zip(befores, after, strict=False)]
        )
        self.after_text.setText(describe_after(after))
        places = positions[:_MOST_ROWS]
        self.positions.set_rows([self._bar(f"{row.first}–{row.last}", row) for row in places])
        self.positions_text.setText(describe_positions(positions))
        self.verb.setEnabled(bool(records))
        self._show()

    def _bar(self, name: str, row: GradesAfter | GradesAt) -> BarRow:
        lowest, highest = self._session.scale.levels[0].grade, self._session.scale.max_grade
        share = (row.mean - lowest) / (highest - lowest) if highest > lowest else 0.0
        text = f"{format_value(row.mean, digits=2)}  n = {format_count(row.n)}"
        return BarRow(name, min(1.0, max(0.0, share)), text)

    @property
    def _rows(self) -> Sequence[EffortSummary]:
        is_by_query = self.by.current == "query"
        return self._counted.by_query if is_by_query else self._counted.by_assessor

    def _show(self) -> None:
        table, rows = self.table, self._rows
        is_by_query = self.by.current == "query"
        # When a query was judged last is left to the file: its text needs the room.
        columns = _COLUMNS[: len(_COLUMNS) - is_by_query]
        names: dict[str, Callable[[EffortSummary], str]] = {"Assessor": attrgetter("assessor")}
        names |= {"Query": self._query_text} if is_by_query else {}
        heads = [*names, *(each.title for each in columns), "Grades"]
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
        helps = [*(each.help for each in columns), "How often each grade was given, lowest first"]
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
        place = self._prompter.choose_place("Export statistics", suggested, kinds=(CSV,))
        if place is not None:
            self._write(place, by)

    def _ask_rows(self) -> EffortBy | None:
        rows: dict[EffortBy, str] = {
            "judgment": "Each judgment",
            "query": "Assessor and query",
            "assessor": "Each assessor",
        }
        choices = [Choice(by, text) for by, text in rows.items()]
        answer = self._prompter.ask("What is a row of the table?", choices)
        return next((by for by in rows if by == answer), None)

    def _write(self, place: Path, by: EffortBy) -> None:
        try:
            notes = write_effort_csv(self._session, place, by=by, formulas=Formulas.REFUSE_IDS)
        except JudgetoolError as problem:
            self._prompter.tell(str(problem))
            return
        self.show_remark(" ".join([f"Written to {place.name}.", *notes]))

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
