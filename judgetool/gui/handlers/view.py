"""What is shown and how: views, docks, theme, text size, highlights, help."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QTextEdit, QWidget

from judgetool.gui.actions import JUDGING_MODES, Mode
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.help_window import HelpWindow
from judgetool.gui.panels.query_header import QueryTexts, query_in_words
from judgetool.gui.project_view import ProjectView
from judgetool.gui.theme import (
    DENSITIES,
    REFERENCE_PX,
    apply_density,
    current_theme,
    set_theme,
    theme_of,
)
from judgetool.gui.widgets.painted import announce
from judgetool.gui.window import AppWindow, Handler
from judgetool.gui.workspace import Workspace
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.gui.agreement.page import AgreementPage
    from judgetool.gui.compare.page import ComparePage
    from judgetool.gui.settle import SettlePage
    from judgetool.gui.tour import Tour
    from judgetool.gui.whatif.page import WhatIfPage

# Px added to the interface font: 77 to 200 % of 13 px.
TEXT_STEPS = (-3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 10, 13)


def _mark_terms(parts: Workspace, is_on: bool) -> None:
    parts.results.set_highlighted(is_on)
    parts.document.set_highlighted(is_on)


_PREFERRED: Mapping[str, tuple[str, Callable[[Workspace, bool], None]]] = {
    "view.highlights": ("highlights_terms", _mark_terms),
    "view.scores": ("shows_scores", lambda parts, is_on: parts.results.set_scores_shown(is_on)),
    "read.whole": ("shows_whole", lambda parts, is_on: parts.document.set_whole(is_whole=is_on)),
    "read.join": ("joins_lines", lambda parts, is_on: parts.document.set_joined(is_joined=is_on)),
}
"""Switches that are remembered, by their actions: the setting of each, and what shows it."""


class ViewHandler(Handler):
    """Does the actions of the View menu."""

    def show_switches(self) -> None:
        """Set the switches in the menu to what holds."""
        action = self._window.actions_by_name.action
        action("judge.advance").setChecked(self._window.settings.moves_on)
        for name in ("view.queries", "view.live", "view.explain"):
            action(name).setChecked(True)
        self._show_preferred()
        self._show_density()
        self._connect_queries()

    def _show_preferred(self) -> None:
        """Show what is switched, and the size of the text, as the person prefers them."""
        settings, document = self._window.settings, self._window.workspace.document
        for name, (setting, __) in _PREFERRED.items():
            self._show_switch(name, is_on=getattr(settings, setting))
        document.zoom(0)
        document.zoom(settings.document_px)

    def _show_switch(self, name: str, *, is_on: bool) -> None:
        self._window.actions_by_name.action(name).setChecked(is_on)
        _PREFERRED[name][1](self._window.workspace, is_on)

    def prefer(self, name: str, is_on: bool) -> None:
        """Switch one of what the person prefers, by the name of its action, and remember it."""
        self._window.change_settings(**{_PREFERRED[name][0]: is_on})
        self._show_switch(name, is_on=is_on)

    def _connect_queries(self) -> None:
        """Open the queries over the document in focus, until one is chosen."""
        over = self._window.workspace.queries_over
        self._window.workspace.rail.clicked.connect(self._toggle_queries)
        self._window.queries.query_chosen.connect(over.close_list)
        over.closed.connect(lambda: self._window.queries.choose_by_enter(is_on=False))
        over.closed.connect(self._window.workspace.take_keyboard)

    def _toggle_queries(self) -> None:
        over = self._window.workspace.queries_over
        if over.is_open:
            over.close_list()
        else:
            self.reveal_queries()

    def show(self, mode: str) -> None:
        """Show a view by its name."""
        self._window.views.show(Mode(mode))

    def list_or_focus(self) -> None:
        """Switch between the two; the place is kept."""
        is_list = self._window.views.mode is Mode.LIST
        self._window.views.show(Mode.FOCUS if is_list else Mode.LIST)

    def unfold_need(self) -> None:
        """Have query, need and how far one is heard; show the need whole, what did not fit, or folded again."""
        views, query = self._window.views, self._view.judging.query
        texts: QueryTexts | None = None
        if views.mode is Mode.SETTLE:
            page: SettlePage = views.page(Mode.SETTLE)  # type: ignore[assignment]  # made by make_page
            query = page.dispute.query if page.dispute is not None else None
            page.toggle_need()
        elif views.mode in JUDGING_MODES:
            texts = self._window.workspace.header.texts
        elif views.mode is Mode.WHATIF:
            whatif: WhatIfPage = views.page(Mode.WHATIF)  # type: ignore[assignment]  # likewise
            texts = whatif.header.texts
        shown = None if query is None else self._session.material.queries[query]
        if shown is not None:
            need = query_in_words(shown)
            # Nothing else says to those who listen how much is left.
            self._view.told.emit(f"{need} {self._view.status.counts}".rstrip())
        if texts is not None and (texts.is_cut or texts.is_unfolded):
            texts.toggle()
        elif texts is not None:
            has_need = shown is not None and (shown.description or shown.narrative)
            whole = _("Query and need are shown whole already.")
            self._say(whole if has_need else _("The query is shown whole already."))

    def keep_zoom(self, px: int) -> None:
        """Remember the size of the document's text."""
        self._window.change_settings(document_px=px)

    def levels(self) -> None:
        """Show what each level of the scale means."""
        from judgetool.gui.dialogs.by_hand import (  # noqa: PLC0415 - not needed to start
            LevelDefinitions,
            level_in_words,
        )

        scale = self._window.actions_by_name.keymap.personal(self._session.scale)
        if self._window.has_focus_side:
            self._window.workspace.side.show_levels()
            told = (level_in_words(level, scale) for level in reversed(scale.levels))
            announce(self._widget, " ".join(told))
            return
        LevelDefinitions(scale).above(self._widget).is_answered()

    def next_run(self) -> None:
        """Show the next run's ranking of this query."""
        judging, ids = self._view.judging, [run.run_id for run in self._session.material.runs]
        if ids:
            here = ids.index(judging.run_id) if judging.run_id in ids else -1
            judging.show_run(ids[(here + 1) % len(ids)])

    def queries(self, is_on: bool) -> None:
        """Show the queries, or not; those that were folded for want of room are to be shown."""
        if self._window.docks.has_folded_queries:
            is_on = True
            self._window.actions_by_name.action("view.queries").setChecked(is_on)
        self._window.docks.keep_widths()
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
            # Each query chosen closes the list: one looks for the right one first.
            self._window.queries.choose_by_enter(is_on=True)
            return
        self._window.docks.wants_queries = True
        self._window.actions_by_name.action("view.queries").setChecked(True)
        self._window.docks.queries.show()

    def live(self, is_on: bool) -> None:
        """Show the live values, or not."""
        self._window.docks.keep_widths()
        self._window.docks.wants_side = is_on
        self._window.show_docks()

    def explain(self, is_on: bool) -> None:
        """Show how the chosen value comes about, or fold it."""
        action = self._window.actions_by_name.action("view.explain")
        if not self._window.live.isVisible():
            # What nobody sees is neither folded nor shown, and no word is said of it.
            action.setChecked(not is_on)
            self._say(_("The values, and how they come about, are not shown here."))
            return
        is_shown = self._window.live.ask_explanation(is_on=is_on)
        action.setChecked(is_shown)
        if is_shown:
            self._window.schedule.after_frame(self._tell_explanation)

    def _tell_explanation(self) -> None:
        live = self._window.live
        if self._window.view is not None and live.explain.is_open:
            self._window.view.told.emit(f"{live.measure}: {live.explain_table.sentence}")

    def go_to_panel(self, step: int) -> None:
        """Give the keyboard to the next panel that is seen, or the one before; round and round."""
        panels = [each for each in self._panels() if each.isVisible()]
        focus = QApplication.focusWidget()
        here = next((at for at, each in enumerate(panels) if _holds(each, focus)), -1)
        here = len(panels) if here < 0 and step < 0 else here
        for number in range(1, len(panels) + 1):
            stop = _main_stop(panels[(here + step * number) % len(panels)])
            if stop is not None:
                stop.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _panels(self) -> list[QWidget]:
        """Return what stands beside each other now, perhaps hidden: lists, page, values, views."""
        window, parts = self._window, self._window.workspace
        mode, middle = window.views.mode, list[QWidget]()
        if mode in JUDGING_MODES:
            middle = [parts.results, parts.document, parts.grade_bar, parts.side]
        else:
            page = window.views.page(mode)
            middle = [page.widget, *filter(None, [page.side])]
        return [window.queries, *middle, window.live, window.top_line.switch]

    def step_text(self, step: int) -> None:
        """Set all text of the window a step larger, smaller, or in the system's size for 0."""
        now = self._window.settings.extra_px
        further = [px for px in TEXT_STEPS if (px - now) * step > 0]
        chosen = (further[0] if step > 0 else further[-1]) if further else now
        self._window.change_settings(extra_px=chosen if step else 0)
        self._show_fonts()
        percent = round((REFERENCE_PX + self._window.settings.extra_px) / REFERENCE_PX * 100)
        self._say(_("Text of the window: {percent} %.").format(percent=percent))

    def choose_density(self, name: str, _is_on: bool = True) -> None:
        """Give rows and cards as much room as ``compact``, ``standard`` or ``roomy`` say."""
        self._window.change_settings(density=name)
        self._show_fonts()

    def _show_fonts(self) -> None:
        window = self._window
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_density(app, window.settings)
        set_theme(app, current_theme())
        # With a style sheet Qt does not tell widgets of the application's new font.
        for widget in app.allWidgets():
            QApplication.sendEvent(widget, QEvent(QEvent.Type.FontChange))
        window.queries.fit_rows()
        window.workspace.results.fit_rows()
        window.docks.follow_text()
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
        chosen = self._ask(PreferencesDialog(window.settings))
        if chosen is None:
            return
        changed, wants_keys = chosen
        window.take_preferences(changed)
        if wants_keys:
            self._trigger("help.change_keys")

    def show_preferences(self) -> None:
        """Show rows, marks and sizes as the person prefers them now."""
        self._show_preferred()
        self._show_fonts()

    def theme(self) -> None:
        """Change between light and dark, the contrast as it is."""
        now = current_theme()
        shown = theme_of(is_dark=not now.is_dark, is_high=now.is_high)
        self._window.choose_theme(shown.name)
        self._say(_("Colours: dark.") if shown.is_dark else _("Colours: light."))

    def contrast(self, is_on: bool) -> None:
        """Show all in high contrast, or as usual; light or dark as it is."""
        self._window.choose_theme(theme_of(is_dark=current_theme().is_dark, is_high=is_on).name)


