"""Which language texts are in, told by their commonest words."""

import re
from collections import Counter
from collections.abc import Iterable

from judgetool.core.stop_words import STOP_WORDS

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
_WORD = re.compile(r"[^\W\d_]+")


def detect_language(texts: Iterable[str]) -> str:
    """Return the language that most of some texts are in.

    Counts function words. Texts without enough of them (titles of products, codes)
    say nothing.

    Args:
        texts: some of the documents, a few dozen are enough.

    Returns:
        A name of :data:`LANGUAGES`; ``english`` where the texts do not tell.
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
    return first if is_telling else FALLBACK
