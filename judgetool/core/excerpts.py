"""What is found and marked in a text, and the few words of a long one that show why it matched."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from judgetool.core.terms import QueryTerms, Span, fold, join_spans

JOIN = " … "
BEGIN = "… "
END = " …"
_LEAD = 30
_ENDINGS = ".!?。！？।؟…"
_CLOSINGS = " ,;:.!?)]}，；：。！？）"
_SENTENCE_REACH = 60
_SENTENCE = re.compile(r"(?:[.!?;:]\s|[。！？।؟])\s*")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Pieces of a text joined by ``…``.

    Attributes:
        text: on one line.
        spans: where query terms stand in it, in order.
    """

    text: str = ""
    spans: tuple[Span, ...] = ()


def one_line(text: str, *, most: int) -> str:
    r"""Return at most ``most`` characters of a text with every run of blanks as one space.

    Characters that steer terminals or the direction of text become blanks as well.

    Examples:
        >>> one_line("  a\tb\n\nc  ", most=100)
        'a b c'
    """
    return " ".join(text[:most].translate(_UNSEEN).split())


def short_name(name: str, *, most: int) -> str:
    """Return a name on one line; a longer one lacks its middle, as many differ at their ends alone.

    Examples:
        >>> short_name("run-2026-01-reranked-a", most=14)
        'run-20…anked-a'
    """
    whole = one_line(name, most=len(name))
    if len(whole) <= most:
        return whole
    n_left = (most - 1) // 2
    return f"{whole[:n_left]}…{whole[1 + n_left - most :]}"


