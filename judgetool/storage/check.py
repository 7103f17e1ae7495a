"""Is what a project's connection shows sound, and how much of it is there."""

import os
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from judgetool.core.number_text import number_of
from judgetool.errors import ProjectDamagedError
from judgetool.storage.connection import SCHEMA_VERSION
from judgetool.storage.damage import (
    SEALED,
    UNSOUND,
    damaged,
    in_words,
    is_meta_sound,
    iter_changed_rows,
    iter_miscounted,
    name_row,
    shown_number,
    translated_errors,
)
from judgetool.storage.history import iter_differing_judgments, iter_differing_values
from judgetool.storage.ids import are_known, count_ids
from judgetool.storage.judgments import (
    EVENT_COLUMNS,
    is_of_old,
    is_sealed,
    judgment_of,
    parse_judgment,
    split_uuids,
)
from judgetool.storage.material import KNOWN_ASSESSORS
from judgetool.wording import _, local_number, sentence_start

FIRST_WITH_CHECKSUMS = 3
"""The schema that has checksums of all that is shown."""
MOST_NAMED = 20
"""So many damaged rows of a table are named."""
WRONG_VALUES = (
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    AssertionError,
    apsw.SQLError,
    apsw.MismatchError,
    apsw.TooBigError,
    *UNSOUND,
)
"""What work on stored bytes ends with that are not what was written."""


def find_problems(connection: apsw.Connection, path: Path, *, is_quick: bool = False) -> list[str]:
    """Return a sentence for each thing that is wrong; an empty list for a sound file.

    SQLite's own whole-file check, references, texts, the checksums of log lines and
    rows, rankings, and whether judgments and values are what the log leads to. What
    cannot be looked at is a problem like any other.

    Args:
        connection: to the project.
        path: its file, for the sentences.
        is_quick: leave out what reads and hashes every text and row, four fifths of the time:
            pages that SQLite can walk, but whose texts are others than were written, go
            unnoticed then.

    Raises:
        ProjectError: the file is locked or cannot be read.
    """
    left_out = (_text_problems, _row_problems) if is_quick else ()
    return list(_iter_problems(connection, path, left_out))


def find_changed(connection: apsw.Connection, path: Path) -> str:
    """Return a sentence on the first thing found that is not what was written; ``""`` for none.

    All that has a checksum, and what follows from the log. Left out is what SQLite can tell by
    itself, of pages and references, and whether texts are UTF-8: they are what was written.

    Args:
        connection: to a project of the present schema.
        path: its file, for the sentences.

    Raises:
        ProjectError: the file is locked or cannot be read.
    """
    left_out = (_sqlite_problems, _reference_problems, _text_problems)
    return next(_iter_problems(connection, path, left_out), "")


_LEADING = ("row_counts", "step_events", "value_events", "runs", "query_texts")
"""Tables of few rows whose references say whether steps, queries and documents are themselves."""
_LOOKED_AT = 200


def refuse_evident(connection: apsw.Connection, path: Path) -> None:
    """Refuse a project whose damage a few looks tell; asked at each opening, so soon told.

    Its file may end before its last page does. And pages that stand in each other's place are
    sound pages to SQLite: what it reads there is rows of another table, or none. Looked at are
    the references of small tables and of the first judgments, and whether the log can have a
    line about each judgment; in a project of an older schema they are not looked at.

    Args:
        connection: to the project.
        path: its file, for the sentence.

    Raises:
        ProjectDamagedError: it is damaged.
    """
    if cut := find_cut(connection):
        raise damaged(path, cut)
    if load_schema_number(connection) < SCHEMA_VERSION:
        return
    table = ""
    with suppress(*UNSOUND, ProjectDamagedError):
        # What cannot be read is no contradiction: a damaged project is shown as far as it can be.
        table = _find_contradicting(connection)
    if table:
        raise damaged(path, _("its tables contradict each other: {table}").format(table=table))


def _find_contradicting(connection: apsw.Connection) -> str:
    for table in _LEADING:
        if connection.execute(f"PRAGMA foreign_key_check({table})").fetchone() is not None:
            return table
    first = f"(SELECT query_id, document_id, assessor_id FROM judgments LIMIT {_LOOKED_AT})"  # noqa: S608 - constants
    lost = " OR ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} t WHERE t.{column} = j.{column})"  # noqa: S608 - constants
        for table, column in (
            ("queries", "query_id"),
            ("documents", "document_id"),
            ("assessors", "assessor_id"),
        )
    )
    looks = (
        f"SELECT 1 FROM {first} j WHERE {lost} LIMIT 1",  # noqa: S608 - constants
        "SELECT 1 WHERE (SELECT count(*) FROM judgments) > (SELECT count(*) FROM events)",
    )
    is_lost = any(connection.execute(look).fetchone() is not None for look in looks)
    return "judgments" if is_lost else ""


