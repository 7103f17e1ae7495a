"""A small signal for code that must not know Qt."""

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


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
            except Exception:  # noqa: BLE001 - whatever it is, the others must still be told
                _LOG.exception("a listener failed; the change itself is saved")
