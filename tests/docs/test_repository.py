"""Rules for the repository itself."""

import re
import shutil
import subprocess

import pytest

from tests.docs.pages import ROOT

MAX_LINES = 600
# Longer modules, each with the reason why it is one thing.
LONGER = {
    "judgetool/gui/agreement/assessors.py": "rows of assessors, pairs and levels, and the words in which each is heard",
    "judgetool/gui/compare/decide.py": "one decision from its question to its stop, with all that is said on the way",
    "judgetool/gui/compare/table_view.py": "one table: its cells, its keys, and the parts of it that do not scroll",
    "judgetool/gui/dialogs/hub.py": "making and joining a hub, its standing, and a short form for each thing done there",
    "judgetool/gui/dialogs/import_file_view.py": "one file on its way into the project, from first rows to questions",
    "judgetool/gui/dialogs/import_preview.py": "what is shown and said of each kind of file",
    "judgetool/gui/dialogs/preferences.py": "every preference of a person, keys among them",
    "judgetool/gui/dialogs/queue.py": "order, pool and people decide together what comes next",
    "judgetool/gui/dialogs/scale_editor.py": "the scale: fields of a level, and what becomes of grades that go",
    "judgetool/gui/judging.py": "where a key finds the place, what it says there and what it waits for",
    "judgetool/gui/settle.py": "a whole view: disputes, opinions, and the grade that settles",
    "judgetool/gui/whatif/acts.py": "what the view asks for, beside the acts that ask",
    "judgetool/gui/whatif/rules_dialog.py": "one dialog: rules, the fields of each, and what they do",
    "judgetool/session/exports/report_html.py": "a page and the style sheet that it brings along",
    "judgetool/session/session.py": "the one door: what is read, what is written, what follows",
}
TEXT = {".py", ".md", ".toml", ".sql", ".css", ".qss", ".json", ".jsonl", ".csv", ".txt", ".svg"}
# Put together here, so that this file is no exception to its own rule.
MACHINE_PATHS = re.compile(
    "(?<![\\w.:/])/(?:" + "|".join(("work", "tmp", "opt", "root", "home")) + ")/"
)
WAITS = re.compile("|".join((r"time\.sl" + "eep", r"qtbot\.wa" + r"it\(", r"QTest\.qW" + "ait")))


def tracked():
    """Return the files of the project, those not yet committed as well."""
    if shutil.which("git") is None:
        pytest.skip("SKIPPED LOUDLY: there is no git on this machine")
    found = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if found.returncode:
        pytest.skip("SKIPPED LOUDLY: this is no git checkout")
    return [
        path
        for name in found.stdout.decode().split("\0")
        if name and (path := ROOT / name).is_file()
    ]


def matches(paths, pattern):
    """Return 'file: text' for each match."""
    return [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in paths
        if path.suffix in TEXT or path.parent.name == ".ci"
        for found in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]


def test_no_path_of_a_machine():
    """No file names a folder of the machine that it was written on."""
    assert matches(tracked(), MACHINE_PATHS) == []


def test_the_top_level_holds_the_layout_alone():
    """What somebody left there while trying something out is not the project's."""
    found = {path.relative_to(ROOT).parts[0] for path in tracked()}
    named = {name for name in found if not name.startswith(".")}
    layout = {"LICENSE", "README.md", "judgetool", "pyproject.toml", "resources", "tests"}
    assert named == layout


def test_tests_wait_for_facts():
    """No test waits for a time to pass."""
    tests = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "tests"]
    assert matches(tests, WAITS) == []


def test_files_of_the_package_are_short():
    """No module has more than 600 lines, but for those with a reason."""
    modules = [path for path in tracked() if path.relative_to(ROOT).parts[0] == "judgetool"]
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules
        if path.suffix == ".py"
    }
    assert {name for name, length in lengths.items() if length > MAX_LINES} == set(LONGER)


def test_packages_say_what_belongs_in_them():
    """Every package has a docstring."""
    inits = [path for path in tracked() if path.name == "__init__.py"]
    assert [path for path in inits if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_ci_is_executable():
    """The script that checks all can be started."""
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
