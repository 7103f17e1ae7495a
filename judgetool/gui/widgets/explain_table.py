"""How a value comes about: rank by rank, with the division at the end."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import draw_symbol, judgment_style
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text, start_align
from judgetool.gui.table_copy import Table, offer_copy
from judgetool.gui.widgets.painted import PaintedWidget, Panel, mirrored
from judgetool.gui.widgets.section import Section, SectionHeader

INSET = 14
ROW = 20
_DISC = 12


@dataclass(frozen=True, slots=True)
class ExplainRow:
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


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that the table shows.

    Attributes:
        heads: one per column.
        rows: top rank first.
        foot: one text per column, such as the sums; the first may reach over empty ones.
        arithmetic: the last line, such as ``5.464 ÷ 5.823 =``.
        result: its end, set strong, such as ``0.9383``.
        grade_column: which column is the grade; ``None`` when there is none.
        remark: one more sentence under it, such as the policy; ``""`` for none.
    """

    heads: tuple[str, ...]
    rows: tuple[ExplainRow, ...]
    foot: tuple[str, ...] = ()
    arithmetic: str = ""
    result: str = ""
    grade_column: int | None = 1
    remark: str = ""


EMPTY = Explanation((), ())


class _Grid(PaintedWidget):
    """What the parts of the table share: the explanation and the columns' right edges."""

    def __init__(self, table: "ExplainTable") -> None:
        super().__init__(table)
        self.table = table

    @property
    def start(self) -> Qt.AlignmentFlag:
        return start_align(self.layoutDirection())

    def cell(self, column: int, top: float, height: float) -> QRectF:
        left, right = self.table.spans()[column]
        return QRectF(left, top, right - left, height)


class _Heads(_Grid):
    @override
    def sizeHint(self) -> QSize:
        return QSize(150, line_height(Role.HEAD) + scaled(6))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self.theme
        for column, text in enumerate(self.table.explanation.heads):
            place = self.cell(column, 0, self.height() - 2)
            draw_text(painter, place, text, role=Role.HEAD, colour=theme.text3, align=RIGHT)
        inner = QRectF(INSET, 0, self.width() - 2 * INSET, self.height())
        draw_line(painter, inner, theme.line)
        painter.end()


