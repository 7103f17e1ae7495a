"""Progress on a terminal; nothing where nobody watches."""

import contextlib
import sys
from collections.abc import Callable, Iterator

import click

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
    with click.progressbar(length=1, label=title, file=sys.stderr) as bar:

        def report(done: int, total: int) -> None:
            bar.length = max(1, total)
            bar.update(done - bar.pos)

        yield report
    # What follows takes the bar's place.
    click.echo("\x1b[1A\x1b[2K", nl=False, err=True)
