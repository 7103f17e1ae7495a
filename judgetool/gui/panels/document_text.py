"""The text of a document, read-only: marks, pictures, finding, sentences taken by keyboard."""

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from judgetool.core.judgments import Span
from judgetool.core.marking import Marking
from judgetool.core.override import override
from judgetool.gui.page_look import PageLook
from judgetool.gui.painting import draw_focus_ring, utf16_length
from judgetool.gui.panels.page_search import PageSearch
from judgetool.gui.panels.page_writer import BlockKind, InlineParts
from judgetool.gui.panels.written_page import (
    Content,
    PageMarks,
    PagePainter,
    PagePlace,
    WrittenPage,
    close_rect,
    find_place,
    go_to_place,
    harmless_resource,
    sentence_at,
    visible_blocks,
)
from judgetool.gui.pictures import Picture, PictureLoader
from judgetool.gui.schedule import IdleWork
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import RING

_MOST_READY = 3
_SURELY_SCROLLS = 20_000
_MOUSE = Qt.TextInteractionFlag.TextSelectableByMouse
_LEFT = Qt.MouseButton.LeftButton
_KEYBOARD = Qt.TextInteractionFlag.TextSelectableByKeyboard
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class DocumentText(QTextEdit):
    """One page that scrolls as a whole: title, address, text, rationale, fields, note.

    Everything of the document is inserted as plain text; nothing is ever loaded. The
    first part is there at once, the rest is written while nothing else happens.

    Signals:
        zoom_wanted: Ctrl and the wheel were turned, by +1 or -1.
        found_changed: more was found, or another place is current: its number (from 0,
            -1 for none) and how many there are.
        rationale_closed: the × of a piece of the rationale was clicked; its number.
        address_clicked: the document's address was.

    Attributes:
        marks: what is marked.
        search: looks through the page.
        page: what is shown.
    """

    zoom_wanted = Signal(int)
    found_changed = Signal(int, int)
    rationale_closed = Signal(int)
    address_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.has_ring = False
        self._parts = InlineParts(self)
        self._loader = PictureLoader(self)
        self._growth = IdleWork(self)
        self._ahead = IdleWork(self)
        self._look = PageLook(current_theme())
        self._is_highlighted = True
        self._ready: list[WrittenPage] = []
        self._wanted_place: PagePlace | None = None
        self.marks = PageMarks()
        self.search = PageSearch(self, self.marks)
        self.search.found_changed.connect(self.found_changed)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Not by keyboard: there would be a blinking cursor beside the title.
        self.setTextInteractionFlags(_MOUSE)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Document")
        self.page = self._write(Content())
        self.setDocument(self.page.document)

    # What it shows

    def show_content(self, content: Content, *, marking: Marking, keeps_place: bool) -> None:
        """Show a page.

        Args:
            content: what it is written from.
            marking: what is marked in it.
            keeps_place: whether it stays where it was scrolled, as far as it shows the
                same text; otherwise it is shown from its top.
        """
        place = find_place(self, self.page) if keeps_place else None
        ready = next((page for page in self._ready if self._fits(page, content)), None)
        if ready is not None:
            self._ready.remove(ready)
        page = ready or self._write(content)
        self.marks.forget()
        self.marks.set_marking(marking)
        self.marks.spans = content.spans
        self._use(page)
        self._place(place)

    def prepare(self, contents: list[Content]) -> None:
        """Write pages that may be wanted next, while nothing else happens."""
        kept = [page for page in self._ready if any(self._fits(page, each) for each in contents)]
        self._drop([page for page in self._ready if page not in kept])
        self._ready = kept
        lacking = [each for each in contents if not any(self._fits(page, each) for page in kept)]
        self._ahead.start(self._write_ahead(lacking[:_MOST_READY]), delay_ms=1)

    def _write_ahead(self, contents: list[Content]) -> Iterator[None]:
        for content in contents:
            page = self._write(content)
            yield
            # Laid out as far as the screen shows.
            page.document.documentLayout().documentSize()
            self._ready.append(page)
            self._load_picture(content.picture)
            yield

    def set_note(self, note: str, remarks: str = "") -> None:
        """Show another note, and what else was said; the page stays where it is."""
        if (note, remarks) != (self.page.content.note, self.page.content.remarks):
            self.page.show_note(note, remarks)

    def key_of(self, action: str) -> str:
        """Return the key that the text prints for an action; ``""`` for none."""
        return self._parts.keys[action]

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys in the text, given by the names of actions."""
        if self._parts.set_keys(find_key):
            self.rewrite()

    def set_spans(self, spans: tuple[Span, ...]) -> None:
        """Show another rationale; the page stays where it is."""
        if spans != self.page.content.spans:
            bar = self.verticalScrollBar()
            before = bar.value()
            self.page.show_spans(spans)
            self.marks.spans = spans
            bar.setValue(before)
            self.viewport().update()

    def set_marking(self, marking: Marking) -> None:
        """Mark other terms; the page stays where it is."""
        self.marks.set_marking(marking)
        self.viewport().update()

    def set_highlighted(self, *, is_highlighted: bool) -> None:
        """Show marks, or not."""
        self._is_highlighted = is_highlighted
        self.viewport().update()

    @property
    def look(self) -> PageLook:
        """How the page is set."""
        return self._look

    def set_look(self, look: PageLook) -> None:
        """Set the page otherwise; it stays about where it is."""
        if look == self._look:
            return
        self._look = look
        self._parts.theme = look.theme
        self._fit()
        self.rewrite()

    def rewrite(self) -> None:
        """Write everything anew, after look, theme or fonts have changed."""
        place = find_place(self, self.page)
        self._drop(self._ready)
        self._ready = []
        self.marks.mark = None
        self._use(self._write(self.page.content, place=place))
        self._place(place)
        self.search.look_again()

    def _write(self, content: Content, *, place: PagePlace | None = None) -> WrittenPage:
        width = self._expected_width(content)
        least = {} if place is None else {"least": place.n_before}
        return WrittenPage(
            content, self._look, width=width, parts=self._parts, parent=self, **least
        )

    def _fits(self, page: WrittenPage, content: Content) -> bool:
        return (
            page.look == self._look
            and page.width == self._expected_width(content)
            and page.content == content
        )

    def _expected_width(self, content: Content) -> int:
        """Return how wide the viewport will be: a long page has a scroll bar."""
        shown = content.page
        is_long = shown is not None and shown.n_shown > _SURELY_SCROLLS
        bar = self.verticalScrollBar()
        change = (is_long - bar.isVisible()) * bar.sizeHint().width()
        return self.viewport().width() - change

    def _use(self, page: WrittenPage) -> None:
        before, self.page = self.page, page
        self.search.stop()
        self._wanted_place = None
        with QSignalBlocker(self):
            self.setDocument(page.document)
        if before is not page:
            self._drop([before])
        self._load_picture(page.content.picture)
        if page.is_complete:
            self._growth.stop()
        else:
            self._growth.start(self._grow(page))

    @staticmethod
    def _drop(pages: list[WrittenPage]) -> None:
        for page in pages:
            page.drop()

    def _grow(self, page: WrittenPage) -> Iterator[None]:
        while page.write_more():
            self._reach_place()
            yield
        self._reach_place()

    def finish(self) -> None:
        """Write all that is left of the page, now."""
        self._growth.finish()

    @property
    def is_settled(self) -> bool:
        """Whether the page is written to its end and nothing is being looked for."""
        return not (self._growth.is_busy or self.search.is_busy)

    @property
    def n_ready(self) -> int:
        """How many pages stand ready to be shown next."""
        return len(self._ready)

    # Where it is scrolled

    def _place(self, place: PagePlace | None) -> None:
        self._wanted_place = place
        if place is None:
            self.verticalScrollBar().setValue(0)
        else:
            self._reach_place()

    def _reach_place(self) -> None:
        """Go where the page was before, as soon as that part is written."""
        place = self._wanted_place
        if place is not None and go_to_place(self, self.page, place):
            self._wanted_place = None

    # Pictures

    def _load_picture(self, picture: Picture | None) -> None:
        if picture is None or not picture.is_shown or self._parts.has_picture(picture.key):
            return
        ratio = self.devicePixelRatioF()

        def show(image: QImage) -> None:
            if not image.isNull():
                self._parts.set_picture(picture.key, QPixmap.fromImage(image))
                self.viewport().update()

        self._loader.load(picture, show, ratio=ratio)

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        """Return something harmless, so that Qt opens no file by itself."""
        return harmless_resource(kind)

    # Finding

    def find_all(self, typed: str) -> None:
        """Mark all places of a text, whatever their case and accents; the first is current."""
        self.search.find_all(typed)

    def go_to_found(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) place found, round the ends."""
        self.search.go_to_found(step)

    def go_to_mark(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) highlight, round the ends."""
        self.search.go_to_mark(step)

    # Selecting

    def set_caret(self, *, is_on: bool) -> None:
        """Let the keyboard move a caret and select from it, or not."""
        self.setTextInteractionFlags(_MOUSE | _KEYBOARD if is_on else _MOUSE)
        self.setCursorWidth(2 if is_on else 1)

    @property
    def has_caret(self) -> bool:
        """Whether the keyboard moves a caret."""
        return bool(self.textInteractionFlags() & _KEYBOARD)

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint marks and rules under the text, for what is in view."""
        painter = QPainter(self.viewport())
        PagePainter(self, self.page, self.marks, shows_marks=self._is_highlighted).paint(painter)
        painter.end()
        super().paintEvent(event)
        if self.has_ring:
            painter = QPainter(self.viewport())
            inner = QRectF(self.viewport().rect()).adjusted(RING, RING, -RING, -RING)
            draw_focus_ring(painter, inner, current_theme(), radius=4)
            painter.end()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a ring where Tab has led here; a click and a view that begins here need none."""
        super().focusInEvent(event)
        self.has_ring = event.reason() in _BY_TAB
        self.viewport().update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away with the keyboard."""
        super().focusOutEvent(event)
        self.hide_ring()

    def hide_ring(self) -> None:
        """Take the ring away, though the keyboard stays."""
        if self.has_ring:
            self.has_ring = False
            self.viewport().update()

    # Room

    def _fit(self) -> None:
        """Keep lines short enough to read; in focus the column stands in the middle."""
        free = self.width() - self.verticalScrollBar().sizeHint().width() - self._look.column
        free = max(0, free)
        left = free // 2 if self._look.is_large else 0
        margins = self.viewportMargins()
        if (margins.left(), margins.right()) != (left, free - left):
            self.setViewportMargins(left, 0, free - left, 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines at a readable length."""
        place = None
        if self._wanted_place is None and event.size().width() != event.oldSize().width():
            place = find_place(self, self.page)
        self._fit()
        super().resizeEvent(event)
        if place is not None and place.top is not None:
            self._place(place)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy and select all; scroll or move the caret by the other keys."""
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

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take a piece of the rationale away where its × was clicked."""
        number = self._close_at(event.position())
        is_click = not self.textCursor().hasSelection() and event.button() is _LEFT
        if number is not None and is_click:
            self.rationale_closed.emit(number)
        super().mouseReleaseEvent(event)
        if is_click and self.anchorAt(event.position().toPoint()):
            self.address_clicked.emit()

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show over an address that it can be clicked."""
        super().mouseMoveEvent(event)
        is_over = bool(self.anchorAt(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.IBeamCursor
        if self.viewport().cursor().shape() is not shape:
            self.viewport().setCursor(shape)

    def _close_at(self, position: QPointF) -> int | None:
        """Return the number of the rationale whose × is at a position, or ``None``."""
        place = QPointF(position.x(), position.y() + self.verticalScrollBar().value())
        block = self.document().findBlock(
            self.cursorForPosition(QPoint(int(position.x()), int(position.y()))).position()
        )
        if block.userState() != BlockKind.RATIONALE_HEAD:
            return None
        wide = QRectF(close_rect(self, self.page, block)).adjusted(-4, -4, 4, 4)
        if not wide.contains(place):
            return None
        number = -1
        while block.isValid() and block.userState() in (
            BlockKind.RATIONALE_HEAD,
            BlockKind.RATIONALE,
        ):
            number += block.userState() == BlockKind.RATIONALE_HEAD
            block = block.previous()
        return number


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
