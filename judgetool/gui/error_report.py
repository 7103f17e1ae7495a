"""What nobody expected: logged, shown once as a calm window, and the program goes on.

Two kinds (see :mod:`judgetool.errors`): what a person may be shown is a sentence and
goes to the prompter; anything else is a bug of ours and gets a report to copy. Both
are shown from the event loop of the GUI thread, never from where they happened: a
window opened inside a paint event or on a worker would itself break.
"""

import logging
import platform
import queue
import re
import sys
import threading
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
    qVersion,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from shiboken6 import isValid

from judgetool import __version__
from judgetool.core import override
from judgetool.core.number_text import number_of
from judgetool.core.system import bundle_folder, data_folder, make_private_file
from judgetool.errors import JudgetoolError, ProjectDamagedError
from judgetool.gui.dialogs.act_dialog import ActDialog, push_button
from judgetool.gui.dialogs.prompter import Prompter
from judgetool.gui.theme import Role, font, scaled
from judgetool.wording import N_, _

_ABOUT = N_(
    "Works offline; nothing leaves this machine but to a hub that you join. MIT licence. The sample is CC0."
)
_NOTICES = (
    (
        N_("Qt and Qt for Python (PySide6)"),
        N_("© The Qt Company and others, LGPL 3: you may replace them"),
    ),
    ("Python", N_("Python Software Foundation licence")),
    (N_("SQLite with apsw"), N_("public domain; apsw: any OSI licence")),
    ("NumPy, SciPy, pandas", "BSD"),
    (N_("Apache Arrow (pyarrow), where Parquet is installed"), "Apache 2.0"),
    (N_("psycopg and keyring, where the team hub is installed"), "LGPL 3; MIT"),
    ("click, platformdirs, openpyxl, python-calamine", "BSD; MIT"),
    ("charset-normalizer, RapidFuzz", "MIT"),
    ("google-re2, zstandard, snowballstemmer", "BSD"),
    ("defusedxml", N_("Python Software Foundation licence")),
    (N_("Lucide icons, with their notice in resources/icons"), "ISC"),
)
_LICENCES = N_("Their licences in full come with each package, in its folder dist-info.")
_IN_BUNDLE = N_("Their licences in full, and where Qt’s source is: {place}")
_QUESTIONS = N_(
    "What did you do?\n\n\nWhat happened?\n\n\nWhat did you expect?\n\n\nHow can it be seen again?\n\n"
)
LOG_NAME = "judgetool.log"
_LOG = logging.getLogger("judgetool")
_QT_LOG = logging.getLogger("judgetool.qt")
_NUMBER = re.compile(r"\d+")
_QT_TOLD: set[str] = set()
"""What Qt has said in this run, without its numbers."""
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class AboutDialog(ActDialog):
    """Version, licence, and notices of what judgetool is built on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            f"judgetool {__version__}",
            verb=_("Close"),
            width=600,
            parent=parent,
        )
        self.cancel.hide()
        self.add_text(versions().partition("\n")[2])
        self.add_text(_(_ABOUT), ink="text")
        self.add_head(_("Built on"))
        for name, licence in _NOTICES:
            said = _("{name} – {licence}").format(name=_(name), licence=_(licence))
            self.add_text(said, role=Role.META)
        bundle = bundle_folder()
        where = _(_IN_BUNDLE).format(place=bundle / "licences") if bundle else _(_LICENCES)
        self.add_text(where, role=Role.META, ink="text3")
        self.body.addStretch(1)


def problem_text() -> str:
    """Return what a report of a problem begins with: questions, versions, where the log is."""
    log = data_folder() / LOG_NAME
    where = (
        str(log) if log.is_file() else _("{log} (not there: nothing was logged)").format(log=log)
    )
    told = _("Log: {where}").format(where=where)
    return f"{_(_QUESTIONS)}\n{versions()}\n{told}\n"


class _WithReport(ActDialog):
    """Shows a report, and puts it on the clipboard.

    Attributes:
        copy: the button that does.
    """

    def _add_report(self, text: str, role: Role, height: int, copy: str) -> QPlainTextEdit:
        field = self.put(QPlainTextEdit(text), stretch=1)
        field.setTabChangesFocus(True)
        field.setProperty("framed", "true")
        field.setFont(font(role))
        field.setMinimumHeight(scaled(height))
        field.setAccessibleName(_("Report"))
        self.cancel.hide()
        self.copy = self.add_to_foot(push_button(copy, self._copy))
        return field

    def _copy(self) -> None:
        raise NotImplementedError


class ReportDialog(_WithReport):
    """A text to fill in and to copy. Nothing is sent.

    Attributes:
        text: the report.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_("Report a problem"), verb=_("Close"), width=700, parent=parent)
        self.add_text(
            _(
                "Nothing is sent. Fill in what you know, copy the text, and give it to whoever "
                "looks after judgetool for you, with the log if they ask for it. Read both first if "
                "your texts are confidential."
            )
        )
        self.text = self.first = self._add_report(problem_text(), Role.UI, 300, _("Copy"))

    @override
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.show_remark(
            _("Copied, with the versions of judgetool and Qt {version}.").format(version=qVersion())
        )


