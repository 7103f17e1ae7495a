"""A document prepared for showing: plain text in lines that Qt can lay out quickly."""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from judgetool.core.documents import Document
from judgetool.core.excerpts import one_line

LONGEST_LINE = 2000
MOST_AT_ONCE = 2_000_000
MOST_TITLE = 2000
MOST_FIELD = 5000
_LOOK_BACK = 200
# What would steer a terminal, or Qt's own marks for frames and objects, shows as nothing.
_UNSHOWN = dict.fromkeys(
    [*range(9), 11, 12, *range(14, 0x20), *range(0x7F, 0x85), *range(0x86, 0xA0), 0xFFFC]
)
_LINE_ENDS = str.maketrans({"\r": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})


@dataclass(frozen=True, slots=True)
class Page:
    """What the document pane shows.

    Attributes:
        title: on one line; the id where there is no title.
        has_title: whether ``title`` is one, not the id.
        url: the whole address, on one line.
        lines: of the text, none longer than 2,000 characters.
        fields: name and value of each field, the id last.
        has_text: whether there is more to show than the id.
        n_shown: characters of the text that are shown.
        n_all: characters that there are.
    """

    title: str
    has_title: bool
    url: str
    lines: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    has_text: bool
    n_shown: int
    n_all: int

    @property
    def is_cut(self) -> bool:
        """Whether the text is longer than what is shown."""
        return self.n_shown < self.n_all


def make_page(document: Document, *, most: int | None = MOST_AT_ONCE) -> Page:
    """Return a document as the pane shows it.

    Args:
        document: whatever it holds; nothing of it is read as markup.
        most: so many characters of the text at the most; ``None`` for all.
    """
    title = one_line(document.title, most=MOST_TITLE)
    body = document.body if most is None else document.body[:most]
    fields = [
        (one_line(name, most=100), _cut(readable(value), MOST_FIELD))
        for name, value in document.fields.items()
    ]
    identifier = document.id[:MOST_TITLE]
    return Page(
        title or one_line(identifier, most=MOST_TITLE) or identifier,
        bool(title),
        one_line(document.url, most=MOST_TITLE),
        tuple(iter_lines(body)) if body else (),
        (*fields, ("id", identifier)),
        document.has_text,
        len(body),
        len(document.body),
    )


def iter_lines(text: str) -> Iterator[str]:
    """Yield a text's lines, hard-split where they are longer than 2,000 characters.

    Lines are split at blanks where there are any, and never before a combining mark.
    Characters that cannot be shown are left out, so the lines are for reading only.
    """
    shown = text.replace("\r\n", "\n").translate(_LINE_ENDS).translate(_UNSHOWN)
    for line in shown.split("\n"):
        start = 0
        while len(line) - start > LONGEST_LINE:
            end = _split_place(line, start)
            yield line[start:end]
            start = end
        yield line[start:] if start else line


def _split_place(line: str, start: int) -> int:
    most = start + LONGEST_LINE
    blank = line.rfind(" ", most - _LOOK_BACK, most)
    if blank > 0:
        return blank + 1
    place = most
    while place > most - _LOOK_BACK and unicodedata.combining(line[place]):
        place -= 1
    return place


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


def _cut(text: str, most: int) -> str:
    return "\n".join(iter_lines(text if len(text) <= most else f"{text[:most]} …"))
