"""Every command in README and help is run, and prints what the page says."""

import doctest
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from judgetool.resources import resource_path
from judgetool.session.opening import open_project
from tests.docs.pages import ELLIPSIS, HELP, examples, pages
from tests.helpers.program import must
from tests.helpers.team import judge_asked


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of the sample, as the pages assume."""
    sample = resource_path("sample")
    for name in ("queries.jsonl", "documents.jsonl", "judgments.csv", "qrels.txt", "results.csv"):
        shutil.copy(sample / name, tmp_path)
    for run in (sample / "runs").iterdir():
        shutil.copy(run, tmp_path)
    return tmp_path


def write_days(folder):
    """Write what three people say of what the page on several people asks them, for ``judgetool judge``."""
    lines = (folder / "qrels.txt").read_text(encoding="utf-8").splitlines()
    known = {(query, document): int(grade) for query, _, document, grade in map(str.split, lines)}
    path, away = folder / "asked.judge", {"anna": 0, "ben": 1, "cem": -1}
    runs = [folder / f"{name}.run" for name in ("title-bm25", "full-bm25-stem", "chargrams")]
    texts = ("--queries", folder / "queries.jsonl", "--documents", folder / "documents.jsonl")
    must("new", path)
    must("import", path, *texts, "--run", *runs)
    page = (HELP / "several-people.md").read_text(encoding="utf-8")
    asked = next(line for line in page.splitlines() if line.startswith("$ judgetool ask "))
    must("ask", path, *asked.split()[4:])
    for who, often in away.items():

        def say(query, document, turn, who=who, often=often):
            drawn = zlib.crc32(f"{who} {query} {document} {turn}".encode()) % 6
            return min(3, max(0, known.get((query, document), 0) + often * (drawn == 0)))

        with open_project(path, assessor=who) as session:
            came = judge_asked(session, say)
        text = "".join("\t".join(map(str, each)) + "\n" for each in came)
        (folder / f"{who}.tsv").write_text(text, encoding="utf-8")
    for made in folder.glob("asked.judge*"):
        made.unlink()


@pytest.mark.parametrize("page", [page for page in pages() if examples(page)], ids=lambda p: p.name)
def test_commands_of_a_page_do_what_it_says(page, folder):
    """In order, in one folder: each ends with 0 and prints the lines that the page shows."""
    if page.stem == "several-people":
        write_days(folder)
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
