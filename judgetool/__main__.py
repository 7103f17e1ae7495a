"""Entry point: ``judgetool`` and ``python -m judgetool``."""

import gc
import os
import sys
from collections.abc import Sequence

# What modules make while they load is no garbage, and to look through it is a tenth of the time until
# the window is there. With a project open the window looks more often.
_LOOK_AFTER = 200_000
_THREADS = "OPENBLAS_NUM_THREADS"


def main() -> None:
    """Run the command line and end with its exit code."""
    _run(sys.argv[1:])


def open_window() -> None:
    """Open the window, with a project where one is named; for desktops, which show no console."""
    _run(["open", *sys.argv[1:]])


def prepare() -> None:
    """Set what must be so before the first module is loaded."""
    gc.set_threshold(_LOOK_AFTER)
    if _THREADS not in os.environ:
        # No matrix here is so large that threads multiply it sooner, and to start them takes a third
        # of the time in which numpy loads. Programs that are started from here may want theirs.
        os.environ[_THREADS] = "1"
        import numpy as np  # noqa: F401, PLC0415 - reads it when it is loaded

        del os.environ[_THREADS]


def _run(arguments: Sequence[str]) -> None:
    prepare()
    from judgetool.cli.main import run  # noqa: PLC0415 - after what is prepared
    from judgetool.core.system import end_when_asked  # noqa: PLC0415 - likewise

    end_when_asked()
    code = run(arguments)
    # What is still there goes with the process, and need not be looked through once more.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
