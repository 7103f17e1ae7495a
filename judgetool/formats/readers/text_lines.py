"""One query or document a line: ``id:text``, a bare list of texts, ``id<TAB>text``."""

import re

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
