"""How fast judging goes: judgments an hour, the rest, the goal of the day, when a break is due."""

from collections import deque

from judgetool.core.clock import local_moment
from judgetool.core.judgments import State
from judgetool.core.number_text import format_hours
from judgetool.gui.keymap import IDLE_MS
from judgetool.gui.painting import format_count
from judgetool.session.commands import Changed
from judgetool.session.finding import list_own_judgments
from judgetool.session.session import Session
from judgetool.wording import _

_SETTLING = (State.JUDGED, State.CANNOT_JUDGE)
# A silence this long was a break already.
BREAK_MS = 5 * 60_000
LEAST = 5
# The pace is that of the last judgments: of a tired afternoon not that of its morning.
MOST = 200
# Who takes so much longer than usually was doing something else: that is a pause.
PAUSE_TIMES, PAUSE_LEAST_MS = 5, 10_000


def pace_meaning() -> str:
    """Return what the pace beside the progress is."""
    return _(
        "The pace of the latest judgments of this session, at most {most}, without pauses. "
        "Statistics counts all active time."
    ).format(most=MOST)


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
        """Judgments an hour of work without pauses; ``None`` before there are five.

        Other than ``per_hour`` of :mod:`judgetool.session.effort`, which divides by all
        active time.
        """
        if len(self._spent) < LEAST:
            return None
        from statistics import median  # noqa: PLC0415 - not needed to start

        longest = max(PAUSE_LEAST_MS, PAUSE_TIMES * median(self._spent))
        worked = [spent for spent in self._spent if spent <= longest]
        total = sum(worked)
        return round(len(worked) * 3_600_000 / total) if total > 0 else None

    def texts(self, n_left: int) -> tuple[str, str]:
        """Return ``214 an hour`` and ``29 left, about 8 min``, as far as they are known."""
        rate = self.per_hour
        left = _("{n_left} left").format(n_left=format_count(n_left)) if n_left else ""
        if rate is None or not rate:
            return "", left
        about = format_hours(n_left * 3_600_000 / rate)
        return _("{rate} an hour").format(rate=format_count(rate)), _(
            "{left}, about {about}"
        ).format(left=left, about=about) if n_left else ""


def start_of_day(at_ms: int) -> int:
    """Return the midnight before a moment where the person lives; milliseconds UTC.

    Args:
        at_ms: of this computer's clock, which has years that a calendar has.
    """
    local = local_moment(at_ms)
    assert local is not None
    return int(local.replace(hour=0, minute=0, second=0, microsecond=0).timestamp() * 1000)


class JudgedToday:
    """Counts the documents that the session's assessor has judged since midnight.

    Args:
        session: the open project.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._day = start_of_day(session.clock())
        rows = list_own_judgments(session, since=self._day)
        self._pairs = {(row.query, row.document) for row in rows if row.judgment.state in _SETTLING}

    def take_change(self, changed: Changed) -> None:
        """Count what was judged or taken back; a new day begins at nothing."""
        day = start_of_day(self._session.clock())
        if day != self._day:
            self._day = day
            self._pairs.clear()
        for query, document in changed.judgments:
            if self._session.own_judgment(query, document).state in _SETTLING:
                self._pairs.add((query, document))
            else:
                self._pairs.discard((query, document))

    @property
    def count(self) -> int:
        """How many documents."""
        return len(self._pairs)

    def text(self, goal: int) -> str:
        """Return ``Goal today: 68 of 120``; ``""`` where there is no goal."""
        if not goal:
            return ""
        said = _("Goal today: {count} of {goal}")
        if self.count >= goal:
            said = _("Goal today: {count} of {goal}, reached")
        return said.format(count=format_count(self.count), goal=format_count(goal))


class BreakWatch:
    """Says when somebody has judged so long that a break is due.

    Attributes:
        after_min: minutes of judging; 0 is never.
    """

    def __init__(self, after_min: int) -> None:
        self.after_min = after_min
        self._since: int | None = None
        self._last: int | None = None

    def is_due(self, at_ms: int) -> bool:
        """Note a judgment; return whether a break should be proposed now."""
        if self._last is None or self._since is None or at_ms - self._last >= BREAK_MS:
            self._since = at_ms
        self._last = at_ms
        return bool(self.after_min) and at_ms - self._since >= self.after_min * 60_000

    def put_off(self, at_ms: int, *, minutes: int) -> None:
        """Propose it again after so many minutes at the earliest."""
        self._since = at_ms - (self.after_min - minutes) * 60_000
