"""The lines of the safety log: JSON objects, each with a checksum of its own."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgetool.core.folders import data_folder
from judgetool.storage.backups import safe_name

_SUM = b',"sum":"'
_LINE_LIMIT = 64 << 20

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SafetyLines:
    """What a safety log holds.

    Attributes:
        lines: those whose checksum fits, oldest first.
        n_torn: how many others there are; a power cut may tear the last one.
    """

    lines: list[Line] = field(default_factory=list)
    n_torn: int = 0


def safety_folder() -> Path:
    """Return where the safety logs are kept; it need not exist."""
    return data_folder() / "safety"


def log_path(uuid: str, number: int = 1) -> Path:
    """Return the present safety log of a project.

    Copies of a file share its uuid. Where two of them are written at once, the second
    process takes number 2, and so on.
    """
    more = "" if number == 1 else f".{number}"
    return safety_folder() / f"{safe_name(uuid)}{more}.jsonl"


def older_path(path: Path) -> Path:
    """Return where a log is put when it has become long."""
    return path.with_name(f"{path.stem}.old.jsonl")


def log_paths(uuid: str) -> list[Path]:
    """Return all safety logs of a project that are there, older ones first."""
    found = safety_folder().glob(f"{safe_name(uuid)}.*jsonl")
    return sorted(found, key=lambda path: (not path.stem.endswith(".old"), path.name))


def format_line(values: Line) -> bytes:
    """Return one line with its checksum and line end."""
    body = json.dumps(values, separators=(",", ":")).encode()[:-1]
    return b'%s%s%s"}\n' % (body, _SUM, _checksum(body))


def _parse_line(line: bytes) -> Line | None:
    """Return what a line says, ``None`` when it is torn or damaged."""
    body, mark, tail = line.rpartition(_SUM)
    if not mark or tail.rstrip(b"\n") != _checksum(body) + b'"}':
        return None
    try:
        values = json.loads(body + b"}")
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode()


def read_lines(*paths: Path) -> SafetyLines:
    """Read safety logs in this order.

    Raises:
        OSError: one is there and cannot be read.
    """
    found: list[Line] = []
    n_torn = 0
    for path in paths:
        with path.open("rb") as stream:
            while line := stream.readline(_LINE_LIMIT):
                values = _parse_line(line)
                if values is not None:
                    found.append(values)
                elif line.strip():
                    n_torn += 1
    return SafetyLines(found, n_torn)


def read_log(uuid: str) -> SafetyLines:
    """Read all of a project's safety log.

    Raises:
        OSError: it cannot be read.
    """
    return read_lines(*log_paths(uuid))
