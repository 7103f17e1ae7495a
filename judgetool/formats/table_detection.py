"""What a table or JSON lines hold, by the names of their columns."""

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePath
from typing import NoReturn

from judgetool.core.number_text import local_count, number_of
from judgetool.errors import ParseError
from judgetool.formats import names
from judgetool.formats.names import GRADES_OF_ASSESSOR, WEAK_NAMES, canonical_names, normal_name
from judgetool.formats.records import (
    DELIMITERS,
    ROW_NUMBERS,
    above_note,
    find_grade,
    fit_cells,
    is_score,
    too_many_columns,
    unique_names,
)
from judgetool.formats.registry import FORMATS, Format, find_format
from judgetool.formats.source import TextSource
from judgetool.formats.values import (
    MAX_COLUMNS,
    N_SAMPLE_ROWS,
    ColumnsNeededError,
    FileLayout,
    Kind,
    OtherKindError,
    Question,
    Wishes,
)
from judgetool.wording import N_, _, quoted

_LONG_TEXT = 200
_HAS_DIGIT = re.compile(r"[0-9]")
_MAX_HEADER = 100_000
_MOST_GRADES = 12
_MOST_ABOVE = 10
_MOST_NAMED = 12
LINE_END = re.compile(r"\r\n|\n|\r")
# The first line with which Excel is told what stands between the cells of a CSV.
_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_RANKED_MARKS = frozenset({*names.RANK, *names.SCORE, *names.RUN})
_RANKED_ROLES = frozenset({"rank", "score", "run", "grade"})
_GRADES = frozenset({"grade", "rating", "judgment", "judgement", "relevance"})
_RESULT_MARKS = frozenset({*names.GRADE, *_RANKED_MARKS})
_QUERY_NAMES = frozenset({*names.QUERY_KEY, *names.QUERY_KEY_TEXT})
_PAIR_MARKS = frozenset(names.DOCUMENT_ID) - {"id", "_id"} - WEAK_NAMES
_DOCUMENT_IDS = frozenset({*names.DOCUMENT_ID, *names.OWN_DOCUMENT_ID}) - WEAK_NAMES
_TEXTS = frozenset({*names.BODY, *names.QUERY_TEXT, *names.TITLE})
_DOCUMENT_MARKS = frozenset({*names.OWN_DOCUMENT_ID, *names.URL, *names.BODY, *names.TITLE}) - {
    *("id", "_id", "text", "description", "name", "doc", "content"),
}
_QUERY_ONLY = frozenset({*names.QUERY_TEXT, "information_need", "narrative"}) - {
    *WEAK_NAMES,
    *("text", "title"),
}
_QUERY_KEYS = frozenset({*names.QUERY_ID, *_QUERY_ONLY})
_QUERY_MARKS = (frozenset(names.QUERY_ID) | _QUERY_ONLY) - {"id", "_id"} - WEAK_NAMES
_CLICK_MARKS = frozenset({*names.CLICKS, *names.IMPRESSIONS})
_KNOWN = frozenset(
    {*_QUERY_MARKS, *_DOCUMENT_MARKS, *_RESULT_MARKS, *names.QUERY_TEXT, *names.QUERY_KEY_TEXT}
    | {*names.QUERY_ID, *names.DOCUMENT_ID, *names.WEIGHT, *names.TITLE, *_CLICK_MARKS}
)
_HEADER = Question(
    "header",
    N_("Is the first line a header?"),
    {"yes": N_("It names the columns"), "no": N_("It is a row like the others")},
    "yes",
)

_Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file looks like.

    Attributes:
        format: how it is to be read.
        delimiter: of a table; a tab for queries; else ``None``.
        questions: what the content leaves open, with the answers to go by.
        notes: what was decided, in sentences.
        warnings: titles of what is doubtful, by the sentences that say it.
        column_roles: roles of columns that their names do not tell.
        answers: what the content itself answers, such as that there is no header.
        header_line: see :class:`judgetool.formats.values.Reading`.
    """

    format: Format
    delimiter: str | None = None
    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: Mapping[str, str] = field(default_factory=dict)
    column_roles: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    header_line: int = 0


EXPECTED: dict[Kind | None, str] = {
    None: N_(
        "columns that tell what the file is: an id and a text; a query and a document "
        "with a rank or score; or these two with a grade (grade, rating)"
    ),
    Kind.QUERIES: N_("queries: an id (id, query_id, qid) and a text (text, query)"),
    Kind.DOCUMENTS: N_("documents: an id (id, doc_id, docid) and texts (title, url, text)"),
    Kind.RUN: N_("a run: query, rank, doc_id, score"),
    Kind.RESULTS: N_("results: a query (query_id, query) and a document (doc_id, document, id)"),
    Kind.JUDGMENTS: N_("judgments: a query, a document and a grade (grade, rating, judgment)"),
    Kind.CLICKS: N_("clicks: a query, a document, impressions and clicks"),
}


def satisfies(found: Kind, wanted: Kind | None) -> bool:
    """Whether a file of this kind will do where another was asked for."""
    either = {Kind.RUN, Kind.RESULTS}
    return wanted in {None, found} or {found, wanted} <= either


def refused(source: TextSource, said: str, likely: Kind | None = None) -> ParseError:
    """Return what to raise for a file that is refused by how it begins, and looks like this kind."""
    return OtherKindError(said, source=source.name, likely=likely)


def refuse_kind(found: Format, wanted: Kind | None, source: TextSource) -> NoReturn:
    """Refuse a file that is clearly about something else.

    Raises:
        ParseError: always.
    """
    said = _("expected {expected}; found what looks like {found}. Nothing was kept.")
    said = said.format(expected=_(EXPECTED[wanted]), found=_(found.title))
    raise refused(source, said, found.kind)


def may_be(likely: Format, wanted: Kind | None) -> bool:
    """Whether a file that looks like this may be about what was asked for."""
    return any(satisfies(kind, wanted) for kind in likely.kinds)


def decide_format(likely: Format, content: object, wishes: Wishes) -> Detected:
    """Tell a format from those that look alike, by the question that it asks of the content."""
    if likely.ask is None:
        return Detected(likely)
    question = likely.ask(content, wishes)
    if question is None:
        return Detected(likely)
    found = FORMATS[likely.alike.get(question.answer, likely.name)]
    return Detected(found, questions=(question,))


def find_table(source: TextSource, lines: Sequence[str], wishes: Wishes) -> Detected | None:
    """Find the delimiter and the line with which a text is a table; ``None`` if it is none.

    Raises:
        ColumnsNeededError: the columns' names do not tell what the table holds.
        ParseError: it has more columns than are read.
    """
    n_lines = len(lines)
    lines, delimiters = _without_separator(lines)
    separator = len(lines) < n_lines
    has_header = wishes.answers.get("header") != "no"
    for place in range(min(len(lines), _MOST_ABOVE) if has_header else 1):
        for delimiter in delimiters:
            headers = _find_headers(source, lines[place:], delimiter, wishes, is_first=not place)
            if not headers:
                continue
            rows = _split(lines[place + has_header :], delimiter)
            are_counted = has_header and are_counted_rows(rows, len(headers))
            rows = [row[1:] for row in rows] if are_counted else rows
            rows = [each for row in rows if (each := fit_cells(row, len(headers), 2))]
            detected = choose_named(source, headers, rows, FileLayout.TABLE, wishes=wishes)
            detected = replace(detected, delimiter=delimiter)
            if are_counted:
                answers = {**detected.answers, ROW_NUMBERS: "left out"}
                notes = (*detected.notes, _(_COUNTED))
                detected = replace(detected, answers=answers, notes=notes)
            is_told = has_header and (place or separator or source.head.lstrip().startswith("#"))
            return _told_where(source, detected, lines[place]) if is_told else detected
    return _find_one_column(lines, wishes.kind) if has_header else None


_COUNTED = N_(
    "The header has one name less than the rows have cells: the first cell of each row is its number, "
    "and is left out."
)


def are_counted_rows(rows: _Rows, n_names: int, *, least: int = 2) -> bool:
    """Whether rows have one cell more than there are names: the first one, which counts them.

    R's ``write.table`` and pandas print them so. TREC's qrels have a 0 behind the query's number.
    """
    numbers = [row[0] for row in rows if len(row) == n_names + 1]
    if len(numbers) < max(least, len(rows)):
        return False
    is_trec = all(row[1] in {"0", "Q0"} for row in rows)
    has_last = any(row[-1] for row in rows)
    counts = ([str(number) for number in range(at, at + len(numbers))] for at in (0, 1))
    return has_last and not is_trec and numbers in counts


def _without_separator(lines: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Return the lines below Excel's ``sep=;``, and what may part their cells."""
    separator = _SEPARATOR.fullmatch(lines[0].strip()) if len(lines) > 1 else None
    return (lines[1:], (separator[1],)) if separator else (lines, _delimiters_of(lines))


