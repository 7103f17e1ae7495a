"""Values of systems, wherever their rankings and judgments are taken from.

In memory alone a project is looked at otherwise than it says itself: by other measures, grades,
queries. What the window shows of a project commands show of it too, with the same functions; this
has them see only some of its queries, or read its grades another way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.judgments import DEFAULT_VIEW, check_assessor, view_rule
from judgetool.core.number_text import number_of
from judgetool.core.rankings import IntArray
from judgetool.core.scale import Scale
from judgetool.errors import InputError
from judgetool.metrics import Conventions, Engine, Measure, RunBlock
from judgetool.metrics.significance import ValuedApart, count_assumed, find_valued_apart
from judgetool.metrics.terms import BoolArray
from judgetool.session.board import ONLY_MINE, Board, settled_rows
from judgetool.session.comparing.snapshots import PREFIX as SNAPSHOTS
from judgetool.session.comparing.snapshots import (
    board_as_of,
    find_moment,
    find_snapshot,
    load_snapshots,
    present_systems,
    snapshot_block,
    snapshot_key,
)
from judgetool.session.jobs import Outcome
from judgetool.session.loading import Loaded
from judgetool.session.material import Material
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.systems import System, queries_where
from judgetool.session.whatifs.book import engine_key_of, whatif_book
from judgetool.session.whatifs.stored import WhatIf, find_whatif
from judgetool.storage.judgments import StepRow
from judgetool.storage.material import load_assessor_names
from judgetool.wording import _


def named_systems(session: Session) -> list[System]:
    """Return what can be compared: the present systems, then those of all snapshots by name."""
    found = present_systems(session)
    for snapshot in load_snapshots(session):
        found += [replace(each, name=f"{each.name} ({snapshot.name})") for each in snapshot.systems]
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
    return number_of(
        n_assumed, "with {n} grade assumed, {what}", "with {n} grades assumed, {what}", what=what
    )


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
    block = session.material.blocks.get(int(system.id))
    if block is None:
        raise InputError(_("Run {system} is no longer in the project.").format(system=system.name))
    return block


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


@dataclass(frozen=True, slots=True)
class ProjectLook:
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

    def by_own_measures(self) -> "ProjectLook":
        """Return the same by the project's own measures."""
        return replace(self, measures=None)


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
        kept = session.values(SNAPSHOTS)
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
