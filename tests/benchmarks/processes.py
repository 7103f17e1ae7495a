"""Commands run one after the other, round by round: seconds and peak memory of each."""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Taken:
    """What a command took, round by round.

    Attributes:
        seconds: from its start to its end.
        megabytes: most memory that it held.
    """

    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


def run_rounds(commands: Mapping[str, Sequence[str]], *, n_rounds: int) -> dict[str, Taken]:
    """Run each command once a round, so that all meet the same hindrances.

    Python keeps what it compiled, as it does for installed packages; a first round,
    which is not counted, makes it and fills the system's file cache.

    Raises:
        subprocess.CalledProcessError: a command did not end well.
    """
    taken = {name: Taken() for name in commands}
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(n_rounds + 1):
            for name, command in commands.items():
                began = time.perf_counter()
                process = subprocess.Popen(
                    command,
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if process.returncode:
                    raise subprocess.CalledProcessError(process.returncode, command)
                if number:
                    taken[name].seconds.append(time.perf_counter() - began)
                    taken[name].megabytes.append(usage.ru_maxrss / 1024)
    return taken


def print_taken(taken: Mapping[str, Taken], *, ours: str) -> None:
    """Print each command's median, least and memory, and the share that ours takes of it."""
    print(f"  {'':<42}{'median s':>9}{'least s':>9}{'peak MB':>9}{'ours /':>9}")
    for name, each in taken.items():
        shares = [a / b for a, b in zip(taken[ours].seconds, each.seconds, strict=True)]
        share = "" if name == ours else f"{statistics.median(shares):9.2f}"
        print(
            f"  {name:<42}{statistics.median(each.seconds):9.2f}{min(each.seconds):9.2f}"
            f"{max(each.megabytes):9.0f}{share}",
            flush=True,
        )
