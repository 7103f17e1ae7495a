"""Which queries and documents meet the chips: at once, or beside the window where that takes long."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.finding.filters import Filter
from judgetool.session.finding.query_search import (
    TEXT_KINDS,
    QuerySearch,
    look_into_texts,
    matching_documents,
)
from judgetool.session.session import Session

_FIND_QUERIES = "find queries"


class QueryFinder(QObject):
    """Keeps the queries that meet the chips, and finds them anew when that is asked for.

    Signals:
        found: what was looked for beside the window is there.

    Attributes:
        chips: the conditions.
        met: queries that meet them; while others are looked for, those found before;
            ``None`` for all.
        jobs: where long searches run; ``None`` runs them at once.
    """

    found = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chips: tuple[Filter, ...] = ()
        self.met: set[int] | None = None
        self.jobs: Jobs | None = None
        self._session: Session | None = None
        self._handle: JobHandle | None = None
        self._is_due = False

    @property
    def is_looking(self) -> bool:
        """Whether something is looked for beside the window."""
        return self._handle is not None

    def set_session(self, session: Session | None) -> None:
        """Look in another project; nothing is kept of the one before."""
        self._drop()
        self._session, self.met = session, None
        self._is_due = bool(self.chips)

    def set_chips(self, chips: Sequence[Filter]) -> None:
        """Look for queries that meet these from now on."""
        self.chips = tuple(chips)
        self.forget()

    def forget(self) -> None:
        """Look anew when :meth:`look` is called next: what counts has changed."""
        self._is_due = True

    def look(self) -> set[int] | None:
        """Return :attr:`met`, found anew if that is due and quick; else look beside."""
        if self._is_due:
            self._is_due = False
            self._drop()
            self._start()
        return self.met

    def _start(self) -> None:
        session = self._session
        if session is None or not self.chips:
            self.met = None
            return
        search = QuerySearch(session, self.chips)
        if self.jobs is None or search.is_quick:
            self.met = set(search.find_here())
            return

        def work(handle: JobHandle) -> set[int]:
            return set(search.find_beside(handle.check))

        self._handle = self.jobs.submit(work, self._take, key=_FIND_QUERIES, owner=self)

    def _take(self, met: set[int]) -> None:
        self._handle = None
        self.met = met
        self.found.emit()

    def _drop(self) -> None:
        if self._handle is not None:
            self._handle.drop()
            self._handle = None


# So many texts are read and searched before anybody sees that the window waits.
MOST_AT_ONCE = 100
_JOB = "find documents by text"


class DocumentFilter(QObject):
    """Chips on the documents of a query; which of them meet a chip on texts is kept.

    Signals:
        found: what was looked for beside the window is there.

    Attributes:
        jobs: where long searches run; ``None`` runs them at once.
    """

    found = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs: Jobs | None = None
        self._session: Session | None = None
        self._query: int | None = None
        self._documents: Sequence[int] = ()
        self._kept: dict[Filter, set[int]] = {}
        self._handle: JobHandle | None = None

    def set_documents(
        self, session: Session | None, query: int | None, documents: Sequence[int]
    ) -> None:
        """Filter these documents of a query from now on; nothing is kept of those before."""
        self.drop()
        self._session, self._query = session, query
        self._documents, self._kept = documents, {}

    def keep(self, found: Mapping[Filter, set[int]]) -> None:
        """Take over what is known of these documents."""
        self._kept |= found

    @property
    def kept(self) -> Mapping[Filter, set[int]]:
        """Which documents meet which chip on texts, so far as it was looked for."""
        return self._kept

    def has(self, chips: Iterable[Filter]) -> bool:
        """Whether nothing need be looked for, or so little that it is done at once."""
        is_quick = self.jobs is None or len(self._documents) <= MOST_AT_ONCE
        return is_quick or not self._missing(chips)

    def find(self, documents: Sequence[int], chips: Iterable[Filter]) -> set[int]:
        """Return those documents that meet all chips now, whatever must be searched for it."""
        met = set(documents)
        session, query = self._session, self._query
        if session is None or query is None:
            return met
        chips = tuple(chips)
        rest = [chip for chip in chips if chip.kind not in TEXT_KINDS]
        if rest:
            met = set(matching_documents(session, query, documents, rest))
        self._kept |= look_into_texts(session, self._documents, self._missing(chips))
        for chip in chips:
            if chip.kind in TEXT_KINDS:
                met &= self._kept[chip]
        return met

    def count(self, chips: Iterable[Filter]) -> int | None:
        """Return how many documents meet all chips; ``None`` while that would take long."""
        chips = tuple(chips)
        if self._session is None or self._query is None:
            return 0
        return len(self.find(self._documents, chips)) if self.has(chips) else None

    def look(self, chips: Iterable[Filter]) -> None:
        """Look beside the window for what meets these chips; what is looked for yet is dropped."""
        self.drop()
        session, documents, missing = self._session, self._documents, self._missing(chips)
        if session is None or self.jobs is None or not missing:
            return

        def work(handle: JobHandle) -> dict[Filter, set[int]]:
            return look_into_texts(session, documents, missing, handle.check)

        self._handle = self.jobs.submit(work, self._take, key=_JOB, owner=self)

    def drop(self) -> None:
        """Look for nothing any more."""
        if self._handle is not None:
            self._handle.drop()
            self._handle = None

    def _take(self, found: dict[Filter, set[int]]) -> None:
        self._handle = None
        self._kept |= found
        self.found.emit()

    def _missing(self, chips: Iterable[Filter]) -> list[Filter]:
        return [chip for chip in chips if chip.kind in TEXT_KINDS and chip not in self._kept]
