"""Queries, documents, runs and rankings: reading them, and writing what an import brings."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.clock import new_uuid
from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import EMPTY_RANKING, Ranking
from judgetool.storage.damage import insert_row, insert_sealed, parse_object
from judgetool.storage.ids import (
    DOCS,
    SCORES,
    Numbers,
    are_known,
    count_ids,
    find_id_numbers,
    load_id_texts,
    parse_numbers,
)
from judgetool.wording import _

# Texts are read so many at a time, more while they are short: other threads wait for a part.
_FEWEST_TEXTS, _MOST_TEXTS, _CHARACTERS_AT_ONCE = 16, 4_096, 1_000_000
# Whole documents.
_TEXTS_AT_ONCE = 64


class PairCounts(NamedTuple):
    """How often a document was shown for a query, and clicked, at all positions together.

    Attributes:
        query_id: number in the file.
        document_id: likewise.
        impressions: how often it was shown.
        clicks: how often it was clicked.
    """

    query_id: int
    document_id: int
    impressions: int
    clicks: int


class ClickCount(NamedTuple):
    """What one row of the file says: a pair at one position, 0 where that is not known."""

    query_id: int
    document_id: int
    position: int
    impressions: int
    clicks: int


_CLICKS = (
    "SELECT c.query_id, c.document_id, c.position, c.impressions, c.clicks FROM clicks c "
    "JOIN steps s USING(step_id) WHERE s.state = 'done' AND c.step_id = (SELECT o.step_id "
    "FROM clicks o JOIN steps p USING(step_id) WHERE p.state = 'done' AND o.query_id = c.query_id "
    "AND o.document_id = c.document_id ORDER BY p.at DESC, p.uuid DESC LIMIT 1)"
)


def load_clicks(connection: apsw.Connection) -> Iterator[ClickCount]:
    """Yield what counts of clicks: of each pair what the step imported last says of it."""
    for row in connection.execute(f"{_CLICKS} ORDER BY 1, 2, 3"):
        yield ClickCount(*row)


def load_pair_counts(connection: apsw.Connection) -> list[PairCounts]:
    """Return impressions and clicks of each pair, positions added up."""
    rows = connection.execute(
        f"SELECT query_id, document_id, sum(impressions), sum(clicks) FROM ({_CLICKS}) GROUP BY 1, 2"  # noqa: S608 - a constant
    )
    return [PairCounts(*row) for row in rows]


def insert_clicks(connection: apsw.Connection, rows: Iterable[ClickCount], *, step_id: int) -> None:
    """Add what a step says of clicks; each pair and position once."""
    insert_sealed(
        connection,
        "clicks",
        ((*row[:3], step_id, row.impressions, row.clicks) for row in rows),
        step_id=step_id,
    )


class RunRow(NamedTuple):
    """A visible run."""

    run_id: int
    name: str
    source: str
    n_queries: int
    n_results: int


# Texts that copies of a project changed apart

AFTER = "after"
"""What a step that writes texts keeps of those it was written upon: the uuids of the last such steps."""
_TEXT_STEPS = (
    "SELECT step_id FROM row_counts JOIN steps USING(step_id) "
    "WHERE name IN ('query_texts', 'document_texts') AND state = 'done'"
)
_UPON = (
    "WITH RECURSIVE upon(name) AS ("  # noqa: S608 - constants
    f"SELECT j.value FROM steps s, json_each(s.detail, '$.{AFTER}') j WHERE s.step_id = ? "
    "UNION SELECT j.value FROM upon JOIN steps s ON s.uuid = unhex(upon.name), "
    f"json_each(s.detail, '$.{AFTER}') j) "
    "SELECT s.step_id FROM upon JOIN steps s ON s.uuid = unhex(upon.name)"
)


def written_upon(connection: apsw.Connection) -> dict[str, Any]:
    """Return what a step that writes texts now is to keep of them: those that no other was written upon."""
    rows = connection.execute(
        f"SELECT hex(uuid) FROM steps WHERE step_id IN ({_TEXT_STEPS}) AND hex(uuid) NOT IN "  # noqa: S608 - constants
        f"(SELECT j.value FROM steps s, json_each(s.detail, '$.{AFTER}') j "
        f"WHERE s.step_id IN ({_TEXT_STEPS})) ORDER BY uuid"
    )
    return {AFTER: [name for (name,) in rows]}


def load_text_steps(connection: apsw.Connection) -> frozenset[int]:
    """Return the visible steps that brought texts."""
    return frozenset(int(str(number)) for (number,) in connection.execute(_TEXT_STEPS))


def leave_out_texts(
    connection: apsw.Connection, step_id: int, others: Iterable[int], seen: Iterable[int]
) -> tuple[int, int]:
    """Take away what a step that is being written says of texts of which others say something, too.

    Args:
        connection: in a transaction.
        step_id: the step.
        others: those that came or went while it was written.
        seen: those upon which it was planned.

    Returns:
        Of how many texts nothing was known when it was planned, and of how many something was.
    """
    found = [0, 0]
    theirs, before = (json.dumps(sorted(steps)) for steps in (others, seen))
    for table, key in (("query_texts", "query_id"), ("document_texts", "document_id")):
        rows: Any = connection.execute(
            f"SELECT {key}, max(step_id IN (SELECT value FROM json_each(?3))) FROM {table} "  # noqa: S608 - constants
            f"WHERE {key} IN (SELECT {key} FROM {table} WHERE step_id IN (SELECT value FROM json_each(?2)) "
            f"AND {key} IN (SELECT {key} FROM {table} WHERE step_id = ?1)) GROUP BY {key}",
            (step_id, theirs, before),
        ).fetchall()
        connection.executemany(
            f"DELETE FROM {table} WHERE {key} = ? AND step_id = ?",  # noqa: S608 - constants
            [(number, step_id) for number, _ in rows],
        )
        connection.execute(
            "UPDATE row_counts SET n = n - ? WHERE step_id = ? AND name = ?",
            (len(rows), step_id, table),
        )
        for _number, was_known in rows:
            found[was_known] += 1
    connection.execute("DELETE FROM row_counts WHERE step_id = ? AND n = 0", (step_id,))
    return found[0], found[1]


class PartOfText(NamedTuple):
    """What a step says of one part of a text; ``None`` for an own field that it takes away."""

    value: Any
    step_id: int

    @property
    def is_said(self) -> bool:
        """Whether it is more than nothing, or than what every query has."""
        return self.value not in ("", None, 1.0)


SaidText = tuple[int, Mapping[str, Any]]
"""A step, and all parts of a text as it has them."""
_OWN = "fields."
_UNSAID: Mapping[str, Any] = {"weight": 1.0}


class WrittenUpon:
    """Which steps the texts of a step were written upon; ``None`` where a step does not say so.

    Those of older versions do not: they stand for all parts of their texts.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._known: dict[int, frozenset[int] | None] = {}

    def of(self, step_id: int) -> frozenset[int] | None:
        """Return them, also those that are further back."""
        if step_id not in self._known:
            says = self._connection.execute(
                f"SELECT json_type(detail, '$.{AFTER}') FROM steps WHERE step_id = ?",  # noqa: S608 - a constant
                (step_id,),
            ).get
            found: Any = self._connection.execute(_UPON, (step_id,))
            self._known[step_id] = frozenset(n for (n,) in found) if says else None
        return self._known[step_id]


