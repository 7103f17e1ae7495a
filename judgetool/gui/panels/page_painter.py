"""Paints marks, rules and the rationale's edge under the text, for what is in view."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QTextBlock
from PySide6.QtWidgets import QTextEdit

from judgetool.core.terms import Span
from judgetool.gui.fonts import Role, metrics
from judgetool.gui.icons import draw_icon
from judgetool.gui.models.page_lines import Line
from judgetool.gui.painting import EDGE_WIDTH
from judgetool.gui.panels.page_marks import PageMarks
from judgetool.gui.panels.page_writer import BlockKind
from judgetool.gui.panels.written_page import WrittenPage
from judgetool.gui.text_marks import (
    draw_mark,
    is_right_to_left,
    may_mix_directions,
    qt_spans,
    span_rects,
)
from judgetool.gui.theme import Theme

CLOSE_PX = 14
_RATIONALE = 2
_EDGE = 2


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
        painter: QPainter, block: QTextBlock, corner: QPointF, place: Span, ground: QColor
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


def line_rects(block: QTextBlock, spans: Sequence[Span], corner: QPointF) -> list[QRectF]:
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
