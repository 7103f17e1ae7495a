"""Writing files so that an existing one is never half overwritten."""

import errno
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import numpy as np

from judgetool.core.held_files import is_project
from judgetool.core.system import sync, sync_folder, take_mode
from judgetool.errors import InputError, why_refused
from judgetool.wording import N_, NN_, _, visible

SIDE_ENDING = ".meta.json"
"""Of what is written beside a file: how its grades are meant."""
# What TREC's own tools take for a separator (C's isspace), and NUL, which ends their strings.
SEPARATORS = re.compile(r"[ \t\n\r\v\f\0]")


_JUDGMENTS_INSTEAD = N_("judgments-csv or judgments-jsonl (--format)")
RESULTS_INSTEAD = N_("results-csv or results-jsonl (--format)")
"""Formats that hold ids with blanks, for the sentences of those that cannot."""
COMMENT_NOTE = NN_(
    "{n} line begins with #, as the query id does: trec_eval 10 skips such lines.",
    "{n} lines begin with #, as the query id does: trec_eval 10 skips such lines.",
)
"""What is to be said of lines that some tools take for comments."""


def write_text(chunks: Iterable[str], out: TextIO | Path) -> None:
    """Write chunks of text to an open stream, or whole and at once to a path.

    Raises:
        InputError: the file could not be written; what was there is unchanged.
    """
    if isinstance(out, Path):
        write_atomically(out, chunks)
    else:
        out.writelines(chunks)


def write_atomically(
    path: Path,
    chunks: Iterable[str | bytes],
    *,
    beside: Sequence[tuple[Path, Iterable[str | bytes]]] = (),
) -> None:
    """Write text (as UTF-8) or bytes to a path: all of it, or nothing.

    It goes to a new file in the same folder, is forced to the disk, and takes the
    path's place. Links are followed; a device or pipe is written to directly.

    Args:
        path: where it is to stand.
        chunks: taken one by one; what it raises leaves the path unchanged. Line ends
            stay as they are, on Windows too.
        beside: further files that belong to it, taken after it. All of them are complete on
            the disk before the first gets its name, and the path gets its own last: a kill
            between leaves no new file without what belongs to it.

    Raises:
        InputError: a file could not be written; what was there is unchanged. Should a system
            refuse only the name of one, the text tells which already has its own.
    """
    files = [(path, chunks), *beside]
    what = _(" and ").join(str(each) for each, _chunks in files)
    made: list[tuple[Path, Path]] = []
    named: list[Path] = []
    try:
        for each in files:
            found = _prepare(*each)
            if found is not None:
                made.append(found)
        for temporary, target in reversed(made):
            temporary.replace(target)
            named.append(target)
        for folder in {target.parent for target in named}:
            with suppress(OSError):  # some systems cannot
                sync_folder(folder)
    except OSError as problem:
        cause = _cause(problem)
        if named:
            only = _(" and ").join(map(str, named))
            said = _("Of {what} only {only} was written: {cause}.")
            raise InputError(said.format(what=what, only=only, cause=cause)) from problem
        said = (
            _("{what} were not written: {cause}. What stood there is unchanged.")
            if beside
            else _("{what} was not written: {cause}. What stood there is unchanged.")
        )
        raise InputError(said.format(what=what, cause=cause)) from problem
    except UnicodeEncodeError as problem:
        said = (
            _("{what} were not written: ‘{sign}’ is half a character and has no UTF-8 form.")
            if beside
            else _("{what} was not written: ‘{sign}’ is half a character and has no UTF-8 form.")
        )
        sign = problem.object[problem.start : problem.end]
        raise InputError(said.format(what=what, sign=visible(sign))) from problem
    finally:
        for temporary, _target in made:
            temporary.unlink(missing_ok=True)


def _prepare(path: Path, chunks: Iterable[str | bytes]) -> tuple[Path, Path] | None:
    """Write a file completely under a name of its own; return that, and the name it is to get.

    ``None`` for a device or pipe, which has it all then.
    """
    target = path.resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, _("a folder"), str(target))
    if target.exists() and not target.is_file():
        _write_into(os.open(target, os.O_WRONLY), chunks)
        return None
    if target.exists() and is_project(target):
        raise InputError(
            _("{target} is a judgetool project and was left as it is. Choose another name.").format(
                target=target
            )
        )
    temporary = target.with_name(f".{target.name[:200]}.{os.urandom(6).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _write_into(handle, chunks, is_synced=True)
        if target.exists():
            take_mode(temporary, like=target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary, target


def _write_into(handle: int, chunks: Iterable[str | bytes], *, is_synced: bool = False) -> None:
    with os.fdopen(handle, "wb") as out:
        out.writelines(chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)
        out.flush()
        if is_synced:
            sync(out.fileno())


def _cause(problem: OSError) -> str:
    """Return why a file could not be written."""
    causes = {
        errno.EACCES: _("its folder does not allow it"),
        errno.EPERM: _("its folder does not allow it"),
        errno.ENOENT: _("its folder does not exist"),
        errno.ENOTDIR: _("its folder does not exist"),
    }
    return why_refused(problem, causes)


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same number: ``3``, ``0.5``, ``inf``.

    Raises:
        InputError: it is not a number (NaN).

    Examples:
        >>> format_number(3.0), format_number(1e-7), format_number(-2.5)
        ('3', '0.0000001', '-2.5')
    """
    if value != value:  # noqa: PLR0124 - only NaN differs from itself
        raise InputError(
            _("A number that is to be written is NaN (not a number). Nothing was kept.")
        )
    if value in (float("inf"), float("-inf")):
        return repr(value)
    return np.format_float_positional(value, trim="-")


_EMPTY_ID = {
    "query": N_("A query has an empty id, which TREC’s formats cannot carry."),
    "document": N_("A document has an empty id, which TREC’s formats cannot carry."),
}
ID_OF = {"query": N_("query id"), "document": N_("document id")}
"""What an id is called in a sentence, by whose it is."""


def checked_trec_id(
    identifier: str, what: str, *, starts_line: bool = False, instead: str = _JUDGMENTS_INSTEAD
) -> str:
    """Return an id that a TREC file can carry, as it is.

    Args:
        identifier: the id.
        what: "query" or "document", for the sentence.
        starts_line: whether it is the first thing of its line.
        instead: names of formats that can hold any id.

    Raises:
        InputError: the format cannot carry it: it is empty, holds a blank, or would
            be taken for a comment or for a byte order mark.
    """
    if not identifier:
        raise InputError(_(_EMPTY_ID[what]))
    if SEPARATORS.search(identifier):
        said = (
            _(
                "The {what} ‘{id}’ holds a blank, and TREC’s formats separate columns by blanks. "
                "Nothing was written; have _ written for blanks in query ids (--query-blanks "
                "underscore), or export {instead} instead."
            )
            if what == "query"
            else _(
                "The {what} ‘{id}’ holds a blank, and TREC’s formats separate columns by blanks. "
                "Nothing was written; export {instead} instead."
            )
        )
        raise InputError(
            said.format(what=_(ID_OF[what]), id=visible(identifier), instead=_(instead))
        )
    if starts_line and (identifier == "#" or identifier.startswith("\ufeff")):
        raise InputError(
            _(
                "The {what} ‘{id}’ would be read as a comment or as a byte order mark at the start "
                "of a line. Nothing was written; export {instead} instead."
            ).format(what=_(ID_OF[what]), id=visible(identifier), instead=_(instead))
        )
    return identifier
