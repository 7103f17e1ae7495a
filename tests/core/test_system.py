"""What only some systems have is asked for in one module, so that all others work on each."""

import ast
import re

import pytest

from tests.docs.pages import ROOT

ONE = ROOT / "judgetool" / "core" / "system.py"
# Modules and names that Windows does not have, and questions which system this is.
MODULES = {
    "crypt", "fcntl", "grp", "msvcrt", "nis", "ossaudiodev", "posix", "pty", "pwd", "readline",
    "resource", "select", "signal", "spwd", "syslog", "termios", "tty", "winreg", "winsound",
    "_winapi",
}  # fmt: skip
NAMES = {
    "O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "chmod", "chown", "chroot", "ctermid", "fchdir",
    "fchmod", "fchown", "fdatasync", "fork", "forkpty", "fstatvfs", "fsync", "getegid", "geteuid",
    "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getresuid", "getsid", "getuid",
    "kill", "killpg", "lchmod", "lchown", "lockf", "major", "minor", "mkfifo", "mknod", "name",
    "nice", "openpty", "pathconf", "posix_fallocate", "posix_spawn", "pread", "preadv", "pwrite",
    "pwritev", "register_at_fork", "sched_getaffinity", "sched_setaffinity", "sendfile",
    "set_blocking", "setgid", "setpgid", "setpriority", "setsid", "setuid", "statvfs", "sync",
    "sysconf", "times", "ttyname", "uname", "wait", "wait3", "wait4", "waitid", "windll",
}  # fmt: skip
PLACES = re.compile(r"^/(proc|dev|sys|etc|run|usr)/")


def found_in(path):
    """Return 'module:line: what' for whatever of a module not every system has."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        what = ""
        if isinstance(node, ast.Import):
            what = next((a.name for a in node.names if a.name in MODULES), "")
        elif isinstance(node, ast.ImportFrom):
            of_os = {f"os.{a.name}" for a in node.names if node.module == "os" and a.name in NAMES}
            what = node.module if node.module in MODULES else next(iter(of_os), "")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            dotted = f"{node.value.id}.{node.attr}"
            is_of_os = node.value.id == "os" and node.attr in NAMES
            is_asked = dotted in ("sys.platform", "platform.system")
            what = dotted if is_of_os or is_asked else ""
        elif isinstance(node, ast.Attribute) and node.attr == "chmod":
            what = "chmod"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            what = node.value if PLACES.match(node.value) else ""
        if what:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {what}"


def test_one_module_knows_the_systems():
    """No other module uses what only some systems have, or asks which one this is."""
    others = (path for path in (ROOT / "judgetool").rglob("*.py") if path != ONE)
    assert [line for path in others for line in found_in(path)] == []
    assert list(found_in(ONE))


@pytest.mark.parametrize("is_bundle", [False, True])
def test_a_bundle_names_no_pip(monkeypatch, is_bundle):
    """What an extra would bring is said as it fits: into a bundle nothing can be installed."""
    from judgetool.core.system import lack_of_extra  # noqa: PLC0415 - for this one alone

    monkeypatch.setattr("sys.frozen", is_bundle, raising=False)
    said = lack_of_extra("Parquet files need", "pyarrow", "parquet")
    assert ("pip" in said, "judgetool[parquet]" in said) == (not is_bundle, not is_bundle)
