"""Plain lines of a fixed number of columns, as places in their bytes."""

from dataclasses import dataclass

import numpy as np

from judgetool.formats.scan_words import (
    MAX_FIELD_BYTES,
    TEXT_START,
    Ints,
    PaddedText,
    Places,
    Words,
)

_TAB, _LF, _BLANK = b"\t\n "


@dataclass(frozen=True, slots=True)
class Fields:
    """The columns of lines.

    Attributes:
        text: where they stand.
        starts: where each begins, by column, shape (columns, n).
        ends: where it ends, likewise.
    """

    text: PaddedText
    starts: Places
    ends: Places

    @property
    def n_lines(self) -> int:
        """Number of lines, at least 1."""
        return len(self.ends[0])

    def lengths(self, column: int) -> Ints:
        """Return a column's bytes by line."""
        lengths: Ints = self.ends[column] - self.starts[column]
        return lengths

    def load(self, column: int) -> list[Words]:
        """Return a column as words."""
        return self.text.load_fields(self.starts[column], self.lengths(column))

    def has_one(self, column: int) -> bool:
        """Whether the column says the same on all lines."""
        return all(bool((word == word[0]).all()) for word in self.load(column))

    def texts(self, column: int, lines: Places) -> list[str]:
        """Return a column of these lines as texts."""
        starts, ends = self.starts[column, lines].tolist(), self.ends[column, lines].tolist()
        return [self.text.raw[a:b].decode() for a, b in zip(starts, ends, strict=True)]


def find_fields(raw: bytes, n_columns: int) -> Fields | None:
    """Return the columns of whole lines.

    Args:
        raw: lines, each with its end.
        n_columns: how many each has to have.

    Returns:
        The columns; ``None`` if a line is not just that many fields of UTF-8, none longer
        than :data:`MAX_FIELD_BYTES`, with one blank or tab between two.
    """
    if not raw.isascii():
        try:
            raw.decode()
        except UnicodeDecodeError:
            return None
    text = PaddedText.around(raw)
    body = text.codes[TEXT_START : TEXT_START + len(raw)]
    ends = np.flatnonzero(body <= _BLANK)
    if not len(ends) or len(ends) % n_columns:
        return None
    # What is no line end must be a blank or a tab, and every last one of a line a line end.
    n_lines = len(ends) // n_columns
    n_inner = np.count_nonzero(body == _BLANK) + np.count_nonzero(body == _TAB)
    if n_inner + n_lines != len(ends) or (body[ends[n_columns - 1 :: n_columns]] != _LF).any():
        return None
    by_column = ends.reshape(-1, n_columns).T
    starts = np.empty(by_column.shape, np.intp)
    starts[1:] = by_column[:-1]
    starts[0, 1:] = by_column[-1, :-1]
    starts[0, 0] = -1
    starts += 1
    lengths = by_column - starts
    if lengths.min() < 1 or lengths.max() > MAX_FIELD_BYTES:
        return None
    return Fields(text, starts + TEXT_START, by_column + TEXT_START)
