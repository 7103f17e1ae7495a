"""The left of the compare view's lower half: bars by query, the verdict, what to judge next."""

from collections import defaultdict
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.compare.table_model import format_signed, is_significant, p_in_words
from judgetool.gui.dialogs.act_dialog import Scrolled, Text
from judgetool.gui.fonts import Role, line_height, metrics, scaled, text_width
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.number_text import format_change, format_count
from judgetool.gui.painting import LEFT, RIGHT, draw_id, draw_line, draw_row_ground, draw_text
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap, plain_tooltip
from judgetool.gui.widgets.painted import Panel
from judgetool.gui.widgets.rows import ListTable
from judgetool.metrics import Measure
from judgetool.session.comparing.comparing import (
    ComparisonCell,
    ComparisonTable,
    QueryDifferences,
    group_names,
    query_differences,
)
from judgetool.session.comparing.verdicts import Verdict
from judgetool.session.session import Session
from judgetool.session.systems import System

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TOLD = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
_INSET = 16
_BARS_SHARE = 0.34
_TEXT_SHARE = 0.42
_DIGITS = 4
_WIDEST_LABEL = 112
FEW = 50
INSET = 16
_LOW = 260
_LOWEST = 190


class DifferenceRow(NamedTuple):
    """One query or document, or the head of a group.

    Attributes:
        number: of the query or document; ``None`` for a head.
        label: the query's id, or the document's ranks; ``""`` for a head.
        text: of the query, the document's title, or the group's name.
        difference: of the query, or the group's mean.
        remark: of a head, such as ``3 better, 1 worse``; ``""`` for a query.
    """

    number: int | None
    label: str
    text: str
    difference: float
    remark: str = ""


def difference_rows(
    session: Session, found: QueryDifferences, *, group_by: str = ""
) -> list[DifferenceRow]:
    """Return what the chart shows; equal queries are left out.

    Args:
        session: the project.
        found: with groups where ``group_by`` is given.
        group_by: as it was asked for.
    """
    queries = session.material.queries
    rows = [
        DifferenceRow(row.query, queries[row.query].id, queries[row.query].text, row.difference)
        for row in found.rows
        if row.difference
    ]
    if not group_by:
        return rows
    by_group: defaultdict[str, list[DifferenceRow]] = defaultdict(list)
    for row in rows:
        query = queries[row.number or 0]
        is_category = group_by == "category"
        by_group[query.category if is_category else query.fields.get(group_by, "")].append(row)
    grouped = []
    for group in found.groups:
        remark = f"{group.n_better} better, {group.n_worse} worse of {group.n_queries}"
        name = group.name or f"no {group_by}"
        grouped.append(DifferenceRow(None, "", name, group.mean, remark))
        grouped += by_group[group.name]
    return grouped


def row_height() -> int:
    """Return the height of a query's row: 26 px at a 13 px font."""
    return max(scaled(26), round(metrics(Role.UI).height() * 1.2))


class DifferenceModel(QAbstractListModel):
    """The rows, with what readers say of them.

    Attributes:
        rows: as shown.
        most: greatest difference, at least 0.
        least: least difference, at most 0.
        label_width: room of the labels.
        noun: what readers call a row.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[DifferenceRow] = []
        self.most = self.least = 0.0
        self.label_width = 0
        self.noun = "Query"

    def set_rows(self, rows: list[DifferenceRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.most = max([0.0, *(row.difference for row in rows)])
        self.least = min([0.0, *(row.difference for row in rows)])
        longest = max((row.label for row in rows), key=len, default="")
        self.label_width = min(scaled(_WIDEST_LABEL), text_width(Role.META, longest) + 2)
        self.endResetModel()

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a row as a reader says it."""
        if not index.isValid() or role not in _TOLD:
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{row.label}  {row.text}".strip())
        change = format_change(row.difference) or "0"
        if row.number is None:
            return f"Group {row.text}, mean {change}, {row.remark}"
        return f"{self.noun} {row.label}, {row.text}, {change}"

    def place_of(self, number: int | None) -> int | None:
        """Return the row of a query or document, or ``None``."""
        return next((at for at, row in enumerate(self.rows) if row.number == number), None)


