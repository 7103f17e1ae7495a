"""How a document's page is set: its colours, its width, and its size in list and focus."""

from dataclasses import dataclass, replace
from functools import cache

from judgetool.gui.fonts import Role, metrics, scaled
from judgetool.gui.theme import DARK, LIGHT, Theme, current_theme, mixed

PAGE_COLOURS = {
    "theme": "As the window",
    "light": "Light",
    "dark": "Dark",
    "sepia": "Sepia",
}
LINE_WIDTHS = {"narrow": 54, "standard": 72, "wide": 100}
MARGIN, FOCUS_MARGIN = 20, 32
_SOME_TEXT = "the quick brown fox jumps over the lazy dog and goes home "


@cache
def _sepia() -> Theme:
    darker = tuple(mixed(line, LIGHT.sepia_text, 0.2) for line in LIGHT.mark_lines)
    return replace(
        LIGHT,
        mark_lines=darker,
        base=LIGHT.sepia_page,
        text=LIGHT.sepia_text,
        text2=LIGHT.sepia_text2,
        text3=LIGHT.sepia_text2,
        line=LIGHT.sepia_line,
        line_strong=LIGHT.sepia_text2,
    )


def page_theme(colour: str) -> Theme:
    """Return the colours of a page.

    Args:
        colour: a key of :data:`PAGE_COLOURS`.
    """
    if colour == "sepia":
        return _sepia()
    return {"light": LIGHT, "dark": DARK}.get(colour) or current_theme()


@dataclass(frozen=True, slots=True)
class PageLook:
    """How a page is set.

    Attributes:
        theme: the colours of the page.
        grow: px added to the size of title and text.
        is_large: whether it is the focus view's.
        columns: characters on a line at the most.
    """

    theme: Theme
    grow: float = 0.0
    is_large: bool = False
    columns: int = LINE_WIDTHS["standard"]

    @property
    def title(self) -> Role:
        """How the title is set."""
        return Role.TITLE_FOCUS if self.is_large else Role.TITLE

    @property
    def text(self) -> Role:
        """How the text is set."""
        return Role.DOCUMENT_FOCUS if self.is_large else Role.DOCUMENT

    @property
    def margin(self) -> int:
        """Between page edge and text, in px."""
        return scaled(FOCUS_MARGIN if self.is_large else MARGIN)

    @property
    def top(self) -> int:
        """Above the title, in px."""
        return scaled(40 if self.is_large else 15)

    @property
    def column(self) -> int:
        """How wide the page is at the most, margins included, in px."""
        return self.width_of(self.columns)

    def width_of(self, columns: int) -> int:
        """Return how wide a page of so many characters on a line is, margins included, in px."""
        advance = metrics(self.text, grow=self.grow).horizontalAdvance(_SOME_TEXT)
        return round(advance / len(_SOME_TEXT) * columns) + 2 * self.margin
