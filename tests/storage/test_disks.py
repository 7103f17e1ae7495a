"""Where a project lies: full disks, network drives, folders of a cloud, names that are no text."""

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from contextlib import suppress

import pytest

from judgetool.errors import SaveError, take_notices
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.storage.disks import describe_place, find_cloud, find_network
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.program import call, must
from tests.storage.test_set_aside import judge_and_die

Usage = namedtuple("Usage", "total used free")
Statvfs = namedtuple("Statvfs", "f_blocks f_bavail f_frsize")


@pytest.fixture
def project(tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.fixture
def room(monkeypatch):
    """Say how many bytes every disk has left."""

    def say(n):
        monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(1 << 40, 0, n))
        monkeypatch.setattr(os, "statvfs", lambda _path: Statvfs(1 << 40, n, 1), raising=False)

    return say


# Room


def test_a_full_disk_is_looked_at_before_the_file_is_opened(project, room):
    """With no room nothing is begun: one can look, and reads why one cannot judge."""
    room(10_000)
    with open_project(project, assessor="anna") as session:
        assert "the disk of" in session.read_only_reason
        assert len(session.material.queries) == 3
    assert [path.name for path in project.parent.iterdir()] == ["small.judge"]


def test_too_little_room_is_not_called_none(project, room, speaks):
    """Who sees that a disk has some left reads how much is wanted."""
    room(388 << 10)
    said = call("judge", project, "--assessor", "anna", stdin="q0\td0\t2\n").err
    assert "has 0.4 MB left, and 0.5 MB are wanted. You can look and score;" in said
    speaks("de")
    said = call("judge", project, "--assessor", "anna", stdin="q0\td0\t2\n").err
    assert "0,4 MB" in said


def test_no_project_is_begun_on_a_full_disk(tmp_path, room):
    """It is refused with how much is left, and nothing stands in the way of the next attempt."""
    room(600_000)
    said = call("new", tmp_path / "a.judge")
    assert (said.code, list(tmp_path.iterdir())) == (1, [])
    assert "0.6 MB left" in said.err


def test_the_folder_one_stands_in_is_named(project, room, monkeypatch):
    """What lies in the current folder lies in one that has a name."""
    monkeypatch.chdir(project.parent)
    room(10_000)
    assert f"the disk of {project.parent} has 0.0 MB left" in call("new", "a.judge").err
    read_only = call("judge", "small.judge", "--assessor", "anna", stdin="q0\td0\t2\n")
    assert f"Read-only: the disk of {project.parent} has 0.0 MB left" in read_only.err


def test_a_save_that_fails_is_said_once(project, room, monkeypatch):
    """Of the first line nothing is saved, which its own sentence says."""
    room(10 << 20)
    said = call("judge", project, "--assessor", "anna", stdin="other\td0\t2\n").err
    assert "Not saved" in said
    assert "Nothing was saved" not in said


def test_a_killed_project_on_a_full_disk_is_read(project, room):
    """What is in the log of a killed program is shown without writing beside the file."""
    judge_and_die(project)
    (project.parent / "small.judge-shm").unlink()
    before = sorted(path.name for path in project.parent.iterdir())
    room(10_000)
    with open_project(project, assessor="anna") as session:
        assert len(session.iter_judgments()) == 3
        assert session.read_only_reason
    assert sorted(path.name for path in project.parent.iterdir()) == before


def test_a_disk_that_fills_up_refuses_the_next_save(project, room):
    """Full while judging: the save is refused in words before anything is written."""
    with open_project(project, assessor="anna") as session:
        room(10_000)
        with pytest.raises(SaveError, match="Not saved: the disk of"):
            session.execute(Say.grade(0, session.material.find_document("d0"), 2))
        with pytest.raises(SaveError, match="are wanted"):
            session.save_copy(project.with_name("copy.judge"))
    assert [path.name for path in project.parent.iterdir()] == ["small.judge"]


def test_little_room_is_told(project, room):
    """A disk that is nearly full is named when the project is opened."""
    room(50 << 20)
    open_project(project, assessor="anna").close()
    assert "has 50.0 MB left" in " ".join(take_notices())


@pytest.fixture
def small_blocks(tmp_path):
    """A disk of 4 MB with blocks of 1 KB, nearly filled."""
    image, point = tmp_path / "image", tmp_path / "mounted"
    point.mkdir()
    with image.open("wb") as stream:
        stream.truncate(4 << 20)
    try:
        subprocess.run(["mkfs.ext4", "-q", "-b", "1024", image], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", image, point], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root can mount a disk, and only with loop devices")
    yield point
    subprocess.run(["umount", point], check=True)


