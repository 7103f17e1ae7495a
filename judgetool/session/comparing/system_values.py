"""Values of systems, wherever their rankings and judgments are taken from, and what they are compared with.

In memory alone a project is looked at otherwise than it says itself: by other measures, grades,
queries. What the window shows of a project commands show of it too, with the same functions; this
has them see only some of its queries, or read its grades another way.

The baseline is what values are compared with, and documents moved against it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import DEFAULT_VIEW, check_assessor, view_rule
from judgetool.core.number_text import local_count, number_of
from judgetool.core.rankings import FloatArray, IntArray
from judgetool.core.scale import Scale
from judgetool.errors import InputError
from judgetool.metrics import Conventions, Engine, Mean, Measure, RunBlock
from judgetool.metrics.bounds import BoundsTable, bound_values
from judgetool.metrics.engine import RunFacts
from judgetool.metrics.grades import GradesBlock, QueryGrades
from judgetool.metrics.significance import ValuedApart, count_assumed, find_valued_apart
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import ONLY_MINE, Board, settled_rows
from judgetool.session.commands import Check, SetValues
from judgetool.session.comparing.snapshots import (
    SNAPSHOT_PREFIX,
    board_as_of,
    find_moment,
    find_snapshot,
    has_runs,
    load_snapshots,
    present_systems,
    snapshot_block,
    snapshot_key,
)
from judgetool.session.jobs import Outcome
from judgetool.session.loading import Loaded
from judgetool.session.material import BASELINE_KEY, Material
from judgetool.session.opening import open_project
from judgetool.session.pool import Pool
from judgetool.session.session import Session
from judgetool.session.systems import System, queries_where
from judgetool.session.whatifs.book import WhatIf, engine_key_of, find_whatif, whatif_book
from judgetool.storage.judgments import StepRow
from judgetool.storage.material import load_assessor_names
from judgetool.wording import N_, _


def named_systems(session: Session) -> list[System]:
    """Return what can be compared: the present systems, then those of all snapshots by name.

    Those of a snapshot are left out whose runs are not in the project.
    """
    found = present_systems(session)
    for snapshot in load_snapshots(session):
        here = (each for each in snapshot.systems if has_runs(session, each))
        found += [each._replace(name=f"{each.name} ({snapshot.name})") for each in here]
    return found


def remarks_of(session: Session, systems: Iterable[System]) -> dict[str, str]:
    """Return what each system is, by key, such as ``run, 20 queries``."""
    return {system.key: _remark(session, system) for system in systems}


def _remark(session: Session, system: System) -> str:
    if system.snapshot:
        snapshot = find_snapshot(session, system.snapshot)
        of_kind = {
            "run": _("run of snapshot {name}"),
            "what-if": _("what-if of snapshot {name}"),
        }
        if snapshot is None:
            return _("snapshot")
        return _with_assumed(session, system, of_kind[system.kind].format(name=snapshot.name))
    if system.kind == "what-if":
        head = find_whatif(session, system.id)
        return _("what-if") if head is None else _remark_of_whatif(session, system, head)
    run = next((row for row in session.material.runs if str(row.run_id) == system.id), None)
    if run is None:
        return _("run")
    return number_of(run.n_queries, "run, {n} query", "run, {n} queries")


def _remark_of_whatif(session: Session, system: System, head: WhatIf) -> str:
    of = _("what-if, {origin}") if head.how == "fused" else _("what-if of {origin}")
    return _with_assumed(session, system, of.format(origin=head.origin))


def _with_assumed(session: Session, system: System, what: str) -> str:
    """Return what a system is, and how many grades are assumed for its values alone."""
    place = place_of_system(session, system)
    n_assumed = count_assumed(place.engine, place.key)
    if not n_assumed:
        return what
    # In front and short: rows of tables have little room.
    return _("{count} assumed, {what}").format(count=local_count(n_assumed), what=what)


class Place(NamedTuple):
    """Where a system's values are.

    Attributes:
        board: what its judgments add up to.
        key: its key in the board's engine.
    """

    board: Board
    key: int

    @property
    def engine(self) -> Engine:
        """The engine that has its values."""
        return self.board.engine

    def grades_of(self, query: int) -> QueryGrades:
        """Return what measures look at in its ranking of a query."""
        return self.engine.query_grades(self.key, query, pool=self.board.pool(query))


def means_at(place: Place, kept: BoolArray | None) -> tuple[Mean, ...]:
    """Return a system's means, over some queries alone where these are given, shape (n_queries,)."""
    engine, key = place.engine, place.key
    return engine.means(key) if kept is None else engine.means_of_part(key, kept)


