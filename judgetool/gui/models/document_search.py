"""Looking for documents of the whole project by id, title and text, a few at a time; no Qt."""

from collections.abc import Iterator

from judgetool.core.documents import Document
from judgetool.core.terms import fold
from judgetool.session.session import Session

SLICE = 100
MOST_SEARCHED = 100_000


def iter_found(session: Session, typed: str) -> Iterator[list[tuple[int, Document]]]:
    """Yield documents in which all words occur, slice after slice of the project.

    Args:
        session: the project.
        typed: words; accents and case do not count. Without any nothing is found.

    Yields:
        What a slice of ``SLICE`` documents has, often nothing, so that the caller can
        stop, or let others work in between.
    """
    words = [fold(word) for word in typed.split()]
    numbers = sorted(session.material.document_ids())
    for start in range(0, len(numbers) if words else 0, SLICE):
        part = numbers[start : start + SLICE]
        texts = session.material.show_documents(part)
        yield [
            (number, document)
            for number, document in zip(part, texts, strict=True)
            if _has_all(document, words)
        ]


def _has_all(document: Document, words: list[str]) -> bool:
    text = " ".join((document.id, document.title, document.body[:MOST_SEARCHED]))
    folded = text.casefold() if text.isascii() else " ".join(map(fold, text.split()))
    return all(word in folded for word in words)
