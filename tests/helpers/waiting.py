"""Waiting for a fact while the window goes on."""

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from pytestqt.exceptions import TimeoutError as TooLate

_PAUSE_MS = 2


def wait_for(is_so: Callable[[], bool | None], most_ms: int) -> None:
    """Let events be handled until a fact holds.

    Args:
        is_so: returns ``False`` or fails an assertion as long as it does not hold.
        most_ms: when to give up.

    Raises:
        TooLate: it has not come to hold; says the assertion that failed last.
    """
    ends, loop = QDeadlineTimer(most_ms), QEventLoop()
    while not ends.hasExpired():
        with suppress(AssertionError):
            if is_so() in (None, True):
                return
        # A loop of its own, not the events that are there: what is deleted later goes with it.
        QTimer.singleShot(_PAUSE_MS, loop.quit)
        loop.exec()
    try:
        assert is_so() in (None, True)
    except AssertionError as last:
        raise TooLate(f"waited for {most_ms} ms in vain: {last}") from last
