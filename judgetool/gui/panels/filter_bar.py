"""A filter's field with a ‘+’ menu of conditions and the chips of those that hold."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import scaled
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.models.typed_filters import describe_chip, find_chip, read_typed, with_chip
from judgetool.gui.panels.filter_field import FilterField
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.chips import ChipRow, ChipText
from judgetool.session.finding.filters import FILTER_HELP, Filter
from judgetool.session.session import Session

INSET = 12


class FilterBar(QWidget):
    """Words and conditions that a list is filtered by.

    A condition that is typed becomes a chip with the blank after it, or with Enter.

    Args:
        hint: what the field says while it is empty.
        key: the key that leads to it.
        delay_ms: how long typing must rest before words count; conditions count at once.
        margin: px above and below.
        parent: of the bar.

    Signals:
        changed: words or conditions are others.
        left: Esc was pressed in the field, which is empty now.
        taken: Enter or Down was pressed, and no condition was typed.
        save_asked: the conditions are to be kept under a name.

    Attributes:
        chips: the conditions that hold, in the order chosen.
        words: what is looked for in texts.
        field: where both are typed.
        menu: of conditions; whoever knows them fills it when it opens.
    """

    changed = Signal()
    left = Signal()
    taken = Signal()
    save_asked = Signal()

    def __init__(
        self,
        hint: str,
        key: str,
        *,
        delay_ms: int = 0,
        margin: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.chips: tuple[Filter, ...] = ()
        self.words = ""
        self._session: Session | None = None
        self.field = FilterField(hint, key, self)
        self.add = QToolButton(self)
        self.menu = QMenu(self)
        self.row = ChipRow(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(delay_ms)
        self._rest.timeout.connect(self._take_words)
        self._arrange(scaled(margin))
        self.field.textChanged.connect(self._on_typed)
        self.field.left.connect(self.left)
        self.field.taken.connect(self._on_taken)
        self.row.removed.connect(self._remove)
        self.row.save_asked.connect(self.save_asked)

    def _arrange(self, margin: int) -> None:
        self.add.setMenu(self.menu)
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add.setFixedSize(26, 26)
        self.add.setIconSize(icon_size())
        self.add.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.add.setToolTip("Add a filter")
        self.add.setAccessibleName("Add a filter")
        line = QHBoxLayout()
        line.setContentsMargins(INSET, 0, INSET - 4, 0)
        line.setSpacing(4)
        line.addWidget(self.field, stretch=1)
        line.addWidget(self.add)
        chips = QVBoxLayout()
        chips.setContentsMargins(INSET - 3, 0, INSET - 3, 0)
        chips.addWidget(self.row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, margin, 0, margin)
        column.setSpacing(scaled(4))
        column.addLayout(line)
        column.addLayout(chips)
        self._paint_icon()

    def show_field(self, *, is_shown: bool) -> None:
        """Show the field and its menu, or the chips alone."""
        self.field.setVisible(is_shown)
        self.add.setVisible(is_shown)

    # What the panel says

    @property
    def is_active(self) -> bool:
        """Whether anything is left out by it."""
        return bool(self.chips or self.words)

    def set_session(self, session: Session | None, completions: Sequence[str]) -> None:
        """Follow another project; without one nothing is filtered."""
        self._session = session
        self.field.set_completions(completions)
        if session is None:
            self.clear()

    def add_chip(self, chip: Filter) -> None:
        """Filter by one condition more; one of the same kind with a value gives way."""
        self.set_chips(with_chip(self.chips, chip))

    def toggle_chip(self, chip: Filter) -> None:
        """Filter by a condition, or no longer."""
        if chip in self.chips:
            self.set_chips([other for other in self.chips if other != chip])
        else:
            self.add_chip(chip)

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Filter by these conditions."""
        if tuple(chips) != self.chips:
            self.chips = tuple(chips)
            self.show_counts([None] * len(self.chips))
            self.changed.emit()

    def clear(self) -> None:
        """Filter by nothing."""
        was_active = self.is_active
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self.field.textChanged.emit("")
        self._rest.stop()
        self.chips, self.words = (), ""
        self.show_counts([])
        if was_active:
            self.changed.emit()

    def show_counts(self, counts: Sequence[int | None]) -> None:
        """Show how many each condition lets through."""
        scale = self._session.scale if self._session is not None else None
        texts = [
            ChipText(
                describe_chip(chip, scale, among=self.chips),
                count,
                FILTER_HELP[chip.kind].partition(":")[0],
            )
            for chip, count in zip(self.chips, counts, strict=True)
        ]
        self.row.set_chips(texts)

    # What the person does

    def _remove(self, place: int) -> None:
        self.set_chips([chip for at, chip in enumerate(self.chips) if at != place])

    def _on_typed(self, text: str) -> None:
        if text.endswith(" ") and find_chip(text.rsplit(maxsplit=1)[-1] if text.split() else ""):
            self._take_conditions()
        elif self._rest.interval():
            self._rest.start()
        else:
            self._take_words()

    def _take_conditions(self) -> bool:
        """Make chips of the conditions in the field; return whether there were any."""
        typed = read_typed(self.field.text())
        if not typed.chips:
            return False
        self.field.setText(f"{typed.words} " if typed.words else "")
        chips = [chip for chip in self.chips if chip not in typed.chips]
        self.set_chips([*chips, *typed.chips])
        return True

    def _take_words(self) -> None:
        words = read_typed(self.field.text()).words
        if words != self.words:
            self.words = words
            self.changed.emit()

    def _on_taken(self) -> None:
        if self._rest.isActive():
            self._rest.stop()
            self._take_words()
        if not self._take_conditions():
            self.taken.emit()

    def _paint_icon(self) -> None:
        self.add.setIcon(themed_icon("plus", current_theme()))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icon()
        super().changeEvent(event)
