"""What a screen reader is told of a project: each key once, after everything that it has done."""

import re

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QApplication

from judgetool.core.terms import beginning
from judgetool.gui.actions import Mode
from judgetool.gui.keymap import monotonic_ms
from judgetool.gui.project_view import ProjectView, said_done
from judgetool.gui.widgets.painted import announce
from judgetool.gui.widgets.status_line import SEGMENTS
from judgetool.gui.window import AppWindow
from judgetool.session.commands import Changed
from judgetool.session.history import title_in_words
from judgetool.wording import _

_MOST_TEXT = 200
# A text of others that has its own end stands in a sentence of ours, which has a full stop.
_ENDED_TWICE = re.compile(r"([?!…؟。？！]['\"”’»)]*)\.(?!\S)")
# What is set up elsewhere is said by its own dialog, what others do by the status line.
_SAID = ("judge", "import")
_AGAIN, _SETTLES = ("undo", "redo"), "Settle: "
# What comes with another window is so much that readers drop what is announced meanwhile.
_CALM_MS, _LOOK_MS = 1000, 100
# How long a dialog may take to go once it has done something, and the window to come back.
_MOST_OPEN_MS, _MOST_MS = 300, 3000
# How long the window that a program begins with may be there before its reader is.
_LATE_READER_MS = 10_000


