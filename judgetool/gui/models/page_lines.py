"""Lines of a field as they are shown, each knowing where in the field its characters are."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_LINE = 2000
_LOOK_BACK = 200
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


def iter_lines(field: str, value: str, *, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """Yield a field's lines, hard-split where they are longer than 2,000 characters.

    Lines are split at blanks where there are any, and never before a combining mark.
    Nothing is read ahead, so that the beginning of a long text is there at once.

    Args:
        field: name of it.
        value: of it.
        start: where to begin.
        end: where to stop; ``None`` at the end.
    """
    end = len(value) if end is None else end
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
