"""Entry point: ``judgetool`` and ``python -m judgetool``."""

import gc
import sys

from judgetool.cli.main import run

# What modules make while they load is no garbage, and to look through it is a tenth of the time until
# the window is there. With a project open the window looks more often.
_LOOK_AFTER = 200_000


def main() -> None:
    """Run the command line and end with its exit code."""
    gc.set_threshold(_LOOK_AFTER)
    sys.exit(run(sys.argv[1:]))


def open_window() -> None:
    """Open the window, with a project where one is named; for desktops, which show no console."""
    gc.set_threshold(_LOOK_AFTER)
    sys.exit(run(["open", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
