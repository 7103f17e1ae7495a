"""What work for another thread is told and asks: how far it is, and whether it is still wanted.

Who needs such work calls a ``…_work`` function on the session's thread, which copies what is
needed, and on any thread what that returns: ``work(progress, is_cancelled)``.
"""

from collections.abc import Callable

from judgetool.errors import JudgetoolError

Progress = Callable[[int, int], None]
"""Told how much of how much is done."""
IsCancelled = Callable[[], bool]
"""Says whether the work is not wanted any more."""
Check = Callable[[], None]
"""Asked now and then; may raise to stop the work."""


def unchecked() -> None:
    """Let the work go on."""


class WorkCancelledError(JudgetoolError):
    """The work was cancelled; what was there before stays."""


def checker(progress: Progress | None, is_cancelled: IsCancelled | None, said: str) -> Progress:
    """Return what reports progress, and ends the work with a sentence when it is cancelled."""

    def check(n_done: int, total: int) -> None:
        if is_cancelled is not None and is_cancelled():
            raise WorkCancelledError(said)
        if progress is not None:
            progress(n_done, total)

    return check
