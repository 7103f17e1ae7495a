"""A document prepared for showing: lines that Qt lays out quickly; a page's colours, width and size."""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, pairwise, starmap
from typing import NamedTuple

from judgetool.core.judgments import Document
from judgetool.core.terms import Span as Place
from judgetool.core.terms import find_folded, natural_end, one_line
from judgetool.gui.painting import format_count
from judgetool.gui.theme import Role, Theme, current_theme, metrics, mixed, scaled, theme_of
from judgetool.wording import N_, _

PAGE_COLOURS = {
    "theme": N_("As the window"),
    "light": N_("Light"),
    "dark": N_("Dark"),
    "sepia": N_("Sepia"),
}
LINE_NAMES = {"narrow": N_("narrow"), "standard": N_("standard"), "wide": N_("wide")}
LINE_WIDTHS = {"narrow": 54, "standard": 72, "wide": 100}
MARGIN, FOCUS_MARGIN = 20, 32
_SOME_TEXT = "the quick brown fox jumps over the lazy dog and goes home "


@cache
def _sepia(*, is_high: bool) -> Theme:
    light = theme_of(is_dark=False, is_high=is_high)
    darker = tuple(mixed(line, light.sepia_text, 0.2) for line in light.mark_lines)
    return replace(
        light,
        mark_lines=darker,
        base=light.sepia_page,
        text=light.sepia_text,
        text2=light.sepia_text2,
        text3=light.sepia_text2,
        line=light.sepia_line,
        line_strong=light.sepia_text2,
    )


def page_theme(colour: str) -> Theme:
    """Return the colours of a page.

    Args:
        colour: a key of :data:`PAGE_COLOURS`.
    """
    now = current_theme()
    if colour == "sepia":
        return _sepia(is_high=now.is_high)
    return now if colour == "theme" else theme_of(is_dark=colour == "dark", is_high=now.is_high)


class PageLook(NamedTuple):
    """How a page is set.

    Attributes:
        theme: the colours of the page.
        grow: px added to the size of title and text.
        is_large: whether it is the focus view's.
        columns: characters on a line at the most.
        is_low: whether there is little height: the focus view’s page is set as the list’s then.
    """

    theme: Theme
    grow: float = 0.0
    is_large: bool = False
    columns: int = LINE_WIDTHS["standard"]
    is_low: bool = False

    @property
    def title(self) -> Role:
        """How the title is set."""
        return Role.TITLE_FOCUS if self._has_room else Role.TITLE

    @property
    def text(self) -> Role:
        """How the text is set."""
        return Role.DOCUMENT_FOCUS if self._has_room else Role.DOCUMENT

    @property
    def margin(self) -> int:
        """Between page edge and text, in px."""
        return scaled(FOCUS_MARGIN if self.is_large else MARGIN)

    @property
    def top(self) -> int:
        """Above the title, in px."""
        if self.is_low:
            return scaled(5)
        return min(scaled(40), 48) if self.is_large else scaled(15)

    @property
    def _has_room(self) -> bool:
        return self.is_large and not self.is_low

    @property
    def column(self) -> int:
        """How wide the page is at the most, margins included, in px."""
        return self.width_of(self.columns)

    def width_of(self, columns: int) -> int:
        """Return how wide a page of so many characters on a line is, margins included, in px."""
        advance = metrics(self.text, grow=self.grow).horizontalAdvance(_SOME_TEXT)
        return round(advance / len(_SOME_TEXT) * columns) + 2 * self.margin


LONGEST_LINE = 2000
# A sentence that ends so little later may still end its line.
_REACH = 100
# Of a text so much is looked at to see whether its lines were broken by hand.
_LOOKED_AT = 20_000
# No passage begins behind so much of a text.
_MOST_READ = 500_000
_NARROWEST, _WIDEST, _LEAST_BREAKS, _ENOUGH, _SHORT = 40, 100, 2, 4, 0.6
# So many of the lines are so full, and so many of those go on in a sentence.
_MOST_FULL, _FULL, _GOING_ON = 0.7, 0.85, 0.7
# Lists, quotations, and what stands in heads of letters.
_BEGINS = re.compile(r"[ \t>|]|[-*•–·]\s|\(?\d{1,3}[.)]\s|[A-Z][A-Za-z-]{1,20}:\s")
_QUOTES = (">", "|")
_ONE_END = ("\n", "\r\n", "\r", "\x85", "\u2028")
_LONGEST_END = len("\r\n")
_LINE_END_SIGNS = "\n\r\x85\u2028\u2029"
# So much of a paragraph tells its direction.
_HEAD = 200
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
# What would steer a terminal, or Qt's own marks for frames and objects, shows as nothing.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffc]")
# What a title shows as a blank, and what it leaves out besides.
_BLANK = re.compile("[\\s\x00-\x1f\x7f-\x9f\u2028\u2029\ufffc]")
_LEFT_OUT = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


