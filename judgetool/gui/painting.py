"""The parts that every list, panel and picture is painted from.

All take the painter, where to paint and the theme. All but :func:`draw_text` leave
the painter as they found it; what is painted often is kept as pixels. Positions are
logical px. Where letters stand as Qt counts and sets them is told here, too; and
how a grade looks, from a scale and a theme, with its chip and the symbols in it.

Numbers have the signs of the language that is used; in files, copies and data lines they stay as
:mod:`judgetool.core.number_text` writes them.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import pi

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTextLine,
)
from PySide6.QtWidgets import QStyle

from judgetool.core import number_text, scale
from judgetool.core.judgments import State
from judgetool.core.number_text import NO_CHANGE, UNDEFINED
from judgetool.core.scale import Level, Scale, shown_grade
from judgetool.core.terms import Span
from judgetool.gui.theme import (
    Role,
    Theme,
    figures_width,
    fits,
    font,
    interpolate_oklab,
    kept_for_font,
    metrics,
    nearest_passing,
    scaled,
    text_width,
)
from judgetool.wording import _, local_number, spoken

_NUMBER = r"[+−-]?\d[\d{thousands}]*(?:{decimal}\d+)?(?: %)?"


def format_value(value: float | None, *, digits: int = 4) -> str:
    """Return a value with fixed decimals; ``–`` for ``None``."""
    return local_number(number_text.format_value(value, digits=digits))


def format_change(change: float | None, *, digits: int = 4) -> str:
    """Return a change with its sign; ``·`` when it shows as nothing, ``""`` for ``None``."""
    return local_number(number_text.format_change(change, digits=digits))


def format_count(count: int) -> str:
    """Return a whole number with the sign between thousands."""
    return local_number(f"{count:,}")


def format_grade(grade: float) -> str:
    """Return a grade as it is shown: ``2``, not ``2.0``; ``0.5``; a mean as ``1.33``."""
    return local_number(shown_grade(grade))


def exact_grade(grade: float) -> str:
    """Return a grade with all its digits, for fields in which it can be changed."""
    return local_number(scale.format_grade(grade))


def format_p(p: float, alpha: float | None = None, *, digits: int = 0) -> str:
    """Return a p-value; see :func:`judgetool.core.number_text.format_p`."""
    return local_number(number_text.format_p(p, alpha, digits=digits))


def plain_cell(text: str) -> str:
    """Return a cell as programs read it: a number with its decimals behind a point, other text as it is."""
    language = spoken()
    if (language.thousands, language.decimal) == (",", "."):
        return text
    signs = {
        "thousands": re.escape(language.thousands),
        "decimal": re.escape(language.decimal),
    }
    if not re.fullmatch(_NUMBER.format(**signs), text):
        return text
    return text.replace(language.thousands, "").replace(language.decimal, ".")


_LOOKED_AT = 200
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_AUTO = Qt.LayoutDirection.LayoutDirectionAuto
# Letters written from right to left, and the marks that turn the direction.
_TURNS = re.compile(
    "[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FROM_RIGHT_WORDS = (
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
# Of any language: German opens with ‚ and closes with the mark that opens in English.
_QUOTES = "‘’‚“”„«»\\n"
# What is isolated already, what stands in quotes with such a letter, and else words that follow each other.
_FROM_RIGHT_NAME = re.compile(
    "\u2068[^\u2069]*\u2069"
    f"|(?<=[‘‚„“«])[^{_QUOTES}]*{_FROM_RIGHT_WORDS}[^{_QUOTES}]*(?=[’‘“”»])"
    f"|{_FROM_RIGHT_WORDS}(?:[ '’-]+{_FROM_RIGHT_WORDS})*"
)
_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\U0010ffff]")
BAR_HEIGHT = 4.0
TICK_WIDTH = 2.0
END_CAP = 1.5
EDGE_WIDTH = 3
# The lines under the kinds of marks: how thick, how long a dash is (0: whole), and the gap.
_MARK_LINES = (
    (1.0, 0.0, 1.0),
    (1.0, 5.0, 3.0),
    (2.0, 0.0, 1.0),
    (2.0, 2.0, 2.0),
    (1.0, 2.0, 2.0),
    (2.0, 6.0, 2.0),
)
RATIONALE_MARK = 2
RATIONALE_LINE = _MARK_LINES[RATIONALE_MARK][0]
SET_MARKS = (4, 1, 5, 3)
"""The marks of own term sets, by their colour: neither the query terms’ nor the rationale’s."""
FOCUS_WIDTH = 2
# Qt counts angles in sixteenths of a degree, from three o'clock, against the clock.
TURN = 360 * 16
TWELVE_O_CLOCK = 90 * 16


def is_right_to_left(text: str) -> bool:
    """Whether the first strong character is of a script written from right to left."""
    for char in text[:_LOOKED_AT]:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def isolated(sentence: str) -> str:
    """Return a sentence of ours in which a name from right to left leaves all beside it where it is.

    It is meant to be seen alone: what is kept, copied or looked for has none of these marks.
    """
    if _TURNS.search(sentence) is None:
        return sentence
    # A name at its start would turn the whole sentence.
    mark = "\u200e" if is_right_to_left(sentence) and QGuiApplication.isLeftToRight() else ""
    return mark + _FROM_RIGHT_NAME.sub(lambda name: enclosed(name[0]), sentence)


def enclosed(text: str) -> str:
    """Return a text of others as it is written: a part of a line that does not turn the rest."""
    is_safe = text.startswith("\u2068") or _TURNS.search(text) is None
    return text if is_safe else f"\u2068{text}\u2069"


def direction_mark(text: str) -> str:
    """Return what gives a piece of a text the direction of the whole; nothing where it has just one."""
    if _TURNS.search(text) is None:
        return ""
    return "\u200f" if is_right_to_left(text) else "\u200e"


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
    return not text.isascii() and _FROM_RIGHT.search(text) is not None


def draw_mark(painter: QPainter, rect: QRectF, theme: Theme, *, kind: int = 0) -> None:
    """Paint the ground of a marked word with the line under it: each kind has one of its own.

    Args:
        painter: before the text itself is painted.
        rect: of the word, from ascent to descent.
        theme: the colours.
        kind: which of the marks; 0 is for query terms.
    """
    wide = rect.adjusted(-1, 0, 1, 0)
    painter.fillRect(wide, theme.marks[kind])
    ink, (thick, dash, gap) = theme.mark_lines[kind], _MARK_LINES[kind]
    left, dash = wide.left(), dash or wide.width()
    while left < wide.right():
        width = min(dash, wide.right() - left)
        painter.fillRect(QRectF(left, wide.bottom() - thick, width, thick), ink)
        left += dash + gap


def painted_pixmap(
    width: float,
    height: float,
    ratio: float,
    paint: Callable[[QPainter], object],
    *,
    ground: QColor | Qt.GlobalColor = Qt.GlobalColor.transparent,
) -> QPixmap:
    """Return a pixmap of a size in logical px, painted from (0, 0), to be kept.

    Args:
        width: in logical px.
        height: likewise.
        ratio: device pixel ratio of what it will be drawn on.
        paint: paints into it.
        ground: what it is filled with before.
    """
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(ground)
    painter = QPainter(pixmap)
    paint(painter)
    painter.end()
    return pixmap


@contextmanager
def smooth(
    painter: QPainter,
    pen: QPen | Qt.PenStyle = Qt.PenStyle.NoPen,
    brush: QColor | Qt.BrushStyle = Qt.BrushStyle.NoBrush,
) -> Iterator[None]:
    """Paint with round edges in between, and put the painter back as it was."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.setBrush(brush)
    try:
        yield
    finally:
        painter.restore()


