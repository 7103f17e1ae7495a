"""The place a project lies in: whose disk, how much room, making files durable in it, who writes.

One writer for a project, machine-wide, by a lock that dies with its process: the lock file stands
in the user's data folder, not beside the project, so that a project at rest is one file.
"""

import contextlib
import errno
import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from itertools import chain, count
from pathlib import Path
from typing import IO

from judgetool.core.held_files import beside
from judgetool.core.system import (
    data_folder,
    is_remote_drive,
    lock_file,
    mount_table,
    room_left,
    sync,
)
from judgetool.errors import ProjectBusyError, ProjectError, SaveError, tell, why_refused
from judgetool.wording import _, local_number

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a project while that is written."""


def sync_file(path: Path) -> None:
    """Wait until a closed file is on the disk. Never for a file that SQLite has open."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def move_aside(path: Path, endings: tuple[str, ...] = BESIDE) -> None:
    """Move what lies beside a project's name out of its way, keep it, and have that told.

    So it is done before a new file gets a name at which a killed program left its log,
    which SQLite would play into the new one.

    Raises:
        SaveError: it cannot be moved.
    """
    try:
        _move_aside(path, endings)
    except OSError as problem:
        raise SaveError(
            _(
                "{path}-wal or {path}-journal, which lies there, is not of this {path} and "
                "cannot be moved out of its way ({strerror}). Move it elsewhere yourself; "
                "nothing was changed."
            ).format(path=path.name, strerror=why_refused(problem)),
            path=path,
        ) from problem


def _move_aside(path: Path, endings: tuple[str, ...]) -> None:
    for ending in endings:
        found = beside(path, ending)
        if not os.path.lexists(found):
            continue
        if not size_of(found):
            found.unlink()
            continue
        kept = kept_name(found, "aside")
        found.rename(kept)
        if ending != "-shm":
            tell(
                _(
                    "{found}, which lay there, is not of this {path}. Nothing of it was taken in; "
                    "it is kept as {kept}."
                ).format(found=found.name, path=path.name, kept=kept.name)
            )


def free_name(path: Path, stem: str, suffix: str = "", *, number: str = "-{}") -> Path:
    """Return a name beside a path at which nothing stands, nor what SQLite would take for its log.

    Args:
        path: beside which.
        stem: how the name begins.
        suffix: how it ends.
        number: what comes between where the name is taken, from 2.
    """
    words = chain([""], map(number.format, count(2)))
    names = (path.with_name(f"{stem}{word}{suffix}") for word in words)
    return next(
        name for name in names if not any(os.path.lexists(beside(name, e)) for e in ("", *BESIDE))
    )


def kept_name(found: Path, word: str) -> Path:
    """Return a name under which a file can be kept beside its own: why, when, and nobody's yet."""
    return free_name(found, f"{found.name}.{word}-{time.strftime('%Y%m%d-%H%M%S')}")


def copy_privately(path: Path, *, endings: tuple[str, ...]) -> "tempfile.TemporaryDirectory[str]":
    """Copy a project into a folder of our own, where it can be read with what lies beside it.

    For a project in a folder where nothing can be written: SQLite needs to; or whose own
    files are not to be written before it is known what comes of it.

    Args:
        path: the project, which this process does not have open.
        endings: what is copied, such as ``("", "-wal")``.

    Raises:
        ProjectError: there is no room, or it cannot be read.
    """
    folder = tempfile.TemporaryDirectory(prefix="judgetool-")
    try:
        for ending in endings:
            shutil.copyfile(beside(path, ending), Path(folder.name) / f"{path.name}{ending}")
    except OSError as problem:
        folder.cleanup()
        raise ProjectError(
            _(
                "{path} in {parent} was left by a program that was killed, and no copy of it "
                "could be made to read it ({strerror}). Make room, or copy it with the files "
                "beside it that begin with its name to another folder."
            ).format(path=path.name, parent=path.absolute().parent, strerror=why_refused(problem)),
            path=path,
        ) from problem
    return folder


