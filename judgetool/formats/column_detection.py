"""What lines without a header hold, by what most of them look like."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from judgetool.errors import ParseError
from judgetool.formats.columns import find_score, split_columns
from judgetool.formats.detected import EXPECTED, Detected, refuse_kind
from judgetool.formats.qrels import is_qrels_row
from judgetool.formats.readers.letor import is_letor_line
from judgetool.formats.readers.short_columns import (
    is_candidate_row,
    is_prels_row,
    is_short_row,
    third_question,
)
from judgetool.formats.readers.text_lines import COLON_LINE, SMART_LINE
from judgetool.formats.registry import FORMATS, Format, Layout, find_format
from judgetool.formats.run_collect import is_run_row
from judgetool.formats.source import TextSource
from judgetool.formats.table_detection import find_bare_queries, find_strange_table
from judgetool.formats.values import Kind, Question, Wishes

_MAX_LOOKED_AT = 100_000
_LONG_TEXT = 100
_SHORT_TEXT = 200
_ADDRESS = re.compile(r"https?://\S+")
# "- id: 1", or "  text: cold soup" below it.
_YAML_KEY = re.compile(r"\s*- [A-Za-z_]\w*:(\s|$)|\s+[A-Za-z_]\w*:(\s|$)|[A-Za-z_]\w*:\s*$")
_TAG_LINE = re.compile(r"\s*</?[A-Za-z!?][^<>]*>")


def detect_columns(
    source: TextSource, lines: Sequence[str], kind: Kind | None, wishes: Wishes
) -> Detected:
    """Tell formats without a header apart.

    Raises:
        ParseError: none fits, or another kind than was asked for.
        ColumnsNeededError: it is a table, and a person has to say what its columns are.
    """
    lines = [line[:_MAX_LOOKED_AT] for line in lines]
    if kind is Kind.QUERIES and wishes.answers.get("lines") == "texts":
        return _texts_alone()
    if SMART_LINE.fullmatch(lines[0]):
        return _smart(source, lines, kind, wishes)
    _refuse_other_language(source, lines, kind)
    bare = find_bare_queries(lines) if kind is Kind.QUERIES else None
    if bare is not None:
        return bare
    counts = _count_fitting(lines)
    likely = max(counts, key=counts.__getitem__)
    if kind in {Kind.QUERIES, Kind.DOCUMENTS} and 2 * counts["text"] >= len(lines):
        # Words may look like columns; who says that they are texts knows better.
        likely = "text"
    fits = 2 * counts[likely] >= len(lines)
    if fits and _suits(likely, kind):
        return _settled(source, lines, likely, kind, wishes)
    if kind is Kind.QUERIES and not (fits and likely != "text"):
        return _list_of_texts(source, lines)
    wanted = find_format(kind, Layout.COLUMNS) if kind else None
    if fits and (wanted is None or not counts.get(wanted.name, 0)):
        if wanted is None or kind is Kind.QUERIES:
            refuse_kind(_looks_like(likely), kind, source.name)
        raise ParseError(
            f"expected {wanted.title} ({wanted.help.rstrip('.')}), found what looks like "
            f"{_looks_like(likely).title}. Nothing was kept.",
            source=source.name,
            line=1,
        )
    if wanted is not None:
        return _wanted_or_table(source, lines, wanted, n_fitting=counts.get(wanted.name, 0))
    raise _unknown(source, lines, kind)


def _count_fitting(lines: Sequence[str]) -> dict[str, int]:
    """Return how many lines look like each format; of equals, the first is the likelier."""
    rows = [split_columns(line) for line in lines]
    tabs = [line.split("\t") for line in lines]
    pairs = list(zip(rows, tabs, strict=True))
    return {
        "trec-run": sum(is_run_row(row) or _is_loose_run_row(row) for row in rows),
        "letor": sum(is_letor_line(line) for line in lines),
        "text": sum(len(cells) == 2 for cells in tabs),
        "trec-qrels": sum(is_qrels_row(row) for row in rows),
        "trec-prels": sum(is_prels_row(row) for row in rows),
        "short": sum(is_short_row(row) and len(cells) in {1, 3} for row, cells in pairs),
        "documents-tsv": sum(
            len(cells) == 4 and bool(_ADDRESS.fullmatch(cells[1])) for cells in tabs
        ),
        "msmarco-candidates": sum(is_candidate_row(cells) for cells in tabs),
        "queries-colon": sum(
            bool(COLON_LINE.match(line)) and len(cells) == 1
            for line, cells in zip(lines, tabs, strict=True)
        ),
    }


_KINDS_OF_SHORT = frozenset({Kind.RUN, Kind.RESULTS, Kind.JUDGMENTS})


def _suits(likely: str, kind: Kind | None) -> bool:
    if likely == "short":
        return kind is None or kind in _KINDS_OF_SHORT
    if likely == "text":
        return kind in {None, Kind.QUERIES, Kind.DOCUMENTS}
    found = FORMATS[likely].kind
    is_run = {found, kind} <= {Kind.RUN, Kind.RESULTS}
    return kind in {None, found} or is_run


def _looks_like(likely: str) -> Format:
    return FORMATS[{"text": "queries-tsv", "short": "msmarco-run"}.get(likely, likely)]


def _settled(
    source: TextSource, lines: Sequence[str], likely: str, kind: Kind | None, wishes: Wishes
) -> Detected:
    if likely == "text":
        return _id_and_text(source, lines, kind, wishes)
    if likely == "short":
        rows = [row for row in map(split_columns, lines) if is_short_row(row)]
        question = third_question(rows, kind, wishes)
        is_graded = question.answer == "grade" or (not question.answer and kind is Kind.JUDGMENTS)
        found = FORMATS["qrels-3-columns" if is_graded else "msmarco-run"]
        return Detected(found, questions=(question,))
    return Detected(FORMATS[likely])


def _id_and_text(
    source: TextSource, lines: Sequence[str], kind: Kind | None, wishes: Wishes
) -> Detected:
    """Tell queries from documents: by what was said, by the name, by the length of the texts."""
    stem = PurePath(source.name).name.lower()
    length = sum(map(len, lines)) / len(lines)
    if kind is not None:
        answer, why = ("documents" if kind is Kind.DOCUMENTS else "queries"), ""
    elif re.search("quer|topic", stem):
        answer, why = "queries", ""
    elif re.search("corpus|doc|collection|passage", stem):
        answer, why = "documents", "by the file's name"
    elif length > _LONG_TEXT:
        answer, why = "documents", f"as its lines are long ({length:.0f} characters on average)"
    else:
        answer, why = "queries", ""
    question = wishes.answered(
        Question(
            "id_and_text",
            "Each line holds an id and a text. What are they?",
            {"queries": "Queries", "documents": "Documents"},
            answer,
        )
    )
    is_document = question.answer == "documents" and kind is not Kind.QUERIES
    found = FORMATS["documents-tsv" if is_document else "queries-tsv"]
    note = f"Ids and texts are taken for documents, {why}." if is_document and why else ""
    questions = (question,) if kind is None else ()
    return Detected(found, "\t", questions=questions, notes=(note,) if note else ())


def _list_of_texts(source: TextSource, lines: Sequence[str]) -> Detected:
    """Take lines for queries that have no ids, if they plainly are one query each."""
    if any("\t" in line for line in lines) and sum(line.count("\t") == 1 for line in lines):
        return Detected(FORMATS["queries-tsv"], "\t")
    strange = find_strange_table(source, lines, Kind.QUERIES)
    if strange is not None:
        raise strange
    if sum(map(len, lines)) > _SHORT_TEXT * len(lines) or any("\t" in line for line in lines):
        raise _unknown(source, lines, Kind.QUERIES)
    return _texts_alone()


def _smart(source: TextSource, lines: Sequence[str], kind: Kind | None, wishes: Wishes) -> Detected:
    """Tell SMART's queries from its documents, which have titles and authors."""
    stem = PurePath(source.name).name.lower()
    if kind not in {None, Kind.QUERIES, Kind.DOCUMENTS}:
        refuse_kind(FORMATS["smart-documents"], kind, source.name)
    has_titles = any(line.rstrip() in {".T", ".A", ".B"} for line in lines)
    is_query = bool(re.search("qry|quer|topic", stem)) or not has_titles
    question = wishes.answered(
        Question(
            "id_and_text",
            "Each entry holds an id and a text. What are they?",
            {"queries": "Queries", "documents": "Documents"},
            str(kind) if kind is not None else "queries" if is_query else "documents",
        )
    )
    found = FORMATS[f"smart-{question.answer if kind is None else kind}"]
    return Detected(found, questions=() if kind is not None else (question,))


