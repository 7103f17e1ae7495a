"""How alike rankings are, and how alike measures and views order the systems."""

from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.core.number_text import format_count, format_value
from judgetool.core.override import override
from judgetool.core.views import VIEW_RULES
from judgetool.gui.compare.table_model import Index
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, combo
from judgetool.gui.fonts import Role, font, scaled
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.table_copy import offer_copy, table_of_model
from judgetool.metrics.correlation import DEFAULT_PERSISTENCE, OrderAgreement
from judgetool.session.board import ONLY_MINE
from judgetool.session.comparing.agreement import (
    DEFAULT_DEPTH,
    QueryAgreement,
    agree_on_measures,
    agree_on_queries,
    agree_on_views,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

_JOB = "compare/agreement"
_HEADS = ("τ-b", "τ_AP", "ρ", f"RBO (p {DEFAULT_PERSISTENCE:g})")
_DIGITS = 3
_MOST_NAME = 50
_NO_VIEW = ""
_ROW = 26
_MOST_SHOWN = 7
_MOST_MEASURES = 12
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _PlainCells(QStyledItemDelegate):
    """Rows are current as a whole: no cell has a frame of its own."""

    @override
    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


class AgreementRow(NamedTuple):
    """One line of a table.

    Attributes:
        name: what is compared with what.
        tau: Kendall's τ-b; ``None`` where undefined.
        tau_ap: τ_AP, likewise.
        rho: Spearman's ρ, likewise.
        rbo: rank-biased overlap, likewise.
        remark: such as the number of queries.
    """

    name: str
    tau: float | None
    tau_ap: float | None
    rho: float | None
    rbo: float | None
    remark: str = ""

    @property
    def figures(self) -> tuple[float | None, ...]:
        """The four figures, in the order of the heads."""
        return (self.tau, self.tau_ap, self.rho, self.rbo)


def mean_agreement(name: str, found: Sequence[QueryAgreement]) -> AgreementRow:
    """Return the mean over queries; a figure that is undefined for a query leaves it out."""

    def over(pick: Callable[[QueryAgreement], float | None]) -> float | None:
        values = [value for each in found if (value := pick(each)) is not None]
        return mean(values) if values else None

    noun = "query" if len(found) == 1 else "queries"
    return AgreementRow(
        name,
        over(lambda each: each.agreement.tau),
        over(lambda each: each.agreement.tau_ap),
        over(lambda each: each.agreement.rho),
        over(
            lambda each: each.agreement.rbo.extrapolated if each.agreement.rbo is not None else None
        ),
        f"{format_count(len(found))} {noun}",
    )


def order_row(name: str, found: OrderAgreement | None) -> AgreementRow:
    """Return a line about two orders of the systems."""
    if found is None:
        return AgreementRow(name, None, None, None, None)
    return AgreementRow(name, found.tau, found.tau_ap, found.rho, found.rbo)


class AgreementDialog(ActDialog):
    """Three small tables: rankings against the baseline, measures, views of judgments.

    Args:
        session: the project.
        systems: what is compared.
        baseline: with what rankings are compared.
        jobs: runs what takes long.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        session: Session,
        systems: Sequence[System],
        baseline: System,
        jobs: Jobs,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Agreement of orders", verb="Close", width=940, parent=parent)
        self.cancel.setVisible(False)
        self._session, self._systems, self._baseline = session, list(systems), baseline
        self._jobs = jobs
        self.rankings = _make_table("Rankings against the baseline")
        self.measures = _make_table("Systems ordered by two measures", n_columns=0)
        options = [(name, place) for place, name in enumerate(_HEADS)]
        self.figure = combo(options, name="Figure of agreement")
        self.figure.activated.connect(lambda _place: self._fill_measures())
        self._of_measures = agree_on_measures(session, self._systems)
        self.views = _make_table("Systems ordered under two views of judgments")
        self.state = Text("", ink="text2")
        self.add_head(
            f"Rankings against {baseline.name}, mean over queries, first {DEFAULT_DEPTH} ranks"
        )
        self.body.addWidget(self.state)
        self.body.addWidget(self.rankings)
        title = Text("Systems ordered by two measures", role=Role.UI_STRONG)
        self.add_line(title, 1, self.figure)
        self.body.addWidget(self.measures)
        self.few = self.add_text("At least three systems are needed: any order of two says little.")
        self._fill_measures()
        self.add_head("Systems ordered under two views")
        self._add_views()
        self.body.addWidget(self.views)
        self.body.addStretch(1)
        self.first = self.rankings
        self._compare_rankings()

    def _compare_rankings(self) -> None:
        others = [each for each in self._systems if each != self._baseline]
        session, baseline = self._session, self._baseline
        if not others:
            self.state.setText("There is only one system.")
            return

        def work(handle: JobHandle) -> list[AgreementRow]:
            rows = []
            for place, system in enumerate(others):
                handle.check()
                handle.report(place, len(others))
                found = agree_on_queries(session, system, baseline)
                rows.append(mean_agreement(system.name, found))
            return rows

        self._jobs.submit(
            work, self._show_rankings, lambda _: None, self._tell, key=_JOB, owner=self
        )
        self._tell(0, len(others))

    def _tell(self, done: int, total: int) -> None:
        self.state.setText(f"Comparing: {format_count(done)} of {format_count(total)}")

    def _show_rankings(self, rows: list[AgreementRow]) -> None:
        self.state.setVisible(False)
        _fill(self.rankings, rows)

    def _fill_measures(self) -> None:
        """Show each measure against each, by the figure that is chosen."""
        found, place = self._of_measures, self.figure.currentIndex()
        for widget in (self.measures, self.figure):
            widget.setVisible(bool(found))
        self.few.setVisible(not found)
        names = list(dict.fromkeys(str(m) for each in found for m in (each.first, each.second)))
        self.measures.setRowCount(len(names))
        self.measures.setColumnCount(len(names) + 1)
        for at, name in enumerate(("", *names)):
            self.measures.setHorizontalHeaderItem(at, _right_item(name))
        for at, name in enumerate(names):
            self.measures.setItem(at, 0, QTableWidgetItem(name))
            self.measures.setItem(at, at + 1, _right_item("·"))
        for each in found:
            row, column = names.index(str(each.first)), names.index(str(each.second))
            told = order_row(f"{each.first} and {each.second}", each.agreement)
            text = format_value(told.figures[place], digits=_DIGITS)
            for at, other in ((row, column), (column, row)):
                item = _right_item(text)
                item.setToolTip(_in_words(told))
                self.measures.setItem(at, other + 1, item)
        heads = self.measures.horizontalHeader()
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        heads.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.measures.setFixedHeight(scaled(_ROW) * (min(len(names), _MOST_MEASURES) + 1) + 12)

    def _add_views(self) -> None:
        views = [(rule.title, key) for key, rule in VIEW_RULES.items()]
        views.append(("Only my judgments", ONLY_MINE))
        shown = self._session.board.view
        self.first_view = combo(views, shown, name="First view of judgments")
        others = [("Choose another view", _NO_VIEW), *views]
        self.second_view = combo(others, _NO_VIEW, name="Second view of judgments")
        self.add_line(self.first_view, self.second_view, None)
        self.views.setVisible(False)
        self.first_view.activated.connect(lambda _place: self._show_views())
        self.second_view.activated.connect(lambda _place: self._show_views())

    def _show_views(self) -> None:
        first, second = self.first_view.currentData(), self.second_view.currentData()
        present = [each for each in self._systems if not each.snapshot]
        rows = []
        if second != _NO_VIEW and len(present) > 2:
            found = agree_on_views(self._session, present, first, second)
            rows = [order_row(str(each.measure), each.agreement) for each in found]
        _fill(self.views, rows)
        self.views.setVisible(bool(rows))


def _right_item(text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setTextAlignment(_RIGHT)
    return item


def _in_words(row: AgreementRow) -> str:
    figures = zip(_HEADS, row.figures, strict=True)
    said = [f"{head} {format_value(value, digits=_DIGITS)}" for head, value in figures]
    return f"{row.name}: {', '.join(said)}"


def _make_table(name: str, *, n_columns: int = len(_HEADS) + 2) -> QTableWidget:
    table = QTableWidget(0, n_columns)
    table.setAccessibleName(name)
    table.setItemDelegate(_PlainCells(table))
    for column, text in enumerate(("", *_HEADS, "")[:n_columns]):
        table.setHorizontalHeaderItem(column, _right_item(text))
    offer_copy(table, lambda: table_of_model(table.model()))
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setShowGrid(False)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(scaled(_ROW))
    heads = table.horizontalHeader()
    heads.setFont(font(Role.HEAD))
    heads.setHighlightSections(False)
    heads.setSectionsClickable(False)
    heads.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    if n_columns:
        heads.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    heads.setMinimumSectionSize(scaled(64))
    return table


def _fill(table: QTableWidget, rows: Iterable[AgreementRow]) -> None:
    listed = list(rows)
    table.setRowCount(len(listed))
    for place, row in enumerate(listed):
        texts = [format_value(value, digits=_DIGITS) for value in row.figures]
        cells = [one_line(row.name, most=_MOST_NAME), *texts, row.remark]
        for column, text in enumerate(cells):
            item = _right_item(text) if column else QTableWidgetItem(text)
            item.setFont(font(Role.UI))
            table.setItem(place, column, item)
    if listed:
        table.setCurrentCell(0, 0)
    shown = min(_MOST_SHOWN, max(2, len(listed)))
    table.setFixedHeight(scaled(_ROW) * (shown + 1) + 8)