def _holds(panel: QWidget, focus: QWidget | None) -> bool:
    return focus is not None and (panel is focus or panel.isAncestorOf(focus))


def _main_stop(panel: QWidget) -> QWidget | None:
    """Return what of a panel one works in: its first list, else the first that Tab reaches."""
    stops = [panel, *panel.findChildren(QWidget)]
    wants = Qt.FocusPolicy.TabFocus
    reached = [x for x in stops if x.isVisible() and x.isEnabled() and x.focusPolicy() & wants]
    lists = (each for each in reached if isinstance(each, QAbstractItemView | QTextEdit))
    return next(lists, reached[0] if reached else None)


P_co = TypeVar("P_co", covariant=True)


class PageHandler(Handler, Generic[P_co]):
    """Does what of a view's menu its page does not do by itself.

    Attributes:
        mode: the view.
    """

    mode: Mode

    @property
    def page(self) -> P_co:
        """The view's page, made when it is first wanted."""
        return self._window.views.page(self.mode)  # type: ignore[return-value]  # made by make_page


class WhatIfHandler(PageHandler["WhatIfPage"]):
    """Does what of the What-if menu its page does not do by itself."""

    mode = Mode.WHATIF

    def connect_project(self, view: ProjectView) -> None:
        """Prepare the what-ifs that a project holds."""
        if view.session.values("whatif/"):
            from judgetool.gui.whatif.ranking import seed_rules  # noqa: PLC0415 - not needed to start

            seed_rules(view.session, self._window.jobs)

    def make_page(self) -> "WhatIfPage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.whatif.page import WhatIfPage  # noqa: PLC0415 - not needed to start

        return WhatIfPage(self._window)

    def show_and(self, act: str) -> None:
        """Show the view, and do one of its acts."""
        self._window.views.show(Mode.WHATIF)
        getattr(self.page.acts, act)()

    def to_rank(self) -> None:
        """Ask to which rank the current document goes."""
        self.page.ask_rank(swaps=False)

    def swap(self) -> None:
        """Ask with which rank the current document changes places."""
        self.page.ask_rank(swaps=True)


