"""Reading and judging's flow: highlights, term sets, rationale; how sure one is, blind mode, pace."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent

from judgetool.core.judgments import CONFIDENCES, DEFAULT_VIEW, Judgment
from judgetool.core.policy import SET_BY, policy
from judgetool.gui.actions import JUDGING_MODES
from judgetool.gui.dialogs import Choice
from judgetool.gui.dialogs.choose import ChooseDialog, RadioOption
from judgetool.gui.handlers.judge import KNOWN, JudgeHandler
from judgetool.gui.models.finders import ASKED_OF_ME
from judgetool.gui.models.page import LINE_NAMES, LINE_WIDTHS, PAGE_COLOURS
from judgetool.gui.painting import format_grade
from judgetool.gui.project_view import BreakWatch, JudgedToday, ProjectView
from judgetool.gui.widgets.buttons import BlindButton
from judgetool.gui.widgets.painted import EventWatch, announce
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.asked import PRACTICE_KEY
from judgetool.session.board import ONLY_MINE
from judgetool.session.commands import Changed
from judgetool.session.opening import find_hub_side
from judgetool.session.reading_aids import (
    GUIDELINES_KEY,
    Blindness,
    find_blindness,
    find_guidelines,
)
from judgetool.session.session import Session
from judgetool.wording import _, mid_sentence, own_words, sentence_start


class ReadHandler(Handler):
    """Does the actions of the Read menu.

    Args:
        window: the main window.
        judge: knows who judges.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler) -> None:
        super().__init__(window)
        self._judge = judge

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
            self._say("")
            self._window.workspace.take_keyboard()

    def rationale(self) -> None:
        """Keep what is selected with the judgment, or take it away."""
        if self._judge.find_sayer() is not None:
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
        from judgetool.gui.dialogs.by_hand import TermSetsDialog  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import set_term_sets  # noqa: PLC0415 - rarely needed

        chosen = self._ask(TermSetsDialog(self._view.reading.term_sets))
        if chosen is None:
            return
        self.execute(set_term_sets(chosen))

    def language(self) -> None:
        """Choose the language by which words are compared."""
        from judgetool.core.terms import LANGUAGES  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import (  # noqa: PLC0415 - rarely needed
            LANGUAGE_KEY,
            NO_LANGUAGE,
            set_language,
        )

        session = self._session
        whole, language = _("Whole words"), session.material.language
        found = whole if language is None else _(language.capitalize())
        options = [
            RadioOption(
                "",
                _("As the texts are"),
                _("Now: {found}. Other scripts have their own.").format(found=found),
            ),
            RadioOption(NO_LANGUAGE, whole, _("A word matches only as it is typed.")),
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
        from judgetool.gui.dialogs.by_hand import GuidelinesDialog  # noqa: PLC0415 - rarely needed

        if self._window.has_focus_side:
            side = self._window.workspace.side
            side.show_guidelines()
            announce(self._widget, side.guidelines.toPlainText())
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
        from judgetool.gui.dialogs.by_hand import GuidelinesEditor  # noqa: PLC0415 - rarely needed
        from judgetool.session.reading_aids import set_guidelines  # noqa: PLC0415 - rarely needed

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

    Whoever changes them knows them; where somebody else has, they are shown once more.

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
            view.session.changed.connect(self._on_changed)
            QTimer.singleShot(0, self, self._show)
        self._view = view

    def _on_changed(self, changed: Changed) -> None:
        # What comes from elsewhere is of another kind.
        if changed.kind == "project" and GUIDELINES_KEY in changed.values:
            self._note_seen()

    def _note_seen(self) -> bool:
        """Keep that the assessor knows the guidelines as they are; return whether that is new."""
        session = self._window.session
        if session is None or session.read_only_reason or not session.assessor:
            return False
        text = find_guidelines(session)
        state = self._window.state
        return bool(text) and state.note_seen(session.uuid, session.assessor, text)

    def _show(self) -> None:
        session = self._window.session
        if session is None or not self._note_seen():
            return
        from judgetool.gui.dialogs.by_hand import GuidelinesDialog  # noqa: PLC0415 - seldom shown

        dialog = GuidelinesDialog(session, None).above(self._window.widget)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show_remark(_("G shows them again."))
        # Not waited for: the window works on under it.
        dialog.open()


LATER_MIN = 10
_MODIFIERS = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
)


