"""The switch of blind mode in the top line: whether it is on is always in view."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import draw_frame, draw_key_cap, draw_text, key_cap_size, start_align
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import PaintedButton

_INSET = 8
_GAP = 6
_ICON = 16
_TEXTS = {True: "Blind", False: "Blind off"}


class BlindButton(PaintedButton):
    """An eye, 'Blind' or 'Blind off', and the key; an accent border while it is on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_on = False
        self._is_compact = False
        self._key = "B"
        self.set_state(is_on=False, is_required=False)

    def set_key(self, key: str) -> None:
        """Print another key on the cap; ``""`` for none."""
        self._key = key
        self.updateGeometry()
        self.update()

    def set_state(self, *, is_on: bool, is_required: bool) -> None:
        """Show whether blind mode is on, and whether the project asks for it."""
        self._is_on = is_on
        self.setText(_TEXTS[is_on])
        why = "The project requires it. " if is_required else ""
        what = "are hidden" if is_on else "would be hidden"
        sentence = f"{why}Rank, score, run, addresses, other assessors and values {what}."
        self.setToolTip(plain_tooltip(sentence))
        self.setAccessibleName("Blind mode is on" if is_on else "Blind mode is off")
        self.updateGeometry()
        self.update()

    def set_compact(self, *, is_compact: bool) -> None:
        """Show the eye alone, or words and key beside it."""
        if is_compact != self._is_compact:
            self._is_compact = is_compact
            self.updateGeometry()
            self.update()

    @property
    def words_width(self) -> int:
        """How much narrower it is when it shows the eye alone, in px."""
        words = max(text_width(Role.UI_STRONG, text) for text in _TEXTS.values())
        return scaled(_GAP) + words + 2 + self._cap_width()

    @property
    def is_compact(self) -> bool:
        """Whether it shows the eye alone."""
        return self._is_compact

    def _cap_width(self) -> int:
        return key_cap_size(self._key)[0] + scaled(_GAP) if self._key else 0

    @override
    def face_size(self) -> QSize:
        """Return the size of the face; the same on and off, so that nothing moves."""
        width = 2 * scaled(_INSET) + _ICON + (0 if self._is_compact else self.words_width)
        return QSize(width, max(scaled(24), line_height(Role.UI)))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint border, eye, words and key."""
        theme, face = self.theme, self.face
        is_lively = self.underMouse() or self.isDown()
        if self._is_on or is_lively:
            border = theme.accent if self._is_on else theme.line_strong
            ground = theme.selected if self._is_on else theme.sunken
            draw_frame(painter, face, radius=self.radius, border=border, ground=ground)
        ink = theme.accent if self._is_on else theme.text2
        top = face.center().y() - _ICON / 2
        square = QRectF(face.left() + scaled(_INSET), top, _ICON, _ICON)
        name = "eye-off" if self._is_on else "eye"
        draw_icon(painter, self.mirrored(square), name=name, colour=ink, px=_ICON)
        if self._is_compact:
            return
        left = square.right() + scaled(_GAP)
        right = face.right() - scaled(_INSET) - self._cap_width()
        place = QRectF(left, face.top(), right - left + 1, face.height())
        role = Role.UI_STRONG if self._is_on else Role.UI
        align = start_align(self.layoutDirection())
        draw_text(painter, self.mirrored(place), self.text(), role=role, colour=ink, align=align)
        if self._key:
            width, height = key_cap_size(self._key)
            cap = QRectF(right + scaled(_GAP), face.center().y() - height / 2, width, height)
            draw_key_cap(painter, self.mirrored(cap), theme, text=self._key)
