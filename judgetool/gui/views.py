"""The views of a project: which the window shows, and which docks stand beside it, how wide."""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple, Protocol, runtime_checkable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from judgetool.core import override
from judgetool.gui.actions import JUDGING_MODES, Mode
from judgetool.gui.jobs import ProjectPanel
from judgetool.gui.keymap import KEYS, PRESSING, press_focused
from judgetool.gui.project_view import ProjectView
from judgetool.gui.theme import scaled
from judgetool.gui.widgets.painted import in_column, is_narrow_for_text
from judgetool.gui.workspace import Workspace
from judgetool.wording import _


class Room(NamedTuple):
    """What stands around a view.

    Attributes:
        has_queries: whether the list of queries is beside it.
        has_side: whether the dock on the other side is.
        side_width: of that dock, in px, where the window has the room.
    """

    has_queries: bool = False
    has_side: bool = False
    side_width: int = 340


ROOMS: Mapping[Mode, Room] = {
    Mode.LIST: Room(has_queries=True, has_side=True),
    Mode.FOCUS: Room(has_side=True),
    Mode.WHATIF: Room(has_side=True, side_width=424),
    Mode.COMPARE: Room(),
    Mode.AGREEMENT: Room(),
    Mode.SETTLE: Room(),
}
NARROW_SIDE, FOLD_EXPLAIN, WIDE_SIDE = 1200, 760, 1360
# A panel's request makes its dock ask in turn, and that one the window.
_LAYOUT_ROUNDS = 3


class ViewPage(Protocol):
    """A view that has the middle of the window for itself.

    It is made when it is first shown, follows the project's current query through
    ``view.judging.query_shown``, and works out nothing while it is not shown.

    Attributes:
        widget: stands in the middle.
        side: stands beside it in the dock of the live values; ``None`` for nothing.
    """

    widget: QWidget
    side: QWidget | None

    def set_project(self, view: ProjectView | None) -> None:
        """Show another project, or none; called while the page is not shown, too."""

    def enter(self) -> None:
        """Show what holds now, and take the keyboard: the page is about to be seen."""

    def leave(self) -> None:
        """Work out nothing until the next ``enter``."""


@runtime_checkable
class ListingPage(Protocol):
    """A page whose own list is judged, or settled, in place of the queue."""

    def keep_list(self) -> Callable[[], None]:
        """Return what goes on in the list, once the same project is opened anew."""


