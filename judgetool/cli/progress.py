"""Progress on a terminal; nothing where nobody watches."""

import contextlib
import sys
from collections.abc import Callable, Iterator

Report = Callable[[int, int], None]


@contextlib.contextmanager
def shown_progress(title: str) -> Iterator[Report | None]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    Args:
        title: what is being done, such as ``Reading bm25.run``.

    Yields:
        What to call with how much of how much is done; ``None`` without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total or None)

        yield report
