"""External ids of very many documents by their numbers."""

from collections.abc import Sequence
from itertools import chain

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.storage.ids import CHUNK, HAS_CARRAY


def load_id_texts(connection: apsw.Connection, numbers: npt.NDArray[np.integer]) -> list[str]:
    """Return the external ids of documents.

    Args:
        connection: any.
        numbers: of documents, shape (n,); rising ones are read fastest.

    Returns:
        One for each number, in their order.

    Raises:
        KeyError: there is no document of one of the numbers.
    """
    wanted = np.ascontiguousarray(numbers, dtype=np.int64)
    found: list[str] = []
    for start in range(0, len(wanted), CHUNK):
        found += _load_part(connection, wanted[start : start + CHUNK])
    if len(found) < len(wanted):
        raise KeyError("a document of these numbers is not in the project")
    return found


def _load_part(connection: apsw.Connection, numbers: npt.NDArray[np.int64]) -> Sequence[str]:
    if HAS_CARRAY:
        rows = connection.execute(
            "SELECT d.external_id FROM carray(?) a CROSS JOIN documents d "
            "ON d.document_id = a.value ORDER BY a.rowid",
            (apsw.carray(numbers),),
        )
        return list(chain.from_iterable(rows))
    look_up = "SELECT external_id FROM documents WHERE document_id = ?"
    parts = (connection.execute(look_up, (number,)) for number in numbers.tolist())
    return [str(row[0]) for part in parts for row in part]
