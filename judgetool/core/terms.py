"""Which words of a text match a query, what is marked in it, and the few words that show why it matched.

Words are folded, stemmed, in any script; the language that a text is in is told here, too.
"""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

_STOP_WORDS = {
    "english": """
a an and are as at be been but by can could did do does for from had has have he her his how i if
in into is it its me my no nor not of on or our s she should so t that the their them then there
these they this those to was we were what when where which while who whom why will with would you
your
""",
    "german": """
aber als am an auch auf aus bei bin bis das dass dem den der des die dies doch durch ein eine einem
einen einer eines er es für hat ich ihr im in ist kann man mehr mit nach nicht noch nur oder ohne
schon sein sich sie sind so über um und uns unter vom von vor war was wenn wer wie wir wird zu zum
zur
""",
    "french": """
a au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui mais me même
mes moi mon ne nos notre nous on ou où par pas plus pour qu que qui sa sans se ses si son sont sur
ta te tes ton tu un une vos votre vous à été être
""",
    "spanish": """
a al algo como con contra de del desde donde e el ella ellos en entre era es esta este esto están
ha hasta hay la las le lo los me mi muy más nada ni no nos o para pero por porque que quien se ser
si sin sobre su sus también te tiene un una uno y ya yo él
""",
    "italian": """
a ad al alla alle anche che chi ci come con cui da dal dalla degli dei del della delle di e ed era
essere gli ha ho i il in io la le lo loro ma mi mia nel nella non o per perché più quella quello
questo se si sono su sua sul sulla suo tra tu un una uno è
""",
    "portuguese": """
a ao aos as com como da das de do dos e ela ele em entre era essa este está eu foi há isso já mais
mas me mesmo meu muito na nas no nos não o os ou para pela pelo por porque quando que quem se sem
ser seu são só também te tem um uma você à é
""",
    "dutch": """
aan al als bij dan dat de der deze die dit door een en er geen had heb heeft het hij hoe hun ik in
is je kan maar me meer met mijn naar niet nog nu of om onder ook op over te tot uit van veel voor
waar was wat we werd wie wij wordt ze zich zij zijn zo
""",
    "swedish": """
alla att av blev bli där de dem den denna det detta dig din du efter eller en ett från för ha hade
han har hon hur här i inte jag kan man med men mig min mot mycket någon när och om oss på sig sin
ska som så till under upp ut vad var vi vid vill är över
""",
    "norwegian": """
alle at av bare ble da de den denne der det dette du eller en er et etter for fra ha hadde han har
hun hva hvem hvis hvor i ikke ja jeg kan man med meg men min mot mye nå når og om opp oss på seg
skal som til under ut var ved vi vil være
""",
    "danish": """
af alle at blev bliver da de dem den denne der det dette dig din du efter eller en end er et for
fra ha hans har havde hun hvad hvem hvis hvor i ikke jeg kan man med meget men mig min mod nogle nu
når og om op os over på sig sin skal som til under var ved vi vil
""",
    "finnish": """
ei eivät ja jos joka jotka kanssa kuin kun mikä minä missä mitä mukaan mutta myös ne niin nämä olen
oli olla on ovat se sekä sen siellä siitä sitä tai tämä että vain voi
""",
    "turkish": """
acaba ama ancak bazı ben bir biz bu çok çünkü da daha de en gibi hem her hiç için ile ise kadar ki
mi mı mu ne neden o olan olarak sonra şu var ve veya ya
""",
    "russian": """
а без был была были было быть в вам вас весь во вот все всё вы где да для до его ее если есть еще
же за и из или им их к как когда кто ли мне мы на над не нет ни но ну о об он она они оно от по
под при с со так такой то только ты у уже что чтобы эта эти это я
""",
}
STOP_WORDS = {name: frozenset(words.split()) for name, words in _STOP_WORDS.items()}

FALLBACK = "english"
LANGUAGES = (
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "norwegian",
    "portuguese",
    "romanian",
    "spanish",
    "swedish",
    "turkish",
)
"""Languages in the Latin script that have a stemmer; other scripts tell their own."""

