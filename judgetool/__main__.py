"""Entry point: ``judgetool`` and ``python -m judgetool``."""

import sys

from judgetool.cli.main import run


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run(sys.argv[1:]))


def open_window() -> None:
    """Open the window, with a project where one is named; for desktops, which show no console."""
    sys.exit(run(["open", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
