"""How fast one can judge: judgments a minute, and grading key to next document painted.

Documents have 10 KB of text each; 1,500 keys grade 1,500 of them, once in the list and
once in focus. ``painted`` is the frame that shows the next document, after
the commit; between keys the window has 25 ms of quiet, as with a quick person.
``flat out`` the next key comes as soon as that frame is there.
"""

import time

from judgetool.core.judgments import Document, Query
from judgetool.gui.actions import Mode
from judgetool.gui.main_window import MainWindow
from judgetool.session.pool import PoolPolicy, set_pool
from tests.benchmarks.windows import (
    PAUSE_MS,
    Keys,
    Watch,
    opened,
    own_home,
    print_machine,
    show_times,
    wait_painted,
    wait_until_idle,
)
from tests.helpers.builders import Parts, make_project

N_QUERIES, N_DOCUMENTS, N_KEYS = 20, 100, 500
TEXT_BYTES = 10_000
_WORDS = (
    "A thick lentil soup with carrots, cumin and lemon; simmer until soft and serve it hot. "
    "Keeps three days in the fridge and freezes well. "
)


def large_parts() -> Parts:
    """Return a project of 2,000 pairs, the documents with 10 KB of text each."""
    body = (_WORDS * (TEXT_BYTES // len(_WORDS) + 1))[:TEXT_BYTES]
    documents = [
        Document(f"d{n}", f"Lentil soup {n}", f"https://recipes.example/{n}", f"Recipe {n}. {body}")
        for n in range(N_DOCUMENTS)
    ]
    queries = [
        Query(f"q{n}", f"lentil soup {n}", "A soup for cold days.") for n in range(N_QUERIES)
    ]
    ranked = [document.id for document in documents]
    backwards = ranked[::-1]
    return Parts(
        queries,
        documents,
        {
            "alpha": {query.id: ranked for query in queries},
            "beta": {query.id: backwards for query in queries},
        },
    )


def grade_key(turn: int) -> str:
    """Return a grading key; never the same twice running, since a bounce would be one."""
    return "0123"[turn % 4]


def count_judgments(window: MainWindow) -> int:
    """Return how many judgments the project has."""
    return len(window.session.iter_judgments())


def measure_mode(window: MainWindow, mode: Mode) -> None:
    """Grade with pauses, then flat out, and print what it took."""
    window.views.show(mode)
    wait_painted(window)
    keys = Keys(window)
    before = count_judgments(window)
    watch, painted, cpu = Watch(window), [], []
    for turn in range(N_KEYS):
        watch.start()
        keys.press(grade_key(turn))
        watch.wait(PAUSE_MS)
        if watch.frames:
            painted.append(watch.frames[0][0])
            cpu.append(watch.frames[0][1])
    show_times(f"{mode}: grade → next document painted", painted)
    show_times("    cpu", cpu)
    began = time.perf_counter()
    for turn in range(N_KEYS):
        keys.press(grade_key(turn))
        wait_painted(window)
    took = time.perf_counter() - began
    print(f"{mode}: flat out {N_KEYS / took * 60:,.0f} judgments a minute, each painted")
    began = time.perf_counter()
    for turn in range(N_KEYS):
        keys.press(grade_key(turn))
    n_wanted = before + 3 * N_KEYS
    while count_judgments(window) < n_wanted and wait_painted(window):
        pass
    took = time.perf_counter() - began
    print(f"{mode}: keys alone {N_KEYS / took * 60:,.0f} judgments a minute, each on the disk")
    kept = count_judgments(window) - before
    print(f"{mode}: {3 * N_KEYS} keys gave {kept} judgments")


def main() -> None:
    """Print everything."""
    print_machine()
    for mode in (Mode.LIST, Mode.FOCUS):
        with own_home() as home:
            with make_project(home, large_parts(), assessor="bench", name=str(mode)) as session:
                path = session.path
                session.execute(set_pool(PoolPolicy("depth", 1_000_000)))
            with opened(path) as (window, _took):
                wait_until_idle(window)
                measure_mode(window, mode)
