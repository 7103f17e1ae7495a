"""A document prepared for showing: plain text in lines that Qt can lay out quickly."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from judgetool.core.documents import Document
from judgetool.core.excerpts import one_line
from judgetool.core.terms import Span
from judgetool.gui.models.page_lines import Line, broken_width, iter_lines, make_one_line

MOST_TITLE = 2000
MOST_FIELD = 5000
SHORT_FIELD = 28
MOST_SHORT = 6
LEAD, TAIL = "… ", " …"
_SENTENCE_ENDS = ".!?。！？।؟…"


@dataclass(frozen=True, slots=True)
class Page:
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
    passages: tuple[Span, ...] | None
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
        rest = f" … ({len(value) - MOST_FIELD:,} more characters)"
        return (*lines, replace(last, text=last.text + rest, tail=len(rest)))


def make_page(
    document: Document,
    *,
    passages: tuple[Span, ...] | None = None,
    part: tuple[int, int] | None = None,
    joins_lines: bool = False,
) -> Page:
    """Return a document as the pane shows it.

    Args:
        document: whatever it holds; nothing of it is read as markup.
        passages: the pieces of the text to show; ``None`` for all of it.
        part: which part (from 1) of how many the one passage is; ``None`` for no part.
        joins_lines: whether lines of the text that were broken by hand are joined.
    """
    title = make_one_line("title", document.title, most=MOST_TITLE)
    identifier = one_line(document.id, most=MOST_TITLE) or document.id[:MOST_TITLE]
    fields = [(one_line(name, most=100), value) for name, value in document.fields.items()]
    if len(document.title) > MOST_TITLE:
        title = replace(title, text=title.text + TAIL, tail=len(TAIL))
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
        broken_width(document.body) if joins_lines else 0,
    )


def _is_short(value: str) -> bool:
    return 0 < len(value) <= SHORT_FIELD and value.isprintable() and value[0] not in "{["


def _iter_passage(body: str, start: int, end: int, width: int) -> Iterator[Line]:
    """Yield a passage's lines with '…' where the text goes on before or behind it."""
    lines = list(iter_lines("body", body, start=start, end=end, width=width))
    before = body[max(0, start - 2) : start].rstrip()
    if start > 0 and not before.endswith(tuple(_SENTENCE_ENDS)):
        lines[0] = replace(lines[0], text=LEAD + lines[0].text, lead=len(LEAD))
    if end < len(body):
        lines[-1] = replace(lines[-1], text=lines[-1].text + TAIL, tail=len(TAIL))
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
