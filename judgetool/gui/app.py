"""Making the application and its window, and running it."""

import logging
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from judgetool import __version__
from judgetool.errors import JudgetoolError
from judgetool.gui.error_report import install_error_hooks, start_log
from judgetool.gui.fonts import apply_density
from judgetool.gui.main_window import MainWindow
from judgetool.gui.safety_watch import raise_other_window
from judgetool.session.opening import open_project
from judgetool.settings import load_settings

_LOG = logging.getLogger(__name__)
# Python's threads give the interpreter back this often, so that a key never waits long.
SWITCH_INTERVAL_S = 0.0005


def make_application() -> QApplication:
    """Make the one application object, with its name, style and fonts."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    is_new = QApplication.instance() is None
    app = QApplication(sys.argv[:1]) if is_new else QApplication.instance()
    if not isinstance(app, QApplication):
        raise TypeError("an application without windows exists already")
    app.setApplicationName("judgetool")
    app.setApplicationVersion(__version__)
    # By it desktops find the icon and the name of the program.
    app.setDesktopFileName("judgetool")
    if is_new:
        app.setStyle("fusion")
    # A window that nobody touches rests, also while a field has the keyboard.
    app.setCursorFlashTime(0)
    apply_density(app, load_settings())
    return app


def run_window(
    project: Path | None,
    *,
    assessor: str,
    screenshot: Path | None = None,
    size: tuple[int, int] = (1400, 900),
    theme: str | None = None,
) -> int:
    """Show the window until it is closed.

    Args:
        project: opened at once; ``None`` shows the welcome.
        assessor: who judges; ``""`` takes the name kept in the preferences.
        screenshot: where to write a PNG of the window, which then closes.
        size: of the window for the screenshot, in pixels.
        theme: ``light`` or ``dark`` for this time only; ``None`` takes the preference.

    Returns:
        The exit code: 0, or 1 when the project cannot be opened or the picture not
        written.

    Raises:
        JudgetoolError: the project of a picture cannot be opened.
    """
    start_log()
    windows: list[MainWindow] = []
    hooks = install_error_hooks(
        lambda: windows[0].prompter if windows else None,
        lambda: windows[0] if windows else None,
        lambda error: _damage_behind(windows, error),
    )
    app = make_application()
    if project is not None and screenshot is None and raise_other_window(project):
        print(f"{project.name} is open already; its window is in front now.")  # noqa: T201 - asked for on the command line
        hooks.uninstall()
        return 0
    window = MainWindow(assessor=assessor, theme=theme or "")
    windows.append(window)
    try:
        window.apply_theme()
        if project is not None and screenshot is not None:
            # Nobody is there to close a dialog: what is wrong is said on the command line.
            window.show_session(open_project(project, assessor=window.assessor))
        elif project is not None and not window.try_open(project) and _is_left(window):
            return 1
        if screenshot is not None:
            return _take_picture(app, window, screenshot, size)
        window.restore()
        window.show()
        # Where no window manager does it, keys must work as soon as the window is there.
        window.activateWindow()
        return app.exec()
    finally:
        windows.clear()
        window.close()
        window.deleteLater()
        hooks.uninstall()


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
        if window.jobs.is_idle:
            # One more turn, so that what the last job changed is painted. Not ``quit``:
            # that would close the window before its picture is taken.
            QTimer.singleShot(0, lambda: app.exit(0))
        else:
            QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)
    app.exec()
    if window.grab().save(str(target)):
        return 0
    print(f"The picture cannot be written to {target}.", file=sys.stderr)  # noqa: T201 - asked for on the command line
    return 1
