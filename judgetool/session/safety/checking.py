"""Whether a project file is sound, and what is in it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from judgetool.errors import JudgetoolError
from judgetool.session.opening import open_project
from judgetool.session.safety.recovery import count_missing, count_torn
from judgetool.session.session import Session
from judgetool.storage.check import WRONG_VALUES, check_file
from judgetool.storage.connection import read_header

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        counts: how much of what the project holds, by name, and the number of its schema.
        problems: a sentence for each thing that is wrong; empty for a sound file.
        n_missing: how many changes of judgments the safety log has that the file lacks.
        is_partial: whether the counts are of what can still be read, page by page.
        n_torn: how many lines of the safety log are damaged.
    """

    counts: dict[str, int]
    problems: list[str] = field(default_factory=list)
    n_missing: int = 0
    is_partial: bool = False
    n_torn: int = 0


def check_project(path: Path) -> Finding:
    """Check a project without changing it, whatever can be read of it.

    Raises:
        ProjectError: it is no project, is locked, or may not be read.
    """
    read_header(path)
    found = check_file(path)
    problems = list(found.problems)
    counts: dict[str, int] = {}
    n_missing = n_torn = 0
    try:
        with open_project(path, read_only=True) as session:
            counts = _count(session)
            problems += _value_problems(session)
            n_missing = count_missing(session)
            n_torn = count_torn(session)
    except (*WRONG_VALUES, JudgetoolError) as problem:
        problems = problems or [f"The project cannot be opened: {problem}"]
    order = ("schema", "queries", "documents", "documents with text", "runs")
    counts = found.readable or {**found.counts, **counts}
    ordered = {name: counts[name] for name in (*order, *counts) if name in counts}
    return Finding(ordered, problems, n_missing, bool(found.readable), n_torn)


def _count(session: Session) -> dict[str, int]:
    known, with_text = session.material.count_documents()
    return {
        "queries": len(session.material.queries),
        "documents": known,
        "documents with text": with_text,
        "runs": len(session.material.runs),
    }


def _value_problems(session: Session) -> list[str]:
    """Look at the project's values as opening does, and at what is taken from them later."""
    problems = []
    looks: dict[str, Callable[[], object]] = {
        "title": lambda: session.title,
        "measures": lambda: session.measures,
        "conventions": lambda: session.conventions,
        "pool": lambda: session.pool_choice,
    }
    for key, look in looks.items():
        try:
            look()
        except (*WRONG_VALUES, JudgetoolError) as problem:
            problems.append(
                f"The project's value ‘{key}’ is none that judgetool knows ({problem})."
            )
    return problems
