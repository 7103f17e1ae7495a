"""Which format a file has: by its content first, by its name where that leaves a choice."""

import json
import re
from collections.abc import Mapping, Sequence

from judgetool.core.number_text import number_of
from judgetool.errors import ParseError
from judgetool.formats.json_shapes import (
    are_columns,
    ask_of_texts,
    find_rows,
    is_annotation,
    rows_of,
)
from judgetool.formats.markup import DOC_START
from judgetool.formats.names import ALL_NAMES, normal_name
from judgetool.formats.records import (
    parse_json_object,
    split_columns,
    stored_fields,
    text_of,
)
from judgetool.formats.registry import FORMATS, Format, find_format
from judgetool.formats.search_responses import (
    JsonSource,
    error_in,
    explain_stranger,
    has_responses,
    object_of,
)
from judgetool.formats.source import TextSource, without_comments
from judgetool.formats.table_detection import (
    EXPECTED,
    LINE_END,
    Detected,
    are_counted_rows,
    choose_named,
    decide_format,
    find_bare_queries,
    find_table,
    may_be,
    named_kind,
    refuse_kind,
    refuse_strange_table,
    refused,
    satisfies,
)
from judgetool.formats.texts import SMART_LINE
from judgetool.formats.values import FileLayout, Kind, LineParts, Wishes
from judgetool.wording import _

_SAMPLE_LINES = 200
_LONG_TOPIC = 2000
_MARKUP = re.compile(
    r"\s*<(\?xml|!--|!DOCTYPE|[A-Za-z][A-Za-z0-9_:-]*(\s[^<>]*)?/?>)", re.IGNORECASE
)
_TOP = re.compile(r"\s*<top\s*>", re.IGNORECASE)
_DOC_NUMBER = re.compile(r"<DOC(NO|ID)>", re.IGNORECASE)
# An id may be signs alone, and stands before "Q0" or "0" then.
_OTHER_MARKUP = re.compile(r"\s*<(\?xml\b|html\b|!doctype\b|!--(?!\s+(Q0|0)\s)|!\[)", re.IGNORECASE)
_HTML = re.compile(
    r"\s*(<\?xml[^>]*>\s*)?<(!doctype\s+html\b|html\b|(head|body|table)\b[^<>]*>\s*<)",
    re.IGNORECASE,
)
_TOPIC_XML = re.compile(r"<(topics?|top|query|queries)\b", re.IGNORECASE)


def detect_format(source: TextSource, wishes: Wishes) -> Detected:
    """Find out how a file is to be read.

    Args:
        source: its head is looked at; nothing is consumed.
        wishes: what the user said of it; its kind wins where the content allows it.

    Raises:
        ParseError: nothing that judgetool reads, or clearly another kind.
        ColumnsNeededError: a table whose columns do not tell what it holds.
    """
    if isinstance(source, JsonSource):
        return _detect_value(source, wishes)
    lines = _sample_lines(source.head)
    if not lines:
        return _detect_empty(source, wishes)
    if are_trec_lines(lines):
        return detect_columns(source, lines, wishes)
    if _MARKUP.match(lines[0]) and not lines[0].lstrip().startswith("<http"):
        found = _find_markup(source, wishes.kind)
        if found is not None:
            return found
    if _JSON_START.match(lines[0]):
        return _detect_json_lines(source, lines, wishes)
    table = find_table(source, lines, wishes)
    return table or detect_columns(source, lines, wishes)


# Query, "0" or "Q0", document, grade; or with rank, score and tag.
_LONG_TREC_LINE = 2000
_WORD_QRELS_LINE = re.compile(r"\s*\S+\s+(?:Q0|0)\s+\S+\s+\S+\s*")
_TREC_LINE = re.compile(r"\s*\S+\s+(?:Q0|0)\s+\S+\s+\S+(?:\s+\S+\s+\S+)?\s*")


def are_trec_lines(lines: Sequence[str]) -> bool:
    """Whether each line is one of qrels or of a run, whatever its ids look like: markup, JSON."""
    return all(len(line) < _LONG_TREC_LINE and _TREC_LINE.fullmatch(line) for line in lines)


def _sample_lines(head: str) -> list[str]:
    every = [line for line in LINE_END.split(head)[: _SAMPLE_LINES + 1] if line.strip()]
    # Of JSON lines, what is null says nothing of the others.
    lines = [line for line in every if line.strip() != _NULL] or every
    if len(lines) > 1 and not head.endswith(("\n", "\r")):
        # The last one is probably cut off.
        lines.pop()
    return [line for line in lines if not line.startswith("#")] or lines


