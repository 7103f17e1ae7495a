"""Deciding in an open project: the question, its log of draws, and what is to be judged next for it.

A question and each draw are values of the project of their own, written before anything of them
is shown, in steps that Undo passes over: who judges takes grades back, never a draw. All else
follows from the draws and the grades in force.

A draw's key names what it was drawn after. Two copies of a project that go on with one attempt, and
are merged, give a fork: the same draws are one; of those that part the longer row counts, and the
attempt has been looked at twice.
"""

import hashlib
import json
import math
import secrets
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.clock import iso_utc
from judgetool.core.judgments import DEFAULT_VIEW, State
from judgetool.core.number_text import count_noun, number_of, signed_in_full
from judgetool.core.rankings import IntArray
from judgetool.errors import CommandRefusedError
from judgetool.metrics import ComparisonRules, Measure, parse_measure
from judgetool.metrics.decide import Attempt, DecideRules, Draw, Ending
from judgetool.metrics.decide_units import PairQuery, Units, check_decidable, pool_pair
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import ONLY_MINE, Effective, view_title
from judgetool.session.commands import Changed, IsCancelled, Progress, SetValues, Work
from judgetool.session.comparing.pair_bounds import (
    SAME,
    PairBounds,
    PairFacts,
    PairLiner,
    collect_pair,
    iter_counting,
    pair_bounds_work,
    search_checker,
)
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.these_queries import Decision, estimate_in_words
from judgetool.session.effort import list_efforts
from judgetool.session.pool import NumberPair
from judgetool.session.queue import BY_STAKE, DRAWN
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.storage.material import load_document_ids
from judgetool.wording import _, in_english, local_number

# The question and its draws

DECIDE_KEY = "decide/"
_N_KNOWN = 5
"""What a draw says of itself; after it stands which one was before, and what was known of its unit."""


class DecideQuestion(NamedTuple):
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
        view: which judgments count for it, whatever the window shows: a rule's name, or ``mine``
            for those of who asked.
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
    view: str
    n_apart: int = 0

    @property
    def names(self) -> tuple[str, str]:
        """Of the two systems."""
        return self.first.name, self.second.name

    @property
    def rules(self) -> DecideRules:
        """Risk and tie."""
        return DecideRules(self.risk, self.tie)

    @property
    def own(self) -> str:
        """Whose judgments alone count for it; ``""`` where several's do."""
        return self.assessor if self.view == ONLY_MINE else ""

    @property
    def view_title(self) -> str:
        """Which judgments count for it, in the reader's language."""
        return view_title(self.view, self.own)

    def counts(self, view: str, assessor: str) -> bool:
        """Return whether the same judgments count for it as in a view of an assessor's."""
        return self.view == view and self.own in {"", assessor}

    def goes_on_with(self, material: "DecideMaterial") -> bool:
        """Return whether rankings, scale, conventions and view are as they were when it was asked."""
        return self.digest == material.digest and self.counts(material.view, material.own)

    def is_about(self, first: System, second: System, measure: Measure) -> bool:
        """Return whether it asks of this pair, in either order, by this measure."""
        keys = {self.first.key, self.second.key}
        return keys == {first.key, second.key} and self.measure == str(measure)

    @staticmethod
    def from_dict(key: str, values: Mapping[str, Any]) -> "DecideQuestion":
        """Build a question from what the project keeps."""
        # Asked before a question had a view: read by the one that counts where none is chosen.
        rest: dict[str, Any] = {"view": DEFAULT_VIEW, **values}
        rest = {name: rest[name] for name in _PLAIN}
        for name in ("first", "second"):
            rest[name] = System.from_dict(values[name])
        return DecideQuestion(id=key.removeprefix(DECIDE_KEY), number=1, **rest)


_PLAIN = ("measure", "risk", "tie", "seed", "assessor", "at", "digest", "view")


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
        found.append(each._replace(number=n_looks[of], n_apart=n_apart))
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
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    material: "DecideMaterial",
) -> DecideQuestion | None:
    """Return the attempt that goes on for a pair and measure, in whichever order it was asked.

    ``None``: another would begin. One is over when the rankings, the measure, the scale, the conventions or
    the view that counts are others.
    """
    asked = find_last(session, first, second, measure)
    return asked if asked is not None and asked.goes_on_with(material) else None


