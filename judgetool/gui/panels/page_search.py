"""Looking through a page: for what somebody typed, and from highlight to highlight."""

from collections.abc import Iterator

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextEdit

from judgetool.core.marking import find_folded
from judgetool.gui.painting import utf16_length
from judgetool.gui.panels.page_writer import BlockKind
from judgetool.gui.panels.written_page import LinePlace, PageMarks, WrittenPage, visible_blocks
from judgetool.gui.schedule import IdleWork

# Telling the window costs more than looking through a line.
_TELLS_AFTER = 200


class PageSearch(QObject):
    """Goes through the lines of a page in slices, also while the page is still being written.

    Args:
        widget: shows the page; has it as ``page``.
        marks: what is marked.

    Signals:
        found_changed: number of the current place (from 0, -1 for none), and how many
            there are.
    """

    found_changed = Signal(int, int)

    def __init__(self, widget: QTextEdit, marks: PageMarks) -> None:
        super().__init__(widget)
        self._widget = widget
        self._marks = marks
        self._typed = ""
        self._looking = IdleWork(self)
        self._seeking = IdleWork(self)

    @property
    def _page(self) -> WrittenPage:
        page: WrittenPage = self._widget.page  # type: ignore[attr-defined]  # DocumentText has it
        return page

    @property
    def is_busy(self) -> bool:
        """Whether anything is still being looked for."""
        return self._looking.is_busy or self._seeking.is_busy

    def stop(self) -> None:
        """Look for nothing more."""
        self._looking.stop()
        self._seeking.stop()

    def finish(self) -> None:
        """Look through all that is left, now."""
        self._looking.finish()
        self._seeking.finish()

    # What somebody typed

    def find_all(self, typed: str) -> None:
        """Mark all places of a text, whatever their case and accents; the first is current.

        What a screen or ten hold is looked through at once, the rest while nothing else
        happens; ``found_changed`` tells.
        """
        self._start(typed, current=-1)

    def look_again(self) -> None:
        """Look for the same on a page that was written anew; the same place stays current."""
        if self._typed:
            self._start(self._typed, current=self._marks.current)

    def _start(self, typed: str, *, current: int) -> None:
        self._typed = typed
        self._marks.clear_found()
        self._marks.current = current
        self._looking.stop()
        if typed:
            self._looking.start(self._look_for(typed))
            self._looking.work()
        self._tell()

    def _look_for(self, typed: str) -> Iterator[None]:
        number, page, marks = 0, self._page, self._marks
        while number < len(page.lines) or page.write_more():
            if number < len(page.lines):
                marks.add_found(number, find_folded(page.lines[number].text, typed))
                number += 1
                if marks.found and marks.current < 0:
                    marks.current = 0
                    self._reveal(marks.found[0])
                if number % _TELLS_AFTER == 0:
                    self._tell()
            yield
        self._tell()

    def _tell(self) -> None:
        self.found_changed.emit(self._marks.current, len(self._marks.found))
        self._widget.viewport().update()

    def go_to_found(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) place found, round the ends."""
        marks = self._marks
        if marks.found:
            marks.current = (marks.current + step) % len(marks.found)
            self._reveal(marks.found[marks.current])
        self._tell()

    # Highlights

    def go_to_mark(self, step: int) -> None:
        """Go to the next (+1) or previous (-1) highlight, round the ends."""
        self._seeking.start(self._seek(step))
        self._seeking.work()

    def _seek(self, step: int) -> Iterator[None]:
        page = self._page
        here: LinePlace | None = self._marks.mark or self._first_in_view(step)
        number = here[0] if here is not None else 0
        n_seen = 0
        # The line where one is comes twice: behind the place first, before it last.
        while n_seen <= len(page.lines):
            if step > 0 and number >= len(page.lines) and page.write_more():
                yield
                continue
            number %= max(1, len(page.lines))
            found = self._mark_in(number, here if n_seen == 0 else None, step)
            if found is not None:
                self._marks.mark = found
                self._reveal(found)
                self._widget.viewport().update()
                return
            number += step
            n_seen += 1
            yield

    def _mark_in(self, number: int, here: LinePlace | None, step: int) -> LinePlace | None:
        """Return the first (or last) highlight of a line, behind (or before) where one is."""
        if not self._page.lines:
            return None
        marks = self._marks.of_line(self._page.lines[number])
        places = [(number, mark.start, mark.end) for mark in marks]
        if here is not None:
            places = [place for place in places if place != here and (place > here) == (step > 0)]
        return (places[0] if step > 0 else places[-1]) if places else None

    def _first_in_view(self, step: int) -> LinePlace | None:
        """Return where looking for highlights begins: before the first line that is seen."""
        for block, _ in visible_blocks(self._widget):
            number = block.userState() - BlockKind.LINE
            if number >= 0:
                return (number, -1, -1) if step > 0 else (number, 0, 0)
        return None

    # Showing

    def _reveal(self, place: LinePlace) -> None:
        """Bring a place into view, a third down the screen where it was not in view."""
        number, start, _ = place
        widget = self._widget
        block = self._page.block_of(number)
        if not block.isValid():
            return
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + utf16_length(block.text()[:start]))
        bar = widget.verticalScrollBar()
        before = bar.value()
        with QSignalBlocker(widget):
            widget.setTextCursor(cursor)
        bar.setValue(before)
        rect, height = widget.cursorRect(cursor), widget.viewport().height()
        if rect.top() < 0 or rect.bottom() > height:
            bar.setValue(bar.value() + rect.top() - height // 3)
