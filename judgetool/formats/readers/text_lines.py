"""One query or document a line: ``id:text``, a bare list of texts, ``id<TAB>text``."""

import re
from collections.abc import Iterator

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.formats.queries import KeptQueries, note_text_ids
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.values import Reading

_PRIORITY_LINE = re.compile(r"[^\s:]{1,40}:[0-9]+:")
_N_LOOKED_AT = 100
COLON_LINE = re.compile(r"[^\s:]{1,40}:(?!//)")


def read_queries_colon(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``id:text`` lines; the first colon of a line divides.

    Where every line is ``id:number:text``, as in the Million Query track of 2009, the number
    (how much the query mattered to the pool) is left out.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
        name: not used; queries have no name.
    """
    kept = KeptQueries(reading)
    lines = [line for line in source.head.splitlines()[:_N_LOOKED_AT] if line.strip()]
    has_priority = all(_PRIORITY_LINE.match(line) for line in lines)
    if has_priority:
        reading.notes.append("The number between the two colons of each line is left out.")
    for block in source.blocks(reading.refuse):
        for number, line in enumerate(block.lines, block.first):
            if not line.strip() or line.startswith("#"):
                continue
            identifier, colon, text = line.partition(":")
            if has_priority and _PRIORITY_LINE.match(line):
                text = text.partition(":")[2]
            if colon:
                kept.add(number, Query(identifier, text))
            else:
                reading.refuse(number, "expected an id, a colon and the text")


def read_queries_list(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read one query a line: its text is its id.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
        name: not used; queries have no name.
    """
    kept = KeptQueries(reading)
    for block in source.blocks(reading.refuse):
        for number, line in enumerate(block.lines, block.first):
            if line.strip():
                kept.add(number, Query(line, line))
    note_text_ids(len(reading.queries), reading)


SMART_LINE = re.compile(r"\.I\s+(\S+)\s*")
_SMART_TAG = re.compile(r"\.([A-Z])(?:\s+(.*))?")
_SMART_FIELDS = {"A": "author", "B": "source", "K": "keywords", "C": "codes", "N": "notes"}


def read_smart_queries(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read queries of the SMART system: ``.I 1``, then ``.W`` and the text below it.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
        name: not used; queries have no name.
    """
    kept = KeptQueries(reading)
    for line, identifier, parts in _iter_smart(source, reading):
        title, text = parts.pop("T", ""), parts.pop("W", "")
        fields = {_SMART_FIELDS.get(tag, tag): part for tag, part in parts.items()}
        description = text if title else ""
        kept.add(line, Query(identifier, title or text, description, fields=fields))


def read_smart_documents(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read documents of the SMART system: ``.I 1``, ``.T``, ``.A``, ``.W``, each with its text below.

    Args:
        source: the file.
        reading: gets the documents and the refusals.
        name: not used; documents have no common name.
    """
    seen: dict[str, int] = {}
    for line, identifier, parts in _iter_smart(source, reading):
        if seen.setdefault(identifier, line) != line:
            reading.refuse(
                line,
                f"document '{identifier}' stands on line {seen[identifier]:,} already; "
                "that line counts",
            )
            continue
        title, body = parts.pop("T", ""), parts.pop("W", "")
        # References between documents (.X) are lists of numbers, and no text.
        parts.pop("X", "")
        fields = {_SMART_FIELDS.get(tag, tag): part for tag, part in parts.items()}
        reading.documents.append(Document(identifier, title, "", body, fields))


def _iter_smart(source: TextSource, reading: Reading) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield the line, the id and the texts by their tags' letters of each entry."""
    start, identifier, tag = 0, "", ""
    parts: dict[str, list[str]] = {}
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        for number, line in enumerate(block.lines, block.first):
            opening = SMART_LINE.fullmatch(line)
            tagged = _SMART_TAG.fullmatch(line.rstrip())
            if opening:
                if start:
                    yield start, identifier, _joined(parts)
                start, identifier, tag, parts = number, opening[1], "", {}
            elif tagged and start:
                tag = tagged[1]
                parts.setdefault(tag, []).append(tagged[2] or "")
            elif tag:
                parts[tag].append(line)
            elif line.strip():
                reading.refuse(number, "expected '.I' and an id, or a tag such as '.W'")
    if start:
        yield start, identifier, _joined(parts)


def _joined(parts: dict[str, list[str]]) -> dict[str, str]:
    texts = {tag: " ".join(" ".join(lines).split()) for tag, lines in parts.items()}
    return {tag: text for tag, text in texts.items() if text}


def read_documents_tsv(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``id<TAB>text``, or ``id<TAB>url<TAB>title<TAB>text``, as MS MARCO has them.

    Args:
        source: the file.
        reading: gets the documents and the refusals.
        name: not used; documents have no common name.
    """
    seen: dict[str, int] = {}
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        for number, line in enumerate(block.lines, block.first):
            if not line.strip(" \t"):
                continue
            cells = line.split("\t")
            if len(cells) not in {2, 4}:
                reading.refuse(
                    number,
                    "expected an id, one tab and the text, or id, url, title and text; "
                    f"found {len(cells) - 1} tabs",
                )
            elif not cells[0]:
                reading.refuse(number, "the document has no id")
            elif seen.setdefault(cells[0], number) != number:
                reading.refuse(
                    number,
                    f"document '{cells[0]}' stands on line {seen[cells[0]]:,} already; "
                    "that line counts",
                )
            else:
                url, title = cells[1:3] if len(cells) > 2 else ("", "")
                reading.documents.append(Document(cells[0], title, url, cells[-1]))