def find_last(
    session: Session, first: System, second: System, measure: Measure
) -> DecideQuestion | None:
    """Return the last attempt at a pair and measure; ``None`` where there was none."""
    asked = [each for each in load_questions(session) if each.is_about(first, second, measure)]
    return asked[-1] if asked else None


def count_attempts(session: Session, first: System, second: System, measure: Measure) -> int:
    """Return how many attempts at a pair and measure there have been."""
    asked = find_last(session, first, second, measure)
    return asked.number if asked is not None else 0


def ask_question(
    session: Session,
    systems: tuple[System, System],
    measure: Measure,
    rules: DecideRules,
    material: "DecideMaterial",
) -> DecideQuestion:
    """Keep a question in the project, and return it.

    Args:
        session: the project.
        systems: the two.
        measure: by which.
        rules: risk and tie.
        material: what can be drawn for it; its view counts from now on.

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
        material.digest,
        material.view,
    )
    values = {name: getattr(question, name) for name in _PLAIN}
    values |= {"first": first.to_dict(), "second": second.to_dict()}
    title = f"Decide between two runs, attempt {number}"
    session.execute(SetValues({DECIDE_KEY + question.id: values}, title, kind="draw"))
    return question


# Deciding

IndexArray = npt.NDArray[np.intp]
_KNOWN_OF_UNIT = 6
"""Where a draw's row has what was known already of the unit: places among its documents."""
_STAKE = "stake-"
"""What came by stake: a unit's number, and a place among its documents. No draw has such a key."""


class DecideMaterial(NamedTuple):
    """What can be drawn for a question, with the numbers of the session.

    Attributes:
        units: with the grades in force.
        queries: number of each document's query, shape (n,).
        documents: number of each document, shape (n,).
        n_pool: documents of the pool of both.
        n_queries: queries that count.
        digest: of rankings, scale and conventions.
        view: which judgments are the grades in force, whatever the session counts.
        own: whose they are alone; ``""`` where several's count.
    """

    units: Units
    queries: IntArray
    documents: IntArray
    n_pool: int
    n_queries: int
    digest: str
    view: str
    own: str = ""


def material_work(
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    *,
    view: str = "",
    own: str = "",
) -> Work[DecideMaterial]:
    """Return the work of finding what can be drawn; for another thread.

    Args:
        session: the project.
        first: a run or what-if of the present.
        second: another.
        measure: by which they are compared.
        view: which judgments are known; ``""`` for those that the session counts. Who judges
            blind sees their own alone, and what the others judged is known to the lot all the same.
        own: whose judgments the view ``mine`` means; ``""`` for the session's assessor.

    Raises:
        UsageError: no judgment settles the measure, or there is no such view.
        InputError: a system is no longer in the project.
    """
    check_decidable(measure)
    view = view or session.board.view
    own = (own or session.assessor) if view == ONLY_MINE else ""
    facts = collect_pair(session, first, second, measure, view=view, own=own)
    query_ids = [query.id for query in session.material.queries]

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> DecideMaterial:
        with session.second_reader() as reader:
            check = search_checker(progress, is_cancelled)
            found = _material(facts, query_ids, partial(load_document_ids, reader), check)
            return found._replace(view=view, own=own)

    return work


def question_work(session: Session, question: DecideQuestion) -> Work[DecideMaterial]:
    """Return the work of finding what can be drawn for a question, by the view it was asked in.

    Raises:
        InputError: a system is no longer in the project.
    """
    return material_work(
        session,
        question.first,
        question.second,
        parse_measure(question.measure),
        view=question.view,
        own=question.own,
    )


