"""The lower half of the agreement view: one assessor's grades against the others', drift, documents."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStackedWidget,
    QStyle,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.scale import Scale
from judgetool.core.terms import one_line
from judgetool.gui.agreement.assessors import DIGITS, INSET
from judgetool.gui.charts import ChartView
from judgetool.gui.dialogs.framed_list import Index, WholeRows, dress_table
from judgetool.gui.painting import (
    CENTRE,
    LEFT,
    draw_focus_ring,
    draw_frame,
    draw_text,
    format_count,
    format_grade,
)
from judgetool.gui.panels.result_tools import ToolRow
from judgetool.gui.table_copy import offer_copy
from judgetool.gui.theme import Role, current_theme, font, line_height, scaled, text_width
from judgetool.gui.widgets.buttons import Segment, Segmented
from judgetool.gui.widgets.labels import ElidedLabel, Places, Row, TextPart, plain_tooltip
from judgetool.gui.widgets.painted import Panel, in_column
from judgetool.gui.widgets.rows import RowView
from judgetool.session.charts import Chart, series
from judgetool.session.material import Material
from judgetool.session.team.overview import Confusion, Drift
from judgetool.wording import N_, AsIs, _, stated

MOST_DOCUMENTS = 200
_HOW = N_("Enter on a cell shows its documents.")
_MOST_TITLE = 200
_COUNT = Qt.ItemDataRole.UserRole
_CELL, _CELL_HEIGHT, _MOST_LABEL = 50, 30, 210


class ConfusionTable(QTableWidget):
    """Grades of one assessor down, those of each other across; a cell opens its documents.

    Signals:
        cell_opened: row and column of a cell that has documents.
    """

    cell_opened = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        dress_table(self, _("Grades against the others’"))
        self._name = ""
        self._levels: tuple[str, ...] = ()
        self._titles: Sequence[str] = ()
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.setItemDelegate(_CellDelegate(self))
        self.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionsClickable(False)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.cellDoubleClicked.connect(self._open)

    def show_confusion(self, name: str, scale: Scale, confusion: Confusion) -> None:
        """Show how often an assessor gave each grade where the others gave each."""
        self._name, kept = name, (self.currentRow(), self.currentColumn())
        self._levels = tuple(format_grade(grade) for grade in confusion.levels)
        n = len(self._levels)
        self.setRowCount(n)
        self.setColumnCount(n + 1)
        most = int(confusion.counts.max(initial=0))
        self.verticalHeader().setDefaultSectionSize(scaled(_CELL_HEIGHT))
        found = (scale.find_level(each) for each in confusion.levels)
        pairs = zip(self._levels, found, strict=True)
        self._titles = [grade if level is None else level.titled for grade, level in pairs]
        self._fit_columns()
        for row, title in enumerate(self._titles):
            self._fill_head(row, title)
            for column in range(n):
                self._fill(row, column, int(confusion.counts[row, column]), most)
        if n:
            self.setCurrentCell(*((0, 1) if kept[0] < 0 or kept[1] < 1 or max(kept) > n else kept))

    def _fit_columns(self) -> None:
        heads = self.horizontalHeader()
        for column, text in enumerate(("", *self._levels)):
            head = QTableWidgetItem(text)
            head.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            # Under a style sheet the header's own font does not follow another size of the text.
            head.setFont(font(Role.HEAD))
            self.setHorizontalHeaderItem(column, head)
            heads.resizeSection(column, scaled(_CELL))
        widest = max((text_width(Role.UI, title) for title in self._titles), default=0)
        heads.resizeSection(0, min(scaled(_MOST_LABEL), widest + scaled(INSET) + scaled(24)))

    def _fill_head(self, row: int, title: str) -> None:
        item = QTableWidgetItem(title)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        said = _("{name} gave {title}").format(name=self._name, title=title)
        item.setToolTip(plain_tooltip(said))
        self.setItem(row, 0, item)

    def _fill(self, row: int, column: int, count: int, most: int) -> None:
        item = QTableWidgetItem(format_count(count) if count else "·")
        item.setData(_COUNT, (count / most if most else 0.0, row == column))
        counted = number_of(count, "{n} document", "{n} documents")
        said = f"{self.describe(row, column)}: {counted}"
        item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
        item.setToolTip(plain_tooltip(said))
        self.setItem(row, column + 1, item)

    def whole_width(self) -> int:
        """Return the width that shows every column."""
        return self.horizontalHeader().length() + scaled(INSET) + scaled(14)

    def describe(self, row: int, column: int) -> str:
        """Return which grades a cell is of."""
        return _("{name} {level}, others {other}").format(
            name=self._name, level=self._levels[row], other=self._levels[column]
        )

    def _open(self, row: int, column: int) -> None:
        if row >= 0 and column > 0:
            self.cell_opened.emit(row, column - 1)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Have heads and columns follow the size of the text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and self._titles:
            self.verticalHeader().setDefaultSectionSize(scaled(_CELL_HEIGHT))
            self._fit_columns()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens a cell's documents."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentRow(), self.currentColumn())
        else:
            super().keyPressEvent(event)

    @override
    def keyboardSearch(self, _search: str) -> None:
        """Letters are commands of the window, not a search."""


class _CellDelegate(WholeRows):
    """A cell is the darker the more documents it has; those of equal grades have another colour."""

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint ground, number, and the ring of the current cell."""
        theme, rect = current_theme(), QRectF(option.rect)
        kept, text = index.data(_COUNT), str(index.data() or "")
        if kept is None:
            start = rect.adjusted(scaled(INSET), 0, -4, 0)
            draw_text(painter, start, text, role=Role.UI, colour=theme.text2, align=LEFT)
            return
        share, is_same = kept
        rect = rect.adjusted(1, 1, -1, -1)
        painter.save()
        painter.setOpacity(0.34 * share + (0.06 if share else 0.0))
        painter.fillRect(rect, theme.good if is_same else theme.bad)
        painter.setOpacity(1.0)
        ink = theme.text if share else theme.text3
        draw_text(painter, rect, text, role=Role.UI, colour=ink, align=CENTRE)
        if option.state & QStyle.StateFlag.State_Selected:
            if option.widget.hasFocus():
                draw_focus_ring(painter, rect.adjusted(3, 3, -3, -3), theme, radius=3)
            else:
                draw_frame(painter, rect, radius=3, border=theme.line_strong)
        painter.restore()


