"""One page, written piece by piece, and what is marked on it: terms, rationale, what is looked for."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QByteArray,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QUrl,
    Signal,
)
from PySide6.QtGui import QImage, QPainter, QTextBlock, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QTextEdit
from shiboken6 import isValid

from judgetool.core import override
from judgetool.core.judgments import Span
from judgetool.core.terms import NO_MARKING, Mark, Marking, beginning
from judgetool.core.terms import Span as Piece
from judgetool.gui.icons import draw_icon
from judgetool.gui.jobs import IdleWork
from judgetool.gui.models.page import Line, LinePlace, PageLook, iter_found
from judgetool.gui.painting import (
    CENTRE,
    EDGE_WIDTH,
    RATIONALE_LINE,
    RATIONALE_MARK,
    character_at,
    draw_frame,
    draw_mark,
    draw_text,
    may_mix_directions,
    qt_spans,
    span_rects,
    utf16_length,
)
from judgetool.gui.panels.page_writer import BlockKind, Content, InlineParts, PageWriter
from judgetool.gui.theme import Role, font, metrics
from judgetool.gui.widgets.painted import announce
from judgetool.wording import _

FieldPlace = tuple[str, int]
"""A field and a place in it, counted in its own characters."""
_SENTENCE = re.compile(r".+?(?:[.!?…]+[\"'”»)\]]*(?=\s|$)|[。！？।؟]+|$)\s*", re.DOTALL)
# So much is there in the first frame; a screen holds a fifth of it.
FIRST_PART = 8_000
_FIRST_ROWS = 60
# So many characters around a place are said.
_MOST_SAID = 200


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
        self.parts = parts
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
        """Show what else is said of the same document."""
        before, self.content = self.content, content
        if (content.spans, content.letters) != (before.spans, before.letters):
            self._writer.write_rationale(content)
        said, was = ((each.note, each.remarks, each.others) for each in (content, before))
        if said != was:
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

    def iter_lines(self) -> Iterator[Line]:
        """Yield every markable line; what is not written yet is written for it."""
        number = 0
        while number < len(self.lines) or self.write_more():
            if number < len(self.lines):
                yield self.lines[number]
                number += 1

    def iter_cuts(self, first: int, behind: int) -> Iterator[int]:
        """Yield where between two positions a paragraph is cut that goes on in the next block."""
        block = self.findBlock(first)
        while (end := block.position() + block.length() - 1) < behind:
            if self._goes_on(block):
                yield end
            block = block.next()

    def _goes_on(self, block: QTextBlock) -> bool:
        line, after = self.line_of(block), self.line_of(block.next())
        return line is not None and after is not None and line.goes_on_in(after)

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
        (field, where), found = place or (None, 0), None
        for number, line in enumerate(self.lines if place else ()):
            # Where a paragraph is cut, one line ends at the place at which the next begins.
            if line.field == field and line.start <= where <= line.end:
                found = number
                if where < line.end:
                    break
        if found is None:
            return None
        return self.position_in(found, self.lines[found].shown_place(where))

    def sentences(self, position: int) -> Iterator[Piece]:
        """Yield where sentences of the document stand on the page, from a position's paragraph on."""
        block = self.findBlock(position)
        while self._goes_on(block.previous()):
            block = block.previous()
        while block.isValid():
            if self.line_of(block) is not None:
                text, start = block.text(), block.position()
                while self._goes_on(block):
                    block = block.next()
                    # As Qt counts it: a blank to whoever looks for sentences.
                    text += f"\u2029{block.text()}"
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
        first, behind = selected_ends(cursor)
        pieces: list[tuple[str, int, int]] = []
        block = self.findBlock(first)
        while block.isValid() and (top := block.position()) < behind:
            begin = self.place_of(max(first, top))
            end = self.place_of(min(behind, top + block.length() - 1))
            if begin is not None and end is not None and begin[0] and begin < end:
                field, start = begin
                if pieces and _stands_with(pieces[-1], field, start, values[field]):
                    start = pieces.pop()[1]
                pieces.append((field, start, end[1]))
            block = block.next()
        spans = (_trimmed(field, start, end, values[field]) for field, start, end in pieces)
        return [span for span in spans if span.text]


def selected_ends(cursor: QTextCursor) -> tuple[int, int]:
    """Return where on a page what is selected begins and ends: of several fields whole rows."""
    if not cursor.hasComplexSelection():
        return cursor.selectionStart(), cursor.selectionEnd()
    table = cursor.currentTable()
    first, last = sorted(table.cellAt(at).row() for at in (cursor.anchor(), cursor.position()))
    behind = table.cellAt(last, table.columns() - 1).lastPosition()
    return table.cellAt(first, 0).firstPosition(), behind


