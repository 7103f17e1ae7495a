"""Queries and documents: lines, tables, SMART’s files; pictures beside documents; and pairs of ids.

Of pictures it is told here which of their paths lead to something.
"""

import csv
import io
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import local_count, number_of, some_of
from judgetool.core.system import find_inside, find_relative, image_folder, is_address
from judgetool.errors import InputError, ParseError, why_unreadable
from judgetool.formats.names import QUERY_TEXT_ROLE, URL, normal_name
from judgetool.formats.output import ID_MAP_COLUMNS, without_guard
from judgetool.formats.records import (
    Amounts,
    OddCells,
    Record,
    TabCells,
    csv_trouble,
    iter_records,
    note_number,
)
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.values import Reading
from judgetool.wording import NN_, _

# Pictures beside documents

IMAGE_ENDINGS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"),
    *(".svg", ".avif", ".heic"),
)
"""Endings of picture files, also of such that judgetool does not show."""

_N_NAMED = 3


class ImageColumn:
    """Takes pictures out of the rows of a file, and looks whether they are there.

    Args:
        reading: names the file, in whose folder pictures are; gets the notes.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._folder = image_folder(reading.source)
        self._is_plain = lru_cache(maxsize=1000)(self._is_plain_folder)
        self._n_found = 0
        self._missing: list[str] = []
        self._outside: list[str] = []
        self._n_addresses = 0

    def take(self, record: Record) -> str:
        """Take out where a document's picture is; what is no such path stays among the fields."""
        header = record.roles.get("image", "")
        text = record.values.get(header, "")
        if not text:
            return ""
        relative = find_relative(text)
        if relative is not None and self._folder is not None and self._count(relative):
            del record.values[header]
            return relative
        if is_address(text):
            self._n_addresses += 1
        elif (relative is None or self._folder is None) and text[0] not in "[{":
            self._outside.append(text[:60])
        return ""

    def _count(self, relative: str) -> bool:
        """Count a path as found, missing or outside; ``False`` if it is no picture's."""
        assert self._folder is not None
        # Not by pathlib, which takes five times as long: there may be a million.
        path = f"{self._folder}/{relative}"
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):
            mode = 0
        if not mode:
            is_named_so = relative.lower().endswith(IMAGE_ENDINGS)
            self._missing += [relative] if is_named_so else []
            return is_named_so
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            return False
        is_direct = stat.S_ISREG(mode) and self._is_plain(path.rpartition("/")[0])
        if is_direct or find_inside(self._folder, relative):
            self._n_found += 1
            return True
        self._outside.append(relative[:60])
        return False

    def _is_plain_folder(self, path: str) -> bool:
        """Whether no link on the way leads out of the folder."""
        assert self._folder is not None
        return Path(os.path.realpath(path)).is_relative_to(self._folder.resolve())

    def note(self) -> None:
        """Say how many pictures were found, and what became of the others."""
        notes = self._reading.notes
        n_kept = self._n_found + len(self._missing)
        if self._missing:
            missing = number_of(
                len(self._missing),
                "{n} of {images} is missing from the file’s folder ({some}); it is shown once it is "
                "there.",
                "{n} of {images} are missing from the file’s folder ({some}); they are shown once "
                "they are there.",
                images=number_of(n_kept, "{n} image", "{n} images"),
                some=_some(self._missing),
            )
            notes.append(missing)
        else:
            note_number(
                notes,
                n_kept,
                "{n} image is there, in the file’s folder.",
                "{n} images are there, in the file’s folder.",
            )
        given = (len(self._outside), *(_NO_FOLDER if self._folder is None else _OUTSIDE))
        note_number(notes, *given, some=_some(self._outside))
        note_number(
            notes,
            self._n_addresses,
            "{n} image is an address, kept as text only: judgetool fetches nothing.",
            "{n} images are addresses, kept as text only: judgetool fetches nothing.",
        )


def _some(paths: Sequence[str]) -> str:
    return some_of(paths[:_N_NAMED], len(paths))


_NO_FOLDER = NN_(
    "{n} image cannot be looked for, as what was read is no file in a folder ({some}); kept as text "
    "only.",
    "{n} images cannot be looked for, as what was read is no file in a folder ({some}); kept as text "
    "only.",
)
_OUTSIDE = NN_(
    "{n} image stands outside of the file’s folder ({some}); kept as text only.",
    "{n} images stand outside of the file’s folder ({some}); kept as text only.",
)


# Queries and documents