class Line(NamedTuple):
    """One paragraph as it is shown.

    Attributes:
        field: ``title``, ``body`` or a field's name; ``""`` where what is shown is not
            what the field holds.
        start: where in the field its first character is.
        text: as shown; most characters are the field's.
        gaps: where in the field characters are that are not shown, in order.
        lead: so many characters at the beginning are not the field's ('… ').
        tail: so many at the end.
        head: how its paragraph begins, where that is elsewhere: the paragraph's direction.
    """

    field: str
    start: int
    text: str
    gaps: tuple[int, ...] = ()
    lead: int = 0
    tail: int = 0
    head: str = ""

    @property
    def runs_as(self) -> str:
        """The text that says in which direction it runs."""
        return self.head or self.text

    @property
    def end(self) -> int:
        """Where in the field the line ends."""
        return self.field_place(len(self.text))

    def goes_on_in(self, after: "Line") -> bool:
        """Whether a paragraph goes on in the line after this one: a long one is cut for display."""
        return self.joint_with(after) == ""

    def joint_with(self, after: "Line") -> str | None:
        """Return how a text reads on in the line after this one.

        Returns:
            The blank that stands for a line's end, ``""`` within a paragraph that is cut for
            display; ``None`` where the text goes on elsewhere.
        """
        gap = after.start - self.end
        if self.field != after.field or not self.field or self.tail or after.lead:
            return None
        return None if not 0 <= gap <= _LONGEST_END else " " if gap else ""

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
    pairs = [(line, after) for line, after in pairwise(lines) if _may_go_on(line, after)]
    n_wide = sum(len(line) > _WIDEST for line in lines)
    # A long address, or a head, says nothing of the others.
    if len(pairs) < _LEAST_BREAKS or n_wide > max(len(pairs) > _ENOUGH, len(pairs) // 10):
        return 0
    usual = sorted(len(line) for line, __ in pairs)[len(pairs) * 3 // 4]
    # Short ones are never joined, as in a signature.
    pairs = [(line, after) for line, after in pairs if len(line) > _SHORT * usual]
    if not _NARROWEST <= usual <= _WIDEST or len(pairs) < _LEAST_BREAKS:
        return 0
    n_full = sum(len(line) + len(after.split()[0]) >= _FULL * usual for line, after in pairs)
    n_going_on = sum(not after.lstrip()[0].isupper() for __, after in pairs)
    return usual if min(n_full, n_going_on / _GOING_ON) >= _MOST_FULL * len(pairs) else 0


def _may_go_on(line: str, after: str) -> bool:
    """Whether a line may be one of a paragraph that the next one is of, too."""
    if not line.strip() or not after.strip():
        return False
    return not (_BEGINS.match(after) or line.startswith(_QUOTES))


def _goes_on(line: str, after: str, width: int) -> bool:
    """Whether a text that was broken at a width goes on in the next line as one paragraph."""
    if not _may_go_on(line, after):
        return False
    # Had a short one gone on, the next word would stand in it.
    return len(line) > _SHORT * width


def unbroken(text: str, width: int) -> str:
    """Return a text that was broken at a width as it reads, each character in its place.

    Within a paragraph a blank stands for a line's end; of very long texts only so far as passages
    are looked for.
    """
    read = text[:_MOST_READ]
    lines = read.splitlines(keepends=True)
    return "".join(starmap(partial(_reading_on, width), pairwise((*lines, "")))) + text[len(read) :]


def _reading_on(width: int, line: str, after: str) -> str:
    """Return a line with blanks in place of its end where its paragraph goes on."""
    end = line[len(line.rstrip(_LINE_END_SIGNS)) :]
    goes_on = end in _ONE_END and _goes_on(line.removesuffix(end), after, width)
    return line.removesuffix(end) + " " * len(end) if goes_on else line


def iter_lines(
    field: str, value: str, *, start: int = 0, end: int | None = None, width: int = 0
) -> Iterator[Line]:
    """Yield a field's lines, hard-split where they are longer than 2,000 characters.

    They are split where a sentence ends, else a word, and never before a combining mark.
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
    place, head = start, _head_before(value, start)
    while True:
        found = _LINE_END.search(value, place, min(end, place + LONGEST_LINE + 2))
        if found is not None and found.start() - place <= LONGEST_LINE:
            yield _line(field, value, place, found.start(), head)
            place, head = found.end(), ""
        elif end - place > LONGEST_LINE:
            split = cut_place(value, place, LONGEST_LINE - _REACH)
            yield _line(field, value, place, split, head)
            place, head = split, head or value[place : place + _HEAD]
        else:
            yield _line(field, value, place, end, head)
            return


def _iter_joined(field: str, value: str, start: int, end: int, width: int) -> Iterator[Line]:
    lines = iter_lines(field, value, start=start, end=end)
    paragraph = last = next(lines)
    # How long a line is that is shown from its midst on is known from its beginning.
    begun = start - len(_head_before(value, start))
    for line in lines:
        is_more = value[paragraph.end : line.start] in _ONE_END and _goes_on(
            value[begun : last.end], line.text, width
        )
        is_full = len(paragraph.text) + len(line.text) >= LONGEST_LINE
        if is_more and is_full:
            yield _join(paragraph, line._replace(text="", gaps=()))
        elif not is_more:
            yield paragraph
        paragraph = _join(paragraph, line) if is_more and not is_full else line
        last, begun = line, line.start
    yield paragraph


def _join(before: Line, line: Line) -> Line:
    """Put a line behind another: the line end between them is shown as a blank."""
    # Of \r\n the first has nothing to show.
    unshown = tuple(range(before.end, line.start - 1))
    gaps = *before.gaps, *unshown, *line.gaps
    return before._replace(text=f"{before.text} {line.text}", gaps=gaps)


def _line(field: str, value: str, start: int, end: int, head: str) -> Line:
    text = value[start:end]
    if _UNSHOWN.search(text) is None:
        return Line(field, start, text, head=head)
    gaps = tuple(start + found.start() for found in _UNSHOWN.finditer(text))
    return Line(field, start, _UNSHOWN.sub("", text), gaps, head=head)


def _head_before(value: str, start: int) -> str:
    """Return how the paragraph begins in whose midst a place is; ``""`` where one begins there."""
    first = 1 + max(value.rfind(end, 0, start) for end in _LINE_END_SIGNS)
    return value[first : min(start, first + _HEAD)]


def cut_place(text: str, start: int, size: int) -> int:
    """Return where to cut a text near a size: behind a sentence, else a word, and its blank.

    Args:
        text: longer than the size by some hundred characters.
        start: of the piece to be cut off.
        size: of it.
    """
    place = natural_end(text, start, size)
    if text[place] == " ":
        return place + 1
    least = place - _REACH
    while place > least and unicodedata.combining(text[place]):
        place -= 1
    return place


# A letter that is typed may stand in the text with so many marks, one less.
_MOST_FOLDED = 4
LinePlace = tuple[int, int, int]
"""Number of a line, and start and end of a piece of it, in characters."""


def iter_found(lines: Iterable[Line], typed: str) -> Iterator[list[LinePlace]]:
    """Yield for each line where a text that somebody typed begins in it.

    It may end in the next line: its end is then behind the line's and what joins the two.
    """
    taken = 0
    for number, (line, after) in enumerate(pairwise(chain(lines, (Line("", 0, ""),)))):
        joint = line.joint_with(after)
        behind = len(line.text) + len(joint or "")
        more = "" if joint is None else joint + after.text[: _MOST_FOLDED * len(typed)]
        text = line.text + more
        found = [
            (number, taken + start, taken + end)
            for start, end in find_folded(text[taken:], typed)
            if taken + start < len(line.text)
        ]
        taken = max(0, found[-1][2] - behind) if found else 0
        yield found


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


MOST_TITLE = 2000
MOST_FIELD = 5000
SHORT_FIELD = 28
MOST_SHORT = 6
LEAD, TAIL = "… ", " …"
_SENTENCE_ENDS = ".!?。！？।؟…"


class Page(NamedTuple):
    """What the document pane shows.

    Attributes:
        title: on one line; the id where there is no title.
        has_title: whether ``title`` is one, not the id.
        url: the whole address, on one line.
        body: the whole text.
        passages: the pieces of it that are shown; ``None`` shows all of it.
        part: which part of how many is shown of a very long text; ``None`` for no part.
        fields: name and value of each field as it is, the id last.
        short: names of the fields that a quiet line under the title can show.
        has_text: whether there is more to show than the id.
        width: where the text's lines were broken by hand and are joined; 0 for nowhere.
    """

    title: Line
    has_title: bool
    url: str
    body: str
    passages: tuple[Place, ...] | None
    part: tuple[int, int] | None
    fields: tuple[tuple[str, str], ...]
    short: tuple[str, ...]
    has_text: bool
    width: int = 0

    @property
    def is_excerpt(self) -> bool:
        """Whether only passages of the text are shown."""
        return self.passages is not None and self.part is None

    @property
    def n_shown(self) -> int:
        """How many characters of the text are shown."""
        if self.passages is None:
            return len(self.body)
        return sum(end - start for start, end in self.passages)

    def iter_body(self) -> Iterator[Line]:
        """Yield the lines of the text that are shown."""
        if self.passages is None:
            if self.body:
                yield from iter_lines("body", self.body, width=self.width)
            return
        for start, end in self.passages:
            yield from _iter_passage(self.body, start, end, self.width)

    def field_lines(self, name: str, value: str) -> tuple[Line, ...]:
        """Return a field's value as it is shown, cut where it is very long."""
        text = readable(value)
        if text != value or name == "id":
            return tuple(iter_lines("", _cut(text)))
        if len(value) <= MOST_FIELD:
            return tuple(iter_lines(name, value))
        *lines, last = iter_lines(name, value, end=MOST_FIELD)
        rest = " … " + _("({count} more characters)").format(
            count=format_count(len(value) - MOST_FIELD)
        )
        return (*lines, last._replace(text=last.text + rest, tail=len(rest)))


def make_page(
    document: Document,
    *,
    passages: tuple[Place, ...] | None = None,
    part: tuple[int, int] | None = None,
    width: int = 0,
) -> Page:
    """Return a document as the pane shows it.

    Args:
        document: whatever it holds; nothing of it is read as markup.
        passages: the pieces of the text to show; ``None`` for all of it.
        part: which part (from 1) of how many the one passage is; ``None`` for no part.
        width: where the text's lines were broken by hand, to be joined; 0 for nowhere.
    """
    title = make_one_line("title", document.title, most=MOST_TITLE)
    identifier = one_line(document.id, most=MOST_TITLE) or document.id[:MOST_TITLE]
    fields = [(one_line(name, most=100), value) for name, value in document.fields.items()]
    if len(document.title) > MOST_TITLE:
        title = title._replace(text=title.text + TAIL, tail=len(TAIL))
        fields.append(("title", document.title))
    return Page(
        title if title.text else Line("", 0, identifier),
        bool(title.text),
        one_line(document.url, most=MOST_TITLE),
        document.body,
        passages,
        part,
        (*fields, ("id", document.id[:MOST_TITLE])),
        tuple(name for name, value in fields if _is_short(value))[:MOST_SHORT],
        document.has_text,
        width,
    )


def _is_short(value: str) -> bool:
    return 0 < len(value) <= SHORT_FIELD and value.isprintable() and value[0] not in "{["


def _iter_passage(body: str, start: int, end: int, width: int) -> Iterator[Line]:
    """Yield a passage's lines with '…' where the text goes on before or behind it."""
    lines = list(iter_lines("body", body, start=start, end=end, width=width))
    # Dots stand beside words, not on a line of their own.
    while len(lines) > 1 and not lines[0].text.strip():
        del lines[0]
    before = body[max(0, start - 2) : start].rstrip()
    if start > 0 and not before.endswith(tuple(_SENTENCE_ENDS)):
        lines[0] = lines[0]._replace(text=LEAD + lines[0].text, lead=len(LEAD))
    if end < len(body):
        lines[-1] = lines[-1]._replace(text=lines[-1].text + TAIL, tail=len(TAIL))
    yield from lines


def readable(value: str) -> str:
    """Return a field's value for reading: a JSON object or list line by line, others as they are.

    Examples:
        >>> print(readable('{"size":"AAA","volts":1.5}'))
        size: AAA
        volts: 1.5
    """
    if len(value) > MOST_FIELD or not value.startswith(("{", "[")):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(found, dict) and found:
        return "\n".join(f"{name}: {_plain(item)}" for name, item in found.items())
    if isinstance(found, list) and found:
        return "\n".join(_plain(item) for item in found)
    return value


def _plain(item: object) -> str:
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_FIELD else f"{text[:MOST_FIELD]} …"
