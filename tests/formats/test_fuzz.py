"""Whatever bytes come, a reader gives a reading or a sentence, never a traceback."""

import contextlib
import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.errors import InputError
from judgetool.formats import Kind, read_stream
from tests.helpers.formats import DATA

_SEEDS = [path.read_bytes() for path in sorted(DATA.iterdir())]

_pieces = st.one_of(
    st.sampled_from(
        [b"\n", b"\r", b"\t", b" ", b",", b'"', b"#", b"\0", b"{", b"}", b"\xff", b"\x1f\x8b"]
    ),
    st.binary(max_size=6),
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A sample with some bytes replaced, cut out or put in."""
    data = draw(st.sampled_from(_SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 12)))
        data = data[:start] + draw(_pieces) + data[stop:]
    return draw(st.sampled_from([data, gzip.compress(data), data[: len(data) // 2]]))


@settings(max_examples=300, deadline=None)
@given(st.one_of(mutated(), st.binary(max_size=200)), st.sampled_from([None, *Kind]))
def test_any_bytes_give_a_reading_or_a_sentence(data, kind):
    """Broken files of every format end in a reading or in an InputError."""
    with contextlib.suppress(InputError):
        reading = read_stream(io.BytesIO(data), kind=kind)
        assert reading.n_refused >= len(reading.refusals)


@pytest.mark.parametrize("kind", [None, *Kind])
@pytest.mark.parametrize("sample", sorted(path.name for path in DATA.iterdir()))
def test_samples_cut_anywhere_give_a_reading_or_a_sentence(sample, kind):
    """A file that was cut off at any byte is read as far as it goes, or refused in a sentence."""
    data = (DATA / sample).read_bytes()
    for end in range(0, len(data), 3):
        with contextlib.suppress(InputError):
            read_stream(io.BytesIO(data[:end]), kind=kind)
