"""Which document the pane shows, and what of it: passages or all, rationale, note, picture."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QTextCursor

from judgetool.core.documents import Document
from judgetool.core.excerpts import choose_passages
from judgetool.core.judgments import Span
from judgetool.core.marking import NO_MARKING, Marking
from judgetool.core.terms import NO_TERMS
from judgetool.core.terms import Span as Place
from judgetool.gui.fonts import scaled
from judgetool.gui.models.page import Page, make_page
from judgetool.gui.page_look import PageLook
from judgetool.gui.panels.written_page import Content, WrittenPage, selected_spans
from judgetool.gui.pictures import Picture, measure_picture
from judgetool.gui.theme import current_theme

# About forty lines of 72 characters.
LONG_FROM = 2900
MOST_LINES = 40
# A longer text is shown in parts: all that is done to a page stays quick.
PART = 60_000
_LINE_REACH = 4000
_MOST_KEPT = 6
_HIGHEST = 280


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands on the page besides the document.

    Attributes:
        note: of the assessor.
        spans: the rationale.
        image: file of the document's picture; ``None`` where it is not to be had.
        remarks: what else the assessor said, on one line.
    """

    note: str = ""
    spans: tuple[Span, ...] = ()
    image: Path | None = None
    remarks: str = ""


class DocumentPage:
    """The content of the pane's page, made from a document.

    Attributes:
        look: how the page is set.
        marking: what is marked in it.
        prefers_whole: whether long texts are shown whole at once.
        joins_lines: whether lines that were broken by hand are joined.
        width: of the room that the page has, in px.
        content: what the page is written from.
    """

    def __init__(self) -> None:
        self.look = PageLook(current_theme())
        self.marking: Marking = NO_MARKING
        self.prefers_whole = False
        self.joins_lines = True
        self.width = scaled(600)
        self.content = Content()
        self._document: Document | None = None
        self._shown = Shown()
        self._is_whole = False
        self._part = 0
        self._pages: deque[tuple[object, Page]] = deque(maxlen=_MOST_KEPT)

    def is_of(self, document: Document | None) -> bool:
        """Whether this document is shown already."""
        return document is not None and document == self._document

    def set_document(self, document: Document | None, marking: Marking, shown: Shown) -> None:
        """Show a document; the same one again stays an excerpt, or whole, as it is."""
        is_same = self.is_of(document) and marking == self.marking
        was_of = self.is_of(document)
        self._document, self.marking, self._shown = document, marking, shown
        if not was_of:
            self._is_whole, self._part = False, 0
        if document is None:
            self.content = Content()
        elif was_of:
            self.content = self._content(self.content.page, document, shown)
        elif not is_same:
            self.content = self.content_of(document, shown, marking)

    def fit_picture(self) -> bool:
        """Give the picture the room that there is now; return whether it is another size."""
        before, document = self.content, self._document
        if document is not None:
            self.content = self._content(before.page, document, self._shown)
        return self.content != before

    def restart(self) -> None:
        """Show passages or all anew, after the preference has changed."""
        self._is_whole = False
        self._write()

    def show_whole(self, *, place: int = 0) -> None:
        """Show all of the text, or the part of it that holds a place."""
        self._is_whole = True
        self._part = 0 if self._document is None else part_of(self._document.body, place)
        self._write()

    @property
    def body(self) -> str:
        """The whole text of the document."""
        return self._document.body if self._document is not None else ""

    @property
    def part(self) -> tuple[int, int] | None:
        """Which part (from 1) of how many is shown; ``None`` where there are no parts."""
        return self.content.page.part if self.content.page is not None else None

    def show_part(self, part: int) -> None:
        """Show another part of a very long text, from 0."""
        self._is_whole, self._part = True, part
        self._write()

    def _write(self) -> None:
        if self._document is not None:
            self.content = self.content_of(
                self._document,
                self._shown,
                self.marking,
                part=self._part if self._is_whole else None,
            )

    @property
    def is_excerpt(self) -> bool:
        """Whether only passages of the text are shown."""
        return self.content.page is not None and self.content.page.is_excerpt

    def content_of(
        self, document: Document, shown: Shown, marking: Marking, *, part: int | None = None
    ) -> Content:
        """Return what the page of a document is written from.

        Args:
            document: whatever it is.
            shown: what else stands on the page.
            marking: by which passages are chosen.
            part: the part to show of the whole text; ``None`` shows passages if it is long.
        """
        return self._content(self._page_of(document, marking, part), document, shown)

    def _content(self, page: Page | None, document: Document, shown: Shown) -> Content:
        picture = self._measure(document, shown)
        return Content(page, shown.spans, shown.note, picture, shown.remarks)

    def _page_of(self, document: Document, marking: Marking, part: int | None) -> Page:
        """Return a document's page; those made last are kept, as they were made ahead."""
        key = (document, marking, part, self.prefers_whole, self.joins_lines)
        kept = next((page for known, page in self._pages if known == key), None)
        if kept is None:
            kept = self._make_page(document, marking, part)
            self._pages.append((key, kept))
        return kept

    def _make_page(self, document: Document, marking: Marking, part: int | None) -> Page:
        if part is None and not self.prefers_whole and is_long(document.body):
            passages = _choose(document.body, marking)
            return make_page(document, passages=passages, joins_lines=self.joins_lines)
        if len(document.body) > PART:
            number, count = part or 0, count_parts(document.body)
            span = part_span(document.body, number)
            shown = (number + 1, count)
            return make_page(document, passages=(span,), part=shown, joins_lines=self.joins_lines)
        return make_page(document, joins_lines=self.joins_lines)

    def _measure(self, document: Document, shown: Shown) -> Picture | None:
        if not document.image:
            return None
        width = min(self.width, self.look.column) - 2 * self.look.margin
        room = QSize(min(width, scaled(_HIGHEST * 2)), scaled(_HIGHEST))
        return measure_picture(document.image, shown.image, room=room)

    def selected_spans(self, written: WrittenPage, cursor: QTextCursor) -> list[Span]:
        """Return the pieces of the document's own text that are selected."""
        if self._document is None:
            return []
        return selected_spans(written, cursor, self._document)


def count_parts(body: str) -> int:
    """Return in how many parts a text is shown."""
    return max(1, -(-len(body) // PART))


def part_span(body: str, part: int) -> Place:
    """Return which piece of a text a part (from 0) is; parts begin at lines where they can."""
    return _part_start(body, part), _part_start(body, part + 1)


def part_of(body: str, place: int) -> int:
    """Return the part that holds a place of the text."""
    part = min(max(0, place // PART), count_parts(body) - 1)
    return part - 1 if part and place < _part_start(body, part) else part


def _part_start(body: str, part: int) -> int:
    place = part * PART
    if not place or place >= len(body):
        return min(place, len(body))
    line = body.find("\n", place, place + _LINE_REACH)
    return place if line < 0 else line + 1


def is_long(body: str) -> bool:
    """Whether a text is longer than about forty lines."""
    return len(body) > LONG_FROM or body.count("\n") > MOST_LINES


def _choose(body: str, marking: Marking) -> tuple[Place, ...] | None:
    """Return the passages to show; ``None`` where they would be nearly all of it."""
    terms = marking.layers[-1].terms if marking.layers else NO_TERMS
    passages = choose_passages(body, terms, looked_at=20_000)
    shown = sum(end - start for start, end in passages)
    return tuple(passages) if shown < 0.8 * len(body) else None
