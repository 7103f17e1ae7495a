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
        # By query the documents that somebody has flagged; of those in `_kept`.
        self._flagged: dict[int, set[int]] = {}

    def of_query(self, query: int) -> Mapping[int, list[Opinion]]:
        """Return what is said of a query's documents: by document, first assessor first."""
        if query not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                oldest = next(iter(self._kept))
                del self._kept[oldest], self._flagged[oldest]
            said = self._kept[query] = self._load(query)
            self._flagged[query] = {document for document in said if _has_flag(said[document])}
        return self._kept[query]

    def has_flag(self, query: int) -> bool:
        """Return whether somebody has flagged a document of a query."""
        self.of_query(query)
        return bool(self._flagged[query])

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
                said = self._load(query, document)
                self._kept[query].update(said)
                self._flagged[query].discard(document)
                if _has_flag(said.get(document, [])):
                    self._flagged[query].add(document)


def _has_flag(said: Iterable[Opinion]) -> bool:
    return any(opinion.judgment.flagged for opinion in said)
