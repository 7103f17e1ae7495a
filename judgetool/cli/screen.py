"""Whether a window can be opened here, and what is missing if not.

Qt itself ends the process with a loader's message, so this is asked before Qt is
loaded. Linux alone: Windows and macOS always have a screen, and Qt brings its
libraries along.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence

from judgetool.errors import EnvironmentLackError

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
    if not sys.platform.startswith("linux"):
        return
    environment = {**os.environ, PLATFORM_VARIABLE: OFFSCREEN} if is_offscreen else os.environ
    problem = (
        find_screen_problem(environment)
        or find_library_problem(environment)
        or find_display_problem(environment)
    )
    if problem:
        raise EnvironmentLackError(problem)


def find_screen_problem(environment: Mapping[str, str]) -> str:
    """Return a sentence when no screen is named in the environment, else ``""``."""
    way = _way(environment)
    if way not in _SCREENS or environment.get(_SCREENS[way]):
        return ""
    unset = f"{_SCREENS[way]} is not set"
    if not environment.get(PLATFORM_VARIABLE):
        unset = "neither DISPLAY nor WAYLAND_DISPLAY is set"
    return (
        f"There is no screen here: {unset}, so no window can be opened. "
        "Start judgetool on a desktop; or with a screen in memory: xvfb-run -a judgetool "
        "demo (package xvfb); or have a picture made: judgetool demo --screenshot out.png."
    )


def find_library_problem(environment: Mapping[str, str], *, loads: Loads | None = None) -> str:
    """Return a sentence naming the packages that are missing, else ``""``.

    Args:
        environment: decides which of Qt's ways to a screen is taken.
        loads: whether a library can be loaded; ``None`` asks the system's loader.
    """
    is_there = loads or _loads
    missing = {
        library: package
        for library, package in _needed(environment).items()
        if not is_there(library)
    }
    if not missing:
        return ""
    packages = list(dict.fromkeys(missing.values()))
    return (
        f"Qt needs {_listed(list(missing))}, which this machine does not have. On Debian or "
        f"Ubuntu: sudo apt-get install -y --no-install-recommends {' '.join(packages)}"
    )


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
    return (
        f"The screen that DISPLAY names ({display}) does not answer, so no window can be opened. "
        "Start judgetool on a desktop, or with a screen in memory: xvfb-run -a judgetool demo."
    )


def _needed(environment: Mapping[str, str]) -> dict[str, str]:
    extra = {"xcb": _XCB, "wayland": _WAYLAND}.get(_way(environment), {})
    return {**_ALWAYS, **extra}


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


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
