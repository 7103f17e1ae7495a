"""Chips on the texts of documents: the only ones that must read them."""

from collections.abc import Callable, Sequence

from judgetool.core.documents import Document
from judgetool.session.finding.filters import Filter
from judgetool.session.finding.word_search import has_words
from judgetool.session.pool import IntArray
from judgetool.storage.connection import Connection
from judgetool.storage.material import load_documents

TEXT_KINDS = ("text", "no_text")
# More than this of a text is not searched: it would take longer than anybody waits.
MOST_SEARCHED = 1_000_000
_AT_ONCE = 50


def find_by_texts(
    reader: Connection,
    documents: Sequence[int] | IntArray,
    chip: Filter,
    check: Callable[[], None] = lambda: None,
) -> set[int]:
    """Return those documents that a chip on texts lets through.

    Args:
        reader: a connection of the calling thread.
        documents: their numbers.
        chip: of a kind in ``TEXT_KINDS``.
        check: is called again and again; what it raises stops the search.
    """
    found: set[int] = set()
    for start in range(0, len(documents), _AT_ONCE):
        check()
        part = [int(number) for number in documents[start : start + _AT_ONCE]]
        texts = zip(part, load_documents(reader, part), strict=True)
        found.update(number for number, document in texts if _is_met(document, chip))
    return found


def _is_met(document: Document, chip: Filter) -> bool:
    if chip.kind == "no_text":
        return not document.has_text
    whole = " ".join((document.id, document.title, document.body[:MOST_SEARCHED]))
    return has_words(whole, str(chip.value))
