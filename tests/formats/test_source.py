"""What files may be and may not be: packing, encodings, line ends, limits."""

import bz2
import gzip
import io
import lzma
import random
import zipfile

import pytest
import zstandard

from judgetool.errors import InputError, ParseError
from judgetool.formats import Kind, Reading, ReadingCancelledError, read_file, read_stream
from judgetool.formats.source import TextSource

RUN = "q Q0 a 1 2 t\nq Q0 b 2 1 t\n"


def read_bytes(data: bytes, kind: Kind | None = Kind.RUN) -> Reading:
    return read_stream(io.BytesIO(data), source="file", kind=kind)


def documents_of(reading: Reading) -> list[str]:
    (run,) = reading.runs
    return run.document_ids


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16-le"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_encodings_are_told_by_their_marks(encoding, shown):
    """UTF-8 with or without a byte order mark, UTF-16 and UTF-32 with one, give the same ids."""
    reading = read_bytes("é1 Q0 ü 1 2 t\n".encode(encoding))
    assert reading.encoding == shown
    assert (reading.runs[0].query_ids, documents_of(reading)) == (["é1"], ["ü"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end):
    """LF, CR LF and CR end lines, and the count of lines is the same."""
    reading = read_bytes(RUN.replace("\n", end).encode())
    assert (documents_of(reading), reading.n_lines) == (["a", "b"], 2)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_numbers_hold_across_blocks(end):
    """A refusal far into a file names the right line whatever the line ends."""
    text = (
        "".join(f"q{i} Q0 a 1 2 t{end}" for i in range(150_000))
        + f"bad{end}"
        + f"z Q0 a 1 2 t{end}"
    )
    reading = read_bytes(text.encode())
    assert [refusal.line for refusal in reading.refusals] == [150_001]
    assert len(reading.runs[0].query_ids) == 150_001


def test_utf16_across_blocks():
    """A large UTF-16 file keeps all its lines."""
    text = "".join(f"q{i} Q0 \U0001f600{i} 1 2 t\n" for i in range(60_000))
    reading = read_bytes(text.encode("utf-16"))
    assert len(reading.runs[0].document_ids) == 60_000
    assert not reading.n_refused


def test_gzip_is_told_by_its_content():
    """A packed file is read whatever its name; packed parts one after another too."""
    reading = read_bytes(gzip.compress(RUN.encode()) + gzip.compress(b"r Q0 c 1 2 t\n"))
    assert reading.encoding == "utf-8+gzip"
    assert documents_of(reading) == ["a", "b", "c"]


def test_a_cut_gzip_file_gives_what_it_holds():
    """Of a gzip file that ends too early, what came before is read, and the loss is reported."""
    some = random.Random(1)
    lines = [f"q{i} Q0 d{some.getrandbits(60)} 1 2 t\n" for i in range(20_000)]
    packed = gzip.compress("".join(lines).encode())
    reading = read_bytes(packed[: len(packed) // 2])
    assert 5_000 < len(reading.runs[0].query_ids) < 15_000
    # One thing is wrong. The last line was cut somewhere: even where it looks whole, it is not taken.
    (refusal,) = reading.refusals
    assert (reading.n_refused, refusal.line) == (1, None)
    assert refusal.reason == (
        "the gzip file ends too early: lines may be missing, fetch or pack it again "
        f"(line {len(reading.runs[0].query_ids) + 1:,}, where it ends, is left out)"
    )


def test_a_gzip_bomb_is_refused():
    """A line repeated without end is refused while it is still small."""
    packed = gzip.compress(b"q Q0 a 1 2 t\n" * 6_000_000, compresslevel=9)
    with pytest.raises(ParseError, match=r"unpacks to more than 200 times its size .* repeat"):
        read_bytes(packed)


def test_a_bomb_is_refused_before_its_lines_are_held(tmp_path):
    """Nobody waits until millions of rows are read; the sizes that are told are what was looked at."""
    path = tmp_path / "small.qrels.gz"
    path.write_bytes(gzip.compress(b"q1 0 d1 1\n" * 4_000_000, compresslevel=9))
    told = []
    with pytest.raises(ParseError, match="bytes of it give 33,554,432 or more"):
        read_file(path, progress=lambda *done: told.append(done))
    assert told == []


def test_a_packed_file_whose_lines_repeat_is_read_whole():
    """Looked at ahead, it is no bomb: every line is there once, also across the pieces of reading."""
    lines = [f"q{n % 3} 0 d{n % 7} {n % 2}\n" for n in range(400_000)]
    source = TextSource("x", io.BytesIO(gzip.compress("".join(lines).encode())))
    read = [line for _number, line in source.lines(lambda *_said: None)]
    assert read == [line.rstrip() for line in lines]


def test_text_that_packs_very_small_is_read():
    """Queries of words repeated by their weight pack to less than a 200th, and are text."""
    lines = (f"{i}\t{'soup ' * (3_000 + i % 7)}{'cold ' * 900}\n" for i in range(2_000))
    packed = gzip.compress("".join(lines).encode(), compresslevel=9)
    reading = read_bytes(packed, Kind.QUERIES)
    assert len(reading.queries) == 2_000


def test_what_only_begins_like_gzip_is_refused():
    """A damaged gzip header is told from text."""
    with pytest.raises(ParseError, match=r"cannot be unpacked"):
        read_bytes(b"\x1f\x8b not packed at all")


def test_what_is_full_of_nuls_is_refused():
    """Binary data is no text."""
    with pytest.raises(ParseError, match=r"full of NUL bytes"):
        read_bytes(bytes(5000))


def test_a_nul_byte_refuses_its_line():
    """A line with a NUL byte is refused, the others are read."""
    reading = read_bytes(b"q Q0 a 1 2 t\nq Q0 \0b 2 1 t\nq Q0 c 3 0 t\n")
    assert documents_of(reading) == ["a", "c"]
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, "a NUL byte stands at position 6; this is not text")
    ]


def test_a_line_that_is_not_utf8_is_refused_in_what_is_said_to_be():
    """In a file that is said to be UTF-8, a Latin-1 byte refuses its line and says where."""
    data = b"q Q0 a 1 2 t\nq Q0 caf\xe9 2 1 t\n"
    reading = read_stream(io.BytesIO(data), kind=Kind.RUN, answers={"encoding": "utf-8"})
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, "byte 0xE9 at position 9 is not UTF-8, which the file is said to be")
    ]


