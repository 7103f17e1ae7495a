"""What happens to an open project from outside: its file, other programs, safety log, a second start."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QThread, QTimer
from PySide6.QtWidgets import QApplication

from judgetool.core.folders import make_private_file
from judgetool.core.notices import take_notices
from judgetool.core.number_text import number_of
from judgetool.core.policy import policy
from judgetool.errors import ProjectError
from judgetool.gui.handlers.judge import JudgeHandler
from judgetool.gui.handlers.project import ProjectHandler
from judgetool.gui.handlers.repair import RepairHandler
from judgetool.gui.project_view import ProjectView
from judgetool.gui.window import AppWindow, Handler
from judgetool.session.opening import is_open_elsewhere, meeting_place
from judgetool.session.session import Session
from judgetool.wording import N_, _

if TYPE_CHECKING:
    from judgetool.session.safety import Missing

LOOK_MS = 5_000
"""So often it is looked whether the file is still there, and who else writes to it."""
_CALL_MS = 3_000
_PAUSE_MS = 20
_NOT_NOW = ("dismiss", N_("Not now"))


class FileWatch(QObject):
    """Looks after the file of the open project, and answers whoever starts it again.

    Args:
        window: the main window.
        judge: says what is not saved.
        project: opens the project anew.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler, project: ProjectHandler) -> None:
        super().__init__(window.widget)
        self._window = window
        self._judge = judge
        self._project = project
        self._call: Path | None = None
        self._folders = QFileSystemWatcher(self)
        self._folders.directoryChanged.connect(self._raise_if_called)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.look)

    def connect_project(self, view: ProjectView) -> None:
        """Watch the file of a project that has just been opened."""
        session = view.session
        self.stop()
        if session.read_only_reason:
            self._judge.show_read_only(session.read_only_reason)
        else:
            self._answer(session.path)
            self._judge.ask_who()
            self._judge.show_place(session.place_warning)
        session.catch_up()
        self._timer.start()

    def look(self) -> None:
        """See what has become of the file."""
        session = self._window.session
        self._raise_if_called()
        if session is None or QApplication.activeModalWidget() is not None:
            return
        if not self._window.jobs.is_idle:
            return
        if session.is_free_again:
            self._project.reopen(session.path, session.assessor)
            self._window.status.show_message(
                _("The other window has closed: you can judge here now.")
            )
            return
        self._window.remember_place()
        try:
            self._judge.show_trouble(session.find_trouble())
            if session.catch_up():
                self._window.status.show_message(_("Somebody else has changed this project."))
        except ProjectError as problem:
            self._judge.show_trouble(str(problem))

    def stop(self) -> None:
        """Look and answer no more: the project is being closed."""
        self._timer.stop()
        self._call = None

    # A second start

    def _answer(self, path: Path) -> None:
        self._call = meeting_place(path)
        folder = self._call.parent
        if folder.is_dir() and str(folder) not in self._folders.directories():
            self._folders.addPath(str(folder))

    def _raise_if_called(self) -> None:
        if self._call is None or not self._call.exists():
            return
        with contextlib.suppress(OSError):
            # That it is gone is the answer.
            self._call.unlink()
        window = self._window.widget
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()


def raise_other_window(path: Path) -> bool:
    """Have the window that has a project open come to the front; return whether one did.

    It is called by a file beside its lock, which it takes away. A socket would do, too,
    but Qt's need libraries of the system that nothing else here does.
    """
    if not path.is_file() or not is_open_elsewhere(path):
        return False
    call = meeting_place(path)
    try:
        make_private_file(call)
        for __ in range(_CALL_MS // _PAUSE_MS):
            if not call.exists():
                return True
            QThread.msleep(_PAUSE_MS)
        call.unlink()
    except OSError:
        return False
    return False


class SafetyWatch(Handler):
    """Tells what could not be kept, and proposes to recover what the file lacks.

    Args:
        window: the main window.
        judge: answers the banner.
        repair: does what the banner proposes.
    """

    def __init__(self, window: AppWindow, judge: JudgeHandler, repair: RepairHandler) -> None:
        super().__init__(window)
        self._repair = repair
        self._moved_from = ""
        judge.answers |= {"recover": self._recover, "check": repair.check}
        QTimer.singleShot(0, window.widget, lambda: self._say(policy().notice))

    def connect_project(self, view: ProjectView) -> None:
        """Watch a project that has just been opened."""
        session = view.session
        session.changed.connect(lambda _changed: self.tell())
        view.reloaded.connect(self.tell)
        self.tell()
        # What is on the disk beside the project is not read before the project is seen.
        self._window.schedule.after_frame(lambda: self._look(view))

    def _look(self, view: ProjectView) -> None:
        session, jobs = view.session, self._window.jobs
        jobs.submit(
            lambda _handle: _count_missing(session), self._on_counted, self._drop, owner=view
        )
        if session.was_checked:
            self._on_checked([])
        elif session.ended_uncleanly:
            jobs.submit(
                lambda _handle: _find_problems(session), self._on_checked, self._drop, owner=view
            )

    def tell(self) -> None:
        """Say, once each, what could not be kept outside the project's folder."""
        self._say(" ".join(take_notices()))

    # What the file lacks

    @staticmethod
    def _drop(_problem: Exception) -> None:
        """Judge on: where the log cannot be read, there is nothing to propose."""

    def _on_checked(self, problems: list[str]) -> None:
        if not problems:
            self._say(
                _(
                    "judgetool did not end in order the last time; the file was checked and is sound."
                )
            )
            return
        self._ask_below(
            "warn",
            _(
                "judgetool did not end in order the last time, and the file is damaged: {problem}"
            ).format(problem=problems[0]),
            ("check", _("Check & repair…")),
            (_NOT_NOW[0], _(_NOT_NOW[1])),
        )

    def _on_counted(self, missing: "Missing") -> None:
        bar = self._window.workspace.grade_bar
        if not missing.n or not bar.banner.isHidden():
            return
        self._moved_from = missing.moved_from
        why = _("perhaps an older copy was put in its place")
        if missing.moved_from:
            why = _("it was judged in {name}, where nothing stands any more").format(
                name=Path(missing.moved_from).name
            )
        self._ask_below(
            "warn",
            number_of(
                missing.n,
                "The safety log has {n} judgment that this file lacks: {why}. Nothing is lost; a new "
                "file can have them all.",
                "The safety log has {n} judgments that this file lacks: {why}. Nothing is lost; a new "
                "file can have them all.",
                why=why,
            ),
            ("recover", _("Recover as…")),
            (_NOT_NOW[0], _(_NOT_NOW[1])),
        )

    def _recover(self) -> None:
        session = self._window.session
        if session is None or not self._moved_from:
            self._repair.recover()
        else:
            self._repair.recover_file(session.path, known_as=self._moved_from)


def _find_problems(session: Session) -> list[str]:
    from judgetool.session.safety import check_project  # noqa: PLC0415 - not needed to start

    return check_project(session.path).problems


def _count_missing(session: Session) -> "Missing":
    from judgetool.session.safety import count_missing  # noqa: PLC0415 - not needed to start

    return count_missing(session)
