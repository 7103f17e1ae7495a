"""What time it is, behind a seam that tests can replace."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from judgetool.wording import pgettext

Clock = Callable[[], int]
IDLE_AFTER_MS = 60_000
"""The idle rule: of a pause without key, click or scrolling only the first 60 s are active."""


def utc_ms() -> int:
    """Return milliseconds since 1970 in UTC."""
    return time.time_ns() // 1_000_000


def day_format() -> str:
    """Return how a day is written in figures for people, as ``strftime`` takes it."""
    return pgettext("a day, as strftime writes it", "%Y-%m-%d")


def moment_text(at_ms: int) -> str:
    """Return when a moment is, for people: day and minute in local time, such as ``2026-11-20 15:02``."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime(f"{day_format()} %H:%M")


def iso_utc(moment_ms: int) -> str:
    """Return a moment as ISO 8601 in UTC, to the millisecond.

    Examples:
        >>> iso_utc(0)
        '1970-01-01T00:00:00.000Z'
    """
    moment = datetime.fromtimestamp(moment_ms / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