def _told_where(source: TextSource, detected: Detected, header: str) -> Detected:
    """Say on which line the header stands, where others stand above it."""
    all_lines = LINE_END.split(source.head)
    number = all_lines.index(header) + 1
    note = () if number == 2 and _SEPARATOR.fullmatch(all_lines[0]) else (above_note(number),)
    return replace(detected, header_line=number, notes=(*note, *detected.notes))


def _find_headers(
    source: TextSource,
    lines: Sequence[str],
    delimiter: str,
    wishes: Wishes,
    *,
    is_first: bool,
) -> list[str]:
    """Return the columns' names if some lines are a table, its header first; else none.

    Where a person said that there is no header, numbers are the names.
    """
    cells = next(csv.reader([lines[0][:_MAX_HEADER]], delimiter=delimiter), [])
    if len(cells) < 2:
        return []
    has_header = wishes.answers.get("header") != "no"
    headers = unique_names(cells if has_header else [""] * len(cells))
    known = canonical_names(headers, wishes.column_roles) & _KNOWN
    is_told = any(names.role_said(header, wishes.column_roles) for header in headers)
    is_even = _is_even(lines, delimiter)
    # One name may do for a list of queries; below a title, all rows have to agree.
    is_query = bool(known if wishes.kind is Kind.QUERIES else known & _QUERY_ONLY)
    is_list = wishes.kind in {None, Kind.QUERIES} and is_query
    is_header = len(known) > 1 or is_told or (is_even and (is_list or not has_header))
    if not is_header or not (is_first or (len(known) > 1 and is_even)):
        return []
    n_columns = lines[0].count(delimiter) + 1
    if n_columns > MAX_COLUMNS:
        raise too_many_columns(n_columns, source.name)
    return headers


_NO_DECIMAL_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])")


