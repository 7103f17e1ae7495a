"""Reading: highlights, term sets, rationale, the look of the page, guidelines."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from judgetool.core.policy import SET_BY, policy
from judgetool.errors import CommandRefusedError
from judgetool.gui.dialogs.choose import ChooseDialog, RadioOption
from judgetool.gui.page_look import LINE_NAMES, LINE_WIDTHS, PAGE_COLOURS
from judgetool.gui.questions import Choice
from judgetool.session.reading_aids import find_guidelines
from judgetool.wording import _, mid_sentence, sentence_start

if TYPE_CHECKING:
    from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import AppWindow, Handler


class ReadHandler(Handler):
    """Does the actions of the Read menu."""

    def show_switches(self) -> None:
        """Set switches and page to what the person prefers."""
        pane = self._window.workspace.document
        self.show_page()
        pane.colour_chosen.connect(self._choose_colour)
        pane.text.address_clicked.connect(self.address)
        pane.width_chosen.connect(self._choose_width)

    # The text

    def caret(self, is_on: bool) -> None:
        """Let the keyboard move a caret in the text, or not."""
        text = self._window.workspace.document.text
        text.set_caret(is_on=is_on)
        if is_on:
            text.setFocus()
            self._say(_("Arrow keys move the caret; with Shift they select. F7 ends it."))
        else:
            self._window.workspace.take_keyboard()

    def rationale(self) -> None:
        """Keep what is selected with the judgment, or take it away."""
        self._say(self._view.reading.toggle_rationale())

    # Marks

    def next_set(self) -> None:
        """Mark all own term sets, then each alone, then none."""
        reading = self._view.reading
        names = [each.name for each in reading.term_sets]
        if not names:
            self._say(_("No term set is written yet. Read ▸ Term sets… writes one."))
            return
        turns = [None, *(frozenset((name,)) for name in names), frozenset[str]()]
        shown = turns[(turns.index(reading.shown_sets) + 1) % len(turns)]
        reading.show_sets(shown)
        self._say(
            _("All term sets are marked.")
            if shown is None
            else _("Marked: {name}.").format(name=next(iter(shown)))
            if shown
            else _("No term set is marked.")
        )

    def term_sets(self) -> None:
        """Write term sets."""
        from judgetool.gui.dialogs.guidelines import TermSetsDialog  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import set_term_sets  # noqa: PLC0415 - rarely needed

        chosen = self._ask(TermSetsDialog(self._view.reading.term_sets))
        if chosen is None:
            return
        try:
            self.execute(set_term_sets(chosen))
        except CommandRefusedError as refusal:
            self._say(str(refusal))

    def language(self) -> None:
        """Choose the language by which words are compared."""
        from judgetool.core.language import LANGUAGES  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import (  # noqa: PLC0415 - rarely needed
            LANGUAGE_KEY,
            NO_LANGUAGE,
            set_language,
        )

        session = self._session
        found = _(session.material.language.capitalize())
        options = [
            RadioOption(
                "",
                _("As the texts are"),
                _("Now: {found}. Other scripts have their own.").format(found=found),
            ),
            RadioOption(NO_LANGUAGE, _("Whole words"), _("A word matches only as it is typed.")),
            *(RadioOption(name, sentence_start(_(name.capitalize()))) for name in LANGUAGES),
        ]
        chosen = self._ask(
            ChooseDialog(
                _("Language of the texts"),
                options,
                verb=_("Use language"),
                current=str(session.value(LANGUAGE_KEY) or ""),
            )
        )
        if chosen is not None:
            self.execute(set_language(chosen or None))

    def address(self) -> None:
        """Open the document's address in the browser, once somebody who saw it whole says so."""
        view, number = self._view, self._view.judging.document
        if number is None:
            return
        url = view.mask(number, view.session.material.document(number)).url
        address = QUrl(url)
        if not address.isValid() or address.scheme() not in ("http", "https"):
            self._say(_("This document has no address that a browser opens."))
            return
        question, choices = _("Open this address in the browser?"), [Choice("copy", _("Copy it"))]
        remark = _("Whoever runs the site learns that you look at it.")
        if policy().is_offline:
            question = _("Copy this address?")
            remark = _("That it is not opened here is {by}.").format(by=_(SET_BY))
        else:
            choices.append(Choice("open", _("Open it")))
        answer = self._window.prompter.ask(question, choices, detail=f"{url}\n\n{remark}")
        if answer == "open":
            QDesktopServices.openUrl(address)
        elif answer == "copy":
            QGuiApplication.clipboard().setText(url)

    # The page

    def width(self) -> None:
        """Set lines narrow, standard, wide in turn."""
        self._choose_width(_after(self._window.settings.line_width, list(LINE_WIDTHS)))

    def colour(self) -> None:
        """Colour the page as the window, light, dark, sepia in turn."""
        self._choose_colour(_after(self._window.settings.page_colour, list(PAGE_COLOURS)))

    def _choose_width(self, width: str) -> None:
        self._window.change_settings(line_width=width)
        self.show_page()
        self._say(_("Lines: {width}.").format(width=_(LINE_NAMES[width])))

    def _choose_colour(self, colour: str) -> None:
        self._window.change_settings(page_colour=colour)
        self.show_page()
        self._say(_("Page: {colour}.").format(colour=mid_sentence(_(PAGE_COLOURS[colour]))))

    def show_page(self) -> None:
        """Set the page as the person prefers it now."""
        settings = self._window.settings
        self._window.workspace.document.set_page(
            colour=settings.page_colour, width=settings.line_width
        )

    # Guidelines

    def guidelines(self) -> None:
        """Show the guidelines: beside the document in focus, else over the window."""
        from judgetool.gui.dialogs.guidelines import GuidelinesDialog  # noqa: PLC0415 - rarely needed

        if self._window.has_focus_side:
            self._window.workspace.side.show_guidelines()
            return
        query = self._view.judging.query
        GuidelinesDialog(self._session, query).above(self._widget).is_answered()

    def write_guidelines(self) -> None:
        """Write the project's guidelines."""
        self._write_guidelines(None)

    def write_query_guidelines(self) -> None:
        """Write the guidelines of the current query."""
        if self._view.judging.query is not None:
            self._write_guidelines(self._view.judging.query)

    def _write_guidelines(self, query: int | None) -> None:
        from judgetool.gui.dialogs.guidelines import GuidelinesEditor  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import (  # noqa: PLC0415 - rarely needed
            find_guidelines,
            set_guidelines,
        )

        session = self._session
        title = _("Guidelines") if query is None else _("Guidelines for this query")
        before = find_guidelines(session, query)
        text = self._ask(GuidelinesEditor(title, before))
        if text is not None:
            self.execute(set_guidelines(session, text, query=query))


def _after(name: str, names: list[str]) -> str:
    return names[(names.index(name) + 1) % len(names)]


class GuidelinesOnce(QObject):
    """Shows a project's guidelines to each assessor once, over the window that stands already.

    Args:
        window: the main window.
    """

    def __init__(self, window: AppWindow) -> None:
        super().__init__(window.widget)
        self._window = window
        self._view: ProjectView | None = None
        window.views.changed.connect(self._on_view)

    def _on_view(self) -> None:
        view = self._window.view
        if view is not None and view is not self._view:
            QTimer.singleShot(0, self, self._show)
        self._view = view

    def _show(self) -> None:
        session = self._window.session
        if session is None or session.read_only_reason or not session.assessor:
            return
        if not find_guidelines(session):
            return
        if not self._window.state.note_seen(session.uuid, session.assessor):
            return
        from judgetool.gui.dialogs.guidelines import GuidelinesDialog  # noqa: PLC0415 - seldom shown

        dialog = GuidelinesDialog(session, None).above(self._window.widget)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show_remark(_("G shows them again."))
        # Not waited for: the window works on under it.
        dialog.open()
