"""Every command in README and help is run, and prints what the page says."""

import doctest
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from judgetool.resources import resource_path
from judgetool.session.opening import open_project
from tests.docs.pages import ELLIPSIS, HELP, README, ROOT, examples, pages
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
    """In order, from one folder: each ends with 0 and prints what the page shows, where it shows something."""
    if page.stem == "several-people":
        write_days(folder)
    environment = {**os.environ, "COLUMNS": "80"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    # The README begins in the checkout, and says itself how to come to a folder with the sample.
    here = ROOT if page == README else folder
    environment["LEFT_IN"] = str(folder / "left-in.txt")
    for example in examples(page):
        found = subprocess.run(
            [
                "bash",
                "-euo",
                "pipefail",
                "-c",
                f"trap 'pwd > \"$LEFT_IN\"' EXIT; {example.runnable}",
            ],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, (example.command, found.stderr)
        here = (folder / "left-in.txt").read_text(encoding="utf-8").rstrip("\n")
        assert_shows(example, [*found.stdout.splitlines(), *found.stderr.splitlines()])


def assert_shows(example, printed):
    """What a page shows is what is printed, blank lines apart, but for lines in whose place it says …."""
    lines = "".join(f"{line}\n" for line in printed if line)
    shown = ("(?s:.*)" if line == ELLIPSIS else f"{re.escape(line)}\n" for line in example.output)
    fits = not example.output or re.fullmatch("".join(shown), lines)
    assert fits, f"{example.command}\nprints\n{lines}and the page shows\n{example.output}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_python_of_a_page_gives_what_it_says(page, tmp_path, monkeypatch):
    """Interactive Python examples are run, too, where they may write files."""
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0