def _delimiters_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return what may part cells, the likeliest first: commas last where all may be before decimals."""
    are_decimal = not any(_NO_DECIMAL_COMMA.search(line) for line in lines)
    return (*DELIMITERS[1:], ",") if are_decimal else DELIMITERS


def _is_even(lines: Sequence[str], delimiter: str) -> bool:
    """Whether lines have the same number of cells, at least two, but for a few."""
    rows = _split(lines, delimiter)
    n_same = sum(len(row) == len(rows[0]) for row in rows) if rows else 0
    return len(rows) > 1 and len(rows[0]) > 1 and n_same * 10 >= len(rows) * 9


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    return list(csv.reader((f"{line[:_MAX_HEADER]}\n" for line in lines), delimiter=delimiter))


def _find_one_column(lines: Sequence[str], kind: Kind | None) -> Detected | None:
    """Return a list of queries under a header: its name alone on the first line."""
    name = normal_name(lines[0].strip().strip('"'))
    its_names = frozenset(names.QUERY_TEXT) if kind is Kind.QUERIES else _QUERY_ONLY
    if kind not in {None, Kind.QUERIES} or name not in its_names or len(lines) < 2:
        return None
    note = _("The first line, ‘{line}’, is taken for the header.").format(
        line=lines[0].strip()[:40]
    )
    return Detected(FORMATS["queries-table"], _delimiter_of_one(lines), notes=(note,))


def _delimiter_of_one(lines: Sequence[str]) -> str:
    """Return what parts no cells in a table of one column: quotation marks are taken off."""
    is_quoted = any(line.lstrip().startswith('"') for line in lines)
    return "," if is_quoted or not any("," in line for line in lines) else "\t"


def find_bare_queries(lines: Sequence[str]) -> Detected | None:
    """Return a list of queries without a header in quotation marks, or with counts beside.

    Returns:
        ``None`` where the lines look otherwise.
    """
    for delimiter in DELIMITERS:
        rows = _split(lines, delimiter)
        is_counted = bool(rows) and all(
            len(row) == 2 and row[1].strip().isdecimal() and not row[0].strip().isdecimal()
            for row in rows
        )
        if is_counted and any(" " in row[0].strip() for row in rows):
            note = _("Each line is taken for a query and how often it came, its weight.")
            return _bare(delimiter, note, "query_text", "weight")
    quoted = [line for line in lines if len(line) > 1 and line[0] == line[-1] == '"']
    is_csv = quoted and all(re.search(r',|;|""', line[1:-1]) for line in quoted)
    if len(quoted) == len(lines) or is_csv:
        has_commas = any("," in line for line in lines if line not in quoted)
        note = _("Each line is taken for one query: quotation marks around it are left out.")
        return _bare("\t" if has_commas else ",", note, "query_text")
    return None


def _bare(delimiter: str, note: str, *roles: str) -> Detected:
    return Detected(
        FORMATS["queries-table"],
        delimiter,
        notes=(note,),
        column_roles={f"column {place}": role for place, role in enumerate(roles, 1)},
        answers={"header": "no"},
    )


def refuse_strange_table(source: TextSource, lines: Sequence[str], kind: Kind | None) -> None:
    """Refuse a table whose header is unknown; nothing is done if it is no table.

    A table is what has the same number of cells, at least two, on most of its lines;
    commas with a blank behind them are a sentence's.

    Raises:
        ColumnsNeededError: it is a table.
        ParseError: it has more columns than are read.
    """
    lines, delimiters = _without_separator(lines)
    for delimiter in delimiters:
        widths = [line.count(delimiter) + 1 for line in lines[:2]]
        if min(widths) > MAX_COLUMNS:
            raise too_many_columns(widths[0], source.name)
        n_prose = sum(line.count(f"{delimiter} ") for line in lines)
        is_prose = delimiter in ",;" and 2 * n_prose > sum(line.count(delimiter) for line in lines)
        if _is_even(lines, delimiter) and not is_prose:
            rows = _split(lines, delimiter)
            headers = unique_names(rows[0])
            raise _needed(source, headers, rows[1:], Wishes(kind=kind), questions=[_HEADER])


def choose_named(
    source: TextSource,
    headers: Sequence[str],
    rows: _Rows,
    layout: FileLayout,
    *,
    wishes: Wishes,
) -> Detected:
    """Return the format for named columns, or refuse them for this kind.

    Raises:
        ColumnsNeededError: a person has to say what the columns are.
    """
    columns = canonical_names(headers, wishes.column_roles)
    graded = _find_foreign_grade(headers, rows, columns, wishes)
    if graded is not None:
        roles = {graded: "grade"}
        told = replace(wishes, column_roles={**wishes.column_roles, **roles})
        detected = choose_named(source, headers, rows, layout, wishes=told)
        return replace(detected, column_roles={**roles, **detected.column_roles})
    wide = (
        _find_assessor_columns(headers, rows, columns, wishes.column_roles)
        if layout is FileLayout.TABLE
        else []
    )
    likely = Kind.JUDGMENTS if wide else _likely_kind(source, rows, columns)
    is_query_list = likely is Kind.QUERIES and _has(columns, _GRADES)
    is_text_list = likely in {Kind.QUERIES, Kind.DOCUMENTS}
    if is_query_list or (is_text_list and _RANKED_ROLES & {*wishes.column_roles.values()}):
        # Grades and ranks are of documents of queries: one of the two has yet to be named.
        likely = None
    wanted = wishes.kind or likely
    if wanted is Kind.RUN:
        wanted = Kind.RESULTS
    is_wide = wanted is Kind.JUDGMENTS and bool(wide)
    if wanted is None or not (is_wide or _can_be(wanted, columns)):
        asked = [wishes.answered(_HEADER)] if layout is FileLayout.TABLE else []
        asking = replace(wishes, kind=wanted)
        raise _needed(source, headers, rows, asking, questions=asked, likely=likely)
    judged = _judged_columns(headers, columns, wishes.column_roles)
    if wanted is Kind.RESULTS and likely is Kind.JUDGMENTS and judged:
        raise refused(source, _(_JUDGED).format(columns=", ".join(map(quoted, judged))), likely)
    is_bare = wanted is Kind.RESULTS and _are_bare_grades(headers, wishes.column_roles)
    if is_bare and wishes.kind is Kind.RUN:
        raise refused(source, _(_NO_RUN), likely)
    chosen = find_format(wanted, layout)
    assert chosen is not None
    if not is_wide:
        warnings = {_(_ORDER_COUNTS): _(_NO_RANKS)} if is_bare else {}
        detected = _by_cells(Detected(chosen, warnings=warnings), headers, rows, wishes)
        return _with_known_ids(detected, headers, rows, wishes)
    some = ", ".join(wide[:8]) + (" …" if len(wide) > 8 else "")
    note = (
        _("{columns} is taken for the grades of one assessor.")
        if len(wide) == 1
        else _("{columns} are each taken for the grades of one assessor.")
    ).format(columns=some)
    return Detected(chosen, notes=(note,), column_roles=dict.fromkeys(wide, GRADES_OF_ASSESSOR))


def _find_foreign_grade(
    headers: Sequence[str], rows: _Rows, columns: set[str], wishes: Wishes
) -> str | None:
    """Return the header *Note* (*Nota*) where its language calls a grade so, and its column holds such."""
    words = ("note", "nota")
    place = next((at for at, each in enumerate(headers) if each.strip().lower() in words), None)
    is_free = place is not None and names.role_said(headers[place], wishes.column_roles) is None
    is_foreign = any(map(names.is_translated, headers)) and not _has(columns, names.GRADE)
    if place is None or not (is_free and is_foreign and _is_pairs({*columns, "grade"})):
        return None
    cells = [row[place].strip() for row in rows if row[place].strip()]
    are_grades = all(find_grade(cell.replace(",", ".")) is not None for cell in cells)
    return headers[place] if cells and are_grades else None


_SURE_TEXTS = frozenset({"text", "query_text", "querytext", "query_txt"})


def _by_cells(detected: Detected, headers: Sequence[str], rows: _Rows, wishes: Wishes) -> Detected:
    """Tell by their cells columns that have the same name or role: ids from texts, filled ones from empty."""
    kind, said = detected.format.kind, wishes.column_roles
    cells = {name: [row[at].strip() for row in rows] for at, name in enumerate(headers)}
    free = [name for name in headers if names.role_said(name, said) is None]
    usual = names.assign_roles(headers, kind, said)
    if kind is Kind.JUDGMENTS:
        filled = [name for name in headers if name not in free or any(cells[name])]
        note = names.assign_roles(filled, kind, said).get("note")
        is_other = note is not None and note != usual.get("note")
        return replace(detected, column_roles={str(note): "note"}) if is_other else detected
    query = next((name for name in free if normal_name(name) == "query"), "")
    if kind is not Kind.QUERIES or not query or "query_id" in usual:
        return detected
    text = names.assign_roles(headers, kind, {**said, query: "query_id"}).get("query_text", "")
    ids, texts = cells[query], cells.get(text, [])
    are_words = len({*ids}) == len(ids) > 0 and all(len(each.split()) == 1 for each in ids)
    is_told = any(len(each.split()) > 1 for each in texts) or all(map(_HAS_DIGIT.search, ids))
    if normal_name(text) not in _SURE_TEXTS or not (are_words and is_told):
        return detected
    said_so = _("‘{query}’ is taken for the queries’ ids: ‘{text}’ holds their texts.")
    notes = (*detected.notes, said_so.format(query=query, text=text))
    return replace(detected, notes=notes, column_roles={query: "query_id"})


def _with_known_ids(
    detected: Detected, headers: Sequence[str], rows: _Rows, wishes: Wishes
) -> Detected:
    """Take for the document's id, of several columns that may be it, the one the project knows."""
    find_known = wishes.known_documents
    kind = detected.format.kind
    usual = names.assign_roles(headers, kind, wishes.column_roles).get("document_id", "")
    places = [
        place
        for place, header in enumerate(headers)
        if names.role_said(header, wishes.column_roles) is None
        and normal_name(header) in _DOCUMENT_IDS
    ]
    is_said = "document_id" in wishes.column_roles.values()
    if find_known is None or is_said or len(places) < 2 or kind is Kind.QUERIES:
        return detected
    counts = {
        headers[place]: len(find_known(list({row[place] for row in rows if row[place]})))
        for place in places
    }
    best = max(counts, key=counts.__getitem__)
    if best == usual or counts[best] <= counts.get(usual, 0):
        return detected
    note = _(
        "‘{best}’ is taken for the documents’ ids: the project knows {number} of them."
    ).format(best=best, number=local_count(counts[best]))
    return replace(
        detected,
        notes=(*detected.notes, note),
        column_roles={**detected.column_roles, best: "document_id"},
    )


