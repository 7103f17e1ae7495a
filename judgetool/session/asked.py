"""What is asked of the session's assessor, kept up to date with every judgment, and what is still open.

What is asked again is to be judged as if for the first time: from when it comes, what the assessor said
first stands on no screen of theirs. It stays as it was said, and counts where several are folded.
"""

from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np

from judgetool.core.judgments import State
from judgetool.session.board import pair_keys
from judgetool.session.material import Material
from judgetool.session.pool import LongArray, NumberPair, PoolChoice, PoolPolicy, Progress
from judgetool.storage.asks import load_asks
from judgetool.storage.connection import Connection
from judgetool.storage.history import MOVE, RESCALE
from judgetool.storage.judgments import LogEntry, load_states_said
from judgetool.storage.values import load_assessors

AGAIN_AFTER = 100
"""So many documents are judged before one is asked again, unless fewer are left: then it comes last."""

PRACTICE_KEY = "practice"
"""The project's value that says whether known answers are shown after one's own."""


_SETTLING = (State.JUDGED, State.CANNOT_JUDGE)


def key_array(pairs: Iterable[NumberPair]) -> LongArray:
    """Return pairs as ``pair_keys`` does, rising, shape (n,)."""
    return pair_keys(*np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T)


class OwnAsks:
    """What one assessor is asked; empty where nothing is.

    Args:
        assessor: their number in the file; ``None`` of nobody, who is asked nothing.
        place_of: the session's number of a query by the file's; what is not visible is not asked.

    Attributes:
        persons: whose second judgments are kept under a number.
        pairs: what is asked, by query and number of the document.
        keys: the same, see :func:`key_array`.
        voices: pairs that come again, or did, with the number under which that judgment is kept: it
            stands for the assessor's own there. One and the same object for as long as this lives.
        is_over: whether all was judged when the project was read: nothing is hidden any more.
    """

    def __init__(
        self, assessor: int | None = None, place_of: Mapping[int, int] | None = None
    ) -> None:
        self._assessor = assessor
        self._place_of = place_of or {}
        self._again: int | None = None
        self.persons: dict[int, int] = {}
        self.pairs: tuple[NumberPair, ...] = ()
        self.keys = key_array(())
        self.voices: dict[NumberPair, int] = {}
        self.is_over = False
        self._asked: frozenset[NumberPair] = frozenset()
        self._asked_again: frozenset[NumberPair] = frozenset()
        self._forget()

    def _forget(self) -> None:
        # What was judged, asked or not, and whether once more; what was judged last at the end.
        self._judged: dict[tuple[NumberPair, bool], None] = {}
        self._n_judged = 0
        # Asked and neither judged nor put off.
        self._left = set(self._asked)
        # What will come again, what was judged first at the front.
        self._waiting: dict[NumberPair, None] = {}
        self.voices.clear()

    def read(self, reader: Connection) -> None:
        """Find out what is asked, and what of it is judged.

        Args:
            reader: a connection of the calling thread.
        """
        people = ((each.assessor_id, each.person_id) for each in load_assessors(reader))
        self.persons = {number: person for number, person in people if person is not None}
        if self._assessor is None:
            return
        own = (number for number, person in self.persons.items() if person == self._assessor)
        self._again = next(own, None)
        self._asked = self._load(reader, self._assessor)
        self._asked_again = self._load(reader, self._again)
        self.pairs = tuple(sorted(self._asked | self._asked_again))
        self.keys = key_array(self.pairs)
        self._forget()
        if self.pairs:
            numbers = self._assessor, self._again or self._assessor
            for query, document, assessor, state in load_states_said(reader, numbers):
                if query in self._place_of:
                    self._note((self._place_of[query], document), assessor, State(state))
            self._release()

    def _load(self, reader: Connection, assessor: int | None) -> frozenset[NumberPair]:
        asks = () if assessor is None else load_asks(reader, assessor)
        place_of = self._place_of
        return frozenset(
            (place_of[ask.query_id], ask.document_id) for ask in asks if ask.query_id in place_of
        )

    def end_when_done(self) -> None:
        """Show all that others said, and what was said first, where nothing is left to judge."""
        self.is_over = self.progress.is_done
        if self.is_over:
            self.voices.clear()

    def list_firsts(self) -> list[tuple[NumberPair, bool]]:
        """Return what is asked, and whether it is judged; nothing of what comes again."""
        return [(pair, (pair, False) in self._judged) for pair in sorted(self._asked)]

    @property
    def progress(self) -> Progress:
        """How much is judged of what is asked; what is asked again counts once more."""
        return Progress(self._n_judged, len(self._asked) + len(self._asked_again))

    def __contains__(self, pair: NumberPair) -> bool:
        """Whether a pair is asked."""
        return pair in self._asked or pair in self._asked_again

    def find_speaker(self, pair: NumberPair, number: int) -> int | None:
        """Return whose words a judgment is for the assessor; ``None`` for one they are not shown.

        Of what they are asked they see their own words alone, and of what comes again only what they
        say of it then. Nobody sees others' second judgments, and once it is over nobody any.

        Args:
            pair: what is judged.
            number: of the assessor under whom it is kept.
        """
        if number in self.persons:
            return self._assessor if self.voices.get(pair) == number else None
        if self.is_over:
            return number
        is_own = number == self._assessor
        return None if pair in (self.voices if is_own else self) else number

    def choose_pool(self, material: Material) -> PoolChoice:
        """Return the pool of what is asked."""
        ids = material.document_ids([document for _, document in self.pairs])
        pairs: dict[str, list[str]] = {}
        for query, document in self.pairs:
            pairs.setdefault(material.queries[query].id, []).append(ids[document])
        return PoolChoice(PoolPolicy("asked", pairs=pairs))

    def take(self, entries: Iterable[LogEntry], reader: Connection) -> list[NumberPair]:
        """Take in changed judgments; return the pairs for which another voice is the assessor's now.

        Args:
            entries: what was written, undone or redone.
            reader: sees it.
        """
        before = set(self.voices)
        said = [entry for entry in entries if entry.change.key.query in self._place_of]
        if self._asked_again and (len(said) > 1 or not all(map(_is_plain, said))):
            # What comes again follows the order in which things stand as said.
            self.read(reader)
        else:
            for entry in said:
                key, after = entry.change.key, entry.change.after
                state = after.state if after is not None else State.UNJUDGED
                self._note((self._place_of[key.query], key.document), key.assessor, state)
            self._release()
        return sorted(before ^ self.voices.keys())

    def _note(self, pair: NumberPair, assessor: int, state: State) -> None:
        is_judged = state in _SETTLING
        if assessor == self._again and pair in self._asked_again:
            self._count(pair, is_judged=is_judged, is_again=True)
            if state is not State.UNJUDGED:
                self._speak_again(pair)
        elif assessor == self._assessor:
            self._count(pair, is_judged=is_judged, is_again=False)
            self._waiting.pop(pair, None)
            if is_judged and pair in self._asked_again and pair not in self.voices:
                self._waiting[pair] = None
            if is_judged or state is State.SKIPPED:
                self._left.discard(pair)
            elif pair in self._asked:
                self._left.add(pair)

    def _count(self, pair: NumberPair, *, is_judged: bool, is_again: bool) -> None:
        was_judged = (pair, is_again) in self._judged
        self._judged.pop((pair, is_again), None)
        if is_judged:
            self._judged[pair, is_again] = None
        if is_again or pair in self._asked:
            self._n_judged += is_judged - was_judged

    def _release(self) -> None:
        """Let come again what has waited long enough, and all of it once nothing else is left."""
        if not self._waiting:
            return
        latest = set(islice(reversed(self._judged), AGAIN_AFTER)) if self._left else set()
        for pair in list(self._waiting):
            if (pair, False) in latest:
                break
            self._speak_again(pair)

    def _speak_again(self, pair: NumberPair) -> None:
        self._waiting.pop(pair, None)
        if self._again is not None and not self.is_over:
            self.voices[pair] = self._again


def _is_plain(entry: LogEntry) -> bool:
    """Whether a change says something anew, and takes nothing back."""
    after = entry.change.after
    is_said = after is not None and after.state in _SETTLING
    return is_said and entry.origin not in ("undo", "redo", RESCALE, MOVE)
