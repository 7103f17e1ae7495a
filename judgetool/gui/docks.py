"""The docks beside the view: which are shown, and how wide, as the window has room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from judgetool.gui.fonts import scaled
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
        self._widths: dict[tuple[QDockWidget, Room | None, bool], int] = {}
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
        before = self._shown()
        if self._room == room:
            self.keep_widths()
        self.queries.setVisible(room.has_queries and self.wants_queries and has_room)
        self.side.setVisible(room.has_side and self.wants_side)
        if self.is_narrow != self._is_narrow:
            self._is_narrow = self.is_narrow
            self._fit()
        is_other, self._room = self._room not in (None, room), room
        if is_other or self._shown() - before:
            self._put_widths(room)

    def _shown(self) -> set[QDockWidget]:
        return {dock for dock in (self.queries, self.side) if not dock.isHidden()}

    def keep_widths(self) -> None:
        """Keep how wide the docks are that are seen now: Qt forgets it when they are hidden."""
        for dock in self._shown():
            if self._room is not None and dock.isVisible() and not dock.isFloating():
                self._widths[self._key(dock, self._room)] = dock.width()

    def _key(self, dock: QDockWidget, room: Room) -> tuple[QDockWidget, Room | None, bool]:
        """Return by what a width is kept: each view has its own side panel, all have one list."""
        return dock, room if dock is self.side else None, self.is_narrow

    def _put_widths(self, room: Room) -> None:
        """Give the docks the width that they had in this view, or want there."""
        usual_side = room.side_width if self._window.width() >= WIDE_SIDE else 340
        usual = {self.queries: 264, self.side: 220 if self.is_narrow else usual_side}
        docks = [dock for dock in (self.queries, self.side) if not dock.isHidden()]
        widths = [self._widths.get(self._key(dock, room), usual[dock]) for dock in docks]
        if docks:
            self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    @property
    def is_narrow(self) -> bool:
        """Whether the side panel has to make do with little."""
        return self._window.width() < NARROW_SIDE

    @property
    def is_low(self) -> bool:
        """Whether there is no room for what stands below the live values."""
        return self._window.height() < scaled(FOLD_EXPLAIN) or self.is_narrow

    def _fit(self) -> None:
        """Give the docks their first widths, and others where the window gets narrow or wide."""
        panel = self.side.widget()
        panel.setMinimumWidth(200 if self.is_narrow else 300)
        panel.setMaximumWidth(232 if self.is_narrow else 520)
        docks, widths = [self.side], [220 if self.is_narrow else 340]
        if not self.has_own_widths:
            docks, widths = [self.queries, *docks], [264, *widths]
        self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