class ViewStack(QStackedWidget):
    """Asks for the room that the page shown needs; Qt's own asks for the most of all pages."""

    @override
    def sizeHint(self) -> QSize:
        """Return what the page shown wishes."""
        page = self.currentWidget()
        return page.sizeHint() if page is not None else super().sizeHint()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return what the page shown needs."""
        page = self.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        return page.minimumSizeHint().expandedTo(page.minimumSize())


def _stacked(panels: Sequence[QWidget], parent: QWidget) -> QWidget:
    """Return one widget for the panels beside a view: the panel itself, or all in a column."""
    if len(panels) == 1:
        return panels[0]
    side = QWidget(parent)
    column = in_column(panels[0], 1, *panels[1:], host=side)
    # Takes the room where the first is hidden, as it is from who judges blind.
    column.addStretch(0)
    return side


def _reveals(panel: QWidget) -> bool:
    return isinstance(panel, ProjectPanel) and panel.reveals


class Views(QObject):
    """Switches between the views; list and focus are two looks of the one workspace.

    Args:
        welcome: shown while no project is open.
        workspace: the list and the focus view.
        sides: the panels beside list and focus, from above; who judges blind sees none that
            reveals anything.
        pages: makes each other view, when it is first wanted.
        middle: the window's central widget.
        side: what the dock holds.

    Signals:
        changing: another view is about to be shown, and may ask for another width.
        changed: another view is shown.

    Attributes:
        middle: the window's central widget.
        side: what the dock holds.
        mode: the view that is shown, or was last while a project was open.
    """

    changing = Signal()
    changed = Signal()

    def __init__(
        self,
        welcome: QWidget,
        workspace: Workspace,
        *,
        sides: Mapping[Mode, Sequence[QWidget]],
        pages: Mapping[Mode, Callable[[], ViewPage]],
        middle: ViewStack,
        side: ViewStack,
    ) -> None:
        super().__init__(middle)
        self._welcome = welcome
        self._workspace = workspace
        self._side_panels = sides
        self._sides = {mode: _stacked(panels, side) for mode, panels in sides.items()}
        self._makers = pages
        self._pages: dict[Mode, ViewPage] = {}
        self._view: ProjectView | None = None
        self._is_blind = False
        self.mode = Mode.LIST
        self.middle, self.side = middle, side
        self.middle.addWidget(welcome)
        self.middle.addWidget(workspace)
        for widget in self._sides.values():
            self.side.addWidget(widget)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The views that there are, in order."""
        return (*JUDGING_MODES, *self._makers)

    @property
    def room(self) -> Room:
        """What stands around the view that is shown."""
        room, panels = ROOMS[self.mode], self._side_panels.get(self.mode, ())
        is_bare = bool(panels) and self._is_blind and all(map(_reveals, panels))
        return room._replace(has_side=False) if is_bare else room

    def set_blind(self, *, is_blind: bool) -> None:
        """Show no panel beside a view that could sway who judges blind, or all of them."""
        self._is_blind = is_blind
        for panels in self._side_panels.values():
            if len(panels) > 1:
                for panel in panels:
                    panel.setVisible(not (is_blind and _reveals(panel)))

    def set_project(self, view: ProjectView | None) -> None:
        """Show a project in the view that was shown last, or the welcome for ``None``."""
        if view is None:
            self.forget_project()
            self.middle.setCurrentWidget(self._welcome)
            return
        self._view = view
        for page in self._pages.values():
            page.set_project(view)
        self.show(self.mode)

    def keep_lists(self) -> Callable[[], None]:
        """Return what goes on in each list that is under way, once the same project is opened anew."""
        kept = [page.keep_list() for page in self._pages.values() if isinstance(page, ListingPage)]

        def go_on() -> None:
            for each in kept:
                each()

        return go_on

    def forget_project(self) -> None:
        """Show nothing of the project any more, in the view that is shown, until another comes."""
        self._view = None
        for page in self._pages.values():
            page.set_project(None)
        self._leave()

    def _leave(self) -> None:
        if self.mode in self._pages:
            self._pages[self.mode].leave()

    def page(self, mode: Mode) -> ViewPage:
        """Return a view's page, made now if it is wanted for the first time.

        Raises:
            KeyError: the view has no page of its own.
        """
        if mode not in self._pages:
            page = self._makers[mode]()
            self._pages[mode] = page
            self.middle.addWidget(page.widget)
            if page.side is not None:
                self.side.addWidget(page.side)
            page.set_project(self._view)
        return self._pages[mode]

    def show(self, mode: Mode) -> None:
        """Show another view of the project."""
        self.changing.emit()
        window = self.middle.window()
        before: QWidget | None = window.focusWidget()
        is_other = mode is not self.mode or self.middle.currentWidget() is self._welcome
        if before is not None and is_other:
            # Else Qt leads the keyboard, and who listens, from one thing that goes to the next.
            before.clearFocus()
        self._leave()
        self.mode = mode
        if mode in JUDGING_MODES:
            self._workspace.set_mode(mode)
            self.side.setCurrentWidget(self._sides[mode])
            self.middle.setCurrentWidget(self._workspace)
            self._workspace.take_keyboard()
        else:
            self._show_page(mode)
        self.changed.emit()
        if isinstance(QApplication.activeWindow(), QDockWidget):
            # A panel in a window of its own had the keyboard: this is how keys leave it.
            window.activateWindow()
        after: QWidget | None = window.focusWidget()
        if before is not None and after is None:
            window.focusNextChild()

    def _show_page(self, mode: Mode) -> None:
        page = self.page(mode)
        if page.side is not None:
            self.side.setCurrentWidget(page.side)
        self.middle.setCurrentWidget(page.widget)
        page.enter()


