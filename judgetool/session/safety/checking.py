"""Whether a project file is sound, and what is in it."""

from dataclasses import dataclass, field
from pathlib import Path

from judgetool.session.opening import open_project
from judgetool.storage.check import count_log, find_problems, load_schema_number


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        counts: how much of what the project holds, by name, and the number of its schema.
        problems: a sentence for each thing that is wrong; empty for a sound file.
    """

    counts: dict[str, int]
    problems: list[str] = field(default_factory=list)


def check_project(path: Path) -> Finding:
    """Check a project without changing it.

    Raises:
        ProjectError: it cannot be opened at all.
    """
    with open_project(path, read_only=True) as session, session.second_reader() as reader:
        known, with_text = session.material.count_documents()
        counts = {
            "schema": load_schema_number(reader),
            "queries": len(session.material.queries),
            "documents": known,
            "documents with text": with_text,
            "runs": len(session.material.runs),
            **count_log(reader),
        }
        return Finding(counts, find_problems(reader, path))
