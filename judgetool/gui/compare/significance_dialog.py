"""How differences are tested: test, draws, seed, risk, and what is corrected together."""

from dataclasses import replace

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.metrics import ComparisonRules

_TESTS = {
    "randomization": "Randomization: signs of the differences drawn anew",
    "t": "Student’s paired t",
    "wilcoxon": "Wilcoxon’s signed ranks",
    "sign": "Sign test: better or worse, by however much",
}
_CORRECTIONS = {
    "holm": "Holm: no false finding at all",
    "bh": "Benjamini-Hochberg: few false among the findings",
    "none": "None",
}
_FAMILIES = {
    "measure": "All runs by the same measure",
    "pair": "All measures of the same run",
    "table": "The whole table",
}
_MOST = 1_000_000_000


class SignificanceDialog(ActDialog):
    """Fields for everything that p depends on.

    Args:
        rules: what holds now.
        parent: the window it belongs to.
    """

    def __init__(self, rules: ComparisonRules, *, parent: QWidget | None = None) -> None:
        super().__init__("How differences are tested", verb="Use these", parent=parent)
        self._rules = rules
        self.body.addWidget(
            Text(
                "A test asks whether the difference would show for other queries like these. "
                "The choice is kept in the project, and Undo takes it back.",
                ink="text2",
            )
        )
        self.test = _chooser(_TESTS, rules.test)
        self.draws = _number(rules.n_draws, least=1)
        self.seed = _number(rules.seed, least=0)
        self.correction = _chooser(_CORRECTIONS, rules.correction)
        self.family = _chooser(_FAMILIES, rules.family)
        self.alpha = QDoubleSpinBox()
        self.alpha.setDecimals(3)
        self.alpha.setRange(0.001, 0.5)
        self.alpha.setSingleStep(0.01)
        self.alpha.setValue(rules.alpha)
        self.add_field("&Test", self.test)
        self.add_field("&Draws, where not all can be gone through", self.draws)
        self.add_field("&Seed of all chance", self.seed)
        self.add_field("&Correction for testing several", self.correction)
        self.add_field("&Corrected together", self.family)
        self.add_field("&Marked as significant below", self.alpha)
        self.first = self.test
        for chooser in (self.test, self.correction):
            chooser.currentIndexChanged.connect(lambda _place: self._enable())
        self._enable()

    def _enable(self) -> None:
        self.draws.setEnabled(self.test.currentData() == "randomization")
        self.family.setEnabled(self.correction.currentData() != "none")

    @property
    def answer(self) -> ComparisonRules:
        """What was chosen."""
        return replace(
            self._rules,
            test=self.test.currentData(),
            n_draws=self.draws.value(),
            seed=self.seed.value(),
            correction=self.correction.currentData(),
            family=self.family.currentData(),
            alpha=round(self.alpha.value(), 3),
        )

    @classmethod
    def ask(cls, parent: QWidget | None, rules: ComparisonRules) -> ComparisonRules | None:
        """Let the rules be chosen; ``None`` when they stay."""
        dialog = cls(rules, parent=parent)
        return dialog.answer if dialog.is_answered() else None


def _chooser(titles: dict[str, str], chosen: str) -> NamedCombo:
    chooser = NamedCombo()
    for name, title in titles.items():
        chooser.addItem(title, name)
    chooser.setCurrentIndex(max(0, chooser.findData(chosen)))
    return chooser


def _number(value: int, *, least: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(least, _MOST)
    field.setGroupSeparatorShown(True)
    field.setValue(value)
    return field