_STEERING = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFFFC]
_BIDI = [0x200E, 0x200F, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_UNSEEN = str.maketrans({chr(code): " " for code in _STEERING} | {chr(c): "" for c in _BIDI})


def choose_excerpt(text: str, terms: QueryTerms, *, length: int = 180) -> Excerpt:
    """Return up to two windows of a text around what matches a query.

    The windows with the most different terms are taken; each begins at the start of a
    sentence where one is near, else of a word.

    Args:
        text: on one line (:func:`one_line`).
        terms: the query's.
        length: characters in all, about.

    Returns:
        The text's start when nothing matches; an empty excerpt of an empty text.
    """
    if len(text) <= length:
        return Excerpt(text, tuple(terms.find_spans(text)))
    spans = terms.find_spans(text)
    if not spans or spans[-1][1] <= length:
        window = (0, _back_to_word(text, length))
        return _join(text, [window], spans)
    windows = _choose_windows(text, spans, length // 2)
    return _join(text, _fill_up(text, windows, length), spans)


def _choose_windows(text: str, spans: Sequence[Span], size: int) -> list[Span]:
    forms = [text[start:end].casefold() for start, end in spans]
    first = _best(spans, forms, size, seen=frozenset(), taken=None)
    if first is None:
        return []
    window = _window(text, spans[first[0]][0], size)
    second = _best(spans, forms, size, seen=frozenset(forms[slice(*first)]), taken=window)
    if second is None:
        return [window]
    return _merge([window, _window(text, spans[second[0]][0], size)])


def _fill_up(text: str, windows: list[Span], length: int) -> list[Span]:
    """Use what is left of the length: for the text's start, or for more of the one window."""
    left = length - sum(end - start for start, end in windows)
    if len(windows) == 1 and windows[0][0] > 0 and left >= _LEAD:
        return _merge([(0, _back_to_word(text, min(left, windows[0][0]))), *windows])
    if len(windows) == 1:
        start = windows[0][0]
        return [(start, _window_end(text, start, length))]
    return windows


def _merge(windows: Sequence[Span]) -> list[Span]:
    low, high = sorted(windows)
    return [low, high] if high[0] > low[1] + 1 else [(low[0], max(low[1], high[1]))]


def _window(text: str, match: int, size: int) -> Span:
    start = _window_start(text, match)
    while start < match and text[start] in _CLOSINGS:
        start += 1
    return start, _window_end(text, start, size)


def _best(
    spans: Sequence[Span],
    forms: Sequence[str],
    size: int,
    *,
    seen: frozenset[str],
    taken: Span | None,
) -> tuple[int, int] | None:
    """Return first and behind-last of the matches that make the best window, if any is left."""
    best: tuple[tuple[int, int], tuple[int, int]] | None = None
    last = 0
    for first, (start, _) in enumerate(spans):
        last = max(last, first)
        while last < len(spans) and spans[last][1] <= start + size - _LEAD:
            last += 1
        behind = max(last, first + 1)
        if taken and start < taken[1] and spans[behind - 1][1] > taken[0]:
            continue
        fresh = len(set(forms[first:behind]) - seen)
        worth = (fresh, behind - first)
        if best is None or worth > best[0]:
            best = (worth, (first, behind))
    return best[1] if best else None


def _window_start(text: str, match: int) -> int:
    """Return where a window for a match begins: at its sentence's start, or some words before."""
    if match <= _SENTENCE_REACH // 2:
        return 0
    reach = max(0, match - _SENTENCE_REACH)
    ends = [found.end() for found in _SENTENCE.finditer(text, reach, match)]
    if ends:
        return ends[0] if match - ends[0] <= _LEAD else ends[-1]
    blank = text.find(" ", max(0, match - _LEAD), match)
    return match if blank < 0 else blank + 1


def _window_end(text: str, start: int, size: int) -> int:
    end = start + size
    return len(text) if end >= len(text) else max(start + 1, _back_to_word(text, end))


def _back_to_word(text: str, end: int) -> int:
    """Return the end of the last whole word before ``end``, if one is near."""
    blank = text.rfind(" ", max(0, end - _LEAD), end + 1)
    return blank if blank > 0 else end


def _join(text: str, windows: Sequence[Span], spans: Sequence[Span]) -> Excerpt:
    parts: list[str] = []
    placed: list[Span] = []
    at = 0
    for number, (start, end) in enumerate(windows):
        lead = _lead(text, start, is_first=not number)
        parts += [lead, text[start:end]]
        at += len(lead)
        placed += [(s - start + at, e - start + at) for s, e in spans if s >= start and e <= end]
        at += end - start
    if windows[-1][1] < len(text) and text[windows[-1][1] - 1] not in _ENDINGS:
        parts.append(END)
    return Excerpt("".join(parts), tuple(placed))


def _lead(text: str, start: int, *, is_first: bool) -> str:
    if not is_first:
        return JOIN
    return "" if _is_sentence_start(text, start) else BEGIN


def _is_sentence_start(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    return start == 0 or bool(_SENTENCE.search(before))


_PASSAGE = 420
_OPENING = 360
_MOST_PASSAGES = 4
# Of a text that matches everywhere these tell enough.
_MOST_MATCHES = 500
_MOST_NEAR = 12
_PASSAGE_REACH = 160
_NATURAL_END = re.compile(r"[.!?](?=\s)|[。！？।؟]|\n")


def choose_passages(text: str, terms: QueryTerms, *, looked_at: int = 40_000) -> list[Span]:
    """Return the pieces of a long text that tell what it is: its opening, and where it matches.

    Passages begin and end with sentences or lines where these are near, and those with
    the most different terms are taken.

    Args:
        text: as it is, with its lines.
        terms: the query's.
        looked_at: so many characters from the start are looked through.

    Returns:
        Spans of the text in order, apart from each other, at most five; the opening
        alone when nothing matches; none for an empty text.
    """
    if not text:
        return []
    head = text[:looked_at]
    spans = terms.find_marks(head)
    opening = (0, _natural_end(text, 0, _OPENING if spans else 3 * _OPENING))
    taken = [opening]
    seen = {text[a:b].casefold() for a, b in spans if b <= opening[1]}
    for _ in range(_MOST_PASSAGES):
        match = _best_match(text, spans, taken, seen)
        if match is None:
            break
        start = _natural_start(text, match)
        taken.append((start, max(match + 1, _natural_end(text, start, _PASSAGE))))
        seen |= {text[a:b].casefold() for a, b in spans if start <= a < taken[-1][1]}
    # Passages with a few characters between them read better as one.
    return join_spans(taken, near=_LEAD)


def _best_match(
    text: str, spans: Sequence[Span], taken: Sequence[Span], seen: set[str]
) -> int | None:
    """Return where the match stands that begins the best passage outside those taken."""
    best: tuple[tuple[int, int], int] | None = None
    for first, (start, _) in enumerate(spans[:_MOST_MATCHES]):
        if any(a <= start < b for a, b in taken):
            continue
        forms = set()
        for number in range(first, min(first + _MOST_NEAR, len(spans))):
            if spans[number][1] > start + _PASSAGE - _LEAD:
                break
            forms.add(text[slice(*spans[number])].casefold())
        worth = (len(forms - seen), len(forms))
        if best is None or worth > best[0]:
            best = (worth, start)
    return best[1] if best else None


def _natural_start(text: str, match: int) -> int:
    """Return the beginning of the sentence or line of a match, or of a word not far before it."""
    reach = max(0, match - _PASSAGE_REACH)
    ends = [found.end() for found in _NATURAL_END.finditer(text, reach, match)]
    start = ends[-1] if ends else reach
    if not ends and reach:
        blank = text.find(" ", reach, match)
        start = match if blank < 0 else blank
    while start < match and text[start].isspace():
        start += 1
    return start


def _natural_end(text: str, start: int, size: int) -> int:
    """Return where a passage ends: with a sentence, a line or a word, near its size."""
    end = start + size
    if end >= len(text):
        return len(text)
    ends = [found.end() for found in _NATURAL_END.finditer(text, start + size // 2, end + 80)]
    near = [place for place in ends if place <= end] or ends[:1]
    if near:
        return near[-1]
    blank = text.rfind(" ", start + size // 2, end)
    return blank if blank > 0 else end


class Mark(NamedTuple):
    """A marked piece of a text.

    Attributes:
        start: its first character.
        end: behind its last one.
        colour: which of the four marks, from 0; query terms have 0.
    """

    start: int
    end: int
    colour: int


@dataclass(frozen=True, slots=True)
class Layer:
    """Terms that are marked in one colour.

    Attributes:
        terms: what is looked for.
        colour: which of the four marks, from 0.
    """

    terms: QueryTerms
    colour: int


@dataclass(frozen=True, slots=True)
class Marking:
    """Everything that is marked; where two layers meet, the first one is seen.

    Attributes:
        layers: the assessor's own sets first, the query's terms last.
    """

    layers: tuple[Layer, ...] = ()

    def find_marks(self, text: str) -> list[Mark]:
        """Return what to mark in a text, in order; marks do not overlap."""
        marks: list[Mark] = []
        for layer in self.layers:
            found = layer.terms.find_marks(text)
            marks = _fill(marks, (Mark(start, end, layer.colour) for start, end in found))
        return marks


def _fill(taken: list[Mark], later: Iterable[Mark]) -> list[Mark]:
    """Return marks with those of a later layer where there is still room."""
    if not taken:
        return list(later)
    merged = list(taken)
    for start, end, colour in later:
        free = start
        for mark in taken:
            if mark.end <= free or mark.start >= end:
                continue
            if mark.start > free:
                merged.append(Mark(free, mark.start, colour))
            free = mark.end
        if free < end:
            merged.append(Mark(free, end, colour))
    return sorted(merged)


NO_MARKING = Marking()


def find_folded(text: str, typed: str) -> list[Span]:
    """Return where a text holds what was typed, as (start, end) in the text as it is given.

    What is typed is no pattern and no word: any piece of text is found. Case, accents
    and compatibility forms do not count; a letter and its marks are never parted.

    Args:
        text: to be looked through.
        typed: ``""`` is found nowhere.

    Returns:
        Spans in order that do not overlap.
    """
    wanted, _ = _fold_text(typed)
    if not wanted:
        return _find_all(text, typed) if typed else []
    folded, places = _fold_text(text)
    found = _find_all(folded, wanted)
    if places is None:
        return found
    spans: list[Span] = []
    for start, end in found:
        first, behind = places[start], places[end]
        # A letter that folds to two ('ß') may be met in its middle twice.
        if not spans or first >= spans[-1][1]:
            spans.append((first, max(behind, first + 1)))
    return spans


def _find_all(text: str, wanted: str) -> list[Span]:
    spans = []
    start = text.find(wanted)
    while start >= 0:
        spans.append((start, start + len(wanted)))
        start = text.find(wanted, start + len(wanted))
    return spans


def _fold_text(text: str) -> tuple[str, list[int] | None]:
    """Return a text folded, and for each of its characters (and the end) where it came from."""
    if text.isascii():
        return text.lower(), None
    parts: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        folded = _fold_character(char)
        parts.append(folded)
        places.extend([place] * len(folded))
    places.append(len(text))
    return "".join(parts), places


@lru_cache(maxsize=20_000)
def _fold_character(char: str) -> str:
    return fold(char)