class CompareHandler(PageHandler["ComparePage"]):
    """Does what of the Compare menu its page does not do by itself."""

    mode = Mode.COMPARE

    def make_page(self) -> "ComparePage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.compare.page import ComparePage  # noqa: PLC0415 - not needed to start

        return ComparePage(self._window)

    def connect_project(self, view: ProjectView) -> None:
        """Say what was being decided when the project was closed."""
        if view.session.values("decide/") and not view.session.read_only_reason:
            self.page.decider.tell_open()

    def beside(self) -> None:
        """Keep the current system side by side with others, or no longer."""
        self._say(self.page.compared.toggle_beside())

    def stop_judging(self) -> None:
        """Let grades lead where they led before."""
        if Mode.COMPARE in self._window.views.modes:
            self.page.stop_judging()


class AgreementHandler(PageHandler["AgreementPage"]):
    """Does what of the Team menu concerns the agreement view."""

    mode = Mode.AGREEMENT

    def make_page(self) -> "AgreementPage":
        """Return the view, made when it is first wanted."""
        from judgetool.gui.agreement.page import AgreementPage  # noqa: PLC0415 - not needed to start

        return AgreementPage(self._window)

    def choose_queries(self) -> None:
        """Show agreement over some of the queries, or all."""
        from judgetool.gui.compare.dialogs import QueriesDialog  # noqa: PLC0415 - rarely needed

        dialog = QueriesDialog(self._session, self.page.agreed.where)
        title = _("Agreement over these queries")
        dialog.setWindowTitle(title)
        dialog.heading.set_text(title)
        dialog.verb.setText(_("Show"))
        where = self._ask(dialog)
        if where is not None:
            self.page.agreed.choose_where(where)

    def counts(self) -> None:
        """Have the current assessor enter views, or no longer."""
        facts = self.page.current
        if facts is None or not self._can_write():
            return
        does = not facts.counts
        from judgetool.session.team.agreement import set_counts  # noqa: PLC0415 - not needed to start

        said = _("{name} does not count from now on.")
        if does:
            said = _("{name} counts from now on.")
        act = partial(set_counts, self._session, {facts.name: does})
        self._carry_out(act, said.format(name=facts.name))


