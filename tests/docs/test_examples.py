"""Every command in README and help is run, and prints what the page says."""

import csv
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
    write_days(tmp_path)
    return tmp_path


def write_days(folder):
    """Write what three people say, as ``judgetool judge`` reads it: two of the sample, and one who is milder."""
    with (folder / "judgments.csv").open(encoding="utf-8") as stream:
        rows = [
            (r["query_id"], r["doc_id"], r["judge"], r["grade"]) for r in csv.DictReader(stream)
        ]
    said = {who: [(q, d, g) for q, d, by, g in rows if by == who] for who in ("anna", "ben")}
    said["cem"] = [
        (query, document, min(3, int(grade) + (place % 5 == 0)))
        for place, (query, document, grade) in enumerate(said["anna"][:60])
    ]
    for who, grades in said.items():
        lines = "".join("\t".join(map(str, each)) + "\n" for each in grades)
        (folder / f"{who}.tsv").write_text(lines, encoding="utf-8")


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
