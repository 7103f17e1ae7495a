"""Builds the queue over all queries beside the window, before a key asks for it."""

from PySide6.QtCore import QObject

from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.session.changes import Changed
from judgetool.session.queues.queue import PairQueue, prepare_queue
from judgetool.session.session import Session

_JOB = "queue over all queries"


class QueueAhead(QObject):
    """Keeps the queue at hand: at first, and after order, pool or material have changed.

    Args:
        session: the project.
        jobs: where it is built.
        parent: lives as long as the project is shown.
    """

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        session.changed.connect(self._on_changed)
        self._start()

    def close(self) -> None:
        """Build nothing any more."""
        self._session.changed.disconnect(self._on_changed)

    def _on_changed(self, changed: Changed) -> None:
        if changed.values or changed.is_material:
            self._start()

    def _start(self) -> None:
        session, pending = self._session, prepare_queue(self._session)
        if pending is None:
            return

        def work(_handle: JobHandle) -> PairQueue:
            with session.second_reader() as reader:
                return pending.build(reader)

        def keep(queue: PairQueue) -> None:
            pending.keep(queue)

        self._jobs.submit(work, keep, key=_JOB, owner=self)