class ErrorReport(_WithReport):
    """The window for what nobody expected; the main window can be used beside it."""

    def __init__(self, trace: str, *, parent: QWidget | None = None) -> None:
        """Make the window.

        Args:
            trace: the traceback as text.
            parent: the main window.
        """
        super().__init__(
            _("Something unexpected happened"), verb=_("Go on"), width=760, parent=parent
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self._n_more = 0
        self.report = f"{versions()}\n\n{trace}"
        self.add_text(
            _(
                "This is a fault of judgetool, not of yours. What was marked as saved is saved, "
                "and you can go on. If it comes again, send the report below to whoever looks "
                "after judgetool; read it first if your texts are confidential."
            ),
            ink="text",
        )
        field = self._add_report(self.report, Role.META, 260, _("Copy report"))
        field.setReadOnly(True)
        field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.resize(scaled(760), scaled(480))

    @override
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)

    def count_more(self) -> None:
        """Say that the same or something else happened again, without another window."""
        self._n_more += 1
        said = number_of(
            self._n_more,
            "Something of the kind happened once more; the log has it.",
            "Something of the kind happened {n} times more; the log has it.",
        )
        self.show_remark(said)


class ErrorHooks(QObject):
    """Takes what nobody caught, from any thread, and shows it on the GUI thread.

    Args:
        find_prompter: returns whom to tell with; ``None`` while there is no window.
        find_parent: returns the main window, or ``None``.
        find_damage: returns what an error comes from where the open project is damaged;
            called on a thread of its own.
    """

    _arrived = Signal()

    def __init__(
        self,
        find_prompter: Callable[[], Prompter | None],
        find_parent: Callable[[], QWidget | None],
        find_damage: Callable[[BaseException], JudgetoolError | None],
    ) -> None:
        super().__init__()
        self._find_damage = find_damage
        self._told: set[str] = set()
        self._find_prompter = find_prompter
        self._find_parent = find_parent
        self._waiting: queue.SimpleQueue[tuple[BaseException, bool]] = queue.SimpleQueue()
        self._unexplained: list[BaseException] = []
        self._is_looking = False
        self._is_telling = False
        self.report: ErrorReport | None = None
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._qt_before: Callable[[QtMsgType, QMessageLogContext, str], object] | None = None
        self._arrived.connect(self._show_all, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take over all four hooks."""
        sys.excepthook = self.take_exception
        threading.excepthook = self._take_thread_exception
        sys.unraisablehook = self._take_unraisable
        self._qt_before = qInstallMessageHandler(_log_qt_message)

    def uninstall(self) -> None:
        """Give the hooks back to whoever had them."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        qInstallMessageHandler(self._qt_before)

    def take_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        """Log an exception and have it shown; ``Ctrl+C`` in the terminal goes its usual way."""
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            self._before[0](kind, error, trace)
            return
        is_ours = not issubclass(kind, JudgetoolError)
        level = logging.ERROR if is_ours else logging.WARNING
        _LOG.log(level, "%s", error, exc_info=(kind, error, trace) if is_ours else None)
        self._arrive(error, is_explained=not is_ours)

    def _arrive(self, error: BaseException, *, is_explained: bool) -> None:
        self._waiting.put((error, is_explained))
        if isValid(self):
            self._arrived.emit()

    def _take_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.take_exception(args.exc_type, args.exc_value, args.exc_traceback)

    @staticmethod
    def _take_unraisable(args: "sys.UnraisableHookArgs") -> None:
        # Raised while an object was being thrown away: nothing a person could act on.
        _LOG.error(
            "%s: %r",
            args.err_msg or "Exception ignored in",
            args.object,
            exc_info=args.exc_value,
        )

    def _show_all(self) -> None:
        # A sentence that waits for its answer runs an event loop; the next one waits behind it.
        if self._is_telling:
            return
        self._is_telling = True
        try:
            while not self._waiting.empty():
                error, is_explained = self._waiting.get()
                if is_explained:
                    self._show(error)
                else:
                    self._unexplained.append(error)
                self._look_on()
        finally:
            self._is_telling = False

    def _look_on(self) -> None:
        """Look beside the work whether the file is to blame: a whole check of it takes long."""
        if self._unexplained and not self._is_looking:
            self._is_looking = True
            error = self._unexplained.pop(0)
            threading.Thread(target=self._look, args=(error,), name="damage", daemon=True).start()

    def _look(self, error: BaseException) -> None:
        found: BaseException | None = None
        try:
            found = self._find_damage(error)
        except Exception:  # noqa: BLE001 - what was to be looked into is told all the same
            _LOG.exception("the file could not be looked at")
        self._is_looking = False
        self._arrive(found or error, is_explained=True)

    def _show(self, error: BaseException) -> None:
        prompter = self._find_prompter()
        if isinstance(error, JudgetoolError) and prompter is not None:
            # Each look at a damaged place finds it again.
            is_new = str(error) not in self._told
            if isinstance(error, ProjectDamagedError):
                self._told.add(str(error))
            if is_new:
                prompter.tell(str(error))
            return
        if self.report is not None and isValid(self.report) and self.report.isVisible():
            self.report.count_more()
            return
        # Above a dialog that keeps the main window from being used: behind it none could be read.
        parent = QApplication.activeModalWidget() or self._find_parent()
        self.report = ErrorReport(format_exception(error), parent=parent)
        self.report.show()


def install_error_hooks(
    find_prompter: Callable[[], Prompter | None],
    find_parent: Callable[[], QWidget | None] = lambda: None,
    find_damage: Callable[[BaseException], JudgetoolError | None] = lambda _error: None,
) -> ErrorHooks:
    """Take over what nobody catches; call it before the application is made.

    Args:
        find_prompter: returns whom to tell a :class:`JudgetoolError`'s sentence with;
            ``None`` while there is no window.
        find_parent: returns the main window, or ``None``.
        find_damage: returns what an error comes from where the open project is damaged.

    Returns:
        The hooks; keep them, and ``uninstall()`` them at the end.
    """
    hooks = ErrorHooks(find_prompter, find_parent, find_damage)
    hooks.install()
    return hooks


class _PrivateLog(RotatingFileHandler):
    """A log that only its owner can read, also one that an older judgetool began."""

    @override
    def _open(self) -> TextIOWrapper:
        make_private_file(Path(self.baseFilename))
        return super()._open()


def start_log() -> Path | None:
    """Write judgetool's log to its data folder: two files of at most 1 MB.

    Returns:
        Where; ``None`` where the folder cannot be written, which stops nothing.
    """
    path = data_folder() / LOG_NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _PrivateLog(path, maxBytes=1_000_000, backupCount=1, encoding="utf-8")
    except OSError:
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    _LOG.addHandler(handler)
    _LOG.setLevel(logging.INFO)
    return path


def versions() -> str:
    """Return what runs on what, for a report."""
    # For who looks after it, so in English.
    return (
        f"judgetool {__version__}\n"
        f"Python {platform.python_version()}, PySide6 {pyside_version}, Qt {qVersion()}\n"
        f"{platform.platform()}, {QGuiApplication.platformName() or 'no screen'}"
    )


def format_exception(error: BaseException) -> str:
    """Return an exception with its traceback and causes as text."""
    return "".join(traceback.format_exception(error)).rstrip()


def _log_qt_message(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    # What the offscreen platform cannot do is no news where there is no screen. A screen reader
    # asks for what has gone a hundred times a minute: of each kind the first line is enough.
    kind_told = _NUMBER.sub("", message)
    is_noise = message.startswith("This plugin does not support") or kind_told in _QT_TOLD
    _QT_TOLD.add(kind_told)
    level = logging.DEBUG if is_noise else _LEVELS.get(kind, logging.WARNING)
    _QT_LOG.log(level, "%s", message)
