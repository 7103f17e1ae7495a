"""``python -m tests.benchmarks NAME``: run one benchmark, or all; figures are printed, nothing is asserted."""

import importlib
import sys

# Name on the command line to module; "import" is a word of Python.
NAMES = {
    "latency": "latency",
    "focus": "focus",
    "judging": "judging",
    "score": "score",
    "import": "imports",
    "whatif": "whatif",
    "whatif-window": "whatif_window",
}


def main(names: list[str]) -> int:
    """Run the named benchmarks; exit code 2 for a name that there is not."""
    wanted = names or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(NAMES)}.")
        return 2
    for name in wanted:
        importlib.import_module(f"tests.benchmarks.{NAMES[name]}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
