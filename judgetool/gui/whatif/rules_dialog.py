"""Boost rules of a what-if: what they would do to all queries, before they are applied."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.jobs import JobCancelledError, JobHandle, Jobs
from judgetool.gui.number_text import format_change, format_count, format_value
from judgetool.gui.whatif.rule_row import RuleRow
from judgetool.session.session import Session
from judgetool.session.whatifs import (
    OWN_FIELDS,
    Rule,
    RuleMatches,
    RulesCancelledError,
    WhatIf,
    set_rules,
    whatif_book,
)
from judgetool.session.whatifs.rule_work import SAME, RulesEffect, effect_work

_AFTER_MS = 350
_FIELDS_FROM = 60
_MOST_FIELDS = 40
_HIGHEST_TABLE = 240
_HEADS = ("Mean", "Now", "With the rules", "Change", "Queries better", "Queries worse")


class RulesDialog(ActDialog):
    """A row for each rule; what they do is worked out on the worker while one writes.

    Args:
        session: the project.
        head: the what-if.
        jobs: works the effect out.
        parent: the window it belongs to.
    """

    def __init__(
        self, session: Session, head: WhatIf, jobs: Jobs, *, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            f"Boost rules of {head.name}", verb="Apply to all queries", width=940, parent=parent
        )
        self._session = session
        self._head = head
        self._jobs = jobs
        self._job: JobHandle | None = None
        self._matches: RuleMatches | None = None
        self._fields = field_names(session)
        self.rows: list[RuleRow] = []
        self.body.addWidget(
            Text(
                "Each rule holds for every query, in this order, before what was moved by hand. "
                "Capitals make no difference.",
                ink="text2",
            )
        )
        self._column = QVBoxLayout()
        self._column.setSpacing(8)
        self.body.addLayout(self._column)
        self.add = QPushButton("Add a rule")
        self.add.setAutoDefault(False)
        self.add.clicked.connect(lambda: self.add_rule(None))
        line = QHBoxLayout()
        line.addWidget(self.add)
        line.addStretch(1)
        self.body.addLayout(line)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1)
        self.bar.setAccessibleName("Documents looked at")
        self.body.addWidget(self.bar)
        self.effect = Text("", role=Role.UI)
        self.effect.setMinimumHeight(scaled(62))
        self.body.addWidget(self.effect)
        self.means = _MeansTable()
        self.body.addWidget(self.means)
        self.body.addStretch(1)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._start)
        for rule in head.rules:
            self.add_rule(rule)
        if not head.rules:
            self.add_rule(None)
        self.first = self.rows[0].text
        self._changed()

    # Rules

    def add_rule(self, rule: Rule | None) -> None:
        """Add a row with a rule, or an empty one."""
        row = RuleRow(self._fields, rule, parent=self)
        row.changed.connect(self._changed)
        row.removed.connect(partial(self._remove, row))
        self.rows.append(row)
        self._column.addWidget(row)
        if rule is None and self.isVisible():
            row.text.setFocus()
        self._changed()

    def _remove(self, row: RuleRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.deleteLater()
        self._changed()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that have a text.

        Raises:
            UsageError: one of them cannot be applied; the text says why.
        """
        found = (row.rule() for row in self.rows)
        return tuple(rule for rule in found if rule is not None)

    # Their effect

    def _changed(self) -> None:
        self._matches = None
        self.means.set_rows([])
        if self._job is not None:
            self._job.drop()
            self._job = None
        try:
            rules = self.rules
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        self.show_problem("")
        if rules == self._head.rules and not rules:
            self.effect.setText("No rule yet: write what to look for.")
            self.show_problem("There is no rule to apply yet.", ink="text2")
            self.bar.setValue(0)
            return
        self._later.start(_AFTER_MS)

    def _start(self) -> None:
        rules = self.rules
        self.effect.setText("Looking at the documents…")
        work = effect_work(self._session, self._head, rules)
        self._job = self._jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._show,
            self._fail,
            self._progress,
            key="boost rules",
            owner=self,
        )

    def _progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)

    def _show(self, found: tuple[RuleMatches, RulesEffect]) -> None:
        self._job = None
        self._matches, effect = found
        self.bar.setValue(self.bar.maximum())
        n = len(self._session.material.queries)
        documents = "document" if effect.n_documents == 1 else "documents"
        text = (
            f"{format_count(effect.n_documents)} {documents} match; the ranking of "
            f"{format_count(effect.n_queries)} of {format_count(n)} queries would be another."
        )
        gaps = [rule.gap for rule in self.rules if rule.gap]
        rows = self._mean_rows(effect)
        none = [] if rows else ["No mean would change."]
        self.effect.setText("\n".join([*gaps, text, *none]))
        self.means.set_rows(rows)

    def _mean_rows(self, effect: RulesEffect) -> list[tuple[str, ...]]:
        """Return the means that would change, and of how many queries the value would."""
        book = whatif_book(self._session)
        before = self._session.board.engine.means(book.engine_key(self._head.id))
        counts = zip(effect.n_better, effect.n_worse, strict=True)
        means = zip(self._session.measures, before, effect.means, counts, strict=True)
        return [
            (
                str(measure),
                format_value(old.value),
                format_value(new),
                format_change(new - old.value),
                *map(format_count, n),
            )
            for measure, old, new, n in means
            if old.value is not None and new is not None and (abs(new - old.value) > SAME or any(n))
        ]

    def _fail(self, error: Exception) -> None:
        self._job = None
        if isinstance(error, RulesCancelledError | JobCancelledError):
            return
        if not isinstance(error, JudgetoolError):
            raise error
        self.show_problem(str(error))

    @property
    def answer(self) -> Callable[[Session], None]:
        """What applies the rules."""
        rules, matches, whatif_id = self.rules, self._matches, self._head.id

        def apply(session: Session) -> None:
            set_rules(session, whatif_id, rules, matches=matches)

        return apply

    @override
    def done(self, result: int) -> None:
        """Stop what is being worked out."""
        self._later.stop()
        if self._job is not None:
            self._job.drop()
        super().done(result)

    @classmethod
    def ask(
        cls, parent: QWidget | None, session: Session, head: WhatIf, jobs: Jobs
    ) -> Callable[[Session], None] | None:
        """Let rules be written; return what applies them, or ``None``."""
        dialog = cls(session, head, jobs, parent=parent)
        return dialog.answer if dialog.is_answered() else None


