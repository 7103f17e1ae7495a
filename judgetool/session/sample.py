"""The bundled sample as a fresh project."""

import contextlib
import time
from pathlib import Path

from judgetool.core.held_files import beside
from judgetool.core.scale import scale_preset
from judgetool.core.system import data_folder
from judgetool.errors import InputError, ProjectBusyError, ProjectError, why_refused
from judgetool.formats import Kind, read_file
from judgetool.resources import resource_path
from judgetool.session.commands import SetValues
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from judgetool.storage.disks import free_name
from judgetool.wording import _

_FILES = (
    ("queries.jsonl", Kind.QUERIES),
    ("documents.jsonl", Kind.DOCUMENTS),
    ("runs/full-bm25-stem.run", Kind.RUN),
    ("runs/chargrams.run", Kind.RUN),
    ("runs/title-bm25.run", Kind.RUN),
    ("judgments.csv", Kind.JUDGMENTS),
)
SAMPLE_TITLE = "recipes"
# Its first result is the best answer and unjudged: the grade that it deserves moves every value
# but R@10, and three more documents are left to judge.
_START = "18"


def sample_path() -> Path:
    """Return where the sample is put when nobody says where."""
    return data_folder() / "demo" / "recipes.judge"


def make_sample(path: Path) -> None:
    """Make a fresh copy of the sample: 20 queries, 161 recipes, 3 runs, two assessors.

    Raises:
        InputError: something stands at ``path``, or its folder is missing.
        SaveError: the disk is full or cannot be written.
    """
    if path == sample_path():
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise InputError(
            _(
                "{path} exists already and was left as it is. Choose another name, or open it "
                "with ‘judgetool open {path}’."
            ).format(path=path)
        )
    create_project(path, scale=scale_preset("0-3"), title=SAMPLE_TITLE)
    with open_project(path) as session:
        session.execute(SetValues({"start": _START}, f"Begin at query {_START}"))
        readings = [read_file(resource_path(f"sample/{name}"), kind=kind) for name, kind in _FILES]
        import_readings(session, readings)


def set_sample_aside(path: Path) -> Path:
    """Give a sample that was worked in another name, beside a log that a kill left with it.

    Returns:
        Where it is now.

    Raises:
        ProjectBusyError: it is open in a judgetool.
        InputError: it cannot be renamed.
    """
    _refuse_in_use(path)
    stamp = time.strftime("%Y-%m-%d %H.%M")
    kept = free_name(path, f"{path.stem} until {stamp}", path.suffix, number=" ({})")
    try:
        for ending in ("-wal", "-shm", "-journal", ""):
            if beside(path, ending).exists():
                beside(path, ending).rename(beside(kept, ending))
    except OSError as problem:
        raise InputError(
            _(
                "The sample at {path} cannot be put aside: {strerror}. It is as it was; say "
                "where a fresh one should go: ‘judgetool demo FILE’."
            ).format(path=path, strerror=why_refused(problem))
        ) from problem
    return kept


def _refuse_in_use(path: Path) -> None:
    try:
        with open_project(path) as session:
            reason = session.read_only_reason
    except ProjectError:
        # Damaged or of another kind: nobody can be using it.
        return
    if reason:
        raise ProjectBusyError(
            _(
                "The sample project is in use and was left as it is. {reason} Close that window, "
                "or name another place: ‘judgetool demo sample.judge’."
            ).format(reason=reason),
            path=path,
        )