def _stands_with(piece: tuple[str, int, int], field: str, start: int, value: str) -> bool:
    """Whether only blanks and line ends part a piece from what begins behind it."""
    of, __, end = piece
    return of == field and end <= start and not value[end:start].strip()


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


CLOSE_PX = 14
_EDGE = 2
_MOST_KEPT = 4000
# Telling the window costs more than looking through a line.
_TELLS_AFTER = 200


class PageMarks(QObject):
    """Marks the lines of a page, and goes through them, also while it is still being written.

    Terms are looked for when a line is first seen, and kept by the text that they stand in: a
    page that is written anew may number its lines otherwise, or show other lines, but the same
    words have the same marks. What was found is kept by number of the line, and holds for one
    page only. All lines are gone through in slices.

    Args:
        widget: shows the page.
        page: what it shows first.

    Signals:
        found_changed: more was found, or another place is current: its number (from 0,
            -1 for none), and how many there are.

    Attributes:
        page: what is shown.
        marking: what is looked for in every line.
        found: what somebody looked for, in order.
        current: the place in ``found`` that is current; -1 for none.
        mark: the highlight that was gone to last, or ``None``.
        typed: what is looked for; ``""`` for nothing.
        has_looked: whether all lines have been gone through for it.
    """

    found_changed = Signal(int, int)

    def __init__(self, widget: QTextEdit, page: WrittenPage) -> None:
        super().__init__(widget)
        self.page = page
        self.marking: Marking = NO_MARKING
        self.found: list[LinePlace] = []
        self.current = -1
        self.mark: LinePlace | None = None
        self._widget = widget
        self._are_shown = True
        self.typed = ""
        self._reveals = True
        self.has_looked = True
        self._by_text: dict[str, list[Mark]] = {}
        self._looking = IdleWork(self)
        self._seeking = IdleWork(self)

    def set_page(self, page: WrittenPage, *, current: int = -1) -> None:
        """Mark another page with the same terms; of what is found there this number is current."""
        self.page, self.mark, self.found, self.current = page, None, [], current
        self._looking.stop()
        self._seeking.stop()

    def set_marking(self, marking: Marking) -> None:
        """Mark other terms; the page stays where it is."""
        if marking != self.marking:
            self.marking = marking
            self._by_text.clear()
        self._widget.viewport().update()

    def set_shown(self, *, are_shown: bool) -> None:
        """Mark terms, or not; what was found and the rationale are marked all the same."""
        self._are_shown = are_shown
        self._widget.viewport().update()

    def of_line(self, line: Line) -> list[Mark]:
        """Return the marks of a line, in order."""
        kept = self._by_text.get(line.text)
        if kept is None:
            if len(self._by_text) > _MOST_KEPT:
                self._by_text.clear()
            kept = self._by_text[line.text] = self.marking.find_marks(line.text)
        return kept

    @property
    def is_busy(self) -> bool:
        """Whether anything is still being looked for."""
        return self._looking.is_busy or self._seeking.is_busy

    def finish(self) -> None:
        """Look through all that is left, now."""
        self._looking.finish()
        self._seeking.finish()

    # What somebody typed

    def find_all(self, typed: str, *, reveals: bool = True) -> None:
        """Mark all places of a text, whatever their case and accents; the first is current.

        What a screen or ten hold is looked through at once, the rest while nothing else
        happens; ``found_changed`` tells.

        Args:
            typed: what is looked for; ``""`` for nothing.
            reveals: whether the first place is brought into view; else it is by the next step.
        """
        self.typed, self.found, self.current = typed, [], -1
        self._reveals = reveals
        self.has_looked = False
        self._looking.stop()
        self.find_on()
        self._tell()

    def find_on(self) -> None:
        """Look for what was typed last, from the page's beginning on."""
        self.has_looked = not self.typed
        if self.typed:
            self._looking.start(self._look())
            self._looking.work()
            self._tell()

    def _look(self) -> Iterator[None]:
        for number, places in enumerate(iter_found(self.page.iter_lines(), self.typed)):
            self.found += places
            if self.found and self.current < 0:
                self.current = 0
                if self._reveals:
                    self._reveal(self.found[0])
            if number % _TELLS_AFTER == 0:
                self._tell()
            yield
        self.has_looked = True
        self._tell()

    def _tell(self) -> None:
        self.found_changed.emit(self.current, len(self.found))
        self._widget.viewport().update()

    def go_to_found(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) place found, round the ends."""
        # The first, which was not yet gone to, is not passed over.
        step = step if self._reveals else min(step, 0)
        self._reveals = True
        if self.found:
            self.current = (self.current + step) % len(self.found)
            self._reveal(self.found[self.current])
        self._tell()

    # Highlights

    def go_to_mark(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) highlight, round the ends."""
        self._seeking.start(self._seek(step))
        self._seeking.work()

    def _seek(self, step: int) -> Iterator[None]:
        lines, n_seen = self.page.lines, 0
        here = self.mark or self._where_one_is()
        number = here[0]
        # The line where one is comes twice: behind the place first, before it last.
        while n_seen <= len(lines):
            if step > 0 and number >= len(lines) and self.page.write_more():
                yield
                continue
            number %= max(1, len(lines))
            marks = self.of_line(lines[number]) if lines else []
            places = [(number, mark.start, mark.end) for mark in marks]
            if not n_seen:
                places = [each for each in places if each != here and (each > here) == (step > 0)]
            if places:
                self.mark = places[0 if step > 0 else -1]
                self._reveal(self.mark)
                self._widget.viewport().update()
                at, start, end = self.mark
                word = lines[at].text[start:end]
                announce(self._widget, f"{word}: {self.words_at(self.mark)}")
                return
            number += step
            n_seen += 1
            yield
        announce(self._widget, _("Nothing is marked."))

    def words_at(self, place: LinePlace) -> str:
        """Return the sentence that a place stands in, the piece around it of a long one."""
        number, start, __ = place
        for found in _SENTENCE.finditer(self.page.lines[number].text):
            if found.end() > start:
                before = max(0, start - found.start() - _MOST_SAID // 2)
                piece = found[0][before:]
                # From a word's beginning; a text without blanks is cut where it is.
                cut = re.match(r"\S*\s+", piece) if before else None
                piece = piece[cut.end() :] if cut and cut.end() <= _MOST_SAID // 2 else piece
                return f"{'…' if before else ''}{beginning(piece, most=_MOST_SAID)}"
        return ""

    def _where_one_is(self) -> LinePlace:
        """Return where looking for highlights begins: what was found and is in view, else the first line seen."""
        states = [block.userState() for block, _ in self.visible_blocks()]
        cursor = self._widget.textCursor()
        block = cursor.block()
        if cursor.position() and block.userState() in states and self.page.line_of(block):
            shown = character_at(block.text(), cursor.position() - block.position())
            return block.userState() - BlockKind.LINE, shown, shown
        first = next((state for state in states if state >= BlockKind.LINE), BlockKind.LINE)
        return first - BlockKind.LINE, 0, 0

    def _reveal(self, place: LinePlace) -> None:
        """Bring a place into view, a third down the screen where it was not in view."""
        widget, cursor = self._widget, QTextCursor(self.page)
        cursor.setPosition(self.page.position_in(*place[:2]))
        bar = widget.verticalScrollBar()
        before = bar.value()
        with QSignalBlocker(widget):
            widget.setTextCursor(cursor)
        bar.setValue(before)
        rect, height = widget.cursorRect(cursor), widget.viewport().height()
        if rect.top() < 0 or rect.bottom() > height:
            bar.setValue(bar.value() + rect.top() - height // 3)

    # On the screen

    def visible_blocks(self) -> list[tuple[QTextBlock, QRectF]]:
        """Return the blocks that are in view, and where they are in the page."""
        widget, layout = self._widget, self.page.documentLayout()
        bottom = widget.verticalScrollBar().value() + widget.viewport().height()
        block, found = widget.cursorForPosition(QPoint(0, 0)).block(), []
        while block.isValid():
            rect = layout.blockBoundingRect(block)
            # A picture stands above its name: it may be in view where that is not.
            if rect.top() > bottom and block.userState() != BlockKind.PICTURE:
                break
            found.append((block, rect))
            block = block.next()
        return found

    def paint(self, painter: QPainter) -> None:
        """Paint the ground, and under the text all that is in view.

        Ground and letters come from the one look that the page was written in.
        """
        theme = self.page.look.theme
        painter.fillRect(self._widget.viewport().rect(), theme.base)
        painter.translate(0, -self._widget.verticalScrollBar().value())
        for block, rect in self.visible_blocks():
            kind = block.userState()
            if kind >= BlockKind.LINE:
                self._paint_line(painter, block, rect.topLeft(), kind - BlockKind.LINE)
            elif kind == BlockKind.RULE:
                margin = self.page.look.margin
                top = round(rect.top() + metrics(Role.UI).height() / 2)
                width = self.page.textWidth() - 2 * margin
                painter.fillRect(QRectF(margin, top, width, 1), theme.line)
            elif kind == BlockKind.PICTURE and (picture := self.page.content.picture) is not None:
                left = self._side(picture.width, is_end=False)
                above = rect.top() - picture.height
                place = QRectF(left, above, picture.width, picture.height)
                self.page.parts.draw_picture(painter, place, picture.key)
            elif kind == BlockKind.RATIONALE or kind <= BlockKind.PIECE:
                self._paint_edge(painter, rect, is_head=kind != BlockKind.RATIONALE)
        self._paint_letters(painter)

    def _side(self, width: float, *, is_end: bool) -> float:
        """Return where something begins that stands where lines do, or where they end."""
        page = self.page
        if is_end == page.is_rtl:
            return float(page.look.margin)
        return page.textWidth() - page.look.margin - width

    def close_rect(self, rect: QRectF) -> QRectF:
        """Return where the × of a rationale stands, given where its head does."""
        left = self._side(CLOSE_PX, is_end=True)
        return QRectF(left, rect.center().y() - CLOSE_PX / 2, CLOSE_PX, CLOSE_PX)

    def _paint_edge(self, painter: QPainter, rect: QRectF, *, is_head: bool) -> None:
        theme = self.page.look.theme
        # The head and its text are one block for the eye.
        height = rect.height() + (EDGE_WIDTH if is_head else 0)
        edge = QRectF(self._side(_EDGE, is_end=False), rect.top(), _EDGE, height)
        painter.fillRect(edge, theme.mark_lines[RATIONALE_MARK])
        if is_head and self.page.content.letters is None:
            draw_icon(painter, self.close_rect(rect), name="x", colour=theme.text3, px=CLOSE_PX)

    def _paint_letters(self, painter: QPainter) -> None:
        """Say in the margin whose piece of the rationale begins in a line, where it is not one's own."""
        content, page = self.page.content, self.page
        if not content.letters:
            return
        found: dict[tuple[int, int], str] = {}
        for block, rect in self.visible_blocks():
            line = page.line_of(block)
            for span, letter in zip(content.spans, content.letters, strict=True) if line else ():
                if line and span.field == line.field and line.start <= span.start < line.end:
                    piece = line.shown_place(span.start), line.shown_place(min(span.end, line.end))
                    rects = line_rects(block, [piece], rect.topLeft())[:1]
                    for at in rects:
                        place = round(at.top()), round(at.height())
                        found[place] = found.get(place, "") + letter
        margin = page.look.margin
        for (top, height), letters in found.items():
            left = page.textWidth() - margin if page.is_rtl else 0.0
            room, theme = QRectF(left, top, margin, height), page.look.theme
            draw_text(painter, room, letters, role=Role.KEY, colour=theme.text2, align=CENTRE)

    def _paint_line(
        self, painter: QPainter, block: QTextBlock, corner: QPointF, number: int
    ) -> None:
        line, theme = self.page.lines[number], self.page.look.theme
        rationale = [
            (line.shown_place(span.start), line.shown_place(span.end), RATIONALE_MARK)
            for span in self.page.content.spans
            if span.field == line.field and span.start < line.end and span.end > line.start
        ]
        terms = self.of_line(line) if self._are_shown else ()
        for start, end, kind in (*sorted(rationale), *terms):
            # Each has a line of its own under the word: within a rationale that of terms is higher.
            is_inside = any(a < end and start < b for a, b, __ in rationale)
            lift = RATIONALE_LINE if is_inside and kind != RATIONALE_MARK else 0
            for rect in line_rects(block, [(start, end)], corner):
                draw_mark(painter, rect.adjusted(0, 0, 0, -lift), theme, kind=kind)
        # What begins at the end of the line before may end in this one.
        first = bisect_left(self.found, (number - 1, -1, -1))
        found = self.found[first : bisect_left(self.found, (number + 1, -1, -1))]
        strong = [self.mark] if self.mark is not None and self.mark[0] == number else []
        if 0 <= self.current - first < len(found):
            strong.append(self.found[self.current])
        for place in (*found, *strong):
            ground = theme.find if place in strong else theme.marks[RATIONALE_MARK]
            for rect in line_rects(block, self._piece_in(number, place), corner):
                # Within a rationale, whose ground is the same, the frame is what shows it.
                border = theme.mark_lines[RATIONALE_MARK]
                draw_frame(painter, rect, radius=2, border=border, ground=ground)

    def _piece_in(self, number: int, place: LinePlace) -> list[Piece]:
        """Return what of a place stands in a line: the one that it names, or the next."""
        at, start, end = place
        of, line = self.page.lines[at], self.page.lines[number]
        before = 0 if at == number else len(of.text) + len(of.joint_with(line) or "")
        piece = max(0, start - before), min(end - before, len(line.text))
        return [piece] if piece[0] < piece[1] else []


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