def test_a_really_full_disk_of_small_blocks_ends_in_a_sentence(project, small_blocks):
    """Opening a killed project on a full disk of 1 KB blocks ends no process by a signal."""
    judge_and_die(project)
    path = small_blocks / "small.judge"
    for ending in ("", "-wal"):
        shutil.copyfile(f"{project}{ending}", f"{path}{ending}")
    with (small_blocks / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"x" * 1024)
    shown = [sys.executable, "-m", "judgetool", "show", str(path), "--judgments"]
    done = subprocess.run(shown, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4)
    judged = [sys.executable, "-m", "judgetool", "judge", str(path), "--assessor", "anna"]
    done = subprocess.run(judged, input="q0\td0\t2\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has 0.0 MB left" in done.stderr


def test_a_home_on_a_full_disk_keeps_nobody_from_judging(project, small_blocks):
    """The number of the process, the safety log and the backup may be missing, no judgment is."""
    home = small_blocks / "home"
    home.mkdir()
    with (small_blocks / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"x" * 1024)
    judged = [sys.executable, "-m", "judgetool", "judge", str(project), "--assessor", "anna"]
    done = subprocess.run(
        judged,
        input="q0\td0\t2\n",
        env={**os.environ, "JUDGETOOL_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "ACK 1\n"), done.stderr
    assert "output" not in done.stderr


def test_a_disk_that_fills_leaves_no_export_without_its_side_file(project, small_blocks):
    """However little room is left: the grades and what says their scale, or neither, and said so."""
    filler, out = small_blocks / "filler", small_blocks / "out.txt"
    with filler.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(b"x" * 1024)
    full = filler.stat().st_size
    judged = call("judge", project, "--assessor", "anna", stdin="q0\td0\t2\nq1\td1\t1\n")
    assert judged.code == 0
    codes = []
    for n_blocks in range(16):
        os.truncate(filler, full - 1024 * n_blocks)
        os.sync()
        told = call("export", project, "--qrels", out)
        codes.append(told.code)
        there = sorted(path.name for path in small_blocks.iterdir() if "out.txt" in path.name)
        if told.code == 0:
            assert there == ["out.txt", "out.txt.meta.json"]
            break
        assert there == []
        assert "out.txt.meta.json were not written: the disk is full" in told.err
    assert (codes[0], codes[-1]) == (1, 0)


# Whose disk

_MOUNTS = (
    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
    "30 21 0:40 / /shares/team\\040drive rw - nfs4 server:/team rw\n"
    "31 30 0:41 / /shares/team\\040drive/local rw - ext4 /dev/vdb rw\n"
    "32 21 0:42 / /mnt/far rw - fuse.sshfs me@far: rw\n"
    "33 21 0:43 / /mnt/host rw - 9p host rw\n"
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/shares/team drive/a.judge", "nfs4"),
        ("/shares/team drive/local/a.judge", ""),
        ("/mnt/far/deep/a.judge", "fuse.sshfs"),
        ("/mnt/host/a.judge", "9p"),
        ("/mnt/farther/a.judge", ""),
        ("/shares/a.judge", ""),
    ],
)
def test_network_drives_are_known_by_their_mount(tmp_path, path, kind):
    """The mount that holds a path says whether it is a drive of the network."""
    assert find_network(type(tmp_path)(path), mounts=_MOUNTS) == kind


@pytest.mark.parametrize(
    ("folder", "cloud"),
    [
        ("Dropbox", "Dropbox"),
        ("Dropbox (Work)/search", "Dropbox"),
        ("OneDrive - Firm", "OneDrive"),
        ("Google Drive/My Drive", "Google Drive"),
        ("Library/Mobile Documents/com~apple~CloudDocs", "iCloud"),
        ("Nextcloud", "Nextcloud"),
        ("my Dropbox notes", ""),
        ("drive", ""),
    ],
)
def test_folders_of_a_cloud_are_known_by_name(tmp_path, folder, cloud):
    """Folders that a program keeps in step are known by what they are called."""
    assert find_cloud(tmp_path / folder / "a.judge") == cloud


def test_a_folder_of_a_cloud_is_known_by_its_mark(tmp_path):
    """A folder kept in step under a name of one's own is known by what the program puts there."""
    (tmp_path / "shared" / ".stfolder").mkdir(parents=True)
    assert find_cloud(tmp_path / "shared" / "search" / "a.judge") == "Syncthing"


def test_a_network_drive_is_named(tmp_path):
    """Of two mounts the nearer one; lines that tell of none are passed over."""
    mounts = (
        f"22 1 0:3 / / rw - ext4 /dev/sda rw\ntorn\n31 22 0:4 / {tmp_path} rw - nfs4 nas:/x rw\n"
    )
    assert describe_place(tmp_path / "a.judge", mounts=mounts).startswith(
        "a.judge lies on a network drive (nfs4)."
    )
    assert describe_place(tmp_path.parent / "a.judge", mounts=mounts) == ""


def test_an_empty_log_that_lies_at_a_new_name_is_nobodys(tmp_path):
    """It is taken away, and nothing is said of it."""
    (tmp_path / "a.judge-wal").touch()
    made = must("new", tmp_path / "a.judge")
    assert "aside" not in made.err
    assert [path.name for path in tmp_path.iterdir()] == ["a.judge"]


def test_the_place_is_named_before_judging(project, tmp_path):
    """The command names the cloud before it judges; an ordinary folder is not mentioned."""
    cloud = tmp_path / "Dropbox"
    cloud.mkdir()
    shutil.copy(project, cloud)
    judged = call("judge", cloud / "small.judge", "--assessor", "anna", stdin="q0\td0\t2\n")
    assert (judged.code, judged.out) == (0, "ACK 1\n")
    assert "Dropbox keeps in step" in judged.err
    assert describe_place(project) == ""


# Names


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_is_refused_in_words(project):
    """A name that is not UTF-8 ends with 1 and says so, for reading and for making."""
    odd = os.fsdecode(os.fsencode(project.parent) + b"/b\xff.judge")
    shutil.copy(project, odd)
    for words in (("show", odd), ("new", odd + "2"), ("judge", odd, "--assessor", "anna")):
        outcome = call(*words)
        assert outcome.code == 1
        assert "is not UTF-8 text" in outcome.err


@pytest.mark.skipif(os.name == "nt", reason="no pipes with names there")
def test_a_pipe_is_called_a_pipe(tmp_path):
    """A named pipe is no folder, and is not waited for."""
    os.mkfifo(tmp_path / "p.judge")
    outcome = call("show", tmp_path / "p.judge")
    assert outcome.code == 1
    assert "is a pipe or device" in outcome.err
