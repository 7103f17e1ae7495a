"""What cards show of documents, loaded when a row needs them and kept."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from judgetool.core.documents import Document
from judgetool.core.excerpts import one_line
from judgetool.core.terms import NO_TERMS, QueryTerms, Span
from judgetool.session.material import Material
from judgetool.wording import N_

MOST_TITLE = 300
MOST_URL = 300
# So much of a text is looked at for an excerpt: enough for any page, quick for any book.
MOST_BODY = 8_000
MOST_KEPT = 300
NO_TEXT = N_("Only the id of this document is known.")


@dataclass(frozen=True, slots=True)
class CardText:
    """What a card shows of a document, on one line each and cut to a length.

    Attributes:
        title: of the document; its id where there is no title.
        title_spans: where query terms stand in the title.
        url: without the scheme; ``""`` where there is none.
        body: the text's beginning, or the fields' where there is no text.
        has_text: whether there is more to show than the id.
        has_picture: whether the document names a picture.
    """

    title: str
    title_spans: tuple[Span, ...]
    url: str
    body: str
    has_text: bool
    has_picture: bool = False


def make_card_text(document: Document, terms: QueryTerms) -> CardText:
    """Return what a card shows of a document."""
    title = one_line(document.title, most=MOST_TITLE)
    body = document.body or " ".join(_telling_values(document))
    return CardText(
        title or one_line(document.id, most=MOST_TITLE) or document.id[:MOST_TITLE],
        tuple(terms.find_spans(title)) if title else (),
        short_url(one_line(document.url, most=MOST_URL)),
        one_line(body, most=MOST_BODY),
        document.has_text,
        bool(document.image),
    )


def _telling_values(document: Document) -> Iterator[str]:
    """Yield field values that read as text, each as a sentence; lists and objects do not."""
    for value in document.fields.values():
        if value and not value.startswith(("{", "[")):
            yield value if value.endswith(".") else f"{value}."


def short_url(url: str) -> str:
    """Return an address without its scheme and closing slash.

    Examples:
        >>> short_url("https://recipes.example/soup/"), short_url("ftp://a/b")
        ('recipes.example/soup', 'ftp://a/b')
    """
    for scheme in ("https://", "http://"):
        url = url.removeprefix(scheme)
    return url.removesuffix("/")


class CardTexts:
    """Card texts by document for one query, the last used 300 of them.

    Args:
        material: where documents are.
        terms: of the query.
        mask: takes from a document what blind mode hides; ``None`` shows all.
    """

    def __init__(
        self,
        material: Material,
        terms: QueryTerms = NO_TERMS,
        *,
        mask: Callable[[int, Document], Document] | None = None,
    ) -> None:
        self._material = material
        self._mask = mask
        self._terms = terms
        self._kept: OrderedDict[int, CardText] = OrderedDict()

    def text(self, document: int) -> CardText:
        """Return a document's card text, loading it if it is not at hand."""
        kept = self._kept.get(document)
        if kept is None:
            found = self._material.show_document(document)
            if self._mask is not None:
                found = self._mask(document, found)
            kept = make_card_text(found, self._terms)
            self._kept[document] = kept
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(document)
        return kept

    def missing(self, documents: Iterable[int]) -> list[int]:
        """Return those that would have to be loaded."""
        return [document for document in documents if document not in self._kept]