class DifferenceDelegate(QStyledItemDelegate):
    """Paints id, text, bar and number of a query."""

    def __init__(self, model: DifferenceModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.current: int | None = None
        self.has_keyboard = False

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, rect = current_theme(), QRectF(option.rect)
        row = self._model.rows[index.row()]
        painter.save()
        state = option.state & QStyle.StateFlag.State_MouseOver
        if row.number is not None and row.number == self.current:
            state |= QStyle.StateFlag.State_Selected
        if self.has_keyboard:
            state |= QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        bars = self.bars(rect)
        if row.number is None:
            self._paint_head(painter, rect, bars, row, theme)
        else:
            self._paint_query(painter, rect, bars, row, theme)
        self._paint_bar(painter, rect, bars, row, theme)
        painter.restore()

    def bars(self, rect: QRectF) -> QRectF:
        """Return where the bars of a row may stand."""
        value = text_width(Role.UI, "+0." + "0" * _DIGITS)
        right = rect.right() - scaled(_INSET) - value - scaled(12)
        width = rect.width() * _BARS_SHARE
        return QRectF(right - width, rect.top(), width, rect.height())

    def zero(self, bars: QRectF) -> float:
        """Return where the zero line stands: the same for all rows."""
        span = self._model.most - self._model.least
        share = -self._model.least / span if span > 0 else 0.5
        return round(bars.left() + share * bars.width()) + 0.0

    def _paint_head(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        left = rect.left() + scaled(_INSET)
        place = QRectF(left, rect.top(), bars.left() - scaled(8) - left, rect.height())
        name_width = min(text_width(Role.META_STRONG, row.text) + 2.0, place.width())
        name = QRectF(place.left(), place.top(), name_width, place.height())
        draw_text(painter, name, row.text, role=Role.META_STRONG, colour=theme.text2, align=LEFT)
        place.setLeft(name.right() + scaled(8))
        if place.width() > scaled(40):
            draw_text(painter, place, row.remark, role=Role.META, colour=theme.text3, align=LEFT)

    def _paint_query(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        left = rect.left() + scaled(_INSET)
        label = QRectF(left, rect.top(), self._model.label_width, rect.height())
        draw_id(painter, label, row.label, role=Role.META, colour=theme.text3, align=RIGHT)
        text = QRectF(label.right() + scaled(8), rect.top(), 0, rect.height())
        text.setRight(bars.left() - scaled(8))
        draw_text(painter, text, row.text, role=Role.UI, colour=theme.text, align=LEFT)

    def _paint_bar(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        zero, span = self.zero(bars), self._model.most - self._model.least
        colour = theme.good if row.difference > 0 else theme.bad
        width = abs(row.difference) / span * bars.width() if span > 0 else 0.0
        if row.difference:
            width = max(1.0, width)
        left = zero if row.difference > 0 else zero - width
        height = scaled(12) if row.number is not None else scaled(4)
        painter.fillRect(QRectF(left, round(bars.center().y() - height / 2), width, height), colour)
        painter.fillRect(QRectF(zero, rect.top(), 1, rect.height()), theme.line_strong)
        place = QRectF(bars.right(), rect.top(), 0, rect.height())
        place.setRight(rect.right() - scaled(_INSET))
        text = format_change(row.difference, digits=_DIGITS)
        role = Role.UI if row.number is not None else Role.META
        draw_text(painter, place, text, role=role, colour=theme.text, align=RIGHT)


class DifferenceList(ListTable):
    """The chart as a list: arrows walk the queries, Enter opens one.

    Signals:
        query_chosen: number of the query that became current.
        query_opened: number of the query that is to be judged.
    """

    query_chosen = Signal(int)
    query_opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.differences = DifferenceModel(self)
        self.delegate = DifferenceDelegate(self.differences, self)
        self.setModel(self.differences)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Differences, worst first")
        self.set_row_height(row_height())
        self.row_moved.connect(self._choose)
        self.row_clicked.connect(self._choose)
        self.doubleClicked.connect(lambda index: self._open(index.row()))
        self.focus_changed.connect(self._on_focus)

    def set_rows(self, rows: list[DifferenceRow]) -> None:
        """Show other rows; the current query stays current."""
        if rows != self.differences.rows:
            self.differences.set_rows(rows)
        self.set_current(self.delegate.current)

    def set_current(self, query: int | None) -> None:
        """Make a query current, without a signal."""
        self.delegate.current = query
        place = self.differences.place_of(query) if query is not None else None
        if place is not None:
            self.setCurrentIndex(self.differences.index(place, 0))
        self.viewport().update()

    def _choose(self, row: int) -> None:
        query = self.differences.rows[row].number
        if query is not None and query != self.delegate.current:
            self.delegate.current = query
            self.viewport().update()
            self.query_chosen.emit(query)

    def _open(self, row: int) -> None:
        if 0 <= row < len(self.differences.rows):
            query = self.differences.rows[row].number
            if query is not None:
                self.query_opened.emit(query)

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on a query as soon as the keyboard comes."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.differences.rows:
            self.setCurrentIndex(self.differences.index(0, 0))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the query for judging."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


def verdict_head(table: ComparisonTable, name: str, cell: ComparisonCell, measure: Measure) -> str:
    """Return the finding in a sentence: which is better, or that no difference is shown.

    Args:
        table: where the cell stands.
        name: of the system.
        cell: of the system and the measure.
        measure: by which.
    """
    if cell.difference is None:
        return f"{name} is the baseline."
    if cell.pair is not None and cell.pair.significance is None:
        return "Not tested: it says how much is judged, not which run is better."
    if cell.p is None:
        return "Not tested yet."
    if not is_significant(table, cell):
        return "No difference shown for queries like these."
    better, worse = (name, table.baseline.name)
    if cell.difference < 0:
        better, worse = worse, better
    return f"{better} is better than {worse} by {measure}, as judged so far."


def verdict_rest(table: ComparisonTable, cell: ComparisonCell) -> str:
    """Return what the finding rests on: mean, p, interval, and whether queries are few."""
    if cell.difference is None:
        return "Choose another row to compare it with the baseline."
    parts = [f"Mean difference {format_signed(cell.difference)}"]
    if cell.p is None or cell.pair is None:
        return f"{parts[0]}."
    parts.append(p_in_words(table, cell))
    sentences = [f"{', '.join(parts)}."]
    interval = cell.pair.interval
    if interval is not None and table.rules is not None:
        low, high = (format_signed(each) for each in (interval.low, interval.high))
        sure = f"{table.rules.confidence:.0%}".replace("%", " %")
        effect = cell.pair.effect
        size = "" if effect is None else f", effect size {format_signed(effect, digits=2)}"
        sentences.append(f"{sure} interval of this pair alone {low} to {high}{size}.")
    n_queries = cell.pair.n_queries
    if not is_significant(table, cell) and 0 < n_queries < FEW:
        noun = "query is" if n_queries == 1 else "queries are"
        sentences.append(f"{format_count(n_queries)} {noun} few for a difference this small.")
    return " ".join(sentences)


def certain_text(verdict: Verdict) -> str:
    """Return what is certain of a difference on these queries, whatever is still unjudged."""
    if verdict.difference is None:
        return ""
    low, high = format_signed(verdict.low), format_signed(verdict.high)
    if not verdict.n_open:
        return "Nothing that is unjudged can change the difference on these queries."
    inside = "" if verdict.is_exact else "within "
    sure = " Which is better on them is certain." if verdict.is_decided else ""
    return (
        f"On these queries, however the unjudged documents are graded, it lies {inside}"
        f"{low} to {high}.{sure}"
    )


class DifferencePane(Panel):
    """Shows one system against the baseline by one measure.

    Signals:
        query_chosen: a query became current.
        query_opened: a query is to be judged.
        next_wanted: the person asks what to judge next.
    """

    query_chosen = Signal(int)
    query_opened = Signal(int)
    next_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._system: System | None = None
        self._baseline: System | None = None
        self._measure = 0
        self.title = ElidedLabel("", role=Role.UI_STRONG)
        self.counts = ElidedLabel("", role=Role.META, ink="text2")
        self.groups = NamedCombo()
        self.groups.setAccessibleName("Group the queries")
        self.list = DifferenceList(self)
        self.list.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.verdict = Text("", role=Role.UI_STRONG)
        self.reason = Text("", ink="text2")
        self.reason.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Two lines, so that nothing moves when p comes.
        self.reason.setMinimumHeight(2 * line_height(Role.UI))
        self.certain = Text("", ink="text2")
        self.certain.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.certain.setMinimumHeight(2 * line_height(Role.UI))
        self.next = QPushButton("\u2009What to judge next")
        self.next.setAccessibleName("What to judge next")
        self.key = KeyCap("")
        self.key.setVisible(False)
        self._foot_line = QHBoxLayout()
        self._arrange()
        self._paint_icon()
        self.list.query_chosen.connect(self.query_chosen)
        self.list.query_opened.connect(self.query_opened)
        self.next.clicked.connect(self.next_wanted)
        self.groups.activated.connect(lambda _place: self.refresh())

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(scaled(INSET), scaled(10), scaled(INSET), scaled(6))
        head.setSpacing(12)
        head.addWidget(self.title, stretch=1)
        head.addWidget(self.counts)
        head.addWidget(self.groups)
        foot = QVBoxLayout()
        foot.setContentsMargins(scaled(INSET), scaled(8), scaled(INSET), scaled(10))
        foot.setSpacing(4)
        said = QWidget()
        texts = QVBoxLayout(said)
        texts.setContentsMargins(0, 0, 0, 0)
        texts.setSpacing(4)
        for text in (self.verdict, self.reason, self.certain):
            texts.addWidget(text)
        # With large text in a low window they are scrolled; nothing lies over anything else.
        self.said = Scrolled(said)
        self.said.setAccessibleName("What the difference means")
        foot.addWidget(self.said)
        line = self._foot_line
        line.setContentsMargins(0, 4, 0, 0)
        self.next.setIconSize(icon_size())
        line.addWidget(self.next)
        line.addSpacing(6)
        line.addWidget(self.key)
        line.addStretch(1)
        foot.addLayout(line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, stretch=1)
        column.addLayout(foot)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little height, tooltips say the rest of the verdict."""
        super().resizeEvent(event)
        self.certain.setVisible(event.size().height() >= scaled(_LOW))
        self.reason.setVisible(event.size().height() >= scaled(_LOWEST))

    def show_key(self, key: str) -> None:
        """Show which key leads to what to judge next; ``""`` for none."""
        cap = KeyCap(key, parent=self)
        cap.setVisible(bool(key))
        self._foot_line.replaceWidget(self.key, cap)
        self.key.deleteLater()
        self.key = cap

    def set_session(self, session: Session | None) -> None:
        """Offer the groups of a project's queries."""
        self._session, self._system = session, None
        self.groups.clear()
        names = group_names(session) if session is not None else []
        self.groups.addItem("By query", "")
        for name in names:
            self.groups.addItem(f"By {name}", name)
        self.groups.setVisible(bool(names))
        self.list.set_rows([])

    def show_pair(self, system: System, baseline: System, measure: int) -> None:
        """Show a system against the baseline."""
        self._system, self._baseline, self._measure = system, baseline, measure
        self.refresh()

    def refresh(self) -> None:
        """Show the values that hold now."""
        session, system, baseline = self._session, self._system, self._baseline
        if session is None or system is None or baseline is None:
            self.title.set_text("")
            return
        measure = session.measures[self._measure]
        is_pair = system != baseline and measure.spec.has_query_values
        rows = []
        self.title.set_text(f"{system.name} minus {baseline.name}, {measure}")
        self.counts.set_text("")
        if is_pair:
            group_by = str(self.groups.currentData() or "")
            found = query_differences(session, system, baseline, measure, group_by=group_by)
            rows = difference_rows(session, found, group_by=group_by)
            self.counts.set_text(
                f"{found.n_better} better, {found.n_worse} worse, {found.n_equal} equal"
            )
        elif system == baseline:
            self.title.set_text(f"{baseline.name} is the baseline")
        self.list.set_rows(rows)

    def show_verdict(self, table: ComparisonTable, cell: ComparisonCell) -> None:
        """Say what the difference means."""
        name = self._system.name if self._system is not None else ""
        measure = table.measures[self._measure]
        head, rest = verdict_head(table, name, cell, measure), verdict_rest(table, cell)
        self.verdict.setText(head)
        self.reason.setText(rest)
        self.verdict.setToolTip(plain_tooltip(rest) if rest else "")
        self.next.setEnabled(cell.difference is not None)

    def show_certain(self, text: str) -> None:
        """Say between which bounds the difference lies on these queries; empty while unknown."""
        self.certain.setText(text)
        self.reason.setToolTip(plain_tooltip(text) if text else "")

    @property
    def worst(self) -> int | None:
        """The query at the top, ``None`` for none."""
        rows = self.list.differences.rows
        return next((row.number for row in rows if row.number is not None), None)

    def _paint_icon(self) -> None:
        self.next.setIcon(themed_icon("target", self.theme))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icon()
        super().changeEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, and the line over the verdict."""
        super().paintEvent(event)
        painter = QPainter(self)
        bottom = self.list.geometry().bottom() + 1
        draw_line(painter, QRectF(0, 0, self.width(), bottom), self.theme.line)
        painter.end()

    @override
    def sizeHint(self) -> QSize:
        """Return the wished size."""
        return QSize(scaled(540), scaled(420))
