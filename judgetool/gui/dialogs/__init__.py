"""Windows that ask for one thing; each has a classmethod ``ask`` that returns the answer.

A dialog is titled by its act; at the right of its foot stand Cancel and then the
verb. It changes nothing by itself: whoever asked acts on the answer. (The import is
the exception: it must show how far it is while it writes.)

Here stands what a file dialog shows and what a question can be answered with; the one who asks both
is in :mod:`judgetool.gui.dialogs.prompter`.
"""

from typing import NamedTuple

from judgetool.wording import N_, _


class FileKind(NamedTuple):
    """What files a file dialog shows.

    Attributes:
        title: for people, such as ``judgetool projects``.
        endings: with their dots; empty for all files.
    """

    title: str
    endings: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """As Qt's file dialogs want it."""
        stars = " ".join(f"*{ending}" for ending in self.endings) or "*"
        return f"{_(self.title)} ({stars})"


ALL_FILES = FileKind(N_("All files"))
PROJECTS = FileKind(N_("judgetool projects"), (".judge",))


class Choice(NamedTuple):
    """One answer to a question, as a button.

    Attributes:
        name: what :meth:`Prompter.ask` returns.
        text: on the button, a verb: ``Save elsewhere…``.
        destroys: something is lost by it, so Enter does not choose it.
    """

    name: str
    text: str
    destroys: bool = False