def draw_text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    *,
    role: Role,
    colour: QColor,
    align: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write one line of plain text, elided where it does not fit; sets font, pen, maybe direction.

    The text runs as its first strong character does, whatever the language of the
    interface, so numbers and ids keep their order. ``align`` is meant as it is seen:
    see :func:`start_align`.
    """
    if not fits(role, text, rect.width()):
        mark = direction_mark(text)
        text = metrics(role).elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
        text = mark + text
    painter.setFont(font(role))
    painter.setPen(colour)
    may_turn = _TURNS.search(text) is not None
    if may_turn:
        painter.setLayoutDirection(_AUTO)
        text = text if is_right_to_left(text) else isolated(text)
    painter.drawText(rect, _text_flags(align, may_turn=may_turn), text)


def shortened(role: Role, text: str, gives: str, width: float) -> str:
    """Return a line of which one part, a text of others that turns nothing else, is elided as needed."""
    if not gives:
        return text
    short = gives
    if not fits(role, text, width):
        room = int(width) - metrics(role).horizontalAdvance(text.replace(gives, "", 1))
        short = metrics(role).elidedText(gives, Qt.TextElideMode.ElideRight, max(0, room))
    return isolated(text.replace(gives, enclosed(short), 1))


@lru_cache(maxsize=64)
def _text_flags(align: Qt.AlignmentFlag, *, may_turn: bool) -> int:
    """Return Qt's flags of one line; making enums anew at every text costs as much as the text."""
    flags = int(align | Qt.AlignmentFlag.AlignAbsolute)
    flags |= int(Qt.TextFlag.TextSingleLine) | int(Qt.TextFlag.TextDontClip)
    return flags if may_turn else flags | int(Qt.TextFlag.TextForceLeftToRight)


