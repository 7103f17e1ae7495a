"""Pools that stand in files: a query id and a document id in each line."""

from collections.abc import Iterator
from pathlib import Path

from judgetool.core.held_files import open_to_read
from judgetool.errors import InputError, ParseError
from judgetool.formats.source import TextSource
from judgetool.session.pool_policy import PoolPolicy


def read_pool_file(path: Path) -> PoolPolicy:
    """Read a pool from a file: a query id and a document id in each line.

    They are parted by a tab, or by blanks where a line has no tab. Empty lines are
    left out; a pair that stands twice counts once.

    Args:
        path: the file, plain or packed by gzip, in any encoding that other files may have.

    Returns:
        A policy of kind ``file`` with the pairs in the file's order.

    Raises:
        ParseError: lines have no two ids; it names the first. Nothing is kept.
        InputError: the file cannot be opened, or has no pairs.
    """
    refusals: list[tuple[int | None, str]] = []
    pairs: dict[str, dict[str, None]] = {}
    for line, words in _iter_lines(path, refusals):
        if len(words) != 2 or not all(words):
            found = "1 column" if len(words) == 1 else f"{len(words)} columns"
            refusals.append((line, f"expected a query id and a document id, found {found}"))
            continue
        pairs.setdefault(words[0], {})[words[1]] = None
    if refusals:
        line_number, reason = refusals[0]
        count = len(refusals)
        more = f"; {count:,} lines are like it" if count > 1 else ""
        raise ParseError(
            f"{reason}{more}. Nothing was kept; the pool stays as it was.",
            source=str(path),
            line=line_number,
        )
    if not pairs:
        raise InputError(
            f"{path} has no lines. Each line of a pool file is a query id and a document id, "
            "parted by a tab. The pool stays as it was."
        )
    return PoolPolicy("file", pairs={query: tuple(found) for query, found in pairs.items()})


def _iter_lines(
    path: Path, refusals: list[tuple[int | None, str]]
) -> Iterator[tuple[int, list[str]]]:
    def refuse(line: int | None, reason: str) -> None:
        refusals.append((line, reason))

    try:
        with open_to_read(path) as stream:
            for block in TextSource(str(path), stream).blocks(refuse):
                for number, line in enumerate(block.lines, block.first):
                    if line.strip(" \t"):
                        words = line.split("\t") if "\t" in line else line.split(" ")
                        yield number, words if "\t" in line else [word for word in words if word]
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
