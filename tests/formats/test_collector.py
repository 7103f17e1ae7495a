"""The cycle collector is held while a file is read, and left as it was."""

import gc

import pytest

from judgetool.errors import ParseError
from judgetool.formats import Kind, read_text
from judgetool.formats.reading import held_collector


def test_the_collector_is_off_only_meanwhile():
    """Within it nothing is collected; afterwards it is on again, also after a failure."""
    with held_collector():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ParseError):
        read_text("q Q0 d 1 x t\n", kind=Kind.RUN)
    assert gc.isenabled()


def test_who_had_it_off_keeps_it_off():
    """A program that collects at moments of its own choosing is not meddled with."""
    gc.disable()
    try:
        with held_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
