"""What the window leaves outside the project: only its owner reads it, and nothing lies about."""

import os
import stat
import subprocess
import sys

import pytest

from judgetool.core.system import config_folder, data_folder
from judgetool.gui.error_report import LOG_NAME
from judgetool.gui.window_state import FILE_NAME
from tests.helpers.builders import make_project, simple_parts


@pytest.fixture
def folders(tmp_path):
    """A window was opened and closed in a process of its own, over a log that others could read."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    (tmp_path / "temporary").mkdir()
    data_folder().mkdir(parents=True, exist_ok=True)
    (data_folder() / LOG_NAME).touch(mode=0o644)
    code = (
        "import os, sys; os.umask(0o022); from judgetool.cli.main import run; "
        "sys.exit(run(['open', sys.argv[1], '--screenshot', sys.argv[2]]))"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    words = [sys.executable, "-c", code, str(path), str(tmp_path / "picture.png")]
    subprocess.run(words, check=True, env=environment, capture_output=True)
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX systems")
def test_only_the_owner_reads_log_and_window_state(folders):
    """The log and the window's state have mode 0600, whatever the umask is and was."""
    files = [data_folder() / LOG_NAME, config_folder() / FILE_NAME]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600, 0o600]


def test_no_temporary_folder_is_left(folders):
    """Starting and ending leaves nothing in the folder for temporary files."""
    left = [path.name for path in (folders / "temporary").iterdir()]
    assert [name for name in left if "judgetool" in name or name.startswith("python-")] == []