_MOST_WORDS = 20_000
_LEAST_SHARE = 0.06
_CLEARLY = 1.25
# Some words are function words of another language by chance: 'na', 'la' and 'ni' in Yoruba, 'ya' in Swahili.
_LEAST_DIFFERENT = 7
# So many words with letters that English does not have, in a text with few function words of its own.
_FOREIGN_SHARE = 0.15
_WORD = re.compile(r"[^\W\d_]+")
# Latin letters beyond those of English.
_FOREIGN = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


def detect_language(texts: Iterable[str]) -> str | None:
    """Return the language that most of some texts are in.

    Counts function words. Texts without enough of them (titles of products, codes)
    say nothing, but for letters that English does not have.

    Args:
        texts: some of the documents, a few dozen are enough.

    Returns:
        A name of :data:`LANGUAGES`; ``english`` where the texts do not tell; ``None`` where they
        are surely in another language of the Latin script, whose endings are not known.
    """
    words: Counter[str] = Counter()
    for text in texts:
        words.update(word.casefold() for word in _WORD.findall(text[:_MOST_WORDS]))
        if words.total() > _MOST_WORDS:
            break
    total = words.total()
    latin = [name for name in STOP_WORDS if name in LANGUAGES]
    counts = {name: sum(words[word] for word in STOP_WORDS[name]) for name in latin}
    first, second, *_ = sorted(counts, key=lambda name: -counts[name])
    is_telling = counts[first] > _LEAST_SHARE * total and (
        counts[first] >= _CLEARLY * counts[second]
    )
    if is_telling and sum(word in words for word in STOP_WORDS[first]) >= _LEAST_DIFFERENT:
        return first
    foreign = sum(n for word, n in words.items() if _FOREIGN.search(word))
    return None if foreign > _FOREIGN_SHARE * total else FALLBACK


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

# A piece of text in double quotes of any country.
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]*)[\"“”„«»]")
_WIDEST_GAP = 3

# Scripts other than Latin, with the stemmer of their commonest language.
_SCRIPTS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u1f00", "\u1fff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0531", "\u058f", "armenian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
# Languages whose stemmers take something off the beginning of words.
_PREFIXED = ("indonesian", "dutch")

# What NFKD leaves alone although people type it without its stroke; letters that Persian and Arabic write
# otherwise, what stands between letters and is none, and their digits.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "ı": "i"}
    | {"ک": "ك", "ی": "ي", "\u0640": "", "\u200c": ""}
    | {chr(zero + digit): str(digit) for zero in (0x660, 0x6F0) for digit in range(10)}
)
# What Persian sets apart from a word by a mark of no width: beginnings of verbs, and endings.
_SET_APART = re.compile(
    r"\Aن?م[یي]\u200c|\u200c(?:ها\w*|تر\w*|ا[یيمتش]|ا(?:[یي][مد]|ند)|[متش]ان|[یي])\Z"
)


