"""A source as one text, for layouts that are no lines."""

from judgetool.errors import ParseError
from judgetool.formats.source import TextSource

MAX_WHOLE_BYTES = 128 << 20


def read_whole(source: TextSource) -> str:
    """Read a source to its end; anything that is no text in it refuses the whole.

    Raises:
        ParseError: a NUL byte, a byte that is not UTF-8, or more than 128 MiB.
    """

    def refuse(line: int | None, reason: str) -> None:
        if "is longer than" in reason:
            raise _too_large(source.name)
        raise ParseError(
            f"{reason}. Expected one whole text; nothing was kept.", source=source.name, line=line
        )

    parts: list[bytes] = []
    size = 0
    # The bytes are kept, not the lines: a text object for each would take many times their size.
    for block in source.blocks(refuse, max_line=MAX_WHOLE_BYTES):
        size += len(block.raw)
        if size > MAX_WHOLE_BYTES:
            raise _too_large(source.name)
        if b"\0" in block.raw or not _is_utf8(block.raw):
            # Its lines are looked at one by one, which finds the place and refuses it.
            assert block.lines is not None
        parts.append(block.raw)
    return b"\n".join(parts).decode("utf-8").replace("\r\n", "\n")


def _too_large(source: str) -> ParseError:
    return ParseError(
        f"it is larger than {MAX_WHOLE_BYTES >> 20} MiB, and a file of this layout (one JSON value, "
        "XML, topics) is read as a whole. Nothing was kept; split it, or save it as lines (JSON "
        "lines; a TREC run; qrels; queries as id, tab and text), and read it again.",
        source=source,
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def without_comments(text: str) -> str:
    """Return a text without ``<!-- comments -->``; lines keep their numbers."""
    parts: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[place:start], "\n" * text.count("\n", start, end)]
        place = end + 3
    return "".join([*parts, text[place:]])