# What is known for something else, by names of columns that nothing else has together.
_STRANGERS = (
    (
        frozenset({"action_name", "event_attributes"}),
        N_(
            "these are events of User Behavior Insights, one on each line, and no counts. Nothing was "
            "kept; count how often each document was shown and clicked for a query, and give a table "
            "with the columns query, document, impressions and clicks."
        ),
    ),
    (
        frozenset({"user_query", "query_response_hit_ids"}),
        N_(
            "these are queries of User Behavior Insights. Nothing was kept; read the file as queries."
        ),
    ),
    (
        frozenset({"responseHeader", "grouped"}),
        N_(
            "this is a response of Solr in groups, which are no ranking. Nothing was kept; search "
            "without groups (or with group.main=true), and save that response."
        ),
    ),
)


def _missing(columns: set[str], wishes: Wishes) -> list[str]:
    """Return what pairs of query and document still lack, where a person has said some columns."""
    if not wishes.column_roles or wishes.kind not in _THIRD:
        return []
    marks, third = _THIRD[wishes.kind]
    parts = (
        (_QUERY_NAMES, _("a query (query_id, query)")),
        (names.DOCUMENT_ID, _("a document (doc_id, document, id)")),
        (marks, _(third)),
    )
    missing = [what for known, what in parts if not _has(columns, known)]
    return missing if len(missing) < len(parts) else []