def _detect_empty(source: TextSource, wishes: Wishes) -> Detected:
    kind = wishes.kind
    if source.headers:
        return choose_named(source, source.headers, [], FileLayout.TABLE, wishes=wishes)
    if kind is None:
        raise ParseError(_("the file is empty, so nothing tells what it is."), source=source.name)
    found = find_format(kind, FileLayout.COLUMNS) or find_format(kind, FileLayout.JSON_LINES)
    assert found is not None
    return Detected(found)


def _find_markup(source: TextSource, kind: Kind | None) -> Detected | None:
    """Tell TREC's documents and topics apart; ``None`` where the tag may be part of an id."""
    head = without_comments(source.head)
    document = DOC_START.search(head)
    if document and _DOC_NUMBER.search(head, document.end()):
        # Some collections write their topics like documents, but for their length.
        is_short = len(head) < _LONG_TOPIC * len(DOC_START.findall(head))
        is_topics = kind is Kind.QUERIES and is_short
        found = FORMATS["trec-topics" if is_topics else "trec-documents"]
    elif _TOP.match(head):
        found = FORMATS["trec-topics"]
    elif _TOPIC_XML.search(head):
        found = FORMATS["trec-topics-xml"]
    elif _HTML.match(head):
        said = _(
            "it is a web page (HTML), expected {expected}. Was an error page saved in its place? "
            "Then fetch the file again; a sheet that is HTML inside can be opened, and saved as "
            ".xlsx or CSV. Nothing was kept."
        )
        raise refused(source, said.format(expected=_(EXPECTED[kind])))
    elif _OTHER_MARKUP.match(head):
        said = _(
            "it is XML or HTML without topics or documents. Expected TREC topics (<topic> "
            "or <top> elements) or TREC documents (<DOC> with <DOCNO>). Nothing was kept."
        )
        raise refused(source, said)
    else:
        return None
    if not satisfies(found.kind, kind):
        refuse_kind(found, kind, source)
    return Detected(found)


def _detect_value(source: JsonSource, wishes: Wishes) -> Detected:
    """Find the format of one JSON value that fills the file."""
    shape = find_shape(source.value)
    if shape is None:
        keys = ", ".join(list(object_of(source.value))[:8]) or text_of(source.value)[:40]
        raise ParseError(
            _(
                "it is JSON, but of no form that judgetool knows (found {keys}). Expected a "
                "list of objects, objects or texts by their ids, responses with hits, ratings "
                "of Quepid, RRE, Elasticsearch or OpenSearch, or documents with numbers under "
                "query ids. Nothing was kept."
            ).format(keys=keys),
            source=source.name,
        )
    detected = decide_format(shape, source.value, wishes)
    found = detected.format
    if not any(satisfies(kind, wishes.kind) for kind in (found.kind, *found.also)):
        refuse_kind(found, wishes.kind, source)
    return detected


def refuse_stranger(source: TextSource, value: object) -> None:
    """Refuse what a service answers in place of results.

    Raises:
        ParseError: it is such an answer.
    """
    why = explain_stranger(value)
    if why:
        raise refused(source, why)


def _detect_json_lines(source: TextSource, lines: Sequence[str], wishes: Wishes) -> Detected:
    objects: list[Mapping[str, object]] = [
        stored_fields(each) for each in map(parse_json_object, lines) if not isinstance(each, str)
    ]
    headers = list(dict.fromkeys(key for each in objects for key in each))
    if objects:
        refuse_stranger(source, objects[0])
    if not headers:
        said = _(
            "this looks like JSON, but no line near its beginning is a whole object. "
            "Expected {expected}, as one object in braces on each line (JSON lines). "
            "Nothing was kept."
        )
        raise refused(source, said.format(expected=_(EXPECTED[wishes.kind])))
    rows = [[text_of(each.get(header)) for header in headers] for each in objects]
    layout = FileLayout.TABLE if source.is_sheet else FileLayout.JSON_LINES
    return choose_named(source, headers, rows, layout, wishes=wishes)


# JSON


_JSON_START = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"]|null\s*(,|$)|$))')
_NULL = "null"


_EMPTY_VALUES = ("[]", _NULL)


