"""The docks beside the view: which are shown, and how wide, as the window has room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from judgetool.gui.stage import Room

NARROW_SIDE, FOLD_QUERIES, FOLD_EXPLAIN, WIDE_SIDE = 1200, 1040, 760, 1360


class Docks:
    """The list of queries on the left, the view's side panel on the right.

    Args:
        window: gets them.
        queries: content of the left one.
        side: content of the right one.

    Attributes:
        queries: the left dock.
        side: the right dock.
        wants_queries: whether the person wants the left one where a view has it.
        wants_side: likewise the right one.
    """

    def __init__(self, window: QMainWindow, *, queries: QWidget, side: QWidget) -> None:
        self._window = window
        self._is_narrow: bool | None = None
        self._room: Room | None = None
        self._widths: dict[Room, int] = {}
        self.has_own_widths = False
        self.wants_queries = True
        self.wants_side = True
        self.queries = self._dock("queries", "Queries", queries)
        self.side = self._dock("live", "Live values", side)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.queries)
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.side)

    def _dock(self, name: str, title: str, panel: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        dock.setWidget(panel)
        # The panels carry their own titles; Qt's bar is there when the dock floats.
        dock.setTitleBarWidget(QWidget(dock))
        dock.topLevelChanged.connect(
            lambda floats: dock.setTitleBarWidget(None if floats else QWidget(dock))  # type: ignore[arg-type]  # None brings Qt's own bar back
        )
        return dock

    def hide(self) -> None:
        """Hide both: no project is open."""
        self.queries.hide()
        self.side.hide()

    def show(self, room: Room) -> None:
        """Show what the view has, the person wants and the window has room for."""
        has_room = self._window.width() >= FOLD_QUERIES
        self.queries.setVisible(room.has_queries and self.wants_queries and has_room)
        self.side.setVisible(room.has_side and self.wants_side)
        if self.is_narrow != self._is_narrow:
            self._is_narrow = self.is_narrow
            self._fit()
        self._remember_width(room)

    def _remember_width(self, room: Room) -> None:
        """Give each view's side panel the width that it had, or wants, for itself."""
        before, self._room = self._room, room
        if before is None or before == room or not room.has_side or self.is_narrow:
            return
        if before.has_side:
            self._widths[before] = self.side.width()
        usual = room.side_width if self._window.width() >= WIDE_SIDE else 340
        width = self._widths.get(room, usual)
        self._window.resizeDocks([self.side], [width], Qt.Orientation.Horizontal)

    @property
    def is_narrow(self) -> bool:
        """Whether the side panel has to make do with little."""
        return self._window.width() < NARROW_SIDE

    @property
    def is_low(self) -> bool:
        """Whether there is no room for what stands below the live values."""
        return self._window.height() < FOLD_EXPLAIN or self.is_narrow

    def _fit(self) -> None:
        """Give the docks their first widths, and others where the window gets narrow or wide."""
        panel = self.side.widget()
        panel.setMinimumWidth(200 if self.is_narrow else 300)
        panel.setMaximumWidth(232 if self.is_narrow else 520)
        docks, widths = [self.side], [220 if self.is_narrow else 340]
        if not self.has_own_widths:
            docks, widths = [self.queries, *docks], [264, *widths]
        self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
