"""A row of chips: conditions that can be taken away, each with how many it lets through."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QStyle, QToolButton, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, scaled, text_width
from judgetool.gui.widgets.buttons import Pill
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import RING
from judgetool.wording import _


class FlowLayout(QLayout):
    """Lines of widgets, each as wide as it wishes or as the line is.

    Args:
        parent: whose widgets they are.
        gap: px between two of them.
    """

    def __init__(self, parent: QWidget, *, gap: int) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap

    @override
    def addItem(self, item: QLayoutItem) -> None:
        """Take an item at the end."""
        self._items.append(item)

    @override
    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or ``None`` beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        """Give an item away, or ``None`` beyond the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        """Return that it needs no more than it asks for."""
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        """Return that its height depends on its width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Return how high the lines are together at a width."""
        return self._place(QRect(0, 0, width, 0), moves=False)

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, moves=True)

    @override
    def sizeHint(self) -> QSize:
        """Return the least size."""
        return self.minimumSize()

    @override
    def minimumSize(self) -> QSize:
        """Return room for one item."""
        margins = self.contentsMargins()
        height = max((item.sizeHint().height() for item in self._items), default=0)
        width = min(60, max((item.sizeHint().width() for item in self._items), default=0))
        return QSize(
            width + margins.left() + margins.right(), height + margins.top() + margins.bottom()
        )

    def _place(self, rect: QRect, *, moves: bool) -> int:
        inner = rect.marginsRemoved(self.contentsMargins())
        left, top, line = inner.left(), inner.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(min(size.width(), max(1, inner.width())))
            if left > inner.left() and left + size.width() > inner.right() + 1:
                left, top, line = inner.left(), top + line + self._gap, 0
            if moves:
                place = QRect(QPoint(left, top), size)
                widget = item.widget()
                direction = widget.layoutDirection() if widget else Qt.LayoutDirection.LeftToRight
                item.setGeometry(QStyle.visualRect(direction, inner, place))
            left += size.width() + self._gap
            line = max(line, size.height())
        return top + line - rect.top() + self.contentsMargins().bottom()


_WIDEST = 170


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
