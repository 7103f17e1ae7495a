"""Draws small faults and tries whether the tests that touch them notice.

    python -m tests.mutants [--number 60] [--seed HEX] [--only N ...] [--jobs 2] [--list]

A fault is one changed operator, comparison, constant, condition or dropped statement in a
line of ``judgetool/``, drawn over all lines alike. Without ``--seed`` the draw follows from
the first 8 hex digits of the commit before ``HEAD``, so that nobody chooses it and anyone
can repeat it.

First the whole suite runs once on a copy of the checkout that notes which tests run through
the places drawn (``helpers/touching``), and in another copy it is kept how all looks here,
since pictures differ a little from machine to machine (``gui/looks``). Then each fault is made
in a copy; its module's examples, the tests that touch it (those of the files nearest to it by
name, imports and words first, then the others and the files that run through most of what was
drawn) and the files that are nearest to it so run until one fails. Prints each fault with the test that saw
it, or ``SURVIVED``: a test has seen it that fails twice with it and passes without it; where time ran
out before all had run, that is said. A line on which a comment ``# alike: …`` says why such
a change makes no difference is told apart (``ALIKE``), and does not count.

Not drawn is what no test could see, since it changes nothing that is run or only its speed:
annotations, what stands under ``TYPE_CHECKING``, ``__repr__``, how much a cache keeps, a
millisecond more of what is named so (``_REST_MS``, ``delay_ms``), and the options that only
refuse what types refuse already (``strict`` of ``zip``; ``frozen``, ``kw_only`` and ``slots`` of
a dataclass).
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from math import log, sqrt
from pathlib import Path

from tests.helpers.touching import Place, Teller, Touched

TOP = Path(__file__).resolve().parents[1]
MOST_TEST_FILES = 8
_NEAREST = 3
_NO_TESTS = 5
_WIDEST = 6
OUT_OF_TIME = "(not all tests that touch it ran: out of time)"
# So many tests take longer than the widest files.
_MANY = 400
MOST_SECONDS = 1200
MOST_SECONDS_OF_ALL = 7200
_LOOKS = Path("tests/gui/looks.txt")
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
_UNSEEN_OPTIONS = {
    "lru_cache": ("maxsize",),
    "zip": ("strict",),
    "dataclass": ("frozen", "kw_only", "slots"),
}


@dataclass(frozen=True)
class Fault:
    """A place in a module and what is made of it there."""

    path: Path
    line: int
    before: str
    after: str
    text: str
    place: Place

    def said(self) -> str:
        """Return the fault in one line."""
        before, after = (" ".join(part.split())[:60] for part in (self.before, self.after))
        return f"{self.path}:{self.line}  {before}  →  {after}"


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
    unseen = {
        id(part) for node in ast.walk(tree) for each in _unseen(node) for part in ast.walk(each)
    }
    found = []
    for node in ast.walk(tree):
        place = node.test if isinstance(node, ast.If | ast.While) else node
        if id(node) in unseen or getattr(place, "lineno", None) != line:
            continue
        for changed in _changed(node):
            fault = _write(path, text, node, changed)
            if fault is not None:
                found.append(fault)
    return found


def _unseen(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that no test could see changed."""
    if isinstance(node, ast.JoinedStr):
        yield node
    elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
        yield node.annotation
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from [node.returns] if node.returns is not None else []
        yield from [node] if node.name == "__repr__" else []
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        yield node
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        names = (getattr(each, "id", "") for each in node.targets)
        yield from [node.value] if any(name.endswith("_MS") for name in names) else []
    elif isinstance(node, ast.Call):
        unseen = _UNSEEN_OPTIONS.get(getattr(node.func, "id", ""), ())
        names = ((each.arg or "", each.value) for each in node.keywords)
        yield from (value for name, value in names if name in unseen or name.endswith("_ms"))


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
    # What a statement gives back or calls is the expression in it.
    inner = getattr(node, "value", None) if isinstance(node, ast.stmt) else node
    assert isinstance(inner, ast.expr)
    if inner is not node:
        start = sum(map(len, lines[: inner.lineno - 1])) + inner.col_offset
        end = sum(map(len, lines[: inner.end_lineno - 1])) + inner.end_col_offset
    path = path.relative_to(TOP)
    return Fault(path, node.lineno, before, after, result, Place(path, start, end))


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

    return sorted(tests, key=distance)


def copy_checkout(folder: str) -> Path:
    """Return a copy of the checkout in a folder, with the data that lie beside it."""
    top = Path(folder) / "checkout"
    skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", ".hypothesis")
    shutil.copytree(TOP, top, ignore=skipped)
    if (TOP.parent / "shared").is_dir():
        (top.parent / "shared").symlink_to(TOP.parent / "shared")
    return top


