"""One boost rule in the dialog: what is done to which documents, in which queries."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from judgetool.gui.dialogs.act_dialog import Text, framed_icon_button
from judgetool.gui.fonts import scaled
from judgetool.gui.icons import themed_icon
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.number_field import NumberField
from judgetool.session.whatifs import ACTIONS, MATCHES, Rule

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

    def __init__(
        self, fields: Sequence[str], rule: Rule | None = None, *, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.action = _combo("What is done", [(each, _ACTION_TEXT[each]) for each in ACTIONS])
        self.action.setCurrentIndex(ACTIONS.index(rule.action if rule else "boost"))
        self.ranks = NumberField(1, _MOST_RANKS)
        self.ranks.setValue(rule.ranks if rule else 3)
        self.ranks.setAccessibleName("Ranks")
        self.ranks.setFixedWidth(scaled(72))
        self.field = _combo("Field", [(each, each) for each in fields])
        self.field.setEditable(True)
        self.field.setCurrentText(rule.field if rule else fields[0])
        self.match = _combo("How it matches", [(each, _MATCH_TEXT[each]) for each in MATCHES])
        self.match.setCurrentIndex(MATCHES.index(rule.match if rule else "contains"))
        self.text = QLineEdit(rule.text if rule else "")
        self.text.setPlaceholderText("Text to look for")
        self.text.setAccessibleName("Text to look for")
        self.queries = QLineEdit(rule.queries if rule else "")
        self.queries.setPlaceholderText("all queries")
        self.queries.setAccessibleName("Only in queries with this text")
        self.queries.setToolTip("Only in queries whose text has this; empty for all")
        self.remove = framed_icon_button("Take this rule away")
        self.remove.setIcon(themed_icon("x", current_theme()))
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.action)
        row.addWidget(self.ranks)
        row.addWidget(_word("where"))
        row.addWidget(self.field, 1)
        row.addWidget(self.match)
        row.addWidget(self.text, 2)
        row.addWidget(_word("in"))
        row.addWidget(self.queries, 1)
        row.addWidget(self.remove)

    def _connect(self) -> None:
        self.action.currentIndexChanged.connect(self._on_action)
        self.ranks.valueChanged.connect(lambda _value: self.changed.emit())
        self.field.currentTextChanged.connect(lambda _text: self.changed.emit())
        self.match.currentIndexChanged.connect(lambda _place: self.changed.emit())
        self.text.textChanged.connect(lambda _text: self.changed.emit())
        self.queries.textChanged.connect(lambda _text: self.changed.emit())
        self.remove.clicked.connect(self.removed)
        self._show_ranks()

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


def _combo(name: str, items: Sequence[tuple[str, str]]) -> QComboBox:
    combo = NamedCombo()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    for value, text in items:
        combo.addItem(text, value)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo


def _word(text: str) -> Text:
    word = Text(text, ink="text2")
    word.setWordWrap(False)
    return word