class HelpHandler(Handler):
    """Does the actions of the Help menu.

    Args:
        window: the main window.
        project: opens the sample, for the tour.
        what_if: has the view in which that ends.
    """

    def __init__(self, window: AppWindow, project: ProjectHandler, what_if: WhatIfHandler) -> None:
        super().__init__(window)
        self._project, self._what_if = project, what_if
        self._help: HelpWindow | None = None
        self._tour: Tour | None = None

    @property
    def tour(self) -> "Tour":
        """The tour, made when it is first wanted."""
        from judgetool.gui.tour import Tour  # noqa: PLC0415 - not needed to start

        if self._tour is None:
            self._tour = Tour(self._window, self._project.sample, lambda: self._what_if.page)
        return self._tour

    def change_keys(self) -> None:
        """Let the person have other keys."""
        from judgetool.gui.dialogs.preferences import KeysDialog  # noqa: PLC0415 - not needed to start

        window = self._window
        scale = window.session.scale if window.session is not None else None
        keymap = self._ask(KeysDialog(window.actions_by_name.keymap, scale))
        if keymap is not None:
            window.change_settings(key_preset=keymap.preset, keys=dict(keymap.changes))
            window.actions_by_name.set_keymap(keymap)

    def open_page(self, page: str) -> None:
        """Open a page of the help, by its name."""
        if self._help is None:
            self._help = HelpWindow(self._widget)
        self._help.open_page(page)

    def report(self) -> None:
        """Give a text with which a problem can be reported; nothing is sent."""
        from judgetool.gui.error_report import ReportDialog  # noqa: PLC0415 - not needed to start

        ReportDialog(self._widget).is_answered()

    def about(self) -> None:
        """Say which version this is, and what it is built on."""
        from judgetool.gui.error_report import AboutDialog  # noqa: PLC0415 - not needed to start

        AboutDialog(self._widget).is_answered()
