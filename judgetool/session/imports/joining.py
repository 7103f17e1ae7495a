"""Ids of a file that mean what the project has under another id: found, asked, put in place.

Queries are joined by their texts, documents by their addresses, both compared without
blanks around them and without regard to capitals; ids by a habit that all of them share,
or by pairs that a person gives.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import format_count, number_of
from judgetool.formats import ClickRow, JudgmentTable, Question, Reading
from judgetool.session.commands import Check, unchecked
from judgetool.session.imports.matching import IdMatch, distinct_ids
from judgetool.storage.connection import Connection
from judgetool.storage.ids import find_numbers
from judgetool.storage.material import iter_urls
from judgetool.wording import _

Ids = Mapping[str, str]
T = TypeVar("T")
JOIN = {"query": "join", "document": "join-documents"}
"""Names of the questions whether what has the same text, or address, is the same."""
MAP_IDS = {"query": "query-ids", "document": "document-ids"}
"""Names of the questions whether ids are to be taken as the project writes them."""

_PLURALS = {"query": "queries", "document": "documents"}
_SAME = {"query": "text", "document": "address"}


def fold(text: str) -> str:
    """Return a text as it is compared: capitals and blanks at its ends or in a row play no part."""
    return " ".join(text.split()).casefold()


def named_ids(reading: Reading, noun: str, check: Check = unchecked) -> Sequence[str]:
    """Return the distinct ids of queries or documents that a file names, in its order."""
    columns = _columns(reading, noun)
    if len(reading.runs) == 1 and not (reading.judgments or reading.clicks):
        # A run names each id once.
        return columns[0]
    return list(distinct_ids(columns, check))


def _columns(reading: Reading, noun: str) -> list[list[str]]:
    """Return the ids of queries or documents as runs, judgments and clicks name them."""
    table = reading.judgments or JudgmentTable()
    columns = [getattr(each, f"{noun}_ids") for each in (*reading.runs, table)]
    return [*columns, [getattr(row, f"{noun}_id") for row in reading.clicks]]


def is_ranked(reading: Reading) -> bool:
    """Whether no two ids of a file may become the same: it has rankings, or counts of clicks."""
    return bool(reading.runs or reading.clicks)


class QueryJoins:
    """Which queries of a file have the text of a query that is known by another id."""

    def __init__(self) -> None:
        self._by_text: dict[str, set[str]] = {}
        self._n_known = 0

    def find(self, reading: Reading, known: Mapping[str, Query], check: Check) -> Ids:
        """Return the known id for each id of a file that stands for the same text.

        Args:
            reading: the file; where it gives no text of a query, its id may be one.
            known: queries of the project and of the files before, by id.
            check: asked now and then; may raise to stop.
        """
        if not known:
            return {}
        if len(known) != self._n_known:
            self._by_text = _by_folded((query.text, query.id) for query in known.values())
            self._n_known = len(known)
        texts = {query.id: query.text for query in reading.queries}
        named = {**texts, **dict.fromkeys(named_ids(reading, "query", check), "")}
        pairs = []
        for name in named:
            text = texts.get(name) or name
            here = known.get(name)
            is_other = here is not None and here.text and fold(here.text) != fold(text)
            if here is None or (is_other and texts.get(name)):
                pairs.append((name, self._by_text.get(fold(text), set())))
        return _unambiguous(pairs, named, is_strict=is_ranked(reading))


def find_document_joins(
    reader: Connection, reading: Reading, described: Mapping[str, Document], check: Check
) -> Ids:
    """Return the known id for each id of a file's document that has the same address.

    Args:
        reader: a connection of the calling thread.
        reading: the file; an id may be an address.
        described: documents of the files before, by id.
        check: asked now and then; may raise to stop.
    """
    if not described and next(iter_urls(reader), None) is None:
        return {}
    candidates = {document.id: document.url for document in reading.documents if document.url}
    for column in _columns(reading, "document"):
        check()
        candidates.update((name, name) for name in column if "://" in name)
    if not candidates:
        return {}
    numbers = find_numbers(reader, "documents", list(candidates))
    strange = {
        name: fold(url)
        for name, url in candidates.items()
        if name not in numbers and name not in described
    }
    if not strange:
        return {}
    wanted = set(strange.values())
    known = [(url, name) for url, name in iter_urls(reader) if fold(url) in wanted]
    known += [(each.url, each.id) for each in described.values() if fold(each.url) in wanted]
    by_url = _by_folded(known)
    pairs = [(name, by_url.get(url, set())) for name, url in strange.items()]
    named = named_ids(reading, "document", check)
    return _unambiguous(pairs, named, is_strict=is_ranked(reading))


def _by_folded(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for text, name in pairs:
        if text.strip():
            found.setdefault(fold(text), set()).add(name)
    return found


def _unambiguous(
    pairs: Iterable[tuple[str, set[str]]], named: Iterable[str], *, is_strict: bool
) -> Ids:
    """Return those pairs of which nothing is in doubt: one id there, one here.

    Args:
        pairs: ids of the file, each with those that it may stand for.
        named: all ids that the file names.
        is_strict: whether no two of its ids may become the same.
    """
    single = {name: next(iter(ids)) for name, ids in pairs if len(ids) == 1}
    kept = {name: target for name, target in single.items() if name != target}
    if not is_strict:
        return kept
    counts = Counter(kept.values())
    # What a file also names by the project's id would come twice.
    taken = set(named) - kept.keys()
    return {name: to for name, to in kept.items() if counts[to] == 1 and to not in taken}


def agreeing(ids: Ids, named: Iterable[str], *, is_strict: bool) -> Ids:
    """Return the part of a map of ids that a file can be read by; see :func:`_unambiguous`."""
    names = list(named)
    pairs = [(name, {ids[name]}) for name in names if name in ids]
    return _unambiguous(pairs, names, is_strict=is_strict)


def join_question(noun: str, ids: Ids, n_named: int) -> Question:
    """Return the question whether what has the same text or address is the same."""
    (there, here), named = next(iter(ids.items())), format_count(n_named)
    if noun == "query":
        what = number_of(
            len(ids),
            "1 query of {named} in the file has the text of a query here under another id (‘{there}’ in "
            "the file, ‘{here}’ here). Is it the same?",
            "{n} of {named} queries in the file have the text of queries here under another id "
            "(‘{there}’ in the file, ‘{here}’ here). Are they the same?",
            named=named,
            there=there,
            here=here,
        )
    else:
        what = number_of(
            len(ids),
            "1 document of {named} in the file has the address of a document here under another id "
            "(‘{there}’ in the file, ‘{here}’ here). Is it the same?",
            "{n} of {named} documents in the file have the address of documents here under another "
            "id (‘{there}’ in the file, ‘{here}’ here). Are they the same?",
            named=named,
            there=there,
            here=here,
        )
    return Question(
        JOIN[noun],
        what,
        {"yes": _("The same: the ids of the project count"), "no": _("Others: they are added")},
    )


def with_ids(reading: Reading, noun: str, ids: Ids, *, without_texts: bool = False) -> Reading:
    """Return a file with other ids of queries or documents.

    Args:
        reading: the file.
        noun: ``query`` or ``document``.
        ids: from its ids to those of the project; others stay.
        without_texts: leave out the texts by which queries were joined: they are here.
    """
    if not ids:
        return reading

    def other(name: str) -> str:
        return ids.get(name, name)

    def renamed(holder: T) -> T:
        column = f"{noun}_ids"
        changes: dict[str, Any] = {column: list(map(other, getattr(holder, column)))}
        return replace(holder, **changes)  # type: ignore[type-var]  # runs and judgments are records

    is_query = noun == "query"
    gone: dict[str, Any] = {"text": ""} if is_query and without_texts else {}
    texts: dict[str, Any] = {
        _PLURALS[noun]: [
            replace(each, id=ids[each.id], **gone) if each.id in ids else each
            for each in getattr(reading, _PLURALS[noun])
        ]
    }
    own = f"{noun}_id"

    def counted(row: ClickRow) -> ClickRow:
        changes: dict[str, Any] = {own: other(getattr(row, own))}
        return row._replace(**changes)

    return replace(
        reading,
        runs=list(map(renamed, reading.runs)),
        judgments=reading.judgments and renamed(reading.judgments),
        pool=[(other(q), d) if is_query else (q, other(d)) for q, d in reading.pool],
        clicks=list(map(counted, reading.clicks)),
        **texts,
    )


def map_question(match: IdMatch) -> Question:
    """Return the question whether ids are to be taken as the project writes them."""
    ask = _("Take the query ids of the file as those here?")
    if match.noun == "document":
        ask = _("Take the document ids of the file as those here?")
    return Question(
        MAP_IDS[match.noun],
        f"{match.habit} {ask}",
        {
            "map": _("Yes: the ids of the project count"),
            "keep": _("No: they are added as they are"),
        },
        "keep",
    )