def _texts_alone() -> Detected:
    note = "Each line is taken for one query: the file has no ids, tabs or header."
    return Detected(FORMATS["queries-list"], notes=(note,))


def _refuse_other_language(source: TextSource, lines: Sequence[str], kind: Kind | None) -> None:
    """Refuse what is written for other programs, and would be read as words.

    Raises:
        ParseError: it is YAML, HTML or XML.
    """
    what = _other_language(lines)
    if what:
        anyway = (
            " If each line is one query all the same, answer 'lines' with 'texts'."
            if kind is Kind.QUERIES
            else ""
        )
        raise ParseError(
            f"this looks like {what}, which judgetool does not read. Expected {EXPECTED[kind]}, "
            "as JSON lines or as a table with a header line that names the columns. Nothing was "
            f"kept.{anyway}",
            source=source.name,
            line=1,
        )


def _other_language(lines: Sequence[str]) -> str:
    """Return what lines are written in that are no queries, if so: YAML, HTML."""
    n_keys = sum(bool(_YAML_KEY.match(line)) for line in lines)
    if lines[0].rstrip() == "---" or lines[0].startswith("%YAML") or 2 * n_keys > len(lines):
        return "YAML"
    n_tags = sum(bool(_TAG_LINE.match(line)) for line in lines)
    return "HTML or XML" if 2 * n_tags > len(lines) else ""


