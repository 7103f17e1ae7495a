"""How a value comes about: rank by rank, with the division at the end."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from judgetool.core import override
from judgetool.core.judgments import State
from judgetool.core.number_text import UNDEFINED
from judgetool.core.scale import Scale
from judgetool.gui.painting import format_count, format_grade, format_value
from judgetool.gui.table_copy import Table, as_sheet, offer_copy
from judgetool.gui.theme import Role, fits, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import Section, SectionHeader
from judgetool.gui.widgets.labels import (
    Align,
    FillPart,
    LinePart,
    Part,
    Places,
    Row,
    SymbolPart,
    TextPart,
)
from judgetool.gui.widgets.painted import Panel, in_column
from judgetool.gui.widgets.rows import Ground, RowView
from judgetool.metrics.explain import (
    ASSUMED,
    ExplainedRow,
    Explanation,
    FootCell,
    format_foot,
)
from judgetool.metrics.terms import Column
from judgetool.wording import _, local_number, translated

_INSET = 14
_ROW = 20
_DISC = 12
_LEAST_GAP = 6
# The rows under the ranks; the remark has a row for each of its lines.
_SUMS, _DIVISION, _REMARK = range(3)
_MOST_LINES = 3


class ExplainRow(NamedTuple):
    """One rank.

    Attributes:
        cells: one text per column.
        grade: drawn as a symbol before the text of the grade column; ``None`` for none.
        state: of the judgment, where there is no grade.
        is_unjudged: whether the row counts by the policy for unjudged documents only.
        is_current: whether it is the current document's.
    """

    cells: tuple[str, ...]
    grade: float | None = None
    state: State = State.UNJUDGED
    is_unjudged: bool = False
    is_current: bool = False


class ShownExplanation(NamedTuple):
    """All that the table shows.

    Attributes:
        heads: one per column.
        rows: top rank first.
        foot: one text per column, such as the sums; the first, of what no column sums up, may
            reach over empty ones.
        arithmetic: the last line, such as ``5.51778 ÷ 5.82347 =``.
        result: its end, set strong, such as ``0.9383``.
        grade_column: which column is the grade; ``None`` when there is none.
        remark: more sentences under it, such as the policy; ``""`` for none.
        names: what the sums are called, one text per column.
    """

    heads: tuple[str, ...]
    rows: tuple[ExplainRow, ...]
    foot: tuple[str, ...] = ()
    arithmetic: str = ""
    result: str = ""
    grade_column: int | None = 1
    remark: str = ""
    names: tuple[str, ...] = ()

    def sums_named(self, seen: Collection[int]) -> tuple[str, str]:
        """Return what stands before the sums: numbers that no column shows and names of sums; names alone.

        Args:
            seen: places of the columns that are shown.
        """
        sums = [at for at, name in enumerate(self.names) if name]
        away = (f"{self.names[at]} = {self.foot[at]}" for at in sums if at not in seen)
        named = ", ".join(self.names[at] for at in sums if at in seen)
        return ", ".join(filter(None, (*self.foot[:1], *away, named))), named


EMPTY = ShownExplanation((), ())


def _row_height() -> int:
    return max(scaled(_ROW), line_height(Role.META) + 2)


def _foot_height() -> int:
    return max(scaled(22), line_height(Role.META) + 2)


class ExplainTable(Panel):
    """Column heads, a row per rank that scrolls when there are many, sums, and the division.

    Attributes:
        explanation: what is shown.
        scale: whose levels the symbols are.
        command: the command line that explains the same; may be empty.
        ranks: the rows; the current document's is marked.
        foot: the sums, the division and the remark.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.explanation = EMPTY
        self.scale: Scale | None = None
        self.command = ""
        offer_copy(self, lambda: as_sheet(self.as_table())._replace(command=self.command))
        self.ranks = RowView(
            _("Rank by rank"),
            self._show_rank,
            self._place,
            height=_row_height,
            ground=Ground.PANEL,
        )
        self.foot = RowView(
            _("Sums and result"),
            self._show_foot,
            self._place_foot,
            height=_foot_height,
            ground=Ground.PANEL,
        )
        self.ranks.be_whole(may_scroll=True)
        self.foot.be_whole(spare=6)
        for rows in (self.ranks, self.foot):
            # A click does not take the keyboard away from the results.
            rows.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # The sums stand right under the last rank; what is left is below them.
        self._column = in_column(self.ranks, 1000, self.foot, None, host=self)

    def set_scale(self, scale: Scale) -> None:
        """Say whose levels the symbols are."""
        if scale is not self.scale:
            self.scale = scale
            self.ranks.refresh()

    def set_explanation(self, explanation: ShownExplanation) -> None:
        """Show how another value comes about, its current row in sight."""
        before, self.explanation = self.spans(), explanation
        self.setAccessibleName(self.in_words())
        self._fit_columns()
        self.ranks.set_rows(tuple(enumerate(explanation.rows)))
        if self.spans() != before:
            self.foot.refresh()
        current = next((at for at, row in enumerate(explanation.rows) if row.is_current), None)
        if current is not None:
            # The table would only learn of its new height after this event.
            self._column.activate()
            self.ranks.scrollTo(self.ranks.model().index(current, 0))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns and the lines that the width holds."""
        super().resizeEvent(event)
        if self.explanation.heads:
            self._fit_columns()

    @override
    def relayout(self) -> None:
        """Follow the size of the text."""
        super().relayout()
        if self.explanation.heads:
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Head the columns that are seen, name their sums, and break the remark into lines."""
        shown, seen = self.explanation, self._seen(self.width())
        heads = (
            TextPart(text, Role.HEAD, "text3", self._align(at))
            for at, text in enumerate(shown.heads)
        )
        away = ", ".join(text for at, text in enumerate(shown.heads) if at not in seen)
        tip = _("A wider panel shows these columns, too: {names}.").format(names=away)
        said = ", ".join(shown.heads)
        self.ranks.set_heads((LinePart(), None, *heads), said=said, tip=tip if away else "")
        lines = (
            (*shown.sums_named(seen), *shown.foot[1:]),
            (shown.arithmetic, shown.result),
            *self._remark_lines(),
        )
        self.foot.set_rows([(at, line) for at, line in enumerate(lines) if any(line)])

    def _remark_lines(self) -> list[tuple[str]]:
        """Return the remark by lines as the width breaks it; what is left, on the last of them."""
        room, lines = self.width() - 2 * _INSET, [""]
        for word in self.explanation.remark.split():
            longer = f"{lines[-1]} {word}".strip()
            is_last = len(lines) == _MOST_LINES or not lines[-1]
            if is_last or fits(Role.META, longer, room):
                lines[-1] = longer
            else:
                lines.append(word)
        return [(line,) for line in lines]

    def _show_rank(self, numbered: tuple[int, ExplainRow]) -> Row:
        at, row = numbered
        column = self.explanation.grade_column
        symbol = None
        # A row of the ideal ranking alone has no document, so no symbol either.
        if column is not None and row.cells[column] and self.scale is not None:
            symbol = SymbolPart(self.scale, row.grade, row.state)
        ink = "text3" if row.is_unjudged else "text"
        cells = (
            TextPart(text, Role.META, ink if number else "text3", self._align(number))
            for number, text in enumerate(row.cells)
        )
        ground = FillPart("selected") if row.is_current else None
        return Row(at, (ground, symbol, *cells), partial(self._said, row))

    def _said(self, row: ExplainRow) -> str:
        column = self.explanation.grade_column
        pairs = enumerate(zip(self.explanation.heads, row.cells, strict=False))
        said = [
            _("not judged") if at == column and cell == UNDEFINED else f"{head} {cell}"
            for at, (head, cell) in pairs
            # A rank of the ideal ranking alone has no document.
            if cell
        ]
        return ", ".join(said)

    def _show_foot(self, numbered: tuple[int, tuple[str, ...]]) -> Row:
        """Return the sums, the division or the remark: parts of all, the others' left out."""
        at, texts = numbered
        said = " ".join(text for text in (texts[0], *texts[2 if at == _SUMS else 1 :]) if text)
        parts: list[Part | None] = [FillPart("line_strong") if at < _REMARK else None]
        parts += [None] * 4
        if at == _SUMS:
            # The division under it has the numbers, too.
            parts[1] = TextPart(texts[0], Role.META_STRONG, shorter=texts[1])
            parts += [
                TextPart(text, Role.META_STRONG, align=Align.RIGHT) if text else None
                for text in texts[2:]
            ]
        elif at == _DIVISION:
            parts[0] = None if self.explanation.foot else parts[0]
            parts[2] = TextPart(texts[0], Role.META, "text2")
            parts[3] = TextPart(texts[1], Role.META_STRONG)
        else:
            parts[4] = TextPart(texts[0], Role.META, "text3")
        tip = {_SUMS: said, _DIVISION: ""}.get(at, self.explanation.remark)
        return Row(at, tuple(parts), said, tip=tip)

    def _align(self, column: int) -> Align:
        """Return how a column's texts stand: figures under each other, a grade by its symbol."""
        return Align.END if column == self.explanation.grade_column else Align.RIGHT

    def as_table(self) -> Table:
        """Return heads, rows, sums and the division, for copying."""
        shown = self.explanation
        last = [f"{shown.arithmetic} {shown.result}".strip()]
        named = shown.sums_named(range(len(shown.heads)))[: bool(shown.foot)]
        return [shown.heads, *(row.cells for row in shown.rows), [*named, *shown.foot[1:]], last]

    def in_words(self) -> str:
        """Return the table as a reader says it: the division, then row by row."""
        lines = [self.sentence, *(self._said(row) for row in self.explanation.rows)]
        return ". ".join(line.rstrip(".") for line in lines if line)

    @property
    def sentence(self) -> str:
        """How the value comes about in short: the division, and what else is said under it."""
        content = self.explanation
        lines = (f"{content.arithmetic} {content.result}".strip(), content.remark)
        return ". ".join(line.rstrip(".") for line in lines if line)

    # Where parts stand

    def spans(self) -> list[tuple[float, float]]:
        """Return left and right of every column; numbers stand at the right."""
        places = self.ranks.places()[2:]
        return [(place.left(), place.right()) for place in places if place is not None]

    def _place(self, width: int, _rows: Sequence[Row]) -> Places:
        """Return the places of a rank: its ground, the grade's symbol, and the columns."""
        height, grade = _row_height(), self.explanation.grade_column
        disc, symbol = scaled(_DISC), None
        left, widths, seen = float(_INSET), self._widths(), self._seen(width)
        cells: list[QRectF | None] = [None] * len(widths)
        taken = sum(widths[at] for at in seen)
        gap = max(4.0, (width - 2.0 * _INSET - taken) / max(1, len(seen) - 1))
        for at in seen:
            cells[at] = QRectF(left - 2, 0, widths[at] + 2, height)
            left += widths[at] + gap
        if grade is not None and grade < len(cells) and (column := cells[grade]):
            longest = max((row.cells[grade] for row in self.explanation.rows), key=len, default="0")
            digits = text_width(Role.META, longest or "0")
            at = round(column.right() - digits - scaled(5) - disc)
            symbol = QRectF(at, round((height - disc) / 2), disc, disc)
        return (QRectF(_INSET, 0, width - 2 * _INSET, height), symbol, *cells)

    def whole_height(self, most: int) -> int:
        """Return the height that shows so many ranks at the most, and the sums and the division, in px."""
        return self.ranks.whole_height(most=most) + self.foot.minimumHeight()

    @property
    def least_width(self) -> int:
        """The width that shows every column whole and apart from the next, in px."""
        return self._needed(self._widths())

    def _needed(self, widths: Sequence[float]) -> int:
        return round(2 * _INSET + sum(widths) + scaled(_LEAST_GAP) * max(0, len(widths) - 1))

    def _seen(self, width: int) -> list[int]:
        """Return the columns that a width holds: first those without a sum give way, then further sums."""
        widths, foot = self._widths(), self.explanation.foot
        seen, last = list(range(len(widths))), len(widths) - 1
        sums = [at for at, text in enumerate(foot) if at and text] or [last]
        others = (at for at in seen if at and at != self.explanation.grade_column)
        for at in (*(at for at in others if at not in sums), *reversed(sums[1:])):
            if self._needed([widths[place] for place in seen]) <= width:
                break
            seen.remove(at)
        return seen

    def _widths(self) -> list[float]:
        content = self.explanation
        widths = [float(text_width(Role.HEAD, head)) for head in content.heads]
        # All figures of a column are as wide, so its longest text is its widest.
        for column in range(len(widths)):
            cells = [row.cells[column] for row in content.rows if column < len(row.cells)]
            longest = max(cells, key=len, default="")
            extra = scaled(5) + scaled(_DISC) if column == content.grade_column else 0
            widths[column] = max(widths[column], text_width(Role.META, longest) + extra)
            if 0 < column < len(content.foot):
                sums = text_width(Role.META_STRONG, content.foot[column])
                widths[column] = max(widths[column], sums)
        if widths:
            widths[0] = max(widths[0], scaled(36))
        return widths

    def _place_foot(self, width: int, _rows: Sequence[Row]) -> Places:
        """Return the places of line, name of the sums, division, result, remark, and the sums."""
        content, height = self.explanation, _foot_height() - 1
        inner = width - 2 * _INSET
        columns = self._place(width, ())[3:] if content.foot else ()
        sums = [each and QRectF(each.left(), 1, each.width(), height) for each in columns]
        # The name of the sums stands at the edge and reaches to the next text.
        end = float(width - _INSET)
        for text, place in zip(content.foot[1:], sums, strict=False):
            if text and place:
                end = min(end, place.right() - text_width(Role.META_STRONG, text) - 8)
        result = text_width(Role.META_STRONG, content.result)
        wished = text_width(Role.META, content.arithmetic) + 1
        division = QRectF(_INSET, 1, max(0, min(inner - result - scaled(4), wished)), height)
        quotient = QRectF(division.right() + scaled(3), 1, result + 1, height)
        if self.foot.isRightToLeft():
            # Arithmetic runs from left to right in every language.
            quotient.moveLeft(_INSET)
            division.moveLeft(quotient.right() + scaled(3))
        return (
            QRectF(_INSET, 0, inner, 1),
            QRectF(_INSET, 1, end - _INSET, height),
            division,
            quotient,
            QRectF(_INSET, 1, inner, height),
            *sums,
        )

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which ten ranks are seen."""
        return QSize(312, self.ranks.whole_height(most=10) + self.foot.maximumHeight())


def explain_section(table: ExplainTable) -> Section:
    """Return the table under a header that folds it; set the title by ``section.header``."""
    return Section(SectionHeader(_("Explained"), key="="), table)


MOST_ROWS = 200


def mark_current(explanation: ShownExplanation, rank: int | None) -> ShownExplanation:
    """Return an explanation with the row of a rank marked as the current document's."""
    name = None if rank is None else str(rank)
    rows = tuple(
        row._replace(is_current=True) if row.cells[0] == name else row for row in explanation.rows
    )
    return explanation._replace(rows=rows)


