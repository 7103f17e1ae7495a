"""Draws small faults and tries whether the tests nearest to them notice.

    python tests/mutants.py [--number 60] [--seed HEX] [--only N]

A fault is one changed operator, comparison, constant, condition or dropped statement in a
line of ``judgetool/``, drawn over all lines alike. Without ``--seed`` the draw follows from
the first 8 hex digits of the commit before ``HEAD``, so that nobody chooses it and anyone
can repeat it. Each is made in a copy of the checkout; its module's examples, then the tests
nearest to it (those of its name, those that import it, those that share its words) run until
one fails. Prints each fault with the test that saw it, or ``SURVIVED``: a test has seen it
that fails twice with it and passes without it; tests that ran out of time have seen nothing.
"""

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
MOST_TEST_FILES = 8
MOST_SECONDS = 600
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Fault:
    """A place in a module and what is made of it there."""

    path: Path
    line: int
    before: str
    after: str
    text: str


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what could stand in a node's place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPS:
        yield _with(node, ops=[_SWAPS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in _SWAPS:
        yield _with(node, op=_SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return(ast.Constant(None))


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def faults_of(path: Path, line: int) -> list[Fault]:
    """Return the faults that can be made in a line of a module."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    in_words = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.AnnAssign)
        for part in ast.walk(node.annotation if isinstance(node, ast.AnnAssign) else node)
    }
    found = []
    for node in ast.walk(tree):
        place = node.test if isinstance(node, ast.If | ast.While) else node
        if id(node) in in_words or getattr(place, "lineno", None) != line:
            continue
        for changed in _changed(node):
            fault = _write(path, text, node, changed)
            if fault is not None:
                found.append(fault)
    return found


def _write(path: Path, text: str, node: ast.AST, changed: ast.AST) -> Fault | None:
    if isinstance(node, ast.If | ast.While):
        assert isinstance(changed, ast.If | ast.While)
        node, changed = node.test, changed.test
    before = ast.get_source_segment(text, node)
    after = ast.unparse(ast.fix_missing_locations(changed))
    if before is None or before == after:
        return None
    lines = text.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    is_expression = isinstance(node, ast.expr)
    put = f"({after})" if is_expression else after
    whole = text.encode()
    result = (whole[:start] + put.encode() + whole[end:]).decode()
    try:
        ast.parse(result)
    except SyntaxError:
        return None
    return Fault(path.relative_to(TOP), node.lineno, before, after, result)


def draw(number: int, seed: str) -> list[Fault]:
    """Return faults drawn over all lines of the product alike."""
    dice = random.Random(seed)
    lines = [
        (path, line)
        for path in sorted((TOP / "judgetool").rglob("*.py"))
        for line in range(1, len(path.read_text(encoding="utf-8").splitlines()) + 1)
    ]
    drawn: dict[tuple[Path, int], Fault] = {}
    while len(drawn) < number:
        place = dice.choice(lines)
        if place not in drawn and (faults := faults_of(*place)):
            drawn[place] = dice.choice(faults)
    return list(drawn.values())


# The tests nearest to a module


def module_name(path: Path) -> str:
    """Return a module's dotted name."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def importers() -> dict[str, set[Path]]:
    """Return for each module the files of product and tests that import it."""
    paths = [
        path.relative_to(TOP)
        for room in ("judgetool", "tests")
        for path in sorted((TOP / room).rglob("*.py"))
    ]
    known = {module_name(path) for path in paths}
    found = defaultdict(set)
    for path in paths:
        for node in ast.walk(ast.parse((TOP / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                for each in node.names:
                    found[each.name].add(path)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    whole = f"{node.module}.{each.name}"
                    found[whole if whole in known else node.module].add(path)
    return found


@cache
def words_of(path: Path) -> frozenset[str]:
    """Return the names and words of a file of the checkout."""
    return frozenset(_WORD.findall((TOP / path).read_text(encoding="utf-8")))


def nearest_tests(path: Path, imported_by: dict[str, set[Path]]) -> list[Path]:
    """Return test files, nearest to a module first.

    Its namesakes come first, then those that import it, then those that reach it through a
    window or a command; among each those that share most of its words come first, where rare
    words weigh more and long files do not.
    """
    tests = [each.relative_to(TOP) for each in sorted((TOP / "tests").rglob("test_*.py"))]
    n_with = Counter(word for each in tests for word in words_of(each))
    weights = {word: log(len(tests) / n) for word, n in n_with.items()}

    def distance(test: Path) -> tuple[bool, bool, float]:
        is_namesake = test.parts[1] == path.parts[1] and test.stem.startswith(f"test_{path.stem}")
        shared = sum(weights[word] for word in words_of(path) & words_of(test))
        length = sqrt(1 + sum(weights[word] ** 2 for word in words_of(test)))
        return not is_namesake, test not in imported_by[module_name(path)], -shared / length

    return sorted(tests, key=distance)[:MOST_TEST_FILES]


def try_fault(fault: Fault, tests: list[Path]) -> str:
    """Return the test that saw a fault, twice, and passes without it; empty where none did."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder) / "checkout"
        skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", ".hypothesis")
        shutil.copytree(TOP, top, ignore=skipped)
        if (TOP.parent / "shared").is_dir():
            (top.parent / "shared").symlink_to(TOP.parent / "shared")
        module, words = top / fault.path, [str(fault.path), *map(str, tests)]
        sound = module.read_text(encoding="utf-8")
        module.write_text(fault.text, encoding="utf-8")
        while seen := _first_failure(top, words):
            # One that fails once in a busy hour has seen the hour, and it may fail of itself.
            if "::" not in seen or _first_failure(top, [seen]):
                module.write_text(sound, encoding="utf-8")
                if not _first_failure(top, [seen]):
                    return seen
                module.write_text(fault.text, encoding="utf-8")
            words += ["--deselect", seen]
    return ""


def _first_failure(top: Path, words: list[str]) -> str:
    """Return which test of a checkout fails first; empty where none does in time."""
    fixed = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header", "-m", "not packaging"]
    try:
        told = subprocess.run(
            [sys.executable, "-m", "pytest", *fixed, *words],
            cwd=top,
            env={**os.environ, "PYTHONPATH": str(top), "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    if told.returncode == 0:
        return ""
    failed = re.search(
        r"^(?:FAILED|ERROR) ((?:tests|judgetool)/.*?)(?: - .*)?$", told.stdout, re.MULTILINE
    )
    return failed[1] if failed else f"pytest ended with {told.returncode}"


def main() -> int:
    """Draw, try, print; returns 1 where more than a tenth survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", help="hexadecimal; else the commit before HEAD says it")
    parser.add_argument("--only", type=int, help="try the fault of this number alone")
    given = parser.parse_args()
    command = ["git", "-C", str(TOP), "rev-parse", "HEAD~1"]
    seed = given.seed or subprocess.check_output(command, text=True)[:8]
    imported_by = importers()
    faults = draw(given.number, seed)
    survived = 0
    print(f"seed {seed}, {len(faults)} faults", flush=True)
    for number, fault in enumerate(faults):
        if given.only not in (None, number):
            continue
        saw = try_fault(fault, nearest_tests(fault.path, imported_by))
        survived += not saw
        what = " ".join(fault.before.split())[:60] + "  →  " + " ".join(fault.after.split())[:60]
        print(f"{number:3} {fault.path}:{fault.line}  {what}\n    {saw or 'SURVIVED'}", flush=True)
    print(f"{survived} of {len(faults)} survived")
    return int(survived * 10 > len(faults))


if __name__ == "__main__":
    sys.exit(main())
