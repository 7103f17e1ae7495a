"""What is marked on a page: query terms, own term sets, the rationale, what was found."""

from collections.abc import Sequence

from judgetool.core.judgments import Span as RationaleSpan
from judgetool.core.marking import NO_MARKING, Mark, Marking
from judgetool.core.terms import Span
from judgetool.gui.models.page_lines import Line

_MOST_KEPT = 4000
LinePlace = tuple[int, int, int]
"""Number of a line, and start and end of a piece of it, in characters."""


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
        self.spans: tuple[RationaleSpan, ...] = ()
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

    def rationale_of(self, line: Line) -> list[Span]:
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

    def add_found(self, number: int, spans: Sequence[Span]) -> None:
        """Add what was found in a line; lines come in order."""
        for start, end in spans:
            self._found_by_line.setdefault(number, []).append(len(self.found))
            self.found.append((number, start, end))

    def found_in(self, number: int) -> list[int]:
        """Return the places in ``found`` of a line."""
        return self._found_by_line.get(number, [])