class QueryTerms(NamedTuple):
    """The words of a query in the form in which they are looked for.

    Attributes:
        forms: of each different word of the query, folded and stemmed.
        loose: the words (places in ``forms``) that count wherever they stand.
        phrases: words in quotes: they count only after one another, as they stand there.
        pairs: words that follow each other in the query.
        pieces: short pieces of scripts that do not part words, as they are written.
        language: name of the stemmer of Latin words; ``None`` compares whole folded words.
    """

    forms: tuple[frozenset[str], ...] = ()
    loose: frozenset[int] = frozenset()
    phrases: tuple[tuple[int, ...], ...] = ()
    pairs: frozenset[tuple[int, int]] = frozenset()
    pieces: tuple[str, ...] = ()
    language: str | None = None

    @classmethod
    def parse(
        cls, text: str, language: str | None = "english", *, keeps_all: bool = False
    ) -> "QueryTerms":
        """Return the terms of a query.

        Args:
            text: the query as it was typed; what stands in double quotes is a phrase.
            language: a language of Snowball, such as ``english``, for words in the Latin
                script; other scripts have their own. ``None`` does not stem and knows no
                stop words.
            keeps_all: whether stop words count like others.

        Returns:
            The terms; stop words only where the query has no other. Empty for a text
            without words.

        Raises:
            KeyError: there is no stemmer of that name.
        """
        return _Parser(language, keeps_all=keeps_all).parse(text)

    def find_spans(self, text: str) -> list[Span]:
        """Return where the text matches, as (start, end) in the text as it is given.

        Words match as wholes whatever their accents, case and ending; a letter and
        its combining marks are never parted.

        Returns:
            Spans in order, not overlapping; empty when nothing matches.
        """
        spans = [(start, end) for start, end, _ in self._find_words(text)]
        return self._with_pieces(text, spans) if self.pieces else spans

    def find_marks(self, text: str) -> list[Span]:
        """Return what to mark: like :meth:`find_spans`, with adjacent query words as one.

        Words that follow each other in the query and in the text are one span, with
        what stands between them.
        """
        words = self._find_words(text)
        spans: list[Span] = []
        before = -1
        for start, end, word in words:
            if spans and (before, word) in self.pairs and _is_gap(text[spans[-1][1] : start]):
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
            before = word
        return self._with_pieces(text, spans) if self.pieces else spans

    def _find_words(self, text: str) -> list[tuple[int, int, int]]:
        """Return start, end and word of each match."""
        if not self.forms:
            return []
        known = _matcher(self.forms, self.language)
        found = [
            (*m.span(), word)
            for m in _word_pattern(is_ascii=text.isascii()).finditer(text)
            if (word := known[m.group()]) >= 0
        ]
        if not self.phrases:
            return found
        kept = [word in self.loose for _, _, word in found]
        for phrase in self.phrases:
            for at in range(len(found) - len(phrase) + 1):
                if _is_phrase(text, found[at : at + len(phrase)], phrase):
                    kept[at : at + len(phrase)] = [True] * len(phrase)
        return [match for match, is_kept in zip(found, kept, strict=True) if is_kept]

    def _with_pieces(self, text: str, spans: list[Span]) -> list[Span]:
        """Return where words match, and where pieces do, with the marks that follow them."""
        marks = re.compile(f"[{_marks()}]*")
        found = ((m.start(), m.end(1)) for m in _piece_finder(self.pieces).finditer(text))
        pieces = ((start, marks.match(text, end)) for start, end in found)
        return join_spans([*spans, *((start, m.end()) for start, m in pieces if m)])


class _Parser:
    """Takes a query apart."""

    def __init__(self, language: str | None, *, keeps_all: bool) -> None:
        self._language = language
        self._stop_words = STOP_WORDS.get("" if keeps_all else language or "", frozenset())
        self._forms: dict[frozenset[str], int] = {}
        self._loose: set[int] = set()
        self._phrases: list[tuple[int, ...]] = []
        self._pairs: set[tuple[int, int]] = set()

    def parse(self, text: str) -> QueryTerms:
        # What is not in quotes, what is, and so on in turn.
        parts = _QUOTED.split(text)
        loose, quoted = parts[0::2], [part for part in parts[1::2] if part.strip()]
        pieces = [piece for part in loose for piece in _iter_pieces(part)]
        pieces += [run for part in quoted for run in _iter_runs(part)]
        for part in quoted:
            self._add_phrase(_words(part))
        words = [_words(part) for part in loose]
        telling = [[w for w in part if fold(w) not in self._stop_words] for part in words]
        if not (any(telling) or pieces or self._phrases):
            telling = words
        for part in telling:
            self._add_loose(part)
        return QueryTerms(
            tuple(self._forms),
            frozenset(self._loose),
            tuple(self._phrases),
            frozenset(self._pairs),
            tuple(dict.fromkeys(pieces)),
            self._language,
        )

    def _number(self, word: str) -> int:
        forms = frozenset(form for form in _forms(word, self._language) if form)
        return self._forms.setdefault(forms, len(self._forms)) if forms else -1

    def _numbers(self, words: list[str]) -> tuple[int, ...]:
        return tuple(number for word in words if (number := self._number(word)) >= 0)

    def _add_loose(self, words: list[str]) -> None:
        numbers = self._numbers(words)
        self._loose.update(numbers)
        self._pairs.update(pairwise(numbers))

    def _add_phrase(self, words: list[str]) -> None:
        numbers = self._numbers(words)
        if len(numbers) == 1:
            self._loose.update(numbers)
        elif numbers:
            self._phrases.append(numbers)
            self._pairs.update(pairwise(numbers))


