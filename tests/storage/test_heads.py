"""What counts of the lines of one judgment that copies said apart."""

import itertools

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from judgetool.storage.judgments import LoggedLine, find_head, resolve
from tests.helpers.laws import examples


class Copy:
    """One copy's lines of one judgment: each names all heads, an undo the one that counts."""

    def __init__(self):
        self.lines, self.undoable, self.undone = {}, [], []

    def says(self):
        return [said.text for said in resolve([*self.lines.values()])]

    def say(self, at, text):
        named = {parent for line in self.lines.values() for parent in line.parents}
        self.undoable.append((self.says(), text))
        self.undone.clear()
        self._write(at, tuple(sorted(self.lines.keys() - named)), "key", text)

    def undo(self, at):
        """Take back what was said last since the last merge: what stood before stands again."""
        if self.undoable:
            before, said = self.undoable.pop()
            self.undone.append((before, said))
            self._turn(at, "undo", before[0] if before else None)
            assert self.says() == (before or [None])

    def redo(self, at):
        """Say again what was taken back."""
        if self.undone:
            before, said = self.undone.pop()
            self.undoable.append((before, said))
            self._turn(at, "redo", said)

    def _turn(self, at, origin, text):
        head = find_head([*self.lines.values()])
        self._write(at, (head.uuid,), origin, text)

    def _write(self, at, parents, origin, text):
        uuid = b"%016d" % at
        self.lines[uuid] = LoggedLine(uuid, parents, at, origin, text, at, at)

    def merge(self, other):
        self.lines |= other.lines
        self.undoable.clear()
        self.undone.clear()


def play(history, *, tries=True):
    """Have things said in three copies; ``try`` says something and takes it back at once."""
    copies = [Copy(), Copy(), Copy()]
    for tick, (place, act) in enumerate(history):
        copy, at = copies[place], 1_000 + 10 * tick
        if act in ("undo", "redo"):
            getattr(copy, act)(at)
        elif act == "try":
            if tries:
                copy.say(at, "tried")
                copy.undo(at + 1)
            # After something new nothing can be said again.
            copy.undone.clear()
        elif isinstance(act, int):
            copy.merge(copies[act])
        else:
            copy.say(at, None if act == "-" else act)
    return copies


def merged(copies, order):
    found = Copy()
    for place in order:
        found.merge(copies[place])
    return found.says()


ACTS = st.one_of(st.sampled_from(("1", "2", "3", "-", "undo", "redo", "try")), st.integers(0, 2))
HISTORIES = st.lists(st.tuples(st.integers(0, 2), ACTS), max_size=14)


@settings(max_examples=examples(1_000), deadline=None)
@given(HISTORIES)
def test_what_is_said_and_taken_back_at_once_is_as_if_it_had_never_been(history):
    """In whatever copy, before or after any merge; and any order of merging gives the same."""
    copies, without = play(history), play(history, tries=False)
    for order in itertools.permutations(range(3)):
        said = merged(copies, order)
        assert (said or [None]) == (merged(without, order) or [None])
        assert said == merged(copies, (0, 1, 2))


@pytest.mark.parametrize(
    ("history", "said"),
    [
        # Given and undone here, graded there; also where both had another grade, or time goes on.
        ([(0, "1"), (0, "undo"), (1, "2")], ["2"]),
        ([(1, "2"), (0, "1"), (0, "undo")], ["2"]),
        ([(0, "1"), (1, 0), (1, "2"), (0, "3"), (0, "undo")], ["2"]),
        ([(0, "1"), (0, "undo"), (0, "3"), (0, "undo"), (1, "2")], ["2"]),
        ([(0, "try"), (1, "try"), (2, "2")], ["2"]),
        ([(0, "try"), (1, "try")], [None]),
        # What both had: undone here, also where it was done again before, and changed there.
        ([(0, "1"), (1, 0), (0, "undo"), (1, "2")], ["2", None]),
        ([(0, "1"), (1, 0), (1, "2"), (0, "undo")], [None, "2"]),
        ([(0, "3"), (0, "1"), (1, 0), (0, "undo"), (1, "2")], ["2", "3"]),
        ([(0, "1"), (1, 0), (0, "undo"), (0, "redo"), (1, "2"), (0, "undo")], ["2", None]),
        # Taken back without Undo.
        ([(0, "1"), (0, "-"), (1, "2")], ["2", None]),
    ],
)
def test_what_counts_and_what_differs(history, said):
    """Of two or three copies, in any order."""
    assert merged(play(history), (0, 1, 2)) == said
