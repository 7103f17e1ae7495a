"""How long somebody really worked at a document: time without long silences."""

from collections.abc import Callable
from time import monotonic

from judgetool.session.effort.records import IDLE_AFTER_MS

# A silence longer than this, without key, click or movement, was not spent on the document.
IDLE_MS = IDLE_AFTER_MS


def monotonic_ms() -> int:
    """Return milliseconds of a clock that never goes back."""
    return int(monotonic() * 1000)


class Activity:
    """Adds up the time between signs of life, leaving out gaps beyond a minute.

    Args:
        clock: milliseconds, never going back.
    """

    def __init__(self, clock: Callable[[], int] = monotonic_ms) -> None:
        self._clock = clock
        self._last = clock()
        self._active_ms = 0

    def start(self) -> None:
        """Begin at zero: another document is shown."""
        self._active_ms = 0
        self._last = self._clock()

    def note(self) -> None:
        """There was a key, a click or a movement."""
        now = self._clock()
        gap = now - self._last
        self._last = now
        if gap <= IDLE_MS:
            self._active_ms += gap

    def active_ms(self) -> int:
        """Return the time since :meth:`start` that counts, up to now."""
        gap = self._clock() - self._last
        return self._active_ms + (gap if gap <= IDLE_MS else 0)
