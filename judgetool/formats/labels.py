"""Grades that are words: counted, mapped as a person says, and proposed where they are known."""

import re
from collections.abc import Iterable
from math import isfinite

# Sets of words that go together, the lowest grade first; alternatives stand side by side.
_KNOWN: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("i", "irrelevant"), ("c", "complement"), ("s", "substitute"), ("e", "exact")),
    (("irrelevant",), ("partial",), ("exact",)),
    (
        ("irrelevant",),
        ("relevant −", "relevant -", "relevant-", "relevant_minus"),
        ("relevant +", "relevant+", "relevant_plus"),
        ("useful",),
        ("vital",),
    ),
    (
        ("irrelevant", "not relevant", "non relevant", "nonrelevant"),
        ("related", "slightly relevant", "marginally relevant"),
        ("relevant", "fairly relevant"),
        ("highly relevant",),
    ),
    (
        ("irrelevant", "not relevant", "non relevant", "nonrelevant"),
        ("related", "slightly relevant", "marginally relevant"),
        ("relevant", "fairly relevant", "highly relevant"),
        ("perfectly relevant", "perfect"),
    ),
    (
        ("irrelevant", "not relevant", "non relevant", "nonrelevant"),
        ("partially relevant", "somewhat relevant", "relevant"),
        ("highly relevant", "very relevant"),
    ),
    (
        ("irrelevant", "not relevant", "non relevant", "nonrelevant", "bad", "no", "false", "n"),
        ("relevant", "good", "yes", "true", "y"),
    ),
    (("bad", "poor"), ("fair",), ("good",), ("excellent",), ("perfect",)),
    (("bad",), ("fair", "ok", "okay"), ("good",), ("perfect", "excellent")),
)
_DECIMAL_COMMA = re.compile(r"-?[0-9]+,[0-9]+")


def propose_grades(labels: Iterable[str]) -> dict[str, float]:
    """Return the grades that words usually stand for.

    A set of words is known as a whole: "Exact" is 3 beside "Substitute" and 2 beside
    "Partial". A number with a decimal comma is proposed as that number.

    Args:
        labels: the words as the file spells them.

    Returns:
        Grade by word; words that belong to no known set are left out, and so are all
        where no set has more than one of them.

    Examples:
        >>> propose_grades(["E", "S", "C", "I"])
        {'E': 3.0, 'S': 2.0, 'C': 1.0, 'I': 0.0}
        >>> propose_grades(["Exact", "Partial"]), propose_grades(["0,5"])
        ({'Exact': 2.0, 'Partial': 1.0}, {'0,5': 0.5})
    """
    texts = list(labels)
    found = [(_grades_in(known, texts), len(known)) for known in _KNOWN]
    # Of several sets that fit alike: the one that tells most words apart, then the smallest.
    best = max(found, key=lambda each: (len(each[0]), len(set(each[0].values())), -each[1]))[0]
    proposal = best if len(best) > 1 or len(texts) == 1 else {}
    commas = {
        text: float(text.replace(",", ".")) for text in texts if _DECIMAL_COMMA.fullmatch(text)
    }
    both = proposal | {text: grade for text, grade in commas.items() if isfinite(grade)}
    return {text: both[text] for text in texts if text in both}


def _grades_in(known: tuple[tuple[str, ...], ...], texts: list[str]) -> dict[str, float]:
    grade_of = {word: float(grade) for grade, words in enumerate(known) for word in words}
    plain = {text: re.sub(r"[_\s]+", " ", text.strip().lower()) for text in texts}
    plain |= {text: re.sub(r"^non-", "non ", word) for text, word in plain.items()}
    return {text: grade_of[word] for text, word in plain.items() if word in grade_of}