def turned(rect: QRectF, whole: QRectF, *, is_mirrored: bool) -> QRectF:
    """Return where a place, thought left to right, stands in a whole that may be mirrored."""
    left = whole.left() + whole.right() - rect.right() if is_mirrored else rect.left()
    return QRectF(left, rect.top(), rect.width(), rect.height())


def start_align(direction: Qt.LayoutDirection) -> Qt.AlignmentFlag:
    """Return where lines begin in a layout direction: left, or right for the mirrored one."""
    return RIGHT if direction is Qt.LayoutDirection.RightToLeft else LEFT


def draw_row_ground(
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    *,
    state: QStyle.StateFlag,
    direction: Qt.LayoutDirection = Qt.LayoutDirection.LeftToRight,
) -> None:
    """Fill a row: ``selected`` with the accent edge, ``hover``, or nothing.

    Args:
        painter: on the view's viewport.
        rect: the whole row.
        theme: the colours.
        state: ``State_Selected`` and ``State_MouseOver`` count; a selected row with
            ``State_Active``, where the list has the keyboard, has a frame of accent:
            the two grounds alone cannot be told apart.
        direction: the edge stands where lines begin.
    """
    if state & QStyle.StateFlag.State_Selected:
        is_active = bool(state & QStyle.StateFlag.State_Active)
        painter.fillRect(rect, theme.selected if is_active else theme.selected_unfocused)
        is_left = direction is Qt.LayoutDirection.LeftToRight
        left = rect.left() if is_left else rect.right() - EDGE_WIDTH
        painter.fillRect(QRectF(left, rect.top(), EDGE_WIDTH, rect.height()), theme.accent)
        if is_active:
            draw_row_focus(painter, rect, theme)
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(rect, theme.hover)


def draw_row_focus(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw the frame, 2 px of accent inside ``rect``, that says: the keyboard is here."""
    ring, thick = rect, float(FOCUS_WIDTH)
    for left, top, width, height in (
        (ring.left(), ring.top(), ring.width(), thick),
        (ring.left(), ring.bottom() - thick, ring.width(), thick),
        (ring.left(), ring.top(), thick, ring.height()),
        (ring.right() - thick, ring.top(), thick, ring.height()),
    ):
        painter.fillRect(QRectF(left, top, width, height), theme.accent)


def draw_line(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    """Draw a 1 px separator along the bottom of a rectangle, on whole device pixels."""
    ratio = painter.device().devicePixelRatio()
    thickness = max(1, round(ratio)) / ratio
    bottom = round(rect.bottom() * ratio) / ratio
    painter.fillRect(QRectF(rect.left(), bottom - thickness, rect.width(), thickness), colour)


def draw_frame(
    painter: QPainter,
    rect: QRectF,
    *,
    radius: float,
    border: QColor,
    ground: QColor | Qt.BrushStyle = Qt.BrushStyle.NoBrush,
) -> None:
    """Draw a rounded rectangle with a 1 px border inside ``rect``; without ground it is open."""
    with smooth(painter, QPen(border, 1.0), ground):
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius - 0.5, radius - 0.5)


def draw_dashed_frame(painter: QPainter, rect: QRectF, *, radius: float, border: QColor) -> None:
    """Draw a rounded border of dashes inside ``rect``: of what is only assumed, or not one's own."""
    pen = QPen(border, 1.2, Qt.PenStyle.DashLine)
    pen.setDashPattern([2.5, 2.0])
    with smooth(painter, pen):
        painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), radius, radius)


