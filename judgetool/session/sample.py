"""The bundled sample as a fresh project."""

from pathlib import Path

from judgetool.core.folders import data_folder
from judgetool.core.scale import scale_preset
from judgetool.errors import InputError, ProjectBusyError, ProjectError
from judgetool.formats import Kind, read_file
from judgetool.resources import resource_path
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project

_FILES = (
    ("queries.jsonl", Kind.QUERIES),
    ("documents.jsonl", Kind.DOCUMENTS),
    ("runs/full-bm25-stem.run", Kind.RUN),
    ("runs/chargrams.run", Kind.RUN),
    ("runs/title-bm25.run", Kind.RUN),
    ("judgments.csv", Kind.JUDGMENTS),
)
SAMPLE_TITLE = "recipes"


def sample_path() -> Path:
    """Return where the sample is put when nobody says where."""
    return data_folder() / "demo" / "recipes.judge"


def make_sample(path: Path) -> None:
    """Make a fresh copy of the sample: 20 queries, 161 recipes, 3 runs, two assessors.

    A sample at :func:`sample_path` is replaced: it is there to be played with. Any
    other file is left alone.

    Raises:
        InputError: something stands at ``path``, or its folder is missing.
        ProjectBusyError: the older copy is open in another judgetool.
        SaveError: the disk is full or cannot be written.
    """
    if path == sample_path():
        _make_room(path)
    elif path.exists():
        raise InputError(
            f"{path} exists already and was left as it is. Choose another name, or open it "
            f"with ‘judgetool open {path}’."
        )
    create_project(path, scale=scale_preset("0-3"), title=SAMPLE_TITLE)
    with open_project(path) as session:
        readings = [read_file(resource_path(f"sample/{name}"), kind=kind) for name, kind in _FILES]
        import_readings(session, readings)


def _make_room(path: Path) -> None:
    """Take the older copy away, with what SQLite left beside it if its process was killed."""
    try:
        with open_project(path) as session:
            reason = session.read_only_reason
    except ProjectError:
        # Missing, damaged or of another kind: nobody can be using it.
        reason = ""
    if reason:
        raise ProjectBusyError(
            f"The sample project is in use and was left as it is. {reason} Close that window, or "
            "name another place: ‘judgetool demo sample.judge’.",
            path=path,
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    except OSError as problem:
        raise InputError(
            f"The sample cannot be put into {path.parent}: {problem.strerror}. "
            "Say where it should go: ‘judgetool demo FILE’."
        ) from problem
