"""Is this project file sound, and what is in it, whatever of it can be read."""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from judgetool.errors import ProjectDamagedError, ProjectError
from judgetool.storage.check import WRONG_VALUES, count_log, find_problems, load_schema_number
from judgetool.storage.connection import may_write
from judgetool.storage.damage import damaged, translated_errors
from judgetool.storage.migrations import check_schema, look_as_new
from judgetool.storage.salvage import read_tables
from judgetool.storage.set_aside import connect, settle_beside


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of a project found.

    Attributes:
        counts: how much of what it holds, by name, and the number of its schema; what cannot
            be counted is not in it.
        problems: a sentence for each thing that is wrong; empty for a sound file.
        is_partial: whether the counts are of what can still be read, page by page.
        n_missing: how many changes of judgments the safety log has that the file lacks.
        moved_from: where the file stood when these were made; ``""`` where it stands now.
        n_torn: how many lines of the safety log are damaged.
    """

    counts: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    is_partial: bool = False
    n_missing: int = 0
    moved_from: str = ""
    n_torn: int = 0


def check_file(path: Path, *, is_quick: bool = False) -> Finding:
    """Look at a whole project file, whatever can be read of it, and at that alone.

    Args:
        path: the project.
        is_quick: see :func:`find_problems`.

    Raises:
        ProjectError: it is locked, or may not be read.
    """
    try:
        if may_write(path):
            settle_beside(path)
        with closing(connect(path, is_writable=may_write(path))) as connection:
            with translated_errors(path):
                version = load_schema_number(connection)
                check_schema(connection, path, version=version)
                look_as_new(connection, from_version=version)
                connection.pragma("query_only", 1)
            problems = find_problems(connection, path, is_quick=is_quick)
            if any(problem.startswith("SQLite") for problem in problems):
                return _count_readable(path, problems)
            return Finding({"schema": version, **count_log(connection)}, problems)
    except ProjectDamagedError as problem:
        return _count_readable(path, [str(problem)])


def _count_readable(path: Path, problems: list[str]) -> Finding:
    """Return what can be read of a file that SQLite cannot read whole, in rows."""
    try:
        tables = read_tables(path)[1]
    except ProjectError:
        return Finding(problems=problems)
    names = {
        "queries": "query_texts",
        "documents with text": "document_texts",
        "runs": "runs",
        "rankings": "rankings",
        "judgments": "judgments",
        "log lines": "events",
    }
    counts = {name: len(tables[table].rows) for name, table in names.items()}
    return Finding(counts, problems, is_partial=True)


def damage_behind(
    path: Path, error: BaseException, *also: type[BaseException]
) -> ProjectDamagedError | None:
    """Return what an error comes from where the file is damaged; ``None`` where it is sound.

    Work on stored bytes goes wrong in as many ways as bytes can; whether the bytes or
    judgetool are to blame, the check tells.

    Args:
        path: the project file.
        error: what was raised at work on it.
        also: kinds of errors that are looked into, besides ``WRONG_VALUES``.
    """
    if isinstance(error, ProjectError) or not isinstance(error, (*WRONG_VALUES, *also)):
        return None
    problems = check_file(path).problems
    return damaged(path, problems[0].rstrip(".")) if problems else None
