"""Bytes of a file to blocks of decoded lines, within limits.

Here are packed files, encodings, line ends, and what a file may not do: expand without
end, have endless lines, hold bytes that are no text.

UTF-8 needs no question. In which other encoding a text was saved is proposed here and decided by
a person: a wrong guess would make other letters of names and ids, in silence.
"""

import bz2
import codecs
import gzip
import lzma
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from typing import BinaryIO, NamedTuple, Protocol, cast

from judgetool.core.held_files import LONGEST_PACKING_MARK, packing_of
from judgetool.core.number_text import local_count, number_of
from judgetool.errors import InputError, ParseError, why_refused
from judgetool.formats.values import Question, ReadingCancelledError, Refusal
from judgetool.wording import N_, AsIs, Stated, _, stated

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20
MAX_TEXT_LINE_BYTES = 64 << 20
HEAD_BYTES = 1 << 16
MAX_EXPANSION = 200
EXPANSION_CHECKED_FROM = 32 << 20
_MAX_EXPANDED = 1 << 30
_LEAST_DISTINCT = 0.5
_ZSTD_PIECE = 1 << 10

# The longer marks come first: UTF-32's begins like UTF-16's.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

Progress = Callable[[int, int], None]
Refuse = Callable[[int | None, str], None]


class Watch(NamedTuple):
    """Whom to tell how far reading is, and whom to ask whether to go on.

    Attributes:
        progress: called with bytes read and bytes in all (0 when not known).
        is_cancelled: asked once per block.
    """

    progress: Progress | None = None
    is_cancelled: Callable[[], bool] | None = None


@dataclass(frozen=True)
class LineBlock:
    """Consecutive lines.

    Attributes:
        first: number of the first line, from 1.
        raw: their bytes, without the last one's end; UTF-8 unless a line is refused.
    """

    first: int
    raw: bytes
    _decode: Callable[[bytes, int], list[str]]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; one that was refused stands as ``""``."""
        return self._decode(self.raw, self.first)


class _Unpacker(Protocol):
    """What hands out unpacked bytes, piece by piece."""

    def read1(self, size: int, /) -> bytes:
        """Return some bytes, ``b""`` at the end; of a cut file it raises EOFError."""


class _ZstdFile:
    """Zstandard's bytes unpacked; one frame may follow the other."""

    def __init__(self, stream: BinaryIO) -> None:
        import zstandard  # noqa: PLC0415 - loaded when needed

        self._make = zstandard.ZstdDecompressor
        self._error = zstandard.ZstdError
        self._stream = stream
        self._frame = self._make().decompressobj()
        self._rest = b""
        self._is_inside = False

    def read1(self, _size: int, /) -> bytes:
        """Return the next bytes; of a cut file it raises EOFError, of a damaged one OSError."""
        # Small pieces: each could become a hundred times its size thousands of times.
        while piece := self._rest or self._stream.read(_ZSTD_PIECE):
            if self._frame.eof:
                self._frame = self._make().decompressobj()
            try:
                data = self._frame.decompress(piece)
            except self._error as problem:
                raise OSError(str(problem)) from problem
            self._is_inside = not self._frame.eof
            self._rest = self._frame.unused_data if self._frame.eof else b""
            if data:
                return data
        if self._is_inside:
            raise EOFError
        return b""


_UNPACKERS: dict[str, Callable[[BinaryIO], _Unpacker]] = {
    "gzip": lambda stream: gzip.GzipFile(fileobj=stream),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zst": _ZstdFile,
}


class Readable(Protocol):
    """What hands out bytes."""

    def read(self, size: int, /) -> bytes:
        """Return as many bytes, fewer at the end."""


