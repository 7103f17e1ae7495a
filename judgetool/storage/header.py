"""What a file says of itself before SQLite is asked: the first 100 bytes.

Reading them with ``open`` is safe only while this process has no connection to the
file, because closing any handle drops SQLite's locks; so it is done before
connecting, and never again.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from judgetool.errors import NotAProjectError, ProjectError, ProjectTooNewError

APPLICATION_ID = 0x4A444754  # "JDGT"
SCHEMA_VERSION = 3
_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Header:
    """The facts that decide how a project file is opened.

    Attributes:
        user_version: number of its schema.
        is_wal: whether it was left in write-ahead mode, as after a crash.
        is_writable: whether file and folder may be written.
    """

    user_version: int
    is_wal: bool
    is_writable: bool


def read_header(path: Path) -> Header:
    """Read and check the header of a project file.

    Raises:
        NotAProjectError: it is missing, a folder, empty, or another kind of file.
        ProjectTooNewError: its schema is newer than this program's.
        ProjectError: it cannot be read.
    """
    if not path.exists():
        raise NotAProjectError(
            f"There is no file {path}. ‘judgetool new {path.name}’ makes a project.", path=path
        )
    if not path.is_file():
        raise NotAProjectError(f"{path} is a folder; a project is one file.", path=path)
    try:
        with path.open("rb") as stream:
            head = stream.read(100)
    except OSError as error:
        raise ProjectError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if len(head) < 100 or head[:16] != _MAGIC:
        raise NotAProjectError(
            f"{path} is not a judgetool project. To bring in runs, queries or judgments, use Import.",
            path=path,
        )
    user_version, application_id = struct.unpack(">i4xi", head[60:72])
    if application_id != APPLICATION_ID:
        raise NotAProjectError(
            f"{path} is a SQLite file of another program, not a judgetool project.", path=path
        )
    if user_version > SCHEMA_VERSION:
        raise ProjectTooNewError(
            f"{path} was made by a newer judgetool (schema {user_version}, this one knows "
            f"{SCHEMA_VERSION}). Nothing was changed. Update judgetool to open it.",
            path=path,
        )
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return Header(user_version, is_wal=head[18] == 2, is_writable=writable)
