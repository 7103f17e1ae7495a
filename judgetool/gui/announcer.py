"""What a screen reader is told after keys: the grade, whether it is saved, what comes next."""

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from judgetool.core.excerpts import one_line
from judgetool.gui.live_panel import LivePanel
from judgetool.gui.project_view import ProjectView
from judgetool.gui.widgets.painted import announce
from judgetool.session.commands import Changed

_MOST_TEXT = 200
# What is set up elsewhere is said by its own dialog, what others do by the status line.
_SAID = ("judge", "import")


class Announcer(QObject):
    """Says once, after everything that a key has done, what somebody who sees would see of it.

    Args:
        view: the open project's panels.
        widget: speaks.
        live: knows what a step has made of the value that is explained.

    Signals:
        said: a text was announced.
    """

    said = Signal(str)

    def __init__(self, view: ProjectView, widget: QWidget, live: LivePanel) -> None:
        super().__init__(view)
        self._view = view
        self._widget = widget
        self._live = live
        self._parts: list[str] = []
        self._query: int | None = None
        self._is_new_query = False
        self._is_new_place = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._speak)
        judging = view.judging
        view.session.changed.connect(self._on_changed)
        judging.not_saved.connect(lambda sentence, _retry: self._add(sentence))
        judging.refused.connect(self._add)
        view.status.message_shown.connect(self._add)
        judging.query_shown.connect(self._on_query)
        judging.place_shown.connect(self._on_place)

    def _add(self, text: str) -> None:
        if text and QAccessible.isActive():
            self._parts.append(text)
            self._later.start()

    def _on_query(self) -> None:
        query = self._view.judging.query
        self._is_new_query = QAccessible.isActive() and query != self._query
        self._query = query

    def _on_place(self) -> None:
        if QAccessible.isActive():
            self._is_new_place = True
            self._later.start()

    def _on_changed(self, changed: Changed) -> None:
        # Where nobody listens no value is looked up: every key would pay for it.
        if changed.kind in _SAID and QAccessible.isActive():
            word = {"do": "", "undo": "Undone: ", "redo": "Done again: "}[changed.origin]
            self._add(f"{word}{changed.title}. Saved.")
            if changed.kind == "judge" and not self._view.blindness.is_on:
                self._add(self._live.describe_step())

    def _speak(self) -> None:
        parts, self._parts = _said_once(self._parts), []
        session, query = self._view.session, self._query
        if self._is_new_query and query is not None:
            found = session.material.queries[query]
            parts.append(f"Query: {one_line(found.text or found.id, most=_MOST_TEXT)}.")
        if self._is_new_place:
            text = self._view.describe_place()
            parts += [f"{text}."] if text else []
        self._is_new_query = self._is_new_place = False
        if parts:
            text = " ".join(parts)
            announce(self._widget, text)
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
            if place != at
        )
    ]
