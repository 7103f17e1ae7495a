"""What commands answer, as it was kept to be read: so that no change of it goes unseen.

    python -m tests.cli.answers --keep [NAME ...]   asks anew and keeps what is answered

A file of ``tests/cli/answers`` is a conversation: a line ``$ score qrels.txt …`` is asked (as
``judgetool score qrels.txt …``), what stands below it was answered. Whoever wants to ask more
adds such a line and has it kept; whoever changes an answer on purpose reads the difference.
``$ cat FILE`` shows what was written, and ``<<< 'TEXT'`` is said to a command. It is asked in a
folder with the sample's files, and with ``tests/data`` as ``data``.
"""

import argparse
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from zlib import crc32

from judgetool.core.catalogues import choose_language
from tests.helpers.program import SAMPLE, call

KEPT = Path(__file__).resolve().parent / "answers"
_OF_NOW = re.compile(
    r"\d{4}-\d\d-\d\d[T ]?(\d\d:\d\d(:\d\d)?(\.\d+)?Z?)?|\b\d\d:\d\d(:\d\d)?\b"
    r"|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32,64}\b|\d{8}T\d{6}\.\d+Z|/[\w./-]*/(?=[\w.-]*)"
)
_LONG = re.compile(r"\d+\.\d{7,}(e-?\d+)?|\d+\.?\d*e-?\d+")
_SURE_DIGITS = 6
_MOST_LINES = 60


def names() -> list[str]:
    """Return what the conversations are called."""
    return sorted(path.stem for path in KEPT.glob("*.txt"))


def lay_out(folder: Path) -> None:
    """Copy the files that are asked about into a folder."""
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    shutil.copytree(KEPT.parents[1] / "data", folder / "data")


def told_anew(name: str) -> Iterator[str]:
    """Yield a conversation's lines as it goes now, in this folder."""
    for line in (KEPT / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            yield line
            yield from _short([*map(_plain, _answer(line[2:]))])


def _answer(asked: str) -> Iterator[str]:
    asked, _, said = asked.partition(" <<< ")
    words = shlex.split(asked)
    if words[0] == "cat":
        path = Path(words[1])
        yield from path.read_text(encoding="utf-8").splitlines() if path.exists() else ["no file"]
        return
    found = call(*words, stdin="".join(shlex.split(said)).encode().decode("unicode_escape"))
    yield from found.out.splitlines()
    yield from (f"! {line}" for line in found.err.splitlines())
    if found.code:
        yield f"exit {found.code}"


def _short(lines: list[str]) -> list[str]:
    """Return the beginning of an answer, and a sum over the rest of a long one."""
    more = "\n".join(lines[_MOST_LINES:])
    rest = [f"… and {len(lines) - _MOST_LINES} lines {crc32(more.encode()):08x}"] if more else []
    return [*lines[:_MOST_LINES], *rest]


def _plain(line: str) -> str:
    """Return a line without what is another each time, and with the digits that are sure."""
    return _LONG.sub(_sure, _OF_NOW.sub("…", line)).rstrip()


def _sure(found: re.Match[str]) -> str:
    return f"{float(found[0]):.{_SURE_DIGITS}g}"


def main() -> None:
    """Ask anew and keep what is answered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", nargs="*", metavar="NAME", required=True)
    given = parser.parse_args()
    os.environ |= {"JUDGETOOL_LANGUAGE": "en", "COLUMNS": "80"}
    choose_language()
    for name in given.keep or names():
        with tempfile.TemporaryDirectory() as home, chdir(home):
            os.environ |= {"JUDGETOOL_HOME": f"{home}/own", "HOME": home}
            lay_out(Path(home))
            text = "\n".join(told_anew(name)) + "\n"
        (KEPT / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