def part_changes(said: Sequence[SaidText], upon: WrittenUpon) -> dict[str, list[PartOfText]]:
    """Return who changed each part of a text: last stands what counts.

    A step changes what is otherwise in what it was written upon. Two copies that each changed
    another part so keep both, in whatever order they are merged.

    Args:
        said: all that visible steps say of one text, by time.
        upon: what these were written upon.
    """
    changed: dict[int, Mapping[str, Any]] = {}

    def known(step: int) -> frozenset[int]:
        return upon.of(step) or frozenset()

    for step, parts in sorted(said, key=lambda each: len(known(each[0]))):
        if upon.of(step) is None:
            changed[step] = parts
            continue
        before: dict[str, Any] = {}
        for other, _parts in said:
            if other in known(step):
                is_whole = upon.of(other) is None
                before = dict(changed[other]) if is_whole else {**before, **changed[other]}
        names = dict.fromkeys([*parts, *before])
        changed[step] = {
            name: parts.get(name)
            for name in names
            if parts.get(name) != before.get(name, _unsaid(name))
        }
    found: dict[str, list[PartOfText]] = {}
    for step, parts in said:
        for name in dict.fromkeys([*parts, *found]) if upon.of(step) is None else ():
            found.setdefault(name, []).append(PartOfText(parts.get(name), step))
        for name, value in changed[step].items() if upon.of(step) is not None else ():
            found.setdefault(name, []).append(PartOfText(value, step))
    return found


