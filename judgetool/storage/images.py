"""Where a document's picture is, and the folder that this is relative to."""

from typing import NamedTuple

import apsw


class StoredImage(NamedTuple):
    """A document's picture.

    Attributes:
        path: relative to the folder; ``""`` for none.
        folder: relative to the project's own folder, or absolute; ``""`` where none is
            known.
    """

    path: str
    folder: str


def find_stored_image(connection: apsw.Connection, document_id: int) -> StoredImage | None:
    """Return the picture of a document's text imported last; ``None`` where it has no text."""
    row = connection.execute(
        "SELECT t.image, coalesce(json_extract(s.detail, '$.image_folder'), '') "
        "FROM document_texts t JOIN steps s USING(step_id) "
        "WHERE document_id = ? AND s.state = 'done' ORDER BY t.step_id DESC LIMIT 1",
        (document_id,),
    ).fetchone()
    return None if row is None else StoredImage(str(row[0]), str(row[1]))
