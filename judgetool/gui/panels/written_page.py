"""One page on the screen: written so far, marked, painted; where it is scrolled and selected."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QPoint, QPointF, QRectF, QSignalBlocker, QUrl
from PySide6.QtGui import (
    QColor,
    QImage,
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit
from shiboken6 import isValid

from judgetool.core.documents import Document
from judgetool.core.judgments import Span
from judgetool.core.marking import NO_MARKING, Mark, Marking
from judgetool.core.override import override
from judgetool.core.terms import Span as Piece
from judgetool.gui.fonts import Role, font, metrics
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.page import Line, Page
from judgetool.gui.page_look import PageLook
from judgetool.gui.painting import (
    EDGE_WIDTH,
    character_at,
    draw_mark,
    is_right_to_left,
    may_mix_directions,
    qt_spans,
    span_rects,
    utf16_length,
)
from judgetool.gui.panels.page_writer import BlockKind, InlineParts, PageWriter
from judgetool.gui.pictures import Picture

if TYPE_CHECKING:
    from judgetool.gui.theme import Theme

CLOSE_PX = 14
_RATIONALE = 2
_EDGE = 2
_MOST_KEPT = 4000
LinePlace = tuple[int, int, int]
"""Number of a line, and start and end of a piece of it, in characters."""
# More is not written at once: the place is reached when the rest has been.
_MOST_AT_ONCE = 20_000
FieldPlace = tuple[str, int]
"""A field and a place in it, counted in its own characters."""
_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”»)\]]*(?=\s|$)|[。！？।؟]+|$)\s*", re.DOTALL)
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


class PageMarks:
    """Marks of lines, worked out when a line is first seen.

    They are kept by the text that they stand in: a page that is written anew may number its
    lines otherwise, or show other lines, but the same words have the same marks. What was found
    is kept by number of the line, and holds for one page only.

    Attributes:
        marking: what is looked for in every line.
        spans: the rationale.
        found: what somebody looked for, in order.
        current: the place in ``found`` that is current; -1 for none.
        mark: the highlight that was gone to last, or ``None``.
    """

    def __init__(self) -> None:
        self.marking: Marking = NO_MARKING
        self.spans: tuple[Span, ...] = ()
        self.found: list[LinePlace] = []
        self.current = -1
        self.mark: LinePlace | None = None
        self._by_text: dict[str, list[Mark]] = {}
        self._found_by_line: dict[int, list[int]] = {}

    def forget(self) -> None:
        """Forget where things were on another page."""
        self.mark = None
        self.clear_found()

    def set_marking(self, marking: Marking) -> None:
        """Mark other terms."""
        if marking != self.marking:
            self.marking = marking
            self._by_text.clear()

    def of_line(self, line: Line) -> list[Mark]:
        """Return the marks of a line, in order."""
        kept = self._by_text.get(line.text)
        if kept is None:
            if len(self._by_text) > _MOST_KEPT:
                self._by_text.clear()
            kept = self._by_text[line.text] = self.marking.find_marks(line.text)
        return kept

    def rationale_of(self, line: Line) -> list[Piece]:
        """Return where the rationale stands in a line, in characters of it."""
        places = [
            (line.shown_place(span.start), line.shown_place(span.end))
            for span in self.spans
            if span.field == line.field and span.start < line.end and span.end > line.start
        ]
        return sorted(places)

    def clear_found(self) -> None:
        """Forget what was looked for."""
        self.found, self.current = [], -1
        self._found_by_line.clear()

    def add_found(self, number: int, spans: Sequence[Piece]) -> None:
        """Add what was found in a line; lines come in order."""
        for start, end in spans:
            self._found_by_line.setdefault(number, []).append(len(self.found))
            self.found.append((number, start, end))

    def found_in(self, number: int) -> list[int]:
        """Return the places in ``found`` of a line."""
        return self._found_by_line.get(number, [])


class PagePainter:
    """Paints on the viewport of a text widget.

    Args:
        widget: shows the page.
        page: what it shows.
        marks: what is marked.
        shows_marks: whether query terms and own sets are marked.
    """

    def __init__(
        self, widget: QTextEdit, page: WrittenPage, marks: PageMarks, *, shows_marks: bool
    ) -> None:
        self._widget = widget
        self._page = page
        self._marks = marks
        self._shows_marks = shows_marks
        self._theme: Theme = page.look.theme

    def paint(self, painter: QPainter) -> None:
        """Paint the ground, and everything that is in view.

        Ground and letters come from the one look that the page was written in.
        """
        painter.fillRect(self._widget.viewport().rect(), self._theme.base)
        painter.translate(0, -self._widget.verticalScrollBar().value())
        for block, corner in visible_blocks(self._widget):
            kind = block.userState()
            if kind == BlockKind.RULE:
                self._paint_rule(painter, corner)
            elif kind in (BlockKind.RATIONALE_HEAD, BlockKind.RATIONALE):
                self._paint_edge(painter, block)
            else:
                line = self._page.line_of(block)
                if line is not None:
                    self._paint_line(painter, block, corner, line)

    def _paint_rule(self, painter: QPainter, corner: QPointF) -> None:
        margin = self._page.look.margin
        width = self._widget.document().textWidth() - 2 * margin
        top = round(corner.y() + metrics(Role.UI).height() / 2)
        painter.fillRect(QRectF(margin, top, width, 1), self._theme.line)

    def _paint_edge(self, painter: QPainter, block: QTextBlock) -> None:
        rect = self._widget.document().documentLayout().blockBoundingRect(block)
        margin = self._page.look.margin
        left = float(margin)
        if _is_rtl(self._page):
            left = self._widget.document().textWidth() - margin - _EDGE
        is_head = block.userState() == BlockKind.RATIONALE_HEAD
        # The head and its text are one block for the eye.
        bottom = rect.bottom() + (EDGE_WIDTH if is_head else 0)
        painter.fillRect(
            QRectF(left, rect.top(), _EDGE, bottom - rect.top()), self._theme.mark_lines[_RATIONALE]
        )
        if is_head:
            place = close_rect(self._widget, self._page, block)
            draw_icon(painter, place, name="x", colour=self._theme.text3, px=CLOSE_PX)

    def _paint_line(
        self, painter: QPainter, block: QTextBlock, corner: QPointF, line: Line
    ) -> None:
        number = block.userState() - BlockKind.LINE
        if self._shows_marks:
            for start, end, colour in self._marks.of_line(line):
                for rect in line_rects(block, [(start, end)], corner):
                    draw_mark(painter, rect, self._theme, kind=colour)
        for place in self._marks.rationale_of(line):
            for rect in line_rects(block, [place], corner):
                draw_mark(painter, rect, self._theme, kind=_RATIONALE)
        for index in self._marks.found_in(number):
            is_current = index == self._marks.current
            ground = self._theme.find if is_current else self._theme.marks[_RATIONALE]
            self._fill(painter, block, corner, self._marks.found[index][1:], ground)
        mark = self._marks.mark
        if mark is not None and mark[0] == number:
            self._fill(painter, block, corner, mark[1:], self._theme.find)

    @staticmethod
    def _fill(
        painter: QPainter, block: QTextBlock, corner: QPointF, place: Piece, ground: QColor
    ) -> None:
        for rect in line_rects(block, [place], corner):
            painter.fillRect(rect, ground)


def visible_blocks(widget: QTextEdit) -> Iterator[tuple[QTextBlock, QPointF]]:
    """Yield the blocks that are in view, with their corners in the document."""
    layout = widget.document().documentLayout()
    bottom = widget.verticalScrollBar().value() + widget.viewport().height()
    block = widget.cursorForPosition(QPoint(0, 0)).block()
    while block.isValid():
        corner = layout.blockBoundingRect(block).topLeft()
        if corner.y() > bottom:
            return
        yield block, corner
        block = block.next()


def line_rects(block: QTextBlock, spans: Sequence[Piece], corner: QPointF) -> list[QRectF]:
    """Return where pieces of a block stand, as high as its letters."""
    text = block.text()
    counted = qt_spans(text, spans)
    layout = block.layout()
    is_mixed = may_mix_directions(text)
    rects = []
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        # A line is as high as the paragraph wishes; the mark is as high as the letters.
        inked = line.ascent() + line.descent()
        for rect in span_rects(line, counted, is_mixed=is_mixed):
            top = rect.bottom() - inked if rect.height() > inked else rect.top()
            rects.append(QRectF(rect.left(), top, rect.width(), inked).translated(corner))
    return rects


def close_rect(widget: QTextEdit, page: WrittenPage, block: QTextBlock) -> QRectF:
    """Return where the × of a rationale stands, in the document."""
    rect = widget.document().documentLayout().blockBoundingRect(block)
    left = widget.document().textWidth() - page.look.margin - CLOSE_PX
    if _is_rtl(page):
        left = float(page.look.margin)
    return QRectF(left, rect.center().y() - CLOSE_PX / 2, CLOSE_PX, CLOSE_PX)


def _is_rtl(page: WrittenPage) -> bool:
    shown = page.content.page
    return shown is not None and is_right_to_left(shown.title.text)


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
