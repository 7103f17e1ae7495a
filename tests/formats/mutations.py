"""Ways in which real files are broken: strategies that spoil the samples of every format."""

import gzip
import io
import random
import zipfile

from hypothesis import strategies as st

from tests.helpers.formats import DATA

SAMPLES = {path.name: path.read_bytes() for path in sorted(DATA.iterdir()) if path.is_file()}
TEXTS = [name for name in SAMPLES if not name.endswith((".xlsx", ".parquet"))]
HUGE = ("1" * 400, "1e999", "-1e308", "99999999999999999999", "0x10", "1_000", "٣", "½", "nan")
_DELIMITERS = (b",", b"\t", b";", b"|", b" ", b"  ", b"\x1f", b"\xc2\xa0")
_NESTS = (b"[" * 5000, b'{"a":' * 5000, b"<a>" * 5000, b'"' * 5001, b"(" * 5000)
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp037", "utf-7", "shift-jis")


def cut(data: bytes, chance: random.Random) -> bytes:
    """The file ends, or begins, somewhere in the middle."""
    place = chance.randrange(len(data) + 1)
    return data[:place] if chance.random() < 0.7 else data[place:]


def repeat(data: bytes, chance: random.Random) -> bytes:
    """Some piece of it comes again, once or often."""
    lines = data.splitlines(keepends=True) or [b""]
    place = chance.randrange(len(lines))
    lines[place:place] = lines[place : place + chance.randrange(1, 4)] * chance.choice([1, 1, 50])
    return b"".join(lines)


def shuffle_lines(data: bytes, chance: random.Random) -> bytes:
    """Its lines come in another order."""
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def shuffle_columns(data: bytes, chance: random.Random) -> bytes:
    """The columns of some lines, or of all, change places."""
    delimiter = chance.choice(_DELIMITERS[:5])
    share = chance.choice([0.2, 1.0])
    lines = []
    for line in data.split(b"\n"):
        cells = line.split(delimiter)
        if chance.random() < share:
            chance.shuffle(cells)
        lines.append(delimiter.join(cells))
    return b"\n".join(lines)


def replace_delimiter(data: bytes, chance: random.Random) -> bytes:
    """One delimiter stands for another, everywhere or once."""
    count = chance.choice([-1, 1, 3])
    return data.replace(chance.choice(_DELIMITERS), chance.choice(_DELIMITERS), count)


def put_in(data: bytes, chance: random.Random) -> bytes:
    """Something that does not belong there: NUL, bytes that are no text, deep nesting, markup."""
    pieces = [
        *(b"\0", b"\0" * 300, b"\xff\xfe", b"\r", b"\x1a", b"\\ud800", b"\\u0000", b"&x;", b'"'),
        *(b"\xef\xbb\xbf", b"#", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"NaN", b"<!--", b"]]>"),
        *_NESTS,
        chance.randbytes(chance.randrange(1, 20)),
    ]
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(pieces) + data[place:]


def enlarge_numbers(data: bytes, chance: random.Random) -> bytes:
    """A number is far too large, or is none."""
    digits = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    place = chance.choice(digits)
    return data[:place] + chance.choice(HUGE).encode() + data[place + 1 :]


def encode(data: bytes, chance: random.Random) -> bytes:
    """It is in another encoding, with or without its mark."""
    text = data.decode("utf-8", errors="replace")
    return text.encode(chance.choice(_ENCODINGS), errors="replace")


def pack(data: bytes, chance: random.Random) -> bytes:
    """It is packed by gzip: whole, twice, in two members, cut off, or damaged."""
    packed = gzip.compress(data, mtime=0)
    ways = (packed, gzip.compress(packed), packed + packed, packed[:-3], packed + b"tail")
    kind = chance.randrange(7)
    if kind < len(ways):
        return ways[kind]
    place = chance.randrange(len(packed))
    if kind == len(ways):
        return packed[:place]
    return (
        packed[:place] + bytes([packed[place] ^ (1 << chance.randrange(8))]) + packed[place + 1 :]
    )


def flip(data: bytes, chance: random.Random) -> bytes:
    """Some bits are wrong."""
    spoilt = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        if spoilt:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


WAYS = (cut, repeat, shuffle_lines, shuffle_columns, replace_delimiter, put_in, enlarge_numbers)


@st.composite
def spoilt_texts(draw: st.DrawFn) -> bytes:
    """A text sample spoilt in up to three ways, perhaps in another encoding, perhaps packed."""
    data = SAMPLES[draw(st.sampled_from(TEXTS))]
    chance = random.Random(draw(st.integers(0, 2**32)))
    for way in draw(st.lists(st.sampled_from((*WAYS, flip)), min_size=1, max_size=3)):
        data = way(data, chance)
    for way in draw(st.sampled_from([(), (), (encode,), (pack,), (encode, pack), (pack, cut)])):
        data = way(data, chance)
    return data


@st.composite
def spoilt_packages(draw: st.DrawFn) -> bytes:
    """A sheet whose bytes are wrong, or whose parts are spoilt inside of a whole package."""
    name = draw(st.sampled_from([name for name in SAMPLES if name not in TEXTS]))
    chance = random.Random(draw(st.integers(0, 2**32)))
    data = SAMPLES[name]
    if name.endswith(".xlsx") and draw(st.booleans()):
        return _spoilt_inside(data, chance)
    for way in draw(st.lists(st.sampled_from((cut, flip, put_in)), min_size=1, max_size=2)):
        data = way(data, chance)
    return data


def _spoilt_inside(data: bytes, chance: random.Random) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        names = old.namelist()
        spoilt = chance.choice(names)
        for name in names:
            content = old.read(name)
            if name == spoilt:
                content = chance.choice((*WAYS, flip, encode))(content, chance)
            if name != spoilt or chance.random() < 0.9:
                new.writestr(name, content)
    return packed.getvalue()
