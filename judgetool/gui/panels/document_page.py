"""Which document the pane shows, and what of it: passages or all, rationale, note, picture."""

from collections import deque
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QSize

from judgetool.core.judgments import Document, Span
from judgetool.core.terms import NO_MARKING, NO_TERMS, Marking, QueryTerms, choose_passages
from judgetool.core.terms import Span as Place
from judgetool.gui.models.page import (
    Page,
    PageLook,
    broken_width,
    cut_place,
    iter_found,
    make_page,
    unbroken,
)
from judgetool.gui.panels.page_writer import Content
from judgetool.gui.pictures import measure_picture
from judgetool.gui.theme import current_theme, scaled

# About forty lines of 72 characters.
LONG_FROM = 2900
MOST_LINES = 40
# A longer text is shown in parts: all that is done to a page stays quick.
PART = 60_000
_LINE_REACH, _SENTENCE_REACH = 4000, 400
_MOST_KEPT = 6
_HIGHEST = 280


class Shown(NamedTuple):
    """What stands on the page besides the document.

    Attributes:
        note: of the assessor.
        spans: the rationale.
        image: file of the document's picture; ``None`` where it is not to be had.
        remarks: what else the assessor said, on one line.
        letters: whose piece of the rationale each is, where others said it; ``None``: one's own.
        others: what others noted, each with their name before it.
        is_broken: whether there is a file in the picture's place that is none.
    """

    note: str = ""
    spans: tuple[Span, ...] = ()
    image: Path | None = None
    remarks: str = ""
    letters: tuple[str, ...] | None = None
    others: tuple[str, ...] = ()
    is_broken: bool = False


class DocumentPage:
    """The content of the pane's page, made from a document.

    Attributes:
        look: how the page is set.
        marking: what is marked in it.
        prefers_whole: whether long texts are shown whole at once.
        joins_lines: whether lines that were broken by hand are joined.
        width: of the room that the page has, in px.
        document: what is shown; ``None`` for nothing.
        is_excerpt: whether only passages of its text are.
        wanted_part: the part of its text that was asked for; ``None`` where it is as it comes.
    """

    def __init__(self) -> None:
        self.look = PageLook(current_theme())
        self.marking: Marking = NO_MARKING
        self.prefers_whole = False
        self.joins_lines = True
        self.width = scaled(600)
        self.document: Document | None = None
        self._page: Page | None = None
        self.is_excerpt = False
        self.wanted_part: int | None = None
        self._shown = Shown()
        self._pages: deque[tuple[object, Page]] = deque(maxlen=_MOST_KEPT)

    def set_document(self, document: Document | None, marking: Marking, shown: Shown) -> bool:
        """Show a document; return whether it is the same, of the same query.

        It stays an excerpt, or whole, as it is then.
        """
        is_same = document is not None and document == self.document
        # Of another query other passages are shown.
        is_same = is_same and _terms_of(marking) == _terms_of(self.marking)
        self.document, self.marking, self._shown = document, marking, shown
        if not is_same:
            self.show()
        return is_same

    def show(self, part: int | None = None) -> None:
        """Show a part of the text, from 0; ``None`` shows passages if it is long."""
        document, self.wanted_part = self.document, part
        self._page = None if document is None else self._page_of(document, self.marking, part)
        self.is_excerpt = self._page is not None and self._page.is_excerpt

    @property
    def content(self) -> Content:
        """What the page is written from; the picture has the room that there is now."""
        document, page = self.document, self._page
        return Content() if document is None else self._content(page, document, self._shown)

    @property
    def key(self) -> tuple[str, QueryTerms]:
        """Whose page it is: the document's and the query's."""
        return self.document.id if self.document is not None else "", _terms_of(self.marking)

    @property
    def body(self) -> str:
        """The whole text of the document."""
        return self.document.body if self.document is not None else ""

    @property
    def part(self) -> tuple[int, int] | None:
        """Which part (from 1) of how many is shown; ``None`` where there are no parts."""
        return self._page.part if self._page is not None else None

    def count_found(self, part: int, typed: str) -> int:
        """Return how often a part of the text, from 0, holds what somebody typed."""
        if self.document is None:
            return 0
        lines = self._make_page(self.document, self.marking, part).iter_body()
        return sum(map(len, iter_found(lines, typed)))

    def content_of(self, document: Document, shown: Shown, marking: Marking) -> Content:
        """Return what the page of a document will be written from when it is shown first."""
        return self._content(self._page_of(document, marking, None), document, shown)

    def _content(self, page: Page | None, document: Document, shown: Shown) -> Content:
        picture = None
        if document.image:
            width = min(self.width, self.look.column) - 2 * self.look.margin
            room = QSize(min(width, scaled(_HIGHEST * 2)), scaled(_HIGHEST))
            picture = measure_picture(
                document.image, shown.image, room=room, is_broken=shown.is_broken
            )
        said = shown.remarks, shown.letters, shown.others
        return Content(page, shown.spans, shown.note, picture, *said)

    def _page_of(self, document: Document, marking: Marking, part: int | None) -> Page:
        """Return a document's page; those made last are kept, as they were made ahead."""
        key = (document, marking, part, self.prefers_whole, self.joins_lines)
        for known, page in self._pages:
            if known == key:
                return page
        made = self._make_page(document, marking, part)
        self._pages.append((key, made))
        return made

    def _make_page(self, document: Document, marking: Marking, part: int | None) -> Page:
        body, passages, place = document.body, None, None
        width = broken_width(body) if self.joins_lines else 0
        if part is None and not self.prefers_whole and is_long(body):
            passages = _choose(unbroken(body, width) if width else body, marking)
        elif len(body) > PART:
            place = (part or 0) + 1, count_parts(body)
            passages = (part_span(body, part or 0),)
        return make_page(document, passages=passages, part=place, width=width)


def count_parts(body: str) -> int:
    """Return in how many parts a text is shown."""
    return max(1, -(-len(body) // PART))


def part_span(body: str, part: int) -> Place:
    """Return which piece of a text a part (from 0) is; parts begin at lines or sentences."""
    starts = []
    for place in (part * PART, (part + 1) * PART):
        line = body.find("\n", place, place + _LINE_REACH) if place else -1
        if line < 0 and 0 < place < len(body) - _LINE_REACH:
            line = cut_place(body, place, _SENTENCE_REACH) - 1
        starts.append(min(place, len(body)) if line < 0 else line + 1)
    return starts[0], starts[1]


def part_of(body: str, place: int) -> int:
    """Return the part that holds a place of the text."""
    part = min(max(0, place // PART), count_parts(body) - 1)
    return part - 1 if place < part_span(body, part)[0] else part


def is_long(body: str) -> bool:
    """Whether a text is longer than about forty lines."""
    return len(body) > LONG_FROM or body.count("\n") > MOST_LINES


def _terms_of(marking: Marking) -> QueryTerms:
    """Return the query's terms."""
    return marking.layers[-1].terms if marking.layers else NO_TERMS


def _choose(body: str, marking: Marking) -> tuple[Place, ...] | None:
    """Return the passages to show; ``None`` where they would be nearly all of it."""
    passages = choose_passages(body, _terms_of(marking))
    shown = sum(end - start for start, end in passages)
    return tuple(passages) if shown < 0.8 * len(body) else None