def is_json_value(source: TextSource) -> bool:
    """Whether one JSON value fills the file, rather than an object each line."""
    head = source.head.strip()
    if head in _EMPTY_VALUES or (head[:1] == "[" and head[-1:] == "]" and _is_whole(head)):
        return True
    lines = [line for line in LINE_END.split(source.head, _SAMPLE_LINES) if line.strip()]
    if not lines or not _JSON_START.match(lines[0]) or are_trec_lines(_sample_lines(source.head)):
        return False
    first = parse_json_object(lines[0])
    if not isinstance(first, str):
        is_rows = find_rows(first, Wishes()) is not None
        is_record = len({normal_name(key) for key in first} & ALL_NAMES) > 1
        is_record = is_record and not are_columns(first)
        is_value = find_shape(first) is not None or (is_rows and not is_record)
        return len(lines) == 1 and is_value
    if lines[0].lstrip().startswith("[") or _is_whole(source.head):
        return True
    # Of JSON lines, most are whole; of one value, an inner line may be by chance.
    parsed = [parse_json_object(line) for line in lines]
    n_objects = sum(bool(each) and not isinstance(each, str) for each in parsed)
    return 2 * n_objects < len(lines)


def are_lines_of_one_value(source: TextSource) -> bool:
    """Whether each line is an object that makes no row by itself: a response, an annotation."""
    for line in source.head.splitlines():
        if line.strip() == _NULL:
            continue
        if line.strip() and not _JSON_START.match(line):
            return False
        found = parse_json_object(line) if line.strip() else {}
        # What a service says to one query that failed tells nothing of the others.
        if isinstance(found, str) or (found and not error_in(found)):
            return not isinstance(found, str) and (has_responses(found) or is_annotation(found))
    return False


def _is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_row_list(value: object) -> bool:
    """Whether this is a list of objects that are rows of a table; some may be null."""
    return bool(rows_of(value)) and not has_responses(value)


def find_shape(value: object) -> Format | None:
    """Return the format that a JSON value has by its shape, ``None`` if it is none that is known.

    Of numbers by query and document it is the run's, though they may be grades.
    """
    values = (each for each in FORMATS.values() if each.layout is FileLayout.JSON_VALUE)
    return next((each for each in values if each.is_like and each.is_like(value)), None)


# Lines without a header


_MAX_LOOKED_AT = 100_000
_LONG_TEXT = 100
_SHORT_TEXT = 200
# "- id: 1", or "  text: cold soup" below it.
_OBJECT_START = re.compile(r"\s*\{\s*['“”„‘’«»]")
# A key, or an entry of a list: "queries:", "  - cold soup".
_YAML_LINE = re.compile(
    r"\s*- [A-Za-z_]\w*:(\s|$)|\s+[A-Za-z_]\w*:(\s|$)|[A-Za-z_]\w*:\s*$|\s*- [^\t]+$"
)
# "- d17 2": a query that is called "-", with three columns.
_GRADED_LINE = re.compile(r"- \S*[^\s:] -?\d+(\.\d+)?\s*")
# 127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326
_ACCESS_LINE = re.compile(r"\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:")
_TAG_LINE = re.compile(r"\s*</?[A-Za-z!?][^<>]*>")


def detect_columns(source: TextSource, lines: Sequence[str], wishes: Wishes) -> Detected:
    """Tell formats without a header apart.

    Raises:
        ParseError: none fits, or another kind than was asked for.
        ColumnsNeededError: it is a table, and a person has to say what its columns are.
    """
    lines = [line[:_MAX_LOOKED_AT] for line in lines]
    if wishes.kind is Kind.QUERIES and wishes.answers.get("lines") == "texts":
        return _texts_alone()
    if SMART_LINE.fullmatch(lines[0]):
        return _smart(source, lines, wishes)
    _refuse_other_language(source, lines, wishes.kind)
    _refuse_printed_table(source, lines)
    bare = find_bare_queries(lines) if wishes.kind is Kind.QUERIES else None
    if bare is not None:
        return bare
    parts = [LineParts(line, split_columns(line), line.split("\t")) for line in lines]
    counts = _count_fitting(parts)
    likely = _likeliest(counts, wishes.kind)
    if wishes.kind in {Kind.QUERIES, Kind.DOCUMENTS} and 2 * counts["queries-tsv"] >= len(lines):
        # Words may look like columns; who says that they are texts knows better.
        likely = "queries-tsv"
    fits = 2 * counts[likely] >= len(lines)
    if fits and may_be(FORMATS[likely], wishes.kind):
        return _settled(source, parts, FORMATS[likely], wishes)
    if wishes.kind is Kind.QUERIES and not (fits and likely != "queries-tsv"):
        return _list_of_texts(source, lines)
    wanted = _find_wanted(lines, wishes.kind)
    n_wanted = 0 if wanted is None or wishes.kind is Kind.QUERIES else counts.get(wanted.name, 0)
    if fits and not n_wanted:
        if wanted is None or wishes.kind is Kind.QUERIES:
            refuse_kind(FORMATS[likely], wishes.kind, source)
        said = _("expected {wanted} ({line}), found what looks like {title}. Nothing was kept.")
        line, title = _(wanted.help).rstrip("."), _(FORMATS[likely].title)
        said = said.format(wanted=_(wanted.title), line=line, title=title)
        raise refused(source, said, FORMATS[likely].kind)
    if wanted is not None:
        return _wanted_or_table(source, lines, wanted, n_fitting=n_wanted)
    raise _unknown(source, lines, wishes.kind)


