"""What assessors are asked to judge: rows that hang on the step that asked.

Whether an ask has been answered the judgments tell, so that judging writes nothing here, and undo
and a merge make an ask open again by themselves.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.errors import InputError
from judgetool.storage.checksums import insert_sealed
from judgetool.storage.values import number_assessor


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
    "SELECT a.query_id, a.document_id, a.assessor_id, a.step_id, j.state IS NOT NULL FROM asks a "
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


def load_open_asks(connection: apsw.Connection, assessor_id: int) -> list[tuple[int, int]]:
    """Return (query, document) of what an assessor is asked and has not judged, in that order."""
    return [
        (ask.query_id, ask.document_id)
        for ask in load_asks(connection, assessor_id)
        if not ask.is_judged
    ]


class AskCount(NamedTuple):
    """How much an assessor is asked, and how much of it is done."""

    assessor_id: int
    n_asked: int
    n_judged: int


def count_asks(connection: apsw.Connection) -> list[AskCount]:
    """Return how much each assessor is asked and has judged, by their number."""
    counts: dict[int, list[int]] = {}
    for ask in load_asks(connection):
        found = counts.setdefault(ask.assessor_id, [0, 0])
        found[0] += 1
        found[1] += ask.is_judged
    return [AskCount(who, *found) for who, found in sorted(counts.items())]


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
            f"There is an assessor ‘{name}’ already, of another kind. Choose another name."
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
