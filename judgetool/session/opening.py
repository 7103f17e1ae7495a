"""Making, opening and closing projects; the only caller of ``storage.project_file``."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from judgetool.core.clock import Clock, utc_ms
from judgetool.core.policy import check_place
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError, ProjectError, ReadOnlyError
from judgetool.session.jobs import values_job
from judgetool.session.session import Session
from judgetool.settings import load_settings
from judgetool.storage.backups import write_copy
from judgetool.storage.check import load_schema_number
from judgetool.storage.connection import SCHEMA_VERSION, Connection
from judgetool.storage.disks import WriterLock
from judgetool.storage.migrations import create_file, upgrade_copy
from judgetool.storage.project_file import ProjectFile
from judgetool.storage.salvage import damage_behind
from judgetool.storage.set_aside import connect
from judgetool.storage.values import HUB_META, load_meta
from judgetool.wording import _

PROJECT_SUFFIX = ".judge"


def create_project(path: Path, *, scale: Scale, title: str = "") -> None:
    """Make an empty project with a scale.

    Raises:
        InputError: something stands at ``path`` already, or none may stand there.
        SaveError: its folder is missing, or the disk is full or cannot be written.
    """
    check_place(path)
    create_file(path)
    file = ProjectFile(path, read_only=False, keeps_safety_log=load_settings().keeps_safety_log)
    try:
        values = {"scale": scale.to_dict()} | ({"title": title} if title else {})
        # 'new' is no step of a person: Undo never reaches it.
        job = values_job(values, title="New project", assessor_id=None, at=utc_ms(), kind="new")
        file.write(job)
    finally:
        file.close()


def refuse_read_only(session: Session) -> None:
    """Refuse to go on with a project that cannot be changed.

    Raises:
        ReadOnlyError: it says why.
    """
    if session.read_only_reason:
        raise ReadOnlyError(session.read_only_reason, path=session.path)


def open_project(
    path: Path,
    *,
    assessor: str = "",
    read_only: bool = False,
    is_copied: bool = False,
    as_member: bool = False,
    clock: Clock = utc_ms,
) -> Session:
    """Open a project; looking at it does not change the file.

    Only a file of an older judgetool that may be written is brought up to date at once,
    after a backup.

    Args:
        path: the project file.
        assessor: who judges; ``""`` to look only.
        read_only: never write, and let another process write meanwhile.
        is_copied: all that is written now is elsewhere: neither backup nor safety log is made of it.
        as_member: whether a team's hub, where the project has one, says who judges.
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
    file = ProjectFile(path, read_only=read_only, keeps_safety_log=keeps_log, is_kept=not is_copied)
    try:
        name = _read_hub_side(file.reader).name if as_member else ""
        return Session(file, assessor=name or assessor, clock=clock)
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
    upgrade_copy(target)


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


class HubSide(NamedTuple):
    """Where a project's hub is, and who works in this file for it; all empty where it has none.

    It stands here for projects without a hub: they load nothing of what goes in step with one.

    Attributes:
        url: of the hub.
        name: under which the hub knows whose file it is.
        role: there: ``lead``, ``assessor`` or ``reader``.
    """

    url: str = ""
    name: str = ""
    role: str = ""

    def describe_guest(self, assessor: str) -> str:
        """Return a sentence where what somebody judges in the file does not reach the hub as theirs, else ``""``."""
        if self.role == "reader":
            return _(
                "{name} is a reader in the team’s hub: what is judged here stays in this file."
            ).format(name=self.name)
        if not self.role or assessor in ("", self.name):
            return ""
        text = (
            _(
                "You are ‘{name}’ in the team’s hub. What you judge as ‘{assessor}’ is sent in their name, "
                "into their own files too."
            )
            if self.role == "lead"
            else _(
                "You are ‘{name}’ in the team’s hub. What you judge as ‘{assessor}’ is not sent: it stays "
                "in this file."
            )
        )
        return text.format(name=self.name, assessor=assessor)


def find_hub_side(session: Session) -> HubSide:
    """Return where a project's hub is, and as whom it knows whose file it is. For any thread, and at once.

    Of a file that cannot be read (any more) it is nothing: what saves or looks into it says what is the matter.
    """
    try:
        with session.second_reader() as reader:
            return _read_hub_side(reader)
    except ProjectError:
        return HubSide()


def _read_hub_side(reader: Connection) -> HubSide:
    stored = load_meta(reader).get(HUB_META)
    said = json.loads(stored) if stored else {}
    return HubSide(*(str(said.get(name, "")) for name in HubSide._fields))
