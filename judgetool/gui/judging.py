"""Judging in the window: where the assessor is, and what a key does there.

Nothing moves on before the session has said that the judgment is durable; when it
cannot be saved, the assessor stays on the document and is told why.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from judgetool.core.judgments import Judgment, Span, State
from judgetool.errors import CommandRefusedError, ProjectError
from judgetool.gui.actions import Mode
from judgetool.gui.keymap import KeyWatch, Press
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.panels.result_list import ResultList
from judgetool.session.commands import Changed, Say
from judgetool.session.edits import nothing_to_clear
from judgetool.session.queue import (
    find_next_pair,
    find_next_query,
    find_next_unjudged,
    order_of,
    queue_facts,
)
from judgetool.session.reading_aids import Blindness, blind_order
from judgetool.session.session import Session

Retry = Callable[["Judging | None"], None]
"""Tries again what could not be saved: here, or in a copy that is open in place of this."""
START_KEY = "start"
"""The project's own value with the id of the query that newcomers see first."""


class Judging(QObject):
    """The place in the project, and the commands given from it.

    Signals:
        query_shown: another query, or another run of it, is shown; ``place_shown``
            always follows.
        place_shown: another document is current.
        refused: a sentence: the project does not allow it.
        not_saved: (sentence, :data:`Retry`) after a failed save.
        finished: nothing follows; so many documents before are left to judge.
        regraded: (grade before, grade now, document): one has taken the other's place. Told once
            what follows is shown.
        hidden: so many documents are left to judge, and filters hide them all.

    Attributes:
        moves_on: whether a grade leads to another document.
        goes_to_next: whether that is the next of the queue rather than the next unjudged.
        show_next: shows where a grade leads in place of both, and says whether it did;
            ``None`` but while something else than the queue is being judged.
        led: how each (query, document) came that has been shown in place of the queue, as the log
            keeps it.
        pause: how long the grade just given is seen before.
        circumstances: what is logged with each judgment.
    """

    query_shown = Signal()
    place_shown = Signal()
    refused = Signal(str)
    not_saved = Signal(str, object)
    finished = Signal(int)
    regraded = Signal(float, float, int)
    hidden = Signal(int)

    def __init__(
        self,
        session: Session,
        queries: QueryList,
        results: ResultList,
        circumstances: "Circumstances",
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._queries = queries
        self._results = results
        self._in_view = QElapsedTimer()
        self.circumstances = circumstances
        self.moves_on = True
        self.goes_to_next = False
        self.show_next: Callable[[], bool] | None = None
        self.led: Mapping[tuple[int, int], dict[str, Any]] = {}
        self.pause = GradePause(self._move_on, self)
        runs = session.material.runs
        self.run_id: int | None = runs[0].run_id if runs else None
        self.query: int | None = None
        queries.query_chosen.connect(self.show_query)
        results.place_changed.connect(self._on_place_changed)
        results.run_chosen.connect(self.show_run)

    # Where

    @property
    def document(self) -> int | None:
        """The current document, or ``None`` when the list is empty."""
        return self._results.current_document()

    @property
    def own_judgment(self) -> Judgment:
        """What the assessor has said of the current document; blank if nothing."""
        query, document = self.query, self.document
        if query is None or document is None:
            return Judgment()
        return self._session.own_judgment(query, document)

    @property
    def run_name(self) -> str:
        """Name of the run that is shown; ``""`` for none."""
        runs = self._session.material.runs
        return next((run.name for run in runs if run.run_id == self.run_id), "")

    def start(self, *, query_id: str = "", document_id: str = "", run: str = "") -> None:
        """Show where the assessor stopped, or the first query with something to judge."""
        runs = self._session.material.runs
        self.run_id = next((each.run_id for each in runs if each.name == run), self.run_id)
        first = query_id or str(self._session.value(START_KEY) or "")
        query = self._session.material.find_query(first)
        is_elsewhere = query is not None and not len(self._session.board.pool(query))
        if query is None or (self._session.is_asked and is_elsewhere):
            order = self._queries.order()
            query = find_next_query(self._session, order, after=None)
            query = query if query is not None else (order[0] if order else None)
        if query is None:
            self.query_shown.emit()
            self.place_shown.emit()
            return
        self.show_query(query, regroups=False)
        if document_id:
            self._choose(self._session.material.find_document(document_id))

    def _choose(self, document: int | None) -> None:
        """Make a document current, where the list has it."""
        documents = self._results.documents()
        if document in documents:
            self._results.set_current(documents.index(document))

    def restart(self, query_id: str, document_id: str) -> None:
        """Find the place again after queries, runs or views have changed."""
        runs = [run.run_id for run in self._session.material.runs]
        if self.run_id not in runs:
            self.run_id = runs[0] if runs else None
        self.query = None
        self.start(query_id=query_id, document_id=document_id)

    def close(self) -> None:
        """Listen to the panels no more."""
        self.pause.stop()
        self._queries.query_chosen.disconnect(self.show_query)
        self._results.place_changed.disconnect(self._on_place_changed)
        self._results.run_chosen.disconnect(self.show_run)

    def show_query(self, query: int, *, regroups: bool = True) -> None:
        """Show a query at its next unjudged document, or at the top."""
        is_same = query == self.query
        self.query = query
        if is_same:
            return
        if regroups:
            self._queries.regroup()
        self._show_list()
        self._queries.set_current(query)
        self.query_shown.emit()
        self._on_place_changed(self._results.current_place())

    def show_run(self, run_id: int) -> None:
        """Show another run's ranking of the query; the current document stays current if it has it."""
        document = self.document
        self.run_id = run_id
        if self.query is None:
            return
        self._show_list()
        self._choose(document)
        self.query_shown.emit()
        self._on_place_changed(self._results.current_place())

    def _show_list(self) -> None:
        if self.query is None:
            return
        query = self.query

        def find_place(documents: list[int]) -> int | None:
            return find_next_unjudged(self._session, query, documents, after=-1)

        self._results.show_query(self.run_id, query, find_place=find_place)

    def show_place(self, query: int, document: int) -> None:
        """Show one document of a query, where the list has it."""
        self.pause.stop()
        self.show_query(query)
        self._choose(document)

    def _on_place_changed(self, _place: int) -> None:
        self._in_view.start()
        self.circumstances.note_shown()
        self.place_shown.emit()

    # Moving

    def move_by(self, step: int) -> None:
        """Go up or down the list, stopping at its ends."""
        self.pause.stop()
        documents = self._results.documents()
        if documents:
            place = min(max(self._results.current_place() + step, 0), len(documents) - 1)
            self._results.set_current(place)

    def move_to_end(self, *, is_last: bool) -> None:
        """Go to the first or the last document."""
        documents = self._results.documents()
        if documents:
            self._results.set_current(len(documents) - 1 if is_last else 0)

    def move_query_by(self, step: int) -> None:
        """Go to the previous or next query as listed, stopping at the ends."""
        order = self._queries.order()
        if not order:
            return
        place = order.index(self.query) if self.query in order else -1
        self.show_query(order[min(max(place + step, 0), len(order) - 1)])

    def _go_to_next(self) -> None:
        """Go to the next document of the queue, judged or not; then to the next query."""
        if self.query is None:
            return
        documents, here = self._results.documents(), self._results.current_place()
        pool = set(self._session.board.pool(self.query).tolist())
        place = next((p for p in range(here + 1, len(documents)) if documents[p] in pool), None)
        order = self._queries.order()
        at = order.index(self.query) + 1 if self.query in order else len(order)
        if place is not None:
            self._results.set_current(place)
        elif at < len(order):
            self.show_query(order[at])
        else:
            progress = self._session.board.total_progress()
            self.finished.emit(progress.total - progress.judged)

    def move_to_next_unjudged(self) -> None:
        """Go to the next unjudged document: of this query first, then of the next ones."""
        self.pause.stop()
        self._go_to_next_unjudged()

    def _go_to_next_unjudged(self) -> None:
        if self.show_next is not None and self.show_next():
            return
        here, lists = self._results.current_place(), self._results.model.let_through
        if order_of(self._session).across_queries:
            at = None if None in (self.query, self.document) else (self.query, self.document)
            pair = find_next_pair(self._session, at, lists)  # type: ignore[arg-type]  # no ``None`` in it
            if pair is not None and pair != at:
                self.show_place(*pair)
                return
        else:
            documents = self._results.documents()
            place = find_next_unjudged(self._session, self.query or 0, documents, after=here)
            if place is not None and place != here:
                self._results.set_current(place)
                return
            order = self._queries.order()
            query = find_next_query(self._session, order, after=self.query, lists=lists)
            if query is not None and query != self.query:
                self.show_query(query)
                return
        self._end()

    def _end(self) -> None:
        """Say that nothing is left but what is current, or how much of it filters hide."""
        progress, query = self._session.board.total_progress(), self.query
        is_here = query is not None and self.document in self._results.model.let_through(query)
        n_hidden = progress.total - progress.judged - is_here
        if n_hidden:
            self.hidden.emit(n_hidden)
        else:
            self.finished.emit(0)

    # Saying

    def grade(self, grade: float, *, stays: bool = False, origin: str = "key") -> None:
        """Give the current document a grade and, unless told to stay, move on."""
        self._say(partial(Say.grade, grade=grade), moves_on=not stays, origin=origin)

    def grade_many(self, command: Say, *, origin: str, shown: dict[str, Any]) -> Changed | None:
        """Give several documents one grade, and stay; ``None`` where nothing was written."""
        self.pause.stop()
        save = partial(Session.execute, command=command, origin=origin, shown=shown)
        return self._attempt(save, moves_on=False)

    def cannot_judge(self, reason: str) -> None:
        """Say that the current document cannot be judged, and move on."""
        self._say(lambda q, d: Say.cannot_judge(q, d, reason), moves_on=True)

    def skip(self) -> None:
        """Put the current document off, and move on."""
        self._say(Say.skip, moves_on=True)

    def clear(self) -> None:
        """Take the current document back to unjudged."""
        if self.pause.put_off(self.clear):
            return
        document = self.document
        if self.own_judgment.state is State.UNJUDGED and None not in (self.query, document):
            self.refused.emit(nothing_to_clear(self._session, self.query or 0, document or 0))
            return
        self._say(Say.clear, moves_on=False)

    def toggle_flag(self) -> None:
        """Mark the current document for discussion, or no longer."""
        self._say(lambda q, d: Say.flag(q, d, not self.own_judgment.flagged), moves_on=False)

    def toggle_confidence(self, confidence: int) -> None:
        """Say how sure one is of the current document; the same again says nothing."""

        def make(query: int, document: int) -> Say:
            is_said = self.own_judgment.confidence == confidence
            return Say.confidence(query, document, None if is_said else confidence)

        self._say(make, moves_on=False)

    def set_note(self, note: str) -> None:
        """Write a note on the current document."""
        self._say(lambda q, d: Say.note(q, d, note), moves_on=False)

    def set_spans(self, spans: tuple[Span, ...]) -> None:
        """Keep the pieces of text that led to the judgment of the current document."""
        self._say(lambda q, d: Say.spans(q, d, spans), moves_on=False)

    def _say(
        self,
        make: Callable[[int, int], Say],
        *,
        moves_on: bool,
        origin: str = "key",
    ) -> None:
        if self.pause.timer.isActive():
            self.pause.put_off(lambda: self._say(make, moves_on=moves_on, origin=origin))
            return
        query, (place, document, rank) = self.query, self._results.current()
        if query is None or document is None:
            return
        command = make(query, document)
        spent_ms = int(self._in_view.elapsed()) if self._in_view.isValid() else None
        shown = self.circumstances.facts(place=place + 1, run_id=self.run_id, rank=rank)
        shown |= self.led.get((query, document), {})
        save = partial(
            Session.execute, command=command, origin=origin, spent_ms=spent_ms, shown=shown
        )
        changed = self._attempt(save, moves_on=moves_on and self.moves_on)
        if changed is not None and changed.regraded:
            self.regraded.emit(*changed.regraded, document)

    def _attempt(
        self, save: Callable[[Session], Changed | None], *, moves_on: bool, here_only: bool = False
    ) -> Changed | None:
        def retry(judging: Judging | None) -> None:
            # What was undone may be undone in the copy already: twice would be one too many.
            if judging is None or not here_only:
                other = judging or self
                other._attempt(save, moves_on=moves_on, here_only=here_only)  # noqa: SLF001 - one of its kind

        pause = self.pause
        pause.is_leaving = moves_on and not (pause.length_ms and not pause.has_waiting)
        try:
            changed = save(self._session)
        except CommandRefusedError as refusal:
            self.refused.emit(str(refusal))
            return None
        except ProjectError as failure:
            self.pause.drop_waiting()
            self.not_saved.emit(str(failure), retry)
            return None
        finally:
            pause.is_leaving = False
        if moves_on:
            self.pause.begin()
        return changed

    def _move_on(self) -> None:
        if self.goes_to_next and not order_of(self._session).across_queries:
            self._go_to_next()
        else:
            self._go_to_next_unjudged()

    # Undo

    def undo(self, take_back: Callable[[Session], Changed | None] = Session.undo) -> None:
        """Take back the last step and go to where it was; ``take_back`` may do so of some alone."""
        if self.pause.has_waiting and self.pause.put_off(lambda: self.undo(take_back)):
            return
        self.pause.stop()
        self._step(take_back)

    def undo_to(self, step_id: int) -> None:
        """Take back every step after one, and go to where the first of them was."""
        self.pause.stop()
        self._step(lambda session: session.undo_to(step_id))

    def redo(self) -> None:
        """Do again what was undone last and go to where it is."""
        self._step(Session.redo)

    def _step(self, act: Callable[[Session], Changed | None]) -> None:
        """Go through the log, and to where one comes."""
        self._attempt(lambda session: self._go_to(act(session)), moves_on=False, here_only=True)

    def _go_to(self, changed: Changed | None) -> Changed | None:
        # A change of scale touches every judgment: it is of no one place.
        if changed is not None and changed.kind == "judge" and changed.judgments:
            query, document = changed.judgments[-1]
            self.show_query(query)
            self._choose(document)
        return changed


class GradePause(QObject):
    """Waits before moving on, and keeps what is said in the meantime for what follows.

    Args:
        move_on: shows the next document.
        parent: of the object.

    Signals:
        moved_on: the next document is shown, or there is none.

    Attributes:
        length_ms: how long; 0 is not at all.
        is_leaving: whether another document follows at once what is being saved, so that
            showing this one anew would be for nobody.
        is_held: whether something is to be read first: then :meth:`release` moves on.
        timer: runs while there is a pause.
    """

    moved_on = Signal()

    def __init__(self, move_on: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._move_on = move_on
        self.length_ms = 0
        self.is_leaving = False
        self.is_held = False
        self._waiting: deque[Callable[[], None]] = deque()
        self.timer = QTimer(self, singleShot=True)
        self.timer.timeout.connect(self._go_on)

    @property
    def has_waiting(self) -> bool:
        """Whether something was said that waits for its document."""
        return bool(self._waiting)

    def begin(self) -> None:
        """Move on after the pause; at once without one, or while more is waiting."""
        if self.is_held:
            self.moved_on.emit()
        elif self.length_ms and not self._waiting:
            self.timer.start(self.length_ms)
        else:
            self._move_on()
            self.moved_on.emit()

    def release(self) -> None:
        """Move on: what was to be read has been."""
        if self.is_held:
            self.is_held = False
            self._move_on()
            self.moved_on.emit()

    def put_off(self, act: Callable[[], None]) -> bool:
        """Keep what is said for the next document; return whether there is a pause now."""
        if self.timer.isActive():
            self._waiting.append(act)
        return self.timer.isActive()

    def drop_waiting(self) -> bool:
        """Forget what waits, which would hit this document; return whether anything did."""
        had_any = self.has_waiting
        self._waiting.clear()
        return had_any

    def stop(self) -> None:
        """Somebody goes elsewhere: the pause is over; what was said in it is done first."""
        self.is_held = False
        if self._waiting and self.timer.isActive():
            self._go_on()
        self.timer.stop()

    def _go_on(self) -> None:
        """End the pause: move on, and do what was said meanwhile, in order."""
        self.timer.stop()
        self._move_on()
        while self._waiting:
            # While more is waiting nobody looks at the grade just given.
            self._waiting.popleft()()


class OnScreen(NamedTuple):
    """What is on the screen besides the document.

    Attributes:
        mode: which view is shown.
        shows_live: whether live values are in view.
        is_excerpt: whether passages of the text are shown rather than all of it.
    """

    mode: Mode
    shows_live: bool
    is_excerpt: bool


class Circumstances:
    """Gathers what was on the screen and how long somebody looked at it.

    Args:
        session: the open project.
        watch: knows keys and activity.
        look: returns what is on the screen now.
        blindness: how blind the assessor judges.

    Attributes:
        blindness: likewise, as of now.
        press: the key that is being handled; ``None`` for a click.
    """

    def __init__(
        self,
        session: Session,
        watch: KeyWatch,
        look: Callable[[], OnScreen],
        blindness: Blindness,
    ) -> None:
        self._session = session
        self._watch = watch
        self._look = look
        self.blindness = blindness
        self.press: Press | None = None
        self._standing: dict[tuple[int | None, bool], dict[str, Any]] = {}

    def note_shown(self) -> None:
        """Another document is shown."""
        self._watch.note_shown()

    def forget_standing(self) -> None:
        """The project's own values or its runs have changed, and with them what no key changes."""
        self._standing.clear()

    @property
    def active_ms(self) -> int:
        """Time at the document without long silences."""
        return self._watch.activity.active_ms()

    def facts(self, *, place: int, run_id: int | None, rank: int | None = None) -> dict[str, Any]:
        """Return what the log keeps of the moment of a judgment.

        Args:
            place: of the document in the list, from 1.
            run_id: the run shown; not told where blind mode hid it.
            rank: of the document in that run, from 1; ``None`` where the run lacks it.
        """
        is_blind, look = self.blindness.is_on, self._look()
        standing = self._standing.get((run_id, is_blind)) or self._find_standing(run_id)
        facts: dict[str, Any] = {
            "view": self._session.board.view,
            "mode": look.mode.value,
            "live": look.shows_live and not is_blind,
            "excerpt": look.is_excerpt,
            **standing,
            # As the assessor sees it: to order the queue anew at every key could take long.
            "position": place,
            "active_ms": self._watch.activity.active_ms(),
        }
        if is_blind:
            facts["alias_ids"] = self.blindness.has_alias_ids
        else:
            facts["rank"] = rank
        if self._watch.is_typed_ahead(self.press):
            facts["typed_ahead"] = True
        return facts

    def _find_standing(self, run_id: int | None) -> dict[str, Any]:
        """Return the facts that stay until something of the project is another; they are kept."""
        session, is_blind = self._session, self.blindness.is_on
        facts: dict[str, Any] = {"blind": is_blind, **queue_facts(session)}
        if is_blind:
            order = blind_order(session)
            facts |= {"order": order.kind, "seed": order.seed}
        else:
            runs = session.material.runs
            facts["run"] = next((run.name for run in runs if run.run_id == run_id), None)
        self._standing[run_id, is_blind] = facts
        return facts
