"""The left of the compare view's lower half: bars by query, the verdict, what to judge next."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.difference_list import DifferenceList
from judgetool.gui.compare.difference_rows import difference_rows
from judgetool.gui.compare.verdict_text import verdict_head, verdict_rest
from judgetool.gui.dialogs.act_dialog import Scrolled, Text
from judgetool.gui.fonts import Role, line_height, scaled
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.painting import draw_line
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel, KeyCap, plain_tooltip
from judgetool.gui.widgets.painted import Panel
from judgetool.session.comparing.comparing import (
    ComparisonCell,
    ComparisonTable,
    group_names,
    query_differences,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

INSET = 16
_LOW = 260
_LOWEST = 190


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