def _material(
    facts: PairFacts,
    query_ids: Sequence[str],
    ids_of: Callable[[Sequence[int]], Mapping[int, str]],
    check: Progress,
) -> DecideMaterial:
    leaves_out = facts.conventions.leaves_out_unjudged
    liner = PairLiner(facts)
    rows: list[tuple[int, IntArray, PairQuery]] = []
    tops: list[_Tops] = []
    # By their ids, and not by the numbers of this file: in every copy the same unit is drawn.
    ordered = tuple(sorted(facts.queries, key=lambda each: query_ids[each.query]))
    for _number, each in iter_counting(facts._replace(queries=ordered), check):
        if not each.has_results:
            continue
        lined = liner.line_up(each)
        found = pool_pair(lined.pair, facts.measure, facts.scale, leave_out_unjudged=leaves_out)
        documents = lined.documents[found.kept]
        rows.append((each.query, documents, PairQuery(found.pair, found.counts, each.weight)))
        both = [lined.documents[top].tolist() for top in lined.pair.cut(facts.measure.cutoff)]
        tops.append((query_ids[each.query], each.weight, both))
    weight = sum(query.share for _, _, query in rows) or 1.0
    queries = [query._replace(share=query.share / weight) for _, _, query in rows]
    units = Units(facts.measure, facts.scale, queries, leave_out_unjudged=leaves_out)
    numbers = np.array([number for number, _, _ in rows], dtype=np.int32)
    listed = zip(units.queries.tolist(), units.places.tolist(), strict=True)
    return DecideMaterial(
        units,
        numbers[units.queries] if rows else np.zeros(0, np.int32),
        np.array([rows[query][1][place] for query, place in listed], dtype=np.int32),
        sum(int(query.counts.sum()) for query in queries),
        len(queries),
        _digest(facts, tops, ids_of),
        "",
    )


_Tops = tuple[str, float, list[list[int]]]
"""A query's id and weight, and the documents of both tops by their numbers."""


def _digest(
    facts: PairFacts, tops: list[_Tops], ids_of: Callable[[Sequence[int]], Mapping[int, str]]
) -> str:
    """Return what tells these rankings, scale and conventions from others, in every copy of the project."""
    ids = ids_of(sorted({number for _, _, both in tops for top in both for number in top}))
    sides = [
        json.dumps(
            [(query, weight, [ids[each] for each in both[side]]) for query, weight, both in tops]
        )
        for side in (0, 1)
    ]
    values = asdict(facts.conventions), None if facts.scale is None else facts.scale.to_dict()
    read_by = json.dumps([str(facts.measure), *values], sort_keys=True)
    # The same whichever of the two is named first.
    return hashlib.blake2b("\0".join((read_by, *sorted(sides))).encode()).hexdigest()


class DecideStanding(NamedTuple):
    """How a decision stands.

    Attributes:
        evidence: of the first and of the second: stakes that began at 1.
        wanted: evidence at which it stops.
        low: least mean difference, whatever the rest is graded.
        high: greatest.
        estimate: of the mean difference, by the draws, and its standard error, ``None`` where they
            were all alike; ``None``: too few.
        n_draws: draws made.
        n_judged: documents that were asked for and are judged; what was known before is not counted.
        n_left: documents that may still have to be judged.
        ending: what may be said; ``None``: nothing yet.
    """

    evidence: tuple[float, float]
    wanted: float
    low: float
    high: float
    estimate: tuple[float, float | None] | None
    n_draws: int
    n_judged: int
    n_left: int
    ending: Ending | None


