"""Broken files of every format: a reading or a sentence, soon, and in little memory."""

import contextlib
import gzip
import io
import time
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.errors import InputError, ParseError
from judgetool.formats import Kind, containers, read_stream, search_responses
from tests.formats.mutations import SAMPLES, spoilt_packages, spoilt_texts
from tests.formats.test_fuzz import check_storable
from tests.helpers.laws import examples

# Of this process alone: the machine may be busy.
MOST_SECONDS = 5
MOST_BYTES = 64 << 20


def read(data, **wishes):
    return read_stream(io.BytesIO(data), **wishes)


def check(data, kind):
    """Read a broken file; whatever comes of it is whole, or a sentence that says so."""
    began = time.process_time()
    try:
        check_storable(read(data, kind=kind, grade_map={"E": 3}))
    except InputError as problem:
        assert str(problem).endswith(".")  # noqa: PT017 - a reading is as good an answer
        assert "Traceback" not in str(problem)  # noqa: PT017 - likewise
    assert time.process_time() - began < MOST_SECONDS


@pytest.mark.timeout(120)
@settings(max_examples=examples(800))
@given(spoilt_texts(), st.sampled_from([None, None, *Kind]))
def test_spoilt_texts_give_a_reading_or_a_sentence(data, kind):
    """Cut, repeated, shuffled, re-encoded, packed and nested samples of all formats do no harm."""
    check(data, kind)


@pytest.mark.timeout(120)
@settings(max_examples=examples(150))
@given(spoilt_packages(), st.sampled_from([None, *Kind]))
def test_spoilt_sheets_give_a_reading_or_a_sentence(data, kind):
    """Excel and Parquet files with wrong bytes, or with spoilt parts inside, do no harm."""
    check(data, kind)


def peak_of(data, kind=None):
    """Return the most memory that was held while a file was read, and what was said of it."""
    # Libraries that are loaded when needed are not what is measured.
    with contextlib.suppress(InputError):
        read(SAMPLES["judgments.xlsx"])
    tracemalloc.start()
    try:
        said = ""
        try:
            read(data, kind=kind)
        except InputError as problem:
            said = str(problem)
        return tracemalloc.get_traced_memory()[1], said
    finally:
        tracemalloc.stop()


def zipped(**parts):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return packed.getvalue()


def test_a_gzip_bomb_is_refused_soon():
    """A file that unpacks to far more than it is stops early, in a sentence."""
    peak, said = peak_of(gzip.compress(b"\0\n" * (100 << 20)))
    assert "unpacks to more than 200 times its size" in said or "NUL" in said
    assert peak < 4 * MOST_BYTES


def test_a_gzip_bomb_of_text_is_refused_soon():
    """The same of lines that are text: no more than what is looked at first is unpacked."""
    peak, said = peak_of(gzip.compress(b"q1 Q0 d1 1 1.5 t\n" * (12 << 20)), Kind.RUN)
    assert "unpacks to more than 200 times its size" in said
    assert peak < 8 * MOST_BYTES


def test_a_bomb_in_a_sheet_is_refused_before_it_is_unpacked():
    """A workbook whose parts say that they are huge is not unpacked."""
    data = zipped(**{"[Content_Types].xml": "x", "xl/sheet1.xml": b"0" * (40 << 20)})
    peak, said = peak_of(data)
    assert "which real sheets do not" in said
    assert peak < MOST_BYTES


def test_a_sheet_that_lies_about_its_size_does_no_harm():
    """A workbook whose parts are larger than they say ends in a sentence, within bounds."""
    data = zipped(**{"[Content_Types].xml": "x", "xl/workbook.xml": b"0" * (40 << 20)})
    size = (40 << 20).to_bytes(4, "little")
    assert size in data
    peak, said = peak_of(data.replace(size, (1000).to_bytes(4, "little")))
    assert said.endswith(".")
    assert peak < 2 * MOST_BYTES


def test_a_text_that_a_parquet_file_repeats_is_not_multiplied(monkeypatch):
    """A large text that a small file names two thousand times is held once."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(containers, "_MAX_ROWS_BYTES", 4 << 20)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), ["x" * (1 << 20)])
    packed = io.BytesIO()
    ids = pa.array([str(number) for number in range(2000)])
    parquet.write_table(pa.table({"id": ids, "text": text}), packed, store_schema=False)
    assert len(packed.getvalue()) < 1 << 20
    peak, said = peak_of(packed.getvalue(), Kind.DOCUMENTS)
    assert "save it as CSV" in said
    assert peak < MOST_BYTES


def test_wrong_bytes_anywhere_in_a_parquet_file_do_no_harm():
    """Every byte of a sample in turn is wrong: pyarrow ends no process, and points nowhere."""
    sample = SAMPLES["judgments.parquet"]
    for place in range(4, len(sample), 3):
        check(sample[:place] + bytes([sample[place] ^ 0x40]) + sample[place + 1 :], Kind.JUDGMENTS)


def test_a_parquet_file_that_unpacks_to_far_more_is_refused():
    """Pages that say that they are huge are not unpacked."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    packed = io.BytesIO()
    table = pa.table({"id": ["a"], "text": ["x" * (64 << 20)]})
    parquet.write_table(table, packed, compression="zstd")
    peak, said = peak_of(packed.getvalue(), Kind.DOCUMENTS)
    assert "which real sheets do not" in said
    assert peak < MOST_BYTES