def place_of_system(session: Session, system: System) -> Place:
    """Return where a system's values are; they are computed if they are not yet.

    Raises:
        InputError: the system is no longer in the project.
    """
    if system.snapshot:
        return Place(*snapshot_key(session, system))
    key = engine_key_of(session, system)
    # A run's values stand beside those of what-ifs, which may have changed.
    whatif_book(session).sync()
    return Place(session.board, key)


def by_document(found: tuple[npt.NDArray[np.integer], FloatArray]) -> dict[int, float]:
    """Return the grade of each document, as an engine knows them: documents, and grades."""
    documents, grades = found
    return dict(zip(documents.tolist(), grades.tolist(), strict=True))


def find_apart(
    session: Session, one: System, other: System, kept: BoolArray | None = None
) -> ValuedApart | None:
    """Return how the grades differ that two systems are valued by; ``None`` where they do not.

    Args:
        session: the project.
        one: a run or a what-if.
        other: another.
        kept: the queries that count alone, shape (n_queries,); ``None`` for all.

    Raises:
        InputError: a system is no longer in the project.
    """
    here, there = (place_of_system(session, each) for each in (one, other))
    return find_valued_apart((here.engine, here.key), (there.engine, there.key), kept)


def block_of_system(session: Session, system: System) -> RunBlock:
    """Return all rankings of a system.

    Raises:
        InputError: the system is no longer in the project.
    """
    if system.snapshot:
        return snapshot_block(session, system)
    if system.kind == "what-if":
        return whatif_book(session).block(system.id)
    return session.material.blocks[engine_key_of(session, system)]


def assumed_of_system(session: Session, system: System) -> dict[int, Mapping[int, float]]:
    """Return the grades, by query and document, that are assumed for a system of the present."""
    if system.kind != "what-if" or system.snapshot:
        return {}
    return whatif_book(session).assumed(system.id)


def ranking_of_any(session: Session, system: System, query: int) -> IntArray:
    """Return a system's ranking of a query, best first, int32.

    Raises:
        InputError: the system is no longer in the project.
    """
    if not system.snapshot and system.kind == "what-if":
        return whatif_book(session).ranking(system.id, query)
    return block_of_system(session, system).ranking(query)


class ProjectLook(NamedTuple):
    """How a project is looked at; what is not said is as it says itself.

    Attributes:
        measures: the columns.
        scale: how grades are read, also those of snapshots.
        conventions: what counts.
        view: rule that folds several grades of one document.
        assessor: whose judgments alone count; ``""`` for the view's.
        where: the queries that count, see ``queries_where``; ``""`` for all.
        queries: ids of the queries that count; ``None`` for all.
        as_of: the time up to which judgments count, see ``find_moment``; ``""`` for now.
    """

    measures: Sequence[Measure] | None = None
    scale: Scale | None = None
    conventions: Conventions | None = None
    view: str = DEFAULT_VIEW
    assessor: str = ""
    where: str = ""
    queries: Sequence[str] | None = None
    as_of: str = ""


def open_look(path: Path, look: ProjectLook) -> Session:
    """Open a project for looking at it so; nothing of it is ever written.

    Raises:
        ProjectError: it cannot be opened.
        InputError: it has no such assessor or query, or what it is to be as of is no time.
        CommandRefusedError: the filters cannot be read, or let no query through.
        UsageError: there is no such view.
    """
    view_rule(look.view)
    session = open_project(path, assessor=look.assessor, read_only=True)
    try:
        _look(session, look)
    except BaseException:
        session.close()
        raise
    return session


