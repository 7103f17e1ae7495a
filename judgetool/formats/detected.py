"""What detection found, and the sentences with which it refuses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from judgetool.errors import ParseError
from judgetool.formats.registry import Format
from judgetool.formats.values import Kind, Question


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file looks like.

    Attributes:
        format: how it is to be read.
        delimiter: of a table; a tab for queries; else ``None``.
        questions: what the content leaves open, with the answers to go by.
        notes: what was decided, in sentences.
        column_roles: roles of columns that their names do not tell.
        answers: what the content itself answers, such as that there is no header.
        header_line: see :class:`judgetool.formats.values.Reading`.
    """

    format: Format
    delimiter: str | None = None
    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    column_roles: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    header_line: int = 0


EXPECTED: dict[Kind | None, str] = {
    None: "columns that tell what the file is: an id and a text; a query and a document with a "
    "rank or score; or these two with a grade (grade, rating)",
    Kind.QUERIES: "queries: an id (id, query_id, qid) and a text (text, query)",
    Kind.DOCUMENTS: "documents: an id (id, doc_id, docid) and texts (title, url, text)",
    Kind.RUN: "a run: query, rank, doc_id, score",
    Kind.RESULTS: "results: a query (query_id, query) and a document (doc_id, document, id)",
    Kind.JUDGMENTS: "judgments: a query, a document and a grade (grade, rating, judgment)",
    Kind.CLICKS: "clicks: a query, a document, impressions and clicks",
}


def satisfies(found: Kind, wanted: Kind | None) -> bool:
    """Whether a file of this kind will do where another was asked for."""
    either = {Kind.RUN, Kind.RESULTS}
    return wanted in {None, found} or {found, wanted} <= either


def refuse_kind(found: Format, wanted: Kind | None, source: str) -> NoReturn:
    """Refuse a file that is clearly about something else.

    Raises:
        ParseError: always.
    """
    raise ParseError(
        f"expected {EXPECTED[wanted]}; found what looks like {found.title}. Nothing was kept.",
        source=source,
        line=1,
    )
