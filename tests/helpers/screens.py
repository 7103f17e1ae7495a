"""A real X display for tests and benchmarks, and keys that come from it."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

NO_XVFB = "there is no Xvfb on this machine (Debian: apt-get install xvfb)"
_HELD = {"ctrl": "Control_L", "alt": "Alt_L", "shift": "Shift_L"}
# What is typed with Shift is named by the key that it stands on.
_SIGNS = {"/": "slash", ".": "period", "-": "minus", " ": "space", ",": "comma", "=": "equal", "_": "shift+minus"}  # fmt: skip


def has_xvfb() -> bool:
    """Whether a display can be started."""
    return shutil.which("Xvfb") is not None


@contextmanager
def x_display(size: str = "1920x1080") -> Iterator[str]:
    """Start an X display in memory and stop it afterwards; yields its name, such as ``:5``."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{size}x24"]
    server = subprocess.Popen(
        [*command, "-dpi", "96", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write_end,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError("Xvfb ended before it had a display")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


class XKeys:
    """Keys of the X server's own (XTEST): they reach whatever window has the keyboard there.

    Args:
        display: name of it, such as ``:5``.

    Raises:
        OSError: libX11 or libXtst is not on this machine.
    """

    def __init__(self, display: str) -> None:
        self._x11, self._test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XStringToKeysym.restype = ctypes.c_ulong
        self._x11.XKeysymToKeycode.restype = ctypes.c_ubyte
        self._x11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self._x11.XFlush.argtypes = [ctypes.c_void_p]
        self._x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
        self._test.XTestFakeKeyEvent.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint,
            ctypes.c_int,
            ctypes.c_ulong,
        ]
        self._display = self._x11.XOpenDisplay(display.encode())
        if not self._display:
            raise OSError(f"the display {display} cannot be opened")

    def press(self, name: str) -> None:
        """Press and release a key by X's name for it, such as ``j`` or ``ctrl+shift+bracketright``."""
        *held, key = name.split("+")
        keys = [*(_HELD[each] for each in held), key]
        for each in keys:
            self._send(each, is_down=True)
        for each in reversed(keys):
            self._send(each, is_down=False)
        self._x11.XFlush(self._display)

    def type(self, text: str) -> None:
        """Type small letters, digits and simple signs."""
        for sign in text:
            self.press(_SIGNS.get(sign, sign))

    def _send(self, name: str, *, is_down: bool) -> None:
        symbol = self._x11.XStringToKeysym(name.encode())
        code = self._x11.XKeysymToKeycode(self._display, symbol)
        self._test.XTestFakeKeyEvent(self._display, code, int(is_down), 0)

    def close(self) -> None:
        """Let go of the display."""
        self._x11.XCloseDisplay(self._display)
