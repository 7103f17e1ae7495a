"""A project looked at otherwise than it says itself: by other measures, grades, queries. In memory alone.

What the window shows of a project commands show of it too, with the same functions; this has
them see only some of its queries, or read its grades another way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from judgetool.core.scale import Scale
from judgetool.core.views import DEFAULT_VIEW, view_rule
from judgetool.errors import InputError
from judgetool.metrics import Conventions, Measure
from judgetool.session.board import ONLY_MINE, Board
from judgetool.session.comparing.snapshots import PREFIX as SNAPSHOTS
from judgetool.session.comparing.snapshots import board_as_of, find_moment
from judgetool.session.comparing.subsets import queries_where
from judgetool.session.jobs import Outcome
from judgetool.session.judgment_book import settled_rows
from judgetool.session.loading import Loaded
from judgetool.session.material import Material
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.storage.judgments import StepRow
from judgetool.storage.material import load_assessor_names
from judgetool.wording import _


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
    if look.assessor and look.assessor not in session.assessors:
        known = ", ".join(session.assessors) or _("nobody")
        raise InputError(
            _("{project} has no judgment by ‘{assessor}’. Judged have: {known}.").format(
                project=session.path.name, assessor=look.assessor, known=known
            )
        )
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
