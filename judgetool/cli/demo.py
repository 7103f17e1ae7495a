"""``judgetool demo``: the bundled sample, ready to judge."""

from pathlib import Path

import click

from judgetool.cli.command import FILE_PATH, JudgetoolCommand
from judgetool.cli.open import login_name, open_window, window_options
from judgetool.cli.screen import check_screen
from judgetool.session.sample import make_sample, sample_path, set_sample_aside
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
@click.argument("project", required=False, type=FILE_PATH)
@click.option(
    "--fresh", is_flag=True, help="Begin anew; the copy that was worked in is kept beside it."
)
@window_options
def command(
    project: Path | None,
    *,
    fresh: bool,
    assessor: str,
    screenshot: Path | None,
    size: tuple[int, int],
    theme: str | None,
) -> int:
    """Open the bundled sample: 20 queries over recipes, partly judged.

    The first time a copy is made at PROJECT or, without it, in the user's data folder.
    Later it is opened as it was left; --fresh begins anew and keeps the old copy.
    """
    check_screen(is_offscreen=screenshot is not None)
    path = project or sample_path()
    if fresh and project is None and path.exists():
        click.echo(f"The sample as it was left is kept as {set_sample_aside(path)}.")
    if project is not None or not path.exists():
        make_sample(path)
    return open_window(
        path,
        assessor=assessor or load_settings().assessor or login_name(),
        screenshot=screenshot,
        size=size,
        theme=theme,
    )
