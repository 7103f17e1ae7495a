"""Where a page is scrolled and what is selected on it, kept while it is written anew."""

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit

from judgetool.gui.panels.page_painter import visible_blocks
from judgetool.gui.panels.page_selection import FieldPlace, place_of, position_of
from judgetool.gui.panels.written_page import FIRST_PART, WrittenPage

# More is not written at once: the place is reached when the rest has been.
_MOST_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class PagePlace:
    """A place on a page, by the document's own text.

    Attributes:
        top: what stands at the top of the screen; ``None`` at the page's top.
        share: how far down its line that is, 0 to 1.
        anchor: where the selection begins; ``None`` without one.
        end: where it ends.
        n_before: characters to be written at once, so that the place is there.
    """

    top: FieldPlace | None
    share: float
    anchor: FieldPlace | None
    end: FieldPlace | None
    n_before: int


def find_place(widget: QTextEdit, page: WrittenPage) -> PagePlace:
    """Return where a page is scrolled and what is selected."""
    cursor = widget.textCursor()
    anchor = end = None
    if cursor.hasSelection():
        anchor, end = place_of(page, cursor.anchor()), place_of(page, cursor.position())
    top, share = _find_top(widget, page)
    n_before = FIRST_PART
    if top is not None and top[0] == "body":
        n_before = max(FIRST_PART, min(top[1] + FIRST_PART // 2, _MOST_AT_ONCE))
    return PagePlace(top, share, anchor, end, n_before)


def _find_top(widget: QTextEdit, page: WrittenPage) -> tuple[FieldPlace | None, float]:
    bar = widget.verticalScrollBar()
    if not bar.value():
        return None, 0.0
    layout = widget.document().documentLayout()
    for block, corner in visible_blocks(widget):
        line = page.line_of(block)
        if line is not None:
            height = max(1.0, layout.blockBoundingRect(block).height())
            share = (bar.value() - corner.y()) / height
            return (line.field, line.start), min(1.0, max(-1.0, share))
    return None, 0.0


def go_to_place(widget: QTextEdit, page: WrittenPage, place: PagePlace) -> bool:
    """Scroll and select as it was; return whether that part of the page is written."""
    if place.top is None:
        widget.verticalScrollBar().setValue(0)
        _select(widget, page, place)
        return True
    position = position_of(page, place.top)
    if position is None:
        return page.is_complete
    block = page.document.findBlock(position)
    rect = page.document.documentLayout().blockBoundingRect(block)
    _select(widget, page, place)
    widget.verticalScrollBar().setValue(round(rect.top() + place.share * rect.height()))
    return True


def _select(widget: QTextEdit, page: WrittenPage, place: PagePlace) -> None:
    if place.anchor is None or place.end is None:
        return
    anchor, end = position_of(page, place.anchor), position_of(page, place.end)
    if anchor is not None and end is not None:
        cursor = QTextCursor(page.document)
        cursor.setPosition(anchor)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        with QSignalBlocker(widget):
            widget.setTextCursor(cursor)
