"""What assessors are asked to judge: rows that hang on the step that asked.

Whether an ask has been answered the judgments tell, so that judging writes nothing here, and undo
and a merge make an ask open again by themselves.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import counted
from judgetool.errors import InputError
from judgetool.storage.damage import insert_sealed
from judgetool.storage.ids import number_id
from judgetool.storage.judgments import insert_step
from judgetool.storage.values import number_assessor
from judgetool.wording import _


class Ask(NamedTuple):
    """A query and document that one assessor is asked to judge, by the numbers of the file.

    Attributes:
        query_id: number of the query.
        document_id: number of the document.
        assessor_id: number of who is asked.
        is_open: ``False`` takes back what was asked before.
    """

    query_id: int
    document_id: int
    assessor_id: int
    is_open: bool = True


class LoadedAsk(NamedTuple):
    """An ask that stands.

    Attributes:
        query_id: number of the query.
        document_id: number of the document.
        assessor_id: number of who is asked.
        step_id: the step that asked.
        is_judged: whether they have graded it, or said that it cannot be judged.
    """

    query_id: int
    document_id: int
    assessor_id: int
    step_id: int
    is_judged: bool


def insert_asks(connection: apsw.Connection, asks: Iterable[Ask], *, step_id: int) -> None:
    """Write what a step asks, or takes back; each (query, document, assessor) once a step."""
    rows = ((query, document, who, step_id, int(is_open)) for query, document, who, is_open in asks)
    insert_sealed(connection, "asks", rows, step_id=step_id)


# Of several steps the latest counts, on whatever copy of the file it was taken.
_STANDING = (
    "SELECT a.query_id, a.document_id, a.assessor_id, a.step_id, j.state IS NOT NULL AS is_judged FROM asks a "
    "JOIN steps s ON s.step_id = a.step_id AND s.state = 'done' LEFT JOIN judgments j "
    "ON j.query_id = a.query_id AND j.document_id = a.document_id "
    "AND j.assessor_id = a.assessor_id AND j.state IN ('judged', 'cannot_judge') "
    "WHERE {} a.is_open AND NOT EXISTS (SELECT 1 FROM asks b JOIN steps t ON t.step_id = b.step_id "
    "WHERE b.assessor_id = a.assessor_id AND b.query_id = a.query_id "
    "AND b.document_id = a.document_id AND t.state = 'done' AND (t.at, t.uuid) > (s.at, s.uuid)) "
    "ORDER BY a.assessor_id, a.query_id, a.document_id"
)


def load_asks(connection: apsw.Connection, assessor_id: int | None = None) -> list[LoadedAsk]:
    """Return the asks that stand, answered or not, by assessor, query and document.

    Args:
        connection: for looking.
        assessor_id: of this assessor alone; ``None`` of all.
    """
    one = "" if assessor_id is None else "a.assessor_id = ? AND"
    bound = () if assessor_id is None else (assessor_id,)
    rows: Any = connection.execute(_STANDING.format(one), bound)
    return [
        LoadedAsk(query, document, who, step, bool(is_judged))
        for query, document, who, step, is_judged in rows
    ]


def load_open_names(connection: apsw.Connection, query_id: int, document_id: int) -> list[str]:
    """Return who is asked to judge a document and has not, by name; nobody who is asked it again."""
    pair = _STANDING.format("a.query_id = ? AND a.document_id = ? AND")
    rows = connection.execute(
        f"SELECT name FROM ({pair}) JOIN assessors USING(assessor_id) "  # noqa: S608 - constants
        "WHERE NOT is_judged AND kind <> 'again' ORDER BY name",
        (query_id, document_id),
    )
    return [str(name) for (name,) in rows]


# What an assessor has taken to judge at the team's hub


class TakenAsk(NamedTuple):
    """A query and document that an assessor is asked to judge, or has taken to judge.

    Attributes:
        query: external id.
        document: likewise.
        until_ms: from then on others may take it, milliseconds UTC; ``None`` of what they were asked.
        is_judged: whether they have graded it, or said that it cannot be judged.
    """

    query: str
    document: str
    until_ms: int | None
    is_judged: bool


def load_taken(connection: apsw.Connection, name: str) -> list[TakenAsk]:
    """Return what an assessor is asked to judge, with until when it is theirs where they took it."""
    rows: Any = connection.execute(
        "SELECT q.external_id, d.external_id, json_extract(t.detail, '$.until'), x.is_judged "  # noqa: S608 - constants
        f"FROM ({_STANDING.format('a.assessor_id = (SELECT assessor_id FROM assessors WHERE name = ?) AND')}) x "
        "JOIN queries q ON q.query_id = x.query_id JOIN documents d ON d.document_id = x.document_id "
        "JOIN steps t ON t.step_id = x.step_id",
        (name,),
    )
    return [
        TakenAsk(query, document, until, bool(judged)) for query, document, until, judged in rows
    ]


def write_taken(
    connection: apsw.Connection, name: str, held: Mapping[tuple[str, str], int], *, at: int
) -> bool:
    """Write what an assessor holds at the hub as what they are asked; return whether that changes anything.

    What they hold there no more, and have not judged, is asked of them no more.

    Args:
        connection: of the writer, in a transaction.
        name: of the assessor.
        held: until when it is theirs, milliseconds UTC, by external ids of query and document.
        at: milliseconds UTC.
    """
    known = {each[:2]: each for each in load_taken(connection, name)}
    fresh = [pair for pair in held if pair not in known]
    gone = [
        pair
        for pair, each in known.items()
        if pair not in held and each.until_ms is not None and not each.is_judged
    ]
    for pairs, title in ((fresh, "Take #document to judge"), (gone, "Leave #document to others")):
        if not pairs:
            continue
        until = max((held[pair] for pair in pairs if pair in held), default=0)
        step = insert_step(
            connection,
            kind="new",
            title=counted(len(pairs), title),
            assessor_id=None,
            at=at,
            detail={"until": until},
        )
        who = number_assessor(connection, name, kind="human")
        asks = (
            Ask(
                number_id(connection, "queries", query),
                number_id(connection, "documents", document),
                who,
                pairs is fresh,
            )
            for query, document in pairs
        )
        insert_asks(connection, list(asks), step_id=step.step_id)
    return bool(fresh or gone)


def ensure_assessor(
    connection: apsw.Connection, name: str, *, kind: str, person_id: int | None = None
) -> int:
    """Return the number of the assessor of this name and kind, who is added if need be.

    Args:
        connection: in a transaction.
        name: unique in the project.
        kind: ``human``, ``model``, ``import``, ``settled`` or ``again``.
        person_id: of kind ``again``, whose second judgments these are.

    Raises:
        InputError: there is somebody of this name, who is of another kind.
    """
    number = number_assessor(connection, name, kind=kind, person_id=person_id)
    found = connection.execute(
        "SELECT kind, person_id FROM assessors WHERE assessor_id = ?", (number,)
    ).fetchone()
    if found != (kind, person_id):
        raise InputError(
            _(
                "There is an assessor ‘{name}’ already, of another kind. Choose another name."
            ).format(name=name)
        )
    return number


def load_asked_numbers(connection: apsw.Connection) -> list[int]:
    """Return the numbers of people who are or were asked something, first known first."""
    rows = connection.execute(
        "SELECT assessor_id FROM assessors WHERE kind <> 'again' "
        "AND assessor_id IN (SELECT k.assessor_id FROM asks k JOIN steps s USING(step_id) "
        "WHERE s.state NOT IN ('pending', 'abandoned')) ORDER BY assessor_id"
    )
    return [int(str(number)) for (number,) in rows]


def load_acting_numbers(connection: apsw.Connection) -> set[int]:
    """Return the numbers of those who did anything themselves, in this file or a copy, or were asked to.

    The others are names in tables that were imported.
    """
    rows = connection.execute(
        "SELECT DISTINCT assessor_id FROM steps WHERE assessor_id IS NOT NULL "
        "AND state NOT IN ('pending', 'abandoned')"
    )
    return {int(str(number)) for (number,) in rows} | {*load_asked_numbers(connection)}


def load_asked_pairs(
    connection: apsw.Connection, name: str, query_id: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the pairs that a person, by name, is asked, judged or not.

    Args:
        connection: any.
        name: of the assessor; nothing is asked of one who is not known.
        query_id: of this query alone, by its number in the file; ``None`` of all.

    Returns:
        Numbers of the file, shape (n, 2).
    """
    number = connection.execute("SELECT assessor_id FROM assessors WHERE name = ?", (name,)).get
    asks = [] if number is None else load_asks(connection, int(str(number)))
    pairs = [a[:2] for a in asks if query_id in (None, a.query_id)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