def _look(session: Session, look: ProjectLook) -> None:
    if look.assessor:
        check_assessor(look.assessor, session.assessors, session.path.name)
    session.set_view(ONLY_MINE if look.assessor else look.view)
    places = _find_places(session, look)
    if places is not None:
        _narrow(session, places)
    values: dict[str, Any] = {}
    if look.conventions is not None:
        values["conventions"] = asdict(look.conventions)
    if look.scale is not None:
        kept = session.values(SNAPSHOT_PREFIX)
        values["scale"] = scale = look.scale.to_dict()
        values |= {key: {**snapshot, "scale": scale} for key, snapshot in kept.items()}
    if look.measures is not None:
        values["measures"] = list(map(str, look.measures))
    if values:
        _take(session, "look", values)
    if look.as_of:
        event_id = find_moment(session, look.as_of)
        _take_board(session, session.material, board_as_of(session, event_id))
    # Who looks does not judge: what was said first is theirs to see, where something comes again, too.
    again = tuple(session.asks.voices)
    session.asks.voices.clear()
    session.board.refold(again)


def _take(
    session: Session, kind: str, values: Mapping[str, Any], loaded: Loaded | None = None
) -> None:
    step = StepRow(0, kind, "Looking", session.clock())
    session.take_in(Outcome(step, values=dict(values)), loaded=loaded)


def _find_places(session: Session, look: ProjectLook) -> list[int] | None:
    """Return the queries that count, in the project's order; ``None`` for all."""
    if not look.where and look.queries is None:
        return None
    found = list(range(len(session.material.queries)))
    if look.where:
        found = np.flatnonzero(queries_where(session, look.where)).tolist()
    if look.queries is not None:
        places = {name: session.material.find_query(name) for name in look.queries}
        lacking = [name for name, place in places.items() if place is None]
        if lacking:
            raise InputError(
                _("{project} has no query ‘{query}’.").format(
                    project=session.path.name, query=lacking[0]
                )
            )
        found = [place for place in found if place in set(places.values())]
    return found


def _narrow(session: Session, places: Sequence[int]) -> None:
    """Have a session hold some of the project's queries alone."""
    material, reader = Material(session.reader), session.reader
    material.keep_only(places)
    rows = settled_rows(reader, material.place_of)
    _take_board(session, material, Board(material, rows, session.board_settings))


def _take_board(session: Session, material: Material, board: Board) -> None:
    names = load_assessor_names(session.reader)
    loaded = Loaded(session.board_settings, names, material, board)
    _take(session, "material", {}, loaded)


# The baseline

Kind = Literal["system", "snapshot", "moment"]


class Baseline(NamedTuple):
    """What values are compared with.

    Attributes:
        kind: ``system``: one run or what-if (of the present or of a snapshot);
            ``snapshot``: each system with itself in the snapshot; ``moment``: each system
            with itself under the judgments of a moment.
        name: for people.
        system: of kind ``system``.
        snapshot: id of the snapshot, of that kind.
        event_id: last line of the log that counts, of a moment.
        at: when, milliseconds UTC, of a moment.
        judged: what was judged at a moment of another copy's log, see
            :func:`~judgetool.session.comparing.snapshots.pack_moment`; else ``""``.
    """

    kind: Kind
    name: str
    system: System | None = None
    snapshot: str = ""
    event_id: int = 0
    at: int = 0
    judged: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the project file."""
        values: dict[str, Any] = {"kind": self.kind, "name": self.name}
        if self.system is not None:
            values["system"] = self.system.to_dict()
        if self.kind == "snapshot":
            values["snapshot"] = self.snapshot
        if self.kind == "moment":
            moment = {"judged": self.judged} if self.judged else {"event": self.event_id}
            values |= {**moment, "at": self.at}
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Baseline":
        """Build a baseline from :meth:`to_dict`'s result."""
        kinds: dict[str, Kind] = {"snapshot": "snapshot", "moment": "moment"}
        system = values.get("system")
        return Baseline(
            kinds.get(values["kind"], "system"),
            str(values["name"]),
            System.from_dict(system) if system else None,
            str(values.get("snapshot", "")),
            int(values.get("event", 0)),
            int(values.get("at", 0)),
            str(values.get("judged", "")),
        )

    @staticmethod
    def of_system(system: System) -> "Baseline":
        """Return a run or a what-if as baseline."""
        return Baseline("system", system.name, system)


