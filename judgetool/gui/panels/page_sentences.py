"""Selecting on a page by the keyboard: a sentence, and the next one with it."""

from PySide6.QtGui import QTextBlock, QTextCursor

from judgetool.gui.panels.document_text import DocumentText
from judgetool.gui.panels.page_painter import visible_blocks
from judgetool.gui.panels.page_selection import sentence_at
from judgetool.gui.text_marks import utf16_length


def select_sentence(text: DocumentText) -> bool:
    """Select the sentence of the current highlight, else the first in view; again, one more.

    Returns:
        Whether there was a sentence to select.
    """
    cursor = text.textCursor()
    if cursor.hasSelection():
        return _extend(text, cursor)
    start = _start(text)
    if start is None:
        return False
    block, position = start
    _select(text, *sentence_at(block, position))
    return True


def unselect_sentence(text: DocumentText) -> None:
    """Take the last sentence out of what is selected."""
    cursor = text.textCursor()
    if not cursor.hasSelection():
        return
    first, end = cursor.selectionStart(), cursor.selectionEnd()
    block = text.document().findBlock(end - 1)
    start, _ = sentence_at(block, end - 1)
    before = _end_before(block, start)
    if before is None or before <= first:
        cursor.clearSelection()
        text.setTextCursor(cursor)
    else:
        _select(text, first, before)


def _end_before(block: QTextBlock, start: int) -> int | None:
    """Return where the sentence before a place ends."""
    if start > block.position():
        return sentence_at(block, start - 1)[1]
    previous = block.previous()
    while previous.isValid() and not previous.text().strip():
        previous = previous.previous()
    return previous.position() + previous.length() - 1 if previous.isValid() else None


def _extend(text: DocumentText, cursor: QTextCursor) -> bool:
    first, end = cursor.selectionStart(), cursor.selectionEnd()
    block = text.document().findBlock(end)
    rest = block.text().encode("utf-16-le", "surrogatepass")[2 * (end - block.position()) :]
    left = rest.decode("utf-16-le", "ignore")
    if left.strip():
        end += utf16_length(left) - utf16_length(left.lstrip())
        _select(text, first, sentence_at(block, end)[1])
        return True
    block = block.next()
    while block.isValid() and (text.page.line_of(block) is None or not block.text().strip()):
        block = block.next()
    if not block.isValid():
        return False
    _select(text, first, sentence_at(block, block.position())[1])
    return True


def _start(text: DocumentText) -> tuple[QTextBlock, int] | None:
    marks = text.marks
    place = marks.mark or (marks.found[marks.current] if marks.current >= 0 else None)
    if place is not None:
        block = text.page.block_of(place[0])
        if block.isValid():
            return block, block.position() + utf16_length(block.text()[: place[1]])
    for block, _ in visible_blocks(text):
        line = text.page.line_of(block)
        if line is not None and line.field == "body" and line.text.strip():
            return block, block.position()
    return None


def _select(text: DocumentText, start: int, end: int) -> None:
    cursor = text.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    text.ensureCursorVisible()
