"""An open project in the window: the panels kept in step with it, what comes next, what is heard."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QWidget

from judgetool.core.clock import utc_ms
from judgetool.core.documents import Document
from judgetool.core.excerpts import one_line
from judgetool.core.judgments import State
from judgetool.core.number_text import format_count
from judgetool.core.views import VIEW_RULES
from judgetool.errors import JudgetoolError
from judgetool.gui.blindness import Blindness, blind_order, make_mask
from judgetool.gui.jobs import JobHandle, Jobs
from judgetool.gui.judging import Circumstances, Judging, OnScreen
from judgetool.gui.key_watch import KeyWatch
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.models.result_order import describe_order
from judgetool.gui.modes import Mode
from judgetool.gui.pace import PACE_MEANS, Pace
from judgetool.gui.panels import Here, ProjectPanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.reading import DocumentPresenter
from judgetool.gui.schedule import Schedule, collect_young
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.speech import announce
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.widgets.top_line import SEGMENTS
from judgetool.gui.workspace import Workspace
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import Changed
from judgetool.session.queues.order import order_of
from judgetool.session.queues.queue import (
    PairQueue,
    find_next_pair,
    find_next_query,
    find_next_unjudged,
    prepare_queue,
)
from judgetool.session.session import Session

_MOST_TEXT = 200
# What is set up elsewhere is said by its own dialog, what others do by the status line.
_SAID = ("judge", "import")
_JOB = "queue over all queries"
# Together some 0.3 s of loading, which the first look at a view would have to wait for.
_PAGES = (
    "judgetool.gui.whatif.page",
    "judgetool.gui.compare.page",
    "judgetool.gui.agreement.page",
    "judgetool.gui.settle.page",
)
_PAGES_AFTER_MS = 1500
# What is prepared for later waits until the assessor has seen what there is now.
_BREATH_MS = 12


class ProjectView(QObject):
    """Joins a session to the panels: what changes in one is shown by the others.

    Args:
        session: the open project.
        panels: all that follow it, in the order in which they are told.
        parts: the panels that it leads from one place to the next.
        schedule: when what a key does not wait for is shown.
        jobs: work beside the window.
        blindness: what is hidden from the assessor.
        parent: of the object.

    Signals:
        reloaded: queries or runs came or went, or a value of the project is another.
        recounted: other judgments count, or others are shown, without a change of the project.
        told: what a view shows now, for who listens.

    Attributes:
        session: the open project.
        judging: where the assessor is, and what keys do there.
        place: external ids of the current query and document, ``""`` where there is
            none; unlike numbers they outlive an import.
        blindness: what is hidden from the assessor.
    """

    reloaded = Signal()
    recounted = Signal()
    told = Signal(str)

    def __init__(
        self,
        session: Session,
        panels: Sequence[ProjectPanel],
        parts: "Parts",
        *,
        parent: QObject,
        blindness: Blindness,
    ) -> None:
        super().__init__(parent)
        self.blindness = blindness
        self._mask = make_mask(session, blindness)
        self.session = session
        self._panels = panels
        self._parts = parts
        self._queries, self._workspace = parts.queries, parts.workspace
        self._live, self._status = parts.live, parts.status
        self._schedule = parts.schedule
        self._pace = Pace()
        self._place = Here()
        self.place = ("", "")
        self._step = 0
        self._is_document_due = False
        self._fill()
        circumstances = Circumstances(session, parts.key_watch, self._look, blindness)
        self.judging = Judging(session, self._queries, self._workspace.results, circumstances, self)
        self.reading = DocumentPresenter(
            session, self._workspace, self.judging, mask=self.mask, parent=self
        )
        self.judging.query_shown.connect(self._show_query)
        self.judging.place_shown.connect(self._show_document)
        self.judging.pause.moved_on.connect(self._show_judged)
        session.changed.connect(self._on_changed)
        session.tell_when_slow(self._status.show_saving)
        self._live.measure_chosen.connect(self._show_list_value)
        self._workspace.document.text.rewritten.connect(self._on_rewritten)
        self._ahead = QueueAhead(session, parts.jobs, self)
        self._schedule.idle("pages", self._load_pages(), delay_ms=_PAGES_AFTER_MS)

    def _fill(self) -> None:
        session = self.session
        # The run shown before may be gone: its values are not to be asked for.
        self._queries.set_value(None, self._live.measure)
        for panel in self._panels:
            panel.set_session(session)
            panel.set_blind(self.blindness)
        self._workspace.grade_bar.set_scale(session.scale)
        self._status.pace.set_meaning(PACE_MEANS)
        can_judge = not session.read_only_reason
        self._workspace.grade_bar.set_judging(is_judging=can_judge)
        if can_judge:
            self._status.set_saved("")
        else:
            self._status.set_read_only("")
            self._status.save.setToolTip(plain_tooltip(session.read_only_reason))
        self._show_ends()
        self._show_progress()

    def _look(self) -> OnScreen:
        is_excerpt = self._workspace.document.is_excerpt
        return OnScreen(self._parts.find_mode(), self._live.isVisible(), is_excerpt)

    def _load_pages(self) -> Iterator[None]:
        """Have the worker load, once the project is shown, the code of the views that are not."""
        self._parts.jobs.submit(_load_pages, lambda _nothing: None, _leave, owner=self)
        yield

    def close(self) -> None:
        """Let go of the panels and of the session's signal, and stop all that works ahead."""
        self._schedule.stop()
        self._ahead.close()
        self.session.changed.disconnect(self._on_changed)
        self._live.measure_chosen.disconnect(self._show_list_value)
        self._workspace.document.text.rewritten.disconnect(self._on_rewritten)
        self.reading.close()
        self.judging.close()
        for panel in self._panels:
            panel.set_session(None)

    # Showing

    def _show_list_value(self, _name: str = "") -> None:
        run_id = None if self.blindness.is_on else self.judging.run_id
        self._queries.set_value(run_id, self._live.measure)

    def _show_query(self) -> None:
        query = self.judging.query
        self._show_list_value()
        order = self._queries.order()
        position = order.index(query) + 1 if query in order else 0
        self._step = position - self._place.position
        more = bool(self._workspace.results.model.n_beyond_pool)
        self._place = Here(position=position, n_queries=len(order), lists_more=more)
        self.reading.show_query()
        self._follow()

    def _follow(self) -> None:
        judging = self.judging
        self._place = self._place._replace(
            run_id=judging.run_id, query=judging.query, document=judging.document
        )
        for panel in self._panels:
            panel.follow(self._place)

    def _show_document(self) -> None:
        self._is_document_due = False
        document = self.judging.document
        found = None if document is None else self.session.material.show_document(document)
        external_id = found.id if found else ""
        if found is not None and document is not None:
            found = self._mask(document, found)
        query = self.judging.query
        query_id = "" if query is None else self.session.material.queries[query].id
        self.place = (query_id, external_id)
        self.reading.show_document(document, found)
        # The header says it in focus alone, and there it is part of what a key is answered by.
        if self._workspace.mode is Mode.FOCUS:
            self.reading.show_place()
        else:
            self._schedule.after_frame(self.reading.show_place)
        self._follow()
        self._show_given()
        # What was begun for another place, or another project's queries, is of no use.
        self._schedule.drop("upcoming")
        self._schedule.after_frame(self._look_ahead)

    def _on_rewritten(self) -> None:
        self._schedule.after_frame(self._look_ahead)

    def _look_ahead(self) -> None:
        steps = chain(self._prepare_upcoming(), collect_young())
        self._schedule.idle("upcoming", steps, delay_ms=_BREATH_MS)

    def _prepare_upcoming(self) -> Iterator[None]:
        """Make ready, while nothing else happens, the page, card and query that come next."""
        judging, results = self.judging, self._workspace.results
        yield from self.reading.prepare()
        if judging.query is not None and not results.isHidden():
            documents, here = results.documents(), results.current_place()
            place = find_next_unjudged(self.session, judging.query, documents, after=here)
            for upcoming in dict.fromkeys((place, results.next_place)):
                if upcoming is not None:
                    yield from results.prepare_place(upcoming)
        query = self._find_upcoming()
        yield
        if query is None or query == judging.query:
            return
        if not results.has_prepared(judging.run_id, query):
            self._live.prepare_query(query)
            yield
            yield from results.prepare_query(judging.run_id, query)
            self._workspace.header.prepare_query(query)
            yield
        yield from self.reading.prepare_query(query, results.prepared_documents())

    def _find_upcoming(self) -> int | None:
        """Return the query on which a grade or the next step through the list would lead."""
        query, order = self.judging.query, self._queries.order()
        at = self._place.position - 1
        if abs(self._step) == 1 and 0 <= at < len(order) and order[at] == query:
            return order[at + self._step] if 0 <= at + self._step < len(order) else None
        if order_of(self.session).across_queries:
            document = self.judging.document
            here = (query, document) if query is not None and document is not None else None
            pair = find_next_pair(self.session, here)
            return pair[0] if pair is not None else None
        return find_next_query(self.session, order, after=query)

    def _show_given(self) -> None:
        query, document = self.judging.query, self.judging.document
        judgment = self.judging.own_judgment
        grade = judgment.grade
        if grade is None and query is not None and document is not None:
            effective = self.session.board.settled(query).get(document)
            grade = effective.grade if effective else None
        lit = {
            name
            for name, holds in (
                ("flag", judgment.flagged),
                ("note", bool(judgment.note)),
                ("skip", judgment.state is State.SKIPPED),
                ("cannot_judge", judgment.state is State.CANNOT_JUDGE),
            )
            if holds
        }
        self._workspace.grade_bar.set_given(grade, actions=lit, confidence=judgment.confidence)

    def _show_counts(self) -> None:
        """Show what is only counted: it follows what a key is answered by, one frame later."""
        self._workspace.header.refresh()
        self._show_progress()
        self.reading.show_place()

    def _show_progress(self) -> None:
        session = self.session
        progress = session.asks.progress if session.is_asked else session.board.total_progress()
        pace, left = self._pace.texts(progress.total - progress.judged)
        text = f"{format_count(progress.judged)} of {format_count(progress.total)} "
        text += "asked" if session.is_asked else "judged"
        self._status.set_progress(text if progress.total else "", pace, left)

    def _show_ends(self) -> None:
        view = self.session.board.view
        scale = f"Scale {self.session.scale.label}"
        if self.blindness.is_on:
            remark = describe_order(blind_order(self.session))
            self._status.set_ends(scale=scale, remark=remark)
            return
        title = (
            f"Only {self.session.assessor}'s judgments"
            if view == ONLY_MINE
            else VIEW_RULES[view].title
        )
        remark = describe_order(order_of(self.session))
        self._status.set_ends(view=title, scale=scale, remark=remark)

    # Changes

    def _on_changed(self, changed: Changed) -> None:
        if changed.origin == "do" and changed.n_graded:
            self._pace.note(utc_ms(), active_ms=self.judging.circumstances.active_ms)
        self._status.set_saved(datetime.now().astimezone().strftime("%H:%M:%S"))
        if changed.is_material or not all(map(self._is_of_page, changed.values)):
            self._reload()
        else:
            self._refresh(changed)
        if changed.origin != "do":
            self._say_undone(changed)

    def _is_of_page(self, key: str) -> bool:
        """Whether a value of the project is shown by other views alone."""
        system = (self.session.value("baseline") or {}).get("system") or {}
        is_baseline = system.get("kind") == "what-if" and str(system.get("id")) in key
        return key.startswith(("whatif/", "snapshot/", "decide/")) and not is_baseline

    def _refresh(self, changed: Changed) -> None:
        self._step = 0
        self._schedule.after_frame(self._show_counts)
        for panel in self._panels:
            panel.take_change(changed)
        document = self.judging.document
        self._is_document_due = (self.judging.query, document) in changed.judgments
        if not self.judging.pause.is_leaving:
            self._show_judged()

    def _show_judged(self) -> None:
        """Show the document that was judged anew, unless another is shown since."""
        if self._is_document_due:
            self._show_document()

    def _reload(self) -> None:
        self._schedule.drop("upcoming")
        self._fill()
        self.judging.restart(*self.place)
        self.reloaded.emit()

    def _say_undone(self, changed: Changed) -> None:
        word = "Undone" if changed.origin == "undo" else "Done again"
        kept = f" {changed.n_kept} changed since were left alone." if changed.n_kept else ""
        action = ("redo", "Redo") if changed.origin == "undo" else ("undo", "Undo")
        title = changed.title
        if self.blindness.has_alias_ids and changed.kind == "judge":
            title = title.partition(" for ")[0]
        title = title[:1].lower() + title[1:]
        self._status.show_message(
            f"{word}: {title}.{kept}", action=action[0], action_text=action[1]
        )

    @property
    def status(self) -> StatusLine:
        """The status line of the window that shows the project."""
        return self._status

    @property
    def lists(self) -> tuple[QueryList, ResultList]:
        """The lists of queries and of results, whose rows are said where the keyboard is."""
        return self._queries, self._workspace.results

    def describe_place(self) -> str:
        """Return what a screen reader says of the current card; ``""`` without one."""
        model = self._workspace.results.model
        place = self._workspace.results.current_place()
        said = model.index(place, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        return str(said) if said else ""

    def mask(self, number: int, document: Document) -> Document:
        """Return a document without what blind mode hides of it now."""
        return self._mask(number, document)

    def set_blindness(self, blindness: Blindness) -> None:
        """Hide or show what could sway the assessor; the session's view has been set."""
        self.blindness = blindness
        self.judging.circumstances.blindness = blindness
        self._mask = make_mask(self.session, blindness)
        self.show_recounted()

    def show_recounted(self) -> None:
        """Show everything anew: the session counts other judgments from now on."""
        self._reload()
        self.recounted.emit()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a project is led through, whichever panels follow it.

    Attributes:
        queries: the list of queries.
        workspace: results, document and grade bar.
        live: the live values.
        status: the status line.
        schedule: when what a key does not wait for is shown.
        jobs: work beside the window.
        key_watch: knows keys, and whether somebody works.
        find_mode: returns which view is shown.
    """

    queries: QueryList
    workspace: Workspace
    live: LivePanel
    status: StatusLine
    schedule: Schedule
    jobs: Jobs
    key_watch: KeyWatch
    find_mode: Callable[[], Mode]


class Announcer(QObject):
    """Says once, after everything that a key has done, what somebody who sees would see of it.

    Args:
        view: the open project's panels.
        widget: speaks.
        live: knows what a step has made of the value that is explained.

    Signals:
        said: a text was announced.
    """

    said = Signal(str)

    def __init__(self, view: ProjectView, widget: QWidget, live: LivePanel) -> None:
        super().__init__(view)
        self._view = view
        self._widget = widget
        self._live = live
        self._parts: list[str] = []
        self._switched = ""
        self._mode: Mode | None = None
        self._query: int | None = None
        self._run_id: int | None = view.judging.run_id
        self._is_new_run = False
        self._is_new_query = False
        self._is_new_place = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._speak)
        judging = view.judging
        view.session.changed.connect(self._on_changed)
        judging.not_saved.connect(lambda sentence, _retry: self._add(sentence))
        judging.refused.connect(self._add)
        view.status.message_shown.connect(self._add)
        judging.query_shown.connect(self._on_query)
        judging.place_shown.connect(self._on_place)
        view.told.connect(self._add)
        for each in view.lists:
            each.told.connect(self._add)

    def _add(self, text: str) -> None:
        if text and QAccessible.isActive():
            self._parts.append(text)
            self._start()

    def _start(self) -> None:
        # What a key has done is heard before the row that it leads to, and each of them once.
        for each in self._view.lists:
            each.table.speech.hush()
        self._later.start()

    def say_view(self, mode: Mode) -> None:
        """Say which view is shown now, where it is another."""
        if mode is not self._mode:
            self._add(f"{SEGMENTS[mode].text} view.")
        self._mode = mode

    def say_switch(self, action: QAction) -> None:
        """Say what a key has switched on or off, if nothing else tells it."""
        if QAccessible.isActive():
            name = action.text().replace("&&", "&")
            self._switched = f"{name}: {'on' if action.isChecked() else 'off'}."
            self._start()

    def _on_query(self) -> None:
        query = self._view.judging.query
        run_id = self._view.judging.run_id
        self._is_new_query = QAccessible.isActive() and query != self._query
        self._is_new_run = QAccessible.isActive() and run_id != self._run_id
        self._query, self._run_id = query, run_id

    def _on_place(self) -> None:
        if QAccessible.isActive():
            self._is_new_place = True
            self._start()

    def _on_changed(self, changed: Changed) -> None:
        # Where nobody listens no value is looked up: every key would pay for it.
        if changed.kind in _SAID and QAccessible.isActive():
            word = {"do": "", "undo": "Undone: ", "redo": "Done again: "}[changed.origin]
            self._add(f"{word}{changed.title}. Saved.")
            if changed.kind == "judge" and not self._view.blindness.is_on:
                self._add(self._live.describe_step())

    def _speak(self) -> None:
        parts, self._parts = _said_once(self._parts), []
        if self._switched and not parts:
            parts.append(self._switched)
        self._switched = ""
        session, query = self._view.session, self._query
        if self._is_new_run and not self._view.blindness.is_on:
            parts.append(f"Run: {self._view.judging.run_name}.")
        queries, results = (each.table for each in self._view.lists)
        if self._is_new_query and query is not None and not queries.hasFocus():
            found = session.material.queries[query]
            parts.append(f"Query: {one_line(found.text or found.id, most=_MOST_TEXT)}.")
        # A row that the keyboard goes to is read by itself; where no list is seen there is none.
        has_place = self._is_new_place and self._widget.isVisible()
        if has_place and (parts or not results.hasFocus()):
            text = self._view.describe_place()
            parts += [f"{text}."] if text else []
        queries.speech.speak(is_said=False)
        results.speech.speak(is_said=bool(parts and has_place))
        self._is_new_run = self._is_new_query = self._is_new_place = False
        if parts:
            text = " ".join(parts)
            announce(self._widget, text)
            self.said.emit(text)


def _said_once(parts: list[str]) -> list[str]:
    """Return the sentences without those that another of them says as well.

    The status line often says in other words, for longer, what is announced already.
    """
    bare = [part.rstrip(".").casefold() for part in parts]
    return [
        part
        for at, part in enumerate(parts)
        if not any(
            bare[at] in other and (bare[at] != other or place < at)
            for place, other in enumerate(bare)
            if place != at
        )
    ]


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
        pending = prepare_queue(self._session)
        if pending is None:
            return

        def work(_handle: JobHandle) -> PairQueue:
            return pending.build()

        def keep(queue: PairQueue) -> None:
            pending.keep(queue)

        self._jobs.submit(work, keep, key=_JOB, owner=self)


def _load_pages(handle: JobHandle) -> None:
    for name in _PAGES:
        handle.check()
        importlib.import_module(name)


def _leave(error: Exception) -> None:
    """Whoever wants a page that cannot be loaded is told why, as by any other fault."""
    if not isinstance(error, JudgetoolError):
        raise error