class FlowHandler(Handler):
    """Does the actions of judging's flow.

    Args:
        window: the main window.
        judge: does what belongs to one document.
        button: the switch of blind mode in the top line.

    Attributes:
        blindness: what is hidden from the assessor.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler, button: BlindButton) -> None:
        super().__init__(window)
        self._judge = judge
        self._button = button
        self._today: JudgedToday | None = None
        self._break = BreakWatch(window.settings.break_min)
        self._is_asked = False
        # The pair below which its known answer stands.
        self._known: tuple[int, int] | None = None
        self._said_sure = ""
        self.blindness = Blindness()
        judge.answers |= {
            "break_over": lambda: self._put_off_break(self._break.after_min),
            "break_later": lambda: self._put_off_break(LATER_MIN),
            KNOWN: self._go_on,
        }

    def take_session(self, session: Session | None) -> None:
        """Find out how blind a project is judged, before its panels are made."""
        self.blindness = find_blindness(session, is_wanted=self._window.settings.is_blind)
        self._button.set_state(is_on=self.blindness.is_on, is_required=self.blindness.is_required)
        self._button.setVisible(session is not None)
        if session is not None:
            view = self._window.settings.find_view(session.path) or DEFAULT_VIEW
            # What others said does not answer what one is asked.
            wanted = ONLY_MINE if self.blindness.is_on or session.is_asked else view
            if wanted != session.board.view:
                session.set_view(wanted)

    def connect_project(self, view: ProjectView) -> None:
        """Follow what is judged, for goal and breaks."""
        self._is_asked, self._known = False, None
        view.judging.place_shown.connect(self._leave_known)
        self._today = JudgedToday(view.session)
        view.session.changed.connect(self._on_changed)
        self.show_flow()
        self._show_asked(view.session)
        view.reloaded.connect(lambda: self._show_asked(view.session))

    def _show_asked(self, session: Session) -> None:
        """List only what the assessor is asked, from when they are; they may list more."""
        practice = self._window.actions_by_name.action("flow.practice")
        practice.setChecked(bool(session.value(PRACTICE_KEY)))
        for bar in (self._window.queries.bar, self._window.workspace.results.bar):
            if session.is_asked and not self._is_asked:
                bar.add_chip(ASKED_OF_ME)
            elif self._is_asked and not session.is_asked and ASKED_OF_ME in bar.chips:
                bar.toggle_chip(ASKED_OF_ME)
        self._is_asked = session.is_asked

    @property
    def closed(self) -> set[str]:
        """What is closed now, by the words of the table of actions; nothing without a project."""
        session = self._window.session
        if session is None:
            return set()
        holds = {
            "reveals": self.blindness.is_on,
            "team": session.is_asked,
            "leads": find_hub_side(session).role not in ("", "lead"),
        }
        return {word for word, is_so in holds.items() if is_so}

    # How sure

    def say_confidence(self, confidence: int) -> None:
        """Say how sure one is of the judgment, 1 to 3; once more takes it back."""
        judging = self._judge.find_sayer()
        if judging is not None:
            judging.toggle_confidence(confidence)
            said = judging.own_judgment.confidence
            self._said_sure = (
                _("{said}. The same key again takes that back.").format(
                    said=sentence_start(_(CONFIDENCES[said]))
                )
                if said is not None
                else _("How sure you are is left open.")
            )
            self._say(self._said_sure)

    # Blind

    def blind(self, is_on: bool) -> None:
        """Hide what could sway the assessor, or show it again where the project lets them."""
        if self.blindness.is_required:
            self._show_switch()
            name = self._session.assessor or _("you")
            said = _("This project requires blind mode for {name}. Its lead can change that.")
            if policy().blind:
                said = _("Blind mode is {by}.")
            self._say(said.format(name=name, by=_(SET_BY)))
            return
        self._window.change_settings(is_blind=is_on)
        self.show_blindness()
        self._say(
            _("Blind: rank, score, run, addresses, other assessors and values are hidden.")
            if is_on
            else _("Blind mode is off. Everything is shown again.")
        )

    def show_blindness(self) -> None:
        """Bring the window in line with what holds: preference, project, who judges."""
        view, before = self._window.view, self.blindness
        if view is None:
            self.take_session(None)
            self._show_switch()
            return
        counted = view.session.board.view
        self.take_session(view.session)
        self._show_switch()
        if self.blindness != before:
            if self.blindness.is_on and self._window.views.mode not in JUDGING_MODES:
                self._window.views.show(JUDGING_MODES[0])
            view.set_blindness(self.blindness)
        elif view.session.board.view != counted:
            view.show_recounted()

    def _show_switch(self) -> None:
        self._window.actions_by_name.action("flow.blind").setChecked(self.blindness.is_on)

    # Known answers

    def practice(self, is_on: bool) -> None:
        """Show known answers after one's own grade, or do not."""
        from judgetool.session.team.asking import set_practice  # noqa: PLC0415 - not needed to start

        self.execute(set_practice(is_on=is_on))
        self._say(
            _("Practice: where an answer is known, it stands below after one’s own grade.")
            if is_on
            else _("No practice: known answers are not shown.")
        )

    def _show_known(self, changed: Changed) -> None:
        """Say below what is settled of a document that was asked and just graded, until a key."""
        session = self._session
        is_graded = changed.origin == "do" and changed.n_graded == len(changed.judgments) == 1
        if not (is_graded and session.value(PRACTICE_KEY)):
            return
        from judgetool.session.team.asking import known_answer  # noqa: PLC0415 - not needed to start

        pair = changed.judgments[0]
        known = known_answer(session, *pair) if pair in session.asks else None
        if known is None:
            return
        own = session.own_judgment(*pair)
        is_same = (own.state, own.grade) == (known.state, known.grade)
        note = f" {own_words(known.note)}" if known.note else ""
        said = _("You: {yours}. Known: {known}.")
        sentence = said.format(yours=self._word(own), known=self._word(known)) + note
        self._known = pair
        self._view.judging.pause.is_held = True
        self._ask_below("good" if is_same else "warn", sentence, (KNOWN, _("Go on")))
        button = self._window.workspace.grade_bar.banner.answers[0]
        EventWatch(button, self._go_on_by_key, QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        button.setFocus()

    def _word(self, judgment: Judgment) -> str:
        if judgment.grade is None:
            return _("cannot judge")
        level = self._session.scale.find_level(judgment.grade)
        titled = level.titled if level is not None else format_grade(judgment.grade)
        return titled.replace("  ", " ")

    def _go_on(self) -> None:
        self._hide_known()
        self._view.judging.pause.release()

    def _hide_known(self) -> None:
        self._known = None
        self._window.workspace.grade_bar.hide_banner()
        self._window.workspace.take_keyboard()

    def _go_on_by_key(self, event: QKeyEvent) -> bool:
        """Take every key, those of actions too, but for Ctrl and its like alone."""
        if event.key() in _MODIFIERS:
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
        elif not event.isAutoRepeat():
            self._go_on()
        return True

    def _leave_known(self) -> None:
        """Take away what was said of a document where another one is shown."""
        if self._said_sure:
            status, said, self._said_sure = self._window.status, self._said_sure, ""
            if status.message.text == said:
                status.clear_message()
        judging = self._view.judging
        if self._known is not None and self._known != (judging.query, judging.document):
            self._hide_known()

    # Pace

    def pace(self) -> None:
        """Choose where a grade leads, pause, guard, goal and breaks."""
        from judgetool.gui.dialogs.preferences import PaceDialog  # noqa: PLC0415 - not needed to start

        chosen = self._ask(PaceDialog(self._window.settings))
        if chosen is not None:
            self._window.change_settings(**chosen)
            self.show_flow()

    def show_flow(self) -> None:
        """Judge by what the preferences say."""
        window, settings = self._window, self._window.settings
        self._break.after_min = settings.break_min
        window.actions_by_name.action("judge.advance").setChecked(settings.moves_on)
        self._judge.guard.guard_ms = settings.guard_ms
        if window.view is not None:
            judging = window.view.judging
            judging.moves_on = settings.moves_on
            judging.goes_to_next = settings.advance == "queue"
            judging.pause.length_ms = settings.pause_ms
        self._show_goal()

    def _show_goal(self) -> None:
        goal = self._window.settings.goal
        self._window.status.set_goal(self._today.text(goal) if self._today else "")

    def _on_changed(self, changed: Changed) -> None:
        is_judged = changed.kind == "judge" and self._window.view is not None
        if is_judged and self._today is not None:
            self._show_known(changed)
            self._today.take_change(changed)
            self._window.schedule.after_frame(self._show_goal)
            at = self._session.clock()
            bar = self._window.workspace.grade_bar
            if changed.origin == "do" and self._break.is_due(at) and bar.banner.isHidden():
                self._propose_break()

    def _propose_break(self) -> None:
        sentence = _(
            "You have judged for {minutes} minutes or more. Judgments stay steadier with a "
            "short break; everything is saved."
        ).format(minutes=self._break.after_min)
        answers = (
            ("break_over", _("Go on")),
            ("break_later", _("Again in {minutes} minutes").format(minutes=LATER_MIN)),
        )
        self._ask_below("good", sentence, *answers)

    def _put_off_break(self, minutes: int) -> None:
        self._break.put_off(self._session.clock(), minutes=minutes)

    # Looking back

    def review(self) -> None:
        """Look through one's own judgments, and go to one of them."""
        from judgetool.gui.dialogs.finding import ReviewDialog  # noqa: PLC0415 - not needed to start

        is_blind = self.blindness.is_on
        place = self._ask(ReviewDialog(self._session, is_blind=is_blind))
        if place is not None:
            self._view.judging.show_place(*place)