_PRIORITY_LINE = re.compile(r"[^\s:]{1,40}:[0-9]+:")
_N_LOOKED_AT = 100
# What begins as a JSON object or list does, be it with typographic quotation marks, is none of it.
COLON_LINE = re.compile(r"(?!\{\s*[\"'“”„‘’«»]|\[[^\]:]*[{\"])[^\s:]{1,40}:(?!//)")


def read_queries_colon(source: TextSource, reading: Reading) -> None:
    """Read ``id:text`` lines; the first colon of a line divides.

    Where every line is ``id:number:text``, as in the Million Query track of 2009, the number
    (how much the query mattered to the pool) is left out.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
    """
    kept = KeptQueries(reading)
    lines = [line for line in source.head.splitlines()[:_N_LOOKED_AT] if line.strip()]
    has_priority = all(_PRIORITY_LINE.match(line) for line in lines)
    if has_priority:
        reading.notes.append(_("The number between the two colons of each line is left out."))
    for number, line in source.lines(reading.refuse):
        if not line.strip() or line.startswith("#"):
            continue
        identifier, colon, text = line.partition(":")
        if has_priority and _PRIORITY_LINE.match(line):
            text = text.partition(":")[2]
        if colon:
            kept.add(number, Query(identifier, text))
        else:
            reading.refuse(number, _("expected an id, a colon and the text"))


def read_queries_list(source: TextSource, reading: Reading) -> None:
    """Read one query a line: its text is its id.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
    """
    kept = KeptQueries(reading)
    for number, line in source.lines(reading.refuse):
        if line.strip():
            kept.add(number, Query(line, line))
    note_text_ids(len(reading.queries), reading)


SMART_LINE = re.compile(r"\.I\s+(\S+)\s*")
_SMART_TAG = re.compile(r"\.([A-Z])(?:\s+(.*))?")
_SMART_FIELDS = {"A": "author", "B": "source", "K": "keywords", "C": "codes", "N": "notes"}


def read_smart_queries(source: TextSource, reading: Reading) -> None:
    """Read queries of the SMART system: ``.I 1``, then ``.W`` and the text below it.

    Args:
        source: the file.
        reading: gets the queries and the refusals.
    """
    kept = KeptQueries(reading)
    for line, identifier, (title, text, fields) in _iter_smart(source, reading):
        description = text if title else ""
        kept.add(line, Query(identifier, title or text, description, fields=fields))


def read_smart_documents(source: TextSource, reading: Reading) -> None:
    """Read documents of the SMART system: ``.I 1``, ``.T``, ``.A``, ``.W``, each with its text below.

    Args:
        source: the file.
        reading: gets the documents and the refusals.
    """
    seen = SeenDocuments(reading)
    for line, identifier, (title, body, fields) in _iter_smart(source, reading):
        if seen.is_new(line, identifier):
            # References between documents (.X) are lists of numbers, and no text.
            fields.pop("X", "")
            reading.documents.append(Document(identifier, title, "", body, fields))


_Texts = tuple[str, str, dict[str, str]]
"""A title, a text, and others by what they are called."""


def _iter_smart(source: TextSource, reading: Reading) -> Iterator[tuple[int, str, _Texts]]:
    """Yield the line, the id and the texts of each entry."""
    start, identifier, tag = 0, "", ""
    parts: dict[str, list[str]] = {}
    for number, line in source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        opening = SMART_LINE.fullmatch(line)
        tagged = _SMART_TAG.fullmatch(line.rstrip())
        if opening:
            if start:
                yield start, identifier, _joined(parts)
            start, identifier, tag, parts = number, opening[1], "", {}
        elif tagged and start:
            tag = tagged[1]
            parts.setdefault(tag, []).append(tagged[2] or "")
        elif tag:
            parts[tag].append(line)
        elif line.strip():
            reading.refuse(number, _("expected ‘.I’ and an id, or a tag such as ‘.W’"))
    if start:
        yield start, identifier, _joined(parts)


def _joined(parts: dict[str, list[str]]) -> _Texts:
    texts = {
        _SMART_FIELDS.get(tag, tag): " ".join(" ".join(lines).split())
        for tag, lines in parts.items()
    }
    title, text = texts.pop("T", ""), texts.pop("W", "")
    return title, text, {name: said for name, said in texts.items() if said}