NO_TERMS = QueryTerms()


def fold(word: str) -> str:
    """Return a word without case, accents and compatibility forms.

    Vowel signs of Indic and south-east Asian scripts stay, as they are letters there.

    Examples:
        >>> fold("Crème"), fold("Straße"), fold("Abẹ́òkúta"), fold("Øl")
        ('creme', 'strasse', 'abeokuta', 'ol')
    """
    return word.lower() if word.isascii() else _fold_for_stems(word).replace("ة", "ه")


def _fold_for_stems(word: str) -> str:
    """Return a word folded but for the Arabic ending by which its stemmer knows many words."""
    bare = (
        char
        for char in unicodedata.normalize("NFKD", word.casefold())
        if not _is_accent(unicodedata.combining(char))
    )
    return unicodedata.normalize("NFC", "".join(bare)).translate(_LETTERS)


def fold_case(text: str) -> str:
    """Return a text without case; a Turkish i, with its dot or without, is one letter. Accents stay.

    Examples:
        >>> fold_case("COĞRAFYA"), fold_case("TARİH") == fold_case("TARIH") == fold_case("tarıh")
        ('coğrafya', True)
    """
    folded = unicodedata.normalize("NFC", text.casefold())
    return folded.replace("i\u0307", "i").replace("ı", "i")


def join_spans(spans: Iterable[Span], *, near: int = 0) -> list[Span]:
    """Return spans in order, with those made one that overlap, or have so many between them.

    Examples:
        >>> join_spans([(4, 6), (0, 2), (1, 3)])
        [(0, 3), (4, 6)]
    """
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + near:
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
    category = unicodedata.category
    codes = [code for code in range(0x300, 0x1F000) if category(chr(code))[0] == "M"]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "\u200c\u200d\U000e0100-\U000e01ef"


@cache
def _word_pattern(*, is_ascii: bool) -> re.Pattern[str]:
    if is_ascii:
        # The other one asks for every mark that there is, which takes 20 ms to find out.
        return re.compile(r"[^\W_]+")
    letter = f"[^\\W_{_CJK}{_SOUTH_EAST}]"
    return re.compile(f"{letter}+(?:[{_marks()}]+{letter}*)*")


@lru_cache(maxsize=64)
def _piece_finder(pieces: tuple[str, ...]) -> re.Pattern[str]:
    # A look-ahead, because pieces overlap: 'ab' and 'bc' both stand in 'abc'.
    longest_first = sorted(pieces, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))")


def _iter_runs(text: str) -> Iterator[str]:
    """Yield whole runs of scripts without spaces, as a phrase in quotes has them."""
    for script, _ in _PIECES:
        yield from _iter_script_runs(text, script)


def _iter_script_runs(text: str, script: str) -> list[str]:
    if text.isascii():
        return []
    runs: list[str] = re.findall(f"[{script}][{script}{_marks()}]*", text)
    return runs


def _iter_pieces(text: str) -> Iterator[str]:
    """Yield overlapping pieces of a query's runs of scripts without spaces."""
    for script, length in _PIECES:
        for run in _iter_script_runs(text, script):
            letters: list[str] = re.findall(f"[^{_marks()}][{_marks()}]*", run)
            for start in range(max(1, len(letters) - length + 1)):
                yield "".join(letters[start : start + length])


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    shorten = _load_stemmer(language)

    @lru_cache(maxsize=50_000)
    def stem(word: str) -> str:
        # English takes 'aed' for a past of 'a': one letter is no word that anybody looks for.
        found = shorten(word)
        return found if len(found) > 1 else word

    return stem


