"""What judgetool knows of one format: its name, kind, layout, and how it is read."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from judgetool.formats.source import TextSource
from judgetool.formats.values import Kind, Reading


class Layout(StrEnum):
    """How lines are built."""

    COLUMNS = "columns"
    """Columns without a header."""
    TABLE = "table"
    """A header line names the columns."""
    JSON_LINES = "json lines"
    """One JSON object on each line."""
    JSON_VALUE = "json value"
    """One JSON value fills the file."""
    MARKUP = "markup"
    """Tags in angle brackets."""
    TEXT_LINES = "text lines"
    """A text on each line, perhaps after an id."""
    FOLDER = "folder"
    """Files in a folder."""


class Reader(Protocol):
    """Fills a reading from a source."""

    def __call__(self, source: TextSource, reading: Reading, *, name: str | None = None) -> None:
        """Read all of the source; ``name`` is the run's where the file gives none."""


@dataclass(frozen=True, slots=True)
class Format:
    """One layout of files.

    Attributes:
        name: as printed in reports and given on the command line.
        kind: what such files are about.
        layout: how their lines are built.
        title: for file dialogs.
        endings: usual endings of the files' names, a hint only.
        reader: fills a reading; of a folder, :func:`read_folder` does it.
        writer: ``None`` if judgetool only reads it.
        help: what a line holds, in a sentence.
    """

    name: str
    kind: Kind
    layout: Layout
    title: str
    endings: tuple[str, ...]
    reader: Reader
    writer: Callable[..., object] | None
    help: str
