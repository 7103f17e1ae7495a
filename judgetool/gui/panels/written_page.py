"""One page: a text document that is written piece by piece, and what of the document stands where."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QUrl
from PySide6.QtGui import QImage, QTextBlock, QTextCursor, QTextDocument, QTextOption
from shiboken6 import isValid

from judgetool.core.judgments import Span
from judgetool.core.override import override
from judgetool.core.terms import Span as Piece
from judgetool.gui.fonts import font
from judgetool.gui.models.page import Line
from judgetool.gui.page_look import PageLook
from judgetool.gui.painting import character_at, qt_spans, utf16_length
from judgetool.gui.panels.page_writer import BlockKind, Content, InlineParts, PageWriter

FieldPlace = tuple[str, int]
"""A field and a place in it, counted in its own characters."""
_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”»)\]]*(?=\s|$)|[。！？।؟]+|$)\s*", re.DOTALL)
# So much is there in the first frame; a screen holds a fifth of it.
FIRST_PART = 8_000
_FIRST_ROWS = 60


class WrittenPage(QTextDocument):
    """A page for a text widget: the first part at once, the rest piece by piece; it loads nothing.

    Args:
        content: what to write.
        look: how.
        width: of the viewport, known beforehand so that nothing is laid out twice.
        parts: paints key caps, icons and pictures.
        parent: owns the page.
        least: so many characters are written at once.

    Attributes:
        content: what it shows.
        look: how it is set.
        width: for which it was written.
        lines: every markable line written so far.
        is_complete: whether all of it is written.
    """

    def __init__(
        self,
        content: Content,
        look: PageLook,
        *,
        width: float,
        parts: InlineParts,
        parent: QObject,
        least: int = FIRST_PART,
    ) -> None:
        super().__init__(parent)
        self.content = content
        self.look = look
        self.width = width
        self.is_complete = False
        self._prepare()
        self._writer = PageWriter(QTextCursor(self), parts, look)
        self.lines = self._writer.lines
        self._rest = self._writer.write(content)
        rows = 0
        while self._writer.n_written < least and rows < _FIRST_ROWS and self.write_more():
            rows += 1
        # A document has no layout until it is asked for one. Text that comes later is laid
        # out at once, text that is there already as it is seen.
        parts.install(self)
        self.setTextWidth(width)

    def _prepare(self) -> None:
        look = self.look
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(look.margin)
        self.setDefaultFont(font(look.text, grow=look.grow))
        option = self.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)
        form = self.rootFrame().frameFormat()
        form.setTopMargin(look.top)
        self.rootFrame().setFrameFormat(form)

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        """Return something harmless, whatever the text says."""
        return harmless_resource(kind)

    @property
    def is_rtl(self) -> bool:
        """Whether the page is set from right to left, as its title runs."""
        return self._writer.is_rtl

    def write_more(self) -> bool:
        """Write the next piece; return whether there was one."""
        self.is_complete = next(self._rest, self) is self
        return not self.is_complete

    def say(self, content: Content) -> None:
        """Show what else the assessor says of the same document."""
        before, self.content = self.content, content
        if (content.spans, content.letters) != (before.spans, before.letters):
            self._writer.write_rationale(content)
        if (content.note, content.remarks) != (before.note, before.remarks):
            self._writer.write_note(content)

    def drop(self) -> None:
        """Let go of the page; it may be on the screen no more."""
        self._rest = iter(())
        if isValid(self):
            self.deleteLater()

    # What stands where

    def line_of(self, block: QTextBlock) -> Line | None:
        """Return the line that a block shows; ``None`` for what is not the document's."""
        number = block.userState() - BlockKind.LINE
        return self.lines[number] if 0 <= number < len(self.lines) else None

    def position_in(self, number: int, shown: int) -> int:
        """Return where on the page a character of a line stands."""
        block = self.findBlockByNumber(number)
        while block.isValid() and block.userState() != BlockKind.LINE + number:
            block = block.next()
        return block.position() + utf16_length(block.text()[:shown])

    def place_of(self, position: int) -> FieldPlace | None:
        """Return the field and the place in it of a position on the page."""
        block = self.findBlock(position)
        line = self.line_of(block)
        if line is None:
            return None
        shown = character_at(block.text(), position - block.position())
        return line.field, line.field_place(shown)

    def position_of(self, place: FieldPlace | None) -> int | None:
        """Return where on the page a place of a field stands; ``None`` where it is not shown."""
        field, where = place or (None, 0)
        for number, line in enumerate(self.lines if place else ()):
            if line.field == field and line.start <= where <= line.end:
                return self.position_in(number, line.shown_place(where))
        return None

    def sentences(self, position: int) -> Iterator[Piece]:
        """Yield where sentences of the document stand on the page, from a position's line on."""
        block = self.findBlock(position)
        while block.isValid():
            if self.line_of(block) is not None:
                text, start = block.text(), block.position()
                found = _SENTENCE.finditer(text)
                kept = [(each.start(), each.start() + len(each[0].rstrip())) for each in found]
                for first, end in qt_spans(text, kept):
                    yield start + first, start + end
            block = block.next()

    def spans(self, cursor: QTextCursor, values: Mapping[str, str]) -> list[Span]:
        """Return the pieces of the document's fields that are selected.

        One piece for each run of text that stands together in the document: what an
        excerpt leaves out is not selected.

        Args:
            cursor: in this page.
            values: the document's texts by field, as spans count in them.
        """
        first, behind = cursor.selectionStart(), cursor.selectionEnd()
        pieces: list[tuple[str, int, int]] = []
        block = self.findBlock(first)
        while block.isValid() and (top := block.position()) < behind:
            begin = self.place_of(max(first, top))
            end = self.place_of(min(behind, top + block.length() - 1))
            if begin is not None and end is not None and begin[0] and begin < end:
                field, start = begin
                if pieces and pieces[-1][0] == field and 0 <= start - pieces[-1][2] <= 2:
                    start = pieces.pop()[1]
                pieces.append((field, start, end[1]))
            block = block.next()
        spans = (_trimmed(field, start, end, values[field]) for field, start, end in pieces)
        return [span for span in spans if span.text]


def _trimmed(field: str, start: int, end: int, value: str) -> Span:
    text = value[start:end]
    start += len(text) - len(text.lstrip())
    kept = text.strip()
    return Span(field, start, start + len(kept), kept)


def harmless_resource(kind: int) -> QImage | QByteArray:
    """Return what a document gets that asks for a file: nothing that can be seen.

    Nothing at all would make Qt open the file itself.
    """
    if kind == QTextDocument.ResourceType.ImageResource.value:
        return QImage(1, 1, QImage.Format.Format_ARGB32)
    return QByteArray(b" ")