def _load_stemmer(language: str) -> Callable[[str], str]:
    """Load the stemmer of a language alone: the package itself loads all forty, which takes 30 ms."""
    spec = find_spec("snowballstemmer")
    package = ModuleType(f"{__name__}.stemmers")
    package.__path__ = list((spec and spec.submodule_search_locations) or ())
    sys.modules.setdefault(package.__name__, package)
    try:
        module = import_module(f"{package.__name__}.{language}_stemmer")
        stemmer = getattr(module, f"{language.title()}Stemmer")()
    except (ImportError, AttributeError):
        import snowballstemmer  # noqa: PLC0415 - only where it is not laid out as we know it

        stemmer = snowballstemmer.stemmer(language)
    stem: Callable[[str], str] = stemmer.stemWord
    return stem


def _script_language(word: str, language: str | None) -> str | None:
    """Return the stemmer for a word: scripts other than Latin have their own."""
    if language is None or word.isascii():
        return language
    first = word[0]
    return next((name for low, high, name in _SCRIPTS if low <= first <= high), language)


def _forms(word: str, language: str | None) -> tuple[str, ...]:
    """Return a word as it is compared: folded then stemmed, and stemmed then folded.

    Either alone would miss something: 'brulee' is typed for 'brûlée', and Russian has
    endings with letters that folding takes apart.
    """
    folded = fold(word)
    name = _script_language(word, language)
    if name is None:
        return (folded,)
    if name == "arabic" and (bare := _SET_APART.sub("", word)) not in (word, ""):
        return (*_forms(bare, language), *_forms(word.replace("\u200c", ""), language))
    stem = _stemmer(name)
    if word.isascii():
        return (stem(folded),)
    plain = unicodedata.normalize("NFC", word.casefold())
    found = fold(stem(_fold_for_stems(word))), fold(stem(plain))
    # Arabic words lose an end without their article that they keep with it.
    return (*found, folded) if name == "arabic" else found


def _words(text: str) -> list[str]:
    return [
        word
        for word in _word_pattern(is_ascii=text.isascii()).findall(text)
        if len(word) <= LONGEST_WORD
    ]


def _is_gap(between: str) -> bool:
    """Whether nothing but blanks, hyphens and the like stands between two words."""
    return len(between) <= _WIDEST_GAP and not any(map(str.isalnum, between))


def _is_phrase(text: str, matches: list[tuple[int, int, int]], phrase: tuple[int, ...]) -> bool:
    return tuple(word for _, _, word in matches) == phrase and all(
        _is_gap(text[here[1] : there[0]]) for here, there in pairwise(matches)
    )


class _Matcher(dict[str, int]):
    """Which of some words a word as written is, -1 for none; each is folded and stemmed once."""

    def __init__(self, forms: tuple[frozenset[str], ...], language: str | None) -> None:
        super().__init__()
        self._language = language
        self._number = {form: number for number, each in enumerate(forms) for form in each}
        # Stemming is slow, and hardly any word begins like a term: only those are stemmed.
        self._starts = {_start(form) for form in self._number}
        self._has_prefixes = language in _PREFIXED

    def __missing__(self, surface: str) -> int:
        found = self._find(surface) if len(surface) <= LONGEST_WORD else -1
        self[surface] = found
        return found

    def _find(self, surface: str) -> int:
        begins_as_written = not (self._has_prefixes or "\u0600" <= surface[0] <= "\u06ff")
        if begins_as_written and _start(fold(surface)) not in self._starts:
            return -1
        forms = _forms(surface, self._language)
        return next((self._number[form] for form in forms if form in self._number), -1)


def _start(word: str) -> str:
    # English stems turn a final y to i: 'dying' and 'die' begin alike.
    return word[:_PREFIX].replace("y", "i")


@lru_cache(maxsize=8)
def _matcher(forms: tuple[frozenset[str], ...], language: str | None) -> _Matcher:
    return _Matcher(forms, language)


JOIN = " … "
BEGIN = "… "
END = " …"
_LEAD = 30
_ENDINGS = ".!?。！？।؟…"
_CLOSINGS = " ,;:.!?)]}，；：。！？）"
_SENTENCE_REACH = 60
_SENTENCE = re.compile(r"(?:[.!?;:]\s|[。！？।؟])\s*")


