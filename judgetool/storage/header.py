"""What a file says of itself before SQLite is asked: the first 100 bytes."""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from judgetool.core.held_files import APPLICATION_ID, HEADER_BYTES, SQLITE_MAGIC, read_start
from judgetool.errors import NotAProjectError, ProjectError, ProjectTooNewError
from judgetool.storage.connection import WAL_MODE

__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "Header", "read_header"]

SCHEMA_VERSION = 3


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


def check_name(path: Path) -> None:
    """Refuse a name that is no text: SQLite knows names in UTF-8 alone.

    Raises:
        NotAProjectError: it is not UTF-8.
    """
    try:
        os.fspath(path.absolute()).encode()
    except UnicodeEncodeError as problem:
        shown = os.fspath(path).encode(errors="replace").decode()
        raise NotAProjectError(
            f"{shown}: the name of the file, or of a folder above it, is not UTF-8 text, which a "
            "project needs. Give it another name.",
            path=path,
        ) from problem


def read_header(path: Path) -> Header:
    """Read and check the header of a project file.

    Raises:
        NotAProjectError: it is missing, a folder, empty, or another kind of file.
        ProjectTooNewError: its schema is newer than this program's.
        ProjectError: it cannot be read.
    """
    check_name(path)
    if not path.exists():
        raise NotAProjectError(
            f"There is no file {path}. ‘judgetool new {path.name}’ makes a project.", path=path
        )
    if not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or device"
        raise NotAProjectError(f"{path} is {what}; a project is one file.", path=path)
    try:
        head = read_start(path, HEADER_BYTES)
    except OSError as error:
        raise ProjectError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if len(head) < HEADER_BYTES or head[:16] != SQLITE_MAGIC:
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
    return Header(user_version, is_wal=head[18] == WAL_MODE, is_writable=writable)