def find_cut(connection: apsw.Connection) -> str:
    """Return what of the file is there where its end is missing; ``""`` where it is whole.

    SQLite reads a page that is cut as if zeros stood in place of what is missing. A page that
    the log beside the file has may be missing in the file.

    Returns:
        Words for within a sentence.
    """
    with connection:  # so that nobody else changes pages and length between the looks
        n_pages, n_bytes = _pages(connection)
        try:
            found = Path(connection.filename).stat().st_size
        except OSError:
            # Moved since it was opened, which saving tells.
            return ""
        cut = range(found // n_bytes + 1, n_pages + 1)
        if not cut or logged_pages(Path(f"{connection.filename}-wal"), n_bytes)[0].keys() >= set(
            cut
        ):
            return ""
    return _("its end is missing: {found} of {whole} bytes are there").format(
        found=local_number(f"{found:,}"), whole=local_number(f"{n_pages * n_bytes:,}")
    )


def _pages(connection: apsw.Connection) -> tuple[int, int]:
    """Return how many pages a file has, and how long one is."""
    return int(connection.pragma("page_count")), int(connection.pragma("page_size"))


def count_behind(connection: apsw.Connection) -> int:
    """Return how many bytes follow the last page of a file at rest, as where something was added to it."""
    if connection.pragma("journal_mode") == "wal":
        # Its log says how long it is.
        return 0
    with connection:
        n_pages, n_bytes = _pages(connection)
        found = Path(connection.filename).stat().st_size
    return max(0, found - n_pages * n_bytes)


def logged_pages(log: Path, n_bytes: int) -> tuple[dict[int, int], int]:
    """Return where each page stands in what a log has of whole transactions.

    Args:
        log: a ``-wal`` file, which need not be there.
        n_bytes: how long a page is.

    Returns:
        Where the newest copy of a page begins, by its number from 1; and how many pages the
        project has with them. Nothing and 0 where the log has none.
    """
    places: dict[int, int] = {}
    waiting: dict[int, int] = {}
    count = 0
    with suppress(OSError, struct.error), log.open("rb") as file:
        salts = file.read(32)[16:24]
        for at in range(32, os.fstat(file.fileno()).st_size - n_bytes - 23, n_bytes + 24):
            file.seek(at)
            number, n_pages, found = struct.unpack(">II8s", file.read(16))
            if found != salts:
                break
            waiting[number] = at + 24
            if n_pages:
                places |= waiting
                count, waiting = n_pages, {}
    return places, count


def _iter_problems(
    connection: apsw.Connection, path: Path, left_out: tuple[Callable[..., Iterable[str]], ...]
) -> Iterator[str]:
    looks: list[tuple[str, Callable[[apsw.Connection], Iterable[str]]]] = [
        (_("The file as a whole"), _sqlite_problems),
        (_("References between tables"), _reference_problems),
        (_("Texts"), _text_problems),
        (_("The log"), _hash_problems),
        (_("Rankings"), _ranking_problems),
        (_("Judgments"), _state_problems),
        (_("The project’s values"), _value_problems),
        (_("Checksums"), _row_problems),
    ]
    if cut := find_cut(connection):
        # All else that is found follows from it.
        yield f"{sentence_start(cut)}."
        return
    for name, look in looks:
        if look in left_out:
            continue
        with translated_errors(path):
            try:
                yield from look(connection)
            except (*WRONG_VALUES, ProjectDamagedError) as error:
                yield _("{name} could not be read to the end ({error}).").format(
                    name=name, error=_in_words(error)
                )


def _in_words(error: BaseException) -> str:
    """Return what reading ended with as a person can read it: what Python says is for programmers."""
    if isinstance(error, (ProjectDamagedError, apsw.Error)):
        return in_words(error)
    return _("what stands there is none of what judgetool writes")


def _sqlite_problems(connection: apsw.Connection) -> Iterator[str]:
    for (text,) in connection.execute(f"PRAGMA integrity_check({MOST_NAMED})"):
        lines = [line for line in str(text).splitlines() if not line.startswith("***")]
        if lines != ["ok"]:
            yield _("Pages of the file do not hold together; in SQLite’s words: {said}.").format(
                said="; ".join(lines)
            )


def are_pages_sound(connection: apsw.Connection) -> bool:
    """Return whether all pages are there and hold together, so that SQLite can read the whole file."""
    try:
        return not find_cut(connection) and not any(_sqlite_problems(connection))
    except (*UNSOUND, ProjectDamagedError):
        return False


def _reference_problems(connection: apsw.Connection) -> list[str]:
    rows = connection.execute("PRAGMA foreign_key_check")
    found = Counter((table, parent) for table, _row, parent, _key in rows)
    return [
        number_of(
            n,
            "{n} row of {table} refers to a row of {parent} that is not there.",
            "{n} rows of {table} refer to rows of {parent} that are not there.",
            table=table,
            parent=parent,
        )
        for (table, parent), n in found.items()
    ]


_TEXTS = {
    "meta": ("key", "value"),
    "assessors": ("name",),
    "steps": ("title", "detail"),
    "project_values": ("key", "value"),
    "value_events": ("origin", "key", "before", "after"),
    "queries": ("external_id",),
    "query_texts": ("text", "description", "narrative", "category", "fields"),
    "documents": ("external_id",),
    "document_texts": ("title", "url", "body", "fields", "image"),
    "runs": ("name", "source"),
    "judgments": ("note", "spans"),
    "events": ("origin", "before", "after", "shown"),
}


def _text_problems(connection: apsw.Connection) -> Iterator[str]:
    connection.create_scalar_function("is_text", _is_text, 1, deterministic=True)
    for table, columns in _TEXTS.items():
        for column in columns:
            n = int(
                connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL "  # noqa: S608 - constants
                    f"AND NOT is_text(CAST({column} AS BLOB))"
                ).get
            )
            if n:
                yield number_of(
                    n,
                    "{n} of {table}: what stands in {column} is no text any more.",
                    "{n} of {table}: what stands in {column} is no text any more.",
                    table=table,
                    column=column,
                )
    for table, column, kind in (
        ("query_texts", "fields", "object"),
        ("document_texts", "fields", "object"),
        ("judgments", "spans", "array"),
    ):
        n = int(
            connection.execute(
                f"SELECT count(*) FROM {table} WHERE "  # noqa: S608 - constants
                f"CASE json_valid({column}) WHEN 1 THEN json_type({column}) END IS NOT '{kind}'"
            ).get
        )
        if n:
            yield number_of(
                n,
                "{n} of {table}: what stands in {column} is not of its kind.",
                "{n} of {table}: what stands in {column} is not of its kind.",
                table=table,
                column=column,
            )


