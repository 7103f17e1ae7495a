"""Filtering queries and documents, and views kept under a name."""

from collections.abc import Sequence

from judgetool.errors import CommandRefusedError
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.panels.filter_bar import FilterBar
from judgetool.gui.window import AppWindow
from judgetool.session.finding.filters import Filter, save_view, saved_views


class FilterHandler:
    """Does the actions of filters."""

    def __init__(self, window: AppWindow, project: ProjectHandler) -> None:
        self._window = window
        self._project = project
        self._is_for_queries = True
        for bar in (self._queries, self._documents):
            bar.save_asked.connect(lambda saved=bar: self._save(saved))

    @property
    def _queries(self) -> FilterBar:
        return self._window.queries.bar

    @property
    def _documents(self) -> FilterBar:
        return self._window.workspace.results.bar

    def documents(self) -> None:
        """Go to the field that filters documents."""
        self._window.workspace.results.focus_filter()

    def unjudged(self) -> None:
        """Show only unjudged documents, or all."""
        self._window.workspace.results.tools.unjudged.click()

    def clear(self) -> None:
        """Take all filters away, of queries and of documents."""
        is_active = self._queries.is_active or self._documents.is_active
        results = self._window.workspace.results
        if not is_active and not results.model.only_open:
            self._window.status.show_message("There is no filter.")
            return
        self._window.queries.show_all()
        results.show_all()
        self._window.status.show_message("Filters cleared: every query and document is listed.")

    def save_queries(self) -> None:
        """Keep the filters of the queries under a name."""
        self._save(self._queries)

    def save_documents(self) -> None:
        """Keep the filters of the documents under a name."""
        self._save(self._documents)

    def _save(self, bar: FilterBar) -> None:
        from judgetool.gui.dialogs.saved_views import ViewNameDialog  # noqa: PLC0415 - rarely needed

        session = self._window.session
        words = [Filter("text", bar.words)] if bar.words else []
        chips = (*bar.chips, *words)
        if session is None:
            return
        if not chips:
            self._window.status.show_message("There is no filter to keep. Choose one by ‘+’ first.")
            return
        name = ViewNameDialog.ask(self._window.widget, chips, session)
        if name is None:
            return
        try:
            self._project.execute(save_view(name, chips))
        except CommandRefusedError as refusal:
            self._window.status.show_message(str(refusal))
            return
        self._is_for_queries = bar is self._queries
        self._window.status.show_message(
            f"View ‘{name}’ is kept in the project; ‘+’ beside either list offers it.",
            action="undo",
            action_text="Undo",
        )

    def views(self) -> None:
        """Choose a saved view for queries or documents, or delete some."""
        from judgetool.gui.dialogs.saved_views import SavedViewsDialog  # noqa: PLC0415 - rarely needed

        session = self._window.session
        if session is None:
            return
        if not saved_views(session):
            self._window.status.show_message(
                "No view is saved yet. Choose two filters; ‘Save as view’ then stands beside them."
            )
            return
        chosen = SavedViewsDialog.ask(
            self._window.widget,
            session,
            self._project.execute,
            is_for_queries=self._is_for_queries,
        )
        if chosen is not None:
            self._is_for_queries = chosen.is_for_queries
            self._apply(chosen.chips, is_for_queries=chosen.is_for_queries)

    def _apply(self, chips: Sequence[Filter], *, is_for_queries: bool) -> None:
        (self._queries if is_for_queries else self._documents).set_chips(chips)
