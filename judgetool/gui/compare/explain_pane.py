"""How a value comes about, and beside it which documents make up the difference."""

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from judgetool.gui.compare.difference_list import DifferenceList
from judgetool.gui.compare.explained import difference_of_documents, explain_system
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.number_text import format_change
from judgetool.gui.widgets.explain_table import EMPTY, ExplainTable
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import Panel
from judgetool.metrics import Measure
from judgetool.session.session import Session
from judgetool.session.systems import System

_HEAD = 14


class ExplainPane(Panel):
    """The arithmetic rank by rank, and the parts of the difference as bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel("", role=Role.META_STRONG, ink="text2")
        self.table = ExplainTable()
        self.parts_title = ElidedLabel("", role=Role.META_STRONG, ink="text2")
        self.parts = DifferenceList()
        self.parts.viewport().setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.parts.differences.noun = "Ranks"
        self.parts.setAccessibleName("Documents that make up the difference")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        # The arithmetic has up to nine columns, the parts have three.
        row.addLayout(_column(self.title, self.table), stretch=3)
        row.addLayout(_column(self.parts_title, self.parts), stretch=2)

    def show_value(
        self, session: Session, system: System, baseline: System, query: int, measure: Measure
    ) -> None:
        """Explain a system's value of a query, and its difference from the baseline's."""
        self.table.set_scale(session.scale)
        explanation = explain_system(session, system, query, measure)
        has_none = explanation is EMPTY
        self.title.set_text(
            f"{measure} is not explained rank by rank" if has_none else f"{measure}, {system.name}"
        )
        self.table.set_explanation(explanation)
        if system == baseline:
            self.parts_title.set_text("The baseline has no difference to explain.")
            self.parts.set_rows([])
            return
        found, rows = difference_of_documents(session, system, baseline, query, measure)
        change = format_change(found.difference)
        self.parts_title.set_text(found.reason or f"What makes up {change}, by document")
        self.parts.set_rows(rows)


def _column(title: ElidedLabel, body: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    head = QHBoxLayout()
    head.setContentsMargins(_HEAD, scaled(8), _HEAD, scaled(4))
    head.addWidget(title)
    column.addLayout(head)
    column.addWidget(body, stretch=1)
    return column
