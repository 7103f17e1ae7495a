"""The text of a document, read-only: pages prepared and kept in place, pictures, sentences taken."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QImage,
    QKeyEvent,
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

from judgetool.core import override
from judgetool.core.terms import Marking
from judgetool.gui.jobs import IdleWork, Jobs
from judgetool.gui.models.page import PageLook
from judgetool.gui.painting import draw_focus_ring
from judgetool.gui.panels.page_marks import (
    FIRST_PART,
    FieldPlace,
    PageMarks,
    WrittenPage,
    harmless_resource,
)
from judgetool.gui.panels.page_writer import BlockKind, Content, InlineParts
from judgetool.gui.pictures import read_picture
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import RING, announce
from judgetool.wording import _

_MOST_READY = 3
_SURELY_SCROLLS = 20_000
# More is not written at once: the place is reached when the rest has been.
_MOST_AT_ONCE = 20_000
_MOUSE = Qt.TextInteractionFlag.TextSelectableByMouse
_LEFT = Qt.MouseButton.LeftButton
_KEYBOARD = Qt.TextInteractionFlag.TextSelectableByKeyboard
_CARET_KEYS = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
)
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class PagePlace(NamedTuple):
    """A place on a page, by the document's own text.

    Attributes:
        top: what stands at the top of the screen; ``None`` at the page's top.
        share: how far down its line that is, 0 to 1.
        selected: where the selection begins and ends, or the caret stands; empty without.
    """

    top: FieldPlace | None
    share: float
    selected: tuple[FieldPlace | None, ...]

    @property
    def n_before(self) -> int:
        """Characters to be written at once, so that the place is there."""
        field, place = self.top or ("", 0)
        return max(FIRST_PART, min(place + FIRST_PART // 2, _MOST_AT_ONCE) * (field == "body"))


class DocumentText(QTextEdit):
    """One page that scrolls as a whole: title, address, text, rationale, fields, note.

    Everything of the document is inserted as plain text; nothing is ever loaded. The
    first part is there at once, the rest is written while nothing else happens.

    Signals:
        zoom_wanted: Ctrl and the wheel were turned, by +1 or -1.
        rationale_closed: the × of a piece of the rationale was clicked; its number.
        address_clicked: the document's address was.
        rewritten: the page was written anew, and none is ready any more.

    Attributes:
        page: what is shown.
        marks: what is marked in it.
        look: how it is set.
        parts: what stands in it besides letters, keys among it.
        ready: pages that may be shown next.
        has_ring: whether a ring says that the keyboard is here.
        has_caret: whether the keyboard moves a caret here.
    """

    zoom_wanted = Signal(int)
    rationale_closed = Signal(int)
    address_clicked = Signal()
    rewritten = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.has_ring = self.has_caret = self._is_rtl = False
        self.look = PageLook(current_theme())
        self.parts = InlineParts(self)
        self._jobs = Jobs(self)
        self._growth = IdleWork(self)
        self._ahead = IdleWork(self)
        self.ready: list[WrittenPage] = []
        self._left: list[WrittenPage] = []
        self._wanted_place: PagePlace | None = None
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Not by keyboard: there would be a blinking cursor beside the title. For readers see below.
        self.setTextInteractionFlags(_MOUSE)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(_("Document"))
        self.page = self._write(Content())
        self.marks = PageMarks(self, self.page)
        self.setDocument(self.page)

    # What it shows

    def show_content(self, content: Content, *, marking: Marking, keeps_place: bool) -> None:
        """Show a page.

        Args:
            content: what it is written from.
            marking: what is marked in it.
            keeps_place: whether it stays where it was scrolled, as far as it shows the
                same text; otherwise it is shown from its top.
        """
        shown = self.page.content
        self.marks.set_marking(marking)
        if keeps_place and (content.page, content.picture) == (shown.page, shown.picture):
            self._say(content)
            return
        widths = [page.width for page in (content.page, shown.page) if page is not None]
        place = self.find_place(by_row=len(set(widths)) > 1) if keeps_place else None
        ready = self._find_ready(content)
        if ready in self.ready:
            self.ready.remove(ready)
        self._use(ready or self._write(content, place), place)

    def _say(self, content: Content) -> None:
        """Show what else is said of the document; selection and view stay with the text they are at."""
        bar, layout, page = self.verticalScrollBar(), self.page.documentLayout(), self.page
        value, cursor = bar.value(), self.textCursor()
        ends = [page.place_of(each) for each in (cursor.anchor(), cursor.position())]
        seen = (each for each in self.marks.visible_blocks() if page.line_of(each[0]) is not None)
        at = next(seen, None)
        page.say(content)
        if cursor.hasSelection() and None not in ends:
            # What is written behind what is selected is no part of it.
            first, end = map(page.position_of, ends)
            cursor.setPosition(first or 0)
            cursor.setPosition(end or 0, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
        if at is not None:
            block, was = at
            value += round(layout.blockBoundingRect(block).top() - was.top())
        bar.setValue(value)

    def prepare(self, contents: list[Content]) -> None:
        """Write pages that may be wanted next, while nothing else happens."""
        found = [self._find_ready(each) for each in contents]
        self._drop([page for page in self.ready if page not in found])
        self.ready = [page for page in self.ready if page in found]
        lacking = [each for each, page in zip(contents, found, strict=True) if page is None]
        self._ahead.start(self._write_ahead(lacking[:_MOST_READY]), delay_ms=1)

    def _find_ready(self, content: Content) -> WrittenPage | None:
        width = self._expected_width(content)
        # What was left comes first: it is laid out to where it was read, and the same
        # document may be ready a second time, where another query begins with it.
        for page in (*self._left, *self.ready):
            if (page.look, page.width, page.content) == (self.look, width, content):
                return page
        return None

    def _write_ahead(self, contents: list[Content]) -> Iterator[None]:
        for content in contents:
            page = self._write(content)
            yield
            # Laid out as far as the screen shows.
            page.documentLayout().documentSize()
            self.ready.append(page)
            self._load_picture(page)
            yield

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys in the text, given by the names of actions."""
        if self.parts.set_keys(find_key):
            self.rewrite()

    def set_look(self, look: PageLook) -> None:
        """Set the page otherwise; it stays about where it is."""
        if look != self.look:
            self.look = look
            self.parts.theme = look.theme
            self._fit()
            self.rewrite()

    def rewrite(self) -> None:
        """Write everything anew, after look, theme or fonts have changed."""
        place = self.find_place()
        self._drop([*self.ready, *self._left])
        self.ready, self._left = [], []
        page = self._write(self.page.content, place)
        self._use(page, place, current=self.marks.current)
        self.rewritten.emit()

    def _write(self, content: Content, place: PagePlace | None = None) -> WrittenPage:
        return WrittenPage(
            content,
            self.look,
            width=self._expected_width(content),
            parts=self.parts,
            parent=self,
            least=FIRST_PART if place is None else place.n_before,
        )

    def _expected_width(self, content: Content) -> int:
        """Return how wide the viewport will be: a long page has a scroll bar."""
        shown = content.page
        is_long = shown is not None and shown.n_shown > _SURELY_SCROLLS
        bar = self.verticalScrollBar()
        change = (is_long - bar.isVisible()) * bar.sizeHint().width()
        return self.viewport().width() - change

    def _use(self, page: WrittenPage, place: PagePlace | None, *, current: int = -1) -> None:
        """Show a page at a place, its top without one; what was typed is looked for in it."""
        self.marks.set_page(page, current=current)
        with QSignalBlocker(self):
            self.setDocument(page)
        # Undo and the way back lead to the page that is left.
        self._drop([each for each in self._left if each is not page])
        self._left = [self.page]
        self.page, self._wanted_place = page, place
        if page.is_rtl is not self._is_rtl:
            self._is_rtl = page.is_rtl
            self._fit()
        self._load_picture(page)
        if page.is_complete:
            self._growth.stop()
        else:
            self._growth.start(self._grow(page))
        if place is None:
            self.verticalScrollBar().setValue(0)
        self._reach_place()
        self.marks.find_on()

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
        return not (self._growth.is_busy or self.marks.is_busy)

    # Where it is scrolled

    def find_place(self, *, by_row: bool = False) -> PagePlace:
        """Return where the page is scrolled, or will be once so much is written, and what is selected.

        Args:
            by_row: by the first row in view, not its paragraph, which may be another one then.
        """
        if self._wanted_place is not None:
            return self._wanted_place
        cursor, value = self.textCursor(), self.verticalScrollBar().value()
        keeps_cursor = self.has_caret or cursor.hasSelection()
        ends = (cursor.anchor(), cursor.position()) if keeps_cursor else ()
        selected = tuple(self.page.place_of(each) for each in ends)
        for block, rect in self.marks.visible_blocks() if value else ():
            line = self.page.line_of(block)
            if line is not None:
                if by_row and (start := first_row_in_view(block, rect, value)) is not None:
                    return PagePlace(self.page.place_of(start), 0.0, selected)
                share = (value - rect.top()) / max(1.0, rect.height())
                place = line.field, line.start
                return PagePlace(place, min(1.0, max(-1.0, share)), selected)
        return PagePlace(None, 0.0, selected)

    def go_to(self, place: PagePlace) -> None:
        """Scroll and select as it was, as soon as so much of the page is written."""
        self._wanted_place = place
        self._reach_place()

    def _reach_place(self) -> None:
        """Scroll and select as it was before, as soon as so much of the page is written."""
        place, page = self._wanted_place, self.page
        if place is None:
            return
        top = page.position_of(place.top)
        if page.is_complete or place.top is None:
            self._wanted_place = None
        if place.top is not None and top is None:
            return
        ends = [at for each in place.selected if (at := page.position_of(each)) is not None]
        if len(ends) > 1:
            self.select(*ends)
        value = 0
        if top is not None:
            block = page.findBlock(top)
            rect, within = page.documentLayout().blockBoundingRect(block), top - block.position()
            above = place.share * rect.height()
            if within:
                above = block.layout().lineForTextPosition(within).y()
            value = round(rect.top() + above)
        bar = self.verticalScrollBar()
        bar.setValue(value)
        if bar.value() == value:
            self._wanted_place = None

    # Pictures

    def _load_picture(self, page: WrittenPage) -> None:
        picture = page.content.picture
        if picture is None or not picture.is_shown or self.parts.has_picture(picture.key):
            return

        def show(image: QImage) -> None:
            if not image.isNull():
                self.parts.set_picture(picture.key, QPixmap.fromImage(image))
                self.viewport().update()

        ratio = self.devicePixelRatioF()
        # A newer wish replaces the older one.
        self._jobs.submit(
            lambda _handle: read_picture(picture, ratio=ratio), show, key="picture", owner=self
        )

    @override
    def loadResource(self, kind: int, _name: QUrl | str) -> Any:  # noqa: ANN401 - Qt's signature
        """Return something harmless, so that Qt opens no file by itself."""
        return harmless_resource(kind)

    # Selecting

    def set_caret(self, *, is_on: bool) -> None:
        """Let the keyboard move a caret and select from it, or not."""
        self.has_caret = is_on
        self._follow_caret()
        rect = self.cursorRect()
        if is_on and not (rect.top() >= 0 and rect.bottom() <= self.viewport().height()):
            value = self.verticalScrollBar().value()
            rows = (first_row_in_view(*each, value) for each in self.marks.visible_blocks())
            start = next((row for row in rows if row is not None), None)
            if start is not None:
                cursor = self.textCursor()
                cursor.setPosition(start)
                self.setTextCursor(cursor)

    @override
    def event(self, event: QEvent) -> bool:
        """Leave the keys that move a caret to it: Home is else a key of the list."""
        if (
            self.has_caret
            and event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in _CARET_KEYS
            and not event.modifiers() & Qt.KeyboardModifier.AltModifier
        ):
            event.accept()
            return True
        return super().event(event)

    def _follow_caret(self) -> None:
        """Have a caret where one was asked for; for a reader always, which follows it."""
        has_caret = self.has_caret or (QAccessible.isActive() and self.hasFocus())
        self.setTextInteractionFlags(_MOUSE | _KEYBOARD if has_caret else _MOUSE)
        self.setCursorWidth(2 if self.has_caret else 1)

    def select(self, start: int, end: int) -> None:
        """Select a piece of the page, and bring its end into view; nothing where it is empty."""
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def select_sentence(self) -> None:
        """Select the sentence of the current highlight, or the first in view; again, one more."""
        cursor = self.textCursor()
        first, end = cursor.selectionStart(), cursor.selectionEnd()
        if not cursor.hasSelection():
            here = self._where_to_begin()
            if here is None:
                return
            first, end = -1, here
        for start, behind in self.page.sentences(end):
            if behind > end:
                self.select(start if first < 0 else first, behind)
                self._tell_selected()
                return

    def unselect_sentence(self) -> None:
        """Take the last sentence out of what is selected."""
        cursor = self.textCursor()
        first, end = cursor.selectionStart(), cursor.selectionEnd()
        behind = first
        for __, place in self.page.sentences(first) if first < end else ():
            if place >= end:
                break
            behind = max(first, place)
        self.select(first, behind)
        self._tell_selected()

    def _tell_selected(self) -> None:
        """Have a reader hear what is selected: the keyboard may be in the list meanwhile."""
        lines = self.textCursor().selectedText().splitlines()
        announce(
            self,
            _("Selected: {lines}").format(lines=" ".join(lines))
            if lines
            else _("Nothing is selected."),
        )

    def _where_to_begin(self) -> int | None:
        marks = self.marks
        mark = marks.mark or (marks.found[marks.current] if marks.current >= 0 else None)
        if mark is not None:
            return self.page.position_in(*mark[:2])
        value, found = self.verticalScrollBar().value(), None
        seen = [(block, rect, self.page.line_of(block)) for block, rect in marks.visible_blocks()]
        has_body = any(line is not None and line.field == "body" for *__, line in seen)
        for block, rect, line in seen:
            if line is not None and line.text.strip() and (line.field == "body") is has_body:
                row = first_row_in_view(block, rect, value)
                start = block.position() if row is None else row
                # One that begins above goes on into view; the next may begin in view.
                found = start if found is None else found
                begins = (first for first, __ in self.page.sentences(start) if first >= start)
                first = next(begins, None)
                if first is not None and first < block.position() + block.length():
                    return first
        return found

    @override
    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy what is selected, without line ends where a long paragraph is cut for display."""
        cursor, data, text = self.textCursor(), QMimeData(), ""
        first, behind = cursor.selectionStart(), cursor.selectionEnd()
        cuts = list(self.page.iter_cuts(first, behind))
        if not cuts:
            return super().createMimeDataFromSelection()
        for cut in (*cuts, behind):
            cursor.setPosition(first)
            cursor.setPosition(cut, QTextCursor.MoveMode.KeepAnchor)
            text += cursor.selection().toPlainText()
            first = cut + 1
        data.setText(text)
        return data

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint marks and rules under the text, for what is in view."""
        painter = QPainter(self.viewport())
        self.marks.paint(painter)
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
        self._follow_caret()
        super().focusInEvent(event)
        self.show_ring(is_shown=event.reason() in _BY_TAB)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away with the keyboard."""
        super().focusOutEvent(event)
        self._follow_caret()
        self.show_ring(is_shown=False)

    def show_ring(self, *, is_shown: bool) -> None:
        """Show the ring, or take it away though the keyboard stays."""
        if is_shown != self.has_ring:
            self.has_ring = is_shown
            self.viewport().update()

    # Room

    def _fit(self) -> None:
        """Keep lines short enough to read, where they begin; in focus the column stands in the middle."""
        free = self.width() - self.verticalScrollBar().sizeHint().width() - self.look.column
        free = max(0, free)
        left = free // 2 if self.look.is_large else free if self._is_rtl else 0
        margins = self.viewportMargins()
        if (margins.left(), margins.right()) != (left, free - left):
            self.setViewportMargins(left, 0, free - left, 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines at a readable length."""
        place = None
        if self._wanted_place is None and event.size().width() != event.oldSize().width():
            place = self.find_place()
        self._fit()
        super().resizeEvent(event)
        if place is not None and place.top is not None:
            self._wanted_place = place
            self._reach_place()

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

    def _close_at(self, at: QPointF) -> int | None:
        """Return the number of the rationale whose × is at a place, or ``None``."""
        place = at + QPointF(0, self.verticalScrollBar().value())
        for block, rect in self.marks.visible_blocks():
            number = BlockKind.PIECE - block.userState()
            wide = self.marks.close_rect(rect).adjusted(-4, -4, 4, 4)
            if number >= 0 and self.page.content.letters is None and wide.contains(place):
                return number
        return None


def first_row_in_view(block: QTextBlock, rect: QRectF, value: float) -> int | None:
    """Return where on the page the first whole row of a block begins that is not above the view."""
    layout = block.layout()
    for number in range(layout.lineCount()):
        row = layout.lineAt(number)
        # Scrolled to whole px, a row may begin a part of one above.
        if rect.top() + row.y() >= value - 1:
            return block.position() + row.textStart()
    return None
