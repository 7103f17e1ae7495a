"""Which format a file has: by its content first, by its name where that leaves a choice."""

import re
from collections.abc import Mapping, Sequence

from judgetool.errors import ParseError
from judgetool.formats.column_detection import detect_columns
from judgetool.formats.detected import EXPECTED, Detected, refuse_kind, satisfies
from judgetool.formats.readers.json_runs import numbers_question
from judgetool.formats.readers.json_shapes import JSON_START, NUMBERS, find_shape
from judgetool.formats.readers.json_values import JsonSource, RowsSource, object_of
from judgetool.formats.readers.whole import without_comments
from judgetool.formats.records import parse_json_object, text_of
from judgetool.formats.registry import FORMATS, Layout, find_format
from judgetool.formats.source import TextSource
from judgetool.formats.table_detection import choose_named, find_table
from judgetool.formats.values import Kind, Wishes

__all__ = ["Detected", "detect_format"]

_SAMPLE_LINES = 200
_LONG_TOPIC = 2000
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKUP = re.compile(
    r"\s*<(\?xml|!--|!DOCTYPE|[A-Za-z][A-Za-z0-9_:-]*(\s[^<>]*)?/?>)", re.IGNORECASE
)
_TOP = re.compile(r"\s*<top\s*>", re.IGNORECASE)
_DOC = re.compile(r"<DOC(\s[^<>]*)?>", re.IGNORECASE)
_DOC_NUMBER = re.compile(r"<DOC(NO|ID)>", re.IGNORECASE)
_TOPIC_XML = re.compile(r"<(topics?|top|query|queries)\b", re.IGNORECASE)


def detect_format(
    source: TextSource, *, kind: Kind | None = None, wishes: Wishes | None = None
) -> Detected:
    """Find out how a file is to be read.

    Args:
        source: its head is looked at; nothing is consumed.
        kind: what the user said it is about; it wins where the content allows it.
        wishes: what else the user said of it.

    Raises:
        ParseError: nothing that judgetool reads, or clearly another kind.
        ColumnsNeededError: a table whose columns do not tell what it holds.
    """
    wishes = wishes or Wishes()
    if isinstance(source, JsonSource):
        return _detect_value(source, kind, wishes)
    lines = _sample_lines(source.head)
    if not lines:
        return _detect_empty(source, kind)
    if _MARKUP.match(lines[0]) and not lines[0].lstrip().startswith("<http"):
        found = _find_markup(source, kind)
        if found is not None:
            return found
    if JSON_START.match(lines[0]):
        return _detect_json_lines(source, lines, kind, wishes)
    table = find_table(source, lines, kind, wishes)
    return table or detect_columns(source, lines, kind, wishes)


def _sample_lines(head: str) -> list[str]:
    lines = [line for line in _LINE_END.split(head)[: _SAMPLE_LINES + 1] if line.strip()]
    if len(lines) > 1 and not head.endswith(("\n", "\r")):
        # The last one is probably cut off.
        lines.pop()
    return [line for line in lines if not line.startswith("#")] or lines


def _detect_empty(source: TextSource, kind: Kind | None) -> Detected:
    if kind is None:
        raise ParseError("the file is empty, so nothing tells what it is.", source=source.name)
    found = find_format(kind, Layout.COLUMNS) or find_format(kind, Layout.JSON_LINES)
    assert found is not None
    return Detected(found)


def _find_markup(source: TextSource, kind: Kind | None) -> Detected | None:
    """Tell TREC's documents and topics apart; ``None`` where the tag may be part of an id."""
    head = without_comments(source.head)
    document = _DOC.search(head)
    if document and _DOC_NUMBER.search(head, document.end()):
        # Some collections write their topics like documents, but for their length.
        is_short = len(head) < _LONG_TOPIC * len(_DOC.findall(head))
        is_topics = kind is Kind.QUERIES and is_short
        found = FORMATS["trec-topics" if is_topics else "trec-documents"]
    elif _TOP.match(head):
        found = FORMATS["trec-topics"]
    elif _TOPIC_XML.search(head):
        found = FORMATS["trec-topics-xml"]
    elif re.match(r"\s*<(\?xml|!|html\b)", head, re.IGNORECASE):
        raise ParseError(
            "it is XML or HTML without topics or documents. Expected TREC topics (<topic> or "
            "<top> elements) or TREC documents (<DOC> with <DOCNO>). Nothing was kept.",
            source=source.name,
            line=1,
        )
    else:
        return None
    if not satisfies(found.kind, kind):
        refuse_kind(found, kind, source.name)
    return Detected(found)


def _detect_value(source: JsonSource, kind: Kind | None, wishes: Wishes) -> Detected:
    """Find the format of one JSON value that fills the file."""
    shape = find_shape(source.value)
    if shape is None:
        keys = ", ".join(list(object_of(source.value))[:8]) or type(source.value).__name__
        raise ParseError(
            "it is JSON, but of no form that judgetool knows "
            f"(found {keys}). Expected a list of objects, objects or texts by their ids, responses "
            "with hits, ratings of Quepid, RRE, Elasticsearch or OpenSearch, or documents with numbers under "
            "query ids. Nothing was kept.",
            source=source.name,
        )
    if shape == NUMBERS:
        question = numbers_question(object_of(source.value), kind, wishes)
        found = FORMATS["ranx-run" if question.answer == "score" else "ranx-qrels"]
        detected = Detected(found, questions=(question,))
    else:
        found = FORMATS[shape]
        detected = Detected(found)
    # A snapshot is a run and judgments, whichever of them somebody asked for.
    if not (satisfies(found.kind, kind) or (shape, kind) == ("quepid-snapshot", Kind.JUDGMENTS)):
        refuse_kind(found, kind, source.name)
    return detected


def _detect_json_lines(
    source: TextSource, lines: Sequence[str], kind: Kind | None, wishes: Wishes
) -> Detected:
    objects: list[Mapping[str, object]] = [
        each for each in map(parse_json_object, lines) if not isinstance(each, str)
    ]
    headers = list(dict.fromkeys(key for each in objects for key in each))
    if not headers:
        raise ParseError(
            "this looks like JSON, but no line near its beginning is a whole object. "
            f"Expected {EXPECTED[kind]}, as one object in braces on each line (JSON lines). "
            "Nothing was kept.",
            source=source.name,
            line=1,
        )
    is_sheet = isinstance(source, RowsSource) and source.is_sheet
    rows = [[text_of(each.get(header)) for header in headers] for each in objects]
    layout = Layout.TABLE if is_sheet else Layout.JSON_LINES
    return choose_named(source, headers, rows, layout, kind=kind, wishes=wishes)