def _unsaid(name: str) -> Any:  # noqa: ANN401 - whatever a part is
    return None if name.startswith(_OWN) else _UNSAID.get(name, "")


def part_name(part: str) -> str:
    """Return what a part of a text is called in files of texts."""
    return "text" if part == "body" else part.removeprefix(_OWN)


def parts_of(names: Sequence[str], said: Sequence[Any]) -> dict[str, Any]:
    """Return a row of a text by its parts; own fields one by one."""
    parts = dict(zip(names, said, strict=True))
    fields = parts.pop("fields", "{}")
    own = parse_object(fields, _("What else is known of a document"))
    return parts | {_OWN + name: value for name, value in own.items()}


def _row_of(names: Sequence[str], changes: Mapping[str, Sequence[PartOfText]]) -> tuple[Any, ...]:
    now = {name: parts[-1].value for name, parts in changes.items()}
    own = {
        name.removeprefix(_OWN): value
        for name, value in now.items()
        if name.startswith(_OWN) and value is not None
    }
    now["fields"] = _as_json(own)
    return tuple(now.get(name, _unsaid(name)) for name in names)


def _one_each(
    connection: apsw.Connection, rows: Sequence[Sequence[Any]], names: Sequence[str]
) -> dict[int, Sequence[Any]]:
    """Return what all visible rows of each text together say: of several the one imported last counts.

    Where copies of the project wrote two of them apart, each part counts as it was changed last.

    Args:
        connection: any.
        rows: number of the thing, its parts, the step; those of each thing by time.
        names: of the parts.
    """
    last = {row[0]: row[1:-1] for row in rows}
    if len(last) == len(rows) or not _has_merged(connection):
        return last
    of_each: dict[int, list[Sequence[Any]]] = {}
    for row in rows:
        of_each.setdefault(row[0], []).append(row)
    upon = WrittenUpon(connection)
    for number, own in of_each.items():
        newest = upon.of(own[-1][-1])
        if newest is None or newest.issuperset(row[-1] for row in own[:-1]):
            continue
        said = [(row[-1], parts_of(names, row[1:-1])) for row in own]
        last[number] = _row_of(names, part_changes(said, upon))
    return last


