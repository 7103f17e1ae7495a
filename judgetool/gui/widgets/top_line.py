"""The top line: the switch of the views in its middle, between the menus and who judges."""

from collections.abc import Set

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtWidgets import QMenuBar, QWidget

from judgetool.core.override import override
from judgetool.gui.modes import JUDGING_MODES, TEAM_MODES, Mode
from judgetool.gui.widgets.buttons import AssessorBadge, BlindButton, Segment, Segmented
from judgetool.gui.widgets.painted import in_line, visual
from judgetool.wording import N_

SEGMENTS = {
    Mode.LIST: Segment(Mode.LIST, N_("List"), "list", "Ctrl+1"),
    Mode.FOCUS: Segment(Mode.FOCUS, N_("Focus"), "file-text", "Ctrl+2"),
    Mode.WHATIF: Segment(Mode.WHATIF, N_("What-if"), "arrow-up-down", "Ctrl+3"),
    Mode.COMPARE: Segment(Mode.COMPARE, N_("Compare"), "columns-2", "Ctrl+4"),
    Mode.AGREEMENT: Segment(Mode.AGREEMENT, N_("Agreement"), "users", "Ctrl+5"),
    Mode.SETTLE: Segment(Mode.SETTLE, N_("Settle"), "circle-check", "Ctrl+6"),
}
_GAP = 12


class TopLine(QObject):
    """Keeps the switch in the middle of the menu bar: icons alone where there is little room.

    Args:
        bar: the window's menu bar.
        modes: the views there are.
        blind: stands at the far end; an eye alone where there is little room.
        assessor: stands after it; a letter alone where that is too much.

    Attributes:
        switch: tells which view is wanted.
    """

    def __init__(
        self, bar: QMenuBar, modes: tuple[Mode, ...], *, blind: BlindButton, assessor: AssessorBadge
    ) -> None:
        super().__init__(bar)
        self._bar = bar
        self._modes = modes
        self._has_project = False
        # Children of the window, over the bar: of a menu bar screen readers know menus alone,
        # and where the system shows the menus elsewhere these stay in the window.
        window = bar.window()
        self.switch = Segmented(tuple(SEGMENTS[mode] for mode in modes), parent=window)
        self._corner = QWidget(window)
        self._reserved = QWidget(bar)
        self._blind, self._assessor = blind, assessor
        in_line(blind, assessor, host=self._corner, spacing=4)
        # A bar that the system shows elsewhere, as macOS and some desktops do, would take its line along.
        bar.setNativeMenuBar(False)
        bar.setCornerWidget(self._reserved)
        bar.installEventFilter(self)
        self._corner.installEventFilter(self)
        self.show_for(has_project=False)

    def show_for(self, *, has_project: bool, closed: Set[str] = frozenset()) -> None:
        """Show the switch while there is something to switch.

        Args:
            has_project: whether a project is open.
            closed: which views are, as the table of actions says it: what ``reveals``, is of
                the ``team``, or for who ``leads`` alone.
        """
        self._has_project = has_project
        for mode in self._modes:
            is_of = {
                "reveals": mode not in JUDGING_MODES,
                "team": mode in TEAM_MODES,
                "leads": mode is Mode.SETTLE,
            }
            self.switch.set_available(mode, is_available=not any(is_of[word] for word in closed))
        self._place()

    def _place(self) -> None:
        """Put the switch where there is room; what stands there already is not touched.

        All of it is decided from widths. Trying a width on the switch itself would ask for
        the next layout, and that for the next: a window that nobody touches would never rest.
        """
        bar, switch = self._bar, self.switch
        menus_end = self._menus_end() + _GAP
        self._fit_corner(menus_end)
        corner = self._corner.sizeHint()
        self._reserved.setFixedSize(corner)
        corner_start = bar.width() - corner.width() - _GAP
        is_compact = menus_end + switch.width_of(is_compact=False) > corner_start
        switch.set_compact(is_compact=is_compact)
        width, height = switch.width_of(is_compact=is_compact), switch.sizeHint().height()
        left = max((bar.width() - width) // 2, menus_end)
        left = min(left, max(menus_end, corner_start - width))
        place = QRect(left, (bar.height() - height) // 2, width, height)
        start = bar.mapTo(bar.window(), QPoint(0, 0))
        switch.setGeometry(visual(bar, place).translated(start))
        end = QRect(bar.width() - corner.width(), 0, corner.width(), bar.height())
        self._corner.setGeometry(visual(bar, end).translated(start))
        was_hidden = switch.isHidden()
        switch.setVisible(self._has_project and left + width <= corner_start)
        if was_hidden:
            switch.raise_()

    def _fit_corner(self, menus_end: int) -> None:
        """Let menus and switch have their room: at large texts the corner would stand over them."""
        width = self._corner.sizeHint().width()
        needed = self.switch.width_of(is_compact=True) + _GAP if self._has_project else 0
        shown = [each for each in (self._blind, self._assessor) if not each.isHidden()]
        width += sum(each.words_width for each in shown if each.is_compact)
        # First an eye says alone what blind mode is, then a letter who judges.
        for each in shown:
            is_compact = menus_end + needed + width > self._bar.width()
            width -= each.words_width if is_compact else 0
            each.set_compact(is_compact=is_compact)

    def _menus_end(self) -> int:
        """Return how far the menus reach, from where lines begin."""
        bar = self._bar
        shown = [place for each in bar.actions() if (place := bar.actionGeometry(each)).isValid()]
        return max((visual(bar, place).right() for place in shown), default=0)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the switch anew when the bar, its menus or its corner have another size."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._place()
        if event.type() is QEvent.Type.Show and watched is self._bar:
            self.switch.raise_()
            self._corner.raise_()
        return super().eventFilter(watched, event)
