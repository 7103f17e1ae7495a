"""Holds Python's cycle collector while millions of texts are made, none of them in a cycle."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_collector() -> Iterator[None]:
    """Collect no cycles meanwhile: each look at all objects takes as long as there are many.

    It is off for the whole process, for as long as one file is read or one import
    written; who had it off already keeps it so. What was made is never looked at again:
    the first look would hold up the process for as long as all of it takes.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()
