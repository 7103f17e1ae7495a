"""``python -m tests.benchmarks NAME``: run one benchmark, or all; figures are printed, nothing is asserted.

Those of the window run twice, each in a process of its own: without a screen, and on a real
X display, which is started for them. ``--platform offscreen`` or ``--platform xcb`` runs one.
How many people a hub has, for how long, and how many lines: ``hub --assessors 200 --seconds 600 --events 10000000``.
"""

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.helpers.screens import NO_XVFB, has_xvfb, x_display

if TYPE_CHECKING:
    from collections.abc import Sequence

# Name on the command line to module; "import" is a word of Python.
NAMES = {
    "start": "start",
    "agreement": "agreement",
    "estimates": "estimates",
    "decide": "decide",
    "merge": "merging",
    "hub": "hub",
    "hub-latency": "hub_latency",
    "latency": "latency",
    "focus": "focus",
    "judging": "judging",
    "idle": "idle",
    "score": "score",
    "import": "imports",
    "import-window": "import_window",
    "whatif": "whatif",
    "whatif-window": "whatif_window",
    "compare-window": "compare_window",
}
OF_WINDOW = {
    *("start", "latency", "focus", "judging", "idle", "import-window", "whatif-window"),
    *("compare-window", "hub-latency"),
}
PLATFORMS = ("offscreen", "xcb")
NUMBERS = ("--assessors", "--seconds", "--events")
"""How large the load of a hub is."""


def main(words: list[str]) -> int:
    """Run the named benchmarks; exit code 2 for a name that there is not."""
    platforms: Sequence[str] = PLATFORMS
    if "--platform" in words:
        place = words.index("--platform")
        platforms = words[place + 1 : place + 2]
        words = words[:place] + words[place + 2 :]
        if not set(platforms) < set(PLATFORMS):
            print(f"--platform: there are {' and '.join(PLATFORMS)}.")
            return 2
    sizes = {}
    for name in NUMBERS:
        if name in words:
            place = words.index(name)
            sizes[name.removeprefix("--")] = int(words[place + 1])
            words = words[:place] + words[place + 2 :]
    wanted = words or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(NAMES)}.")
        return 2
    for name in wanted:
        for platform in platforms if name in OF_WINDOW else ("",):
            run_one(name, platform, sizes if name == "hub" else {})
    return 0


def run_one(name: str, platform: str, sizes: dict[str, int]) -> None:
    """Run a benchmark: of the window on a platform in a process of its own, others here."""
    module = f"tests.benchmarks.{NAMES[name]}"
    if not platform:
        importlib.import_module(module).main(**sizes)
        return
    print(f"\n{name}, {platform}", flush=True)
    command = [sys.executable, "-c", f"import {module} as found; found.main()"]
    environment = {**os.environ, "QT_QPA_PLATFORM": platform}
    if platform != "xcb":
        subprocess.run(command, env=environment, check=True)
    elif not has_xvfb():
        print(f"left out: {NO_XVFB}")
    else:
        with x_display() as display:
            subprocess.run(command, env={**environment, "DISPLAY": display}, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
