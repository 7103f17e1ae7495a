"""Texts: on a line elided, with a number that stands out, on the cap of a key; and wrapped."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from textwrap import wrap

from PySide6.QtCore import (
    QEvent,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QAccessible, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, line_height, text_width
from judgetool.gui.painting import is_right_to_left, isolated, key_cap_size
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import PaintedWidget
from judgetool.gui.widgets.row_parts import (
    Align,
    CapPart,
    Piece,
    TextPart,
    paint_pieces,
    pieces_width,
)
from judgetool.wording import _

_TIP_WIDTH = 90


class PieceView(PaintedWidget):
    """Pieces beside each other, made anew whenever they are painted, so that they follow the theme.

    Args:
        show: makes the pieces.
        height: in px, with the font as it is now; how wide it wishes to be, the pieces say.
        least: of the width, in px; ``None`` lets the pieces not give way.
        parent: of the widget.
    """

    heard_as = QAccessible.Role.StaticText

    def __init__(
        self,
        show: Callable[[], Iterable[Piece]],
        height: Callable[[], int],
        *,
        least: int | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._show, self._height, self._least = show, height, least
        self._hint = QSize()
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Fixed if least is None else policy.Expanding, policy.Fixed)

    def set_pieces(self, show: Callable[[], Iterable[Piece]]) -> None:
        """Show others."""
        self._show = show
        self.show_anew()

    def show_anew(self) -> None:
        """Show what has changed, and take the room that it needs now."""
        before, self._hint = self._hint, self.sizeHint()
        if self._hint != before:
            self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the room that the pieces need."""
        return QSize(pieces_width(tuple(self._show())), self._height())

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least width, at which pieces give way."""
        hint = self.sizeHint()
        return hint if self._least is None else QSize(min(hint.width(), self._least), hint.height())

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the pieces."""
        super().draw(painter, exposed)
        rect = QRectF(self.rect())
        paint_pieces(painter, tuple(self._show()), rect, self.theme, is_mirrored=self.is_mirrored)


class ElidedLabel(PieceView):
    """One line of plain text in a role and an ink of the theme, elided where it does not fit.

    What does not fit is in the tooltip. The text is never read as markup.

    Attributes:
        text: what it says, whole.
        shorter: what it shows where that does not fit: the first that does, elided the last.
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
        super().__init__(self._pieces, partial(line_height, role), least=24, parent=parent)
        self._role = role
        self._ink = ink
        self.text = self._meaning = ""
        self.shorter: Sequence[str] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self.text:
            self.text = text
            self.setAccessibleName(text)
            self.show_anew()

    def set_meaning(self, meaning: str) -> None:
        """Say in the tooltip, and to a screen reader, what the text is of."""
        self._meaning = meaning
        self.setAccessibleDescription(meaning)
        self.setToolTip(plain_tooltip(meaning))

    def set_ink(self, ink: str) -> None:
        """Use another colour of the theme, by its name."""
        self._ink = ink
        self.update()

    @property
    def shown(self) -> str:
        """What it shows at its width, perhaps elided."""
        fits = (each for each in self.shorter if text_width(self._role, each) <= self.width())
        last = self.shorter[-1] if self.shorter else self.text
        is_cut = text_width(self._role, self.text) > self.width()
        return next(fits, last) if is_cut else self.text

    def _pieces(self, text: str | None = None) -> Iterable[Piece]:
        ink = self._ink if self.isEnabled() else "disabled"
        # Where the shortest is nothing, nothing is shown.
        text = self.text if text is None else text
        part = TextPart(text, self._role, ink)
        return (Piece(part, text_width(self._role, text) + 1, gives=True),)

    @override
    def draw(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint from the current theme."""
        is_cut = text_width(self._role, self.text) > self.width()
        # Escaped by hand: a tooltip that starts like markup would be read as markup.
        said = [self.text if is_cut else "", self._meaning]
        self.setToolTip(plain_tooltip("\n".join(filter(None, said))))
        PaintedWidget.draw(self, painter, exposed)
        pieces, rect = tuple(self._pieces(self.shown)), QRectF(self.rect())
        paint_pieces(painter, pieces, rect, self.theme, is_mirrored=self.is_mirrored)


