"""What is otherwise on Linux, macOS and Windows: syncs, locks, pipes, programs, the place of a file.

The one module that uses what not every system has, and that asks which system this is (a test
looks): all others can be imported and read without thinking of it.

The folders of each user, outside every project's own, are here as well: ``JUDGETOOL_HOME`` in the
environment puts all of them below one folder, so that anything can be tried without touching one's
own preferences. And which of the paths that files of others name may be followed.
"""

import contextlib
import errno
import glob
import os
import re
import signal
import stat
import struct
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from judgetool.wording import _

IS_WINDOWS = sys.platform == "win32"
IS_MAC = sys.platform == "darwin"
IS_LINUX = sys.platform == "linux"
READ, WRITE, NOTHING = 0, 1, 2
"""Kinds of a lock of an open file, as the system numbers them."""
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
XDG_FOLDER = "/etc/xdg"
"""Where Linux desktops look for what holds for all users, unless XDG_CONFIG_DIRS says otherwise."""
POSTGRES_FOLDER = "/etc/postgresql-common"
"""Where Debian's libpq looks for the services of all users, unless PGSYSCONFDIR says otherwise."""
_REMOTE_DRIVE = 4
_PIPE_SECONDS = 0.1
# Text is not translated there, and a pipe nobody writes to is not waited for.
UNTRANSLATED = getattr(os, "O_BINARY", 0)
UNWAITED = getattr(os, "O_NONBLOCK", 0)
UNSHARED = getattr(os, "O_CLOEXEC", 0)
_UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0)
"""No program that is started gets the file."""

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """Far behind any text, so that others can still read it."""

    def lock_file(descriptor: int) -> None:
        """Lock an open file until it is closed.

        Raises:
            OSError: another program has; or the system knows no locks there.
        """
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    sync = sync_data = os.fsync
else:
    import fcntl

    def lock_file(descriptor: int) -> None:
        """Lock an open file until it is closed.

        Raises:
            OSError: another program has; or the system knows no locks there.
        """
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    if sys.platform == "darwin":

        def sync(descriptor: int) -> None:
            """Wait until an open file is on the disk; fsync alone leaves it in the drive's memory there."""
            try:
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            except OSError:  # a file system that does not know it, as of a network
                os.fsync(descriptor)

        sync_data = sync
    else:
        sync = os.fsync
        sync_data = os.fdatasync