def find_baseline(session: Session) -> Baseline | None:
    """Return the project's baseline; ``None`` when there is none, or it is gone."""
    values = session.value(BASELINE_KEY)
    if values is None:
        return None
    found = Baseline.from_dict(values)
    return found if _exists(session, found) else None


def set_baseline(session: Session, baseline: Baseline | None) -> None:
    """Choose what values are compared with; ``None`` for nothing."""
    values = None if baseline is None else baseline.to_dict()
    title = "No baseline" if baseline is None else f"Baseline {baseline.name}"
    session.execute(SetValues({BASELINE_KEY: values}, title))


def baseline_place(session: Session, baseline: Baseline, system: System) -> Place | None:
    """Return where the values are that a system's are compared with.

    Returns:
        ``None`` when a snapshot as baseline does not hold the system.

    Raises:
        InputError: the baseline is no longer in the project.
    """
    if baseline.kind == "moment":
        return _at_moment(session, baseline, system)
    there = _beside(session, baseline, system)
    return None if there is None else place_of_system(session, there)


def baseline_ranking(
    session: Session, baseline: Baseline, system: System, query: int
) -> IntArray | None:
    """Return the ranking that a system's is compared with.

    Returns:
        ``None`` where a snapshot does not hold the system; of a moment the system's own.
    """
    there = _beside(session, baseline, system)
    return None if there is None else ranking_of_any(session, there, query)


def movements(baseline: npt.NDArray[np.integer], order: npt.NDArray[np.integer]) -> dict[int, str]:
    """Return how each document moved from the baseline's ranking to another, as a sign.

    Examples:
        >>> movements(np.array([1, 2, 3]), np.array([3, 1, 4]))
        {3: '↑2', 1: '↓1', 4: 'new', 2: 'gone'}
    """
    was, now = ranks_of(baseline.tolist()), ranks_of(order.tolist())
    return {each: move_sign(was.get(each), now.get(each)) for each in {**now, **was}}


def ranks_of(order: Sequence[int]) -> dict[int, int]:
    """Return the rank of each document, from 1."""
    return {document: rank for rank, document in enumerate(order, 1)}


_MOVES = (N_("new"), N_("gone"))


def move_in_words(sign: str) -> str:
    """Return what a document did, as it is shown; see :func:`move_sign`."""
    return _(sign) if sign in _MOVES else sign


def move_sign(was: int | None, rank: int | None) -> str:
    """Return what a document did: ``new``, ``gone``, ``↑3``, ``↓2``, ``""`` for nothing."""
    if was is None or rank is None:
        return "gone" if rank is None else "new"
    return "" if was == rank else f"↑{was - rank}" if was > rank else f"↓{rank - was}"


def _exists(session: Session, baseline: Baseline) -> bool:
    if baseline.kind == "snapshot":
        return find_snapshot(session, baseline.snapshot) is not None
    if baseline.kind == "moment":
        return True
    system = baseline.system
    if system is None:
        return False
    if system.snapshot:
        return find_snapshot(session, system.snapshot) is not None
    if system.kind == "what-if":
        return session.value(f"whatif/{system.id}") is not None
    return int(system.id) in session.material.blocks


def _beside(session: Session, baseline: Baseline, system: System) -> System | None:
    """Return what a system is compared with: of a moment itself, ``None`` where a snapshot lacks it."""
    if baseline.kind != "snapshot":
        return baseline.system or system
    snapshot = find_snapshot(session, baseline.snapshot)
    systems = () if snapshot is None else snapshot.systems
    return next(
        (each for each in systems if (each.kind, each.id) == (system.kind, system.id)), None
    )