def _find_wanted(lines: Sequence[str], kind: Kind | None) -> Format | None:
    """Return what lines are taken for that do not look like it by themselves, if anything."""
    if kind is not None:
        return find_format(kind, FileLayout.COLUMNS)
    # Of grades that are words, a person has to say what they mean.
    return FORMATS["trec-qrels"] if all(map(_WORD_QRELS_LINE.fullmatch, lines)) else None


def _likeliest(counts: dict[str, int], kind: Kind | None) -> str:
    """Return the format that most lines fit, of several the first."""
    likely = max(counts, key=counts.__getitem__)
    # A run without tags has such rows, too, but hardly whole numbers in all of them.
    is_sample = kind is not Kind.RUN and counts["trec-sampled-qrels"] == counts[likely]
    return "trec-sampled-qrels" if is_sample else likely


def _count_fitting(parts: Sequence[LineParts]) -> dict[str, int]:
    """Return how many lines look like each format; of equals, the first is the likelier."""
    marked = {
        name: each.is_like
        for name, each in FORMATS.items()
        if each.is_like and each.layout is not FileLayout.JSON_VALUE
    }
    return {name: sum(map(is_like, parts)) for name, is_like in marked.items()}


def _settled(
    source: TextSource, parts: Sequence[LineParts], likely: Format, wishes: Wishes
) -> Detected:
    if likely.name == "queries-tsv":
        return _id_and_text(source, [part.text for part in parts], wishes)
    is_like = likely.is_like
    rows = [part.columns for part in parts if is_like is not None and is_like(part)]
    return decide_format(likely, rows, wishes)


def _id_and_text(source: TextSource, lines: Sequence[str], wishes: Wishes) -> Detected:
    """Tell queries from documents: by what was said, by the name, by the length of the texts."""
    length = sum(map(len, lines)) / len(lines)
    named = named_kind(source.name)
    likely = named or (Kind.DOCUMENTS if length > _LONG_TEXT else Kind.QUERIES)
    kind, questions = ask_of_texts(_("Each line holds an id and a text."), likely, wishes)
    notes = []
    if kind is likely is Kind.DOCUMENTS and questions:
        said = (
            _("Ids and texts are taken for documents, by the file’s name.")
            if named
            else _(
                "Ids and texts are taken for documents, as its lines are long ({length} "
                "characters on average)."
            )
        )
        notes.append(said.format(length=f"{length:.0f}"))
    return Detected(FORMATS[f"{kind}-tsv"], "\t", questions=questions, notes=tuple(notes))


def _list_of_texts(source: TextSource, lines: Sequence[str]) -> Detected:
    """Take lines for queries that have no ids, if they plainly are one query each."""
    if any("\t" in line for line in lines) and sum(line.count("\t") == 1 for line in lines):
        return Detected(FORMATS["queries-tsv"], "\t")
    refuse_strange_table(source, lines, Kind.QUERIES)
    if sum(map(len, lines)) > _SHORT_TEXT * len(lines) or any("\t" in line for line in lines):
        raise _unknown(source, lines, Kind.QUERIES)
    return _texts_alone()