# Files


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable; Windows does so by itself.

    Raises:
        OSError: the system cannot.
    """
    if IS_WINDOWS:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def make_private(path: Path, mode: int) -> None:
    """Let nobody else look into a file or folder; not every file system knows how."""
    with contextlib.suppress(OSError):
        path.chmod(mode)


def take_mode(path: Path, like: Path) -> None:
    """Let the same people read and write a file as another one.

    Raises:
        OSError: they cannot be told, or not be given.
    """
    path.chmod(like.stat().st_mode & 0o777)


def lock_range(descriptor: int, kind: int, start: int, size: int) -> bool:
    """Lock a part of a file for the open file alone, whatever else the process closes.

    Args:
        descriptor: of the open file.
        kind: :data:`READ`, :data:`WRITE`, or :data:`NOTHING` to let go.
        start: the first byte.
        size: how many bytes.

    Returns:
        Whether it was got; never where the system has no such locks: all but Linux.
    """
    if sys.platform == "linux":
        wanted = struct.pack("hhqqi4x", kind, os.SEEK_SET, start, size, 0)
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
            return True
    return False


def lock_alone(descriptor: int, start: int, size: int) -> bool:
    """Lock a part of a file against all; return whether no other program has any of it locked."""
    if IS_LINUX:
        return lock_range(descriptor, WRITE, start, size)
    if sys.platform != "win32":
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, size, start)
        except OSError:
            return False
    # On Windows what another program has open cannot be renamed anyway.
    return True


_OWN_NAME = re.compile(r"[0-9a-f]{12}\.tmp")
_MOST_NAMES = 3


def begin_beside(target: Path) -> tuple[Path, BinaryIO]:
    """Open a new file beside a path, and lock it; what killed programs have left of such goes.

    Returns:
        Its name, and the file, which stays locked until it is closed.
    """
    start = f".{target.name[:200]}."
    for left in target.parent.glob(f"{glob.escape(start)}*.tmp"):
        if _OWN_NAME.fullmatch(left.name.removeprefix(start)):
            _unlink_unless_locked(left)
    n_tried = 0
    while True:
        n_tried += 1
        path = target.with_name(f"{start}{os.urandom(6).hex()}.tmp")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | UNTRANSLATED, 0o666)
        is_locked = lock_alone(handle, 0, 1)
        # Before it was locked another program may have taken it for what was left.
        if (is_locked and path.exists()) or n_tried == _MOST_NAMES:
            return path, os.fdopen(handle, "wb")
        os.close(handle)
        path.unlink(missing_ok=True)


def _unlink_unless_locked(path: Path) -> None:
    with contextlib.suppress(OSError):
        if IS_WINDOWS:
            # There a file that another program has open cannot be deleted.
            path.unlink()
            return
        descriptor = os.open(path, os.O_WRONLY | _UNFOLLOWED | UNWAITED)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode) and lock_alone(descriptor, 0, 1):
                path.unlink()
        finally:
            os.close(descriptor)


def replace_open(target: Path, path: Path, out: BinaryIO) -> None:
    """Give a file that is open the name of another, in place of that."""
    if IS_WINDOWS:
        # There what is open cannot be renamed.
        out.close()
    path.replace(target)


def read_start(descriptor: int, size: int) -> bytes:
    """Return the first bytes of an open file."""
    if sys.platform == "win32":
        os.lseek(descriptor, 0, os.SEEK_SET)
        return os.read(descriptor, size)
    else:  # noqa: RET505 - the type checker looks at one of the two
        return os.pread(descriptor, size, 0)


class PipeEnd:
    """The end of a named pipe that is read; Windows has none."""

    def __init__(self, path: Path) -> None:
        """Open it without waiting for whoever writes.

        Raises:
            OSError: it cannot be opened.
        """
        self.descriptor = os.open(path, os.O_RDONLY | UNWAITED)
        self._waiting: Any = None
        if sys.platform != "win32":
            import select  # noqa: PLC0415 - pipes are rare

            self._waiting = select.poll()
            self._waiting.register(self.descriptor, select.POLLIN)

    def wait(self, milliseconds: int) -> bytes | None:
        """Wait for whoever writes; ``None`` while there is nobody, else what was read already."""
        if self._waiting.poll(milliseconds):
            return b""
        try:
            # Nothing at all is read where nobody writes; where somebody will, it is refused.
            return os.read(self.descriptor, 1) or None
        except BlockingIOError:
            return b""

    def give(self) -> int:
        """Return the descriptor, from which reading waits from now on."""
        if sys.platform != "win32":
            os.set_blocking(self.descriptor, True)
        return self.descriptor


def open_to_write(path: Path, *, milliseconds: int) -> int | None:
    """Open a device or pipe to write into it; ``None`` for a pipe from which so long nobody reads.

    Raises:
        OSError: it cannot be opened.
    """
    if not path.is_fifo():
        return os.open(path, os.O_WRONLY)
    until, rest = time.monotonic() + milliseconds / 1000, threading.Event()
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | UNWAITED)
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise
            if time.monotonic() >= until:
                return None
            rest.wait(_PIPE_SECONDS)
        else:
            if sys.platform != "win32":
                os.set_blocking(descriptor, True)
            return descriptor


# The disk


def room_left(folder: Path) -> int | None:
    """Return how many bytes are left for this user; ``None`` where that is not known."""
    try:
        if sys.platform == "win32":
            import shutil  # noqa: PLC0415 - for Windows alone

            usage = shutil.disk_usage(folder)
            return usage.free if usage.total else None
        else:  # noqa: RET505 - the type checker looks at one of the two
            # As above, in a fifth of the time: it is asked for at each save.
            found = os.statvfs(folder)
            return found.f_bavail * found.f_frsize if found.f_blocks else None
    except OSError:
        return None


def mount_table() -> str:
    """Return what Linux says of its mounts; ``""`` on other systems, or where it does not."""
    if not IS_LINUX:
        return ""
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def is_remote_drive(drive: str) -> bool:
    """Whether a drive of Windows, such as ``Z:``, is a folder of another machine."""
    import ctypes  # noqa: PLC0415 - for Windows alone

    library = getattr(ctypes, "windll", None)
    return library is not None and library.kernel32.GetDriveTypeW(f"{drive}\\") == _REMOTE_DRIVE


# Programs


def as_group() -> dict[str, Any]:
    """Return how a program is to be started so that what it starts itself ends with it."""
    return {"start_new_session": not IS_WINDOWS}


def end_group(process: Any) -> None:  # noqa: ANN401 - a Popen, whose module is not needed here
    """End a program that was started by :func:`as_group`, and what it started.

    Raises:
        OSError: it has ended.
    """
    if sys.platform == "win32":
        process.kill()
    else:
        import signal  # noqa: PLC0415 - rarely needed

        os.killpg(process.pid, signal.SIGKILL)


def start_another(words: Sequence[str]) -> None:
    """Start this program once more, which then goes on by itself.

    Args:
        words: what follows its name on the command line.

    Raises:
        OSError: the system starts no more.
    """
    import subprocess  # noqa: PLC0415 - rarely needed

    own = [sys.executable] if bundle_folder() else [sys.executable, "-m", "judgetool"]
    nothing = subprocess.DEVNULL
    subprocess.Popen([*own, *words], stdin=nothing, stdout=nothing, stderr=nothing, **as_group())


def bundle_folder() -> Path | None:
    """Return the folder of a judgetool that came with its own Python and libraries; ``None`` else.

    Nothing can be installed into it.
    """
    return Path(sys.executable).resolve().parent if getattr(sys, "frozen", False) else None


def lack_of_extra(what: str, package: str, extra: str) -> str:
    """Return a sentence for what an extra of judgetool would do, and how it is had.

    Args:
        what: begins the sentence, such as ``Parquet files need``.
        package: what is missing.
        extra: the name of judgetool's extra that brings it.
    """
    sentence = _(
        "{what} the package {package}, which is not installed: install 'judgetool[{extra}]' where "
        "judgetool is installed (with pip, pipx or uv)."
    )
    if bundle_folder():
        sentence = _(
            "{what} the package {package}, which this judgetool, that came with its own Python, does "
            "not contain."
        )
    return sentence.format(what=what, package=package, extra=extra)


HOME_VARIABLE = "JUDGETOOL_HOME"
SETTINGS = "settings.json"
"""The preferences, in the folder for them."""


def data_folder() -> Path:
    """Return where samples, locks and the safety log live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / "data"
    import platformdirs  # noqa: PLC0415 - scores are worked out without it

    return platformdirs.user_data_path("judgetool", False)


