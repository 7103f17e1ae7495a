"""Boost rules of a what-if: what they would do to all queries, before they are applied."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.core.number_text import format_change, format_count, format_value
from judgetool.core.override import override
from judgetool.errors import JudgetoolError
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    combo,
    edit,
    framed_icon_button,
    line_of,
    on_change,
    push_button,
)
from judgetool.gui.dialogs.framed_list import (
    FigureTable,
    ListRow,
    make_step_list,
)
from judgetool.gui.fonts import scaled
from judgetool.gui.grade_style import (
    judgment_style,
)
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.fields import NamedCombo, NumberField, name_signs
from judgetool.gui.widgets.labels import Text
from judgetool.session.background import WorkCancelledError
from judgetool.session.session import Session
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.editing import set_rules
from judgetool.session.whatifs.orders import Missed, find_missing
from judgetool.session.whatifs.rule_work import SAME, RulesEffect, effect_work
from judgetool.session.whatifs.rules import ACTIONS, MATCHES, OWN_FIELDS, Rule, RuleMatches
from judgetool.session.whatifs.stored import WhatIf

_MOST_TITLE = 120
_SEARCH_AFTER_MS = 120
_ACTION_TEXT = {
    "pin": "Pin to rank",
    "boost": "Up by",
    "demote": "Down by",
    "bottom": "To the bottom",
    "remove": "Take out",
}
_MATCH_TEXT = {"contains": "contains", "equals": "is", "regex": "matches (regex)"}
_COUNTED = ("pin", "boost", "demote")
_MOST_RANKS = 10_000
_AFTER_MS = 350
_FIELDS_FROM = 60
_MOST_FIELDS = 40
_HEADS = ("Mean", "Now", "With the rules", "Change", "Queries better", "Queries worse")


class InsertDialog(ActDialog):
    """Documents that the ranking lacks: judged ones first, then other runs', then by text.

    Args:
        session: the project.
        query: the query's number.
        order: what the ranking holds.
        rank: where it is to go, at first.
    """

    def __init__(self, session: Session, query: int, order: Sequence[int], *, rank: int) -> None:
        super().__init__("Insert a document", verb="Insert", width=680)
        self._session = session
        self._query = query
        self._held = np.array(order, dtype=np.int32)
        self.field = self.add_field("&Find", edit(hint="Words of the title, or the id"))
        self.field.setClearButtonEnabled(True)
        name_signs(self.field)
        self.rows = make_step_list("Documents that this ranking lacks")
        self.rows.itemDoubleClicked.connect(lambda _item: self.accept())
        self.add_list(self.rows, height=300)
        self.rank = NumberField(1, len(order) + 1)
        self.rank.setValue(rank)
        self.add_field("At &rank", self.rank, line=line_of(self.rank, None))
        self.first = self.field
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.search)
        self.field.textEdited.connect(lambda _text: self._later.start(_SEARCH_AFTER_MS))
        self.rows.currentRowChanged.connect(lambda _row: self._check())
        self.search()

    def search(self) -> None:
        """Look for what is written in the field."""
        self._later.stop()
        text = self.field.text().strip()
        found = find_missing(self._session, self._query, self._held, text)
        self.rows.show_rows([self._row(missed) for missed in found])
        self._check()

    def _row(self, missed: Missed) -> ListRow:
        document = self._session.material.show_document(missed.document)
        title = one_line(document.title or document.id, most=_MOST_TITLE)
        state = State.UNJUDGED if missed.grade is None else State.JUDGED
        style = judgment_style(self._session.scale, state, missed.grade, current_theme())
        return ListRow(missed.document, title, why_text(missed), style=style)

    def _check(self) -> None:
        nothing = "No document that this ranking lacks has that in its title or id."
        if not self.field.text().strip():
            nothing = "This ranking holds every document that is known for the query."
        self.show_lack("" if self.answer is not None else nothing)

    @property
    def answer(self) -> tuple[int, int] | None:
        """The chosen document and its rank; ``None`` while none is chosen."""
        row = self.rows.chosen
        if row is None or not isinstance(row.key, int):
            return None
        return row.key, self.rank.value()


def why_text(missed: Missed) -> str:
    """Return why a document is offered, such as ``rank 3 in another run``."""
    if missed.reason == "in another run":
        return f"rank {missed.best_rank} in another run"
    if missed.best_rank is not None:
        return f"{missed.reason}, rank {missed.best_rank} in another run"
    return missed.reason


class RuleRow(QWidget):
    """The fields of one rule on one line.

    Args:
        fields: what a rule may look at, to choose from; others can be typed.
        rule: what stands in the fields at first; ``None`` for an empty one.

    Signals:
        changed: something in the fields.
        removed: the rule is to go.

    Attributes:
        text: what is looked for.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, fields: Sequence[str], rule: Rule | None = None) -> None:
        super().__init__()
        given = rule or Rule("boost", fields[0], "contains", "to be written", 3)
        self.action = _choice("What is done", _ACTION_TEXT, ACTIONS, given.action)
        self.ranks = NumberField(1, _MOST_RANKS)
        self.ranks.setValue(given.ranks)
        self.ranks.setAccessibleName("Ranks")
        self.ranks.setFixedWidth(scaled(72))
        self.field = _choice("Field", {}, fields, given.field)
        self.field.setEditable(True)
        self.field.setCurrentText(given.field)
        # However long a field's name is, there is room for what is looked for.
        self.field.setMaximumWidth(scaled(170))
        self.match = _choice("How it matches", _MATCH_TEXT, MATCHES, given.match)
        text = rule.text if rule is not None else ""
        self.text = edit(text, hint="Text to look for", name="Text to look for")
        self.text.setMinimumWidth(scaled(90))
        name = "Only in queries with this text"
        self.queries = edit(given.queries, hint="all queries", name=name)
        self.queries.setToolTip("Only in queries whose text has this; empty for all")
        self.remove = framed_icon_button("Take this rule away", "x")
        line = line_of(spacing=6)
        line.setContentsMargins(0, 0, 0, 0)
        for part, stretch in (
            (self.action, 0),
            (self.ranks, 0),
            (_word("where"), 0),
            (self.field, 1),
            (self.match, 0),
            (self.text, 2),
            (_word("in"), 0),
            (self.queries, 1),
            (self.remove, 0),
        ):
            line.addWidget(part, stretch)
        self.setLayout(line)
        on_change(self._tell, self.ranks, self.match, self.text, self.queries)
        self.field.currentTextChanged.connect(self._tell)
        on_change(self._on_action, self.action)
        self.remove.clicked.connect(self.removed)
        self._show_ranks()

    def _tell(self) -> None:
        self.changed.emit()

    def _on_action(self) -> None:
        self._show_ranks()
        self.changed.emit()

    def _show_ranks(self) -> None:
        self.ranks.setEnabled(self.action.currentData() in _COUNTED)

    def rule(self) -> Rule | None:
        """Return the rule; ``None`` while there is nothing to look for.

        Raises:
            UsageError: it cannot be applied; the text says why.
        """
        text = self.text.text()
        if not text.strip():
            return None
        return Rule(
            self.action.currentData(),
            self.field.currentText().strip(),
            self.match.currentData(),
            text,
            self.ranks.value() if self.action.currentData() in _COUNTED else 1,
            self.queries.text().strip(),
        )


