"""Looking for words in texts, without regard to case and accents."""

from functools import lru_cache

from judgetool.core.queries import Query
from judgetool.core.terms import fold


def has_words(text: str, words: str) -> bool:
    """Whether all words, parted by blanks, occur in a text, anywhere and in any order."""
    folded = _fold_text(text)
    return all(fold(word) in folded for word in words.split())


def has_query_words(query: Query, words: str) -> bool:
    """Whether all words occur in what a query says of itself."""
    return has_words(" ".join((query.id, query.text, query.description, query.narrative)), words)


@lru_cache(maxsize=200_000)
def _fold_word(word: str) -> str:
    return fold(word)


def _fold_text(text: str) -> str:
    return text.lower() if text.isascii() else " ".join(map(_fold_word, text.split()))