def config_folder() -> Path:
    """Return where preferences and window layout live; it need not exist yet."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / "config"
    if not (IS_WINDOWS or IS_MAC):
        # As platformdirs has it, which every command would have to load for this.
        own = os.environ.get("XDG_CONFIG_HOME", "").strip()
        return Path(own or Path.home() / ".config") / "judgetool"
    import platformdirs  # noqa: PLC0415 - see above

    return platformdirs.user_config_path("judgetool", False)


def list_folder(folder: Path) -> list[Path]:
    """Return what stands in a folder, by name; nothing where there is none.

    Raises:
        OSError: it may not be looked into: ``Path.glob`` finds nothing there, and says nothing.
    """
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def make_private_folder(folder: Path) -> None:
    """Make a folder that nobody else may look into."""
    folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
    make_private(folder, PRIVATE_FOLDER)


def make_private_file(path: Path) -> None:
    """Make an empty file that nobody else may read, or make one that is there so.

    Raises:
        OSError: it cannot be made.
    """
    path.touch(mode=PRIVATE_FILE)
    make_private(path, PRIVATE_FILE)


# By which a system, a shell or a session that ends asks a program to end; Windows has fewer.
_ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)
)


def end_when_asked() -> None:
    """Have a request to end (SIGTERM) end the program as Ctrl+C does: what is half written goes."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))


