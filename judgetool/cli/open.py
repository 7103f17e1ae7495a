"""``judgetool open`` and ``demo``: the window. The only module of the commands that loads Qt.

Qt itself ends the process with a loader's message, so whether a screen and its libraries are
there is asked first. Linux alone: Windows and macOS always have a screen, and Qt brings its
libraries along.
"""

import ctypes
import getpass
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import click

from judgetool.cli.command import (
    FILE_NAME,
    FILE_PATH,
    assessor_option,
    command,
    stacked,
    tell_result,
)
from judgetool.core.clock import utc_ms
from judgetool.core.system import IS_LINUX, IS_WINDOWS, start_another
from judgetool.errors import EnvironmentLackError, InputError, UsageError
from judgetool.session.commands import find_name_problem
from judgetool.settings import THEMES, load_settings
from judgetool.wording import _, listed

_SIZE = re.compile(r"([1-9][0-9]{1,4})[x×]([1-9][0-9]{1,4})")


def _parse_size(_context: click.Context, _param: click.Parameter, text: str) -> tuple[int, int]:
    """Return width and height of ``1400x900``."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise UsageError(
            _("--size {text}: expected width x height in pixels, such as 1400x900.").format(
                text=text
            )
        )
    return int(found[1]), int(found[2])


window_options = stacked(
    [
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
            "--theme",
            type=click.Choice(THEMES[1:]),
            help="Otherwise as chosen in the window.",
        ),
    ]
)
"""The options that ``open`` and ``demo`` share."""


@command(
    "open",
    examples=(
        "judgetool open recipes.judge",
        "judgetool open recipes.judge shop.judge",
        "judgetool open recipes.judge --assessor anna",
        "judgetool open recipes.judge --screenshot window.png --size 1100x700 --theme dark",
    ),
)
@click.argument("projects", metavar="[PROJECT]...", nargs=-1, type=FILE_NAME)
@window_options
def open_command(projects: tuple[str, ...], **window: Any) -> int:  # noqa: ANN401 - of open_window
    """Open PROJECT in a window, each of several in its own; without one, the welcome screen.

    A file may also be named by its address, file://…, as desktops do. Without a screen it
    says so and how to get one.
    """
    paths = [_local_path(each) for each in projects]
    if len(paths) > 1 and window["screenshot"] is not None:
        raise UsageError(_("--screenshot makes the picture of one project: name one alone."))
    if len(paths) > 1:
        check_screen()
    for path in paths[1:]:
        said = [f"--{name}={window[name]}" for name in ("assessor", "theme") if window[name]]
        start_another(["open", *said, "--", str(path)])
    return open_window(next(iter(paths), None), **window)


def _local_path(text: str) -> Path:
    """Return the path that a name, or the address that a desktop gives a file, stands for."""
    if not text.lower().startswith("file:"):
        return Path(text)
    address = urlsplit(text)
    if address.netloc not in ("", "localhost"):
        raise InputError(
            _(
                "{text} is a file on another machine, {machine}. Copy it to a disk of this one."
            ).format(text=text, machine=address.netloc)
        )
    path = os.fsdecode(unquote_to_bytes(address.path))
    return Path(path.removeprefix("/") if IS_WINDOWS else path)


def open_window(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None,
    size: tuple[int, int],
    theme: str | None,
    is_sample: bool = False,
) -> int:
    """Open the window and return its exit code, once it is closed.

    Args:
        project: what to open; ``None`` for the welcome screen.
        assessor: who judges; ``""`` for the name kept in the settings.
        screenshot: write a picture here and end, without a screen.
        size: of the picture, in pixels.
        theme: one of the settings' own; ``None`` as the settings say.
        is_sample: whether the project is the sample, whose first opening begins the tour.

    Raises:
        EnvironmentLackError: there is no screen, Qt cannot be loaded, or the clock tells no time.
    """
    utc_ms()
    problem = find_name_problem(assessor)
    if problem:
        raise InputError(problem)
    check_screen(is_offscreen=screenshot is not None)
    if screenshot is not None:
        os.environ[PLATFORM_VARIABLE] = OFFSCREEN
    try:
        from judgetool.gui.app import run_window  # noqa: PLC0415 - nothing else may load Qt
    except ImportError as error:
        raise qt_lack(error) from error
    return run_window(
        project,
        assessor=assessor,
        screenshot=screenshot,
        size=size,
        theme=theme,
        is_sample=is_sample,
    )


def qt_lack(error: ImportError) -> Exception:
    """Return what to raise where Qt could not be imported: the error itself where it is ours."""
    if not (error.name or "").startswith(("PySide6", "shiboken6")) and "Qt" not in str(error):
        return error
    return EnvironmentLackError(
        _(
            "Qt cannot be loaded: {error}. Install judgetool again, or the library that it "
            "names (on Debian and Ubuntu ‘apt-file search’ finds its package)."
        ).format(error=error)
    )


def login_name() -> str:
    """Return the login name, for whom no better name is known."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without an entry, as in containers
        return "user" if IS_WINDOWS else "me"


