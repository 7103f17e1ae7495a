"""Loading, once a project is open and shown, the code of the views that are not."""

import importlib

from PySide6.QtCore import QObject, QTimer

from judgetool.errors import JudgetoolError
from judgetool.gui.jobs import JobHandle, Jobs

# Together some 0.3 s of loading, which the first look at a view would have to wait for.
_PAGES = ("judgetool.gui.whatif.page", "judgetool.gui.compare.page")
_AFTER_MS = 1500


class Preload(QTimer):
    """Has the worker load the pages a little after a project was opened.

    Args:
        jobs: of the window.
        parent: without it nothing is loaded any more.
    """

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent, singleShot=True, interval=_AFTER_MS)
        self.timeout.connect(lambda: jobs.submit(_load, _done, _leave, owner=self))
        self.start()

    def close(self) -> None:
        """Load nothing any more."""
        self.stop()


def _load(handle: JobHandle) -> None:
    for name in _PAGES:
        handle.check()
        importlib.import_module(name)


def _done(_nothing: None) -> None:
    """The pages are made when they are first wanted."""


def _leave(error: Exception) -> None:
    """Whoever wants a page that cannot be loaded is told why, as by any other fault."""
    if not isinstance(error, JudgetoolError):
        raise error