def _has_merged(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone() is not None


def load_queries(connection: apsw.Connection) -> list[tuple[int, Query]]:
    """Return visible queries with their numbers, in the project's order.

    Of several texts of a query the one imported last counts (:func:`_one_each`), at the first one's
    place.
    """
    rows: Any = connection.execute(
        f"SELECT q.query_id, {', '.join(QUERY_PARTS)}, s.step_id, q.external_id, t.position "  # noqa: S608 - constants
        "FROM query_texts t JOIN queries q USING(query_id) "
        "JOIN steps s USING(step_id) WHERE s.state = 'done' ORDER BY s.at, s.uuid"
    ).fetchall()
    found: dict[int, Query] = {}
    places: dict[int, int] = {}
    names: dict[int, str] = {}
    for query_id, *_said, name, place in rows:
        names[query_id] = name
        places.setdefault(query_id, place)
    texts = _one_each(connection, [row[:-2] for row in rows], QUERY_PARTS)
    for query_id, (*said, fields) in texts.items():
        name = names[query_id]
        own = parse_object(
            fields, _("What else is known of query {external_id}").format(external_id=name)
        )
        rest = [*said, own]
        found[query_id] = Query(name, *rest)
    # Two copies of a file may each have added one at the same place.
    return sorted(found.items(), key=lambda item: (places[item[0]], item[1].id))


def load_runs(connection: apsw.Connection) -> list[RunRow]:
    """Return visible runs in the order in which they were imported."""
    return [
        RunRow(*row)
        for row in connection.execute(
            "SELECT r.run_id, r.name, r.source, count(k.n), coalesce(sum(k.n), 0) FROM runs r "
            "JOIN steps s USING(step_id) LEFT JOIN rankings k USING(run_id) "
            "WHERE s.state = 'done' GROUP BY r.run_id ORDER BY s.at, s.uuid, r.run_id"
        )
    ]


def are_same_rankings(connection: apsw.Connection, run_id: int, other_id: int) -> bool:
    """Whether two runs rank the same documents for the same queries with the same scores."""
    found = connection.execute(
        "SELECT count(*) FROM (SELECT query_id, docs, scores FROM rankings WHERE run_id IN (?1, ?2) "
        "GROUP BY query_id, docs, scores HAVING count(*) < 2)",
        (run_id, other_id),
    )
    return int(found.get) == 0


def load_ranking(connection: apsw.Connection, run_id: int, query_id: int) -> Ranking:
    """Return one ranking; empty when the run has none for the query."""
    row = connection.execute(
        "SELECT docs, scores FROM rankings WHERE run_id = ? AND query_id = ?", (run_id, query_id)
    ).fetchone()
    if row is None:
        return EMPTY_RANKING
    docs, scores = row
    top = count_ids(connection, "documents")
    if not are_known(docs, top):
        # As loading the whole run leaves it out, and tells of it.
        return EMPTY_RANKING
    return Ranking(
        np.frombuffer(docs, DOCS).astype(np.int32, copy=False),
        None if scores is None else np.frombuffer(scores, SCORES).astype(np.float64, copy=False),
    )


def load_documents(connection: apsw.Connection, document_ids: Iterable[int]) -> list[Document]:
    """Return documents in the order asked for; those without text have only their id.

    Raises:
        KeyError: there is no document of that number.
    """
    wanted = [int(number) for number in document_ids]
    if len(wanted) < 2:
        return [load_document(connection, number) for number in wanted]
    found: dict[int, Document] = {}
    every = np.array(sorted(set(wanted)))
    for start in range(0, len(every), _TEXTS_AT_ONCE):
        numbers = every[start : start + _TEXTS_AT_ONCE]
        texts = _one_each(connection, _rows_of(connection, _TEXTS, numbers), DOCUMENT_PARTS)
        for number, name in _rows_of(connection, _IDS, numbers):
            found[number] = _as_document(name, *texts.get(number, ()))
    return [found[number] for number in wanted]


DOCUMENT_PARTS = ("title", "url", "body", "fields", "image")
QUERY_PARTS = ("text", "description", "narrative", "weight", "category", "fields")
"""What texts of documents and queries are made of, as their tables call it."""
_TEXTS = (
    "SELECT document_id, t.title, url, body, fields, image, t.step_id FROM document_texts t "
    "JOIN steps s USING(step_id) WHERE s.state = 'done' AND document_id {} "
    "ORDER BY document_id, s.at, s.uuid"
)
_IDS = "SELECT document_id, external_id FROM documents WHERE document_id {}"


def load_document(connection: apsw.Connection, document_id: int) -> Document:
    """Return one document with the text imported last.

    Raises:
        KeyError: there is no document of that number.
    """
    rows: Any = connection.execute(
        "SELECT s.state = 'done', external_id, t.title, url, body, fields, image, t.step_id "
        "FROM documents LEFT JOIN document_texts t USING(document_id) LEFT JOIN steps s USING(step_id) "
        "WHERE document_id = ? ORDER BY s.state = 'done', s.at, s.uuid",
        (document_id,),
    ).fetchall()
    if not rows:
        raise KeyError(document_id)
    is_visible, name, *text, _step = rows[-1]
    if is_visible and len(rows) > 1:
        seen = [(document_id, *row[2:]) for row in rows if row[0]]
        text = _one_each(connection, seen, DOCUMENT_PARTS)[document_id]
    return _as_document(name, *(text if is_visible else ()))


def _as_document(name: str, *text: str) -> Document:
    """Return a document of what :data:`_TEXTS` gives of it; of nothing it has only its id."""
    if not text:
        return Document(name)
    title, url, body, fields, image = text
    own = parse_object(fields, _("What else is known of document {name}").format(name=name))
    return Document(name, title, url, body, own, image)


class DocumentTexts(NamedTuple):
    """Some documents' texts.

    Attributes:
        n_read: documents asked for that have been gone through so far.
        texts: by number; those that have none are left out.
    """

    n_read: int
    texts: Mapping[int, str]


def iter_document_texts(
    connection: apsw.Connection, document_ids: npt.NDArray[np.integer], field: str
) -> Iterator[DocumentTexts]:
    """Yield one part of very many documents, some at a time; no cursor stays open between.

    Args:
        connection: for looking.
        document_ids: numbers, rising, each once.
        field: ``id``, ``title``, ``url``, ``body`` or the name of an own field; ``""`` for all own
            fields, as JSON.
    """
    column = field if field in ("title", "url", "body") else "fields"
    select = (
        f"SELECT document_id, t.{column}, t.step_id FROM document_texts t JOIN steps s USING(step_id) "  # noqa: S608 - one of four constants
        "WHERE s.state = 'done' AND document_id {} ORDER BY document_id, s.at, s.uuid"
    )
    if field == "id":
        select = _IDS
    n_read, n_at_once = 0, _FEWEST_TEXTS
    while n_read < len(document_ids):
        part = document_ids[n_read : n_read + n_at_once]
        rows = _rows_of(connection, select, part)
        texts: dict[int, str] = (
            dict(rows)
            if field == "id"
            else {
                number: said[0] for number, said in _one_each(connection, rows, (column,)).items()
            }
        )
        size = sum(map(len, texts.values()))
        n_read += len(part)
        is_own = column == "fields" and field not in ("id", "")
        yield DocumentTexts(n_read, _own(texts, field) if is_own else texts)
        if size < _CHARACTERS_AT_ONCE:
            n_at_once = min(2 * n_at_once, _MOST_TEXTS)
        elif n_at_once > 1:
            n_at_once //= 2


def _rows_of(connection: apsw.Connection, select: str, part: npt.NDArray[np.integer]) -> list[Any]:
    """Return the rows of some documents: of a range as a whole where most of it is wanted."""
    first, last = int(part[0]), int(part[-1])
    if last - first >= 4 * len(part):
        numbers = json.dumps(part.tolist())
        found = connection.execute(
            select.format("IN (SELECT value FROM json_each(?))"), (numbers,)
        ).fetchall()
        return list(found)
    rows = connection.execute(select.format("BETWEEN ? AND ?"), (first, last)).fetchall()
    if last - first + 1 == len(part):
        return list(rows)
    is_wanted = set(part.tolist())
    return [row for row in rows if row[0] in is_wanted]


def _own(fields: Mapping[int, str], name: str) -> dict[int, str]:
    """Return the own field of this name where there is one."""
    written = json.dumps(name, ensure_ascii=False)
    found = {}
    for number, text in fields.items():
        if written in text:
            value = parse_object(text, _("What else is known of a document")).get(name)
            if value is not None:
                found[number] = str(value)
    return found


def load_document_title(connection: apsw.Connection, document_id: int) -> str:
    """Return the title of a document imported last; ``""`` where there is none.

    Of one that is damaged, what can be read of it.
    """
    rows: Any = connection.execute(
        "SELECT document_id, CAST(t.title AS BLOB), t.step_id FROM document_texts t "
        "JOIN steps s USING(step_id) WHERE document_id = ? AND s.state = 'done' ORDER BY s.at, s.uuid",
        (document_id,),
    ).fetchall()
    if not rows:
        return ""
    titles = [(number, bytes(title).decode(errors="replace"), step) for number, title, step in rows]
    return str(_one_each(connection, titles, ("title",))[document_id][0])


def load_document_id(connection: apsw.Connection, document_id: int) -> str:
    """Return a document's external id.

    Raises:
        KeyError: there is no document of that number.
    """
    return load_id_texts(connection, [document_id])[0]


def load_document_ids(
    connection: apsw.Connection, document_ids: Sequence[int] | None = None
) -> dict[int, str]:
    """Return external ids by number, of some documents or of all."""
    if document_ids is None or len(document_ids) > 20_000:
        rows = connection.execute("SELECT document_id, external_id FROM documents")
        return dict(rows)
    return dict(zip(document_ids, load_id_texts(connection, document_ids), strict=True))


def find_document(connection: apsw.Connection, external_id: str) -> int | None:
    """Return a document's number, or ``None``."""
    return int(find_id_numbers(connection, "documents", [external_id])[0]) or None


def iter_urls(connection: apsw.Connection) -> Iterator[tuple[str, str]]:
    """Yield (address, external id) of documents that have an address, some of them several times."""
    return iter(
        connection.execute(
            "SELECT t.url, d.external_id FROM document_texts t JOIN documents d USING(document_id) "
            "JOIN steps s USING(step_id) WHERE s.state = 'done' AND t.url <> ''"
        )
    )


def count_documents(connection: apsw.Connection) -> tuple[int, int]:
    """Return how many documents are visible, and of how many files of documents told, if their id alone."""
    with_row = connection.execute(
        "SELECT count(DISTINCT document_id) FROM document_texts JOIN steps s USING(step_id) "
        "WHERE s.state = 'done'"
    ).get
    return int(load_visible_documents(connection).sum()), int(with_row)


def count_texts(connection: apsw.Connection) -> int:
    """Return how many documents have more to show than their id; each text is looked at."""
    # A length is looked up where a text would be read; what stands behind a long one only at need.
    found = connection.execute(
        "SELECT coalesce(sum(has_text), 0) FROM (SELECT max(s.at), CASE "
        "WHEN octet_length(t.title) > 0 OR octet_length(t.body) > 0 THEN 1 "
        "ELSE t.fields <> '{}' OR t.image <> '' END AS has_text FROM document_texts t "
        "JOIN steps s USING(step_id) WHERE s.state = 'done' GROUP BY document_id)"
    )
    return int(found.get)


_NAMED_DOCUMENTS = (
    (
        "SELECT group_concat(document_id) FROM document_texts JOIN steps s USING(step_id) "
        "WHERE s.state = 'done'"
    ),
    "SELECT group_concat(DISTINCT document_id) FROM judgments",
    (
        "SELECT group_concat(d.document_id) FROM project_values v, json_tree(v.value) j "
        "JOIN documents d ON d.external_id = j.atom WHERE j.type = 'text'"
    ),
)


def load_visible_documents(
    connection: apsw.Connection, *, is_named: bool = True
) -> npt.NDArray[np.bool_]:
    """Return which documents are visible: in a run, with a text, judged, or named by a value.

    The ids of an import that was cancelled, killed or undone stay in their table, but
    nothing else speaks of them.

    Args:
        connection: any.
        is_named: whether being judged, or named by a value, is enough.

    Returns:
        By number, shape (highest number + 1,).
    """
    is_visible = np.zeros(count_ids(connection, "documents") + 1, np.bool_)
    # The cursor keeps a blob only until the next row is asked for.
    for (docs,) in connection.execute(
        "SELECT k.docs FROM rankings k JOIN runs USING(run_id) JOIN steps s USING(step_id) "
        "WHERE s.state = 'done'"
    ):
        found = np.frombuffer(docs[: len(docs) // 4 * 4], DOCS)
        # Others are damage, which loading the run tells of.
        is_visible[found[(found >= 0) & (found < len(is_visible))]] = True
    # In one text each: a row for each of a million documents would hold other threads up.
    for numbers in _NAMED_DOCUMENTS if is_named else _NAMED_DOCUMENTS[:1]:
        _mark(is_visible, parse_numbers(connection.execute(numbers).get))
    return is_visible


def load_documents_with_text(connection: apsw.Connection, count: int) -> npt.NDArray[np.bool_]:
    """Return which documents have a visible text, by number, shape (count,)."""
    has_text = np.zeros(count, np.bool_)
    _mark(has_text, parse_numbers(connection.execute(_NAMED_DOCUMENTS[0]).get))
    return has_text


def _mark(flags: npt.NDArray[np.bool_], numbers: Numbers) -> None:
    # What others have added since the documents were counted is not among them.
    flags[numbers[numbers < len(flags)]] = True


def insert_query_texts(
    connection: apsw.Connection, rows: Iterable[tuple[int, Query]], *, step_id: int
) -> None:
    """Write queries that an import brings, at the end of the project's order."""
    place = int(connection.execute("SELECT coalesce(max(position), 0) FROM query_texts").get)
    insert_sealed(
        connection,
        "query_texts",
        (
            (
                number,
                step_id,
                place + offset,
                query.text,
                query.description,
                query.narrative,
                float(query.weight),
                query.category,
                _as_json(query.fields),
            )
            for offset, (number, query) in enumerate(rows, 1)
        ),
        step_id=step_id,
    )


def insert_document_texts(
    connection: apsw.Connection, rows: Iterable[tuple[int, Document]], *, step_id: int
) -> None:
    """Write texts of documents that an import brings."""
    insert_sealed(
        connection,
        "document_texts",
        (
            (
                number,
                step_id,
                document.title,
                document.url,
                document.body,
                _as_json(document.fields),
                document.image,
            )
            for number, document in rows
        ),
        step_id=step_id,
    )


def _as_json(fields: Mapping[str, Any]) -> str:
    # Most have none, of a million.
    return json.dumps(dict(fields), ensure_ascii=False) if fields else "{}"


def insert_run(connection: apsw.Connection, *, name: str, source: str, step_id: int) -> int:
    """Add a run without rankings and return its number."""
    return insert_row(connection, "runs", (new_uuid(), step_id, name, source))


def insert_rankings(
    connection: apsw.Connection,
    run_id: int,
    rows: Iterable[tuple[int, npt.NDArray[Any], npt.NDArray[Any] | None]],
) -> None:
    """Write (query, documents, scores) of a run, packed."""
    insert_sealed(
        connection,
        "rankings",
        (
            (
                run_id,
                query_id,
                len(docs),
                docs.astype(DOCS).tobytes(),
                None if scores is None else scores.astype(SCORES).tobytes(),
            )
            for query_id, docs, scores in rows
        ),
        step_id=int(connection.execute("SELECT step_id FROM runs WHERE run_id = ?", (run_id,)).get),
    )


@dataclass(frozen=True, slots=True)
class ProjectMaterial:
    """The visible queries and runs.

    Attributes:
        query_ids: numbers in the file, in the project's order; a query's place in
            this order is the number by which the session knows it.
        queries: the queries themselves, likewise.
        runs: the runs, first imported first.
        place_of: from number in the file to place.
    """

    query_ids: tuple[int, ...]
    queries: tuple[Query, ...]
    runs: tuple[RunRow, ...]
    place_of: dict[int, int] = field(default_factory=dict)


def load_material(connection: apsw.Connection) -> ProjectMaterial:
    """Load the visible queries and runs."""
    numbered = load_queries(connection)
    query_ids = tuple(number for number, _ in numbered)
    return ProjectMaterial(
        query_ids,
        tuple(query for _, query in numbered),
        tuple(load_runs(connection)),
        {number: place for place, number in enumerate(query_ids)},
    )


KNOWN_ASSESSORS = (
    "SELECT assessor_id, name, kind FROM assessors a WHERE kind <> 'again' AND (assessor_id IN "
    "(SELECT assessor_id FROM judgments) OR assessor_id IN (SELECT k.assessor_id FROM asks k "
    "JOIN steps s USING(step_id) WHERE s.state NOT IN ('pending', 'abandoned')) "
    "OR EXISTS (SELECT 1 FROM steps s WHERE s.assessor_id = a.assessor_id AND s.state NOT IN ('pending', 'abandoned')) "
    # Last, as it looks through all of the log for somebody who is not in it.
    "OR EXISTS (SELECT 1 FROM events e JOIN steps s USING(step_id) "
    "WHERE e.assessor_id = a.assessor_id AND s.state NOT IN ('pending', 'abandoned')))"
)
"""Who has taken a step, said or been asked something: not who only an import knew that was never finished."""


def load_assessor_names(connection: apsw.Connection) -> dict[int, str]:
    """Return the names of all who have taken a step, said or been asked something, first known first.

    Where copies were merged they stand by name: their numbers would tell the order of merging.
    Those under which people's second judgments are kept are nobody's.
    Names that only an import knew that was cancelled or killed stay in their table.
    """
    return dict(
        connection.execute(
            f"SELECT assessor_id, name FROM ({KNOWN_ASSESSORS}) "  # noqa: S608 - constants
            "ORDER BY CASE WHEN EXISTS (SELECT 1 FROM arrivals) THEN lower(name) || ' ' || name END, "
            "assessor_id"
        )
    )


class StoredImage(NamedTuple):
    """A document's picture.

    Attributes:
        path: relative to the folder; ``""`` for none.
        folder: relative to the project's own folder, or absolute; ``""`` where none is
            known.
    """

    path: str
    folder: str


def load_image_folders(connection: apsw.Connection) -> list[str]:
    """Return the folders that visible imports name for their pictures, each once."""
    rows = connection.execute(
        "SELECT json_extract(detail, '$.image_folder') FROM steps WHERE state = 'done' "
        "AND json_extract(detail, '$.image_folder') IS NOT NULL ORDER BY step_id"
    )
    return list(dict.fromkeys(str(folder) for (folder,) in rows))


def find_stored_image(connection: apsw.Connection, document_id: int) -> StoredImage | None:
    """Return the picture of a document's text imported last; ``None`` where it has no text.

    Its folder is that of the import which brought it: a text that was changed since keeps it.
    """
    rows: Any = connection.execute(
        "SELECT document_id, t.image, t.step_id, coalesce(json_extract(s.detail, "
        "'$.kept_image_folders.\"' || document_id || '\"'), json_extract(s.detail, '$.image_folder')) "
        "FROM document_texts t JOIN steps s USING(step_id) WHERE document_id = ? AND s.state = 'done' "
        "ORDER BY s.at, s.uuid",
        (document_id,),
    ).fetchall()
    if not rows:
        return None
    (image,) = _one_each(connection, [row[:3] for row in rows], ("image",))[document_id]
    folders = (str(row[3]) for row in reversed(rows) if row[1] == image and row[3] is not None)
    return StoredImage(str(image), next(folders, ""))
