"""``judgetool demo``: the bundled sample, ready to judge."""

from pathlib import Path

import click

from judgetool.cli.command import JudgetoolCommand
from judgetool.cli.open import login_name, open_window, window_options
from judgetool.cli.screen import check_screen
from judgetool.session.sample import make_sample, sample_path
from judgetool.settings import load_settings


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
    path = project or sample_path()
    make_sample(path)
    return open_window(
        path,
        assessor=assessor or load_settings().assessor or login_name(),
        screenshot=screenshot,
        size=size,
        theme=theme,
    )