class CountedLabel(PieceView):
    """Plain text in text2 with its first number in text and bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self._pieces, partial(line_height, Role.UI), least=24, parent=parent)
        self._parts = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """What the label says."""
        return "".join(self._parts)

    def set_text(self, text: str, *, strong: str) -> None:
        """Show another text; ``strong`` is the part of it that stands out."""
        parts = text.partition(strong) if strong else (text, "", "")
        if parts != self._parts:
            self._parts = parts
            self.setAccessibleName(text)
            self.show_anew()

    def _pieces(self) -> Iterable[Piece]:
        roles = ((Role.UI, "text2"), (Role.UI_STRONG, "text"), (Role.UI, "text2"))
        pieces = []
        for text, (role, ink) in zip(self._parts, roles, strict=True):
            # A common blank at an end of a part would not be kept.
            part = TextPart(text.replace(" ", "\u00a0"), role, ink, Align.LEFT)
            pieces.append(Piece(part, text_width(role, text), gives=True))
        # The parts are one sentence: they follow each other as it runs, not as the window does.
        if is_right_to_left(self.text) is not self.is_mirrored:
            pieces.reverse()
        return (*pieces, Piece(None, 2, gives=True))


class KeyCap(PieceView):
    """A key with its name on it.

    Attributes:
        text: the key's name.
    """

    def __init__(self, text: str, *, parent: QWidget | None = None) -> None:
        super().__init__(self._pieces, lambda: key_cap_size(self.text)[1], parent=parent)
        self.text = text
        self.setAccessibleName(_("key {text}").format(text=text))

    def set_text(self, text: str) -> None:
        """Name another key; without a name the cap is not there."""
        if text != self.text:
            self.text = text
            self.setAccessibleName(_("key {text}").format(text=text))
            self.setVisible(bool(text))
            self.show_anew()

    def _pieces(self) -> Iterable[Piece]:
        cap = CapPart(self.text)
        return (Piece(cap, cap.width),)


@lru_cache(maxsize=256)
def plain_tooltip(text: str) -> str:
    """Return a text for ``setToolTip`` that Qt shows as it is, never as markup.

    Screen readers read tooltips aloud, signs of markup too: only what would else be taken
    for markup gets any, and lines are broken here, as Qt breaks those of markup alone.
    """
    if len(text) > _TIP_WIDTH:
        lines = (
            wrap(line, _TIP_WIDTH) if len(line) > _TIP_WIDTH else [line]
            for line in text.splitlines()
        )
        text = "\n".join(part for line in lines for part in line)
    if "<" not in text and "&" not in text:
        return text
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\n", "<br>")):
        text = text.replace(sign, name)
    return f"<span>{text}</span>" if text else ""


_LONG_WORD = re.compile(r"\S{24}(?=\S)")


def breakable(text: str) -> str:
    """Return a text with places to break in words of more than 24 characters.

    Otherwise an id or a path without blanks would make a window as wide as itself.
    """
    return _LONG_WORD.sub(lambda found: found.group() + "\u200b", text)


class Text(QLabel):
    """Plain text, in a role and an ink of the theme; never read as markup, wrapped unless asked."""

    def __init__(
        self,
        text: str = "",
        *,
        role: Role = Role.UI,
        ink: str = "text",
        wraps: bool = True,
    ) -> None:
        super().__init__()
        self._ink, self._role = ink, role
        self._is_fitting = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wraps)
        self.setFont(font(role))
        self._colour()
        self.setText(text)

    @override
    def setText(self, text: str) -> None:
        """Show another text; words too long for any line may be broken.

        What begins from right to left is a text of others, and runs as it is written.
        """
        text = text if text.isascii() or is_right_to_left(text) else isolated(text)
        super().setText(breakable(text) if self.wordWrap() else text)

    def set_ink(self, ink: str) -> None:
        """Use another colour of the theme, by its name."""
        if ink != self._ink:
            self._ink = ink
            self._colour()

    def _colour(self) -> None:
        palette = self.palette()
        colour = getattr(current_theme(), self._ink)
        if palette.color(self.foregroundRole()) != colour:
            palette.setColor(self.foregroundRole(), colour)
            self.setPalette(palette)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, and the size of the text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._colour()
        elif event.type() is QEvent.Type.FontChange and not self._is_fitting:
            self._is_fitting = True
            self.setFont(font(self._role))
            self._is_fitting = False
