"""From what is selected on a page to pieces of the document's fields, and back."""

import re
from collections.abc import Mapping

from PySide6.QtGui import QTextBlock, QTextCursor

from judgetool.core.documents import Document
from judgetool.core.judgments import Span
from judgetool.gui.models.page_lines import Line
from judgetool.gui.panels.written_page import WrittenPage
from judgetool.gui.text_marks import character_at, utf16_length

FieldPlace = tuple[str, int]
"""A field and a place in it, counted in its own characters."""

_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”»)\]]*(?=\s|$)|[。！？।؟]+|$)\s*", re.DOTALL)


def field_values(document: Document) -> Mapping[str, str]:
    """Return a document's texts by field, as spans count in them."""
    return {**document.fields, "title": document.title, "body": document.body}


def selected_spans(page: WrittenPage, cursor: QTextCursor, document: Document) -> list[Span]:
    """Return the pieces of the document's fields that are selected.

    One piece for each run of text that stands together in the document: what an
    excerpt leaves out is not selected.
    """
    values = field_values(document)
    joined: list[tuple[str, int, int]] = []
    for line, start, end in _selected_lines(page, cursor):
        first, behind = line.field_place(start), line.field_place(end)
        if joined and joined[-1][0] == line.field and 0 <= first - joined[-1][2] <= 2:
            joined[-1] = (line.field, joined[-1][1], behind)
        elif behind > first:
            joined.append((line.field, first, behind))
    spans = (_trimmed(field, start, end, values[field]) for field, start, end in joined)
    return [span for span in spans if span.text]


def _trimmed(field: str, start: int, end: int, value: str) -> Span:
    text = value[start:end]
    left = len(text) - len(text.lstrip())
    kept = text.strip()
    return Span(field, start + left, start + left + len(kept), kept)


def _selected_lines(page: WrittenPage, cursor: QTextCursor) -> list[tuple[Line, int, int]]:
    first, behind = cursor.selectionStart(), cursor.selectionEnd()
    block = page.document.findBlock(first)
    found = []
    while block.isValid() and block.position() < behind:
        line = page.line_of(block)
        if line is not None and line.field:
            text = block.text()
            start = character_at(text, max(0, first - block.position()))
            end = character_at(text, min(behind - block.position(), block.length() - 1))
            if end > start:
                found.append((line, start, end))
        block = block.next()
    return found


def place_of(page: WrittenPage, position: int) -> FieldPlace | None:
    """Return the field and the place in it of a position on the page."""
    block = page.document.findBlock(position)
    line = page.line_of(block)
    if line is None:
        return None
    shown = character_at(block.text(), position - block.position())
    return line.field, line.field_place(shown)


def position_of(page: WrittenPage, place: FieldPlace) -> int | None:
    """Return where on the page a place of a field stands; ``None`` where it is not shown."""
    field, where = place
    for number, line in enumerate(page.lines):
        if line.field == field and line.start <= where <= line.end:
            block = page.block_of(number)
            if block.isValid():
                shown = line.shown_place(where)
                return block.position() + utf16_length(block.text()[:shown])
    return None


def sentence_at(block: QTextBlock, position: int) -> tuple[int, int]:
    """Return start and end, on the page, of the sentence at a position of a block."""
    text = block.text()
    place = character_at(text, position - block.position())
    for found in _SENTENCE.finditer(text):
        if place < found.end() or found.end() == len(text):
            start, kept = found.start(), found.group().rstrip()
            first = block.position() + utf16_length(text[:start])
            return first, first + utf16_length(kept)
    return block.position(), block.position() + block.length() - 1
