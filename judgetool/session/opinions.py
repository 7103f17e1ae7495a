"""What each assessor says of the documents of a query."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from judgetool.core.judgments import Judgment
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import load_judgments

# Queries kept in memory: the one that is shown is asked for many times at every key.
MOST_KEPT = 20


class Opinion(NamedTuple):
    """What one assessor says of a document.

    Attributes:
        assessor: the assessor's name.
        judgment: what is said.
        at: when it was said last, milliseconds UTC.
    """

    assessor: str
    judgment: Judgment
    at: int = 0


class Opinions:
    """Reads opinions from the file, and keeps those of the queries asked for last.

    Args:
        reader: a connection of the session's thread.
        query_ids: the queries' numbers in the file, by the session's numbers.
        names: the assessors' names by number; the session adds to it.
    """

    def __init__(
        self, reader: Connection, query_ids: tuple[int, ...], names: Mapping[int, str]
    ) -> None:
        self._reader = reader
        self._query_ids = query_ids
        self._names = names
        self._kept: dict[int, dict[int, list[Opinion]]] = {}

    def of_query(self, query: int) -> Mapping[int, list[Opinion]]:
        """Return what is said of a query's documents: by document, first assessor first."""
        if query not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[query] = self._load(query)
        return self._kept[query]

    def _load(self, query: int, document: int | None = None) -> dict[int, list[Opinion]]:
        said: dict[int, list[Opinion]] = {}
        for key, stored in load_judgments(self._reader, self._query_ids[query], document):
            name = self._names.get(key.assessor, "?")
            said.setdefault(key.document, []).append(Opinion(name, stored.judgment, stored.at))
        return said

    def renew(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Read some (query, document) pairs anew, after their judgments have changed."""
        for query, document in pairs:
            if query in self._kept:
                self._kept[query].pop(document, None)
                self._kept[query].update(self._load(query, document))
