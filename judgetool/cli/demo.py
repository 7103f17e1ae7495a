"""``judgetool demo``: the bundled sample, ready to judge."""

from pathlib import Path

import click

from judgetool.cli.command import JudgetoolCommand
from judgetool.cli.open import login_name, open_window, window_options
from judgetool.cli.screen import check_screen
from judgetool.errors import InputError, ProjectBusyError, ProjectError
from judgetool.session.opening import open_project
from judgetool.session.sample import make_sample, sample_path
from judgetool.settings import load_settings

# What SQLite may have left beside a project whose process was killed.
_COMPANIONS = ("-wal", "-shm", "-journal")


@click.command(
    "demo",
    cls=JudgetoolCommand,
    examples=(
        "judgetool demo",
        "judgetool demo try.judge --assessor anna",
        "judgetool demo try.judge --screenshot window.png",
    ),
)
@click.argument("project", required=False, type=click.Path(path_type=Path))
@window_options
def command(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None,
    size: tuple[int, int],
    theme: str | None,
) -> int:
    """Open a fresh copy of the bundled sample: 20 queries over recipes, partly judged.

    The copy is made at PROJECT, which must not exist yet; without it in the user's data
    folder, where it takes the place of an older copy.
    """
    check_screen(is_offscreen=screenshot is not None)
    path = make_demo(project)
    return open_window(
        path,
        assessor=assessor or load_settings().assessor or login_name(),
        screenshot=screenshot,
        size=size,
        theme=theme,
    )


def make_demo(target: Path | None) -> Path:
    """Make a fresh sample project and return where it is.

    Args:
        target: where; nothing may stand there. ``None`` takes the user's data folder
            and replaces an older copy.

    Raises:
        InputError: something stands at ``target`` already.
        ProjectBusyError: the older copy is open in another judgetool.
    """
    if target is None:
        path = sample_path()
        _make_room(path)
    else:
        path = target
        if path.exists():
            raise InputError(
                f"{path} exists already and was left as it is. Choose another name, or open it "
                f"with ‘judgetool open {path}’."
            )
    make_sample(path)
    return path


def _make_room(path: Path) -> None:
    """Refuse to replace a copy that a window has open; take away what a killed one left."""
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
    for ending in _COMPANIONS:
        path.with_name(path.name + ending).unlink(missing_ok=True)