class Deciding:
    """One attempt, in step with the session.

    Args:
        session: the project.
        question: as it was asked.
        material: what can be drawn, of the same digest.

    Attributes:
        session, question, material: as given.
        attempt: units, draws and what follows from them.
        to_certainty: whether it goes on, by stake, after a stop by evidence.
    """

    def __init__(
        self, session: Session, question: DecideQuestion, material: DecideMaterial
    ) -> None:
        self.session = session
        self.question, self.material = question, material
        self.to_certainty = False
        self._key = f"{DECIDE_KEY}{question.id}/"
        kept = session.values(self._key)
        names = rows_of_draws(kept, kept)[0]
        self._last = names[-1] if names else ""
        draws = [
            Draw(row[0], row[1], row[2], row[3], tuple(row[4]))
            for row in map(kept.__getitem__, names)
        ]
        self.attempt = Attempt(material.units, question.rules, question.seed, draws)
        pairs = zip(material.queries.tolist(), material.documents.tolist(), strict=True)
        self._at = {pair: place for place, pair in enumerate(pairs)}
        self._is_asked_for = self._find_asked_for(kept, names)
        self._take(self._drawn_pairs())

    def _find_asked_for(self, kept: Mapping[str, Any], names: Sequence[str]) -> BoolArray:
        """Return which documents were open when they were drawn, or came by stake, shape (n,)."""
        found = np.zeros(len(self.material.units.of), dtype=np.bool_)
        for row in map(kept.__getitem__, names):
            # Draws of 0.3.0 before it was published do not say what was known of their units.
            known = row[_KNOWN_OF_UNIT] if len(row) > _KNOWN_OF_UNIT else []
            found[np.delete(self._places_of(row[0]), known)] = True
        start = self._key + _STAKE
        for unit, at in (value for key, value in kept.items() if key.startswith(start)):
            found[self._places_of(unit)[at]] = True
        return found

    def _places_of(self, unit: int) -> IndexArray:
        start, end = np.searchsorted(self.material.units.of, (unit, unit + 1))
        return np.arange(start, end)

    def leave_out(self, pair: NumberPair) -> None:
        """Take a document as skipped that nothing can show."""
        self.material.units.shut(self._at[pair])

    @property
    def pairs(self) -> list[NumberPair]:
        """Each document that counts, as (query, document)."""
        return list(self._at)

    def take_change(self, changed: Changed) -> None:
        """Take in what was judged, skipped or undone, here or elsewhere."""
        self._take(pair for pair in changed.judgments if pair in self._at)

    def _take(self, pairs: "Iterator[NumberPair]") -> None:
        units = self.material.units
        for query, document in pairs:
            place = self._at[query, document]
            settled = self._settled(query, document)
            grade = None if settled is None else settled.grade
            known = None if math.isnan(units.grades[place]) else units.grades[place]
            if grade != known:
                units.give(place, grade)
            own = self.session.own_judgment(query, document).state
            # Nor is it asked for again where who judges does not count.
            is_shut = grade is None and (settled is not None or own is not State.UNJUDGED)
            if is_shut != units.is_shut[place]:
                units.shut(place, is_shut=is_shut)

    def _settled(self, query: int, document: int) -> Effective | None:
        session, material = self.session, self.material
        own = session.assessor_number(material.own) if material.own else None
        return session.board.settled_by(material.view, query, (document,), own=own).get(document)

    def _drawn_pairs(self) -> Iterator[NumberPair]:
        units = [draw.unit for draw in self.attempt.draws]
        for place in np.flatnonzero(np.isin(self.material.units.of, units)).tolist():
            yield self._pair(place)

    def _pair(self, place: int) -> NumberPair:
        return int(self.material.queries[place]), int(self.material.documents[place])

    @property
    def judged_pairs(self) -> set[NumberPair]:
        """Each document that was asked for and is judged, as (query, document)."""
        is_judged = self._is_asked_for & ~np.isnan(self.material.units.grades)
        return {self._pair(place) for place in np.flatnonzero(is_judged).tolist()}

    def next_pair(self) -> NumberPair | None:
        """Return what is to be judged next, drawing and logging it if nothing is left of the last draw.

        Returns:
            (query, document); ``None`` where the question is answered, or nothing is left.

        Raises:
            ProjectError: the draw could not be written: nothing was drawn.
        """
        place = self.attempt.next_document()
        while place is None and self._goes_on():
            drawn = None if self.to_certainty else self._draw()
            if drawn is None:
                place = self._by_stake()
                break
            place = self.attempt.next_document()
        if place is None or not self._goes_on():
            return None
        self._note_asked(place)
        return self._pair(place)

    def facts(self, pair: NumberPair) -> dict[str, Any]:
        """Return what is recorded of the queue with the judgment of a document that was asked for.

        Its place in the list of its query is none: the lot goes from query to query.
        """
        unit = int(self.material.units.of[self._at[pair]])
        numbers = (number for number, draw in enumerate(self.attempt.draws, 1) if draw.unit == unit)
        if (number := next(numbers, None)) is None:
            return BY_STAKE
        return {"order": DRAWN, "seed": self.question.seed, "draw": number, "position": None}

    def _note_asked(self, place: int) -> None:
        """Log what comes by stake before it is shown, so that it counts as judged for it."""
        if self._is_asked_for[place]:
            return
        unit = int(self.material.units.of[place])
        at = place - int(self._places_of(unit)[0])
        name = f"{self._key}{_STAKE}{unit:06}-{at:04}"
        self.session.execute(SetValues({name: [unit, at]}, "Document by stake", kind="draw"))
        self._is_asked_for[place] = True

    def _goes_on(self) -> bool:
        ending = self.attempt.outcome()
        return ending is None or (self.to_certainty and not ending.is_certain)

    def _draw(self) -> Draw | None:
        attempt = self.attempt
        drawn = attempt.propose()
        if drawn is None:
            return None
        number = len(attempt.draws) + 1
        # Logged before shown: who kills the program does not get another draw.
        places = self._places_of(drawn.unit)
        known = np.flatnonzero(~np.isnan(self.material.units.grades[places])).tolist()
        row = [*drawn[:4], list(drawn.known), self._last.rpartition("/")[2], known]
        name = key_of_draw(self._key, number, row)
        self.session.execute(SetValues({name: row}, f"Draw {number}", kind="draw"))
        self._last = name
        attempt.take(drawn)
        self._is_asked_for[np.delete(places, known)] = True
        self._take(self._pair(place) for place in places.tolist())
        return drawn

    def _by_stake(self) -> int | None:
        """Return the open document that can move the difference most, either way."""
        units = self.material.units
        found: list[tuple[float, int]] = []
        for unit in range(len(units)):
            documents, down, up = units.moves_of(unit)
            if len(documents):
                moves = np.maximum(down, up).round(12)
                found.append((float(moves.max()), int(documents[moves.argmax()])))
        # Of equal ones the first.
        return max(found, key=itemgetter(0))[1] if found else None

    def standing(self) -> DecideStanding:
        """Return how it stands now."""
        attempt, units = self.attempt, self.material.units
        evidence = attempt.evidence()
        low, high = units.interval
        first, second = (
            math.exp(min(bets[-1], 50.0)) if len(bets) else 1.0
            for bets in (evidence.first, evidence.second)
        )
        return DecideStanding(
            (first, second),
            1.0 / self.question.risk,
            low,
            high,
            attempt.estimate(),
            len(attempt.draws),
            int((self._is_asked_for & ~np.isnan(units.grades)).sum()),
            attempt.most_left,
            attempt.outcome(),
        )


