"""Disputes: what those who count graded differently, and how much the values of runs hang on it.

They come of what everybody said of each document, and what counts with and without each of them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from judgetool.core.judgments import Said, ViewRule
from judgetool.errors import CommandRefusedError
from judgetool.metrics import AgreementData, Engine, Measure
from judgetool.metrics.agreement import BesideOthers
from judgetool.metrics.engine import ValueTable
from judgetool.metrics.significance import DECIMALS, DEFAULT_SEED
from judgetool.metrics.terms import BoolArray, FloatArray, IntArray
from judgetool.session.board import (
    Counting,
    JudgmentBook,
    SettledRow,
    find_rule,
    settled_rows,
)
from judgetool.session.commands import AskOf, IsCancelled, Say, WriteAsks
from judgetool.session.pool import NumberPair
from judgetool.session.session import Session
from judgetool.session.team.asking import list_people, make_hash
from judgetool.storage.asks import load_acting_numbers, load_asks, load_open_names
from judgetool.storage.connection import Connection
from judgetool.storage.history import load_disputed_pairs
from judgetool.wording import _

_TWO = "first", "second"
"""What the two are called that :class:`Sayings` sets against each other."""


class Voice(NamedTuple):
    """What one assessor graded, in the project's order of pairs.

    Attributes:
        places: of the pairs in :class:`Sayings`, rising, shape (n,).
        grades: shape (n,).
        rows: places in ``places`` of what others who count graded, too, rising, shape (m,): one
            for each of their grades.
        others: these grades; what was settled is none of them, shape (m,).
        changed: the view's grade without them, or with them where they do not count, shape (n,).
        times: number of the step, and time, of each, shape (n, 2).
        counts: whether they enter the view.
    """

    places: IntArray
    grades: FloatArray
    rows: IntArray
    others: FloatArray
    changed: FloatArray
    times: IntArray
    counts: bool


_NONE, _NO_PLACES = np.zeros(0), np.zeros(0, np.int64)
_SILENT = Voice(
    _NO_PLACES, _NONE, _NO_PLACES, _NONE, _NONE, np.zeros((0, 2), np.int64), counts=False
)


class Sayings(NamedTuple):
    """What was said of each (query, document), and what counts.

    Attributes:
        queries: the session's number, rising, shape (n,).
        documents: shape (n,).
        view: what counts; NaN where that is no grade, shape (n,).
        settled: what was settled; NaN where nothing is, shape (n,).
        is_closed: whether nothing but what was settled can count, shape (n,).
        voices: by number of the assessor.
    """

    queries: IntArray
    documents: IntArray
    view: FloatArray
    settled: FloatArray
    is_closed: BoolArray
    voices: Mapping[int, Voice]

    def view_with(self, places: IntArray, grades: FloatArray) -> FloatArray:
        """Return the view with other grades for some pairs, shape (n,)."""
        view = self.view.copy()
        view[places] = grades
        return view

    def believing(self, voice: Voice) -> FloatArray:
        """Return the view with all that one assessor graded, but for what was settled, shape (n,)."""
        return np.where(self.is_closed, self.view, self.view_with(voice.places, voice.grades))

    def voice_of(self, number: int) -> Voice:
        """Return what an assessor said; nothing of one without a grade."""
        return self.voices.get(number) or _SILENT

    def beside_others(self, number: int) -> BesideOthers:
        """Return what an assessor graded beside each grade of the others; empty of one without a grade."""
        voice = self.voice_of(number)
        queries = self.queries[voice.places]
        return BesideOthers.of_columns(queries, voice.grades, voice.rows, voice.others)

    def between(self, number: int, other: int, levels: Sequence[float]) -> AgreementData:
        """Return what two assessors said of pairs that both graded; the first is ``first``."""
        first, second = self.voices[number], self.voices[other]
        both, here, there = np.intersect1d(first.places, second.places, return_indices=True)
        own, others = first.grades[here], second.grades[there]
        every = np.unique(np.concatenate((own, others, np.array(levels, np.float64))))
        n, queries = len(both), self.queries[both]
        return AgreementData(
            np.repeat(queries, 2),
            np.repeat(np.arange(n), 2),
            np.tile(np.array([0, 1]), n),
            np.searchsorted(every, np.column_stack((own, others)).ravel()),
            tuple(map(str, range(int(queries.max(initial=-1)) + 1))),
            _TWO,
            every,
        )


_pair = itemgetter(0, 1)


class _Parts(NamedTuple):
    """A voice while it is gathered."""

    places: list[int]
    grades: list[float]
    rows: list[int]
    others: list[float]
    changed: list[float]
    times: list[tuple[int, int]]


_KINDS = np.int64, np.float64, np.int64, np.float64, np.float64, np.int64
"""Of the columns of a voice."""


def fold_sayings(
    rows: Iterable[SettledRow],
    rule: ViewRule,
    standing: Counting,
    silent: Iterable[int] = (),
    disputed: Collection[NumberPair] = (),
) -> Sayings:
    """Return what was said, folded with and without each assessor.

    Args:
        rows: all settled judgments, in any order.
        rule: how those of several count.
        standing: who counts, and what is settled.
        silent: assessors whose judgments are no opinions: a person's second ones.
        disputed: what is not settled since, as :func:`find_disputed` has it.
    """
    hidden = frozenset(silent)
    left_out, finals = standing.left_out | hidden, standing.final
    columns: list[tuple[int, int, float, float, bool]] = []
    parts: dict[int, _Parts] = {}
    ordered = groupby(sorted(rows, key=_pair), key=_pair)
    for place, ((query, document), group) in enumerate(ordered):
        opinions: list[tuple[int, Said]] = []
        settled: list[tuple[int, Said]] = []
        is_final = False
        for _query, _document, who, grade, step, at in group:
            is_final |= who in finals
            if grade is not None and who in finals:
                settled.append((who, Said(grade, step, at)))
            elif grade is not None:
                opinions.append((who, Said(grade, step, at)))
        counted = [said for who, said in opinions if who not in left_out]
        every, final = _fold(rule, counted), _fold(rule, [said for _, said in settled])
        view = final if is_final else every
        is_closed = is_final and (query, document) not in disputed
        columns.append((query, document, view, final, is_closed))
        for who, said in (*opinions, *settled):
            others = [each for each in counted if each is not said]
            if who in finals:
                changed = every
            elif is_final:
                changed = view
            else:
                changed = _fold(rule, [*counted, said] if who in left_out else others)
            voice = parts.get(who) or parts.setdefault(who, _Parts([], [], [], [], [], []))
            voice.rows.extend([len(voice.places)] * len(others))
            voice.others.extend(each.grade for each in others)
            voice.places.append(place)
            voice.grades.append(said.grade)
            voice.changed.append(changed)
            voice.times.append((said.step, said.at))
    return _as_sayings(columns, parts, left_out)


def _fold(rule: ViewRule, said: Sequence[Said]) -> float:
    if not said:
        return np.nan
    return said[0].grade if len(said) == 1 else rule.fold(said)


def _as_sayings(
    columns: Sequence[tuple[int, int, float, float, bool]],
    parts: Mapping[int, _Parts],
    left_out: Collection[int],
) -> Sayings:
    table = np.array(columns, np.float64).reshape(-1, 5)
    voices = {
        number: Voice._make([*map(np.array, each, _KINDS), number not in left_out])
        for number, each in parts.items()
    }
    return Sayings(
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2],
        table[:, 3],
        table[:, 4] > 0,
        voices,
    )


_AT_ONCE = 12
"""Disputes of a query whose grades are tried in one go: of more, the tables leave the processor's cache."""