def draw_focus_ring(painter: QPainter, rect: QRectF, theme: Theme, *, radius: float) -> None:
    """Draw the 2 px focus ring whose gap of 1 px surrounds ``rect``; needs 3 px around it."""
    with smooth(painter, QPen(theme.accent, 2.0)):
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), radius + 2, radius + 2)


def key_cap_size(text: str, *, role: Role = Role.KEY) -> tuple[int, int]:
    """Return width and height of a key cap; never narrower than it is high."""
    height = scaled(17 if role is Role.KEY else 22)
    height = max(height, metrics(role).height() + 2)
    width = height if len(text) == 1 else text_width(role, text) + scaled(10)
    return max(width, height), height


def draw_key_cap(
    painter: QPainter,
    rect: QRectF,
    theme: Theme,
    *,
    text: str,
    role: Role = Role.KEY,
    colour: QColor | None = None,
) -> None:
    """Draw a key with its name; ``colour`` of the name is ``text2`` where not given."""
    draw_frame(painter, rect, radius=4, border=theme.line_strong, ground=theme.base)
    painter.save()
    ink = colour if colour is not None else theme.text2
    draw_text(painter, rect, text, role=role, colour=ink, align=CENTRE)
    painter.restore()


def draw_track(painter: QPainter, rect: QRectF, theme: Theme, *, share: float) -> None:
    """Draw a progress track filled with accent by ``share`` (0 to 1)."""
    parts = [(0.0, 1.0, theme.sunken), (0.0, share, theme.accent)]
    _fill_bar(painter, _track_of(rect), parts)


def _track_of(rect: QRectF) -> QRectF:
    return QRectF(rect.left(), rect.center().y() - BAR_HEIGHT / 2, rect.width(), BAR_HEIGHT)


def draw_bar(
    painter: QPainter, rect: QRectF, theme: Theme, *, value: float, low: float, high: float
) -> None:
    """Draw a value's bar: what is certain, what the unjudged could add, and a tick for now.

    Args:
        painter: any.
        rect: where; 10 px high, the bar itself takes the middle 4 px. The tick of an
            end value stands half outside.
        theme: the colours.
        value: now, 0 to 1 of the measure's range.
        low: least possible; the solid part reaches so far; 0 where that is not known.
        high: most possible, likewise; the light part, underlined, ends there with a cap.
    """
    low, high = min(1.0, max(0.0, low)), min(1.0, max(0.0, high))
    track = _track_of(rect)
    parts = [(0.0, 1.0, theme.sunken), (low, high, theme.bar_possible), (0.0, low, theme.accent)]
    if high > low:
        cap = END_CAP / max(1.0, rect.width())
        parts.append((max(0.0, high - cap), high, theme.accent))
    _fill_bar(painter, track, parts)
    # The light part alone would hardly stand out from the track.
    start, end = max(low * track.width(), 1.0), min(high * track.width(), track.width() - 1.0)
    if end > start:
        under = QRectF(track.left() + start, round(track.bottom()) - 1, end - start, 1)
        painter.fillRect(under, theme.accent)
    draw_tick(painter, rect, theme.text, value=value)


def draw_tick(painter: QPainter, rect: QRectF, colour: QColor, *, value: float) -> None:
    """Draw the 2 px tick of a bar at ``value`` (0 to 1), as high as ``rect``."""
    ratio = painter.device().devicePixelRatio()
    middle = rect.left() + min(1.0, max(0.0, value)) * rect.width()
    left = round((middle - TICK_WIDTH / 2) * ratio) / ratio
    painter.fillRect(QRectF(left, rect.top(), TICK_WIDTH, rect.height()), colour)


def _fill_bar(painter: QPainter, rect: QRectF, parts: list[tuple[float, float, QColor]]) -> None:
    """Fill from-to shares of a bar with round ends, later parts over earlier ones."""
    ratio = painter.device().devicePixelRatio()
    width, height = round(rect.width() * ratio), round(rect.height() * ratio)
    left, top = round(rect.left() * ratio) / ratio, round(rect.top() * ratio) / ratio
    for start, end, colour in parts:
        begin, stop = round(start * width), round(end * width)
        if stop > begin:
            painter.drawPixmap(
                QRectF(left + begin / ratio, top, (stop - begin) / ratio, height / ratio),
                _bar_pixmap(width, height, _ink(colour)),
                QRectF(begin, 0, stop - begin, height),
            )


