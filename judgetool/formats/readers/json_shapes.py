"""What a JSON value holds, by its shape."""

import json
import re

from judgetool.formats.names import ALL_NAMES, normal_name
from judgetool.formats.readers.json_rows import find_rows, is_annotation
from judgetool.formats.readers.json_runs import is_nested_numbers
from judgetool.formats.readers.json_values import object_of, objects_of
from judgetool.formats.readers.quepid import is_quepid_snapshot
from judgetool.formats.readers.search_responses import has_responses
from judgetool.formats.records import parse_json_object
from judgetool.formats.source import TextSource
from judgetool.formats.values import Wishes

NUMBERS = "numbers"
JSON_START = re.compile(r'\s*(\{\s*("|\}|$)|\[\s*([\[{"]|$))')
_LINE_END = re.compile(r"\r\n|\n|\r")
_SAMPLE_LINES = 200
_RRE_PARTS = ("topics", "query_groups", "queries")


def is_json_value(source: TextSource) -> bool:
    """Whether one JSON value fills the file, rather than an object each line."""
    lines = [line for line in _LINE_END.split(source.head, _SAMPLE_LINES) if line.strip()]
    if not lines or not JSON_START.match(lines[0]):
        return False
    first = parse_json_object(lines[0])
    if not isinstance(first, str):
        is_rows = find_rows(first, None, Wishes()) is not None
        is_record = len({normal_name(key) for key in first} & ALL_NAMES) > 1
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
    line = next((line for line in source.head.splitlines() if line.strip()), "")
    if not JSON_START.match(line):
        return False
    first = parse_json_object(line)
    return not isinstance(first, str) and (has_responses(first) or is_annotation(first))


def _is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_row_list(value: object) -> bool:
    """Whether this is a list of objects that are rows of a table."""
    is_list = isinstance(value, list) and bool(value) and len(objects_of(value)) == len(value)
    return is_list and not has_responses(value)


def find_shape(value: object) -> str | None:
    """Return the name of the format that has this shape; ``numbers`` is a run or judgments.

    Returns:
        ``None`` if it is no shape that judgetool knows.
    """
    values = object_of(value)
    checks = (
        ("quepid-book", bool(objects_of(values.get("query_doc_pairs")))),
        ("opensearch-judgments", isinstance(values.get("judgmentRatings"), list)),
        ("rank-eval-request", _has_any(values.get("requests"), "ratings")),
        ("rank-eval-response", "metric_score" in values and bool(object_of(values.get("details")))),
        ("rre", _is_rre(values)),
        ("quepid-snapshot", is_quepid_snapshot(values) and "queries" in values),
        ("quepid-case", _has_any(values.get("queries"), "ratings") or "case_name" in values),
        ("search-response", has_responses(value)),
        (NUMBERS, is_nested_numbers(value)),
    )
    return next((name for name, is_so in checks if is_so), None)


def _has_any(value: object, key: str) -> bool:
    return any(key in each for each in objects_of(value))


def _is_rre(value: object) -> bool:
    values = object_of(value)
    inner = [each for part in _RRE_PARTS for each in objects_of(values.get(part))]
    return "relevant_documents" in values or any(
        "relevant_documents" in each or _is_rre(each) for each in inner
    )
