"""Texts on a line: elided, one with a number that stands out, the cap of a key."""

from functools import lru_cache
from textwrap import wrap

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, text_width
from judgetool.gui.painting import (
    draw_key_cap,
    draw_text,
    key_cap_size,
    start_align,
    text_direction,
)
from judgetool.gui.widgets.painted import PaintedWidget

_TIP_WIDTH = 90


class ElidedLabel(PaintedWidget):
    """One line of plain text in a role and an ink of the theme, elided where it does not fit.

    What does not fit is in the tooltip. The text is never read as markup.
    """

    def __init__(
        self,
        text: str = "",
        *,
        role: Role = Role.UI,
        ink: str = "text",
        parent: QWidget | None = None,
    ) -> None:
        """Make a label.

        Args:
            text: what it says.
            role: how it is set.
            ink: name of a theme's colour, such as ``text2``.
            parent: of the widget.
        """
        super().__init__(parent)
        self._role = role
        self._ink = ink
        self._text = self._meaning = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    @property
    def text(self) -> str:
        """What the label says, whole."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text == self._text:
            return
        before = self.sizeHint()
        self._text = text
        self.setAccessibleName(text)
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def set_meaning(self, meaning: str) -> None:
        """Say in the tooltip, and to a screen reader, what the text is of."""
        self._meaning = meaning
        self.setAccessibleDescription(meaning)
        self.setToolTip(plain_tooltip(meaning))

    def set_ink(self, ink: str) -> None:
        """Use another colour of the theme, by its name."""
        self._ink = ink
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(text_width(self._role, self._text) + 1, line_height(self._role))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(min(self.sizeHint().width(), 24), line_height(self._role))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        is_cut = text_width(self._role, self._text) > self.width()
        # Escaped by hand: a tooltip that starts like markup would be read as markup.
        said = [self._text if is_cut else "", self._meaning]
        self.setToolTip(plain_tooltip("\n".join(filter(None, said))))
        colour = getattr(self.theme, self._ink if self.isEnabled() else "disabled")
        draw_text(
            painter,
            QRectF(self.rect()),
            self._text,
            role=self._role,
            colour=colour,
            align=start_align(self.layoutDirection()),
        )


class CountedLabel(PaintedWidget):
    """Plain text in text2 with its first number in text and bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[str, str, str] = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """What the label says."""
        return "".join(self._parts)

    def set_text(self, text: str, *, strong: str) -> None:
        """Show another text; ``strong`` is the part of it that stands out."""
        head, middle, tail = text.partition(strong) if strong else (text, "", "")
        if (head, middle, tail) == self._parts:
            return
        before = self.sizeHint()
        self._parts = (head, middle, tail)
        self.setAccessibleName(text)
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def _widths(self) -> tuple[int, int, int]:
        head, middle, tail = self._parts
        return (
            text_width(Role.UI, head),
            text_width(Role.UI_STRONG, middle),
            text_width(Role.UI, tail),
        )

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(sum(self._widths()) + 2, line_height(Role.UI))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(24, line_height(Role.UI))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the parts after each other."""
        theme = self.theme
        roles = ((Role.UI, theme.text2), (Role.UI_STRONG, theme.text), (Role.UI, theme.text2))
        # A common blank at an end of a part would not be kept.
        texts = (part.replace(" ", "\u00a0") for part in self._parts)
        parts = list(zip(texts, self._widths(), roles, strict=True))
        # The parts are one sentence: they follow each other as it runs, not as the window does.
        if text_direction(self.text) is Qt.LayoutDirection.RightToLeft:
            parts.reverse()
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = max(0.0, self.width() - float(sum(self._widths()))) if is_mirrored else 0.0
        for text, width, (role, ink) in parts:
            room = min(float(width), max(0.0, self.width() - left))
            place = QRectF(left, 0, room, self.height())
            draw_text(painter, place, text, role=role, colour=ink)
            left += width


@lru_cache(maxsize=256)
def plain_tooltip(text: str) -> str:
    """Return a text for ``setToolTip`` that Qt shows as it is, never as markup.

    Screen readers read tooltips aloud, signs of markup too: only what would else be taken
    for markup gets any, and lines are broken here, as Qt breaks those of markup alone.
    """
    lines = (
        wrap(line, _TIP_WIDTH) if len(line) > _TIP_WIDTH else [line] for line in text.splitlines()
    )
    text = "\n".join(part for line in lines for part in line)
    if "<" not in text and "&" not in text:
        return text
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>")):
        text = text.replace(sign, name)
    return f"<span>{text}</span>" if text else ""


class KeyCap(PaintedWidget):
    """A key with its name on it."""

    def __init__(self, text: str, *, role: Role = Role.KEY, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._role = role
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"key {text}")

    @property
    def text(self) -> str:
        """The key's name."""
        return self._text

    def set_text(self, text: str) -> None:
        """Name another key; without a name the cap is not there."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(f"key {text}")
            self.setVisible(bool(text))
            self.updateGeometry()
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(*key_cap_size(self._text, role=self._role))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        draw_key_cap(painter, QRectF(self.rect()), self.theme, text=self._text, role=self._role)
