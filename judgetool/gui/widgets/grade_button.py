"""The buttons of the grade bar: one per level, and the small ones beside them."""

from collections.abc import Sequence
from enum import Enum, IntEnum

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from judgetool.core.judgments import CONFIDENCES
from judgetool.core.override import override
from judgetool.core.scale import Scale
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import (
    GradeStyle,
    draw_confidence,
    draw_symbol,
    scale_styles,
    tinted_ground,
)
from judgetool.gui.keymap import native
from judgetool.gui.painting import (
    draw_frame,
    draw_key_cap,
    draw_text,
    key_cap_size,
    smooth,
    start_align,
)
from judgetool.gui.widgets.buttons import FaceButton
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.painted import RING, PaintedButton
from judgetool.gui.widgets.row_parts import CapPart, Piece, TextPart, pieces_width
from judgetool.wording import _

_INSET = 8
_TIGHT_INSET = 2
_DISC = 16
_GAP = 8
_LEAST_NAME = 40
_UNDER_SPACE = 3
_DOT, _DOT_GAP = 4, 3


class Detail(IntEnum):
    """How much a level's button has room for."""

    TIGHT = -1
    KEY = 0
    SYMBOL = 1
    NAME = 2


class Lines(Enum):
    """How a level's name is set: beside its symbol on one line or two, or under key and symbol."""

    ONE = "one"
    TWO = "two"
    UNDER = "under"


_NAME_ROLES = {
    Lines.ONE: Role.UI_STRONG,
    Lines.TWO: Role.META_STRONG,
    Lines.UNDER: Role.SMALL,
}


def _key_role(detail: Detail) -> Role:
    return Role.KEY if detail is Detail.TIGHT else Role.KEY_LARGE


def _dots_width() -> int:
    """Return the width in px of the dots that tell how sure somebody is."""
    return 3 * scaled(_DOT) + 2 * scaled(_DOT_GAP)