def touched_by(faults: Sequence[Fault], words: Sequence[str]) -> Mapping[int, Touched]:
    """Run the suite once and return which tests touch each fault, by its number."""
    with tempfile.TemporaryDirectory() as folder:
        top = copy_checkout(folder)
        teller = Teller(top, [fault.place for fault in faults])
        teller.write()
        run_tests(top, words, seconds=MOST_SECONDS_OF_ALL)
        return teller.read()


def looks_of_here() -> str:
    """Return how all looks on this machine while nothing is at fault, as ``gui/looks`` keeps it."""
    with tempfile.TemporaryDirectory() as folder:
        top = copy_checkout(folder)
        command = [sys.executable, "-m", "tests.gui.looks", "--keep"]
        subprocess.run(command, cwd=top, env=_environment(top), capture_output=True, check=True)
        return (top / _LOOKS).read_text(encoding="utf-8")


def order_tests(
    fault: Fault, touched: Touched, imported_by: dict[str, set[Path]], breadth: Mapping[str, int]
) -> list[str]:
    """Return the tests that may see a fault, then the files that are nearest to it.

    Args:
        fault: what is to be seen.
        touched: the tests that run through it.
        imported_by: what :func:`importers` returns.
        breadth: how many of all places each test runs through. Those of the three nearest files
            come first, then those that run through most: they look at most. The nearest file is
            first as a whole where none is from these, as of what runs when its module is imported.
            The files that look at most, whole, come last, as they take longest; but before the far
            tests where these are hundreds, of which few see more.
    """
    files = nearest_tests(fault.path, imported_by)
    places = {str(path): place for place, path in enumerate(files)}
    alone = [test for test in touched.tests if test.partition("::")[0] not in touched.files]

    def distance(test: str) -> tuple[int, int, int, str]:
        place = places.get(test.partition("::")[0], len(places))
        near = min(place, _NEAREST)
        return near, -breadth.get(test, 0), place, test

    tests = sorted((*alone, *touched.files), key=distance)
    n_near = sum(distance(test)[0] < _NEAREST for test in tests)
    nearest = [*map(str, files[: not n_near]), *tests[:n_near]]
    far, widest = tests[n_near:], widest_files(breadth)
    found = [*nearest, *far, *widest] if len(far) < _MANY else [*nearest, *widest, *far]
    return list(dict.fromkeys([*found, *map(str, files[:MOST_TEST_FILES])]))


def widest_files(breadth: Mapping[str, int]) -> list[str]:
    """Return the files of the tests that run through most of all places."""
    widest = Counter[str]()
    for test, n in breadth.items():
        path = test.partition("::")[0]
        widest[path] = max(widest[path], n)
    return [path for path, _ in widest.most_common(_WIDEST)]


def _rooms() -> list[str]:
    """Return the folders of tests, those last that start most processes: time may run out."""
    rooms = sorted(each.name for each in (TOP / "tests").iterdir() if any(each.glob("test_*.py")))
    slow = [room for room in ("cli", "hub", "packaging") if room in rooms]
    alone = sorted(str(each.relative_to(TOP)) for each in (TOP / "tests").glob("test_*.py"))
    return ["judgetool", *alone, *(f"tests/{room}" for room in rooms if room not in slow)] + [
        f"tests/{room}" for room in slow
    ]


def try_fault(fault: Fault, tests: list[str], looks: str) -> str:
    """Return the test that saw a fault, twice, and passes without it; see :func:`first_failure`.

    Args:
        fault: what is made.
        tests: what is run, in this order.
        looks: what :func:`looks_of_here` returns.
    """
    with tempfile.TemporaryDirectory() as folder:
        top = copy_checkout(folder)
        (top / _LOOKS).write_text(looks, encoding="utf-8")
        module, words, left_out = top / fault.path, [str(fault.path), *tests], list[str]()
        sound = module.read_text(encoding="utf-8")
        module.write_text(fault.text, encoding="utf-8")
        while seen := first_failure(top, words, left_out):
            if seen == OUT_OF_TIME:
                return seen
            # One that fails once in a busy hour has seen the hour, and it may fail of itself.
            if "::" not in seen or first_failure(top, [seen]):
                module.write_text(sound, encoding="utf-8")
                if not first_failure(top, [seen]):
                    return seen
                module.write_text(fault.text, encoding="utf-8")
            if seen in left_out:
                return ""
            left_out.append(seen)
            words = from_word_of(seen, words)
    return ""


def from_word_of(test: str, words: Sequence[str]) -> list[str]:
    """Return the words from that on which names a test, or its file: all before it have run.

    Examples:
        >>> from_word_of("tests/a.py::f", ["tests/b.py", "tests/a.py", "tests/c.py::g"])
        ['tests/a.py', 'tests/c.py::g']
    """
    place = next((n for n, each in enumerate(words) if f"{test}::".startswith(f"{each}::")), 0)
    return list(words[place:])