def size_of(path: Path) -> int:
    """Return how long a file is; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


NEEDED_BYTES = 512 << 10
"""With less room than this nothing is written, nor a log begun: a write into the part of a
log that is mapped into memory would end the process where the disk has no block for it."""
BULK_BYTES = 16 << 20
"""What a piece of an import may need: its pages twice, in the log and in the file."""
_SCARCE_BYTES = 200 << 20
_NETWORK_TYPES = frozenset(
    {
        "9p", "afs", "afpfs", "autofs-nfs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.davfs2",
        "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "gpfs",
        "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb2", "smb3", "smbfs", "vboxsf", "webdav",
    }
)  # fmt: skip
_CLOUDS = {
    "Dropbox": re.compile(r"^Dropbox( \(.*\))?$"),
    "OneDrive": re.compile(r"^OneDrive( ?-.*)?$"),
    "Google Drive": re.compile(r"^(Google ?Drive|GoogleDrive-.*|My Drive)$"),
    "iCloud": re.compile(r"^(com~apple~CloudDocs|iCloud ?Drive)$"),
    "Nextcloud": re.compile(r"^(Nextcloud|ownCloud)$"),
    "Syncthing": re.compile(r"^Syncthing$"),
}
_MARKERS = {
    ".dropbox.cache": "Dropbox",
    ".stfolder": "Syncthing",
    ".sync_folder": "Nextcloud",
    ".tmp.driveupload": "Google Drive",
    ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
}


def describe_place(path: Path, *, mounts: str | None = None) -> str:
    """Return a sentence where a project lies on a network drive or in a folder of a cloud.

    Args:
        path: the project.
        mounts: what the system says of its mounts, as ``/proc/self/mountinfo`` does;
            ``None`` asks it.

    Returns:
        ``""`` for an ordinary disk, or where that cannot be known.
    """
    kind = find_network(path.resolve(), mounts=mounts)
    if kind:
        return _(
            "{path} lies on a network drive ({kind}). Locks are not reliable there: let "
            "one person judge in it at a time, or judge in a copy on a disk of this "
            "machine."
        ).format(path=path.name, kind=kind)
    cloud = find_cloud(path.resolve())
    if cloud:
        return _(
            "{path} lies in a folder that {cloud} keeps in step. While you judge, {cloud} "
            "may copy half a change or put an older copy in its place: judge in a copy "
            "elsewhere, and put that back when you have closed it."
        ).format(path=path.name, cloud=cloud)
    return ""


def find_network(path: Path, *, mounts: str | None = None) -> str:
    """Return the kind of network drive that an absolute path lies on, ``""`` for none."""
    if mounts is None and path.drive:
        if path.drive.startswith("\\\\"):
            return _("a shared folder")
        return _("a connected drive") if is_remote_drive(path.drive) else ""
    kind = _find_kind(path, mount_table() if mounts is None else mounts)
    return kind if kind in _NETWORK_TYPES else ""


def _find_kind(path: Path, mounts: str) -> str:
    """Return the file system of the mount that a path lies in."""
    best, found = -1, ""
    for line in mounts.splitlines():
        words, _, rest = line.partition(" - ")
        fields = words.split(" ")
        if len(fields) < 5 or not rest:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        # Of two mounts at one place the later one is seen.
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, found = len(point.parts), rest.split(" ")[0]
    return found


def find_cloud(path: Path) -> str:
    """Return the service that keeps one of a path's folders in step, ``""`` for none."""
    for folder in path.parents:
        for name, pattern in _CLOUDS.items():
            if pattern.match(folder.name):
                return name
        for marker, name in _MARKERS.items():
            if os.path.lexists(folder / marker):
                return name
    return ""


def describe_room(path: Path) -> str:
    """Return a sentence where the disk of a project is nearly full, else ``""``."""
    free = room_left(path.parent)
    if free is None or free >= _SCARCE_BYTES:
        return ""
    return _("The disk of {parent} has {free} left. Make room before you go on.").format(
        parent=path.absolute().parent, free=_mb(free)
    )


def find_lack(path: Path) -> str:
    """Return the sentence that there is too little room to begin a log beside a project, else ``""``."""
    free = room_left(path.parent)
    if free is None or free >= NEEDED_BYTES:
        return ""
    return _(
        "Read-only: the disk of {parent} has {free} left, and {wanted} are wanted. You can look and "
        "score; make room and open it again to judge."
    ).format(parent=path.absolute().parent, free=_mb(free), wanted=_mb(NEEDED_BYTES))


def refuse_without_room(path: Path, wanted: int) -> None:
    """Refuse a large write for which there is no room, before anything of it is written.

    Args:
        path: the project, or what is to be written.
        wanted: how many bytes it will take.

    Raises:
        SaveError: there is less.
    """
    free = room_left(path.parent)
    if free is not None and free < wanted:
        raise SaveError(
            _(
                "Not saved: the disk of {parent} has {free} left, and {wanted} are wanted. "
                "Nothing was changed."
            ).format(parent=path.absolute().parent, free=_mb(free), wanted=_mb(wanted)),
            path=path,
        )


def _mb(n_bytes: int) -> str:
    return f"{local_number(f'{n_bytes / (1 << 20):,.1f}')} MB"


_LOG = logging.getLogger(__name__)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; return whether nobody else has.

    A system that knows no locks there, as some network drives, counts as nobody.
    """
    try:
        lock_file(descriptor)
    except OSError as problem:
        return problem.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


class WriterLock:
    """Held while this process may write to one project."""

    def __init__(self, project: Path) -> None:
        digest = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:32]
        self._project = project
        self._path = data_folder() / "locks" / f"{digest}.lock"
        self._stream: IO[bytes] | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            ProjectBusyError: another process holds it; the text names its number.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            stream = self._path.open("a+b")
        except OSError as error:
            # A home that cannot be written must not keep anyone from judging.
            _LOG.info("no writer lock: %s", error)
            return
        try:
            lock_file(stream.fileno())
        except OSError:
            stream.seek(0)
            holder = stream.read(32).decode("ascii", "replace").strip() or "unknown"
            stream.close()
            raise ProjectBusyError(
                _(
                    "Another judgetool (process {holder}) has {name} open. You can read it; "
                    "nothing can be changed in it here until that one closes."
                ).format(holder=holder, name=self._project.name),
                path=self._project,
            ) from None
        self._stream = stream
        try:
            stream.truncate(0)
            # Not buffered: what a full disk did not take would be tried again when it is closed.
            os.write(stream.fileno(), str(os.getpid()).encode())
        except OSError as error:
            # The lock holds all the same; only who holds it cannot be told.
            _LOG.info("the writer lock is without its number: %s", error)

    @property
    def is_free(self) -> bool:
        """Whether nobody else holds it now; for whoever does not hold it either."""
        try:
            with self._path.open("rb") as stream:
                return try_lock(stream.fileno())
        except OSError:
            return True

    @property
    def meeting_place(self) -> Path:
        """A name beside the lock, at which the window that holds it can be called."""
        return self._path.with_suffix(".call")

    def release(self) -> None:
        """Give the lock back; not holding it is no error."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            self._stream = None
