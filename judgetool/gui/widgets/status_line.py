"""The top line with the switch of the views, and the status line: is all saved, how far is one."""

from collections.abc import Iterable, Sequence, Set
from enum import Enum
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenuBar, QStatusBar, QToolButton, QWidget

from judgetool.core import override
from judgetool.gui.actions import JUDGING_MODES, TEAM_MODES, Mode
from judgetool.gui.icons import themed_icon
from judgetool.gui.painting import format_count, key_cap_size
from judgetool.gui.theme import Role, icon_side, line_height, scaled
from judgetool.gui.widgets.buttons import AssessorBadge, BlindButton, FaceButton, Segment, Segmented
from judgetool.gui.widgets.labels import (
    CapPart,
    ElidedLabel,
    IconPart,
    Part,
    Piece,
    PieceView,
    RingPart,
    SquarePart,
    TextPart,
    TrackPart,
    pieces_width,
    plain_tooltip,
)
from judgetool.gui.widgets.painted import RING, PaintedWidget, fill_width, in_line, visual
from judgetool.wording import N_, _

SEGMENTS = {
    Mode.LIST: Segment(Mode.LIST, N_("List"), "list", "Ctrl+1"),
    Mode.FOCUS: Segment(Mode.FOCUS, N_("Focus"), "file-text", "Ctrl+2"),
    Mode.WHATIF: Segment(Mode.WHATIF, N_("What-if"), "arrow-up-down", "Ctrl+3"),
    Mode.COMPARE: Segment(Mode.COMPARE, N_("Compare"), "columns-2", "Ctrl+4"),
    Mode.AGREEMENT: Segment(Mode.AGREEMENT, N_("Agreement"), "users", "Ctrl+5"),
    Mode.SETTLE: Segment(Mode.SETTLE, N_("Settle"), "circle-check", "Ctrl+6"),
}
_GAP = 12
_MORE = 16


class _Reserved(QWidget):
    """Room that a menu bar leaves free: it asks for the hint, and has what is too much in a menu."""

    room = QSize(0, 0)

    def reserve(self, room: QSize, bar: QMenuBar) -> None:
        """Take this much of a bar, which learns of it in no other way."""
        if room != self.room:
            self.room = room
            self.setFixedSize(room)
            bar.setCornerWidget(self)

    @override
    def sizeHint(self) -> QSize:
        """Return the room."""
        return self.room


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
        self._reserved = _Reserved(bar)
        self._blind, self._assessor = blind, assessor
        in_line(blind, assessor, host=self._corner, spacing=4)
        # A bar that the system shows elsewhere, as macOS and some desktops do, would take its line along.
        bar.setNativeMenuBar(False)
        bar.setCornerWidget(self._reserved)
        # Qt's own, for the menus that have no room.
        self._more = bar.findChild(QToolButton, "qt_menubar_ext_button")
        if self._more is not None:
            self._more.setIcon(themed_icon("chevron-down"))
            self._more.setAccessibleName(_("More menus"))
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
        more = self._more
        if more is not None:
            # Qt gives it 12 px in text of any size.
            more.setMinimumWidth(scaled(_MORE))
        # How high the line is the menus say.
        self._reserved.reserve(QSize(corner.width() + scaled(_MORE) - 12, 1), bar)
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
        more = self._more.menu() if self._more is not None and self._more.isVisible() else None
        rest = more.actions() if more is not None else []
        listed = (bar.actionGeometry(each) for each in bar.actions() if each not in rest)
        shown = [place for place in listed if place.isValid()]
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


INSET = 12
MESSAGE_MS = 6000
_GLYPH = 12
_TRACK = 64


class SaveState(Enum):
    """Whether what was said is in the file."""

    NOTHING = "nothing"
    SAVED = "saved"
    SAVING = "saving"
    NOT_SAVED = "not_saved"
    READ_ONLY = "read_only"


_SIGNS: dict[SaveState, Part] = {
    SaveState.SAVED: SquarePart(RingPart(1.0)),
    SaveState.SAVING: SquarePart(RingPart(0.0)),
    SaveState.NOT_SAVED: IconPart("circle-alert", "bad", 14),
    SaveState.READ_ONLY: IconPart("lock", "text2", 14),
}


