"""The focus view: grades on documents of 10 KB, and V between list and focus deep in a long text."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from judgetool.gui.actions import Mode
from judgetool.gui.main_window import MainWindow
from tests.benchmarks.latency import measure_with_pauses
from tests.benchmarks.scale_projects import FOLDER
from tests.benchmarks.windows import (
    Keys,
    Watch,
    opened,
    own_home,
    print_machine,
    show_times,
    wait_painted,
)

N_QUERIES = 8
N_DOCUMENTS = 40
LENGTH = 10_000
LONG = 10_000_000
N_SWITCHES = 20
# What a switch sets off beside the first frame may take so long, where a text is long.
QUIET_MS = 200
WORDS = ("leek", "soup", "potato", "cream", "stock", "butter", "slowly", "the", "of", "until")


def focus_project() -> Path:
    """Return a project with documents of 10 KB, and one of 10 MB as the last of each query."""
    project = FOLDER / "focus.judge"
    if project.exists():
        return project
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = Path(tempfile.mkdtemp())
    chance = random.Random(7)
    names = [f"d{number}" for number in range(N_DOCUMENTS)]
    with (parts / "documents.jsonl").open("w", encoding="utf-8") as file:
        for name, length in [*((name, LENGTH) for name in names), ("long", LONG)]:
            lines = _lines(chance, length)
            file.write(json.dumps({"id": name, "title": f"About {name}", "body": lines}) + "\n")
    queries = "".join(f"q{number}\tleek soup {number}\n" for number in range(N_QUERIES))
    (parts / "queries.tsv").write_text(queries, encoding="utf-8")
    run = "".join(
        f"q{query} Q0 {name} {rank} {100 - rank}.5 bench\n"
        for query in range(N_QUERIES)
        for rank, name in enumerate([*names, "long"], start=1)
    )
    (parts / "run.trec").write_text(run, encoding="utf-8")
    unfinished = project.with_suffix(".making.judge")
    unfinished.unlink(missing_ok=True)
    command = [sys.executable, "-m", "judgetool"]
    subprocess.run([*command, "new", str(unfinished), "--scale", "0-3"], check=True)
    files = ["--queries", "queries.tsv", "--run", "run.trec", "--documents", "documents.jsonl"]
    given = [each if each.startswith("--") else str(parts / each) for each in files]
    subprocess.run([*command, "import", str(unfinished), *given], check=True)
    unfinished.rename(project)
    shutil.rmtree(parts)
    return project


def _lines(chance: random.Random, length: int) -> str:
    lines, n_written = [], 0
    while n_written < length:
        lines.append(" ".join(chance.choices(WORDS, k=chance.randint(5, 120))))
        n_written += len(lines[-1]) + 1
    return "\n".join(lines)[:length]


def measure_switches(window: MainWindow, title: str, put: Callable[[], None]) -> None:
    """Press V again and again; print how long until the other view is painted, and at rest.

    Args:
        window: with an open project, in the list.
        title: of what is measured.
        put: brings the document to where it is read, before each switch.
    """
    painted, worked, longest, settled = [], [], [], []
    watch, keys = Watch(window), Keys(window)
    for _ in range(N_SWITCHES):
        put()
        watch.start()
        watch.wait(QUIET_MS)
        watch.start()
        keys.press("v")
        watch.wait(QUIET_MS)
        if not watch.frames:
            continue
        painted.append(watch.frames[0][0])
        worked.append(watch.frames[0][1])
        settled.append(watch.frames[-1][0])
        beats = [0.0, *(cpu for _, cpu in watch.frames)]
        longest.append(max(later - earlier for earlier, later in pairwise(beats)))
    show_times(f"{title} → painted", painted)
    show_times("    cpu → painted", worked)
    show_times("    longest beat, cpu", longest)
    show_times("    → at rest", settled)


def measure_focus(project: Path) -> None:
    """Drive the window and print what keys took."""
    copy = Path(tempfile.mkdtemp()) / project.name
    shutil.copy(project, copy)
    with opened(copy) as (window, _took):
        _measure(window)
    shutil.rmtree(copy.parent)


def _measure(window: MainWindow) -> None:
    window.views.show(Mode.FOCUS)
    wait_painted(window)
    keys = Keys(window)
    measure_with_pauses(
        window, "focus, 10 KB: grade, save, move on", lambda turn: keys.press("01"[turn % 2])
    )
    window.views.show(Mode.LIST)
    wait_painted(window)
    judging, text = window.view.judging, window.workspace.document.text
    measure_switches(window, "V, 10 KB, at the top", lambda: None)
    bar = text.verticalScrollBar()
    measure_switches(window, "V, 10 KB, half way", lambda: bar.setValue(bar.maximum() // 2))
    judging.move_to_end(is_last=True)
    wait_painted(window)
    measure_switches(
        window, "V, 10 MB passages, half way", lambda: bar.setValue(bar.maximum() // 2)
    )
    window.workspace.document.show_whole()
    text.finish()
    measure_switches(window, "V, 10 MB whole, half way", lambda: bar.setValue(bar.maximum() // 2))


def main() -> None:
    """Print everything."""
    print_machine()
    with own_home():
        measure_focus(focus_project())


if __name__ == "__main__":
    main()
