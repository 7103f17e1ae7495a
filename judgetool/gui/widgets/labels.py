"""Labels: plain text that elides, and a key cap."""

from functools import lru_cache
from textwrap import wrap

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, text_width
from judgetool.gui.painting import draw_key_cap, draw_text, key_cap_size, start_align
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
        self._text = ""
        self._align: Qt.AlignmentFlag | None = None
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

    def set_ink(self, ink: str) -> None:
        """Use another colour of the theme, by its name."""
        self._ink = ink
        self.update()

    def set_align(self, align: Qt.AlignmentFlag) -> None:
        """Align the text otherwise than where lines begin; as it is seen."""
        self._align = align
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
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        is_cut = text_width(self._role, self._text) > self.width()
        # Escaped by hand: a tooltip that starts like markup would be read as markup.
        self.setToolTip(plain_tooltip(self._text) if is_cut else "")
        painter = QPainter(self)
        colour = getattr(self.theme, self._ink if self.isEnabled() else "disabled")
        draw_text(
            painter,
            QRectF(self.rect()),
            self._text,
            role=self._role,
            colour=colour,
            align=self._align or start_align(self.layoutDirection()),
        )
        painter.end()


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
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        draw_key_cap(painter, QRectF(self.rect()), self.theme, text=self._text, role=self._role)
        painter.end()