class Excerpt(NamedTuple):
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


def beginning(text: str, *, most: int) -> str:
    """Return the beginning of a text on one line, up to the end of a word and with … where more follows.

    Examples:
        >>> beginning("Ready in 75 minutes. Freezes well.", most=25)
        'Ready in 75 minutes…'
    """
    if len(text) <= most:
        return one_line(text, most=most)
    # One character more: a word that ends at the last place is whole. A word that takes half of the
    # room is cut where it is, as is a text without blanks, of which some languages have none.
    words = re.sub(r"\S+\Z", "", text[: most + 1])
    if len(words) <= most // 2:
        words = text[: _whole_end(text, most)]
    return f"{one_line(words, most=most).rstrip(' .,:;')}…"


_JOINER = "\u200d"
_FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]+\\Z")
_MOST_JOINED = 32


def _whole_end(text: str, most: int) -> int:
    """Return where the last character ends, with all that belongs to it, of the first ``most``."""
    place = most
    while place > max(0, most - _MOST_JOINED) and (
        text[place] == _JOINER
        or text[place - 1] == _JOINER
        or unicodedata.category(text[place]).startswith("M")
        or "\U0001f3fb" <= text[place] <= "\U0001f3ff"
    ):
        place -= 1
    # Two letters are one flag.
    letters = _FLAG_LETTERS.search(text, 0, place)
    is_half = letters is not None and len(letters.group()) % 2 and _FLAG_LETTERS.match(text[place])
    return place - 1 if is_half else place


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
    assert first is not None  # nothing is taken yet
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
        lead = JOIN if number else "" if _is_sentence_start(text, start) else BEGIN
        parts += [lead, text[start:end]]
        at += len(lead)
        placed += [(s - start + at, e - start + at) for s, e in spans if s >= start and e <= end]
        at += end - start
    if windows[-1][1] < len(text) and text[windows[-1][1] - 1] not in _ENDINGS:
        parts.append(END)
    return Excerpt("".join(parts), tuple(placed))


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


_MOST_LOOKED_AT = 400_000


def choose_passages(text: str, terms: QueryTerms, *, looked_at: int = 100_000) -> list[Span]:
    """Return the pieces of a long text that tell what it is: its opening, and where it matches.

    Passages begin and end with sentences or lines where these are near, and those with
    the most different terms are taken.

    Args:
        text: as it is, with its lines.
        terms: the query's.
        looked_at: so many characters from the start are looked through; more of a text that
            matches nowhere there.

    Returns:
        Spans of the text in order, apart from each other, at most five; the opening
        alone when nothing matches; none for an empty text.
    """
    if not text:
        return []
    spans = terms.find_marks(text[:looked_at])
    while not spans and looked_at < min(len(text), _MOST_LOOKED_AT):
        looked_at *= 2
        spans = terms.find_marks(text[:looked_at])
    opening = (0, natural_end(text, 0, _OPENING if spans else 3 * _OPENING))
    taken = [opening]
    seen = {text[a:b].casefold() for a, b in spans if b <= opening[1]}
    for _ in range(_MOST_PASSAGES):
        match = _best_match(text, spans, taken, seen)
        if match is None:
            break
        start = _natural_start(text, match)
        taken.append((start, max(match + 1, natural_end(text, start, _PASSAGE))))
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


def natural_end(text: str, start: int, size: int) -> int:
    """Return where a piece of a text ends: with a sentence, a line or a word, near its size."""
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
        colour: which of the marks, from 0; query terms have 0.
    """

    start: int
    end: int
    colour: int


class Layer(NamedTuple):
    """Terms that are marked in one colour.

    Attributes:
        terms: what is looked for.
        colour: which of the marks, from 0.
    """

    terms: QueryTerms
    colour: int


class Marking(NamedTuple):
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
    and compatibility forms do not count, nor which blanks and how many stand between words;
    a letter and its marks are never parted.

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
    pattern = r"\s+".join(map(re.escape, re.split(r"\s+", wanted)))
    return [found.span() for found in re.finditer(pattern, text)]


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