@contextlib.contextmanager
def woken_by_endings(descriptor: int) -> Iterator[tuple[int, ...]]:
    """Have the number of each signal that asks this program to end written to a socket.

    Those that whoever started the program wants ignored stay ignored.

    Args:
        descriptor: of a socket that does not block.

    Yields:
        The signals that are written; others may be, too.
    """
    wanted = tuple(each for each in _ENDINGS if signal.getsignal(each) is not signal.SIG_IGN)
    # Without a handler of Python's nothing would be written.
    before = {number: signal.signal(number, lambda *_: None) for number in wanted}
    woken = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    try:
        yield wanted
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)


# Paths that others wrote

_LONGEST_PATH = 1024
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")


def is_address(text: str) -> bool:
    r"""Return whether a text is an address (with ``http:``, ``file:``, ``data:`` …) or has a drive.

    Examples:
        >>> is_address("https://x.example/a.png"), is_address("C:\\a.png"), is_address("a/b.png")
        (True, True, False)
    """
    return _SCHEME.match(text) is not None


def is_local_folder(text: str) -> bool:
    r"""Return whether a text is an absolute path on this computer: no share, no address.

    Examples:
        >>> is_local_folder("/data/img"), is_local_folder("//server/img"), is_local_folder("img")
        (True, False, False)
        >>> is_local_folder(r"\\server\share"), is_local_folder("file:///etc")
        (False, False)
    """
    plain = text.replace("\\", "/")
    is_drive = re.match(r"[A-Za-z]:/", plain) is not None
    has_root = plain.startswith("/") and not plain.startswith("//")
    return (has_root or is_drive) and plain.isprintable() and Path(text).is_absolute()


def find_relative(text: str) -> str | None:
    r"""Return a path that stays inside of a folder, with ``/`` between its names.

    Nothing is looked up: a link may still lead elsewhere.

    Returns:
        ``None`` for an address, an absolute path, a drive, one that leads upwards, or
        what is no path at all.

    Examples:
        >>> find_relative(" img\\soup.png"), find_relative("./a/../b.png"), find_relative("/a.png")
        ('img/soup.png', None, None)
    """
    plain = text.strip().replace("\\", "/")
    is_path = 0 < len(plain) <= _LONGEST_PATH and plain.isprintable() and plain[0] not in "[{"
    if not is_path or plain.startswith("/") or is_address(plain):
        return None
    parts = [part for part in plain.split("/") if part not in {"", "."}]
    return "/".join(parts) if parts and ".." not in parts else None


def find_inside(folder: Path, relative: str) -> Path | None:
    """Return the file that a relative path leads to, all links followed, if it is in the folder.

    Returns:
        ``None`` where it leads out of the folder, or to no ordinary file.
    """
    plain = find_relative(relative)
    if plain is None:
        return None
    try:
        root = folder.resolve(strict=True)
        path = (root / plain).resolve(strict=True)
        is_file = path.is_file()
    # A path of a project that others made: too long, in circles, half characters.
    except (OSError, ValueError, RuntimeError):
        return None
    return path if is_file and path.is_relative_to(root) else None


def image_folder(source: str) -> Path | None:
    """Return the folder in which a file's pictures are: its own; ``None`` for what is no file."""
    path = Path(source)
    try:
        if path.is_dir():
            return path.absolute()
        return path.absolute().parent if path.is_file() else None
    except (OSError, ValueError):
        return None
