"""The switch between the views: List, Focus, What-if, Compare."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_frame, draw_text, smooth, start_align
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import RING, PaintedButton, PaintedWidget

_INSET = 10
_ICON = 15


@dataclass(frozen=True, slots=True)
class Segment:
    """One choice of a segmented switch.

    Attributes:
        name: what the signal says.
        text: what is shown.
        icon: Lucide's name.
        key: shown in the tooltip, such as ``Ctrl+1``.
    """

    name: str
    text: str
    icon: str
    key: str = ""


class _SegmentButton(PaintedButton):
    def __init__(self, segment: Segment, parent: QWidget) -> None:
        super().__init__(parent)
        self.segment = segment
        self.has_text = True
        self.setText(segment.text)
        self.setCheckable(True)
        self.setAccessibleName(segment.text)
        self.setToolTip(plain_tooltip(f"{segment.text}  {segment.key}".rstrip()))

    def face_width(self, *, has_text: bool) -> int:
        if not has_text:
            return _ICON + 2 * _INSET
        # Sized for its bold state, so that choosing moves nothing.
        return _ICON + 2 * scaled(_INSET) + text_width(Role.UI_STRONG, self.text()) + scaled(6)

    @override
    def face_size(self) -> QSize:
        return QSize(self.face_width(has_text=self.has_text), scaled(24))

    @override
    def paint_face(self, painter: QPainter) -> None:
        theme, face = self.theme, self.face
        is_on = self.isChecked()
        if is_on:
            draw_frame(painter, face, radius=6, border=theme.line_strong, ground=theme.raised)
        is_lively = is_on or (self.underMouse() and self.isEnabled())
        ink = theme.text if is_lively else theme.text2
        if not self.isEnabled():
            ink = theme.disabled
        top = face.center().y() - _ICON / 2
        inset = scaled(_INSET) if self.has_text else _INSET
        square = QRectF(face.left() + inset, top, _ICON, _ICON)
        colour = ink if is_on or not self.isEnabled() else theme.text3
        draw_icon(painter, self.mirrored(square), name=self.segment.icon, colour=colour, px=_ICON)
        if not self.has_text:
            return
        left = square.right() + scaled(6)
        place = QRectF(left, face.top(), face.right() - left - 2, face.height())
        role = Role.UI_STRONG if is_on else Role.UI
        draw_text(
            painter,
            self.mirrored(place),
            self.text(),
            role=role,
            colour=ink,
            align=start_align(self.layoutDirection()),
        )


class Segmented(PaintedWidget):
    """A row of choices of which one holds; arrow keys move while it has the keyboard."""

    chosen = Signal(str)

    def __init__(self, segments: tuple[Segment, ...], *, parent: QWidget | None = None) -> None:
        """Make the switch; the first choice holds.

        Args:
            segments: at least one.
            parent: of the widget.
        """
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("View")
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _SegmentButton] = {}
        self._is_compact = False
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for segment in segments:
            button = _SegmentButton(segment, self)
            self._buttons[segment.name] = button
            self._group.addButton(button)
            row.addWidget(button)
        self._buttons[segments[0].name].setChecked(True)
        self._group.buttonClicked.connect(self._tell)

    @property
    def current(self) -> str:
        """Name of the choice that holds."""
        return next(name for name, button in self._buttons.items() if button.isChecked())

    def set_current(self, name: str) -> None:
        """Let another choice hold, without a signal.

        Raises:
            KeyError: there is no choice of this name.
        """
        self._buttons[name].setChecked(True)

    def set_compact(self, *, is_compact: bool) -> None:
        """Show icons alone, named by their tooltips, or with their words."""
        if is_compact is self._is_compact:
            return
        self._is_compact = is_compact
        for button in self._buttons.values():
            button.has_text = not is_compact
            button.updateGeometry()
            button.update()
        row = self.layout()
        if row is not None:
            row.invalidate()

    def width_of(self, *, is_compact: bool) -> int:
        """Return how wide the switch is, in px, with icons alone or with words."""
        buttons = self._buttons.values()
        return sum(each.face_width(has_text=not is_compact) + 2 * RING for each in buttons)

    def set_available(self, name: str, *, is_available: bool) -> None:
        """Let a choice be taken, or show it as not to be had now."""
        self._buttons[name].setEnabled(is_available)

    def _tell(self) -> None:
        self.chosen.emit(self.current)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Act on the keys of this widget."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step == 0:
            super().keyPressEvent(event)
            return
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            step = -step
        names = [name for name, button in self._buttons.items() if button.isEnabled()]
        place = min(len(names) - 1, max(0, names.index(self.current) + step))
        if names[place] != self.current:
            self._buttons[names[place]].setFocus()
            self._buttons[names[place]].click()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.sunken)
            ground = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(ground, 6 + RING - 1, 6 + RING - 1)
        painter.end()