class _Rows(_Grid):
    @property
    def row_height(self) -> int:
        return max(scaled(ROW), line_height(Role.META) + 2)

    @override
    def sizeHint(self) -> QSize:
        return QSize(150, self.row_height * len(self.table.explanation.rows))

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rows, height = self.table.explanation.rows, self.row_height
        first = max(0, event.rect().top() // height)
        for place in range(first, min(len(rows), event.rect().bottom() // height + 1)):
            self._paint_row(painter, rows[place], place * height)
        painter.end()

    def _paint_row(self, painter: QPainter, row: ExplainRow, top: int) -> None:
        theme, height = self.theme, self.row_height
        if row.is_current:
            ground = QRectF(INSET, top, self.width() - 2 * INSET, height)
            painter.fillRect(ground, theme.selected)
        for column, text in enumerate(row.cells):
            place = self.cell(column, top, height)
            is_faint = row.is_unjudged or column == 0
            ink = theme.text3 if is_faint else theme.text
            draw_text(painter, place, text, role=Role.META, colour=ink, align=RIGHT)
            # A row of the ideal ranking alone has no document, so no symbol either.
            if text and column == self.table.explanation.grade_column:
                self._paint_symbol(painter, row, place, text)

    def _paint_symbol(self, painter: QPainter, row: ExplainRow, place: QRectF, text: str) -> None:
        scale = self.table.scale
        if scale is None:
            return
        style = judgment_style(scale, row.state, row.grade, self.theme)
        disc = scaled(_DISC)
        digits = max(text_width(Role.META, text), text_width(Role.META, "0"))
        left = round(place.right() - digits - scaled(5) - disc)
        square = QRectF(left, round(place.center().y() - disc / 2), disc, disc)
        draw_symbol(painter, square, style)


class _Foot(_Grid):
    @override
    def sizeHint(self) -> QSize:
        content = self.table.explanation
        lines = bool(content.foot) + bool(content.arithmetic) + bool(content.remark)
        return QSize(150, lines * scaled(22) + scaled(6) if lines else 0)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme, content = self.theme, self.table.explanation
        if content.foot or content.arithmetic:
            line = QRectF(INSET, 0, self.width() - 2 * INSET, 1)
            draw_line(painter, line, theme.line_strong)
        top = 1.0
        if content.foot:
            self._paint_sums(painter, content.foot, top)
            top += scaled(22)
        if content.arithmetic:
            self._paint_arithmetic(painter, top)
            top += scaled(22)
        if content.remark:
            place = QRectF(INSET, top, self.width() - 2 * INSET, scaled(22))
            where = mirrored(self, place)
            draw_text(
                painter,
                where,
                content.remark,
                role=Role.META,
                colour=theme.text3,
                align=self.start,
            )
        painter.end()

    def _paint_sums(self, painter: QPainter, foot: tuple[str, ...], top: float) -> None:
        filled = [column for column, text in enumerate(foot) if text]
        for column in filled:
            place = self.cell(column, top, scaled(21))
            align = RIGHT
            if column == 0:
                # The name of the sums stands at the edge and reaches to the next text.
                following = next((at for at in filled if at > 0), None)
                end = self.width() - INSET
                if following is not None:
                    right = self.cell(following, 0, 0).right()
                    end = int(right - text_width(Role.META_STRONG, foot[following])) - 8
                place = QRectF(INSET, top, end - INSET, scaled(21))
                align = LEFT
            draw_text(
                painter,
                place,
                foot[column],
                role=Role.META_STRONG,
                colour=self.theme.text,
                align=align,
            )

    def _paint_arithmetic(self, painter: QPainter, top: float) -> None:
        theme, content = self.theme, self.table.explanation
        width = self.width() - 2.0 * INSET
        result = text_width(Role.META_STRONG, content.result)
        room = max(0.0, width - result - scaled(4))
        first = QRectF(INSET, top, min(room, text_width(Role.META, content.arithmetic) + 1), 22)
        first.setHeight(scaled(22))
        draw_text(painter, first, content.arithmetic, role=Role.META, colour=theme.text2)
        second = QRectF(first.right() + scaled(3), top, result + 1, scaled(22))
        draw_text(painter, second, content.result, role=Role.META_STRONG, colour=theme.text)


class ExplainTable(Panel):
    """Column heads, a row per rank that scrolls when there are many, sums, and the division.

    Numbers stay left to right in every language, as in print.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.explanation = EMPTY
        self.scale: Scale | None = None
        self._spans: list[tuple[float, float]] = []
        offer_copy(self, self.as_table)
        self._heads = _Heads(self)
        self._rows = _Rows(self)
        self._foot = _Foot(self)
        for part in (self._heads, self._foot):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._rows)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        self._rows.setAutoFillBackground(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._heads)
        # The sums stand right under the last rank; what is left is below them.
        column.addWidget(self._scroll, stretch=1000)
        column.addWidget(self._foot)
        column.addStretch(1)

    def set_scale(self, scale: Scale) -> None:
        """Say whose levels the symbols are."""
        self.scale = scale
        self._rows.update()

    def set_explanation(self, explanation: Explanation) -> None:
        """Show how another value comes about, its current row in sight."""
        before, old_spans = self.explanation, self._spans
        self.explanation = explanation
        self._spans = []
        self.setAccessibleName(self.in_words())
        has_same_columns = explanation.heads == before.heads and bool(old_spans)
        if (
            has_same_columns
            and len(explanation.rows) == len(before.rows)
            and explanation.remark == before.remark
            and self.spans() == old_spans
        ):
            self._update_changed(before)
        else:
            self._update_all(has_new_size=len(explanation.rows) != len(before.rows))
        current = next((at for at, row in enumerate(explanation.rows) if row.is_current), None)
        if current is not None:
            # The scroll area would only learn of the new rows after this event.
            self._rows.resize(self._rows.width(), self._rows.sizeHint().height())
            middle = int((current + 0.5) * self._rows.row_height)
            self._scroll.ensureVisible(0, middle, 0, self._rows.row_height)

    def _update_changed(self, before: Explanation) -> None:
        """Paint only the rows that say something else: one or two after most judgments."""
        height = self._rows.row_height
        for place, (row, old) in enumerate(zip(self.explanation.rows, before.rows, strict=True)):
            if row != old:
                self._rows.update(0, place * height, self._rows.width(), height)
        self._foot.update()

    def _update_all(self, *, has_new_size: bool) -> None:
        if has_new_size:
            self._rows.updateGeometry()
        self._foot.updateGeometry()
        self._scroll.setMaximumHeight(self._rows.sizeHint().height())
        for part in (self._heads, self._rows, self._foot):
            part.update()

    def as_table(self) -> Table:
        """Return heads, rows, sums and the division, for copying."""
        shown = self.explanation
        last = [f"{shown.arithmetic} {shown.result}".strip()]
        return [shown.heads, *(row.cells for row in shown.rows), shown.foot, last]

    def in_words(self) -> str:
        """Return the table as a reader says it: the division, then row by row."""
        content = self.explanation
        lines = [f"{content.arithmetic} {content.result}".strip(), content.remark]
        for row in content.rows:
            pairs = zip(content.heads, row.cells, strict=False)
            lines.append(", ".join(f"{head} {cell}" for head, cell in pairs))
        return ". ".join(line.rstrip(".") for line in lines if line)

    def spans(self) -> list[tuple[float, float]]:
        """Return left and right of every column; numbers stand at the right."""
        if not self._spans:
            self._spans = self._compute_spans()
        return self._spans

    def _compute_spans(self) -> list[tuple[float, float]]:
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
        room = self.width() - 2.0 * INSET - sum(widths)
        gap = max(4.0, room / max(1, len(widths) - 1))
        spans, left = [], float(INSET)
        for width in widths:
            spans.append((left - 2, left + width))
            left += width + gap
        return spans

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        self._spans = []
        super().resizeEvent(event)

    @override
    def relayout(self) -> None:
        """Lay out anew after a change of font."""
        self._spans = []
        self._scroll.setMaximumHeight(self._rows.sizeHint().height())
        super().relayout()

    @override
    def sizeHint(self) -> QSize:
        """Return the size at which ten ranks are seen."""
        rows = min(10, len(self.explanation.rows)) * self._rows.row_height
        ends = self._heads.sizeHint().height() + self._foot.sizeHint().height()
        return QSize(312, rows + ends)


def explain_section(table: ExplainTable) -> Section:
    """Return the table under a header that folds it; set the title by ``section.header``."""
    return Section(SectionHeader("Explained", key="="), table)