def _choice(
    name: str, titles: Mapping[str, str], values: Sequence[str], current: str
) -> NamedCombo:
    box = combo([(titles.get(each, each), each) for each in values], current, name=name)
    box.setToolTip(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return box


def _word(text: str) -> Text:
    word = Text(text, ink="text2")
    word.setWordWrap(False)
    return word


class RulesDialog(ActDialog):
    """A row for each rule; what they do is worked out on the worker while one writes.

    Args:
        session: the project.
        head: the what-if.
        jobs: works the effect out.
    """

    def __init__(self, session: Session, head: WhatIf, jobs: Jobs) -> None:
        super().__init__(f"Boost rules of {head.name}", verb="Apply to all queries", width=940)
        self._session = session
        self._head = head
        self._jobs = jobs
        self._job: JobHandle | None = None
        self._matches: RuleMatches | None = None
        self._fields = field_names(session)
        self.rows: list[RuleRow] = []
        self.add_text(
            "Each rule holds for every query, in this order, before what was moved by hand. "
            "Capitals make no difference."
        )
        self._column = QVBoxLayout()
        self._column.setSpacing(8)
        self.body.addLayout(self._column)
        self.add = push_button("Add a rule", lambda: self.add_rule(None))
        self.add_line(self.add, None)
        self.bar = self.put(QProgressBar())
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1)
        self.bar.setAccessibleName("Documents looked at")
        self.effect = self.add_text(ink="text")
        self.effect.setMinimumHeight(scaled(62))
        self.means = self.put(FigureTable("What the rules would do to the means", most=8))
        self.body.addStretch(1)
        self._later = QTimer(self, singleShot=True)
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
        row = RuleRow(self._fields, rule)
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
        self.means.hide()
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
            self.show_lack("There is no rule to apply yet.")
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
        self.means.show_rows(_HEADS, rows, wide=range(len(_HEADS)))
        self.means.setVisible(bool(rows))

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
        if isinstance(error, WorkCancelledError):
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


def field_names(session: Session) -> tuple[str, ...]:
    """Return what a rule may look at: the parts of every document, then fields of some."""
    names = dict.fromkeys(OWN_FIELDS)
    numbers = list(session.material.document_ids())[:_FIELDS_FROM]
    for document in session.material.show_documents(numbers):
        names |= dict.fromkeys(document.fields)
    ordered = ["title", *(name for name in names if name != "title")]
    return tuple(ordered[:_MOST_FIELDS])
