"""Queries: ``id<TAB>text`` lines, JSON lines, tables with a header; and pairs of ids."""

import csv
import io
from pathlib import Path

from judgetool.core.formula_guard import ID_MAP_COLUMNS, without_guard
from judgetool.core.queries import Query
from judgetool.errors import InputError, ParseError
from judgetool.formats.columns import find_score
from judgetool.formats.records import Record, iter_records
from judgetool.formats.source import TextSource
from judgetool.formats.values import Reading


def read_queries_tsv(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read ``id<TAB>text`` lines.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
        name: not used; queries have no name.
    """
    kept = KeptQueries(reading)
    for block in source.blocks(reading.refuse):
        for number, line in enumerate(block.lines, block.first):
            cells = line.split("\t")
            if not line.strip(" \t") or (line.startswith("#") and len(cells) != 2):
                continue
            if len(cells) != 2:
                expected = "expected an id, one tab and the text"
                reading.refuse(number, f"{expected}; found {len(cells) - 1} tabs")
            else:
                kept.add(number, Query(cells[0], cells[1]))


def read_queries(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read queries from JSON lines or from a table with a header.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
        name: not used; queries have no name.
    """
    kept = KeptQueries(reading)
    n_nameless = 0
    for record in iter_records(source, reading):
        has_id = record.has("query_id")
        identifier, text = record.take("query_id"), record.take("query_text")
        description, narrative = record.take("description"), record.take("narrative")
        weight_text, category = record.take("weight"), record.take("category")
        weight = find_weight(weight_text)
        if weight is None:
            reading.refuse(record.line, f"the weight '{weight_text[:60]}' is not a number above 0")
            continue
        n_nameless += not has_id
        query = Query(
            identifier if has_id else text,
            text,
            description,
            narrative,
            weight,
            category,
            record.values,
        )
        kept.add(record.line, query)
    note_text_ids(n_nameless, reading)


def note_text_ids(count: int, reading: Reading) -> None:
    """Say that queries have no ids of their own, if so."""
    if count:
        reading.notes.append("The file gives no query ids: the text of each query is its id.")


def find_weight(text: str) -> float | None:
    """Return a query's weight, 1 where nothing is said; ``None`` if it is none."""
    if not text:
        return 1.0
    weight = find_score(text)
    return weight if weight is not None and 0 < weight < float("inf") else None


class KeptQueries:
    """Queries that were read, to notice ids that come twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._seen: dict[str, tuple[int, Query]] = {}

    def add(self, line: int, query: Query) -> bool:
        """Keep a query; refuse the line if it has no id or another query has it.

        Returns:
            Whether the line may be used: the query is new, or the same as before.
        """
        if not query.id:
            self._reading.refuse(line, "the query has no id")
            return False
        first_line, first = self._seen.setdefault(query.id, (line, query))
        if first is query:
            self._reading.queries.append(query)
        elif first != query:
            self._reading.refuse(
                line, f"query '{query.id}' stands on line {first_line:,} already; that line counts"
            )
            return False
        return True

    def add_whole(self, query: Query) -> bool:
        """Keep a query of a file without lines; the same one may come again.

        Returns:
            Whether it has an id.
        """
        if not query.id:
            self._reading.refuse(None, "a query has neither id nor text")
            return False
        _, first = self._seen.setdefault(query.id, (0, query))
        if first is query:
            self._reading.queries.append(query)
        elif first.text != query.text:
            self._reading.refuse(
                None, f"query '{query.id}' comes with several texts; the first one counts"
            )
        return True


def take_query(record: Record) -> Query:
    """Take out of a row which query it belongs to: the text is the id where there is no other."""
    has_id = record.has("query_id")
    identifier, text = record.take("query_id"), record.take("query_text")
    return Query(identifier if has_id else text, text)


def read_id_pairs(path: Path) -> dict[str, str]:
    """Read which id of other files is which id of a project.

    Args:
        path: two columns, separated by a tab or comma: the other id and the project's.
            Or what the export ``id-map`` writes: there the number and the text of a
            query stand for its id.

    Returns:
        The project's id by the other one.

    Raises:
        InputError: the file cannot be read.
        ParseError: a line has not two columns, or an id stands for two others.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path} cannot be read as UTF-8 text: {problem}.") from problem
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    table = [(rows.line_num, cells) for cells in rows if cells]
    if table and tuple(table[0][1]) == ID_MAP_COLUMNS:
        table = [(line, cells) for line, cells in table[1:] if len(cells) == len(ID_MAP_COLUMNS)]
        numbers = {cells[1]: cells[0] for _, cells in table}
        return {without_guard(cells[2]): cells[0] for _, cells in table if cells[2]} | numbers
    pairs: dict[str, str] = {}
    for line, cells in table:
        if len(cells) != 2:
            reason = f"expected two ids, found {len(cells)} columns"
            raise ParseError(reason, source=str(path), line=line)
        if pairs.setdefault(*cells) != cells[1]:
            reason = f"'{cells[0][:60]}' stands for '{pairs[cells[0]][:60]}' already"
            raise ParseError(reason, source=str(path), line=line)
    return pairs
