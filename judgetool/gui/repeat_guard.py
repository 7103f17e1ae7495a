"""The guard against a key that judges twice: bouncing keys, and two keys hit at once."""

from typing import NamedTuple

# Contacts bounce for up to some 30 ms; the fastest honest typing, 20 keys a second, leaves
# 50 ms between two keys. Up to here only the same key is held to have bounced.
ONE_KEY_MS = 50


class Press(NamedTuple):
    """One key going down.

    Attributes:
        at: when, in milliseconds of the keyboard's own clock, so that a busy program
            does not make honest keys look hasty.
        code: of the physical key.
    """

    at: int
    code: int


class RepeatGuard:
    """Says whether a grading key is meant for the document that is shown now.

    Attributes:
        guard_ms: a grading key so soon after the one before is not taken; up to 50 ms
            this is about the same key only, beyond it about every grading key; 0 takes
            everything.
    """

    def __init__(self, guard_ms: int) -> None:
        self.guard_ms = guard_ms
        self._last: Press | None = None

    def takes(self, press: Press) -> bool:
        """Whether a grading key counts; a key that bounced goes on bouncing from here."""
        last, self._last = self._last, press
        if last is None or press.at < last.at:
            return True
        is_guarded = press.code == last.code or self.guard_ms > ONE_KEY_MS
        return not (is_guarded and press.at - last.at < self.guard_ms)

    def forget(self) -> None:
        """Another project: nothing came before."""
        self._last = None