def read_documents_tsv(source: TextSource, reading: Reading) -> None:
    """Read ``id<TAB>text``, or ``id<TAB>url<TAB>title<TAB>text``, as MS MARCO has them.

    Args:
        source: the file.
        reading: gets the documents and the refusals.
    """
    seen, tabs = SeenDocuments(reading), TabCells(source, reading)
    for number, line in source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        if not line.strip(" \t"):
            continue
        cells = tabs.of(line)
        if len(cells) not in {2, 4}:
            reading.refuse(
                number,
                _(
                    "expected an id, one tab and the text, or id, url, title and text; found "
                    "{cells} tabs"
                ).format(cells=len(cells) - 1),
            )
        elif seen.is_new(number, cells[0]):
            url, title = cells[1:3] if len(cells) > 2 else ("", "")
            reading.documents.append(Document(cells[0], title, url, cells[-1]))
    tabs.ask()


def read_documents(source: TextSource, reading: Reading) -> None:
    """Read documents from JSON lines or from a table with a header.

    Args:
        source: the file.
        reading: gets the documents, the refusals and the notes.
    """
    seen, images = SeenDocuments(reading), ImageColumn(reading)
    for record in iter_records(source, reading):
        identifier = record.take("document_id")
        if seen.is_new(record.line, identifier):
            reading.documents.append(take_document(identifier, record, images))
    images.note()


def take_document(identifier: str, record: Record, images: ImageColumn | None = None) -> Document:
    """Make a document of what a row still holds; what has no place of its own goes to fields.

    Args:
        identifier: the document's id.
        record: the row.
        images: takes its picture; ``None`` where there are no files with pictures.
    """
    title, url, body = record.take("title"), record.take("url"), record.take("body")
    if not url and normal_name(record.roles.get("document_id", "")) in URL:
        # The address is the only id that there is, and an address all the same.
        url = identifier
    image = images.take(record) if images is not None else ""
    return Document(identifier, title, url, body, record.values, image)


