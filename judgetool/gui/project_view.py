"""An open project in the window: the panels around one session, kept in step with it."""

from datetime import datetime

from PySide6.QtCore import QObject, Signal

from judgetool.core.clock import utc_ms
from judgetool.core.judgments import State
from judgetool.core.terms import QueryTerms
from judgetool.core.views import VIEW_RULES
from judgetool.gui.judging import Judging
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.number_text import format_count
from judgetool.gui.pace import Pace
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.workspace import Workspace
from judgetool.session.board import ONLY_MINE
from judgetool.session.changes import Changed
from judgetool.session.session import Session


class ProjectView(QObject):
    """Joins a session to the panels: what changes in one is shown by the others.

    Signals:
        reloaded: queries or runs came or went.

    Attributes:
        session: the open project.
        judging: where the assessor is, and what keys do there.
        place: external ids of the current query and document, ``""`` where there is
            none; unlike numbers they outlive an import.
    """

    reloaded = Signal()

    def __init__(
        self,
        session: Session,
        *,
        queries: QueryList,
        workspace: Workspace,
        live: LivePanel,
        status: StatusLine,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._queries = queries
        self._workspace = workspace
        self._live = live
        self._status = status
        self._pace = Pace()
        self._terms = QueryTerms.parse("")
        self.place = ("", "")
        self._fill()
        self.judging = Judging(session, queries, workspace.results, self)
        self.judging.query_shown.connect(self._show_query)
        self.judging.place_shown.connect(self._show_document)
        session.changed.connect(self._on_changed)
        live.measure_chosen.connect(self._show_list_value)

    def _fill(self) -> None:
        session = self.session
        # The run shown before may be gone: its values are not to be asked for.
        self._queries.set_value(None, self._live.measure)
        self._queries.set_session(session)
        self._workspace.results.set_session(session)
        self._workspace.header.set_session(session)
        self._live.set_session(session)
        self._workspace.grade_bar.set_scale(session.scale)
        self._workspace.results.set_cutoffs(self._cutoffs())
        can_judge = not session.read_only_reason
        self._workspace.grade_bar.set_judging(is_judging=can_judge)
        if can_judge:
            self._status.set_saved("")
        else:
            self._status.set_read_only("")
            self._status.save.setToolTip(session.read_only_reason)
        self._show_ends()
        self._show_progress()

    def _cutoffs(self) -> tuple[int, ...]:
        cutoffs = {measure.cutoff for measure in self.session.measures if measure.cutoff}
        return tuple(sorted(cutoffs))

    def close(self) -> None:
        """Let go of the panels and of the session's signal."""
        self.session.changed.disconnect(self._on_changed)
        self._live.measure_chosen.disconnect(self._show_list_value)
        self.judging.close()
        for panel in (self._queries, self._workspace.results, self._workspace.header, self._live):
            panel.set_session(None)

    # Showing

    def _show_list_value(self, _name: str = "") -> None:
        self._queries.set_value(self.judging.run_id, self._live.measure)

    def _show_query(self) -> None:
        query, run_id = self.judging.query, self.judging.run_id
        self._show_list_value()
        order = self._queries.order()
        if query is not None:
            place = order.index(query) + 1 if query in order else 0
            self._workspace.header.show_query(query, place, len(order))
            self._terms = QueryTerms.parse(self.session.material.queries[query].text)
        self._live.show_query(run_id, query, self.judging.document)

    def _show_document(self) -> None:
        document = self.judging.document
        found = None if document is None else self.session.material.document(document)
        query = self.judging.query
        query_id = "" if query is None else self.session.material.queries[query].id
        self.place = (query_id, found.id if found else "")
        judgment = self.judging.own_judgment
        self._workspace.document.show_document(
            found,
            place=self._workspace.results.current_place() + 1,
            total=len(self._workspace.results.documents()),
            terms=self._terms,
            note=judgment.note,
        )
        self._live.show_document(document)
        self._show_given()

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
        self._workspace.grade_bar.set_given(grade, actions=lit)

    def _show_progress(self) -> None:
        progress = self.session.board.total_progress()
        pace, left = self._pace.texts(progress.total - progress.judged)
        text = f"{format_count(progress.judged)} of {format_count(progress.total)} judged"
        self._status.set_progress(text if progress.total else "", pace, left)

    def _show_ends(self) -> None:
        view = self.session.board.view
        title = (
            f"Only {self.session.assessor}'s judgments"
            if view == ONLY_MINE
            else VIEW_RULES[view].title
        )
        self._status.set_ends(view=title, scale=f"Scale {self.session.scale.label}")

    # Changes

    def _on_changed(self, changed: Changed) -> None:
        if changed.origin == "do" and changed.kind == "judge":
            self._pace.note(utc_ms())
        self._status.set_saved(datetime.now().astimezone().strftime("%H:%M:%S"))
        if changed.is_material or changed.values:
            self._reload()
        else:
            self._refresh(changed)
        if changed.origin != "do":
            self._say_undone(changed)

    def _refresh(self, changed: Changed) -> None:
        documents = [d for query, d in changed.judgments if query == self.judging.query]
        self._workspace.results.refresh(documents)
        self._queries.refresh(changed.queries)
        self._workspace.header.refresh()
        self._live.take_change(changed)
        self._show_progress()
        if self.judging.document in documents:
            self._show_document()

    def _reload(self) -> None:
        self._fill()
        self.judging.restart(*self.place)
        self.reloaded.emit()

    def _say_undone(self, changed: Changed) -> None:
        word = "Undone" if changed.origin == "undo" else "Done again"
        kept = f" {changed.n_kept} changed since were left alone." if changed.n_kept else ""
        action = ("redo", "Redo") if changed.origin == "undo" else ("undo", "Undo")
        title = changed.title[:1].lower() + changed.title[1:]
        self._status.show_message(
            f"{word}: {title}.{kept}", action=action[0], action_text=action[1]
        )

    def set_view(self, view: str) -> None:
        """Count other judgments from now on."""
        self.session.set_view(view)
        self._reload()