def first_failure(top: Path, words: Sequence[str], left_out: Iterable[str] = ()) -> str:
    """Return which test of a checkout fails first; empty where none does, ``OUT_OF_TIME`` where not all ran.

    A run that breaks off, since a fault takes the process with it, has failed at its last test; at
    the first of its words where it breaks off before any test, as what is imported may do.
    """
    code, told = run_tests(top, ["-x", "-v", "-n", "0", *words], left_out=left_out)
    if code is None:
        return OUT_OF_TIME
    if code in (0, _NO_TESTS):
        return ""
    failed = re.search(
        r"^(?:FAILED|ERROR) ((?:tests|judgetool)/.*?)(?: - .*)?$", told, re.MULTILINE
    )
    begun = re.findall(
        r"^((?:tests|judgetool)/\S.*?)(?: (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL)|$)",
        told,
        re.MULTILINE,
    )
    return failed[1] if failed else begun[-1] if begun else words[0]


def run_tests(
    top: Path, words: Sequence[str], *, left_out: Iterable[str] = (), seconds: int = MOST_SECONDS
) -> tuple[int | None, str]:
    """Run tests of a checkout; returns how the run ended, or None for out of time, and its words."""
    # Else pytest 9 drops a test from its place where its whole file follows later.
    fixed = ["-p", "no:cacheprovider", "--no-header", "-m", "not packaging", "--keep-duplicates"]
    chosen = top.parent / "chosen.txt"
    deselected = [f"--deselect={each}" for each in left_out]
    chosen.write_text("\n".join([*words, *deselected]), encoding="utf-8")
    try:
        told = subprocess.run(
            [sys.executable, "-m", "pytest", *fixed, f"@{chosen}"],
            cwd=top,
            env=_environment(top),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return told.returncode, told.stdout


def _environment(top: Path) -> dict[str, str]:
    shown = {"QT_QPA_PLATFORM": "offscreen", "JUDGETOOL_LOOKS": "yes"}
    return {**os.environ, **shown, "PYTHONPATH": str(top)}


def main() -> int:
    """Draw, try, print; returns 1 where more than a tenth survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", help="hexadecimal; else the commit before HEAD says it")
    parser.add_argument("--only", type=int, nargs="+", help="try the faults of these numbers alone")
    parser.add_argument("--jobs", type=int, default=2, help="so many processes")
    parser.add_argument("--list", action="store_true", help="print the draw, try nothing")
    given = parser.parse_args()
    command = ["git", "-C", str(TOP), "rev-parse", "HEAD~1"]
    seed = given.seed or subprocess.check_output(command, text=True)[:8]
    faults = draw(given.number, seed)
    numbers = range(len(faults)) if given.only is None else given.only
    chosen = {number: faults[number] for number in numbers}
    print(f"seed {seed}, {len(faults)} faults", flush=True)
    if given.list:
        print(*(f"{number:3} {each.said()}" for number, each in chosen.items()), sep="\n")
        return 0
    survived = try_all(chosen, given.jobs)
    print(f"{survived} of {len(chosen)} survived")
    return int(survived * 10 > len(chosen))


def is_argued(fault: Fault) -> bool:
    """Return whether the line of a fault says why a change there makes no difference."""
    lines = (TOP / fault.path).read_text(encoding="utf-8").splitlines()
    return "# alike: " in lines[fault.line - 1]


def try_all(chosen: Mapping[int, Fault], jobs: int) -> int:
    """Try faults by their numbers, print what becomes of each; return how many survived."""
    imported_by = importers()
    touched = touched_by(list(chosen.values()), ["-q", "-n", str(jobs), *_rooms()])
    by = [touched.get(place, Touched()) for place in range(len(chosen))]
    breadth = Counter(test for each in by for test in each.tests)
    tests = map(order_tests, chosen.values(), by, repeat(imported_by), repeat(breadth))
    looks = looks_of_here()
    survived = 0
    with ThreadPoolExecutor(jobs) as pool:
        saw = pool.map(try_fault, chosen.values(), tests, repeat(looks))
        for (number, fault), each, test in zip(chosen.items(), by, saw, strict=True):
            is_seen = test not in ("", OUT_OF_TIME)
            lives = "ALIKE" if is_argued(fault) else f"SURVIVED {test}".rstrip()
            survived += not (is_seen or is_argued(fault))
            told = test if is_seen else lives
            print(
                f"{number:3} {fault.said()}\n    {told}, touched by {len(each.tests)}", flush=True
            )
    return survived


if __name__ == "__main__":
    sys.exit(main())
