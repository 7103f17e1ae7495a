"""The text of a document, read-only, with query terms and found words marked."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, QPointF, QRectF, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from judgetool.core.override import override
from judgetool.core.terms import NO_TERMS, QueryTerms, Span
from judgetool.gui.fonts import Role, metrics
from judgetool.gui.models.page import Page
from judgetool.gui.panels.inline_parts import InlineParts
from judgetool.gui.panels.page_writer import MARGIN, BlockKind, PageLook, PageWriter
from judgetool.gui.text_marks import draw_mark, may_mix_directions, qt_spans, span_rects
from judgetool.gui.theme import current_theme

MOST_COLUMNS = 72
_SURELY_SCROLLS = 20_000
_SOME_TEXT = "the quick brown fox jumps over the lazy dog and goes home "


class DocumentText(QTextEdit):
    """One page that scrolls as a whole: title, address, text, fields, note.

    Everything of the document is inserted as plain text; nothing is ever loaded.

    Signals:
        zoom_wanted: Ctrl and the wheel were turned, by +1 or -1.
    """

    zoom_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts = InlineParts(self)
        self._page: Page | None = None
        self._note = ""
        self._terms = NO_TERMS
        self._is_highlighted = True
        self._grow = 0.0
        self._spans: dict[int, list[Span]] = {}
        self._found: list[Span] = []
        self._current = -1
        self._end = 0
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Not by keyboard: there would be a blinking cursor beside the title.
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAccessibleName("Document")

    # What it shows

    def show_page(self, page: Page | None, *, terms: QueryTerms, note: str) -> None:
        """Show a page from its top, or nothing."""
        self._page, self._terms, self._note = page, terms, note
        self._write(keeps_place=False)

    def set_note(self, note: str) -> None:
        """Show another note; the page stays where it is."""
        if note != self._note:
            self._note = note
            self._write(keeps_place=True)

    def set_highlighted(self, *, is_highlighted: bool) -> None:
        """Mark query terms, or not."""
        self._is_highlighted = is_highlighted
        self.viewport().update()

    def set_grow(self, grow: float) -> None:
        """Add px to the size of title and text; the page stays about where it is."""
        self._grow = grow
        self._write(keeps_place=True)
        self._fit()

    def rewrite(self) -> None:
        """Write everything anew, after theme or fonts have changed."""
        self._write(keeps_place=True)

    def _write(self, *, keeps_place: bool) -> None:
        bar = self.verticalScrollBar()
        share = bar.value() / bar.maximum() if keeps_place and bar.maximum() else 0.0
        document = _SilentDocument(self)
        look = PageLook(current_theme(), self._grow)
        self._end = PageWriter(document, self._parts, look).write(
            self._page, self._note, width=self._expected_width()
        )
        self._spans.clear()
        self._found, self._current = [], -1
        with QSignalBlocker(self):
            # The one before is this widget's child: Qt deletes it here.
            self.setDocument(document)
        bar.setValue(round(share * bar.maximum()))

    def _expected_width(self) -> int:
        """Return how wide the viewport will be: a long page has a scroll bar."""
        is_long = self._page is not None and self._page.n_shown > _SURELY_SCROLLS
        bar = self.verticalScrollBar()
        change = (is_long - bar.isVisible()) * bar.sizeHint().width()
        return self.viewport().width() - change

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        """Return something harmless, so that Qt opens no file by itself."""
        return _harmless(kind)

    # Finding

    def find_all(self, typed: str) -> int:
        """Mark all places of a text, whatever their case; return how many there are."""
        self._found, self._current = [], -1
        if typed:
            text = _first_units(self.toPlainText(), self._end)
            pattern = re.compile(re.escape(typed), re.IGNORECASE)
            self._found = qt_spans(text, [found.span() for found in pattern.finditer(text)])
        self.viewport().update()
        return len(self._found)

    @property
    def n_found(self) -> int:
        """How many places were found."""
        return len(self._found)

    def go_to_found(self, step: int) -> int:
        """Go to the next (+1) or previous (-1) place found, round the ends; return its number."""
        if not self._found:
            return -1
        if self._current < 0:
            self._current = 0 if step > 0 else len(self._found) - 1
        else:
            self._current = (self._current + step) % len(self._found)
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._found[self._current][0])
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        self.viewport().update()
        return self._current

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint marks and rules under the text, for what is in view."""
        painter = QPainter(self.viewport())
        painter.translate(0, -self.verticalScrollBar().value())
        for block, corner in self._visible_blocks():
            if block.userState() == BlockKind.RULE:
                self._paint_rule(painter, corner)
            else:
                self._paint_marks(painter, block, corner)
        painter.end()
        super().paintEvent(event)

    def _visible_blocks(self) -> Iterator[tuple[QTextBlock, QPointF]]:
        layout = self.document().documentLayout()
        bottom = self.verticalScrollBar().value() + self.viewport().height()
        block = self.cursorForPosition(QPoint(0, 0)).block()
        while block.isValid():
            corner = layout.blockBoundingRect(block).topLeft()
            if corner.y() > bottom:
                return
            yield block, corner
            block = block.next()

    def _paint_rule(self, painter: QPainter, corner: QPointF) -> None:
        width = self.document().textWidth() - 2 * self.document().documentMargin()
        top = round(corner.y() + metrics(Role.UI).height() / 2)
        line = QRectF(self.document().documentMargin(), top, width, 1)
        painter.fillRect(line, current_theme().line)

    def _paint_marks(self, painter: QPainter, block: QTextBlock, corner: QPointF) -> None:
        theme = current_theme()
        if self._is_highlighted and block.userState() == BlockKind.MARKABLE:
            for rect in self._rects(block, self._block_spans(block), corner):
                draw_mark(painter, rect, theme)
        start, end = block.position(), block.position() + block.length()
        first = bisect_left(self._found, (start, 0))
        for number in range(first, len(self._found)):
            span = self._found[number]
            if span[0] >= end:
                break
            here = [(span[0] - start, span[1] - start)]
            ground = theme.find if number == self._current else theme.marks[2]
            for rect in self._rects(block, here, corner):
                painter.fillRect(rect, ground)

    def _block_spans(self, block: QTextBlock) -> list[Span]:
        number = block.blockNumber()
        if number not in self._spans:
            text = block.text()
            self._spans[number] = qt_spans(text, self._terms.find_spans(text))
        return self._spans[number]

    @staticmethod
    def _rects(block: QTextBlock, spans: list[Span], corner: QPointF) -> list[QRectF]:
        if not spans:
            return []
        layout = block.layout()
        is_mixed = may_mix_directions(block.text())
        rects = []
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            # A line is as high as the paragraph wishes; the mark is as high as the letters.
            inked = line.ascent() + line.descent()
            for rect in span_rects(line, spans, is_mixed=is_mixed):
                top = rect.bottom() - inked if rect.height() > inked else rect.top()
                rects.append(QRectF(rect.left(), top, rect.width(), inked).translated(corner))
        return rects

    # Room

    def _fit(self) -> None:
        """Keep lines at 72 characters; what is wider stays empty."""
        advance = metrics(Role.DOCUMENT, grow=self._grow).horizontalAdvance(_SOME_TEXT)
        most = round(advance / len(_SOME_TEXT) * MOST_COLUMNS) + 2 * MARGIN
        free = self.width() - self.verticalScrollBar().sizeHint().width() - most
        margins = self.viewportMargins()
        if margins.right() != max(0, free):
            self.setViewportMargins(0, 0, max(0, free), 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines at a readable length."""
        self._fit()
        super().resizeEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy and select all; scroll by the other keys."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        else:
            super().keyPressEvent(event)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ask for another size while Ctrl is held; scroll otherwise."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_wanted.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)


def _first_units(text: str, units: int) -> str:
    """Return the beginning of a text that Qt counts as so many UTF-16 units."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")


class _SilentDocument(QTextDocument):
    """A document that loads nothing, whatever its text says."""

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        return _harmless(kind)


def _harmless(kind: int) -> QImage | QByteArray:
    # Nothing at all would make Qt open the file itself.
    if kind == QTextDocument.ResourceType.ImageResource.value:
        return QImage(1, 1, QImage.Format.Format_ARGB32)
    return QByteArray(b" ")
