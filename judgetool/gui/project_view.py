"""An open project in the window: the panels kept in step with it, what comes next, what is heard.

What the document pane shows of it, marked and prepared; and how fast judging goes: judgments an hour,
the rest, the goal of the day, when a break is due.
"""

import importlib
import pkgutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal

from judgetool.core.clock import local_moment, utc_ms
from judgetool.core.judgments import (
    CONFIDENCES,
    Document,
    Judgment,
    Span,
    State,
    split_reason,
    with_reason,
)
from judgetool.core.number_text import format_hours
from judgetool.core.terms import Layer, Marking, QueryTerms
from judgetool.errors import JudgetoolError, take_notices
from judgetool.gui.actions import Mode
from judgetool.gui.jobs import Here, JobHandle, Jobs, ProjectPanel, Schedule, collect_young
from judgetool.gui.judging import Circumstances, Judging, OnScreen
from judgetool.gui.keymap import KeyWatch
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.models.result_model import describe_order, find_counted, shown_opinions
from judgetool.gui.painting import SET_MARKS, format_count, format_grade
from judgetool.gui.panels.document_page import Shown
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.pictures import find_picture_file
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.workspace import Workspace
from judgetool.session.board import Opinion, tied_notes, view_title
from judgetool.session.commands import Changed, Origin
from judgetool.session.finding import list_own_judgments
from judgetool.session.history import find_reason, list_other_sides, title_in_words
from judgetool.session.queue import (
    find_next_pair,
    find_next_query,
    find_next_unjudged,
    order_of,
    prepare_queue,
)
from judgetool.session.reading_aids import (
    Blindness,
    TermSet,
    blind_order,
    find_term_sets,
    make_mask,
    query_terms,
    text_language,
)
from judgetool.session.session import Session
from judgetool.wording import N_, _, mid_sentence

