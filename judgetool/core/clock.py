"""What time it is, behind a seam that tests can replace; and names that stand in order of time."""

import os
import re
import time
from collections.abc import Callable
from datetime import MAXYEAR, UTC, datetime, timedelta

from judgetool.errors import EnvironmentLackError
from judgetool.wording import _, pgettext

Clock = Callable[[], int]
IDLE_AFTER_MS = 60_000
"""The idle rule: of a pause without key, click or scrolling only the first 60 s are active."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DAY_FIRST = re.compile(r"\A([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})(?![0-9])")
_SHORT_HOUR = re.compile(r"(?<=-[0-9]{2}) (?=[0-9]:)")
_CYCLE_YEARS = 400
_CYCLE_MS = 146_097 * 86_400_000
"""The calendar repeats itself after 400 years."""


def utc_ns() -> int:
    """Return nanoseconds since 1970 in UTC.

    Raises:
        EnvironmentLackError: the clock stands where neither Python nor what is written has a time.
    """
    try:
        now = time.time_ns()
    except OverflowError:
        now = -1
    if now < 0:
        raise EnvironmentLackError(
            _(
                "The clock of this computer is set to a time before 1970 or after 2261, which "
                "judgetool cannot write down. Set it right, then try again."
            )
        )
    return now


def utc_ms() -> int:
    """Return milliseconds since 1970 in UTC; errors as of :func:`utc_ns`."""
    return utc_ns() // 1_000_000


def new_uuid() -> bytes:
    """Return a new uuid of version 7: by their bytes, uuids stand in the order they were made."""
    ns = utc_ns()
    ms, rest = divmod(ns, 1_000_000)
    # 12 bits are the fraction of the millisecond, in steps of 244 ns.
    head = ms << 16 | 0x7000 | (rest << 12) // 1_000_000
    tail = int.from_bytes(os.urandom(8)) & (1 << 62) - 1 | 1 << 63
    return head.to_bytes(8) + tail.to_bytes(8)


def day_format() -> str:
    """Return how a day is written in figures for people, as ``strftime`` takes it."""
    return pgettext("a day, as strftime writes it", "%Y-%m-%d")


def local_moment(at_ms: int) -> datetime | None:
    """Return a moment where the person lives; ``None`` for one outside the years 1 to 9999."""
    try:
        return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone()
    except (OverflowError, OSError, ValueError):
        return None


def moment_text(at_ms: int) -> str:
    """Return when a moment is, for people: day and minute in local time, such as ``2026-11-20 15:02``."""
    moment = local_moment(at_ms)
    return moment.strftime(f"{day_format()} %H:%M") if moment else iso_utc(at_ms)


def iso_utc(moment_ms: int) -> str:
    """Return a moment as ISO 8601 in UTC, to the millisecond.

    A clock that was wrong may have written any number: years outside 0 to 9999 have a sign.

    Examples:
        >>> iso_utc(0), iso_utc(10**15)
        ('1970-01-01T00:00:00.000Z', '+33658-09-27T01:46:40.000Z')
    """
    cycles, rest = divmod(moment_ms, _CYCLE_MS)
    moment = _EPOCH + timedelta(milliseconds=rest)
    year = moment.year + _CYCLE_YEARS * cycles
    text = f"{year:04d}" if 0 <= year <= MAXYEAR else f"{year:+05d}"
    return f"{text}{moment:-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def read_date(text: str) -> int | None:
    """Return milliseconds since 1970 of a time in ISO 8601, or with the day first before points; without a zone it is UTC.

    Examples:
        >>> read_date("3.1.1970"), read_date("1969-12-31")
        (172800000, -86400000)
    """
    text = _DAY_FIRST.sub(lambda day: f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}", text.strip())
    text = _SHORT_HOUR.sub(r"\g<0>0", text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MILLISECOND
