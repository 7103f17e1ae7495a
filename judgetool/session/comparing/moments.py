"""Judgments as they stood at any moment of the event log, and the values that follow."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from judgetool.core.judgments import Judgment, JudgmentKey
from judgetool.core.scale import Scale
from judgetool.core.views import view_rule
from judgetool.metrics import Engine, Measure, RunBlock
from judgetool.session.board import ONLY_MINE, Board, BoardSettings
from judgetool.session.judgment_book import JudgmentBook, SettledRow
from judgetool.session.material import Material
from judgetool.session.session import Session
from judgetool.session.systems import System
from judgetool.session.whatifs.book import whatif_book
from judgetool.storage.connection import Connection
from judgetool.storage.history import (
    Change,
    Key,
    iter_changes,
    load_moments,
    load_settled_as_of,
    parse_judgment,
)
from judgetool.storage.values import load_assessors


class Moment(NamedTuple):
    """A moment at which judgments changed.

    Attributes:
        event_id: last line of the log that counts.
        at: when, milliseconds UTC.
        n_judged: (query, document) pairs with a grade by then, whoever gave it.
    """

    event_id: int
    at: int
    n_judged: int


class PastValue(NamedTuple):
    """A mean as it was at a moment.

    Attributes:
        event_id: last line of the log that counts.
        at: when, milliseconds UTC.
        value: the mean; ``None`` when no query counted.
        n_judged: (query, document) pairs with a grade by then.
    """

    event_id: int
    at: int
    value: float | None
    n_judged: int


class _Change(NamedTuple):
    """What an assessor says from a moment on; ``query`` of the key is the session's."""

    key: JudgmentKey
    judgment: Judgment | None
    step: int
    at: int


# So many judgments changed at once are taken sooner with all others than one by one.
_MANY = 1_000


def last_event(session: Session) -> int:
    """Return the last line of the event log that counts now; 0 before the first judgment."""
    found = load_moments(session.reader)
    return found[-1].event_id if found else 0


def board_as_of(
    session: Session,
    event_id: int,
    *,
    reader: Connection | None = None,
    scale: Scale | None = None,
    view: str | None = None,
    assessor: str | None = None,
) -> Board:
    """Return what the judgments of a moment add up to, for all runs of the present.

    Args:
        session: the project.
        event_id: last line of the log that counts.
        reader: a connection of the calling thread; ``None`` on the session's.
        scale: as it was then; ``None`` for the present one.
        view: ``None`` for the present one.
        assessor: whose judgments ``mine`` are; ``None`` for the session's assessor.
    """
    connection = reader or session.reader
    name = session.assessor if assessor is None else assessor
    settings = BoardSettings(
        scale or session.scale,
        session.measures,
        session.pool_depth,
        _number(connection, name),
        view or session.board.view,
        session.conventions,
        session.pool_choice,
    )
    place_of = session.material.place_of
    rows = (
        SettledRow(place_of[row[0]], *row[1:])
        for row in load_settled_as_of(connection, event_id=event_id)
        if row[0] in place_of
    )
    return Board(session.material, rows, settings)


def moments(session: Session, *, most: int = 200) -> list[Moment]:
    """Return the moments of the log for a slider, first first, the newest always among them.

    The whole log is read: of very many judgments :func:`moments_work` does it elsewhere.

    Args:
        session: the project.
        most: thinned evenly to about so many, from 2.
    """
    return moments_work(session, most=most)(session.reader)


def moments_work(session: Session, *, most: int = 200) -> Callable[[Connection], list[Moment]]:
    """Return the work of :func:`moments`, for another thread.

    Call it with a connection of that thread (``session.second_reader()``).
    """
    material = session.material

    def work(reader: Connection) -> list[Moment]:
        replay = _Replay(reader, material)
        return [Moment(event, at, replay.n_judged) for event, at, _ in replay.iter_batches(most)]

    return work


def values_over_time(
    session: Session, system: System, measure: Measure, *, most: int = 200
) -> list[PastValue]:
    """Return a system's mean after each moment of the log, in the present view and scale.

    The ranking is the present one: what moves the curve is judgments alone.

    Args:
        session: the project.
        system: a run or a what-if of the present.
        measure: any of the table.
        most: thinned to about so many moments, from 2.
    """
    work = past_values_work(session, system, measure, most=most)
    return work(session.reader, None)


