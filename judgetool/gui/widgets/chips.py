"""A row of chips: conditions that can be taken away, each with how many it lets through."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, scaled, text_width
from judgetool.gui.widgets.buttons import Pill
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import RING
from judgetool.wording import _

_WIDEST = 170
_LEAST = 60


class ChipText(NamedTuple):
    """What a chip shows.

    Attributes:
        text: in words.
        n_met: how many it lets through; ``None`` shows no number.
        help: a sentence for the tooltip.
    """

    text: str
    n_met: int | None = None
    help: str = ""


class ChipRow(QWidget):
    """Active pills with a cross; after two there is ‘Save as view’.

    Signals:
        removed: place of the chip that was clicked.
        save_asked: the chips are to be kept under a name.
    """

    removed = Signal(int)
    save_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pills: list[Pill] = []
        self._texts: list[str] = []
        self.save = QToolButton(self)
        self.save.hide()
        self.save.setText(_("Save as view"))
        self.save.setFont(font(Role.META))
        self.save.setToolTip(_("Keep these filters under a name, in the project"))
        self.save.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.save.clicked.connect(self.save_asked)
        self._flow = FlowLayout(self, gap=scaled(6) - 2 * RING)
        self._flow.setContentsMargins(0, 0, 0, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return room for little: a chip is shortened by whoever has a narrow list."""
        return QSize(
            min(_LEAST, super().minimumSizeHint().width()), super().minimumSizeHint().height()
        )

    def set_chips(self, chips: Sequence[ChipText]) -> None:
        """Show other chips; without any the row is not there."""
        texts = [chip.text for chip in chips]
        if texts == self._texts:
            self._set_counts([chip.n_met for chip in chips])
            return
        self._texts = texts
        while self._flow.count():
            self._flow.takeAt(0)
        for old in self.pills:
            old.hide()
            old.deleteLater()
        self.pills = [self._make(place, chip) for place, chip in enumerate(chips)]
        for pill in self.pills:
            self._flow.addWidget(pill)
            pill.show()
        self.save.setVisible(len(chips) >= 2)
        self._flow.addWidget(self.save)
        self.setVisible(bool(chips))
        self.updateGeometry()

    def _make(self, place: int, chip: ChipText) -> Pill:
        pill = Pill(_shortened(chip.text), chip.n_met, has_cross=True, parent=self)
        pill.setChecked(True)
        pill.setToolTip(plain_tooltip("\n".join(filter(None, (chip.text, chip.help)))))
        pill.setAccessibleDescription(_("Press to take this filter away"))
        pill.clicked.connect(lambda: self.removed.emit(place))
        return pill

    def _set_counts(self, counts: Sequence[int | None]) -> None:
        for pill, count in zip(self.pills, counts, strict=True):
            pill.set_count(count)
            # A click has switched it off; whether it goes is not the pill's to say.
            pill.setChecked(True)


def _shortened(text: str) -> str:
    """Return a text that leaves a chip narrower than the list of queries."""
    if text_width(Role.META_STRONG, text) <= scaled(_WIDEST):
        return text
    while text and text_width(Role.META_STRONG, text + "…") > scaled(_WIDEST):
        text = text[:-1]
    return text.rstrip() + "…"