_THIRD: dict[Kind | None, tuple[Collection[str], str]] = {
    None: (_RESULT_MARKS, N_("a grade (grade, rating), a rank or a score")),
    Kind.JUDGMENTS: (names.GRADE, N_("a grade (grade, rating, judgment)")),
}


def _needed(
    source: TextSource,
    headers: Sequence[str],
    rows: _Rows,
    wishes: Wishes,
    *,
    questions: Sequence[Question],
    likely: Kind | None = None,
) -> ParseError:
    stranger = next((why for marks, why in _STRANGERS if marks <= {*headers}), "")
    if stranger and not wishes.column_roles:
        return refused(source, _(stranger))
    found = ", ".join(quoted(header[:40]) for header in headers[:_MOST_NAMED])
    more = len(headers) - _MOST_NAMED
    if more > 0:
        found = number_of(more, "{columns} and {n} more", "{columns} and {n} more", columns=found)
    columns = canonical_names(headers, wishes.column_roles)
    missing = ", ".join(_missing(columns, wishes))
    said = _("expected {expected}; found the columns {found}.").format(
        expected=missing or _(EXPECTED[wishes.kind]), found=found
    )
    # Objects of JSON have names and no first line that could be a row.
    advice = (
        _(
            "Nothing was kept; say what each column is (its role), or that the first line is a row "
            "and no header."
        )
        if any(question.answer != "no" for question in questions)
        else _("Nothing was kept; say what each column is (its role).")
    )
    usual = Kind.RESULTS if _has(columns, _RANKED_MARKS) else Kind.JUDGMENTS
    return ColumnsNeededError(
        f"{said} {advice}",
        source=source.name,
        found=said,
        columns=names.column_uses(headers, wishes.kind or usual, wishes.column_roles),
        sample_rows=list(islice(rows, N_SAMPLE_ROWS)),
        questions=questions,
        likely=likely,
    )


