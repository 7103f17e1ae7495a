"""Files are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgetool.errors import InputError
from judgetool.formats import write_atomically
from judgetool.formats.output import format_number


def test_text_is_written_as_utf8_with_its_own_line_ends(tmp_path):
    """Chunks are joined; line ends are not changed."""
    path = tmp_path / "out"
    write_atomically(path, ["é\n", "x\r\n"])
    assert path.read_bytes() == "é\nx\r\n".encode()


def test_an_existing_file_keeps_its_mode(tmp_path):
    """A file that is replaced keeps its permissions."""
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, ["new"])
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)


def test_a_protected_file_is_not_replaced(tmp_path):
    """What its owner may not write stays, though its folder would let it be replaced; so does what belongs to it."""
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="is protected"):
        write_atomically(tmp_path / "first", ["new"], beside=[(path, ["new"])])
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    path.chmod(0o644)
    write_atomically(path, ["new"])
    assert path.read_text() == "new"


def test_a_link_is_followed(tmp_path):
    """The file that a link names is replaced, not the link."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", ["new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


_WRITE_AND_TELL = """
import sys
from judgetool.formats import write_atomically

opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
write_atomically(sys.argv[1], ["new"])
print(opened[-1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system does so by itself")
def test_a_new_name_is_brought_to_the_disk(tmp_path):
    """Else a power cut takes it away again: when all is written the folder itself is opened."""
    words = [sys.executable, "-c", _WRITE_AND_TELL, str(tmp_path / "out")]
    told = subprocess.run(words, check=True, capture_output=True, text=True)
    assert told.stdout == f"{tmp_path}\n"


def test_what_stops_half_way_leaves_the_old_file(tmp_path):
    """If the text cannot be made, the old file stands and nothing else is left behind."""
    path = tmp_path / "out"
    path.write_text("old")

    def chunks() -> Iterator[str]:
        yield "new"
        raise InputError("An id holds a blank.")

    with pytest.raises(InputError, match=r"An id holds a blank"):
        write_atomically(path, chunks())
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert path.read_text() == "old"


def test_half_a_character_is_refused(tmp_path):
    """A surrogate on its own has no UTF-8 form."""
    with pytest.raises(InputError, match=r"half a character"):
        write_atomically(tmp_path / "out", ["\ud800"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_gives_a_sentence():
    """A full disk is told in a sentence; devices are written to directly."""
    with pytest.raises(InputError, match=r"could not be written to the end: the disk is full.$"):
        write_atomically(Path("/dev/full"), ["x" * 100_000])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits on file sizes are POSIX's")
def test_a_file_that_cannot_grow_leaves_nothing(tmp_path):
    """When the system stops a file from growing, the old one stands and no part of the new."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "out"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(InputError, match=r"was not written"):
            write_atomically(path, ["x" * 100_000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "cause"), [("missing/out", "its folder does not exist"), (".", "it is a folder")]
)
def test_places_that_cannot_be_written(tmp_path, name, cause):
    """A folder that is not there, or a folder itself, gives a sentence."""
    with pytest.raises(InputError, match=cause):
        write_atomically(tmp_path / name, ["x"])


def test_nan_is_not_written():
    """NaN is no number that any format can carry."""
    with pytest.raises(InputError, match=r"NaN"):
        format_number(float("nan"))


KILLED = """
import os, signal, sys
from pathlib import Path
from judgetool.formats import write_atomically


def chunks():
    yield "x" * 100_000
    os.kill(os.getpid(), signal.SIGKILL)


write_atomically(Path(sys.argv[1]), chunks())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a lock is the whole program’s")
def test_what_a_killed_program_left_goes_with_the_next_writing(tmp_path):
    """Of the same file alone; what another program still writes of it stays, and becomes it."""
    target, other = tmp_path / "o [1].run", tmp_path / "other.run"
    for each in (target, other, target):
        subprocess.run([sys.executable, "-c", KILLED, each], check=False)
    strange = tmp_path / f".{target.name}.notes.tmp"
    strange.touch()
    assert len(list(tmp_path.iterdir())) == 3

    def chunks():
        yield "first "
        write_atomically(target, ["meanwhile"])
        assert target.read_text() == "meanwhile"
        yield "last"

    write_atomically(target, chunks())
    assert target.read_text() == "first last"
    (left,) = tmp_path.glob(".other.run.*.tmp")
    assert {*tmp_path.iterdir()} == {target, left, strange}
