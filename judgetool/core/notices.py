"""Sentences that a person should read though nothing failed, whoever has a screen for them.

What could not be kept outside the project's folder, or what was found beside a file and
put aside: the window shows them in its status line, commands print them at their end. And a
small signal for code that must not know Qt.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_WAITING: list[str] = []
_TURN = threading.Lock()


def tell(sentence: str) -> None:
    """Have a sentence told once, at the next opportunity; from any thread; ``""`` is none."""
    with _TURN:
        if sentence and sentence not in _WAITING:
            _WAITING.append(sentence)


def take_notices() -> list[str]:
    """Return what waits to be told, oldest first; whoever asks tells it."""
    with _TURN:
        taken = list(_WAITING)
        _WAITING.clear()
    return taken


T = TypeVar("T")


class Signal(Generic[T]):
    """Tells listeners of something that has happened, in the order they connected.

    A listener that raises does not keep the others from being told: the fact has
    happened already. Its exception is logged as an error with its traceback.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], None]] = []

    def connect(self, listener: Callable[[T], None]) -> None:
        """Tell ``listener`` from now on."""
        self._listeners.append(listener)

    def disconnect(self, listener: Callable[[T], None]) -> None:
        """Tell ``listener`` no more; not being connected is no error."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, value: T) -> None:
        """Tell all listeners."""
        for listener in tuple(self._listeners):
            try:
                listener(value)
            except Exception:
                # Whatever it is, the others must still be told.
                import logging  # noqa: PLC0415 - for a fault of ours alone

                logging.getLogger(__name__).exception(
                    "a listener failed; the change itself is saved"
                )
