"""Whether a file may be scanned at all: what its beginning says of it."""

import io
from pathlib import Path

from judgetool.errors import InputError
from judgetool.formats.detection import detect_format
from judgetool.formats.registry import Layout
from judgetool.formats.source import TextSource
from judgetool.formats.values import Kind

HEAD_BYTES = 4096


def is_plain(head: bytes, path: Path, kind: Kind) -> bool:
    """Whether a file begins like UTF-8 text of columns without a header.

    Lines that pass a scan could be nothing else; only the first one may say otherwise.

    Args:
        head: the first :data:`HEAD_BYTES` of the file, or all of it.
        path: the file.
        kind: what the user said it is about.
    """
    try:
        source = TextSource(str(path), io.BytesIO(head))
        found = detect_format(source, kind=kind).format
    except InputError:
        # The careful reader meets it, too, and says it.
        return False
    return found.layout is Layout.COLUMNS and found.kind is kind and source.encoding == "utf-8"
