"""Queries, documents, runs and rankings: reading them, and writing what an import brings."""

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.core.rankings import EMPTY_RANKING, Ranking

_DOCS, _SCORES = np.dtype("<i4"), np.dtype("<f8")


class RunRow(NamedTuple):
    """A visible run."""

    run_id: int
    name: str
    source: str
    n_queries: int
    n_results: int


def load_queries(connection: apsw.Connection) -> list[tuple[int, Query]]:
    """Return visible queries with their numbers, in the project's order.

    Of several texts of a query the one imported last counts, at the first one's place.
    """
    rows = connection.execute(
        "SELECT q.query_id, q.external_id, t.text, t.description, t.narrative, t.weight, "
        "t.category, t.fields, t.position FROM query_texts t JOIN queries q USING(query_id) "
        "JOIN steps s USING(step_id) WHERE s.state = 'done' ORDER BY t.step_id"
    )
    found: dict[int, Query] = {}
    places: dict[int, int] = {}
    for (
        query_id,
        external_id,
        text,
        description,
        narrative,
        weight,
        category,
        fields,
        place,
    ) in rows:
        found[query_id] = Query(
            external_id, text, description, narrative, weight, category, json.loads(fields)
        )
        places.setdefault(query_id, place)
    return sorted(found.items(), key=lambda item: (places[item[0]], item[0]))


def load_runs(connection: apsw.Connection) -> list[RunRow]:
    """Return visible runs in the order in which they were imported."""
    return [
        RunRow(*row)
        for row in connection.execute(
            "SELECT r.run_id, r.name, r.source, count(k.n), coalesce(sum(k.n), 0) FROM runs r "
            "JOIN steps s USING(step_id) LEFT JOIN rankings k USING(run_id) "
            "WHERE s.state = 'done' GROUP BY r.run_id ORDER BY r.run_id"
        )
    ]


def load_ranking(connection: apsw.Connection, run_id: int, query_id: int) -> Ranking:
    """Return one ranking; empty when the run has none for the query."""
    row = connection.execute(
        "SELECT docs, scores FROM rankings WHERE run_id = ? AND query_id = ?", (run_id, query_id)
    ).fetchone()
    if row is None:
        return EMPTY_RANKING
    docs, scores = row
    return Ranking(
        np.frombuffer(docs, _DOCS).astype(np.int32, copy=False),
        None if scores is None else np.frombuffer(scores, _SCORES).astype(np.float64, copy=False),
    )


def iter_packed_documents(connection: apsw.Connection, run_id: int) -> Iterator[tuple[int, bytes]]:
    """Yield (query, packed documents) of a run's rankings."""
    return iter(
        connection.execute("SELECT query_id, docs FROM rankings WHERE run_id = ?", (run_id,))
    )


def load_documents(connection: apsw.Connection, document_ids: Iterable[int]) -> list[Document]:
    """Return documents in the order asked for; those without text have only their id.

    Raises:
        KeyError: there is no document of that number.
    """
    return [load_document(connection, int(number)) for number in document_ids]


def load_document(connection: apsw.Connection, document_id: int) -> Document:
    """Return one document with the text imported last.

    Raises:
        KeyError: there is no document of that number.
    """
    row = connection.execute(
        "SELECT t.title, url, body, fields, (SELECT external_id FROM documents "
        "WHERE document_id = t.document_id) FROM document_texts t JOIN steps s USING(step_id) "
        "WHERE document_id = ? AND s.state = 'done' ORDER BY t.step_id DESC LIMIT 1",
        (document_id,),
    ).fetchone()
    if row is None:
        return Document(load_document_id(connection, document_id))
    title, url, body, fields, external_id = row
    return Document(external_id, title, url, body, json.loads(fields))


def load_document_id(connection: apsw.Connection, document_id: int) -> str:
    """Return a document's external id.

    Raises:
        KeyError: there is no document of that number.
    """
    row = connection.execute(
        "SELECT external_id FROM documents WHERE document_id = ?", (document_id,)
    ).fetchone()
    if row is None:
        raise KeyError(document_id)
    return str(row[0])


def load_document_ids(
    connection: apsw.Connection, document_ids: Sequence[int] | None = None
) -> dict[int, str]:
    """Return external ids by number, of some documents or of all."""
    if document_ids is None or len(document_ids) > 20_000:
        rows = connection.execute("SELECT document_id, external_id FROM documents")
        return dict(rows)
    return {number: load_document_id(connection, number) for number in document_ids}


