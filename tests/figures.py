"""How large the house is, and how far a grade key travels in it: figures anyone can print.

    python tests/figures.py [CHECKOUT ...]

prints one column for each checkout, without an argument for this one. It imports nothing of
judgetool, so that it measures older versions as they are. What it counts:

- code: lines of ``judgetool/`` and of the code in ``resources/`` that are neither blank nor
  comment nor docstring (as cloc counts); AST nodes of the Python among them; files.
- key: Python functions of ``judgetool/`` that run on any thread, and the files they are in,
  from a grade key in a window of 1100 × 700 (offscreen, the sample project) until the writer has
  said that the judgment is durable, until the key's handler returns, and until the window
  has been painted. The median of nine keys after three to warm up.
- names: public names of classes that are defined in more than one module.
- thin: modules under 100 lines that exactly one other module imports.
- painters: modules that define a ``paintEvent``.
"""

import ast
import io
import os
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

CODE = {".py", ".sql", ".js", ".css", ".html"}
THIN = 100
N_WARM, N_KEYS = 3, 9
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_files(top: Path) -> list[Path]:
    """Return the files of code of a checkout, without its tests."""
    rooms = (top / "judgetool", top / "resources")
    found = (path for room in rooms for path in sorted(room.rglob("*")))
    return [path for path in found if path.suffix in CODE and "__pycache__" not in path.parts]


def count_code(text: str) -> int:
    """Return how many lines of a Python text are neither blank, comment nor docstring."""
    is_code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            is_code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            is_code.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(is_code)


def measure_size(top: Path) -> dict[str, int]:
    """Return lines of code, AST nodes and files."""
    lines = nodes = 0
    files = code_files(top)
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            lines += count_code(text)
            nodes += sum(1 for _ in ast.walk(ast.parse(text)))
        else:
            lines += sum(1 for line in text.splitlines() if line.strip())
    return {"lines of code": lines, "AST nodes": nodes, "files": len(files)}


class Module:
    """A module of the product: its name, text and tree."""

    def __init__(self, top: Path, path: Path) -> None:
        parts = path.relative_to(top).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    def imported(self, known: set[str]) -> Iterator[str]:
        """Yield the known modules that this one imports, anywhere in it."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names if each.name in known)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    whole = f"{node.module}.{each.name}"
                    yield whole if whole in known else node.module

    def classes(self) -> Iterator[str]:
        """Yield the names of its public classes."""
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def measure_shape(top: Path) -> dict[str, int]:
    """Return what the imports and names of the house show."""
    modules = [Module(top, path) for path in code_files(top) if path.suffix == ".py"]
    known = {module.name for module in modules}
    importers = defaultdict(set)
    for module in modules:
        for name in module.imported(known):
            if name != module.name:
                importers[name].add(module.name)
    classes = Counter(name for module in modules for name in set(module.classes()))
    thin = [
        module.name
        for module in modules
        if len(importers[module.name]) == 1 and len(module.text.splitlines()) < THIN
    ]
    return {
        "class names of two meanings": sum(n > 1 for n in classes.values()),
        "thin modules of one importer": len([name for name in thin if name in known]),
        "modules that paint by hand": sum("def paintEvent" in module.text for module in modules),
    }


# A key's way, in a process of the checkout's own


class Trace:
    """Counts the calls of Python functions that stand beneath a folder, on all threads."""

    def __init__(self, inside: Path) -> None:
        self._inside = str(inside) + os.sep
        self.calls = 0
        self.files: set[str] = set()
        self.is_on = False
        self.marks: dict[str, tuple[int, int]] = {}

    def profile(self, frame, event: str, _arg: object) -> None:
        """Take a call in; for ``sys.setprofile``."""
        if not self.is_on:
            return
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(self._inside):
            self.calls += 1
            self.files.add(code.co_filename)
        elif event == "return" and code is Future.set_result.__code__:
            # The writer's thread hands over what the key waits for.
            self.mark("durable")

    def start(self) -> None:
        """Begin anew."""
        self.calls, self.files, self.marks, self.is_on = 0, set(), {}, True

    def mark(self, name: str) -> None:
        """Note where the count stands."""
        self.marks.setdefault(name, (self.calls, len(self.files)))


def trace_keys(top: Path) -> None:
    """Print calls and files of each part of a key's way, a line a key."""
    import threading  # noqa: PLC0415 - this process alone needs it

    trace = Trace(top / "judgetool")
    threading.setprofile(trace.profile)
    from PySide6.QtCore import QEventLoop, QTimer  # noqa: PLC0415
    from PySide6.QtTest import QTest  # noqa: PLC0415

    from judgetool.gui.app import make_application  # noqa: PLC0415
    from judgetool.gui.main_window import MainWindow  # noqa: PLC0415

    def rest(ms: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(ms, loop.quit)
        loop.exec()

    application = make_application()
    window = MainWindow(assessor="figures", theme="light")
    window.apply_theme()
    window.resize(1100, 700)
    window.show()
    window.try_open(Path(sys.argv[3]))
    rest(1500)
    for turn in range(N_WARM + N_KEYS):
        loop = QEventLoop()

        def painted(loop: QEventLoop = loop) -> None:
            trace.mark("painted")
            loop.quit()

        window.painted.connect(painted)
        trace.start()
        sys.setprofile(trace.profile)
        QTest.keyClick(window.focusWidget() or window, "01"[turn % 2])
        trace.mark("handled")
        loop.exec()
        sys.setprofile(None)
        trace.is_on = False
        window.painted.disconnect(painted)
        if turn >= N_WARM:
            marks = (trace.marks[name] for name in ("durable", "handled", "painted"))
            print(*(number for mark in marks for number in mark), flush=True)
        rest(400)
    window.close()
    application.processEvents()


def measure_keys(top: Path) -> dict[str, int]:
    """Return calls and files from a grade key to disk and to the screen."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PYTHONPATH": str(top), "QT_QPA_PLATFORM": "offscreen"}
        env["JUDGETOOL_HOME"] = folder + "/home"
        project = Path(folder) / "sample.judge"
        sample = top / "resources" / "sample"
        runs = [str(path) for path in sorted((sample / "runs").glob("*.run"))]
        texts = ["--queries", sample / "queries.jsonl", "--documents", sample / "documents.jsonl"]
        for words in (
            ["new", project],
            ["import", project, *texts, "--run", *runs],
            ["import", project, "--qrels", sample / "judgments.csv"],
        ):
            command = [sys.executable, "-m", "judgetool", *map(str, words)]
            subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
        command = [sys.executable, __file__, "--trace", str(top), str(project)]
        told = subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    keys = [tuple(map(int, line.split())) for line in told.stdout.decode().splitlines()]
    middle = [round(statistics.median(column)) for column in zip(*keys, strict=True)]
    names = [
        f"grade key → {where}: {what}"
        for where in ("durable", "handled", "painted")
        for what in ("calls", "files")
    ]
    return dict(zip(names, middle, strict=True))


def main() -> None:
    """Print the figures, a column for each checkout."""
    tops = [Path(word).resolve() for word in sys.argv[1:]] or [Path(__file__).resolve().parents[1]]
    columns = [{**measure_size(top), **measure_keys(top), **measure_shape(top)} for top in tops]
    print(" " * 34, *(f"{top.name:>12}" for top in tops))
    for name in columns[0]:
        print(f"{name:<34}", *(f"{column[name]:>12,}" for column in columns))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        trace_keys(Path(sys.argv[2]))
    else:
        main()