def ending_text(
    question: DecideQuestion, ending: Ending, names: tuple[str, str] | None = None
) -> str:
    """Return what a stop says, in a sentence.

    Args:
        question: as it was asked.
        ending: what the stop says.
        names: what the two are called; ``None`` for their names.
    """
    names = names or question.names
    better, worse = names if ending.winner >= 0 else names[::-1]
    if ending.winner:
        said = _("{better} is better than {worse} by {measure} on these queries")
    elif question.tie:
        said = _("{better} and {worse} differ by less than {tie} by {measure} on these queries")
    else:
        said = _("{better} and {worse} are equal by {measure} on these queries")
    tie = local_number(f"{question.tie or 0:g}")
    said = said.format(better=better, worse=worse, tie=tie, measure=question.measure)
    if ending.is_certain:
        return _("Certain: {said}, however the rest of their pool is graded.").format(said=said)
    risk = local_number(f"{100 * question.risk * question.number:g}")
    if question.number == 1:
        return _("Decided: {said}. Such a decision is wrong in at most {risk} of 100.").format(
            said=said, risk=risk
        )
    return number_of(
        question.number,
        "Decided: {said}. Such a decision is wrong in at most {risk} of 100, over {n} attempt.",
        "Decided: {said}. Such a decision is wrong in at most {risk} of 100, over {n} attempts.",
        said=said,
        risk=risk,
    )


def apart_text(question: DecideQuestion) -> str:
    """Return what is to be known of copies that went on by themselves; empty where none did."""
    if not question.n_apart:
        return ""
    return number_of(
        question.n_apart,
        "Copies of the project went on with it, each by itself: the longer row of draws counts, {n} "
        "draw of another does not, and each is an attempt of its own.",
        "Copies of the project went on with it, each by itself: the longer row of draws counts, {n} "
        "draws of another do not, and each is an attempt of its own.",
    )