@lru_cache(maxsize=256)
def _bar_pixmap(width: int, height: int, ink: str) -> QPixmap:
    """Return a whole bar with round ends, in device pixels; parts of it are cut out of this."""

    def paint(painter: QPainter) -> None:
        with smooth(painter, brush=QColor(ink)):
            painter.drawRoundedRect(QRectF(0, 0, width, height), height / 2, height / 2)

    return painted_pixmap(width, height, 1.0, paint)


def _ink(colour: QColor) -> str:
    """Return a colour as a key that pixmaps are kept by."""
    return colour.name(QColor.NameFormat.HexArgb)


def change_width() -> int:
    """Return the width that a change below ten needs, arrow included."""
    return text_width(Role.META, "+0.0000") + scaled(10)


def draw_change(
    painter: QPainter, rect: QRectF, theme: Theme, *, change: float | None, is_quality: bool = True
) -> None:
    """Draw a change, right aligned: arrow, sign and number in good or bad; ``·`` for none.

    Args:
        painter: any.
        rect: at least :func:`change_width` wide.
        theme: the colours.
        change: the difference; ``None`` draws nothing (there is nothing to compare with).
        is_quality: whether more is better; else sign and number stand alone, in the ink of text.
    """
    if change is None:
        return
    text = format_change(change)
    painter.save()
    if text == NO_CHANGE:
        draw_text(painter, rect, text, role=Role.META, colour=theme.text3, align=RIGHT)
    elif not is_quality:
        draw_text(painter, rect, text, role=Role.META, colour=theme.text2, align=RIGHT)
    else:
        colour = theme.good if change > 0 else theme.bad
        draw_text(painter, rect, text, role=Role.META, colour=colour, align=RIGHT)
        left = rect.right() - figures_width(Role.META, text) - scaled(9.5)
        ratio = painter.device().devicePixelRatio()
        pixmap = _arrow_pixmap(_ink(colour), rises=change > 0, ratio=ratio)
        painter.drawPixmap(QPointF(left, rect.center().y() - 3).toPoint(), pixmap)
    painter.restore()


@lru_cache(maxsize=32)
def _arrow_pixmap(ink: str, *, rises: bool, ratio: float) -> QPixmap:
    base, tip = (6.0, 0.0) if rises else (0.0, 6.0)

    def paint(painter: QPainter) -> None:
        corners = ((0.25, base), (6.75, base), (3.5, tip))
        with smooth(painter, brush=QColor(ink)):
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))

    return painted_pixmap(7, 6, ratio, paint)


def draw_ring(painter: QPainter, rect: QRectF, theme: Theme, *, share: float) -> None:
    """Draw a query's progress: empty ring at 0, filled clockwise, a check at 1.

    Args:
        painter: any.
        rect: a square, 12 px at a 13 px font.
        theme: the colours.
        share: judged part of the pool, 0 to 1.
    """
    if share >= 1:
        draw_check(painter, rect, theme.good)
        return
    ink = theme.accent if share > 0 else theme.line_strong
    with smooth(painter, QPen(ink, 1.25)):
        ring = rect.adjusted(0.75, 0.75, -0.75, -0.75)
        painter.drawEllipse(ring)
        if share > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawPie(ring.adjusted(1, 1, -1, -1), TWELVE_O_CLOCK, -round(share * TURN))


def draw_check(painter: QPainter, rect: QRectF, colour: QColor) -> None:
    """Draw a check mark into a square."""
    with smooth(painter, _round_pen(colour, max(1.75, rect.width() / 7))):
        points = ((1.5, 6.5), (4.5, 9.5), (10.5, 3.0))
        _draw_polyline(painter, rect.topLeft(), rect.width() / 12, points)


