"""The faults that are drawn are faults, and anyone draws the same."""

import pytest

from tests import mutants


def test_the_same_seed_draws_the_same_faults():
    once, again = (mutants.draw(5, "0badcafe") for _ in range(2))
    assert once == again
    assert all(fault.text != (mutants.TOP / fault.path).read_text() for fault in once)


def test_a_fault_is_made_in_its_line_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "TOP", tmp_path)
    path = tmp_path / "rule.py"
    path.write_text('def is_long(text, most):\n    """Return."""\n    return len(text) > most\n')
    texts = {fault.text.splitlines()[2].strip() for fault in mutants.faults_of(path, 3)}
    assert texts == {"return (len(text) >= most)", "return None"}


@pytest.mark.parametrize(
    "line",
    [
        "    def __repr__(self): return 1 + 1",
        "    size: Literal[1] = None",
        "@lru_cache(maxsize=8)",
        "    def __init__(self, way: Literal[2]) -> Literal[2]: ...",
        "if TYPE_CHECKING: print(1)",
    ],
)
def test_what_changes_nothing_that_runs_is_not_drawn(line, tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "TOP", tmp_path)
    path = tmp_path / "rule.py"
    path.write_text(
        f"class Rule:\n{line}\n    def rule(self): ...\n".replace("Rule:\n@", "Rule:\n    @")
    )
    if line.startswith("if"):
        path.write_text(f"\n{line}\n")
    assert mutants.faults_of(path, 2) == []


def test_a_line_may_say_why_a_change_makes_no_difference(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "TOP", tmp_path)
    path = tmp_path / "rule.py"
    path.write_text("MOST = 3  # alike: nobody has four\nLEAST = 1\n")
    argued = [mutants.is_argued(mutants.faults_of(path, line)[0]) for line in (1, 2)]
    assert argued == [True, False]


_RULES = """
from functools import cache
LEAST = 3
MOST = LEAST + 1

def is_few(number, few=2):
    return number < few

def is_many(number):
    \"\"\"Return.\"\"\"
    return number >= MOST

@cache
def is_any(number):
    if number:
        return True
    return False
"""
_TESTS = """
import subprocess, sys
import pytest
from judgetool import rules

def test_few():
    assert rules.is_few(1)

def test_many():
    assert rules.is_many(4)

def test_other_process():
    subprocess.run([sys.executable, "-c", "from judgetool.rules import is_any; is_any(0)"])

@pytest.fixture
def number():
    return int(rules.is_any(1))

def test_fixture(number):
    assert number
"""


_TOUCHED = {
    3: ({"test_many"}, set()),
    6: ({"test_few"}, set()),
    7: ({"test_few"}, set()),
    16: ({"test_fixture"}, {"tests/test_rules.py"}),
    17: ({"test_other_process"}, set()),
}
"""By the line of the rules: the tests that touch it, and the files in whose fixtures it runs."""


def test_the_tests_that_run_through_a_place_are_found(tmp_path, monkeypatch):
    """Also those of a constant or default, of what another process does, and of a fixture's file."""
    monkeypatch.setattr(mutants, "TOP", tmp_path / "top")
    for path, text in (
        ("judgetool/__init__.py", ""),
        ("judgetool/rules.py", _RULES),
        ("tests/test_rules.py", _TESTS),
    ):
        (mutants.TOP / path).parent.mkdir(parents=True, exist_ok=True)
        (mutants.TOP / path).write_text(text)
    rules = mutants.TOP / "judgetool/rules.py"
    faults = [mutants.faults_of(rules, line)[0] for line in _TOUCHED]
    touched = mutants.touched_by(faults, ["-q", "tests"])
    assert [
        ({test.rpartition("::")[2] for test in touched[place].tests}, touched[place].files)
        for place in range(len(faults))
    ] == [*_TOUCHED.values()]


@pytest.fixture(scope="module")
def imported_by():
    return mutants.importers()


def test_the_tests_that_import_a_module_come_first(imported_by):
    found = mutants.nearest_tests(mutants.Path("judgetool/core/scale.py"), imported_by)
    text = (mutants.TOP / found[0]).read_text(encoding="utf-8")
    assert "judgetool.core.scale" in text


def test_the_nearest_file_comes_first_where_only_far_tests_touch_a_place(imported_by):
    """What runs when a module is imported is touched by whoever imports it first."""
    path = mutants.Path("judgetool/storage/safety_log.py")
    line = next(
        place
        for place, text in enumerate((mutants.TOP / path).read_text().splitlines(), start=1)
        if text.endswith("return (")
    )
    fault = mutants.faults_of(mutants.TOP / path, line)[0]
    far = mutants.Touched({"tests/core/test_scale.py::test_far"})
    near = mutants.Touched({"tests/storage/test_safety_log.py::test_near"})
    firsts = [mutants.order_tests(fault, each, imported_by, {})[0] for each in (far, near)]
    assert firsts == ["tests/storage/test_safety_log.py", *near.tests]


@pytest.mark.parametrize("n_far", [3, 1000])
def test_the_files_that_look_at_most_come_before_far_tests_where_these_are_many(imported_by, n_far):
    """After what is nearest: few far tests are quick; of a thousand most see no more."""
    fault = mutants.faults_of(
        mutants.TOP / "judgetool/core/scale.py", _first_fault("core/scale.py")
    )
    breadth = {"tests/gui/test_all.py::test_all[1]": 9, "tests/gui/test_few.py::test_few": 1}
    nearest = mutants.nearest_tests(fault[0].path, imported_by)[0]
    near, widest = f"{nearest}::test_near", ["tests/gui/test_all.py", "tests/gui/test_few.py"]
    far = [f"tests/gui/test_far.py::test_far[{number:03}]" for number in range(n_far)]
    found = mutants.order_tests(fault[0], mutants.Touched({near, *far}), imported_by, breadth)
    expected = [near, *far, *widest] if n_far < 100 else [near, *widest, *far]
    assert found[: len(expected)] == expected


def _first_fault(module):
    path = mutants.TOP / "judgetool" / module
    lines = range(1, len(path.read_text(encoding="utf-8").splitlines()) + 1)
    return next(line for line in lines if mutants.faults_of(path, line))


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("gui/whatif/page", "gui/test_whatif_view"),
        ("gui/settle", "gui/test_settle_view"),
        ("gui/agreement/page", "gui/test_agreement_view"),
        ("cli/project", "cli/test_project"),
    ],
)
def test_what_only_a_window_or_a_command_imports_is_tried_by_the_tests_of_these(
    module, test, imported_by
):
    found = mutants.nearest_tests(mutants.Path(f"judgetool/{module}.py"), imported_by)
    assert mutants.Path(f"tests/{test}.py") in found[:3]


def test_the_nearest_test_runs_first_though_its_file_follows(tmp_path):
    top = tmp_path / "checkout"
    (top / "tests").mkdir(parents=True)
    (top / "tests" / "test_far.py").write_text("def test_far():\n    assert False\n")
    near = "def test_other():\n    assert False\n\ndef test_near():\n    assert False\n"
    (top / "tests" / "test_near.py").write_text(near)
    words = ["tests/test_near.py::test_near", "tests/test_far.py", "tests/test_near.py"]
    assert mutants.first_failure(top, words) == "tests/test_near.py::test_near"
