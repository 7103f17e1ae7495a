"""What was asked to be decided, and the draws of each attempt, as the project keeps them.

A draw's key names what it was drawn after. Two copies of a project that go on with one attempt, and
are merged, give a fork: the same draws are one; of those that part the longer row counts, and the
attempt has been looked at twice.
"""

import hashlib
import json
import secrets
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from judgetool.errors import CommandRefusedError
from judgetool.metrics import Measure
from judgetool.metrics.decide import DecideRules
from judgetool.session.commands import SetValues
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.wording import _

DECIDE_KEY = "decide/"
_N_KNOWN = 5
"""What a draw says of itself; after it stands which one was before, and what was known of its unit."""


@dataclass(frozen=True, slots=True)
class DecideQuestion:
    """Which of two systems is better by a measure, as it was asked.

    Attributes:
        id: of the attempt.
        first: a run or what-if of the present.
        second: another.
        measure: by name.
        risk: of naming the worse one at a stop by evidence.
        tie: a difference below it is none; ``None``: every one is.
        seed: of all draws.
        number: which attempt at this pair and measure it is, from 1; what copies of the project
            went on with, each by itself, is an attempt more each.
        assessor: who asked.
        at: when, milliseconds UTC.
        digest: of rankings, scale and conventions: with another one the attempt is over.
        n_apart: draws of copies that went on by themselves, and do not count.
    """

    id: str
    first: System
    second: System
    measure: str
    risk: float
    tie: float | None
    seed: int
    number: int
    assessor: str
    at: int
    digest: str
    n_apart: int = 0

    @property
    def names(self) -> tuple[str, str]:
        """Of the two systems."""
        return self.first.name, self.second.name

    @property
    def rules(self) -> DecideRules:
        """Risk and tie."""
        return DecideRules(self.risk, self.tie)

    def is_about(self, first: System, second: System, measure: Measure) -> bool:
        """Return whether it asks of this pair, in either order, by this measure."""
        keys = {self.first.key, self.second.key}
        return keys == {first.key, second.key} and self.measure == str(measure)

    @staticmethod
    def from_dict(key: str, values: Mapping[str, Any]) -> "DecideQuestion":
        """Build a question from what the project keeps."""
        rest: dict[str, Any] = {name: values[name] for name in _PLAIN}
        for name in ("first", "second"):
            rest[name] = System.from_dict(values[name])
        return DecideQuestion(id=key.removeprefix(DECIDE_KEY), number=1, **rest)


_PLAIN = ("measure", "risk", "tie", "seed", "assessor", "at", "digest")


def load_questions(session: Session) -> list[DecideQuestion]:
    """Return all that was ever asked to be decided, first asked first."""
    kept = session.values(DECIDE_KEY)
    asked = [
        DecideQuestion.from_dict(key, values) for key, values in kept.items() if key.count("/") == 1
    ]
    found: list[DecideQuestion] = []
    n_looks: Counter[tuple[frozenset[str], str]] = Counter()
    for each in sorted(asked, key=lambda each: (each.at, each.id)):
        of = frozenset((each.first.key, each.second.key)), each.measure
        names = [key for key in kept if key.startswith(f"{DECIDE_KEY}{each.id}/")]
        rows = rows_of_draws(kept, names)
        n_looks[of] += len(rows)
        n_apart = len(set().union(*rows)) - len(rows[0])
        found.append(replace(each, number=n_looks[of], n_apart=n_apart))
    return found


def rows_of_draws(kept: Mapping[str, Any], names: Iterable[str]) -> list[list[str]]:
    """Return each row of draws by their keys, first drawn first; the longest row comes first.

    There are several where copies of the project went on by themselves. Which one counts hangs
    on no grade; without a draw there is one empty row.
    """
    # Draws of 0.3.0 before it was published name none before them: their attempts are over.
    names = {name for name in names if len(kept[name]) > _N_KNOWN}
    before = {name: _before(name, kept[name]) for name in names}
    rows = []
    for last in sorted(names - set(before.values())):
        row, name = [], last
        while name in names:
            row.append(name)
            name = before[name]
        # What hangs on nothing is left of a step that was taken back.
        if not name:
            rows.append(row[::-1])
    return sorted(rows, key=len, reverse=True) or [[]]


def _before(key: str, value: list[Any]) -> str:
    """Return the key of the draw before one; ``""`` for the first."""
    return f"{key.rpartition('/')[0]}/{value[_N_KNOWN]}" if value[_N_KNOWN] else ""


def key_of_draw(attempt: str, number: int, drawn: list[Any]) -> str:
    """Return the key of a draw: the same draw after the same draws has the same in every copy."""
    said = hashlib.blake2b(json.dumps(drawn).encode(), digest_size=6).hexdigest()
    return f"{attempt}{number:06}-{said}"


def open_question(
    session: Session, first: System, second: System, measure: Measure, digest: str
) -> DecideQuestion | None:
    """Return the attempt that goes on for a pair and measure, in whichever order it was asked.

    ``None``: another would begin. One is over when the rankings, the measure, the scale or the conventions are others.
    """
    asked = [each for each in load_questions(session) if each.is_about(first, second, measure)]
    return asked[-1] if asked and asked[-1].digest == digest else None


def count_attempts(session: Session, first: System, second: System, measure: Measure) -> int:
    """Return how many attempts at a pair and measure there have been."""
    asked = [each for each in load_questions(session) if each.is_about(first, second, measure)]
    return asked[-1].number if asked else 0


def ask_question(
    session: Session,
    systems: tuple[System, System],
    measure: Measure,
    rules: DecideRules,
    digest: str,
) -> DecideQuestion:
    """Keep a question in the project, and return it.

    Raises:
        CommandRefusedError: both systems are the same.
        ProjectError: it could not be written.
    """
    first, second = systems
    if first.key == second.key:
        raise CommandRefusedError(_("Choose two different runs to decide between."))
    number = count_attempts(session, first, second, measure) + 1
    question = DecideQuestion(
        uuid.uuid4().hex,
        first,
        second,
        str(measure),
        rules.risk,
        rules.tie,
        secrets.randbits(31),
        number,
        session.assessor,
        session.clock(),
        digest,
    )
    values = {name: getattr(question, name) for name in _PLAIN}
    values |= {"first": first.to_dict(), "second": second.to_dict()}
    title = f"Decide between two runs, attempt {number}"
    session.execute(SetValues({DECIDE_KEY + question.id: values}, title, kind="draw"))
    return question