@command(
    "demo",
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
def demo_command(project: Path | None, *, fresh: bool, **window: Any) -> int:  # noqa: ANN401 - of open_window
    """Open the bundled sample: 20 queries over recipes, partly judged.

    The first time a copy is made at PROJECT or, without it, in the user’s data folder.
    Later it is opened as it was left; --fresh begins anew and keeps the old copy.
    """
    from judgetool.session.imports.importing import (  # noqa: PLC0415 - a window needs no reader of files
        make_sample,
        sample_path,
        set_sample_aside,
    )

    check_screen(is_offscreen=window["screenshot"] is not None)
    path = project or sample_path()
    if fresh and project is None and path.exists():
        tell_result(
            _("The sample as it was left is kept as {path}.").format(path=set_sample_aside(path))
        )
    if project is not None or not path.exists():
        make_sample(path)
    window["assessor"] = window["assessor"] or load_settings().assessor or login_name()
    return open_window(path, **window, is_sample=True)


OFFSCREEN = "offscreen"
PLATFORM_VARIABLE = "QT_QPA_PLATFORM"

_SCREENS = {"xcb": "DISPLAY", "wayland": "WAYLAND_DISPLAY"}

Loads = Callable[[str], bool]

# What Qt's libraries are linked with, and the Debian and Ubuntu packages that have it.
_ALWAYS = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libX11.so.6": "libx11-6",
}
_XCB = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libX11-xcb.so.1": "libx11-xcb1",
}
_WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}


def check_screen(*, is_offscreen: bool = False) -> None:
    """Refuse to load Qt where it could not open a window.

    Args:
        is_offscreen: a picture is wanted, which needs no screen.

    Raises:
        EnvironmentLackError: no screen, or a system library is missing; the text says
            what to do about it.
    """
    if not IS_LINUX:
        return
    environment = {**os.environ, PLATFORM_VARIABLE: OFFSCREEN} if is_offscreen else os.environ
    problem = (
        find_screen_problem(environment)
        or find_library_problem(environment, loads=_loads)
        or find_display_problem(environment)
    )
    if problem:
        raise EnvironmentLackError(problem)


def find_screen_problem(environment: Mapping[str, str]) -> str:
    """Return a sentence when no screen is named in the environment, else ``""``."""
    way = _way(environment)
    if way not in _SCREENS or environment.get(_SCREENS[way]):
        return ""
    unset = _("{variable} is not set").format(variable=_SCREENS[way])
    if not environment.get(PLATFORM_VARIABLE):
        unset = _("neither DISPLAY nor WAYLAND_DISPLAY is set")
    return _(
        "There is no screen here: {unset}, so no window can be opened. Start judgetool on "
        "a desktop; or with a screen in memory: xvfb-run -a judgetool demo (package xvfb); "
        "or have a picture made: judgetool demo --screenshot out.png."
    ).format(unset=unset)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def find_library_problem(environment: Mapping[str, str], *, loads: Loads) -> str:
    """Return a sentence naming the packages that are missing, else ``""``.

    Args:
        environment: decides which of Qt's ways to a screen is taken.
        loads: whether a library can be loaded.
    """
    needed = _ALWAYS | {"xcb": _XCB, "wayland": _WAYLAND}.get(_way(environment), {})
    missing = {library: package for library, package in needed.items() if not loads(library)}
    if not missing:
        return ""
    packages = list(dict.fromkeys(missing.values()))
    return _(
        "Qt needs {libraries}, which this machine does not have. On Debian or Ubuntu: sudo "
        "apt-get install -y --no-install-recommends {packages}"
    ).format(libraries=listed(list(missing)), packages=" ".join(packages))


def find_display_problem(environment: Mapping[str, str]) -> str:
    """Return a sentence when the X screen that DISPLAY names does not answer, else ``""``."""
    if _way(environment) != "xcb":
        return ""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    display = environment.get("DISPLAY", "")
    connection = xcb.xcb_connect(os.fsencode(display), None)
    has_error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    if not has_error:
        return ""
    return _(
        "The screen that DISPLAY names ({display}) does not answer, so no window can be "
        "opened. Start judgetool on a desktop, or with a screen in memory: xvfb-run -a "
        "judgetool demo."
    ).format(display=display)


def desktop_libraries() -> dict[str, str]:
    """Return all that Qt may want of a Linux system, whatever the way to the screen.

    Returns:
        The package of Debian and Ubuntu, by the library: what packages without Python leave out.
    """
    return {**_ALWAYS, **_XCB, **_WAYLAND}


def _way(environment: Mapping[str, str]) -> str:
    """Return by which plugin Qt will reach the screen."""
    named = environment.get(PLATFORM_VARIABLE, "").partition(":")[0].partition(";")[0]
    if named:
        return named
    is_wayland_session = environment.get("XDG_SESSION_TYPE") == "wayland"
    has_wayland = bool(environment.get("WAYLAND_DISPLAY"))
    if has_wayland and (is_wayland_session or not environment.get("DISPLAY")):
        return "wayland"
    return "xcb"
