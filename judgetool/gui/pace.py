"""How fast judging goes: judgments an hour, and how long the rest will take."""

from collections import deque
from statistics import median

from judgetool.gui.activity import IDLE_MS
from judgetool.gui.number_text import format_count

LEAST = 5
# The pace is that of the last judgments: of a tired afternoon not that of its morning.
MOST = 200
# Who takes so much longer than usually was doing something else: that is a pause.
PAUSE_TIMES, PAUSE_LEAST_MS = 5, 10_000


class Pace:
    """Counts judgments of this session; pauses do not count as work."""

    def __init__(self) -> None:
        self._spent: deque[int] = deque(maxlen=MOST)
        self._last_ms: int | None = None

    def note(self, at_ms: int, *, active_ms: int | None = None) -> None:
        """A judgment was given.

        Args:
            at_ms: when.
            active_ms: time somebody worked at the document; ``None`` where nobody
                watches: then a long gap since the one before counts for nothing.
        """
        gap = at_ms - self._last_ms if self._last_ms is not None else None
        self._last_ms = at_ms
        if active_ms is None:
            if gap is not None and gap <= IDLE_MS:
                self._spent.append(gap)
            return
        # Said twice of one document, its time counts once.
        self._spent.append(active_ms if gap is None else min(active_ms, gap))

    @property
    def per_hour(self) -> int | None:
        """Judgments an hour of work; ``None`` before there are five."""
        if len(self._spent) < LEAST:
            return None
        longest = max(PAUSE_LEAST_MS, PAUSE_TIMES * median(self._spent))
        worked = [spent for spent in self._spent if spent <= longest]
        total = sum(worked)
        return round(len(worked) * 3_600_000 / total) if total > 0 else None

    def texts(self, n_left: int) -> tuple[str, str]:
        """Return ``214 an hour`` and ``29 left, about 8 min``, as far as they are known."""
        rate = self.per_hour
        left = f"{format_count(n_left)} left" if n_left else ""
        if rate is None or not rate:
            return "", left
        minutes = max(1, round(n_left * 60 / rate))
        about = f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"
        return f"{format_count(rate)} an hour", f"{left}, about {about}" if n_left else ""