class SeenDocuments:
    """Ids of documents of a file in which each stands once.

    Args:
        reading: gets the lines that do not fit.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._lines: dict[str, int] = {}

    def is_new(self, line: int, identifier: str) -> bool:
        """Whether this is an id that no other line has; else the line is refused."""
        first = self._lines.setdefault(identifier, line)
        if not identifier:
            self._reading.refuse(line, _("the document has no id"))
        elif first != line:
            self._reading.refuse(
                line,
                _(
                    "document ‘{identifier}’ stands on line {first} already; that line counts"
                ).format(identifier=identifier, first=local_count(first)),
            )
        return bool(identifier) and first == line


class KeptDocuments:
    """Documents by id, where one may come several times; the first text of each counts.

    Attributes:
        by_id: in order of first appearance.
    """

    def __init__(self) -> None:
        self.by_id: dict[str, Document] = {}
        self._n_differing = 0

    def add(self, document: Document) -> None:
        """Keep a document unless there is one with a text of the same id."""
        first = self.by_id.get(document.id)
        if first is None or not first.has_text:
            self.by_id[document.id] = document
        elif document.has_text and document != first:
            self._n_differing += 1

    def hand_over(self, reading: Reading) -> None:
        """Give the documents to the reading, and say how many texts were left out."""
        reading.documents.extend(self.by_id.values())
        note_number(
            reading.notes,
            self._n_differing,
            "{n} row had another text for a document that came before; the first text of "
            "each counts.",
            "{n} rows had another text for a document that came before; the first text of "
            "each counts.",
        )


def read_queries_tsv(source: TextSource, reading: Reading) -> None:
    """Read ``id<TAB>text`` lines.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
    """
    kept, tabs = KeptQueries(reading), TabCells(source, reading)
    for number, line in source.lines(reading.refuse):
        cells = tabs.of(line)
        if not line.strip(" \t") or (line.startswith("#") and len(cells) != 2):
            continue
        if len(cells) != 2:
            expected = _("expected an id, one tab and the text")
            reading.refuse(
                number,
                _("{expected}; found {cells} tabs").format(expected=expected, cells=len(cells) - 1),
            )
        else:
            kept.add(number, Query(cells[0], cells[1]))
    tabs.ask()


def read_queries(source: TextSource, reading: Reading) -> None:
    """Read queries from JSON lines or from a table with a header.

    Args:
        source: the file.
        reading: gets the queries, the refusals and the notes.
    """
    kept, weights, numbers = KeptQueries(reading), OddCells(reading), Amounts(reading)
    n_nameless = 0
    for record in iter_records(source, reading):
        has_id = record.has("query_id")
        identifier, text = record.take("query_id"), record.take("query_text")
        description, narrative = record.take("description"), record.take("narrative")
        weight_text, category = record.take("weight"), record.take("category")
        weight = numbers.number(weight_text) if weight_text else 1.0
        if weight is None or weight <= 0:
            weight = 1.0
            weights.add("weight", record.line, weight_text)
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
    weights.note({"weight": _("a number above 0")})
    if not numbers.are_known():
        reading.queries[:] = [replace(each, weight=1.0) for each in reading.queries]
    note_text_ids(n_nameless, reading)


def note_text_ids(count: int, reading: Reading) -> None:
    """Say that queries have no ids of their own, all or some of them, if so."""
    if count >= len(reading.queries) and count:
        reading.notes.append(_("The file gives no query ids: the text of each query is its id."))
        return
    note_number(
        reading.notes,
        count,
        "{n} query has no id: its text is its id.",
        "{n} queries have no id: their texts are their ids.",
    )


class KeptQueries:
    """Queries that were read, to notice ids that come twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._seen: dict[str, tuple[int | None, Query]] = {}

    def add(self, line: int | None, query: Query) -> bool:
        """Keep a query; refuse the line if it has no id or another query has it.

        Of files without lines (``None``) the same query may come again in other words: those
        that came first count, which is said, and what stands beside it may be used.

        Returns:
            Whether that is so: the query is new, or the same as before.
        """
        is_whole = line is None
        if not query.id:
            what = _("a query has neither id nor text") if is_whole else _("the query has no id")
            self._reading.refuse(line, what)
            return False
        first_line, first = self._seen.setdefault(query.id, (line, query))
        if first is query:
            self._reading.queries.append(query)
        elif is_whole and first.text != query.text:
            several = _("query ‘{query}’ comes with several texts; the first one counts").format(
                query=query.id
            )
            self._reading.refuse(None, several)
        elif not is_whole and first != query:
            stands = (
                _("query ‘{query}’ stands on line {first_line} already; that line counts")
                if first.text == query.text or not (first.text and query.text)
                else _(
                    "query ‘{query}’ stands on line {first_line} already, with another text; that "
                    "line counts"
                )
            ).format(query=query.id, first_line=local_count(first_line or 0))
            self._reading.refuse(line, stands)
            return False
        return True

    def drop_ids(self, bare: Collection[str] = ()) -> None:
        """Keep none whose text is its id and one word, as those of all the others: ids are no texts.

        ``bare`` are the ids of those that stay all the same, as nothing else is said with them.
        """
        reading = self._reading
        are_texts = any(use.role == QUERY_TEXT_ROLE for use in reading.columns)
        if not are_texts and all(len(each.text.split()) < 2 for each in reading.queries):
            reading.queries = [q for q in reading.queries if q.text != q.id or q.id in bare]


def take_query(record: Record) -> Query:
    """Take out of a row which query it belongs to: the text is the id where there is no other."""
    has_id = record.has("query_id")
    identifier, text = record.take("query_id"), record.take("query_text")
    return Query(identifier if has_id else text, text)


def read_id_pairs(path: Path) -> dict[str, str]:
    """Read which id of other files is which id of a project.

    Args:
        path: two columns, separated by tabs, commas or semicolons: the other id and the project's.
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
        raise InputError(
            _("{path} cannot be read: {problem}.").format(
                path=path, problem=why_unreadable(problem)
            )
        ) from problem
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in "\t,;" if sign in first), ",")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        table = [(rows.line_num, cells) for cells in rows if cells]
    except csv.Error as problem:
        raise ParseError(
            csv_trouble(str(problem)), source=str(path), line=rows.line_num
        ) from problem
    if table and tuple(table[0][1]) == ID_MAP_COLUMNS:
        table = [(line, cells) for line, cells in table[1:] if len(cells) == len(ID_MAP_COLUMNS)]
        numbers = {cells[1]: cells[0] for _, cells in table}
        return {without_guard(cells[2]): cells[0] for _, cells in table if cells[2]} | numbers
    pairs: dict[str, str] = {}
    for line, cells in table:
        if len(cells) != 2:
            reason = _("expected two ids, found {cells} columns").format(cells=len(cells))
            raise ParseError(reason, source=str(path), line=line)
        if pairs.setdefault(*cells) != cells[1]:
            reason = _("‘{cells}’ stands for ‘{pairs}’ already").format(
                cells=cells[0][:60], pairs=pairs[cells[0]][:60]
            )
            raise ParseError(reason, source=str(path), line=line)
    return pairs
