"""What the window shows: which view in the middle, and what stands beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from judgetool.core.override import override
from judgetool.gui.modes import JUDGING_MODES, Mode
from judgetool.gui.project_view import ProjectView
from judgetool.gui.workspace import Workspace


class Page(Protocol):
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


@dataclass(frozen=True, slots=True)
class Room:
    """What stands around a view.

    Attributes:
        has_queries: whether the list of queries is beside it.
        has_side: whether the dock on the other side is.
        side_width: of that dock, in px, where the window has the room.
    """

    has_queries: bool
    has_side: bool
    side_width: int = 340


ROOMS: Mapping[Mode, Room] = {
    Mode.LIST: Room(has_queries=True, has_side=True),
    Mode.FOCUS: Room(has_queries=False, has_side=True),
    Mode.WHATIF: Room(has_queries=False, has_side=True, side_width=424),
    Mode.COMPARE: Room(has_queries=False, has_side=False),
}


class _Stack(QStackedWidget):
    """Asks for the room that the page shown needs; Qt's own asks for the most of all pages."""

    @override
    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.sizeHint() if page is not None else super().sizeHint()

    @override
    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        return page.minimumSizeHint().expandedTo(page.minimumSize())


class Stage(QObject):
    """Switches between the views; list and focus are two looks of the one workspace.

    Args:
        welcome: shown while no project is open.
        workspace: the list and the focus view.
        sides: what stands beside list and focus.
        pages: makes each other view, when it is first wanted.
        parent: of the object.

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
        sides: Mapping[Mode, QWidget],
        pages: Mapping[Mode, Callable[[], Page]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._welcome = welcome
        self._workspace = workspace
        self._sides = sides
        self._makers = pages
        self._pages: dict[Mode, Page] = {}
        self._view: ProjectView | None = None
        self.mode = Mode.LIST
        self.middle = _Stack(parent)
        self.middle.addWidget(welcome)
        self.middle.addWidget(workspace)
        self.side = _Stack(parent)
        for widget in dict.fromkeys(sides.values()):
            self.side.addWidget(widget)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The views that there are, in order."""
        return (*JUDGING_MODES, *self._makers)

    @property
    def room(self) -> Room:
        """What stands around the view that is shown."""
        return ROOMS[self.mode]

    def set_project(self, view: ProjectView | None) -> None:
        """Show a project in the view that was shown last, or the welcome for ``None``."""
        self._view = view
        for page in self._pages.values():
            page.set_project(view)
        if view is None:
            self._leave()
            self.middle.setCurrentWidget(self._welcome)
        else:
            self.show(self.mode)

    def _leave(self) -> None:
        if self.mode in self._pages:
            self._pages[self.mode].leave()

    def page(self, mode: Mode) -> Page:
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
        """Show another view of the project; without a project it is only remembered."""
        self.changing.emit()
        self._leave()
        self.mode = mode
        if self._view is not None:
            if mode in JUDGING_MODES:
                self._workspace.set_mode(mode)
                self.side.setCurrentWidget(self._sides[mode])
                self.middle.setCurrentWidget(self._workspace)
                self._workspace.take_keyboard()
            else:
                self._show_page(mode)
        self.changed.emit()

    def _show_page(self, mode: Mode) -> None:
        page = self.page(mode)
        if page.side is not None:
            self.side.setCurrentWidget(page.side)
        self.middle.setCurrentWidget(page.widget)
        page.enter()