class Docks(QObject):
    """The list of queries where lines begin, the view's side panel at the other side.

    How wide they are is the person's: where a small window or large text leaves them
    another width, they get theirs again as soon as there is room.

    Args:
        window: gets them.

    Attributes:
        queries: the first dock, without content at first.
        side: the other dock.
        stack: what that one holds.
        wants_queries: whether the person wants the first one where a view has it.
        wants_side: likewise the other one.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._is_narrow: bool | None = None
        self._room: Room | None = None
        self._window_width = 0
        self._widths: dict[tuple[QDockWidget, Room | None, bool], int] = {}
        self.wants_queries = True
        self.wants_side = True
        self.queries = self._dock("queries", _("Queries"))
        self.side = self._dock("live", _("Live values"))
        self.stack = ViewStack(self.side)
        self.side.setWidget(self.stack)
        self.stack.currentChanged.connect(self._name_side)
        # Qt's areas are as they are seen: where lines run from right to left they are exchanged.
        sides = [Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea]
        is_mirrored = window.layoutDirection() is Qt.LayoutDirection.RightToLeft
        start, end = reversed(sides) if is_mirrored else sides
        window.addDockWidget(start, self.queries)
        window.addDockWidget(end, self.side)

    def _name_side(self) -> None:
        """Call the panel, and a window of its own, by what is in it."""
        shown = self.stack.currentWidget()
        self.side.setWindowTitle((shown.windowTitle() if shown else "") or _("Live values"))

    @override
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Give keys to what has the keyboard."""
        if event.type() in KEYS and isinstance(event, QKeyEvent) and event.key() in PRESSING:
            return press_focused(event)
        return False

    def _dock(self, name: str, title: str) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        # It may have a window of its own.
        dock.installEventFilter(self)
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
        # Larger text needs more room: the document's lines come before the list of queries.
        has_room = not is_narrow_for_text(self._window)
        before = self._shown()
        width, self._window_width = self._window_width, self._window.width()
        is_resized = width != self._window_width
        self.queries.setVisible(room.has_queries and self.wants_queries and has_room)
        self.side.setVisible(room.has_side and self.wants_side)
        is_other, self._room = self._room not in (None, room), room
        is_fitted = self._fit()
        if is_other or is_fitted or self._shown() - before:
            self._put_widths(self._shown())
        elif is_resized:
            self._put_widths({dock for dock in self._shown() if dock.width() < self._wanted(dock)})

    @property
    def has_folded_queries(self) -> bool:
        """Whether the list of queries is wanted here and there is no room for it."""
        has_list = self._room is not None and self._room.has_queries
        return has_list and self.wants_queries and self.queries.isHidden()

    def _shown(self) -> set[QDockWidget]:
        return {dock for dock in (self.queries, self.side) if not dock.isHidden()}

    def keep_widths(self) -> None:
        """Keep how wide the docks are that are seen now: Qt forgets it when they are hidden."""
        for dock in self._shown():
            if self._room is None or not dock.isVisible() or dock.isFloating():
                continue
            # What large text forces is nobody's choice.
            least = dock.minimumSizeHint().width()
            if dock.width() > least or self._wanted(dock) > least:
                self._widths[self._key(dock)] = dock.width()

    def follow_text(self) -> None:
        """Give the docks their widths again after the text has become larger or smaller."""
        # What they need at least is known when the layouts within have run.
        for __ in range(_LAYOUT_ROUNDS):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self._put_widths(self._shown())

    def _key(self, dock: QDockWidget) -> tuple[QDockWidget, Room | None, bool]:
        """Return by what a width is kept: each view has its own side panel, all have one list."""
        if dock is self.queries:
            return dock, None, False
        return dock, self._room, bool(self._is_narrow)

    def _wanted(self, dock: QDockWidget) -> int:
        """Return how wide a dock was in this view, or is usually."""
        if dock is self.queries:
            usual = 264
        elif self._is_narrow:
            usual = 220
        elif self._room is not None and self._window.width() >= WIDE_SIDE:
            usual = self._room.side_width
        else:
            usual = 340
        return self._widths.get(self._key(dock), usual)

    def _put_widths(self, docks: Set[QDockWidget]) -> None:
        """Give docks the width that they had in this view, or want there."""
        if docks:
            ordered = [dock for dock in (self.queries, self.side) if dock in docks]
            widths = [self._wanted(dock) for dock in ordered]
            self._window.resizeDocks(ordered, widths, Qt.Orientation.Horizontal)

    @property
    def is_narrow(self) -> bool:
        """Whether the side panel has to make do with little."""
        return self._window.width() < NARROW_SIDE

    @property
    def is_low(self) -> bool:
        """Whether there is no room for what stands below the live values."""
        return self._window.height() < scaled(FOLD_EXPLAIN) or self.is_narrow

    def _fit(self) -> bool:
        """Set bounds for the side panel; return whether the window got narrow or wide."""
        if self.is_narrow == self._is_narrow:
            return False
        self._is_narrow = self.is_narrow
        panel = self.side.widget()
        panel.setMinimumWidth(200 if self._is_narrow else 300)
        panel.setMaximumWidth(232 if self._is_narrow else 520)
        return True