def _wanted_or_table(
    source: TextSource, lines: Sequence[str], wanted: Format, *, n_fitting: int
) -> Detected:
    """Read lines as what was asked for, unless they rather are a table."""
    strange = None if n_fitting else find_strange_table(source, lines, wanted.kind)
    if strange is not None:
        raise strange
    return Detected(wanted, "\t" if wanted.name in {"queries-tsv", "documents-tsv"} else None)


def _unknown(source: TextSource, lines: Sequence[str], kind: Kind | None) -> ParseError:
    """Return what to raise for lines that look like nothing known."""
    strange = find_strange_table(source, lines, kind)
    if strange is not None:
        return strange
    if kind is not None:
        return ParseError(
            f"expected {EXPECTED[kind]}, as JSON lines or with a header line that names the "
            "columns; found neither. Nothing was kept.",
            source=source.name,
            line=1,
        )
    columns = len(split_columns(lines[0]))
    found = f"{columns} columns" if columns > 1 else "1 column"
    return ParseError(
        f"this is no format that judgetool knows: found {found}. Expected a run (6 columns), "
        "qrels (4 columns), an id, a tab and a text, a table with a header, TREC topics, or JSON. "
        "Nothing was kept. If each line is one query, read it as queries.",
        source=source.name,
        line=1,
    )


def _is_loose_run_row(row: Sequence[str]) -> bool:
    """Whether this is a result whose tag holds blanks or is missing."""
    has_count = len(row) > 6 or (len(row) == 5 and row[1] in {"Q0", "q0", "0"})
    return has_count and is_run_row([*row[:5], "tag"]) and find_score(row[4]) is not None
