"""TREC documents: ``<DOC> <DOCNO> ... <TEXT> ... </DOC>``, one after the other."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator

from judgetool.core.documents import Document
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.values import Reading

_START = re.compile(r"<DOC(\s[^<>]*)?>", re.IGNORECASE)
_END = re.compile(r"</DOC\s*>", re.IGNORECASE)
_MARK = re.compile(r"</?DOC(\s[^<>]*)?>", re.IGNORECASE)
_NAMED = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_-]*(?:\s[^<>]*)?/?>")
_TITLES = ("title", "headline", "head", "hl", "ttl", "h3")
_BODIES = ("text", "body", "content", "contents")
_URLS = ("url", "dochdr_url", "link")
_MAX_DOCUMENT = MAX_TEXT_LINE_BYTES


def read_trec_documents(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``<DOC>`` elements; tags inside of texts are taken out, entities resolved.

    Args:
        source: the file.
        reading: gets the documents, the refusals and the notes.
        name: not used; documents have no common name.
    """
    seen: dict[str, int] = {}
    for line, text in _iter_elements(source, reading):
        document = _document_of(text)
        if not document.id:
            reading.refuse(line, "the document has no DOCNO")
            continue
        first = seen.setdefault(document.id, line)
        if first == line:
            reading.documents.append(document)
        else:
            reading.refuse(
                line, f"document '{document.id}' stands on line {first:,} already; that one counts"
            )


def _iter_elements(source: TextSource, reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield the line on which each document begins, and what stands between its tags."""
    parts: list[str] = []
    start = size = 0
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        for number, line in enumerate(block.lines, block.first):
            opening = _START.search(line)
            if opening and start:
                reading.refuse(start, "the document has no </DOC>; it is left out")
                start = 0
            if opening:
                parts, start, size = [], number, 0
                line = line[opening.end() :]  # noqa: PLW2901 - what stands behind the tag
            if not start:
                continue
            closing = _END.search(line)
            parts.append(line[: closing.start()] if closing else line)
            size += len(line)
            if closing or size > _MAX_DOCUMENT:
                if closing:
                    yield start, "\n".join(parts)
                else:
                    reading.refuse(start, f"the document is longer than {_MAX_DOCUMENT >> 20} MiB")
                start = 0
                _refuse_more(line, closing, number, reading)
    if start:
        reading.refuse(start, "the document has no </DOC>: the file is cut off; it is left out")


def _refuse_more(line: str, closing: re.Match[str] | None, number: int, reading: Reading) -> None:
    """Say that several documents on one line are not told apart."""
    if closing and _MARK.search(line, closing.end()):
        reading.refuse(number, "another document begins on the line on which one ends")


def _document_of(text: str) -> Document:
    found: dict[str, list[str]] = {}
    for key, content in _iter_outermost(text):
        plain = _plain(content)
        if plain:
            found.setdefault(key, []).append(plain)
    values = {key: "\n".join(texts) for key, texts in found.items()}
    identifier = values.pop("docno", "") or values.pop("docid", "")
    title, body, url = (_take(values, tags) for tags in (_TITLES, _BODIES, _URLS))
    return Document(identifier, title, url, body, values)


def _iter_outermost(text: str) -> Iterator[tuple[str, str]]:
    """Yield tag, in lower case, and content of each element that stands in no other."""
    tags = [(found[1], found[2].lower(), found) for found in _NAMED.finditer(text)]
    closings: dict[str, list[int]] = {}
    for place, (slash, tag, _) in enumerate(tags):
        if slash:
            closings.setdefault(tag, []).append(place)
    place = 0
    while place < len(tags):
        slash, tag, found = tags[place]
        its_closings = closings.get(tag, [])
        following = bisect_right(its_closings, place)
        if not slash and following < len(its_closings):
            place = its_closings[following]
            yield tag, text[found.end() : tags[place][2].start()]
        place += 1


def _take(values: dict[str, str], tags: tuple[str, ...]) -> str:
    return next((values.pop(tag) for tag in tags if tag in values), "")


def _plain(text: str) -> str:
    """Return a text without tags; blank lines at its ends go, lines stay."""
    return html.unescape(_TAG.sub("", text)).strip()