def difference_text(standing: DecideStanding) -> str:
    """Return by how much the two differ: what the draws say, then what is certain."""
    low, high = (local_number(signed_in_full(end)) for end in (standing.low, standing.high))
    certain = _("certainly {low} to {high}").format(low=low, high=high)
    if standing.estimate is None:
        return certain
    said, ending = estimate_in_words(*standing.estimate), standing.ending
    # It stopped because the draws spoke for one: they speak rather too loudly then.
    is_named = ending is not None and ending.winner and not ending.is_certain
    by_draws = (
        _("about {said} by the draws, rather too far from 0 at this stop; {certain}")
        if is_named
        else _("about {said} by the draws; {certain}")
    )
    return by_draws.format(said=said, certain=certain)


def evidence_text(evidence: float, digits: int = 1) -> str:
    """Return evidence as it is read: one grade can multiply it beyond what anybody counts.

    Examples:
        >>> evidence_text(3.14), evidence_text(5.18e21)
        ('3.1', '5.2e+21')
    """
    few = f"{evidence:.{digits}f}" if evidence < 1e6 else f"{evidence:.1e}"
    return local_number(few)


def _judged_by(deciding: Deciding) -> str:
    """Return, in English, who of those who count judged what was asked for, and how much of it blind."""
    session, pairs = deciding.session, deciding.judged_pairs
    found: defaultdict[str, Counter[bool | None]] = defaultdict(Counter)
    for each in list_efforts(session):
        is_standing = not (each.is_undone or each.is_changed_later)
        if (
            is_standing
            and (each.query, each.document) in pairs
            and session.does_count(each.assessor)
        ):
            found[each.assessor][each.is_blind] += 1
    said = [f"{name}, {_how_blind(counts)}" for name, counts in sorted(found.items())]
    return "; ".join(said) or "nobody here, by key or mouse; whether blind is not known"


def _how_blind(counts: Counter[bool | None]) -> str:
    """Return how many documents somebody judged, and how many of them blind, as the log has it."""
    n, n_blind = counts.total(), counts[True]
    share = {0: "none of them blind", n: "all of them blind"}.get(
        n_blind, f"{n_blind:,} of them blind"
    )
    unknown = f" ({counts[None]:,} not known)" if counts[None] else ""
    return f"{count_noun(n, 'document')}, {share}{unknown}"


@in_english()
def decision_page(deciding: Deciding) -> str:
    """Return a decision as a page of Markdown: what was asked, how it stands, of what it speaks."""
    question, material, standing = deciding.question, deciding.material, deciding.standing()
    first, second = question.names
    verdict = (
        "Not decided yet." if standing.ending is None else ending_text(question, standing.ending)
    )
    share = 100 * standing.n_judged / (material.n_pool or 1)
    tie = "none" if question.tie is None else f"{question.tie:g}"
    apart = f" {said}" if (said := apart_text(question)) else ""
    session = deciding.session
    return f"""# {first} or {second}

{verdict}

- Project: {session.title}, {iso_utc(session.clock())}
- Scale {session.scale.name}: {session.scale.describe()}
- Measure: {question.measure}, over {count_noun(material.n_queries, "query")}
- Judgments that count: {question.view_title}
- Judged for it: {standing.n_judged:,} of the {count_noun(material.n_pool, "document")} of their \
pool ({share:.0f} %), in {count_noun(standing.n_draws, "draw")}
- Judged by: {_judged_by(deciding)}
- Evidence: {evidence_text(standing.evidence[0], 2)} for {first}, \
{evidence_text(standing.evidence[1], 2)} for {second}; it stops at {standing.wanted:g}
- Difference ({first} minus {second}): {difference_text(standing)}
- Risk {question.risk:g}, tie {tie}, seed {question.seed}, attempt {question.number}.{apart}

It speaks of these queries, of the pool of both runs down to the measure’s cutoff, and of these
grades; of other queries like these speak the tests of the comparison.

The risk is that of one pair and one measure named beforehand, at whatever moment it stopped; for
several, divide it by their number. What is certain has no risk.
"""


