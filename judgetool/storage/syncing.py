"""Making files and their names durable, and keeping old logs away from new files."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from judgetool.core.held_files import beside
from judgetool.core.notices import tell
from judgetool.errors import ProjectError, SaveError

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a project while that is written."""


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Wait until a closed file is on the disk. Never for a file that SQLite has open."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
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
            f"{path.name}-wal or {path.name}-journal, which lies there, is not of this {path.name} "
            f"and cannot be moved out of its way ({problem.strerror or problem}). Move it elsewhere "
            "yourself; nothing was changed.",
            path=path,
        ) from problem


def _move_aside(path: Path, endings: tuple[str, ...]) -> None:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for ending in endings:
        found = beside(path, ending)
        if not os.path.lexists(found):
            continue
        if not size_of(found):
            found.unlink()
            continue
        kept = _free_name(found, stamp)
        found.rename(kept)
        if ending != "-shm":
            tell(
                f"{found.name}, which lay there, is not of this {path.name}. Nothing of it was "
                f"taken in; it is kept as {kept.name}."
            )


def _free_name(found: Path, stamp: str) -> Path:
    names = (f"{found.name}.aside-{stamp}{more}" for more in ("", *(f"-{n}" for n in range(2, 99))))
    return next(kept for name in names if not os.path.lexists(kept := found.with_name(name)))


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
            f"{path.name} in {path.parent} was left by a program that was killed, and no copy of it "
            f"could be made to read it ({problem.strerror or problem}). Make room, or copy it with "
            "the files beside it that begin with its name to another folder.",
            path=path,
        ) from problem
    return folder


def size_of(path: Path) -> int:
    """Return how long a file is; 0 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
