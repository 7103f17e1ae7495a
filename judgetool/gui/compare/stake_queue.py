"""Judging just what was listed: after each grade the next of these pairs, nothing else."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from judgetool.gui.project_view import ProjectView
from judgetool.session.changes import Changed
from judgetool.session.queues.queue import list_documents

Pair = tuple[int, int]


class StakeQueue(QObject):
    """A short queue over the one of the project; it ends with its last pair, or when told.

    While it runs a grade, a skip and ``N`` lead to its next pair.

    Signals:
        moved: another pair is shown; carries its place, from 1, and how many there are.
        ended: carries how many of how many were judged.
    """

    moved = Signal(int, int)
    ended = Signal(int, int)

    def __init__(self, view: ProjectView, pairs: Sequence[Pair], parent: QObject) -> None:
        super().__init__(parent)
        self._view = view
        # What only a what-if put into a ranking stands in no list that could show it.
        self._pairs = [pair for pair in pairs if self._run_with(*pair) is not None]
        self._at = 0
        self._done: set[Pair] = set()
        self._is_running = False

    @property
    def is_running(self) -> bool:
        """Whether grades lead through these pairs."""
        return self._is_running

    def start(self) -> None:
        """Show the first pair; without any it is over at once."""
        if not self._pairs:
            self.ended.emit(0, 0)
            return
        self._is_running = True
        self._view.judging.show_next = self._show_next
        self._view.session.changed.connect(self._on_changed)
        self._show()

    def stop(self) -> None:
        """Let grades lead where they led before."""
        if self._is_running:
            self._is_running = False
            self._view.session.changed.disconnect(self._on_changed)
            self._view.judging.show_next = None
            self.ended.emit(len(self._done), len(self._pairs))

    def _on_changed(self, changed: Changed) -> None:
        touched = set(changed.judgments) & set(self._pairs)
        if changed.origin == "undo" and touched:
            self._done -= touched
            self._at = min(map(self._pairs.index, touched))
            self._show()
        elif changed.kind == "judge":
            self._done |= touched
            if all(map(self._is_settled, self._pairs)):
                self.stop()

    def _show_next(self) -> bool:
        places = (*range(self._at + 1, len(self._pairs)), *range(self._at + 1))
        found = next((place for place in places if not self._is_settled(self._pairs[place])), None)
        if found is None:
            self.stop()
            return False
        self._at = found
        self._show()
        return True

    def _is_settled(self, pair: Pair) -> bool:
        session = self._view.session
        if pair[1] in session.board.settled(pair[0]):
            return True
        # Put off counts, too: one has seen it.
        opinions = session.opinions(pair[0]).get(pair[1], [])
        return any(each.assessor == session.assessor for each in opinions) and pair in self._done

    def _show(self) -> None:
        query, document = self._pairs[self._at]
        run = self._run_with(query, document)
        judging = self._view.judging
        if run is not None and run != judging.run_id:
            judging.show_run(run)
        judging.show_place(query, document)
        self.moved.emit(self._at + 1, len(self._pairs))

    def _run_with(self, query: int, document: int) -> int | None:
        """Return a run whose list has the document: the shown one if it does."""
        session, here = self._view.session, self._view.judging.run_id
        others = [run.run_id for run in session.material.runs if run.run_id != here]
        for run in ([] if here is None else [here]) + others:
            documents, _ = list_documents(session, run, query)
            if document in documents.tolist():
                return run
        return None