class Announcer(QObject):
    """Says once, after everything that a key has done, what somebody who sees would see of it.

    Args:
        view: the open project's panels.
        window: speaks, and knows what a step has made of values, and which of them are said.

    Signals:
        said: a text was announced.
    """

    said = Signal(str)

    def __init__(self, view: ProjectView, window: AppWindow) -> None:
        super().__init__(view)
        self._view = view
        self._window = window
        self._parts: list[str] = []
        self._switched = ""
        # A project that opens in the list says so of no view: nothing was changed.
        self._mode = Mode.LIST
        self._query: int | None = None
        self._run_id: int | None = view.judging.run_id
        self._is_new_run = False
        self._is_new_query = False
        self._is_new_place = False
        self._is_urgent = self._is_row_said = False
        self._is_opening, self._says_left = True, False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._speak_in_calm)
        self._since_due = QElapsedTimer()
        self._unheard = ""
        self._since_unheard = QElapsedTimer()
        self._late_reader = QTimer(self, interval=_LOOK_MS)
        self._late_reader.timeout.connect(self._ask_late_reader)
        # A project that opens, or one shown anew for another assessor, is a burst as well.
        self._active_at = monotonic_ms()
        judging = view.judging
        view.session.changed.connect(self._on_changed)
        judging.not_saved.connect(lambda sentence, _retry: self._add_urgent(sentence))
        judging.refused.connect(self._add)
        view.status.message_shown.connect(self._add)
        judging.query_shown.connect(self._on_query)
        judging.place_shown.connect(self._on_place)
        view.told.connect(self._add)
        window.workspace.grade_bar.asked.connect(self._on_asked)
        for each in view.lists:
            each.told.connect(self._add)

    def _add(self, text: str) -> None:
        if text and QAccessible.isActive():
            self._parts.append(text)
            self._start()

    def _on_asked(self, question: str) -> None:
        """Say what the grade bar asks; of a program that starts, once its reader has come."""
        if QAccessible.isActive():
            self._add(question)
        else:
            # The desktop tells of a reader a moment after the project was opened.
            self._unheard = question
            self._since_unheard.start()
            self._late_reader.start()

    def _ask_late_reader(self) -> None:
        banner = self._window.workspace.grade_bar.banner
        is_asked = not banner.isHidden() and banner.content.sentence == self._unheard
        if is_asked and QAccessible.isActive():
            self._add(self._unheard)
        if (
            not is_asked
            or QAccessible.isActive()
            or self._since_unheard.hasExpired(_LATE_READER_MS)
        ):
            self._late_reader.stop()

    def _add_urgent(self, text: str) -> None:
        """Say that something is not saved before all else, whatever is being said."""
        self._is_urgent = QAccessible.isActive()
        self._add(text)

    def _start(self) -> None:
        if not self._later.isActive():
            self._since_due.start()
        if self._is_calm():
            # What a key has done is heard before the row that it leads to, and each of them once.
            for each in self._view.lists:
                each.table.speech.hush()
        else:
            self._is_row_said = True
        self._later.start(0)

    def note_active(self) -> None:
        """Note that the window comes, or comes back, as after a dialog."""
        self._active_at = monotonic_ms()
        self._say_opening()

    def _say_opening(self) -> None:
        """Say, once somebody listens, at which query the project opens and how much is left.

        Readers find a program only after its window is made: the first query comes before that.
        """
        if self._is_opening and QAccessible.isActive() and self._query is not None:
            self._is_opening = False
            self._is_new_query = self._says_left = True
            self._start()

    def _is_calm(self) -> bool:
        """Whether no dialog is open, and a window has the keyboard, and has had it for a while.

        Or somebody has pressed a key in it since: that is answered at once.
        """
        if QApplication.activeWindow() is None or QApplication.activeModalWidget() is not None:
            return False
        is_used = self._window.key_watch.pressed_at > self._active_at
        return is_used or monotonic_ms() - self._active_at > _CALM_MS

    def _speak_in_calm(self) -> None:
        """Say it once the window is back and its own row was said, or at last all the same."""
        most = _MOST_MS if QApplication.activeModalWidget() is None else _MOST_OPEN_MS
        if self._is_calm() or self._since_due.hasExpired(most):
            self._speak()
        else:
            self._is_row_said = True
            for each in self._view.lists:
                each.table.speech.speak(is_said=False)
            self._later.start(_LOOK_MS)

    def say_view(self, mode: Mode) -> None:
        """Say which view is shown now, where it is another."""
        if mode is not self._mode:
            self._add(_("{view} view.").format(view=_(SEGMENTS[mode].text)))
        self._mode = mode

    def say_switch(self, action: QAction) -> None:
        """Say what a key has switched on or off, if nothing else tells it."""
        if QAccessible.isActive():
            name = action.text().replace("&&", "&")
            self._switched = f"{name}: {_('on') if action.isChecked() else _('off')}."
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
        self._say_opening()

    def _on_changed(self, changed: Changed) -> None:
        # Where nobody listens no value is looked up: every key would pay for it.
        if changed.kind in _SAID and QAccessible.isActive():
            # Settle says itself what it did. A grade that was taken back is not what is saved.
            said = said_done(changed.origin).format(title=title_in_words(self._title_of(changed)))
            is_told = changed.origin not in _AGAIN and changed.title.startswith(_SETTLES)
            saved = _("The undo is saved.") if changed.origin == "undo" else _("Saved.")
            self._add(saved if is_told else f"{said} {saved}")
            if changed.kind == "judge" and not self._view.blindness.is_on:
                self._add(self._window.live.describe_step(self._window.settings.spoken_values))

    def _title_of(self, changed: Changed) -> str:
        """Return what a step is called; a grade without its query, which was said when it came."""
        queries = {query for query, _document in changed.judgments}
        if changed.origin != "do" or len(changed.judgments) != 1 or queries != {self._query}:
            return changed.title
        name = self._view.session.material.name_query(*queries)
        return changed.title.removesuffix(f", {name}")

    def _speak(self) -> None:
        parts, self._parts = _said_once(self._parts), []
        if self._switched and not parts:
            parts.append(self._switched)
        self._switched = ""
        session, query = self._view.session, self._query
        run = self._view.judging.run_name
        # Of a project that has none any more there is nothing to say.
        if self._is_new_run and run and not self._view.blindness.is_on:
            parts.append(_("Run: {run}.").format(run=run))
        queries, results = (each.table for each in self._view.lists)
        if self._is_new_query and query is not None and not queries.hasFocus():
            found = session.material.queries[query]
            text = beginning(found.text or found.id, most=_MOST_TEXT)
            parts.append(_("Query: {query}.").format(query=text))
        if self._says_left:
            parts += filter(None, [self._view.status.counts])
        # A row that the keyboard goes to is read by itself; where no list is seen there is none.
        has_place = self._is_new_place and self._window.workspace.isVisible()
        # One that was said while the window came back is not said once more.
        wants_place = bool(parts) and not self._is_row_said
        self._is_row_said = False
        if has_place and (wants_place or not results.hasFocus()):
            text = self._view.describe_place()
            parts += [f"{text}."] if text else []
        queries.speech.speak(is_said=False)
        results.speech.speak(is_said=wants_place and has_place)
        self._is_new_run = self._is_new_query = self._is_new_place = False
        self._is_opening = self._says_left = False
        if parts:
            text = _ENDED_TWICE.sub(r"\1", " ".join(parts))
            announce(self._window.workspace, text, is_urgent=self._is_urgent)
            self._is_urgent = False
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
        )
    ]
