"""Which tests touch a place of the product: a run of the suite on a copy that tells of itself.

Each place is wrapped in a call that notes the test of the moment, also in processes that the
test starts. What runs when its module is imported (a constant, a default, a decorator) is
touched by the tests of those functions that read it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_NOTER = """
import os

_seen = set()


def touch(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if test and (number, test) not in _seen:
        _seen.add((number, test))
        try:
            at = os.open({notes!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(at, f"{{number}}\\t{{test}}\\n".encode())
            os.close(at)
        except OSError:
            _seen.discard((number, test))
"""
_MODULE = "judgetool/_touched.py"
_IMPORT = "from judgetool._touched import touch as _touch_\n"
_NOTE = re.compile(r"(\d+)\t(.+) \((setup|call|teardown)\)")
_MOST_READERS = 400
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Place:
    """An expression of a module, from byte to byte of its file."""

    path: Path
    start: int
    end: int


@dataclass
class Touched:
    """The tests that run through a place, and the files in whose fixtures it runs."""

    tests: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


class _Module:
    """A module's text, its tree, and where its nodes are in bytes."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset

    def has(self, node: ast.AST, place: Place) -> bool:
        start, end = self.span(node)
        return start <= place.start and place.end <= end

    def path_to(self, place: Place) -> list[ast.AST]:
        """Return the nodes around a place, the outermost first."""
        around = [each for each in ast.walk(self.tree) if hasattr(each, "lineno")]
        return [each for each in around if self.has(each, place)]

    def beginning_of(self, function: _Function, said: str) -> tuple[int, str]:
        """Return what says something first in a function, and where it is put."""
        body = function.body
        is_said = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        first = body[1] if is_said and len(body) > 1 else body[0]
        line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
        start = self._lines[line - 1]
        before = self.text[start : start + first.col_offset]
        if before.strip():
            return self.span(first)[0], f"{said}; "
        return start, f"{before.decode()}{said}\n"

    def top(self) -> int:
        """Return where the first import may be put."""
        for each in self.tree.body:
            is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if not is_text and getattr(each, "module", "") != "__future__":
                lines = [each, *getattr(each, "decorator_list", ())]
                return self._lines[min(line.lineno for line in lines) - 1]
        return len(self.text)


class Teller:
    """Writes into a copy of the checkout that it tells who touches the places.

    Args:
        top: the copy; it is changed.
        places: what is looked for, with paths from the copy's top.
    """

    def __init__(self, top: Path, places: Iterable[Place]) -> None:
        self._top, self._places = top, list(places)
        self.notes = top.parent / "touched.txt"
        paths = sorted((top / "judgetool").rglob("*.py"))
        self._modules = {path.relative_to(top): _Module(path.read_bytes()) for path in paths}
        self._put: defaultdict[Path, list[tuple[int, int, str]]] = defaultdict(list)

    def write(self) -> None:
        """Write the copy's modules anew."""
        for number, place in enumerate(self._places):
            self._note(number, place)
        for path, put in self._put.items():
            module = self._modules[path]
            text = _with(module.text, [*put, (module.top(), -1, _IMPORT)])
            (self._top / path).write_bytes(text)
        (self._top / _MODULE).write_text(_NOTER.format(notes=str(self.notes)), encoding="utf-8")

    def _note(self, number: int, place: Place) -> None:
        module, said = self._modules[place.path], f"_touch_({number})"
        around = module.path_to(place)
        runs = [each for each in around if _runs(module, each, place)]
        if not runs:
            for path, function in self._readers(place, around):
                at, put = self._modules[path].beginning_of(function, said)
                self._put[path].append((at, number, put))
            return
        wrap = [(place.start, number, f"({said}, ("), (place.end, -number, "))[1]")]
        if _is_sound(_with(module.text, wrap)):
            self._put[place.path] += wrap
        elif isinstance(runs[-1], _Function):
            at, put = module.beginning_of(runs[-1], said)
            self._put[place.path].append((at, number, put))

    def _readers(self, place: Place, around: list[ast.AST]) -> Iterator[tuple[Path, _Function]]:
        """Yield the functions that read what is made of a place at import."""
        headed = [each for each in around if isinstance(each, _Function)]
        if headed:
            yield place.path, headed[-1]
            return
        names = _names(self._modules[place.path].tree, around)
        n_found = 0
        for path in sorted(self._modules, key=lambda path: path != place.path):
            for function in ast.walk(self._modules[path].tree):
                if isinstance(function, _Function) and names & _mentioned(function):
                    yield path, function
                    n_found += 1
                    if n_found == _MOST_READERS:
                        return

    def read(self) -> Mapping[int, Touched]:
        """Return what was noted, by the number of the place."""
        found: defaultdict[int, Touched] = defaultdict(Touched)
        noted = self.notes.read_text(encoding="utf-8") if self.notes.exists() else ""
        for line in noted.splitlines():
            if note := _NOTE.fullmatch(line):
                place, test = found[int(note[1])], note[2]
                place.tests.add(test)
                if note[3] == "setup":
                    place.files.add(test.partition("::")[0])
        return found


def _with(text: bytes, put: Iterable[tuple[int, int, str]]) -> bytes:
    for at, _order, more in sorted(put, key=lambda each: each[:2], reverse=True):
        text = text[:at] + more.encode() + text[at:]
    return text


def _is_sound(text: bytes) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _runs(module: _Module, node: ast.AST, place: Place) -> bool:
    """Return whether a place is run when a function is, not when this is made."""
    if isinstance(node, ast.Lambda):
        return module.has(node.body, place)
    return isinstance(node, _Function) and any(module.has(each, place) for each in node.body)


def _names(tree: ast.Module, around: list[ast.AST]) -> set[str]:
    """Return the names that stand for a place, also over others made of it at import."""
    statement = next((each for each in reversed(around) if isinstance(each, ast.stmt)), None)
    names = _targets(statement)
    while True:
        more = {
            name
            for each in tree.body
            if isinstance(each, ast.Assign | ast.AnnAssign) and names & _mentioned(each)
            for name in _targets(each)
        }
        if more <= names:
            return names
        names |= more


def _targets(statement: ast.AST | None) -> set[str]:
    if isinstance(statement, ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.AnnAssign):
        parts: list[ast.expr] = [statement.target]
    else:
        parts = list(getattr(statement, "targets", ()))
    return {each.id for part in parts for each in ast.walk(part) if isinstance(each, ast.Name)}


@cache
def _mentioned(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
