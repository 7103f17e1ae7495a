"""The guard against keys that judge twice, and the time that counts as work."""

from hypothesis import given
from hypothesis import strategies as st

from judgetool.gui.keymap import IDLE_MS, Activity, Press, RepeatGuard


def test_a_bouncing_key_judges_once():
    """The same key again within the guard is not taken."""
    guard = RepeatGuard(35)
    assert [guard.takes(Press(at, 11)) for at in (1000, 1012, 1030)] == [True, False, False]


@given(st.lists(st.tuples(st.integers(50, 400), st.sampled_from([10, 11, 12])), max_size=60))
def test_twenty_keys_a_second_are_all_taken(steps):
    """With the usual guard no key is lost that comes 50 ms or more after the one before."""
    guard, at = RepeatGuard(35), 0
    for gap, code in steps:
        at += gap
        assert guard.takes(Press(at, code))


def test_other_keys_pass_a_short_guard_and_not_a_long_one():
    """Up to 50 ms the guard is about one key; a longer one is about all grading keys."""
    short, long = RepeatGuard(50), RepeatGuard(200)
    assert short.takes(Press(0, 10))
    assert short.takes(Press(20, 11))
    assert long.takes(Press(0, 10))
    assert not long.takes(Press(120, 11))


@given(st.lists(st.integers(0, 200), max_size=30))
def test_without_a_guard_everything_is_taken(gaps):
    """0 switches the guard off."""
    guard, at = RepeatGuard(0), 0
    for gap in gaps:
        at += gap
        assert guard.takes(Press(at, 10))


class Hands:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


@given(st.lists(st.integers(0, 3 * IDLE_MS), max_size=20))
def test_active_time_leaves_long_silences_out(gaps):
    """Active time is the sum of the gaps that are not longer than a minute."""
    clock = Hands()
    activity = Activity(clock)
    activity.start()
    for gap in gaps:
        clock.now += gap
        activity.note()
    assert activity.active_ms() == sum(gap for gap in gaps if gap <= IDLE_MS)


def test_another_document_begins_at_nothing():
    """Active time counts from when the document was shown."""
    clock = Hands()
    activity = Activity(clock)
    clock.now = 5000
    activity.note()
    activity.start()
    clock.now = 5700
    assert activity.active_ms() == 700
