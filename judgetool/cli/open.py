"""``judgetool open``: the window. The only module of the commands that loads Qt."""

import getpass
import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import FILE_PATH, JudgetoolCommand, assessor_option
from judgetool.cli.screen import OFFSCREEN, PLATFORM_VARIABLE, check_screen
from judgetool.errors import EnvironmentLackError, UsageError
from judgetool.settings import load_settings

_SIZE = re.compile(r"([1-9][0-9]{1,4})[x×]([1-9][0-9]{1,4})")


def _parse_size(_context: click.Context, _param: click.Parameter, text: str) -> tuple[int, int]:
    """Return width and height of ``1400x900``."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"--size {text}: expected width x height in pixels, such as 1400x900.")
    return int(found[1]), int(found[2])


WINDOW_OPTIONS = (
    assessor_option("Who judges; otherwise as kept, or asked.", default=""),
    click.option(
        "--screenshot",
        type=FILE_PATH,
        metavar="FILE",
        help="Write a PNG picture of the window and end; needs no screen.",
    ),
    click.option(
        "--size",
        default="1400x900",
        metavar="WxH",
        show_default=True,
        callback=_parse_size,
        help="Of the picture, in pixels.",
    ),
    click.option(
        "--theme", type=click.Choice(["light", "dark"]), help="Otherwise as chosen in the window."
    ),
)


def window_options(function: Any) -> Any:  # noqa: ANN401 - click's decorators take whatever there is
    """Add the options that ``open`` and ``demo`` share."""
    for option in reversed(WINDOW_OPTIONS):
        function = option(function)
    return function


@click.command(
    "open",
    cls=JudgetoolCommand,
    examples=(
        "judgetool open recipes.judge",
        "judgetool open recipes.judge --assessor anna",
        "judgetool open recipes.judge --screenshot window.png --size 1100x700 --theme dark",
    ),
)
@click.argument("project", required=False, type=FILE_PATH)
@window_options
def command(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None,
    size: tuple[int, int],
    theme: str | None,
) -> int:
    """Open PROJECT in a window; without one, the welcome screen.

    Without a screen it says so and how to get one.
    """
    return open_window(project, assessor=assessor, screenshot=screenshot, size=size, theme=theme)


def open_window(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None,
    size: tuple[int, int],
    theme: str | None,
) -> int:
    """Open the window and return its exit code, once it is closed.

    Args:
        project: what to open; ``None`` for the welcome screen.
        assessor: who judges; ``""`` for the name kept in the settings.
        screenshot: write a picture here and end, without a screen.
        size: of the picture, in pixels.
        theme: ``light`` or ``dark``; ``None`` as the settings say.

    Raises:
        EnvironmentLackError: there is no screen, or Qt cannot be loaded.
    """
    check_screen(is_offscreen=screenshot is not None)
    if screenshot is not None:
        os.environ[PLATFORM_VARIABLE] = OFFSCREEN
    try:
        from judgetool.gui.app import run_window  # noqa: PLC0415 - nothing else may load Qt
    except ImportError as error:
        if not (error.name or "").startswith(("PySide6", "shiboken6")) and "Qt" not in str(error):
            raise
        raise EnvironmentLackError(
            f"Qt cannot be loaded: {error}. Install judgetool again, or the library that it names "
            "(on Debian and Ubuntu ‘apt-file search’ finds its package)."
        ) from error
    return run_window(
        project,
        assessor=assessor or load_settings().assessor,
        screenshot=screenshot,
        size=size,
        theme=theme,
    )


def login_name() -> str:
    """Return the login name, for whom no better name is known."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without an entry, as in containers
        return "me" if sys.platform != "win32" else "user"
