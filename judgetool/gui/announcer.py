"""What a screen reader is told after keys: the grade, whether it is saved, what comes next."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from judgetool.core.excerpts import one_line
from judgetool.gui.number_text import format_value
from judgetool.gui.project_view import ProjectView
from judgetool.gui.widgets.painted import announce
from judgetool.session.changes import Changed

_MOST_TEXT = 200


class Announcer(QObject):
    """Says once, after everything that a key has done, what somebody who sees would see of it.

    Args:
        view: the open project's panels.
        widget: speaks.
        find_measure: returns the name of the measure whose value is said.

    Signals:
        said: a text was announced.
    """

    said = Signal(str)

    def __init__(self, view: ProjectView, widget: QWidget, find_measure: Callable[[], str]) -> None:
        super().__init__(view)
        self._view = view
        self._widget = widget
        self._find_measure = find_measure
        self._parts: list[str] = []
        self._value: tuple[object, float | None] | None = None
        self._query: int | None = None
        self._is_new_query = False
        self._is_new_place = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._speak)
        judging = view.judging
        judging.saved.connect(self._on_saved)
        judging.not_saved.connect(lambda sentence, _retry: self._add(sentence))
        judging.refused.connect(self._add)
        view.status.message_shown.connect(self._add)
        judging.query_shown.connect(self._on_query)
        judging.place_shown.connect(self._on_place)

    def _add(self, text: str) -> None:
        if QAccessible.isActive():
            self._parts.append(text)
            self._later.start()

    def _on_query(self) -> None:
        query = self._view.judging.query
        self._is_new_query = QAccessible.isActive() and query != self._query
        self._query = query
        self._value = self._value_now()

    def _on_place(self) -> None:
        if QAccessible.isActive():
            self._is_new_place = True
            self._later.start()

    def _on_saved(self, changed: Changed) -> None:
        word = {"do": "", "undo": "Undone: ", "redo": "Done again: "}[changed.origin]
        self._add(f"{word}{changed.title}. Saved.")
        before, now = self._value, self._value_now()
        if before is not None and now is not None and before[0] == now[0] and before != now:
            self._add(
                f"{self._find_measure()} {format_value(before[1])} to {format_value(now[1])}."
            )
        self._value = now

    def _value_now(self) -> tuple[object, float | None] | None:
        """Return whose value it is and the value of the measure; ``None`` where it is hidden.

        Where nobody listens it is not looked up: every key would pay for it.
        """
        if not QAccessible.isActive():
            return None
        judging, session = self._view.judging, self._view.session
        query, run_id = judging.query, judging.run_id
        if self._view.blindness.is_on or query is None or run_id is None:
            return None
        chosen, values = self._find_measure(), session.board.engine.value(run_id, query)
        for measure, found in zip(session.measures, values, strict=True):
            if str(measure) == chosen:
                return (query, run_id, chosen), found.value
        return None

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