class Turn(NamedTuple):
    """Two runs of which now one, now the other has the higher mean, as one grade or another holds."""

    leader: str
    other: str


class Dispute(NamedTuple):
    """A document that two who count graded differently, and that was not settled since.

    Attributes:
        query: number of the query.
        document: number of the document.
        given: grades by the assessor's number, first known first.
        grade: what counts in the view; ``None`` where nothing does.
        stake: the largest change of any run's mean between the grades given, and what counts now
            where that lies beyond them (a settled grade that was opened again); 0 or more.
        turns: the runs of which the better one hangs on it; the present leader stands first.
        is_tied: whether the view has the highest of several, as times do not say which is the latest.
    """

    query: int
    document: int
    given: Mapping[int, float]
    grade: float | None
    stake: float = 0.0
    turns: tuple[Turn, ...] = ()
    is_tied: bool = False

    @property
    def at_stake(self) -> list[float]:
        """The grades that it may end with, rising; of what counts now only what lies beyond them."""
        grades = {*self.given.values()}
        if self.grade is not None and not min(grades) <= self.grade <= max(grades):
            grades.add(self.grade)
        return sorted(grades)

    @property
    def gap(self) -> float:
        """Difference of the highest and the lowest grade."""
        return max(self.given.values()) - min(self.given.values())


