"""Which files are taken for projects, and what is said of the others."""

import gzip
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from judgetool.core.scale import scale_preset
from judgetool.errors import (
    InputError,
    NotAProjectError,
    ProjectDamagedError,
    ProjectTooNewError,
)
from judgetool.session.opening import create_project, open_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "a.judge"
    create_project(path, scale=scale_preset("0-3"))
    return path


def change_elsewhere(path: Path, sql: str) -> None:
    """Change a project with another program: in another process, so that no locks mix."""
    code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()"
    subprocess.run([sys.executable, "-c", code, str(path), sql], check=True)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"1 0 d1 2\n" * 50, "use Import"),
        (gzip.compress(b"SQLite format 3\0" * 50), "is a gzip file. If a project is in it, unpack"),
        (bytes(4096), "begins with zeros"),
    ],
    ids=["empty", "text", "packed", "zeros"],
)
def test_other_files_are_refused_in_words(tmp_path, content, says):
    """What is no project is called what it is, as far as that is seen, and it stays as it is."""
    path = tmp_path / "x.judge"
    path.write_bytes(content)
    with pytest.raises(NotAProjectError, match=says):
        open_project(path)
    assert path.read_bytes() == content


def test_missing_file_is_not_made(tmp_path):
    """Opening what is not there says so and makes nothing."""
    with pytest.raises(NotAProjectError, match="There is no file"):
        open_project(tmp_path / "none.judge")
    assert list(tmp_path.iterdir()) == []


def test_sqlite_file_of_another_program_is_refused(tmp_path):
    """A SQLite file without our application id is another program's."""
    path = tmp_path / "other.judge"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE judgments(a)")
    other.close()
    with pytest.raises(NotAProjectError, match="another program"):
        open_project(path)


def test_newer_schema_is_refused_without_a_change(project):
    """A project made by a newer judgetool is named so, byte for byte unchanged."""
    change_elsewhere(project, "PRAGMA user_version = 99")
    before = project.read_bytes()
    with pytest.raises(ProjectTooNewError, match="newer judgetool"):
        open_project(project)
    assert project.read_bytes() == before


def test_planted_trigger_is_refused(project):
    """A trigger could change judgments behind our back: the file is not used."""
    change_elsewhere(
        project,
        "CREATE TRIGGER sneaky AFTER INSERT ON judgments BEGIN UPDATE judgments SET grade = 0; END",
    )
    with pytest.raises(ProjectDamagedError, match="sneaky"):
        open_project(project)


def test_existing_file_is_never_overwritten(project):
    """Making a project where something stands is refused."""
    before = project.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        create_project(project, scale=scale_preset("binary"))
    assert project.read_bytes() == before


def test_looking_changes_nothing(project):
    """Opening and closing leaves bytes, time and neighbours as they were."""
    before = project.read_bytes(), project.stat().st_mtime_ns
    with open_project(project, assessor="anna"):
        pass
    assert (project.read_bytes(), project.stat().st_mtime_ns) == before
    assert [path.name for path in project.parent.iterdir()] == ["a.judge"]


@pytest.mark.parametrize(
    "name", ["a b.judge", "käse#1?.judge", "日本語 😀.judge", "o'brien%20.judge"]
)
def test_awkward_names_are_ordinary(tmp_path, name):
    """Blanks, umlauts, '#', '?', quotes and emoji in a path are ordinary characters."""
    path = tmp_path / name
    create_project(path, scale=scale_preset("binary"))
    with open_project(path) as session:
        assert session.scale.name == "binary"
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_folder_is_refused(tmp_path):
    """A folder is no project."""
    with pytest.raises(NotAProjectError, match="folder"):
        open_project(tmp_path)


def test_truncated_file_is_called_damaged(project):
    """Half a file is refused as damaged, in words."""
    shutil.copy(project, project.with_suffix(".whole"))
    content = project.read_bytes()
    project.write_bytes(content[: len(content) // 2])
    with pytest.raises(ProjectDamagedError, match="damaged"):
        open_project(project)
