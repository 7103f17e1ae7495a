"""Lines of a field as they are shown, each knowing where in the field its characters are."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

LONGEST_LINE = 2000
_LOOK_BACK = 200
# Of a text so much is looked at to see whether its lines were broken by hand.
_LOOKED_AT = 20_000
_NARROWEST, _WIDEST, _LEAST_BREAKS, _SHORT = 40, 100, 2, 0.6
# So many of the lines are so full, and so many of those go on in a sentence.
_MOST_FULL, _FULL, _GOING_ON = 0.7, 0.85, 0.7
_BEGINS = re.compile(r"[ \t]|[-*•–·]\s|\(?\d{1,3}[.)]\s")
_SENTENCE_ENDS = (".", ":", "!", "?", ";", "。", "！", "？")
_ONE_END = ("\n", "\r\n", "\r", "\x85", "\u2028")
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
# What would steer a terminal, or Qt's own marks for frames and objects, shows as nothing.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffc]")
# What a title shows as a blank, and what it leaves out besides.
_BLANK = re.compile("[\\s\x00-\x1f\x7f-\x9f\u2028\u2029\ufffc]")
_LEFT_OUT = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph as it is shown.

    Attributes:
        field: ``title``, ``body`` or a field's name; ``""`` where what is shown is not
            what the field holds.
        start: where in the field its first character is.
        text: as shown; most characters are the field's.
        gaps: where in the field characters are that are not shown, in order.
        lead: so many characters at the beginning are not the field's ('… ').
        tail: so many at the end.
    """

    field: str
    start: int
    text: str
    gaps: tuple[int, ...] = ()
    lead: int = 0
    tail: int = 0

    @property
    def end(self) -> int:
        """Where in the field the line ends."""
        return self.field_place(len(self.text))

    def field_place(self, shown: int) -> int:
        """Return where in the field a place of the shown text is."""
        inside = min(max(shown, self.lead), len(self.text) - self.tail) - self.lead
        place = self.start + inside
        for gap in self.gaps:
            if gap > place or (gap == place and inside == len(self.text) - self.lead - self.tail):
                break
            place += 1
        return place

    def shown_place(self, place: int) -> int:
        """Return where in the shown text a place of the field is; its nearest end outside."""
        inside = place - self.start - bisect_left(self.gaps, place)
        most = len(self.text) - self.lead - self.tail
        return min(max(inside, 0), most) + self.lead


def broken_width(text: str) -> int:
    """Return at which width the lines of a text were broken by hand; 0 where they were not.

    They were where most lines are about as long, and most go on in the middle of a sentence.
    Lists, verses and paragraphs on a line each are left as they are.
    """
    lines = text[:_LOOKED_AT].splitlines()
    widest = max(map(len, lines), default=0)
    pairs = [(line, after) for line, after in pairwise(lines) if line.strip() and after.strip()]
    if not _NARROWEST <= widest <= _WIDEST or len(pairs) < _LEAST_BREAKS:
        return 0
    # One line that is longer than all others says nothing.
    usual = sorted(len(line) for line, _ in pairs)[len(pairs) * 3 // 4]
    n_full = sum(len(line) + len(after.split()[0]) >= _FULL * usual for line, after in pairs)
    n_going_on = sum(not after.lstrip()[0].isupper() for _, after in pairs)
    return usual if min(n_full, n_going_on / _GOING_ON) >= _MOST_FULL * len(pairs) else 0


def _goes_on(line: str, after: str, width: int) -> bool:
    """Whether a text that was broken at a width goes on in the next line as one paragraph."""
    if not line.strip() or not after.strip() or _BEGINS.match(after):
        return False
    return len(line) > _SHORT * width or not line.rstrip().endswith(_SENTENCE_ENDS)


def iter_lines(
    field: str, value: str, *, start: int = 0, end: int | None = None, width: int = 0
) -> Iterator[Line]:
    """Yield a field's lines, hard-split where they are longer than 2,000 characters.

    Lines are split at blanks where there are any, and never before a combining mark.
    Nothing is read ahead, so that the beginning of a long text is there at once.

    Args:
        field: name of it.
        value: of it.
        start: where to begin.
        end: where to stop; ``None`` at the end.
        width: where the lines were broken by hand, so that they are joined; 0 for nowhere.
    """
    end = len(value) if end is None else end
    if width:
        yield from _iter_joined(field, value, start, end, width)
        return
    place = start
    while True:
        found = _LINE_END.search(value, place, min(end, place + LONGEST_LINE + 2))
        if found is not None and found.start() - place <= LONGEST_LINE:
            yield _line(field, value, place, found.start())
            place = found.end()
        elif end - place > LONGEST_LINE:
            split = _split_place(value, place)
            yield _line(field, value, place, split)
            place = split
        else:
            yield _line(field, value, place, end)
            return


def _iter_joined(field: str, value: str, start: int, end: int, width: int) -> Iterator[Line]:
    lines = iter_lines(field, value, start=start, end=end)
    paragraph = last = next(lines)
    for line in lines:
        is_more = (
            len(paragraph.text) + len(line.text) < LONGEST_LINE
            and value[paragraph.end : line.start] in _ONE_END
            and _goes_on(value[last.start : last.end], line.text, width)
        )
        if not is_more:
            yield paragraph
        paragraph = _join(paragraph, line) if is_more else line
        last = line
    yield paragraph


def _join(before: Line, line: Line) -> Line:
    """Put a line behind another: the line end between them is shown as a blank."""
    # Of \r\n the first has nothing to show.
    unshown = tuple(range(before.end + 1, line.start))
    return Line(
        before.field,
        before.start,
        f"{before.text} {line.text}",
        (*before.gaps, *unshown, *line.gaps),
    )


def _line(field: str, value: str, start: int, end: int) -> Line:
    text = value[start:end]
    if _UNSHOWN.search(text) is None:
        return Line(field, start, text)
    gaps = tuple(start + found.start() for found in _UNSHOWN.finditer(text))
    return Line(field, start, _UNSHOWN.sub("", text), gaps)


def _split_place(text: str, start: int) -> int:
    most = start + LONGEST_LINE
    blank = text.rfind(" ", most - _LOOK_BACK, most)
    if blank > 0:
        return blank + 1
    place = most
    while place > most - _LOOK_BACK and unicodedata.combining(text[place]):
        place -= 1
    return place


def make_one_line(field: str, value: str, *, most: int) -> Line:
    """Return the beginning of a field on one line, with every run of blanks as one space."""
    shown: list[str] = []
    gaps: list[int] = []
    for place, char in enumerate(value[:most]):
        if _LEFT_OUT.match(char):
            gaps.append(place)
        elif not _BLANK.match(char):
            shown.append(char)
        elif shown and shown[-1] != " ":
            shown.append(" ")
        else:
            gaps.append(place)
    return Line(field, 0, "".join(shown).rstrip(" "), tuple(gaps))
