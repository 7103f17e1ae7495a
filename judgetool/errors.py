"""Every error that a person may be shown, and who is to blame for it.

The text of each is a whole sentence or two: what happened, where, what was
expected, what was kept, what to do. Commands and dialogs print it as it is.

    JudgetoolError
    ├── InputError                what was given does not fit          exit 1
    │   ├── ParseError            a line of a file does not fit its format
    │   └── CommandRefusedError   a change that the project does not allow
    ├── ProjectError              the project file cannot be used      exit 1
    │   ├── NotAProjectError      another kind of file
    │   ├── ProjectTooNewError    made by a newer judgetool
    │   ├── ProjectDamagedError   SQLite or our own checks find it unsound
    │   ├── ProjectBusyError      another judgetool writes to it
    │   ├── ProjectMovedError     moved, deleted or replaced while open
    │   ├── ReadOnlyError         it can be read but not changed
    │   └── SaveError             a change could not be written; nothing of it was
    ├── HubError                  the team's hub cannot be used        exit 1
    │   ├── HubOfflineError       it is not reached; later it may be
    │   ├── HubRefusedError       it does not let somebody in, or do something
    │   └── HubTooNewError        made or upgraded by a newer judgetool
    ├── UsageError                a command was called the wrong way   exit 2
    ├── EnvironmentLackError      the machine lacks something (a screen, a library)  exit 1
    └── ResourceMissingError      a file that ships with judgetool is missing        exit 3

Anything else that escapes is a bug of ours (exit 3).

Below them stand notices: sentences that a person should read though nothing failed. What could not
be kept outside the project's folder, or what was found beside a file and put aside: the window
shows them in its status line, commands print them at their end. And a small signal for code that
must not know Qt.
"""

import errno
import re
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from judgetool.wording import N_, _, local_number

# What a terminal obeys or a line breaks at, what turns text around, and halves of characters.
_COMMANDS = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def shown_name(name: str) -> str:
    r"""Return a name, of a file perhaps, without what a terminal would obey.

    Examples:
        >>> print(shown_name("a\x1b[31mb\n.run"))
        a\x1b[31mb\n.run
    """
    return re.sub(_COMMANDS, lambda found: ascii(found[0])[1:-1], name)


class JudgetoolError(Exception):
    """Base of all errors that may be shown as they are."""

    exit_code = 1


class InputError(JudgetoolError):
    """What was given does not fit: a file, a value, an id."""


class ParseError(InputError):
    """A line of an input file does not fit its format.

    The text reads "runs/bm25.txt, line 7: expected 6 columns, found 5."

    Attributes:
        source: what was read, as the user named it.
        line: line number, from 1; ``None`` when the whole file is meant.
        reason: the sentence without source and line.
    """

    def __init__(self, reason: str, *, source: str, line: int | None = None) -> None:
        self.source = source
        self.line = line
        self.reason = reason
        name = shown_name(source)
        where = _("{name}, line {line}").format(name=name, line=local_number(f"{line or 0:,}"))
        where = name if line is None else where
        super().__init__(f"{where}: {reason}")


class UnwritableIdError(InputError):
    """An id that a format cannot carry.

    Attributes:
        in_window: the sentence for who chooses in the window, and has no options.
    """

    def __init__(self, said: str, *, in_window: str) -> None:
        self.in_window = in_window
        super().__init__(said)


class CommandRefusedError(InputError):
    """A change that the project does not allow; nothing was written."""


class ProjectError(JudgetoolError):
    """The project file cannot be used as asked.

    Attributes:
        path: the project file.
    """

    def __init__(self, message: str, *, path: Path) -> None:
        self.path = path
        super().__init__(message)


class NotAProjectError(ProjectError):
    """The file is there but it is no judgetool project."""


class ProjectTooNewError(ProjectError):
    """The file was made by a newer judgetool."""


class ProjectDamagedError(ProjectError):
    """SQLite, or judgetool's own checks, find the file unsound.

    Attributes:
        reason: what is wrong, in words for within a sentence; ``""`` where the message alone says it.
        in_short: the message for whom the ways that lead on are offered beside it.
    """

    def __init__(self, message: str, *, path: Path, reason: str = "", in_short: str = "") -> None:
        self.reason = reason
        self.in_short = in_short or message
        super().__init__(message, path=path)


class ProjectBusyError(ProjectError):
    """Another process has the project open for writing."""


class ProjectMovedError(ProjectError):
    """The file was moved, deleted or replaced while it was open."""


