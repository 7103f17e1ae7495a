"""Which queries meet the chips: found at once, or beside the window where that takes long."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.finding.filters import Filter
from judgetool.session.finding.query_search import QuerySearch
from judgetool.session.session import Session

_JOB = "find queries"


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
            self.met = set(search.find(session.reader))
            return

        def work(handle: JobHandle) -> set[int]:
            with session.second_reader() as reader:
                return set(search.find(reader, handle.check))

        self._handle = self.jobs.submit(work, self._take, key=_JOB, owner=self)

    def _take(self, met: set[int]) -> None:
        self._handle = None
        self.met = met
        self.found.emit()

    def _drop(self) -> None:
        if self._handle is not None:
            self._handle.drop()
            self._handle = None
