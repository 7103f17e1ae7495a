"""Whatever bytes come, a reader gives a reading or a sentence, never a traceback."""

import contextlib
import gzip
import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.errors import InputError
from judgetool.formats import JudgmentTable, Kind, Reading, read_stream
from judgetool.formats.names import ROLES
from tests.helpers.formats import DATA
from tests.helpers.laws import examples

_FILES = sorted(path.name for path in DATA.iterdir() if path.is_file())
_SEEDS = [(DATA / name).read_bytes() for name in _FILES]
_TEXTS = [name for name in _FILES if not name.endswith((".xlsx", ".parquet"))]
_answers = st.fixed_dictionaries(
    {},
    optional={
        "column_two": st.sampled_from(["assessor", "subtopic", "subtopic-queries", "?"]),
        "third_column": st.sampled_from(["rank", "score", "grade"]),
        "numbers": st.sampled_from(["score", "grade"]),
        "id_and_text": st.sampled_from(["queries", "documents"]),
        "header": st.sampled_from(["yes", "no"]),
    },
)
_roles = st.dictionaries(
    st.sampled_from(["query", "doc_id", "text", "id", "title", "column 1", "column 2"]),
    st.sampled_from(sorted({role for roles in ROLES.values() for role in roles})),
    max_size=3,
)

_pieces = st.one_of(
    st.sampled_from(
        [
            *(b"\n", b"\r", b"\t", b" ", b",", b'"', b"#", b"\0", b"{", b"}", b"\xff"),
            *(b"\x1f\x8b", b"[", b"]", b":", b"<", b">", b"<top>", b"</DOC>", b"\\ud800"),
            *(b"null", b"NaN", b"1e999", b"qid:", b"\\u0000", b"&x;", b"PAR1", b"PK\x03\x04"),
        ]
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


@settings(max_examples=examples(300))
@given(
    st.one_of(mutated(), st.binary(max_size=200)), st.sampled_from([None, *Kind]), _answers, _roles
)
def test_any_bytes_give_a_reading_or_a_sentence(data, kind, answers, roles):
    """Broken files of every format end in a reading or in an InputError, whatever was said."""
    with contextlib.suppress(InputError):
        reading = read_stream(
            io.BytesIO(data), kind=kind, answers=answers, column_roles=roles, grade_map={"E": 3}
        )
        assert reading.n_refused >= len(reading.refusals)
        check_storable(reading)


def check_storable(reading: Reading) -> None:
    """Whatever was read has ids, has a UTF-8 form, and holds no NUL."""
    table = reading.judgments or JudgmentTable()
    runs = [
        identifier for run in reading.runs for identifier in (*run.query_ids, *run.document_ids)
    ]
    queries = [query.id for query in reading.queries]
    documents = [document.id for document in reading.documents]
    ids = [*queries, *documents, *runs, *table.query_ids, *table.document_ids]
    assert all(ids)
    assert len(set(queries)) == len(queries)
    assert len(set(documents)) == len(documents)
    texts = [*ids, *table.notes, *(query.text for query in reading.queries)]
    texts += [text for document in reading.documents for text in document.fields.values()]
    assert "\0" not in "".join(texts)
    "".join(texts).encode()
    assert all(grade is None or math.isfinite(grade) for grade in table.grades)


@pytest.mark.parametrize("kind", [None, *Kind])
@pytest.mark.parametrize("sample", _TEXTS)
def test_samples_cut_anywhere_give_a_reading_or_a_sentence(sample, kind):
    """A file that was cut off at any byte is read as far as it goes, or refused in a sentence."""
    data = (DATA / sample).read_bytes()
    for end in range(0, len(data), 1 + len(data) // 60):
        with contextlib.suppress(InputError):
            read_stream(io.BytesIO(data[:end]), kind=kind)
