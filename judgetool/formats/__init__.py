"""Files of others: text to values and back; knows nothing of the project file."""

from typing import TYPE_CHECKING

from judgetool import names_when_asked

if TYPE_CHECKING:
    from judgetool.errors import InputError, ParseError
    from judgetool.formats.output import write_atomically, write_text
    from judgetool.formats.reading import read_file, read_stream, read_text
    from judgetool.formats.registry import FORMATS, Format
    from judgetool.formats.values import (
        ClickRow,
        ColumnsNeededError,
        ColumnUse,
        FileLayout,
        JudgmentRow,
        JudgmentTable,
        Kind,
        Question,
        RankedResult,
        Reading,
        ReadingCancelledError,
        Refusal,
        RunTable,
        SeveralFilesError,
        Wishes,
        raise_first_refusal,
    )

__all__ = [
    "FORMATS",
    "ClickRow",
    "ColumnUse",
    "ColumnsNeededError",
    "FileLayout",
    "Format",
    "InputError",
    "JudgmentRow",
    "JudgmentTable",
    "Kind",
    "ParseError",
    "Question",
    "RankedResult",
    "Reading",
    "ReadingCancelledError",
    "Refusal",
    "RunTable",
    "SeveralFilesError",
    "Wishes",
    "raise_first_refusal",
    "read_file",
    "read_stream",
    "read_text",
    "write_atomically",
    "write_text",
]

# Loaded when first asked for: who scores plain files needs no reader.
_OTHERS = {
    ".errors": ("InputError", "ParseError"),
    "output": ("write_atomically", "write_text"),
    "reading": ("read_file", "read_stream", "read_text"),
    "registry": ("FORMATS", "Format"),
}
_VALUES = set(__all__).difference(*_OTHERS.values())
__getattr__, __dir__ = names_when_asked(__name__, {**_OTHERS, "values": sorted(_VALUES)})