class _MeansTable(QScrollArea):
    """What each mean was and would be, and how many queries would gain or lose."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, ...]] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("What the rules would do to the means")
        self.hide()

    def set_rows(self, rows: list[tuple[str, ...]]) -> None:
        """Show these rows; without any there is nothing to see."""
        self.rows = rows
        cells, grid = QWidget(), QGridLayout()
        cells.setLayout(grid)
        grid.setContentsMargins(0, 0, scaled(8), 0)
        grid.setHorizontalSpacing(scaled(24))
        grid.setVerticalSpacing(scaled(3))
        grid.setColumnStretch(len(_HEADS), 1)
        for line, row in enumerate([_HEADS, *rows] if rows else []):
            for column, text in enumerate(row):
                cell = Text(text, ink="text" if line else "text2", role=Role.META)
                cell.setWordWrap(False)
                align = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                grid.addWidget(cell, line, column, align)
        grid.setRowStretch(len(rows) + 1, 1)
        self.setWidget(cells)
        cells.setAutoFillBackground(False)
        self.setMinimumHeight(min(cells.sizeHint().height(), scaled(_HIGHEST_TABLE)))
        self.setVisible(bool(rows))
        self.setAccessibleDescription(". ".join(", ".join(row) for row in rows))


def field_names(session: Session) -> tuple[str, ...]:
    """Return what a rule may look at: the parts of every document, then fields of some."""
    names = dict.fromkeys(OWN_FIELDS)
    numbers = list(session.material.document_ids())[:_FIELDS_FROM]
    for document in session.material.show_documents(numbers):
        names |= dict.fromkeys(document.fields)
    ordered = ["title", *(name for name in names if name != "title")]
    return tuple(ordered[:_MOST_FIELDS])
