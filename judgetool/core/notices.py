"""Sentences that a person should read though nothing failed, whoever has a screen for them.

What could not be kept outside the project's folder, or what was found beside a file and
put aside: the window shows them in its status line, commands print them at their end.
"""

import threading

_WAITING: list[str] = []
_TURN = threading.Lock()


def tell(sentence: str) -> None:
    """Have a sentence told once, at the next opportunity; from any thread."""
    with _TURN:
        if sentence not in _WAITING:
            _WAITING.append(sentence)


def take_notices() -> list[str]:
    """Return what waits to be told, oldest first; whoever asks tells it."""
    with _TURN:
        taken = list(_WAITING)
        _WAITING.clear()
    return taken
