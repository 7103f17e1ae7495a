"""Windows that ask for one thing; each has a classmethod ``ask`` that returns the answer.

A dialog is titled by its act; at the right of its foot stand Cancel and then the
verb. It changes nothing by itself: whoever asked acts on the answer. (The import is
the exception: it must show how far it is while it writes.)

Here stands what may be asked of the person: the protocol by which dialogs and panels ask. How Qt
asks is in :mod:`judgetool.gui.prompter`; this half knows no window, so that dialogs can ask
without knowing who shows the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from judgetool.wording import N_, _


@dataclass(frozen=True, slots=True)
class FileKind:
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


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question, as a button.

    Attributes:
        name: what :meth:`Prompter.ask` returns.
        text: on the button, a verb: ``Save elsewhere…``.
        destroys: something is lost by it, so Enter does not choose it.
    """

    name: str
    text: str
    destroys: bool = False


class Prompter(Protocol):
    """Asks the person, and tells them."""

    def choose_files(self, title: str, kinds: Sequence[FileKind]) -> list[Path]:
        """Return files to be opened; empty when none was chosen."""

    def choose_file(self, title: str, kinds: Sequence[FileKind] = (ALL_FILES,)) -> Path | None:
        """Return one file to be opened, or ``None``."""

    def choose_place(
        self, title: str, suggested: Path, *, kinds: Sequence[FileKind]
    ) -> Path | None:
        """Return where to save, or ``None``; an existing file was confirmed by the person."""

    def ask(
        self,
        text: str,
        choices: Sequence[Choice],
        *,
        detail: str = "",
        title: str = "",
        put_off: str = N_("Cancel"),
    ) -> str | None:
        """Return the name of the chosen answer; ``None`` when it was put off (Cancel, Esc).

        Args:
            text: what happened or is about to, in a sentence.
            choices: the last one is the main verb.
            detail: more, such as paths or lines; may be long.
            title: of what it is about; ``""`` where the text says it.
            put_off: on the button that answers nothing; ``""`` for none: Esc does it alone.
        """

    def tell(self, text: str, *, detail: str = "", title: str = "") -> None:
        """Say something that needs no answer but must not be missed."""
