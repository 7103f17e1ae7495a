"""Fields of a text as 64-bit words, so that numpy compares ids without making objects.

A word holds up to eight bytes of one field and zeros for the rest; no field holds a
zero byte, so that equal words mean equal bytes. Words are little-endian everywhere.

Millions of ids get small codes and stay words: no object is made until the end. Alike ids are
brought together, or found, by hashes of their words; what counts are the words themselves, never
hashes alone.
"""

import codecs
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.formats.source import is_utf8

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
IdCodes = npt.NDArray[np.int32]

WORD_BYTES = 8
MAX_FIELD_BYTES = 64

_FRONT = b"\0" * WORD_BYTES
_BACK = b"\0" * (MAX_FIELD_BYTES + WORD_BYTES)
_KEPT_BYTES = 1 << 24
_BITS = 64
# Odd numbers with well-spread bits, one for each word of a field: the golden ratio's, then
# the multiples of it that leave it odd.
_GOLDEN = 0x9E3779B97F4A7C15
_FACTORS = tuple(
    (_GOLDEN * (2 * place + 1)) % (1 << _BITS) for place in range(MAX_FIELD_BYTES // WORD_BYTES)
)
_ZEROS = np.uint64(0x3030303030303030)
_MAX_DIGIT_CARRY = np.uint64(0x0606060606060606)
_HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
_EVEN_PAIRS = np.uint64(0x000000FF000000FF)


class PaddedText(NamedTuple):
    """Bytes with zeros around them, so that words may be read at every place.

    Attributes:
        raw: the padded bytes.
        codes: the same as numbers.
        words: ``words[place]`` is the word that begins there; unaligned.
    """

    raw: bytes
    codes: npt.NDArray[np.uint8]
    words: Words

    @classmethod
    def around(cls, raw: bytes) -> "PaddedText":
        """Pad these bytes; their first one stands at :data:`TEXT_START`."""
        padded = b"%b%b%b" % (_FRONT, raw, _BACK)
        words: Words = np.ndarray(
            (len(padded) - WORD_BYTES + 1,), np.dtype("<u8"), padded, strides=(1,)
        )
        return cls(padded, np.frombuffer(padded, np.uint8), words)

    def load_fields(self, starts: Places, lengths: Ints) -> list[Words]:
        """Return fields as words, the first bytes first; as many as the longest needs.

        Args:
            starts: where each field begins, shape (n,).
            lengths: its bytes, 1 to :data:`MAX_FIELD_BYTES`, shape (n,).
        """
        n_words = -(-int(lengths.max(initial=1)) // WORD_BYTES)
        return [self._load_word(starts, lengths, place) for place in range(n_words)]

    def _load_word(self, starts: Places, lengths: Ints, place: int) -> Words:
        own = lengths - WORD_BYTES * place
        found = self.words[starts + WORD_BYTES * place]
        if int(own.min(initial=WORD_BYTES)) >= WORD_BYTES:
            return found
        # Shifting out by all 64 bits leaves none, as it should.
        unused = (_BITS - 8 * own.clip(0, WORD_BYTES)).astype(np.uint64)
        kept: Words = (found << unused) >> unused
        return kept

    def find_digits(self, ends: Places, lengths: Ints | int) -> Words | None:
        """Return fields of one to eight digits as words, one digit's number a byte.

        The last digit is the highest byte; zeros stand where there is none.

        Args:
            ends: where each field ends, shape (n,).
            lengths: its bytes, 0 to 8, shape (n,), or one number for all.

        Returns:
            The words; ``None`` if anything but a digit is found.
        """
        unused = np.asarray(_BITS - 8 * lengths, np.uint64)
        digits: Words = ((self.words[ends - WORD_BYTES] ^ _ZEROS) >> unused) << unused
        is_other = ((digits + _MAX_DIGIT_CARRY) | digits) & _HIGH_HALVES
        return None if is_other.any() else digits


TEXT_START = len(_FRONT)


def compute_hashes(words: list[Words]) -> Words:
    """Return a number for each field, the same for the same bytes, its high bits well spread."""
    hashes = words[0] * _FACTORS[0]
    for word, factor in zip(words[1:], _FACTORS[1:], strict=False):
        hashes ^= word * factor
    hashes ^= hashes >> 32
    return hashes * _GOLDEN


def differs_from_previous(words: list[Words]) -> Bools:
    """Return which fields differ from the one before; the first one does."""
    differs = np.ones(len(words[0]), np.bool_)
    np.not_equal(words[0][1:], words[0][:-1], out=differs[1:])
    for word in words[1:]:
        differs[1:] |= word[1:] != word[:-1]
    return differs


def compute_numbers(digits: Words) -> Ints:
    """Return the numbers of words of digits, as :meth:`PaddedText.find_digits` gives them."""
    pairs = digits * 10 + (digits >> 8)
    fours = (pairs & _EVEN_PAIRS) * (100 + (1_000_000 << 32))
    fours += ((pairs >> 16) & _EVEN_PAIRS) * (1 + (10_000 << 32))
    return (fours >> 32).astype(np.int64)


def as_sortable(words: Words) -> Words:
    """Return words that sort as their bytes do, the first byte counting most."""
    return words.byteswap()


def keep_freed_memory() -> None:
    """Let glibc keep what is freed for the next chunk: half a million page faults fewer.

    It takes the largest block that it ever gave back as the measure of what to keep.
    """
    np.empty(_KEPT_BYTES, np.uint8)


_DOT, _MINUS = b".-"
# So many digits of a decimal number are told apart by a double.
_MAX_DIGITS = 15
_SCORE_CHARACTERS = b"0123456789+-.eE"


def find_doubles(text: PaddedText, starts: Places, ends: Places) -> Floats | None:
    """Return the doubles nearest to the fields' numbers, as ``float`` gives them.

    Args:
        text: where the fields are.
        starts: where each begins, shape (n,), n at least 1.
        ends: where it ends.

    Returns:
        float64, shape (n,); ``None`` if one is written in a way that has to be looked at
        closely.
    """
    found = _find_fixed(text, starts, ends)
    return _find_any(text, starts, ends) if found is None else found


def _find_fixed(text: PaddedText, starts: Places, ends: Places) -> Floats | None:
    """Return numbers with the same number of decimals; ``None`` otherwise."""
    n_decimals = text.raw[int(starts[0]) : int(ends[0])][::-1].find(_DOT)
    if not 0 < n_decimals <= WORD_BYTES:
        return None
    dots = ends - (n_decimals + 1)
    is_negative = text.codes[starts] == _MINUS
    lengths = dots - starts - is_negative
    most = min(WORD_BYTES, _MAX_DIGITS - n_decimals)
    if lengths.min() < 1 or lengths.max() > most or (text.codes[dots] != _DOT).any():
        return None
    before = text.find_digits(dots, lengths)
    after = text.find_digits(ends, n_decimals)
    if before is None or after is None:
        return None
    digits = compute_numbers(before) * 10**n_decimals + compute_numbers(after)
    # Both are exact as doubles, so that their quotient is rounded once, as float() rounds.
    numbers: Floats = digits / 10.0**n_decimals
    # Not by a minus before the division: -0.0 has to stay what it is.
    numbers[is_negative] *= -1.0
    return numbers


def _find_any(text: PaddedText, starts: Places, ends: Places) -> Floats | None:
    """Return all that ``float`` takes for a decimal number, with or without an exponent."""
    fields = [text.raw[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if b"".join(fields).translate(None, _SCORE_CHARACTERS):
        return None
    try:
        numbers = np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        return None
    # Beyond what a double holds: such a line has to be refused by its number.
    return numbers if np.isfinite(numbers).all() else None


def has_repeats(hashes: Words, rows: Ints) -> bool:
    """Whether a hash may come twice in a row; ``False`` is certain."""
    mixed = np.sort(hashes ^ (rows.astype(np.uint64) * _GOLDEN))
    return bool((mixed[1:] == mixed[:-1]).any())


def order_ties(codes: IdCodes, is_tie: Bools, words: list[Words]) -> None:
    """Put documents of the same score in order by id, falling, in place.

    Args:
        codes: documents in the file's order; -1 where nothing depends on the place.
        is_tie: which have the score of the one before, in the same query.
        words: the documents' ids.
    """
    groups = np.cumsum(~is_tie)
    is_open = np.bincount(groups, minlength=groups[-1] + 1) > 1
    is_open &= np.bincount(groups, weights=codes >= 0) > 0
    places = np.flatnonzero(is_open[groups])
    if len(places):
        keys = [~as_sortable(word[places]) for word in reversed(words)]
        codes[places] = codes[places[np.lexsort((*keys, groups[places]))]]


_TAB, _LF, _BLANK, _HASH = b"\t\n #"


class Fields(NamedTuple):
    """The columns of lines.

    Attributes:
        text: where they stand.
        starts: where each begins, by column, shape (columns, n).
        ends: where it ends, likewise.
    """

    text: PaddedText
    starts: Places
    ends: Places

    @property
    def n_lines(self) -> int:
        """Number of lines, at least 1."""
        return len(self.ends[0])

    def lengths(self, column: int) -> Ints:
        """Return a column's bytes by line."""
        lengths: Ints = self.ends[column] - self.starts[column]
        return lengths

    def load(self, column: int) -> list[Words]:
        """Return a column as words."""
        return self.text.load_fields(self.starts[column], self.lengths(column))

    def has_one(self, column: int) -> bool:
        """Whether the column says the same on all lines."""
        return all(bool((word == word[0]).all()) for word in self.load(column))

    def texts(self, column: int, lines: Places) -> list[str]:
        """Return a column of these lines as texts."""
        starts, ends = self.starts[column, lines].tolist(), self.ends[column, lines].tolist()
        return [self.text.raw[a:b].decode() for a, b in zip(starts, ends, strict=True)]


def find_fields(raw: bytes, n_columns: int) -> Fields | None:
    """Return the columns of whole lines.

    Args:
        raw: lines, each with its end.
        n_columns: how many each has to have.

    Returns:
        The columns; ``None`` if a line is not just that many fields of UTF-8 without byte order
        marks, none longer than :data:`MAX_FIELD_BYTES`, with one blank or tab between two.
    """
    if not (raw.isascii() or (is_utf8(raw) and codecs.BOM_UTF8 not in raw)):
        return None
    text = PaddedText.around(raw)
    body = text.codes[TEXT_START : TEXT_START + len(raw)]
    ends = np.flatnonzero(body <= _BLANK)
    if not len(ends) or len(ends) % n_columns:
        return None
    # What is no line end must be a blank or a tab, and every last one of a line a line end.
    n_lines = len(ends) // n_columns
    n_inner = np.count_nonzero(body == _BLANK) + np.count_nonzero(body == _TAB)
    if n_inner + n_lines != len(ends) or (body[ends[n_columns - 1 :: n_columns]] != _LF).any():
        return None
    by_column = ends.reshape(-1, n_columns).T
    starts = np.empty(by_column.shape, np.intp)
    starts[1:] = by_column[:-1]
    starts[0, 1:] = by_column[-1, :-1]
    starts[0, 0] = -1
    starts += 1
    lengths = by_column - starts
    if lengths.min() < 1 or lengths.max() > MAX_FIELD_BYTES:
        return None
    return Fields(text, starts + TEXT_START, by_column + TEXT_START)


class RunLayout(NamedTuple):
    """Which columns the lines of a run have; the first one is the query.

    Attributes:
        n_columns: how many.
        least_columns: of the first line; fewer where the run's tag, the last one, may be missing.
        document: place of the document's id.
        numbers: ``rank`` and ``score`` as far as there are such, each with its place; without the
            last one of them a line is no result.
    """

    n_columns: int
    least_columns: int
    document: int
    numbers: tuple[tuple[str, int], ...]

    @property
    def has_tag(self) -> bool:
        """Whether the run's tag is the last column."""
        return self.least_columns < self.n_columns


TREC_RUN = RunLayout(6, 5, 2, (("rank", 3), ("score", 4)))
SWAPPED_RUN = RunLayout(6, 5, 2, (("rank", 4), ("score", 3)))


class ScannedRows(NamedTuple):
    """The results of consecutive lines of a run, as columns.

    Attributes:
        queries: ids of runs of lines with the same query, in order.
        query_lengths: how many lines each of them has.
        documents: ids as words, each of shape (n,).
        rank_digits: as words, one digit a byte, shape (n,); shape (0,) where there are no ranks.
        scores: float64, shape (n,); NaN where there are none.
        tag: all lines' tag.
    """

    queries: list[str]
    query_lengths: Ints
    documents: list[Words]
    rank_digits: Words
    scores: Floats
    tag: str

    @property
    def ranks(self) -> IdCodes | Floats:
        """The ranks as numbers, shape (n,); NaN where there are none."""
        if not len(self.rank_digits):
            return np.full(len(self.scores), np.nan)
        return compute_numbers(self.rank_digits).astype(np.int32)

    def firsts(self) -> Bools:
        """Return which lines are the first ones of their queries' stretches."""
        is_first = np.zeros(len(self.scores), np.bool_)
        is_first[np.cumsum(self.query_lengths) - self.query_lengths] = True
        return is_first


def scan_run_lines(raw: bytes, layout: RunLayout = TREC_RUN) -> ScannedRows | None:
    """Return the results of a run's plain lines.

    Args:
        raw: whole lines, each with its end.
        layout: which column is what.

    Returns:
        ``None`` if any line is out of the ordinary: another number of columns, another tag,
        a query id that may begin a comment, a rank or score to be looked at closely.
    """
    fields = find_fields(raw, layout.n_columns)
    return None if fields is None else scan_fields(fields, layout)


def scan_fields(fields: Fields, layout: RunLayout) -> ScannedRows | None:
    """Return the results in the columns of lines; see :func:`scan_run_lines`."""
    if layout.has_tag and not fields.has_one(-1):
        return None
    firsts = np.flatnonzero(differs_from_previous(fields.load(0)))
    if (fields.text.codes[fields.starts[0, firsts]] == _HASH).any():
        return None
    places = dict(layout.numbers)
    scores = _scan_scores(fields, places.get("score"))
    digits = _scan_ranks(fields, places.get("rank"))
    if scores is None or digits is None:
        return None
    return ScannedRows(
        fields.texts(0, firsts),
        np.diff(np.append(firsts, fields.n_lines)),
        fields.load(layout.document),
        digits,
        scores,
        fields.texts(-1, firsts[:1])[0] if layout.has_tag else "",
    )


def _scan_scores(fields: Fields, column: int | None) -> Floats | None:
    if column is None:
        return np.full(fields.n_lines, np.nan)
    return find_doubles(fields.text, fields.starts[column], fields.ends[column])


def _scan_ranks(fields: Fields, column: int | None) -> Words | None:
    if column is None:
        return np.zeros(0, np.uint64)
    lengths = fields.lengths(column)
    is_long = lengths.max() > WORD_BYTES
    return None if is_long else fields.text.find_digits(fields.ends[column], lengths)


_FREE = -1
# More at once would keep other threads waiting, and leave the processor's cache.
_CHUNK = 1 << 16
# Begins what stands for an id that words cannot hold; no field of a scanned line has it.
_STAND_IN = 1
_NOT_IN_WORDS = (b"\0", b"\n", bytes([_STAND_IN]))


class IdColumn:
    """The ids of rows as they come in, one for each."""

    def __init__(self) -> None:
        self._parts: list[list[Words]] = []
        self._odd: dict[str, int] = {}

    def add_words(self, words: list[Words]) -> None:
        """Take fields as words, as :meth:`PaddedText.load_fields` gives them."""
        self._parts.append(words)

    def add_texts(self, texts: Sequence[str]) -> None:
        """Take any texts."""
        self._parts.append(words_of_texts(texts, self._odd))

    def number(self) -> tuple[IdCodes, list[str]]:
        """Return each row's place among the ids by their bytes, rising, and these ids.

        No more may come.

        Returns:
            int32, shape (n,), and the distinct texts.
        """
        parts = self._parts or [[np.zeros(0, np.uint64)]]
        self._parts = []
        words = [
            np.concatenate(
                [
                    each if each is not None else np.zeros_like(part[0])
                    for each, part in zip(column, parts, strict=True)
                ]
            )
            for column in zip_longest(*parts)
        ]
        codes, distinct = number_ids(words)
        texts = _texts_of(distinct)
        if not self._odd:
            return codes, texts
        odd = list(self._odd)
        texts = [odd[int(text[1:])] if ord(text[0]) == _STAND_IN else text for text in texts]
        order = np.array(sorted(range(len(texts)), key=lambda code: texts[code].encode()), np.intp)
        return _ranks(order)[codes], [texts[code] for code in order.tolist()]


def number_ids(words: list[Words]) -> tuple[IdCodes, list[Words]]:
    """Return codes of ids, which are the places of the distinct ones by their bytes, rising.

    Args:
        words: the ids, each of shape (n,).

    Returns:
        int32, shape (n,); and the distinct ids as words.
    """
    hashes = compute_hashes(words)
    order = np.argsort(hashes)
    is_new = differs_from_previous([word[order] for word in words])
    if is_new.sum() > differs_from_previous([hashes[order]]).sum():
        # Different ids have the same hash, and may stand in turns.
        order = np.lexsort(words)
        is_new = differs_from_previous([word[order] for word in words])
    firsts = order[is_new]
    by_bytes = np.lexsort([as_sortable(word[firsts]) for word in reversed(words)])
    codes = np.empty(len(order), np.int32)
    codes[order] = _ranks(by_bytes)[np.cumsum(is_new) - 1]
    return codes, [word[firsts[by_bytes]] for word in words]


def _ranks(order: Places) -> IdCodes:
    """Return each one's place in an order."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def words_of_texts(texts: Sequence[str], odd: dict[str, int] | None = None) -> list[Words]:
    """Return any texts as words.

    Args:
        texts: at least one.
        odd: gets those that no words can hold: too long, empty, with zeros or line ends. A
            stand-in with their number takes their place.
    """
    odd = {} if odd is None else odd
    # Half a character makes bytes that no scanned file has.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    joined = b"".join(encoded)
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    is_odd = (lengths < 1) | (lengths > MAX_FIELD_BYTES)
    if any(sign in joined for sign in _NOT_IN_WORDS):
        is_odd |= np.array([any(sign in each for sign in _NOT_IN_WORDS) for each in encoded])
    if is_odd.any():
        for place in np.flatnonzero(is_odd).tolist():
            encoded[place] = b"%c%d" % (_STAND_IN, odd.setdefault(texts[place], len(odd)))
        joined = b"".join(encoded)
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return PaddedText.around(joined).load_fields(TEXT_START + np.cumsum(lengths) - lengths, lengths)


class IdTable:
    """Distinct ids to be found by many: a table with open addressing, worked by numpy.

    All that are looked for look at their places in it at once; those that find another id go
    one place on, until none is left.

    Args:
        words: the ids; their places are their codes.
    """

    def __init__(self, words: list[Words]) -> None:
        self._words = words
        # At most half of the places are ever taken.
        self._bits = max(1, (len(self) * 4).bit_length())
        self._slots = np.full(1 << self._bits, _FREE, np.int32)
        left = np.arange(len(self), dtype=np.int32)
        slots = self._first_slots(compute_hashes(words))
        while len(left):
            is_free = self._slots[slots] == _FREE
            self._slots[slots[is_free]] = left[is_free]
            is_out = self._slots[slots] != left
            left, slots = left[is_out], (slots[is_out] + 1) & (len(self._slots) - 1)

    def __len__(self) -> int:
        """Number of ids."""
        return len(self._words[0])

    def find(self, words: list[Words], hashes: Words) -> IdCodes:
        """Return the codes of fields as words, -1 where one is none of the ids.

        Args:
            words: each of shape (n,).
            hashes: theirs, shape (n,).
        """
        codes = np.full(len(hashes), _FREE, np.int32)
        left = np.arange(len(hashes), dtype=np.int32)
        slots = self._first_slots(hashes)
        while len(left):
            found = self._slots[slots]
            taken = np.flatnonzero(found != _FREE)
            left, slots, found = left[taken], slots[taken], found[taken]
            is_same = self._have_words(found, left, words)
            codes[left[is_same]] = found[is_same]
            is_other = ~is_same
            left, slots = left[is_other], (slots[is_other] + 1) & (len(self._slots) - 1)
        return codes

    def texts(self) -> list[str]:
        """Return the ids by code."""
        return _texts_of(self._words)

    def _have_words(self, codes: IdCodes, fields: IdCodes, words: list[Words]) -> Bools:
        """Whether ids are the same as fields; words that one of them lacks are zero."""
        is_same = np.ones(len(codes), np.bool_)
        for own, word in zip_longest(self._words, words):
            is_same &= (0 if own is None else own[codes]) == (0 if word is None else word[fields])
        return is_same

    def _first_slots(self, hashes: Words) -> Places:
        return (hashes >> (_BITS - self._bits)).astype(np.intp)


def _texts_of(words: Sequence[Words]) -> list[str]:
    """Return ids as texts."""
    texts: list[str] = []
    width = WORD_BYTES * len(words)
    for start in range(0, len(words[0]), _CHUNK):
        columns = [word[start : start + _CHUNK].astype("<u8") for word in words]
        rows = np.full((len(columns[0]), width + 1), _LF, np.uint8)
        rows[:, :width] = np.stack(columns, axis=1).view(np.uint8)
        codes = rows.ravel()
        texts += codes[codes != 0].tobytes().decode().split("\n")[:-1]
    return texts
