"""The fields of one rule: what is done, to which documents, and the numbers of its formula."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QVBoxLayout, QWidget

from judgetool.core.score_formulas import find_literals
from judgetool.gui.dialogs.act_dialog import (
    combo,
    edit,
    framed_icon_button,
    held,
    line_of,
    on_change,
    push_button,
)
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.fields import NumberField
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import clear_layout, in_column
from judgetool.session.whatifs.rules import ACTIONS, COUNTED, MATCHES
from judgetool.wording import N_, _, local_number

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
        self.field = combo([(each, each) for each in fields], given["field"], name=_("Field"))
        self.field.setEditable(True)
        self.field.setCurrentText(given["field"])
        # However long a field's name is, there is room for what is looked for.
        self.field.setMaximumWidth(scaled(200))
        texts = [(_(_MATCH_TEXT.get(each, each)), each) for each in MATCHES]
        self.match = combo(texts, given["match"], name=_("How it matches"))
        self.text = edit(
            given["text"], hint=_("Text or number to look for"), name=_("What to look for")
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
        return {
            "field": self.field.currentText().strip(),
            "match": self.match.currentData(),
            "text": self.text.text(),
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
            slider.setAccessibleName(
                _("Number {place} of the formula, {value}").format(
                    place=place + 1, value=local_number(f"{literal.value:g}")
                )
            )
            slider.valueChanged.connect(partial(self._move, place, most))
            said = Text(local_number(f"{literal.value:g}"), wraps=False)
            said.setMinimumWidth(scaled(80))
            self._column.addWidget(held(line_of(said, slider, 1)))
            self.sliders.append(slider)
            self._says.append(said)
        self.setVisible(bool(self.sliders))

    def _move(self, place: int, most: float, value: int) -> None:
        literal = find_literals(self._text)[place]
        shown = f"{most * value / _SLIDER_STEPS:.4g}"
        self._text = self._text[: literal.start] + shown + self._text[literal.end :]
        self._says[place].setText(shown)
        self.sliders[place].setAccessibleName(
            _("Number {place} of the formula, {value}").format(place=place + 1, value=shown)
        )
        self.moved.emit(self._text)


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
        self.by = combo([(each, each) for each in fields], name=_("The same in this field"))
        self.by.setEditable(True)
        self.formula = edit(hint=_FORMULA_HINT, name=_("Formula"))
        self.queries = edit(hint=_("all queries"), name=_("Only in queries with this text"))
        self.queries.setToolTip(_("Only in queries whose text has this; empty for all"))
        self.queries.setMinimumWidth(scaled(90))
        self.sliders = NumberSliders()
        self.add = push_button(_("And…"), self._add_condition)
        self.add.setToolTip(_("Another condition, which must be true as well"))
        within = Text(_("in"), ink="text2", wraps=False)
        what = line_of(self.action, self.ranks, self.by, 1, None, within, self.queries, 1)
        self._column = QVBoxLayout()
        self._column.setSpacing(6)
        self.add_line = held(line_of(self.add, None))
        in_column(
            what, self.formula, self.sliders, self._column, self.add_line, host=self, spacing=8
        )
        on_change(self._on_action, self.action)
        on_change(self._tell, self.ranks, self.queries)
        self.by.currentTextChanged.connect(lambda _text: self._tell())
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

    def _on_action(self) -> None:
        if self._is_filling:
            return
        if self.action.currentData() in ("collapse", "score"):
            for line in [each for each in self.lines if not each.text.text()]:
                self._take_away(line)
        elif not self.lines:
            self._add_line({"field": self._fields[0], "match": "contains", "text": ""})
        self._show_parts()
        self._tell()

    def _on_formula(self, text: str) -> None:
        self.sliders.show_text(text)
        self._tell()

    def _on_slider(self, text: str) -> None:
        self.formula.setText(text)
        self.changed.emit(True)

    def _tell(self) -> None:
        if not self._is_filling:
            self.changed.emit(False)

    def _add_condition(self) -> None:
        self._add_line({"field": self._fields[0], "match": "contains", "text": ""})
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
