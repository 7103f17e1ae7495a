"""Rules of a what-if: a list in their order, the fields of the current one, and what all of them do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, pairwise
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QSlider, QWidget

from judgetool.core import override
from judgetool.core.number_text import number_of, with_point
from judgetool.core.score_formulas import find_literals, local_limit, read_number
from judgetool.core.terms import one_line
from judgetool.errors import JudgetoolError, UsageError
from judgetool.gui.dialogs.act_dialog import (
    combo,
    edit,
    framed_icon_button,
    held,
    line_of,
    number,
    on_change,
    on_key,
    push_button,
    switch,
)
from judgetool.gui.dialogs.choose import WritingDialog
from judgetool.gui.dialogs.framed_list import ROW, FigureTable, ListRow, framed, make_step_list
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.painting import format_change, format_count, format_value
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.fields import ElidedCombo, NumberField
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.live_values import mean_word
from judgetool.gui.widgets.painted import clear_layout, in_column
from judgetool.metrics import Bounds
from judgetool.session.commands import WorkCancelledError
from judgetool.session.comparing.trial import QueryChange, RulesEffect, RulesTrial
from judgetool.session.session import Session
from judgetool.session.whatifs.book import Split, WhatIf
from judgetool.session.whatifs.editing import create_whatif, set_rules
from judgetool.session.whatifs.rules import (
    ACTIONS,
    COUNTED,
    MATCHES,
    NUMBER_MATCHES,
    OWN_FIELDS,
    Rule,
    is_limit,
)
from judgetool.wording import N_, _, spoken

# The fields of a rule

Draft = dict[str, Any]
"""A rule as :meth:`Rule.to_dict` has it, while it may still lack something."""
_ACTION_TEXT = {
    "pin": N_("Pin to rank"),
    "boost": N_("Up by"),
    "demote": N_("Down by"),
    "bury": N_("Not above rank"),
    "bottom": N_("To the bottom"),
    "remove": N_("Take out"),
    "collapse": N_("At most … of the same"),
    "score": N_("Score by a formula"),
}
_MATCH_TEXT = {
    "contains": N_("contains"),
    "equals": N_("is"),
    "regex": N_("matches (regex)"),
    "<=": "≤",
    ">=": "≥",
}
_MOST_RANKS = 10_000
_MOST_SLIDERS = 8
_SLIDER_STEPS = 400
_FORMULA_HINT = "score * (1 + 0.3 * is_new)"


def empty_condition(fields: Sequence[str]) -> dict[str, str]:
    """Return a condition that looks for nothing yet, in the first of the fields."""
    return {"field": fields[0], "match": "contains", "text": ""}


def _field_combo(fields: Sequence[str], name: str) -> ElidedCombo:
    box = combo([(each, each) for each in fields], name=name)
    box.setEditable(True)
    completer = box.completer()
    # Of ‘price’ and ‘Price’ Qt would take the first, whichever is typed.
    if completer is not None and len({each.casefold() for each in fields}) < len(fields):
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseSensitive)
    return box


def _number_with_point(text: str) -> str:
    """Return a number, typed as in the window's language or in another, as rules have it."""
    typed = "".join(text.split()).replace("−", "-")
    written = (with_point(typed, sign) for sign in (spoken().decimal, ",", "."))
    return next((each for each in written if read_number(each) is not None), text)


