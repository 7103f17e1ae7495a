"""A line of text with marked words, laid out once and painted often."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QTextLayout, QTextLine, QTextOption

from judgetool.core.terms import Span
from judgetool.gui.fonts import Role, current_density, font, metrics
from judgetool.gui.painting import (
    draw_mark,
    is_right_to_left,
    may_mix_directions,
    qt_spans,
    span_rects,
    text_direction,
)
from judgetool.gui.theme import Theme

ELLIPSIS = "…"
_ENDLESS = 1_000_000.0


def split_line(text: str, *, role: Role, room: float) -> tuple[str, str]:
    """Return what of a text stands on a line of ``room`` px, and the rest; divided at a blank."""
    layout = QTextLayout(text, font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(room)
    # Qt counts in UTF-16.
    n_units = line.textLength() if line.isValid() else 0
    layout.endLayout()
    first = text.encode("utf-16-le")[: 2 * n_units].decode("utf-16-le", "ignore")
    return first.rstrip(), text[len(first) :]


class MarkedLine:
    """One line, elided at its logical end, with the places of its marked words.

    Attributes:
        width: of the ink, in px; 0 for an empty text.
        is_cut: whether the text did not fit.
        ascent: from the line's top to its baseline.
        is_right_to_left: direction of the first strong character; such a line stands
            at the right end of its room.
    """

    def __init__(
        self,
        text: str,
        spans: Sequence[Span] = (),
        *,
        role: Role,
        room: float,
        direction: Qt.LayoutDirection | None = None,
    ) -> None:
        """Lay out a line.

        Args:
            text: on one line.
            spans: what is marked, as (start, end) in ``text``, in order.
            role: how it is set.
            room: width in px that it may take.
            direction: ``None`` follows the first strong character.
        """
        shown, kept = _elide(text, role, room)
        self.is_cut = kept < len(text)
        self.is_right_to_left = (
            is_right_to_left(text)
            if direction is None
            else direction is Qt.LayoutDirection.RightToLeft
        )
        self._layout, line = _lay_out(shown, role, self.is_right_to_left)
        self.width = line.naturalTextWidth()
        self._shift = room - self.width if self.is_right_to_left else 0.0
        self.ascent = line.ascent()
        clipped = [(start, min(end, kept)) for start, end in spans if start < kept]
        self._marks = span_rects(line, qt_spans(shown, clipped), is_mixed=may_mix_directions(shown))

    def draw(
        self,
        painter: QPainter,
        left: float,
        baseline: float,
        *,
        colour: QColor,
        theme: Theme | None = None,
    ) -> None:
        """Paint the line with its baseline at a height.

        Args:
            painter: its pen is changed.
            left: of the room that the line was laid out for.
            baseline: in px.
            colour: of the text.
            theme: paints the marks; ``None`` leaves them out.
        """
        corner = QPointF(left + self._shift, round(baseline - self.ascent))
        if theme is not None:
            for rect in self._marks:
                draw_mark(painter, rect.translated(corner), theme)
        painter.setPen(colour)
        self._layout.draw(painter, corner)


def _elide(text: str, role: Role, room: float) -> tuple[str, int]:
    """Return what fits, and how many characters of the text it keeps."""
    face = metrics(role)
    shown = face.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(room)))
    return shown, len(text) if shown == text else max(0, len(shown) - len(ELLIPSIS))


def _lay_out(text: str, role: Role, is_rtl: bool) -> tuple[QTextLayout, QTextLine]:
    """Lay out a text on one line of its own width, from x = 0."""
    layout = QTextLayout(text, font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    option.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setTextDirection(
        Qt.LayoutDirection.RightToLeft if is_rtl else Qt.LayoutDirection.LeftToRight
    )
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    line = layout.createLine()
    # Wider than any line: one that is a fraction too narrow would be broken at a hyphen.
    line.setLineWidth(_ENDLESS)
    layout.endLayout()
    return layout, line


def break_lines(text: str, spans: Sequence[Span], *, role: Role, room: float) -> list[MarkedLine]:
    """Lay out a text on as many lines as the density gives it, two or one; the last is elided.

    Args:
        text: on one line.
        spans: what is marked, in order.
        role: how it is set.
        room: width of each line in px.

    Returns:
        No line for an empty text.
    """
    if not text:
        return []
    if current_density().snippet_lines == 1:
        direction = text_direction(text)
        return [MarkedLine(text, spans, role=role, room=room, direction=direction)]
    layout = QTextLayout(text, font(role))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(max(1.0, room))
    units = line.textLength()
    layout.endLayout()
    kept = _characters(text, units)
    direction = text_direction(text)
    head = MarkedLine(text[:kept].rstrip(), spans, role=role, room=room + 2.0, direction=direction)
    rest = text[kept:]
    if not rest.strip():
        return [head]
    later = [(max(0, start - kept), end - kept) for start, end in spans if end > kept]
    return [head, MarkedLine(rest, later, role=role, room=room, direction=direction)]


def _characters(text: str, units: int) -> int:
    """Return how many characters the first so many UTF-16 units hold."""
    if text.isascii() or max(text) <= "\uffff":
        return units
    count = 0
    while units > 0:
        units -= 2 if text[count] > "\uffff" else 1
        count += 1
    return count
