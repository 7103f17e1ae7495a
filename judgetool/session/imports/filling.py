"""Texts of a file beside those that are there already: what is missing is filled in, no more.

A file that knows less of a query or document than the project takes nothing away. What
it says otherwise is a conflict, and replaced only when a person chose that.
"""

from collections.abc import Mapping
from dataclasses import replace

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.session.imports.plan import TextConflict

_PLAIN_WEIGHT = 1.0


class Filling:
    """What two sides say of one query or document, as one.

    Args:
        noun: ``query`` or ``document``.
        id: of it.
        is_replacing: whether the file's text counts where both have one.

    Attributes:
        conflicts: where both say something, and not the same.
    """

    def __init__(self, noun: str, id: str, *, is_replacing: bool) -> None:  # noqa: A002 - it is one
        self._noun = noun
        self._id = id
        self._is_replacing = is_replacing
        self.conflicts: list[TextConflict] = []

    def text(self, name: str, mine: str, theirs: str) -> str:
        """Return what counts of one field; ``""`` on a side says nothing."""
        if not theirs or mine == theirs:
            return mine
        if not mine:
            return theirs
        self.conflicts.append(TextConflict(self._noun, self._id, name, mine, theirs))
        return theirs if self._is_replacing else mine

    def fields(self, mine: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
        """Return the further fields of both, mine first."""
        names = dict.fromkeys([*mine, *theirs])
        return {name: self.text(name, mine.get(name, ""), theirs.get(name, "")) for name in names}


def fill_query(
    mine: Query, theirs: Query, *, is_replacing: bool
) -> tuple[Query, list[TextConflict]]:
    """Return a query as both sides know it, and where they differ.

    A text that only repeats the id says nothing beside another one, nor does the weight 1,
    which every query has of which nothing is said.

    Args:
        mine: of the project, or of a file before.
        theirs: of the file.
        is_replacing: whether the file's text counts where both have one.
    """
    if mine == theirs:
        return mine, []
    filling = Filling("query", mine.id, is_replacing=is_replacing)
    text = "" if mine.text and theirs.text == theirs.id else theirs.text
    weight = filling.text("weight", _weight_text(mine.weight), _weight_text(theirs.weight))
    filled = Query(
        mine.id,
        filling.text("text", mine.text, text),
        filling.text("description", mine.description, theirs.description),
        filling.text("narrative", mine.narrative, theirs.narrative),
        float(weight) if weight else _PLAIN_WEIGHT,
        filling.text("category", mine.category, theirs.category),
        filling.fields(mine.fields, theirs.fields),
    )
    return filled, filling.conflicts


def _weight_text(weight: float) -> str:
    return "" if weight == _PLAIN_WEIGHT else repr(weight)


def fill_document(
    mine: Document, theirs: Document, *, is_replacing: bool
) -> tuple[Document, list[TextConflict]]:
    """Return a document as both sides know it, and where they differ; see :func:`fill_query`."""
    if mine == theirs:
        return mine, []
    filling = Filling("document", mine.id, is_replacing=is_replacing)
    filled = replace(
        mine,
        title=filling.text("title", mine.title, theirs.title),
        url=filling.text("url", mine.url, theirs.url),
        body=filling.text("text", mine.body, theirs.body),
        fields=filling.fields(mine.fields, theirs.fields),
        image=filling.text("image", mine.image, theirs.image),
    )
    return filled, filling.conflicts