class LevelButton(PaintedButton):
    """One level: its key, its symbol, its name; ground and border tell the grade given."""

    radius = 7.0

    def __init__(self, scale: Scale, place: int, *, height: int, parent: QWidget) -> None:
        """Make the button of level ``place`` (from 0).

        Args:
            scale: the project's.
            place: of the level.
            height: of the face in px.
            parent: the bar.
        """
        super().__init__(parent)
        self._scale = scale
        self._place = place
        self._height = height
        self._is_given = False
        self._confidence: int | None = None
        self.detail = Detail.NAME
        self.lines = Lines.ONE
        level = scale.levels[place]
        self.grade = level.grade
        self.setText(level.shown_name)
        text = (
            f"{level.shown_name}: {level.shown_definition}"
            if level.shown_definition
            else level.shown_name
        )
        self.setToolTip(plain_tooltip(f"{level.key.upper()}  {text}".strip()))
        self._describe()

    @property
    def is_given(self) -> bool:
        """Whether the document has this grade."""
        return self._is_given

    def set_given(self, *, is_given: bool, confidence: int | None = None) -> None:
        """Show, or no longer show, that the document has this grade, and how sure it is.

        Args:
            is_given: whether the document has it.
            confidence: as in ``CONFIDENCES``, shown as so many of three dots; ``None``
                where nothing was said of it.
        """
        confidence = confidence if is_given else None
        if (is_given, confidence) != (self._is_given, self._confidence):
            self._is_given, self._confidence = is_given, confidence
            self._describe()
            self.update()

    def set_height(self, height: int) -> None:
        """Make the face as high as the bar lets it be."""
        self._height = height
        self.updateGeometry()

    @property
    def style_of_level(self) -> GradeStyle:
        """The look of this level in the theme that is shown."""
        return scale_styles(self._scale, self.theme)[self._place]

    @property
    def key(self) -> str:
        """The level's key as printed on its cap; its grade where it has none."""
        level = self._scale.levels[self._place]
        return native(level.key.upper()) or self.style_of_level.text

    def width_for(self, detail: Detail, *, name: int | None = None) -> int:
        """Return the width of the whole button with so much in it.

        Args:
            detail: what is shown.
            name: room for the name in px; ``None`` for all that it needs.
        """
        inset = _TIGHT_INSET if detail is Detail.TIGHT else scaled(_INSET)
        width = 2 * (inset + RING) + key_cap_size(self.key, role=_key_role(detail))[0]
        if detail >= Detail.SYMBOL:
            width += scaled(_GAP) + scaled(_DISC)
        if detail >= Detail.NAME:
            width += scaled(_GAP) + (self.name_width if name is None else name) + scaled(2)
        return width

    @property
    def name_width(self) -> int:
        """Room in px that the whole name needs."""
        return text_width(Role.UI_STRONG, self.text()) + 1

    @property
    def stacked_width(self) -> int:
        """Room in px that the whole name needs on two lines."""
        return max(text_width(Role.META_STRONG, part) for part in self._name_lines) + 1

    @property
    def is_stacked(self) -> bool:
        """Whether the name may be on two lines."""
        return self.lines is not Lines.ONE

    @property
    def under_size(self) -> QSize:
        """Size of the whole button with its name under key and symbol, on as many lines as it has."""
        cap, height = key_cap_size(self.key)
        names = max(text_width(Role.SMALL, part) for part in self._name_lines) + 1
        above = cap + 2 * scaled(_GAP) + scaled(_DISC) + _dots_width()
        width = max(names, above) + scaled(_INSET)
        height += self._height_of_small + 2 * _UNDER_SPACE
        return QSize(width + 2 * RING, height + 2 * RING)

    @property
    def _name_lines(self) -> tuple[str, ...]:
        """The name on two lines, divided where they get shortest; on one without a blank."""
        words = self.text().split()
        divided = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        if not divided:
            return (self.text(),)
        return min(divided, key=lambda each: max(text_width(Role.META_STRONG, p) for p in each))

    @property
    def _height_of_small(self) -> int:
        """Height in px of the name under key and symbol."""
        return line_height(Role.SMALL) * len(self._name_lines)

    @property
    def least_name(self) -> int:
        """Room in px under which an elided name says nothing."""
        return min(self.name_width, scaled(_LEAST_NAME))

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        if self.lines is Lines.UNDER:
            return QSize(self.under_size.width() - 2 * RING, self._height)
        return QSize(self.width_for(self.detail) - 2 * RING, self._height)

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the face."""
        theme, face, style = self.theme, self.face, self.style_of_level
        self._paint_ground(painter, face, style)
        self._paint_confidence(painter, face, style)
        ink = theme.text if self.isEnabled() else theme.disabled
        is_under = self.detail is Detail.NAME and self.lines is Lines.UNDER
        role = Role.KEY if is_under else _key_role(self.detail)
        width, height = key_cap_size(self.key, role=role)
        top = face.top() + round((face.height() - height) / 2)
        cap = QRectF(face.left() + scaled(_INSET), top, width, height)
        if self.detail <= Detail.KEY:
            cap.moveLeft(face.left() + round((face.width() - width) / 2))
        if is_under:
            cap.moveTo(face.left() + scaled(_INSET) / 2, top - self._height_of_small // 2)
        draw_key_cap(painter, self.mirrored(cap), theme, text=self.key, role=role, colour=ink)
        if self.detail <= Detail.KEY:
            return
        disc = scaled(_DISC)
        top = cap.top() + round((cap.height() - disc) / 2)
        square = QRectF(cap.right() + scaled(_GAP), top, disc, disc)
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        draw_symbol(painter, self.mirrored(square), style)
        painter.setOpacity(1.0)
        if is_under:
            below = QRectF(
                cap.left(), cap.bottom(), face.right() - cap.left(), self._height_of_small
            )
            self._paint_name(painter, below, ink)
        elif self.detail is Detail.NAME:
            left = square.right() + scaled(_GAP)
            room = face.right() - scaled(_INSET) - left + 1
            self._paint_name(painter, QRectF(left, face.top(), room, face.height()), ink)

    def _paint_name(self, painter: QPainter, place: QRectF, ink: QColor) -> None:
        role = _NAME_ROLES[self.lines]
        lines = self._name_lines if self.is_stacked else (self.text(),)
        height = line_height(role) if self.is_stacked else place.height()
        top = place.center().y() - height * len(lines) / 2
        for number, line in enumerate(lines):
            draw_text(
                painter,
                self.mirrored(QRectF(place.left(), top + number * height, place.width(), height)),
                line,
                role=role,
                colour=ink,
                align=start_align(self.layoutDirection()),
            )

    def _paint_confidence(self, painter: QPainter, face: QRectF, style: GradeStyle) -> None:
        """Paint three dots at a corner without name, as many of them full as one is sure."""
        if self._confidence is None:
            return
        size, width = scaled(_DOT), _dots_width()
        left, top = face.right() - scaled(_INSET) - width + 1, face.bottom() - size - scaled(3)
        if self.detail is Detail.NAME and self.lines is Lines.UNDER:
            top = face.top() + scaled(_INSET)
        place = self.mirrored(QRectF(left, top, width, size))
        draw_confidence(painter, place, style.ink, confidence=self._confidence)

    def _paint_ground(self, painter: QPainter, face: QRectF, style: GradeStyle) -> None:
        theme = self.theme
        if not self.isEnabled():
            draw_frame(painter, face, radius=self.radius, border=theme.line, ground=theme.panel)
            return
        if self._is_given:
            ground = tinted_ground(theme, style)
            draw_frame(painter, face, radius=self.radius, border=style.ink, ground=ground)
            with smooth(painter):
                painter.setPen(QPen(style.ink, 2.0))
                painter.drawRoundedRect(face.adjusted(1, 1, -1, -1), 6, 6)
            return
        ground = theme.sunken if self.isDown() else theme.base
        if self.underMouse() and not self.isDown():
            ground = theme.hover
        draw_frame(painter, face, radius=self.radius, border=theme.line_strong, ground=ground)

    def _describe(self) -> None:
        level = self._scale.levels[self._place]
        said = _("{name}, grade {grade}, given") if self._is_given else _("{name}, grade {grade}")
        said = said.format(name=level.shown_name, grade=self.style_of_level.text)
        if self._confidence is not None:
            said = f"{said}, {_(CONFIDENCES[self._confidence])}"
        self.setAccessibleName(said)
        self.setAccessibleDescription(level.shown_definition)


class ActionButton(FaceButton):
    """A key cap with what the key does; without room, the cap alone."""

    radius = 4.0
    inset = 0.0

    def __init__(self, name: str, key: str, text: str, *, parent: QWidget) -> None:
        """Make the button.

        Args:
            name: what the bar's signal says.
            key: printed on the cap.
            text: what it does.
            parent: the bar.
        """
        super().__init__(parent)
        self.name = name
        self.key = key
        self.has_text = True
        self._is_lit = False
        self.setText(text)
        self.setToolTip(plain_tooltip(f"{text}  {key}"))
        self.setAccessibleName(text)
        self.setAccessibleDescription(key)

    def set_key(self, key: str) -> None:
        """Print another key on the cap."""
        if key != self.key:
            self.key = key
            self.setToolTip(plain_tooltip(f"{self.text()}  {key}".rstrip()))
            self.setAccessibleDescription(key)
            self.updateGeometry()
            self.update()

    def set_lit(self, *, is_lit: bool) -> None:
        """Show that this holds of the document: flagged, skipped, with a note."""
        if is_lit != self._is_lit:
            self._is_lit = is_lit
            self.setAccessibleName(
                _("{text}, given").format(text=self.text()) if is_lit else self.text()
            )
            self.update()

    def width_for(self, *, has_text: bool) -> int:
        """Return the width of the whole button with or without its text."""
        width = key_cap_size(self.key)[0] + 2 * RING
        return width + (scaled(6) + self._words) * has_text

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        return QSize(pieces_width(self.pieces()), key_cap_size(self.key)[1])

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return the key, and what it does."""
        cap = CapPart(self.key, self._ink(), self._is_lit and self.isEnabled())
        words = Piece(TextPart(self.text(), Role.META, self._ink()), self._words, scaled(6))
        return (Piece(cap, cap.width), words)[: 1 + self.has_text]

    @property
    def _words(self) -> int:
        return text_width(Role.META, self.text()) + 1

    def _ink(self) -> str:
        if not self.isEnabled():
            return "disabled"
        if self._is_lit:
            return "accent"
        return "text" if self.underMouse() else "text2"