def table_of(
    explained: Explanation,
    columns: Sequence[int],
    scale: Scale | None,
    *,
    most_rows: int = MOST_ROWS,
) -> ShownExplanation:
    """Return an explanation as a table shows it.

    Args:
        explained: how the value comes about.
        columns: places of the columns that are shown.
        scale: whose codes stand for grades.
        most_rows: the first so many ranks are shown.
    """
    shown = [(place, explained.columns[place]) for place in columns]
    rows = explained.rows[:most_rows]
    if explained.value is None:
        arithmetic, result = _sentence(translated(explained.reason)), UNDEFINED
    else:
        words = translated(explained.words) if explained.words else local_number(explained.division)
        arithmetic, result = f"{words} {_(explained.relation)}", local_number(explained.result)
    said = [_(ASSUMED)] if any(row.is_assumed for row in rows) else []
    said += [_sentence(translated(note)) for note in (explained.policy, *explained.notes) if note]
    if len(explained.rows) > most_rows:
        said.append(
            _("The first {most_rows} of {n_rows} ranks are shown.").format(
                most_rows=most_rows, n_rows=format_count(len(explained.rows))
            )
        )
    table = ShownExplanation(
        heads=(_("rank"), _("grade"), *(_(column.head) for __, column in shown)),
        rows=tuple(_row(row, shown, scale) for row in rows),
        arithmetic=arithmetic,
        result=result,
        remark=" ".join(said),
    )
    # Sums of a value that there is not would look like one.
    return table if explained.value is None else _with_foot(table, explained, shown)