def find_document(connection: apsw.Connection, external_id: str) -> int | None:
    """Return a document's number, or ``None``."""
    row = connection.execute(
        "SELECT document_id FROM documents WHERE external_id = ?", (external_id,)
    ).fetchone()
    return None if row is None else int(row[0])


def find_query(connection: apsw.Connection, external_id: str) -> int | None:
    """Return a query's number, visible or not, or ``None``."""
    row = connection.execute(
        "SELECT query_id FROM queries WHERE external_id = ?", (external_id,)
    ).fetchone()
    return None if row is None else int(row[0])


def count_documents(connection: apsw.Connection) -> tuple[int, int]:
    """Return how many documents are known by id, and how many of them have a visible text."""
    known = connection.execute("SELECT count(*) FROM documents").get
    with_text = connection.execute(
        "SELECT count(DISTINCT document_id) FROM document_texts JOIN steps s USING(step_id) "
        "WHERE s.state = 'done'"
    ).get
    return int(known), int(with_text)


_ID_COLUMNS = {"queries": "query_id", "documents": "document_id"}


def count_ids(connection: apsw.Connection, table: str) -> int:
    """Return the highest number given so far in ``queries`` or ``documents``."""
    column = _ID_COLUMNS[table]
    return int(connection.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").get)  # noqa: S608 - from a constant table


def find_numbers(connection: apsw.Connection, table: str, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of those external ids that are known.

    Args:
        connection: any.
        table: ``queries`` or ``documents``.
        ids: external ids; many of them are found by one pass over the table.
    """
    column = _ID_COLUMNS[table]
    if len(ids) * 4 > count_ids(connection, table):
        wanted = set(ids)
        rows = connection.execute(f"SELECT external_id, {column} FROM {table}")  # noqa: S608 - from a constant table
        return {name: number for name, number in rows if name in wanted}
    look_up = f"SELECT {column} FROM {table} WHERE external_id = ?"  # noqa: S608 - from a constant table
    found: dict[str, int] = {}
    for name in ids:
        row = connection.execute(look_up, (name,)).fetchone()
        if row is not None:
            found[name] = row[0]
    return found


def insert_ids(connection: apsw.Connection, table: str, rows: Iterable[tuple[int, str]]) -> None:
    """Add (number, external id) pairs to ``queries`` or ``documents``."""
    connection.executemany(f"INSERT INTO {table} VALUES(?, ?)", rows)


def insert_query_texts(
    connection: apsw.Connection, rows: Iterable[tuple[int, Query]], *, step_id: int
) -> None:
    """Write queries that an import brings, at the end of the project's order."""
    place = int(connection.execute("SELECT coalesce(max(position), 0) FROM query_texts").get)
    connection.executemany(
        "INSERT OR REPLACE INTO query_texts VALUES(?,?,?,?,?,?,?,?,?)",
        (
            (
                number,
                step_id,
                place + offset,
                query.text,
                query.description,
                query.narrative,
                query.weight,
                query.category,
                json.dumps(dict(query.fields), ensure_ascii=False),
            )
            for offset, (number, query) in enumerate(rows, 1)
        ),
    )


def insert_document_texts(
    connection: apsw.Connection, rows: Iterable[tuple[int, Document]], *, step_id: int
) -> None:
    """Write texts of documents that an import brings."""
    connection.executemany(
        "INSERT OR REPLACE INTO document_texts VALUES(?,?,?,?,?,?)",
        (
            (
                number,
                step_id,
                document.title,
                document.url,
                document.body,
                json.dumps(dict(document.fields), ensure_ascii=False),
            )
            for number, document in rows
        ),
    )


def insert_run(connection: apsw.Connection, *, name: str, source: str, step_id: int) -> int:
    """Add a run without rankings and return its number."""
    connection.execute(
        "INSERT INTO runs(uuid, step_id, name, source) VALUES(?,?,?,?)",
        (uuid.uuid4().bytes, step_id, name, source),
    )
    return connection.last_insert_rowid()


def insert_rankings(
    connection: apsw.Connection,
    run_id: int,
    rows: Iterable[tuple[int, npt.NDArray[Any], npt.NDArray[Any] | None]],
) -> None:
    """Write (query, documents, scores) of a run, packed."""
    connection.executemany(
        "INSERT INTO rankings VALUES(?,?,?,?,?)",
        (
            (
                run_id,
                query_id,
                len(docs),
                docs.astype(_DOCS).tobytes(),
                None if scores is None else scores.astype(_SCORES).tobytes(),
            )
            for query_id, docs, scores in rows
        ),
    )
