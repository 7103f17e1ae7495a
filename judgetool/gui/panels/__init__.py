"""The panels of the window, and what each of them is told of the open project."""

from typing import NamedTuple

from judgetool.gui.jobs import Call, Schedule
from judgetool.session.commands import Changed
from judgetool.session.reading_aids import Blindness
from judgetool.session.session import Session


class Here(NamedTuple):
    """Where the assessor is; ``None`` for what there is none of.

    Attributes:
        run_id: of the run that is shown.
        query: its number.
        document: its number.
        position: of the query in the list of queries, from 1; 0 where the list lacks it.
        n_queries: how many are listed.
        lists_more: whether documents are listed beyond the pool.
    """

    run_id: int | None = None
    query: int | None = None
    document: int | None = None
    position: int = 0
    n_queries: int = 0
    lists_more: bool = False


class ProjectPanel:
    """A panel that follows the open project: the window tells all that are in its list.

    What a panel does not care for, it leaves as it is here.

    Attributes:
        reveals: whether it could sway who judges blind; beside a view it is not shown then.
        schedule: of the window; without one nothing of a panel waits for a frame.
    """

    reveals = True
    schedule: Schedule | None = None

    def after_frame(self, call: Call) -> None:
        """Do what a key is not answered by, once the next frame has been painted."""
        if self.schedule is None:
            call()
        else:
            self.schedule.after_frame(call)

    def set_session(self, session: Session | None) -> None:
        """Show another project, or the same read anew; with ``None`` nothing of any is left."""

    def set_blind(self, blindness: Blindness) -> None:
        """Hide what could sway the assessor, or show it; told after each ``set_session``."""

    def follow(self, here: Here) -> None:
        """Show where the assessor is now: at another query, run or document, or the same."""

    def take_change(self, changed: Changed) -> None:
        """Show anew what a step has changed that is durable."""
