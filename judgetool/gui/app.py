"""Making the application and its window, and running it."""

import logging
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QEvent,
    QIODevice,
    QLibraryInfo,
    QLocale,
    QSocketNotifier,
    Qt,
    QTimer,
    QTranslator,
    Signal,
)
from PySide6.QtGui import QFileOpenEvent, QIcon
from PySide6.QtWidgets import QApplication

from judgetool import __version__
from judgetool.core import override
from judgetool.core.catalogues import ENGLISH, choose_language, runs_leftward
from judgetool.core.system import IS_MAC, IS_WINDOWS, woken_by_endings
from judgetool.errors import JudgetoolError, take_notices
from judgetool.formats import write_atomically
from judgetool.gui.error_report import install_error_hooks, start_log
from judgetool.gui.handlers.repair import raise_other_window
from judgetool.gui.main_window import MainWindow
from judgetool.gui.theme import apply_density
from judgetool.gui.widgets.painted import hear_roles
from judgetool.resources import resource_path
from judgetool.settings import load_settings
from judgetool.wording import _, spoken

_LOG = logging.getLogger(__name__)
# Python's threads give the interpreter back this often, so that a key never waits long.
SWITCH_INTERVAL_S = 0.0005
# How shells count a program that a signal has ended.
_BY_SIGNAL = 128
_MOST_HEARD = 64


class Application(QApplication):
    """The application, which macOS tells what is to be opened.

    Signals:
        file_asked: a file was opened with judgetool from outside; its path.
    """

    file_asked = Signal(str)

    @override
    def event(self, event: QEvent) -> bool:
        """Hear of files to be opened; all else is Qt's."""
        if isinstance(event, QFileOpenEvent):
            self.file_asked.emit(event.file())
            return True
        return super().event(event)