def test_entities_in_a_sheet_are_not_expanded():
    """A workbook with nested entities ends in a sentence, not in gigabytes."""
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))
    content = f'<!DOCTYPE w [<!ENTITY e0 "ha">{entities}]><workbook>&e9;</workbook>'
    parts = {"[Content_Types].xml": content, "xl/workbook.xml": content}
    peak, said = peak_of(zipped(**parts))
    assert "cannot be read" in said
    assert peak < MOST_BYTES


@pytest.mark.parametrize("kind", [None, *Kind])
def test_an_endless_line_is_left_out(kind):
    """A line that never ends is skipped, not kept: memory stays a few times what is looked at."""
    data = b"q1\t0\td1\t1\n" * 30 + b"x" * (40 << 20) + b"\nq2\t0\td2\t1\n"
    peak, said = peak_of(data, kind)
    assert peak < 6 * MOST_BYTES
    assert said == "" or said.endswith(".")


@pytest.mark.parametrize(
    "data",
    [
        *(b"[" * 1_000_000, b'{"a":' * 300_000, b'{"a": ' + b"[" * 500_000 + b"\n"),
        b'{"q": {"d": ' + b"9" * 100_000 + b"}}",
        b"<topics>" + b"<topic>" * 200_000,
        b"<top>\n<num> 1\n" + b"<title>" * 200_000 + b"\n</top>\n",
        b"<DOC>\n<DOCNO>1</DOCNO>\n" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"\n</DOC>\n",
        b"id,title\n" + b'1,"' * 50_000,
        b"id,title\n" + b'a,"b\n' * 20_000,
        b"a" * 1_000_000 + b"," * 200_000 + b"\n1,2\n",
        b"q 0 d 1\n" + b"\r" * 1_000_000,
        b"1:" * 500_000,
        b"# qid:1: " + b"x*" * 300_000 + b"\n3 qid:1 " + b"1:1 " * 100_000 + b"# d\n",
        b'{"a": 1' + b', "a": 1' * 100_000 + b"}\n",
        b'{"id": "x"' + b"".join(b', "k%d": 1' % number for number in range(50_000)) + b"}\n",
        b"<!--" * 200_000 + b"<top>",
        b"<!DOCTYPE a [" + b'<!ENTITY a "' + b"b" * 500_000 + b'">]><topics/>',
    ],
    ids=range(17),
)
@pytest.mark.parametrize("kind", [None, Kind.QUERIES, Kind.DOCUMENTS, Kind.JUDGMENTS])
def test_long_and_deep_files_end_soon(data, kind):
    """What is nested, repeated or opened a hundred thousand times takes no longer than it is long."""
    began = time.process_time()
    with contextlib.suppress(InputError):
        read(data, kind=kind)
    assert time.process_time() - began < MOST_SECONDS


def test_what_is_read_as_a_whole_has_a_limit(monkeypatch):
    """A JSON value or XML larger than the limit is refused, on one line or on many."""
    monkeypatch.setattr("judgetool.formats.source.MAX_WHOLE_BYTES", 2 << 20)
    pair = b'{"query": "a", "docid": "d", "rating": 1}'
    for data in (
        b"[\n" + b",\n".join([pair] * 100_000) + b"]",
        b"[" + b",".join([pair] * 100_000) + b"]",
        b"<topics>\n" + b'<topic number="1"><query>a</query></topic>\n' * 100_000 + b"</topics>",
        b"<top>\n<num> 1\n<title> soup\n</top>\n" * 100_000,
    ):
        with pytest.raises(ParseError, match=r"larger than 2 MiB.*save it as lines"):
            read(data)


def test_sheets_have_a_limit(monkeypatch):
    """A sheet with more text than fits into memory is refused with a way out."""
    monkeypatch.setattr(containers, "_MAX_ROWS_BYTES", 100)
    with pytest.raises(ParseError, match=r"save it as CSV"):
        read(SAMPLES["judgments.xlsx"])
    with pytest.raises(ParseError, match=r"save it as CSV"):
        read(SAMPLES["judgments.parquet"])


def test_keys_that_repeat_are_counted_up_to_a_limit():
    """A file of nothing but repeated keys names a thousand of them and goes on."""
    data = b'{"q": {' + b", ".join([b'"d": 1', b'"d": 2'] * 5_000) + b"}}"
    reading = read(data, kind=Kind.JUDGMENTS)
    assert reading.n_refused == search_responses._MAX_REPEATS
    assert len(reading.judgments) == 1