class CellDocument(NamedTuple):
    """A document of a cell.

    Attributes:
        query: the session's number.
        document: its number.
        query_id: as the project names the query.
        title: of the document, or its id.
    """

    query: int
    document: int
    query_id: str
    title: str


def cell_documents(
    material: Material, pairs: Sequence[tuple[int, int]]
) -> tuple[CellDocument, ...]:
    """Return the first documents of a cell, with their titles."""
    some = pairs[:MOST_DOCUMENTS]
    shown = material.show_documents([document for __, document in some])
    return tuple(
        CellDocument(
            query,
            number,
            material.queries[query].id,
            one_line(found.title or found.id, most=_MOST_TITLE),
        )
        for (query, number), found in zip(some, shown, strict=True)
    )


def _document_height() -> int:
    return line_height(Role.UI) + scaled(8)


DRIFT, DOCUMENTS = "drift", "documents"
"""What stands beside the confusion."""
_SEGMENTS = (
    Segment(DRIFT, N_("Drift"), "chart-line"),
    Segment(DOCUMENTS, N_("Documents"), "file-text"),
)


class DetailPane(Panel):
    """Beside the confusion: how agreement went over the work, or the documents of a cell.

    Signals:
        document_opened: query and document that are to be shown in the list.
    """

    document_opened = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        tools = ToolRow(self)
        self._stack = QStackedWidget(self)
        self.switch = Segmented(_SEGMENTS)
        self.switch.setAccessibleName(_("What is shown beside the confusion"))
        self.title = ElidedLabel("", role=Role.META, ink="text2")
        self.chart = ChartView(parent=self._stack)
        self.chart.ground = "panel"
        self.documents = _CellDocuments(self._stack)
        self._titles = dict.fromkeys((DRIFT, DOCUMENTS), "")
        self._stack.addWidget(self.chart)
        self._stack.addWidget(self.documents)
        tools.ground = "panel"
        tools.row.setContentsMargins(INSET, 0, INSET, 1)
        tools.row.addWidget(self.title, stretch=1)
        tools.row.addWidget(self.switch)
        in_column(tools, self._stack, 1, host=self)
        self.switch.chosen.connect(self.show_part)
        self.documents.row_opened.connect(lambda pair: self.document_opened.emit(*pair))
        offer_copy(self.documents, self._as_table)

    @property
    def part(self) -> str:
        """What is shown."""
        return self.switch.current

    def show_part(self, part: str) -> None:
        """Show the one or the other."""
        self.switch.set_current(part)
        self._stack.setCurrentWidget(self._widget)
        # The figure's axes tell the blocks.
        is_drift = part == DRIFT and self._titles[part]
        self.title.shorter = (_("κ linear with the others"),) if is_drift else ()
        self.title.set_text(self._titles[part])

    @property
    def _widget(self) -> ChartView | RowView[CellDocument]:
        return self.chart if self.part == DRIFT else self.documents

    def take_keyboard(self) -> None:
        """Give the keyboard to what is shown."""
        self._widget.setFocus()

    def show_drift(self, name: str, drift: Drift) -> None:
        """Show agreement with the others by blocks of an assessor's judgments."""
        self.chart.set_chart(drift_chart(name, drift))
        title = (
            _("κ linear with the others, blocks of {size}, 95 % interval")
            if drift.is_even
            else _("κ linear with the others, blocks of {size} or more, 95 % interval")
        )
        self._titles[DRIFT] = (
            title.format(size=format_count(drift.size)) if len(drift.blocks) > 1 else ""
        )
        self.show_part(self.part)

    def show_documents(self, title: str, documents: Sequence[CellDocument], n: int) -> None:
        """Show the documents of a cell; ``n`` is how many there are, of which these are the first."""
        what = (
            number_of(n, "{n} document", "{n} documents")
            if n == len(documents)
            else number_of(
                n,
                "first {count} of {n} document",
                "first {count} of {n} documents",
                count=format_count(len(documents)),
            )
        )
        self._titles[DOCUMENTS] = f"{title}: {what}"
        self.documents.set_hint(_(_HOW) if documents else _("No document has these grades."))
        self.documents.set_rows(documents)
        self.show_part(DOCUMENTS)

    def forget_documents(self) -> None:
        """Show no documents: they were another assessor's."""
        self._titles[DOCUMENTS] = ""
        self.documents.set_hint(_(_HOW))
        self.documents.set_rows(())
        self.show_part(self.part)

    def _as_table(self) -> list[list[str]]:
        rows = [[each.query_id, each.title] for each in self.documents.rows]
        return [["query", "document"], *rows]

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the switch without words where there is little room."""
        super().resizeEvent(event)
        words = self.switch.width_of(is_compact=False)
        self.switch.set_compact(is_compact=self.width() < words + scaled(200))


class _CellDocuments(RowView[CellDocument]):
    """The documents of a cell; while there are none, what shows some."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            _("Documents of the cell"),
            _document_row,
            _document_places,
            height=_document_height,
            parent=parent,
        )
        self._hint = ""
        self.set_hint(_(_HOW))

    def set_hint(self, hint: str) -> None:
        """Say something where there are no documents."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or the hint in their place."""
        super().paintEvent(event)
        if self.rows:
            return
        painter = QPainter(self.viewport())
        painter.setFont(font(Role.UI))
        painter.setPen(current_theme().text2)
        room = QRectF(self.viewport().rect()).adjusted(INSET, scaled(16), -INSET, 0)
        wraps = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter
        painter.drawText(room, int(wraps), self._hint)
        painter.end()