class _PastBoard:
    """The board of the moment that values are compared with: one is kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._facts: tuple[Any, ...] = ()
        self._board: Board | None = None

    def of(self, baseline: Baseline) -> Board:
        """Return the board under the judgments of a moment."""
        session = self._session
        event_id, judged = baseline.event_id, baseline.judged
        facts = (event_id, judged, session.board_settings, session.assessor, id(session.material))
        if self._board is None or facts != self._facts:
            self._facts = facts
            self._board = board_as_of(session, event_id, judged=judged)
        return self._board


_NUMBER = -1  # any that no run has: those of runs are positive


def _at_moment(session: Session, baseline: Baseline, system: System) -> Place:
    """Return a system's place under the judgments of a moment; one moment's board is kept."""
    board = session.owned(_PastBoard).of(baseline)
    if system.kind == "run" and not system.snapshot:
        return Place(board, int(system.id))
    # One number for all: what stood there before is of no use when another is asked for.
    board.engine.add_run(_NUMBER, block_of_system(session, system))
    return Place(board, _NUMBER)


# The intervals of a whole run

_CHECK_EVERY = 500


BoundsWork = Callable[[Check], BoundsTable]
"""Computes a table on any thread; what it is given is called now and then, and may end it by raising."""


def bounds_work(board: Board, run_id: int, block: RunBlock) -> BoundsWork:
    """Return the work of computing a run's table, for another thread.

    What it needs is copied now; judgments made later are not in the result, so whoever
    takes it computes the queries touched since anew.
    """
    engine = board.engine
    # What is only assumed is open: judged, it may have another grade.
    facts = engine.run_facts(run_id, has_assumed=False)
    measures, scale, pool = engine.measures, board.scale, board.whole_pool
    conventions, values, is_counted = (
        engine.conventions,
        engine.values(run_id),
        engine.counted(run_id),
    )
    beyond = {
        query: engine.assumed_documents(run_id, query).difference(
            pool.documents(query).tolist(), block.ranking(query).tolist()
        )
        for query in engine.assumed_queries(run_id)
    }

    def work(check: Check) -> BoundsTable:
        missing = _count_missing(facts, block, pool, check)
        for query, documents in beyond.items():
            missing[query] += len(documents)
        grades = GradesBlock.from_graded(
            facts.graded, facts.lengths, facts.judged, n_missing_open=missing
        )
        columns = []
        for at, measure in enumerate(measures):
            check()
            columns.append(bound_values(measure, values[:, at], grades, scale, conventions))
        return BoundsTable(run_id, measures, tuple(columns), is_counted)

    return work


def _count_missing(
    facts: RunFacts, block: RunBlock, pool: Pool, check: Check
) -> npt.NDArray[np.int64]:
    """Return, for each query, how many unjudged documents of the pool the run lacks."""
    n_queries = len(facts.lengths)
    queries, documents = pool.pairs()
    judged = facts.judged_documents
    width = 1 + max(int(part.max(initial=0)) for part in (documents, block.documents, judged))
    pools = np.searchsorted(queries, np.arange(n_queries + 1)).tolist()
    judgments = np.searchsorted(facts.judged_queries, np.arange(n_queries + 1)).tolist()
    # One mark by document, overwritten by the next query: sorting millions of pairs takes seconds.
    known_for = np.full(width, -1, dtype=np.int32)
    missing = np.zeros(n_queries, dtype=np.int64)
    for query in range(n_queries):
        if query % _CHECK_EVERY == 0:
            check()
        pooled = documents[pools[query] : pools[query + 1]]
        if len(pooled):
            known_for[block.ranking(query)] = query
            known_for[judged[judgments[query] : judgments[query + 1]]] = query
            missing[query] = np.count_nonzero(known_for[pooled] != query)
    return missing
