"""What to judge next: by what it could overturn, or how much surer it makes the mean."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.figures import format_signed
from judgetool.gui.compare.next_model import NextDelegate, NextModel, NextRow, next_rows, row_height
from judgetool.gui.dialogs.act_dialog import Text
from judgetool.gui.fonts import scaled
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.number_text import format_count
from judgetool.gui.table_copy import Table, number_cell, offer_copy
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.rows import ListTable
from judgetool.metrics import Measure
from judgetool.session.comparing.next_to_judge import (
    Candidate,
    SearchCancelledError,
    Verdict,
    narrowing_work,
    overturn_work,
    verdict_work,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

MOST = 200
_JOB = "compare/next"
_INSET = 16


class _Found(NamedTuple):
    verdict: Verdict | None
    candidates: list[Candidate]


class NextPane(QWidget):
    """A list by stake, over what it is about; Enter or the button starts judging just those.

    Signals:
        start_wanted: the pairs (query, document) to judge, most at stake first.
    """

    start_wanted = Signal(object)

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._session: Session | None = None
        self._work: Callable[[JobHandle], _Found] | None = None
        self._asked: tuple[System, System, Measure] | None = None
        self._version = -1
        self._wants_start = False
        self.verdict = Text("")
        self.aims = NamedCombo()
        self.aims.setAccessibleName("What judging is to do")
        self.aims.addItem("Makes the difference surer", "difference")
        self.aims.addItem("Could overturn the verdict", "overturn")
        self.aims.addItem("Makes this mean surer", "narrow")
        self.start = QPushButton("Judge these")
        self.start.setProperty("main", "true")
        self.list = _NextList(self)
        self._arrange()
        self.aims.activated.connect(lambda _place: self._ask_again())
        self.start.clicked.connect(self.judge)
        self.list.opened.connect(self._judge_from)
        offer_copy(self.list, self._as_table)

    def _arrange(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(scaled(_INSET), scaled(10), scaled(_INSET), scaled(8))
        head.setSpacing(8)
        head.addWidget(self.verdict)
        line = QHBoxLayout()
        line.setSpacing(10)
        line.addWidget(self.aims)
        line.addStretch(1)
        line.addWidget(self.start)
        head.addLayout(line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, stretch=1)

    @property
    def rows(self) -> list[NextRow]:
        """What is listed."""
        return self.list.next.rows

    def show_pair(
        self,
        session: Session,
        system: System,
        baseline: System,
        measure: Measure,
        *,
        version: int,
    ) -> None:
        """Look for what could change what is known of a system, in the background.

        Args:
            session: the project.
            system: what is looked at.
            baseline: with what it is compared.
            measure: by what.
            version: of the figures; what was found for the same is not looked for again.
        """
        asked = (system, baseline, measure)
        if asked == self._asked and version == self._version:
            return
        self._session, self._asked, self._version = session, asked, version
        self._wants_start = False
        self._ask_again()

    def _ask_again(self) -> None:
        if self._session is None or self._asked is None:
            return
        system, baseline, measure = self._asked
        is_pair = system != baseline
        self.aims.setEnabled(is_pair)
        self.list.next.set_rows([])
        self.start.setEnabled(False)
        past = [each.name for each in (system, baseline) if each.snapshot]
        if past or not measure.spec.has_query_values:
            self._say_nothing(past, measure)
            return
        session = self._session
        decide = verdict_work(session, system, baseline, measure) if is_pair else None
        # One more than is shown, to know whether there are more.
        aim, most = self.aims.currentData(), MOST + 1
        if is_pair and aim != "narrow":
            is_fair = aim == "difference"
            search = overturn_work(
                session, system, baseline, measure, most=most, is_two_sided=is_fair
            )
        else:
            search = narrowing_work(session, system, measure, most=most)

        def work(handle: JobHandle) -> _Found:
            verdict = decide(None, handle.is_cancelled) if decide is not None else None
            return _Found(verdict, search(handle.report, handle.is_cancelled))

        self.verdict.setText("Looking for what is at stake…")
        self._jobs.submit(work, self._show, self._fail, self._tell, key=_JOB, owner=self)

    def _say_nothing(self, past: list[str], measure: Measure) -> None:
        self.verdict.setText(
            f"{past[0]} is of a snapshot, whose judgments do not change any more."
            if past
            else f"{measure} has no values by query that a judgment could change."
        )

    def _tell(self, done: int, total: int) -> None:
        self.verdict.setText(
            f"Looking for what is at stake: query {format_count(done)} of {format_count(total)}."
        )

    def _fail(self, problem: Exception) -> None:
        if not isinstance(problem, SearchCancelledError):
            self.verdict.setText(str(problem))

    def _show(self, found: _Found) -> None:
        session = self._session
        if session is None:
            return
        rows = next_rows(session, found.candidates[:MOST])
        self.list.next.set_rows(rows)
        said = _with_minus(found.verdict) if found.verdict is not None else ""
        parts = (said, self._counted(rows, has_more=len(found.candidates) > MOST), self.leaning)
        self.verdict.setText(" ".join(part for part in parts if part))
        self.start.setEnabled(bool(rows) and not session.read_only_reason)
        if rows:
            self.list.setCurrentIndex(self.list.next.index(0, 0))
        if self._wants_start:
            self._wants_start = False
            self._judge_from(0)

    @property
    def leaning(self) -> str:
        """What is to be known of judging in this order; empty where it is fair to both runs."""
        if self.aims.currentData() != "overturn" or not self.aims.isEnabled() or not self.rows:
            return ""
        return "Judged on one side: until all are judged the difference shown leans."

    @staticmethod
    def _counted(rows: list[NextRow], *, has_more: bool) -> str:
        if not rows:
            return "No judgment would change it."
        count = "1 document is" if len(rows) == 1 else f"{format_count(len(rows))} documents are"
        n_alone = sum(row.can_overturn for row in rows)
        alone = f"; {format_count(n_alone)} could turn it alone (◆)" if n_alone else ""
        if has_more:
            return f"More documents are at stake; listed are the {format_count(len(rows))} with most{alone}."
        return f"{count} at stake{alone}."

    def _as_table(self) -> Table:
        heads = ("query", "document", "title", "stake", "could turn it alone")
        if self._session is None:
            return [heads]
        queries, material = self._session.material.queries, self._session.material
        ids = material.document_ids([row.document for row in self.rows])
        rows = [
            (
                queries[row.query].id,
                ids[row.document],
                row.title,
                number_cell(row.stake),
                "yes" if row.can_overturn else "",
            )
            for row in self.rows
        ]
        return [heads, *rows]

    def judge(self) -> None:
        """Start judging what is listed; while it is being looked for, as soon as it is found."""
        self._wants_start = not self.rows
        self._judge_from(0)

    def _judge_from(self, row: int) -> None:
        if self.rows and self.start.isEnabled():
            self.start_wanted.emit([(each.query, each.document) for each in self.rows[row:]])


def _with_minus(verdict: Verdict) -> str:
    """Return a verdict's sentence with its numbers as the window writes them."""
    said = verdict.sentence
    for end in (verdict.low, verdict.high):
        said = said.replace(f" {end:+.4f}", f" {format_signed(end)}")
    return said


class _NextList(ListTable):
    """The list; Enter tells the row."""

    opened = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.next = NextModel(self)
        self.delegate = NextDelegate(self.next, self)
        self.setModel(self.next)
        self.setItemDelegate(self.delegate)
        self.set_row_height(row_height())
        self.setAccessibleName("What to judge next, most at stake first")
        self.focus_changed.connect(self._on_focus)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter starts with the current row."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(max(0, self.currentIndex().row()))
        else:
            super().keyPressEvent(event)
