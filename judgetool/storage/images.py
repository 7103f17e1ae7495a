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


def load_image_folders(connection: apsw.Connection) -> list[str]:
    """Return the folders that visible imports name for their pictures, each once."""
    rows = connection.execute(
        "SELECT json_extract(detail, '$.image_folder') FROM steps WHERE state = 'done' "
        "AND json_extract(detail, '$.image_folder') IS NOT NULL ORDER BY step_id"
    )
    return list(dict.fromkeys(str(folder) for (folder,) in rows))


def find_stored_image(connection: apsw.Connection, document_id: int) -> StoredImage | None:
    """Return the picture of a document's text imported last; ``None`` where it has no text.

    Its folder is that of the import which brought it: a text that was changed since keeps it.
    """
    rows = connection.execute(
        "SELECT t.image, coalesce(json_extract(s.detail, '$.kept_image_folders.\"' || document_id || "
        "'\"'), json_extract(s.detail, '$.image_folder')) FROM document_texts t JOIN steps s "
        "USING(step_id) WHERE document_id = ? AND s.state = 'done' ORDER BY t.step_id DESC",
        (document_id,),
    ).fetchall()
    if not rows:
        return None
    image = str(rows[0][0])
    folders = (str(folder) for path, folder in rows if path == image and folder is not None)
    return StoredImage(image, next(folders, ""))
