"""What is shown and how: docks, theme, text size, highlights."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from judgetool.gui.dialogs.level_definitions import LevelDefinitions
from judgetool.gui.fonts import DENSITIES, REFERENCE_PX, apply_density
from judgetool.gui.modes import Mode
from judgetool.gui.theme import current_theme, set_theme
from judgetool.gui.window import AppWindow

# Px added to the interface font: 77 to 200 % of 13 px.
TEXT_STEPS = (-3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 10, 13)


class ViewHandler:
    """Does the actions of the View menu."""

    def __init__(self, window: AppWindow) -> None:
        self._window = window

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
        self._show_density()
        self._connect_queries()

    def _connect_queries(self) -> None:
        """Open the queries over the document in focus, until one is chosen."""
        over = self._window.workspace.queries_over
        self._window.workspace.rail.clicked.connect(self._toggle_queries)
        self._window.queries.query_chosen.connect(over.close_list)
        over.closed.connect(self._window.workspace.take_keyboard)

    def _toggle_queries(self) -> None:
        over = self._window.workspace.queries_over
        if over.is_open:
            over.close_list()
        else:
            self.reveal_queries()

    def _show_highlights(self, *, is_on: bool) -> None:
        self._window.workspace.results.set_highlighted(is_on)
        self._window.workspace.document.set_highlighted(is_on)

    def list(self) -> None:
        """Show ranked cards."""
        self._window.views.show(Mode.LIST)

    def focus(self) -> None:
        """Show one document, large."""
        self._window.views.show(Mode.FOCUS)

    def list_or_focus(self) -> None:
        """Switch between the two; the place is kept."""
        is_list = self._window.views.mode is Mode.LIST
        self._window.views.show(Mode.FOCUS if is_list else Mode.LIST)

    def read_on(self) -> None:
        """Turn a page of the document."""
        self._window.workspace.document.read_on()

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
            if self._window.views.mode is Mode.FOCUS and self._window.docks.side.isVisible():
                self._window.workspace.side.show_levels()
                return
            LevelDefinitions.show_over(self._window.widget, session.scale)

    def need(self) -> None:
        """Show query and need whole, then what did not fit yet, then fold them again."""
        self._window.workspace.header.toggle_whole()

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
        self._window.docks.wants_queries = is_on
        self._window.show_docks()
        if is_on:
            self._window.docks.queries.show()

    def reveal_queries(self) -> None:
        """Show the queries even where they were folded for want of room."""
        workspace = self._window.workspace
        if self._window.views.mode is Mode.FOCUS:
            workspace.queries_over.open_list(
                self._window.docks.queries, left=workspace.rail.width()
            )
            return
        self._window.docks.wants_queries = True
        self._window.actions_by_name.action("view.queries").setChecked(True)
        self._window.docks.queries.show()

    def live(self, is_on: bool) -> None:
        """Show the live values, or not."""
        self._window.docks.wants_side = is_on
        self._window.show_docks()

    def float_queries(self, is_on: bool) -> None:
        """Give the queries a window of their own, or put them back."""
        self._window.docks.queries.setFloating(is_on)

    def float_live(self, is_on: bool) -> None:
        """Give the live values a window of their own, or put them back."""
        self._window.docks.side.setFloating(is_on)

    def explain(self, is_on: bool) -> None:
        """Show how the chosen value comes about, or fold it."""
        self._window.live.explain.set_open(is_open=is_on)
        self._window.live.refresh()

    def compact(self) -> None:
        """Show as much as can be read: one line of text on a card."""
        self._choose_density("compact")

    def standard(self) -> None:
        """Show two lines of text on a card."""
        self._choose_density("standard")

    def roomy(self) -> None:
        """Give rows, cards and letters more room."""
        self._choose_density("roomy")

    def text_larger(self) -> None:
        """Set all text of the window a step larger, up to 200 %."""
        self._step_text(1)

    def text_smaller(self) -> None:
        """Set all text of the window a step smaller, down to 77 %."""
        self._step_text(-1)

    def text_normal(self) -> None:
        """Set all text of the window in the system's size."""
        self._step_text(0)

    def _step_text(self, step: int) -> None:
        now = self._window.settings.extra_px
        further = [px for px in TEXT_STEPS if (px - now) * step > 0]
        chosen = (further[0] if step > 0 else further[-1]) if further else now
        self._window.change_settings(extra_px=chosen if step else 0)
        self._show_fonts()
        percent = round((REFERENCE_PX + self._window.settings.extra_px) / REFERENCE_PX * 100)
        self._window.status.show_message(f"Text of the window: {percent} %.")

    def _choose_density(self, name: str) -> None:
        self._window.change_settings(density=name)
        self._show_fonts()

    def _show_fonts(self) -> None:
        window = self._window
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_density(app, window.settings)
            set_theme(app, current_theme())
            # With a style sheet Qt does not tell widgets of the application's new font.
            for widget in app.allWidgets():
                QApplication.sendEvent(widget, QEvent(QEvent.Type.FontChange))
        window.queries.fit_rows()
        window.workspace.results.fit_rows()
        window.show_docks()
        self._show_density()

    def _show_density(self) -> None:
        for name in DENSITIES:
            chosen = name == self._window.settings.density
            self._window.actions_by_name.action(f"view.{name}").setChecked(chosen)

    def preferences(self) -> None:
        """Change anything that the person prefers."""
        from judgetool.gui.dialogs.preferences import PreferencesDialog  # noqa: PLC0415 - not needed to start

        window = self._window
        chosen = PreferencesDialog.ask(window.widget, window.settings)
        if chosen is None:
            return
        changed, wants_keys = chosen
        window.take_preferences(changed)
        if wants_keys:
            window.actions_by_name.action("help.change_keys").trigger()

    def show_preferences(self) -> None:
        """Show rows, marks and sizes as the person prefers them now."""
        settings, parts = self._window.settings, self._window.workspace
        action = self._window.actions_by_name.action
        action("view.highlights").setChecked(settings.highlights_terms)
        action("view.scores").setChecked(settings.shows_scores)
        parts.results.set_scores_shown(settings.shows_scores)
        parts.document.reset_zoom()
        parts.document.zoom(settings.document_px)
        self._show_highlights(is_on=settings.highlights_terms)
        self._show_fonts()

    def theme(self) -> None:
        """Change between light and dark."""
        self._window.choose_theme("light" if current_theme().is_dark else "dark")

    def follow_system(self) -> None:
        """Be light or dark as the system is."""
        self._window.choose_theme("system")