def stake_measure(session: Session, preferred: str = "") -> Measure | None:
    """Return the first of the chosen measures that has values by query; ``None`` where none has.

    Args:
        session: the project.
        preferred: the name of one that goes before the others, if it is such a one.
    """
    fitting = [each for each in session.measures if each.spec.has_query_values]
    return next((each for each in fitting if str(each) == preferred), next(iter(fitting), None))


def find_disputed(
    reader: Connection, place_of: Mapping[int, int], standing: Counting
) -> set[NumberPair]:
    """Return what those who count graded differently, and was not settled since.

    Args:
        reader: a connection of the calling thread.
        place_of: the session's numbers of queries, by those of the file.
        standing: who counts, and what is settled.
    """
    left_out, final = standing
    pairs = load_disputed_pairs(reader, left_out=left_out, final=final).tolist()
    return {(place_of[query], document) for query, document in pairs if query in place_of}


def disputes_work(
    session: Session, preferred: str = ""
) -> Callable[[Connection, IsCancelled | None], list[Dispute]]:
    """Return the work of finding all disputes, for another thread.

    Call it with a connection of that thread (``session.second_reader()``), and what says
    whether it is cancelled: then nothing is found. It gives first what has the highest stake,
    then the widest gap, then the place in the project.

    Args:
        session: the project.
        preferred: the name of the measure of the stakes, see :func:`stake_measure`.
    """
    material, settings = session.material, session.board_settings
    measure = stake_measure(session, preferred)
    runs = [(run.run_id, run.name) for run in material.runs]
    engine = session.board.new_engine(() if measure is None else (measure,))
    rule = find_rule(settings.view, settings.scale)
    standing = session.standing

    def work(reader: Connection, is_cancelled: IsCancelled | None) -> list[Dispute]:
        rows = list(settled_rows(reader, material.place_of))
        disputed = find_disputed(reader, material.place_of, standing)
        book = JudgmentBook(rows, rule=rule, assessor=settings.assessor, standing=standing)
        found = list(_iter_found(rows, disputed, book, standing.left_out | standing.final))
        if found and runs and measure is not None:
            engine.set_judgments(*book.grade_arrays())
            for key, _ in runs:
                engine.add_run(key, material.blocks[key])
            found = list(_weighed(engine, found, dict(runs), is_cancelled))
        if is_cancelled is not None and is_cancelled():
            return []
        return sorted(found, key=_place)

    return work


def _place(dispute: Dispute) -> tuple[float, ...]:
    return -dispute.stake, -dispute.gap, dispute.query, dispute.document


