"""The menu of the document pane: size of the text, width of the lines, colour of the page."""

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from judgetool.gui.page_look import LINE_WIDTHS, PAGE_COLOURS


class PageMenu(QMenu):
    """Tells what is wanted; what holds is said by :meth:`set_page`.

    Signals:
        sized: +1 for larger, -1 for smaller, 0 for the normal size.
        width_chosen: name of a line width.
        colour_chosen: name of a page colour.
    """

    sized = Signal(int)
    width_chosen = Signal(str)
    colour_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        for name, step in (("Larger", 1), ("Smaller", -1), ("Normal size", 0)):
            action = QAction(name, self)
            action.triggered.connect(lambda _on=False, step=step: self.sized.emit(step))
            self.addAction(action)
        widths = {name: f"{name.capitalize()} lines" for name in LINE_WIDTHS}
        colours = {name: f"Page: {text.lower()}" for name, text in PAGE_COLOURS.items()}
        self._widths = self._add_choice(widths, self.width_chosen)
        self._colours = self._add_choice(colours, self.colour_chosen)

    def _add_choice(self, texts: dict[str, str], chosen: SignalInstance) -> QActionGroup:
        self.addSeparator()
        group = QActionGroup(self)
        for name, text in texts.items():
            action = QAction(text, self)
            action.setCheckable(True)
            action.setData(name)
            group.addAction(action)
            self.addAction(action)
        group.triggered.connect(lambda action: chosen.emit(action.data()))
        return group

    def set_page(self, *, colour: str, width: str) -> None:
        """Show which colour and width hold."""
        for group, name in ((self._colours, colour), (self._widths, width)):
            for action in group.actions():
                action.setChecked(action.data() == name)
