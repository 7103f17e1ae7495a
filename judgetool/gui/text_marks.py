"""Positions and directions of marked text, as Qt counts and sets them."""

import unicodedata
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QTextLine

from judgetool.core.terms import Span
from judgetool.gui.theme import Theme

_LOOKED_AT = 200


def is_right_to_left(text: str) -> bool:
    """Whether the first strong character is of a script written from right to left."""
    for char in text[:_LOOKED_AT]:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def text_direction(text: str) -> Qt.LayoutDirection:
    """Return the direction of a paragraph: that of its first strong character."""
    return (
        Qt.LayoutDirection.RightToLeft if is_right_to_left(text) else Qt.LayoutDirection.LeftToRight
    )


def qt_spans(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans counted in UTF-16 units, as Qt counts, instead of characters.

    Args:
        text: what the spans are of.
        spans: in order, not overlapping.
    """
    if not spans or text.isascii() or max(text) <= "\uffff":
        return list(spans)
    counted = []
    before, units = 0, 0
    for start, end in spans:
        begin = units + utf16_length(text[before:start])
        units = begin + utf16_length(text[start:end])
        before = end
        counted.append((begin, units))
    return counted


def utf16_length(text: str) -> int:
    """Return how many UTF-16 units Qt makes of a text."""
    return len(text) + sum(char > "\uffff" for char in text)


def character_at(text: str, units: int) -> int:
    """Return how many characters the first so many UTF-16 units of a text hold."""
    if text.isascii() or (text and max(text) <= "\uffff"):
        return min(units, len(text))
    count = 0
    while units > 0 and count < len(text):
        units -= 2 if text[count] > "\uffff" else 1
        count += 1
    return count


def span_rects(line: QTextLine, spans: Sequence[Span], *, is_mixed: bool) -> list[QRectF]:
    """Return where spans stand in a laid out line, from ascent to descent.

    Args:
        line: of a ``QTextLayout``; the rectangles are in the layout's coordinates.
        spans: in UTF-16 units of the layout's text.
        is_mixed: whether the text may hold scripts of both directions.
    """
    first, behind = line.textStart(), line.textStart() + line.textLength()
    rects = []
    for start, end in spans:
        if end > first and start < behind:
            edges = _edges(line, max(start, first), min(end, behind), is_mixed=is_mixed)
            left, right = min(edges), max(edges)
            rects.append(QRectF(left, line.y(), right - left, line.height()))
    return rects


def _edges(line: QTextLine, start: int, end: int, *, is_mixed: bool) -> list[float]:
    if not is_mixed:
        return [_x(line, start), _x(line, end)]
    # Where the direction turns, a position between two characters stands at two places.
    rects = [run.boundingRect() for run in line.glyphRuns(start, end - start)]
    return [edge for rect in rects for edge in (rect.left(), rect.right())] or [0.0, 0.0]


def _x(line: QTextLine, position: int) -> float:
    # PySide gives (x, position); the stub says float.
    found: object = line.cursorToX(position)
    return float(found[0]) if isinstance(found, tuple) else float(line.x())


def may_mix_directions(text: str) -> bool:
    """Whether a text holds characters that may be written from right to left."""
    return not text.isascii() and any(
        "\u0590" <= char <= "\u08ff" or char > "\ufb1c" for char in text
    )


def draw_mark(painter: QPainter, rect: QRectF, theme: Theme, *, kind: int = 0) -> None:
    """Paint the ground of a marked word with the 1 px line under it.

    Args:
        painter: before the text itself is painted.
        rect: of the word, from ascent to descent.
        theme: the colours.
        kind: which of the four marks; 0 is for query terms.
    """
    wide = rect.adjusted(-1, 0, 1, 0)
    painter.fillRect(wide, theme.marks[kind])
    painter.fillRect(
        QRectF(wide.left(), wide.bottom() - 1, wide.width(), 1), theme.mark_lines[kind]
    )
