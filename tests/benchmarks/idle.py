"""What a window takes of a core while nobody touches it: every view, size, theme and text size."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from judgetool.session.imports.importing import make_sample
from tests.benchmarks.windows import own_home, print_machine
from tests.helpers.idle_window import LOOKS

SECONDS = 2.0


def main() -> None:
    """Print a line for every view."""
    print_machine()
    with own_home(), tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "sample.judge"
        make_sample(project)
        command = [sys.executable, "-m", "tests.helpers.idle_window", str(project), str(SECONDS)]
        for look in range(len(LOOKS)):
            chosen = [*command, "--look", str(look)]
            with subprocess.Popen(chosen, stdout=subprocess.PIPE, text=True) as process:
                for line in process.stdout or ():
                    _print_row(json.loads(line))


def _print_row(row: dict[str, Any]) -> None:
    did = ", ".join(f"{n} {name}" for name, n in row["events"].items()) or "no event"
    title = f"{row['view']}, {row['look']}"
    print(f"{title:<44} {row['share']:7.2%} of a core; {did}", flush=True)
