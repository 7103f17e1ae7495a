"""How a judgment came about: what is written into the log beside it."""

from collections.abc import Callable
from typing import Any

from judgetool.core.judgments import State
from judgetool.gui.blindness import Blindness, blind_order
from judgetool.gui.key_watch import KeyWatch
from judgetool.gui.modes import Mode
from judgetool.gui.repeat_guard import Press
from judgetool.session.changes import Changed
from judgetool.session.queues.order import queue_facts
from judgetool.session.session import Session


class Circumstances:
    """Gathers what was on the screen and how long somebody looked at it.

    Args:
        session: the open project.

    Attributes:
        watch: knows keys and activity; ``None`` where nobody watches.
        mode: which view is shown.
        shows_live: whether live values are in view.
        is_excerpt: whether passages of the text were shown rather than all of it.
        blindness: how blind the assessor judges.
        press: the key that is being handled; ``None`` for a click.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.watch: KeyWatch | None = None
        self.mode: Callable[[], Mode] = lambda: Mode.LIST
        self.shows_live: Callable[[], bool] = lambda: True
        self.is_excerpt: Callable[[], bool] = lambda: False
        self.blindness = Blindness()
        self.press: Press | None = None
        self._previous: tuple[int, float | None] | None = None

    def note_shown(self) -> None:
        """Another document is shown."""
        if self.watch is not None:
            self.watch.note_shown()

    def note_judged(self, changed: Changed) -> None:
        """Remember the grade just given, which may colour the next one."""
        if changed.origin != "do" or changed.kind != "judge" or len(changed.judgments) != 1:
            return
        query, document = changed.judgments[0]
        said = self._session.opinions(query).get(document, [])
        own = next((o.judgment for o in said if o.assessor == self._session.assessor), None)
        if own is not None and own.state is State.JUDGED:
            self._previous = (query, own.grade)

    @property
    def active_ms(self) -> int | None:
        """Time at the document without long silences; ``None`` where nobody watches."""
        return self.watch.activity.active_ms() if self.watch is not None else None

    def facts(
        self, query: int, *, place: int, run_id: int | None, rank: int | None = None
    ) -> dict[str, Any]:
        """Return what the log keeps of the moment of a judgment.

        Args:
            query: its number.
            place: of the document in the list, from 1.
            run_id: the run shown; not told where blind mode hid it.
            rank: of the document in that run, from 1; ``None`` where the run lacks it.
        """
        session, is_blind = self._session, self.blindness.is_on
        facts: dict[str, Any] = {
            "view": session.board.view,
            "mode": str(self.mode()),
            "live": self.shows_live() and not is_blind,
            "blind": is_blind,
            "excerpt": self.is_excerpt(),
            **queue_facts(session),
            # As the assessor sees it: to order the queue anew at every key could take long.
            "position": place,
        }
        if is_blind:
            order = blind_order(session)
            facts |= {"order": order.kind, "seed": order.seed}
            facts["alias_ids"] = self.blindness.has_alias_ids
        else:
            runs = session.material.runs
            facts["run"] = next((run.name for run in runs if run.run_id == run_id), None)
            facts["rank"] = rank
        if self._previous is not None and self._previous[0] == query:
            facts["previous_grade"] = self._previous[1]
        if self.watch is not None:
            facts["active_ms"] = self.active_ms
            if self.watch.is_typed_ahead(self.press):
                facts["typed_ahead"] = True
        return facts
