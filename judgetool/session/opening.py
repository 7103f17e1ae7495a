"""Making, opening and closing projects; the only caller of ``storage.project_file``."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from judgetool.core.clock import Clock, utc_ms
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.session.jobs import values_job
from judgetool.session.session import Session
from judgetool.settings import load_settings
from judgetool.storage.backups import write_copy
from judgetool.storage.check import damage_behind, load_schema_number
from judgetool.storage.connection import SCHEMA_VERSION, Connection, connect, read_header
from judgetool.storage.lock import WriterLock
from judgetool.storage.migrations import create_file, upgrade_file
from judgetool.storage.project_file import ProjectFile
from judgetool.storage.values import HUB_META, load_meta

PROJECT_SUFFIX = ".judge"


def create_project(path: Path, *, scale: Scale, title: str = "") -> None:
    """Make an empty project with a scale.

    Raises:
        InputError: something stands at ``path`` already, or its folder is missing.
        SaveError: the disk is full or cannot be written.
    """
    create_file(path)
    file = ProjectFile(path, read_only=False, keeps_safety_log=load_settings().keeps_safety_log)
    try:
        at = utc_ms()
        values = {"scale": scale.to_dict(), "title": title or None}
        for key, value in values.items():
            if value is not None:
                # 'new' is no step of a person: Undo never reaches it.
                job = values_job(
                    {key: value}, title="New project", assessor_id=None, at=at, kind="new"
                )
                file.write(job)
    finally:
        file.close()


def open_project(
    path: Path, *, assessor: str = "", read_only: bool = False, clock: Clock = utc_ms
) -> Session:
    """Open a project; looking at it does not change the file.

    Only a file of an older judgetool that may be written is brought up to date at once,
    after a backup.

    Args:
        path: the project file.
        assessor: who judges; ``""`` to look only.
        read_only: never write, and let another process write meanwhile.
        clock: what time it is.

    Returns:
        The session; ``session.read_only_reason`` says why it cannot be changed, as
        when another process writes to it.

    Raises:
        NotAProjectError: the file is missing or is another kind of file.
        ProjectTooNewError: it was made by a newer judgetool.
        ProjectDamagedError: it is unsound.
    """
    keeps_log = not read_only and load_settings().keeps_safety_log
    file = ProjectFile(path, read_only=read_only, keeps_safety_log=keeps_log)
    try:
        return Session(file, assessor=assessor, clock=clock)
    except BaseException as error:
        file.close()
        found = damage_behind(path, error, JudgetoolError)
        if found is not None:
            raise found from error
        raise


@contextmanager
def look_into(path: Path) -> Iterator[Connection]:
    """Give a connection for looking into a project of any schema, as one of the present.

    The file is not changed: of an older one a private copy is brought up to date.

    Raises:
        ProjectError: it is none, or cannot be read.
    """
    file = ProjectFile(path, read_only=True)
    with closing(file):
        if load_schema_number(file.reader) == SCHEMA_VERSION:
            yield file.reader
            return
        with TemporaryDirectory(prefix="judgetool-") as folder:
            copy = Path(folder) / path.name
            copy_as_new(file.reader, copy)
            with closing(connect(copy, is_writable=True)) as connection:
                connection.pragma("query_only", 1)
                yield connection


def copy_as_new(reader: Connection, target: Path) -> None:
    """Write a copy of what a connection sees, of the present schema."""
    write_copy(reader, target)
    version = read_header(target).user_version
    if version < SCHEMA_VERSION:
        upgrade_file(target, from_version=version, backs_up=False)


def is_same_project(session: Session, path: Path) -> bool:
    """Whether a path leads to the very file that a session has open, by whatever name."""
    try:
        return session.path.samefile(path)
    except OSError:
        return session.path.resolve() == path.resolve()


def is_open_elsewhere(path: Path) -> bool:
    """Whether another process has a project open for writing."""
    return not WriterLock(path).is_free


def meeting_place(path: Path) -> Path:
    """Return the name at which the window that has a project open can be called."""
    return WriterLock(path).meeting_place


def find_hub_url(session: Session) -> str:
    """Return where a project's hub is; empty where it has none. For any thread, and at once.

    It stands here for projects without a hub: they load nothing of what goes in step with one.
    """
    with session.second_reader() as reader:
        stored = load_meta(reader).get(HUB_META)
    return str(json.loads(stored)["url"]) if stored else ""
