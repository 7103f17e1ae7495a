"""What is shown and how: docks, theme, text size, highlights."""

from judgetool.gui.dialogs.level_definitions import LevelDefinitions
from judgetool.gui.frame import Frame
from judgetool.gui.theme import current_theme


class ViewHandler:
    """Does the actions of the View menu."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self.wants_queries = True
        self.wants_live = True

    def show_switches(self) -> None:
        """Set the switches in the menu to what holds."""
        settings = self._window.settings
        action = self._window.actions_by_name.action
        action("judge.advance").setChecked(settings.moves_on)
        action("view.highlights").setChecked(settings.highlights_terms)
        action("view.scores").setChecked(settings.shows_scores)
        action("view.queries").setChecked(True)
        action("view.live").setChecked(True)
        action("view.explain").setChecked(True)
        self._window.workspace.results.set_scores_shown(settings.shows_scores)
        self._window.workspace.document.zoom(settings.document_px)
        self._show_highlights(is_on=settings.highlights_terms)

    def _show_highlights(self, *, is_on: bool) -> None:
        self._window.workspace.results.set_highlighted(is_on)
        self._window.workspace.document.set_highlighted(is_on)

    def read_on(self) -> None:
        """Turn a page of the document."""
        self._window.workspace.document.page_down()

    def highlights(self, is_on: bool) -> None:
        """Mark query terms, or not."""
        self._window.actions_by_name.action("view.highlights").setChecked(is_on)
        self._window.change_settings(highlights_terms=is_on)
        self._show_highlights(is_on=is_on)

    def scores(self, is_on: bool) -> None:
        """Show the systems' scores on the cards, or not."""
        self._window.workspace.results.set_scores_shown(is_on)
        self.keep_scores(is_on)

    def keep_scores(self, is_on: bool) -> None:
        """Remember whether scores are shown."""
        self._window.actions_by_name.action("view.scores").setChecked(is_on)
        self._window.change_settings(shows_scores=is_on)

    def larger(self) -> None:
        """Make the document's text larger."""
        self._window.workspace.document.zoom(1)

    def smaller(self) -> None:
        """Make the document's text smaller."""
        self._window.workspace.document.zoom(-1)

    def keep_zoom(self, px: int) -> None:
        """Remember the size of the document's text."""
        self._window.change_settings(document_px=px)

    def levels(self) -> None:
        """Show what each level of the scale means."""
        session = self._window.session
        if session is not None:
            LevelDefinitions.show_over(self._window.widget, session.scale)

    def need(self) -> None:
        """Show the whole information need, or fold it again."""
        self._window.workspace.header.toggle_whole_need()

    def next_run(self) -> None:
        """Show the next run's ranking of this query."""
        view = self._window.view
        if view is None or not view.session.material.runs:
            return
        ids = [run.run_id for run in view.session.material.runs]
        here = ids.index(view.judging.run_id) if view.judging.run_id in ids else -1
        view.judging.show_run(ids[(here + 1) % len(ids)])

    def queries(self, is_on: bool) -> None:
        """Show the queries, or not."""
        self.wants_queries = is_on
        self._window.show_docks()
        if is_on:
            self._window.queries_dock.show()

    def reveal_queries(self) -> None:
        """Show the queries even where they were folded for want of room."""
        self.wants_queries = True
        self._window.actions_by_name.action("view.queries").setChecked(True)
        self._window.queries_dock.show()

    def live(self, is_on: bool) -> None:
        """Show the live values, or not."""
        self.wants_live = is_on
        self._window.show_docks()

    def float_queries(self, is_on: bool) -> None:
        """Give the queries a window of their own, or put them back."""
        self._window.queries_dock.setFloating(is_on)

    def float_live(self, is_on: bool) -> None:
        """Give the live values a window of their own, or put them back."""
        self._window.live_dock.setFloating(is_on)

    def explain(self, is_on: bool) -> None:
        """Show how the chosen value comes about, or fold it."""
        self._window.live.explain.set_open(is_open=is_on)
        self._window.live.refresh()

    def theme(self) -> None:
        """Change between light and dark."""
        self._window.choose_theme("light" if current_theme().is_dark else "dark")

    def follow_system(self) -> None:
        """Be light or dark as the system is."""
        self._window.choose_theme("system")