def load_disputes(session: Session, preferred: str = "") -> list[Dispute]:
    """Return all disputes at once; see :func:`disputes_work`."""
    return disputes_work(session, preferred)(session.reader, None)


def weigh_again(
    session: Session, found: Sequence[Dispute], query: int, preferred: str = ""
) -> list[Dispute]:
    """Return disputes in the order in which they come once another one of a query is settled.

    Only the stakes of this query hang on it: no mean but for its own value is another one.
    """
    measure, engine = stake_measure(session, preferred), session.board.engine
    names = {run.run_id: run.name for run in session.material.runs}
    changed = [each for each in found if each.query == query]
    if changed and names and measure is not None:
        column = engine.measures.index(measure)
        changed = list(_weighed(engine, changed, names, None, column=column))
    return sorted([*(each for each in found if each.query != query), *changed], key=_place)


def _iter_found(
    rows: Sequence[SettledRow],
    disputed: set[NumberPair],
    book: JudgmentBook,
    apart: Collection[int],
) -> Iterator[Dispute]:
    given: dict[NumberPair, dict[int, float]] = {pair: {} for pair in disputed}
    for row in rows:
        pair = row.query, row.document
        if pair in given and row.grade is not None and row.assessor not in apart:
            given[pair][row.assessor] = row.grade
    for (query, document), grades in sorted(given.items()):
        effective = book.settled(query).get(document)
        grade, is_tied = effective.grade if effective else None, book.is_tied(query, document)
        yield Dispute(query, document, grades, grade, is_tied=is_tied)


def _weighed(
    engine: Engine,
    found: Sequence[Dispute],
    runs: Mapping[int, str],
    is_cancelled: IsCancelled | None,
    *,
    column: int = 0,
) -> Iterator[Dispute]:
    """Yield the disputes with what they do to the means of these runs by one of the engine's measures."""
    means, names = _Means(engine, runs, column), list(runs.values())
    places = [engine.run_keys.index(key) for key in runs]
    pairs = np.array(np.triu_indices(len(names), 1))
    by_query: dict[int, list[Dispute]] = {}
    for each in found:
        by_query.setdefault(each.query, []).append(each)
    parts = [
        (query, disputes[start : start + _AT_ONCE])
        for query, disputes in by_query.items()
        for start in range(0, len(disputes), _AT_ONCE)
    ]
    for query, disputes in parts:
        if is_cancelled is not None and is_cancelled():
            return
        tried = [(each.document, grade) for each in disputes for grade in each.at_stake]
        values = means.with_values(query, engine.try_grades(query, tried)[:, places, column])
        start = 0
        for each in disputes:
            end = start + len(each.at_stake)
            yield each._replace(
                stake=_widest(values[start:end]),
                turns=tuple(_turns(values[start:end], means.present, names, pairs)),
            )
            start = end


class _Means:
    """The means of some runs by one measure, and what they are with other values of a query.

    Attributes:
        present: NaN where there is none, shape (runs,).
    """

    def __init__(self, engine: Engine, runs: Iterable[int], column: int) -> None:
        values = [engine.counted_values(key)[:, column] for key in runs]
        self._values = np.array([each.filled(0.0) for each in values])
        self._counts = np.array([~np.ma.getmaskarray(each) for each in values], np.float64)
        self._is_sum = engine.measures[column].spec.pooling == "sum"
        self._weights = np.ones(engine.n_queries) if self._is_sum else engine.mean_weights
        self._counts *= self._weights
        self._totals = (self._values * self._counts).sum(axis=1)
        self._whole = self._counts.sum(axis=1)
        self.present = self._divided(self._totals, self._whole)

    def _divided(self, totals: FloatArray, whole: FloatArray) -> FloatArray:
        if self._is_sum:
            return totals
        means: FloatArray = np.full(totals.shape, np.nan)
        return np.divide(totals, whole, out=means, where=whole > 0)

    def with_values(self, query: int, tried: ValueTable) -> FloatArray:
        """Return the means with other values of one query, shape (tries, runs), as ``tried``."""
        before = self._counts[:, query]
        after = ~np.ma.getmaskarray(tried) * self._weights[query]
        totals: FloatArray = self._totals - self._values[:, query] * before
        values: FloatArray = tried.filled(0.0)
        totals = totals + values * after
        return self._divided(totals, self._whole - before + after)


