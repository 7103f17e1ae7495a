"""An open project in the window: the panels kept in step with it, what comes next, what is heard."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from PySide6.QtCore import QObject, Qt, Signal

from judgetool.core.clock import utc_ms
from judgetool.core.judgments import VIEW_RULES, Document, Judgment, State
from judgetool.errors import JudgetoolError
from judgetool.gui.actions import Mode
from judgetool.gui.blindness import Blindness, blind_order, make_mask
from judgetool.gui.jobs import JobHandle, Jobs, Schedule, collect_young
from judgetool.gui.judging import Circumstances, Judging, OnScreen
from judgetool.gui.keymap import KeyWatch
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.models.result_order import describe_order
from judgetool.gui.pace import Pace, pace_meaning
from judgetool.gui.painting import format_count
from judgetool.gui.panels import Here, ProjectPanel
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.reading import DocumentPresenter
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.workspace import Workspace
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import Changed, Origin
from judgetool.session.history import title_in_words
from judgetool.session.imports.words import tied_text
from judgetool.session.queues.order import order_of
from judgetool.session.queues.queue import (
    find_next_pair,
    find_next_query,
    find_next_unjudged,
    prepare_queue,
)
from judgetool.session.session import Session
from judgetool.wording import _, mid_sentence

_JOB = "queue over all queries"
# Together some 0.3 s of loading, which the first look at a view would have to wait for.
_PAGES = (
    "judgetool.gui.whatif.page",
    "judgetool.gui.compare.page",
    "judgetool.gui.agreement.page",
    "judgetool.gui.settle",
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
        self._step = self._n_tied = 0
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
        self._queries.model.modelReset.connect(self._on_arranged)
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
        self._status.pace.set_meaning(pace_meaning())
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
        self._status.withdraw()
        self.session.changed.disconnect(self._on_changed)
        self._live.measure_chosen.disconnect(self._show_list_value)
        self._queries.model.modelReset.disconnect(self._on_arranged)
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
        self._show_list_value()
        position, n_queries = self._find_position()
        self._step = position - self._place.position
        more = bool(self._workspace.results.model.n_beyond_pool)
        self._place = Here(position=position, n_queries=n_queries, lists_more=more)
        self.reading.show_query()
        self._follow()

    def _find_position(self) -> tuple[int, int]:
        """Return the place of the query in the list, from 1 (0: not in it), and how many are there."""
        order = self._queries.order()
        query = self.judging.query
        return order.index(query) + 1 if query in order else 0, len(order)

    def _on_arranged(self) -> None:
        # What comes with an import or goes with its undo is not all there yet.
        self._schedule.after_frame(self._show_position)

    def _show_position(self) -> None:
        """Say the query's place anew where the list shows others, or in another order."""
        position, n_queries = self._find_position()
        self._place = self._place._replace(position=position, n_queries=n_queries)
        self._workspace.header.follow(self._place)

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
        self._show_given(query, document)
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

    def _show_given(self, query: int | None, document: int | None) -> None:
        judgment, grade = Judgment(), None
        if query is not None and document is not None:
            judgment = self.session.own_judgment(query, document)
            effective = self.session.board.settled(query).get(document)
            grade = effective.grade if judgment.grade is None and effective else judgment.grade
        holds = {
            "flag": judgment.flagged,
            "note": bool(judgment.note),
            "skip": judgment.state is State.SKIPPED,
            "cannot_judge": judgment.state is State.CANNOT_JUDGE,
        }
        lit = {name for name in holds if holds[name]}
        self._workspace.grade_bar.set_given(grade, actions=lit, confidence=judgment.confidence)

    def _show_counts(self) -> None:
        """Show what is only counted: it follows what a key is answered by, one frame later."""
        self._workspace.header.refresh()
        self._show_progress()
        if self.session.board.n_tied != self._n_tied:
            self._show_ends()
        self.reading.show_place()

    def _show_progress(self) -> None:
        session = self.session
        progress = session.asks.progress if session.is_asked else session.board.total_progress()
        pace, left = self._pace.texts(progress.total - progress.judged)
        asked, judged = _("{judged} of {total} asked"), _("{judged} of {total} judged")
        text = (asked if session.is_asked else judged).format(
            judged=format_count(progress.judged), total=format_count(progress.total)
        )
        self._status.set_progress(text if progress.total else "", pace, left)

    def _show_ends(self) -> None:
        view = self.session.board.view
        scale = _("Scale {label}").format(label=self.session.scale.label)
        self._n_tied = self.session.board.n_tied
        if self.blindness.is_on:
            remark = describe_order(blind_order(self.session))
            self._status.set_ends(scale=scale, remark=remark)
            return
        title = (
            _("Only {assessor}’s judgments").format(assessor=self.session.assessor)
            if view == ONLY_MINE
            else _(VIEW_RULES[view].title)
        )
        remark = describe_order(order_of(self.session))
        note = tied_text(self._n_tied) if self._n_tied else ""
        self._status.set_ends(view=title, view_note=note, scale=scale, remark=remark)

    # Changes

    def _on_changed(self, changed: Changed) -> None:
        if changed.origin == "do":
            # What is offered would be done of this step, or of none.
            self._status.withdraw("undo", "redo")
        if changed.origin == "do" and changed.n_graded:
            self._pace.note(utc_ms(), active_ms=self.judging.circumstances.active_ms)
        self._status.set_saved(datetime.now().astimezone().strftime("%H:%M:%S"))
        if changed.is_material or not all(map(self._is_of_page, changed.values)):
            self._reload()
        else:
            self._refresh(changed)
        if changed.origin != "do":
            self._say_undone(changed)
        elif changed.kind == "import":
            self._leave_judged()

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
        held = self._workspace.window().focusWidget()
        self._fill()
        self.judging.restart(*self.place)
        # While there was nothing to show both were hidden, and the keyboard went elsewhere.
        if held in (self._workspace.results.table, self._workspace.document.text):
            self._workspace.take_keyboard()
        self.reloaded.emit()

    def _leave_judged(self) -> None:
        """Go from what others have judged to what is to be judged: the next key would overrule them."""
        judging, board = self.judging, self.session.board
        progress = board.total_progress()
        if judging.query is None or progress.judged == progress.total:
            return
        is_judged = judging.document in board.settled(judging.query)
        if is_judged and judging.own_judgment.state is State.UNJUDGED:
            judging.move_to_next_unjudged()

    def _say_undone(self, changed: Changed) -> None:
        action = ("redo", _("Redo")) if changed.origin == "undo" else ("undo", _("Undo"))
        title = changed.title
        if self.blindness.has_alias_ids and changed.kind == "judge":
            title = title.partition(" for ")[0]
        parts = [said_done(changed.origin).format(title=mid_sentence(title_in_words(title)))]
        if changed.n_kept:
            parts.append(_("{count} changed since were left alone.").format(count=changed.n_kept))
        self._status.show_message(" ".join(parts), action=action[0], action_text=action[1])

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


def said_done(origin: Origin) -> str:
    """Return what is said of a step that was done, taken back or done again; ``{title}`` is its."""
    return {"undo": _("Undone: {title}."), "redo": _("Done again: {title}.")}.get(
        origin, "{title}."
    )


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
        if pending is not None:
            self._jobs.submit(lambda _handle: pending.build(), pending.keep, key=_JOB, owner=self)


def _load_pages(handle: JobHandle) -> None:
    for name in _PAGES:
        handle.check()
        importlib.import_module(name)


def _leave(error: Exception) -> None:
    """Whoever wants a page that cannot be loaded is told why, as by any other fault."""
    if not isinstance(error, JudgetoolError):
        raise error