def _document_row(each: CellDocument) -> Row:
    parts = (
        TextPart(each.query_id, Role.META, "text3", is_id=True),
        TextPart(each.title),
    )
    return Row(
        (each.query, each.document),
        parts,
        _("Query {id}, {title}").format(id=each.query_id, title=each.title),
        each.title,
    )


def _document_places(width: int, rows: Sequence[Row]) -> Places:
    left, height = scaled(INSET), _document_height()
    ids = (part.text for row in rows if isinstance(part := row.parts[0], TextPart))
    label = min(scaled(120), text_width(Role.META, max(ids, key=len, default="")) + 4)
    text = left + label + scaled(10)
    return (
        QRectF(left, 0, label, height),
        QRectF(text, 0, max(0, width - text - left), height),
    )


_FEW = N_("Drift needs 100 judgments of shared documents.")
_UNTIMED = N_(
    "No drift: it is not known in which order these judgments were made. Too many of them have the same time, "
    "as those of a table without times."
)


def drift_chart(name: str, drift: Drift) -> Chart:
    """Return agreement with the others over an assessor's judgments, with its interval."""
    blocks = drift.blocks
    few = len(blocks) < 2
    x = [float(block.last) for block in blocks]
    lines = (
        series(stated("κ linear"), x, [block.row.value for block in blocks]),
        series(stated("low"), x, [block.row.low for block in blocks], is_quiet=True),
        series(stated("high"), x, [block.row.high for block in blocks], is_quiet=True),
    )
    return Chart(
        stated("Drift of {name}", name=AsIs(name)),
        stated("judgments of shared documents, in the order made"),
        stated("κ linear with the others"),
        () if few else lines,
        digits=DIGITS,
        has_whole_x=True,
        empty=stated(_FEW if drift.n_judgments < 2 * drift.size else _UNTIMED),
    )
