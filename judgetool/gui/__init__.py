"""The window: the only package that imports PySide6.

What is raised while Qt paints or asks a model is caught here. Qt calls these methods from
C++: what they raise comes back at whatever Python happens to stand above, or nowhere, and
leaves painters at work on pictures that are being thrown away: the process ends. So each
such method of each class of judgetool that Qt knows is wrapped when the class is made; what
it raises goes to ``sys.excepthook``, as from a slot.

Importing it also sees to it that the rest is loaded without delay: of half a second, the
search for garbage among what modules make takes 80 ms, and PySide's look at their source 60.
"""

import contextlib
import functools
import gc
import sys
from collections.abc import Callable
from traceback import walk_tb
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QPainter
from shiboken6 import isValid

GUARDED: dict[str, object] = {
    "paint": None,
    "paintEvent": None,
    "paintSection": None,
    "drawRow": None,
    "drawBranches": None,
    "drawBackground": None,
    "drawForeground": None,
    "data": None,
    "headerData": None,
    "rowCount": 0,
    "columnCount": 0,
    "sizeHint": QSize(0, 0),
    "minimumSizeHint": QSize(0, 0),
}
"""What Qt gets from a method that raised."""
MARK = "is_guarded"
Method = TypeVar("Method", bound=Callable[..., Any])


def cannot_raise(method: Method) -> Method:
    """Leave a method without a guard: what Qt asks for at every row, and never raises."""
    setattr(method, MARK, True)
    return method


def install_guard() -> None:
    """Guard every class derived from one of Qt's from now on."""
    QObject.__init_subclass__ = classmethod(_guard_class)  # type: ignore[assignment]


def _guard_class(cls: type, /) -> None:
    for name, answer in GUARDED.items():
        method = cls.__dict__.get(name)
        if callable(method) and not hasattr(method, MARK):
            setattr(cls, name, _guarded(method, answer))


def _guarded(method: Callable[..., Any], answer: object) -> Callable[..., Any]:
    @functools.wraps(method)
    def safe(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever Qt hands over
        try:
            return method(*arguments, **named)
        except Exception as error:  # noqa: BLE001 - Qt must not see any
            _end_painters(error, lent=arguments)
            sys.excepthook(type(error), error, error.__traceback__)
            return answer

    setattr(safe, MARK, True)
    return safe


def _end_painters(error: BaseException, *, lent: tuple[object, ...]) -> None:
    """End the painters that were at work where it was raised: their pictures go next."""
    for frame, __ in reversed(list(walk_tb(error.__traceback__))):
        for value in list(frame.f_locals.values()):
            is_own = isinstance(value, QPainter) and not any(value is each for each in lent)
            if is_own and isValid(value) and value.isActive():
                value.end()


# Garbage is looked for while nothing else happens (project_view); otherwise only after so many
# new objects, so that it seldom comes between a key and its answer, and on the window's own
# thread (jobs.Collector).
COLLECT_AFTER = (20_000, 20, 20)


def load_fast() -> None:
    """Have whatever is imported from now on neither searched for garbage nor read by PySide.

    PySide reads the source of each module to learn whether it may ask for ``__feature__``,
    other spellings of Qt's names. Nothing here does. Where a later PySide has no such place,
    it goes on reading.
    """
    if gc.get_threshold()[0] < COLLECT_AFTER[0]:
        gc.set_threshold(*COLLECT_AFTER)
    with contextlib.suppress(ImportError):
        from shibokensupport import feature  # type: ignore[import-not-found]  # noqa: PLC0415 - comes with PySide6

        if hasattr(feature, "_mod_uses_pyside"):
            feature._mod_uses_pyside = lambda _module: False  # noqa: SLF001 - it has no other door


def keep_loaded(*, is_searched: bool) -> None:
    """Have what is there now stay, and what comes looked through as a window wants it.

    Looking through all of it would stop the window for 50 ms and more, every few hundred keys.

    Args:
        is_searched: whether garbage is looked for once before.
    """
    if is_searched:
        # What stayed of a project before would be kept for ever.
        gc.unfreeze()
        gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


load_fast()
install_guard()