def _round_pen(colour: QColor, width: float) -> QPen:
    style = Qt.PenStyle.SolidLine
    return QPen(colour, width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _draw_polyline(
    painter: QPainter, origin: QPointF, unit: float, points: Iterable[tuple[float, float]]
) -> None:
    """Draw a line through points, counted in units from an origin."""
    painter.drawPolyline(QPolygonF([origin + QPointF(x, y) * unit for x, y in points]))


CHIP_DISC = 14
CHIP_GAP = 6
DASHES = 8
MOST_DISCS = 6
NEEDED_CONTRAST, HIGH_CONTRAST = 3.0, 4.5
# Which of the six inks a scale of so many levels takes, lowest level first.
_RAMP_PLACES: dict[int, tuple[int, ...]] = {
    2: (0, 5),
    3: (0, 2, 5),
    4: (0, 1, 3, 5),
    5: (0, 1, 2, 4, 5),
    6: (0, 1, 2, 3, 4, 5),
}


class Symbol(Enum):
    """What stands left of the digit."""

    DISC = "disc"
    SIGN = "sign"
    BAR = "bar"
    UNJUDGED = "unjudged"
    CANNOT_JUDGE = "cannot_judge"
    SKIPPED = "skipped"


@dataclass(frozen=True, eq=False, slots=True)
class GradeStyle:
    """The look of one level, of a grade between levels, or of a document without a grade.

    Attributes:
        text: the grade as shown, or ``–``.
        name: the level's name, or the state in words; for tooltips and readers.
        key: the key that gives it, or ``""``.
        ink: colour of symbol, bars and lines.
        ground: of the chip; ``None`` where a chip has none (no grade).
        symbol: see :class:`Symbol`.
        fraction: how much of disc or bar is filled, 0 to 1.
        grade: the number, or ``None``.
        sign: the scale's own character in place of a disc, of ``Symbol.SIGN``.
    """

    text: str
    name: str
    key: str
    ink: QColor
    ground: QColor | None
    symbol: Symbol
    fraction: float
    grade: float | None = None
    sign: str = ""


def draw_symbol(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    """Draw a grade's disc (or bar, or the sign of a state) into a square.

    The disc is filled clockwise from 12 by ``style.fraction``: ring with a bar at 0,
    full at 1; a level with a sign of its own shows that. Unjudged is a dashed ring, 'cannot judge' a ring with a slash,
    skipped two chevrons. A scale without discs gets a bar filled from the left.
    """
    with smooth(painter):
        if style.symbol is Symbol.BAR:
            _draw_level_bar(painter, rect, style)
        elif style.symbol is Symbol.SIGN:
            # Wider than the disc's square: a letter of two columns would be elided to dots.
            place = rect.adjusted(-3, 0, 3, 0)
            draw_text(
                painter, place, style.sign, role=Role.UI_STRONG, colour=style.ink, align=CENTRE
            )
        elif style.symbol is Symbol.SKIPPED:
            _draw_chevrons(painter, rect, style.ink)
        else:
            _draw_disc(painter, rect, style)


def _draw_disc(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    width = max(1.5, rect.width() / 9)
    ring = rect.adjusted(width / 2 + 0.25, width / 2 + 0.25, -width / 2 - 0.25, -width / 2 - 0.25)
    pen = QPen(style.ink, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if style.symbol is Symbol.UNJUDGED:
        dash = pi * ring.width() / width / (2 * DASHES)
        pen.setDashPattern([dash, dash])
    painter.setPen(pen)
    is_full = style.symbol is Symbol.DISC and style.fraction >= 1
    painter.setBrush(style.ink if is_full else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(ring)
    if style.symbol is Symbol.CANNOT_JUDGE:
        reach = ring.width() / 2 * 0.7071
        centre = ring.center()
        painter.drawLine(centre + QPointF(-reach, reach), centre + QPointF(reach, -reach))
    elif style.symbol is Symbol.DISC and style.fraction <= 0:
        half = ring.width() * 0.24
        painter.drawLine(ring.center() - QPointF(half, 0), ring.center() + QPointF(half, 0))
    elif style.symbol is Symbol.DISC and not is_full:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.ink)
        painter.drawPie(ring, TWELVE_O_CLOCK, -round(style.fraction * TURN))


def _draw_level_bar(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    height = max(6.0, round(rect.height() * 0.45))
    frame = QRectF(rect.left(), rect.center().y() - height / 2, rect.width(), height)
    path = QPainterPath()
    path.addRoundedRect(frame, 1.5, 1.5)
    painter.setClipPath(path)
    filled = QRectF(frame)
    filled.setWidth(frame.width() * style.fraction)
    painter.fillRect(filled, style.ink)
    painter.setClipping(False)
    painter.setPen(QPen(style.ink, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5)


def _draw_chevrons(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    painter.setPen(_round_pen(ink, max(1.5, rect.width() / 9)))
    for shift in (-4.0, 1.0):
        corners = ((shift, -3.5), (shift + 3.5, 0.0), (shift, 3.5))
        _draw_polyline(painter, rect.center(), rect.width() / 14, corners)


@kept_for_font
def chip_height() -> int:
    """Return the height of a chip: 20 px at a 13 px font."""
    return max(scaled(20), metrics(Role.UI_STRONG).height() + 2)


def chip_width(styles: Iterable[GradeStyle]) -> int:
    """Return the one width that fits the digits of all these looks (a scale's)."""
    digits = max((text_width(Role.UI_STRONG, style.text) for style in styles), default=0)
    return scaled(6) + scaled(CHIP_DISC) + scaled(CHIP_GAP) + max(digits, scaled(8)) + scaled(6)


def draw_chip(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a grade chip: ground, symbol, digit.

    Args:
        painter: any.
        rect: ``chip_width(scale_styles(...))`` by :func:`chip_height`.
        theme: the colours.
        style: of the grade or state; states have no ground.
    """
    if style.ground is not None:
        with smooth(painter, brush=style.ground):
            painter.drawRoundedRect(rect, 5, 5)
    _draw_in_chip(painter, rect, theme, style)


def draw_assumed_chip(painter: QPainter, chip: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip that is only assumed: a dashed frame and no ground."""
    draw_dashed_frame(painter, chip, radius=5, border=style.ink)
    _draw_in_chip(painter, chip, theme, style)


def _draw_in_chip(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    disc = float(scaled(CHIP_DISC))
    top = round(rect.center().y() - disc / 2)
    left = rect.left() + scaled(6) + disc + scaled(CHIP_GAP)
    digits = QRectF(left, rect.top(), rect.right() - scaled(6) - left, rect.height())
    if fits(Role.UI_STRONG, style.text, digits.width()):
        draw_symbol(painter, QRectF(rect.left() + scaled(6), top, disc, disc), style)
    else:
        # A mean on a scale of whole grades: the number tells more than its bar.
        digits = rect.adjusted(scaled(4), 0, -scaled(4), 0)
    colour = theme.text if style.grade is not None else theme.text3
    painter.save()
    draw_text(painter, digits, style.text, role=Role.UI_STRONG, colour=colour, align=CENTRE)
    painter.restore()


@lru_cache(maxsize=256)
def _chip_pixmap(theme: Theme, style: GradeStyle, width: int, height: int, ratio: float) -> QPixmap:
    place = QRectF(0, 0, width, height)
    return painted_pixmap(
        width, height, ratio, lambda painter: draw_chip(painter, place, theme, style)
    )


def draw_chip_cached(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip from a pixmap that is kept per look, size and device pixel ratio.

    For views that paint many.
    """
    ratio = painter.device().devicePixelRatio()
    size = round(rect.width()), round(rect.height())
    painter.drawPixmap(rect.topLeft(), _chip_pixmap(theme, style, *size, ratio))


def draw_confidence(painter: QPainter, place: QRectF, ink: QColor, *, confidence: int) -> None:
    """Paint three dots in the middle of a place, as many of them full as one is sure.

    Args:
        painter: any.
        place: where; the dots are as wide as 18 px at a 13 px font.
        ink: the grade's.
        confidence: as in ``CONFIDENCES``; full dots count from the left in any layout.
    """
    size, gap = scaled(4), scaled(3)
    left = place.center().x() - (3 * size + 2 * gap) / 2
    with smooth(painter, QPen(ink, 1.0)):
        for number in range(3):
            painter.setBrush(ink if number < confidence else Qt.BrushStyle.NoBrush)
            top = place.center().y() - size / 2
            painter.drawEllipse(QRectF(left + number * (size + gap), top, size, size))


@lru_cache(maxsize=64)
def scale_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return the look of every level of a scale, lowest grade first."""
    return tuple(
        _level_style(scale, level, place, theme=theme) for place, level in enumerate(scale.levels)
    )


def widest_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return looks of which one is as wide as any grade's: levels, and two decimals between."""
    styles = scale_styles(scale, theme)
    if not scale.is_continuous:
        return styles
    ends = (scale.levels[0].grade, scale.max_grade)
    return (*styles, *(grade_style(scale, round(end) + 0.44, theme) for end in ends))


def grade_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    """Return the look of one grade, also of one between the levels or off the scale.

    Args:
        scale: the project's.
        grade: any number; what is outside the scale is drawn as its nearest end.
        theme: the colours.
    """
    for level, style in zip(scale.levels, scale_styles(scale, theme), strict=True):
        if level.grade == grade:
            return style
    return _between_style(scale, grade, theme)


@lru_cache(maxsize=16)
def state_style(state: State, theme: Theme) -> GradeStyle:
    """Return the look of a document without a grade.

    Raises:
        ValueError: ``state`` is ``JUDGED``; its look needs the grade.
    """
    names = {
        State.UNJUDGED: (Symbol.UNJUDGED, _("not judged")),
        State.CANNOT_JUDGE: (Symbol.CANNOT_JUDGE, _("cannot be judged")),
        State.SKIPPED: (Symbol.SKIPPED, _("skipped")),
    }
    if state not in names:
        raise ValueError("a judged document's look needs its grade: grade_style()")
    symbol, name = names[state]
    return GradeStyle(UNDEFINED, name, "", theme.text3, None, symbol, 0.0)


def judgment_style(scale: Scale, state: State, grade: float | None, theme: Theme) -> GradeStyle:
    """Return the look of a judgment: of its grade when it has one, else of its state."""
    if grade is None:
        return state_style(state, theme)
    return grade_style(scale, grade, theme)


def ramp_ink(theme: Theme, place: int, count: int) -> QColor:
    """Return the ink of level ``place`` (from 0) of a scale with ``count`` levels."""
    if count in _RAMP_PLACES:
        return theme.ramp[_RAMP_PLACES[count][place]]
    return _ramp_between(theme, place / max(1, count - 1))


def colour_complaint(colour: str, theme: Theme) -> str | None:
    """Return the nearest colour that can be seen on rows, or ``None`` when this one can.

    Args:
        colour: ``#rrggbb`` that a project wants for a level.
        theme: whose ``base`` and ``selected`` it must stand out from by 3:1.
    """
    wished = QColor(colour).name()
    nearest = nearest_passing(wished, (theme.base.name(), theme.selected.name()), NEEDED_CONTRAST)
    return None if nearest == wished else nearest


def _own_ink(colour: str, theme: Theme) -> QColor:
    """Return a project's own colour; in high contrast the nearest that reaches 4.5:1."""
    if not theme.is_high:
        return QColor(colour)
    grounds = tuple(ground.name() for ground in theme.grounds)
    return QColor(nearest_passing(QColor(colour).name(), grounds, HIGH_CONTRAST))


def _ramp_between(theme: Theme, share: float) -> QColor:
    return QColor(interpolate_oklab(tuple(ink.name() for ink in theme.ramp), share))


def _level_symbol(scale: Scale, level: Level) -> Symbol:
    if level.symbol:
        return Symbol.SIGN
    has_discs = len(scale.levels) <= MOST_DISCS and not scale.is_continuous
    return Symbol.DISC if has_discs else Symbol.BAR


def _fraction(scale: Scale, level: Level, place: int) -> float:
    """Return how full disc or bar is: by place, on a continuous scale by the number."""
    if not scale.is_continuous:
        return place / (len(scale.levels) - 1)
    lowest = scale.levels[0].grade
    return (level.grade - lowest) / (scale.max_grade - lowest)


def _level_style(scale: Scale, level: Level, place: int, *, theme: Theme) -> GradeStyle:
    count = len(scale.levels)
    ink = _own_ink(level.colour, theme) if level.colour else ramp_ink(theme, place, count)
    return GradeStyle(
        text=level.label,
        name=level.shown_name,
        key=level.key,
        ink=ink,
        ground=theme.chip_ground(ink),
        symbol=_level_symbol(scale, level),
        fraction=_fraction(scale, level, place),
        grade=level.grade,
        sign=level.symbol,
    )


@lru_cache(maxsize=512)
def _between_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    lowest, highest = scale.levels[0].grade, scale.max_grade
    share = min(1.0, max(0.0, (grade - lowest) / (highest - lowest)))
    ink = _ramp_between(theme, share)
    # No more fits into a chip.
    text = local_number(shown_grade(grade, decimals=2))
    return GradeStyle(
        text,
        _("grade {text}").format(text=text),
        "",
        ink,
        theme.chip_ground(ink),
        Symbol.BAR,
        share,
        grade,
    )