class ConditionLine(QWidget):
    """The fields of one condition.

    Args:
        fields: what may be looked at, to choose from; others can be typed.
        word: before the fields: ``where`` or ``and``.
        given: field, match and text at first.

    Signals:
        changed: something in the fields.
        removed: the condition is to go.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, fields: Sequence[str], word: str, given: Mapping[str, str]) -> None:
        super().__init__()
        self.field = _field_combo(fields, _("Field"))
        self.field.setCurrentText(given["field"])
        # However long a field's name is, there is room for what is looked for.
        self.field.setMaximumWidth(scaled(200))
        texts = [(_(_MATCH_TEXT.get(each, each)), each) for each in MATCHES]
        self.match = combo(texts, given["match"], name=_("How it matches"))
        self.text = edit(
            local_limit(given["text"]) if given["match"] in NUMBER_MATCHES else given["text"],
            hint=_("Text or number to look for"),
            name=_("What to look for"),
        )
        self.text.setMinimumWidth(scaled(90))
        self.remove = framed_icon_button(_("Take this condition away"), "x", self.removed.emit)
        said = Text(word, ink="text2", wraps=False)
        said.setMinimumWidth(scaled(44))
        line = line_of(said, self.field, 1, self.match, self.text, 2, self.remove, spacing=6)
        line.setContentsMargins(0, 0, 0, 0)
        self.setLayout(line)
        on_change(self.changed.emit, self.match, self.text)
        self.field.currentTextChanged.connect(lambda _text: self.changed.emit())

    @property
    def condition(self) -> dict[str, str]:
        """What the fields say; its text may be empty still."""
        match, text = self.match.currentData(), self.text.text()
        return {
            "field": self.field.currentText().strip(),
            "match": match,
            "text": _number_with_point(text) if match in NUMBER_MATCHES else text,
        }


class NumberSliders(QWidget):
    """A slider for each number in the text of a formula.

    Signals:
        moved: the text with another number.
    """

    moved = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.sliders: list[QSlider] = []
        self._says: list[Text] = []
        self._column = in_column(host=self, spacing=2)

    def show_text(self, text: str) -> None:
        """Show the numbers of another text, each from 0 to four times what it is."""
        self._text = text
        self.sliders, self._says = [], []
        clear_layout(self._column)
        for place, literal in enumerate(find_literals(text)[:_MOST_SLIDERS]):
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, _SLIDER_STEPS)
            slider.setPageStep(_SLIDER_STEPS // 20)
            most = 4 * literal.value or 1.0
            slider.setValue(round(literal.value / most * _SLIDER_STEPS))
            slider.valueChanged.connect(partial(self._move, place, most))
            said = Text("", wraps=False)
            said.setMinimumWidth(scaled(80))
            self._column.addWidget(held(line_of(said, slider, 1)))
            self.sliders.append(slider)
            self._says.append(said)
            self._say(place, text[literal.start : literal.end])
        self.setVisible(bool(self.sliders))

    def _move(self, place: int, most: float, value: int) -> None:
        literal = find_literals(self._text)[place]
        # Digits as one writes them: 16000, not 1.6e+04.
        shown = f"{Decimal(f'{most * value / _SLIDER_STEPS:.4g}'):f}"
        self._text = self._text[: literal.start] + shown + self._text[literal.end :]
        self._say(place, shown)
        self.moved.emit(self._text)

    def _say(self, place: int, value: str) -> None:
        # As it stands in the formula, whatever the language.
        self._says[place].setText(value)
        self.sliders[place].setAccessibleName(
            _("Number {place} of the formula, {value}").format(place=place + 1, value=value)
        )


class RuleEditor(QWidget):
    """The fields of one rule.

    Args:
        fields: what a rule may look at, to choose from; others can be typed.

    Signals:
        changed: something in the fields; whether by a slider, which is to be followed at once.
    """

    changed = Signal(bool)

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__()
        self._fields = fields
        self._is_filling = False
        self.lines: list[ConditionLine] = []
        self.action = combo(
            [(_(_ACTION_TEXT[each]), each) for each in ACTIONS], name=_("What is done")
        )
        self.ranks = NumberField(1, _MOST_RANKS)
        self.ranks.setAccessibleName(_("Ranks, or how many"))
        self.by = _field_combo(fields, _("The same in this field"))
        has_points = spoken().decimal == "."
        hint = _FORMULA_HINT if has_points else f"{_FORMULA_HINT}  {_('(with decimal points)')}"
        self.formula = edit(hint=hint, name=_("Formula"))
        self.queries = edit(hint=_("all queries"), name=_("Only in queries with this text"))
        self.queries.setToolTip(_("Only in queries whose text has this; empty for all"))
        self.queries.setMinimumWidth(scaled(90))
        self.sliders = NumberSliders()
        self.add = push_button(_("And…"), self._add_condition)
        self.add.setToolTip(_("Another condition, which must be true as well"))
        within = Text(_("in"), ink="text2", wraps=False)
        what = line_of(self.action, self.ranks, self.by, 1, None, within, self.queries, 1)
        self._column = in_column(spacing=6)
        self.add_line = held(line_of(self.add, None))
        in_column(
            what, self.formula, self.sliders, self._column, self.add_line, host=self, spacing=8
        )
        on_change(self._on_action, self.action)
        on_change(self._tell, self.ranks, self.queries)
        self.by.currentTextChanged.connect(self._tell)
        self.formula.textEdited.connect(self._on_formula)
        self.sliders.moved.connect(self._on_slider)

    def show_draft(self, draft: Draft) -> None:
        """Show a rule, without a signal."""
        self._is_filling = True
        self.action.setCurrentIndex(self.action.findData(draft["action"]))
        self.ranks.setValue(draft.get("ranks", 1))
        self.by.setCurrentText(draft.get("by", ""))
        self.formula.setText(draft.get("formula", ""))
        self.sliders.show_text(self.formula.text())
        self.queries.setText(draft.get("queries", ""))
        self.lines = []
        clear_layout(self._column)
        for condition in draft.get("where", ()):
            self._add_line(condition)
        self._is_filling = False
        self._show_parts()

    @property
    def draft(self) -> Draft:
        """What the fields say."""
        action = self.action.currentData()
        draft: Draft = {"action": action, "where": [line.condition for line in self.lines]}
        draft |= {"ranks": self.ranks.value()} if action in COUNTED else {}
        draft |= {"by": self.by.currentText().strip()} if action == "collapse" else {}
        draft |= {"formula": self.formula.text().strip()} if action == "score" else {}
        return {**draft, "queries": self.queries.text().strip()}

    def _show_parts(self) -> None:
        action = self.action.currentData()
        self.ranks.setEnabled(action in COUNTED)
        self.by.setVisible(action == "collapse")
        self.formula.setVisible(action == "score")
        self.sliders.setVisible(action == "score" and bool(self.sliders.sliders))
        is_for_all = action in ("collapse", "score")
        self.add.setText(_("Only where…") if is_for_all and not self.lines else _("And…"))
        for line in self.lines:
            line.remove.setEnabled(is_for_all or len(self.lines) > 1)
        # Tab walks as the eye does, whatever was made later.
        fields = ((line.field, line.match, line.text, line.remove) for line in self.lines)
        stops = (self.formula, *self.sliders.sliders, *chain.from_iterable(fields), self.add)
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _on_action(self) -> None:
        if self._is_filling:
            return
        if self.action.currentData() in ("collapse", "score"):
            for line in [each for each in self.lines if not each.text.text()]:
                self._take_away(line)
        elif not self.lines:
            self._add_line(empty_condition(self._fields))
        self._show_parts()
        self._tell()

    def _on_formula(self, text: str) -> None:
        self.sliders.show_text(text)
        self._show_parts()
        self._tell()

    def _on_slider(self, text: str) -> None:
        self.formula.setText(text)
        self.changed.emit(True)

    def _tell(self) -> None:
        if not self._is_filling:
            self.changed.emit(False)

    def _add_condition(self) -> None:
        self._add_line(empty_condition(self._fields))
        self.lines[-1].text.setFocus()
        self._show_parts()
        self._tell()

    def _add_line(self, given: Mapping[str, str]) -> None:
        line = ConditionLine(self._fields, _("and") if self.lines else _("where"), given)
        line.changed.connect(self._tell)
        line.removed.connect(partial(self._remove, line))
        self.lines.append(line)
        self._column.addWidget(line)

    def _remove(self, line: ConditionLine) -> None:
        self._take_away(line)
        self._show_parts()
        self._tell()

    def _take_away(self, line: ConditionLine) -> None:
        self.lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()


# All rules

_AFTER_MS = 350
_INTERVALS_AFTER_MS = 250
_FIELDS_FROM = 60
_MOST_FIELDS = 40
_MOST_QUERIES = 300
_MOST_SEED = 1_000_000
_SHARE, _SEED = 50, 1
_UNWRITTEN = N_("Write what to look for.")


def rule_of(draft: Draft) -> Rule | None:
    """Return the rule that is written; ``None`` while there is nothing to look for.

    Raises:
        UsageError: it cannot be applied; the text says why.
    """
    where = [each for each in draft.get("where", ()) if each["text"].strip()]
    for each in where:
        # Where the field takes a comma the rule’s own sentence would name the wrong sign.
        is_odd = each["match"] in NUMBER_MATCHES and not is_limit(each["text"])
        if is_odd and spoken().decimal != ".":
            said = _(
                "‘{field} {match} …’ asks for a number with a decimal comma, or a date; found ‘{text}’."
            )
            raise UsageError(said.format(**each))
    lacks = {"collapse": not draft.get("by"), "score": not draft.get("formula")}
    if lacks.get(draft["action"], not where):
        return None
    return Rule.from_dict({**draft, "where": where})


class RulesDialog(WritingDialog):
    """The rules in their order, the current one's fields, and what is worked out meanwhile.

    Args:
        session: the project.
        head: the what-if; one without an id is made when the rules are applied.
        jobs: works the effect out.
        measure: whose queries are listed at first.

    Attributes:
        list: the rules.
        editor: fields of the current one.
        means: what they do to each measure.
        queries: what they do to each query whose ranking they change.
    """

    def __init__(self, session: Session, head: WhatIf, jobs: Jobs, *, measure: str = "") -> None:
        super().__init__(
            _("Rules of {name}").format(name=head.name), verb=_("Apply to all queries"), width=1040
        )
        self._session, self._head, self._jobs = session, head, jobs
        self._job: JobHandle | None = None
        self._bounds_job: JobHandle | None = None
        # Whether a slider has moved on while the last place was still worked out.
        self._is_behind = False
        self._trial: RulesTrial | None = None
        self._effect: RulesEffect | None = None
        self._names = [str(each) for each in session.measures]
        self._measure = measure if measure in self._names else "".join(self._names[:1])
        self._fields = field_names(session)
        self._drafts = [rule.to_dict() for rule in head.rules] or [self._empty()]
        self.editor = RuleEditor(self._fields)
        self._make_list()
        self.put(self.editor)
        self._make_effect()
        self.body.addStretch(1)
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._start)
        self._intervals_later = QTimer(self, singleShot=True, interval=_INTERVALS_AFTER_MS)
        self._intervals_later.timeout.connect(self._find_intervals)
        self.editor.changed.connect(self._edited)
        self._show_list(0)
        self.editor.show_draft(self._drafts[0])
        self.first = self.editor.lines[0].text if self.editor.lines else self.rows
        self._changed(is_at_once=False)

    def _make_list(self) -> None:
        self.add_text(
            _(
                "The rules hold for every query, in this order, before what was moved by hand. "
                "Capitals make no difference."
            )
        )
        self.rows = make_step_list(_("Rules in their order"))
        # It gives no room to what comes and goes below: the fields would move while one types.
        self.rows.setFixedHeight(scaled(112))
        self.put(framed(self.rows))
        self.rows.currentRowChanged.connect(self._on_row)
        self.add = push_button(_("Add a rule"), self.add_rule)
        up, down = partial(self._shift, -1), partial(self._shift, 1)
        self.up = framed_icon_button(_("Apply earlier (Alt+Up)"), "arrow-up", up)
        self.down = framed_icon_button(_("Apply later (Alt+Down)"), "arrow-down", down)
        self.remove = framed_icon_button(_("Take this rule away (Del)"), "x", self._remove)
        self.is_on = switch(_("Is applied"), is_on=True)
        self.is_on.clicked.connect(self._switch)
        for key, act in (("Alt+Up", up), ("Alt+Down", down), ("Del", self._remove)):
            on_key(key, self.rows, act)
        self.add_line(self.add, self.up, self.down, self.remove, self.is_on, None)

    def _make_effect(self) -> None:
        self.bar = self.put(QProgressBar())
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1)
        self.bar.setAccessibleName(_("Documents looked at"))
        self.effect = self.add_text(ink="text")
        self.whose = combo([(_("all rules together"), True), (_("the chosen rule alone"), False)])
        self.whose.setAccessibleName(_("Effect of"))
        split = self._head.split
        self.has_aside = switch(_("Keep queries aside"), is_on=split is not None)
        self.has_aside.setToolTip(
            _("Tune on the others, and see whether what helps them helps these, too")
        )
        self.share = number(1, 99, split.share if split else _SHARE, unit=" %", width=84)
        self.share.setAccessibleName(_("How many queries are kept aside"))
        self.seed = number(1, _MOST_SEED, split.seed if split else _SEED, width=100)
        self.seed.setAccessibleName(_("Seed that draws them"))
        seed = Text(_("drawn with seed"), ink="text2", wraps=False)
        self.add_line(self.has_aside, self.share, seed, self.seed, None)
        self.add_line(Text(_("Effect of"), ink="text2", wraps=False), self.whose, None)
        self.means = self.put(FigureTable(_("What the rules do to the means"), most=4))
        self.means.currentCellChanged.connect(self._on_measure)
        self.of_queries = self.add_text(role=Role.UI_STRONG, ink="text")
        self.queries = self.put(FigureTable(_("What the rules do to each query"), most=6))
        on_change(self._show_effect, self.whose)
        split_by = (self.has_aside, self.share, self.seed)
        on_change(partial(self._changed, is_at_once=False), *split_by)

    def _empty(self) -> Draft:
        return {"action": "boost", "ranks": 3, "where": [empty_condition(self._fields)]}

    # Rules

    @property
    @override
    def _texts(self) -> list[str]:
        """What is asked about before it is discarded: all rules, of which one is shown."""
        return [str(each) for each in self._drafts]

    @property
    def place(self) -> int:
        """Which rule is shown."""
        return max(0, self.rows.currentRow())

    def add_rule(self) -> None:
        """Add an empty rule behind the others."""
        self._drafts.append(self._empty())
        self._select(len(self._drafts) - 1)
        self.editor.lines[0].text.setFocus()

    def _select(self, place: int) -> None:
        self._show_list(place)
        self._show_draft()
        self._changed(is_at_once=True)

    def _show_draft(self) -> None:
        draft = self._drafts[self.place]
        self.editor.show_draft(draft)
        self.is_on.setChecked(not draft.get("off", False))

    def _remove(self) -> None:
        place = self.place
        del self._drafts[place]
        self._drafts = self._drafts or [self._empty()]
        self._select(min(place, len(self._drafts) - 1))

    def _shift(self, by: int) -> None:
        old, new = self.place, self.place + by
        if 0 <= new < len(self._drafts):
            self._drafts.insert(new, self._drafts.pop(old))
            self._select(new)

    def _switch(self) -> None:
        self._drafts[self.place]["off"] = not self.is_on.isChecked()
        self._changed(is_at_once=True)

    def _edited(self, is_at_once: bool) -> None:
        is_off = self._drafts[self.place].get("off", False)
        self._drafts[self.place] = {**self.editor.draft, "off": is_off}
        self._changed(is_at_once=is_at_once, is_dragged=is_at_once)

    def _on_row(self, place: int) -> None:
        if 0 <= place < len(self._drafts):
            self._show_draft()
            self._show_buttons()
            self._show_effect()

    def _show_buttons(self) -> None:
        last = len(self._drafts) - 1
        for button, is_end in ((self.up, self.place == 0), (self.down, self.place == last)):
            if is_end and button.hasFocus():
                # Qt would give it to the next button, which takes the rule away.
                self.rows.setFocus()
            button.setEnabled(not is_end)

    def _show_list(self, place: int) -> None:
        self.rows.show_rows([self._row(at) for at in range(len(self._drafts))], kept=place)
        self._show_buttons()

    def _row(self, at: int) -> ListRow:
        draft = self._drafts[at]
        try:
            rule = rule_of(draft)
            text = _("Empty rule") if rule is None else str(rule)
        except JudgetoolError as problem:
            text = str(problem)
        side = self._side(at)
        return ListRow(at, f"{at + 1}  {text}", side, is_faint=bool(draft.get("off")))

    def _side(self, at: int) -> str:
        """Return what a rule adds to the chosen measure."""
        effect, nth = self._effect, self._nth(at)
        if effect is None or nth is None or not self._names:
            return ""
        share, measure = effect.share(nth), self._names.index(self._measure)
        n_better, n_worse = share.n_better[measure], share.n_worse[measure]
        return _("{measure} {change}, {better} better, {worse} worse").format(
            measure=self._measure,
            change=format_change(_minus(share, measure)) or "–",
            better=format_count(n_better),
            worse=format_count(n_worse),
        )

    def _nth(self, at: int) -> int | None:
        """Return which of the tried rules one of the list is; ``None`` for one that is not tried."""
        tried = [place for place, draft in enumerate(self._drafts) if self._is_tried(draft)]
        return tried.index(at) if at in tried else None

    @staticmethod
    def _is_tried(draft: Draft) -> bool:
        try:
            rule = rule_of(draft)
        except JudgetoolError:
            return False
        return rule is not None and rule.is_on

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that say what to look for, those that are off too.

        Raises:
            UsageError: one of them cannot be applied; the text says why.
        """
        found = map(rule_of, self._drafts)
        return tuple(rule for rule in found if rule is not None)

    @property
    def split(self) -> Split | None:
        """Which queries are kept aside."""
        if not self.has_aside.isChecked():
            return None
        return Split(self.share.value(), self.seed.value())

    # Their effect

    def _changed(self, *, is_at_once: bool, is_dragged: bool = False) -> None:
        if self._job is not None and not is_dragged:
            # What it gives would be of other rules than those that are listed.
            self._job.drop()
            self._job, self._is_behind = None, False
        if not is_dragged:
            self._effect = None
        self._intervals_later.stop()
        if self._bounds_job is not None:
            self._bounds_job.drop()
        self.share.setEnabled(self.has_aside.isChecked())
        self.seed.setEnabled(self.has_aside.isChecked())
        try:
            rules = self.rules
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            self._show_no_effect("")
            return
        self.show_problem("")
        if not rules and not self._head.rules:
            self.show_lack(_("There is no rule to apply yet."))
            self._show_no_effect(f"{_('No rule yet.')} {_(_UNWRITTEN)}")
            return
        self._renew_row()
        if self._job is not None:
            # Dropped and begun anew at each step of a drag, nothing would ever be shown.
            self._is_behind = True
            return
        self._later.start(0 if is_at_once else _AFTER_MS)

    def _show_no_effect(self, why: str) -> None:
        self._later.stop()
        self._show_list(self.place)
        self.effect.setText(why)
        self.bar.setValue(0)
        for part in (self.means, self.of_queries, self.queries):
            part.hide()

    def _renew_row(self) -> None:
        """Say the current rule anew in the list; the others' effect follows when it is known."""
        item = self.rows.item(self.place)
        row = self._row(self.place)
        if item is not None:
            item.setData(ROW, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.said)
            item.setText(row.title)

    def _start(self) -> None:
        try:
            if self._trial is None:
                self._trial = RulesTrial(self._session, self._head)
            work = self._trial.work(self.rules, self.split)
        except JudgetoolError as problem:
            self.show_problem(str(problem))
            return
        self._job = self._jobs.submit(
            lambda handle: work(handle.report, handle.is_cancelled),
            self._take_effect,
            self._fail,
            self._progress,
            key="rules of a what-if",
            owner=self,
        )

    def _progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)

    def _take_effect(self, effect: RulesEffect) -> None:
        self._job = None
        self._effect = effect
        if self._is_behind:
            self._is_behind = False
            self._later.start(0)
        self.bar.setValue(self.bar.maximum())
        self._show_list(self.place)
        self._show_effect()

    @property
    def _shown_rule(self) -> int | None:
        """Which rule's effect is shown; ``None`` for that of all."""
        return None if self.whose.currentData() else self._nth(self.place)

    def _show_effect(self) -> None:
        effect = self._effect
        if effect is None:
            return
        n = len(self._session.material.queries)
        n_changed = len(effect.changed_queries(self._shown_rule))
        which = self._shown_rule
        n_about = effect.n_documents if which is None else effect.n_about[which]
        text = number_of(
            n_about,
            "{n} document matches; the ranking of {changed} of {all} queries becomes another.",
            "{n} documents match; the ranking of {changed} of {all} queries becomes another.",
            changed=format_count(n_changed),
            all=format_count(n),
        )
        gaps = [rule.gap for rule in effect.rules if rule.gap]
        self.effect.setText("\n".join([*gaps, text, *effect.lacks]))
        self._show_means(effect)
        self._show_queries(effect)
        self._intervals_later.start()

    def _show_means(self, effect: RulesEffect) -> None:
        share = effect.share(self._shown_rule)
        has_aside = self.split is not None
        heads = [
            mean_word(is_weighted=self._session.board.engine.has_weighted_means),
            _("Without"),
            _("With"),
            _("Change"),
            _("Queries better"),
            _("Queries worse"),
        ]
        if has_aside:
            heads += [_("Tuned on"), _("Kept aside")]
        rows = []
        for place, name in enumerate(self._names):
            row = [
                name,
                format_value(share.before[place]),
                format_value(share.after[place]),
                format_change(_minus(share, place)),
                format_count(share.n_better[place]),
                format_count(share.n_worse[place]),
            ]
            if has_aside:
                row += [format_change(part[place]) for part in share.changes]
            rows.append(row)
        self.means.blockSignals(True)
        self.means.show_rows(heads, rows, wide=range(len(heads)))
        if self._measure in self._names:
            self.means.setCurrentCell(self._names.index(self._measure), 0)
        self.means.blockSignals(False)
        self.means.show()

    def _on_measure(self, row: int, _column: int, old: int, _old_column: int) -> None:
        if row != old and 0 <= row < len(self._names) and self._effect is not None:
            self._measure = self._names[row]
            self._show_list(self.place)
            self._show_queries(self._effect)
            self._intervals_later.start()

    def _listed(self, effect: RulesEffect) -> list[QueryChange]:
        """Return the queries that are listed: those that lose and gain most, where there are many."""
        found = effect.query_changes(self._names.index(self._measure), self._shown_rule)
        half = _MOST_QUERIES // 2
        return found if len(found) <= _MOST_QUERIES else [*found[:half], *found[-half:]]

    def _show_queries(self, effect: RulesEffect, bounds: Sequence[Bounds] | None = None) -> None:
        if not self._names:
            return
        listed = self._listed(effect)
        n_all = len(effect.changed_queries(self._shown_rule))
        n_worse = sum((each.change or 0.0) < 0 for each in listed)
        said = _("{measure} of queries whose ranking changes; {count} get worse").format(
            measure=self._measure, count=format_count(n_worse)
        )
        if n_all > len(listed):
            most = _("the {count} that change most of {all}").format(
                count=format_count(len(listed)), all=format_count(n_all)
            )
            said = f"{said}; {most}"
        self.of_queries.setText(said)
        heads = [_("Query"), _("Without"), _("With"), _("Change"), _("At least"), _("At most")]
        heads += [_("Kept aside")] if self.split is not None else []
        rows = list(self._query_rows(listed, bounds))
        self.queries.show_rows(heads, rows)
        self.of_queries.show()
        self.queries.setVisible(bool(rows))

    def _query_rows(
        self, listed: Sequence[QueryChange], bounds: Sequence[Bounds] | None
    ) -> Iterator[list[str]]:
        for place, each in enumerate(listed):
            query = self._session.material.queries[each.query]
            found = bounds[place] if bounds is not None else None
            ends = ["…", "…"]
            if found is not None:
                sign = "" if found.is_exact else "≈ "
                ends = [f"{sign}{format_change(end)}" for end in (found.low, found.high)]
            text = "" if query.text == query.id else f"  {query.text}"
            row = [
                one_line(f"{query.id}{text}", most=80),
                format_value(each.old),
                format_value(each.new),
                format_change(each.change),
                *ends,
            ]
            aside = _("aside") if each.is_aside else ""
            yield [*row, aside] if self.split is not None else row

    def _find_intervals(self) -> None:
        effect, trial = self._effect, self._trial
        if effect is None or trial is None or not self._names:
            return
        queries = [each.query for each in self._listed(effect)]
        place = self._names.index(self._measure)
        work = trial.interval_work(effect, queries, place, self._shown_rule)

        def show(bounds: list[Bounds]) -> None:
            if self._effect is effect:
                self._show_queries(effect, bounds)

        self._bounds_job = self._jobs.submit(
            lambda handle: work(None, handle.is_cancelled),
            show,
            self._fail,
            key="intervals of rules",
            owner=self,
        )

    def _fail(self, error: Exception) -> None:
        self._job, self._is_behind = None, False
        if isinstance(error, WorkCancelledError):
            return
        if not isinstance(error, JudgetoolError):
            raise error
        self.show_problem(str(error))

    @property
    def answer(self) -> Callable[[Session], str | None]:
        """What applies the rules; it returns the id of the what-if that it makes for them."""
        head, rules, split = self._head, self.rules, self.split
        matches = self._effect.matches if self._effect is not None else None

        def apply(session: Session) -> str | None:
            if head.id:
                set_rules(session, head.id, rules, matches=matches, split=split)
                return None
            run = head.bases[0].run_id
            return create_whatif(session, head.name, run, rules=rules, matches=matches, split=split)

        return apply

    @override
    def done(self, result: int) -> None:
        """Stop what is being worked out."""
        self._later.stop()
        self._intervals_later.stop()
        for job in (self._job, self._bounds_job):
            if job is not None:
                job.drop()
        super().done(result)


def _minus(share: Any, place: int) -> float | None:  # noqa: ANN401
    old, new = share.before[place], share.after[place]
    return None if old is None or new is None else new - old


def field_names(session: Session) -> tuple[str, ...]:
    """Return what a rule may look at: the parts of every document, then fields of some."""
    names = dict.fromkeys(OWN_FIELDS)
    numbers = list(session.material.document_ids())[:_FIELDS_FROM]
    for document in session.material.show_documents(numbers):
        names |= dict.fromkeys(document.fields)
    ordered = ["title", *(name for name in names if name != "title")]
    return tuple(ordered[:_MOST_FIELDS])