class ReadOnlyError(ProjectError):
    """The project can be read but not changed."""


class SaveError(ProjectError):
    """A change could not be written; nothing of it was."""


class HubError(JudgetoolError):
    """The team's hub cannot be used."""


class HubOfflineError(HubError):
    """The hub is not reached, or the connection was lost; later it may be there again."""


class HubTooNewError(HubError):
    """The hub was made or upgraded by a newer judgetool."""


class HubRefusal(StrEnum):
    """Why a hub refuses something."""

    PASSWORD = "password"
    """It is wrong, or lacking."""
    STRANGER = "stranger"
    """The login is nobody's in the hub."""
    RIGHT = "right"
    """The member's role does not allow it."""
    SCALE = "scale"
    """The hub has another scale than what was sent."""
    FORM = "form"
    """What was sent is not as it has to be."""
    STATE = "state"
    """There is a hub in the database already, or one that has to be upgraded."""
    MISSING = "missing"
    """There is no hub in the database."""
    SECURITY = "security"
    """The connection would not be safe."""


class HubRefusedError(HubError):
    """The hub does not let somebody in, or does not do what was asked; trying again does not help.

    Attributes:
        why: what kind of refusal it is.
    """

    def __init__(self, message: str, *, why: HubRefusal) -> None:
        self.why = why
        super().__init__(message)


class UsageError(JudgetoolError):
    """A command or function was called the wrong way."""

    exit_code = 2


class EnvironmentLackError(JudgetoolError):
    """The machine lacks something that is needed: a screen, a system library."""


class ResourceMissingError(JudgetoolError):
    """A file that ships with judgetool is missing: the installation is broken."""

    exit_code = 3


Named = TypeVar("Named")


def named(table: Mapping[str, Named], name: str, sentence: str) -> Named:
    """Return what a table has under a name that somebody said.

    Args:
        table: by name.
        name: as it was said.
        sentence: says that there is no ``{name}``, only ``{names}``.

    Raises:
        UsageError: there is none of this name; the text lists them.
    """
    if name not in table:
        raise UsageError(sentence.format(name=name, names=", ".join(table)))
    return table[name]


_SYSTEM_SAYS = {
    errno.EACCES: N_("you have no right to it"),
    errno.EPERM: N_("you have no right to it"),
    errno.ECONNREFUSED: N_("the connection is refused"),
    errno.EDQUOT: N_("your share of the disk is used up"),
    errno.EEXIST: N_("there is something of this name already"),
    errno.EFBIG: N_("the file would be too large"),
    errno.EIO: N_("the disk or the drive does not answer as it should"),
    errno.EISDIR: N_("it is a folder"),
    errno.ELOOP: N_("it is a link that leads to itself"),
    errno.EMFILE: N_("too many files are open"),
    errno.ENAMETOOLONG: N_("its name is too long"),
    errno.ENOENT: N_("there is no such file"),
    errno.ENOEXEC: N_("it is no program"),
    errno.ENOSPC: N_("the disk is full"),
    errno.ENOTDIR: N_("a part of its path is no folder"),
    errno.EROFS: N_("the disk is read-only"),
}
"""What the system means by its commonest refusals: it says them itself in English alone."""


def why_refused(problem: OSError, causes: Mapping[int, str] | None = None) -> str:
    """Return why the system refused something, in words of ours where there are some, else in its own.

    Args:
        problem: what it raised.
        causes: words by its number that say more there than the usual ones do.
    """
    number = problem.errno or 0
    if causes and number in causes:
        return causes[number]
    if number in _SYSTEM_SAYS:
        return _(_SYSTEM_SAYS[number])
    return _("the system says ‘{strerror}’").format(strerror=problem.strerror or problem)


def why_unreadable(problem: Exception) -> str:
    r"""Return why a file of text or JSON could not be read, as a part of a sentence.

    Args:
        problem: what opening it, decoding it as UTF-8 or taking it for JSON raised.

    Examples:
        >>> why_unreadable(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))
        'it is no text in UTF-8'
    """
    if isinstance(problem, OSError):
        return why_refused(problem)
    if isinstance(problem, UnicodeError):
        return _("it is no text in UTF-8")
    if isinstance(problem, RecursionError):
        return _("it is nested too deeply")
    line, column = (getattr(problem, name, None) for name in ("lineno", "colno"))
    if line is None or column is None:
        return _("a number in it has more digits than are read")
    said = _("it is no JSON at line {line}, column {column}")
    return said.format(line=local_number(f"{line:,}"), column=local_number(f"{column:,}"))


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