def _smart(source: TextSource, lines: Sequence[str], wishes: Wishes) -> Detected:
    """Tell SMART's queries from its documents, which have titles and authors."""
    if wishes.kind not in {None, Kind.QUERIES, Kind.DOCUMENTS}:
        refuse_kind(FORMATS["smart-documents"], wishes.kind, source)
    has_titles = any(line.rstrip() in {".T", ".A", ".B"} for line in lines)
    is_query = named_kind(source.name) is Kind.QUERIES or not has_titles
    likely = Kind.QUERIES if is_query else Kind.DOCUMENTS
    kind, questions = ask_of_texts(_("Each entry holds an id and a text."), likely, wishes)
    return Detected(FORMATS[f"smart-{kind}"], questions=questions)


def _texts_alone() -> Detected:
    note = _("Each line is taken for one query: the file has no ids, tabs or header.")
    return Detected(FORMATS["queries-list"], notes=(note,))


def _refuse_other_language(source: TextSource, lines: Sequence[str], kind: Kind | None) -> None:
    """Refuse what is written for other programs, and would be read as words.

    Raises:
        ParseError: it is YAML, HTML, XML, a server's log, or JSON as a word processor spells it.
    """
    what = _other_language(lines)
    if what:
        said = _(
            "this looks like {what}, which judgetool does not read. Expected {expected}, as JSON "
            "lines or as a table with a header line that names the columns. Nothing was kept."
        ).format(what=what, expected=_(EXPECTED[kind]))
        if kind is Kind.QUERIES:
            said += " " + _("If each line is one query all the same, answer ‘lines’ with ‘texts’.")
        raise refused(source, said)


def _other_language(lines: Sequence[str]) -> str:
    """Return what lines are written in that are no queries, if so: YAML, HTML, a log, broken JSON."""
    if are_trec_lines(lines) or all(map(_GRADED_LINE.fullmatch, lines)):
        return ""

    def most_are(form: re.Pattern[str]) -> bool:
        return 2 * sum(bool(form.match(line)) for line in lines) > len(lines)

    if lines[0].rstrip() == "---" or lines[0].startswith("%YAML") or most_are(_YAML_LINE):
        return "YAML"
    if most_are(_OBJECT_START):
        return _('JSON with other quotation marks than "')
    if most_are(_ACCESS_LINE):
        return _("the access log of a web server")
    return _("HTML or XML") if most_are(_TAG_LINE) else ""


def _refuse_printed_table(source: TextSource, lines: Sequence[str]) -> None:
    """Refuse a table that pandas or R printed: its rows' numbers would be taken for ids.

    Raises:
        ParseError: it is one.
    """
    names, *rows = map(split_columns, lines)
    n_known = len({normal_name(name) for name in names} & ALL_NAMES)
    shown = [row for row in rows if len(row) > len(names)]
    cells = [row[: len(names) + 1] for row in shown]
    if n_known > 1 and are_counted_rows(cells, len(names), least=1):
        said = _(
            "this looks like a table that pandas or R has printed: a header ({names}), and a number "
            "before each row. Nothing was kept; save it as CSV, in pandas by to_csv(…, index=False)."
        )
        raise refused(source, said.format(names=", ".join(names[:8])))


def _wanted_or_table(
    source: TextSource, lines: Sequence[str], wanted: Format, *, n_fitting: int
) -> Detected:
    """Read lines as what was asked for, unless they rather are a table."""
    # Commas in lines of TREC's columns are decimals', or an id's: each line says what is wrong.
    if not n_fitting and not are_trec_lines(lines):
        refuse_strange_table(source, lines, wanted.kind)
    return Detected(wanted, "\t" if wanted.name in {"queries-tsv", "documents-tsv"} else None)


def _unknown(source: TextSource, lines: Sequence[str], kind: Kind | None) -> ParseError:
    """Return what to raise for lines that look like nothing known, and like no table."""
    refuse_strange_table(source, lines, kind)
    if kind is not None:
        said = _(
            "expected {expected}, as JSON lines or with a header line that names the "
            "columns; found neither. Nothing was kept."
        )
        return refused(source, said.format(expected=_(EXPECTED[kind])))
    counts = [len(split_columns(line)) for line in lines]
    found = number_of(counts[0], "{n} column", "{n} columns")
    other = next((count for count in counts if count != counts[0]), None)
    if other is not None:
        found = _("{found} in its first line, and {n} in another").format(found=found, n=other)
    said = _(
        "this is no format that judgetool knows: found {found}. Expected a run (6 "
        "columns), qrels (4 columns), an id, a tab and a text, a table with a header, "
        "TREC topics, or JSON. Nothing was kept. If it is one of these all the same, say which: each "
        "line that does not fit is named then. If each line is one query, read it as queries."
    )
    return refused(source, said.format(found=found))
