"""Entry point: ``judgetool`` and ``python -m judgetool``."""

import sys

from judgetool.cli.main import run


def main() -> None:
    """Run the command line and end with its exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