def _widest(means: FloatArray) -> float:
    """Return the largest change of a run's mean between tries; 0 where no run has two."""
    known = np.where(np.isnan(means), -np.inf, means).max(axis=0)
    least = np.where(np.isnan(means), np.inf, means).min(axis=0)
    apart = np.round(known - least, DECIMALS)
    return float(np.max(apart, initial=0.0, where=np.isfinite(apart)))


def _turns(
    means: FloatArray, present: FloatArray, names: Sequence[str], pairs: IntArray
) -> Iterator[Turn]:
    """Yield the pairs of runs, given as places of shape (2, n), of which now one leads, now the other."""
    if not pairs.size:
        return
    apart = np.round(means[:, pairs[0]] - means[:, pairs[1]], DECIMALS)
    does_turn = (apart.min(axis=0) < 0) & (apart.max(axis=0) > 0)
    for one, two in pairs[:, does_turn].T.tolist():
        leads = not present[one] < present[two]
        yield Turn(*((names[one], names[two]) if leads else (names[two], names[one])))


def settle(query: int, document: int, grade: float | None, *, reason: str | None = None) -> Say:
    """Return the command that ends a disagreement; opinions stay as they are.

    Args:
        query: number of the query.
        document: number of the document.
        grade: what holds from now on in every view but one's own judgments; ``None``: it
            cannot be judged.
        reason: kept with it; ``None`` leaves what stands there.
    """
    said = Say.cannot_judge(query, document) if grade is None else Say.grade(query, document, grade)
    changes = said.changes if reason is None else {**said.changes, "note": reason}
    verb = f"Settle: {said.verb.lower()}"
    return Say(said.pairs, verb, changes, is_settling=True)


def list_asked(session: Session, dispute: Dispute) -> list[str]:
    """Return who is asked to judge a disputed document and has not yet, by name."""
    query_id = session.material.query_ids[dispute.query]
    return load_open_names(session.reader, query_id, dispute.document)


def ask_third(session: Session, dispute: Dispute) -> WriteAsks:
    """Return the command that asks one more person to judge a disputed document.

    Who has least to do of those who have neither judged it nor been asked; of equals by hash, the
    same on every machine. Not who settles: they have seen what the others said; nor who is but a
    name in a table that was imported, and perhaps never opens the project.

    Raises:
        CommandRefusedError: there is nobody.
    """
    query, document = dispute.query, dispute.document
    judged = {each.assessor for each in session.opinions(query).get(document, [])}
    pair = session.material.query_ids[query], document
    asked, to_do = set(), Counter[str]()
    for ask in load_asks(session.reader):
        name = session.assessor_name(ask.assessor_id)
        to_do[name] += not ask.is_judged
        if (ask.query_id, ask.document_id) == pair:
            asked.add(name)
    acting = {session.assessor_name(number) for number in load_acting_numbers(session.reader)}
    left = {*list_people(session)} & acting - judged - asked - {session.assessor}
    if not left:
        raise CommandRefusedError(
            _(
                "Everybody who judges in this project has judged this document, or is asked to. Ask "
                "somebody else in Judge ▸ Ask assessors…, or settle it."
            )
        )
    ids = session.material.queries[query].id, session.material.document_id(document)
    name = min(left, key=lambda each: (to_do[each], make_hash(DEFAULT_SEED, each, *ids)))
    title = f"Ask {name}: {session.material.name_query(query)}, one disputed document"
    return WriteAsks((AskOf(query, document, name),), title)
