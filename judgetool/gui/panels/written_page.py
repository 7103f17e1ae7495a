"""One page on its way to the screen: its text document, written so far and going on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QUrl
from PySide6.QtGui import QImage, QTextBlock, QTextDocument, QTextOption
from shiboken6 import isValid

from judgetool.core.judgments import Span
from judgetool.core.override import override
from judgetool.gui.fonts import font
from judgetool.gui.models.page import Page
from judgetool.gui.models.page_lines import Line
from judgetool.gui.page_look import PageLook
from judgetool.gui.panels.inline_parts import InlineParts
from judgetool.gui.panels.page_writer import BlockKind, PageWriter
from judgetool.gui.pictures import Picture

# So much is there in the first frame; a screen holds a fifth of it.
FIRST_PART = 8_000
_FIRST_ROWS = 60


@dataclass(frozen=True)
class Content:
    """What a page is written from; two that are equal look the same.

    Attributes:
        page: the document; ``None`` for an empty page.
        spans: the rationale.
        note: of the assessor.
        picture: above the text; ``None`` for none.
        remarks: what else the assessor said, on one line.
    """

    page: Page | None = None
    spans: tuple[Span, ...] = ()
    note: str = ""
    picture: Picture | None = None
    remarks: str = ""


class WrittenPage:
    """A page in a ``QTextDocument``: the first part at once, the rest piece by piece.

    Args:
        content: what to write.
        look: how.
        width: of the viewport, known beforehand so that nothing is laid out twice.
        parts: paints key caps, icons and pictures.
        parent: owns the text document.
        least: so many characters are written at once.

    Attributes:
        content: what it shows.
        document: for the text widget.
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
        self.content = content
        self.look = look
        self.width = width
        self.document = SilentDocument(parent)
        self._prepare()
        self._writer = PageWriter(self.document, parts, look)
        self._rest: Iterator[None] | None = None
        if content.page is not None:
            self._rest = self._writer.write(
                content.page,
                spans=content.spans,
                note=content.note,
                remarks=content.remarks,
                picture=content.picture,
            )
        self._write_first(least)
        # A document has no layout until it is asked for one. Text that comes later is laid
        # out at once, text that is there already as it is seen.
        parts.install(self.document)
        self.document.setTextWidth(width)

    def _prepare(self) -> None:
        document, look = self.document, self.look
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(look.margin)
        document.setDefaultFont(font(look.text, grow=look.grow))
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        form = document.rootFrame().frameFormat()
        form.setTopMargin(look.top)
        document.rootFrame().setFrameFormat(form)

    def _write_first(self, least: int) -> None:
        rows = 0
        while self._writer.n_written < least and rows < _FIRST_ROWS and self.write_more():
            rows += 1

    @property
    def is_complete(self) -> bool:
        """Whether all of it is written."""
        return self._rest is None

    @property
    def lines(self) -> list[Line]:
        """Every markable line written so far."""
        return self._writer.lines

    @property
    def text_end(self) -> int:
        """Where the document's own words end, as Qt counts; the end so far while it grows."""
        end = self._writer.text_end
        return end if end is not None else self.document.characterCount() - 1

    def write_more(self) -> bool:
        """Write the next piece; return whether there was one."""
        if self._rest is None:
            return False
        if next(self._rest, self) is self:
            self._rest = None
            return False
        return True

    def show_spans(self, spans: Sequence[Span]) -> None:
        """Show another rationale."""
        self.content = replace(self.content, spans=tuple(spans))
        before = self.document.characterCount()
        self._writer.write_rationale(spans)
        if self._writer.text_end is not None:
            self._writer.text_end += self.document.characterCount() - before

    def show_note(self, note: str, remarks: str = "") -> None:
        """Show another note, and what else was said."""
        self.content = replace(self.content, note=note, remarks=remarks)
        self._writer.write_note(note, remarks)

    def drop(self) -> None:
        """Let go of the text document; it may be on the screen no more."""
        self._rest = None
        if isValid(self.document):
            self.document.deleteLater()

    def line_of(self, block: QTextBlock) -> Line | None:
        """Return the line that a block shows; ``None`` for what is not the document's."""
        number = block.userState() - BlockKind.LINE
        return self.lines[number] if 0 <= number < len(self.lines) else None

    def block_of(self, number: int) -> QTextBlock:
        """Return the block of a line by its number; not valid while it is not written."""
        block = self.document.findBlockByNumber(number)
        wanted = BlockKind.LINE + number
        while block.isValid() and block.userState() != wanted:
            block = block.next()
        return block


class SilentDocument(QTextDocument):
    """A document that loads nothing, whatever its text says."""

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        """Return something harmless."""
        return harmless_resource(kind)


def harmless_resource(kind: int) -> QImage | QByteArray:
    """Return what a document gets that asks for a file: nothing that can be seen.

    Nothing at all would make Qt open the file itself.
    """
    if kind == QTextDocument.ResourceType.ImageResource.value:
        return QImage(1, 1, QImage.Format.Format_ARGB32)
    return QByteArray(b" ")
