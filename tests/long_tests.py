"""Which tests take long: a list that is kept from a run of all, and read by ``conftest``.

    pytest -n auto --junitxml REPORT && python -m tests.long_tests REPORT

Few tests take most of the time of all: whole days, every view in every theme and size, programs
that are killed, each command of a page. They are marked ``long``, so that ``-m "not long"``
tries everything else at every change; ``.ci/run --long`` tries all. Of each module the quickest
fifth of its tests is not long, so that nothing large goes untried at a change. A test that is new
or has another name is not in the list, and so is tried until the list is kept anew.
"""

import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import fmean
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).with_suffix(".txt")
LONG_S = 1.0
"""From how many seconds on, with what is set up for it, in the mean of its cases."""


@cache
def long_tests() -> frozenset[str]:
    """Return the tests that took long when they were kept, as pytest names them without their cases."""
    return frozenset(KEPT.read_text(encoding="utf-8").split())


def find_long(report: Path) -> list[str]:
    """Return the tests that took long in a report of JUnit's form."""
    cases = defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        module = Path(*case.get("classname").split(".")).with_suffix(".py")
        while not (ROOT / module).is_file():
            # What is named behind the module is a class.
            module = module.parent.with_suffix(".py")
        name = case.get("name").split("[")[0]
        cases[f"{module.as_posix()}::{name}"].append(float(case.get("time")))
    seconds = {name: fmean(each) for name, each in cases.items()}
    modules = defaultdict(list)
    for name in sorted(seconds, key=seconds.get):
        modules[name.split("::")[0]].append(name)
    candidates = [name for each in modules.values() for name in each[len(each) // 5 :]]
    return sorted(name for name in candidates if seconds[name] > LONG_S)


if __name__ == "__main__":
    found = find_long(Path(sys.argv[1]))
    KEPT.write_text("".join(f"{name}\n" for name in found), encoding="utf-8")
    print(f"{len(found)} tests take longer than {LONG_S:g} s: {KEPT.name}")
