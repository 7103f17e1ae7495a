"""Every command in README and help is run, and prints what the page says."""

import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judgetool.resources import resource_path
from tests.docs.pages import ELLIPSIS, examples, pages


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of the sample, as the pages assume."""
    sample = resource_path("sample")
    for name in ("queries.jsonl", "documents.jsonl", "judgments.csv", "qrels.txt", "results.csv"):
        shutil.copy(sample / name, tmp_path)
    for run in (sample / "runs").iterdir():
        shutil.copy(run, tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in pages() if examples(page)], ids=lambda p: p.name)
def test_commands_of_a_page_do_what_it_says(page, folder):
    """In order, in one folder: each ends with 0 and prints the lines that the page shows."""
    environment = {**os.environ, "COLUMNS": "80"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    for example in examples(page):
        found = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", example.runnable],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, (example.command, found.stderr)
        assert_shows(example, [*found.stdout.splitlines(), *found.stderr.splitlines()])


def assert_shows(example, printed):
    """Every line that the page shows was printed, in this order; … stands for any lines."""
    rest = iter(printed)
    for line in example.output:
        assert line == ELLIPSIS or line in rest, (example.command, line, printed)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_python_of_a_page_gives_what_it_says(page):
    """Interactive Python examples are run, too."""
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0
