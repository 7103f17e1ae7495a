"""Plain TREC qrels to arrays: for values, nothing else."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from judgetool.formats.qrels import find_grade
from judgetool.formats.score_scan_fields import HEAD_BYTES, find_fields, is_plain
from judgetool.formats.values import Kind

_N_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class ScannedQrels:
    """Judgments as arrays, one for each (query, document), in the file's order.

    Attributes:
        query_ids: in order of appearance.
        document_ids: likewise.
        queries: places in ``query_ids``, int32, shape (n,).
        documents: places in ``document_ids``, int32, shape (n,).
        grades: float64, shape (n,); negative where the file has them so.
    """

    query_ids: list[str]
    document_ids: list[str]
    queries: npt.NDArray[np.int32]
    documents: npt.NDArray[np.int32]
    grades: npt.NDArray[np.float64]


def scan_qrels(path: Path) -> ScannedQrels | None:
    """Read plain TREC qrels.

    Returns:
        All of the file; ``None`` where the careful reader is needed, with its notes
        and refusals: any line out of the ordinary, a document judged twice for a
        query, several values in column two, another format or encoding, a file that is
        packed, empty or cannot be read.
    """
    # To open a pipe is to read from it, and the careful reader needs all of it.
    if not path.is_file():
        return None
    try:
        raw = path.read_bytes()
    except OSError:
        # The careful reader meets it, too, and has the words for it.
        return None
    if not is_plain(raw[:HEAD_BYTES], path, Kind.JUDGMENTS):
        return None
    if not raw.endswith(b"\n"):
        raw += b"\n"
    if find_fields(raw, _N_COLUMNS) is None:
        return None
    # Between fields there are only single ASCII blanks now, which bytes are split at.
    fields = b"\n".join(raw.split()).decode().split("\n")
    return _as_arrays(*(fields[column::_N_COLUMNS] for column in range(_N_COLUMNS)))


def _as_arrays(
    queries: list[str], iterations: list[str], documents: list[str], grades: list[str]
) -> ScannedQrels | None:
    query_codes = {query: code for code, query in enumerate(dict.fromkeys(queries))}
    document_codes = {document: code for code, document in enumerate(dict.fromkeys(documents))}
    values = {text: find_grade(text) for text in set(grades)}
    known = {text: value for text, value in values.items() if value is not None}
    is_doubtful = (
        len(known) < len(values)
        or iterations.count(iterations[0]) < len(iterations)
        or any(query.startswith("#") for query in query_codes)
    )
    if is_doubtful:
        return None
    count = len(queries)
    scanned = ScannedQrels(
        list(query_codes),
        list(document_codes),
        np.fromiter(map(query_codes.__getitem__, queries), np.int32, count),
        np.fromiter(map(document_codes.__getitem__, documents), np.int32, count),
        np.fromiter(map(known.__getitem__, grades), np.float64, count),
    )
    pairs = scanned.queries.astype(np.int64) * len(document_codes) + scanned.documents
    pairs.sort()
    return None if (pairs[1:] == pairs[:-1]).any() else scanned
