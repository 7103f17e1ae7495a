"""How a document's page is set: its colours, its width, and its size in list and focus."""

from dataclasses import dataclass, replace
from functools import cache

from judgetool.gui.fonts import Role, metrics, scaled
from judgetool.gui.theme import Theme, current_theme, mixed, theme_of
from judgetool.wording import N_

PAGE_COLOURS = {
    "theme": N_("As the window"),
    "light": N_("Light"),
    "dark": N_("Dark"),
    "sepia": N_("Sepia"),
}
LINE_NAMES = {"narrow": N_("narrow"), "standard": N_("standard"), "wide": N_("wide")}
LINE_WIDTHS = {"narrow": 54, "standard": 72, "wide": 100}
MARGIN, FOCUS_MARGIN = 20, 32
_SOME_TEXT = "the quick brown fox jumps over the lazy dog and goes home "


@cache
def _sepia(*, is_high: bool) -> Theme:
    light = theme_of(is_dark=False, is_high=is_high)
    darker = tuple(mixed(line, light.sepia_text, 0.2) for line in light.mark_lines)
    return replace(
        light,
        mark_lines=darker,
        base=light.sepia_page,
        text=light.sepia_text,
        text2=light.sepia_text2,
        text3=light.sepia_text2,
        line=light.sepia_line,
        line_strong=light.sepia_text2,
    )


def page_theme(colour: str) -> Theme:
    """Return the colours of a page.

    Args:
        colour: a key of :data:`PAGE_COLOURS`.
    """
    now = current_theme()
    if colour == "sepia":
        return _sepia(is_high=now.is_high)
    return now if colour == "theme" else theme_of(is_dark=colour == "dark", is_high=now.is_high)


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
        return min(scaled(40), 48) if self.is_large else scaled(15)

    @property
    def column(self) -> int:
        """How wide the page is at the most, margins included, in px."""
        return self.width_of(self.columns)

    def width_of(self, columns: int) -> int:
        """Return how wide a page of so many characters on a line is, margins included, in px."""
        advance = metrics(self.text, grow=self.grow).horizontalAdvance(_SOME_TEXT)
        return round(advance / len(_SOME_TEXT) * columns) + 2 * self.margin