def _row(row: ExplainedRow, shown: list[tuple[int, Column]], scale: Scale | None) -> ExplainRow:
    grade = UNDEFINED
    if row.grade is not None:
        level = scale.find_level(row.grade) if scale else None
        grade = level.label if level else format_grade(row.grade)
    grade = f"({grade})" if row.is_assumed else grade
    cells = [_cell(row.cells[place], column) for place, column in shown]
    is_bare = row.rank is None
    return ExplainRow(
        ("" if is_bare else str(row.rank), "" if is_bare else grade, *cells),
        grade=None if row.is_assumed else row.grade,
        is_unjudged=row.grade is None and not is_bare,
    )


def _cell(value: float | None, column: Column) -> str:
    return "" if value is None else format_value(value, digits=column.decimals)


def _with_foot(
    table: ShownExplanation, explained: Explanation, shown: list[tuple[int, Column]]
) -> ShownExplanation:
    """Return the table with the sums under their columns; one that has no column, in front."""
    by_key: dict[str, FootCell] = {cell.key: cell for cell in explained.foot}
    keys = [column.key for __, column in shown]
    others = ", ".join(
        f"{translated(cell.label)} = {local_number(format_foot(cell))}"
        for cell in explained.foot
        if cell.label and cell.key not in keys
    )
    sums = [by_key.get(key) for key in keys]
    texts = (format_value(cell.value, digits=cell.decimals) if cell else "" for cell in sums)
    names = (translated(cell.label) if cell else "" for cell in sums)
    return table._replace(foot=(others, "", *texts), names=("", "", *names))


def _sentence(text: str) -> str:
    return text if not text else f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