def _is_text(*data: Any) -> bool:  # noqa: ANN401 - whatever SQLite has
    try:
        bytes(data[0]).decode()
    except UnicodeDecodeError:
        return False
    return True


def _hash_problems(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute(f"SELECT event_id, {EVENT_COLUMNS} FROM events")  # noqa: S608 - constants
    changed: list[int] = []
    known, named = set(), {}
    was_old = False
    for number, *columns in rows:
        row = tuple(columns)
        known.add(row[0])
        # Old lines stand together, at the beginning.
        was_old = was_old and is_of_old(row)
        if not was_old and is_sealed(row):
            continue
        was_old = was_old or is_of_old(row)
        if was_old:
            named[number] = split_uuids(row[-2])
        else:
            changed.append(number)
    changed += [number for number, parents in named.items() if not known.issuperset(parents)]
    for number in sorted(changed)[:MOST_NAMED]:
        yield (
            _(
                "Log line {number} does not match its checksum: the file was damaged or "
                "changed by hand."
            ).format(number=number)
        )


def _ranking_problems(connection: apsw.Connection) -> Iterator[str]:
    for run, query in islice(iter_wrong_rankings(connection), MOST_NAMED):
        yield (
            _(
                "The ranking of run {run} for query {query} (by internal number) is none: it "
                "names a document twice or one that is not there, or its scores are not "
                "numbers."
            ).format(run=shown_number(run), query=shown_number(query))
        )


def iter_wrong_rankings(connection: apsw.Connection) -> Iterator[tuple[int, int]]:
    """Yield run and query of the stored rankings that are none."""
    top = count_ids(connection, "documents")
    for run, query, n, docs, scores in connection.execute(
        "SELECT run_id, query_id, n, docs, scores FROM rankings"
    ):
        if not _is_ranking(n, docs, scores, top):
            yield run, query


def _is_ranking(n: int, docs: bytes, scores: bytes | None, top: int) -> bool:
    """Whether a stored ranking is one: documents up to the highest number, each once, with scores."""
    if len(docs) != 4 * n or not are_known(docs, top):
        return False
    numbers = np.frombuffer(docs, "<i4")
    if len(np.unique(numbers)) < n:
        return False
    if scores is None:
        return True
    return len(scores) == 8 * n and not np.isnan(np.frombuffer(scores, "<f8")).any()


# What cannot be told to be what the log says by its last line alone: first whether that line does
# not decide, as of imports and others that one was written after need not be the one that counts;
# then what it says, where that is not word for word what stands in the judgment.
_DOUBTFUL = (
    "SELECT * FROM (SELECT is_import AND (n > 1 OR e.step_id NOT IN "
    "(SELECT step_id FROM step_events WHERE change = 'published')) OR e.after_step IS NOT j.step_id "
    "OR coalesce(json_extract(e.shown, '$.made_at'), e.at) <> j.at AS is_open, e.after, "
    "j.state, j.grade, j.note, j.flagged, j.confidence, j.spans FROM (SELECT query_id, document_id, "
    "assessor_id, max(event_id), after, after_step, at, shown, step_id, count(*) AS n, "
    "max(origin = 'import') AS is_import FROM events GROUP BY query_id, document_id, assessor_id) e "
    "LEFT JOIN judgments j USING(query_id, document_id, assessor_id)) WHERE is_open OR after IS NOT "
    "CASE WHEN state = 'judged' AND note = '' AND spans = '[]' AND NOT flagged AND confidence IS NULL "
    'THEN \'{"grade": \' || grade || \', "state": "judged"}\' END'
)
_WITHOUT_A_LINE = (
    "SELECT 1 FROM judgments j WHERE NOT EXISTS (SELECT 1 FROM events e WHERE "
    "e.query_id = j.query_id AND e.document_id = j.document_id AND e.assessor_id = j.assessor_id)"
)


def _are_plain(connection: apsw.Connection) -> bool:
    """Whether each judgment is what the last line about it says, and nothing else has a say."""
    for look in ("SELECT 1 FROM arrivals", _WITHOUT_A_LINE):
        if connection.execute(f"{look} LIMIT 1").fetchone() is not None:
            return False
    rows: Any = connection.execute(_DOUBTFUL)
    return all(
        not is_open and parse_judgment(after) == (judgment_of(*said) if said[0] else None)
        for is_open, after, *said in rows
    )


def _state_problems(connection: apsw.Connection) -> list[str]:
    if _are_plain(connection):
        # A tenth of the time that following the log takes.
        return []
    differing = [key for key, _, _ in iter_differing_judgments(connection)]
    return [
        _(
            "Judgment (query {query}, document {document}, assessor {assessor}, by "
            "internal number) is not what the log says."
        ).format(query=query, document=document, assessor=assessor)
        for query, document, assessor in sorted(differing)[:MOST_NAMED]
    ]


def _value_problems(connection: apsw.Connection) -> list[str]:
    return [
        _("The project’s value ‘{key}’ is not what the log says.").format(
            key=key.decode(errors="replace")
        )
        for key, _logged, _found in iter_differing_values(connection)
    ]


def _row_problems(connection: apsw.Connection) -> Iterator[str]:
    if load_schema_number(connection) < FIRST_WITH_CHECKSUMS:
        return
    if not is_meta_sound(connection):
        yield _("What the file says of its origin does not match its checksum.")
    for table in SEALED:
        for keys in islice(iter_changed_rows(connection, table), MOST_NAMED):
            yield (
                _(
                    "{row} (by internal number) does not match its checksum: the file was "
                    "damaged or changed by hand."
                ).format(row=name_row(table, keys))
            )
    for step, table in islice(iter_miscounted(connection), MOST_NAMED):
        yield _(
            "Of what step {step} brought, rows of {table} are gone, or others are there."
        ).format(step=step, table=table)


def load_schema_number(connection: apsw.Connection) -> int:
    """Return the number of the schema that the file has, also one read as a newer one."""
    return int(connection.pragma("user_version"))


_COUNTED = {
    "queries": "SELECT count(DISTINCT query_id) FROM query_texts",
    "runs": "SELECT count(*) FROM runs",
    "judgments": "SELECT count(*) FROM judgments",
    "log lines": "SELECT count(*) FROM events",
    "steps": "SELECT count(*) FROM steps",
    "assessors": f"SELECT count(*) FROM ({KNOWN_ASSESSORS}) WHERE kind <> 'settled'",  # noqa: S608 - constants
}


def count_log(connection: apsw.Connection) -> dict[str, int]:
    """Return how much the file holds of what can be counted in it."""
    counts = {}
    for name, select in _COUNTED.items():
        try:
            counts[name] = int(connection.execute(select).get)
        except UNSOUND:
            continue
    return counts