_JUDGED = N_(
    "these are judgments, by the columns {columns}, and no results: there are neither ranks nor "
    "scores. Nothing was kept; read it as judgments."
)
_NO_RUN = N_(
    "these look like judgments, each a query, a document and a grade, and no run: there are neither "
    "ranks nor scores. Nothing was kept; read it as judgments, or as results (--results) if its rows "
    "stand in the order of a ranking."
)
_NO_RANKS = N_("No ranks, scores or texts")
_ORDER_COUNTS = N_(
    "These look like judgments: the order of the rows is taken for a ranking. Read as judgments "
    "(--qrels), they make no run."
)
_OF_JUDGING = ("assessor", "state", "at", "flagged", "spent_ms", "confidence", "rationale")


def _judged_columns(
    headers: Sequence[str], columns: set[str], column_roles: Mapping[str, str]
) -> list[str]:
    """Return the columns that say how a document was judged, where there is nothing of its results.

    Texts beside grades may be those of results, which stand in their order.
    """
    roles = names.assign_roles(headers, Kind.JUDGMENTS, column_roles)
    if "grade" not in roles or _has(columns, {*_RANKED_MARKS, *names.TITLE, *names.BODY}):
        return []
    return [roles[role] for role in _OF_JUDGING if role in roles]


def _are_bare_grades(headers: Sequence[str], column_roles: Mapping[str, str]) -> bool:
    """Whether columns of graded results say nothing but the query, the document and the grade."""
    uses = names.column_uses(headers, Kind.RESULTS, column_roles)
    roles = {use.role for use in uses if normal_name(use.header) not in names.NOTE}
    return "grade" in roles <= {"query_id", "query_text", "document_id", "grade", names.IGNORE}


def _find_assessor_columns(
    headers: Sequence[str], rows: _Rows, columns: set[str], column_roles: Mapping[str, str]
) -> list[str]:
    """Return the columns that hold one assessor's grades each, as in Quepid's books.

    The table has query and document but neither one grade nor rank, score or texts of
    results; such a column holds a few different grades or nothing, and hardly anything else.
    """
    told = [name for name in headers if names.role_said(name, column_roles) == GRADES_OF_ASSESSOR]
    is_pairs = _is_pairs(columns) and _has(columns, _PAIR_MARKS)
    if told or not is_pairs or _has(columns, _RESULT_MARKS):
        return told
    uses = names.column_uses(headers, Kind.JUDGMENTS, column_roles)
    free = [
        (place, use.header)
        for place, use in enumerate(uses)
        if use.role == names.IGNORE
        and names.role_said(use.header, column_roles) is None
        and not names.is_ignored(use.header, column_roles)
        and names.may_be_grades(use.header)
    ]
    graded = [(place, header) for place, header in free if _is_graded_column(place, rows)]
    filled = {place for place, _ in graded if any(row[place].strip() for row in rows)}
    others = [place for place, _ in free if (place, _) not in graded]
    # One column of grades beside one of few names: those may be who gave them, and not the head.
    has_names = any(use.role == "assessor" for use in uses)
    is_long = has_names or any(_has_few_names(place, rows) for place in others)
    is_long = is_long and len(filled) == 1
    return [header for _, header in graded] if filled and not is_long else []


def _is_graded_column(place: int, rows: _Rows) -> bool:
    values = [row[place] for row in rows if row[place].strip()]
    grades = [value for value in values if find_grade(value) is not None]
    return len(set(grades)) <= _MOST_GRADES and 2 * len(grades) >= len(values)


def _has_few_names(place: int, rows: _Rows) -> bool:
    """Whether a column's texts are few and come again, as names do; numbers are none."""
    values = [row[place].strip() for row in rows if row[place].strip()]
    few = {*values}
    return len(few) < len(values) and len(few) <= _MOST_GRADES and not any(map(is_score, few))


def _has(columns: set[str], *names: Collection[str]) -> bool:
    """Whether some column has a name of each of these lists."""
    return not any(columns.isdisjoint(each) for each in names)


