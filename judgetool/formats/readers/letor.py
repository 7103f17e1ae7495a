"""LETOR and SVMlight: ``grade qid:1 1:0.5 2:0.25 # document``."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.errors import ParseError
from judgetool.formats.columns import count_noun
from judgetool.formats.documents import KeptDocuments
from judgetool.formats.judgment_rows import CollectedJudgments
from judgetool.formats.queries import KeptQueries
from judgetool.formats.source import TextSource
from judgetool.formats.values import JudgmentRow, Reading

LETOR_LINE = re.compile(
    r"\s*(?P<grade>\S+)\s+qid:(?P<query>\S+)(?P<rest>[^#]*)(?:#(?P<comment>.*))?"
)
_FEATURE = re.compile(r"[0-9]+:\S+")
# RankLib's list of queries at the top: "# qid:1: rambo*1".
_HEADER = re.compile(r"#\s*qid:(?P<query>[^\s:]+):(?P<text>.*)")
_WEIGHT = re.compile(r"[0-9.]+")
# LETOR 3 and 4: "#docid = GX000-00 inc = 1 prob = 0.08".
_DOCID = re.compile(r"\s*docid\s*=\s*(?P<document>\S+)(?P<text>.*)")
_PLAIN = re.compile(r"\s*(?P<document>\S+)\s*(?P<text>.*)")


class _Row(NamedTuple):
    """One line; the comment in two parts."""

    line: int
    query_id: str
    document_id: str
    grade: str
    text: str


def is_letor_line(line: str) -> bool:
    """Whether a line begins with a grade and ``qid:``."""
    return LETOR_LINE.fullmatch(line) is not None


def read_letor(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read grades; the comment of each line names the document, features are left out.

    Args:
        source: the file.
        reading: gets the judgments, what texts there are, the refusals and the notes.
        name: not used; the format has no name.

    Raises:
        ParseError: no line names a document.
    """
    headers: dict[str, str] = {}
    rows: list[_Row] = []
    n_nameless = n_featured = 0
    for line, text in _iter_lines(source, reading):
        header = _HEADER.fullmatch(text)
        if header:
            headers[header["query"]] = _without_weight(header["text"])
        if text.startswith("#"):
            continue
        row, has_features, reason = _read_line(line, text)
        n_featured += has_features
        if row is None:
            reading.refuse(line, reason)
        elif row.document_id:
            rows.append(row)
        else:
            n_nameless += 1
            reading.refuse(
                line, "no document is named: expected a comment such as '# d1' at the end"
            )
    if n_nameless and not rows:
        raise ParseError(
            "this looks like SVMlight, but no line names its document. Expected a comment such as "
            "'# d1' at the end of each line: features alone do not tell which document was judged. "
            "Nothing was kept.",
            source=source.name,
        )
    _keep(rows, headers, reading)
    if n_featured:
        reading.notes.append(f"The features of {count_noun(n_featured, 'line')} are left out.")


def _without_weight(text: str) -> str:
    words, star, weight = text.strip().rpartition("*")
    return words if star and _WEIGHT.fullmatch(weight) else text.strip()


def _iter_lines(source: TextSource, reading: Reading) -> Iterator[tuple[int, str]]:
    for block in source.blocks(reading.refuse):
        for number, line in enumerate(block.lines, block.first):
            if line.strip():
                yield number, line


def _read_line(line: int, text: str) -> tuple[_Row | None, bool, str]:
    """Return the row, whether it has features, and why there is no row."""
    found = LETOR_LINE.fullmatch(text)
    if found is None:
        return None, False, "expected a grade, qid:query, features, and # with the document"
    features = found["rest"].split()
    if not all(_FEATURE.fullmatch(feature) for feature in features):
        return None, False, "what stands between qid and # is no list of features such as 1:0.5"
    comment = found["comment"] or ""
    named = _DOCID.fullmatch(comment) or _PLAIN.fullmatch(comment)
    document_id = named["document"] if named else ""
    rest = named["text"].strip() if named and named.re is _PLAIN else ""
    return _Row(line, found["query"], document_id, found["grade"], rest), bool(features), ""


def _keep(rows: list[_Row], headers: dict[str, str], reading: Reading) -> None:
    """Keep judgments, and the texts as the queries' or the documents'."""
    judgments, queries, documents = (
        CollectedJudgments(reading),
        KeptQueries(reading),
        KeptDocuments(),
    )
    texts: dict[str, set[str]] = {}
    for row in rows:
        texts.setdefault(row.query_id, set()).add(row.text)
    # Where the text is the same on all lines of a query, it is the query's own.
    are_queries = any(texts) and all(len(its) == 1 for its in texts.values())
    for query_id, its in texts.items():
        text = headers.get(query_id, "") or (next(iter(its)) if are_queries else "")
        if text:
            queries.add_whole(Query(query_id, text))
    for row in rows:
        judgments.add_graded(
            row.line, JudgmentRow(row.query_id, row.document_id, "", None), row.grade
        )
        if row.text and not are_queries:
            documents.add(Document(row.document_id, row.text))
    documents.hand_over(reading)
    judgments.hand_over()