def make_application() -> QApplication:
    """Make the one application object, with its name, style and fonts."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    is_new = QApplication.instance() is None
    app = Application(sys.argv[:1]) if is_new else QApplication.instance()
    assert isinstance(app, QApplication)
    app.setApplicationName("judgetool")
    app.setApplicationVersion(__version__)
    # By it desktops find the icon and the name of the program.
    app.setDesktopFileName("judgetool")
    # Where there is no desktop file, as on Windows, the window has it from here.
    app.setWindowIcon(QIcon(str(resource_path("icons/judgetool.svg"))))
    hear_roles()
    if is_new:
        app.setStyle("fusion")
    # A window that nobody touches rests, also while a field has the keyboard.
    app.setCursorFlashTime(0)
    # Nor does anything move by itself: menus and tooltips are there at once.
    app.setEffectEnabled(Qt.UIEffect.UI_General, False)
    apply_density(app, load_settings())
    return app


def run_window(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None = None,
    size: tuple[int, int] = (1400, 900),
    theme: str | None = None,
    is_sample: bool = False,
) -> int:
    """Show the window until it is closed.

    Args:
        project: opened at once; ``None`` shows the welcome.
        assessor: who judges; ``""`` takes the name kept in the preferences.
        screenshot: where to write a PNG of the window, which then closes.
        size: of the window for the screenshot, in pixels.
        theme: the name of one for this time only; ``None`` takes the preference.
        is_sample: whether the project is the sample, whose first opening begins the tour.

    Returns:
        The exit code: 0, or 1 when the project cannot be opened.

    Raises:
        JudgetoolError: the project of a picture cannot be opened, or the picture not written.
    """
    start_log()
    windows: list[MainWindow] = []
    hooks = install_error_hooks(
        lambda: windows[0].prompter if windows else None,
        lambda: windows[0] if windows else None,
        lambda error: _damage_behind(windows, error),
    )
    choose_language(_wanted_language())
    app = make_application()
    speak_qt(app)
    if project is not None and screenshot is None and raise_other_window(project):
        said = [_("{name} is open already; its window is in front now.").format(name=project.name)]
        if assessor:
            said.append(
                _("Who judges there stays as it is: ‘{name}’ was not taken over.").format(
                    name=assessor
                )
            )
        print(" ".join(said))  # noqa: T201 - asked for on the command line
        hooks.uninstall()
        return 0
    window = MainWindow(assessor=assessor, theme=theme or "")
    windows.append(window)
    asked = app.file_asked if isinstance(app, Application) else None
    take_asked = window.project_handler.take_asked
    if asked is not None:
        asked.connect(take_asked)
    try:
        window.apply_theme()
        if project is not None and screenshot is not None:
            # Nobody is there to close a dialog: what is wrong is said on the command line.
            window.show_session(window.open_session(project))
        elif project is not None and not window.try_open(project) and _is_left(window):
            return 1
        if screenshot is not None:
            return _take_picture(app, window, screenshot, size)
        window.restore()
        window.show()
        # Where no window manager does it, keys must work as soon as the window is there.
        window.activateWindow()
        if is_sample:
            window.project_handler.offer_tour()
        return _run(app, window)
    finally:
        windows.clear()
        if asked is not None:
            asked.disconnect(take_asked)
        window.close()
        window.deleteLater()
        hooks.uninstall()


def _run(app: QApplication, window: MainWindow) -> int:
    """Show the window until it is closed, or the system ends the program; return the exit code."""
    with _heard_signals(app) as heard:
        code = app.exec()
        if heard:
            window.end()
            for sentence in take_notices():
                # Nobody is there to read it in a dialog.
                _LOG.warning(sentence)
    return code


@contextmanager
def _heard_signals(app: QApplication) -> Iterator[Sequence[int]]:
    """End the application's loops, also those of dialogs, when the system ends the program.

    A signal wakes them by a pair of sockets: a window that nothing happens to uses no processor.

    Yields:
        The signals that came; while there is none the loops go on.
    """
    heard: list[int] = []
    ours, theirs = socket.socketpair()
    for each in (ours, theirs):
        each.setblocking(False)

    def end() -> None:
        heard.extend(number for number in ours.recv(_MOST_HEARD) if number in wanted)
        if heard:
            app.exit(_BY_SIGNAL + heard[0])

    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(end)
    try:
        with woken_by_endings(theirs.fileno()) as wanted:
            yield heard
    finally:
        notifier.setEnabled(False)
        ours.close()
        theirs.close()


def speak_qt(app: QApplication) -> None:
    """Have Qt's own dialogs and fields speak the chosen language, and the window run as it does."""
    code = spoken().code
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator(app)
    if code != ENGLISH and translator.load(f"qtbase_{code}", folder):
        app.installTranslator(translator)
    # Fields for numbers ask it for their signs.
    QLocale.setDefault(QLocale(code))
    if runs_leftward():
        app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def _wanted_language() -> str:
    """Return the language that a person wants; ``""`` for what the environment says."""
    wanted = load_settings().language
    if wanted != "system":
        return wanted
    # Only there does no environment say what the system's settings do.
    is_told = not (IS_MAC or IS_WINDOWS)
    return "" if is_told else QLocale.system().name()


def _is_left(window: MainWindow) -> bool:
    """Whether a project that cannot be opened was left alone: nothing else is open or under way.

    A backup may be open in its place, and a recovery still has to say what it could not read.
    """
    return window.session is None and window.jobs.is_idle


def _damage_behind(windows: list[MainWindow], error: BaseException) -> JudgetoolError | None:
    """Return what an error comes from where the open project is damaged."""
    session = windows[0].session if windows else None
    return None if session is None else session.damage_behind(error)


def _take_picture(
    app: QApplication, window: MainWindow, target: Path, size: tuple[int, int]
) -> int:
    """Show the window at a size, wait until nothing is left to be worked out, and save it."""
    window.resize(*size)
    window.show()

    def look() -> None:
        if window.schedule.is_settled and window.jobs.is_idle:
            # One more turn, so that what the last job changed is painted. Not ``quit``:
            # that would close the window before its picture is taken.
            QTimer.singleShot(0, lambda: app.exit(0))
        else:
            QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)
    app.exec()
    # Not by Qt: it does not say why a file cannot be written, and goes by the ending of its name.
    picture = QBuffer()
    picture.open(QIODevice.OpenModeFlag.WriteOnly)
    window.grab().save(picture, "PNG")
    write_atomically(target, [bytes(picture.data().data())])
    return 0