def list_decisions(session: Session) -> list[tuple[DecideQuestion, Deciding | None]]:
    """Return each question with how it stands; ``None`` where runs, measure or scale are others now."""
    found: list[tuple[DecideQuestion, Deciding | None]] = []
    known = {system.key for system in present_systems(session)}
    for question in load_questions(session):
        deciding = None
        if {question.first.key, question.second.key} <= known:
            material = question_work(session, question)(None, None)
            if material.digest == question.digest:
                deciding = Deciding(session, question, material)
        found.append((question, deciding))
    return found


def decision_work(
    session: Session, first: System, second: System, measure: Measure
) -> Work[Callable[[], Decision | None]] | None:
    """Return the work of finding how a decision between two systems stands; ``None``: nobody asked.

    The work is for another thread; what it gives is called on the session's, and tells of the
    last attempt, or gives ``None`` where that is of other rankings, another scale or conventions,
    or other judgments count in the session.

    Raises:
        InputError: a system is no longer in the project.
    """
    question = find_last(session, first, second, measure)
    if question is None or not question.counts(session.board.view, session.assessor):
        return None
    work = question_work(session, question)
    side = 1 if question.first.key == first.key else -1

    def found(
        progress: Progress | None, is_cancelled: IsCancelled | None
    ) -> Callable[[], Decision | None]:
        material = work(progress, is_cancelled)

        def decision() -> Decision | None:
            if material.digest != question.digest:
                return None
            return _decision(question, Deciding(session, question, material), side)

        return decision

    return found


def counted_otherwise_text(
    session: Session, first: System, second: System, measure: Measure
) -> str:
    """Return that deciding between two goes by other judgments than count here; empty where not."""
    question = find_last(session, first, second, measure)
    if question is None or question.counts(session.board.view, session.assessor):
        return ""
    if question_work(session, question)(None, None).digest != question.digest:
        return ""
    said = _(
        "Deciding between {run} and {other} by {measure} goes by other judgments than count here: "
        "{view}."
    )
    run, other = question.names
    return said.format(run=run, other=other, measure=question.measure, view=question.view_title)


def _decision(question: DecideQuestion, deciding: Deciding, side: int) -> Decision:
    """Return how an attempt stands; ``side`` −1 for who asks the other way round."""
    now, units = deciding.standing(), deciding.material.units
    is_open = np.isnan(units.grades) & ((units.high - units.low) > SAME)[units.of]
    low, high = (now.low, now.high) if side > 0 else (-now.high, -now.low)
    return Decision(
        None if now.ending is None else side * now.ending.winner,
        min(1.0, question.risk * question.number),
        question.tie or 0.0,
        now.ending is not None and now.ending.is_certain,
        deciding.material.n_queries,
        (low + 0.0, high + 0.0),
        int(is_open.sum()),
        # Of whole queries all documents are counted, of sums those that count for one side more.
        not units.are_queries,
        None if now.estimate is None else (side * now.estimate[0], now.estimate[1]),
        now.evidence if side > 0 else (now.evidence[1], now.evidence[0]),
        now.wanted,
    )


class PairStanding(NamedTuple):
    """What is known of these queries for a pair by a measure.

    Attributes:
        bounds: how far the difference can go: in the pool that is decided on, where somebody drew.
        decision: how drawing stands; ``None`` where nobody drew.
    """

    bounds: PairBounds
    decision: Decision | None


def pair_standing_work(
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    rules: ComparisonRules | None = None,
    *,
    where: str = "",
) -> Work[Callable[[], PairStanding]]:
    """Return the work of finding what is known of these queries, in one scope.

    For another thread; what it gives is called on the session's. Arguments and errors are those of
    ``pair_bounds_work``; a part of the queries is never what was decided on.
    """
    bound = pair_bounds_work(session, first, second, measure, rules, where=where)
    decide = None if where else decision_work(session, first, second, measure)

    def work(
        progress: Progress | None, is_cancelled: IsCancelled | None
    ) -> Callable[[], PairStanding]:
        bounds = bound(progress, is_cancelled)
        find = decide(None, is_cancelled) if decide else None

        def standing() -> PairStanding:
            decision = find() if find else None
            return PairStanding(decision.bound(bounds) if decision else bounds, decision)

        return standing

    return work
