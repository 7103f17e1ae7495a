"""Plain TREC qrels to arrays: for values, nothing else."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from judgetool.core.held_files import open_to_read
from judgetool.formats.qrels import find_grade
from judgetool.formats.scan_fields import Fields, find_fields
from judgetool.formats.scan_words import Places, compute_hashes, differs_from_previous
from judgetool.formats.score_scan_judged import JudgedIds
from judgetool.formats.score_scan_plain import HEAD_BYTES, is_plain
from judgetool.formats.values import Kind

Codes = npt.NDArray[np.int32]

_N_COLUMNS = 4
_QUERY, _ITERATION, _DOCUMENT, _GRADE = range(_N_COLUMNS)


@dataclass(frozen=True)
class ScannedQrels:
    """Judgments as arrays, one for each (query, document), in the file's order.

    Attributes:
        query_ids: in order of appearance.
        queries: places in ``query_ids``, int32, shape (n,).
        documents: number of each document, int32, shape (n,).
        grades: float64, shape (n,); negative where the file has them so.
        judged: finds the documents' numbers.
    """

    query_ids: list[str]
    queries: Codes
    documents: Codes
    grades: npt.NDArray[np.float64]
    judged: JudgedIds
    _fields: Fields
    _lines: Places

    @cached_property
    def document_ids(self) -> list[str]:
        """The documents' ids by number."""
        return self._fields.texts(_DOCUMENT, self._lines)


def scan_qrels(path: Path) -> ScannedQrels | None:
    """Read plain TREC qrels.

    Returns:
        All of the file; ``None`` where the careful reader is needed, with its notes
        and refusals: any line out of the ordinary, a document judged twice for a
        query, several values in column two, another format or encoding, a file that is
        packed, empty or cannot be read.
    """
    try:
        # To open a pipe is to read from it, and the careful reader needs all of it.
        if not path.is_file():
            return None
        with open_to_read(path) as stream:
            raw = stream.read()
    except OSError:
        # The careful reader meets it, too, and has the words for it.
        return None
    if not is_plain(raw[:HEAD_BYTES], path, Kind.JUDGMENTS):
        return None
    fields = find_fields(raw if raw.endswith(b"\n") else raw + b"\n", _N_COLUMNS)
    return None if fields is None else _as_arrays(fields)


def _as_arrays(fields: Fields) -> ScannedQrels | None:
    query_ids, queries = _number_queries(fields)
    grades = _find_grades(fields)
    is_comment = any(query.startswith("#") for query in query_ids)
    if grades is None or is_comment or not fields.has_one(_ITERATION):
        return None
    words = fields.load(_DOCUMENT)
    _, lines, codes = np.unique(compute_hashes(words), return_index=True, return_inverse=True)
    documents = codes.astype(np.int32)
    if any((word != word[lines][documents]).any() for word in words):
        return None
    pairs = np.sort(queries.astype(np.int64) * len(lines) + documents)
    if (pairs[1:] == pairs[:-1]).any():
        return None
    judged = JudgedIds([word[lines] for word in words], np.arange(len(lines), dtype=np.int32))
    return ScannedQrels(query_ids, queries, documents, grades, judged, fields, lines)


def _number_queries(fields: Fields) -> tuple[list[str], Codes]:
    firsts = np.flatnonzero(differs_from_previous(fields.load(_QUERY)))
    texts = fields.texts(_QUERY, firsts)
    numbers = {query: number for number, query in enumerate(dict.fromkeys(texts))}
    codes = np.array([numbers[text] for text in texts], np.int32)
    return list(numbers), np.repeat(codes, np.diff(np.append(firsts, fields.n_lines)))


def _find_grades(fields: Fields) -> npt.NDArray[np.float64] | None:
    """Return the grades; ``None`` if one of them has to be looked at closely."""
    words = fields.load(_GRADE)
    if len(words) > 1:
        return None
    _, lines, places = np.unique(words[0], return_index=True, return_inverse=True)
    grades = [find_grade(text) for text in fields.texts(_GRADE, lines)]
    known = [grade for grade in grades if grade is not None]
    return np.array(known)[places] if len(known) == len(grades) else None
