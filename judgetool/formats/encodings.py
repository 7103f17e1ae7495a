"""In which encoding a text was saved, and what is no text at all.

UTF-8 needs no question. All else is proposed here and decided by a person: a wrong
guess would make other letters of names and ids, in silence.
"""

import codecs
import re
from collections.abc import Iterator, Sequence

from judgetool.core.number_text import number_of
from judgetool.errors import InputError, ParseError
from judgetool.formats.values import Question
from judgetool.wording import N_, Stated, _, local_number, stated

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
    (b"\x89PNG", N_("a PNG picture")),
    (b"\xff\xd8\xff", N_("a JPEG picture")),
    (b"GIF8", N_("a GIF picture")),
    (b"II*\0", N_("a TIFF picture")),
    (b"MM\0*", N_("a TIFF picture")),
    (b"%PDF-", "a PDF"),
    (b"{\\rtf", N_("a rich text document (RTF)")),
    (
        b"SQLite format 3\0",
        N_("an SQLite database; a project of judgetool is opened, not imported"),
    ),
    (b"7z\xbc\xaf\x27\x1c", N_("a 7z archive: unpack it first")),
    (b"Rar!", N_("a RAR archive: unpack it first")),
    (b"\x7fELF", N_("a program")),
    (b"MZ\x90", N_("a program")),
    (b"ARROW1", N_("an Arrow file: save it as Parquet")),
    (b"\x93NUMPY", N_("a NumPy array")),
    (b"OggS", N_("a sound file")),
    (b"ID3", N_("a sound file")),
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
            asked.format(line=local_number(f"{line or 0:,}")),
            self.proposals,
        )
        super().__init__(
            _("{question} Nothing was kept; say it, or save the file as UTF-8.").format(
                question=self.question.text
            ),
            source=source,
        )


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
        ParseError: a picture, a PDF, a program, an archive, or bytes that no text has.
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
        raise ParseError(
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
    return stated("{title}: {text}", title=title, text=text)


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
            line=local_number(f"{marked[0]:,}"),
        )
    ]