class SaveLabel(PieceView):
    """Glyph and words of the save state.

    Attributes:
        state: what is shown.
        text: the words that are shown.
    """

    def __init__(self) -> None:
        super().__init__(self._pieces, partial(line_height, Role.META), least=120)
        self.state = SaveState.NOTHING
        self.text = ""

    def set_state(self, state: SaveState, text: str = "") -> None:
        """Show a state."""
        if (state, text) != (self.state, self.text):
            self.state, self.text = state, text
            self.setAccessibleName(text)
            self.setToolTip(plain_tooltip(text))
            self.show_anew()

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the room of when it was saved; why it was not gives way."""
        is_short = self.state in (SaveState.SAVED, SaveState.SAVING)
        return self.sizeHint() if is_short else super().minimumSizeHint()

    def _pieces(self) -> Iterable[Piece]:
        is_said = self.state is not SaveState.NOTHING
        sign = [Piece(_SIGNS[self.state], icon_side(_GLYPH))] if is_said else []
        ink = "bad" if self.state is SaveState.NOT_SAVED else "text"
        words = TextPart(self.text, Role.META_STRONG, ink)
        return [*sign, words.piece(scaled(6) if is_said else 0, gives=True)]


class StatusButton(FaceButton):
    """Words in the status line that can be clicked, with a key cap before them if there is one."""

    radius = 4.0
    inset = 0.0

    def __init__(self, text: str = "", *, key: str = "", ink: str = "text2") -> None:
        """Make the button.

        Args:
            text: what it says.
            key: on a cap before the text.
            ink: name of a theme's colour.
        """
        super().__init__()
        self._key = key
        self._ink = ink
        self._said: str | None = None
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Say something else; without text the button is not there."""
        if text == self._said:
            return
        self._said = text
        self.setText(text)
        self.setAccessibleName(text)
        if not text or self.parentWidget() is not None:
            self.setVisible(bool(text))
        self.updateGeometry()

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        line = line_height(Role.META)
        height = max(line, key_cap_size("?")[1])
        # As even or odd as a label's, so that centred side by side they share a baseline.
        return QSize(pieces_width(self.pieces()), height + (height - line) % 2)

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return the key, where there is one, and the words."""
        words = TextPart(self.text(), Role.META, "text" if self.underMouse() else self._ink)
        if not self._key:
            return (words.piece(gives=True),)
        return CapPart(self._key).piece(), words.piece(scaled(6), gives=True)


class StatusLine(PaintedWidget):
    """Left: save state, n of total, pace, left. Right: team's hub, view of judgments, scale, keys.

    A message takes the place of the counts for six seconds, with Undo where given.

    Attributes:
        shares: of the tracks that stand before the message, how much of each is filled.

    Signals:
        message_shown: what :meth:`show_message` was given.
        message_action_requested: name of the action whose text beside a message was clicked.
    """

    ground, edge = "window", "top"
    message_shown = Signal(str)
    message_action_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.save = SaveLabel()
        self.retry, self.elsewhere = StatusButton(ink="link"), StatusButton(ink="link")
        labels = [ElidedLabel(role=Role.META, ink="text2") for __ in range(5)]
        self.progress, self.pace, self.left, self.goal, self.remark = labels
        self.message = ElidedLabel(role=Role.META)
        self.shares: tuple[float, ...] = ()
        self.tracks = PieceView(self._track_pieces, partial(line_height, Role.META))
        self.message_action = StatusButton(ink="link")
        self.message_action.clicked.connect(self._act)
        self.view, self.scale, self.hub = StatusButton(), StatusButton(), StatusButton()
        self.keys = StatusButton(_("Keys"), key="?")
        self._action = ""
        self._before_saving = SaveState.NOTHING, ""
        self._gone = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._gone.timeout.connect(self.clear_message)
        fill_width(self)
        self._row = in_line(
            *(self.save, self.retry, self.elsewhere, self.progress, self.pace, self.left),
            *(self.goal, self.tracks, self.message, self.message_action, None),
            *(self.remark, self.hub, self.view, self.scale, self.keys),
            host=self,
            spacing=scaled(18) - RING,
            margins=(INSET, 1, INSET - RING, 0),
        )
        self.clear_message()

    def set_nothing(self, text: str = "") -> None:
        """Say that there is no project."""
        self._set_save(SaveState.NOTHING, text or _("Nothing is open"))
        self.set_progress("", "", "")

    def show_saving(self, is_saving: bool) -> None:
        """Say that a change is on its way, or again what was said before.

        That a change is on its way is painted at once, not when the event loop comes to it:
        whoever calls this waits for a disk, and the window with him.
        """
        if is_saving:
            self._before_saving = self.save.state, self.save.text
            self.save.set_state(SaveState.SAVING, _("Saving…"))
            self._row.activate()
            self.repaint()
        elif self.save.state is SaveState.SAVING:
            self.save.set_state(*self._before_saving)

    def set_saved(self, clock: str) -> None:
        """Say that all is saved.

        Args:
            clock: when, such as ``14:32:07``; ``""`` when nothing was changed yet.
        """
        self._set_save(SaveState.SAVED, _("Saved {time}").format(time=clock).rstrip())

    def set_not_saved(self, reason: str) -> None:
        """Say that the last change is not in the file, and offer what can be done.

        Args:
            reason: such as ``the disk is full.``, or a whole sentence that begins with what stands here.
        """
        sentence = _("Not saved: {reason}.")
        reason = reason.removeprefix(sentence.partition("{reason}")[0]).rstrip(".")
        self._set_save(SaveState.NOT_SAVED, sentence.format(reason=reason))

    def set_read_only(self, reason: str) -> None:
        """Say that the project can only be read, such as ``made by a newer judgetool``."""
        self._set_save(
            SaveState.READ_ONLY,
            _("Read-only: {reason}").format(reason=reason) if reason else _("Read-only"),
        )

    def _set_save(self, state: SaveState, text: str) -> None:
        is_another = state is not self.save.state
        self.save.set_state(state, text)
        is_open = state is SaveState.NOT_SAVED
        self.retry.set_text(_("Retry") if is_open else "")
        self.elsewhere.set_text(_("Save elsewhere…") if is_open else "")
        if is_another:
            self._show_counts()

    def set_progress(self, progress: str, pace: str = "", left: str = "") -> None:
        """Say how far one is; an empty text takes no room.

        Args:
            progress: such as ``240 of 269 judged`` (:func:`progress_text`).
            pace: such as ``214 an hour``.
            left: such as ``29 left, about 8 min``.
        """
        for label, text in ((self.progress, progress), (self.pace, pace), (self.left, left)):
            label.set_text(text)
        self._show_counts()

    @property
    def counts(self) -> str:
        """How far one is, as it is heard: ``240 of 269 judged, 29 left.``; ``""`` without a project."""
        labels = (self.progress, self.pace, self.left, self.goal)
        said = ", ".join(label.text for label in labels if label.text)
        return f"{said}." if said else ""

    def set_goal(self, goal: str) -> None:
        """Say how far one is today, such as ``Goal today: 68 of 120``; ``""`` says nothing."""
        if goal != self.goal.text:
            self.goal.set_text(goal)
            self._show_counts()

    def set_ends(
        self, *, view: str = "", view_note: str = "", scale: str = "", remark: str = ""
    ) -> None:
        """Say what stands at the right.

        Args:
            view: of judgments, such as ``anna's judgments``.
            view_note: what is to be known of it: its tooltip, and described to readers.
            scale: such as ``Scale 0–3``.
            remark: such as ``Works offline.``
        """
        self.view.set_text(view)
        self.view.setToolTip(plain_tooltip(view_note))
        self.view.setAccessibleDescription(view_note)
        self.scale.set_text(scale)
        self.remark.set_text(remark)
        self._show_counts()

    def set_hub(self, text: str = "", why: str = "") -> None:
        """Say how the project stands to its team's hub, such as ``Hub: in step``.

        Args:
            text: ``""`` where it has none.
            why: sentences that say more.
        """
        self.hub.set_text(text)
        self.hub.setToolTip(plain_tooltip(why))
        self._show_counts()

    def show_message(
        self,
        text: str,
        *,
        action: str = "",
        action_text: str = "",
        stays: bool = False,
        shares: Sequence[float] = (),
        shorter: Sequence[str] = (),
    ) -> None:
        """Say for six seconds what happened, in the place of the counts.

        Args:
            text: one sentence.
            action: what :attr:`message_action_requested` says when its text is clicked.
            action_text: such as ``Undo``; ``""`` for none.
            stays: whether it is said until something else is, or it is cleared.
            shares: of tracks before it that are filled, 0 to 1.
            shorter: what is shown where there is no room for all, longest first; all is said.
        """
        self._action = action
        self._set_shares(shares)
        self.message.shorter = shorter
        self.message.set_text(text)
        self.message_action.set_text(action_text)
        if stays:
            self._gone.stop()
        else:
            self._gone.start()
        self._show_counts()
        self.message_shown.emit(text)

    def clear_message(self) -> None:
        """Show the counts again."""
        self._gone.stop()
        self._set_shares(())
        self.message.set_text("")
        self.message_action.set_text("")
        self._show_counts()

    @property
    def is_undo_offered(self) -> bool:
        """Whether a step can be taken back, or done again, by what is said."""
        return bool(self.message_action.text()) and self._action in ("undo", "redo")

    def withdraw(self, *actions: str) -> None:
        """Show the counts again where one of these actions is offered; by default where any is."""
        if self.message_action.text() and (not actions or self._action in actions):
            self.clear_message()

    def _set_shares(self, shares: Sequence[float]) -> None:
        self.shares = tuple(shares)
        self.tracks.setVisible(bool(shares))
        self.tracks.show_anew()

    def _track_pieces(self) -> Iterable[Piece]:
        for place, share in enumerate(self.shares):
            yield Piece(TrackPart(share), scaled(_TRACK), scaled(8) if place else 0)

    def _show_counts(self) -> None:
        has_message = bool(self.message.text)
        self.message.setVisible(has_message)
        first = (self.save, self.retry, self.elsewhere)
        ends = (self.keys, self.hub, self.view, self.scale, self.remark)
        spacing = self._row.spacing()
        room = self.width() - 2 * INSET
        room -= sum(each.sizeHint().width() + spacing for each in first if not each.isHidden())
        room -= min(self.message.sizeHint().width(), self.width() // 3) if has_message else 0
        # What tells least goes first where there is no room for all: a cut number tells nothing.
        for label in (self.progress, *ends, self.left, self.goal, self.pace):
            is_said = bool(label.accessibleName()) and (label in ends or not has_message)
            room -= label.sizeHint().width() + spacing if is_said else 0
            label.setVisible(is_said and (room >= 0 or label is self.progress))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._show_counts()

    def _act(self) -> None:
        action = self._action
        self.clear_message()
        self.message_action_requested.emit(action)

    @override
    def sizeHint(self) -> QSize:
        """Return the size: 26 px high at a 13 px font."""
        return QSize(600, max(scaled(26), key_cap_size("?")[1] + 2 * RING + 1))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return a width at which the save state is still seen."""
        return QSize(320, self.sizeHint().height())


class StatusHolder(QStatusBar):
    """Holds one widget at its own height.

    ``QStatusBar.addWidget`` would leave 2 px at the side and 3 px above, and a line
    that is 5 px higher than wished.
    """

    def __init__(self, line: QWidget) -> None:
        """Take the widget in."""
        super().__init__()
        self._line = line
        line.setParent(self)
        self.setSizeGripEnabled(False)
        self.setFixedHeight(line.sizeHint().height())

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the line wishes."""
        return self._line.sizeHint()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the line the whole room."""
        super().resizeEvent(event)
        self._line.setGeometry(self.rect())

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the height of another font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.setFixedHeight(self._line.sizeHint().height())


def progress_text(judged: int, total: int) -> str:
    """Return the count of judged documents, such as ``240 of 269 judged``."""
    return _("{judged} of {total} judged").format(
        judged=format_count(judged), total=format_count(total)
    )
