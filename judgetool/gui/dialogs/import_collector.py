"""Keeps Python's cycle collector from stopping the window while an import is in memory.

A full collection looks at every object: with 100,000 documents and 200,000 judgments
in memory it stops all threads for 0.2 s (measured), again and again while they grow.
None of them is part of a cycle, so nothing is lost by not looking.
"""

import gc


class CollectorPause:
    """No full collections between :meth:`begin` and :meth:`end`; young objects are collected.

    Several may overlap; the last one to end lets the collector go on as before.
    """

    _open: set["CollectorPause"] = set()  # noqa: RUF012 - one for the process, as the collector is
    _before: tuple[int, int, int] = (0, 0, 0)

    def begin(self) -> None:
        """Begin, unless it has begun already."""
        if not CollectorPause._open:
            CollectorPause._before = gc.get_threshold()
            young, middle, _ = CollectorPause._before
            gc.set_threshold(young, middle, 1_000_000_000)
        CollectorPause._open.add(self)

    def end(self) -> None:
        """End, if it has begun; what is in memory now is not looked at again."""
        if self not in CollectorPause._open:
            return
        CollectorPause._open.discard(self)
        if not CollectorPause._open:
            # What was read stays for as long as the project is open, or goes by itself.
            gc.freeze()
            gc.set_threshold(*CollectorPause._before)