def past_values_work(
    session: Session, system: System, measure: Measure, *, most: int = 200
) -> Callable[[Connection, Callable[[], bool] | None], list[PastValue]]:
    """Return the work of :func:`values_over_time`, for another thread.

    Call it with a connection of that thread (``session.second_reader()``) and what says
    whether it is cancelled; a cancelled work gives what it has so far.
    """
    material, board = session.material, session.board
    if system.kind == "what-if":
        block = whatif_book(session).block(system.id)
    else:
        block = material.block(int(system.id))
    engine = Engine(
        len(material.queries),
        scale=board.scale,
        measures=(measure,),
        conventions=board.engine.conventions,
        weights=board.weights,
    )
    rule = None if board.view == ONLY_MINE else view_rule(board.view)
    book = JudgmentBook((), rule=rule, assessor=session.assessor_id)

    def work(reader: Connection, is_cancelled: Callable[[], bool] | None) -> list[PastValue]:
        return list(_iter_past(_Replay(reader, material), book, engine, block, most, is_cancelled))

    return work


def _iter_past(
    replay: "_Replay",
    book: JudgmentBook,
    engine: Engine,
    block: RunBlock,
    most: int,
    is_cancelled: Callable[[], bool] | None,
) -> Iterator[PastValue]:
    engine.add_run(1, block)
    for event, at, changes in replay.iter_batches(most):
        if is_cancelled is not None and is_cancelled():
            return
        touched: dict[tuple[int, int], None] = {}
        for change in changes:
            book.apply(*change)
            touched[change.key.query, change.key.document] = None
        _follow(engine, book, touched)
        yield PastValue(event, at, engine.means(1)[0].value, replay.n_judged)


def _follow(engine: Engine, book: JudgmentBook, touched: Collection[tuple[int, int]]) -> None:
    """Give the engine the grades of what was judged: an import's all at once."""
    if len(touched) > _MANY:
        engine.set_judgments(*book.grade_arrays())
    else:
        engine.judge_many([(*pair, _grade(book, *pair)) for pair in touched])


def _grade(book: JudgmentBook, query: int, document: int) -> float | None:
    effective = book.settled(query).get(document)
    return effective.grade if effective else None


class _Replay:
    """The log from its beginning, moment by moment, in one pass."""

    def __init__(self, reader: Connection, material: Material) -> None:
        self._reader = reader
        self._place_of = material.place_of
        # How many assessors have graded a pair, and who has.
        self._graded: dict[tuple[int, int], int] = {}
        self._has_graded: set[Key] = set()

    @property
    def n_judged(self) -> int:
        """Pairs with a grade so far."""
        return len(self._graded)

    def iter_batches(self, most: int) -> Iterator[tuple[int, int, list[_Change]]]:
        """Yield (last line, when, what changed since the batch before)."""
        found = load_moments(self._reader)
        every = max(1, -(-len(found) // max(2, most)))
        changes = iter_changes(self._reader)
        waiting = next(changes, None)
        batch: list[_Change] = []
        for number, moment in enumerate(found, 1):
            # An import becomes visible after the line that it names.
            until = (moment.event_id, moment.kind == "import")
            while waiting is not None and (waiting.event_id, waiting.is_published) <= until:
                self._take(waiting, batch)
                waiting = next(changes, None)
            if number % every == 0 or number == len(found):
                yield moment.event_id, moment.at, batch
                batch = []

    def _take(self, change: Change, batch: list[_Change]) -> None:
        """Follow one change; add it by the session's number of the query, if that is visible."""
        query, document, assessor = change.key
        judgment = None if change.text is None else parse_judgment(change.text)
        self._count(change.key, is_graded=judgment is not None and judgment.grade is not None)
        place = self._place_of.get(query)
        if place is not None:
            here = JudgmentKey(place, document, assessor)
            batch.append(_Change(here, judgment, change.step_id, change.at))

    def _count(self, key: Key, *, is_graded: bool) -> None:
        if is_graded == (key in self._has_graded):
            return
        pair = key[:2]
        if is_graded:
            self._has_graded.add(key)
            self._graded[pair] = self._graded.get(pair, 0) + 1
            return
        self._has_graded.remove(key)
        self._graded[pair] -= 1
        if not self._graded[pair]:
            del self._graded[pair]


def _number(reader: Connection, name: str) -> int | None:
    rows = load_assessors(reader)
    return next((row.assessor_id for row in rows if row.name == name), None)