def test_binary_data_is_refused():
    """Of a picture no line can be read."""
    noise = bytes(some % 255 + 1 for some in random.Random(2).randbytes(20_000))
    with pytest.raises(ParseError):
        read_bytes(noise)


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_line_over_one_mib_is_refused(place):
    """A line longer than 1 MiB is refused without being kept, wherever it stands."""
    long = b"q Q0 x 1 2 " + b"t" * (3 << 20)
    good = b"q Q0 a 1 2 t"
    lines = {"first": [long, good], "middle": [good, long, good], "last": [good, long]}[place]
    reading = read_bytes(b"\n".join(lines))
    assert documents_of(reading) == ["a"]
    refusals = [(r.line, r.reason) for r in reading.refusals if "MiB" in r.reason]
    assert refusals == [(lines.index(long) + 1, "the line is longer than 1 MiB")]
    assert reading.n_lines == len(lines)


def test_a_document_may_have_many_mib():
    """Lines of documents may have up to 64 MiB."""
    line = b'{"id": "a", "text": "' + b"x" * (5 << 20) + b'"}\n'
    reading = read_bytes(line + b'{"id": "b", "text": "y"}\n', Kind.DOCUMENTS)
    assert [len(document.body) for document in reading.documents] == [5 << 20, 1]


def test_endless_lines_are_refused():
    """A document line over 64 MiB is refused and the next one read."""
    endless = b'{"id": "a", "text": "' + b"x" * (65 << 20) + b'"}\n'
    reading = read_bytes(b'{"id": "b", "text": "y"}\n' + endless, Kind.DOCUMENTS)
    assert [refusal.reason for refusal in reading.refusals] == ["the line is longer than 64 MiB"]


def test_progress_reaches_the_end(tmp_path):
    """Progress counts the file's own bytes up to all of them."""
    path = tmp_path / "x.run"
    path.write_text("".join(f"q{i} Q0 a 1 2 t\n" for i in range(150_000)))
    calls: list[tuple[int, int]] = []
    read_file(path, progress=lambda done, total: calls.append((done, total)))
    size = path.stat().st_size
    assert [total for _, total in calls] == [size] * len(calls)
    assert calls == sorted(calls)
    assert calls[-1][0] == size


