"""Entry point: ``judgetool`` and ``python -m judgetool``."""

import gc
import os
import sys
from collections.abc import Sequence

# What modules make while they load is no garbage, and to look through it is a tenth of the time until
# the window is there. With a project open the window looks more often.
_LOOK_AFTER = 200_000


def main() -> None:
    """Run the command line and end with its exit code."""
    _run(sys.argv[1:])


def open_window() -> None:
    """Open the window, with a project where one is named; for desktops, which show no console."""
    _run(["open", *sys.argv[1:]])


def _run(arguments: Sequence[str]) -> None:
    gc.set_threshold(_LOOK_AFTER)
    # Threads for the products of large matrices: there are none here, and to start them takes a third
    # of numpy's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # After what must be so before the first module loads.
    from judgetool.cli.main import run  # noqa: PLC0415

    code = run(arguments)
    # What is still there goes with the process, and need not be looked through once more.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