class Peeked:
    """A stream whose first bytes may be looked at, and whose bytes are counted.

    Attributes:
        count: bytes that were read.
    """

    def __init__(self, stream: Readable, start: bytes = b"", *, member: str = "") -> None:
        self._stream = stream
        self._start = start
        self._member = member
        self.count = 0

    def peek(self, size: int) -> bytes:
        """Return the first bytes that were not read yet; they are still to be read."""
        if len(self._start) < size:
            self._start += self._more(size - len(self._start))
        return self._start[:size]

    def read(self, size: int, /) -> bytes:
        """Return as many bytes, fewer at the end.

        Raises:
            ParseError: the zip file in which they stand is damaged.
        """
        data, self._start = self._start[:size], self._start[size:]
        if len(data) < size:
            data += self._more(size - len(data))
        self.count += len(data)
        return data

    def _more(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as problem:
            if not self._member:
                raise
            raise cannot_unpack(self._member) from problem


def cannot_unpack(member: str) -> ParseError:
    """Return what to raise for a file in a zip file, such as ``a.zip/b.run``, that is damaged there."""
    said = _(
        "it cannot be unpacked: the zip file is damaged, or packed in a way that is "
        "not known here. Nothing was kept; unpack it first."
    )
    return ParseError(said, source=member)


@dataclass
class TextSource:
    """The text of one file, read once from front to back.

    Attributes:
        name: the file as the user named it.
        stream: its bytes.
        total: their number; 0 when not known.
        watch: see :class:`Watch`.
        said_encoding: what a person says that the text is saved in; ``""``: find out.
        is_of_several: whether that is said of several files: one that is UTF-8 stays so.
        packed_size: bytes that the stream was packed into, where that is not seen here
            (a member of a zip file); 0 when it is.
        encoding: what was detected, for people.
        n_lines: lines handed out so far.
        head: the file's beginning, at least its first whole line, for detection.
        notes: what is to be said of what was read so far.
        warnings: titles of those that are doubtful, by the note.
        container: what rows came in that were no text, such as those of a spreadsheet, and are JSON
            lines now, for people: "Excel, sheet 'Tabelle1'"; ``""`` for a text.
        refusals: rows that could not be taken.
        is_sheet: whether the rows had columns, rather than names of their own.
        is_book: whether the container is one of sheets.
        questions: what the container leaves open, such as which sheet is meant.
        entries: number of the container's entry of which each row is; empty where each is one.
        headers: what the columns are called; empty where each row has names of its own.
    """

    name: str
    stream: Readable
    total: int = 0
    watch: Watch = field(default_factory=Watch)
    encoding: str = "utf-8"
    n_lines: int = 0
    head: str = ""
    said_encoding: str = ""
    is_of_several: bool = False
    packed_size: int = 0
    notes: list[str] = field(default_factory=list)
    warnings: dict[str, str] = field(default_factory=dict)
    container: str = ""
    refusals: list[Refusal] = field(default_factory=list)
    is_sheet: bool = False
    is_book: bool = False
    questions: list[Question] = field(default_factory=list)
    entries: Sequence[int] = ()
    headers: Sequence[str] = ()

    @property
    def read_as(self) -> str:
        """What its rows came in, or else its encoding, for people."""
        return self.container or self.encoding

    @property
    def ended_early(self) -> bool:
        """Whether what was read so far is all, and lacks its end: of a file that is packed."""
        return bool(self._ended_early)

    def __post_init__(self) -> None:
        self._raw = Peeked(self.stream)
        packing = packing_of(self._raw.peek(LONGEST_PACKING_MARK))
        make = _UNPACKERS.get(packing)
        self._packing = packing if make else ""
        # It reads, which is all that is asked of it when unpacking.
        self._unpacker = make(cast("BinaryIO", self._raw)) if make else None
        self._expanded = self._checked_at = 0
        self._waiting: deque[bytes] = deque()
        self._looked_at: deque[bytes] = deque()
        self._ended_early = ""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._ahead = self._read_ahead()
        self._has_cr_lines = b"\n" not in self._ahead and b"\r" in self._ahead
        self.head = without_inner_marks(self._ahead, 1, []).decode("utf-8", errors="replace")

    def blocks(
        self, refuse: Refuse, *, max_line: int = MAX_LINE_BYTES, keep_cr: bool = False
    ) -> Iterator[LineBlock]:
        """Hand out all lines; may be called once.

        Args:
            refuse: told of lines that are too long or no text.
            max_line: longest line in bytes, at least 1 MiB.
            keep_cr: leave the carriage return before a line end, for CSV.

        Raises:
            ParseError: the file is not text, or expands like a gzip bomb.
            ReadingCancelledError: the watcher said so.
        """

        def decode(raw: bytes, first: int) -> list[str]:
            lines = self._decoded(raw, first, refuse)
            if keep_cr or b"\r" not in raw:
                return lines
            return [line.removesuffix("\r") for line in lines]

        marked: list[int] = []
        for read in self._line_blocks(refuse, max_line):
            raw = without_inner_marks(read, self.n_lines + 1, marked)
            yield LineBlock(self.n_lines + 1, raw, decode)
            self.n_lines += raw.count(b"\n") + 1
            self._report()
        self.notes += marks_note(marked)
        if self._ended_early:
            refuse(None, self._ended_early)

    def lines(
        self, refuse: Refuse, *, max_line: int = MAX_LINE_BYTES, keep_cr: bool = False
    ) -> Iterator[tuple[int, str]]:
        """Hand out all lines with their numbers, as :meth:`blocks` does by many."""
        for block in self.blocks(refuse, max_line=max_line, keep_cr=keep_cr):
            numbers = self.entries[block.first - 1 :] or count(block.first)
            yield from zip(numbers, block.lines, strict=False)

    def _read_ahead(self) -> bytes:
        """Read until detection has enough: some 64 KiB with a whole line in them."""
        start = self._bytes_chunk()
        self._check_encoding(start)
        looked_at = self._looked_at
        held = (looked_at.popleft() for _ in range(len(looked_at)))
        self._chunks = chain([start], held, iter(self._bytes_chunk, b""))
        if self._decoder:
            self._chunks = filter(None, map(self._transcoded, chain(self._chunks, [b""])))
        parts = [next(self._chunks, b"").removeprefix(codecs.BOM_UTF8)]
        size = len(parts[0])
        while parts[-1] and size <= MAX_TEXT_LINE_BYTES:
            if size >= HEAD_BYTES and (b"\n" in parts[-1] or b"\r" in parts[-1]):
                break
            parts.append(next(self._chunks, b""))
            size += len(parts[-1])
        return b"".join(parts)

    def _check_encoding(self, start: bytes) -> None:
        marked = next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), "")
        if not marked:
            check_is_text(start, source=self.name)
        self._is_undecided = not (marked or self.said_encoding)
        if marked:
            # Such a mark is the file's own word.
            self.encoding = marked
        elif self.said_encoding and not self._stays_utf8(start):
            self.encoding = find_encoding(self.said_encoding)
        elif self._is_undecided and (b"\0" in start or not is_utf8(start)):
            self.encoding = declared_encoding(start) or self.encoding
            if self.encoding == UTF_8 and (find_wide(start) or not is_utf8(start)):
                raise UndecidedEncodingError(self._sample(start), source=self.name)
        if self.encoding not in {UTF_8, "utf-8-sig"}:
            self._decoder = codecs.getincrementaldecoder(self.encoding)()
        if self._packing:
            self.encoding += f"+{self._packing}"

    def _stays_utf8(self, start: bytes) -> bool:
        """Whether an encoding that is said of several files is not meant here: all of it is UTF-8.

        It is looked at to its end, as what begins so may be another further on; what is ASCII
        alone may be either.
        """
        if not self.is_of_several or find_encoding(self.said_encoding) == UTF_8:
            return False
        decoder, chunk, is_ascii = codecs.getincrementaldecoder("utf-8")(), start, True
        try:
            while chunk:
                is_ascii = chunk.isascii() and is_ascii
                decoder.decode(chunk)
                chunk = self._bytes_chunk()
                self._looked_at.append(chunk)
        except UnicodeDecodeError:
            return False
        if not is_ascii:
            self.notes.append(
                _("The file is UTF-8, and read so: {encoding} is for files that are not.").format(
                    encoding=self.said_encoding
                )
            )
        return not is_ascii

    def _sample(self, start: bytes) -> bytes:
        """Return bytes around the first that is not UTF-8."""
        try:
            start.decode()
            place = 0
        except UnicodeDecodeError as problem:
            place = problem.start
        return start[max(0, place - (1 << 12)) : place + (1 << 15)]

    def _transcoded(self, chunk: bytes) -> bytes:
        """Return UTF-16 or UTF-32 as UTF-8, so that all that follows sees one encoding."""
        assert self._decoder is not None
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeError as problem:
            name = self.encoding.partition("+")[0]
            # Of UTF-16 and UTF-32 the mark at the start says which byte of two comes first.
            lacks_mark = "BOM" in str(problem)
            what = (
                _(
                    "it lacks the mark with which {name} begins. Nothing was kept; say {encoding}-le "
                    "or {encoding}-be if it is one of these, else another encoding, or save it as "
                    "UTF-8, and read it again."
                )
                if lacks_mark
                else _(
                    "it begins like {name} but is none further on. Nothing was kept; say another "
                    "encoding, or save it as UTF-8, and read it again."
                )
            )
            raise ParseError(
                what.format(name=name.upper(), encoding=name),
                source=self.name,
            ) from None
        # A few encodings can spell halves of characters, which no text may hold.
        return text.encode(errors="replace")

    def _bytes_chunk(self) -> bytes:
        try:
            if self._unpacker is None:
                data = self._raw.read(BLOCK_BYTES)
                if self.packed_size:
                    self._expanded += len(data)
                    self._check_expansion(data)
                return data
            return self._next_unpacked(self._unpacker)
        except OSError as problem:
            raise InputError(
                _("{name} cannot be read to its end: {strerror}. Nothing was kept.").format(
                    name=self.name, strerror=why_refused(problem)
                )
            ) from problem

    def _next_unpacked(self, unpacker: _Unpacker) -> bytes:
        """Return the next bytes of a packed file, which have been looked at ahead where they repeat.

        What unpacks to far too much is refused before millions of its lines are read, and held.
        """
        if self._waiting:
            return self._waiting.popleft()
        is_first = not self._expanded
        start = self._unpacked(unpacker)
        if is_first and start and not _has_own_lines(start):
            while self._expanded < EXPANSION_CHECKED_FROM and (more := self._unpacked(unpacker)):
                self._waiting.append(more)
        return start

    def _unpacked(self, unpacker: _Unpacker) -> bytes:
        """Return the next bytes of a packed file: of a cut one, all that can be had."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < BLOCK_BYTES and not self._ended_early:
                part = unpacker.read1(BLOCK_BYTES)
                if not part:
                    break
                parts.append(part)
                size += len(part)
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as problem:
            # The disk's own troubles have a number, a packing's have none.
            if isinstance(problem, OSError) and problem.errno is not None:
                raise
            if not self._expanded and not size:
                raise ParseError(
                    _(
                        "it begins like a {packing} file but cannot be unpacked. Nothing was kept."
                    ).format(packing=self._packing),
                    source=self.name,
                ) from problem
            if isinstance(problem, EOFError):
                state = _(
                    "the {packing} file ends too early: lines may be missing, fetch or pack it again"
                )
            elif str(problem).startswith("Not a gzipped file"):
                state = _(
                    "the {packing} file goes on with something that is not packed: lines may be "
                    "missing, fetch or pack it again"
                )
            else:
                # From some place on it unpacked to what nobody wrote, and nothing says where.
                raise ParseError(
                    _(
                        "the {packing} file is damaged: what it unpacks to is not what was packed. "
                        "Nothing was kept; fetch or pack it again."
                    ).format(packing=self._packing),
                    source=self.name,
                ) from problem
            self._ended_early = state.format(packing=self._packing)
        data = b"".join(parts)
        self._expanded += size
        self._check_expansion(data)
        return data

    def _check_expansion(self, data: bytes) -> None:
        """Refuse what unpacks to far more than its size, unless it still reads like text.

        Texts of weighted words repeat each word hundreds of times and so pack very small;
        their lines differ from each other, and they end somewhere.
        """
        packed = self.packed_size or self._raw.count
        # A zip file says beforehand what its members unpack to: then the first block is looked at.
        said = self.total if self.packed_size and not self._checked_at else 0
        if max(said, self._expanded - self._checked_at) < EXPANSION_CHECKED_FROM:
            return
        self._checked_at = self._expanded
        expanded = max(said, self._expanded)
        if expanded <= MAX_EXPANSION * packed:
            return
        is_text = _has_own_lines(data)
        if not is_text or expanded > _MAX_EXPANDED:
            sentence = (
                _(
                    "it unpacks to more than {times} times its size ({packed} bytes of it give {expanded} "
                    "or more), and its lines go on beyond a GiB, which real text does not. Nothing "
                    "was kept; if you trust it, unpack it first."
                )
                if is_text
                else _(
                    "it unpacks to more than {times} times its size ({packed} bytes of it give {expanded} "
                    "or more), and its lines repeat, which real text does not. Nothing was kept; if "
                    "you trust it, unpack it first."
                )
            )
            sizes = {"packed": packed, "expanded": expanded}
            shown = {name: local_count(size) for name, size in sizes.items()}
            raise ParseError(sentence.format(times=MAX_EXPANSION, **shown), source=self.name)

    def _line_blocks(self, refuse: Refuse, max_line: int) -> Iterator[bytes]:
        """Yield bytes that end where a line ends, without that end."""
        pending: list[bytes] = []
        size = 0
        is_skipping = False
        ahead, self._ahead = self._ahead, b""
        for chunk in chain([ahead], self._chunks):
            cut = self._last_line_end(chunk)
            if cut < 0:
                pending.append(chunk)
                size += len(chunk)
                if size > max_line:
                    is_skipping, pending = True, []
            else:
                pending.append(chunk[:cut])
                block = b"".join(pending)
                if is_skipping or len(block) > BLOCK_BYTES:
                    block = self._without_long_line(block, refuse, max_line, is_skipping)
                yield self._with_lf(block)
                pending, size, is_skipping = [chunk[cut + 1 :]], len(chunk) - cut - 1, False
        last = b"".join(pending)
        if self._has_cr_lines:
            last = last.removesuffix(b"\r")
        if last and self._ended_early:
            # Half a line may look whole: a grade or an id without its end.
            self._ended_early = _(
                "{ended_early} (line {n_lines}, where it ends, is left out)"
            ).format(ended_early=self._ended_early, n_lines=local_count(self.n_lines + 1))
            last = b"" if not is_skipping else last
        is_cut = self._ends_in_character(last)
        if is_cut:
            refuse(self.n_lines + 1, _("the file is cut off: it ends within a character"))
            last = b""
        if last or is_skipping or is_cut:
            yield self._with_lf(self._without_long_line(last, refuse, max_line, is_skipping))

    def _ends_in_character(self, last: bytes) -> bool:
        """Whether a last line without an end lacks the rest of a character of UTF-8.

        Where it is the only one of the file that is not ASCII, it may be one of another encoding.
        """
        try:
            last.decode()
        except UnicodeDecodeError as problem:
            is_alone = last[: problem.start].isascii() and self.head.rstrip("\ufffd").isascii()
            return is_utf8(last) and not is_alone
        return False

    def _last_line_end(self, chunk: bytes) -> int:
        # A CR at the very end may be half of CR LF: it waits for the next chunk.
        if self._has_cr_lines:
            return max(chunk.rfind(b"\r", 0, len(chunk) - 1), chunk.rfind(b"\n"))
        return chunk.rfind(b"\n")

    def _with_lf(self, block: bytes) -> bytes:
        if not self._has_cr_lines:
            return block
        return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _without_long_line(
        self, block: bytes, refuse: Refuse, max_line: int, is_skipping: bool
    ) -> bytes:
        """Empty the first line if it is too long; only it can be, blocks being that short."""
        end = block.find(b"\r" if self._has_cr_lines else b"\n")
        end = len(block) if end < 0 else end
        if is_skipping or end > max_line:
            refuse(self.n_lines + 1, _too_long(max_line))
            return block[end:]
        return block

    def _report(self) -> None:
        if self.watch.progress:
            self.watch.progress(self._raw.count, self.total)
        if self.watch.is_cancelled and self.watch.is_cancelled():
            raise ReadingCancelledError(
                _("Reading {name} was stopped after {n_lines} lines. Nothing was kept.").format(
                    name=self.name, n_lines=local_count(self.n_lines)
                )
            )

    def _decoded(self, raw: bytes, first: int, refuse: Refuse) -> list[str]:
        try:
            if b"\0" not in raw:
                return raw.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            pass
        return [
            self._decoded_line(line, number, refuse)
            for number, line in enumerate(raw.split(b"\n"), first)
        ]

    def _decoded_line(self, line: bytes, number: int, refuse: Refuse) -> str:
        if b"\0" in line:
            refuse(
                number,
                _("a NUL byte stands at position {place}; this is not text").format(
                    place=line.index(0) + 1
                ),
            )
            return ""
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as problem:
            if self._is_undecided:
                sample = self.head.encode()[: 1 << 14] + b"\n" + self._sample(line)
                raise UndecidedEncodingError(sample, source=self.name, line=number) from None
            byte = line[problem.start]
            refuse(
                number,
                _(
                    "byte 0x{byte} at position {place} is not UTF-8, which the file is said to be"
                ).format(byte=f"{byte:02X}", place=problem.start + 1),
            )
            return ""


MAX_WHOLE_BYTES = 128 << 20


def read_whole(source: TextSource) -> str:
    """Read a source to its end; anything that is no text in it refuses the whole.

    Raises:
        ParseError: a NUL byte, a byte that is not UTF-8, or more than 128 MiB.
    """

    def refuse(line: int | None, reason: str) -> None:
        if reason == _too_long(MAX_WHOLE_BYTES):
            raise _too_large(source.name)
        raise ParseError(
            _("{reason}. Expected one whole text; nothing was kept.").format(reason=reason),
            source=source.name,
            line=line,
        )

    parts: list[bytes] = []
    size = 0
    # The bytes are kept, not the lines: a text object for each would take many times their size.
    for block in source.blocks(refuse, max_line=MAX_WHOLE_BYTES):
        size += len(block.raw)
        if size > MAX_WHOLE_BYTES:
            raise _too_large(source.name)
        if b"\0" in block.raw or not is_utf8(block.raw + b"\n"):
            # Its lines are looked at one by one, which finds the place and refuses it.
            assert block.lines is not None
        parts.append(block.raw)
    return b"\n".join(parts).decode("utf-8").replace("\r\n", "\n")


def _too_long(max_line: int) -> str:
    return _("the line is longer than {size} MiB").format(size=max_line >> 20)


def _too_large(source: str) -> ParseError:
    return ParseError(
        _(
            "it is larger than {size} MiB, and a file of this layout (one JSON "
            "value, XML, topics) is read as a whole. Nothing was kept; split it, or save "
            "it as lines (JSON lines; a TREC run; qrels; queries as id, tab and text), and "
            "read it again."
        ).format(size=MAX_WHOLE_BYTES >> 20),
        source=source,
    )


def _has_own_lines(data: bytes) -> bool:
    """Whether lines differ from each other, as those of texts and figures do."""
    lines = data.splitlines()
    return len(lines) > 1 and len(set(lines)) > _LEAST_DISTINCT * len(lines)


def without_comments(text: str) -> str:
    """Return a text without ``<!-- comments -->``; lines keep their numbers."""
    parts: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[place:start], "\n" * text.count("\n", start, end)]
        place = end + 3
    return "".join([*parts, text[place:]])


# In which encoding a text was saved, and what is no text at all

ENCODING = "encoding"
"""The name of the question."""
UTF_8 = "utf-8"

COMMON_ENCODINGS = {
    "cp1252": N_("Western European (Windows-1252)"),
    "cp1250": N_("Central European (Windows-1250)"),
    "cp1251": N_("Cyrillic (Windows-1251)"),
    "gb18030": N_("Chinese, simplified (GB18030)"),
    "big5": N_("Chinese, traditional (Big5)"),
    "cp932": N_("Japanese (Shift-JIS)"),
    "euc_jp": N_("Japanese (EUC-JP)"),
    "euc_kr": N_("Korean (EUC-KR)"),
    "cp1253": N_("Greek (Windows-1253)"),
    "cp1254": N_("Turkish (Windows-1254)"),
    "cp1255": N_("Hebrew (Windows-1255)"),
    "cp1256": N_("Arabic (Windows-1256)"),
    "koi8_r": N_("Cyrillic (KOI8-R)"),
    "iso8859_15": N_("Western European (ISO 8859-15)"),
    "mac_roman": N_("Western European (old Macintosh)"),
    "cp850": N_("Western European (DOS)"),
}
"""Those that are proposed, by title; the most common first."""
_WIDE = {"utf-16-le": N_("UTF-16, little-endian"), "utf-16-be": N_("UTF-16, big-endian")}
_LEFT_OUT = N_("UTF-8; lines with other bytes are left out")
_SAMPLE_BYTES = 1 << 16
_PREVIEW = 48
_BEFORE = 16
_N_CHECKED = 4096
_FEW_CONTROLS = 4
# Marks of files that hold no text, and what a person calls them.
_MARKS = (
    (
        b"version https://git-lfs.github.com/spec/",
        N_("a pointer of Git LFS, not the file itself: fetch that with ‘git lfs pull’"),
    ),
    (b"\x89PNG", N_("a PNG picture")),
    (b"\xff\xd8\xff", N_("a JPEG picture")),
    (b"GIF8", N_("a GIF picture")),
    ((b"II*\0", b"MM\0*"), N_("a TIFF picture")),
    (b"%PDF-", "a PDF"),
    (b"{\\rtf", N_("a rich text document (RTF)")),
    (
        b"SQLite format 3\0",
        N_("an SQLite database; a project of judgetool is opened, not imported"),
    ),
    (b"7z\xbc\xaf\x27\x1c", N_("a 7z archive: unpack it first")),
    (b"Rar!", N_("a RAR archive: unpack it first")),
    ((b"\x7fELF", b"MZ\x90"), N_("a program")),
    (b"ARROW1", N_("an Arrow file: save it as Parquet")),
    (b"\x93NUMPY", N_("a NumPy array")),
    ((b"OggS", b"ID3"), N_("a sound file")),
)
_TAR = (257, b"ustar")
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"})
_NO_LETTERS = bytes(range(33))
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_LATIN = frozenset({"cp1250", "cp1252", "cp1254", "iso8859_15"})
_SINGLE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class UndecidedEncodingError(ParseError):
    """A text that is not UTF-8: a person has to say what it is.

    Attributes:
        sample: some of its bytes, among them those that are not UTF-8.
        proposals: encodings that fit these bytes, the likeliest first.
        question: what is to be asked.
    """

    def __init__(self, sample: bytes, *, source: str, line: int | None = None) -> None:
        self.sample = sample[-_SAMPLE_BYTES:]
        self.proposals = propose_encodings(self.sample)
        asked = (
            _(
                "The file is not UTF-8 (line {line} is the first that is not). In which encoding "
                "was it saved?"
            )
            if line
            else _("The file is not UTF-8. In which encoding was it saved?")
        )
        self.question = Question(
            ENCODING,
            asked.format(line=local_count(line or 0)),
            self.proposals,
        )
        super().__init__(
            _("{question} Nothing was kept; say it, or save the file as UTF-8.").format(
                question=self.question.text
            ),
            source=source,
        )


class NoTextError(ParseError):
    """A file that holds no data: a picture, a PDF, a program, an archive; one that tells people of it."""


def find_encoding(name: str) -> str:
    """Return Python's name of a text encoding that a person named.

    Raises:
        InputError: there is none of this name.

    Examples:
        >>> find_encoding("Windows-1252"), find_encoding("UTF8"), find_encoding("shift-jis")
        ('cp1252', 'utf-8', 'shift_jis')
    """
    found, is_text = None, False
    try:
        found = codecs.lookup(name.strip())
        # Some of Python's encodings are none of texts, such as base64: they fail here.
        is_text = bool("a".encode(name.strip()) and found.incrementaldecoder)
    except (LookupError, ValueError, UnicodeError):
        is_text = False
    if found is None or not is_text:
        raise InputError(
            _(
                "There is no encoding ‘{name}’. Expected a name such as utf-8, cp1252, "
                "iso-8859-1, gb18030, shift_jis, euc_kr or utf-16-le. Nothing was read."
            ).format(name=name[:40])
        )
    return found.name


def check_is_text(start: bytes, *, source: str) -> None:
    """Refuse what is no text by its first bytes.

    Raises:
        NoTextError: a picture, a PDF, a program, an archive, or bytes that no text has.
    """
    what = next((_(what) for mark, what in _MARKS if start.startswith(mark)), "")
    if start[_TAR[0] :].startswith(_TAR[1]):
        what = _("a tar archive: unpack it first")
    looked_at = start[:_N_CHECKED]
    n_controls = len(looked_at) - len(looked_at.translate(None, _CONTROLS))
    # Ids of valid text may hold such characters; what is neither is none.
    is_noise = n_controls > _FEW_CONTROLS and n_controls * 50 > len(looked_at)
    is_binary = looked_at.count(0) * 10 > len(looked_at) or (is_noise and not is_utf8(looked_at))
    if not what and is_binary and not find_wide(start):
        what = _("no text: it is full of NUL bytes or other control characters")
    if what:
        raise NoTextError(
            _(
                "this is {what}. Expected text, such as a table, JSON, a run or qrels; an "
                "Excel, OpenDocument or Parquet table; or one of these packed (gzip, zip, bz2, "
                "xz, zst). Nothing was kept."
            ).format(what=what),
            source=source,
        )


def find_wide(start: bytes) -> str:
    """Return the UTF-16 that bytes without a mark look like, else ``""``."""
    looked_at = start[:_N_CHECKED]
    even, odd = looked_at[0::2], looked_at[1::2]
    # Letters of Latin scripts have one NUL each; a text without them is not told here.
    for name, letters, nuls in (("utf-16-le", even, odd), ("utf-16-be", odd, even)):
        n_letters = len(letters.translate(None, _NO_LETTERS))
        if nuls.count(0) * 2 > len(nuls) and not letters.count(0) and 2 * n_letters > len(letters):
            return name
    return ""


def declared_encoding(start: bytes) -> str:
    """Return the encoding that XML names in its first line, if it is one; else ``""``."""
    found = _DECLARED.match(start[:_N_CHECKED])
    if found is None:
        return ""
    try:
        return find_encoding(found[1].decode())
    except InputError:
        return ""


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8; a character cut at their end does not count."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


def propose_encodings(sample: bytes) -> dict[str, str]:
    """Return the encodings that fit some bytes, each with what the text then reads like.

    Args:
        sample: bytes of a file, among them some that are not UTF-8.

    Returns:
        Title and words by encoding, the likeliest first; ``utf-8`` is the last one, and
        the first where other lines of the sample have such characters.
    """
    wide = find_wide(sample)
    if wide:
        return {wide: _shown(_WIDE[wide], _preview(sample, wide)), UTF_8: _LEFT_OUT}
    lines = [line for line in sample.splitlines() if _BEYOND_ASCII.search(line)]
    strange = b"\n".join(line for line in lines if not is_utf8(line + b"\n"))
    found = {name: text for name in _ordered(strange) if (text := _preview(strange, name))}
    proposals = {name: _shown(COMMON_ENCODINGS[name], text) for name, text in found.items()}
    if any(is_utf8(line + b"\n") for line in lines):
        return {UTF_8: _LEFT_OUT, **proposals}
    return {**proposals, UTF_8: _LEFT_OUT}


def _shown(title: str, text: str) -> Stated:
    # Translated, where it is shown, with the title in it.
    return stated("{title}: {text}", title=title, text=AsIs(text))


def _ordered(strange: bytes) -> Iterator[str]:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - loaded when needed

    guesses = [each.encoding for each in from_bytes(strange, cp_isolation=list(COMMON_ENCODINGS))]
    first = guesses[0] if guesses else "cp1252"
    western = _decoded(strange, "cp1252")
    # Single letters between others are accents; where two read the same, the one that most
    # files have.
    n_single = len(_SINGLE.findall(strange))
    is_latin = 2 * n_single > len(_BEYOND_ASCII.findall(strange))
    if western and (western == _decoded(strange, first) or (is_latin and first not in _LATIN)):
        yield "cp1252"
    yield from (name for name in guesses if name in COMMON_ENCODINGS)
    yield from COMMON_ENCODINGS


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _preview(data: bytes, encoding: str) -> str:
    """Return some words around the first letter beyond ASCII; ``""`` if the bytes do not fit."""
    text = _decoded(data[: len(data) & ~1] if encoding in _WIDE else data, encoding)
    place = next((at for at, letter in enumerate(text) if not letter.isascii()), 0)
    words = text[max(0, place - _BEFORE) : place + _PREVIEW - _BEFORE]
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())


_INNER_MARK = re.compile(rb"^(?:\xef\xbb\xbf)+", re.MULTILINE)


def without_inner_marks(raw: bytes, first: int, marked: list[int]) -> bytes:
    """Return lines without the byte order marks with which some of them begin.

    Files that were joined have them inside; there they would be a part of the first id.

    Args:
        raw: whole lines, in UTF-8.
        first: number of the first line.
        marked: gets the numbers of the lines that had one.
    """
    if codecs.BOM_UTF8 not in raw:
        return raw
    found = _INNER_MARK.finditer(raw)
    marked += [first + raw.count(b"\n", 0, each.start()) for each in found]
    return _INNER_MARK.sub(b"", raw)


def marks_note(marked: Sequence[int]) -> list[str]:
    """Return what is to be said of lines that began with a byte order mark; nothing of none."""
    if not marked:
        return []
    return [
        number_of(
            len(marked),
            "{n} line inside the file begins with a byte order mark, which is left out (line "
            "{line}): files were joined there, it seems.",
            "{n} lines inside the file begin with a byte order mark, which is left out (first "
            "line {line}): files were joined there, it seems.",
            line=local_count(marked[0]),
        )
    ]