def _is_pairs(columns: set[str]) -> bool:
    """Whether there are a query and a document: by names that mean just that, or by grades."""
    its_queries = columns & _QUERY_NAMES
    its_documents = columns.intersection(names.DOCUMENT_ID)
    has_query = bool(its_queries - WEAK_NAMES)
    if has_query and its_documents - WEAK_NAMES:
        return True
    is_sure = has_query or bool(its_documents - {"id", "_id"})
    return bool(its_queries and its_documents) and is_sure and _has(columns, _RESULT_MARKS)


def _can_be(kind: Kind, columns: set[str]) -> bool:
    is_pairs = _is_pairs(columns)
    is_marked = is_pairs and _has(columns, _RESULT_MARKS)
    if kind is Kind.JUDGMENTS:
        return is_pairs and _is_graded(columns)
    if kind is Kind.CLICKS:
        return _has_clicks(columns)
    if kind is Kind.QUERIES:
        return not is_marked and (_has(columns, _QUERY_KEYS) or _is_weighed_list(columns))
    if kind is Kind.DOCUMENTS:
        # Pages of the net are known by their addresses.
        return not is_marked and _has(columns, {*names.OWN_DOCUMENT_ID, *names.URL})
    return is_pairs


def _is_weighed_list(columns: set[str]) -> bool:
    """Whether there is a text that may be a query's, and how often it came."""
    is_weighed = _has(columns, names.WEIGHT, names.QUERY_TEXT)
    return is_weighed and not _has(columns, _DOCUMENT_MARKS)


def _has_clicks(columns: set[str]) -> bool:
    """Whether there are impressions and clicks of queries and documents, or of their pages."""
    its_documents = {*names.DOCUMENT_ID, *names.URL, "page"}
    return _has(columns, _QUERY_NAMES, its_documents, names.CLICKS, names.IMPRESSIONS)


def _is_graded(columns: set[str]) -> bool:
    """Whether a column holds grades; in BEIR's qrels they are called score."""
    is_beir_qrels = {*names.BEIR_DOCUMENT_ID, "score"} <= columns and "rank" not in columns
    # Judgments alone may all be skipped; a ranking's state is of another sort.
    is_stated = "state" in columns and not _has(columns, _RANKED_MARKS)
    return is_beir_qrels or is_stated or _has(columns, (*names.GRADE, *names.UNRATEABLE))


def named_kind(source: str) -> Kind | None:
    """Return what a file with ids and texts holds by its name, if that tells it."""
    stem = PurePath(source).name.lower()
    if re.search("qry|quer|topic", stem):
        return Kind.QUERIES
    return Kind.DOCUMENTS if re.search("corpus|doc|collection|passage", stem) else None


def _likely_kind(source: TextSource, rows: _Rows, columns: set[str]) -> Kind | None:
    # A position beside clicks is where a document was shown, and no ranking to be judged.
    are_ranked = _RANKED_MARKS - {"position", "doc_position", "rank_position", "pos"}
    if _has_clicks(columns) and not _has(columns, {*are_ranked, *names.GRADE}):
        return Kind.CLICKS
    if _can_be(Kind.RESULTS, columns):
        if _is_graded(columns):
            # Quepid's detailed export has ranks, texts and grades in one.
            is_run = _has(columns, names.RANK, {*names.TITLE, *names.BODY})
            return Kind.RESULTS if is_run else Kind.JUDGMENTS
        if _has(columns, _RANKED_MARKS):
            return Kind.RESULTS
        if _has(columns, _PAIR_MARKS):
            # Pairs without rank, score or grade: what they are is not for us to guess.
            return None
    if not (_has(columns, _TEXTS) or _has(columns, _QUERY_ONLY)):
        return None
    n_characters = sum(len(cell) for row in rows for cell in row)
    hints = (
        (_has(columns, _QUERY_MARKS) or _is_weighed_list(columns), Kind.QUERIES),
        (_has(columns, _DOCUMENT_MARKS), Kind.DOCUMENTS),
        (not _has(columns, ("id", "_id")), None),
        (named_kind(source.name) is not None, named_kind(source.name)),
        (n_characters > _LONG_TEXT * len(rows), Kind.DOCUMENTS),
    )
    return next((kind for is_so, kind in hints if is_so), Kind.QUERIES)
