"""Which words of a text match a query: folded, stemmed, in any script."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

Span = tuple[int, int]

LONGEST_WORD = 64
_PREFIX = 2

# Scripts written without spaces, with the length of the pieces that stand for words there.
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_SOUTH_EAST = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u1950-\u19df"
_PIECES = ((_CJK, 2), (_SOUTH_EAST, 4))

# What NFKD leaves alone although people type it without its stroke.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "ı": "i"})

_ENGLISH = """
a an and are as at be been but by can could did do does for from had has have he her his how i if
in into is it its me my no nor not of on or our s she should so t that the their them then there
these they this those to was we were what when where which while who whom why will with would you
your
"""
STOP_WORDS = {"english": frozenset(_ENGLISH.split())}


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of a query in the form in which they are looked for.

    Attributes:
        words: folded and stemmed words of scripts that separate words.
        pieces: short pieces of scripts that do not, as they are written.
        language: name of the stemmer; ``None`` compares whole folded words.
    """

    words: frozenset[str] = frozenset()
    pieces: tuple[str, ...] = ()
    language: str | None = None

    @classmethod
    def parse(cls, text: str, language: str | None = "english") -> "QueryTerms":
        """Return the terms of a query.

        Args:
            text: the query as it was typed.
            language: a language of Snowball, such as ``english``; ``None`` does not
                stem and knows no stop words.

        Returns:
            The terms; stop words only where the query has no other. Empty for a text
            without words.

        Raises:
            KeyError: there is no stemmer of that name.
        """
        folded = [fold(word) for word in _word_pattern().findall(text) if len(word) <= LONGEST_WORD]
        stop_words = STOP_WORDS.get(language or "", frozenset())
        pieces = tuple(dict.fromkeys(_iter_pieces(text)))
        telling = [word for word in folded if word not in stop_words]
        if not telling and not pieces:
            telling = folded
        stem = _stemmer(language)
        return cls(frozenset(stem(word) for word in telling if word), pieces, language)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match."""
        return not (self.words or self.pieces)

    def find_spans(self, text: str) -> list[Span]:
        """Return where the text matches, as (start, end) in the text as it is given.

        Words match as wholes whatever their accents, case and ending; a letter and
        its combining marks are never parted.

        Returns:
            Spans in order, not touching each other; empty when nothing matches.
        """
        spans: list[Span] = []
        if self.words:
            known = _matcher(self.words, self.language)
            spans = [m.span() for m in _word_pattern().finditer(text) if known[m.group()]]
        if self.pieces:
            spans = join_spans([*spans, *self._find_pieces(text)])
        return spans

    def _find_pieces(self, text: str) -> Iterator[Span]:
        marks = _mark_pattern()
        for found in _piece_finder(self.pieces).finditer(text):
            end = found.start() + len(found.group(1))
            following = marks.match(text, end)
            yield found.start(), following.end() if following else end


NO_TERMS = QueryTerms()


def fold(word: str) -> str:
    """Return a word without case, accents and compatibility forms.

    Vowel signs of Indic and south-east Asian scripts stay, as they are letters there.

    Examples:
        >>> fold("Crème"), fold("Straße"), fold("Abẹ́òkúta"), fold("Øl")
        ('creme', 'strasse', 'abeokuta', 'ol')
    """
    if word.isascii():
        return word.lower()
    bare = (
        char
        for char in unicodedata.normalize("NFKD", word.casefold())
        if not _is_accent(unicodedata.combining(char))
    )
    return unicodedata.normalize("NFC", "".join(bare)).translate(_LETTERS)


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, with those that overlap or touch made one.

    Examples:
        >>> join_spans([(4, 6), (0, 2), (1, 3)])
        [(0, 3), (4, 6)]
    """
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_accent(combining_class: int) -> bool:
    """Whether a mark of this class is written above or below a letter, or is a point in it.

    Classes 1-9 and 84-132 hold signs (nukta, virama, Thai vowels) that make another letter.
    """
    return 10 <= combining_class <= 36 or 200 <= combining_class <= 240


@cache
def _marks() -> str:
    """Return the inside of a character class of all combining marks and joiners."""
    codes = [
        code
        for code in range(0x300, 0x1F000)
        if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "\u200c\u200d\U000e0100-\U000e01ef"


@cache
def _mark_pattern() -> re.Pattern[str]:
    return re.compile(f"[{_marks()}]+")


@cache
def _word_pattern() -> re.Pattern[str]:
    letter = f"[^\\W_{_CJK}{_SOUTH_EAST}]"
    return re.compile(f"{letter}+(?:[{_marks()}]+{letter}*)*")


@lru_cache(maxsize=64)
def _piece_finder(pieces: tuple[str, ...]) -> re.Pattern[str]:
    # A look-ahead, because pieces overlap: 'ab' and 'bc' both stand in 'abc'.
    longest_first = sorted(pieces, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))")


def _iter_pieces(text: str) -> Iterator[str]:
    """Yield overlapping pieces of a query's runs of scripts without spaces."""
    marks = _marks()
    for script, length in _PIECES:
        for run in re.findall(f"[{script}][{script}{marks}]*", text):
            letters: list[str] = re.findall(f"[^{marks}][{marks}]*", run)
            for start in range(max(1, len(letters) - length + 1)):
                yield "".join(letters[start : start + length])


@cache
def _stemmer(language: str | None) -> Callable[[str], str]:
    if language is None:
        return str
    import snowballstemmer  # noqa: PLC0415 - loading it takes 30 ms, and only marking needs it

    stem: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return lru_cache(maxsize=50_000)(stem)


class _Matcher(dict[str, bool]):
    """Whether a word as written matches; each is folded and stemmed once."""

    def __init__(self, words: frozenset[str], language: str | None) -> None:
        super().__init__()
        self._words = words
        self._stem = _stemmer(language)
        # Stemming is slow, and hardly any word begins like a term: only those are stemmed.
        self._starts = None if language == "arabic" else {_start(word) for word in words}

    def __missing__(self, surface: str) -> bool:
        if len(surface) > LONGEST_WORD:
            return False
        folded = fold(surface)
        is_match = False
        if self._starts is None or _start(folded) in self._starts:
            is_match = self._stem(folded) in self._words
        self[surface] = is_match
        return is_match


def _start(word: str) -> str:
    # English stems turn a final y to i: 'dying' and 'die' begin alike.
    return word[:_PREFIX].replace("y", "i")


@lru_cache(maxsize=8)
def _matcher(words: frozenset[str], language: str | None) -> _Matcher:
    return _Matcher(words, language)
