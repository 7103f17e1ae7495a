"""The layers hold: statically, at run time, and each contract is seen to fail when broken."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.program import sample_project

LINTER = Path(sys.executable).with_name("lint-imports")
NEVER_FOR_SCORE = (
    *("PySide6", "shiboken6", "apsw", "sqlite3", "pandas", "scipy", "numpy.ma", "numpy.random"),
    *("judgetool.formats.reading", "judgetool.formats.registry", "judgetool.metrics.bounds"),
)

BLOCK_QT = """
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("PySide6", "shiboken6"):
            raise ImportError(f"{name} must not be imported")

sys.meta_path.insert(0, Refuse())
import judgetool
for module in pkgutil.walk_packages(judgetool.__path__, "judgetool."):
    if not module.name.startswith("judgetool.gui") and module.name != "judgetool.gui":
        importlib.import_module(module.name)
        print(module.name)
"""

# What is planted where, and a word of the contract that must then be broken.
VIOLATIONS = {
    "Qt in metrics": ("metrics/measure.py", "import PySide6.QtCore", "Qt stays"),
    "gui from core, within a function": (
        "core/clock.py",
        "def show():\n    import judgetool.gui.theme",
        "Layers",
    ),
    "session from core, for types": (
        "core/clock.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import judgetool.session.session",
        "Layers",
    ),
    "storage from metrics, its neighbour": (
        "metrics/measure.py",
        "import judgetool.storage.values",
        "Layers",
    ),
    "sqlite3 in gui": ("gui/theme.py", "import sqlite3", "SQLite stays"),
    "apsw in session": ("session/pool.py", "import apsw", "SQLite stays"),
    "psycopg in session": ("session/pool.py", "import psycopg", "PostgreSQL stays"),
    "storage from gui": ("gui/theme.py", "import judgetool.storage.values", "Only the session"),
    "the window from another command": ("cli/main.py", "import judgetool.gui.app", "Qt stays"),
    "pandas in core": ("core/clock.py", "import pandas", "pandas stays"),
    "siblings in a circle": ("formats/names.py", "import judgetool.session.session", "No cycles"),
    "a package that no layer names": ("helpers/__init__.py", '"""New."""', "Layers"),
}

NEVER_TO_START = (
    *("judgetool.formats.reading", "judgetool.metrics.comparison", "judgetool.metrics.decide"),
    *("judgetool.session.team.asking", "judgetool.session.team.merging"),
    *("judgetool.storage.recovery", "numpy.ma", "snowballstemmer", "statistics"),
)
FIRST_FRAME = f"""
import sys
from pathlib import Path
from judgetool.gui import app

class Window(app.MainWindow):
    def show(self):
        self.painted.connect(self.tell)
        super().show()

    def tell(self):
        print([name for name in {NEVER_TO_START} if name in sys.modules], flush=True)
        app.QApplication.exit(0)

app.MainWindow = Window
sys.exit(app.run_window(Path(sys.argv[1]), assessor="me"))
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory, checkout):
    """The package and the contracts, in a folder of their own."""
    root = tmp_path_factory.mktemp("contracts")
    ignored = shutil.ignore_patterns("__pycache__", ".mypy_cache", ".ruff_cache")
    shutil.copytree(checkout / "judgetool", root / "judgetool", ignore=ignored)
    shutil.copy(checkout / "pyproject.toml", root)
    return root


def lint(root):
    """Run the import linter on the package in a folder."""
    return subprocess.run(
        [LINTER, "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_all_contracts_are_kept(copied):
    """Every contract of pyproject.toml holds."""
    found = lint(copied)
    assert found.returncode == 0, found.stdout
    assert "0 broken" in found.stdout


@pytest.mark.parametrize("name", VIOLATIONS)
def test_planted_violation_breaks_its_contract(copied, name):
    """Each contract fails on what it forbids, so it guards the right modules."""
    relative, code, contract = VIOLATIONS[name]
    target = copied / "judgetool" / relative
    before = target.read_text(encoding="utf-8") if target.exists() else None
    target.parent.mkdir(exist_ok=True)
    target.write_text(f"{before or ''}\n\n{code}\n", encoding="utf-8")
    try:
        found = lint(copied)
    finally:
        if before is None:
            shutil.rmtree(target.parent)
        else:
            target.write_text(before, encoding="utf-8")
    broken = [line for line in found.stdout.splitlines() if "BROKEN" in line]
    assert found.returncode != 0
    assert any(line.startswith(contract) for line in broken), found.stdout


def test_all_but_the_window_imports_without_qt():
    """Every module outside judgetool.gui can be imported where Qt must not be."""
    found = subprocess.run(
        [sys.executable, "-c", BLOCK_QT], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert "judgetool.cli.open" in found.stdout


def test_scoring_files_loads_neither_qt_nor_sqlite_nor_pandas(checkout):
    """`judgetool score` over plain files stays light: no heavy library, no reader is loaded."""
    sample = checkout / "resources" / "sample"
    code = (
        "import sys\nfrom judgetool.cli.main import run\n"
        f"code = run(['score', {str(sample / 'qrels.txt')!r}, "
        f"{str(sample / 'runs' / 'chargrams.run')!r}])\n"
        f"print([name for name in {NEVER_FOR_SCORE} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr.splitlines()[-1] == "[]"


def test_a_project_is_seen_before_what_later_acts_need_is_loaded(tmp_path):
    """No import, merging, comparison or other language is loaded before the first frame."""
    path = sample_project(tmp_path / "recipes.judge")
    found = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME, path], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[0] == "[]"