_JOB = "queue over all queries"
# Together some 0.3 s of loading, which the first look at a view would have to wait for: what the views
# compute with, and the views.
_BEHIND_PAGES = (
    "judgetool.session.charts",
    "judgetool.session.comparing.comparing",
    "judgetool.session.deciding",
    "judgetool.session.team.disputes",
    "judgetool.session.team.overview",
    "judgetool.session.whatifs.editing",
)
_PAGES = (
    "judgetool.gui.whatif",
    "judgetool.gui.compare",
    "judgetool.gui.agreement",
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
        noticed: what a step could not keep outside the project's folder.

    Attributes:
        session: the open project.
        judging: where the assessor is, and what keys do there.
        place: external ids of the current query and document, ``""`` where there is
            none; unlike numbers they outlive an import.
        blindness: what is hidden from the assessor.
        status: the status line of the window that shows the project.
    """

    reloaded = Signal()
    recounted = Signal()
    told = Signal(str)
    noticed = Signal(str)

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
        self._live, self.status = parts.live, parts.status
        self._schedule = parts.schedule
        self._pace, self._led_by = Pace(), ""
        self._place = Here()
        self.place = ("", "")
        self._step = self._n_tied = 0
        self._is_document_due = False
        self._fill()
        circumstances = Circumstances(session, parts.key_watch, parts.look, blindness)
        self.judging = Judging(session, self._queries, self._workspace.results, circumstances, self)
        self.reading = DocumentPresenter(
            session, self._workspace, self.judging, mask=self.mask, parent=self
        )
        self.judging.query_shown.connect(self._show_query)
        self.judging.place_shown.connect(self._show_document)
        self.judging.pause.moved_on.connect(self._show_judged)
        session.changed.connect(self._on_changed)
        session.tell_when_slow(self.status.show_saving)
        self._live.measure_chosen.connect(self._show_list_value)
        self._queries.model.modelReset.connect(self._on_arranged)
        self._workspace.document.text.rewritten.connect(self._on_rewritten)
        self._ahead = QueueAhead(session, parts.jobs, self)
        self._schedule.idle("pages", self._load_pages(), delay_ms=_PAGES_AFTER_MS)
        self._show_ends()

    def _fill(self) -> None:
        session = self.session
        self._queries.model.forget_run()
        for panel in self._panels:
            panel.set_session(session)
            panel.set_blind(self.blindness)
        self._workspace.grade_bar.set_scale(session.scale)
        self.status.pace.set_meaning(pace_meaning())
        self.status.progress.set_meaning(_(PROGRESS_MEANING))
        can_judge = not session.read_only_reason
        self._workspace.grade_bar.set_judging(is_judging=can_judge)
        if can_judge:
            self.status.set_saved("")
        else:
            self.status.set_read_only("")
            self.status.save.setToolTip(plain_tooltip(session.read_only_reason))
        self._show_progress()

    def _load_pages(self) -> Iterator[None]:
        """Load, once the project is shown, the code of the views that are not.

        The worker loads what knows nothing of Qt. It makes no class of Qt's: Qt may be asking
        another one of them, on this thread, what it is, and then the process ends.
        """

        def go_on(_nothing: None) -> None:
            self._schedule.idle("pages", _load_pages())

        self._parts.jobs.submit(_load_behind_pages, go_on, _leave, owner=self)
        yield

    def close(self) -> None:
        """Let go of the panels and of the session's signal, and stop all that works ahead."""
        self._schedule.stop()
        self._ahead.close()
        self.status.withdraw()
        self.session.changed.disconnect(self._on_changed)
        self._live.measure_chosen.disconnect(self._show_list_value)
        self._queries.model.modelReset.disconnect(self._on_arranged)
        self._workspace.document.text.rewritten.disconnect(self._on_rewritten)
        self.reading.close()
        self.judging.close()
        for panel in self._panels:
            panel.set_session(None)

    def be_led(
        self,
        show_next: Callable[[], bool] | None,
        led: Mapping[tuple[int, int], dict[str, Any]],
        order: str = "",
    ) -> None:
        """Let grades lead where this says, see :class:`Judging`; with ``None`` to the next of the queue.

        The order in which it leads is said in place of the queue's.
        """
        self.judging.show_next, self.judging.led, self._led_by = show_next, led, order
        self._show_ends()

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
            found = self.mask(document, found)
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
        if not results.isHidden():
            for place in self.reading.next_places():
                yield from results.prepare_place(place)
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
        judgment, counted, note = Judgment(), None, ""
        if query is not None and document is not None:
            judgment = self.session.own_judgment(query, document)
            note = judgment.note
            if note and judgment.state is State.CANNOT_JUDGE:
                note = find_reason(self.session, query, document)[1]
            effective = self.session.board.settled(query).get(document)
            if effective is not None:
                counted = find_counted(self.session, effective.grade, judgment)
        holds = {
            "flag": judgment.flagged,
            "note": bool(note),
            "skip": judgment.state is State.SKIPPED,
            "cannot_judge": judgment.state is State.CANNOT_JUDGE,
        }
        lit = {name for name in holds if holds[name]}
        self._workspace.grade_bar.set_given(
            judgment.grade, actions=lit, confidence=judgment.confidence, counted=counted
        )

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
        self.status.set_progress(text if progress.total else "", pace, left)

    def _show_ends(self) -> None:
        view = self.session.board.view
        scale = _("Scale {label}").format(label=self.session.scale.label)
        self._n_tied = self.session.board.n_tied
        order = blind_order(self.session) if self.blindness.is_on else order_of(self.session)
        remark = _(self._led_by) if self._led_by else describe_order(order)
        if self.blindness.is_on:
            self.status.set_ends(scale=scale, remark=remark)
            return
        title = view_title(view, self.session.assessor)
        note = "".join(tied_notes(self._n_tied, view))
        self.status.set_ends(view=title, view_note=note, scale=scale, remark=remark)

    # Changes

    def _on_changed(self, changed: Changed) -> None:
        if changed.origin == "do" and changed.kind != "others":
            # What is offered would be done of this step, or of none.
            self.status.withdraw("undo", "redo")
        if changed.origin == "do" and changed.n_graded:
            self._pace.note(utc_ms(), active_ms=self.judging.circumstances.active_ms)
        self.status.set_saved(datetime.now().astimezone().strftime("%H:%M:%S"))
        if changed.is_material or changed.values:
            self.judging.circumstances.forget_standing()
        if changed.is_material or not all(map(self._is_of_page, changed.values)):
            self._reload()
        else:
            self._refresh(changed)
        if changed.origin != "do":
            self._say_undone(changed)
        elif changed.kind == "import":
            self._leave_judged()
        notices = take_notices()
        if notices:
            self.noticed.emit(" ".join(notices))

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
        self._show_ends()
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
        self.status.show_message(" ".join(parts), action=action[0], action_text=action[1])

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
        return document if self._mask is None else self._mask(number, document)

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


class Parts(NamedTuple):
    """What a project is led through, whichever panels follow it.

    Attributes:
        queries: the list of queries.
        workspace: results, document and grade bar.
        live: the live values.
        status: the status line.
        schedule: when what a key does not wait for is shown.
        jobs: work beside the window.
        key_watch: knows keys, and whether somebody works.
        look: returns what is on the screen besides the document.
    """

    queries: QueryList
    workspace: Workspace
    live: LivePanel
    status: StatusLine
    schedule: Schedule
    jobs: Jobs
    key_watch: KeyWatch
    look: Callable[[], OnScreen]


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


def _load_behind_pages(handle: JobHandle) -> None:
    for name in _BEHIND_PAGES:
        handle.check()
        importlib.import_module(name)


def _load_pages() -> Iterator[None]:
    """Load the views bit by bit, the last names first: what acts on a page, named first, uses all of it."""
    for name in _PAGES:
        page = importlib.import_module(name)
        parts = [part.name for part in pkgutil.iter_modules(getattr(page, "__path__", ()))]
        for part in reversed(parts):
            yield
            importlib.import_module(f"{name}.{part}")
        yield


def _leave(error: Exception) -> None:
    """Whoever wants a page that cannot be loaded is told why, as by any other fault."""
    if not isinstance(error, JudgetoolError):
        raise error


REASONS = (N_("No text to judge by"), N_("Another language"), N_("The query is unclear"))
"""Why a document cannot be judged, as it is kept; those who read see it in their language."""
_STATES = {State.CANNOT_JUDGE: N_("cannot judge"), State.SKIPPED: N_("skipped for later")}


class DocumentPresenter(QObject):
    """Shows documents of a session in the pane.

    Args:
        session: the open project.
        workspace: has the pane.
        judging: knows where the assessor is.
        mask: makes a document tell nothing where the assessor is blind.
        parent: of the object.

    Attributes:
        shown_sets: names of the term sets that are marked; ``None`` for all.
    """

    def __init__(
        self,
        session: Session,
        workspace: Workspace,
        judging: Judging,
        *,
        mask: Callable[[int, Document], Document],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = workspace
        self._judging = judging
        self._mask = mask
        self._marking = Marking()
        self._upcoming: list[tuple[Document, Shown, Marking]] = []
        self.shown_sets: frozenset[str] | None = None
        workspace.document.text.rationale_closed.connect(self.drop_rationale)
        workspace.side.place_wanted.connect(judging.show_place)

    # Marks

    @property
    def term_sets(self) -> tuple[TermSet, ...]:
        """The project's term sets."""
        return find_term_sets(self._session)

    def show_query(self) -> None:
        """Mark the terms of the query that is current now."""
        self._marking = self.marking_of(self._judging.query)

    def marking_of(self, query: int | None) -> Marking:
        """Return what is marked in documents of a query."""
        terms = QueryTerms() if query is None else query_terms(self._session, query)
        language = text_language(self._session)
        own = [
            Layer(_set_terms(each, language), SET_MARKS[each.colour - 1])
            for each in self.term_sets
            if self.shown_sets is None or each.name in self.shown_sets
        ]
        return Marking((*own, Layer(terms, 0)))

    def show_sets(self, names: frozenset[str] | None) -> None:
        """Mark the term sets of these names, or all for ``None``."""
        self.shown_sets = names
        self.show_query()
        self._workspace.document.text.marks.set_marking(self._marking)

    # Documents

    def show_document(self, number: int | None, found: Document | None) -> None:
        """Show a document.

        Args:
            number: the project's, of the document; ``None`` for none.
            found: the document itself, masked where the assessor is blind.
        """
        results = self._workspace.results
        query = self._judging.query
        shown = Shown() if number is None or found is None else self._shown(query, number, found)
        place, total = results.current_place() + 1, len(results.documents())
        self._workspace.document.show_document(
            found, place=place, total=total, marking=self._marking, shown=shown
        )
        why = ("", "") if total else results.why_empty()
        if why != self._workspace.why_nothing:
            self._workspace.set_nothing(*why)

    def show_place(self) -> None:
        """Say where one is among the documents, and what follows a grade.

        :meth:`show_document` leaves it to whoever calls it: once for all that a key does is
        enough, and a frame later is soon enough.
        """
        results, query = self._workspace.results, self._judging.query
        settled = {} if query is None else self._session.board.settled(query)
        judged = [document in settled for document in results.documents()]
        self._workspace.header.place.show_place(results.current_place(), judged)
        follows = _("next in the queue") if self._judging.goes_to_next else _("next unjudged")
        if results.model.n_beyond_pool and not self._judging.goes_to_next:
            follows = _("next unjudged in the pool")
        self._workspace.show_hint(follows if self._judging.moves_on else _("stay here"))

    def _shown(self, query: int | None, number: int, document: Document) -> Shown:
        judgment = Judgment() if query is None else self._session.own_judgment(query, number)
        image, is_broken = (
            find_picture_file(self._session, number) if document.image else (None, False)
        )
        others = () if query is None else self._others(query, number)
        note, reason = judgment.note, ""
        if query is not None and judgment.state is State.CANNOT_JUDGE:
            reason, note = find_reason(self._session, query, number)
        remarks = describe_remarks(judgment, reason)
        return Shown(note, judgment.spans, image, remarks, others=others, is_broken=is_broken)

    def _others(self, query: int, number: int) -> tuple[str, ...]:
        """Return the notes of others, and what another copy says otherwise; each with its name."""
        session = self._session
        said = shown_opinions(session, query, number)
        if not said:
            return ()
        # The name keeps to itself, in whatever direction it and the note run.
        notes = [
            f"\u2068{each.assessor}\u2069: {note_text(each.judgment)}"
            for each in said
            if each.judgment.note and each.assessor != session.assessor
        ]
        names = {each.assessor for each in said}
        sides = [
            describe_side(each)
            for each in list_other_sides(session, query, number)
            if each.assessor in names
        ]
        return (*notes, *sides)

    def prepare(self) -> Iterator[None]:
        """Write the next document's page, so that a grade shows it in the next frame."""
        self._upcoming = []
        documents = self._workspace.results.documents()
        for place in self.next_places():
            yield from self._await(self._judging.query, documents[place], self._marking)
        self._workspace.document.prepare(self._upcoming)

    def prepare_query(self, query: int, documents: list[int]) -> Iterator[None]:
        """Write the page that another query begins with, too.

        Args:
            query: on which a key may lead.
            documents: as its list will show them.
        """
        place = find_next_unjudged(self._session, query, documents, after=-1) or 0
        if documents:
            yield from self._await(query, documents[place], self.marking_of(query))
            self._workspace.document.prepare(self._upcoming)

    def _await(self, query: int | None, number: int, marking: Marking) -> Iterator[None]:
        document = self._mask(number, self._session.material.show_document(number))
        yield
        self._upcoming.append((document, self._shown(query, number, document), marking))
        yield

    def next_places(self) -> list[int]:
        """Return the places in the list where a grade or the next step may lead."""
        query, results = self._judging.query, self._workspace.results
        documents, here = results.documents(), results.current_place()
        if query is None or not documents:
            return []
        following = find_next_unjudged(self._session, query, documents, after=here)
        places = dict.fromkeys((following, results.next_place))
        return [place for place in places if place is not None and place != here]

    # Rationale

    def toggle_rationale(self) -> str:
        """Keep what is selected with the judgment, or take it away where it is kept already.

        Returns:
            A sentence where nothing could be done, else ``""``.
        """
        self._workspace.document.select_mark()
        chosen = self._workspace.document.selected_spans()
        if not chosen:
            return _(
                "Select some of the document’s text first: with the mouse, or T for a sentence."
            )
        kept = self._judging.own_judgment.spans
        if all(span in kept for span in chosen):
            self._judging.set_spans(tuple(span for span in kept if span not in chosen))
        else:
            added = tuple(span for span in chosen if span not in kept)
            others = tuple(span for span in kept if not _is_inside(span, added))
            self._judging.set_spans((*others, *added))
        return ""

    def drop_rationale(self, number: int) -> None:
        """Take one piece of the rationale away."""
        kept = self._judging.own_judgment.spans
        self._judging.set_spans((*kept[:number], *kept[number + 1 :]))

    def close(self) -> None:
        """Listen to the panels no more."""
        self._workspace.document.text.rationale_closed.disconnect(self.drop_rationale)
        self._workspace.side.place_wanted.disconnect(self._judging.show_place)


def describe_remarks(judgment: Judgment, reason: str = "") -> str:
    """Return state, flag and confidence on one line; ``""`` where there is only a grade.

    Examples:
        >>> describe_remarks(Judgment(State.SKIPPED, flagged=True))
        'You said: skipped for later · flagged for discussion'
        >>> describe_remarks(Judgment(State.CANNOT_JUDGE), "Another language")
        'You said: cannot judge (Another language)'
    """
    said = [_(_STATES[judgment.state])] if judgment.state in _STATES else []
    if reason:
        said = [f"{said[0]} ({reason_text(reason)})"]
    if judgment.flagged:
        said.append(_("flagged for discussion"))
    if judgment.confidence is not None:
        said.append(_(CONFIDENCES[judgment.confidence]))
    return _("You said: {said}").format(said=" · ".join(said)) if said else ""


def reason_text(reason: str) -> str:
    """Return why a document cannot be judged as it is shown: what can be chosen, in one's own language."""
    return _(reason) if reason in REASONS else reason


def note_text(said: Judgment) -> str:
    """Return a note as it is shown, whose ever it is: before it may stand a reason that can be chosen.

    Examples:
        >>> note_text(Judgment(State.CANNOT_JUDGE, note="Another language. ask Kim"))
        'Another language. ask Kim'
    """
    if said.state is not State.CANNOT_JUDGE:
        return said.note
    reason, note = split_reason(said.note, REASONS)
    return with_reason(reason_text(reason), note)


def describe_side(other: Opinion) -> str:
    """Return what somebody said of a document in another copy, where it does not count."""
    said = other.judgment
    state = _(_STATES.get(said.state, N_("unjudged")))
    grade = state if said.grade is None else format_grade(said.grade)
    text = _("{name} in another copy: {said}").format(
        name=f"\u2068{other.assessor}\u2069", said=grade
    )
    return f"{text} · {note_text(said)}" if said.note else text


def _set_terms(term_set: TermSet, language: str | None) -> QueryTerms:
    quoted = " ".join(f'"{term}"' for term in term_set.terms)
    return QueryTerms.parse(quoted, language, keeps_all=True)


def _is_inside(span: Span, others: tuple[Span, ...]) -> bool:
    return any(
        span.field == other.field and other.start <= span.start and span.end <= other.end
        for other in others
    )


_SETTLING = (State.JUDGED, State.CANNOT_JUDGE)
# A silence this long was a break already.
BREAK_MS = 5 * 60_000
LEAST = 5
# A handful of judgments tells no pace, unless they took some minutes.
ENOUGH, ENOUGH_MS = 20, 3 * 60_000
# The pace is that of the last judgments: of a tired afternoon not that of its morning.
MOST = 200
# Who takes so much longer than usually was doing something else: that is a pause.
PAUSE_TIMES, PAUSE_LEAST_MS = 5, 10_000


PROGRESS_MEANING = N_(
    "Judged is what is graded, or said to be impossible to judge. The latter has no grade, so to values "
    "and their explanations it is unjudged."
)


def pace_meaning() -> str:
    """Return what the pace beside the progress is."""
    return _(
        "The pace of the latest judgments of this session, at most {most}, without pauses. "
        "Statistics counts all active time."
    ).format(most=MOST)


class Pace:
    """Counts judgments of this session; pauses do not count as work."""

    def __init__(self) -> None:
        self._spent: deque[int] = deque(maxlen=MOST)
        self._last_ms: int | None = None

    def note(self, at_ms: int, *, active_ms: int) -> None:
        """A judgment was given, after so much time of work at the document."""
        # Said twice of one document, its time counts once.
        gap = active_ms if self._last_ms is None else at_ms - self._last_ms
        self._spent.append(min(active_ms, gap))
        self._last_ms = at_ms

    @property
    def per_hour(self) -> int | None:
        """Judgments an hour of work without pauses; ``None`` before there are enough.

        That is twenty, or five that took some minutes.
        Other than ``per_hour`` of :mod:`judgetool.session.effort`, which divides by all
        active time.
        """
        if len(self._spent) < LEAST:
            return None
        from statistics import median  # noqa: PLC0415 - not needed to start

        longest = max(PAUSE_LEAST_MS, PAUSE_TIMES * median(self._spent))
        worked = [spent for spent in self._spent if spent <= longest]
        total = sum(worked)
        if len(self._spent) < ENOUGH and total < ENOUGH_MS:
            return None
        return round(len(worked) * 3_600_000 / total) if total > 0 else None

    def texts(self, n_left: int) -> tuple[str, str]:
        """Return ``214 an hour`` and ``29 left, about 8 min``, as far as they are known."""
        rate = self.per_hour
        left = _("{n_left} left").format(n_left=format_count(n_left)) if n_left else ""
        if not rate:
            return "", left
        pace = _("{rate} an hour").format(rate=format_count(rate))
        if left:
            about = format_hours(n_left * 3_600_000 / rate)
            left = _("{left}, about {about}").format(left=left, about=about)
        return pace, left


def start_of_day(at_ms: int) -> int:
    """Return the midnight before a moment where the person lives; milliseconds UTC.

    Args:
        at_ms: of this computer's clock, which has years that a calendar has.
    """
    local = local_moment(at_ms)
    assert local is not None
    return int(local.replace(hour=0, minute=0, second=0, microsecond=0).timestamp() * 1000)


class JudgedToday:
    """Counts the documents that the session's assessor has judged since midnight.

    Args:
        session: the open project.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._day = start_of_day(session.clock())
        rows = list_own_judgments(session, since=self._day)
        self._pairs = {(row.query, row.document) for row in rows if row.judgment.state in _SETTLING}

    def take_change(self, changed: Changed) -> None:
        """Count what was judged or taken back; a new day begins at nothing."""
        day = start_of_day(self._session.clock())
        if day != self._day:
            self._day = day
            self._pairs.clear()
        for query, document in changed.judgments:
            if self._session.own_judgment(query, document).state in _SETTLING:
                self._pairs.add((query, document))
            else:
                self._pairs.discard((query, document))

    @property
    def count(self) -> int:
        """How many documents."""
        return len(self._pairs)

    def text(self, goal: int) -> str:
        """Return ``Goal today: 68 of 120``; ``""`` where there is no goal."""
        if not goal:
            return ""
        said = _("Goal today: {count} of {goal}")
        if self.count >= goal:
            said = _("Goal today: {count} of {goal}, reached")
        return said.format(count=format_count(self.count), goal=format_count(goal))


class BreakWatch:
    """Says when somebody has judged so long that a break is due.

    Attributes:
        after_min: minutes of judging; 0 is never.
    """

    def __init__(self, after_min: int) -> None:
        self.after_min = after_min
        self._since: int | None = None
        self._last: int | None = None

    def is_due(self, at_ms: int) -> bool:
        """Note a judgment; return whether a break should be proposed now."""
        if self._last is None or self._since is None or at_ms - self._last >= BREAK_MS:
            self._since = at_ms
        self._last = at_ms
        return bool(self.after_min) and at_ms - self._since >= self.after_min * 60_000

    def put_off(self, at_ms: int, *, minutes: int) -> None:
        """Propose it again after so many minutes at the earliest."""
        self._since = at_ms - (self.after_min - minutes) * 60_000