def test_reading_can_be_stopped(tmp_path):
    """A reader that is told to stop raises and keeps nothing."""
    path = tmp_path / "x.run"
    path.write_text(RUN)
    with pytest.raises(ReadingCancelledError, match=r"Nothing was kept"):
        read_file(path, is_cancelled=lambda: True)


@pytest.mark.parametrize("name", ["missing.run", "."])
def test_files_that_cannot_be_opened(tmp_path, name):
    """A file that is not there, or is a folder, gives a sentence."""
    with pytest.raises(InputError, match=r"cannot be read: (there is no such file|it is a folder)"):
        read_file(tmp_path / name, kind=Kind.RUN)


def test_an_empty_file_of_a_known_kind_is_empty():
    """An empty run has no results, and a note says so."""
    reading = read_bytes(b"")
    assert reading.is_empty
    assert reading.notes == ["The file is empty."]
    assert len(reading.runs[0].documents) == 0


def test_an_empty_file_of_unknown_kind_is_refused():
    """Nothing tells what an empty file is."""
    with pytest.raises(ParseError, match=r"the file is empty"):
        read_bytes(b"", None)


def test_all_lines_refused_is_a_refusal():
    """A file of which no line fits raises, naming the first."""
    with pytest.raises(
        ParseError, match=r"file, line 1: expected 6 columns, found 1. None of its 2"
    ):
        read_bytes(b"one\ntwo\n")


def test_the_first_thousand_refusals_are_kept():
    """All refusals are counted, a thousand kept."""
    reading = read_bytes(b"q Q0 a 1 2 t\n" + b"bad\n" * 1500)
    assert (reading.n_refused, len(reading.refusals)) == (1500, 1000)


def test_short_reads_lose_nothing():
    """A stream that gives few bytes at a time is read like any other."""

    class Dribble(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self._data = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:
            data = self._data.read(min(7, len(buffer)))
            buffer[: len(data)] = data
            return len(data)

    data = "".join(f"é{i} Q0 a 1 2 t\r\n" for i in range(20_000)).encode("utf-8-sig")
    reading = read_stream(io.BufferedReader(Dribble(data)), kind=Kind.RUN)
    assert len(reading.runs[0].query_ids) == 20_000


def test_the_head_holds_a_whole_line():
    """Detection sees the first line whole even if it is long."""
    source = TextSource("x", io.BytesIO(b"{" + b"x" * (3 << 20) + b"}\nnext\n"))
    assert "\n" in source.head


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        bz2.compress,
        lzma.compress,
        zstandard.ZstdCompressor(write_checksum=True).compress,
    ],
)
def test_a_packed_file_with_a_wrong_byte_is_not_used(pack):
    """What a damaged packed file unpacks to was written by nobody: nothing of it is taken."""
    some = random.Random(1)
    lines = [f"q{i} Q0 d{some.getrandbits(60)} 1 2 t\n" for i in range(20_000)]
    packed = bytearray(pack("".join(lines).encode()))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ParseError, match=r"damaged|cannot be unpacked"):
        read_bytes(bytes(packed))


def test_what_follows_a_whole_gzip_file_is_named():
    """The packed part is whole, by its checksum; the rest is not taken for a part of it."""
    reading = read_bytes(gzip.compress(RUN.encode()) + b"something else")
    assert documents_of(reading) == ["a", "b"]
    assert "goes on with something that is not packed" in reading.refusals[-1].reason


def test_a_zip_file_that_says_how_it_grows_is_refused_at_once(tmp_path):
    """What its members unpack to stands in it: nothing is read up to a limit first."""
    path = tmp_path / "small.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("a.csv", b"query_id,text\n" + b"1,aaaa\n" * 6_000_000)
    n_read = []
    with pytest.raises(ParseError, match="200 times its size"):
        read_file(path, progress=lambda done, _total: n_read.append(done))
    assert max(n_read) <= path.stat().st_size


def test_a_zip_file_of_hidden_files_is_not_called_empty(tmp_path):
    """What is in it is named: hidden, or leading out of it."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("../q.tsv", "1\tsoup\n")
    with pytest.raises(ParseError, match="lead out of it"):
        read_file(path)
