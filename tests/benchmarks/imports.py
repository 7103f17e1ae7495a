"""Imports of full size: seconds, processor time and peak memory of the command; blocks of the window."""

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.scale_projects import scale_data


def show_import(title: str, *files: str) -> None:
    """Import files into an empty project and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "scale.judge"
        command = [sys.executable, "-m", "judgetool"]
        # Backups and the safety log are written too, but not beside the person's own.
        environment = {**os.environ, "JUDGETOOL_HOME": str(Path(folder) / "home")}
        subprocess.run(
            [*command, "new", str(project)], check=True, capture_output=True, env=environment
        )
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "import", str(project), *files],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        size = project.stat().st_size / 1e6
    cpu = used.ru_utime + used.ru_stime
    peak = used.ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    ended = "" if process.returncode == 0 else f"  ended with {process.returncode}"
    print(
        f"{title:<34} {seconds:7.1f} s  {cpu:7.1f} s of processor  {peak:7.0f} MB peak  "
        f"{size:7.0f} MB project{ended}",
        flush=True,
    )


def main() -> None:
    """Print what each import took."""
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        print(f"memory is limited to {soft / 1e6:,.0f} MB")
    if (msmarco := scale_data("msmarco")) is not None:
        show_import("6.98 million results, one run", "--run", str(msmarco / "run.trec"))
    if (pool := scale_data("pool")) is not None:
        runs = sorted((pool / "runs").iterdir())
        show_import("20 runs of 50,000", *(word for run in runs for word in ("--run", str(run))))
    if (corpus := scale_data("corpus")) is not None:
        documents = next(
            path for path in sorted(corpus.iterdir()) if path.suffix in (".jsonl", ".tsv", ".csv")
        )
        show_import("1,000,000 documents", "--documents", str(documents))
